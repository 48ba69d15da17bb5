use super::write::WIDTH;
use super::*;
use crate::formats::bounded::MAX_LINE;

fn parse(text: &str) -> Result<GameRecord, String> {
    parse_game(text, &Arc::new(RuleSet::othello())).map_err(|error| error.to_string())
}

#[test]
fn a_game_with_everything() {
    let text = "[Event \"Cup\"]\r\n[Site \"PlayOK\"]\r\n[Black \"ann\"]\r\n[White \"b\\\"ob\"]\r\n[WhiteElo \"1500\"]\r\n\
                [Result \"33-31\"]\r\n\r\n1. f5 {good} d6?! 2. c3 (2. c4 d3) D3 $4 3. c4 ; rest\r\n{-1.50} 33-31\r\n";
    let record = parse(text).unwrap();
    assert_eq!(transcript::write(&record.game), "f5d6c3d3c4");
    assert_eq!((record.event.as_deref(), record.place.as_deref()), (Some("Cup"), Some("PlayOK")));
    assert_eq!((record.players[1].name.as_str(), record.players[1].rating), ("b\"ob", Some(1500.0)));
    assert_eq!(record.result, Some(GameResult::from_score(2.0, Ending::Played)));
    assert_eq!((record.notes[0].comment.as_deref(), record.notes[4].eval), (Some("good"), Some(-1.5)));
    assert_eq!(parse(&write(&record)).as_ref(), Ok(&record), "{}", write(&record));
}

#[test]
fn rules_are_named() {
    for name in ["othello:6x6", "traveller", "hungarian:6x4,fewest", "othello:one"] {
        let rules: Arc<RuleSet> = Arc::new(name.parse().unwrap());
        let mut game = Game::from_position(Position::start(rules));
        for _ in 0..8 {
            game.play(game.position().legal_moves()[0]).unwrap();
        }
        // whole, and from a position that is set up
        for start in [game.start().clone(), game.position().clone()] {
            let mut record = GameRecord::new(Game::from_position(start));
            record.game.play(record.game.position().legal_moves()[0]).unwrap();
            let text = write(&record);
            assert!(text.contains(&format!("\n[Variant \"{name}\"]\n")), "{text}");
            assert_eq!(parse(&text).as_ref(), Ok(&record), "{text}");
            // the tags come in any order
            let mut lines: Vec<&str> = text.lines().collect();
            let end = lines.iter().position(|line| line.is_empty()).unwrap();
            lines[..end].reverse();
            assert_eq!(parse(&lines.join("\n")).as_ref(), Ok(&record), "{text}");
        }
    }
    assert!(!write(&parse("f5 d6").unwrap()).contains("Variant"));
    // words of other programs are no rules; ours that are wrong are an error
    assert_eq!(parse("[Variant \"Blitz\"]\n\n1. f5").unwrap().tag("Variant"), Some("Blitz"));
    // a word that is none any more when it is one line
    let record = parse("[Variant \"\u{1}othello:fewer\"]\n\n1. f5").unwrap();
    assert_eq!(parse(&write(&record)).unwrap().game, record.game);
    let error = parse("[Black \"a\"]\n[Variant \"traveller:quick\"]\n\n1. f5").unwrap_err();
    assert!(error.starts_with("line 2, column 1: Variant: unknown rule 'quick'"), "{error}");
}

#[test]
fn rows_from_the_bottom_and_other_starts() {
    let turned = parse("[Black \"a\"]\n\n1. f4 d3 2. c6 *").unwrap();
    assert_eq!(transcript::write(&turned.game), "f5d6c3");
    let late = transcript::parse(&Position::default(), "f5d6").unwrap();
    let mut game = Game::from_position(late.position().clone());
    transcript::play(&mut game, "c3d3").unwrap();
    let record = GameRecord::new(game);
    assert_eq!(parse(&write(&record)), Ok(record));
}

#[test]
fn errors_have_places() {
    for (text, message) in [
        ("[Black ann]\n\nf5", "line 1, column 1: '[Black ann]' is not a tag ([Name \"value\"])"),
        ("[Black \"a\"]\n\n1. f5 d6\n2. c3 a1 *", "line 4, column 7: move 4: white cannot play 'a1': "),
        ("[Black \"a\"]\n\n1. f5 {good} d6\n2. c3 a1 *", "line 4, column 7: move 4: white cannot play 'a1': "),
        ("1. f5 {good} a1 (c4) *", "line 1, column 14: move 2: white cannot play 'a1': "),
        ("[Black \"a\"]\n\n1. f5 {d6", "line 3, column 7: '{' is not closed"),
        ("[FEN \"8/8 w\"]\n\nf5", "line 1, column 1: FEN: 2 rows, not 8"),
    ] {
        let error = parse(text).unwrap_err();
        assert!(error.starts_with(message), "{error}");
    }
    assert!(looks_like("\u{feff}\n[Event \"x\"]\n") && !looks_like("[f5]") && !looks_like("f5d6"));
}

#[test]
fn results_that_are_not_discs_stay_tags() {
    let record = parse("[Result \"1-0\"]\n\n1. f5 d6 1-0").unwrap();
    assert_eq!((record.result, record.tag("Result")), (None, Some("1-0")));
    for text in ["70:-6", "2-0", "64-1", "60:60", "-3-67", "x-3", "37"] {
        let record = parse(&format!("[Result \"{text}\"]\n\n1. f5 d6 *")).unwrap();
        assert_eq!((record.result, record.tag("Result")), (None, Some(text)));
    }
    for (text, score) in [("64-0", 64.0), ("0:64", -64.0), ("3-0", 3.0), ("32 : 32", 0.0)] {
        let record = parse(&format!("[Result \"{text}\"]\n\n1. f5 d6 *")).unwrap();
        assert_eq!(record.result, Some(GameResult::from_score(score, Ending::Played)));
        assert_eq!(record.tag("Result"), None);
    }
}

#[test]
fn tags_without_a_meaning_are_kept() {
    let text =
        "[Black \"a\"]\n[Round \"3.1\"]\n[Result \"0-1\"]\n[Variant \"Blitz\"]\n[TimeControl \"5:00\"]\n\n1. f5 0-1";
    let record = parse(text).unwrap();
    assert_eq!((record.tag("Round"), record.tag("Result")), (Some("3.1"), Some("0-1")));
    let mut again = parse(&write(&record)).unwrap();
    assert!(write(&record).ends_with("1. f5 0-1\n\n"), "{}", write(&record));
    again.tags.sort_by_key(|(name, _)| record.tags.iter().position(|(known, _)| known == name));
    assert_eq!(again, record, "{}", write(&record));
    // tags of other formats, and a result that is none
    let mut other = parse("1. f5").unwrap();
    other.tags = ["KB", "Result", "not a tag"].map(|name| (name.to_string(), "Ann says".to_string())).to_vec();
    assert_eq!(parse(&write(&other)).unwrap().tags, []);
}

#[test]
fn remarks_of_any_length_are_read_again() {
    let mut record = parse("1. f5 d6 2. c3 *").unwrap();
    let long = "word ".repeat(15_000).trim().to_string();
    let brackets = "[%clk 0:05] ".repeat(9_000) + "[Event \"x\"] % y   z; (";
    for text in ["good", &long, &brackets, &format!("a{}z", " ".repeat(90_000))] {
        record.comment = Some(text.to_string());
        record.notes = vec![MoveNote::default(), MoveNote { comment: record.comment.clone(), ..MoveNote::default() }];
        let page = write(&record);
        assert!(
            page.lines().all(|line| line.len() < MAX_LINE && !is_tag(line) || line.len() < WIDTH),
            "{}",
            page.len()
        );
        let mut again = parse(&page).unwrap();
        again.notes.truncate(2);
        assert_eq!((again.comment, again.notes), (record.comment.clone(), record.notes.clone()));
    }
    assert!(
        write(&GameRecord { comment: Some(long), notes: Vec::new(), ..record }).lines().all(|line| line.len() <= WIDTH)
    );
    // a word without end gets blanks
    let mut endless = parse("1. f5 *").unwrap();
    endless.comment = Some("ä".repeat(50_000));
    let again = parse(&write(&endless)).unwrap();
    assert_eq!(again.comment.unwrap().replace(' ', ""), endless.comment.unwrap());
    assert_eq!(parse("{one\r\ntwo}\n1. f5\n").unwrap().comment.as_deref(), Some("one two"));
}

#[test]
fn tags_of_any_length_are_read_again() {
    let mut record = parse("1. f5 *").unwrap();
    record.players[0].name = "ä\"".repeat(100_000);
    record.event = Some("Cup".to_string());
    let (page, cut) = write_counting(&record);
    assert!(cut == 1 && page.lines().all(|line| line.len() < MAX_LINE), "{cut}");
    let again = parse(&page).unwrap();
    assert!(again.players[0].name.len() > 10_000 && record.players[0].name.starts_with(&again.players[0].name));
    assert_eq!(again.event, record.event);
}

#[test]
fn results_that_are_written_are_read_again() {
    let mut record = parse("1. f5 d6 2. c3 d3 3. c4 f4 *").unwrap();
    for (score, text) in [(3.0, "33-30"), (-3.0, "30-33"), (64.0, "64-0"), (-63.0, "0-63"), (0.0, "32-32")] {
        record.result = Some(GameResult::from_score(score, Ending::Played));
        assert!(write(&record).ends_with(&format!(" {text}\n\n")), "{}", write(&record));
        assert_eq!(parse(&write(&record)).as_ref(), Ok(&record), "{}", write(&record));
    }
    for score in [-204.0, 66.0, 3.5] {
        record.result = Some(GameResult::from_score(score, Ending::Played));
        let again = parse(&write(&record)).unwrap();
        assert_eq!((again.result, transcript::write(&again.game).as_str()), (None, "f5d6c3d3c4f4"));
    }
}

#[test]
fn remarks_and_variations_hide_each_other() {
    for text in [
        "1. f5 (1. d3 ; c3) d6 2. c3",
        "1. f5 {; ( )} d6 2. c3",
        "1. f5 (1. d3 {)} (c3 c4) e3) d6 2. c3",
        "1. f5 ; a remark ( { to the end of the line\nd6 2. c3",
    ] {
        assert_eq!(parse(text).map(|record| transcript::write(&record.game)).as_deref(), Ok("f5d6c3"), "{text}");
    }
    for text in ["1. f5 ) d6", "1. f5 } d6", "1. f5 (d6 {)", "1. f5 {d6", "1. f5 (d6 (c3)"] {
        assert!(parse(text).is_err(), "{text}");
    }
}

/// No remark is lost to another, and none becomes an evaluation.
#[test]
fn all_remarks_are_kept() {
    let text =
        "[Black \"a\"]\n\n{one} {two} 1. f5 {good} {+1.50} {really} d6 ; left out\n{-2} {3} 2. c3 (2. c4) {so} *\n";
    let record = parse(text).unwrap();
    let notes: Vec<_> = record.notes.iter().map(|note| (note.eval, note.comment.as_deref())).collect();
    assert_eq!(record.comment.as_deref(), Some("one\ntwo"));
    assert_eq!(notes, [(Some(1.5), Some("good\nreally")), (Some(-2.0), Some("3")), (None, Some("so"))]);
    // each for itself again
    let again = parse(&write(&record)).unwrap();
    assert_eq!((&again.comment, &again.notes), (&record.comment, &record.notes), "{}", write(&record));
    // what would be read as an evaluation
    let mut record = parse("1. f5 d6 2. c3 *").unwrap();
    record.comment = Some("37".to_string());
    let said = [(None, "12"), (Some(1.0), "+3"), (None, " -1e3\n")];
    record.notes =
        said.map(|(eval, text)| MoveNote { eval, comment: Some(text.to_string()), ..MoveNote::default() }).into();
    let again = parse(&write(&record)).unwrap();
    let notes: Vec<_> = again.notes.iter().map(|note| (note.eval, note.comment.as_deref())).collect();
    assert_eq!(notes, [(None, Some("'12'")), (Some(1.0), Some("+3")), (None, Some("'-1e3'"))]);
    assert_eq!(again.comment, record.comment);
}

#[test]
fn names_are_one_line() {
    let record = parse("[Black \"A\u{1b}nn\"]\n[Event \"\u{0}Cup\"]\n\n1. f5 *").unwrap();
    assert_eq!((record.players[0].name.as_str(), record.event.as_deref()), ("A nn", Some("Cup")));
}
