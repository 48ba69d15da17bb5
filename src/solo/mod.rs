//! The solitaire `ravensburger-solo`, by Reiner Knizia: rules, records, and an advisor.
//!
//! # The game
//!
//! 24 chips, of each colour two blanks and the numbers 1 to 10, are shuffled face down onto 24 squares; four discs stand
//! on the centre. A turn places a disc, either colour up, on a free square (no disc, no chip). It must flip discs of the
//! other colour as in Othello (all outflanked lines; chips interrupt a line), or win at least one face-up chip of the
//! other colour: one that lies between the disc just placed and a disc of its colour, both directly adjacent to the
//! chip. Won chips leave the board and free their squares. Then the face-down chips orthogonally adjacent to the disc are
//! turned up. The score is the number of chips won, or the sum of their numbers, doubled when all four blanks are won.
//!
//! # Readings
//!
//! Where the sheet is silent or lost, this is what is played:
//!
//! - **Layout**: the sheet shows the squares in a picture that is not preserved. Any 24 squares outside the centre are
//!   allowed. The sheet's one example, a disc that wins one chip and turns up three others, cannot happen on the ring b2..g7
//!   with c3, f3, c6 and f6 ([`Layout::RING`], the default of earlier versions), and happens on the lattice
//!   ([`Layout::LATTICE`]), which is the default.
//! - **First discs**: crossed as in the edition's game for two, gold on e4 and d5, black on d4 and e5. Mirroring them would
//!   only exchange the colours' roles, the default layout being symmetric.
//! - **Order of a turn**: discs flip, then chips are won, then chips are turned up; a chip turned up by a disc is not won by
//!   it. A disc flipped by the turn can never be the far end for a chip won by it (the chip would have interrupted the
//!   line), so the order of the first two makes no difference.
//! - **Chips beside the first discs**, which only other layouts have, are not turned up at the start: only the
//!   disc just placed turns chips up.
//! - **Disc supply**: not limited. The edition has 64 two-sided discs, the board 64 squares and discs never leave it, so
//!   nobody can run out.
//! - **End**: all chips won, or no legal turn, or no sequence of turns that can win another chip *for all the player
//!   knows*: a face-down chip may be any unseen one, otherwise the end of a game would tell something about them. How that is
//!   decided, and its one limit, is told in [`Ending`]'s module. Playing on in vain never changes a score.
//! - **Taking back** is not in the rules. A game counts turns taken back, and separately those that had turned chips up
//!   ([`Help::peeks`]); records keep both numbers, and the number of hints.
//!
//! # Hidden information
//!
//! [`View`] is all that a player sees. [`Player`]s, the [`Advisor`] among them, get a view and nothing else; the
//! [`Deal`] stays in the [`Game`]. A seed fixes the deal for good ([`Deal::shuffled`]). Of a game with the real box
//! ([`Game::unknown`]) nobody knows the deal: what a turn turns up is entered before it counts ([`Game::reveal`]).
//!
//! # What it scores
//!
//! `outflank solo --bench N --seed 0 --players advisor,greedy,random --budget 2k`, with the standard error of the averages:
//!
//! | layout | aim | player | deals | chips | points | perfect |
//! |---|---|---|---:|---:|---:|---:|
//! | lattice | chips | advisor | 40 | 23.95 ± 0.04 | 217.1 ± 2.8 | 95 % |
//! | lattice | points | advisor | 20 | 23.75 ± 0.10 | 217.7 ± 1.1 | 75 % |
//! | lattice | | greedy | 100 | 9.6 ± 0.8 | 57.8 ± 6.2 | 1 % |
//! | lattice | | random | 100 | 8.6 ± 0.6 | 45.6 ± 4.2 | 0 % |
//! | ring | chips | advisor | 20 | 24.00 | 220.0 | 100 % |
//! | ring | | greedy | 100 | 11.1 ± 1.1 | 92.8 ± 10.0 | 25 % |
//! | ring | | random | 100 | 8.8 ± 0.9 | 52.9 ± 6.3 | 0 % |
//! | random | chips | advisor | 20 | 16.9 ± 0.5 | 100.9 ± 9.0 | 0 % |
//!
//! With 2,000 nodes a turn (half a second of one core a game) the advisor wins everything on the ring, and all but a chip now
//! and then on the lattice; the standard 20,000 nodes are more careful still. Random layouts put chips into corners and edges,
//! where some can never be enclosed.
//!
//! # An example game
//!
//! The first turns on the deal of seed 1 (`outflank solo --seed 1`):
//!
//! ```
//! use outflank::solo::{Deal, Game, Layout};
//!
//! let mut game = Game::new(Deal::shuffled(Layout::default(), 1));
//! // gold on d3 flips d4 and turns up the black 3 on d2 and the gold 9 on c3
//! game.play("d3g".parse().unwrap()).unwrap();
//! assert_eq!(game.view().unseen().len(), 22);
//! // gold on d1 encloses the black 3 together with d3, and turns up the gold 6 on c1
//! game.play("d1g".parse().unwrap()).unwrap();
//! assert_eq!(game.view().score().chips, 1);
//! assert_eq!((game.view().score().points, game.view().unseen().len()), (3, 21));
//! ```

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

pub use advisor::{Advice, Advisor, Budget, Candidate, Outlook};
pub use bench::{Layouts, Summary, Tally, play_out, play_until_stopped};
pub use chip::{BLANKS, CHIPS, Chip, Color, ParseChipError, TOP_NUMBER};
pub use ending::{Ending, MAX_POSITIONS};
pub use eval::Model;
pub use fit::fit;
pub use game::{Game, Help, RevealError};
pub use layout::{CENTRE, Deal, Layout, LayoutError};
pub use player::{Greedy, Player, Random};
pub use position::{Effect, IllegalTurn, Move, ParseMoveError, Position};
pub use record::{FORMAT, Place, Record, RecordError};
pub use view::{Score, Scoring, View};
