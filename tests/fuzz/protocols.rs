//! The protocols' sessions, and what must hold of every answer whatever was sent.

use std::io::BufReader;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use outflank::engine::Options;
use outflank::play::{OpeningBook, Strength};
use outflank::protocol::{Config, Protocol, cassio, console, gtp, nboard};
use outflank::search::{Level, StopToken};
use rand::RngExt;
use rand::rngs::StdRng;

use super::scripts::{Client, Sent, at_last, lines};
use crate::sessions::Shared;

/// A protocol.
pub struct Machine {
    pub name: &'static str,
    /// Lines of its clients, some of them wrong.
    pub templates: &'static [&'static str],
    /// Runs a session to its end and panics when an answer is not as the protocol has it; counts the answers that are known to
    /// have been given during a search.
    pub run: fn(Vec<Sent>, &mut StdRng) -> usize,
}

pub const MACHINES: [Machine; 4] = [
    Machine { name: "gtp", templates: &GTP, run: run_gtp },
    Machine { name: "nboard", templates: &NBOARD, run: run_nboard },
    Machine { name: "cassio", templates: &CASSIO, run: run_cassio },
    Machine { name: "console", templates: &CONSOLE, run: run_console },
];

/// Sessions differ in their level, their threads and whether they ponder.
fn config(rng: &mut StdRng) -> Config {
    let level = [1, 2, 4, 60][rng.random_range(0..4)];
    Config {
        strength: Level::new(level).filter(|_| rng.random_bool(0.9)).map_or_else(Strength::default, Strength::level),
        options: Options { hash_mib: 1, threads: rng.random_range(1..4) },
        ponder: rng.random_bool(0.3),
        book: rng.random_bool(0.3).then(|| OpeningBook::embedded(1)),
        ..Config::default()
    }
}

const GTP: [&str; 58] = [
    "genmove %c",
    "genmove %c",
    "7 genmove b",
    "reg_genmove %c",
    "play %c %m",
    "play %c %m",
    "12 play b pass",
    "undo",
    "gg-undo %n",
    "clear_board",
    "boardsize %n",
    "boardsize 6",
    "komi %n",
    "showboard",
    "final_score",
    "protocol_version",
    "name",
    "version",
    "known_command %m",
    "known_command genmove",
    "list_commands",
    "cputime",
    "list_games",
    "set_game Othello",
    "set_game %r",
    "set_level %l",
    "outflank-set_level %l",
    "ponder on",
    "ponder off",
    "time_settings %t %t %n",
    "time_settings none",
    "time_left %c %t %n",
    "loadsgf game.sgf",
    "loadsgf game.ggf %n",
    "loadsgf missing.sgf",
    "gogui-rules_game_id",
    "gogui-rules_board_size",
    "gogui-rules_board",
    "gogui-rules_side_to_move",
    "gogui-rules_legal_moves",
    "gogui-rules_final_result",
    "gogui-play_sequence %q",
    "gogui-setup b %m w %m e %m",
    "gogui-setup_player %c",
    "gogui-interrupt",
    "# interrupt",
    "# a comment",
    "gogui-title",
    "gogui-analyze_commands",
    "gogui-param_engine",
    "gogui-param_engine threads 2",
    "gogui-param_engine level %l",
    "outflank-hint %n",
    "outflank-variety %n %n",
    "outflank-move_values",
    "outflank-variation",
    "outflank-setboard %B %c",
    "outflank-rules %r",
];

/// What a line asks for: its number and the command, as the specification of GTP has it.
fn gtp_command(line: &str) -> Option<(String, String)> {
    let kept: String = line.chars().filter(|letter| *letter == '\t' || !letter.is_control()).collect();
    let kept = kept.split_once('#').map_or(kept.as_str(), |(before, _)| before);
    let mut words = kept.split_whitespace();
    let first = words.next()?;
    if first.bytes().all(|byte| byte.is_ascii_digit()) {
        Some((first.to_string(), words.next().unwrap_or_default().to_string()))
    } else {
        Some((String::new(), first.to_string()))
    }
}

fn run_gtp(mut sent: Vec<Sent>, rng: &mut StdRng) -> usize {
    sent.push(at_last("\n# interrupt\ntime_settings none\nponder off\noutflank-rules othello\noutflank-set_level 1\n"));
    sent.push(at_last("901 genmove b\n902 gogui-rules_side_to_move\n903 quit\nname\n"));
    let mut expected: Vec<(String, String)> = Vec::new();
    for line in lines(&sent) {
        Protocol::detect(&line);
        expected.extend(gtp_command(&line));
        if expected.last().is_some_and(|(_, command)| command == "quit") {
            break;
        }
    }
    let output = Shared::default();
    gtp::run(BufReader::new(Client::new(&sent)), &mut output.clone(), config(rng)).unwrap();
    let text = output.lines().join("\n") + "\n";
    let mut answers: Vec<&str> = text.split("\n\n").collect();
    assert_eq!(answers.pop(), Some(""), "the last answer has no end");
    assert_eq!(answers.len(), expected.len(), "answers for {expected:?}: {answers:#?}");
    for (answer, (number, command)) in answers.iter().zip(&expected) {
        let rest = answer.strip_prefix(['=', '?']).unwrap_or_else(|| panic!("{command}: {answer}"));
        let rest = rest.strip_prefix(number.as_str()).unwrap_or_else(|| panic!("{number} {command}: {answer}"));
        assert!(rest.is_empty() || rest.starts_with(' '), "{number} {command}: {answer}");
        assert!(answer.starts_with('=') || !rest.is_empty(), "{command} fails without a reason");
    }
    if expected.last().is_some_and(|(number, _)| number == "903") {
        let last = &answers[answers.len() - 3..];
        assert!(["=901 D3", "=901 C4", "=901 F5", "=901 E6"].contains(&last[0]), "{last:?}");
        assert_eq!(last[1..], ["=902 white", "=903"]);
    }
    0
}

const NBOARD: [&str; 27] = [
    "nboard 2",
    "set depth %l",
    "set depth %n",
    "set game %g",
    "set game %g",
    "set game %q",
    "set contempt %n",
    "set ponder on",
    "set ponder off",
    "set %m %n",
    "move %m",
    "move %m/1.00/0.05",
    "move %m//%t",
    "move PA",
    "%m",
    "hint %n",
    "hint 1",
    "go",
    "go",
    "ping %n",
    "ping %m %n",
    "analyze",
    "learn",
    "",
    "# %m",
    "quit %n",
    "%n",
];

fn run_nboard(mut sent: Vec<Sent>, rng: &mut StdRng) -> usize {
    const START: &str = "(;GM[Othello]PC[x]PB[]PW[]RE[?]TY[8]\
        BO[8 ---------------------------O*------*O--------------------------- *];)";
    sent.push(at_last(&format!("\nset depth 1\nset ponder off\nset game {START}\ngo\n")));
    // lines stop what is running: the last answer needs a moment of peace
    sent.push((Duration::from_millis(20), b"ping the end\ngo\n".to_vec()));
    let (mut pongs, mut choices, mut names, mut has_quit) = (Vec::new(), 0, 0, false);
    for line in lines(&sent) {
        Protocol::detect(&line);
        let line = line.trim();
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match command {
            "ping" => pongs.push(format!("pong {}", rest.trim()).trim_end().to_string()),
            "go" => choices += 1,
            "nboard" => names += 1,
            "quit" => has_quit = true,
            _ => {}
        }
        if has_quit {
            break;
        }
    }
    let output = Shared::default();
    nboard::run(&mut BufReader::new(Client::new(&sent)), output.clone(), config(rng)).unwrap();
    let written = output.lines();
    let starting =
        |word: &str| -> Vec<&String> { written.iter().filter(|line| line.split(' ').next() == Some(word)).collect() };
    assert_eq!(starting("pong"), pongs.iter().collect::<Vec<_>>(), "{written:#?}");
    assert_eq!(starting("===").len(), choices, "moves for `go` in {written:#?}");
    assert!(starting("set").len() >= names, "{written:#?}");
    for line in &written {
        let word = line.split(' ').next().unwrap();
        let known = ["status", "learned", "pong", "set", "nodestats", "===", "search", "analysis", "book"];
        assert!(known.contains(&word), "{line:?}");
    }
    if !has_quit {
        let last = starting("===").last().unwrap().as_str();
        assert!(["=== D3", "=== C4", "=== F5", "=== E6"].iter().any(|mv| last.starts_with(mv)), "{last}");
    }
    // reports of iterations come from searches that go on
    starting("search").len()
}

const CASSIO: [&str; 24] = [
    "ENGINE-PROTOCOL init",
    "ENGINE-PROTOCOL get-version",
    "ENGINE-PROTOCOL new-position",
    "ENGINE-PROTOCOL empty-hash",
    "ENGINE-PROTOCOL stop",
    "ENGINE-PROTOCOL stop",
    "ENGINE-PROTOCOL get-search-infos",
    "ENGINE-PROTOCOL get-search-infos",
    "ENGINE-PROTOCOL midgame-search %B%s -64 64 %l 73",
    "ENGINE-PROTOCOL midgame-search %B%s -64.00 +64.00 12 100",
    "ENGINE-PROTOCOL midgame-search %B%s %n %n %n %n",
    "ENGINE-PROTOCOL midgame-search %B %s -2 2 60 100",
    "ENGINE-PROTOCOL endgame-search %B%s -64 64 100",
    "ENGINE-PROTOCOL endgame-search %B%s -1 1 73",
    "ENGINE-PROTOCOL endgame-search %B%s %n %n %n",
    "ENGINE-PROTOCOL endgame-search %B%s",
    "ENGINE-PROTOCOL feed-hash %B%s -2 2 10 73 %q",
    "ENGINE-PROTOCOL feed-hash %B%s",
    "ENGINE-PROTOCOL %m",
    "ENGINE-PROTOCOL",
    "%q",
    "",
    "\t",
    "engine-protocol init",
];

fn run_cassio(mut sent: Vec<Sent>, rng: &mut StdRng) -> usize {
    const START: &str = "---------------------------OX------XO---------------------------X";
    sent.push(at_last("\nENGINE-PROTOCOL stop\nENGINE-PROTOCOL new-position\n"));
    sent.push(at_last(&format!("ENGINE-PROTOCOL midgame-search {START} -64 64 3 100\nENGINE-PROTOCOL get-version\n")));
    // commands that always have their `ready.`; such that have something else, or nothing, during a search
    let (mut always, mut infos, mut stops, mut has_quit) = (0, 0, 0, false);
    for line in lines(&sent) {
        Protocol::detect(&line);
        match line.split_whitespace().collect::<Vec<_>>()[..] {
            [] | ["ENGINE-PROTOCOL", "get-search-infos"] => infos += 1,
            ["ENGINE-PROTOCOL", "stop"] => stops += 1,
            ["ENGINE-PROTOCOL", "quit"] => {
                has_quit = true;
                break;
            }
            _ => always += 1,
        }
    }
    let output = Shared::default();
    cassio::run(BufReader::new(Client::new(&sent)), output.clone(), config(rng)).unwrap();
    let written = output.lines();
    let count = |test: &dyn Fn(&str) -> bool| written.iter().filter(|line| test(line)).count();
    let ready = count(&|line| line == "ready.");
    let during = count(&|line| line == "ok." || line.starts_with("node "));
    let answered = ready + during;
    let least = always + infos;
    assert!((least..=least + stops).contains(&answered), "{answered} for {least} and {stops}: {written:#?}");
    for line in &written {
        let starts = ["ready.", "ok.", "node ", "ERROR: ", "version: Outflank ", "bye bye."];
        let is_result = || line.split(' ').count() == 16 && line.contains(", move ") && line.contains(", time ");
        assert!(starts.iter().any(|start| line.starts_with(start)) || is_result(), "{line:?}");
    }
    assert_eq!(written.last().map(String::as_str), Some(if has_quit { "bye bye." } else { "ready." }));
    if !has_quit {
        let [.., result, ready, version, _] = &written[..] else { panic!("{written:#?}") };
        assert!(result.starts_with(START) && result.contains(", depth 3, @100%,"), "{result}");
        assert!(ready == "ready." && version.starts_with("version: "), "{written:#?}");
    }
    during
}

const CONSOLE: [&str; 42] = [
    "play %q",
    "play %m",
    "%m",
    "%q",
    "pass",
    "undo",
    "undo %n",
    "redo",
    "redo %n",
    "go",
    "go",
    "hint",
    "hint %n",
    "analyze",
    "analyze %n",
    "new",
    "init",
    "setboard %B %s",
    "setboard %B%s",
    "board",
    "moves",
    "level",
    "level %l",
    "set level = %l",
    "depth %n",
    "depth 4 73",
    "depth 3 %n",
    "time %t",
    "time off",
    "mode 0",
    "mode %n",
    "mode 3",
    "ponder on",
    "ponder off",
    "rules",
    "rules %r",
    "save game.sgf",
    "load game.ggf",
    "verbose %n",
    "help %m",
    "version",
    "# %q",
];

fn run_console(mut sent: Vec<Sent>, rng: &mut StdRng) -> usize {
    sent.push(at_last("\nmode 3\nponder off\ntime off\nrules othello\nlevel 1\nverbose 0\nplay f5\ngo\nmoves\n"));
    let (mut prompts, mut wrong, mut has_quit) = (1, 0, false);
    for line in lines(&sent) {
        let command = line.parse::<console::Command>();
        has_quit = command == Ok(console::Command::Quit);
        if has_quit {
            break;
        }
        prompts += 1;
        wrong += usize::from(command.is_err());
    }
    let stop = StopToken::new();
    let book = rng.random_bool(0.5).then(|| OpeningBook::embedded(1));
    let config = console::Config {
        session: Config { book, stop: stop.clone(), ..config(rng) },
        sides: console::Sides::None,
        verbose: 1,
        clock: Default::default(),
        rows: None,
        opening: rng.random_bool(0.2).then_some(console::Beginning::Balanced(None)),
        seed: 1,
        after_game: Default::default(),
        style: if rng.random_bool(0.5) { console::Style::Plain } else { console::Style::Edax },
        watch: Box::new(console::NoWatch),
        screen: Default::default(),
        today: || None,
    };
    let output = Shared::default();
    let mut problems = 0;
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        // Ctrl-C, again and again
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(3));
                stop.stop();
            }
        });
        let _end = Over(&over);
        let mut session = console::Console::new(config, output.clone()).unwrap();
        let input = console::lines(BufReader::new(Client::new(&sent)));
        let ending = console::run(&mut session, input, console::Prompt::Pipe, &mut |problem| {
            assert!(!problem.is_empty());
            problems += 1;
        });
        let ending = ending.unwrap();
        assert_eq!((ending.failed + ending.unsaved) as usize, problems);
    });
    let written = output.lines();
    assert_eq!(written.iter().filter(|line| *line == ">").count(), prompts, "{written:#?}");
    assert!(problems >= wrong, "{problems} of {wrong} told: {written:#?}");
    if !has_quit {
        let last: Vec<&str> = written.iter().rev().take(5).rev().map(String::as_str).collect();
        assert!(last[1].contains(" plays ") && last[2] == ">" && last[3].starts_with("f5"), "{last:?}");
        assert_eq!((last[3].len(), last[4]), (4, ">"));
    }
    0
}

/// Ends the thread that stops searches, also when the session panics.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
