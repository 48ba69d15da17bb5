//! Results as text for people: search results as rows of a table, in the shape that users of Othello programs know (Edax's),
//! and reviewed games.

use std::time::Duration;

use super::review::Review;
use crate::formats::quantity::plural;
use crate::formats::record::GameRecord;
use crate::game::Game;
use crate::rules::{Color, Move, Position};
use crate::search::{Bound, Line, Report};

/// Column titles, without the running number.
pub const HEADER: &str = " depth|score|       time   |  nodes (N)  |   N/s    | principal variation";
/// The line under the titles and at the end.
pub const RULE: &str = "------+-----+--------------+-------------+----------+---------------------";

/// Time below which nodes per second mean nothing.
const SHORTEST_RATED: Duration = Duration::from_millis(1);

/// One row: depth, score, time, nodes, nodes per second and principal variation of a line of a report.
/// `costs` says whether the time and the nodes, which belong to the whole report, are shown in this row.
pub fn row(position: &Position, report: &Report, line: Option<&Line>, costs: bool) -> String {
    let score = line.map_or(report.score, |line| line.score);
    let bound = match line.map_or(Bound::Exact, |line| line.bound) {
        Bound::Exact => ' ',
        Bound::Lower => '>',
        Bound::Upper => '<',
    };
    let (time, nodes, rate) = if costs {
        (time_text(report.elapsed), report.nodes.to_string(), rate_text(report.nodes, report.elapsed))
    } else {
        Default::default()
    };
    let pv = line.map_or(String::new(), |line| pv_text(position, &line.pv));
    let row = format!("{} {bound}{:<4} {time:>14} {nodes:>13} {rate:>10} {pv}", depth_cell(report), score_text(score));
    row.trim_end().to_string()
}

/// A score as players write it: `+18`, `-04`, `+00`.
pub fn score_text(score: i32) -> String {
    format!("{score:+03}")
}

/// Six characters: `   14 `, `21@73%`.
fn depth_cell(report: &Report) -> String {
    let text = report.depth_text();
    if text.contains('@') { format!("{text:>6}") } else { format!("{text:>5} ") }
}

/// Shortens a row to a width in characters (a terminal's), so that long variations don't wrap; rows are ASCII.
pub fn fit(row: String, width: Option<usize>) -> String {
    match width {
        Some(width) if row.len() > width && width > 60 => match row[..width].rfind(' ') {
            Some(end) => row[..end].to_string(),
            None => row,
        },
        _ => row,
    }
}

/// A variation: the first player's moves in lower case, the second player's in upper case.
fn pv_text(position: &Position, pv: &[Move]) -> String {
    let mut position = position.clone();
    let mut text = String::new();
    for &mv in pv {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&match (mv, position.side_to_move()) {
            (Move::Pass, Color::Black) => "pa".to_string(),
            (Move::Pass, Color::White) => "PA".to_string(),
            (mv, Color::Black) => format!("{mv}"),
            (mv, Color::White) => format!("{mv:#}"),
        });
        match position.play(mv) {
            Ok(next) => position = next,
            Err(_) => break,
        }
    }
    text
}

/// `m:ss.mmm`, or `h:mm:ss.mmm` from an hour on.
pub fn time_text(time: Duration) -> String {
    format!("{}.{:03}", clock_text(time.as_secs() as f64), time.subsec_millis())
}

/// Seconds, rounded: `0:04`, `1:01`, `1:00:00`.
pub fn clock_text(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    let (minutes, seconds) = (seconds / 60, seconds % 60);
    if minutes < 60 {
        format!("{minutes}:{seconds:02}")
    } else {
        format!("{}:{:02}:{seconds:02}", minutes / 60, minutes % 60)
    }
}

/// Nodes per second, empty when the time is too short to tell.
pub fn rate_text(nodes: u64, time: Duration) -> String {
    rate(nodes, time).map_or(String::new(), |rate| rate.to_string())
}

/// Nodes per second, `None` when the time is too short to tell.
pub fn rate(nodes: u64, time: Duration) -> Option<u64> {
    (time >= SHORTEST_RATED).then(|| (nodes as f64 / time.as_secs_f64()) as u64)
}

/// A count with its unit: `12`, `3.4 k`, `56.7 M`, `8.9 G`.
pub fn count_text(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        // what would be rounded to a thousand of a unit is one of the next
        1_000..999_950 => format!("{:.1} k", count as f64 / 1e3),
        999_950..999_950_000 => format!("{:.1} M", count as f64 / 1e6),
        _ => format!("{:.2} G", count as f64 / 1e9),
    }
}

/// What a game is called: its number in the file, and who played when, as far as known.
pub fn title(record: &GameRecord, number: u32) -> String {
    let mut text = format!("game {number}");
    let names = [Color::Black, Color::White].map(|color| record.player(color).name.as_str());
    if names != ["", ""] {
        let name = |name: &str| if name.is_empty() { "?".to_string() } else { name.to_string() };
        text += &format!(": {} - {}", name(names[0]), name(names[1]));
    }
    for part in [&record.event, &record.date].into_iter().flatten() {
        text += &format!(", {part}");
    }
    text
}

/// A reviewed game as a table, with the sums of each side; every line ends with a line break.
pub fn reviewed_game(game: &Game, review: &Review) -> String {
    let rules = game.position().rules();
    let name = |color| rules.color_name(color);
    let width = name(Color::Black).len().max(name(Color::White).len()).max(4);
    let mut text = format!(" ply  {:<width$}  move     score  loss  depth   alternatives\n", "side");
    text += &format!("----  {:-<width$}  -------  -----  ----  ------  ------------\n", "");
    for one in &review.moves {
        let loss = if one.loss() > 0 { one.loss().to_string() } else { String::new() };
        let alternatives: Vec<String> =
            one.alternatives.iter().map(|line| format!("{} {}", line.mv, score_text(line.score))).collect();
        let row = format!(
            "{:>4}  {:<width$}  {:<7}  {:>5}  {loss:>4}  {:>6}  {}",
            one.ply,
            name(one.side),
            one.played.mv.to_string(),
            score_text(one.played.score),
            one.report.depth_text(),
            alternatives.join(", "),
        );
        text += row.trim_end();
        text.push('\n');
    }
    text.push('\n');
    if !review.is_complete() {
        text += &format!(
            "interrupted: {} of {} judged, the last ones\n",
            review.moves.len(),
            plural(review.total as u64, "move")
        );
    }
    for color in [Color::Black, Color::White] {
        let summary = review.summary(color);
        text += &format!(
            "{:<width$}  {} of {} lost {}, {:.2} a move\n",
            name(color),
            plural(u64::from(summary.errors), "error"),
            plural(u64::from(summary.choices), "choice"),
            plural(u64::from(summary.discs), "disc"),
            summary.mean_loss(),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{Selectivity, Source};

    fn report(selectivity: Selectivity) -> Report {
        let moves = ["f5", "d6", "c3"].map(|name| name.parse::<crate::board::Square>().unwrap().into());
        Report {
            depth: 14,
            selectivity,
            empties: 14,
            lines: vec![Line { mv: moves[0], score: 18, bound: Bound::Exact, pv: moves.to_vec() }],
            score: 18,
            nodes: 36_407,
            elapsed: Duration::from_millis(8),
            stopped: false,
            win_draw_loss: false,
            source: Source::Search,
        }
    }

    #[test]
    fn rows_stand_under_their_titles() {
        let position = Position::default();
        let exact = report(Selectivity::NONE);
        assert_eq!(
            row(&position, &exact, exact.best(), true),
            "   14   +18        0:00.008         36407    4550875 f5 D6 c3"
        );
        let selective = report(Selectivity::MOST);
        assert_eq!(
            row(&position, &selective, selective.best(), false),
            "14@73%  +18                                          f5 D6 c3"
        );
    }

    #[test]
    fn what_a_move_lost_stands_in_its_row() {
        let (record, review) = crate::analysis::report::tests::example();
        let text = reviewed_game(&record.game, &review);
        let row = |ply: &str| text.lines().find(|line| line.trim_start().starts_with(ply)).unwrap().to_string();
        assert_eq!(row("5 ").split_whitespace().collect::<Vec<_>>()[..5], ["5", "black", "c4", "-01", "4"]);
        assert_eq!(row("4 ").split_whitespace().collect::<Vec<_>>()[..5], ["4", "white", "d3", "+01", "16@73%"]);
    }

    #[test]
    fn rows_fit_the_terminal() {
        let row = "x".repeat(70) + " f5 d6";
        assert_eq!(fit(row.clone(), Some(74)), "x".repeat(70) + " f5");
        assert_eq!(fit(row.clone(), Some(76)), row);
        assert_eq!(fit(row.clone(), None), row);
    }

    #[test]
    fn units() {
        assert_eq!(time_text(Duration::from_millis(61_008)), "1:01.008");
        assert_eq!(time_text(Duration::from_millis(59_999)), "0:59.999");
        assert_eq!(time_text(Duration::from_secs(3_600)), "1:00:00.000");
        let seconds = [0.4, 3.5, 59.7, 61.0, 3_599.4, 3_599.6, 36_061.0];
        assert_eq!(seconds.map(clock_text), ["0:00", "0:04", "1:00", "1:01", "59:59", "1:00:00", "10:01:01"]);
        assert_eq!(rate_text(5, Duration::from_micros(900)), "");
        assert_eq!([12, 3_400, 56_700_000].map(count_text), ["12", "3.4 k", "56.7 M"]);
        let nearly = [999, 999_949, 999_950, 999_949_999, 999_950_000];
        assert_eq!(nearly.map(count_text), ["999", "999.9 k", "1.0 M", "999.9 M", "1.00 G"]);
    }
}
