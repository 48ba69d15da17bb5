//! Text protocols: GTP 2, NBoard 2, Cassio's ENGINE-PROTOCOL, and the commands of the console.
//!
//! A session reads lines and writes answers through whatever streams it is given; it owns a
//! [`Player`](crate::play::Player) and turns each line into a call of the library and each result into text. Sessions
//! are cheap to start: the engine's tables come with the first search.
//!
//! | module | who speaks it |
//! |---|---|
//! | [`gtp`] | Quarry, GoGui, match runners, scripts |
//! | [`nboard`] | the NBoard analysis GUI |
//! | [`console`] | people at a terminal, and scripts written for Edax |
//! | [`cassio`] | Cassio, and programs that use an engine as an oracle |
//!
//! [`wire`] logs what a session hears and says. [`Protocol::detect`] tells from the first line of a session which of them a client speaks.

mod detect;
mod input;
mod output;

pub mod cassio;
pub mod console;
pub mod gtp;
pub mod nboard;
pub mod wire;

use std::path::PathBuf;
use std::sync::Arc;

use crate::engine::{Engine, Options};
use crate::eval::Weights;
use crate::game::Game;
use crate::play::{OpeningBook, Overhead, Player, PlayerOptions, Strength, Variety};
use crate::rules::RuleSet;
use crate::search::StopToken;

pub use detect::Protocol;
pub use input::is_input;

/// The name under which the engine presents itself: one word of letters, as NBoard's engine list needs.
pub const NAME: &str = "Outflank";

/// The engine's version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a session is started with.
#[derive(Clone, Debug)]
pub struct Config {
    /// How hard the session's player thinks. A level bounds depth also when a clock runs; without one it is [`Level::DEFAULT`]
    /// without a clock, and all that the clock allows with one.
    ///
    /// [`Level::DEFAULT`]: crate::search::Level::DEFAULT
    pub strength: Strength,
    /// The seed of a grade's errors.
    pub seed: u64,
    /// The engine's options.
    pub options: Options,
    /// The rules the session starts with; clients of GTP and NBoard can change them.
    pub rules: Arc<RuleSet>,
    /// Weights to evaluate with, if not the built-in ones.
    pub weights: Option<Arc<Weights>>,
    /// The session thinks on the opponent's time.
    pub ponder: bool,
    /// Games of the session differ.
    pub variety: Option<Variety>,
    /// The book the session plays from.
    pub book: Option<OpeningBook>,
    /// The file that games are stored in when the client asks for it (`learn` of NBoard, `book store` of the console).
    pub learn: Option<PathBuf>,
    /// Stops searches from outside of the session; ended ([`StopToken::end`]) when the client is gone.
    pub stop: StopToken,
}

impl Config {
    /// The session's player, at the start of a game; `overhead` is kept back of the time on its clock.
    fn player(self, overhead: Overhead) -> Player {
        let engine = Engine::new(self.options).with_weights(self.weights);
        let Config { strength, ponder, variety, seed, stop, .. } = self;
        let options = PlayerOptions { strength, overhead, ponder, variety, seed, stop };
        let mut player = Player::new(engine, Game::new(self.rules), options);
        player.set_book(self.book);
        player
    }
}

impl Default for Config {
    fn default() -> Config {
        Config {
            strength: Strength::default(),
            seed: 0,
            options: Options::default(),
            rules: Arc::new(RuleSet::othello()),
            weights: None,
            ponder: false,
            variety: None,
            book: None,
            learn: None,
            stop: StopToken::new(),
        }
    }
}
