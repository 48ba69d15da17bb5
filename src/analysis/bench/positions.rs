//! The positions of the bench.

use std::sync::Arc;

use crate::formats::board_text;
use crate::rules::{Position, RuleSet};
use crate::search::{Goal, Limits, Selectivity};

/// One position and what is searched in it.
#[derive(Clone, Debug)]
pub struct Case {
    /// The position.
    pub position: Position,
    /// What is searched.
    pub limits: Limits,
}

/// Positions with 52 to 16 empty squares from games of this engine with itself: random openings of 8 plies, then level
/// 5; kept when the engine's score was within 10 discs, so that none is decided.
const OTHELLO: [&str; 40] = [
    "------------------OOOX---OOOX------XX------OX------------------- X",
    "--O------X-O-----OOOOX-----XX------XOX------O------------------- X",
    "-----------X------O-XX----XOOX----XXOOO----OOO------------------ X",
    "--------------------------XXXO---XXXOO----XXOO----OOX-----OX---- X",
    "-----------------OO-----OOOXX----XOXX----XXXXX-----XOO---------- O",
    "----X-------XX---O--XX---XXXXXO----OOOO---OOOX------------------ X",
    "------------X---OOOXXX---OOOXOX---OOOOO----OXO------X----------- X",
    "-----------XXX---OOXXO--OOOXXX---OXXX---OX-XXO------------------ O",
    "X-X-----OXXX----OOXXX---OOOOX---OOOOO---OOO--------------------- X",
    "O-O-X----OOX----XOOX----XXOXOO--XXXXO-----XXXX------------------ O",
    "------------------X--OX----XXXX---OOOOO---OOXO---OOXOO---O-XXXX- X",
    "------------O------OOX----OOOXX--OOOOX----OOXXXX--OXXX-----XXX-- O",
    "O---X---OOOX-X--OOXXXX--OOOOOO---OXOOO----OOOO------------------ X",
    "--O-------OOOX---XOOOX---OOXOXX--OOXOXO----XXXO---X--X---------- X",
    "---OOO----OOOX----OOXXX--OOOOXO---XXXXOO---XXXO------X---------- O",
    "----X---X-XX----XXXO----XXXOOO--XOOOOOO-XOOXXX---OXX------------ X",
    "----X------XXX----XXXOX---OOOOOO--OOXXO----OOOO-----OOOO------OO X",
    "--XXXXX---XX-X--X-OXXO---XOXOO--XXXXOO--OXXXOO-------O---------- O",
    "----O-----XOOO---XXOOOO-XXOOXOOO-OOOOOO--XXXXXXX---------------- X",
    "----X------XX----XXXXOX---XXXOO--XXOXOO-XXOOOO---OXO-O-----O-O-- X",
    "--OOOO----OOOO---XXXXXXX-XXXOXX---XXOOO--XXXOOO-----O----------- O",
    "--------X---X---XXXXX---XOXXXO--XXOOOO--XOOOXO---OOOXO----OXXO-- X",
    "---O-X-----XXO---OOOOOOO-XOOOXOOXX-OOOXO---OOOOO----XX-------X-- X",
    "--O--O----OOOO----OOOOX--OOXOXXX--OXXXX--OOXXXXX---XXX----X--X-- O",
    "-----------O-------OXXOO--XOXXOOOOXOXXXO-OOOXXXX--OOOXX---OOXX-- X",
    "--O-------XOOO---XXOOOOO-OOOOOOO-OXOXOOOO-XXXXOO-----OX------O-- X",
    "---------O-XO---XXXO-OX--XOXOX-X-XXXXOX-XXXXOXXO--OOXX---OO-XX-- O",
    "--X-------OX-O--XXXXXXX--XXOXOXX-OOOXO--XXOOOOO---OOOO----OXXO-- X",
    "----XX-----XXX----XOOXXX--OOOOXXXOXOOOXXOOOOOXXX--OXXO---OOOOO-- X",
    "-X-XXO----XXXX-O--OXXXOO-OOOXOOO-OOXXOOOOOOOXOOO--XXXX-----XX--- O",
    "---O------OX-----OOXXXXX-OXXXXX-OOOXXXXO-OXXOXOO-XXXXOXO--XXOO-X O",
    "OOOOOO---OXXX---XXOOXOO-XXXOOO---XXXOOO--XXOOO----OXXO---OOOOOO- X",
    "OOOOOO--XXXOXO--XXOXOO--XOXOXO--XXOXOX--XXXOOX--X-XXO---X-XXX--- X",
    "--OOOOOO--OOXOOO-OOOXOO--XOOXO-X-XXOXOXX--XXOOXX---OXX----OOXX-- X",
    "-X-OOOO-O-XOOO--OOXXOXO-OXOOXOXOOOXOXX-X-OXXXX----XXXX----XXXX-- O",
    "--OXXO----OOOOOOXXXXXOOOXXOXOXOOXOXOXXXOXOOXXXX--OXX-------X---- O",
    "X-X--O---XXXO----OXOOOOO-OOXXOOX-OOOXOXX-OOOXXXX--OOXXXX---OXXX- O",
    "OOOOOOO-XXXOO---XXOXO---XXXXXX--XXOXXO--OXXXOO---XOOOO--OOOOOO-- X",
    "-O-XXXX---OXXX---XXOXXXO-XXXOXOX--XOOOXX--OXOXXX--OOOOX---OOOOOX X",
    "-OOOOO----OXXXX--XXOXXXOXXOXXXXXXOXXXOO-OOOOOOOX--OOOO----OOOO-- X",
];

/// From this many empty squares on a position is solved exactly.
const SOLVED_FROM: u32 = 21;
/// Depth of the selective searches, in plies.
const SELECTIVE_DEPTH: u8 = 15;
/// Depth of the full-width searches (every fourth position), in plies.
const FULL_DEPTH: u8 = 9;

/// The cases for a rule set: the fixed ones for Othello, else positions of random games by these rules.
pub fn cases(rules: &Arc<RuleSet>) -> Vec<Case> {
    if **rules == RuleSet::othello() {
        let position = |text: &&str| board_text::parse(text, rules).expect("the positions are valid");
        return OTHELLO.iter().map(position).enumerate().map(|(i, position)| othello_case(i, position)).collect();
    }
    (0..8).map(|i| general_case(rules, i)).collect()
}

fn othello_case(index: usize, position: Position) -> Case {
    let goal = if position.empty_count() <= SOLVED_FROM {
        Goal::Exact
    } else if index % 4 == 3 {
        Goal::Depth(FULL_DEPTH, Selectivity::NONE)
    } else {
        Goal::Depth(SELECTIVE_DEPTH, Selectivity::MOST)
    };
    Case { position, limits: Limits::new(goal) }
}

/// A position from a game of random moves; later cases are nearer to the end of the game.
fn general_case(rules: &Arc<RuleSet>, index: u32) -> Case {
    let mut random = 0x9E37_79B9_7F4A_7C15 ^ u64::from(index);
    let wanted = rules.squares() * (9 - index) / 10;
    let mut position = Position::start(rules.clone());
    while position.empty_count() > wanted {
        let moves = position.legal_moves();
        // xorshift: the same on every machine and in every version
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let Some(&mv) = moves.get((random >> 33) as usize % moves.len().max(1)) else { break };
        position = position.play(mv).expect("a legal move");
    }
    let goal = if index % 2 == 1 { Goal::Depth(7, Selectivity::MOST) } else { Goal::Depth(5, Selectivity::NONE) };
    Case { position, limits: Limits::new(goal) }
}
