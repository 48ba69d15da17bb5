//! The one place that chooses a move.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::background::Background;
use super::book::OpeningBook;
use super::choice::{Choice, Manner, Variety, choice_of, expected};
use super::clock::{Clocks, Overhead, RunningClock, TimeControl};
use super::grade::Grade;
use super::strength::Strength;
use crate::book::Nodes;
use crate::book::probe::has_book;
use crate::engine::Engine;
use crate::game::Game;
use crate::rules::{Color, IllegalMove, Move, Position};
use crate::search::{Goal, Level, Limits, Report, SearchError, Source, StopToken, Time, with_output};
use crate::time::Instant;

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

/// How often thinking on the opponent's time was about the move that came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PonderCounts {
    /// The expected reply came.
    pub hits: u64,
    /// Something else happened.
    pub misses: u64,
}

/// What work in the background ends with.
#[derive(Debug)]
pub(crate) struct Done {
    /// The search's result, if it was one search.
    report: Option<Result<Report, SearchError>>,
    /// The reply expected to the move chosen, if one was, and the position it is expected in.
    expected: Option<(Position, Move)>,
    /// Whether its output could be written.
    output: io::Result<()>,
}

/// What is being thought about on the opponent's time.
#[derive(Debug)]
struct Pondering {
    /// Where it began: after the player's own move.
    since: Position,
    /// The expected reply.
    reply: Move,
    /// After the expected reply, which is what is searched.
    expected: Position,
    /// How it is searched.
    limits: Limits,
}

/// Called after each finished iteration of a search.
pub type OnReport = Box<dyn FnMut(&Report) -> io::Result<()> + Send>;

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
    book: Option<OpeningBook>,
    /// Chooses among the book's moves.
    book_random: StdRng,
    /// The book is asked.
    book_on: bool,
    pondering: Option<Pondering>,
    /// The reply expected to the last move chosen, and the position it is expected in.
    expected: Option<(Position, Move)>,
    counts: PonderCounts,
    random: StdRng,
}

impl Player {
    /// A player at the start of a game.
    pub fn new(engine: Engine, game: Game, options: PlayerOptions) -> Player {
        let random = StdRng::seed_from_u64(options.variety.map_or(options.seed, |variety| variety.seed));
        Player {
            game,
            background: Background::new(engine, &options.stop),
            options,
            clocks: Clocks::default(),
            book: None,
            book_random: StdRng::seed_from_u64(0),
            book_on: true,
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
        self.book_random = StdRng::seed_from_u64(book.as_ref().map_or(0, |book| book.seed));
        self.book = book;
    }

    /// What the book knows now, when it has been changed; its choices go on. Without a book there is none afterwards.
    pub fn renew_book(&mut self, nodes: Arc<dyn Nodes>) {
        if let Some(book) = &mut self.book {
            book.nodes = nodes;
        }
    }

    /// The book, whether it is asked or not.
    pub fn book(&self) -> Option<&OpeningBook> {
        self.book.as_ref()
    }

    /// Asks the book for moves, or leaves it closed.
    pub fn use_book(&mut self, on: bool) {
        self.book_on = on;
    }

    /// The book that is asked for moves in the present game: there is one, it is open, the rules have books, and the level is
    /// not the lowest.
    pub fn open_book(&self) -> Option<&OpeningBook> {
        let Strength { goal, grade, .. } = self.options.strength;
        let thinks = grade.map_or(goal != Level::new(0).map(Goal::Level), Grade::knows_openings);
        let asked = self.book_on && thinks && has_book(self.position().rules());
        self.book.as_ref().filter(|_| asked)
    }

    /// Stops the search of [`Player::choose`] from another thread. It stays set: reset it before the next request.
    pub fn stop_token(&self) -> StopToken {
        self.options.stop.clone()
    }

    /// Hits and misses of thinking on the opponent's time so far.
    pub fn ponder_counts(&self) -> PonderCounts {
        self.counts
    }

    /// The engine at rest: whatever it is doing is stopped.
    pub fn engine(&mut self) -> &mut Engine {
        self.stop_pondering();
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

    /// A clock does not run yet when it is set: making tables now keeps that off the first move's time. What is thought about on
    /// the opponent's time goes on if this clock has no other limits for it.
    fn prepare_for_clock(&mut self) {
        if self.pondering.as_ref().is_some_and(|pondering| pondering.limits != self.ponder_limits(&pondering.expected))
        {
            self.stop_pondering();
        }
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

    // ---- choosing

    /// What needs no search: a forced pass, or a move of the book.
    fn ready(&mut self) -> Option<Choice> {
        let position = self.game.position();
        if position.is_game_over() || position.must_pass() {
            return Some(Choice { mv: Move::Pass, source: Source::Forced, report: None });
        }
        let empties = position.empty_count();
        let random = self.book_random.random();
        let line = self.open_book()?.choose(&self.game, random)?;
        if !self.game.position().legal_moves().contains(&line.mv) {
            log::warn!("the book's move {} is not legal", line.mv);
            return None;
        }
        let (mv, source) = (line.mv, Source::Book);
        Some(Choice { mv, source, report: Some(Report::of_book(line, empties)) })
    }

    /// How many moves a search for a move is to value: more than one only for the sake of variety.
    fn multi_pv(&self, position: &Position) -> usize {
        /// Moves that variety chooses among.
        const CANDIDATES: usize = 8;
        let variety = self.options.variety.filter(|variety| {
            let placed = position.rules().squares() - position.empty_count();
            placed < variety.plies + 4
        });
        if variety.is_some() { CANDIDATES } else { 1 }
    }

    /// The limits of a search for the next move, and of how many moves it values.
    pub(super) fn move_limits(&self) -> Limits {
        let Limits { time, .. } = self.limits();
        match self.options.strength.grade {
            Some(grade) => Limits { time, only_move_at_once: true, ..grade.limits(self.position()) },
            None => Limits { time, ..self.ponder_limits(self.position()) },
        }
    }

    fn manner(&self) -> Manner {
        Manner { variety: self.options.variety, grade: self.options.strength.grade }
    }

    /// Chooses a move in the present position, which stays as it is. The clock of the side to move limits the search and is not
    /// charged. A search that is stopped gives the best move so far.
    ///
    /// # Errors
    /// [`SearchError`] when the engine cannot search at all.
    pub fn choose(&mut self, on_report: &mut dyn FnMut(&Report)) -> Result<Choice, SearchError> {
        if let Some(choice) = self.ready() {
            return Ok(self.chosen(choice));
        }
        let report = match self.hit() {
            Some(report) => report?,
            None => {
                self.stop_pondering();
                let limits = self.move_limits();
                let position = self.game.position().clone();
                let stop = self.options.stop.clone();
                self.background.engine().search(&position, &limits, &stop, on_report)?
            }
        };
        on_report(&report);
        let choice = self.choice_of(report)?;
        Ok(self.chosen(choice))
    }

    /// The expected reply came: waits for the search that has been running since.
    fn hit(&mut self) -> Option<Result<Report, SearchError>> {
        if !self.takes_over() {
            return None;
        }
        let stop = &self.options.stop;
        self.background.finish_while(&mut |search| {
            if stop.is_stopped() {
                search.stop();
            }
        });
        self.background.take_result()?.report
    }

    /// The expected reply came: the search that has been running since is now the one for the next move, with what the clock
    /// allows from now on. `false` when there is none, or when it began with other limits than a search has now: one for a
    /// clock that is switched off by now would never end.
    fn takes_over(&mut self) -> bool {
        let position = self.game.position();
        let limits = self.ponder_limits(position);
        let taken = self.pondering.take_if(|pondering| pondering.expected == *position && pondering.limits == limits);
        if taken.is_none() {
            return false;
        }
        if let Some((soft, hard)) = self.limits().time.deadline(Instant::now(), self.position().empty_count()) {
            self.background.token().set_deadline(soft, hard);
        }
        true
    }

    /// The move of a finished search.
    fn choice_of(&mut self, report: Report) -> Result<Choice, SearchError> {
        let (manner, time) = (self.manner(), self.limits().time);
        let (position, stop) = (self.game.position(), &self.options.stop);
        let engine = self.background.engine();
        choice_of(position, report, manner, &mut self.random, |limits| {
            engine.search(position, &Limits { time, ..limits.clone() }, stop, &mut |_| {})
        })
    }

    /// Remembers what is expected next.
    fn chosen(&mut self, choice: Choice) -> Choice {
        self.expected = expected(self.game.position(), &choice);
        choice
    }

    // ---- in the background

    /// Starts choosing a move in the background; `answer` is called there with the choice, after the last of `on_report`. What
    /// was running is stopped; thinking on the opponent's time goes on if the expected reply has come.
    pub fn start(
        &mut self,
        on_report: OnReport,
        answer: impl FnOnce(Result<&Choice, &SearchError>) -> io::Result<()> + Send + 'static,
    ) {
        if let Some(choice) = self.ready() {
            self.stop();
            self.expected = expected(self.game.position(), &choice);
            self.background.start(move |_, _| Done { report: None, expected: None, output: answer(Ok(&choice)) });
            return;
        }
        let position = self.game.position().clone();
        let (manner, time) = (self.manner(), self.limits().time);
        let mut random = StdRng::seed_from_u64(self.random.random());
        let finish = {
            let position = position.clone();
            move |report: Result<Report, SearchError>, engine: &mut Engine, stop: &StopToken| {
                let choice = report.clone().and_then(|report| {
                    choice_of(&position, report, manner, &mut random, |limits| {
                        engine.search(&position, &Limits { time, ..limits.clone() }, stop, &mut |_| {})
                    })
                });
                let expected = choice.as_ref().ok().and_then(|choice| expected(&position, choice));
                Done { report: Some(report), expected, output: answer(choice.as_ref()) }
            }
        };
        self.expected = None;
        if self.takes_over() {
            self.background.then(move |done, engine, stop| match done.report {
                Some(report) => finish(report, engine, stop),
                None => done,
            });
            return;
        }
        self.stop();
        let limits = self.move_limits();
        self.background.start(move |engine, stop| {
            let (report, output) = with_output(stop, on_report, |hear| engine.search(&position, &limits, stop, hear));
            match output {
                Ok(()) => finish(report, engine, stop),
                Err(error) => Done { report: Some(report), expected: None, output: Err(error) },
            }
        });
    }

    /// Lets the engine do something else in the background. What was running is stopped.
    pub fn work(&mut self, work: impl FnOnce(&mut Engine, &StopToken) -> io::Result<()> + Send + 'static) {
        self.stop();
        self.background.start(move |engine, stop| Done { report: None, expected: None, output: work(engine, stop) });
    }

    /// The engine is at work for its session: thinking on the opponent's time does not count.
    pub fn is_working(&self) -> bool {
        self.pondering.is_none() && self.background.is_working()
    }

    /// The token of what is running, which also counts its nodes.
    pub fn token(&self) -> &StopToken {
        self.background.token()
    }

    /// Stops what is running and waits for it; thinking on the opponent's time too.
    pub fn stop(&mut self) {
        self.stop_pondering();
        self.background.stop();
    }

    /// Stops what the session asked for and waits for it; thinking on the opponent's time goes on.
    ///
    /// # Errors
    /// When it could not write its output.
    pub fn stop_work(&mut self) -> io::Result<()> {
        if self.pondering.is_some() {
            return Ok(());
        }
        self.background.stop();
        self.take_output()
    }

    /// Waits for what the session asked for.
    ///
    /// # Errors
    /// When it could not write its output.
    pub fn finish(&mut self) -> io::Result<()> {
        if self.pondering.is_some() {
            return Ok(());
        }
        self.background.finish();
        self.take_output()
    }

    fn take_output(&mut self) -> io::Result<()> {
        let Some(done) = self.background.take_result() else { return Ok(()) };
        if done.expected.is_some() {
            self.expected = done.expected;
        }
        done.output
    }

    // ---- the opponent's time

    /// Thinks on about the reply expected to the move chosen last, once that has been played. Does nothing unless it is
    /// switched on and a reply is expected.
    pub fn ponder(&mut self) {
        // a person of some grade does not think ahead as a machine does
        if !self.options.ponder
            || self.options.strength.grade.is_some()
            || self.pondering.is_some()
            || self.background.is_working()
        {
            return;
        }
        let Some((since, reply)) = self.expected.take() else { return };
        if since != *self.game.position() {
            return;
        }
        let Ok(expected) = since.play(reply) else { return };
        if expected.is_game_over() || expected.must_pass() {
            return;
        }
        let timed = self.clocks.is_running(expected.side_to_move());
        let limits = self.ponder_limits(&expected);
        if limits.goal == Goal::Unlimited && limits.nodes.is_none() && !timed && self.options.strength.time.is_none() {
            return;
        }
        let (position, searched) = (expected.clone(), limits.clone());
        self.background.start(move |engine, stop| {
            let report = engine.search(&position, &searched, stop, &mut |_| {});
            Done { report: Some(report), expected: None, output: Ok(()) }
        });
        self.pondering = Some(Pondering { since, reply, expected, limits });
    }

    /// The limits of a search for a move here while it is still the opponent's time: those that do not count time, which begins
    /// when the opponent has moved.
    pub(super) fn ponder_limits(&self, position: &Position) -> Limits {
        let goal = self.options.strength.goal(self.clocks.is_running(position.side_to_move()));
        let multi_pv = self.multi_pv(position);
        Limits { goal, time: Time::Unlimited, multi_pv, only_move_at_once: true, ..self.analysis_limits() }
    }

    /// The reply that the engine is thinking about.
    pub fn expected_reply(&self) -> Option<Move> {
        self.pondering.as_ref().map(|pondering| pondering.reply)
    }

    /// The engine is thinking on the opponent's time.
    pub fn is_pondering(&self) -> bool {
        self.pondering.is_some()
    }

    /// After a change of the position: thinking on the opponent's time goes on while it may still be of use.
    fn settle(&mut self) {
        let Some(pondering) = &self.pondering else { return };
        if pondering.expected == *self.game.position() {
            self.counts.hits += 1;
        } else if pondering.since != *self.game.position() {
            self.counts.misses += 1;
            self.stop_pondering();
        }
    }

    fn stop_pondering(&mut self) {
        if self.pondering.take().is_some() {
            self.background.stop();
            self.background.take_result();
        }
    }
}
