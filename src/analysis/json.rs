//! Results for programs: the types that `--json` prints, one object a line.
//!
//! Scores are discs for the side to move (in a win/draw/loss search +1, 0 or -1: a proof of one of them is `exact`), moves are
//! written as in `f5` or `pass` (`f5:NE` where the rules let the player choose a direction), boards as [`board_text`] writes
//! them, times in seconds, confidences in percent. Objects may get more fields; those that are there keep their meaning.
//!
//! The rest of this page is `JSON.md`.
//!
#![doc = include_str!("JSON.md")]

use serde::{Deserialize, Serialize};

use super::accuracy::{DepthAccuracy, ParityAccuracy};
use super::batch::Solved;
use super::bench::{Case, Totals};
use super::review::{Judged, Review};
use super::text::rate;
use super::verdict::{Verdict, WrongScore};
use crate::book::names::opening_of;
use crate::formats::named_rules::unless_othello;
use crate::formats::record::GameRecord;
use crate::formats::{board_text, transcript};
use crate::game::Game;
use crate::rules::{Color, Move, Position, RuleSet};
use crate::search::{Bound, Line, Report};

/// Version of what `--json` prints: it rises when a field changes its meaning or goes; fields that are added leave it as it is.
pub const JSON_VERSION: u32 = 1;

/// What a score says.
#[cfg_attr(feature = "web", derive(utoipa::ToSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum BoundJson {
    /// The value with perfect play, proved; in a win/draw/loss search the outcome with perfect play.
    Exact,
    /// The value of a search that proves nothing: not to the end of the game, or not at full confidence.
    Estimate,
    /// The value of this search is at least the score.
    Lower,
    /// The value of this search is at most the score.
    Upper,
}

impl BoundJson {
    /// What the score of a line of a report says.
    fn new(line: &Line, report: &Report) -> BoundJson {
        match line.bound {
            _ if report.is_value(line) && report.is_solved() => BoundJson::Exact,
            _ if report.is_value(line) => BoundJson::Estimate,
            Bound::Upper => BoundJson::Upper,
            Bound::Lower | Bound::Exact => BoundJson::Lower,
        }
    }
}

/// One move of a search result.
#[cfg_attr(feature = "web", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LineJson {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// Its score in discs for the side to move.
    pub score: i32,
    /// What the score says.
    pub bound: BoundJson,
    /// Best play that begins with the move, passes included.
    pub pv: Vec<String>,
}

impl LineJson {
    /// A line of a report.
    pub fn new(line: &Line, report: &Report) -> LineJson {
        LineJson {
            mv: line.mv.to_string(),
            score: line.score,
            bound: BoundJson::new(line, report),
            pv: line.pv.iter().map(Move::to_string).collect(),
        }
    }
}

/// A search result.
#[cfg_attr(feature = "web", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReportJson {
    /// Empty squares of the position.
    pub empties: u8,
    /// Depth in plies; at least `empties` when the search was to the end of the game.
    pub depth: u8,
    /// Confidence of the search in percent; 100 is full width.
    pub selectivity: u32,
    /// The score is proved: the best line's bound is `exact`, or the game is over. In a win/draw/loss search: the outcome is.
    pub exact: bool,
    /// Scores are +1 (win), 0 (draw) and -1 (loss).
    pub win_draw_loss: bool,
    /// A limit or an interrupt cut the search short of its goal.
    pub stopped: bool,
    /// Score of the position: that of the best line, or the final score.
    pub score: i32,
    /// Nodes of the search so far.
    pub nodes: u64,
    /// Time of the search so far in seconds.
    pub seconds: f64,
    /// Speed; null when the time is too short to tell.
    pub nodes_per_second: Option<u64>,
    /// The best line; null when the game is over.
    pub best: Option<LineJson>,
    /// All lines found, best first, where more than the best one were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<LineJson>,
}

impl ReportJson {
    /// The result with its best line only, or with all lines.
    pub fn new(report: &Report, all_lines: bool) -> ReportJson {
        let line = |line: &Line| LineJson::new(line, report);
        ReportJson {
            empties: report.empties,
            depth: report.depth,
            selectivity: report.selectivity.percent(),
            exact: report.is_exact(),
            win_draw_loss: report.win_draw_loss,
            stopped: report.stopped,
            score: report.score,
            nodes: report.nodes,
            seconds: report.elapsed.as_secs_f64(),
            nodes_per_second: rate(report.nodes, report.elapsed),
            best: report.best().map(line),
            moves: if all_lines { report.lines.iter().map(line).collect() } else { Vec::new() },
        }
    }

    /// The lines, best first, or the best one alone where no more were asked for.
    pub(super) fn lines(&self) -> &[LineJson] {
        if self.moves.is_empty() { self.best.as_slice() } else { &self.moves }
    }
}

/// A state of the search of a position (`analyze`).
#[cfg_attr(feature = "web", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct IterationJson {
    /// The rules, if they are not othello's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<String>,
    /// The board and the side to move.
    pub position: String,
    /// Name of the opening, if it has one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub opening: Option<String>,
    /// The search has ended with this.
    #[serde(rename = "final")]
    pub is_final: bool,
    /// What was found, with all lines.
    #[serde(flatten)]
    pub report: ReportJson,
}

impl IterationJson {
    /// An iteration of the search of a position.
    pub fn new(position: &Position, opening: Option<&str>, report: &Report, is_final: bool) -> IterationJson {
        let opening = opening.map(str::to_string);
        IterationJson {
            rules: unless_othello(position.rules()),
            position: board_text::write(position),
            opening,
            is_final,
            report: ReportJson::new(report, true),
        }
    }
}

/// A judged move of a game (`analyze`).
#[cfg_attr(feature = "web", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MoveJson {
    /// Number of the game in its file, from 1.
    pub game: u32,
    /// Number of the move in the game, from 1, passes counted.
    pub ply: usize,
    /// Who moved, as the rules call the side: `black` and `white` in most.
    pub side: String,
    /// The move played, its score, bound and best continuation.
    #[serde(flatten)]
    pub played: LineJson,
    /// Score of the best move.
    pub best: i32,
    /// Discs lost by the move: `best` minus `score`.
    pub loss: u32,
    /// Depth of the search in plies.
    pub depth: u8,
    /// Confidence of the search in percent.
    pub selectivity: u32,
    /// The scores are proved.
    pub exact: bool,
    /// A limit cut the search short of its goal: depth and confidence are those of what was finished.
    pub stopped: bool,
    /// Nodes of the search.
    pub nodes: u64,
    /// Time of the search in seconds.
    pub seconds: f64,
    /// The best other moves, best first; none when there was no choice.
    pub alternatives: Vec<LineJson>,
}

impl MoveJson {
    /// A judged move of the game with this number.
    pub fn new(game: u32, rules: &RuleSet, judged: &Judged) -> MoveJson {
        let report = &judged.report;
        MoveJson {
            game,
            ply: judged.ply,
            side: rules.color_name(judged.side).to_string(),
            played: LineJson::new(&judged.played, report),
            best: judged.best,
            loss: judged.loss(),
            depth: report.depth,
            selectivity: report.selectivity.percent(),
            exact: report.is_exact(),
            stopped: report.stopped,
            nodes: report.nodes,
            seconds: report.elapsed.as_secs_f64(),
            alternatives: judged.alternatives.iter().map(|line| LineJson::new(line, report)).collect(),
        }
    }
}

/// The sums of one side of a game.
#[cfg_attr(feature = "web", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SideJson {
    /// The side, as the rules call it.
    pub side: String,
    /// Moves judged that had an alternative.
    pub choices: u32,
    /// Moves that lost discs.
    pub errors: u32,
    /// Discs lost by all moves together.
    pub discs_lost: u32,
    /// Discs lost a move that had an alternative.
    pub mean_loss: f64,
}

/// What follows the moves of a game (`analyze`).
#[cfg_attr(feature = "web", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GameJson {
    /// Number of the game in its file, from 1.
    pub game: u32,
    /// Name of the black player, empty when not known.
    pub black: String,
    /// Name of the white player, empty when not known.
    pub white: String,
    /// The rules, if they are not othello's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<String>,
    /// The board and the side to move before the first move, where the game did not begin as the rules say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The moves of the game.
    pub moves: String,
    /// Name of the opening, if it has one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub opening: Option<String>,
    /// Every move has been judged; if not, the first ones are missing, also in the sums.
    pub complete: bool,
    /// The sums of both sides, black first.
    pub summary: Vec<SideJson>,
    /// The options of the command that decide what is found, if any were given; limits of time and nodes where one cut a search
    /// short.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub options: String,
}

impl GameJson {
    /// The sums of a game with this number.
    pub fn new(number: u32, record: &GameRecord, review: &Review) -> GameJson {
        let rules = record.game.position().rules();
        let side = |color| {
            let summary = review.summary(color);
            SideJson {
                side: rules.color_name(color).to_string(),
                choices: summary.choices,
                errors: summary.errors,
                discs_lost: summary.discs,
                mean_loss: summary.mean_loss(),
            }
        };
        GameJson {
            game: number,
            black: record.player(Color::Black).name.clone(),
            white: record.player(Color::White).name.clone(),
            rules: unless_othello(rules),
            start: own_start(&record.game),
            moves: transcript::write(&record.game),
            opening: opening_of(&record.game).map(str::to_string),
            complete: review.is_complete(),
            summary: [Color::Black, Color::White].map(side).into(),
            options: String::new(),
        }
    }
}

/// The board and the side to move before the first move of a game that did not begin as its rules say.
pub(super) fn own_start(game: &Game) -> Option<String> {
    game.has_own_start().then(|| board_text::write(game.start()))
}

/// A game that could not be read (`analyze --output`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BadGameJson {
    /// Number of the game in the input, from 1.
    pub game: u32,
    /// What is wrong with it.
    pub error: String,
}

/// A solved problem (`solve`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SolvedJson {
    /// Running number of the problem, from 1; lines that could not be read have one too.
    pub number: u64,
    /// The file that the line is from, where several were given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Line of its file, from 1.
    pub line: usize,
    /// The rules, if they are not othello's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<String>,
    /// The board and the side to move.
    pub position: String,
    /// What was found.
    #[serde(flatten)]
    pub report: ReportJson,
    /// The comparison with the exact scores of the file, if it has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<FileJson>,
    /// The options of the command that decide what is found, if any were given; limits of time and nodes where one cut a search
    /// short.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub options: String,
}

impl SolvedJson {
    /// A solved problem of a file (named where there are several) with all lines of the report or its best one; `verdict` compares
    /// it with the file.
    pub fn new(solved: &Solved, source: Option<&str>, all_lines: bool, verdict: Option<Verdict>) -> SolvedJson {
        SolvedJson {
            number: solved.number,
            source: source.map(str::to_string),
            line: solved.line,
            rules: unless_othello(solved.problem.position.rules()),
            position: board_text::write(&solved.problem.position),
            report: ReportJson::new(&solved.report, all_lines),
            file: verdict.map(FileJson::from),
            options: String::new(),
        }
    }
}

/// The comparison with the scores of a problem file: see [`verdict`](super::verdict). Where only who wins or is ahead is compared
/// (`--wld`, `--discs-only`), +1, 0 and -1 stand in the place of the scores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FileJson {
    /// The best score in the file.
    pub best: i32,
    /// The file's score of the engine's move; null when it has none.
    pub listed: Option<i32>,
    /// The engine's move is listed below the best.
    pub wrong_move: bool,
    /// The engine's score is not the one listed for its move, or else for the position.
    pub wrong_score: bool,
    /// The other moves whose scores are not those in the file, where more than the best one were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_moves: Vec<WrongScoreJson>,
    /// Both can be right, or not.
    pub verdict: VerdictJson,
}

/// A score that is not the one in a problem file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WrongScoreJson {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The engine's score of it; null of a move that is not among the best ones (`--best-moves`).
    pub score: Option<i32>,
    /// The file's score of it.
    pub listed: i32,
}

/// Whether an answer agrees with the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum VerdictJson {
    /// It does.
    Right,
    /// One of the two is wrong.
    Wrong,
}

impl From<Verdict> for FileJson {
    fn from(verdict: Verdict) -> FileJson {
        let disagrees = verdict.disagrees();
        let other = |WrongScore { mv, score, listed }| WrongScoreJson { mv: Move::to_string(&mv), score, listed };
        FileJson {
            best: verdict.best,
            listed: verdict.listed,
            wrong_move: verdict.is_wrong_move(),
            wrong_score: verdict.is_wrong_score(),
            other_moves: verdict.others.into_iter().map(other).collect(),
            verdict: if disagrees { VerdictJson::Wrong } else { VerdictJson::Right },
        }
    }
}

/// A line that could not be read (`solve`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BadLineJson {
    /// Running number, from 1, as problems have.
    pub number: u64,
    /// The file that the line is from, where several were given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Line of its file, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub error: String,
}

/// The search of a bench position (`bench`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BenchCaseJson {
    /// The board and the side to move.
    pub position: String,
    /// What was found, the best line only.
    #[serde(flatten)]
    pub report: ReportJson,
}

impl BenchCaseJson {
    /// A searched position.
    pub fn new(case: &Case, report: &Report) -> BenchCaseJson {
        BenchCaseJson { position: board_text::write(&case.position), report: ReportJson::new(report, false) }
    }
}

/// The sums over all bench positions (`bench`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BenchJson {
    /// The rules played.
    pub rules: String,
    /// Positions searched.
    pub positions: usize,
    /// They are all; if not, the bench was interrupted, and the signature is of these positions alone.
    pub complete: bool,
    /// Nodes of all searches.
    pub nodes: u64,
    /// Time spent searching.
    pub seconds: f64,
    /// Speed; null when the time is too short to tell.
    pub nodes_per_second: Option<u64>,
    /// Threads of each search.
    pub threads: usize,
    /// Size of the table in MiB.
    pub hash_mib: usize,
    /// The instruction-set tier.
    pub tier: String,
    /// The signature of the search, eight hexadecimal digits.
    pub signature: String,
}

impl BenchJson {
    /// Of a bench that searched positions of these rules.
    pub fn new(totals: &Totals, rules: &RuleSet) -> BenchJson {
        BenchJson {
            rules: rules.to_string(),
            positions: totals.positions,
            complete: totals.is_complete,
            nodes: totals.nodes,
            seconds: totals.time.as_secs_f64(),
            nodes_per_second: rate(totals.nodes, totals.time),
            threads: totals.options.threads,
            hash_mib: totals.options.hash_mib,
            tier: totals.tier.to_string(),
            signature: totals.signature.clone(),
        }
    }
}

/// Distances from known scores (`accuracy`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AccuracyJson {
    /// Name of the file.
    pub file: String,
    /// Positions taken from it.
    pub positions: usize,
    /// Confidence of the searches in percent.
    pub selectivity: u32,
    /// Threads of each search.
    pub threads: usize,
    /// Size of each table in MiB.
    pub hash_mib: usize,
    /// All depths have been searched: it was not interrupted.
    pub complete: bool,
    /// The figures of each depth, in the order asked for.
    pub depths: Vec<DepthAccuracy>,
    /// The odd depths together, then the even ones; those of which there are none are left out.
    pub parities: Vec<ParityAccuracy>,
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use schemars::generate::SchemaSettings;
    use serde_json::{Value, json};

    use super::*;
    use crate::analysis::levels::LevelJson;
    use crate::search::Selectivity;

    fn report(bound: Bound, score: i32, win_draw_loss: bool, selectivity: Selectivity) -> ReportJson {
        let line = crate::search::Line { mv: Move::Pass, score, bound, pv: Vec::new() };
        let report = Report { depth: 20, selectivity, win_draw_loss, ..Report::of_book(line, 20) };
        ReportJson::new(&report, true)
    }

    #[test]
    fn a_proved_outcome_is_exact() {
        let (all, some) = (Selectivity::NONE, Selectivity::MOST);
        for (bound, score, wld, selectivity, said, exact) in [
            (Bound::Lower, 1, true, all, BoundJson::Exact, true),
            (Bound::Upper, -1, true, all, BoundJson::Exact, true),
            (Bound::Exact, 0, true, all, BoundJson::Exact, true),
            // not worse than a draw: a draw or a win
            (Bound::Lower, 0, true, all, BoundJson::Lower, false),
            (Bound::Upper, 1, true, all, BoundJson::Upper, false),
            (Bound::Lower, 1, true, some, BoundJson::Estimate, false),
            (Bound::Upper, -1, true, some, BoundJson::Estimate, false),
            (Bound::Exact, 0, true, some, BoundJson::Estimate, false),
            // of discs a bound remains one
            (Bound::Lower, 1, false, all, BoundJson::Lower, false),
            (Bound::Exact, 1, false, all, BoundJson::Exact, true),
        ] {
            let json = report(bound, score, wld, selectivity);
            let found = (json.moves[0].bound, json.exact);
            assert_eq!(found, (said, exact), "{bound:?} {score} {wld} {selectivity}");
        }
    }

    #[test]
    fn positions_name_rules_that_are_not_othellos() {
        let report =
            Report::of_book(crate::search::Line { mv: Move::Pass, score: 0, bound: Bound::Exact, pv: Vec::new() }, 20);
        for (rules, named) in
            [("othello", None), ("othello:10x10", Some("othello:10x10")), ("traveller", Some("traveller"))]
        {
            let position = Position::start(Arc::new(rules.parse().unwrap()));
            let json = serde_json::to_value(IterationJson::new(&position, None, &report, true)).unwrap();
            assert_eq!(json.get("rules").and_then(Value::as_str), named);
        }
    }

    /// The schemas of all types that commands print.
    fn schemas() -> Value {
        let mut generator = SchemaSettings::draft2020_12().into_generator();
        macro_rules! add {
            ($($type:ty),*) => { $(generator.subschema_for::<$type>();)* };
        }
        add!(SolvedJson, BadLineJson, IterationJson, MoveJson, GameJson, BadGameJson);
        add!(BenchCaseJson, BenchJson, AccuracyJson, LevelJson);
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": format!("What outflank --json prints, version {JSON_VERSION}"),
            "$defs": generator.take_definitions(true),
        })
    }

    /// `schema.json` is what the types say: `UPDATE_SCHEMA=1 cargo test --lib json` writes it anew.
    #[test]
    fn the_schemas_are_those_of_the_types() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/analysis/schema.json");
        let text = serde_json::to_string_pretty(&schemas()).unwrap() + "\n";
        if std::env::var_os("UPDATE_SCHEMA").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let written = std::fs::read_to_string(&path).unwrap();
        assert_eq!(written, text, "UPDATE_SCHEMA=1 cargo test --lib json");
        // and the page names every one of them
        let page = include_str!("JSON.md");
        let schemas: Value = serde_json::from_str(&text).unwrap();
        for name in schemas["$defs"].as_object().unwrap().keys() {
            assert!(page.contains(&format!("`{name}`")), "JSON.md says nothing of {name}");
        }
        assert!(page.contains(&format!("version {JSON_VERSION}")));
    }
}
