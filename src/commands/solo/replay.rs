//! A recorded game, turn by turn.

use std::io::{self, Write};

use outflank::formats::quantity::plural;
use outflank::solo::{Game, Help, Record};

use super::board;
use crate::commands::error::{Outcome, Status};

/// Prints a record as JSON, or shows its turns, with `paint` in colours; reading it has checked every one.
pub fn run(record: &Record, json: bool, paint: bool) -> Outcome {
    let mut out = io::stdout().lock();
    if json {
        writeln!(out, "{}", record.to_json_line())?;
        return Ok(Status::Success);
    }
    let mut game = Game::unknown(record.game.layout());
    // what the turns will turn up; a view shows only what they have
    let chips = record.game.layout().squares().zip(record.game.chips());
    let chips: Vec<_> = chips.filter_map(|(square, chip)| Some((square, (*chip)?))).collect();
    game.reveal(&chips).expect("a record names no chip too often");
    writeln!(out, "{}\n\n{}", board::draw(game.view(), paint), board::LEGEND)?;
    for (i, mv) in record.game.moves().iter().enumerate() {
        let effect = game.play(*mv).expect("records hold legal turns");
        writeln!(out, "\n{}. {}", i + 1, board::turn(game.view(), *mv, effect))?;
        writeln!(out, "{}", board::draw(game.view(), paint))?;
    }
    game.help = record.game.help;
    writeln!(out, "\n{}", board::status(&game, record.scoring))?;
    if game.help != Help::default() {
        writeln!(out, "{}", help_text(game.help))?;
    }
    Ok(Status::Success)
}

/// The help a player took, in words.
pub fn help_text(help: Help) -> String {
    let hints = plural(help.hints.into(), "hint");
    let takebacks = plural(u64::from(help.takebacks) + u64::from(help.peeks), "takeback");
    format!("with help: {hints}, {takebacks} ({} after chips had been turned up)", help.peeks)
}
