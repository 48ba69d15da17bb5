//! A position that is looked for in games.

use crate::board::{Board, Square, transform_square};
use crate::game::Game;
use crate::rules::{Color, Objective, Position};

/// The position is on no board that can be searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("positions of othello on 8x8 can be looked for")]
pub struct NotSearchable;

/// A position that is looked for in games: in every orientation, with the side to move that it has. A side that must pass passes.
#[derive(Clone, Debug)]
pub struct Target {
    objective: Objective,
    board: Board,
    /// Views of the position, each with the symmetry that leads back to it.
    views: Vec<(Board, usize)>,
    /// Symmetries that leave the position as it is.
    own: Vec<usize>,
}

impl Target {
    /// Looks for this position.
    ///
    /// # Errors
    /// [`NotSearchable`] for other rules and sizes.
    pub fn new(position: &Position) -> Result<Target, NotSearchable> {
        let board = settled(position.whole_board().ok_or(NotSearchable)?);
        let mut views: Vec<(Board, usize)> = Vec::new();
        for symmetry in 0..8 {
            let view = (0..8).map(|back| (board.symmetry(symmetry), back));
            let back = view.into_iter().find(|(view, back)| view.symmetry(*back) == board);
            views.extend(back.filter(|(view, _)| views.iter().all(|(known, _)| known != view)));
        }
        let own = (0..8).filter(|&symmetry| board.symmetry(symmetry) == board).collect();
        Ok(Target { objective: position.rules().objective(), board, views, own })
    }

    /// Empty squares.
    pub(super) fn empties(&self) -> u32 {
        self.board.empty_count()
    }

    /// A game with this objective may have the position: the same discs are worth something else where the fewest win.
    pub(super) fn is_of(&self, objective: Objective) -> bool {
        self.objective == objective
    }

    /// The symmetry that leads from a board to the position.
    pub(super) fn view(&self, board: Board) -> Option<usize> {
        self.views.iter().find(|(view, _)| *view == board).map(|(_, back)| *back)
    }

    /// Of moves that are the same on a symmetric board the first, which stands for all.
    pub(super) fn first_image(&self, square: Square) -> Square {
        self.own.iter().map(|&symmetry| transform_square(square, symmetry)).min().unwrap_or(square)
    }

    /// The side to move in the position where a game comes to it, and the move played there, as seen on the board looked for; none
    /// at the end of the game.
    pub(super) fn find(&self, game: &Game) -> Option<(Color, Option<Square>)> {
        if !self.is_of(game.start().rules().objective()) {
            return None;
        }
        game.positions().iter().enumerate().find_map(|(i, position)| {
            let board = position.whole_board().filter(|_| position.empty_count() == self.empties())?;
            let (settled, next) = (settled(board), game.moves().get(i));
            // a pass that follows leads there; one that is missing at the end of the record is as good as made
            let side = match board == settled {
                true => position.side_to_move(),
                false if next.is_none() => !position.side_to_move(),
                false => return None,
            };
            let view = self.view(settled)?;
            Some((side, next.and_then(|mv| mv.square()).map(|square| transform_square(square, view))))
        })
    }
}

/// The board after the pass, if the side to move must pass.
pub(super) fn settled(board: Board) -> Board {
    if board.legal_moves() == 0 && board.pass().legal_moves() != 0 { board.pass() } else { board }
}
