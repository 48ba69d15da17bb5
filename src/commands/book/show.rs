//! `outflank book info`, `show` and `verify`: nothing is changed.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use outflank::analysis::text::plural;
use outflank::board::{Board, Squares};
use outflank::book::graph::known_moves;
use outflank::book::negamax::counts;
use outflank::book::node::{Leaf, Node};
use outflank::book::probe::{line, probe_board};
use outflank::book::verify::{faults, links, unreachable};
use outflank::book::{BookMove, Labels, Nodes, Trust};
use outflank::formats::board_text;
use outflank::formats::notation::Dialect;
use outflank::game::Game;
use outflank::rules::{Color, Position};
use serde_json::{Value, json};

use super::{board_after, load, name, open, parse_moves};
use crate::commands::error::{Outcome, Status};

/// Arguments of `book info`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  outflank book info
  outflank book info my.book --json")]
pub struct InfoArguments {
    /// The book [default: the built-in one]
    file: Option<PathBuf>,

    /// Print it as one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs `book info`.
pub fn info(arguments: &InfoArguments) -> Outcome {
    let book = load(arguments.file.as_deref())?;
    let mut plies: BTreeMap<u32, [usize; 4]> = BTreeMap::new();
    let mut levels: BTreeMap<(&str, u8), usize> = BTreeMap::new();
    let links = links(&book);
    for node in book.nodes() {
        let row = plies.entry(node.ply()).or_default();
        row[0] += 1;
        row[1] += usize::from(matches!(node.leaf(), Leaf::Move { .. }));
        row[2] += usize::from(node.leaf() == Leaf::Unknown);
        row[3] += usize::from(node.is_exact());
        *levels.entry((node.origin().name(), node.leaf_level())).or_default() += 1;
    }
    let start = book.get(&Board::START).map(|node| node.value);
    let sum = |column: usize| plies.values().map(|row| row[column]).sum::<usize>();
    let settings = book.settings;
    let mut out = io::stdout().lock();
    if arguments.json {
        let plies: Vec<Value> = plies
            .iter()
            .map(|(ply, row)| json!({"ply": ply, "positions": row[0], "leaves": row[1], "unsearched": row[2], "exact": row[3]}))
            .collect();
        let levels: Vec<Value> = levels
            .iter()
            .map(|((origin, level), count)| json!({"origin": origin, "level": level, "positions": count}))
            .collect();
        let info = json!({
            "book": name(arguments.file.as_ref()), "positions": book.len(), "links": links, "leaves": sum(1),
            "unsearched": sum(2), "exact": sum(3), "level": settings.level, "max_ply": settings.max_ply,
            "midgame_error": settings.midgame_error, "endcut_error": settings.endcut_error, "memory": book.memory(),
            "value": start, "plies": plies, "levels": levels,
        });
        writeln!(out, "{info}")?;
        return Ok(Status::Success);
    }
    let [positions, links] = [(book.len(), "position"), (links, "link")].map(|(n, noun)| plural(n as u64, noun));
    writeln!(out, "{}: {positions}, {links}, {}", name(arguments.file.as_ref()), leaves(sum(1)))?;
    writeln!(
        out,
        "level {}, to ply {}, bounds {} discs beside midgame values and {} beside selective solves",
        settings.level, settings.max_ply, settings.midgame_error, settings.endcut_error
    )?;
    let exact = plural(sum(3) as u64, "value");
    writeln!(out, "{} not searched, {exact} exact, {} KiB of memory", leaves(sum(2)), book.memory() / 1024)?;
    if let Some(value) = start {
        writeln!(out, "value of the start: {value:+}")?;
    }
    writeln!(out, "\n ply  positions   leaves  unsearched   exact")?;
    for (ply, row) in &plies {
        writeln!(out, "{ply:4}  {:9}  {:7}  {:10}  {:6}", row[0], row[1], row[2], row[3])?;
    }
    writeln!(out, "\nlevel  positions  searched by")?;
    for ((origin, level), count) in &levels {
        writeln!(out, "{level:5}  {count:9}  {origin}")?;
    }
    Ok(Status::Success)
}

/// `1 leaf`, `2 leaves`.
pub fn leaves(count: usize) -> String {
    if count == 1 { "1 leaf".to_string() } else { format!("{count} leaves") }
}

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
  outflank book show f5f6 --book my.book")]
pub struct ShowArguments {
    /// Moves from the start of the game
    #[arg(default_value = "", value_parser = parse_moves)]
    moves: Game,

    /// The book [default: the built-in one]
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,

    /// Print it as one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs `book show`.
pub fn show(arguments: &ShowArguments) -> Outcome {
    let book = open(arguments.book.as_deref())?;
    let board = board_after(&arguments.moves)?;
    let opening = outflank::book::names::opening_of(&arguments.moves);
    let knowledge = probe_board(&*book, board);
    let lines = knowledge.as_ref().map(|_| lines_below(&*book, board, COUNTED));
    let mut labels = Labels::new(&*book);
    let mut out = io::stdout().lock();
    if arguments.json {
        let lines = lines.filter(|lines| lines.are_all).map(|lines| lines.count);
        let known = knowledge.as_ref().map(|knowledge| {
            let node = &knowledge.node;
            let moves: Vec<Value> = knowledge.moves.iter().map(|mv| move_json(&*book, board, mv, labels.of_move(board, mv))).collect();
            let unlisted: Vec<String> = knowledge.unlisted.iter().map(ToString::to_string).collect();
            json!({
                "value": node.value, "lower": node.lower, "upper": node.upper, "exact": node.is_exact(),
                "trust": labels.of(board).map(Trust::letter), "level": node.level, "origin": node.origin().name(), "lines": lines, "moves": moves, "unlisted": unlisted,
            })
        });
        let shown = json!({
            "book": name(arguments.book.as_ref()), "board": board_text::write(arguments.moves.position()),
            "opening": opening, "known": known,
        });
        writeln!(out, "{shown}")?;
        return Ok(Status::Success);
    }
    writeln!(
        out,
        "{}",
        outflank::protocol::console::board(
            &arguments.moves,
            Dialect::default(),
            outflank::protocol::console::Look::Plain
        )
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

fn move_json(book: &dyn Nodes, board: Board, mv: &BookMove, trust: Option<Trust>) -> Value {
    json!({
        "move": mv.square.to_string(), "value": mv.score, "lower": mv.lower, "upper": mv.upper, "exact": mv.exact,
        "trust": trust.map(Trust::letter), "level": mv.level, "kind": mv.kind.name(), "line": best_line(book, board, mv),
    })
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

/// Arguments of `book verify`.
#[derive(Args)]
#[command(after_help = "\
Checked are the file's checksum and order, every node alone, every value and bound against the moves they come from, and
every leaf. Exit status 1 when a value, a bound or a leaf is wrong, 2 when the file is damaged; leaves that are still to be searched
are counted, and no fault.

Example:
  outflank book verify my.book")]
pub struct VerifyArguments {
    /// The book [default: the built-in one]
    file: Option<PathBuf>,

    /// Print it as one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs `book verify`.
pub fn verify(arguments: &VerifyArguments) -> Outcome {
    /// Faults that are printed.
    const SHOWN: usize = 100;
    let book = load(arguments.file.as_deref())?;
    let (open, wrong): (Vec<_>, Vec<_>) = faults(&book).into_iter().partition(|fault| fault.is_open());
    let unreachable = unreachable(&book);
    let mut out = io::stdout().lock();
    if arguments.json {
        let text: Vec<Value> =
            wrong.iter().map(|fault| json!({"board": board_text(fault.board), "fault": fault.to_string()})).collect();
        let found = json!({
            "book": name(arguments.file.as_ref()), "positions": book.len(), "faults": text, "unsearched": open.len(),
            "unreachable": unreachable,
        });
        writeln!(out, "{found}")?;
    } else {
        for fault in wrong.iter().take(SHOWN) {
            writeln!(out, "{}  {fault}", board_text(fault.board))?;
        }
        if wrong.len() > SHOWN {
            writeln!(out, "... and {} more", wrong.len() - SHOWN)?;
        }
        let [positions, faults] =
            [(book.len(), "position"), (wrong.len(), "fault")].map(|(n, noun)| plural(n as u64, noun));
        writeln!(out, "{}: {positions}, {faults}", name(arguments.file.as_ref()))?;
        let unreachable = plural(unreachable as u64, "position");
        writeln!(out, "{} to be searched, {unreachable} not reached from the start", leaves(open.len()))?;
    }
    Ok(if wrong.is_empty() { Status::Success } else { Status::CheckFailed })
}

/// A board as text, the side to move as X.
pub fn board_text(board: Board) -> String {
    debug_assert!(Squares(board.player & board.opponent).next().is_none());
    board_text::write(&Position::from_board(board, Color::Black))
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
