//! Pictures as PNG.

use std::io::Write as _;

use flate2::Compression;
use flate2::Crc;
use flate2::write::ZlibEncoder;

use super::glyphs::{self, Stroke};
use super::{Colour, Picture, SQUARE, Shape};

/// Smallest and largest side of a square in pixels.
pub const PIXELS: std::ops::RangeInclusive<u32> = 8..=200;

/// Half the width of a stroke, in the units of the strokes.
const PEN: f64 = 0.62;

impl Picture {
    /// The picture as a PNG file whose squares have sides of this many pixels (8 to 200; others are brought into that range).
    pub fn to_png(&self, square: u32) -> Vec<u8> {
        let scale = f64::from(square.clamp(*PIXELS.start(), *PIXELS.end())) / SQUARE;
        let (width, height) = self.size();
        let mut canvas = Canvas::new((width * scale).round() as usize, (height * scale).round() as usize);
        for shape in self.shapes() {
            canvas.draw(&shape, scale);
        }
        encode(&canvas)
    }
}

/// Pixels, row by row.
struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<Colour>,
}

impl Canvas {
    fn new(width: usize, height: usize) -> Canvas {
        Canvas { width, height, pixels: vec![[0xff; 3]; width * height] }
    }

    /// Draws a shape, enlarged.
    fn draw(&mut self, shape: &Shape, scale: f64) {
        self.draw_within(bounds(shape), shape, scale);
    }

    /// Draws what of a shape is in a box.
    fn draw_within(&mut self, bounds: [f64; 4], shape: &Shape, scale: f64) {
        match shape {
            Shape::Rect { x, y, width, height, fill } => {
                let (middle_x, middle_y) = (x + width / 2.0, y + height / 2.0);
                let outside =
                    |px: f64, py: f64| ((px - middle_x).abs() - width / 2.0).max((py - middle_y).abs() - height / 2.0);
                self.fill(bounds, scale, *fill, outside);
            }
            Shape::Circle { x, y, radius, fill } => {
                self.fill(bounds, scale, *fill, |px, py| (px - x).hypot(py - y) - radius);
            }
            Shape::Text { x, y, size, text, fill } => {
                let (unit, strokes) = (unit(*size), glyphs::strokes(text));
                let outside = |px: f64, py: f64| (distance(&strokes, (px - x) / unit, (py - y) / unit) - PEN) * unit;
                self.fill(bounds, scale, *fill, outside);
            }
        }
    }

    /// Colours every pixel of a box as far as it is inside: `outside` is the distance of a point from the shape, negative
    /// within it, and half a pixel of it on either side of the edge is mixed. A box that just holds the shape is enough: the
    /// centre of a pixel that the box does not touch is at least half a pixel away.
    fn fill(&mut self, bounds: [f64; 4], scale: f64, fill: Colour, outside: impl Fn(f64, f64) -> f64) {
        let [left, top, right, bottom] = bounds.map(|bound| (bound * scale).max(0.0) as usize);
        for row in top..(bottom + 1).min(self.height) {
            for column in left..(right + 1).min(self.width) {
                let (x, y) = ((column as f64 + 0.5) / scale, (row as f64 + 0.5) / scale);
                let cover = (0.5 - outside(x, y) * scale).clamp(0.0, 1.0);
                let pixel = &mut self.pixels[row * self.width + column];
                for (channel, new) in pixel.iter_mut().zip(fill) {
                    *channel = (f64::from(*channel) * (1.0 - cover) + f64::from(new) * cover).round() as u8;
                }
            }
        }
    }
}

/// A box around a shape, from left and top to right and bottom; it may be larger than the shape.
fn bounds(shape: &Shape) -> [f64; 4] {
    match shape {
        Shape::Rect { x, y, width, height, .. } => [*x, *y, x + width, y + height],
        Shape::Circle { x, y, radius, .. } => [x - radius, y - radius, x + radius, y + radius],
        Shape::Text { x, y, size, text, .. } => {
            let (half, reach) = (3.0 * text.chars().count() as f64 * unit(*size), 6.0 * unit(*size));
            [x - half, y - reach, x + half, y + reach]
        }
    }
}

/// What a unit of the strokes is in a text of a size: digits are 0.7 of the size high, as in most fonts.
fn unit(size: f64) -> f64 {
    size * 0.7 / glyphs::HEIGHT
}

/// How far a point is from the nearest stroke.
fn distance(strokes: &[Stroke], x: f64, y: f64) -> f64 {
    let from = |[(ax, ay), (bx, by)]: &Stroke| {
        let (dx, dy) = (bx - ax, by - ay);
        let along = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy).max(1e-9);
        let along = along.clamp(0.0, 1.0);
        (x - ax - along * dx).hypot(y - ay - along * dy)
    };
    strokes.iter().map(from).fold(f64::INFINITY, f64::min)
}

/// A file of three chunks: eight bits a channel, no filter, no interlacing.
fn encode(canvas: &Canvas) -> Vec<u8> {
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut head = Vec::new();
    head.extend((canvas.width as u32).to_be_bytes());
    head.extend((canvas.height as u32).to_be_bytes());
    head.extend([8, 2, 0, 0, 0]);
    chunk(&mut file, b"IHDR", &head);
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::best());
    for row in canvas.pixels.chunks(canvas.width) {
        let written = packer.write_all(&[0]).and_then(|()| packer.write_all(row.as_flattened()));
        written.expect("memory can be written");
    }
    chunk(&mut file, b"IDAT", &packer.finish().expect("memory can be written"));
    chunk(&mut file, b"IEND", &[]);
    file
}

/// Length, name, content and checksum.
fn chunk(file: &mut Vec<u8>, name: &[u8; 4], content: &[u8]) {
    file.extend((content.len() as u32).to_be_bytes());
    let mut checksum = Crc::new();
    for part in [name, content] {
        checksum.update(part);
        file.extend_from_slice(part);
    }
    file.extend(checksum.sum().to_be_bytes());
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;
    use crate::rules::Position;

    /// Chunks by name, checksums checked.
    fn chunks(file: &[u8]) -> Vec<(String, Vec<u8>)> {
        let mut rest = file.strip_prefix(b"\x89PNG\r\n\x1a\n").expect("a PNG file");
        let mut chunks = Vec::new();
        while !rest.is_empty() {
            let length = u32::from_be_bytes(rest[..4].try_into().unwrap()) as usize;
            let mut checksum = Crc::new();
            checksum.update(&rest[4..8 + length]);
            assert_eq!(rest[8 + length..12 + length], checksum.sum().to_be_bytes());
            chunks.push((String::from_utf8(rest[4..8].to_vec()).unwrap(), rest[8..8 + length].to_vec()));
            rest = &rest[12 + length..];
        }
        chunks
    }

    #[test]
    fn pixels_have_the_colours_of_the_board() {
        let picture = Picture::position(&Position::default(), None, false);
        let square = 20;
        let chunks = chunks(&picture.to_png(square));
        assert_eq!(chunks.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["IHDR", "IDAT", "IEND"]);
        let side = 8 * 20 + 24;
        assert_eq!(chunks[0].1[..8], [[0, 0, 0, side], [0, 0, 0, side]].concat());
        let mut bytes = Vec::new();
        flate2::read::ZlibDecoder::new(&chunks[1].1[..]).read_to_end(&mut bytes).unwrap();
        let side = usize::from(side);
        assert_eq!(bytes.len(), side * (3 * side + 1));
        // the middle of d4 (white), e4 (black) and a1 (nothing), and the frame's corner
        let pixel = |column: usize, row: usize| {
            let at = |index: usize| 12 + 20 * index + 10;
            let offset = at(row) * (3 * side + 1) + 1 + 3 * at(column);
            [bytes[offset], bytes[offset + 1], bytes[offset + 2]]
        };
        assert_eq!(
            [pixel(3, 3), pixel(4, 3), pixel(0, 0)],
            [super::super::WHITE, super::super::BLACK, super::super::BOARD]
        );
        assert_eq!(bytes[1..4], super::super::EDGE);
    }

    #[test]
    fn sizes_are_kept_in_bounds() {
        let picture = Picture::position(&Position::default(), None, false);
        assert_eq!(picture.to_png(0), picture.to_png(8));
        assert!(picture.to_png(64).len() > picture.to_png(16).len());
    }

    /// Whether a point is in a shape.
    fn is_in(shape: &Shape, px: f64, py: f64) -> bool {
        match shape {
            Shape::Rect { x, y, width, height, .. } => {
                (*x..*x + *width).contains(&px) && (*y..*y + *height).contains(&py)
            }
            Shape::Circle { x, y, radius, .. } => (px - x).powi(2) + (py - y).powi(2) < radius * radius,
            Shape::Text { x, y, size, text, .. } => {
                let unit = size * 0.0875;
                let (px, py) = ((px - x) / unit, (py - y) / unit);
                // points along the strokes, close together
                let near = |&[(ax, ay), (bx, by)]: &Stroke| {
                    (0..=40).map(|i| f64::from(i) / 40.0).any(|part| {
                        let (dx, dy) = (ax + part * (bx - ax) - px, ay + part * (by - ay) - py);
                        dx * dx + dy * dy < PEN * PEN
                    })
                };
                glyphs::strokes(text).iter().any(near)
            }
        }
    }

    /// The box in which something of a shape may be, generously, and its colour.
    fn surroundings(shape: &Shape) -> ([f64; 4], Colour) {
        match shape {
            Shape::Rect { x, y, width, height, fill } => ([*x, *y, x + width, y + height], *fill),
            Shape::Circle { x, y, radius, fill } => ([x - radius, y - radius, x + radius, y + radius], *fill),
            Shape::Text { x, y, fill, .. } => ([x - 14.0, y - 14.0, x + 14.0, y + 14.0], *fill),
        }
    }

    #[test]
    fn nothing_is_cut_off_by_the_box_around_a_shape() {
        let picture = super::super::tests::marked();
        let mut shapes = picture.shapes();
        // wide signs, numbers of three digits, lowest and highest strokes
        for (i, text) in ["m", "44", "108", "gp"].into_iter().enumerate() {
            let y = 20.0 + 40.0 * i as f64;
            shapes.push(Shape::Text { x: 120.3, y, size: 17.0, text: text.to_string(), fill: [200, 0, 0] });
        }
        for scale in [0.2, 0.37, 1.1] {
            for shape in &shapes {
                let [mut drawn, mut whole] =
                    [(); 2].map(|()| Canvas::new((248.0 * scale) as usize, (208.0 * scale) as usize));
                drawn.draw(shape, scale);
                whole.draw_within([0.0, 0.0, 248.0, 208.0], shape, scale);
                assert!(drawn.pixels == whole.pixels, "at {scale}: {shape:?}");
            }
        }
    }

    #[test]
    fn pixels_are_covered_as_far_as_their_points_are_in_a_shape() {
        let picture = super::super::tests::marked();
        let parts = || (0..6).map(|i| (f64::from(i) + 0.5) / 6.0);
        // coarser pictures have more pixels on ends of strokes, where the distance says least about the area
        for (square, most, average) in [(8, 90.0, 2.2), (40, 85.0, 0.21)] {
            let scale = f64::from(square) / 40.0;
            let mut canvas = Canvas::new((248.0 * scale).round() as usize, (208.0 * scale).round() as usize);
            let mut plain = vec![[255.0; 3]; canvas.pixels.len()];
            for shape in picture.shapes() {
                canvas.draw(&shape, scale);
                let ([left, top, right, bottom], fill) = surroundings(&shape);
                for (i, pixel) in plain.iter_mut().enumerate() {
                    let (column, row) = ((i % canvas.width) as f64, (i / canvas.width) as f64);
                    let near = |at: f64, from: f64, to: f64| (from - 3.0..to + 3.0).contains(&((at + 0.5) / scale));
                    if !near(column, left, right) || !near(row, top, bottom) {
                        continue;
                    }
                    let points = parts().flat_map(|y| parts().map(move |x| ((column + x) / scale, (row + y) / scale)));
                    let cover = points.filter(|(x, y)| is_in(&shape, *x, *y)).count() as f64 / 36.0;
                    for (channel, new) in pixel.iter_mut().zip(fill) {
                        *channel = *channel * (1.0 - cover) + f64::from(new) * cover;
                    }
                }
            }
            let mut worst = 0.0f64;
            let mut sum = 0.0;
            for (drawn, plain) in canvas.pixels.iter().flatten().zip(plain.iter().flatten()) {
                let difference = (f64::from(*drawn) - plain).abs();
                worst = worst.max(difference);
                sum += difference;
            }
            let mean = sum / (plain.len() * 3) as f64;
            assert!(worst < most && mean < average, "squares of {square} pixels: {worst} at most, {mean} on average");
            assert_eq!(picture.to_png(square), encode(&canvas));
        }
    }
}
