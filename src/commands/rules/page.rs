//! A page of text with headings, lists and drawn boards, for the terminal or as Markdown.

use clap::ValueEnum;

/// How a page is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For the terminal
    #[default]
    Text,
    /// Markdown
    Markdown,
}

/// A part of a page.
#[derive(Clone, Debug)]
pub enum Block {
    /// A section begins.
    Heading(&'static str),
    /// A paragraph.
    Text(String),
    /// Short paragraphs, one below the other.
    List(Vec<String>),
    /// Lines that stay as they are.
    Board(String),
    /// Names and what they mean.
    Facts(Vec<(&'static str, String)>),
}

/// A page.
#[derive(Clone, Debug)]
pub struct Page {
    /// What it is about.
    pub title: String,
    /// Its parts, in order.
    pub blocks: Vec<Block>,
}

/// Columns of a line of text.
const WIDTH: usize = 92;

impl Page {
    /// The page in a format; it ends with a line break.
    pub fn write(&self, format: Format) -> String {
        match format {
            Format::Text => self.text(),
            Format::Markdown => self.markdown(),
        }
    }

    fn text(&self) -> String {
        let mut text = format!("{}\n{}\n", self.title, "=".repeat(self.title.chars().count().min(WIDTH)));
        for block in &self.blocks {
            text.push('\n');
            match block {
                Block::Heading(heading) => text += &format!("{}\n", heading.to_uppercase()),
                Block::Text(paragraph) => {
                    wrap(paragraph, WIDTH - 2).iter().for_each(|line| text += &format!("  {line}\n"))
                }
                Block::List(items) => {
                    for item in items {
                        for (i, line) in wrap(item, WIDTH - 4).iter().enumerate() {
                            text += &format!("  {} {line}\n", if i == 0 { '*' } else { ' ' });
                        }
                    }
                }
                Block::Board(board) => board.lines().for_each(|line| {
                    text.push_str(format!("    {line}").trim_end());
                    text.push('\n');
                }),
                Block::Facts(facts) => facts.iter().for_each(|(name, fact)| text += &format!("  {name:<13} {fact}\n")),
            }
        }
        text
    }

    fn markdown(&self) -> String {
        let mut text = format!("# {}\n", self.title);
        for block in &self.blocks {
            text.push('\n');
            match block {
                Block::Heading(heading) => text += &format!("## {heading}\n"),
                Block::Text(paragraph) => text += &format!("{paragraph}\n"),
                Block::List(items) => items.iter().for_each(|item| text += &format!("- {item}\n")),
                Block::Board(board) => text += &format!("```text\n{}\n```\n", board.trim_end()),
                Block::Facts(facts) => {
                    text += "| | |\n|---|---|\n";
                    facts
                        .iter()
                        .for_each(|(name, fact)| text += &format!("| {name} | {} |\n", fact.replace('|', "\\|")));
                }
            }
        }
        text
    }
}

/// Breaks a text into lines of at most `width` characters.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_formats() {
        let page = Page {
            title: "A game".to_string(),
            blocks: vec![
                Block::Heading("Set-up"),
                Block::Text("word ".repeat(30)),
                Block::Board("  a b\n1 X O".to_string()),
                Block::List(vec!["one".to_string(), "two".to_string()]),
                Block::Facts(vec![("board", "4x4".to_string())]),
            ],
        };
        let text = page.write(Format::Text);
        assert!(text.starts_with("A game\n======\n\nSET-UP\n\n  word word"), "{text}");
        assert!(text.contains("\n      a b\n    1 X O\n\n  * one\n  * two\n\n  board         4x4\n"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        let markdown = page.write(Format::Markdown);
        assert!(markdown.contains("# A game\n\n## Set-up\n\nword"), "{markdown}");
        assert!(
            markdown.contains("```text\n  a b\n1 X O\n```\n\n- one\n- two\n\n| | |\n|---|---|\n| board | 4x4 |\n"),
            "{markdown}"
        );
    }
}
