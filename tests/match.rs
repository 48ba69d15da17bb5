//! Matches against programs that misbehave, through the library and through the command.
//!
//! The programs are this test binary itself: the ignored tests `fake_gtp` and `fake_nboard`, run alone and with
//! `FAKE` in the environment, are engines that play correctly or fail in the way it names. What the test harness
//! prints around them is noise of the kind that a driver has to tolerate.
#![cfg(feature = "cli")]

#[macro_use]
mod match_fakes;
mod shared_data;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use match_fakes::driver::{fake, lost_by, outflank, plan, play, saved_games, status, timed};
use outflank::formats::openings::BALANCED;
use outflank::game::Game;
use outflank::rules::{Position, RuleSet};
use outflank::tournament::{Ending, FailureKind, Finished, GameRecord, MatchError, TimeControl, random_openings, run};

fake_engines!();

/// Replays a record through the rules and checks what it says of its end.
fn check_record(game: &GameRecord) {
    let mut replay = Game::default();
    for played in &game.moves {
        assert_eq!(played.side, replay.position().side_to_move());
        let mv = outflank::formats::parse_move(replay.position(), &played.mv).unwrap();
        replay.play(mv).unwrap();
    }
    if game.ending == Ending::Board {
        assert!(replay.position().is_game_over());
        assert_eq!(game.winner, replay.position().winner());
        assert_eq!(game.score, Some(replay.position().final_score(false)));
    }
}

#[test]
fn correct_programs_of_both_pass_dialects_play_whole_games() {
    // `strict` needs explicit passes, `omit` refuses them; both are noisy on stdout and stderr
    for (first, second) in [
        (fake("gtp", "strict"), fake("gtp", "omit")),
        (fake("nboard", "good"), fake("gtp", "strict")),
        (fake("gtp", "omit"), "random".to_string()),
    ] {
        let (outcome, games) = play(&plan(&first, &second, 8));
        let passes: usize = games.values().map(|game| game.moves.iter().filter(|mv| mv.mv == "pass").count()).sum();
        assert!(passes > 0, "no game with a pass");
        for game in games.values() {
            check_record(game);
            assert_eq!(game.ending, Ending::Board, "{first} - {second}");
        }
        assert_eq!(outcome.statistics.games(), 16);
        assert_eq!(outcome.statistics.discs().count(), 8);
    }
}

#[test]
fn names_come_from_the_programs_or_the_user() {
    let (_, games) = play(&plan(&fake("gtp", "strict"), &fake("nboard", "good"), 1));
    assert_eq!((games[&(0, 0)].black.as_str(), games[&(0, 0)].white.as_str()), ("Fake strict", "FakeNBoard"));
    let (_, games) = play(&plan("random", "random", 1));
    assert_eq!((games[&(0, 1)].black.as_str(), games[&(0, 1)].white.as_str()), ("random #2", "random #1"));
}

#[test]
fn crash_loses_and_the_program_is_started_again() {
    for protocol in ["gtp", "nboard"] {
        let details = lost_by(&plan("random", &fake(protocol, "crash"), 2), FailureKind::Crash);
        for detail in details {
            assert!(detail.contains("exit status: 3") && detail.contains("out of cheese"), "{detail}");
        }
    }
}

/// A program that fails once more when it is started again is given another chance, whatever it speaks.
#[test]
fn a_program_that_fails_to_start_between_games_is_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    for protocol in ["gtp", "nboard"] {
        let starts = folder.path().join(protocol);
        let engine = fake(protocol, "flaky").replacen("env ", &format!("env FAKE_STARTS='{}' ", starts.display()), 1);
        let mut plan = plan("random", &engine, 2);
        plan.jobs = 1;
        let (_, games) = play(&plan);
        let lost = games.values().filter(|game| game.ending != Ending::Board).count();
        assert_eq!((games.len(), lost), (4, 1), "{protocol}: the one in which it crashed");
        assert_eq!(fs::read_to_string(&starts).unwrap().lines().count(), 3, "{protocol}");
    }
}

#[test]
fn illegal_answers_lose() {
    for (protocol, mode, part) in [
        ("gtp", "illegal", "illegal move a1"),
        ("gtp", "garbage", "banana"),
        ("gtp", "passes", "pass"),
        ("nboard", "illegal", "illegal move a1"),
        ("nboard", "garbage", "banana"),
    ] {
        for detail in lost_by(&plan("random", &fake(protocol, mode), 1), FailureKind::Illegal) {
            assert!(detail.contains(part), "{mode}: {detail}");
        }
    }
    for detail in lost_by(&plan("random", &fake("gtp", "refuse"), 1), FailureKind::Protocol) {
        assert!(detail.contains("I would rather not"), "{detail}");
    }
    lost_by(&plan("random", &fake("gtp", "resign"), 1), FailureKind::Resign);
    // the side that loses is called what it is by the rules
    let folder = tempfile::tempdir().unwrap();
    let players = ["random", &fake("gtp", "garbage"), "--rules", "ravensburger", "--games", "2"];
    let (_, _, stderr) = status(outflank(folder.path()).args(players));
    assert!(["(black) loses, illegal", "(gold) loses, illegal"].iter().all(|told| stderr.contains(told)), "{stderr}");
}

#[test]
fn late_answers_lose_on_time() {
    for control in [
        TimeControl::PerMove(Duration::from_millis(200)),
        "0.2".parse().unwrap(),
        "0.1+0.05".parse().unwrap(),
        "0+0.2/1".parse().unwrap(),
    ] {
        // `slow` needs 600 ms for its third move
        let plan = timed(plan("random", &fake("gtp", "slow"), 1), control);
        for detail in lost_by(&plan, FailureKind::Time) {
            assert!(detail.starts_with("used 0.") && detail.contains(" s of 0."), "{control}: {detail}");
        }
    }
    // the same program with a margin that covers it
    let mut plan = timed(plan("random", &fake("gtp", "slow"), 1), TimeControl::PerMove(Duration::from_millis(200)));
    plan.referee.grace = Duration::from_secs(2);
    assert!(play(&plan).1.values().all(|game| game.ending == Ending::Board));
}

/// A program that thinks while it is told of a move does so on its clock.
#[test]
fn time_taken_to_hear_of_moves_counts() {
    for (protocol, control) in
        [("gtp", "1".parse().unwrap()), ("nboard", "1".parse().unwrap()), ("gtp", "0.02+0.06".parse().unwrap())]
    {
        // `sly` takes 150 ms each time
        let mut plan = timed(plan("random", &fake(protocol, "sly"), 1), control);
        plan.referee.grace = Duration::from_millis(20);
        lost_by(&plan, FailureKind::Time);
        plan.referee.grace = Duration::from_secs(2);
        assert!(play(&plan).1.values().all(|game| game.ending == Ending::Board), "{protocol} {control}: tolerated");
    }
}

#[test]
fn clocks_reach_the_program_in_its_dialect() {
    let folder = tempfile::tempdir().unwrap();
    for (mode, control, settings, left) in [
        ("strict", "60+0.5", "time_settings 60 0.500 0", "time_left black "),
        ("integers", "60+0.5", "time_settings 60 0 0", "time_left black "),
        ("strict", "10+30/5", "time_settings 10 30 5", "time_left white "),
        ("strict", "0+30/5", "time_settings 0 30 5", " 5"),
        // without main time the first move has an increment: `0 0.5 0` would be half a second for each move
        ("strict", "0+0.5", "time_settings 0.500 0.500 0", "time_left white "),
    ] {
        let log = folder.path().join(format!("{mode} {}", control.replace('/', "_")));
        let engine = fake("gtp", mode).replacen("env ", &format!("env FAKE_LOG='{}' ", log.display()), 1);
        let (_, games) = play(&timed(plan("random", &engine, 1), control.parse().unwrap()));
        assert!(games.values().all(|game| game.ending == Ending::Board));
        let log = fs::read_to_string(&log).unwrap();
        assert!(log.lines().any(|line| line == settings), "{mode} {control}: {log}");
        let times: Vec<&str> = log.lines().filter(|line| line.starts_with("time_left")).collect();
        assert!(times.iter().any(|line| line.contains(left)), "{mode} {control}: {times:?}");
        if mode == "integers" {
            let refused = log.lines().filter(|line| line.starts_with("time_") && line.contains('.')).count();
            assert_eq!(refused, 1, "fractions are tried once");
        }
    }
}

#[test]
fn programs_that_cannot_start_end_the_match() {
    for (player, part) in [
        ("gtp:/nonexistent/engine".to_string(), "cannot run '/nonexistent/engine': "),
        ("gtp,dir=/nonexistent/folder:true".to_string(), "cannot run 'true' in the folder '/nonexistent/folder': "),
        (fake("gtp", "stillborn"), "does not start: crash"),
        (fake("nboard", "stillborn"), "does not start: crash"),
    ] {
        let error = run::<Infallible>(&plan("random", &player, 2), &Finished::new(), &mut |_, _| Ok(())).unwrap_err();
        assert!(matches!(error, MatchError::Player(_)) && error.to_string().contains(part), "{error}");
    }
    let mut plan = plan("random", &fake("nboard", "good"), 1);
    let rules: RuleSet = "hungarian:6x6".parse().unwrap();
    plan.referee.start = Position::start(Arc::new(rules));
    plan.openings = vec![Vec::new()];
    let error = run::<Infallible>(&plan, &Finished::new(), &mut |_, _| Ok(())).unwrap_err();
    assert!(error.to_string().contains("Othello on 8x8"), "{error}");
}

/// At fixed depth the games depend neither on how many are played at a time nor on the order.
#[test]
fn games_are_reproducible() {
    let mut plan = plan("outflank,depth=2", "greedy", 12);
    let strip = |games: BTreeMap<(usize, u8), GameRecord>| -> Vec<(Vec<String>, Option<i32>)> {
        games.into_values().map(|game| (game.moves.into_iter().map(|played| played.mv).collect(), game.score)).collect()
    };
    plan.jobs = 1;
    let one = strip(play(&plan).1);
    plan.jobs = 4;
    assert_eq!(one, strip(play(&plan).1));
    // the embedded weights, from their file
    let text = format!("outflank,depth=2,eval={}/src/eval/weights/evaluation.bin", env!("CARGO_MANIFEST_DIR"));
    plan.players[0] = text.parse().unwrap();
    assert!(plan.players[0].load().unwrap().weights.is_some());
    assert_eq!(one, strip(play(&plan).1));
    plan.seed = 2;
    assert_ne!(one, strip(play(&plan).1), "greedy chooses at random among equals");
}

#[test]
fn every_rule_set_can_be_played() {
    for rules in ["othello", "traveller", "ravensburger-one", "hungarian:6x6", "hungarian:10x10"] {
        let rules: Arc<RuleSet> = Arc::new(rules.parse().unwrap());
        let mut plan = plan("greedy", "mobility", 2);
        plan.referee.start = Position::start(rules.clone());
        plan.openings = random_openings(&rules, 6, 2, 1).unwrap();
        let (_, games) = play(&plan);
        assert!(games.len() == 4 && games.values().all(|game| game.ending == Ending::Board));
    }
}

/// The engine behind its own protocol, on boards and rules that have to be announced.
#[test]
fn outflank_as_an_external_program() {
    let program = format!("gtp:'{}' gtp --level 1", env!("CARGO_BIN_EXE_outflank"));
    for rules in
        ["othello", "hungarian:6x6", "hungarian:10x10", "traveller", "ravensburger-one", "othello:4x6", "othello:7x7"]
    {
        let rules: Arc<RuleSet> = Arc::new(rules.parse().unwrap());
        let mut plan = plan(&program, "mobility", 1);
        plan.referee.start = Position::start(rules.clone());
        plan.openings = random_openings(&rules, 5, 1, 1).unwrap();
        let (_, games) = play(&timed(plan, "60+0.5".parse().unwrap()));
        assert!(games.values().all(|game| game.ending == Ending::Board), "{rules}: {games:?}");
    }
}

/// A program that has played is asked to leave before it is made to.
#[test]
fn programs_hear_of_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("session.log");
    let program = format!("gtp:'{}' gtp --level 1 --log '{}'", env!("CARGO_BIN_EXE_outflank"), log.display());
    let mut plan = plan(&program, "mobility", 1);
    plan.jobs = 1;
    play(&plan);
    let session = fs::read_to_string(&log).unwrap();
    assert!(session.trim_end().lines().rev().take(3).any(|line| line.ends_with("quit")), "{session}");
}

#[test]
fn exit_status_tells_the_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let sprt = |name: &str, bounds: [&str; 2], games: &str| {
        let command = &mut outflank(dir);
        command.args(["mobility", "random", "--games", games, "--output", name, "--json", "--sprt"]).args(bounds);
        let (code, stdout, stderr) = status(command);
        let result: serde_json::Value = serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stderr}"));
        (code, result["sprt"]["verdict"].clone())
    };
    assert_eq!(sprt("h1", ["-200", "0"], "2000"), (Some(0), "h1".into()));
    assert_eq!(sprt("h0", ["700", "900"], "2000"), (Some(1), "h0".into()));
    assert_eq!(sprt("none", ["0", "5"], "4"), (Some(4), serde_json::Value::Null));
    // what people read says the same of the games that are there
    for (name, bounds, games, verdict) in [
        ("h1", ["-200", "0"], "2000", "H1 accepted"),
        ("h0", ["700", "900"], "2000", "H0 accepted"),
        ("none", ["0", "5"], "4", "undecided"),
    ] {
        for (form, row) in [(None, "SPRT   ["), (Some("--markdown"), "| SPRT [")] {
            let command = &mut outflank(dir);
            command.args(["mobility", "random", "--games", games, "--output", name, "--resume", "--sprt"]).args(bounds);
            let (_, stdout, stderr) = status(command.args(form));
            let line = stdout.lines().find(|line| line.starts_with(row)).unwrap_or_else(|| panic!("{stdout}{stderr}"));
            assert!(line.contains(&bounds.join(", ")) && line.contains(verdict), "{line}");
        }
    }
    for (arguments, part) in [
        (vec!["random", "outflank,eval=none.bin"], "none.bin"),
        (vec!["random", "outflank,eval=h1.ggf"], "h1.ggf"),
        (vec!["random", "outflank,level=1,hash=900000000"], "hash=900000000 is not 1.."),
        (vec!["random", "edax"], "'edax' is no kind of player"),
        (vec!["random", "random", "--games", "3"], "even"),
        // their openings would take all memory
        (vec!["random", "random", "--games", "4G"], "--games 4000000000: at most 10000000"),
        (vec!["random", "random", "--sprt", "5", "0"], "must be smaller"),
        (vec!["random", "random", "--openings", "none.txt"], "none.txt"),
        (vec!["random", "random", "--clock", "1+"], "clock '1+'"),
        (vec!["random", "random", "--output", "missing/match"], "missing/match.jsonl"),
    ] {
        let (code, _, stderr) = status(outflank(dir).args(&arguments));
        assert!(matches!(code, Some(2 | 3)) && stderr.contains(part), "{arguments:?}: {code:?} {stderr}");
    }
    fs::write(dir.join("bad.txt"), "f5d6\n\nf5f5\n").unwrap();
    let (code, _, stderr) = status(outflank(dir).args(["random", "random", "--openings", "bad.txt"]));
    assert!(code == Some(2) && stderr.contains("bad.txt: line 3"), "{stderr}");
}

/// Plays 40 games from a list of openings.
fn openings_are_accepted(list: &Path) {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["greedy", "mobility", "--games", "40", "--json", "--openings", list.to_str().unwrap()];
    let (code, _, stderr) = status(outflank(folder.path()).args(arguments));
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(saved_games(&folder.path().join("match.jsonl")).len(), 40);
}

#[test]
fn balanced_openings_are_built_in() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let arguments = ["greedy", "mobility", "--games", "40", "--json", "--openings", "balanced"];
    let (code, _, stderr) = status(outflank(dir).args(arguments));
    assert_eq!(code, Some(0), "{stderr}");
    let games = saved_games(&dir.join("match.jsonl"));
    let is_line = |game: &String| BALANCED.lines().any(|line| *line == game[..16]);
    assert!(games.len() == 40 && games.values().all(is_line), "{games:?}");
    // editions of the same game, and games that only begin like it
    let with_rules = |rules: &str| status(outflank(dir).args(arguments).args(["--rules", rules, "--output", rules]));
    for rules in ["reversi", "ravensburger"] {
        let (code, _, stderr) = with_rules(rules);
        assert_eq!(code, Some(0), "{rules}: {stderr}");
    }
    for rules in ["reversi:parallel", "hungarian", "othello:fewest", "ravensburger-one", "othello:6x6"] {
        let (code, _, stderr) = with_rules(rules);
        assert!(code == Some(2) && stderr.contains(&format!("are of othello, not of {rules}")), "{stderr}");
    }
}

/// Three players: a table of all, and a gauntlet; the files of each two, from which it goes on; reasons of every end.
#[test]
fn several_players_have_one_table() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let players = ["outflank,level=1,name=engine", "greedy", "random"];
    let play = |more: &[&str]| {
        let arguments = [&players[..], &["--games", "20", "--concurrency", "2"], more].concat();
        let (code, stdout, stderr) = status(outflank(dir).args(arguments));
        assert_eq!(code, Some(0), "{stderr}");
        stdout
    };
    let value: serde_json::Value = serde_json::from_str(&play(&["--json", "--reasons", "why.txt"])).unwrap();
    let ranked = value["players"].as_array().unwrap();
    assert_eq!(
        (ranked.len(), &ranked[0]["name"], value["matches"].as_array().unwrap().len()),
        (3, &"engine".into(), 3)
    );
    let number = |player: &serde_json::Value, name: &str| player[name].as_f64().unwrap();
    let elo: Vec<f64> = ranked.iter().map(|player| number(player, "elo")).collect();
    assert!(elo.is_sorted_by(|one, other| one >= other) && elo.iter().sum::<f64>().abs() < 1e-6, "{elo:?}");
    assert!(
        ranked.iter().all(|player| number(player, "games") == 40.0 && (1.0..1000.0).contains(&number(player, "error")))
    );
    assert_eq!(ranked.iter().map(|player| number(player, "points")).sum::<f64>(), 60.0);
    for pair in ["1-2", "1-3", "2-3"] {
        assert_eq!(saved_games(&dir.join(format!("match-{pair}.jsonl"))).len(), 20, "{pair}");
    }
    let reasons = fs::read_to_string(dir.join("why.txt")).unwrap();
    assert_eq!((reasons.matches("[Reason \"played out\"]\n").count(), reasons.matches("\n\n").count()), (60, 120));
    assert!(reasons.contains("[Black \"engine\"]") && reasons.contains("{end of the opening}"), "{reasons}");
    // what was played is not played again, and is the same result
    let table = play(&["--resume", "--markdown"]);
    assert!(table.starts_with("3 players, round robin: 60 games\n") && table.contains("| 1 | engine "), "{table}");
    // names are no Markdown, and a wide one does not shift the columns
    let named = ["random", "greedy,name=日本|語", "mobility,name=a*b", "--games", "2", "--output", "named"];
    let (_, table, _) = status(outflank(dir).args(named).args(["--markdown"]));
    assert!(table.contains("| 日本\\|語 ") && table.contains("| a\\*b "), "{table}");
    let (_, table, _) = status(outflank(dir).args(named).args(["--resume"]));
    let columns = |line: &str| line.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum::<usize>();
    let rows: Vec<usize> = table.lines().skip(2).take(4).map(columns).collect();
    assert!(rows.iter().all(|row| *row == rows[0]), "{table}");
    let (_, table, _) = status(outflank(dir).args(&named[1..5]).args(["--markdown", "--output", "pair"]));
    assert!(table.starts_with("**日本\\|語 - a\\*b**, 2 games\n\n"), "{table}");
    assert!(table.contains("| discs a game (95 %) | "), "{table}");
    let again = ["--games", "4", "--markdown", "--output", "clock", "--clock", "60+1", "--jobs", "256"];
    let (_, table, stderr) = status(outflank(dir).args(&named[1..3]).args(again));
    assert!(stderr.contains("note: 256 games at a time, 1 thread a player, "), "{stderr}");
    assert!(table.contains("**, 4 games, clock 60+1\n"), "{table}");
    let discs = table.lines().find(|line| line.starts_with("| discs a game (95 %) | ")).unwrap();
    assert!(discs.contains(" +- "), "{table}");
    // players of the same name are told apart, and who are as strong as each other have no rating below 0
    let same = ["outflank,depth=1"; 3].into_iter().chain(["--random-plies", "2", "--output", "same", "--json"]);
    let (_, value, _) = status(outflank(dir).args(same.clone()));
    let value: serde_json::Value = serde_json::from_str(&value).unwrap();
    let (one, other) = ("outflank,depth=1 #2", "outflank,depth=1 #3");
    assert_eq!(value["matches"][2]["players"], serde_json::json!([one, other]), "{value}");
    let (_, table, _) = status(outflank(dir).args(same.filter(|word| *word != "--json")).arg("--resume"));
    assert!(table.contains(one) && table.matches(" +0.0 ").count() == 3, "{table}");
    let table = play(&["--gauntlet", "--output", "two"]);
    assert!(table.starts_with("3 players, gauntlet: 40 games\n") && !dir.join("two-2-3.jsonl").exists(), "{table}");
    let (code, _, stderr) = status(outflank(dir).args(players).args(["--sprt", "0", "5"]));
    assert!(code == Some(2) && stderr.contains("--sprt"), "{stderr}");
    let (code, _, stderr) = status(outflank(dir).args(&players[..2]).args(["--output", "new", "--reasons", "why.txt"]));
    let way_out = "why.txt has games of a match already: go on with --resume, or choose another name";
    assert!(code == Some(2) && stderr.contains(way_out), "a file that is there stays: {stderr}");
    assert!(fs::read_to_string(dir.join("why.txt")).unwrap() == reasons && !dir.join("new.jsonl").exists());
    fs::write(dir.join("notes.txt"), "1. f5\n").unwrap();
    let (code, _, stderr) =
        status(outflank(dir).args(&players[..2]).args(["--output", "new", "--reasons", "notes.txt"]));
    let foreign = "notes.txt is there already and is no file of this match: move it away, or choose another name";
    assert!(code == Some(2) && stderr.contains(foreign), "{stderr}");
}

#[test]
fn our_openings_are_accepted() {
    openings_are_accepted(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/openings.txt"));
}

#[test]
fn xot_openings_are_accepted() {
    if let Some(list) = shared_data::path("data/openings/xot-large.txt") {
        openings_are_accepted(&list);
    }
}
