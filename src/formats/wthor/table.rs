//! The names of a database that is being written.

use std::io::{self, Write};
use std::path::Path;

use hashbrown::HashMap;

use super::write::{NotStorable, header};
use super::{HEADER_BYTES, Header, WthorError, check_length, load};
use crate::formats::atomic::AtomicFile;

/// Names by their bytes, numbered as they come; 0 stands for unknown ones.
#[derive(Debug)]
pub(super) struct Table {
    /// Bytes of a name, its ending zero among them.
    size: usize,
    /// By the bytes that are kept, and whether a name of these games has them.
    numbers: HashMap<Vec<u8>, (u16, bool)>,
    /// By the whole names of the games.
    names: HashMap<String, u16>,
    bytes: Vec<u8>,
    /// The names of the file when it was opened; nothing without a file.
    opened: Vec<u8>,
    /// Names of games that are kept otherwise than they are.
    altered: u64,
    /// Names of games that are kept as another one is.
    merged: u64,
}

impl Table {
    /// A table with nothing but the name that stands for unknown ones.
    pub fn new(size: usize, unknown: &str) -> Table {
        let mut bytes = unknown.as_bytes().to_vec();
        bytes.resize(size, 0);
        Table { size, numbers: HashMap::new(), names: HashMap::new(), bytes, opened: Vec::new(), altered: 0, merged: 0 }
    }

    /// The table of a file, to go on with: what has a number keeps it, so that the games of earlier runs keep their names. A new
    /// table where there is no file.
    pub fn open(path: &Path, size: usize, unknown: &str) -> Result<Table, WthorError> {
        let mut table = Table::new(size, unknown);
        if !path.exists() {
            return Ok(table);
        }
        let bytes = load(path, |bytes| {
            check_length(&bytes, Header::parse(&bytes)?.names as usize, size, "name")?;
            Ok(bytes)
        })?;
        table.opened = bytes[HEADER_BYTES..].to_vec();
        if !table.opened.is_empty() {
            table.bytes.clone_from(&table.opened);
        }
        for (number, name) in table.bytes.chunks_exact(size).enumerate().skip(1) {
            let name = name.split(|&byte| byte == 0).next().unwrap_or_default().trim_ascii_end();
            if let Ok(number) = u16::try_from(number) {
                table.numbers.entry(name.to_vec()).or_insert((number, false));
            }
        }
        Ok(table)
    }

    /// The file still has the names that it had when the table was opened.
    pub fn is_as_opened(&self, path: &Path) -> io::Result<bool> {
        match std::fs::read(path) {
            Ok(bytes) => Ok(bytes.get(HEADER_BYTES..) == Some(&self.opened)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(self.opened.is_empty()),
            Err(error) => Err(error),
        }
    }

    /// The number of a name, which gets one if it is new.
    pub fn number(&mut self, name: &str) -> Result<u16, NotStorable> {
        let name = name.trim();
        if name.is_empty() {
            return Ok(0);
        }
        if let Some(&number) = self.names.get(name) {
            return Ok(number);
        }
        let latin1 = |c: char| u8::try_from(u32::from(c)).ok().filter(|byte| *byte >= b' ');
        let mut kept: Vec<u8> = name.chars().map(|c| latin1(c).unwrap_or(b'?')).take(self.size - 1).collect();
        // names are read without the blanks at their ends
        kept.truncate(kept.trim_ascii_end().len());
        let next = self.bytes.len() / self.size;
        let (number, is_taken) = match self.numbers.get_mut(&kept) {
            Some((number, is_taken)) => (*number, std::mem::replace(is_taken, true)),
            None => {
                let number = u16::try_from(next).ok().filter(|number| *number < u16::MAX).ok_or(NotStorable::Names)?;
                self.bytes.extend_from_slice(&kept);
                self.bytes.resize((next + 1) * self.size, 0);
                self.numbers.insert(kept.clone(), (number, true));
                (number, false)
            }
        };
        self.altered += u64::from(!name.chars().map(latin1).eq(kept.iter().map(|&byte| Some(byte))));
        self.merged += u64::from(is_taken);
        self.names.insert(name.to_string(), number);
        Ok(number)
    }

    /// How many names of games are kept otherwise than they are, and how many as another one is.
    pub fn losses(&self) -> [u64; 2] {
        [self.altered, self.merged]
    }

    /// Writes the file, which is on the disc then, but not yet in its place.
    pub fn write(&self, path: &Path) -> io::Result<AtomicFile> {
        let mut file = AtomicFile::create(path)?;
        file.write_all(&header(0, (self.bytes.len() / self.size) as u16, 0))?;
        file.write_all(&self.bytes)?;
        file.sync()?;
        Ok(file)
    }
}
