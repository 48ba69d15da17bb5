//! Charts as SVG: the loss curves and the error by phase.

use std::fmt::Write;

/// A line of a chart.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// Name in the legend; lines without one are drawn thin and grey.
    pub name: String,
    /// Points (x, y).
    pub points: Vec<(f64, f64)>,
    /// The interval around each point, as x, low and high: a pale area behind the line. May be empty.
    pub band: Vec<(f64, f64, f64)>,
}

/// A chart.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Heading.
    pub title: String,
    /// What the horizontal axis counts.
    pub x_label: String,
    /// What the vertical axis measures.
    pub y_label: String,
    /// The lines.
    pub series: Vec<Series>,
}

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 48.0;
/// Colours of named lines that people with colour blindness can tell apart (Okabe and Ito).
const COLOURS: [&str; 5] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00"];

/// Draws charts below each other.
pub fn svg(charts: &[Chart]) -> String {
    let height = HEIGHT * charts.len() as f64;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for (i, chart) in charts.iter().enumerate() {
        let _ = writeln!(out, "<g transform=\"translate(0 {})\">", i as f64 * HEIGHT);
        draw(&mut out, chart);
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    out
}

fn draw(out: &mut String, chart: &Chart) {
    let band = |s: &Series| s.band.iter().flat_map(|&(x, low, high)| [(x, low), (x, high)]).collect::<Vec<_>>();
    let points = || chart.series.iter().flat_map(|s| s.points.iter().copied().chain(band(s)));
    let range = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
    };
    let (x_low, x_high) = range(&mut points().map(|p| p.0));
    // what is all at one place is a dash there
    let ends: &[f64] = if x_low == x_high { &[-0.5, 0.5] } else { &[0.0] };
    let (x_low, x_high) = (x_low + ends[0], x_high + ends[ends.len() - 1]);
    // zero always belongs to the chart
    let (y_low, y_high) = range(&mut points().map(|p| p.1));
    let (y_low, y_high) = (y_low.min(0.0) * 1.05, y_high.max(0.0) * 1.05);
    let _ = writeln!(out, "<text x=\"{LEFT}\" y=\"24\" font-size=\"15\">{}</text>", chart.title);
    if !(x_high > x_low && y_high > y_low) {
        let _ = writeln!(out, "<text x=\"{LEFT}\" y=\"60\">no data</text>");
        return;
    }
    let x_of = |x: f64| LEFT + (x - x_low) / (x_high - x_low) * (WIDTH - LEFT - RIGHT);
    let y_of = |y: f64| HEIGHT - BOTTOM - (y - y_low) / (y_high - y_low) * (HEIGHT - TOP - BOTTOM);
    let y_step = step(y_high - y_low);
    for i in (y_low / y_step).ceil() as i64..=(y_high / y_step).floor() as i64 {
        let (value, y) = (i as f64 * y_step, y_of(i as f64 * y_step));
        // steps like 0.2 are no exact numbers
        let value = (value * 1e6).round() / 1e6;
        let _ = writeln!(out, "<path d=\"M{LEFT} {y:.1}H{}\" stroke=\"#dddddd\"/>", WIDTH - RIGHT);
        let _ = writeln!(out, "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>", LEFT - 8.0, y + 4.0);
    }
    let x_step = step(x_high - x_low).max(1.0);
    let mut x = (x_low / x_step).ceil() * x_step;
    while x <= x_high {
        let below = HEIGHT - BOTTOM + 18.0;
        let _ = writeln!(out, "<text x=\"{:.1}\" y=\"{below}\" text-anchor=\"middle\">{x}</text>", x_of(x));
        x += x_step;
    }
    let (middle, bottom) = ((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 10.0);
    let _ = writeln!(out, "<text x=\"{middle}\" y=\"{bottom}\" text-anchor=\"middle\">{}</text>", chart.x_label);
    let turned = "text-anchor=\"middle\" transform=\"translate(16 210) rotate(-90)\"";
    let _ = writeln!(out, "<text {turned}>{}</text>", chart.y_label);
    let mut named = 0;
    for series in &chart.series {
        let points = series.points.iter().flat_map(|&(x, y)| ends.iter().map(move |end| (x + end, y)));
        let path: Vec<String> = points.map(|(x, y)| format!("{:.1},{:.1}", x_of(x), y_of(y))).collect();
        let (colour, width) = if series.name.is_empty() { ("#bbbbbb", 0.7) } else { (COLOURS[named % 5], 2.0) };
        let path = path.join(" ");
        let low = series.band.iter().flat_map(|&(x, low, _)| ends.iter().map(move |end| (x + end, low)));
        let high = series.band.iter().rev().flat_map(|&(x, _, high)| ends.iter().rev().map(move |end| (x + end, high)));
        let area: Vec<String> = low.chain(high).map(|(x, y)| format!("{:.1},{:.1}", x_of(x), y_of(y))).collect();
        if !area.is_empty() {
            let area = area.join(" ");
            let _ = writeln!(out, "<polygon fill=\"{colour}\" fill-opacity=\"0.2\" points=\"{area}\"/>");
        }
        let _ =
            writeln!(out, "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" points=\"{path}\"/>");
        if !series.name.is_empty() {
            let (x, y) = (WIDTH - RIGHT - 170.0, TOP + 8.0 + 18.0 * named as f64);
            let _ = writeln!(out, "<path d=\"M{x} {y}h24\" stroke=\"{colour}\" stroke-width=\"2\"/>");
            let _ = writeln!(out, "<text x=\"{}\" y=\"{}\">{}</text>", x + 30.0, y + 4.0, series.name);
            named += 1;
        }
    }
}

/// A round distance between axis labels: about eight of them.
fn step(range: f64) -> f64 {
    let rough = range / 8.0;
    let power = 10f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0].into_iter().map(|digit| digit * power).find(|&s| s >= rough).unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_lines_and_survives_empty_charts() {
        let chart = |points: &[(f64, f64)]| Chart {
            title: "t".into(),
            x_label: "x".into(),
            y_label: "y".into(),
            series: vec![Series { name: "line".into(), points: points.to_vec(), ..Series::default() }],
        };
        let text = svg(&[chart(&[(0.0, 1.0), (10.0, 3.0)]), chart(&[])]);
        assert!(text.contains("<polyline") && text.contains("no data") && !text.contains("NaN"), "{text}");
        let mut below = chart(&[(0.0, -1.0), (10.0, 1.0)]);
        below.series[0].band = vec![(0.0, -2.0, 0.0), (10.0, 0.5, 1.5)];
        let text = svg(&[below]);
        assert!(text.contains("<polygon") && text.contains(">-2</text>") && text.contains(">0</text>"), "{text}");
        assert!(["-1.5", "1", "1.5"].iter().all(|value| text.contains(&format!(">{value}</text>"))), "{text}");
        assert!(text.contains("<text x=\"402\" y=\"410\" text-anchor=\"middle\">x</text>"), "{text}");
        // names below each other
        let mut two = chart(&[(0.0, 1.0), (10.0, 3.0)]);
        two.series.push(two.series[0].clone());
        let text = svg(&[two]);
        assert!(text.contains("M570 48h24") && text.contains("M570 66h24"), "{text}");
        assert!(
            text.contains("<text x=\"600\" y=\"52\">line") && text.contains("<text x=\"600\" y=\"70\">line"),
            "{text}"
        );
        // one depth, or one pass
        let mut one = chart(&[(6.0, 2.0)]);
        one.series[0].band = vec![(6.0, 1.0, 4.0)];
        let text = svg(&[one]);
        assert!(!text.contains("no data") && text.contains(">6</text>"), "{text}");
        assert!(text.contains("points=\"64.0,213.9 740.0,213.9\"") && text.contains("<polygon"), "{text}");
        assert_eq!([8.0, 10.0, 100.0, 0.5].map(step), [1.0, 2.0, 20.0, 0.1]);
    }
}
