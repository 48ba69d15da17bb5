//! The file of judged games, from which interrupted work goes on.
//!
//! JSON lines: of each game its moves ([`MoveJson`]) and then its sums ([`GameJson`]), written in one piece and in the order of the
//! input; a game that could not be read is one line ([`BadGameJson`]). A kill leaves at most one game incomplete: its lines are
//! cut off, and it is judged again.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::json::{BadGameJson, GameJson, MoveJson};
use super::result_file::{ResultFileError, is_cut_off, open_results, other_options};
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
    /// A move, of which nothing is needed.
    #[allow(dead_code)] // tells it from other lines
    Move(Box<MoveJson>),
}

/// What is wrong with other lines.
const NO_GAME: &str = "this is not a judged game";

/// The file of judged games.
#[derive(Debug)]
pub struct ReviewFile {
    path: PathBuf,
    file: File,
    /// The games that it had, in their order: their line, and moves and options, none for one that could not be read.
    found: Vec<(usize, Option<(String, String)>)>,
}

impl ReviewFile {
    /// Opens the file, or makes it. With `resume` the games that it has are kept.
    ///
    /// # Errors
    /// [`ResultFileError`]: it has games and `resume` is not set, a line is something else, or it cannot be read or written.
    pub fn open(path: &Path, resume: bool) -> Result<ReviewFile, ResultFileError> {
        let file = open_results(path, resume)?;
        let mut file = ReviewFile { path: path.to_path_buf(), file, found: Vec::new() };
        file.read()?;
        Ok(file)
    }

    fn io(&self, error: io::Error) -> ResultFileError {
        ResultFileError::Io { path: self.path.clone(), error }
    }

    fn bad(&self, line: usize, problem: impl ToString) -> ResultFileError {
        ResultFileError::Line { path: self.path.clone(), line, problem: problem.to_string() }
    }

    /// Reads the games that are complete and cuts off what follows them.
    fn read(&mut self) -> Result<(), ResultFileError> {
        let mut reader = BufReader::new(self.file.try_clone().map_err(|error| self.io(error))?);
        let (mut complete, mut length, mut bytes) = (0, 0, Vec::new());
        for line in 1.. {
            bytes.clear();
            length += reader.read_until(b'\n', &mut bytes).map_err(|error| self.io(error))? as u64;
            if bytes.last() != Some(&b'\n') {
                if !is_cut_off(&bytes, b"{\"game\":") {
                    return Err(self.bad(line, NO_GAME));
                }
                break;
            }
            let (number, found) = match serde_json::from_slice(&bytes) {
                Ok(Line::Move(_)) => continue,
                Ok(Line::Game(game)) => (game.game, Some((game.moves, game.options))),
                Ok(Line::Bad(bad)) => (bad.game, None),
                Err(_) => return Err(self.bad(line, NO_GAME)),
            };
            self.found.push((line, found));
            if number as usize != self.found.len() {
                return Err(self.bad(line, format!("this is game {number}, not game {}", self.found.len())));
            }
            complete = length;
        }
        self.file.set_len(complete).map_err(|error| self.io(error))?;
        self.file.seek(SeekFrom::Start(complete)).map_err(|error| self.io(error))?;
        Ok(())
    }

    /// Games that the file had.
    pub fn len(&self) -> usize {
        self.found.len()
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
    pub fn skip(&self, games: &mut impl Iterator<Item = NumberedGame>, options: &str) -> Result<(), ResultFileError> {
        for (line, then) in &self.found {
            let Some((number, game)) = games.next() else {
                return Err(self.bad(*line, "the input has no such game any more"));
            };
            let now = game.ok().map(|record| transcript::write(&record.game));
            if now.as_ref() != then.as_ref().map(|(moves, _)| moves) {
                return Err(self.bad(*line, format!("game {number} was another one then")));
            }
            if let Some(difference) = then.as_ref().and_then(|(_, then)| other_options(then, options)) {
                return Err(self.bad(*line, format!("the review of game {number} {difference}")));
            }
        }
        Ok(())
    }

    /// Appends a game in one write.
    ///
    /// # Errors
    /// [`ResultFileError::Io`], for instance when the disc is full.
    pub fn add(&mut self, reviewed: &Reviewed, options: &str) -> Result<(), ResultFileError> {
        let text = lines(reviewed, options).concat();
        self.file.write_all(text.as_bytes()).map_err(|error| self.io(error))
    }

    /// Ends the writing: everything is on the disc.
    ///
    /// # Errors
    /// [`ResultFileError::Io`].
    pub fn finish(self) -> Result<(), ResultFileError> {
        self.file.sync_data().map_err(|error| self.io(error))
    }
}

/// The JSON lines of a game that was judged with these options, each with its line break.
pub fn lines(Reviewed { number, outcome }: &Reviewed, options: &str) -> Vec<String> {
    match outcome {
        Err(error) => vec![line(&BadGameJson { game: *number, error: error.clone() })],
        Ok((record, review)) => game_lines(*number, record, review, options),
    }
}

/// The JSON lines of a game with this number that was judged with these options, each with its line break.
pub fn game_lines(number: u32, record: &GameRecord, review: &Review, options: &str) -> Vec<String> {
    let rules = record.game.position().rules();
    let moves = review.moves.iter().map(|one| line(&MoveJson::new(number, rules, one)));
    let game = GameJson { options: options.to_string(), ..GameJson::new(number, record, review) };
    moves.chain([line(&game)]).collect()
}

fn line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

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
