//! Fitted phases on disk, so that an interrupted training goes on where it was.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::formats::atomic::{behind_links, folder as folder_of, target_of, write_whole};

/// The tables that are kept.
pub(super) const EVALUATION: &str = "evaluation";
pub(super) const EMBEDDING: &str = "embedding";

/// A folder of fitted phases that belong to one training: same settings, same data.
#[derive(Clone, Debug)]
pub struct Checkpoints {
    folder: PathBuf,
    fingerprint: u64,
}

impl Checkpoints {
    /// Checkpoints in a folder, made if need be. `fingerprint` tells trainings apart: files of another are ignored.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn new(folder: &Path, fingerprint: u64) -> io::Result<Checkpoints> {
        fs::create_dir_all(folder)?;
        Ok(Checkpoints { folder: folder.to_path_buf(), fingerprint })
    }

    fn path(&self, table: &str, phase: usize, extension: &str) -> PathBuf {
        self.folder.join(format!("{table}-{phase:02}.{extension}"))
    }

    /// The unknowns saved for a phase, if there are `len` of them and they belong to this training.
    pub fn load(&self, table: &str, phase: usize, len: usize) -> Option<Vec<f32>> {
        let bytes = fs::read(self.path(table, phase, "f32")).ok()?;
        let (fingerprint, values) = bytes.split_first_chunk::<8>()?;
        if u64::from_le_bytes(*fingerprint) != self.fingerprint || values.len() != 4 * len {
            return None;
        }
        Some(values.chunks_exact(4).map(|v| f32::from_le_bytes([v[0], v[1], v[2], v[3]])).collect())
    }

    /// Saves the unknowns of a phase.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, table: &str, phase: usize, theta: &[f32]) -> io::Result<()> {
        let mut bytes = self.fingerprint.to_le_bytes().to_vec();
        bytes.extend(theta.iter().flat_map(|t| t.to_le_bytes()));
        write_whole(&self.path(table, phase, "f32"), &bytes)
    }

    /// What was noted about a phase of this training.
    pub fn load_note<T: DeserializeOwned>(&self, table: &str, phase: usize) -> Option<T> {
        let bytes = fs::read(self.path(table, phase, "json")).ok()?;
        let (fingerprint, note): (u64, T) = serde_json::from_slice(&bytes).ok()?;
        (fingerprint == self.fingerprint).then_some(note)
    }

    /// Notes something about a phase.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save_note(&self, table: &str, phase: usize, note: &impl Serialize) -> io::Result<()> {
        let text = serde_json::to_vec(&(self.fingerprint, note)).map_err(io::Error::other)?;
        write_whole(&self.path(table, phase, "json"), &text)
    }
}

/// Removes the checkpoints in a folder, and the folder if nothing else is in it: folders of such a name are common, and what else somebody
/// keeps there stays.
///
/// # Errors
/// When a checkpoint cannot be removed.
pub fn remove(folder: &Path) -> io::Result<()> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if is_checkpoint(&entry.file_name()) && entry.file_type()?.is_file() {
            found.push(entry.path());
        }
    }
    in_order(&mut found);
    found.iter().try_for_each(fs::remove_file)?;
    match fs::remove_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(()),
        result => result,
    }
}

/// Notes behind all unknowns: where a kill leaves unknowns, their note is there, too.
fn in_order(checkpoints: &mut [PathBuf]) {
    checkpoints.sort_by_key(|path| path.extension().is_some_and(|extension| extension == "json"));
}

/// A file of this path would be a checkpoint in this folder.
pub fn is_in(folder: &Path, path: &Path) -> bool {
    let path = behind_links(path);
    let is_there =
        || matches!((folder.canonicalize(), folder_of(&path).canonicalize()), (Ok(one), Ok(other)) if one == other);
    path.file_name().is_some_and(is_checkpoint) && is_there()
}

/// The name is one of [`Checkpoints::path`], or what a killed run has left of such a file.
fn is_checkpoint(name: &OsStr) -> bool {
    let Some(name) = target_of(name).or(name.to_str()) else { return false };
    let phase = |phase: &str| phase.len() == 2 && phase.bytes().all(|byte| byte.is_ascii_digit());
    let stem = name.strip_suffix(".f32").or(name.strip_suffix(".json"));
    let parts = stem.and_then(|stem| stem.split_once('-'));
    parts.is_some_and(|(table, number)| [EVALUATION, EMBEDDING].contains(&table) && phase(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_are_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let of = |name: &str| folder.path().join("checkpoints").join(name);
        let save = || {
            let checkpoints = Checkpoints::new(&folder.path().join("checkpoints"), 7).unwrap();
            checkpoints.save(EVALUATION, 3, &[1.5]).unwrap();
            checkpoints.save_note(EVALUATION, 29, &1).unwrap();
            checkpoints.save(EMBEDDING, 64, &[1.5]).unwrap();
            fs::write(of(".evaluation-04.f32.123-0.tmp"), "what a killed run has left").unwrap();
        };
        save();
        remove(&folder.path().join("checkpoints")).unwrap();
        assert!(!of("").exists());
        save();
        fs::create_dir_all(of("other/evaluation-01.f32")).unwrap();
        let others =
            ["other/evaluation-02.f32", "weights.pt", "evaluation-1.f32", "evaluation-001.json", "best-01.json"];
        others.iter().for_each(|name| fs::write(of(name), "somebody's").unwrap());
        fs::create_dir(of("evaluation-05.json")).unwrap();
        remove(&folder.path().join("checkpoints")).unwrap();
        assert!(others.iter().all(|name| of(name).exists()) && of("evaluation-05.json").exists());
        assert_eq!(fs::read_dir(of("")).unwrap().count(), others.len() + 1);
    }

    #[test]
    fn notes_go_last() {
        let mut names =
            ["evaluation-03.json", "evaluation-03.f32", "evaluation-04.json", "embedding-64.f32"].map(PathBuf::from);
        in_order(&mut names);
        let order = ["evaluation-03.f32", "embedding-64.f32", "evaluation-03.json", "evaluation-04.json"];
        assert_eq!(names, order.map(PathBuf::from));
    }

    #[test]
    fn only_the_same_training_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let checkpoints = Checkpoints::new(&folder.path().join("new"), 7).unwrap();
        checkpoints.save("evaluation", 3, &[1.5, -2.0]).unwrap();
        assert_eq!(checkpoints.load("evaluation", 3, 2), Some(vec![1.5, -2.0]));
        assert_eq!(checkpoints.load("evaluation", 3, 3), None);
        assert_eq!(checkpoints.load("evaluation", 4, 2), None);
        assert_eq!(checkpoints.load("other", 3, 2), None);
        checkpoints.save_note("evaluation", 3, &[0.1, 1.0 / 3.0]).unwrap();
        assert_eq!(checkpoints.load_note("evaluation", 3), Some([0.1, 1.0 / 3.0]));
        assert_eq!(checkpoints.load_note::<[f64; 2]>("evaluation", 4), None);
        let other = Checkpoints::new(&folder.path().join("new"), 8).unwrap();
        assert_eq!(other.load("evaluation", 3, 2), None);
        assert_eq!(other.load_note::<[f64; 2]>("evaluation", 3), None);
    }
}
