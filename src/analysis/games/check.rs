//! What is wrong or strange about a recorded game that can be read.

use std::fmt;

use crate::formats::quantity::plural;
use crate::formats::record::{Ending, GameRecord};
use crate::rules::Color;

/// Something about a record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// The game is played to its end, and the recorded score is not that of the last position (empty squares counted for the
    /// winner, or discs alone).
    WrongScore {
        /// Black's score as recorded.
        recorded: f64,
        /// Black's score on the board.
        actual: i32,
    },
    /// The game is played to its end, and somebody else has won than the record says.
    WrongWinner,
    /// Moves are missing: the game could go on, and nobody resigned or ran out of time.
    Unfinished {
        /// Empty squares at the end.
        empties: u32,
    },
}

impl Fault {
    /// The record is wrong; otherwise it is only incomplete.
    pub fn is_wrong(&self) -> bool {
        !matches!(self, Fault::Unfinished { .. })
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::WrongScore { recorded, actual } => {
                write!(f, "the recorded score is {recorded:+}, that of the last position {actual:+}")
            }
            Fault::WrongWinner => f.write_str("the recorded winner is not the winner of the last position"),
            Fault::Unfinished { empties } => {
                write!(f, "unfinished: there are moves and {}", plural((*empties).into(), "empty square"))
            }
        }
    }
}

/// What is wrong or strange about a game.
pub fn faults(record: &GameRecord) -> Vec<Fault> {
    let position = record.game.position();
    if !position.is_game_over() {
        let ended = record.result.is_some_and(|result| result.ending != Ending::Played);
        let unfinished = Fault::Unfinished { empties: position.empty_count() };
        return if ended { Vec::new() } else { vec![unfinished] };
    }
    let Some(result) = record.result else { return Vec::new() };
    if result.ending != Ending::Played {
        // time can run out after the last move
        return Vec::new();
    }
    let mut faults = Vec::new();
    let [with_empties, discs_only] = [false, true].map(|discs_only| position.final_score(discs_only));
    if let Some(recorded) = result.score
        && recorded != f64::from(with_empties)
        && recorded != f64::from(discs_only)
    {
        faults.push(Fault::WrongScore { recorded, actual: with_empties });
    }
    let actual: Option<Color> = position.winner();
    if result.winner != actual {
        faults.push(Fault::WrongWinner);
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::record::GameResult;
    use crate::formats::transcript;
    use crate::rules::Position;

    /// A wipe-out in nine moves.
    const SHORTEST: &str = "e6f4e3f6g5d6e7f5c5";

    fn record(moves: &str, score: f64, ending: Ending) -> GameRecord {
        let game = transcript::parse(&Position::default(), moves).unwrap();
        GameRecord { result: Some(GameResult::from_score(score, ending)), ..GameRecord::new(game) }
    }

    #[test]
    fn faults_of_finished_and_unfinished_games() {
        assert_eq!(faults(&record(SHORTEST, 64.0, Ending::Played)), []);
        assert_eq!(faults(&record(SHORTEST, 13.0, Ending::Played)), [], "discs alone");
        let wrong = faults(&record(SHORTEST, -2.0, Ending::Played));
        assert_eq!(wrong, [Fault::WrongScore { recorded: -2.0, actual: 64 }, Fault::WrongWinner]);
        assert!(wrong.iter().all(Fault::is_wrong));
        assert_eq!(faults(&record(SHORTEST, -64.0, Ending::Time)), []);
        let unfinished = faults(&record("f5d6", 2.0, Ending::Played));
        assert_eq!(unfinished, [Fault::Unfinished { empties: 58 }]);
        assert!(!unfinished[0].is_wrong());
        assert_eq!(Fault::Unfinished { empties: 1 }.to_string(), "unfinished: there are moves and 1 empty square");
        assert_eq!(faults(&record("f5d6", 64.0, Ending::Resignation)), []);
    }
}
