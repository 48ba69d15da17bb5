//! What is written in one format reads back, from files and from streams of every kind.

use std::fs;

use super::*;
use crate::formats::record::{Ending, GameResult, MoveNote};
use crate::formats::{files, read_games, transcript};
use crate::game::Game;
use crate::rules::Position;

fn othello() -> Arc<RuleSet> {
    Arc::new(RuleSet::othello())
}

fn game(moves: &str) -> Game {
    transcript::parse(&Position::default(), moves).unwrap()
}

fn record() -> GameRecord {
    let mut record = GameRecord::new(game("f5d6c3d3c4"));
    record.players[0].name = "Ann".to_string();
    record.players[1].name = "Bob".to_string();
    record.players[1].rating = Some(1650.0);
    record.event = Some("Cup".to_string());
    record.date = Some("2024-05-01".to_string());
    record.result = Some(GameResult::from_score(6.0, Ending::Played));
    record.notes = vec![MoveNote { eval: Some(1.5), ..MoveNote::default() }, MoveNote::default()];
    record.notes.resize(5, MoveNote::default());
    record
}

/// Moves or boards and errors of a file with this name and content.
fn read(name: &str, content: &[u8]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, content).unwrap();
    let stream = GameStream::open(std::slice::from_ref(&path), &othello()).unwrap();
    let text = |record: GameRecord| match transcript::write(&record.game) {
        moves if moves.is_empty() => format!("{} discs", 64 - record.game.position().empty_count()),
        moves => moves,
    };
    let prefix = format!("{}: ", path.display());
    stream.map(|game| game.map_or_else(|error| error.to_string().replace(&prefix, ""), text)).collect()
}

/// A line of noise for each line of such a file tells nobody what to do.
#[test]
fn a_file_in_utf_16_or_compressed_is_one_error_that_says_so() {
    let text = "\u{feff}(;GM[Othello]PB[Ann]B[F5]W[D6];)\r\nf5d6\r\n";
    let encoded = |bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
    for name in ["games.txt", "games.ggf", "games.sgf", "games.pgn", "games.obf", "games.fen", "games"] {
        for content in [encoded(u16::to_le_bytes), encoded(u16::to_be_bytes)] {
            assert_eq!(read(name, &content), ["the text is in UTF-16: save it as UTF-8"], "{name}");
        }
        for content in [&b"\x1f\x8b\x08\x00f5d6\n"[..], b"PK\x03\x04\x14\x00f5d6\n"] {
            assert_eq!(read(name, content), ["the file is compressed: unpack it first"], "{name}");
        }
    }
    // the files behind such a one are read
    let folder = tempfile::tempdir().unwrap();
    let paths = ["a.txt", "b.txt"].map(|name| folder.path().join(name));
    fs::write(&paths[0], encoded(u16::to_le_bytes)).unwrap();
    fs::write(&paths[1], "f5d6\n").unwrap();
    let games: Vec<bool> = GameStream::open(&paths, &othello()).unwrap().map(|game| game.is_ok()).collect();
    assert_eq!(games, [false, true]);
}

/// Of games no position has scores, nor another one than the problem's.
#[test]
fn problems_keep_their_scores() {
    let start = crate::formats::board_text::write(&Position::default());
    let lines = format!("{start}; D3:+2; C4:-4;\n{start}; +2; % 12@73%\n{start};\n{start} f5\n");
    let text = |at| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("problems.obf");
        let mut sink = GameSink::to_file(&path, FileKind::Board).unwrap().at(at);
        for record in GameStream::from_text(lines.as_str(), "text", None, &othello()) {
            sink.write(&record.unwrap()).unwrap();
        }
        sink.finish().unwrap();
        fs::read_to_string(&path).unwrap()
    };
    let after = crate::formats::board_text::write(game("f5").position());
    let problems = format!("{start}; D3:+2; C4:-4;\n{start}; +2; % 12@73%\n{start}\n");
    assert_eq!((text(None), text(Some(0))), (format!("{problems}{after}\n"), format!("{problems}{start}\n")));
    for kind in [FileKind::Ggf, FileKind::Sgf, FileKind::Pgn] {
        let record = GameStream::from_text(lines.as_str(), "text", None, &othello()).next().unwrap().unwrap();
        assert!(!files::games_to_text(&[record], kind).unwrap().contains("D3"), "{kind}");
    }
}

#[test]
fn every_format_is_read_back() {
    let folder = tempfile::tempdir().unwrap();
    for kind in FileKind::ALL {
        let path = folder.path().join(match kind {
            FileKind::Wthor => "games.wtb".to_string(),
            kind => format!("games.{kind}"),
        });
        let mut sink = GameSink::to_file(&path, kind).unwrap();
        for _ in 0..3 {
            sink.write(&record()).unwrap();
        }
        assert_eq!((sink.count(), sink.finish().unwrap()), (3, Vec::new()));
        let bytes = fs::read(&path).unwrap();
        assert_eq!(FileKind::of_content(&bytes), if kind == FileKind::Board { FileKind::Text } else { kind });
        let read: Vec<GameRecord> = GameStream::open(&[path], &othello()).unwrap().map(|game| game.unwrap()).collect();
        assert_eq!(read.len(), 3, "{kind}");
        if kind.is_position() {
            assert!(read.iter().all(|found| found.game.position() == record().game.position()), "{kind}");
            continue;
        }
        assert_eq!(read[2].game, record().game, "{kind}");
        if kind != FileKind::Text {
            let named = |record: &GameRecord| record.players.clone().map(|player| player.name);
            assert_eq!((named(&read[1]), read[1].result), (named(&record()), record().result), "{kind}");
        }
        if matches!(kind, FileKind::Ggf | FileKind::Sgf | FileKind::Pgn) {
            assert_eq!(read[1].note(0), record().note(0), "{kind}");
            assert_eq!(read[1].players[1].rating, Some(1650.0));
        }
    }
}

#[test]
fn positions_at_a_move() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.fen");
    let mut sink = GameSink::to_file(&path, FileKind::Fen).unwrap().at(Some(1));
    sink.write(&record()).unwrap();
    let error = sink.write(&GameRecord::new(game(""))).unwrap_err();
    assert!(matches!(error, SinkError::Short(0)));
    sink.finish().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "8/8/8/3PPP2/3pP3/8/8/8 b - - 0 1\n");
    assert!(GameSink::to_stream(Box::new(Vec::new()), FileKind::Wthor).is_err());
}

#[test]
fn lines_of_all_kinds_in_one_file() {
    let board = "---------------------------OX------XXX-------------------------- O";
    let text = format!(
        "f5d6\n1. f5 d6\n2. c3\n# rules: othello:6x6\nd2\n# rules: othello\n{board} d6c3\n{board}; d6:+1;\n\
         8/8/8/3Pp3/3pP3/8/8/8 w - - 0 1\n8/8/pP6 w\n{}\nx\n",
        crate::formats::ggs::write(&Position::default())
    );
    assert_eq!(
        read("a.txt", text.as_bytes()),
        [
            "f5d6",
            "f5d6c3",
            "line 5: move 1 (column 1): black cannot play 'd2': the disc would turn nothing",
            "d6c3",
            "5 discs",
            "4 discs",
            "line 10: FEN: 3 rows, not 8",
            "4 discs",
            "line 24: move 1 (column 1): 'x' is not a move (such as f5 or pass)",
        ]
    );
}

#[test]
fn results_that_no_board_has_are_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.txt");
    for (text, score) in
        [("40-24", Some(16.0)), (" 30 : 33 ", Some(-3.0)), ("40-244", None), ("65-0", None), ("1-0", None)]
    {
        fs::write(&path, format!("Result: {text}\nf5d6c3\n")).unwrap();
        let game = GameStream::open(std::slice::from_ref(&path), &othello()).unwrap().next().unwrap().unwrap();
        assert_eq!(game.result.and_then(|result| result.score), score, "{text}");
    }
}

#[test]
fn names_above_the_moves() {
    let text = "Othello Quest\nann (1650) vs bob (1600)\nDate: 2024-05-01\nResult: 40-24\nhttps://example.org/1\n\n\
                f5d6c3\n\n黒: 太郎\n白：Bob\nMoves: F5 D6 c3 x\nd3\n";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("quest.txt");
    fs::write(&path, text).unwrap();
    let mut games = GameStream::open(&[path], &othello()).unwrap();
    let first = games.next().unwrap().unwrap();
    assert_eq!((first.players[0].name.as_str(), first.players[0].rating), ("ann", Some(1650.0)));
    assert_eq!((first.date.as_deref(), first.result.unwrap().score), (Some("2024-05-01"), Some(16.0)));
    let error = games.next().unwrap().unwrap_err().to_string();
    assert!(error.ends_with("line 11: move 4 (column 17): 'x' is not a move (such as f5 or pass)"), "{error}");
    let last = games.next().unwrap().unwrap();
    assert_eq!(last.players[0].name, "", "what was said belonged to the game before");
    assert!(games.next().is_none());
}

/// The words of a key say more than a `vs` behind it, and a comment says nothing.
#[test]
fn names_are_not_those_of_comments_and_events() {
    let text = "Black: Ann\nWhite: Bob\nEvent: north vs south\n# best game of ann vs bob\n% x vs y\nf5d6c3\n\
                Game 2: eve vs zoe\nf5\n";
    let games = GameStream::from_text(text, "text", None, &othello());
    let found: Vec<String> = games.map(|game| game.unwrap().players.map(|player| player.name).join(" - ")).collect();
    assert_eq!(found, ["Ann - Bob", "Game 2: eve - zoe"]);
    let games = GameStream::from_text(text, "text", None, &othello());
    assert_eq!(games.map(|game| game.unwrap().event).collect::<Vec<_>>(), [Some("north vs south".to_string()), None]);
    let text = "Black: Ann\nWhite: Bob\nf5d6c3 # best game of eve vs zoe\nf5f6 # see http://x.org/1\n";
    let games = GameStream::from_text(text, "text", None, &othello());
    let names: Vec<_> = games.map(|game| game.unwrap().players.map(|player| player.name).join("-")).collect();
    assert_eq!(names, ["Ann-Bob", "-"]);
    assert_eq!(read("a.txt", text.as_bytes()), ["f5d6c3", "f5f6"]);
}

/// They are not of the game behind it.
#[test]
fn names_above_a_position_are_its_own() {
    let fen = "8/8/8/3Pp3/3pP3/8/8/8 w - - 0 1";
    let obf = "---------------------------OX------XO--------------------------- X; F5:+0;";
    let ggs = crate::formats::ggs::write(&Position::default());
    for board in [fen, obf, &ggs, "8/8/8 w"] {
        let text = format!("Black: Ann\nWhite: Bob\nDate: 2001\n{board}\nf5d6c3\n");
        let games = GameStream::from_text(text, "text", None, &othello());
        let found: Vec<_> =
            games.map(|game| game.ok().map(|game| (game.players[0].name.clone(), game.date.clone()))).collect();
        let own = (board != "8/8/8 w").then(|| ("Ann".to_string(), Some("2001".to_string())));
        assert_eq!(found, [own, Some((String::new(), None))], "{board}");
    }
}

/// A line that is too long takes nothing before or behind it away, except from the game that it goes on with.
#[test]
fn long_lines_are_errors_of_their_own() {
    let long = "f5 ".repeat(30_000);
    let error = |line: usize| format!("line {line}: the line has more than 65536 bytes");
    let text = format!("f5d6c3\n{long}\nf5f6e6\n1. f5 d6\n2. c3 {long}\nd3\n");
    assert_eq!(read("a.txt", text.as_bytes()), ["f5d6c3", &error(2), "f5f6e6", &error(5), "d3"]);
    // of a page the whole game goes, whose names would be lost
    let page = |black: &str, between: &str| format!("[Black \"{black}\"]\n{between}\n1. f5 d6 *\n\n");
    let text =
        [page("a", ""), page("b", &format!("\n{{{long}}}\n")), page("c", &format!("[Event \"{long}\"]\n"))].concat();
    assert_eq!(read("a.pgn", (text + &page("d", "")).as_bytes()), ["f5d6", &error(7), &error(12), "f5d6"]);
    // also where it is the first of its page
    let text = [page("a", ""), format!("[Event \"{long}\"]\n"), page("b", ""), page("c", "")].concat();
    assert_eq!(read("a.pgn", text.as_bytes()), ["f5d6", &error(5), "f5d6"]);
    // what is said of a game that cannot be read is said of no other one
    for (before, at) in [("", 3), ("1. f5 d6\n2. c3 ", 4)] {
        let text = format!("Black: Ann\nResult: 40-24\n{before}{long}\n\nf5f6e6\n");
        let found: Vec<_> = GameStream::from_text(text, "text", None, &othello()).collect();
        assert!(found[0].as_ref().is_err_and(|problem| problem.to_string().contains(&error(at))), "{:?}", found[0]);
        let game = found[1].as_ref().unwrap();
        assert_eq!((game.players[0].name.as_str(), game.result), ("", None));
    }
}

#[test]
fn remarks_of_pages_have_several_lines() {
    let text = "[Black \"a\"]\n\n1. f5 {on the clock:\n[%clk 0:05]\n[and] more} d6 (c4\n[x]) *\n[Black \"b\"]\n\n1. d3 {open\n\n\
                [Black \"c\"]\n\n1. f5 *\n";
    let found = read("a.pgn", text.as_bytes());
    assert_eq!((found[0].as_str(), found[2].as_str()), ("f5d6", "f5"));
    assert!(found[1].ends_with("'{' is not closed"), "{}", found[1]);
    let games = GameStream::from_text(text, "text", None, &othello());
    let remarks: Vec<Option<String>> = games.flatten().map(|game| game.note(0)?.comment.clone()).collect();
    assert_eq!(remarks, [Some("on the clock: [%clk 0:05] [and] more".to_string()), None]);
}

#[test]
fn pages_of_several_games() {
    let text = "\n[Black \"a\"]\n[White \"b\"]\n\n1. f5 d6 *\n[Black \"c\"]\n\n1. f5 a1\n\n\n[Black \"e\"]\n1. d3\n";
    let found = read("games", text.as_bytes());
    assert_eq!(found[0], "f5d6");
    assert!(found[1].starts_with("line 8, column 7: move 2: white cannot play 'a1'"), "{}", found[1]);
    assert_eq!(found[2..], ["d3"]);
}

#[test]
fn pages_without_end_are_refused() {
    let remark = format!("{{{}}}\n", "x".repeat(50_000));
    let text =
        format!("\n[Black \"a\"]\n\n1. f5 *\n[Black \"b\"]\n\n1. f5\n{}", remark.repeat(LONGEST_GAME / 50_000 + 1));
    let text = text + "[Black \"c\"]\n1. d3\n";
    let found = read("games.pgn", text.as_bytes());
    assert_eq!(
        found,
        ["f5".to_string(), format!("line 5: the game has more than {LONGEST_GAME} bytes"), "d3".to_string()]
    );
}

/// What has an end that is not read is not told to have none.
#[test]
fn games_in_brackets_without_end_are_too_long() {
    let error = |line: usize| format!("line {line}: the game has more than {LONGEST_GAME} bytes");
    let remark = "x".repeat(LONGEST_GAME);
    for (name, begin) in [("games.ggf", "(;GM[Othello]"), ("games.sgf", "(;GM[2]")] {
        let text = format!("{begin}\nC[{remark}];B[F5];)\n{begin};B[D3];)\n{begin}\nC[open");
        let found = read(name, text.as_bytes());
        assert_eq!(found[..2], [error(2), "d3".to_string()], "{name}");
        assert!(found[2].ends_with("the value of C does not end: ']' is missing"), "{name}: {}", found[2]);
    }
}

#[test]
fn folders_broken_files_and_progress() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.txt"), "f5\n").unwrap();
    fs::write(folder.path().join("b.wtb"), "short").unwrap();
    fs::write(folder.path().join("c.pgn"), "1. d3\n").unwrap();
    fs::write(folder.path().join("notes"), "f5\n").unwrap();
    let mut stream = GameStream::open(&[folder.path().to_path_buf()], &othello()).unwrap();
    let progress = stream.progress();
    let found: Vec<bool> = stream.by_ref().map(|game| game.is_ok()).collect();
    assert_eq!((found, progress.total(), progress.done()), (vec![true, false, true], 14, 14));
    let missing = GameStream::open(&[folder.path().join("none.txt")], &othello());
    assert!(missing.is_err());
    let empty = tempfile::tempdir().unwrap();
    assert!(files_of(&[empty.path().to_path_buf()]).is_err());
}

/// The whole sample database, game by game and at once.
#[test]
fn the_sample_of_wthor_is_what_the_database_has() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/wthor");
    let streamed: Vec<Game> =
        GameStream::open(std::slice::from_ref(&path), &othello()).unwrap().map(|game| game.unwrap().game).collect();
    let database = Database::open(&path).unwrap();
    let whole: Vec<Game> = database.games().map(|game| game.to_game(&othello()).unwrap()).collect();
    assert!(whole.len() >= 10 && streamed == whole);
}

#[test]
fn content_tells_the_format() {
    let mut wthor = vec![20, 7, 5, 22, 0, 0, 0, 0, 0, 0, 0xB9, 7, 8, 0, 24, 0];
    for (bytes, kind) in [
        (&wthor[..], FileKind::Wthor),
        (b"2 (;GM[Othello]B[f5];)", FileKind::Ggf),
        (b"( ;gm[othello]B[f5];)", FileKind::Ggf),
        (b"\n(;GM[2];B[fe])", FileKind::Sgf),
        (b"(;GM[2]PB[BO[8]C[GM[Othello] it says];B[fe])", FileKind::Sgf),
        (b"(;BO[8 ---------------------------O*------*O--------------------------- *];)", FileKind::Ggf),
        (b"\xef\xbb\xbf\n[Black \"Ann\"]\n\n1. f5 {(; a smile} d6 *\n", FileKind::Pgn),
        (b"8/8/8/3Pp3/3pP3/8/8/8 w - - 0 1", FileKind::Fen),
        (b"  | A B C\n", FileKind::Ggs),
        (b"f5d6c3", FileKind::Text),
        (b"", FileKind::Text),
    ] {
        assert_eq!(FileKind::of_content(bytes), kind, "{bytes:?}");
    }
    wthor[2] = 0;
    assert_eq!(FileKind::of_content(&wthor), FileKind::Text);
    assert_eq!(FileKind::of_path(Path::new("a/b.WTB")), Some(FileKind::Wthor));
    assert_eq!(FileKind::of_path(Path::new("noext")), None);
}

#[test]
fn transcripts_a_line() {
    let board = "---------------------------OX------XXX-------------------------- O";
    let text = format!("# openings\n\nf5d6 # best\n1. f5 d6\n2. c3 d3\n{board} d6c3\nf5 x\n{board} 9\nd3\n");
    let expected = [
        "f5d6",
        "f5d6c3d3",
        "d6c3",
        "line 7: move 2 (column 4): 'x' is not a move (such as f5 or pass)",
        "line 8: move 1 (column 68): '9' is not the number of the next move",
        "d3",
    ];
    assert_eq!(read("a.txt", text.as_bytes()), expected);
    assert_eq!(read("a", text.as_bytes()), expected);
    assert_eq!(read("a", b""), Vec::<String>::new());
    assert_eq!(read("a", "\u{feff}f5".as_bytes()), ["f5"]);
}

/// As GGF has them, and boards of FEN without its letters. (A row of dashes is a pass elsewhere.)
#[test]
fn boards_with_their_rows_apart() {
    let rows = ["--------", "--------", "--------", "---OX---", "---XXX--", "--------", "--------", "--------"];
    let (blanks, slashes) = (rows.join(" "), rows.join("/"));
    let text = format!("{blanks} O\n{slashes} O d6c3\n{} O\n{blanks} - O\n", rows[1..].join(" "));
    let found = read("a.txt", text.as_bytes());
    assert_eq!(found[..2], ["5 discs", "d6c3"]);
    assert!(found.len() == 4 && found[2..].iter().all(|text| text.starts_with("line ")), "{found:?}");
    assert_eq!(read("a", format!("{blanks} O d6\n").as_bytes()), ["d6"]);
}

/// As PlayOK and archives give them.
#[test]
fn games_with_tags_in_a_text_file() {
    for kind in [FileKind::Pgn, FileKind::Ggf, FileKind::Sgf] {
        let text = files::games_to_text(&[record(), record()], kind).unwrap();
        let games = read("a.sgf", files::games_to_text(&[record(), record()], FileKind::Sgf).unwrap().as_bytes());
        assert_eq!(read("a.txt", text.as_bytes()), games, "{text}");
        assert_eq!(read("a.txt", format!("\u{feff}# a remark\n\n{text}").as_bytes()), games, "{text}");
    }
    // a text of moves stays one, whatever follows
    let bad = "line 2: move 1 (column 1): '(' is not a move (such as f5 or pass)";
    assert_eq!(read("a.txt", b"f5d6\n(;GM[Othello]B[f5];)\n"), ["f5d6", bad]);
}

#[test]
fn a_damaged_file_among_others_is_one_error() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.txt"), "f5\n").unwrap();
    fs::write(folder.path().join("b.wtb"), "short").unwrap();
    fs::write(folder.path().join("c.txt"), "d3\n").unwrap();
    let games: Vec<bool> = read_games(folder.path(), &othello()).unwrap().map(|game| game.is_ok()).collect();
    assert_eq!(games, [true, false, true]);
    // so is one that holds none of what its name says, once; a blank one is nothing
    fs::remove_file(folder.path().join("b.wtb")).unwrap();
    fs::write(folder.path().join("b.ggf"), "\n f5d6c3\n").unwrap();
    fs::write(folder.path().join("b.sgf"), " \n").unwrap();
    let games = read_games(folder.path(), &othello()).unwrap();
    let games: Vec<String> = games.map(|game| game.map_or_else(|error| error.to_string(), |_| String::new())).collect();
    assert_eq!([&games[0], &games[2]], ["", ""]);
    assert!(games[1].contains("b.ggf: line 2, column 2: no game of the format GGF"), "{games:?}");
    assert_eq!(games.len(), 3);
}

/// Scores that games were solved to: the new file says that its own are the results.
#[test]
fn theoretical_scores_that_are_lost_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let [old, new] = ["old/a.wtb", "new/a.wtb"].map(|name| folder.path().join(name));
    ["old", "new"].iter().for_each(|name| fs::create_dir(folder.path().join(name)).unwrap());
    let write = |path: &Path, kind: FileKind, record: &GameRecord| {
        let mut sink = GameSink::to_file(path, kind).unwrap();
        sink.write(record).unwrap();
        sink.finish().unwrap()
    };
    let told = "theoretical scores, in whose place is the result: 1".to_string();
    let of_file =
        |path: &PathBuf| GameStream::open(std::slice::from_ref(path), &othello()).unwrap().next().unwrap().unwrap();
    assert!(!write(&old, FileKind::Wthor, &record()).contains(&told));
    assert!(!write(&new, FileKind::Wthor, &of_file(&old)).contains(&told), "it had none");
    let mut bytes = fs::read(&old).unwrap();
    bytes[14] = 24;
    fs::write(&old, bytes).unwrap();
    let solved = of_file(&old);
    assert!(write(&new, FileKind::Wthor, &solved).contains(&told));
    for kind in [FileKind::Ggf, FileKind::Sgf, FileKind::Pgn] {
        let between = folder.path().join("games");
        write(&between, kind, &solved);
        assert!(write(&new, FileKind::Wthor, &of_file(&between)).contains(&told), "{kind:?}");
    }
}

/// A pipe gives a text in pieces of this many bytes.
struct Pieces(Cursor<Vec<u8>>, usize);

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.1.min(buffer.len());
        self.0.read(&mut buffer[..count])
    }
}

/// Their files have the year 0.
#[test]
fn games_of_wthor_that_nobody_knows_the_year_of_have_no_date() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.wtb");
    for date in [None, Some("2001".to_string())] {
        let mut sink = GameSink::to_file(&path, FileKind::Wthor).unwrap();
        sink.write(&GameRecord { date: date.clone(), ..record() }).unwrap();
        sink.finish().unwrap();
        let dates: Vec<_> = files::read_games(&path, &othello()).unwrap().map(|game| game.unwrap().date).collect();
        assert_eq!(dates, [date]);
    }
}

#[test]
fn the_pieces_of_a_pipe_do_not_matter() {
    let wthor = {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.wtb");
        let mut sink = GameSink::to_file(&path, FileKind::Wthor).unwrap();
        sink.write(&record()).unwrap();
        sink.finish().unwrap();
        fs::read(&path).unwrap()
    };
    let board = "---------------------------OX------XO---------------------------";
    let of = |kind| files::games_to_text(&[record(), record()], kind).unwrap().into_bytes();
    for text in [
        wthor,
        of(FileKind::Ggf),
        of(FileKind::Sgf),
        of(FileKind::Pgn),
        of(FileKind::Text),
        // GM is not the first tag
        b"(;PC[x]\nGM[Othello]PB[Ann]B[F5]W[D6];)".to_vec(),
        b"(;FF[4]\nPB[GGS/os]\nB[f5])\n".to_vec(),
        b"\xef\xbb\xbf\n[Site \"PlayOK\"]\n\n1. f5 d6 {(;GM[Othello]} *\n".to_vec(),
        format!("# a comment\n\n{board} X f5d6\n").into_bytes(),
        format!("{board}X f5d6\n").into_bytes(),
    ] {
        let all: Vec<_> = found_in(text.clone(), usize::MAX);
        assert!(all.iter().all(|game| game.starts_with("f5")) && !all.is_empty(), "{all:?}");
        for pieces in [1, 2, 7, 30] {
            assert_eq!(found_in(text.clone(), pieces), all, "{pieces}: {}", String::from_utf8_lossy(&text));
        }
    }
}

/// Moves or errors of a stream that comes in pieces.
fn found_in(text: Vec<u8>, pieces: usize) -> Vec<String> {
    let games = GameStream::from_reader(Box::new(Pieces(Cursor::new(text), pieces)), "pipe", &othello());
    let text = |game: Result<GameRecord, GameFileError>| game.map(|game| transcript::write(&game.game));
    games.map(|game| text(game).unwrap_or_else(|error| error.to_string())).collect()
}

/// Whoever sends a line and waits for its answer gets it.
#[test]
fn a_line_is_enough() {
    struct Silence;
    impl Read for Silence {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            panic!("the writer waits for an answer")
        }
    }
    let board = "---------------------------OX------XO--------------------------- X\n";
    for text in [
        board,
        "f5d6\n",
        "no game\n",
        "# one\nf5d6 (a remark)\n",
        "[Black \"a\"]\n",
        "8/8/8/3Pp3/3pP3/8/8/8 w - - 0 1\n",
    ] {
        let (start, _) = beginning(Box::new(text.as_bytes().chain(Silence))).unwrap();
        assert_eq!(start, text.as_bytes());
    }
}
