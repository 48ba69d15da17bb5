//! What the commands that run protocol sessions share.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use outflank::book::probe::{NoBook, has_book};
use outflank::book::{Choosing, Nodes, embedded};
use outflank::play::{OpeningBook, Strength, Variety};
use outflank::protocol::Config;
use outflank::rules::RuleSet;
use outflank::search::StopToken;

use super::book::open_to_play;
use super::error::Error;
use super::options::{Bounds, EngineOptions, parse_seed, whole};

/// Options of a session, of the console or of a protocol.
#[derive(Args, Clone, Debug)]
pub struct SessionOptions {
    /// How strong the engine plays: a level 0 to 60 (`outflank levels` lists them), or as well as people do: beginner, novice,
    /// learner, casual, amateur, club, advanced, expert, champion, master [default: 21; with a clock as deep as its time allows]
    #[arg(short, long, value_name = "LEVEL", conflicts_with_all = ["depth", "nodes"], help_heading = "Search options")]
    level: Option<Strength>,

    #[command(flatten)]
    bounds: Bounds,

    #[command(flatten)]
    pub engine: EngineOptions,

    #[command(flatten)]
    habits: PlayingHabits,

    #[command(flatten)]
    book: BookOptions,

    #[command(flatten)]
    learn: LearnOption,
}

/// An option of Edax's style that changes nothing in a protocol.
#[derive(Args, Clone, Debug)]
pub struct QuietOption {
    /// Accepted because scripts written for other engines pass it; sessions print nothing but answers anyway
    #[arg(short, long, hide = true)]
    quiet: bool,
}

/// The opening book of a player.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Book options")]
pub struct BookOptions {
    /// Play from the opening book of this file (made by `outflank book`) instead of the built-in one
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,

    /// Play without an opening book
    #[arg(long, visible_alias = "nobook", conflicts_with = "book")]
    no_book: bool,

    /// Discs that a book move may be worse than the best one, and discs that a game's book moves may lose together: twice as many
    /// where one number is given
    #[arg(long, conflicts_with = "no_book", value_name = "MOVE[,GAME]", default_value = "1,2", value_parser = parse_book_loss)]
    book_loss: (u8, u8),

    /// Which of the allowed book moves are played: 0 always the best one, 10 all equally often
    #[arg(long, conflicts_with = "no_book", value_name = "0-10", default_value_t = Choosing::default().variety, value_parser = whole::<u8>(0..=10))]
    book_variety: u8,

    /// What a draw that the book has proven is worth to the engine, in discs: below 0 it avoids drawn lines, above 0 it looks for
    /// them
    #[arg(long, conflicts_with = "no_book", value_name = "DISCS", default_value_t = 0, allow_negative_numbers = true, value_parser = whole::<i8>(-64..=64))]
    book_draw: i8,
}

/// What becomes of the games of a session.
#[derive(Args, Clone, Copy, Debug, Default)]
#[command(next_help_heading = "Book options")]
struct LearnOption {
    /// Store games in the book of --book when the client asks for it (`learn` in NBoard, `book store` in the console)
    #[arg(long, requires = "book", conflicts_with = "no_book")]
    learn: bool,
}

fn parse_book_loss(text: &str) -> Result<(u8, u8), String> {
    let number = |text: &str| text.trim().parse::<u8>().ok().filter(|&discs| discs <= 64);
    let (one, all) = text.split_once(',').map_or((text, None), |(one, all)| (one, Some(all)));
    let numbers = number(one).and_then(|one| Some((one, all.map_or(Some(one.saturating_mul(2)), number)?)));
    numbers.ok_or_else(|| "not one or two numbers of discs from 0 to 64".to_string())
}

impl BookOptions {
    /// The library's form of the options. The seed chooses among good moves; another one each time if it is not given. A file
    /// that the rules of the first game have no use for is told: other games of a session may be by other rules.
    pub fn opening_book(&self, seed: Option<u64>, rules: &Arc<RuleSet>) -> Result<Option<OpeningBook>, Error> {
        if self.no_book {
            return Ok(None);
        }
        let (move_loss, game_loss) = self.book_loss;
        let choosing = Choosing { move_loss, game_loss, variety: self.book_variety, draw: self.book_draw };
        let nodes: Arc<dyn Nodes> = match &self.book {
            Some(path) => {
                let file = Arc::new(open_to_play(path)?);
                if !has_book(rules) {
                    tell!("outflank: {}: {}", path.display(), no_book_for(rules));
                }
                file
            }
            None => embedded(),
        };
        Ok(Some(OpeningBook { nodes, choosing, seed: seed.unwrap_or_else(rand::random) }))
    }
}

/// Why rules have no use for a book.
pub(super) fn no_book_for(rules: &Arc<RuleSet>) -> String {
    format!("{}: no move comes from it", NoBook(rules.clone()))
}

/// How an engine plays games.
#[derive(Args, Clone, Debug, Default)]
struct PlayingHabits {
    /// Think on the opponent's time
    #[arg(long)]
    ponder: bool,

    /// Let games differ: in the first plies choose among the moves that are at most so many discs worse than the best one
    #[arg(long, value_name = "DISCS", num_args = 0..=1, default_missing_value = "1", value_parser = whole::<u32>(0..=64))]
    variety: Option<u32>,

    /// The seed of choices among good moves, of the book and of --variety; the same seed plays the same games, but for what
    /// clocks, --ponder and several threads change [default: another one each time]
    #[arg(long, value_name = "SEED", value_parser = parse_seed)]
    seed: Option<u64>,
}

impl PlayingHabits {
    /// The library's form of the variety.
    fn variety(&self) -> Option<Variety> {
        let discs = self.variety?;
        let seed = self.seed.unwrap_or_else(rand::random);
        Some(Variety { discs, seed, ..Variety::default() })
    }
}

impl SessionOptions {
    /// The library's form of the options, for a session that begins with these rules and whose searches this token stops.
    pub fn config(&self, rules: &Arc<RuleSet>, stop: StopToken) -> Result<Config, Error> {
        Ok(Config {
            strength: self.bounds.strength(self.level.as_ref()),
            seed: self.habits.seed.unwrap_or_else(rand::random),
            options: self.engine.options(),
            rules: Arc::clone(rules),
            weights: self.engine.eval.load()?,
            ponder: self.habits.ponder,
            variety: self.habits.variety(),
            book: self.book.opening_book(self.habits.seed, rules)?,
            learn: self.book.book.clone().filter(|_| self.learn.learn),
            stop,
        })
    }
}
