//! The games of a match as PGN for people, with the reason for each end.
//!
//! The file is a copy, as the GGF beside the saved games is: what it lacks of them is added when a match goes on, and a file with
//! anything else in it is refused and stays as it is. One file takes the games of all matches of a field.

use std::collections::HashSet;
use std::collections::hash_map::DefaultHasher;
use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::record::{Ending, GameRecord, PLACE};
use super::saved::{self, LINE_LIMIT, StoreError};
use super::store::{Output, Store, match_files, open_locked};
use crate::formats::atomic::behind_links;
use crate::formats::bounded::begins_with;
use crate::formats::{calendar, pgn, record};
use crate::rules::{Color, Position, RuleSet};

/// A file of games with the reasons for their ends, which grows with a match.
#[derive(Debug)]
pub struct Reasons {
    output: Output,
    start: Position,
    /// Games that it had when it was opened.
    known: HashSet<u64>,
    /// Those are not all that were saved then.
    lacks_some: bool,
    /// It was not there before.
    is_made: bool,
}

impl Drop for Reasons {
    fn drop(&mut self) {
        if self.is_made && self.output.length == 0 {
            let _ = fs::remove_file(behind_links(&self.output.path));
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
        let mut saved = HashSet::new();
        for [games, _] in matches.iter().filter(|_| resume).map(|prefix| match_files(prefix)) {
            saved::games_of(&games, &start, &mut |game| {
                saved.insert(hash_of(text(game, &start).as_bytes()));
                Ok(())
            })?;
        }
        let length = saved::length_of(path)?;
        if !resume && length.is_some_and(|length| length > 0) {
            let is_ours = begins_with(path, beginning().as_bytes()).map_err(StoreError::io(path))?;
            let kind = if is_ours { StoreError::Exists } else { StoreError::Foreign };
            return Err(kind(path.to_path_buf()));
        }
        let mut file = open_locked(path, length.is_none())?;
        file.rewind().map_err(StoreError::io(path))?;
        let (known, kept) = known_games(&file, &saved)
            .map_err(StoreError::io(path))?
            .ok_or_else(|| StoreError::Foreign(path.to_path_buf()))?;
        let output = Output { path: path.to_path_buf(), file, length: kept };
        let lacks_some = known.len() < saved.len();
        Ok(Reasons { output, start, known, lacks_some, is_made: length.is_none() })
    }

    /// Writes the games of a match that are saved and that the file does not have, one by one, once it is known that the match goes on.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn begin(&mut self, of: &Store) -> Result<(), StoreError> {
        self.output.cut().map_err(StoreError::io(&self.output.path))?;
        if !self.lacks_some {
            return Ok(());
        }
        of.each_saved(&mut |game| {
            let game = text(game, &self.start);
            if self.known.contains(&hash_of(game.as_bytes())) { Ok(()) } else { self.append(&game) }
        })
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

/// What every game begins with.
fn beginning() -> String {
    format!("[Event \"?\"]\n[Site \"{PLACE}\"]\n")
}

/// Tells whether two games are the same. Of a million, two different ones are taken for the same with a probability of 3e-8.
fn hash_of(game: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    game.hash(&mut hasher);
    hasher.finish()
}

/// The hashes of the games of a file, and how many bytes they take, if all are among those that are saved. Behind them a part of one
/// is no fault, nor is one game more, or any number behind all that are saved: where the power failed, the saved games may have lost
/// what their copy has kept.
fn known_games(file: &File, saved: &HashSet<u64>) -> io::Result<Option<(HashSet<u64>, u64)>> {
    let begin = beginning().into_bytes();
    let (mut known, mut length, mut file) = (HashSet::new(), 0, BufReader::new(file));
    let mut more = 0;
    loop {
        let game = next_game(&mut file)?;
        if game.is_empty() {
            return Ok(Some((known, length)));
        }
        let hash = hash_of(&game);
        if more == 0 && saved.contains(&hash) {
            known.insert(hash);
            length += game.len() as u64;
            continue;
        }
        more += 1;
        let begins = game.starts_with(&begin) || begin.starts_with(&game);
        let is_expected = more == 1 || known.len() == saved.len() && !known.contains(&hash);
        if saved.is_empty() || !begins || !is_expected || game.len() >= LINE_LIMIT {
            return Ok(None);
        }
    }
}

/// Up to the second empty line, which the moves end with as the tags do with the first; nothing at the end.
fn next_game(file: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let (mut game, mut empty) = (Vec::new(), 0);
    while empty < 2 {
        let begin = game.len();
        // what is so much longer than a game is none
        file.take((LINE_LIMIT - begin) as u64).read_until(b'\n', &mut game)?;
        if game.len() == begin {
            break;
        }
        empty += u32::from(game[begin..] == *b"\n");
    }
    Ok(game)
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
