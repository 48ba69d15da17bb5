//! Files that appear whole or not at all.
//!
//! A file is written under a temporary name in the folder of its target, synced, and renamed; then the folder is synced
//! too. Whatever ends the program or the machine in between, the target is the old file or the new one, and on an error
//! it is the old one. The temporary file is locked while its writer lives, so that what a killed run left behind is told
//! from what another process is writing at the moment, whatever machine that runs on: the next one who writes the same
//! target removes it.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use super::bounded::begins_with;

/// How books of ours begin.
pub(crate) const BOOK: &[u8; 8] = b"OUTFBOOK";
/// How files of self-play games begin.
pub(crate) const SELFPLAY: &[u8; 8] = b"OUTFPLAY";

/// A file that is the work of days, and is not overwritten by anything else.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: a {what}, which is not overwritten", path.display())]
pub struct NotReplaceable {
    /// The file.
    pub path: PathBuf,
    /// What it is.
    what: &'static str,
}

/// Bytes of the target's name that its temporary name repeats: file systems end names at 255 bytes, and the marks
/// around it need at most 45.
const NAME_LIMIT: usize = 200;

/// How many temporary names are tried before giving up. A name is taken only where another machine has a process of the
/// same number, or a left-over cannot be removed.
const ATTEMPTS: u32 = 1000;

/// Temporary names of this process are told apart by this.
static COUNTER: AtomicU64 = AtomicU64::new(0);

/// A file being written, which takes the place of its target when it is [committed](AtomicFile::commit); dropped before
/// that, it goes without a trace.
///
/// A target that is there and is no plain file (a pipe, a terminal, `/dev/null`) is written directly: putting a file in
/// its place is never what is meant. A symbolic link stays, the file it leads to is replaced, or made if it is not there. A
/// file that may not be written is not replaced either, and the permissions of a replaced one are kept.
#[derive(Debug)]
pub struct AtomicFile {
    file: File,
    /// The temporary name and the target; `None` when the target is written directly.
    pending: Option<Pending>,
}

impl AtomicFile {
    /// Begins a file that will be found under `path`.
    ///
    /// # Errors
    /// The folder cannot be written, the target is one or may not be written.
    pub fn create(path: &Path) -> io::Result<AtomicFile> {
        let target = behind_links(path);
        let old = match OpenOptions::new().write(true).open(&target) {
            Ok(file) => {
                let metadata = file.metadata()?;
                if !metadata.is_file() {
                    return Ok(AtomicFile { file, pending: None });
                }
                Some(metadata)
            }
            // the file would be written beside its place, and only the last step of all would fail
            Err(error) if error.kind() == io::ErrorKind::NotFound && names_folder(path) => {
                return Err(io::Error::new(
                    io::ErrorKind::NotFound,
                    "the name is that of a folder, which is not there",
                ));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let name = target.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no file is named"))?;
        let names = TemporaryNames::of(name);
        remove_left_overs(folder(&target), &names);
        for _ in 0..ATTEMPTS {
            let temporary = target.with_file_name(names.next());
            let file = match OpenOptions::new().write(true).create_new(true).open(&temporary) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(error),
            };
            let pending = Pending { temporary, target: target.clone(), renamed: false };
            if !claim(&file, &pending.temporary) {
                // somebody took it for a left-over in the moment before it was locked
                continue;
            }
            if let Some(old) = &old {
                keep_permissions(&file, old)?;
            }
            return Ok(AtomicFile { file, pending: Some(pending) });
        }
        Err(io::Error::new(io::ErrorKind::AlreadyExists, "no temporary name beside it is free"))
    }

    /// Puts what has been written on the disc, still under the temporary name: a full disc is noticed here at the latest.
    ///
    /// # Errors
    /// Those of syncing.
    pub fn sync(&self) -> io::Result<()> {
        match self.pending {
            Some(_) => self.file.sync_all(),
            // pipes and devices
            None => Ok(()),
        }
    }

    /// Puts the file in its place, after everything is on the disc.
    ///
    /// # Errors
    /// Those of syncing and renaming; the old file is still there then. When only the folder cannot be synced, the new
    /// one is in its place but may be gone after a power failure.
    pub fn commit(mut self) -> io::Result<()> {
        let Some(mut pending) = self.pending.take() else { return self.file.flush() };
        self.file.sync_all()?;
        fs::rename(&pending.temporary, &pending.target)?;
        pending.renamed = true;
        sync_folder_of(&pending.target)
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Headers that say how much follows are written last.
impl Seek for AtomicFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// Writes a file that appears whole or not at all, see [`AtomicFile`].
///
/// # Errors
/// Those of writing and renaming; what was there before is untouched then.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes)?;
    file.commit()
}

/// Checks that a file that is to be written would not take the place of a book or of self-play games, which are the work of days:
/// names of those and of outputs stand side by side on command lines, and are easily swapped.
///
/// # Errors
/// There is such a file.
pub fn check_is_replaceable(path: &Path) -> Result<(), NotReplaceable> {
    // to open a pipe may wait for its other end
    let is = |start: &[u8]| path.is_file() && begins_with(path, start).unwrap_or(false);
    let kinds: [(&[u8], _); 2] = [(BOOK, "book of Outflank"), (SELFPLAY, "file of self-play games")];
    match kinds.into_iter().find(|(start, _)| is(start)) {
        Some((_, what)) => Err(NotReplaceable { path: path.to_path_buf(), what }),
        None => Ok(()),
    }
}

/// Checks that a file can be written under `path`, by beginning one there: before work that would be lost if it could not.
///
/// # Errors
/// Those of [`write_whole`], as far as they can be known now.
pub fn check_target(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        // to open a pipe may wait for its other end
        Ok(metadata) if !metadata.is_file() && !metadata.is_dir() => Ok(()),
        _ => AtomicFile::create(path).map(drop),
    }
}

/// The path ends with a separator, as only names of folders do.
fn names_folder(path: &Path) -> bool {
    path.to_string_lossy().ends_with(std::path::is_separator)
}

/// A temporary file that is to become its target; removed when dropped before that.
#[derive(Debug)]
struct Pending {
    temporary: PathBuf,
    target: PathBuf,
    renamed: bool,
}

impl Drop for Pending {
    fn drop(&mut self) {
        if !self.renamed {
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// The temporary names of a target: `.NAME.PROCESS-NUMBER.tmp`.
struct TemporaryNames {
    /// As much of the target's name as a longer one leaves room for.
    name: String,
}

impl TemporaryNames {
    fn of(name: &OsStr) -> TemporaryNames {
        let name = name.to_string_lossy();
        let end = (0..=NAME_LIMIT.min(name.len())).rev().find(|&end| name.is_char_boundary(end)).unwrap_or(0);
        TemporaryNames { name: name[..end].to_string() }
    }

    fn next(&self) -> String {
        format!(".{}.{}-{}.tmp", self.name, process::id(), COUNTER.fetch_add(1, Ordering::Relaxed))
    }

    fn is_one(&self, name: &OsStr) -> bool {
        target_of(name) == Some(&self.name)
    }
}

/// The name of the target whose temporary file is called so, if that is such a name.
pub(crate) fn target_of(temporary: &OsStr) -> Option<&str> {
    let (target, number) = temporary.to_str()?.strip_prefix('.')?.strip_suffix(".tmp")?.rsplit_once('.')?;
    let (id, count) = number.split_once('-')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (is_number(id) && is_number(count)).then_some(target)
}

/// The path with an ending behind it, whatever dots its name has: `a/b.c` and `.json` are `a/b.c.json`.
pub fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(ending);
    name.into()
}

/// The folder of a file.
pub fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Locks a new temporary file; false when it has been removed meanwhile.
fn claim(file: &File, temporary: &Path) -> bool {
    match file.try_lock() {
        Ok(()) => is_at(file, temporary),
        // who holds the lock is about to remove it
        Err(TryLockError::WouldBlock) => false,
        // a file system without locks: nobody can take the file for a left-over either
        Err(TryLockError::Error(_)) => true,
    }
}

/// Locks a file that nobody else is to write meanwhile; false when another process has it. On a file system without locks it is as
/// safe as the user is careful, and the log says so.
pub(crate) fn try_lock(file: &File, path: &Path) -> bool {
    match file.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock) => false,
        Err(TryLockError::Error(error)) => {
            log::warn!("{}: not locked: {error}", path.display());
            true
        }
    }
}

/// Locks a folder in which nobody else is to work meanwhile, for as long as the result lives; `None` when another process has it.
///
/// # Errors
/// When the folder cannot be opened.
#[cfg(unix)]
pub fn lock_folder(folder: &Path) -> io::Result<Option<File>> {
    let file = File::open(folder)?;
    Ok(try_lock(&file, folder).then_some(file))
}

/// Folders are no files here: the user has to be careful.
#[cfg(not(unix))]
pub fn lock_folder(_: &Path) -> io::Result<Option<()>> {
    Ok(Some(()))
}

/// The open file is the one with this name.
#[cfg(unix)]
pub(crate) fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let key = |metadata: &Metadata| (metadata.dev(), metadata.ino());
    matches!((file.metadata(), fs::metadata(path)), (Ok(open), Ok(named)) if key(&open) == key(&named))
}

/// Open files cannot be removed elsewhere.
#[cfg(not(unix))]
pub(crate) fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

/// Removes the temporary files of runs that are gone, and reports those that stay.
fn remove_left_overs(folder: &Path, names: &TemporaryNames) {
    // a folder that cannot be listed can still be written
    for entry in fs::read_dir(folder).into_iter().flatten().flatten().filter(|entry| names.is_one(&entry.file_name())) {
        // neither a link, which leads elsewhere, nor a pipe, which is waited for
        if !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        let path = entry.path();
        let Ok(file) = OpenOptions::new().write(true).open(&path) else { continue };
        match file.try_lock() {
            Ok(()) => match fs::remove_file(&path) {
                Ok(()) => log::info!("{}: left over by a killed run, removed", path.display()),
                Err(error) => log::warn!("{}: left over by a killed run, not removed: {error}", path.display()),
            },
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(_)) => log::warn!("{}: left over by another run?", path.display()),
        }
    }
}

/// Gives a new file the permissions of the one that it replaces.
fn keep_permissions(file: &File, old: &Metadata) -> io::Result<()> {
    match file.set_permissions(old.permissions()) {
        // file systems without permissions
        Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(()),
        result => result,
    }
}

/// The file that a path leads to, which symbolic links may call otherwise; it need not be there.
pub fn behind_links(path: &Path) -> PathBuf {
    /// As many as Linux follows.
    const LINKS: usize = 40;
    if let Ok(found) = fs::canonicalize(path) {
        return found;
    }
    let mut target = path.to_path_buf();
    // what is there without a name of its own, such as a pipe behind /dev/stdout, is found by the given one only
    if !path.exists() {
        for _ in 0..LINKS {
            match fs::read_link(&target) {
                Ok(next) => target = folder(&target).join(next),
                Err(_) => return target,
            }
        }
    }
    path.to_path_buf()
}

/// Puts the name of a new file on the disc. File systems that cannot do that say so; they have nothing better.
#[cfg(unix)]
pub(crate) fn sync_folder_of(path: &Path) -> io::Result<()> {
    match File::open(folder(path)).and_then(|folder| folder.sync_all()) {
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        // a folder that may be written but not read
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        result => result,
    }
}

/// Only Unix opens folders.
#[cfg(not(unix))]
pub(crate) fn sync_folder_of(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn write(path: &Path, text: &str) -> io::Result<()> {
        let mut file = AtomicFile::create(path)?;
        file.write_all(text.as_bytes())?;
        file.commit()
    }

    #[test]
    fn nothing_is_seen_before_the_commit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        write(&path, "old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(names(folder.path()).len(), 2);
        drop(file);
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), names(folder.path()).len()), ("old", 1));
        write(&path, "new").unwrap();
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), names(folder.path()).len()), ("new", 1));
    }

    #[test]
    fn left_overs_go_and_files_of_living_writers_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        for name in [".a.txt.4000000-7.tmp", ".a.txt.x-1.tmp", ".b.txt.4000000-7.tmp", ".a.txt.tmp"] {
            fs::write(folder.path().join(name), "left over").unwrap();
        }
        let living = AtomicFile::create(&path).unwrap();
        write(&path, "new").unwrap();
        let found = names(folder.path());
        assert_eq!(found.len(), 5, "{found:?}");
        assert!(!found.contains(&".a.txt.4000000-7.tmp".to_string()), "{found:?}");
        living.commit().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "");
        // a run with the process number of a dead one whose file cannot be removed (a folder) takes another name
        let next = COUNTER.load(Ordering::Relaxed);
        for count in next..next + 50 {
            fs::create_dir(folder.path().join(format!(".c.{}-{count}.tmp", process::id()))).unwrap();
        }
        write(&folder.path().join("c"), "text").unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("c")).unwrap(), "text");
    }

    #[test]
    fn writers_side_by_side_do_not_meet() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let text = |writer: usize| format!("{writer}").repeat(10_000);
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let (path, text) = (&path, &text);
                scope.spawn(move || (0..25).for_each(|_| write(path, &text(writer)).unwrap()));
            }
        });
        let found = fs::read_to_string(&path).unwrap();
        assert!((0..8).any(|writer| found == text(writer)), "mixed: {} bytes", found.len());
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[test]
    fn long_names() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ä".repeat(127));
        write(&path, "text").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "text");
        assert!(write(Path::new(".."), "x").is_err());
        assert!(write(folder.path(), "x").is_err());
        assert_eq!(names(folder.path()).len(), 1);
    }

    #[test]
    fn locks_keep_others_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let (first, second) = (File::create(&path).unwrap(), File::create(&path).unwrap());
        assert!(try_lock(&first, &path) && !try_lock(&second, &path));
        drop(first);
        assert!(try_lock(&second, &path));
    }

    #[test]
    fn names_of_folders_are_refused_before_the_work() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["new/", "new//"] {
            let error = check_target(&folder.path().join(name)).unwrap_err();
            assert_eq!(error.to_string(), "the name is that of a folder, which is not there", "{name}");
        }
        assert!(names(folder.path()).is_empty());
        assert!(check_target(&folder.path().join("new")).is_ok());
    }

    /// In a folder that others write to, too.
    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_no_left_over() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let (pipe, link) = (at(".a.txt.1-1.tmp"), at(".a.txt.1-2.tmp"));
        assert!(process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        write(&at("other.txt"), "other").unwrap();
        std::os::unix::fs::symlink("other.txt", &link).unwrap();
        // to open the pipe would be to wait for ever
        write(&at("a.txt"), "text").unwrap();
        assert_eq!(names(folder.path()), [".a.txt.1-1.tmp", ".a.txt.1-2.tmp", "a.txt", "other.txt"]);
    }

    /// As on a file system without locks: one that is open for nothing but its name cannot be locked.
    #[cfg(target_os = "linux")]
    #[test]
    fn what_cannot_be_locked_is_used_all_the_same() {
        use std::os::unix::fs::OpenOptionsExt;
        const O_PATH: i32 = 0o10_000_000;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(&path, "text").unwrap();
        let file = OpenOptions::new().read(true).custom_flags(O_PATH).open(&path).unwrap();
        assert!(matches!(file.try_lock(), Err(TryLockError::Error(_))));
        assert!(try_lock(&file, &path));
    }

    #[cfg(unix)]
    #[test]
    fn links_devices_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a.txt"), folder.path().join("link"));
        write(&path, "old").unwrap();
        fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
        symlink("a.txt", &link).unwrap();
        write(&link, "new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        // a file that a link leads to and that is not there is made; where it cannot be, the link stays as well
        let (far, nowhere, round) =
            (folder.path().join("far"), folder.path().join("nowhere"), folder.path().join("round"));
        fs::create_dir(folder.path().join("sub")).unwrap();
        symlink("sub/near", &far).unwrap();
        symlink("../b.txt", folder.path().join("sub/near")).unwrap();
        write(&far, "made").unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("b.txt")).unwrap(), "made");
        symlink("gone/c.txt", &nowhere).unwrap();
        symlink("round", &round).unwrap();
        assert_eq!(write(&nowhere, "x").unwrap_err().kind(), io::ErrorKind::NotFound);
        assert!(write(&round, "x").is_err());
        assert!([far, nowhere, round].iter().all(|link| fs::symlink_metadata(link).unwrap().is_symlink()));
        write(Path::new("/dev/null"), "text").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        if cfg!(target_os = "linux") {
            let error = write(Path::new("/dev/full"), "text").unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        }
    }

    /// Whatever they are called.
    #[test]
    fn books_and_selfplay_games_are_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.ggf");
        assert_eq!(check_is_replaceable(&path), Ok(()), "nothing is there");
        for (content, what) in [
            ("OUTFBOOK and so on", Some("a book of Outflank")),
            ("OUTFPLAY and so on", Some("a file of self-play games")),
            ("OUTF", None),
            ("(;GM[Othello]", None),
        ] {
            fs::write(&path, content).unwrap();
            let told = check_is_replaceable(&path).err().map(|error| error.to_string());
            let expected = what.map(|what| format!("{}: {what}, which is not overwritten", path.display()));
            assert_eq!(told, expected, "{content}");
        }
        assert_eq!(check_is_replaceable(folder.path()), Ok(()));
    }
}
