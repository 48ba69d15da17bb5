//! What a book costs: opening, looking up, setting all values, reading another program's file, memory.
//!
//! `cargo bench --bench book` takes a small made-up book, `OUTFLANK_BOOK=10M cargo bench --bench book` one of ten million
//! positions: all that follow on the start in the order of their plies, each with a leaf. Times are of one run: on the clock, and
//! of the processors, which other work on the machine changes less.

use std::time::Instant;

use cpu_time::ProcessTime;
use outflank::board::{Board, Squares};
use outflank::book::deepen::to_fix;
use outflank::book::exchange::{Date, Format, export, import};
use outflank::book::file::{BookFile, save};
use outflank::book::graph::followers;
use outflank::book::negamax::negamax;
use outflank::book::node::{Leaf, Node, Origin};
use outflank::book::probe::probe_board;
use outflank::book::verify::faults;
use outflank::book::{Book, Nodes};
use outflank::formats::quantity::parse_count;

/// The first positions of the game, ply by ply. The value of a leaf says nothing, but it is not always the same.
fn made_up(positions: usize) -> Book {
    let mut book = Book::default();
    let mut layer = vec![Board::START.canonical()];
    while book.len() < positions && !layer.is_empty() {
        let mut next = Vec::new();
        for board in &layer {
            if book.len() == positions || book.contains(board) {
                continue;
            }
            let mut node = Node::new(*board, Origin::Outflank);
            let square = Squares(board.legal_moves()).next().expect("a move");
            node.set_leaf(Leaf::Move { square, score: (board.player % 13) as i8 - 6 }, 16);
            node.level = 16;
            book.put(node);
            next.extend(followers(*board));
        }
        layer = next;
    }
    book
}

fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let (start, processors) = (Instant::now(), ProcessTime::now());
    let result = work();
    let (clock, processors) = (start.elapsed().as_secs_f64(), processors.elapsed().as_secs_f64());
    println!("{what:44} {clock:10.3} s, processors {processors:.3} s");
    result
}

fn main() {
    let wanted = std::env::var("OUTFLANK_BOOK").map_or(Ok(200_000), |text| parse_count(&text)).expect("a number");
    let mut book = made_up(wanted as usize);
    println!("{} positions, {:.1} bytes of memory each", book.len(), book.memory() as f64 / book.len() as f64);
    timed("set all values (book fix --no-search)", || negamax(&mut book, |_| {}));
    timed("set them again", || negamax(&mut book, |change| panic!("{change:?}")));
    let stale = timed("look for leaves to search (book fix)", || to_fix(&book).len());
    println!("{:44} {stale:10} leaves", "");
    timed("check everything (book verify)", || assert!(faults(&book).iter().all(|fault| fault.is_open())));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("made-up.book");
    timed("write", || save(&book, &path).expect("it can be written"));
    let file = timed("open, mapped", || BookFile::open(&path).expect("it was just written"));
    let boards: Vec<Board> =
        book.nodes().iter().step_by((book.len() / 100_000).max(1)).map(|node| node.board).collect();
    let nodes: &dyn Nodes = &file;
    for what in ["cold", "warm"] {
        let start = ProcessTime::now();
        let known: usize =
            boards.iter().filter_map(|board| probe_board(nodes, *board)).map(|found| found.moves.len()).sum();
        let each = start.elapsed().as_secs_f64() / boards.len() as f64;
        println!("probe, {what:37} {:10.3} us ({known} moves)", each * 1e6);
    }
    timed("load into memory, checked", || file.load().expect("a good book"));
    let date = Date::of_unix(0);
    for format in [Format::Egbk3, Format::Edax] {
        let exported = timed(&format!("export {}", format.name()), || export(&book, format, date).expect("few enough"));
        let imported =
            timed(&format!("import {}", format.name()), || import(&exported.bytes, format).expect("a good file"));
        println!("{:44} {:10} positions", "", imported.book.len());
    }
}
