//! The commands that play: moves, time, scores.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use super::{Error, Session};
use crate::formats::files::{self, GameFileError};
use crate::formats::gtp_notation::{MoveError, format_move, format_point, parse_color, parse_move};
use crate::formats::notation::is_pass;
use crate::formats::quote;
use crate::game::Game;
use crate::play::TimeControl;
use crate::play::clock::client_seconds;
use crate::protocol::input::is_input;
use crate::rules::{Color, Move, Point, Position, RuleSet, Shape, Start};
use crate::time::Instant;

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
    let rules = session.asked_rules();
    if (columns, rows) == (rules.columns(), rules.rows()) {
        session.begin();
        return none();
    }
    if !may_have_size(rules, columns, rows) {
        return Err(Error::Size);
    }
    let resized = rules.to_builder().size(rows, columns).build().map_err(|_| Error::Size)?;
    session.begin_by(Arc::new(resized));
    none()
}

/// A client may ask for a board of this size: one whose centre is four squares under othello's rules, any where the sheet
/// leaves the size to the players. A position to begin with has the size that it has.
fn may_have_size(rules: &RuleSet, columns: u8, rows: u8) -> bool {
    let base = rules.name().split(':').next().unwrap_or_default();
    let is_usual = match base {
        "othello" => columns.is_multiple_of(2) && rows.is_multiple_of(2) && matches!(rules.shape(), Shape::Rectangle),
        "hungarian" => true,
        _ => false,
    };
    is_usual && !matches!(rules.start(), Start::Explicit(..))
}

pub(super) fn clear_board(session: &mut Session, _: &[&str]) -> Result<String, Error> {
    session.begin();
    none()
}

/// Any number is accepted: Othello has no komi, but clients made for Go send it.
pub(super) fn komi(_: &mut Session, arguments: &[&str]) -> Result<String, Error> {
    arguments.first().and_then(|word| word.parse::<f64>().ok()).ok_or(Error::Syntax)?;
    none()
}

/// The game with this side to move, after the silent pass of the other one if it is stuck; `None` when the
/// other side can and must move.
fn with_turn(game: &Game, side: Color) -> Option<Game> {
    let mut game = game.clone();
    if game.position().side_to_move() != side {
        game.play(Move::Pass).ok()?;
    }
    Some(game)
}

/// The game after `side` plays the move `text` names.
pub(super) fn after_play(game: &Game, side: Color, text: &str) -> Result<Game, Error> {
    if is_pass(text) {
        return after_pass(game, side);
    }
    let turn = with_turn(game, side);
    // when it is the other side's turn the text is still checked first: a syntax error is one at any time
    let position = turn.as_ref().unwrap_or(game).position();
    let mv = parse_move(text, position).map_err(|error| match error {
        MoveError::Syntax => Error::Syntax,
        MoveError::OffBoard => Error::IllegalMove,
        // the choices are moves of whoever can move
        MoveError::Ambiguous(_) if turn.is_none() || position.must_pass() => Error::IllegalMove,
        MoveError::Ambiguous(choices) => {
            let columns = position.rules().columns();
            let choices: Vec<String> = choices.into_iter().map(|mv| format_move(mv, columns)).collect();
            Error::AmbiguousMove(choices.join(" "))
        }
    })?;
    let mut turn = turn.ok_or(Error::IllegalMove)?;
    turn.play(mv).map_err(|_| Error::IllegalMove)?;
    Ok(turn)
}

/// A pass is accepted from a side that cannot move, even when it has been made silently before.
fn after_pass(game: &Game, side: Color) -> Result<Game, Error> {
    let (mut game, position) = (game.clone(), game.position());
    if position.is_game_over() {
        return Ok(game);
    }
    if position.side_to_move() == side {
        game.play(Move::Pass).map_err(|_| Error::IllegalMove)?;
        return Ok(game);
    }
    if position.can_place(side) { Err(Error::IllegalMove) } else { Ok(game) }
}

pub(super) fn play(session: &mut Session, arguments: &[&str]) -> Result<String, Error> {
    let side = color(arguments.first())?;
    let text = arguments.get(1).ok_or(Error::Syntax)?;
    let next = after_play(session.player.game(), side, text)?;
    session.advance(next);
    none()
}

/// The game a move is asked for in. A side whose turn it is not gets it: clients that set up positions
/// rely on it, and Egaroucid does the same.
fn asked(game: &Game, side: Color) -> Result<Game, Error> {
    with_turn(game, side).map_or_else(|| turned(game.position(), side), Ok)
}

/// The game that begins here with this side to move.
pub(super) fn turned(position: &Position, side: Color) -> Result<Game, Error> {
    if !position.may_be_turn_of(side) {
        let (side, turn) = (side.name(), position.side_to_move().name());
        return Err(Error::Other(format!("it is not the turn of {side}: {turn} places the next disc")));
    }
    Ok(Game::from_position(position.with_side(side)))
}

/// The engine's move in the game as asked, which becomes the present one.
fn choose(session: &mut Session, game: Game) -> Result<Move, Error> {
    if game != *session.player.game() {
        session.player.set_game(game);
    }
    let choice = session.player.choose(&mut |_| {}).map_err(|error| Error::Other(error.to_string()))?;
    Ok(choice.mv)
}

pub(super) fn genmove(session: &mut Session, arguments: &[&str]) -> Result<String, Error> {
    let start = Instant::now();
    let side = color(arguments.first())?;
    let before = session.player.game().clone();
    let asked = asked(&before, side)?;
    // a command that fails has changed nothing, nor has it given the turn to anybody
    let mv = choose(session, asked).inspect_err(|_| session.player.set_game(before.clone()))?;
    // a pass at the end of the game changes nothing but can be taken back
    if session.player.play(mv).is_err() {
        session.player.set_game(before.clone());
    }
    session.remember(before);
    session.charge(side, start.elapsed());
    Ok(format_move(mv, session.rules().columns()))
}

/// As `genmove`, but nothing changes: the board does not, and analysis is not charged to the clock.
pub(super) fn reg_genmove(session: &mut Session, arguments: &[&str]) -> Result<String, Error> {
    let side = color(arguments.first())?;
    let before = session.player.game().clone();
    let asked = asked(&before, side)?;
    let mv = choose(session, asked);
    session.player.set_game(before);
    Ok(format_move(mv?, session.rules().columns()))
}

pub(super) fn undo(session: &mut Session, _: &[&str]) -> Result<String, Error> {
    if let Some(before) = session.history.pop().ok_or(Error::CannotUndo)? {
        session.player.set_game(*before);
    }
    none()
}

pub(super) fn gg_undo(session: &mut Session, arguments: &[&str]) -> Result<String, Error> {
    let count: usize = arguments.first().map_or(Ok(1), |word| word.parse()).map_err(|_| Error::Syntax)?;
    let kept = session.history.len().checked_sub(count).ok_or(Error::CannotUndo)?;
    if let Some(before) = session.history.drain(kept..).flatten().next() {
        session.player.set_game(*before);
    }
    none()
}

/// `loadsgf FILE [N]`: the first game of the file (of any format whose extension or content is known), up to the position
/// before its move number N, passes counted; without N to its end. Every move is a step for `undo`. Rules that the file names are
/// those of this game only.
pub(super) fn loadsgf(session: &mut Session, arguments: &[&str]) -> Result<String, Error> {
    let (path, before) = match arguments {
        [path] => (path, None),
        [path, number] => (path, Some(number.parse::<usize>().ok().filter(|n| *n > 0).ok_or(Error::Syntax)?)),
        _ => return Err(Error::Syntax),
    };
    let failed = |reason: &dyn std::fmt::Display| Error::Other(format!("cannot load file: {reason}"));
    if is_input(Path::new(path)) {
        return Err(failed(&format_args!("{}: the session reads its commands there", quote(path))));
    }
    // what the client has said need not be said again at length; the files of a folder are news
    let unread = |error: GameFileError| match error.path == Path::new(path) {
        true => failed(&format_args!("{}: {}", quote(path), error.kind)),
        false => failed(&error),
    };
    let mut games = files::read_games(Path::new(path), session.asked_rules()).map_err(unread)?;
    let record = games.next().ok_or_else(|| failed(&"no game in it"))?.map_err(unread)?;
    let moves = record.game.moves();
    let count = before.map_or(moves.len(), |number| (number - 1).min(moves.len()));
    let mut game = Game::from_position(record.game.start().clone());
    session.restart(game.clone());
    for &mv in &moves[..count] {
        game.play(mv).map_err(|error| failed(&error))?;
        session.advance(game.clone());
    }
    none()
}

/// `time_settings MAIN PERIOD STONES`, or `none`. Settings apply from here on: both clocks start anew.
pub(super) fn time_settings(session: &mut Session, arguments: &[&str]) -> Result<String, Error> {
    let control = match arguments {
        [none] if none.eq_ignore_ascii_case("none") => TimeControl::None,
        [main, rest @ ..] => {
            let seconds = |word: Option<&&str>| word.map_or(Some(0.0), |word| word.parse::<f64>().ok());
            let main = client_seconds(main).ok_or(Error::Syntax)?;
            let period =
                rest.first().map_or(Some(Default::default()), |word| client_seconds(word)).ok_or(Error::Syntax)?;
            // counts come with decimals too; the cast saturates
            let stones = seconds(rest.get(1)).ok_or(Error::Syntax)?.max(0.0) as u32;
            TimeControl::from_gtp(main, period, stones)
        }
        [] => return Err(Error::Syntax),
    };
    session.player.set_time_control(control);
    none()
}

/// `time_left COLOR SECONDS [STONES]`.
pub(super) fn time_left(session: &mut Session, arguments: &[&str]) -> Result<String, Error> {
    let side = color(arguments.first())?;
    let remaining = arguments.get(1).and_then(|word| client_seconds(word)).ok_or(Error::Syntax)?;
    let stones = arguments.get(2).map_or(Ok(0.0), |word| word.parse::<f64>()).map_err(|_| Error::Syntax)?;
    session.player.set_time_left(side, remaining, stones.max(0.0) as u32);
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
    let position = session.position();
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
    let holes = rules.holes();
    let letters: Vec<String> = (0..rules.columns())
        .map(|column| format_point(Point { row: 0, column }, rules.columns())[..1].to_string())
        .collect();
    let _ = write!(text, "\n   {}", letters.join(" "));
    for row in 0..rules.rows() {
        let sign = |point| if holes.contains(point) { '#' } else { symbol(position.disc_at(point)) };
        let squares: Vec<String> = (0..rules.columns()).map(|column| sign(Point { row, column }).to_string()).collect();
        let _ = write!(text, "\n{:2} {} {}", row + 1, squares.join(" "), row + 1);
    }
    let _ = write!(text, "\n   {}", letters.join(" "));
    Ok(text)
}

/// The result of a finished game, with the empty squares given to the winner as tournaments score; of a game broken
/// off (match programs ask then, too) the disc difference as it stands.
pub(super) fn final_score(session: &mut Session, _: &[&str]) -> Result<String, Error> {
    let position = session.position();
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

/// Every rule set of this project is a game of the Othello family: the name only has to be one of those. A game begins, as with
/// `boardsize`.
pub(super) fn set_game(session: &mut Session, arguments: &[&str]) -> Result<String, Error> {
    let name = arguments.first().ok_or(Error::Syntax)?;
    if ["othello", "reversi"].contains(&name.to_ascii_lowercase().as_str()) {
        session.begin();
        none()
    } else {
        Err(Error::UnsupportedGame)
    }
}
