//! The games of a self-play file as labelled positions.
//!
//! A file holds one generation: games searched with the same weights, whose faults are measured together. There may be more games
//! than memory: they are read three times, twice to measure and once to label, a block at a time; what stays in memory is where in the
//! file each one is, so that sums are made in the order of their numbers.

use std::ops::Range;
use std::path::Path;

use super::dataset::Collector;
use super::labels::Labels;
use crate::selfplay::{GameRecord, InOrder, Reader, SelfplayError};

/// Games in memory at a time: some 20 MB.
pub const BLOCK: usize = 1 << 14;

/// Adds the games of a self-play file with an index in `range` to `collector`, `block` at a time, labelled with `lambda` as in
/// [`Labels`]; returns how many. The labels do not depend on `block`, and nothing on the order of the games in the file: they are
/// added in that of their numbers. A program may be adding games to the file: those that come later are left out.
///
/// # Errors
/// [`SelfplayError`]: the file cannot be read or is no self-play file.
pub fn add_file(
    collector: &mut Collector,
    path: &Path,
    range: Range<u64>,
    lambda: f32,
    block: usize,
) -> Result<usize, SelfplayError> {
    let mut found: Option<InOrder> = None;
    let labels = Labels::measure(
        |visit| match &mut found {
            None => {
                found = Some(Reader::open(path)?.into_order(range.clone(), visit)?);
                Ok(())
            }
            Some(in_order) => in_order.games().try_for_each(|game| {
                visit(&game?);
                Ok::<(), SelfplayError>(())
            }),
        },
        lambda,
    )?;
    let mut in_order = found.expect("labels are measured on games");
    let count = in_order.len();
    let mut games = in_order.games();
    loop {
        let block: Vec<GameRecord> = games.by_ref().take(block).collect::<Result<_, _>>()?;
        if block.is_empty() {
            return Ok(count);
        }
        collector.add_selfplay(&block, &labels);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{Goal, Selectivity, StopToken};
    use crate::selfplay::{Archive, Header, PlyRange, Settings, play};

    #[test]
    fn labels_do_not_depend_on_how_many_games_are_read_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.osp");
        let settings = Settings { goal: Goal::Depth(2, Selectivity::NONE), exact: 8, ..Settings::default() };
        let mut archive = Archive::open(&path, &Header { seed: 1, settings: "test".into() }).unwrap();
        for index in 0..120 {
            archive.append(&play(&settings, index, &StopToken::new()).expect("nothing stops it")).unwrap();
        }
        drop(archive);
        let dataset = |block: usize, below: u64| {
            let mut collector = Collector::new(1);
            let count = add_file(&mut collector, &path, 0..below, 0.5, block).unwrap();
            (count, collector.finish())
        };
        let (count, whole) = dataset(BLOCK, u64::MAX);
        assert_eq!(count, 120);
        for block in [1, 7, 64] {
            let (_, parts) = dataset(block, u64::MAX);
            for (one, other) in whole.stages.iter().zip(&parts.stages) {
                assert!(one.train == other.train && one.test == other.test, "blocks of {block}");
            }
        }
        // the faults are measured: a part of the games has others
        let (count, part) = dataset(BLOCK, 60);
        assert_eq!(count, 60);
        let differ = |empties: usize| {
            let whole = &whole.stages[empties].train;
            let known = |sample: &super::super::dataset::Sample| whole.iter().find(|s| s.board == sample.board);
            part.stages[empties]
                .train
                .iter()
                .any(|s| known(s).is_some_and(|k| k.target != s.target && k.weight == s.weight))
        };
        assert!((20..40).any(differ), "no label has a correction in it");
    }

    #[test]
    fn the_order_in_the_file_does_not_matter() {
        let folder = tempfile::tempdir().unwrap();
        // games that begin alike: sums of many labels of one position tell in which order they were made
        let random_plies = PlyRange { min: 2, max: 6 };
        let goal = Goal::Depth(1, Selectivity::NONE);
        let settings = Settings { goal, exact: 6, random_plies, ..Settings::default() };
        let games: Vec<GameRecord> =
            (0..300).map(|index| play(&settings, index, &StopToken::new()).expect("nothing stops it")).collect();
        let dataset = |name: &str, order: &mut dyn Iterator<Item = usize>| {
            let path = folder.path().join(name);
            let mut archive = Archive::open(&path, &Header { seed: 1, settings: "test".into() }).unwrap();
            order.for_each(|index| archive.append(&games[index]).unwrap());
            drop(archive);
            let mut collector = Collector::new(1);
            assert_eq!(add_file(&mut collector, &path, 10..290, 0.5, 64).unwrap(), 280);
            collector.finish()
        };
        let sorted = dataset("sorted", &mut (0..300));
        for (name, other) in [
            ("backwards", dataset("backwards", &mut (0..300).rev())),
            ("mixed", dataset("mixed", &mut (0..300).map(|i| i * 77 % 300))),
        ] {
            for (one, other) in sorted.stages.iter().zip(&other.stages) {
                assert!(one.train == other.train && one.test == other.test, "{name}");
            }
        }
    }
}
