//! GTP sessions under other rules and on other boards, as GoGui and others hold them.
#![cfg(feature = "cli")]

mod sessions;

use std::sync::Arc;

use outflank::rules::{Color, Move, Point, Position};
use sessions::Talk;

#[test]
fn other_rules_and_sizes() {
    let mut talk = Talk::with_rules("hungarian:6x6");
    assert_eq!(talk.ok("outflank-rules"), "hungarian:6x6");
    assert_eq!(talk.ok("gogui-rules_board_size"), "6");
    talk.all_ok(&["boardsize 6", "boardsize 10"]);
    assert_eq!(talk.ok("gogui-rules_board_size"), "10");
    for size in ["3", "2", "18"] {
        assert_eq!(talk.fail(&format!("boardsize {size}")), "unacceptable size");
    }
    talk.ok("boardsize 7");
    assert_eq!(talk.ok("gogui-rules_board_size"), "7");
    talk.ok("boardsize 6 4");
    assert_eq!(talk.ok("gogui-rules_board_size"), "6 4");
    assert_eq!(talk.ok("gogui-rules_board").lines().count(), 4);
    talk.fail("outflank-rules nonsense");
    assert_eq!(talk.ok("gogui-rules_board_size"), "6 4");
    // holes are drawn
    let mut talk = Talk::with_rules("octagon");
    assert!(talk.ok("showboard").contains("\n 1 # # . . . . . . # # 1\n"));
}

/// What names the rules in force can be sent back, also where a start has holes: behind a `#` nothing is heard.
#[test]
fn rules_are_named_as_gtp_reads_them() {
    for rules in ["octagon:6x6,start=6/6/2OX2/2XO2/6/6", "othello:6x4,holes=a1,d6,start=4/4/1OX1/1XO1/4/4"] {
        let mut talk = Talk::with_rules(rules);
        let named = talk.ok("outflank-rules");
        let board = talk.ok("showboard");
        talk.all_ok(&["outflank-rules othello", &format!("outflank-rules {named}")]);
        assert_eq!((talk.ok("outflank-rules"), talk.ok("showboard")), (named, board));
    }
}

/// A file may have rules of its own, which are those of its game: what begins afterwards is by those that the client has asked for.
#[test]
fn rules_of_a_file_are_those_of_its_game_only() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        format!("loadsgf {}", path.display())
    };
    let small = write("small.sgf", "(;GM[2]SZ[6]RU[traveller])");
    let plain = write("plain.txt", "f5d6c3");
    let start = "---------------------------OX------XO--------------------------- X";
    let setboard = format!("outflank-setboard {start}");
    let mut talk = Talk::with_rules("othello");
    for next in ["clear_board", "boardsize 8", "set_game Othello", &setboard, &plain] {
        talk.ok(&small);
        assert_eq!(talk.ok("outflank-rules"), "traveller:6x6");
        talk.ok(next);
        assert_eq!(talk.ok("outflank-rules"), "othello", "{next}");
    }
    // what cannot be done leaves the game of the file as it is
    talk.ok(&small);
    talk.fail("boardsize 3");
    talk.fail("set_game Go");
    assert_eq!(talk.ok("outflank-rules"), "traveller:6x6");
    // a size and rules that the client asks for are its own
    for (asked, rules) in [("boardsize 6", "othello:6x6"), ("outflank-rules octagon", "octagon")] {
        talk.all_ok(&[asked, &small, "clear_board"]);
        assert_eq!(talk.ok("outflank-rules"), rules);
    }
}

/// The board as GoGui is told it: the last row first.
fn gogui_board(position: &Position) -> String {
    let rules = position.rules();
    let disc = |row, column| match position.disc_at(Point { row, column }) {
        Some(Color::Black) => "X",
        Some(Color::White) => "O",
        None => ".",
    };
    let line = |row| (0..rules.columns()).map(|column| disc(row, column)).collect::<Vec<_>>().join(" ");
    (0..rules.rows()).rev().map(line).collect::<Vec<_>>().join("\n")
}

/// GoGui's two copies of the program on other boards: the player, and the ruler, which gets all the moves again for every
/// position and is asked what GoGui draws. A second account of the game is kept beside them.
#[test]
fn gogui_plays_on_boards_of_other_sizes() {
    for (rules, boardsize, first_moves) in [
        ("othello:6x6", "6", "C2 B3 E4 D5"),
        ("othello:10x10", "10", "E4 D5 G6 F7"),
        ("othello:12x8", "8 12", "D5 C6 F7 E8"),
        ("hungarian:6x10", "10 6", "F2 G3 D4 E5"),
    ] {
        let [mut player, mut ruler] = [(); 2].map(|()| Talk::with_rules(rules));
        for talk in [&mut player, &mut ruler] {
            talk.all_ok(&["gogui-interrupt", "gogui-rules_game_id", &format!("boardsize {boardsize}"), "clear_board"]);
            assert_eq!(talk.ok("gogui-rules_board_size"), boardsize);
        }
        assert_eq!(ruler.ok("gogui-rules_legal_moves"), first_moves, "{rules}");
        let mut position = Position::start(Arc::new(rules.parse().unwrap()));
        let mut played: Vec<String> = Vec::new();
        while !position.is_game_over() {
            let side = position.side_to_move().name();
            let text = player.ok(&format!("genmove {side}"));
            assert!(ruler.ok("gogui-rules_legal_moves").split(' ').any(|mv| mv.eq_ignore_ascii_case(&text)), "{text}");
            let mv = match text.split_at(1) {
                _ if text == "PASS" => Move::Pass,
                (letter, number) => {
                    let column = "ABCDEFGHJKLMNOPQ".find(letter).unwrap() as u8;
                    Move::Place { at: Point { row: number.parse::<u8>().unwrap() - 1, column }, direction: None }
                }
            };
            position = position.play(mv).unwrap();
            played.push(format!("play {side} {text}"));
            ruler.ok("clear_board");
            played.iter().for_each(|play| drop(ruler.ok(play)));
            assert_eq!(ruler.side(), position.side_to_move().name());
            assert_eq!(ruler.ok("gogui-rules_board"), gogui_board(&position), "{rules}");
        }
        assert_eq!(ruler.ok("gogui-rules_legal_moves"), "");
        let margin = position.final_score(false).abs();
        let result = ruler.ok("gogui-rules_final_result");
        assert!(result == "Draw" || result.ends_with(&format!("wins by {margin}")), "{result}, {margin}");
        assert_eq!(player.ok("final_score"), ruler.ok("final_score"));
    }
}

#[test]
fn wide_boards_skip_the_letter_i() {
    let mut talk = Talk::with_rules("othello:12x12");
    assert!(talk.ok("showboard").contains(" G H J K L M\n"));
    let mut seen_j = false;
    for _ in 0..40 {
        let (side, moves) = (talk.side(), talk.ok("gogui-rules_legal_moves"));
        assert!(!moves.contains('I'), "{moves}");
        seen_j |= moves.contains('J');
        for mv in moves.split(' ') {
            talk.all_ok(&[&format!("play {side} {mv}"), "undo"]);
        }
        talk.ok(&format!("play {side} {}", moves.split(' ').next_back().unwrap()));
    }
    assert!(seen_j);
    assert_eq!(talk.fail("play b i5"), "illegal move");
}

#[test]
fn one_direction_moves_ask_for_the_direction() {
    let mut talk = Talk::with_rules("ravensburger-one");
    talk.all_ok(&["play b d3", "play w c3", "play b c4"]);
    let complaint = talk.fail("play w e3");
    assert!(complaint.starts_with("illegal move: choose one of E3:"), "{complaint}");
    let choice = complaint.split(' ').next_back().unwrap();
    talk.ok(&format!("play w {choice}"));
    // one that must pass has no choice: these moves are its opponent's
    let board = "XXXXXXXXXOOOXOOXXOOOOOOXXXOOOXOXXXXOOXOXXXOXXOO.XXOXXO..XXXXXX..";
    talk.all_ok(&["outflank-rules ravensburger-one", &format!("outflank-setboard {board} O")]);
    assert_eq!(talk.fail("play w h6"), "illegal move");
    assert_eq!(talk.fail("play b h6"), "illegal move: choose one of H6:W H6:NW");
}

/// Plays games between the session and itself under every kind of rules.
#[test]
fn whole_games_under_all_rules() {
    for rules in
        ["othello", "reveris", "ravensburger-one", "traveller", "traveller-all", "hungarian:10x10", "reversi:6x4"]
    {
        let mut talk = Talk::with_rules(rules);
        let mut passes = 0;
        for _ in 0..300 {
            let side = talk.side();
            let mv = talk.ok(&format!("genmove {side}"));
            passes = if mv == "PASS" { passes + 1 } else { 0 };
            if passes == 2 {
                break;
            }
        }
        assert_eq!(passes, 2, "{rules}: the game ends");
        talk.ok("final_score");
    }
}
