//! Choosing, thinking on the opponent's time, and the answers given in the background.

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::*;
use crate::board::Board;
use crate::book::node::{Leaf, Node, Origin};
use crate::book::{Book, Choosing};
use crate::engine::{Engine, Options};
use crate::formats::transcript;
use crate::game::Game;
use crate::rules::{Color, Move, Position, RuleSet};
use crate::search::{Goal, Level, Limits, Source, StopToken, Time};

fn options(level: u8) -> PlayerOptions {
    PlayerOptions { strength: Strength::level(Level::new(level).unwrap()), ..PlayerOptions::default() }
}

fn player(game: Game, options: PlayerOptions) -> Player {
    Player::new(Engine::new(Options { hash_mib: 1, threads: 1 }), game, options)
}

fn game(moves: &str) -> Game {
    transcript::parse(&Position::default(), moves).unwrap()
}

fn choose(player: &mut Player) -> Choice {
    player.choose(&mut |_| {}).unwrap()
}

/// A position where the side to move must pass, the game not being over.
fn stuck() -> Position {
    let rules = Arc::new(RuleSet::othello());
    let text = "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXO- X";
    let position = crate::formats::board_text::parse(text, &rules).unwrap();
    if position.must_pass() { position } else { position.with_side(Color::White) }
}

#[test]
fn a_choice_is_the_engines_best_move() {
    let mut player = player(game("f5d6c3"), options(6));
    let choice = choose(&mut player);
    let limits = Limits::new(Goal::Level(Level::new(6).unwrap()));
    let mut engine = Engine::new(Options { hash_mib: 1, threads: 1 });
    let report = engine.search(player.position(), &limits, &StopToken::new(), &mut |_| {}).unwrap();
    assert_eq!((choice.mv, choice.source), (report.best().unwrap().mv, Source::Search));
    assert_eq!(choice.report.unwrap().nodes, report.nodes);
    assert_eq!(player.game().moves().len(), 3, "choosing plays nothing");
}

#[test]
fn the_source_says_why() {
    let mut forced = player(Game::from_position(stuck()), options(6));
    let choice = choose(&mut forced);
    assert_eq!((choice.mv, choice.source), (Move::Pass, Source::Forced));
    assert!(choice.report.is_none());
    // a position of a random game with one move
    let mut game = Game::default();
    let mut n = 5usize;
    loop {
        let moves = game.position().legal_moves();
        if moves.len() == 1 && moves[0] != Move::Pass {
            break;
        }
        n = (n * 31 + 7) % 1009;
        match moves.get(n % moves.len().max(1)) {
            Some(&mv) => game.play(mv).unwrap(),
            None => game = Game::default(),
        }
    }
    let only = game.position().legal_moves()[0];
    let choice = choose(&mut player(game, options(2)));
    assert_eq!((choice.mv, choice.source), (only, Source::OnlyMove));
    assert_eq!(choice.report.unwrap().source, Source::OnlyMove);
}

/// A book of the start and of f5, which say that these moves are best.
fn book(moves: &[(&str, i8)]) -> OpeningBook {
    let start = Board::START;
    let f5 = start.play("f5".parse().unwrap()).unwrap().canonical();
    let mut nodes: Book = [start, f5].into_iter().map(|board| Node::new(board, Origin::Outflank)).collect();
    for (mv, score) in moves {
        let square = mv.parse().unwrap();
        let board = if start.play(square).is_some() { start } else { f5 };
        let mut node = *nodes.get(&board).unwrap();
        node.set_leaf(Leaf::Move { square, score: *score }, 16);
        (node.value, node.lower, node.upper) = (*score, *score, *score);
        nodes.put(node);
    }
    OpeningBook { nodes: Arc::new(nodes), choosing: Choosing::BEST, seed: 0 }
}

#[test]
fn a_book_is_asked_first() {
    let mut player = player(Game::default(), options(1));
    player.set_book(Some(book(&[("f6", -2)])));
    // f5 leads to the other position of the book, with its four images
    let choice = choose(&mut player);
    assert_eq!(choice.source, Source::Book);
    let report = choice.report.unwrap();
    assert_eq!((report.source, report.score, report.depth), (Source::Book, 2, 0));
    player.play(choice.mv).unwrap();
    let choice = choose(&mut player);
    assert_eq!((choice.source, choice.report.unwrap().score), (Source::Book, -2));
    player.play(choice.mv).unwrap();
    assert_eq!(choose(&mut player).source, Source::Search, "the book has no more");
}

#[test]
fn a_closed_book_is_not_asked() {
    let mut player = player(game("f5"), options(1));
    player.set_book(Some(book(&[("f6", -2)])));
    player.use_book(false);
    assert!(player.open_book().is_none());
    assert_eq!(choose(&mut player).source, Source::Search);
    player.use_book(true);
    assert_eq!(choose(&mut player).source, Source::Book);
    player.set_strength(Strength::level(Level::new(0).unwrap()));
    assert_eq!(choose(&mut player).source, Source::Search, "the lowest level knows nothing");
    player.set_strength(Strength::level(Level::new(1).unwrap()));
    player.set_game(Game::new(Arc::new("othello:fewest".parse().unwrap())));
    assert!(player.open_book().is_none(), "another game");
    player.set_game(Game::new(Arc::new("reveris".parse().unwrap())));
    assert!(player.open_book().is_some());
}

#[test]
fn book_moves_keep_the_thread_of_pondering() {
    let mut player = player(Game::default(), PlayerOptions { ponder: true, ..options(4) });
    player.set_book(Some(book(&[("f6", -2)])));
    let choice = choose(&mut player);
    player.play(choice.mv).unwrap();
    player.ponder();
    // the book's line names the reply that is expected
    assert!(player.is_pondering() && player.expected_reply().is_some());
    player.stop();
}

#[test]
fn variety_makes_games_differ_and_a_seed_repeats_them() {
    let first_moves = |seed| -> String {
        let variety = Some(Variety { seed, discs: 3, plies: 12 });
        let mut player = player(Game::default(), PlayerOptions { variety, ..options(2) });
        (0..8)
            .map(|_| {
                let mv = choose(&mut player).mv;
                player.play(mv).unwrap();
                mv.to_string()
            })
            .collect()
    };
    let games: std::collections::HashSet<String> = (0..6).map(first_moves).collect();
    assert!(games.len() > 3, "{games:?}");
    assert_eq!(first_moves(3), first_moves(3));
}

/// Whatever discs are on the board when the game begins: eight with four corners, none where the players place the first ones.
#[test]
fn variety_ends_after_so_many_placements() {
    let options = PlayerOptions { variety: Some(Variety { plies: 3, ..Variety::default() }), ..options(1) };
    for rules in ["othello", "handicap:4", "othello:placement", "octagon"] {
        let mut player = player(Game::new(Arc::new(rules.parse().unwrap())), options.clone());
        for placements in 0..5 {
            assert_eq!(player.move_limits().multi_pv > 1, placements < 3, "{rules}: {placements}");
            let mv = player.position().legal_moves()[0];
            player.play(mv).unwrap();
        }
    }
}

#[test]
fn variety_without_bounds_is_that_of_all_candidates() {
    let variety = Some(Variety { discs: u32::MAX, plies: u32::MAX, seed: 0 });
    let mut player = player(game("f5d6c3"), PlayerOptions { variety, ..options(1) });
    let moves: std::collections::HashSet<Move> = (0..40).map(|_| choose(&mut player).mv).collect();
    assert_eq!(moves.len(), player.position().legal_moves().len(), "{moves:?}");
}

/// A player that has just moved at level 6 and ponders with these options, and the reply it expects.
fn pondering(options: PlayerOptions) -> (Player, Move) {
    let strength = options.strength.clone();
    let level = Strength::level(Level::new(6).unwrap());
    let mut player = player(game("f5d6c3d3c4"), PlayerOptions { ponder: true, strength: level, ..options });
    let choice = choose(&mut player);
    let reply = choice.report.unwrap().lines[0].pv[1];
    player.play(choice.mv).unwrap();
    player.set_strength(strength);
    player.ponder();
    assert!(player.is_pondering() && !player.is_working());
    (player, reply)
}

#[test]
fn a_hit_keeps_the_work() {
    let (mut player, reply) = pondering(options(12));
    player.play(reply).unwrap();
    assert!(player.is_pondering());
    let expected = player.position().clone();
    let choice = choose(&mut player);
    assert_eq!(player.ponder_counts(), PonderCounts { hits: 1, misses: 0 });
    assert!(!player.is_pondering());
    // the same search as without pondering, table and all
    let report = choice.report.unwrap();
    assert!(report.depth == 12 && expected.legal_moves().contains(&choice.mv), "{report:?}");
}

#[test]
fn a_miss_stops_at_once_and_loses_nothing() {
    let (mut player, reply) = pondering(options(60));
    let other = player.position().legal_moves().into_iter().find(|mv| *mv != reply).unwrap();
    let start = Instant::now();
    player.play(other).unwrap();
    let cost = start.elapsed();
    assert!(!player.is_pondering());
    assert_eq!(player.ponder_counts(), PonderCounts { hits: 0, misses: 1 });
    // 5 ms on an idle machine; tests share theirs
    assert!(cost < Duration::from_millis(250), "{cost:?}");
    player.set_strength(Strength::level(Level::new(4).unwrap()));
    assert_eq!(choose(&mut player).source, Source::Search);
}

#[test]
fn a_hit_obeys_the_clock_from_then_on() {
    let mut options = options(60);
    options.overhead = Overhead::NONE;
    options.strength.goal = None;
    let mut player = player(game("f5d6c3d3c4"), PlayerOptions { ponder: true, ..options });
    player.set_time_control(TimeControl::PerMove(Duration::from_millis(150)));
    let choice = choose(&mut player);
    let reply = choice.report.unwrap().lines[0].pv[1];
    player.play(choice.mv).unwrap();
    player.ponder();
    std::thread::sleep(Duration::from_millis(400));
    player.play(reply).unwrap();
    let start = Instant::now();
    let choice = choose(&mut player);
    let used = start.elapsed();
    assert_eq!(player.ponder_counts().hits, 1);
    assert!(used > Duration::from_millis(100) && used < Duration::from_millis(600), "{used:?}");
    let searched = choice.report.unwrap().elapsed;
    assert!(searched > Duration::from_millis(480), "the opponent's time counts: {searched:?}");
}

/// The search under way would go on to the end of an iteration, or for all of the time.
#[test]
fn a_hit_with_one_move_costs_no_time() {
    let start = game("d3c5d6c7f5g5g6g7h7e3g8");
    let mut player = player(start, PlayerOptions { ponder: true, ..options(10) });
    player.set_time_control(TimeControl::PerMove(Duration::from_secs(100)));
    let choice = choose(&mut player);
    let reply = choice.report.unwrap().lines[0].pv[1];
    player.play(choice.mv).unwrap();
    player.set_strength(Strength::default());
    player.ponder();
    assert!(player.is_pondering());
    player.play(reply).unwrap();
    assert_eq!(player.position().legal_moves().len(), 1);
    std::thread::sleep(Duration::from_millis(300));
    let choice = choose(&mut player);
    assert_eq!((choice.source, player.ponder_counts().hits), (Source::OnlyMove, 1));
    assert!(choice.report.unwrap().stopped, "not at the end of an iteration");
}

/// What is searched on the opponent's time is what is searched for a move, but for the time.
#[test]
fn a_hit_is_searched_as_a_move_is() {
    for control in [TimeControl::None, TimeControl::PerMove(Duration::from_secs(9))] {
        for variety in [None, Some(Variety { discs: 1, plies: 12, seed: 1 })] {
            let mut player = player(game("f5d6c3d3c4"), PlayerOptions { ponder: true, variety, ..options(6) });
            player.set_time_control(control);
            let limits = player.ponder_limits(player.position());
            assert_eq!(limits, Limits { time: Time::Unlimited, ..player.move_limits() }, "{control} {variety:?}");
        }
    }
}

/// A search for a clock has no depth: without the clock it must not be waited for.
#[test]
fn a_hit_after_the_clock_is_switched_off_is_searched_anew() {
    let timed = |time: u64| {
        let mut player = player(game("f5d6c3d3c4"), PlayerOptions { ponder: true, ..options(6) });
        player.set_time_control(TimeControl::PerMove(Duration::from_secs(time)));
        let choice = choose(&mut player);
        player.play(choice.mv).unwrap();
        player.set_strength(Strength::default());
        player.ponder();
        assert!(player.is_pondering());
        (player, choice.report.unwrap().lines[0].pv[1])
    };
    let (mut player, reply) = timed(9);
    player.set_time_control(TimeControl::PerMove(Duration::from_secs(8)));
    assert!(player.is_pondering(), "another time, but the same search");
    player.set_time_control(TimeControl::None);
    assert!(!player.is_pondering());
    player.play(reply).unwrap();
    assert!(!player.is_pondering());
    // somebody else's clock may change at any time
    let (mut player, reply) = timed(9);
    player.play(reply).unwrap();
    assert!(player.is_pondering());
    player.set_clock(player.position().side_to_move(), RunningClock::new(TimeControl::None));
    let stop = player.stop_token();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(120));
        stop.stop();
    });
    assert!(!choose(&mut player).report.unwrap().stopped);
}

#[test]
fn an_interrupt_ends_the_wait_for_a_hit() {
    let (mut player, reply) = pondering(options(60));
    player.play(reply).unwrap();
    let stop = player.stop_token();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            stop.stop();
        });
        let choice = choose(&mut player);
        assert!(choice.report.unwrap().stopped);
    });
}

#[test]
fn other_changes_of_the_game_end_pondering() {
    let (mut player, _) = pondering(options(60));
    player.undo();
    assert!(!player.is_pondering());
    let (mut player, _) = pondering(options(60));
    player.set_game(player.game().clone());
    assert!(player.is_pondering(), "nothing has changed");
    player.set_game(Game::default());
    assert!(!player.is_pondering());
    let (mut player, _) = pondering(options(60));
    player.set_ponder(false);
    assert!(!player.is_pondering());
}

/// Whoever asks for something else meanwhile, or sets another strength, does not end it for the rest of the opponent's time.
#[test]
fn pondering_goes_on_after_other_work() {
    let (mut player, reply) = pondering(options(60));
    let others: [fn(&mut Player); 3] = [
        |player| assert_eq!(player.engine().options().threads, 1),
        |player| player.work(|_, _| Ok(())),
        |player| player.set_strength(Strength::level(Level::new(59).unwrap())),
    ];
    for other in others {
        other(&mut player);
        player.finish().unwrap();
        assert!(!player.is_pondering());
        player.ponder();
        assert_eq!(player.expected_reply(), Some(reply));
    }
}

#[test]
fn without_a_limit_there_is_nothing_to_think_about_for_ever() {
    let mut options = options(1);
    options.strength.goal = Some(Goal::Unlimited);
    options.strength.nodes = None;
    let mut player = player(game("f5d6c3d3c4"), PlayerOptions { ponder: true, ..options });
    player.options().stop.stop();
    let choice = choose(&mut player);
    player.play(choice.mv).unwrap();
    player.ponder();
    assert!(!player.is_pondering());
}

#[test]
fn answers_come_in_the_background() {
    let (sender, answers) = channel();
    let reports = Arc::new(Mutex::new(0));
    let mut player = player(game("f5"), options(8));
    let counted = Arc::clone(&reports);
    player.start(
        Box::new(move |_| {
            *counted.lock().unwrap() += 1;
            Ok(())
        }),
        move |choice| {
            sender.send(choice.unwrap().mv).unwrap();
            Ok(())
        },
    );
    player.finish().unwrap();
    let mv = answers.recv().unwrap();
    assert!(player.position().legal_moves().contains(&mv) && *reports.lock().unwrap() > 1);
}

/// Who wants the engine, or another choice, does not wait for a search that may never end.
#[test]
fn a_search_that_was_started_is_stopped_for_what_comes_next() {
    let endless = || {
        let mut options = options(1);
        options.strength.goal = Some(Goal::Unlimited);
        let (sender, answers) = channel();
        let mut player = player(game("f5"), options);
        player.start(Box::new(|_| Ok(())), move |choice| {
            sender.send(choice.unwrap().mv).unwrap();
            Ok(())
        });
        assert!(player.is_working());
        (player, answers)
    };
    let next: [fn(&mut Player); 4] = [
        |player| assert_eq!(player.engine().options().threads, 1),
        Player::forget,
        |player| {
            player.set_strength(Strength::default());
            player.set_book(Some(book(&[("f6", -2)])));
            assert_eq!(choose(player).source, Source::Book);
        },
        |player| {
            player.set_strength(Strength::level(Level::new(1).unwrap()));
            choose(player);
        },
    ];
    for next in next {
        let (mut player, answers) = endless();
        next(&mut player);
        assert!(!player.is_working());
        assert!(player.position().legal_moves().contains(&answers.recv().unwrap()), "it has been answered");
        player.finish().unwrap();
    }
}

#[test]
fn output_that_fails_stops_the_search_and_is_told() {
    let mut player = player(Game::default(), options(60));
    player.start(Box::new(|_| Err(std::io::ErrorKind::BrokenPipe.into())), |_| panic!("nobody listens"));
    let start = Instant::now();
    assert_eq!(player.finish().unwrap_err().kind(), std::io::ErrorKind::BrokenPipe);
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn clocks_limit_choices_and_prepare_the_engine() {
    let mut options = options(1);
    options.strength.goal = None;
    for rules in ["othello", "othello:10x10"] {
        let game = Game::new(Arc::new(rules.parse().unwrap()));
        let mut player = player(game, options.clone());
        player.set_time_control(TimeControl::PerMove(Duration::from_millis(60)));
        let start = Instant::now();
        choose(&mut player);
        let used = start.elapsed();
        assert!(used > Duration::from_millis(40) && used < Duration::from_millis(400), "{rules}: {used:?}");
        player.spend(Color::Black, used);
        assert!(player.clocks().is_running(Color::White));
    }
}
