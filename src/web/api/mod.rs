//! What lies under `/api/v1`: paths, and their description.

mod catalog;
mod games;
mod problems;
mod search;
mod solitaire;

use std::sync::Arc;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Serialize;
use utoipa::OpenApi;

use super::Shared;
use super::assets;
use super::error::Problem;
use super::guard;
use crate::analysis::json::GameJson;

/// An answer in JSON.
pub(crate) struct Json<T>(pub T);

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self.0) {
            Ok(body) => ([(CONTENT_TYPE, "application/json")], body).into_response(),
            Err(error) => {
                log::error!("an answer could not be written: {error}");
                Problem::fault().into_response()
            }
        }
    }
}

/// The answer of a handler.
pub(crate) type Answer<T> = Result<Json<T>, Problem>;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Outflank",
        description = "Games, analysis and reviews of Othello and its relatives. Squares are written a1 to p16 with row 1 at \
                       the top. Scores are discs for the side to move. Streams are server-sent events; when a search cannot be made \
                       or goes wrong, an event `error` with a ProblemJson ends them. Errors are objects with `error.message`, \
                       and `line` and `column` where a text is at fault; a path that takes another method answers 405, HEAD \
                       is taken where GET is. A game has one search at a time: another one ends it, only a move that the \
                       engine is looking for is looked for on. Searches end when the connection is closed: keep it open in \
                       both directions while you wait.",
    ),
    paths(
        catalog::rule_sets,
        catalog::levels,
        catalog::load,
        games::create,
        games::show,
        games::forget,
        games::play,
        games::undo,
        games::redo,
        games::go_to,
        games::read_text,
        games::save,
        games::opening,
        games::engine,
        games::stop,
        search::analysis,
        search::review,
        search::hint,
        search::solve,
        solitaire::create,
        solitaire::show,
        solitaire::forget,
        solitaire::turn,
        solitaire::undo,
        solitaire::hint,
    ),
    components(schemas(games::SaveFormat, GameJson))
)]
struct Description;

/// The description of the API for programs (`/api/v1/openapi.json`).
pub fn openapi() -> utoipa::openapi::OpenApi {
    problems::describe(Description::openapi())
}

/// All paths.
pub(crate) fn router(shared: Arc<Shared>) -> Router {
    let api = Router::new()
        .route("/openapi.json", get(|| async { Json(openapi()) }))
        .route("/rules", get(catalog::rule_sets))
        .route("/levels", get(catalog::levels))
        .route("/load", get(catalog::load))
        .route("/hint", post(search::hint))
        .route("/solve", post(search::solve))
        .route("/games", post(games::create))
        .route("/games/{id}", get(games::show).delete(games::forget))
        .route("/games/{id}/moves", post(games::play))
        .route("/games/{id}/undo", post(games::undo))
        .route("/games/{id}/redo", post(games::redo))
        .route("/games/{id}/goto", post(games::go_to))
        .route("/games/{id}/text", post(games::read_text))
        .route("/games/{id}/save", get(games::save))
        .route("/games/{id}/opening", get(games::opening))
        .route("/games/{id}/engine", post(games::engine))
        .route("/games/{id}/stop", post(games::stop))
        .route("/games/{id}/analysis", get(search::analysis))
        .route("/games/{id}/review", get(search::review))
        .route("/solitaires", post(solitaire::create))
        .route("/solitaires/{id}", get(solitaire::show).delete(solitaire::forget))
        .route("/solitaires/{id}/turns", post(solitaire::turn))
        .route("/solitaires/{id}/undo", post(solitaire::undo))
        .route("/solitaires/{id}/hint", post(solitaire::hint));
    Router::new()
        .nest("/api/v1", api)
        .merge(assets::router())
        .fallback(|| async { Problem::absent("there is no such page") })
        .method_not_allowed_fallback(|| async { Problem::method() })
        .layer(from_fn_with_state(shared.clone(), guard::watch))
        .with_state(shared)
}
