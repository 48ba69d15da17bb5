//! What the console says about moves: why one is not allowed, what stands in each direction, why a side passes.

use crate::formats::notation::{Dialect, in_dialect, parse_move_in, parse_point};
use crate::formats::quantity::plural;
use crate::formats::why_pass;
use crate::game::Game;
use crate::rules::{Beyond, Move, Point, Position, Sight};

/// One line for a side that passes: `gold passes: no square turns a disc`.
pub(super) fn pass(position: &Position) -> String {
    format!("{} passes: {}", position.rules().color_name(position.side_to_move()), why_pass(position))
}

/// The lines for the passes of a game from a ply on.
pub(super) fn passes(game: &Game, from: usize) -> Vec<String> {
    let plies = game.moves().iter().zip(game.positions()).skip(from);
    plies.filter(|(mv, _)| **mv == Move::Pass).map(|(_, before)| pass(before)).collect()
}

/// Why the side to move can or cannot play a move, and what it would turn, direction by direction.
///
/// # Errors
/// What is wrong with the text.
pub(super) fn why(position: &Position, dialect: Dialect, text: &str) -> Result<String, String> {
    let rules = position.rules();
    let side = position.side_to_move();
    let color = rules.color_name(side);
    let name = |at: Point| {
        let shown = in_dialect(dialect, rules.rows(), Move::Place { at, direction: None });
        shown.to_string()
    };
    let at = match parse_point(dialect, rules.rows(), rules.columns(), text) {
        Ok(at) => at,
        Err(error) => {
            // a pass, or a square with its direction
            let mv = parse_move_in(dialect, position, text).map_err(|_| error.to_string())?;
            let Move::Place { at, .. } = mv else { return Ok(why_not_pass(position)) };
            let Some(refusal) = position.refusal(mv) else { return Ok(format!("{color} can play {text}")) };
            return Ok(format!("{color} cannot play {}: {}", name(at), refusal.reason));
        }
    };
    let moves = position.moves_at(at);
    let mut lines = vec![match moves.as_slice() {
        [] => {
            let reason = position.refusal(Move::Place { at, direction: None }).expect("no move is legal there").reason;
            format!("{color} cannot play {}: {reason}", name(at))
        }
        _ if position.placements_left() > 0 => format!("{color} can place a disc on {}", name(at)),
        [Move::Place { direction: Some(only), .. }] => {
            format!("{color} can play {}, which turns the line towards {}", name(at), only.name())
        }
        [_] => format!("{color} can play {}, which turns {}", name(at), discs(position.flips(moves[0]).count())),
        _ => format!("{color} can play {} and chooses one of the lines that turn", name(at)),
    }];
    let is_free = position.disc_at(at).is_none() && !rules.holes().contains(at);
    if is_free && position.placements_left() == 0 {
        let sight = |sight: &Sight| format!("  {:<2} {}", sight.direction.name(), seen(position, sight, &name));
        lines.extend(position.sights(at, side).iter().map(sight));
    }
    Ok(lines.join("\n"))
}

fn why_not_pass(position: &Position) -> String {
    match position.refusal(Move::Pass) {
        Some(refusal) => refusal.to_string(),
        None => {
            format!("{} must pass: {}", position.rules().color_name(position.side_to_move()), why_pass(position))
        }
    }
}

/// What stands in one direction: `e5 white, then d5 black: turns 1 disc`.
fn seen(position: &Position, sight: &Sight, name: &dyn Fn(Point) -> String) -> String {
    let rules = position.rules();
    let (own, other) = (rules.color_name(position.side_to_move()), rules.color_name(!position.side_to_move()));
    let squares: Vec<String> = sight.discs.iter().map(|point| name(*point)).collect();
    let line = if squares.is_empty() { String::new() } else { format!("{} {other}, then ", squares.join(" ")) };
    let end = match sight.beyond {
        Beyond::Own(point) => format!("{} {own}", name(point)),
        Beyond::Empty(point) => format!("{} empty", name(point)),
        Beyond::Hole(point) => format!("the hole {}", name(point)),
        Beyond::Edge => "the edge".to_string(),
    };
    let verdict = match sight.beyond {
        _ if sight.turns() => format!("turns {}", discs(squares.len() as u32)),
        Beyond::Own(_) => format!("nothing of {other} between"),
        _ if squares.is_empty() => format!("nothing of {other} beside it"),
        _ => format!("no {own} disc behind"),
    };
    format!("{line}{end}: {verdict}")
}

fn discs(count: u32) -> String {
    plural(count.into(), "disc")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::formats::transcript;

    fn ask(rules: &str, moves: &str, square: &str) -> String {
        let start = Position::start(Arc::new(rules.parse().unwrap()));
        let game = transcript::parse(&start, moves).unwrap();
        why(game.position(), Dialect::Plain, square).unwrap_or_else(|error| error)
    }

    #[test]
    fn why_shows_what_stands_in_each_direction() {
        assert_eq!(
            ask("ravensburger", "", "e3"),
            "gold cannot play e3: the disc would turn nothing\n  N  e2 empty: nothing of black beside it\n  \
             NE f2 empty: nothing of black beside it\n  E  f3 empty: nothing of black beside it\n  \
             SE f4 empty: nothing of black beside it\n  S  e4 gold: nothing of black between\n  \
             SW d4 black, then c5 empty: no gold disc behind\n  W  d3 empty: nothing of black beside it\n  \
             NW d2 empty: nothing of black beside it"
        );
        let good = ask("othello", "f5", "f6");
        assert!(good.starts_with("white can play f6, which turns 1 disc\n"), "{good}");
        assert!(good.contains("\n  NW e5 black, then d4 white: turns 1 disc"), "{good}");
        assert_eq!(ask("othello", "", "d4"), "black cannot play d4: a disc of white stands there");
        assert_eq!(ask("octagon", "", "b1"), "black cannot play b1: the square is a hole of this board");
        assert!(ask("octagon", "", "c1").contains("\n  W  the hole b1: nothing of white beside it"));
        assert_eq!(
            ask("traveller", "", "a1"),
            "red cannot play a1: the first four discs go on the four centre squares"
        );
        assert_eq!(ask("traveller", "", "d4"), "red can place a disc on d4");
        assert_eq!(ask("ravensburger-one", "", "f5:N"), "gold cannot play f5: nothing turns towards N, only towards W");
        assert_eq!(ask("othello", "", "pass"), "black cannot pass: it has a legal move (4 of them)");
        assert_eq!(ask("othello", "", "z9"), "'z9' is not on the board (a1 to h8)");
    }

    #[test]
    fn passes_have_reasons() {
        let stuck: Position = "ravensburger:4x4 1OX1/OXXX/XXXX/XXXX O".parse().unwrap();
        assert!(!stuck.must_pass());
        let out: Position = "traveller-all:4x4,crossed 1OX1/XXXX/XXXX/XX2 X hands=0/4".parse().unwrap();
        assert_eq!(pass(&out), "red passes: it has no disc in hand");
        let text = "hungarian:4x4 4/4/XXX1/OOOX X";
        let position: Position = text.parse().unwrap();
        if position.must_pass() {
            assert_eq!(pass(&position), "o passes: no square turns a disc");
        }
        let mut game = Game::from_position(out);
        game.play(Move::Pass).unwrap();
        assert_eq!(passes(&game, 0), ["red passes: it has no disc in hand"]);
        assert!(passes(&game, 1).is_empty());
    }
}
