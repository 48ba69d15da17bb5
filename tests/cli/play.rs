//! `outflank play`, driven over a pipe.

use std::ffi::OsStr;

use super::run::{Run, START, run_args, run_with};

fn console(input: &str) -> Run {
    run_with("play -q --level 2", input)
}

/// The lines of stdout that are no prompts.
fn results(run: &Run) -> Vec<&str> {
    run.stdout.lines().filter(|line| !line.is_empty() && *line != ">").collect()
}

#[test]
fn scripts_set_a_board_and_ask_for_a_move() {
    let run = console(&format!("setboard {START}\ngo\n"));
    assert_eq!(run.status, 0, "{}", run.stderr);
    let results = results(&run);
    assert_eq!(results.len(), 1, "{}", run.stdout);
    let words: Vec<&str> = results[0].split(' ').collect();
    assert_eq!(words[..2], ["Outflank", "plays"]);
    // scripts take the third word, or the last two characters
    assert!(["D3", "C4", "F5", "E6"].contains(&words[2]), "{}", results[0]);
    // one prompt for each command and one for the end of the input
    assert_eq!(run.stdout.lines().filter(|line| *line == ">").count(), 3);
}

/// What is saved under any rules is loaded into a session that was told nothing of them.
#[test]
fn saved_games_know_their_rules() {
    let folder = tempfile::tempdir().unwrap();
    let game = "d4e4d5e5 c6:NE e3:S f4:W";
    for (rules, moves) in [("traveller", game), ("othello:6x6,own,fewest", "c2d2"), ("hungarian:10x10", "g6g7")] {
        let path = |extension: &str| folder.path().join(format!("game.{extension}")).display().to_string();
        let extensions = ["ggf", "sgf", "pgn", "txt", "obf"];
        let save: String = extensions.map(|extension| format!("save {}\n", path(extension))).concat();
        let saved = console(&format!("rules {rules}\nplay {moves}\nmoves\n{save}"));
        assert_eq!(saved.stderr, "", "{rules}");
        for extension in extensions {
            let loaded = console(&format!("load {}\nrules\nmoves\n", path(extension)));
            assert_eq!(loaded.stderr, "", "{rules}: {extension}");
            let lines = results(&loaded);
            assert!(lines[0].starts_with(&format!("rules: {rules} ")), "{lines:?}");
            // of a position the moves are not known
            assert_eq!(lines.get(1), results(&saved).first().filter(|_| extension != "obf"), "{rules}: {extension}");
        }
    }
}

#[test]
fn moves_passes_undo_and_redo() {
    let run =
        console("play f5d6\nc3\nmoves\nundo\nmoves\nundo 2\nmoves\nredo\nmoves\nredo 9\nmoves\nundo 9\nundo\nquit\n");
    assert_eq!(results(&run), ["f5d6c3", "f5d6", "f5", "f5d6c3"]);
    assert!(run.error().contains("no move to take back"), "{}", run.stderr);
}

#[test]
fn the_pass_of_a_stuck_side() {
    // a1-b1-c1: white must pass, black then plays
    let board = format!("-OX{} X", "-".repeat(61));
    let run = console(&format!("setboard {board}\nmoves\na1\nmoves\n"));
    assert_eq!(results(&run), ["a1"], "{} {}", run.stdout, run.stderr);
    let stuck = format!("XO-{} O", "-".repeat(61));
    let run = console(&format!("setboard {stuck}\nps\nc1\nmoves\n"));
    assert_eq!(results(&run), ["c1"], "{} {}", run.stdout, run.stderr);
    let run = console(&format!("setboard {stuck}\ngo\ngo\n"));
    assert_eq!(results(&run), ["Outflank plays PA", "Outflank plays C1"]);
    // where the engine plays by itself scripts wait for its answer, too
    let run = run_with("play -q --level 1 --engine white", &format!("setboard {stuck}\nc1\nmoves\n"));
    assert_eq!(results(&run), ["Outflank plays PA", "c1"]);
}

#[test]
fn bad_commands_are_named_and_survived() {
    let run = console("frobnicate\nplay f5f5\nlevel 99\nsetboard XO\nmoves\n");
    assert_eq!(run.status, 2, "scripts are told that something failed");
    let errors: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(errors.len(), 4, "{}", run.stderr);
    assert!(errors.iter().all(|error| error.starts_with("outflank: ")));
    for (error, part) in errors.iter().zip(["frobnicate", "move 2", "0 to 60", "squares, not 64"]) {
        assert!(error.contains(part), "{error}");
    }
    assert_eq!(results(&run), ["f5"], "the move before the bad one stays");
}

#[test]
fn a_whole_game_of_the_engine_with_itself() {
    let run = run_with("play -q --level 1 --engine both", "moves\n");
    let results = results(&run);
    let moves = results.last().unwrap();
    let played = results.iter().filter(|line| line.starts_with("Outflank plays ") && !line.ends_with("PA")).count();
    assert_eq!(moves.len(), 2 * played);
    // replaying the moves ends the game
    let again = run_with("play -q", &format!("{moves}\ngo\n"));
    assert!(again.error().starts_with("game over: "), "{}", again.stderr);
}

/// Whoever keeps the time beside it sees no less than the engine itself.
#[test]
fn the_clock_of_the_engine_does_not_run_out() {
    for rules in ["traveller", "othello:12x12"] {
        let run = run_with(&format!("play -q --engine both --clock 1 --rules {rules}"), "options\n");
        let clock = results(&run).into_iter().find(|line| line.starts_with("clock "));
        assert!(clock.is_some_and(|clock| !clock.contains(" 0:00.000")), "{rules}: {clock:?}");
    }
}

#[test]
fn what_follows_a_game_is_as_in_edax() {
    let finished = |run: &super::run::Run| run.stdout.matches("*** Game Over ***").count();
    // three games and the end, without reading a command
    let run = run_with("--as-edax -q -l 1 -mode 2 -repeat 3 -auto-quit on", "frobnicate\n");
    assert_eq!((run.status, finished(&run), run.stderr.as_str()), (0, 3, ""), "{}", run.stdout);
    // black's only move ends the game; the engine, white, has the next one when sides are swapped
    let input = format!("setboard -OX{} X\na1\nmoves\n", "-".repeat(61));
    for (options, plays, moves) in [("", 0, "a1"), ("-auto-start on", 0, ""), ("-auto-start on -auto-swap on", 1, "")] {
        let run = run_with(&format!("-q -l 1 -mode 0 {options}"), &input);
        assert_eq!(run.status, 0, "{}", run.stderr);
        assert_eq!(run.stdout.matches("Outflank plays A1").count(), plays, "{options}: {}", run.stdout);
        assert!(run.stdout.ends_with(&format!(">\n{moves}\n>\n")), "{options}: {}", run.stdout);
    }
}

/// A game that is loaded with its end has not been played here: it is there to be looked at.
#[test]
fn nothing_follows_a_game_that_came_with_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("over.txt");
    // black has no disc left
    let game = "c4c3d3c5b5f3c2b1c6c7b4a4";
    std::fs::write(&path, game).unwrap();
    let load = format!("load {}\nmoves\n", path.display());
    for options in ["-auto-quit on", "-repeat 2", "-mode 0 -auto-start on"] {
        let run = run_with(&format!("--as-edax -q -l 1 {options}"), &load);
        assert_eq!(results(&run), [game], "{options}: {}", run.stderr);
    }
    // played on from there it ends here
    let run = run_with("--as-edax -q -l 1 -auto-quit on", &format!("{load}undo 1\na4\nmoves\n"));
    assert_eq!(results(&run), [game, "*** Game Over ***"], "{}", run.stderr);
}

#[test]
fn the_engine_answers_a_player() {
    let run = run_with("play -q --level 1 --engine white", "f5\nundo\nmoves\nmode 3\nf5\nmoves\n");
    let results = results(&run);
    assert!(results[0].starts_with("Outflank plays "));
    assert_eq!(results[1..], ["f5"], "undo took both moves back");
}

#[test]
fn games_are_saved_and_loaded() {
    let folder = tempfile::tempdir().unwrap();
    for extension in ["txt", "ggf", "sgf", "pgn"] {
        let path = folder.path().join(format!("game.{extension}"));
        let path = path.display();
        let run = console(&format!("play f5d6c3d3c4\nsave {path}\ninit\nload {path}\nmoves\n"));
        assert_eq!(results(&run), ["f5d6c3d3c4"], "{extension}: {}", run.stderr);
    }
    let run = console("save /nonexistent/folder/x.ggf\nsave x.docx\nload /nonexistent.ggf\n");
    assert_eq!(run.stderr.lines().count(), 3, "{}", run.stderr);
    assert_eq!(run.status, 3, "a file could not be written");
    let leftovers = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(leftovers, 4, "no temporary files remain");
}

/// A file that names no rules is of those that were asked for, whatever the game before it was.
#[test]
fn rules_of_a_file_are_those_of_its_game_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("small.sgf"), "(;GM[2]SZ[6]RU[traveller])").unwrap();
    let (small, plain) = (path("small.sgf"), path("plain.sgf"));
    let script = format!("play f5d6\nsave {plain}\nload {small}\nlist {plain}\nload {plain}\nmoves\nrules\n");
    let run = console(&script);
    assert_eq!(run.stderr, "");
    let rules = "rules: othello (`outflank rules othello` explains them)";
    assert_eq!(results(&run)[1..], ["f5d6", rules], "{}", run.stdout);
    // the present game goes by its own, and so does another one from its start
    let run = console(&format!("load {small}\ninit\nrules\nrules traveller\nload {plain}\n"));
    assert!(results(&run)[0].starts_with("rules: traveller:6x6 "), "{}", run.stdout);
    assert!(run.stderr.contains("the first four discs go on the four centre squares"), "{}", run.stderr);
}

/// The session's own input is no file of games: commands would be lost.
#[test]
fn names_of_standard_input_are_refused() {
    for command in ["load", "list"] {
        for name in if cfg!(unix) { &["-", "/dev/stdin"][..] } else { &["-"] } {
            let run = console(&format!("{command} {name}\nplay f5\nmoves\n"));
            assert_eq!((results(&run), run.status), (vec!["f5"], 2), "{command} {name}");
            let message = format!("'{name}' is no file here: the session reads its commands there\n");
            assert!(run.stderr.ends_with(&message) && run.stderr.lines().count() == 1, "{}", run.stderr);
        }
    }
}

/// Whatever it is called: names of books and of games stand side by side.
#[test]
fn a_book_is_not_the_place_for_a_game() {
    let folder = tempfile::tempdir().unwrap();
    for extension in ["ggf", "sgf", "pgn", "txt", "obf"] {
        let path = folder.path().join(format!("my.{extension}"));
        assert_eq!(run_args(&["book", "new", path.to_str().unwrap()], "").status, 0);
        let before = std::fs::read(&path).unwrap();
        let run = console(&format!("play f5\nsave {}\nmoves\n", path.display()));
        assert_eq!((results(&run), run.status), (vec!["f5"], 3), "{}", run.stderr);
        let message = format!("{}: a book of Outflank, which is not overwritten", path.display());
        assert!(run.stderr.lines().count() == 1 && run.stderr.contains(&message), "{}", run.stderr);
        assert_eq!(std::fs::read(&path).unwrap(), before);
        // as games of self-play
        std::fs::write(&path, "OUTFPLAY and its games").unwrap();
        let run = console(&format!("play f5\nsave {}\n", path.display()));
        let message = format!("{}: a file of self-play games, which is not overwritten", path.display());
        assert!(run.status == 3 && run.stderr.contains(&message), "{}", run.stderr);
        assert_eq!(std::fs::read(&path).unwrap(), b"OUTFPLAY and its games");
    }
}

/// Names, event, date, result, clocks, remarks and values survive, also where a game is played on.
#[test]
fn what_a_record_holds_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let sgf = "(;GM[2]SZ[8]PB[Ann]PW[Ben]EV[Cup]PC[Rome]DT[1977-05-01]GC[fine]TM[600]RE[B+4];B[fe]BL[59]V[1.5]C[good];W[df]WL[58])";
    std::fs::write(path("in.sgf"), sgf).unwrap();
    let board = "8 ---------------------------O*------*O--------------------------- *";
    let ggf = format!(
        "(;GM[Othello]PC[Rome]EV[Cup]DT[1977]PB[Ann]RB[1800.00]PW[Ben]TI[5:00]TY[8]CO[fine]RE[+4.00:r]BO[{board}]B[F5/1.50/2.00]W[D6//3.00];)"
    );
    std::fs::write(path("in.ggf"), &ggf).unwrap();
    for extension in ["sgf", "ggf"] {
        let (from, to) = (path(&format!("in.{extension}")), path(&format!("out.{extension}")));
        let run = console(&format!("load {from}\nsave {to}\nload {to}\nsave {to}\nmoves\n"));
        assert_eq!((results(&run), run.status), (vec!["f5d6"], 0), "{}", run.stderr);
        let written = std::fs::read_to_string(&to).unwrap();
        if extension == "ggf" {
            assert_eq!(written.trim_end(), ggf);
        }
        let parts = match extension {
            "ggf" => vec!["PB[Ann]"],
            _ => sgf[13..].split_inclusive(']').filter(|part| !part.starts_with('(')).collect(),
        };
        for part in parts {
            let part = part
                .trim_start_matches(')')
                .replace("[59]", "[59.00]")
                .replace("[58]", "[58.00]")
                .replace("[1.5]", "[1.50]");
            assert!(written.contains(part.trim_matches('\n')), "{part}: {written}");
        }
        // the result was of the whole game, the notes are about the moves that remain
        console(&format!("load {from}\nundo 1\nplay f6\nsave {to}\n"));
        let written = std::fs::read_to_string(&to).unwrap();
        assert!(written.contains("PW[Ben]") && written.contains("RE[?]"), "{written}");
        assert!(
            written.contains(if extension == "ggf" { "B[F5/1.50/2.00]W[F6];)" } else { "C[good];W[ff])" }),
            "{written}"
        );
    }
}

/// The games of the console itself say who played, when, and what the engine thought.
#[test]
fn own_games_have_players_and_a_date() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.ggf");
    let game = |input: &str| {
        let input = format!("{input}save {}\n", path.display());
        let run = run_with("play -q --level 2 --no-book --engine white", &input);
        assert_eq!(run.status, 0, "{}", run.stderr);
        std::fs::read_to_string(&path).unwrap()
    };
    let written = game("f5\n");
    assert!(written.contains("PB[Human]PW[Outflank]"), "{written}");
    let date = written.split("DT[").nth(1).unwrap();
    assert!(date[..10].chars().filter(char::is_ascii_digit).count() == 8 && date[4..].starts_with('-'), "{written}");
    let answer = written.split("]W[").nth(1).unwrap();
    assert!(
        answer.starts_with(|c: char| c.is_ascii_uppercase()) && answer[2..].starts_with('/'),
        "a value and a time: {written}"
    );
    assert!(game("players Ann Ben\nf5\n").contains("PB[Ann]PW[Ben]"));
    assert!(game("series Cid Dan\nmode 3\nf5\n").contains("PB[Cid]PW[Dan]"));
    // and the console says what it saves
    let run = console("series Cid Dan\nf5\nplayers\noptions\n");
    let lines = results(&run);
    assert_eq!((lines[0], lines.contains(&"players  Cid - Dan")), ("black: Cid, white: Dan", true), "{}", run.stdout);
}

/// The engine may be to move in a game that is loaded.
#[test]
fn what_the_engine_thinks_of_a_loaded_game_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("in.txt"), "f5d6").unwrap();
    let script = format!("load {}\nsave {}\n", path("in.txt"), path("out.ggf"));
    let run = run_with("play -q --level 2 --no-book --engine black", &script);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let written = std::fs::read_to_string(path("out.ggf")).unwrap();
    let answer = written.split("B[F5]W[D6]B[").nth(1).unwrap_or_else(|| panic!("a move of the engine: {written}"));
    assert!(answer[2..].starts_with('/'), "a value and a time: {written}");
}

#[test]
fn the_games_of_a_file_by_number() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/games.ggf");
    let run = console(&format!("list {file}\nload {file} 2\nmoves\nload {file} 9\nlist {file} 9\nlist none.ggf\n"));
    let lines = results(&run);
    assert_eq!(
        lines,
        [
            "     1  Ann - Ben, Rome, 1977, black won by 2, 3 moves",
            "     2  Cid - ?, white won (time), 2 moves",
            "     3  a position with 60 empty squares",
            "f5f6"
        ],
        "{}",
        run.stderr
    );
    let errors: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(errors.len(), 3, "{errors:?}");
    assert!(errors[0].ends_with("there are only 3 games in it") && errors[1].ends_with("there are only 3 games in it"));
}

#[test]
fn a_game_without_moves_keeps_its_names() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["game.ggf", "game.sgf", "game.pgn"] {
        let path = folder.path().join(name);
        let run = console(&format!(
            "players Ann Ben\nsave {0}\nplayers Cid Dan\nload {0}\nplayers\nlist {0}\nlist {0} 0\n",
            path.display()
        ));
        let lines = results(&run);
        assert_eq!(lines[0], "black: Ann, white: Ben", "{name}");
        assert!(
            lines[1].starts_with("     1  Ann - Ben, ") && lines[1].ends_with(", a position with 60 empty squares"),
            "{lines:?}"
        );
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert_eq!(run.stderr, "outflank: games are counted from 1\n", "{name}");
    }
}

#[test]
fn one_empty_square_of_a_listed_position_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ends.obf");
    std::fs::write(&path, format!("{}- X\n{}-- X\n", "X".repeat(63), "O".repeat(62))).unwrap();
    let run = console(&format!("list {}\n", path.display()));
    let expected = ["     1  a position with 1 empty square", "     2  a position with 2 empty squares"];
    assert_eq!(results(&run), expected, "{}", run.stderr);
}

#[test]
fn long_files_are_listed_in_parts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("many.txt");
    std::fs::write(&path, "f5d6\n".repeat(25)).unwrap();
    let run = console(&format!("list {0}\nlist {0} 21\n", path.display()));
    let lines = results(&run);
    assert_eq!(lines.len(), 20 + 1 + 5);
    assert!(lines[20].trim_start().starts_with("25 games in all; `list ") && lines[20].ends_with(" 21` goes on"));
    assert_eq!((lines[0], lines[21]), ("     1  2 moves", "    21  2 moves"));
}

/// `level` tells what is in force, and `options` everything.
#[test]
fn the_strength_and_the_options_in_force() {
    let run = console("depth 5\nlevel\ntime 2\nlevel\nmode black\nclock 10:00\noptions\nlevel club\nlevel\n");
    let lines = results(&run);
    assert_eq!(lines[0], "depth 5 at 100%");
    assert_eq!(lines[1], "depth 5 at 100%, at most 2 s a move");
    let option =
        |name: &str| lines.iter().find_map(|line| line.strip_prefix(&format!("{name:<8} "))).map(str::to_string);
    assert_eq!(option("level"), Some("depth 5 at 100%, at most 2 s a move".to_string()));
    assert_eq!(option("mode"), Some("1, the engine plays the first side".to_string()));
    let clock = "600 (left: black 10:00.000)".to_string();
    assert_eq!((option("clock"), option("rules")), (Some(clock), Some("othello".to_string())));
    assert_eq!(lines.last(), Some(&"club: plays as people of grade 6 of 10 do, at most 2 s a move"));
    assert_eq!(option("threads"), Some("1 (--threads)".to_string()), "over a pipe");
    // a book that is on is not said to be off where no move comes from it
    let input = "options\nlevel 0\noptions\nbook off\noptions\nbook on\nlevel 2\nrules traveller\noptions\n";
    let run = run_with("play -q --level 1", input);
    let books: Vec<&str> = results(&run).into_iter().filter(|line| line.starts_with("book")).collect();
    let states = books.iter().map(|line| line[9..].split(" (").next().unwrap_or_default());
    assert!(states.eq(["on", "on, but not at this level", "off", "on, but not by these rules"]), "{books:?}");
    let run = run_with("gtp", "set_level 0\ngogui-param_engine\nbook_off\ngogui-param_engine\n");
    let books: Vec<&str> = run.stdout.lines().filter(|line| line.contains("] book ")).collect();
    assert_eq!(books, ["[bool] book 1", "[bool] book 0"]);
    // nodes do not bound what a grade looks at
    let run = run_with("play -q --nodes 100", "level\nlevel club\nlevel\n");
    let club = "club: plays as people of grade 6 of 10 do";
    assert_eq!(results(&run), ["as deep as the limits allow, at most 100 nodes a move", club]);
    // without a level the clock decides; on large boards a level is another one
    let run = run_with("play -q", "clock 1:00\nlevel\nclock off\nrules othello:16x16\nlevel\n");
    let large = "level 21: depth 14 at 73%; exact with 14 empty squares or fewer (now depth 14 at 73%)";
    assert_eq!(results(&run), ["as deep as the clock allows", large]);
}

/// A forced pass is taken back and played again with the move before it (the shortest of thirty thousand random games with one).
#[test]
fn a_pass_goes_with_the_move_before_it() {
    let all = "e6f6g6g7d3h6h8f8pa";
    let run =
        run_with("play -q --engine none", &format!("{all}\nundo\nmoves\nredo\nmoves\nundo 2\nmoves\nredo 2\nmoves\n"));
    assert_eq!(results(&run), [&all[..14], all, &all[..12], all], "{}", run.stderr);
}

/// Behind a pass of the player's, who has had no choice there, `undo` goes back to the move before.
#[test]
fn a_turn_with_only_a_pass_is_not_gone_back_to() {
    let all = "e6d6c4d3c7b5d2e2f2f1b3d7d8g2h2h3a6h1paf3";
    let run = run_with("play -q --engine none", &format!("{all}\nmode 0\nundo\nmoves\nredo\nmoves\n"));
    assert_eq!(results(&run), [&all[..32], &all.replace("pa", "")], "{}", run.stderr);
}

/// A pass that was taken back, at the beginning of the game, is played by itself where the engine plays: it is not there to be
/// played again, and what followed it is.
#[test]
fn a_pass_that_plays_itself_is_not_redone() {
    let board = format!("setboard {}X{}-{}OX- X\n", "O".repeat(7), "O".repeat(7), "O".repeat(45));
    let run = |commands: &str| run_with("play -q --level 1 --no-book --engine none", &format!("{board}{commands}"));
    for taken_back in ["pass\nundo", "h8\nundo 2", "h8\nundo\nundo"] {
        let found = run(&format!("{taken_back}\nmode 1\nmoves\nredo\nmoves\n"));
        let all = if taken_back.starts_with('h') { "h8" } else { "pa" };
        assert_eq!(results(&found), ["Outflank plays PA", "pa", all], "{taken_back}: {}", found.stderr);
    }
    // what the player must do is not told as a move of the engine
    assert_eq!(results(&run("mode 0\nmoves\n")), ["Outflank plays H8", "h8"]);
}

/// With the engine on both sides there is no turn to go back to: one move.
#[test]
fn undo_in_mode_2() {
    let run = run_with("play -q --level 1 --no-book --engine both", "undo\nmoves\nundo\nmoves\nredo\nmoves\n");
    let lines = results(&run);
    let played = lines.iter().filter(|line| line.starts_with("Outflank plays ")).count();
    let moves: Vec<&str> = lines[played..].to_vec();
    assert_eq!(moves.len(), 3, "{}", run.stdout);
    // a pass is told where no move after it says so
    let kept = moves[1].trim_end_matches("pa");
    assert!(moves[0].starts_with(kept) && moves[2] == moves[0], "{moves:?}");
    assert!((1..=2).contains(&((moves[0].len() - kept.len()) / 2)), "{moves:?}");
}

#[test]
fn boards_hints_and_analysis() {
    let run = run_with("play --level 2", "f5\nhint 2\nanalyze\nlevel\nlevel 10\nlevel\nhelp\nhelp go\n");
    assert_eq!(run.status, 0);
    for part in [
        "  5 - - - X X[X]- - 5",
        "principal variation",
        "   1  black  f5",
        "level 2: depth 2 at 100%",
        "level 10: depth 10 at 100%",
        "  go ",
        "takes back",
    ] {
        assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
    }
    let rows = run.stdout.lines().filter(|line| line.len() > 53 && line.starts_with("    2 ")).count();
    assert_eq!(rows, 2, "two hints: {}", run.stdout);
}

#[test]
fn other_rules_have_their_own_board() {
    let run = run_with("play --level 1 --rules ravensburger", "go\nrules othello:6x6\nboard\nrules nonsense\n");
    assert!(run.stdout.contains("gold") && run.stdout.contains("Outflank plays "), "{}", run.stdout);
    assert!(run.stdout.contains("    a b c d e f\n"), "{}", run.stdout);
    assert!(run.error().contains("nonsense"), "{}", run.stderr);
}

#[test]
fn an_unknown_tier_is_told_and_the_work_is_done() {
    let check = |name: &OsStr, told: &str| {
        let mut command = super::run::command("levels 3");
        let output = crate::binary::output(command.env("OUTFLANK_TIER", name), "");
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && errors.contains(told), "{errors}");
    };
    check(OsStr::new("bogus"), "OUTFLANK_TIER: 'bogus' is not one of");
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        check(OsStr::from_bytes(b"v3\xff"), "OUTFLANK_TIER: 'v3\u{fffd}' is not one of");
    }
}

#[cfg(unix)]
#[test]
fn an_error_stream_that_is_full_stops_nothing() {
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else {
        return crate::shared_data::skipped("/dev/full");
    };
    let mut command = super::run::command("play -q --level 1");
    let mut child = command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(full)
        .spawn()
        .expect("the program starts");
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"nonsense\nplay f5\nmoves\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().contains("f5"), "the session went on");
    assert_eq!(output.status.code(), Some(2), "and did not abort");
}

#[test]
fn games_are_turned_and_go_on() {
    let run = run_with("play -q", "f5d6\nrotate\nmoves\nhmirror\nmoves\nsymetry 2\nf3\nmoves\nundo 3\nredo 2\nmoves\n");
    let told: Vec<&str> = run.stdout.lines().filter(|line| *line != ">").collect();
    assert_eq!(told, ["e3f5", "d3c5", "d6c4f3", "d6c4"], "{}", run.stderr);
    let run = run_with("play -q --rules othello:6x8", "hmirror\nrotate 90\n");
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("the board of othello:6x8 does not look the same from there"), "{}", run.stderr);
}

/// As a script of Edax reads them.
#[test]
fn a_quiet_hint_in_place_of_edax_is_rows_only() {
    let rows = |arguments: &str| run_with(arguments, "hint 2\n").stdout;
    let edax = rows("--as-edax -q -l 4 --no-book");
    let lines: Vec<&str> = edax.lines().collect();
    assert_eq!((lines.len(), lines[0], lines[3]), (4, ">", ">"), "{edax}");
    assert!(lines[1..3].iter().all(|line| line.trim_start().starts_with("4 ")), "{edax}");
    // with boards, and under our own name, the table has its titles
    for other in ["--as-edax -l 4 --no-book", "play -q -l 4 --no-book"] {
        assert!(rows(other).contains("principal variation"), "{other}");
    }
}

#[test]
fn a_line_without_an_end_is_cut_and_its_error_is_short() {
    let word = "x".repeat(3 << 20);
    let run = run_with("play -q", &format!("{word}\nlevel {word}\nplay {word}\n# {word}\nf5\nmoves\n"));
    assert_eq!((run.status, results(&run)), (2, vec!["f5"]));
    assert!(run.stderr.lines().count() == 3 && run.stderr.len() < 500, "{} bytes", run.stderr.len());
    assert!(run.stderr.contains("unknown command 'xxxxxxxxxxxxxxxxxxxxxxxx...'"), "{}", run.stderr);
}

/// What `book show` lists can be typed: it is numbered as the board is.
#[test]
fn book_moves_have_the_names_of_the_board() {
    for (rows, first, listed) in [("top", "d3", ["c5", "c3", "e3"]), ("bottom", "d6", ["c4", "c6", "e6"])] {
        let run = console(&format!("rows {rows}\n{first}\nbook show\n"));
        let results = results(&run);
        let moves: Vec<&str> = results.iter().skip(1).filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(moves, listed, "{}", run.stdout);
        // the line behind a move begins with it
        assert!(
            results.iter().skip(1).all(|line| line.rsplit(' ').next().is_some_and(|pv| pv.starts_with(&line[..2])))
        );
    }
}
