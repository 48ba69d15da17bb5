//! `outflank book show`: what a book knows of a position.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use outflank::board::Board;
use outflank::book::graph::known_moves;
use outflank::book::negamax::counts;
use outflank::book::node::Node;
use outflank::book::probe::{Knowledge, line, probe_board};
use outflank::book::{BookMove, Labels, Nodes, Trust};
use outflank::formats::board_text;
use outflank::formats::notation::Dialect;
use outflank::formats::quantity::plural;
use outflank::game::Game;
use outflank::rules::RuleSet;
use serde::Serialize;

use super::{board_after, name, open, passed};
use crate::commands::error::{Outcome, Status};
use crate::commands::input;
use crate::commands::output::json_line;

/// Arguments of `book show`.
#[derive(Args)]
#[command(after_help = "\
`=` behind a value says that it is exact: a draw is proven there, not \"0 by a midgame search\". Trust says what is behind the moves
within a disc of the best: A solves alone; B solves and selective solves; C selective solves; D solves and midgame searches;
E selective solves and midgame searches; F midgame searches alone. Lines are the ways to the leaves below the position: at least so
many, and null in JSON, where more than 40,000 positions follow.

Examples:
  outflank book show                     the start
  outflank book show f5d6c3 --json
  outflank book show rose-bill           an opening by its name
  outflank book show f5f6 --book my.book")]
pub struct ShowArguments {
    /// The position: moves from the start, the name of an opening, a board, or a file with one of them [default: the start]
    #[arg(value_name = "POSITION", allow_hyphen_values = true)]
    position: Option<OsString>,

    /// The book [default: the built-in one]
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,

    /// Print it as one JSON object
    #[arg(long)]
    json: bool,
}

/// What a book knows of a position. (Members of these objects are in the order of their names.)
#[derive(Serialize)]
struct ShowJson {
    board: String,
    book: String,
    /// None of a position that is not in the book.
    known: Option<KnownJson>,
    /// The name of the opening.
    opening: Option<&'static str>,
}

/// A position of a book: values and bounds in discs for the side to move.
#[derive(Serialize)]
struct KnownJson {
    exact: bool,
    level: u8,
    /// Lines below the position, none where there are too many to count.
    lines: Option<u32>,
    lower: i8,
    moves: Vec<MoveJson>,
    origin: &'static str,
    /// The letter of what is behind the best moves.
    trust: Option<char>,
    /// Moves that are not in the book.
    unlisted: Vec<String>,
    upper: i8,
    value: i8,
}

/// A move of a book.
#[derive(Serialize)]
struct MoveJson {
    exact: bool,
    kind: &'static str,
    level: u8,
    /// The move, and the book's best line after it.
    line: String,
    lower: i8,
    #[serde(rename = "move")]
    square: String,
    trust: Option<char>,
    upper: i8,
    value: i8,
}

impl MoveJson {
    fn new(book: &dyn Nodes, board: Board, mv: &BookMove, trust: Option<Trust>) -> MoveJson {
        MoveJson {
            exact: mv.exact,
            kind: mv.kind.name(),
            level: mv.level,
            line: best_line(book, board, mv),
            lower: mv.lower,
            square: mv.square.to_string(),
            trust: trust.map(Trust::letter),
            upper: mv.upper,
            value: mv.score,
        }
    }
}

/// Runs `book show`.
pub fn show(arguments: &ShowArguments) -> Outcome {
    let book = open(arguments.book.as_deref())?;
    let othello = Arc::new(RuleSet::othello());
    let game = match &arguments.position {
        Some(text) if !text.is_empty() => passed(input::first_game(text, &othello)?),
        _ => Game::new(othello),
    };
    let board = board_after(&game)?;
    let opening = outflank::book::names::opening_of(&game);
    let knowledge = probe_board(&*book, board);
    let lines = knowledge.as_ref().map(|_| lines_below(&*book, board, COUNTED));
    let mut labels = Labels::new(&*book);
    let mut out = io::stdout().lock();
    if arguments.json {
        let lines = lines.filter(|lines| lines.are_all).map(|lines| lines.count);
        let known = knowledge.as_ref().map(|Knowledge { node, moves, unlisted }| KnownJson {
            exact: node.is_exact(),
            level: node.level,
            lines,
            lower: node.lower,
            moves: moves.iter().map(|mv| MoveJson::new(&*book, board, mv, labels.of_move(board, mv))).collect(),
            origin: node.origin().name(),
            trust: labels.of(board).map(Trust::letter),
            unlisted: unlisted.iter().map(ToString::to_string).collect(),
            upper: node.upper,
            value: node.value,
        });
        let board = board_text::write(game.position());
        let shown = ShowJson { board, book: name(arguments.book.as_ref()), known, opening };
        writeln!(out, "{}", json_line(&shown))?;
        return Ok(Status::Success);
    }
    writeln!(
        out,
        "{}",
        outflank::protocol::console::board(&game, Dialect::default(), outflank::protocol::console::Look::Plain)
    )?;
    if let Some(opening) = opening {
        writeln!(out, "Opening: {opening}")?;
    }
    let Some(knowledge) = knowledge else {
        writeln!(out, "Not in {}.", name(arguments.book.as_ref()))?;
        return Ok(Status::Success);
    };
    let node = &knowledge.node;
    let exact = match (node.is_exact(), node.value) {
        (true, 0) => ", a proven draw",
        (true, _) => ", exact",
        _ => "",
    };
    let trust = labels.of(board).unwrap_or(Trust::F);
    let lines = lines.map_or(String::new(), |Lines { count, are_all }| {
        format!("{}{}", if are_all { "" } else { "at least " }, plural(count.into(), "line"))
    });
    writeln!(
        out,
        "Value {:+} [{:+}, {:+}]{exact}, trust {trust}, level {}, {lines}",
        node.value, node.lower, node.upper, node.level,
    )?;
    writeln!(out, "\nmove  value  bounds       trust  level  kind  line")?;
    for mv in &knowledge.moves {
        let bounds = format!("[{:+}, {:+}]", mv.lower, mv.upper);
        let exact = if mv.exact { '=' } else { ' ' };
        let trust = labels.of_move(board, mv).unwrap_or(Trust::F);
        write!(
            out,
            "{:4}  {:+5}{exact} {bounds:12} {trust:>5}  {:5}  {:4}",
            mv.square,
            mv.score,
            mv.level,
            mv.kind.name()
        )?;
        writeln!(out, "  {}", best_line(&*book, board, mv))?;
    }
    if !knowledge.unlisted.is_empty() {
        let squares: Vec<String> = knowledge.unlisted.iter().map(ToString::to_string).collect();
        let leaf = knowledge.moves.iter().find(|mv| mv.kind == outflank::book::Kind::Leaf);
        let no_better = leaf.map_or(String::new(), |leaf| format!(" (none better than {})", leaf.square));
        writeln!(out, "Not in the book: {}{no_better}", squares.join(" "))?;
    }
    Ok(Status::Success)
}

/// The move, and the book's best line after it.
fn best_line(book: &dyn Nodes, board: Board, mv: &BookMove) -> String {
    let next = board.play(mv.square).filter(|next| next.legal_moves() != 0);
    let rest = next.map(|next| line(book, next)).unwrap_or_default();
    std::iter::once(mv.square).chain(rest).map(|square| square.to_string()).collect()
}

/// Positions among which lines are counted: of the millions of a large book that would take seconds.
const COUNTED: usize = 40_000;

/// Lines of a book below a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lines {
    count: u32,
    /// They are all; otherwise there are more.
    are_all: bool,
}

/// Lines of the book below a board, of at most so many positions.
fn lines_below(book: &dyn Nodes, board: Board, positions: usize) -> Lines {
    use outflank::book::Book;
    let mut part = Book::new(book.settings());
    let mut open: VecDeque<Node> = book.find(&board.canonical()).into_iter().collect();
    // in breadth: where most positions are left out, those that are counted are whole plies
    while let Some(node) = open.pop_front() {
        if part.contains(&node.board) {
            continue;
        }
        if part.len() == positions {
            open.push_front(node);
            break;
        }
        part.put(node);
        open.extend(known_moves(book, node.board).filter_map(|known| known.node));
    }
    let count = part.position(&board.canonical()).map_or(0, |at| counts(&part)[at].lines);
    Lines { count, are_all: open.is_empty() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_among_so_many_positions() {
        let book = outflank::book::embedded();
        let count = |positions| lines_below(&*book, Board::START, positions);
        let all = count(book.count());
        assert!(all.are_all && all.count as usize > book.count(), "{all:?}");
        let some = count(1000);
        assert!(!some.are_all && some.count > 1000 && some.count < all.count, "{some:?}");
        assert_eq!(count(0), Lines { count: 0, are_all: false });
        assert!(book.count() <= COUNTED, "`book show` of the built-in book tells all lines");
        // what is not there has no lines, and none are left out
        assert_eq!(lines_below(&*book, Board::default(), 0), Lines { count: 0, are_all: true });
    }
}
