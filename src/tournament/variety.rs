//! How many different games a match can have.

use std::collections::HashSet;

use super::runner::Plan;
use super::spec::{PlayerContext, PlayerKind, PlayerSpec};
use crate::play::clock::TimeControl;

/// What is known, before a match begins, of games that will be the same. A repeated game says nothing new and does not
/// count ([`Statistics`](super::Statistics)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variety {
    /// There is an opening for each pair, or a player that varies by itself.
    Enough,
    /// Fewer openings than pairs, and players that repeat themselves as far as anybody knows: programs, clocks, threads.
    Doubtful {
        /// Different openings.
        openings: usize,
    },
    /// Fewer openings than pairs, and players that always play the same: there are so many different games, no more.
    Limited {
        /// Different openings; each gives two games.
        openings: usize,
    },
}

impl Variety {
    /// That of a match.
    pub fn of(plan: &Plan) -> Variety {
        let openings = plan.openings.iter().collect::<HashSet<_>>().len();
        if openings == plan.openings.len() || plan.players.iter().any(varies) {
            Variety::Enough
        } else if plan.players.iter().all(|spec| always_plays_the_same(spec, &plan.context)) {
            Variety::Limited { openings }
        } else {
            Variety::Doubtful { openings }
        }
    }
}

/// The player's answer depends on the seed of the game too.
fn varies(spec: &PlayerSpec) -> bool {
    match &spec.kind {
        PlayerKind::Engine(config) => {
            let by_book = config.book.is_some() && config.choosing.variety > 0;
            config.variety.is_some() || config.grade.is_some() || by_book
        }
        PlayerKind::Simple(_) => true,
        PlayerKind::External(_) => false,
    }
}

/// The player's answer depends on the position only.
fn always_plays_the_same(spec: &PlayerSpec, context: &PlayerContext) -> bool {
    match &spec.kind {
        PlayerKind::Engine(config) => {
            config.options.threads == 1 && config.time.is_none() && context.control == TimeControl::None
        }
        PlayerKind::Simple(_) | PlayerKind::External(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Position;
    use crate::search::StopToken;
    use crate::tournament::{Referee, random_openings};
    use std::time::Duration;

    #[test]
    fn what_can_repeat() {
        let variety = |first: &str, second: &str, plies: usize, control: TimeControl| {
            let start = Position::default();
            let openings = random_openings(start.rules(), plies, 10, 1).unwrap();
            let patience = Duration::from_secs(1);
            let context = PlayerContext { stop: StopToken::new(), goal: None, nodes: None, control, patience };
            let referee = Referee { start, control, grace: Duration::ZERO, patience };
            let players = [first, second].map(|text| text.parse().unwrap());
            Variety::of(&Plan { players, context, referee, openings, jobs: 1, sprt: None, seed: 1 })
        };
        let none = TimeControl::None;
        let (one, four) = (Variety::Limited { openings: 1 }, Variety::Limited { openings: 4 });
        assert_eq!(variety("outflank,level=1", "outflank", 8, none), Variety::Enough);
        assert_eq!(variety("outflank,level=1", "outflank", 0, none), one);
        assert_eq!(variety("outflank,level=1", "outflank,nodes=9", 1, none), four);
        for other in ["random", "outflank,variety=1", "outflank,grade=novice", "outflank,book=on"] {
            assert_eq!(variety("outflank", other, 0, none), Variety::Enough, "{other}");
        }
        assert_eq!(variety("outflank", "outflank,book=on,book-variety=0", 0, none), one);
        let doubtful = Variety::Doubtful { openings: 1 };
        assert_eq!(variety("outflank", "gtp:x", 0, none), doubtful);
        assert_eq!(variety("outflank", "outflank,threads=2", 0, none), doubtful);
        assert_eq!(variety("outflank", "outflank,time=1", 0, none), doubtful);
        assert_eq!(variety("outflank", "outflank", 0, TimeControl::PerMove(Duration::from_secs(1))), doubtful);
    }
}
