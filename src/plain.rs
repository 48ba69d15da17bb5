//! Text from elsewhere, out of files and from other programs, as people may see it.

/// Longest piece of input that an error message repeats, in characters.
pub(crate) const QUOTE_LIMIT: usize = 24;

/// A character that does something to a terminal or to the line around it instead of being seen: control characters, and those that
/// turn the direction of what follows.
pub(crate) fn acts(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Input text as an error message shows it: quoted, on one line, not too long.
pub fn quote(text: &str) -> String {
    format!("'{}'", shortened(text))
}

/// What stands between the quotes of [`quote`].
pub(crate) fn shortened(text: &str) -> String {
    let mut line = String::new();
    for (i, c) in text.chars().enumerate() {
        if i == QUOTE_LIMIT {
            line.push_str("...");
            break;
        }
        push(&mut line, c);
    }
    line
}

/// A message as one line that a terminal only shows: what would act there, as in the name of a file, is escaped as in Rust
/// (`\n`, `\u{1b}`).
pub fn escaped(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    text.chars().for_each(|c| push(&mut line, c));
    line
}

fn push(line: &mut String, c: char) {
    if acts(c) {
        line.extend(c.escape_default());
    } else {
        line.push(c);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_short_and_on_one_line() {
        assert_eq!(quote("f9"), "'f9'");
        assert_eq!(quote("a\nb\u{1b}"), "'a\\nb\\u{1b}'");
        assert_eq!(quote(&"x".repeat(100)).len(), 24 + 5);
    }

    #[test]
    fn messages_are_one_line_that_does_nothing() {
        assert_eq!(escaped("größe – 木谷.ggf"), "größe – 木谷.ggf");
        assert_eq!(escaped("a\u{1b}[2J\u{9b}\n\u{202e}b"), "a\\u{1b}[2J\\u{9b}\\n\\u{202e}b");
    }
}
