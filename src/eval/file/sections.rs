//! What is in the sections of a weights file: see the module above.

use std::io::Read;

use super::{BAD_STREAM, Layout, PHASES_A_SECTION, WRONG_SIZE, WeightsError, layout_of, side_by_side, zeros};
use crate::eval::embedding::{Embedding, Head, Reach, WIDTH, row_count};
use crate::eval::error_model::{ErrorModel, ErrorModels};
use crate::eval::model::{Linear, Model};
use crate::eval::pattern::{EMPTIES, folded_count};
use crate::eval::regions::{MOVES_ROWS, rows_by_moves};

/// Columns of the embedding that are packed together.
pub(super) const COLUMNS_A_GROUP: usize = 4;
/// Bytes of the phases, constants and error models in the first section.
const FIRST: usize = 1 + 3 * EMPTIES + 2 * ERROR_MODEL;
/// Bytes of an error model.
const ERROR_MODEL: usize = 4 * 4;
/// Rows that are put together at a time.
const BLOCK: usize = 64;

/// Bytes of a head of rows of this width.
const fn head_len(width: usize) -> usize {
    2 * (2 * width + 5)
}

/// Bytes of the first section of a file of this kind.
pub(super) fn first_len(kind: u32) -> usize {
    FIRST + layout_of(kind).map_or(0, |layout| EMPTIES * head_len(layout.width))
}

/// Bytes of the sections that follow a first section.
pub(super) fn other_lens(first: &First) -> Vec<usize> {
    let phases = first.evaluation.phase_count();
    let count = folded_count();
    let in_section = |begin: usize| 2 * count * PHASES_A_SECTION.min(phases - begin);
    let mut lens: Vec<usize> = (0..phases).step_by(PHASES_A_SECTION).map(in_section).collect();
    if let Some(layout) = first.layout() {
        let columns = COLUMNS_A_GROUP * layout.rows;
        let lens_of_columns = [columns, columns / 2];
        let group = &lens_of_columns[..layout.sections_a_group()];
        (0..layout.groups()).for_each(|_| lens.extend_from_slice(group));
    }
    lens
}

/// The sections of a model.
pub(super) fn write(model: &Model) -> Vec<Vec<u8>> {
    let mut first = vec![model.evaluation.phases.len() as u8];
    first.extend_from_slice(&model.evaluation.phase_of);
    first.extend(model.evaluation.constants.iter().flat_map(|c| c.to_le_bytes()));
    for errors in [model.errors.midgame, model.errors.endgame] {
        let numbers = [errors.constant, errors.by_probe, errors.by_depth, errors.by_empties];
        first.extend(numbers.iter().flat_map(|n| n.to_le_bytes()));
    }
    for head in model.embedding.iter().flat_map(|embedding| &embedding.heads) {
        let numbers = head.bias.iter().chain(&head.weights).chain([&head.constant]);
        let numbers = numbers.chain(head.reach.iter().flat_map(|reach| [&reach.least, &reach.most]));
        first.extend(numbers.flat_map(|n| n.to_le_bytes()));
    }
    let mut sections = vec![first];
    sections.extend(model.evaluation.phases.chunks(PHASES_A_SECTION).map(write_phases));
    if let Some(embedding) = &model.embedding {
        let column = |j: usize| embedding.rows.iter().map(move |row| row[j] as u8);
        let columns = |first: usize| (first..first + COLUMNS_A_GROUP).flat_map(column).collect::<Vec<u8>>();
        sections.extend((0..WIDTH).step_by(COLUMNS_A_GROUP).flat_map(|first| halves(&columns(first))));
    }
    sections
}

/// The halves of numbers whose small absolute values are small: the high ones, one a byte, which pack well and are quick to inflate; and
/// the low ones, two a byte, which do not pack.
pub(super) fn halves(numbers: &[u8]) -> [Vec<u8>; 2] {
    let zigzag: Vec<u8> = numbers.iter().map(|&number| (number << 1) ^ ((number as i8) >> 7) as u8).collect();
    let low = zigzag.chunks_exact(2).map(|pair| (pair[0] & 15) | (pair[1] << 4)).collect();
    [zigzag.iter().map(|number| number >> 4).collect(), low]
}

/// Puts the numbers together again, where their high halves are.
pub(super) fn joined(mut high: Vec<u8>, low: &[u8]) -> Vec<u8> {
    let number = |high: u8, low: u8| {
        let zigzag = (high << 4) | low;
        (zigzag >> 1) ^ (zigzag & 1).wrapping_neg()
    };
    for (pair, low) in high.chunks_exact_mut(2).zip(low) {
        pair[0] = number(pair[0], low & 15);
        pair[1] = number(pair[1], low >> 4);
    }
    high
}

/// The first section, read.
pub(in crate::eval) struct First {
    /// Without its phases.
    pub evaluation: Linear,
    /// Of searches.
    pub errors: ErrorModels,
    /// How the file keeps its embedding, and its heads, if there is one.
    pub heads: Option<(Layout, Vec<Head>)>,
}

impl First {
    /// Reads the first section of a file of this kind; `None` when it makes no sense.
    pub(super) fn read(mut bytes: &[u8], kind: u32) -> Option<First> {
        let bytes = &mut bytes;
        let evaluation = Linear::read(bytes)?;
        let errors = ErrorModels { midgame: read_errors(bytes)?, endgame: read_errors(bytes)? };
        let heads = match layout_of(kind) {
            Some(layout) => Some((layout, read_heads(bytes, layout.width)?)),
            None => None,
        };
        (bytes.is_empty() && errors.is_valid()).then_some(First { evaluation, errors, heads })
    }

    /// How the file keeps its embedding, if there is one.
    pub(super) fn layout(&self) -> Option<Layout> {
        self.heads.as_ref().map(|(layout, _)| *layout)
    }

    /// Sections of phases.
    pub(in crate::eval) fn section_count(&self) -> usize {
        self.evaluation.phase_count().div_ceil(PHASES_A_SECTION)
    }

    /// The model of this and the other sections, whose lengths are [`other_lens`].
    pub(super) fn with(self, mut others: Vec<Vec<u8>>) -> Result<Model, WeightsError> {
        let columns = others.split_off(self.section_count());
        let (First { mut evaluation, errors, heads }, phases) = (self, others);
        for phases in side_by_side(phases.len(), |i| read_phases(&phases[i])) {
            evaluation.phases.extend(phases?);
        }
        let embedding = match heads {
            Some((layout, heads)) => {
                let columns = if layout.halves { joined_pairs(columns) } else { columns };
                Some(Embedding { heads, rows: read_rows(&columns, layout.rows).ok_or(WeightsError::Memory)? })
            }
            None => None,
        };
        if embedding.as_ref().is_some_and(|embedding| !embedding.is_valid()) {
            return Err(WRONG_SIZE);
        }
        Ok(Model { evaluation, embedding, errors })
    }
}

/// [`joined`] for all columns.
fn joined_pairs(sections: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let mut sections = sections.into_iter();
    std::iter::from_fn(|| Some(joined(sections.next()?, &sections.next()?))).collect()
}

impl Linear {
    /// Reads a table without its phases from the front of the first section.
    fn read(bytes: &mut &[u8]) -> Option<Linear> {
        let phases = *bytes.split_off_first()? as usize;
        let phase_of: [u8; EMPTIES] = bytes.split_off(..EMPTIES)?.try_into().ok()?;
        if phases > EMPTIES || phase_of.iter().max().is_none_or(|&last| last as usize + 1 != phases) {
            return None;
        }
        let raw = bytes.split_off(..2 * EMPTIES)?;
        let mut constants = raw.chunks_exact(2).map(|raw| i16::from_le_bytes([raw[0], raw[1]]));
        let constants = std::array::from_fn(|_| constants.next().unwrap_or(0));
        Some(Linear { phase_of, constants, phases: Vec::with_capacity(phases) })
    }

    /// Phases by the numbers of empties.
    pub(in crate::eval) fn phase_count(&self) -> usize {
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

/// Reads so many phases from the bytes of a section, one after the other: `each` sees its number in the section and its weights.
pub(super) fn each_phase(
    mut bytes: impl Read,
    phases: usize,
    mut each: impl FnMut(usize, &[i16]),
) -> Result<(), WeightsError> {
    let count = folded_count();
    let mut raw: Vec<u8> = zeros(2 * count, 0).ok_or(WeightsError::Memory)?;
    let mut weights: Vec<i16> = zeros(count, 0).ok_or(WeightsError::Memory)?;
    for phase in 0..phases {
        bytes.read_exact(&mut raw).map_err(|_| BAD_STREAM)?;
        let (low, high) = raw.split_at(count);
        for ((weight, low), high) in weights.iter_mut().zip(low).zip(high) {
            let zigzag = u16::from_le_bytes([*low, *high]);
            *weight = weight.wrapping_add((zigzag >> 1) as i16 ^ -((zigzag & 1) as i16));
        }
        each(phase, &weights);
    }
    Ok(())
}

/// Phases from a section that is as long as some of them.
fn read_phases(bytes: &[u8]) -> Result<Vec<Vec<i16>>, WeightsError> {
    let phases = bytes.len() / (2 * folded_count());
    let mut read: Vec<Vec<i16>> = Vec::with_capacity(phases);
    for _ in 0..phases {
        read.push(zeros(folded_count(), 0).ok_or(WeightsError::Memory)?);
    }
    each_phase(bytes, phases, |phase, weights| read[phase].copy_from_slice(weights))?;
    Ok(read)
}

fn read_errors(bytes: &mut &[u8]) -> Option<ErrorModel> {
    let raw = bytes.split_off(..ERROR_MODEL)?;
    let number = |i: usize| f32::from_le_bytes([raw[4 * i], raw[4 * i + 1], raw[4 * i + 2], raw[4 * i + 3]]);
    Some(ErrorModel { constant: number(0), by_probe: number(1), by_depth: number(2), by_empties: number(3) })
}

/// Heads of rows of this width; what the program's rows have more is worth nothing.
fn read_heads(bytes: &mut &[u8], width: usize) -> Option<Vec<Head>> {
    let mut heads = Vec::with_capacity(EMPTIES);
    for _ in 0..EMPTIES {
        let raw = bytes.split_off(..head_len(width))?;
        let number = |i: usize| i16::from_le_bytes([raw[2 * i], raw[2 * i + 1]]);
        let part = |first: usize| std::array::from_fn(|j| if j < width { number(first + j) } else { 0 });
        heads.push(Head {
            bias: part(0),
            weights: part(width),
            constant: number(2 * width),
            reach: [1, 3].map(|i| Reach { least: number(2 * width + i), most: number(2 * width + i + 1) }),
        });
    }
    Some(heads)
}

/// Rows of columns of this length, zero where a file has fewer of them; `None` when there is not enough memory.
pub(super) fn read_rows(sections: &[Vec<u8>], count: usize) -> Option<Vec<[i8; WIDTH]>> {
    let mut rows: Vec<[i8; WIDTH]> = zeros(row_count(), [0; WIDTH])?;
    let columns: Vec<&[u8]> = sections.iter().flat_map(|section| section.chunks_exact(count)).collect();
    // a block of rows stays in the cache while its columns are put in
    for (block, first) in rows.chunks_mut(BLOCK).zip((0..).step_by(BLOCK)) {
        for (j, column) in columns.iter().enumerate() {
            block.iter_mut().zip(column.get(first..).unwrap_or(&[])).for_each(|(row, &entry)| row[j] = entry as i8);
        }
    }
    if count == folded_count() + MOVES_ROWS {
        let regions = &mut rows[folded_count()..];
        let of_moves = regions[..MOVES_ROWS].to_vec();
        let row_of = |place: Option<u16>| place.map_or([0; WIDTH], |place| of_moves[place as usize]);
        regions.iter_mut().zip(rows_by_moves()).for_each(|(row, place)| *row = row_of(place));
    }
    Some(rows)
}
