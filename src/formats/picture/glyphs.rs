//! Letters and digits as strokes, for pictures without fonts.

/// Height of a digit in the units of the strokes.
pub(super) const HEIGHT: f64 = 8.0;
/// Width of every sign.
const WIDTH: f64 = 4.0;
/// From one sign to the next.
const ADVANCE: f64 = 5.6;

/// Signs as strokes: corners `xy` with x 0 to 4 from the left and y 0 to 9 from the top (8 is the base line), strokes parted by
/// bars.
const STROKES: [(char, &str); 26] = [
    ('0', "10 30 42 46 38 18 06 02 10"),
    ('1', "02 20 28"),
    ('2', "02 10 30 42 43 08 48"),
    ('3', "01 10 30 42 43 34 14|34 45 46 38 18 07"),
    ('4', "38 30 06 46"),
    ('5', "40 00 03 33 45 46 38 18 07"),
    ('6', "41 30 10 02 06 18 38 46 45 33 13 05"),
    ('7', "00 40 18"),
    ('8', "14 03 02 10 30 42 43 34 14 05 06 18 38 46 45 34"),
    ('9', "07 18 38 46 42 30 10 02 03 15 35 43"),
    ('a', "04 13 33 44 48|45 15 06 07 18 38 47"),
    ('b', "00 08|04 13 33 45 46 38 18 07"),
    ('c', "44 33 13 05 06 18 38 47"),
    ('d', "40 48|44 33 13 05 06 18 38 47"),
    ('e', "05 45 44 33 13 05 06 18 38 47"),
    ('f', "40 30 21 28|03 43"),
    ('g', "44 33 13 05 06 17 37 46|43 48 39 19"),
    ('h', "00 08|04 13 33 44 48"),
    ('i', "23 28|21 21"),
    ('j', "23 28 19 09|21 21"),
    ('k', "00 08|43 06|15 48"),
    ('l', "20 28"),
    ('m', "03 08|04 13 24 28|24 33 44 48"),
    ('n', "03 08|04 13 33 44 48"),
    ('o', "13 33 45 46 38 18 06 05 13"),
    ('p', "03 09|04 13 33 45 46 38 18 07"),
];

/// A straight stroke from one point to another.
pub(super) type Stroke = [(f64, f64); 2];

/// The strokes of a text, its middle at (0, 0) and its digits [`HEIGHT`] high; signs that are not in the table leave a gap.
pub(super) fn strokes(text: &str) -> Vec<Stroke> {
    let count = text.chars().count() as f64;
    let left = -((count - 1.0) * ADVANCE + WIDTH) / 2.0;
    let mut strokes = Vec::new();
    for (i, sign) in text.chars().enumerate() {
        let Some((_, lines)) = STROKES.iter().find(|(known, _)| *known == sign) else { continue };
        let place = |corner: &[u8]| {
            let [x, y] = [corner[0], corner[1]].map(|digit| f64::from(digit - b'0'));
            (left + i as f64 * ADVANCE + x, y - HEIGHT / 2.0)
        };
        for line in lines.split('|') {
            let corners: Vec<(f64, f64)> = line.split(' ').map(|corner| place(corner.as_bytes())).collect();
            strokes.extend(corners.windows(2).map(|pair| [pair[0], pair[1]]));
        }
    }
    strokes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sign_of_a_board_has_strokes_inside_its_box() {
        for sign in ('0'..='9').chain('a'..='p') {
            let strokes = strokes(&sign.to_string());
            assert!(!strokes.is_empty(), "{sign}");
            let inside = |(x, y): (f64, f64)| x.abs() <= WIDTH / 2.0 && (-4.0..=5.0).contains(&y);
            assert!(strokes.iter().flatten().all(|&point| inside(point)), "{sign}: {strokes:?}");
        }
        assert!(strokes("?").is_empty());
    }

    #[test]
    fn texts_are_centred() {
        let xs: Vec<f64> = strokes("88").iter().flatten().map(|point| point.0).collect();
        let (least, most) = xs.iter().fold((0.0f64, 0.0f64), |(least, most), x| (least.min(*x), most.max(*x)));
        assert!((least + most).abs() < 1e-9 && most > WIDTH, "{least} {most}");
    }

    #[test]
    fn strokes_go_where_the_table_says() {
        // a bar in the middle, from the top to the base line
        assert_eq!(strokes("l"), [[(0.0, -4.0), (0.0, 4.0)]]);
    }
}
