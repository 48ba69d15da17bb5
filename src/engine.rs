//! The engine as an object: owns the transposition table, the weights and the options.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::board::Square;
use crate::eval::Weights;
use crate::kernel::Tier;
use crate::rules::{Color, Equality, Move, Objective, Position};
use crate::search::general::Searcher;
use crate::search::othello::{Control, Iteration, Memory, Rules, TableSlot, Task};
use crate::search::{Goal, Limits, Line, Report, Selectivity, StopToken, TableSizeError, budget};

/// What an engine is made with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Size of the transposition table in MiB.
    pub hash_mib: usize,
    /// Threads that search one position.
    pub threads: usize,
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
        if let Some(memory) = &mut self.memory {
            memory.clear_caches();
        }
        self.general.clear();
    }

    /// Allocates the table now instead of with the first search.
    ///
    /// # Errors
    /// When a table of [`Options::hash_mib`] does not fit the machine.
    pub fn allocate(&mut self) -> Result<(), TableSizeError> {
        if self.memory.is_none() {
            self.memory = Some(self.memory_of(self.options.hash_mib)?);
        }
        Ok(())
    }

    fn memory_of(&self, hash_mib: usize) -> Result<Memory, TableSizeError> {
        let weights = self.weights.clone().unwrap_or_else(Weights::embedded);
        Memory::new(&self.table, hash_mib, self.tier, weights)
    }

    /// The memory to search with: a smaller table than asked for if need be.
    fn memory(&mut self) -> &mut Memory {
        if self.memory.is_none() {
            let mut hash_mib = self.options.hash_mib;
            let memory = loop {
                match self.memory_of(hash_mib) {
                    Ok(memory) => break memory,
                    Err(error) if hash_mib > 1 => {
                        log::warn!("{error}; trying half");
                        hash_mib /= 2;
                    }
                    Err(error) => panic!("{error}"),
                }
            };
            self.memory = Some(memory);
        }
        self.memory.as_mut().expect("it was just made")
    }

    /// Searches a position and calls `on_report` after each complete iteration; returns the final report.
    ///
    /// Stops at the goal, at a limit, or when `stop` is set: then the result is that of the last complete
    /// iteration (at worst a static one of depth 0), and [`Report::stopped`] says so.
    pub fn search(
        &mut self,
        position: &Position,
        limits: &Limits,
        stop: &StopToken,
        on_report: &mut dyn FnMut(&Report),
    ) -> Report {
        let start = Instant::now();
        if position.is_game_over() {
            let report = game_over(position, limits, start.elapsed());
            on_report(&report);
            return report;
        }
        let Some((board, mask)) = position.fast_board() else {
            return self.general.search(position, limits, self.options.threads, stop, on_report);
        };
        let rules = Rules::new(mask, limits.discs_only, position.rules().objective() == Objective::Fewest);
        let empties = position.empty_count();
        let task = Task {
            board,
            moves: moves_of(position, limits),
            goal: limits.goal,
            window: (limits.window.0.max(-64), limits.window.1.min(64)),
            multi_pv: limits.multi_pv,
            budget: budget(limits.time, empties),
            start,
        };
        let control = Control { token: stop, nodes: limits.nodes, threads: self.options.threads };
        let describe = Describe {
            empties: empties as u8,
            win_draw_loss: limits.goal == Goal::WinDrawLoss,
            equal: equal_outcome(position),
        };
        let (last, stopped) = self
            .memory()
            .search(rules, &task, &control, &mut |iteration| on_report(&describe.report(iteration, false)));
        describe.report(&last, stopped)
    }
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
        }
    }
}

/// The moves to search as squares of the 8x8 board; 0 for a pass.
fn moves_of(position: &Position, limits: &Limits) -> u64 {
    let set = |moves: &[Move]| moves.iter().filter_map(|mv| mv.square()).fold(0, |set, square| set | square.bit());
    let legal = set(&position.legal_moves());
    match &limits.moves {
        Some(moves) if legal & set(moves) != 0 => legal & set(moves),
        _ => legal,
    }
}

/// The report on a finished game.
fn game_over(position: &Position, limits: &Limits, elapsed: Duration) -> Report {
    let score = own_score(position, limits.discs_only);
    Report {
        depth: position.empty_count() as u8,
        selectivity: Selectivity::NONE,
        empties: position.empty_count() as u8,
        lines: Vec::new(),
        score: match score {
            0 if limits.goal == Goal::WinDrawLoss => equal_outcome(position),
            _ if limits.goal == Goal::WinDrawLoss => score.signum(),
            _ => score,
        },
        nodes: 0,
        elapsed,
        stopped: false,
        win_draw_loss: limits.goal == Goal::WinDrawLoss,
    }
}

/// Win, draw or loss (+1, 0, -1) of the side to move when the counts are equal at the end.
fn equal_outcome(position: &Position) -> i32 {
    match (position.rules().equality(), position.side_to_move()) {
        (Equality::Draw, _) => 0,
        (Equality::SecondWins, Color::Black) => -1,
        (Equality::SecondWins, Color::White) => 1,
    }
}

fn own_score(position: &Position, discs_only: bool) -> i32 {
    let score = position.final_score(discs_only);
    if position.side_to_move() == Color::Black { score } else { -score }
}
