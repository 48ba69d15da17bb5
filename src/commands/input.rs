//! The files that commands read, or standard input.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use outflank::book::probe::has_book;
use outflank::formats::bounded;
use outflank::formats::escaped;
use outflank::formats::openings::{BALANCED, parse_openings};
use outflank::rules::{Color, Position, RuleSet};
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

/// The openings of a file, or the built-in ones that are called `balanced`.
pub fn openings(path: &Path, rules: &Arc<RuleSet>) -> Result<Vec<Opening>, Error> {
    if path == Path::new("balanced") {
        // by rules of another name or with other colours, or by which equal counts are no draw, moves are the same
        let [start, othello] = [rules.clone(), Arc::new(RuleSet::othello())].map(Position::start);
        let discs = |position: &Position| [Color::Black, Color::White].map(|color| position.discs(color));
        if !has_book(rules) || discs(&start) != discs(&othello) {
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
