//! `outflank book import` and `export`.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use outflank::book::Shelf;
use outflank::book::exchange::{self, Date, Exported, Format};
use outflank::book::file::is_ours;
use outflank::book::shelf::files_beside;
use outflank::formats::atomic::write_whole;
use outflank::formats::quantity::plural;
use outflank::search::Level;
use serde_json::json;

use super::{check_new, leaves, load, name};
use crate::commands::error::{Error, Outcome, Status};
use crate::commands::options::{parse_level, whole};
use crate::commands::output::{check_is_replaceable, is_one_file, print_bytes};

/// Arguments of `book import`.
#[derive(Args)]
#[command(after_help = "\
Read are Edax's books (.dat) and their text form, Egaroucid's (.egbk3, .egbk2), Zebra's (.cmp, also gzipped), and lines of
moves with a score for Black. Levels and best moves survive; what had to be changed is said. Leaves that cannot be used
become unknown: `outflank book fix` searches them. The level of the new book, and the ply that it grows to, are those of the
file where it has them (Edax's .dat); elsewhere the level that most leaves come from (16 if there is none), and 36 or the last
ply of the positions.

Examples:
  outflank book import book.dat my.book
  outflank book import lines.txt my.book --format lines")]
pub struct ImportArguments {
    /// The other program's book
    input: PathBuf,

    /// The book to make; there must be none of that name
    file: PathBuf,

    /// What INPUT is: edax, edax-text, egbk3, egbk2, zebra or lines [default: what it looks like]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,

    /// Level of the book's searches [default: that of INPUT]
    #[arg(short, long, value_name = "LEVEL", value_parser = parse_level)]
    level: Option<Level>,

    /// Ply that the book grows to [default: that of INPUT]
    #[arg(long, value_name = "PLY", value_parser = whole::<u8>(1..=60))]
    plies: Option<u8>,

    /// Print a summary as one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs `book import`.
pub fn import(arguments: &ImportArguments) -> Outcome {
    let input = &arguments.input;
    check_new(&arguments.file)?;
    let bytes = read(input)?;
    if is_ours(input).map_err(|error| Error::read(input, error))? {
        let way = "copy the file, or put it into another book with `outflank book merge`";
        return Err(Error::input(format!("{}: already a book of Outflank: {way}", input.display())));
    }
    let unknown = || Error::input(format!("{}: no book that is known; say --format", input.display()));
    let format = arguments.format.or_else(|| Format::of_file(input, &bytes)).ok_or_else(unknown)?;
    let imported = exchange::import(&bytes, format);
    let mut imported = imported.map_err(|error| Error::input(format!("{}: {error}", input.display())))?;
    drop(bytes);
    let settings = &mut imported.book.settings;
    settings.level = arguments.level.map_or(settings.level, Level::get);
    settings.max_ply = arguments.plies.unwrap_or(settings.max_ply);
    let settings = *settings;
    let shelf = Shelf::create(&arguments.file, imported.book)?;
    let mut out = io::stdout().lock();
    if arguments.json {
        let warnings: Vec<String> = imported.warnings.iter().map(|noted| noted.to_string()).collect();
        let summary = json!({
            "input": input.display().to_string(), "format": format.name(), "file": arguments.file.display().to_string(),
            "positions": shelf.book().len(), "level": settings.level, "max_ply": settings.max_ply, "warnings": warnings,
        });
        writeln!(out, "{summary}")?;
        return Ok(Status::Success);
    }
    for noted in imported.warnings.iter() {
        writeln!(out, "{noted}")?;
    }
    let (file, positions) = (arguments.file.display(), plural(shelf.book().len() as u64, "position"));
    writeln!(out, "{file}: {format}, {positions}, level {}, to ply {}", settings.level, settings.max_ply)?;
    Ok(Status::Success)
}

/// All of a plain file: books are too large for the limit of other files.
fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let is_file = fs::metadata(path).map_err(|error| Error::read(path, error))?.is_file();
    if !is_file {
        return Err(Error::input(format!("{}: not a plain file", path.display())));
    }
    fs::read(path).map_err(|error| Error::read(path, error))
}

/// Arguments of `book export`.
#[derive(Args)]
#[command(after_help = "\
Written are Edax's books (.dat) and their text form, Egaroucid's (.egbk3), and lines of moves with a score for Black (.txt).
Leaves that `outflank book fix` would search are left out. Lines have the positions that are reached from the start, which the
book must have, and one score of every leaf, though it may have others after other moves; such leaves are counted, and values
that come from them may change. Another book of Outflank is not overwritten.

Examples:
  outflank book export my.egbk3                       the built-in book
  outflank book export my.dat --book my.book
  outflank book export - --format lines | head")]
pub struct ExportArguments {
    /// The file to write (`-` is standard output)
    output: PathBuf,

    /// The book [default: the built-in one]
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,

    /// edax, edax-text, egbk3 or lines [default: by the extension of OUTPUT]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,

    /// Print a summary as one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs `book export`.
pub fn export(arguments: &ExportArguments) -> Outcome {
    let output = &arguments.output;
    if arguments.json && output == Path::new("-") {
        return Err(Error::input("--json: standard output is where the book goes; name a file"));
    }
    let unknown = || Error::input(format!("{}: the extension names no format; say --format", output.display()));
    let format = arguments.format.or_else(|| Format::of_path(output)).ok_or_else(unknown)?;
    // also where it is the very book that is exported, under whatever name
    check_is_replaceable(output)?;
    if arguments.book.iter().flat_map(|book| files_beside(book)).any(|file| is_one_file(&file, output)) {
        let file = output.display();
        return Err(Error::input(format!("{file}: commands that change the book have another use for this file")));
    }
    let book = load(arguments.book.as_deref())?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let exported =
        exchange::export(&book, format, Date::of_unix(now)).map_err(|error| Error::input(error.to_string()))?;
    let lacks = lacks(&exported, arguments.book.as_deref());
    if output == Path::new("-") {
        print_bytes(&exported.bytes)?;
        lacks.iter().for_each(|lack| tell!("outflank: {lack}"));
        return Ok(Status::Success);
    }
    write_whole(output, &exported.bytes).map_err(|error| Error::write(output, error))?;
    let positions = book.len() - exported.left_out;
    if arguments.json {
        let summary = json!({
            "book": name(arguments.book.as_ref()), "format": format.name(), "file": output.display().to_string(),
            "positions": positions, "left_out": exported.left_out, "unsearched": exported.unsearched,
            "ambiguous": exported.ambiguous,
        });
        writeln!(io::stdout(), "{summary}")?;
        return Ok(Status::Success);
    }
    let mut out = io::stdout().lock();
    let left_out = match exported.left_out {
        0 => String::new(),
        n => format!(", {n} left out"),
    };
    let (file, positions) = (output.display(), plural(positions as u64, "position"));
    writeln!(out, "{file}: {positions} of {}{left_out}", name(arguments.book.as_ref()))?;
    lacks.iter().try_for_each(|lack| writeln!(out, "{lack}"))?;
    Ok(Status::Success)
}

/// What a file lacks that its book has, or could have.
fn lacks(exported: &Exported, book: Option<&Path>) -> Vec<String> {
    let mut lacks = Vec::new();
    if exported.unsearched > 0 {
        let way = book.map_or(String::new(), |book| format!(": run `outflank book fix {}` first", book.display()));
        let are = if exported.unsearched == 1 { "is" } else { "are" };
        lacks.push(format!("{} {are} to be searched and left out{way}", leaves(exported.unsearched)));
    }
    if exported.ambiguous > 0 {
        let have = if exported.ambiguous == 1 { "has" } else { "have" };
        let leaves = leaves(exported.ambiguous);
        lacks.push(format!("{leaves} {have} different scores after different moves, of which the file has the first"));
    }
    lacks
}
