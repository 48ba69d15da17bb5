//! Following a recipe, stage by stage, with everything that is done kept on disk.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::channel;

use rayon::ThreadPool;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Eval, Labels, REPORT, Recipe, Selfplay, Source, Stage, Train, Work};
use crate::analysis::accuracy::{self, Case, DepthAccuracy, ParityAccuracy};
use crate::checksum::{FNV_BASIS, fnv1a};
use crate::engine::Options;
use crate::eval::{Model, Weights};
use crate::formats::atomic::{lock_folder, write_whole};
use crate::formats::obf::Reader as Problems;
use crate::formats::quantity::plural;
use crate::rules::RuleSet;
use crate::search::{Goal, Selectivity, StopToken};
use crate::selfplay::{
    Archive, GameRecord, Header, Reader, SelfplayError, Settings as Games, generate, reanalyse, sort,
};
use crate::time::Instant;
use crate::train::charts::{depth_charts, training_charts};
use crate::train::dataset::Collector;
use crate::train::embedding::Epoch;
use crate::train::linear::PhaseCurve;
use crate::train::metrics::{self, StageErrors};
use crate::train::plot::{Chart, svg};
use crate::train::session::{self, Base, Progress, Trained};
use crate::train::{checkpoint, generation, probcut};

/// The extension of the folders in which trainings keep what is fitted so far.
const CHECKPOINTS: &str = "checkpoints";

/// Why a recipe could not be followed to its end. What was done stays.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A file cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A file or folder cannot be written.
    #[error("{}: {source}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Another process follows a recipe in the folder.
    #[error("{} is in use by another process that trains", .0.display())]
    InUse(PathBuf),
    /// Games cannot be used.
    #[error(transparent)]
    Games(SelfplayError),
    /// A stage makes its games in another way than before, by other settings or with what other stages have made anew.
    #[error("{games}; remove '{}' to make them anew, or choose another --out", path.display())]
    Changed {
        /// What differs.
        games: SelfplayError,
        /// The file of the stage's games.
        path: PathBuf,
    },
    /// A stage cannot do its work.
    #[error("stage '{stage}': {what}")]
    Stage {
        /// The stage.
        stage: String,
        /// What is wrong.
        what: String,
    },
}

impl From<SelfplayError> for RunError {
    /// Games that were to be read.
    fn from(error: SelfplayError) -> RunError {
        match error {
            SelfplayError::Io { path, source } => RunError::Read { path, source },
            other => RunError::Games(other),
        }
    }
}

/// What happens while a recipe is followed.
#[derive(Debug)]
pub enum Event<'a> {
    /// A stage begins; so many games, positions or searches are to come (0 if that is not known).
    Begin(&'a Stage, u64),
    /// So many more of them are done.
    Advance(u64),
    /// A stage is done: in words, what came of it, and whether that was so before.
    End(&'a Stage, &'a str, bool),
}

/// What is known of a finished stage: the content of its `NAME.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Done {
    /// The stage.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// Settings and inputs, which tell it from others.
    pub made_of: String,
    /// Checksum of the games (FNV-1a) or weights (CRC-32) that it made; 0 if it makes none.
    pub output: u64,
    /// How long it took, in seconds, since it was last begun.
    pub seconds: f64,
    /// In words, what came of it.
    pub summary: String,
    /// Figures.
    pub figures: Value,
}

/// A recipe that was followed to its end.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Its stages.
    pub stages: Vec<Done>,
    /// CRC-32 of the weights file.
    pub weights: u64,
    /// Its length in bytes.
    pub file_bytes: usize,
}

/// Figures of a training.
#[derive(Serialize, Deserialize)]
struct TrainFigures {
    positions: (usize, usize),
    tempo: Vec<f32>,
    parity: Vec<f32>,
    stages: Vec<StageErrors>,
    curves: Vec<PhaseCurve>,
    epochs: Vec<Epoch>,
}

/// Figures of a comparison with known scores.
#[derive(Serialize, Deserialize)]
struct JudgeFigures {
    positions: usize,
    depths: Vec<DepthAccuracy>,
    parities: Vec<ParityAccuracy>,
}

/// What a stage has made.
struct Made {
    output: u64,
    summary: String,
    figures: Value,
}

/// A recipe being followed.
struct Kitchen<'a> {
    recipe: &'a Recipe,
    folder: &'a Path,
    /// What paths of the recipe begin at.
    base: &'a Path,
    pool: &'a ThreadPool,
    done: BTreeMap<String, Done>,
    on_event: &'a mut dyn FnMut(Event),
}

/// The files that a recipe reads, seen from `base`, and those that it keeps in `folder`: what its result must not take the place
/// of. (Those of the last weights are not among them: they are the result.)
pub fn files(recipe: &Recipe, folder: &Path, base: &Path) -> Vec<PathBuf> {
    let last = recipe.last_weights().map(|stage| &stage.name);
    let of_stage = |stage: &Stage| {
        let of_work = match &stage.work {
            Work::Judge { problems, .. } => Some(base.join(problems)),
            work if work.makes_games() => Some(in_folder(folder, &stage.name, "osp")),
            _ => (last != Some(&stage.name)).then(|| in_folder(folder, &stage.name, "bin")),
        };
        of_work.into_iter().chain([in_folder(folder, &stage.name, "json")])
    };
    let reports = ["json", "svg"].map(|extension| in_folder(folder, REPORT, extension));
    recipe.stages.iter().flat_map(of_stage).chain(reports).collect()
}

/// The result would take the place of what is kept of a training of the recipe before it is done.
pub fn is_checkpoint(recipe: &Recipe, folder: &Path, out: &Path) -> bool {
    let mut trainings = recipe.stages.iter().filter(|stage| matches!(stage.work, Work::Train(_)));
    trainings.any(|stage| checkpoint::is_in(&in_folder(folder, &stage.name, CHECKPOINTS), out))
}

/// A file of a stage, or of the report.
fn in_folder(folder: &Path, name: &str, extension: &str) -> PathBuf {
    folder.join(format!("{name}.{extension}"))
}

/// Follows a recipe in `folder`, going on with what is there, on the threads of `pool`; paths in it are seen from `base`. The
/// weights of the last stage that makes some are written to `out`, `report.json` and `report.svg` into the folder.
///
/// # Errors
/// [`RunError`]; what was done stays, and the same call goes on with it.
pub fn run(
    recipe: &Recipe,
    (folder, base, out): (&Path, &Path, &Path),
    pool: &ThreadPool,
    on_event: &mut dyn FnMut(Event),
) -> Result<Summary, RunError> {
    let mut kitchen = Kitchen { recipe, folder, base, pool, done: BTreeMap::new(), on_event };
    // what cannot be used is noticed before the work of hours, and leaves no folder
    for stage in &recipe.stages {
        if let Work::Judge { problems, every, .. } = &stage.work {
            kitchen.cases(stage, problems, *every)?;
        }
    }
    fs::create_dir_all(folder).map_err(unwritten(folder))?;
    let _lock = lock_folder(folder).map_err(unwritten(folder))?.ok_or_else(|| RunError::InUse(folder.to_path_buf()))?;
    let mut stages = Vec::new();
    for stage in &recipe.stages {
        let done = kitchen.stage(stage)?;
        kitchen.done.insert(stage.name.clone(), done.clone());
        stages.push(done);
    }
    let last = recipe.last_weights().expect("readers see to it");
    let bytes = read(&kitchen.path(&last.name, "bin"))?;
    write(out, &bytes)?;
    let summary = Summary { stages, weights: Weights::checksum(&bytes), file_bytes: bytes.len() };
    write(&in_folder(folder, REPORT, "json"), &to_json(&summary))?;
    write(&in_folder(folder, REPORT, "svg"), svg(&charts(&summary.stages)).as_bytes())?;
    Ok(summary)
}

impl Kitchen<'_> {
    fn path(&self, name: &str, extension: &str) -> PathBuf {
        in_folder(self.folder, name, extension)
    }

    /// Does work on the threads of the pool, which says how much of it is done: the events are told on this one.
    fn telling<T: Send>(&mut self, work: impl FnOnce(&(dyn Fn(u64) + Sync)) -> T + Send) -> T {
        let (sender, receiver) = channel();
        let mut found = None;
        self.pool.in_place_scope(|scope| {
            scope.spawn(|_| {
                let sender = sender;
                found = Some(work(&|count| {
                    let _ = sender.send(count);
                }));
            });
            receiver.into_iter().for_each(|count| (self.on_event)(Event::Advance(count)));
        });
        found.expect("a panic of the work is one of the scope")
    }

    /// What came of a stage, now or before.
    fn stage(&mut self, stage: &Stage) -> Result<Done, RunError> {
        let made_of = self.made_of(stage)?;
        let note = self.path(&stage.name, "json");
        if let Some(done) = self.known(stage, &made_of, &note) {
            (self.on_event)(Event::End(stage, &done.summary, true));
            return Ok(done);
        }
        let start = Instant::now();
        let Made { output, summary, figures } = match &stage.work {
            Work::Selfplay(selfplay) => self.selfplay(stage, selfplay)?,
            Work::Reanalyse { of, search } => self.reanalyse(stage, of, search)?,
            Work::Train(train) => self.train(stage, train)?,
            &Work::Probcut { ref eval, midgame, endgame, depth, max_empties, seed } => {
                let settings = probcut::Settings { midgame, endgame, max_depth: depth, max_empties, seed };
                self.probcut(stage, eval, &settings)?
            }
            Work::Judge { eval, problems, depths, selectivity, every } => {
                let cases = self.cases(stage, problems, *every)?;
                self.judge(stage, eval, &cases, depths, *selectivity)?
            }
        };
        let (name, kind) = (stage.name.clone(), stage.work.kind().to_string());
        let seconds = start.elapsed().as_secs_f64();
        let done = Done { name, kind, made_of, output, seconds, summary, figures };
        write(&note, &to_json(&done))?;
        if let Work::Train(_) = stage.work {
            // not before its note: without that it would be made anew, and from nothing
            let checkpoints = self.path(&stage.name, CHECKPOINTS);
            checkpoint::remove(&checkpoints).map_err(unwritten(&checkpoints))?;
        }
        (self.on_event)(Event::End(stage, &done.summary, false));
        Ok(done)
    }

    /// Everything that what a stage makes depends on. The settings stand there as derived code writes them, which need be the same
    /// within a version only: another makes all stages anew.
    fn made_of(&self, stage: &Stage) -> Result<String, RunError> {
        let mut text = format!("outflank {}, {:?}", env!("CARGO_PKG_VERSION"), stage.work);
        let mut uses: Vec<&str> = stage.work.sources().iter().map(|source| source.stage.as_str()).collect();
        match stage.work.eval() {
            Some(Eval::Stage(name)) => uses.push(name),
            Some(Eval::BuiltIn) => text += &format!(", built-in {:08x}", Weights::embedded_checksum()),
            Some(Eval::Zero) | None => {}
        }
        if let Work::Train(train) = &stage.work {
            uses.extend(train.linear.as_deref());
        }
        for name in uses {
            text += &format!(", {name} {:08x}", self.done[name].output);
        }
        if let Work::Judge { problems, .. } = &stage.work {
            let bytes = read(&self.base.join(problems))?;
            text += &format!(", {problems} {:08x}", Weights::checksum(&bytes));
        }
        Ok(text)
    }

    /// The note of a stage that is done, if it is of the same making and its file is the one it tells of.
    fn known(&self, stage: &Stage, made_of: &str, note: &Path) -> Option<Done> {
        let done: Done = serde_json::from_slice(&fs::read(note).ok()?).ok()?;
        if done.made_of != made_of {
            return None;
        }
        let output = match &stage.work {
            work if work.makes_games() => self.tally(stage).ok()?.output,
            work if work.makes_weights() => Weights::checksum(&fs::read(self.path(&stage.name, "bin")).ok()?),
            _ => 0,
        };
        (output == done.output).then_some(done)
    }

    /// Weights to search with, and what tells them apart; `None` for those in the program.
    fn weights(&self, stage: &Stage, eval: &Eval) -> Result<Option<(Arc<Weights>, u64)>, RunError> {
        Ok(match eval {
            Eval::BuiltIn => None,
            Eval::Zero => Some((Arc::new(Weights::new(&Model::zero())), 0)),
            Eval::Stage(name) => {
                let bytes = read(&self.path(name, "bin"))?;
                let weights = Weights::from_bytes(&bytes).map_err(|error| fault(stage, error))?;
                Some((Arc::new(weights), Weights::checksum(&bytes)))
            }
        })
    }

    /// A model, and what tells it from others.
    fn model(&self, stage: &Stage, eval: &Eval) -> Result<(Model, u64), RunError> {
        Ok(match eval {
            Eval::BuiltIn => {
                let model = Weights::embedded_model().map_err(|error| fault(stage, error))?;
                (model, Weights::embedded_checksum())
            }
            Eval::Zero => (Model::zero(), 0),
            Eval::Stage(name) => {
                let bytes = read(&self.path(name, "bin"))?;
                (Model::from_bytes(&bytes).map_err(|error| fault(stage, error))?, Weights::checksum(&bytes))
            }
        })
    }

    fn settings(&self, stage: &Stage, search: &Labels) -> Result<Games, RunError> {
        Ok(Games {
            goal: Goal::Depth(search.depth, search.selectivity),
            exact: search.exact,
            weights: self.weights(stage, &search.eval)?,
            ..Games::default()
        })
    }

    fn selfplay(&mut self, stage: &Stage, selfplay: &Selfplay) -> Result<Made, RunError> {
        let settings = Games {
            seed: selfplay.seed,
            random_plies: selfplay.random_plies,
            balance: selfplay.balance,
            stray_percent: selfplay.stray_percent,
            ..self.settings(stage, &selfplay.search)?
        };
        let path = self.path(&stage.name, "osp");
        let mut archive = open_games(&path, &settings.header())?;
        let missing = archive.missing(selfplay.games);
        (self.on_event)(Event::Begin(stage, missing.len() as u64));
        generate(&settings, &missing, self.pool.current_num_threads(), &StopToken::new(), &mut |game| {
            (self.on_event)(Event::Advance(1));
            archive.append(&game)
        })
        .map_err(unwritten_games)?;
        self.finish_games(stage, archive)
    }

    fn reanalyse(&mut self, stage: &Stage, of: &Source, search: &Labels) -> Result<Made, RunError> {
        let settings = self.settings(stage, search)?;
        let chosen = Reader::open(&self.path(&of.stage, "osp"))?.within(self.recipe.chosen(of));
        let chosen = chosen.collect::<Result<Vec<GameRecord>, _>>()?;
        let Some(last) = chosen.last() else { return Err(fault(stage, "there are no games of these numbers")) };
        let mut header = settings.header();
        header.settings += &format!("games={:08x}\n", self.done[&of.stage].output);
        let path = self.path(&stage.name, "osp");
        let mut archive = open_games(&path, &header)?;
        let missing: std::collections::HashSet<u32> = archive.missing(last.index + 1).into_iter().collect();
        let missing: Vec<&GameRecord> = chosen.iter().filter(|game| missing.contains(&game.index)).collect();
        (self.on_event)(Event::Begin(stage, missing.len() as u64));
        reanalyse(&settings, &missing, self.pool.current_num_threads(), &StopToken::new(), &mut |game| {
            (self.on_event)(Event::Advance(1));
            archive.append(&game)
        })
        .map_err(unwritten_games)?;
        self.finish_games(stage, archive)
    }

    /// Puts the games in order.
    fn finish_games(&self, stage: &Stage, mut archive: Archive) -> Result<Made, RunError> {
        archive.sync().map_err(unwritten_games)?;
        drop(archive);
        sort(&self.path(&stage.name, "osp")).map_err(unwritten_games)?;
        self.tally(stage)
    }

    /// What there is of the games of a stage; others in its file do not count.
    fn tally(&self, stage: &Stage) -> Result<Made, RunError> {
        let reader = Reader::open(&self.path(&stage.name, "osp"))?;
        // A CRC-32 would not tell games from others: each ends with its own, and the CRC of what ends so depends on nothing but
        // the lengths, which other games may have, too
        let mut output = fnv1a(FNV_BASIS, reader.header().to_bytes());
        let (mut games, mut positions) = (0, 0);
        for game in reader.within(self.recipe.numbers(&stage.name)) {
            let game = game?;
            games += 1;
            positions += game.positions().count();
            output = fnv1a(output, game.to_bytes());
        }
        let figures = serde_json::json!({ "games": games, "positions": positions });
        let summary = format!("{}, {}", plural(games, "game"), plural(positions as u64, "position"));
        Ok(Made { output, summary, figures })
    }

    fn train(&mut self, stage: &Stage, train: &Train) -> Result<Made, RunError> {
        let base = match (&train.from, &train.linear) {
            (Some(eval), _) => Some((self.model(stage, eval)?, true)),
            (None, Some(name)) => Some((self.model(stage, &Eval::Stage(name.clone()))?, false)),
            (None, None) => None,
        };
        let base = base.map(|((model, checksum), goes_on)| Base { model, checksum, goes_on });
        let mut collector = Collector::new(train.plan.seed);
        for source in &train.games {
            let (path, games) = (self.path(&source.stage, "osp"), self.recipe.chosen(source));
            let add = || generation::add_file(&mut collector, &path, games, train.lambda, generation::BLOCK);
            if self.pool.install(add)? == 0 {
                let of = &source.stage;
                return Err(fault(stage, format!("'{of}' has no games of these numbers")));
            }
        }
        let dataset = self.pool.install(|| collector.finish());
        let positions = dataset.counts();
        let passes = train.plan.embedding.map_or(0, |embedding| embedding.epochs * positions.0);
        (self.on_event)(Event::Begin(stage, passes as u64));
        let checkpoints = self.path(&stage.name, CHECKPOINTS);
        let trained = self.telling(|tell| {
            let mut progress = |progress: Progress| {
                if let Progress::Positions(seen) = progress {
                    tell(seen as u64);
                }
            };
            session::train(&dataset, &train.plan, base, &checkpoints, &mut progress)
        });
        let trained = trained.map_err(unwritten(&checkpoints))?;
        let Trained { bytes, curves, epochs, tempo, parity, stages } = trained;
        write(&self.path(&stage.name, "bin"), &bytes)?;
        let learned = plural(positions.0 as u64, "position");
        let summary = match metrics::mean_absolute_error(&stages) {
            Some(mae) => format!("{learned}, MAE {mae:.3} on {}", plural(positions.1 as u64, "other")),
            None => format!("{learned}, no others to test on"),
        };
        let (tempo, parity) = (tempo.to_vec(), parity.to_vec());
        let figures = figures(&TrainFigures { positions, tempo, parity, stages, curves, epochs });
        Ok(Made { output: Weights::checksum(&bytes), summary, figures })
    }

    fn probcut(&mut self, stage: &Stage, eval: &Eval, settings: &probcut::Settings) -> Result<Made, RunError> {
        let (model, _) = self.model(stage, eval)?;
        (self.on_event)(Event::Begin(stage, (settings.midgame + settings.endgame) as u64));
        let weights = Arc::new(Weights::try_new(&model).map_err(|error| fault(stage, error))?);
        let found = self.telling(|tell| probcut::fit(settings, &weights, &|| tell(1)));
        let errors = found.error_models(settings, &model.errors).map_err(|why| fault(stage, why))?;
        let bytes = Model { errors, ..model }.to_bytes();
        write(&self.path(&stage.name, "bin"), &bytes)?;
        let summary = format!("{} searched, {} solved", plural(settings.midgame as u64, "position"), settings.endgame);
        Ok(Made { output: Weights::checksum(&bytes), summary, figures: figures(&found) })
    }

    /// Every how many-th position of a problem file, with its score.
    fn cases(&self, stage: &Stage, problems: &str, every: usize) -> Result<Vec<Case>, RunError> {
        let path = self.base.join(problems);
        let file = fs::File::open(&path).map_err(unread(&path))?;
        let reader = Problems::new(io::BufReader::new(file), Arc::new(RuleSet::othello()));
        let cases = accuracy::from_problems(reader).map_err(|error| fault(stage, format!("{problems}: {error}")))?;
        let cases: Vec<_> = cases.into_iter().step_by(every).collect();
        if cases.is_empty() { Err(fault(stage, format!("{problems}: no position"))) } else { Ok(cases) }
    }

    fn judge(
        &mut self,
        stage: &Stage,
        eval: &Eval,
        cases: &[Case],
        depths: &[u8],
        selectivity: Selectivity,
    ) -> Result<Made, RunError> {
        let settings = accuracy::Settings {
            jobs: self.pool.current_num_threads(),
            options: Options { hash_mib: 16, threads: 1 },
            weights: self.weights(stage, eval)?.map_or_else(Weights::embedded, |(weights, _)| weights),
            selectivity,
        };
        (self.on_event)(Event::Begin(stage, depths.len() as u64));
        let mut rows = Vec::new();
        for &depth in depths {
            let answers = accuracy::answers(cases, depth, &settings, &StopToken::new(), &|_| {});
            let answers = answers.map_err(|error| fault(stage, error))?.expect("nothing stops it");
            rows.push((depth, answers));
            (self.on_event)(Event::Advance(1));
        }
        let of_depths: Vec<DepthAccuracy> =
            rows.iter().map(|(depth, answers)| DepthAccuracy::new(*depth, cases, answers)).collect();
        let last = of_depths.last().expect("readers see to it that there is a depth");
        let summary = format!(
            "{}, depth {}: MAE {:.3}, bias {:+.3}",
            plural(cases.len() as u64, "position"),
            last.depth,
            last.mae,
            last.mean_error
        );
        let parities = ParityAccuracy::of_all(cases, &rows);
        let figures = figures(&JudgeFigures { positions: cases.len(), depths: of_depths, parities });
        Ok(Made { output: 0, summary, figures })
    }
}

/// The charts of all stages that have some.
fn charts(stages: &[Done]) -> Vec<Chart> {
    let mut all = Vec::new();
    for done in stages {
        let mut charts = match done.kind.as_str() {
            "train" => serde_json::from_value(done.figures.clone())
                .map(|f: TrainFigures| training_charts(&f.curves, &f.epochs, &f.stages)),
            "judge" => {
                serde_json::from_value(done.figures.clone()).map(|f: JudgeFigures| depth_charts(&done.name, &f.depths))
            }
            _ => continue,
        }
        .unwrap_or_default();
        charts.iter_mut().for_each(|chart| chart.title = format!("{}: {}", done.name, chart.title));
        all.extend(charts);
    }
    all
}

fn figures(value: &impl Serialize) -> Value {
    serde_json::to_value(value).expect("plain numbers and texts")
}

fn to_json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec_pretty(value).expect("plain numbers and texts")
}

fn fault(stage: &Stage, what: impl ToString) -> RunError {
    RunError::Stage { stage: stage.name.clone(), what: what.to_string() }
}

/// Opens the games of a stage; where they are others, says how to go on.
fn open_games(path: &Path, header: &Header) -> Result<Archive, RunError> {
    Archive::open(path, header).map_err(|error| match error {
        games @ SelfplayError::Different { .. } => RunError::Changed { games, path: path.to_path_buf() },
        other => unwritten_games(other),
    })
}

/// Games that were to be written.
fn unwritten_games(error: SelfplayError) -> RunError {
    match error {
        SelfplayError::Io { path, source } => RunError::Write { path, source },
        other => other.into(),
    }
}

fn unwritten(path: &Path) -> impl FnOnce(io::Error) -> RunError {
    |source| RunError::Write { path: path.to_path_buf(), source }
}

fn unread(path: &Path) -> impl FnOnce(io::Error) -> RunError {
    |source| RunError::Read { path: path.to_path_buf(), source }
}

fn read(path: &Path) -> Result<Vec<u8>, RunError> {
    fs::read(path).map_err(unread(path))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), RunError> {
    write_whole(path, bytes).map_err(unwritten(path))
}
