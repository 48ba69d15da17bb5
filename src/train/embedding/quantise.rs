//! From the numbers of the training to those of the evaluation.

use super::network::Network;
use crate::eval::{EMPTIES, Embedding, Head, MAX_BIAS, MAX_WEIGHT, Model, Reach, UNITS_PER_DISC, WIDTH};

/// Units of a sum in the clipping range.
pub const UNITS: f32 = 256.0;
/// The largest entry of a row, either sign.
pub const MOST_ENTRY: f32 = i8::MAX as f32;
/// Rows that fewer batches have met say nothing yet.
pub const MIN_UPDATES: u32 = 2;

/// Puts the embedding into the model.
pub fn install(network: &Network, model: &mut Model) {
    let row = |(row, updates): (&[f32; WIDTH], u32)| match updates {
        MIN_UPDATES.. => row.map(|entry| (entry * UNITS).round().clamp(-MOST_ENTRY, MOST_ENTRY) as i8),
        _ => [0; WIDTH],
    };
    let heads = (0..EMPTIES).map(|empties| head(network, empties)).collect();
    model.embedding = Some(Embedding { heads, rows: network.rows().map(row).collect() });
}

fn head(network: &Network, empties: usize) -> Head {
    let (bias, weights, constant) = network.head(empties);
    let most = MAX_BIAS as f32;
    let units = weights.iter().map(|weight| weight * UNITS_PER_DISC as f32);
    // one less for each: rounding must not get over the bound
    let total: f32 = units.clone().map(f32::abs).sum();
    let scale = ((MAX_WEIGHT - WIDTH as i32) as f32 / total.max(1.0)).min(1.0);
    let mut head = Head::ZERO;
    head.bias.iter_mut().zip(bias).for_each(|(to, from)| *to = (from * UNITS).round().clamp(-most, most) as i16);
    head.weights.iter_mut().zip(units).for_each(|(to, from)| *to = (from * scale).round() as i16);
    // no bounds as yet
    head.reach = [Reach::WIDEST; 2];
    head.constant = (constant * UNITS_PER_DISC as f32).round() as i16;
    head
}
