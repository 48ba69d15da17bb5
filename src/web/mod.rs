//! `outflank web`: the board in a browser, and the same things as an HTTP service for scripts.
//!
//! | module | what |
//! |---|---|
//! | [`Service`] | the requests of API and page, without a port: what [`serve`] answers connections with |
//! | `api` | what lies under `/api/v1`, and its description for programs (`openapi.json`) |
//! | `games`, `solitaires` | sessions in memory: a limited number, forgotten when nobody comes back |
//! | `pool` | the threads that search: a fixed number, shared by all clients, stopped when a client goes |
//! | `events` | results as they come: server-sent events |
//! | `listen`, `connection` | the port: connections in limited number, given up when nobody reads, ended when the client goes |
//! | `guard` | who is answered at all: `Host`, `Origin`, token, and the headers of every answer |
//! | `invitation` | a way in for one, once, without the token |
//! | `text` | positions and games from whatever text a client sends |
//! | `assets` | the page, embedded |
//!
//! The types of answers are those that `--json` prints ([`analysis::json`](crate::analysis::json)) and those of `api`. A client
//! never names a file: what it sends is text, what it gets is text.
//!
//! Searches of all clients share one transposition table; every thread of the pool has a [`Player`](crate::play::Player), which
//! chooses all moves. Others who wait get their turn: a search that has had its slice goes to the end of the queue and goes on
//! from what the table remembers.

mod access;
mod api;
mod assets;
mod connection;
mod error;
mod events;
mod games;
mod guard;
mod intake;
mod invitation;
mod jobs;
mod listen;
mod pool;
mod sessions;
mod solitaires;
mod text;
mod view;

use std::io;
use std::sync::{Arc, MutexGuard};
use std::time::Duration;

use crate::engine::{Engine, Options};
use crate::eval::Weights;
use crate::play::OpeningBook;
use crate::search::SearchError;

pub use access::{Access, AccessError};
pub use api::openapi;
pub use listen::serve;
pub use pool::Load;

/// The type of the service: what is called with requests.
pub type Router = axum::Router;

/// What a service is started with.
#[derive(Clone, Debug)]
pub struct Config {
    /// The shared table, and the threads of one search.
    pub engine: Options,
    /// Weights to evaluate with, if not the built-in ones.
    pub weights: Option<Arc<Weights>>,
    /// The opening book of all games.
    pub book: Option<OpeningBook>,
    /// Searches that run at the same time; more wait for their turn.
    pub searches: usize,
    /// Games in memory, and as many of the solitaire.
    pub sessions: usize,
    /// A game that nobody has asked for this long is forgotten.
    pub idle: Duration,
    /// The longest time a client can ask for one search; a review has it for each move.
    pub longest: Duration,
    /// Who is answered.
    pub access: Access,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            engine: Options::default(),
            weights: None,
            book: Some(OpeningBook::embedded(0)),
            searches: 1,
            sessions: 1000,
            idle: Duration::from_secs(2 * 60 * 60),
            longest: Duration::from_secs(300),
            access: Access::loopback(),
        }
    }
}

/// Why a service cannot start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The options of its engine make no sense, or there is no memory for the table.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The system does not give it its threads.
    #[error("cannot start the threads of the searches: {0}")]
    Threads(io::Error),
}

/// What all requests share.
pub(crate) struct Shared {
    pub games: sessions::Sessions<games::GameSession>,
    pub solitaires: sessions::Sessions<solitaires::Solitaire>,
    pub pool: pool::Pool,
    pub book: Option<OpeningBook>,
    pub longest: Duration,
    pub access: Access,
    pub invitation: invitation::Invitation,
}

impl Shared {
    /// Begins a search for the game of a session, whose game is locked since the search's position was taken from it.
    ///
    /// # Errors
    /// There is no place for it, or the game has just been deleted.
    fn search(
        &self,
        id: &str,
        (session, line): (&games::GameSession, &MutexGuard<'_, games::Line>),
        about: games::About,
        job: pool::Job,
    ) -> Result<pool::Ticket, error::Problem> {
        // a move is waited for, the others tell what they have found
        let ticket = self.pool.submit(about != games::About::Move, job)?;
        session.follow(line, &ticket, about);
        // one that has just been deleted finds no search any more
        self.games.get(id)?;
        Ok(ticket)
    }
}

/// The service: answers requests, with or without a port.
#[derive(Clone)]
pub struct Service {
    shared: Arc<Shared>,
}

impl Service {
    /// A service with its table and its threads.
    ///
    /// # Errors
    /// When the options make no sense, or the table or the threads are not to be had.
    pub fn new(config: Config) -> Result<Service, StartError> {
        let mut engine = Engine::new(config.engine).with_weights(config.weights);
        engine.allocate()?;
        let shared = Shared {
            games: sessions::Sessions::new(config.sessions, config.idle),
            solitaires: sessions::Sessions::new(config.sessions, config.idle),
            pool: pool::Pool::new(engine, config.searches).map_err(StartError::Threads)?,
            book: config.book,
            longest: config.longest,
            access: config.access,
            invitation: invitation::Invitation::default(),
        };
        Ok(Service { shared: Arc::new(shared) })
    }

    /// What answers requests; clones share everything.
    pub fn router(&self) -> Router {
        api::router(self.shared.clone())
    }

    /// The query of an address of the page, `invitation=CODE`, that lets the first client who comes by it in as if it had shown
    /// the token, within five minutes: for command lines, which others can read. A later one takes the place of an earlier one.
    /// None where no token is needed.
    pub fn invite(&self) -> Option<String> {
        self.shared.access.token().map(|_| format!("invitation={}", self.shared.invitation.write()))
    }

    /// Searches that run and wait, and games in memory.
    pub fn load(&self) -> Load {
        Load { games: self.shared.games.len() + self.shared.solitaires.len(), ..self.shared.pool.load() }
    }
}
