//! A player and what it is told: the game, its clocks, its book, how hard it thinks.

mod choosing;
mod pondering;
mod work;

use std::sync::Arc;
use std::time::Duration;

use rand::SeedableRng;
use rand::rngs::StdRng;

use self::pondering::Pondering;
use self::work::Done;
use super::background::Background;
use super::book::{HeldBook, OpeningBook};
use super::choice::Variety;
use super::clock::{Clocks, Overhead, RunningClock, TimeControl};
use super::grade::Grade;
use super::strength::Strength;
use crate::book::Nodes;
use crate::book::probe::has_book;
use crate::engine::Engine;
use crate::game::Game;
use crate::rules::{Color, IllegalMove, Move, Position};
use crate::search::{Goal, Level, Limits, StopToken, Time};

pub use choosing::OnReport;
pub use pondering::PonderCounts;

/// What a player is made with.
#[derive(Clone, Debug)]
pub struct PlayerOptions {
    /// How hard it thinks.
    pub strength: Strength,
    /// What is kept back of the time on its clock.
    pub overhead: Overhead,
    /// It thinks on the opponent's time.
    pub ponder: bool,
    /// Games differ; `None`: always the best move found.
    pub variety: Option<Variety>,
    /// The seed of a grade's errors, where there is no variety with a seed of its own.
    pub seed: u64,
    /// Stops the search of a [`Player::choose`] from elsewhere; its end ([`StopToken::end`]) is that of all searches.
    pub stop: StopToken,
}

impl Default for PlayerOptions {
    fn default() -> PlayerOptions {
        PlayerOptions {
            strength: Strength::default(),
            overhead: Overhead::PIPE,
            ponder: false,
            variety: None,
            seed: 0,
            stop: StopToken::new(),
        }
    }
}

/// A player: a game, clocks, an engine that searches here or in the background, and a book.
///
/// Front ends tell it what happens ([`Player::play`], [`Player::set_game`], clocks) and ask for moves
/// ([`Player::choose`], or [`Player::start`] to go on reading meanwhile).
#[derive(Debug)]
pub struct Player {
    game: Game,
    background: Background<Done>,
    options: PlayerOptions,
    clocks: Clocks,
    book: HeldBook,
    pondering: Option<Pondering>,
    /// The reply expected to the last move chosen, and the position it is expected in.
    expected: Option<(Position, Move)>,
    counts: PonderCounts,
    random: StdRng,
}

impl Player {
    /// A player of this game, on its last position: without a clock ([`Player::set_time_control`]) and without a book
    /// ([`Player::set_book`]).
    pub fn new(engine: Engine, game: Game, options: PlayerOptions) -> Player {
        let random = StdRng::seed_from_u64(options.variety.map_or(options.seed, |variety| variety.seed));
        Player {
            game,
            background: Background::new(engine, &options.stop),
            options,
            clocks: Clocks::default(),
            book: HeldBook::default(),
            pondering: None,
            expected: None,
            counts: PonderCounts::default(),
            random,
        }
    }

    /// The game as it stands.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The present position.
    pub fn position(&self) -> &Position {
        self.game.position()
    }

    /// The options in force.
    pub fn options(&self) -> &PlayerOptions {
        &self.options
    }

    /// How hard the player thinks.
    pub fn strength(&self) -> &Strength {
        &self.options.strength
    }

    /// Makes it think harder or less hard from the next move on.
    pub fn set_strength(&mut self, strength: Strength) {
        self.stop_pondering();
        self.options.strength = strength;
    }

    /// Lets it think on the opponent's time, or not.
    pub fn set_ponder(&mut self, ponder: bool) {
        self.options.ponder = ponder;
        if !ponder {
            self.stop_pondering();
        }
    }

    /// Makes games differ, or not.
    pub fn set_variety(&mut self, variety: Option<Variety>) {
        self.random = StdRng::seed_from_u64(variety.map_or(self.options.seed, |variety| variety.seed));
        self.options.variety = variety;
    }

    /// The choices from now on, of variety and of a grade's errors, follow from this seed.
    pub fn set_seed(&mut self, seed: u64) {
        self.random = StdRng::seed_from_u64(seed);
    }

    /// Plays from this book, or from none.
    pub fn set_book(&mut self, book: Option<OpeningBook>) {
        self.book.set(book);
    }

    /// What the book knows now, when it has been changed; its choices go on. Without a book there is none afterwards.
    pub fn renew_book(&mut self, nodes: Arc<dyn Nodes>) {
        self.book.renew(nodes);
    }

    /// The book, whether it is asked or not.
    pub fn book(&self) -> Option<&OpeningBook> {
        self.book.get()
    }

    /// Asks the book for moves, or leaves it closed.
    pub fn use_book(&mut self, on: bool) {
        self.book.is_open = on;
    }

    /// The book has not been closed, whether or not the present game and level let it be asked.
    pub fn uses_book(&self) -> bool {
        self.book.is_open && self.book.get().is_some()
    }

    /// The book that is asked for moves in the present game: there is one, it is open, the rules have books, and the level is
    /// not the lowest.
    pub fn open_book(&self) -> Option<&OpeningBook> {
        let Strength { goal, grade, .. } = self.options.strength;
        let thinks = grade.map_or(goal != Level::new(0).map(Goal::Level), Grade::knows_openings);
        let asked = self.book.is_open && thinks && has_book(self.position().rules());
        self.book.get().filter(|_| asked)
    }

    /// Stops the search of [`Player::choose`] from another thread. It stays set: reset it before the next request.
    pub fn stop_token(&self) -> StopToken {
        self.options.stop.clone()
    }

    /// The engine at rest: whatever it is doing is stopped.
    pub fn engine(&mut self) -> &mut Engine {
        self.stop();
        self.background.engine()
    }

    /// Forgets what searches have learned.
    pub fn forget(&mut self) {
        self.engine().clear();
    }

    // ---- the game

    /// Plays a move, inserting the pass before it when the side to move is stuck.
    ///
    /// # Errors
    /// [`IllegalMove`] when it is not legal either way; the game is unchanged.
    pub fn play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        self.game.play_passing(mv)?;
        self.settle();
        Ok(())
    }

    /// Takes the last move back; `None` at the start.
    pub fn undo(&mut self) -> Option<Move> {
        let mv = self.game.undo();
        self.settle();
        mv
    }

    /// Goes on with another game, or with this one after a change; clocks run on.
    pub fn set_game(&mut self, game: Game) {
        self.game = game;
        self.settle();
    }

    /// Begins a game: clocks are at their start, and what a clock must not pay for is set up if there is one.
    pub fn start_game(&mut self, game: Game) {
        self.set_game(game);
        self.clocks.restart();
        self.prepare_for_clock();
    }

    // ---- clocks

    /// The clocks of both sides.
    pub fn clocks(&self) -> &Clocks {
        &self.clocks
    }

    /// Sets the time control: both clocks start anew.
    pub fn set_time_control(&mut self, control: TimeControl) {
        self.clocks = Clocks::new(control);
        self.prepare_for_clock();
    }

    /// What a side has left, as a client reports it; `moves` is 0 in main time.
    pub fn set_time_left(&mut self, side: Color, remaining: Duration, moves: u32) {
        self.clocks.set(side, remaining, moves);
        self.prepare_for_clock();
    }

    /// Somebody else keeps a side's clock: this is how it stands.
    pub fn set_clock(&mut self, side: Color, clock: RunningClock) {
        self.clocks.put(side, clock);
    }

    /// Charges a side for a move.
    pub fn spend(&mut self, side: Color, used: Duration) {
        self.clocks.spend(side, used);
    }

    /// A clock does not run yet when it is set: making tables now keeps that off the first move's time.
    fn prepare_for_clock(&mut self) {
        self.settle_clock();
        let side = self.position().side_to_move();
        if self.clocks.is_running(side) && self.pondering.is_none() && !self.background.is_working() {
            let position = self.position().clone();
            self.background.engine().prepare(&position);
        }
    }

    /// The time of the side to move.
    fn time(&self) -> Time {
        let position = self.position();
        // the players take turns; where one passes much, the other has more moves to make, and less time than this allows for
        let to_play = position.empty_count().div_ceil(2);
        self.clocks.of(position.side_to_move()).time(self.options.overhead, to_play)
    }

    /// The limits of a search for the next move.
    pub fn limits(&self) -> Limits {
        self.options.strength.limits(self.time())
    }

    /// The limits of an analysis: only what the strength says, for no clock runs.
    pub fn analysis_limits(&self) -> Limits {
        self.options.strength.limits(Time::Unlimited)
    }
}
