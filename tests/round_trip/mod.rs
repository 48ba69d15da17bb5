//! Records that are written in other formats and read again.

use std::sync::Arc;

use outflank::formats::stream::{FileKind, GameStream};
use outflank::formats::{GameRecord, files};
use outflank::rules::RuleSet;

/// Games of WTHOR have all that they had after they were GGF, SGF or PGN.
pub fn games_survive_other_formats(records: &[GameRecord]) {
    let rules = Arc::new(RuleSet::othello());
    for format in [FileKind::Ggf, FileKind::Sgf, FileKind::Pgn] {
        let text = files::games_to_text(records, format).unwrap();
        let again = GameStream::from_text(text, "text", None, &rules);
        let again: Vec<GameRecord> = again.map(|record| record.unwrap()).collect();
        assert_eq!(again.len(), records.len());
        for (again, record) in again.into_iter().zip(records) {
            assert_eq!((&again.game, again.result), (&record.game, record.result));
            assert_eq!(again.players, record.players);
            assert_eq!((&again.date, &again.comment), (&record.date, &record.comment));
            // GGF has an event where it has no place
            assert_eq!(again.event.or(again.place), record.event);
        }
    }
}
