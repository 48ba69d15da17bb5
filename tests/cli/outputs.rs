//! What becomes of the work when the output is closed or full, and of forms that would go to one place.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::run::{ENDGAMES, START, command, run, run_args, run_with};

/// Two games.
const GAMES: &str = "f5d6c3d3c4f4c5b3c2\nf5f6e6f4\n";

/// Runs a command whose output nobody reads: its status.
fn unread(arguments: &str) -> i32 {
    unread_in(Path::new("."), arguments)
}

/// The same in a folder.
fn unread_in(folder: &Path, arguments: &str) -> i32 {
    let mut command = command(arguments);
    command.current_dir(folder).stdin(Stdio::null()).stderr(Stdio::null());
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    child.wait().unwrap().code().expect("no signal")
}

/// Runs a command whose output is on a full disk: status and errors.
#[cfg(target_os = "linux")]
fn on_a_full_disk(command: &mut Command) -> (i32, String) {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = command.stdout(full).stderr(Stdio::piped()).output().unwrap();
    (output.status.code().expect("no signal"), String::from_utf8(output.stderr).unwrap())
}

fn line_count(path: &Path) -> usize {
    fs::read_to_string(path).unwrap().lines().count()
}

/// The bytes of an empty book have no line ends, up to which an output is written at once.
#[cfg(target_os = "linux")]
#[test]
fn bytes_on_a_full_disk_are_missed() {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("my.book").display().to_string();
    assert_eq!(run(&format!("book new {book}")).status, 0);
    for format in ["edax", "egbk3"] {
        let export = format!("book export - --format {format} --book {book}");
        let (status, errors) = on_a_full_disk(&mut command(&export));
        assert!(status == 3 && errors.starts_with("outflank: cannot write the output: "), "{status}: {errors}");
    }
}

#[test]
fn results_in_files_do_not_need_a_reader() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("games.txt"), GAMES).unwrap();
    let games = path("games.txt").display().to_string();
    let whole = path("whole.jsonl");
    assert_eq!(run(&format!("solve {ENDGAMES} --output {}", whole.display())).status, 0);
    for form in ["", " --json", " --obf"] {
        let results = path(&format!("results{}.jsonl", form.trim()));
        assert_eq!(unread(&format!("solve {ENDGAMES} --output {}{form}", results.display())), 0);
        assert_eq!(line_count(&results), line_count(&whole), "{form}");
    }
    let (judged, report) = (path("judged.jsonl"), path("report.json"));
    assert_eq!(unread(&format!("analyze {games} --level 1 --output {}", judged.display())), 0);
    assert_eq!(line_count(&judged), 9 + 1 + 4 + 1);
    assert_eq!(unread(&format!("analyze {games} --level 1 --report {}", report.display())), 0);
    let report: serde_json::Value = serde_json::from_str(&fs::read_to_string(report).unwrap()).unwrap();
    assert_eq!(report["games"].as_array().unwrap().len(), 2);
    // a reader that goes away is no error without files either
    assert_eq!(unread(&format!("solve {ENDGAMES}")), 0);
}

/// Work that goes into files is done, whoever looks on, and its status is what came of it.
#[test]
fn work_on_files_does_not_need_a_reader() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let unread = |arguments: &str| unread_in(folder.path(), arguments);
    let outflank = |arguments: &str| crate::binary::output(command(arguments).current_dir(folder.path()), "");
    fs::write(path("games.txt"), "f5d6c3d3c4f4c5b3c2\n".repeat(20_000)).unwrap();
    for (arguments, lines) in [
        ("games convert games.txt -o all.txt", 20_000),
        ("games filter games.txt --opening rose -o some.txt --json", 20_000),
        ("games unique games.txt -o one.txt", 1),
    ] {
        assert_eq!(unread(arguments), 0, "{arguments}");
        let written = arguments.split(' ').find(|word| word.ends_with(".txt") && !word.starts_with("games")).unwrap();
        assert_eq!(line_count(&path(written)), lines, "{arguments}");
    }
    assert_eq!(unread("selfplay --out g.osp --games 40 --depth 1 --exact 2"), 0);
    let stats = String::from_utf8(outflank("selfplay --stats g.osp --json").stdout).unwrap();
    assert!(stats.contains("\"games\":40,"), "{stats}");
    for book in ["a.book", "b.book"] {
        assert_eq!(unread(&format!("book new {book} --level 2")), 0);
        assert_eq!(unread(&format!("book grow {book} --positions 30 --threads 1 --hash 4")), 0);
    }
    let positions = |book: &str| {
        let info = String::from_utf8(outflank(&format!("book info {book} --json")).stdout).unwrap();
        serde_json::from_str::<serde_json::Value>(&info).unwrap()["positions"].as_u64().unwrap()
    };
    assert_eq!((positions("a.book"), positions("b.book")), (30, 30));
    assert_eq!(unread("book grow b.book --positions 10 --from f5f6 --threads 1 --hash 4"), 0);
    assert_eq!(unread("book merge a.book b.book"), 0);
    assert_eq!(positions("a.book"), 40);
    fs::write(path("game.txt"), "f5d6c3d3c4f4c5b3c2d2\n").unwrap();
    assert_eq!(unread("book store a.book game.txt --threads 1 --hash 4"), 0);
    assert!(positions("a.book") > 40);
    // the status is the verdict: an end too soon would accept what was never shown
    for (bounds, verdict) in [("-200 0", 0), ("700 900", 1), ("0 5", 4)] {
        let games = if verdict == 4 { 4 } else { 2000 };
        let arguments = format!("match mobility random --games {games} --output m{verdict} --sprt {bounds}");
        assert_eq!(unread(&arguments), verdict, "{arguments}");
    }
    assert_eq!(unread("match random greedy mobility --games 10 --output field"), 0);
    for pair in ["1-2", "1-3", "2-3"] {
        assert_eq!(line_count(&path(&format!("field-{pair}.jsonl"))), 1 + 10);
    }
}

/// What was measured in a quarter of an hour is written, whatever becomes of the table.
#[cfg(target_os = "linux")]
#[test]
fn measurements_are_written_first() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = "fit-probcut --midgame 240 --endgame 0 --depth 4 --write w.bin";
    let (status, errors) = on_a_full_disk(command(arguments).current_dir(folder.path()));
    assert!(status == 3 && errors.starts_with("outflank: cannot write the output: "), "{status} {errors}");
    let table = fs::read(folder.path().join("w.bin")).unwrap();
    fs::remove_file(folder.path().join("w.bin")).unwrap();
    assert_eq!(unread_in(folder.path(), arguments), 0);
    assert_eq!(fs::read(folder.path().join("w.bin")).unwrap(), table);
}

/// A book that is merged on a full disk is merged, and a folder of completions is written file by file.
#[cfg(target_os = "linux")]
#[test]
fn nothing_is_told_before_it_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let outflank = |arguments: &str| {
        let output = crate::binary::output(command(arguments).current_dir(folder.path()), "");
        assert_eq!(output.status.code(), Some(0), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    outflank("book new a.book --level 2");
    outflank("book new b.book --level 2");
    outflank("book grow b.book --positions 7 --threads 1 --hash 4");
    let (status, errors) = on_a_full_disk(command("book merge a.book b.book").current_dir(folder.path()));
    assert!(status == 3 && errors.starts_with("outflank: cannot write the output: "), "{status} {errors}");
    assert!(outflank("book info a.book").contains("7 positions"));
    // one file too large after others that are not
    let script = format!("ulimit -f 64; exec {} completions --dir made", env!("CARGO_BIN_EXE_outflank"));
    let output = Command::new("sh").arg("-c").arg(script).current_dir(folder.path()).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{error}");
    assert!(error.starts_with("outflank: cannot write 'made/") && error.lines().count() == 1, "{error}");
    for entry in fs::read_dir(folder.path().join("made")).unwrap() {
        assert!(entry.as_ref().unwrap().metadata().unwrap().len() > 0, "{entry:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn results_in_files_do_not_need_room_for_the_output() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("games.txt"), GAMES).unwrap();
    let games = path("games.txt").display().to_string();
    let (results, judged, page) = (path("results.jsonl"), path("judged.jsonl"), path("page.html"));
    for (arguments, file) in [
        (format!("solve {ENDGAMES} --output {}", results.display()), &results),
        (format!("analyze {games} --level 1 --output {}", judged.display()), &judged),
        (format!("analyze {games} --level 1 --report {}", page.display()), &page),
    ] {
        let (status, errors) = on_a_full_disk(&mut command(&arguments));
        assert_eq!(status, 3, "{arguments}: {errors}");
        assert!(errors.contains("outflank: cannot write the output: "), "{arguments}: {errors}");
        assert!(file.exists(), "{arguments}");
    }
    let problems = fs::read_to_string(ENDGAMES).unwrap().lines().filter(|line| !line.starts_with('%')).count();
    assert_eq!((line_count(&results), line_count(&judged)), (problems, 9 + 1 + 4 + 1));
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_an_error() {
    for arguments in ["help", "--version", "solve --help", "levels"] {
        let (status, errors) = on_a_full_disk(&mut command(arguments));
        assert_eq!(status, 3, "{arguments}: {errors}");
    }
    // a log is told once, and the work goes on
    let solved = run(&format!("solve {ENDGAMES} --log /dev/full"));
    assert_eq!(solved.status, 0, "{}", solved.stderr);
    assert!(solved.error().starts_with("the log is not complete: cannot write '/dev/full': "), "{}", solved.stderr);
}

#[test]
fn a_report_is_of_games() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report.html");
    let report = report.to_str().unwrap();
    for (arguments, problem) in [
        (&[START][..], "this is a position, not a game"),
        (&["f5d6", "--as", "position"], "--report and --svg are for games, not for a position"),
        (&["f5d6", "--last"], "--last is for positions, not for games"),
    ] {
        for option in ["--report", "--svg"] {
            let refused = run_args(&[&["analyze"], arguments, &["--level", "1", option, report]].concat(), "");
            assert_eq!((refused.status, refused.error(), refused.stdout.as_str()), (2, problem, ""), "{option}");
            assert!(!Path::new(report).exists());
        }
    }
    // games beside positions are reported on
    let mixed = folder.path().join("mixed.txt");
    fs::write(&mixed, GAMES.to_string() + START + "\n").unwrap();
    let done = run(&format!("analyze {} --level 1 --report {report}", mixed.display()));
    assert_eq!(done.status, 2, "{}", done.stderr);
    assert!(fs::read_to_string(report).unwrap().contains("<h1>2 games</h1>"));
}

#[test]
fn positions_among_games_are_named_and_the_rest_is_judged() {
    let folder = tempfile::tempdir().unwrap();
    let mixed = folder.path().join("mixed.txt");
    let mixed = mixed.to_str().unwrap();
    fs::write(mixed, format!("f5d6\n{START}\nf5f6\n")).unwrap();
    let (report, output) = (folder.path().join("r.md"), folder.path().join("o.jsonl"));
    for options in
        ["--as game".to_string(), format!("--report {}", report.display()), format!("--output {}", output.display())]
    {
        let done = run(&format!("analyze {mixed} --level 1 {options}"));
        assert_eq!(done.status, 2, "{options}: {}", done.stderr);
        let told = done.stderr.lines().filter(|line| *line == "outflank: game 2: this is a position, not a game");
        assert_eq!(told.count(), 1, "{options}: {}", done.stderr);
        assert!(done.stdout.contains("game 1\n") && done.stdout.contains("game 3\n"), "{options}: {}", done.stdout);
    }
    // one of each is not nothing
    fs::write(mixed, format!("f5d6\n{START}\n")).unwrap();
    let done = run(&format!("analyze {mixed} --level 1 --as game"));
    assert_eq!((done.status, done.error()), (2, "game 2: this is a position, not a game"));
    // a board on the command line has no number
    let alone = run_args(&["analyze", START, "--as", "game"], "");
    assert_eq!((alone.status, alone.error()), (2, "this is a position, not a game"));
}

#[test]
fn two_forms_do_not_go_to_one_place() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.svg").display().to_string();
    let other = folder.path().join("./x.svg").display().to_string();
    for arguments in [
        format!("board f5d6 --svg {file} --png {file}"),
        "board f5d6 --svg - --png -".to_string(),
        "board f5d6 --svg - --text".to_string(),
        format!("analyze f5d6 --svg {file} --report {file}"),
        format!("analyze f5d6 --report {file} --report {file}"),
        format!("board f5d6 --svg {other} --png {file}"),
        format!("analyze f5d6 --svg {file} --report {other}"),
    ] {
        let refused = run(&arguments);
        assert_eq!((refused.status, refused.stdout.as_str()), (2, ""), "{arguments}");
        assert!(refused.error().contains("one"), "{}", refused.stderr);
        assert!(!Path::new(&file).exists(), "{arguments}");
    }
}

/// How many games there are is known at the end: graphs of several would take the place of another report.
#[test]
fn numbered_graphs_do_not_go_to_other_reports() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("games.txt"), GAMES).unwrap();
    let analyze = |outputs: &str| {
        let arguments = format!("analyze games.txt --level 1 {outputs}");
        crate::binary::output(command(&arguments).current_dir(folder.path()), "")
    };
    for (outputs, path, graph) in [
        ("--svg g.svg --report g-1.svg", "g-1.svg", "g.svg"),
        ("--svg ./g-12.svg --report g.svg", "./g-12.svg", "g.svg"),
        ("--svg g.x --report g.svg", "g.x", "g.svg"),
    ] {
        let refused = analyze(outputs);
        let told = format!("outflank: {path}: the graphs of several games in {graph} would go to the same files\n");
        assert_eq!(
            (refused.status.code(), String::from_utf8_lossy(&refused.stderr).as_ref()),
            (Some(2), told.as_str())
        );
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{outputs}");
    }
    // other names and forms
    let done = analyze("--svg g.svg --report g-x.svg --report g-1.md");
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 6);
}

/// A log is written to its end, line by line: it is no file that the command reads or writes.
#[test]
fn a_log_has_a_file_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.txt");
    fs::write(&path, GAMES).unwrap();
    fs::create_dir(folder.path().join("rep")).unwrap();
    fs::write(
        folder.path().join("recipe.txt"),
        "[selfplay g]\ngames = 1\n[train t]\ngames = g\n[judge j]\neval = t\nproblems = p.obf\n",
    )
    .unwrap();
    for (arguments, log) in [
        ("train --selfplay g.osp --out w.bin --report rep", "rep/loss.svg"),
        ("train --games games.txt --exact 12 --out w.bin --report ./rep", "rep/exact-12.i8"),
        ("train --recipe recipe.txt --out w.bin --report rep", "rep/t.json"),
        ("train --recipe recipe.txt --out w.bin --report rep", "p.obf"),
        ("train --games . --out w.bin", "games.txt"),
        ("accuracy .", "./games.txt"),
        ("analyze games.txt --level 1", "games.txt"),
        ("solve none.obf games.txt", "./games.txt"),
        ("analyze games.txt --level 1 -o found.jsonl", "found.jsonl"),
        ("analyze games.txt --level 1 --report a.md --report b.md", "b.md"),
        ("games find f5 games.txt", "games.txt"),
        ("board f5d6", "f5d6"),
        ("match random greedy --games 2 --output games", "games.ggf"),
        ("match random greedy mobility --games 2 --output games", "games-2-3.jsonl"),
        ("match outflank,level=1,eval=games.txt random --games 2", "games.txt"),
        ("match random greedy outflank,book=games.txt --games 2", "games.txt"),
        ("selfplay --games 1 --depth 1 --out games.osp", "games.osp"),
        ("book show f5 --book games.txt", "games.txt"),
        ("book grow games.txt --positions 1", "./games.txt.journal"),
        ("book store other.book games.txt", "other.book.lock"),
        ("play --book games.txt", "games.txt.bak"),
    ] {
        let output = crate::binary::output(command(&format!("{arguments} --log {log}")).current_dir(folder.path()), "");
        let told = format!("outflank: --log {log}: the command has another use for this file\n");
        assert_eq!(
            (output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()),
            (Some(2), told.as_str()),
            "{arguments}"
        );
        assert!(output.stdout.is_empty() && fs::read_dir(folder.path()).unwrap().count() == 3, "{arguments}");
        assert_eq!(fs::read_to_string(&path).unwrap(), GAMES);
    }
    // what is no file takes what comes, the name that the games of a match are saved under is none, and a folder has room for both
    for arguments in [
        "board f5 --svg /dev/null --log /dev/null",
        "match random greedy --games 2 --output m --log m",
        "selfplay --games 20 --depth 1 --exact 2 --out g.osp",
        "train --selfplay g.osp --out w.bin --iterations 1 --parity-games 0 --report rep --log rep/log.txt",
        "train --selfplay g.osp --out w.bin --iterations 1 --parity-games 0 --report rep --log rep/log.txt",
    ] {
        let output = crate::binary::output(command(arguments).current_dir(folder.path()), "");
        assert_eq!(output.status.code(), Some(0), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// Where standard output has what people read, an output that is `-` is a slip.
#[test]
fn some_outputs_are_files_only() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [
        "analyze f5d6 --as game --svg -",
        "analyze f5d6 --as game --output -",
        "solve - --output -",
        "fit-probcut --write -",
        "fit-ordering --write -",
        "selfplay --games 1 --out -",
        "match random greedy --games 2 --reasons -",
        "match random greedy --games 2 --output -",
        "perft 1 --log -",
    ] {
        let output = crate::binary::output(super::run::command(arguments).current_dir(folder.path()), "");
        let told = "outflank: '-': this output needs a file of its own (./- is one of that name)\n";
        assert_eq!(
            (output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()),
            (Some(2), told),
            "{arguments}"
        );
        assert!(output.stdout.is_empty() && fs::read_dir(folder.path()).unwrap().next().is_none(), "{arguments}");
    }
}

/// Games are saved under a name, not as hidden files of a folder.
#[test]
fn the_games_of_a_match_need_a_name() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("res")).unwrap();
    for (output, named) in [("res/", "res/match"), (".", "./match"), ("..", "../match")] {
        let mut matched = super::run::command(&format!("match random greedy --games 2 --output {output}"));
        let found = crate::binary::output(matched.current_dir(folder.path()), "");
        let told = format!("outflank: --output {output}: a folder, write for instance {named}\n");
        assert_eq!((found.status.code(), String::from_utf8_lossy(&found.stderr).as_ref()), (Some(2), told.as_str()));
    }
    #[cfg(unix)]
    assert_eq!(
        run("match random greedy --games 2 --output /dev/null").error(),
        "--output /dev/null: no plain file, and games are saved in /dev/null.jsonl"
    );
    assert_eq!(fs::read_dir(folder.path().join("res")).unwrap().count(), 0);
}

/// The signal of a file size limit would end the process without a word.
#[cfg(unix)]
#[test]
fn file_size_limits_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("games.txt"), "f5d6c3d3c4f4c5b3c2\n".repeat(2000)).unwrap();
    for arguments in ["games convert games.txt -o games.sgf", "selfplay --out g.osp --games 400 --depth 1 --exact 2"] {
        let script = format!("ulimit -f 8; exec {} {arguments}", env!("CARGO_BIN_EXE_outflank"));
        let output = Command::new("sh").arg("-c").arg(script).current_dir(folder.path()).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{arguments}: {error}");
        assert!(error.starts_with("outflank: cannot write '") && error.lines().count() == 1, "{arguments}: {error}");
    }
    assert!(!folder.path().join("games.sgf").exists());
}

/// An option that would change nothing is refused: whoever wrote it expects something.
#[test]
fn options_that_belong_to_something_else_are_refused() {
    for arguments in [
        "selfplay --export g.osp --json",
        "selfplay --export g.osp --eval none.bin",
        "selfplay --export g.osp --hash 2",
        "selfplay --out g.osp --to ggf",
        "selfplay --stats g.osp --to ggf",
        "selfplay --stats g.osp --games 5",
        "selfplay --stats g.osp --seed 3",
        "selfplay --stats g.osp --depth 4",
        "train --recipe r.txt --out w.bin --epochs 3",
        "train --recipe r.txt --out w.bin --model embedding",
        "train --recipe r.txt --out w.bin --window 2",
        "train --recipe r.txt --out w.bin --exact 12",
        "train --recipe r.txt --out w.bin --seed 2",
        "train --correct w.bin --out w.bin --iterations 2",
        "train --selfplay g.osp --out w.bin --epochs 3",
        "train --selfplay g.osp --out w.bin --rate 0.1",
        "train --selfplay g.osp --out w.bin --linear l.bin --decay 0.5",
        "train --selfplay g.osp --out w.bin --from l.bin --shrink 3",
        "train --selfplay g.osp --out w.bin --from l.bin --model linear",
        "train --selfplay g.osp --out w.bin --exact 12",
        "board f5d6 --size 20",
        "book accuracy --line f5 --deeper 3",
        "book accuracy --line f5 --positions 5",
        "book accuracy --line f5 --seed 9",
        "rules --format markdown",
        "match random greedy --clock 60 --timeout 1",
        "match random greedy --time 1 --timeout 1",
        "match random greedy --margin 0.2",
        "match random greedy --sprt 0 5 --sprt 5 10",
        "match random,name= greedy",
        "match random greedy --level 5",
        "match outflank,grade=club random --level 4",
        "match outflank,level=2 outflank,nodes=100 --level 4",
        "games random --count 1.5",
        "match random greedy --games 1.6",
        "solo --bench 1.5",
    ] {
        let refused = run(arguments);
        assert_eq!((refused.status, refused.stdout.as_str()), (2, ""), "{arguments}: {}", refused.stderr);
    }
    for rate in ["0", "-1", "nan", "inf", "1.01", "3e38"] {
        let refused = run(&format!("train --selfplay g.osp --out w.bin --model embedding --rate={rate}"));
        let told = format!("invalid value '{rate}' for '--rate <RATE>': not a number from 0.000000001 to 1");
        assert!(refused.status == 2 && refused.stderr.contains(&told), "{}", refused.stderr);
    }
    // the four squares of the centre are filled first
    for (rules, empties, most) in [("othello", "0", 60), ("othello", "61", 60), ("traveller", "61", 60)] {
        let refused = run(&format!("games random --rules {rules} --empties {empties}"));
        let problem = format!("--empties {empties}: not a number from 1 to {most}, the empty squares of the start");
        assert_eq!((refused.status, refused.error()), (2, problem.as_str()));
    }
}

#[test]
fn one_is_not_many() {
    assert!(run("board f5 --numbers --svg -").stdout.contains("1 move<"), "the title");
    assert_eq!(run("board f5 --at 3").error(), "--at 3: the game has 1 move");
    let session = run_with("play -q --no-book --nodes 1 --variety 1", "level\noptions\n");
    assert!(session.stdout.contains("at most 1 node a move"), "{}", session.stdout);
    assert!(session.stdout.lines().any(|line| line == "variety  1 disc"), "{}", session.stdout);
}

/// An output whose name is, by a slip, that of what the command reads.
#[test]
fn the_input_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (game, same) = (path("game.sgf"), path("./game.sgf"));
    let converted = run_with(&format!("games convert - -o {game}"), "f5d6c3d3c4\n");
    assert_eq!(converted.status, 0, "{}", converted.stderr);
    // a game, whatever its name says
    fs::copy(&game, path("game.svg")).unwrap();
    fs::write(path("w.bin"), "weights").unwrap();
    let (graph, weights) = (path("game.svg"), path("w.bin"));
    // one of the games of a folder
    fs::create_dir(path("games")).unwrap();
    fs::copy(&game, path("games/a.sgf")).unwrap();
    let (games, of_games) = (path("games"), path("games/a.sgf"));
    let (problems, linked) = (path("problems.txt"), path("linked.txt"));
    // the file of a year in a folder of them
    fs::create_dir(path("years")).unwrap();
    let (years, year) = (path("years"), path("years/WTH_1999.wtb"));
    let of_year = "Black: Eve\nWhite: Bob\nDate: 1999\nResult: 40-24\nf5d6c3\n";
    assert_eq!(run_with(&format!("games convert - -o {years} --to wthor"), of_year).status, 0);
    fs::write(&problems, "f5d6c3d3c4\n").unwrap();
    // by another name, where there are such
    #[cfg(unix)]
    std::os::unix::fs::symlink("problems.txt", &linked).unwrap();
    #[cfg(not(unix))]
    let linked = problems.clone();
    for (arguments, output) in [
        (format!("board {game} --svg {same}"), &same),
        (format!("board {game} --png {game}"), &game),
        (format!("analyze {game} --level 1 --report {path}", path = &same), &same),
        (format!("analyze {graph} --level 1 --svg {graph}"), &graph),
        (format!("analyze {games} --level 1 --report {of_games}"), &of_games),
        (format!("analyze {game} --level 1 --output {same}"), &same),
        (format!("analyze {games} --level 1 --resume --output {of_games}"), &of_games),
        (format!("solve {same} {problems} --output {problems}"), &problems),
        (format!("solve {problems} --resume --output {linked}"), &linked),
        (format!("games convert {game} -o {same}"), &same),
        (format!("games filter {games} --year 1999 -o {of_games}"), &of_games),
        (format!("games unique {game} {linked} --to txt -o {linked}"), &linked),
        (format!("games filter {year} --player eve -o {years} --to wthor"), &year),
        (format!("games convert {game} {years} -o {games}/../years"), &year),
        (format!("train --games {years} --out {year}"), &year),
        (format!("fit-ordering --positions 1 --eval {weights} --write {weights}"), &weights),
    ] {
        let before = fs::read(output).unwrap();
        let refused = run(&arguments);
        let told = format!("{output}: the command reads this file, which is not overwritten");
        assert_eq!((refused.status, refused.error()), (2, told.as_str()), "{arguments}");
        assert!(refused.stdout.is_empty() && fs::read(output).unwrap() == before, "{arguments}");
    }
    // nor is what stands behind standard input
    #[cfg(unix)]
    for arguments in ["solve - --resume --output problems.txt", "games filter - --player eve -o problems.txt"] {
        let input = fs::File::open(&problems).unwrap();
        let refused = command(arguments).current_dir(folder.path()).stdin(input).output().unwrap();
        let told = "outflank: problems.txt: the command reads this file, which is not overwritten\n";
        assert_eq!((refused.status.code(), String::from_utf8_lossy(&refused.stderr).as_ref()), (Some(2), told));
        assert_eq!(fs::read_to_string(&problems).unwrap(), "f5d6c3d3c4\n");
    }
    // a new file of that folder, and a folder whose files are not read
    assert_eq!(run(&format!("games convert {years} -o {years}/all.sgf")).status, 0);
    assert_eq!(run(&format!("games convert {years}/all.sgf -o {years}")).status, 0);
    // a new file of the folder, and one that is no game
    fs::write(path("games/b.html"), "").unwrap();
    for report in ["b.sgf", "b.html"] {
        let report = path(&format!("games/{report}"));
        let judged = run(&format!("analyze {games} --level 1 --report {report}"));
        assert_eq!(judged.status, 0, "{}", judged.stderr);
    }
    // moves are no file
    let drawn = command("board f5d6 --svg f5d6").current_dir(folder.path()).output().unwrap();
    assert!(drawn.status.success() && folder.path().join("f5d6").is_file());
}
