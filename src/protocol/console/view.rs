//! The board as text for people.

use std::fmt::Write;

use crate::game::Game;
use crate::rules::{Color, Move, Point, Position, Start};

/// The board with coordinates, legal moves (`.`), the last move (in brackets), and the state of the game beside it.
pub fn board(game: &Game) -> String {
    let position = game.position();
    let rules = position.rules();
    let symbols = rules.symbols();
    let legal = position.legal_moves();
    let is_legal = |point| legal.iter().any(|mv| matches!(mv, Move::Place { at, .. } if *at == point));
    let last = match game.moves().last() {
        Some(Move::Place { at, .. }) => Some(*at),
        _ => None,
    };
    let panel = panel(game);
    let letters: String = (0..rules.columns()).map(|column| format!(" {}", (b'a' + column) as char)).collect();
    let mut text = format!("   {letters}\n");
    for row in 0..rules.rows() {
        let _ = write!(text, "{:>3}", row + 1);
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
                    None if is_legal(point) => '.',
                    None => '-',
                });
            }
        }
        let _ = write!(text, "{:<2}", row + 1);
        if let Some(line) = panel.get(row as usize) {
            let _ = write!(text, "  {line}");
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text + &format!("   {letters}")
}

/// What stands beside the board; at most four lines, for the smallest board has four rows.
fn panel(game: &Game) -> Vec<String> {
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
                0 => write!(line, ", must pass"),
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
            format!("last move: {} {mv}", rules.color_name(before.side_to_move()))
        }
        None if *rules.start() == Start::Placement && position.placements_left() > 0 => {
            "the players place the centre discs first".to_string()
        }
        None => String::new(),
    });
    lines
}

/// The outcome of a finished game in words: `black wins 40-24`.
pub fn result(position: &Position) -> String {
    let rules = position.rules();
    let [black, white] = [Color::Black, Color::White].map(|color| position.discs(color).count());
    match position.winner() {
        None => format!("game over: draw, {black}-{white}"),
        Some(winner) => {
            let (own, other) = if winner == Color::Black { (black, white) } else { (white, black) };
            format!("game over: {} wins {own}-{other}", rules.color_name(winner))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::transcript;
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
        assert_eq!(board(&game), expected);
    }

    #[test]
    fn last_move_at_the_edges_and_large_boards() {
        let rules = Arc::new("othello:16x16".parse::<RuleSet>().unwrap());
        let mut game = Game::new(rules);
        let first = game.position().legal_moves()[0];
        game.play(first).unwrap();
        let text = board(&game);
        assert_eq!(text.lines().count(), 18);
        assert_eq!((text.matches('[').count(), text.matches(']').count()), (1, 1));
        assert!(text.starts_with("    a b c"), "{text}");
        assert!(text.ends_with(" o p"), "{text}");
    }
}
