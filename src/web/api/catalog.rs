//! What there is to choose from.

use std::sync::Arc;

use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::{Answer, Json};
use crate::analysis::levels::{LevelJson, describe};
use crate::analysis::report::label::Label;
use crate::play::Grade;
use crate::rules::Position;
use crate::rules::presets::{PRESETS, SHEETS};
use crate::search::Level;
use crate::web::Shared;
use crate::web::pool::Load;
use crate::web::view::BoardJson;

/// A named rule set.
#[derive(Serialize, ToSchema)]
pub(crate) struct RulesJson {
    /// Its name.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// What is particular.
    pub details: &'static str,
    /// What was decided where the sheet says nothing.
    pub readings: Vec<&'static str>,
    /// What the sheet advises.
    pub advice: Vec<&'static str>,
    /// The game of a published sheet; the others are boards that players know.
    pub sheet: bool,
    /// Its board.
    pub board: BoardJson,
}

/// A level.
#[derive(Serialize, ToSchema)]
pub(crate) struct LevelEntry {
    /// What it means.
    #[serde(flatten)]
    pub level: LevelJson,
    /// The same in a sentence.
    pub text: String,
}

/// A name of a loss.
#[derive(Serialize, ToSchema)]
pub(crate) struct LossJson {
    /// The name.
    pub name: &'static str,
    /// The least loss in discs that has it.
    pub from_discs: u32,
}

/// How well a person plays.
#[derive(Serialize, ToSchema)]
pub(crate) struct GradeJson {
    /// The name that a question takes.
    pub name: &'static str,
    /// 1 (weakest) to 10.
    pub number: u8,
}

/// Levels, grades, and what losses are called in reviews.
#[derive(Serialize, ToSchema)]
pub(crate) struct LevelsJson {
    /// The playing levels.
    pub levels: Vec<LevelEntry>,
    /// The grades of people, the weakest first.
    pub grades: Vec<GradeJson>,
    /// The names of losses, the smallest first.
    pub losses: Vec<LossJson>,
}

/// What the server has to do.
#[derive(Serialize, ToSchema)]
pub(crate) struct LoadJson {
    /// The program's version.
    pub version: &'static str,
    /// Searches and games.
    #[serde(flatten)]
    pub load: Load,
}

/// The rule sets. A game takes one of these names, or one with changes as in `hungarian:6x6,parallel`.
#[utoipa::path(get, path = "/api/v1/rules", responses((status = 200, body = [RulesJson])))]
pub(crate) async fn rule_sets() -> Json<Vec<RulesJson>> {
    let one = |(i, preset): (usize, &'static crate::rules::presets::Preset)| RulesJson {
        name: preset.name,
        summary: preset.summary,
        details: preset.details,
        readings: preset.readings.to_vec(),
        advice: preset.advice.to_vec(),
        sheet: i < SHEETS,
        board: BoardJson::new(&Position::start(Arc::new(preset.rules()))),
    };
    Json(PRESETS.iter().enumerate().map(one).collect())
}

/// The playing levels, and the names of losses.
#[utoipa::path(get, path = "/api/v1/levels", responses((status = 200, body = LevelsJson)))]
pub(crate) async fn levels() -> Json<LevelsJson> {
    let levels = (0..=Level::MAX.get()).filter_map(Level::new);
    let losses = Label::NAMED.map(|one| LossJson { name: one.name(), from_discs: one.from_discs() });
    Json(LevelsJson {
        levels: levels.map(|level| LevelEntry { level: LevelJson::new(level), text: describe(level) }).collect(),
        grades: Grade::ALL.map(|grade| GradeJson { name: grade.name(), number: grade.number() }).into(),
        losses: losses.into(),
    })
}

/// What the server has to do.
#[utoipa::path(get, path = "/api/v1/load", responses((status = 200, body = LoadJson)))]
pub(crate) async fn load(State(shared): State<Arc<Shared>>) -> Answer<LoadJson> {
    let load = Load { games: shared.games.len() + shared.solitaires.len(), ..shared.pool.load() };
    Ok(Json(LoadJson { version: env!("CARGO_PKG_VERSION"), load }))
}
