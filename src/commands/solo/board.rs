//! The solitaire's board as text.

use std::fmt::Write;

use outflank::board::{Square, Squares};
use outflank::formats::quantity::plural;
use outflank::solo::{Color, Effect, Ending, Game, Move, Scoring, View};

/// The board: discs `G` and `B`, chips `[g7]`, `[b-]` (a blank), face-down ones `[??]`, free squares `.`.
/// With `paint` gold and black pieces are coloured for a terminal.
pub fn draw(view: &View, paint: bool) -> String {
    let mut text = String::from("     a    b    c    d    e    f    g    h\n");
    for row in 0..8 {
        let _ = write!(text, " {} ", row + 1);
        for column in 0..8 {
            let square = Square::at(column, row).expect("on the board");
            let (symbol, color) = symbol(view, square);
            let cell = format!("{symbol:^5}");
            if !paint {
                text.push_str(&cell);
                continue;
            }
            match color {
                // discs in the colour, chips on it
                Some(Color::Gold) if symbol.len() == 1 => _ = write!(text, "\x1b[1;33m{cell}\x1b[0m"),
                Some(Color::Black) if symbol.len() == 1 => _ = write!(text, "\x1b[1;34m{cell}\x1b[0m"),
                Some(Color::Gold) => _ = write!(text, "\x1b[30;43m{cell}\x1b[0m"),
                Some(Color::Black) => _ = write!(text, "\x1b[97;44m{cell}\x1b[0m"),
                None if symbol == "[??]" => _ = write!(text, "\x1b[2m{cell}\x1b[0m"),
                None => text.push_str(&cell),
            }
        }
        let _ = writeln!(text, " {}", row + 1);
    }
    text.push_str("     a    b    c    d    e    f    g    h");
    text
}

fn symbol(view: &View, square: Square) -> (String, Option<Color>) {
    let (position, bit) = (view.position(), square.bit());
    for (color, letter) in [(Color::Gold, "G"), (Color::Black, "B")] {
        if position.discs(color) & bit != 0 {
            return (letter.to_string(), Some(color));
        }
    }
    if position.free() & bit != 0 {
        return (".".to_string(), None);
    }
    match view.chip_at(square) {
        Some(chip) => (format!("[{chip}]"), Some(chip.color())),
        None => ("[??]".to_string(), None),
    }
}

/// What the board's symbols mean.
pub const LEGEND: &str =
    "discs G (gold) and B (black); chips [g7] gold, [b7] black, [g-] blank, [??] face down; . free square";

/// One line about a turn: `c3g: flips d3; wins b4 on c4; turns up g- on b3`.
pub fn turn(after: &View, mv: Move, effect: Effect) -> String {
    let chips = |squares: u64| {
        let chip = |square| after.chip_at(square).map_or("??".to_string(), |chip| format!("{chip} on {square}"));
        Squares(squares).map(chip).collect::<Vec<_>>().join(", ")
    };
    let mut parts = Vec::new();
    if effect.flipped != 0 {
        parts.push(format!("flips {}", Squares(effect.flipped).map(|s| s.to_string()).collect::<Vec<_>>().join(" ")));
    }
    if effect.won != 0 {
        parts.push(format!("wins {}", chips(effect.won)));
    }
    if effect.turned != 0 {
        parts.push(format!("turns up {}", chips(effect.turned)));
    }
    format!("{mv}: {}", parts.join("; "))
}

/// One line about the state of the game.
pub fn status(game: &Game, scoring: Scoring) -> String {
    let view = game.view();
    let score = view.score();
    let result = match scoring {
        Scoring::Count => {
            format!("{} won ({})", plural(score.chips.into(), "chip"), plural(score.points.into(), "point"))
        }
        Scoring::Points => {
            format!("{} ({} won)", plural(score.points.into(), "point"), plural(score.chips.into(), "chip"))
        }
    };
    let turns = plural(game.moves().len() as u64, "turn");
    match game.ending() {
        Some(ending) => format!("{}: {result} in {turns}.", ending_text(ending)),
        None => {
            let down = view.position().face_down().count_ones();
            let legal = view.position().legal_moves().count() as u64;
            format!("{result} after {turns}; {down} face down; {} legal", plural(legal, "turn"))
        }
    }
}

/// Why the game is over.
pub fn ending_text(ending: Ending) -> &'static str {
    match ending {
        Ending::AllWon => "All 24 chips are won",
        Ending::NoTurn => "No turn is legal",
        Ending::Hopeless => "No sequence of turns can win another chip",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outflank::solo::{Deal, Layout};

    #[test]
    fn colours_change_nothing_but_colours() {
        let mut game = Game::new(Deal::shuffled(Layout::LATTICE, 1));
        game.play("d3g".parse().unwrap()).unwrap();
        let (plain, painted) = (draw(game.view(), false), draw(game.view(), true));
        let mut bare = String::new();
        let mut inside = false;
        for c in painted.chars() {
            inside = inside || c == '\x1b';
            if !inside {
                bare.push(c);
            }
            inside = inside && c != 'm';
        }
        assert_eq!(bare, plain);
        // four gold discs, a black one, two chips turned up
        assert_eq!(painted.matches("\x1b[1;33m").count() + painted.matches("\x1b[1;34m").count(), 5, "{painted}");
        assert_eq!(painted.matches("\x1b[30;43m").count() + painted.matches("\x1b[97;44m").count(), 2, "{painted}");
        assert_eq!(painted.matches("\x1b[2m").count(), 22, "{painted}");
    }
}
