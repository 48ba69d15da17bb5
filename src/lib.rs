//! Outflank: an Othello/Reversi engine as a library.
//!
//! It solves endgames exactly, finds and explains good moves, plays games on a clock, reviews games, and reads and writes the
//! usual files: othello on 8x8 with trained weights, and every published rule set of reversi on boards from 4x4 to 16x16. All
//! of it works through plain calls on values; nothing here prints, and bad input of any kind is an error that says what is wrong
//! and where.
//!
//! # A solve
//!
//! ```
//! use outflank::{Engine, Goal, Limits, Options, Position, StopToken};
//!
//! let position: Position = "--XXXXX---XOOX-OOOOOXOXO-OOXOOOOOOOOOOOOXXOOOOOO--XOOO----OXO--- X".parse()?;
//! let mut engine = Engine::new(Options::default());
//! let report = engine.search(&position, &Limits::new(Goal::Exact), &StopToken::new(), &mut |_| {})?;
//! assert!(report.is_exact());
//! // the disc difference at the end with best play, for the side to move
//! assert_eq!(report.score, 4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A hint
//!
//! ```
//! use std::time::Duration;
//! use outflank::{Engine, Goal, Level, Limits, Options, Position, StopToken, Time, formats::transcript};
//!
//! // the three best moves after some moves of a game, within a second
//! let game = transcript::parse(&Position::default(), "f5d6c3d3c4")?;
//! let limits = Limits {
//!     multi_pv: 3,
//!     time: Time::PerMove(Duration::from_secs(1)),
//!     ..Limits::new(Goal::Level(Level::new(8).expect("a level")))
//! };
//! let mut engine = Engine::new(Options { threads: 1, hash_mib: 16 });
//! let report = engine.search(game.position(), &limits, &StopToken::new(), &mut |report| {
//!     // called after each iteration
//!     assert!(report.best().is_some());
//! })?;
//! for line in &report.lines {
//!     println!("{} {:+} {:?}", line.mv, line.score, line.pv);
//! }
//! # assert_eq!(report.lines.len(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A game
//!
//! ```
//! use std::sync::Arc;
//! use outflank::{Engine, Game, Level, Options, Player, PlayerOptions, RuleSet, Strength};
//!
//! // any rules: here the board of 6x6 on which fewer discs win
//! let rules: RuleSet = "othello:6x6,fewest".parse()?;
//! let strength = Strength::level(Level::new(2).expect("a level"));
//! let options = PlayerOptions { strength, ..PlayerOptions::default() };
//! let mut player = Player::new(Engine::new(Options::default()), Game::new(Arc::new(rules)), options);
//! while !player.position().is_game_over() {
//!     let choice = player.choose(&mut |_| {})?;
//!     player.play(choice.mv)?;
//! }
//! assert!(player.position().empty_count() < 12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The folder `examples/` has whole programs.
//!
//! # What is where
//!
//! | module | what |
//! |---|---|
//! | [`rules`] | rule sets, positions, moves |
//! | [`game`] | a start position and moves played, with undo |
//! | [`engine`], [`search`] | the engine; what it is asked for and what it reports |
//! | [`book`] | opening books: grown, probed, exchanged with other programs |
//! | [`play`] | a player with a clock and a book that thinks in the background |
//! | [`analysis`] | game review and reports, all best moves, files of games, batches of problems, JSON of results |
//! | [`formats`] | boards, moves, transcripts, OBF, GGF, SGF, PGN, WTHOR; pictures of boards |
//! | [`eval`] | the evaluation and its weights |
//! | [`board`] | 8x8 as two 64-bit sets |
//!
//! Scores are discs for the side to move unless a name or a sentence says whose they are; results of games are black's. Colours are
//! those of the rules' first and second player, whatever an edition calls them. Levels are those of Edax, 0 to 60.
//!
//! The protocols (`protocol`), self-play, matches, training and the web service are modules, too, with documentation in their
//! sources; they are there for the command and may change at any time.
//!
//! # Cargo features
//!
//! `cli` (on by default) builds the command `outflank`; without it (`default-features = false`) nothing that only a command
//! needs reaches a program that uses the library. `tools`, part of `cli`, adds what only the command needs of the library;
//! `web` (on by default) adds the server of `outflank web`. `statistics`, for developers, counts what the threads of searches do with
//! their time; `outflank solve` then prints it.
//!
//! The library also builds for `wasm32-unknown-unknown` (without features): searches then run on the calling thread alone.
#![warn(missing_docs)]

pub mod analysis;
pub mod board;
pub mod book;
pub mod engine;
pub mod eval;
pub mod formats;
pub mod game;
pub mod play;
pub mod rules;
pub mod search;

// What follows is there for the command, benches and tests of this package, and may change at any time.
#[doc(hidden)]
pub mod internals;
#[doc(hidden)]
pub mod kernel;
#[cfg(feature = "tools")]
#[doc(hidden)]
pub mod perft;
#[doc(hidden)]
pub mod protocol;
#[cfg(feature = "tools")]
#[doc(hidden)]
pub mod selfplay;
#[cfg(feature = "tools")]
#[doc(hidden)]
pub mod solo;
#[cfg(feature = "tools")]
#[doc(hidden)]
pub mod tournament;
#[cfg(feature = "tools")]
#[doc(hidden)]
pub mod train;
#[cfg(feature = "web")]
#[doc(hidden)]
pub mod web;

#[doc(hidden)]
pub mod workers;

mod checksum;
#[cfg(any(feature = "tools", test))]
mod equations;
mod pages;
mod plain;
mod student;
mod time;

pub use board::{Board, Square};
pub use engine::{Engine, Options};
pub use eval::Weights;
pub use game::Game;
pub use kernel::Tier;
pub use play::{Choice, Player, PlayerOptions, Strength};
pub use rules::{Color, IllegalMove, Move, Position, RuleSet};
pub use search::{Bound, Clock, Goal, Level, Limits, Line, Report, SearchError, Selectivity, Source, StopToken, Time};
