//! Books made by random steps: whatever is done to a book, in whatever order, everything that makes it a book holds after each
//! step (`book_model` says what), and `outflank book verify` sees the same; damage that is planted is found by both.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::OnceLock;

use outflank::board::{Board, Square, Squares};
use outflank::book::deepen::{Which, search_again, to_deepen, to_fix};
use outflank::book::edit::{merge, prune, subtree};
use outflank::book::exchange::{Date, Format, export, import};
use outflank::book::file::{BookFile, save, to_bytes};
use outflank::book::games::{self, Counts};
use outflank::book::grow::{End, Plan, grow};
use outflank::book::negamax::{counts, negamax};
use outflank::book::probe::{line, probe_board};
use outflank::book::shelf::create_empty;
use outflank::book::verify::{FaultKind, faults};
use outflank::book::{
    Book, BookMove, Choosing, Deviation, Kind, Leaf, Losses, Node, Nodes, Origin, Route, Settings, Shelf,
};
use outflank::engine::Engine;
use outflank::engine::Options;
use outflank::game::Game;
use outflank::rules::{Color, Position};
use outflank::search::StopToken;
use proptest::prelude::*;
use proptest::test_runner::Config;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tempfile::TempDir;

use book_model::{After, Model, after, band, image, image_of, smallest};

mod book_model;

const SETTINGS: Settings = Settings { level: 2, midgame_error: 2, endcut_error: 1, max_ply: 60 };

/// Something done to a book.
#[derive(Clone, Debug)]
enum Step {
    /// Positions of a random game between two plies.
    Store { seed: u64, from: u32, plies: u32 },
    /// Best first from the start of the game.
    Grow { positions: u64, loss: u8, level: u8 },
    /// Everything below a late position of a random game: exact values, passes, ends.
    GrowEnd { seed: u64, empties: u32, positions: u64 },
    /// Leaves searched again.
    Deepen { level: u8, all: bool },
    /// What is stale, searched again.
    Fix,
    /// Another book put in.
    Merge { seed: u64, level: u8 },
    /// What good play reaches kept.
    Prune { own: u8, other: u8, plies: u32 },
    /// What follows on one of its positions kept.
    Subtree { pick: usize },
    /// Out into another program's file, and back.
    Exchange { format: Format },
    /// Written, and read again.
    Reopen,
    /// The program killed: found again with its journal.
    Kill { seed: u64 },
}

fn step() -> impl Strategy<Value = Step> {
    let formats = prop_oneof![Just(Format::Edax), Just(Format::EdaxText), Just(Format::Egbk3)];
    prop_oneof![
        2 => (any::<u64>(), 0u32..50, 1u32..60).prop_map(|(seed, from, plies)| Step::Store { seed, from, plies }),
        4 => (1u64..20, 0u8..6, 1u8..4).prop_map(|(positions, loss, level)| Step::Grow { positions, loss, level }),
        3 => (any::<u64>(), 3u32..9, 5u64..25)
            .prop_map(|(seed, empties, positions)| Step::GrowEnd { seed, empties, positions }),
        1 => (1u8..6, any::<bool>()).prop_map(|(level, all)| Step::Deepen { level, all }),
        2 => Just(Step::Fix),
        2 => (any::<u64>(), 1u8..4).prop_map(|(seed, level)| Step::Merge { seed, level }),
        1 => (0u8..2, 0u8..20, 4u32..60).prop_map(|(own, other, plies)| Step::Prune { own, other, plies }),
        1 => any::<usize>().prop_map(|pick| Step::Subtree { pick }),
        2 => formats.prop_map(|format| Step::Exchange { format }),
        1 => Just(Step::Reopen),
        1 => any::<u64>().prop_map(|seed| Step::Kill { seed }),
    ]
}

/// The boards of a random game with a move to make.
fn random_game(seed: u64) -> Vec<Board> {
    let mut random = StdRng::seed_from_u64(seed);
    let (mut boards, mut at) = (Vec::new(), Board::START);
    loop {
        let moves: Vec<Square> = Squares(at.legal_moves()).collect();
        if moves.is_empty() {
            at = at.pass();
            if at.legal_moves() == 0 {
                return boards;
            }
            continue;
        }
        boards.push(at);
        at = at.play(moves[random.random_range(0..moves.len())]).expect("a legal move");
    }
}

/// A book in a folder, and the engine that searches for it.
struct Shop {
    folder: TempDir,
    shelf: Option<Shelf>,
    engines: Vec<Engine>,
    files: u32,
}

impl Shop {
    fn new() -> Shop {
        let folder = tempfile::tempdir().unwrap();
        let shelf = create_empty(&folder.path().join("0.book"), SETTINGS).unwrap();
        Shop { shelf: Some(shelf), folder, engines: vec![Engine::new(Options { hash_mib: 1, threads: 1 })], files: 0 }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join(format!("{}.book", self.files))
    }

    fn shelf(&mut self) -> &mut Shelf {
        self.shelf.as_mut().expect("open")
    }

    fn book(&self) -> &Book {
        self.shelf.as_ref().expect("open").book()
    }

    fn store(&mut self, boards: impl Iterator<Item = Board>) {
        let mut counts = Counts::default();
        counts.add_boards(boards, 60);
        let (boards, stop) = (counts.frequent(1), StopToken::new());
        let shelf = self.shelf.as_mut().expect("open");
        games::store(shelf, &mut self.engines, &boards, 2, &stop, &mut |_| {}).unwrap();
        assert!(boards.iter().all(|board| self.book().contains(board)), "every position of the game is stored");
    }

    fn grow(&mut self, plan: &Plan) {
        let before = boards(self.book());
        let most = plan.positions.unwrap() as usize;
        let shelf = self.shelf.as_mut().expect("open");
        let end = grow(shelf, &mut self.engines, plan, &StopToken::new(), &mut |_| {}).unwrap();
        let now = boards(self.book());
        assert!(now.is_superset(&before), "growth only adds");
        let added = now.len() - before.len();
        assert!(added <= most + 1, "{added} positions added, {most} asked for");
        assert!(end == End::Dry || added + 1 >= most, "{added} positions added of {most}, and not dry");
        let stale = faults(self.book()).iter().any(|fault| fault.kind == FaultKind::LinkedLeaf);
        assert!(!stale, "growth leaves no leaf that leads into the book");
    }

    fn search_again(&mut self, boards: &[Board], level: u8) {
        let shelf = self.shelf.as_mut().expect("open");
        let stop = StopToken::new();
        search_again(shelf, &mut self.engines, boards, level, &stop, &mut |_| {}, &mut |_| {}).unwrap();
    }

    fn fix(&mut self) {
        let stale = to_fix(self.book());
        self.search_again(&stale, 2);
        assert_eq!(faults(self.book()), [], "nothing is left to do");
        assert!(to_fix(self.book()).is_empty());
    }

    /// Another book in the place of this one.
    fn replace(&mut self, book: Book) {
        self.shelf = None;
        self.files += 1;
        self.shelf = Some(Shelf::create(&self.path(), book).unwrap());
    }

    fn take(&mut self, step: &Step) {
        let before = self.book().clone();
        match *step {
            Step::Store { seed, from, plies } => {
                let game = random_game(seed);
                self.store(game.into_iter().skip(from as usize).take(plies as usize));
            }
            Step::Grow { positions, loss, level } => {
                let losses = Losses { by_move: loss, in_all: 2 * loss };
                self.grow(&Plan { positions: Some(positions), ..Plan::new(level, 20, losses) });
            }
            Step::GrowEnd { seed, empties, positions } => {
                let start = random_game(seed).into_iter().rfind(|board| board.empty_count() >= empties).unwrap();
                let mut plan = Plan { positions: Some(positions), ..Plan::new(2, 60, Losses::ANY) };
                plan.route.start = start;
                self.grow(&plan);
            }
            Step::Deepen { level, all } => {
                let which = if all { Which::All } else { Which::Open };
                let boards = to_deepen(self.book(), level, which);
                self.search_again(&boards, level);
                let done = |board: &Board| self.book().get(board).is_some_and(|node| node.leaf_level() >= level);
                assert!(boards.iter().all(done));
            }
            Step::Fix => self.fix(),
            Step::Merge { seed, level } => {
                let mut other = Shop::new();
                let losses = Losses { by_move: 3, in_all: 9 };
                other.grow(&Plan { positions: Some(9), ..Plan::new(level, 20, losses) });
                other.store(random_game(seed).into_iter().take(20));
                let merged = merge(self.shelf().edit(), other.book());
                self.shelf().save().unwrap();
                assert_eq!(merged.added + merged.updated + merged.kept, other.book().len());
                let both: BTreeSet<Board> = boards(&before).union(&boards(other.book())).copied().collect();
                assert_eq!(boards(self.book()), both);
            }
            Step::Prune { own, other, plies } => {
                let (own, other) = (Losses { by_move: own, in_all: own }, Losses { by_move: other, in_all: 60 });
                let deviations = vec![Deviation { first: own, second: other }, Deviation { first: other, second: own }];
                let route = Route { start: Board::START, deviations, window: None, max_ply: plies };
                let removed = prune(self.shelf().edit(), &route);
                self.shelf().save().unwrap();
                assert_eq!(self.book().len() + removed, before.len());
                assert!(boards(self.book()).is_subset(&boards(&before)));
            }
            Step::Subtree { pick } => {
                if before.is_empty() {
                    return;
                }
                let root = before.nodes()[pick % before.len()].board;
                subtree(self.shelf().edit(), image(root, pick % 8));
                self.shelf().save().unwrap();
                assert_eq!(boards(self.book()), below(&before, root));
            }
            Step::Exchange { format } => self.exchange(format),
            Step::Reopen => {
                self.shelf().save().unwrap();
                self.shelf = None;
                self.shelf = Some(Shelf::open(&self.path()).unwrap());
                assert_eq!(to_bytes(self.book()), to_bytes(&before));
            }
            Step::Kill { seed } => {
                // the journal alone knows this position
                let board = random_game(seed)[seed as usize % 30];
                let new = !before.contains(&smallest(board));
                if new {
                    let mut node = Node::new(smallest(board), Origin::Outflank);
                    let square = Squares(node.board.legal_moves()).next().unwrap();
                    node.set_leaf(Leaf::Move { square, score: (seed % 9) as i8 - 4 }, 2);
                    self.shelf().put(node).unwrap();
                }
                self.shelf = None;
                self.shelf = Some(Shelf::open(&self.path()).unwrap());
                let recovered = self.shelf().recovered().positions;
                assert_eq!((recovered, self.book().len()), (usize::from(new), before.len() + usize::from(new)));
            }
        }
    }

    fn exchange(&mut self, format: Format) {
        let before = self.book().clone();
        let bytes = export(&before, format, Date::of_unix(0)).unwrap().bytes;
        let back = import(&bytes, format).unwrap().book;
        assert_eq!(boards(&back), boards(&before), "{format}");
        let again = export(&back, format, Date::of_unix(0)).unwrap().bytes;
        // Egaroucid's counts of lines and the values of the text form are made anew; the rest is the same byte for byte
        let twice = import(&again, format).unwrap().book;
        assert_eq!(twice.sorted(), back.sorted(), "{format}");
        for node in before.nodes().iter().filter(|_| format != Format::EdaxText) {
            assert_eq!(back.get(&node.board).unwrap().value, node.value, "{format}: {node:?}");
        }
        self.replace(back);
    }
}

fn boards(book: &Book) -> BTreeSet<Board> {
    book.nodes().iter().map(|node| node.board).collect()
}

/// A position and everything that follows on it within a book.
fn below(book: &Book, root: Board) -> BTreeSet<Board> {
    let (all, mut found, mut open) = (boards(book), BTreeSet::new(), vec![root]);
    while let Some(board) = open.pop() {
        if all.contains(&board) && found.insert(board) {
            open.extend(Squares(board.legal_moves()).filter_map(|square| match after(board, square) {
                After::End(_) => None,
                After::Theirs(next) | After::Ours(next) => Some(next),
            }));
        }
    }
    found
}

/// What `verify` says, in the model's words.
fn verified(book: &Book) -> BTreeMap<Board, BTreeSet<(&'static str, bool)>> {
    let mut found: BTreeMap<Board, BTreeSet<(&'static str, bool)>> = BTreeMap::new();
    for fault in faults(book) {
        let what = match fault.kind {
            FaultKind::Node("a square has two discs") => "two discs",
            FaultKind::Node("a centre square is empty") => "centre",
            FaultKind::Node("the board is not the canonical one of its eight images") => "not the smallest image",
            FaultKind::Node("the side to move has no move") => "no move",
            FaultKind::Node("a value is beyond 64 discs") => "beyond 64",
            FaultKind::Node("the value is outside its bounds") => "bounds",
            FaultKind::Node("the leaf is not a legal move" | "the leaf is no square") => "leaf",
            FaultKind::Node(other) => panic!("{other}: a fault that the model does not know"),
            FaultKind::Value { .. } => "value",
            FaultKind::MissingLeaf => "no leaf",
            FaultKind::LinkedLeaf => "linked leaf",
            FaultKind::UnknownLeaf => "unknown leaf",
        };
        found.entry(fault.board).or_default().insert((what, fault.is_open()));
    }
    found
}

/// The model and `verify` see the same in a book.
fn agree(book: &Book) -> BTreeMap<Board, BTreeSet<(&'static str, bool)>> {
    let findings = Model::new(book.nodes(), book.settings).findings();
    assert_eq!(verified(book), findings);
    findings
}

/// Everything that must hold in a book, whatever was done to it.
fn sound(book: &Book, folder: &TempDir) {
    let findings = agree(book);
    let broken = findings.values().flatten().find(|(_, open)| !open);
    assert_eq!(broken, None, "{findings:?}");
    let model = Model::new(book.nodes(), book.settings);
    let values = model.values();
    for node in book.nodes() {
        assert_eq!(band(node), values[&node.board], "the value from the ends of the book: {node:?}");
        assert!(node.lower <= node.value && node.value <= node.upper);
        images_agree(book, node);
        play_is_sound(book, node);
    }
    lines_are_counted(book);
    let mut again = book.clone();
    negamax(&mut again, |change| panic!("a second sweep changes {change:?}"));
    // as it lies in a file
    let path = folder.path().join("sound.book");
    save(book, &path).unwrap();
    let file = BookFile::open(&path).unwrap();
    assert_eq!((file.count(), file.check()), (book.len(), Ok(())));
    assert!(book.nodes().iter().all(|node| file.find(&node.board) == Some(*node)));
    assert_eq!(to_bytes(&file.load().unwrap()), std::fs::read(&path).unwrap());
}

/// What is said of a move, apart from its square.
type Said = (After, i8, i8, i8, bool, &'static str);

fn said(board: Board, mv: &BookMove) -> Said {
    (after(board, mv.square), mv.score, mv.lower, mv.upper, mv.exact, mv.kind.name())
}

/// All eight images of a position know the same, of moves that fit them.
fn images_agree(book: &Book, node: &Node) {
    let mut first: Option<Vec<Said>> = None;
    for symmetry in 0..8 {
        let board = image(node.board, symmetry);
        let known = probe_board(book, board).expect("a position of the book");
        assert_eq!(known.node, *node);
        let mut all: Vec<Said> = known.moves.iter().map(|mv| said(board, mv)).collect();
        all.sort_unstable();
        assert_eq!(*first.get_or_insert(all.clone()), all, "image {symmetry} of {node:?}");
        // every legal move is there once
        let squares: Vec<Square> = known.moves.iter().map(|mv| mv.square).chain(known.unlisted.clone()).collect();
        let set = squares.iter().fold(0, |set, square| set | square.bit());
        assert_eq!((set, squares.len() as u32), (board.legal_moves(), board.legal_moves().count_ones()));
        assert!(known.moves.is_sorted_by(|a, b| a.score >= b.score), "best first");
        // where the board is its own image, so are its moves
        for symmetry in (1..8).filter(|&symmetry| image(board, symmetry) == board) {
            for mv in &known.moves {
                let other = image_of(mv.square, symmetry);
                let same = known.moves.iter().find(|known| known.square == other).map(|known| said(board, known));
                assert_eq!(same, Some(said(board, mv)), "{} and {other} are the same in {board:?}", mv.square);
            }
        }
        if let Some(best) = known.best() {
            assert_eq!(best.score, node.value);
            let mut at = board;
            for square in line(book, board) {
                at = at.play(square).expect("a line of legal moves");
            }
        }
    }
}

/// What is played from a position: legal, allowed, never worse than the leaf; without variety the best, always.
fn play_is_sound(book: &Book, node: &Node) {
    let board = image(node.board, node.board.player.count_ones() as usize % 8);
    let game = Game::from_position(Position::from_board(board, Color::Black));
    let known = probe_board(book, board).expect("a position of the book");
    let best = Choosing::BEST.choose(book, &game, 1);
    assert_eq!(best, Choosing::BEST.choose(book, &game, 2), "no chance");
    assert_eq!(best.is_none(), known.is_stale());
    let Some(best) = best else { return };
    assert!(known.moves.iter().all(|mv| mv.score <= best.score));
    if !known.moves.iter().any(|mv| mv.kind == Kind::Leaf) && !known.unlisted.is_empty() {
        assert!(model_leaf(node).is_none_or(|score| score < best.score + 2), "stale nodes are searched");
    }
    for random in 0..4 {
        let choosing = Choosing { move_loss: 2, game_loss: 3, variety: 7, ..Choosing::default() };
        let played = choosing.choose(book, &game, random).expect("a move");
        assert!(board.play(played.square).is_some() && played.score + 2 >= best.score);
    }
}

fn model_leaf(node: &Node) -> Option<i8> {
    match node.leaf() {
        Leaf::Move { score, .. } => Some(score),
        _ => None,
    }
}

/// Lines: one for a leaf that leads out of the book, which is a move that ends the game where no move does, and those of every link,
/// once for each move.
fn lines_are_counted(book: &Book) {
    let found = counts(book);
    let lines = |board: &Board| book.position(board).map_or(0, |at| found[at].lines);
    for (at, node) in book.nodes().iter().enumerate() {
        let below = Squares(node.board.legal_moves()).map(|square| match after(node.board, square) {
            After::End(_) => 0,
            After::Theirs(next) | After::Ours(next) => lines(&next),
        });
        let ends_game = |square| matches!(after(node.board, square), After::End(_));
        let ends = node.leaf() == Leaf::None && Squares(node.board.legal_moves()).any(ends_game);
        let leads_out = |square| match after(node.board, square) {
            After::End(_) => true,
            After::Theirs(next) | After::Ours(next) => book.position(&next).is_none(),
        };
        let is_leaf = matches!(node.leaf(), Leaf::Move { square, .. } if leads_out(square));
        let leaf = u32::from(is_leaf || ends);
        assert_eq!(found[at].lines, below.fold(leaf, u32::saturating_add), "{node:?}");
    }
}

proptest! {
    #![proptest_config(Config { cases: cases(), failure_persistence: None, ..Config::default() })]

    #[test]
    fn every_step_leaves_a_book(steps in prop::collection::vec(step(), 1..10)) {
        let mut shop = Shop::new();
        for step in &steps {
            shop.take(step);
            sound(shop.book(), &shop.folder);
        }
        shop.fix();
        sound(shop.book(), &shop.folder);
    }

    #[test]
    fn the_same_steps_make_the_same_book(steps in prop::collection::vec(step(), 1..6)) {
        let made = || {
            let mut shop = Shop::new();
            steps.iter().for_each(|step| shop.take(step));
            to_bytes(shop.book())
        };
        prop_assert!(made() == made());
    }

    #[test]
    fn damage_is_seen_by_both(places in prop::collection::vec((any::<usize>(), 0usize..24, 1u8..=255), 1..4)) {
        let mut nodes = sample().nodes().to_vec();
        for (at, byte, change) in places {
            let at = at % nodes.len();
            let mut bytes = nodes[at].to_bytes();
            bytes[byte] ^= change;
            // no score can be negated that is this
            bytes[16..19].iter_mut().for_each(|byte| *byte = if *byte == 128 { 129 } else { *byte });
            nodes[at] = Node::from_bytes(&bytes);
        }
        let mut book = Book::new(SETTINGS);
        nodes.iter().for_each(|node| _ = book.put(*node));
        agree(&book);
    }

    #[test]
    fn missing_positions_are_seen_by_both(gone in prop::collection::vec(any::<usize>(), 1..9)) {
        let mut book = sample().clone();
        for pick in gone {
            let board = book.nodes()[pick % book.len()].board;
            book.retain(|node| node.board != board);
        }
        let findings = agree(&book);
        // a position that led there alone has no leaf, or another value, unless its leaf is as good
        prop_assert!(book.len() < sample().len() && findings.values().flatten().all(|(what, _)| *what != "leaf"));
    }
}

/// Random books of a run; `OUTFLANK_BOOKS` makes them more.
fn cases() -> u32 {
    std::env::var("OUTFLANK_BOOKS").ok().and_then(|text| text.parse().ok()).unwrap_or(16)
}

/// A book with early and late positions, passes, ends and exact values; nothing is left to do in it.
fn sample() -> &'static Book {
    static SAMPLE: OnceLock<Book> = OnceLock::new();
    SAMPLE.get_or_init(|| {
        let mut shop = Shop::new();
        shop.take(&Step::Grow { positions: 60, loss: 4, level: 2 });
        for seed in 0..6 {
            shop.take(&Step::Store { seed, from: 0, plies: 60 });
            shop.take(&Step::GrowEnd { seed, empties: 7, positions: 20 });
        }
        shop.fix();
        shop.book().clone()
    })
}

#[test]
fn the_sample_has_everything() {
    let book = sample();
    let passes = |node: &&Node| {
        Squares(node.board.legal_moves()).any(|square| matches!(after(node.board, square), After::Ours(_)))
    };
    let ends = |node: &&Node| {
        Squares(node.board.legal_moves()).any(|square| matches!(after(node.board, square), After::End(_)))
    };
    let count = |is: &dyn Fn(&&Node) -> bool| book.nodes().iter().filter(is).count();
    assert!(book.len() > 300 && count(&passes) > 10 && count(&ends) > 10 && count(&|node| node.is_exact()) > 30);
    assert!(agree(book).is_empty());
}

/// Every kind of damage that can be named, planted one by one, is called by its name at its place.
#[test]
fn every_kind_of_damage_is_found() {
    let good = sample();
    let model = Model::new(good.nodes(), good.settings);
    let with_leaf = |node: &&Node| matches!(node.leaf(), Leaf::Move { .. });
    let inner = |node: &&Node| (model.outward(node.board).len() as u32) < node.board.legal_moves().count_ones();
    let midgame = good.nodes().iter().find(|node| with_leaf(node) && inner(node) && !node.is_exact()).unwrap();
    let linked = |node: &Node| {
        let out = model.outward(node.board);
        Squares(node.board.legal_moves()).find(|square| !out.contains(square)).unwrap()
    };
    type Damage<'a> = Box<dyn Fn(&mut [u8; Node::BYTES]) + 'a>;
    let byte = |at: usize, value: u8| -> Damage { Box::new(move |bytes| bytes[at] = value) };
    let discs = |change: fn(Board) -> Board| -> Damage {
        Box::new(move |bytes| {
            let board = change(Node::from_bytes(bytes).board);
            bytes[..8].copy_from_slice(&board.player.to_le_bytes());
            bytes[8..16].copy_from_slice(&board.opponent.to_le_bytes());
        })
    };
    let illegal = (0..64).find(|&at| midgame.board.legal_moves() >> at & 1 == 0).unwrap();
    let damages: Vec<(&str, Damage)> = vec![
        ("two discs", discs(|board| Board { player: board.player | board.opponent, ..board })),
        ("centre", discs(|board| Board { player: board.player & !(1 << 27), opponent: board.opponent & !(1 << 27) })),
        ("not the smallest image", discs(|board| (1..8).map(|s| image(board, s)).max().unwrap())),
        ("beyond 64", byte(21, 65)),
        ("bounds", byte(17, 64)),
        ("leaf", byte(20, illegal)),
        ("leaf", byte(20, 77)),
        ("value", Box::new(|bytes| bytes[17] = bytes[17].wrapping_sub(1))),
        ("value", Box::new(|bytes| bytes[18] = bytes[18].wrapping_add(1))),
        ("value", Box::new(|bytes| bytes[23] ^= 8)),
        ("no leaf", byte(20, 65)),
        ("unknown leaf", byte(20, 255)),
        ("linked leaf", byte(20, linked(midgame).index() as u8)),
    ];
    for (what, damage) in damages {
        let mut bytes = midgame.to_bytes();
        damage(&mut bytes);
        let node = Node::from_bytes(&bytes);
        let mut book = good.clone();
        book.retain(|node| node.board != midgame.board);
        book.put(node);
        let found = agree(&book);
        let names: Vec<&str> = found.get(&node.board).into_iter().flatten().map(|(name, _)| *name).collect();
        assert!(names.contains(&what), "{what}: {names:?}");
    }
    // a position without a move
    let full = Board { player: u64::MAX, opponent: 0 };
    let mut bytes = midgame.to_bytes();
    bytes[..16].fill(0);
    bytes[..8].copy_from_slice(&full.player.to_le_bytes());
    let mut book = good.clone();
    book.put(Node::from_bytes(&bytes));
    assert!(agree(&book)[&full].contains(&("no move", false)));
}
