//! The positions of the published rule sheets, and the start of every preset.

use std::sync::Arc;

use outflank::formats::board_text;
use outflank::rules::{Bits, Color, Direction, Move, Position, RuleSet};

fn rules(text: &str) -> Arc<RuleSet> {
    Arc::new(text.parse().unwrap_or_else(|error| panic!("{text}: {error}")))
}

/// Reads a board as it is printed on a sheet: in the letters of its rule set, with its row numbers where it has them. The
/// square that a figure marks with `*` is empty.
fn position(rules: &Arc<RuleSet>, picture: &str, side: &str) -> Position {
    let text = format!("{}\n{side}", picture.replace('*', "#"));
    board_text::parse(&text, rules).unwrap_or_else(|error| panic!("{picture}: {error}"))
}

/// Rows one below the other.
fn rows(picture: &str) -> String {
    picture.replace(' ', "\n")
}

/// The squares of a set, row by row.
fn squares(set: Bits) -> String {
    set.iter().map(|point| point.to_string()).collect::<Vec<String>>().join(" ")
}

#[test]
fn a_many_directions_at_once() {
    // the sheet prints rows 8 down to 1
    let picture = "#####o##8 o#O#O###7 #OOO####6 oO*OOOOo5 #OOOO###4 o#O#Oo##3 ##O##O##2 ##o###o#1 abcdefgh";
    let before = position(&rules("hungarian"), &rows(picture), "o");
    assert_eq!(squares(before.discs(Color::Black)), "c1 g1 a3 f3 a5 h5 a7 f8");
    let after = before.play("c5".parse().unwrap()).unwrap();
    assert_eq!(squares(after.discs(Color::White)), "e4 c6 c7");
    assert_eq!(after.discs(Color::Black).count(), before.discs(Color::Black).count() + 1 + (18 - 3));
    assert_eq!(before.discs(Color::White).count(), 18);
    // without row numbers the first line is row 1, and the board stands on its head: the same move is c4
    let turned = position(&rules("hungarian"), &rows(&picture.replace(|c: char| c.is_ascii_digit(), "")), "o");
    assert_eq!(squares(turned.play("c4".parse().unwrap()).unwrap().discs(Color::White)), "c2 c3 e5");
}

#[test]
fn b_pass_and_pass_again() {
    let picture = "########8 ########7 ###ooooo6 ###oOOOO5 ###ooOOO4 ####ooOO3 ######oO2 ######*O1 abcdefgh";
    let before = position(&rules("hungarian"), &rows(picture), "o");
    assert!(before.must_pass() && !before.is_game_over());
    assert_eq!(before.legal_moves(), [Move::Pass]);
    let passed = before.play(Move::Pass).unwrap();
    let g1: Move = "g1".parse().unwrap();
    assert!(passed.legal_moves().contains(&g1));
    assert_eq!(squares(passed.flips(g1)), "g2");
    let after = passed.play(g1).unwrap();
    assert!(after.must_pass());
    assert_eq!(after.side_to_move(), Color::Black);
}

#[test]
fn c_lines() {
    for (line, after) in [("#Oo", "ooo"), ("#OOOOOOo", "oooooooo")] {
        let picture = format!("{line:#<8}\n{}", "########\n".repeat(7));
        let before = position(&rules("hungarian"), &picture, "o");
        let played = before.play("a1".parse().unwrap()).unwrap();
        assert_eq!(played.discs(Color::Black).count() as usize, after.len());
        assert!(played.discs(Color::White).is_empty());
        assert!(played.is_game_over());
    }
}

#[test]
fn d_reveris_figure_3() {
    let picture = "-------- -------- ----O--- ----X--- --O-X--- ---XX--- -------- --------";
    let before = position(&rules("reveris"), &rows(picture), "O");
    let e7: Move = "e7".parse().unwrap();
    assert_eq!(squares(before.flips(e7)), "e4 e5 d6 e6");
    let after = before.play(e7).unwrap();
    assert!(after.discs(Color::Black).is_empty() && after.is_game_over());
    assert_eq!(after.winner(), Some(Color::White));
}

#[test]
fn e_reveris_figure_2() {
    let start = Position::start(rules("reveris"));
    let f5: Move = "f5".parse().unwrap();
    assert_eq!(squares(start.flips(f5)), "e5");
    assert!(Position::start(rules("othello:crossed-mirrored")).play(f5).is_err(), "the mirrored start knows no f5");
}

#[test]
fn e_winners_of_finished_games() {
    let finished = |text: &str, black: u32| {
        // full boards with this many black discs
        let (mut discs, all) = ([Bits::EMPTY; 2], Bits::board(8, 8));
        for (i, point) in all.iter().enumerate() {
            discs[usize::from(i as u32 >= black)].insert(point);
        }
        let end = Position::from_discs(rules(text), discs[0], discs[1], Color::Black).unwrap();
        assert!(end.is_game_over() && end.legal_moves().is_empty());
        end.winner()
    };
    for name in ["othello", "reveris"] {
        assert_eq!(finished(name, 24), Some(Color::White), "24-40");
        assert_eq!(finished(name, 41), Some(Color::Black), "41-23");
        assert_eq!(finished(name, 32), None, "32-32");
    }
    assert_eq!(finished("ravensburger", 32), Some(Color::White));
    assert_eq!(finished("ravensburger-one", 32), Some(Color::White));
    assert_eq!(finished("ravensburger", 33), Some(Color::Black));
    assert_eq!(finished("othello:fewest", 24), Some(Color::Black));
    assert_eq!(finished("othello:fewest,second-wins", 32), Some(Color::White));
}

#[test]
fn e_the_empty_squares_go_to_the_winner() {
    let scores = |text: &str, board: &str| {
        let end: Position = format!("{text} {board} X").parse().unwrap();
        assert!(end.is_game_over());
        (end.final_score(false), end.final_score(true))
    };
    assert_eq!(scores("othello:4x4", "XXX1/4/4/4"), (16, 3));
    assert_eq!(scores("othello:4x4", "XXX1/4/4/OOOO"), (-10, -1));
    assert_eq!(scores("othello:4x4", "XX2/4/4/OO2"), (0, 0));
    assert_eq!(scores("othello:4x4,fewest", "XXX1/4/4/OOOO"), (10, 1));
}

#[test]
fn starts_of_the_presets() {
    let check = |text: &str, first: &str, second: &str, moves: &str| {
        let start = Position::start(rules(text));
        assert_eq!(start.side_to_move(), Color::Black, "{text}");
        assert_eq!(squares(start.discs(Color::Black)), first, "{text}");
        assert_eq!(squares(start.discs(Color::White)), second, "{text}");
        let legal: Vec<String> = start.legal_moves().iter().map(Move::to_string).collect();
        assert_eq!(legal.join(" "), moves, "{text}");
    };
    let (rising, falling) = ("e4 d5", "d4 e5");
    check("othello", rising, falling, "d3 c4 f5 e6");
    check("reversi", rising, falling, "d3 c4 f5 e6");
    // the sheet's e4, d5 (white) and e5, d4 (black) in chess coordinates
    check("reveris", rising, falling, "d3 c4 f5 e6");
    check("othello:crossed-mirrored", falling, rising, "e3 f4 c5 d6");
    check("othello:5x5", "c2 b3", "b2 c3", "b1 a2 d3 c4");
    check("othello:7x8", "e3 d4", "d3 e4", "d2 c3 f4 e5");
    check("handicap:2", "a1 e4 d5 h8", falling, "d3 c4 f5 e6");
    check("ravensburger", rising, falling, "d3 c4 f5 e6");
    check("ravensburger-one", rising, falling, "d3:S c4:E f5:W e6:N");
    check("traveller", "", "", "d4 e4 d5 e5");
    check("traveller-all", "", "", "d4 e4 d5 e5");
    // the sheet's d5 and e4, rows numbered from the bottom
    check("hungarian", falling, rising, "e3 f4 c5 d6");
    check("reversi:parallel", "d5 e5", "d4 e4", "c3 d3 e3 f3");
    check("hungarian:10x12", "f5 g6", "g5 f6", "g4 h5 e6 f7");
}

#[test]
fn placement_phase() {
    let mut position = Position::start(rules("traveller"));
    let mut sides = Vec::new();
    for text in ["e4", "d4", "e5", "d5"] {
        assert_eq!(position.legal_moves().len() as u8, position.placements_left());
        sides.push(position.side_to_move());
        position = position.play(text.parse().unwrap()).unwrap();
    }
    use Color::{Black, White};
    assert_eq!(sides, [Black, Black, White, White]);
    assert_eq!((position.side_to_move(), position.placements_left()), (Black, 0));
    assert_eq!((position.in_hand(Black), position.in_hand(White)), (Some(30), Some(30)));
    assert_eq!(squares(position.discs(Black)), "d4 e4");
    assert!(position.play("c3".parse().unwrap()).is_err(), "a direction is needed");
    let c6 = Move::Place { at: "c6".parse().unwrap(), direction: Some(Direction::NE) };
    assert_eq!(squares(position.flips(c6)), "d5");
}

#[test]
fn a_player_without_discs_passes() {
    // black could turn b1 but has nothing in hand; white can still play
    let position: Position = "othello:4x4,own 1OX1/XXXX/XXXX/XX2 X hands=0/4".parse().unwrap();
    assert!(position.must_pass());
    let shared: Position = "othello:4x4 1OX1/XXXX/XXXX/XX2 X".parse().unwrap();
    assert!(!shared.must_pass());
    let passed = position.play(Move::Pass).unwrap();
    assert!(passed.legal_moves().contains(&"d1".parse().unwrap()));
    assert_eq!(passed.play("d1".parse().unwrap()).unwrap().in_hand(Color::White), Some(3));
    // when white cannot move either, the game is over although black's square is there
    let over: Position = "othello:4x4,own 1OXX/X1XX/XXXX/XXX1 X hands=0/3".parse().unwrap();
    assert!(over.is_game_over() && over.legal_moves().is_empty());
    let shared: Position = "othello:4x4 1OXX/X1XX/XXXX/XXX1 X".parse().unwrap();
    assert!(!shared.is_game_over());
}
