//! The trained model as it is fitted and stored: folded weights, and the file they travel in.
//!
//! A weights file is a 32-byte header (little-endian: magic, format version, model kind, number of bytes that follow,
//! number of bytes they inflate to, CRC-32 of those, zero) and a deflate stream. The stream holds, for each of the two
//! tables, the phase of each number of empties, the constants, and the weights of each phase as differences from the
//! phase before, low bytes apart from high bytes: most are zero because a phase starts from its neighbour's weights.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

use super::pattern::{FEATURES, ORDERING_FEATURES, folded_count};

/// Numbers of empties a table has constants for: 0..=60.
pub const EMPTIES: usize = 61;

const MAGIC: &[u8; 8] = b"OUTFLEVL";
const VERSION: u32 = 1;
/// Linear model over the 46 patterns and over a prefix of them.
const KIND: u32 = 1;
const HEADER: usize = 32;
/// No valid file inflates to more: 60 phases of both tables.
const MAX_INFLATED: usize = 1 << 25;

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
    #[error("weights file format {found}, this program reads format {VERSION}")]
    Version {
        /// The version in the file.
        found: u32,
    },
    /// Weights of a model this program does not have.
    #[error("weights of model kind {found}, this program has kind {KIND}")]
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

/// One linear model: weights by phase and filling, constants by number of empties. Units of 1/128 disc.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linear {
    /// The phase of each number of empties.
    pub phase_of: [u8; EMPTIES],
    /// What is added at each number of empties.
    pub constants: [i16; EMPTIES],
    /// For each phase, a weight for each folded filling.
    pub phases: Vec<Vec<i16>>,
}

/// Everything a weights file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// Over all patterns.
    pub evaluation: Linear,
    /// Over the first [`ORDERING_FEATURES`] patterns.
    pub ordering: Linear,
}

impl Linear {
    /// No knowledge: one phase of zeros over the first `features` patterns.
    pub fn zero(features: usize) -> Linear {
        Linear { phase_of: [0; EMPTIES], constants: [0; EMPTIES], phases: vec![vec![0; folded_count(features)]] }
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.push(self.phases.len() as u8);
        out.extend_from_slice(&self.phase_of);
        out.extend(self.constants.iter().flat_map(|c| c.to_le_bytes()));
        let mut before = vec![0i16; self.phases[0].len()];
        for phase in &self.phases {
            let zigzag: Vec<u16> = phase
                .iter()
                .zip(&before)
                .map(|(now, before)| now.wrapping_sub(*before))
                .map(|d| ((d << 1) ^ (d >> 15)) as u16)
                .collect();
            out.extend(zigzag.iter().map(|z| *z as u8));
            out.extend(zigzag.iter().map(|z| (z >> 8) as u8));
            before.copy_from_slice(phase);
        }
    }

    /// Reads what [`Linear::write`] wrote from the front of `bytes`.
    fn read(bytes: &mut &[u8], features: usize) -> Option<Linear> {
        let count = folded_count(features);
        let phases = *bytes.split_off_first()? as usize;
        let phase_of: [u8; EMPTIES] = bytes.split_off(..EMPTIES)?.try_into().ok()?;
        if phase_of.iter().any(|&phase| phase as usize >= phases) {
            return None;
        }
        let raw = bytes.split_off(..2 * EMPTIES)?;
        let mut linear = Linear { phase_of, constants: [0; EMPTIES], phases: Vec::with_capacity(phases) };
        for (constant, raw) in linear.constants.iter_mut().zip(raw.chunks_exact(2)) {
            *constant = i16::from_le_bytes([raw[0], raw[1]]);
        }
        for phase in 0..phases {
            let (low, high) = (bytes.split_off(..count)?, bytes.split_off(..count)?);
            let mut weights = if phase == 0 { vec![0; count] } else { linear.phases[phase - 1].clone() };
            for ((weight, low), high) in weights.iter_mut().zip(low).zip(high) {
                let zigzag = u16::from_le_bytes([*low, *high]);
                *weight = weight.wrapping_add((zigzag >> 1) as i16 ^ -((zigzag & 1) as i16));
            }
            linear.phases.push(weights);
        }
        Some(linear)
    }
}

impl Model {
    /// A model to which every position is even.
    pub fn zero() -> Model {
        Model { evaluation: Linear::zero(FEATURES), ordering: Linear::zero(ORDERING_FEATURES) }
    }

    /// The bytes of a weights file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut content = Vec::new();
        self.evaluation.write(&mut content);
        self.ordering.write(&mut content);
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&content).expect("writing to memory");
        let packed = encoder.finish().expect("writing to memory");
        let mut bytes = MAGIC.to_vec();
        for number in [VERSION, KIND, packed.len() as u32, content.len() as u32, crc32(&content), 0] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&packed);
        bytes
    }

    /// Reads the bytes of a weights file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Model, WeightsError> {
        if !bytes.starts_with(MAGIC) {
            return Err(WeightsError::Foreign);
        }
        let length = |expected| WeightsError::Length { expected, found: bytes.len() as u64 };
        let header = bytes.get(..HEADER).ok_or(length(HEADER as u64))?;
        let field = |i: usize| u32::from_le_bytes(header[8 + 4 * i..][..4].try_into().expect("four bytes"));
        match (field(0), field(1)) {
            (VERSION, KIND) => {}
            (VERSION, found) => return Err(WeightsError::Kind { found }),
            (found, _) => return Err(WeightsError::Version { found }),
        }
        let packed = &bytes[HEADER..];
        if packed.len() as u64 != field(2) as u64 {
            return Err(length(HEADER as u64 + field(2) as u64));
        }
        let inflated = field(3) as usize;
        if inflated > MAX_INFLATED {
            return Err(WeightsError::Damaged("its header asks for too much memory"));
        }
        let mut content = Vec::with_capacity(inflated + 1);
        DeflateDecoder::new(packed)
            .take(inflated as u64 + 1)
            .read_to_end(&mut content)
            .map_err(|_| WeightsError::Damaged("it does not inflate"))?;
        if content.len() != inflated || crc32(&content) != field(4) {
            return Err(WeightsError::Damaged("the checksum does not match"));
        }
        let mut rest = &content[..];
        Linear::read(&mut rest, FEATURES)
            .zip(Linear::read(&mut rest, ORDERING_FEATURES))
            .filter(|_| rest.is_empty())
            .map(|(evaluation, ordering)| Model { evaluation, ordering })
            .ok_or(WeightsError::Damaged("its tables have the wrong size"))
    }

    /// Reads a weights file.
    pub fn load(path: &Path) -> Result<Model, WeightsError> {
        let bytes = std::fs::read(path).map_err(|source| WeightsError::Io { path: path.to_path_buf(), source })?;
        Model::from_bytes(&bytes)
    }
}

pub(super) fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

#[cfg(test)]
pub(super) mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    /// Random weights in three phases.
    pub fn random_model(seed: u64) -> Model {
        let mut rng = StdRng::seed_from_u64(seed);
        let mut linear = |features| Linear {
            phase_of: std::array::from_fn(|empties| (empties / 21) as u8),
            constants: std::array::from_fn(|_| rng.random_range(-300..300)),
            phases: (0..3)
                .map(|_| (0..folded_count(features)).map(|_| rng.random_range(-2000..2000)).collect())
                .collect(),
        };
        Model { evaluation: linear(FEATURES), ordering: linear(ORDERING_FEATURES) }
    }

    #[test]
    fn bytes_round_trip() {
        for model in [Model::zero(), random_model(1)] {
            assert_eq!(Model::from_bytes(&model.to_bytes()).unwrap(), model);
        }
        let mut extreme = Model::zero();
        extreme.evaluation.phases =
            vec![vec![i16::MIN; folded_count(FEATURES)], vec![i16::MAX; folded_count(FEATURES)]];
        assert_eq!(Model::from_bytes(&extreme.to_bytes()).unwrap(), extreme);
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
        assert_eq!(message(&with(8, 9)), "weights file format 9, this program reads format 1");
        assert_eq!(message(&with(12, 7)), "weights of model kind 7, this program has kind 1");
        assert!(message(&with(23, 0xFF)).contains("too much memory"));
        assert!(message(&with(24, good[24] ^ 1)).contains("checksum"));
    }

    #[test]
    fn no_flipped_bit_goes_unnoticed() {
        let good = Model::zero().to_bytes();
        for at in 0..good.len() {
            // bytes 28..32 are reserved, and the last bits of the deflate stream may be padding
            if (28..32).contains(&at) || at + 1 == good.len() {
                continue;
            }
            let mut bytes = good.clone();
            bytes[at] ^= 0x10;
            match Model::from_bytes(&bytes) {
                Err(_) => {}
                Ok(model) => assert_eq!(model, Model::zero(), "byte {at}"),
            }
        }
    }

    #[test]
    fn a_missing_file_is_named() {
        let message = Model::load(Path::new("no/such/weights.bin")).unwrap_err().to_string();
        assert!(message.starts_with("no/such/weights.bin: "), "{message}");
    }
}
