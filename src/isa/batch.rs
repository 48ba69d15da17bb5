//! Each kernel over a whole list, compiled for a tier: what benches time, without a call for each item in the figure.

use super::{Isa, Portable, Tier};
use crate::board::Board;

/// The kernels of one tier, each over a list; the results are folded into one number, so that no work can be left out.
#[derive(Clone, Copy, Debug)]
pub struct Batch {
    tier: Tier,
}

macro_rules! batch {
    ($(#[$docs:meta])* $name:ident, $item:ty, |$tier:ident, $entry:ident| $one:expr) => {
        $(#[$docs])*
        pub fn $name(self, items: &[$item]) -> u64 {
            #[inline(always)]
            fn body<$tier: Isa>(items: &[$item]) -> u64 {
                items.iter().fold(0u64, |all, $entry| all.rotate_left(1) ^ $one)
            }
            #[cfg(target_arch = "x86_64")]
            {
                use super::{V3, V4};
                #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
                fn v3(items: &[$item]) -> u64 {
                    body::<V3<false>>(items)
                }
                #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
                fn v4(items: &[$item]) -> u64 {
                    body::<V4<false>>(items)
                }
                match self.tier {
                    // SAFETY: `Batch::new` checked that the machine supports the tier.
                    Tier::V3 => return unsafe { v3(items) },
                    // SAFETY: as above.
                    Tier::V4 => return unsafe { v4(items) },
                    Tier::Portable => {}
                }
            }
            body::<Portable<false>>(items)
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
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let run = |batch: Batch| (batch.moves(&boards), batch.flips(&moves), batch.last_flips(&last));
        let portable = run(Batch::new(Tier::Portable).unwrap());
        assert!(portable.0 != 0 && portable.1 != 0 && portable.2 != 0);
        for batch in Tier::ALL.into_iter().filter_map(Batch::new) {
            assert_eq!(run(batch), portable, "{batch:?}");
        }
    }
}
