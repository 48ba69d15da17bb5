//! `outflank selfplay`: generates training games, and looks into files of them.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget};
use outflank::engine::{Engine, Options};
use outflank::eval::Weights;
use outflank::formats::quantity::{plural, without_percent_sign};
use outflank::formats::stream::{FileKind, GameSink, SinkError};
use outflank::rules::RuleSet;
use outflank::selfplay::{
    Archive, MOST_GAMES, PlyRange, Reader, SelfplayError, Settings, Statistics, generate, to_record, write_text,
};
use serde_json::json;

use super::error::{Error, Outcome, Status};
use super::games::parse_kind;
use super::live::estimating;
use super::options::{EvalOption, SearchOptions, number, parse_count, parse_hash, parse_seed, parse_threads, whole};
use super::output::{Screen, is_file_name};
use super::{cores, input};

/// The options of the games to be played.
const FOR_GAMES: [&str; 15] = [
    "out",
    "games",
    "seed",
    "exact",
    "random_plies",
    "openings",
    "balance",
    "stray",
    "threads",
    "hash",
    "level",
    "depth",
    "selectivity",
    "time",
    "nodes",
];

/// Arguments of `selfplay`.
#[derive(Args)]
#[command(after_help = "\
Games begin with random moves, which get no label; then every position is searched, and solved once few squares are
empty. Without other search options searches are of depth 6 at 73 %. FILE gets the moves, the values and the result of every game as it ends, about 4 bytes a position; the format is
described in the library's documentation (`selfplay`). Whatever stops the program, the same command goes on: only games
in flight are lost. The same options and seed make the same games on any number of threads.

Positions met more than once, also as symmetric images, are merged by what reads the file (`outflank train`).

Examples:
  outflank selfplay --out games.osp --games 100k           play until the file has 100,000 games
  outflank selfplay --out g.osp --games 5k --openings xot.txt --random-plies 0-6
  outflank selfplay --export games.osp | head              the positions as text, one a line, in OBF
  outflank selfplay --export games.osp --to pgn > all.pgn  the games, for other programs
  outflank selfplay --stats games.osp                      what the file has, by empty squares")]
pub struct SelfplayArguments {
    /// File to append the games to
    #[arg(long, value_name = "FILE", required_unless_present_any = ["export", "stats"])]
    out: Option<PathBuf>,

    /// Games the file is to have in the end (k and M are understood)
    #[arg(short, long, value_name = "N", default_value = "1000", value_parser = parse_count)]
    games: u64,

    /// Chooses the games
    #[arg(long, value_name = "SEED", default_value_t = 1, value_parser = parse_seed)]
    seed: u64,

    /// Solve positions with at most this many empty squares
    #[arg(short, long, value_name = "EMPTIES", default_value_t = Settings::default().exact as u8, value_parser = whole::<u8>(0..=30))]
    exact: u8,

    /// Begin with random moves: the smaller of two numbers drawn from this range [default: 8-40, after an opening of the
    /// list 0-10]
    #[arg(short, long, value_name = "MIN-MAX")]
    random_plies: Option<PlyRange>,

    /// Begin with openings of this file, drawn at random: one transcript a line, `#` begins a comment; or of `balanced`, the
    /// built-in list of 5000 lines after which neither side is ahead
    #[arg(short, long, value_name = "FILE|balanced")]
    openings: Option<PathBuf>,

    /// Draw openings again, at most a thousand times, after which a side is ahead by more than this, as the search sees
    /// it [default: any will do]
    #[arg(long, value_name = "DISCS", value_parser = whole::<u32>(1..=64))]
    balance: Option<u32>,

    /// Play a random move instead of the best one this often, to see positions that good moves do not lead to
    #[arg(long, value_name = "PERCENT", default_value_t = Settings::default().stray_percent, value_parser = parse_percent)]
    stray: f64,

    /// Games side by side [default: all cores]
    #[arg(short, long, visible_short_alias = 'n', value_name = "N", value_parser = parse_threads)]
    threads: Option<usize>,

    /// Size of each game's transposition table in MiB
    #[arg(long, value_name = "MIB", default_value = "1", value_parser = parse_hash)]
    hash: usize,

    /// Print a summary as one JSON object
    #[arg(long)]
    json: bool,

    /// Print the positions of these files, one a line; with --to the games
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = FOR_GAMES, conflicts_with_all = ["stats", "json", "eval"])]
    export: Vec<PathBuf>,

    /// With --export: print the games in this format, with the values as evaluations
    #[arg(long, value_name = "FORMAT", value_parser = parse_kind, requires = "export", conflicts_with_all = FOR_GAMES,
          conflicts_with_all = ["stats", "json", "eval"])]
    to: Option<FileKind>,

    /// Print what these files have, by number of empty squares, and how far the evaluation is from the values
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = FOR_GAMES)]
    stats: Vec<PathBuf>,

    #[command(flatten)]
    search: SearchOptions,

    #[command(flatten)]
    eval: EvalOption,
}

fn parse_percent(text: &str) -> Result<f64, String> {
    number(0.0..=100.0)(without_percent_sign(text))
}

/// Runs `selfplay`.
pub fn run(arguments: &SelfplayArguments) -> Outcome {
    match &arguments.out {
        Some(path) => play(arguments, path),
        None if !arguments.export.is_empty() => match arguments.to {
            None => export_positions(&arguments.export),
            Some(kind) => export_games(&arguments.export, kind),
        },
        None => statistics(&arguments.stats, arguments.eval.load()?, arguments.json),
    }
}

fn play(arguments: &SelfplayArguments, path: &Path) -> Outcome {
    is_file_name(path)?;
    let settings = settings(arguments)?;
    let games = u32::try_from(arguments.games).ok().filter(|games| *games <= MOST_GAMES);
    let games = games.ok_or_else(|| Error::input(format!("--games {}: at most {MOST_GAMES}", arguments.games)))?;
    // a table that does not fit is noticed before a file of games with it is there
    Engine::new(Options { hash_mib: settings.hash_mib, threads: 1 }).allocate()?;
    let mut archive = Archive::open(path, &settings.header()).map_err(file_error)?;
    let threads = arguments.threads.unwrap_or_else(cores);
    let mut screen = Screen::new(true);
    let stop = screen.stop_token();
    let (start, games_before, positions_before) = (Instant::now(), archive.games(), archive.positions());
    let missing = archive.missing(games);
    let bar = progress_bar(games as u64, games as u64 - missing.len() as u64);
    let outcome = generate(&settings, &missing, threads, &stop, &mut |game| {
        archive.append(&game)?;
        bar.inc(1);
        bar.set_message(plural(archive.positions(), "position"));
        Ok(())
    });
    bar.finish_and_clear();
    outcome.and_then(|()| archive.sync()).map_err(file_error)?;
    let seconds = start.elapsed().as_secs_f64();
    let played = archive.games() - games_before;
    // whoever interrupts what is done has interrupted nothing
    let status = if played == missing.len() as u64 { Status::Success } else { Status::Interrupted };
    let labelled = archive.positions() - positions_before;
    let rate = |count: u64| count as f64 / seconds.max(1e-9);
    if arguments.json {
        let summary = json!({
            "file": path.display().to_string(), "seed": settings.seed, "settings": settings.header().settings,
            "games": archive.games(), "positions": archive.positions(), "games_played": played,
            "positions_labelled": labelled, "seconds": seconds, "threads": threads,
            "games_per_second": rate(played), "positions_per_second": rate(labelled), "complete": status == Status::Success,
        });
        screen.print(&format!("{summary}\n"))?;
    } else {
        let threads = plural(threads as u64, "thread");
        let (games, positions) = (plural(archive.games(), "game"), plural(archive.positions(), "position"));
        screen.print(&format!(
            "{} played, {} labelled in {seconds:.1} s\n{:.1} games/s, {:.0} positions/s on {threads}\n{}: {games}, {positions}\n",
            plural(played, "game"),
            plural(labelled, "position"),
            rate(played),
            rate(labelled),
            path.display()
        ))?;
    }
    screen.finish()?;
    Ok(status)
}

fn settings(arguments: &SelfplayArguments) -> Result<Settings, Error> {
    let search = &arguments.search;
    if search.bounds.time.is_some() {
        return Err(Error::input("--time: games must not depend on the speed of the machine; limit --nodes instead"));
    }
    let openings = match &arguments.openings {
        None => Vec::new(),
        Some(path) => input::openings(path, &RuleSet::othello().into())?,
    };
    let nodes = search.bounds.nodes;
    Ok(Settings {
        seed: arguments.seed,
        goal: Settings::goal_for(search.goal(), nodes),
        nodes,
        exact: arguments.exact as u32,
        random_plies: arguments.random_plies.unwrap_or_else(|| Settings::random_plies_after(&openings)),
        balance: arguments.balance,
        stray_percent: arguments.stray,
        openings,
        weights: arguments.eval.load_with_checksum()?,
        hash_mib: arguments.hash,
    })
}

fn export_positions(paths: &[PathBuf]) -> Outcome {
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    for path in paths {
        for game in Reader::open(path).map_err(read_error)? {
            write_text(&mut out, &game.map_err(read_error)?)?;
        }
    }
    out.flush()?;
    Ok(Status::Success)
}

fn export_games(paths: &[PathBuf], kind: FileKind) -> Outcome {
    let mut sink = GameSink::to_stream(Box::new(io::stdout()), kind).map_err(|_| {
        Error::input("--to wthor: WTHOR needs a file, which `outflank games convert` makes of the others")
    })?;
    for path in paths {
        for game in Reader::open(path).map_err(read_error)? {
            sink.write(&to_record(&game.map_err(read_error)?)).map_err(|problem| match problem {
                SinkError::Io(error) => Error::Output(error),
                other => Error::input(other.to_string()),
            })?;
        }
    }
    sink.finish()?.iter().for_each(|remark| tell!("outflank: {remark}"));
    Ok(Status::Success)
}

fn statistics(paths: &[PathBuf], weights: Option<Arc<Weights>>, as_json: bool) -> Outcome {
    let mut statistics = Statistics::new(weights.unwrap_or_else(Weights::embedded));
    for path in paths {
        for game in Reader::open(path).map_err(read_error)? {
            statistics.add(&game.map_err(read_error)?);
        }
    }
    let stages = statistics.stages();
    let sum = |count: fn(&outflank::selfplay::StageCounts) -> u64| stages.iter().map(count).sum::<u64>();
    let (positions, distinct, exact) = (sum(|s| s.positions), sum(|s| s.distinct), sum(|s| s.exact));
    let (games, starts, result) = (statistics.games(), statistics.distinct_starts(), statistics.mean_result());
    let mut out = io::stdout().lock();
    if as_json {
        let summary = json!({
            "games": games, "distinct_starts": starts, "mean_result": result, "positions": positions,
            "distinct": distinct, "exact": exact, "mae": statistics.mae(), "stages": stages,
        });
        writeln!(out, "{summary}")?;
        return Ok(Status::Success);
    }
    writeln!(out, "empties   positions    distinct       exact  mean depth  |value|  eval MAE  RMSE (discs)")?;
    for s in &stages {
        write!(out, "{:7}  {:10}  {:10}  {:10}", s.empties, s.positions, s.distinct, s.exact)?;
        let depth = s.mean_depth.map_or("-".to_string(), |depth| format!("{depth:.1}"));
        writeln!(out, "  {depth:>10}  {:7.1}  {:8.2}  {:4.2}", s.mean_absolute, s.mae, s.rmse)?;
    }
    write!(out, "{} from {}", plural(games, "game"), plural(starts, "different position"))?;
    match result {
        Some(result) => writeln!(out, ", mean result for black {result:+.2} discs")?,
        None => writeln!(out)?,
    }
    if let Some(mae) = statistics.mae() {
        writeln!(out, "mean absolute error of the static evaluation {mae:.3} discs")?;
    }
    writeln!(out, "{}, {distinct} distinct up to symmetry, {exact} with exact scores", plural(positions, "position"))?;
    Ok(Status::Success)
}

/// Draws nothing when standard error is not a terminal.
fn progress_bar(games: u64, done: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(games), ProgressDrawTarget::stderr_with_hz(5));
    let template = "{elapsed_precise}  {wide_bar} {pos}/{len} games  {rate} games/s  {left} left  {msg}";
    bar.set_style(estimating(template, Arc::default()));
    bar.set_position(done);
    bar
}

/// Games that were to be read.
pub(super) fn read_error(error: SelfplayError) -> Error {
    match error {
        SelfplayError::Io { path, source } => Error::read(&path, source),
        other => Error::input(other.to_string()),
    }
}

/// Games that were to be written.
fn file_error(error: SelfplayError) -> Error {
    match error {
        SelfplayError::Io { path, source } => Error::write(&path, source),
        other => Error::input(other.to_string()),
    }
}
