//! What positions of self-play games are worth: the values of their searches, made fit to learn from.
//!
//! A search of few plies errs in three ways that an evaluation trained on its values would learn, and the next generation
//! of games would learn from that one: it has a bias for a side to move that depends on its parity; it is timid, because
//! the evaluation at its leaves is a mean over all that the patterns cannot tell apart; and it does not see what comes
//! later. The games themselves show all three, since their ends are exact: the first two are measured and taken out, and
//! values are mixed with those of the positions that follow.

use crate::eval::EMPTIES;
use crate::selfplay::{GameRecord, Kind, Labelled};

/// Numbers of empties on each side that are averaged.
const WINDOW: usize = 2;
/// Fewer positions than this say nothing.
const MIN_COUNT: f64 = 100.0;
/// Values of neighbouring positions that differ by more discs have a mistake between them, mostly a random move: what
/// comes later says nothing about the first of them.
const MISTAKE: f32 = 8.0;
/// A slope is measured on values up to this many discs; beyond, the board's 64 squares bound what can come of them.
const SLOPE_DISCS: f32 = 32.0;

/// How to make labels of the games of one generation: those searched with the same weights.
#[derive(Clone, Debug)]
pub struct Labels {
    bias: [f32; EMPTIES],
    slope: [f32; EMPTIES],
    lambda: f32,
}

impl Labels {
    /// Measures the faults of the searches of these games. `lambda` is the share that the next position's label has in
    /// one's own: 0 takes the searched values alone, 1 the first exact value that comes.
    pub fn new(games: &[GameRecord], lambda: f32) -> Labels {
        let bias = tempo_bias(games);
        Labels { bias, slope: slopes(games, &bias), lambda }
    }

    /// The target of each of the labelled positions of a game, in discs for the side to move. Exact values are taken as
    /// they are.
    pub fn targets(&self, positions: &[Labelled]) -> Vec<f32> {
        let mut targets = vec![0.0; positions.len()];
        // value and target of the position after this one, for black
        let mut next: Option<(f32, f32)> = None;
        for (position, target) in positions.iter().zip(&mut targets).rev() {
            let sign = if position.black { 1.0 } else { -1.0 };
            let value = sign * self.value(position);
            let black = match next {
                Some((after, label)) if position.kind != Kind::Exact && (after - value).abs() <= MISTAKE => {
                    (1.0 - self.lambda) * value + self.lambda * label
                }
                _ => value,
            };
            next = Some((value, black));
            *target = sign * black;
        }
        targets
    }

    /// The value of a search without its faults.
    fn value(&self, position: &Labelled) -> f32 {
        let empties = position.board.empty_count() as usize;
        match position.kind {
            Kind::Search { .. } => self.slope[empties] * unbiased(position, &self.bias),
            _ => position.discs(),
        }
    }
}

/// The value of a search without the bias of its parity.
fn unbiased(position: &Labelled, bias: &[f32; EMPTIES]) -> f32 {
    match position.kind {
        Kind::Search { depth, .. } if depth.is_multiple_of(2) => {
            position.discs() - bias[position.board.empty_count() as usize]
        }
        _ => position.discs(),
    }
}

/// By number of empties, how many discs searches of the games overrate the side to move by.
///
/// The value of a position and that of the next one, for the other side, should add up to zero. Searches of an even number of
/// plies ask the evaluation about positions with the same side to move as at their root, so if it overrates that side their
/// values do too, and an evaluation trained on them learns it: searches of odd and even depth then differ by twice as
/// much, and iterative deepening has to search every depth again. What pairs of neighbouring values add up to shows the mistake.
pub fn tempo_bias(games: &[GameRecord]) -> [f32; EMPTIES] {
    /// Sums further than this from the middle one follow a random move, which gives something away.
    const OUTLIER: f32 = 12.0;
    let mut sums: Vec<Vec<f32>> = vec![Vec::new(); EMPTIES];
    for game in games {
        let positions: Vec<_> = game.positions().collect();
        for pair in positions.windows(2) {
            let searched = |kind| matches!(kind, Kind::Search { depth, .. } if depth.is_multiple_of(2));
            if pair[0].black != pair[1].black && searched(pair[0].kind) && searched(pair[1].kind) {
                sums[pair[0].board.empty_count() as usize].push(pair[0].discs() + pair[1].discs());
            }
        }
    }
    let trimmed: Vec<(f64, f64)> = sums
        .iter_mut()
        .map(|sums| {
            sums.sort_by(f32::total_cmp);
            let middle = sums.get(sums.len() / 2).copied().unwrap_or(0.0);
            let near = || sums.iter().filter(|sum| (*sum - middle).abs() <= OUTLIER);
            (near().map(|&sum| sum as f64).sum(), near().count() as f64)
        })
        .collect();
    // both positions of a pair have their part in it
    windowed(&trimmed, WINDOW, |sum, count| if count < MIN_COUNT { 0.0 } else { (sum / count / 2.0) as f32 })
}

/// By number of empties, what the values of searches (without their bias) have to be multiplied by to be right on
/// average: the slope of the first exact value that comes in the game over them, but no less than 1. (Early in the game
/// the slope falls below it, since the side that is ahead has more to lose by the mistakes and random moves on the way.)
pub fn slopes(games: &[GameRecord], bias: &[f32; EMPTIES]) -> [f32; EMPTIES] {
    let mut sums = vec![(0.0, 0.0); EMPTIES];
    let mut counts = [0.0; EMPTIES];
    for game in games {
        let sign = |position: &Labelled| if position.black { 1.0 } else { -1.0 };
        let Some(exact) = game.positions().find(|p| p.kind == Kind::Exact).map(|p| sign(&p) * p.discs()) else {
            continue;
        };
        for position in game.positions().take_while(|p| p.kind != Kind::Exact) {
            let value = sign(&position) * unbiased(&position, bias);
            if value.abs() <= SLOPE_DISCS {
                let empties = position.board.empty_count() as usize;
                sums[empties].0 += (value * exact) as f64;
                sums[empties].1 += (value * value) as f64;
                counts[empties] += 1.0;
            }
        }
    }
    let enough = |empties: usize| counts[empties] >= MIN_COUNT;
    let sums: Vec<(f64, f64)> =
        sums.iter().enumerate().map(|(e, &sum)| if enough(e) { sum } else { (0.0, 0.0) }).collect();
    windowed(&sums, WINDOW, |products, squares| if squares <= 0.0 { 1.0 } else { (products / squares).max(1.0) as f32 })
}

/// `of` the sums over each number of empties and `reach` more on both sides.
pub(super) fn windowed<T>(sums: &[(f64, f64)], reach: usize, of: impl Fn(f64, f64) -> T) -> [T; EMPTIES] {
    std::array::from_fn(|empties| {
        let window = &sums[empties.saturating_sub(reach)..(empties + reach + 1).min(EMPTIES)];
        let (first, second) = window.iter().fold((0.0, 0.0), |(a, b), (first, second)| (a + first, b + second));
        of(first, second)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{Goal, Selectivity, StopToken};
    use crate::selfplay::{Settings, play};

    fn games(depth: u8, count: u32) -> Vec<GameRecord> {
        let settings = Settings { goal: Goal::Depth(depth, Selectivity::NONE), exact: 8, ..Settings::default() };
        (0..count).map(|index| play(&settings, index, &StopToken::new()).expect("nothing stops it")).collect()
    }

    /// Changes the searched values: they are for the side to move, in 1/128 disc.
    fn change(games: &mut [GameRecord], change: impl Fn(i16) -> i16) {
        for ply in games.iter_mut().flat_map(|game| &mut game.plies) {
            if matches!(ply.kind, Kind::Search { .. }) {
                ply.value = change(ply.value);
            }
        }
    }

    #[test]
    fn a_bias_for_the_side_to_move_is_found_and_taken_out() {
        let mut games = games(2, 100);
        let before = tempo_bias(&games);
        change(&mut games, |value| value + 3 * 128);
        let after = tempo_bias(&games);
        for empties in 33..46 {
            let found = after[empties] - before[empties];
            assert!((found - 3.0).abs() < 0.01, "{empties}: {found}");
        }
        assert_eq!(after[4], 0.0, "exact scores have none");
        let labels = Labels { slope: [1.0; EMPTIES], ..Labels::new(&games, 0.0) };
        let positions: Vec<Labelled> = games[0].positions().collect();
        for (position, target) in positions.iter().zip(labels.targets(&positions)) {
            let expected = match position.kind {
                Kind::Exact => position.discs(),
                _ => position.discs() - after[position.board.empty_count() as usize],
            };
            assert_eq!(target, expected);
        }
    }

    #[test]
    fn timid_values_are_found_and_made_larger() {
        let mut games = games(3, 150);
        let none = [0.0; EMPTIES];
        let before = slopes(&games, &none);
        change(&mut games, |value| value / 4);
        let after = slopes(&games, &none);
        for empties in 10..24 {
            let ratio = after[empties] / before[empties];
            // values too large to be counted before are counted now
            assert!((2.4..=5.0).contains(&ratio), "{empties}: {ratio}");
        }
        assert_eq!(after[3], 1.0, "exact scores are right");
        let labels = Labels::new(&games, 0.0);
        let positions: Vec<Labelled> = games[0].positions().collect();
        for (position, target) in positions.iter().zip(labels.targets(&positions)) {
            let slope = if position.kind == Kind::Exact { 1.0 } else { after[position.board.empty_count() as usize] };
            assert_eq!(target, slope * position.discs());
        }
    }

    #[test]
    fn what_follows_counts_unless_there_was_a_mistake() {
        let searched = Kind::Search { depth: 5, selective: false };
        let game = &games(1, 1)[0];
        let known: Vec<(Kind, bool, i16)> = vec![
            (searched, true, 2),
            (searched, false, -4),
            // a pass: black moves twice
            (searched, true, 6),
            (searched, true, -14),
            (searched, false, 10),
            (Kind::Exact, true, -12),
            (Kind::Exact, false, 20),
        ];
        let positions: Vec<Labelled> = game
            .positions()
            .zip(&known)
            .map(|(position, &(kind, black, discs))| Labelled { kind, black, value: discs * 128, ..position })
            .collect();
        let labels = Labels { bias: [0.0; EMPTIES], slope: [1.0; EMPTIES], lambda: 0.5 };
        // for black: 2, 4, 6, then 20 less by a mistake: -14, -10, and exactly -12, -20
        assert_eq!(labels.targets(&positions), [3.5, -5.0, 6.0, -12.5, 11.0, -12.0, 20.0]);
    }
}
