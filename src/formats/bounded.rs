//! Reading what strangers wrote: never more memory than the content can need.

use std::fs::File;
use std::io::{self, BufRead, Read};
use std::path::Path;

use super::atomic::{BOOK, SELFPLAY};

/// Largest file that is read as a whole, in bytes. Games are kept in memory while they are read; the largest collections
/// known (years of a server in GGF) have some hundred megabytes a file, and `/dev/zero` has no end.
pub const MAX_FILE: u64 = 1 << 30;

/// Longest line of a file that is read line by line, in bytes. The longest that makes sense, a 16x16 board with a score
/// for every square, has under 4 KiB; the rest is for comments.
pub const MAX_LINE: usize = 1 << 16;

/// Reads all of a file of at most [`MAX_FILE`] bytes.
///
/// # Errors
/// Those of opening and reading, and [`io::ErrorKind::FileTooLarge`], for plain files before anything is read.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() {
        check_length(metadata.len(), MAX_FILE)?;
    }
    read_all(file, MAX_FILE)
}

/// The file begins with these bytes.
///
/// # Errors
/// Those of opening and reading.
pub(crate) fn begins_with(path: &Path, start: &[u8]) -> io::Result<bool> {
    let mut bytes = Vec::new();
    File::open(path)?.take(start.len() as u64).read_to_end(&mut bytes)?;
    Ok(bytes == start)
}

/// Refuses what is no text that anything here reads, by its first bytes, and says what to do about it: some editors and shells of
/// Windows write texts in UTF-16, and collections come compressed. Line by line such a file is noise.
///
/// # Errors
/// [`io::ErrorKind::InvalidData`].
pub fn check_is_text(start: &[u8]) -> io::Result<()> {
    let what = match start {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => "the text is in UTF-16: save it as UTF-8",
        [0x1F, 0x8B, ..] | [b'P', b'K', 3, 4, ..] => "the file is compressed: unpack it first",
        _ if start.starts_with(SELFPLAY) => "the file has self-play games: export them first",
        _ if start.starts_with(BOOK) => "the file is a book: export it first",
        _ => return Ok(()),
    };
    Err(io::Error::new(io::ErrorKind::InvalidData, what))
}

/// Refuses what is longer than the limit.
fn check_length(length: u64, limit: u64) -> io::Result<()> {
    if length > limit { Err(too_large(limit)) } else { Ok(()) }
}

/// Reads all of a stream of at most `limit` bytes.
///
/// # Errors
/// Those of reading, and [`io::ErrorKind::FileTooLarge`].
pub fn read_all(input: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    check_length(bytes.len() as u64, limit)?;
    Ok(bytes)
}

fn too_large(limit: u64) -> io::Error {
    let limit = if limit >= 1 << 20 { format!("{} MiB", limit >> 20) } else { format!("{limit} bytes") };
    io::Error::new(io::ErrorKind::FileTooLarge, format!("more than {limit}, which is the most that is kept in memory"))
}

/// What was found where a line was looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineRead {
    /// Nothing: the input has ended.
    End,
    /// A line, its end included if it has one.
    Line,
    /// A line of more bytes than the limit; its beginning is there, the rest has been skipped.
    TooLong,
}

/// Reads a line of at most `limit` bytes into `bytes`, whose former content goes.
pub(crate) fn read_line(input: &mut impl BufRead, bytes: &mut Vec<u8>, limit: usize) -> io::Result<LineRead> {
    bytes.clear();
    if input.by_ref().take(limit as u64).read_until(b'\n', bytes)? == 0 {
        return Ok(LineRead::End);
    }
    if bytes.len() < limit || bytes.last() == Some(&b'\n') {
        return Ok(LineRead::Line);
    }
    loop {
        let buffer = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            buffer => buffer?,
        };
        let (used, done) = match buffer.iter().position(|&byte| byte == b'\n') {
            Some(end) => (end + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        input.consume(used);
        if done {
            return Ok(LineRead::TooLong);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_end_at_the_limit() {
        assert_eq!(read_all(&b"abc"[..], 3).unwrap(), b"abc");
        assert_eq!(read_all(&b"abc"[..], u64::MAX).unwrap(), b"abc");
        let error = read_all(io::repeat(0), 1000).unwrap_err();
        assert_eq!(error.to_string(), "more than 1000 bytes, which is the most that is kept in memory");
        assert!(too_large(MAX_FILE).to_string().starts_with("more than 1024 MiB"));
    }

    #[test]
    fn large_files_are_refused_before_they_are_read() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(1 << 40).unwrap();
        assert_eq!(read_file(file.path()).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        for (length, is_refused) in [(0, false), (1000, false), (1001, true), (u64::MAX, true)] {
            assert_eq!(check_length(length, 1000).is_err(), is_refused, "{length}");
        }
    }

    #[test]
    fn long_lines_are_skipped() {
        let text = [b"a\n", &[b'x'; MAX_LINE - 1][..], b"\n", &[b'x'; 3 * MAX_LINE], b"\nlast"].concat();
        let (mut input, mut bytes) = (&text[..], Vec::new());
        let mut found = Vec::new();
        loop {
            match read_line(&mut input, &mut bytes, MAX_LINE).unwrap() {
                LineRead::End => break,
                read => found.push((read, bytes.len())),
            }
            assert!(bytes.capacity() <= 2 * MAX_LINE);
        }
        let (line, long) = (LineRead::Line, LineRead::TooLong);
        assert_eq!(found, [(line, 2), (line, MAX_LINE), (long, MAX_LINE), (line, 4)]);
    }
}
