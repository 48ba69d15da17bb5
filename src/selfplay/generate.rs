//! Many games side by side.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;

use super::game::GameRecord;
use super::play::{Player, opening_squares};
use super::settings::Settings;
use crate::search::StopToken;

/// Plays the games with these indices, as many side by side as the current rayon pool has threads, and hands over each
/// as it is finished, in the calling thread. Stops early when `stop` is set, leaving out the games in flight.
///
/// # Errors
/// The first error of `on_game`; no more games are played after it.
pub fn generate<E>(
    settings: &Settings,
    indices: &[u32],
    pool: &rayon::ThreadPool,
    stop: &StopToken,
    on_game: &mut dyn FnMut(GameRecord) -> Result<(), E>,
) -> Result<(), E> {
    each(settings, indices.len(), pool, &|player, place| player.play(indices[place], stop), on_game)
}

/// Labels games anew, with the searches and weights of `settings`: moves and exact scores stay, the values of searches are
/// replaced. Better labels than more labels: a game by new weights or at a greater depth costs no new game. As [`generate`],
/// hands each over as it is finished.
///
/// # Errors
/// The first error of `on_game`; no more games are labelled after it.
pub fn reanalyse<E>(
    settings: &Settings,
    games: &[&GameRecord],
    pool: &rayon::ThreadPool,
    stop: &StopToken,
    on_game: &mut dyn FnMut(GameRecord) -> Result<(), E>,
) -> Result<(), E> {
    each(settings, games.len(), pool, &|player, place| player.relabel(games[place], stop), on_game)
}

/// Does `work` for each place below `count`, each thread with a player of its own, until it gives nothing.
fn each<E>(
    settings: &Settings,
    count: usize,
    pool: &rayon::ThreadPool,
    work: &(dyn Fn(&mut Player, usize) -> Option<GameRecord> + Sync),
    on_game: &mut dyn FnMut(GameRecord) -> Result<(), E>,
) -> Result<(), E> {
    let openings = opening_squares(settings);
    let next = AtomicUsize::new(0);
    let over = StopToken::new();
    let (sender, receiver) = channel();
    pool.in_place_scope(|scope| {
        for _ in 0..pool.current_num_threads() {
            let (sender, openings, next, over) = (sender.clone(), &openings, &next, &over);
            scope.spawn(move |_| {
                let mut player = Player::new(settings, openings);
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    if place >= count {
                        return;
                    }
                    let Some(game) = work(&mut player, place) else { return };
                    if over.is_stopped() || sender.send(game).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for game in receiver {
            if let Err(error) = on_game(game) {
                over.stop();
                return Err(error);
            }
        }
        Ok(())
    })
}
