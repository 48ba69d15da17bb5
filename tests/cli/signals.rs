//! Ctrl-C, requests to end, and clients that go away.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use super::run::{ENDGAMES, START, command, run_with};

/// The command with pipes to write to and to read from.
fn piped(arguments: &str) -> (Child, ChildStdin, BufReader<ChildStdout>) {
    let mut child =
        command(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    (child, input, BufReader::new(output))
}

fn send(child: &Child, signal: &str) {
    let status = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

fn interrupt(child: &Child) {
    send(child, "-INT");
}

/// Waits until the process has computed for half a second: however busy the machine, it is then in its search.
fn wait_until_busy(child: &Child) {
    // without Linux's figures half a second has to do
    let ticks = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).ok()?;
        stat.rsplit(')').next()?.split_whitespace().nth(11)?.parse::<u64>().ok()
    };
    std::thread::sleep(Duration::from_millis(500));
    let start = Instant::now();
    while ticks().is_some_and(|ticks| ticks < 50) {
        assert!(start.elapsed() < Duration::from_secs(100), "it does not compute");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Waits for the end, which must come soon.
fn exit_status(child: &mut Child) -> Option<i32> {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(10) {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    panic!("it did not stop");
}

#[test]
fn solve_prints_the_totals_so_far() {
    let easy = std::fs::read_to_string(ENDGAMES).unwrap().lines().nth(2).unwrap().to_string();
    let (mut child, mut input, mut output) = piped("solve -");
    // the start position is not solved in a human life; the pipe stays open
    writeln!(input, "{easy}\n{START}").unwrap();
    let mut line = String::new();
    while !line.trim_start().starts_with("1|") {
        line.clear();
        assert!(output.read_line(&mut line).unwrap() > 0);
    }
    interrupt(&child);
    assert_eq!(exit_status(&mut child), Some(130));
    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("1 position,") && rest.contains("1 of 1 as in the file"), "{rest}");
    assert!(rest.contains("interrupted"), "{rest}");
}

#[test]
fn solve_stops_also_while_it_waits_for_input() {
    let (mut child, _input, mut output) = piped("solve -");
    let mut title = String::new();
    output.read_line(&mut title).unwrap();
    interrupt(&child);
    assert_eq!(exit_status(&mut child), Some(130));
    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("0 positions"), "{rest}");
}

#[test]
fn analyze_ends_with_what_it_knows() {
    let (mut child, mut input, mut output) = piped("analyze --level 60 -");
    writeln!(input, "{START}").unwrap();
    drop(input);
    let mut line = String::new();
    // board, titles, rule, and the first iterations
    for _ in 0..7 {
        line.clear();
        assert!(output.read_line(&mut line).unwrap() > 0);
    }
    interrupt(&child);
    assert_eq!(exit_status(&mut child), Some(130));
}

#[test]
fn analyze_stops_also_while_it_waits_for_input() {
    for signal in ["-INT", "-TERM"] {
        let (mut child, mut input, mut output) = piped("analyze --level 1 --json -");
        writeln!(input, "{START}").unwrap();
        let mut line = String::new();
        assert!(output.read_line(&mut line).unwrap() > 0);
        // the answer is there: the pipe stays open, and nothing comes
        send(&child, signal);
        assert_eq!(exit_status(&mut child), Some(130), "{signal}");
    }
}

/// Waits until the process hears of Ctrl-C.
pub fn wait_until_it_listens(child: &Child) {
    let listens = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"))?;
        Some(u64::from_str_radix(caught.trim(), 16).ok()? & 1 << 1 != 0)
    };
    let start = Instant::now();
    // without Linux's figures a second has to do
    while !listens().unwrap_or(start.elapsed() > Duration::from_secs(1)) {
        assert!(start.elapsed() < Duration::from_secs(100), "it does not listen");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The input that an interrupt ends is not another one than that of the results.
#[test]
fn an_interrupt_is_no_end_of_the_input_that_results_are_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    // of games the format has to be known before they are waited for
    let kinds = [("solve -", START, ""), ("analyze - --as game", "f5d6", "f5d6\n")];
    for (number, (arguments, input, beginning)) in kinds.into_iter().enumerate() {
        let output = folder.path().join(number.to_string());
        let arguments = format!("{arguments} --level 0 --output {}", output.display());
        assert_eq!(run_with(&arguments, input).status, 0);
        let found = std::fs::read(&output).unwrap();
        let arguments = format!("{arguments} --resume");
        // the pipe stays open, and no more comes
        let (mut child, mut pipe, _output) = piped(&arguments);
        pipe.write_all(beginning.as_bytes()).unwrap();
        wait_until_it_listens(&child);
        interrupt(&child);
        assert_eq!(exit_status(&mut child), Some(130), "{arguments}");
        assert_eq!(std::fs::read(&output).unwrap(), found);
        assert_eq!(run_with(&arguments, input).status, 0, "it goes on");
    }
}

#[test]
fn games_stop_also_while_they_wait_for_input() {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("a.book").display().to_string();
    assert!(command(&format!("book new {book}")).stdout(Stdio::null()).status().unwrap().success());
    let kept = folder.path().join("a.sgf");
    let convert = format!("games convert - -o {}", kept.display());
    for arguments in ["games check -", "games find f5 -", "games problems -", &convert, &format!("book store {book} -")]
    {
        // the pipe stays open, and nothing comes
        let (mut child, _input, mut output) = piped(arguments);
        wait_until_it_listens(&child);
        interrupt(&child);
        assert_eq!(exit_status(&mut child), Some(130), "{arguments}");
        let mut told = String::new();
        output.read_to_string(&mut told).unwrap();
        if arguments.contains("check") || arguments.contains("find") {
            assert!(told.ends_with("; interrupted\n"), "{arguments}: {told}");
        }
    }
    assert!(!kept.exists());
}

/// Reads up to the first prompt: from there on a command is at once under way, however busy the machine.
fn read_prompt(output: &mut BufReader<ChildStdout>) {
    let mut line = String::new();
    while line.trim_end() != ">" {
        line.clear();
        assert!(output.read_line(&mut line).unwrap() > 0, "no prompt came");
    }
}

const SIGNALS: [&str; 3] = ["-INT", "-TERM", "-HUP"];

#[test]
fn a_signal_ends_a_console_that_waits_for_a_command() {
    for signal in SIGNALS {
        let (mut child, mut input, mut output) = piped("play -q --level 1 --no-book");
        read_prompt(&mut output);
        // a command that has been carried out changes nothing about that
        writeln!(input, "hint").unwrap();
        read_prompt(&mut output);
        send(&child, signal);
        assert_eq!(exit_status(&mut child), Some(130), "{signal}");
    }
}

#[test]
fn a_signal_ends_the_solitaire_that_waits_for_a_command() {
    for signal in SIGNALS {
        let (mut child, _input, mut output) = piped("solo --seed 1");
        let mut line = String::new();
        while !line.starts_with("discs G (gold)") {
            line.clear();
            assert!(output.read_line(&mut line).unwrap() > 0);
        }
        send(&child, signal);
        assert_eq!(exit_status(&mut child), Some(130), "{signal}");
    }
}

#[test]
fn a_signal_ends_a_search_of_the_console_with_its_best_move_and_the_commands_behind_it() {
    for signal in SIGNALS {
        let (mut child, mut input, mut output) = piped("play -q --level 60 --no-book");
        read_prompt(&mut output);
        writeln!(input, "go\ngo\nmoves").unwrap();
        wait_until_busy(&child);
        send(&child, signal);
        assert_eq!(exit_status(&mut child), Some(130), "{signal}");
        let mut rest = String::new();
        output.read_to_string(&mut rest).unwrap();
        assert!(rest.trim_start().starts_with("Outflank plays ") && rest.trim().lines().count() == 1, "{rest:?}");
    }
}

/// A client that is gone has closed both pipes: nothing computes on for nobody.
#[test]
fn searches_end_when_nobody_is_there_any_more() {
    let position = START.replace(' ', "");
    for (arguments, input) in [
        ("gtp --no-book --level 60", "genmove b\n".to_string()),
        ("cassio", format!("ENGINE-PROTOCOL midgame-search {position} -64 64 60 100\n")),
        ("nboard --no-book", "nboard 2\nset depth 60\nhint 1\n".to_string()),
        ("--no-book --level 60", "go\n".to_string()),
        ("solve -", format!("{START}\n")),
        ("solve - --jobs 2 --json", format!("{START}\n{START}\n")),
        ("analyze --level 60 -", "f5d6c3d3c4f4\n".to_string()),
    ] {
        let (mut child, mut pipe, output) = piped(arguments);
        pipe.write_all(input.as_bytes()).unwrap();
        // a game ends with the input
        let pipe = (!arguments.starts_with("analyze")).then_some(pipe);
        wait_until_busy(&child);
        assert!(child.try_wait().unwrap().is_none(), "{arguments}: it searches");
        drop((pipe, output));
        exit_status(&mut child);
    }
}

/// A client that has stopped listening before it asks: what is asked then is not searched for either.
#[test]
fn a_search_asked_for_by_somebody_gone_ends() {
    let position = START.replace(' ', "");
    for (arguments, first, input) in [
        ("gtp --no-book --level 60", "name\n", "genmove b\n".to_string()),
        (
            "cassio",
            "ENGINE-PROTOCOL get-version\n",
            format!("ENGINE-PROTOCOL midgame-search {position} -64 64 60 100\n"),
        ),
        ("nboard --no-book --level 60", "nboard 2\n", "analyze\n".to_string()),
        ("play -q --no-book --level 60", "", "go\n".to_string()),
    ] {
        let (mut child, mut pipe, mut output) = piped(arguments);
        pipe.write_all(first.as_bytes()).unwrap();
        output.read_line(&mut String::new()).unwrap();
        drop(output);
        std::thread::sleep(Duration::from_millis(200));
        // the console has gone already
        let _ = pipe.write_all(input.as_bytes());
        drop(pipe);
        assert_eq!(exit_status(&mut child), Some(0), "{arguments}");
    }
}

/// A game's analysis writes a line for each position: it notices by itself only when a whole search is done.
#[test]
fn an_analysis_ends_when_its_reader_goes() {
    let (mut child, mut pipe, output) = piped("nboard --no-book --level 60");
    writeln!(pipe, "nboard 2\nanalyze").unwrap();
    wait_until_busy(&child);
    drop((pipe, output));
    assert_eq!(exit_status(&mut child), Some(0));
}

/// What is left of a range of deals is not looked at one by one.
#[test]
fn averages_over_any_number_of_deals_end_soon() {
    // its output stays open: where nobody reads, it ends by itself
    let (mut child, _input, _output) = piped("solo --bench 1000000000000000 --budget 10 --players random --threads 2");
    wait_until_busy(&child);
    interrupt(&child);
    assert_eq!(exit_status(&mut child), Some(130));
}

/// What was measured before Ctrl-C is no result of the whole: a signature of some positions is not that of the search.
#[test]
fn figures_of_a_part_say_so() {
    for (arguments, told) in [
        ("bench", ": interrupted\n"),
        ("bench --json", "\"complete\":false"),
        ("book accuracy --deeper 30", " searched 30 levels deeper, interrupted\n"),
        ("book accuracy --deeper 30 --json", "\"complete\":false"),
        ("solo --bench 2 --budget 4G --players advisor", " a turn, for count; interrupted\n"),
        ("solo --bench 2 --budget 4G --players advisor --json", "\"complete\":false"),
    ] {
        let (mut child, _input, mut output) = piped(arguments);
        wait_until_busy(&child);
        interrupt(&child);
        assert_eq!(exit_status(&mut child), Some(130), "{arguments}");
        let mut found = String::new();
        output.read_to_string(&mut found).unwrap();
        assert!(found.contains(told), "{arguments}: {found}");
    }
}

/// Nor is a deal played to its end that takes days.
#[test]
fn averages_of_long_thoughts_end_soon() {
    let (mut child, _input, mut output) = piped("solo --bench 2 --budget 4G --players advisor --threads 2 --json");
    wait_until_busy(&child);
    interrupt(&child);
    assert_eq!(exit_status(&mut child), Some(130));
    let mut told = String::new();
    output.read_to_string(&mut told).unwrap();
    assert!(told.contains(r#""deals":0"#), "{told}");
}

/// Work for all cores is done on this one where the system gives no threads.
#[cfg(target_os = "linux")]
#[test]
fn one_thread_is_enough() {
    let book = concat!(env!("CARGO_MANIFEST_DIR"), "/book/outflank.book");
    let script = format!("ulimit -v 2000000; exec {} book verify {book}", env!("CARGO_BIN_EXE_outflank"));
    let mut command = Command::new("sh");
    let output = command.arg("-c").arg(script).env("RUST_MIN_STACK", (8u64 << 30).to_string()).output().unwrap();
    let [told, error] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(output.status.code(), Some(0), "{error}");
    assert!(told.contains("positions, 0 faults"), "{told}");
}

/// Runs the command where there is room for only a few stacks of this size, in MiB.
#[cfg(target_os = "linux")]
fn with_few_stacks(arguments: &str, stack: u64, folder: &std::path::Path) -> (Option<i32>, String, String) {
    let script = format!("ulimit -v 2600000; exec {} {arguments}", env!("CARGO_BIN_EXE_outflank"));
    let mut command = Command::new("sh");
    // a heap for each thread would take what is left
    command.env("RUST_MIN_STACK", (stack << 20).to_string()).env("MALLOC_ARENA_MAX", "1");
    let output = command.arg("-c").arg(script).current_dir(folder).output().unwrap();
    let [told, error] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    (output.status.code(), told, error)
}

/// Work that is asked of more threads than the system gives is done on fewer.
#[cfg(target_os = "linux")]
#[test]
fn fewer_threads_than_asked_for_are_enough() {
    let folder = tempfile::tempdir().unwrap();
    let games = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/wthor");
    std::fs::write(
        folder.path().join("recipe"),
        "[selfplay a]\ngames = 20\ndepth = 1\nexact = 4\neval = zero\n[train b]\ngames = a\niterations = 1\nparity-games = 2\n",
    )
    .unwrap();
    for (arguments, stack, expected) in [
        ("perft 3 --threads 60".to_string(), 700, "    3                56"),
        (format!("solve {ENDGAMES} --jobs 60 --hash 1"), 700, " as in the file"),
        (format!("accuracy {ENDGAMES} --depths 1 --jobs 60 --hash 1"), 700, "positions"),
        ("solo --bench 2 --budget 10 --players random --threads 60".to_string(), 700, "random"),
        // the one thread of the work, and none for what shows how far it is
        (format!("train --games {games} --out w.bin --iterations 1 --parity-games 2 --threads 1"), 1600, "w.bin: "),
        ("train --recipe recipe --out r.bin --threads 1".to_string(), 1600, "r.bin: "),
        // all cores share the room for one stack
        ("fit-probcut --midgame 1 --endgame 1 --depth 2".to_string(), 1600, "too few positions"),
        ("fit-ordering --positions 1".to_string(), 1600, "network"),
    ] {
        let (status, told, error) = with_few_stacks(&arguments, stack, folder.path());
        assert_eq!(status, Some(0), "{arguments}: {error}");
        assert!(told.contains(expected), "{arguments}: {told}");
    }
}

/// Where the system gives no threads, that is said in a line.
#[cfg(target_os = "linux")]
#[test]
fn threads_that_cannot_be_started_are_an_error() {
    // threads do not start for lack of room for their stacks, however many the user may have
    for (arguments, status, told) in [
        ("analyze f5d6 --level 1 --threads 1", 2, "cannot start the threads: "),
        ("perft 3", 2, "cannot start the threads: "),
        ("match random greedy --games 2 --jobs 1 --output m", 3, "cannot write 'm.jsonl': no thread to sync it: "),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let script = format!("ulimit -v 2000000; exec {} {arguments}", env!("CARGO_BIN_EXE_outflank"));
        let mut command = Command::new("sh");
        command.arg("-c").arg(script).current_dir(folder.path()).env("RUST_MIN_STACK", (8u64 << 30).to_string());
        let output = command.output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(status), "{arguments}: {error}");
        assert!(error.starts_with(&format!("outflank: {told}")) && error.lines().count() == 1, "{error}");
    }
}
