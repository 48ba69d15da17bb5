//! This engine's own commands.

use std::collections::HashSet;
use std::sync::Arc;

use super::gogui::plain_point;
use super::{Error, Session};
use crate::book::names;
use crate::engine::Options;
use crate::formats::board_text;
use crate::formats::gtp_notation::format_move;
use crate::game::Game;
use crate::play::{ParseStrengthError, Strength, Variety};
use crate::rules::{Color, Move, ParseRulesError, RuleSet};
use crate::search::{Bound, Line};

/// `set_level N` (also as `outflank-set_level`): the playing level 0 to 60, or a person's grade from `beginner` to `master`;
/// what time and nodes a move may take stays.
pub(super) fn set_level(session: &mut Session, arguments: &[&str]) -> Result<String, Error> {
    let text = arguments.first().ok_or(Error::Syntax)?;
    let strength: Strength = text.parse().map_err(|error: ParseStrengthError| Error::Other(error.to_string()))?;
    session.player.set_strength(strength.within(session.player.strength()));
    Ok(String::new())
}

/// `ponder on|off`: thinking on the opponent's time.
pub(super) fn ponder(session: &mut Session, arguments: &[&str]) -> Result<String, Error> {
    match arguments {
        ["on"] => session.player.set_ponder(true),
        ["off"] => session.player.set_ponder(false),
        _ => return Err(Error::Syntax),
    }
    Ok(String::new())
}

/// `book_on`: moves come from the book where it has some.
pub(super) fn book_on(session: &mut Session, _: &[&str]) -> Result<String, Error> {
    if session.player.book().is_none() {
        return Err(Error::Other("there is no book".to_string()));
    }
    session.player.use_book(true);
    Ok(String::new())
}

/// `book_off`: every move is searched.
pub(super) fn book_off(session: &mut Session, _: &[&str]) -> Result<String, Error> {
    session.player.use_book(false);
    Ok(String::new())
}

/// Moves that the book knows with their values, for GoGui to show on the squares; nothing when it knows none.
pub(super) fn book_moves(session: &mut Session, _: &[&str]) -> Result<String, Error> {
    let columns = session.rules().columns();
    let known = session.player.book().map(|book| book.moves(session.player.game())).unwrap_or_default();
    let pairs: Vec<String> =
        known.iter().map(|(_, line)| format!("{} {:+}", format_move(line.mv, columns), line.score)).collect();
    Ok(pairs.join("\n"))
}

/// The name of the opening; nothing when it has none.
pub(super) fn opening(session: &mut Session, _: &[&str]) -> Result<String, Error> {
    Ok(names::opening_of(session.player.game()).unwrap_or_default().to_string())
}

/// `outflank-variety SEED [DISCS]`, `outflank-variety off`: games that differ, by choosing among moves that are up to so many
/// discs (default 1) worse than the best one in the first plies.
pub(super) fn variety(session: &mut Session, arguments: &[&str]) -> Result<String, Error> {
    let number = |word: &&str| word.parse::<u32>().map_err(|_| Error::Syntax);
    let variety = match arguments {
        ["off"] => None,
        [seed] => Some(Variety { seed: number(seed)?.into(), ..Variety::default() }),
        [seed, discs] => {
            Some(Variety { seed: number(seed)?.into(), discs: number(discs)?.min(64), ..Variety::default() })
        }
        _ => return Err(Error::Syntax),
    };
    session.player.set_variety(variety);
    Ok(String::new())
}

fn sequence(moves: &[Move], columns: u8) -> String {
    let names: Vec<String> = moves.iter().map(|&mv| format_move(mv, columns)).collect();
    names.join(" ")
}

/// `outflank-hint [N]`: the N best moves (default 1), a line each: move, score in discs for the side to move
/// (`<` and `>` mark bounds), depth, and the line expected.
pub(super) fn hint(session: &mut Session, arguments: &[&str]) -> Result<String, Error> {
    let count = arguments.first().map_or(Ok(1), |word| word.parse::<usize>()).map_err(|_| Error::Syntax)?;
    let report = session.analyze(count.max(1))?;
    let columns = session.rules().columns();
    let lines: Vec<String> = report
        .lines
        .iter()
        .map(|line| {
            let bound = match line.bound {
                Bound::Exact => "",
                Bound::Lower => ">",
                Bound::Upper => "<",
            };
            let (mv, pv) = (format_move(line.mv, columns), sequence(&line.pv, columns));
            format!("{mv} {bound}{:+} depth {} {pv}", line.score, report.depth_text())
        })
        .collect();
    Ok(lines.join("\n"))
}

/// Move and score of every legal move, for GoGui to show on the squares.
pub(super) fn move_values(session: &mut Session, _: &[&str]) -> Result<String, Error> {
    let report = session.analyze(usize::MAX)?;
    let columns = session.rules().columns();
    // of several moves on one square the best stands first
    let mut seen = HashSet::new();
    let pair = |line: &Line| {
        let point = plain_point(line.mv, columns).unwrap_or_else(|| "PASS".to_string());
        seen.insert(point.clone()).then(|| format!("{point} {:+}", line.score))
    };
    let pairs: Vec<String> = report.lines.iter().filter_map(pair).collect();
    Ok(pairs.join("\n"))
}

/// The best line with the colours, for GoGui to show on the board: `b F5 w D6`.
pub(super) fn variation(session: &mut Session, _: &[&str]) -> Result<String, Error> {
    let report = session.analyze(1)?;
    let mut position = session.position().clone();
    let columns = position.rules().columns();
    let mut words = Vec::new();
    for &mv in report.best().map_or(&[][..], |line| &line.pv) {
        let side = if position.side_to_move() == Color::Black { 'b' } else { 'w' };
        let point = plain_point(mv, columns).unwrap_or_else(|| "PASS".to_string());
        words.push(format!("{side} {point}"));
        let Ok(next) = position.play(mv) else { break };
        position = next;
    }
    Ok(words.join(" "))
}

/// `outflank-setboard SQUARES SIDE`: the squares row by row from A1 (`X`, `*`, `B` black; `O`, `W` white; `-`, `.`
/// empty; blanks and row numbers do not matter), and the side to move. The game starts over from there.
pub(super) fn setboard(session: &mut Session, arguments: &[&str]) -> Result<String, Error> {
    if arguments.is_empty() {
        return Err(Error::Syntax);
    }
    let position = board_text::parse(&arguments.join(" "), session.asked_rules())
        .map_err(|error| Error::Other(error.to_string()))?;
    session.restart(Game::from_position(position));
    Ok(String::new())
}

/// `outflank-rules [RULES]`: selects rules by their text form and starts a game; without argument, the rules in force.
pub(super) fn rules(session: &mut Session, arguments: &[&str]) -> Result<String, Error> {
    let [text] = arguments else {
        return if arguments.is_empty() { Ok(session.rules().to_string()) } else { Err(Error::Syntax) };
    };
    let rules: RuleSet = text.parse().map_err(|error: ParseRulesError| Error::Other(error.to_string()))?;
    session.begin_by(Arc::new(rules));
    Ok(String::new())
}

/// GoGui's parameter dialog: without arguments the parameters, `[type] name value` a line; else `NAME VALUE` sets one.
pub(super) fn parameters(session: &mut Session, arguments: &[&str]) -> Result<String, Error> {
    let options = session.player.engine().options().clone();
    let [name, value] = arguments else {
        if !arguments.is_empty() {
            return Err(Error::Syntax);
        }
        let level = session.strength_name();
        let (threads, hash) = (options.threads, options.hash_mib);
        let ponder = u8::from(session.player.options().ponder);
        let book = u8::from(session.player.uses_book());
        return Ok(format!(
            "[string] level {level}\n[string] threads {threads}\n[string] hash {hash}\n[bool] ponder {ponder}\n[bool] book {book}"
        ));
    };
    if *name == "level" {
        return set_level(session, &[value]);
    }
    let number = value.parse::<usize>().map_err(|_| Error::Syntax)?;
    let options = match (*name, number) {
        ("book", 1) => return book_on(session, &[]),
        ("book", 0) => return book_off(session, &[]),
        ("ponder", 0 | 1) => return ponder(session, &[if number == 1 { "on" } else { "off" }]),
        ("threads", 1..=Options::MAX_THREADS) => Options { threads: number, ..options },
        ("hash", 1..=Options::MAX_HASH_MIB) => Options { hash_mib: number, ..options },
        ("threads" | "hash" | "ponder" | "book", _) => return Err(Error::Other(format!("{name} cannot be {number}"))),
        _ => return Err(Error::Other(format!("unknown parameter {name}"))),
    };
    session.player.engine().set_options(options);
    Ok(String::new())
}
