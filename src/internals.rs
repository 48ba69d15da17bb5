//! Each kernel over a whole list, compiled for a tier: what benches time, without a call for each item in the figure.

use std::hint::black_box;

use crate::board::{Board, Square};
use crate::eval::{Features, Weights};
use crate::kernel::{Isa, Portable, Tier};

/// The kernels of one tier, each over a list; the results are folded into one number, so that no work can be left out.
#[derive(Clone, Copy, Debug)]
pub struct Batch {
    #[cfg_attr(
        not(any(target_arch = "x86_64", target_arch = "aarch64")),
        expect(dead_code, reason = "there is only the portable tier")
    )]
    tier: Tier,
}

/// A move, the position before it, its features as the mover sees them (view 0), and its empty squares.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The position.
    pub board: Board,
    /// Its features.
    pub features: Features,
    /// Its empty squares.
    pub empties: u32,
    /// Where the disc goes.
    pub square: Square,
    /// The discs it turns.
    pub flips: u64,
}

macro_rules! batch {
    ($(#[$docs:meta])* $name:ident, $item:ty $(, with $with:ident: $type:ty)?, |$tier:ident, $entry:ident| $one:expr) => {
        $(#[$docs])*
        pub fn $name(self, items: &[$item] $(, $with: $type)?) -> u64 {
            #[inline(always)]
            fn body<$tier: Isa>(items: &[$item] $(, $with: $type)?) -> u64 {
                items.iter().fold(0u64, |all, $entry| all.rotate_left(1) ^ $one)
            }
            #[cfg(target_arch = "x86_64")]
            {
                use crate::kernel::{V3, V4, features};
                features::v3! {
                    fn v3(items: &[$item] $(, $with: $type)?) -> u64 {
                        body::<V3<false>>(items $(, $with)?)
                    }
                }
                features::v4! {
                    fn v4(items: &[$item] $(, $with: $type)?) -> u64 {
                        body::<V4<false>>(items $(, $with)?)
                    }
                }
                match self.tier {
                    // SAFETY: `Batch::new` checked that the machine supports the tier.
                    Tier::V3 => return unsafe { v3(items $(, $with)?) },
                    // SAFETY: as above.
                    Tier::V4 => return unsafe { v4(items $(, $with)?) },
                    Tier::Portable | Tier::Neon => {}
                }
            }
            #[cfg(target_arch = "aarch64")]
            if self.tier == Tier::Neon {
                return body::<crate::kernel::Neon<false>>(items $(, $with)?);
            }
            body::<Portable<false>>(items $(, $with)?)
        }
    };
}

impl Batch {
    /// The kernels of a tier, `None` when this machine does not support it.
    pub fn new(tier: Tier) -> Option<Batch> {
        tier.is_supported().then_some(Batch { tier })
    }

    batch!(
        /// Legal moves of boards.
        moves, Board, |T, board| T::moves(board.player, board.opponent)
    );
    batch!(
        /// Discs turned by a disc on a square (0 to 63).
        flips, (Board, usize), |T, item| T::flips(item.1, item.0.player, item.0.opponent)
    );
    batch!(
        /// Numbers of discs that the player, and in the next byte the opponent if the player cannot move, turns on the only
        /// empty square (0 to 63).
        last_flips, (Board, usize), |T, item| {
            let (own, other) = T::last_flips_both(item.1, item.0.player);
            if own > 0 { own as u64 } else { (other as u64) << 8 }
        }
    );
    batch!(
        /// Features after moves, both views, as a search keeps them for inner nodes.
        update, Step, |T, step| {
            let mut next = step.features;
            step.features.after_into(&mut next, 0, step.square, step.flips);
            black_box(&next);
            0
        }
    );
    batch!(
        /// Values in internal units of positions, for the side to move.
        evaluate, Step, with weights: &Weights, |T, step| {
            weights.units::<T>(step.features.fillings(0), step.board, step.empties) as u64
        }
    );
    batch!(
        /// Linear values alone.
        evaluate_linear, Step, with weights: &Weights, |T, step| {
            weights.linear_units(step.features.fillings(0), step.empties) as u64
        }
    );
    batch!(
        /// Values of the positions after moves, for the side that is then to move: what a leaf of the search costs.
        evaluate_reply, Step, with weights: &Weights, |T, step| {
            let fillings = step.features.reply_fillings(0, step.square, step.flips);
            let board = step.board.after(step.square, step.flips);
            weights.units::<T>(&fillings, board, step.empties - 1) as u64
        }
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Squares;

    #[test]
    fn tiers_agree() {
        let boards = [Board::START, Board::START.pass(), Board { player: 0xF0F0, opponent: 0x0F0F_0000 }];
        let moves: Vec<(Board, usize)> = boards.iter().flat_map(|&board| (40..64).map(move |x| (board, x))).collect();
        let last: Vec<(Board, usize)> = (0..64)
            .map(|x| {
                let player = 0x1234_5678_9ABC_DEF0_u64.rotate_left(x as u32) & !(1 << x);
                (Board { player, opponent: !player & !(1 << x) }, x)
            })
            .collect();
        let step = |board: Board, square: Square| Step {
            board,
            features: Features::new(board),
            empties: board.empty_count(),
            square,
            flips: board.flips(square),
        };
        let steps: Vec<Step> =
            boards[..2].iter().flat_map(|&b| Squares(b.legal_moves()).map(move |square| step(b, square))).collect();
        let weights = Weights::embedded();
        let run = |batch: Batch| {
            [
                batch.moves(&boards),
                batch.flips(&moves),
                batch.last_flips(&last),
                batch.evaluate(&steps, &weights),
                batch.evaluate_linear(&steps, &weights),
                batch.evaluate_reply(&steps, &weights),
            ]
        };
        let portable = run(Batch::new(Tier::Portable).unwrap());
        assert!(portable.iter().all(|&result| result != 0));
        for batch in Tier::ALL.into_iter().filter_map(Batch::new) {
            assert_eq!(run(batch), portable, "{batch:?}");
        }
    }
}
