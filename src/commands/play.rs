//! `outflank play`: the interactive console, for people at a terminal and for scripts over a pipe.

use std::cell::RefCell;
use std::io::{self, BufRead, IsTerminal, Write};
use std::rc::Rc;

use clap::{Args, ValueEnum};
use outflank::play::TimeControl;
use outflank::protocol::console::{self, AfterGame, Beginning, Config, Console, Prompt, Rows, Screen, Sides, Watch};
use outflank::protocol::wire::{Heard, Said};
use outflank::search::{Report, StopToken};

use super::calendar;
use super::editor::Editor;
use super::error::{Outcome, Status};
use super::input;
use super::interrupt;
use super::keys::Keys;
use super::live::Live;
use super::options::{ColorWhen, RulesOption, whole};
use super::output::terminal_width;
use super::session::SessionOptions;
use super::session_input::session_input;

/// Sides the engine plays, in Edax's numbering of modes.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Side {
    /// The second side (mode 0)
    White,
    /// The first side (mode 1)
    Black,
    /// Both (mode 2)
    Both,
    /// Neither: it moves on `go` only (mode 3)
    None,
}

/// An edge of the board.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Edge {
    /// Row 1 at the top
    Top,
    /// Row 1 at the bottom
    Bottom,
}

impl From<Edge> for Rows {
    fn from(edge: Edge) -> Rows {
        match edge {
            Edge::Top => Rows::Top,
            Edge::Bottom => Rows::Bottom,
        }
    }
}

impl From<Side> for Sides {
    fn from(side: Side) -> Sides {
        match side {
            Side::White => Sides::White,
            Side::Black => Sides::Black,
            Side::Both => Sides::Both,
            Side::None => Sides::None,
        }
    }
}

/// Arguments of `play`.
#[derive(Args, Clone)]
#[command(after_help = "\
Type moves (f5), or commands: `help` lists them. Scripts send the same commands over a pipe; with -q only results are
printed, and each command ends with the prompt `>` on a line of its own. Ctrl-C stops a search at a terminal, and ends the
session over a pipe.

Examples:
  outflank play                          you play black against level 21
  outflank play --engine black --level 5 the engine begins
  outflank play --level beginner         an opponent for a child
  outflank play --engine none            two people, or an analysis board
  printf 'play f5d6\\ngo\\n' | outflank play -q --level 8")]
pub struct PlayArguments {
    /// Sides the engine plays [default: white at a terminal, none over a pipe]
    #[arg(short, long, value_name = "SIDE")]
    engine: Option<Side>,

    /// Print results only, no boards
    #[arg(short, long)]
    quiet: bool,

    /// What is printed: 0 results only, 1 boards too, 2 every iteration of a search
    #[arg(long, value_name = "0|1|2", default_value = "1", value_parser = whole::<u8>(0..=2))]
    verbose: u8,

    /// Where row 1 is on the screen [default: top; bottom for hungarian, as on its sheet]; files have it at the top
    #[arg(long, value_name = "EDGE")]
    rows: Option<Edge>,

    /// Colours of the board
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: ColorWhen,

    /// How the first game begins: `balanced` is random moves after which neither side is ahead (`balanced:7`: those of seed 7);
    /// or the name of an opening (`outflank book names` lists them)
    #[arg(long, value_name = "KIND", value_parser = parse_opening)]
    opening: Option<Beginning>,

    /// The engine's clock for a game: TIME, TIME+INCREMENT, TIME+PERIOD/MOVES, each in seconds or as MM:SS
    #[arg(long, value_name = "CLOCK")]
    clock: Option<TimeControl>,

    /// Edax's -repeat: play so many games
    #[arg(long, value_name = "GAMES", default_value = "1", hide = true, value_parser = whole::<u32>(0..=u32::MAX))]
    repeat: u32,

    /// Edax's -auto-quit: end after the last game
    #[arg(long, hide = true)]
    auto_quit: bool,

    /// Edax's -auto-start: begin a game when one has ended
    #[arg(long, hide = true)]
    auto_start: bool,

    /// Edax's -auto-swap: change sides between games
    #[arg(long, hide = true)]
    auto_swap: bool,

    #[command(flatten)]
    pub session: SessionOptions,

    #[command(flatten)]
    pub rules: RulesOption,
}

/// Whose habits the console has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Its own.
    Plain,
    /// Edax's, for scripts that look for its name.
    Edax,
}

impl Style {
    /// Edax's habits, or its own.
    pub fn of(as_edax: bool) -> Style {
        if as_edax { Style::Edax } else { Style::Plain }
    }
}

/// Runs `play` on standard input.
pub fn run(arguments: &PlayArguments, style: Style) -> Outcome {
    serve(arguments, session_input(), style)
}

/// Runs `play` on lines from `input`.
pub fn serve(arguments: &PlayArguments, input: impl BufRead + Send + 'static, style: Style) -> Outcome {
    let at_terminal = io::stdin().is_terminal();
    let sides = arguments.engine.map_or(if at_terminal { Sides::White } else { Sides::None }, Sides::from);
    let stop = interrupt::console_token(at_terminal);
    let editor = Editor::open().map(|editor| Rc::new(RefCell::new(editor)));
    let config = Config {
        session: arguments.session.config(&arguments.rules.rules, stop.clone())?,
        sides,
        verbose: if arguments.quiet { 0 } else { arguments.verbose },
        clock: arguments.clock.unwrap_or_default(),
        after_game: AfterGame {
            repeat: arguments.repeat.saturating_sub(1),
            quit: arguments.auto_quit,
            start: arguments.auto_start,
            swap: arguments.auto_swap,
        },
        style: match style {
            Style::Plain => console::Style::Plain,
            Style::Edax => console::Style::Edax,
        },
        rows: arguments.rows.map(Rows::from),
        opening: arguments.opening.clone(),
        // short enough to be written down
        seed: rand::random_range(0..1_000_000),
        watch: Box::new(StatusLine {
            live: RefCell::default(),
            keys: RefCell::default(),
            stop: stop.clone(),
            at_terminal,
            editor: editor.clone(),
        }),
        screen: Screen { people: at_terminal, color: arguments.color.is_on() },
        today: calendar::today,
    };
    let mut console = Console::new(config, Said::new(io::stdout()))?;
    if at_terminal && !arguments.quiet {
        println!("Outflank {}. Type a move, or `help`.", env!("CARGO_PKG_VERSION"));
    }
    // a stderr that is gone is no reason to end a game
    let mut tell = |problem: &str| drop(writeln!(io::stderr(), "outflank: {problem}"));
    let ending = match editor {
        Some(editor) => console::run_on(&mut console, &mut |console| editor.borrow_mut().next(console), &mut tell)?,
        None => {
            let lines = console::lines(Heard::new(input));
            if at_terminal {
                console::run(&mut console, lines, Prompt::Terminal, &mut tell)?
            } else {
                console::run(&mut console, interrupt::until_stopped(lines, &stop)?, Prompt::Pipe, &mut tell)?
            }
        }
    };
    Ok(match ending {
        _ if stop.is_ended() => Status::Interrupted,
        // at a terminal the person has seen what was wrong, and gone on
        _ if at_terminal => Status::Success,
        console::Ending { unsaved: 1.., .. } => Status::Unwritten,
        console::Ending { failed: 1.., .. } => Status::BadInput,
        _ => Status::Success,
    })
}

/// Reads `balanced`, `balanced:SEED` or the name of an opening.
fn parse_opening(text: &str) -> Result<Beginning, String> {
    match text.strip_prefix("balanced") {
        Some("") => Ok(Beginning::Balanced(None)),
        Some(rest) => rest
            .strip_prefix(':')
            .and_then(|seed| seed.parse().ok())
            .map(|seed| Beginning::Balanced(Some(seed)))
            .ok_or_else(|| "'balanced' is followed by nothing or by a seed, as in balanced:7".to_string()),
        None => text.parse().map_err(|unknown: String| format!("{unknown}; others are: balanced, balanced:SEED")),
    }
}

/// Shows searches in a line on stderr, at a terminal only; a key stops them.
struct StatusLine {
    live: RefCell<Option<Live>>,
    keys: RefCell<Option<Keys>>,
    stop: StopToken,
    at_terminal: bool,
    /// Reads answers, as it reads commands.
    editor: Option<Rc<RefCell<Editor>>>,
}

impl Watch for StatusLine {
    fn begin(&self, pieces: u64) {
        let live = if pieces == 0 { Live::search() } else { Live::bar(pieces) };
        self.live.replace(Some(live));
        if self.at_terminal {
            self.keys.replace(Some(Keys::listen(&self.stop)));
        }
    }

    fn report(&self, report: &Report) {
        if let Some(live) = &*self.live.borrow() {
            live.line(report, cfg!(unix) && self.at_terminal);
        }
    }

    fn done(&self, pieces: u64) {
        if let Some(live) = &*self.live.borrow() {
            live.position(pieces);
        }
    }

    fn end(&self) {
        self.keys.take();
        if let Some(live) = self.live.take() {
            live.finish();
        }
    }

    fn suspend(&self, print: &mut dyn FnMut()) {
        match &*self.live.borrow() {
            Some(live) => live.suspend(print),
            None => print(),
        }
    }

    fn agrees(&self, question: &str) -> bool {
        if !self.at_terminal {
            return true;
        }
        let question = format!("{question} (y/N) ");
        let answer = match &self.editor {
            // Ctrl-C is an answer there, and not a signal of which a second one would end the process
            Some(editor) => editor.borrow_mut().ask(&question),
            None => {
                print!("{question}");
                let mut answer = String::new();
                let asked = io::stdout().flush().and_then(|()| io::stdin().read_line(&mut answer));
                asked.is_ok().then_some(answer)
            }
        };
        answer.is_some_and(|answer| input::is_yes(&answer))
    }

    fn width(&self) -> Option<usize> {
        terminal_width()
    }
}
