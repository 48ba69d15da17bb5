//! What stands among the moves and is none: remarks, variations, results, marks.

/// Remarks with the number of characters before their end.
pub(super) type Remarks = Vec<(usize, String)>;

/// What a character of the moves is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Of a move or between moves.
    Move,
    /// Of a remark or a variation, or one of its brackets.
    Aside,
    /// The end of a remark that is in no variation; where it began.
    RemarkEnd(usize),
}

/// Remarks and variations while the moves are read.
#[derive(Clone, Debug, Default)]
pub(in crate::formats) struct Asides {
    /// The first bracket that is open, with its place.
    first: Option<(usize, char)>,
    /// How many variations are open: any number, in texts of nothing else.
    variations: usize,
    /// Where the remark that is open begins; they do not nest.
    remark: Option<usize>,
    /// In a remark to the end of the line.
    is_line: bool,
}

impl Asides {
    /// Takes the next character.
    fn take(&mut self, at: usize, c: char) -> Part {
        let keeps = !self.is_open() && !self.is_line;
        match (c, self.remark) {
            ('\n', _) => self.is_line = false,
            ('}', Some(from)) => {
                self.remark = None;
                if self.variations == 0 {
                    self.first = None;
                    return Part::RemarkEnd(from);
                }
            }
            (_, Some(_)) => {}
            _ if self.is_line => {}
            ('{' | '(', None) => {
                self.first.get_or_insert((at, c));
                if c == '{' {
                    self.remark = Some(at);
                } else {
                    self.variations += 1;
                }
                return Part::Aside;
            }
            (')', None) if self.variations > 0 => {
                self.variations -= 1;
                if self.variations == 0 {
                    self.first = None;
                }
            }
            (';', None) if keeps => {
                self.is_line = true;
                return Part::Aside;
            }
            _ => {}
        }
        if keeps { Part::Move } else { Part::Aside }
    }

    /// Takes a line of moves.
    pub fn take_line(&mut self, line: &str) {
        for c in line.chars() {
            self.take(0, c);
        }
    }

    /// In a remark or a variation.
    pub fn is_open(&self) -> bool {
        self.first.is_some()
    }
}

/// The moves alone, everything else blanked out so that places stay right; an error has the offset and the character of what is
/// not closed.
pub(super) fn moves_only(text: &str) -> Result<(String, Remarks), (usize, char)> {
    let mut moves = String::with_capacity(text.len());
    let mut remarks = Vec::new();
    let mut asides = Asides::default();
    for (count, (at, c)) in text.char_indices().enumerate() {
        let part = asides.take(at, c);
        if let Part::RemarkEnd(from) = part {
            // lines are broken at blanks
            remarks.push((count, text[from + 1..at].replace("\r\n", " ").replace('\n', " ").trim().to_string()));
        }
        // as many characters as before; columns count characters
        moves.push(if part == Part::Move { c } else { ' ' });
    }
    match asides.first {
        Some(place) => Err(place),
        None => Ok((moves, remarks)),
    }
}

/// A word of the moves that is none: a result, a numeric annotation, marks behind a move.
pub(super) fn is_no_move(word: &str) -> bool {
    let result = word.split_once(['-', ':']).is_some_and(|(black, white)| {
        let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'/');
        number(black) && number(white)
    });
    result || word == "*" || word.starts_with('$') || word.chars().all(|c| matches!(c, '!' | '?' | '.'))
}

/// Words that are no moves become blanks.
pub(super) fn blank_words(text: &mut [char]) {
    let mut at = 0;
    while at < text.len() {
        let length = text[at..].iter().take_while(|c| !c.is_whitespace()).count();
        let word: String = text[at..at + length].iter().collect();
        if length > 0 && is_no_move(&word) {
            text[at..at + length].fill(' ');
        } else {
            // marks behind a move
            text[at..at + length].iter_mut().filter(|c| matches!(c, '!' | '?')).for_each(|c| *c = ' ');
        }
        at += length.max(1);
    }
}
