//! Fitted phases on disk, so that an interrupted training goes on where it was.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::formats::files::write_whole;

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

    fn path(&self, table: &str, phase: usize) -> PathBuf {
        self.folder.join(format!("{table}-{phase:02}.f32"))
    }

    /// The unknowns saved for a phase, if there are `len` of them and they belong to this training.
    pub fn load(&self, table: &str, phase: usize, len: usize) -> Option<Vec<f32>> {
        let bytes = fs::read(self.path(table, phase)).ok()?;
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
        write_whole(&self.path(table, phase), &bytes)
    }

    /// Removes the folder's checkpoints: the training is complete.
    ///
    /// # Errors
    /// When the folder cannot be removed.
    pub fn remove(self) -> io::Result<()> {
        fs::remove_dir_all(self.folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_training_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let checkpoints = Checkpoints::new(&folder.path().join("new"), 7).unwrap();
        checkpoints.save("evaluation", 3, &[1.5, -2.0]).unwrap();
        assert_eq!(checkpoints.load("evaluation", 3, 2), Some(vec![1.5, -2.0]));
        assert_eq!(checkpoints.load("evaluation", 3, 3), None);
        assert_eq!(checkpoints.load("evaluation", 4, 2), None);
        assert_eq!(checkpoints.load("other", 3, 2), None);
        let other = Checkpoints::new(&folder.path().join("new"), 8).unwrap();
        assert_eq!(other.load("evaluation", 3, 2), None);
        checkpoints.remove().unwrap();
        assert!(!folder.path().join("new").exists());
    }
}
