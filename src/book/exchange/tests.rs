//! The files of the book notes byte by byte, and books that go out and come back.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::board::{Board, Square, Squares, transform, transform_square};
use crate::book::graph::{Next, board, unknown_moves};
use crate::book::negamax::negamax;
use crate::book::node::Origin;
use crate::book::store::Settings;

const DATE: Date = Date { year: 2025, month: 3, day: 1, hour: 12, minute: 0, second: 0 };

/// The file of the book notes: start, f5 and f5d6.
const EDAX: &str = "
58 41 44 45 4b 4f 4f 42 04 06 e9 07 03 01 0c 00 00 00 10 00 00 00 32 00 00 00 02 00 00 00 01 00 00 00 00 00 00 00 03 00 00 00
00 00 00 10 08 00 00 00 00 00 00 08 10 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 08 00 00 00 01 00 ff ff 03 00 04 10 01 13
01 1a 01 25 01 2c 81 41
00 00 00 08 00 00 00 00 00 00 00 10 38 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 02 00 00 00 ff ff fd ff 01 00 01 10 ff 2b
fe 2d
00 00 08 18 00 00 00 00 00 00 00 00 1c 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01 00 00 00 01 00 ff ff 03 00 00 10 01 2d";

/// A position with a pass to make; its value is illustrative.
const PASS: &str = "
00 00 70 18 1c 00 00 00 38 10 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01 00 00 00 14 00 14 00 14 00 01 10 14 40
81 41";

fn hex(text: &str) -> Vec<u8> {
    text.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}

fn problem(bytes: &[u8], format: Format) -> ImportError {
    import(bytes, format).map(|_| ()).unwrap_err()
}

fn bytes_of(book: &Book, format: Format) -> Vec<u8> {
    export(book, format, DATE).unwrap().bytes
}

/// What some search might say of a position: the same of all its images.
fn opinion(board: Board) -> i8 {
    let Board { player, opponent } = board.canonical();
    let mixed = (player ^ opponent.rotate_left(29)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((mixed >> 40) % 41) as i8 - 20
}

fn worth(board: Board, square: Square) -> Option<i8> {
    match Next::of(board, square) {
        Next::Over(_) => None,
        Next::Board { board, passed } => Some(if passed { opinion(board) } else { -opinion(board) }),
    }
}

/// A book of random games, a pass among them, down to this many empties. One leaf in `unknown` is not known.
fn generated(seed: u64, positions: usize, empties: u32, unknown: u64, origin: Origin) -> Book {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut book = Book::default();
    while book.len() < positions {
        let mut at = if book.is_empty() { board("f5f6d3g5h5h4f7") } else { Board::START };
        while at.empty_count() >= empties {
            let moves: Vec<Square> = Squares(at.legal_moves()).collect();
            // a leaf that is worse than a move which ends the game does not survive: elsewhere that move is the leaf
            if empties > 1 && moves.iter().any(|square| matches!(Next::of(at, *square), Next::Over(_))) {
                break;
            }
            book.put(intake::node(at.canonical(), origin, 0, 4 + (opinion(at) + 20) as u8));
            let square = if book.len() == 1 { "h6".parse().unwrap() } else { moves[rng.random_range(0..moves.len())] };
            match Next::of(at, square) {
                Next::Board { board, .. } => at = board,
                Next::Over(_) => break,
            }
        }
    }
    for at in 0..book.len() {
        let node = book.nodes()[at];
        let moves = Squares(unknown_moves(&book, node.board));
        let leaf = moves.filter_map(|square| Some((worth(node.board, square)?, square))).max();
        let (leaf, level) = match leaf {
            Some(_) if rng.random_range(0..unknown) == 0 => (Leaf::Unknown, 0),
            Some((score, square)) => (Leaf::Move { square, score }, node.level),
            None => (Leaf::None, node.level),
        };
        book.nodes_mut()[at].set_leaf(leaf, level);
    }
    negamax(&mut book, |_| {});
    book
}

fn assert_same(found: &Book, wanted: &Book) {
    assert_eq!(found.len(), wanted.len());
    for (found, wanted) in found.sorted().iter().zip(&wanted.sorted()) {
        assert_eq!(found, wanted);
    }
}

const NEVER: u64 = 1 << 60;

#[test]
fn leaves_to_be_searched_are_counted_where_they_are_written() {
    let mut book = generated(7, 400, 20, 5, Origin::Outflank);
    crate::book::edit::subtree(&mut book, Board::START);
    // a leaf that a merge has made a link
    let square = crate::book::graph::known_moves(&book, Board::START).next().unwrap().square;
    let start = book.position(&Board::START).unwrap();
    book.nodes_mut()[start].set_leaf(Leaf::Move { square, score: 0 }, 16);
    let open = crate::book::leaf::unsearched(&book).len();
    assert!(open > 20);
    let counted = |book: &Book, format| export(book, format, DATE).unwrap().unsearched;
    for format in Format::ALL.into_iter().filter(|format| format.is_writable()) {
        assert_eq!(counted(&book, format), open, "{format}");
    }
    // what is not in the file lacks nothing there
    let alone = board("f5f6d3g5h5h4f7").canonical();
    assert!(book.put(Node::new(alone, Origin::Outflank)));
    assert_eq!((counted(&book, Format::Edax), counted(&book, Format::Lines)), (open + 1, open));
}

#[test]
fn edax_bytes_of_the_notes() {
    let bytes = hex(EDAX);
    assert_eq!(bytes.len(), 178);
    let Imported { book, warnings } = import(&bytes, Format::Edax).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    assert_eq!(book.settings, Settings { level: 16, midgame_error: 2, endcut_error: 1, max_ply: 11 });
    let band = |moves: &str| {
        let node = book.get(&board(moves).canonical()).unwrap();
        (node.value, node.lower, node.upper, node.level, node.leaf_level(), node.origin())
    };
    assert_eq!(band(""), (1, -1, 3, 16, 16, Origin::Edax));
    assert_eq!(band("f5"), (-1, -3, 1, 16, 16, Origin::Edax));
    assert_eq!(band("f5d6"), (1, -1, 3, 16, 16, Origin::Edax));
    assert_eq!(bytes_of(&book, Format::Edax), bytes);
    // and by the text form, whose lines are those of the same three positions
    let text = bytes_of(&book, Format::EdaxText);
    let again = import(&text, Format::EdaxText).unwrap().book;
    assert_eq!(again.sorted(), book.sorted());
}

#[test]
fn edax_books_of_one_position() {
    let mut bytes = hex(EDAX)[..42 + 32].to_vec();
    bytes[38] = 1;
    bytes.extend(hex("01 00 81 ff 7f 00 00 15 01 13"));
    assert_eq!(bytes.len(), 84);
    let Imported { book, warnings } = import(&bytes, Format::Edax).unwrap();
    let node = book.nodes()[0];
    assert_eq!((node.value, node.level), (1, 21));
    assert_eq!(node.leaf(), Leaf::Move { square: "d3".parse().unwrap(), score: 1 });
    assert!(warnings.is_empty() && node.fault().is_none());
}

#[test]
fn edax_has_the_passes() {
    let mut before = intake::node(board("f5f6d3g5h5h4f7").canonical(), Origin::Edax, 0, 16);
    before.set_leaf(Leaf::Unknown, 0);
    let after = board("f5f6d3g5h5h4f7h6").pass().canonical();
    let mut node = intake::node(after, Origin::Edax, 0, 16);
    let square = Squares(after.legal_moves()).next().unwrap();
    node.set_leaf(Leaf::Move { square, score: -20 }, 16);
    let mut book: Book = [before, node].into_iter().collect();
    book.settings.midgame_error = 0;
    negamax(&mut book, |_| {});
    let bytes = bytes_of(&book, Format::Edax);
    let pass = hex(PASS);
    assert!(bytes.windows(pass.len()).any(|window| window == pass), "{bytes:02x?}");
    assert_eq!(bytes[38], 3);
    let imported = import(&bytes, Format::Edax).unwrap();
    assert_same(&imported.book, &book);
    assert_eq!(imported.warnings.count(Warning::Pass), 1);
    assert_eq!(imported.book.get(&before.board).unwrap().value, -20, "the side that moved is to move again");
}

#[test]
fn edax_damage_is_told() {
    let good = hex(EDAX);
    for length in 0..good.len() {
        assert!(import(&good[..length], Format::Edax).is_err(), "{length} bytes");
    }
    assert_eq!(problem(&good[..130], Format::Edax), Problem::Truncated.at(Place::Record { number: 2, byte: 92 }));
    assert_eq!(problem(&good[..136], Format::Edax).problem, Problem::Count { said: 3, found: 2 });
    let changed = |changes: &[(usize, u8)]| {
        let mut bytes = good.clone();
        changes.iter().for_each(|&(at, byte)| bytes[at] = byte);
        import(&bytes, Format::Edax)
    };
    let problem = |changes: &[(usize, u8)]| changed(changes).map(|_| ()).unwrap_err();
    assert_eq!(problem(&[(0, 0)]).problem, Problem::Magic(Format::Edax));
    assert_eq!(problem(&[(8, 3)]).problem, Problem::Version { found: 3, known: 4 });
    let first = Place::Record { number: 1, byte: 42 };
    assert_eq!(problem(&[(42, 8), (46, 0x18)]), Problem::Board("a square has two discs").at(first));
    assert_eq!(problem(&[(45, 0)]), Problem::Board("a centre square is empty").at(first));
    let second = Place::Record { number: 2, byte: 92 };
    assert_eq!(problem(&[(133, 0)]), Problem::Illegal("a1".parse().unwrap()).at(second));
    assert_eq!(problem(&[(133, 64)]), Problem::Pass.at(second));
    assert_eq!(problem(&[(133, 70)]), Problem::Square(70).at(second));
    assert_eq!(problem(&[(85, 0x13)]), Problem::Twice("d3".parse().unwrap()).at(first));
    assert_eq!(problem(&[(125, 1)]), Problem::Value(511).at(second));
    assert_eq!(problem(&[(38, 4)]).problem, Problem::Count { said: 4, found: 3 });
    // what can be made to fit
    let warns = |changes: &[(usize, u8)]| changed(changes).unwrap().warnings;
    assert_eq!(warns(&[(38, 1)]).count(Warning::Count), 2);
    assert_eq!(warns(&[(135, 0)]).count(Warning::Leaf), 1, "a leaf that is not legal");
    assert_eq!(warns(&[(135, 0x2B)]).count(Warning::Leaf), 1, "a leaf that is a link");
    assert_eq!(warns(&[(135, 65)]).count(Warning::NoLeaf), 1);
    assert_eq!(warns(&[(124, 5), (125, 0)]).count(Warning::Value), 1);
}

#[test]
fn edax_duplicates_and_lost_links() {
    let good = hex(EDAX);
    let mut twice = [&good[..], &good[92..136]].concat();
    twice[38] = 4;
    twice[178 + 39] = 20;
    let imported = import(&twice, Format::Edax).unwrap();
    let f5 = board("f5").canonical();
    assert_eq!((imported.book.len(), imported.book.get(&f5).unwrap().level), (3, 20));
    assert_eq!(imported.warnings.count(Warning::Duplicate), 1);
    // without f5d6 the link to it is a move out of the book, and better than the leaf
    let mut shorter = good[..136].to_vec();
    shorter[38] = 2;
    let imported = import(&shorter, Format::Edax).unwrap();
    let leaf = Leaf::Move { square: "d6".parse().unwrap(), score: -1 };
    assert_eq!((imported.book.get(&f5).unwrap().leaf(), imported.book.nodes()[0].value), (leaf, 1));
    assert_eq!(imported.warnings.count(Warning::Nowhere), 1);
}

#[test]
fn generated_books_survive_edax() {
    for seed in 0..3 {
        let book = generated(seed, 500, 9, 9, Origin::Edax);
        let bytes = bytes_of(&book, Format::Edax);
        let imported = import(&bytes, Format::Edax).unwrap();
        assert_same(&imported.book, &book);
        assert_eq!(bytes_of(&imported.book, Format::Edax), bytes);
        let passes = imported.warnings.count(Warning::Pass);
        let unknown = book.nodes().iter().filter(|node| node.leaf() == Leaf::Unknown).count();
        assert!(passes > 0 && unknown > 20 && imported.warnings.count(Warning::Value) == 0, "{passes} {unknown}");
        assert_eq!(imported.warnings.count(Warning::NoLeaf), unknown as u64);
    }
}

#[test]
fn generated_books_survive_egaroucid() {
    for seed in 0..3 {
        let book = generated(seed, 500, 9, 9, Origin::Egaroucid);
        let bytes = bytes_of(&book, Format::Egbk3);
        assert_eq!(bytes.len(), 14 + 25 * book.len());
        let imported = import(&bytes, Format::Egbk3).unwrap();
        assert_same(&imported.book, &book);
        assert!(imported.warnings.is_empty(), "{:?}", imported.warnings);
        assert_eq!(bytes_of(&imported.book, Format::Egbk3), bytes);
    }
}

#[test]
fn generated_books_survive_text() {
    for seed in 0..3 {
        let book = generated(seed, 500, 9, 9, Origin::Edax);
        let text = bytes_of(&book, Format::EdaxText);
        let imported = import(&text, Format::EdaxText).unwrap();
        assert_same(&imported.book, &book);
        assert_eq!(bytes_of(&imported.book, Format::EdaxText), text);
    }
}

#[test]
fn lines_keep_all_values() {
    for seed in 0..3 {
        let book = generated(seed, 500, 9, NEVER, Origin::Text);
        // the pass line was entered at its last position; without the way to it, it cannot be written
        let exported = export(&book, Format::Lines, DATE).unwrap();
        let imported = import(&exported.bytes, Format::Lines).unwrap();
        let kept = book.nodes().iter().filter_map(|node| Some((node, imported.book.get(&node.board)?)));
        for (node, again) in kept.clone() {
            assert_eq!(again.value, node.value, "{:?}", node.board);
        }
        assert_eq!(kept.count() + exported.left_out, book.len());
        assert!(exported.left_out < 60 && imported.warnings.is_empty(), "{:?}", imported.warnings);
        // now the leaves are positions; there is nothing more to tell
        let again = export(&imported.book, Format::Lines, DATE).unwrap();
        assert_eq!(again.left_out, 0);
        let third = import(&again.bytes, Format::Lines).unwrap();
        let values = |book: &Book| book.sorted().iter().map(|node| (node.board, node.value)).collect::<Vec<_>>();
        assert_eq!(values(&third.book), values(&imported.book));
    }
}

/// A position of Edax's has one level: that of its leaf, so that what nobody has solved is not solved when it comes back.
#[test]
fn leaves_have_their_own_level_in_edax() {
    let mut book = generated(11, 300, 5, NEVER, Origin::Edax);
    for node in book.nodes_mut() {
        node.level = 60;
        let level = if node.board.player % 3 == 0 { 60 } else { 4 };
        node.set_leaf(node.leaf(), level);
    }
    negamax(&mut book, |_| {});
    let proven = |book: &Book| book.nodes().iter().filter(|node| node.is_exact()).count();
    assert!((20..280).contains(&proven(&book)), "{}", proven(&book));
    for format in [Format::Edax, Format::EdaxText] {
        let imported = import(&bytes_of(&book, format), format).unwrap();
        for node in book.nodes() {
            let again = imported.book.get(&node.board).unwrap();
            assert_eq!((again.value, again.is_exact()), (node.value, node.is_exact()), "{format}");
            let level = if node.leaf() == Leaf::None { node.level } else { node.leaf_level() };
            assert_eq!((again.level, again.leaf_level()), (level, level), "{format}");
        }
    }
}

/// Down to the last square moves end games; their values come back whatever a format makes of them.
#[test]
fn ends_of_games_keep_their_values() {
    let book = generated(7, 1000, 1, NEVER, Origin::Edax);
    assert!(book.nodes().iter().any(|node| node.empties() == 1));
    for format in [Format::Edax, Format::EdaxText, Format::Egbk3] {
        let imported = import(&bytes_of(&book, format), format).unwrap();
        let values = |book: &Book| book.sorted().iter().map(|node| (node.board, node.value)).collect::<Vec<_>>();
        assert_eq!(values(&imported.book), values(&book), "{format}");
        let none = |book: &Book| book.nodes().iter().filter(|node| node.leaf() == Leaf::None).count();
        assert_eq!(none(&imported.book), none(&book), "{format}");
    }
}

/// The same book with every board turned.
fn turned(bytes: &[u8], format: Format, image: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let turn = |bytes: &mut [u8], at: usize| {
        let word = u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        bytes[at..at + 8].copy_from_slice(&transform(word, image).to_le_bytes());
    };
    let square = |byte: &mut u8| {
        if let Some(square) = Square::new(*byte) {
            *byte = transform_square(square, image).index() as u8;
        }
    };
    let mut at = if format == Format::Edax { 42 } else { 14 };
    while at < bytes.len() {
        turn(&mut bytes, at);
        turn(&mut bytes, at + 8);
        if format == Format::Edax {
            let links = usize::from(bytes[at + 38]);
            (0..=links).for_each(|link| square(&mut bytes[at + 41 + 2 * link]));
            at += 42 + 2 * links;
        } else {
            square(&mut bytes[at + 23]);
            at += 25;
        }
    }
    bytes
}

#[test]
fn all_images_are_one_book() {
    for (format, origin) in [(Format::Edax, Origin::Edax), (Format::Egbk3, Origin::Egaroucid)] {
        let book = generated(5, 300, 9, NEVER, origin);
        let bytes = bytes_of(&book, format);
        for image in 0..8 {
            let imported = import(&turned(&bytes, format, image), format).unwrap();
            // of a board that is its own image, any of the equal moves may be the leaf
            let plain = |book: &Book| {
                let leaf = |node: &Node| match node.leaf() {
                    Leaf::Move { square, score } => Some((node.board.play(square).unwrap().canonical(), score)),
                    _ => None,
                };
                let nodes = book.sorted();
                nodes.iter().map(|node| (node.board, node.value, node.level, leaf(node))).collect::<Vec<_>>()
            };
            assert_eq!(plain(&imported.book), plain(&book), "{format} {image}");
            let count = imported.warnings.count(Warning::Turned);
            assert!(if image == 0 { count == 0 } else { count > 250 }, "{image}: {count}");
        }
    }
}

#[test]
fn formats_are_known_by_name_extension_and_content() {
    let book = generated(1, 60, 9, NEVER, Origin::Edax);
    for format in Format::ALL {
        assert_eq!(format.name().parse(), Ok(format));
        if format.is_writable() {
            assert_eq!(Format::of_content(&bytes_of(&book, format)), Some(format));
        } else {
            assert_eq!(export(&book, format, DATE), Err(ExportError::NotWritable(format)));
        }
    }
    assert!("opus".parse::<Format>().is_err());
    let of_path = |path: &str| Format::of_path(Path::new(path));
    assert_eq!(of_path("a/book.DAT"), Some(Format::Edax));
    assert_eq!([of_path("b.cmp.z"), of_path("b.egbk2")], [Some(Format::Zebra), Some(Format::Egbk2)]);
    assert_eq!([of_path("b.book"), of_path("b")], [None, None]);
    assert_eq!(Format::of_content(b"OUTFBOOK\x01\x00 and so on"), None);
    assert_eq!(Format::of_content(b""), None);
    assert_eq!(Format::of_content(b"# a list\n\nf5d6 +3\n"), Some(Format::Lines));
    assert_eq!(Format::of_file(Path::new("x.txt"), b"f5d6\n"), Some(Format::Lines));
    // with a mark of byte order, too, as editors of Windows write it
    for format in [Format::EdaxText, Format::Lines] {
        let bytes = ["\u{feff}".as_bytes(), &bytes_of(&book, format)].concat();
        assert_eq!(Format::of_file(Path::new("x.txt"), &bytes), Some(format));
        assert!(import(&bytes, format).is_ok());
    }
}

#[test]
fn dates_of_clocks() {
    let date = |seconds| {
        let Date { year, month, day, hour, minute, second } = Date::of_unix(seconds);
        (year, month, day, hour, minute, second)
    };
    assert_eq!(date(0), (1970, 1, 1, 0, 0, 0));
    assert_eq!(date(1_740_830_400), (2025, 3, 1, 12, 0, 0));
    assert_eq!(date(951_782_399), (2000, 2, 28, 23, 59, 59));
    assert_eq!(date(951_782_400), (2000, 2, 29, 0, 0, 0));
    assert_eq!(date(4_102_444_799), (2099, 12, 31, 23, 59, 59));
    assert_eq!(date(u64::MAX).0, i16::MAX);
}

#[test]
fn a_book_has_the_level_of_its_positions() {
    let at = |level: u8, empties: u32, format: Format| {
        let mut book = generated(3, 200, empties, NEVER, Origin::Edax);
        for (number, node) in book.nodes_mut().iter_mut().enumerate() {
            // a few from deeper searches, many solved ones
            let level = if number % 9 == 0 { 30 } else { level };
            let level = if node.empties() < 20 { 60 } else { level };
            node.level = level;
            node.set_leaf(node.leaf(), level);
        }
        book.settings = Settings { level: 9, max_ply: 20, ..book.settings };
        let settings = import(&bytes_of(&book, format), format).unwrap().book.settings;
        (settings.level, settings.max_ply)
    };
    for format in [Format::EdaxText, Format::Egbk3] {
        assert_eq!(at(21, 9, format), (21, 51), "{format}");
        assert_eq!(at(12, 40, format), (12, Settings::default().max_ply), "{format}");
    }
    // the header says it, or nothing does
    assert_eq!(at(21, 40, Format::Edax), (9, 20));
    assert_eq!(at(21, 40, Format::Lines).0, Settings::default().level);
}
