//! Recipes: how weights are made, from seeds to the file, as a text that a program can follow.
//!
//! A recipe is a chain of stages. `[KIND NAME]` begins one, lines of `setting = value` follow, `#` begins a comment; a stage
//! may use those that stand before it, by their names.
//!
//! | kind | what it makes | settings (and what they are otherwise) |
//! |---|---|---|
//! | `selfplay` | games | `games`, `seed` (1), `eval` (`built-in`), `depth` (6), `selectivity` (73), `exact` (14), `random-plies` (8-40), `balance` (any), `stray` (4, in percent) |
//! | `reanalyse` | the games of another stage, under their numbers, with new labels | `of`: NAME or NAME:FROM-TO, games by their numbers, the last left out; `eval`, `depth`, `selectivity`, `exact` as above |
//! | `train` | weights | `games`: a list of NAME or NAME:FROM-TO; `model` (`linear`; or `embedding`), `linear` (fitted; or the stage it is from), `from` (nothing; or weights, as `eval`, to go on with), `seed` (1), `lambda` (0.9); `iterations`, `window`, `decay`, `shrink` where the linear part is fitted; `epochs`, `batch`, `rate` of an embedding; `parity-games` (8000) |
//! | `probcut` | weights with an error model of their own | `eval`, `midgame` (1500), `endgame` (600), `depth` (9), `max-empties` (19), `seed` (1) |
//! | `judge` | figures for the report | `eval`, `problems`: an OBF file, beside the recipe; `depths` (0,6), `selectivity` (73), `every` (1) |
//!
//! `eval` is `built-in`, `zero` (every position is even: from nothing but the rules) or the name of a stage that makes weights.
//! The weights of the last such stage are the result.
//!
//! Everything stays in a folder: `NAME.osp` and `NAME.bin`, and `NAME.json`, which says that a stage is done, with what and
//! what came of it. [`run()`] goes on with what is there, whenever it was ended; a stage whose settings, or whose input, are
//! not those of its `NAME.json` is done anew, and games of other settings are refused rather than mixed. The same recipe
//! gives the same weights on any number of threads: games are put in order before they are used. Where a stage asks for fewer
//! games than before, the others stay in `NAME.osp`, of no use to any stage, for the day when they are wanted again.

mod parse;
mod run;

use std::ops::Range;

pub use parse::{RecipeError, parse};
pub use run::{Event, RunError, Summary, files, is_checkpoint, run};

use super::session::Plan;
use crate::search::Selectivity;
use crate::selfplay::PlyRange;

/// The name of the files that tell of all stages; no stage has it.
const REPORT: &str = "report";

/// The stages in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// At least one of them makes weights.
    pub stages: Vec<Stage>,
}

/// One stage.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// Letters, digits, `-` and `_`; no other stage has it.
    pub name: String,
    /// What it does.
    pub work: Work,
}

/// What a stage does.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// Plays games.
    Selfplay(Selfplay),
    /// Gives games new labels.
    Reanalyse {
        /// Which games.
        of: Source,
        /// How they are searched.
        search: Labels,
    },
    /// Trains weights.
    Train(Train),
    /// Measures ProbCut's error model.
    Probcut {
        /// The weights.
        eval: Eval,
        /// How many positions of which kind.
        midgame: usize,
        /// Positions that are solved.
        endgame: usize,
        /// Deepest search of a midgame position.
        depth: u8,
        /// Most empties of a position that is solved.
        max_empties: u32,
        /// Chooses the positions.
        seed: u64,
    },
    /// Compares searches with known scores.
    Judge {
        /// The weights.
        eval: Eval,
        /// The problems, a path seen from the recipe.
        problems: String,
        /// Depths in plies, 0 is the static evaluation.
        depths: Vec<u8>,
        /// Confidence of the searches.
        selectivity: Selectivity,
        /// Every how many-th problem is taken.
        every: usize,
    },
}

/// Weights to search with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Eval {
    /// Those in the program.
    BuiltIn,
    /// None: every position is even.
    Zero,
    /// Of an earlier stage.
    Stage(String),
}

/// How positions get their labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Labels {
    /// The weights.
    pub eval: Eval,
    /// Plies.
    pub depth: u8,
    /// Confidence.
    pub selectivity: Selectivity,
    /// Positions with at most this many empties are solved.
    pub exact: u32,
}

/// How games are played.
#[derive(Clone, Debug, PartialEq)]
pub struct Selfplay {
    /// How many.
    pub games: u32,
    /// Chooses them.
    pub seed: u64,
    /// How their positions are searched.
    pub search: Labels,
    /// See [`crate::selfplay::Settings::random_plies`].
    pub random_plies: PlyRange,
    /// See [`crate::selfplay::Settings::balance`].
    pub balance: Option<u32>,
    /// See [`crate::selfplay::Settings::stray_percent`].
    pub stray_percent: f64,
}

/// Games of an earlier stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The stage.
    pub stage: String,
    /// Numbers of the games.
    pub games: Range<u64>,
}

impl Source {
    /// There may be games that are in both.
    fn shares_games_with(&self, other: &Source) -> bool {
        self.stage == other.stage && self.games.start < other.games.end && other.games.start < self.games.end
    }
}

/// How weights are trained.
#[derive(Clone, Debug, PartialEq)]
pub struct Train {
    /// The games to learn from, at least one entry; each is a generation whose searches' faults are measured together.
    pub games: Vec<Source>,
    /// The stage whose linear part is taken; otherwise it is fitted.
    pub linear: Option<String>,
    /// The weights to go on with: their linear part is taken and their embedding is where the new one begins.
    pub from: Option<Eval>,
    /// See [`crate::train::labels::Labels::new`].
    pub lambda: f32,
    /// What is fitted and how.
    pub plan: Plan,
}

impl Recipe {
    /// The last stage that makes weights, which are the result.
    fn last_weights(&self) -> Option<&Stage> {
        self.stages.iter().rfind(|stage| stage.work.makes_weights())
    }

    /// The numbers of the games that a stage makes. Its file may hold more, from before the recipe was changed.
    fn numbers(&self, stage: &str) -> Range<u64> {
        numbers(&self.stages, stage)
    }

    /// The numbers of the games that there are of a source.
    fn chosen(&self, source: &Source) -> Range<u64> {
        chosen(&self.stages, source)
    }
}

/// The numbers of the games that the stage of this name makes, one of `stages`. New labels leave them as they are.
fn numbers(stages: &[Stage], name: &str) -> Range<u64> {
    match stages.iter().find(|stage| stage.name == name).map(|stage| &stage.work) {
        Some(Work::Selfplay(selfplay)) => 0..u64::from(selfplay.games),
        Some(Work::Reanalyse { of, .. }) => chosen(stages, of),
        _ => 0..0,
    }
}

/// The numbers of the games that there are of a source; an empty range if there are none.
fn chosen(stages: &[Stage], source: &Source) -> Range<u64> {
    let (made, wanted) = (numbers(stages, &source.stage), &source.games);
    made.start.max(wanted.start)..made.end.min(wanted.end)
}

impl Work {
    /// The word of its heading.
    pub fn kind(&self) -> &'static str {
        match self {
            Work::Selfplay(_) => "selfplay",
            Work::Reanalyse { .. } => "reanalyse",
            Work::Train(_) => "train",
            Work::Probcut { .. } => "probcut",
            Work::Judge { .. } => "judge",
        }
    }

    /// It makes a file of games.
    fn makes_games(&self) -> bool {
        matches!(self, Work::Selfplay(_) | Work::Reanalyse { .. })
    }

    /// It makes a file of weights.
    fn makes_weights(&self) -> bool {
        matches!(self, Work::Train(_) | Work::Probcut { .. })
    }

    /// The weights it searches with, or begins with.
    fn eval(&self) -> Option<&Eval> {
        match self {
            Work::Selfplay(selfplay) => Some(&selfplay.search.eval),
            Work::Reanalyse { search, .. } => Some(&search.eval),
            Work::Train(train) => train.from.as_ref(),
            Work::Probcut { eval, .. } | Work::Judge { eval, .. } => Some(eval),
        }
    }

    /// The stages whose games it reads.
    fn sources(&self) -> &[Source] {
        match self {
            Work::Reanalyse { of, .. } => std::slice::from_ref(of),
            Work::Train(train) => &train.games,
            _ => &[],
        }
    }
}
