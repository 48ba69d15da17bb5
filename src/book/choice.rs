//! Which of a book's moves is played.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::probe::{BookMove, Knowledge, probe};
use super::store::Nodes;
use crate::game::Game;
use crate::rules::{Color, Equality, Move};

/// How a player uses a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choosing {
    /// Discs that one move may be worse than the best.
    pub move_loss: u8,
    /// Discs that the moves of one game may lose together (Zebra's slack).
    pub game_loss: u8,
    /// 0 plays the best move always; 10 plays all moves that are allowed equally often; between them a move is `variety / 10`
    /// times as likely for each disc that it loses.
    pub variety: u8,
    /// What a proven draw is worth to the side that chooses, in discs, -64 to 64: below 0 it avoids drawn lines, above 0 it looks
    /// for them. Only draws that solves have proven are meant ([`BookMove::is_draw`]), and games whose rules have draws. NTest's
    /// contempt.
    pub draw: i8,
}

impl Default for Choosing {
    fn default() -> Choosing {
        Choosing { move_loss: 1, game_loss: 2, variety: 5, draw: 0 }
    }
}

impl Choosing {
    /// The largest [`Choosing::variety`].
    pub const MAX_VARIETY: u8 = 10;

    /// The best move, always the same.
    pub const BEST: Choosing = Choosing { move_loss: 0, game_loss: 0, variety: 0, draw: 0 };

    /// The book's move in a game's present position, chosen by `random`; `None` when the book has none that should be played:
    ///
    /// * a listed move is never played when one that leads out of the book is better and the loss is not allowed;
    /// * a node whose values no longer fit together is searched ([`Knowledge::is_stale`]);
    /// * what earlier moves of this side have lost, as the book sees it now, counts towards [`Choosing::game_loss`];
    /// * of moves that are worth the same the first listed one is the best, and a draw is worth [`Choosing::draw`].
    pub fn choose(&self, nodes: &dyn Nodes, game: &Game, random: u64) -> Option<BookMove> {
        let knowledge = probe(nodes, game.position())?;
        if knowledge.is_stale() {
            return None;
        }
        let choosing = match game.position().rules().equality() {
            Equality::Draw => *self,
            // equal counts are a win or a loss, and nobody can be for or against draws
            Equality::SecondWins => Choosing { draw: 0, ..*self },
        };
        let allowed = match self.move_loss {
            0 => 0,
            most => most.min(self.game_loss.saturating_sub(choosing.lost(nodes, game))),
        };
        choosing.pick(&knowledge, allowed, random)
    }

    /// One of the moves that lose at most this many discs.
    fn pick(&self, knowledge: &Knowledge, allowed: u8, random: u64) -> Option<BookMove> {
        let best = *self.best(knowledge)?;
        if self.variety == 0 {
            return Some(best);
        }
        let loss = |mv: &BookMove| self.worth(&best) - self.worth(mv);
        // values of different searches are not compared by chance: only moves as well known as the best one
        let trusted = |mv: &&BookMove| mv.exact || !best.exact;
        let candidates: Vec<&BookMove> =
            knowledge.moves.iter().filter(|mv| loss(mv) <= i32::from(allowed)).filter(trusted).collect();
        let factor = f64::from(self.variety.min(Choosing::MAX_VARIETY)) / f64::from(Choosing::MAX_VARIETY);
        let weight = |mv: &BookMove| factor.powi(loss(mv));
        let sum: f64 = candidates.iter().map(|mv| weight(mv)).sum();
        let mut left = StdRng::seed_from_u64(random).random::<f64>() * sum;
        for mv in &candidates {
            left -= weight(mv);
            if left < 0.0 {
                return Some(**mv);
            }
        }
        candidates.last().map(|mv| **mv)
    }

    /// What a move is worth to the side that chooses, in discs.
    fn worth(&self, mv: &BookMove) -> i32 {
        if mv.is_draw() { self.draw.into() } else { mv.score.into() }
    }

    /// The move that is worth most; of equal ones the first.
    fn best<'a>(&self, knowledge: &'a Knowledge) -> Option<&'a BookMove> {
        knowledge.moves.iter().min_by_key(|mv| -self.worth(mv))
    }

    /// Discs that the side to move has lost in this game with moves that the book knows to be worse than the best.
    fn lost(&self, nodes: &dyn Nodes, game: &Game) -> u8 {
        let side: Color = game.position().side_to_move();
        let moves = game.positions().iter().zip(game.moves()).filter(|(position, _)| position.side_to_move() == side);
        let loss = |(position, mv): (_, &Move)| {
            let knowledge = probe(nodes, position)?;
            let played = knowledge.moves.iter().find(|known| Some(known.square) == mv.square())?;
            // 128 at most, from a certain win to a certain loss
            Some((self.worth(self.best(&knowledge)?) - self.worth(played)) as u8)
        };
        moves.filter_map(loss).fold(0, u8::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::super::negamax::negamax;
    use super::super::node::{Leaf, Node, Origin};
    use super::super::store::Book;
    use super::*;
    use crate::board::Board;
    use crate::formats::transcript;
    use crate::rules::Position;

    fn game(moves: &str) -> Game {
        transcript::parse(&Position::default(), moves).unwrap()
    }

    fn board(moves: &str) -> Board {
        super::super::probe::board_of(game(moves).position()).unwrap().canonical()
    }

    /// f5 with its three answers: d6 is worth -1, f6 -2, f4 (the leaf) -9.
    fn book() -> Book {
        let node = |moves: &str, square: &str, score: i8| {
            let mut node = Node::new(board(moves), Origin::Outflank);
            node.set_leaf(Leaf::Move { square: square.parse().unwrap(), score }, 16);
            node
        };
        let any = |moves: &str, score: i8| {
            let square = crate::board::Squares(board(moves).legal_moves()).next().unwrap();
            node(moves, &square.to_string(), score)
        };
        let mut start = Node::new(board(""), Origin::Outflank);
        start.set_leaf(Leaf::None, 16);
        let mut book: Book = [start, node("f5", "f4", -9), any("f5d6", 1), any("f5f6", 2)].into_iter().collect();
        negamax(&mut book, |_| {});
        book
    }

    fn counts(choosing: Choosing, game: &Game) -> HashMap<String, u32> {
        let book = book();
        let mut counts = HashMap::new();
        for random in 0..600 {
            let mv = choosing.choose(&book, game, random).expect("a book move");
            *counts.entry(mv.square.to_string()).or_default() += 1;
        }
        counts
    }

    #[test]
    fn without_variety_the_best_move_is_played() {
        assert_eq!(counts(Choosing::BEST, &game("f5")), HashMap::from([("d6".to_string(), 600)]));
        let careful = Choosing { move_loss: 0, game_loss: 9, variety: 10, ..Choosing::BEST };
        assert_eq!(counts(careful, &game("f5")).len(), 1);
    }

    #[test]
    fn moves_are_chosen_by_what_they_lose() {
        let found = counts(Choosing::default(), &game("f5"));
        assert_eq!(found.len(), 2, "f4 loses eight discs: {found:?}");
        let share = f64::from(found["f6"]) / 600.0;
        assert!((0.27..0.40).contains(&share), "half as likely as d6: {found:?}");
        let found = counts(Choosing { move_loss: 8, game_loss: 64, variety: 10, ..Choosing::BEST }, &game("f5"));
        assert!(found.len() == 3 && found.values().all(|&n| n > 150), "{found:?}");
        // the four first moves are one
        assert_eq!(counts(Choosing { variety: 10, ..Choosing::default() }, &game("")).len(), 4);
    }

    #[test]
    fn the_same_random_number_makes_the_same_choice() {
        let (book, game) = (book(), game("f5"));
        let choosing = Choosing::default();
        assert!((0..50).all(|n| choosing.choose(&book, &game, n) == choosing.choose(&book, &game, n)));
    }

    #[test]
    fn a_game_has_a_budget() {
        let choosing = Choosing { move_loss: 2, game_loss: 1, variety: 10, ..Choosing::BEST };
        assert_eq!(counts(choosing, &game("f5")).len(), 2);
        assert_eq!(choosing.lost(&book(), &game("f5f6")), 0, "black has lost nothing");
        let white_again = game("f5f6e6");
        assert_eq!(choosing.lost(&book(), &white_again), 1, "white's f6 was one disc worse than d6");
    }

    #[test]
    fn a_proven_draw_is_worth_what_it_is_said_to_be() {
        let mv = |square: &str, score, exact| BookMove {
            square: square.parse().unwrap(),
            score,
            lower: score,
            upper: score,
            exact,
            level: 16,
            kind: super::super::probe::Kind::Link,
        };
        // a draw, a move that loses by a disc, and "0 by a midgame search"
        let knowledge = |second: BookMove| Knowledge {
            node: Node::new(board(""), Origin::Outflank),
            moves: vec![mv("d3", 0, true), second],
            unlisted: Vec::new(),
        };
        let played = |draw: i8, variety: u8, second: BookMove| {
            let choosing = Choosing { draw, variety, ..Choosing::default() };
            let squares = (0..40).map(|n| choosing.pick(&knowledge(second), 1, n).unwrap().square.to_string());
            let mut squares: Vec<String> = squares.collect();
            squares.sort();
            squares.dedup();
            squares
        };
        let lost = mv("c4", -1, true);
        assert_eq!(played(0, 0, lost), ["d3"]);
        assert_eq!(played(-2, 0, lost), ["c4"], "rather lost by a disc");
        assert_eq!(played(-3, 5, lost), ["c4"], "the draw loses two discs more than is allowed");
        assert_eq!(played(-1, 5, lost), ["c4", "d3"]);
        let unproven = mv("c4", 0, false);
        assert_eq!(played(1, 0, unproven), ["d3"]);
        assert_eq!(played(-1, 0, unproven), ["c4"], "no draw is proven there");
        // what was given up for it counts as it was seen
        let choosing = Choosing { draw: -2, ..Choosing::default() };
        assert_eq!(choosing.worth(choosing.best(&knowledge(lost)).unwrap()), -1);
    }

    #[test]
    fn equal_counts_that_win_are_no_draw() {
        let node = |moves: &str, square: &str, score: i8| {
            let mut node = Node::new(board(moves), Origin::Outflank);
            let (_, symmetry) = super::super::graph::board(moves).canonical_by();
            let square = crate::board::transform_square(square.parse().unwrap(), symmetry);
            node.set_leaf(Leaf::Move { square, score }, 60);
            node
        };
        // solved: equal counts after d6, white loses by two discs after f6
        let mut book: Book = [node("f5", "f4", -9), node("f5d6", "c3", 0), node("f5f6", "e6", 2)].into_iter().collect();
        negamax(&mut book, |_| {});
        let chosen = |rules: &str| {
            let start = Position::start(std::sync::Arc::new(rules.parse().unwrap()));
            let game = transcript::parse(&start, "f5").unwrap();
            let choosing = Choosing { draw: -5, ..Choosing::BEST };
            choosing.choose(&book, &game, 1).unwrap().square.to_string()
        };
        assert_eq!([chosen("othello"), chosen("ravensburger")], ["f6", "d6"]);
    }

    #[test]
    fn stale_nodes_and_strange_positions_are_left_to_the_search() {
        let mut book = book();
        assert!(Choosing::default().choose(&book, &game("f5f4"), 1).is_none());
        let at = book.position(&board("f5")).unwrap();
        book.nodes_mut()[at].value = 3;
        assert!(Choosing::default().choose(&book, &game("f5"), 1).is_none());
    }
}
