//! The engine as an object: owns the transposition table, the weights and the options.

use std::sync::Arc;

use crate::board::{Board, Square};
use crate::eval::Weights;
use crate::kernel::Tier;
use crate::rules::{Move, Objective, Position};
use crate::search::general::{self, Searcher};
use crate::search::othello::{Control, Iteration, Memory, Rules, TableSlot, Task, static_value};
use crate::search::{Goal, Level, Limits, Line, Report, SearchError, Source, Stage, StopToken};
use crate::search::{MAX_HASH_MIB, MAX_THREADS, budget, check_resources};
use crate::time::Instant;

/// What an engine is made with. Numbers outside their ranges are errors of the first search, or of [`Engine::allocate`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Size of the transposition table in MiB, 1 to [`Options::MAX_HASH_MIB`].
    pub hash_mib: usize,
    /// Threads that search one position, 1 to [`Options::MAX_THREADS`].
    pub threads: usize,
}

impl Options {
    /// Most threads.
    pub const MAX_THREADS: usize = MAX_THREADS;
    /// Largest table, in MiB (one TiB).
    pub const MAX_HASH_MIB: usize = MAX_HASH_MIB;
}

impl Default for Options {
    fn default() -> Options {
        Options { hash_mib: 64, threads: 1 }
    }
}

/// An engine: searches positions, remembering what it learned in its table.
///
/// Making one costs microseconds; the table, the weights and the threads come with the first search.
#[derive(Debug)]
pub struct Engine {
    options: Options,
    tier: Tier,
    weights: Option<Arc<Weights>>,
    /// The table, perhaps shared with other engines.
    table: TableSlot,
    memory: Option<Memory>,
    /// For positions outside the fast kernels.
    general: Searcher,
}

impl Engine {
    /// An engine with these options.
    pub fn new(options: Options) -> Engine {
        let general = Searcher::new(options.hash_mib);
        Engine { options, tier: Tier::detect(), weights: None, table: TableSlot::default(), memory: None, general }
    }

    /// Another engine with the same options, tier and weights over the same transposition table: what one learns the others
    /// know. They may search at the same time, each in a thread of its own, and scores are as exact as with a table for each.
    ///
    /// Engines keep their entries apart where rules or weights differ. The table belongs to the engine that is left last; an
    /// engine whose [`Options::hash_mib`] is changed leaves with a table of its own.
    ///
    /// ```
    /// use outflank::engine::{Engine, Options};
    /// use outflank::rules::Position;
    /// use outflank::search::{Goal, Limits, Selectivity, StopToken};
    ///
    /// let engine = Engine::new(Options { hash_mib: 4, threads: 1 });
    /// let limits = Limits::new(Goal::Depth(4, Selectivity::NONE));
    /// let mut pair = [engine.sharing(), engine];
    /// std::thread::scope(|scope| {
    ///     for engine in &mut pair {
    ///         scope.spawn(|| engine.search(&Position::default(), &limits, &StopToken::new(), &mut |_| {}));
    ///     }
    /// });
    /// ```
    #[must_use]
    pub fn sharing(&self) -> Engine {
        Engine {
            options: self.options.clone(),
            tier: self.tier,
            weights: self.weights.clone(),
            table: self.table.clone(),
            memory: None,
            general: self.general.sharing(),
        }
    }

    /// The options in force.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Changes the options; the table is made anew, empty and for this engine alone, when its size changes.
    pub fn set_options(&mut self, options: Options) {
        if options.hash_mib != self.options.hash_mib {
            self.table = TableSlot::default();
            self.memory = None;
            self.general = Searcher::new(options.hash_mib);
        }
        self.options = options;
    }

    /// The instruction-set tier of the search.
    pub fn tier(&self) -> Tier {
        self.tier
    }

    /// Searches with another tier, if this machine supports it (for tests and comparisons); `false` if it does not.
    pub fn set_tier(&mut self, tier: Tier) -> bool {
        if !tier.is_supported() {
            return false;
        }
        self.tier = tier;
        self.memory = None;
        true
    }

    /// Evaluates with these weights instead of the embedded ones.
    pub fn set_weights(&mut self, weights: Arc<Weights>) {
        self.weights = Some(weights);
        self.memory = None;
    }

    /// The same engine with these weights, if there are any.
    #[must_use]
    pub fn with_weights(mut self, weights: Option<Arc<Weights>>) -> Engine {
        if let Some(weights) = weights {
            self.set_weights(weights);
        }
        self
    }

    /// Forgets everything learned: this engine and those that share its table. An engine that is searching meanwhile goes on
    /// undisturbed, and what it finds from then on is remembered.
    pub fn clear(&mut self) {
        if let Some(table) = self.table.get() {
            table.clear();
        }
        self.general.clear();
    }

    /// Allocates the table now instead of with the first search.
    ///
    /// # Errors
    /// When the options are outside their ranges, or a table of [`Options::hash_mib`] does not fit the machine.
    pub fn allocate(&mut self) -> Result<(), SearchError> {
        check_resources(self.options.hash_mib, self.options.threads)?;
        if self.memory.is_none() {
            self.memory = Some(self.memory_of(self.options.hash_mib)?);
        }
        Ok(())
    }

    /// Makes now what the first search of such a position would make, so that no clock pays for it. Where there is not enough
    /// memory, the search makes do with less; with options outside their ranges, of which it says so, nothing is made.
    pub fn prepare(&mut self, position: &Position) {
        if check_resources(self.options.hash_mib, self.options.threads).is_err() {
            return;
        }
        let Some((_, mask)) = position.fast_board() else { return self.general.prepare() };
        let is_valued = rules_of(position, mask, false).is_plain();
        // where there is none at all, the search says so
        let _ =
            self.memory().and_then(|memory| if is_valued { memory.prepare(position.empty_count()) } else { Ok(()) });
    }

    fn memory_of(&self, hash_mib: usize) -> Result<Memory, SearchError> {
        let weights = match &self.weights {
            Some(weights) => weights.clone(),
            None => Weights::try_embedded().map_err(|_| SearchError::Weights)?,
        };
        Ok(Memory::new(&self.table, hash_mib, self.tier, weights)?)
    }

    /// The memory to search with: a smaller table than asked for if need be.
    fn memory(&mut self) -> Result<&mut Memory, SearchError> {
        if self.memory.is_none() {
            let mut hash_mib = self.options.hash_mib;
            let memory = loop {
                match self.memory_of(hash_mib) {
                    Ok(memory) => break memory,
                    Err(error @ SearchError::Memory(_)) if hash_mib > 1 => {
                        log::warn!("{error}; trying half");
                        hash_mib /= 2;
                    }
                    Err(error) => return Err(error),
                }
            };
            self.memory = Some(memory);
        }
        Ok(self.memory.as_mut().expect("it was just made"))
    }

    /// Static value of a position in discs for the side to move: what a search finds at its leaves, before it looks ahead. The
    /// score if the game is over (empty squares to the winner); a side that must pass has the value of its discs as they lie.
    ///
    /// A search with [`Selectivity::NONE`](crate::search::Selectivity::NONE) to a depth before the end of the game, with an empty
    /// table, finds exactly what plain negamax of this value does, in which passes take no depth. Where
    /// [`Position::fast_board`] has no board, that is so for one thread (others look deeper here and there) and once the centre is
    /// placed (before that, what follows is valued without the weights).
    pub fn evaluate(&self, position: &Position) -> i32 {
        if position.is_game_over() {
            return position.own_final_score(false);
        }
        let Some((board, mask)) = position.fast_board() else { return general::static_value(position) };
        static_value(&rules_of(position, mask, false), &self.weights.clone().unwrap_or_else(Weights::embedded), board)
    }

    /// [`Engine::evaluate`] of many boards of othello, whose players are to move: without a position for each.
    pub fn evaluate_boards(&self, boards: &[Board]) -> Vec<i32> {
        let weights = self.weights.clone().unwrap_or_else(Weights::embedded);
        let rules = Rules::new(u64::MAX, false, false);
        let value = |board: &Board| match board.is_game_over() {
            true => board.final_score(),
            false => static_value(&rules, &weights, *board),
        };
        boards.iter().map(value).collect()
    }

    /// How deep a search to this level looks in a position, and with which confidence: as [`Level::stage`] says, or, where the
    /// [`general`] search plays (see [`RuleSet::is_fast`](crate::rules::RuleSet::is_fast)), two thirds as deep (half as deep, at full
    /// width, up to level 10).
    pub fn stage_of(position: &Position, level: Level) -> Stage {
        match position.fast_board() {
            Some(_) => level.stage(u8::try_from(position.empty_count()).unwrap_or(u8::MAX)),
            None => general::stage(position.rules(), position.empty_count(), level),
        }
    }

    /// Searches a position and calls `on_report` after each complete iteration; returns the final report.
    ///
    /// Stops at the goal, at a limit, or when `stop` is set: then the result is that of the last complete
    /// iteration (at worst a static one of depth 0), or a move that has beaten the best one of it since then, which `on_report` hears
    /// of, too; [`Report::stopped`] says so. When the table does not fit the machine, a smaller one serves.
    ///
    /// # Errors
    /// When limits or options make no sense (see [`SearchError`]), or there is no memory even for the smallest table; nothing
    /// has been searched then.
    pub fn search(
        &mut self,
        position: &Position,
        limits: &Limits,
        stop: &StopToken,
        on_report: &mut dyn FnMut(&Report),
    ) -> Result<Report, SearchError> {
        let start = Instant::now();
        check_resources(self.options.hash_mib, self.options.threads)?;
        limits.check(position)?;
        if position.is_game_over() {
            let report = Report::of_finished_game(position, limits, start.elapsed());
            on_report(&report);
            return Ok(report);
        }
        let Some((board, mask)) = position.fast_board() else {
            let report = self.general.search(position, limits, self.options.threads, stop, on_report)?;
            log_search(position, limits, &report, stop);
            return Ok(report);
        };
        let rules = rules_of(position, mask, limits.discs_only);
        let empties = position.empty_count();
        // a question about the outcome where equal counts are a win of one side is about the sign of no count of discs
        let (low, high) = match limits.goal == Goal::WinDrawLoss && position.equal_outcome() != 0 {
            true => (-64, 64),
            false => limits.window,
        };
        let task = Task {
            board,
            moves: moves_of(position, limits),
            include: squares_of(&limits.include),
            goal: limits.goal,
            window: (low.max(-64), high.min(64)),
            multi_pv: limits.multi_pv,
            only_move_at_once: limits.only_move_at_once,
            budget: budget(limits.time, empties),
            start,
        };
        let control = Control { token: stop, nodes: limits.nodes, threads: self.options.threads, sampler: None };
        let describe = Describe {
            empties: empties as u8,
            win_draw_loss: limits.goal == Goal::WinDrawLoss,
            equal: position.equal_outcome(),
        };
        let memory = self.memory()?;
        if rules.is_plain() {
            memory.prepare_for(&task)?;
        }
        let (last, stopped) =
            memory.search(rules, &task, &control, &mut |iteration| on_report(&describe.report(iteration, false)));
        let report = describe.report(&last, stopped);
        log_search(position, limits, &report, stop);
        Ok(report)
    }
}

/// A line in the log about a search that has ended, and why it did.
fn log_search(position: &Position, limits: &Limits, report: &Report, stop: &StopToken) {
    let Report { depth, score, nodes, elapsed, .. } = report;
    let end = match limits.nodes {
        _ if !report.stopped => "the goal",
        _ if stop.is_stopped() => "a stop",
        // limits of nodes hold within a percent and some nodes a thread
        Some(limit) if *nodes + limit / 50 + 4096 >= limit => "the limit of nodes",
        _ => "the time",
    };
    let best = report.best().map_or(String::new(), |line| format!(", best {}", line.mv));
    log::debug!(
        "search of {position} ({:?}): depth {depth}@{}%, score {score:+}{best}, {nodes} nodes in {:.3} s, ended by {end}",
        limits.goal,
        report.selectivity.percent(),
        elapsed.as_secs_f64()
    );
}

/// What a report says besides the iteration's result.
struct Describe {
    empties: u8,
    win_draw_loss: bool,
    /// What equal counts are worth in a win/draw/loss search.
    equal: i32,
}

impl Describe {
    fn report(&self, iteration: &Iteration, stopped: bool) -> Report {
        let score_of = |score: i32| match score {
            0 if self.win_draw_loss => self.equal,
            _ if self.win_draw_loss => score.signum(),
            _ => score,
        };
        let move_of = |square: Option<Square>| square.map_or(Move::Pass, Move::from);
        let lines: Vec<Line> = iteration
            .lines
            .iter()
            .map(|line| Line {
                mv: move_of(line.square),
                score: score_of(line.score),
                bound: line.bound,
                pv: std::iter::once(line.square).chain(line.pv.iter().copied()).map(move_of).collect(),
            })
            .collect();
        Report {
            depth: iteration.stage.depth,
            selectivity: iteration.stage.selectivity,
            empties: self.empties,
            score: lines.first().map_or(0, |line| line.score),
            lines,
            nodes: iteration.nodes,
            elapsed: iteration.elapsed,
            stopped,
            win_draw_loss: self.win_draw_loss,
            source: Source::Search,
        }
    }
}

/// The rules of a position on a fast board.
fn rules_of(position: &Position, mask: u64, discs_only: bool) -> Rules {
    Rules::new(mask, discs_only, position.rules().objective() == Objective::Fewest)
}

/// The moves to search as squares of the 8x8 board; 0 for a pass.
fn moves_of(position: &Position, limits: &Limits) -> u64 {
    let legal = squares_of(&position.legal_moves());
    limits.moves.as_ref().map_or(legal, |moves| legal & squares_of(moves))
}

fn squares_of(moves: &[Move]) -> u64 {
    moves.iter().filter_map(|mv| mv.square()).fold(0, |set, square| set | square.bit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Bits, Color};
    use crate::search::Selectivity;

    fn search(options: Options, rules: &str, limits: &Limits) -> Result<Report, SearchError> {
        let position = Position::start(Arc::new(rules.parse().expect("rules")));
        Engine::new(options).search(&position, limits, &StopToken::new(), &mut |_| {})
    }

    #[test]
    fn both_searches_refuse_what_makes_no_sense() {
        let options = Options { hash_mib: 1, threads: 1 };
        let limits = Limits::new(Goal::Depth(2, Selectivity::NONE));
        let a1 = Move::from(Square::new(0).expect("a1"));
        for rules in ["othello", "othello:one"] {
            let with = |options: Options, limits: Limits| search(options, rules, &limits).map(|report| report.depth);
            let refused = |change: fn(&mut Limits)| {
                let mut limits = limits.clone();
                change(&mut limits);
                with(options.clone(), limits).expect_err("refused")
            };
            assert_eq!(with(options.clone(), limits.clone()), Ok(2));
            assert_eq!(with(Options { threads: 0, ..options }, limits.clone()), Err(SearchError::Threads(0)));
            assert_eq!(with(Options { hash_mib: 0, ..options }, limits.clone()), Err(SearchError::Hash(0)));
            let window = refused(|limits| limits.window = (10, -10));
            assert_eq!(window, SearchError::Window { alpha: 10, beta: -10, most: 64 });
            assert_eq!(refused(|limits| limits.multi_pv = 0), SearchError::NoLines);
            assert_eq!(refused(|limits| limits.moves = Some(Vec::new())), SearchError::NoMoves);
            let moves = refused(|limits| limits.moves = Some(vec![Move::from(Square::new(0).expect("a1"))]));
            assert_eq!(moves, SearchError::IllegalMoves(vec![a1]));
        }
    }

    #[test]
    fn games_that_are_over_have_one_report() {
        let options = Options { hash_mib: 1, threads: 1 };
        for (rules, side, score) in [("othello:16x16", "X", 0), ("othello:5x5,fewest", "O", 25)] {
            let rules: crate::rules::RuleSet = rules.parse().expect("rules");
            // nothing on the larger board, and a disc of the first player on the smaller one
            let discs = if score == 0 { Bits::EMPTY } else { Bits::from_u64(1) };
            let side = if side == "X" { Color::Black } else { Color::White };
            let position = Position::from_discs(Arc::new(rules), discs, Bits::EMPTY, side).expect("discs on the board");
            let limits = Limits::new(Goal::Exact);
            let stop = StopToken::new();
            let report = Engine::new(options.clone()).search(&position, &limits, &stop, &mut |_| {}).expect("a report");
            let other = general::search(&position, &limits, 1, 1, &stop, &mut |_| {}).expect("a report");
            let empties = position.empty_count().min(255) as u8;
            assert_eq!((report.score, report.empties, report.depth), (score, empties, empties));
            assert_eq!(Report { elapsed: report.elapsed, ..other }, report);
        }
    }

    #[test]
    fn weights_are_made_ready_where_searches_use_them() {
        for (rules, is_used) in [("othello", true), ("othello:6x6", false), ("othello:8x8,fewest", false)] {
            let weights = Arc::new(Weights::packed());
            let mut engine = Engine::new(Options { hash_mib: 1, threads: 1 }).with_weights(Some(weights.clone()));
            let position = Position::start(Arc::new(rules.parse().expect("rules")));
            engine.prepare(&position);
            assert_eq!((weights.ready_parts() > 0, engine.memory.is_some()), (is_used, true), "{rules}");
            let limits = Limits::new(Goal::Depth(2, Selectivity::NONE));
            engine.search(&position, &limits, &StopToken::new(), &mut |_| {}).expect("a report");
            assert_eq!(weights.ready_parts() > 0, is_used, "{rules}");
        }
    }

    #[test]
    fn tables_that_do_not_fit_are_errors_when_asked_for() {
        let mut engine = Engine::new(Options { hash_mib: Options::MAX_HASH_MIB + 1, threads: 1 });
        assert_eq!(engine.allocate(), Err(SearchError::Hash(Options::MAX_HASH_MIB + 1)));
        // nor does half of it do
        engine.prepare(&Position::default());
        assert!(engine.memory.is_none());
    }
}
