//! What `--json` prints is what `src/analysis/JSON.md` says: the page is read here, every command on it is run on a small input,
//! and the fields of its objects are compared with those of the page. Objects made of types have schemas instead, with tests
//! beside the types.
#![cfg(feature = "cli")]

mod binary;
mod shared_data;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use binary::{outflank, output};
use serde_json::Value;

const PAGE: &str = include_str!("../src/analysis/JSON.md");

/// The fields of an object, and those of the objects in them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Fields(BTreeMap<String, Field>);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Field {
    /// It may be left out.
    optional: bool,
    fields: Fields,
}

/// The rows of the page's tables: the command as it is written there, and what stands behind it.
fn rows() -> Vec<(&'static str, &'static str)> {
    let cells = PAGE.lines().filter_map(|line| line.strip_prefix("| `")?.strip_suffix(" |"));
    cells.map(|row| row.split_once(" | ").expect("two cells")).collect()
}

/// Commands in the first cell of a row, which begins inside of a code span: "a`, `b".
fn forms(cell: &str) -> Vec<String> {
    cell.split('`').step_by(2).filter(|form| !form.is_empty()).map(str::to_string).collect()
}

/// Reads "`a`, `b` (a list: `c`, `d`), `e`?": words in code spans are fields, those in parentheses are fields of the one before,
/// and one with a question mark may be left out.
fn fields(text: &str) -> Fields {
    fn level(parts: &mut std::vec::IntoIter<&str>) -> Fields {
        let (mut found, mut last) = (Fields::default(), None);
        while let Some(part) = parts.next() {
            match (part, last) {
                ("(", Some(of)) => found.0.get_mut(of).map(|field: &mut Field| field.fields = level(parts)).unwrap(),
                ("?", Some(of)) => found.0.get_mut(of).map(|field: &mut Field| field.optional = true).unwrap(),
                (")", _) => break,
                ("(" | "?", None) => panic!("'{part}' stands behind a field"),
                (name, _) => {
                    assert!(found.0.insert(name.to_string(), Field::default()).is_none(), "{name} is there twice");
                    last = Some(name);
                }
            }
        }
        found
    }
    let mut parts = Vec::new();
    for (at, part) in text.split('`').enumerate() {
        match at % 2 {
            1 => parts.push(part),
            _ => parts.extend(part.matches(['(', ')', '?'])),
        }
    }
    level(&mut parts.into_iter())
}

/// Compares an object with what is said of it, and remembers where objects were.
fn compare(at: &str, value: &Value, said: &Fields, seen: &mut BTreeSet<String>) {
    match value {
        Value::Array(all) => all.iter().for_each(|one| compare(at, one, said, seen)),
        Value::Object(object) => {
            let printed: BTreeSet<&String> = object.keys().collect();
            let on_page: BTreeSet<&String> = said.0.keys().collect();
            let optional = |name: &&&String| said.0[**name].optional;
            let missing: Vec<_> = on_page.difference(&printed).filter(|name| !optional(name)).collect();
            let unknown: Vec<_> = printed.difference(&on_page).collect();
            assert!(missing.is_empty(), "{at}: on the page, but not printed: {missing:?}");
            assert!(unknown.is_empty(), "{at}: printed, but not on the page: {unknown:?}");
            seen.insert(at.to_string());
            for (name, value) in object {
                compare(&format!("{at}.{name}"), value, &said.0[name].fields, seen);
            }
        }
        // numbers, texts, lists of them, and null where something is not known
        _ => {}
    }
}

/// Every place of an object that the page describes.
fn places(at: &str, said: &Fields, found: &mut BTreeSet<String>) {
    if !said.0.is_empty() {
        found.insert(at.to_string());
    }
    said.0.iter().for_each(|(name, field)| places(&format!("{at}.{name}"), &field.fields, found));
}

/// What is said of a command on the page: of each kind of object that it prints.
fn said_of(form: &str) -> Vec<Fields> {
    let row = rows().into_iter().find(|(cell, _)| forms(cell).iter().any(|one| one == form));
    let (_, text) = row.unwrap_or_else(|| panic!("JSON.md says nothing of {form}"));
    text.split(';').map(fields).collect()
}

/// Runs commands in a folder and compares each object that they print with what the page says of the form.
fn check(folder: &Path, form: &str, commands: &[&str]) {
    let said = said_of(form);
    let mut seen = BTreeSet::new();
    for arguments in commands {
        let text = run(folder, arguments);
        // a line each, or one object over several lines
        let objects: Vec<Value> =
            serde_json::Deserializer::from_str(&text).into_iter().collect::<Result<_, _>>().expect("JSON");
        assert!(!objects.is_empty(), "{arguments} prints nothing");
        for object in &objects {
            // the kind that has most of its fields
            let common = |fields: &&Fields| fields.0.keys().filter(|name| object.get(name.as_str()).is_some()).count();
            let kind = said.iter().max_by_key(common).expect("a kind of object");
            let number = said.iter().position(|fields| fields == kind).unwrap_or_default();
            compare(&format!("{form} #{number}"), object, kind, &mut seen);
        }
    }
    let mut wanted = BTreeSet::new();
    said.iter().enumerate().for_each(|(number, kind)| places(&format!("{form} #{number}"), kind, &mut wanted));
    assert_eq!(wanted.difference(&seen).collect::<Vec<_>>(), Vec::<&String>::new(), "described, but never printed");
}

fn run(folder: &Path, arguments: &str) -> String {
    let done = output(outflank().current_dir(folder).args(arguments.split_whitespace()), "");
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(matches!(done.status.code(), Some(0..=4)) && done.status.code() != Some(2), "{arguments}: {errors}");
    String::from_utf8(done.stdout).unwrap()
}

/// Fields that the page describes, as a tree of names.
#[test]
fn the_page_is_understood() {
    let tree = fields("a line: `a`, `b` (null, or a list: `c`, `d` (`e`)), `f`?");
    let names = |fields: &Fields| fields.0.keys().cloned().collect::<Vec<String>>();
    assert_eq!(names(&tree), ["a", "b", "f"]);
    let b = &tree.0["b"].fields;
    assert_eq!((names(b), names(&b.0["d"].fields)), (vec!["c".into(), "d".into()], vec!["e".into()]));
    assert!(tree.0["f"].optional && !tree.0["a"].optional);
    assert_eq!(forms("book deepen`, `book fix`"), ["book deepen", "book fix"]);
    let mut seen = BTreeSet::new();
    compare("x", &serde_json::json!({"a": 1, "b": [{"c": 1, "d": {"e": 0}}], "f": null}), &tree, &mut seen);
    assert_eq!(seen.len(), 3);
    let differs = |object: Value| {
        std::panic::catch_unwind(|| compare("x", &object, &fields("`a`, `b`?"), &mut BTreeSet::new())).is_err()
    };
    assert!(!differs(serde_json::json!({"a": 1})) && differs(serde_json::json!({"b": 1})));
    assert!(differs(serde_json::json!({"a": 1, "c": 1})) && differs(serde_json::json!({"a": {"x": 1}})));
}

/// Whatever has `--json` is on the page.
#[test]
fn every_command_is_on_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let commands = |help: &str| -> Vec<String> {
        let lines = help.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
        let names = lines.take_while(|line| line.starts_with(' ')).filter(|line| !line.starts_with("    "));
        names.filter_map(|line| line.split_whitespace().next()).map(str::to_string).collect()
    };
    let (mut open, mut with_json) = (vec![String::new()], BTreeSet::new());
    while let Some(command) = open.pop() {
        let help = run(folder.path(), &format!("{command} --help"));
        let below = commands(&help).into_iter().filter(|name| name != "help");
        open.extend(below.map(|name| format!("{command} {name}").trim().to_string()));
        if help.lines().any(|line| line.trim_start().starts_with("--json")) {
            with_json.insert(command);
        }
    }
    assert!(with_json.len() > 25, "{with_json:?}");
    let first = |form: String| form.split(" --").next().unwrap_or_default().to_string();
    let on_page: BTreeSet<String> = rows().iter().flat_map(|(cell, _)| forms(cell)).map(first).collect();
    assert_eq!(with_json.difference(&on_page).collect::<Vec<_>>(), Vec::<&String>::new(), "not on the page");
}

/// A folder with two games in `games.txt`, one of them with an error, and a small book, `my.book`.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let games = "f5d6c3d3c4f4f6f3e6e7d7c5b6d8c6c7d2b5a5a6a7g5e3b4c8g6g4c2e8d1f7e2g3h4f1e1f2g1b1f8g8b3h3b2h5b7a3a4a1a2c1h2h1g2b8a8g7h8h7h6\n\
                 f5d6c3d3c4f4c5b3c2\n";
    std::fs::write(folder.path().join("games.txt"), games).unwrap();
    run(folder.path(), "book new my.book --level 2 --plies 20");
    run(folder.path(), "book grow my.book --positions 30 --threads 1 --hash 4");
    folder
}

#[test]
fn books() {
    let (folder, quick) = (folder(), "--threads 1 --hash 4 --json");
    let at = folder.path();
    check(at, "book new", &["book new new.book --json"]);
    check(at, "book info", &["book info my.book --json"]);
    check(at, "book show", &["book show f5 --book my.book --json", "book show f5d6c7 --book my.book --json"]);
    check(at, "book names", &["book names --json", "book names cow --book my.book --json"]);
    check(at, "book grow", &[&format!("book grow my.book --positions 3 {quick}")]);
    check(at, "book store", &[&format!("book store my.book games.txt --plies 12 {quick}")]);
    check(at, "book deepen", &[&format!("book deepen my.book --level 3 {quick}")]);
    check(at, "book fix", &[&format!("book fix my.book {quick}")]);
    check(at, "book accuracy", &["book accuracy my.book --positions 3 --json"]);
    check(at, "book accuracy --line", &["book accuracy my.book --line f5d6c3 --json"]);
    check(at, "book export", &["book export out.egbk3 --book my.book --json"]);
    check(at, "book import", &["book import out.egbk3 back.book --json"]);
    check(at, "book merge", &["book merge new.book my.book back.book --json"]);
    check(at, "book prune", &["book prune new.book --plies 3 --json"]);
    check(at, "book subtree", &["book subtree new.book f5 --json"]);
    // with something wrong in it: its value of the start, and the checksums over it
    let mut bytes = std::fs::read(at.join("my.book")).unwrap();
    bytes[32 + 17] = bytes[32 + 17].wrapping_sub(1);
    let crc = crc_32(&bytes[32..]);
    bytes[24..28].copy_from_slice(&crc.to_le_bytes());
    let crc = crc_32(&bytes[..28]);
    bytes[28..32].copy_from_slice(&crc.to_le_bytes());
    std::fs::write(at.join("wrong.book"), bytes).unwrap();
    check(at, "book verify", &["book verify my.book --json", "book verify wrong.book --json"]);
}

/// The checksum of books, bit by bit.
fn crc_32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0u32, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), step))
}

#[test]
fn games_rules_and_levels() {
    let folder = folder();
    let at = folder.path();
    let wrong = "(;GM[Othello]PC[x]PB[a]PW[b]RE[9]TI[1]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]\
                 B[F5]W[D6];)\n";
    std::fs::write(at.join("wrong.ggf"), wrong).unwrap();
    check(at, "games convert", &["games convert games.txt -o a.ggf --json"]);
    check(at, "games filter", &["games filter games.txt --moves 5..70 -o b.ggf --json"]);
    check(at, "games unique", &["games unique games.txt -o c.ggf --json"]);
    check(at, "games check", &["games check games.txt wrong.ggf --json"]);
    check(at, "games find", &["games find f5 games.txt wrong.ggf --json"]);
    check(at, "games players", &["games players wrong.ggf --json"]);
    check(at, "games problems", &["games problems games.txt --empties 4..12 --swing 1 --json"]);
    check(at, "games random", &["games random --count 2 --empties 50 --level 1 --json"]);
    check(at, "perft", &["perft 3 --json", "perft 2 --divide --json"]);
    check(at, "rules", &["rules --json", "rules othello:6x6 --json"]);
    check(at, "levels GRADE", &["levels club --json"]);
}

#[test]
fn players_and_training() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let settings = "--depth 1 --exact 6 --threads 1 --hash 1 --json";
    check(at, "selfplay", &[&format!("selfplay --out a.osp --games 150 --seed 1 {settings}")]);
    check(at, "selfplay --stats", &["selfplay --stats a.osp --json"]);
    let train = "train --selfplay a.osp --iterations 1 --window 1 --parity-games 100 --threads 2 --json --out";
    check(at, "train", &[&format!("{train} l.bin"), &format!("{train} e.bin --model embedding --epochs 1")]);
    let matches = ["greedy random --games 20 --sprt 0 400 --output m", "greedy random mobility --games 2 --output n"];
    let matches = matches.map(|arguments| format!("match {arguments} --seed 1 --json"));
    check(at, "match", &matches.each_ref().map(String::as_str));
    check(at, "fit-probcut", &["fit-probcut --midgame 260 --endgame 60 --depth 2 --json"]);
    check(at, "fit-ordering", &["fit-ordering --positions 2 --epochs 1 --json"]);
    check(at, "solo --bench", &["solo --bench 2 --json"]);
    output(outflank().current_dir(at).args(["solo", "--seed", "1"]), "save game.solo\nquit\n");
    check(at, "solo --replay", &["solo --replay game.solo --json"]);
}
