//! The rules of a game told to somebody who has lost the sheet.

use std::sync::Arc;

use outflank::formats::notation::{Dialect, in_dialect};
use outflank::game::Game;
use outflank::rules::presets::{self, Preset};
use outflank::rules::{Color, Direction, Equality, Flips, Move, Objective, Point, Position, RuleSet};
use outflank::rules::{Shape, Start, Supply};

use super::discs_owned;
use super::page::{Block, Page};

/// The page of a rule set.
pub fn page(rules: &Arc<RuleSet>) -> Page {
    let preset = presets::find(rules.name()).expect("rule sets have the names of presets");
    let told = Told { rules, dialect: dialect(rules) };
    let mut blocks = vec![Block::Text(about(rules, preset))];
    blocks.push(Block::Heading("Set-up"));
    blocks.extend(told.set_up());
    blocks.push(Block::Heading("A move"));
    blocks.extend(told.a_move());
    blocks.push(Block::Heading("Passing"));
    blocks.push(Block::Text(told.passing()));
    blocks.push(Block::Heading("The end"));
    blocks.push(Block::Text(told.end()));
    blocks.push(Block::Heading("Who wins"));
    blocks.push(Block::Text(told.winner()));
    blocks.push(Block::Heading("Variants"));
    blocks.push(Block::List(variants(preset)));
    // what is said of a preset need not hold where something was changed: corners are bad where the fewest discs win
    let unchanged = (preset.rules() != **rules).then(|| Block::Text(format!("For {} without changes:", preset.name)));
    if !preset.advice.is_empty() {
        blocks.push(Block::Heading("Advice of the sheet"));
        blocks.extend(unchanged.clone());
        blocks.push(Block::List(strings(preset.advice)));
    }
    blocks.push(Block::Heading("Readings"));
    match preset.readings {
        [] => blocks.push(Block::Text("None: nothing had to be decided where the sheet is silent.".to_string())),
        readings => {
            blocks.extend(unchanged);
            blocks.push(Block::List(readings.iter().map(|reading| format!("(reading) {reading}")).collect()));
        }
    }
    blocks.push(Block::Heading("In short"));
    blocks.push(Block::Facts(super::facts(rules)));
    blocks.push(Block::Text(format!("Play it with `outflank play --rules {rules}`.")));
    Page { title: rules.to_string(), blocks }
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| text.to_string()).collect()
}

/// As its sheet numbers the rows.
fn dialect(rules: &RuleSet) -> Dialect {
    if rules.name() == "hungarian" { Dialect::FromBottom } else { Dialect::Plain }
}

fn about(rules: &RuleSet, preset: &Preset) -> String {
    if preset.rules() == *rules {
        return format!("{}. {}", preset.summary, preset.details);
    }
    format!("{} with changes: the facts below say what holds. Unchanged it is {}.", preset.name, preset.summary)
}

/// The other games of the same sheet, and what can be changed.
fn variants(preset: &Preset) -> Vec<String> {
    let mut list = Vec::new();
    let mut add = |name: &str, what: &str| list.push(format!("`{name}`: {what}"));
    match preset.name {
        "ravensburger" => {
            add("ravensburger-one", "for children: a move turns one line only");
            add(presets::SOLITAIRE, "the solitaire with chips, on the same sheet");
        }
        "ravensburger-one" => add("ravensburger", "all lines turn"),
        "traveller" => add("traveller-all", "all lines turn"),
        "traveller-all" => add("traveller", "one line turns, the mover chooses which"),
        "hungarian" => add("hungarian:6x6", "any smaller or larger board, 4x4 to 16x16"),
        "reversi" => add("reversi:parallel", "the two discs of a colour stand side by side at the start"),
        "octagon" => add("octagon:12x12", "any size from 6x6 to 16x16"),
        "handicap" => add("handicap:3", "another number of corners, 1 to 4"),
        _ => {}
    }
    add(
        &format!("{}:6x6,fewest", preset.name),
        "a smaller board, and fewer discs win; `outflank rules` lists all changes",
    );
    list
}

/// A rule set and how its squares are named.
struct Told<'a> {
    rules: &'a Arc<RuleSet>,
    dialect: Dialect,
}

impl Told<'_> {
    fn first(&self) -> &str {
        self.rules.color_name(Color::Black)
    }

    fn second(&self) -> &str {
        self.rules.color_name(Color::White)
    }

    /// A square or move as the page names it.
    fn name(&self, mv: Move) -> String {
        in_dialect(self.dialect, self.rules.rows(), mv).to_string()
    }

    fn square(&self, at: Point) -> String {
        self.name(Move::Place { at, direction: None })
    }

    fn set_up(&self) -> Vec<Block> {
        let rules = self.rules;
        let start = Position::start(rules.clone());
        let mut text = format!("The board has {} rows and {} columns", rules.rows(), rules.columns());
        text += &match rules.shape() {
            Shape::Rectangle => ".".to_string(),
            _ => {
                let holes = if rules.letters().hash_is_empty() { "left blank" } else { "marked #" };
                format!("; the squares {holes} do not exist, so that {} are left.", rules.squares())
            }
        };
        text += &format!(" {} moves first, then {}.", self.first(), self.second());
        text += &match rules.supply() {
            Supply::Shared => String::new(),
            Supply::Own => {
                format!(" The players own {}, those that stand on the board at the start included.", discs_owned(rules))
            }
        };
        if self.dialect == Dialect::FromBottom {
            text += " Rows are numbered from the bottom, as on the sheet (and by `outflank play`; files number them from the top).";
        }
        text += &match rules.start() {
            Start::Placement => format!(
                " The board starts empty: {} places two discs on two of the four centre squares ({}), then {} two on the \
                 others; then {0} moves first.",
                self.first(),
                rules.centre().iter().map(|at| self.square(at)).collect::<Vec<_>>().join(" "),
                self.second(),
            ),
            _ => " The game starts like this; a dot marks a square where the first move may go:".to_string(),
        };
        let moves: Vec<String> = start.legal_moves().into_iter().map(|mv| self.name(mv)).collect();
        let first = format!("First moves: {}.", moves.join(" "));
        vec![Block::Text(text), Block::Board(self.board(&start, None, true)), Block::Text(first)]
    }

    fn a_move(&self) -> Vec<Block> {
        let rules = self.rules;
        let mut text = "Place one disc of your colour on an empty square. It must outflank at least one disc of the other \
                        colour: a line of them, without gaps, between your new disc and another disc of your colour, straight \
                        or diagonal, in any of the eight directions."
            .to_string();
        text += match rules.flips() {
            Flips::All => {
                " All discs that the new disc outflanks turn, in all directions; that is not optional. Discs that are \
                 outflanked only because others have turned stay as they are."
            }
            Flips::One => {
                " If it outflanks discs in several directions, you choose one direction, and the discs of that line turn; \
                 turning is not optional. A move is written with its direction, f5:NE, N being up."
            }
        };
        text += " Discs never move and never leave the board.";
        let mut blocks = vec![Block::Text(text)];
        if let Some((game, mv)) = example(rules) {
            let before = game.position();
            let after = before.play(mv).expect("the example is legal");
            let Move::Place { at, direction } = mv else { return blocks };
            let side = rules.color_name(before.side_to_move());
            let turned: Vec<String> = before.flips(mv).iter().map(|at| self.square(at)).collect();
            let choice = match direction {
                Some(direction) => {
                    let others: Vec<&str> = directions(before, at).into_iter().map(Direction::name).collect();
                    format!(" (there are lines towards {}; {} is chosen)", others.join(", "), direction.name())
                }
                None => String::new(),
            };
            blocks.push(Block::Text(format!("An example, before {side} plays {} (marked *):", self.square(at))));
            blocks.push(Block::Board(self.board(before, Some(at), false)));
            blocks.push(Block::Text(format!("and after it: {} turned{choice}.", turned.join(", "))));
            blocks.push(Block::Board(self.board(&after, None, false)));
        }
        blocks
    }

    fn passing(&self) -> String {
        let mut text =
            "You pass when you have no legal move, and only then; the other side moves again. Passes may follow each \
                        other as long as one side can move."
                .to_string();
        text += match self.rules.supply() {
            Supply::Shared => {
                " A player to move who has no disc left receives one from the opponent, so nobody passes for want of discs."
            }
            Supply::Own => " A player who has no disc in hand must pass too, even where the board would allow a move.",
        };
        text
    }

    fn end(&self) -> String {
        "The game ends when the board is full, when neither side can place a disc, or when one side has no discs left on the \
         board (which is a case of the former)."
            .to_string()
    }

    fn winner(&self) -> String {
        let mut text = match self.rules.objective() {
            Objective::Most => "The player with more discs on the board wins.",
            Objective::Fewest => "The player with fewer discs on the board wins.",
        }
        .to_string();
        text += &match self.rules.equality() {
            Equality::Draw => " With equal counts the game is a draw.".to_string(),
            Equality::SecondWins => {
                format!(" With equal counts {} wins, who moved second.", self.second())
            }
        };
        text + " Scores of the engine are differences of discs, and count squares left empty for the winner."
    }

    /// A board with its coordinates; `mark` a square, or the legal moves.
    fn board(&self, position: &Position, mark: Option<Point>, show_moves: bool) -> String {
        let rules = self.rules;
        let symbols = rules.symbols();
        let holes = rules.holes();
        let empty = if rules.letters().hash_is_empty() { '#' } else { '-' };
        let hole = if empty == '#' { ' ' } else { '#' };
        let legal = if show_moves { position.legal_moves() } else { Vec::new() };
        let is_legal = |point| legal.iter().any(|mv| matches!(mv, Move::Place { at, .. } if *at == point));
        let letters: String = (0..rules.columns()).map(|column| format!(" {}", (b'a' + column) as char)).collect();
        let mut text = format!("  {letters}\n");
        for row in 0..rules.rows() {
            let number = if self.dialect == Dialect::FromBottom { rules.rows() - row } else { row + 1 };
            let cell = |column| {
                let point = Point { row, column };
                let sign = match position.disc_at(point) {
                    Some(color) => symbols[color.index()],
                    None if mark == Some(point) => '*',
                    None if holes.contains(point) => hole,
                    None if is_legal(point) => '.',
                    None => empty,
                };
                format!(" {sign}")
            };
            let cells: String = (0..rules.columns()).map(cell).collect();
            text += &format!("{number:>2}{cells} {number}\n");
        }
        let names = [Color::Black, Color::White].map(|color| (symbols[color.index()], rules.color_name(color)));
        if names.iter().any(|(symbol, name)| symbol.to_string() != *name) {
            text += &format!("   {} = {}, {} = {}\n", names[0].0, names[0].1, names[1].0, names[1].1);
        }
        text
    }
}

/// The directions in which a disc of the side to move on a square turns something.
fn directions(position: &Position, at: Point) -> Vec<Direction> {
    let sights = position.sights(at, position.side_to_move());
    sights.iter().filter(|sight| sight.turns()).map(|sight| sight.direction).collect()
}

/// A game and a move in it that outflanks in several directions: the first one met when the moves are chosen by a counter.
fn example(rules: &Arc<RuleSet>) -> Option<(Game, Move)> {
    let mut fallback = None;
    for seed in 0..20usize {
        let mut game = Game::new(rules.clone());
        for ply in 0..14 {
            let legal = game.position().legal_moves();
            let Some(&first) = legal.first() else { break };
            if game.position().placements_left() == 0 && first != Move::Pass {
                let several = legal.iter().find(|mv| match mv {
                    Move::Place { at, .. } => directions(game.position(), *at).len() > 1,
                    Move::Pass => false,
                });
                if let Some(mv) = several {
                    return Some((game.clone(), *mv));
                }
                fallback = fallback.or_else(|| Some((game.clone(), first)));
            }
            let mv = legal[(seed * 7 + ply * 3) % legal.len()];
            game.play(mv).expect("legal moves can be played");
        }
    }
    fallback
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_turn_discs_in_several_directions() {
        for preset in presets::PRESETS {
            let (game, mv) = example(&Arc::new(preset.rules())).unwrap();
            let Move::Place { at, .. } = mv else { panic!("{}: a pass", preset.name) };
            assert!(game.position().is_legal(mv), "{}: {mv}", preset.name);
            assert!(directions(game.position(), at).len() > 1, "{}: {mv}", preset.name);
        }
    }

    /// The words of a page, whatever its lines.
    fn words(rules: &str) -> String {
        let text = page(&Arc::new(rules.parse().unwrap())).write(super::super::page::Format::Text);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn holes_are_told_as_they_are_drawn() {
        for (rules, told) in [
            ("octagon", "the squares marked # do not exist, so that 88 are left"),
            ("hungarian:octagon", "the squares left blank do not exist, so that 52 are left"),
        ] {
            assert!(words(rules).contains(told), "{rules}");
        }
    }

    #[test]
    fn what_is_said_of_a_preset_is_not_said_of_changed_rules() {
        let told = "ADVICE OF THE SHEET For ravensburger without changes: * Take squares on the edges";
        assert!(words("ravensburger:fewest").contains(told));
        assert!(words("traveller:shared").contains("READINGS For traveller without changes: * (reading)"));
        assert!(!words("ravensburger").contains("without changes"));
        assert!(!words("othello:6x6").contains("without changes"));
    }
}
