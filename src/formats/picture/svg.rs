//! Pictures as SVG.

use std::fmt::Write as _;

use super::{Colour, Picture, Shape};

impl Picture {
    /// The picture as an SVG file, which can also stand inside an HTML page; it scales to any width.
    pub fn to_svg(&self) -> String {
        let (width, height) = self.size();
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
             role=\"img\" font-family=\"system-ui,sans-serif\" font-weight=\"600\" text-anchor=\"middle\">\n"
        );
        let _ = writeln!(svg, "<title>{}</title>", escape(&self.title));
        for shape in self.shapes() {
            let _ = match shape {
                Shape::Rect { x, y, width, height, fill } => {
                    writeln!(
                        svg,
                        "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{}\"/>",
                        hex(fill)
                    )
                }
                Shape::Circle { x, y, radius, fill } => {
                    writeln!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{}\"/>", hex(fill))
                }
                Shape::Text { x, y, size, text, fill } => {
                    // the base line is half a digit below the middle
                    let y = y + size * 0.35;
                    writeln!(
                        svg,
                        "<text x=\"{x}\" y=\"{y:.2}\" font-size=\"{size}\" fill=\"{}\">{text}</text>",
                        hex(fill)
                    )
                }
            };
        }
        svg + "</svg>\n"
    }
}

/// A text inside SVG or HTML. XML has no way to say control characters, U+FFFE and U+FFFF, which become blanks.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

/// `#2e8b57`.
pub(crate) fn hex([red, green, blue]: Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

#[cfg(test)]
mod tests {
    use crate::formats::picture::Picture;
    use crate::formats::transcript;
    use crate::rules::Position;

    #[test]
    fn every_disc_and_number_is_drawn() {
        let game = transcript::parse(&Position::default(), "f5d6c3").unwrap();
        let svg = Picture::transcript(&game, 3).to_svg();
        let count = |what: &str| svg.matches(what).count();
        // two circles a disc, and four dots
        assert_eq!(count("<circle"), 2 * 7 + 4);
        assert_eq!(count("<rect"), 1 + 2 * 64);
        assert_eq!(count("<text"), 32 + 3);
        assert!(svg.contains(">3</text>") && svg.contains("<title>3 moves</title>") && svg.ends_with("</svg>\n"));
        let last = Picture::at(&game, 2, true).to_svg();
        assert_eq!(last.matches("fill=\"#e5483c\"").count(), 1, "the last move");
        assert_eq!(last.matches("fill=\"#1b663e\"").count(), 5, "the legal moves");
        assert!(last.contains("<title>3-3, black to move</title>"));
    }

    #[test]
    fn discs_have_the_colours_of_the_rules() {
        let start = Position::start(std::sync::Arc::new("ravensburger".parse().unwrap()));
        let game = transcript::parse(&start, "f5d6c3").unwrap();
        let picture = Picture::transcript(&game, 3).to_svg();
        let count = |what: &str| picture.matches(what).count();
        // gold: e4, d5, f5 and c3; black, who is second: d4, e5 and d6
        assert_eq!(count("r=\"16.5\" fill=\"#e2ac24\""), 4);
        assert_eq!(count("r=\"16.5\" fill=\"#16181a\""), 3);
        assert!(picture.contains("fill=\"#16181a\">1</text>") && picture.contains("fill=\"#f8f8f4\">2</text>"));
        let last = Picture::at(&game, 3, false).to_svg();
        assert_eq!(last.matches("r=\"4.5\" fill=\"#16181a\"").count(), 1, "the mark of the last move");
    }

    #[test]
    fn shapes_are_written_as_they_are() {
        let svg = crate::formats::picture::tests::marked().to_svg();
        assert!(svg.contains(" viewBox=\"0 0 248 208\" width=\"248\" height=\"208\" "), "{svg}");
        for line in [
            "<title>4-1, white to move</title>",
            "<rect x=\"0\" y=\"0\" width=\"248\" height=\"208\" fill=\"#173f2a\"/>",
            "<rect x=\"64.5\" y=\"24.5\" width=\"39\" height=\"39\" fill=\"#2e8b57\"/>",
            "<circle cx=\"124\" cy=\"84\" r=\"16.5\" fill=\"#16181a\"/>",
            // the base line is 5.25 below the middle
            "<text x=\"84\" y=\"89.25\" font-size=\"15\" fill=\"#f8f8f4\">17</text>",
            "<text x=\"204\" y=\"16.20\" font-size=\"12\" fill=\"#e6f2ea\">e</text>",
        ] {
            assert!(svg.lines().any(|other| other == line), "{line} is not in {svg}");
        }
    }
}
