//! Iterative deepening at the root: limits, multi-PV, aspiration, helper threads and reports.

use std::collections::VecDeque;
use std::ops::Range;

use super::busy::Busy;
use super::entries::Entries;
use super::eval::Evaluation;
use super::line::Proof;
use super::plan::{Iteration, Plan};
use super::probcut::Cuts;
use super::set::Set;
use super::state::{Code, PASS, Rules, State};
use super::table::Table;
use super::worker::{INFINITY, LEAST_SHARED, Shared, Worker, bound_of};
use crate::eval::handmade::{DISC, Weights, to_discs};
use crate::rules::{Color, Equality, Position};
use crate::search::{Bound, Goal, Limits, Line, Report, Selectivity, Source, StopToken, Watch, threads};
use crate::time::Instant;

/// First half-width of the aspiration window, in units.
const ASPIRATION: i32 = 3 * DISC;

/// A move at the root and the state it leads to.
#[derive(Clone)]
struct RootMove<B> {
    code: Code,
    child: State<B>,
    /// The same side goes on (placement phase).
    same_side: bool,
}

/// A root move's score in units and its continuation.
#[derive(Clone)]
struct Scored {
    code: Code,
    value: i32,
    bound: Bound,
    rest: Vec<Code>,
}

/// What a search works with.
pub(super) struct Resources<'a> {
    pub threads: usize,
    pub table: &'a Table,
    /// Instead of the built-in evaluation.
    pub weights: Option<&'a Weights>,
}

/// Searches a position whose board fits `B`.
pub(super) fn search<B: Entries>(
    position: &Position,
    limits: &Limits,
    Resources { threads: count, table, weights }: Resources,
    stop: &StopToken,
    on_report: &mut dyn FnMut(&Report),
) -> Report {
    let start = Instant::now();
    let rules: Rules<B> = Rules::new(position, limits.discs_only);
    let state = rules.state(position);
    let squares = rules.geometry.board.count();
    let plan = Plan::new(position, limits, start);
    if plan.fills_table() {
        table.expect_much();
    }
    let roots = root_moves(&rules, position, &state, limits);
    let shared = Shared {
        evaluation: Evaluation::new(position.rules(), weights),
        cuts: Cuts::new(plan.selectivity, limits.goal, position.rules()),
        rules,
        table,
        busy: Busy::new(count),
        watch: Watch::new(stop, plan.deadline, limits.nodes, count),
    };
    if roots.is_empty() {
        return Report::of_finished_game(position, limits, start.elapsed());
    }
    let mut report = blank_report(position, limits, start);
    let window = root_window(position, limits, squares as i32);
    let is_forced = limits.only_move_at_once && position.legal_moves().len() == 1;
    let stamp = |report: &mut Report| (report.nodes, report.elapsed) = (shared.watch.nodes(), start.elapsed());
    std::thread::scope(|scope| {
        // whatever becomes of the search, its threads end
        let _ending = Ending(&shared.watch);
        let include: Vec<Code> = limits.include.iter().map(|&mv| shared.rules.encode(mv)).collect();
        for _ in 1..count {
            let driver = Driver::new(Worker::new(&shared), roots.clone(), include.clone(), window);
            let plan = &plan;
            if !threads::start(scope, move || help(driver, plan, limits.multi_pv)) {
                break;
            }
        }
        let mut driver = Driver::new(Worker::new(&shared), roots, include, window);
        for iteration in &plan.iterations {
            let Some(mut lines) = driver.iterate(*iteration, limits.multi_pv) else {
                if let Some(line) = driver.overtaken(limits.multi_pv) {
                    // as good as that it is, and so is the position; the depth stays that of the complete iteration
                    let line = Line { bound: Bound::Lower, ..to_line(&line, &shared.rules, position, limits) };
                    report.score = line.score;
                    report.lines = vec![line];
                    stamp(&mut report);
                    on_report(&report);
                }
                report.stopped = true;
                break;
            };
            if iteration.is_exact {
                let is_outcome = limits.goal == Goal::WinDrawLoss;
                lines.iter_mut().for_each(|line| driver.complete(line, is_outcome));
                driver.worker.flush();
            }
            report.depth = iteration.depth.min(255) as u8;
            report.selectivity = if iteration.is_exact { Selectivity::NONE } else { plan.selectivity };
            report.lines = lines.iter().map(|line| to_line(line, &shared.rules, position, limits)).collect();
            report.score = report.lines[0].score;
            stamp(&mut report);
            on_report(&report);
            if plan.is_enough(iteration) || shared.watch.is_soft_over() {
                // the time was up just between two iterations
                report.stopped = plan.iterations.last() != Some(iteration);
                break;
            }
            if is_forced && (plan.is_timed() || shared.watch.has_deadline()) {
                // thinking does not change a forced move
                break;
            }
        }
        if report.lines.is_empty() {
            report.lines = driver.fallback(position, limits);
            report.score = report.lines[0].score;
        }
    });
    stamp(&mut report);
    report
}

/// Static value of a position whose board fits `B`, in discs.
pub(super) fn static_value<B: Set>(position: &Position) -> i32 {
    let rules: Rules<B> = Rules::new(position, false);
    let state = rules.state(position);
    if state.placing > 0 {
        return 0;
    }
    let evaluation = Evaluation::new(position.rules(), None);
    to_discs(evaluation.value(&rules, &state, rules.moves(&state), position.empty_count()))
}

/// Lets the helpers go at the end of a search, also when a callback panics.
struct Ending<'a, 'b>(&'a Watch<'b>);

impl Drop for Ending<'_, '_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// A report without lines.
fn blank_report(position: &Position, limits: &Limits, start: Instant) -> Report {
    Report {
        depth: 0,
        selectivity: Selectivity::NONE,
        // the empty 16x16 board has one more than fits
        empties: position.empty_count().min(255) as u8,
        lines: Vec::new(),
        score: 0,
        nodes: 0,
        elapsed: start.elapsed(),
        stopped: false,
        win_draw_loss: limits.goal == Goal::WinDrawLoss,
        source: Source::Search,
    }
}

/// The moves to search at the root: those asked for, or all legal ones.
fn root_moves<B: Set>(rules: &Rules<B>, position: &Position, state: &State<B>, limits: &Limits) -> Vec<RootMove<B>> {
    let legal = position.legal_moves();
    let wanted = |mv| limits.moves.as_ref().is_none_or(|moves| moves.contains(mv));
    let selected = legal.iter().filter(|mv| wanted(mv));
    selected
        .map(|&mv| {
            let code = rules.encode(mv);
            let (child, same_side) = rules.after_code(state, code);
            RootMove { code, child, same_side }
        })
        .collect()
}

/// The window of the whole search in units. The full window of 8x8 stands for that of any board.
fn root_window(position: &Position, limits: &Limits, squares: i32) -> (i32, i32) {
    if limits.goal == Goal::WinDrawLoss {
        // with equal counts the second player wins: one boundary instead of two
        return match (position.rules().equality(), position.side_to_move()) {
            (Equality::Draw, _) => (-1, 1),
            (Equality::SecondWins, Color::Black) => (0, 1),
            (Equality::SecondWins, Color::White) => (-1, 0),
        };
    }
    let (low, high) = limits.window;
    // nor does a bound beyond all scores of the board bound anything: the best score is inside of it
    let alpha = if low <= -64 || low < -squares { -INFINITY } else { low * DISC };
    let beta = if high >= 64 || high > squares { INFINITY } else { high * DISC };
    (alpha, beta)
}

fn to_line<B: Set>(scored: &Scored, rules: &Rules<B>, position: &Position, limits: &Limits) -> Line {
    let mv = rules.decode(scored.code);
    let pv = std::iter::once(mv).chain(scored.rest.iter().map(|&code| rules.decode(code))).collect();
    if limits.goal == Goal::WinDrawLoss {
        return Line { mv, score: position.outcome_of(scored.value), bound: Bound::Exact, pv };
    }
    Line { mv, score: to_discs(scored.value), bound: scored.bound, pv }
}

/// The iterations of one thread.
struct Driver<'a, B> {
    worker: Worker<'a, B>,
    /// Best first.
    roots: Vec<RootMove<B>>,
    /// Moves that get values besides the best ones.
    include: Vec<Code>,
    window: (i32, i32),
    /// Values of the previous iteration's lines.
    previous: Vec<i32>,
    /// A move that has beaten the best one of the previous iteration in the one under way.
    better: Option<Scored>,
}

impl<'a, B: Entries> Driver<'a, B> {
    fn new(worker: Worker<'a, B>, roots: Vec<RootMove<B>>, include: Vec<Code>, window: (i32, i32)) -> Driver<'a, B> {
        Driver { worker, roots, include, window, previous: Vec::new(), better: None }
    }

    /// What an iteration that was stopped has found out nevertheless, where one line is wanted: a move that has beaten the best one
    /// of the iteration before, and what it is worth at least.
    fn overtaken(&mut self, multi_pv: usize) -> Option<Scored> {
        self.better.take().filter(|_| multi_pv <= 1 && self.include.is_empty())
    }

    /// The best `multi_pv` lines at one depth, and those to be included; `None` when the search was told to end.
    fn iterate(&mut self, iteration: Iteration, multi_pv: usize) -> Option<Vec<Scored>> {
        let mut lines: Vec<Scored> = Vec::new();
        self.better = None;
        let count = multi_pv.clamp(1, self.roots.len());
        for index in 0..count {
            let guess = self.previous.get(index).copied();
            let line = self.best_of(index..self.roots.len(), iteration, guess)?;
            let place = self.roots.iter().position(|root| root.code == line.code).expect("a root move");
            // best first, the others in their order
            self.roots[index..=place].rotate_right(1);
            lines.push(line);
        }
        for index in count..self.roots.len() {
            if self.include.contains(&self.roots[index].code) {
                lines.push(self.best_of(index..index + 1, iteration, None)?);
            }
        }
        lines.sort_by_key(|line| -line.value);
        self.previous = lines.iter().map(|line| line.value).collect();
        self.worker.flush();
        Some(lines)
    }

    /// Takes a line that a search to the end of the game has left with a bound, as all those of wins and losses, to that end, by moves
    /// that keep what the line tells: its score, or the outcome. When the search is told to end, the line ends too; its score stands.
    fn complete(&mut self, line: &mut Scored, is_outcome: bool) {
        let beyond = match line.bound {
            Bound::Exact => return,
            Bound::Lower => line.value - 1,
            Bound::Upper => line.value,
        };
        // an outcome is told without by how much
        let (alpha, beta) = self.window;
        let beyond = if is_outcome { beyond.clamp(alpha, beta - 1) } else { beyond };
        let proof = Proof { beyond, is_above: line.bound == Bound::Lower };
        let root = self.roots.iter().find(|root| root.code == line.code).expect("a root move");
        let proof = if root.same_side { proof } else { proof.of_other_side() };
        self.worker.complete(root.child, &mut line.rest, proof);
    }

    /// The best of a range of root moves, searched with a window around the guess that widens where it must.
    fn best_of(&mut self, range: Range<usize>, iteration: Iteration, guess: Option<i32>) -> Option<Scored> {
        let (low, high) = self.window;
        let Some(guess) = guess.filter(|_| iteration.depth > 4 && high - low > 2 * ASPIRATION) else {
            return self.search_roots(range, iteration.depth, low, high);
        };
        // a value outside the window that is asked for tells its nearest end at most
        let guess = guess.clamp(low, high);
        let (mut below, mut above) = (ASPIRATION, ASPIRATION);
        loop {
            let widen = |width: i32| if width > 40 * DISC { INFINITY } else { width };
            let alpha = (guess - widen(below)).max(low);
            let beta = (guess + widen(above)).min(high);
            let line = self.search_roots(range.clone(), iteration.depth, alpha, beta)?;
            match line.bound {
                Bound::Upper if alpha > low => below *= 4,
                Bound::Lower if beta < high => above *= 4,
                _ => return Some(line),
            }
        }
    }

    /// The best of a range of root moves within a window.
    fn search_roots(&mut self, range: Range<usize>, depth: i32, alpha: i32, beta: i32) -> Option<Scored> {
        let mut best: Option<Scored> = None;
        // below the window nothing is known of which is best
        let first = self.roots[range.start].code;
        let beats_first = |line: &Scored| line.value > alpha && line.code != first;
        let shared = self.worker.shared;
        let is_shared = shared.busy.is_used() && depth >= LEAST_SHARED;
        // moves that have been put off come once more
        let mut waiting: VecDeque<(usize, bool)> = range.clone().map(|i| (i, i != range.start)).collect();
        while let Some((i, may_wait)) = waiting.pop_front() {
            let RootMove { code, child, same_side } = self.roots[i].clone();
            let hash = is_shared.then(|| child.hash(shared.rules.seed));
            let Some(_visit) = shared.busy.visit(hash, may_wait) else {
                waiting.push_back((i, false));
                continue;
            };
            // a pass costs no depth
            let depth = if code == PASS { depth } else { depth - 1 };
            let floor = best.as_ref().map_or(alpha, |line| line.value.max(alpha));
            let scored = |value, worker: &Worker<B>| Scored {
                code,
                value,
                bound: bound_of(value, alpha, beta),
                rest: worker.pv().to_vec(),
            };
            let mut value;
            let mut least = None;
            if i == range.start || beta - floor <= 1 {
                value = self.worker.value_after(&child, same_side, depth, floor, beta);
            } else {
                value = self.worker.value_after(&child, same_side, depth, floor, floor + 1);
                if value > floor && value < beta && !self.worker.aborted {
                    // by how much it is better remains to be seen
                    least = Some(scored(value, &self.worker));
                    value = self.worker.value_after(&child, same_side, depth, floor, beta);
                }
            }
            if self.worker.aborted {
                self.better = least.or(best.filter(beats_first)).or(self.better.take());
                return None;
            }
            if best.as_ref().is_none_or(|line| value > line.value) {
                best = Some(scored(value, &self.worker));
            }
            if value >= beta {
                break;
            }
        }
        self.better = best.as_ref().filter(|line| beats_first(line)).cloned();
        best
    }

    /// Lines for a search that was stopped before its first iteration: the moves as they stand, statically valued.
    fn fallback(&mut self, position: &Position, limits: &Limits) -> Vec<Line> {
        let rules = &self.worker.shared.rules;
        let scored = |root: &RootMove<B>| {
            let value = self.worker.value_of(&root.child, root.same_side);
            Scored { code: root.code, value, bound: Bound::Exact, rest: Vec::new() }
        };
        let mut lines: Vec<Scored> = self.roots.iter().map(scored).collect();
        lines.sort_by_key(|line| -line.value);
        let is_line =
            |(rank, line): &(usize, &Scored)| *rank < limits.multi_pv.max(1) || self.include.contains(&line.code);
        let lines = lines.iter().enumerate().filter(is_line);
        lines.map(|(_, line)| to_line(line, rules, position, limits)).collect()
    }
}

/// What the other threads do: the same iterations, but first what nobody else is at, so that the first thread finds in the table what it
/// would have to search.
fn help<B: Entries>(mut driver: Driver<'_, B>, plan: &Plan, multi_pv: usize) {
    for iteration in &plan.iterations {
        if driver.iterate(*iteration, multi_pv).is_none() {
            break;
        }
    }
    driver.worker.flush();
}
