//! The weights file.
//!
//! A header of 32 bytes (little-endian: magic, format version, model kind, number of bytes that follow, number of sections,
//! CRC-32 of the bytes that follow, zero), for each section its packed and its inflated length, and the sections:
//! deflate streams of their own, so that they can be inflated side by side.
//!
//! * The first section holds the number of phases, the phase of each number of empties and the constants, the error models of
//!   the midgame and of searches to the end; then, if there is an embedding, its heads.
//! * Then come the phases, [`PHASES_A_SECTION`] a section, as differences from the phase before in the section,
//!   low bytes apart from high bytes: most are zero because a phase starts from its neighbour's weights.
//! * Then come the rows of the embedding, those of fillings before those of regions, column by column, two sections for four
//!   columns: the high halves of their numbers, which tell signs by the lowest bit, and the low ones, which are not packed because packing
//!   them gains an eighth and takes half of the time of reading.
//!
//! Whoever made a file, reading it takes no more memory than a model needs: every length follows from the kind and the first
//! section, and is compared with what the file says before anything is allocated for it.

mod sections;

use std::fs::File;
use std::io::{Read, Write};
use std::iter;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::bufread::DeflateDecoder;
use flate2::write::DeflateEncoder;

use self::sections::First;
use super::embedding::{WIDTH, row_count};
use super::model::Model;
use super::pattern::{EMPTIES, folded_count};
use super::regions::MOVES_ROWS;
use crate::checksum::crc32;
use crate::workers;

const MAGIC: &[u8; 8] = b"OUTFLEVL";
const VERSION: u32 = 4;
/// Linear model over the 46 patterns.
const LINEAR: u32 = 1;
/// The same and an embedding of 32 numbers a row, which earlier programs wrote: read with zeros for the rest of a row. The columns of
/// its rows are whole, four a section.
const NARROW: u32 = 2;
/// The same with [`WIDTH`] numbers a row, only read as well.
const WHOLE: u32 = 3;
/// The same in halves, only read as well: like all before it, it has no rows for regions, which are zero then.
const HALVES: u32 = 4;
/// The same with rows for the moves in blocks, only read as well: regions with the same moves get the same rows.
const MOVES: u32 = 5;
/// The same with rows for regions.
const EMBEDDING: u32 = 6;
const HEADER: usize = 32;
/// Sections that packing makes shorter by less than one part in so many stay as they are.
const SAVED: usize = 5;
/// Bytes of a section's entry in the list.
const ENTRY: usize = 8;
/// Phases of the linear model that are packed together.
pub(super) const PHASES_A_SECTION: usize = 6;
/// Threads that inflate sections.
const MOST_THREADS: usize = 8;
/// Bytes that inflating takes beside its input and output, at most; the library for it ends the program without them.
const DECODER: usize = 128 << 10;
/// Bytes of the patterns' own tables, which are made when the first weights are unfolded.
const PATTERN_TABLES: usize = 2 << 20;
/// Bytes behind the header of the largest file: more than a phase for each number of empties and an embedding take unpacked (22 MB;
/// deflate adds a thousandth to what it cannot pack).
const MAX_BODY: u64 = 1 << 25;
/// Sections of the largest file, to be generous.
const MAX_SECTIONS: usize = 1 + EMPTIES + WIDTH;

/// Why bytes are not usable weights.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WeightsError {
    /// The file cannot be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The bytes do not begin as a weights file does.
    #[error("not an Outflank weights file (it does not begin with 'OUTFLEVL')")]
    Foreign,
    /// A weights file of another version of the format.
    #[error("weights file of format {found}, this program reads format {VERSION}: train them anew")]
    Version {
        /// The version in the file.
        found: u32,
    },
    /// Weights of a model this program does not have.
    #[error("weights of model kind {found}, this program has kinds {LINEAR} to {EMBEDDING}")]
    Kind {
        /// The kind in the file.
        found: u32,
    },
    /// The file ends early or goes on too long.
    #[error("weights file of {found} bytes, its header says {expected}")]
    Length {
        /// Bytes by the header.
        expected: u64,
        /// Bytes there are.
        found: u64,
    },
    /// There is not enough memory for them.
    #[error("not enough memory for the weights")]
    Memory,
    /// The content is not what was written.
    #[error("damaged weights file: {0}")]
    Damaged(&'static str),
}

const WRONG_SIZE: WeightsError = WeightsError::Damaged("its tables have the wrong size");
const BAD_STREAM: WeightsError = WeightsError::Damaged("it does not inflate");

/// How a file keeps the rows of its embedding.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    /// Numbers in a row.
    width: usize,
    /// High and low halves of numbers have sections of their own.
    halves: bool,
    /// Numbers in a column: rows in the file.
    rows: usize,
}

impl Layout {
    /// Columns are packed in so many groups.
    fn groups(self) -> usize {
        self.width / sections::COLUMNS_A_GROUP
    }

    /// Sections of such a group.
    fn sections_a_group(self) -> usize {
        1 + self.halves as usize
    }
}

/// The layout of the embedding that a file of this kind has, if any.
fn layout_of(kind: u32) -> Option<Layout> {
    match kind {
        NARROW => Some(Layout { width: 32, halves: false, rows: folded_count() }),
        WHOLE => Some(Layout { width: WIDTH, halves: false, rows: folded_count() }),
        HALVES => Some(Layout { width: WIDTH, halves: true, rows: folded_count() }),
        MOVES => Some(Layout { width: WIDTH, halves: true, rows: folded_count() + MOVES_ROWS }),
        EMBEDDING => Some(Layout { width: WIDTH, halves: true, rows: row_count() }),
        _ => None,
    }
}

/// What a header says.
struct Header {
    kind: u32,
    /// Bytes that follow.
    body: u64,
    sections: usize,
    crc: u32,
}

impl Header {
    /// Reads the header at the front of a file of which `found` bytes are known.
    fn read(bytes: &[u8], found: u64) -> Result<Header, WeightsError> {
        if !bytes.starts_with(MAGIC) {
            return Err(WeightsError::Foreign);
        }
        let header = bytes.get(..HEADER).ok_or(WeightsError::Length { expected: HEADER as u64, found })?;
        let field = |i: usize| number(&header[8 + 4 * i..]);
        match (field(0), field(1)) {
            (VERSION, LINEAR..=EMBEDDING) => {}
            (VERSION, found) => return Err(WeightsError::Kind { found }),
            (found, _) => return Err(WeightsError::Version { found }),
        }
        if field(5) != 0 {
            return Err(WeightsError::Damaged("its header does not end with zeros"));
        }
        let (body, sections) = (field(2) as u64, field(3) as usize);
        if body > MAX_BODY || sections > MAX_SECTIONS {
            return Err(WRONG_SIZE);
        }
        Ok(Header { kind: field(1), body, sections, crc: field(4) })
    }

    fn check_length(&self, bytes: &[u8]) -> Result<(), WeightsError> {
        let (expected, found) = (HEADER as u64 + self.body, bytes.len() as u64);
        if expected == found { Ok(()) } else { Err(WeightsError::Length { expected, found }) }
    }
}

/// The bytes of a weights file, if its header says that it is one: no more than that are read.
///
/// # Errors
/// [`WeightsError`]: the file cannot be read, or its header or length is not that of a weights file.
pub fn read_file(path: &Path) -> Result<Vec<u8>, WeightsError> {
    let io = |source| WeightsError::Io { path: path.to_path_buf(), source };
    let mut file = File::open(path).map_err(io)?;
    let mut bytes = Vec::new();
    (&mut file).take(HEADER as u64).read_to_end(&mut bytes).map_err(io)?;
    let header = Header::read(&bytes, bytes.len() as u64)?;
    // one more shows that there is more
    bytes.try_reserve(header.body as usize + 1).map_err(|_| WeightsError::Memory)?;
    file.take(header.body + 1).read_to_end(&mut bytes).map_err(io)?;
    Ok(bytes)
}

impl Model {
    /// The bytes of a weights file.
    ///
    /// # Panics
    /// When it is not valid ([`Model::is_valid`]).
    pub fn to_bytes(&self) -> Vec<u8> {
        assert!(self.is_valid(), "trainers check models");
        let sections = sections::write(self);
        let packed: Vec<Vec<u8>> = side_by_side(sections.len(), |i| deflate(&sections[i]));
        let mut body = Vec::new();
        for (packed, section) in packed.iter().zip(&sections) {
            body.extend_from_slice(&(packed.len() as u32).to_le_bytes());
            body.extend_from_slice(&(section.len() as u32).to_le_bytes());
        }
        packed.iter().for_each(|packed| body.extend_from_slice(packed));
        let kind = if self.embedding.is_some() { EMBEDDING } else { LINEAR };
        let mut bytes = MAGIC.to_vec();
        for number in [VERSION, kind, body.len() as u32, sections.len() as u32, crc32(&body), 0] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&body);
        bytes
    }

    /// Reads the bytes of a weights file.
    ///
    /// # Errors
    /// [`WeightsError`] says what is wrong with them.
    pub fn from_bytes(bytes: &[u8]) -> Result<Model, WeightsError> {
        let header = Header::read(bytes, bytes.len() as u64)?;
        header.check_length(bytes)?;
        if crc32(&bytes[HEADER..]) != header.crc {
            return Err(WeightsError::Damaged("the checksum does not match"));
        }
        let Packed { first, others } = Packed::split(bytes, &header)?;
        // inflated, and as numbers
        let total: usize = others.iter().map(|&(_, len)| len).sum();
        room_for(2 * total + MOST_THREADS * DECODER + PATTERN_TABLES)?;
        let inflated: Result<Vec<_>, _> = side_by_side(others.len(), |i| inflate(others[i])).into_iter().collect();
        first.with(inflated?)
    }

    /// Reads a weights file.
    ///
    /// # Errors
    /// [`WeightsError`] says why it cannot be used.
    pub fn load(path: &Path) -> Result<Model, WeightsError> {
        Model::from_bytes(&read_file(path)?)
    }
}

/// A weights file of which only the first section is unpacked: the others are when somebody needs them.
pub(super) struct Packed<'a> {
    /// What the first section says.
    pub first: First,
    /// The other sections with the lengths they inflate to: those of the phases, then those of the embedding.
    others: Vec<(&'a [u8], usize)>,
}

impl<'a> Packed<'a> {
    /// The sections of a file that is known to be undamaged: its checksum is not looked at.
    pub fn trusted(bytes: &'a [u8]) -> Result<Packed<'a>, WeightsError> {
        let header = Header::read(bytes, bytes.len() as u64)?;
        header.check_length(bytes)?;
        Packed::split(bytes, &header)
    }

    fn split(bytes: &'a [u8], header: &Header) -> Result<Packed<'a>, WeightsError> {
        let mut packed = split(&bytes[HEADER..], header.sections).ok_or(WRONG_SIZE)?.into_iter();
        room_for(DECODER)?;
        let first = packed.next().ok_or(WRONG_SIZE)?;
        if first.1 != sections::first_len(header.kind) {
            return Err(WRONG_SIZE);
        }
        let first = First::read(&inflate(first)?, header.kind).ok_or(WRONG_SIZE)?;
        let others: Vec<_> = packed.collect();
        if !others.iter().map(|&(_, len)| len).eq(sections::other_lens(&first)) {
            return Err(WRONG_SIZE);
        }
        Ok(Packed { first, others })
    }

    /// The phases of one section, those of `section * PHASES_A_SECTION` on, one after the other: `each` sees its number in the
    /// section and its weights.
    pub fn phases(&self, section: usize, each: impl FnMut(usize, &[i16])) -> Result<(), WeightsError> {
        let (packed, _) = self.others[section];
        room_for(4 * folded_count() + DECODER + PATTERN_TABLES)?;
        sections::each_phase(DeflateDecoder::new(packed), self.phase_count(section), each)
    }

    /// Phases in a section.
    pub fn phase_count(&self, section: usize) -> usize {
        self.others[section].1 / (2 * folded_count())
    }

    /// Groups of columns of the embedding: none without one.
    pub fn group_count(&self) -> usize {
        self.first.layout().map_or(0, Layout::groups)
    }

    /// Some columns of the embedding, for [`Packed::rows`].
    pub fn columns(&self, group: usize) -> Result<Vec<u8>, WeightsError> {
        let each = self.first.layout().map_or(1, Layout::sections_a_group);
        let parts = &self.others[self.first.section_count() + group * each..][..each];
        room_for(parts.iter().map(|part| part.1).sum::<usize>() + DECODER)?;
        let first = inflate(parts[0])?;
        Ok(match parts.get(1) {
            Some(&low) => sections::joined(first, &inflate(low)?),
            None => first,
        })
    }

    /// The rows of the embedding, made of all its columns.
    pub fn rows(&self, columns: &[Vec<u8>]) -> Result<Vec<[i8; WIDTH]>, WeightsError> {
        room_for(row_count() * WIDTH + PATTERN_TABLES)?;
        let rows = self.first.layout().map_or(0, |layout| layout.rows);
        sections::read_rows(columns, rows).ok_or(WeightsError::Memory)
    }
}

/// The packed sections with the lengths they say they inflate to.
fn split(body: &[u8], count: usize) -> Option<Vec<(&[u8], usize)>> {
    let list = body.get(..count.checked_mul(ENTRY)?)?;
    let mut rest = &body[list.len()..];
    let mut sections = Vec::with_capacity(count);
    for entry in list.chunks_exact(ENTRY) {
        sections.push((rest.split_off(..number(entry) as usize)?, number(&entry[4..]) as usize));
    }
    rest.is_empty().then_some(sections)
}

fn deflate(section: &[u8]) -> Vec<u8> {
    let at = |level| {
        let mut encoder = DeflateEncoder::new(Vec::new(), level);
        encoder.write_all(section).expect("writing to memory");
        encoder.finish().expect("writing to memory")
    };
    let packed = at(Compression::best());
    // as it is, it is read many times as fast
    if SAVED * (section.len().saturating_sub(packed.len())) < section.len() { at(Compression::none()) } else { packed }
}

fn inflate((packed, len): (&[u8], usize)) -> Result<Vec<u8>, WeightsError> {
    let mut section = Vec::new();
    section.try_reserve_exact(len + 1).map_err(|_| WeightsError::Memory)?;
    DeflateDecoder::new(packed).take(len as u64 + 1).read_to_end(&mut section).map_err(|_| BAD_STREAM)?;
    if section.len() == len { Ok(section) } else { Err(BAD_STREAM) }
}

/// Asks whether so many bytes are to be had, for what cannot say later that they are not.
fn room_for(bytes: usize) -> Result<(), WeightsError> {
    let mut room = Vec::<u8>::new();
    room.try_reserve_exact(bytes).map_err(|_| WeightsError::Memory)?;
    // memory that nobody looks at is not even asked for
    std::hint::black_box(&mut room);
    Ok(())
}

/// So many zeros; `None` when there is not enough memory.
fn zeros<T: Copy>(len: usize, zero: T) -> Option<Vec<T>> {
    let mut values = Vec::new();
    values.try_reserve_exact(len).ok()?;
    values.resize(len, zero);
    Some(values)
}

/// Results of independent jobs, worked off by a few threads. Not rayon: weights are decoded while others wait for them,
/// and a rayon thread that waits here could have taken up a job that waits for the weights.
pub(super) fn side_by_side<T: Send>(jobs: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS).min(jobs);
    let worker = |job| Some(work(job));
    workers::in_order(iter::repeat_n(&worker, threads), 0..jobs, jobs, |results| results.collect())
}

/// The little-endian number at the front.
fn number(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

#[cfg(test)]
mod tests;
