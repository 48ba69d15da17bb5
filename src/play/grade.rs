//! Strengths for people: ten grades from a child's to a master's, which err as people do.
//!
//! A grade looks a few plies ahead, values every move with some error, and plays the move that looks best to it; the lowest
//! grades sometimes play without looking. From the middle on no grade gives a corner away for nothing, and none misses how the
//! last few squares are filled best. The errors come from a seed, so that games differ and can be played again.

use std::fmt;
use std::str::FromStr;

use rand::RngExt;
use rand::rngs::StdRng;

use crate::formats::quote;
use crate::rules::{Move, Point, Position};
use crate::search::{Goal, Limits, Line, Report, Selectivity};

/// How well a person plays: 1 (beginner) to 10 (master).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Grade(u8);

/// What makes a grade. Chosen so that each is some 100 to 200 Elo points above the one before (benches/BENCHMARKS.md).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Habits {
    name: &'static str,
    /// Plies it looks ahead.
    pub depth: u8,
    /// Standard deviation of its error about a move, in discs.
    pub error: f64,
    /// How often it moves without looking: a share.
    pub careless: f64,
    /// Empty squares from which on it plays perfectly.
    pub perfect: u32,
}

const fn habits(name: &'static str, depth: u8, error: f64, careless: f64, perfect: u32) -> Habits {
    Habits { name, depth, error, careless, perfect }
}

const HABITS: [Habits; 10] = [
    habits("beginner", 1, 16.0, 0.56, 0),
    habits("novice", 1, 13.4, 0.24, 0),
    habits("learner", 1, 10.6, 0.09, 1),
    habits("casual", 1, 10.1, 0.03, 2),
    habits("amateur", 2, 9.1, 0.0, 4),
    habits("club", 2, 6.3, 0.0, 6),
    habits("advanced", 3, 5.1, 0.0, 8),
    habits("expert", 4, 4.25, 0.0, 10),
    habits("champion", 5, 3.4, 0.0, 12),
    habits("master", 6, 2.6, 0.0, 14),
];

/// The lowest grade that gives no corner away for nothing.
const GUARDS_CORNERS: u8 = 4;
/// A corner is given away for nothing by a move that is worse than the best by more than this.
const NOTHING: i32 = 2;
/// Plies that show what a corner is worth: the move, the corner, and what either side has of it.
const CORNER_DEPTH: u8 = 6;
/// The most nodes for that: milliseconds, and rarely less deep.
const CORNER_NODES: u64 = 20_000;
/// The lowest grade that knows openings.
const KNOWS_OPENINGS: u8 = 6;

impl Grade {
    /// All grades, lowest first.
    pub const ALL: [Grade; 10] = {
        let mut all = [Grade(1); 10];
        let mut i = 0;
        while i < all.len() {
            all[i] = Grade(i as u8 + 1);
            i += 1;
        }
        all
    };

    /// 1 to 10.
    pub fn number(self) -> u8 {
        self.0
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        self.habits().name
    }

    /// How it plays.
    pub fn habits(self) -> &'static Habits {
        &HABITS[self.0 as usize - 1]
    }

    /// It plays known openings from a book.
    pub(super) fn knows_openings(self) -> bool {
        self.0 >= KNOWS_OPENINGS
    }

    /// What it looks at before a move: every move a few plies deep, or near the end all that is left.
    pub(super) fn limits(self, position: &Position) -> Limits {
        let Habits { depth, perfect, .. } = *self.habits();
        if position.empty_count() <= perfect {
            return Limits::new(Goal::Exact);
        }
        Limits { multi_pv: usize::MAX, ..Limits::new(Goal::Depth(depth, Selectivity::NONE)) }
    }

    /// A second look, at moves that give a corner away, where a grade that does not do so for nothing may not see what they cost:
    /// the reply that takes the corner is beyond one ply.
    pub(super) fn second_look(self, position: &Position) -> Option<Limits> {
        let Habits { depth, perfect, .. } = *self.habits();
        if self.0 < GUARDS_CORNERS || depth >= CORNER_DEPTH || position.empty_count() <= perfect {
            return None;
        }
        let moves = position.legal_moves();
        let include: Vec<Move> = moves.iter().copied().filter(|&mv| gives_a_corner(position, mv)).collect();
        let goal = Goal::Depth(CORNER_DEPTH, Selectivity::NONE);
        let look = Limits { nodes: Some(CORNER_NODES), include, ..Limits::new(goal) };
        (moves.len() > 1 && !look.include.is_empty()).then_some(look)
    }

    /// The move it plays after a search with [`Grade::limits`] and the [`Grade::second_look`], if there was one; `None` when the
    /// search valued no move.
    pub(super) fn choose(
        self,
        position: &Position,
        report: &Report,
        second: Option<&Report>,
        random: &mut StdRng,
    ) -> Option<Move> {
        let Habits { error, careless, perfect, .. } = *self.habits();
        if position.empty_count() <= perfect {
            return report.best().map(|line| line.mv);
        }
        let sensible = self.sensible(position, &report.lines, second);
        if random.random_bool(careless) {
            return sensible.get(random.random_range(0..sensible.len().max(1))).map(|line| line.mv);
        }
        let seen = sensible.iter().map(|line| (f64::from(line.score) + error * normal(random), line.mv));
        seen.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, mv)| mv)
    }

    /// The moves that it would play on a bad day: all, but from a grade on none that gives a corner away for nothing.
    /// The best move of the second look is always among them.
    fn sensible<'a>(self, position: &Position, lines: &'a [Line], second: Option<&Report>) -> Vec<&'a Line> {
        let best = lines.iter().map(|line| line.score).max().unwrap_or(0);
        let loss = |line: &Line| {
            let seen = second.and_then(|second| {
                let again = second.lines.iter().find(|again| again.mv == line.mv)?;
                Some(second.score - again.score)
            });
            // a look that was cut short has nothing to say
            seen.unwrap_or(best - line.score)
        };
        let gives = |line: &Line| loss(line) > NOTHING && gives_a_corner(position, line.mv);
        lines.iter().filter(|line| self.0 < GUARDS_CORNERS || !gives(line)).collect()
    }
}

/// After the move the opponent can take a corner that it could not take before.
fn gives_a_corner(position: &Position, mv: Move) -> bool {
    let Ok(next) = position.play(mv) else { return false };
    if next.side_to_move() == position.side_to_move() {
        return false;
    }
    let before = position.with_side(next.side_to_move());
    corners(position).iter().any(|&corner| !next.moves_at(corner).is_empty() && before.moves_at(corner).is_empty())
}

/// The four corners of the board, as far as they are squares.
fn corners(position: &Position) -> Vec<Point> {
    let rules = position.rules();
    let (right, bottom) = (rules.columns() - 1, rules.rows() - 1);
    let all = [(0, 0), (right, 0), (0, bottom), (right, bottom)];
    let points = all.into_iter().map(|(column, row)| Point { column, row });
    points.filter(|&corner| !rules.holes().contains(corner)).collect()
}

/// A number of the standard normal distribution (Box and Muller 1958).
fn normal(random: &mut StdRng) -> f64 {
    // above 0, so that it has a logarithm
    let (u, v) = (1.0 - random.random::<f64>(), random.random::<f64>());
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The text names no grade.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} is not a grade ({})", quote(text), names())]
pub struct ParseGradeError {
    text: String,
}

fn names() -> String {
    HABITS.map(|habits| habits.name).join(", ")
}

impl FromStr for Grade {
    type Err = ParseGradeError;

    fn from_str(text: &str) -> Result<Grade, ParseGradeError> {
        let found = Grade::ALL.into_iter().find(|grade| grade.name().eq_ignore_ascii_case(text.trim()));
        found.ok_or_else(|| ParseGradeError { text: text.to_string() })
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;
    use crate::engine::{Engine, Options};
    use crate::search::StopToken;

    fn search(position: &Position, limits: &Limits) -> Report {
        let mut engine = Engine::new(Options { hash_mib: 1, threads: 1 });
        engine.search(position, limits, &StopToken::new(), &mut |_| {}).unwrap()
    }

    fn searched(grade: Grade, position: &Position) -> Report {
        search(position, &grade.limits(position))
    }

    /// The moves that a grade plays with a hundred seeds.
    fn played(grade: Grade, position: &Position) -> Vec<Move> {
        let report = searched(grade, position);
        let second = grade.second_look(position).map(|limits| search(position, &limits));
        let choose = |seed| grade.choose(position, &report, second.as_ref(), &mut StdRng::seed_from_u64(seed)).unwrap();
        (0..100).map(choose).collect()
    }

    #[test]
    fn names_are_read_and_others_refused() {
        for grade in Grade::ALL {
            assert_eq!(grade.name().to_uppercase().parse(), Ok(grade));
        }
        assert_eq!(Grade::ALL.map(Grade::number), std::array::from_fn(|i| i as u8 + 1));
        let error = "gm".parse::<Grade>().unwrap_err().to_string();
        assert!(error.starts_with("'gm' is not a grade (beginner, novice, "), "{error}");
    }

    #[test]
    fn errors_differ_by_seed_and_shrink_with_the_grade() {
        let position = Position::default().play("f5".parse().unwrap()).unwrap().play("d6".parse().unwrap()).unwrap();
        let mut shares = Vec::new();
        for grade in Grade::ALL {
            let report = searched(grade, &position);
            let best = report.best().unwrap().mv;
            let moves = played(grade, &position);
            assert_eq!(moves, played(grade, &position), "the same seeds, the same moves");
            shares.push(moves.iter().filter(|&&mv| mv == best).count());
        }
        assert!(shares[0] < 50 && shares[0] < shares[9], "{shares:?}");
    }

    /// Positions of random games in which some move gives a corner away.
    #[test]
    fn corners_are_not_given_away_from_the_middle_grades_on() {
        let mut random = StdRng::seed_from_u64(5);
        let (mut gifts, mut guarded) = (0, 0);
        let mut position = Position::default();
        while gifts < 40 {
            let moves = position.legal_moves();
            if position.is_game_over() || moves.is_empty() {
                position = Position::default();
                continue;
            }
            let low = Grade(3);
            let report = searched(Grade(5), &position);
            let best = report.score;
            let gift = |line: &&Line| line.score < best - NOTHING && gives_a_corner(&position, line.mv);
            gifts += report.lines.iter().filter(gift).count();
            for grade in [Grade(4), Grade(7)] {
                let lines = grade.sensible(&position, &report.lines, None);
                assert!(!lines.is_empty() && !lines.iter().any(gift), "{position:?}");
                guarded += report.lines.len() - lines.len();
            }
            assert_eq!(low.sensible(&position, &report.lines, None).len(), report.lines.len());
            position = position.play(moves[random.random_range(0..moves.len())]).unwrap();
        }
        assert_eq!(guarded, 2 * gifts);
    }

    /// A reply beyond a grade's own plies shows what the corner costs: here f8 lets black take h8, and loses 26 discs.
    #[test]
    fn corners_are_not_given_away_beyond_the_own_plies() {
        let rules = std::sync::Arc::new(crate::rules::RuleSet::othello());
        let text = "----OX-----O-OOO---OOOO---OOOXX-X--OXXXOOXOOOOXO--XXXO-O-XXXX-O- O";
        let position = crate::formats::board_text::parse(text, &rules).unwrap();
        let f8: Move = "f8".parse().unwrap();
        assert!(gives_a_corner(&position, f8) && played(Grade(3), &position).contains(&f8));
        for grade in &Grade::ALL[3..] {
            assert!(!played(*grade, &position).contains(&f8), "{grade}");
        }
        let nodes = search(&position, &Grade(4).second_look(&position).unwrap()).nodes;
        assert!(nodes <= CORNER_NODES + CORNER_NODES / 50, "{nodes}");
        assert_eq!((Grade(3).second_look(&position), Grade(4).second_look(&Position::default())), (None, None));
    }

    #[test]
    fn the_last_squares_are_filled_perfectly_from_amateur_on() {
        let mut random = StdRng::seed_from_u64(6);
        let mut seen = 0;
        while seen < 20 {
            let mut position = Position::default();
            while !position.is_game_over() && position.empty_count() > 3 {
                let moves = position.legal_moves();
                let mv = moves.get(random.random_range(0..moves.len().max(1))).copied().unwrap_or(Move::Pass);
                position = position.play(mv).unwrap();
            }
            if position.is_game_over() || position.must_pass() {
                continue;
            }
            seen += 1;
            let mut engine = Engine::new(Options { hash_mib: 1, threads: 1 });
            let limits = Limits { multi_pv: usize::MAX, ..Limits::new(Goal::Exact) };
            let exact = engine.search(&position, &limits, &StopToken::new(), &mut |_| {}).unwrap();
            for grade in &Grade::ALL[4..] {
                for mv in played(*grade, &position) {
                    let score = exact.lines.iter().find(|line| line.mv == mv).unwrap().score;
                    assert_eq!(score, exact.score, "{grade} plays {mv} in {position:?}");
                }
            }
        }
    }
}
