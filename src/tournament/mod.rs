//! Matches between players: the referee, the players it can drive, and the statistics of the result.
//!
//! A [`Player`] is a configuration of this engine inside the process ([`PlayerSpec`] kind `outflank`), a simple
//! reference player (`random`, `greedy`, `mobility`), or an external program that speaks GTP or NBoard. The referee
//! ([`play_game`]) enforces the rules and the clock through [`crate::rules::Position`], so that an illegal move, a
//! crash, a hang or a time loss costs the game and is reported, never trusted. [`run`] plays an opening list in
//! pairs with colours swapped, several games side by side; [`Statistics`] turns the results into Elo with error
//! bars and [`Sprt`] decides between two hypotheses; [`Store`] saves every game as it ends, so that a match that
//! was killed goes on where it was.

mod balanced;
mod description;
mod factory;
mod field;
mod finished;
mod group;
mod gtp;
mod internal;
mod nboard;
mod pentanomial;
mod player;
mod process;
mod reasons;
mod record;
mod referee;
mod runner;
mod saved;
mod simple;
mod spec;
mod sprt;
mod statistics;
mod store;
mod variety;

// openings are read and made by `formats`, clocks kept by `play`; they stay to be found here
use crate::formats::openings;

pub use crate::play::clock::{RunningClock, TimeControl, TimeControlError};
pub use balanced::{Lines, Tally, Wanted, balanced_lines};
pub use description::{OpeningSource, describe};
pub use factory::create_player;
pub use field::{Rating, ratings};
pub use finished::Finished;
pub use openings::{Opening, OpeningError, checksum, parse_openings, random_openings, select_openings};
pub use pentanomial::{Elo, Pentanomial, likelihood_of_superiority};
pub use player::{Allowance, Choice, Failure, FailureKind, GameSetup, Player, PlayerError};
pub use reasons::Reasons;
pub use record::{Ending, GameRecord, MoveRecord, PlayerIndex};
pub use referee::{GameNumber, Referee, play_game};
pub use runner::{MatchError, Outcome, Plan, play_pair, run};
pub use saved::StoreError;
pub use spec::{
    Checksums, EngineConfig, ExternalConfig, PassDialect, PlayerContext, PlayerKind, PlayerSpec, Protocol, SimpleStyle,
    SpecError,
};
pub use sprt::{Sprt, SprtError, Verdict};
pub use statistics::{Mean, PlayerStatistics, Statistics};
pub use store::{Store, match_files};
pub use variety::Variety;
