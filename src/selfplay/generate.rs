//! Many games side by side.

use super::game::GameRecord;
use super::play::{Player, opening_squares};
use super::settings::Settings;
use crate::search::{SearchError, StopToken};
use crate::workers::side_by_side;

/// Plays the games with these indices, as many side by side as there are `threads`, and hands over each as it is
/// finished, in the calling thread. Stops early when `stop` is set, leaving out the games in flight.
///
/// # Errors
/// [`SearchError`] where there are no threads, or no memory for as many tables of the size that the settings say (smaller ones would
/// make other games), or the first error of `on_game`; no more games are played after it.
pub fn generate<E: From<SearchError>>(
    settings: &Settings,
    indices: &[u32],
    threads: usize,
    stop: &StopToken,
    on_game: &mut dyn FnMut(GameRecord) -> Result<(), E>,
) -> Result<(), E> {
    each(settings, indices.len(), threads, &|player, place| player.play(indices[place], stop), on_game)
}

/// Labels games anew, with the searches and weights of `settings`: moves and exact scores stay, the values of searches are
/// replaced. Better labels than more labels: a game by new weights or at a greater depth costs no new game. As [`generate`],
/// hands each over as it is finished.
///
/// # Errors
/// As [`generate`]; no more games are labelled after it.
pub fn reanalyse<E: From<SearchError>>(
    settings: &Settings,
    games: &[&GameRecord],
    threads: usize,
    stop: &StopToken,
    on_game: &mut dyn FnMut(GameRecord) -> Result<(), E>,
) -> Result<(), E> {
    each(settings, games.len(), threads, &|player, place| player.relabel(games[place], stop), on_game)
}

/// Does `work` for each place below `count`, each thread with a player of its own, until it gives nothing.
fn each<E: From<SearchError>>(
    settings: &Settings,
    count: usize,
    threads: usize,
    work: &(dyn Fn(&mut Player, usize) -> Option<GameRecord> + Sync),
    on_game: &mut dyn FnMut(GameRecord) -> Result<(), E>,
) -> Result<(), E> {
    if threads == 0 {
        return Err(SearchError::Threads(0).into());
    }
    let openings = opening_squares(settings);
    let ready = |_| {
        let mut player = Player::new(settings, &openings);
        player.allocate()?;
        Ok(move |place| work(&mut player, place))
    };
    let workers: Vec<_> = (0..threads.min(count)).map(ready).collect::<Result<_, SearchError>>()?;
    side_by_side(workers, 0..count, |games| {
        for game in games {
            on_game(game)?;
        }
        Ok(())
    })
}
