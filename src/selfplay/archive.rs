//! The file that games are appended to.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::error::SelfplayError;
use super::game::GameRecord;
use super::reader::{Header, Reader};
use crate::formats::atomic::{AtomicFile, sync_folder_of, try_lock};

/// A power failure costs the games of this time at most. Syncing waits for the disc, so not every game is worth it.
const SYNC_INTERVAL: Duration = Duration::from_secs(10);

/// A self-play file open for more games. It is locked against a second writer while it is open.
#[derive(Debug)]
pub struct Archive {
    path: PathBuf,
    header: Header,
    file: File,
    /// Length of the file without what a failed write may have left behind its last game.
    end: u64,
    /// What could not be written stands behind the last game, and could not be cut off.
    torn: bool,
    /// When the games were last known to be on the disc.
    synced: Instant,
    finished: Indices,
    games: u64,
    positions: u64,
}

/// A set of game numbers, in pieces of 512. The numbers come from a file that anybody may have written: each takes at
/// most the memory of a piece, about as much as its game takes in the file, however large it is.
#[derive(Debug, Default)]
struct Indices(BTreeMap<u32, [u64; 8]>);

impl Indices {
    fn place(index: u32) -> (u32, usize, u64) {
        (index / 512, (index % 512 / 64) as usize, 1 << (index % 64))
    }

    fn insert(&mut self, index: u32) {
        let (piece, word, bit) = Indices::place(index);
        self.0.entry(piece).or_default()[word] |= bit;
    }

    fn contains(&self, index: u32) -> bool {
        let (piece, word, bit) = Indices::place(index);
        self.0.get(&piece).is_some_and(|words| words[word] & bit != 0)
    }
}

/// All of a file is the beginning of this header.
fn is_begun(mut file: &File, header: &Header) -> io::Result<bool> {
    let header = header.to_bytes();
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(header.len() as u64 + 1).read_to_end(&mut bytes)?;
    Ok(header.starts_with(&bytes))
}

impl Archive {
    /// Opens or makes the file of the games that `header` describes. What a kill left incomplete is cut off.
    ///
    /// # Errors
    /// [`SelfplayError`]: the file cannot be used, has other games, or another process writes to it.
    pub fn open(path: &Path, header: &Header) -> Result<Archive, SelfplayError> {
        let io = |source| SelfplayError::Io { path: path.to_path_buf(), source };
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(io)?;
        // what is read from a pipe or a device would not end
        if !file.metadata().map_err(io)?.is_file() {
            return Err(io(io::Error::new(io::ErrorKind::InvalidInput, "not a plain file")));
        }
        if !try_lock(&file, path) {
            return Err(SelfplayError::InUse(path.to_path_buf()));
        }
        let mut archive = Archive {
            path: path.to_path_buf(),
            header: header.clone(),
            file: file.try_clone().map_err(io)?,
            end: 0,
            torn: false,
            synced: Instant::now(),
            finished: Indices::default(),
            games: 0,
            positions: 0,
        };
        let end = match Reader::from_file(file.try_clone().map_err(io)?, path)? {
            // killed before the header was complete: nothing is lost
            None if is_begun(&file, header).map_err(io)? => 0,
            None => {
                let what = "it ends within its header, which is not that of these games";
                return Err(SelfplayError::Damaged { path: path.to_path_buf(), offset: 0, what });
            }
            Some(reader) => {
                compare(path, reader.header(), header)?;
                archive.take_stock(reader)?
            }
        };
        file.set_len(end).map_err(io)?;
        file.seek(SeekFrom::Start(end)).map_err(io)?;
        (archive.file, archive.end) = (file, end);
        if end == 0 {
            archive.write(&header.to_bytes())?;
            archive.sync()?;
            // the file itself must be found again
            sync_folder_of(path).map_err(io)?;
        }
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
        self.finished.insert(game.index);
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

    /// Games that `header` describes are games of this file: a game alone does not say how it was made.
    ///
    /// # Errors
    /// [`SelfplayError::Different`] names the first setting that differs.
    pub fn expect(&self, header: &Header) -> Result<(), SelfplayError> {
        compare(&self.path, &self.header, header)
    }

    /// The indices below `games` that are not in the file.
    pub fn missing(&self, games: u32) -> Vec<u32> {
        (0..games).filter(|&index| !self.finished.contains(index)).collect()
    }

    /// Appends a game, in one write: a kill leaves it whole, or incomplete at the end. What a failed write leaves is cut
    /// off, so that the next game can follow. One with an index that is there already is left out. Now and then the games are
    /// [synced](Archive::sync).
    ///
    /// # Errors
    /// [`SelfplayError::Io`], for instance when the disc is full; [`SelfplayError::Unsound`] for moves that cannot be played, a wrong
    /// result, and what the format has no place for.
    pub fn append(&mut self, game: &GameRecord) -> Result<(), SelfplayError> {
        if self.finished.contains(game.index) {
            return Ok(());
        }
        let bytes = game.to_bytes();
        let unsound = |what| SelfplayError::Unsound { path: self.path.clone(), index: game.index, what };
        match GameRecord::all_from_bytes(&bytes).map_err(unsound)?.as_slice() {
            [read] if read == game => {}
            _ => return Err(unsound("the format has no place for all of it")),
        }
        self.write(&bytes)?;
        self.note(game);
        if self.synced.elapsed() >= SYNC_INTERVAL { self.sync() } else { Ok(()) }
    }

    /// Waits until all games are on the disc. To be called at the end; whatever happens to the machine after that, they
    /// are there.
    ///
    /// # Errors
    /// [`SelfplayError::Io`]: the disc does not take them.
    pub fn sync(&mut self) -> Result<(), SelfplayError> {
        self.synced = Instant::now();
        self.file.sync_data().map_err(|source| SelfplayError::Io { path: self.path.clone(), source })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), SelfplayError> {
        let result = if self.torn { self.cut() } else { Ok(()) }.and_then(|()| self.file.write_all(bytes));
        match result {
            Ok(()) => {
                self.end += bytes.len() as u64;
                Ok(())
            }
            Err(source) => {
                self.torn = self.cut().is_err();
                Err(SelfplayError::Io { path: self.path.clone(), source })
            }
        }
    }

    /// Removes what stands behind the last game.
    fn cut(&mut self) -> io::Result<()> {
        self.file.set_len(self.end)?;
        self.file.seek(SeekFrom::Start(self.end))?;
        self.torn = false;
        Ok(())
    }
}

/// Puts the games of a finished file in the order of their numbers: the order in which they were finished depends on how
/// busy the machine was, and sums over them with it. The games are in memory meanwhile.
/// The file is the old one or the new one, whatever happens.
///
/// # Errors
/// [`SelfplayError`]: it cannot be read or written.
pub fn sort(path: &Path) -> Result<(), SelfplayError> {
    let io = |source| SelfplayError::Io { path: path.to_path_buf(), source };
    let reader = Reader::open(path)?;
    let header = reader.header().clone();
    let mut games = reader.collect::<Result<Vec<GameRecord>, _>>()?;
    if games.is_sorted_by(|a, b| a.index < b.index) {
        return Ok(());
    }
    games.sort_by_key(|game| game.index);
    let mut file = AtomicFile::create(path).map_err(io)?;
    file.write_all(&header.to_bytes()).map_err(io)?;
    games.iter().try_for_each(|game| file.write_all(&game.to_bytes())).map_err(io)?;
    file.commit().map_err(io)
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
    use crate::selfplay::Kind;
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

    /// It would count twice in whatever is trained with it.
    #[test]
    fn a_game_is_there_once() {
        let (_folder, path, _) = three_games();
        let whole = fs::read(&path).unwrap();
        let mut archive = Archive::open(&path, &header()).unwrap();
        let before = (archive.games(), archive.positions());
        archive.append(&random_game(1)).unwrap();
        assert_eq!((archive.games(), archive.positions()), before);
        for _ in 0..2 {
            archive.append(&random_game(2)).unwrap();
        }
        assert_eq!((archive.games(), archive.missing(5)), (4, vec![4]));
        assert_eq!(fs::read(&path).unwrap(), [whole, random_game(2).to_bytes()].concat());
    }

    #[test]
    fn sorted_files_have_their_games_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.osp");
        let mut archive = Archive::open(&path, &header()).unwrap();
        [3, 0, 1].map(random_game).iter().for_each(|game| archive.append(game).unwrap());
        drop(archive);
        sort(&path).unwrap();
        let sorted = fs::read(&path).unwrap();
        let games: Vec<GameRecord> = Reader::open(&path).unwrap().map(Result::unwrap).collect();
        assert_eq!(games, [0, 1, 3].map(random_game));
        sort(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), sorted);
        // and go on as before
        assert_eq!(Archive::open(&path, &header()).unwrap().missing(5), [2, 4]);
    }

    #[test]
    fn large_numbers_take_no_memory() {
        let (_folder, path, _) = three_games();
        let mut archive = Archive::open(&path, &header()).unwrap();
        let numbers = [511, 512, 0xFFFF_FFF0, u32::MAX];
        numbers.iter().for_each(|&index| archive.append(&random_game(index)).unwrap());
        drop(archive);
        let archive = Archive::open(&path, &header()).unwrap();
        // pieces of 64 bytes instead of 4.2 GB of flags
        assert_eq!(archive.finished.0.len(), 3);
        assert!(numbers.iter().all(|&index| archive.finished.contains(index)));
        assert_eq!(archive.missing(514), [vec![2], (4..511).collect(), vec![513]].concat());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_write_that_fails_leaves_no_torn_game_behind() {
        let (_folder, path, _) = three_games();
        let whole = fs::read(&path).unwrap();
        let mut archive = Archive::open(&path, &header()).unwrap();
        let file = std::mem::replace(&mut archive.file, OpenOptions::new().write(true).open("/dev/full").unwrap());
        assert!(archive.append(&random_game(2)).is_err());
        // the device cannot be cut: as with a file that lost its disc, nothing more is written before that works
        assert!(archive.torn && archive.append(&random_game(2)).is_err());
        archive.file = file;
        archive.file.write_all(b"half a game").unwrap();
        archive.append(&random_game(2)).unwrap();
        assert_eq!(archive.missing(5), [4]);
        assert_eq!(fs::read(&path).unwrap(), [&whole[..], &random_game(2).to_bytes()].concat());
    }

    #[test]
    fn games_that_readers_would_refuse_are_not_appended() {
        let (_folder, path, _) = three_games();
        let before = fs::read(&path).unwrap();
        let mut archive = Archive::open(&path, &header()).unwrap();
        let good = random_game(2);
        let with = |change: fn(&mut GameRecord)| {
            let mut game = good.clone();
            change(&mut game);
            game
        };
        for (bad, what) in [
            (with(|game| game.plies.clear()), "this number of plies"),
            (with(|game| game.plies = game.plies.repeat(2)), "this number of plies"),
            (with(|game| game.result += 1), "an illegal move or a wrong result"),
            (with(|game| game.plies[0].square = game.plies[40].square), "an illegal move or a wrong result"),
            (with(|game| game.opening_plies = 200), "another opening than it says"),
            (with(|game| game.plies[40].kind = Kind::Search { depth: 65, selective: false }), "no place for all of it"),
        ] {
            let error = archive.append(&bad).unwrap_err().to_string();
            assert!(error.contains("game 2 cannot be appended: ") && error.contains(what), "{error}");
        }
        assert_eq!((archive.games(), fs::read(&path).unwrap()), (3, before));
        archive.append(&good).unwrap();
        assert_eq!(Reader::open(&path).unwrap().map(Result::unwrap).last(), Some(good));
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
        open.expect(&header()).unwrap();
        let message_of_games = open.expect(&Header { seed: 6, ..header() }).unwrap_err().to_string();
        assert!(message_of_games.ends_with("seed was '5' then and is '6' now"), "{message_of_games}");
        assert!(message(&header()).contains("is in use"), "{}", message(&header()));
        drop(open);
        let mut newer = header().to_bytes();
        newer[8] = 9;
        // its length says that the header goes on beyond the end of the file
        let mut longer = fs::read(&path).unwrap();
        longer[21] = 0xFF;
        for (bytes, expected) in [
            (&b"hello"[..], "not an Outflank self-play file"),
            (&newer, "self-play file format 9, this program reads format 1"),
            (&longer, "damaged at byte 0: it ends within its header, which is not that of these games"),
            (&other.to_bytes()[..30], "which is not that of these games"),
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
