//! `outflank solve`.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use super::run::{ENDGAMES, START, command, run, run_args, run_with};
use crate::waiting::wait_for;

fn endgames() -> String {
    fs::read_to_string(ENDGAMES).expect("the file is part of the project")
}

/// The problems without comments.
fn problems() -> Vec<String> {
    endgames().lines().filter(|line| !line.starts_with('%')).map(str::to_string).collect()
}

#[test]
fn a_file_with_right_scores() {
    let run = run(&format!("solve {ENDGAMES}"));
    assert_eq!(run.status, 0, "{}", run.stderr);
    let count = problems().len();
    let rows: Vec<&str> = run.stdout.lines().filter(|line| line.get(3..4) == Some("|")).collect();
    assert_eq!(rows.len(), count + 1, "{}", run.stdout);
    assert!(run.stdout.contains(&format!("{count} of {count} as in the file")), "{}", run.stdout);
    assert!(run.stderr.is_empty());
    // columns of the first row: number, depth, score
    let empties = problems()[0][..64].matches('-').count();
    assert!(rows[1].starts_with(&format!("  1|{empties:>5}   +")), "{}", rows[1]);
}

/// The columns stay where the titles have them, with a thousand problems in a file, and in a pipe, where nobody knows how many come.
#[test]
fn a_thousand_problems_have_straight_columns() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("many.obf");
    let text = format!("-{} X\n", "O".repeat(63)).repeat(1001);
    fs::write(&file, &text).unwrap();
    for (run, place) in [
        (run_args(&["solve", file.to_str().unwrap()], ""), 4),
        (run_args(&["solve", "-"], &text), 5),
        (run(&format!("solve {ENDGAMES}")), 3),
    ] {
        let rows: Vec<&str> = run.stdout.lines().filter(|line| line.contains('|')).collect();
        assert!(rows.iter().all(|row| row.find('|') == Some(place)), "{place}: {}", rows[rows.len() - 1]);
        assert!(run.stdout.lines().filter(|line| line.starts_with("---")).all(|line| line.find('+') == Some(place)));
        assert!(rows.len() > 10, "{}", run.stderr);
    }
}

/// Peak memory of a process in KiB; `None` where the system does not tell.
fn peak_memory(id: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().split(' ').next()?.parse().ok()
}

/// A table that is touched all over, or weights that are unpacked for nothing, take three times as much.
#[test]
fn a_dozen_empty_squares_take_little_memory() {
    let empties = |line: &String| line[..64].matches('-').count();
    let twelve = problems().into_iter().find(|line| empties(line) == 12).expect("the file has one");
    let mut child = command("solve - --json").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().expect("piped");
    writeln!(input, "{twelve}").unwrap();
    let mut answer = String::new();
    BufReader::new(child.stdout.take().expect("piped")).read_line(&mut answer).unwrap();
    let peak = peak_memory(child.id());
    drop(input);
    assert!(child.wait().unwrap().success() && answer.contains("\"verdict\":\"right\""), "{answer}");
    // elsewhere nobody says how much it is
    assert!(peak.is_some() || !cfg!(target_os = "linux"));
    assert!(peak.is_none_or(|kib| kib < 24 << 10), "{peak:?} KiB");
}

/// What an earlier run has found is read again when its problem comes: it may be more than the memory holds.
#[test]
fn results_of_an_earlier_run_take_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.jsonl");
    // lines that could not be read, with a megabyte about each, and the second one first
    let count = 64;
    let mut file = fs::File::create(&output).unwrap();
    for number in [2, 1].into_iter().chain(3..=count) {
        let error = "x".repeat(1 << 20);
        writeln!(file, "{{\"number\":{number},\"line\":{number},\"error\":\"{error}\"}}").unwrap();
    }
    drop(file);
    let mut command = command(&format!("solve - --json --resume --output {}", output.display()));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut input = child.stdin.take().expect("piped");
    writeln!(input, "{}{}", "nonsense\n".repeat(count), problems()[0]).unwrap();
    let mut answer = String::new();
    BufReader::new(child.stdout.take().expect("piped")).read_line(&mut answer).unwrap();
    let peak = peak_memory(child.id());
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(2));
    assert!(answer.starts_with("{\"number\":65,"), "{answer}");
    assert!(peak.is_none_or(|kib| kib < 40 << 10), "{peak:?} KiB");
    let sorted = fs::read_to_string(&output).unwrap();
    assert_eq!(sorted.lines().count(), count + 1);
    assert!((1..).zip(sorted.lines()).all(|(number, line)| line.starts_with(&format!("{{\"number\":{number},"))));
}

#[test]
fn a_wrong_score_is_listed_and_fails() {
    let mut lines = problems();
    // the first problem's best move is worth two discs more than the file now says
    let at = lines[0].find(':').unwrap();
    let end = lines[0][at..].find(';').unwrap() + at;
    let score: i32 = lines[0][at + 1..end].parse().unwrap();
    let wrong = format!("{:+}", score + 2);
    lines[0].replace_range(at + 1..end, &wrong);
    let run = run_with("solve -", &lines.join("\n"));
    assert_eq!(run.status, 1);
    assert!(run.stdout.contains("1 wrong score"), "{}", run.stdout);
    let listed = run.stdout.lines().find(|line| line.starts_with("  #1 (line 1): ")).unwrap();
    assert!(listed.ends_with(&wrong), "{listed}");
}

#[test]
fn a_bad_line_is_named_and_the_rest_solved() {
    let mut lines = problems()[..3].to_vec();
    lines.insert(1, "XXXX nonsense".to_string());
    let run = run_with("solve -", &lines.join("\n"));
    assert_eq!(run.status, 2);
    assert!(run.error().starts_with("standard input: line 2, column "), "{}", run.stderr);
    assert!(run.stdout.contains("3 of 3 as in the file"), "{}", run.stdout);
    assert!(run.stdout.contains("1 line could not be read"));
}

#[test]
fn several_files_are_one_input() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = ["first.obf", "second.txt"].map(|name| folder.path().join(name));
    fs::write(&first, format!("% two\n{}\nnonsense\n", problems()[0])).unwrap();
    // moves of a whole game but for its last ones, and a wrong score
    let moves =
        "d3e3f4c3f5e6f3c4e2g6c5c6d2c2b3d1e1f1b4b5f2g1c1b1a6g5g4h3h4h5f6f7g3a5a4a3a2g2d6d7b6a7a8b2a1h1h2b7c7c8b8d8";
    fs::write(&second, format!("{moves}\n{}; +64;\n", &problems()[1][..66])).unwrap();
    let names = format!("{} {}", first.display(), second.display());
    let json = run(&format!("solve {names} --json"));
    assert_eq!(json.status, 2);
    let places: Vec<(u64, bool, u64)> = json
        .json()
        .iter()
        .map(|one| {
            let second = one["source"].as_str().unwrap().ends_with("second.txt");
            (one["number"].as_u64().unwrap(), second, one["line"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(places, [(1, false, 2), (2, false, 3), (3, true, 1), (4, true, 2)]);
    assert!(json.json()[1]["error"].as_str().unwrap().starts_with("line 3, column "));
    assert!(json.stderr.contains("first.obf: line 3, column "), "{}", json.stderr);
    assert_eq!(json.json()[2]["exact"], true);
    let table = run(&format!("solve {names}"));
    assert!(table.stdout.contains("\n2 files: 3 positions, "), "{}", table.stdout);
    assert!(table.stdout.contains(&format!("#4 ({}, line 2): ", second.display())), "{}", table.stdout);
    // the numbers of an output file are those of all files
    let output = folder.path().join("out.jsonl");
    let solve = |more: &str| run(&format!("solve {names} --json --output {} {more}", output.display()));
    assert_eq!(solve("").status, 2);
    let lines = fs::read_to_string(&output).unwrap();
    fs::write(&output, lines.lines().take(2).map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    let rest = solve("--resume");
    assert_eq!(rest.json().len(), 2, "{}", rest.stdout);
    assert_eq!(fs::read_to_string(&output).unwrap().lines().count(), 4);
    // one that is not there is noticed before anything is solved
    let missing = run(&format!("solve {} none.obf", first.display()));
    assert_eq!((missing.status, missing.stdout.as_str()), (2, ""));
    assert!(missing.error().contains("none.obf"));
}

#[test]
fn line_ends_comments_and_no_lines_at_all() {
    let text = format!("% comment\r\n\r\n{}\r\n", problems()[0]);
    let with_crlf = run_with("solve - --json", &text);
    assert_eq!(with_crlf.status, 0, "{}", with_crlf.stderr);
    assert_eq!(with_crlf.json()[0]["line"], 3);
    for input in ["", "% comment\n"] {
        let empty = run_with("solve -", input);
        assert_eq!((empty.status, empty.error()), (2, "there is no position in standard input"));
        assert!(empty.stdout.contains("0 positions"));
    }
}

#[test]
fn all_moves_have_the_scores_of_the_file() {
    let run = run(&format!("solve {ENDGAMES} --json --all-moves"));
    assert_eq!(run.status, 0);
    let found = run.json();
    let problems = problems();
    assert_eq!(found.len(), problems.len());
    for (value, problem) in found.iter().zip(&problems) {
        let mut expected: Vec<(String, i64)> = problem[66..]
            .split(';')
            .filter_map(|entry| entry.trim().split_once(':'))
            .map(|(mv, score)| (mv.to_lowercase().replace("--", "pass"), score.parse().unwrap()))
            .collect();
        let moves = value["moves"].as_array().unwrap();
        let mut found: Vec<(String, i64)> = moves
            .iter()
            .map(|line| (line["move"].as_str().unwrap().to_string(), line["score"].as_i64().unwrap()))
            .collect();
        assert!(found.is_sorted_by_key(|entry| -entry.1), "{problem}");
        assert!(moves.iter().all(|line| line["bound"] == "exact" && line["pv"][0] == line["move"]), "{value}");
        assert_eq!(value["score"], found[0].1);
        assert_eq!(value["exact"], true);
        assert_eq!(value["file"]["verdict"], "right");
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{problem}");
    }
}

/// The file may score moves that are not the best ones.
#[test]
fn a_wrong_score_of_any_move_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.jsonl");
    let problems = problems();
    let input = format!("{}\n{}\n", problems[0].replace("F8:+6", "F8:+4").replace("G2:+0; ", ""), problems[1]);
    let solve = |options: &str| run_with(&format!("solve - {options}"), &input);
    let best = solve("--json");
    assert_eq!((best.status, best.json()[0]["file"].get("other_moves")), (0, None), "{}", best.stderr);
    let all = solve("--all-moves");
    assert_eq!(all.status, 1, "{}", all.stdout);
    let totals =
        "1 of 2 as in the file; 0 wrong moves, 0 wrong scores, 1 wrong score of other moves, 0 moves not listed; ";
    let wrong = "\n  #1 (line 1): f8 +6, the file has +4\n";
    assert!(all.stdout.contains(totals) && all.stdout.contains(wrong), "{}", all.stdout);
    let saved = |more: &str| solve(&format!("--all-moves --json --output {} {more}", path.display()));
    let json = saved("");
    let file = &json.json()[0]["file"];
    let other = serde_json::json!([{"move": "f8", "score": 6, "listed": 4}]);
    assert_eq!((json.status, &file["verdict"], &file["other_moves"]), (1, &"wrong".into(), &other));
    assert_eq!((&file["wrong_move"], &file["wrong_score"]), (&false.into(), &false.into()));
    assert_eq!(json.json()[1]["file"]["verdict"], "right");
    let again = saved("--resume");
    assert!(again.status == 1 && again.stderr.contains(wrong), "{}", again.stderr);
    // who wins is as in the file
    assert_eq!(solve("--all-moves --wld").status, 0);
    // the best move's score and another one's
    let two = run_with("solve - --all-moves", &problems[0].replace("G8:+8", "G8:+10").replace("H7:-8", "H7:-6"));
    let wrong = "#1 (line 1): g8 +8, the file has g8 +10; h7 -8, the file has -6\n";
    assert!(two.status == 1 && two.stdout.contains(wrong), "{}", two.stdout);
    // of several best moves one that the file has below the others
    let line = run_with("solve - --best-moves --obf", TIES.lines().last().unwrap()).stdout;
    let (rest, last) = line.trim_end().trim_end_matches(';').rsplit_once(':').unwrap();
    let lower = format!("{rest}:{:+};", last.parse::<i32>().unwrap() - 2);
    assert_eq!(run_with("solve - --best-moves", &line).status, 0);
    let told = run_with("solve - --best-moves", &lower);
    assert!(told.status == 1 && told.stdout.contains("1 wrong score of other moves"), "{}", told.stdout);
}

/// That the engine has not among its best ones, whether their score is the file's or not.
#[test]
fn a_move_that_only_the_file_calls_best_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.jsonl");
    let problem = problems()[0].replace("F8:+6", "F8:+8");
    let solve = |options: &str| run_with(&format!("solve - {options}"), &problem);
    assert_eq!(solve("").status, 0, "{problem}");
    let wrong = "1 wrong score of other moves, 0 moves not listed; mean absolute error: moves 0.000, scores 0.000 discs\n  \
                 #1 (line 1): f8 is worse, the file has +8\n";
    let told = solve(&format!("--best-moves --output {}", path.display()));
    assert!(told.status == 1 && told.stdout.contains(wrong), "{}", told.stdout);
    let again = solve(&format!("--best-moves --output {} --resume", path.display()));
    assert!(again.status == 1 && again.stdout.contains(wrong), "{}", again.stdout);
    let file = &solve("--best-moves --json").json()[0]["file"];
    let other = serde_json::json!([{"move": "f8", "score": null, "listed": 8}]);
    assert_eq!((&file["verdict"], &file["other_moves"]), (&"wrong".into(), &other));
}

/// As `--obf` says of its own results.
#[test]
fn scores_that_are_not_exact_are_not_compared() {
    let [first, second] = [0, 1].map(|at| problems()[at].to_string());
    let input = format!("{} % 3@73%\n{second}\n", first.replace("G8:+8", "G8:+10"));
    let table = run_with("solve -", &input);
    let totals = "standard input: 1 of 1 as in the file\n\
                  standard input: not compared: 1 position whose scores are not exact in the file\n";
    assert!(table.status == 0 && table.stdout.ends_with(totals), "{}", table.stdout);
    let json = run_with("solve - --json", &input);
    let files: Vec<bool> = json.json().iter().map(|line| line.get("file").is_some()).collect();
    assert_eq!((json.status, files), (0, vec![false, true]));
    // whatever the depth
    for (depth, mark) in [("3", "3@100%"), ("3 --selectivity 73", "3@73%")] {
        let searched = run_with(&format!("solve - --obf --depth {depth}"), &input).stdout;
        assert_eq!(searched.matches(&format!("; % {mark}\n")).count(), 2, "{searched}");
        let told = run_with("solve -", &searched);
        assert!(told.status == 0 && told.stdout.contains(": not compared: 2 positions whose"), "{}", told.stdout);
    }
}

#[test]
fn results_in_a_file_are_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let (path, input) = (folder.path().join("results.jsonl"), problems().join("\n"));
    let solve = |options: &str| run_with(&format!("solve - --output {} {options}", path.display()), &input);
    assert_eq!(solve("--jobs 2").status, 0);
    let whole = fs::read_to_string(&path).unwrap();
    assert_eq!(whole.lines().count(), problems().len());
    // another run does not overwrite it, and a finished one has nothing left to do
    let again = solve("");
    assert!(again.status == 2 && again.error().contains("has results already"), "{}", again.stderr);
    let nothing = solve("--resume --json");
    assert_eq!((nothing.status, nothing.stdout.as_str()), (0, ""), "{}", nothing.stderr);
    assert!(nothing.stderr.contains("12 positions (12 of them before)"), "{}", nothing.stderr);
    assert!(nothing.stderr.contains("12 of 12 as in the file"), "{}", nothing.stderr);
    // a kill after five lines and a half
    let cut = whole.match_indices('\n').nth(4).unwrap().0 + 30;
    fs::write(&path, &whole[..cut]).unwrap();
    let rest = solve("--resume --json");
    assert_eq!((rest.status, rest.json()[0]["number"].as_u64()), (0, Some(6)), "{}", rest.stderr);
    assert_eq!(rest.json().len(), 7);
    let scores = |text: &str| -> Vec<(u64, i64)> {
        let value = |line| serde_json::from_str::<serde_json::Value>(line).unwrap();
        let pair = |value: serde_json::Value| (value["number"].as_u64().unwrap(), value["score"].as_i64().unwrap());
        text.lines().map(|line| pair(value(line))).collect()
    };
    assert_eq!(scores(&fs::read_to_string(&path).unwrap()), scores(&whole));
    // other positions, or another kind of scores
    let other = run_with(&format!("solve - --resume --output {}", path.display()), &problems()[1..].join("\n"));
    assert!(other.status == 2 && other.error().contains("line 1: problem 1 was"), "{}", other.stderr);
    assert_eq!(run("solve - --output /nonexistent/results.jsonl").status, 3);
    let signs = solve("--resume --wld");
    let message = "line 1: the result of problem 1 was made without options then, not with --wld";
    assert!(signs.status == 2 && signs.error().ends_with(message), "{}", signs.stderr);
    for options in ["--discs-only", "--all-moves", "--best-moves", "--level 6", "--rules othello:fewest"] {
        let other = solve(&format!("--resume {options}"));
        assert!(other.status == 2 && other.error().ends_with(&format!("not with {options}")), "{}", other.stderr);
    }
    assert_eq!(solve("--resume --time 100 --jobs 2 --hash 8").status, 0);
}

/// The same command goes on, whatever its options; another one does not.
#[test]
fn results_of_any_options_are_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let input = problems()[..4].join("\n");
    let all =
        ["--wld", "--all-moves", "--best-moves", "--depth 4 --selectivity 87 --discs-only", "--rules othello:own"];
    for (at, options) in all.into_iter().enumerate() {
        let path = folder.path().join(at.to_string());
        let solve = |more: &str| run_with(&format!("solve - --output {} {more}", path.display()), &input);
        let begun = solve(options);
        let on = solve(&format!("{options} --resume"));
        assert_eq!((begun.status, on.status), (on.status, begun.status), "{options}: {}", on.stderr);
        assert!(on.stdout.contains("(4 of them before)"), "{options}: {} {}", on.stdout, on.stderr);
        let other = solve("--level 5 --resume").error().to_string();
        assert!(other.ends_with(&format!("was made with {options} then, not with --level 5")), "{other}");
    }
}

/// What a limit cut short is not what another limit finds, or none; what it did not is the same.
#[test]
fn results_that_a_limit_cut_short_go_on_with_that_limit_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results");
    let input = format!("{START}\n{}", problems()[..2].join("\n"));
    let solve = |options: &str| run_with(&format!("solve - --threads 1 --output {} {options}", path.display()), &input);
    let cut = solve("--nodes 3000");
    assert_eq!(cut.status, 0, "{}", cut.stderr);
    let lines = fs::read_to_string(&path).unwrap();
    assert!(lines.lines().next().unwrap().contains("\"stopped\":true"), "{lines}");
    assert_eq!(lines.matches("\"options\":\"--nodes 3000\"").count(), lines.matches("\"stopped\":true").count());
    let again = solve("--nodes 3000 --resume");
    assert!(again.stdout.contains("3 positions (3 of them before)"), "{} {}", again.stdout, again.stderr);
    for (options, now) in [("", "without options"), ("--nodes 9000", "with --nodes 9000")] {
        let other = solve(&format!("--resume {options}"));
        let message = format!("line 1: the result of problem 1 was made with --nodes 3000 then, not {now}");
        assert!(other.status == 2 && other.error().ends_with(&message), "{}", other.stderr);
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), lines);
}

/// A position that takes for ever comes first: what is solved beside it is in the file, whatever becomes of the run.
#[test]
fn a_kill_loses_no_result_that_waits_for_its_turn() {
    let folder = tempfile::tempdir().unwrap();
    let (path, problems) = (folder.path().join("results.jsonl"), folder.path().join("problems.obf"));
    fs::write(&problems, format!("{START}\n{}", endgames())).unwrap();
    let solve = format!("solve {} --jobs 2 --output {}", problems.display(), path.display());
    let mut child = command(&solve).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let lines = || fs::read_to_string(&path).unwrap_or_default().lines().count();
    wait_for("12 results", || lines() >= 12);
    child.kill().unwrap();
    child.wait().unwrap();
    let numbers = || -> Vec<u64> {
        let text = fs::read_to_string(&path).unwrap();
        let number = |line| serde_json::from_str::<serde_json::Value>(line).unwrap()["number"].as_u64().unwrap();
        text.lines().map(number).collect()
    };
    assert_eq!(numbers(), (2..=13).collect::<Vec<_>>());
    // going on, only the first is left to solve
    let rest = run(&format!("{solve} --resume --time 0.2"));
    assert!(rest.stdout.contains("13 positions (12 of them before)"), "{} {}", rest.stdout, rest.stderr);
    assert_eq!(numbers(), (1..=13).collect::<Vec<_>>());
}

/// Positions of 13 and 14 empty squares from self-play (`outflank selfplay --seed 9001`), most with several best moves.
const TIES: &str = "\
--OOOOO--XXXXOO-XXOXOOO-OXXOOXO-OXOOOOOOXXOXOOOO-XXOXXO--XXX--X- O
-OOOOOO--XOXXX-XO-XOOXXX-OOXXXOX-OOXXXXXOOOOOXXXO-XXXX-X--OX-X-- X
--XX----O-XXXXO-OOXOXOOOOXXXOOOOOXXOOXOOOXOOOOOOOOOOOO--O-OOO--- X
OXO-O---OXXOOX--OXOXOOOOXXOOXXXO-XOXOXOO-XXXXOXO--OXXXO--XXXX--O X
-XXXXX-O--XOXXO-OOXXOXOO-OOOOOOOOOOOXXOXOOXXXOXX--XXOX----XXXXX- O
-OOOOO----OOX-O-OOOXOXXO-OOXXOXXOOOXOXOOXXXXXXOO--XXXOO---XXOOO- X
O-XXXXX-XOXXXX-OXXOXXXO-XXXOXXOXXXXXOOO-XXXXXO--XX-XX---X--OOOO- X
XXXXXXX--XXXOX--O-XXXXX--OOXXXOOXXOXXOOO-XXOXO-OXX-XOO-OX-OOOO-- X
---OXXXX--OOOOOX-OOOXOOX-OOXXOOXXXOXXOXX-XXOXXXX--XXXXXO---XXXXX O
-XXXXX---XXXXX--XXXXXXX-OXXXXXX-OXOXXOOXOXXXXOX-OXXOOX--XX-OOOO- O
X-XXXX--XXXXXXX-XXXOOXOOXXOOXOOOXXOOOXO-XXXOOOO---OXXO---OOO--O- X
X-X-XO--OXXXXX--XXXOXXX-XXOXXXOOXOXOXOOOXXOXOOO-XXOOOO----OOOOO- O
";

/// The board, and the moves with their scores in alphabetical order.
fn entries(line: &str) -> (String, Vec<(String, i32)>) {
    let (board, entries) = line.split_once(';').expect("an OBF line");
    let entry = |text: &str| text.trim().split_once(':').map(|(mv, score)| (mv.to_string(), score.parse().unwrap()));
    let mut entries: Vec<_> = entries.split(';').filter_map(entry).collect();
    entries.sort();
    (board.to_string(), entries)
}

#[test]
fn best_moves_are_those_of_all_moves_with_the_best_score() {
    let text = format!("{}{TIES}", endgames());
    let all = run_with("solve - --obf --all-moves", &text);
    let best = run_with("solve - --obf --best-moves", &text);
    assert_eq!((all.status, best.status), (0, 0), "{}{}", all.stderr, best.stderr);
    assert_eq!(best.stdout.lines().count(), problems().len() + TIES.lines().count());
    assert_eq!(all.stdout.lines().count(), best.stdout.lines().count());
    let mut several = 0;
    for (all, best) in all.stdout.lines().map(entries).zip(best.stdout.lines().map(entries)) {
        let top = all.1.iter().map(|entry| entry.1).max();
        let expected: Vec<_> = all.1.into_iter().filter(|entry| Some(entry.1) == top).collect();
        assert_eq!(best, (all.0, expected));
        several += usize::from(best.1.len() > 1);
    }
    assert!(several > TIES.lines().count() / 2, "{several}");
}

#[test]
fn best_moves_stand_in_table_and_json() {
    let text = TIES.lines().last().expect("positions");
    let table = run_with("solve - --best-moves", text).stdout;
    let json = &run_with("solve - --best-moves --json", text).json()[0];
    let moves = json["moves"].as_array().unwrap();
    assert!(moves.len() > 1 && moves.iter().all(|line| line["score"] == json["score"]), "{json}");
    assert_eq!(table.lines().filter(|line| line.contains('|')).count(), 1 + moves.len(), "{table}");
}

#[test]
fn obf_output_is_input() {
    let solved = run(&format!("solve {ENDGAMES} --obf"));
    assert_eq!(solved.status, 0);
    assert!(solved.stderr.contains("12 of 12 as in the file"), "{}", solved.stderr);
    let again = run_with("solve - --obf --jobs 2", &solved.stdout);
    assert_eq!((again.status, &again.stdout), (0, &solved.stdout));
    // every move of the file, scored
    let all = run(&format!("solve {ENDGAMES} --obf --all-moves"));
    let listed = problems();
    assert!(all.stdout.lines().map(entries).eq(listed.iter().map(|line| entries(line))), "{}", all.stdout);
    // a finished game has a score and no move; an inexact score says so
    let over = "XXXXXXXXXXXXX".to_string() + &"-".repeat(51) + " X";
    assert_eq!(run_with("solve - --obf", &over).stdout, format!("{over}; +64;\n"));
    let shallow = run_with("solve - --obf --depth 2 --selectivity 73", START).stdout;
    assert!(shallow.starts_with(START) && shallow.ends_with("; % 2@73%\n"), "{shallow}");
    assert_eq!(run_with("solve - --obf --depth 2", &shallow).status, 0);
}

#[test]
fn side_by_side_gives_the_same_in_the_same_order() {
    let mut text = String::new();
    for _ in 0..5 {
        text += &endgames();
        text += "bad line\n";
    }
    let scores = |jobs: u32| -> Vec<(u64, String, String)> {
        let run = run_with(&format!("solve - --json --jobs {jobs}"), &text);
        assert_eq!(run.status, 2);
        run.json()
            .iter()
            .map(|value| (value["line"].as_u64().unwrap(), value["position"].to_string(), value["score"].to_string()))
            .collect()
    };
    let alone = scores(1);
    assert_eq!(alone.len(), 5 * (problems().len() + 1));
    assert!(alone.is_sorted_by_key(|entry| entry.0));
    assert_eq!(scores(3), alone);
}

#[test]
fn a_pipe_is_answered_line_by_line() {
    let mut child =
        command("solve - --json").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    for problem in &problems()[..3] {
        writeln!(input, "{problem}").unwrap();
        input.flush().unwrap();
        let mut answer = String::new();
        // waits for ever if answers come only at the end
        output.read_line(&mut answer).unwrap();
        assert!(answer.contains(&problem[..64]), "{answer}");
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn win_draw_loss_gives_signs() {
    let exact = run(&format!("solve {ENDGAMES} --json")).json();
    let signs = run(&format!("solve {ENDGAMES} --json --wld"));
    assert_eq!(signs.status, 0);
    for (exact, sign) in exact.iter().zip(signs.json()) {
        assert_eq!(exact["score"].as_i64().unwrap().signum(), sign["score"].as_i64().unwrap());
        assert_eq!(sign["win_draw_loss"], true);
        // a proof says so, whichever outcome it is
        assert_eq!((&sign["exact"], &sign["best"]["bound"]), (&true.into(), &"exact".into()), "{sign}");
    }
    // what a limit leaves unproved does not
    let guess = &run_with("solve - --json --wld --nodes 20k", START).json()[0];
    assert_eq!(guess["exact"], false, "{guess}");
    assert_ne!(guess["best"]["bound"], "exact", "{guess}");
}

/// Earlier versions told no proved win or loss as exact: their results are still those of `--wld`.
#[test]
fn win_draw_loss_goes_on_with_what_was_told_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.jsonl");
    let solve = |options: &str| run(&format!("solve {ENDGAMES} --wld --output {} {options}", path.display()));
    assert_eq!(solve("").status, 0);
    let now = fs::read_to_string(&path).unwrap();
    assert!(now.contains("\"exact\":true"), "{now}");
    let before = now.replace("\"exact\":true", "\"exact\":false").replace("\"bound\":\"exact\"", "\"bound\":\"lower\"");
    for text in [now, before] {
        fs::write(&path, text).unwrap();
        let again = solve("--resume");
        assert_eq!(again.status, 0, "{}", again.stderr);
        assert!(again.stdout.contains("12 of them before"), "{}", again.stdout);
    }
}

#[test]
fn a_limited_search_says_how_deep_it_was() {
    let run = run_with("solve - --json --depth 4 --selectivity 73", START);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let value = &run.json()[0];
    assert_eq!((&value["depth"], &value["selectivity"], &value["exact"]), (&4.into(), &73.into(), &false.into()));
    let run = run_with("solve - --json --nodes 20k", START);
    assert_eq!(run.json()[0]["stopped"], true);
}

#[test]
fn empty_squares_count_for_the_winner_unless_told_otherwise() {
    // white has no discs left: 13-0 with 51 empty squares
    let wiped_out = "XXXXXXXXXXXXX".to_string() + &"-".repeat(51) + " X\n";
    let score = |arguments: &str| run_with(arguments, &wiped_out).json()[0]["score"].as_i64().unwrap();
    assert_eq!(score("solve - --json"), 64);
    assert_eq!(score("solve - --json --discs-only"), 13);
}

#[test]
fn other_rules_and_sizes() {
    let small = "-----OX--XO----- X\n";
    let run = run_args(&["solve", "-", "--json", "--rules", "othello:4x4"], small);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(run.json()[0]["score"], -10);
}

#[test]
fn unusable_arguments() {
    for (arguments, part) in [
        ("solve f5d6c3", "'f5d6c3' is a position, no file: `outflank solve -` reads positions from standard input"),
        ("solve /nonexistent/file.obf", "cannot read '/nonexistent/file.obf'"),
        ("solve /", "cannot read '/'"),
        ("solve - --level 61", "0 to 60"),
        ("solve - --level 5 --depth 5", "cannot be used with"),
        ("solve - --level 5 --selectivity 73", "cannot be used with"),
        ("solve - --wld --selectivity 73", "cannot be used with"),
        ("solve - --best-moves --selectivity 73", "cannot be used with"),
        ("solve - --selectivity 73", "--depth"),
        ("solve - --best-moves --wld", "cannot be used with"),
        ("solve - --best-moves --all-moves", "cannot be used with"),
        ("solve - --best-moves --time 1", "cannot be used with"),
        ("solve - --obf --json", "cannot be used with"),
        ("solve - --resume", "--output"),
        ("solve - --hash 0", "1 to"),
        ("solve - --hash 900000", "900000 MiB"),
        ("solve - --threads x", "1 to"),
        ("solve - --rules nonsense", "nonsense"),
        ("solve - --time 0", "not a time"),
        ("solve", "FILE"),
    ] {
        let run = run(arguments);
        assert_eq!(run.status, 2, "{arguments}");
        assert!(run.stderr.contains(part), "{arguments}: {}", run.stderr);
        assert!(run.stdout.is_empty());
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let text = problems().join("\n");
    let mut child =
        command("solve - --json").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let _ = child.stdin.take().unwrap().write_all(text.as_bytes());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
