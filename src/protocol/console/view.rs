//! The board as text for people.

use std::fmt::Write;

use crate::analysis::review::Review;
use crate::formats::notation::{Dialect, in_dialect};
use crate::formats::transcript;
use crate::game::Game;
use crate::rules::{Bits, Color, Move, Point, Position, Start};
use crate::search::{Line, Report};

/// The board with coordinates, legal moves (`.`), the last move (in brackets), and the state of the game beside it.
///
/// With the rows numbered from the bottom the picture is the same, and squares have the names that these numbers give them.
pub fn board(game: &Game, dialect: Dialect) -> String {
    let position = game.position();
    let rules = position.rules();
    let symbols = rules.symbols();
    let holes = rules.holes();
    let number = |row: u8| if dialect == Dialect::FromBottom { rules.rows() - row } else { row + 1 };
    let legal = position.legal_moves();
    let is_legal = |point| legal.iter().any(|mv| matches!(mv, Move::Place { at, .. } if *at == point));
    let last = match game.moves().last() {
        Some(Move::Place { at, .. }) => Some(*at),
        _ => None,
    };
    let panel = panel(game, dialect);
    let letters: String = (0..rules.columns()).map(|column| format!(" {}", (b'a' + column) as char)).collect();
    let mut text = format!("   {letters}\n");
    for row in 0..rules.rows() {
        let _ = write!(text, "{:>3}", number(row));
        for column in 0..=rules.columns() {
            // the sign before a square also closes the brackets of the one to its left
            let here = Some(Point { row, column });
            let left = column.checked_sub(1).map(|column| Point { row, column });
            text.push(match last {
                Some(_) if column < rules.columns() && here == last => '[',
                Some(_) if left == last => ']',
                _ => ' ',
            });
            if column < rules.columns() {
                let point = Point { row, column };
                text.push(match position.disc_at(point) {
                    Some(color) => symbols[color.index()],
                    None if holes.contains(point) => '#',
                    None if is_legal(point) => '.',
                    None => '-',
                });
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
        let mut line = format!(
            "{} {} {:<width$} {:>3} {}",
            if to_move { '>' } else { ' ' },
            rules.symbols()[color.index()],
            rules.color_name(color),
            position.discs(color).count(),
            if position.discs(color).count() == 1 { "disc" } else { "discs" },
        );
        if let Some(hand) = position.in_hand(color) {
            let _ = write!(line, ", {hand} in hand");
        }
        if to_move {
            let places = position.legal_moves().iter().filter(|mv| **mv != Move::Pass).count();
            let _ = match places {
                0 if position.in_hand(color) == Some(0) => write!(line, ", must pass (no disc in hand)"),
                0 => write!(line, ", must pass (no square turns a disc)"),
                1 => write!(line, ", 1 move"),
                _ => write!(line, ", {places} moves"),
            };
        }
        lines.push(line);
    }
    lines.push(match game.moves().last() {
        _ if position.is_game_over() => result(position),
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

/// The position whose squares have the names that a reader sees: with rows from the bottom its mirror image.
pub(super) fn seen(dialect: Dialect, position: &Position) -> Position {
    let rules = position.rules();
    if dialect != Dialect::FromBottom || position.placements_left() > 0 {
        return position.clone();
    }
    let turned = |color| {
        let turn = |point: Point| Point { row: rules.rows() - 1 - point.row, ..point };
        position.discs(color).iter().fold(Bits::EMPTY, |mut set, point| (set.insert(turn(point)), set).1)
    };
    let side = position.side_to_move();
    let mirrored = Position::from_discs(rules.clone(), turned(Color::Black), turned(Color::White), side);
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

/// The outcome of a finished game in words: `black wins 40-24`.
pub fn result(position: &Position) -> String {
    let rules = position.rules();
    let [black, white] = [Color::Black, Color::White].map(|color| position.discs(color).count());
    match position.winner() {
        None => format!("game over: draw, {black}-{white}"),
        Some(winner) => {
            let (own, other) = if winner == Color::Black { (black, white) } else { (white, black) };
            let why = if own == other { " (equal counts: the player who moved second wins)" } else { "" };
            format!("game over: {} wins {own}-{other}{why}", rules.color_name(winner))
        }
    }
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
        assert_eq!(board(&game, Dialect::Plain), expected);
    }

    #[test]
    fn last_move_at_the_edges_and_large_boards() {
        let rules = Arc::new("othello:16x16".parse::<RuleSet>().unwrap());
        let mut game = Game::new(rules);
        let first = game.position().legal_moves()[0];
        game.play(first).unwrap();
        let text = board(&game, Dialect::Plain);
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
        assert_eq!(board(&start, Dialect::FromBottom), expected);
        let mut game = start;
        crate::formats::transcript::play_in(Dialect::FromBottom, &mut game, "c4").unwrap();
        assert_eq!(game.moves()[0].to_string(), "c1");
        assert_eq!(moves(&game, Dialect::FromBottom), "c4");
        assert!(board(&game, Dialect::FromBottom).contains("last move: o c4"));
        assert_eq!(seen(Dialect::FromBottom, game.position()).to_string(), "hungarian:4x4 4/1OX1/1XX1/2X1 O");
        let octagon = Game::new(Arc::new("octagon".parse::<RuleSet>().unwrap()));
        assert!(board(&octagon, Dialect::Plain).contains("\n  1 # # - - - - - - # # 1   octagon, ply 1, 84 empty\n"));
    }

    #[test]
    fn the_winner_of_equal_counts_is_explained() {
        let end: Position = "ravensburger:4x4 XX2/4/4/OO2 X".parse().unwrap();
        assert_eq!(result(&end), "game over: black wins 2-2 (equal counts: the player who moved second wins)");
        let end: Position = "othello:4x4 XX2/4/4/OO2 X".parse().unwrap();
        assert_eq!(result(&end), "game over: draw, 2-2");
    }
}
