//! The positions of the published rule sheets, and the start of every preset.

use std::sync::Arc;

use outflank::rules::{Bits, Color, Direction, Move, Point, Position, RuleSet};

fn rules(text: &str) -> Arc<RuleSet> {
    Arc::new(text.parse().unwrap_or_else(|error| panic!("{text}: {error}")))
}

/// Reads a picture, top row first: `first` and `second` are the players' discs.
fn position(rules: Arc<RuleSet>, picture: &str, [first, second]: [char; 2], side: Color) -> Position {
    let mut discs = [Bits::EMPTY; 2];
    for (row, line) in picture.split_whitespace().enumerate() {
        for (column, c) in line.chars().take(8).enumerate() {
            let point = Point { row: row as u8, column: column as u8 };
            if c == first {
                discs[0].insert(point);
            } else if c == second {
                discs[1].insert(point);
            }
        }
    }
    Position::from_discs(rules, discs[0], discs[1], side).expect("a position")
}

/// The squares of a set, row by row.
fn squares(set: Bits) -> String {
    set.iter().map(|point| point.to_string()).collect::<Vec<String>>().join(" ")
}

/// A square of a sheet that numbers rows from the bottom, in this project's notation.
fn from_bottom(text: &str) -> Move {
    let point: Point = text.parse().unwrap();
    Move::Place { at: Point { row: 7 - point.row, ..point }, direction: None }
}

/// Disc sets compared with the squares of a sheet that numbers rows from the bottom.
fn sheet_squares(set: Bits) -> String {
    let mut names: Vec<String> = set.iter().map(|point| Point { row: 7 - point.row, ..point }.to_string()).collect();
    names.sort();
    names.join(" ")
}

#[test]
fn a_many_directions_at_once() {
    // hungarian sheet, rows from 8 down to 1
    let before = position(
        rules("hungarian"),
        "#####o##8 o#O#O###7 #OOO####6 oO*OOOOo5 #OOOO###4 o#O#Oo##3 ##O##O##2 ##o###o#1",
        ['o', 'O'],
        Color::Black,
    );
    let after = before.play(from_bottom("c5")).unwrap();
    assert_eq!(sheet_squares(after.discs(Color::White)), "c6 c7 e4");
    assert_eq!(after.discs(Color::Black).count(), before.discs(Color::Black).count() + 1 + (18 - 3));
    assert_eq!(before.discs(Color::White).count(), 18);
}

#[test]
fn b_pass_and_pass_again() {
    let before = position(
        rules("hungarian"),
        "########8 ########7 ###ooooo6 ###oOOOO5 ###ooOOO4 ####ooOO3 ######oO2 ######*O1",
        ['o', 'O'],
        Color::Black,
    );
    assert!(before.must_pass() && !before.is_game_over());
    assert_eq!(before.legal_moves(), [Move::Pass]);
    let passed = before.play(Move::Pass).unwrap();
    assert!(passed.legal_moves().contains(&from_bottom("g1")));
    assert_eq!(sheet_squares(passed.flips(from_bottom("g1"))), "g2");
    let after = passed.play(from_bottom("g1")).unwrap();
    assert!(after.must_pass());
    assert_eq!(after.side_to_move(), Color::Black);
}

#[test]
fn c_lines() {
    for (line, after) in [("#Oo", "ooo"), ("#OOOOOOo", "oooooooo")] {
        let before = position(rules("hungarian"), line, ['o', 'O'], Color::Black);
        let played = before.play("a1".parse().unwrap()).unwrap();
        assert_eq!(played.discs(Color::Black).count() as usize, after.len());
        assert!(played.discs(Color::White).is_empty());
        assert!(played.is_game_over());
    }
}

#[test]
fn d_reveris_figure_3() {
    let picture = "######## ######## ####O### ####X### ##O#X### ###XX### ######## ########";
    let before = position(rules("reveris"), picture, ['X', 'O'], Color::White);
    let e7: Move = "e7".parse().unwrap();
    assert_eq!(squares(before.flips(e7)), "e4 e5 d6 e6");
    let after = before.play(e7).unwrap();
    assert!(after.discs(Color::Black).is_empty() && after.is_game_over());
    assert_eq!(after.winner(), Some(Color::White));
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
    check("reveris", falling, rising, "e3 f4 c5 d6");
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
