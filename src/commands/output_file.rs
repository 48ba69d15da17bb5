//! Writing files so that a crash never leaves half of one.

use std::fs;
use std::io::Write;
use std::path::Path;

use super::error::Error;

/// Writes a file: first under a temporary name in the same folder, then renamed over the old one.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let mut name =
        path.file_name().ok_or_else(|| Error::input(format!("'{}' is not a file name", path.display())))?.to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    let written = fs::File::create(&temporary).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&temporary, path)).map_err(|error| {
        // nothing more can be done about a temporary file that cannot be removed
        let _ = fs::remove_file(&temporary);
        Error::write(path, error)
    })
}
