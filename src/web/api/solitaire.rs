//! The solitaire.

use std::sync::Arc;

use axum::extract::State;
use serde::Deserialize;
use tokio::sync::mpsc::unbounded_channel;
use utoipa::ToSchema;

use super::games::Stopped;
use super::{Answer, Json};
use crate::solo::{Budget, Layout, Layouts, Scoring};
use crate::web::Shared;
use crate::web::error::{Problem, ProblemJson};
use crate::web::intake::{Id, Sent};
use crate::web::jobs::advise;
use crate::web::solitaires::{AdviceJson, Solitaire, SolitaireJson};

/// A deal.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct NewSolitaire {
    /// The same seed, the same chips; another one each time if nothing is said.
    pub seed: Option<u64>,
    /// `lattice` (if nothing is said), `ring`, `random`, or 24 squares.
    pub layout: Option<String>,
    /// `count` (chips won, if nothing is said) or `points`.
    pub scoring: Option<String>,
}

/// A turn.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewTurn {
    /// `d3g` puts a disc on d3 with its gold side up, `d3b` with the black one.
    #[schema(example = "d3g")]
    pub turn: String,
}

/// Deals a solitaire.
#[utoipa::path(post, operation_id = "create_solitaire", path = "/api/v1/solitaires", request_body = NewSolitaire,
    responses((status = 200, body = SolitaireJson), (status = 429, body = ProblemJson)))]
pub(crate) async fn create(
    State(shared): State<Arc<Shared>>,
    Sent(asked): Sent<NewSolitaire>,
) -> Answer<SolitaireJson> {
    let layouts = match asked.layout.as_deref().unwrap_or("lattice").trim() {
        "random" => Layouts::Random,
        text => {
            let layout = text.parse::<Layout>();
            Layouts::Fixed(layout.map_err(|error| Problem::bad(format!("layout: {error}")))?)
        }
    };
    let scoring = Scoring::from_name(asked.scoring.as_deref().unwrap_or("count"));
    let scoring = scoring.ok_or_else(|| Problem::bad("scoring: the scorings are count and points"))?;
    // short enough to be written down
    let seed = asked.seed.unwrap_or_else(|| rand::random::<u64>() % 1_000_000);
    let (id, session) = shared.solitaires.insert(Solitaire::new(layouts, seed, scoring))?;
    Ok(Json(SolitaireJson::new(&id, &session.record())))
}

/// What the player sees.
#[utoipa::path(get, operation_id = "show_solitaire", path = "/api/v1/solitaires/{id}", params(("id" = String, Path)),
    responses((status = 200, body = SolitaireJson)))]
pub(crate) async fn show(State(shared): State<Arc<Shared>>, Id(id): Id) -> Answer<SolitaireJson> {
    let session = shared.solitaires.get(&id)?;
    Ok(Json(SolitaireJson::new(&id, &session.record())))
}

/// Forgets a solitaire.
#[utoipa::path(delete, operation_id = "forget_solitaire", path = "/api/v1/solitaires/{id}", params(("id" = String, Path)),
    responses((status = 200, body = Stopped)))]
pub(crate) async fn forget(State(shared): State<Arc<Shared>>, Id(id): Id) -> Answer<Stopped> {
    shared.solitaires.remove(&id)?;
    Ok(Json(Stopped { stopped: false }))
}

/// Plays a turn.
#[utoipa::path(post, path = "/api/v1/solitaires/{id}/turns", params(("id" = String, Path)), request_body = NewTurn,
    responses((status = 200, body = SolitaireJson), (status = 409, body = ProblemJson)))]
pub(crate) async fn turn(
    State(shared): State<Arc<Shared>>,
    Id(id): Id,
    Sent(asked): Sent<NewTurn>,
) -> Answer<SolitaireJson> {
    let session = shared.solitaires.get(&id)?;
    session.play(&asked.turn)?;
    Ok(Json(SolitaireJson::new(&id, &session.record())))
}

/// Takes the last turn back, which counts.
#[utoipa::path(post, operation_id = "undo_solitaire", path = "/api/v1/solitaires/{id}/undo", params(("id" = String, Path)),
    responses((status = 200, body = SolitaireJson), (status = 409, body = ProblemJson)))]
pub(crate) async fn undo(State(shared): State<Arc<Shared>>, Id(id): Id) -> Answer<SolitaireJson> {
    let session = shared.solitaires.get(&id)?;
    session.undo()?;
    Ok(Json(SolitaireJson::new(&id, &session.record())))
}

/// The advisor's best turns; it sees what the player sees. It is an error when a turn is played or taken back meanwhile.
#[utoipa::path(post, operation_id = "hint_solitaire", path = "/api/v1/solitaires/{id}/hint", params(("id" = String, Path)),
    responses((status = 200, body = AdviceJson), (status = 409, body = ProblemJson), (status = 429, body = ProblemJson)))]
pub(crate) async fn hint(State(shared): State<Arc<Shared>>, Id(id): Id) -> Answer<AdviceJson> {
    let session = shared.solitaires.get(&id)?;
    let (view, scoring) = {
        let record = session.record();
        (*record.game.view(), record.scoring)
    };
    let (out, mut advice) = unbounded_channel();
    let _ticket = shared.pool.submit(false, advise(view, scoring, Budget::default(), out))?;
    let advice = advice.recv().await.ok_or_else(Problem::fault)?;
    let advice = advice.ok_or_else(|| Problem::refused("the game is over"))?;
    let mut record = session.record();
    if *record.game.view() != view {
        return Err(Problem::refused("the game has changed while the advisor was at it"));
    }
    record.game.help.hints += 1;
    Ok(Json(AdviceJson::from(advice)))
}
