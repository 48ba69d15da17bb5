//! Files made to take for ever or to take all memory: reading them is linear, and limits come before memory.
//!
//! Each of these inputs took minutes, or the square of its length, before.

use std::sync::Arc;
use std::time::{Duration, Instant};

use outflank::formats::stream::{FileKind, GameStream, LONGEST_GAME};
use outflank::formats::{ggf, obf, sgf};
use outflank::rules::RuleSet;

/// A few megabytes of anything are read in less, also without optimisation on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

fn othello() -> Arc<RuleSet> {
    Arc::new(RuleSet::othello())
}

/// Reads something and counts what comes out.
fn count<T>(what: &str, items: impl Iterator<Item = T>) -> usize {
    let begun = Instant::now();
    let mut count = 0;
    for _ in items {
        count += 1;
        assert!(begun.elapsed() < PATIENCE, "{what}: {count} read after {:?}", begun.elapsed());
    }
    println!("{what}: {count} in {:.1?}", begun.elapsed());
    count
}

#[test]
fn ggf_errors() {
    for (piece, found) in [
        ("(;GM[Othello]", 300_000),
        ("(;GM[Othello]\n", 300_000),
        ("(;A[", 300_000),
        ("(;", 300_000),
        ("(;)", 300_000),
        ("(;A[]", 300_000),
        ("(;B[a1]\n", 300_000),
    ] {
        let text = piece.repeat(300_000);
        assert_eq!(count(piece, ggf::games(&text, othello())), found, "{piece}");
    }
}

#[test]
fn sgf_errors() {
    for (piece, found) in [
        // variations within variations: one game, as deep as it is long
        ("(;GM[2]", 1),
        ("(;", 1),
        ("(;A[", 300_000),
        ("(;!", 300_000),
        ("(;A]\n", 300_000),
        ("(;B[aa])\n", 300_000),
    ] {
        let text = piece.repeat(300_000);
        assert_eq!(count(piece, sgf::games(&text, othello())), found, "{piece}");
    }
    // each goes on with the remark about the move
    let remarks = "(;GM[2];B[f5]".to_string() + &";C[x]".repeat(1_000_000) + ")";
    assert_eq!(count("remarks", sgf::games(&remarks, othello())), 1);
    let deep = "(".repeat(1_000_000) + ";GM[2]" + &")".repeat(1_000_000);
    assert_eq!(count("deep", sgf::games(&deep, othello())), 1);
}

#[test]
fn lines_and_transcripts() {
    let games = |text: &str| GameStream::from_text(text, "text", Some(FileKind::Text), &othello());
    // lines that go on with a game do so for 64 KiB
    for (piece, found) in
        [("x\n", 300_000), ("f5 ", 1), ("1.", 1), ("pass", 1), ("2.\n", 14), ("@", 1), ("# rules: othello\n", 0)]
    {
        assert_eq!(count(piece, games(&piece.repeat(300_000))), found, "{piece}");
    }
    for (piece, found) in
        [("x\n", 300_000), (" ", 1), ("X ", 1), ("8 ", 1), ("%\n", 0), ("--------\n", 37_500), ("|\n", 300_000)]
    {
        let text = piece.repeat(300_000);
        assert_eq!(count(piece, obf::Reader::new(text.as_bytes(), othello())), found, "{piece}");
    }
}

/// The same through the window that streams move over a file, and games longer than the window.
#[test]
fn streams_of_errors() {
    let stream = |text: String| GameStream::from_text(text, "text", None, &othello());
    for (piece, format) in [
        ("(;GM[Othello]B[", FileKind::Ggf),
        ("(;GM[Othello]\n", FileKind::Ggf),
        ("(;GM[Othello]B[a1]\n", FileKind::Ggf),
        ("(;GM[2]A[", FileKind::Sgf),
        ("(;GM[2]!", FileKind::Sgf),
        ("(;GM[2];B[aa])\n", FileKind::Sgf),
    ] {
        let text = piece.repeat(300_000);
        let whole = match format {
            FileKind::Ggf => ggf::games(&text, othello()).count(),
            _ => sgf::games(&text, othello()).count(),
        };
        assert_eq!(count(piece, stream(text)), whole, "{piece}");
    }
    for (piece, found) in
        [("[A \"b\"]\nx\n", 300_000), ("[A \"b\"]\n", 1), ("x\n", 300_000), ("|x\n", 0), ("f5 ", 1), ("p/\n", 300_000)]
    {
        assert_eq!(count(piece, stream(piece.repeat(300_000))), found, "{piece}");
    }
    let long = format!("(;GM[2]C[{}];B[f5])(;GM[2];B[d3])", "x".repeat(LONGEST_GAME + 1));
    let games: Vec<bool> = stream(long).map(|game| game.is_ok()).collect();
    assert_eq!(games, [false, true], "a game that is too long is one error");
}

/// Something that never ends, such as `/dev/zero`.
#[test]
fn endless_input() {
    let endless = std::io::BufReader::new(std::io::Read::take(std::io::repeat(b'x'), 1 << 28));
    let mut problems = obf::Reader::new(endless, othello());
    let error = problems.next().unwrap().1.unwrap_err().to_string();
    assert_eq!(error, "line 1, column 1: the line has more than 65536 bytes");
    assert!(problems.next().is_none());
}
