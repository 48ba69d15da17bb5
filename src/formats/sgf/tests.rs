use super::*;
use crate::formats::transcript;

fn moves(text: &str) -> String {
    let record = parse_game(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    transcript::write(&record.game)
}

fn error(text: &str) -> String {
    parse_game(text).unwrap_err().to_string()
}

#[test]
fn the_header_of_quarry() {
    let text = "(;GM[2]FF[4]CA[UTF-8]AP[Quarry:0.2.0]SZ[8]TM[600.0]OT[none]PB[EngB]PW[EngW]RE[W+12]\n\
                ;B[cd];W[ec]BL[598.2])";
    let record = parse_game(text).unwrap();
    assert_eq!(transcript::write(&record.game), "c4e3");
    assert_eq!([&record.players[0].name, &record.players[1].name], ["EngB", "EngW"]);
    let result = record.result.unwrap();
    assert_eq!((result.winner, result.score), (Some(Color::White), Some(-12.0)));
    assert_eq!(record.tag("TM"), Some("600.0"));
    assert_eq!(parse_game(&write(&record)), Ok(record));
}

#[test]
fn three_habits() {
    assert_eq!(moves("(;GM[2];B[fe];W[df];B[cc])"), "f5d6c3", "Quarry");
    assert_eq!(moves("(;AP[GoGui:1.5];B[fd];W[dc];B[cf])"), "f5d6c3", "GoGui");
    assert_eq!(moves("(;FF[4];B[fd];W[dc];B[cf])"), "f5d6c3", "GoGui without its name");
    assert_eq!(moves("(;GM[2];B[f5];W[D6];B[c3])"), "f5d6c3", "Edax");
    assert_eq!(moves("(;GM[2]AB[e4][d5]AW[d4][e5]PL[B];B[f5])"), "f5", "Edax with set-up");
    // both readings are legal from a position that is its own mirror image
    let setup = "SZ[8]AB[da][dh]AW[ea][eh]PL[B];B[fa]";
    assert_eq!(moves(&format!("(;AP[GoGui:1.5]{setup})")), "f8");
    assert_eq!(moves(&format!("(;{setup})")), "f1");
}

#[test]
fn setups() {
    let text = "(;GM[2]AB[aa:ac][hh]AW[ba]AE[ab]PL[W])";
    let start = parse_game(text).unwrap().game.start().clone();
    let squares = crate::formats::board_text::write(&start);
    assert_eq!(squares, format!("XO------{}X{}X O", "-".repeat(8), "-".repeat(46)));
    // without PL the colour of the first move
    assert_eq!(moves("(;AB[aa]AW[ba][ca];B[da])"), "d1");
    let white = parse_game("(;AB[ba]AW[aa];W[ca])").unwrap();
    assert_eq!(white.game.start().side_to_move(), Color::White);
    // a board without discs is not the usual start
    let bare = parse_game("(;GM[2]AE[dd]PL[W])").unwrap();
    assert_eq!(bare.game.start().empty_count(), 64);
    assert!(write(&bare).contains("AE[aa:hh]PL[W]"));
    assert_eq!(parse_game(&write(&bare)), Ok(bare));
}

#[test]
fn passes() {
    // black is stuck, white's g8 is legal
    let setup = "(;GM[2]AB[dc:hc][dd][de:ee][ef:ff][gg][hh]AW[ed:hd][fe:he][gf:hf][hg]PL[B]";
    for pass in ["", ";B[]", ";B[tt]", ";B[PA]", ";B[pass]"] {
        let record = parse_game(&format!("{setup}{pass};W[g8])")).unwrap();
        assert_eq!(record.game.moves().len(), 2, "{pass}");
        assert!(write(&record).ends_with("PL[B]\n;W[gh])\n"));
        assert_eq!(parse_game(&write(&record)), Ok(record));
    }
    let last = parse_game(&format!("{setup};B[])")).unwrap();
    assert!(write(&last).ends_with(";B[])\n"));
    assert_eq!(error("(;GM[2];B[])"), "line 1, column 11: move 1: black cannot pass, it has a legal move");
}

#[test]
fn the_main_line_of_variations() {
    let text = "(;GM[2](;B[fe](;W[df];B[cc])(;W[dd]))(;B[cd]C[a \\] bracket)]))(;GM[2];B[cd])";
    let games: Vec<_> = games(text, Arc::new(RuleSet::othello())).collect();
    let moves: Vec<String> = games.iter().map(|game| transcript::write(&game.as_ref().unwrap().game)).collect();
    assert_eq!(moves, ["f5d6c3", "c4"]);
}

#[test]
fn notes_and_escapes() {
    let text = "(;GM[2]C[about\\\n it]PB[a\\]b\\\\];B[fe]V[1.5]C[good];W[df]V[-2])";
    let record = parse_game(text).unwrap();
    assert_eq!(record.comment.as_deref(), Some("about it"));
    assert_eq!(record.players[0].name, "a]b\\");
    assert_eq!((record.notes[0].eval, record.notes[1].eval), (Some(1.5), Some(2.0)));
    assert_eq!(record.notes[0].comment.as_deref(), Some("good"));
    assert_eq!(parse_game(&write(&record)), Ok(record));
    // escaped line breaks of other systems
    for text in ["(;GM[2]C[abc\\\r\nd];B[fe])", "(;GM[2]C[ab\\\rcd];B[fe])", "(;GM[2]C[\\\r\nab\\\ncd];B[fe])"] {
        assert_eq!(parse_game(text).unwrap().comment.as_deref(), Some("abcd"), "{text:?}");
    }
}

/// What Quarry writes of a game on a clock, and remarks behind moves.
#[test]
fn clocks_and_later_remarks() {
    let text = "(;GM[2]TM[60]OT[none]US[Ann]GN[final];B[fe]BL[59.5]C[good];C[and quiet];W[df]WL[58];C[the end])";
    let record = parse_game(text).unwrap();
    let notes: Vec<_> = record.notes.iter().map(|note| (note.clock, note.comment.as_deref())).collect();
    assert_eq!(notes, [(Some(59.5), Some("good\nand quiet")), (Some(58.0), Some("the end"))]);
    let written = write(&record);
    for part in ["TM[60]", "OT[none]", "US[Ann]", "GN[final]", "BL[59.50]", "WL[58.00]"] {
        assert!(written.contains(part), "{part}: {written}");
    }
    assert_eq!(parse_game(&written), Ok(record));
    // some programs say both clocks at every move
    let record = parse_game("(;GM[2]BL[60]WL[60];B[fe]BL[59]WL[60];W[df]BL[59]WL[57];B[cc]WL[57])").unwrap();
    let clocks: Vec<_> = record.notes.iter().map(|note| note.clock).collect();
    assert_eq!(clocks, [Some(59.0), Some(57.0)]);
    // a clock from elsewhere
    let mut record = parse_game("(;GM[2];B[fe])").unwrap();
    record.players.iter_mut().for_each(|player| player.clock = Some("05:00//02:00".to_string()));
    assert_eq!(parse_game(&write(&record)), Ok(record));
}

/// All that is said of a game before its first move, wherever it stands, and nothing that is empty.
#[test]
fn remarks_about_the_game() {
    for (text, comment) in [
        ("(;GM[2]GC[]C[one];B[fe])", "one"),
        ("(;GM[2]C[one]GC[two];C[three];B[fe])", "two\none\nthree"),
        ("(;GM[2]GC[two];B[fe];W[df])", "two"),
    ] {
        assert_eq!(parse_game(text).unwrap().comment.as_deref(), Some(comment), "{text}");
    }
    // a pass behind the end is no move, what is said there is kept
    let text = "(;GM[2]AB[aa]AW[ba]PL[B];B[ca]C[over];W[]C[indeed])";
    assert_eq!(parse_game(text).unwrap().notes[0].comment.as_deref(), Some("over\nindeed"));
}

/// Names are one line, whatever they would do to a terminal.
#[test]
fn names_are_one_line() {
    let record = parse_game("(;GM[2]PB[A\nnn]PW[\u{1b}\u{7}Bob]EV[Cup\u{9b}]OT[5\t00]C[two\nlines];B[fe])").unwrap();
    let [black, white] = &record.players;
    assert_eq!((black.name.as_str(), white.name.as_str()), ("A nn", "Bob"));
    assert_eq!((record.event.as_deref(), white.clock.as_deref()), (Some("Cup"), Some("5 00")));
    assert_eq!(record.comment.as_deref(), Some("two\nlines"));
}

#[test]
fn sizes_and_results() {
    let record = parse_game("(;GM[2]SZ[6:4]RE[B+R])").unwrap();
    let rules = record.game.start().rules();
    assert_eq!((rules.rows(), rules.columns()), (4, 6));
    assert_eq!(record.result.unwrap().ending, Ending::Resignation);
    assert!(write(&record).contains("SZ[6:4]"));
    for (text, score) in [("0", Some(0.0)), ("Draw", Some(0.0)), ("B+64", Some(64.0)), ("W+", None)] {
        let record = parse_game(&format!("(;GM[2]RE[{text}])")).unwrap();
        assert_eq!(record.result.unwrap().score, score, "{text}");
    }
    assert_eq!(parse_game("(;GM[2]RE[Void])").unwrap().tag("RE"), Some("Void"));
}

#[test]
fn errors() {
    assert_eq!(error("hello"), "line 1, column 1: no game: a game begins with '(;'");
    assert_eq!(error("(;GM[2]"), "line 1, column 8: the game does not end: ')' is missing");
    assert_eq!(error("(;GM[2"), "line 1, column 3: the value of GM does not end: ']' is missing");
    assert_eq!(error("(;GM[2] 7])"), "line 1, column 9: '7])' is not a property (NAME[value])");
    assert_eq!(error("(;GM[1])"), "line 1, column 6: the game is number '1', not Othello (GM[2])");
    let hole = "a disc on a1, which is a hole of this board";
    assert_eq!(error("(;GM[2]RU[octagon]AB[aa]AW[ee])"), format!("line 1, column 22: set-up: {hole}"));
    let placing = "green to move, but the discs on the centre say otherwise";
    assert_eq!(error("(;GM[2]RU[traveller]PL[W];W[dd])"), format!("line 1, column 24: set-up: {placing}"));
    assert_eq!(moves("(;GM[2]RU[traveller]PL[B];B[dd])"), "d4");
    assert_eq!(error("(;SZ[17])"), "line 1, column 6: '17' is not a board size (4 to 16)");
    assert_eq!(error("(;AB[a9])"), "line 1, column 6: 'a9' is not a square of the board");
    assert_eq!(error("(;PL[x])"), "line 1, column 6: 'x' is neither B nor W");
    assert_eq!(error("(;B[f5]\n;AB[a1])"), "line 2, column 5: AB after the first move is not supported");
    assert_eq!(error("(;B[f5]\n;B[d6])"), "line 2, column 4: move 2: black plays 'd6', but white is to move");
    assert_eq!(error("(;B[zz])"), "line 1, column 5: move 1: 'zz' is not a move (such as f5 or pass)");
    assert_eq!(error("(;B[é])"), "line 1, column 5: move 1: 'é' is not a move (such as f5 or pass)");
}

/// A clock in words is one unless its seconds stand beside it, in the same node.
#[test]
fn clocks_are_read_as_they_are_written() {
    for (text, kept) in
        [("OT[]", ""), ("OT[5x30]", "OT[5x30]"), ("TM[600]OT[]", "TM[600]OT[]"), ("OT[];TM[600]B[fe]", "")]
    {
        let written = write(&parse_game(&format!("(;GM[2]SZ[8]{text})")).unwrap());
        assert!(written.contains(&format!("PW[]{kept}RE[")), "{text}: {written}");
        assert_eq!(write(&parse_game(&written).unwrap()), written, "{text}");
    }
}

#[test]
fn words_for_results_stay() {
    for (result, written) in [("Void", "Void"), ("-127", "?"), ("B+R", "B+R"), ("?", "?")] {
        let record = parse_game(&format!("(;GM[2]RE[{result}];B[fe])")).unwrap();
        let text = write(&record);
        assert!(text.contains(&format!("RE[{written}]")), "{text}");
    }
}
