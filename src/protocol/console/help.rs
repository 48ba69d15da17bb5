//! `help`: by topic on a screen, everything over a pipe.

use std::io::Write;

use super::command::{self, ENTRIES, Entry};
use super::session::{Console, Done};
use crate::formats::quote;

/// A group of commands.
struct Topic {
    name: &'static str,
    commands: &'static [&'static str],
}

/// Every command is in one of them.
const TOPICS: [Topic; 6] = [
    Topic { name: "playing", commands: &["play", "why", "undo", "redo", "go"] },
    Topic { name: "thinking", commands: &["hint", "analyze", "level", "depth", "time", "clock", "ponder", "book"] },
    Topic { name: "games", commands: &["new", "init", "opening", "setboard", "rules", "mode", "players", "series"] },
    Topic { name: "turning", commands: &["rotate", "hmirror", "vmirror", "symmetry"] },
    Topic { name: "files", commands: &["save", "load", "list"] },
    Topic {
        name: "session",
        commands: &["board", "moves", "rows", "options", "verbose", "quiet", "version", "help", "quit"],
    },
];

/// Columns before what a command does.
const INDENT: usize = 23;

impl<W: Write> Console<W> {
    pub(super) fn help(&mut self, name: Option<&str>) -> Done {
        // a screen shows the topics; scripts, which can't page, have always had everything
        let text = match name {
            None if self.screen.people => overview(),
            None => all(None),
            Some("all") => all(None),
            Some(name) => {
                if let Some(topic) = TOPICS.iter().find(|topic| topic.name.eq_ignore_ascii_case(name)) {
                    let entries = topic.commands.iter().filter_map(|name| command::find(name));
                    entries.map(|entry| usage(entry, self.help_width())).collect()
                } else if let Some(entry) = command::find(name) {
                    usage(entry, self.help_width())
                } else {
                    return Ok(Err(format!("help: there is no command {}", quote(name)).into()));
                }
            }
        };
        write!(self.out, "{text}")?;
        Ok(Ok(()))
    }

    /// Columns to wrap at, where there is a screen.
    fn help_width(&self) -> Option<usize> {
        self.screen.people.then(|| self.watch.width().unwrap_or(80).clamp(60, 110))
    }
}

fn all(width: Option<usize>) -> String {
    ENTRIES.iter().map(|entry| usage(entry, width)).collect()
}

/// The names of all commands, by topic: it fits a screen of 80 columns and 24 lines.
fn overview() -> String {
    let mut text = String::from("Type a move (f5), several (f5d6c3), or a command:\n");
    for topic in &TOPICS {
        text += &format!("  {:<10} {}\n", topic.name, topic.commands.join(" "));
    }
    text + "`help playing` (or another word on the left) explains those commands,\n\
            `help hint` explains one of them, `help all` lists everything.\n\
            Tab completes commands and moves, the arrow keys bring back earlier lines.\n\
            A key or Ctrl-C stops the engine while it thinks. `quit` or Ctrl-D leaves.\n"
}

/// What a command does: on one line, or wrapped to a width.
fn usage(entry: &Entry, width: Option<usize>) -> String {
    let usage = format!("{} {}", entry.names[0], entry.arguments);
    let others = match &entry.names[1..] {
        [] => String::new(),
        names => format!(" (also: {})", names.join(", ")),
    };
    let mut text = format!("  {usage:<22} ");
    let mut column = text.len();
    for word in format!("{}{others}", entry.help).split(' ') {
        if width.is_some_and(|width| column + word.len() > width) {
            text.truncate(text.trim_end().len());
            text += &format!("\n{:INDENT$}", "");
            column = INDENT;
        }
        text += word;
        text.push(' ');
        column += word.len() + 1;
    }
    text.truncate(text.trim_end().len());
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_topic() {
        for entry in &ENTRIES {
            let topics = TOPICS.iter().filter(|topic| topic.commands.contains(&entry.names[0])).count();
            assert_eq!(topics, 1, "{}", entry.names[0]);
        }
        let named: usize = TOPICS.iter().map(|topic| topic.commands.len()).sum();
        assert_eq!(named, ENTRIES.len());
        assert!(TOPICS.iter().all(|topic| command::find(topic.name).is_none()), "a topic is no command");
    }

    #[test]
    fn screens_of_80_by_24_are_enough() {
        let topic = |topic: &Topic| {
            let entries = topic.commands.iter().filter_map(|name| command::find(name));
            entries.map(|entry| usage(entry, Some(80))).collect::<String>()
        };
        for page in TOPICS.iter().map(topic).chain([overview()]) {
            assert!(page.lines().count() <= 22, "{page}");
            assert!(page.lines().all(|line| line.len() <= 80), "{page}");
        }
        // over a pipe a command has one line
        assert_eq!(all(None).lines().count(), ENTRIES.len());
    }
}
