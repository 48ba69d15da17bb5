//! The eight rays from each square.

/// The rays from one square: four towards the high bits (east, south, south-west, south-east), then the
/// four opposite ones. One cache line.
#[repr(C, align(64))]
pub(crate) struct Rays(pub [u64; 8]);

/// Steps of [`Rays`] as (column, row).
pub(crate) const STEPS: [(i32, i32); 8] = [(1, 0), (0, 1), (-1, 1), (1, 1), (-1, 0), (0, -1), (1, -1), (-1, -1)];

/// Rays from each square.
pub(crate) static RAYS: [Rays; 64] = rays();

pub(crate) const fn rays() -> [Rays; 64] {
    let mut table = [const { Rays([0; 8]) }; 64];
    let mut square = 0;
    while square < 64 {
        let mut direction = 0;
        while direction < 8 {
            let (dx, dy) = STEPS[direction];
            let mut x = square as i32 % 8 + dx;
            let mut y = square as i32 / 8 + dy;
            while x >= 0 && x < 8 && y >= 0 && y < 8 {
                table[square].0[direction] |= 1u64 << (y * 8 + x);
                x += dx;
                y += dy;
            }
            direction += 1;
        }
        square += 1;
    }
    table
}
