//! Whole numbers of Python's as the library's: one that is out of its range is an error that names it and the range.

use std::fmt;
use std::ops::RangeInclusive;

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;

/// A whole number from Python. One that 128 bits cannot hold becomes the nearest that they can: no range goes so far. Arguments
/// whose default `help` shows are `i128`, read with [`nearest`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whole(pub i128);

/// The sets of 64 squares, seeds, nodes: whatever has 64 bits without a sign.
pub const BITS_64: RangeInclusive<i128> = 0..=u64::MAX as i128;

/// Numbers of things in memory.
pub const COUNTS: RangeInclusive<i128> = 0..=i64::MAX as i128;

/// Bounds that the library has for threads, and for tables in MiB.
pub const THREADS: RangeInclusive<i128> = 1..=256;
pub const HASH_MIB: RangeInclusive<i128> = 1..=1 << 20;

impl<'a, 'py> FromPyObject<'a, 'py> for Whole {
    type Error = PyErr;

    fn extract(any: Borrowed<'a, 'py, PyAny>) -> PyResult<Whole> {
        match any.extract::<i128>() {
            Err(error) if error.is_instance_of::<PyOverflowError>(any.py()) => {
                Ok(Whole(if any.lt(0)? { i128::MIN } else { i128::MAX }))
            }
            number => number.map(Whole),
        }
    }
}

/// A whole number from Python as `Whole` has it.
pub fn nearest(any: &Bound<'_, PyAny>) -> PyResult<i128> {
    any.extract().map(|Whole(number)| number)
}

impl fmt::Display for Whole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A number that is out of its range.
#[derive(Debug)]
pub struct OutOfRange<'a> {
    name: &'a str,
    value: Whole,
    range: RangeInclusive<i128>,
}

impl fmt::Display for OutOfRange<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OutOfRange { name, value, range } = self;
        let (least, most) = (range.start(), range.end());
        // a bound that nobody comes near says nothing to those who are below the other
        if value.0 < *least && *most >= i128::from(u32::MAX) {
            return write!(f, "{name} {value}: {least} or more is possible");
        }
        write!(f, "{name} {value}: {least} to {most} are possible")
    }
}

impl Whole {
    /// The number, if it is in this range, all of which the type can hold.
    pub fn within<T: TryFrom<i128>>(self, name: &str, range: RangeInclusive<i128>) -> Result<T, OutOfRange<'_>> {
        let number = range.contains(&self.0).then(|| T::try_from(self.0).ok()).flatten();
        number.ok_or(OutOfRange { name, value: self, range })
    }
}
