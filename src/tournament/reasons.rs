//! The games of a match as PGN for people, with the reason for each end.
//!
//! The file is a copy, as the GGF beside the saved games is: what it lacks of them is added when a match goes on, and a file with
//! anything else in it is refused and stays as it is. One file takes the games of all matches of a field.

use std::collections::HashSet;
use std::fs;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::record::{Ending, GameRecord};
use super::saved::{self, StoreError};
use super::store::{Output, match_files, open_locked};
use crate::formats::{calendar, pgn, record};
use crate::rules::{Color, Position, RuleSet};

/// A file of games with the reasons for their ends, which grows with a match.
#[derive(Debug)]
pub struct Reasons {
    output: Output,
    start: Position,
    /// Games that are saved already and that the file does not have.
    missing: Vec<String>,
    /// It was not there before.
    is_made: bool,
}

impl Drop for Reasons {
    fn drop(&mut self) {
        if self.is_made && self.output.length == 0 {
            let _ = fs::remove_file(&self.output.path);
        }
    }
}

impl Reasons {
    /// Opens the file of matches that are saved under these names (see [`Store::open`](super::Store::open)), or begins it. A file
    /// without content is taken over. Nothing is written before [`Reasons::begin`].
    ///
    /// # Errors
    /// [`StoreError`]: there are games and `resume` is not set, they are not those of the matches, or a file fails.
    pub fn open(path: &Path, matches: &[PathBuf], rules: &Arc<RuleSet>, resume: bool) -> Result<Reasons, StoreError> {
        let start = Position::start(rules.clone());
        let mut saved = Vec::new();
        for prefix in matches.iter().filter(|_| resume) {
            let games = saved::games_of(&match_files(prefix)[0], &start)?;
            saved.extend(games.iter().map(|game| text(game, &start)));
        }
        let length = saved::length_of(path)?;
        if !resume && length.is_some_and(|length| length > 0) {
            return Err(StoreError::Exists(path.to_path_buf()));
        }
        let mut file = open_locked(path, length.is_none())?;
        let mut found = String::new();
        file.rewind().map_err(StoreError::io(path))?;
        file.read_to_string(&mut found).map_err(|error| match error.kind() {
            std::io::ErrorKind::InvalidData => StoreError::Foreign(path.to_path_buf()),
            _ => StoreError::io(path)(error),
        })?;
        let known = known_games(&found, &saved).ok_or_else(|| StoreError::Foreign(path.to_path_buf()))?;
        let kept = known.iter().map(|game| game.len() as u64).sum();
        let known: HashSet<&str> = known.into_iter().collect();
        saved.retain(|game| !known.contains(game.as_str()));
        let output = Output { path: path.to_path_buf(), file, length: kept };
        Ok(Reasons { output, start, missing: saved, is_made: length.is_none() })
    }

    /// Writes the saved games that the file does not have, once it is known that their match goes on.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn begin(&mut self) -> Result<(), StoreError> {
        self.output.cut().map_err(StoreError::io(&self.output.path))?;
        std::mem::take(&mut self.missing).iter().try_for_each(|game| self.append(game))
    }

    /// Writes a game that has ended.
    ///
    /// # Errors
    /// [`StoreError::Io`]; what was written of the game is taken back.
    pub fn add(&mut self, game: &GameRecord) -> Result<(), StoreError> {
        self.append(&text(game, &self.start))
    }

    fn append(&mut self, game: &str) -> Result<(), StoreError> {
        self.output.append(game.strip_suffix('\n').unwrap_or(game))
    }
}

/// The games of a text, if all are among those that are saved. Behind them a part of one is no fault, nor is one game more: where the
/// power failed, the saved games may have lost what their copy has kept.
fn known_games<'a>(found: &'a str, saved: &[String]) -> Option<Vec<&'a str>> {
    /// What tags end with, and then moves.
    const END: &str = "\n\n";
    /// What every game begins with.
    const BEGIN: &str = "[Event \"";
    let all: HashSet<&str> = saved.iter().map(String::as_str).collect();
    let (mut known, mut rest) = (Vec::new(), found);
    while !rest.is_empty() {
        let end = rest.match_indices(END).nth(1).map_or(rest.len(), |(at, end)| at + end.len());
        let (game, more) = rest.split_at(end);
        if all.contains(game) {
            known.push(game);
        } else {
            let begins = if game.len() < BEGIN.len() { BEGIN.starts_with(game) } else { game.starts_with(BEGIN) };
            return (more.is_empty() && begins && !saved.is_empty()).then_some(known);
        }
        rest = more;
    }
    Some(known)
}

/// A game with an empty line behind it.
fn text(game: &GameRecord, start: &Position) -> String {
    let mut record = game.to_record(start);
    record.date = Some(game.date());
    let reason = match &game.ending {
        Ending::Board => "played out".to_string(),
        Ending::Forfeit { loser, kind, detail } => format!("{} loses, {}: {detail}", loser.name(), kind.name()),
    };
    record.tags = vec![
        ("Round".to_string(), format!("{}.{}", game.pair + 1, game.leg + 1)),
        ("Ended".to_string(), calendar::time(game.ended_at)),
        ("Winner".to_string(), game.winner.map_or("draw", Color::name).to_string()),
        ("Reason".to_string(), reason),
    ];
    if let Some(last) = game.opening_plies.checked_sub(1) {
        record.notes = vec![record::MoveNote::default(); game.opening_plies];
        record.notes[last].comment = Some("end of the opening".to_string());
    }
    pgn::write(&record)
}
