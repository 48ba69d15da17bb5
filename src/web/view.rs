//! A game as a client gets it.

use serde::Serialize;
use utoipa::ToSchema;

use super::games::{Line, dialect};
use crate::book::names::opening_of;
use crate::formats::named_rules::Naming;
use crate::formats::notation::{Dialect, in_dialect};
use crate::formats::{board_text, ggf, result_text, transcript, why_pass};
use crate::play::OpeningBook;
use crate::rules::{Color, Move, Point, Position, RuleSet};
use crate::search::Bound;

/// A legal move and what it does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct LegalJson {
    /// The move as requests write it: `f5`, `f5:NE` where a direction is chosen, `pass`.
    #[serde(rename = "move")]
    pub mv: String,
    /// The square, row 1 at the top; empty for a pass.
    pub square: String,
    /// The direction chosen, under rules that turn one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<String>,
    /// The squares whose discs turn.
    pub flips: Vec<String>,
}

/// A move of the game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct PlayedJson {
    /// Number of the move, from 1, passes counted.
    pub ply: usize,
    /// Who moved: 0 the first player, 1 the second.
    pub side: usize,
    /// The move as requests write it.
    #[serde(rename = "move")]
    pub mv: String,
    /// The move as the sheet of the rules counts squares.
    pub shown: String,
    /// Why a pass had to be; empty for other moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// A move that the book knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct BookJson {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// Its value in discs for the side to move.
    pub score: i32,
    /// The value is proved.
    pub exact: bool,
}

/// The opening of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct OpeningJson {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// The moves that the book knows in the present position, best first.
    pub moves: Vec<BookJson>,
}

/// The result that the text of a game has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct RecordedJson {
    /// In words: `black won (resignation)`.
    pub text: String,
    /// As the `result` of a game to begin.
    pub result: String,
}

/// Rules as a client needs them to draw a board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct BoardJson {
    /// The rules as text, as in `hungarian:6x6`.
    pub rules: String,
    /// Rows of the board, 4 to 16.
    pub rows: u8,
    /// Columns, 4 to 16.
    pub columns: u8,
    /// What the discs of both players are called, first player first.
    pub colors: [String; 2],
    /// The letters for them on a text board.
    pub symbols: [char; 2],
    /// The sheet counts rows from the bottom.
    pub rows_from_bottom: bool,
    /// A move is a square and a direction; discs that are placed on the centre before the first move have none.
    pub chooses_direction: bool,
    /// More discs win, or fewer.
    pub fewest_wins: bool,
}

/// A game at its present place.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct StateJson {
    /// Name of the session.
    pub id: String,
    /// The rules.
    pub board: BoardJson,
    /// The squares row by row from the top: `X` and `O` discs of the first and the second player, `-` empty, `#` none.
    pub squares: String,
    /// Who is to move: 0 the first player, 1 the second.
    pub side: usize,
    /// Discs of both players.
    pub discs: [u32; 2],
    /// Discs in hand, where each player has their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_hand: Option<[u16; 2]>,
    /// Empty squares.
    pub empties: u32,
    /// Discs that are still to be placed on the centre.
    pub placements_left: u8,
    /// Legal moves; a pass when there is nothing else, nothing when the game is over.
    pub legal: Vec<LegalJson>,
    /// The side to move can only pass: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub must_pass: Option<String>,
    /// The game is over: the result in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// The winner of a finished game; null for a draw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winner: Option<usize>,
    /// How the game ended where the board does not tell: it was given up, lost on time or broken off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded: Option<RecordedJson>,
    /// Moves up to the present place.
    pub ply: usize,
    /// All moves, those taken back too.
    pub moves: Vec<PlayedJson>,
    /// Square of the last move; null at the start and after a pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
    /// Squares whose discs the last move turned.
    pub turned: Vec<String>,
    /// The opening, and what the book knows.
    pub opening: OpeningJson,
    /// The board and the side to move as text.
    pub position: String,
    /// The whole game as text that reads back: rules, board and moves as far as they are not the usual ones. Empty at the start of
    /// othello: a game that is begun without a text.
    pub text: String,
    /// Names of the players, where a text had them.
    pub players: [String; 2],
    /// Their ratings, on the scale of the place where they played, if the text had any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratings: Option<[Option<f64>; 2]>,
    /// Games in the text that was read, when there are more than this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub games_in_text: Option<usize>,
}

/// The square of a move, row 1 at the top.
fn square_of(mv: Move) -> Option<Point> {
    match mv {
        Move::Place { at, .. } => Some(at),
        Move::Pass => None,
    }
}

fn names(position: &Position, mv: Move) -> Vec<String> {
    position.flips(mv).iter().map(|point| point.to_string()).collect()
}

impl LegalJson {
    fn new(position: &Position, mv: Move) -> LegalJson {
        let direction = match mv {
            Move::Place { direction, .. } => direction.map(|direction| direction.name().to_string()),
            Move::Pass => None,
        };
        let square = square_of(mv).map(|at| at.to_string()).unwrap_or_default();
        LegalJson { mv: mv.to_string(), square, direction, flips: names(position, mv) }
    }
}

impl BoardJson {
    /// What there is to know about a position's rules.
    pub fn new(position: &Position) -> BoardJson {
        let rules = position.rules();
        BoardJson {
            rules: rules.to_string(),
            rows: rules.rows(),
            columns: rules.columns(),
            colors: rules.colors().clone(),
            symbols: rules.symbols(),
            rows_from_bottom: dialect(rules) == Dialect::FromBottom,
            chooses_direction: rules.flips() == crate::rules::Flips::One,
            fewest_wins: rules.objective() == crate::rules::Objective::Fewest,
        }
    }
}

impl OpeningJson {
    /// The opening of a game up to its present place.
    pub fn new(line: &Line, book: Option<&OpeningBook>) -> OpeningJson {
        let game = line.game();
        let known = book.map(|book| book.moves(&game)).unwrap_or_default();
        let move_of = |(known, line): (crate::book::BookMove, crate::search::Line)| BookJson {
            mv: line.mv.to_string(),
            score: line.score,
            exact: known.exact && line.bound == Bound::Exact,
        };
        OpeningJson { name: opening_of(&game).map(str::to_string), moves: known.into_iter().map(move_of).collect() }
    }
}

impl StateJson {
    /// A game of a session.
    pub fn new(id: &str, line: &Line, book: Option<&OpeningBook>) -> StateJson {
        let position = line.position();
        let rules = position.rules();
        let over = position.is_game_over();
        let sides = [Color::Black, Color::White];
        let last = line.ply().checked_sub(1).map(|at| (&line.whole().positions()[at], line.whole().moves()[at]));
        StateJson {
            id: id.to_string(),
            board: BoardJson::new(position),
            squares: board_text::squares(position, '#'),
            side: position.side_to_move().index(),
            discs: sides.map(|side| position.discs(side).count()),
            in_hand: position
                .in_hand(Color::Black)
                .map(|_| sides.map(|side| position.in_hand(side).unwrap_or_default())),
            empties: position.empty_count(),
            placements_left: position.placements_left(),
            legal: position.legal_moves().into_iter().map(|mv| LegalJson::new(position, mv)).collect(),
            must_pass: position.must_pass().then(|| why_pass(position).to_string()),
            result: over.then(|| result_text(position)),
            winner: over.then(|| position.winner().map(Color::index)).flatten(),
            recorded: line
                .recorded()
                .map(|result| RecordedJson { text: result.words(rules), result: ggf::write_result(&result, rules) }),
            ply: line.ply(),
            moves: played(line, rules),
            last: last.and_then(|(_, mv)| square_of(mv)).map(|at| at.to_string()),
            turned: last.map(|(before, mv)| names(before, mv)).unwrap_or_default(),
            opening: OpeningJson::new(line, book),
            position: board_text::write(position),
            text: text_of(line),
            players: line.players().each_ref().map(|player| player.name.clone()),
            ratings: Some(line.players().each_ref().map(|player| player.rating)).filter(|all| *all != [None, None]),
            games_in_text: None,
        }
    }
}

fn played(line: &Line, rules: &RuleSet) -> Vec<PlayedJson> {
    let whole = line.whole();
    let one = |(at, (mv, before)): (usize, (&Move, &Position))| PlayedJson {
        ply: at + 1,
        side: before.side_to_move().index(),
        mv: mv.to_string(),
        shown: in_dialect(dialect(rules), rules.rows(), *mv).to_string(),
        why: (*mv == Move::Pass).then(|| why_pass(before).to_string()),
    };
    whole.moves().iter().zip(whole.positions()).enumerate().map(one).collect()
}

/// The line that names rules before a text for which othello need not be named.
pub(crate) fn rules_line(rules: &RuleSet) -> String {
    Naming::default().before(rules)
}

/// The whole game as the text of a transcript file.
fn text_of(line: &Line) -> String {
    let game = line.whole();
    let rules = game.start().rules();
    let mut text = rules_line(rules);
    // rules alone are no game, so without moves the board stands for it
    let bare = !text.is_empty() && game.moves().is_empty();
    if bare || game.has_own_start() {
        text += &board_text::write(game.start());
        text.push(' ');
    }
    text + &transcript::write(game)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::web::text;

    fn view(rules: &str, moves: &str) -> StateJson {
        let start = Position::start(Arc::new(rules.parse().unwrap()));
        let line = Line::new(transcript::parse(&start, moves).unwrap());
        StateJson::new("id", &line, Some(&OpeningBook::embedded(0)))
    }

    #[test]
    fn a_game_of_othello() {
        let game = view("othello", "f5d6c3");
        assert_eq!((game.side, game.discs, game.empties, game.ply), (1, [5, 2], 57, 3));
        assert_eq!((game.last.as_deref(), game.turned.as_slice()), (Some("c3"), ["d4".to_string()].as_slice()));
        assert_eq!(game.legal.len(), 4);
        assert!(game.legal.iter().all(|mv| mv.mv == mv.square && !mv.flips.is_empty() && mv.direction.is_none()));
        assert!(!game.opening.moves.is_empty() && game.text == "f5d6c3");
        assert!(game.result.is_none() && game.must_pass.is_none() && game.in_hand.is_none());
    }

    #[test]
    fn editions_have_their_own_ways() {
        let hungarian = view("hungarian", "");
        assert!(hungarian.board.rows_from_bottom && hungarian.board.colors == ["o", "O"]);
        let first = hungarian.legal[0].square.clone();
        let played = view("hungarian", &first);
        assert_ne!(played.moves[0].mv, played.moves[0].shown);
        let one = view("ravensburger-one", "");
        assert!(one.board.chooses_direction && one.legal[0].direction.is_some());
        let own = view("traveller", "");
        assert_eq!((own.in_hand, own.placements_left, own.legal.len()), (Some([32, 32]), 4, 4));
        assert!(own.board.chooses_direction && own.legal[0].direction.is_none(), "the rules, not this move, choose");
        assert_eq!(view("octagon", "").squares.matches('#').count(), 12);
        assert!(view("othello:anti", "").board.fewest_wins);
    }

    #[test]
    fn the_text_of_a_game_reads_back() {
        let othello = Arc::new(RuleSet::othello());
        for (rules, moves) in [
            ("othello", "f5d6c3"),
            ("hungarian:6x6", ""),
            ("traveller", "d4e4d5e5"),
            ("traveller", ""),
            ("octagon", ""),
        ] {
            let game = view(rules, moves);
            let found =
                text::read(&game.text, 1, &othello).unwrap_or_else(|problem| panic!("{}: {problem:?}", game.text));
            let again = StateJson::new("id", &Line::new(found.record.game), Some(&OpeningBook::embedded(0)));
            assert_eq!(again, game, "{rules}");
        }
        assert_eq!(view("othello", "").text, "");
        let board = "--XXXXX---XOOX-OOOOOXOXO-OOXOOOOOOOOOOOOXXOOOOOO--XOOO----OXO--- X";
        let line = Line::new(crate::game::Game::from_position(board.parse().unwrap()));
        let text = text_of(&line);
        let found = text::read(&text, 1, &Arc::new(RuleSet::othello())).unwrap();
        assert_eq!(board_text::write(found.record.game.start()), board);
    }

    #[test]
    fn ends_have_results() {
        let board = "othello:4x4 XXX1/4/4/4 O".parse::<Position>().unwrap();
        let game = StateJson::new("id", &Line::new(crate::game::Game::from_position(board)), None);
        assert_eq!(game.result.as_deref(), Some("game over: black wins 3-0"));
        assert_eq!((game.winner, game.legal.len()), (Some(0), 0));
    }
}
