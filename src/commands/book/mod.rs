//! `outflank book`: opening books are made, grown, shown, repaired and exchanged.

mod accuracy;
mod edit;
mod exchange;
mod grow;
mod info;
mod names;
mod show;
mod store;
mod verify;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressDrawTarget};
use outflank::board::{Board, Squares};
use outflank::book::file::BookFile;
use outflank::book::names::moves_of;
use outflank::book::probe::{NoBook, board_of, has_book};
use outflank::book::shelf::{Recovered, check_is_new, damaged_journal_path, journal_path, journalled};
use outflank::book::{Book, BookFileError, Nodes, Shelf, WorkError, embedded};
use outflank::engine::{Engine, Options};
use outflank::formats::atomic::check_target;
use outflank::formats::quantity::{counted, plural};
use outflank::formats::transcript;
use outflank::game::Game;
use outflank::rules::{Color, Move, Position};

use super::cores;
use super::error::{Error, Outcome};
use super::live::estimating;
use super::options::{EvalOption, parse_hash, parse_threads};

/// Arguments of `book`.
#[derive(Args)]
#[command(after_help = "\
A book holds positions of othello with the values of their moves, one for all eight symmetric images. Books are changed
safely: a killed run loses nothing but the searches in flight, FILE.bak is the book before the last change, and two
programs never change one book at the same time.

Examples:
  outflank book show f5d6c3                    what the built-in book knows
  outflank book names                          openings by name, which stand for their moves
  outflank book new my.book --level 16         an empty book
  outflank book grow my.book --positions 1k    the best 1,000 positions to add
  outflank book import edax.dat my.book        another program's book
  outflank book COMMAND --help                 more on each")]
pub struct BookArguments {
    #[command(subcommand)]
    command: BookCommand,
}

#[derive(Subcommand)]
enum BookCommand {
    /// Make an empty book
    New(edit::NewArguments),
    /// Say what a book has: positions by ply and level, leaves, memory
    Info(info::InfoArguments),
    /// Show what a book knows of a position
    Show(show::ShowArguments),
    /// List the openings that have names, with their moves and values
    Names(names::NamesArguments),
    /// Add the best positions that are not in it, best first
    Grow(grow::GrowArguments),
    /// Add positions of games
    Store(store::StoreArguments),
    /// Search values again at a higher level
    Deepen(store::DeepenArguments),
    /// Search what is stale, set all values, and say what changed
    Fix(store::FixArguments),
    /// Check everything that must hold in a book
    Verify(verify::VerifyArguments),
    /// Measure how good the values are, by deeper searches of a sample
    Accuracy(accuracy::AccuracyArguments),
    /// Put another book into a book
    Merge(edit::MergeArguments),
    /// Keep what good play reaches
    Prune(edit::PruneArguments),
    /// Keep what follows on a position
    Subtree(edit::SubtreeArguments),
    /// Make a book of another program's one
    Import(exchange::ImportArguments),
    /// Write a book as another program's one
    Export(exchange::ExportArguments),
}

/// Runs `book`.
pub fn run(arguments: &BookArguments) -> Outcome {
    match &arguments.command {
        BookCommand::New(arguments) => edit::new(arguments),
        BookCommand::Info(arguments) => info::info(arguments),
        BookCommand::Show(arguments) => show::show(arguments),
        BookCommand::Names(arguments) => names::names(arguments),
        BookCommand::Grow(arguments) => grow::run(arguments),
        BookCommand::Store(arguments) => store::store(arguments),
        BookCommand::Deepen(arguments) => store::deepen(arguments),
        BookCommand::Fix(arguments) => store::fix(arguments),
        BookCommand::Verify(arguments) => verify::verify(arguments),
        BookCommand::Accuracy(arguments) => accuracy::run(arguments),
        BookCommand::Merge(arguments) => edit::merge(arguments),
        BookCommand::Prune(arguments) => edit::prune(arguments),
        BookCommand::Subtree(arguments) => edit::subtree(arguments),
        BookCommand::Import(arguments) => exchange::import(arguments),
        BookCommand::Export(arguments) => exchange::export(arguments),
    }
}

/// The engines that search for a book.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Engine options")]
struct Searchers {
    /// Positions searched side by side [default: all cores]
    #[arg(short, long, visible_short_alias = 'n', value_name = "N", value_parser = parse_threads)]
    threads: Option<usize>,

    /// Size of the transposition table that the searches share, in MiB
    #[arg(long, value_name = "MIB", default_value = "256", value_parser = parse_hash)]
    hash: usize,

    #[command(flatten)]
    eval: EvalOption,
}

impl Searchers {
    fn engines(&self) -> Result<Vec<Engine>, Error> {
        let threads = self.threads.unwrap_or_else(cores);
        let mut engine = Engine::new(Options { hash_mib: self.hash, threads: 1 }).with_weights(self.eval.load()?);
        engine.allocate()?;
        Ok((1..threads).map(|_| engine.sharing()).chain([engine.sharing()]).collect())
    }
}

impl From<BookFileError> for Error {
    fn from(error: BookFileError) -> Error {
        match error {
            BookFileError::Io { path, source } if source.kind() == std::io::ErrorKind::NotFound => {
                Error::read(&path, source)
            }
            BookFileError::Io { path, source } => Error::write(&path, source),
            other => Error::input(other.to_string()),
        }
    }
}

impl From<WorkError> for Error {
    fn from(error: WorkError) -> Error {
        match error {
            WorkError::Search(error) => error.into(),
            WorkError::File(error) => error.into(),
            error @ WorkError::Rules(_) => Error::input(error.to_string()),
        }
    }
}

/// The book of a file, or the built-in one, to look things up in.
fn open(path: Option<&Path>) -> Result<Arc<dyn Nodes>, Error> {
    Ok(match path {
        Some(path) => Arc::new(open_file(path)?),
        None => embedded(),
    })
}

/// The whole book of a file, or the built-in one.
fn load(path: Option<&Path>) -> Result<Book, Error> {
    let in_file = |path: &Path, problem| Error::input(format!("{}: {problem}", path.display()));
    match path {
        Some(path) => open_file(path)?.load().map_err(|problem| in_file(path, problem)),
        None => embedded().load().map_err(|problem| Error::input(format!("the built-in book: {problem}"))),
    }
}

/// The file of a book that is only read; says what its journal has beside it.
fn open_file(path: &Path) -> Result<BookFile, Error> {
    let file = BookFile::open(path).map_err(|error| match error {
        BookFileError::Io { path, source } => Error::read(&path, source),
        other => other.into(),
    })?;
    tell_journal(path, &file);
    Ok(file)
}

/// The file of a book that is played from. All of it is checked: a damaged one gives moves that nobody notices to be wrong.
pub(super) fn open_to_play(path: &Path) -> Result<BookFile, Error> {
    let file = open_file(path)?;
    file.check_sum().map_err(|problem| BookFileError::Content { path: path.to_path_buf(), problem })?;
    Ok(file)
}

/// Says what the journal of a book has that the book does not.
pub(super) fn tell_journal(path: &Path, file: &BookFile) {
    let count = journalled(path, file);
    if count > 0 {
        let (book, positions) = (path.display(), plural(count as u64, "position"));
        tell!(
            "outflank: {}: {positions} of a command that is running or was killed; after a kill `outflank book fix {book} \
             --no-search` puts them into the book",
            journal_path(path).display()
        );
    }
}

/// What messages call a book.
fn name(path: Option<&PathBuf>) -> String {
    path.map_or("the built-in book".to_string(), |path| path.display().to_string())
}

/// `1 leaf`, `2 leaves`.
fn leaves(count: usize) -> String {
    counted(count as u64, "leaf", "leaves")
}

/// A board as text, the side to move as X.
fn board_text(board: Board) -> String {
    debug_assert!(Squares(board.player & board.opponent).next().is_none());
    outflank::formats::board_text::write(&Position::from_board(board, Color::Black))
}

/// Checks, before the work for it, that a new book can be written.
fn check_new(path: &Path) -> Result<(), Error> {
    check_is_new(path)?;
    check_target(path).map_err(|error| Error::write(path, error))
}

/// Opens a book to change it, and says what a killed run had left.
fn open_shelf(path: &Path) -> Result<Shelf, Error> {
    let shelf = Shelf::open(path)?;
    let Recovered { positions, damaged } = shelf.recovered();
    if positions > 0 {
        let positions = plural(positions as u64, "position");
        tell!("outflank: {}: {positions} of a killed run found in its journal", path.display());
    }
    if damaged > 0 {
        let (journal, aside) = (journal_path(path), damaged_journal_path(path));
        let were = if damaged == 1 { "was" } else { "were" };
        tell!(
            "outflank: {} of {} {were} left out; it is kept as {}",
            plural(damaged as u64, "damaged record"),
            journal.display(),
            aside.display()
        );
    }
    Ok(shelf)
}

/// Reads moves from the start of a game, or the name of the opening that has them, and makes the pass that the last one forces:
/// books hold the position after it.
fn parse_moves(text: &str) -> Result<Game, String> {
    let moves = moves_of(text).unwrap_or(text);
    let game = transcript::parse(&Position::default(), moves).map_err(|error| error.to_string())?;
    Ok(passed(game))
}

/// The game with the pass that must be made now, if there is one.
fn passed(mut game: Game) -> Game {
    if game.position().must_pass() {
        game.play(Move::Pass).expect("a forced pass");
    }
    game
}

/// The board after these moves.
fn board_after(game: &Game) -> Result<Board, Error> {
    let rules = game.position().rules();
    if !has_book(rules) {
        return Err(Error::input(NoBook(rules.clone()).to_string()));
    }
    board_of(game.position()).ok_or_else(|| Error::input("a book holds no positions in which there is no move"))
}

/// A bar over a number of searches, drawn at a terminal only.
fn progress(searches: u64, message: &'static str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(searches), ProgressDrawTarget::stderr_with_hz(4));
    let template = "{elapsed_precise}  {wide_bar} {pos}/{len} {msg}  {rate}/s  {left} left";
    bar.set_style(estimating(template, Arc::default()));
    bar.set_message(message);
    bar
}
