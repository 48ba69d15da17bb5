//! `outflank games players`.

use std::io::{self, Write};

use clap::Args;
use outflank::analysis::games::{Standing, Standings};
use outflank::analysis::report::markdown;
use serde::Serialize;

use super::InputOptions;
use super::read::each_game;
use crate::commands::error::Outcome;
use crate::commands::interrupt;
use crate::commands::match_report::signed;
use crate::commands::options::whole;
use crate::commands::output::{json_line, write_table};

/// Arguments of `games players`.
#[derive(Args)]
#[command(after_help = "\
A win is a point, a draw half a point; discs are the mean score of a game, empty squares to the winner. Players of equal points
are in the order of their discs. Games without a result count as games only, and players without a name not at all.

Examples:
  outflank games players round1.pgn round2.pgn --cross --markdown
  outflank games players wthor/WTH_2024.wtb --count 20
  outflank games filter wthor/ --event 'world' --to pgn | outflank games players -")]
pub struct PlayersArguments {
    /// No more players than these
    #[arg(short, long, value_name = "N", value_parser = whole::<usize>(1..=usize::MAX))]
    count: Option<usize>,

    /// The points of each player against each other one, too
    #[arg(short = 'x', long)]
    cross: bool,

    /// Print the table in Markdown, to be pasted
    #[arg(long, conflicts_with = "json")]
    markdown: bool,

    /// One JSON object, with the opponents of every player
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    input: InputOptions,
}

/// The table, for scripts.
#[derive(Serialize)]
struct PlayersJson<'a> {
    games: u64,
    players: &'a [Standing],
    /// False when Ctrl-C ended it before the last game.
    complete: bool,
}

/// Runs `games players`.
pub fn run(arguments: &PlayersArguments) -> Outcome {
    let stop = interrupt::stop_token();
    let mut standings = Standings::default();
    let InputOptions { inputs, rules } = &arguments.input;
    let count = each_game(inputs, &rules.rules, &stop, |record, _, _| {
        standings.add(&record);
        Ok(())
    })?;
    let mut players = standings.table();
    let all = players.len();
    players.truncate(arguments.count.unwrap_or(all));
    let mut out = io::stdout().lock();
    if arguments.json {
        let table = PlayersJson { games: count.games, players: &players, complete: !count.interrupted };
        writeln!(out, "{}", json_line(&table))?;
        return Ok(count.status());
    }
    if !players.is_empty() {
        write_table(&mut out, &lines(&players, arguments.cross, arguments.markdown), arguments.markdown)?;
    }
    if count.games > 0 && all == 0 {
        tell!("outflank: no player of these games has a name");
    }
    if count.interrupted {
        writeln!(out, "interrupted after {} games", count.games)?;
    }
    Ok(count.status())
}

/// The table, for people: with the points against each other in columns of the same numbers.
fn lines(players: &[Standing], cross: bool, markdown: bool) -> Vec<Vec<String>> {
    let met = if cross { players } else { &[] };
    let header = ["#", "player", "games", "won", "drawn", "lost", "points", "%", "discs"].map(String::from);
    let mut lines = vec![header.into_iter().chain((1..=met.len()).map(|place| place.to_string())).collect()];
    for (at, player) in players.iter().enumerate() {
        let Standing { name, games, wins, draws, losses, points, percent, mean, opponents } = player;
        let name = if markdown { markdown::cell(name) } else { name.clone() };
        let mut line = vec![(at + 1).to_string(), name];
        line.extend([games, wins, draws, losses].map(u64::to_string));
        line.push(points.to_string());
        line.push(percent.map_or("-".to_string(), |percent| format!("{percent:.1} %")));
        line.push(mean.map_or("-".to_string(), |mean| signed(mean, 2)));
        let against = |other: &Standing| opponents.iter().find(|opponent| opponent.name == other.name);
        line.extend(met.iter().map(|other| against(other).map_or("-".to_string(), |one| one.points.to_string())));
        lines.push(line);
    }
    lines
}
