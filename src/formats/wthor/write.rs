//! Writing WTHOR: games, players and tournaments.
//!
//! Games go into one file, or into a folder with a file a year; the names of players and tournaments go into files beside them.
//! A game without an event has its place for it. Names are cut to 19 and 25 bytes of Latin-1, other characters become `?`. As
//! everywhere in the database the first move is f5: games that begin otherwise are turned. The theoretical score of a record is
//! its result (the header says: at 0 empty squares). Clocks, ratings and remarks have no place in the format.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use hashbrown::HashMap;

use super::HEADER_BYTES;
use super::database::{PLAYER_BYTES, TOURNAMENT_BYTES};
use crate::board::{Board, Square, transform_square};
use crate::formats::atomic::AtomicFile;
use crate::formats::calendar;
use crate::formats::record::GameRecord;
use crate::rules::{Color, Move, Position};
use crate::time::SystemTime;

/// Why a game cannot be kept in a WTHOR file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotStorable {
    /// The rules or the start position.
    #[error("WTHOR holds games of othello from the start, on 8x8 only")]
    OtherGame,
    /// More players or tournaments than the format can number.
    #[error("WTHOR holds at most 65,535 names")]
    Names,
}

/// Names by their bytes, numbered as they come; 0 stands for unknown ones.
struct Table {
    size: usize,
    numbers: HashMap<Vec<u8>, u16>,
    bytes: Vec<u8>,
}

impl Table {
    fn new(size: usize, unknown: &str) -> Table {
        let mut table = Table { size, numbers: HashMap::new(), bytes: Vec::new() };
        let _ = table.number(unknown);
        table.numbers.clear();
        table.numbers.insert(Vec::new(), 0);
        table
    }

    fn number(&mut self, name: &str) -> Result<u16, NotStorable> {
        let latin1 = |c: char| u8::try_from(u32::from(c)).ok().filter(|byte| *byte >= b' ').unwrap_or(b'?');
        let name: Vec<u8> = name.trim().chars().map(latin1).take(self.size - 1).collect();
        let next = self.bytes.len() / self.size;
        if let Some(&number) = self.numbers.get(&name) {
            return Ok(number);
        }
        let number = u16::try_from(next).ok().filter(|number| *number < u16::MAX).ok_or(NotStorable::Names)?;
        self.bytes.extend_from_slice(&name);
        self.bytes.resize((next + 1) * self.size, 0);
        self.numbers.insert(name, number);
        Ok(number)
    }

    fn write(&self, path: &Path) -> io::Result<()> {
        let mut file = AtomicFile::create(path)?;
        file.write_all(&header(0, (self.bytes.len() / self.size) as u16, 0))?;
        file.write_all(&self.bytes)?;
        file.commit()
    }
}

/// The games of one file.
struct Games {
    file: BufWriter<AtomicFile>,
    count: u32,
    year: u16,
}

/// Writes WTHOR files, which appear when all games are there.
pub struct Writer {
    /// A file, or a folder that gets a file a year.
    path: PathBuf,
    is_folder: bool,
    /// By year; one for all years when they go into one file.
    files: BTreeMap<u16, Games>,
    players: Table,
    tournaments: Table,
    /// Games whose year is not the file's.
    other_years: u64,
}

impl Writer {
    /// Begins files: `path` is a file `.wtb`, or a folder that is there.
    ///
    /// # Errors
    /// The folder has names that belong to other games, which readers would take for those of these games.
    pub fn create(path: &Path) -> io::Result<Writer> {
        let is_folder = path.is_dir();
        let writer = Writer {
            path: path.to_path_buf(),
            is_folder,
            files: BTreeMap::new(),
            players: Table::new(PLAYER_BYTES, "???"),
            tournaments: Table::new(TOURNAMENT_BYTES, "Diverses parties"),
            other_years: 0,
        };
        let [players, tournaments] = writer.names();
        let folder = players.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        for entry in fs::read_dir(folder)? {
            let found = entry?.path();
            let extension = found.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
            let is_names = ["jou", "trn"].iter().any(|name| extension.eq_ignore_ascii_case(name));
            let ours = [&players, &tournaments].iter().any(|path| path.file_name() == found.file_name());
            if is_names && !ours {
                let problem = format!("{} has the names of other games: choose another folder", found.display());
                return Err(io::Error::new(io::ErrorKind::AlreadyExists, problem));
            }
        }
        Ok(writer)
    }

    /// The files of players and of tournaments.
    fn names(&self) -> [PathBuf; 2] {
        if self.is_folder {
            return ["WTHOR.JOU", "WTHOR.TRN"].map(|name| self.path.join(name));
        }
        ["jou", "trn"].map(|extension| self.path.with_extension(extension))
    }

    /// Adds a game.
    ///
    /// # Errors
    /// Those of writing.
    pub fn add(&mut self, record: &GameRecord) -> io::Result<Result<(), NotStorable>> {
        let bytes = match self.record(record) {
            Ok(bytes) => bytes,
            Err(problem) => return Ok(Err(problem)),
        };
        let year = record.year().unwrap_or(0);
        let games = self.games(year)?;
        games.file.write_all(&bytes)?;
        games.count += 1;
        self.other_years += u64::from(games.year != year);
        Ok(Ok(()))
    }

    /// The file for games of a year, begun if need be.
    fn games(&mut self, year: u16) -> io::Result<&mut Games> {
        let key = if self.is_folder { year } else { 0 };
        if !self.files.contains_key(&key) {
            let path = if self.is_folder { self.path.join(format!("WTH_{year:04}.wtb")) } else { self.path.clone() };
            let mut file = BufWriter::new(AtomicFile::create(&path)?);
            file.write_all(&[0; HEADER_BYTES])?;
            self.files.insert(key, Games { file, count: 0, year });
        }
        Ok(self.files.get_mut(&key).expect("it was inserted"))
    }

    /// The 68 bytes of a game.
    fn record(&mut self, record: &GameRecord) -> Result<Vec<u8>, NotStorable> {
        let game = &record.game;
        if *game.start() != Position::default() {
            return Err(NotStorable::OtherGame);
        }
        let numbers = [
            self.tournaments.number(record.event.as_ref().or(record.place.as_ref()).map_or("", String::as_str))?,
            self.players.number(&record.player(Color::Black).name)?,
            self.players.number(&record.player(Color::White).name)?,
        ];
        let mut bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let discs = black_discs(record);
        bytes.extend([discs, discs]);
        let squares: Vec<Square> = game.moves().iter().filter_map(|mv: &Move| mv.square()).collect();
        let turn = squares.first().map_or(0, |&first| to_f5(first));
        bytes.extend(squares.iter().map(|&square| {
            let square = transform_square(square, turn);
            (square.row() + 1) * 10 + square.column() + 1
        }));
        bytes.resize(68, 0);
        Ok(bytes)
    }

    /// Puts all files in their places: the names first, without which games mean nothing. Returns how many games are of
    /// another year than the file they are in. Without a game there are no files: names without games would only keep those of other
    /// games out of the folder.
    ///
    /// # Errors
    /// Those of writing.
    pub fn finish(mut self) -> io::Result<u64> {
        if self.files.is_empty() {
            return Ok(0);
        }
        let [players, tournaments] = self.names();
        self.players.write(&players)?;
        self.tournaments.write(&tournaments)?;
        for games in std::mem::take(&mut self.files).into_values() {
            let mut file = games.file.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&header(games.count, 0, games.year))?;
            file.commit()?;
        }
        Ok(self.other_years)
    }
}

/// The header of a file made today.
fn header(games: u32, names: u16, year: u16) -> [u8; HEADER_BYTES] {
    let (created, month, day) = today();
    let mut bytes = [0; HEADER_BYTES];
    bytes[..4].copy_from_slice(&[(created / 100) as u8, (created % 100) as u8, month, day]);
    bytes[4..8].copy_from_slice(&games.to_le_bytes());
    bytes[8..10].copy_from_slice(&names.to_le_bytes());
    bytes[10..12].copy_from_slice(&year.to_le_bytes());
    bytes[12] = 8;
    bytes
}

/// Year, month and day of the machine's clock (UTC).
fn today() -> (u16, u8, u8) {
    date(SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs()))
}

/// Year, month and day so many seconds after the beginning of 1970.
fn date(seconds: u64) -> (u16, u8, u8) {
    let (year, month, day) = calendar::date(seconds / calendar::DAY);
    (year as u16, month, day)
}

/// Black's discs at the end by the result, empty squares counted for the winner; without a result those on the board.
fn black_discs(record: &GameRecord) -> u8 {
    let position = record.game.position();
    match record.result {
        Some(result) => {
            let score = result.score.unwrap_or(match result.winner {
                Some(Color::Black) => 64.0,
                Some(Color::White) => -64.0,
                None => 0.0,
            });
            (32.0 + score / 2.0).round().clamp(0.0, 64.0) as u8
        }
        None => position.discs(Color::Black).count() as u8,
    }
}

/// The symmetry of the start position that makes this first move f5.
fn to_f5(first: Square) -> usize {
    let f5 = Square::at(5, 4).expect("on the board");
    let fits = |&turn: &usize| Board::START.symmetry(turn) == Board::START && transform_square(first, turn) == f5;
    (0..8).find(fits).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::wthor::Database;
    use crate::formats::{GameResult, read_games, transcript};
    use crate::rules::RuleSet;

    fn record(moves: &str, players: [&str; 2], date: &str) -> GameRecord {
        let mut record = GameRecord::new(transcript::parse(&Position::default(), moves).unwrap());
        for (player, name) in record.players.iter_mut().zip(players) {
            player.name = name.to_string();
        }
        record.event = Some("Cup".to_string());
        record.date = Some(date.to_string());
        record.result = Some(GameResult::from_score(-4.0, Default::default()));
        record
    }

    #[test]
    fn files_are_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.wtb");
        let games = [record("f5d6c3", ["Ann", "André 日"], "1999-05-01"), record("d3c3", ["André 日", ""], "2000")];
        let mut writer = Writer::create(&path).unwrap();
        for game in &games {
            assert_eq!(writer.add(game).unwrap(), Ok(()));
        }
        assert_eq!(writer.finish().unwrap(), 1, "one game is of another year");
        let rules = std::sync::Arc::new(RuleSet::othello());
        let read: Vec<GameRecord> = read_games(&path, &rules).unwrap().map(|game| game.unwrap()).collect();
        assert_eq!(
            read[0],
            GameRecord { date: Some("1999".to_string()), players: read[0].players.clone(), ..games[0].clone() }
        );
        let names: Vec<&str> = read.iter().flat_map(|game| &game.players).map(|player| player.name.as_str()).collect();
        assert_eq!(names, ["Ann", "André ?", "André ?", "???"]);
        // the same game seen from another side
        assert_eq!(transcript::write(&read[1].game), "f5f6");
    }

    /// What no game was written to is empty, and takes the next games.
    #[test]
    fn without_games_there_are_no_files() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path().to_path_buf(), folder.path().join("out.wtb")] {
            let mut writer = Writer::create(&path).unwrap();
            let other = Position::start(std::sync::Arc::new("othello:6x6".parse().unwrap()));
            let refused = writer.add(&GameRecord::new(crate::game::Game::from_position(other))).unwrap();
            assert_eq!(refused, Err(NotStorable::OtherGame));
            assert_eq!(writer.finish().unwrap(), 0);
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        }
        let mut writer = Writer::create(&folder.path().join("next.wtb")).unwrap();
        writer.add(&record("f5", ["a", "b"], "1999")).unwrap().unwrap();
        assert_eq!(writer.finish().unwrap(), 0);
    }

    #[test]
    fn a_folder_gets_a_file_a_year_and_its_names_stay_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = Writer::create(folder.path()).unwrap();
        for year in ["1999", "2001", "1999"] {
            writer.add(&record("f5", ["a", "b"], year)).unwrap().unwrap();
        }
        assert_eq!(writer.finish().unwrap(), 0);
        let database = Database::open(folder.path()).unwrap();
        assert_eq!(
            database.files.iter().map(|(_, file)| (file.header().year, file.len())).collect::<Vec<_>>(),
            [(1999, 2), (2001, 1)]
        );
        let error = Writer::create(&folder.path().join("more.wtb")).err().expect("other names are there").to_string();
        assert!(error.contains("has the names of other games"), "{error}");
    }

    #[test]
    fn what_the_format_cannot_hold_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = Writer::create(&folder.path().join("a.wtb")).unwrap();
        let small: RuleSet = "othello:6x6".parse().unwrap();
        let game = crate::game::Game::new(std::sync::Arc::new(small));
        assert_eq!(writer.add(&GameRecord::new(game)).unwrap(), Err(NotStorable::OtherGame));
        drop(writer);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing stays behind");
    }

    #[test]
    fn dates_follow_the_calendar() {
        // every day of 400 years, after which the calendar begins anew, against a plain count
        let (mut year, mut month, mut day) = (1970u16, 1u8, 1u8);
        for days in 0..146_097u64 {
            for second in [0, 86_399] {
                assert_eq!(date(days * 86_400 + second), (year, month, day));
            }
            let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let length = match month {
                2 => 28 + u8::from(is_leap),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            (month, day) = if day == length { (month + 1, 1) } else { (month, day + 1) };
            if month == 13 {
                (year, month) = (year + 1, 1);
            }
        }
        assert_eq!((year, month, day), (2370, 1, 1));
        // files are of today
        let seconds = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
        let header = header(7, 300, 1999);
        let (year, month, day) = date(seconds);
        let made = [(year / 100) as u8, (year % 100) as u8, month, day];
        assert!(header[..4] == made || date(seconds + 60) != date(seconds), "{header:?}");
        assert_eq!(header[4..], [7, 0, 0, 0, 44, 1, 207, 7, 8, 0, 0, 0]);
    }
}
