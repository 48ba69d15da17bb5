//! Thinking on the opponent's time, through the protocols: what hits and misses cost, and that idle means idle.
#![cfg(feature = "cli")]

mod sessions;

use std::time::{Duration, Instant};

use outflank::protocol::{gtp, nboard};
use sessions::{Process, Shared, config};

/// A GTP session that ponders, after its first move.
fn pondering(level: u8) -> gtp::Session {
    let mut session = gtp::Session::new(config(6));
    for line in ["ponder on", "play b f5", "play w d6", "play b c3"] {
        assert!(session.answer(line).unwrap().starts_with('='), "{line}");
    }
    let answer = session.answer("genmove w").unwrap();
    assert!(answer.starts_with("= "), "{answer}");
    assert!(session.answer(&format!("set_level {level}")).unwrap().starts_with('='));
    session.ponder();
    assert!(session.player().is_pondering());
    session
}

#[test]
fn gtp_ponders_about_the_expected_reply() {
    let mut session = pondering(10);
    let expected = session.player().expected_reply().expect("a reply is expected");
    let reply = format!("{expected:#}");
    assert!(session.answer(&format!("play b {reply}")).unwrap().starts_with('='));
    assert!(session.answer("genmove w").unwrap().starts_with("= "));
    assert_eq!(session.player().ponder_counts().hits, 1);
    session.ponder();
    let expected = format!("{:#}", session.player().expected_reply().unwrap());
    let legal = session.answer("gogui-rules_legal_moves").unwrap();
    let other = legal[1..].split_whitespace().find(|name| *name != expected).expect("another move").to_string();
    assert!(session.answer(&format!("play b {other}")).unwrap().starts_with('='));
    assert_eq!(session.player().ponder_counts().misses, 1);
    assert!(!session.player().is_pondering());
    assert!(session.answer("genmove w").unwrap().starts_with("= "));
}

#[test]
fn gtp_commands_go_on_while_it_ponders() {
    let mut session = pondering(30);
    for line in ["name", "showboard", "time_settings 60 0 0", "time_left w 50 0", "gogui-rules_legal_moves"] {
        assert!(session.answer(line).unwrap().starts_with('='), "{line}");
    }
    assert!(session.player().is_pondering());
    // searches for the client come first
    assert!(session.answer("set_level 3").unwrap().starts_with('='));
    assert!(session.answer("outflank-hint 2").unwrap().starts_with("= "));
    assert!(!session.player().is_pondering());
    assert!(session.answer("undo").unwrap().starts_with('='));
    assert!(session.answer("ponder maybe").unwrap().starts_with("? syntax error"));
}

#[test]
fn nboard_ponders_when_it_is_told_to() {
    let output = Shared::default();
    let mut session = nboard::Session::new(output.clone(), config(10));
    for line in ["nboard 2", "set ponder on", "move F5", "ping 1", "go"] {
        session.line(line).unwrap();
    }
    session.finish().unwrap();
    let answer = output.lines().into_iter().find_map(|line| line.strip_prefix("=== ").map(str::to_string));
    session.line(&format!("move {}", answer.expect("a move"))).unwrap();
    assert!(session.player().is_pondering());
    let written = output.lines().len();
    session.line("ping 2").unwrap();
    assert_eq!(output.lines()[written..], ["pong 2"], "pondering writes nothing");
    let reply = session.player().expected_reply().expect("a reply is expected");
    session.line(&format!("move {reply:#}")).unwrap();
    session.line("go").unwrap();
    session.finish().unwrap();
    assert_eq!(session.player().ponder_counts().hits, 1);
    assert_eq!(output.lines().iter().filter(|line| line.starts_with("=== ")).count(), 2);
}

/// CPU time that passes in a process during this long.
fn cpu_during(process: &Process, time: Duration) -> Option<Duration> {
    let before = process.cpu()?;
    std::thread::sleep(time);
    Some(process.cpu()? - before)
}

#[test]
fn an_idle_engine_uses_no_cpu() {
    let mut process = Process::start(&["gtp", "--level", "8", "--threads", "2", "--no-book"]);
    process.ask("genmove b");
    let Some(idle) = cpu_during(&process, Duration::from_millis(700)) else {
        sessions::shared_data::skipped("/proc, to read CPU times from");
        return;
    };
    assert!(idle <= Duration::from_millis(10), "{idle:?}");
    process.ask("ponder on");
    process.ask("set_level 60");
    process.ask("time_settings 0 0.2 1");
    let legal = process.ask("gogui-rules_legal_moves");
    let reply = legal.trim_start_matches("= ").split(' ').next().expect("a move").to_string();
    assert_eq!(process.ask(&format!("play w {reply}")), "=");
    process.ask("genmove b");
    let pondering = cpu_during(&process, Duration::from_millis(700)).expect("read before");
    process.ask("ponder off");
    let idle = cpu_during(&process, Duration::from_millis(700)).expect("read before");
    assert!(pondering > Duration::from_millis(60) && idle <= Duration::from_millis(10), "{pondering:?}, {idle:?}");
}

#[test]
fn a_miss_is_answered_at_once() {
    let mut session = pondering(60);
    let expected = session.player().expected_reply().unwrap();
    let legal = session.answer("gogui-rules_legal_moves").unwrap();
    let other = legal[1..].split_whitespace().find(|name| *name != format!("{expected:#}")).unwrap().to_string();
    std::thread::sleep(Duration::from_millis(200));
    let start = Instant::now();
    session.answer(&format!("play b {other}"));
    // 5 ms on an idle machine; tests share theirs
    assert!(start.elapsed() < Duration::from_millis(250), "{:?}", start.elapsed());
}
