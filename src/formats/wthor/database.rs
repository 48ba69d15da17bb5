//! A folder of WTHOR files with the names that their games refer to.

use std::fs;
use std::path::{Path, PathBuf};

use crate::formats::record::one_line;

use super::{Header, WthorError, WthorErrorKind, WthorFile, WthorGame, check_length, load};

/// Bytes of a player's name.
pub(super) const PLAYER_BYTES: usize = 20;
/// Bytes of a tournament's name.
pub(super) const TOURNAMENT_BYTES: usize = 26;

/// The names of players or of tournaments, by index; index 0 stands for unknown ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names(Vec<String>);

impl Names {
    /// Reads the players of a `.jou` file.
    ///
    /// # Errors
    /// [`WthorErrorKind`] when the header is wrong or does not agree with the length.
    pub fn players(bytes: &[u8]) -> Result<Names, WthorErrorKind> {
        Names::parse(bytes, PLAYER_BYTES, "player")
    }

    /// Reads the tournaments of a `.trn` file.
    ///
    /// # Errors
    /// [`WthorErrorKind`] when the header is wrong or does not agree with the length.
    pub fn tournaments(bytes: &[u8]) -> Result<Names, WthorErrorKind> {
        Names::parse(bytes, TOURNAMENT_BYTES, "tournament")
    }

    fn parse(bytes: &[u8], size: usize, what: &'static str) -> Result<Names, WthorErrorKind> {
        let header = Header::parse(bytes)?;
        check_length(bytes, header.names as usize, size, what)?;
        let records = bytes[super::HEADER_BYTES..].chunks_exact(size);
        Ok(Names(records.map(latin1).collect()))
    }

    /// The name with this index.
    pub fn get(&self, index: u16) -> Option<&str> {
        self.0.get(index as usize).map(String::as_str)
    }

    /// Number of names.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// There are no names.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Latin-1 text up to the first zero, without blanks at its ends.
fn latin1(bytes: &[u8]) -> String {
    let text: String = bytes.iter().take_while(|&&byte| byte != 0).map(|&byte| byte as char).collect();
    one_line(&text)
}

/// The game files of a folder (or a single one) with the names beside them.
#[derive(Clone, Debug, Default)]
pub struct Database {
    /// The game files with their paths, in the order of their names.
    pub files: Vec<(PathBuf, WthorFile)>,
    /// The players, empty when there is no `.jou` file.
    pub players: Names,
    /// The tournaments, empty when there is no `.trn` file.
    pub tournaments: Names,
}

impl Database {
    /// Reads all `.wtb` files of a folder, or the one file that `path` names, and the names as [`Database::names_beside`] does.
    /// Extensions in any case.
    ///
    /// # Errors
    /// [`WthorError`] for the first file that cannot be read or is damaged.
    pub fn open(path: &Path) -> Result<Database, WthorError> {
        let games = if path.is_dir() { with_extension(path, "wtb")? } else { vec![path.to_path_buf()] };
        let mut database = Database::names_beside(path)?;
        for path in games {
            let file = WthorFile::open(&path)?;
            database.files.push((path, file));
        }
        Ok(database)
    }

    /// Reads only the names: from the `.jou` and `.trn` files in the folder, or in the folder of the file, that `path` names. Of
    /// several that of the file's own name, or else the first in alphabetical order. What is no file (`-`, a name for a stream)
    /// has none.
    ///
    /// # Errors
    /// [`WthorError`] when a file of names cannot be read or is damaged.
    pub fn names_beside(path: &Path) -> Result<Database, WthorError> {
        let mut database = Database::default();
        if path == Path::new("-") || !path.exists() {
            return Ok(database);
        }
        let (folder, stem) = match path.parent() {
            _ if path.is_dir() => (path, None),
            Some(parent) if !parent.as_os_str().is_empty() => (parent, path.file_stem()),
            _ => (Path::new("."), path.file_stem()),
        };
        let names = |extension| -> Result<Option<PathBuf>, WthorError> {
            let found = with_extension(folder, extension)?;
            let own = found.iter().find(|path| stem.is_some() && path.file_stem() == stem);
            Ok(own.or(found.first()).cloned())
        };
        if let Some(path) = names("jou")? {
            database.players = load(&path, |bytes| Names::players(&bytes))?;
        }
        if let Some(path) = names("trn")? {
            database.tournaments = load(&path, |bytes| Names::tournaments(&bytes))?;
        }
        Ok(database)
    }

    /// Number of games in all files.
    pub fn len(&self) -> usize {
        self.files.iter().map(|(_, file)| file.len()).sum()
    }

    /// There are no games.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All games, file by file.
    pub fn games(&self) -> impl Iterator<Item = WthorGame<'_>> + Clone {
        self.files.iter().flat_map(|(_, file)| file.games())
    }
}

/// The files of a folder with this extension, sorted.
fn with_extension(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, WthorError> {
    let error = |inner| WthorError { path: folder.to_path_buf(), kind: WthorErrorKind::Io(inner) };
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(error)? {
        let path = entry.map_err(error)?.path();
        if path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension)) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::wthor::tests::header;

    fn names(size: usize, list: &[&[u8]]) -> Vec<u8> {
        let mut bytes = header(0, list.len() as u16, 0);
        for name in list {
            let end = bytes.len() + size;
            bytes.extend_from_slice(name);
            bytes.resize(end, 0);
        }
        bytes
    }

    #[test]
    fn names_are_latin1() {
        let players = Names::players(&names(20, &[b"???", b"Andr\xE9 M\xFCller  "])).unwrap();
        assert_eq!((players.get(0), players.get(1), players.get(2)), (Some("???"), Some("André Müller"), None));
        let wrong = Names::tournaments(&names(20, &[b"a"])).unwrap_err();
        assert!(wrong.to_string().starts_with("truncated file: the header announces 1 tournament "));
    }

    #[test]
    fn a_folder_and_a_single_file() {
        let folder = tempfile::tempdir().unwrap();
        let game = |code: u8| {
            let mut bytes = header(1, 0, 8);
            bytes.extend([0, 0, 1, 0, 0, 0, 32, 32, code]);
            bytes.resize(16 + 68, 0);
            bytes
        };
        fs::write(folder.path().join("B.WTB"), game(65)).unwrap();
        fs::write(folder.path().join("a.wtb"), game(56)).unwrap();
        fs::write(folder.path().join("x.JOU"), names(20, &[b"???", b"Ann"])).unwrap();
        let database = Database::open(folder.path()).unwrap();
        assert_eq!((database.len(), database.is_empty(), database.games().count()), (2, false, 2));
        let players: Vec<_> =
            database.games().map(|game| database.players.get(game.player(crate::rules::Color::Black))).collect();
        assert_eq!(players, [Some("Ann"); 2]);
        assert!(database.tournaments.is_empty());
        let single = Database::open(&folder.path().join("a.wtb")).unwrap();
        assert_eq!((single.len(), single.players.len()), (1, 2));
        // names of the file's own name go before others
        fs::write(folder.path().join("B.jou"), names(20, &[b"???", b"Bob"])).unwrap();
        for (file, player) in [("B.WTB", "Bob"), ("a.wtb", "Bob"), ("x.wtb", "Ann")] {
            let path = folder.path().join(file);
            fs::write(&path, game(65)).unwrap();
            assert_eq!(Database::open(&path).unwrap().players.get(1), Some(player), "{file}");
            fs::remove_file(&path).unwrap();
        }
        // a stream has no names, whatever lies in the folder
        assert!(Database::names_beside(&folder.path().join("-")).unwrap().players.is_empty());
        assert!(Database::names_beside(Path::new("-")).unwrap().players.is_empty());
        fs::write(folder.path().join("c.wtb"), "garbage").unwrap();
        let error = Database::open(folder.path()).unwrap_err().to_string();
        assert!(error.ends_with("c.wtb: 7 bytes are too few for a WTHOR header (16 bytes)"), "{error}");
    }
}
