//! The files of a match: every game as a JSON line and as GGF, written as soon as it ends.
//!
//! `PREFIX.jsonl` begins with a line that describes the match and has one line for each game after it; it is what a
//! match is resumed from. `PREFIX.ggf` has the same games for other programs; it is made anew from the JSON lines
//! when a match is resumed, so that the two cannot disagree. A line cut short by a kill or a full disk is dropped: its
//! game is played again. Whatever else is found in either place is refused and stays as it is; a file without content
//! is taken over, for nothing is lost with it.
//!
//! A game is handed to the system before anybody hears of it, so that the end of the process costs nothing. A thread
//! makes it durable right after that, for the case that the power fails; the match does not wait for the disk, which
//! takes 0.4 to 20 ms each time.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use serde_json::Value;

use super::finished::Finished;
use super::record::{GameRecord, PLACE};
use super::saved::{self, OldCopy, OnSaved, Saved, StoreError};
use crate::formats::atomic::{AtomicFile, behind_links, beside, sync_folder_of, try_lock};
use crate::formats::ggf;
use crate::formats::record::{self, MoveNote};
use crate::rules::{Position, RuleSet};

/// The files of a match.
#[derive(Debug)]
pub struct Store {
    games: Output,
    ggf: Output,
    start: Position,
    syncer: Syncer,
    /// Those of the files that were not there before.
    made: Vec<PathBuf>,
    has_games: bool,
    /// Lines that the GGF lacks, because it could not be written.
    behind: String,
    /// Games whose saving failed behind their JSON line: pairs and legs.
    half_saved: Vec<(usize, u8)>,
}

impl Store {
    /// Opens the files of a match described by `description` (a JSON object with a member `outflank_match`), returning
    /// what is known of the games played already. Nothing is written before both files are known to be this match's.
    ///
    /// # Errors
    /// [`StoreError`]: a match is there and `resume` is not set, it is another match, there is another file, a file fails.
    pub fn open(
        prefix: &Path,
        description: &Value,
        rules: &Arc<RuleSet>,
        resume: bool,
    ) -> Result<(Store, Finished), StoreError> {
        let paths = match_files(prefix);
        let start = Position::start(rules.clone());
        let (file, Saved { games, length }, copy) = look(&paths, description, &start, resume)?;
        let [games_path, ggf_path] = &paths;
        let has_games = games.statistics().games() > 0;
        let mut made = Vec::new();
        for path in &paths {
            made.extend(saved::length_of(path)?.is_none().then(|| behind_links(path)));
        }
        let file = file.map_or_else(|| open_locked(games_path, true), Ok)?;
        let mut output = Output { path: games_path.clone(), file, length };
        output.cut().map_err(StoreError::io(&output.path))?;
        if length == 0 {
            output.append(&description.to_string())?;
        }
        let length = copy.finish()?;
        let file = OpenOptions::new().write(true).open(ggf_path).map_err(StoreError::io(ggf_path))?;
        let mut ggf = Output { path: ggf_path.clone(), file, length };
        ggf.cut().map_err(StoreError::io(&ggf.path))?;
        sync_folder_of(&output.path).map_err(StoreError::io(&output.path))?;
        let syncer = Syncer::start(&output)?;
        syncer.request()?;
        let store =
            Store { games: output, ggf, start, syncer, made, has_games, behind: String::new(), half_saved: Vec::new() };
        Ok((store, games))
    }

    /// Looks whether [`Store::open`] would succeed, as far as that can be known without leaving anything behind; returns what it would.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn check(
        prefix: &Path,
        description: &Value,
        rules: &Arc<RuleSet>,
        resume: bool,
    ) -> Result<Finished, StoreError> {
        let paths = match_files(prefix);
        let (_, saved, mut copy) = look(&paths, description, &Position::start(rules.clone()), resume)?;
        // the file is begun beside its place, and goes again
        copy.file()?;
        Ok(saved.games)
    }

    /// Hands over the games that are saved, one by one, in the order they ended.
    ///
    /// # Errors
    /// [`StoreError`], or what `on_saved` returns.
    pub(super) fn each_saved(&self, on_saved: OnSaved) -> Result<(), StoreError> {
        let path = &self.games.path;
        // the lock may keep out who opens the file again; games are appended, wherever reading has come
        let mut file = self.games.file.try_clone().map_err(StoreError::io(path))?;
        file.rewind().map_err(StoreError::io(path))?;
        saved::games_in(&mut file, path, &self.start, on_saved)
    }

    /// Saves a finished game in both files.
    ///
    /// # Errors
    /// [`StoreError::Io`], for instance when the disk is full; half a line is taken back. The game may be added again: one that is
    /// saved as JSON already has only what it lacks written.
    pub fn add(&mut self, game: &GameRecord) -> Result<(), StoreError> {
        self.has_games = true;
        let number = (game.pair, game.leg);
        if !self.half_saved.contains(&number) {
            self.games.append(&serde_json::to_string(game).expect("a record is plain data"))?;
            self.behind += &(ggf_line(&self.start, game) + "\n");
            self.half_saved.push(number);
        }
        self.syncer.request()?;
        self.copy()?;
        self.half_saved.retain(|half| *half != number);
        Ok(())
    }

    /// Writes what the GGF lacks: it has the games in the order of the JSON lines.
    fn copy(&mut self) -> Result<(), StoreError> {
        if let Some(lines) = self.behind.strip_suffix('\n') {
            self.ggf.append(lines)?;
            self.behind.clear();
        }
        Ok(())
    }

    /// Waits until every game is durable. Dropping the store waits as well, but cannot tell of errors.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn close(mut self) -> Result<(), StoreError> {
        self.syncer.finish();
        self.syncer.take_error()?;
        self.ggf.file.sync_data().map_err(StoreError::io(&self.ggf.path))
    }

    /// Ends a match that could not start: removes the files that it has made, unless there are games in them.
    pub fn discard(mut self) {
        self.syncer.finish();
        if !self.has_games {
            for path in &self.made {
                // a file that stays is one without games, which the next match takes over
                let _ = fs::remove_file(path);
            }
        }
    }

    /// The two files: JSON lines and GGF.
    pub fn paths(&self) -> [&Path; 2] {
        [&self.games.path, &self.ggf.path]
    }
}

/// Reads what is in the files of a match; nothing in their places is written. The first is locked, if it is there.
fn look<'a>(
    [games_path, ggf_path]: &'a [PathBuf; 2],
    description: &Value,
    start: &Position,
    resume: bool,
) -> Result<(Option<File>, Saved, CopyWriter<'a>), StoreError> {
    let existing = saved::length_of(games_path)?.is_some().then(|| open_locked(games_path, false)).transpose()?;
    let mut copy = CopyWriter::new(ggf_path)?;
    let (file, saved) = match existing {
        Some(mut file) if resume => {
            let add = &mut |game: &GameRecord| copy.add(start, game);
            let saved = saved::read_games(&mut file, games_path, description, start, add)?;
            (Some(file), saved)
        }
        Some(mut file) => {
            saved::check_unused(&mut file, games_path, description)?;
            (Some(file), Saved::default())
        }
        None => (None, Saved::default()),
    };
    // only games that go on can have lost some; where none is left, more than one may be all that there is of another match
    let has_games = saved.games.statistics().games() > 0;
    let most = if !resume || saved.length == 0 {
        0
    } else if has_games {
        usize::MAX
    } else {
        1
    };
    copy.check(most)?;
    Ok((file, saved, copy))
}

/// The games as GGF, written anew one by one while the file that is there is looked at.
struct CopyWriter<'a> {
    path: &'a Path,
    /// What is there, as copies are written now, and as earlier versions have written them.
    found: [OldCopy<'a>; 2],
    file: Option<BufWriter<AtomicFile>>,
    length: u64,
}

impl CopyWriter<'_> {
    fn new(path: &Path) -> Result<CopyWriter<'_>, StoreError> {
        Ok(CopyWriter { path, found: [OldCopy::open(path)?, OldCopy::open(path)?], file: None, length: 0 })
    }

    fn file(&mut self) -> Result<&mut BufWriter<AtomicFile>, StoreError> {
        if self.file.is_none() {
            self.file = Some(BufWriter::new(AtomicFile::create(self.path).map_err(StoreError::io(self.path))?));
        }
        Ok(self.file.as_mut().expect("it was just made"))
    }

    fn add(&mut self, start: &Position, game: &GameRecord) -> Result<(), StoreError> {
        let [line, undated] = [ggf_line, undated_ggf_line].map(|line| line(start, game) + "\n");
        self.found[0].expect(&line)?;
        self.found[1].expect(&undated)?;
        self.length += line.len() as u64;
        let path = self.path;
        self.file()?.write_all(line.as_bytes()).map_err(StoreError::io(path))
    }

    /// What is there is a copy of the games, of either kind, with at most so many games more behind it.
    fn check(&mut self, most: usize) -> Result<(), StoreError> {
        let begin = format!("(;GM[Othello]PC[{PLACE}]");
        for found in &mut self.found {
            if found.ends(&begin, most)? {
                return Ok(());
            }
        }
        Err(StoreError::Foreign(self.path.to_path_buf()))
    }

    /// Puts the file in its place; returns its length.
    fn finish(mut self) -> Result<u64, StoreError> {
        self.file()?;
        let file = self.file.expect("it was just made");
        let written = file.into_inner().map_err(io::IntoInnerError::into_error).and_then(AtomicFile::commit);
        written.map(|()| self.length).map_err(StoreError::io(self.path))
    }
}

/// A file that grows by lines.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) path: PathBuf,
    pub(super) file: File,
    /// Of what is written, without lines that failed.
    pub(super) length: u64,
}

impl Output {
    /// Appends a line in one write, so that a kill leaves at most one line incomplete.
    pub(super) fn append(&mut self, line: &str) -> Result<(), StoreError> {
        let line = format!("{line}\n");
        let written = self.file.write_all(line.as_bytes());
        if written.is_ok() {
            self.length += line.len() as u64;
        } else {
            // half a line is no use to anybody; if this fails too, the next session drops it
            let _ = self.cut();
        }
        written.map_err(StoreError::io(&self.path))
    }

    /// Takes away what is behind the last complete line, and goes there.
    pub(super) fn cut(&mut self) -> io::Result<()> {
        self.file.set_len(self.length)?;
        self.file.seek(SeekFrom::Start(self.length)).map(drop)
    }
}

/// The thread that makes written games durable.
#[derive(Debug)]
struct Syncer {
    /// Asks for it; one request may wait. `None` when finished.
    requests: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
    error: Arc<Mutex<Option<io::Error>>>,
    path: PathBuf,
}

impl Syncer {
    fn start(output: &Output) -> Result<Syncer, StoreError> {
        let file = output.file.try_clone().map_err(StoreError::io(&output.path))?;
        let (requests, inbox) = sync_channel(1);
        let error = Arc::new(Mutex::new(None));
        let found = error.clone();
        let thread = thread::Builder::new().spawn(move || sync_on_request(&file, &inbox, &found));
        let unsynced = |error: io::Error| io::Error::new(error.kind(), format!("no thread to sync it: {error}"));
        let thread = thread.map_err(unsynced).map_err(StoreError::io(&output.path))?;
        Ok(Syncer { requests: Some(requests), thread: Some(thread), error, path: output.path.clone() })
    }

    /// Has everything written so far made durable soon.
    fn request(&self) -> Result<(), StoreError> {
        if let Some(requests) = &self.requests {
            // a request that waits already will do
            let _ = requests.try_send(());
        }
        self.take_error()
    }

    fn take_error(&self) -> Result<(), StoreError> {
        match self.error.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(error) => Err(StoreError::io(&self.path)(error)),
            None => Ok(()),
        }
    }

    /// Waits for the last request.
    fn finish(&mut self) {
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Syncer {
    fn drop(&mut self) {
        self.finish();
    }
}

fn sync_on_request(file: &File, requests: &Receiver<()>, error: &Mutex<Option<io::Error>>) {
    for () in requests {
        if let Err(failure) = file.sync_data() {
            *error.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
        }
    }
}

/// Opens a file of games, if no other match plays into it; or makes it, where a link may lead that leads nowhere yet.
pub(super) fn open_locked(path: &Path, create: bool) -> Result<File, StoreError> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create_new(create);
    let file = options.open(behind_links(path)).map_err(StoreError::io(path))?;
    if try_lock(&file, path) { Ok(file) } else { Err(StoreError::InUse(path.to_path_buf())) }
}

/// The files of a match that is saved under this name: JSON lines and GGF.
pub fn match_files(prefix: &Path) -> [PathBuf; 2] {
    [".jsonl", ".ggf"].map(|ending| beside(prefix, ending))
}

/// The game as one line of GGF; scores and times of the moves included, and the day when it ended.
fn ggf_line(start: &Position, game: &GameRecord) -> String {
    ggf_line_of(start, game, Some(game.date()))
}

/// The same as earlier versions have written it.
fn undated_ggf_line(start: &Position, game: &GameRecord) -> String {
    ggf_line_of(start, game, None)
}

fn ggf_line_of(start: &Position, game: &GameRecord, date: Option<String>) -> String {
    let notes = game.moves.iter();
    let notes = notes.map(|played| MoveNote { eval: played.score, seconds: played.seconds, ..Default::default() });
    ggf::write(&record::GameRecord { date, notes: notes.collect(), ..game.to_record(start) })
}

#[cfg(test)]
mod tests {
    use super::super::player::FailureKind;
    use super::super::record::Ending;
    use super::*;
    use crate::rules::Color;

    fn forfeit(pair: usize, leg: u8) -> GameRecord {
        let (loser, kind) = (Color::Black, FailureKind::Time);
        GameRecord {
            pair,
            leg,
            black: "one".to_string(),
            white: "other".to_string(),
            ended_at: 0,
            opening_plies: 0,
            moves: Vec::new(),
            winner: Some(Color::White),
            score: None,
            ending: Ending::Forfeit { loser, kind, detail: String::new() },
        }
    }

    /// Whoever adds a game again that could not be saved in both files leaves it there once.
    #[test]
    fn a_game_whose_saving_failed_may_be_added_again() {
        let folder = tempfile::tempdir().unwrap();
        let prefix = folder.path().join("games");
        let description = serde_json::json!({ "outflank_match": 1 });
        let rules = Arc::new(RuleSet::othello());
        let open = || Store::open(&prefix, &description, &rules, true);
        let (mut store, _) = open().unwrap();
        let ggf = match_files(&prefix)[1].clone();
        // the copy cannot be written
        let good = std::mem::replace(&mut store.ggf.file, File::open(&ggf).unwrap());
        assert!(store.add(&forfeit(0, 0)).is_err() && store.add(&forfeit(0, 0)).is_err());
        store.ggf.file = good;
        // another one comes first
        store.add(&forfeit(0, 1)).unwrap();
        store.add(&forfeit(0, 0)).unwrap();
        // nor can those before be made durable
        *store.syncer.error.lock().unwrap() = Some(io::ErrorKind::StorageFull.into());
        assert!(store.add(&forfeit(1, 0)).is_err());
        store.add(&forfeit(1, 0)).unwrap();
        store.close().unwrap();
        assert_eq!(fs::read_to_string(&ggf).unwrap().lines().count(), 3);
        let (_, finished) = open().unwrap();
        assert_eq!(finished.statistics().games(), 3);
    }
}
