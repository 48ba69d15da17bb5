//! The files that commands read, or standard input.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use outflank::book::names;
use outflank::book::probe::begins_as_othello;
use outflank::formats::items::{Item, Items};
use outflank::formats::openings::{BALANCED, parse_openings};
use outflank::formats::record::GameRecord;
use outflank::formats::{bounded, escaped, items};
use outflank::game::Game;
use outflank::rules::RuleSet;
use outflank::tournament::Opening;

use super::error::Error;

/// Opens a file, or standard input when the name is `-`.
pub fn open(path: &Path) -> Result<Box<dyn BufRead + Send>, Error> {
    if path == Path::new("-") {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    let file = File::open(path).map_err(|error| Error::read(path, error))?;
    // opening a folder succeeds on Unix, reading it does not
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(Error::read(path, io::ErrorKind::IsADirectory.into()));
    }
    Ok(Box::new(BufReader::new(file)))
}

/// Most that is read of a file as a whole, in bytes: what people write, such as records and lists, is much shorter.
const MAX_TEXT: u64 = 1 << 26;

/// All of a file or of standard input, whose content is text.
pub fn read_all(path: &Path) -> Result<Vec<u8>, Error> {
    let checked = |bytes: Vec<u8>| bounded::check_is_text(&bytes).map(|()| bytes);
    bounded::read_all(open(path)?, MAX_TEXT).and_then(checked).map_err(|error| Error::read(path, error))
}

/// What an argument holds: all that [`items::read`] takes, and the name of an opening, which stands for its moves.
pub fn items(argument: &OsStr, rules: &Arc<RuleSet>) -> Result<Items, Error> {
    let read = items::read(argument, rules);
    let named = argument.to_str().filter(|_| read.is_err());
    match named.and_then(|name| names::game_of(name, rules)) {
        Some(game) => Ok(Box::new(std::iter::once(Ok(Item::Game(Box::new(GameRecord::new(game))))))),
        None => Ok(read?),
    }
}

/// The game with this number, from 0, that an argument holds, if there are so many; a position is one without moves.
pub fn nth_game(argument: &OsStr, rules: &Arc<RuleSet>, number: usize) -> Result<Option<Game>, Error> {
    match items(argument, rules)?.nth(number) {
        Some(Ok(Item::Position(record) | Item::Game(record))) => Ok(Some(record.game)),
        Some(Err(problem)) => Err(Error::input(problem)),
        None => Ok(None),
    }
}

/// The first game that an argument holds.
pub fn first_game(argument: &OsStr, rules: &Arc<RuleSet>) -> Result<Game, Error> {
    nth_game(argument, rules, 0)?
        .ok_or_else(|| Error::input(format!("there is no position in {}", name(Path::new(argument)))))
}

/// The openings of a file, or the built-in ones that are called `balanced`.
pub fn openings(path: &Path, rules: &Arc<RuleSet>) -> Result<Vec<Opening>, Error> {
    if path == Path::new("balanced") {
        // by rules of another name or with other colours, or by which equal counts are no draw, moves are the same
        if !begins_as_othello(rules) {
            return Err(Error::input(format!("--openings balanced: these openings are of othello, not of {rules}")));
        }
        return Ok(parse_openings(rules, BALANCED).expect("the built-in list is right"));
    }
    let text = read_all(path)?;
    parse_openings(rules, &String::from_utf8_lossy(&text))
        .map_err(|error| Error::input(format!("{}: {error}", name(path))))
}

/// What was answered to a question that ends in `(y/N)` is yes.
pub fn is_yes(answer: &str) -> bool {
    matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}

/// What messages call the input.
pub fn name(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_string() } else { escaped(&path.display().to_string()) }
}
