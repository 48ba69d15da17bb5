//! What positions of self-play games are worth: the values of their searches, made fit to learn from.
//!
//! A search of few plies errs in three ways that an evaluation trained on its values would learn, and the next generation
//! of games would learn from that one: it has a bias for a side to move that depends on its parity; it is timid, because
//! the evaluation at its leaves is a mean over all that the patterns cannot tell apart; and it does not see what comes
//! later. The games themselves show all three, since their ends are exact: the first two are measured and taken out, and
//! values are mixed with those of the positions that follow.

use std::collections::BTreeMap;

use crate::eval::{EMPTIES, UNITS_PER_DISC};
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
        let each = |visit: &mut dyn FnMut(&GameRecord)| {
            games.iter().for_each(visit);
            Ok::<(), std::convert::Infallible>(())
        };
        match Labels::measure(each, lambda) {
            Ok(labels) => labels,
            Err(never) => match never {},
        }
    }

    /// [`Labels::new`] for games that are not all in memory: `each_game` is called twice, to hand over every game both times, the
    /// first time in any order.
    ///
    /// # Errors
    /// Those of `each_game`.
    pub fn measure<E>(
        mut each_game: impl FnMut(&mut dyn FnMut(&GameRecord)) -> Result<(), E>,
        lambda: f32,
    ) -> Result<Labels, E> {
        let mut tempo = TempoBias::new();
        each_game(&mut |game| tempo.add(game))?;
        let bias = tempo.finish();
        let mut slopes = Slopes::new(bias);
        each_game(&mut |game| slopes.add(game))?;
        Ok(Labels { bias, slope: slopes.finish(), lambda })
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

/// How many discs searches overrate the side to move by, measured game by game; the order does not matter.
///
/// The value of a position and that of the next one, for the other side, should add up to zero. Searches of an even number of
/// plies ask the evaluation about positions with the same side to move as at their root, so if it overrates that side their
/// values do too, and an evaluation trained on them learns it: searches of odd and even depth then differ by twice as
/// much, and iterative deepening has to search every depth again. What pairs of neighbouring values add up to shows the mistake.
#[derive(Clone, Debug)]
pub struct TempoBias {
    /// By number of empties: how many pairs add up to so many units.
    pairs: Vec<BTreeMap<i32, u64>>,
}

impl TempoBias {
    /// Sums further than this from the middle one follow a random move, which gives something away; in units.
    const OUTLIER: i32 = 12 * UNITS_PER_DISC;

    /// No game yet.
    pub fn new() -> TempoBias {
        TempoBias { pairs: vec![BTreeMap::new(); EMPTIES] }
    }

    /// Takes a game into account.
    pub fn add(&mut self, game: &GameRecord) {
        let positions: Vec<_> = game.positions().collect();
        for pair in positions.windows(2) {
            let searched = |kind| matches!(kind, Kind::Search { depth, .. } if depth.is_multiple_of(2));
            if pair[0].black != pair[1].black && searched(pair[0].kind) && searched(pair[1].kind) {
                let sum = pair[0].value as i32 + pair[1].value as i32;
                *self.pairs[pair[0].board.empty_count() as usize].entry(sum).or_default() += 1;
            }
        }
    }

    /// The bias in discs, by number of empties.
    pub fn finish(&self) -> [f32; EMPTIES] {
        let trimmed: Vec<(f64, f64)> = self.pairs.iter().map(TempoBias::trimmed).collect();
        // both positions of a pair have their part in it
        windowed(&trimmed, WINDOW, |sum, count| if count < MIN_COUNT { 0.0 } else { (sum / count / 2.0) as f32 })
    }

    /// Sum (in discs) and number of what is near the middle.
    fn trimmed(pairs: &BTreeMap<i32, u64>) -> (f64, f64) {
        let half = pairs.values().sum::<u64>() / 2;
        let mut seen = 0;
        let middle = pairs.iter().find(|&(_, &count)| {
            seen += count;
            seen > half
        });
        let Some((&middle, _)) = middle else { return (0.0, 0.0) };
        let near = pairs.range(middle - TempoBias::OUTLIER..=middle + TempoBias::OUTLIER);
        let (sum, count) = near.fold((0, 0), |(all, n), (&sum, &count)| (all + sum as i64 * count as i64, n + count));
        (sum as f64 / UNITS_PER_DISC as f64, count as f64)
    }
}

impl Default for TempoBias {
    fn default() -> TempoBias {
        TempoBias::new()
    }
}

/// What the values of searches (without their bias) have to be multiplied by to be right on average, measured game by game:
/// the slope of the first exact value that comes in the game over them, but no less than 1. (Early in the game the slope
/// falls below it, since the side that is ahead has more to lose by the mistakes and random moves on the way.)
#[derive(Clone, Debug)]
pub struct Slopes {
    bias: [f32; EMPTIES],
    /// By number of empties: sums of the products with the exact values, and of the squares.
    sums: [(f64, f64); EMPTIES],
    counts: [f64; EMPTIES],
}

impl Slopes {
    /// No game yet; `bias` is that of [`TempoBias`].
    pub fn new(bias: [f32; EMPTIES]) -> Slopes {
        Slopes { bias, sums: [(0.0, 0.0); EMPTIES], counts: [0.0; EMPTIES] }
    }

    /// Takes a game into account.
    pub fn add(&mut self, game: &GameRecord) {
        let sign = |position: &Labelled| if position.black { 1.0 } else { -1.0 };
        let Some(exact) = game.positions().find(|p| p.kind == Kind::Exact).map(|p| sign(&p) * p.discs()) else {
            return;
        };
        for position in game.positions().take_while(|p| p.kind != Kind::Exact) {
            let value = sign(&position) * unbiased(&position, &self.bias);
            if value.abs() <= SLOPE_DISCS {
                let empties = position.board.empty_count() as usize;
                self.sums[empties].0 += (value * exact) as f64;
                self.sums[empties].1 += (value * value) as f64;
                self.counts[empties] += 1.0;
            }
        }
    }

    /// The slopes, by number of empties.
    pub fn finish(&self) -> [f32; EMPTIES] {
        let enough = |empties: usize| self.counts[empties] >= MIN_COUNT;
        let sums: Vec<(f64, f64)> =
            self.sums.iter().enumerate().map(|(e, &sum)| if enough(e) { sum } else { (0.0, 0.0) }).collect();
        let slope =
            |products: f64, squares: f64| if squares <= 0.0 { 1.0 } else { (products / squares).max(1.0) as f32 };
        windowed(&sums, WINDOW, slope)
    }
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

    fn tempo_bias(games: &[GameRecord]) -> [f32; EMPTIES] {
        let mut bias = TempoBias::new();
        games.iter().for_each(|game| bias.add(game));
        bias.finish()
    }

    fn slopes(games: &[GameRecord], bias: &[f32; EMPTIES]) -> [f32; EMPTIES] {
        let mut slopes = Slopes::new(*bias);
        games.iter().for_each(|game| slopes.add(game));
        slopes.finish()
    }

    #[test]
    fn outliers_do_not_move_the_middle() {
        let pairs = |pairs: &[(i32, u64)]| TempoBias::trimmed(&pairs.iter().copied().collect());
        assert_eq!(pairs(&[]), (0.0, 0.0));
        assert_eq!(pairs(&[(-4000, 3), (128, 3), (256, 2), (1664, 1), (1665, 1), (1792, 1)]), (7.0 + 13.0, 6.0));
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
    fn windows_reach_to_both_sides() {
        let sums: Vec<(f64, f64)> = (0..EMPTIES).map(|empties| (1.0, empties as f64)).collect();
        let found = windowed(&sums, 2, |count, sum| (count, sum));
        assert_eq!((found[0], found[1], found[10]), ((3.0, 3.0), (4.0, 6.0), (5.0, 50.0)));
        assert_eq!(found[EMPTIES - 1], (3.0, 3.0 * EMPTIES as f64 - 6.0));
    }

    /// Both sides' values say half of what comes out.
    #[test]
    fn slopes_are_those_of_either_side() {
        let mut games = games(2, 120);
        for game in &mut games {
            let sign = |position: &Labelled| if position.black { 1 } else { -1 };
            let searched = |kind| matches!(kind, Kind::Search { .. });
            let positions: Vec<Labelled> = game.positions().collect();
            let exact = positions.iter().find(|p| p.kind == Kind::Exact).map_or(0, |p| sign(p) * p.discs() as i16);
            let signs: Vec<i16> = positions.iter().filter(|p| searched(p.kind)).map(sign).collect();
            let plies = game.plies.iter_mut().filter(|ply| searched(ply.kind));
            plies.zip(signs).for_each(|(ply, sign)| ply.value = sign * exact * 64);
        }
        let found = slopes(&games, &[0.0; EMPTIES]);
        assert!(found[12..34].iter().all(|slope| (slope - 2.0).abs() < 1e-4), "{found:?}");
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
