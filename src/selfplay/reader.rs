//! Reading self-play files.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::error::SelfplayError;
use super::game::{BadRecord, GameRecord, MAX_BYTES};
use crate::checksum::crc32;
use crate::formats::atomic::SELFPLAY as MAGIC;

/// Version of the format.
pub(super) const VERSION: u32 = 1;
/// Bytes before the settings.
const FIXED: usize = 24;
/// Settings are a few lines; more is damage.
const MAX_SETTINGS: usize = 1 << 16;

/// How the games of a file were made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The seed of the games.
    pub seed: u64,
    /// `name=value`, one a line.
    pub settings: String,
}

impl Header {
    /// The bytes at the beginning of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&self.seed.to_le_bytes());
        bytes.extend_from_slice(&(self.settings.len() as u32).to_le_bytes());
        bytes.extend_from_slice(self.settings.as_bytes());
        let crc = crc32(&bytes);
        bytes.extend_from_slice(&crc.to_le_bytes());
        bytes
    }

    /// Reads a header; `Ok(None)` when `source` ends before it does.
    fn read(source: &mut impl Read, path: &Path) -> Result<Option<(Header, u64)>, SelfplayError> {
        let io = |source| SelfplayError::Io { path: path.to_path_buf(), source };
        let damaged = |what| SelfplayError::Damaged { path: path.to_path_buf(), offset: 0, what };
        let mut bytes = vec![0; FIXED];
        let got = read_up_to(source, &mut bytes).map_err(io)?;
        let known = got.min(MAGIC.len());
        if bytes[..known] != MAGIC[..known] {
            return Err(SelfplayError::Foreign(path.to_path_buf()));
        }
        if got < FIXED {
            return Ok(None);
        }
        let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        match number(8) {
            VERSION => {}
            found => return Err(SelfplayError::Version { path: path.to_path_buf(), found }),
        }
        let seed = u64::from_le_bytes(bytes[12..20].try_into().expect("eight bytes"));
        let length = number(20) as usize;
        if length > MAX_SETTINGS {
            return Err(damaged("its header is too long"));
        }
        let end = FIXED + length;
        bytes.resize(end + 4, 0);
        if read_up_to(source, &mut bytes[FIXED..]).map_err(io)? < length + 4 {
            return Ok(None);
        }
        if bytes[end..] != crc32(&bytes[..end]).to_le_bytes() {
            return Err(damaged("the checksum of the header does not match"));
        }
        let settings = std::str::from_utf8(&bytes[FIXED..end]).map_err(|_| damaged("its settings are no text"))?;
        Ok(Some((Header { seed, settings: settings.to_string() }, bytes.len() as u64)))
    }
}

/// Reads the games of a file, one after the other.
///
/// An incomplete record at the end, which a kill can leave, or which is just being written, ends the games without
/// an error. Games come out checked: all moves are legal and the result is right.
#[derive(Debug)]
pub struct Reader {
    path: PathBuf,
    header: Header,
    source: BufReader<File>,
    /// Read but not used yet.
    buffer: Vec<u8>,
    used: usize,
    /// Where in the file the next record begins.
    offset: u64,
    over: bool,
}

impl Reader {
    /// Opens a file.
    ///
    /// # Errors
    /// [`SelfplayError`]: it cannot be read, or is no self-play file.
    pub fn open(path: &Path) -> Result<Reader, SelfplayError> {
        let file = File::open(path).map_err(|source| SelfplayError::Io { path: path.to_path_buf(), source })?;
        match Reader::from_file(file, path)? {
            Some(reader) => Ok(reader),
            None => {
                Err(SelfplayError::Damaged { path: path.to_path_buf(), offset: 0, what: "it ends within its header" })
            }
        }
    }

    /// Reads from the beginning of an open file; `None` when there is not even a complete header.
    pub(super) fn from_file(file: File, path: &Path) -> Result<Option<Reader>, SelfplayError> {
        let mut source = BufReader::with_capacity(1 << 18, file);
        let Some((header, offset)) = Header::read(&mut source, path)? else { return Ok(None) };
        let path = path.to_path_buf();
        Ok(Some(Reader { path, header, source, buffer: Vec::new(), used: 0, offset, over: false }))
    }

    /// How the games were made.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Where the next record begins; after the last game, the length of the sound part of the file.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Only the games whose index is in `range`.
    pub fn within(self, range: Range<u64>) -> impl Iterator<Item = Result<GameRecord, SelfplayError>> {
        self.filter(move |game| game.as_ref().map_or(true, |game| range.contains(&u64::from(game.index))))
    }

    /// Hands over the games whose index is in `range` in the order of the file, then to be read again in that of their numbers.
    ///
    /// # Errors
    /// [`SelfplayError`]: the file cannot be read or is damaged.
    pub(crate) fn into_order(
        mut self,
        range: Range<u64>,
        visit: &mut dyn FnMut(&GameRecord),
    ) -> Result<InOrder, SelfplayError> {
        let mut places = Vec::new();
        loop {
            let offset = self.offset;
            let Some(game) = self.next().transpose()? else { break };
            if range.contains(&u64::from(game.index)) {
                visit(&game);
                places.push(Place { offset, index: game.index, length: (self.offset - offset) as u16 });
            }
        }
        // stable: should a number be there twice, the first is the first
        places.sort_by_key(|place| place.index);
        Ok(InOrder { path: self.path, source: self.source, at: None, places })
    }

    fn read_game(&mut self) -> Result<Option<GameRecord>, SelfplayError> {
        if self.buffer.len() - self.used < MAX_BYTES {
            self.refill().map_err(|source| SelfplayError::Io { path: self.path.clone(), source })?;
        }
        let bytes = &self.buffer[self.used..];
        let damaged = |what| Err(SelfplayError::Damaged { path: self.path.clone(), offset: self.offset, what });
        match GameRecord::from_bytes(bytes) {
            Ok((game, _)) if !game.is_sound() => damaged("a game with an illegal move or a wrong result"),
            Ok((game, length)) => {
                self.used += length;
                self.offset += length as u64;
                Ok(Some(game))
            }
            Err(BadRecord::Incomplete) => Ok(None),
            // a system that went down can leave a last record of the right length with wrong bytes
            Err(BadRecord::Damaged(_)) if bytes.len() < MAX_BYTES => Ok(None),
            Err(BadRecord::Damaged(what)) => damaged(what),
        }
    }

    /// Moves what is left to the front and reads on.
    fn refill(&mut self) -> io::Result<()> {
        self.buffer.drain(..self.used);
        self.used = 0;
        let left = self.buffer.len();
        self.buffer.resize(1 << 16, 0);
        let got = read_up_to(&mut self.source, &mut self.buffer[left..])?;
        self.buffer.truncate(left + got);
        Ok(())
    }
}

impl Iterator for Reader {
    type Item = Result<GameRecord, SelfplayError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        let game = self.read_game().transpose();
        self.over = !matches!(game, Some(Ok(_)));
        game
    }
}

/// The games of a file in the order of their numbers, which is not always that of the file: there they stand as they were finished,
/// and that depends on how busy the machine was. The file stays open, so they are the same games each time, whatever is added to it
/// or takes its place. In memory is where they are, 16 bytes each.
#[derive(Debug)]
pub(crate) struct InOrder {
    path: PathBuf,
    source: BufReader<File>,
    /// Where in the file `source` is, if that is known.
    at: Option<u64>,
    places: Vec<Place>,
}

/// Where a game is in its file.
#[derive(Debug)]
struct Place {
    offset: u64,
    index: u32,
    length: u16,
}

impl InOrder {
    /// How many games there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// The games, from the first one.
    pub fn games(&mut self) -> impl Iterator<Item = Result<GameRecord, SelfplayError>> {
        let InOrder { path, source, at, places } = self;
        places.iter().map(move |place| read_at(source, at, place, path))
    }
}

/// Reads the game at this place; games that stand near each other are read from the file together.
fn read_at(
    source: &mut BufReader<File>,
    at: &mut Option<u64>,
    place: &Place,
    path: &Path,
) -> Result<GameRecord, SelfplayError> {
    let io = |source| SelfplayError::Io { path: path.to_path_buf(), source };
    let mut bytes = [0; MAX_BYTES];
    let bytes = &mut bytes[..usize::from(place.length)];
    match at.take() {
        Some(at) => source.seek_relative(place.offset.wrapping_sub(at) as i64),
        None => source.seek(SeekFrom::Start(place.offset)).map(drop),
    }
    .and_then(|()| source.read_exact(bytes))
    .map_err(io)?;
    *at = Some(place.offset + u64::from(place.length));
    match GameRecord::from_bytes(bytes) {
        Ok((game, _)) if game.index == place.index && game.is_sound() => Ok(game),
        _ => {
            let what = "the game that was there has changed";
            Err(SelfplayError::Damaged { path: path.to_path_buf(), offset: place.offset, what })
        }
    }
}

/// Fills `bytes` as far as there is something to read.
fn read_up_to(source: &mut impl Read, bytes: &mut [u8]) -> io::Result<usize> {
    let mut got = 0;
    while got < bytes.len() {
        match source.read(&mut bytes[got..]) {
            Ok(0) => break,
            Ok(n) => got += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(got)
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::io::Write;

    use super::*;
    use crate::selfplay::Archive;
    use crate::selfplay::game::tests::random_game;

    #[test]
    fn games_are_read_again_in_order_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.osp");
        let mut archive = Archive::open(&path, &Header { seed: 1, settings: "test".into() }).unwrap();
        // two games of one length, which can take each other's place
        let lengths: Vec<usize> = (0..40).map(|index| random_game(index).to_bytes().len()).collect();
        let (first, other) = (0..40_u32)
            .flat_map(|one| (one + 1..40).map(move |other| (one, other)))
            .find(|&(one, other)| lengths[one as usize] == lengths[other as usize])
            .unwrap();
        let written = [50, other, first, 41];
        written.iter().for_each(|&index| archive.append(&random_game(index)).unwrap());
        drop(archive);
        let mut seen = Vec::new();
        let reader = Reader::open(&path).unwrap();
        let mut in_order = reader.into_order(0..50, &mut |game| seen.push(game.index)).unwrap();
        assert_eq!((seen, in_order.len()), (vec![other, first, 41], 3));
        for _ in 0..2 {
            let games: Vec<GameRecord> = in_order.games().map(Result::unwrap).collect();
            assert_eq!(games, [first, other, 41].map(random_game));
        }
        // a sound game in the place of another one
        let mut in_order = Reader::open(&path).unwrap().into_order(0..50, &mut |_| {}).unwrap();
        let offset = in_order.places[1].offset;
        let mut file = File::options().write(true).open(&path).unwrap();
        file.seek(SeekFrom::Start(offset)).unwrap();
        file.write_all(&random_game(first).to_bytes()).unwrap();
        let games: Vec<_> = in_order.games().collect();
        let error = games[1].as_ref().unwrap_err().to_string();
        assert!(error.contains(&format!("damaged at byte {offset}: the game that was there has changed")), "{error}");
        assert_eq!([&games[0], &games[2]].map(|game| game.as_ref().unwrap().index), [first, 41]);
    }

    /// What a system call does that a signal interrupts, and one that has little to give.
    struct Interrupted(VecDeque<io::Result<&'static [u8]>>);

    impl Read for Interrupted {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let bytes = self.0.pop_front().unwrap_or(Ok(b""))?;
            buffer[..bytes.len()].copy_from_slice(bytes);
            Ok(bytes.len())
        }
    }

    #[test]
    fn reading_goes_on_after_a_signal() {
        let signal = || Err(io::ErrorKind::Interrupted.into());
        let mut bytes = [0; 8];
        let mut source = Interrupted([signal(), Ok(&b"abc"[..]), signal(), Ok(b"de")].into());
        assert_eq!((read_up_to(&mut source, &mut bytes).unwrap(), &bytes), (5, b"abcde\0\0\0"));
        let mut source = Interrupted([Ok(&b"abc"[..]), Err(io::ErrorKind::TimedOut.into())].into());
        assert_eq!(read_up_to(&mut source, &mut bytes).unwrap_err().kind(), io::ErrorKind::TimedOut);
    }
}
