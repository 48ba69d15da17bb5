//! What commands print, whatever they print.

use serde::Serialize;

/// A value as a line of JSON, without the line break.
pub fn json_line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data")
}

/// The width of the terminal that standard output is, if it is one.
pub fn terminal_width() -> Option<usize> {
    terminal_size::terminal_size().map(|(width, _)| usize::from(width.0))
}
