//! Players as text: reading them, and what is wrong with a text.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

use super::{BookSource, EngineConfig, ExternalConfig, PassDialect, PlayerKind, PlayerSpec, Protocol, SimpleStyle};
use crate::book::Choosing;
use crate::engine::Options;
use crate::formats::quantity::{Number, parse_count, parse_selectivity, parse_time, whole};
use crate::play::{Grade, ParseGradeError};
use crate::search::{Goal, Level, Selectivity};

/// A text that describes no player.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("player '{text}': {reason}")]
pub struct SpecError {
    text: String,
    reason: String,
}

impl FromStr for PlayerSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<PlayerSpec, SpecError> {
        let named = |spec: PlayerSpec| match spec.name.as_deref() {
            Some("") => Err("name=: a name is missing".to_string()),
            _ => Ok(spec),
        };
        parse(text).and_then(named).map_err(|reason| SpecError { text: text.to_string(), reason })
    }
}

fn parse(text: &str) -> Result<PlayerSpec, String> {
    let kind_end = text.find([',', ':']).unwrap_or(text.len());
    let (kind, rest) = text.split_at(kind_end);
    match kind {
        "outflank" => {
            // `outflank:level=6` is what people type who think of gtp:COMMAND
            let mut name = None;
            let config = parse_engine(options(kind, rest)?, &mut name)?;
            Ok(PlayerSpec { name, kind: PlayerKind::Engine(config), text: text.to_string() })
        }
        "gtp" | "nboard" => {
            let (rest, command) =
                rest.split_once(':').ok_or_else(|| format!("no command: write {kind}:COMMAND ARGUMENTS"))?;
            let protocol = if kind == "gtp" { Protocol::Gtp } else { Protocol::NBoard };
            let mut name = None;
            let config = parse_external(protocol, options(kind, rest)?, command, &mut name)?;
            Ok(PlayerSpec { name, kind: PlayerKind::External(config), text: text.to_string() })
        }
        _ => {
            let style = SimpleStyle::ALL.into_iter().find(|style| style.name() == kind).ok_or_else(|| {
                format!("'{kind}' is no kind of player (outflank, gtp, nboard, random, greedy, mobility)")
            })?;
            let mut name = None;
            for (key, value) in options(kind, rest)? {
                match key {
                    "name" => name = Some(value.to_string()),
                    _ => return Err(format!("{kind} has no option '{key}' (only name)")),
                }
            }
            Ok(PlayerSpec { name, kind: PlayerKind::Simple(style), text: text.to_string() })
        }
    }
}

/// Splits `,a=1,b=2`, what follows on the kind of player. An empty option is a slip: a shell makes two players of
/// `outflank, level=3`. Of one option given twice one would be lost, except of commands, which are all sent.
fn options<'a>(kind: &str, rest: &'a str) -> Result<Vec<(&'a str, &'a str)>, String> {
    let mut options: Vec<(&str, &str)> = Vec::new();
    let Some(text) = rest.strip_prefix([',', ':']) else { return Ok(options) };
    let mut before = format!("{kind}{}", &rest[..1]);
    for option in text.split(',') {
        if option.trim().is_empty() {
            return Err(format!("behind '{before}' an OPTION=VALUE is missing"));
        }
        before = format!("{},", option.trim());
        let (key, value) = option.split_once('=').ok_or_else(|| format!("'{option}' is not OPTION=VALUE"))?;
        let (key, value) = (key.trim(), value.trim());
        if key != "init" && options.iter().any(|&(other, _)| other == key) {
            return Err(format!("{key} is there twice"));
        }
        options.push((key, value));
    }
    Ok(options)
}

fn number<T: FromStr>(key: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("{key}={value} is not a valid number"))
}

/// A number within these limits.
fn number_within<T: Number>(key: &str, value: &str, limits: RangeInclusive<T>) -> Result<T, String> {
    whole(limits.clone())(value).map_err(|_| format!("{key}={value} is not {}..{}", limits.start(), limits.end()))
}

/// What a reader of options makes of the value, or its complaint.
fn with_key<T>(key: &str, value: &str, read: impl Fn(&str) -> Result<T, String>) -> Result<T, String> {
    read(value).map_err(|error| format!("{key}={value}: {error}"))
}

fn file(key: &str, value: &str) -> Result<PathBuf, String> {
    if value.is_empty() { Err(format!("{key}=: a file is missing")) } else { Ok(value.into()) }
}

fn parse_engine(options: Vec<(&str, &str)>, name: &mut Option<String>) -> Result<EngineConfig, String> {
    // a small table by default: several engines play side by side, and each game begins with an empty one
    let options_by_default = Options { hash_mib: 16, threads: 1 };
    let mut config = EngineConfig { options: options_by_default, ..EngineConfig::default() };
    let (mut depth, mut selectivity) = (None, None);
    for &(key, value) in &options {
        match key {
            "name" => *name = Some(value.to_string()),
            "grade" => config.grade = Some(value.parse().map_err(|error: ParseGradeError| error.to_string())?),
            "level" => {
                let is_grade = value.parse::<Grade>().is_ok();
                let hint = |error: String| if is_grade { format!("{error}: write grade={value}") } else { error };
                config.goal = Level::new(number_within(key, value, 0..=60).map_err(hint)?).map(Goal::Level);
            }
            "depth" => depth = Some(number_within(key, value, 1..=u8::MAX)?),
            "selectivity" => selectivity = Some(with_key(key, value, parse_selectivity)?),
            "nodes" => config.nodes = Some(with_key(key, value, parse_count)?),
            "time" => config.time = Some(with_key(key, value, parse_time)?),
            "threads" => config.options.threads = number_within(key, value, 1..=Options::MAX_THREADS)?,
            "hash" => config.options.hash_mib = number_within(key, value, 1..=Options::MAX_HASH_MIB)?,
            "eval" => config.eval = Some(file(key, value)?),
            "book" => {
                config.book = match value {
                    "off" => None,
                    "on" => Some(BookSource::Embedded),
                    path => Some(BookSource::File(file(key, path)?)),
                }
            }
            "book-draw" => config.choosing.draw = number_within(key, value, -64..=64)?,
            "book-loss" => {
                // twice as much in a game, as --book-loss has it where one number is given
                let discs: u8 = number_within(key, value, 0..=64)?;
                (config.choosing.move_loss, config.choosing.game_loss) = (discs, 2 * discs);
            }
            "book-variety" => config.choosing.variety = number_within(key, value, 0..=Choosing::MAX_VARIETY)?,
            "variety" => config.variety = Some(number_within(key, value, 0..=64)?),
            _ => {
                return Err(format!(
                    "outflank has no option '{key}' (name, level, grade, depth, selectivity, nodes, time, threads, hash, eval, book, book-draw, book-loss, book-variety, variety)"
                ));
            }
        }
    }
    if config.book.is_none()
        && let Some((key, _)) = options.iter().find(|(key, _)| key.starts_with("book-"))
    {
        return Err(format!("{key} needs a book: book=on or book=FILE"));
    }
    let has_own = depth.is_some() || config.goal.is_some() || config.nodes.is_some() || config.variety.is_some();
    if config.grade.is_some() && has_own {
        return Err("a grade excludes level, depth, nodes and variety".to_string());
    }
    match (depth, config.goal, selectivity) {
        (Some(_), Some(_), _) => return Err("level and depth exclude each other".to_string()),
        (Some(depth), None, _) => config.goal = Some(Goal::Depth(depth, selectivity.unwrap_or(Selectivity::NONE))),
        (None, _, Some(_)) => return Err("selectivity needs depth".to_string()),
        (None, _, None) => {}
    }
    Ok(config)
}

fn parse_external(
    protocol: Protocol,
    options: Vec<(&str, &str)>,
    command: &str,
    name: &mut Option<String>,
) -> Result<ExternalConfig, String> {
    let command = split_words(command)?;
    if command.is_empty() {
        return Err("the command is empty".to_string());
    }
    let mut config =
        ExternalConfig { protocol, command, directory: None, passes: PassDialect::Auto, level: None, init: Vec::new() };
    for (key, value) in options {
        match (key, protocol) {
            ("name", _) => *name = Some(value.to_string()),
            ("dir", _) => config.directory = Some(value.into()),
            ("pass", Protocol::Gtp) => {
                config.passes = match value {
                    "auto" => PassDialect::Auto,
                    "send" => PassDialect::Send,
                    "omit" => PassDialect::Omit,
                    _ => return Err(format!("pass={value} is not auto, send or omit")),
                }
            }
            ("init", Protocol::Gtp) => config.init.push(value.to_string()),
            ("level", Protocol::NBoard) => config.level = Some(number(key, value)?),
            (_, Protocol::Gtp) => return Err(format!("gtp has no option '{key}' (name, dir, pass, init)")),
            (_, Protocol::NBoard) => return Err(format!("nboard has no option '{key}' (name, dir, level)")),
        }
    }
    Ok(config)
}

/// Splits a command line at blanks; single and double quotes keep words together, nothing else is special.
fn split_words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match quote {
            Some(end) if c == end => quote = None,
            Some(_) => word.get_or_insert_default().push(c),
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(c),
        }
    }
    if let Some(quote) = quote {
        return Err(format!("the command has no closing {quote}"));
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn spec(text: &str) -> PlayerSpec {
        text.parse().unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn engines() {
        for text in ["outflank,level=6,threads=2,hash=64", "outflank:level=6,threads=2,hash=64"] {
            let PlayerKind::Engine(config) = spec(text).kind else { panic!("{text}") };
            assert_eq!(config.goal, Some(Goal::Level(Level::new(6).unwrap())));
            assert_eq!((config.options.threads, config.options.hash_mib), (2, 64));
            assert_eq!((spec(text).threads(), spec("random").threads(), spec("gtp:./edax -n 4").threads()), (2, 1, 1));
        }
        let PlayerKind::Engine(config) = spec("outflank,depth=8,selectivity=73%,time=0.1,name=A").kind else {
            panic!()
        };
        assert_eq!(config.goal, Some(Goal::Depth(8, Selectivity::MOST)));
        assert_eq!(config.time, Some(Duration::from_millis(100)));
        let PlayerKind::Engine(config) = spec("outflank,nodes=93.5k").kind else { panic!() };
        assert_eq!(config.nodes, Some(93_500));
        let PlayerKind::Engine(config) = spec("outflank,book-loss=3,book-draw=-2,book=on,book-variety=0").kind else {
            panic!()
        };
        assert_eq!(config.choosing, Choosing { move_loss: 3, game_loss: 6, variety: 0, draw: -2 });
        assert_eq!(spec("outflank,name=A").name.as_deref(), Some("A"));
        assert_eq!(spec("outflank").name, None);
    }

    #[test]
    fn programs() {
        let PlayerKind::External(config) = spec("gtp:/usr/games/gtp-rhino -l 5").kind else { panic!() };
        assert_eq!(config.command, ["/usr/games/gtp-rhino", "-l", "5"]);
        let text = "gtp,name=E,pass=omit,dir=/opt/edax,init=set_level 6:./edax -gtp 'two words' \"\" a:b";
        let PlayerKind::External(config) = spec(text).kind else { panic!() };
        assert_eq!(config.command, ["./edax", "-gtp", "two words", "", "a:b"]);
        assert_eq!((config.passes, config.init), (PassDialect::Omit, vec!["set_level 6".to_string()]));
        assert_eq!(config.directory, Some("/opt/edax".into()));
        for (text, passes) in [
            ("gtp:x", PassDialect::Auto),
            ("gtp,pass=auto:x", PassDialect::Auto),
            ("gtp,pass=send:x", PassDialect::Send),
        ] {
            let PlayerKind::External(config) = spec(text).kind else { panic!() };
            assert_eq!(config.passes, passes, "{text}");
        }
        let PlayerKind::External(config) = spec("nboard,level=8:ntest").kind else { panic!() };
        assert_eq!((config.protocol, config.level), (Protocol::NBoard, Some(8)));
    }

    #[test]
    fn errors_name_what_is_wrong() {
        for (text, part) in [
            ("", "'' is no kind of player"),
            ("edax", "'edax' is no kind of player"),
            ("outflank,level=61", "not 0..60"),
            ("outflank,level=x", "level=x is not 0..60"),
            ("outflank,level=club", "level=club is not 0..60: write grade=club"),
            ("outflank,grade=club,level=3", "a grade excludes level, depth, nodes and variety"),
            ("outflank,grade=club,variety=2", "a grade excludes level, depth, nodes and variety"),
            ("outflank,lvl=6", "no option 'lvl'"),
            ("outflank,level", "'level' is not OPTION=VALUE"),
            ("outflank,", "behind 'outflank,' an OPTION=VALUE is missing"),
            ("outflank:", "behind 'outflank:' an OPTION=VALUE is missing"),
            ("outflank,,depth=3", "behind 'outflank,' an OPTION=VALUE is missing"),
            ("outflank,level=6, ,hash=1", "behind 'level=6,' an OPTION=VALUE is missing"),
            ("random,name=A,", "behind 'name=A,' an OPTION=VALUE is missing"),
            ("gtp,:x", "behind 'gtp,' an OPTION=VALUE is missing"),
            ("outflank,level=6,depth=4", "exclude each other"),
            ("outflank,level=2,level=5", "level is there twice"),
            ("outflank,book=on, book=on", "book is there twice"),
            ("gtp,pass=auto,pass=send:x", "pass is there twice"),
            ("outflank,book-draw=2", "book-draw needs a book"),
            ("outflank,book=off,book-loss=2", "book-loss needs a book"),
            ("outflank,book=on,book-draw=200", "book-draw=200 is not -64..64"),
            ("outflank,book=on,book-loss=65", "book-loss=65 is not 0..64"),
            ("outflank,book=on,book-variety=11", "book-variety=11 is not 0..10"),
            ("outflank,book=", "book=: a file is missing"),
            ("outflank,eval= ,book=on", "eval=: a file is missing"),
            ("outflank,depth=0", "depth=0 is not 1..255"),
            ("outflank,threads=0", "threads=0 is not 1.."),
            ("outflank,hash=0", "hash=0 is not 1.."),
            ("outflank,variety=65", "variety=65 is not 0..64"),
            ("outflank,depth=8,selectivity=150", "selectivity=150: the confidences are 73, 87, 95, 98, 99 and 100"),
            ("outflank,depth=8,selectivity=80", "selectivity=80: the confidences are"),
            ("outflank,selectivity=73", "needs depth"),
            ("outflank,depth=8,selectivity=73%%", "selectivity=73%"),
            ("outflank,nodes=9x", "nodes=9x: not a positive count"),
            ("outflank,time=-1", "time=-1: not a time such as"),
            ("outflank,time=0", "time=0: not a time such as"),
            ("gtp", "no command"),
            ("gtp:", "empty"),
            ("gtp:'x", "no closing '"),
            ("gtp,pass=maybe:x", "pass=maybe"),
            ("gtp,level=3:x", "no option 'level'"),
            ("random,level=3", "no option 'level'"),
            ("random,name=", "a name is missing"),
            ("outflank,name= ", "a name is missing"),
            ("gtp,name=:x", "a name is missing"),
        ] {
            let error = text.parse::<PlayerSpec>().unwrap_err().to_string();
            assert!(error.contains(part) && error.contains(&format!("player '{text}'")), "{text}: {error}");
        }
    }
}
