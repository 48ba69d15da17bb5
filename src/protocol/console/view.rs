//! The board as text for people.

use std::fmt::Write;

use crate::analysis::review::Review;
use crate::analysis::symmetry::image_of_position;
use crate::formats::notation::{Dialect, in_dialect};
use crate::formats::quantity::{noun, plural};
use crate::formats::{result_text, transcript};
use crate::game::Game;
use crate::rules::{Bits, Color, Move, Point, Position, Start};
use crate::search::{Line, Report};

/// How a board is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// As scripts know it: the last move in brackets.
    Plain,
    /// Also the discs it turned, in parentheses.
    Marked,
    /// In a terminal's colours: the last move reversed, the discs it turned underlined.
    Colored,
}

/// What is special about a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Last,
    Turned,
}

/// The marks of the last move of a game.
struct Marks {
    last: Option<Point>,
    turned: Bits,
}

impl Marks {
    fn of(game: &Game, look: Look) -> Marks {
        let before = game.positions().iter().rev().nth(1);
        match (game.moves().last(), before) {
            (Some(&mv @ Move::Place { at, .. }), Some(before)) => {
                let turned = if look == Look::Plain { Bits::EMPTY } else { before.flips(mv) };
                Marks { last: Some(at), turned }
            }
            _ => Marks { last: None, turned: Bits::EMPTY },
        }
    }

    fn at(&self, point: Option<Point>) -> Option<Mark> {
        match point? {
            point if Some(point) == self.last => Some(Mark::Last),
            point if self.turned.contains(point) => Some(Mark::Turned),
            _ => None,
        }
    }

    /// The sign between two squares: it closes the brackets of the left one and opens those of the right one.
    fn between(&self, left: Option<Point>, right: Option<Point>, look: Look) -> char {
        match (self.at(left), self.at(right)) {
            _ if look == Look::Colored => ' ',
            (_, Some(Mark::Last)) => '[',
            (Some(Mark::Last), _) => ']',
            (None, Some(Mark::Turned)) => '(',
            (Some(Mark::Turned), None) => ')',
            _ => ' ',
        }
    }
}

/// A square in colour: the first side's discs cyan, the second side's magenta, legal moves green.
fn colored(symbol: char, color: Option<Color>, is_legal: bool, mark: Option<Mark>) -> String {
    let hue = match color {
        Some(Color::Black) => "36",
        Some(Color::White) => "35",
        None if is_legal => "32",
        None => return symbol.to_string(),
    };
    let mark = match mark {
        Some(Mark::Last) => "1;7;",
        Some(Mark::Turned) => "4;",
        None => "",
    };
    format!("\x1b[{mark}{hue}m{symbol}\x1b[0m")
}

/// The board with coordinates, legal moves (`.`), the last move, and the state of the game beside it.
///
/// With the rows numbered from the bottom the picture is the same, and squares have the names that these numbers give them.
pub fn board(game: &Game, dialect: Dialect, look: Look) -> String {
    let position = game.position();
    let rules = position.rules();
    let symbols = rules.symbols();
    let holes = rules.holes();
    let number = |row: u8| if dialect == Dialect::FromBottom { rules.rows() - row } else { row + 1 };
    let legal = position.legal_moves();
    let is_legal = |point| legal.iter().any(|mv| matches!(mv, Move::Place { at, .. } if *at == point));
    let marks = Marks::of(game, look);
    let panel = panel(game, dialect);
    let letters: String = (0..rules.columns()).map(|column| format!(" {}", (b'a' + column) as char)).collect();
    let mut text = format!("   {letters}\n");
    for row in 0..rules.rows() {
        let _ = write!(text, "{:>3}", number(row));
        for column in 0..=rules.columns() {
            let here = (column < rules.columns()).then_some(Point { row, column });
            let left = column.checked_sub(1).map(|column| Point { row, column });
            text.push(marks.between(left, here, look));
            let Some(point) = here else { continue };
            let color = position.disc_at(point);
            let symbol = match color {
                Some(color) => symbols[color.index()],
                None if holes.contains(point) => '#',
                None if is_legal(point) => '.',
                None => '-',
            };
            match look {
                Look::Colored => text += &colored(symbol, color, symbol == '.', marks.at(here)),
                _ => text.push(symbol),
            }
        }
        let _ = write!(text, "{:<2}", number(row));
        if let Some(line) = panel.get(row as usize) {
            let _ = write!(text, "  {line}");
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text + &format!("   {letters}")
}

/// What stands beside the board; at most four lines, for the smallest board has four rows.
fn panel(game: &Game, dialect: Dialect) -> Vec<String> {
    let position = game.position();
    let rules = position.rules();
    let mut lines = vec![format!("{}, ply {}, {} empty", rules, game.moves().len() + 1, position.empty_count(),)];
    let width = [Color::Black, Color::White].map(|color| rules.color_name(color).len()).into_iter().max().unwrap_or(0);
    for color in [Color::Black, Color::White] {
        let to_move = color == position.side_to_move() && !position.is_game_over();
        let discs = position.discs(color).count();
        let mut line = format!(
            "{} {} {:<width$} {discs:>3} {}",
            if to_move { '>' } else { ' ' },
            rules.symbols()[color.index()],
            rules.color_name(color),
            noun(discs.into(), "disc", "discs"),
        );
        if let Some(hand) = position.in_hand(color) {
            let _ = write!(line, ", {hand} in hand");
        }
        if to_move {
            let places = position.legal_moves().iter().filter(|mv| **mv != Move::Pass).count();
            let _ = match places {
                0 if position.in_hand(color) == Some(0) => write!(line, ", must pass (no disc in hand)"),
                0 => write!(line, ", must pass (no square turns a disc)"),
                _ => write!(line, ", {}", plural(places as u64, "move")),
            };
        }
        lines.push(line);
    }
    lines.push(match game.moves().last() {
        _ if position.is_game_over() => result_text(position),
        Some(mv) => {
            let before = &game.positions()[game.moves().len() - 1];
            let mv = in_dialect(dialect, rules.rows(), *mv);
            format!("last move: {} {mv}", rules.color_name(before.side_to_move()))
        }
        None if *rules.start() == Start::Placement && position.placements_left() > 0 => {
            "the players place the centre discs first".to_string()
        }
        None => String::new(),
    });
    lines
}

/// The moves of a game as a transcript in a dialect.
pub(super) fn moves(game: &Game, dialect: Dialect) -> String {
    if dialect != Dialect::FromBottom {
        return transcript::write(game);
    }
    let rows = game.position().rules().rows();
    let text = |mv: &Move| match mv {
        Move::Pass => String::new(),
        mv => in_dialect(dialect, rows, *mv).to_string(),
    };
    game.moves().iter().map(text).collect::<String>() + if game.moves().last() == Some(&Move::Pass) { "pa" } else { "" }
}

/// The symmetry that mirrors top and bottom.
const TOP_AND_BOTTOM: u8 = 2;

/// The position whose squares have the names that a reader sees: with rows from the bottom its mirror image.
pub(super) fn seen(dialect: Dialect, position: &Position) -> Position {
    let mirrored = (dialect == Dialect::FromBottom).then(|| image_of_position(position, TOP_AND_BOTTOM)).flatten();
    mirrored.unwrap_or_else(|| position.clone())
}

fn seen_line(dialect: Dialect, rows: u8, line: &Line) -> Line {
    let turn = |mv: &Move| in_dialect(dialect, rows, *mv);
    Line { mv: turn(&line.mv), pv: line.pv.iter().map(turn).collect(), ..line.clone() }
}

/// The report of a search with the names of squares that a reader sees.
pub(super) fn seen_report(dialect: Dialect, position: &Position, report: &Report) -> Report {
    let rows = position.rules().rows();
    Report { lines: report.lines.iter().map(|line| seen_line(dialect, rows, line)).collect(), ..report.clone() }
}

/// A review with the names of squares that a reader sees.
pub(super) fn seen_review(dialect: Dialect, game: &Game, mut review: Review) -> Review {
    let rows = game.position().rules().rows();
    for one in &mut review.moves {
        one.played = seen_line(dialect, rows, &one.played);
        one.alternatives = one.alternatives.iter().map(|line| seen_line(dialect, rows, line)).collect();
    }
    review
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RuleSet;
    use std::sync::Arc;

    #[test]
    fn the_board_after_three_moves() {
        let game = transcript::parse(&Position::default(), "f5d6c3").unwrap();
        let expected = "    a b c d e f g h
  1 - - - - - - - - 1   othello, ply 4, 57 empty
  2 - - - - - - - - 2     X black   5 discs
  3 - -[X]. - . - - 3   > O white   2 discs, 4 moves
  4 - - - X X . - - 4   last move: black c3
  5 - - - O X X . - 5
  6 - - - O - - - - 6
  7 - - - - - - - - 7
  8 - - - - - - - - 8
    a b c d e f g h";
        assert_eq!(board(&game, Dialect::Plain, Look::Plain), expected);
    }

    #[test]
    fn what_people_see_of_the_last_move() {
        let game = transcript::parse(&Position::default(), "f5d6c3").unwrap();
        let marked = board(&game, Dialect::Plain, Look::Marked);
        assert_eq!(marked.lines().nth(3), Some("  3 - -[X]. - . - - 3   > O white   2 discs, 4 moves"));
        assert_eq!(marked.lines().nth(4), Some("  4 - - -(X)X . - - 4   last move: black c3"));
        let row = transcript::parse(&Position::default(), "f5f6").unwrap();
        assert_eq!(
            board(&row, Dialect::Plain, Look::Marked).lines().nth(5).unwrap().trim_end(),
            "  5 - - - X(O)X - - 5"
        );
        let beside = transcript::parse(&Position::default(), "f5").unwrap();
        assert_eq!(board(&beside, Dialect::Plain, Look::Marked).lines().nth(5), Some("  5 - - - X(X[X]- - 5"));
        let colored = board(&game, Dialect::Plain, Look::Colored);
        for part in ["\x1b[1;7;36mX\x1b[0m", "\x1b[4;36mX\x1b[0m", "\x1b[35mO\x1b[0m", "\x1b[32m.\x1b[0m"] {
            assert!(colored.contains(part), "{part:?}: {colored:?}");
        }
        // without the colours it is the plain board without brackets
        let mut bare = colored;
        while let Some(at) = bare.find('\x1b') {
            let end = at + bare[at..].find('m').unwrap();
            bare.replace_range(at..=end, "");
        }
        assert_eq!(bare, board(&game, Dialect::Plain, Look::Plain).replace(['[', ']'], " "));
    }

    #[test]
    fn last_move_at_the_edges_and_large_boards() {
        let rules = Arc::new("othello:16x16".parse::<RuleSet>().unwrap());
        let mut game = Game::new(rules);
        let first = game.position().legal_moves()[0];
        game.play(first).unwrap();
        let text = board(&game, Dialect::Plain, Look::Plain);
        assert_eq!(text.lines().count(), 18);
        assert_eq!((text.matches('[').count(), text.matches(']').count()), (1, 1));
        assert!(text.starts_with("    a b c"), "{text}");
        assert!(text.ends_with(" o p"), "{text}");
    }

    #[test]
    fn rows_from_the_bottom_and_holes() {
        let start = Game::new(Arc::new("hungarian:4x4".parse::<RuleSet>().unwrap()));
        let expected = "    a b c d
  4 - - . - 4   hungarian:4x4, ply 1, 12 empty
  3 - o O . 3   > o o   2 discs, 4 moves
  2 . O o - 2     O O   2 discs
  1 - . - - 1
    a b c d";
        assert_eq!(board(&start, Dialect::FromBottom, Look::Plain), expected);
        let mut game = start;
        crate::formats::transcript::play_in(Dialect::FromBottom, &mut game, "c4").unwrap();
        assert_eq!(game.moves()[0].to_string(), "c1");
        assert_eq!(moves(&game, Dialect::FromBottom), "c4");
        assert!(board(&game, Dialect::FromBottom, Look::Plain).contains("last move: o c4"));
        assert_eq!(seen(Dialect::FromBottom, game.position()).to_string(), "hungarian:4x4 4/1OX1/1XX1/2X1 O");
        let octagon = Game::new(Arc::new("octagon".parse::<RuleSet>().unwrap()));
        assert!(
            board(&octagon, Dialect::Plain, Look::Plain)
                .contains("\n  1 # # - - - - - - # # 1   octagon, ply 1, 84 empty\n")
        );
    }
}
