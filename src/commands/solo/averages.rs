//! `outflank solo --bench`: averages over seeded deals.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use clap::ValueEnum;
use outflank::search::StopToken;
use outflank::solo::{Advisor, Greedy, Layouts, Player, Random, Scoring, Summary, Tally, play_until_stopped};
use rayon::prelude::*;
use serde_json::{Value, json};

use super::{SoloArguments, budget_text};
use crate::commands::error::{Error, Outcome, Status};
use crate::commands::interrupt;
use crate::commands::live::Live;
use crate::commands::thread_pool;

/// A player of the bench.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Kind {
    /// The advisor, given its budget for each turn.
    Advisor,
    /// Wins as many chips as it can this turn, then turns up as many as it can.
    Greedy,
    /// Any legal turn.
    Random,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Kind::Advisor => "advisor",
            Kind::Greedy => "greedy",
            Kind::Random => "random",
        }
    }

    /// The player of one deal.
    fn player(self, arguments: &SoloArguments, seed: u64, stop: &StopToken) -> Box<dyn Player> {
        match self {
            Kind::Advisor => {
                Box::new(Advisor::new(arguments.scoring(), arguments.budget, seed).with_stop(stop.clone()))
            }
            Kind::Greedy => Box::new(Greedy::new(seed)),
            Kind::Random => Box::new(Random::new(seed)),
        }
    }
}

/// What one player came to.
struct Row {
    kind: Kind,
    tally: Tally,
    /// Sum of the times of its games.
    time: Duration,
}

/// Plays the deals and prints the averages.
pub fn run(arguments: &SoloArguments, deals: u64) -> Outcome {
    let first = arguments.seed.unwrap_or(1);
    let last = first
        .checked_add(deals - 1)
        .ok_or_else(|| Error::input(format!("--seed {first}: seeds end at {}", u64::MAX)))?;
    let pool = thread_pool(arguments.threads)?;
    let stop = interrupt::stop_token();
    let mut rows = Vec::new();
    for kind in &arguments.players {
        rows.push(pool.install(|| play(*kind, arguments, first..=last, &stop)));
        if stop.is_stopped() {
            break;
        }
    }
    let interrupted = stop.is_stopped();
    if arguments.json {
        writeln!(io::stdout(), "{}", to_json(arguments, first, &rows, interrupted))?;
    } else {
        write!(io::stdout(), "{}", to_text(arguments, first, &rows, interrupted))?;
    }
    Ok(if interrupted { Status::Interrupted } else { Status::Success })
}

/// Plays all deals with one player; those not ended when Ctrl-C comes are left out.
fn play(kind: Kind, arguments: &SoloArguments, seeds: std::ops::RangeInclusive<u64>, stop: &StopToken) -> Row {
    let live = Live::bar(seeds.end() - seeds.start() + 1);
    let done = AtomicU64::new(0);
    let games: Vec<_> = seeds
        .into_par_iter()
        // not a filter, which would still look at each of the seeds that are left
        .take_any_while(|_| !stop.is_stopped())
        .filter_map(|seed| {
            let start = Instant::now();
            let mut player = kind.player(arguments, seed, stop);
            let (game, _) = play_until_stopped(arguments.layout.deal(seed), player.as_mut(), stop)?;
            live.position(done.fetch_add(1, Ordering::Relaxed) + 1);
            Some((game.view().score(), game.moves().len(), start.elapsed()))
        })
        .collect();
    live.finish();
    let mut row = Row { kind, tally: Tally::default(), time: Duration::ZERO };
    for (score, turns, time) in games {
        row.tally.add(score, turns);
        row.time += time;
    }
    row
}

fn layout_text(layouts: Layouts) -> String {
    match layouts {
        Layouts::Fixed(layout) => layout.name().map_or_else(|| layout.to_string(), str::to_string),
        Layouts::Random => "random".to_string(),
    }
}

fn to_text(arguments: &SoloArguments, first: u64, rows: &[Row], interrupted: bool) -> String {
    let mut text = format!(
        "deals from seed {first}, layout {}{}{}\n\n",
        layout_text(arguments.layout),
        // nobody else has a budget
        if arguments.players.contains(&Kind::Advisor) {
            format!("; advisor: {} a turn, for {}", budget_text(arguments.budget), arguments.scoring().name())
        } else {
            String::new()
        },
        if interrupted { "; interrupted" } else { "" }
    );
    let wide = rows.iter().map(|row| row.tally.games.to_string().len()).max().unwrap_or(0).max(5);
    text += &format!(
        "player   {:>wide$} |  chips  (s.e.)  worst best  perfect | points  (s.e.)  worst best  perfect | turns  s/game\n",
        "deals"
    );
    for row in rows {
        let games = row.tally.games.max(1) as f64;
        let cells = |scoring, width| match row.tally.summary(scoring) {
            None => "no game finished".to_string(),
            Some(Summary { mean, standard_error, best, worst, perfect }) => {
                let share = 100.0 * perfect as f64 / games;
                let error = standard_error.map_or("-".to_string(), |error| format!("{error:.3}"));
                format!("{mean:>6.width$} {error:>7} {worst:>6} {best:>4} {share:>6.1} %")
            }
        };
        text += &format!(
            "{:<8} {:>wide$} | {} | {} | {:>5.1} {:>7.3}\n",
            row.kind.name(),
            row.tally.games,
            cells(Scoring::Count, 3),
            cells(Scoring::Points, 2),
            row.tally.turns as f64 / games,
            row.time.as_secs_f64() / games
        );
    }
    text
}

fn to_json(arguments: &SoloArguments, first: u64, rows: &[Row], interrupted: bool) -> Value {
    let summary = |row: &Row, scoring| match row.tally.summary(scoring) {
        None => Value::Null,
        Some(Summary { mean, standard_error, best, worst, perfect }) => {
            json!({"mean": mean, "standard_error": standard_error, "best": best, "worst": worst, "perfect": perfect})
        }
    };
    let players: Vec<Value> = rows
        .iter()
        .map(|row| {
            let games = row.tally.games.max(1) as f64;
            json!({
                "player": row.kind.name(),
                "deals": row.tally.games,
                "chips": summary(row, Scoring::Count),
                "points": summary(row, Scoring::Points),
                "turns": row.tally.turns as f64 / games,
                "seconds": row.time.as_secs_f64() / games,
            })
        })
        .collect();
    json!({
        "first_seed": first,
        "layout": layout_text(arguments.layout),
        "scoring": arguments.scoring().name(),
        "budget": budget_text(arguments.budget),
        "complete": !interrupted,
        "players": players,
    })
}

/// Fits the evaluation and prints `src/solo/weights.rs`.
pub fn fit(games: u64, seed: u64) -> Outcome {
    let live = Live::bar(games);
    let (mut tally, every) = (Tally::default(), (games / 10).max(1));
    let model = outflank::solo::fit(games, seed, |game, score| {
        live.position(game + 1);
        tally.add(score, 0);
        if (game + 1) % every == 0 {
            let Summary { mean, perfect, .. } = tally.summary(Scoring::Count).expect("games were added");
            let share = 100.0 * perfect as f64 / every as f64;
            live.suspend(|| tell!("{:>8} games: {mean:.3} chips, {share:.1} % perfect", game + 1));
            tally = Tally::default();
        }
    });
    live.finish();
    write!(io::stdout(), "{}", model.source(&format!("outflank solo --fit {games} --seed {seed}")))?;
    Ok(Status::Success)
}
