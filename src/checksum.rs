//! Checksums: they find damage and tell files apart, and are no protection against forgery.

use flate2::Crc;

/// CRC-32, as in gzip and PNG.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// What [`fnv1a`] begins with.
pub(crate) const FNV_BASIS: u64 = 0xcbf2_9ce4_8422_2325;

/// 64-bit FNV-1a, going on after other bytes.
pub(crate) fn fnv1a(hash: u64, bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(hash, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check values of both, as published.
    #[test]
    fn checksums_are_the_known_ones() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(fnv1a(FNV_BASIS, *b"foobar"), 0x85944171f73967e8);
        assert_eq!(fnv1a(fnv1a(FNV_BASIS, *b"foo"), *b"bar"), fnv1a(FNV_BASIS, *b"foobar"));
    }
}
