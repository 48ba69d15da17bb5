//! `outflank train`: fits the weights of the evaluation to game records and self-play games.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use outflank::eval::{Model, Weights, read_file};
use outflank::formats::atomic::{beside, lock_folder, write_whole};
use outflank::formats::quantity::plural;
use outflank::formats::wthor::{Database, WthorError, WthorErrorKind};
use outflank::selfplay::Reader;
use outflank::train::charts::training_charts;
use outflank::train::checkpoint;
use outflank::train::dataset::{Collector, Dataset};
use outflank::train::embedding::{self, Epoch};
use outflank::train::exact::anchor_games;
use outflank::train::games::Games;
use outflank::train::generation;
use outflank::train::linear::{DECAYS, PHASES, PhaseCurve, SHRINKS, Settings};
use outflank::train::metrics::{StageErrors, mean_absolute_error};
use outflank::train::plot::svg;
use outflank::train::recipe::RunError;
use outflank::train::session::{self, Base, Plan, Progress, Trained};
use outflank::train::{parity, tempo};
use serde::Serialize;

use super::error::{Error, Outcome, Status};
use super::options::{in_file, parse_count, parse_seed, parse_threads, single, whole};
use super::output::{check_is_no_input, check_targets, first_repeated, is_one_place, json_line};
use super::selfplay::read_error;
use super::{thread_pool, train_recipe};

/// What trains nothing, or says itself how.
const WITHOUT_DATA: [&str; 2] = ["correct", "recipe"];

/// What fits no linear part, or says itself how.
const WITHOUT_FIT: [&str; 4] = ["linear", "from", "correct", "recipe"];

/// What the report folder gets.
const METRICS: &str = "metrics.json";
const LOSS: &str = "loss.svg";
/// The folder in it that holds what is fitted so far.
const CHECKPOINTS: &str = "checkpoints";

/// Arguments of `train`.
#[derive(Args)]
#[command(after_help = "\
One game in twenty is left out and tests the result: the table gives the mean absolute error (MAE) on its positions,
in discs, by number of empty squares. The report folder gets metrics.json and loss.svg, and holds the phases fitted so
far until the training is done: the same command goes on after an interruption. The same games, options and seed give
the same weights on any number of threads. The column built-in is the error of the weights that the program has now,
the column linear that of the linear part of the new ones.

The embedding is trained on what a linear model leaves to explain: first the linear model is fitted, or taken from
another file with --linear. With --from it goes on where the embedding of that file is, which may have seen other games.

Labels of self-play positions are the values of their searches, freed of bias and timidity as the ends of the games show
them, mixed with the labels of the positions that follow (--lambda). Games of one file should have been searched with the
same weights. Last, a constant for the side to move is added with which searches of odd and even depth agree on the test
positions. The file gets ProbCut's error model from the built-in weights, until `fit-probcut --write` has measured its own.

A recipe does all of it from seeds to weights: its stages stand in a file that the library's documentation explains
(`train::recipe`). Its folder keeps what is done; whatever stops the program, the same command goes on. The same recipe
gives the same weights on any number of threads. The folder gets report.json and report.svg: loss, MAE and mean error by
empty squares and by depth, with 95 % intervals.

Examples:
  outflank train --games thor/ --out weights.bin             the games of a WTHOR folder
  outflank train --selfplay a.osp b.osp --out weights.bin    games of `outflank selfplay`
  outflank train --selfplay a.osp --out w.bin --model embedding --epochs 8
  outflank train --recipe benches/recipe-small.txt --out w.bin
  outflank train --correct old.bin --out new.bin             parity and the side to move put right
  outflank train --games thor/ --out w.bin --json | jq .mae  metrics for a script")]
pub struct TrainArguments {
    /// Folder of WTHOR game files (*.wtb), or one file
    #[arg(long, value_name = "DIR")]
    games: Option<PathBuf>,

    /// Files of `outflank selfplay`; their games alone provide the test positions, whose labels are the better ones
    #[arg(long, value_name = "FILE", num_args = 1..)]
    selfplay: Vec<PathBuf>,

    /// Of each of those files, take only the games with an index below N (k and M are understood)
    #[arg(long, value_name = "N", requires = "selfplay", value_parser = parse_count)]
    selfplay_games: Option<u64>,

    /// Share that the label of the next position has in that of a searched self-play position, 0 to 1: 0 takes the
    /// searched values alone, 1 the first exact score that comes
    #[arg(long, value_name = "SHARE", requires = "selfplay", default_value_t = 0.9, value_parser = single(0.0..=1.0))]
    lambda: f32,

    /// Weights file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Folder for metrics, loss curve and checkpoints [default: FILE with '.report' added]
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,

    /// What to fit [default: linear, or embedding with --from]
    #[arg(long, value_enum, conflicts_with_all = WITHOUT_DATA)]
    model: Option<ModelKind>,

    /// Take the linear part from this weights file instead of fitting it
    #[arg(long, value_name = "FILE")]
    linear: Option<PathBuf>,

    /// Go on with these weights: keep their linear part and begin with their embedding instead of at random (try `--rate
    /// 0.0003`; implies --model embedding)
    #[arg(long, value_name = "FILE", conflicts_with = "linear")]
    from: Option<PathBuf>,

    /// Fit nothing: measure on games made for it what odd and even numbers of empty squares and the right to move are worth
    /// beyond what the weights of this file say, and put that into their constants (after `fit-probcut`: the searches that
    /// measure are selective)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["games", "selfplay", "selfplay_games", "lambda", "linear", "from", "json", "report"])]
    correct: Option<PathBuf>,

    /// Make weights from nothing, or from others, by the stages of this file: games, trainings, measurements
    /// (`benches/recipe-small.txt` is one)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["games", "selfplay", "selfplay_games", "lambda", "linear", "from", "correct"])]
    recipe: Option<PathBuf>,

    /// Passes over the data that train the embedding [default: 4]
    #[arg(long, value_name = "N", conflicts_with_all = WITHOUT_DATA, value_parser = whole::<u32>(1..=1000))]
    epochs: Option<u32>,

    /// Positions a step of the embedding's training [default: 2048]
    #[arg(long, value_name = "N", conflicts_with_all = WITHOUT_DATA, value_parser = whole::<u32>(1..=1_000_000))]
    batch: Option<u32>,

    /// Learning rate of the embedding at the start, in shares of the clipping range a step [default: 0.001]
    #[arg(long, value_name = "RATE", conflicts_with_all = WITHOUT_DATA, value_parser = single(embedding::RATES))]
    rate: Option<f32>,

    /// Passes over the data for each phase of the linear part
    #[arg(long, value_name = "N", default_value_t = Settings::default().iterations as u32,
        conflicts_with_all = WITHOUT_FIT, value_parser = whole::<u32>(1..=1000))]
    iterations: u32,

    /// Plies on each side of a phase that it learns from too
    #[arg(long, value_name = "PLIES", default_value_t = Settings::default().window,
        conflicts_with_all = WITHOUT_FIT, value_parser = whole::<u32>(0..=60))]
    window: u32,

    /// Weight of those plies: multiplied by this for each ply of distance
    #[arg(long, value_name = "FACTOR", default_value_t = Settings::default().decay,
        conflicts_with_all = WITHOUT_FIT, value_parser = single(DECAYS))]
    decay: f32,

    /// How strongly weights are held to those of the phase before: one seen this often goes half the way
    #[arg(long, value_name = "COUNT", default_value_t = Settings::default().shrink,
        conflicts_with_all = WITHOUT_FIT, value_parser = single(SHRINKS))]
    shrink: f32,

    /// Solve the position with this many empty squares of each game of --games, to label the plies around it (12: a
    /// millisecond a game; the scores are kept in the report folder)
    #[arg(long, value_name = "EMPTIES", requires = "games", conflicts_with_all = WITHOUT_DATA,
        value_parser = whole::<u32>(4..=20))]
    exact: Option<u32>,

    /// Games whose positions are solved to measure, last, what odd and even numbers of empty squares are worth; 0: not
    /// at all. On little data the measurement takes most of the time
    #[arg(long, value_name = "N", default_value_t = parity::Settings::default().games, conflicts_with = "recipe",
        value_parser = whole::<u32>(0..=1_000_000))]
    parity_games: u32,

    /// Chooses the games to leave out
    #[arg(long, value_name = "SEED", default_value_t = 1, conflicts_with = "recipe", value_parser = parse_seed)]
    seed: u64,

    /// Threads [default: all cores]
    #[arg(short, long, visible_short_alias = 'n', value_name = "N", value_parser = parse_threads)]
    threads: Option<usize>,

    /// Print the metrics as one JSON object
    #[arg(long)]
    json: bool,
}

/// Models that can be fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum ModelKind {
    /// Weights of pattern fillings by phase
    Linear,
    /// The same and an embedding: what patterns, and where both sides may move, say together
    Embedding,
}

/// What a training came to.
#[derive(Serialize)]
struct Metrics {
    model: ModelKind,
    settings: Settings,
    /// Only with an embedding.
    embedding: Option<embedding::Settings>,
    seed: u64,
    exact: Option<u32>,
    parity_games: u32,
    games: usize,
    rejected_games: usize,
    selfplay_games: usize,
    lambda: f32,
    train_positions: usize,
    test_positions: usize,
    seconds: f64,
    file_bytes: usize,
    /// Whose errors ProbCut takes these weights to have.
    error_model: &'static str,
    /// Mean absolute error over all test positions, if there are any.
    mae: Option<f64>,
    /// What was added for the side to move after the fit, in discs, by number of empties.
    tempo: Vec<f32>,
    /// What was added after that because the number of empties is odd or even, in discs.
    parity: Vec<f32>,
    stages: Vec<StageErrors>,
    curves: Vec<PhaseCurve>,
    epochs: Vec<Epoch>,
}

/// Runs `train`.
pub fn run(arguments: &TrainArguments) -> Outcome {
    let TrainArguments { games, selfplay, correct: corrected, recipe, .. } = arguments;
    if games.is_none() && selfplay.is_empty() && corrected.is_none() && recipe.is_none() {
        return Err(Error::input("nothing to learn from: give --games, --selfplay, --recipe or --correct"));
    }
    // weights are corrected in place, as fit-probcut measures them
    let inputs = games.iter().chain(recipe).chain(&arguments.linear).chain(&arguments.from);
    check_is_no_input(&arguments.out, inputs.map(PathBuf::as_path))?;
    if let Some(twice) = first_repeated(selfplay.iter()) {
        return Err(Error::input(format!("{}: given twice, its games would count twice", twice.display())));
    }
    if arguments.from.is_some() && arguments.model() == ModelKind::Linear {
        return Err(Error::input(
            "--model linear: --from goes on with an embedding; --linear takes the linear part alone",
        ));
    }
    let of_embedding = [("--epochs", arguments.epochs.is_some()), ("--batch", arguments.batch.is_some())];
    let of_embedding = of_embedding.into_iter().chain([("--rate", arguments.rate.is_some())]);
    if let Some((option, _)) = of_embedding.filter(|_| arguments.model() == ModelKind::Linear).find(|given| given.1) {
        return Err(Error::input(format!("{option} is for an embedding: --model embedding, or --from")));
    }
    if let Some(path) = corrected {
        check_targets([&arguments.out])?;
        return thread_pool(arguments.threads)?.install(|| correct(arguments, path));
    }
    let folder = arguments.folder()?;
    check_targets([&arguments.out])?;
    let pool = thread_pool(arguments.threads)?;
    match recipe {
        Some(path) => train_recipe::run(path, &arguments.out, &folder, arguments.json, &pool),
        None => pool.install(|| train(arguments, &folder)),
    }
}

/// Writes the weights of a file with other constants.
fn correct(arguments: &TrainArguments, path: &Path) -> Outcome {
    let mut model = Model::load(path).map_err(|error| in_file(path, error))?;
    let settings = arguments.parity();
    let mut correction = parity::correct(&mut model, &settings);
    for (sum, discs) in correction.iter_mut().zip(tempo::correct_as_searched(&mut model, &settings)) {
        *sum += discs;
    }
    write_whole(&arguments.out, &model.to_bytes()).map_err(|error| Error::write(&arguments.out, error))?;
    let mut out = io::stdout().lock();
    let added: Vec<_> = correction.iter().enumerate().filter(|(_, discs)| **discs != 0.0).collect();
    if added.is_empty() {
        let games = plural(arguments.parity_games.into(), "game");
        writeln!(
            out,
            "nothing to correct was found in {games}; '{}' has the weights as they were",
            arguments.out.display()
        )?;
        return Ok(Status::Success);
    }
    writeln!(out, "empties  added for the side to move (discs)")?;
    for (empties, discs) in added {
        writeln!(out, "{empties:7}  {discs:+.2}")?;
    }
    Ok(Status::Success)
}

fn train(arguments: &TrainArguments, folder: &Path) -> Outcome {
    let start = Instant::now();
    let settings = Settings {
        window: arguments.window,
        decay: arguments.decay,
        shrink: arguments.shrink,
        iterations: arguments.iterations as usize,
    };
    // what cannot be read is noticed before the work
    arguments.selfplay.iter().try_for_each(|path| check_games(path))?;
    let base = arguments.base()?;
    let mut games = wthor_games(arguments)?;
    let unwritable = |error| Error::write(folder, error);
    let is_new = !folder.exists();
    fs::create_dir_all(folder).map_err(unwritable)?;
    let in_use = || Error::input(RunError::InUse(folder.to_path_buf()).to_string());
    let _lock = lock_folder(folder).map_err(unwritable)?.ok_or_else(in_use)?;
    if let Some(empties) = arguments.exact {
        solve_games(&mut games, empties, folder).map_err(unwritable)?;
    }
    let mut collector = Collector::new(arguments.seed);
    collector.add_games(&games, arguments.selfplay.is_empty());
    let selfplay_games = add_selfplay(arguments, &mut collector).inspect_err(|_| {
        // one that is not empty stays: it has scores that were solved
        if is_new {
            let _ = fs::remove_dir(folder);
        }
    })?;
    let dataset = collector.finish();
    let (train_positions, test_positions) = dataset.counts();
    log::info!("{train_positions} positions to train on, {test_positions} to test, {:.1?}", start.elapsed());

    let checkpoints = folder.join(CHECKPOINTS);
    let trained = fit(arguments, &settings, base, &dataset, &checkpoints)?;
    let Trained { bytes, curves, epochs, tempo, parity, stages } = trained;
    write_whole(&arguments.out, &bytes).map_err(|error| Error::write(&arguments.out, error))?;
    let metrics = Metrics {
        model: arguments.model(),
        settings,
        embedding: (arguments.model() == ModelKind::Embedding).then(|| arguments.embedding()),
        seed: arguments.seed,
        exact: arguments.exact,
        parity_games: arguments.parity_games,
        games: games.games.len(),
        rejected_games: games.rejected,
        selfplay_games,
        lambda: arguments.lambda,
        train_positions,
        test_positions,
        seconds: start.elapsed().as_secs_f64(),
        file_bytes: bytes.len(),
        error_model: "built-in weights",
        mae: mean_absolute_error(&stages),
        tempo: tempo.to_vec(),
        parity: parity.to_vec(),
        stages,
        curves,
        epochs,
    };
    let json = json_line(&metrics);
    write_whole(&folder.join(METRICS), json.as_bytes()).map_err(unwritable)?;
    write_whole(
        &folder.join(LOSS),
        svg(&training_charts(&metrics.curves, &metrics.epochs, &metrics.stages)).as_bytes(),
    )
    .map_err(unwritable)?;
    checkpoint::remove(&checkpoints).map_err(unwritable)?;
    if arguments.json {
        writeln!(io::stdout(), "{json}")?;
    } else {
        write_table(&mut io::stdout().lock(), &metrics, arguments)?;
    }
    Ok(Status::Success)
}

impl TrainArguments {
    /// The folder of the report, or of the stages of a recipe: one in which --out is no file, and that needs no file to be a folder.
    fn folder(&self) -> Result<PathBuf, Error> {
        let out = self.out.display();
        // /dev/null has nothing beside it
        let is_plain = !self.out.exists() || self.out.is_file() || self.out.is_dir();
        let folder = match &self.report {
            Some(folder) => folder.clone(),
            None if is_plain => beside(&self.out, if self.recipe.is_some() { ".recipe" } else { ".report" }),
            None => return Err(Error::input(format!("{out}: no plain file: --report names the folder of the report"))),
        };
        if folder.ancestors().any(|above| is_one_place(above, &self.out)) {
            return Err(Error::input(format!("{out}: --out is no folder, as --report {} asks", folder.display())));
        }
        let is_own = self.report_files(&folder).iter().any(|file| is_one_place(file, &self.out));
        if self.recipe.is_none() && (is_own || checkpoint::is_in(&folder.join(CHECKPOINTS), &self.out)) {
            return Err(Error::input(format!("{out}: --out would take the place of a file of the report")));
        }
        Ok(folder)
    }

    /// The files that a report in this folder gets.
    fn report_files(&self, folder: &Path) -> Vec<PathBuf> {
        let exact = self.exact.map(exact_file);
        [METRICS, LOSS].into_iter().chain(exact.as_deref()).map(|name| folder.join(name)).collect()
    }

    /// The folder of the report and the files in it, and those that a recipe reads.
    pub fn other_files(&self) -> Vec<PathBuf> {
        let Some(folder) = self.folder().ok().filter(|_| self.correct.is_none()) else { return Vec::new() };
        let mut files = match &self.recipe {
            Some(file) => train_recipe::files(file, &folder),
            None => self.report_files(&folder),
        };
        files.push(folder);
        files
    }

    /// What to fit: to go on with an embedding is to fit one.
    fn model(&self) -> ModelKind {
        let otherwise = if self.from.is_some() { ModelKind::Embedding } else { ModelKind::Linear };
        self.model.unwrap_or(otherwise)
    }

    /// The weights to begin with, if there are any.
    fn base(&self) -> Result<Option<Base>, Error> {
        let Some(path) = self.from.as_ref().or(self.linear.as_ref()) else { return Ok(None) };
        let bytes = read_file(path).map_err(|error| in_file(path, error))?;
        let model = Model::from_bytes(&bytes).map_err(|error| in_file(path, error))?;
        if self.from.is_some() && model.embedding.is_none() {
            let file = path.display();
            return Err(Error::input(format!(
                "{file}: these weights have no embedding to go on with: --linear {file} --model embedding begins one"
            )));
        }
        Ok(Some(Base { model, checksum: Weights::checksum(&bytes), goes_on: self.from.is_some() }))
    }

    fn parity(&self) -> parity::Settings {
        parity::Settings { games: self.parity_games, seed: self.seed }
    }

    fn embedding(&self) -> embedding::Settings {
        let default = embedding::Settings::default();
        embedding::Settings {
            epochs: self.epochs.map_or(default.epochs, |epochs| epochs as usize),
            batch: self.batch.map_or(default.batch, |batch| batch as usize),
            rate: self.rate.unwrap_or(default.rate),
        }
    }
}

/// Fits what is asked for, going on from the checkpoints in `folder`.
fn fit(
    arguments: &TrainArguments,
    settings: &Settings,
    base: Option<Base>,
    dataset: &Dataset,
    folder: &Path,
) -> Result<Trained, Error> {
    let plan = Plan {
        linear: *settings,
        embedding: (arguments.model() == ModelKind::Embedding).then(|| arguments.embedding()),
        parity: arguments.parity(),
        seed: arguments.seed,
    };
    let phases = progress_bar(PHASES, "phases");
    let passes = progress_bar(arguments.embedding().epochs * dataset.counts().0, "positions");
    let parity = ProgressBar::new_spinner();
    let trained = session::train(dataset, &plan, base, folder, &mut |progress| match progress {
        Progress::Phase(curve) => {
            let rmse = figure(curve.test_rmse.last().copied(), 2);
            phases.set_message(format!("{} empties: {rmse} discs RMSE", curve.empties.1));
            phases.inc(1);
        }
        Progress::Positions(seen) => {
            phases.finish_and_clear();
            passes.inc(seen as u64);
        }
        Progress::Parity => {
            phases.finish_and_clear();
            passes.finish_and_clear();
            let games = plural(arguments.parity_games.into(), "game");
            parity.set_message(format!("odd and even numbers of empties, on {games}"));
            // it takes a thread, and a panic where there is none
            if !parity.is_hidden() {
                parity.enable_steady_tick(Duration::from_millis(200));
            }
        }
        Progress::Pass(Epoch { train_rmse, test_rmse, test_mae }) => {
            passes.set_message(format!("test {} discs RMSE", figure(*test_rmse, 2)));
            log::info!("RMSE {train_rmse:.3}, test {}, MAE {}", figure(*test_rmse, 3), figure(*test_mae, 3));
        }
    });
    phases.finish_and_clear();
    passes.finish_and_clear();
    parity.finish_and_clear();
    trained.map_err(|error| Error::write(folder, error))
}

/// The games of the WTHOR folder, if one is asked for.
fn wthor_games(arguments: &TrainArguments) -> Result<Games, Error> {
    let Some(path) = &arguments.games else { return Ok(Games::default()) };
    let database = Database::open(path).map_err(|error| match error {
        WthorError { path, kind: WthorErrorKind::Io(source) } => Error::read(&path, source),
        other => Error::input(other.to_string()),
    })?;
    let games = Games::from_wthor(&database);
    if games.games.is_empty() {
        let (folder, files) = (path.display(), database.files.len());
        return Err(Error::input(format!("'{folder}': no complete 8x8 game in {files} WTHOR files")));
    }
    Ok(games)
}

/// Checks that a file has games of self-play, and that they can be read again: a pipe gives them once, and to open it may be to wait.
fn check_games(path: &Path) -> Result<(), Error> {
    match fs::metadata(path) {
        Ok(found) if !found.is_file() && !found.is_dir() => {
            Err(Error::input(format!("{}: not a plain file: its games are read more than once", path.display())))
        }
        _ => Reader::open(path).map(drop).map_err(read_error),
    }
}

/// Adds the games of the self-play files; returns how many.
fn add_selfplay(arguments: &TrainArguments, collector: &mut Collector) -> Result<usize, Error> {
    let below = arguments.selfplay_games.unwrap_or(u64::MAX);
    let mut count = 0;
    for path in &arguments.selfplay {
        let found = generation::add_file(collector, path, 0..below, arguments.lambda, generation::BLOCK);
        match found.map_err(read_error)? {
            0 => {
                let which =
                    arguments.selfplay_games.map_or_else(String::new, |below| format!(" with an index below {below}"));
                return Err(Error::input(format!("{}: no games{which}", path.display())));
            }
            found => count += found,
        }
    }
    Ok(count)
}

/// The file of the report folder that keeps the scores of positions with so many empty squares.
fn exact_file(empties: u32) -> String {
    format!("exact-{empties:02}.i8")
}

/// Solves a position of each game, or takes the scores from the report folder.
fn solve_games(games: &mut Games, empties: u32, folder: &Path) -> io::Result<()> {
    let mut hasher = DefaultHasher::new();
    games.games.iter().for_each(|game| game.hash(0).hash(&mut hasher));
    let file = folder.join(exact_file(empties));
    let bar = progress_bar(games.games.len(), "games solved");
    anchor_games(games, empties, &file, hasher.finish(), &mut |done| bar.inc(done as u64))?;
    bar.finish_and_clear();
    Ok(())
}

/// Draws nothing when standard error is not a terminal.
pub fn progress_bar(len: usize, what: &str) -> ProgressBar {
    let template = format!("{{bar:30}} {{pos}}/{{len}} {what}, {{eta}} left  {{msg}}");
    ProgressBar::new(len as u64).with_style(ProgressStyle::with_template(&template).expect("a valid template"))
}

fn write_table(out: &mut impl Write, metrics: &Metrics, arguments: &TrainArguments) -> io::Result<()> {
    writeln!(out, "empties  train pos.  test pos.     MAE    RMSE  linear MAE  built-in  MAE of 0  (discs)")?;
    for s in &metrics.stages {
        write!(out, "{:7}  {:10}  {:9}", s.empties, s.train_positions, s.test_positions)?;
        let of = |error: Option<f64>| figure(error, 2);
        write!(out, "  {:>6}  {:>6}  {:>10}", of(s.mae), of(s.rmse), of(s.linear_mae))?;
        writeln!(out, "  {:>8}  {:>8}", of(s.built_in_mae), of(s.zero_mae))?;
    }
    let Metrics { games, rejected_games, train_positions, test_positions, mae, seconds, file_bytes, .. } = metrics;
    let selfplay = metrics.selfplay_games;
    let (games, positions) = (plural(*games as u64, "game"), plural(*train_positions as u64, "position"));
    write!(out, "{games} ({rejected_games} unusable) and {selfplay} of self-play, ")?;
    writeln!(out, "{positions} to train on")?;
    match mae {
        Some(mae) => {
            let test_positions = plural(*test_positions as u64, "test position");
            writeln!(out, "{mae:.3} discs MAE over {test_positions}; {seconds:.0} s")?;
        }
        None => writeln!(out, "no test positions; {seconds:.0} s")?,
    }
    let file = arguments.out.display();
    writeln!(out, "{file}: {file_bytes} bytes, with ProbCut's error model of the built-in weights;")?;
    writeln!(out, "`outflank fit-probcut --eval {file} --write {file}` measures their own")
}

/// A figure in discs, or a dash where nothing is known.
fn figure(value: Option<f64>, decimals: usize) -> String {
    value.map_or("-".to_string(), |value| format!("{value:.decimals$}"))
}
