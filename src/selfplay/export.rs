//! Games as text, and as records that every format of games can be made of.

use std::io::{self, Write};

use super::game::{GameRecord, Kind};
use crate::board::{Board, Squares};
use crate::formats::record::{self, GameResult, MoveNote};
use crate::game::Game;

/// Writes the labelled positions of a game, one a line: the board as in OBF problem files, the value as the score of the
/// position, and the rest as a comment, so that everything that reads OBF can read it:
///
/// `64 squares SIDE; +6; % depth 6 game 17 ply 21 move c4 result -4`
///
/// Value and result are in discs for the side to move; a value that is no whole number is rounded and stands in the
/// comment too. Instead of `depth 6` there can be `depth 6 selective`, or `exact` behind the move.
///
/// # Errors
/// When writing fails.
pub fn write_text(out: &mut impl Write, game: &GameRecord) -> io::Result<()> {
    for position in game.positions() {
        let discs = position.discs();
        out.write_all(&squares(position.board, position.black))?;
        let side = if position.black { 'X' } else { 'O' };
        write!(out, " {side}; {discs:+.0}; %")?;
        // in front, where readers look for it: the score is not exact
        if let Kind::Search { depth, selective } = position.kind {
            write!(out, " depth {depth}{}", if selective { " selective" } else { "" })?;
        }
        write!(out, " game {} ply {} move {}", game.index, position.ply, position.square)?;
        match position.kind {
            Kind::Opening => write!(out, " opening")?,
            Kind::Search { .. } => {}
            Kind::Exact => write!(out, " exact")?,
        }
        if discs.fract() != 0.0 {
            write!(out, " value {discs:+.2}")?;
        }
        writeln!(out, " result {:+}", position.result)?;
    }
    Ok(())
}

/// The game as others are recorded: with its passes, the labels as evaluations of the moves played there, and the index as the event.
pub fn to_record(game: &GameRecord) -> record::GameRecord {
    let mut record = record::GameRecord::new(Game::default());
    for position in game.all_positions() {
        record.game.play_passing(position.square.into()).expect("a legal move");
        if position.kind != Kind::Opening {
            record.annotate_last(MoveNote { eval: Some(position.discs().into()), ..MoveNote::default() });
        }
    }
    record.result = GameResult::of(record.game.position());
    record.event = Some(format!("Self-play game {}", game.index));
    record
}

fn squares(board: Board, black: bool) -> [u8; 64] {
    let (own, other) = if black { (b'X', b'O') } else { (b'O', b'X') };
    let mut text = [b'-'; 64];
    Squares(board.player).for_each(|square| text[square.index()] = own);
    Squares(board.opponent).for_each(|square| text[square.index()] = other);
    text
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::formats::obf;
    use crate::rules::{Color, Move, RuleSet};
    use crate::selfplay::game::tests::random_game;

    #[test]
    fn records_are_the_games() {
        for game in (0..30).map(random_game) {
            let record = to_record(&game);
            let score = record.result.and_then(|result| result.score);
            assert_eq!(score, Some(f64::from(game.result)), "the moves lead to the result");
            let places = record.game.moves().iter().enumerate().filter(|(_, mv)| **mv != Move::Pass);
            for (number, (ply, (at, mv))) in game.plies.iter().zip(places).enumerate() {
                assert_eq!(mv.square(), Some(ply.square));
                let value = (number >= game.opening_plies as usize).then_some(f64::from(ply.value) / 128.0);
                assert_eq!(record.note(at).and_then(|note| note.eval), value);
            }
        }
    }

    #[test]
    fn lines_are_obf_problems() {
        let rules = Arc::new(RuleSet::othello());
        for game in (0..30).map(random_game) {
            let mut text = Vec::new();
            write_text(&mut text, &game).unwrap();
            let text = String::from_utf8(text).unwrap();
            assert_eq!(text.lines().count(), game.positions().count());
            for (position, line) in game.positions().zip(text.lines()) {
                let problem = obf::parse_line(line, 1, &rules).unwrap().unwrap();
                assert_eq!(problem.position.fast_board().unwrap().0, position.board, "{line}");
                assert_eq!(problem.position.side_to_move() == Color::Black, position.black);
                assert!((problem.score.unwrap() as f32 - position.discs()).abs() <= 0.5, "{line}");
                assert!(line.contains(&format!(" game {} ply {} move {} ", game.index, position.ply, position.square)));
                assert!(line.ends_with(&format!(" result {:+}", position.result)), "{line}");
                assert_eq!(line.contains(" exact "), position.kind == Kind::Exact);
                assert_eq!(problem.searched.is_some(), matches!(position.kind, Kind::Search { .. }), "{line}");
                assert_eq!(line.contains(" value "), position.value % 128 != 0);
            }
        }
    }
}
