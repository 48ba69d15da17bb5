//! The solitaire `ravensburger-solo`, by Reiner Knizia.
mod advisor;
mod bench;
mod chip;
mod ending;
mod eval;
mod fit;
mod game;
mod layout;
mod player;
mod position;
mod record;
mod rollout;
mod solver;
mod view;
mod weights;

pub use advisor::{Advice, Advisor, Budget, Candidate};
pub use bench::{Layouts, Summary, Tally, play_out};
pub use chip::{BLANKS, CHIPS, Chip, Color, ParseChipError, TOP_NUMBER};
pub use ending::{Ending, MAX_POSITIONS};
pub use eval::Model;
pub use fit::fit;
pub use game::{Game, Help};
pub use layout::{CENTRE, Deal, Layout, LayoutError};
pub use player::{Greedy, Player, Random};
pub use position::{Effect, IllegalTurn, Move, ParseMoveError, Position};
pub use record::{FORMAT, Place, Record, RecordError};
pub use view::{Score, Scoring, View};
