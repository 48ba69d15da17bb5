//! The games of a match as text for people, after the manner of PGN: who played, how it ended and why, and the moves.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use outflank::rules::Color;
use outflank::tournament::{Ending, GameRecord, StoreError};

use super::calendar;
use super::error::Error;

/// The file of `--reasons`, if one is wanted.
pub struct Reasons(Option<(PathBuf, File)>);

impl Reasons {
    /// Begins the file, or goes on with it.
    pub fn open(path: Option<&Path>, resume: bool) -> Result<Reasons, Error> {
        let Some(path) = path else { return Ok(Reasons(None)) };
        let mut options = OpenOptions::new();
        let options = if resume { options.append(true).create(true) } else { options.write(true).create_new(true) };
        let file = options.open(path).map_err(|error| Error::write(path, error))?;
        Ok(Reasons(Some((path.to_path_buf(), file))))
    }

    /// Writes a game.
    pub fn add(&mut self, game: &GameRecord) -> Result<(), StoreError> {
        let Some((path, file)) = &mut self.0 else { return Ok(()) };
        let written = file.write_all(text(game).as_bytes());
        written.map_err(|error| StoreError::Io { path: path.clone(), error })
    }
}

/// A game with an empty line behind it.
fn text(game: &GameRecord) -> String {
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| {
        text += &format!("[{name} \"{}\"]\n", value.replace('\\', "\\\\").replace('"', "\\\""));
    };
    tag("Game", &format!("{}.{}", game.pair + 1, game.leg + 1));
    tag("Ended", &calendar::time(game.ended_at));
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
