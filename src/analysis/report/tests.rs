//! What a report says about a game whose judgement is known, and the structure of its forms.

use super::*;
use crate::analysis::review::{Judged, review};
use crate::engine::{Engine, Options};
use crate::formats::record::MoveNote;
use crate::formats::{ggf, parse_move, sgf, transcript};
use crate::search::{Bound, Goal, Limits, Line, Selectivity, Source, StopToken};
use std::time::Duration;

/// What each move scored and what the best one would have, for the side that moved; the last three are proved.
const JUDGED: [(i32, i32); 8] = [(0, 0), (1, 2), (-1, 2), (1, 1), (-1, 3), (-10, 1), (10, 10), (-12, -4)];
pub(crate) const MOVES: &str = "f5d6c3d3c4f4f6f3";

fn judged(position: &Position, ply: usize, mv: Move, (score, best): (i32, i32), proved: bool) -> Judged {
    let line = |mv: Move, score| Line { mv, score, bound: Bound::Exact, pv: vec![mv] };
    let other = position.legal_moves().into_iter().find(|other| *other != mv).unwrap();
    let empties = position.empty_count() as u8;
    let report = Report {
        depth: if proved { empties } else { 16 },
        selectivity: if proved { Selectivity::NONE } else { Selectivity::MOST },
        empties,
        lines: Vec::new(),
        score: best,
        nodes: 1000,
        elapsed: Duration::from_millis(5),
        stopped: false,
        win_draw_loss: false,
        source: Source::Search,
    };
    Judged {
        ply,
        side: position.side_to_move(),
        played: line(mv, score),
        best,
        choices: 3,
        alternatives: vec![line(other, if score == best { best - 5 } else { best })],
        report,
    }
}

/// A game between two people, judged.
pub(crate) fn example() -> (GameRecord, Review) {
    let mut record = GameRecord::new(transcript::parse(&Position::default(), MOVES).unwrap());
    record.players[0].name = "Ann <b>".to_string();
    record.players[1].name = "Bob | Co".to_string();
    record.event = Some("Cup".to_string());
    record.result = Some(GameResult::from_score(-12.0, Default::default()));
    record.notes = vec![MoveNote::default(); 8];
    record.notes[1] = MoveNote { seconds: Some(62.0), comment: Some("hm".to_string()), ..MoveNote::default() };
    let game = &record.game;
    let moves = JUDGED
        .iter()
        .enumerate()
        .map(|(i, scores)| judged(&game.positions()[i], i + 1, game.moves()[i], *scores, i >= 5));
    let review = Review { moves: moves.collect(), total: 8 };
    (record, review)
}

fn report() -> GameReport {
    let (record, review) = example();
    GameReport::new(1, &record, &review, "level 16")
}

#[test]
fn losses_are_counted_and_turning_points_found() {
    let report = report();
    let values: Vec<Option<i32>> = report.moves.iter().map(|one| one.value).collect();
    assert_eq!(values, [0, -1, -1, -1, -1, 10, 10, 12].map(Some), "the first player's values");
    let labels: Vec<Label> = report.moves.iter().map(|one| one.judged.as_ref().unwrap().label).collect();
    let [none, inaccuracy, mistake, blunder] = [Label::None, Label::Inaccuracy, Label::Mistake, Label::Blunder];
    assert_eq!(labels, [none, none, inaccuracy, none, mistake, blunder, none, blunder]);
    // from a win to a loss three times; a lost game that gets worse is none, nor is a disc
    assert_eq!(report.turning_points, [3, 5, 6]);
    assert_eq!((report.exact_from, report.complete), (Some(6), true));
    let [black, white] = &report.players;
    assert_eq!((black.discs_lost, black.labels, black.best_moves, black.choices), (7, [1, 1, 0], 2, 4));
    assert_eq!((white.discs_lost, white.labels, white.best_moves, white.choices), (20, [0, 0, 2], 1, 4));
    assert_eq!((white.mean_loss, white.exact_mean_loss, white.seconds), (5.0, Some(9.5), Some(62.0)));
    assert_eq!((report.result.as_str(), report.opening.is_some()), ("Bob | Co wins by 12", true));
    assert_eq!(report.start.len(), 64);
    assert!(report.moves.iter().enumerate().all(|(i, one)| one.board.matches(['X', 'O']).count() == 5 + i));
}

#[test]
fn who_wins_an_equal_end_is_a_matter_of_the_rules() {
    let turning = |rules: &str, scores: (i32, i32)| {
        let start = Position::start(std::sync::Arc::new(rules.parse().unwrap()));
        let game = transcript::parse(&start, MOVES).unwrap();
        let (first, second) = (game.positions()[0].clone(), game.positions()[1].clone());
        let judged = |ply: usize, before| judged(before, ply, game.moves()[ply - 1], scores, true);
        [is_turning(&judged(1, &first), &first), is_turning(&judged(2, &second), &second)]
    };
    // from a draw to a loss, from a win to a draw
    assert_eq!((turning("othello", (-4, 0)), turning("othello", (0, 4))), ([true, true], [true, true]));
    // the first player has lost already, the second one wins still
    assert_eq!((turning("ravensburger", (-4, 0)), turning("ravensburger", (0, 4))), ([false, true], [true, false]));
}

#[test]
fn discs_have_the_colours_of_the_rules() {
    let written = |rules: &str| {
        let start = Position::start(std::sync::Arc::new(rules.parse().unwrap()));
        let record = GameRecord::new(transcript::parse(&start, MOVES).unwrap());
        let reports = [GameReport::new(1, &record, &Review { moves: Vec::new(), total: 8 }, "level 16")];
        (page::write(&reports), markdown::write(&reports))
    };
    let (page, text) = written("othello");
    assert!(page.contains("<section class=\"game\" id=\"g1\">"), "those of page.css");
    assert!(text.contains("| 1 | ⚫ f5 |") && text.contains("| 2 | ⚪ d6 |"), "{text}");
    // Black is the second player here
    let (page, text) = written("ravensburger");
    assert!(page.contains(" id=\"g1\" style=\"--d0:#e2ac24;--d1:#16181a;--m0:#16181a;--m1:#e5483c\">"), "{page}");
    assert!(text.contains("| 1 | gold f5 |") && text.contains("| 2 | ⚫ d6 |"), "{text}");
}

#[test]
fn points_are_those_of_the_record() {
    let points = |result: Option<GameResult>| {
        let (mut record, review) = example();
        record.result = result;
        GameReport::new(1, &record, &review, "level 16").players.map(|player| player.points)
    };
    let white_wins = |score, ending| Some(GameResult { winner: Some(Color::White), score, ending });
    use crate::formats::record::Ending;
    assert_eq!(points(None), [None, None]);
    assert_eq!(points(Some(GameResult::from_score(0.0, Ending::Played))), [Some(0.5), Some(0.5)]);
    let lost = [Some(0.0), Some(1.0)];
    assert_eq!(points(white_wins(Some(-2.0), Ending::Played)), lost);
    assert_eq!(points(white_wins(None, Ending::Resignation)), lost);
    // ahead on the board, but out of time
    assert_eq!(points(white_wins(Some(8.0), Ending::Time)), lost);
    // an equal end under rules by which the second player wins it
    assert_eq!(points(white_wins(Some(0.0), Ending::Played)), lost);
    let (mut record, review) = example();
    record.result = white_wins(Some(0.0), Ending::Played);
    assert_eq!(GameReport::new(1, &record, &review, "level 16").result, "Bob | Co wins with equal counts");
}

#[test]
fn an_interrupted_review_is_reported_as_far_as_it_went() {
    let (record, mut review) = example();
    review.moves.drain(..3);
    let report = GameReport::new(1, &record, &review, "level 16");
    assert!(!report.complete && report.moves[2].value.is_none() && report.moves[3].value.is_some());
    let page = page::write(std::slice::from_ref(&report));
    assert!(page.contains("The analysis was interrupted") && markdown::write(&[report]).contains("interrupted"));
    // no move has an estimate before those that are proved
    for (judged, said) in [
        (4, "Values are exact from move 6 on, estimates before."),
        (3, "All values are exact."),
        (1, "All values are exact."),
        (0, "All values are estimates."),
    ] {
        review.moves.drain(..review.moves.len() - judged);
        assert_eq!(GameReport::new(1, &record, &review, "level 16").exactness(), said, "{judged}");
    }
}

/// The value of a pass is that of the move before it, an estimate here.
#[test]
fn values_are_exact_from_a_move_on() {
    let board = "OOOOOOOOOOOXOOOOOOXOXOOOOXOOOXOXOOXOOXXXOXX-XXXOX-XXXXOO--OOOOOO X";
    let start = board_text::parse(board, &std::sync::Arc::new("othello".parse().unwrap())).unwrap();
    let game = transcript::parse(&start, "d6a8b7").unwrap();
    let mut engine = Engine::new(Options { hash_mib: 1, threads: 1 });
    let limits = Limits::new(Goal::Depth(2, Selectivity::NONE));
    let review = review(&mut engine, &game, &limits, 1, &StopToken::new(), &mut |_| {}).unwrap();
    let report = GameReport::new(1, &GameRecord::new(game), &review, "depth 2");
    let found: Vec<_> = report.moves.iter().map(|one| one.judged.as_ref().map(|judged| judged.exact)).collect();
    assert_eq!((found, report.exact_from), (vec![Some(false), Some(false), None, Some(true)], Some(4)));
}

#[test]
fn json_is_read_back() {
    let report = report();
    let json = serde_json::to_string(&report).unwrap();
    assert_eq!(serde_json::from_str::<GameReport>(&json).unwrap(), report);
    assert!(json.contains("\"label\":\"blunder\""), "{json}");
}

/// How often something stands in a text.
fn count(text: &str, what: &str) -> usize {
    text.matches(what).count()
}

#[test]
fn the_page_has_a_row_a_move_and_everything_inside() {
    let page = page::write(&[report()]);
    assert_eq!((count(&page, "<tr data-ply="), count(&page, "class=\"g-hit\"")), (8, 8));
    assert_eq!((count(&page, "<section class=\"game\""), count(&page, "<h2>Accuracy</h2>")), (1, 1));
    assert!(!page.contains("id=\"index\">") && !page.contains("All games"), "one game needs no index");
    for class in ["inaccuracy", "mistake", "blunder"] {
        let rows = count(&page, &format!("\" class=\"{class}\"><td>"));
        assert_eq!(rows, if class == "blunder" { 2 } else { 1 }, "{class}");
        assert_eq!(count(&page, &format!("<circle class=\"g-{class}\"")), rows);
    }
    assert_eq!(count(&page, "<a href=\"#g1."), 3, "links to the turning points");
    let of_rules = |rules: &str| page::write(&[GameReport { rules: rules.to_string(), ..report() }]);
    assert!(!page.contains("· othello") && of_rules("octagon").contains("· octagon"), "rules that go without saying");
    assert!(page.contains("Values are exact from move 6 on") && page.contains("?? blunder: 8 or more"));
    // nothing from elsewhere, and no name is taken for markup
    for outside in ["http://", "https://", "src=", "@import", "<link", "<b>"] {
        let found = page.replace("http://www.w3.org/2000/svg", "").contains(outside);
        assert!(!found, "{outside}");
    }
    assert!(page.contains("Ann &lt;b&gt;") && page.contains("Ann \\u003cb>"));
    for tag in ["section", "table", "svg", "script", "style", "div", "main", "tr", "p"] {
        let opened = count(&page, &format!("<{tag}>")) + count(&page, &format!("<{tag} "));
        assert_eq!(opened, count(&page, &format!("</{tag}>")), "{tag}");
    }
}

#[test]
fn several_games_have_an_index_and_sums() {
    let mut second = report();
    second.number = 2;
    second.players.swap(0, 1);
    second.players.iter_mut().for_each(|player| player.points = Some(0.5));
    let reports = [report(), second];
    let sums = totals::totals(&reports);
    assert_eq!(
        sums.iter().map(|one| (one.name.as_str(), one.games)).collect::<Vec<_>>(),
        [("Ann <b>", 2), ("Bob | Co", 2)]
    );
    assert_eq!((sums[0].points, sums[1].points, sums[1].finished), (0.5, 1.5, 2));
    assert_eq!((sums[0].discs_lost, sums[0].choices, sums[0].labels), (14, 8, [2, 2, 0]));
    assert_eq!((sums[0].mean_loss(), sums[0].best_percent(), sums[1].best_percent()), (1.75, 50.0, 25.0));
    let page = page::write(&reports);
    assert_eq!((count(&page, "<section class=\"game\""), count(&page, "id=\"index\"")), (2, 1));
    assert!(page.contains("<a href=\"#g2\">") && page.contains("<h2>Players</h2>"));
    let text = markdown::write(&reports);
    assert!(text.starts_with("# 2 games\n") && text.contains("| Bob \\| Co | 2 | 1.5/2 |"), "{text}");
    assert!(!text.contains("<b>"), "no name is taken for markup: {text}");
}

#[test]
fn markdown_has_a_row_a_move() {
    let text = markdown::write(&[report()]);
    assert!(text.starts_with("# Ann &lt;b&gt; – Bob \\| Co, Cup\n"), "{text}");
    let row = text.lines().find(|line| line.starts_with("| 6 |")).unwrap();
    assert!(row.starts_with("| 6 | ⚪ f4?? | -10 | 11 | blunder | "), "{row}");
    // nothing is said of a move that loses nothing
    let row = text.lines().find(|line| line.starts_with("| 4 |")).unwrap();
    assert_eq!(row, "| 4 | ⚪ d3 | +01 |  |  |  | d3 |");
    assert_eq!(text.lines().filter(|line| line.starts_with("- move ")).count(), 3);
    assert!(text.contains("| 1:02 |"), "the time of the second player");
    assert!(!text.contains("rules"), "{text}");
    let text = markdown::write(&[GameReport { rules: "othello:fewest".to_string(), ..report() }]);
    assert!(text.contains("; rules: othello:fewest; judged at level 16. "), "{text}");
}

#[test]
fn annotated_sgf_has_values_marks_and_variations_and_is_read_back() {
    let (record, review) = example();
    let report = GameReport::new(1, &record, &review, "level 16");
    let text = annotate::sgf(&record, &report);
    assert_eq!((count(&text, "BM[1]"), count(&text, "BM[2]"), count(&text, "DO[]")), (1, 2, 1), "{text}");
    // the only good moves by five discs: 1, 4 and 7
    assert_eq!(count(&text, "TE[1]"), 3);
    // each move has its value, and each variation
    assert_eq!(count(&text, "V[") - count(&text, "EV["), 16);
    assert_eq!(
        (count(&text, "("), count(&text, ")")),
        (count(&text, "(;") + count(&text, "(exact)") + count(&text, "(depth"), count(&text, "("))
    );
    let read = sgf::parse_game(&text).unwrap();
    assert_eq!((&read.game, read.notes[5].eval), (&record.game, Some(-10.0)));
    assert_eq!(read.notes[3].comment.as_deref(), Some("+01 (depth 16@73%)"), "nothing is lost");
    assert_eq!(read.notes[1].comment.as_deref(), Some("hm\n+01 (depth 16@73%): 1 disc lost; f4 +02"));
    assert_eq!(
        read.comment.as_deref().map(|text| text.starts_with("Outflank, level 16. Values are exact")),
        Some(true)
    );
    assert!(read.comment.as_deref().is_some_and(|text| text.contains("20 discs lost in 4 choices")), "{text}");
    let mut one = report.clone();
    (one.players[0].discs_lost, one.players[0].choices) = (1, 1);
    assert!(annotate::sgf(&record, &one).contains("1 disc lost in 1 choice;"));
    // variations are legal from the positions they leave
    for (i, one) in report.moves.iter().enumerate() {
        for line in &one.judged.as_ref().unwrap().alternatives {
            let position = &record.game.positions()[i];
            assert!(position.is_legal(parse_move(position, &line.mv).unwrap()));
        }
    }
}

#[test]
fn ggf_gets_the_values() {
    let (record, review) = example();
    let report = GameReport::new(1, &record, &review, "level 16");
    let text = ggf::write(&annotate::with_values(&record, &report));
    let read = ggf::parse_game(&text).unwrap();
    let values: Vec<Option<f64>> = read.notes.iter().map(|note| note.eval).collect();
    assert_eq!(values, JUDGED.map(|(score, _)| Some(f64::from(score))));
    assert_eq!(read.notes[1].seconds, Some(62.0), "the clock is kept");
}

#[test]
fn players_without_names_are_those_of_the_rules() {
    let names = |rules: &str, moves: &str| {
        let start = Position::start(std::sync::Arc::new(rules.parse().unwrap()));
        let record = GameRecord::new(transcript::parse(&start, moves).unwrap());
        let report = GameReport::new(1, &record, &Review { moves: Vec::new(), total: 1 }, "level 1");
        report.players.map(|player| player.name)
    };
    assert_eq!(names("othello", "f5"), ["Black", "White"]);
    // a letter stays what it is: these are two players
    assert_eq!(names("hungarian", ""), ["o", "O"]);
}

/// A record of the library can have any name, and XML has no way to say what controls a terminal.
#[test]
fn no_name_spoils_a_picture_or_a_page() {
    let (mut record, review) = example();
    record.players[0].name = "A\u{1b}\u{0}\nnn\u{ffff}".to_string();
    let report = GameReport::new(1, &record, &review, "level 16");
    assert!(graph::svg(&report).contains("A   nn  ahead"), "{}", graph::svg(&report));
    let reports = [report];
    for text in [graph::svg(&reports[0]), page::write(&reports), markdown::write(&reports)] {
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'));
    }
}

#[test]
fn no_name_is_a_mark_of_markdown() {
    let mut report = report();
    report.players[0].name = "a*b_c `d` [x](y) & <i>".to_string();
    let text = markdown::write(&[report]);
    assert!(text.contains(r"| a\*b\_c \`d\` \[x\](y) &amp; &lt;i&gt; (black) |"), "{text}");
}

#[test]
fn graphs_are_scaled_and_end_at_the_zero_line() {
    let report = report();
    let svg = graph::svg(&report);
    assert!(svg.contains(">+16</text>") && !svg.contains("+24"), "{svg}");
    assert_eq!((count(&svg, "<path class=\"g-black\""), count(&svg, "<path class=\"g-white\"")), (1, 1));
    assert_eq!(count(&svg, "class=\"g-turning\""), 3);
    assert_eq!(count(&svg, "class=\"g-exact\""), 1);
    // from behind the fifth ply on
    assert!(svg.contains("<rect class=\"g-exact\" x=\"481.8\" y=\"16\" width=\"266.2\" height=\"208\"/>"), "{svg}");
    assert!(svg.contains("x=\"486.8\" y=\"218\">exact</text>"), "{svg}");
    // the field is 38 to 748 wide and 16 to 224 high, eight plies and 16 discs to either side: 88.75 a ply, 6.5 a disc
    let points = [120.0, 126.5, 126.5, 126.5, 126.5, 55.0, 55.0, 42.0];
    let points = points.iter().zip(1..).map(|(y, ply)| format!("{:.1},{y:.1}", 38.0 + 88.75 * f64::from(ply)));
    let points = points.collect::<Vec<_>>().join(" ");
    assert!(svg.contains(&format!("<polyline class=\"g-curve\" points=\"{points}\"/>")), "{svg}");
    // from -1 to +10: the zero line is crossed after an eleventh of a ply
    assert_eq!(count(&svg, "L481.8 120.0L"), 1, "the white area: {svg}");
    assert_eq!(count(&svg, "L489.8 120.0"), 2, "both areas: {svg}");
    for (y, text) in [(224, "-16"), (172, "-8"), (120, "0"), (68, "+8"), (16, "+16")] {
        assert!(svg.contains(&format!("x1=\"38\" x2=\"748\" y1=\"{y}.0\" y2=\"{y}.0\"/>")), "{y}: {svg}");
        assert!(svg.contains(&format!("x=\"32\" y=\"{}.0\" text-anchor=\"end\">{text}</text>", y + 4)), "{y}: {svg}");
    }
    // a click hits the nearest ply
    for (i, one) in report.moves.iter().enumerate() {
        let x = 38.0 + 88.75 * (i as f64 + 0.5);
        let hit = format!("data-ply=\"{}\" x=\"{x:.1}\" y=\"16\" width=\"88.8\" height=\"208\">", one.ply);
        assert!(svg.contains(&hit), "{hit}: {svg}");
    }
    // boards of more than 64 squares have larger values, a step of 16 above
    let mut wide = report.clone();
    wide.moves[7].value = Some(-70);
    assert!(graph::svg(&wide).contains(">+80</text>"));
    let empty = GameReport { moves: Vec::new(), exact_from: None, ..report };
    assert!(graph::svg(&empty).ends_with("</svg>\n"), "a game without moves");
}
