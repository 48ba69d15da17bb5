//! How often a position has been played, by whom, and how it went on.
//!
//! A position is found in every orientation and through every order of moves. The records of WTHOR are replayed on bitboards:
//! all 137,548 games of the database take a fraction of a second.

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

use super::tally::{SideResult, Tally, is_name};
use super::target::{NotSearchable, Target, settled};
use crate::board::{Square, transform_square};
use crate::formats::board_text;
use crate::formats::record::GameRecord;
use crate::formats::wthor::{Database, ReplayError, ReplayErrorKind, WthorGame};
use crate::rules::{Color, Move, Objective, Position};

/// A game in which the position occurred.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundGame {
    /// When it was played, if known.
    pub year: Option<u16>,
    /// Tournament, or else the place; empty when not known.
    pub event: String,
    /// Name of the black player.
    pub black: String,
    /// Name of the white player.
    pub white: String,
    /// Black's score in discs, if known.
    pub score: Option<i32>,
    /// The move played in the position, as seen on the board asked for; none at the end of the game.
    #[serde(rename = "move")]
    pub mv: Option<String>,
}

/// A move that was played in the position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NextMove {
    /// The move, as seen on the board asked for; none where the game ended.
    #[serde(rename = "move")]
    pub mv: Option<String>,
    /// How often it was played.
    pub games: u64,
    /// Games won by the side that played it.
    pub wins: u64,
    /// Draws.
    pub draws: u64,
    /// Games lost by that side.
    pub losses: u64,
    /// Points of that side in percent, a draw being half a point.
    pub percent: Option<f64>,
    /// Mean score of that side in discs, of the games with one.
    pub mean: Option<f64>,
    /// The last year in which it was played, of those that are known.
    pub last_year: Option<u16>,
}

/// A player who had the position on the board, with either colour.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoundPlayer {
    /// The name.
    pub name: String,
    /// Games with the side to move.
    pub to_move: u64,
    /// Games with the other side.
    pub other: u64,
    /// Points in percent.
    pub percent: Option<f64>,
}

/// Everything that was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoundJson {
    /// The board and the side to move; one that must pass has passed.
    pub position: String,
    /// Games looked at.
    pub searched: u64,
    /// Games with the position.
    pub games: u64,
    /// First and last year; none when no year is known.
    pub years: Option<(u16, u16)>,
    /// Points of the side to move in percent.
    pub percent: Option<f64>,
    /// Mean score of the side to move in discs, of the games with one.
    pub mean: Option<f64>,
    /// By the next move, most frequent first.
    pub moves: Vec<NextMove>,
    /// The players who had it most often.
    pub players: Vec<FoundPlayer>,
    /// The latest games.
    pub list: Vec<FoundGame>,
}

/// Looks for one position in games.
#[derive(Debug)]
pub struct Finder {
    position: Position,
    target: Target,
    searched: u64,
    all: Tally,
    years: Option<(u16, u16)>,
    moves: HashMap<Option<Square>, (Tally, u16)>,
    players: HashMap<String, ([u64; 2], Tally)>,
    /// With the days they were played on.
    list: Vec<(Day, FoundGame)>,
    wanted: usize,
}

/// Year, month and day; 0 for what is not known.
type Day = (u16, u8, u8);

/// What is known about the game that is looked at.
struct About<'a> {
    day: Day,
    event: &'a str,
    players: [&'a str; 2],
    /// As black sees it.
    result: SideResult,
}

impl Finder {
    /// Looks for a position; `wanted` is how many games are listed. A side that must pass passes.
    ///
    /// # Errors
    /// [`NotSearchable`] for other rules and sizes.
    pub fn new(position: &Position, wanted: usize) -> Result<Finder, NotSearchable> {
        // whose points are told is to move in what is told of
        let position = position.play(Move::Pass).unwrap_or_else(|_| position.clone());
        Ok(Finder {
            target: Target::new(&position)?,
            position,
            searched: 0,
            all: Tally::default(),
            years: None,
            moves: HashMap::new(),
            players: HashMap::new(),
            list: Vec::new(),
            wanted,
        })
    }

    /// Looks at a game of WTHOR; one on another board counts as one without the position.
    ///
    /// # Errors
    /// [`ReplayError`] for a move that cannot be played; the game has counted as far as it goes.
    pub fn add_wthor(&mut self, game: &WthorGame<'_>, names: &Database) -> Result<(), ReplayError> {
        self.searched += 1;
        let mut found = None;
        let end = game.replay(|step| {
            if step.board.empty_count() == self.target.empties()
                && let Some(view) = self.target.view(step.board)
            {
                found = Some((step.side, Some(transform_square(step.square, view))));
            }
        });
        if let Ok(end) = &end
            && found.is_none()
            && end.board.empty_count() == self.target.empties()
        {
            let board = settled(end.board);
            let side = if board == end.board { end.side } else { !end.side };
            found = self.target.view(board).map(|_| (side, None));
        }
        let problem = end.err().filter(|problem| problem.kind != ReplayErrorKind::NotEightByEight).map_or(Ok(()), Err);
        let Some((side, square)) = found.filter(|_| self.target.is_of(Objective::Most)) else { return problem };
        let name = |color| names.players.get(game.player(color)).unwrap_or_default();
        let about = About {
            day: (game.year(), 0, 0),
            event: names.tournaments.get(game.tournament()).unwrap_or_default(),
            players: [name(Color::Black), name(Color::White)],
            result: SideResult { won: Some(game.score().cmp(&0)), score: Some(game.score()) },
        };
        self.count(side, square, &about);
        problem
    }

    /// Looks at a game.
    pub fn add(&mut self, record: &GameRecord) {
        self.searched += 1;
        let Some((side, square)) = self.target.find(&record.game) else { return };
        let [black, white] = &record.players;
        let about = About {
            day: record.day().unwrap_or_default(),
            event: record.event.as_deref().or(record.place.as_deref()).unwrap_or_default(),
            players: [&black.name, &white.name],
            result: SideResult::of(record),
        };
        self.count(side, square, &about);
    }

    fn count(&mut self, side: Color, square: Option<Square>, about: &About<'_>) {
        let square = square.map(|square| self.target.first_image(square));
        let outcome = about.result.seen_by(side);
        self.all.add(outcome);
        let year = about.day.0;
        let (tally, last) = self.moves.entry(square).or_default();
        tally.add(outcome);
        *last = year.max(*last);
        if year > 0 {
            let (first, last) = self.years.unwrap_or((year, year));
            self.years = Some((first.min(year), last.max(year)));
        }
        for (color, name) in [Color::Black, Color::White].into_iter().zip(about.players) {
            if is_name(name) {
                let (games, tally) = self.players.entry_ref(name).or_default();
                games[usize::from(color != side)] += 1;
                tally.add(about.result.seen_by(color));
            }
        }
        self.note(square, about);
    }

    /// Keeps a game among the latest ones; of games of one day those that come later are later.
    fn note(&mut self, square: Option<Square>, about: &About<'_>) {
        let at = self.list.partition_point(|(day, _)| *day > about.day);
        if at == self.wanted {
            return;
        }
        let [black, white] = about.players.map(str::to_string);
        let (year, event, mv) = (known(about.day.0), about.event.to_string(), square.map(|square| square.to_string()));
        self.list.insert(at, (about.day, FoundGame { year, event, black, white, score: about.result.score, mv }));
        self.list.truncate(self.wanted);
    }

    /// What has been found, with so many players.
    pub fn found(&self, players: usize) -> FoundJson {
        let mut moves: Vec<NextMove> =
            self.moves.iter().map(|(square, (tally, last))| next_move(*square, tally, *last)).collect();
        moves.sort_by(|a, b| (b.games, &a.mv).cmp(&(a.games, &b.mv)));
        let mut named: Vec<FoundPlayer> = self
            .players
            .iter()
            .map(|(name, (games, tally))| {
                let [to_move, other] = *games;
                FoundPlayer { name: name.clone(), to_move, other, percent: tally.percent() }
            })
            .collect();
        named.sort_by(|a, b| (b.to_move + b.other, &a.name).cmp(&(a.to_move + a.other, &b.name)));
        named.truncate(players);
        FoundJson {
            position: board_text::write(&self.position),
            searched: self.searched,
            games: self.all.games,
            years: self.years,
            percent: self.all.percent(),
            mean: self.all.mean(),
            moves,
            players: named,
            list: self.list.iter().map(|(_, game)| game.clone()).collect(),
        }
    }

    /// The position that is looked for, the pass made if there is one.
    pub fn position(&self) -> &Position {
        &self.position
    }
}

fn next_move(square: Option<Square>, tally: &Tally, last_year: u16) -> NextMove {
    NextMove {
        mv: square.map(|square| square.to_string()),
        games: tally.games,
        wins: tally.wins,
        draws: tally.draws,
        losses: tally.losses(),
        percent: tally.percent(),
        mean: tally.mean(),
        last_year: known(last_year),
    }
}

/// A year, which is 0 where it is not known.
fn known(year: u16) -> Option<u16> {
    (year > 0).then_some(year)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::record::{Ending, GameResult};
    use crate::formats::transcript;
    use crate::formats::wthor::WthorFile;

    fn record(moves: &str, score: f64) -> GameRecord {
        let mut record = GameRecord::new(transcript::parse(&Position::default(), moves).unwrap());
        record.result = Some(GameResult::from_score(score, Default::default()));
        (record.players[0].name, record.players[1].name) = ("Ann".to_string(), "Bob".to_string());
        record.date = Some(format!("{}", 2000 + moves.len()));
        record
    }

    fn find(position: &str, games: &[GameRecord], wanted: usize) -> FoundJson {
        let position = transcript::parse(&Position::default(), position).unwrap().position().clone();
        let mut finder = Finder::new(&position, wanted).unwrap();
        games.iter().for_each(|game| finder.add(game));
        finder.found(5)
    }

    #[test]
    fn orientations_and_transpositions_are_found() {
        // three ways to one position, then moves that are the same on it, and a game that is elsewhere
        let games = [
            record("f5d6c3d3c4", 2.0),
            record("d3c5f6f5e6e3", -4.0),
            record("f5d6c4d3c3f4", 0.0),
            record("f5f6e6f4", 10.0),
        ];
        let found = find("f5d6c3d3c4", &games, 2);
        assert_eq!((found.searched, found.games, found.years), (4, 3, Some((2010, 2012))));
        // white to move: a loss, a win, a draw
        assert_eq!((found.percent, found.mean), (Some(50.0), Some(2.0 / 3.0)));
        let moves: Vec<(Option<&str>, u64)> = found.moves.iter().map(|mv| (mv.mv.as_deref(), mv.games)).collect();
        assert_eq!(moves, [(Some("f4"), 2), (None, 1)], "one game ends there");
        let ends: Vec<_> = found.moves.iter().map(|mv| (mv.wins, mv.draws, mv.losses)).collect();
        assert_eq!(ends, [(1, 1, 0), (0, 0, 1)]);
        assert_eq!(found.players[0], FoundPlayer { name: "Ann".into(), to_move: 0, other: 3, percent: Some(50.0) });
        assert_eq!((found.list.len(), found.list[0].year), (2, Some(2012)));
    }

    /// The archives of GGS have games of both kinds.
    #[test]
    fn games_in_which_the_fewest_discs_win_are_others() {
        let start = |rules: &str| Position::start(std::sync::Arc::new(rules.parse().unwrap()));
        let games = ["othello", "ravensburger", "othello:fewest"].map(|rules| {
            let mut game = record("f5d6c3", 2.0);
            game.game = transcript::parse(&start(rules), "f5d6c3").unwrap();
            game
        });
        let mut bytes = vec![20, 7, 5, 22, 1, 0, 0, 0, 0, 0, 205, 7, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32, 32, 56, 64, 33];
        bytes.resize(16 + 68, 0);
        let file = WthorFile::from_bytes(bytes).unwrap();
        for (rules, count) in [("othello", 3), ("othello:fewest", 1)] {
            let position = transcript::parse(&start(rules), "f5d6").unwrap().position().clone();
            let mut finder = Finder::new(&position, 1).unwrap();
            games.iter().for_each(|game| finder.add(game));
            finder.add_wthor(&file.game(0).unwrap(), &Database::default()).unwrap();
            let found = finder.found(1);
            assert_eq!((found.searched, found.games), (4, count), "{rules}");
        }
    }

    #[test]
    fn a_pass_is_made_before_it_is_looked_for() {
        let board = |moves: &str| {
            let position = transcript::parse(&Position::default(), moves).unwrap().position().clone();
            (Finder::new(&position, 1).unwrap().position().whole_board().unwrap(), position.fast_board().unwrap().0)
        };
        let (found, there) = board("f5d6");
        assert_eq!(found.canonical(), there.canonical());
        let (found, there) = board("f5f6d3g5h5h4f7h6");
        assert_eq!((found.canonical(), there.legal_moves()), (there.pass().canonical(), 0));
    }

    /// As in a record of WTHOR, which has no passes.
    #[test]
    fn a_game_whose_record_ends_before_a_pass_is_found() {
        let mut games =
            [record("f5f6d3g5h5h4f7h6", 2.0), record("f5f6d3g5h5h4f7h6pa", 2.0), record("f5f6d3g5h5h4f7", 2.0)];
        for played in ["f5f6d3g5h5h4f7h6", "f5f6d3g5h5h4f7h6pa"] {
            let found = find(played, &games, 1);
            assert_eq!((found.games, found.moves.len(), found.moves[0].mv.as_deref()), (2, 1, None), "{played}");
            // white moves after the pass, and its points are told with that position
            assert_eq!((found.mean, found.players[0].other), (Some(-2.0), 2), "{played}");
            assert!(found.position.ends_with(" O"), "{}", found.position);
        }
        games.reverse();
        let played = record("f5f6d3g5h5h4f7h6pac5", 2.0);
        let games = [&games[..], &[played]].concat();
        let found = find("f5f6d3g5h5h4f7h6", &games, 1);
        let moves: Vec<(Option<&str>, u64)> = found.moves.iter().map(|mv| (mv.mv.as_deref(), mv.games)).collect();
        assert_eq!(moves, [(None, 2), (Some("c5"), 1)]);
    }

    #[test]
    fn equal_first_moves_are_one_move() {
        let games = ["f5d6", "d3c3", "c4e3", "e6f4"].map(|moves| record(moves, 2.0));
        let found = find("", &games, 0);
        assert_eq!(found.moves.len(), 1, "{:?}", found.moves);
        assert_eq!((found.moves[0].mv.as_deref(), found.moves[0].games, found.moves[0].wins), (Some("d3"), 4, 4));
        assert!(found.list.is_empty());
    }

    /// Who won counts, the score only for its mean.
    #[test]
    fn games_that_were_given_up_count() {
        let mut games = [record("f5d6c3", 0.0), record("f5d6c3", -2.0), record("f5d6c3", 0.0)];
        games[0].result = Some(GameResult { winner: Some(Color::Black), score: None, ending: Ending::Resignation });
        games[2].result = None;
        let found = find("f5d6", &games, 3);
        assert_eq!((found.percent, found.mean), (Some(50.0), Some(-2.0)));
        let next = &found.moves[0];
        assert_eq!((next.games, next.wins, next.draws, next.losses), (3, 1, 0, 1));
        assert_eq!((next.percent, next.mean, found.players[0].percent), (Some(50.0), Some(-2.0), Some(50.0)));
    }

    #[test]
    fn the_latest_games_come_first() {
        let dated = |date: &str, name: &str| {
            let mut game = record("f5d6c3", 2.0);
            (game.date, game.place) = (Some(date.to_string()), Some(name.to_string()));
            game
        };
        let games = [
            dated("2001.02.03", "first"),
            dated("2000", "old"),
            dated("2001-11-03", "second"),
            dated("2001", "no day"),
            dated("2001.11.03_10:20:30.MDT", "third"),
        ];
        let list = |wanted| find("f5d6", &games, wanted).list.into_iter().map(|game| game.event).collect::<Vec<_>>();
        assert_eq!(list(9), ["third", "second", "first", "no day", "old"]);
        assert_eq!(list(2), ["third", "second"]);
        assert!(list(0).is_empty());
    }

    /// As in the table, where it is a `-` and a `?`; no year is 0 (`Date: 0000`, a header of WTHOR without one).
    #[test]
    fn years_that_are_not_known_are_none() {
        let mut games = [record("f5d6c3", 2.0), record("f5d6c3", 2.0), record("f5d6", 2.0)];
        (games[0].date, games[1].date, games[2].date) = (None, Some("0000".to_string()), None);
        let json = serde_json::to_value(find("f5d6", &games, 9)).unwrap();
        let years = |list: &str, field: &str| {
            json[list].as_array().unwrap().iter().map(|one| one[field].clone()).collect::<Vec<_>>()
        };
        assert_eq!(
            (json["years"].is_null(), years("moves", "last_year"), years("list", "year")),
            (true, vec![serde_json::Value::Null; 2], vec![serde_json::Value::Null; 3])
        );
        games[0].date = Some("1999".to_string());
        let found = find("f5d6", &games, 1);
        assert_eq!(
            (found.moves[0].last_year, found.list[0].year, found.years),
            (Some(1999), Some(1999), Some((1999, 1999)))
        );
    }

    /// A damaged game is told, and counts as far as it goes.
    #[test]
    fn damaged_records_are_told() {
        let mut bytes = vec![20, 7, 5, 22, 2, 0, 0, 0, 0, 0, 205, 7, 8, 0, 0, 0];
        for codes in [[56, 64, 33], [56, 64, 99]] {
            bytes.extend([0, 0, 0, 0, 0, 0, 32, 32]);
            bytes.extend(codes);
            bytes.resize(bytes.len() + 57, 0);
        }
        let file = WthorFile::from_bytes(bytes).unwrap();
        let position = transcript::parse(&Position::default(), "f5").unwrap().position().clone();
        let mut finder = Finder::new(&position, 1).unwrap();
        let told: Vec<bool> = file.games().map(|game| finder.add_wthor(&game, &Database::default()).is_err()).collect();
        assert_eq!((told, finder.found(1).games), (vec![false, true], 2));
    }

    #[test]
    fn other_boards_cannot_be_looked_for() {
        let small = Position::start(std::sync::Arc::new("othello:6x6".parse().unwrap()));
        assert_eq!(Finder::new(&small, 1).err(), Some(NotSearchable));
    }
}
