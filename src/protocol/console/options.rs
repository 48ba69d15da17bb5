//! The state of a session in words: how strong the engine plays, and every option.

use std::io::{self, Write};

use super::command::{Rows, Setting, Sides};
use super::session::{Console, Done};
use crate::analysis::levels;
use crate::analysis::text::time_text;
use crate::book::probe::has_book;
use crate::engine::Engine;
use crate::formats::notation::Dialect;
use crate::formats::quantity::plural;
use crate::play::{Grade, Strength, TimeControl};
use crate::rules::Color;
use crate::search::Goal;

impl<W: Write> Console<W> {
    pub(super) fn strength(&mut self, setting: Option<Setting>) -> Done {
        let Some(setting) = setting else {
            let text = self.strength_text();
            return self.say(&text);
        };
        let strength = self.player.strength().clone();
        self.player.set_strength(match setting {
            Setting::Level(level) => level.within(&strength),
            Setting::Depth(depth, selectivity) => {
                Strength { goal: Some(Goal::Depth(depth, selectivity)), grade: None, ..strength }
            }
            Setting::Time(time) => Strength { time, ..strength },
        });
        Ok(Ok(()))
    }

    /// What the strength in force means here and now.
    fn strength_text(&self) -> String {
        let strength = self.player.strength().clone();
        let position = self.player.position();
        let is_timed = self.player.clocks().is_running(position.side_to_move());
        let mut text = match (strength.grade, strength.goal(is_timed)) {
            (Some(grade), _) => {
                format!("{grade}: plays as people of grade {} of {} do", grade.number(), Grade::ALL.len())
            }
            (None, Goal::Level(level)) => {
                let stage = Engine::stage_of(position, level);
                let means = levels::describe_in(position, level);
                format!("{means} (now depth {} at {})", stage.depth, stage.selectivity)
            }
            (None, Goal::Depth(depth, selectivity)) => format!("depth {depth} at {selectivity}"),
            (None, Goal::Exact) => "every position is solved exactly".to_string(),
            (None, Goal::WinDrawLoss) => "every position is solved for win, draw or loss".to_string(),
            (None, Goal::Unlimited) if is_timed => "as deep as the clock allows".to_string(),
            (None, Goal::Unlimited) => "as deep as the limits allow".to_string(),
        };
        if let Some(time) = strength.time {
            text += &format!(", at most {} s a move", time.as_secs_f64());
        }
        // a grade looks as far ahead as it does
        if let Some(nodes) = strength.nodes.filter(|_| strength.grade.is_none()) {
            text += &format!(", at most {} a move", plural(nodes, "node"));
        }
        text
    }

    /// The clock of the game, and what the sides that the engine plays have left on it.
    fn clocks_text(&self) -> String {
        let clocks = self.player.clocks();
        let control = clocks.of(self.player.position().side_to_move()).control();
        if control == TimeControl::None {
            return "none".to_string();
        }
        let engines = |color: &Color| self.sides == Sides::None || self.is_engines(*color);
        let left =
            |color| Some(format!("{} {}", self.rules().color_name(color), time_text(clocks.of(color).remaining()?)));
        let left: Vec<String> = [Color::Black, Color::White].into_iter().filter(engines).filter_map(left).collect();
        format!("{control} (left: {})", left.join(", "))
    }

    /// Every option with its present value, named as the command that changes it.
    pub(super) fn show_options(&mut self) -> io::Result<()> {
        let on = |on: bool| if on { "on" } else { "off" }.to_string();
        let engine = self.player.engine().options().clone();
        let book = match self.player.book() {
            None => "none".to_string(),
            Some(book) => {
                let positions = plural(book.nodes.count() as u64, "position");
                let state = match (self.player.uses_book(), self.player.open_book().is_some()) {
                    (false, _) => "off",
                    (true, true) => "on",
                    (true, false) if has_book(self.rules()) => "on, but not at this level",
                    (true, false) => "on, but not by these rules",
                };
                format!("{state} ({positions})")
            }
        };
        let names = self.names();
        let rows = [
            ("level", self.strength_text().trim_start_matches("level ").to_string()),
            ("clock", self.clocks_text()),
            (
                "mode",
                match self.sides {
                    Sides::White => "0, the engine plays the second side",
                    Sides::Black => "1, the engine plays the first side",
                    Sides::Both => "2, the engine plays both sides",
                    Sides::None => "3, the engine moves on `go` only",
                }
                .to_string(),
            ),
            ("ponder", on(self.player.options().ponder)),
            ("book", book),
            (
                "variety",
                self.player.options().variety.map_or("off".to_string(), |variety| plural(variety.discs.into(), "disc")),
            ),
            ("rules", self.rules().to_string()),
            ("players", if names == ["", ""] { "not named".to_string() } else { names.join(" - ") }),
            ("rows", if self.dialect() == Dialect::FromBottom { Rows::Bottom } else { Rows::Top }.name().to_string()),
            ("verbose", self.verbose.to_string()),
            ("threads", format!("{} (--threads)", engine.threads)),
            ("hash", format!("{} MiB (--hash)", engine.hash_mib)),
        ];
        rows.iter().try_for_each(|(name, value)| writeln!(self.out, "{name:<8} {value}"))
    }
}
