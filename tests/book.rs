//! `outflank book` and play from books, through the binary: made, grown, killed, repaired, exchanged, played from.
#![cfg(feature = "cli")]

mod binary;
mod waiting;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use binary::{outflank, output, spawn};
use outflank::book::deepen::to_fix;
use outflank::book::verify::{faults, unreachable};
use outflank::book::{Book, BookFile, Nodes, embedded};
use serde_json::Value;
use tempfile::TempDir;
#[cfg(unix)]
use waiting::interrupted_behind_its_work;
use waiting::{wait_for, wait_for_bytes};

/// A folder with one book in it.
struct Shop {
    folder: TempDir,
}

impl Shop {
    /// An empty book of a low level.
    fn new() -> Shop {
        let shop = Shop { folder: tempfile::tempdir().unwrap() };
        shop.ok("new my.book --level 4 --plies 20");
        shop
    }

    /// With so many positions.
    fn grown(positions: u32) -> Shop {
        let shop = Shop::new();
        shop.ok(&format!("grow my.book --positions {positions} --threads 1 --hash 4"));
        shop
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, arguments: &str) -> Command {
        let mut command = outflank();
        command.current_dir(self.folder.path()).arg("book").args(arguments.split_whitespace());
        command
    }

    fn run(&self, arguments: &str) -> Output {
        output(&mut self.command(arguments), "")
    }

    /// What a command prints that must succeed.
    fn ok(&self, arguments: &str) -> String {
        let done = self.run(arguments);
        let errors = String::from_utf8_lossy(&done.stderr);
        assert_eq!((done.status.code(), errors.as_ref()), (Some(0), ""), "{arguments}");
        String::from_utf8(done.stdout).unwrap()
    }

    fn json(&self, arguments: &str) -> Value {
        serde_json::from_str(&self.ok(&format!("{arguments} --json"))).unwrap()
    }

    /// The exit status and the one line of a command that must fail.
    fn fails(&self, arguments: &str) -> (i32, String) {
        let done = self.run(arguments);
        let text = String::from_utf8(done.stderr).unwrap();
        assert_eq!(text.lines().count(), 1, "{arguments}: {text}");
        (done.status.code().unwrap(), text)
    }

    fn book(&self) -> Book {
        load(&self.path("my.book"))
    }
}

fn load(path: &Path) -> Book {
    BookFile::open(path).unwrap().load().unwrap()
}

/// Faults that no search can mend.
fn broken(book: &Book) -> usize {
    faults(book).iter().filter(|fault| !fault.is_open()).count()
}

#[test]
fn a_book_is_made_grown_shown_and_checked() {
    let shop = Shop::grown(60);
    let info = shop.json("info my.book");
    // the start and 60 more, or one less or more
    let positions = info["positions"].as_u64().unwrap();
    assert!((60..=62).contains(&positions), "{info}");
    assert_eq!((&info["level"], &info["max_ply"], &info["unsearched"]), (&4.into(), &20.into(), &0.into()));
    let of_plies = info["plies"].as_array().unwrap().iter().map(|ply| ply["positions"].as_u64().unwrap());
    assert_eq!(of_plies.sum::<u64>(), positions);
    assert!(shop.ok("info my.book").contains(" ply  positions"));
    assert!(shop.ok("verify my.book").contains("0 faults"));
    let shown = shop.json("show f5 --book my.book");
    let known = &shown["known"];
    let moves = known["moves"].as_array().unwrap();
    assert_eq!(moves[0]["value"], known["value"], "{shown}");
    assert!(moves.len() + known["unlisted"].as_array().unwrap().len() == 3);
    assert!(moves[0]["line"].as_str().unwrap().starts_with(moves[0]["move"].as_str().unwrap()));
    let text = shop.ok("show f5d6c3d3c4 --book my.book");
    assert!(text.contains("Opening: Tiger"), "{text}");
    // again from the same seedless start: the same book
    let again = Shop::grown(60);
    assert_eq!(std::fs::read(again.path("my.book")).unwrap(), std::fs::read(shop.path("my.book")).unwrap());
}

#[test]
fn positions_are_asked_for_by_moves_names_boards_and_files() {
    let shop = Shop::grown(60);
    std::fs::write(shop.path("game.txt"), "f5d6c3d3c4\n").unwrap();
    let tiger = shop.json("show f5d6c3d3c4 --book my.book");
    assert!(tiger["opening"] == "Tiger" && tiger["known"]["moves"].is_array(), "{tiger}");
    let board = tiger["board"].as_str().unwrap().replace(' ', "");
    for other in ["tiger", "game.txt", &board] {
        assert_eq!(shop.json(&format!("show {other} --book my.book")), tiger, "{other}");
    }
    assert_eq!(shop.json("show --book my.book")["known"]["moves"].as_array().unwrap().len(), 4, "the start");
    std::fs::write(shop.path("small.txt"), "# rules: othello:6x6\nc2\n").unwrap();
    let (status, error) = shop.fails("show small.txt");
    assert!(status == 2 && error.contains("a book is of othello on 8x8"), "{error}");
    shop.ok("subtree my.book perpendicular");
    assert_eq!(shop.json("info my.book")["plies"][0]["ply"], 2);
}

#[test]
fn names_of_openings_are_listed_with_blacks_values() {
    let shop = Shop::new();
    let names = shop.ok("names rose");
    assert!(names.starts_with("name ") && names.contains("\nRose-Bill ") && !names.contains("Tiger"), "{names}");
    // a position with black to move, and one with white
    for (name, sign) in [("Perpendicular", 1), ("Rose-v-Toth", -1)] {
        let listed = shop.json(&format!("names {name}"));
        let shown = shop.json(&format!("show {name}"));
        assert_eq!((listed["name"].as_str(), &shown["opening"]), (Some(name), &listed["name"]));
        assert_eq!(listed["value"].as_i64().unwrap(), sign * shown["known"]["value"].as_i64().unwrap());
    }
    assert!(shop.ok("names cow --book my.book").contains("  -  f5f6e6f4e3\n"), "not in that book");
    assert_eq!(shop.fails("names tigger"), (2, "outflank: no opening has 'tigger' in its name\n".to_string()));
}

#[test]
fn books_are_deepened_fixed_pruned_and_merged() {
    let shop = Shop::grown(60);
    let deepened = shop.json("deepen my.book --level 6 --all --threads 1 --hash 4");
    assert!(deepened["searched"].as_u64().unwrap() > 40 && deepened["values_changed"].as_u64().unwrap() > 5);
    let book = shop.book();
    assert!(faults(&book).is_empty() && book.nodes().iter().all(|node| node.leaf_level() >= 4));
    let fixed = shop.json("fix my.book");
    assert_eq!((&fixed["searched"], &fixed["nodes_changed"]), (&0.into(), &0.into()), "nothing is left to fix");
    std::fs::copy(shop.path("my.book"), shop.path("other.book")).unwrap();
    shop.ok("prune my.book --plies 4");
    assert!(shop.book().nodes().iter().all(|node| node.ply() <= 4));
    assert_eq!(load(&shop.path("my.book.bak")).len(), book.len(), "the book before is kept");
    let merged = shop.ok("merge my.book other.book");
    assert!(merged.contains("positions added"), "{merged}");
    shop.ok("fix my.book --threads 1 --hash 4");
    assert_eq!((shop.book().len(), faults(&shop.book())), (book.len(), vec![]));
    shop.ok("subtree my.book f5d6");
    assert!(shop.book().len() < book.len() && shop.book().nodes().iter().all(|node| node.ply() >= 2));
    assert!(shop.fails("subtree my.book f5").1.contains("nothing would be left"));
}

#[test]
fn fixing_and_growing_keep_deeper_leaves() {
    let shop = Shop::grown(80);
    shop.ok("new deep.book --level 7 --plies 20");
    shop.ok("grow deep.book --positions 25 --threads 1 --hash 4");
    shop.ok("merge my.book deep.book");
    let merged = shop.book();
    assert!(to_fix(&merged).iter().any(|board| merged.get(board).unwrap().leaf_level() == 7), "a deep leaf is stale");
    let kept = |when: &str| {
        let book = shop.book();
        for node in merged.nodes() {
            assert!(book.get(&node.board).unwrap().leaf_level() >= node.leaf_level(), "{when}: {node:?}");
        }
    };
    let said = shop.ok("fix my.book --threads 1 --hash 4");
    assert!(said.contains("searched at levels 4 to 7; "), "{said}");
    kept("fix");
    shop.ok("grow my.book --positions 30 --threads 1 --hash 4");
    kept("grow");
    assert_eq!(shop.json("fix my.book --level 9")["searched"], 0);
    assert_eq!(faults(&shop.book()), []);
}

#[test]
fn books_go_to_other_programs_and_come_back() {
    let shop = Shop::grown(80);
    let values =
        |book: &Book| -> Vec<_> { book.sorted().iter().map(|node| (node.board, node.value, node.leaf())).collect() };
    for file in ["out.dat", "out.egbk3", "out.edax"] {
        let format = if file == "out.edax" { "--format edax-text" } else { "" };
        shop.ok(&format!("export {file} --book my.book {format}"));
        let name = format!("from-{file}.book");
        shop.ok(&format!("import {file} {name}"));
        assert_eq!(values(&load(&shop.path(&name))), values(&shop.book()), "{file}");
    }
    // levels and plies: those of Edax's header, elsewhere those of the positions
    for (file, level, plies) in [("out.dat", 4, 20), ("out.egbk3", 4, 36), ("out.edax", 4, 36)] {
        let settings = load(&shop.path(&format!("from-{file}.book"))).settings;
        assert_eq!((settings.level, settings.max_ply), (level, plies), "{file}");
    }
    let said = shop.ok("import out.egbk3 other.book --level 7 --plies 24");
    assert!(said.ends_with(" positions, level 7, to ply 24\n"), "{said}");
    assert_eq!(shop.json("info other.book")["level"], 7);
    std::fs::write(shop.path("one.txt"), "0\n").unwrap();
    assert!(shop.ok("import one.txt one.book").ends_with(", 1 position, level 16, to ply 36\n"));
    assert!(
        shop.ok("info one.book").starts_with("one.book: 1 position, 0 links, 0 leaves searched, 1 to be searched\n")
    );
    let lines = shop.ok("export - --book my.book --format lines");
    assert!(lines.lines().count() >= shop.book().len() - 1, "{lines}");
    assert!(shop.fails("import out.dat from-out.dat.book").1.contains("not overwritten"));
    assert!(shop.fails("import none.dat my.book").1.contains("not overwritten"), "said before anything is read");
}

#[test]
fn strange_files_are_told_and_left_alone() {
    let shop = Shop::grown(5);
    let path = shop.path("my.book");
    let good = std::fs::read(&path).unwrap();
    for (bytes, says) in [
        (b"nonsense".to_vec(), "not a book"),
        (good[..good.len() - 3].to_vec(), "damaged"),
        ([&good[..50], &[good[50] ^ 1], &good[51..]].concat(), "damaged"),
    ] {
        std::fs::write(&path, &bytes).unwrap();
        for command in ["grow my.book --positions 1", "fix my.book", "info my.book", "verify my.book", "prune my.book"]
        {
            let (status, text) = shop.fails(command);
            assert!(status == 2 && text.contains(says), "{command}: {status} {text}");
        }
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "never overwritten");
    }
    assert!(shop.fails("new my.book").1.contains("not overwritten"));
    assert_eq!(shop.fails("info none.book").0, 2);
    std::fs::write(shop.path("x.dat"), b"EDAX").unwrap();
    assert_eq!(shop.fails("import x.dat new.book").0, 2);
    assert!(!shop.path("new.book").exists());
    assert_eq!(shop.fails("export out.unknown").0, 2);
    // a book that has no place is told before its input is read
    for command in ["new none/new.book", "import x.dat none/new.book"] {
        let (status, text) = shop.fails(command);
        assert!(status == 3 && text.starts_with("outflank: cannot write 'none/new.book': "), "{command}: {text}");
    }
    for command in ["grow none/my.book", "fix none/my.book", "info none/my.book"] {
        let (status, text) = shop.fails(command);
        assert!(status == 2 && text.starts_with("outflank: cannot read 'none/my.book': "), "{command}: {text}");
    }
}

/// What cannot be opened to be read is not said to be unwritten.
#[cfg(unix)]
#[test]
fn books_that_cannot_be_read_are_told() {
    let shop = Shop::new();
    std::os::unix::fs::symlink("loop.book", shop.path("loop.book")).unwrap();
    let export = "export - --format lines --book loop.book";
    for command in ["info loop.book", "show --book loop.book", "verify loop.book", export, "merge my.book loop.book"] {
        let (status, text) = shop.fails(command);
        assert!(status == 2 && text.starts_with("outflank: cannot read 'loop.book': "), "{command}: {status} {text}");
    }
    // nobody writes to the pipe: to open it would be to wait for ever
    assert!(Command::new("mkfifo").arg(shop.path("pipe.book")).status().unwrap().success());
    for command in ["info pipe.book", "grow pipe.book", "merge my.book pipe.book"] {
        let (status, text) = shop.fails(command);
        assert!(status == 2 && text == "outflank: pipe.book: not a plain file\n", "{command}: {status} {text}");
    }
    for beside in ["journal", "lock"] {
        let name = format!("my.book.{beside}");
        let (status, text) = shop.fails(&format!("export ./{name} --format lines --book my.book"));
        let told = format!("outflank: ./{name}: commands that change the book have another use for this file\n");
        assert!(status == 2 && text == told && !shop.path(&name).exists(), "{beside}: {status} {text}");
        assert!(Command::new("mkfifo").arg(shop.path(&name)).status().unwrap().success());
        let (status, text) = shop.fails("prune my.book");
        assert!(status == 2 && text == format!("outflank: {name}: not a plain file\n"), "{beside}: {status} {text}");
        std::fs::remove_file(shop.path(&name)).unwrap();
    }
}

#[test]
fn a_killed_run_loses_nothing() {
    let shop = Shop::new();
    let (mut known, mut round, begun) = (0, 0, Instant::now());
    // on a machine with much else to do the first ones are killed before they have found anything
    while round < 6 || known <= 20 && begun.elapsed() < Duration::from_secs(120) {
        let mut child = spawn(&mut shop.command("grow my.book --positions 100k --threads 2 --hash 4"));
        std::thread::sleep(Duration::from_millis(150 + 170 * round));
        round += 1;
        child.kill().unwrap();
        child.wait().unwrap();
        // whatever was being written: the file is a book, and the journal goes into it
        let before = load(&shop.path("my.book")).len();
        let done = shop.run("fix my.book --threads 1 --hash 4");
        assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
        let book = shop.book();
        assert!(book.len() >= before.max(known), "{} after {known}", book.len());
        assert_eq!((faults(&book), unreachable(&book)), (vec![], 0));
        known = book.len();
    }
    assert!(known > 20, "{known}");
}

#[test]
fn what_a_killed_run_has_left_is_told() {
    let shop = Shop::new();
    let mut child = spawn(&mut shop.command("grow my.book --positions 100k --threads 1 --hash 4"));
    let journal = shop.path("my.book.journal");
    wait_for_bytes(&journal, 600);
    child.kill().unwrap();
    child.wait().unwrap();
    // whoever reads the book hears of it, on standard error
    for command in
        ["info my.book --json", "show --book my.book --json", "verify my.book", "export out.egbk3 --book my.book"]
    {
        let done = shop.run(command);
        let said = String::from_utf8(done.stderr).unwrap();
        assert!(
            said.contains("outflank: my.book.journal: ") && said.contains("book fix my.book --no-search"),
            "{said}"
        );
        assert!(done.status.success() && said.lines().count() == 1);
        assert!(!command.ends_with("--json") || serde_json::from_slice::<Value>(&done.stdout).is_ok());
    }
    // no new book takes its name when the book is gone
    std::fs::rename(shop.path("my.book"), shop.path("aside")).unwrap();
    std::fs::write(shop.path("lines.txt"), "f5 0\n").unwrap();
    let bytes = std::fs::read(&journal).unwrap();
    for command in ["new my.book", "import lines.txt my.book"] {
        let (status, text) = shop.fails(command);
        assert!(status == 2 && text.contains("my.book.journal: positions of a book my.book that is gone"), "{text}");
        assert!(!shop.path("my.book").exists() && std::fs::read(&journal).unwrap() == bytes);
    }
    std::fs::rename(shop.path("aside"), shop.path("my.book")).unwrap();
    // a damaged record loses itself alone
    let mut damaged = bytes.clone();
    damaged[16 + 29 * 5 + 3] ^= 1;
    std::fs::write(&journal, &damaged).unwrap();
    let done = shop.run("fix my.book --no-search");
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(said.contains("outflank: 1 damaged record of my.book.journal was left out"), "{said}");
    let records = (bytes.len() - 16) / 29;
    let positions = shop.book().len();
    assert!(done.status.success() && positions > records / 3 && broken(&shop.book()) == 0, "{positions} of {records}");
    assert!(said.contains(&format!("{positions} positions of a killed run")), "each position counts once: {said}");
    assert!(!journal.exists() && std::fs::read(shop.path("my.book.journal.damaged")).unwrap() == damaged);
    shop.ok("info my.book");
}

#[test]
fn a_killed_store_goes_on() {
    let shop = Shop::new();
    std::fs::write(shop.path("games.txt"), "f5d6c3d3c4f4c5b3c2e6\nf5d6c3d3c4f4f6f3e6e7\nf5f6e6f4e3c5c4e7\n").unwrap();
    let mut child = spawn(&mut shop.command("store my.book games.txt --level 12 --threads 1 --hash 4"));
    let journal = shop.path("my.book.journal");
    // until it has stored something
    wait_for_bytes(&journal, 100);
    child.kill().unwrap();
    child.wait().unwrap();
    let done = shop.run("store my.book games.txt --level 4 --threads 1 --hash 4");
    assert_eq!(done.status.code(), Some(0));
    let book = shop.book();
    assert_eq!((faults(&book), unreachable(&book)), (vec![], 0));
    // 1 + 10 + 4 + 7 positions
    assert_eq!(book.len(), 22);
}

#[test]
fn two_programs_never_change_one_book() {
    let shop = Shop::grown(10);
    let mut child = spawn(&mut shop.command("grow my.book --level 20 --threads 1 --hash 4"));
    wait_for("the lock", || shop.path("my.book.lock").exists());
    let (status, text) = shop.fails("fix my.book");
    assert!(status == 2 && text.contains("is in use: something is changing this book already"), "{text}");
    // reading is free, whatever the journal has by now
    assert_eq!(shop.run("info my.book").status.code(), Some(0));
    child.kill().unwrap();
    child.wait().unwrap();
    shop.ok("fix my.book --no-search");
}

#[test]
fn a_time_that_is_over_is_no_interrupt() {
    let shop = Shop::new();
    let grown = shop.json("grow my.book --level 8 --time 0.5 --threads 1 --hash 4");
    assert_eq!(grown["end"], "the time is over");
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_everything() {
    // a time that is not over makes no difference
    an_interrupt_keeps("");
    an_interrupt_keeps("--time 1:00:00");
}

#[cfg(unix)]
fn an_interrupt_keeps(time: &str) {
    let shop = Shop::new();
    let child = spawn(&mut shop.command(&format!("grow my.book --threads 1 --hash 4 --json {time}")));
    let journal = shop.path("my.book.journal");
    wait_for_bytes(&journal, 500);
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let done = child.wait_with_output().unwrap();
    let text = String::from_utf8(done.stdout).unwrap();
    assert!(done.status.code() == Some(130) && text.contains(r#""end":"interrupted""#), "{text}");
    let book = shop.book();
    assert!(book.len() > 5 && broken(&book) == 0, "{}", book.len());
    assert!(!journal.exists() && !shop.path("my.book.lock").exists());
}

/// Whoever interrupts what is done has interrupted nothing.
#[cfg(unix)]
#[test]
fn an_interrupt_behind_the_work_is_none() {
    for arguments in ["fix my.book --no-search", "store my.book games.txt --threads 1 --hash 4"] {
        let shop = Shop::new();
        std::fs::write(shop.path("games.txt"), "f5d6c3\n").unwrap();
        let saved = || shop.path("my.book.bak").exists();
        let status = interrupted_behind_its_work(shop.command(arguments), "the book is saved", saved);
        assert_eq!(status, Some(0), "{arguments}");
    }
}

/// Runs a session on a script and gives what it wrote.
fn session(shop: &Shop, arguments: &str, script: &str) -> String {
    let mut command = outflank();
    let done = output(command.current_dir(shop.folder.path()).args(arguments.split_whitespace()), script);
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn gtp_plays_from_the_book() {
    let shop = Shop::grown(60);
    let best = shop.json("show f5 --book my.book")["known"]["moves"][0]["move"].as_str().unwrap().to_uppercase();
    let script = "play b f5\ngenmove w\nundo\nbook_off\ngogui-param_engine\nbook_on\noutflank-book_moves\nquit\n";
    let text = session(&shop, "gtp --book my.book --book-variety 0 --level 30", script);
    let answers: Vec<&str> = text.split("\n\n").collect();
    assert_eq!(answers[1], format!("= {best}"), "at level 30 only the book answers in time: {text}");
    assert!(answers[4].contains("book 0") && answers[6].contains(&best), "{text}");
    let text = session(&shop, "gtp --no-book --level 1", "book_on\noutflank-book_moves\ngenmove b\nquit\n");
    assert!(text.starts_with("? there is no book\n\n=\n\n= "), "{text}");
}

#[test]
fn games_from_a_book_differ_and_a_seed_repeats_them() {
    let shop = Shop::grown(80);
    let script = "genmove b\ngenmove w\ngenmove b\ngenmove w\nquit\n";
    let play = |seed: u32| {
        session(&shop, &format!("gtp --book my.book --book-loss 3,9 --book-variety 10 --level 1 --seed {seed}"), script)
    };
    let games: std::collections::BTreeSet<String> = (0..8).map(play).collect();
    assert!(games.len() > 3, "{games:?}");
    assert_eq!(play(3), play(3));
}

#[test]
fn nboard_shows_book_moves_and_learns() {
    let shop = Shop::grown(40);
    let script = "nboard 2\nset depth 4\nmove F5\nhint 3\nping 1\n";
    let text = session(&shop, "nboard --book my.book", script);
    let book: Vec<&str> = text.lines().filter(|line| line.starts_with("book ")).collect();
    let words: Vec<&str> = book[0].split(' ').collect();
    assert!(words.len() == 5 && words[2].parse::<f64>().is_ok() && words[4] == "4", "{text}");
    // what the book does not have is searched, and nothing else
    let searched = |line: &str| book.iter().any(|known| known.split(' ').nth(1).unwrap()[..2] == line[7..9]);
    assert!(text.lines().filter(|line| line.starts_with("search ")).all(|line| !searched(line)), "{text}");
    let before = shop.book().len();
    let game = "move F5\nmove D6\nmove C7\nmove F3\nlearn\n";
    let text = session(&shop, "nboard --book my.book", &format!("nboard 2\nset depth 2\n{game}"));
    assert!(text.ends_with("learned\n") && shop.book().len() == before, "without --learn nothing is written");
    let text = session(&shop, "nboard --book my.book --learn", &format!("nboard 2\nset depth 2\n{game}"));
    assert!(text.ends_with("positions learned\nlearned\n"), "{text}");
    assert!(shop.book().len() > before && faults(&shop.book()).is_empty());
    // any line ends it
    let script = "nboard 2\nset depth 40\nmove E6\nmove F4\nmove E3\nmove D6\nlearn\nping 1\n";
    let text = session(&shop, "nboard --book my.book --learn", script);
    assert!(text.ends_with(" learned before it was stopped\nlearned\npong 1\n"), "{text}");
}

#[test]
fn the_console_knows_its_book() {
    let shop = Shop::grown(40);
    let text = session(
        &shop,
        "play -q --book my.book --learn --level 2",
        "play f5\nbook show\nplay f4\nplay e3\nplay f2\nbook show\nbook store\nbook show\nbook off\ngo\nquit\n",
    );
    // what was learned is known at once
    let (before, after) = text.split_once("positions added").expect("a game was learned");
    assert!(before.contains("this position is not in the book") && !after.contains("this position is not"), "{text}");
    assert!(text.contains("positions at level 4") && text.contains("link"), "{text}");
    assert!(text.contains("positions added to my.book") && text.contains("Outflank plays"), "{text}");
    let done = output(outflank().args(["play", "-q", "--no-book"]), "book show\nbook on\nbook store\nbook lend\n");
    let errors = String::from_utf8(done.stderr).unwrap();
    assert_eq!((done.status.code(), errors.lines().count()), (Some(2), 4), "{errors}");
    // other rules have no book
    let mut other = outflank();
    other.args(["play", "-q", "--learn", "--book"]).arg(shop.path("my.book"));
    let done = output(&mut other, "rules othello:6x6\nplay c2\nbook store\n");
    let errors = String::from_utf8(done.stderr).unwrap();
    assert!(errors.contains("a book is of othello on 8x8, and the rules are othello:6x6"), "{errors}");
    assert_eq!(done.status.code(), Some(2));
}

#[test]
fn passes_are_made_on_the_way() {
    let shop = Shop::new();
    std::fs::write(shop.path("g.txt"), "f5f6d3g5h5h4f7h6e7\n").unwrap();
    shop.ok("store my.book g.txt --threads 1 --hash 4");
    let shown = shop.json("show f5f6d3g5h5h4f7h6 --book my.book");
    assert!(shown["known"]["moves"].as_array().is_some_and(|moves| !moves.is_empty()), "{shown}");
    let line = shop.json("accuracy my.book --line f5f6d3g5h5h4f7h6e7");
    assert_eq!(line["line"].as_array().map(Vec::len), Some(9), "{line}");
}

/// What the other games have is stored; the games come in every format that files of games have.
#[test]
fn a_game_that_cannot_be_read_stops_no_storing() {
    let shop = Shop::new();
    std::fs::write(shop.path("g.txt"), "f5d6c3\nf5f5\nf5f6e6\n").unwrap();
    let quick = "--threads 1 --hash 4 --json";
    let done = shop.run(&format!("store my.book g.txt {quick}"));
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(
        done.status.code() == Some(2) && errors.lines().count() == 1 && errors.contains("g.txt: line 2: "),
        "{errors}"
    );
    let told: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!((&told["games"], &told["unreadable"]), (&2.into(), &1.into()), "{told}");
    assert!(told["added"].as_u64() >= Some(5) && told["complete"] == true, "{told}");
    // a page of tags has the positions of its moves
    let page = "[Black \"Ann\"]\n[White \"Bob\"]\n\n1. f5 d6 2. c3 d3 *\n";
    for (number, name) in ["page.pgn", "page"].iter().enumerate() {
        std::fs::write(shop.path(name), page).unwrap();
        let told: Value = serde_json::from_str(&shop.ok(&format!("store my.book {name} {quick}"))).unwrap();
        assert_eq!((&told["games"], &told["unreadable"]), (&1.into(), &0.into()), "{told}");
        assert_eq!(told["added"].as_u64() > Some(0), number == 0, "the second time they are there: {told}");
    }
    let (status, error) = shop.fails("store my.book none.txt");
    assert!(status != 0 && error.contains("none.txt"), "{error}");
}

/// What a book has no place for is said: it is not as if the games had nothing new.
#[test]
fn games_of_other_rules_are_counted() {
    let shop = Shop::new();
    std::fs::write(shop.path("six.txt"), "# rules: othello:6x6\ne4\n\n").unwrap();
    std::fs::write(shop.path("g.txt"), "f5d6\n").unwrap();
    let store = "store my.book six.txt g.txt --threads 1 --hash 4";
    let told = shop.ok(store);
    assert!(
        told.starts_with("2 games (1 of other rules, which have no book), 3 positions in at least 1 of them\n"),
        "{told}"
    );
    let told = shop.json(store);
    assert_eq!((&told["games"], &told["other_rules"], &told["frequent"]), (&2.into(), &1.into(), &3.into()), "{told}");
    assert!(shop.ok("store my.book g.txt --threads 1 --hash 4").starts_with("1 game, 3 positions in"));
}

/// Lines begin at the start: where a book lacks it there are none, and no file is emptied.
#[test]
fn a_book_without_the_start_is_not_written_as_lines() {
    let shop = Shop::new();
    std::fs::write(shop.path("out.txt"), "mine\n").unwrap();
    let lacks = |positions: &str| {
        let (status, error) = shop.fails("export out.txt --book my.book");
        let why = "lines are of moves from the start of othello, which is not among the book's";
        assert_eq!((status, error), (2, format!("outflank: {why} {positions}\n")));
        assert_eq!(std::fs::read_to_string(shop.path("out.txt")).unwrap(), "mine\n");
    };
    lacks("0 positions");
    shop.ok("grow my.book --positions 5 --from f5f6 --threads 1 --hash 4");
    lacks("5 positions");
    shop.ok("export out.dat --book my.book");
    shop.ok("grow my.book --positions 5 --threads 1 --hash 4");
    shop.ok("export out.txt --book my.book");
    assert!(std::fs::read_to_string(shop.path("out.txt")).unwrap().lines().count() > 5);
}

#[test]
fn leaves_that_a_merge_has_linked_are_not_exported() {
    let shop = Shop::grown(80);
    shop.ok("new deep.book --level 7 --plies 20");
    shop.ok("grow deep.book --positions 25 --threads 1 --hash 4");
    shop.ok("merge my.book deep.book");
    let open = shop.json("verify my.book")["unsearched"].as_u64().unwrap();
    assert!(open > 0);
    // a leaf that has become a link is none that has been searched
    let info = shop.json("info my.book");
    assert_eq!(info["unsearched"], open, "{info}");
    let (told, leaves) = (shop.ok("info my.book"), &info["leaves"]);
    assert!(told.contains(&format!(" {leaves} leaves searched, {open} to be searched\n")), "{told}");
    for file in ["out.dat", "out.egbk3", "out.edax"] {
        let format = if file == "out.edax" { "--format edax-text" } else { "" };
        let said = shop.ok(&format!("export {file} --book my.book {format}"));
        assert!(said.contains(&format!("{open} lea")) && said.ends_with("book fix my.book` first\n"), "{said}");
        let said = shop.ok(&format!("import {file} from-{file}.book"));
        assert!(!said.contains("cannot be used"), "no leaf is a link: {said}");
    }
    shop.ok("fix my.book --threads 1 --hash 4");
    assert_eq!(shop.json("export out.dat --book my.book")["unsearched"], 0);
}

#[test]
fn no_output_takes_the_place_of_a_book() {
    let shop = Shop::grown(10);
    let before = std::fs::read(shop.path("my.book")).unwrap();
    shop.ok("new other.book");
    #[cfg(unix)]
    std::os::unix::fs::symlink("my.book", shop.path("link.dat")).unwrap();
    for output in ["my.book", "./my.book", "other.book", if cfg!(unix) { "link.dat" } else { "my.book" }] {
        let (status, error) = shop.fails(&format!("export {output} --book my.book --format lines"));
        assert!(status == 2 && error.contains(&format!("{output}: a book of Outflank")), "{error}");
    }
    std::fs::write(shop.path("g.txt"), "f5d6c3\n").unwrap();
    for command in [
        "games convert g.txt --to txt -o my.book",
        "board f5 --svg my.book",
        "train --games g.txt --out my.book",
        "board f5 --log my.book",
    ] {
        let done = output(outflank().current_dir(shop.folder.path()).args(command.split_whitespace()), "");
        let error = String::from_utf8(done.stderr).unwrap();
        assert!(done.status.code() == Some(2) && error.contains("my.book: a book of Outflank"), "{command}: {error}");
    }
    assert_eq!(std::fs::read(shop.path("my.book")).unwrap(), before);
}

#[test]
fn importing_our_own_books_is_told() {
    let done = Shop::new().run("import my.book other.book");
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.code() == Some(2) && errors.contains("book merge"), "{errors}");
}

#[test]
fn positions_without_known_moves_are_in_the_book() {
    let shop = Shop::new();
    std::fs::write(shop.path("ln.txt"), "f5d6c3 -2\nf5f6 0\n").unwrap();
    shop.ok("import ln.txt ln.book --format lines");
    let text = session(&shop, "play -q --book ln.book", "play f5d6c3\nbook show\nquit\n");
    assert!(text.contains("in the book, but none of its moves"), "{text}");
}

#[test]
fn matches_use_a_book_on_request() {
    let shop = Shop::grown(60);
    let play = |first: &str| {
        let mut command = outflank();
        let arguments = ["match", first, "random", "--games", "2", "--seed", "5"];
        let folder = tempfile::tempdir().unwrap();
        std::fs::copy(shop.path("my.book"), folder.path().join("my.book")).unwrap();
        let done = output(command.current_dir(folder.path()).args(arguments), "");
        (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
    };
    let (status, errors) = play("outflank,level=1,book=my.book,variety=2");
    assert!(matches!(status, Some(0 | 4)), "{errors}");
    let (status, errors) = play("outflank,level=1,book=none.book");
    assert!(status == Some(2) && errors.contains("none.book"), "{errors}");
}

/// Options about a book that is not played from, of changes that a summary has not, and of searches where there are none.
#[test]
fn a_book_without_use_is_told() {
    let shop = Shop::grown(5);
    let refused = |arguments: &str| {
        let done = output(outflank().current_dir(shop.path("")).args(arguments.split_whitespace()), "");
        (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
    };
    for option in ["--book my.book", "--book-loss 3", "--book-variety 4", "--book-draw -2"] {
        for command in ["gtp", "nboard", "play", "web"] {
            let (status, text) = refused(&format!("{command} --no-book {option}"));
            // which of the two is named first is clap's affair
            let names_both = text.contains("'--no-book") && text.contains("cannot be used with");
            assert!(status == Some(2) && names_both, "{command} {option}: {text}");
        }
    }
    let told = "my.book: a book is of othello on 8x8, and the rules are othello:6x6: no move comes from it\n";
    for command in ["gtp", "nboard", "play -q"] {
        let mut session = outflank();
        session.current_dir(shop.path("")).args(command.split(' ')).args(["--book", "my.book", "--rules"]);
        let done = output(session.arg("othello:6x6"), "quit\n");
        // another game of the session may be by other rules
        assert!(done.status.success(), "{command}");
        assert_eq!(String::from_utf8_lossy(&done.stderr), format!("outflank: {told}"), "{command}");
    }
    for command in ["deepen my.book --level 3", "fix my.book"] {
        let (status, text) = refused(&format!("book {command} --changes --json"));
        assert!(status == Some(2) && text.contains("'--changes' cannot be used with '--json'"), "{text}");
    }
    for (command, option) in [("accuracy --line f5d6", "--line"), ("fix my.book --no-search", "--no-search")] {
        for other in ["--threads 2", "--hash 8", "--eval none.bin"] {
            let (status, text) = refused(&format!("book {command} {other}"));
            assert!(status == Some(2) && text.contains("cannot be used with") && text.contains(option), "{text}");
        }
    }
    for book in ["my.book", "on"] {
        let (status, text) = refused(&format!("match outflank,level=1,book={book} random --rules othello:6x6"));
        assert!(
            status == Some(2) && text.contains(": a book is of othello on 8x8, and the rules are othello:6x6"),
            "{text}"
        );
    }
    assert!(!shop.path("match.jsonl").exists());
}

/// A symbolic link that leads nowhere stays: the new book is where it leads to.
#[cfg(unix)]
#[test]
fn a_new_book_is_made_behind_a_link() {
    let shop = Shop::new();
    std::fs::create_dir(shop.path("books")).unwrap();
    std::os::unix::fs::symlink("books/new.book", shop.path("link.book")).unwrap();
    shop.ok("new link.book");
    assert!(std::fs::symlink_metadata(shop.path("link.book")).unwrap().is_symlink());
    assert!(shop.path("books/new.book").is_file());
    let (_, text) = shop.fails("new link.book");
    assert!(text.contains("there is a file of that name"), "{text}");
}

#[test]
fn a_damaged_book_is_not_played_from() {
    let shop = Shop::grown(20);
    let mut bytes = std::fs::read(shop.path("my.book")).unwrap();
    bytes[60] ^= 4;
    std::fs::write(shop.path("my.book"), bytes).unwrap();
    for command in ["gtp", "nboard", "play -q", "web --port 0", "match random outflank,level=1"] {
        let is_match = command.starts_with("match");
        let book = if is_match { ",book=my.book" } else { " --book my.book" };
        let arguments = format!("{command}{book}");
        let done = output(outflank().current_dir(shop.folder.path()).args(arguments.split_whitespace()), "");
        let error = String::from_utf8(done.stderr).unwrap();
        assert!(
            done.status.code() == Some(2) && error.contains("my.book: the checksum is wrong"),
            "{command}: {error}"
        );
    }
}

#[test]
fn a_match_goes_on_with_the_book_it_began_with() {
    let shop = Shop::grown(20);
    let play = |games: u32| {
        let arguments = format!("match outflank,level=1,book=my.book random --games {games} --resume");
        let done = output(outflank().current_dir(shop.folder.path()).args(arguments.split_whitespace()), "");
        (done.status.code(), String::from_utf8(done.stderr).unwrap())
    };
    assert_eq!(play(2).0, Some(0));
    let games = std::fs::read_to_string(shop.path("match.jsonl")).unwrap();
    shop.ok("grow my.book --positions 5 --threads 1 --hash 4");
    let (status, error) = play(4);
    assert!(status == Some(2) && error.contains("cannot resume, first_book was"), "{error}");
    assert_eq!(std::fs::read_to_string(shop.path("match.jsonl")).unwrap(), games);
    // matches had no such member once: theirs may have been any book
    let (before, after) = games.split_once(r#""first_book":""#).unwrap();
    let without = before.to_string() + after.split_once("\",").unwrap().1;
    std::fs::write(shop.path("match.jsonl"), without).unwrap();
    let (status, error) = play(4);
    assert_eq!(status, Some(0), "{error}");
}

#[test]
fn the_built_in_book_is_sound() {
    let file = embedded();
    let book = file.load().expect("a whole file");
    assert_eq!(faults(&book), []);
    assert_eq!(unreachable(&book), 0);
    assert!(file.count() * 25 <= 3 << 20, "at most 3 MiB in the program");
    if !book.is_empty() {
        assert!(book.nodes().iter().all(|node| node.leaf_level() >= 16));
        let value = book.get(&outflank::board::Board::START).unwrap().value;
        assert!(value.abs() <= 2, "the game is a draw: {value:+}");
    }
}
