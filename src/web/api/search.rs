//! Analysis, reviews, hints and solves.

use std::sync::Arc;

use axum::extract::State;
use axum::http::Method;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::unbounded_channel;
use utoipa::{IntoParams, ToSchema};

use super::games::{NewGame, game_of};
use super::{Answer, Json};
use crate::analysis::json::{GameJson, IterationJson, MoveJson};
use crate::analysis::report::label::Label;
use crate::analysis::review::Review;
use crate::book::names::opening_of;
use crate::game::Game;
use crate::rules::Move;
use crate::search::{Goal, Level, Limits, Time};
use crate::web::Shared;
use crate::web::error::{Problem, ProblemJson};
use crate::web::events::{Event, answer, head};
use crate::web::games::About;
use crate::web::intake::{Asked, Id, LEVEL, LINES, MOST_LINES, Question, Sent, TIME, level, lines, time, unwanted};
use crate::web::jobs::{ReviewNews, SearchNews, game_review, search};

/// Seconds of an analysis when none are asked for.
const ANALYSIS_TIME: f64 = 60.0;

/// Seconds of a hint or a solve when none are asked for.
const ANSWER_TIME: f64 = 10.0;

/// Seconds of each move of a review when none are asked for.
const REVIEW_TIME: f64 = 5.0;

/// The level of a review when none is asked for.
const REVIEW_LEVEL: u8 = 12;

/// Other good moves that a review can name, and how many.
const ALTERNATIVES: (&str, &str) = ("alternatives", "a whole number from 0 to 20");

/// How deep to look.
#[derive(Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct AnalysisQuestion {
    /// Playing level 0 to 60; deeper and deeper if nothing is said.
    pub level: Option<u8>,
    /// Seconds, 60 if nothing is said.
    pub time: Option<f64>,
    /// How many of the best moves are valued; all if nothing is said.
    pub lines: Option<usize>,
}

impl Question for AnalysisQuestion {
    const TAKES: &'static [(&'static str, &'static str)] = &[LEVEL, TIME, LINES];
}

/// How to review.
#[derive(Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ReviewQuestion {
    /// Playing level 0 to 60; 12 if nothing is said.
    pub level: Option<u8>,
    /// The most seconds for each move, 5 if nothing is said.
    pub time: Option<f64>,
    /// Other good moves that are wanted besides the one played, 0 to 20; 2 if nothing is said.
    pub alternatives: Option<usize>,
}

impl Question for ReviewQuestion {
    const TAKES: &'static [(&'static str, &'static str)] = &[LEVEL, TIME, ALTERNATIVES];
}

/// A position and how deep to look.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct HintQuestion {
    /// The rules, `othello` if nothing is said.
    pub rules: Option<String>,
    /// A position or a game in any form; its last position counts. Without it the start of the rules; a blank one is an error.
    #[schema(example = "f5d6c3")]
    pub text: Option<String>,
    /// Which game of the text, from 1.
    pub number: Option<usize>,
    /// Playing level 0 to 60, 21 if nothing is said (a solve has none).
    pub level: Option<u8>,
    /// The most seconds, 10 if nothing is said.
    pub time: Option<f64>,
    /// How many of the best moves are valued; 1 if nothing is said.
    pub lines: Option<usize>,
    /// Of a solve: only win, draw or loss.
    pub win_draw_loss: bool,
}

/// A judged move of the game.
#[derive(Serialize, ToSchema)]
pub(crate) struct JudgedJson {
    /// The move and its scores.
    #[serde(flatten)]
    pub judged: MoveJson,
    /// `inaccuracy`, `mistake` or `blunder`; null when too little was lost for a name.
    pub name: Option<&'static str>,
}

fn iteration(game: &Game, report: &crate::search::Report, is_final: bool) -> IterationJson {
    IterationJson::new(game.position(), opening_of(game), report, is_final)
}

fn failed(error: crate::search::SearchError) -> Event {
    Event::new("error", &ProblemJson { error: Problem::bad(error.to_string()) })
}

/// Values all moves of the present position, deeper and deeper: an event `iteration` for every finished depth, the last one
/// with `final`. Ends when the connection is closed, the game goes elsewhere, also by a move of the engine, or another search for
/// it begins. Others who wait get their turn in between.
#[utoipa::path(get, path = "/api/v1/games/{id}/analysis", params(("id" = String, Path), AnalysisQuestion),
    responses((status = 200, content_type = "text/event-stream", body = IterationJson),
        (status = 409, body = ProblemJson), (status = 429, body = ProblemJson)))]
pub(crate) async fn analysis(
    State(shared): State<Arc<Shared>>,
    method: Method,
    Id(id): Id,
    Asked(asked): Asked<AnalysisQuestion>,
) -> Result<Response, Problem> {
    let session = shared.games.get(&id)?;
    let goal = level(asked.level)?.unwrap_or(Goal::Unlimited);
    let lines = lines(asked.lines, MOST_LINES)?;
    let time = time(asked.time, ANALYSIS_TIME, shared.longest)?;
    let limits = Limits { multi_pv: lines, ..Limits::new(goal) };
    let (out, news) = unbounded_channel();
    let (game, ticket) = {
        let line = session.line();
        let game = line.game();
        if game.position().is_game_over() {
            return Err(Problem::refused("the game is over"));
        }
        if method == Method::HEAD {
            return Ok(head());
        }
        let job = search(game.position().clone(), limits, time, out);
        let ticket = shared.search(&id, (&session, &line), About::Place, job)?;
        (game, ticket)
    };
    Ok(answer((session, ticket), news, move |news| match news {
        SearchNews::Iteration(report) => Event::new("iteration", &iteration(&game, &report, false)),
        SearchNews::End(report) => Event::new("iteration", &iteration(&game, &report, true)),
        SearchNews::Failed(error) => failed(error),
    }))
}

/// Judges the moves of the whole game, the last one first: an event `move` for each, and `game` at the end with the sums (a
/// GameJson); `complete` is false there when it was stopped, by hand, by a change of the game's moves or by another search for it.
#[utoipa::path(get, path = "/api/v1/games/{id}/review", params(("id" = String, Path), ReviewQuestion),
    responses((status = 200, content_type = "text/event-stream", body = JudgedJson),
        (status = 429, body = ProblemJson)))]
pub(crate) async fn review(
    State(shared): State<Arc<Shared>>,
    method: Method,
    Id(id): Id,
    Asked(asked): Asked<ReviewQuestion>,
) -> Result<Response, Problem> {
    let session = shared.games.get(&id)?;
    let alternatives = asked.alternatives.unwrap_or(2);
    if alternatives > 20 {
        return Err(unwanted(ALTERNATIVES, alternatives));
    }
    let goal = level(Some(asked.level.unwrap_or(REVIEW_LEVEL)))?.unwrap_or(Goal::Level(Level::DEFAULT));
    let time = time(asked.time, REVIEW_TIME, shared.longest)?;
    let limits = Limits { time: Time::PerMove(time), ..Limits::new(goal) };
    if method == Method::HEAD {
        return Ok(head());
    }
    let (out, news) = unbounded_channel();
    let (record, ticket) = {
        let line = session.line();
        let job = game_review(line.whole().clone(), limits, alternatives, out);
        let ticket = shared.search(&id, (&session, &line), About::Game, job)?;
        (line.record().clone(), ticket)
    };
    let total = record.game.moves().iter().filter(|mv| **mv != Move::Pass).count();
    let mut done = Review { moves: Vec::with_capacity(total), total };
    Ok(answer((session, ticket), news, move |news| match news {
        ReviewNews::Judged(judged) => {
            let rules = record.game.position().rules();
            let name = Some(Label::of(judged.loss()).name()).filter(|name| !name.is_empty());
            let event = Event::new("move", &JudgedJson { judged: MoveJson::new(1, rules, &judged), name });
            done.moves.push(*judged);
            event
        }
        ReviewNews::End => {
            done.moves.reverse();
            Event::new("game", &GameJson::new(1, &record, &done))
        }
        ReviewNews::Failed(error) => failed(error),
    }))
}

/// A search without a session, to its end.
async fn found(shared: &Shared, asked: &HintQuestion, goal: Goal) -> Answer<IterationJson> {
    let new =
        NewGame { rules: asked.rules.clone(), text: asked.text.clone(), number: asked.number, ..NewGame::default() };
    let game = game_of(&new)?;
    let lines = lines(asked.lines, 1)?;
    let time = time(asked.time, ANSWER_TIME, shared.longest)?;
    let limits = Limits { multi_pv: lines, ..Limits::new(goal) };
    let (out, mut news) = unbounded_channel();
    // dropped when the client goes, and the search with it
    let _ticket = shared.pool.submit(true, search(game.position().clone(), limits, time, out))?;
    loop {
        match news.recv().await.ok_or_else(Problem::fault)? {
            SearchNews::Iteration(_) => {}
            SearchNews::End(report) => return Ok(Json(iteration(&game, &report, true))),
            SearchNews::Failed(error) => return Err(Problem::bad(error.to_string())),
        }
    }
}

/// The best moves of a position, without a session: for scripts.
#[utoipa::path(post, path = "/api/v1/hint", request_body = HintQuestion,
    responses((status = 200, body = IterationJson), (status = 429, body = ProblemJson)))]
pub(crate) async fn hint(State(shared): State<Arc<Shared>>, Sent(asked): Sent<HintQuestion>) -> Answer<IterationJson> {
    if asked.win_draw_loss {
        return Err(Problem::bad("win_draw_loss is for /api/v1/solve"));
    }
    let goal = level(asked.level)?.unwrap_or(Goal::Level(Level::DEFAULT));
    found(&shared, &asked, goal).await
}

/// The exact score of a position, or its outcome only; the answer says whether the time sufficed (`exact`).
#[utoipa::path(post, path = "/api/v1/solve", request_body = HintQuestion,
    responses((status = 200, body = IterationJson), (status = 429, body = ProblemJson)))]
pub(crate) async fn solve(State(shared): State<Arc<Shared>>, Sent(asked): Sent<HintQuestion>) -> Answer<IterationJson> {
    if asked.level.is_some() {
        return Err(Problem::bad("level: a solve has none, only a time"));
    }
    let goal = if asked.win_draw_loss { Goal::WinDrawLoss } else { Goal::Exact };
    found(&shared, &asked, goal).await
}
