//! Batches, one job or several, interrupted or not.

use super::*;
use std::io::Cursor;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crate::formats::obf::Reader;
use crate::rules::RuleSet;
use crate::search::{Goal, Selectivity};

/// Twelve problems and two lines that are none: the third, and the last.
fn input() -> impl Iterator<Item = Numbered> {
    let text = include_str!("../../../tests/data/endgames.obf").lines().filter(|line| !line.starts_with('%'));
    let mut lines: Vec<&str> = text.collect();
    lines.insert(2, "nonsense");
    lines.push("XO");
    numbered(Reader::new(Cursor::new(lines.join("\n").into_bytes()), Arc::new(RuleSet::othello())))
}

fn batch(jobs: usize, goal: Goal) -> Batch {
    Batch {
        jobs,
        options: Options { hash_mib: 1, threads: 1 },
        weights: None,
        limits: Limits::new(goal),
        best_moves: false,
        stop: StopToken::new(),
        on_report: None,
    }
}

/// Number and score, none for a bad line.
fn results(batch: Batch, problems: impl Iterator<Item = Numbered> + Send + 'static) -> Vec<(u64, Option<i32>)> {
    let result = |event| match event {
        Event::Solved(solved) => (solved.number, Some(solved.report.score)),
        Event::BadLine { number, .. } | Event::Unsearched { number, .. } => (number, None),
        Event::Interrupted => (0, None),
    };
    batch.run(problems).unwrap().map(result).collect()
}

#[test]
fn results_come_in_the_order_of_the_input_with_any_number_of_jobs() {
    let one = results(batch(1, Goal::Exact), input());
    assert_eq!(one.iter().map(|result| result.0).collect::<Vec<_>>(), (1..=14).collect::<Vec<_>>());
    let bad: Vec<u64> = one.iter().filter(|result| result.1.is_none()).map(|result| result.0).collect();
    assert_eq!(bad, [3, 14]);
    for jobs in [2, 5] {
        assert_eq!(results(batch(jobs, Goal::Exact), input()), one, "{jobs} jobs");
    }
    // begun later
    assert_eq!(results(batch(3, Goal::Exact), input().skip(5)), one[5..]);
}

/// What is no proof is found by what is on the board alone: in any order and with any number of jobs the same, to the node.
#[test]
fn estimates_do_not_depend_on_other_problems() {
    let game = "f5d6c4g5f6f4g6f3e6e7d7c5e3f7c7d3c3";
    let lines: Vec<String> = (8..=17).map(|moves| game[..2 * moves].to_string()).collect();
    let found = |batch: Batch, lines: Vec<String>| {
        let text = Cursor::new(lines.join("\n").into_bytes());
        let problems = numbered(Reader::new(text, Arc::new(RuleSet::othello())).with_transcripts());
        let result = |event| match event {
            Event::Solved(solved) => {
                let report = &solved.report;
                (
                    solved.problem.position.to_string(),
                    report.score,
                    report.nodes,
                    report.best().map(|line| line.mv.to_string()),
                )
            }
            event => panic!("{event:?}"),
        };
        let mut found: Vec<_> = batch.run(problems).unwrap().map(result).collect();
        found.sort();
        found
    };
    let limited =
        |jobs| Batch { limits: Limits { nodes: Some(3000), ..Limits::new(Goal::Exact) }, ..batch(jobs, Goal::Exact) };
    let by_depth = |jobs| batch(jobs, Goal::Depth(5, Selectivity::NONE));
    for of in [&by_depth as &dyn Fn(usize) -> Batch, &limited] {
        let alone = lines.iter().flat_map(|line| found(of(1), vec![line.clone()]));
        let mut alone: Vec<_> = alone.collect();
        alone.sort();
        let reversed = lines.iter().rev().cloned().collect();
        assert_eq!(found(of(1), lines.clone()), alone);
        assert_eq!(found(of(1), reversed), alone, "from the last to the first");
        assert_eq!(found(of(3), lines.clone()), alone, "3 jobs");
    }
}

#[test]
fn a_deadline_cuts_searches_short_and_ends_no_batch() {
    let batch = batch(2, Goal::Exact);
    batch.stop.set_deadline(Instant::now(), Instant::now());
    let events: Vec<Event> = batch.run(input()).unwrap().collect();
    let cut = |event: &&Event| matches!(event, Event::Solved(solved) if solved.report.stopped);
    assert_eq!((events.len(), events.iter().filter(cut).count()), (14, 12));
    assert!(!events.iter().any(|event| matches!(event, Event::Interrupted)));
}

#[test]
fn results_are_heard_of_before_their_turn() {
    let heard = Arc::new(AtomicU64::new(0));
    let others = heard.clone();
    // the first position is not done before three others are
    let first_waits: OnReport = Arc::new(move |number, _| {
        let begun = Instant::now();
        while number == 1 && others.load(Ordering::Relaxed) < 3 && begun.elapsed() < Duration::from_secs(60) {
            thread::sleep(Duration::from_millis(5));
        }
    });
    let batch = |on_report| Batch { on_report, ..batch(2, Goal::Exact) };
    let mut events = batch(Some(first_waits)).run(input().take(6)).unwrap();
    let (mut order, mut turns) = (Vec::new(), Vec::new());
    let number = |event: &Event| match event {
        Event::Solved(solved) => solved.number,
        Event::BadLine { number, .. } | Event::Unsearched { number, .. } => *number,
        Event::Interrupted => 0,
    };
    let mut hear = |event: &Event| {
        order.push(number(event));
        heard.fetch_add(1, Ordering::Relaxed);
        Ok::<(), Infallible>(())
    };
    while let Ok(Some(event)) = events.next_hearing(&mut hear) {
        turns.push(number(&event));
    }
    assert_eq!(turns, [1, 2, 3, 4, 5, 6]);
    assert!(order.iter().position(|&number| number == 1) >= Some(3), "{order:?}");
    order.sort_unstable();
    assert_eq!(order, turns, "each of them once");
    // what cannot be saved is told at once
    let mut events = batch(None).run(input()).unwrap();
    assert_eq!(events.next_hearing(&mut |_| Err("the disc is full")).err(), Some("the disc is full"));
}

#[test]
fn several_inputs_are_one_with_lines_of_their_own() {
    let reader = |text: &'static str| Reader::new(text.as_bytes(), Arc::new(RuleSet::othello()));
    let inputs = [reader("% nothing\n"), reader("a\nb\n"), reader("% first\nc\n")];
    let found: Vec<_> = numbered_all(inputs).map(|one| (one.number, one.source, one.line)).collect();
    assert_eq!(found, [(1, 1, 1), (2, 1, 2), (3, 2, 2)]);
}

#[test]
fn problems_are_read_when_a_job_is_free() {
    let read = Arc::new(AtomicU64::new(0));
    let count = read.clone();
    let endless = (1..).flat_map(|_| input()).inspect(move |_| {
        count.fetch_add(1, Ordering::Relaxed);
    });
    let mut events = batch(2, Goal::Depth(1, Selectivity::NONE)).run(endless).unwrap();
    assert_eq!(events.by_ref().take(30).count(), 30);
    // those waiting for their turn, and one a job
    let waiting = events.waiting.len() as u64;
    drop(events);
    assert!(read.load(Ordering::Relaxed) >= 30 + waiting);
    // the threads end: nobody listens any more
    let mut last = u64::MAX;
    while last != read.load(Ordering::Relaxed) {
        last = read.load(Ordering::Relaxed);
        thread::sleep(Duration::from_millis(100));
    }
}

/// Who reads slowly holds the jobs back; so does a position that takes long.
#[test]
fn nobody_works_far_ahead() {
    let read = Arc::new(AtomicU64::new(0));
    let endless = |read: &Arc<AtomicU64>| {
        let read = read.clone();
        let count = move |_: &Numbered| _ = read.fetch_add(1, Ordering::Relaxed);
        (1..).zip((1..).flat_map(|_| input())).map(|(number, one)| Numbered { number, ..one }).inspect(count)
    };
    // until nothing more is read, which without a limit does not come
    let rests = |most: u64| {
        let mut last = u64::MAX;
        while last != read.load(Ordering::Relaxed) && read.load(Ordering::Relaxed) <= most {
            last = read.load(Ordering::Relaxed);
            thread::sleep(Duration::from_millis(200));
        }
        assert_eq!(read.load(Ordering::Relaxed), most);
    };
    let fast = batch(2, Goal::Depth(1, Selectivity::NONE));
    let mut events = fast.clone().run(endless(&read)).unwrap();
    assert!(events.by_ref().take(5).count() == 5);
    rests(5 + 2 * AHEAD);
    // and goes on when they are taken
    assert_eq!(events.by_ref().take(100).count(), 100);
    rests(105 + 2 * AHEAD);
    drop(events);
    read.store(0, Ordering::Relaxed);
    let is_held = Arc::new(AtomicU64::new(1));
    let held = is_held.clone();
    let first_waits: OnReport = Arc::new(move |number, _| {
        while number == 1 && held.load(Ordering::Relaxed) > 0 {
            thread::sleep(Duration::from_millis(5));
        }
    });
    let mut events = Batch { on_report: Some(first_waits), ..fast }.run(endless(&read)).unwrap();
    let reader = thread::spawn(move || events.by_ref().take(60).count());
    rests(2 * AHEAD);
    is_held.store(0, Ordering::Relaxed);
    assert_eq!(reader.join().unwrap(), 60);
}

#[test]
fn a_stop_is_heard_at_once_and_keeps_what_is_solved() {
    // the second position is not solved in a human life
    let start = "---------------------------OX------XO--------------------------- X";
    let start = numbered(Reader::new(Cursor::new(start.as_bytes().to_vec()), Arc::new(RuleSet::othello())));
    let problems: Vec<Numbered> = input().take(1).chain(start).chain(input().skip(5)).collect();
    let batch = batch(2, Goal::Exact);
    let stop = batch.stop.clone();
    let mut events = batch.run(problems.into_iter()).unwrap();
    assert!(matches!(events.next(), Some(Event::Solved(_))));
    // the others are solved meanwhile, out of turn
    let stopper = thread::spawn(move || {
        thread::sleep(Duration::from_millis(500));
        stop.stop();
        Instant::now()
    });
    let rest: Vec<Event> = events.collect();
    assert!(stopper.join().unwrap().elapsed() < Duration::from_secs(2));
    assert!(matches!(rest.last(), Some(Event::Interrupted)));
    assert!(rest.iter().any(|event| matches!(event, Event::Solved(_))), "{rest:?}");
}

#[test]
fn jobs_have_a_limit_and_searches_are_checked() {
    for jobs in [0, MAX_JOBS + 1, usize::MAX] {
        assert!(matches!(batch(jobs, Goal::Exact).run(input()), Err(JobsError::Number(_))), "{jobs}");
    }
    let wrong = Batch { limits: Limits { window: (3, 3), ..Limits::new(Goal::Exact) }, ..batch(1, Goal::Exact) };
    assert!(matches!(wrong.run(input()).unwrap().next(), Some(Event::Unsearched { number: 1, .. })));
}

/// What is left out because of a panic does not pass for the end.
#[test]
fn a_panic_is_told_to_who_hears_the_events() {
    for jobs in [1, 3] {
        let problems = input().inspect(|problem| assert!(problem.number < 4, "on purpose"));
        let hear = || results(batch(jobs, Goal::Exact), problems);
        assert!(panic::catch_unwind(AssertUnwindSafe(hear)).is_err(), "{jobs} jobs");
    }
}
