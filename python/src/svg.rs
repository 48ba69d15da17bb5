//! A board as a picture for notebooks.

use std::fmt::Write;

use outflank::rules::Point;
use outflank::{Color, Move, Position};

/// Side of a square, and of the margin with letters and numbers, in pixels.
const SQUARE: u32 = 36;
const MARGIN: u32 = 18;

/// The board with legal moves as dots, the last move marked.
pub fn board(position: &Position, last: Option<Move>) -> String {
    let rules = position.rules();
    let (rows, columns) = (u32::from(rules.rows()), u32::from(rules.columns()));
    let (width, height) = (columns * SQUARE + MARGIN, rows * SQUARE + MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"11\" text-anchor=\"middle\">"
    );
    for (i, letter) in ('a'..).take(columns as usize).enumerate() {
        let x = MARGIN + i as u32 * SQUARE + SQUARE / 2;
        let _ = write!(svg, "<text x=\"{x}\" y=\"13\">{letter}</text>");
    }
    let moves = position.legal_moves();
    let holes = rules.holes();
    for row in 0..rules.rows() {
        let y = MARGIN + u32::from(row) * SQUARE;
        let _ = write!(svg, "<text x=\"9\" y=\"{}\">{}</text>", y + SQUARE / 2 + 4, row + 1);
        for column in 0..rules.columns() {
            let at = Point { row, column };
            if !holes.contains(at) {
                let x = MARGIN + u32::from(column) * SQUARE;
                square(&mut svg, position, at, (x, y), &moves, last);
            }
        }
    }
    svg + "</svg>"
}

fn square(svg: &mut String, position: &Position, at: Point, (x, y): (u32, u32), moves: &[Move], last: Option<Move>) {
    let is = |mv: &Move| matches!(mv, Move::Place { at: place, .. } if *place == at);
    let (cx, cy) = (x + SQUARE / 2, y + SQUARE / 2);
    let _ = write!(
        svg,
        "<rect x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\" fill=\"#2f7d4f\" stroke=\"#1b4d30\"/>"
    );
    if let Some(color) = position.disc_at(at) {
        let fill = if color == Color::Black { "#111" } else { "#fafafa" };
        let _ = write!(svg, "<circle cx=\"{cx}\" cy=\"{cy}\" r=\"15\" fill=\"{fill}\" stroke=\"#111\"/>");
        if last.as_ref().is_some_and(is) {
            let _ = write!(svg, "<circle cx=\"{cx}\" cy=\"{cy}\" r=\"3\" fill=\"#d33\"/>");
        }
    } else if moves.iter().any(is) {
        let fill = if position.side_to_move() == Color::Black { "#111" } else { "#fafafa" };
        let _ = write!(svg, "<circle cx=\"{cx}\" cy=\"{cy}\" r=\"4\" fill=\"{fill}\" fill-opacity=\"0.6\"/>");
    }
}
