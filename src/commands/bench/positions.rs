//! The positions of `outflank bench`.

use std::sync::Arc;

use outflank::formats::board_text;
use outflank::rules::{Position, RuleSet};
use outflank::search::{Goal, Limits, Selectivity};

/// One position and what is searched in it.
pub struct Case {
    /// The position.
    pub position: Position,
    /// What is searched.
    pub limits: Limits,
}

/// Positions with 52 to 16 empty squares from games of this engine with itself: random openings of 8 plies, then level
/// 5; kept when the engine's score was within 14 discs, so that none is decided.
const OTHELLO: [&str; 40] = [
    "-------------------X-------XX------XX-----XOO----XO--O---O------ X",
    "------------------OX-------XX-----OXOX----OO-X----OX-X---------- X",
    "----------X-------OOOO----XOOX----XXOX---X-X-O------------------ X",
    "-----------------OXOO---OOOOO---X-XOXX---XX-OX------------------ X",
    "------------O------XOX-----OXX--OOOXXX-----XX-----OXO------X---- O",
    "------X-----XX---XXXXX---OXOOO-----XO------OXO------O------O---- X",
    "----------X-O-----X-OO---XXOO---OOOOX----OXXX---OOXX------------ X",
    "OOOOOO---OXXX----OXXX-----XXX-----XXXX-----OO------------------- O",
    "------------------O-OO----OOOOXO-OOOOXOO---OOOOO---XOO---------- X",
    "-------------------X---O---XXXOO---XXOXO---XXXOO--OXXX-O-OOX---- O",
    "-XXXXX-----OOOO---OOOO----OOOO----OOOO----OOOO------O----------- X",
    "----------O-X-----OOXX---OOXXXXX--XXXO-O---XXXO----XXOO-------O- O",
    "-------------X-----XX---X--XX---XOOXXX--XXXXXXX-XXOOO---XOOO---- O",
    "-O--------OOX------XXXXO-XXXXXOXXXXXXOO-XXXXX------------------- X",
    "--OOOOO--O-OXX---XXXXX----XOXXX--XXXOX----XXXO-----X------------ O",
    "--XXXX---OOOXO---OOOXO----OOXO-----OXO-----OOOO----OOO------XO-- X",
    "XOOO----XXOXX---XOXXXO--OOOOX---XXXOO----XX-OO-------O---------- X",
    "----OOO--X-XXOO---XXXOO---XXXXO---OOOOX-----OOXX----O-----OOO--- O",
    "----X-------XX--XO-OXXX-XXOOOOOOXXXOXOXXXXOOO---X--O------------ X",
    "--XXXXX---XXOX----XOXO---XXXOOOO--OOXOXO--O-XXXO-------O-------- X",
    "--OOO------OOO------OXOX-XXOXOXX--XXXXOX--XXXOXX-X-XX-------X--- O",
    "--XXXX---OOXX----OOXOO--XOXXO---XXOXO---XXXX----XXXX----XXX----- O",
    "---------------X-OOOOOOO--OOXXXO--OOOXXO-OOOXXXX-OO-XX--O---X-O- X",
    "-----OOO----XXXO--OOOXX-OOOOOOXX--OOOOO---XOOO---XXX-O----X-X--- O",
    "OOOOOOO-OOXOXO--OXOOOOO-OOXOXO--OOXXOO----XXXX------------------ X",
    "OOOOOOO-OOXOXO--OXOOOX--OOXOXXX-O-OOX------OOO-----OO-O--------- X",
    "X-------X-------XO-XO---XOXOOOO-XOOXOO--XOXXXO--XXOOXX--XXXXXX-- O",
    "--------OX-O----OXXOOO--OXOOOO--OXOOXO--OXOXXX--OOXXXX--O-XOXX-- X",
    "O-------OOX-----OOOXX-X-OOOOXX--OOOOXX--OOOOXX--OOOOOXX-OOOOOOO- O",
    "OOOOOOO-OOXXXXX-OXXXOX--OXXOOOOOOXOXOO--OOXOOO--O--O------------ X",
    "----------------XXXXOOO-XXXXXOOXXXOXXOOXXXXXOOXX--XXXXXX--OXXXXX O",
    "OOOOOO--OOOOO---OXOOX---OXOOXX--OXXOXXX-OXXXXXX-OOX-X---OOO----- O",
    "---XOOO---XXOOOX--XXOXOX--XXXOOX--OXXOOX---OOOOX----OOOX-XXXXXXX X",
    "--------XXX-----XXXXXOXXXXXXOXXXXXXOXXXXXXOXOXXXOOOOO---OOO-O--- X",
    "X--X-----X-XXX---XXXXXOO--XXXOOO--XXOXOO--XXOXXO--OXOXOO-OOOOOOO X",
    "------------O-O-X-XXOOXX-XXXOXXX--XOXXXXXXXXXOXX-XXXXXXXOXXXXXXX X",
    "-OO-X--O--OOXX-O--OOXXXO-OOOXXOO--OOXOXO--OOOXOO--XOXOXO---XOOOO O",
    "XXX-----XXOOO---XOOOOO--XOXXOO--XOXXXOO-XXXXXXO-XXXXXX--XXXXXX-- X",
    "XXXXXXXXXXXXXXX-XXXXXXX-XOXOX-X-XOXXO--XXXOO----XXXO----OOOO---- X",
    "OOOOOOOXXXOOXOXXXXXXXXOXOOOOOXXX--OOOXXX-----XXX-----XXX----OOOO X",
];

/// From this many empty squares on a position is solved exactly.
const SOLVED_FROM: u32 = 22;
/// Depth of the selective searches, in plies.
const SELECTIVE_DEPTH: u8 = 13;
/// Depth of the full-width searches (every fourth position), in plies.
const FULL_DEPTH: u8 = 8;

/// The cases for a rule set: the fixed ones for Othello, else positions of random games by these rules.
pub fn cases(rules: &Arc<RuleSet>) -> Vec<Case> {
    if **rules == RuleSet::othello() {
        let position = |text: &&str| board_text::parse(text, rules).expect("the positions are valid");
        return OTHELLO.iter().map(position).enumerate().map(|(i, position)| othello_case(i, position)).collect();
    }
    (0..8).map(|i| variant_case(rules, i)).collect()
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
fn variant_case(rules: &Arc<RuleSet>, index: u32) -> Case {
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
    Case { position, limits: Limits::new(Goal::Depth(5, Selectivity::NONE)) }
}
