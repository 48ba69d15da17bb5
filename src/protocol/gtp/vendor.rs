//! This engine's own commands.

use std::sync::Arc;

use super::{Error, Session};
use crate::engine::Options;
use crate::formats::board_text;
use crate::formats::gtp_notation::format_move;
use crate::rules::{Color, Move, ParseRulesError, Position, RuleSet};
use crate::search::{Bound, Level, Limits, Report};

/// Largest number of threads and size of the table in MiB that a client can set.
const MAX_THREADS: usize = 256;
const MAX_HASH_MIB: usize = 1 << 20;

/// `set_level N` (also as `outflank-set_level`): the playing level 0 to 60.
pub(super) fn set_level(session: &mut Session, arguments: &[&str]) -> Result<String, Error> {
    let number = arguments.first().ok_or(Error::Syntax)?.parse::<u8>().map_err(|_| Error::Syntax)?;
    session.level = Level::new(number).ok_or_else(|| Error::Other("a level is a number from 0 to 60".to_string()))?;
    Ok(String::new())
}

/// Searches the present position for the values of this many moves, for as long as the level takes.
fn analyze(session: &mut Session, moves: usize) -> Report {
    let limits = Limits { multi_pv: moves, ..session.level_limits() };
    let position = session.position.clone();
    session.search(&position, &limits)
}

fn sequence(moves: &[Move], columns: u8) -> String {
    let names: Vec<String> = moves.iter().map(|&mv| format_move(mv, columns)).collect();
    names.join(" ")
}

/// `outflank-hint [N]`: the N best moves (default 1), a line each: move, score in discs for the side to move
/// (`<` and `>` mark bounds), depth, and the line expected.
pub(super) fn hint(session: &mut Session, arguments: &[&str]) -> Result<String, Error> {
    let count = arguments.first().map_or(Ok(1), |word| word.parse::<usize>()).map_err(|_| Error::Syntax)?;
    let report = analyze(session, count.max(1));
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
    let report = analyze(session, usize::MAX);
    let columns = session.rules().columns();
    let pairs: Vec<String> =
        report.lines.iter().map(|line| format!("{} {:+}", format_move(line.mv, columns), line.score)).collect();
    Ok(pairs.join("\n"))
}

/// The best line with the colours, for GoGui to show on the board: `b F5 w D6`.
pub(super) fn variation(session: &mut Session, _: &[&str]) -> Result<String, Error> {
    let report = analyze(session, 1);
    let mut position = session.position.clone();
    let columns = position.rules().columns();
    let mut words = Vec::new();
    for &mv in report.best().map_or(&[][..], |line| &line.pv) {
        let side = if position.side_to_move() == Color::Black { 'b' } else { 'w' };
        words.push(format!("{side} {}", format_move(mv, columns)));
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
    let position =
        board_text::parse(&arguments.join(" "), session.rules()).map_err(|error| Error::Other(error.to_string()))?;
    session.restart(position);
    Ok(String::new())
}

/// `outflank-rules [RULES]`: selects rules by their text form and starts a game; without argument, the rules in force.
pub(super) fn rules(session: &mut Session, arguments: &[&str]) -> Result<String, Error> {
    let [text] = arguments else {
        return if arguments.is_empty() { Ok(session.rules().to_string()) } else { Err(Error::Syntax) };
    };
    let rules: RuleSet = text.parse().map_err(|error: ParseRulesError| Error::Other(error.to_string()))?;
    session.restart(Position::start(Arc::new(rules)));
    Ok(String::new())
}

/// GoGui's parameter dialog: without arguments the parameters, `[type] name value` a line; else `NAME VALUE` sets one.
pub(super) fn parameters(session: &mut Session, arguments: &[&str]) -> Result<String, Error> {
    let options = session.engine.options();
    let [name, value] = arguments else {
        if !arguments.is_empty() {
            return Err(Error::Syntax);
        }
        let (level, threads, hash) = (session.level.get(), options.threads, options.hash_mib);
        return Ok(format!("[string] level {level}\n[string] threads {threads}\n[string] hash {hash}"));
    };
    let number = value.parse::<usize>().map_err(|_| Error::Syntax)?;
    let options = match (*name, number) {
        ("level", _) => return set_level(session, &[value]),
        ("threads", 1..=MAX_THREADS) => Options { threads: number, ..options.clone() },
        ("hash", 1..=MAX_HASH_MIB) => Options { hash_mib: number, ..options.clone() },
        ("threads" | "hash", _) => return Err(Error::Other(format!("{name} cannot be {number}"))),
        _ => return Err(Error::Other(format!("unknown parameter {name}"))),
    };
    session.engine.set_options(options);
    Ok(String::new())
}
