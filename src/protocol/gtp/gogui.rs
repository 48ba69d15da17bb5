//! GoGui's extensions: the rules it asks for, setting up positions, and its analyze menu.

use std::sync::Arc;

use super::play::{after_play, color, symbol, turned};
use super::{Error, Session};
use crate::formats::gtp_notation::{MoveError, format_point, parse_color, parse_point};
use crate::game::Game;
use crate::rules::{Color, Move, Point, Position};

/// The size of a square board as one number; columns and rows of others.
pub(super) fn board_size(session: &mut Session, _: &[&str]) -> Result<String, Error> {
    let rules = session.rules();
    if rules.rows() == rules.columns() {
        return Ok(rules.rows().to_string());
    }
    Ok(format!("{} {}", rules.columns(), rules.rows()))
}

/// The board with the last row first, as GoGui draws it.
pub(super) fn board(session: &mut Session, _: &[&str]) -> Result<String, Error> {
    let (rows, columns) = (session.rules().rows(), session.rules().columns());
    let line = |row| -> String {
        let squares: Vec<String> =
            (0..columns).map(|column| symbol(session.position().disc_at(Point { row, column })).to_string()).collect();
        squares.join(" ")
    };
    let lines: Vec<String> = (0..rows).rev().map(line).collect();
    Ok(lines.join("\n"))
}

pub(super) fn side_to_move(session: &mut Session, _: &[&str]) -> Result<String, Error> {
    Ok(session.position().side_to_move().name().to_string())
}

/// The squares that can be played, row by row (under one-direction rules each once); `pass` when only that is left.
pub(super) fn legal_moves(session: &mut Session, _: &[&str]) -> Result<String, Error> {
    let columns = session.rules().columns();
    let mut names: Vec<String> = session
        .position()
        .legal_moves()
        .into_iter()
        .map(|mv| plain_point(mv, columns).unwrap_or_else(|| "pass".to_string()))
        .collect();
    names.dedup();
    Ok(names.join(" "))
}

/// A move's square without its direction, which GoGui would not take for a point; `None` for a pass.
pub(super) fn plain_point(mv: Move, columns: u8) -> Option<String> {
    match mv {
        Move::Pass => None,
        Move::Place { at, .. } => Some(format_point(at, columns)),
    }
}

/// The result in words; nothing while the game goes on.
pub(super) fn final_result(session: &mut Session, _: &[&str]) -> Result<String, Error> {
    let position = session.position();
    if !position.is_game_over() {
        return Ok(String::new());
    }
    let margin = position.final_score(false).abs();
    Ok(match position.winner() {
        None => "Draw".to_string(),
        Some(Color::Black) => format!("Black wins by {margin}"),
        Some(Color::White) => format!("White wins by {margin}"),
    })
}

/// Many plays at once; when one of them is illegal none is made.
pub(super) fn play_sequence(session: &mut Session, arguments: &[&str]) -> Result<String, Error> {
    let (pairs, rest) = arguments.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(Error::Syntax);
    }
    let mut games = Vec::with_capacity(pairs.len());
    for [side, text] in pairs {
        let before = games.last().unwrap_or(session.player.game());
        games.push(after_play(before, color(Some(side))?, text)?);
    }
    games.into_iter().for_each(|next| session.advance(next));
    Ok(String::new())
}

/// Puts discs on squares or empties them: `B E4 W D4 E A1`.
pub(super) fn setup(session: &mut Session, arguments: &[&str]) -> Result<String, Error> {
    let (pairs, rest) = arguments.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(Error::Syntax);
    }
    let position = session.position();
    let rules = Arc::clone(position.rules());
    let mut discs = [position.discs(Color::Black), position.discs(Color::White)];
    for [what, square] in pairs {
        let disc = parse_color(what);
        if disc.is_none() && !["e", "empty"].contains(&what.to_ascii_lowercase().as_str()) {
            return Err(Error::Syntax);
        }
        let at = parse_point(square, rules.rows(), rules.columns()).map_err(|error| match error {
            MoveError::OffBoard => Error::Other(format!("{square} is not on the board")),
            _ => Error::Syntax,
        })?;
        discs.iter_mut().for_each(|set| set.remove(at));
        if let Some(color) = disc {
            discs[color.index()].insert(at);
        }
    }
    let next = Position::from_discs(rules, discs[0], discs[1], position.side_to_move());
    let next = next.ok_or_else(|| Error::Other("not a position of these rules".to_string()))?;
    session.advance(Game::from_position(next));
    Ok(String::new())
}

/// Gives the turn to a side. No step of its own for `undo`: it belongs to the setup before it.
pub(super) fn setup_player(session: &mut Session, arguments: &[&str]) -> Result<String, Error> {
    let next = turned(session.position(), color(arguments.first())?)?;
    // a command that changed nothing has kept no game to go back to: it is this one
    if let Some(last @ None) = session.history.last_mut() {
        *last = Some(Box::new(session.player.game().clone()));
    }
    session.player.set_game(next);
    Ok(String::new())
}

/// What GoGui offers in its menu: type, label, command.
pub(super) fn analyze_commands(_: &mut Session, _: &[&str]) -> Result<String, Error> {
    let entries = [
        "pspairs/Move Values/outflank-move_values",
        "var/Principal Variation/outflank-variation",
        "string/Best Moves/outflank-hint 5",
        "pspairs/Book Moves/outflank-book_moves",
        "string/Opening/outflank-opening",
        "plist/Legal Moves/gogui-rules_legal_moves",
        "string/Board/showboard",
        "param/Engine Parameters/gogui-param_engine",
    ];
    Ok(entries.join("\n"))
}
