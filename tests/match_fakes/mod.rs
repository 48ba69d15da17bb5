//! Engines that play correctly, or fail in the way their mode says.

pub mod driver;

use std::fs::OpenOptions;
use std::io::{self, BufRead, Write};
use std::process::exit;
use std::thread;
use std::time::Duration;

use outflank::formats::parse_move;
use outflank::game::Game;
use outflank::rules::{Color, Move};

/// The tests that are no tests: what the driver starts, by these names, to have an engine in the mode that `FAKE` names.
macro_rules! fake_engines {
    () => {
        #[test]
        #[ignore = "an engine for the other tests, not a test"]
        fn fake_gtp() {
            crate::match_fakes::gtp(&std::env::var("FAKE").unwrap_or_default());
        }

        #[test]
        #[ignore = "an engine for the other tests, not a test"]
        fn fake_nboard() {
            crate::match_fakes::nboard(&std::env::var("FAKE").unwrap_or_default());
        }
    };
}

/// What an engine does when it is asked for its n-th move (from 1), if not a move.
fn misbehave(mode: &str, nth: u32) {
    match (mode, nth) {
        ("crash", 2) => {
            eprintln!("+++ out of cheese error +++");
            exit(3);
        }
        ("hang", 2) => nap(),
        ("endless", 2) => flood("= A1\n", "more of the same\n"),
        ("line", 2) => flood("=== ", "and so on "),
        ("noise", 2) => flood("", "info: thinking\n"),
        ("slow", 3) => thread::sleep(Duration::from_millis(600)),
        ("flaky", 2) if starts() == 1 => exit(3),
        _ => {}
    }
}

/// Does nothing for a long time, but not for ever: should a test fail, nothing stays behind.
fn nap() -> ! {
    append("FAKE_ASLEEP", "asleep");
    thread::sleep(Duration::from_secs(120));
    exit(9);
}

/// Writes without end.
fn flood(first: &str, rest: &str) -> ! {
    let mut out = io::stdout().lock();
    let more = rest.repeat(4096 / rest.len());
    let mut written = out.write_all(first.as_bytes());
    while written.is_ok() {
        written = out.write_all(more.as_bytes());
    }
    nap();
}

/// Appends a line to the file that an environment variable names.
fn append(variable: &str, line: &str) {
    if let Ok(path) = std::env::var(variable) {
        let mut file = OpenOptions::new().append(true).create(true).open(path).unwrap();
        writeln!(file, "{line}").unwrap();
    }
}

/// How often engines that share the file that `FAKE_STARTS` names were started.
fn starts() -> usize {
    std::env::var("FAKE_STARTS").map_or(0, |path| std::fs::read_to_string(path).unwrap().lines().count())
}

/// An engine starts, or does not: `flaky` fails at its second start.
fn begin(mode: &str) {
    append("FAKE_STARTS", mode);
    if mode == "stillborn" || (mode == "flaky" && starts() == 2) {
        exit(1);
    }
}

/// An engine hears of a move; `sly` thinks before it says so.
fn hear(mode: &str) {
    if mode == "sly" {
        thread::sleep(Duration::from_millis(150));
    }
}

/// Waits as long as the file that `FAKE_GATE` names is there.
fn wait_at_gate() {
    if let Ok(path) = std::env::var("FAKE_GATE") {
        while std::path::Path::new(&path).exists() {
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// The text of a chosen move: the first legal one, or what the mode wants instead.
fn answer(mode: &str, game: &Game) -> String {
    match mode {
        "illegal" => "A1".to_string(),
        "garbage" => "banana".to_string(),
        "passes" => "PASS".to_string(),
        _ => format!("{:#}", game.position().legal_moves()[0]),
    }
}

fn lines() -> impl Iterator<Item = String> {
    // end the harness's line
    println!();
    io::stdin().lock().lines().map_while(Result::ok)
}

/// A GTP engine: `strict` about colours, or like gtp-rhino (`omit`) about passes.
pub fn gtp(mode: &str) {
    let (mut game, mut asked, mut games) = (Game::default(), 0, 0);
    begin(mode);
    if mode == "spam" {
        // whatever it is asked, the answer is there already
        flood("=\n\n", "=\n\n");
    }
    for line in lines() {
        append("FAKE_LOG", &line);
        let words: Vec<&str> = line.split_whitespace().collect();
        let reply = match words.as_slice() {
            ["protocol_version"] => Ok("2".to_string()),
            ["name"] => Ok(format!("Fake {mode}")),
            ["list_commands"] => {
                Ok("name\nboardsize\nclear_board\nplay\ngenmove\ntime_settings\ntime_left".to_string())
            }
            ["boardsize", "8"] => Ok(String::new()),
            ["clear_board"] => {
                (game, asked) = (Game::default(), 0);
                games += 1;
                if games > 3 {
                    wait_at_gate();
                }
                Ok(String::new())
            }
            ["time_settings" | "time_left", ..] if mode == "integers" && line.contains('.') => {
                Err("syntax error".to_string())
            }
            ["time_settings" | "time_left", ..] => Ok(String::new()),
            ["play", color, mv] => {
                hear(mode);
                play(mode, &mut game, color, mv)
            }
            ["genmove", color] => {
                asked += 1;
                misbehave(mode, asked);
                genmove(mode, &mut game, color)
            }
            ["quit"] if mode == "stubborn" => nap(),
            ["quit"] => {
                println!("=\n");
                return;
            }
            _ => Err("unknown command".to_string()),
        };
        if mode == "strict" {
            eprint!("{}", "thinking aloud\n".repeat(2000));
            println!("info: not a reply");
        }
        match reply {
            Ok(text) => println!("= {text}\n"),
            Err(text) => println!("? {text}\n"),
        }
    }
    if mode == "stubborn" {
        nap();
    }
}

/// The side to move is this one, after a silent pass if the mode infers passes.
fn turn(mode: &str, game: &mut Game, color: &str) -> Result<(), String> {
    let wanted = if color == "black" { Color::Black } else { Color::White };
    if mode == "omit" && game.position().side_to_move() != wanted && game.position().must_pass() {
        game.play(Move::Pass).unwrap();
    }
    if game.position().side_to_move() == wanted { Ok(()) } else { Err("wrong colour".to_string()) }
}

fn play(mode: &str, game: &mut Game, color: &str, mv: &str) -> Result<String, String> {
    if mode == "omit" && mv.eq_ignore_ascii_case("pass") {
        return Err("syntax error".to_string());
    }
    turn(mode, game, color)?;
    let mv = parse_move(game.position(), mv).map_err(|error| error.to_string())?;
    game.play(mv).map_err(|error| error.to_string())?;
    Ok(String::new())
}

fn genmove(mode: &str, game: &mut Game, color: &str) -> Result<String, String> {
    match mode {
        "refuse" => return Err("I would rather not".to_string()),
        "resign" => return Ok("resign".to_string()),
        _ => turn(mode, game, color)?,
    }
    let text = answer(mode, game);
    if let Ok(mv) = parse_move(game.position(), &text) {
        // a bad one is answered all the same
        let _ = game.play(mv);
    }
    Ok(text)
}

/// An NBoard engine.
pub fn nboard(mode: &str) {
    let (mut game, mut asked) = (Game::default(), 0);
    begin(mode);
    for line in lines() {
        if line == "nboard 2" {
            println!("set myname FakeNBoard");
        } else if let Some(ggf) = line.strip_prefix("set game ") {
            (game, asked) = (Game::default(), 0);
            assert!(ggf.contains("BO[8 ---------------------------O*------*O--------------------------- *]"), "{ggf}");
            for item in ggf.split("]").filter(|item| item.starts_with("B[") || item.starts_with("W[")) {
                nboard_move(&mut game, &item[2..]);
            }
        } else if let Some(mv) = line.strip_prefix("move ") {
            hear(mode);
            nboard_move(&mut game, mv);
        } else if let Some(number) = line.strip_prefix("ping ") {
            println!("status ready\npong {number}");
        } else if line == "go" {
            asked += 1;
            misbehave(mode, asked);
            println!("status thinking\n=== {}/1.50/0.1", answer(mode, &game));
        } else if line == "quit" {
            return;
        }
    }
}

fn nboard_move(game: &mut Game, text: &str) {
    let text = text.split('/').next().unwrap();
    let mv = parse_move(game.position(), text).unwrap_or_else(|error| panic!("{error}"));
    game.play(mv).unwrap_or_else(|error| panic!("{error}"));
}
