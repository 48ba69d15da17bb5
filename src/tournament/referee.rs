//! One game: the referee holds the board and the clocks and trusts neither player.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::openings::Opening;
use super::player::{Allowance, Choice, Failure, FailureKind, GameSetup, Player, PlayerError};
use super::record::{Ending, GameRecord, MoveRecord};
use crate::formats::quantity::plural;
use crate::game::Game;
use crate::play::clock::{RunningClock, TimeControl};
use crate::rules::{Color, Move, Position};

/// How long after its time is up a player is waited for, so that a late answer is a time loss and not a hang.
const LATENESS: Duration = Duration::from_secs(2);

/// Scores beyond this are no discs, whatever else a program may mean by them; they are not recorded.
const SCORE_LIMIT: f64 = 1e6;

/// The conditions of a game.
#[derive(Clone, Debug)]
pub struct Referee {
    /// The start position, before the opening.
    pub start: Position,
    /// The time control.
    pub control: TimeControl,
    /// Tolerated beyond the clock, for pipes and schedulers.
    pub grace: Duration,
    /// Without a clock: how long to wait for a move before the player counts as hanging.
    pub patience: Duration,
}

/// Which game of the match this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameNumber {
    /// The pair, from 0.
    pub pair: usize,
    /// 0 or 1.
    pub leg: u8,
    /// For players that choose at random.
    pub seed: u64,
}

/// A game on the way.
struct Play<'a, 'p> {
    referee: &'a Referee,
    players: [&'a mut (dyn Player + 'p); 2],
    clocks: [RunningClock; 2],
    game: Game,
    record: Vec<MoveRecord>,
}

/// A player's failure with its colour, or what stops the match.
enum Stop {
    Loss(Color, Failure),
    Match(PlayerError),
}

/// Plays one game between `[black, white]` from an opening.
///
/// # Errors
/// [`PlayerError::Stopped`] and [`PlayerError::Start`]; failures are losses, not errors.
pub fn play_game(
    referee: &Referee,
    players: [&mut dyn Player; 2],
    opening: &Opening,
    number: GameNumber,
) -> Result<GameRecord, PlayerError> {
    let names = players.each_ref().map(|player| player.name().to_string());
    let mut play = Play {
        referee,
        players,
        clocks: [RunningClock::new(referee.control); 2],
        game: Game::from_position(referee.start.clone()),
        record: Vec::new(),
    };
    let ending = match play.begin(opening, number.seed).and_then(|()| play.play_out()) {
        Ok(()) => Ending::Board,
        Err(Stop::Match(error)) => return Err(error),
        Err(Stop::Loss(loser, failure)) => Ending::Forfeit { loser, kind: failure.kind, detail: failure.detail },
    };
    let position = play.game.position();
    let (winner, score) = match &ending {
        Ending::Board => (position.winner(), Some(position.final_score(false))),
        Ending::Forfeit { loser, .. } => (Some(!*loser), None),
    };
    let [black, white] = names;
    Ok(GameRecord {
        pair: number.pair,
        leg: number.leg,
        black,
        white,
        ended_at: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()),
        opening_plies: opening.len(),
        moves: play.record,
        winner,
        score,
        ending,
    })
}

impl Play<'_, '_> {
    /// Blames a player for its error.
    fn blame<T>(color: Color, result: Result<T, PlayerError>) -> Result<T, Stop> {
        result.map_err(|error| match error {
            PlayerError::Failure(failure) => Stop::Loss(color, failure),
            other => Stop::Match(other),
        })
    }

    /// Sets the players up and plays the opening.
    fn begin(&mut self, opening: &Opening, seed: u64) -> Result<(), Stop> {
        for &mv in opening {
            let side = self.game.position().side_to_move();
            self.game.play(mv).map_err(|error| Stop::Match(PlayerError::Start(format!("opening: {error}"))))?;
            self.note(side, mv);
        }
        for color in [Color::Black, Color::White] {
            let setup = GameSetup {
                start: &self.referee.start,
                opening,
                color,
                control: self.referee.control,
                seed: seed.wrapping_add(color.index() as u64),
            };
            Self::blame(color, self.players[color.index()].start_game(&setup))?;
        }
        Ok(())
    }

    fn play_out(&mut self) -> Result<(), Stop> {
        loop {
            let position = self.game.position().clone();
            if position.is_game_over() {
                return Ok(());
            }
            let side = position.side_to_move();
            let mv = if position.must_pass() {
                self.game.play(Move::Pass).expect("the rules force a pass");
                self.note(side, Move::Pass);
                Move::Pass
            } else {
                self.ask(side)?
            };
            // after the last move nothing is left to tell
            if self.game.position().is_game_over() {
                return Ok(());
            }
            for color in [Color::Black, Color::White] {
                let start = Instant::now();
                let observed = self.players[color.index()].observe(&position, mv, color == side);
                Self::blame(color, observed)?;
                self.charge(color, start.elapsed())?;
            }
        }
    }

    /// What a player takes to hear of a move is on its clock as far as it is more than tolerated: it may be thinking.
    fn charge(&mut self, color: Color, used: Duration) -> Result<(), Stop> {
        let clock = &mut self.clocks[color.index()];
        let (Some(charged), Some(limit)) = (used.checked_sub(self.referee.grace), clock.limit()) else { return Ok(()) };
        if charged > limit {
            let detail = format!("used {:.3} s of {:.3} s to hear of a move", used.as_secs_f64(), limit.as_secs_f64());
            return Err(Stop::Loss(color, Failure::new(FailureKind::Time, detail)));
        }
        clock.run(charged);
        Ok(())
    }

    /// Gets a move from a player, charges its clock and plays the move.
    fn ask(&mut self, side: Color) -> Result<Move, Stop> {
        let clock = &mut self.clocks[side.index()];
        let limit = clock.limit();
        let allowance = Allowance {
            clock: *clock,
            patience: limit.map_or(self.referee.patience, |limit| limit + self.referee.grace + LATENESS),
        };
        let start = Instant::now();
        let chosen = self.players[side.index()].choose(&self.game, &allowance);
        let used = start.elapsed();
        let choice = Self::blame(side, chosen)?;
        if let Some(limit) = limit
            && used > limit + self.referee.grace
        {
            let detail = format!("used {:.3} s of {:.3} s", used.as_secs_f64(), limit.as_secs_f64());
            return Err(Stop::Loss(side, Failure::new(FailureKind::Time, detail)));
        }
        clock.spend(used);
        self.game.play(choice.mv).map_err(|error| {
            let moves = plural(self.record.len() as u64, "move");
            let detail = format!("{error} for {} after {moves}", side.name());
            Stop::Loss(side, Failure::new(FailureKind::Illegal, detail))
        })?;
        self.note(side, choice.mv);
        self.remark(&choice, used);
        Ok(choice.mv)
    }

    fn note(&mut self, side: Color, mv: Move) {
        let mv = mv.to_string();
        self.record.push(MoveRecord { side, mv, seconds: None, score: None, depth: None, nodes: None });
    }

    fn remark(&mut self, choice: &Choice, used: Duration) {
        if let Some(last) = self.record.last_mut() {
            // microseconds are enough, and so few digits are read back as they were written
            let short = |value: f64| (value * 1e6).round() / 1e6;
            last.seconds = Some(short(used.as_secs_f64()));
            last.score = choice.score.filter(|score| score.abs() <= SCORE_LIMIT).map(short);
            (last.depth, last.nodes) = (choice.depth, choice.nodes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays one move, or else the first legal one, after a pause, and writes down what it is told.
    #[derive(Default)]
    struct Recorder {
        pause: Duration,
        mv: Option<Move>,
        score: Option<f64>,
        seeds: Vec<u64>,
        controls: Vec<TimeControl>,
        limits: Vec<Option<Duration>>,
        /// Positions of observed moves, the move, and whether it was its own.
        observed: Vec<(Position, Move, bool)>,
    }

    impl Player for Recorder {
        fn name(&self) -> &str {
            "recorder"
        }

        fn start_game(&mut self, setup: &GameSetup<'_>) -> Result<(), PlayerError> {
            self.seeds.push(setup.seed);
            self.controls.push(setup.control);
            Ok(())
        }

        fn choose(&mut self, game: &Game, allowance: &Allowance) -> Result<Choice, PlayerError> {
            self.limits.push(allowance.clock.limit());
            std::thread::sleep(self.pause);
            let mv = self.mv.unwrap_or_else(|| game.position().legal_moves()[0]);
            Ok(Choice { score: self.score, ..Choice::from(mv) })
        }

        fn observe(&mut self, before: &Position, mv: Move, own: bool) -> Result<(), PlayerError> {
            self.observed.push((before.clone(), mv, own));
            Ok(())
        }
    }

    fn play(control: TimeControl, players: [&mut Recorder; 2]) -> GameRecord {
        let (grace, patience) = (Duration::from_millis(20), Duration::from_secs(9));
        let referee = Referee { start: Position::default(), control, grace, patience };
        let [black, white] = players;
        play_game(&referee, [black, white], &Vec::new(), GameNumber { pair: 0, leg: 0, seed: 5 }).unwrap()
    }

    #[test]
    fn an_illegal_move_loses() {
        let mut stubborn =
            Recorder { mv: Some("d4".parse::<crate::board::Square>().unwrap().into()), ..Recorder::default() };
        let record = play(TimeControl::None, [&mut Recorder::default(), &mut stubborn]);
        let Ending::Forfeit { loser: Color::White, kind: FailureKind::Illegal, detail } = record.ending else {
            panic!("{:?}", record.ending)
        };
        assert_eq!(detail, "illegal move d4 for white after 1 move");
    }

    /// Both are told every move but the last one, in order, and whose it was; and they choose by different numbers.
    #[test]
    fn what_players_are_told() {
        let (mut black, mut white) = (Recorder::default(), Recorder::default());
        let record = play("60+1".parse().unwrap(), [&mut black, &mut white]);
        assert_eq!(record.ending, Ending::Board);
        let end = record.replay(&Position::default()).unwrap();
        assert_eq!((record.winner, record.score), (end.position().winner(), Some(end.position().final_score(false))));
        for (player, color) in [(&black, Color::Black), (&white, Color::White)] {
            assert_eq!(player.observed.len(), record.moves.len() - 1);
            for ((before, mv, own), played) in player.observed.iter().zip(&record.moves) {
                assert_eq!((before.side_to_move(), mv.to_string()), (played.side, played.mv.clone()));
                assert_eq!(*own, played.side == color);
            }
            assert_eq!(player.controls, ["60+1".parse().unwrap()]);
        }
        assert_ne!(black.seeds, white.seeds);
    }

    /// A clock runs down over the moves of its player, and only of its player.
    #[test]
    fn clocks_run_down() {
        let mut slow = Recorder { pause: Duration::from_millis(60), ..Recorder::default() };
        let mut fast = Recorder::default();
        let record = play("0.5".parse().unwrap(), [&mut slow, &mut fast]);
        let Ending::Forfeit { loser, kind, .. } = record.ending else { panic!("played out in 1.8 s of 0.5 s") };
        assert_eq!(
            (loser, kind, record.winner, record.score),
            (Color::Black, FailureKind::Time, Some(Color::White), None)
        );
        assert!((4..10).contains(&slow.limits.len()), "{:?}", slow.limits);
        assert!(slow.limits.is_sorted_by(|a, b| a > b), "{:?}", slow.limits);
        assert!(fast.limits.iter().all(|limit| limit.unwrap() > Duration::from_millis(300)), "{:?}", fast.limits);
    }

    #[test]
    fn scores_that_are_no_discs_are_not_recorded() {
        for (said, recorded) in
            [(Some(1.234_567_89), Some(1.234_568)), (Some(-1e6), Some(-1e6)), (Some(1e300), None), (None, None)]
        {
            let mut players = [said, said].map(|score| Recorder { score, ..Recorder::default() });
            let [black, white] = &mut players;
            let record = play(TimeControl::None, [black, white]);
            let asked = record.moves.iter().filter(|played| played.seconds.is_some());
            assert!(asked.into_iter().all(|played| played.score == recorded), "{said:?}");
        }
    }
}
