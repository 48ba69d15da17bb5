//! Edax's text form: a position a line.
//!
//! 64 squares from a1 to h8, row by row, `X` for the side to move; a blank, `X`, and behind commas the level, the best move that
//! does not lead into the book and its score: `... X,16,F6,-2`. `--` is no move and `PA` a pass; -127 is no score. `O` to move
//! means that the `O` are the mover's. Values and links are not written; blank lines and `#` comments are skipped.

use std::io::Write;

use super::Exported;
use super::edax::{level, places, put_all};
use super::intake::{self, Intake};
use super::lines::{text_lines, without_comment};
use super::report::{ImportError, Place, Problem, Warning};
use crate::board::{Board, Square, transform_square};
use crate::book::graph::{Known, outward};
use crate::book::node::{Leaf, Origin};
use crate::book::store::{Book, Settings};

/// A line of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Line {
    /// Seen by the side to move.
    board: Board,
    level: u8,
    leaf: Word,
}

/// What a line says about the leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    None,
    Pass,
    Move(Square, i8),
}

/// The line begins with a board.
pub(super) fn is_line(line: &str) -> bool {
    let squares = line.trim_start().bytes().take_while(|byte| disc(*byte).is_some());
    squares.count() == 64
}

/// What a character of a board means: mover, opponent, empty.
fn disc(byte: u8) -> Option<u8> {
    match byte {
        b'X' | b'x' | b'*' => Some(0),
        b'O' | b'o' => Some(1),
        b'-' | b'.' => Some(2),
        _ => None,
    }
}

/// Reads a book; the values are still to be found.
pub(super) fn read(bytes: &[u8]) -> Result<Intake, ImportError> {
    let mut intake = Intake::new(Settings::default());
    for (number, text) in text_lines(bytes) {
        let at = |(column, problem): (usize, Problem)| problem.at(Place::Line { number, column });
        let text = without_comment(text.map_err(at)?);
        if text.trim().is_empty() {
            continue;
        }
        // blanks before the board may be any of Unicode's
        let line = parse(text).map_err(|(byte, problem)| at((text[..byte - 1].chars().count() + 1, problem)))?;
        take(&mut intake, line, number).map_err(|problem| at((1, problem)))?;
    }
    Ok(intake)
}

fn take(intake: &mut Intake, line: Line, number: usize) -> Result<(), Problem> {
    let place = Place::Line { number, column: 1 };
    let Some((canonical, symmetry)) = intake.admit(line.board, place)? else { return Ok(()) };
    let mut node = intake::node(canonical, Origin::Edax, 0, line.level);
    let leaf = match line.leaf {
        Word::None => Leaf::None,
        Word::Move(square, score) if line.board.legal_moves() & square.bit() != 0 => {
            match intake::score(score.into()) {
                Some(score) => Leaf::Move { square: transform_square(square, symmetry), score },
                None => Leaf::Unknown,
            }
        }
        _ => {
            intake.warn(Warning::Leaf, place);
            Leaf::Unknown
        }
    };
    node.set_leaf(leaf, line.level);
    intake.put(node, place);
    Ok(())
}

/// Reads a line; an error comes with its byte, from 1.
fn parse(text: &str) -> Result<Line, (usize, Problem)> {
    let begin = text.len() - text.trim_start().len();
    let mut board = Board { player: 0, opponent: 0 };
    for index in 0..64 {
        let column = begin + index + 1;
        let Some(&byte) = text.as_bytes().get(begin + index) else {
            return Err((column, Problem::Missing("a square")));
        };
        match disc(byte) {
            Some(0) => board.player |= 1 << index,
            Some(1) => board.opponent |= 1 << index,
            Some(_) => {}
            None => {
                let found: String = text[begin + index..].chars().take(1).collect();
                return Err((column, Problem::text(&found, "a square (X, O or -)")));
            }
        }
    }
    let mut rest = Fields { text, at: begin + 64 };
    let side = rest.next("the side to move")?;
    let board = match side.1 {
        "X" | "x" | "*" => board,
        "O" | "o" => board.pass(),
        other => return Err((side.0, Problem::text(other, "X or O"))),
    };
    let level = rest.next("the level")?;
    let level = number(level, -1..=127, "a level")?.max(0) as u8;
    let (column, leaf) = rest.next("the best move")?;
    let square = match leaf.to_ascii_uppercase().as_str() {
        "--" => None,
        "PA" | "PS" => Some(None),
        _ => Some(Some(leaf.parse().map_err(|_| (column, Problem::text(leaf, "a move, PA or --")))?)),
    };
    let score = rest.next("the score")?;
    let score = number(score, -127..=127, "a score")? as i8;
    let leaf = match square {
        None => Word::None,
        Some(None) => Word::Pass,
        Some(Some(square)) => Word::Move(square, score),
    };
    match rest.text[rest.at..].trim() {
        "" => Ok(Line { board, level, leaf }),
        more => Err((rest.at + 1, Problem::text(more, "the end of the line"))),
    }
}

fn number(
    (column, text): (usize, &str),
    range: std::ops::RangeInclusive<i32>,
    wanted: &'static str,
) -> Result<i32, (usize, Problem)> {
    let number = text.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| (column, Problem::text(text, wanted)))
}

/// What is between the commas of a line.
struct Fields<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Fields<'a> {
    /// The next field with its column.
    fn next(&mut self, wanted: &'static str) -> Result<(usize, &'a str), (usize, Problem)> {
        let rest = &self.text[self.at..];
        let (field, used) = match rest.find(',') {
            Some(end) => (&rest[..end], end + 1),
            None => (rest, rest.len()),
        };
        let column = self.at + field.len() - field.trim_start().len() + 1;
        if field.trim().is_empty() {
            return Err((column, Problem::Missing(wanted)));
        }
        self.at += used;
        Ok((column, field.trim()))
    }
}

/// Writes a book, the emptiest boards first.
pub(super) fn write(book: &Book) -> Exported {
    let mut bytes = Vec::new();
    let put_node = |text: &mut Vec<u8>, at: usize, known: &[Known]| {
        let node = &book.nodes()[at];
        let leaf = outward(node.leaf(), known);
        put(text, node.board, level(node, leaf), leaf);
    };
    let put_pass = |text: &mut Vec<u8>, board, after: usize| put(text, board, book.nodes()[after].level, Leaf::None);
    let unsearched = put_all(book, &places(book), &mut bytes, put_node, put_pass);
    Exported { bytes, left_out: 0, unsearched, ambiguous: 0 }
}

/// A line.
fn put(text: &mut Vec<u8>, board: Board, level: u8, leaf: Leaf) {
    text.extend((0..64).map(|at| match (board.player >> at & 1, board.opponent >> at & 1) {
        (1, _) => b'X',
        (_, 1) => b'O',
        _ => b'-',
    }));
    let level = if level > 60 { 0 } else { level };
    let written = match leaf {
        Leaf::Move { square, score } => writeln!(text, " X,{level},{square:#},{score}"),
        Leaf::None | Leaf::Unknown => writeln!(text, " X,{level},--,-127"),
    };
    written.expect("a Vec takes everything");
}

#[cfg(test)]
mod tests {
    use super::super::{Format, ImportError, import};
    use super::*;
    use crate::book::node::Node;

    /// The three positions of the book notes.
    pub(crate) const THREE: &str = "\
---------------------------OX------XO--------------------------- X,16,--,-127
---------------------------XO------OOO-------------------------- X,16,F6,-2
-------------------X-------XX-----OOO--------------------------- X,16,F6,1
";

    fn error(text: &str) -> String {
        import(text.as_bytes(), Format::EdaxText).map(|_| ()).unwrap_err().to_string()
    }

    #[test]
    fn the_notes_lines_are_read_and_written() {
        let imported = import(THREE.as_bytes(), Format::EdaxText).unwrap();
        assert!(imported.warnings.is_empty(), "{:?}", imported.warnings);
        let values: Vec<i8> = imported.book.nodes().iter().map(|node| node.value).collect();
        assert_eq!(values, [1, -1, 1]);
        assert!(imported.book.nodes().iter().all(|node| (node.level, node.leaf_level()) == (16, 16)));
        assert_eq!(String::from_utf8(write(&imported.book).bytes).unwrap(), THREE);
    }

    /// Levels of the format begin at -1.
    #[test]
    fn levels_that_are_none() {
        for level in ["0", "-1"] {
            let text = THREE.replacen("X,16,F6,1", &format!("X,{level},F6,1"), 1);
            let book = import(text.as_bytes(), Format::EdaxText).unwrap().book;
            assert_eq!(book.nodes().iter().filter(|node| node.level == 0).count(), 1, "{level}");
        }
        assert!(error(&THREE.replacen("X,16,F6,1", "X,-2,F6,1", 1)).contains("level"));
    }

    #[test]
    fn images_sides_cases_and_comments() {
        let plain = import(THREE.as_bytes(), Format::EdaxText).unwrap().book;
        // f5 with O to move, in another orientation, in lower case; CRLF, comments and blank lines
        let f5 = Board::START.play("e6".parse().unwrap()).unwrap().pass();
        let squares: String = (0..64)
            .map(|at| match (f5.player >> at & 1, f5.opponent >> at & 1) {
                (1, _) => 'x',
                (_, 1) => 'o',
                _ => '.',
            })
            .collect();
        let lines: Vec<&str> = THREE.lines().collect();
        let (_, symmetry) = f5.pass().canonical_by();
        let square = transform_square("f6".parse().unwrap(), crate::book::graph::inverse(symmetry));
        let text = format!("# a book\r\n\r\n{}\r\n{squares} o, 16, {square}, -2 # e6\r\n{}", lines[0], lines[2]);
        let imported = import(text.as_bytes(), Format::EdaxText).unwrap();
        assert_eq!(imported.book.sorted(), plain.sorted());
        assert_eq!(imported.warnings.count(Warning::Turned), u64::from(symmetry != 0));
    }

    #[test]
    fn passes_are_written_and_left_out_again() {
        let after = "f5f6d3g5h5h4f7".as_bytes().chunks(2).map(|mv| std::str::from_utf8(mv).unwrap());
        let before = after.fold(Board::START, |board, mv| board.play(mv.parse().unwrap()).unwrap());
        let pass = before.play("h6".parse().unwrap()).unwrap();
        let mut first = Node::new(before.canonical(), Origin::Edax);
        let mut second = Node::new(pass.pass().canonical(), Origin::Edax);
        for node in [&mut first, &mut second] {
            node.level = 7;
            let square = crate::board::Squares(node.board.legal_moves())
                .find(|square| node.board.play(*square).unwrap().legal_moves() != 0);
            node.set_leaf(Leaf::Move { square: square.unwrap(), score: 3 }, 7);
        }
        let mut book: Book = [first, second].into_iter().collect();
        crate::book::negamax::negamax(&mut book, |_| {});
        let text = String::from_utf8(write(&book).bytes).unwrap();
        assert_eq!(text.lines().count(), 3);
        assert!(text.lines().any(|line| line.ends_with(" X,7,--,-127")), "{text}");
        let imported = import(text.as_bytes(), Format::EdaxText).unwrap();
        assert_eq!((imported.book.sorted(), imported.warnings.count(Warning::Pass)), (book.sorted(), 1));
        assert!(crate::book::graph::known_moves(&book, before.canonical()).any(|known| known.passed));
    }

    #[test]
    fn errors_have_line_and_column() {
        let board = &THREE[..64];
        assert_eq!(error("\n---"), "line 2, column 4: a square is missing");
        assert_eq!(error(&THREE.replacen("XO", "X?", 1)), "line 1, column 37: '?' is not a square (X, O or -)");
        assert_eq!(error(&format!("{board} Z,1,--,0")), "line 1, column 66: 'Z' is not X or O");
        assert_eq!(error(&format!("{board} X,200,--,0")), "line 1, column 68: '200' is not a level");
        assert_eq!(error(&format!("{board} X,1,k9,0")), "line 1, column 70: 'k9' is not a move, PA or --");
        assert_eq!(error(&format!("{board} X,1,d3,128")), "line 1, column 73: '128' is not a score");
        assert_eq!(error(&format!("{board} X,1,d3")), "line 1, column 72: the score is missing");
        assert_eq!(error(&format!("{board} X,1,d3,1,2")), "line 1, column 75: '2' is not the end of the line");
        let centre = format!("{} X,1,--,0", "-".repeat(64));
        assert_eq!(error(&centre), "line 1, column 1: a centre square is empty");
        let text = [THREE.as_bytes(), &[0xFF, b'\n']].concat();
        let ImportError { place, problem } = import(&text, Format::EdaxText).map(|_| ()).unwrap_err();
        assert_eq!((place, problem), (Place::Line { number: 4, column: 1 }, Problem::NotText));
        let text = [THREE.as_bytes(), "# d\u{e9}j\u{e0} ".as_bytes(), &[0xFF]].concat();
        let column = |text: &[u8]| import(text, Format::EdaxText).map(|_| ()).unwrap_err().place;
        assert_eq!(column(&text), Place::Line { number: 4, column: 8 });
        assert_eq!(error("\u{3000}-\u{e9}"), "line 1, column 3: '\u{e9}' is not a square (X, O or -)");
        assert_eq!(error(&format!("\u{3000}{board} X,1,k9,0")), "line 1, column 71: 'k9' is not a move, PA or --");
        let strange = THREE.replacen("F6,-2", "A1,-2", 1);
        let imported = import(strange.as_bytes(), Format::EdaxText).unwrap();
        assert_eq!(imported.warnings.count(Warning::Leaf), 1);
    }
}
