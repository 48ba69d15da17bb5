//! The value of a game by move, as SVG.
//!
//! Plain text templates draw it: axes, one area and a few marks need no library of charts, and the page's script can find what it
//! moves. Colours are CSS variables of the page around it; alone, the picture has its own for light and dark.

use std::fmt::Write as _;

use super::GameReport;
use super::label::Label;
use crate::formats::picture::escape;

/// Size of the picture and of the field inside it.
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 250.0;
const LEFT: f64 = 38.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 26.0;

/// Where things are in a graph.
struct Scale {
    plies: usize,
    /// Discs at the top edge.
    most: i32,
}

impl Scale {
    fn of(report: &GameReport) -> Scale {
        let values = report.moves.iter().filter_map(|one| one.value).map(i32::abs);
        let largest = values.max().unwrap_or(0).max(4);
        let steps = [8, 16, 24, 32, 48, 64];
        let most = steps.into_iter().find(|step| largest <= *step).unwrap_or((largest + 15) / 16 * 16);
        Scale { plies: report.moves.len().max(1), most }
    }

    fn x(&self, ply: usize) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * ply as f64 / self.plies as f64
    }

    fn y(&self, value: i32) -> f64 {
        let middle = TOP + (HEIGHT - TOP - BOTTOM) / 2.0;
        middle - (HEIGHT - TOP - BOTTOM) / 2.0 * f64::from(value) / f64::from(self.most)
    }
}

/// The graph of a game; alone it is a whole SVG file.
pub fn svg(report: &GameReport) -> String {
    let scale = Scale::of(report);
    let mut svg = format!(
        "<svg class=\"graph\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         font-family=\"system-ui,sans-serif\" font-size=\"11\">\n<title>Value by move</title>\n<style>{STYLE}</style>\n\
         <rect class=\"g-back\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>\n"
    );
    exact_part(&mut svg, report, &scale);
    grid(&mut svg, report, &scale);
    curve(&mut svg, report, &scale);
    marks(&mut svg, report, &scale);
    let (bottom, zero) = (HEIGHT - BOTTOM, scale.x(0));
    let _ = writeln!(svg, "<line class=\"g-cursor\" x1=\"{zero}\" x2=\"{zero}\" y1=\"{TOP}\" y2=\"{bottom}\"/>");
    svg + "</svg>\n"
}

const STYLE: &str = "\
.graph{--gb:var(--card,#fff);--gi:var(--ink,#20242a);--gm:var(--muted,#69727d);--gl:var(--line,#dde1e6)}\
@media(prefers-color-scheme:dark){.graph{--gb:var(--card,#1b1f24);--gi:var(--ink,#e8ebef);--gm:var(--muted,#98a2ae);\
--gl:var(--line,#333a43)}}\
.g-back{fill:var(--gb)}.g-grid{stroke:var(--gl);stroke-width:1}.g-zero{stroke:var(--gm);stroke-width:1}\
.g-text{fill:var(--gm)}.g-exact{fill:var(--gl);opacity:.35}.g-black{fill:#2f9e63;opacity:.55}.g-white{fill:#7c8bd1;opacity:.55}\
.g-curve{fill:none;stroke:var(--gi);stroke-width:1.8;stroke-linejoin:round}\
.g-inaccuracy{fill:#e2b93b}.g-mistake{fill:#ee8434}.g-blunder{fill:#e0443a}.g-turning{fill:none;stroke:#e0443a;stroke-width:1.5}\
.g-cursor{stroke:#e0443a;stroke-width:1.2;visibility:hidden}.g-hit{fill:transparent;cursor:pointer}";

/// The part of the game whose values are proved has another ground.
fn exact_part(svg: &mut String, report: &GameReport, scale: &Scale) {
    let Some(from) = report.exact_from else { return };
    let (x, height) = (scale.x(from - 1), HEIGHT - TOP - BOTTOM);
    let width = WIDTH - RIGHT - x;
    let _ =
        writeln!(svg, "<rect class=\"g-exact\" x=\"{x:.1}\" y=\"{TOP}\" width=\"{width:.1}\" height=\"{height}\"/>");
    let _ = writeln!(svg, "<text class=\"g-text\" x=\"{:.1}\" y=\"{}\">exact</text>", x + 5.0, HEIGHT - BOTTOM - 6.0);
}

fn grid(svg: &mut String, report: &GameReport, scale: &Scale) {
    for value in [-scale.most, -scale.most / 2, 0, scale.most / 2, scale.most] {
        let (y, class) = (scale.y(value), if value == 0 { "g-zero" } else { "g-grid" });
        let right = WIDTH - RIGHT;
        let _ = writeln!(svg, "<line class=\"{class}\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>");
        let text = if value == 0 { "0".to_string() } else { format!("{value:+}") };
        let _ = writeln!(
            svg,
            "<text class=\"g-text\" x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
            LEFT - 6.0,
            y + 4.0
        );
    }
    for ply in (10..=scale.plies).step_by(10) {
        let (x, y) = (scale.x(ply), HEIGHT - BOTTOM);
        let _ = writeln!(svg, "<line class=\"g-grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{y}\"/>");
        let _ =
            writeln!(svg, "<text class=\"g-text\" x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{ply}</text>", y + 16.0);
    }
    let name = |i: usize| format!("{} ahead", escape(&report.players[i].name));
    let _ = writeln!(svg, "<text class=\"g-text\" x=\"{}\" y=\"{}\">↑ {}</text>", LEFT + 5.0, TOP + 12.0, name(0));
    let _ = writeln!(
        svg,
        "<text class=\"g-text\" x=\"{}\" y=\"{}\">↓ {}</text>",
        LEFT + 5.0,
        HEIGHT - BOTTOM - 6.0,
        name(1)
    );
}

/// The areas above and below the zero line, and the curve on top.
fn curve(svg: &mut String, report: &GameReport, scale: &Scale) {
    let known: Vec<(usize, i32)> = report.moves.iter().filter_map(|one| Some((one.ply, one.value?))).collect();
    let Some((first, last)) = known.first().zip(known.last()) else { return };
    let zero = scale.y(0);
    for (class, clip) in [("g-black", 1), ("g-white", -1)] {
        let mut path = format!("M{:.1} {zero:.1}", scale.x(first.0));
        for pair in known.windows(2) {
            let [(ply, value), (next_ply, next)] = [pair[0], pair[1]];
            let _ = write!(path, "L{:.1} {:.1}", scale.x(ply), scale.y(side(value, clip)));
            if value.signum() * next.signum() < 0 {
                // where the curve crosses the zero line both areas end
                let part = f64::from(value) / f64::from(value - next);
                let x = scale.x(ply) + (scale.x(next_ply) - scale.x(ply)) * part;
                let _ = write!(path, "L{x:.1} {zero:.1}");
            }
        }
        let _ = write!(path, "L{:.1} {:.1}", scale.x(last.0), scale.y(side(last.1, clip)));
        let _ = writeln!(svg, "<path class=\"{class}\" d=\"{path}L{:.1} {zero:.1}Z\"/>", scale.x(last.0));
    }
    let points: Vec<String> =
        known.iter().map(|(ply, value)| format!("{:.1},{:.1}", scale.x(*ply), scale.y(*value))).collect();
    let _ = writeln!(svg, "<polyline class=\"g-curve\" points=\"{}\"/>", points.join(" "));
}

/// A value where it has this sign, and 0 elsewhere.
fn side(value: i32, sign: i32) -> i32 {
    if value.signum() == sign { value } else { 0 }
}

/// Losses, turning points, and the fields that a click finds.
fn marks(svg: &mut String, report: &GameReport, scale: &Scale) {
    let half = (scale.x(1) - scale.x(0)) / 2.0;
    for one in &report.moves {
        let x = scale.x(one.ply);
        if let (Some(judged), Some(value)) = (&one.judged, one.value)
            && judged.label != Label::None
        {
            let (y, class) = (scale.y(value), judged.label.name());
            if one.turning {
                let _ = writeln!(svg, "<circle class=\"g-turning\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"8\"/>");
            }
            let _ = writeln!(svg, "<circle class=\"g-{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\"/>");
        }
    }
    for one in &report.moves {
        let value = one.value.map_or("not judged".to_string(), |value| format!("{value:+}"));
        let (x, height, width) = (scale.x(one.ply) - half, HEIGHT - TOP - BOTTOM, 2.0 * half);
        let _ = writeln!(
            svg,
            "<rect class=\"g-hit\" data-ply=\"{0}\" x=\"{x:.1}\" y=\"{TOP}\" width=\"{width:.1}\" height=\"{height}\">\
             <title>{0}. {1}: {value}</title></rect>",
            one.ply, one.mv
        );
    }
}
