//! Which protocol a client speaks.

use std::io::{self, BufRead};

use super::{gtp, input};
use crate::formats::gtp_notation as notation;

/// A protocol, or the console for people and scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// GTP 2.
    Gtp,
    /// NBoard 2.
    NBoard,
    /// Cassio's ENGINE-PROTOCOL.
    Cassio,
    /// No protocol: commands of the interactive console.
    Console,
}

impl Protocol {
    /// Tells the protocol from a line; `None` for lines that start a session of any kind (blank ones and comments).
    ///
    /// Commands that GTP shares with the console belong to GTP, except `play`: there the word after it decides
    /// (`play b f5` is GTP, `play f5d6` is the console's).
    pub fn detect(line: &str) -> Option<Protocol> {
        let mut words = line.split_whitespace().peekable();
        words.peek().filter(|word| !word.starts_with('#'))?;
        let numbered = words.next_if(|word| word.bytes().all(|byte| byte.is_ascii_digit())).is_some();
        let protocol = match words.next() {
            Some("nboard") if !numbered => Protocol::NBoard,
            Some("ENGINE-PROTOCOL") if !numbered => Protocol::Cassio,
            Some("play") if words.next().is_none_or(|word| notation::parse_color(word).is_none()) => Protocol::Console,
            Some(word) if gtp::is_command(word) => Protocol::Gtp,
            _ => Protocol::Console,
        };
        Some(protocol)
    }

    /// Reads lines up to the first that tells the protocol, and returns them as they were sent (for the session to
    /// read again); `None` when the input ends before.
    ///
    /// # Errors
    /// When the input cannot be read.
    pub fn detect_input(input: &mut impl BufRead) -> io::Result<Option<(Protocol, String)>> {
        let mut seen = String::new();
        while let Some(line) = input::read_line(input)? {
            seen.push_str(&line);
            seen.push('\n');
            if let Some(protocol) = Protocol::detect(&line) {
                return Ok(Some((protocol, seen)));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_lines_of_every_client() {
        use Protocol::*;
        let cases = [
            ("protocol_version", Gtp),
            ("name\r", Gtp),
            ("list_commands", Gtp),
            ("1 name", Gtp),
            ("boardsize 8", Gtp),
            ("clear_board", Gtp),
            ("gogui-rules_game_id", Gtp),
            ("play black F5", Gtp),
            ("nboard 2", NBoard),
            ("ENGINE-PROTOCOL init", Cassio),
            ("play f5d6c3", Console),
            ("setboard ---", Console),
            ("hint 3", Console),
            ("f5", Console),
            ("12", Console),
            ("1 nboard", Console),
        ];
        for (line, protocol) in cases {
            assert_eq!(Protocol::detect(line), Some(protocol), "{line}");
        }
        for line in ["", "  \t", "# comment", "\r"] {
            assert_eq!(Protocol::detect(line), None, "{line:?}");
        }
    }

    #[test]
    fn lines_before_the_first_command_are_kept() {
        let mut input = io::Cursor::new("\r\n# hello\nname\nquit\n");
        let (protocol, seen) = Protocol::detect_input(&mut input).unwrap().unwrap();
        assert_eq!((protocol, seen.as_str()), (Protocol::Gtp, "\n# hello\nname\n"));
        assert_eq!(input::read_line(&mut input).unwrap().as_deref(), Some("quit"));
        assert!(Protocol::detect_input(&mut io::Cursor::new("\n\n")).unwrap().is_none());
    }
}
