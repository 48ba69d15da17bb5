//! A judged game as something to show: a page, a picture, a text, an annotated game file.
//!
//! [`GameReport`] holds all that the forms show, and is itself the JSON form. Values in it are discs: `score` and `best` for the
//! side that moved, `value` for the first player, whose curve the graph is.
//!
//! | module | what |
//! |---|---|
//! | [`label`] | what a loss is called, with the limits in discs |
//! | [`graph`] | the value by move as SVG |
//! | [`page`] | a page of HTML with everything in it, for one game or many |
//! | [`markdown`] | the same as Markdown |
//! | [`totals`] | sums by player over many games |
//! | [`annotate`] | game records with values, remarks and variations |

pub mod annotate;
pub mod graph;
pub mod label;
pub mod markdown;
pub mod page;
pub mod totals;

use serde::{Deserialize, Serialize};

use super::json::LineJson;
use super::review::{Judged, Review};
use crate::book::names::opening_of;
use crate::formats::board_text;
use crate::formats::record::{GameRecord, GameResult, Player};
use crate::rules::{Color, Move, Position};
use crate::search::Report;
use label::Label;

/// A game with everything that is said about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameReport {
    /// Number of the game among those of the report, from 1.
    pub number: usize,
    /// The two players, the first one (black) first.
    pub players: [PlayerReport; 2],
    /// Tournament, place and date, as far as known.
    pub event: Option<String>,
    /// Where it was played.
    pub place: Option<String>,
    /// When, in the words of the record.
    pub date: Option<String>,
    /// The result in words: `Ann wins by 12`, `draw`, `unfinished`.
    pub result: String,
    /// The first player's score in discs, if known.
    pub score: Option<f64>,
    /// Name of the opening.
    pub opening: Option<String>,
    /// The rules, as they are named.
    pub rules: String,
    /// Rows of the board.
    pub rows: u8,
    /// Columns of the board.
    pub columns: u8,
    /// The board before the first move, see [`MoveReport::board`].
    pub start: String,
    /// The moves, passes included.
    pub moves: Vec<MoveReport>,
    /// Plies of the moves that changed the winner, see [`MoveReport::turning`].
    pub turning_points: Vec<usize>,
    /// From this ply on all values are proved.
    pub exact_from: Option<usize>,
    /// All moves are judged; if not, the first ones of the game are missing, also in the sums.
    pub complete: bool,
    /// How the positions were searched, in words.
    pub search: String,
    /// What losses are called, in words.
    pub labels: String,
}

/// A player with what their moves came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayerReport {
    /// Name; that of the side when it is not known.
    pub name: String,
    /// The name is known.
    pub named: bool,
    /// What the rules call the side.
    pub side: String,
    /// Rating, on the scale of the place.
    pub rating: Option<f64>,
    /// Points, a draw being half a point; none when the result is not known.
    pub points: Option<f64>,
    /// Clock setting, in the words of the record.
    pub clock: Option<String>,
    /// Time of all moves in seconds, when the record has times.
    pub seconds: Option<f64>,
    /// Moves judged that had an alternative.
    pub choices: u32,
    /// Of these, moves that lost nothing.
    pub best_moves: u32,
    /// Discs lost.
    pub discs_lost: u32,
    /// Discs lost a choice.
    pub mean_loss: f64,
    /// Discs lost a choice where the values are proved; none without such a choice.
    pub exact_mean_loss: Option<f64>,
    /// Inaccuracies, mistakes, blunders.
    pub labels: [u32; 3],
}

/// A move of a report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoveReport {
    /// Number of the move, from 1, passes counted.
    pub ply: usize,
    /// 0 for the first player, 1 for the second.
    pub color: usize,
    /// The move: `f5`, `pass`.
    #[serde(rename = "move")]
    pub mv: String,
    /// The board after the move, row by row: `X` and `O` discs, `-` empty, `#` no square.
    pub board: String,
    /// Value for the first player with this move; of a pass that of the move before it.
    pub value: Option<i32>,
    /// The judgement; none for passes and for moves that were not reached.
    pub judged: Option<Judgement>,
    /// The move was an error that changed who wins: a win became a draw or a loss, or a draw a loss.
    pub turning: bool,
    /// Time spent in seconds, as recorded.
    pub seconds: Option<f64>,
    /// Evaluation for the mover, as recorded.
    pub recorded: Option<f64>,
    /// A remark of the record.
    pub comment: Option<String>,
}

/// What the engine says about a move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// Score of the move for the side that moved.
    pub score: i32,
    /// Score of the best move.
    pub best: i32,
    /// Discs lost.
    pub loss: u32,
    /// What the loss is called.
    pub label: Label,
    /// There was no other move.
    pub forced: bool,
    /// The values are proved.
    pub exact: bool,
    /// Depth and confidence of the search: `16@73%`.
    pub depth: String,
    /// The move with its best continuation.
    pub played: LineJson,
    /// The best other moves.
    pub alternatives: Vec<LineJson>,
}

impl GameReport {
    /// The report of a game; `search` says in words how it was judged.
    pub fn new(number: usize, record: &GameRecord, review: &Review, search: &str) -> GameReport {
        let start = record.game.start();
        let rules = start.rules();
        let mut moves = moves(record, review);
        let mut value = None;
        for one in &mut moves {
            one.value = one.value.or(if one.mv == "pass" { value } else { None });
            value = one.value;
        }
        let players = [Color::Black, Color::White].map(|color| player(record, &moves, color));
        let proved = |one: &MoveReport| one.judged.as_ref().is_none_or(|judged| judged.exact) && one.value.is_some();
        let proved = moves.iter().rev().take_while(|one| proved(one));
        // the value of a pass is that of the move before it
        let exact = proved.filter(|one| one.judged.is_some()).last().map(|one| one.ply);
        GameReport {
            number,
            result: result(record, &players),
            players,
            event: record.event.clone(),
            place: record.place.clone(),
            date: record.date.clone(),
            score: record.result.and_then(|result| result.score),
            opening: opening_of(&record.game).map(str::to_string),
            rules: rules.to_string(),
            rows: rules.rows(),
            columns: rules.columns(),
            start: board_text::squares(start, '#'),
            turning_points: moves.iter().filter(|one| one.turning).map(|one| one.ply).collect(),
            moves,
            exact_from: exact,
            complete: review.is_complete(),
            search: search.to_string(),
            labels: Label::explanation(),
        }
    }

    /// `Ann – Bob`, with event (or place) and date as far as known.
    pub fn title(&self) -> String {
        let [black, white] = &self.players;
        let mut title = format!("{} – {}", black.name, white.name);
        for part in [self.event.as_ref().or(self.place.as_ref()), self.date.as_ref()].into_iter().flatten() {
            title += &format!(", {part}");
        }
        title
    }

    /// From which move on the values are proved, in words.
    pub fn exactness(&self) -> String {
        match self.exact_from {
            // moves that are not judged have none
            Some(ply) if self.moves.iter().take(ply - 1).all(|one| one.judged.is_none()) => {
                "All values are exact.".to_string()
            }
            Some(ply) => format!("Values are exact from move {ply} on, estimates before."),
            None => "All values are estimates.".to_string(),
        }
    }
}

fn moves(record: &GameRecord, review: &Review) -> Vec<MoveReport> {
    let game = &record.game;
    let one = |(i, mv): (usize, &Move)| {
        let side = game.positions()[i].side_to_move();
        let judged = review.moves.iter().find(|judged| judged.ply == i + 1);
        let note = record.note(i);
        let sign = if side == Color::Black { 1 } else { -1 };
        MoveReport {
            ply: i + 1,
            color: side.index(),
            mv: mv.to_string(),
            board: board_text::squares(&game.positions()[i + 1], '#'),
            value: judged.map(|judged| sign * judged.played.score),
            judged: judged.map(judgement),
            turning: judged.is_some_and(|judged| is_turning(judged, &game.positions()[i])),
            seconds: note.and_then(|note| note.seconds),
            recorded: note.and_then(|note| note.eval),
            comment: note.and_then(|note| note.comment.clone()),
        }
    };
    game.moves().iter().enumerate().map(one).collect()
}

fn judgement(judged: &Judged) -> Judgement {
    let report: &Report = &judged.report;
    Judgement {
        score: judged.played.score,
        best: judged.best,
        loss: judged.loss(),
        label: Label::of(judged.loss()),
        forced: judged.is_forced(),
        exact: report.is_exact(),
        depth: report.depth_text(),
        played: LineJson::new(&judged.played, report),
        alternatives: judged.alternatives.iter().map(|line| LineJson::new(line, report)).collect(),
    }
}

/// A win became a draw or a loss, or a draw a loss, by an error that has a name.
fn is_turning(judged: &Judged, before: &Position) -> bool {
    let [best, score] = [judged.best, judged.played.score].map(|score| before.outcome_of(score));
    Label::of(judged.loss()) != Label::None && score < best && best >= 0
}

fn player(record: &GameRecord, moves: &[MoveReport], color: Color) -> PlayerReport {
    let rules = record.game.start().rules();
    let Player { name, rating, clock } = record.player(color);
    let own = || moves.iter().filter(|one| one.color == color.index());
    let choices = || own().filter_map(|one| one.judged.as_ref()).filter(|judged| !judged.forced);
    let mean = |discs: u32, count: usize| f64::from(discs) / count.max(1) as f64;
    let sum = |exact_only: bool| choices().filter(|one| one.exact || !exact_only).map(|one| one.loss).sum::<u32>();
    let exact = choices().filter(|one| one.exact).count();
    let seconds: Vec<f64> = own().filter_map(|one| one.seconds).collect();
    let side = rules.color_name(color).to_string();
    // letters stay what they are: o and O are two players
    let capital = |text: &str| match text.chars().count() {
        1 => text.to_string(),
        _ => text.chars().take(1).flat_map(char::to_uppercase).chain(text.chars().skip(1)).collect(),
    };
    let points = |winner: Option<Color>| winner.map_or(0.5, |winner| if winner == color { 1.0 } else { 0.0 });
    PlayerReport {
        name: if name.is_empty() { capital(&side) } else { name.clone() },
        named: !name.is_empty(),
        side,
        rating: *rating,
        points: record.result.map(|result| points(result.winner)),
        clock: clock.clone(),
        seconds: (!seconds.is_empty()).then(|| seconds.iter().sum()),
        choices: choices().count() as u32,
        best_moves: choices().filter(|one| one.loss == 0).count() as u32,
        discs_lost: sum(false),
        mean_loss: mean(sum(false), choices().count()),
        exact_mean_loss: (exact > 0).then(|| mean(sum(true), exact)),
        labels: Label::NAMED.map(|label| choices().filter(|one| one.label == label).count() as u32),
    }
}

/// The result in words.
fn result(record: &GameRecord, players: &[PlayerReport; 2]) -> String {
    use crate::formats::record::Ending;
    let Some(GameResult { winner, score, ending }) = record.result else { return "unfinished".to_string() };
    let Some(winner) = winner else { return "draw".to_string() };
    let by = match (ending, score) {
        (Ending::Resignation, _) => " by resignation".to_string(),
        (Ending::Time, _) => " on time".to_string(),
        (_, Some(0.0)) => " with equal counts".to_string(),
        (_, Some(score)) => format!(" by {}", score.abs()),
        (_, None) => String::new(),
    };
    format!("{} wins{by}", players[winner.index()].name)
}

#[cfg(test)]
pub(crate) mod tests;
