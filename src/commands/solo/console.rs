//! The solitaire at the terminal (or over a pipe).

use std::io::{self, IsTerminal, Stdout, Write};
use std::path::{Path, PathBuf};

use outflank::board::Square;
use outflank::formats::quote;
use outflank::protocol::console::lines;
use outflank::protocol::is_input;
use outflank::protocol::wire::{Heard, Said};
use outflank::search::StopToken;
use outflank::solo::{Advisor, Chip, Help, Layouts, Move, ParseChipError, Record, Scoring};

use super::{SoloArguments, board, budget_text, replay};
use crate::commands::error::{Outcome, Status};
use crate::commands::input;
use crate::commands::interrupt;
use crate::commands::session_input::session_input;

const HELP: &str = "\
d3g, d3 gold    place a disc on d3, gold side up (d3b: black side up)
reveal c3 g7    with --box: enter what was turned up on the real board, squares and chips (g7, b10, g- for a blank)
hint [N]        the advisor's best turn, or its N best (where its value is exact the best alone)
undo            take the last turn back; the record counts it, and as a peek when the turn had turned chips up
moves           the legal turns
unseen          the chips that still lie face down
board           the board again
record          the game so far as text, without the chips you have not seen (it loads with --load)
new [SEED]      another deal; with the real box another game
save FILE       save the game: JSON when the name ends in .json, otherwise text; it holds the hidden chips in clear
load FILE       continue a saved game
help            this list
quit            leave";

/// What follows a command.
enum Next {
    Prompt,
    Quit,
}

struct Console<'a> {
    record: Record,
    arguments: &'a SoloArguments,
    paint: bool,
    out: Said<Stdout>,
    /// Ends advice that nobody waits for any more.
    stop: StopToken,
    /// A turn that waits for the chips that it turned up on the real board.
    pending: Option<Move>,
    /// A game could not be saved.
    unsaved: bool,
    /// A person is there to be asked.
    at_terminal: bool,
    /// A file that is there, about which the person has been asked: the next line is the answer.
    question: Option<PathBuf>,
}

/// Plays on standard input until `quit` or its end.
pub fn run(record: Record, arguments: &SoloArguments) -> Outcome {
    let at_terminal = io::stdin().is_terminal();
    // at a terminal signals end the process: nothing is lost that is worth a word
    let stop = (!at_terminal).then(|| interrupt::console_token(false));
    let mut lines: Box<dyn Iterator<Item = io::Result<String>>> = match &stop {
        Some(stop) => Box::new(interrupt::until_stopped(lines(Heard::new(session_input())), stop)?),
        None => Box::new(lines(Heard::new(session_input()))),
    };
    let paint = arguments.color.is_on();
    let token = stop.clone().unwrap_or_default();
    let out = Said::new(io::stdout());
    let mut console = Console {
        record,
        arguments,
        paint,
        out,
        stop: token,
        pending: None,
        unsaved: false,
        at_terminal,
        question: None,
    };
    console.show()?;
    writeln!(console.out, "{}", board::LEGEND)?;
    if at_terminal {
        writeln!(console.out, "Type a turn such as d3g, or `help`.")?;
    }
    let mut failed = false;
    loop {
        if at_terminal && console.question.is_none() {
            write!(console.out, "\n> ")?;
            console.out.flush()?;
        }
        let Some(line) = lines.next().transpose()? else {
            if at_terminal {
                writeln!(console.out)?;
            }
            break;
        };
        match console.execute(&line)? {
            Ok(Next::Prompt) => {}
            Ok(Next::Quit) => break,
            Err(problem) => {
                tell!("outflank: {problem}");
                failed = true;
            }
        }
    }
    Ok(match failed {
        _ if stop.as_ref().is_some_and(StopToken::is_ended) => Status::Interrupted,
        // at a terminal the person has seen what was wrong, and gone on
        _ if at_terminal => Status::Success,
        _ if console.unsaved => Status::Unwritten,
        true => Status::BadInput,
        false => Status::Success,
    })
}

impl Console<'_> {
    /// Carries out a line. An error of writing ends the session, a problem with the line does not.
    fn execute(&mut self, line: &str) -> io::Result<Result<Next, String>> {
        let line = line.trim();
        if let Some(path) = self.question.take() {
            let result = if input::is_yes(line) { self.write(&path)? } else { self.say("nothing was written")? };
            return Ok(result.map(|()| Next::Prompt));
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let alone = matches!(word, "undo" | "moves" | "unseen" | "board" | "record" | "help" | "quit" | "exit");
        if alone && !rest.is_empty() {
            return Ok(Err(format!("'{word}' takes no argument, but {} follows", quote(rest))));
        }
        let result = match word {
            "" => Ok(()),
            "quit" | "exit" => return Ok(Ok(Next::Quit)),
            "help" => self.say(HELP)?,
            "reveal" => self.reveal(rest)?,
            "hint" => self.hint(rest)?,
            "undo" => self.undo()?,
            "moves" => {
                let game = &self.record.game;
                // a game that is lost or won is over while discs could still be placed
                let is_over = game.ending().is_some();
                let moves = game.view().position().legal_moves().filter(|_| !is_over);
                let moves: Vec<String> = moves.map(|mv| mv.to_string()).collect();
                self.say(if moves.is_empty() { "none".to_string() } else { moves.join(" ") })?
            }
            "unseen" => {
                let chips: Vec<String> = self.record.game.view().unseen().iter().map(|chip| chip.to_string()).collect();
                self.say(if chips.is_empty() { "none".to_string() } else { chips.join(" ") })?
            }
            "board" => Ok(self.show()?),
            "record" => self.show_record()?,
            "new" => self.new_deal(rest)?,
            "save" => self.save(rest)?,
            "load" => self.load(rest)?,
            _ => self.play(line)?,
        };
        Ok(result.map(|()| Next::Prompt))
    }

    fn say(&mut self, text: impl std::fmt::Display) -> io::Result<Result<(), String>> {
        writeln!(self.out, "{text}").map(Ok)
    }

    fn show(&mut self) -> io::Result<()> {
        let game = &self.record.game;
        writeln!(self.out, "{}", board::draw(game.view(), self.paint))?;
        writeln!(self.out, "{}", board::status(game, self.record.scoring))?;
        if game.ending().is_some() && game.help != Help::default() {
            writeln!(self.out, "{}", replay::help_text(game.help))?;
        }
        Ok(())
    }

    /// The game is over: why no turn can be played or advised.
    fn over(&self) -> Option<String> {
        let ending = self.record.game.ending()?;
        Some(format!("the game is over ({}): undo, new, save or quit", ending.name()))
    }

    fn play(&mut self, line: &str) -> io::Result<Result<(), String>> {
        let mv: Move = match line.parse() {
            Ok(mv) => mv,
            Err(error) if line.len() <= 2 || line.as_bytes()[1].is_ascii_digit() => return Ok(Err(error.to_string())),
            Err(_) => {
                let line = quote(line);
                return Ok(Err(format!("{line} is neither a turn such as d3g nor a command (`help` lists them)")));
            }
        };
        if let Some(reason) = self.over() {
            return Ok(Err(reason));
        }
        self.finish(mv)
    }

    /// Plays a turn, once everything is known that it turns up; one that cannot be played leaves another that waits.
    fn finish(&mut self, mv: Move) -> io::Result<Result<(), String>> {
        match self.record.game.unknown_after(mv) {
            Ok(unknown) if !unknown.is_empty() => {
                self.pending = Some(mv);
                let names: Vec<String> = unknown.iter().map(|square| square.to_string()).collect();
                let entries: Vec<String> = names.iter().map(|name| format!("{name} CHIP")).collect();
                let text =
                    format!("{mv} turns up {}: enter them with `reveal {}`", names.join(", "), entries.join(" "));
                return self.say(text);
            }
            Ok(_) => self.pending = None,
            Err(error) => return Ok(Err(error.to_string())),
        }
        let effect = match self.record.game.play(mv) {
            Ok(effect) => effect,
            Err(error) => return Ok(Err(error.to_string())),
        };
        writeln!(self.out, "{}", board::turn(self.record.game.view(), mv, effect))?;
        self.show().map(Ok)
    }

    /// Enters chips, and completes the turn that waits for them.
    fn reveal(&mut self, rest: &str) -> io::Result<Result<(), String>> {
        // without a seed it is a game with the real box, be all its chips known by now
        if self.record.seed.is_some() {
            // and what is wrong with an entry would tell where chips lie
            return Ok(Err("reveal: the program knows the chips of this game, and turns them up itself".to_string()));
        }
        let words: Vec<&str> = rest.split_whitespace().collect();
        if words.is_empty() || !words.len().is_multiple_of(2) {
            return Ok(Err("reveal: squares and chips must follow, as in `reveal c3 g7 d2 b-`".to_string()));
        }
        let entry = |pair: &[&str]| -> Result<(Square, Chip), String> {
            let square = pair[0].parse::<Square>().map_err(|error| error.to_string())?;
            Ok((square, pair[1].parse().map_err(|error: ParseChipError| error.to_string())?))
        };
        let entries: Result<Vec<_>, String> = words.chunks(2).map(entry).collect();
        let entered = entries.and_then(|all| self.record.game.reveal(&all).map_err(|error| error.to_string()));
        if let Err(problem) = entered {
            return Ok(Err(format!("reveal: {problem}")));
        }
        match self.pending {
            Some(mv) => self.finish(mv),
            None => Ok(Ok(())),
        }
    }

    fn undo(&mut self) -> io::Result<Result<(), String>> {
        if self.pending.take().is_some() {
            return self.show().map(Ok);
        }
        match self.record.game.undo() {
            Some(_) => self.show().map(Ok),
            None => Ok(Err("undo: no turn has been played".to_string())),
        }
    }

    fn hint(&mut self, rest: &str) -> io::Result<Result<(), String>> {
        let count = match rest {
            "" => 1,
            _ => match rest.parse::<usize>() {
                Ok(count) if count > 0 => count,
                _ => return Ok(Err(format!("hint: {} is not a number of turns from 1", quote(rest)))),
            },
        };
        if let Some(reason) = self.over() {
            return Ok(Err(reason));
        }
        let scoring = self.record.scoring;
        // what the advisor gets is the view: it cannot see the chips that lie face down
        let advisor = Advisor::new(scoring, self.arguments.budget, 1).with_stop(self.stop.clone());
        let Some(advice) = advisor.advise(self.record.game.view()) else {
            return Ok(Err("hint: no turn is legal".to_string()));
        };
        let hints = &mut self.record.game.help.hints;
        *hints = hints.saturating_add(1);
        let unit = if scoring.name() == "count" { "chips" } else { "points" };
        for candidate in advice.ranking.iter().take(count) {
            let basis = if advice.exact {
                "exactly".to_string()
            } else {
                format!("on average over {} sampled deals", candidate.samples)
            };
            let besides = candidate.outlook.map_or(String::new(), |outlook| {
                let other = match scoring {
                    Scoring::Count => format!("{:.1} points", outlook.points),
                    Scoring::Points => format!("{:.2} chips", outlook.chips),
                };
                format!(" ({other}, all 24 in {:.0} %)", 100.0 * outlook.perfect)
            });
            writeln!(self.out, "{}  {:.2} {unit}{besides} at the end, {basis}", candidate.mv, candidate.value)?;
        }
        log::debug!("{} of {}", advice.nodes, budget_text(self.arguments.budget));
        Ok(Ok(()))
    }

    /// The record without hidden chips.
    fn show_record(&mut self) -> io::Result<Result<(), String>> {
        write!(self.out, "{}", self.record.without_hidden_chips()).map(Ok)
    }

    fn new_deal(&mut self, rest: &str) -> io::Result<Result<(), String>> {
        // games that were shuffled here have their seed, those with the real box have none, be all their chips known by now
        if rest.is_empty() && (self.arguments.real_box || self.record.seed.is_none()) {
            self.record = super::unknown(self.record.game.layout(), self.record.scoring);
            self.pending = None;
            return self.show().map(Ok);
        }
        let seed = match rest {
            "" => super::clock_seed(),
            _ => match rest.parse() {
                Ok(seed) => seed,
                Err(_) => {
                    return Ok(Err(format!("new: {} is not a seed, a number from 0 to {}", quote(rest), u64::MAX)));
                }
            },
        };
        let layouts = match self.arguments.layout {
            Layouts::Random => Layouts::Random,
            // a loaded game keeps its layout
            Layouts::Fixed(_) => Layouts::Fixed(self.record.game.layout()),
        };
        self.record = super::deal(layouts, seed, self.record.scoring);
        self.pending = None;
        writeln!(self.out, "seed {seed}")?;
        self.show().map(Ok)
    }

    fn save(&mut self, rest: &str) -> io::Result<Result<(), String>> {
        if rest.is_empty() {
            return Ok(Err("save: a file name must follow".to_string()));
        }
        if self.at_terminal && Path::new(rest).is_file() {
            write!(self.out, "{rest} exists; write over it? (y/N) ")?;
            self.out.flush()?;
            self.question = Some(rest.into());
            return Ok(Ok(()));
        }
        self.write(Path::new(rest))
    }

    fn write(&mut self, path: &Path) -> io::Result<Result<(), String>> {
        match super::save(&self.record, path) {
            Ok(()) => self.say(format!("saved to '{}'", path.display())),
            Err(error) => {
                self.unsaved = true;
                Ok(Err(format!("save: {error}")))
            }
        }
    }

    fn load(&mut self, rest: &str) -> io::Result<Result<(), String>> {
        if rest.is_empty() || rest == "-" {
            return Ok(Err("load: a file name must follow".to_string()));
        }
        if is_input(Path::new(rest)) {
            return Ok(Err(format!("load: '{rest}' is no file here: the session reads its commands there")));
        }
        match super::load(Path::new(rest)) {
            Ok(record) => {
                self.record = record;
                self.pending = None;
                self.show().map(Ok)
            }
            Err(error) => Ok(Err(format!("load: {error}"))),
        }
    }
}
