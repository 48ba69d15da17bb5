//! The files of a match: every game as a JSON line and as GGF, written as soon as it ends.
//!
//! `PREFIX.jsonl` begins with a line that describes the match and has one line for each game after it; it is what a
//! match is resumed from. `PREFIX.ggf` has the same games for other programs; it is made anew from the JSON lines
//! when a match is resumed, so that the two cannot disagree. A line cut short by a kill is dropped: its game is
//! played again.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use super::player::FailureKind;
use super::record::{Ending, GameRecord};
use crate::formats::{ggf, parse_move, record};
use crate::game::Game;
use crate::rules::{Position, RuleSet};

/// The files of a match.
#[derive(Debug)]
pub struct Store {
    games: (PathBuf, File),
    ggf: (PathBuf, File),
    start: Position,
}

/// Files that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Reading or writing failed.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What happened.
        error: io::Error,
    },
    /// There is a match already.
    #[error("{} has games of a match already: go on with --resume, or choose another --output", .0.display())]
    Exists(PathBuf),
    /// Another process plays a match into these files.
    #[error("{} is in use by a match that is being played", .0.display())]
    InUse(PathBuf),
    /// The saved match was another one.
    #[error(
        "{}: cannot resume, {field} was {saved} then and is {asked} now",
        path.display()
    )]
    Different {
        /// The file.
        path: PathBuf,
        /// What differs.
        field: String,
        /// As saved.
        saved: String,
        /// As asked for now.
        asked: String,
    },
    /// A line that is no game.
    #[error("{}, line {line}: {error}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong.
        error: String,
    },
}

impl Store {
    /// Opens the files of a match described by `description` (a JSON object), returning the games played already.
    ///
    /// # Errors
    /// [`StoreError`]: a match is there and `resume` is not set, it is another match, or a file fails.
    pub fn open(
        prefix: &Path,
        description: &Value,
        rules: &Arc<RuleSet>,
        resume: bool,
    ) -> Result<(Store, Vec<GameRecord>), StoreError> {
        let games_path = with_suffix(prefix, "jsonl");
        let ggf_path = with_suffix(prefix, "ggf");
        let io = |error| StoreError::Io { path: games_path.clone(), error };
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&games_path).map_err(io)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(StoreError::InUse(games_path)),
            // a file system without locks: the files are as safe as the user is careful
            Err(TryLockError::Error(error)) => log::warn!("{}: not locked: {error}", games_path.display()),
        }
        let lines = BufReader::new(&mut file).split(b'\n').take(2).count();
        if lines > 1 && !resume {
            return Err(StoreError::Exists(games_path));
        }
        file.rewind().map_err(io)?;
        let games = if lines > 0 && resume {
            read_games(&mut file, &games_path, description)?
        } else {
            // no games: nothing is lost
            file.set_len(0).map_err(io)?;
            Vec::new()
        };
        if file.stream_position().map_err(io)? == 0 {
            file.write_all(format!("{description}\n").as_bytes()).map_err(io)?;
        }
        let start = Position::start(rules.clone());
        // line 1 is the description
        let lines = games.iter().enumerate().map(|(i, game)| {
            ggf_line(&start, game).map_err(|error| StoreError::Line { path: games_path.clone(), line: i + 2, error })
        });
        let ggf = rewrite_ggf(&ggf_path, &lines.collect::<Result<Vec<String>, _>>()?)?;
        Ok((Store { games: (games_path, file), ggf: (ggf_path, ggf), start }, games))
    }

    /// Saves a finished game in both files.
    ///
    /// # Errors
    /// [`StoreError::Io`], for instance when the disc is full.
    pub fn add(&mut self, game: &GameRecord) -> Result<(), StoreError> {
        let json = serde_json::to_string(game).expect("a record is plain data");
        append(&mut self.games, &json)?;
        let line = ggf_line(&self.start, game).expect("the referee has played these moves");
        append(&mut self.ggf, &line)
    }

    /// The two files: JSON lines and GGF.
    pub fn paths(&self) -> [&Path; 2] {
        [&self.games.0, &self.ggf.0]
    }
}

/// Appends a line in one write, so that a kill leaves at most one line incomplete.
fn append((path, file): &mut (PathBuf, File), line: &str) -> Result<(), StoreError> {
    file.write_all(format!("{line}\n").as_bytes()).map_err(|error| StoreError::Io { path: path.clone(), error })
}

/// `a/b` to `a/b.jsonl`, whatever dots the name has.
fn with_suffix(prefix: &Path, suffix: &str) -> PathBuf {
    let mut name = prefix.as_os_str().to_os_string();
    name.push(".");
    name.push(suffix);
    name.into()
}

/// Reads the complete lines, checks that they belong to the same match, and cuts off an incomplete last one.
fn read_games(file: &mut File, path: &Path, description: &Value) -> Result<Vec<GameRecord>, StoreError> {
    let io = |error| StoreError::Io { path: path.to_path_buf(), error };
    let mut reader = BufReader::new(&mut *file);
    let (mut games, mut complete, mut number) = (Vec::new(), 0, 0);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let length = reader.read_until(b'\n', &mut bytes).map_err(io)?;
        if bytes.last() != Some(&b'\n') {
            break;
        }
        number += 1;
        complete += length as u64;
        let bad = |error: serde_json::Error| StoreError::Line {
            path: path.to_path_buf(),
            line: number,
            error: error.to_string(),
        };
        if number == 1 {
            compare(path, &serde_json::from_slice(&bytes).map_err(bad)?, description)?;
        } else {
            games.push(serde_json::from_slice(&bytes).map_err(bad)?);
        }
    }
    file.set_len(complete).map_err(io)?;
    file.seek(SeekFrom::Start(complete)).map_err(io)?;
    Ok(games)
}

/// The saved description must be the one asked for, member by member.
fn compare(path: &Path, saved: &Value, asked: &Value) -> Result<(), StoreError> {
    let (Some(saved), Some(asked)) = (saved.as_object(), asked.as_object()) else {
        let error = "this is not the description of a match".to_string();
        return Err(StoreError::Line { path: path.to_path_buf(), line: 1, error });
    };
    for field in asked.keys().chain(saved.keys()) {
        let (old, new) = (saved.get(field).unwrap_or(&Value::Null), asked.get(field).unwrap_or(&Value::Null));
        if old != new {
            return Err(StoreError::Different {
                path: path.to_path_buf(),
                field: field.clone(),
                saved: old.to_string(),
                asked: new.to_string(),
            });
        }
    }
    Ok(())
}

/// Writes the GGF file anew, under a temporary name first, and leaves it open for more.
fn rewrite_ggf(path: &Path, lines: &[String]) -> Result<File, StoreError> {
    let io = |error| StoreError::Io { path: path.to_path_buf(), error };
    let temporary = with_suffix(path, "tmp");
    let mut file = File::create(&temporary).map_err(io)?;
    let text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
    file.write_all(text.as_bytes()).map_err(io)?;
    std::fs::rename(&temporary, path).map_err(io)?;
    Ok(file)
}

/// The game as one line of GGF; scores and times of the moves included.
fn ggf_line(start: &Position, game: &GameRecord) -> Result<String, String> {
    let mut replay = Game::from_position(start.clone());
    for (number, played) in game.moves.iter().enumerate() {
        let mv = parse_move(replay.position(), &played.mv).map_err(|error| error.to_string());
        let done = mv.and_then(|mv| replay.play(mv).map_err(|error| error.to_string()));
        done.map_err(|error| format!("move {}: {error}", number + 1))?;
    }
    let mut record = record::GameRecord::new(replay);
    record.place = Some("Outflank match".to_string());
    for (player, name) in record.players.iter_mut().zip([&game.black, &game.white]) {
        player.name = name.clone();
    }
    record.notes = game
        .moves
        .iter()
        .map(|played| record::MoveNote { eval: played.score, seconds: played.seconds, comment: None })
        .collect();
    let ending = match &game.ending {
        Ending::Board => record::Ending::Played,
        Ending::Forfeit { kind: FailureKind::Time, .. } => record::Ending::Time,
        // the format knows no other way to lose early
        Ending::Forfeit { .. } => record::Ending::Resignation,
    };
    record.result = Some(record::GameResult { winner: game.winner, score: game.score.map(f64::from), ending });
    Ok(ggf::write(&record))
}
