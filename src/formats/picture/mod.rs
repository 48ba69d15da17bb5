//! Pictures of boards: one description, drawn as SVG, as PNG or as text.
//!
//! A [`Picture`] shows a position, with the last move and the legal moves marked, or a whole game on one board: every disc on
//! the square and in the colour in which it was played, with the number of its move (passes not counted), as transcripts are
//! printed. Boards of any size and shape.
//!
//! PNG needs no library of fonts or paths: a board is made of rectangles, circles and a few strokes for letters and digits,
//! whose distances from a pixel's centre say how much of it they cover. That is `png`'s whole rasteriser.

mod glyphs;
mod paint;
mod png;
mod svg;
mod text;

pub(crate) use paint::{mark, paints};
pub(crate) use svg::{escape, hex};

use super::board_text::{GAME_OVER, TO_MOVE};
use crate::formats::quantity::plural;
use crate::game::Game;
use crate::rules::{Bits, Color, Move, Point, Position};

/// Side of a square in the units of SVG pictures.
pub const SQUARE: f64 = 40.0;
/// Width of the frame with the coordinates, in the same units.
const FRAME: f64 = 24.0;
/// Radius of a disc.
const RADIUS: f64 = 16.5;

/// Red, green, blue.
type Colour = [u8; 3];

const BOARD: Colour = [0x2e, 0x8b, 0x57];
const EDGE: Colour = [0x17, 0x3f, 0x2a];
const GRID: Colour = [0x1c, 0x5c, 0x39];
const LABEL: Colour = [0xe6, 0xf2, 0xea];
const BLACK: Colour = [0x16, 0x18, 0x1a];
const WHITE: Colour = [0xf8, 0xf8, 0xf4];
const LAST: Colour = [0xe5, 0x48, 0x3c];
const LEGAL: Colour = [0x1b, 0x66, 0x3e];

/// One square of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// The disc on it.
    pub disc: Option<Color>,
    /// The board has no square here.
    pub hole: bool,
    /// The number written on it.
    pub number: Option<u32>,
    /// The last move was played here.
    pub last: bool,
    /// The side to move may play here.
    pub legal: bool,
}

/// A board to be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    rows: u8,
    columns: u8,
    /// Row by row from the top.
    cells: Vec<Cell>,
    /// The characters that stand for the two colours' discs in text.
    symbols: [char; 2],
    /// The colours of their discs.
    paints: [Colour; 2],
    /// What the picture shows, in words.
    title: String,
}

impl Picture {
    /// A position; `last` is the square of the move that led to it, and `legal` asks for marks on the legal moves.
    pub fn position(position: &Position, last: Option<Point>, legal: bool) -> Picture {
        let mut picture = Picture::empty(position);
        let moves = if legal { position.legal_moves() } else { Vec::new() };
        for cell in 0..picture.cells.len() {
            let point = picture.point(cell);
            picture.cells[cell].disc = position.disc_at(point);
            picture.cells[cell].last = Some(point) == last;
        }
        for mv in moves {
            if let Move::Place { at, .. } = mv {
                let cell = picture.cell(at);
                picture.cells[cell].legal = true;
            }
        }
        let over = if position.is_game_over() { GAME_OVER.to_string() } else { to_move(position) };
        let [black, white] = [Color::Black, Color::White].map(|color| position.discs(color).count());
        picture.title = format!("{black}-{white}, {over}");
        picture
    }

    /// The position after the first moves of a game, the last of them marked; all moves when there are not so many.
    pub fn at(game: &Game, moves: usize, legal: bool) -> Picture {
        let moves = moves.min(game.moves().len());
        let last = game.moves()[..moves].last().and_then(|mv| match mv {
            Move::Place { at, .. } => Some(*at),
            Move::Pass => None,
        });
        Picture::position(&game.positions()[moves], last, legal)
    }

    /// The first moves of a game on one board, numbered.
    pub fn transcript(game: &Game, moves: usize) -> Picture {
        let mut picture = Picture::position(game.start(), None, false);
        let mut number = 0;
        for (position, mv) in game.positions().iter().zip(&game.moves()[..moves.min(game.moves().len())]) {
            if let Move::Place { at, .. } = mv {
                number += 1;
                let cell = picture.cell(*at);
                picture.cells[cell].disc = Some(position.side_to_move());
                picture.cells[cell].number = Some(number);
            }
        }
        picture.title = plural(number.into(), "move");
        picture
    }

    fn empty(position: &Position) -> Picture {
        let rules = position.rules();
        let holes: Bits = rules.holes();
        let mut picture = Picture {
            rows: rules.rows(),
            columns: rules.columns(),
            cells: vec![Cell::default(); rules.cells() as usize],
            symbols: rules.symbols(),
            paints: paints(rules.colors().each_ref().map(String::as_str)),
            title: String::new(),
        };
        for cell in 0..picture.cells.len() {
            picture.cells[cell].hole = holes.contains(picture.point(cell));
        }
        picture
    }

    fn point(&self, cell: usize) -> Point {
        Point { row: (cell / self.columns as usize) as u8, column: (cell % self.columns as usize) as u8 }
    }

    fn cell(&self, at: Point) -> usize {
        at.row as usize * self.columns as usize + at.column as usize
    }

    /// Width and height in the units of SVG pictures.
    fn size(&self) -> (f64, f64) {
        let side = |squares: u8| f64::from(squares) * SQUARE + 2.0 * FRAME;
        (side(self.columns), side(self.rows))
    }

    /// Everything that is drawn, from the back to the front.
    fn shapes(&self) -> Vec<Shape> {
        let (width, height) = self.size();
        let mut shapes = vec![Shape::Rect { x: 0.0, y: 0.0, width, height, fill: EDGE }];
        for (i, cell) in self.cells.iter().enumerate().filter(|(_, cell)| !cell.hole) {
            let Point { row, column } = self.point(i);
            let (x, y) = (FRAME + f64::from(column) * SQUARE, FRAME + f64::from(row) * SQUARE);
            // the grid is what shows between the squares
            shapes.push(Shape::Rect { x, y, width: SQUARE, height: SQUARE, fill: GRID });
            shapes.push(Shape::Rect { x: x + 0.5, y: y + 0.5, width: SQUARE - 1.0, height: SQUARE - 1.0, fill: BOARD });
            shapes.extend(cell.shapes(x + SQUARE / 2.0, y + SQUARE / 2.0, self.paints));
        }
        self.dots(&mut shapes);
        self.labels(&mut shapes);
        shapes
    }

    /// The four dots of a board of 8x8.
    fn dots(&self, shapes: &mut Vec<Shape>) {
        if (self.rows, self.columns) == (8, 8) {
            for (column, row) in [(2.0, 2.0), (6.0, 2.0), (2.0, 6.0), (6.0, 6.0)] {
                let (x, y) = (FRAME + column * SQUARE, FRAME + row * SQUARE);
                shapes.push(Shape::Circle { x, y, radius: 2.6, fill: GRID });
            }
        }
    }

    /// Letters above and below, numbers on both sides.
    fn labels(&self, shapes: &mut Vec<Shape>) {
        let (width, height) = self.size();
        let mut label = |x, y, text| shapes.push(Shape::Text { x, y, size: 12.0, text, fill: LABEL });
        for column in 0..self.columns {
            let x = FRAME + (f64::from(column) + 0.5) * SQUARE;
            let letter = char::from(b'a' + column).to_string();
            label(x, FRAME / 2.0, letter.clone());
            label(x, height - FRAME / 2.0, letter);
        }
        for row in 0..self.rows {
            let y = FRAME + (f64::from(row) + 0.5) * SQUARE;
            label(FRAME / 2.0, y, (row + 1).to_string());
            label(width - FRAME / 2.0, y, (row + 1).to_string());
        }
    }
}

impl Cell {
    /// What stands on the square whose middle this is.
    fn shapes(&self, x: f64, y: f64, paints: [Colour; 2]) -> Vec<Shape> {
        let mut shapes = Vec::new();
        let disc = self.disc.map(|color| paints[color.index()]);
        if let Some(fill) = disc {
            // a thin dark ring parts white discs from the board, too
            shapes.push(Shape::Circle { x, y, radius: RADIUS + 0.7, fill: EDGE });
            shapes.push(Shape::Circle { x, y, radius: RADIUS, fill });
            if let Some(number) = self.number {
                shapes.push(Shape::Text { x, y, size: 15.0, text: number.to_string(), fill: paint::ink(fill) });
            }
        }
        if self.last {
            shapes.push(Shape::Circle { x, y, radius: 4.5, fill: disc.map_or(LAST, mark) });
        }
        if self.legal {
            shapes.push(Shape::Circle { x, y, radius: 4.5, fill: LEGAL });
        }
        shapes
    }
}

fn to_move(position: &Position) -> String {
    format!("{}{TO_MOVE}", position.rules().color_name(position.side_to_move()))
}

/// A piece of a picture, in the units of SVG pictures.
#[derive(Clone, Debug, PartialEq)]
enum Shape {
    /// A filled rectangle.
    Rect { x: f64, y: f64, width: f64, height: f64, fill: Colour },
    /// A filled circle around a point.
    Circle { x: f64, y: f64, radius: f64, fill: Colour },
    /// A text whose middle is at a point; `size` is the height of a digit times 1.4.
    Text { x: f64, y: f64, size: f64, text: String, fill: Colour },
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::formats::transcript;

    fn game(moves: &str) -> Game {
        transcript::parse(&Position::default(), moves).unwrap()
    }

    #[test]
    fn the_text_of_a_position_and_of_a_transcript() {
        let text = Picture::at(&game("f5d6"), 2, true).to_text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "    a  b  c  d  e  f  g  h");
        assert_eq!(lines[4], " 4  -  -  .  O  X  -  -  -  4");
        assert_eq!(lines[6], " 6  -  -  . [O] -  -  -  -  6");
        assert_eq!(lines.last(), Some(&"3-3, black to move"));
        let text = Picture::transcript(&game("f5d6c3"), 3).to_text();
        assert!(text.contains("\n 5  -  -  -  X  O  1  -  -  5\n") && text.ends_with("\n3 moves\n"), "{text}");
        let plain = Picture::at(&game("f5d6"), 9, false);
        assert!(!plain.to_text().contains('.'), "more moves than the game has are all moves");
        // a number of three digits makes all squares wider, so that columns stay straight
        let mut wide = Picture::transcript(&game("f5d6c3"), 3);
        wide.cells[0].number = Some(100);
        wide.cells[1].last = true;
        let text = wide.to_text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "     a   b   c   d   e   f   g   h");
        assert_eq!(lines[1], " 1 100  [-]  -   -   -   -   -   -  1");
        assert_eq!(lines[5], " 5   -   -   -   X   O   1   -   -  5");
        let octagon = Position::start(std::sync::Arc::new("octagon".parse().unwrap()));
        let text = Picture::position(&octagon, None, false).to_text();
        assert!(text.lines().nth(1).is_some_and(|row| row.starts_with(" 1  #  #  -")), "{text}");
    }

    /// A board of 4 rows and 5 columns whose corner a1 is missing, after one move, with everything that can be marked.
    pub(super) fn marked() -> Picture {
        let start = Position::start(std::sync::Arc::new("othello:4x5,holes=a1,start=#4/1XO2/1OX2/5".parse().unwrap()));
        let mut game = Game::from_position(start);
        let d2 = game.position().legal_moves().into_iter().find(|mv| mv.to_string() == "d2");
        game.play(d2.unwrap()).unwrap();
        let mut picture = Picture::at(&game, 1, true);
        picture.cells[picture.columns as usize + 1].number = Some(17);
        picture
    }

    #[test]
    fn everything_stands_on_its_square() {
        let picture = marked();
        assert_eq!(picture.size(), (248.0, 208.0));
        let shapes = picture.shapes();
        assert_eq!(shapes[0], Shape::Rect { x: 0.0, y: 0.0, width: 248.0, height: 208.0, fill: EDGE });
        let square = |x: f64, y: f64| {
            let (column, row) = ((x - 44.0) / 40.0, (y - 44.0) / 40.0);
            assert!(column.fract() == 0.0 && row.fract() == 0.0, "{x} {y}");
            format!("{}{}", char::from(b'a' + column as u8), row as u8 + 1)
        };
        // the squares of the circles of this colour and size
        let circles = |wanted: Colour, size: f64| -> Vec<String> {
            let found = shapes.iter().filter_map(|shape| match shape {
                Shape::Circle { x, y, radius, fill } if (*fill, *radius) == (wanted, size) => Some((*x, *y)),
                _ => None,
            });
            found.map(|(x, y)| square(x, y)).collect()
        };
        assert_eq!(circles(BLACK, 16.5), ["b2", "c2", "d2", "c3"]);
        assert_eq!(circles(WHITE, 16.5), ["b3"]);
        assert_eq!(circles(EDGE, 17.2), ["b2", "c2", "d2", "b3", "c3"], "rings");
        assert_eq!(circles(LAST, 4.5), ["d2"]);
        assert_eq!(circles(LEGAL, 4.5), ["b1", "d1", "d3"]);
        let rects = |size: f64| -> Vec<(f64, f64)> {
            let found = shapes.iter().filter_map(|shape| match shape {
                Shape::Rect { x, y, width, height, .. } if (*width, *height) == (size, size) => Some((*x, *y)),
                _ => None,
            });
            found.collect()
        };
        let squares = (1..20).map(|i| (24.0 + f64::from(i % 5) * 40.0, 24.0 + f64::from(i / 5) * 40.0));
        assert_eq!(rects(40.0), squares.clone().collect::<Vec<_>>(), "all but the hole");
        assert_eq!(rects(39.0), squares.map(|(x, y)| (x + 0.5, y + 0.5)).collect::<Vec<_>>());
        let texts: Vec<(&str, f64, f64, f64)> = shapes
            .iter()
            .filter_map(|shape| match shape {
                Shape::Text { x, y, size, text, .. } => Some((text.as_str(), *x, *y, *size)),
                _ => None,
            })
            .collect();
        assert_eq!(texts[0], ("17", 84.0, 84.0, 15.0));
        let mut labels = Vec::new();
        for (i, letter) in ["a", "b", "c", "d", "e"].into_iter().enumerate() {
            let x = 44.0 + 40.0 * i as f64;
            labels.extend([(letter, x, 12.0, 12.0), (letter, x, 196.0, 12.0)]);
        }
        for (i, number) in ["1", "2", "3", "4"].into_iter().enumerate() {
            let y = 44.0 + 40.0 * i as f64;
            labels.extend([(number, 12.0, y, 12.0), (number, 236.0, y, 12.0)]);
        }
        assert_eq!(texts[1..], labels);
    }

    #[test]
    fn boards_of_8x8_have_four_dots() {
        let shapes = Picture::position(&Position::default(), None, false).shapes();
        let dots: Vec<(f64, f64)> = shapes
            .iter()
            .filter_map(|shape| match shape {
                Shape::Circle { x, y, fill: GRID, .. } => Some((*x, *y)),
                _ => None,
            })
            .collect();
        assert_eq!(dots, [(104.0, 104.0), (264.0, 104.0), (104.0, 264.0), (264.0, 264.0)]);
    }
}
