//! Work on positions and games that is more than one search: review of games, best moves, problems in batches, accuracy against
//! known scores, the bench.
//!
//! | module | what |
//! |---|---|
//! | [`best_moves`] | the best moves of a position, judged together |
//! | [`review`] | a game judged move by move |
//! | [`report`] | a judged game as a page, a picture, a text, an annotated game file |
//! | [`symmetry`] | games turned, and moves that are images of each other |
//! | [`equal_moves`] | all moves that are worth as much as the best one |
//! | [`batch`] | many problems side by side, the results in their order |
//! | [`reviews`], [`review_file`] | many games judged side by side, and their file, from which the work goes on |
//! | [`made_with`] | the options that decide results, compared when work goes on |
//! | [`result_file`] | the results of a batch in a file, from which it goes on |
//! | [`verdict`] | answers compared with the scores of a problem file |
//! | [`accuracy`] | how close evaluation and searches come to exact scores |
//! | [`mod@bench`] | fixed searches, and the signature of the search |
//! | [`games`] | files of games: chosen, compared, checked, searched for positions; problems from them |
//! | [`levels`] | what the playing levels mean |
//! | [`json`] | what `--json` prints: the types of all results for programs |
//! | [`text`] | results as text for people |
//!
//! Nothing here prints or knows who is asking: results are values, progress comes by callbacks, and every longer work ends
//! soon when its [`StopToken`](crate::search::StopToken) is set.

pub mod accuracy;
pub mod batch;
pub mod bench;
pub mod best_moves;
pub mod equal_moves;
pub mod games;
pub mod json;
pub mod levels;
mod line_file;
pub mod made_with;
pub mod report;
pub mod result_file;
pub mod review;
pub mod review_file;
pub mod reviews;
pub mod symmetry;
pub mod text;
pub mod verdict;
