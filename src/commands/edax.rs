//! Arguments in Edax's style (`-solve FILE`, `-gtp`, `-level 5`), so that scripts written for it need no change.
//!
//! Every option of Edax 4.6 is taken: as ours of the same meaning, or with its argument and no effect where there is nothing
//! to set here (files of another engine's making, logs, search internals), or refused with the reason. The table is in
//! [`outflank::protocol::console`].

use std::ffi::OsString;
use std::ops::Range;
use std::path::Path;

/// What an option of Edax's becomes.
#[derive(Clone, Copy)]
enum Meaning {
    /// A subcommand.
    Command(&'static str),
    /// An option of ours; its argument, if it has one, follows as it is.
    Same(&'static str),
    /// An option of ours with an argument, left out where the command has nothing like it.
    Habit(&'static str),
    /// An option of ours with an argument, in this spelling or its own, about how deep and how long a command searches: left
    /// out where the client says that.
    Strength(&'static str),
    /// An option of ours without one, left out in the same way.
    Flag(&'static str),
    /// Nothing; so many arguments go with it.
    Dropped(usize),
    /// `on` and `off`: options of ours, empty for none.
    Switch(&'static str, &'static str),
    /// Takes a number that becomes one of these options of ours.
    OneOf(&'static [&'static [&'static str]]),
    /// The size of the table as a power of two of 24-byte entries.
    HashBits,
    /// Counting, of games only.
    Count,
    /// Not to be had, and why.
    Refused(&'static str),
}

/// Why `-xboard` is refused.
pub const NO_XBOARD: &str = "XBoard's protocol is not spoken here: use -gtp or -nboard";

/// Bytes of an entry of Edax's transposition table.
const EDAX_ENTRY: u64 = 24;

const CONFIDENCES: &[&[&str]] = &[
    &["--selectivity", "73"],
    &["--selectivity", "87"],
    &["--selectivity", "95"],
    &["--selectivity", "98"],
    &["--selectivity", "99"],
    &["--selectivity", "100"],
];
const MODES: &[&[&str]] =
    &[&["--engine", "white"], &["--engine", "black"], &["--engine", "both"], &["--engine", "none"]];
const VERBOSITIES: &[&[&str]] = &[&["--quiet"], &[], &["--verbose", "2"], &["--verbose", "2"], &["--verbose", "2"]];

/// The options of Edax 4.6, without their hyphen.
const OPTIONS: &[(&str, Meaning)] = &[
    ("solve", Meaning::Command("solve")),
    ("cassio", Meaning::Command("cassio")),
    ("gtp", Meaning::Command("gtp")),
    ("nboard", Meaning::Command("nboard")),
    ("bench", Meaning::Command("bench")),
    ("perft", Meaning::Command("perft")),
    ("count", Meaning::Count),
    ("help", Meaning::Same("--help")),
    ("version", Meaning::Same("--version")),
    ("l", Meaning::Strength("--level")),
    ("level", Meaning::Strength("--level")),
    ("d", Meaning::Strength("--depth")),
    ("depth", Meaning::Strength("--depth")),
    ("selectivity", Meaning::OneOf(CONFIDENCES)),
    ("move-time", Meaning::Strength("--time")),
    ("game-time", Meaning::Habit("--clock")),
    ("n-tasks", Meaning::Same("--threads")),
    ("threads", Meaning::Same("--threads")),
    ("hash-table-size", Meaning::HashBits),
    ("ponder", Meaning::Switch("--ponder", "")),
    ("quiet", Meaning::Flag("--quiet")),
    ("verbose", Meaning::OneOf(VERBOSITIES)),
    ("vv", Meaning::Flag("--verbose=2")),
    ("mode", Meaning::OneOf(MODES)),
    ("nobook", Meaning::Flag("--no-book")),
    ("book-usage", Meaning::Switch("", "--no-book")),
    ("all-moves", Meaning::Same("--all-moves")),
    ("wld", Meaning::Same("--wld")),
    ("all-best", Meaning::Flag("--best-moves")),
    // another engine's weights and books mean nothing to this one, and it has its own
    ("eval-file", Meaning::Dropped(1)),
    ("book-file", Meaning::Dropped(1)),
    ("book-randomness", Meaning::Habit("--book-loss")),
    ("option-file", Meaning::Dropped(1)),
    ("o", Meaning::Dropped(1)),
    ("game-file", Meaning::Dropped(1)),
    ("search-log-file", Meaning::Dropped(1)),
    ("ui-log-file", Meaning::Dropped(1)),
    ("name", Meaning::Dropped(1)),
    // what is shown, and how often
    ("noise", Meaning::Dropped(1)),
    ("width", Meaning::Dropped(1)),
    ("echo", Meaning::Dropped(0)),
    ("cpu", Meaning::Dropped(0)),
    ("repeat", Meaning::Habit("--repeat")),
    ("auto-start", Meaning::Switch("--auto-start", "")),
    ("auto-swap", Meaning::Switch("--auto-swap", "")),
    ("auto-store", Meaning::Dropped(1)),
    ("auto-quit", Meaning::Switch("--auto-quit", "")),
    // the search of each engine is its own
    ("alpha", Meaning::Dropped(1)),
    ("beta", Meaning::Dropped(1)),
    ("pv-check", Meaning::Dropped(1)),
    ("pv-debug", Meaning::Dropped(1)),
    ("pv-guess", Meaning::Dropped(1)),
    ("inc-sort-depth", Meaning::Dropped(1)),
    ("follow-cassio", Meaning::Dropped(0)),
    ("debug-cassio", Meaning::Dropped(0)),
    ("transgress-cassio", Meaning::Dropped(0)),
    ("ggs-host", Meaning::Dropped(1)),
    ("ggs-login", Meaning::Dropped(1)),
    ("ggs-passwd", Meaning::Dropped(1)),
    ("ggs-password", Meaning::Dropped(1)),
    ("ggs-port", Meaning::Dropped(1)),
    ("ggs-open", Meaning::Dropped(1)),
    ("xboard", Meaning::Refused(NO_XBOARD)),
    ("ggs", Meaning::Refused("there is no client of the GGS server here")),
    ("wtest", Meaning::Refused("use `outflank accuracy FOLDER`, which tests on WTHOR games")),
];

/// Arguments in ours, and whether the program is to pass for Edax.
#[derive(Debug, PartialEq, Eq)]
pub struct Translated {
    /// The arguments, the program's name first.
    pub arguments: Vec<OsString>,
    /// The program was called by a name with "edax" in it, or with `--as-edax`.
    pub as_edax: bool,
}

/// Puts arguments in Edax's style into ours; everything else passes unchanged. `takes` tells whether a command (`None`: no
/// command) has an option of ours: what Edax takes with every command is left out where it would mean nothing.
///
/// # Errors
/// What is wrong with an option, in a sentence.
pub fn translate(
    arguments: impl Iterator<Item = OsString>,
    takes: &dyn Fn(Option<&str>, &str) -> bool,
) -> Result<Translated, String> {
    let mut arguments: Vec<OsString> = arguments.collect();
    let called = arguments
        .first()
        .and_then(|name| Path::new(name).file_stem())
        .map(|name| name.to_string_lossy().to_lowercase());
    let before = arguments.len();
    arguments.retain(|argument| argument != "--as-edax");
    let as_edax = arguments.len() < before || called.is_some_and(|name| name.contains("edax"));
    let mut translator = Translator {
        out: Vec::new(),
        command: None,
        as_edax,
        levelled: false,
        has_depth: false,
        habits: Vec::new(),
        strengths: Vec::new(),
        confidence: None,
    };
    let mut rest = arguments.into_iter();
    translator.out.extend(rest.next());
    while let Some(argument) = rest.next() {
        translator.argument(argument, &mut rest)?;
    }
    Ok(translator.finish(takes))
}

/// The argument is the option with this letter or one of these names, alone or with its value (`-l5`, `--level=5`).
fn gives(argument: &str, letter: &str, names: &[&str]) -> bool {
    let value = argument.strip_prefix(letter);
    let name = argument.split_once('=').map_or(argument, |(name, _)| name);
    value.is_some_and(|value| value.is_empty() || value.starts_with(|c: char| c == '=' || c.is_ascii_digit()))
        || names.contains(&name)
}

struct Translator {
    out: Vec<OsString>,
    command: Option<&'static str>,
    as_edax: bool,
    /// A level or a depth was given.
    levelled: bool,
    /// A depth was given.
    has_depth: bool,
    /// Where in the arguments habits stand, each with its value.
    habits: Vec<Range<usize>>,
    /// The same for options about searches.
    strengths: Vec<(Range<usize>, &'static str)>,
    /// The confidence asked for, which belongs to a depth; a level has its own.
    confidence: Option<&'static [&'static str]>,
}

impl Translator {
    fn push(&mut self, words: &[&str]) {
        self.out.extend(words.iter().filter(|word| !word.is_empty()).map(OsString::from));
    }

    /// A command was written as ours are.
    fn has_command(&self) -> bool {
        self.command.is_none() && self.out.get(1).is_some_and(|word| !word.to_string_lossy().starts_with('-'))
    }

    /// An option about how a program behaves, not about what is computed: it is for those commands that have it.
    fn habit(&mut self, words: &[&str]) {
        let before = self.out.len();
        self.push(words);
        self.habits.push(before..self.out.len());
    }

    fn argument(&mut self, argument: OsString, rest: &mut impl Iterator<Item = OsString>) -> Result<(), String> {
        let text = argument.to_string_lossy().into_owned();
        self.has_depth |= gives(&text, "-d", &["-depth", "--depth"]);
        self.levelled |= self.has_depth || gives(&text, "-l", &["-level", "--level"]);
        let meaning = match text.strip_prefix('-') {
            // -h is help here and the table's size there, -t threads here and the clock there
            Some("h") => {
                let Some(bits) = rest.next() else {
                    self.push(&["--help"]);
                    return Ok(());
                };
                return self.hash(&text, &bits.to_string_lossy());
            }
            Some("t") if self.as_edax => Some(Meaning::Habit("--clock")),
            Some("v") if self.as_edax => Some(Meaning::Same("--version")),
            Some("q") if !self.has_command() => Some(Meaning::Flag("--quiet")),
            Some("?") => Some(Meaning::Same("--help")),
            // a file of options there, the output of a command of ours
            Some("o") if self.has_command() => None,
            // ours, which mean the same to most commands
            Some("l" | "d") if self.has_command() => None,
            Some(name) => OPTIONS.iter().find(|option| option.0 == name).map(|option| option.1),
            None => None,
        };
        match meaning {
            None => self.out.push(argument),
            Some(Meaning::Command(command)) => self.command = Some(command),
            Some(Meaning::Same(ours)) => self.push(&[ours]),
            Some(Meaning::Habit(ours)) => {
                let value = next(&text, rest)?;
                self.habit(&[ours, &value]);
            }
            Some(Meaning::Strength(ours)) => {
                let value = next(&text, rest)?;
                let before = self.out.len();
                self.push(&[if text.len() == 2 { &text } else { ours }, &value]);
                self.strengths.push((before..self.out.len(), ours));
            }
            Some(Meaning::Flag(ours)) => self.habit(&[ours]),
            Some(Meaning::Dropped(count)) => drop(rest.take(count).collect::<Vec<_>>()),
            Some(Meaning::Refused(reason)) => return Err(format!("{text}: {reason}")),
            Some(Meaning::HashBits) => return self.hash(&text, &next(&text, rest)?),
            Some(Meaning::Switch(on, off)) => match next(&text, rest)?.as_str() {
                "on" => self.habit(&[on]),
                "off" => self.habit(&[off]),
                other => return Err(format!("{text}: '{other}' is not on or off")),
            },
            Some(Meaning::OneOf(choices)) => {
                let value = next(&text, rest)?;
                let chosen = value.parse::<usize>().ok().and_then(|i| choices.get(i));
                let problem = || format!("{text}: '{value}' is not a number from 0 to {}", choices.len() - 1);
                let words = chosen.ok_or_else(problem)?;
                if text == "-selectivity" { self.confidence = Some(*words) } else { self.habit(words) }
            }
            Some(Meaning::Count) => {
                let what = next(&text, rest)?;
                if what != "games" {
                    return Err(format!("{text} {what}: only games are counted here"));
                }
                self.command = Some("perft");
            }
        }
        Ok(())
    }

    /// A table of at least as many bytes as Edax's, in MiB.
    fn hash(&mut self, option: &str, bits: &str) -> Result<(), String> {
        let bits = bits.parse::<u32>().ok().filter(|bits| (10..=40).contains(bits));
        let bits = bits.ok_or_else(|| format!("{option}: a table has 2^10 to 2^40 entries, given by the exponent"))?;
        let mib = ((EDAX_ENTRY << bits) >> 20).max(1);
        self.habit(&["--hash", &mib.to_string()]);
        Ok(())
    }

    fn finish(mut self, takes: &dyn Fn(Option<&str>, &str) -> bool) -> Translated {
        if let Some(confidence) = self.confidence.filter(|_| self.has_depth) {
            let before = self.out.len();
            self.push(confidence);
            self.strengths.push((before..self.out.len(), confidence[0]));
        }
        // subcommands can also be written as ours
        let written = self.out.get(1).and_then(|word| word.to_str()).filter(|word| !word.starts_with('-'));
        let command = self.command.or(written).map(str::to_string);
        // how a book is used means nothing where it is not
        let is_bookless = self.out.iter().any(|word| word == "--no-book" || word == "--nobook");
        let is_taken = |option: &str| takes(command.as_deref(), option) && !(is_bookless && option == "--book-loss");
        let habits = std::mem::take(&mut self.habits).into_iter().filter(|habit| {
            let name = self.out.get(habit.start).and_then(|word| word.to_str());
            !habit.is_empty() && !name.is_some_and(is_taken)
        });
        // Cassio says with each position how deep to search; what was asked for in our way is to be told
        let strengths = std::mem::take(&mut self.strengths).into_iter();
        let strengths = strengths.filter(|(_, ours)| self.command.is_some() && !is_taken(ours)).map(|(range, _)| range);
        let mut left_out: Vec<Range<usize>> = habits.chain(strengths).collect();
        left_out.sort_by_key(|range| std::cmp::Reverse(range.start));
        for range in left_out {
            self.out.drain(range);
        }
        if let Some(command) = self.command {
            // subcommands come first
            self.out.insert(1.min(self.out.len()), OsString::from(command));
            // all best moves and win, draw or loss are found by solves to the end alone
            let solves = ["--best-moves", "-b", "--wld", "-w"];
            let is_exact = self.out.iter().any(|word| solves.iter().any(|option| word == option));
            if command == "solve" && !self.levelled && !is_exact {
                // what Edax solves with unless it is told otherwise
                self.push(&["--level", "21"]);
            }
        }
        Translated { arguments: self.out, as_edax: self.as_edax }
    }
}

/// The argument of an option.
fn next(option: &str, rest: &mut impl Iterator<Item = OsString>) -> Result<String, String> {
    let value = rest.next().ok_or_else(|| format!("{option}: its value is missing"))?;
    Ok(value.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str) -> Result<Translated, String> {
        translate(text.split(' ').map(OsString::from), &super::super::takes)
    }

    fn words(translated: &Translated) -> String {
        translated.arguments.join(&OsString::from(" ")).into_string().unwrap()
    }

    #[test]
    fn edax_style() {
        for (edax, ours) in [
            ("outflank -gtp -q -level 5 -n-tasks 2", "outflank gtp --quiet --level 5 --threads 2"),
            ("outflank -solve x.obf -q -l 5", "outflank solve x.obf -l 5"),
            ("edax -q -solve x.obf -l 5", "edax solve x.obf -l 5"),
            ("edax -q -l 5", "edax --quiet -l 5"),
            ("outflank -solve x.obf -n 4", "outflank solve x.obf -n 4 --level 21"),
            ("outflank -solve x.obf -l 60", "outflank solve x.obf -l 60"),
            ("outflank -solve x.obf --level=5", "outflank solve x.obf --level=5"),
            ("outflank -solve x.obf -l5", "outflank solve x.obf -l5"),
            ("outflank -solve x.obf --depth=8 -selectivity 1", "outflank solve x.obf --depth=8 --selectivity 87"),
            ("outflank -solve x.obf -d8", "outflank solve x.obf -d8"),
            ("outflank -q -l 5 -book-usage off", "outflank --quiet -l 5 --no-book"),
            ("outflank -q -l 5 -book-usage on", "outflank --quiet -l 5"),
            ("outflank solve -l 5 --json x", "outflank solve -l 5 --json x"),
            ("outflank -h 22 -ponder on -game-time 60", "outflank --hash 96 --ponder --clock 60"),
            ("outflank -hash-table-size 20 -ponder off", "outflank --hash 24"),
            ("outflank -eval-file data/eval.dat -book-file book.dat -q", "outflank --quiet"),
            ("outflank -mode 1 -verbose 0 -noise 5", "outflank --engine black --quiet"),
            ("outflank -vv -depth 8 -selectivity 0", "outflank --verbose=2 --depth 8 --selectivity 73"),
            ("edax -selectivity 3 -l 8", "edax -l 8"),
            ("edax -book-randomness 2 -l 8", "edax --book-loss 2 -l 8"),
            ("edax -solve x.obf -book-randomness 2 -l 8", "edax solve x.obf -l 8"),
            ("edax -book-usage off -book-randomness 2", "edax --no-book"),
            ("edax -book-randomness 2 -nobook -q", "edax --no-book --quiet"),
            ("edax -solve x.obf -selectivity 1 -d 8", "edax solve x.obf -d 8 --selectivity 87"),
            ("outflank -width 80 -auto-start on -cpu -version", "outflank --auto-start --version"),
            ("outflank -solve x.obf -l 5 -mode 3 -verbose 0 -all-best", "outflank solve x.obf -l 5 --best-moves"),
            ("edax -solve x.obf -all-best -q", "edax solve x.obf --best-moves"),
            ("edax -solve x.obf -wld", "edax solve x.obf --wld"),
            ("edax -solve x.obf -w", "edax solve x.obf -w"),
            ("edax -perft 6 -h 20 -n 2", "edax perft 6 -n 2"),
            ("edax -gtp -all-best -game-time 60 -vv -auto-quit on -repeat 3", "edax gtp"),
            ("edax -mode 2 -repeat 3 -auto-quit on -auto-swap off", "edax --engine both --repeat 3 --auto-quit"),
            ("outflank -t 2", "outflank -t 2"),
            ("outflank games convert a.ggf -o b.sgf", "outflank games convert a.ggf -o b.sgf"),
            ("outflank -solve a.obf -o edax.ini -l 5", "outflank solve a.obf -l 5"),
            ("edax -t 2:00", "edax --clock 2:00"),
            ("outflank -count games 6", "outflank perft 6"),
            ("edax -cassio -l 3 -n 1 -h 20", "edax cassio -n 1 --hash 24"),
            ("edax -level 3 -d 8 -selectivity 2 -move-time 5 -cassio -follow-cassio", "edax cassio"),
            ("edax -gtp -d 8 -selectivity 3 -move-time 5", "edax gtp -d 8 --time 5 --selectivity 98"),
            ("edax -nboard -depth 8 -move-time 0:05", "edax nboard --depth 8 --time 0:05"),
            ("outflank cassio -l 3", "outflank cassio -l 3"),
            ("outflank -h", "outflank --help"),
            ("outflank", "outflank"),
            ("-gtp", "-gtp"),
        ] {
            assert_eq!(words(&run(edax).unwrap()), ours, "{edax}");
        }
    }

    #[test]
    fn who_passes_for_edax() {
        for (text, as_edax) in
            [("outflank -q", false), ("/opt/lEdax-x64 -q", true), ("outflank --as-edax -q", true), ("edax.exe", true)]
        {
            let translated = run(text).unwrap();
            assert_eq!(translated.as_edax, as_edax, "{text}");
            assert!(!words(&translated).contains("--as-edax"));
        }
    }

    #[test]
    fn what_cannot_be_done_is_said() {
        for (text, part) in [
            ("edax -xboard", "XBoard"),
            ("edax -ggs", "GGS"),
            ("edax -wtest x", "accuracy"),
            ("edax -h many", "exponent"),
            ("edax -h 99", "exponent"),
            ("edax -ponder maybe", "'maybe' is not on or off"),
            ("edax -ponder", "missing"),
            ("edax -mode 4", "0 to 3"),
            ("edax -cassio -l", "-l: its value is missing"),
            ("edax -count positions 3", "only games"),
        ] {
            let error = run(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
