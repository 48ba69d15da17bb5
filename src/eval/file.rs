//! The weights file.
//!
//! A header of 32 bytes (little-endian: magic, format version, model kind, number of bytes that follow, number of sections,
//! CRC-32 of the bytes that follow, zero), for each section its packed and its inflated length, and the sections:
//! deflate streams of their own, so that they can be inflated side by side.
//!
//! * The first section holds the number of phases, the phase of each number of empties and the constants; then, if there is
//!   an embedding, its heads.
//! * Then come the phases, [`PHASES_A_SECTION`] a section, as differences from the phase before in the section,
//!   low bytes apart from high bytes: most are zero because a phase starts from its neighbour's weights.
//! * Then come the rows of the embedding, column by column, [`COLUMNS_A_SECTION`] a section.
//!
//! Files of format 2 have a second table, of fewer patterns, behind the first in both places; it is passed over.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

use super::embedding::{Embedding, Head, WIDTH};
use super::model::{Linear, Model};
use super::pattern::{EMPTIES, folded_count};

const MAGIC: &[u8; 8] = b"OUTFLEVL";
const VERSION: u32 = 3;
/// The format before, which can be read too.
const TWO_TABLES: u32 = 2;
/// Linear model over the 46 patterns.
const LINEAR: u32 = 1;
/// The same and an embedding of [`WIDTH`] numbers a row.
const EMBEDDING: u32 = 2;
const HEADER: usize = 32;
/// Bytes of a section's entry in the list.
const ENTRY: usize = 8;
/// No valid section inflates to more.
const MAX_SECTION: usize = 1 << 23;
const PHASES_A_SECTION: usize = 6;
const COLUMNS_A_SECTION: usize = 4;

/// Why bytes are not usable weights.
#[derive(Debug, thiserror::Error)]
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
    #[error("weights file format {found}, this program reads formats {TWO_TABLES} and {VERSION}")]
    Version {
        /// The version in the file.
        found: u32,
    },
    /// Weights of a model this program does not have.
    #[error("weights of model kind {found}, this program has kinds {LINEAR} and {EMBEDDING}")]
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
    /// The content is not what was written.
    #[error("damaged weights file: {0}")]
    Damaged(&'static str),
}

const WRONG_SIZE: WeightsError = WeightsError::Damaged("its tables have the wrong size");

impl Model {
    /// The bytes of a weights file.
    ///
    /// # Panics
    /// When the embedding is not valid.
    pub fn to_bytes(&self) -> Vec<u8> {
        assert!(self.embedding.as_ref().is_none_or(Embedding::is_valid), "numbers too large for the arithmetic");
        let sections = self.sections();
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

    fn sections(&self) -> Vec<Vec<u8>> {
        let mut first = Vec::new();
        first.push(self.evaluation.phases.len() as u8);
        first.extend_from_slice(&self.evaluation.phase_of);
        first.extend(self.evaluation.constants.iter().flat_map(|c| c.to_le_bytes()));
        if let Some(embedding) = &self.embedding {
            for head in &embedding.heads {
                let numbers = head.bias.iter().chain(&head.weights).chain([&head.constant]);
                first.extend(numbers.flat_map(|n| n.to_le_bytes()));
            }
        }
        let mut sections = vec![first];
        sections.extend(self.evaluation.phases.chunks(PHASES_A_SECTION).map(write_phases));
        if let Some(embedding) = &self.embedding {
            let column = |j: usize| embedding.rows.iter().map(move |row| row[j] as u8);
            let columns = |first: usize| (first..first + COLUMNS_A_SECTION).flat_map(column).collect();
            sections.extend((0..WIDTH).step_by(COLUMNS_A_SECTION).map(columns));
        }
        sections
    }

    /// Reads the bytes of a weights file.
    ///
    /// # Errors
    /// [`WeightsError`] says what is wrong with them.
    pub fn from_bytes(bytes: &[u8]) -> Result<Model, WeightsError> {
        if !bytes.starts_with(MAGIC) {
            return Err(WeightsError::Foreign);
        }
        let length = |expected| WeightsError::Length { expected, found: bytes.len() as u64 };
        let header = bytes.get(..HEADER).ok_or(length(HEADER as u64))?;
        let field = |i: usize| number(&header[8 + 4 * i..]);
        let kind = match (field(0), field(1)) {
            (VERSION | TWO_TABLES, kind @ (LINEAR | EMBEDDING)) => kind,
            (VERSION | TWO_TABLES, found) => return Err(WeightsError::Kind { found }),
            (found, _) => return Err(WeightsError::Version { found }),
        };
        let body = &bytes[HEADER..];
        if body.len() as u64 != field(2) as u64 {
            return Err(length(HEADER as u64 + field(2) as u64));
        }
        if crc32(body) != field(4) {
            return Err(WeightsError::Damaged("the checksum does not match"));
        }
        let sections = split(body, field(3) as usize).ok_or(WRONG_SIZE)?;
        let inflated = side_by_side(sections.len(), |i| inflate(sections[i]));
        let inflated = inflated.into_iter().collect::<Option<Vec<_>>>();
        let inflated = inflated.ok_or(WeightsError::Damaged("it does not inflate"))?;
        Model::from_sections(&inflated, kind == EMBEDDING, field(0) == TWO_TABLES).ok_or(WRONG_SIZE)
    }

    fn from_sections(mut sections: &[Vec<u8>], with_embedding: bool, two_tables: bool) -> Option<Model> {
        let mut first = &sections.split_off_first()?[..];
        let mut evaluation = Linear::read(&mut first)?;
        let second = if two_tables { Some(Linear::read(&mut first)?) } else { None };
        let heads = if with_embedding { Some(read_heads(&mut first)?) } else { None };
        if !first.is_empty() {
            return None;
        }
        let packed = sections.split_off(..evaluation.phase_count().div_ceil(PHASES_A_SECTION))?;
        if let Some(second) = second {
            sections.split_off(..second.phase_count().div_ceil(PHASES_A_SECTION))?;
        }
        let in_section = |i: usize| PHASES_A_SECTION.min(evaluation.phase_count() - i * PHASES_A_SECTION);
        for phases in side_by_side(packed.len(), |i| read_phases(&packed[i], folded_count(), in_section(i))) {
            evaluation.phases.extend(phases?);
        }
        let embedding = match heads {
            Some(heads) => Some(read_rows(&mut sections, heads)?),
            None => None,
        };
        sections.is_empty().then_some(Model { evaluation, embedding })
    }

    /// Reads a weights file.
    ///
    /// # Errors
    /// [`WeightsError`] says why it cannot be used.
    pub fn load(path: &Path) -> Result<Model, WeightsError> {
        let bytes = std::fs::read(path).map_err(|source| WeightsError::Io { path: path.to_path_buf(), source })?;
        Model::from_bytes(&bytes)
    }
}

impl Linear {
    /// Reads a table without its phases from the front of the first section.
    fn read(bytes: &mut &[u8]) -> Option<Linear> {
        let phases = *bytes.split_off_first()? as usize;
        let phase_of: [u8; EMPTIES] = bytes.split_off(..EMPTIES)?.try_into().ok()?;
        if phase_of.iter().max().is_none_or(|&last| last as usize + 1 != phases) {
            return None;
        }
        let raw = bytes.split_off(..2 * EMPTIES)?;
        let mut constants = raw.chunks_exact(2).map(|raw| i16::from_le_bytes([raw[0], raw[1]]));
        let constants = std::array::from_fn(|_| constants.next().unwrap_or(0));
        Some(Linear { phase_of, constants, phases: Vec::with_capacity(phases) })
    }

    /// Phases by the numbers of empties.
    fn phase_count(&self) -> usize {
        self.phase_of.iter().max().map_or(0, |&last| last as usize + 1)
    }
}

fn write_phases(phases: &[Vec<i16>]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut before = vec![0i16; phases[0].len()];
    for phase in phases {
        let difference = phase.iter().zip(&before).map(|(now, before)| now.wrapping_sub(*before));
        let zigzag: Vec<u16> = difference.map(|d| ((d << 1) ^ (d >> 15)) as u16).collect();
        out.extend(zigzag.iter().map(|z| *z as u8));
        out.extend(zigzag.iter().map(|z| (z >> 8) as u8));
        before.copy_from_slice(phase);
    }
    out
}

fn read_phases(bytes: &[u8], count: usize, phases: usize) -> Option<Vec<Vec<i16>>> {
    if bytes.len() != 2 * count * phases {
        return None;
    }
    let mut read: Vec<Vec<i16>> = Vec::with_capacity(phases);
    for phase in bytes.chunks_exact(2 * count) {
        let (low, high) = phase.split_at(count);
        let mut weights = read.last().cloned().unwrap_or_else(|| vec![0; count]);
        for ((weight, low), high) in weights.iter_mut().zip(low).zip(high) {
            let zigzag = u16::from_le_bytes([*low, *high]);
            *weight = weight.wrapping_add((zigzag >> 1) as i16 ^ -((zigzag & 1) as i16));
        }
        read.push(weights);
    }
    Some(read)
}

fn read_heads(bytes: &mut &[u8]) -> Option<Vec<Head>> {
    let mut heads = Vec::with_capacity(EMPTIES);
    for _ in 0..EMPTIES {
        let raw = bytes.split_off(..2 * (2 * WIDTH + 1))?;
        let number = |i: usize| i16::from_le_bytes([raw[2 * i], raw[2 * i + 1]]);
        let part = |first: usize| std::array::from_fn(|j| number(first + j));
        heads.push(Head { bias: part(0), weights: part(WIDTH), constant: number(2 * WIDTH) });
    }
    Some(heads)
}

fn read_rows(sections: &mut &[Vec<u8>], heads: Vec<Head>) -> Option<Embedding> {
    let count = folded_count();
    let mut rows = vec![[0i8; WIDTH]; count];
    for first in (0..WIDTH).step_by(COLUMNS_A_SECTION) {
        let section = sections.split_off_first()?;
        if section.len() != COLUMNS_A_SECTION * count {
            return None;
        }
        for (j, column) in section.chunks_exact(count).enumerate() {
            rows.iter_mut().zip(column).for_each(|(row, &entry)| row[first + j] = entry as i8);
        }
    }
    Some(Embedding { heads, rows }).filter(Embedding::is_valid)
}

/// The packed sections with their inflated lengths.
fn split(body: &[u8], count: usize) -> Option<Vec<(&[u8], usize)>> {
    let list = body.get(..count.checked_mul(ENTRY)?)?;
    let mut rest = &body[list.len()..];
    let mut sections = Vec::with_capacity(count);
    for entry in list.chunks_exact(ENTRY) {
        let inflated = number(&entry[4..]) as usize;
        if inflated > MAX_SECTION {
            return None;
        }
        sections.push((rest.split_off(..number(entry) as usize)?, inflated));
    }
    rest.is_empty().then_some(sections)
}

fn deflate(section: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(section).expect("writing to memory");
    encoder.finish().expect("writing to memory")
}

fn inflate((packed, len): (&[u8], usize)) -> Option<Vec<u8>> {
    let mut section = Vec::with_capacity(len + 1);
    DeflateDecoder::new(packed).take(len as u64 + 1).read_to_end(&mut section).ok()?;
    (section.len() == len).then_some(section)
}

/// Results of independent jobs, worked off by a few threads. Not rayon: weights are decoded while others wait for them,
/// and a rayon thread that waits here could have taken up a job that waits for the weights.
pub(super) fn side_by_side<T: Send>(jobs: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    const MOST: usize = 8;
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MOST).min(jobs);
    let next = AtomicUsize::new(0);
    let worker = || {
        let mine = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&job| job < jobs);
        std::iter::from_fn(mine).map(|job| (job, work(job))).collect::<Vec<_>>()
    };
    let mut done = std::thread::scope(|scope| {
        let helper = |_| std::thread::Builder::new().spawn_scoped(scope, worker).ok();
        let helpers: Vec<_> = (1..threads).map_while(helper).collect();
        let mut done = worker();
        done.extend(helpers.into_iter().flat_map(|helper| helper.join().expect("jobs do not panic")));
        done
    });
    done.sort_by_key(|&(job, _)| job);
    done.into_iter().map(|(_, result)| result).collect()
}

/// The little-endian number at the front.
fn number(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

pub(super) fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::model::tests::{extreme_embedding, random_embedding, random_model};

    fn with_embedding(embedding: Embedding) -> Model {
        Model { embedding: Some(embedding), ..random_model(5) }
    }

    #[test]
    fn bytes_round_trip() {
        let mut extreme = Model::zero();
        extreme.evaluation.phases = vec![vec![i16::MIN; folded_count()], vec![i16::MAX; folded_count()]];
        extreme.evaluation.phase_of[0] = 1;
        let mut many = random_model(1);
        many.evaluation.phases = vec![many.evaluation.phases[1].clone(); 13];
        many.evaluation.phase_of = std::array::from_fn(|empties| (empties / 5) as u8);
        let embeddings = [random_embedding(1, 100), random_embedding(2, 127), extreme_embedding(-1)];
        for model in [Model::zero(), random_model(1), extreme, many].into_iter().chain(embeddings.map(with_embedding)) {
            assert!(Model::from_bytes(&model.to_bytes()).unwrap() == model);
        }
    }

    #[test]
    fn the_second_table_of_format_2_is_passed_over() {
        for embedding in [None, Some(random_embedding(3, 90))] {
            let with_embedding = embedding.is_some();
            let model = Model { embedding, ..random_model(5) };
            let mut sections = model.sections();
            // thirteen phases of few patterns, listed behind the first table, in three sections behind its one
            let mut second = vec![13];
            second.extend((0..EMPTIES).map(|empties| (empties / 5) as u8));
            second.extend([7; 2 * EMPTIES]);
            sections[0].splice(1 + 3 * EMPTIES..1 + 3 * EMPTIES, second);
            sections.splice(2..2, [vec![1; 500], vec![2; 500], vec![3; 100]]);
            assert!(Model::from_sections(&sections, with_embedding, true).unwrap() == model);
            assert!(Model::from_sections(&sections, with_embedding, false).is_none());
            sections.remove(2);
            assert!(Model::from_sections(&sections, with_embedding, true).is_none());
        }
    }

    #[test]
    fn bad_bytes_are_named() {
        let good = Model::zero().to_bytes();
        let message = |bytes: &[u8]| Model::from_bytes(bytes).unwrap_err().to_string();
        assert!(message(b"").contains("not an Outflank weights file"));
        assert!(message(b"EVALxxxxxxxxxxxxxxxxxxxxxxxxxxxxx").contains("not an Outflank weights file"));
        assert_eq!(message(&good[..20]), "weights file of 20 bytes, its header says 32");
        let end = good.len();
        assert_eq!(message(&good[..end - 1]), format!("weights file of {} bytes, its header says {end}", end - 1));
        assert!(message(&[&good[..], b"x"].concat()).contains(&format!("its header says {end}")));
        let with = |at: usize, value: u8| {
            let mut bytes = good.clone();
            bytes[at] = value;
            bytes
        };
        assert_eq!(message(&with(8, 1)), "weights file format 1, this program reads formats 2 and 3");
        assert_eq!(message(&with(12, 7)), "weights of model kind 7, this program has kinds 1 and 2");
        assert!(message(&with(24, good[24] ^ 1)).contains("checksum"));
        assert!(message(&with(HEADER + 3, good[HEADER + 3] ^ 1)).contains("checksum"));
    }

    /// A file whose checksum is right although `change` was made to its body.
    fn resealed(model: &Model, change: impl FnOnce(&mut [u8])) -> String {
        let mut bytes = model.to_bytes();
        change(&mut bytes[HEADER..]);
        let crc = crc32(&bytes[HEADER..]);
        bytes[24..28].copy_from_slice(&crc.to_le_bytes());
        Model::from_bytes(&bytes).unwrap_err().to_string()
    }

    #[test]
    fn files_that_are_wrong_on_purpose_are_refused() {
        let model = Model::zero();
        let wrong_size = WRONG_SIZE.to_string();
        assert_eq!(resealed(&model, |body| body[0] ^= 1), wrong_size);
        assert_eq!(resealed(&model, |body| body[3] = 0x7F), wrong_size);
        assert_eq!(resealed(&model, |body| body[7] = 0xFF), wrong_size, "asks for too much memory");
        assert!(resealed(&model, |body| body[4] ^= 1).contains("inflate"));
        let mut bytes = model.to_bytes();
        for sections in [0u32, 1, 3, u32::MAX] {
            bytes[20..24].copy_from_slice(&sections.to_le_bytes());
            assert!(Model::from_bytes(&bytes).is_err(), "{sections} sections");
        }
        // an embedding that could overflow, written by someone who did not ask whether it is valid
        let mut embedding = random_embedding(1, 1);
        embedding.heads[7].bias[3] = i16::MAX;
        let model = with_embedding(embedding);
        assert!(!model.embedding.as_ref().unwrap().is_valid());
        let sections = model.sections();
        assert!(Model::from_sections(&sections, true, false).is_none());
        assert!(Model::from_sections(&with_embedding(random_embedding(1, 1)).sections(), true, false).is_some());
        assert!(Model::from_sections(&sections, false, false).is_none(), "sections are left over");
    }

    #[test]
    fn no_flipped_bit_goes_unnoticed() {
        let good = Model::zero().to_bytes();
        for at in 0..good.len() {
            // bytes 28..32 are reserved
            if (28..32).contains(&at) {
                continue;
            }
            let mut bytes = good.clone();
            bytes[at] ^= 0x10;
            assert!(Model::from_bytes(&bytes).is_err(), "byte {at}");
        }
    }

    #[test]
    fn a_missing_file_is_named() {
        let message = Model::load(Path::new("no/such/weights.bin")).unwrap_err().to_string();
        assert!(message.starts_with("no/such/weights.bin: "), "{message}");
    }

    #[test]
    fn jobs_keep_their_order() {
        assert_eq!(side_by_side(100, |job| job * job), (0..100).map(|job| job * job).collect::<Vec<_>>());
        assert!(side_by_side(0, |job| job).is_empty());
    }
}
