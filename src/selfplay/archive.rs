//! The file that games are appended to.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::error::SelfplayError;
use super::game::GameRecord;
use super::reader::{Header, Reader};

/// A self-play file open for more games. It is locked against a second writer while it is open.
#[derive(Debug)]
pub struct Archive {
    path: PathBuf,
    file: File,
    /// By index: the file has this game.
    finished: Vec<bool>,
    games: u64,
    positions: u64,
}

impl Archive {
    /// Opens or makes the file of the games that `header` describes. What a kill left incomplete is cut off.
    ///
    /// # Errors
    /// [`SelfplayError`]: the file cannot be used, has other games, or another process writes to it.
    pub fn open(path: &Path, header: &Header) -> Result<Archive, SelfplayError> {
        let io = |source| SelfplayError::Io { path: path.to_path_buf(), source };
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(io)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(SelfplayError::InUse(path.to_path_buf())),
            // a file system without locks: the file is as safe as the user is careful
            Err(TryLockError::Error(error)) => log::warn!("{}: not locked: {error}", path.display()),
        }
        let mut archive = Archive {
            path: path.to_path_buf(),
            file: file.try_clone().map_err(io)?,
            finished: Vec::new(),
            games: 0,
            positions: 0,
        };
        let end = match Reader::from_file(file.try_clone().map_err(io)?, path)? {
            // killed before the header was complete: nothing is lost
            None => 0,
            Some(reader) => {
                compare(path, reader.header(), header)?;
                archive.take_stock(reader)?
            }
        };
        file.set_len(end).map_err(io)?;
        file.seek(SeekFrom::Start(end)).map_err(io)?;
        if end == 0 {
            file.write_all(&header.to_bytes()).map_err(io)?;
        }
        archive.file = file;
        Ok(archive)
    }

    /// Notes the games that are there; returns where they end.
    fn take_stock(&mut self, mut reader: Reader) -> Result<u64, SelfplayError> {
        for game in &mut reader {
            self.note(&game?);
        }
        Ok(reader.offset())
    }

    fn note(&mut self, game: &GameRecord) {
        let index = game.index as usize;
        if self.finished.len() <= index {
            self.finished.resize(index + 1, false);
        }
        self.finished[index] = true;
        self.games += 1;
        self.positions += (game.plies.len() - game.opening_plies as usize) as u64;
    }

    /// Games in the file.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Positions with a label in the file.
    pub fn positions(&self) -> u64 {
        self.positions
    }

    /// The indices below `games` that are not in the file.
    pub fn missing(&self, games: u32) -> Vec<u32> {
        (0..games).filter(|&index| self.finished.get(index as usize) != Some(&true)).collect()
    }

    /// Appends a game, in one write: a kill leaves it whole, or incomplete at the end.
    ///
    /// # Errors
    /// [`SelfplayError::Io`], for instance when the disc is full.
    pub fn append(&mut self, game: &GameRecord) -> Result<(), SelfplayError> {
        let io = |source: io::Error| SelfplayError::Io { path: self.path.clone(), source };
        self.file.write_all(&game.to_bytes()).map_err(io)?;
        self.note(game);
        Ok(())
    }
}

/// The games of the file must have been made as those to come.
fn compare(path: &Path, saved: &Header, asked: &Header) -> Result<(), SelfplayError> {
    let fields = |header: &Header| {
        let seed = ("seed".to_string(), header.seed.to_string());
        let named = header.settings.lines().map(|line| {
            let (name, value) = line.split_once('=').unwrap_or((line, ""));
            (name.to_string(), value.to_string())
        });
        std::iter::once(seed).chain(named).collect::<Vec<_>>()
    };
    let (saved, asked) = (fields(saved), fields(asked));
    let find = |fields: &[(String, String)], name: &str| {
        fields.iter().find(|field| field.0 == name).map_or("nothing".to_string(), |field| format!("'{}'", field.1))
    };
    for (field, _) in asked.iter().chain(&saved) {
        let (old, new) = (find(&saved, field), find(&asked, field));
        if old != new {
            let (path, field) = (path.to_path_buf(), field.clone());
            return Err(SelfplayError::Different { path, field, saved: old, asked: new });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::selfplay::game::tests::random_game;

    fn header() -> Header {
        Header { seed: 5, settings: "depth=6\nexact=14\n".to_string() }
    }

    /// A file with games 0, 1 and 3 in a folder of its own, and their lengths.
    fn three_games() -> (tempfile::TempDir, PathBuf, Vec<usize>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.osp");
        let mut archive = Archive::open(&path, &header()).unwrap();
        let games = [0, 1, 3].map(random_game);
        games.iter().for_each(|game| archive.append(game).unwrap());
        (folder, path, games.iter().map(|game| game.to_bytes().len()).collect())
    }

    #[test]
    fn cut_anywhere_it_goes_on() {
        let (_folder, path, lengths) = three_games();
        let whole = fs::read(&path).unwrap();
        let start = header().to_bytes().len();
        let ends: Vec<usize> = lengths
            .iter()
            .scan(start, |end, length| {
                *end += length;
                Some(*end)
            })
            .collect();
        assert_eq!(ends[2], whole.len());
        for cut in 0..=whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            let mut archive = Archive::open(&path, &header()).unwrap();
            let left = ends.iter().filter(|&&end| end <= cut).count();
            assert_eq!(archive.games(), left as u64, "cut at {cut}");
            for index in archive.missing(4).into_iter().filter(|&index| index != 2) {
                archive.append(&random_game(index)).unwrap();
            }
            assert_eq!(archive.missing(5), [2, 4]);
            assert_eq!(fs::read(&path).unwrap(), whole, "cut at {cut}");
        }
    }

    #[test]
    fn damage_in_the_middle_is_an_error() {
        let (_folder, path, _) = three_games();
        let mut bytes = fs::read(&path).unwrap();
        let at = header().to_bytes().len();
        bytes[at + 30] ^= 1;
        fs::write(&path, &bytes).unwrap();
        let message = Archive::open(&path, &header()).unwrap_err().to_string();
        assert!(message.contains(&format!("damaged at byte {at}: the checksum of the game")), "{message}");
        // nothing was cut off
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }

    #[test]
    fn other_files_are_refused_and_kept() {
        let (_folder, path, _) = three_games();
        let message = |header: &Header| Archive::open(&path, header).unwrap_err().to_string();
        let other = Header { seed: 6, ..header() };
        assert!(message(&other).ends_with("cannot go on, seed was '5' then and is '6' now"), "{}", message(&other));
        let other = Header { settings: "depth=8\nexact=14\n".to_string(), ..header() };
        assert!(message(&other).ends_with("depth was '6' then and is '8' now"), "{}", message(&other));
        let other = Header { settings: "depth=6\n".to_string(), ..header() };
        assert!(message(&other).ends_with("exact was '14' then and is nothing now"), "{}", message(&other));
        let open = Archive::open(&path, &header()).unwrap();
        assert!(message(&header()).contains("is in use"), "{}", message(&header()));
        drop(open);
        let mut newer = header().to_bytes();
        newer[8] = 9;
        for (bytes, expected) in [
            (&b"hello"[..], "not an Outflank self-play file"),
            (&newer, "self-play file format 9, this program reads format 1"),
        ] {
            fs::write(&path, bytes).unwrap();
            assert!(message(&header()).contains(expected), "{}", message(&header()));
            assert_eq!(fs::read(&path).unwrap(), bytes);
        }
    }

    #[test]
    fn readers_see_what_is_complete() {
        let (_folder, path, _) = three_games();
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        let reader = Reader::open(&path).unwrap();
        assert_eq!(reader.header(), &header());
        let games: Vec<GameRecord> = reader.map(Result::unwrap).collect();
        assert_eq!(games, [0, 1].map(random_game));
        fs::write(&path, &whole[..20]).unwrap();
        assert!(Reader::open(&path).unwrap_err().to_string().contains("ends within its header"));
    }
}
