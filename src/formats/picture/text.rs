//! Pictures as text.

use std::fmt::Write as _;

use super::{Cell, Picture};

impl Picture {
    /// The picture as lines of text: discs by their letters (numbered ones by their numbers), `-` empty, `.` a legal move, the
    /// last move in brackets, `#` where the board has a hole; under the board what the picture shows. It can be read back.
    pub fn to_text(&self) -> String {
        // a square is as wide as the longest number wants it
        let longest = self.cells.iter().filter_map(|cell| cell.number).max().unwrap_or(0);
        let width = if longest < 100 { 3 } else { 4 };
        let letters: String =
            (0..self.columns).map(|column| format!("{:>width$}", char::from(b'a' + column))).collect();
        let mut text = format!("  {letters}\n");
        for (row, cells) in self.cells.chunks(self.columns as usize).enumerate() {
            let _ = write!(text, "{:>2} ", row + 1);
            for cell in cells {
                text += &self.sign(cell, width);
            }
            let _ = writeln!(text, " {}", row + 1);
        }
        let _ = write!(text, "  {letters}\n{}\n", self.title);
        text
    }

    /// A square, so many characters wide.
    fn sign(&self, cell: &Cell, width: usize) -> String {
        let inner = width - 1;
        let sign = match (cell.disc, cell.number) {
            (_, Some(number)) => return format!("{number:>inner$} "),
            (Some(color), None) => self.symbols[color.index()],
            (None, None) if cell.hole => '#',
            (None, None) if cell.legal => '.',
            (None, None) => '-',
        };
        if cell.last { format!("{:>width$}", format!("[{sign}]")) } else { format!("{sign:>inner$} ") }
    }
}
