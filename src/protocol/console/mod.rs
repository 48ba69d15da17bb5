//! The console: commands in the style of Edax, for people at a terminal and for scripts over a pipe.
//!
//! A session reads commands and moves, and writes boards, tables of searches and `NAME plays MOVE`. Problems with a command
//! are handed to the front end, which shows them; they never end the session.
//!
#![doc = include_str!("EDAX.md")]

mod book;
mod command;
mod complete;
mod elsewhere;
mod files;
mod games;
mod help;
mod kept;
mod moves;
mod options;
mod paste;
mod series;
mod session;
mod table;
mod view;
mod words;

use std::io::{self, BufRead, Write};

use crate::play::TimeControl;
use crate::protocol::input::read_line;
use crate::search::Report;

pub use command::{Beginning, BookCommand, Command, ENTRIES, Entry, Rows, SeriesCommand, Setting, Sides};
pub use complete::{Candidates, Completion};
pub use paste::pasted_commands;
pub use session::{AfterGame, Console};
use session::{Next, Problem};
pub use view::{Look, board};

/// What shows the way of long work to a person; scripts have none.
pub trait Watch {
    /// Work begins, of so many pieces (0: one search).
    fn begin(&self, _pieces: u64) {}
    /// An iteration of a search is complete.
    fn report(&self, _report: &Report) {}
    /// So many pieces are done.
    fn done(&self, _pieces: u64) {}
    /// The work has ended.
    fn end(&self) {}
    /// Calls `print` without what is shown in its way.
    fn suspend(&self, print: &mut dyn FnMut()) {
        print();
    }
    /// Asks the person; scripts always agree.
    fn agrees(&self, _question: &str) -> bool {
        true
    }
    /// Columns of the terminal, `None` where lines may have any length.
    fn width(&self) -> Option<usize> {
        None
    }
}

/// Nobody watches.
#[derive(Clone, Copy, Debug)]
pub struct NoWatch;

impl Watch for NoWatch {}

/// What a session is started with.
pub struct Config {
    /// What sessions of all kinds have.
    pub session: super::Config,
    /// The sides the engine plays.
    pub sides: Sides,
    /// 0: results only; 1: also boards and the last iteration; 2: every iteration.
    pub verbose: u8,
    /// The engine's clock.
    pub clock: TimeControl,
    /// What follows the end of a game.
    pub after_game: AfterGame,
    /// Whose habits the session has.
    pub style: Style,
    /// Which way the rows of the board are numbered; `None` as the sheet of the rules does (hungarian: from the bottom).
    pub rows: Option<Rows>,
    /// The opening that the first game begins with.
    pub opening: Option<Beginning>,
    /// The seed of the first balanced opening.
    pub seed: u64,
    /// Shows the way of searches.
    pub watch: Box<dyn Watch>,
    /// Who reads what is written.
    pub screen: Screen,
    /// Today's date for the games that are played, where there is a calendar.
    pub today: fn() -> Option<String>,
}

/// Who reads what a session writes. Scripts get the same lines whatever is added for people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Screen {
    /// A person at a terminal.
    pub people: bool,
    /// The terminal has colours, and they are wanted.
    pub color: bool,
}

impl Screen {
    /// How boards are drawn on it.
    pub const fn look(self) -> Look {
        match (self.people, self.color) {
            (_, true) => Look::Colored,
            (true, false) => Look::Marked,
            (false, false) => Look::Plain,
        }
    }
}

/// Whose habits a session has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Its own.
    Plain,
    /// Edax's, for scripts that look for its name and its words.
    Edax,
}

impl Style {
    /// What the engine calls itself when it moves.
    pub const fn name(self) -> &'static str {
        match self {
            Style::Plain => crate::protocol::NAME,
            Style::Edax => "Edax",
        }
    }
}

/// How commands are read from a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prompt {
    /// `> ` before each command, for people.
    Terminal,
    /// `>` on a line of its own, which scripts skip as a whole.
    Pipe,
}

/// What comes from where commands come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typed {
    /// A line.
    Line(String),
    /// Ctrl-C at the prompt.
    Interrupt,
    /// Nothing more.
    End,
}

/// How a session came out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ending {
    /// Commands that failed.
    pub failed: u64,
    /// Files that could not be written.
    pub unsaved: u64,
}

/// The lines of a stream, for [`run`]; of one that has no end in sight only the first part.
pub fn lines(mut input: impl BufRead) -> impl Iterator<Item = io::Result<String>> {
    std::iter::from_fn(move || read_line(&mut input).transpose())
}

/// Runs a session on lines until `quit`, their end or that of its token ([`StopToken::end`]); `on_problem` is told what is wrong
/// with a command.
///
/// [`StopToken::end`]: crate::search::StopToken::end
///
/// # Errors
/// When the streams fail, also when nobody reads the output any more.
pub fn run<W: Write>(
    console: &mut Console<W>,
    mut lines: impl Iterator<Item = io::Result<String>>,
    prompt: Prompt,
    on_problem: &mut dyn FnMut(&str),
) -> io::Result<Ending> {
    let mut next = |console: &mut Console<W>| {
        console.out().write_all(if prompt == Prompt::Terminal { b"\n> " } else { b">\n" })?;
        console.out().flush()?;
        console.ponder();
        match lines.next().transpose()? {
            Some(line) => Ok(Typed::Line(line)),
            None => {
                if prompt == Prompt::Terminal {
                    writeln!(console.out())?;
                }
                Ok(Typed::End)
            }
        }
    };
    run_on(console, &mut next, on_problem)
}

/// Runs a session on what `next` gives, which writes the prompt and lets the engine ponder while it waits.
///
/// # Errors
/// When the streams fail, also when nobody reads the output any more.
pub fn run_on<W: Write>(
    console: &mut Console<W>,
    next: &mut dyn FnMut(&mut Console<W>) -> io::Result<Typed>,
    on_problem: &mut dyn FnMut(&str),
) -> io::Result<Ending> {
    let mut ending = Ending::default();
    let mut note = |problem: Problem, ending: &mut Ending| {
        on_problem(problem.text());
        match problem {
            Problem::Command(_) => ending.failed += 1,
            Problem::Save(_) => ending.unsaved += 1,
        }
    };
    if let Err(problem) = console.begin()? {
        note(problem, &mut ending);
    }
    loop {
        match console.after_game()? {
            Ok(Next::Prompt) => {}
            Ok(Next::Quit) => return Ok(ending),
            Err(problem) => note(problem, &mut ending),
        }
        // commands that wait are for nobody
        if console.is_ended() {
            return Ok(ending);
        }
        let result = match next(console)? {
            Typed::End => return Ok(ending),
            Typed::Interrupt => {
                writeln!(console.out(), "`quit` or Ctrl-D leaves, `help` lists the commands")?;
                continue;
            }
            Typed::Line(line) => match line.parse::<Command>() {
                Ok(command) => console.execute(command)?,
                Err(problem) => Err(problem.into()),
            },
        };
        match result {
            Ok(Next::Prompt) => {}
            Ok(Next::Quit) => return Ok(ending),
            Err(problem) => note(problem, &mut ending),
        }
    }
}
