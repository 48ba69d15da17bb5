//! Tests of what the parts of the search do together: table, passes, ProbCut, threads.
use super::children::Children;
use super::entries::Entries;
use super::line::{Proof, principal_variation};
use super::local::LocalCache;
use super::nws::{table_cutoff, transposition_cutoff};
use super::probcut::{midgame_deviations, probcut};
use super::split::Pool;
use super::tt::{Data, Found, NO_MOVE, Table, hash};
use super::walls::General;
use super::worker::{Node, Rules, Shared, Worker};
use super::{Control, Memory, TableSlot, Task};
use crate::board::stability::edge_table;
use crate::board::{Board, Squares};
use crate::eval::{Features, Weights};
use crate::kernel::{Portable, Tier};
use crate::search::threads::limit;
use crate::search::{Goal, Selectivity, StopToken, Watch};
use crate::time::Instant;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::sync::Arc;

type Plain = Portable<false>;

/// Calls `body` with the only thread of a search without limits that begins with an empty table.
pub(super) fn with_worker<R>(mib: usize, body: impl FnOnce(&mut Worker) -> R) -> R {
    with_limited_worker(mib, None, Goal::Exact, body)
}

/// [`with_worker`] that stops after so many nodes and searches for this goal.
fn with_limited_worker<R>(mib: usize, nodes: Option<u64>, goal: Goal, body: impl FnOnce(&mut Worker) -> R) -> R {
    let (table, weights, token) = (Table::new(mib).unwrap(), Weights::embedded(), StopToken::new());
    let mut cache = LocalCache::new().unwrap();
    let rules = Rules::othello();
    let shared = Shared {
        table: table.view(&rules, &weights),
        weights: &weights,
        edges: edge_table(),
        general: General::new(&rules),
        midgame_deviations: midgame_deviations(goal, 60),
        general_errors: None,
        rules,
        values: true,
        sampler: None,
        pool: Pool::default(),
        watch: Watch::new(&token, None, nodes, 1),
    };
    body(&mut Worker::new(&shared, &mut cache))
}

/// The board as the root of a search.
pub(super) fn root(w: &mut Worker, board: Board) -> Node {
    w.stack[0] = Features::new(board);
    Node { player: board.player, opponent: board.opponent, ply: 0, view: 0, empties: board.empty_count() }
}

/// A position of a random game with this many empties that is not over.
pub(super) fn random_board(rng: &mut StdRng, empties: u32) -> Board {
    let mut board = Board::START;
    loop {
        let moves = board.legal_moves();
        if board.is_game_over() {
            board = Board::START;
        } else if board.empty_count() <= empties {
            return board;
        } else if moves == 0 {
            board = board.pass();
        } else {
            let nth = rng.random_range(0..moves.count_ones()) as usize;
            board = board.play(Squares(moves).nth(nth).unwrap()).unwrap();
        }
    }
}

#[test]
fn a_child_in_the_table_cuts_only_with_depth_and_confidence() {
    let cut = |depth, selectivity, score| {
        with_worker(1, |w| {
            w.selectivity = 3;
            let node = root(w, Board::START);
            let children = Children::new::<Plain>(w, node, Board::START.legal_moves(), true);
            let child = *children.iter().nth(1).unwrap();
            let found = Found { depth, selectivity, alpha: score, beta: score + 1, score, best: NO_MOVE, nodes: 1 };
            w.shared.table.store(child.hash, child.player, child.opponent, &found);
            transposition_cutoff(w, &children, 5, 8).map(|(score, square)| (score, square == child.square))
        })
    };
    assert_eq!(cut(7, 3, -10), Some((10, true)));
    assert_eq!(cut(9, 5, -6), Some((6, true)));
    assert_eq!(cut(6, 3, -10), None, "one ply too shallow");
    assert_eq!(cut(7, 2, -10), None, "not sure enough");
    assert_eq!(cut(7, 3, -5), None, "does not beat alpha");
}

#[test]
fn an_entry_decides_a_window_only_by_what_it_says() {
    let entry = |lower, upper, depth, selectivity| {
        Some(Data { lower, upper, best: 3, second: NO_MOVE, depth, selectivity, cost: 1, age: 1 })
    };
    let cut = |lower, upper| table_cutoff(entry(lower, upper, 9, 4), 0, 8, 9, 4);
    assert_eq!(table_cutoff(None, 0, 8, 9, 4), None);
    assert_eq!(cut(4, 4), Some(4));
    assert_eq!(cut(3, 4), None, "3 or 4");
    assert_eq!((cut(-64, 0), cut(-64, 1)), (Some(0), None));
    assert_eq!((cut(8, 64), cut(7, 64)), (Some(8), None));
    assert_eq!(table_cutoff(entry(4, 4, 8, 4), 0, 8, 9, 4), None, "too shallow");
    assert_eq!(table_cutoff(entry(4, 4, 9, 3), 0, 8, 9, 4), None, "not sure enough");
}

#[test]
fn searches_by_time_cut_more_in_the_midgame_and_as_much_at_the_end() {
    let mut rng = StdRng::seed_from_u64(32);
    let mut boards = |empties| -> Vec<Board> { (0..6).map(|_| random_board(&mut rng, empties)).collect() };
    let nodes = |boards: &[Board], depth, selectivity, goal| -> u64 {
        let search = |board: &Board| {
            with_limited_worker(1, None, goal, |w| {
                w.selectivity = selectivity;
                let node = root(w, *board);
                Plain::pvs(w, node, -64, 64, depth);
                w.nodes
            })
        };
        boards.iter().map(search).sum()
    };
    let level = Goal::Depth(9, Selectivity::MOST);
    let midgame = boards(34);
    for selectivity in 0..5 {
        let (by_time, fixed) =
            (nodes(&midgame, 9, selectivity, Goal::Unlimited), nodes(&midgame, 9, selectivity, level));
        assert!(by_time < fixed, "selectivity {selectivity}: {by_time} and {fixed} nodes");
    }
    assert_eq!(nodes(&midgame, 9, 5, Goal::Unlimited), nodes(&midgame, 9, 5, level), "nothing is cut at full width");
    let end = boards(14);
    assert_eq!(nodes(&end, 14, 1, Goal::Unlimited), nodes(&end, 14, 1, level));
}

#[test]
fn probcut_cuts_only_beyond_its_margin() {
    let mut rng = StdRng::seed_from_u64(31);
    let mut cuts = [0; 2];
    let (mut tries, mut wrong) = (0, 0);
    for i in 0..400 {
        let board = random_board(&mut rng, 20 + i % 30);
        if board.legal_moves() == 0 {
            continue;
        }
        let depth = 3 + i / 40 % 6;
        let value = |probe| {
            with_worker(1, |w| {
                let node = root(w, board);
                Plain::pvs(w, node, -64, 64, probe)
            })
        };
        let probe = super::probcut::probe_depth(depth, false);
        let value = value(probe);
        let cut = |alpha: i32, selectivity| {
            with_worker(1, |w| {
                w.selectivity = selectivity;
                let node = root(w, board);
                let cut = probcut::<Plain>(w, node, board.legal_moves(), alpha, depth, true);
                assert_eq!(w.probing, 0);
                cut
            })
        };
        for selectivity in 0..=5 {
            // the shallow value itself is within any margin of both bounds
            let inside = [value, value - 1].map(|alpha| cut(alpha, selectivity));
            tries += 2;
            wrong += inside.iter().flatten().count();
        }
        // far away, the shallow value decides, and for the right side
        if (-24..=24).contains(&value) {
            let (low, high) = (cut(value + 30, 0), cut(value - 30, 0));
            assert!(low.is_none_or(|score| score == value + 30) && high.is_none_or(|score| score == value - 29));
            cuts[0] += usize::from(low.is_some());
            cuts[1] += usize::from(high.is_some());
        }
    }
    assert!(cuts.iter().all(|&cuts| cuts > 100), "{cuts:?}");
    // leaves far outside a null window are valued roughly
    assert!(wrong * 100 < tries, "{wrong} of {tries}");
}

#[test]
fn a_static_value_far_outside_cuts_shallow_searches_without_a_probe() {
    let mut rng = StdRng::seed_from_u64(35);
    let mut cuts = [[0; 2]; 2];
    for i in 0..200 {
        let board = random_board(&mut rng, 20 + i % 30);
        let moves = board.legal_moves();
        if moves.count_ones() < 6 {
            continue;
        }
        with_worker(1, |w| {
            w.selectivity = 0;
            let node = root(w, board);
            let value = w.evaluate::<Plain>(node);
            for (is_deep, depth) in [(0, 6), (1, 7)] {
                let mut cut = |alpha| {
                    let before = w.nodes;
                    (probcut::<Plain>(w, node, moves, alpha, depth, true), w.nodes > before)
                };
                for (side, alpha, bound) in [(0, value - 40, value - 39), (1, value + 40, value + 40)] {
                    let (found, searched) = cut(alpha);
                    if let Some(found) = found {
                        assert_eq!((found, searched), (bound, is_deep == 1), "depth {depth}");
                        cuts[is_deep][side] += 1;
                    }
                }
                let (found, searched) = cut(value);
                assert!(found.is_none() || searched, "the static value itself is no reason to cut");
            }
        });
    }
    assert!(cuts.as_flattened().iter().all(|&cuts| cuts > 50), "{cuts:?}");
}

/// A probe may be cut by a probe, that one by none; at the end of the game and on boards with walls already the first by none.
#[test]
fn probes_are_cut_once() {
    let mut rng = StdRng::seed_from_u64(34);
    // by the probes that a search is inside of
    let mut cuts = [[0; 3]; 3];
    for i in 0..60 {
        let board = random_board(&mut rng, 15 + i % 30);
        if board.legal_moves() == 0 {
            continue;
        }
        for (probing, alpha) in (0..3).flat_map(|probing| [(probing, -45), (probing, 45)]) {
            with_worker(1, |w| {
                w.selectivity = 0;
                let node = root(w, board);
                let moves = board.legal_moves();
                let mut cut = |general: bool, depth| {
                    w.probing = probing;
                    let cut = match general {
                        true => probcut::<Portable<true>>(w, node, moves, alpha, depth, true),
                        false => probcut::<Plain>(w, node, moves, alpha, depth, true),
                    };
                    assert_eq!(w.probing, probing);
                    usize::from(cut.is_some())
                };
                let found = [cut(false, 7), if node.empties < 19 { cut(false, node.empties) } else { 0 }, cut(true, 7)];
                cuts.iter_mut().zip(found).for_each(|(cuts, cut)| cuts[probing as usize] += cut);
            });
        }
    }
    let [midgame, end, general] = cuts;
    assert!(midgame[0] > 30 && midgame[1] > 30 && midgame[2] == 0, "{midgame:?}");
    assert!(end[0] > 0 && end[1..] == [0, 0] && general[0] > 0 && general[1..] == [0, 0], "{end:?} {general:?}");
}

/// Whatever it was doing when it was stopped (a ProbCut probe, a child, the line with the open window), a search stores nothing
/// about a position that it has not finished.
#[test]
fn a_stopped_search_stores_nothing_about_its_root() {
    let mut rng = StdRng::seed_from_u64(33);
    let mut stopped = 0;
    for i in 0..40 {
        let board = random_board(&mut rng, 16 + i);
        if board.legal_moves() == 0 {
            continue;
        }
        for selectivity in [0, 2, 5] {
            // far above the value a probe fails low, far below it high
            for alpha in [-64, -30, -10, 0, 10, 30, 62] {
                let run = |nodes: Option<u64>| {
                    with_limited_worker(1, nodes, Goal::Exact, |w| {
                        w.selectivity = selectivity;
                        let node = root(w, board);
                        if i % 3 == 0 {
                            Plain::pvs(w, node, alpha, (alpha + 7).min(64), 5);
                        } else {
                            Plain::nws(w, node, alpha, 6, i % 2 == 0);
                        }
                        let entry =
                            w.shared.table.probe(hash(board.player, board.opponent), board.player, board.opponent);
                        (w.nodes, w.is_void(), entry)
                    })
                };
                let all = run(None).0;
                for part in [all / 16, all / 4, all / 2, all - 1, rng.random_range(0..=all)] {
                    let (_, is_void, entry) = run(Some(part.max(1)));
                    stopped += usize::from(is_void);
                    assert!(
                        !is_void || entry.is_none(),
                        "{board:?}, {selectivity}, {alpha}, {part} of {all}: {entry:?}"
                    );
                }
            }
        }
    }
    assert!(stopped > 1000, "{stopped}");
}

#[test]
fn a_pass_turns_the_evaluation_round() {
    let mut rng = StdRng::seed_from_u64(32);
    let mut seen = 0;
    while seen < 40 {
        let board = random_board(&mut rng, 12 + seen % 24);
        if board.legal_moves() != 0 {
            continue;
        }
        seen += 1;
        for depth in 1..=4 {
            let value = |board| {
                with_worker(1, |w| {
                    let node = root(w, board);
                    Plain::pvs(w, node, -64, 64, depth)
                })
            };
            let passed = value(board.pass());
            assert_eq!(value(board), -passed, "{board:x?} depth {depth}");
            let null = |board, alpha| {
                with_worker(1, |w| {
                    let node = root(w, board);
                    Plain::nws(w, node, alpha, depth, false)
                })
            };
            for alpha in [passed - 4, passed, passed + 4] {
                assert_eq!(null(board, -alpha - 1), -null(board.pass(), alpha), "{board:x?} depth {depth}");
            }
        }
    }
}

#[test]
fn an_exact_line_goes_to_the_end_whatever_the_table_knows() {
    let mut rng = StdRng::seed_from_u64(35);
    for i in 0..6 {
        let board = random_board(&mut rng, 15 + i % 2);
        let score = with_worker(4, |w| {
            let node = root(w, board);
            Plain::pvs(w, node, -64, 64, node.empties)
        });
        for misled in [false, true] {
            let line = |proof| {
                with_worker(4, |w| {
                    let node = root(w, board);
                    if misled && board.legal_moves() != 0 {
                        // a search that failed low names a move, but not a good one
                        let worst = Squares(board.legal_moves()).last().unwrap().index() as u8;
                        let bound = Found {
                            depth: node.empties,
                            selectivity: 5,
                            alpha: score,
                            beta: score + 1,
                            score,
                            best: worst,
                            nodes: 1,
                        };
                        w.shared.table.store(hash(board.player, board.opponent), board.player, board.opponent, &bound);
                    }
                    principal_variation::<Plain>(w, node, score, proof)
                })
            };
            let (mut end, mut sign) = (board, 1);
            for square in line(Proof::Score) {
                end = square.map_or(end.pass(), |square| end.play(square).expect("a legal line"));
                sign = -sign;
            }
            assert!(end.is_game_over(), "{board:x?} stops early");
            assert_eq!(sign * end.final_score(), score, "{board:x?}");
            assert!(board.legal_moves() == 0 || line(Proof::None).len() == usize::from(misled));
        }
    }
}

/// Cut-offs by stable discs leave nothing in the table, ProbCut no move, and a search that failed low not a good one.
#[test]
fn the_line_of_a_bound_goes_to_the_end_and_keeps_it_whatever_the_table_knows() {
    let mut rng = StdRng::seed_from_u64(36);
    for i in 0..8 {
        let board = random_board(&mut rng, 15 + i % 3);
        let score = with_worker(4, |w| {
            let node = root(w, board);
            Plain::pvs(w, node, -64, 64, node.empties)
        });
        let worst = Squares(board.legal_moves()).last().map_or(NO_MOVE, |square| square.index() as u8);
        let found = |best| Found {
            depth: board.empty_count(),
            selectivity: 5,
            alpha: score,
            beta: score + 1,
            score,
            best,
            nodes: 1,
        };
        for known in [None, Some(found(NO_MOVE)), Some(found(worst))] {
            for (proof, bound) in [(Proof::AtLeast, score), (Proof::AtLeast, score - 3), (Proof::AtMost, score + 2)] {
                let line = with_worker(4, |w| {
                    let node = root(w, board);
                    if let Some(known) = &known {
                        w.shared.table.store(hash(board.player, board.opponent), board.player, board.opponent, known);
                    }
                    principal_variation::<Plain>(w, node, bound, proof)
                });
                let (mut end, mut sign) = (board, 1);
                for square in line {
                    end = square.map_or(end.pass(), |square| end.play(square).expect("a legal line"));
                    sign = -sign;
                }
                let reached = sign * end.final_score();
                assert!(end.is_game_over(), "{board:x?} stops early: {proof:?} {bound}, {known:?}");
                let is_kept = if proof == Proof::AtLeast { reached >= bound } else { reached <= bound };
                assert!(is_kept, "{board:x?}: {reached} after {proof:?} {bound}, {known:?}");
            }
        }
    }
}

/// The exact score of a board, with nothing that ends the search early.
fn exact_task(board: Board) -> Task {
    Task {
        include: 0,
        board,
        moves: board.legal_moves(),
        goal: Goal::Exact,
        window: (-64, 64),
        multi_pv: 1,
        only_move_at_once: false,
        budget: None,
        start: Instant::now(),
    }
}

#[test]
fn searches_unpack_the_weights_they_value_positions_by() {
    let mut rng = StdRng::seed_from_u64(35);
    let parts_after = |task: &Task| {
        let weights = Arc::new(Weights::packed());
        let mut memory = Memory::new(&TableSlot::default(), 1, Tier::detect(), weights.clone()).unwrap();
        let control = Control { token: &StopToken::new(), nodes: None, threads: 2, sampler: None };
        let mut parts = Vec::new();
        memory.prepare_for(task).unwrap();
        parts.push(weights.ready_parts());
        memory.search(Rules::othello(), task, &control, &mut |_| {});
        parts.push(weights.ready_parts());
        parts
    };
    for empties in [4, 8, 11, 12] {
        for multi_pv in [1, 3] {
            let task = Task { multi_pv, ..exact_task(random_board(&mut rng, empties)) };
            assert_eq!(parts_after(&task), [0, 0], "{empties} empty squares, {multi_pv} lines");
        }
    }
    // all but the opening's, and the rows
    assert_eq!(parts_after(&exact_task(random_board(&mut rng, 14))), [3, 3]);
    let opening = |depth| Task { goal: Goal::Depth(depth, Selectivity::NONE), ..exact_task(Board::START) };
    assert_eq!(parts_after(&opening(6)), [2, 2]);
}

#[test]
fn a_small_solve_that_is_stopped_at_once_reports_what_the_evaluation_says() {
    let mut rng = StdRng::seed_from_u64(36);
    let weights = Weights::embedded();
    for _ in 0..20 {
        let board = random_board(&mut rng, 12);
        if board.legal_moves() == 0 {
            continue;
        }
        let mut memory = Memory::new(&TableSlot::default(), 1, Tier::detect(), weights.clone()).unwrap();
        let control = Control { token: &StopToken::new(), nodes: Some(1), threads: 1, sampler: None };
        let (iteration, stopped) = memory.search(Rules::othello(), &exact_task(board), &control, &mut |_| {});
        assert!(stopped && iteration.stage.depth == 0, "{board:x?}");
        let value = |child: Board| match child.is_game_over() {
            true => -child.final_score(),
            false => -weights.evaluate(child),
        };
        let best = Squares(board.legal_moves()).map(|square| value(board.play(square).unwrap())).max();
        assert_eq!(Some(iteration.lines[0].score), best, "{board:x?}");
    }
}

#[test]
fn without_threads_to_start_the_search_runs_on_those_it_has() {
    let mut rng = StdRng::seed_from_u64(33);
    let board = random_board(&mut rng, 17);
    let task = exact_task(board);
    let solve = |threads, can_start| {
        limit::set(can_start);
        let mut memory = Memory::new(&TableSlot::default(), 1, Tier::detect(), Weights::embedded()).unwrap();
        let control = Control { token: &StopToken::new(), nodes: None, threads, sampler: None };
        let (iteration, stopped) = memory.search(Rules::othello(), &task, &control, &mut |_| {});
        assert!(!stopped);
        (iteration.lines[0].score, limit::left())
    };
    let (score, _) = solve(1, 0);
    assert_eq!(solve(4, 0), (score, 0));
    assert_eq!(solve(4, 2), (score, 0));
    assert_eq!(solve(4, 9), (score, 6));
    limit::set(usize::MAX);
}

/// The sample of endgames that are solved through selective passes.
const SAMPLE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/endgames-21-24.obf"));

/// Proves a score by two full-width null windows: no selective pass, no entry of one in the table.
fn is_proved(board: Board, score: i32) -> bool {
    with_worker(64, |w| {
        let node = root(w, board);
        let at_most = score == 64 || Plain::nws(w, node, score, node.empties, false) <= score;
        at_most && (score == -64 || Plain::nws(w, node, score - 1, node.empties, true) >= score)
    })
}

/// `cargo test --lib the_sample_of_selective -- --ignored`
#[test]
#[ignore = "takes minutes"]
fn the_sample_of_selective_solves_is_proved() {
    for line in SAMPLE.lines().filter(|line| !line.starts_with('%')) {
        let set = |disc| (0..64).filter(|&i| line.as_bytes()[i] == disc).fold(0, |set, i| set | 1 << i);
        let (_, score) = line.rsplit_once(':').unwrap();
        let score = score.trim_end_matches(';').parse().unwrap();
        assert!(is_proved(Board::new(set(b'X'), set(b'O')).unwrap(), score), "{line}");
    }
}

/// Makes the sample: `cargo test --lib make_sample_of_selective -- --ignored --nocapture`.
#[test]
#[ignore = "prints the sample"]
fn make_sample_of_selective_solves() {
    let mut rng = StdRng::seed_from_u64(34);
    println!(
        "% Endgames of 21 to 24 empties: random openings, then the best move of a look at the mobility, every fourth at"
    );
    println!("% random. Scores proved by full-width null-window searches, without selective passes.");
    for i in 0..40 {
        let mut board = random_board(&mut rng, 46);
        while board.empty_count() > [21, 22, 21, 22, 21, 22, 21, 22, 23, 24][i % 10] && !board.is_game_over() {
            let moves = board.legal_moves();
            if moves == 0 {
                board = board.pass();
                continue;
            }
            let children = Squares(moves).map(|square| board.play(square).unwrap());
            let nth = rng.random_range(0..moves.count_ones()) as usize;
            board = match rng.random_range(0..4) {
                0 => children.into_iter().nth(nth).unwrap(),
                _ => children.min_by_key(|child| child.legal_moves().count_ones()).unwrap(),
            };
        }
        if board.legal_moves() == 0 {
            continue;
        }
        let mut memory = Memory::new(&TableSlot::default(), 64, Tier::detect(), Weights::embedded()).unwrap();
        let task = exact_task(board);
        let control = Control { token: &StopToken::new(), nodes: None, threads: 1, sampler: None };
        let (iteration, _) = memory.search(Rules::othello(), &task, &control, &mut |_| {});
        let line = &iteration.lines[0];
        assert!(is_proved(board, line.score), "{board:x?} {}", line.score);
        let disc = |i: u32| match (board.player >> i & 1, board.opponent >> i & 1) {
            (1, _) => 'X',
            (_, 1) => 'O',
            _ => '-',
        };
        let text: String = (0..64).map(disc).collect();
        println!("{text} X; {}:{:+};", line.square.unwrap(), line.score);
    }
}
