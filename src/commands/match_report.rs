//! What `match` shows: progress while it plays, the result as a table or as JSON.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget};
use outflank::analysis::report::markdown;
use outflank::analysis::text::clock_text;
use outflank::formats::quantity::{counted, plural};
use outflank::rules::RuleSet;
use outflank::tournament::{
    Elo, Ending, FailureKind, Finished, GameRecord, Mean, Outcome, Plan, PlayerIndex, PlayerStatistics, Sprt,
    Statistics, TimeControl, Verdict, likelihood_of_superiority,
};
use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use super::live::estimating;
use super::output::{json_line, padded};

/// How often a line of progress is printed when standard error is no terminal.
const INTERVAL: Duration = Duration::from_secs(30);
/// Seconds of a month: what would take longer cannot be told.
const LONGEST_ESTIMATE: f64 = 30.0 * 86_400.0;

/// Progress on standard error: a bar at a terminal, a line now and then otherwise; forfeits as they happen.
pub struct Progress {
    bar: ProgressBar,
    is_terminal: bool,
    sprt: Option<Sprt>,
    total: u64,
    names: [String; 2],
    started: Instant,
    last_line: Instant,
    played: u64,
    /// Games finished before this session.
    earlier: u64,
    /// There is no clock, and nobody was told yet what a hang is.
    explains_hangs: bool,
    /// Which have names for the colours.
    rules: Arc<RuleSet>,
}

impl Progress {
    /// Shows what is finished already.
    pub fn new(plan: &Plan, finished: &Finished, is_terminal: bool) -> Progress {
        let total = 2 * plan.openings.len() as u64;
        let target = if is_terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(total), target);
        bar.set_style(estimating("{bar:20} {pos}/{len} games  {msg}  {rate}/s, {left} left", Arc::default()));
        let earlier = finished.statistics().games();
        bar.set_position(earlier);
        let names = plan.players.each_ref().map(|spec| spec.name.clone().unwrap_or_else(|| spec.text.clone()));
        let now = Instant::now();
        let mut progress = Progress {
            bar,
            is_terminal,
            sprt: plan.sprt,
            total,
            names,
            started: now,
            last_line: now,
            played: 0,
            earlier,
            explains_hangs: plan.referee.control == TimeControl::None,
            rules: plan.referee.start.rules().clone(),
        };
        if let Some(names) = finished.names() {
            progress.names.clone_from(names);
            progress.say(&format!("resuming after {}", plural(earlier, "game")));
        }
        progress
    }

    /// A game has ended.
    pub fn show(&mut self, game: &GameRecord, statistics: &Statistics) {
        self.learn_names(game);
        self.played += 1;
        self.bar.set_position(statistics.games());
        self.bar.set_message(short(statistics, self.sprt));
        if let Ending::Forfeit { loser, kind, detail } = &game.ending {
            let name = &self.names[game.player_of(*loser) as usize];
            self.say(&format!(
                "pair {} game {}: {name} ({}) loses, {}: {detail}",
                game.pair + 1,
                game.leg + 1,
                self.rules.color_name(*loser),
                kind.name()
            ));
            if is_slow_move(*kind, detail) && std::mem::take(&mut self.explains_hangs) {
                self.say("note: where a move may take so long, --timeout gives players more time");
            }
        }
        if !self.is_terminal && self.last_line.elapsed() >= INTERVAL {
            self.last_line = Instant::now();
            let rate = self.played as f64 / self.started.elapsed().as_secs_f64();
            let left = left_text((self.total.saturating_sub(statistics.games())) as f64 / rate);
            self.say(&format!(
                "{}/{} games  {}  {rate:.2} games/s, at most {left} left",
                statistics.games(),
                self.total,
                short(statistics, self.sprt)
            ));
        }
    }

    /// Removes the bar; returns how long the match took.
    pub fn finish(&self) -> Duration {
        self.bar.finish_and_clear();
        self.started.elapsed()
    }

    /// After an error: says where the finished games are, if there are any.
    pub fn say_where(&self, files: &[PathBuf; 2]) {
        let games = self.earlier + self.played;
        if games > 0 {
            let [games_file, ggf] = files.each_ref().map(|path| path.display());
            let games = counted(games, "finished game is", "finished games are");
            self.say(&format!("{games} in {games_file} and {ggf}; --resume goes on from there"));
        }
    }

    /// The players' names, as far as known.
    pub fn names(&self) -> &[String; 2] {
        &self.names
    }

    fn learn_names(&mut self, game: &GameRecord) {
        self.names = game.players().map(str::to_string);
    }

    fn say(&self, line: &str) {
        self.bar.suspend(|| tell!("{line}"));
    }
}

/// What is left, from seconds.
fn left_text(seconds: f64) -> String {
    if seconds <= LONGEST_ESTIMATE { clock_text(seconds) } else { "?".to_string() }
}

/// A player has lost for a move that did not come, for which --timeout gives more time: what else it is asked has a limit of its own.
fn is_slow_move(kind: FailureKind, detail: &str) -> bool {
    // ours, those of GTP and those of NBoard
    let requests = ["no move within ", "no answer to 'genmove ", "no answer to 'go'"];
    kind == FailureKind::Hang && requests.iter().any(|request| detail.starts_with(request))
}

/// The state of a match in a few words.
fn short(statistics: &Statistics, sprt: Option<Sprt>) -> String {
    let (wins, draws, losses) = statistics.wins_draws_losses();
    let mut text = format!("+{wins} ={draws} -{losses}");
    if statistics.distinct_games() < statistics.games() {
        text += &format!(" ({} different)", statistics.distinct_games());
    }
    if let Some(elo) = statistics.pairs().elo() {
        text += &format!("  Elo {} +- {:.1}", signed(elo.value, 1), elo.error());
    }
    if let Some(sprt) = sprt {
        let (lower, upper) = sprt.bounds();
        text += &format!("  LLR {} ({lower:.2}, {upper:.2})", llr_text(sprt.llr(statistics.pairs())));
    }
    text
}

/// A log-likelihood ratio.
fn llr_text(llr: f64) -> String {
    signed(llr, 2).trim_start_matches('+').to_string()
}

/// A number with its sign; nothing is no less than nothing.
pub fn signed(value: f64, decimals: usize) -> String {
    let text = format!("{value:+.decimals$}");
    let is_zero = text.bytes().all(|byte| matches!(byte, b'-' | b'0' | b'.'));
    if is_zero { text.replace('-', "+") } else { text }
}

/// An Elo difference, and the ends of its interval.
fn elo_texts(elo: &Elo) -> [String; 3] {
    [elo.value, elo.low, elo.high].map(|value| signed(value, 1))
}

/// A probability in percent; certainty is not to be had.
fn percent_text(probability: f64) -> String {
    match 100.0 * probability {
        percent if percent > 99.9 => "> 99.9 %".to_string(),
        percent if percent < 0.1 => "< 0.1 %".to_string(),
        percent => format!("{percent:.1} %"),
    }
}

/// What a test has decided.
fn verdict_text(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::H1) => "H1 accepted",
        Some(Verdict::H0) => "H0 accepted",
        None => "undecided",
    }
}

/// Everything the result is made of.
pub struct Summary<'a> {
    /// What was played.
    pub plan: &'a Plan,
    /// How it came out.
    pub outcome: &'a Outcome,
    /// The players' names.
    pub names: &'a [String; 2],
    /// How long this session took.
    pub seconds: Duration,
    /// Where the games are.
    pub files: [&'a Path; 2],
}

const INDICES: [PlayerIndex; 2] = [PlayerIndex::First, PlayerIndex::Second];

/// Writes the result for people.
pub fn write_table(out: &mut impl Write, summary: &Summary<'_>) -> io::Result<()> {
    let statistics = &summary.outcome.statistics;
    let [first, second] = summary.names;
    let (wins, draws, losses) = statistics.wins_draws_losses();
    let games = statistics.games();
    write!(out, "{first} - {second}: {}", plural(games, "game"))?;
    writeln!(out, "{}", if summary.outcome.interrupted { ", interrupted" } else { "" })?;
    if let Some(score) = statistics.score() {
        // halves are exact
        let [points, other] = [wins, losses].map(|whole| whole as f64 + draws as f64 / 2.0);
        let percent = 100.0 * score;
        writeln!(out, "score  {points} - {other} ({percent:.1} %): {wins} won, {draws} drawn, {losses} lost")?;
    }
    if statistics.distinct_games() < games {
        let distinct = statistics.distinct_games();
        let pairs = statistics.repeated_pairs();
        let pairs = counted(pairs, "pair with repeated games does", "pairs with repeated games do");
        writeln!(out, "games  only {distinct} are different; {pairs} not count below")?;
    }
    if let Some(elo) = statistics.pairs().elo() {
        let los = percent_text(likelihood_of_superiority(statistics.pairs()).unwrap_or(0.5));
        let [value, low, high] = elo_texts(&elo);
        writeln!(out, "Elo    {value} (95 %: {low} to {high}), better with probability {los}")?;
        let counts = statistics.pairs().counts();
        writeln!(out, "pairs  {counts:?} with 0, 1/2, 1, 3/2, 2 points")?;
    }
    if let (Some(mean), error) = (statistics.discs().mean(), statistics.discs().error()) {
        let error = error.map_or_else(String::new, |error| format!(" +- {error:.2} (95 %)"));
        let (mean, pairs) = (signed(mean, 2), plural(statistics.discs().count(), "pair"));
        writeln!(out, "discs  {mean}{error} a game, over {pairs} played out")?;
    }
    if let Some(sprt) = &summary.plan.sprt {
        let ((elo0, elo1), (lower, upper)) = (sprt.elo_bounds(), sprt.bounds());
        let verdict = verdict_text(summary.outcome.verdict);
        let llr = llr_text(sprt.llr(statistics.pairs()));
        writeln!(out, "SPRT   [{elo0}, {elo1}]: LLR {llr} ({lower:.2}, {upper:.2}), {verdict}")?;
    }
    write_players(out, summary)?;
    let more = if summary.outcome.interrupted { "; --resume goes on" } else { "" };
    writeln!(out, "files  {} and {}{more}", summary.files[0].display(), summary.files[1].display())
}

/// Writes the result as a table in Markdown.
pub fn write_markdown(out: &mut impl Write, summary: &Summary<'_>) -> io::Result<()> {
    let statistics = &summary.outcome.statistics;
    let (wins, draws, losses) = statistics.wins_draws_losses();
    let [first, second] = summary.names;
    let end = if summary.outcome.interrupted { " (interrupted)" } else { "" };
    let [first, second] = [first, second].map(|name| markdown::cell(name));
    let games = plural(statistics.games(), "game");
    let clock = match summary.plan.context.control {
        TimeControl::None => String::new(),
        TimeControl::PerMove(_) => format!(", {}", summary.plan.context.control),
        control => format!(", clock {control}"),
    };
    writeln!(out, "**{first} - {second}**, {games}{end}{clock}\n")?;
    writeln!(out, "| | |\n|---|---|")?;
    writeln!(out, "| won, drawn, lost | {wins}, {draws}, {losses} |")?;
    if let Some(elo) = statistics.pairs().elo() {
        let [value, low, high] = elo_texts(&elo);
        let los = percent_text(likelihood_of_superiority(statistics.pairs()).unwrap_or(0.5));
        writeln!(out, "| Elo (95 %) | {value} ({low} to {high}) |\n| better with probability | {los} |")?;
        writeln!(out, "| pairs with 0, 1/2, 1, 3/2, 2 points | {:?} |", statistics.pairs().counts())?;
    }
    if let Some(mean) = statistics.discs().mean() {
        let error = statistics.discs().error().map_or_else(String::new, |error| format!(" +- {error:.2}"));
        writeln!(out, "| discs a game (95 %) | {}{error} |", signed(mean, 2))?;
    }
    if let Some(sprt) = &summary.plan.sprt {
        let verdict = verdict_text(summary.outcome.verdict);
        let ((elo0, elo1), llr) = (sprt.elo_bounds(), llr_text(sprt.llr(statistics.pairs())));
        writeln!(out, "| SPRT [{elo0}, {elo1}] | LLR {llr}, {verdict} |")?;
    }
    if statistics.distinct_games() < statistics.games() {
        writeln!(out, "| different games | {} |", statistics.distinct_games())?;
    }
    for (name, index) in [(first, PlayerIndex::First), (second, PlayerIndex::Second)] {
        let forfeits = forfeits_text(statistics.player(index));
        if !forfeits.is_empty() {
            writeln!(out, "| {name} lost off the board | {forfeits} |")?;
        }
    }
    Ok(())
}

fn write_players(out: &mut impl Write, summary: &Summary<'_>) -> io::Result<()> {
    let width = summary.names.iter().map(|name| name.width()).max().unwrap_or(0).max(6);
    writeln!(out, "{:width$}  time/move   longest  depth  nodes/move   nodes/s  lost off the board", "player")?;
    for (name, index) in summary.names.iter().zip(INDICES) {
        let player = summary.outcome.statistics.player(index);
        let time = |value: Option<f64>| value.map_or("-".to_string(), time_text);
        let depth = player.depth.mean().map_or("-".to_string(), |depth| format!("{depth:.1}"));
        let nodes = player.nodes.mean().map_or("-".to_string(), si);
        let rate = node_rate(&player.nodes, player.node_seconds).map_or("-".to_string(), si);
        let forfeits = Some(forfeits_text(player)).filter(|text| !text.is_empty()).unwrap_or("-".to_string());
        writeln!(
            out,
            "{} {:>10} {:>9} {depth:>6} {nodes:>11} {rate:>9}  {forfeits}",
            padded(name, width),
            time(player.seconds.mean()),
            time(player.seconds.max())
        )?;
    }
    Ok(())
}

/// Games lost off the board by reason; nothing where there are none.
fn forfeits_text(player: &PlayerStatistics) -> String {
    let counts: Vec<String> = player.forfeits.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    counts.join(", ")
}

fn node_rate(nodes: &Mean, seconds: f64) -> Option<f64> {
    nodes.mean().filter(|_| seconds > 1e-3).map(|mean| mean * nodes.count() as f64 / seconds)
}

fn time_text(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.0} us", 1e6 * s),
        s if s < 1.0 => format!("{:.1} ms", 1e3 * s),
        s => format!("{s:.2} s"),
    }
}

/// A number with three digits and a factor.
fn si(value: f64) -> String {
    [(1e9, "G"), (1e6, "M"), (1e3, "k")]
        .into_iter()
        .find(|(factor, _)| value >= *factor)
        .map_or_else(|| format!("{value:.0}"), |(factor, letter)| format!("{:.2} {letter}", value / factor))
}

/// The result of a match. (Members of these objects are in the order of their names.)
#[derive(Serialize)]
struct SummaryJson<'a> {
    discs: DiscsJson,
    /// Games that are not the same as others, move by move.
    distinct_games: u64,
    draws: u64,
    elo: Option<EloJson>,
    files: [String; 2],
    games: u64,
    interrupted: bool,
    /// Probability that the first player is the better one.
    los: Option<f64>,
    losses: u64,
    /// Pairs in which the first player has 0, 1/2, 1, 3/2 and 2 points.
    pairs: [u64; 5],
    players: [PlayerJson<'a>; 2],
    /// Pairs with games that do not count.
    repeated_pairs: u64,
    /// Points of the first player, a share of the games.
    score: Option<f64>,
    /// How long this session took.
    seconds: f64,
    sprt: Option<SprtJson>,
    wins: u64,
}

/// Discs by which the first player wins a game, over pairs that were played out.
#[derive(Serialize)]
struct DiscsJson {
    /// Half the interval of 95 %.
    error: Option<f64>,
    mean: Option<f64>,
    pairs: u64,
}

/// Elo of the first player, with the interval of 95 %.
#[derive(Serialize)]
struct EloJson {
    high: f64,
    low: f64,
    value: f64,
}

/// The test.
#[derive(Serialize)]
struct SprtJson {
    elo0: f64,
    elo1: f64,
    llr: f64,
    lower: f64,
    upper: f64,
    /// None while it is undecided.
    verdict: Option<Verdict>,
}

/// A player; means are over the moves of which the player tells.
#[derive(Serialize)]
struct PlayerJson<'a> {
    depth: Option<f64>,
    /// Games lost off the board, by reason.
    forfeits: &'a BTreeMap<&'static str, u64>,
    longest_move_seconds: Option<f64>,
    moves: u64,
    name: &'a str,
    nodes_per_move: Option<f64>,
    nodes_per_second: Option<f64>,
    /// As on the command line.
    player: &'a str,
    seconds_per_move: Option<f64>,
}

/// Writes the result as one JSON object.
pub fn write_json(out: &mut impl Write, summary: &Summary<'_>) -> io::Result<()> {
    let statistics = &summary.outcome.statistics;
    let (wins, draws, losses) = statistics.wins_draws_losses();
    let discs = statistics.discs();
    let found = SummaryJson {
        discs: DiscsJson { error: discs.error(), mean: discs.mean(), pairs: discs.count() },
        distinct_games: statistics.distinct_games(),
        draws,
        elo: statistics.pairs().elo().map(|Elo { value, low, high }| EloJson { high, low, value }),
        files: summary.files.map(|path| path.display().to_string()),
        games: statistics.games(),
        interrupted: summary.outcome.interrupted,
        los: likelihood_of_superiority(statistics.pairs()),
        losses,
        pairs: statistics.pairs().counts(),
        players: [0, 1].map(|index| player_json(summary, index)),
        repeated_pairs: statistics.repeated_pairs(),
        score: statistics.score(),
        seconds: summary.seconds.as_secs_f64(),
        sprt: summary.plan.sprt.as_ref().map(|sprt| sprt_json(summary, sprt)),
        wins,
    };
    writeln!(out, "{}", json_line(&found))
}

fn sprt_json(summary: &Summary<'_>, sprt: &Sprt) -> SprtJson {
    let ((elo0, elo1), (lower, upper)) = (sprt.elo_bounds(), sprt.bounds());
    let llr = sprt.llr(summary.outcome.statistics.pairs());
    SprtJson { elo0, elo1, llr, lower, upper, verdict: summary.outcome.verdict }
}

fn player_json<'a>(summary: &Summary<'a>, index: usize) -> PlayerJson<'a> {
    let player = summary.outcome.statistics.player(INDICES[index]);
    PlayerJson {
        depth: player.depth.mean(),
        forfeits: &player.forfeits,
        longest_move_seconds: player.seconds.max(),
        moves: player.seconds.count(),
        name: &summary.names[index],
        nodes_per_move: player.nodes.mean(),
        nodes_per_second: node_rate(&player.nodes, player.node_seconds),
        player: &summary.plan.players[index].text,
        seconds_per_move: player.seconds.mean(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_time_is_for_moves() {
        for detail in
            ["no move within 60.0 s", "no answer to 'genmove black' within 60.0 s", "no answer to 'go' within 60.0 s"]
        {
            assert!(is_slow_move(FailureKind::Hang, detail) && !is_slow_move(FailureKind::Time, detail));
        }
        for detail in ["no answer to 'ping' within 30.0 s", "does not read its input: 'genmove black'"] {
            assert!(!is_slow_move(FailureKind::Hang, detail), "{detail}");
        }
    }

    #[test]
    fn figures() {
        let numbers =
            [(-0.04, "+0.0"), (0.0, "+0.0"), (-0.0, "+0.0"), (-0.06, "-0.1"), (-100.0, "-100.0"), (20.04, "+20.0")];
        for (value, text) in numbers {
            assert_eq!(signed(value, 1), text);
        }
        for (probability, text) in [(1.0, "> 99.9 %"), (0.999, "99.9 %"), (0.5, "50.0 %"), (0.0004, "< 0.1 %")] {
            assert_eq!(percent_text(probability), text);
        }
        let mut nodes = Mean::default();
        [100.0, 300.0].iter().for_each(|&count| nodes.add(count));
        assert_eq!((node_rate(&nodes, 0.5), node_rate(&nodes, 0.0)), (Some(800.0), None));
        let test = Sprt::new(0.0, 5.0, 0.05, 0.05).unwrap();
        let text = short(&Statistics::new(), Some(test));
        assert_eq!(text, "+0 =0 -0  LLR 0.00 (-2.94, 2.94)");
        let ratios = [-0.004, -0.0, 0.004, -0.006, 2.951];
        assert_eq!(ratios.map(llr_text), ["0.00", "0.00", "0.00", "-0.01", "2.95"]);
    }

    #[test]
    fn time_left() {
        for (seconds, text) in [(0.4, "0:00"), (61.0, "1:01"), (35_999.6, "10:00:00"), (3e6, "?"), (f64::INFINITY, "?")]
        {
            assert_eq!(left_text(seconds), text);
        }
    }
}
