//! The console's `book` commands.

use std::io::{self, Write};
use std::sync::Arc;

use super::command::BookCommand;
use super::session::{Console, Done};
use crate::book::{BookFile, WorkError, games, names, probe};
use crate::formats::notation::in_dialect;
use crate::formats::quantity::plural;

impl<W: Write> Console<W> {
    /// Carries out a `book` command.
    pub(super) fn book(&mut self, command: BookCommand) -> Done {
        match command {
            BookCommand::On if self.player.book().is_none() => Ok(Err("there is no book (see --book)".into())),
            BookCommand::On | BookCommand::Off => {
                self.player.use_book(command == BookCommand::On);
                Ok(Ok(()))
            }
            BookCommand::Show => self.show_book(),
            BookCommand::Store => self.store_in_book(),
        }
    }

    /// What the book knows here.
    fn show_book(&mut self) -> Done {
        let Some(book) = self.player.book() else { return Ok(Err("there is no book (see --book)".into())) };
        let known = book.moves(self.player.game());
        let is_there = probe(&*book.nodes, self.player.position()).is_some();
        let (positions, level) = (book.nodes.count(), book.nodes.settings().level);
        writeln!(self.out, "book: {} at level {level}", plural(positions as u64, "position"))?;
        self.show_opening()?;
        if known.is_empty() && is_there {
            return self.say("this position is in the book, but none of its moves");
        }
        if known.is_empty() {
            return self.say("this position is not in the book");
        }
        let (dialect, rows) = (self.dialect(), self.rules().rows());
        let shown = |mv| in_dialect(dialect, rows, mv).to_string();
        for (mv, line) in known {
            let text: String = line.pv.iter().map(|mv| shown(*mv)).collect();
            let exact = if mv.exact { '=' } else { ' ' };
            let (lower, upper) = (mv.lower, mv.upper);
            writeln!(
                self.out,
                "{:4} {:+3}{exact} [{lower:+}, {upper:+}]  {:4}  {text}",
                shown(mv.square.into()),
                mv.score,
                mv.kind.name()
            )?;
        }
        Ok(Ok(()))
    }

    /// Puts the game into the book that the session may write.
    fn store_in_book(&mut self) -> Done {
        let Some(path) = self.learn.clone() else {
            return Ok(Err("no book may be written (start with --book FILE --learn)".into()));
        };
        let (game, stop) = (self.player.game().clone(), self.stop.clone());
        match games::learn(&path, &game, self.player.engine(), None, &stop) {
            Ok(added) => {
                // the session plays from what it has learned
                match BookFile::open(&path) {
                    Ok(file) => self.player.renew_book(Arc::new(file)),
                    Err(error) => return Ok(Err(super::Problem::Save(error.to_string()))),
                }
                let cut_short = if stop.is_stopped() { " before it was stopped" } else { "" };
                self.say(&format!("{} added to {}{cut_short}", plural(added as u64, "position"), path.display()))
            }
            Err(error @ WorkError::Rules(_)) => Ok(Err(error.to_string().into())),
            Err(error) => Ok(Err(super::Problem::Save(error.to_string()))),
        }
    }

    /// The name of the opening, if it has one.
    pub(super) fn show_opening(&mut self) -> io::Result<()> {
        match names::opening_of(self.player.game()) {
            Some(name) => writeln!(self.out, "Opening: {name}"),
            None => Ok(()),
        }
    }
}
