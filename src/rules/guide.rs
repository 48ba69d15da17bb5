//! The rule sets, a chapter each, with an example game and every reading of an unclear sheet; and what has been solved.
//!
//! The chapters follow the published sheets; `outflank rules` prints their essence. All of them are combinations of the
//! dimensions of [`RuleSet`](super::RuleSet), so that any other combination can be played as well.

#[doc = include_str!("othello.md")]
pub mod othello {}

#[doc = include_str!("reveris.md")]
pub mod reveris {}

#[doc = include_str!("ravensburger.md")]
pub mod ravensburger {}

#[doc = include_str!("traveller.md")]
pub mod traveller {}

#[doc = include_str!("hungarian.md")]
pub mod hungarian {}

#[doc = include_str!("reversi.md")]
pub mod reversi {}

#[doc = include_str!("boards.md")]
pub mod boards {}

#[doc = include_str!("sentences.md")]
pub mod sentences {}

#[doc = include_str!("results.md")]
pub mod results {}
