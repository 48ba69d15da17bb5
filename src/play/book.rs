//! The opening book of a player.

use std::fmt;
use std::sync::Arc;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::book::probe::line;
use crate::book::{BookMove, Choosing, Nodes, embedded, probe};
use crate::game::Game;
use crate::rules::Move;
use crate::search::{Bound, Line};

/// An opening book, and how a player uses it.
#[derive(Clone)]
pub struct OpeningBook {
    /// What it knows.
    pub nodes: Arc<dyn Nodes>,
    /// Which of its moves are played.
    pub choosing: Choosing,
    /// The same seed makes the same choices.
    pub seed: u64,
}

impl fmt::Debug for OpeningBook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Choosing { move_loss, game_loss, variety, draw } = self.choosing;
        let positions = self.nodes.count();
        write!(
            f,
            "OpeningBook({positions} positions, {move_loss}/{game_loss} discs, variety {variety}, draw {draw}, {})",
            self.seed
        )
    }
}

impl OpeningBook {
    /// The book built into the program.
    pub fn embedded(seed: u64) -> OpeningBook {
        OpeningBook { nodes: embedded(), choosing: Choosing::default(), seed }
    }

    /// The book's move in a game, with its value for the side to move and the book's line after it; `None` when it has none
    /// that should be played ([`Choosing::choose`]).
    pub fn choose(&self, game: &Game, random: u64) -> Option<Line> {
        let mv = self.choosing.choose(&*self.nodes, game, random)?;
        Some(self.line(game, &mv))
    }

    /// All moves that the book knows in a game's present position, best first; empty when it is not in the book.
    pub fn moves(&self, game: &Game) -> Vec<(BookMove, Line)> {
        let known = probe(&*self.nodes, game.position()).map(|knowledge| knowledge.moves).unwrap_or_default();
        known.into_iter().map(|mv| (mv, self.line(game, &mv))).collect()
    }

    fn line(&self, game: &Game, known: &BookMove) -> Line {
        let mv = Move::from(known.square);
        let mut pv = vec![mv];
        let next = game.position().play(mv).ok().and_then(|next| crate::book::probe::board_of(&next));
        pv.extend(next.into_iter().flat_map(|board| line(&*self.nodes, board)).map(Move::from));
        Line { mv, score: known.score.into(), bound: Bound::Exact, pv }
    }
}

/// The place of a player's book: there may be none, and it may be closed.
#[derive(Debug)]
pub(super) struct HeldBook {
    book: Option<OpeningBook>,
    /// Chooses among the book's moves.
    random: StdRng,
    /// The book is asked.
    pub is_open: bool,
}

impl Default for HeldBook {
    fn default() -> HeldBook {
        HeldBook { book: None, random: StdRng::seed_from_u64(0), is_open: true }
    }
}

impl HeldBook {
    /// Another book, or none; choices begin anew.
    pub fn set(&mut self, book: Option<OpeningBook>) {
        self.random = StdRng::seed_from_u64(book.as_ref().map_or(0, |book| book.seed));
        self.book = book;
    }

    /// The same book after a change; its choices go on.
    pub fn renew(&mut self, nodes: Arc<dyn Nodes>) {
        if let Some(book) = &mut self.book {
            book.nodes = nodes;
        }
    }

    /// The book, open or closed.
    pub fn get(&self) -> Option<&OpeningBook> {
        self.book.as_ref()
    }

    /// What the next choice depends on; every move uses one up, also where the book has none.
    pub fn next_random(&mut self) -> u64 {
        self.random.random()
    }
}
