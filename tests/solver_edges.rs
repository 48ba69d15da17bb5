//! Where exact scores went wrong before tests looked: wipe-outs, squares nobody can take, stops, changes of rules.

mod positions;
mod reference;

use outflank::board::{Board, Squares};
use outflank::engine::Engine;
use outflank::kernel::Tier;
use outflank::rules::{Bits, Color, Move, Objective, Position, RuleSet};
use outflank::search::{Bound, Goal, Limits, Report, Selectivity, StopToken, Time};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::sync::Arc;
use std::time::Duration;

use positions::{nearly_wiped_out, random_position, symmetric_position, with_a_dead_square};
use reference::{alpha_beta, engine, solve, solve_with};

#[test]
fn wipe_outs_have_their_score_and_their_line() {
    let mut rng = StdRng::seed_from_u64(12);
    let mut wiped_out = [0; 2];
    for tier in Tier::ALL {
        let mut engine = engine(1);
        if !engine.set_tier(tier) {
            eprintln!("skipped: this machine has no {tier}");
            continue;
        }
        for i in 0..600 {
            let board = nearly_wiped_out(&mut rng, 4 + i % 14);
            let report = solve_with(&mut engine, board, &Limits::new(Goal::Exact));
            if board.empty_count() <= 9 {
                assert_eq!(report.score, alpha_beta(board, -64, 64), "{board:x?}");
            }
            let mut position = Position::from_board(board, Color::Black);
            for &mv in &report.best().unwrap().pv {
                position = position.play(mv).unwrap_or_else(|error| panic!("{error} in the line of {board:x?}"));
            }
            assert!(position.is_game_over(), "the line of {board:x?} stops early");
            assert_eq!(position.final_score(false), report.score, "{board:x?}");
            if position.empty_count() > 0 && report.score.abs() == 64 {
                wiped_out[usize::from(report.score > 0)] += 1;
            }
        }
    }
    assert!(wiped_out.iter().all(|&count| count > 10), "{wiped_out:?}");
}

/// Minimax where winning by one disc with one empty square is worth `close`: 2, because the square goes to the winner.
fn minimax_with(board: Board, close: i32) -> i32 {
    let moves = board.legal_moves();
    if moves == 0 {
        let passed = board.pass();
        if passed.legal_moves() != 0 {
            return -minimax_with(passed, close);
        }
        let difference = board.player.count_ones() as i32 - board.opponent.count_ones() as i32;
        return if board.empty_count() == 1 && difference.abs() == 1 {
            difference * close
        } else {
            board.final_score()
        };
    }
    Squares(moves).map(|square| -minimax_with(board.play(square).unwrap(), close)).max().unwrap()
}

#[test]
fn a_last_square_that_nobody_can_take_goes_to_the_winner() {
    let mut rng = StdRng::seed_from_u64(13);
    // boards on which it matters, won and lost
    let mut boards = [Vec::new(), Vec::new()];
    while boards.iter().any(|boards| boards.len() < 60) {
        let board = with_a_dead_square(&mut rng, 2 + (boards[0].len() % 4) as u32);
        let score = minimax_with(board, 2);
        if score != minimax_with(board, 0) {
            boards[usize::from(score > 0)].push((board, score));
        }
    }
    for tier in Tier::ALL {
        let mut engine = engine(1);
        if !engine.set_tier(tier) {
            eprintln!("skipped: this machine has no {tier}");
            continue;
        }
        for &(board, score) in boards.iter().flatten() {
            assert_eq!(solve(&mut engine, board), score, "{tier} {board:x?}");
        }
    }
}

#[test]
fn what_a_stopped_search_leaves_is_true() {
    let mut rng = StdRng::seed_from_u64(14);
    let mut stops = 0;
    for i in 0..30 {
        let board = random_position(&mut rng, 13 + i % 6);
        let whole = solve_with(&mut engine(1), board, &Limits::new(Goal::Exact));
        let mut stopped = engine(1 + i as usize % 3);
        for _ in 0..5 {
            stopped.clear();
            for _ in 0..3 {
                let nodes = Some(rng.random_range(1..whole.nodes.max(2)));
                let limits = Limits { nodes, ..Limits::new(Goal::Exact) };
                let position = Position::from_board(board, Color::Black);
                let report = stopped.search(&position, &limits, &StopToken::new(), &mut |_| {}).unwrap();
                stops += usize::from(report.stopped);
                assert!(!report.is_exact() || report.score == whole.score, "{board:x?}");
            }
            assert_eq!(solve(&mut stopped, board), whole.score, "{board:x?}");
        }
    }
    assert!(stops > 200, "{stops}");
}

#[test]
fn a_move_that_overtakes_before_the_stop_is_worth_what_is_said() {
    let mut rng = StdRng::seed_from_u64(15);
    let mut engine = engine(1);
    let (mut overtaken, mut proved) = (0, 0);
    for i in 0..40 {
        let position = Position::from_board(random_position(&mut rng, 14 + i % 4), Color::Black);
        let mut search = |limits: &Limits| {
            engine.clear();
            let mut heard = Vec::new();
            let report = engine.search(&position, limits, &StopToken::new(), &mut |report| heard.push(report.clone()));
            (report.unwrap(), heard)
        };
        let (whole, heard) = search(&Limits::new(Goal::Exact));
        // the depth of the last search before that to the end
        let Some(last) = heard.len().checked_sub(2).map(|before| heard[before].depth) else { continue };
        for _ in 0..30 {
            let limits = Limits { nodes: Some(rng.random_range(1..whole.nodes)), ..Limits::new(Goal::Exact) };
            let two = Limits { multi_pv: 2, ..limits.clone() };
            let is_complete = |report: &Report| report.lines.iter().all(|line| line.bound == Bound::Exact);
            assert!(is_complete(&search(&two).0), "of several lines none is known in part: {position}");
            let (report, heard) = search(&limits);
            let best = report.best().unwrap();
            let [.., complete, latest] = &heard[..] else { continue };
            assert_eq!(latest.lines, report.lines, "what is heard last is what comes of it: {position}");
            if is_complete(&report) {
                continue;
            }
            overtaken += 1;
            assert!(report.stopped && !report.is_exact() && best.bound == Bound::Lower && is_complete(complete));
            assert_eq!((report.depth, report.selectivity), (complete.depth, complete.selectivity), "{position}");
            assert_ne!(best.mv, complete.best().unwrap().mv, "{position}");
            if report.depth == last {
                proved += 1;
                let alone = Limits { moves: Some(vec![best.mv]), ..Limits::new(Goal::Exact) };
                assert!(search(&alone).0.score >= best.score, "{position}: {best:?}");
            }
        }
    }
    assert!(overtaken > 50 && proved > 30, "{overtaken} overtaken, {proved} of them proved");
}

/// From the first node on that a move has been proved better by, it is the one to play: also where nothing but the solve is searched.
#[test]
fn a_small_solve_that_is_stopped_keeps_what_it_has_proved() {
    let mut rng = StdRng::seed_from_u64(16);
    let mut engine = engine(1);
    let mut proved = 0;
    for _ in 0..40 {
        let position = Position::from_board(random_position(&mut rng, 12), Color::Black);
        let mut search = |limits: &Limits| {
            engine.clear();
            let mut heard = Vec::new();
            let report = engine.search(&position, limits, &StopToken::new(), &mut |report| heard.push(report.clone()));
            (report.unwrap(), heard)
        };
        let whole = search(&Limits::new(Goal::Exact)).0;
        for _ in 0..20 {
            let limits = Limits { nodes: Some(rng.random_range(1..whole.nodes.max(2))), ..Limits::new(Goal::Exact) };
            let (report, heard) = search(&limits);
            let (Some(latest), true) = (heard.last(), report.stopped) else { continue };
            proved += 1;
            assert_eq!(latest.lines, report.lines, "what is heard last is what comes of it: {position}");
            let best = report.best().unwrap();
            assert_eq!(best.bound, Bound::Lower, "{position}");
            let alone = Limits { moves: Some(vec![best.mv]), ..Limits::new(Goal::Exact) };
            assert!(search(&alone).0.score >= best.score, "{position}: {best:?}");
        }
    }
    assert!(proved > 20, "{proved}");
}

/// A player's move may be an only one; a question about a position's value is none.
#[test]
fn an_only_move_is_searched_as_deep_as_any_unless_somebody_waits_for_it() {
    let mut rng = StdRng::seed_from_u64(17);
    let mut engine = engine(1);
    let is_only = |board: &Board| board.legal_moves().count_ones() == 1;
    let boards: Vec<Board> = std::iter::repeat_with(|| random_position(&mut rng, 30)).filter(is_only).take(5).collect();
    for board in boards {
        let position = Position::from_board(board, Color::Black);
        let mut depth = |only_move_at_once, time| {
            engine.clear();
            let limits = Limits { only_move_at_once, time, ..Limits::new(Goal::Depth(8, Selectivity::MOST)) };
            let report = engine.search(&position, &limits, &StopToken::new(), &mut |_| {}).unwrap();
            (report.depth, report.stopped)
        };
        let hour = Time::PerMove(Duration::from_secs(3600));
        assert_eq!(depth(false, hour), (8, false), "{position}");
        assert_eq!(depth(true, Time::Unlimited), (8, false), "{position}");
        assert_eq!(depth(true, hour), (2, false), "{position}");
    }
    // a pass is one, too, whatever the opponent may answer
    for rules in ["othello", "othello:6x8", "othello:one"] {
        let rules = Arc::new(rules.parse().unwrap());
        let walk = || {
            let mut position = Position::start(Arc::clone(&rules));
            while !position.is_game_over() {
                let moves = position.legal_moves();
                let next = position.play(moves[rng.random_range(0..moves.len())]).unwrap();
                if position.must_pass() && position.empty_count() > 12 && next.legal_moves().len() > 1 {
                    return Some(position);
                }
                position = next;
            }
            None
        };
        let position = std::iter::repeat_with(walk).flatten().next().expect("a pass");
        let hour = Time::PerMove(Duration::from_secs(3600));
        let limits = Limits { only_move_at_once: true, time: hour, ..Limits::new(Goal::Depth(8, Selectivity::MOST)) };
        let report = engine.search(&position, &limits, &StopToken::new(), &mut |_| {}).unwrap();
        assert!(report.depth <= 2 && report.lines[0].mv == Move::Pass, "{position}: {report:?}");
    }
}

#[test]
fn nothing_is_remembered_across_a_change_of_rules() {
    let mut rng = StdRng::seed_from_u64(15);
    let mut warm = engine(1);
    let mut sharing = warm.sharing();
    let mut differ = [0; 2];
    for i in 0..40 {
        let board =
            if i % 2 == 0 { random_position(&mut rng, 9 + i % 7) } else { nearly_wiped_out(&mut rng, 9 + i % 7) };
        let bits = [Bits::from_u64(board.player), Bits::from_u64(board.opponent)];
        let mut scores = Vec::new();
        for (objective, discs_only) in [
            (Objective::Most, false),
            (Objective::Most, true),
            (Objective::Fewest, false),
            (Objective::Fewest, true),
            (Objective::Most, false),
        ] {
            let rules = Arc::new(RuleSet::othello().to_builder().objective(objective).build().unwrap());
            let position = Position::from_discs(rules, bits[0], bits[1], Color::Black).unwrap();
            let limits = Limits { discs_only, ..Limits::new(Goal::Exact) };
            let score =
                |engine: &mut Engine| engine.search(&position, &limits, &StopToken::new(), &mut |_| {}).unwrap().score;
            let expected = score(&mut engine(1));
            assert_eq!(score(&mut warm), expected, "{objective:?} {discs_only} {board:x?}");
            assert_eq!(score(&mut sharing), expected, "sharing: {objective:?} {discs_only} {board:x?}");
            scores.push(expected);
        }
        differ[0] += usize::from(scores[0] != scores[1]);
        differ[1] += usize::from(scores[0] != scores[2]);
    }
    assert!(differ[0] > 2 && differ[1] > 20, "{differ:?}");
}

/// Where values have reached the end of their scale, solves leave out the midgame searches that would say so again, and no more than
/// these: the score is that of a search that does not leave them out.
#[test]
fn won_games_are_solved_without_more_midgame_searches_than_say_so() {
    let mut rng = StdRng::seed_from_u64(16);
    let mut engine = engine(1);
    let (mut cut_short, mut others) = (0, 0);
    for _ in 0..30 {
        let board = nearly_wiped_out(&mut rng, 18);
        let position = Position::from_board(board, Color::Black);
        let mut search = |goal| {
            let mut midgame = Vec::new();
            engine.clear();
            let report = engine.search(&position, &Limits::new(goal), &StopToken::new(), &mut |report| {
                if report.depth < report.empties {
                    midgame.push((report.depth, report.score.abs()));
                }
            });
            (report.unwrap().score, midgame)
        };
        let ((score, midgame), (expected, whole)) = (search(Goal::Exact), search(Goal::Unlimited));
        assert_eq!(score, expected, "{board:x?}");
        let Some(known) = midgame.iter().position(|&(depth, score)| depth >= 6 && score >= 62) else {
            others += usize::from(midgame.len() == whole.len());
            continue;
        };
        assert_eq!(known + 1, midgame.len(), "{midgame:?} {board:x?}");
        cut_short += usize::from(midgame.len() < whole.len());
    }
    assert!(cut_short > 5 && others > 2, "{cut_short} {others}");
}

/// The lines of a report have these moves, each once and the best first, and each leads to the score it promises.
fn check_lines(position: &Position, report: &Report, moves: &[Move], value: impl Fn(Move) -> i32) {
    let mut told: Vec<Move> = report.lines.iter().map(|line| line.mv).collect();
    assert!(report.lines.is_sorted_by_key(|line| -line.score), "{report:?}");
    told.sort_by_key(|mv| mv.to_string());
    let mut expected = moves.to_vec();
    expected.sort_by_key(|mv| mv.to_string());
    assert_eq!(told, expected);
    for line in &report.lines {
        assert_eq!((line.score, line.bound), (value(line.mv), Bound::Exact), "{} of {position:?}", line.mv);
        let mut end = position.clone();
        for &mv in &line.pv {
            end = end.play(mv).unwrap_or_else(|error| panic!("{error} in the line of {position:?}"));
        }
        assert!(end.is_game_over());
        let score = end.final_score(false);
        assert_eq!(if position.side_to_move() == Color::Black { score } else { -score }, line.score);
    }
}

/// Where moves are images of one another one of them is searched: the others have its value and the image of its line.
#[test]
fn images_of_moves_have_their_values_and_lines() {
    let mut rng = StdRng::seed_from_u64(16);
    let small = ["othello:4x4", "othello:4x6", "othello:6x4", "othello:4x4,parallel", "othello:4x6,fewest"];
    let small = small.map(|rules| Position::start(Arc::new(rules.parse().unwrap())));
    let symmetric = (0..150).map(|_| Position::from_board(symmetric_position(&mut rng), Color::Black));
    let positions: Vec<Position> = small.into_iter().chain(symmetric).collect();
    let mut twins = 0;
    for position in &positions {
        let moves = position.legal_moves();
        let search = |limits: &Limits| engine(1).search(position, limits, &StopToken::new(), &mut |_| {}).unwrap();
        let value = |mv: Move| {
            let limits = Limits { moves: Some(vec![mv]), ..Limits::new(Goal::Exact) };
            search(&limits).score
        };
        let values: Vec<i32> = moves.iter().map(|&mv| value(mv)).collect();
        let value = |mv: Move| values[moves.iter().position(|&other| other == mv).unwrap()];
        twins += usize::from(values.iter().enumerate().any(|(i, value)| values[..i].contains(value)));

        let all = search(&Limits { multi_pv: usize::MAX, ..Limits::new(Goal::Exact) });
        check_lines(position, &all, &moves, value);
        let two = search(&Limits { multi_pv: 2, ..Limits::new(Goal::Exact) });
        let best: Vec<Move> = two.lines.iter().map(|line| line.mv).collect();
        check_lines(position, &two, &best, value);
        let scores = |report: &Report| report.lines.iter().map(|line| line.score).collect::<Vec<_>>();
        assert_eq!(scores(&two), scores(&all)[..2.min(moves.len())]);
        // the last move only beside the best, and the best of some
        let last = *moves.last().unwrap();
        let one = search(&Limits { include: vec![last], ..Limits::new(Goal::Exact) });
        let first = one.best().unwrap().mv;
        let told = if first == last { vec![last] } else { vec![first, last] };
        assert_eq!(value(first), all.score);
        check_lines(position, &one, &told, value);
        let some: Vec<Move> = moves.iter().copied().skip(moves.len() / 2).collect();
        let limits = Limits { moves: Some(some.clone()), multi_pv: usize::MAX, ..Limits::new(Goal::Exact) };
        check_lines(position, &search(&limits), &some, value);
        // before the first iteration
        let still = search(&Limits { nodes: Some(0), multi_pv: usize::MAX, ..Limits::new(Goal::Exact) });
        assert_eq!(still.lines.len(), moves.len());
    }
    assert!(twins > 100, "{twins} positions with moves of one value");
}

#[test]
fn the_first_moves_of_the_game_are_searched_as_one() {
    let limits = |multi_pv| Limits { multi_pv, ..Limits::new(Goal::Depth(9, Selectivity::NONE)) };
    let best = solve_with(&mut engine(1), Board::START, &limits(1));
    let all = solve_with(&mut engine(1), Board::START, &limits(4));
    assert_eq!((all.lines.len(), all.nodes), (4, best.nodes));
    assert!(all.lines.iter().all(|line| line.score == best.score && line.pv.len() == best.lines[0].pv.len()));
    let lines: Vec<Board> = all
        .lines
        .iter()
        .map(|line| {
            let position = line
                .pv
                .iter()
                .fold(Position::from_board(Board::START, Color::Black), |position, &mv| position.play(mv).unwrap());
            position.fast_board().unwrap().0.canonical()
        })
        .collect();
    assert!(lines.windows(2).all(|pair| pair[0] == pair[1]));
}
