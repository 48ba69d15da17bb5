//! What can be wrong with a self-play file.

use std::io;
use std::path::PathBuf;

use crate::search::SearchError;

/// A self-play file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SelfplayError {
    /// Reading or writing failed.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file does not begin as a self-play file does.
    #[error("{}: not an Outflank self-play file (it does not begin with 'OUTFPLAY')", .0.display())]
    Foreign(PathBuf),
    /// A file of another version of the format.
    #[error("{}: self-play file format {found}, this program reads format {}", path.display(), super::reader::VERSION)]
    Version {
        /// The file.
        path: PathBuf,
        /// The version in it.
        found: u32,
    },
    /// The content is not what was written.
    #[error("{}: damaged at byte {offset}: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where the damaged part begins.
        offset: u64,
        /// What is wrong there.
        what: &'static str,
    },
    /// The file has games that were made in another way.
    #[error("{}: cannot go on, {field} was {saved} then and is {asked} now", path.display())]
    Different {
        /// The file.
        path: PathBuf,
        /// What differs.
        field: String,
        /// As saved.
        saved: String,
        /// As asked for now.
        asked: String,
    },
    /// There is not enough memory for the players that the settings describe.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// A game to be appended that a reader would refuse, and the games behind it with it.
    #[error("{}: game {index} cannot be appended: {what}", path.display())]
    Unsound {
        /// The file.
        path: PathBuf,
        /// Number of the game.
        index: u32,
        /// What is wrong with it.
        what: &'static str,
    },
    /// Another process, or another `Archive` of this one, writes to the file.
    #[error("{} is in use: something appends games to it already", .0.display())]
    InUse(PathBuf),
}
