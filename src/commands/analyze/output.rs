//! What `analyze` prints.

use std::io::{self, Write};

use outflank::formats::{board_text, record::GameRecord, transcript};
use outflank::game::Game;
use outflank::rules::{Color, Position};
use outflank::search::Report;
use serde::Serialize;

use super::retrospect::{Judged, SideSummary};
use crate::commands::table::{self, LineJson, ReportJson};

/// The iterations of one position.
pub struct PositionTable<'a> {
    /// The position.
    pub position: &'a Position,
    /// JSON lines instead of a table.
    pub json: bool,
}

/// One line of `--json` output for a position.
#[derive(Serialize)]
struct IterationJson {
    position: String,
    #[serde(rename = "final")]
    is_final: bool,
    #[serde(flatten)]
    report: ReportJson,
}

impl PositionTable<'_> {
    /// Prints the titles.
    pub fn begin(&self) -> io::Result<()> {
        if self.json {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        writeln!(out, "{}", board_text::write(self.position))?;
        writeln!(out, "{}\n{}", table::HEADER, table::RULE)
    }

    /// Prints an iteration.
    pub fn iteration(&self, report: &Report, is_final: bool) -> io::Result<()> {
        let mut out = io::stdout().lock();
        if self.json {
            let position = board_text::write(self.position);
            let value = IterationJson { position, is_final, report: ReportJson::new(report, true) };
            writeln!(out, "{}", serde_json::to_string(&value).expect("plain data"))?;
            return out.flush();
        }
        let width = table::terminal_width();
        for i in 0..report.lines.len().max(1) {
            let row = table::row(self.position, report, report.lines.get(i), i == 0);
            writeln!(out, "{}", table::fit(row, width))?;
        }
        out.flush()
    }

    /// Prints the end of the table.
    pub fn end(&self) -> io::Result<()> {
        if self.json { Ok(()) } else { writeln!(io::stdout(), "{}", table::RULE) }
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

/// Prints the judged moves of a game as a table, with the sums of each side.
pub fn write_game(out: &mut impl Write, game: &Game, judged: &[Judged]) -> io::Result<()> {
    let rules = game.position().rules();
    let name = |color| rules.color_name(color);
    let width = name(Color::Black).len().max(name(Color::White).len()).max(4);
    writeln!(out, " ply  {:<width$}  move     score  loss  depth   alternatives", "side")?;
    writeln!(out, "----  {:-<width$}  -------  -----  ----  ------  ------------", "")?;
    for one in judged {
        let loss = if one.loss() > 0 { one.loss().to_string() } else { String::new() };
        let alternatives: Vec<String> =
            one.alternatives.iter().map(|line| format!("{} {}", line.mv, table::score_text(line.score))).collect();
        let row = format!(
            "{:>4}  {:<width$}  {:<7}  {:>5}  {loss:>4}  {:>6}  {}",
            one.ply,
            name(one.side),
            one.played.mv.to_string(),
            table::score_text(one.played.score),
            one.report.depth_text(),
            alternatives.join(", "),
        );
        writeln!(out, "{}", row.trim_end())?;
    }
    writeln!(out)?;
    for color in [Color::Black, Color::White] {
        let summary = SideSummary::of(judged, color);
        writeln!(
            out,
            "{:<width$}  {} of {} lost {}, {:.2} a move",
            name(color),
            table::plural(u64::from(summary.errors), "error"),
            table::plural(u64::from(summary.choices), "choice"),
            table::plural(u64::from(summary.discs), "disc"),
            summary.mean_loss(),
        )?;
    }
    out.flush()
}

/// One move of a game, as JSON.
#[derive(Serialize)]
struct MoveJson<'a> {
    game: u32,
    ply: usize,
    side: &'a str,
    #[serde(flatten)]
    played: LineJson,
    best: i32,
    loss: u32,
    depth: u8,
    selectivity: u32,
    exact: bool,
    nodes: u64,
    seconds: f64,
    alternatives: Vec<LineJson>,
}

/// The sums of a side, as JSON.
#[derive(Serialize)]
struct SideJson<'a> {
    side: &'a str,
    choices: u32,
    errors: u32,
    discs_lost: u32,
    mean_loss: f64,
}

/// The last line of a game, as JSON.
#[derive(Serialize)]
struct SummaryJson<'a> {
    game: u32,
    black: &'a str,
    white: &'a str,
    moves: String,
    summary: Vec<SideJson<'a>>,
}

/// Prints the judged moves of a game as JSON lines, then one object with the sums.
pub fn write_game_json(out: &mut impl Write, record: &GameRecord, number: u32, judged: &[Judged]) -> io::Result<()> {
    let game = &record.game;
    let rules = game.position().rules();
    for one in judged {
        let value = MoveJson {
            game: number,
            ply: one.ply,
            side: rules.color_name(one.side),
            played: LineJson::from(&one.played),
            best: one.best_score(),
            loss: one.loss(),
            depth: one.report.depth,
            selectivity: one.report.selectivity.percent(),
            exact: one.report.is_exact(),
            nodes: one.report.nodes,
            seconds: one.report.elapsed.as_secs_f64(),
            alternatives: one.alternatives.iter().map(LineJson::from).collect(),
        };
        writeln!(out, "{}", serde_json::to_string(&value).expect("plain data"))?;
    }
    let side = |color| {
        let summary = SideSummary::of(judged, color);
        SideJson {
            side: rules.color_name(color),
            choices: summary.choices,
            errors: summary.errors,
            discs_lost: summary.discs,
            mean_loss: summary.mean_loss(),
        }
    };
    let summary = vec![side(Color::Black), side(Color::White)];
    let moves = transcript::write(game);
    let value = SummaryJson {
        game: number,
        black: &record.player(Color::Black).name,
        white: &record.player(Color::White).name,
        moves,
        summary,
    };
    writeln!(out, "{}", serde_json::to_string(&value).expect("plain data"))?;
    out.flush()
}
