//! Writing WTHOR: games, players and tournaments.
//!
//! Games go into one file, or into a folder with a file a year; the names of players and tournaments go into files beside them.
//! A game without an event has its place for it. Names are cut to 19 and 25 bytes of Latin-1, other characters become `?`; how
//! many were changed by that, and how many are the same since, is in [`Losses`]. Where a file of names is there already, it is
//! gone on with: games of other files in the folder keep theirs. As everywhere in the database the first move is f5: games that
//! begin otherwise are turned. The theoretical score of a record is its result (the header says: at 0 empty squares); those that
//! other files had are counted among what is lost. A win whose score is not known counts as one of all discs; a game without a
//! result is refused, since a record has no way to say so.
//! Clocks, ratings and remarks have no place in the format.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::HEADER_BYTES;
use super::database::{PLAYER_BYTES, TOURNAMENT_BYTES};
use super::table::Table;
use crate::board::{Board, Square, transform_square};
use crate::formats::atomic::{AtomicFile, folder};
use crate::formats::calendar;
use crate::formats::record::{Ending, GameRecord};
use crate::rules::{Color, Move, Position};
use crate::time::SystemTime;

/// Why a game cannot be kept in a WTHOR file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotStorable {
    /// The rules or the start position.
    #[error("WTHOR holds games of othello from the start, on 8x8 only")]
    OtherGame,
    /// A record must say how a game ended.
    #[error("WTHOR holds games with a result only, and this one has none")]
    NoResult,
    /// More players or tournaments than the format can number.
    #[error("WTHOR holds at most 65,535 names")]
    Names,
}

/// What the files could not keep.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Losses {
    /// Games of another year than the file they are in.
    pub other_years: u64,
    /// Names of players and tournaments that were cut or have other characters.
    pub altered_names: u64,
    /// Names among them (or cut so before) that are the same as another one of these games now.
    pub merged_names: u64,
}

/// The games of one file.
#[derive(Debug)]
struct Games {
    file: BufWriter<AtomicFile>,
    count: u32,
    year: u16,
}

/// Writes WTHOR files, which appear when all games are there.
#[derive(Debug)]
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
    /// [`io::ErrorKind::Unsupported`] for what is there and is neither, such as a pipe: how many games there are stands in front of
    /// them, and names lie beside them; also for what leads to a file but is a name of the system's (`/dev/stdout`), for where names
    /// would lie then. The folder has names that belong to other games, which readers would take for those of these
    /// games; or games without names, which would get those of these games; or names that cannot be read.
    pub fn create(path: &Path) -> io::Result<Writer> {
        let is_folder = path.is_dir();
        if path.exists() && !is_folder && !path.is_file() {
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "WTHOR needs a file or a folder, and this is neither",
            ));
        }
        if is_of_system(path) {
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "WTHOR has files of names beside the games: it needs the file's own name",
            ));
        }
        let names = name_files(path, is_folder);
        check_folder(path, &names)?;
        let [players, tournaments] = &names;
        Ok(Writer {
            path: path.to_path_buf(),
            is_folder,
            files: BTreeMap::new(),
            players: Table::open(players, PLAYER_BYTES, "???").map_err(io::Error::other)?,
            tournaments: Table::open(tournaments, TOURNAMENT_BYTES, "Diverses parties").map_err(io::Error::other)?,
            other_years: 0,
        })
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
        let discs = black_discs(record).ok_or(NotStorable::NoResult)?;
        let numbers = [
            self.tournaments.number(record.event.as_ref().or(record.place.as_ref()).map_or("", String::as_str))?,
            self.players.number(&record.player(Color::Black).name)?,
            self.players.number(&record.player(Color::White).name)?,
        ];
        let mut bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
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

    /// Puts all files in their places: the names first, without which games mean nothing. Returns what they could not keep.
    /// Without a game there are no files: names without games would only keep those of other games out of the folder.
    ///
    /// # Errors
    /// Those of writing.
    pub fn finish(mut self) -> io::Result<Losses> {
        if self.files.is_empty() {
            return Ok(Losses::default());
        }
        let names = name_files(&self.path, self.is_folder);
        // another program may have been here meanwhile: its games would get the wrong names
        check_folder(&self.path, &names)?;
        let [players, tournaments] = names;
        for (table, path) in [(&self.players, &players), (&self.tournaments, &tournaments)] {
            if !table.is_as_opened(path)? {
                let problem =
                    format!("{} has been changed by another program meanwhile: convert again", path.display());
                return Err(io::Error::new(io::ErrorKind::AlreadyExists, problem));
            }
        }
        let mut files = vec![self.players.write(&players)?, self.tournaments.write(&tournaments)?];
        for games in std::mem::take(&mut self.files).into_values() {
            let mut file = games.file.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&header(games.count, 0, games.year))?;
            file.sync()?;
            files.push(file);
        }
        // a full disc has been noticed by now: names without games would keep those of others out of the folder
        files.into_iter().try_for_each(AtomicFile::commit)?;
        let [players, tournaments] = [&self.players, &self.tournaments].map(Table::losses);
        Ok(Losses {
            other_years: self.other_years,
            altered_names: players[0] + tournaments[0],
            merged_names: players[1] + tournaments[1],
        })
    }
}

/// Among the names of devices and of open files, which may lead to a file (`/dev/stdout`, `/dev/fd/1`): nothing lies beside them.
fn is_of_system(path: &Path) -> bool {
    let folder = folder(path).canonicalize().unwrap_or_default();
    folder.starts_with("/proc") || ["/dev", "/dev/fd"].iter().any(|name| folder == Path::new(name))
}

/// The files of players and of tournaments.
fn name_files(path: &Path, is_folder: bool) -> [PathBuf; 2] {
    if is_folder {
        return ["WTHOR.JOU", "WTHOR.TRN"].map(|name| path.join(name));
    }
    ["jou", "trn"].map(|extension| path.with_extension(extension))
}

/// Refuses a folder in which names and games would be taken for each other's.
fn check_folder(path: &Path, names: &[PathBuf; 2]) -> io::Result<()> {
    let mut others = Vec::new();
    for entry in fs::read_dir(folder(&names[0]))? {
        let found = entry?.path();
        if ![path, &names[0], &names[1]].iter().any(|path| path.file_name() == found.file_name()) {
            others.push(found);
        }
    }
    others.sort();
    let first = |extensions: &[&str]| {
        let is = |path: &&PathBuf| {
            let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
            extensions.iter().any(|name| extension.eq_ignore_ascii_case(name))
        };
        others.iter().find(is)
    };
    let have_names = names.iter().all(|path| path.exists());
    let (found, problem) = match (first(&["jou", "trn"]), first(&["wtb"])) {
        (Some(found), _) => (found, "has the names of other games"),
        (None, Some(found)) if !have_names => (found, "has games without names, which would get those of these games"),
        _ => return Ok(()),
    };
    let problem = format!("{} {problem}: choose another folder", found.display());
    Err(io::Error::new(io::ErrorKind::AlreadyExists, problem))
}

/// The header of a file made today.
pub(super) fn header(games: u32, names: u16, year: u16) -> [u8; HEADER_BYTES] {
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

/// Black's discs at the end by the result, empty squares counted for the winner; `None` without a result.
fn black_discs(record: &GameRecord) -> Option<u8> {
    let result = record.result?;
    let score = result.score_or_all(64);
    let position = record.game.position();
    let [with_empties, discs_only] = [false, true].map(|discs_only| f64::from(position.final_score(discs_only)));
    // a count of the discs alone, as other formats have it
    let is_count = position.is_game_over() && result.ending == Ending::Played && score == discs_only;
    let score = if is_count { with_empties } else { score };
    // away from the middle: a win by less than two discs is no draw
    let lead = (score / 2.0).abs().ceil().copysign(score);
    Some((32.0 + lead).clamp(0.0, 64.0) as u8)
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
        let losses = writer.finish().unwrap();
        assert_eq!(losses, Losses { other_years: 1, altered_names: 1, merged_names: 0 });
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
            assert_eq!(writer.finish().unwrap(), Losses::default());
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        }
        let mut writer = Writer::create(&folder.path().join("next.wtb")).unwrap();
        writer.add(&record("f5", ["a", "b"], "1999")).unwrap().unwrap();
        assert_eq!(writer.finish().unwrap(), Losses::default());
    }

    /// A pipe or a device, which was written to until the number of games was to go in front of them.
    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_refused_at_once() {
        let error = Writer::create(Path::new("/dev/null")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::Unsupported);
        assert!(error.to_string().contains("a file or a folder"), "{error}");
    }

    #[test]
    fn a_folder_gets_a_file_a_year_and_its_names_stay_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = Writer::create(folder.path()).unwrap();
        for year in ["1999", "2001", "1999"] {
            writer.add(&record("f5", ["a", "b"], year)).unwrap().unwrap();
        }
        assert_eq!(writer.finish().unwrap(), Losses::default());
        let database = Database::open(folder.path()).unwrap();
        assert_eq!(
            database.files.iter().map(|(_, file)| (file.header().year, file.len())).collect::<Vec<_>>(),
            [(1999, 2), (2001, 1)]
        );
        let error = Writer::create(&folder.path().join("more.wtb")).expect_err("other names are there").to_string();
        assert!(error.contains("has the names of other games"), "{error}");
    }

    fn write(path: &Path, games: &[GameRecord]) -> Losses {
        let mut writer = Writer::create(path).unwrap();
        for game in games {
            assert_eq!(writer.add(game).unwrap(), Ok(()));
        }
        writer.finish().unwrap()
    }

    fn players(path: &Path) -> Vec<String> {
        let rules = std::sync::Arc::new(RuleSet::othello());
        let names = |game: GameRecord| game.players.map(|player| player.name).join(" - ");
        read_games(path, &rules).unwrap().map(|game| names(game.unwrap())).collect()
    }

    /// Games that were there before keep their names, whoever plays in those that come.
    #[test]
    fn names_that_are_there_are_gone_on_with() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &[record("f5", ["Ann", "Bob"], "1999"), record("f5", ["Eve", "Bob"], "2000")]);
        let table = fs::read(folder.path().join("WTHOR.JOU")).unwrap();
        write(folder.path(), &[record("f5", ["Zoe", "Bob"], "2001"), record("f5", ["Yan", "Eve"], "2000")]);
        assert_eq!(players(folder.path()), ["Ann - Bob", "Yan - Eve", "Zoe - Bob"]);
        // numbers that were given stay, so that a run that is killed does no harm
        let longer = fs::read(folder.path().join("WTHOR.JOU")).unwrap();
        assert_eq!(longer[HEADER_BYTES..table.len()], table[HEADER_BYTES..]);
        // a file beside others
        let folder = tempfile::tempdir().unwrap();
        let [a, b] = ["a.wtb", "b.wtb"].map(|name| folder.path().join(name));
        write(&a, &[record("f5", ["Ann", "Bob"], "1999")]);
        fs::rename(&a, &b).unwrap();
        write(&a, &[record("f5", ["Zoe", "Ann"], "1999")]);
        assert_eq!((players(&a), players(&b)), (vec!["Zoe - Ann".to_string()], vec!["Ann - Bob".to_string()]));
        // damaged names are no names to go on with
        fs::write(folder.path().join("a.jou"), &longer[..50]).unwrap();
        let error = Writer::create(&a).expect_err("damaged").to_string();
        assert!(error.contains("a.jou: truncated file"), "{error}");
    }

    /// Two programs that write into one folder at the same time would give each other's games wrong names.
    #[test]
    fn names_that_change_meanwhile_are_noticed() {
        let folder = tempfile::tempdir().unwrap();
        for _ in 0..2 {
            let mut late = Writer::create(folder.path()).unwrap();
            late.add(&record("f5", ["Ann", "Bob"], "1999")).unwrap().unwrap();
            write(folder.path(), &[record("f5", ["Zoe", "Yan"], "2001"), record("f5", ["Ann", "Una"], "2002")]);
            let before = players(folder.path());
            match late.finish() {
                Ok(_) => assert_eq!(players(folder.path())[1..], before[..], "they were the same"),
                Err(problem) => {
                    assert!(problem.to_string().contains("changed by another program"), "{problem}");
                    assert_eq!(players(folder.path()), before);
                }
            }
        }
        assert_eq!(players(folder.path()), ["Ann - Bob", "Zoe - Yan", "Ann - Una"], "the second time nothing changed");
    }

    /// Names would be taken for those of games that have none.
    #[test]
    fn games_without_names_get_none() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("WTH_1979.wtb"), "").unwrap();
        for path in [folder.path().to_path_buf(), folder.path().join("x.wtb")] {
            let error = Writer::create(&path).expect_err("games are there").to_string();
            assert!(error.contains("WTH_1979.wtb has games without names"), "{error}");
        }
        // the games that are replaced are no such games
        assert!(Writer::create(&folder.path().join("WTH_1979.wtb")).is_ok());
    }

    #[test]
    fn names_that_are_changed_or_become_equal_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let long = ["Maximilian von Hohenstein", "Maximilian von Hohenzollern"];
        let games = [
            record("f5", ["中島哲也", "高梨悠介"], "1999"),
            record("f5", long, "1999"),
            record("f5", ["Ann", "Ann "], "1999"),
            record("f5", long, "1999"),
        ];
        let losses = Losses { other_years: 0, altered_names: 4, merged_names: 2 };
        for _ in 0..2 {
            assert_eq!(write(&folder.path().join("a.wtb"), &games), losses, "names are counted by the games of a run");
        }
        assert_eq!(write(&folder.path().join("a.wtb"), &games[2..3]), Losses::default());
        // cut at a blank
        let cut = [record("f5", ["Abcdefghijklmnopqr", "Abcdefghijklmnopqr xyz"], "1999")];
        for _ in 0..2 {
            let losses = write(&folder.path().join("a.wtb"), &cut);
            assert_eq!(losses, Losses { other_years: 0, altered_names: 1, merged_names: 1 });
        }
    }

    /// A record says how the game ended, in discs with the empty squares.
    #[test]
    fn results_are_those_of_the_games() {
        const SHORTEST: &str = "e6f4e3f6g5d6e7f5c5";
        let discs = |moves: &str, result: Option<GameResult>| {
            black_discs(&GameRecord { result, ..record(moves, ["a", "b"], "1999") })
        };
        let scored = |score, ending| Some(GameResult::from_score(score, ending));
        // a count of discs alone
        assert_eq!(discs(SHORTEST, scored(13.0, Ending::Played)), Some(64));
        assert_eq!(discs(SHORTEST, scored(64.0, Ending::Played)), Some(64));
        // other results stay what they are, wrong ones too
        assert_eq!(discs(SHORTEST, scored(12.0, Ending::Played)), Some(38));
        assert_eq!(discs("f5d6", scored(-12.0, Ending::Resignation)), Some(26));
        assert_eq!(discs("f5d6", scored(0.0, Ending::Played)), Some(32));
        let won = GameResult { winner: Some(Color::White), score: None, ending: Ending::Time };
        assert_eq!(discs("f5d6", Some(won)), Some(0));
        // two discs at least between both sides: who has won stays
        for (score, expected) in [(1.0, 33), (-1.0, 31), (0.5, 33), (-0.5, 31), (3.0, 34), (-3.0, 30), (-63.0, 0)] {
            assert_eq!(discs("f5d6", scored(score, Ending::Time)), Some(expected), "{score}");
        }
        assert_eq!(discs("f5d6", None), None);
    }

    #[test]
    fn what_the_format_cannot_hold_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = Writer::create(&folder.path().join("a.wtb")).unwrap();
        let small: RuleSet = "othello:6x6".parse().unwrap();
        let game = crate::game::Game::new(std::sync::Arc::new(small));
        assert_eq!(writer.add(&GameRecord::new(game)).unwrap(), Err(NotStorable::OtherGame));
        let unfinished = GameRecord { result: None, ..record("f5", ["a", "b"], "1999") };
        assert_eq!(writer.add(&unfinished).unwrap(), Err(NotStorable::NoResult));
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
