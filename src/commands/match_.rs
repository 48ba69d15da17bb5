//! `outflank match`: two players against each other, refereed, measured and saved.

use std::collections::HashSet;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{ArgAction, Args};
use outflank::book::probe::has_book;
use outflank::formats::quantity::plural;
use outflank::rules::{Color, Position};
use outflank::search::{Goal, Level, Selectivity, StopToken};
use outflank::tournament::{
    Checksums, GameSetup, MatchError, Opening, OpeningSource, Outcome as Ended, Plan, PlayerContext, PlayerError,
    PlayerKind, PlayerSpec, Reasons, Referee, Sprt, Statistics, Store, StoreError, TimeControl, Variety, Verdict,
    create_player, describe, match_files, run as play,
};

use super::book::tell_journal;
use super::error::{Error, Outcome, Status};
use super::match_field;
use super::match_report::{self, Progress, Summary};
use super::options::{self, RulesOption};
use super::output::{Screen, check_is_replaceable, is_file_name, is_one_place};
use super::session::no_book_for;
use super::{cores, input};

/// Games of a match when nothing is said.
const DEFAULT_GAMES: u64 = 100;
/// Games of a match at most: the openings of all of them are chosen before the first.
const MOST_GAMES: u64 = 10_000_000;
/// Games after which a test without a decision gives up, when nothing is said.
const DEFAULT_SPRT_GAMES: u64 = 20_000;
/// How long a program may take for anything but a move; large networks take several seconds to load.
const PATIENCE: Duration = Duration::from_secs(30);

/// Arguments of `match`.
#[derive(Args)]
#[command(after_help = "\
Players:
  outflank[,level=N][,grade=NAME][,depth=N][,selectivity=P][,nodes=N][,time=S][,threads=N][,hash=MIB]
          [,eval=FILE][,variety=DISCS][,book=on|FILE][,book-loss=DISCS][,book-variety=0-10][,book-draw=DISCS]
                                this engine, inside the process; level, depth, nodes: by default those given as options;
                                variety is that of searched moves, book-variety that of the book's;
                                eval and book are for othello on 8x8
  random, greedy, mobility      reference players: any move, most discs, fewest answers
  gtp[,pass=auto|send|omit][,init=COMMAND][,dir=FOLDER]:PROGRAM ARGUMENTS
                                a GTP engine; `pass` says whether it is told of forced passes (auto: try)
  nboard[,level=N][,dir=FOLDER]:PROGRAM ARGUMENTS
                                an NBoard engine; `level` is sent as `set depth`
  Each takes `name=NAME` too.

An illegal move, a crash, a hang (the program is killed, and started again for the next game) or a time loss loses
the game and is reported. Every game is saved as it ends in OUTPUT.jsonl, from which --resume goes on, and OUTPUT.ggf;
other files of these names are left as they are. A game that was played before, move by move, does not count for Elo
and the test: programs that always answer the same need as many openings as pairs.

Exit status:
  0    played to the end; with --sprt: H1 accepted (FIRST is better by ELO1)
  1    H0 accepted (it is not)
  2    bad arguments, or a player that does not start
  3    a file could not be written
  4    all games played, the test undecided
  130  interrupted; --resume goes on

Examples:
  outflank match outflank,level=8 outflank,level=6 --games 100 --openings balanced
  outflank match outflank 'gtp:/usr/games/gtp-rhino -l 5' --level 6 --games 20
  outflank match 'gtp:./new' 'gtp:./old' --time 0.1 --openings balanced --sprt 0 5 --output new-old
  outflank match outflank,level=8 outflank,level=6 outflank,level=4 --games 40 --markdown
  outflank match outflank 'nboard,level=8:./ntest' --clock 60+0.5 --json")]
pub struct MatchArguments {
    /// The player the results are about
    #[arg(value_name = "FIRST")]
    pub first: PlayerSpec,

    /// Its opponent
    #[arg(value_name = "SECOND")]
    pub second: PlayerSpec,

    /// More players: all play each other, and the result is one table
    #[arg(value_name = "MORE", conflicts_with = "sprt")]
    pub more: Vec<PlayerSpec>,

    /// With more than two players: only FIRST plays the others
    #[arg(long, requires = "more", conflicts_with = "sprt")]
    pub gauntlet: bool,

    /// Games to play, an even number, of each two players; with --sprt at most this many [default: 100, with --sprt 20000]
    #[arg(short, long, value_name = "N", value_parser = options::parse_count)]
    games: Option<u64>,

    /// Openings: a file with one transcript a line (`#` begins a comment), or `balanced`, the built-in list of 5000 lines after
    /// which neither side is ahead; a pair of games for each, colours swapped
    #[arg(short, long, value_name = "FILE|balanced", conflicts_with = "random_plies")]
    openings: Option<PathBuf>,

    /// Without --openings: begin each pair of games with this many random moves
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = options::whole::<usize>(0..=usize::MAX))]
    random_plies: usize,

    /// Chooses the openings, and the moves of random players
    #[arg(long, value_name = "SEED", default_value_t = 1, value_parser = options::parse_seed)]
    seed: u64,

    /// Games at a time [default: the cores, divided by the threads of a player]
    #[arg(short, long, visible_alias = "concurrency", value_name = "N", value_parser = options::parse_threads)]
    jobs: Option<usize>,

    /// Save the games in OUTPUT.jsonl and OUTPUT.ggf; those of the second and the third of several players in OUTPUT-2-3.jsonl
    #[arg(long, value_name = "OUTPUT", default_value = "match")]
    pub output: PathBuf,

    /// Also write every game as PGN, with its players, result, moves and the reason for its end; with --resume the file must have
    /// games of this match only, and gets those of before that it lacks
    #[arg(long, value_name = "FILE")]
    pub reasons: Option<PathBuf>,

    /// Go on with the match in OUTPUT.jsonl, which must have been started with the same arguments
    #[arg(long)]
    resume: bool,

    /// Print the result as a JSON object
    #[arg(long)]
    pub json: bool,

    /// Print the result as a table in Markdown, to be pasted
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,

    #[command(flatten)]
    strength: Strength,

    #[command(flatten)]
    clock: ClockOptions,

    #[command(flatten)]
    test: TestOptions,

    #[command(flatten)]
    rules: RulesOption,
}

/// The strength of `outflank` players that have no own.
#[derive(Args)]
#[command(next_help_heading = "Strength of outflank players")]
struct Strength {
    /// Playing level 0 to 60 [default: 21 when nothing else limits a move]
    #[arg(short, long, value_name = "LEVEL", value_parser = options::parse_level, conflicts_with = "depth")]
    level: Option<Level>,

    /// Depth in plies
    #[arg(short, long, value_name = "PLIES", value_parser = options::whole::<u8>(1..=255))]
    depth: Option<u8>,

    /// Nodes a move (k, M and G are understood)
    #[arg(long, value_name = "NODES", value_parser = options::parse_count)]
    nodes: Option<u64>,
}

/// How long a player may take for a move without a clock.
const TIMEOUT: Duration = Duration::from_secs(60);
/// How much longer than its clock has a player may take for a move.
const MARGIN: Duration = Duration::from_millis(100);

/// The referee's clock.
#[derive(Args)]
#[command(next_help_heading = "Time")]
struct ClockOptions {
    /// Time for each move
    #[arg(long, visible_alias = "move-time", value_name = "TIME", conflicts_with = "clock")]
    #[arg(value_parser = options::parse_time)]
    time: Option<Duration>,

    /// Game clock: 60 (seconds) or 1:00, 60+0.5 (increment a move), 60+30/10 (then 30 s for every 10 moves)
    #[arg(long, value_name = "CLOCK")]
    clock: Option<TimeControl>,

    /// With --time or --clock: tolerance for pipes and schedulers before a move counts as late, and before the time a player takes to
    /// hear of a move is its own, in seconds [default: 0.1]
    #[arg(long, value_name = "SECONDS", value_parser = parse_margin)]
    margin: Option<Duration>,

    /// Without a clock: a player that takes longer than this for a move hangs, and loses the game [default: 60]
    #[arg(long, value_name = "TIME", value_parser = options::parse_time)]
    timeout: Option<Duration>,
}

/// The test.
#[derive(Args)]
#[command(next_help_heading = "Test")]
struct TestOptions {
    /// Stop as soon as it is decided whether FIRST is better by ELO0 (H0) or by ELO1 (H1)
    #[arg(long, value_names = ["ELO0", "ELO1"], num_args = 2, allow_negative_numbers = true, action = ArgAction::Set,
        value_parser = options::number(-Sprt::MOST_ELO..=Sprt::MOST_ELO))]
    sprt: Option<Vec<f64>>,

    /// Probability of accepting H1 although H0 holds
    #[arg(long, value_name = "P", default_value_t = 0.05, requires = "sprt", conflicts_with_all = ["more", "gauntlet"], value_parser = options::number(0.0..=0.5))]
    alpha: f64,

    /// Probability of accepting H0 although H1 holds
    #[arg(long, value_name = "P", default_value_t = 0.05, requires = "sprt", conflicts_with_all = ["more", "gauntlet"], value_parser = options::number(0.0..=0.5))]
    beta: f64,
}

fn parse_margin(text: &str) -> Result<Duration, String> {
    options::number(0.0..=3600.0)(text).map(Duration::from_secs_f64)
}

/// A match of two players that has been played, or a part of it.
pub struct Played {
    /// What was played.
    pub plan: Plan,
    /// How it came out.
    pub outcome: Ended,
    /// What the players are called.
    pub names: [String; 2],
    /// How long this session took.
    pub seconds: Duration,
    /// Where the games are.
    pub files: [PathBuf; 2],
}

/// Runs `match`.
pub fn run(arguments: &MatchArguments) -> Outcome {
    // matches that began with options of no meaning go on with them
    if !arguments.resume {
        check_output(&arguments.output)?;
        check_strength(arguments)?;
        check_clock(&arguments.clock)?;
        check_files(arguments)?;
    }
    let mut reasons = reasons(arguments)?;
    if !arguments.more.is_empty() {
        return match_field::run(arguments, &mut reasons);
    }
    // the games are in files, and the status is the verdict: nobody has to read the table
    let mut screen = Screen::new(true);
    let openings = openings(arguments)?;
    let players = [Loaded::new(&arguments.first)?, Loaded::new(&arguments.second)?];
    let players = players.each_ref();
    let played = play_match(arguments, players, openings, &arguments.output, screen.stop_token(), &mut reasons)?;
    let Played { plan, outcome, names, seconds, files } = &played;
    let summary = Summary { plan, outcome, names, seconds: *seconds, files: [&files[0], &files[1]] };
    screen.write(|out| match (arguments.json, arguments.markdown) {
        (true, _) => match_report::write_json(out, &summary),
        (_, true) => match_report::write_markdown(out, &summary),
        _ => match_report::write_table(out, &summary),
    })?;
    screen.finish()?;
    Ok(match outcome.verdict {
        Some(Verdict::H1) => Status::Success,
        Some(Verdict::H0) => Status::CheckFailed,
        None if outcome.interrupted => Status::Interrupted,
        None if plan.sprt.is_some() => Status::Undecided,
        None => Status::Success,
    })
}

/// Games are saved under a name: behind a folder alone they would be hidden files, behind `-` and `/dev/null` ones that nobody has
/// meant.
fn check_output(output: &Path) -> Result<(), Error> {
    is_file_name(output)?;
    if output.exists() && !output.is_file() && !output.is_dir() {
        let output = output.display();
        return Err(Error::input(format!("--output {output}: no plain file, and games are saved in {output}.jsonl")));
    }
    let is_folder = output.file_name().is_none() || output.as_os_str().as_encoded_bytes().ends_with(b"/");
    if !is_folder {
        return Ok(());
    }
    let named = output.join("match");
    Err(Error::input(format!("--output {}: a folder, write for instance {}", output.display(), named.display())))
}

/// The strength of `outflank` players is for one that plays.
fn check_strength(arguments: &MatchArguments) -> Result<(), Error> {
    let Strength { level, depth, nodes } = &arguments.strength;
    let is_for_one = arguments.players().any(PlayerSpec::takes_strength);
    if is_for_one || level.is_none() && depth.is_none() && nodes.is_none() {
        return Ok(());
    }
    Err(Error::input(
        "--level, --depth and --nodes are for `outflank` players without a strength of their own, and none plays",
    ))
}

/// Books and files of weights are of othello on 8x8, and a match is by one set of rules.
fn check_files(arguments: &MatchArguments) -> Result<(), Error> {
    let rules = &arguments.rules.rules;
    let useless = |player: &PlayerSpec| match &player.kind {
        PlayerKind::Engine(config) if config.book.is_some() => Some(no_book_for(rules)),
        PlayerKind::Engine(config) if config.eval.is_some() => {
            Some(format!("weights of a file are of othello on 8x8, and the rules are {rules}: no move depends on them"))
        }
        _ => None,
    };
    match arguments.players().find_map(|player| Some((player, useless(player)?))) {
        Some((player, why)) if !has_book(rules) => Err(Error::input(format!("{}: {why}", player.text))),
        _ => Ok(()),
    }
}

/// A clock says itself when a move takes too long, and without one none is late.
fn check_clock(clock: &ClockOptions) -> Result<(), Error> {
    let has_clock = clock.time.is_some() || clock.clock.is_some();
    match (clock.timeout, clock.margin) {
        (Some(_), _) if has_clock => Err(Error::input("--timeout is for games without --time and --clock")),
        (_, Some(_)) if !has_clock => Err(Error::input("--margin is for games with --time or --clock")),
        _ => Ok(()),
    }
}

/// The names that the matches are saved under.
fn prefixes(arguments: &MatchArguments) -> Vec<PathBuf> {
    match arguments.more.is_empty() {
        true => vec![arguments.output.clone()],
        false => match_field::pairs(arguments).map(|pair| match_field::numbered(&arguments.output, pair)).collect(),
    }
}

impl MatchArguments {
    /// All players, in the order of their names.
    pub fn players(&self) -> impl Iterator<Item = &PlayerSpec> {
        [&self.first, &self.second].into_iter().chain(&self.more)
    }

    /// The files that players are made of.
    pub fn player_files(&self) -> impl Iterator<Item = PathBuf> {
        self.players().flat_map(PlayerSpec::files).map(Path::to_path_buf)
    }

    /// The files that games are saved in.
    pub fn games_files(&self) -> impl Iterator<Item = PathBuf> {
        prefixes(self).into_iter().flat_map(|prefix| match_files(&prefix))
    }
}

/// The file of `--reasons`, if one is wanted.
fn reasons(arguments: &MatchArguments) -> Result<Option<Reasons>, Error> {
    let Some(path) = &arguments.reasons else { return Ok(None) };
    is_file_name(path)?;
    check_is_replaceable(path)?;
    let mut others = arguments.games_files().chain(arguments.openings.clone()).chain(arguments.player_files());
    if others.any(|other| is_one_place(&other, path)) {
        let path = path.display();
        return Err(Error::input(format!("--reasons {path}: the match has another use for this file")));
    }
    let opened = Reasons::open(path, &prefixes(arguments), &arguments.rules.rules, arguments.resume);
    opened.map(Some).map_err(|error| storage_error(&error))
}

/// A player with what was read from its files.
pub struct Loaded {
    spec: PlayerSpec,
    checksums: Checksums,
}

impl Loaded {
    /// Reads the player's weights and book.
    pub fn new(spec: &PlayerSpec) -> Result<Loaded, Error> {
        let mut spec = spec.clone();
        let checksums = spec.load().map_err(Error::input)?;
        if let Some((path, file)) = spec.book_file() {
            tell_journal(path, file);
        }
        Ok(Loaded { spec, checksums })
    }
}

/// The openings of all pairs, and where they come from.
pub type Openings = (Vec<Opening>, OpeningSource);

/// Finds out whether the match of these players can be played, without leaving anything behind: its files, and the programs that have
/// games to play and are none of those `started` before.
pub fn check_match(
    arguments: &MatchArguments,
    players: [&Loaded; 2],
    (openings, source): &Openings,
    output: &Path,
    stop: StopToken,
    started: &mut HashSet<String>,
) -> Result<(), Error> {
    let plan = plan(arguments, players, Vec::new(), stop)?;
    let description = describe(&plan, source, players.map(|player| player.checksums));
    let finished = Store::check(output, &description, &arguments.rules.rules, arguments.resume)
        .map_err(|error| storage_error(&error))?;
    if (0..openings.len()).all(|pair| [0, 1].iter().all(|&leg| finished.has(pair, leg))) {
        return Ok(());
    }
    for spec in plan.players.iter().filter(|spec| matches!(spec.kind, PlayerKind::External(_))) {
        if started.insert(spec.text.clone()) {
            // a program that cannot play the rules says so when it is told them
            let setup = GameSetup {
                start: &plan.referee.start,
                opening: &[],
                color: Color::Black,
                control: plan.context.control,
                seed: plan.seed,
            };
            // who interrupts a match hears so from its first game; a failure loses a game, and is no error
            let told = create_player(spec, &plan.context).and_then(|mut player| player.start_game(&setup));
            if let Err(PlayerError::Start(problem)) = told {
                return Err(Error::input(problem));
            }
        }
    }
    Ok(())
}

/// The games that are saved of a match which was not played to its end: their results, what the players are called, and where they are;
/// `None` without games.
pub fn saved_of(
    arguments: &MatchArguments,
    players: [&Loaded; 2],
    source: &OpeningSource,
    output: &Path,
) -> Option<(Statistics, [String; 2], [PathBuf; 2])> {
    let plan = plan(arguments, players, Vec::new(), StopToken::new()).ok()?;
    let description = describe(&plan, source, players.map(|player| player.checksums));
    let finished = Store::check(output, &description, &arguments.rules.rules, true).ok()?;
    Some((finished.statistics().clone(), finished.names()?.clone(), match_files(output)))
}

/// Plays a match of two players and saves its games.
pub fn play_match(
    arguments: &MatchArguments,
    players: [&Loaded; 2],
    (openings, source): Openings,
    output: &Path,
    stop: StopToken,
    reasons: &mut Option<Reasons>,
) -> Result<Played, Error> {
    let rules = &arguments.rules.rules;
    let mut plan = plan(arguments, players, openings, stop)?;
    tell_busy(&plan);
    limit_repeats(arguments, &mut plan);
    let description = describe(&plan, &source, players.map(|player| player.checksums));
    let (mut store, finished) =
        Store::open(output, &description, rules, arguments.resume).map_err(|error| storage_error(&error))?;
    reasons.as_mut().map_or(Ok(()), |reasons| reasons.begin(&store)).map_err(|error| storage_error(&error))?;
    let mut progress = Progress::new(&plan, &finished, io::stderr().is_terminal());
    let outcome = play(&plan, &finished, &mut |game, statistics| {
        store.add(game)?;
        reasons.as_mut().map_or(Ok(()), |reasons| reasons.add(game))?;
        progress.show(game, statistics);
        Ok(())
    });
    let seconds = progress.finish();
    let files = store.paths().map(Path::to_path_buf);
    let outcome = match outcome {
        Ok(outcome) => store.close().map(|()| outcome).map_err(|error| storage_error(&error)),
        Err(MatchError::Player(message)) => {
            store.discard();
            Err(Error::input(message))
        }
        Err(MatchError::Games(error)) => Err(storage_error(&error)),
    };
    let outcome = outcome.inspect_err(|_| progress.say_where(&files))?;
    let names = progress.names().clone();
    Ok(Played { plan, outcome, names, seconds, files })
}

/// Says what is known of games that will be the same; where nobody has asked for a number of games, leaves out those
/// that cannot differ.
fn limit_repeats(arguments: &MatchArguments, plan: &mut Plan) {
    let pairs = plan.openings.len();
    match Variety::of(plan) {
        Variety::Enough => {}
        Variety::Doubtful { openings } => tell!(
            "note: {} for up to {}: should both players always play the same, games are repeated, and do not count in \
             Elo and the test",
            plural(openings as u64, "different opening"),
            plural(pairs as u64, "pair") + " of games"
        ),
        Variety::Limited { openings } => {
            let (are, games) = (if openings == 1 { "is" } else { "are" }, 2 * openings);
            let (openings, pairs) = (plural(openings as u64, "different opening"), plural(pairs as u64, "pair"));
            tell!(
                "note: both players always play the same, and there {are} {openings} for up to {pairs} of games: {games} \
                 games can differ, others do not count in Elo and the test"
            );
            if arguments.games.is_none() {
                // up to the last one that is new: the pairs keep their numbers
                let mut known = HashSet::new();
                let is_new = plan.openings.iter().map(|opening| known.insert(opening.clone()));
                let length = is_new.enumerate().filter(|&(_, is_new)| is_new).last().map_or(0, |(i, _)| i + 1);
                plan.openings.truncate(length);
            }
        }
    }
}

fn storage_error(error: &StoreError) -> Error {
    match error {
        StoreError::Io { path, error } => Error::write(path, io::Error::new(error.kind(), error.to_string())),
        StoreError::Exists(_) => Error::input(format!("{error}: go on with --resume, or choose another name")),
        other => Error::input(other.to_string()),
    }
}

/// The openings of all pairs, and where they come from.
pub fn openings(arguments: &MatchArguments) -> Result<Openings, Error> {
    let rules = &arguments.rules.rules;
    let default = if arguments.test.sprt.is_some() { DEFAULT_SPRT_GAMES } else { DEFAULT_GAMES };
    let games = arguments.games.unwrap_or(default);
    if !games.is_multiple_of(2) {
        return Err(Error::input(format!("--games {games}: games are played in pairs, the number must be even")));
    }
    if games > MOST_GAMES {
        return Err(Error::input(format!("--games {games}: at most {MOST_GAMES}")));
    }
    let pairs = (games / 2) as usize;
    let source = match &arguments.openings {
        None => OpeningSource::Random(arguments.random_plies),
        Some(path) => OpeningSource::List(input::openings(path, rules)?),
    };
    // of a list all can be played
    let openings = source
        .openings(rules, pairs, arguments.seed)
        .map_err(|error| Error::input(format!("--random-plies: {error}")))?;
    Ok((openings, source))
}

fn plan(
    arguments: &MatchArguments,
    players: [&Loaded; 2],
    openings: Vec<Opening>,
    stop: StopToken,
) -> Result<Plan, Error> {
    let players = players.map(|player| player.spec.clone());
    let strength = &arguments.strength;
    let goal = strength.level.map(Goal::Level).or(strength.depth.map(|depth| Goal::Depth(depth, Selectivity::NONE)));
    let clock = &arguments.clock;
    let control = clock.time.map(TimeControl::PerMove).or(clock.clock).unwrap_or_default();
    let threads = threads(&players);
    let test = &arguments.test;
    let sprt = match test.sprt.as_deref() {
        Some(&[elo0, elo1]) => {
            Some(Sprt::new(elo0, elo1, test.alpha, test.beta).map_err(|error| Error::input(error.to_string()))?)
        }
        _ => None,
    };
    let jobs = arguments.jobs.unwrap_or((cores() / threads).max(1));
    Ok(Plan {
        players,
        context: PlayerContext { stop, goal, nodes: strength.nodes, control, patience: PATIENCE },
        referee: Referee {
            start: Position::start(arguments.rules.rules.clone()),
            control,
            grace: clock.margin.unwrap_or(MARGIN),
            patience: clock.timeout.unwrap_or(TIMEOUT),
        },
        openings,
        jobs,
        sprt,
        seed: arguments.seed,
    })
}

/// The threads that a game keeps busy: one player thinks at a time.
fn threads(players: &[PlayerSpec; 2]) -> usize {
    players.iter().map(PlayerSpec::threads).max().unwrap_or(1)
}

/// Says so when there are fewer cores than the clock supposes.
fn tell_busy(plan: &Plan) {
    let (jobs, threads, cores) = (plan.jobs, threads(&plan.players), cores());
    if plan.context.control != TimeControl::None && jobs * threads > cores {
        let [jobs, threads, cores] =
            [(jobs, "game"), (threads, "thread"), (cores, "core")].map(|(count, noun)| plural(count as u64, noun));
        tell!("note: {jobs} at a time, {threads} a player, {cores}: players will miss time");
    }
}
