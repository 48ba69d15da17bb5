//! Players as asked for; as text they are `outflank,level=6,threads=2`, `gtp:/usr/games/gtp-rhino -l 5`, `nboard,level=8:./engine`.

mod text;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::book::{BookFile, Choosing, embedded};
use crate::checksum::{FNV_BASIS, fnv1a};
use crate::engine::Options;
use crate::eval::{Weights, WeightsError, read_file};
use crate::play::Grade;
use crate::play::clock::TimeControl;
use crate::search::{Goal, StopToken};

pub use text::SpecError;

/// A player of a match, as asked for.
#[derive(Clone, Debug)]
pub struct PlayerSpec {
    /// The name asked for; otherwise the player's own.
    pub name: Option<String>,
    /// What plays.
    pub kind: PlayerKind,
    /// The text this was read from.
    pub text: String,
}

/// What plays.
#[derive(Clone, Debug)]
pub enum PlayerKind {
    /// This engine, inside the process.
    Engine(EngineConfig),
    /// A reference player.
    Simple(SimpleStyle),
    /// Another program.
    External(ExternalConfig),
}

/// A configuration of this engine.
#[derive(Clone, Debug, Default)]
pub struct EngineConfig {
    /// How deep to look; `None`: what the match says.
    pub goal: Option<Goal>,
    /// Node limit a move.
    pub nodes: Option<u64>,
    /// Time limit a move, the player's own: the referee does not enforce it.
    pub time: Option<Duration>,
    /// Threads and table.
    pub options: Options,
    /// Weights file, the embedded weights if `None`.
    pub eval: Option<PathBuf>,
    /// What was read from it, by [`PlayerSpec::load`].
    pub weights: Option<Arc<Weights>>,
    /// The book it plays from: none unless asked for.
    pub book: Option<BookSource>,
    /// What was read of it, by [`PlayerSpec::load`].
    pub book_file: Option<Arc<BookFile>>,
    /// How it uses the book.
    pub choosing: Choosing,
    /// Discs that its moves in the first plies may be worse than the best.
    pub variety: Option<u32>,
    /// It plays as people of this grade do.
    pub grade: Option<Grade>,
}

/// Where a player's book comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BookSource {
    /// The program.
    Embedded,
    /// A file.
    File(PathBuf),
}

impl EngineConfig {
    /// Opens the book that is asked for; its checksum, which is right.
    fn open_book(&mut self) -> Result<Option<u32>, String> {
        let Some(source) = &self.book else { return Ok(None) };
        let file = match source {
            BookSource::Embedded => embedded(),
            BookSource::File(path) => {
                let file = BookFile::open(path).map_err(|error| error.to_string())?;
                file.check_sum().map_err(|problem| format!("{}: {problem}", path.display()))?;
                Arc::new(file)
            }
        };
        let checksum = file.checksum();
        self.book_file = Some(file);
        Ok(Some(checksum))
    }
}

/// Checksums of the files that a player has read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checksums {
    /// Of its weights, if they are not the embedded ones.
    pub weights: Option<u64>,
    /// Of its book, also of the embedded one.
    pub book: Option<u32>,
}

/// What a reference player looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimpleStyle {
    /// Nothing: any legal move.
    Random,
    /// The discs after the move: as many as possible (as few under the fewest-discs objective).
    Greedy,
    /// The opponent's moves after the move: as few as possible.
    Mobility,
}

impl SimpleStyle {
    /// All of them.
    pub const ALL: [SimpleStyle; 3] = [SimpleStyle::Random, SimpleStyle::Greedy, SimpleStyle::Mobility];

    /// The name in player texts.
    pub const fn name(self) -> &'static str {
        match self {
            SimpleStyle::Random => "random",
            SimpleStyle::Greedy => "greedy",
            SimpleStyle::Mobility => "mobility",
        }
    }
}

/// The protocol another program speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Go Text Protocol, version 2.
    Gtp,
    /// NBoard, version 2.
    NBoard,
}

/// What a GTP engine is told about forced passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum PassDialect {
    /// `play COLOUR pass` until the engine refuses one, nothing from then on.
    #[default]
    Auto,
    /// Always `play COLOUR pass`; a refusal is an error.
    Send,
    /// Nothing: the next move simply has the same colour again.
    Omit,
}

/// Another program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalConfig {
    /// What it speaks.
    pub protocol: Protocol,
    /// Program and arguments.
    pub command: Vec<String>,
    /// Working directory, the present one if `None`.
    pub directory: Option<PathBuf>,
    /// Passes (GTP).
    pub passes: PassDialect,
    /// `set depth` (NBoard).
    pub level: Option<u8>,
    /// Commands sent after the start (GTP), such as `set_level 6`.
    pub init: Vec<String>,
}

/// What all players of a match share.
#[derive(Clone, Debug)]
pub struct PlayerContext {
    /// Stops everything.
    pub stop: StopToken,
    /// The strength of engines inside the process that have none of their own.
    pub goal: Option<Goal>,
    /// Their node limit.
    pub nodes: Option<u64>,
    /// The time control.
    pub control: TimeControl,
    /// How long to wait for anything but a move.
    pub patience: Duration,
}

impl PlayerSpec {
    /// Reads the weights file and the book that the player asks for, if any; returns checksums of them. To be called once before
    /// players are made: all of them share what it read.
    ///
    /// # Errors
    /// A text that names the file when it cannot be read, has no weights or is a damaged book.
    pub fn load(&mut self) -> Result<Checksums, String> {
        let PlayerKind::Engine(config) = &mut self.kind else { return Ok(Checksums::default()) };
        let book = config.open_book()?;
        let Some(path) = &config.eval else { return Ok(Checksums { weights: None, book }) };
        let bytes = read_file(path).map_err(|error| match error {
            WeightsError::Io { source, .. } => format!("cannot read '{}': {source}", path.display()),
            error => format!("{}: {error}", path.display()),
        })?;
        let weights = Weights::from_bytes(&bytes).map_err(|error| format!("{}: {error}", path.display()))?;
        config.weights = Some(Arc::new(weights));
        Ok(Checksums { weights: Some(fnv1a(FNV_BASIS, bytes)), book })
    }

    /// The file of the player's book, if it has one and [`PlayerSpec::load`] has read it.
    pub fn book_file(&self) -> Option<(&Path, &BookFile)> {
        match &self.kind {
            PlayerKind::Engine(EngineConfig { book: Some(BookSource::File(path)), book_file, .. }) => {
                Some((path, book_file.as_deref()?))
            }
            _ => None,
        }
    }

    /// The files that the player's weights and book are read from.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let (eval, book) = match &self.kind {
            PlayerKind::Engine(EngineConfig { eval, book, .. }) => (eval.as_deref(), book.as_ref()),
            _ => (None, None),
        };
        let book = book.and_then(|source| match source {
            BookSource::File(path) => Some(path.as_path()),
            BookSource::Embedded => None,
        });
        eval.into_iter().chain(book)
    }

    /// The strength that a match gives its players is this one's too: it has none of its own.
    pub fn takes_strength(&self) -> bool {
        match &self.kind {
            PlayerKind::Engine(config) => config.goal.is_none() && config.nodes.is_none() && config.grade.is_none(),
            _ => false,
        }
    }

    /// Threads the player keeps busy while it thinks, as far as known.
    pub fn threads(&self) -> usize {
        match &self.kind {
            PlayerKind::Engine(config) => config.options.threads,
            _ => 1,
        }
    }
}
