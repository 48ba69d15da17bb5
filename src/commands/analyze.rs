//! `outflank analyze`: the best moves of a position, or the errors of a game.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use outflank::analysis::best_moves::best_moves;
use outflank::analysis::json::IterationJson;
use outflank::analysis::made_with::MadeWith;
use outflank::analysis::review::review;
use outflank::analysis::review_file::game_lines;
use outflank::analysis::text;
use outflank::book::names;
use outflank::book::probe::board_of;
use outflank::engine::Engine;
use outflank::eval::Weights;
use outflank::formats::board_text;
use outflank::formats::items::Item;
use outflank::formats::parse_move;
use outflank::formats::record::GameRecord;
use outflank::rules::{Move, Position};
use outflank::search::{Goal, Level, Limits, Report, StopToken, with_output};

use super::analyze_games;
use super::error::{Error, Outcome, Status};
use super::live::Live;
use super::options::{EngineOptions, RulesOption, SearchOptions, decisive, parse_threads, whole};
use super::output::{Screen, check_is_no_input, is_file_name, json_line, terminal_width};
use super::report::{ReportOptions, Reports};
use super::{input, interrupt};

/// Arguments of `analyze`.
#[derive(Args)]
#[command(after_help = "\
A position (a board string, an OBF line, or moves from the start) is searched deeper and deeper; every iteration lists its
best moves, scores in discs for the side to move. A game (from a GGF, SGF, WTHOR or text file) is judged move by move: score, best
alternatives, discs lost, and the sums of each side. Ctrl-C ends it with what is known so far.

Examples:
  outflank analyze f5d6c3d3c4 --moves 3              the three best moves after these
  outflank analyze f5d6c3d3c4 --moves f4,b5          these two moves only
  outflank analyze central-rose-bill --level 24        an opening by name (`outflank book names`)
  outflank analyze f5d6c3d3c4f4f6 --as game          what each of these moves cost
  outflank analyze game.txt --level 16 --json        every game of a file, one JSON object a move
  outflank analyze wthor/ --level 16 --jobs 8 --output judged.jsonl --resume
                                                     a folder of games; begins, or goes on
  outflank analyze game.ggf --report game.html       a page: graph, board, losses; or .md, .sgf ...
  outflank analyze - --moves 4 --time 10 < board.txt a position from a pipe, ten seconds")]
pub struct AnalyzeArguments {
    /// A file (`-` is standard input), or the position or moves themselves, or the name of an opening
    #[arg(value_name = "INPUT", allow_hyphen_values = true)]
    input: OsString,

    /// Best moves shown of a position [default: 4], or the moves to search, no others (e6,f4); alternatives shown to a move of a
    /// game [default: 1, in reports 2]
    #[arg(short, long, value_name = "N|MOVES", value_parser = parse_wanted)]
    moves: Option<Wanted>,

    /// Take moves for a position (their end) or for a game to be judged; files of moves are games
    #[arg(long = "as", value_name = "KIND")]
    kind: Option<Kind>,

    /// Only this game (or position) of the file, from 1
    #[arg(short, long, value_name = "N", value_parser = whole::<u32>(1..=u32::MAX))]
    game: Option<u32>,

    /// Games judged side by side, each with its own threads and table
    #[arg(short, long, value_name = "N", default_value = "1", value_parser = parse_threads)]
    pub(super) jobs: usize,

    /// Write what is found of games to this file too, a JSON object a line, game by game
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,

    /// Go on with the games that the output file has, and judge only those that it lacks
    #[arg(long, requires = "output")]
    pub(super) resume: bool,

    /// Only the last iteration
    #[arg(long)]
    last: bool,

    /// One JSON object an iteration of a position, or a move of a game
    #[arg(long)]
    pub(super) json: bool,

    #[command(flatten)]
    report: ReportOptions,

    #[command(flatten)]
    search: SearchOptions,

    #[command(flatten)]
    pub(super) engine: EngineOptions,

    #[command(flatten)]
    rules: RulesOption,
}

/// What `--moves` asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Wanted {
    /// So many of the best.
    Best(u16),
    /// These only, as typed.
    Only(Vec<String>),
}

fn parse_wanted(text: &str) -> Result<Wanted, String> {
    if text.starts_with(|first: char| first.is_ascii_digit()) {
        let count = text.parse().ok().filter(|count| *count > 0);
        return count.map(Wanted::Best).ok_or_else(|| "not a number from 1 to 65535, nor moves".to_string());
    }
    let moves: Vec<String> = text.split(',').map(|word| word.trim().to_string()).collect();
    if moves.iter().any(String::is_empty) { Err("a move is missing".to_string()) } else { Ok(Wanted::Only(moves)) }
}

impl Wanted {
    /// The moves of a position that are asked for, each once.
    fn only(&self, position: &Position) -> Result<Option<Vec<Move>>, Error> {
        let Wanted::Only(texts) = self else { return Ok(None) };
        let mut moves = Vec::new();
        for text in texts {
            let mv = parse_move(position, text).map_err(|error| Error::input(format!("--moves: {error}")))?;
            if let Some(refusal) = position.refusal(mv) {
                return Err(Error::input(format!("--moves: {refusal}")));
            }
            if !moves.contains(&mv) {
                moves.push(mv);
            }
        }
        Ok(Some(moves))
    }
}

/// What moves are taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// The position after the moves
    Position,
    /// The moves, each judged
    Game,
}

impl AnalyzeArguments {
    /// Moves given on the command line are a way to a position; a file of moves is a file of games.
    fn kind(&self) -> Kind {
        self.kind.unwrap_or(if self.is_file() || self.report.is_wanted() { Kind::Game } else { Kind::Position })
    }

    /// The input is a file, and not the position or moves themselves.
    fn is_file(&self) -> bool {
        self.input == "-" || Path::new(&self.input).exists()
    }

    /// What messages call the input.
    pub(super) fn input_name(&self) -> String {
        input::name(Path::new(&self.input))
    }

    /// Alternatives shown to a move of a game.
    pub(super) fn alternatives(&self) -> Result<usize, Error> {
        match &self.moves {
            None if self.report.is_wanted() => Ok(2),
            None => Ok(1),
            Some(Wanted::Best(count)) => Ok(usize::from(*count)),
            Some(Wanted::Only(_)) => Err(Error::input("--moves: of a game it takes a number, moves are for positions")),
        }
    }

    pub(super) fn limits(&self) -> Limits {
        self.search.limits(Goal::Level(Level::DEFAULT))
    }

    /// The options that decide what is found of games.
    pub(super) fn made_with(&self, weights: Option<&(Arc<Weights>, u64)>) -> MadeWith {
        let moves = match &self.moves {
            Some(Wanted::Best(count)) => Some(format!("--moves {count}")),
            _ => None,
        };
        decisive((&self.search, &self.limits()), moves.into_iter(), weights, &self.rules.rules)
    }
}

/// Runs `analyze`.
pub fn run(arguments: &AnalyzeArguments) -> Outcome {
    let kind = arguments.kind();
    if kind == Kind::Position && arguments.report.is_wanted() {
        return Err(Error::input("--report and --svg are for games, not for a position"));
    }
    let mut reports = arguments.report.reports(Path::new(&arguments.input), &arguments.limits())?;
    let mut screen = Screen::new(arguments.output.is_some() || arguments.report.is_wanted());
    let outcome = analyze(arguments, kind, &mut screen, &mut reports)?;
    reports.finish()?;
    screen.finish()?;
    Ok(outcome)
}

fn analyze(arguments: &AnalyzeArguments, kind: Kind, screen: &mut Screen, reports: &mut Reports) -> Outcome {
    arguments.output.iter().try_for_each(|path| {
        is_file_name(path)?;
        check_is_no_input(path, [Path::new(&arguments.input)])
    })?;
    let items = input::items(&arguments.input, &arguments.rules.rules)?;
    if arguments.jobs > 1 || arguments.output.is_some() {
        if kind == Kind::Position || arguments.game.is_some() {
            return Err(Error::input("--jobs and --output are for all games of a file or a folder"));
        }
        if arguments.last {
            return Err(Error::input("--last is for positions, not for games"));
        }
        if arguments.report.is_wanted() {
            return Err(Error::input("--report and --svg judge one game after the other: without --jobs and --output"));
        }
        return analyze_games::run(arguments, items, screen);
    }
    let weights = arguments.engine.eval.load_with_checksum()?;
    let made_with = arguments.made_with(weights.as_ref());
    let mut engine = arguments.engine.engine_with(weights.map(|(weights, _)| weights))?;
    let stop = screen.stop_token();
    let (mut done, mut bad) = (0, 0);
    for (number, item) in (1..).zip(interrupt::until_stopped(items, &stop)?) {
        if arguments.game.is_some_and(|wanted| wanted != number) {
            continue;
        }
        if done > 0 && !arguments.json {
            screen.print("\n")?;
        }
        match item {
            Err(problem) => {
                tell!("outflank: {problem}");
                bad += 1;
                continue;
            }
            Ok(Item::Position(record))
                if !arguments.report.is_wanted() && (kind == Kind::Position || arguments.kind.is_none()) =>
            {
                let position = record.game.position();
                let opening = board_of(position).and_then(names::name_of);
                analyze_position(arguments, &mut engine, position, opening, &stop)?;
            }
            Ok(Item::Position(_)) => {
                // a board on the command line has no number
                let place = if arguments.is_file() { format!("game {number}: ") } else { String::new() };
                tell!("outflank: {place}this is a position, not a game");
                bad += 1;
                continue;
            }
            Ok(Item::Game(record)) if kind == Kind::Position => {
                let opening = names::opening_of(&record.game);
                analyze_position(arguments, &mut engine, record.game.position(), opening, &stop)?;
            }
            Ok(Item::Game(record)) => {
                if arguments.last {
                    return Err(Error::input("--last is for positions, not for games"));
                }
                analyze_game((arguments, &made_with), &mut engine, &record, number, &stop, (reports, screen))?;
            }
        }
        done += 1;
        if stop.is_stopped() {
            return Ok(Status::Interrupted);
        }
        if arguments.game.is_some() {
            break;
        }
    }
    // reading ends early too
    if stop.is_stopped() {
        return Ok(Status::Interrupted);
    }
    match (arguments.game, done + bad) {
        (Some(number), 0) => Err(Error::input(format!("there is no game {number} in {}", arguments.input_name()))),
        (None, 0) => Err(Error::input(format!("there is nothing to analyse in {}", arguments.input_name()))),
        _ if bad > 0 => Ok(Status::BadInput),
        _ => Ok(Status::Success),
    }
}

fn analyze_position(
    arguments: &AnalyzeArguments,
    engine: &mut Engine,
    position: &Position,
    opening: Option<&'static str>,
    stop: &StopToken,
) -> Result<(), Error> {
    let moves = arguments.moves.as_ref().map(|wanted| wanted.only(position)).transpose()?.flatten();
    let wanted = match (&moves, &arguments.moves) {
        (Some(moves), _) => moves.len(),
        (None, Some(Wanted::Best(count))) => usize::from(*count),
        _ => 4,
    };
    let limits = Limits { multi_pv: wanted, moves, ..arguments.limits() };
    let live = Live::search();
    let table = PositionTable { position, opening, json: arguments.json };
    live.suspend(|| table.begin())?;
    let mut shown: Option<Report> = None;
    let write = |report: &Report| {
        live.report("", report);
        if arguments.last {
            return Ok(());
        }
        shown = Some(report.clone());
        live.suspend(|| table.iteration(report, false))
    };
    let (last, written) = with_output(stop, write, |hear| best_moves(engine, position, &limits, stop, hear));
    live.finish();
    written?;
    let last = last?;
    let is_news = shown.is_none_or(|shown| shown.depth_text() != last.depth_text() || shown.lines != last.lines);
    if is_news || arguments.json {
        table.iteration(&last, true)?;
    }
    table.end()?;
    Ok(())
}

/// Judges a game.
fn analyze_game(
    (arguments, made_with): (&AnalyzeArguments, &MadeWith),
    engine: &mut Engine,
    record: &GameRecord,
    number: u32,
    stop: &StopToken,
    (reports, screen): (&mut Reports, &mut Screen),
) -> Result<(), Error> {
    let game = &record.game;
    let live = Live::bar(game.moves().len() as u64);
    let alternatives = arguments.alternatives()?;
    let review = review(engine, game, &arguments.limits(), alternatives, stop, &mut |one| {
        live.position((game.moves().len() - one.ply + 1) as u64);
    });
    live.finish();
    let review = review?;
    reports.add(record, &review);
    let found = if arguments.json {
        game_lines(number, record, &review, made_with).concat()
    } else {
        format!("{}\n{}", title(record, number), text::reviewed_game(game, &review))
    };
    Ok(screen.print(&found)?)
}

/// A game's number, players and opening.
pub(super) fn title(record: &GameRecord, number: u32) -> String {
    let opening = names::opening_of(&record.game).map_or(String::new(), |opening| format!("\nOpening: {opening}"));
    text::title(record, number) + &opening
}

/// The iterations of one position.
struct PositionTable<'a> {
    position: &'a Position,
    /// Name of the opening.
    opening: Option<&'static str>,
    /// JSON lines instead of a table.
    json: bool,
}

impl PositionTable<'_> {
    /// Prints the titles.
    fn begin(&self) -> io::Result<()> {
        if self.json {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        writeln!(out, "{}", board_text::write(self.position))?;
        if let Some(opening) = self.opening {
            writeln!(out, "Opening: {opening}")?;
        }
        writeln!(out, "{}\n{}", text::HEADER, text::RULE)
    }

    /// Prints an iteration.
    fn iteration(&self, report: &Report, is_final: bool) -> io::Result<()> {
        let mut out = io::stdout().lock();
        if self.json {
            writeln!(out, "{}", json_line(&IterationJson::new(self.position, self.opening, report, is_final)))?;
            return out.flush();
        }
        let width = terminal_width();
        for i in 0..report.lines.len().max(1) {
            let row = text::row(self.position, report, report.lines.get(i), i == 0);
            writeln!(out, "{}", text::fit(row, width))?;
        }
        out.flush()
    }

    /// Prints the end of the table.
    fn end(&self) -> io::Result<()> {
        if self.json { Ok(()) } else { writeln!(io::stdout(), "{}", text::RULE) }
    }
}
