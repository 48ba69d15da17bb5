//! Text protocols: GTP 2, NBoard 2 and Cassio's ENGINE-PROTOCOL.
//!
//! A session reads lines and writes answers through whatever streams it is given; it owns an
//! [`Engine`](crate::engine::Engine) and turns each line into a call of the library and each result into text. Sessions
//! are cheap to start: the engine's tables come with the first search.
//!
//! | module | who speaks it |
//! |---|---|
//! | [`gtp`] | Quarry, GoGui, match runners, scripts |
//! | [`nboard`] | the NBoard analysis GUI |
//! | [`cassio`] | Cassio, and programs that use an engine as an oracle |
//!
//! [`Protocol::detect`] tells from the first line of a session which of them a client speaks.

mod background;
mod clock;
mod detect;
mod input;

pub mod cassio;
pub mod gtp;
pub mod nboard;

use std::sync::Arc;

use crate::engine::Options;
use crate::eval::Weights;
use crate::rules::RuleSet;
use crate::search::Level;

pub use detect::Protocol;

/// The name under which the engine presents itself: one word of letters, as NBoard's engine list needs.
pub const NAME: &str = "Outflank";

/// The engine's version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a session is started with.
#[derive(Clone, Debug)]
pub struct Config {
    /// Playing level; it bounds depth also when a clock runs.
    pub level: Level,
    /// The engine's options.
    pub options: Options,
    /// The rules the session starts with (only GTP sessions change or need them).
    pub rules: Arc<RuleSet>,
    /// Weights to evaluate with, if not the built-in ones.
    pub weights: Option<Arc<Weights>>,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            level: Level::DEFAULT,
            options: Options::default(),
            rules: Arc::new(RuleSet::othello()),
            weights: None,
        }
    }
}
