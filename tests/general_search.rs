//! The general search against a plain minimax on the reference positions, and its limits.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use outflank::engine::{Engine, Options};
use outflank::formats::{board_text, transcript};
use outflank::rules::{Color, Equality, Move, Position};
use outflank::search::general;
use outflank::search::{Bound, Goal, Level, Limits, Report, Selectivity, StopToken, Time};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

fn start(rules: &str) -> Position {
    Position::start(Arc::new(rules.parse().unwrap_or_else(|error| panic!("{rules}: {error}"))))
}

fn search(position: &Position, limits: &Limits) -> Report {
    general::search(position, limits, 1, 4, &StopToken::new(), &mut |_| {}).unwrap()
}

/// The value for the side to move, by looking at everything.
fn minimax(position: &Position, discs_only: bool) -> i32 {
    let own = |score: i32, color: Color| if color == Color::Black { score } else { -score };
    let side = position.side_to_move();
    let moves = position.legal_moves();
    if moves.is_empty() {
        return own(position.final_score(discs_only), side);
    }
    let values = moves.iter().map(|mv| {
        let next = position.play(*mv).expect("legal");
        let value = minimax(&next, discs_only);
        if next.side_to_move() == side { value } else { -value }
    });
    values.max().expect("moves")
}

/// A position of a random game with at most this many empty squares (fewer when the game was over before).
fn late_position(rules: &str, empties: u32, rng: &mut StdRng) -> Position {
    let mut position = start(rules);
    while position.empty_count() > empties {
        match position.legal_moves().choose(rng) {
            Some(mv) => position = position.play(*mv).expect("legal"),
            None => position = start(rules),
        }
    }
    position
}

fn random_rules(sizes: &[&str], rng: &mut StdRng) -> String {
    let start = ["crossed", "parallel", "placement"].choose(rng).unwrap();
    let mut word = |words: [&'static str; 2]| words[usize::from(rng.random::<bool>())];
    let [flips, supply] = [word(["all", "one"]), word(["shared", "own"])];
    let [equality, objective] = [word(["draw", "second-wins"]), word(["most", "fewest"])];
    let size = sizes.choose(rng).unwrap();
    format!("othello:{size},{start},{flips},{supply},{equality},{objective}")
}

#[test]
fn exact_values_of_all_moves_equal_minimax() {
    let mut rng = StdRng::seed_from_u64(11);
    let sizes = ["4x4", "4x6", "6x6", "8x8", "6x8", "4x16", "8x10", "10x10", "12x12"];
    for i in 0..300 {
        let rules = random_rules(&sizes, &mut rng);
        let position = late_position(&rules, 6, &mut rng);
        let limits = Limits { multi_pv: usize::MAX, discs_only: i % 3 == 0, ..Limits::new(Goal::Exact) };
        let report = search(&position, &limits);
        assert!(report.is_exact() && !report.stopped);
        let legal = position.legal_moves();
        assert_eq!(report.lines.len(), legal.len(), "{position}");
        for line in &report.lines {
            let next = position.play(line.mv).expect("legal");
            let sign = if next.side_to_move() == position.side_to_move() { 1 } else { -1 };
            assert_eq!(line.score, sign * minimax(&next, limits.discs_only), "{position} {}", line.mv);
            assert_eq!(line.bound, Bound::Exact);
            assert_eq!(line_score(&position, &line.pv, limits.discs_only), line.score, "{position} {:?}", line.pv);
        }
        assert_eq!(report.score, minimax(&position, limits.discs_only), "{position}");
        check_win_draw_loss(&position);
    }
}

/// [`minimax`] that remembers: for whole games of small boards.
fn remembering(position: &Position, known: &mut HashMap<Position, i32>) -> i32 {
    if let Some(&value) = known.get(position) {
        return value;
    }
    let moves = position.legal_moves();
    let best = moves.iter().map(|mv| value_of(position, *mv, known)).max();
    let value = best.unwrap_or_else(|| minimax(position, false));
    known.insert(position.clone(), value);
    value
}

/// The value of a move for who makes it.
fn value_of(position: &Position, mv: Move, known: &mut HashMap<Position, i32>) -> i32 {
    let next = position.play(mv).expect("legal");
    let sign = if next.side_to_move() == position.side_to_move() { 1 } else { -1 };
    sign * remembering(&next, known)
}

/// From the empty board on, and from every position of the placement phase.
#[test]
fn games_that_begin_with_placements_are_solved() {
    for changes in ["all", "one", "own", "fewest,second-wins", "one,own,fewest"] {
        let rules = format!("othello:4x4,holes=a1,a4,d1,placement,{changes}");
        let mut known = HashMap::new();
        let mut positions = vec![start(&rules)];
        let mut i = 0;
        while let Some(position) = positions.get(i).cloned() {
            if position.placements_left() > 1 {
                positions.extend(position.legal_moves().iter().map(|mv| position.play(*mv).expect("legal")));
            }
            let report = search(&position, &Limits { multi_pv: usize::MAX, ..Limits::new(Goal::Exact) });
            assert_eq!((report.score, report.is_exact()), (remembering(&position, &mut known), true), "{position}");
            for line in &report.lines {
                assert_eq!(line.score, value_of(&position, line.mv, &mut known), "{position} {}", line.mv);
                assert_eq!(line_score(&position, &line.pv, false), line.score, "{position} {:?}", line.pv);
            }
            let limits = Limits { multi_pv: usize::MAX, ..Limits::new(Goal::WinDrawLoss) };
            for line in search(&position, &limits).lines {
                let score = line_score(&position, &line.pv, false);
                assert_eq!(position.outcome_of(score), line.score, "{position} {:?}", line.pv);
            }
            i += 1;
        }
        assert!(i > 20, "{i} positions of the placement phase");
    }
}

/// The score at the end of a line that must lead to the end of the game.
fn line_score(position: &Position, line: &[Move], discs_only: bool) -> i32 {
    let end = line.iter().fold(position.clone(), |position, mv| position.play(*mv).expect("a legal line"));
    assert!(end.is_game_over(), "{position}: the line ends early");
    let score = end.final_score(discs_only);
    if position.side_to_move() == Color::Black { score } else { -score }
}

fn check_win_draw_loss(position: &Position) {
    let score = minimax(position, true).signum();
    let equal = match position.rules().equality() {
        Equality::Draw => 0,
        Equality::SecondWins if position.side_to_move() == Color::Black => -1,
        Equality::SecondWins => 1,
    };
    let report = search(position, &Limits::new(Goal::WinDrawLoss));
    assert_eq!(report.score, if score == 0 { equal } else { score }, "{position}");
}

#[test]
fn threads_and_tables_do_not_change_exact_values() {
    let mut rng = StdRng::seed_from_u64(12);
    for _ in 0..20 {
        let rules = random_rules(&["6x6", "8x8", "10x10"], &mut rng);
        let position = late_position(&rules, 10, &mut rng);
        let limits = Limits::new(Goal::Exact);
        let alone = search(&position, &limits);
        let together = general::search(&position, &limits, 4, 1, &StopToken::new(), &mut |_| {}).unwrap();
        assert_eq!(alone.score, together.score, "{position}");
        assert_eq!(search(&position, &limits).nodes, alone.nodes, "one thread is reproducible");
    }
}

#[test]
fn one_searcher_serves_several_rules() {
    let mut searcher = general::Searcher::new(1);
    let mut solve = |rules: &str| {
        let limits = Limits::new(Goal::Exact);
        searcher.search(&start(rules), &limits, 1, &StopToken::new(), &mut |_| {}).unwrap().score
    };
    let rules = ["othello:4x4", "othello:4x4,one", "othello:4x4,fewest", "othello:4x4,own", "othello:4x4,parallel"];
    let first = rules.map(&mut solve);
    assert_eq!(rules.map(solve), first);
    assert_eq!(first, rules.map(|rules| search(&start(rules), &Limits::new(Goal::Exact)).score));
}

#[test]
fn limits_are_kept() {
    for rules in ["ravensburger-one", "traveller", "othello:10x10", "othello:16x16,placement,one,own"] {
        let position = start(rules);
        let began = Instant::now();
        let limits = Limits { time: Time::PerMove(Duration::from_millis(50)), ..Limits::new(Goal::Unlimited) };
        let report = search(&position, &limits);
        // far from the 50 ms, because test machines are busy
        assert!(began.elapsed() < Duration::from_secs(3), "{rules}");
        assert!(report.stopped && position.is_legal(report.lines[0].mv), "{rules}: {report:?}");

        let limits = Limits { nodes: Some(20_000), ..Limits::new(Goal::Unlimited) };
        let report = search(&position, &limits);
        assert!(report.stopped && (20_000..21_100).contains(&report.nodes), "{rules}: {}", report.nodes);
        assert!(report.depth >= 2, "{rules}");
        assert_eq!(search(&position, &limits).lines, report.lines);

        let stop = StopToken::new();
        stop.stop();
        let report = general::search(&position, &Limits::new(Goal::Unlimited), 2, 1, &stop, &mut |_| {}).unwrap();
        assert!(report.stopped && position.is_legal(report.lines[0].mv));
    }
}

/// A search that is stopped before its first iteration values the moves statically, and claims no bound.
#[test]
fn stopped_at_once_it_says_what_the_evaluation_says() {
    let mut rng = StdRng::seed_from_u64(19);
    for rules in ["othello:6x6,one", "othello:10x10", "othello:6x6,own", "traveller"] {
        let position = late_position(rules, 12, &mut rng);
        if position.must_pass() || position.is_game_over() {
            continue;
        }
        let limits = Limits { nodes: Some(0), multi_pv: usize::MAX, ..Limits::new(Goal::Exact) };
        let report = search(&position, &limits);
        assert!(report.stopped && report.depth == 0 && !report.is_exact(), "{rules}: {report:?}");
        let expected = |mv| {
            let next = position.play(mv).unwrap();
            let value = general::static_value(&next);
            if next.side_to_move() == position.side_to_move() { value } else { -value }
        };
        assert!(report.lines.iter().all(|line| line.bound == Bound::Exact && line.score == expected(line.mv)));
        assert!(report.lines.is_sorted_by_key(|line| -line.score) && report.score == report.lines[0].score);
        assert_eq!(report.lines.len(), position.legal_moves().len());
    }
}

#[test]
fn an_only_move_is_searched_as_deep_as_any_unless_somebody_waits_for_it() {
    let mut rng = StdRng::seed_from_u64(20);
    for rules in ["othello:10x10", "othello:6x6,one"] {
        let only = std::iter::repeat_with(|| late_position(rules, 9, &mut rng));
        let position = only.take(1000).find(|position| position.legal_moves().len() == 1 && !position.must_pass());
        let position = position.expect("a position with one move");
        let depth = |only_move_at_once, time| {
            let limits = Limits { only_move_at_once, time, ..Limits::new(Goal::Depth(4, Selectivity::NONE)) };
            search(&position, &limits).depth
        };
        let hour = Time::PerMove(Duration::from_secs(3600));
        assert_eq!([depth(false, hour), depth(true, Time::Unlimited), depth(true, hour)], [4, 4, 1], "{rules}");
    }
}

#[test]
fn a_move_that_overtakes_before_the_stop_is_worth_what_is_said() {
    let mut rng = StdRng::seed_from_u64(18);
    let (mut overtaken, mut proved) = (0, 0);
    for _ in 0..60 {
        let rules = random_rules(&["6x6", "8x8", "10x10"], &mut rng);
        let position = late_position(&rules, 9, &mut rng);
        let whole = search(&position, &Limits::new(Goal::Exact));
        for _ in 0..20 {
            let limits = Limits { nodes: Some(rng.random_range(1..whole.nodes.max(2))), ..Limits::new(Goal::Exact) };
            let mut heard = Vec::new();
            let stop = StopToken::new();
            let report = general::search(&position, &limits, 1, 4, &stop, &mut |report| heard.push(report.clone()));
            let report = report.unwrap();
            let [.., complete, latest] = &heard[..] else { continue };
            assert_eq!(latest.lines, report.lines, "{position}");
            let best = report.best().unwrap();
            if latest.depth > complete.depth {
                assert_eq!(best.bound, Bound::Exact, "a complete iteration: {position}");
                continue;
            }
            overtaken += 1;
            assert!(report.stopped && !report.is_exact() && best.bound == Bound::Lower, "{position}");
            assert_ne!(best.mv, complete.best().unwrap().mv, "{position}");
            // then the end of the game at once
            if i32::from(report.depth) == (2 * position.empty_count() as i32 - 8) / 3 {
                proved += 1;
                let alone = Limits { moves: Some(vec![best.mv]), ..Limits::new(Goal::Exact) };
                assert!(search(&position, &alone).score >= best.score, "{position}: {best:?}");
            }
        }
    }
    assert!(overtaken > 30 && proved > 20, "{overtaken} overtaken, {proved} of them proved");
}

#[test]
fn depths_levels_and_selected_moves() {
    let position = start("ravensburger-one");
    let mut depths = Vec::new();
    let limits = Limits::new(Goal::Depth(5, Selectivity::NONE));
    general::search(&position, &limits, 1, 1, &StopToken::new(), &mut |report| depths.push(report.depth)).unwrap();
    assert_eq!(depths, [1, 2, 3, 4, 5]);
    let mv = position.legal_moves()[2];
    let limits = Limits { moves: Some(vec![mv]), ..limits };
    assert_eq!(search(&position, &limits).lines[0].mv, mv);
    let report = search(&position, &Limits::new(Goal::Level(Level::new(8).unwrap())));
    assert!(!report.stopped && report.depth == 4);
    let over = start("othello:4x4,start=X3/XO2/4/4");
    let over = over.play("c2".parse().unwrap()).unwrap();
    let report = search(&over, &Limits::new(Goal::Exact));
    assert!(report.lines.is_empty() && report.score == -16);
}

/// Black has two discs left, which White turns within four plies whatever Black does, and many moves, which shallow searches liked.
#[test]
fn a_side_that_loses_its_last_discs_is_not_thought_ahead() {
    let moves = "h7i7j8k7j10g9i6j6j7h10k8i5j9k6h6g6i10k10k9l8j11k12l9m9g7g8l10k11f8f9f7e7g10h11i11i12f10e11";
    let game = transcript::parse(&start("othello:16x16"), moves).unwrap();
    let position = game.position();
    assert_eq!(position.discs(Color::Black).count(), 2);
    for depth in [4, 5, 8, 9] {
        let report = search(position, &Limits::new(Goal::Depth(depth, Selectivity::MOST)));
        assert_eq!(report.score, -256, "{depth} plies");
    }
}

#[test]
fn a_window_turns_scores_into_bounds() {
    let position = start("othello:4x4");
    let with = |low, high| search(&position, &Limits { window: (low, high), ..Limits::new(Goal::Exact) });
    assert_eq!((with(-12, -8).score, with(-12, -8).lines[0].bound), (-10, Bound::Exact));
    assert!(with(-4, 4).score <= -4 && with(-4, 4).lines[0].bound == Bound::Upper);
    assert!(with(-20, -14).score >= -14 && with(-20, -14).lines[0].bound == Bound::Lower);
}

/// Scores inside any window are the scores; outside, bounds on the right side.
#[test]
fn windows_of_the_general_search_are_kept() {
    let mut rng = StdRng::seed_from_u64(14);
    for rules in ["othello:6x6,one", "othello:6x6,own", "othello:4x6,fewest", "reversi10", "othello:4x16"] {
        for _ in 0..8 {
            let position = late_position(rules, 8, &mut rng);
            if position.is_game_over() {
                continue;
            }
            let score = search(&position, &Limits::new(Goal::Exact)).score;
            let windows =
                [(-63, 63), (-40, 1), (-3, 40), (score - 1, score + 1), (score, score + 4), (score - 4, score)];
            // far from the score, too: there the value of an iteration is far outside of what the next is asked about
            let far = [(-62, -16), (16, 62), (-63, -24), (24, 63)];
            let squares = position.rules().squares() as i32;
            let is_asked = |&(low, high): &(i32, i32)| low < squares.min(63) && high > -squares.min(63);
            for (low, high) in windows.into_iter().chain(far).filter(is_asked) {
                let report = search(&position, &Limits { window: (low, high), ..Limits::new(Goal::Exact) });
                let bound = report.lines[0].bound;
                let is_right = match bound {
                    Bound::Exact => report.score == score,
                    Bound::Lower => report.score >= high && score >= report.score,
                    Bound::Upper => report.score <= low && score <= report.score,
                };
                assert!(is_right, "{rules} {position} ({low}, {high}): {score}, found {} {bound:?}", report.score);
                assert!(bound == Bound::Exact || score <= low || score >= high);
            }
        }
    }
}

/// On a board with fewer squares than 64, too, a bound beyond its highest score is none.
#[test]
fn a_bound_beyond_all_scores_is_none() {
    let rules = Arc::new("othello:6x6,octagon".parse().unwrap());
    let position = board_text::parse("##XX##/#XXX-#/XOXO--/XXOOO-/#OOOX#/##--## X", &rules).unwrap();
    let with = |position: &Position, window| {
        let report = search(position, &Limits { window, ..Limits::new(Goal::Exact) });
        (report.score, report.lines[0].bound)
    };
    let best = search(&position, &Limits::new(Goal::Exact));
    assert_eq!((best.score, position.rules().squares()), (24, 24));
    assert_eq!(with(&position, (23, 27)), (24, Bound::Exact));
    assert_eq!(with(&position, (20, 24)), (24, Bound::Lower));
    let other = position.play(best.lines[0].mv).unwrap();
    assert_eq!(with(&other, (-27, -23)), (-24, Bound::Exact));
    assert_eq!(with(&other, (-24, -20)), (-24, Bound::Upper));
}

/// What is proved of a score that is a bound, the line shows to the end of the game.
#[test]
fn lines_of_bounds_lead_to_the_end() {
    let mut rng = StdRng::seed_from_u64(21);
    let (mut outcomes, mut bounds) = ([0; 3], [0; 2]);
    for i in 0..60 {
        let rules = random_rules(&["4x4", "4x6", "6x6", "8x8", "10x10"], &mut rng);
        let position = late_position(&rules, 8 + i % 4, &mut rng);
        if position.is_game_over() {
            continue;
        }
        let limits = Limits { multi_pv: usize::MAX, ..Limits::new(Goal::WinDrawLoss) };
        let report = general::search(&position, &limits, 1 + (i % 2) as usize, 1, &StopToken::new(), &mut |_| {});
        for line in report.unwrap().lines {
            let found = position.outcome_of(line_score(&position, &line.pv, false));
            assert_eq!((line.pv[0], found), (line.mv, line.score), "{position}: {line:?}");
            outcomes[(found + 1) as usize] += 1;
        }
        let score = search(&position, &Limits::new(Goal::Exact)).score;
        let most = position.rules().squares() as i32;
        for (low, high) in [(score + 2, score + 6), (score - 6, score - 2)] {
            if low < most && high > -most {
                let report = search(&position, &Limits { window: (low, high), ..Limits::new(Goal::Exact) });
                let end = line_score(&position, &report.lines[0].pv, false);
                let is_above = high < score;
                // the score that is told, which may lie further outside than the window's end
                let is_kept = if is_above { end >= report.score } else { end <= report.score };
                assert!(is_kept, "{position} ({low}, {high}): {report:?}");
                bounds[usize::from(is_above)] += 1;
            }
        }
    }
    assert!(outcomes[0] > 50 && outcomes[1] > 3 && outcomes[2] > 50, "{outcomes:?}");
    assert!(bounds.iter().all(|&count| count > 30), "{bounds:?}");
}

/// A score may lie further outside the window than its end, above all where the table knows the position; the line shows what is told.
#[test]
fn lines_of_scores_outside_a_window_keep_them() {
    let mut rng = StdRng::seed_from_u64(22);
    let mut engine = Engine::new(Options { hash_mib: 1, threads: 1 });
    let mut further = 0;
    for i in 0..400 {
        let rules = ["othello:8x8,one", "othello:7x8,holes=a1,h7", "othello:8x8,own"][i % 3];
        let position = late_position(rules, 8 + (i % 4) as u32, &mut rng);
        if position.is_game_over() {
            continue;
        }
        // what earlier searches of it and its neighbours were asked is in the table, too
        let next = position.play(position.legal_moves()[0]).expect("legal");
        for position in [&position, &next, &position].into_iter().filter(|position| !position.is_game_over()) {
            for _ in 0..4 {
                let low = rng.random_range(-50..50);
                let window = (low, low + rng.random_range(1..20));
                let multi_pv = if rng.random_bool(0.5) { 1 } else { usize::MAX };
                let limits = Limits { window, multi_pv, ..Limits::new(Goal::Exact) };
                let report = engine.search(position, &limits, &StopToken::new(), &mut |_| {}).expect("a report");
                for line in report.lines {
                    let end = line_score(position, &line.pv, false);
                    let is_kept = match line.bound {
                        Bound::Exact => end == line.score,
                        Bound::Lower => end >= line.score,
                        Bound::Upper => end <= line.score,
                    };
                    assert!(is_kept, "{i} {position} {window:?}: {end} after {line:?}");
                    further += usize::from(line.score < window.0 || line.score > window.1);
                }
            }
        }
    }
    assert!(further > 200, "{further}");
}

/// A line can be played; with an exact score it leads there as far as it goes.
#[test]
fn lines_are_played() {
    let mut rng = StdRng::seed_from_u64(15);
    let (mut moves, mut lines) = (0, 0);
    for rules in ["othello:10x10", "othello:6x6,one", "othello:8x8,own", "traveller"] {
        for empties in [40, 24, 6] {
            let mut position = late_position(rules, empties, &mut rng);
            if position.is_game_over() {
                continue;
            }
            let goal = if empties < 10 { Goal::Exact } else { Goal::Depth(4, Selectivity::NONE) };
            let report = search(&position, &Limits::new(goal));
            let line = report.best().unwrap();
            assert_eq!(line.pv[0], line.mv);
            let side = position.side_to_move();
            for &mv in &line.pv {
                position = position.play(mv).unwrap_or_else(|error| panic!("{rules}: {error} in {:?}", line.pv));
            }
            if goal == Goal::Exact && position.is_game_over() {
                let score = position.final_score(false);
                assert_eq!(report.score, if side == Color::Black { score } else { -score }, "{rules}");
            }
            (moves, lines) = (moves + line.pv.len(), lines + 1);
        }
    }
    assert!(moves >= 3 * lines, "{moves} moves in {lines} lines");
}

/// A static value is what a search of no depth finds; that of a finished game is its score.
#[test]
fn static_values_are_those_of_the_evaluation() {
    let mut rng = StdRng::seed_from_u64(16);
    let engine = outflank::engine::Engine::new(outflank::engine::Options { hash_mib: 1, threads: 1 });
    for rules in ["othello:8x8,one", "othello:10x10", "othello:12x12"] {
        let mut position = start(rules);
        let (mut values, mut plies) = (Vec::new(), 0);
        while !position.is_game_over() {
            let value = general::static_value(&position);
            assert_eq!(engine.evaluate(&position), value);
            values.push(value);
            // the other side's view is the opposite but for the parity of the empty squares
            position = position.play(*position.legal_moves().choose(&mut rng).unwrap()).unwrap();
            plies += 1;
        }
        values.sort_unstable();
        values.dedup();
        assert!(values.len() > plies / 8, "{rules}: {values:?}");
        let score = position.final_score(false);
        let own = if position.side_to_move() == Color::Black { score } else { -score };
        assert_eq!(general::static_value(&position), own, "{rules}");
    }
}

#[test]
fn second_wins_decides_equal_games_in_every_search() {
    let mut rng = StdRng::seed_from_u64(13);
    let mut engine = outflank::engine::Engine::new(outflank::engine::Options { hash_mib: 1, threads: 1 });
    let mut seen = [0; 2];
    while seen.iter().any(|count| *count < 5) {
        let position = late_position("ravensburger:6x6", 5, &mut rng);
        if minimax(&position, true) != 0 {
            continue;
        }
        let white = position.side_to_move() == Color::White;
        let expected = if white { 1 } else { -1 };
        let limits = Limits::new(Goal::WinDrawLoss);
        assert_eq!(
            engine.search(&position, &limits, &StopToken::new(), &mut |_| {}).unwrap().score,
            expected,
            "{position}"
        );
        assert_eq!(search(&position, &limits).score, expected, "{position}");
        seen[usize::from(white)] += 1;
    }
}
