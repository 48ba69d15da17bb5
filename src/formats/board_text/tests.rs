use super::*;
use crate::formats::picture::Picture;
use crate::formats::{obf, transcript};
use crate::game::Game;

fn othello() -> Arc<RuleSet> {
    Arc::new(RuleSet::othello())
}

fn read(text: &str) -> Result<String, String> {
    parse(text, &othello()).map(|position| write(&position)).map_err(|error| error.to_string())
}

const AFTER_F5: &str = "---------------------------OX------XXX-------------------------- O";

#[test]
fn spellings() {
    let squares = AFTER_F5.trim_end_matches(" O");
    let rows: Vec<&str> = (0..8).map(|row| &squares[8 * row..8 * row + 8]).collect();
    let numbered: String = rows.iter().enumerate().map(|(i, row)| format!("{0} {row} {0}\n", i + 1)).collect();
    let upside_down: String = (0..8).rev().map(|i| format!("{}{}\n", rows[i], i + 1)).collect();
    for text in [
        AFTER_F5.to_string(),
        AFTER_F5.to_lowercase(),
        AFTER_F5.replace('X', "*").replace('-', "."),
        AFTER_F5.replace('X', "b").replace('O', "w").replace('-', "_"),
        AFTER_F5.replace(" O", "O"),
        format!("{squares} white"),
        format!("{squares}\r\nO\r\n"),
        rows.join("/") + " O",
        rows.join("\n") + "\nO",
        format!("  A B C D E F G H\n{numbered}  A B C D E F G H\nO"),
        format!("|{}| w", rows.join("|\n|")),
        format!("{upside_down}abcdefgh\no"),
        squares.split_at(13).0.to_string() + "\n" + squares.split_at(13).1 + " O",
    ] {
        assert_eq!(read(&text).as_deref(), Ok(AFTER_F5), "{text}");
    }
    let black = read(squares).unwrap();
    assert!(black.ends_with(" X"));
    // a move, not the side `b`, follows
    let (position, length) = parse_prefix(&format!("{squares} b4"), &othello()).unwrap();
    assert_eq!((position.side_to_move(), length), (Color::Black, 64));
}

#[test]
fn pictures_of_boards_are_read_back() {
    for (rules, moves) in [
        ("othello", "f5"),
        ("othello", "f5d6c3"),
        // the game is over
        ("othello", "f5d6c5f4e3f6g5e6e7"),
        ("hungarian:6x6", ""),
        ("ravensburger", "d3"),
        ("traveller", "d4"),
        ("octagon", "e4"),
        ("hungarian:octagon", "e3"),
        ("othello:4x6,holes=a1,c4", ""),
        // letters of more than one byte
        ("othello:colors=élan/vert", "f5"),
        ("ravensburger:colors=белый/чёрный", "d3"),
        ("traveller:colors=rouge/élan", "d4e4"),
    ] {
        let rules: Arc<RuleSet> = Arc::new(rules.parse().unwrap());
        let game = transcript::parse(&Position::start(rules.clone()), moves).unwrap();
        let text = Picture::at(&game, 60, true).to_text();
        let position = parse(&text, &rules).unwrap();
        assert_eq!(write(&position).split(' ').next(), write(game.position()).split(' ').next(), "{text}");
        assert!(game.position().is_game_over() || position == *game.position(), "{text}");
        // in a file, with another board behind it
        let problems: Vec<_> = obf::Reader::new(format!("{text}{text}").as_bytes(), rules).collect();
        let found: Vec<_> =
            problems.iter().map(|(line, problem)| (*line, &problem.as_ref().unwrap().position)).collect();
        assert_eq!(found, [(1, &position), (1 + text.lines().count(), &position)], "{text}");
    }
    // a last disc in the corner, and brackets of nothing
    let corner = |last: &str| format!("{}- - - - - - -{last}\n40-20, O to move", "- - - - - - - -\n".repeat(7));
    assert_eq!(read(&corner(" [X]")), Ok(format!("{}X O", "-".repeat(63))));
    assert_eq!(read(&corner(" [X")), Err("line 8, column 15: '[' is not a square (X, O or -)".to_string()));
}

#[test]
fn errors_name_the_place() {
    for (text, message) in [
        ("", "line 1, column 1: the board has 0 squares, not 64"),
        ("---- X", "line 1, column 7: the board has 5 squares, not 64"),
        ("----?---", "line 1, column 5: '?' is not a square (X, O or -)"),
        ("--------/-------/", "line 1, column 17: row 2 has 7 squares, not 8"),
        ("--------1 ---3----", "line 1, column 14: '3' is not a row number that fits here"),
    ] {
        assert_eq!(read(text), Err(message.to_string()), "{text}");
    }
    let error = read(&format!("{AFTER_F5} f5")).unwrap_err();
    let expected = "'f5' follows the board, where only the side to move (X or O) is expected";
    assert_eq!(error, format!("line 1, column 68: {expected}"));
    let diagram = format!("{}-------\n{}", "--------\n".repeat(5), "--------\n".repeat(2));
    assert_eq!(read(&diagram).unwrap_err(), "line 6, column 1: row 6 has 7 squares, not 8");
    let numbered: String = [1, 2, 3, 5, 4, 6, 7, 8].iter().map(|n| format!("{n} --------\n")).collect();
    assert_eq!(read(&numbered).unwrap_err(), "line 4, column 1: '5' is not a row number that fits here");
    // too many squares are told as such, not as something that follows the board
    for (more, found) in [("-", 65), ("-X X", 66), ("XO O", 66), ("--------", 72)] {
        let error = read(&AFTER_F5.replace(" O", more)).unwrap_err();
        assert_eq!(error, format!("line 1, column 65: the board has {found} squares, not 64"), "{more}");
    }
    // holes are squares of a text
    let cut: Arc<RuleSet> = Arc::new("othello:7x7,holes=a1".parse().unwrap());
    for (length, column) in [(48, 51), (50, 50)] {
        let error = parse(&format!("{} X", "-".repeat(length)), &cut).unwrap_err().to_string();
        assert_eq!(error, format!("line 1, column {column}: the board has {length} squares, not 49"));
    }
    let odd = AFTER_F5.replace(" O", " Q");
    assert!(read(&odd).unwrap_err().starts_with("line 1, column 66: 'Q' follows"));
}

/// Numbers before the rows or behind them, downwards or upwards, and with one of them wrong: all must fit one direction.
#[test]
fn row_numbers_fit_in_one_direction() {
    let rows: Vec<&str> = (0..8).map(|row| &AFTER_F5[8 * row..8 * row + 8]).collect();
    for behind in [0, 1] {
        for down in [true, false] {
            for (odd, wrong) in (0..8).flat_map(|odd| (0..11).map(move |wrong| (odd, wrong))) {
                let mut numbers: Vec<usize> = (1..=8).collect();
                if !down {
                    numbers.reverse();
                }
                numbers[odd] = wrong;
                let text: String = numbers
                    .iter()
                    .zip(&rows)
                    .map(
                        |(number, row)| {
                            if behind == 1 { format!("{row} {number}\n") } else { format!("{number} {row}\n") }
                        },
                    )
                    .collect();
                // a number is read before or behind its row: one of its two neighbours is as good
                let fits = |first: &dyn Fn(usize) -> usize| {
                    numbers.iter().enumerate().all(|(i, &n)| n == first(i + behind) || n == first(i + behind) + 1)
                };
                let (ascending, descending) = (fits(&|before| before), fits(&|before| 8 - before));
                match read(&format!("{text}O")) {
                    Ok(found) if ascending => assert_eq!(found, AFTER_F5, "{text}"),
                    Ok(found) => {
                        let turned: String = rows.iter().rev().copied().collect();
                        assert!(descending && found == turned + " O", "{text}");
                    }
                    Err(error) => {
                        assert!(!ascending && !descending, "{text}: {error}");
                        assert!(error.contains("is not a row number that fits here"), "{text}: {error}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_board_has_exactly_its_squares() {
    let short = &AFTER_F5[1..];
    let squares = &AFTER_F5[..64];
    let rows =
        |text: &str| text.as_bytes().chunks(8).map(|row| String::from_utf8_lossy(row) + "\n").collect::<String>();
    let apart = |text: &str| text.chars().flat_map(|c| [c, ' ']).collect::<String>();
    let (full, black) = ("X".repeat(64), "X".repeat(63));
    for (text, part) in [
        // 63 squares and the side: the side is no square
        (short.to_string(), "column 66: the board has 63 squares, not 64"),
        (format!("{}X", &short[..64]), "the board has 63 squares, not 64"),
        (format!("{} X; 18", &short[..63]), "the board has 63 squares, not 64"),
        (format!("{} black", &short[..63]), "the board has 63 squares, not 64"),
        (format!("{} white", &short[..63]), "the board has 63 squares, not 64"),
        (rows(&squares[..63]) + "O", "line 8, column 1: row 8 has 7 squares, not 8"),
        (rows(&squares[..63]).trim_end().to_string() + " O", "line 8, column 1: row 8 has 7 squares, not 8"),
        (format!("{black} X"), "the board has 63 squares, not 64"),
        (format!("{black} X X"), "the board has 63 squares, not 64"),
        // nothing tells whether the last one is a square or the side
        (apart(&full), "the board has 63 squares, not 64"),
        // rows that are not the lines
        (format!("-------\n---------\n{}", rows(&squares[16..])), "line 1, column 1: row 1 has 7 squares, not 8"),
        // one too many
        (format!("-{AFTER_F5}"), "the board has 65 squares, not 64"),
        (format!("{}--------", rows(squares)), "follows the board"),
    ] {
        let error = read(&text).expect_err(&text);
        assert!(error.contains(part), "{text}: {error}");
    }
    for (text, side) in [
        (apart(&full) + " O", "O"),
        (full.clone(), "X"),
        (full.clone() + " O", "O"),
        (full.clone() + "O", "O"),
        (rows(&full), "X"),
        (rows(&full).trim_end().to_string() + "O", "O"),
        (full.as_bytes().chunks(8).map(|row| apart(&String::from_utf8_lossy(row)) + "\n").collect(), "X"),
        (full.as_bytes().chunks(8).map(|row| String::from_utf8_lossy(row) + "/").collect::<String>() + " O", "O"),
    ] {
        let text = text.strip_suffix("/ O").map_or(text.clone(), |board| board.to_string() + " O");
        assert_eq!(read(&text), Ok(format!("{full} {side}")), "{text}");
    }
}

#[test]
fn words_of_a_command() {
    let read = |text: &str| parse_words(&text.split(' ').collect::<Vec<_>>(), &othello()).map(|(_, words)| words);
    let joined = AFTER_F5.replace(' ', "");
    assert_eq!(read(&format!("{AFTER_F5} -64 64")), Ok(2));
    assert_eq!(read(&format!("{joined} -64 64")), Ok(1));
    assert_eq!(read(&format!("{} {} -64", &AFTER_F5[..30], &AFTER_F5[30..])), Ok(3));
    for text in [&AFTER_F5[..64], &(AFTER_F5[1..].replace(' ', "") + " -64"), &(AFTER_F5[..64].to_string() + " -64")] {
        assert_eq!(read(text).unwrap_err().kind, BoardTextErrorKind::NoSide(othello().letters()), "{text}");
    }
    let gold: Arc<RuleSet> = Arc::new("ravensburger:4x4".parse().unwrap());
    let error = parse_words(&["-----BG--GB-----"], &gold).unwrap_err().to_string();
    assert_eq!(error, "line 1, column 17: the side to move (G or B) is missing after the board");
    assert!(matches!(read(&format!("{joined}/ 3")).unwrap_err().kind, BoardTextErrorKind::Trailing { .. }));
}

#[test]
fn long_texts_are_read_in_linear_time() {
    let begun = crate::time::Instant::now();
    let blanks = " ".repeat(2_000_000);
    assert_eq!(read(&format!("{blanks}{AFTER_F5}{blanks}")).as_deref(), Ok(AFTER_F5));
    assert_eq!(read(&format!("{}{blanks}{}", &AFTER_F5[..9], &AFTER_F5[9..])).as_deref(), Ok(AFTER_F5));
    let numbers = "8 ".repeat(1_000_000);
    assert!(read(&format!("{}{numbers}", &AFTER_F5[..64])).is_ok());
    assert!(read(&"|\n".repeat(1_000_000)).is_err());
    // the square of their lengths would take hours
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
}

#[test]
fn other_sizes_and_the_placement_phase() {
    let sized = |rows, columns| Arc::new(RuleSet::othello().to_builder().size(rows, columns).build().unwrap());
    let rules = sized(4, 6);
    let start = Position::start(rules.clone());
    assert_eq!(write(&start), "--------OX----XO-------- X");
    assert_eq!(parse(&write(&start), &rules), Ok(start));
    let large = sized(10, 16);
    let header: String = ('a'..='p').collect();
    let rows: String = (1..=10).map(|row| format!("{row} {} {row}\n", "-".repeat(16))).collect();
    assert_eq!(parse(&(header + "\n" + &rows), &large).unwrap().empty_count(), 160);

    let placing = Arc::new(RuleSet::othello().to_builder().start(Start::Placement).build().unwrap());
    let mut game = Game::new(placing.clone());
    for square in ["d4", "d5", "e4", "e5"] {
        let text = write(game.position());
        assert_eq!(parse(&text, &placing).as_ref(), Ok(game.position()), "{text}");
        game.play(crate::formats::parse_move(game.position(), square).unwrap()).unwrap();
    }
    let text = write(game.position());
    assert_eq!(parse(&text, &placing).as_ref(), Ok(game.position()));
    let text = write(&Position::start(placing.clone())).replace('X', "O");
    assert_eq!(parse(&text, &placing).unwrap_err().kind, BoardTextErrorKind::PlacementSide("white".to_string()));
    for side in ["é", "élan", "élan to move"] {
        let error = read_as("traveller:4x4,colors=rouge/élan", &format!("{} {side}", "-".repeat(16))).unwrap_err();
        let expected = "line 1, column 18: élan to move, but the discs on the centre say otherwise";
        assert_eq!(error, expected, "{side}");
    }
}

/// Reads a board under rules; the position as text in `X`, `O` and `-`, or what is wrong.
fn read_as(rules: &str, text: &str) -> Result<String, String> {
    let rules = Arc::new(rules.parse::<RuleSet>().unwrap());
    parse(text, &rules).map(|position| write(&position)).map_err(|error| error.to_string())
}

#[test]
fn every_edition_in_its_own_letters() {
    for (rules, text, expected) in [
        ("hungarian:4x4", "#####oO##Oo##### o", "-----XO--OX----- X"),
        ("hungarian:4x4", "####\n#oO#\n#Oo#\n####\nO", "-----XO--OX----- O"),
        ("hungarian:4x4", "-----XO--OX----- O", "-----XO--OX----- O"),
        ("hungarian:4x4", "####4\n#oO#3\n#Oo#2\n##o#1\nabcd\no", "--X--OX--XO----- X"),
        ("ravensburger:4x4", "-----BG--GB----- G", "-----OX--XO----- X"),
        ("ravensburger:4x4", "-----bg--gb----- black", "-----OX--XO----- O"),
        ("ravensburger:4x4", "-----OX--XO----- gold", "-----OX--XO----- X"),
        ("traveller-all:4x4", "-----GR--RG----- green", "-----OX--XO----- O hands=6/6"),
        ("octagon:6x6", "##--## #----# --OX-- --XO-- #----# ##--## X", "--------------OX----XO-------------- X"),
    ] {
        let expected = if rules.starts_with("traveller") { expected.trim_end_matches(" hands=6/6") } else { expected };
        assert_eq!(read_as(rules, text).as_deref(), Ok(expected), "{rules} {text}");
    }
}

#[test]
fn what_could_mean_two_things_is_refused() {
    for (rules, text, part) in [
        ("hungarian:4x4", "-----oX--Xo----- O", "column 7: 'o' and 'X' on one board are ambiguous"),
        ("hungarian:4x4", "-----XO--OX----- o", "column 18: 'o' and 'X' on one board are ambiguous"),
        (
            "ravensburger:4x4",
            "-----OX--XO----- B",
            "'B' and 'O' on one board are ambiguous under these rules: write G and B",
        ),
        ("ravensburger:4x4", "-----WB--BW----- B", "column 6: 'W' is not a square (G, B or -)"),
        ("ravensburger:4x4", "-----BG--GB----- white", "'white' follows the board"),
        ("ravensburger:4x4", "-----BG--GB----- W", "where only the side to move (G or B) is expected"),
        ("traveller:4x4", "-----GR--RG----GRG R", "the board has 18 squares, not 16"),
        ("hungarian:4x4", "#####oO##Oo######## O", "the board has 19 squares, not 16"),
        ("othello:4x4", "#----OX--XO----- X", "column 1: '#' is not a square (X, O or -)"),
        (
            "octagon:6x6",
            "--#--- ------ --OX-- --XO-- ------ ------ X",
            "'#' is a hole, but these rules have none on c1",
        ),
        (
            "octagon:6x6",
            " X----- ------ --OX-- --XO-- ------ ------ X",
            "column 2: a disc on a1, which is a hole of this board",
        ),
        ("hungarian:4x4", "####oO##Oo##### o", "the board has 15 squares, not 16"),
        // of a larger board the disc that would be the side to move is a square like the others
        (
            "othello:6x6",
            "---------------------------OX------XO--------------------------- X",
            "column 37: the board has 64 squares, not 36",
        ),
        ("othello:4x4", "--------------XOO---XO-------------- X", "column 17: the board has 36 squares, not 16"),
        ("ravensburger:4x4", "----BG--GB----- G", "the board has 15 squares, not 16"),
    ] {
        let error = read_as(rules, text).expect_err(text);
        assert!(error.contains(part), "{rules} {text}: {error}");
    }
}
