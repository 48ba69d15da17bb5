//! A match of more than two players: everybody against everybody, or one against all others; one table at the end.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use outflank::analysis::report::markdown;
use outflank::formats::quantity::plural;
use outflank::tournament::{PlayerSpec, Rating, Reasons, Statistics, ratings};
use serde::Serialize;

use super::error::{Outcome, Status};
use super::match_::{Loaded, MatchArguments, Played, check_match, openings, play_match, saved_of};
use super::match_report::signed;
use super::output::{Screen, json_line, write_table};

/// Two players and what they have played.
struct Pairing {
    players: [usize; 2],
    statistics: Statistics,
    files: [PathBuf; 2],
}

/// The whole field.
struct Field {
    names: Vec<String>,
    pairings: Vec<Pairing>,
    interrupted: bool,
    gauntlet: bool,
}

/// Plays all pairings, one after the other, each with games side by side.
pub fn run(arguments: &MatchArguments, reasons: &mut Option<Reasons>) -> Outcome {
    let specs: Vec<&PlayerSpec> = arguments.players().collect();
    let openings = openings(arguments)?;
    let players = specs.iter().map(|spec| Loaded::new(spec)).collect::<Result<Vec<_>, _>>()?;
    let names = specs.iter().map(|spec| spec.name.clone().unwrap_or_else(|| spec.text.clone())).collect();
    let pairs: Vec<[usize; 2]> = pairs(arguments).collect();
    let mut field = Field { names, pairings: Vec::new(), interrupted: false, gauntlet: arguments.gauntlet };
    let mut screen = Screen::new(true);
    let stop = screen.stop_token();
    // what is wrong with the last player is better known before the first has played for hours
    let mut started = HashSet::new();
    for &pair in &pairs {
        let output = numbered(&arguments.output, pair);
        let two = pair.map(|player| &players[player]);
        check_match(arguments, two, &openings, &output, stop.clone(), &mut started)?;
    }
    let mut error = None;
    for (number, &pair) in pairs.iter().enumerate() {
        let [one, other] = pair;
        if io::stderr().is_terminal() {
            tell!("match {} of {}: {} - {}", number + 1, pairs.len(), field.names[one], field.names[other]);
        }
        let output = numbered(&arguments.output, pair);
        let two = pair.map(|player| &players[player]);
        let Played { outcome, names, files, .. } =
            match play_match(arguments, two, openings.clone(), &output, stop.clone(), reasons) {
                Ok(played) => played,
                Err(problem) => {
                    field.interrupted = true;
                    error = Some(problem);
                    break;
                }
            };
        field.add(&specs, names, Pairing { players: pair, statistics: outcome.statistics, files });
        if outcome.interrupted {
            field.interrupted = true;
            break;
        }
    }
    // the games that are saved are worth a table, also those of matches that were not come to
    for &pair in &pairs[field.pairings.len()..] {
        let (two, output) = (pair.map(|player| &players[player]), numbered(&arguments.output, pair));
        if let Some((statistics, names, files)) = saved_of(arguments, two, &openings.1, &output) {
            field.add(&specs, names, Pairing { players: pair, statistics, files });
        }
    }
    field.tell_apart();
    if error.is_none() || !field.pairings.is_empty() {
        screen.write(|out| match arguments.json {
            true => field.write_json(out),
            false => field.write_table(out, arguments.markdown),
        })?;
    }
    if let Some(error) = error {
        return Err(error);
    }
    screen.finish()?;
    Ok(if field.interrupted { Status::Interrupted } else { Status::Success })
}

/// The players of each match, counted from 0.
pub fn pairs(arguments: &MatchArguments) -> impl Iterator<Item = [usize; 2]> {
    let (players, gauntlet) = (2 + arguments.more.len(), arguments.gauntlet);
    let all = (0..players).flat_map(move |one| (one + 1..players).map(move |other| [one, other]));
    all.filter(move |pair| pair[0] == 0 || !gauntlet)
}

/// `games` to `games-2-3` for the second and the third player.
pub fn numbered(output: &Path, [one, other]: [usize; 2]) -> PathBuf {
    let mut name = OsString::from(output);
    name.push(format!("-{}-{}", one + 1, other + 1));
    name.into()
}

impl Field {
    /// Adds what two players have played, who were called so.
    fn add(&mut self, specs: &[&PlayerSpec], names: [String; 2], pairing: Pairing) {
        for (player, name) in pairing.players.into_iter().zip(names) {
            // programs say what they are called; of two of the same name the second keeps that of the command line
            let taken = self.names.iter().enumerate().any(|(other, known)| other != player && *known == name);
            if specs[player].name.is_none() && !taken && !name.contains(" #") {
                self.names[player] = name;
            }
        }
        self.pairings.push(pairing);
    }

    /// Players of the same name are told apart by their places on the command line, which the names of the files have, too.
    fn tell_apart(&mut self) {
        let names = self.names.clone();
        for (place, name) in self.names.iter_mut().enumerate() {
            if names.iter().filter(|other| *other == name).count() > 1 {
                *name += &format!(" #{}", place + 1);
            }
        }
    }

    /// Rating, games and points of each player, the best first; who has no rating last.
    fn rows(&self) -> Vec<(usize, Option<Rating>, u64, f64)> {
        let differences = |pairing: &Pairing| {
            let [one, other] = pairing.players;
            Some((one, other, pairing.statistics.pairs().elo()?))
        };
        let differences: Vec<_> = self.pairings.iter().filter_map(differences).collect();
        let rated = ratings(self.names.len(), &differences);
        let mut rows: Vec<_> = (0..self.names.len())
            .map(|player| {
                let games = |pairing: &&Pairing| pairing.players.contains(&player);
                let games = self.pairings.iter().filter(games).map(|pairing| pairing.statistics.games()).sum();
                let points = (0..self.names.len()).filter_map(|other| self.points(player, other));
                // the sum of no numbers would be -0
                let points = points.fold(0.0, |sum, points| sum + points);
                (player, rated[player], games, points)
            })
            .collect();
        let value = |rating: Option<Rating>| rating.map_or(f64::NEG_INFINITY, |rating| rating.value);
        rows.sort_by(|one, other| value(other.1).total_cmp(&value(one.1)));
        rows
    }

    /// What a player has won of another.
    fn points(&self, player: usize, other: usize) -> Option<f64> {
        self.pairings.iter().find_map(|pairing| {
            let (wins, draws, losses) = pairing.statistics.wins_draws_losses();
            let points = |wins: u64| wins as f64 + draws as f64 / 2.0;
            match pairing.players {
                _ if pairing.statistics.games() == 0 => None,
                players if players == [player, other] => Some(points(wins)),
                players if players == [other, player] => Some(points(losses)),
                _ => None,
            }
        })
    }

    fn write_table(&self, out: &mut impl Write, markdown: bool) -> io::Result<()> {
        let games: u64 = self.pairings.iter().map(|pairing| pairing.statistics.games()).sum();
        let kind = if self.gauntlet { "gauntlet" } else { "round robin" };
        let end = if self.interrupted { ", interrupted; --resume goes on" } else { "" };
        writeln!(out, "{} players, {kind}: {}{end}\n", self.names.len(), plural(games, "game"))?;
        let mut lines: Vec<Vec<String>> = Vec::new();
        let mut header: Vec<String> =
            ["#", "player", "Elo", "95 %", "games", "points", "score"].map(String::from).into();
        let rows = self.rows();
        header.extend((1..=rows.len()).map(|place| place.to_string()));
        lines.push(header);
        for (place, (player, rating, games, points)) in rows.iter().enumerate() {
            let elo = rating.map_or("-".to_string(), |rating| signed(rating.value, 1));
            let error = rating.map_or("-".to_string(), |rating| format!("+- {:.1}", rating.error));
            let score = if *games == 0 { "-".to_string() } else { format!("{:.1} %", 100.0 * points / *games as f64) };
            let name = &self.names[*player];
            let name = if markdown { markdown::cell(name) } else { name.clone() };
            let mut line = vec![(place + 1).to_string(), name, elo, error];
            line.extend([games.to_string(), points.to_string(), score]);
            let against = rows.iter().map(|(other, ..)| self.points(*player, *other));
            line.extend(against.map(|points| points.map_or("-".to_string(), |points| points.to_string())));
            lines.push(line);
        }
        write_table(out, &lines, markdown)?;
        let counted = |pairing: &Pairing| pairing.statistics.distinct_games() < pairing.statistics.games();
        if self.pairings.iter().any(counted) {
            writeln!(out, "\nSome games are the same as others; the pairs with them do not count for Elo.")?;
        }
        Ok(())
    }

    fn write_json(&self, out: &mut impl Write) -> io::Result<()> {
        let player = |(player, rating, games, points): (usize, Option<Rating>, u64, f64)| PlayerJson {
            elo: rating.map(|rating| rating.value),
            error: rating.map(|rating| rating.error),
            games,
            name: &self.names[player],
            points,
        };
        let pairing = |Pairing { players, statistics, files }: &Pairing| {
            let (wins, draws, losses) = statistics.wins_draws_losses();
            PairingJson {
                distinct_games: statistics.distinct_games(),
                draws,
                files: files.each_ref().map(|path| path.display().to_string()),
                games: statistics.games(),
                losses,
                players: players.map(|player| self.names[player].clone()),
                wins,
            }
        };
        let found = FieldJson {
            interrupted: self.interrupted,
            kind: if self.gauntlet { "gauntlet" } else { "round robin" },
            matches: self.pairings.iter().map(pairing).collect(),
            players: self.rows().into_iter().map(player).collect(),
        };
        writeln!(out, "{}", json_line(&found))
    }
}

/// The whole field. (Members of these objects are in the order of their names.)
#[derive(Serialize)]
struct FieldJson<'a> {
    interrupted: bool,
    kind: &'static str,
    matches: Vec<PairingJson>,
    /// The best first.
    players: Vec<PlayerJson<'a>>,
}

/// A player of a field.
#[derive(Serialize)]
struct PlayerJson<'a> {
    /// None where nothing can be said.
    elo: Option<f64>,
    /// Half the interval of 95 %.
    error: Option<f64>,
    games: u64,
    name: &'a str,
    points: f64,
}

/// What two players have played, seen by the first.
#[derive(Serialize)]
struct PairingJson {
    distinct_games: u64,
    draws: u64,
    files: [String; 2],
    games: u64,
    losses: u64,
    players: [String; 2],
    wins: u64,
}
