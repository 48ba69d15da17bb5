//! What the beginning of a line may be completed to: commands, their words, and legal moves.

use std::io::Write;

use super::command::{self, ENTRIES};
use super::session::Console;
use crate::book::names::openings;
use crate::formats::notation::{Dialect, in_dialect};
use crate::formats::transcript;
use crate::game::Game;
use crate::rules::Move;
use crate::rules::presets::PRESETS;

/// Completes lines for a game as it stands.
#[derive(Clone, Debug)]
pub struct Completion {
    game: Game,
    dialect: Dialect,
}

/// What may stand at the end of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Candidates {
    /// These words, in place of what begins at this byte.
    Words(usize, Vec<String>),
    /// The name of a file.
    Files,
}

impl<W: Write> Console<W> {
    /// What lines typed now may be completed to.
    pub fn completion(&self) -> Completion {
        Completion { game: self.player.game().clone(), dialect: self.dialect() }
    }
}

impl Completion {
    /// What the end of a line may become.
    pub fn of(&self, line: &str) -> Candidates {
        let start = line.rfind([' ', '\t']).map_or(0, |blank| blank + 1);
        let word = &line[start..];
        let first = line.split_whitespace().next().filter(|first| line.len() > first.len());
        let fixed = |words: &[&str]| {
            let fits = words.iter().filter(|known| known.starts_with(&word.to_lowercase()));
            Candidates::Words(start, fits.map(|known| known.to_string()).collect())
        };
        let Some(entry) = first.map(command::find) else {
            let names: Vec<&str> = ENTRIES.iter().map(|entry| entry.names[0]).collect();
            let Candidates::Words(at, mut words) = fixed(&names) else { return Candidates::Files };
            let (moves_at, moves) = self.moves(line, start);
            // moves that follow others begin elsewhere than commands
            return match words.is_empty() || line.is_empty() {
                true => Candidates::Words(moves_at, moves),
                false => {
                    words.extend(moves.into_iter().filter(|_| moves_at == at));
                    Candidates::Words(at, words)
                }
            };
        };
        match entry.map(|entry| entry.names[0]) {
            None | Some("play" | "why") => {
                let (at, moves) = self.moves(line, start);
                Candidates::Words(at, moves)
            }
            Some("save" | "load" | "list") => Candidates::Files,
            Some("mode") => fixed(&["white", "black", "both", "none"]),
            Some("book") => fixed(&["show", "store", "on", "off"]),
            Some("opening") => {
                let names: Vec<String> = openings().map(|(_, name)| name.to_lowercase().replace(' ', "-")).collect();
                fixed(&names.iter().map(String::as_str).collect::<Vec<_>>())
            }
            Some("ponder") => fixed(&["on", "off"]),
            Some("rows") => fixed(&["top", "bottom"]),
            Some("rules") => fixed(&PRESETS.iter().map(|preset| preset.name).collect::<Vec<_>>()),
            Some("help") => fixed(&ENTRIES.map(|entry| entry.names[0])),
            Some(_) => Candidates::Words(start, Vec::new()),
        }
    }

    /// The legal moves that begin as the line ends, and where that is; moves before it on the line count as played.
    fn moves(&self, line: &str, start: usize) -> (usize, Vec<String>) {
        let (command, text) = match line.split_once([' ', '\t']) {
            Some((name, _)) if command::find(name).is_some() => line.split_at(name.len()),
            _ => line.split_at(0),
        };
        // the last move is complete unless it lacks its number, or a longer one exists
        for length in (0..=text.len().min(3)).filter(|length| text.is_char_boundary(text.len() - length)) {
            let at = command.len() + text.len() - length;
            let (before, begun) = (&line[command.len()..at], line[at..].to_lowercase());
            let mut game = self.game.clone();
            if at < start || transcript::play_in(self.dialect, &mut game, before).is_err() {
                continue;
            }
            let rows = game.position().rules().rows();
            let mut names: Vec<String> = game
                .position()
                .legal_moves()
                .iter()
                .map(|mv| {
                    if *mv == Move::Pass { "pass".to_string() } else { in_dialect(self.dialect, rows, *mv).to_string() }
                })
                .filter(|name| name.starts_with(&begun))
                .collect();
            names.dedup();
            if !names.is_empty() {
                return (at, names);
            }
        }
        (start, Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn complete(rules: &str, line: &str) -> (usize, Vec<String>) {
        let game = Game::new(Arc::new(rules.parse().unwrap()));
        match (Completion { game, dialect: Dialect::Plain }).of(line) {
            Candidates::Words(at, words) => (at, words),
            Candidates::Files => (0, vec!["FILES".to_string()]),
        }
    }

    fn words(line: &str) -> String {
        complete("othello", line).1.join(" ")
    }

    #[test]
    fn moves_and_commands() {
        assert_eq!(words(""), "d3 c4 f5 e6");
        assert_eq!(words("f"), "f5");
        assert_eq!(words("d"), "depth d3");
        assert_eq!(words("hi"), "hint");
        assert_eq!(complete("othello", "f5d"), (2, vec!["d6".to_string()]));
        assert_eq!(complete("othello", "f5"), (2, vec!["f4".to_string(), "d6".to_string(), "f6".to_string()]));
        assert_eq!(complete("othello", "play f5 "), (8, vec!["f4".to_string(), "d6".to_string(), "f6".to_string()]));
        assert_eq!(words("play F5 F"), "f4 f6");
        assert_eq!(words("why e"), "e6");
        assert_eq!(complete("othello:16x16", "k1").1.len(), 0);
        assert_eq!(words("zz"), "");
    }

    #[test]
    fn arguments() {
        assert_eq!(words("mode b"), "black both");
        assert_eq!(words("m b"), "black both");
        assert_eq!(words("load tests/"), "FILES");
        assert_eq!(words("help un"), "undo");
        assert_eq!(words("opening Rose-b"), "rose-bill rose-birth rose-birdie");
        assert_eq!(words("opening centr"), "central-rose-bill");
        assert!(words("rules rav").starts_with("ravensburger"), "{}", words("rules rav"));
        assert_eq!(words("level 2"), "");
    }
}
