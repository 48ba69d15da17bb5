//! The root of the search: iterative deepening, aspiration windows, passes of rising confidence, multi-PV.

use std::ops::Range;
use std::time::Duration;

use super::aspiration::Aspiration;
use super::children::{Children, Order, score_children};
use super::entries::Entries;
use super::line::{Proof, principal_variation};
use super::symmetry::Symmetries;
use super::worker::{Node, Worker};
use crate::board::{Board, Square, Squares};
use crate::eval::MAX_DISCS;
use crate::search::{Bound, Budget, Goal, Selectivity, Stage};
use crate::time::Instant;

/// A root search in terms of the fast board.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub board: Board,
    /// Moves to consider (squares), all legal; empty when the side to move must pass.
    pub moves: u64,
    /// Moves that get values besides the best ones; those not considered are left out.
    pub include: u64,
    pub goal: Goal,
    pub window: (i32, i32),
    pub multi_pv: usize,
    pub only_move_at_once: bool,
    pub budget: Option<Budget>,
    pub start: Instant,
}

/// A root move, its value and continuation.
#[derive(Clone, Debug)]
pub(crate) struct RootLine {
    /// `None` for a pass.
    pub square: Option<Square>,
    pub score: i32,
    pub bound: Bound,
    /// Moves after this one; `None` for passes.
    pub pv: Vec<Option<Square>>,
}

/// The result of an iteration, or of the last complete one and a move that has beaten its best one since then.
#[derive(Clone, Debug)]
pub(crate) struct Iteration {
    pub stage: Stage,
    pub lines: Vec<RootLine>,
    pub nodes: u64,
    pub elapsed: Duration,
}

#[derive(Clone, Copy, Debug)]
struct RootMove {
    square: u8,
    flips: u64,
    score: i32,
}

/// Endgames of at most this many empties are solved at once, without passes of lower confidence.
const DIRECT_SOLVE: u32 = 13;
/// Plies before the end at which a solving search leaves the midgame iterations. Where there are few or no passes of lower confidence
/// to the end, deeper ones order its moves better than they cost; where the whole solve takes milliseconds they do not. (Six plies save
/// nodes against eight, but midgame nodes are dear.) Where time or nodes may end the search before the end of the game is reached, a
/// midgame search that is two plies deeper says more about the move than a pass to the end that is not completed.
const fn midgame_gap(empties: u32, unlimited: bool) -> u32 {
    match empties {
        18..=22 => 8,
        23.. if unlimited => 8,
        _ => 10,
    }
}

/// Plies of the midgame iterations before a direct solve that time or nodes may end: some hundred nodes, where a solve takes tens of
/// thousands at most.
const FIRST_GLANCE: u32 = 6;
/// Plies before the end at which they give way to the solve.
const FIRST_GLANCE_GAP: u32 = 5;

/// Depth of the first midgame iteration that is believed when it says that one side wins by as much as values say at most.
const OFF_THE_SCALE: u8 = 6;

/// Depth of the last midgame iteration when solving on boards without trained weights: deeper ones, which ProbCut does not
/// speed up there, cost more than they help.
const GENERAL_MIDGAME: u32 = 12;

/// The iterations that lead to a goal; `general` boards have no trained weights.
pub(crate) fn schedule(goal: Goal, empties: u32, general: bool) -> Vec<Stage> {
    let n = empties as u8;
    let (target, unlimited) = match goal {
        Goal::Level(level) => (level.stage(n), false),
        Goal::Depth(depth, selectivity) => (Stage { depth: depth.min(n), selectivity }, false),
        Goal::Exact | Goal::WinDrawLoss => (Stage { depth: n, selectivity: Selectivity::NONE }, false),
        Goal::Unlimited => (Stage { depth: n, selectivity: Selectivity::NONE }, true),
    };
    let mut stages = Vec::new();
    let mut push = |depth: u32, selectivity| stages.push(Stage { depth: depth as u8, selectivity });
    if target.depth < n {
        let depth = target.depth as u32;
        // steps of two keep the parity of the final depth; searches of the other one, in between, cost more than they order
        let first = if depth.is_multiple_of(2) { depth.min(2) } else { 1 };
        for d in (first..=depth).step_by(2) {
            push(d, target.selectivity);
        }
        return stages;
    }
    if empties > DIRECT_SOLVE {
        let last = empties - midgame_gap(empties, unlimited);
        let last = if general { last.min(GENERAL_MIDGAME) } else { last };
        let mut d = if last.is_multiple_of(2) { 2 } else { 1 };
        while d <= last {
            push(d, Selectivity::MOST.min(target.selectivity));
            d += if d < 10 || !unlimited { 2 } else { 1 };
        }
    }
    if unlimited && empties <= DIRECT_SOLVE {
        // what may be ended before the solve is knows something by then
        for depth in (2..=empties.saturating_sub(FIRST_GLANCE_GAP).min(FIRST_GLANCE)).step_by(2) {
            push(depth, Selectivity::MOST);
        }
    }
    // the rest of the game at rising confidence: the larger the position, the more the earlier passes pay
    let passes: &[u8] = match empties {
        ..=17 => &[],
        18..=20 => &[0],
        21..=26 => &[1],
        27..=30 => &[0, 2],
        _ => &[0, 1, 2, 3, 4],
    };
    let passes: &[u8] = match general {
        true if empties > 20 => &[2],
        true => &[],
        false => passes,
    };
    for &pass in passes {
        let selectivity = Selectivity::new(pass).expect("table index");
        if selectivity < target.selectivity {
            push(empties, selectivity);
        }
    }
    push(empties, target.selectivity);
    stages
}

/// Runs a search to its goal or until it is stopped. `on_iteration` hears of every complete iteration, and of a move that beats the best
/// one of the last of them before the next is stopped; what it hears last is returned. There is always a result, if only a static one.
pub(crate) fn search<I: Entries>(w: &mut Worker, task: &Task, on_iteration: &mut dyn FnMut(&Iteration)) -> Iteration {
    let board = task.board;
    let mask = w.mask::<I>();
    let mut node = Node {
        player: board.player,
        opponent: board.opponent,
        ply: 0,
        view: 0,
        empties: w.empties::<I>(board.player, board.opponent).count_ones(),
    };
    w.stack[0] = crate::eval::Features::new(board);
    let passed = task.moves == 0;
    let mut moves = task.moves;
    if passed {
        node = node.pass();
        moves = I::moves(node.player, node.opponent) & mask;
    }
    // of all that are legal: a choice that the caller narrowed down to one move is a question about that move
    let has_one_move = passed || (I::moves(node.player, node.opponent) & mask).count_ones() == 1;
    let is_forced = task.only_move_at_once && has_one_move;
    let (low, high) = if passed { (-task.window.1, -task.window.0) } else { task.window };
    let (low, high) = if task.goal == Goal::WinDrawLoss { (low.max(-1), high.min(1)) } else { (low, high) };
    let include = if passed { 0 } else { task.include };
    let symmetries = Symmetries::of(w.shared.rules.mask, node.player, node.opponent);
    let searched = root_moves::<I>(w, node, symmetries.representatives(moves));
    let mut root =
        Root { node, moves: searched, considered: moves, symmetries, include, passed, low, high, overtaken: false };
    let wanted = if passed { 1 } else { task.multi_pv.clamp(1, moves.count_ones() as usize) };
    let mut latest = root.static_result(task, wanted);
    let stages = schedule(task.goal, node.empties, I::GENERAL);
    let is_midgame = |stage: &Stage| (stage.depth as u32) < node.empties;
    let is_solve = task.goal != Goal::Unlimited && !stages.iter().all(is_midgame);
    for stage in stages {
        if stage.depth == 0 {
            on_iteration(&latest);
            continue;
        }
        if !I::GENERAL && is_solve && is_midgame(&stage) && is_off_the_scale(&latest) {
            continue;
        }
        let is_late = task.budget.is_some_and(|budget| task.start.elapsed() >= budget.soft.min(budget.hard));
        if is_late || w.shared.watch.is_soft_over() {
            w.shared.watch.end();
            break;
        }
        w.selectivity = stage.selectivity.index() as u8;
        let Some(lines) = root.iterate::<I>(w, stage, wanted) else {
            if root.overtaken {
                latest = root.overtaking_report::<I>(w, task, latest.stage);
                on_iteration(&latest);
            }
            break;
        };
        latest = root.report::<I>(w, task, stage, lines);
        on_iteration(&latest);
        if (task.budget.is_some() || w.shared.watch.has_deadline()) && is_forced {
            // thinking does not change a forced move
            break;
        }
    }
    if latest.stage.depth == 0 && !root.overtaken && !w.shared.values && root.value_moves::<I>(w) {
        latest = root.static_result(task, wanted);
    }
    latest.nodes = w.report_nodes();
    latest.elapsed = task.start.elapsed();
    latest
}

/// The value is as large as values get, and not by a glance: deeper midgame searches, which ProbCut cannot cut there, would not tell
/// moves apart any more.
fn is_off_the_scale(iteration: &Iteration) -> bool {
    let best = iteration.lines.first().map_or(0, |line| line.score.abs());
    iteration.stage.depth >= OFF_THE_SCALE && best >= MAX_DISCS
}

/// The legal moves in an order to begin with.
fn root_moves<I: Entries>(w: &mut Worker, node: Node, moves: u64) -> Vec<RootMove> {
    let mut children = Children::new::<I>(w, node, moves, true);
    let order = if w.shared.values { Order::SearchAll(1) } else { Order::Mobility };
    score_children::<I>(w, node, &mut children, None, order);
    children
        .remaining(0)
        .iter()
        .map(|child| {
            let next = w.push::<I>(node, child.square as usize, child.flips);
            let score = match w.shared.values {
                true => -w.static_value::<I>(next, -64, 64),
                false => -w.shared.general.rough_value::<I>(next),
            };
            RootMove { square: child.square, flips: child.flips, score }
        })
        .collect()
}

/// Less than any score.
const NOTHING: i32 = -127;

/// What the search of a root move has shown.
enum Shown {
    Value(i32),
    /// It was stopped, after a null window had shown that the move beats those before it.
    AtLeast(i32),
    /// It was stopped.
    Nothing,
}

/// Searches a root move: the first with the whole window, others with a null window that is opened for those that beat alpha.
fn look_at<I: Entries>(w: &mut Worker, next: Node, alpha: i32, beta: i32, depth: u32, first: bool) -> Shown {
    let mut least = None;
    if !first {
        let score = -I::nws(w, next, -alpha - 1, depth, true);
        if w.is_stopped() {
            return Shown::Nothing;
        }
        if score <= alpha || score >= beta {
            return Shown::Value(score);
        }
        least = Some(score);
    }
    let score = -I::pvs(w, next, -beta, -alpha, depth);
    match least {
        _ if !w.is_stopped() => Shown::Value(score),
        Some(least) => Shown::AtLeast(least),
        None => Shown::Nothing,
    }
}

struct Root {
    node: Node,
    /// Best first, as far as known; of moves that are images of one another there is one.
    moves: Vec<RootMove>,
    /// Squares of all moves.
    considered: u64,
    symmetries: Symmetries,
    /// Squares whose moves get values besides the best ones.
    include: u64,
    /// The search is of the position after a forced pass.
    passed: bool,
    low: i32,
    high: i32,
    /// The first move has beaten the best one of the last complete iteration in the one under way.
    overtaken: bool,
}

impl Root {
    /// Searches one stage: the squares of the moves, from the best on, that have values to be told; `None` when it was stopped. Half of
    /// the nodes of a move that time or nodes end are in a stage that is not completed; what it has found is not lost where one line is
    /// wanted: a move that has beaten the best one so far goes to the front.
    fn iterate<I: Entries>(&mut self, w: &mut Worker, stage: Stage, wanted: usize) -> Option<u64> {
        let depth = stage.depth as u32;
        let (before, all) = (self.moves.clone(), self.moves.len());
        self.overtaken = false;
        // the images of the best may be enough
        let best = wanted.min(all);
        let is_complete = (0..best).all(|rank| self.aspirate::<I>(w, rank, all, depth));
        let searched = best + self.bring_included(best);
        let is_complete = is_complete && (best..searched).all(|rank| self.aspirate::<I>(w, rank, rank + 1, depth));
        if !is_complete {
            self.overtaken &= wanted == 1 && self.include == 0 && self.moves[0].square != before[0].square;
            if !self.overtaken {
                self.moves = before;
            }
            return None;
        }
        let lines = self.told(&self.moves[..best], wanted);
        // ranks are searched one after the other; selective searches need not come out in order
        self.moves[..searched].sort_by_key(|mv| -mv.score);
        Some(lines)
    }

    /// The squares of the first `wanted` of these moves and their images, and of those to be included.
    fn told(&self, moves: &[RootMove], wanted: usize) -> u64 {
        let squares = moves.iter().flat_map(|mv| self.images(mv));
        squares.take(wanted).fold(self.include & self.considered, |told, square| told | square.bit())
    }

    /// The square of a move, and those of its images.
    fn images(&self, mv: &RootMove) -> impl Iterator<Item = Square> + use<> {
        let own = 1 << mv.square;
        let others = self.symmetries.orbit(mv.square) & self.considered & !own;
        Squares(own).chain(Squares(others))
    }

    /// Brings the moves to be included that are not among the first `wanted` right behind those; their number.
    fn bring_included(&mut self, wanted: usize) -> usize {
        let (include, symmetries) = (self.include & self.considered, self.symmetries);
        let is_included = |mv: &RootMove| symmetries.orbit(mv.square) & include != 0;
        self.moves[wanted..].sort_by_key(|mv| !is_included(mv));
        self.moves[wanted..].iter().filter(|mv| is_included(mv)).count()
    }

    /// Finds the best of the moves from `rank` to before `end` and moves it to the front of them.
    fn aspirate<I: Entries>(&mut self, w: &mut Worker, rank: usize, end: usize, depth: u32) -> bool {
        let is_endgame = depth >= self.node.empties;
        let full = (self.low, self.high);
        let mut window = if depth < 3 {
            Aspiration::full(full)
        } else {
            Aspiration::around(self.moves[rank].score, full, is_endgame, &w.shared.rules)
        };
        loop {
            let Some(score) = self.best_of::<I>(w, rank..end, window.alpha, window.beta, depth) else { return false };
            if !window.widen(score) {
                return true;
            }
        }
    }

    /// One search of a range of the moves; the best goes to its front. `None` when stopped: then one that has beaten the first does.
    fn best_of<I: Entries>(
        &mut self,
        w: &mut Worker,
        ranks: Range<usize>,
        mut alpha: i32,
        beta: i32,
        depth: u32,
    ) -> Option<i32> {
        let lowest = alpha;
        let mut best = NOTHING;
        let rank = ranks.start;
        let mut best_index = rank;
        for i in ranks {
            let RootMove { square, flips, .. } = self.moves[i];
            let next = w.push::<I>(self.node, square as usize, flips);
            let (score, is_stopped) = match look_at::<I>(w, next, alpha, beta, depth - 1, i == rank) {
                Shown::Value(score) => (score, false),
                Shown::AtLeast(score) => (score, true),
                Shown::Nothing => (NOTHING, true),
            };
            if score > best {
                best = score;
                best_index = i;
            }
            if is_stopped {
                if best_index > rank && best > lowest {
                    self.moves[best_index].score = best;
                    self.moves[rank..=best_index].rotate_right(1);
                    self.overtaken = true;
                }
                return None;
            }
            self.moves[i].score = score;
            if best >= beta {
                break;
            }
            alpha = alpha.max(best);
        }
        self.moves[rank..=best_index].rotate_right(1);
        // below the window nothing is known of which is best
        self.overtaken = best > lowest;
        Some(best)
    }

    /// Gives the moves their static values, for a search that was stopped before its only iteration ended; `false` when there is not
    /// enough memory for the weights.
    fn value_moves<I: Entries>(&mut self, w: &mut Worker) -> bool {
        let empties = self.node.empties - 1;
        if w.shared.weights.prepare(empties..=empties).is_err() {
            return false;
        }
        for mv in &mut self.moves {
            let next = w.push::<I>(self.node, mv.square as usize, mv.flips);
            mv.score = -w.static_value::<I>(next, -64, 64);
        }
        true
    }

    fn bound(&self, score: i32) -> Bound {
        if score <= self.low && self.low > -64 {
            Bound::Upper
        } else if score >= self.high && self.high < 64 {
            Bound::Lower
        } else {
            Bound::Exact
        }
    }

    /// The lines of a move and its images whose squares are `told`.
    fn lines(&self, mv: &RootMove, told: u64, pv: &[Option<Square>]) -> Vec<RootLine> {
        let told = self.images(mv).filter(|square| told & square.bit() != 0);
        let image = |square: Square| {
            let symmetry = self.symmetries.between(mv.square, square.index() as u8);
            let symmetry = symmetry.expect("one of its images");
            self.line(square, mv.score, pv.iter().map(|mv| mv.map(|square| symmetry.apply(square))).collect())
        };
        told.map(image).collect()
    }

    fn line(&self, square: Square, score: i32, pv: Vec<Option<Square>>) -> RootLine {
        let bound = self.bound(score);
        if !self.passed {
            return RootLine { square: Some(square), score, bound, pv };
        }
        let bound = match bound {
            Bound::Exact => Bound::Exact,
            Bound::Lower => Bound::Upper,
            Bound::Upper => Bound::Lower,
        };
        let pv = std::iter::once(Some(square)).chain(pv).collect();
        RootLine { square: None, score: -score, bound, pv }
    }

    /// [`Root::report`] of a move that has beaten the best one of an iteration before the next was stopped: it is worth at least what it
    /// was found to be, and so is the position. The `stage` stays that of the complete iteration.
    fn overtaking_report<I: Entries>(&self, w: &mut Worker, task: &Task, stage: Stage) -> Iteration {
        let mut iteration = self.report::<I>(w, task, stage, self.told(&self.moves[..1], 1));
        let bound = if self.passed { Bound::Upper } else { Bound::Lower };
        iteration.lines.iter_mut().for_each(|line| line.bound = bound);
        iteration
    }

    /// The moves with their static values, for a search that is stopped before its first iteration.
    fn static_result(&self, task: &Task, wanted: usize) -> Iteration {
        let mut moves = self.moves.clone();
        moves.sort_by_key(|mv| -mv.score);
        let told = self.told(&moves, wanted);
        let lines = moves.iter().flat_map(|mv| self.lines(mv, told, &[])).collect();
        let stage = Stage { depth: 0, selectivity: Selectivity::NONE };
        Iteration { stage, lines, nodes: 0, elapsed: task.start.elapsed() }
    }

    fn report<I: Entries>(&self, w: &mut Worker, task: &Task, stage: Stage, told: u64) -> Iteration {
        let is_told = |mv: &&RootMove| self.symmetries.orbit(mv.square) & told != 0;
        let lines = self.moves.iter().filter(is_told).flat_map(|mv| {
            let next = w.push::<I>(self.node, mv.square as usize, mv.flips);
            let is_solved = stage.selectivity == Selectivity::NONE && stage.depth as u32 >= self.node.empties;
            let proof = match self.bound(mv.score) {
                _ if !is_solved => Proof::None,
                Bound::Exact => Proof::Score,
                // of the position after the move
                Bound::Lower => Proof::AtMost,
                Bound::Upper => Proof::AtLeast,
            };
            let pv = principal_variation::<I>(w, next, -mv.score, proof);
            self.lines(mv, told, &pv)
        });
        let lines = lines.collect();
        Iteration { stage, lines, nodes: w.report_nodes(), elapsed: task.start.elapsed() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Level;

    fn texts(goal: Goal, empties: u32) -> Vec<String> {
        schedule(goal, empties, false).iter().map(|s| format!("{}@{}", s.depth, s.selectivity)).collect()
    }

    #[test]
    fn schedules_end_at_the_goal() {
        for empties in 1..=60 {
            for level in 0..=60 {
                let level = Level::new(level).unwrap();
                assert_eq!(*schedule(Goal::Level(level), empties, false).last().unwrap(), level.stage(empties as u8));
            }
            let exact = Stage { depth: empties as u8, selectivity: Selectivity::NONE };
            assert_eq!(*schedule(Goal::Exact, empties, false).last().unwrap(), exact);
            assert_eq!(*schedule(Goal::Unlimited, empties, false).last().unwrap(), exact);
        }
    }

    #[test]
    fn fixed_depths_are_reached_in_steps_of_two() {
        let to = |depth| texts(Goal::Depth(depth, Selectivity::MOST), 40).join(" ");
        assert_eq!(to(15), "1@73% 3@73% 5@73% 7@73% 9@73% 11@73% 13@73% 15@73%");
        assert_eq!([to(4), to(1), to(0)], ["2@73% 4@73%", "1@73%", "0@73%"]);
    }

    #[test]
    fn small_positions_are_solved_at_once() {
        assert_eq!(texts(Goal::Exact, 10), ["10@100%"]);
        assert_eq!(texts(Goal::Exact, 14), ["2@73%", "4@73%", "14@100%"]);
        // but for a glance where the solve may be cut short
        assert_eq!(texts(Goal::Unlimited, 13), ["2@73%", "4@73%", "6@73%", "13@100%"]);
        assert_eq!(texts(Goal::Unlimited, 8), ["2@73%", "8@100%"]);
        assert_eq!(texts(Goal::Unlimited, 6), ["6@100%"]);
    }

    #[test]
    fn searches_that_may_be_cut_short_stay_longer_in_the_midgame() {
        let midgame =
            |goal, empties| texts(goal, empties).iter().rfind(|text| !text.starts_with("26")).cloned().unwrap();
        assert_eq!([midgame(Goal::Exact, 26), midgame(Goal::Unlimited, 26)], ["16@73%", "18@73%"]);
        assert_eq!(texts(Goal::Unlimited, 26)[11..], ["17@73%", "18@73%", "26@87%", "26@100%"]);
    }
}
