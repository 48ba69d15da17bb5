//! Inputs that are nearly right: real ones, mutated.

use rand::rngs::StdRng;
use rand::{Rng, RngExt};

/// No input is longer, in bytes.
pub const MAX_INPUT: usize = 1 << 16;

/// Pieces that mean something to one reader or another, at the edges of what it takes.
const PIECES: [&str; 44] = [
    "(;",
    ";)",
    ")",
    "(",
    "[",
    "]",
    "\\",
    ";",
    ":",
    "/",
    "%",
    "#",
    "# rules: ",
    "% rules: chess\n",
    "\n",
    "\r\n",
    "\u{feff}",
    " ",
    "pass",
    "PA",
    "--",
    "@@",
    "f5",
    "p16",
    "a0",
    "z99",
    "f5:NE",
    "X",
    "O",
    "-",
    "8 ",
    "-64",
    "18446744073709551615",
    "4294967295",
    "-1",
    "1e999",
    "NaN",
    "hands=1/1",
    "hands=65535/65535",
    "BO[8 ",
    "GM[Othello]",
    "\u{0}",
    "ä",
    "{\"",
];

/// An input made from one of `seeds`; the same state of `rng` makes the same one.
pub fn mutated(seeds: &[Vec<u8>], rng: &mut StdRng) -> Vec<u8> {
    let mut bytes = any(seeds, rng).clone();
    // one in twenty is left as it is, so that the round trips are always tested too
    for _ in 0..rng.random_range(0..20u32).min(rng.random_range(0..8)) {
        mutate(&mut bytes, seeds, rng);
        bytes.truncate(MAX_INPUT);
    }
    bytes
}

fn any<'a, T>(list: &'a [T], rng: &mut StdRng) -> &'a T {
    &list[rng.random_range(0..list.len())]
}

/// A place in the bytes, the end included.
fn place(bytes: &[u8], rng: &mut StdRng) -> usize {
    rng.random_range(0..=bytes.len())
}

/// A piece of the bytes, mostly a short one.
fn range(bytes: &[u8], rng: &mut StdRng) -> std::ops::Range<usize> {
    let start = place(bytes, rng);
    let longest = if rng.random_bool(0.8) { 16 } else { bytes.len() };
    start..(start + rng.random_range(0..=longest)).min(bytes.len())
}

fn mutate(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], rng: &mut StdRng) {
    match rng.random_range(0..10u32) {
        0 if !bytes.is_empty() => {
            let at = rng.random_range(0..bytes.len());
            bytes[at] ^= 1 << rng.random_range(0..8u32);
        }
        1 if !bytes.is_empty() => {
            let at = rng.random_range(0..bytes.len());
            bytes[at] = *any(&[0, 1, 0x7F, 0x80, 0xFF, b'0', b'9', b'-', rng.random()], rng);
        }
        2 => drop(bytes.drain(range(bytes, rng))),
        3 => bytes.truncate(place(bytes, rng)),
        4 => insert(bytes, any(&PIECES, rng).as_bytes().to_vec(), rng),
        5 => {
            let piece = bytes[range(bytes, rng)].to_vec();
            insert(bytes, piece, rng);
        }
        6 => {
            let other = any(seeds, rng);
            let piece = other[range(other, rng)].to_vec();
            insert(bytes, piece, rng);
        }
        // a number of 4 bytes: a count or a length
        7 if bytes.len() >= 4 => {
            let at = rng.random_range(0..=bytes.len() - 4);
            let number = *any(&[0, 1, 0xFFFF, 0x7FFF_FFFF, 0xFFFF_FFF0, u32::MAX], rng);
            bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
        }
        // much of the same, where something might take the square of its length
        8 if rng.random_bool(0.1) => {
            let piece = if rng.random_bool(0.5) {
                bytes[range(bytes, rng)].to_vec()
            } else {
                any(&PIECES, rng).as_bytes().to_vec()
            };
            let count = MAX_INPUT / piece.len().max(1);
            insert(bytes, piece.repeat(rng.random_range(0..=count)), rng);
        }
        _ => {
            let mut piece = vec![0; rng.random_range(0..8)];
            rng.fill_bytes(&mut piece);
            insert(bytes, piece, rng);
        }
    }
}

fn insert(bytes: &mut Vec<u8>, piece: Vec<u8>, rng: &mut StdRng) {
    let at = place(bytes, rng);
    bytes.splice(at..at, piece);
}
