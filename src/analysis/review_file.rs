//! The file of judged games, from which interrupted work goes on.
//!
//! JSON lines: of each game its moves ([`MoveJson`]) and then its sums ([`GameJson`]), written in one piece and in the order of the
//! input; a game that could not be read is one line ([`BadGameJson`]). A kill leaves at most one game incomplete: its lines are
//! cut off, and it is judged again.

use std::path::Path;

use serde::Deserialize;

use super::json::{BadGameJson, GameJson, MoveJson, own_start};
use super::line_file::{Kind, LineFile, ResultFileError, line_of};
use super::made_with::{By, MadeWith};
use super::review::Review;
use super::reviews::{NumberedGame, Reviewed};
use crate::formats::record::GameRecord;
use crate::formats::transcript;

/// The end of a game in the file.
#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Game(GameJson),
    Bad(BadGameJson),
    /// A move.
    Move(Box<MoveJson>),
}

const GAMES: Kind = Kind { begin: "{\"game\":", otherwise: "this is not a judged game" };

/// What the file says of a game, to be compared.
#[derive(Debug)]
struct Found {
    start: Option<String>,
    moves: String,
    rules: Option<String>,
    options: String,
    /// A limit has cut a search of it short.
    is_cut: bool,
}

/// The file of judged games.
#[derive(Debug)]
pub struct ReviewFile {
    file: LineFile,
    /// The games that it had, in their order: their line, and what it says of them, none for one that could not be read.
    found: Vec<(usize, Option<Found>)>,
}

impl ReviewFile {
    /// Opens the file, or makes it. With `resume` the games that it has are kept.
    ///
    /// # Errors
    /// [`ResultFileError`]: it has games and `resume` is not set, a line is something else, or it cannot be read or written.
    pub fn open(path: &Path, resume: bool) -> Result<ReviewFile, ResultFileError> {
        let mut file = LineFile::open(path, resume)?;
        let mut found = Vec::new();
        let mut is_cut = false;
        file.read(&GAMES, &mut |place, game| {
            let (number, game) = match game {
                Line::Move(one) => {
                    is_cut |= one.stopped;
                    return Ok(false);
                }
                Line::Game(GameJson { game, start, moves, rules, options, .. }) => {
                    let is_cut = std::mem::take(&mut is_cut);
                    (game, Some(Found { start, moves, rules, options, is_cut }))
                }
                Line::Bad(bad) => (bad.game, None),
            };
            found.push((place.line, game));
            if number as usize == found.len() {
                Ok(true)
            } else {
                Err(format!("this is game {number}, not game {}", found.len()))
            }
        })?;
        Ok(ReviewFile { file, found })
    }

    /// Games that the file had.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Of these, games that could not be read.
    pub fn unreadable(&self) -> usize {
        self.found.iter().filter(|(_, found)| found.is_none()).count()
    }

    /// The file had no games.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Reads the games that the file has from the input, which must be the same, so that the rest is left. They must have been
    /// judged with these options.
    ///
    /// # Errors
    /// [`ResultFileError::Line`] for a game that is another one now or is missing, or for other options.
    pub fn skip(
        &self,
        games: &mut impl Iterator<Item = NumberedGame>,
        made_with: &MadeWith,
    ) -> Result<(), ResultFileError> {
        for (line, then) in &self.found {
            let Some((number, game)) = games.next() else {
                return Err(self.file.bad(*line, "the input has no such game any more"));
            };
            let now = game.ok();
            let played = now.as_ref().map(|record| (own_start(&record.game), transcript::write(&record.game)));
            if played != then.as_ref().map(|then| (then.start.clone(), then.moves.clone())) {
                return Err(self.file.bad(*line, format!("game {number} was another one then")));
            }
            let (Some(then), Some(now)) = (then, now) else { continue };
            let by = By { options: &then.options, is_cut: then.is_cut, rules: then.rules.as_deref() };
            by.check(("review", &format!("game {number}")), made_with, now.game.position().rules())
                .map_err(|problem| self.file.bad(*line, problem))?;
        }
        Ok(())
    }

    /// Appends a game in one write.
    ///
    /// # Errors
    /// [`ResultFileError::Io`], for instance when the disc is full.
    pub fn add(&mut self, reviewed: &Reviewed, made_with: &MadeWith) -> Result<(), ResultFileError> {
        self.file.add(&lines(reviewed, made_with).concat())
    }

    /// Ends the writing: everything is on the disc.
    ///
    /// # Errors
    /// [`ResultFileError::Io`].
    pub fn finish(self) -> Result<(), ResultFileError> {
        self.file.sync()
    }
}

/// The JSON lines of a game that was judged with these options, each with its line break.
pub fn lines(Reviewed { number, outcome }: &Reviewed, made_with: &MadeWith) -> Vec<String> {
    match outcome {
        Err(error) => vec![line_of(&BadGameJson { game: *number, error: error.clone() })],
        Ok((record, review)) => game_lines(*number, record, review, made_with),
    }
}

/// The JSON lines of a game with this number that was judged with these options, each with its line break.
pub fn game_lines(number: u32, record: &GameRecord, review: &Review, made_with: &MadeWith) -> Vec<String> {
    let rules = record.game.position().rules();
    let moves = review.moves.iter().map(|one| line_of(&MoveJson::new(number, rules, one)));
    let is_cut = review.moves.iter().any(|one| one.report.stopped);
    let game = GameJson { options: made_with.of(is_cut), ..GameJson::new(number, record, review) };
    moves.chain([line_of(&game)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::sync::Arc;

    use crate::formats::board_text;
    use crate::rules::Position;

    /// A game that begins at another board is another one, though its moves are the same.
    #[test]
    fn games_are_told_apart_by_their_starts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games");
        let record = |first: &str| {
            let board = format!("{first}OOOOOOOOOOXOOOOOOXOXOOOOXOOOXOXOOXOOXXXOXX-XXXOX-XXXXOO--OOOOOO X");
            let start = board_text::parse(&board, &Arc::new("othello".parse().unwrap())).unwrap();
            GameRecord::new(transcript::parse(&start, "d6a8").unwrap())
        };
        let (usual, made_with) =
            (GameRecord::new(transcript::parse(&Position::default(), "f5").unwrap()), MadeWith::default());
        let mut file = ReviewFile::open(&path, false).unwrap();
        for (number, record) in [(1, usual.clone()), (2, record("O"))] {
            let outcome = Ok((Box::new(record), Review::default()));
            file.add(&Reviewed { number, outcome }, &made_with).unwrap();
        }
        file.finish().unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let starts = text.lines().map(|line| line.contains("\"start\":\"OOO")).collect::<Vec<_>>();
        assert_eq!(starts, [false, true], "{text}");
        let skip = |second: &str| {
            let mut games = [(1, Ok(usual.clone())), (2, Ok(record(second)))].into_iter();
            let file = ReviewFile::open(&path, true).unwrap();
            file.skip(&mut games, &made_with).map_err(|error| error.to_string())
        };
        assert_eq!(skip("O"), Ok(()));
        assert!(skip("X").unwrap_err().ends_with("line 2: game 2 was another one then"));
    }

    #[test]
    fn only_what_a_kill_left_of_a_game_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games");
        let open = |text: &str| {
            fs::write(&path, text).unwrap();
            let found = ReviewFile::open(&path, true).map(|file| file.len()).map_err(|error| error.to_string());
            (found, fs::read_to_string(&path).unwrap())
        };
        let bad = "{\"game\":1,\"error\":\"no moves\"}\n";
        assert_eq!(open(&format!("{bad}{{\"game\":2,\"er")), (Ok(1), bad.to_string()));
        for other in ["f5d6c3", "{\"number\":1"] {
            let (found, text) = open(other);
            assert!(found.unwrap_err().ends_with("line 1: this is not a judged game"));
            assert_eq!(text, other);
        }
    }
}
