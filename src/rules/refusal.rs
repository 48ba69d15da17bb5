//! Why a move is not legal, and what stands around a square.

use std::fmt;

use super::{Color, Direction, Flips, Move, Point, Position};

/// A move that the rules forbid, with the reason; `Display` tells it in the edition's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The move.
    pub mv: Move,
    /// What the side that would play it is called.
    pub side: String,
    /// Why not.
    pub reason: Reason,
}

/// Why a move is not legal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The game is over.
    GameOver,
    /// The square is not on the board.
    OffBoard,
    /// The square does not exist on this board.
    Hole,
    /// A disc of the colour with this name stands there.
    Occupied(String),
    /// Discs go on the four centre squares first.
    NotCentre,
    /// The side has no disc in hand.
    NoDisc,
    /// The disc would turn nothing.
    TurnsNothing,
    /// A direction must be chosen: the lines that turn lead there.
    ChooseDirection(Vec<Direction>),
    /// Nothing turns in the direction chosen, but in these.
    WrongDirection(Direction, Vec<Direction>),
    /// All lines turn (or none, in the placement phase): there is no direction to choose.
    UnwantedDirection,
    /// A pass, although the side can place a disc; there are so many squares.
    NeedlessPass(usize),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |directions: &[Direction]| directions.iter().map(|d| d.name()).collect::<Vec<_>>().join(" or ");
        match self {
            Reason::GameOver => write!(f, "the game is over"),
            Reason::OffBoard => write!(f, "the square is not on the board"),
            Reason::Hole => write!(f, "the square is a hole of this board"),
            Reason::Occupied(color) => write!(f, "a disc of {color} stands there"),
            Reason::NotCentre => write!(f, "the first four discs go on the four centre squares"),
            Reason::NoDisc => write!(f, "it has no disc in hand"),
            Reason::TurnsNothing => write!(f, "the disc would turn nothing"),
            Reason::ChooseDirection(choices) => write!(f, "one line turns: choose direction {}", names(choices)),
            Reason::WrongDirection(direction, choices) => {
                write!(f, "nothing turns towards {}, only towards {}", direction.name(), names(choices))
            }
            Reason::UnwantedDirection => write!(f, "this move does not choose a direction"),
            Reason::NeedlessPass(1) => write!(f, "it has a legal move"),
            Reason::NeedlessPass(count) => write!(f, "it has a legal move ({count} of them)"),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mv {
            Move::Pass => write!(f, "{} cannot pass: {}", self.side, self.reason),
            mv => write!(f, "{} cannot play '{mv}': {}", self.side, self.reason),
        }
    }
}

/// What a line of discs from a square runs into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// A disc of the player's own: the line turns if it has any discs.
    Own(Point),
    /// An empty square.
    Empty(Point),
    /// A hole.
    Hole(Point),
    /// The edge of the board.
    Edge,
}

/// What a player sees from a square in one direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sight {
    /// Where to.
    pub direction: Direction,
    /// The opponent's discs next to the square, in order, without a gap.
    pub discs: Vec<Point>,
    /// What comes behind them.
    pub beyond: Beyond,
}

impl Sight {
    /// The discs turn.
    pub fn turns(&self) -> bool {
        !self.discs.is_empty() && matches!(self.beyond, Beyond::Own(_))
    }
}

impl Position {
    /// Why the side to move cannot make this move; `None` when it can.
    pub fn refusal(&self, mv: Move) -> Option<Refusal> {
        self.reason(mv).map(|reason| Refusal {
            mv,
            side: self.rules().color_name(self.side_to_move()).to_string(),
            reason,
        })
    }

    fn reason(&self, mv: Move) -> Option<Reason> {
        if self.is_legal(mv) {
            return None;
        }
        if self.is_game_over() {
            return Some(Reason::GameOver);
        }
        let Move::Place { at, direction } = mv else {
            let mut squares: Vec<Point> = self.legal_moves().into_iter().filter_map(place).collect();
            squares.dedup();
            return Some(Reason::NeedlessPass(squares.len()));
        };
        let rules = self.rules();
        if at.row >= rules.rows() || at.column >= rules.columns() {
            return Some(Reason::OffBoard);
        }
        if rules.holes().contains(at) {
            return Some(Reason::Hole);
        }
        if let Some(color) = self.disc_at(at) {
            return Some(Reason::Occupied(rules.color_name(color).to_string()));
        }
        if self.in_hand(self.side_to_move()) == Some(0) {
            return Some(Reason::NoDisc);
        }
        if self.placements_left() > 0 {
            let centre = rules.centre().contains(at);
            return Some(if centre { Reason::UnwantedDirection } else { Reason::NotCentre });
        }
        let sights = self.sights(at, self.side_to_move());
        let choices: Vec<Direction> =
            sights.iter().filter(|sight| sight.turns()).map(|sight| sight.direction).collect();
        Some(match direction {
            _ if choices.is_empty() => Reason::TurnsNothing,
            Some(_) if rules.flips() == Flips::All => Reason::UnwantedDirection,
            Some(direction) => Reason::WrongDirection(direction, choices),
            None => Reason::ChooseDirection(choices),
        })
    }

    /// Why the side to move must pass, or the game is over for it: it has no disc in hand (own supply), or no square where a
    /// disc would turn anything; `None` when it can place a disc.
    pub fn why_stuck(&self) -> Option<Reason> {
        let side = self.side_to_move();
        if self.can_place(side) {
            return None;
        }
        Some(if self.in_hand(side) == Some(0) { Reason::NoDisc } else { Reason::TurnsNothing })
    }

    /// What a player sees from a square in the eight directions, clockwise from north.
    pub fn sights(&self, at: Point, color: Color) -> Vec<Sight> {
        let rules = self.rules();
        let holes = rules.holes();
        let look = |direction: Direction| {
            let mut discs = Vec::new();
            let mut next = at.step(direction, rules.rows(), rules.columns());
            let beyond = loop {
                let Some(point) = next else { break Beyond::Edge };
                match self.disc_at(point) {
                    _ if holes.contains(point) => break Beyond::Hole(point),
                    None => break Beyond::Empty(point),
                    Some(disc) if disc == color => break Beyond::Own(point),
                    Some(_) => discs.push(point),
                }
                next = point.step(direction, rules.rows(), rules.columns());
            };
            Sight { direction, discs, beyond }
        };
        Direction::ALL.map(look).into()
    }
}

/// The square of a placement.
fn place(mv: Move) -> Option<Point> {
    match mv {
        Move::Place { at, .. } => Some(at),
        Move::Pass => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn start(text: &str) -> Position {
        Position::start(Arc::new(text.parse().unwrap()))
    }

    fn why(position: &Position, mv: &str) -> String {
        position.refusal(mv.parse().unwrap()).expect(mv).to_string()
    }

    #[test]
    fn refusals_name_the_colour_and_the_reason() {
        let gold = start("ravensburger");
        assert_eq!(why(&gold, "d4"), "gold cannot play 'd4': a disc of black stands there");
        assert_eq!(why(&gold, "a1"), "gold cannot play 'a1': the disc would turn nothing");
        assert_eq!(why(&gold, "i9"), "gold cannot play 'i9': the square is not on the board");
        assert_eq!(why(&gold, "pass"), "gold cannot pass: it has a legal move (4 of them)");
        assert_eq!(gold.refusal("f5".parse().unwrap()), None);
        let one = start("ravensburger-one");
        assert_eq!(why(&one, "f5:N"), "gold cannot play 'f5:N': nothing turns towards N, only towards W");
        assert_eq!(why(&one, "f5"), "gold cannot play 'f5': one line turns: choose direction W");
        let red = start("traveller");
        assert_eq!(why(&red, "a1"), "red cannot play 'a1': the first four discs go on the four centre squares");
        assert_eq!(why(&start("octagon"), "a1"), "black cannot play 'a1': the square is a hole of this board");
        let out: Position = "othello:4x4,own 1OX1/XXXX/XXXX/XX2 X hands=0/4".parse().unwrap();
        assert_eq!(why(&out, "a1"), "black cannot play 'a1': it has no disc in hand");
        assert_eq!(out.why_stuck(), Some(Reason::NoDisc));
        let over: Position = "othello:4x4 XXX1/4/4/4 O".parse().unwrap();
        assert_eq!(why(&over, "d1"), "white cannot play 'd1': the game is over");
    }

    #[test]
    fn what_stands_in_each_direction() {
        let position = start("othello");
        let sights = position.sights("f5".parse().unwrap(), Color::Black);
        assert_eq!(sights.iter().map(|sight| sight.direction).collect::<Vec<_>>(), Direction::ALL);
        let west = &sights[Direction::W as usize];
        assert_eq!(
            (west.discs.clone(), west.beyond),
            (vec!["e5".parse().unwrap()], Beyond::Own("d5".parse().unwrap()))
        );
        assert_eq!(sights.iter().filter(|sight| sight.turns()).count(), 1);
        let corner = start("octagon").sights("c1".parse().unwrap(), Color::Black);
        assert_eq!(corner[Direction::W as usize].beyond, Beyond::Hole("b1".parse().unwrap()));
        assert_eq!(corner[Direction::N as usize].beyond, Beyond::Edge);
    }
}
