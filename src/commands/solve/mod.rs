//! `outflank solve`: endgame problems from a file or a pipe, solved and compared with the scores they come with.

mod output;
#[cfg(feature = "statistics")]
mod threads;

use std::io::BufRead;
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use clap::Args;
use outflank::analysis::batch::{Batch, Event, Numbered, numbered_all};
use outflank::analysis::made_with::MadeWith;
use outflank::analysis::result_file::{ResultFile, ResultFileError};
use outflank::analysis::verdict::Asked;
use outflank::eval::Weights;
use outflank::formats::items;
use outflank::formats::obf::Reader;
use outflank::search::{Goal, Limits};

use super::error::{Error, Outcome, Status};
use super::input;
use super::interrupt;
use super::live::Live;
use super::options::{EngineOptions, RulesOption, SearchOptions, decisive, parse_threads};
use super::output::{Screen, check_is_no_input, is_file_name};
use output::{Format, Printer};

/// Arguments of `solve`.
#[derive(Args)]
#[command(after_help = "\
A line is a board string (64 squares row by row: X black, O white, - empty; then the side to move) or an OBF problem,
which adds the known scores of moves: `SQUARES SIDE; G8:+18; H1:+12;`. A line of moves (`f5d6c3...`, `1. f5 d6 2. c3 ...`) is
the position that they lead to. `%` starts a comment. Several files are one input: results are numbered through. Each
position is solved exactly unless a level, a depth or a limit says otherwise; scores are discs for the side to move,
empty squares of a finished game counted for the winner.

Scores of the file that a comment says are not exact (`% 12@73%`) are not compared.

Exit status: 0 every answer agrees with the file's: the best move and its score, with --all-moves (and --best-moves) the
scores of all moves found that the file has, with --best-moves also which moves are the best; 1 one does not; 2 a line could
not be read (the others are solved), or there was none; 130 interrupted (the totals so far are printed).

With --output the results also go to a file, as JSON lines; after an interrupt or a kill the same command with --resume goes
on with what is there (the totals count it), and an output file that has results is never overwritten.

With --obf the results are OBF problems themselves, with the scores found: of the best move, of all best moves
(--best-moves) or of all moves (--all-moves). A result that is not exact says so in a comment (`% 12@73%`).

Examples:
  outflank solve problems.obf                 a table, compared with the scores in the file
  outflank solve - --json < boards.txt        one JSON object a line, as they come
  outflank solve --jobs 8 --wld hard.obf      win, draw or loss of 8 positions side by side
  outflank solve --all-moves --threads 4 one.obf
  outflank solve hard.obf --jobs 8 --output hard.jsonl --resume
                                              goes on after an interrupt, or begins
  outflank solve a.obf b.obf games.txt --jobs 8
                                              several files, one of them of moves
  outflank solve --best-moves --obf boards.txt > problems.obf
                                              a test set: exact scores with all best moves")]
pub struct SolveArguments {
    /// Files of problems; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Positions solved side by side, each with its own threads and table
    #[arg(short, long, value_name = "N", default_value = "1", value_parser = parse_threads)]
    jobs: usize,

    /// Win, draw or loss only (+1, 0, -1), much faster than exact scores
    #[arg(short, long, conflicts_with_all = ["level", "depth", "selectivity"])]
    wld: bool,

    /// The score of every move, not only of the best one
    #[arg(short, long)]
    all_moves: bool,

    /// Every move that is worth as much as the best one: cheaper than the scores of all moves
    #[arg(short, long, conflicts_with_all = ["all_moves", "wld", "level", "depth", "selectivity", "time", "nodes"])]
    best_moves: bool,

    /// Final scores count discs only: empty squares go to nobody
    #[arg(long)]
    discs_only: bool,

    /// One JSON object a position instead of a table
    #[arg(long)]
    json: bool,

    /// An OBF problem for each position instead of a table
    #[arg(long, conflicts_with_all = ["json", "wld"])]
    obf: bool,

    /// Write the results to this file too, a JSON object a line, as they come
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Go on with the results that the output file has, and solve only what it lacks
    #[arg(long, requires = "output")]
    resume: bool,

    #[command(flatten)]
    search: SearchOptions,

    #[command(flatten)]
    engine: EngineOptions,

    #[command(flatten)]
    rules: RulesOption,
}

impl SolveArguments {
    fn limits(&self) -> Limits {
        let goal = if self.wld { Goal::WinDrawLoss } else { Goal::Exact };
        let multi_pv = if self.all_moves { usize::MAX } else { 1 };
        Limits { multi_pv, discs_only: self.discs_only, ..self.search.limits(goal) }
    }

    /// The options that decide the results.
    fn made_with(&self, weights: Option<&(Arc<Weights>, u64)>) -> MadeWith {
        let flags = [
            (self.wld, "--wld"),
            (self.all_moves, "--all-moves"),
            (self.best_moves, "--best-moves"),
            (self.discs_only, "--discs-only"),
        ];
        let flags = flags.into_iter().filter(|(is_given, _)| *is_given).map(|(_, flag)| flag.to_string());
        decisive((&self.search, &self.limits()), flags, weights, &self.rules.rules)
    }

    /// The problems of a file, line by line.
    fn read(&self, file: &Path) -> Result<Reader<Box<dyn BufRead + Send>>, Error> {
        let rules = &self.rules.rules;
        let input = input::open(file).map_err(|error| match !file.exists() && items::read(file, rules).is_ok() {
            true => Error::input(format!(
                "'{}' is a position, no file: `outflank solve -` reads positions from standard input",
                input::name(file)
            )),
            false => error,
        })?;
        Ok(Reader::new(input, rules.clone()).with_transcripts())
    }

    /// The problems once more, to be counted; `None` where the files cannot be read twice.
    fn read_again(&self) -> Option<impl Iterator + Send + use<>> {
        let is_file = |file: &PathBuf| file.metadata().is_ok_and(|metadata| metadata.is_file());
        if !self.files.iter().all(is_file) {
            return None;
        }
        let readers: Result<Vec<_>, Error> = self.files.iter().map(|file| self.read(file)).collect();
        Some(readers.ok()?.into_iter().flatten())
    }

    /// Counts the problems, where somebody looks on, to show how many there are and when they will be solved.
    fn count_for(&self, live: Live) {
        if let Some(problems) = self.read_again().filter(|_| live.is_shown()) {
            // reading is faster than solving, and the work does not wait for it
            // without a thread the bar has no end
            let _ = thread::Builder::new().spawn(move || live.total(problems.count() as u64));
        }
    }

    /// How many digits the table has room for in the numbers of the problems.
    fn number_digits(&self) -> usize {
        /// Those of the longest number that is foreseen, which takes a tenth of a second.
        const MOST: u32 = 5;
        let fewest = |problems| Iterator::take(problems, 10usize.pow(MOST - 1)).count().to_string().len();
        match self.format() {
            Format::Table => self.read_again().map_or(MOST as usize, fewest),
            Format::Json | Format::Obf => 0,
        }
    }

    fn format(&self) -> Format {
        match (self.json, self.obf) {
            (true, _) => Format::Json,
            (_, true) => Format::Obf,
            _ => Format::Table,
        }
    }
}

impl From<ResultFileError> for Error {
    fn from(error: ResultFileError) -> Error {
        match error {
            ResultFileError::Io { path, error } => Error::write(&path, error),
            ResultFileError::Exists(_) => {
                Error::input(format!("{error}: go on with --resume, or choose another --output"))
            }
            other => Error::input(other.to_string()),
        }
    }
}

/// Runs `solve`.
pub fn run(arguments: &SolveArguments) -> Outcome {
    arguments.output.iter().try_for_each(|path| {
        is_file_name(path)?;
        check_is_no_input(path, arguments.files.iter().map(PathBuf::as_path))
    })?;
    let names: Vec<String> = arguments.files.iter().map(|file| input::name(file)).collect();
    let place = names.join(", ");
    // a file that is not there is noticed before anything is solved
    let inputs: Vec<_> = arguments.files.iter().map(|file| arguments.read(file)).collect::<Result<_, Error>>()?;
    let problems = numbered_all(inputs);
    // a table that does not fit is noticed before anything is read
    drop(arguments.engine.engine()?);
    let screen = Screen::new(arguments.output.is_some());
    let stop = screen.stop_token();
    let all_lines = arguments.all_moves || arguments.best_moves;
    let mut file = arguments.output.as_ref().map(|path| ResultFile::open(path, arguments.resume)).transpose()?;
    let weights = arguments.engine.eval.load_with_checksum()?;
    let made_with = arguments.made_with(weights.as_ref());
    let asked = Asked { discs_only: arguments.discs_only, best_moves: arguments.best_moves };
    let mut printer = Printer::new(names, (arguments.format(), screen), all_lines, asked, made_with.clone());
    let jobs = arguments.jobs;
    let batch = Batch {
        jobs,
        options: arguments.engine.options(),
        weights: weights.map(|(weights, _)| weights),
        limits: arguments.limits(),
        best_moves: arguments.best_moves,
        stop: stop.clone(),
        on_report: (jobs == 1).then(|| printer.on_report()),
    };
    let problems: Box<dyn Iterator<Item = Numbered> + Send> = match &mut file {
        Some(file) if !file.is_empty() => {
            let problems = interrupt::until_stopped(problems, &stop)?;
            match file.resume(problems, &made_with, &mut |saved| printer.saved(&saved)) {
                // the input has no more problems then, which is no fault of the file
                Err(_) if stop.is_stopped() => Box::new(iter::empty()),
                left => Box::new(left?),
            }
        }
        _ => Box::new(problems),
    };
    let start = Instant::now();
    arguments.count_for(printer.live());
    printer.begin(arguments.number_digits())?;
    let mut interrupted = false;
    let mut events = batch.run(problems).map_err(|error| Error::input(error.to_string()))?;
    // a result that waits for its turn to be printed is in the file already: a kill does not lose it
    while let Some(event) = events.next_hearing(&mut |event| match (&mut file, printer.result_line(event)) {
        (Some(file), Some(line)) => file.add(&line),
        _ => Ok(()),
    })? {
        match event {
            Event::Solved(solved) => printer.solved(&solved)?,
            Event::BadLine { number, source, line, error } => printer.bad_line(number, source, line, &error)?,
            Event::Unsearched { number, source, line, error } => printer.bad_line(number, source, line, &error)?,
            Event::Interrupted => interrupted = true,
        }
    }
    file.map_or(Ok(()), ResultFile::finish)?;
    let (tally, bad_lines) = printer.finish(start.elapsed(), interrupted)?;
    #[cfg(feature = "statistics")]
    threads::tell();
    Ok(match (interrupted, bad_lines, tally.disagreements()) {
        (true, ..) => Status::Interrupted,
        (_, 0, _) if tally.positions == 0 => return Err(Error::input(format!("there is no position in {place}"))),
        (_, 1.., _) => Status::BadInput,
        (_, _, 1..) => Status::CheckFailed,
        _ => Status::Success,
    })
}
