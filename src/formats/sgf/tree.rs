//! The syntax of SGF: nodes, properties, variations.

use super::{Located, SgfErrorKind};
use crate::formats::{Cursor, first_word};
use crate::rules::Color;

/// A node: the properties between two semicolons.
#[derive(Debug, Default)]
pub(super) struct Node {
    pub properties: Vec<Property>,
}

/// A property with its values.
#[derive(Debug)]
pub(super) struct Property {
    /// In capitals; the lower-case letters of older files are left out.
    pub name: String,
    pub values: Vec<Value>,
}

/// A value without its escapes.
#[derive(Debug)]
pub(super) struct Value {
    /// Where it begins in the text.
    pub offset: usize,
    pub text: String,
}

impl Node {
    /// The side whose move is in the node.
    pub fn first_mover(&self) -> Option<Color> {
        self.properties.iter().find_map(|property| match property.name.as_str() {
            "B" => Some(Color::Black),
            "W" => Some(Color::White),
            _ => None,
        })
    }

    pub fn has_move(&self) -> bool {
        self.first_mover().is_some()
    }
}

/// Moves `offset` to the next `(` that a `;` follows; `None` when there is none.
pub(super) fn find_game(text: &str, offset: &mut usize) -> Option<()> {
    loop {
        *offset += text[*offset..].find('(')?;
        if text[*offset + 1..].trim_start().starts_with(';') {
            return Some(());
        }
        *offset += 1;
    }
}

/// Reads the main line of the game whose `(` is at the cursor, and moves it behind the whole game, or, on an
/// error, only so far that the next game can still be found.
pub(super) fn main_line(text: &str, cursor: &mut Cursor) -> Result<Vec<Node>, Located> {
    let mut nodes: Vec<Node> = Vec::new();
    let mut depth = 0usize;
    let mut in_main_line = true;
    loop {
        let rest = &text[cursor.offset..];
        let trimmed = rest.trim_start();
        cursor.offset += rest.len() - trimmed.len();
        let Some(c) = trimmed.chars().next() else { return Err((cursor.offset, SgfErrorKind::Unclosed)) };
        match c {
            '(' => depth += 1,
            ')' => {
                // the first branch to end is the main line
                in_main_line = false;
                depth -= 1;
            }
            ';' if in_main_line => nodes.push(Node::default()),
            ';' => {}
            _ => {
                let property = property(text, cursor)?;
                if let (true, Some(node)) = (in_main_line, nodes.last_mut()) {
                    node.properties.push(property);
                }
                continue;
            }
        }
        cursor.offset += 1;
        if depth == 0 {
            return Ok(nodes);
        }
    }
}

/// Reads `NAME[value][value]...` and moves the cursor behind it.
fn property(text: &str, cursor: &mut Cursor) -> Result<Property, Located> {
    let start = cursor.offset;
    let rest = &text[start..];
    let length = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let mut name: String = rest[..length].chars().filter(|c| !c.is_ascii_lowercase()).collect();
    if name.is_empty() {
        name = rest[..length].to_ascii_uppercase();
    }
    // most properties have one
    let mut values = Vec::with_capacity(1);
    let mut end = start + length;
    loop {
        let blanks = text[end..].len() - text[end..].trim_start().len();
        if length == 0 || !text[end + blanks..].starts_with('[') {
            break;
        }
        let value_offset = end + blanks + 1;
        // once no end was found there is none for later values either
        let read = if cursor.unclosed { None } else { value(&text[value_offset..]) };
        let Some((value, length)) = read else {
            cursor.unclosed = true;
            // step over the name only: the rest may hold other games
            cursor.offset = value_offset;
            return Err((start, SgfErrorKind::UnclosedValue(name)));
        };
        values.push(Value { offset: value_offset, text: value });
        end = value_offset + length;
    }
    if values.is_empty() {
        let token = first_word(rest, |c| c.is_whitespace() || c == '[');
        let token = if token.is_empty() { &rest[..1] } else { token };
        cursor.offset += rest.chars().next().map_or(0, char::len_utf8);
        return Err((start, SgfErrorKind::NotAProperty(token.to_string())));
    }
    cursor.offset = end;
    Ok(Property { name, values })
}

/// A value up to its unescaped `]`, and the bytes it takes with the bracket.
fn value(text: &str) -> Option<(String, usize)> {
    let mut value = String::new();
    let mut chars = text.char_indices();
    while let Some((i, c)) = chars.next() {
        match c {
            ']' => return Some((value, i + 1)),
            '\\' => match chars.next()?.1 {
                // an escaped line break is none
                '\n' => {}
                '\r' => {
                    if text[i + 2..].starts_with('\n') {
                        chars.next();
                    }
                }
                escaped => value.push(escaped),
            },
            _ => value.push(c),
        }
    }
    None
}
