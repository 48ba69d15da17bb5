//! Reflections and rotations of the board: games turned, and moves that are images of each other, for a position that looks the
//! same from another side has the same value there.

use crate::game::Game;
use crate::rules::{Bits, Color, Direction, Move, Point, Position};
use crate::search::Line;

/// A reflection or rotation of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Symmetry {
    /// Rows become columns; applied first.
    transposes: bool,
    turns_rows: bool,
    turns_columns: bool,
    rows: u8,
    columns: u8,
}

impl Symmetry {
    /// Every symmetry of a board of this size, the identity first: eight of a square, four of another rectangle.
    fn all(rows: u8, columns: u8) -> impl Iterator<Item = Symmetry> {
        let symmetry = move |bits: u8| {
            let [transposes, turns_rows, turns_columns] = [4, 2, 1].map(|bit| bits & bit != 0);
            Symmetry { transposes, turns_rows, turns_columns, rows, columns }
        };
        (0..if rows == columns { 8 } else { 4 }).map(symmetry)
    }

    fn point(self, Point { row, column }: Point) -> Point {
        let (row, column) = if self.transposes { (column, row) } else { (row, column) };
        Point {
            row: if self.turns_rows { self.rows - 1 - row } else { row },
            column: if self.turns_columns { self.columns - 1 - column } else { column },
        }
    }

    fn direction(self, direction: Direction) -> Direction {
        let (dx, dy) = direction.steps();
        let (dx, dy) = if self.transposes { (dy, dx) } else { (dx, dy) };
        let steps = (if self.turns_columns { -dx } else { dx }, if self.turns_rows { -dy } else { dy });
        Direction::ALL.into_iter().find(|other| other.steps() == steps).expect("all eight are there")
    }

    fn image(self, mv: Move) -> Move {
        match mv {
            Move::Pass => Move::Pass,
            Move::Place { at, direction } => {
                Move::Place { at: self.point(at), direction: direction.map(|direction| self.direction(direction)) }
            }
        }
    }

    /// The symmetry with this number, as [`image`] counts them, of a position's board.
    fn numbered(position: &Position, index: u8) -> Option<Symmetry> {
        // here columns and rows are swapped first
        let index = if index & 4 != 0 { 4 | (index & 1) << 1 | (index & 2) >> 1 } else { index };
        let rules = position.rules();
        Symmetry::all(rules.rows(), rules.columns()).nth(index.into())
    }

    fn points(self, points: Bits) -> Bits {
        points.iter().map(|point| self.point(point)).collect()
    }

    /// The discs of both sides stay where they are, and so do the holes.
    fn keeps(self, position: &Position) -> bool {
        let stays = |points: Bits| self.points(points) == points;
        stays(position.rules().holes())
            && [Color::Black, Color::White].into_iter().all(|color| stays(position.discs(color)))
    }

    /// The position turned; `None` where the holes are elsewhere then, or the players place discs before they play.
    fn position(self, position: &Position) -> Option<Position> {
        if self.keeps(position) {
            return Some(position.clone());
        }
        let rules = position.rules();
        if self.points(rules.holes()) != rules.holes() || position.placements_left() > 0 {
            return None;
        }
        let [black, white] = [Color::Black, Color::White].map(|color| self.points(position.discs(color)));
        let image = Position::from_discs(rules.clone(), black, white, position.side_to_move())?;
        match (position.in_hand(Color::Black), position.in_hand(Color::White)) {
            (Some(black), Some(white)) => image.with_hands(black, white),
            _ => Some(image),
        }
    }
}

/// A game turned or mirrored, by the number of the symmetry as in [`Board::symmetry`](crate::Board::symmetry): bit 0 mirrors
/// columns, bit 1 rows, bit 2 swaps columns and rows (applied last). `None` where the board does not look the same afterwards, or
/// the game began before discs that the rules have placed by the players.
pub fn image(game: &Game, index: u8) -> Option<Game> {
    let symmetry = Symmetry::numbered(game.start(), index)?;
    let mut image = Game::from_position(symmetry.position(game.start())?);
    game.moves().iter().try_for_each(|&mv| image.play(symmetry.image(mv))).ok()?;
    Some(image)
}

/// A position turned or mirrored, as [`image`] does with games.
pub fn image_of_position(position: &Position, index: u8) -> Option<Position> {
    Symmetry::numbered(position, index)?.position(position)
}

/// One position for all orientations in which a position can be seen, under any rules.
pub(super) fn canonical(position: &Position) -> Position {
    let rules = position.rules();
    let images = Symmetry::all(rules.rows(), rules.columns()).filter_map(|symmetry| symmetry.position(position));
    let first = images.min_by_key(|image| [Color::Black, Color::White].map(|color| image.discs(color)));
    first.expect("the first is the position itself")
}

/// One start and one list of moves for all orientations in which a game can be seen, under any rules. Passes are left out: they
/// are forced.
pub(super) fn canonical_game(game: &Game) -> (Position, String) {
    let (rules, start) = (game.start().rules(), canonical(game.start()));
    let moves = |symmetry: Symmetry| -> String {
        let placed = game.moves().iter().filter(|mv| **mv != Move::Pass);
        placed.map(|&mv| symmetry.image(mv).to_string()).collect()
    };
    let symmetries = Symmetry::all(rules.rows(), rules.columns());
    let views = symmetries.filter(|symmetry| symmetry.position(game.start()).as_ref() == Some(&start)).map(moves);
    let first = views.min().expect("the start comes from one of them");
    (start, first)
}

/// The moves of a position sorted into classes of images; most positions have no symmetry, and every move its own class.
#[derive(Clone, Debug)]
pub struct MoveClasses {
    /// Each move with the first of its class and the symmetry that takes that one to it.
    moves: Vec<(Move, Move, Symmetry)>,
}

impl MoveClasses {
    /// The classes of these moves of a position, each named by the first of them.
    pub fn new(position: &Position, moves: &[Move]) -> MoveClasses {
        let (rows, columns) = (position.rules().rows(), position.rules().columns());
        let symmetries: Vec<Symmetry> =
            Symmetry::all(rows, columns).filter(|symmetry| symmetry.keeps(position)).collect();
        let class = |&mv: &Move| {
            let first = moves.iter().find_map(|&first| {
                let symmetry = symmetries.iter().find(|symmetry| symmetry.image(first) == mv)?;
                Some((mv, first, *symmetry))
            });
            first.expect("a move is its own image")
        };
        MoveClasses { moves: moves.iter().map(class).collect() }
    }

    /// Some move is the image of another.
    pub fn has_images(&self) -> bool {
        self.moves.iter().any(|(mv, first, _)| mv != first)
    }

    /// The first move of each class.
    pub fn firsts(&self) -> Vec<Move> {
        self.moves.iter().filter(|(mv, first, _)| mv == first).map(|(mv, ..)| *mv).collect()
    }

    /// The first move of the class that a move belongs to; a move that is not among these is its own.
    pub fn first_of(&self, mv: Move) -> Move {
        self.moves.iter().find(|entry| entry.0 == mv).map_or(mv, |entry| entry.1)
    }

    /// The line of the first move of a class, followed by those of its images: the same score, the same play seen from there.
    pub fn images(&self, line: &Line) -> Vec<Line> {
        let images = self.moves.iter().filter(|(_, first, _)| *first == line.mv);
        images
            .map(|(mv, _, symmetry)| Line {
                mv: *mv,
                pv: line.pv.iter().map(|&mv| symmetry.image(mv)).collect(),
                ..line.clone()
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use crate::formats::transcript;
    use crate::search::Bound;

    fn classes(rules: &str, moves: &str) -> (Position, MoveClasses) {
        let start = Position::start(Arc::new(rules.parse().unwrap()));
        let position = transcript::parse(&start, moves).unwrap().position().clone();
        let classes = MoveClasses::new(&position, &position.legal_moves());
        (position, classes)
    }

    fn names(moves: &[Move]) -> Vec<String> {
        moves.iter().map(Move::to_string).collect()
    }

    #[test]
    fn the_first_moves_are_one_class_and_later_ones_are_not() {
        for rules in ["othello", "othello:6x6", "othello:10x10", "othello:4x4,one"] {
            let (position, classes) = classes(rules, "");
            assert_eq!(classes.firsts(), position.legal_moves()[..1], "{rules}");
        }
        let (position, after_f5) = classes("othello", "f5");
        assert!(!after_f5.has_images() && after_f5.firsts() == position.legal_moves());
        // two black rows and two white: only left and right are alike
        let (position, parallel) = classes("hungarian:8x10", "");
        assert_eq!(parallel.firsts().len(), position.legal_moves().len() / 2, "{:?}", names(&parallel.firsts()));
    }

    #[test]
    fn games_turn_as_boards_do() {
        let game = transcript::parse(&Position::default(), "f5f6e6f4g5d6").unwrap();
        let (board, _) = game.position().fast_board().unwrap();
        for index in 0..8 {
            let image = image(&game, index).unwrap();
            assert_eq!(image.position().fast_board().unwrap().0, board.symmetry(index.into()), "{index}");
            assert_eq!((image.moves().len(), image.position().side_to_move()), (6, game.position().side_to_move()));
        }
        assert_eq!(image(&game, 0), Some(game.clone()));
        assert_eq!(image(&game, 8), None);
        let turned = |rules: &str, index| {
            let mut game = Game::new(Arc::new(rules.parse().unwrap()));
            for _ in 0..9 {
                game.play(game.position().legal_moves()[0]).unwrap();
            }
            image(&game, index).map(|image| (game, image))
        };
        // a board that is no square is mirrored only; games of chosen directions, own discs and placements turn too
        assert!(turned("othello:6x8", 3).is_some() && turned("othello:6x8", 4).is_none());
        for rules in ["othello:6x6,one", "hungarian", "traveller", "reversi"] {
            let (game, image) = turned(rules, 1).unwrap_or_else(|| panic!("{rules}"));
            let seen = |position: &Position| (position.disc_difference(), position.legal_moves().len());
            assert_eq!(seen(image.position()), seen(game.position()), "{rules}");
        }
    }

    /// Whatever is called an image leads to an image of the position.
    #[test]
    fn images_of_lines_can_be_played_and_lead_to_images() {
        for (rules, moves) in [("othello", ""), ("othello", "f5f6e6f4"), ("othello:4x4,one", ""), ("traveller", "")] {
            let (position, classes) = classes(rules, moves);
            for first in classes.firsts() {
                let after = position.play(first).unwrap();
                let line = Line { mv: first, score: 3, bound: Bound::Exact, pv: vec![first, after.legal_moves()[0]] };
                let images = classes.images(&line);
                assert_eq!(images[0], line);
                let count = |position: &Position| {
                    let discs = [Color::Black, Color::White].map(|color| position.discs(color).count());
                    (discs, position.legal_moves().len())
                };
                let end =
                    |line: &Line| line.pv.iter().fold(position.clone(), |position, &mv| position.play(mv).unwrap());
                for image in &images {
                    assert_eq!((image.pv[0], image.score), (image.mv, 3));
                    assert_eq!(count(&end(image)), count(&end(&line)), "{rules} {moves}: {}", image.mv);
                    assert_eq!(classes.first_of(image.mv), first);
                }
            }
        }
    }
}
