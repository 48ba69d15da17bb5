//! Cassio's ENGINE-PROTOCOL: a position in, its value and line out.
//!
//! Sessions have no state but the transposition table: each command names its position, window, depth and confidence.
//! A search ends with one result line and `ready.`; `stop`, `get-search-infos` and empty lines are answered while it
//! runs, everything else waits for its end, `quit` too.
//!
//! `feed-hash` is checked and acknowledged; the engine keeps its own table and does not take entries from outside.

use std::io::{self, BufRead, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use super::background::Background;
use super::{Config, NAME, VERSION, input};
use crate::engine::Engine;
use crate::formats::board_text;
use crate::rules::{Color, Move, Position, RuleSet};
use crate::search::{Bound, Goal, Limits, Report, Selectivity};

/// Why a command failed; sent after `ERROR: `.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("Unknown protocol \"{0}\"")]
    Unknown(String),
    #[error("{0} needs {1}")]
    Arguments(&'static str, &'static str),
    #[error("position: {0}")]
    Position(String),
    #[error("\"{0}\" is not a number")]
    Number(String),
    #[error("the window {0} to {1} is empty")]
    Window(i32, i32),
}

/// A session that writes to `W`.
#[derive(Debug)]
pub struct Session<W> {
    background: Background,
    output: Arc<Mutex<W>>,
    rules: Arc<RuleSet>,
    /// What the running search has done.
    progress: Arc<AtomicU64>,
    started: Instant,
}

/// A search as a command asks for it.
#[derive(Debug)]
struct Request {
    position: Position,
    window: (i32, i32),
    goal: Goal,
}

/// Runs a session until `quit` or the end of the input. A search still running then is finished first.
///
/// # Errors
/// When the streams fail, also when the client has closed its end of the output.
pub fn run(input: &mut impl BufRead, output: impl Write + Send + 'static, config: Config) -> io::Result<()> {
    let mut session = Session::new(output, config);
    while let Some(line) = input::read_line(input)? {
        if !session.line(&line)? {
            return Ok(());
        }
    }
    session.finish()
}

fn say<W: Write>(output: &Mutex<W>, text: &str) -> io::Result<()> {
    let mut output = output.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    writeln!(output, "{text}")?;
    output.flush()
}

impl<W: Write + Send + 'static> Session<W> {
    /// A session.
    pub fn new(output: W, config: Config) -> Session<W> {
        Session {
            background: Background::new(Engine::new(config.options).with_weights(config.weights)),
            output: Arc::new(Mutex::new(output)),
            rules: config.rules,
            progress: Arc::default(),
            started: Instant::now(),
        }
    }

    /// Handles a line; `false` when it was `quit`.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn line(&mut self, line: &str) -> io::Result<bool> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [] if self.background.is_working() => say(&self.output, "ok.")?,
            [] => self.ready()?,
            ["ENGINE-PROTOCOL", "get-search-infos"] if self.background.is_working() => {
                let (nodes, seconds) = (self.progress.load(Ordering::Relaxed), self.started.elapsed().as_secs_f64());
                say(&self.output, &format!("node {nodes}, time {seconds:.3}"))?;
            }
            // the search's own `ready.` is the answer when one is running
            ["ENGINE-PROTOCOL", "stop"] if self.background.is_working() => self.background.stop()?,
            ["ENGINE-PROTOCOL", "quit"] => {
                self.finish()?;
                say(&self.output, "bye bye.")?;
                return Ok(false);
            }
            _ => {
                self.finish()?;
                self.command(&words)?;
            }
        }
        Ok(true)
    }

    /// Waits for a running search to finish.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn finish(&mut self) -> io::Result<()> {
        self.background.finish()
    }

    fn ready(&self) -> io::Result<()> {
        say(&self.output, "ready.")
    }

    /// A command that finds the engine at rest.
    fn command(&mut self, words: &[&str]) -> io::Result<()> {
        let request = match words {
            ["ENGINE-PROTOCOL", "init" | "stop" | "get-search-infos"] => return self.ready(),
            ["ENGINE-PROTOCOL", "get-version"] => {
                say(&self.output, &format!("version: {NAME} {VERSION}"))?;
                return self.ready();
            }
            ["ENGINE-PROTOCOL", "new-position" | "empty-hash"] => {
                self.background.engine()?.clear();
                return self.ready();
            }
            ["ENGINE-PROTOCOL", "feed-hash", arguments @ ..] => match self.check_feed(arguments) {
                Ok(()) => return self.ready(),
                Err(error) => Err(error),
            },
            ["ENGINE-PROTOCOL", "midgame-search", arguments @ ..] => self.midgame(arguments),
            ["ENGINE-PROTOCOL", "endgame-search", arguments @ ..] => self.endgame(arguments),
            ["ENGINE-PROTOCOL", word, ..] | [word, ..] => Err(Error::Unknown(word.to_string())),
            [] => return self.ready(),
        };
        match request {
            Ok(request) => self.search(request),
            Err(error) => say(&self.output, &format!("ERROR: {error}")),
        }
    }

    fn midgame(&self, arguments: &[&str]) -> Result<Request, Error> {
        let (position, rest) = self.position(arguments)?;
        let [alpha, beta, depth, precision] = rest else {
            return Err(Error::Arguments("midgame-search", "POSITION ALPHA BETA DEPTH PRECISION"));
        };
        // a search of no depth has no move to give
        let depth = number(depth)?.clamp(1.0, 60.0) as u8;
        let goal = Goal::Depth(depth, selectivity(precision)?);
        Ok(Request { position, window: window(alpha, beta)?, goal })
    }

    fn endgame(&self, arguments: &[&str]) -> Result<Request, Error> {
        let (position, rest) = self.position(arguments)?;
        let [alpha, beta, precision] = rest else {
            return Err(Error::Arguments("endgame-search", "POSITION ALPHA BETA PRECISION"));
        };
        let goal = Goal::Depth(position.empty_count().max(1) as u8, selectivity(precision)?);
        Ok(Request { position, window: window(alpha, beta)?, goal })
    }

    fn check_feed(&self, arguments: &[&str]) -> Result<(), Error> {
        let (_, rest) = self.position(arguments)?;
        let [lower, upper, depth, precision, ..] = rest else {
            return Err(Error::Arguments("feed-hash", "POSITION LOWER UPPER DEPTH PRECISION MOVES"));
        };
        [lower, upper, depth, precision].into_iter().try_for_each(|text| number(text).map(|_| ()))
    }

    /// The position at the beginning of the arguments, the side joined to it or apart, and the arguments after it.
    fn position<'a>(&self, arguments: &'a [&'a str]) -> Result<(Position, &'a [&'a str]), Error> {
        if arguments.is_empty() {
            return Err(Error::Position("it is missing".to_string()));
        }
        let (position, words) =
            board_text::parse_words(arguments, &self.rules).map_err(|error| Error::Position(error.to_string()))?;
        Ok((position, &arguments[words..]))
    }

    fn search(&mut self, request: Request) -> io::Result<()> {
        let (output, progress) = (Arc::clone(&self.output), Arc::clone(&self.progress));
        progress.store(0, Ordering::Relaxed);
        self.started = Instant::now();
        self.background.start(move |engine, stop| {
            let limits = Limits { window: request.window, ..Limits::new(request.goal) };
            let report = engine.search(&request.position, &limits, stop, &mut |report| {
                progress.store(report.nodes, Ordering::Relaxed);
            });
            say(&output, &result_line(&request.position, &report))?;
            say(&output, "ready.")
        })
    }
}

fn number(text: &str) -> Result<f64, Error> {
    text.parse::<f64>().ok().filter(|value| !value.is_nan()).ok_or_else(|| Error::Number(text.to_string()))
}

fn selectivity(text: &str) -> Result<Selectivity, Error> {
    Ok(Selectivity::at_least(number(text.trim_end_matches('%'))?.clamp(0.0, 100.0).ceil() as u32))
}

/// A window in whole discs that contains the one given.
fn window(alpha: &str, beta: &str) -> Result<(i32, i32), Error> {
    let alpha = number(alpha)?.floor().clamp(-64.0, 64.0) as i32;
    let beta = number(beta)?.ceil().clamp(-64.0, 64.0) as i32;
    if alpha < beta { Ok((alpha, beta)) } else { Err(Error::Window(alpha, beta)) }
}

/// `POSITION, move D3, depth 6, @73%, B+0.00 <= v <= B+0.00, D3c3C4e3, node 1065, time 0.003`
fn result_line(position: &Position, report: &Report) -> String {
    let board = board_text::write(position).replace(' ', "");
    let side = position.side_to_move();
    let (mv, pv, bound) = match report.best() {
        Some(line) => (line.mv, line.pv.as_slice(), line.bound),
        None => (Move::Pass, &[][..], Bound::Exact),
    };
    let (low, high) = match bound {
        Bound::Exact => (report.score, report.score),
        Bound::Lower => (report.score, 64),
        Bound::Upper => (-64, report.score),
    };
    let letter = if side == Color::Black { 'B' } else { 'W' };
    let bounds = format!("{letter}{:+.2} <= v <= {letter}{:+.2}", f64::from(low), f64::from(high));
    let mut line = String::new();
    let mut mover = side;
    for &mv in if pv.is_empty() { std::slice::from_ref(&mv) } else { pv } {
        line.push_str(&move_text(mv, mover));
        mover = !mover;
    }
    format!(
        "{board}, move {}, depth {}, @{}, {bounds}, {line}, node {}, time {:.3}",
        move_text(mv, side),
        report.depth,
        report.selectivity,
        report.nodes,
        report.elapsed.as_secs_f64()
    )
}

/// Black's moves in capitals, white's in small letters, passes always `PA`.
fn move_text(mv: Move, side: Color) -> String {
    match (mv, side) {
        (Move::Pass, _) => "PA".to_string(),
        (place, Color::Black) => format!("{place:#}"),
        (place, Color::White) => place.to_string(),
    }
}
