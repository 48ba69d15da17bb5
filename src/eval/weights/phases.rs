//! The linear part: an entry for each filling in each phase, unfolded section by section.

use std::ops::RangeInclusive;
use std::sync::OnceLock;

use crate::eval::file::PHASES_A_SECTION;
use crate::eval::model::Linear;
use crate::eval::pattern::{EMPTIES, FILLINGS, folding};
use crate::kernel::sums::{Places, sum_entries};
use crate::pages::LargeSlice;

/// Entries after the last phase of a section, so that any 16-bit filling stays inside the table.
const TAIL: usize = 1 << 16;
/// Entries of a phase: whole cache lines.
const STRIDE: usize = FILLINGS.next_multiple_of(32);

/// Some phases side by side, an entry for each filling, then [`TAIL`] zeros.
pub(super) struct Section(LargeSlice<i16>);

impl Section {
    /// So many phases, all zero; `None` when there is not enough memory.
    pub fn zeroed(phases: usize) -> Option<Section> {
        // SAFETY: zero is a weight.
        unsafe { LargeSlice::zeroed(phases * STRIDE + TAIL) }.map(Section)
    }

    /// Unfolds a phase into its place.
    pub fn unfold(&mut self, phase: usize, weights: &[i16]) {
        let entries = &mut self.0[phase * STRIDE..][..FILLINGS];
        entries.iter_mut().zip(&folding().folded).for_each(|(entry, &place)| *entry = weights[place as usize]);
    }

    /// Unfolds phases; `None` when there is not enough memory.
    fn new(phases: &[Vec<i16>]) -> Option<Section> {
        let mut section = Section::zeroed(phases.len())?;
        phases.iter().enumerate().for_each(|(i, weights)| section.unfold(i, weights));
        Some(section)
    }
}

/// The phases of a model.
pub(super) struct Phases {
    sections: Vec<OnceLock<Section>>,
    /// By number of empties: its section, and where its phase begins there, with all fillings and [`TAIL`] still to come.
    begin: [(u32, u32); 64],
    /// By number of empties.
    constants: [i16; 64],
}

impl Phases {
    /// The phases of a model of which no section is there yet.
    pub fn empty(linear: &Linear, sections: usize) -> Phases {
        // positions of the 8x8 board never have more than 60 empties
        let known = |empties: usize| empties.min(EMPTIES - 1);
        let begin = |empties: usize| {
            let phase = linear.phase_of[known(empties)] as usize;
            ((phase / PHASES_A_SECTION) as u32, (phase % PHASES_A_SECTION * STRIDE) as u32)
        };
        Phases {
            sections: (0..sections).map(|_| OnceLock::new()).collect(),
            begin: std::array::from_fn(begin),
            constants: std::array::from_fn(|e| linear.constants[known(e)]),
        }
    }

    /// The phases of a model; `None` when there is not enough memory.
    pub fn new(linear: &Linear) -> Option<Phases> {
        let sections: Option<Vec<Section>> = linear.phases.chunks(PHASES_A_SECTION).map(Section::new).collect();
        let sections = sections?;
        let phases = Phases::empty(linear, sections.len());
        sections.into_iter().enumerate().for_each(|(i, section)| phases.set(i, section));
        Some(phases)
    }

    /// The section that positions with this many empties need.
    pub fn section(&self, empties: u32) -> usize {
        self.begin[(empties & 63) as usize].0 as usize
    }

    /// The sections that positions with so many empties need and that are not there.
    pub fn missing(&self, empties: RangeInclusive<u32>) -> impl Iterator<Item = usize> {
        let wanted = move |section: usize| empties.clone().any(|empties| self.section(empties) == section);
        (0..self.sections.len()).filter(move |&section| self.sections[section].get().is_none() && wanted(section))
    }

    /// Sections, there or not.
    #[cfg(test)]
    pub fn section_count(&self) -> usize {
        self.sections.len()
    }

    /// A section, if it is there.
    pub fn get(&self, section: usize) -> Option<&Section> {
        self.sections[section].get()
    }

    /// Puts a section in its place, unless it is there.
    pub fn set(&self, section: usize, entries: Section) {
        let _ = self.sections[section].set(entries);
    }

    /// The linear value of the fillings at `places`, in internal units, if the section is there.
    #[inline(always)]
    pub fn sum(&self, places: &Places, empties: u32) -> Option<i32> {
        const { assert!(STRIDE > FILLINGS + 1, "the lanes too many find a zero") };
        let empties = (empties & 63) as usize;
        let (section, begin) = self.begin[empties];
        let Section(entries) = self.get(section as usize)?;
        let phase = &entries[begin as usize..][..STRIDE + TAIL];
        // SAFETY: places are at most FILLINGS and a 16-bit number, the phase is longer by two
        Some(self.constants[empties] as i32 + unsafe { sum_entries(phase, places) })
    }
}

impl std::fmt::Debug for Phases {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ready = self.sections.iter().filter(|section| section.get().is_some()).count();
        write!(f, "Phases({ready} of {} sections)", self.sections.len())
    }
}
