//! Games: begun, played, taken back, read, saved.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::unbounded_channel;
use utoipa::{IntoParams, ToSchema};

use super::{Answer, Json};
use crate::analysis::json::ReportJson;
use crate::formats::files::games_to_text;
use crate::formats::notation::in_dialect;
use crate::formats::record::GameResult;
use crate::formats::stream::FileKind;
use crate::formats::{ggf, obf, quote};
use crate::game::Game;
use crate::play::{Choice, OpeningBook, ParseGradeError, Strength, Variety};
use crate::rules::RuleSet;
use crate::search::Goal;
use crate::search::Level;
use crate::web::Shared;
use crate::web::error::{Problem, ProblemJson};
use crate::web::games::{About, GameSession, Line, dialect, name_players};
use crate::web::intake::{Asked, Id, NUMBER, Question, Sent, VARIETY, level, rules, time, unwanted};
use crate::web::jobs::{Choosing, choose};
use crate::web::listen::Gone;
use crate::web::text;
use crate::web::view::{OpeningJson, StateJson, rules_line};

/// The time of a move when none is asked for, in seconds.
const MOVE_TIME: f64 = 10.0;

/// Discs that the engine's moves may be worse than the best one, at most.
const MOST_VARIETY: u32 = 64;

/// A game to begin, or to go on with.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct NewGame {
    /// The rules, `othello` if nothing is said; a text that names its rules goes before.
    #[schema(example = "othello")]
    pub rules: Option<String>,
    /// A position or a game in any form: a board or diagram, OBF, FEN, moves, the name of an opening, GGF, SGF, PGN. Without it
    /// the game is at the start of the rules; a blank one is an error.
    #[schema(example = "f5d6c3")]
    pub text: Option<String>,
    /// Which game of the text, from 1.
    pub number: Option<usize>,
    /// Name of the first player, instead of that of the text.
    pub first: Option<String>,
    /// Name of the second player.
    pub second: Option<String>,
    /// Rating of the first player, instead of that of the text.
    pub first_rating: Option<f64>,
    /// Rating of the second player.
    pub second_rating: Option<f64>,
    /// The result of a game that was not played to its end, instead of that of the text: the discs by which the first player has
    /// won, and how, as in `-64:r` (given up), `+4:t` (on time), `0:s` (agreed).
    pub result: Option<String>,
}

/// A text to go on with: a new game whose text has to be there.
#[derive(ToSchema)]
#[allow(dead_code)] // nothing but a description: what is sent is read as a `NewGame`
pub(crate) struct NewText {
    /// What else can be said.
    #[serde(flatten)]
    pub game: NewGame,
    /// A position or a game in any form.
    #[schema(example = "f5d6c3")]
    pub text: String,
}

/// A move.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewMove {
    /// The move: `f5`, `f5:NE` where a direction is chosen, `pass`.
    #[serde(rename = "move")]
    #[schema(example = "f5")]
    pub mv: String,
    /// Moves before it, passes counted (`ply` of the game that the move is an answer to): refused when the game is elsewhere by now,
    /// such as when it is asked for twice.
    #[serde(default)]
    pub ply: Option<usize>,
}

/// How far.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Steps {
    /// Placements, 1 if nothing is said.
    pub count: Option<usize>,
    /// Where the game is before them, in moves with the passes counted: refused when it is elsewhere by now.
    pub ply: Option<usize>,
}

/// A place in a game.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Place {
    /// Moves before it, passes counted.
    pub ply: usize,
}

/// The form of a saved game.
#[derive(Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SaveFormat {
    /// GGF.
    Ggf,
    /// SGF.
    Sgf,
    /// PGN.
    Pgn,
    /// Moves on a line.
    #[default]
    Txt,
    /// The present position as an OBF line.
    Obf,
}

/// How a game is saved.
#[derive(Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct SaveQuestion {
    /// `ggf`, `sgf`, `pgn`, `txt` (moves) or `obf` (the present position).
    #[param(inline)]
    pub format: SaveFormat,
    /// Name of the first player.
    pub first: Option<String>,
    /// Name of the second player.
    pub second: Option<String>,
}

impl Question for SaveQuestion {
    const TAKES: &'static [(&'static str, &'static str)] =
        &[("format", "ggf, sgf, pgn, txt or obf"), ("first", "a name"), ("second", "a name")];
}

/// How the engine is to move.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct EngineQuestion {
    /// Playing level 0 to 60; 21 if nothing is said, or as deep as the time allows when there is a time.
    pub level: Option<u8>,
    /// Instead of a level: as well as people do, from `beginner` to `master`.
    pub grade: Option<String>,
    /// The most seconds, 10 if nothing is said.
    pub time: Option<f64>,
    /// Play without the opening book.
    pub no_book: bool,
    /// In the first plies choose among the moves that are at most so many discs worse than the best.
    pub variety: Option<u32>,
    /// Moves before the engine's, passes counted: refused when the game is elsewhere by now.
    pub ply: Option<usize>,
}

/// The engine's move.
#[derive(Serialize, ToSchema)]
pub(crate) struct EngineJson {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The move as the sheet of the rules counts squares.
    pub shown: String,
    /// Where it comes from: `search`, `book`, `forced`, `only move`.
    pub source: &'static str,
    /// What is known about it; null for a forced pass.
    pub report: Option<ReportJson>,
    /// The game with it.
    pub game: StateJson,
}

/// What has been stopped.
#[derive(Serialize, ToSchema)]
pub(crate) struct Stopped {
    /// There was a search.
    pub stopped: bool,
}

/// A line of the game that a request is about; the number of games in its text.
fn line_of(asked: &NewGame) -> Result<(Line, usize), Problem> {
    let rules = rules(asked.rules.as_deref())?;
    if asked.number == Some(0) {
        return Err(unwanted(NUMBER, 0));
    }
    let (mut line, count) = match asked.text.as_deref() {
        None => {
            let other = asked.number.filter(|number| *number != 1);
            if let Some(number) = other {
                return Err(Problem::bad(format!("number: without a text there is one game, not {number}")));
            }
            (Line::new(Game::new(rules)), 1)
        }
        Some(text) => {
            let found = text::read(text, asked.number.unwrap_or(1), &rules)?;
            (Line::of_record(found.record), found.count)
        }
    };
    line.name([asked.first.clone(), asked.second.clone()]);
    line.rate([asked.first_rating, asked.second_rating]);
    if let Some(text) = &asked.result {
        let result = result_of(text, line.position().rules())?;
        line.end(result);
    }
    Ok((line, count))
}

/// The result of a game, in GGF's way. Files may have other letters, which say nothing there; who asks is told.
fn result_of(text: &str, rules: &RuleSet) -> Result<GameResult, Problem> {
    let (discs, how) = text.split_once(':').map_or((text, None), |(discs, how)| (discs, Some(how.trim())));
    let known = how.is_none_or(|how| matches!(how, "r" | "R" | "t" | "T" | "s" | "S"));
    let squares = rules.squares();
    let too_many = discs.trim().parse().is_ok_and(|discs: f64| discs.abs() > f64::from(squares));
    ggf::parse_result(text, rules).filter(|_| known).ok_or_else(|| {
        let takes = match known && too_many {
            true => format!("at most {squares} discs, as many as squares"),
            false => "discs of the first player with :r, :t or :s, as in -64:r".to_string(),
        };
        Problem::bad(format!("result: {takes}, not {}", quote(text)))
    })
}

fn state(shared: &Shared, id: &str, line: &Line) -> StateJson {
    StateJson::new(id, line, shared.book.as_ref())
}

/// Begins a game, at the start of rules or with what a text holds.
#[utoipa::path(post, path = "/api/v1/games", request_body = NewGame,
    responses((status = 200, body = StateJson), (status = 429, body = ProblemJson)))]
pub(crate) async fn create(State(shared): State<Arc<Shared>>, Sent(asked): Sent<NewGame>) -> Answer<StateJson> {
    let (line, count) = line_of(&asked)?;
    let (id, session) = shared.games.insert(GameSession::new(line))?;
    let mut state = state(&shared, &id, &session.line());
    state.games_in_text = (count > 1).then_some(count);
    Ok(Json(state))
}

/// The game as it stands.
#[utoipa::path(get, path = "/api/v1/games/{id}", params(("id" = String, Path)),
    responses((status = 200, body = StateJson)))]
pub(crate) async fn show(State(shared): State<Arc<Shared>>, Id(id): Id) -> Answer<StateJson> {
    let session = shared.games.get(&id)?;
    Ok(Json(state(&shared, &id, &session.line())))
}

/// Forgets a game.
#[utoipa::path(delete, path = "/api/v1/games/{id}", params(("id" = String, Path)),
    responses((status = 200, body = Stopped)))]
pub(crate) async fn forget(State(shared): State<Arc<Shared>>, Id(id): Id) -> Answer<Stopped> {
    let session = shared.games.remove(&id)?;
    Ok(Json(Stopped { stopped: session.stop() }))
}

/// Changes a game, and shows it.
fn change(shared: &Shared, id: &str, change: impl FnOnce(&mut Line) -> Result<(), Problem>) -> Answer<StateJson> {
    let session = shared.games.get(id)?;
    let mut line = session.line();
    let before = line.clone();
    change(&mut line)?;
    session.stop_other_than(&before, &line);
    Ok(Json(state(shared, id, &line)))
}

/// Plays a move; a pass that must be before it is inserted. An illegal one is refused with the reason, and nothing changes.
#[utoipa::path(post, path = "/api/v1/games/{id}/moves", params(("id" = String, Path)), request_body = NewMove,
    responses((status = 200, body = StateJson), (status = 409, body = ProblemJson)))]
pub(crate) async fn play(
    State(shared): State<Arc<Shared>>,
    Id(id): Id,
    Sent(asked): Sent<NewMove>,
) -> Answer<StateJson> {
    change(&shared, &id, |line| {
        line.expect(asked.ply)?;
        line.play_text(&asked.mv)
    })
}

/// Takes moves back; they can be played again until another move is played.
#[utoipa::path(post, path = "/api/v1/games/{id}/undo", params(("id" = String, Path)), request_body = Steps,
    responses((status = 200, body = StateJson), (status = 409, body = ProblemJson)))]
pub(crate) async fn undo(State(shared): State<Arc<Shared>>, Id(id): Id, Sent(steps): Sent<Steps>) -> Answer<StateJson> {
    change(&shared, &id, |line| {
        line.expect(steps.ply)?;
        line.undo(steps.count.unwrap_or(1))
    })
}

/// Plays moves again that were taken back, with the passes behind them; a pass that is next is played alone.
#[utoipa::path(post, path = "/api/v1/games/{id}/redo", params(("id" = String, Path)), request_body = Steps,
    responses((status = 200, body = StateJson), (status = 409, body = ProblemJson)))]
pub(crate) async fn redo(State(shared): State<Arc<Shared>>, Id(id): Id, Sent(steps): Sent<Steps>) -> Answer<StateJson> {
    change(&shared, &id, |line| {
        line.expect(steps.ply)?;
        line.redo(steps.count.unwrap_or(1))
    })
}

/// Goes to a place in the game.
#[utoipa::path(post, path = "/api/v1/games/{id}/goto", params(("id" = String, Path)), request_body = Place,
    responses((status = 200, body = StateJson)))]
pub(crate) async fn go_to(
    State(shared): State<Arc<Shared>>,
    Id(id): Id,
    Sent(place): Sent<Place>,
) -> Answer<StateJson> {
    change(&shared, &id, |line| line.go_to(place.ply))
}

/// Goes on with what a text holds; when it cannot be read nothing changes, and the answer says what is wrong and where.
#[utoipa::path(post, path = "/api/v1/games/{id}/text", params(("id" = String, Path)), request_body = NewText,
    responses((status = 200, body = StateJson)))]
pub(crate) async fn read_text(
    State(shared): State<Arc<Shared>>,
    Id(id): Id,
    Sent(asked): Sent<NewGame>,
) -> Answer<StateJson> {
    if asked.text.is_none() {
        return Err(text::nothing());
    }
    let (new, count) = line_of(&asked)?;
    let Json(mut state) = change(&shared, &id, |line| {
        *line = new;
        Ok(())
    })?;
    state.games_in_text = (count > 1).then_some(count);
    Ok(Json(state))
}

/// The game as a file.
#[utoipa::path(get, path = "/api/v1/games/{id}/save", params(("id" = String, Path), SaveQuestion),
    responses((status = 200, content_type = "text/plain", body = String)))]
pub(crate) async fn save(
    State(shared): State<Arc<Shared>>,
    Id(id): Id,
    Asked(asked): Asked<SaveQuestion>,
) -> Result<Response, Problem> {
    let session = shared.games.get(&id)?;
    let line = session.line();
    let mut record = line.record().clone();
    name_players(&mut record.players, [asked.first, asked.second]);
    let (name, format) = match asked.format {
        SaveFormat::Ggf => ("game.ggf", Some(FileKind::Ggf)),
        SaveFormat::Sgf => ("game.sgf", Some(FileKind::Sgf)),
        SaveFormat::Pgn => ("game.pgn", Some(FileKind::Pgn)),
        SaveFormat::Txt => ("game.txt", Some(FileKind::Text)),
        SaveFormat::Obf => ("position.obf", None),
    };
    let text = match format {
        Some(format) => games_to_text(&[record], format).map_err(|error| Problem::bad(error.to_string()))?,
        None => {
            let problem = obf::Problem::new(line.position().clone());
            rules_line(problem.position.rules()) + &obf::write(&problem) + "\n"
        }
    };
    let disposition = format!("attachment; filename=\"{name}\"");
    let headers = [(CONTENT_TYPE, "text/plain; charset=utf-8".to_string()), (CONTENT_DISPOSITION, disposition)];
    Ok((headers, text).into_response())
}

/// The name of the opening, and the moves that the book knows.
#[utoipa::path(get, path = "/api/v1/games/{id}/opening", params(("id" = String, Path)),
    responses((status = 200, body = OpeningJson)))]
pub(crate) async fn opening(State(shared): State<Arc<Shared>>, Id(id): Id) -> Answer<OpeningJson> {
    let session = shared.games.get(&id)?;
    let line = session.line();
    Ok(Json(OpeningJson::new(&line, shared.book.as_ref())))
}

/// How a question wants the engine to choose; `seed` makes this choice, and no other, differ from game to game.
fn choosing(shared: &Shared, asked: &EngineQuestion, seed: u64) -> Result<Choosing, Problem> {
    let variety = match asked.variety {
        Some(discs @ 0..=MOST_VARIETY) => Some(Variety { discs, seed, ..Variety::default() }),
        Some(discs) => return Err(unwanted(VARIETY, discs)),
        None => None,
    };
    let grade = match &asked.grade {
        Some(_) if asked.level.is_some() => return Err(Problem::bad("either a level or a grade")),
        Some(name) => Some(name.parse().map_err(|error: ParseGradeError| Problem::bad(error.to_string()))?),
        None => None,
    };
    let goal = match level(asked.level)? {
        None if asked.time.is_none() => Some(Goal::Level(Level::DEFAULT)),
        goal => goal,
    };
    let strength = Strength { goal, nodes: None, time: Some(time(asked.time, MOVE_TIME, shared.longest)?), grade };
    let book = shared.book.clone().filter(|_| !asked.no_book);
    Ok(Choosing { strength, book: book.map(|book| OpeningBook { seed, ..book }), variety, seed })
}

/// Lets the engine move. It is an error when the game goes elsewhere or is deleted meanwhile, which also ends the search; of two
/// requests for the same move the first to find one plays it, and the other one is an error.
#[utoipa::path(post, path = "/api/v1/games/{id}/engine", params(("id" = String, Path)), request_body = EngineQuestion,
    responses((status = 200, body = EngineJson), (status = 409, body = ProblemJson), (status = 429, body = ProblemJson)))]
pub(crate) async fn engine(
    State(shared): State<Arc<Shared>>,
    Id(id): Id,
    client: Option<Extension<Gone>>,
    Sent(asked): Sent<EngineQuestion>,
) -> Answer<EngineJson> {
    let session = shared.games.get(&id)?;
    let (out, mut choices) = unbounded_channel();
    let (game, ticket) = {
        let line = session.line();
        line.expect(asked.ply)?;
        let game = line.game();
        if game.position().is_game_over() {
            return Err(Problem::refused("the game is over"));
        }
        let choosing = choosing(&shared, &asked, line.seed.wrapping_add(line.ply() as u64))?;
        let job = choose(game.clone(), choosing, out);
        let ticket = shared.search(&id, (&session, &line), About::Move, job)?;
        (game, ticket)
    };
    // nothing comes when the search was a panic's
    let choice: Choice =
        choices.recv().await.ok_or_else(Problem::fault)?.map_err(|error| Problem::bad(error.to_string()))?;
    // somebody may have deleted it meanwhile
    let session = shared.games.get(&id)?;
    let mut line = session.line();
    // also when it has come back to the same place: the search has been cut short then
    if !session.follows(&ticket) {
        return Err(Problem::refused("the game has changed while the engine was thinking"));
    }
    if client.is_some_and(|Extension(client)| client.is_set()) {
        return Err(Problem::refused("nobody waits for the move any more"));
    }
    let before = line.clone();
    line.play(choice.mv)?;
    session.stop_other_than(&before, &line);
    let rules = game.position().rules();
    Ok(Json(EngineJson {
        mv: choice.mv.to_string(),
        shown: in_dialect(dialect(rules), rules.rows(), choice.mv).to_string(),
        source: choice.source.name(),
        report: choice.report.as_ref().map(|report| ReportJson::new(report, false)),
        game: state(&shared, &id, &line),
    }))
}

/// Stops what is searched for this game; its stream or answer ends with what has been found.
#[utoipa::path(post, path = "/api/v1/games/{id}/stop", params(("id" = String, Path)),
    responses((status = 200, body = Stopped)))]
pub(crate) async fn stop(State(shared): State<Arc<Shared>>, Id(id): Id) -> Answer<Stopped> {
    Ok(Json(Stopped { stopped: shared.games.get(&id)?.stop() }))
}

/// The position and game of a request without a session.
pub(super) fn game_of(asked: &NewGame) -> Result<Game, Problem> {
    Ok(line_of(asked)?.0.game())
}
