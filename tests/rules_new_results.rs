//! Values of small boards under rules that nobody has published, checked with a plain solver that shares nothing
//! with the library: arrays, loops, alpha-beta and a hash map.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use outflank::rules::Position;
use outflank::search::{Goal, Limits, Report, StopToken};

/// A state of the plain solver: cells are 0 empty, 1 for the side to move, 2 for the other, 9 for a hole.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    cells: Vec<u8>,
    in_hand: [i32; 2],
}

/// The plain solver, past the placement phase.
struct Plain {
    rows: i32,
    columns: i32,
    one: bool,
    own: bool,
    fewest: bool,
    known: HashMap<State, (i32, i32)>,
}

impl Plain {
    /// The cell, 9 off the board.
    fn cell(&self, state: &State, row: i32, column: i32) -> u8 {
        if row < 0 || column < 0 || row >= self.rows || column >= self.columns {
            return 9;
        }
        state.cells[(row * self.columns + column) as usize]
    }

    /// The lines of the other side's discs that a disc on a square encloses.
    fn lines(&self, state: &State, square: i32) -> Vec<Vec<usize>> {
        let mut lines = Vec::new();
        for (down, right) in [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)] {
            let (mut row, mut column) = (square / self.columns + down, square % self.columns + right);
            let mut line = Vec::new();
            while self.cell(state, row, column) == 2 {
                line.push((row * self.columns + column) as usize);
                row += down;
                column += right;
            }
            if self.cell(state, row, column) == 1 && !line.is_empty() {
                lines.push(line);
            }
        }
        lines
    }

    /// The states after each legal placement, the other side to move.
    fn successors(&self, state: &State) -> Vec<State> {
        let mut next = Vec::new();
        if self.own && state.in_hand[0] == 0 {
            return next;
        }
        for square in 0..state.cells.len() {
            if state.cells[square] != 0 {
                continue;
            }
            let mut lines = self.lines(state, square as i32);
            if !self.one && !lines.is_empty() {
                lines = vec![lines.concat()];
            }
            for line in lines {
                let mut cells = state.cells.clone();
                cells[square] = 1;
                line.into_iter().for_each(|turned| cells[turned] = 1);
                let in_hand = if self.own { [state.in_hand[0] - 1, state.in_hand[1]] } else { [0, 0] };
                next.push(State { cells, in_hand }.passed());
            }
        }
        next
    }

    /// Value for the side to move, empty squares to the winner; a bound when outside the window.
    fn value(&mut self, state: &State, alpha: i32, beta: i32) -> i32 {
        let (low, high) = self.known.get(state).copied().unwrap_or((-99, 99));
        if low >= beta || low == high {
            return low;
        }
        if high <= alpha {
            return high;
        }
        let mut successors = self.successors(state);
        if successors.is_empty() {
            let passed = state.passed();
            if self.successors(&passed).is_empty() {
                return self.final_score(state);
            }
            return -self.value(&passed, -beta, -alpha);
        }
        successors.sort_by_cached_key(|next| self.successors(next).len());
        let mut best = -99;
        for next in successors {
            best = best.max(-self.value(&next, -beta, -alpha.max(best)));
            if best >= beta {
                break;
            }
        }
        let bounds = if best >= beta {
            (best, high)
        } else if best <= alpha {
            (low, best)
        } else {
            (best, best)
        };
        self.known.insert(state.clone(), bounds);
        best
    }

    fn final_score(&self, state: &State) -> i32 {
        let count = |cell: u8| state.cells.iter().filter(|c| **c == cell).count() as i32;
        let margin = match count(1) - count(2) {
            0 => 0,
            more if more > 0 => more + count(0),
            less => less - count(0),
        };
        if self.fewest { -margin } else { margin }
    }
}

impl State {
    fn passed(&self) -> State {
        State {
            cells: self.cells.iter().map(|cell| if matches!(cell, 1 | 2) { 3 - cell } else { *cell }).collect(),
            in_hand: [self.in_hand[1], self.in_hand[0]],
        }
    }
}

/// Value for the first player by the plain solver, of rules written `othello:ROWSxCOLUMNS,START[,one][,own][,fewest][,holes=...]`; a bound
/// where it is outside the window.
fn plain_value(rules: &str, alpha: i32, beta: i32) -> i32 {
    let tokens: Vec<&str> = rules.strip_prefix("othello:").expect("othello").split(',').collect();
    let (rows, columns) = tokens[0].split_once('x').expect("a size");
    let (rows, columns): (i32, i32) = (rows.parse().expect("rows"), columns.parse().expect("columns"));
    let has = |token: &str| tokens.contains(&token);
    let own = has("own");
    // the tokens from `holes=` on are squares
    let from = tokens.iter().position(|token| token.starts_with("holes=")).unwrap_or(tokens.len());
    let hole = |token: &&str| {
        let square = token.trim_start_matches("holes=").as_bytes();
        (i32::from(square[1] - b'1') * columns + i32::from(square[0] - b'a')) as usize
    };
    let holes: Vec<usize> = tokens[from..].iter().map(hole).collect();
    let mut plain = Plain { rows, columns, one: has("one"), own, fewest: has("fewest"), known: HashMap::new() };
    let mut value_of = |four: [u8; 4]| {
        let at = rows / 2 * columns + columns / 2;
        let mut cells = vec![0; (rows * columns) as usize];
        for (place, disc) in [at - columns - 1, at - columns, at - 1, at].into_iter().zip(four) {
            cells[place as usize] = disc;
        }
        holes.iter().for_each(|&hole| cells[hole] = 9);
        let squares = rows * columns - holes.len() as i32;
        let in_hand = if own { [(squares + 1) / 2 - 2, squares / 2 - 2] } else { [0, 0] };
        plain.value(&State { cells, in_hand }, alpha, beta)
    };
    if has("placement") {
        // the first player chooses two squares; the second has the other two
        let pairs = [[1, 1, 2, 2], [1, 2, 1, 2], [1, 2, 2, 1], [2, 1, 1, 2], [2, 1, 2, 1], [2, 2, 1, 1]];
        return pairs.map(value_of).into_iter().max().expect("pairs");
    }
    value_of(if has("parallel") { [2, 2, 1, 1] } else { [2, 1, 1, 2] })
}

fn solve(rules: &str) -> Report {
    let position = Position::start(Arc::new(rules.parse().unwrap_or_else(|error| panic!("{rules}: {error}"))));
    outflank::search::general::search(&position, &Limits::new(Goal::Exact), 1, 256, &StopToken::new(), &mut |_| {})
        .unwrap()
}

/// All combinations of start, flips, supply and objective on a board.
fn combinations(size: &str) -> Vec<String> {
    let mut all = Vec::new();
    for objective in ["", ",fewest"] {
        for start in ["crossed", "parallel", "placement"] {
            for changes in ["", ",one", ",own", ",one,own"] {
                all.push(format!("othello:{size},{start}{changes}{objective}"));
            }
        }
    }
    all
}

#[test]
fn all_rules_on_4x4_agree_with_the_plain_solver() {
    for rules in combinations("4x4") {
        let report = solve(&rules);
        assert!(report.is_exact());
        assert_eq!(report.score, plain_value(&rules, -99, 99), "{rules}");
    }
}

/// Boards with an odd side, an odd number of squares, and holes, at the edge and inside.
#[test]
fn odd_boards_and_holes_agree_with_the_plain_solver() {
    let corners = "holes=a1,e1,a5,e5,c5,e3,a4,d1";
    let mut all = Vec::new();
    for rules in ["4x5,crossed", "5x4,crossed,one", "4x5,parallel,own", "4x5,placement,one,own", "5x4,parallel,fewest"]
    {
        all.push(format!("othello:{rules}"));
    }
    for rules in ["5x5,crossed", "5x5,parallel,one,own", "5x5,crossed,own,fewest", "5x5,placement,one"] {
        all.push(format!("othello:{rules},{corners}"));
    }
    all.push("othello:5x6,crossed,one,holes=a1,f1,a5,f5,e1,b5,f3,a3,d1,f2,b1,e5".to_string());
    for rules in all {
        let report = solve(&rules);
        assert!(report.is_exact());
        assert_eq!(report.score, plain_value(&rules, -99, 99), "{rules}");
    }
}

/// The rules that `OUTFLANK_RULES` asks for, or else all on these sizes.
fn selected(sizes: &str) -> Vec<String> {
    match std::env::var("OUTFLANK_RULES") {
        Ok(text) => text.split_whitespace().map(String::from).collect(),
        Err(_) => sizes.split(' ').flat_map(combinations).collect(),
    }
}

/// Prints the tables of `src/rules/results.md`; `OUTFLANK_RULES` asks for other rules instead.
#[test]
#[ignore = "minutes; prints tables"]
fn print_results() {
    for rules in selected("4x4 4x6 6x4") {
        let report = solve(&rules);
        assert!(report.is_exact());
        let seconds = report.elapsed.as_secs_f64();
        println!("| `{rules}` | {:+} | {} | {seconds:.2} |", report.score, report.nodes);
    }
}

/// Checks what `print_results` prints: the plain solver searches a window in which no other value has room, so that it
/// proves the value from both sides without looking for it. `OUTFLANK_RULES` asks for other rules.
#[test]
#[ignore = "an hour; the memory of the plain solver is not limited"]
fn all_rules_on_4x6_agree_with_the_plain_solver() {
    for rules in selected("4x6 6x4") {
        let (value, start) = (solve(&rules).score, Instant::now());
        let proved = plain_value(&rules, value - 1, value + 1);
        println!("{rules} {value:+}, by the plain solver {proved:+} in {:.0} s", start.elapsed().as_secs_f64());
        assert_eq!(proved, value, "{rules}");
    }
}
