//! `outflank train --recipe`: weights by the stages of a file.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use outflank::train::recipe::{self, Event, Recipe, RunError};
use rayon::ThreadPool;

use super::error::{Error, Outcome, Status};
use super::input;
use super::output::{is_one_place, json_line};
use super::train::progress_bar;

/// The recipe of a file.
fn read(file: &Path) -> Result<Recipe, Error> {
    let text = input::read_all(file)?;
    let name = file.display();
    let text = std::str::from_utf8(&text).map_err(|_| Error::input(format!("{name}: not UTF-8 text")))?;
    recipe::parse(text).map_err(|error| Error::input(format!("{name}: {error}")))
}

/// Where the paths in the recipe of a file begin.
fn base_of(file: &Path) -> &Path {
    file.parent().unwrap_or(Path::new(""))
}

/// The files of a recipe ([`recipe::files`]); none where it cannot be read, or only once.
pub fn files(file: &Path, folder: &Path) -> Vec<PathBuf> {
    let recipe = file.is_file().then(|| read(file).ok()).flatten();
    recipe.map_or_else(Vec::new, |recipe| recipe::files(&recipe, folder, base_of(file)))
}

/// Follows the recipe of a file in `folder`.
pub fn run(file: &Path, out: &Path, folder: &Path, json: bool, pool: &ThreadPool) -> Outcome {
    let (recipe, base) = (read(file)?, base_of(file));
    let files = recipe::files(&recipe, folder, base);
    if files.iter().any(|taken| is_one_place(taken, out)) || recipe::is_checkpoint(&recipe, folder, out) {
        return Err(Error::input(format!("{}: --out would take the place of a file of the recipe", out.display())));
    }
    let mut bar = progress_bar(0, "");
    let mut lines = io::stdout();
    let mut written = Ok(());
    let found = recipe::run(&recipe, (folder, base, out), pool, &mut |event| match event {
        Event::Begin(stage, count) => bar = progress_bar(count as usize, &stage.name),
        Event::Advance(count) => bar.inc(count),
        Event::End(stage, summary, before) => {
            bar.finish_and_clear();
            let note = if before { " (done before)" } else { "" };
            if !json && written.is_ok() {
                written = writeln!(lines, "{:9} {:12} {summary}{note}", stage.work.kind(), stage.name);
            }
        }
    });
    // why there are no weights goes before why nobody was told of a stage
    let found = found.map_err(|error| match error {
        RunError::Read { path, source } => Error::read(&path, source),
        RunError::Write { path, source } => Error::write(&path, source),
        other => Error::input(other.to_string()),
    })?;
    written?;
    if json {
        writeln!(lines, "{}", json_line(&found))?;
    } else {
        let (out, folder) = (out.display(), folder.display());
        writeln!(lines, "{out}: {} bytes, checksum {:08x}; report in {folder}", found.file_bytes, found.weights)?;
    }
    Ok(Status::Success)
}
