//! The games of a match as text for people, after the manner of PGN: who played, how it ended and why, and the moves.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use outflank::rules::{Color, RuleSet};
use outflank::tournament::{Ending, GameRecord, StoreError};

use super::calendar;
use super::error::Error;

/// The file of `--reasons`, if one is wanted.
pub struct Reasons(Option<Output>);

/// A file that grows by games.
struct Output {
    path: PathBuf,
    file: File,
    rules: Arc<RuleSet>,
    /// The games of earlier sessions are not in it.
    is_new: bool,
    /// It was not there before, and no game was written to it: it goes when the match ends so.
    is_unwanted: bool,
}

impl Drop for Output {
    fn drop(&mut self) {
        if self.is_unwanted {
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl Reasons {
    /// Begins the file of a match with these rules, or goes on with it. A file without content is taken over.
    pub fn open(path: Option<&Path>, resume: bool, rules: &Arc<RuleSet>) -> Result<Reasons, Error> {
        let Some(path) = path else { return Ok(Reasons(None)) };
        let found = fs::metadata(path).ok();
        let is_empty = found.as_ref().is_none_or(|found| found.is_file() && found.len() == 0);
        if !is_empty && !resume {
            let path = path.display();
            return Err(Error::input(format!(
                "{path} is there already: go on with --resume, or choose another --reasons"
            )));
        }
        let file =
            OpenOptions::new().append(true).create(true).open(path).map_err(|error| Error::write(path, error))?;
        let (path, rules) = (path.to_path_buf(), rules.clone());
        Ok(Reasons(Some(Output { path, file, rules, is_new: is_empty, is_unwanted: found.is_none() })))
    }

    /// Writes the games of an earlier session of a match, unless the file has been there then.
    pub fn go_on(&mut self, finished: &[GameRecord]) -> Result<(), StoreError> {
        let is_new = self.0.as_ref().is_some_and(|output| output.is_new);
        finished.iter().filter(|_| is_new).try_for_each(|game| self.add(game))
    }

    /// Writes a game.
    pub fn add(&mut self, game: &GameRecord) -> Result<(), StoreError> {
        let Some(output) = &mut self.0 else { return Ok(()) };
        output.is_unwanted = false;
        let written = output.file.write_all(text(game, &output.rules).as_bytes());
        written.map_err(|error| StoreError::Io { path: output.path.clone(), error })
    }
}

/// A game with an empty line behind it.
fn text(game: &GameRecord, rules: &RuleSet) -> String {
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| {
        text += &format!("[{name} \"{}\"]\n", value.replace('\\', "\\\\").replace('"', "\\\""));
    };
    tag("Game", &format!("{}.{}", game.pair + 1, game.leg + 1));
    let ended = calendar::time(game.ended_at);
    tag("Date", ended.split(' ').next().unwrap_or_default());
    tag("Ended", &ended);
    if *rules != RuleSet::othello() {
        tag("Variant", &rules.to_string());
    }
    tag("Black", &game.black);
    tag("White", &game.white);
    tag("Winner", game.winner.map_or("draw", Color::name));
    game.score.iter().for_each(|score| tag("Discs", &format!("{score:+}")));
    match &game.ending {
        Ending::Board => tag("Reason", "played out"),
        Ending::Forfeit { loser, kind, detail } => {
            tag("Reason", &format!("{} loses, {}: {detail}", loser.name(), kind.name()));
        }
    }
    let mut column = 0;
    let mut number = 0;
    for (ply, played) in game.moves.iter().enumerate() {
        if ply == game.opening_plies && ply > 0 {
            text += "{end of the opening} ";
            column += 21;
        }
        let mut word = String::new();
        if played.side == Color::Black || ply == 0 {
            number += 1;
            word = format!("{number}. ");
        }
        word += &played.mv;
        if column + word.len() > 78 {
            text.truncate(text.trim_end().len());
            text.push('\n');
            column = 0;
        }
        column += word.len() + 1;
        text += &word;
        text.push(' ');
    }
    text.truncate(text.trim_end().len());
    text + "\n\n"
}
