//! `outflank rules`, and boards and words of every rule set at the console, `solve` and GTP.

use super::run::{Run, run, run_args, run_with};

fn console(rules: &str, input: &str) -> Run {
    run_args(&["play", "--level", "2", "--engine", "none", "--rules", rules], input)
}

#[test]
fn every_sheet_is_taught_with_drawn_boards() {
    let games = [
        "othello",
        "reveris",
        "ravensburger",
        "ravensburger-one",
        "traveller",
        "traveller-all",
        "hungarian",
        "reversi",
        "octagon",
        "handicap:2",
        "othello:5x5,one",
        "ravensburger-solo",
    ];
    for game in games {
        let text = run(&format!("rules {game}"));
        assert_eq!((text.status, text.stderr.as_str()), (0, ""), "{game}");
        for heading in ["SET-UP", "THE END", "VARIANTS", "READINGS"] {
            assert!(text.stdout.lines().any(|line| line == heading), "{game} lacks {heading}:\n{}", text.stdout);
        }
        // the start, and an example before and after
        let boards = text.stdout.lines().filter(|line| line.trim_start().starts_with("a ")).count();
        assert!(boards >= 3, "{game}: {boards} boards\n{}", text.stdout);
        let markdown = run(&format!("rules {game} --format markdown"));
        assert!(markdown.stdout.starts_with(&format!("# {game}\n")), "{game}:\n{}", markdown.stdout);
        assert!(markdown.stdout.matches("```").count() >= 6, "{game}");
    }
    // readings are marked, advice is shown
    assert!(run("rules traveller").stdout.matches("(reading)").count() >= 5);
    let ravensburger = run("rules ravensburger").stdout;
    let words = ravensburger.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("above all corners, as soon as you can"), "{ravensburger}");
    assert!(words.contains("With equal counts black wins, who moved second."), "{ravensburger}");
    assert!(ravensburger.contains("G = gold, B = black"), "{ravensburger}");
    let odd = run("rules othello:5x5,own").stdout;
    assert!(odd.contains("own: 13 and 12 discs, those of the start"), "{odd}");
    for (game, variant) in [
        ("ravensburger", "ravensburger-one"),
        ("ravensburger-one", "ravensburger"),
        ("traveller", "traveller-all"),
        ("traveller-all", "traveller"),
        ("hungarian", "hungarian:6x6"),
        ("reversi", "reversi:parallel"),
        ("octagon", "octagon:12x12"),
        ("handicap", "handicap:3"),
    ] {
        let text = run(&format!("rules {game}")).stdout;
        assert!(text.contains(&format!("* `{variant}`: ")), "{game}: {text}");
        assert!(text.contains("The game ends when the board is full, when neither side can place a disc,"), "{text}");
    }
    let hungarian = run("rules hungarian").stdout;
    assert!(hungarian.contains("     5 # # # o O . # # 5\n"), "o on d5, rows from the bottom:\n{hungarian}");
}

/// A board of six rows is none of othello's, and the example is for copying.
#[test]
fn the_example_of_a_start_can_be_played() {
    let list = run("rules").stdout;
    let example = list.split_whitespace().find(|word| word.contains("start=6/")).expect("there is one");
    let sheet = run(&format!("rules {example}"));
    assert_eq!((sheet.status, sheet.stdout.lines().next()), (0, Some(example)), "{}", sheet.stderr);
}

#[test]
fn rules_as_json_name_readings() {
    let run = run("rules octagon --json");
    let value: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((value["shape"].as_str(), value["rows"].as_u64()), (Some("octagon"), Some(10)));
    // positions are read by what solves and draws them, by these rules
    for line in super::run::run("rules --json").stdout.lines() {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        let [rules, position] = ["rules", "position"].map(|field| value[field].as_str().unwrap());
        let solved = run_with(&format!("solve - --depth 1 --json --rules {rules}"), &format!("{position}\n"));
        let found: serde_json::Value = serde_json::from_str(&solved.stdout).unwrap();
        assert_eq!((found["position"].as_str(), solved.status), (Some(position), 0), "{rules}: {}", solved.stderr);
    }
    assert_eq!(super::run::run("rules ravensburger-solo --json").status, 2);
    assert_eq!(super::run::run("rules chess").status, 2);
}

/// The board of the issue: `o` and `O` are two players.
#[test]
fn hungarian_boards_keep_their_case() {
    let board = "-----o--o-O-O----OOO----oO-OOOOo-OOOO---o-O-Oo----O--O----o---o- o";
    let run = console("hungarian", &format!("setboard {board}\nc5\nquit\n"));
    assert_eq!(run.stderr, "");
    assert!(run.stdout.contains("> o o   8 discs"), "{}", run.stdout);
    assert!(run.stdout.contains("  O O  18 discs"), "{}", run.stdout);
    // rows are numbered from the bottom: the sheet's move, by the sheet's name; all but three turn
    assert!(run.stdout.contains("last move: o c5"), "{}", run.stdout);
    assert!(run.stdout.contains("> O O   3 discs"), "{}", run.stdout);
    // the same board as the sheet prints it, from a file: its squares have the sheet's names there, too
    let printed = "#####o##8\no#O#O###7\n#OOO####6\noO#OOOOo5\n#OOOO###4\no#O#Oo##3\n##O##O##2\n##o###o#1\no\n";
    let analyzed = run_with("analyze --rules hungarian --level 1 --json -", printed);
    assert_eq!(analyzed.status, 0, "{}", analyzed.stderr);
    let read = "\"position\":\"--X---X---O--O--X-O-OX---OOOO---XO-OOOOX-OOO----X-O-O--------X-- X\"";
    assert!(analyzed.stdout.contains(read), "{}", analyzed.stdout);
    let ambiguous =
        console("hungarian", "setboard -----o--o-X-O----OOO----oO-OOOOo-OOOO---o-O-Oo----O--O----o---o- o\n");
    assert!(ambiguous.stderr.contains("'o' and 'X' on one board are ambiguous"), "{}", ambiguous.stderr);
}

#[test]
fn gold_and_black_are_read_by_setboard_solve_and_gtp() {
    let board = "-----BG--GB----- G";
    let play = console("ravensburger:4x4", &format!("setboard {board}\n"));
    assert!(play.stdout.contains("> G gold    2 discs, 4 moves"), "{}", play.stdout);
    let solve = run_with("solve --rules ravensburger:4x4 --json -", &format!("{board}\n"));
    assert!(solve.stdout.contains("\"score\":-10"), "{}{}", solve.stdout, solve.stderr);
    let lines = "----\n-BG-\n-GB-\n----\nG\n";
    let solve = run_with("solve --rules ravensburger:4x4 --json -", lines);
    assert!(solve.stdout.contains("\"score\":-10"), "{}{}", solve.stdout, solve.stderr);
    assert_eq!(solve.stdout.matches("\"position\"").count(), 1, "four lines are one board: {}", solve.stdout);
    let short = run_with("solve --rules ravensburger:4x4 -", "----BG--GB----- G\n");
    assert_eq!(short.status, 2);
    assert!(short.stderr.contains("15 squares, not 16"), "{}", short.stderr);
    let gtp = run_with("gtp --rules ravensburger:4x4", &format!("outflank-setboard {board}\nshowboard\nquit\n"));
    assert!(gtp.stdout.starts_with('='), "{}", gtp.stdout);
}

#[test]
fn messages_name_the_colours_and_the_reason() {
    let run = console("ravensburger", "d4\na1\npass\nwhy e3\nwhy f5\n");
    for part in [
        "gold cannot play 'd4': a disc of black stands there",
        "gold cannot play 'a1': the disc would turn nothing",
        "gold cannot pass, it has a legal move",
    ] {
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
    assert!(run.stdout.contains("gold cannot play e3: the disc would turn nothing"), "{}", run.stdout);
    assert!(run.stdout.contains("SW d4 black, then c5 empty: no gold disc behind"), "{}", run.stdout);
    assert!(run.stdout.contains("gold can play f5, which turns 1 disc"), "{}", run.stdout);
    let one = console("ravensburger-one", "f5:N\n");
    assert!(one.stderr.contains("nothing turns towards N, only towards W"), "{}", one.stderr);
    let octagon = console("octagon", "a1\n");
    assert!(
        octagon.stderr.contains("black cannot play 'a1': the square is a hole of this board"),
        "{}",
        octagon.stderr
    );
    let traveller = console("traveller", "a1\n");
    assert!(traveller.stderr.contains("the four centre squares"), "{}", traveller.stderr);
}

#[test]
fn passes_are_announced_with_their_reason() {
    // the sheet's position B: o must pass, O plays g1, o must pass again
    let board = "########8 ########7 ###ooooo6 ###oOOOO5 ###ooOOO4 ####ooOO3 ######oO2 #######O1 o";
    let run = console("hungarian", &format!("setboard {board}\ng1\n"));
    assert_eq!(run.stderr, "");
    assert!(run.stdout.contains("must pass (no square turns a disc)"), "{}", run.stdout);
    assert!(run.stdout.contains("o passes: no square turns a disc"), "{}", run.stdout);
    assert!(run.stdout.contains("o must pass: no square turns a disc"), "{}", run.stdout);
    let end = console("ravensburger:4x4", "setboard GG----------BB-- G\n");
    assert!(end.stdout.contains("black wins 2-2 (equal counts: the player who moved second wins)"), "{}", end.stdout);
}

#[test]
fn a_series_alternates_the_first_mover() {
    let run = console(
        "ravensburger:4x4",
        "series Ann Ben\nsetboard GGG------------- G\nseries\nnew\nrules ravensburger:4x4\nseries\nseries off\nseries\n",
    );
    assert!(run.stdout.contains("game 1: Ann has gold and begins, Ben has black"), "{}", run.stdout);
    assert!(run.stdout.contains("series: Ann 1, Ben 0 after 1 game"), "{}", run.stdout);
    assert!(run.stdout.contains("game 2: Ben has gold and begins, Ann has black"), "{}", run.stdout);
    assert!(run.stderr.contains("no series is being played"), "{}", run.stderr);
}

/// What `series` has told of a game stays, whatever begins the next one.
#[test]
fn a_finished_game_of_a_series_counts_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("other.txt"), "f5d6").unwrap();
    let end = format!("series Ann Ben\nsetboard -OX{} X\na1\nseries\n", "-".repeat(61));
    let (other, same) = (path("other.txt"), path("same.ggf"));
    let starts = [
        "new\nnew",
        "init\ninit",
        "opening 1",
        "rules reversi",
        &format!("setboard XO{} O", "-".repeat(62)),
        &format!("setboard OX-{} O", "-".repeat(61)),
        &format!("load {other}\nload {other}"),
        &format!("save {same}\nload {same}\nload {same}"),
    ];
    for start in starts {
        let run = run_args(&["play", "-q", "--level", "1"], &format!("{end}{start}\nseries\n"));
        assert_eq!(run.stderr, "", "{start}");
        assert_eq!(run.stdout.matches("series: Ann 1, Ben 0 after 1 game\n").count(), 2, "{start}: {}", run.stdout);
    }
    // the engine goes on for the same player, who begins the next game
    let run = run_args(&["play", "-q", "--level", "1", "--engine", "white"], &format!("{end}init\n"));
    assert!(run.stdout.contains("Outflank plays "), "{}", run.stdout);
}

#[test]
fn rows_are_numbered_as_asked() {
    let top = run_args(&["play", "--engine", "none", "--rules", "hungarian", "--rows", "top"], "c5\n");
    assert!(top.stdout.contains("last move: o c5"), "{}", top.stdout);
    let bottom = run_args(&["play", "--engine", "none", "--rows", "bottom"], "f4\nrows top\n");
    assert!(bottom.stdout.contains("  8 - - - - - - - - 8   othello"), "{}", bottom.stdout);
    assert!(bottom.stdout.contains("last move: black f4"), "{}", bottom.stdout);
    assert!(bottom.stdout.contains("last move: black f5"), "{}", bottom.stdout);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.txt");
    let saved = run_args(&["play", "--engine", "none", "--rows", "bottom"], &format!("f4\nsave {}\n", path.display()));
    assert_eq!(saved.status, 0, "{}", saved.stderr);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "f5\n", "files number rows from the top");
}

#[test]
fn odd_boards_and_holes_are_played_and_solved() {
    let solved = run_with("solve --rules othello:4x5 --json -", "-------OX---XO------- X\n");
    assert_eq!(solved.status, 2, "21 squares are too many: {}", solved.stdout);
    let solved = run_with("solve --rules othello:4x5 --json -", "------OX---XO------- X\n");
    assert_eq!(solved.status, 0, "{}", solved.stderr);
    assert!(solved.stdout.contains("\"exact\":true"), "{}", solved.stdout);
    let played = run_args(&["play", "-q", "--level", "2", "--rules", "octagon"], "go\ngo\nmoves\n");
    assert_eq!((played.status, played.stderr.as_str()), (0, ""));
}

#[test]
fn games_begin_with_openings_by_name() {
    let moves = |arguments: &[&str], script: &str| {
        let run = run_args(&[&["play", "-q", "--engine", "none"], arguments].concat(), &format!("{script}moves\n"));
        (run.status, run.stdout.replace(">\n", ""), run.stderr)
    };
    let tiger = (0, "f5d6c3d3c4\n".to_string(), String::new());
    assert_eq!(moves(&["--opening", "tiger"], ""), tiger);
    assert_eq!(moves(&[], "f5f6\nopening Tiger\n"), tiger, "another game");
    // as Edax's `play` takes names
    assert_eq!(moves(&[], "play Tiger\n"), tiger);
    // and its `opening` asks for the name, which leaves the game as it is
    let run = run_args(&["--as-edax", "-q"], "opening\nplay tiger\nopening\nmoves\n");
    assert_eq!(run.stdout.replace('>', "").split_whitespace().collect::<Vec<_>>(), ["Tiger", "f5d6c3d3c4"]);
    let (status, played, error) = moves(&[], "f5f6\nplay tiger\n");
    assert_eq!((status, played.as_str()), (2, "f5f6\n"));
    assert!(error.contains("play: this opening begins a game (`opening tiger` starts one)"), "{error}");
    let (status, _, error) = moves(&["--rules", "othello:6x6"], "opening tiger\n");
    assert!(status == 2 && error.contains("othello:6x6 does not begin as othello does"), "{error}");
    let (status, _, error) = moves(&["--opening", "tigger"], "");
    assert!(status == 2 && error.contains("no opening is called 'tigger'"), "{error}");
}

#[test]
fn balanced_openings_repeat_for_a_seed() {
    let opening = |rules: &str| {
        let run = run_args(&["play", "--engine", "none", "--rules", rules, "--opening", "balanced:7"], "moves\n");
        assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{rules}");
        let line = run.stdout.lines().find(|line| line.starts_with("opening 7: "));
        line.unwrap_or_else(|| panic!("{}", run.stdout)).to_string()
    };
    assert_eq!(opening("othello:6x6"), opening("othello:6x6"));
    assert!(opening("ravensburger:6x6").ends_with("who is to move)"));
    let script = "opening 3\nmoves\nopening 3\nmoves\n";
    let next = run_args(&["play", "-q", "--engine", "none", "--rules", "othello:6x6"], script);
    let moves: Vec<&str> = next.stdout.lines().filter(|line| line.len() > 8).collect();
    assert_eq!((moves.len(), moves[0]), (2, moves[1]), "{}", next.stdout);
    assert_eq!(run_args(&["play", "--opening", "wild"], "").status, 2);
}
