//! How far the embedding may be from the linear value: the bounds of the heads, from the positions it was trained on.
//!
//! A search that knows the linear value alone can drop a leaf only if the embedding cannot bring it back into the window, and
//! the few positions with the largest values would make every leaf dear. What they say beyond the bounds is given up.

use crate::eval::{EMPTIES, Model, Reach, Weights};
use crate::train::dataset::{Dataset, Sample};

/// One position in so many is above the upper bound, and as many below the lower one.
const TAIL: usize = 200;
/// Positions looked at for each number of empties.
const POSITIONS: usize = 20_000;
/// Numbers of empties on each side that count too: neighbours should not differ by chance.
const WINDOW: usize = 1;
/// Fewer positions than this say nothing: without them there are no bounds.
const MIN_COUNT: usize = 2_000;

/// Sets the bounds of the model's embedding, if it has one.
pub fn bound(model: &mut Model, dataset: &Dataset) {
    let set = |model: &mut Model, reach: &dyn Fn(usize) -> [Reach; 2]| {
        let heads = model.embedding.iter_mut().flat_map(|embedding| &mut embedding.heads);
        heads.enumerate().for_each(|(empties, head)| head.reach = reach(empties));
    };
    set(model, &|_| [Reach::WIDEST; 2]);
    let weights = Weights::new(model);
    let values: Vec<[Vec<i16>; 2]> = dataset.stages.iter().map(|stage| values(&stage.train, &weights)).collect();
    set(model, &|empties| {
        let window = &values[empties.saturating_sub(WINDOW)..(empties + WINDOW + 1).min(EMPTIES)];
        [0, 1].map(|sign| reach_of(window.iter().flat_map(|values| &values[sign]).copied().collect()))
    });
}

/// What the embedding adds to the values of samples, in internal units; linear values of 0 and more apart from those below.
fn values(samples: &[Sample], weights: &Weights) -> [Vec<i16>; 2] {
    let mut values = [Vec::new(), Vec::new()];
    for sample in samples.iter().step_by(samples.len().div_ceil(POSITIONS).max(1)) {
        let linear = weights.linear_value(sample.board);
        let added = weights.evaluate_fine(sample.board) - linear;
        values[(linear < 0) as usize].push(added.clamp(i16::MIN as i32, i16::MAX as i32) as i16);
    }
    values
}

/// The bounds that leave out the tails.
fn reach_of(mut values: Vec<i16>) -> Reach {
    if values.len() < MIN_COUNT {
        return Reach::WIDEST;
    }
    values.sort_unstable();
    let tail = values.len() / TAIL;
    Reach { least: values[tail], most: values[values.len() - 1 - tail] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_leave_out_the_tails() {
        let values: Vec<i16> = (0..20_000).map(|i| (i * 7 % 20_000) as i16 - 10_000).collect();
        assert_eq!(reach_of(values), Reach { least: -9_900, most: 9_899 });
        assert_eq!(reach_of(vec![5; MIN_COUNT - 1]), Reach::WIDEST);
    }
}
