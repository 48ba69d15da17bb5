//! NBoard's engine protocol, version 2.
//!
//! The engine mirrors the position that the GUI displays: a game, a depth (a playing level here), a contempt.
//! Only the GUI changes it: the answer to `go` is a proposal that the GUI sends back as `move` or does not. Searches run
//! in a thread of their own; any line stops a running one and waits for its end before it is applied, so that nothing
//! a request caused is written after the `pong` that follows. A `go` that is cut short still proposes its best move.
//!
//! Lines that make no sense are ignored, as the protocol asks; they are logged with `OUTFLANK_LOG=info` only, because
//! NBoard reads stderr as part of the protocol.
//!
//! Games of the GUI, which names no rules, are by those that the session was started with.
//!
//! `set ponder on` (an extension) lets the engine think on the opponent's time after each of its moves that is played.

use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::output::Output;
use super::{Config, NAME, input};
use crate::book::games;
use crate::book::names;
use crate::book::{BookFile, BookMove};
use crate::engine::Engine;
use crate::formats::quantity::plural;
use crate::formats::{ggf, parse_move};
use crate::game::Game;
use crate::play::{Choice, Overhead, Player, Strength};
use crate::rules::{Color, Move, Position, RuleSet};
use crate::search::{Level, Limits, Line, Report, SearchError, StopToken, with_output};
use crate::time::Instant;

/// An NBoard session that writes to `W`.
#[derive(Debug)]
pub struct Session<W> {
    player: Player,
    output: Output<W>,
    contempt: i32,
    /// The rules that the session was started with, for games that name none: the GUI knows none but othello's.
    rules: Arc<RuleSet>,
    /// Where games are learned.
    learn: Option<PathBuf>,
    /// A game has been learned, and the player does not know it yet.
    has_learned: Arc<AtomicBool>,
}

/// Runs a session until `quit` or the end of the input. At the end of the input a search still running is finished
/// first, unless nobody reads its output any more.
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

impl<W: Write + Send + 'static> Session<W> {
    /// A session at the start of a game.
    pub fn new(output: W, config: Config) -> Session<W> {
        let (rules, learn) = (Arc::clone(&config.rules), config.learn.clone());
        let (player, output) = (config.player(Overhead::PIPE), Output::new(output));
        Session { player, output, contempt: 0, rules, learn, has_learned: Arc::default() }
    }

    /// The game displayed by the GUI.
    pub fn game(&self) -> &Game {
        self.player.game()
    }

    /// The player behind the session.
    pub fn player(&self) -> &Player {
        &self.player
    }

    /// The contempt set by the GUI, -100 to 100; it is remembered but does not change how the engine plays.
    pub fn contempt(&self) -> i32 {
        self.contempt
    }

    /// Handles a line; `false` when it was `quit`.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn line(&mut self, line: &str) -> io::Result<bool> {
        let line = line.trim();
        if line.is_empty() {
            return Ok(true);
        }
        self.player.stop_work()?;
        self.renew_book();
        let (command, arguments) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let arguments = arguments.trim();
        match command {
            "nboard" => self.say_name()?,
            "set" => self.set(arguments)?,
            "move" => {
                self.play(arguments);
                self.player.ponder();
            }
            "hint" => self.hint(arguments.parse().unwrap_or(1)),
            "go" => self.go()?,
            "ping" => self.output.line(format!("pong {arguments}").trim_end())?,
            "analyze" => self.analyze(),
            "learn" => self.learn()?,
            "quit" => return Ok(false),
            // version 1 of the protocol sends moves bare
            _ if arguments.is_empty() && parse_move(self.player.position(), command_move(command)).is_ok() => {
                self.play(command);
            }
            _ => log::info!("unknown line {line:?}"),
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

    fn say_name(&self) -> io::Result<()> {
        let strength = self.player.strength();
        let strength = match strength.grade {
            // names have no blanks
            Some(grade) => format!("-{grade}"),
            None => strength.named_level().get().to_string(),
        };
        self.output.line(&format!("set myname {NAME}{strength}"))
    }

    fn set(&mut self, arguments: &str) -> io::Result<()> {
        let (what, value) = arguments.split_once(char::is_whitespace).unwrap_or((arguments, ""));
        let value = value.trim();
        match what {
            "depth" => match value.parse::<u64>() {
                Ok(depth) => {
                    let level = Level::new(depth.min(60) as u8).unwrap_or(Level::MAX);
                    // GUIs always set a depth: what the user has said about playing stays, and the depth is that of hints
                    let strength = self.player.strength();
                    let level = Strength::level(level).within(strength);
                    self.player.set_strength(Strength { grade: strength.grade, ..level });
                    self.say_name()?;
                }
                Err(_) => log::info!("set depth {value:?}: not a number"),
            },
            "game" => match ggf::games(value, Arc::clone(&self.rules)).next() {
                Some(Ok(record)) => self.player.set_game(record.game),
                Some(Err(error)) => log::info!("set game: {error}"),
                None => log::info!("set game: {}", ggf::GgfErrorKind::NoGame),
            },
            "contempt" => match value.parse::<f64>() {
                Ok(contempt) => self.contempt = contempt.clamp(-100.0, 100.0) as i32,
                Err(_) => log::info!("set contempt {value:?}: not a number"),
            },
            "ponder" if ["on", "off"].contains(&value) => self.player.set_ponder(value == "on"),
            _ => log::info!("set {what}: unknown"),
        }
        Ok(())
    }

    /// `MV[/EVAL[/TIME]]`; what it cost and promised is of no concern here.
    fn play(&mut self, arguments: &str) {
        let result = parse_move(self.player.position(), command_move(arguments))
            .map_err(|error| error.to_string())
            .and_then(|mv| self.player.play(mv).map_err(|error| error.to_string()));
        if let Err(error) = result {
            log::info!("move {arguments}: {error}");
        }
    }

    /// Starts a search that writes lines as it goes.
    fn start(&mut self, work: impl FnOnce(&mut Search<'_, W>) -> io::Result<()> + Send + 'static) {
        let output = self.output.clone();
        self.player.work(move |engine, stop| work(&mut Search { engine, stop, output, start: Instant::now() }));
    }

    fn hint(&mut self, count: usize) {
        let position = self.player.position().clone();
        let mut limits = Limits { multi_pv: count.max(1), ..self.player.analysis_limits() };
        let book = self.player.open_book().map(|book| book.moves(self.player.game())).unwrap_or_default();
        let known: Vec<(BookMove, Line)> = book.into_iter().take(count.max(1)).collect();
        let known_level = known.iter().map(|(mv, _)| mv.level).min().unwrap_or_default();
        let status = match names::opening_of(self.player.game()) {
            Some(opening) => format!("status Analyzing ({opening})"),
            None => "status Analyzing".to_string(),
        };
        self.start(move |search| {
            let (output, start) = (search.output.clone(), search.start);
            output.line(&status)?;
            // one depth text for all moves, each time: the GUI drops lines of other iterations by it
            let say_known =
                |depth: &str| known.iter().try_for_each(|(_, line)| output.line(&book_line(line, depth, &position)));
            say_known(&known_level.to_string())?;
            // the moves that the book has are known; the others are searched
            let rest: Vec<Move> =
                position.legal_moves().into_iter().filter(|mv| known.iter().all(|(_, line)| line.mv != *mv)).collect();
            if rest.is_empty() || known.len() >= limits.multi_pv {
                return output.line("status");
            }
            limits.multi_pv -= known.len();
            limits.moves = (!known.is_empty()).then_some(rest);
            search.run(&position, &limits, &mut |report| {
                let depth = depth_text(report);
                say_known(&depth)?;
                for line in &report.lines {
                    let pv = variation_text(line, &position);
                    output.line(&format!("search {pv} {:.2} 0 {depth}", f64::from(line.score)))?;
                }
                output.line(&node_stats(report.nodes, start))
            })?;
            output.line("status")
        });
    }

    fn go(&mut self) -> io::Result<()> {
        let (output, start) = (self.output.clone(), Instant::now());
        self.output.line("status Thinking")?;
        // status lines on the way notice a GUI that has gone
        let thinking = self.output.clone();
        let on_report =
            move |report: &Report| thinking.line(&format!("status Thinking, depth {}", report.depth_text()));
        self.player.start(Box::new(on_report), move |choice| write_choice(&output, choice, start));
        Ok(())
    }

    /// Plays from what has been learned since the line before.
    fn renew_book(&mut self) {
        let Some(path) = self.learn.as_ref().filter(|_| self.has_learned.swap(false, Ordering::Acquire)) else {
            return;
        };
        match BookFile::open(path) {
            Ok(file) => self.player.renew_book(Arc::new(file)),
            Err(error) => log::warn!("{error}"),
        }
    }

    /// Stores the game in the book, when there is one to be written; a search for each new position.
    fn learn(&mut self) -> io::Result<()> {
        let Some(path) = self.learn.clone() else {
            self.output.line("status not learned: there is no book for it (--learn --book FILE)")?;
            return self.output.line("learned");
        };
        let (game, level) = (self.player.game().clone(), self.player.strength().named_level().get());
        let has_learned = self.has_learned.clone();
        self.start(move |search| {
            search.output.line("status Learning")?;
            let learned = games::learn(&path, &game, search.engine, Some(level), search.stop);
            has_learned.store(learned.is_ok(), Ordering::Release);
            match learned {
                Ok(added) => {
                    let cut_short = if search.stop.is_stopped() { " before it was stopped" } else { "" };
                    let learned = plural(added as u64, "position");
                    search.output.line(&format!("status {learned} learned{cut_short}"))?;
                }
                Err(error) => search.output.line(&format!("status not learned: {error}"))?,
            }
            search.output.line("learned")
        });
        Ok(())
    }

    /// Evaluates every position of the game, the last one first: what is learned there helps with those before.
    fn analyze(&mut self) {
        let positions: Vec<Position> = self.player.game().positions().to_vec();
        let limits = self.player.analysis_limits();
        self.start(move |search| {
            let (output, start) = (search.output.clone(), search.start);
            output.line("status Analyzing the game")?;
            let mut nodes = 0;
            for (number, position) in positions.iter().enumerate().rev() {
                let Some(report) = search.run(position, &limits, &mut |_| Ok(()))? else { break };
                // a search that its own limit has ended has a value
                if search.stop.is_stopped() {
                    break;
                }
                nodes += report.nodes;
                output.line(&format!("analysis {number} {:.2}", f64::from(report.score)))?;
            }
            output.line(&node_stats(nodes, start))?;
            output.line("status")
        });
    }
}

/// The answer to `go`.
fn write_choice<W: Write>(output: &Output<W>, choice: Result<&Choice, &SearchError>, start: Instant) -> io::Result<()> {
    let choice = match choice {
        Ok(choice) => choice,
        Err(error) => {
            log::warn!("{error}");
            return output.line(&format!("status {error}"));
        }
    };
    let Some(report) = &choice.report else {
        output.line("status")?;
        return output.line(&format!("=== {}", ggf::move_text(choice.mv)));
    };
    output.line(&node_stats(report.nodes, start))?;
    output.line("status")?;
    let (eval, seconds) = (f64::from(report.score), start.elapsed().as_secs_f64());
    output.line(&format!("=== {}/{eval:.2}/{seconds:.2}", ggf::move_text(choice.mv)))
}

/// What a searching thread works with.
struct Search<'a, W> {
    engine: &'a mut Engine,
    stop: &'a StopToken,
    output: Output<W>,
    start: Instant,
}

impl<W> Search<'_, W> {
    /// Searches; output that fails stops the search. `None` when the engine cannot search, which the log tells.
    fn run(
        &mut self,
        position: &Position,
        limits: &Limits,
        on_report: &mut dyn FnMut(&Report) -> io::Result<()>,
    ) -> io::Result<Option<Report>> {
        let search = |hear: &mut dyn FnMut(&Report)| self.engine.search(position, limits, self.stop, hear);
        let (report, written) = with_output(self.stop, on_report, search);
        let report = report.inspect_err(|error| log::warn!("{error}")).ok();
        written.map(|()| report)
    }
}

/// A hint from the book: line, value, games (0: the book counts none) and depth.
fn book_line(line: &Line, depth: &str, position: &Position) -> String {
    format!("book {} {:.2} 0 {depth}", variation_text(line, position), f64::from(line.score))
}

/// The part of `MV/EVAL/TIME` that is the move.
fn command_move(arguments: &str) -> &str {
    arguments.split('/').next().unwrap_or_default().trim()
}

fn node_stats(nodes: u64, start: Instant) -> String {
    format!("nodestats {nodes} {:.2}", start.elapsed().as_secs_f64())
}

/// A depth as the GUI reads it: plies, or the confidence of a solve (`100%` is exact, `100%W` win, draw or loss).
fn depth_text(report: &Report) -> String {
    if !report.is_endgame() {
        report.depth.to_string()
    } else if report.win_draw_loss {
        format!("{}W", report.selectivity)
    } else {
        report.selectivity.to_string()
    }
}

/// A line as one word that begins with its move: `F5d6C3`, black's moves in capitals; `PA-F5d6` for a forced pass. On boards
/// with two-digit rows, and under rules with directions, hyphens stand between the moves.
fn variation_text(line: &Line, position: &Position) -> String {
    let rules = position.rules();
    let separator = if rules.rows() > 9 || line.pv.iter().any(has_direction) { "-" } else { "" };
    let mut text = String::new();
    let mut side = position.side_to_move();
    for (i, mv) in line.pv.iter().enumerate() {
        let after_pass = i == 1 && line.mv == Move::Pass;
        text.push_str(if after_pass {
            "-"
        } else if i == 0 {
            ""
        } else {
            separator
        });
        match mv {
            Move::Pass => text.push_str("PA"),
            // the line's own move is in capitals whoever plays it: GUIs key on it
            place if side == Color::Black || i == 0 => text.push_str(&format!("{place:#}")),
            place => text.push_str(&place.to_string()),
        }
        side = !side;
    }
    if text.is_empty() { ggf::move_text(line.mv) } else { text }
}

fn has_direction(mv: &Move) -> bool {
    matches!(mv, Move::Place { direction: Some(_), .. })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{Bound, Selectivity, Source};
    use std::time::Duration;

    fn report(depth: u8, selectivity: Selectivity, win_draw_loss: bool) -> Report {
        let (elapsed, empties) = (Duration::ZERO, 20);
        Report {
            depth,
            selectivity,
            empties,
            lines: Vec::new(),
            score: 0,
            nodes: 0,
            elapsed,
            stopped: false,
            win_draw_loss,
            source: Source::Search,
        }
    }

    #[test]
    fn depths_are_plies_or_confidences() {
        assert_eq!(depth_text(&report(12, Selectivity::NONE, false)), "12");
        assert_eq!(depth_text(&report(12, Selectivity::MOST, false)), "12");
        assert_eq!(depth_text(&report(20, Selectivity::MOST, false)), "73%");
        assert_eq!(depth_text(&report(20, Selectivity::NONE, false)), "100%");
        assert_eq!(depth_text(&report(20, Selectivity::NONE, true)), "100%W");
    }

    #[test]
    fn variations_are_one_word() {
        let start = Position::default();
        let moves = |texts: &[&str]| -> Vec<Move> { texts.iter().map(|text| text.parse().unwrap()).collect() };
        let line = |pv: Vec<Move>| Line { mv: pv[0], score: 0, bound: Bound::Exact, pv };
        assert_eq!(variation_text(&line(moves(&["f5", "d6", "c3"])), &start), "F5d6C3");
        assert_eq!(variation_text(&line(moves(&["pass", "d6", "c3", "pass"])), &start), "PA-d6C3PA");
        // where a word would not tell what belongs together
        let directed = |text: &str| Position::start(Arc::new(text.parse().unwrap()));
        assert_eq!(variation_text(&line(moves(&["f6", "g7"])), &directed("othello:10x10")), "F6-g7");
        assert_eq!(variation_text(&line(moves(&["f5:W", "d6:N"])), &directed("othello:one")), "F5:W-d6:N");
        let white = start.play("f5".parse().unwrap()).unwrap();
        assert_eq!(variation_text(&line(moves(&["d6", "c3"])), &white), "D6C3");
        assert_eq!(variation_text(&Line { mv: Move::Pass, score: 0, bound: Bound::Exact, pv: vec![] }, &start), "PA");
    }
}
