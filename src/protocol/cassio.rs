//! Cassio's ENGINE-PROTOCOL: a position in, its value and line out.
//!
//! Sessions have no state but the transposition table: each command names its position, window, depth and confidence.
//! A search ends with one result line and `ready.`; `stop`, `get-search-infos` and empty lines are answered while it
//! runs; `stop`, `quit`, `new-position` and `empty-hash` end it at once, everything else waits for its end. Every command is
//! answered with `ready.` in the end, also one that fails; a `stop` that was read before the `ready.` of the search shares it, whether
//! it has ended the search or that ended by itself, and one that was read afterwards has its own. Arguments that a command has no use
//! for are left alone, as Edax leaves them.
//!
//! `feed-hash` is checked and acknowledged; the engine keeps its own table and does not take entries from outside.

use std::cmp;
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::input::ReadAhead;
use super::output::Output;
use super::{Config, NAME, VERSION};
use crate::formats::board_text;
use crate::formats::quantity::without_percent_sign;
use crate::plain::shortened;
use crate::play::{Overhead, Player};
use crate::rules::{Color, Move, Position, RuleSet};
use crate::search::{Bound, Goal, Limits, Report, Selectivity, StopToken};
use crate::time::Instant;

/// Bounds of a window that is not given: beyond the scores of every board.
const LOWEST: &str = "-inf";
const HIGHEST: &str = "inf";

/// Why a command failed; sent after `ERROR: `.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("Unknown protocol \"{}\"", shortened(.0))]
    Unknown(String),
    #[error("{0} needs {1}")]
    Arguments(&'static str, &'static str),
    #[error("position: {0}")]
    Position(String),
    #[error("\"{}\" is not a number", shortened(.0))]
    Number(String),
    #[error("the window begins at {0} and ends at {1}")]
    Window(i32, i32),
}

/// A session that writes to `W`.
#[derive(Debug)]
pub struct Session<W> {
    player: Player,
    output: Output<W>,
    rules: Arc<RuleSet>,
    started: Instant,
    /// Lines handled, the present one among them.
    handled: u64,
    /// Lines read, by a thread that may be ahead of this session.
    read: Arc<AtomicU64>,
    /// How many lines had been read when the search asked for last was answered, or is being; 0 before that. Its thread may take a
    /// moment longer to end, in which a client that has read its `ready.` must not be told that the engine is at work.
    answered_at: Arc<AtomicU64>,
    /// The `ready.` of the search asked for last is the answer to a `stop`, too, that was read before it.
    is_for_stop: bool,
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
/// A thread of its own reads the input, so that `stop` and `quit` reach a search that other commands are waiting for.
///
/// # Errors
/// When the streams fail, also when the client has closed its end of the output, or when no thread can be started.
pub fn run(
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
    config: Config,
) -> io::Result<()> {
    let mut session = Session::new(output, config);
    let mut lines = ReadAhead::start(input, session.stop_token(), ends_searches, Arc::clone(&session.read))?;
    while let Some(line) = lines.next_line()? {
        if !session.line(&line)? {
            return Ok(());
        }
    }
    session.finish()
}

/// The line ends the searches asked for before it.
fn ends_searches(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.next() == Some("ENGINE-PROTOCOL")
        && words.next().is_some_and(|word| ["stop", "quit", "new-position", "empty-hash"].contains(&word))
}

impl<W: Write + Send + 'static> Session<W> {
    /// A session.
    pub fn new(output: W, config: Config) -> Session<W> {
        let rules = Arc::clone(&config.rules);
        let (player, output) = (config.player(Overhead::PIPE), Output::new(output));
        let (read, answered_at) = (Arc::default(), Arc::default());
        Session { player, output, rules, started: Instant::now(), handled: 0, read, answered_at, is_for_stop: false }
    }

    /// The token that ends searches from another thread. It stays set: reset it before the next command.
    pub fn stop_token(&self) -> StopToken {
        self.player.stop_token()
    }

    /// Ends a running search.
    fn stop(&mut self) -> io::Result<()> {
        self.stop_token().stop();
        let finished = self.player.finish();
        // searches asked for from now on are not meant
        self.stop_token().reset();
        finished
    }

    /// Handles a line; `false` when it was `quit`.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn line(&mut self, line: &str) -> io::Result<bool> {
        self.handled += 1;
        // without a reading thread a line is read when it is handled
        self.read.fetch_max(self.handled, Ordering::SeqCst);
        let words: Vec<&str> = line.split_whitespace().collect();
        let working = self.player.is_working() && self.answered_at.load(Ordering::SeqCst) == 0;
        match words.as_slice() {
            [] if working => self.output.line("ok.")?,
            ["ENGINE-PROTOCOL", "get-search-infos", ..] if working => {
                let (nodes, seconds) = (self.stop_token().nodes(), self.started.elapsed().as_secs_f64());
                self.output.line(&format!("node {nodes}, time {seconds:.3}"))?;
            }
            ["ENGINE-PROTOCOL", "stop", ..] if self.is_for_stop => {
                self.stop()?;
                self.is_for_stop = false;
                // whether this has ended the search or came when it ended by itself
                if self.answered_at.load(Ordering::SeqCst) < self.handled {
                    self.ready()?;
                }
            }
            ["ENGINE-PROTOCOL", "quit", ..] => {
                self.stop()?;
                self.output.line("bye bye.")?;
                return Ok(false);
            }
            // the hash of the game before is of no use to anybody any more: its search is not either
            ["ENGINE-PROTOCOL", "new-position" | "empty-hash", ..] => {
                self.stop()?;
                self.command(&words)?;
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
        self.player.finish()
    }

    fn ready(&self) -> io::Result<()> {
        self.output.line("ready.")
    }

    /// A command that finds the engine at rest.
    fn command(&mut self, words: &[&str]) -> io::Result<()> {
        // who asks how it stands wants nothing else done
        self.is_for_stop &= matches!(words, [] | ["ENGINE-PROTOCOL", "get-search-infos", ..]);
        let request = match words {
            ["ENGINE-PROTOCOL", "init" | "stop" | "get-search-infos", ..] => return self.ready(),
            ["ENGINE-PROTOCOL", "get-version", ..] => {
                self.output.line(&format!("version: {NAME} {VERSION}"))?;
                return self.ready();
            }
            ["ENGINE-PROTOCOL", "new-position" | "empty-hash", ..] => {
                self.player.forget();
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
            // clients read on until they are told that the engine is ready again, whatever went wrong
            Err(error) => {
                self.output.line(&format!("ERROR: {error}"))?;
                self.ready()
            }
        }
    }

    fn midgame(&self, arguments: &[&str]) -> Result<Request, Error> {
        let (position, rest) = self.position(arguments)?;
        let [alpha, beta, depth, precision] = arguments_or(rest, [LOWEST, HIGHEST, "60", "100"]);
        // a search of no depth has no move to give
        let depth = number(depth)?.clamp(1.0, 60.0) as u8;
        let goal = Goal::Depth(depth, selectivity(precision)?);
        let window = window(alpha, beta, most(&position))?;
        Ok(Request { position, window, goal })
    }

    fn endgame(&self, arguments: &[&str]) -> Result<Request, Error> {
        let (position, rest) = self.position(arguments)?;
        let [alpha, beta, precision] = arguments_or(rest, [LOWEST, HIGHEST, "100"]);
        let goal = Goal::Depth(position.empty_count().clamp(1, 255) as u8, selectivity(precision)?);
        let window = window(alpha, beta, most(&position))?;
        Ok(Request { position, window, goal })
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
        let (output, stop) = (self.output.clone(), self.stop_token());
        let (read, answered_at) = (Arc::clone(&self.read), Arc::clone(&self.answered_at));
        self.started = Instant::now();
        self.answered_at.store(0, Ordering::SeqCst);
        self.is_for_stop = true;
        self.player.work(move |engine, _| {
            let limits = Limits { window: request.window, ..Limits::new(request.goal) };
            let answer = match engine.search(&request.position, &limits, &stop, &mut |_| {}) {
                Ok(report) => result_line(&request.position, &report),
                Err(error) => format!("ERROR: {error}"),
            };
            // before the client can read it
            answered_at.store(read.load(Ordering::SeqCst), Ordering::SeqCst);
            // in one piece: clients read on from the result to this, and no `ok.` may come between
            output.line(&format!("{answer}\nready."))
        });
        Ok(())
    }
}

/// The arguments, defaults for those that are missing; more than these are left alone.
fn arguments_or<'a, const N: usize>(given: &[&'a str], defaults: [&'a str; N]) -> [&'a str; N] {
    std::array::from_fn(|i| given.get(i).copied().unwrap_or(defaults[i]))
}

fn number(text: &str) -> Result<f64, Error> {
    text.parse::<f64>().ok().filter(|value| !value.is_nan()).ok_or_else(|| Error::Number(text.to_string()))
}

fn selectivity(text: &str) -> Result<Selectivity, Error> {
    Ok(Selectivity::at_least(number(without_percent_sign(text))?.clamp(0.0, 100.0).ceil() as u32))
}

/// The highest score of a position's board.
fn most(position: &Position) -> i32 {
    position.rules().squares() as i32
}

/// A window in whole discs that contains the one given, of scores up to `most`; equal bounds ask about that one score.
fn window(alpha: &str, beta: &str, most: i32) -> Result<(i32, i32), Error> {
    let bound = f64::from(most);
    let alpha = number(alpha)?.floor().clamp(-bound, bound) as i32;
    let beta = number(beta)?.ceil().clamp(-bound, bound) as i32;
    match alpha.cmp(&beta) {
        cmp::Ordering::Less => Ok((alpha, beta)),
        cmp::Ordering::Equal => Ok(((alpha - 1).max(-most), (beta + 1).min(most))),
        cmp::Ordering::Greater => Err(Error::Window(alpha, beta)),
    }
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
        Bound::Lower => (report.score, most(position)),
        Bound::Upper => (-most(position), report.score),
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

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    const SEARCH: &str =
        "ENGINE-PROTOCOL midgame-search ---------------------------OX------XO---------------------------X -64 64 1 100";

    /// What the session says to these lines, each with how many lines have been read by then; every search has ended, and its thread,
    /// before the next line is handled.
    fn answers(lines: &[(&str, u64)], is_stopped: bool) -> Vec<String> {
        let mut session = Session::new(Vec::new(), Config::default());
        for (line, read) in lines {
            session.read.store(*read, Ordering::SeqCst);
            if is_stopped {
                session.stop_token().stop();
            }
            assert!(session.line(line).unwrap());
            session.finish().unwrap();
            session.stop_token().reset();
        }
        let short = |line: &str| if line.contains(", move ") { "result".to_string() } else { line.to_string() };
        session.output.text().lines().map(short).collect()
    }

    /// A board of 256 squares before the first disc.
    #[test]
    fn the_end_of_no_game_is_at_depth_nought() {
        let rules = Arc::new("othello:16x16,placement".parse().unwrap());
        let session = Session::new(Vec::new(), Config { rules, ..Config::default() });
        let request = session.endgame(&["-".repeat(256).as_str(), "X"]).unwrap();
        assert_eq!(request.goal, Goal::Depth(255, Selectivity::NONE));
    }

    /// What has been written between flushes.
    #[derive(Debug, Default)]
    struct Pieces {
        begun: Vec<u8>,
        written: Arc<Mutex<Vec<String>>>,
    }

    impl Write for Pieces {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.begun.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            let piece = String::from_utf8(std::mem::take(&mut self.begun)).unwrap();
            self.written.lock().unwrap().push(piece);
            Ok(())
        }
    }

    #[test]
    fn nothing_comes_between_a_result_and_ready() {
        let pieces = Pieces::default();
        let written = pieces.written.clone();
        let mut session = Session::new(pieces, Config::default());
        assert!(session.line(SEARCH).unwrap());
        session.finish().unwrap();
        let written = written.lock().unwrap();
        assert!(written.len() == 1 && written[0].ends_with("\nready.\n"), "{written:?}");
    }

    /// The thread that reads may have read a `stop` before the search has ended, by that or by itself, and the session looks at it
    /// afterwards: a second `ready.` would be taken for the end of the next search.
    #[test]
    fn a_stop_that_was_read_before_ready_has_no_answer_of_its_own() {
        let stop = "ENGINE-PROTOCOL stop";
        for is_stopped in [false, true] {
            let said = |lines: &[(&str, u64)]| answers(lines, is_stopped).join(" ");
            assert_eq!(said(&[(SEARCH, 2), (stop, 2)]), "result ready.");
            // it is answered once
            assert_eq!(said(&[(SEARCH, 3), (stop, 3), (stop, 3)]), "result ready. ready.");
            assert_eq!(said(&[(SEARCH, 2), (stop, 2), (SEARCH, 3), (stop, 4)]), "result ready. result ready. ready.");
            // lines that ask how it stands change nothing
            assert_eq!(said(&[(SEARCH, 3), ("", 3), (stop, 3)]), "result ready. ready.");
            let ask = "ENGINE-PROTOCOL get-search-infos";
            assert_eq!(said(&[(SEARCH, 3), (ask, 3), (stop, 3)]), "result ready. ready.");
            // read afterwards
            assert_eq!(said(&[(SEARCH, 1), (stop, 2)]), "result ready. ready.");
            assert_eq!(said(&[(SEARCH, 2), ("", 2), (stop, 3)]), "result ready. ready. ready.");
            // what has waited for the search is what it would stop
            let init = "ENGINE-PROTOCOL init";
            assert_eq!(said(&[(SEARCH, 3), (init, 3), (stop, 3)]), "result ready. ready. ready.");
        }
    }
}
