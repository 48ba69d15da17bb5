//! Matches for tests: through the library, and through the command.

// each test file uses a part
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use outflank::rules::{Position, RuleSet};
use outflank::search::StopToken;
use outflank::tournament::{
    Ending, FailureKind, Finished, GameRecord, Outcome, Plan, PlayerContext, PlayerIndex, PlayerSpec, Referee,
    TimeControl, random_openings, run,
};

/// A player text for a fake engine.
pub fn fake(protocol: &str, mode: &str) -> String {
    let program = std::env::current_exe().expect("this test binary");
    format!("{protocol}:env FAKE={mode} '{}' --exact fake_{protocol} --ignored --nocapture", program.display())
}

pub fn plan(first: &str, second: &str, pairs: usize) -> Plan {
    let rules = Arc::new(RuleSet::othello());
    Plan {
        players: [first, second].map(|text| text.parse::<PlayerSpec>().unwrap()),
        context: PlayerContext {
            stop: StopToken::new(),
            goal: None,
            nodes: None,
            control: TimeControl::None,
            patience: Duration::from_secs(20),
        },
        referee: Referee {
            start: Position::start(rules.clone()),
            control: TimeControl::None,
            grace: Duration::from_millis(100),
            patience: Duration::from_secs(20),
        },
        openings: random_openings(&rules, 6, pairs, 1).unwrap(),
        jobs: 2,
        sprt: None,
        seed: 1,
    }
}

pub fn timed(mut plan: Plan, control: TimeControl) -> Plan {
    plan.context.control = control;
    plan.referee.control = control;
    plan
}

/// Plays a match and returns its games by pair and leg.
pub fn play(plan: &Plan) -> (Outcome, BTreeMap<(usize, u8), GameRecord>) {
    let mut games = BTreeMap::new();
    let outcome = run::<Infallible>(plan, &Finished::new(), &mut |game, _| {
        assert!(games.insert((game.pair, game.leg), game.clone()).is_none(), "played twice");
        Ok(())
    });
    (outcome.unwrap_or_else(|error| panic!("{error}")), games)
}

/// Every game must be lost by the second player in this way; returns the details.
pub fn lost_by(plan: &Plan, kind: FailureKind) -> Vec<String> {
    let (outcome, games) = play(plan);
    assert_eq!(games.len(), 2 * plan.openings.len());
    let endings: Vec<&Ending> = games.values().map(|game| &game.ending).collect();
    assert_eq!(outcome.statistics.wins_draws_losses(), (games.len() as u64, 0, 0), "{endings:?}");
    let forfeits = &outcome.statistics.player(PlayerIndex::Second).forfeits;
    assert_eq!(forfeits.get(kind.name()), Some(&(games.len() as u64)), "{forfeits:?}");
    games
        .into_values()
        .map(|game| match game.ending {
            Ending::Forfeit { loser, kind: found, detail } => {
                assert_eq!((found, Some(!loser)), (kind, game.winner), "{detail}");
                detail
            }
            Ending::Board => panic!("played out"),
        })
        .collect()
}

pub fn outflank(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_outflank"));
    command.current_dir(folder).arg("match");
    command
}

pub fn status(command: &mut Command) -> (Option<i32>, String, String) {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// The games of a file without what differs from run to run.
pub fn saved_games(path: &Path) -> BTreeMap<(u64, u64), String> {
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .skip(1)
        .map(|line| {
            let game: serde_json::Value = serde_json::from_str(line).unwrap();
            let moves: Vec<&str> =
                game["moves"].as_array().unwrap().iter().map(|played| played["move"].as_str().unwrap()).collect();
            let key = (game["pair"].as_u64().unwrap(), game["leg"].as_u64().unwrap());
            (key, format!("{} {} {}", moves.join(""), game["winner"], game["score"]))
        })
        .collect()
}

/// No process with `FAKE_MARK=mark` in its environment is left; waits a little for those that are being ended.
pub fn assert_gone(mark: &str) {
    let left = (0..200).find_map(|i| {
        let left = marked(mark);
        if left.is_empty() || i == 199 {
            return Some(left);
        }
        thread::sleep(Duration::from_millis(20));
        None
    });
    assert_eq!(left, Some(Vec::new()), "{mark}: processes were left behind");
}

/// The command lines of the processes with `FAKE_MARK=mark` in their environment; only Linux tells.
pub fn marked(mark: &str) -> Vec<String> {
    let wanted = format!("FAKE_MARK={mark}").into_bytes();
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let folders = entries.filter_map(|entry| Some(entry.ok()?.path()));
    folders
        // a process that is dead and not yet buried has no environment
        .filter(|folder| {
            fs::read(folder.join("environ")).is_ok_and(|all| all.split(|&byte| byte == 0).any(|one| one == wanted))
        })
        .map(|folder| fs::read_to_string(folder.join("cmdline")).unwrap_or_default().replace('\0', " "))
        .collect()
}
