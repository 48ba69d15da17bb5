//! Lines of moves from the start and a score in discs for Black: `f5d6c3 -2`.
//!
//! Upper and lower case, blanks and move numbers, passes written or not, as everywhere here
//! ([`transcript`](crate::formats::transcript)); the score is the last word, behind a blank or a comma, with a decimal part if
//! need be (it is rounded); `#` and `%` begin comments. A line without moves is the score of the start.
//!
//! The position after the moves gets the score as its value and an unknown leaf, and the positions on the way to it become
//! part of the book. A position without known moves keeps its score; of one with known moves the best of them counts, as in
//! every book ([`negamax`](crate::book::negamax)). Where a line ends at a position whose known moves, by transposition, make it
//! worth something else than its score, that position stays outside the book: it is the leaf of the positions that lead to it.
//!
//! So what is worth more than the moves that are given must be given by a move: the lines that are written have one for every
//! position and one for every leaf, with the leaf's move as its last. Read again, the leaves that do not transpose are positions,
//! too, and every position has its value, unless a leaf is given only one of its scores: a position outside the book can be the
//! leaf of several, which searched it from different sides of it and value it differently, or a move that another position
//! values less than its own leaf. The line has the score of the first.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use super::intake::{self, Intake};
use super::report::{ImportError, Place, Problem, Warning};
use super::{ExportError, Exported};
use crate::board::{Board, Square, Squares};
use crate::book::graph::{self, Next};
use crate::book::node::{Leaf, Node, Origin};
use crate::book::probe::board_of;
use crate::book::store::{Book, Settings};
use crate::formats::transcript;
use crate::game::Game;
use crate::rules::{Color, Move, Position};

/// The part of a line before its comment.
pub(super) fn without_comment(line: &str) -> &str {
    line.split(['#', '%']).next().unwrap_or_default()
}

/// The line looks like one: a move and a number, or a number alone.
pub(super) fn is_line(line: &str) -> bool {
    let Some((moves, score)) = split(line) else { return false };
    let moves = moves.trim_start();
    parse_score(score).is_some() && (moves.is_empty() || moves.get(..2).is_some_and(|mv| mv.parse::<Square>().is_ok()))
}

/// The lines of a text with their numbers from 1; a line that is not text is an error at the column of its
/// first wrong byte.
pub(super) fn text_lines(bytes: &[u8]) -> impl Iterator<Item = (usize, Result<&str, (usize, Problem)>)> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let lines = bytes.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    lines.enumerate().map(|(at, line)| {
        let text = std::str::from_utf8(line).map_err(|error| {
            let before = String::from_utf8_lossy(&line[..error.valid_up_to()]);
            (before.chars().count() + 1, Problem::NotText)
        });
        (at + 1, text)
    })
}

/// Moves and score of a line.
fn split(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_end();
    let score = line.rsplit([' ', '\t', ',', ';']).next().filter(|score| !score.is_empty())?;
    Some((&line[..line.len() - score.len()], score))
}

/// A score, rounded to whole discs.
fn parse_score(text: &str) -> Option<i8> {
    let is_number = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'+' | b'-'));
    let score: f64 = text.parse().ok().filter(|_| is_number)?;
    intake::score(score.round() as i32)
}

/// Reads a book.
pub(super) fn read(bytes: &[u8]) -> Result<Intake, ImportError> {
    let mut intake = Intake::new(Settings::default());
    let mut passed = HashSet::new();
    for (number, text) in text_lines(bytes) {
        let at = |(column, problem): (usize, Problem)| problem.at(Place::Line { number, column });
        let line = without_comment(text.map_err(at)?);
        let Some((moves, word)) = split(line) else { continue };
        let column = moves.chars().count() + 1;
        let score = parse_score(word).ok_or_else(|| at((column, Problem::text(word, "a score in discs"))))?;
        let game = transcript::parse(&Position::default(), moves)
            .map_err(|error| at((error.column, Problem::Transcript(error.kind))))?;
        enter(&mut intake, &mut passed, &game, score, Place::Line { number, column });
    }
    leave_out(&mut intake.book, &passed);
    Ok(intake)
}

/// Adds the last position of a line with its score, and those before it, which lines have passed.
fn enter(intake: &mut Intake, passed: &mut HashSet<Board>, game: &Game, score: i8, place: Place) {
    let last = game.position();
    let last = last.play(Move::Pass).unwrap_or_else(|_| last.clone());
    let last = board_of(&last).map(|board| (last.side_to_move(), board.canonical()));
    for board in game.positions().iter().filter_map(board_of).map(Board::canonical) {
        if last.is_none_or(|(_, last)| last != board) {
            passed.insert(board);
        }
        if !intake.book.contains(&board) {
            intake.book.put(Node::new(board, Origin::Text));
        }
    }
    let Some((last, board)) = last else {
        intake.warn(Warning::Finished, place);
        return;
    };
    let value = if last == Color::Black { score } else { -score };
    let error = intake.book.settings.midgame_error as i8;
    let mut node = Node::new(board, Origin::Text);
    (node.value, node.lower, node.upper) = (value, (value - error).max(-64), (value + error).min(64));
    // the later line counts
    if intake.book.get(&board).is_some_and(|there| is_scored(there) && there.value != value) {
        intake.warn(Warning::Duplicate, place);
    }
    intake.book.put(node);
}

/// Takes out positions at which lines end and whose known moves are not worth their scores: there may be a better move, and a
/// node could not say so. They become the leaves of the positions before them.
fn leave_out(book: &mut Book, passed: &HashSet<Board>) {
    let mut order: Vec<usize> = (0..book.len()).collect();
    order.sort_unstable_by_key(|&at| book.nodes()[at].empties());
    let mut outside: HashMap<Board, i8> = HashMap::new();
    // beside the book: its own values stay those of the file until all is read
    let mut values: Vec<i8> = book.nodes().iter().map(|node| node.value).collect();
    for at in order {
        let node = book.nodes()[at];
        let mut best: Option<i8> = None;
        let mut leaf: Option<(i8, Square)> = None;
        for square in Squares(node.board.legal_moves()) {
            let value = match Next::of(node.board, square) {
                Next::Over(value) => Some(value),
                Next::Board { board, passed } => {
                    let (board, sign) = (board.canonical(), if passed { 1 } else { -1 });
                    let out = outside.get(&board).map(|value| sign * value);
                    if let Some(score) = out.filter(|score| leaf.is_none_or(|(other, _)| *score > other)) {
                        leaf = Some((score, square));
                    }
                    out.or_else(|| book.position(&board).map(|child| sign * values[child]))
                }
            };
            best = best.max(value);
        }
        let Some(best) = best else { continue };
        if is_scored(&node) && node.value != best && !passed.contains(&node.board) {
            outside.insert(node.board, node.value);
            continue;
        }
        if let Some((score, square)) = leaf {
            book.nodes_mut()[at].set_leaf(Leaf::Move { square, score }, 0);
        }
        values[at] = best;
    }
    if !outside.is_empty() {
        book.retain(|node| !outside.contains_key(&node.board));
    }
}

/// A line gave the node its value.
pub(super) fn is_scored(node: &Node) -> bool {
    (node.lower, node.upper) != (-64, 64)
}

/// A position on the way: as the moves left it, with the move that led to it.
struct Visit {
    board: Board,
    black: bool,
    from: Option<(usize, Square)>,
}

/// Writes the positions that are reached from the start, by ply, each with the first moves that lead to it.
///
/// # Errors
/// [`ExportError::NoStart`].
pub(super) fn write(book: &Book) -> Result<Exported, ExportError> {
    if !book.contains(&Board::START.canonical()) {
        return Err(ExportError::NoStart(book.len()));
    }
    let mut text = String::new();
    let mut seen: HashSet<Board> = HashSet::new();
    let mut visits = vec![Visit { board: Board::START, black: true, from: None }];
    // of the positions that are leaves, what they are worth to the side to move
    let mut scores: HashMap<Board, i8> = HashMap::new();
    let mut ambiguous: HashSet<Board> = HashSet::new();
    seen.insert(Board::START.canonical());
    let (mut at, mut nodes, mut unsearched) = (0, 0, 0);
    while at < visits.len() {
        let (board, black) = (visits[at].board, visits[at].black);
        let (canonical, symmetry) = board.canonical_by();
        // the leaves have been visited, too, and are no nodes
        if let Some(node) = book.get(&canonical) {
            nodes += 1;
            unsearched += usize::from(node.leaf() == Leaf::Unknown || graph::leaf_is_stale(book, node));
            put(&mut text, &visits, at, if black { node.value } else { -node.value });
            let leaf = match graph::leaf_on(node, symmetry) {
                Leaf::Move { square, score } => Some((square, score)),
                _ => None,
            };
            for square in moves_in_order(board) {
                let Next::Board { board: next, passed } = Next::of(board, square) else { continue };
                let next_canonical = next.canonical();
                let is_link = book.contains(&next_canonical);
                let score = leaf.filter(|&(leaf, _)| leaf == square && !is_link).map(|(_, score)| score);
                if let Some(score) = score.map(|score| if passed { score } else { -score })
                    && *scores.entry(next_canonical).or_insert(score) != score
                {
                    ambiguous.insert(next_canonical);
                }
                if score.is_none() && !is_link || !seen.insert(next_canonical) {
                    continue;
                }
                visits.push(Visit { board: next, black: black == passed, from: Some((at, square)) });
                if let Some(score) = score {
                    put(&mut text, &visits, visits.len() - 1, if black { score } else { -score });
                }
            }
        }
        at += 1;
    }
    ambiguous.extend(underrated(book, &visits, &scores));
    Ok(Exported { bytes: text.into_bytes(), left_out: book.len() - nodes, unsearched, ambiguous: ambiguous.len() })
}

/// Leaves that lead from another position to more than it is worth: there, some search has found the move no better than others.
fn underrated(book: &Book, visits: &[Visit], scores: &HashMap<Board, i8>) -> HashSet<Board> {
    let mut found = HashSet::new();
    for visit in visits {
        let Some(node) = book.get(&visit.board.canonical()) else { continue };
        for square in Squares(visit.board.legal_moves()) {
            let Next::Board { board, passed } = Next::of(visit.board, square) else { continue };
            let board = board.canonical();
            let score = scores.get(&board).map(|&score| if passed { score } else { -score });
            if score.is_some_and(|score| score > node.value) {
                found.insert(board);
            }
        }
    }
    found
}

/// The legal moves; from the start f5 is first, as all the world writes games.
fn moves_in_order(board: Board) -> impl Iterator<Item = Square> {
    let moves = board.legal_moves();
    let first = if board == Board::START { 1 << 37 } else { 0 };
    Squares(moves & first).chain(Squares(moves & !first))
}

/// A line: the moves to a position, and its score for Black.
fn put(text: &mut String, visits: &[Visit], at: usize, score: i8) {
    let mut squares = Vec::new();
    let mut from = visits[at].from;
    while let Some((before, square)) = from {
        squares.push(square);
        from = visits[before].from;
    }
    for square in squares.iter().rev() {
        write!(text, "{square}").expect("a String takes everything");
    }
    let blank = if squares.is_empty() { "" } else { " " };
    writeln!(text, "{blank}{score:+}").expect("a String takes everything");
}

#[cfg(test)]
mod tests {
    use super::super::{Format, Imported, import};
    use super::*;
    use crate::book::negamax::negamax;

    fn read_text(text: &str) -> Imported {
        import(text.as_bytes(), Format::Lines).unwrap_or_else(|error| panic!("{error}"))
    }

    fn value(imported: &Imported, moves: &str) -> Option<i8> {
        let game = transcript::parse(&Position::default(), moves).unwrap();
        imported.book.get(&board_of(game.position()).unwrap().canonical()).map(|node| node.value)
    }

    #[test]
    fn scores_are_for_black_and_ancestors_follow() {
        let imported = read_text("# scores\nF5 d6 C3 +2 # a comment\n\nf5f6,-1.4\r\n1. f5 f4 -7\n");
        assert!(imported.warnings.is_empty(), "{:?}", imported.warnings);
        assert_eq!(imported.book.len(), 6);
        // after f5d6c3 white is to move, after f5d6 black
        assert_eq!(["f5d6c3", "f5d6", "f5f6", "f5f4"].map(|moves| value(&imported, moves)), [-2, 2, -1, -7].map(Some));
        assert_eq!(value(&imported, "f5"), Some(7), "white takes the 7 discs of f4");
        assert_eq!(value(&imported, ""), Some(-7));
        assert!(imported.book.nodes().iter().all(|node| node.origin() == Origin::Text && node.level == 0));
        let alone = read_text("-3\n");
        assert_eq!((alone.book.len(), alone.book.nodes()[0].value), (1, -3));
    }

    #[test]
    fn positions_with_moves_follow_them() {
        let imported = read_text("f5 +5\nf5d6 +1\nf5d6 +2\nF5D6 2\n");
        assert_eq!((value(&imported, "f5"), value(&imported, "f5d6")), (Some(-2), Some(2)));
        assert_eq!(imported.warnings.count(Warning::Value), 1);
        assert_eq!(imported.warnings.count(Warning::Duplicate), 1);
    }

    #[test]
    fn ends_that_transpose_to_worse_moves_are_leaves() {
        // f5d6c4d3c3 is f5d6c3d3c4; f5d6c4d3 is scored better for black than its one known move, c3
        let imported = read_text("f5d6c3d3c4 +1\nf5d6c4d3 +6\n");
        assert_eq!(value(&imported, "f5d6c4d3"), None);
        assert_eq!((value(&imported, "f5d6c4"), value(&imported, "f5d6")), (Some(-6), Some(6)));
        let again = import(&write(&imported.book).unwrap().bytes, Format::Lines).unwrap();
        assert_eq!(again.book.sorted(), imported.book.sorted());
        // where the known move is as good, the position is one of the book
        let imported = read_text("f5d6c3d3c4 +6\nf5d6c4d3 +6\n");
        assert_eq!(value(&imported, "f5d6c4d3"), Some(6));
    }

    #[test]
    fn leaves_with_several_scores_are_counted() {
        let written = |scores: [i8; 2]| {
            let mut book = read_text("f5d6c3d3 +1\nf5d6c4d3 +1\n").book;
            // one position behind both
            for ((moves, square), score) in [("f5d6c3d3", "c4"), ("f5d6c4d3", "c3")].into_iter().zip(scores) {
                let (canonical, symmetry) = graph::board(moves).canonical_by();
                let square = crate::board::transform_square(square.parse().unwrap(), symmetry);
                let at = book.position(&canonical).unwrap();
                book.nodes_mut()[at].set_leaf(Leaf::Move { square, score }, 5);
            }
            negamax(&mut book, |_| {});
            write(&book).unwrap()
        };
        assert_eq!(written([4, 4]).ambiguous, 0);
        let written = written([4, 6]);
        assert_eq!(written.ambiguous, 1);
        let text = String::from_utf8(written.bytes).unwrap();
        assert!(text.contains("\nf5d6c3d3c4 +4\n") && !text.contains("f5d6c4d3c3"), "{text}");
    }

    #[test]
    fn leaves_that_another_position_values_less_are_counted() {
        let mut book = read_text("f5d6c3d3c4 +4\n").book;
        let mut put = |moves: &str, square: &str, score: i8| {
            let (canonical, symmetry) = graph::board(moves).canonical_by();
            let mut node = Node::new(canonical, Origin::Text);
            let square = crate::board::transform_square(square.parse().unwrap(), symmetry);
            node.set_leaf(Leaf::Move { square, score }, 5);
            book.put(node);
        };
        // c4 after f5d6c3d3 is the same as c3 after f5d6c4d3, where e6 is thought to be best
        put("f5d6c3d3", "c4", 4);
        put("f5d6c4", "g5", -1);
        put("f5d6c4d3", "e6", 1);
        book.retain(|node| node.board != graph::board("f5d6c3d3c4").canonical());
        negamax(&mut book, |_| {});
        let written = write(&book).unwrap();
        assert_eq!(written.ambiguous, 1);
        let again = import(&written.bytes, Format::Lines).unwrap().book;
        let at = graph::board("f5d6c4d3").canonical();
        assert_eq!([&book, &again].map(|book| book.get(&at).unwrap().value), [1, 4]);
    }

    #[test]
    fn passes_may_be_written_or_not() {
        let black = "f5f6d3g5h5h4f7h6";
        for moves in [black.to_string(), format!("{black}pa"), format!("{black} --"), format!("{black} ps ")] {
            let imported = read_text(&format!("{moves} -20\n"));
            assert_eq!(value(&imported, &format!("{black}pa")), Some(20), "{moves}: white is to move again");
            assert_eq!(value(&imported, "f5f6d3g5h5h4f7"), Some(20));
        }
        let over = read_text("f5d6c5f4e7f6g5e6e3 +64\n");
        assert_eq!((over.warnings.count(Warning::Finished), value(&over, "f5d6c5f4e7f6g5e6")), (1, Some(64)));
    }

    #[test]
    fn errors_have_line_and_column() {
        let error = |text: &str| import(text.as_bytes(), Format::Lines).map(|_| ()).unwrap_err().to_string();
        assert_eq!(error("f5 1\nf5d6"), "line 2, column 1: 'f5d6' is not a score in discs");
        assert_eq!(error("f5 e5 1"), "line 1, column 4: white cannot play 'e5': a disc of black stands there");
        assert_eq!(error("f5d6 65"), "line 1, column 6: '65' is not a score in discs");
        assert_eq!(error("f5d6 inf"), "line 1, column 6: 'inf' is not a score in discs");
        assert!(error("\n\nf5 xx 3").starts_with("line 3, column 4: "));
    }

    #[test]
    fn what_lines_look_like() {
        assert!(is_line("f5d6 +2") && is_line("F5,1") && is_line("0") && is_line(" f5 -1.5 "));
        assert!(!is_line("f5d6") && !is_line("hello 3") && !is_line("") && !is_line("f5d6 x"));
        assert_eq!([parse_score("+3.5"), parse_score("-0.4"), parse_score("1e1")], [Some(4), Some(0), None]);
    }
}
