//! GTP sessions: the conformance list of the protocol, clients' habits, recordings, and garbage.
#![cfg(feature = "cli")]

mod sessions;

use std::io::Cursor;
use std::time::{Duration, Instant};

use outflank::play::Strength;
use outflank::protocol::{Config, gtp};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use sessions::{Process, Talk, config};

/// Runs a whole input through [`gtp::run`] and returns the output.
fn run(input: &str) -> String {
    let mut output = Vec::new();
    gtp::run(Cursor::new(input.as_bytes().to_vec()), &mut output, config(2)).unwrap();
    String::from_utf8(output).unwrap()
}

/// White plays g1, which turns one disc, and black has to pass: figure B of the Hungarian sheet, row 1 at the top.
const BLACK_WILL_PASS: &str = "outflank-setboard \
    -------O------XO----XXOO---XXOOO---XOOOO---XXXXX---------------- white";

/// Nobody can move: 40 black discs, 10 white, 14 empty squares.
const OVER: &str = "outflank-setboard \
    XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX--------------OOOOOOOOOO black";

#[test]
fn numbers_are_echoed_once() {
    assert_eq!(run("12 name\nname\n0 foo\n007 quit\n"), "=12 Outflank\n\n= Outflank\n\n?0 unknown command\n\n=007\n\n");
}

#[test]
fn empty_lines_comments_and_line_ends() {
    let input = "\n   \t\n# all comment\r\nname # rest\r\n\x01na\x07me\r\n\tkomi\t6.5  \n12 # only a number\n";
    assert_eq!(run(input), "= Outflank\n\n= Outflank\n\n=\n\n?12 unknown command\n\n");
}

#[test]
fn quit_is_answered_and_ends_the_session() {
    assert_eq!(run("3 quit\nname\n"), "=3\n\n");
    assert_eq!(run(""), "");
    assert_eq!(run("name"), "= Outflank\n\n");
}

#[test]
fn what_engines_are_asked_first() {
    let mut talk = Talk::new();
    assert_eq!(talk.ok("protocol_version"), "2");
    assert_eq!(talk.ok("name"), "Outflank");
    assert_eq!(talk.ok("version"), env!("CARGO_PKG_VERSION"));
    assert_eq!(talk.ok("known_command genmove"), "true");
    assert_eq!(talk.ok("known_command fixed_handicap"), "false");
    assert_eq!(talk.ok("list_games"), "Othello");
    assert_eq!(talk.ok("gogui-rules_game_id"), "Othello");
    assert_eq!(talk.ok("gogui-rules_board_size"), "8");
    let commands = talk.ok("list_commands");
    let commands: Vec<&str> = commands.lines().collect();
    assert!(commands.iter().all(|name| !name.is_empty() && !name.contains(' ')));
    for name in commands.iter().filter(|name| **name != "quit") {
        let answer = talk.ask(name);
        assert_ne!(answer, "? unknown command", "{name}");
        assert_eq!(talk.ok(&format!("known_command {name}")), "true");
    }
    for absent in ["final_status_list", "fixed_handicap", "place_free_handicap", "set_free_handicap"] {
        assert!(!commands.contains(&absent));
    }
}

#[test]
fn games_and_sizes() {
    let mut talk = Talk::new();
    for name in ["Othello", "othello", "Reversi", "REVERSI"] {
        assert_eq!(talk.ok(&format!("set_game {name}")), "");
    }
    assert_eq!(talk.fail("set_game Go"), "unsupported game");
    assert_eq!(talk.ok("boardsize 8"), "");
    for size in ["9", "2", "18", "0", "-8", "300", "8.5", "8 7"] {
        assert_eq!(talk.fail(&format!("boardsize {size}")), "unacceptable size", "{size}");
        assert_eq!(talk.ok("gogui-rules_board_size"), "8", "{size}");
    }
    for (size, said, move_there) in [("6", "6", "C2"), ("10", "10", "E4"), ("8 6", "8 6", "D2"), ("8", "8", "D3")] {
        talk.all_ok(&[&format!("boardsize {size}"), "clear_board", &format!("play b {move_there}"), "genmove w"]);
        assert_eq!(talk.ok("gogui-rules_board_size"), said);
    }
    // the usual board again is othello as before
    assert_eq!(talk.ok("outflank-rules"), "othello");
    assert_eq!(talk.fail("boardsize"), "syntax error");
    assert_eq!(talk.fail("boardsize x"), "syntax error");
    for komi in ["6.5", "-7.5", "0"] {
        assert_eq!(talk.ok(&format!("komi {komi}")), "");
    }
    assert_eq!(talk.fail("komi x"), "syntax error");
}

#[test]
fn colours_and_moves_in_any_case() {
    let mut talk = Talk::new();
    talk.all_ok(&["play B F5", "play white D6", "play b c3", "play WHITE d3", "undo"]);
    assert_eq!(talk.side(), "white");
    for line in
        ["play", "play b", "play x f5", "play w 5f", "play w f", "play w é5", "genmove", "genmove x", "undo x y z"]
    {
        if !line.starts_with("undo") {
            assert_eq!(talk.fail(line), "syntax error", "{line}");
        }
    }
    for line in ["play w a1", "play w i9", "play w f5", "play b c4", "play w d9"] {
        assert_eq!(talk.fail(line), "illegal move", "{line}");
    }
}

#[test]
fn a_stuck_opponent_is_passed_over() {
    let mut talk = Talk::new();
    talk.all_ok(&[BLACK_WILL_PASS, "play w g1"]);
    assert_eq!((talk.side().as_str(), talk.ok("gogui-rules_legal_moves").as_str()), ("black", "pass"));
    // the same colour again, without a pass between
    let next = talk.ok("reg_genmove w");
    assert_eq!(talk.side(), "black", "reg_genmove changes nothing");
    talk.ok(&format!("play w {next}"));
}

#[test]
fn explicit_and_redundant_passes() {
    let mut talk = Talk::new();
    talk.all_ok(&[BLACK_WILL_PASS, "play w g1"]);
    for pass in ["pass", "PASS", "pa", "PA", "ps", "--", "@@@@"] {
        talk.all_ok(&[&format!("play b {pass}"), &format!("play b {pass}")]);
        assert_eq!(talk.side(), "white");
        assert_eq!(talk.fail("play w pass"), "illegal move", "white can move");
        talk.ok("undo");
        assert_eq!(talk.side(), "white", "the redundant pass is taken back first");
        talk.ok("undo");
        assert_eq!(talk.side(), "black");
    }
    talk.ok("clear_board");
    assert_eq!(talk.fail("play b pass"), "illegal move");
    assert_eq!(talk.fail("play w pass"), "illegal move");
}

#[test]
fn a_stuck_engine_answers_pass() {
    let mut talk = Talk::new();
    talk.all_ok(&[BLACK_WILL_PASS, "play w g1"]);
    assert_eq!(talk.ok("genmove b"), "PASS");
    assert_eq!(talk.side(), "white");
    assert_eq!(talk.ok("genmove b"), "PASS", "asked again out of turn");
    assert_eq!(talk.side(), "white");
}

/// The first player places two discs, then the second one two: a turn that the rules do not have is no position of theirs.
#[test]
fn nobody_places_discs_out_of_turn() {
    let mut talk = Talk::new();
    talk.all_ok(&["outflank-rules traveller"]);
    for (mover, other) in [("black", "white"), ("black", "white"), ("white", "black"), ("white", "black")] {
        assert_eq!(talk.side(), mover);
        let message = format!("it is not the turn of {other}: {mover} places the next disc");
        for command in ["genmove", "reg_genmove", "gogui-setup_player"] {
            assert_eq!(talk.fail(&format!("{command} {other}")), message);
        }
        assert_eq!(talk.fail(&format!("play {other} d4")), "illegal move");
        talk.all_ok(&[&format!("gogui-setup_player {mover}"), &format!("genmove {mover}")]);
    }
    // behind them it is as under any rules
    talk.all_ok(&["genmove white", "gogui-setup_player white", "genmove white"]);
}

#[test]
fn after_the_end_everybody_passes() {
    let mut talk = Talk::new();
    talk.ok(OVER);
    assert_eq!(talk.ok("gogui-rules_legal_moves"), "");
    for _ in 0..2 {
        assert_eq!(talk.ok("genmove b"), "PASS");
        talk.all_ok(&["play b pass", "play w pass"]);
    }
    assert_eq!(talk.ok("final_score"), "B+44", "empty squares go to the winner");
    assert_eq!(talk.ok("gogui-rules_final_result"), "Black wins by 44");
    assert_eq!(talk.fail("play b a8"), "illegal move");
    talk.all_ok(&["clear_board", "play b f5"]);
    assert_eq!(talk.ok("final_score"), "B+3", "a game broken off: as it stands");
    assert_eq!(talk.ok("gogui-rules_final_result"), "");
}

#[test]
fn wiped_out_and_drawn() {
    let mut talk = Talk::new();
    let wiped = format!("outflank-setboard {}OOO{} b", "-".repeat(20), "-".repeat(41));
    talk.ok(&wiped);
    assert_eq!(talk.ok("final_score"), "W+64");
    talk.ok(&format!("outflank-setboard {}{} b", "X".repeat(32), "O".repeat(32)));
    assert_eq!((talk.ok("final_score").as_str(), talk.ok("gogui-rules_final_result").as_str()), ("0", "Draw"));
}

#[test]
fn undo_takes_back_the_silent_pass_too() {
    let mut talk = Talk::new();
    assert_eq!(talk.fail("undo"), "cannot undo");
    talk.all_ok(&[BLACK_WILL_PASS, "play w g1"]);
    let before = talk.ok("showboard");
    let mv = talk.ok("reg_genmove w");
    talk.ok(&format!("play w {mv}"));
    assert_ne!(talk.ok("showboard"), before);
    talk.ok("undo");
    assert_eq!((talk.ok("showboard"), talk.side().as_str()), (before.clone(), "black"));
    talk.ok("genmove w");
    talk.ok("undo");
    assert_eq!((talk.ok("showboard"), talk.side().as_str()), (before, "black"));
    talk.ok("undo");
    assert_eq!(talk.fail("undo"), "cannot undo");
}

#[test]
fn gg_undo_takes_back_several_or_nothing() {
    let mut talk = Talk::new();
    talk.all_ok(&["play b f5", "play w d6", "play b c3", "gg-undo", "gg-undo 2"]);
    assert_eq!(talk.side(), "black");
    talk.all_ok(&["play b f5", "gg-undo 0"]);
    assert_eq!(talk.fail("gg-undo 2"), "cannot undo");
    assert_eq!(talk.side(), "white");
    assert_eq!(talk.fail("gg-undo x"), "syntax error");
}

#[test]
fn a_move_for_the_side_not_to_move() {
    let mut talk = Talk::new();
    assert_eq!(talk.fail("play w d3"), "illegal move");
    let mv = talk.ok("genmove w");
    assert!(["C5", "D6", "E3", "F4"].contains(&mv.as_str()), "{mv}");
    assert_eq!(talk.side(), "black");
    talk.ok("undo");
    assert_eq!(talk.side(), "black");
}

#[test]
fn time_is_never_refused() {
    let mut talk = Talk::new();
    for line in [
        "time_settings 600 0 0",
        "time_settings 0 15 1",
        "time_settings 0 300 10",
        "time_settings 60 2 0",
        "time_settings 0 5 0",
        "time_settings 10 30 5.0",
        "time_settings 0 0 0",
        "time_settings -1 -1 -1",
        "time_settings 1e99 1e99 1e99",
        "time_settings none",
        "time_settings 0.5 0 0",
        "time_left black 0.5 0",
        "time_left W 1e99 1e99",
        "time_left w -1 -1",
        "time_left b 0",
        "time_left b 0 0",
    ] {
        assert_eq!(talk.ok(line), "");
    }
    sessions::assert_within(Duration::from_millis(100), || {
        talk.all_ok(&["clear_board", "time_left b 0 0", "genmove b"]);
    });
    for line in
        ["time_settings", "time_settings x 0 0", "time_left", "time_left b", "time_left x 1 0", "time_left b y 0"]
    {
        assert_eq!(talk.fail(line), "syntax error", "{line}");
    }
}

#[test]
fn overtime_behind_main_time_is_spent() {
    let mut talk = Talk(gtp::Session::new(Config::default()));
    talk.all_ok(&["time_settings 2 0.5 1", "time_left b 0 0"]);
    let start = std::time::Instant::now();
    talk.ok("genmove b");
    let used = start.elapsed();
    // 9 ms of 30 s were used once
    assert!(used > Duration::from_millis(400) && used < Duration::from_millis(800), "{used:?}");
}

#[test]
fn with_a_clock_no_level_limits_the_depth_unless_it_was_asked_for() {
    let used = |config: Config| {
        let mut talk = Talk(gtp::Session::new(config));
        talk.all_ok(&["time_settings 0 0.4 1", "play b f5"]);
        let start = std::time::Instant::now();
        talk.ok("genmove w");
        start.elapsed()
    };
    let free = used(Config::default());
    assert!(free > Duration::from_millis(300), "{free:?}");
    let capped = used(config(1));
    assert!(capped < Duration::from_millis(200), "{capped:?}");
}

#[test]
fn another_level_leaves_time_and_nodes_as_they_were() {
    let strength = Strength { time: Some(Duration::from_millis(200)), nodes: Some(9000), ..Strength::default() };
    for command in ["set_level 26", "outflank-set_level 26", "gogui-param_engine level 26"] {
        let mut talk = Talk(gtp::Session::new(Config { strength: strength.clone(), ..Config::default() }));
        talk.ok(command);
        let goal = "26".parse::<Strength>().unwrap().goal;
        assert_eq!(*talk.0.player().strength(), Strength { goal, ..strength.clone() }, "{command}");
    }
}

#[test]
fn squares_in_gogui_have_no_directions() {
    let mut talk = Talk::with_rules("othello:one");
    let is_point = |word: &str| word.len() == 2 && word.as_bytes()[0].is_ascii_uppercase();
    for _ in 0..12 {
        let values = talk.ok("outflank-move_values");
        let points: Vec<&str> = values.lines().map(|line| line.split(' ').next().unwrap()).collect();
        assert!(points.iter().all(|point| is_point(point)), "{values}");
        let distinct: std::collections::HashSet<&&str> = points.iter().collect();
        assert_eq!(distinct.len(), points.len(), "{values}");
        let variation = talk.ok("outflank-variation");
        assert!(variation.split(' ').skip(1).step_by(2).all(|word| is_point(word) || word == "PASS"), "{variation}");
        let side = talk.side();
        talk.ok(&format!("genmove {side}"));
    }
}

#[test]
fn variety_changes_games() {
    let game = |variety: &str| -> String {
        let mut talk = Talk::new();
        talk.ok(&format!("outflank-variety {variety}"));
        (0..6).map(|ply| talk.ok(if ply % 2 == 0 { "genmove b" } else { "genmove w" })).collect()
    };
    assert_eq!(game("off"), game("off"));
    assert_eq!(game("7 3"), game("7 3"));
    let games: std::collections::HashSet<String> = (0..6).map(|seed| game(&format!("{seed} 3"))).collect();
    assert!(games.len() > 2, "{games:?}");
    assert_eq!(Talk::new().fail("outflank-variety x"), "syntax error");
}

#[test]
fn gogui_sees_the_board_from_the_last_row() {
    let mut talk = Talk::new();
    let start = ". . . . . . . .\n".repeat(3) + ". . . X O . . .\n. . . O X . . .\n" + &". . . . . . . .\n".repeat(3);
    assert_eq!(talk.ok("gogui-rules_board"), start.trim_end());
    assert_eq!(talk.ok("gogui-rules_legal_moves"), "D3 C4 F5 E6");
    talk.ok("play b c4");
    assert_eq!(talk.ok("gogui-rules_board").lines().nth(4), Some(". . X X X . . ."));
}

#[test]
fn gogui_plays_sequences_whole_or_not_at_all() {
    let mut talk = Talk::new();
    talk.ok("gogui-play_sequence B F5 W D6 B C3");
    assert_eq!(talk.side(), "white");
    talk.all_ok(&["undo", "undo"]);
    assert_eq!(talk.side(), "white");
    assert_eq!(talk.fail("gogui-play_sequence W D6 B A1"), "illegal move");
    assert_eq!(talk.fail("gogui-play_sequence W D6 B"), "syntax error");
    talk.all_ok(&["gogui-play_sequence", "play w f6"]);
}

#[test]
fn gogui_sets_positions_up() {
    let mut talk = Talk::new();
    talk.all_ok(&["gogui-setup B A1 w b1 E d4 EMPTY E4", "gogui-setup_player W"]);
    let board = talk.ok("gogui-rules_board");
    assert_eq!(board.lines().last(), Some("X O . . . . . ."));
    assert_eq!(board.lines().nth(4), Some(". . . . . . . ."));
    assert_eq!(talk.side(), "white");
    talk.ok("undo");
    assert_eq!((talk.ok("gogui-rules_legal_moves").as_str(), talk.side().as_str()), ("D3 C4 F5 E6", "black"));
    assert_eq!(talk.fail("gogui-setup Q A1"), "syntax error");
    assert_eq!(talk.fail("gogui-setup B"), "syntax error");
    assert!(talk.fail("gogui-setup B J9").contains("J9"));
}

#[test]
fn analyze_commands_all_work() {
    let mut talk = Talk::new();
    let entries: Vec<String> = talk.ok("gogui-analyze_commands").lines().map(str::to_string).collect();
    assert_eq!(entries.len(), 8);
    for entry in entries {
        let [kind, label, command] = entry.split('/').collect::<Vec<_>>()[..] else { panic!("{entry}") };
        assert!(!label.is_empty());
        let answer = talk.ok(command);
        match kind {
            // there is no book here, and the start has no name
            _ if ["Book Moves", "Opening"].contains(&label) => assert_eq!(answer, "", "{label}"),
            "pspairs" => assert_eq!(answer.split_whitespace().count(), 8, "{answer}"),
            "var" => {
                assert!(answer.starts_with("b ") && answer.split_whitespace().count().is_multiple_of(2), "{answer}")
            }
            "plist" => assert_eq!(answer, "D3 C4 F5 E6"),
            "string" => assert!(!answer.is_empty()),
            "param" => assert!(answer.lines().all(|line| line.starts_with('[')), "{answer}"),
            other => panic!("{other}"),
        }
    }
    talk.all_ok(&["gogui-param_engine level 3", "gogui-param_engine threads 2", "gogui-param_engine hash 16"]);
    assert_eq!(
        talk.ok("gogui-param_engine"),
        "[string] level 3\n[string] threads 2\n[string] hash 16\n[bool] ponder 0\n[bool] book 0"
    );
    for bad in ["level 61", "threads 0", "hash 0", "ponder 2", "colour 1"] {
        talk.fail(&format!("gogui-param_engine {bad}"));
    }
}

#[test]
fn hints() {
    let mut talk = Talk::new();
    talk.all_ok(&["play b f5", "set_level 4", "outflank-set_level 3"]);
    assert!(talk.fail("set_level 61").contains("0 to 60"));
    assert!(talk.fail("set_level x").contains("'x' is not a grade (beginner, "));
    talk.all_ok(&["set_level club"]);
    assert!(talk.ok("gogui-param_engine").starts_with("[string] level club\n"));
    talk.all_ok(&["set_level 3"]);
    for (count, lines) in [(1, 1), (2, 2), (64, 3)] {
        let hints = talk.ok(&format!("outflank-hint {count}"));
        assert_eq!(hints.lines().count(), lines, "{hints}");
        for line in hints.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            assert_eq!((words[2], words[0]), ("depth", words[4]), "{line}");
            assert!(words[1].starts_with(['+', '-', '<', '>']), "{line}");
        }
    }
    assert_eq!(talk.side(), "white");
}

#[test]
fn boards_are_set() {
    let mut talk = Talk::new();
    let start = "---------------------------OX------XO---------------------------";
    for side in ["X", "x", "black", "B"] {
        talk.ok(&format!("outflank-setboard {start} {side}"));
        assert_eq!(talk.ok("gogui-rules_legal_moves"), "D3 C4 F5 E6");
        assert_eq!(talk.fail("undo"), "cannot undo");
    }
    talk.ok(&format!("outflank-setboard {} {} W", &start[..30], &start[30..]));
    assert_eq!(talk.ok("gogui-rules_legal_moves"), "E3 F4 C5 D6");
    for bad in ["", " X", " X-", " ---- X"] {
        talk.fail(&format!("outflank-setboard{bad}"));
    }
    assert_eq!(talk.ok("gogui-rules_legal_moves"), "E3 F4 C5 D6", "a bad board changes nothing");
}

#[test]
fn games_are_loaded_up_to_a_move() {
    let mut talk = Talk::new();
    let file = tempfile::Builder::new().suffix(".sgf").tempfile().unwrap();
    std::fs::write(file.path(), "(;GM[2]FF[4]SZ[8];B[fe];W[df];B[cc];W[dc])").unwrap();
    let path = file.path().to_str().unwrap().to_string();
    talk.ok(&format!("loadsgf {path}"));
    assert_eq!(talk.side(), "black");
    talk.all_ok(&["undo", "undo", "undo", "undo"]);
    assert_eq!(talk.ok("gogui-rules_legal_moves"), "D3 C4 F5 E6");
    talk.ok(&format!("loadsgf {path} 2"));
    assert_eq!(talk.side(), "white");
    talk.all_ok(&["play w d6", "undo", "undo"]);
    assert_eq!(talk.fail("undo"), "cannot undo");
    talk.ok(&format!("loadsgf {path} 99"));
    assert!(talk.fail("loadsgf /no/such/file.sgf").starts_with("cannot load file: "));
    // a name of any length
    let long = talk.fail(&format!("loadsgf /{}", "x".repeat(100_000)));
    assert!(long.starts_with("cannot load file: '/xxxxxxxxxxxxxxxxxxxxxxx...': ") && long.len() < 100, "{long}");
    let empty = tempfile::tempdir().unwrap();
    let folder = talk.fail(&format!("loadsgf {}", empty.path().display()));
    assert!(
        folder.starts_with("cannot load file: ") && folder.ends_with("no files of games in this folder"),
        "{folder}"
    );
    // the extension tells the format, or else the content
    for name in ["page.pgn", "page"] {
        let page = empty.path().join(name);
        std::fs::write(&page, "[Black \"Ann\"]\n[White \"Bob\"]\n\n1. f5 d6 2. c3 *\n").unwrap();
        talk.ok(&format!("loadsgf {}", page.display()));
        assert_eq!(talk.side(), "white");
        talk.all_ok(&["undo", "undo", "undo"]);
    }
    // no file has this name; the session's own input is none
    assert!(talk.fail("loadsgf -").starts_with("cannot load file: "));
    std::fs::write(file.path(), "(;GM[2];B[aa])").unwrap();
    assert!(talk.fail(&format!("loadsgf {path}")).starts_with("cannot load file: "));
    for bad in ["loadsgf", &format!("loadsgf {path} 0"), &format!("loadsgf {path} x"), "loadsgf a 1 2"] {
        assert_eq!(talk.fail(bad), "syntax error", "{bad}");
    }
    assert_eq!(talk.side(), "black", "a file that cannot be loaded changes nothing");
}

/// An interrupt reaches a search that is running, in the order of the lines.
#[test]
fn interrupts_end_a_search() {
    for interrupt in ["# interrupt", "gogui-interrupt"] {
        let mut process = Process::start(&["gtp", "--level", "60", "--no-book"]);
        process.ask("name");
        let start = Instant::now();
        process.send("genmove b\n");
        std::thread::sleep(Duration::from_millis(100));
        process.send(&format!("{interrupt}\nname\nquit\n"));
        let mv = process.answer();
        assert!(["= D3", "= C4", "= F5", "= E6"].contains(&mv.as_str()), "{mv}");
        assert!(start.elapsed() < Duration::from_millis(1000), "{:?}", start.elapsed());
        if interrupt.starts_with('g') {
            assert_eq!(process.answer(), "=");
        }
        assert_eq!((process.answer().as_str(), process.answer().as_str()), ("= Outflank", "="));
        assert_eq!(process.finish().2, Some(0));
    }
}

/// Commands sent ahead of a search's end wait for it, `quit` too.
#[test]
fn pipelined_quit_does_not_cut_a_search() {
    let mut process = Process::start(&["gtp", "--level", "10", "--no-book"]);
    process.send("reg_genmove b\nquit\n");
    let careful = process.answer();
    let mut talk = Talk(gtp::Session::new(config(10)));
    assert_eq!(careful, talk.ask("reg_genmove b"));
}

/// The wire sequence of Quarry, moves decided here: white has two turns in a row at the end.
#[test]
fn a_session_in_the_shape_of_quarrys() {
    let mut talk = Talk::new();
    for line in ["protocol_version", "name", "version", "list_commands", "list_games"] {
        assert_ne!(talk.ok(line), "");
    }
    for line in ["set_game Othello", "boardsize 8", "clear_board", "time_settings 0 300 10"] {
        assert_eq!(talk.ok(line), "");
    }
    let mut white = Talk::new();
    let mut stones = 10;
    while !talk.ok("gogui-rules_legal_moves").is_empty() {
        assert_eq!(talk.ok(&format!("time_left black 300 {stones}")), "");
        stones = if stones == 1 { 10 } else { stones - 1 };
        let mv = talk.ok("genmove black");
        if mv != "PASS" {
            white.ok(&format!("play black {mv}"));
        }
        // white moves until black can again; black is never told of passes
        while !white.ok("gogui-rules_legal_moves").is_empty() {
            let mv = white.ok("genmove white");
            if mv == "PASS" {
                break;
            }
            talk.ok(&format!("play white {mv}"));
            if talk.ok("gogui-rules_legal_moves") != "pass" {
                break;
            }
        }
    }
    assert_eq!(talk.ok("final_score"), white.ok("final_score"));
}

/// gogui-twogtp: explicit passes, and both engines are asked until two passes follow each other.
#[test]
fn a_session_in_the_shape_of_twogtps() {
    let mut engines = [Talk::new(), Talk::new()];
    for talk in &mut engines {
        talk.all_ok(&["boardsize 8", "clear_board", "komi 0", "cputime", "time_settings 60 0 0"]);
    }
    let mut passes = 0;
    for turn in 0.. {
        let (side, me) = if turn % 2 == 0 { ("b", 0) } else { ("w", 1) };
        let mv = engines[me].ok(&format!("genmove {side}"));
        passes = if mv == "PASS" { passes + 1 } else { 0 };
        engines[1 - me].ok(&format!("play {} {mv}", side.to_uppercase()));
        if passes == 2 {
            break;
        }
        assert!(turn < 130, "the game ends");
    }
    let scores: Vec<String> = engines.iter_mut().map(|talk| talk.ok("final_score")).collect();
    assert_eq!(scores[0], scores[1]);
    assert!(engines[0].ok("cputime").parse::<f64>().unwrap() > 0.0);
}

/// Sends a recording's client lines. Where our move differs from the recorded one it is replaced, so that what
/// follows fits; every other answer that does not depend on the engine must be the recorded one.
fn replay(name: &str) {
    let Some(exchanges) = sessions::recording(name) else { return };
    let mut talk = Talk::new();
    for exchange in exchanges {
        let line = exchange.sent.as_str();
        let Some(recorded) = exchange.received.first() else {
            talk.ask(line);
            continue;
        };
        let answer = talk.ask(line);
        assert_eq!(answer.chars().next(), recorded.chars().next(), "{name}: {line}: {answer}");
        let mut words = line.split_whitespace();
        match (words.next().unwrap(), words.next()) {
            ("genmove", Some(side)) => {
                assert!(!answer.contains('\n') && answer.len() >= 4, "{answer}");
                let recorded = recorded.trim_start_matches("= ");
                talk.all_ok(&["undo", &format!("play {side} {recorded}")]);
            }
            (
                "name" | "version" | "list_commands" | "gogui-analyze_commands" | "gogui-rules_game_id" | "cputime",
                _,
            ) => {}
            _ => assert_eq!(&answer, recorded.trim_end(), "{name}: {line}"),
        }
    }
}

#[test]
fn recorded_by_ourselves() {
    replay("gtp.log");
}

#[test]
fn recorded_quarry() {
    replay("quarry_canadian.log");
    replay("quarry_per_move.log");
}

#[test]
fn recorded_gogui() {
    replay("gogui_player.log");
    replay("gogui_ruler_first400.log");
}

#[test]
fn recorded_match_programs() {
    replay("twogtp_black.log");
    replay("match_runner.log");
}

#[test]
fn garbage_gets_one_error_each() {
    let mut rng = StdRng::seed_from_u64(1);
    let mut talk = Talk::new();
    let words = [
        "play",
        "genmove",
        "b",
        "w",
        "f5",
        "pass",
        "undo",
        "gg-undo",
        "-1",
        "99999999999999999999",
        "time_left",
        "boardsize",
        "gogui-setup",
        "gogui-play_sequence",
        "known_command",
        "outflank-setboard",
        "outflank-rules",
        "outflank-hint",
        "é",
        "\u{0}",
        "#",
        "F5:",
        "f5:NE",
        "🙂",
        "gogui-param_engine",
        "loadsgf",
        "/",
        "set_level",
        "NaN",
        "inf",
    ];
    for _ in 0..20_000 {
        let line: String = if rng.random_bool(0.5) {
            let count = rng.random_range(0..6);
            (0..count).map(|_| words[rng.random_range(0..words.len())]).collect::<Vec<_>>().join(" ")
        } else {
            let bytes: Vec<u8> = (0..rng.random_range(0..40)).map(|_| rng.random()).filter(|b| *b != b'\n').collect();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let Some(answer) = talk.0.answer(&line) else {
            let visible: String = line.chars().filter(|c| *c == '\t' || !c.is_control()).collect();
            assert!(visible.split('#').next().unwrap().trim().is_empty(), "no answer to {line:?}");
            continue;
        };
        assert!(answer.starts_with(['=', '?']) && answer.ends_with("\n\n"), "{line:?}: {answer:?}");
        assert_eq!(answer.matches("\n\n").count(), 1, "{line:?}: {answer:?}");
        // garbage that is no command at all is an error
        let first = line.split_whitespace().find(|word| !word.bytes().all(|byte| byte.is_ascii_digit()));
        if first.is_some_and(|word| word.chars().all(char::is_alphabetic)) && !words.contains(&first.unwrap()) {
            assert!(answer.starts_with('?') || first == Some("name"), "{line:?}: {answer:?}");
        }
    }
    talk.ok("clear_board");
}

#[test]
fn the_binary_answers_pipelined_commands_in_order() {
    let mut process = Process::start(&["gtp", "--level", "2"]);
    process.send("1 name\n2 clear_board\n3 play b f5\n4 genmove w\n5 foo\n6 undo\n7 undo\n8 undo\n9 name\n10 quit\n");
    let answers: Vec<String> = (0..10).map(|_| process.answer()).collect();
    let heads: Vec<&str> = answers.iter().map(|answer| answer.split(' ').next().unwrap()).collect();
    assert_eq!(heads, ["=1", "=2", "=3", "=4", "?5", "=6", "=7", "?8", "=9", "=10"]);
    let (rest, errors, code) = process.finish();
    assert_eq!((rest.len(), errors.as_str(), code), (0, "", Some(0)));
}

/// Scripts made for other engines start this one with their options.
#[test]
fn the_binary_takes_other_engines_options() {
    for arguments in [
        "-gtp -q -l 2 -n 1",
        "-l 2 -t 1",
        "gtp -l 2 --threads 1",
        "gtp -t 2 -nobook -quiet",
        "gtp --level 2 --hash 8 --nobook --rules othello",
    ] {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let mut process = Process::start(&arguments);
        assert_eq!(process.ask("1 name"), "=1 Outflank", "{arguments:?}");
        process.ask("time_left b 0 0");
        assert!(process.ask("genmove b").starts_with("= "), "{arguments:?}");
        assert_eq!((process.ask("quit").as_str(), process.finish().2), ("=", Some(0)));
    }
}

#[test]
fn the_binary_ends_with_its_input() {
    let mut process = Process::start(&["gtp"]);
    assert_eq!(process.ask("name"), "= Outflank");
    let (rest, errors, code) = process.finish();
    assert_eq!((rest.len(), errors.as_str(), code), (0, "", Some(0)));
}

#[test]
fn the_first_reply_comes_at_once() {
    sessions::assert_within(Duration::from_millis(200), || {
        let mut process = Process::start(&["gtp"]);
        process.ask("name");
    });
}

#[test]
fn five_thousand_plays_cost_next_to_nothing() {
    let mut process = Process::start(&["gtp"]);
    process.ask("name");
    sessions::assert_within(Duration::from_millis(200), || {
        process.send(&"clear_board\nplay b c4\n".repeat(5000));
        for _ in 0..10_000 {
            assert_eq!(process.answer(), "=");
        }
    });
}
