//! The games of a self-play file as labelled positions.
//!
//! A file holds one generation: games searched with the same weights, whose faults are measured together. There may be more games
//! than memory: they are read three times, twice to measure and once to label, a block at a time.

use std::ops::Range;
use std::path::Path;

use super::dataset::Collector;
use super::labels::Labels;
use crate::selfplay::{GameRecord, Reader, SelfplayError};

/// Games in memory at a time: some 20 MB.
pub const BLOCK: usize = 1 << 14;

/// Adds the games of a self-play file with an index in `range` to `collector`, `block` at a time, labelled with `lambda` as in
/// [`Labels`]; returns how many. The labels do not depend on `block`.
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
    let open = || Ok::<_, SelfplayError>(Reader::open(path)?.within(range.clone()));
    // a program may be adding games to the file: those that come later are left out
    let mut count = usize::MAX;
    let labels = Labels::measure(
        |visit| {
            let mut seen = 0;
            for game in open()?.take(count) {
                visit(&game?);
                seen += 1;
            }
            count = seen;
            Ok::<(), SelfplayError>(())
        },
        lambda,
    )?;
    let mut games = open()?.take(count);
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
    use crate::selfplay::{Archive, Header, Settings, play};

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
}
