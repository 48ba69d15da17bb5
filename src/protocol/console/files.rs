//! Games in files.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::kept::Kept;
use super::session::{Console, Done, Problem};
use crate::formats::atomic::{check_is_replaceable, write_whole};
use crate::formats::board_text;
use crate::formats::files::{GameFileErrorKind, write_games};
use crate::formats::items::{self, Item};
use crate::formats::named_rules::Naming;
use crate::formats::quantity::plural;
use crate::formats::record::GameRecord;
use crate::formats::stream::FileKind;
use crate::protocol::input::is_input;
use crate::rules::RuleSet;

/// Games of a file that `list` shows at once.
const LISTED: usize = 20;

impl<W: Write> Console<W> {
    /// Writes the game (`.ggf`, `.sgf`, `.pgn`, `.txt`) or its present position (`.obf`); over any file but a book or self-play games.
    pub(super) fn save(&mut self, path: &Path) -> Done {
        if let Err(error) = check_is_replaceable(path) {
            return Ok(Err(Problem::Save(error.to_string())));
        }
        let replaces = format!("{} exists; write over it?", path.display());
        if path.exists() && !self.watch.agrees(&replaces) {
            return self.say("nothing was written");
        }
        let record = self.record();
        if let Err(problem) = write(&record, path) {
            return Ok(Err(Problem::Save(problem)));
        }
        let mut lines = Vec::new();
        if self.screen.people {
            let full = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
            let moves = plural(record.game.moves().len() as u64, "move");
            lines.push(format!("written to {} ({moves})", full.display()));
            lines.extend(left_out(&record, path));
        }
        self.tell(&lines)?;
        Ok(Ok(()))
    }

    /// The game with everything that is known about it.
    fn record(&self) -> GameRecord {
        let mut record = self.kept.record(self.game());
        for (player, name) in record.players.iter_mut().zip(self.names()) {
            player.name = name;
        }
        record
    }

    /// Starts the game of a file that the text names: `FILE`, or `FILE NUMBER`.
    pub(super) fn load(&mut self, text: &str) -> Done {
        match split_number(text).and_then(|(path, number)| read(&path, number, &self.asked)) {
            Ok(record) => {
                let title = describe(&record);
                // one that is loaded again is not the next one of a series
                if record.game != *self.game() {
                    self.count_game();
                }
                let result = self.go_on_with(record.game.clone(), Kept::loaded(record));
                if self.screen.people && !title.is_empty() {
                    self.tell(&[title])?;
                }
                result
            }
            Err(error) => Ok(Err(error.into())),
        }
    }

    /// Shows what a file holds: `FILE`, or `FILE FIRST`.
    pub(super) fn list(&mut self, text: &str) -> Done {
        let opened = split_number(text).and_then(|(path, first)| Ok((open(&path, &self.asked)?, path, first)));
        let (items, path, first) = match opened {
            Ok(opened) => opened,
            Err(error) => return Ok(Err(error.into())),
        };
        let (mut count, mut bad) = (0, 0);
        for item in items {
            count += 1;
            bad += usize::from(item.is_err());
            if count < first || count >= first + LISTED {
                continue;
            }
            let line = match item {
                Ok(Item::Game(record)) => entitled(&record, plural(record.game.moves().len() as u64, "move")),
                Ok(Item::Position(record)) => {
                    let empty = plural(u64::from(record.game.position().empty_count()), "empty square");
                    let what = format!("a position with {empty}");
                    // a board that is over tells its result itself
                    let is_board = *record == GameRecord::new(record.game.clone());
                    if is_board { what } else { entitled(&record, what) }
                }
                Err(error) => format!("cannot be read: {error}"),
            };
            writeln!(self.out, "{count:>6}  {line}")?;
        }
        if count >= first + LISTED {
            let next = first + LISTED;
            writeln!(
                self.out,
                "        {} in all; `list {} {next}` goes on",
                plural(count as u64, "game"),
                path.display()
            )?;
        }
        match (count, bad) {
            (0, _) => Ok(Err(no_game(&path).into())),
            (count, _) if count < first => Ok(Err(too_few(&path, count).into())),
            (_, 0) => Ok(Ok(())),
            (_, bad) => Ok(Err(format!("{}: {} cannot be read", path.display(), plural(bad as u64, "game")).into())),
        }
    }
}

/// What the format of a file has no place for.
fn left_out(record: &GameRecord, path: &Path) -> Option<String> {
    let has = |what: fn(&crate::formats::record::MoveNote) -> bool| record.notes.iter().any(what);
    let (remarks, times, clocks) =
        (has(|note| note.comment.is_some()), has(|note| note.seconds.is_some()), has(|note| note.clock.is_some()));
    let parts = match FileKind::of_path(path)? {
        FileKind::Ggf => [("remarks about moves", remarks), ("clocks after moves", clocks)],
        FileKind::Sgf => [("times of moves", times), ("", false)],
        FileKind::Pgn => [("times of moves", times), ("clocks after moves", clocks)],
        FileKind::Text => [("names, date and remarks", *record != GameRecord::new(record.game.clone())), ("", false)],
        _ => return None,
    };
    let parts: Vec<&str> = parts.into_iter().filter(|part| part.1).map(|part| part.0).collect();
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    (!parts.is_empty()).then(|| format!("left out, .{extension} has no place for them: {}", parts.join(", ")))
}

/// Who played what when, and how it ended; empty when nothing is known.
fn describe(record: &GameRecord) -> String {
    let mut parts = Vec::new();
    let names = record.players.each_ref().map(|player| player.name.as_str());
    if names != ["", ""] {
        let [black, white] = names.map(|name| if name.is_empty() { "?" } else { name });
        parts.push(format!("{black} - {white}"));
    }
    let said = [&record.event, &record.place, &record.date].into_iter().flatten();
    parts.extend(said.filter(|part| !part.is_empty()).cloned());
    parts.extend(record.result.map(|result| result.words(record.game.start().rules())));
    parts.join(", ")
}

/// What a file holds of a game, behind what is known about it.
fn entitled(record: &GameRecord, what: String) -> String {
    let title = describe(record);
    if title.is_empty() { what } else { format!("{title}, {what}") }
}

/// A file, and the number of a game behind it, 1 if there is none; a file whose name has blanks is looked for first.
fn split_number(text: &str) -> Result<(PathBuf, usize), String> {
    let split = text.rsplit_once([' ', '\t']).and_then(|(path, number)| Some((path.trim_end(), number.parse().ok()?)));
    match split.filter(|_| !Path::new(text).exists()) {
        Some((_, 0)) => Err("games are counted from 1".to_string()),
        Some((path, number)) => Ok((path.into(), number)),
        None => Ok((text.into(), 1)),
    }
}

fn write(record: &GameRecord, path: &Path) -> Result<(), String> {
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("obf")) {
        let position = record.game.position();
        let text = Naming::default().before(position.rules()) + &board_text::write(position) + ";\n";
        return write_whole(path, text.as_bytes()).map_err(|error| format!("{}: {error}", path.display()));
    }
    write_games(path, std::slice::from_ref(record)).map_err(|error| match error.kind {
        GameFileErrorKind::NotWritable => format!("{error}, positions as .obf"),
        _ => error.to_string(),
    })
}

fn open(path: &Path, rules: &Arc<RuleSet>) -> Result<items::Items, String> {
    if path == Path::new("-") || is_input(path) {
        return Err(format!("'{}' is no file here: the session reads its commands there", path.display()));
    }
    items::read_file(path, rules).map_err(|error| error.to_string())
}

fn no_game(path: &Path) -> String {
    let kind = if path.is_dir() { "in this folder" } else { "in it" };
    format!("{}: there is no game {kind}", path.display())
}

fn too_few(path: &Path, count: usize) -> String {
    let are = if count == 1 { "is" } else { "are" };
    format!("{}: there {are} only {} in it", path.display(), plural(count as u64, "game"))
}

/// Reads a game (or position) of a file, by its number from 1.
fn read(path: &Path, number: usize, rules: &Arc<RuleSet>) -> Result<GameRecord, String> {
    let mut count = 0;
    for item in open(path, rules)? {
        count += 1;
        if count == number {
            let (Item::Game(record) | Item::Position(record)) = item?;
            return Ok(*record);
        }
    }
    match count {
        0 => Err(no_game(path)),
        count => Err(too_few(path, count)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_behind_a_file() {
        assert_eq!(split_number("a.ggf"), Ok(("a.ggf".into(), 1)));
        assert_eq!(split_number("my games.ggf 12"), Ok(("my games.ggf".into(), 12)));
        assert_eq!(split_number("a.ggf 0").unwrap_err(), "games are counted from 1");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("game 5");
        std::fs::write(&path, "f5").unwrap();
        assert_eq!(split_number(path.to_str().unwrap()), Ok((path.clone(), 1)));
        let rules = Arc::new(RuleSet::othello());
        assert_eq!(read(&path, 1, &rules).unwrap().game.moves().len(), 1);
    }

    #[test]
    fn an_extension_that_nothing_is_written_as() {
        let record = read_text("f5d6");
        let error = write(&record, Path::new("game.foo")).unwrap_err();
        assert!(error.ends_with("games are written as .ggf, .sgf, .pgn or .txt, positions as .obf"), "{error}");
    }

    fn read_text(moves: &str) -> GameRecord {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("game.txt");
        std::fs::write(&path, moves).unwrap();
        read(&path, 1, &Arc::new(RuleSet::othello())).unwrap()
    }
}
