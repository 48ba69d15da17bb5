//! The commands of the console, as typed.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use super::elsewhere;
use crate::book::names::moves_of;
use crate::formats::{notation, quantity, quote};
use crate::play::{ParseStrengthError, Strength, TimeControl, TimeControlError};
use crate::rules::RuleSet;
use crate::search::Selectivity;

/// Which sides the engine plays, in Edax's numbering of modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sides {
    /// The second side (mode 0).
    White,
    /// The first side (mode 1).
    Black,
    /// Both (mode 2).
    Both,
    /// Neither: it moves on `go` only (mode 3).
    None,
}

/// What to do with the opening book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BookCommand {
    /// Show what it knows of the position.
    Show,
    /// Put the game into it.
    Store,
    /// Play from it.
    On,
    /// Leave it closed.
    Off,
}

/// How a game begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Beginning {
    /// With random moves after which neither side is ahead: of this seed, or the next one.
    Balanced(Option<u64>),
    /// With the opening of this name.
    Named(String),
}

impl FromStr for Beginning {
    type Err = String;

    /// Reads the name of an opening.
    fn from_str(name: &str) -> Result<Beginning, String> {
        match moves_of(name) {
            Some(_) => Ok(Beginning::Named(name.to_string())),
            None => Err(format!("no opening is called {} (`outflank book names` lists them)", quote(name))),
        }
    }
}

/// Which way rows are numbered at the console; files number them from the top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// Row 1 at the top.
    Top,
    /// Row 1 at the bottom.
    Bottom,
}

impl Rows {
    /// As typed.
    pub const fn name(self) -> &'static str {
        match self {
            Rows::Top => "top",
            Rows::Bottom => "bottom",
        }
    }
}

/// What to do with a series of games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeriesCommand {
    /// Tells the results.
    Show,
    /// Begins one between players with these names.
    Begin([String; 2]),
    /// Ends it.
    Off,
}

/// A part of how hard the engine thinks.
#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    /// The playing level.
    Level(Strength),
    /// A fixed depth and confidence.
    Depth(u8, Selectivity),
    /// The time for each move, or none.
    Time(Option<Duration>),
}

/// A command of the console.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Nothing.
    Empty,
    /// The list of commands, or one of them.
    Help(Option<String>),
    /// Ends the session.
    Quit,
    /// A new game from the start position of the rules.
    Init,
    /// A new game from the position the present one started from.
    New,
    /// A new game that begins with an opening.
    Opening(Beginning),
    /// Sets up a position.
    SetBoard(String),
    /// Plays moves.
    Play(String),
    /// Explains why a move can be played or not.
    Why(String),
    /// Sets which way rows are numbered.
    Rows(Rows),
    /// Games in which the players take turns in starting.
    Series(SeriesCommand),
    /// Takes moves back.
    Undo(usize),
    /// Plays them again.
    Redo(usize),
    /// The engine moves.
    Go,
    /// The best moves.
    Hint(usize),
    /// The errors in the game so far; with so many alternatives.
    Analyze(usize),
    /// Turns or mirrors the game, by the number of the symmetry.
    Turn(u8),
    /// Shows the board.
    Show,
    /// Shows the moves of the game.
    Moves,
    /// Sets how hard the engine thinks, or shows it.
    Strength(Option<Setting>),
    /// Sets which sides the engine plays.
    Mode(Sides),
    /// Changes the rules, or explains them.
    Rules(Option<Arc<RuleSet>>),
    /// Writes the game to a file.
    Save(PathBuf),
    /// Reads a game from a file: its name, and the number of the game behind it unless it is the first.
    Load(String),
    /// Shows the games of a file: its name, and the number of the first one to show behind it.
    List(String),
    /// Names the players, or tells their names.
    Players(Option<[String; 2]>),
    /// Sets the engine's clock for a game.
    Clock(TimeControl),
    /// Shows every option.
    Options,
    /// 0: results only; 1: also boards and the last iteration; 2: every iteration.
    Verbose(u8),
    /// Thinking on the opponent's time.
    Ponder(bool),
    /// Something with the opening book.
    Book(BookCommand),
    /// The name and version.
    Version,
}

/// One entry of `help`.
pub struct Entry {
    /// The names, the usual one first.
    pub names: &'static [&'static str],
    /// Its arguments.
    pub arguments: &'static str,
    /// What it does.
    pub help: &'static str,
    read: Read,
}

/// The command of these arguments; those that take none are not asked.
type Read = fn(&str) -> Result<Command, String>;

const fn entry(names: &'static [&'static str], arguments: &'static str, help: &'static str, read: Read) -> Entry {
    Entry { names, arguments, help, read }
}

/// All commands, in the order of `help`.
pub const ENTRIES: [Entry; 37] = [
    entry(
        &["play", "p"],
        "MOVES",
        "plays moves (`play f5d6`, or just `f5d6`; `pass` passes), or an opening by its name",
        |rest| Ok(Command::Play(required(rest, "the move")?.to_string())),
    ),
    entry(&["why"], "MOVE", "tells why a move can be played or not, and what stands in each direction", |rest| {
        Ok(Command::Why(required(rest, "the move")?.to_string()))
    }),
    entry(&["undo", "u"], "[N]", "takes back your last move and the engine's answer, or the last N moves", |rest| {
        Ok(Command::Undo(count(rest, 0)?))
    }),
    entry(&["redo", "r"], "[N]", "plays again what was taken back", |rest| Ok(Command::Redo(count(rest, 0)?))),
    entry(&["go", "g"], "", "lets the engine move for the side to move", |_| Ok(Command::Go)),
    entry(&["hint", "h"], "[N]", "shows the N best moves with their scores and continuations (1)", |rest| {
        Ok(Command::Hint(count(rest, 1)?))
    }),
    entry(
        &["analyze", "analyse", "a"],
        "[N]",
        "lists the errors of the game so far, with the N best alternatives (1)",
        |rest| Ok(Command::Analyze(count(rest, 1)?)),
    ),
    entry(&["new", "n"], "", "starts again from the position the game started from", |_| Ok(Command::New)),
    entry(&["init", "i"], "", "starts again from the start position of the rules", |_| Ok(Command::Init)),
    entry(
        &["series"],
        "[NAME NAME|off]",
        "plays games in which two players take turns in starting, or tells how they stand",
        series,
    ),
    entry(
        &["opening"],
        "[SEED|NAME]",
        "starts a game with random moves after which neither side is ahead, or with an opening by name (opening tiger)",
        opening,
    ),
    entry(&["rows"], "top|bottom", "numbers the rows of the board from there (never in files)", rows),
    entry(
        &["setboard"],
        "BOARD SIDE",
        "sets up a position: squares row by row with X, O and - or the letters of the rules, then the side to move",
        |rest| Ok(Command::SetBoard(required(rest, "the board")?.to_string())),
    ),
    entry(&["rotate"], "[90|180|270]", "turns the game so far to the left by these degrees (90)", rotate),
    entry(&["hmirror"], "", "mirrors the game so far: left becomes right", |_| Ok(Command::Turn(1))),
    entry(&["vmirror"], "", "mirrors the game so far: top becomes bottom", |_| Ok(Command::Turn(2))),
    entry(
        &["symmetry", "symetry"],
        "[0-7]",
        "the sum of 1 hmirror, 2 vmirror, 4 then swaps rows and columns (1)",
        symmetry,
    ),
    entry(&["board", "show", "b"], "", "shows the board", |_| Ok(Command::Show)),
    entry(&["moves", "transcript"], "", "shows the moves of the game", |_| Ok(Command::Moves)),
    entry(&["level", "l"], "[0-60|GRADE]", "sets the playing strength, or shows what the level means now", level),
    entry(&["depth", "d"], "N [PERCENT]", "searches N plies, with this confidence (100) if selectively", depth),
    entry(&["time", "move-time"], "TIME|off", "gives the engine this time for each move (seconds or MM:SS)", time),
    entry(
        &["clock", "game-time"],
        "CLOCK|off",
        "gives the engine this clock for the game (10:00, 10:00+5, 300+30/10), which begins anew",
        clock,
    ),
    entry(
        &["mode", "m"],
        "0|1|2|3",
        "the engine plays: 0 the second side (white), 1 the first (black), 2 both, 3 none",
        mode,
    ),
    entry(&["ponder"], "on|off", "lets the engine think on your time, or not", ponder),
    entry(
        &["book"],
        "show|store|on|off",
        "shows what the book knows here, puts the game into it, plays from it or not",
        book,
    ),
    entry(
        &["rules"],
        "[RULES]",
        "starts a game by other rules (see `outflank rules`), or shows the present ones",
        |rest| Ok(Command::Rules(optional(rest).map(quantity::parse_rules).transpose()?)),
    ),
    entry(
        &["players"],
        "[NAME NAME]",
        "names the first and the second player for `save`, or shows their names",
        |rest| Ok(Command::Players(optional(rest).map(names).transpose()?)),
    ),
    entry(
        &["save", "s"],
        "FILE",
        "writes the game; the extension tells the format: .ggf .sgf .pgn .txt .obf",
        |rest| Ok(Command::Save(required(rest, "the file")?.into())),
    ),
    entry(&["load", "open", "o"], "FILE [N]", "reads the first game of a file, or the N-th", |rest| {
        Ok(Command::Load(required(rest, "the file")?.to_string()))
    }),
    entry(&["list"], "FILE [N]", "shows the games of a file, from the N-th on", |rest| {
        Ok(Command::List(required(rest, "the file")?.to_string()))
    }),
    entry(&["options"], "", "shows every option with its present value", |_| Ok(Command::Options)),
    entry(&["verbose", "v"], "0|1|2", "0 results only, 1 boards too, 2 every iteration of a search", verbose),
    entry(&["quiet", "silent"], "", "the same as verbose 0", |_| Ok(Command::Verbose(0))),
    entry(&["version"], "", "shows the engine's name and version", |_| Ok(Command::Version)),
    entry(&["help", "?"], "[COMMAND]", "shows this list, or one command", |rest| {
        Ok(Command::Help(optional(rest).map(str::to_string)))
    }),
    entry(&["quit", "q", "exit"], "", "ends the session", |_| Ok(Command::Quit)),
];

/// The entry of a command by one of its names, in any case.
pub fn find(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.names.iter().any(|known| known.eq_ignore_ascii_case(name)))
}

impl FromStr for Command {
    type Err = String;

    /// Reads a line: a command with its arguments (`set NAME VALUE` and `NAME = VALUE` are understood), or moves.
    fn from_str(line: &str) -> Result<Command, String> {
        let line = line.trim();
        let line = line.strip_prefix("set ").map_or(line, str::trim_start);
        let (name, rest) = line.split_once([' ', '\t', '=']).unwrap_or((line, ""));
        let rest = rest.trim_start_matches([' ', '\t', '=']);
        if name.is_empty() || name.starts_with('#') {
            return Ok(Command::Empty);
        }
        // Edax's short form; alone it shows the board
        let name = if name.eq_ignore_ascii_case("b") && !rest.is_empty() { "book" } else { name };
        let Some(entry) = find(name) else {
            let first = line.split(|c: char| c.is_whitespace()).next().unwrap_or(line);
            return if looks_like_moves(first) {
                Ok(Command::Play(line.to_string()))
            } else {
                Err(format!("unknown command {} (try {})", quote(name), elsewhere::command(name)))
            };
        };
        if entry.arguments.is_empty() && !rest.is_empty() {
            return Err(format!("{name} takes no arguments, found {}", quote(rest)));
        }
        (entry.read)(rest)
            .map_err(|problem| format!("{name}: {problem}; usage: {} {}", entry.names[0], entry.arguments))
    }
}

/// The text begins like a move (of any board) or a pass.
fn looks_like_moves(text: &str) -> bool {
    let mut bytes = text.bytes();
    let square = bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic())
        && bytes.next().is_some_and(|byte| byte.is_ascii_digit());
    square || notation::is_pass(text)
}

fn optional(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

fn required<'a>(text: &'a str, what: &str) -> Result<&'a str, String> {
    optional(text).ok_or_else(|| format!("{what} is missing"))
}

fn count(text: &str, otherwise: usize) -> Result<usize, String> {
    match optional(text) {
        None => Ok(otherwise),
        Some(text) => {
            text.parse().ok().filter(|n| *n > 0).ok_or_else(|| format!("{} is not a positive number", quote(text)))
        }
    }
}

fn rows(text: &str) -> Result<Command, String> {
    match text {
        "top" => Ok(Command::Rows(Rows::Top)),
        "bottom" => Ok(Command::Rows(Rows::Bottom)),
        _ => Err(format!("{} is not top or bottom", quote(text))),
    }
}

fn rotate(text: &str) -> Result<Command, String> {
    match text {
        "" | "90" => Ok(Command::Turn(5)),
        "180" => Ok(Command::Turn(3)),
        "270" => Ok(Command::Turn(6)),
        _ => Err(format!("{} is not 90, 180 or 270", quote(text))),
    }
}

fn symmetry(text: &str) -> Result<Command, String> {
    match optional(text).unwrap_or("1").parse() {
        Ok(index @ 0..=7) => Ok(Command::Turn(index)),
        _ => Err(format!("{} is not a symmetry (a number from 0 to 7)", quote(text))),
    }
}

fn opening(text: &str) -> Result<Command, String> {
    Ok(Command::Opening(match optional(text) {
        None => Beginning::Balanced(None),
        Some(text) => match text.parse() {
            Ok(seed) => Beginning::Balanced(Some(seed)),
            Err(_) if text.starts_with(|c: char| c == '-' || c.is_ascii_digit()) => {
                return Err(format!("{} is not a seed (a number from 0)", quote(text)));
            }
            Err(_) => text.parse()?,
        },
    }))
}

fn level(text: &str) -> Result<Command, String> {
    let level = optional(text).map(|text| text.parse().map_err(|error: ParseStrengthError| error.to_string()));
    Ok(Command::Strength(level.transpose()?.map(Setting::Level)))
}

fn time(text: &str) -> Result<Command, String> {
    let time = match required(text, "the time")? {
        "off" => None,
        text => Some(quantity::parse_time(text)?),
    };
    Ok(Command::Strength(Some(Setting::Time(time))))
}

fn clock(text: &str) -> Result<Command, String> {
    match required(text, "the clock")? {
        "off" => Ok(Command::Clock(TimeControl::None)),
        text => Ok(Command::Clock(text.parse().map_err(|error: TimeControlError| error.to_string())?)),
    }
}

fn verbose(text: &str) -> Result<Command, String> {
    match text {
        "0" | "1" | "2" => Ok(Command::Verbose(text.as_bytes()[0] - b'0')),
        // Edax says still more then
        "3" | "4" => Ok(Command::Verbose(2)),
        _ => Err(format!("{} is not 0, 1 or 2", quote(text))),
    }
}

fn ponder(text: &str) -> Result<Command, String> {
    match text {
        "on" | "off" => Ok(Command::Ponder(text == "on")),
        _ => Err(format!("{} is not on or off", quote(text))),
    }
}

fn book(text: &str) -> Result<Command, String> {
    Ok(Command::Book(match text {
        "" | "show" => BookCommand::Show,
        "store" => BookCommand::Store,
        "on" => BookCommand::On,
        "off" => BookCommand::Off,
        _ => return Err(format!("{} is not show, store, on or off (try {})", quote(text), elsewhere::book(text))),
    }))
}

fn depth(text: &str) -> Result<Command, String> {
    let (plies, selectivity) = match required(text, "the depth")?.split_whitespace().collect::<Vec<&str>>().as_slice() {
        [plies] => (*plies, Selectivity::NONE),
        [plies, percent] => (*plies, quantity::parse_selectivity(percent)?),
        _ => return Err(format!("{} is not a depth and a confidence", quote(text))),
    };
    match plies.parse() {
        Ok(plies) if plies > 0 => Ok(Command::Strength(Some(Setting::Depth(plies, selectivity)))),
        _ => Err(format!("{} is not a depth from 1 to 255", quote(plies))),
    }
}

fn series(text: &str) -> Result<Command, String> {
    Ok(Command::Series(match text.split_whitespace().collect::<Vec<&str>>().as_slice() {
        [] => SeriesCommand::Show,
        ["off"] => SeriesCommand::Off,
        [first, second] if first != second => SeriesCommand::Begin([first.to_string(), second.to_string()]),
        _ => return Err(format!("{} is not two different names", quote(text))),
    }))
}

fn names(text: &str) -> Result<[String; 2], String> {
    match text.split_whitespace().collect::<Vec<&str>>().as_slice() {
        [first, second] => Ok([first.to_string(), second.to_string()]),
        _ => Err(format!("{} is not two names", quote(text))),
    }
}

fn mode(text: &str) -> Result<Command, String> {
    Ok(Command::Mode(match required(text, "the mode")?.to_ascii_lowercase().as_str() {
        "0" | "white" => Sides::White,
        "1" | "black" => Sides::Black,
        "2" | "both" => Sides::Both,
        "3" | "none" => Sides::None,
        _ => return Err(format!("{} is not 0, 1, 2 or 3 (white, black, both, none)", quote(text))),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::Grade;
    use crate::search::Level;

    #[test]
    fn every_entry_parses() {
        for entry in &ENTRIES {
            let argument = match entry.names[0] {
                "play" | "why" => "f5",
                "rows" => "bottom",
                "setboard" => "----",
                "level" | "depth" => "7",
                "time" => "1.5",
                "mode" | "verbose" => "1",
                "ponder" => "on",
                "save" | "load" | "list" => "x.ggf",
                "clock" => "10:00",
                _ => "",
            };
            for name in entry.names {
                assert!(format!("{name} {argument}").parse::<Command>().is_ok(), "{name}");
                assert!(format!("set {} {argument}", name.to_uppercase()).parse::<Command>().is_ok(), "{name}");
            }
        }
    }

    #[test]
    fn moves_need_no_command() {
        for line in ["f5", "F5d6", "f5 d6", "pass", "ps", "PA", "--", "p16"] {
            assert_eq!(line.parse(), Ok(Command::Play(line.to_string())), "{line}");
        }
        assert_eq!(("b on".parse(), "b".parse()), (Ok(Command::Book(BookCommand::On)), Ok(Command::Show)));
        assert_eq!("analyse 2".parse(), Ok(Command::Analyze(2)));
        for (line, index) in [("hmirror", 1), ("vmirror", 2), ("rotate", 5), ("rotate 270", 6), ("symetry 4", 4)] {
            assert_eq!(line.parse(), Ok(Command::Turn(index)), "{line}");
        }
        assert_eq!("mode black".parse(), Ok(Command::Mode(Sides::Black)));
        assert_eq!("set mode White".parse(), Ok(Command::Mode(Sides::White)));
        assert_eq!(
            ["2", "4"].map(|most| format!("verbose {most}").parse()),
            [2, 2].map(|most| Ok(Command::Verbose(most)))
        );
        let named = Beginning::Named("Rose-Bill".to_string());
        for (line, beginning) in [
            ("opening", Beginning::Balanced(None)),
            ("opening 7", Beginning::Balanced(Some(7))),
            ("opening Rose-Bill", named),
        ] {
            assert_eq!(line.parse(), Ok(Command::Opening(beginning)), "{line}");
        }
        assert_eq!("load a.ggf 5".parse(), Ok(Command::Load("a.ggf 5".to_string())));
        let set = |setting| Ok(Command::Strength(Some(setting)));
        assert_eq!(("time off".parse(), "level".parse()), (set(Setting::Time(None)), Ok(Command::Strength(None))));
        assert_eq!("d 8".parse(), set(Setting::Depth(8, Selectivity::NONE)));
        assert_eq!("level=5".parse(), set(Setting::Level(Strength::level(Level::new(5).unwrap()))));
        assert_eq!("level = beginner".parse(), set(Setting::Level(Strength::grade(Grade::ALL[0]))));
        let clock = |text: &str| Ok(Command::Clock(text.parse().unwrap()));
        assert_eq!(("clock 10:00".parse(), "clock 10:00+5".parse()), (clock("600"), clock("600+5")));
        assert_eq!("".parse(), Ok(Command::Empty));
        assert_eq!("# comment".parse(), Ok(Command::Empty));
    }

    #[test]
    fn errors_name_the_word_at_fault() {
        for (line, part) in [
            ("frobnicate 3", "unknown command 'frobnicate'"),
            ("solve x.obf", "unknown command 'solve' (try `outflank solve FILE`)"),
            ("set n-tasks 2", "unknown command 'n-tasks' (try `--threads N` when it is started)"),
            (
                "b deviate 2 4",
                "is not show, store, on or off (try `outflank book grow FILE --edax REL,ABS`); usage: book",
            ),
            ("level 61", "a level is a number from 0 to 60"),
            ("hint x", "'x' is not a positive number"),
            ("hint 0", "'0' is not a positive number"),
            ("mode 4", "'4' is not 0, 1, 2 or 3 (white, black, both, none)"),
            ("go now", "go takes no arguments, found 'now'"),
            ("save", "the file is missing"),
            ("depth 5 80", "the confidences are"),
            ("depth 0 99", "'0' is not a depth from 1 to 255"),
            ("depth 8 100 nonsense", "'8 100 nonsense' is not a depth and a confidence"),
            ("time 0", "not a time"),
            ("clock soon", "soon"),
            ("rotate 45", "'45' is not 90, 180 or 270; usage: rotate [90|180|270]"),
            ("opening -1", "'-1' is not a seed (a number from 0); usage: opening [SEED|NAME]"),
            ("opening tig", "opening: no opening is called 'tig' (`outflank book names` lists them)"),
            ("symetry 8", "'8' is not a symmetry (a number from 0 to 7)"),
            ("hmirror 1", "hmirror takes no arguments"),
            ("players Ann", "'Ann' is not two names"),
            (&"x".repeat(100), "unknown command 'xxxxxxxxxxxxxxxxxxxxxxxx...' (try"),
        ] {
            let error = line.parse::<Command>().unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
