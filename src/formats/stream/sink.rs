//! Games written one by one.

use std::fmt;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::FileKind;
use crate::formats::atomic::AtomicFile;
use crate::formats::files::transcript_line;
use crate::formats::named_rules::Naming;
use crate::formats::quantity::plural;
use crate::formats::record::{Ending, GameRecord, GameResult};
use crate::formats::wthor::{self, NotStorable, Writer};
use crate::formats::{board_text, fen, ggf, ggs, obf, pgn, sgf};

/// Why a game is not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SinkError {
    /// Nothing can be written any more.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The format cannot hold this game; others can follow.
    #[error(transparent)]
    Game(#[from] NotStorable),
    /// The game has no position after so many moves; others can follow.
    #[error("the game has {} only", plural(*.0 as u64, "move"))]
    Short(usize),
}

enum Output {
    File(BufWriter<AtomicFile>),
    Stream(BufWriter<Box<dyn Write + Send>>),
    Wthor(Box<Writer>),
}

/// What the format could not keep, in games or values.
#[derive(Debug, Default)]
struct Lost {
    /// Games won without a score, where the format has to say one.
    unscored: u64,
    /// Games with a score, where the format says only how they ended.
    endings: u64,
    /// Games that were not played to their end, where the format says nothing of that.
    stopped: u64,
    /// Games whose score is no number of discs, where the format has nothing else.
    uneven: u64,
    /// Values of tags that are longer than a line may be.
    cut_tags: u64,
    /// Values with a closing bracket, which the format cannot write.
    brackets: u64,
    /// Theoretical scores of files of WTHOR that its new ones do not have.
    best_play: u64,
    /// Positions whose discs in hand the format has no place for.
    hands: u64,
}

/// Writes games as they come; a file appears whole or not at all.
pub struct GameSink {
    kind: FileKind,
    output: Output,
    /// Names rules in texts, where they change.
    naming: Naming,
    /// In formats of positions: after so many moves, instead of at the end.
    at: Option<usize>,
    count: u64,
    lost: Lost,
}

impl fmt::Debug for GameSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GameSink").field("kind", &self.kind).field("count", &self.count).finish_non_exhaustive()
    }
}

impl GameSink {
    /// Begins a file (of WTHOR also a folder); what was there stays until [`GameSink::finish`].
    ///
    /// # Errors
    /// Those of making the file.
    pub fn to_file(path: &Path, kind: FileKind) -> io::Result<GameSink> {
        let output = match kind {
            FileKind::Wthor => Output::Wthor(Box::new(Writer::create(path)?)),
            _ => Output::File(BufWriter::new(AtomicFile::create(path)?)),
        };
        Ok(GameSink::new(kind, output))
    }

    /// Writes to a stream.
    ///
    /// # Errors
    /// [`io::ErrorKind::Unsupported`] for WTHOR, whose header needs the number of games.
    pub fn to_stream(stream: Box<dyn Write + Send>, kind: FileKind) -> io::Result<GameSink> {
        if kind == FileKind::Wthor {
            return Err(io::Error::new(io::ErrorKind::Unsupported, "WTHOR needs a file"));
        }
        Ok(GameSink::new(kind, Output::Stream(BufWriter::new(stream))))
    }

    fn new(kind: FileKind, output: Output) -> GameSink {
        GameSink { kind, output, naming: Naming::default(), at: None, count: 0, lost: Lost::default() }
    }

    /// Formats of positions write the position after so many moves (passes counted) instead of the last one.
    #[must_use]
    pub fn at(mut self, moves: Option<usize>) -> GameSink {
        self.at = moves;
        self
    }

    /// The format.
    pub fn kind(&self) -> FileKind {
        self.kind
    }

    /// Games written.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Writes a game.
    ///
    /// # Errors
    /// [`SinkError`]; after [`SinkError::Game`] and [`SinkError::Short`] other games can be written.
    pub fn write(&mut self, record: &GameRecord) -> Result<(), SinkError> {
        let text = match self.kind {
            FileKind::Wthor => None,
            FileKind::Ggf => {
                let (text, changed) = ggf::write_counting(record);
                self.lost.brackets += changed;
                Some(text + "\n")
            }
            FileKind::Sgf => Some(sgf::write(record)),
            FileKind::Pgn => {
                let (text, cut) = pgn::write_counting(record);
                self.lost.cut_tags += cut;
                Some(text)
            }
            FileKind::Text => Some(transcript_line(record, &mut self.naming)),
            FileKind::Board | FileKind::Fen | FileKind::Ggs => Some(self.position(record)?),
        };
        match (&mut self.output, text) {
            (Output::Wthor(writer), _) => writer.add(record)??,
            (Output::File(file), Some(text)) => file.write_all(text.as_bytes())?,
            (Output::Stream(stream), Some(text)) => stream.write_all(text.as_bytes())?,
            (_, None) => unreachable!("only WTHOR is no text"),
        }
        self.count += 1;
        self.note_result(record);
        Ok(())
    }

    /// Counts what the format does not say of a result.
    fn note_result(&mut self, record: &GameRecord) {
        let Some(GameResult { winner, score, ending }) = record.result else { return };
        let is_stopped = matches!(ending, Ending::Resignation | Ending::Time);
        let is_unscored = score.is_none() && winner.is_some();
        // of games without a score that is said already
        let is_mute = score.is_some() && ending != Ending::Played;
        let lost = &mut self.lost;
        match self.kind {
            FileKind::Ggf => lost.unscored += u64::from(is_unscored),
            FileKind::Sgf => {
                lost.endings += u64::from(score.is_some() && is_stopped);
                lost.stopped += u64::from(is_mute && !is_stopped);
            }
            FileKind::Pgn => {
                lost.unscored += u64::from(is_unscored);
                lost.stopped += u64::from(is_mute);
                lost.uneven += u64::from(score.is_some_and(|score| score.fract() != 0.0));
            }
            FileKind::Wthor => {
                lost.unscored += u64::from(is_unscored);
                lost.stopped += u64::from(is_mute);
                // black's discs are half the score and 32; of a finished game those of the board
                let is_finished = record.game.position().is_game_over();
                lost.uneven += u64::from(!is_finished && score.is_some_and(|score| score % 2.0 != 0.0));
                let mut remarks = record.comment.iter().flat_map(|comment| comment.lines());
                lost.best_play += u64::from(remarks.any(|remark| remark.starts_with(wthor::BEST_PLAY)));
            }
            _ => {}
        }
    }

    fn position(&mut self, record: &GameRecord) -> Result<String, SinkError> {
        let positions = record.game.positions();
        let position = match self.at {
            Some(moves) => positions.get(moves).ok_or(SinkError::Short(positions.len() - 1))?,
            None => record.game.position(),
        };
        let text = self.naming.before(position.rules());
        Ok(match self.kind {
            FileKind::Fen => text + &fen::write(position) + "\n",
            FileKind::Ggs => {
                self.lost.hands += u64::from(board_text::hands(position).is_some());
                text + &ggs::write(position)
            }
            _ => text + &obf::write_position(record, position) + "\n",
        })
    }

    /// Puts the file in its place; returns what was lost, a remark each. WTHOR's files are not written without a game.
    ///
    /// # Errors
    /// Those of writing; the old file is there then.
    pub fn finish(self) -> io::Result<Vec<String>> {
        let (lost, mut losses) = (self.lost, wthor::Losses::default());
        match self.output {
            Output::File(file) => file.into_inner().map_err(io::IntoInnerError::into_error)?.commit()?,
            Output::Stream(mut stream) => stream.flush()?,
            Output::Wthor(writer) => losses = writer.finish()?,
        }
        let remarks = [
            (lost.unscored, "wins without a score, written as wins of all squares"),
            (lost.endings, "games given up or lost on time, whose scores SGF has no place for then"),
            (lost.stopped, "games given up, lost on time or agreed on, of which only the score is written"),
            (lost.uneven, "scores that no count of discs gives, which PGN leaves out and WTHOR rounds to the next win"),
            (lost.cut_tags, "values cut that are longer than a line of PGN may be"),
            (lost.brackets, "names and other values whose ']' GGF has no way to write, and which have ')' instead"),
            (lost.best_play, "theoretical scores, in whose place is the result"),
            (lost.hands, "positions whose discs in hand GGS has no place for"),
            (losses.other_years, "games of another year than the file can say (name a folder instead)"),
            (losses.altered_names, "names cut or spelt otherwise (WTHOR holds 19 or 25 letters of Latin-1)"),
            (losses.merged_names, "names that are the same as another one since"),
        ];
        let told = remarks.into_iter().filter(|(count, _)| *count > 0);
        Ok(told.map(|(count, remark)| format!("{remark}: {count}")).collect())
    }
}
