//! Kernels for each instruction set: moves, flips, last-flip counts.
pub mod portable;
