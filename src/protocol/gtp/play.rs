//! The commands that play: moves, time, scores.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use super::super::clock::{Control, parse_seconds};
use super::{Error, Session};
use crate::formats::gtp_notation::{MoveError, format_move, format_point, parse_color, parse_move};
use crate::formats::{files, notation::is_pass};
use crate::rules::{Color, Move, Point, Position, RuleSet, Start};
use crate::search::Limits;

/// Reads a colour argument.
pub(super) fn color(argument: Option<&&str>) -> Result<Color, Error> {
    argument.and_then(|word| parse_color(word)).ok_or(Error::Syntax)
}

fn none() -> Result<String, Error> {
    Ok(String::new())
}

pub(super) fn boardsize(session: &mut Session, arguments: &[&str]) -> Result<String, Error> {
    let numbers: Vec<u8> = arguments.iter().map_while(|word| word.parse().ok()).collect();
    let (columns, rows) = match (numbers.as_slice(), arguments.len()) {
        ([size], 1) => (*size, *size),
        ([columns, rows], 2) => (*columns, *rows),
        // a number, but not one that a board could have
        _ if !arguments.is_empty() && arguments.iter().all(|word| word.parse::<f64>().is_ok()) => {
            return Err(Error::Size);
        }
        _ => return Err(Error::Syntax),
    };
    let rules = session.rules();
    if (columns, rows) == (rules.columns(), rules.rows()) {
        let start = Position::start(Arc::clone(rules));
        session.restart(start);
        return none();
    }
    let resized = rules.to_builder().size(rows, columns).build().map_err(|_| Error::Size)?;
    if !has_any_size(rules) {
        return Err(Error::Size);
    }
    session.restart(Position::start(Arc::new(resized)));
    none()
}

/// The sheet leaves the board's size to the players.
fn has_any_size(rules: &RuleSet) -> bool {
    rules.name() == "hungarian" && !matches!(rules.start(), Start::Explicit(..))
}

pub(super) fn clear_board(session: &mut Session, _: &[&str]) -> Result<String, Error> {
    let start = Position::start(Arc::clone(session.rules()));
    session.restart(start);
    none()
}

/// Any number is accepted: Othello has no komi, but clients made for Go send it.
pub(super) fn komi(_: &mut Session, arguments: &[&str]) -> Result<String, Error> {
    arguments.first().and_then(|word| word.parse::<f64>().ok()).ok_or(Error::Syntax)?;
    none()
}

/// The position with this side to move, after the silent pass of the other one if it is stuck; `None` when the
/// other side can and must move.
fn with_turn(position: &Position, side: Color) -> Option<Position> {
    if position.side_to_move() == side {
        return Some(position.clone());
    }
    position.play(Move::Pass).ok()
}

/// The position after `side` plays the move `text` names.
pub(super) fn after_play(position: &Position, side: Color, text: &str) -> Result<Position, Error> {
    if is_pass(text) {
        return after_pass(position, side);
    }
    let turn = with_turn(position, side);
    // when it is the other side's turn the text is still checked first: a syntax error is one at any time
    let mv = parse_move(text, turn.as_ref().unwrap_or(position)).map_err(|error| match error {
        MoveError::Syntax => Error::Syntax,
        MoveError::OffBoard => Error::IllegalMove,
        MoveError::Ambiguous(_) if turn.is_none() => Error::IllegalMove,
        MoveError::Ambiguous(choices) => {
            let columns = position.rules().columns();
            let choices: Vec<String> = choices.into_iter().map(|mv| format_move(mv, columns)).collect();
            Error::AmbiguousMove(choices.join(" "))
        }
    })?;
    turn.and_then(|turn| turn.play(mv).ok()).ok_or(Error::IllegalMove)
}

/// A pass is accepted from a side that cannot move, even when it has been made silently before.
fn after_pass(position: &Position, side: Color) -> Result<Position, Error> {
    if position.is_game_over() {
        return Ok(position.clone());
    }
    if position.side_to_move() == side {
        return position.play(Move::Pass).map_err(|_| Error::IllegalMove);
    }
    if position.can_place(side) { Err(Error::IllegalMove) } else { Ok(position.clone()) }
}

pub(super) fn play(session: &mut Session, arguments: &[&str]) -> Result<String, Error> {
    let side = color(arguments.first())?;
    let text = arguments.get(1).ok_or(Error::Syntax)?;
    let next = after_play(&session.position, side, text)?;
    session.advance(next);
    none()
}

/// The position a move is asked for. A side whose turn it is not gets it: clients that set up positions
/// rely on it, and Egaroucid does the same.
fn asked(position: &Position, side: Color) -> Position {
    with_turn(position, side).unwrap_or_else(|| position.with_side(side))
}

/// The engine's move; a pass without a search when there is nothing to choose.
fn choose(session: &mut Session, position: &Position, limits: &Limits) -> Result<Move, Error> {
    let moves = position.legal_moves();
    match moves.as_slice() {
        [] | [Move::Pass] => Ok(Move::Pass),
        [first, ..] => {
            // a search interrupted before its first iteration may have nothing to say
            let best = session.search(position, limits)?.best().map(|line| line.mv);
            Ok(best.unwrap_or(*first))
        }
    }
}

pub(super) fn genmove(session: &mut Session, arguments: &[&str]) -> Result<String, Error> {
    let start = Instant::now();
    let side = color(arguments.first())?;
    let position = asked(&session.position, side);
    let limits = Limits { time: session.clocks.limit(side), ..session.level_limits() };
    let mv = choose(session, &position, &limits)?;
    // a pass at the end of the game changes nothing but can be taken back
    let next = position.play(mv).unwrap_or_else(|_| session.position.clone());
    session.advance(next);
    session.clocks.charge(side, start.elapsed());
    Ok(format_move(mv, position.rules().columns()))
}

/// As `genmove`, but nothing changes: the board does not, and analysis is not charged to the clock.
pub(super) fn reg_genmove(session: &mut Session, arguments: &[&str]) -> Result<String, Error> {
    let side = color(arguments.first())?;
    let position = asked(&session.position, side);
    let limits = Limits { time: session.clocks.limit(side), ..session.level_limits() };
    let mv = choose(session, &position, &limits)?;
    Ok(format_move(mv, position.rules().columns()))
}

pub(super) fn undo(session: &mut Session, _: &[&str]) -> Result<String, Error> {
    session.position = session.history.pop().ok_or(Error::CannotUndo)?;
    none()
}

pub(super) fn gg_undo(session: &mut Session, arguments: &[&str]) -> Result<String, Error> {
    let count: usize = arguments.first().map_or(Ok(1), |word| word.parse()).map_err(|_| Error::Syntax)?;
    let kept = session.history.len().checked_sub(count).ok_or(Error::CannotUndo)?;
    if let Some(position) = session.history.drain(kept..).next() {
        session.position = position;
    }
    none()
}

/// `loadsgf FILE [N]`: the first game of the file (of any format whose extension or content is known), up to the position
/// before its move number N, passes counted; without N to its end. Every move is a step for `undo`.
pub(super) fn loadsgf(session: &mut Session, arguments: &[&str]) -> Result<String, Error> {
    let (path, before) = match arguments {
        [path] => (path, None),
        [path, number] => (path, Some(number.parse::<usize>().ok().filter(|n| *n > 0).ok_or(Error::Syntax)?)),
        _ => return Err(Error::Syntax),
    };
    let failed = |reason: &dyn std::fmt::Display| Error::Other(format!("cannot load file: {reason}"));
    let mut games = files::read_games(Path::new(path), session.rules()).map_err(|error| failed(&error))?;
    let record = games.next().ok_or_else(|| failed(&"no game in it"))?.map_err(|error| failed(&error))?;
    let positions = record.game.positions();
    let moves = before.map_or(positions.len() - 1, |number| (number - 1).min(positions.len() - 1));
    session.restart(positions[0].clone());
    positions[1..=moves].iter().for_each(|position| session.advance(position.clone()));
    none()
}

/// `time_settings MAIN PERIOD STONES`, or `none`. Settings apply from here on: both clocks start anew.
pub(super) fn time_settings(session: &mut Session, arguments: &[&str]) -> Result<String, Error> {
    let control = match arguments {
        [none] if none.eq_ignore_ascii_case("none") => Control::Unlimited,
        [main, rest @ ..] => {
            let seconds = |word: Option<&&str>| word.map_or(Some(0.0), |word| word.parse::<f64>().ok());
            let main = parse_seconds(main).ok_or(Error::Syntax)?;
            let period =
                rest.first().map_or(Some(Default::default()), |word| parse_seconds(word)).ok_or(Error::Syntax)?;
            // counts come with decimals too; the cast saturates
            let stones = seconds(rest.get(1)).ok_or(Error::Syntax)?.max(0.0) as u32;
            Control::from_gtp(main, period, stones)
        }
        [] => return Err(Error::Syntax),
    };
    session.clocks = super::super::clock::Clocks::new(control);
    none()
}

/// `time_left COLOR SECONDS [STONES]`.
pub(super) fn time_left(session: &mut Session, arguments: &[&str]) -> Result<String, Error> {
    let side = color(arguments.first())?;
    let remaining = arguments.get(1).and_then(|word| parse_seconds(word)).ok_or(Error::Syntax)?;
    let stones = arguments.get(2).map_or(Ok(0.0), |word| word.parse::<f64>()).map_err(|_| Error::Syntax)?;
    session.clocks.set(side, remaining, stones.max(0.0) as u32);
    // the client's clock does not run yet: making the table now keeps it off the first move's time. Should there not
    // be enough memory, the search makes do with a smaller one.
    let _ = session.engine.allocate();
    none()
}

/// Black's and white's squares of a diagram, and dots.
pub(super) fn symbol(disc: Option<Color>) -> char {
    match disc {
        Some(Color::Black) => 'X',
        Some(Color::White) => 'O',
        None => '.',
    }
}

pub(super) fn showboard(session: &mut Session, _: &[&str]) -> Result<String, Error> {
    let position = &session.position;
    let rules = position.rules();
    let turn = if position.is_game_over() {
        "game over".to_string()
    } else {
        let side = position.side_to_move();
        format!("{} ({}) to move", side.name(), symbol(Some(side)))
    };
    let count = |side| position.discs(side).count();
    let mut text = format!("{turn}, X {} O {}", count(Color::Black), count(Color::White));
    for (side, name) in [(Color::Black, 'X'), (Color::White, 'O')] {
        if let Some(hand) = position.in_hand(side) {
            let _ = write!(text, ", {name} has {hand} in hand");
        }
    }
    let letters: Vec<String> = (0..rules.columns())
        .map(|column| format_point(Point { row: 0, column }, rules.columns())[..1].to_string())
        .collect();
    let _ = write!(text, "\n   {}", letters.join(" "));
    for row in 0..rules.rows() {
        let squares: Vec<String> =
            (0..rules.columns()).map(|column| symbol(position.disc_at(Point { row, column })).to_string()).collect();
        let _ = write!(text, "\n{:2} {} {}", row + 1, squares.join(" "), row + 1);
    }
    let _ = write!(text, "\n   {}", letters.join(" "));
    Ok(text)
}

/// The result of a finished game, with the empty squares given to the winner as tournaments score; of a game broken
/// off (match programs ask then, too) the disc difference as it stands.
pub(super) fn final_score(session: &mut Session, _: &[&str]) -> Result<String, Error> {
    let position = &session.position;
    let (winner, margin) = if position.is_game_over() {
        (position.winner(), position.final_score(false).abs())
    } else {
        let difference = position.final_score(true);
        let leader = if difference > 0 { Color::Black } else { Color::White };
        ((difference != 0).then_some(leader), difference.abs())
    };
    Ok(match winner {
        None => "0".to_string(),
        Some(Color::Black) => format!("B+{margin}"),
        Some(Color::White) => format!("W+{margin}"),
    })
}

/// Every rule set of this project is a game of the Othello family: the name only has to be one of those.
pub(super) fn set_game(_: &mut Session, arguments: &[&str]) -> Result<String, Error> {
    let name = arguments.first().ok_or(Error::Syntax)?;
    if ["othello", "reversi"].contains(&name.to_ascii_lowercase().as_str()) {
        none()
    } else {
        Err(Error::UnsupportedGame)
    }
}
