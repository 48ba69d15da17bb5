//! GTP 2, the Go Text Protocol as Othello clients use it.
//!
//! A line is an optional number, a command and its arguments; the answer is `=` or `?`, the number if there was one,
//! text, and an empty line. [`Session`] turns one line into one answer; [`run`] connects it to streams, reading ahead so
//! that GoGui's interrupts reach a running search. Answers come in the order of the commands and `quit` waits its
//! turn; the end of the input ends the session when everything before it has been answered.
//!
//! Squares are `A1`..`H8` with row 1 at the top. On boards with more than 8 columns the letters skip `I`, GTP's own rule
//! for wide boards; under rules that turn one direction only, a move that leaves a choice names it: `F5:NE`.
//!
//! Clients disagree about passes. A side that is stuck is passed over silently when the other one plays or is
//! asked for a move; explicit passes are accepted whenever the side named cannot move, also a second time and after
//! the end of the game, and refused while it can. `undo` takes back one command, with the silent pass it caused.
//!
//! A file that `loadsgf` reads may have rules of its own, which hold as long as its game does: whatever begins another one
//! (`clear_board`, `boardsize`, `set_game`, `outflank-setboard`, a file that names none) goes by those that the client has asked for.

mod gogui;
mod play;
mod session;
mod vendor;

use std::io::{self, BufRead, Write};
use std::sync::Arc;

use super::{Config, input::ReadAhead};

pub use session::Session;

/// Why a command failed. The texts are the conventional ones, which clients compare with.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("unknown command")]
    UnknownCommand,
    #[error("syntax error")]
    Syntax,
    #[error("illegal move")]
    IllegalMove,
    #[error("illegal move: choose one of {0}")]
    AmbiguousMove(String),
    #[error("unacceptable size")]
    Size,
    #[error("cannot undo")]
    CannotUndo,
    #[error("unsupported game")]
    UnsupportedGame,
    /// Anything that no convention names.
    #[error("{0}")]
    Other(String),
}

/// Carries out a command with its arguments; the text is the answer.
type Handler = fn(&mut Session, &[&str]) -> Result<String, Error>;

/// Every command, in the order in which `list_commands` lists them.
const COMMANDS: &[(&str, Handler)] = &[
    ("protocol_version", |_, _| Ok("2".to_string())),
    ("name", |_, _| Ok(super::NAME.to_string())),
    ("version", |_, _| Ok(super::VERSION.to_string())),
    ("known_command", session::known_command),
    ("list_commands", session::list_commands),
    ("quit", session::quit),
    ("boardsize", play::boardsize),
    ("clear_board", play::clear_board),
    ("komi", play::komi),
    ("play", play::play),
    ("genmove", play::genmove),
    ("reg_genmove", play::reg_genmove),
    ("undo", play::undo),
    ("gg-undo", play::gg_undo),
    ("time_settings", play::time_settings),
    ("time_left", play::time_left),
    ("loadsgf", play::loadsgf),
    ("showboard", play::showboard),
    ("final_score", play::final_score),
    ("cputime", session::cputime),
    ("list_games", |_, _| Ok("Othello".to_string())),
    ("set_game", play::set_game),
    ("set_level", vendor::set_level),
    ("ponder", vendor::ponder),
    ("book_on", vendor::book_on),
    ("book_off", vendor::book_off),
    ("gogui-rules_game_id", |_, _| Ok("Othello".to_string())),
    ("gogui-rules_board_size", gogui::board_size),
    ("gogui-rules_board", gogui::board),
    ("gogui-rules_side_to_move", gogui::side_to_move),
    ("gogui-rules_legal_moves", gogui::legal_moves),
    ("gogui-rules_final_result", gogui::final_result),
    ("gogui-play_sequence", gogui::play_sequence),
    ("gogui-setup", gogui::setup),
    ("gogui-setup_player", gogui::setup_player),
    ("gogui-interrupt", |_, _| Ok(String::new())),
    ("gogui-version", |_, _| Ok(String::new())),
    ("gogui-title", |_, _| Ok(super::NAME.to_string())),
    ("gogui-analyze_commands", gogui::analyze_commands),
    ("gogui-param_engine", vendor::parameters),
    ("outflank-set_level", vendor::set_level),
    ("outflank-hint", vendor::hint),
    ("outflank-variety", vendor::variety),
    ("outflank-book_moves", vendor::book_moves),
    ("outflank-opening", vendor::opening),
    ("outflank-move_values", vendor::move_values),
    ("outflank-variation", vendor::variation),
    ("outflank-setboard", vendor::setboard),
    ("outflank-rules", vendor::rules),
];

fn find(name: &str) -> Option<Handler> {
    COMMANDS.iter().find(|(known, _)| *known == name).map(|(_, handler)| *handler)
}

/// The word is the name of a GTP command that this engine knows.
pub(super) fn is_command(word: &str) -> bool {
    find(word).is_some()
}

/// The line interrupts a running search.
fn is_interrupt(line: &str) -> bool {
    let line = line.trim();
    if let Some(comment) = line.strip_prefix('#') {
        return comment.trim() == "interrupt";
    }
    let command = line.split('#').next().unwrap_or_default();
    command.split_whitespace().find(|word| !is_number(word)) == Some("gogui-interrupt")
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Runs a session until `quit` or the end of the input.
///
/// A thread of its own reads the input; it is left behind when the session quits before the input ends.
///
/// # Errors
/// When the streams fail, also when the client has closed its end of the output, or when no thread can be started.
pub fn run(input: impl BufRead + Send + 'static, output: &mut impl Write, config: Config) -> io::Result<()> {
    let mut session = Session::new(config);
    let mut lines = ReadAhead::start(input, session.stop_token(), is_interrupt, Arc::default())?;
    while let Some(line) = lines.next_line()? {
        if let Some(answer) = session.answer(&line) {
            output.write_all(answer.as_bytes())?;
            output.flush()?;
        }
        if session.has_quit() {
            break;
        }
        session.ponder();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interrupts() {
        for line in ["# interrupt", "#interrupt", " # interrupt ", "gogui-interrupt", "7 gogui-interrupt # now"] {
            assert!(is_interrupt(line), "{line}");
        }
        for line in ["", "#", "# interrupted", "interrupt", "name # interrupt", "known_command gogui-interrupt"] {
            assert!(!is_interrupt(line), "{line}");
        }
    }

    #[test]
    fn commands_are_listed_once() {
        for (i, (name, _)) in COMMANDS.iter().enumerate() {
            assert!(!name.contains(char::is_whitespace));
            assert!(COMMANDS[..i].iter().all(|(other, _)| other != name), "{name}");
        }
    }
}
