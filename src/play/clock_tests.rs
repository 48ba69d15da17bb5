//! What clocks say, move by move.

use super::*;
use crate::time::Instant;

fn s(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

fn clocks(main: f64, period: f64, moves: u32) -> Clocks {
    Clocks::new(TimeControl::from_gtp(s(main), s(period), moves))
}

/// The time for a move of black, without overhead.
fn time(clocks: &Clocks) -> Time {
    clocks.of(Color::Black).time(Overhead::NONE, 30)
}

#[test]
fn text_round_trip() {
    for text in ["60", "60+0.5", "0+30/10", "120+30/10", "0+1"] {
        assert_eq!(text.parse::<TimeControl>().unwrap().to_string(), text);
    }
    for (text, same) in [("10:00", "600"), ("1:00+5", "60+5"), ("1:00:00+0:30/10", "3600+30/10"), ("0:00+5", "0+5")] {
        assert_eq!(text.parse::<TimeControl>(), same.parse());
    }
    for bad in [
        "",
        "0",
        "x",
        "1:",
        "0:00",
        "1:2:3:4",
        "300:00:00",
        "1:00+",
        "60+",
        "60+x",
        "60+30/0",
        "60+0/5",
        "60+30/x",
        "-1",
        "nan",
        "inf",
        "60/5",
    ] {
        assert!(bad.parse::<TimeControl>().is_err(), "{bad}");
    }
}

#[test]
fn the_dialects_of_time_settings() {
    let control = |main, period, moves| TimeControl::from_gtp(s(main), s(period), moves);
    let zero = Duration::ZERO;
    assert_eq!(control(600.0, 0.0, 0), TimeControl::Game { main: s(600.0), increment: zero });
    assert_eq!(control(300.0, 0.0, 25), TimeControl::Game { main: s(300.0), increment: zero });
    assert_eq!(control(60.0, 2.0, 0), TimeControl::Game { main: s(60.0), increment: s(2.0) });
    assert_eq!(control(0.0, 15.0, 1), TimeControl::PerMove(s(15.0)));
    assert_eq!(control(0.0, 5.0, 0), TimeControl::PerMove(s(5.0)));
    assert_eq!(control(0.0, 300.0, 10), TimeControl::Canadian { main: zero, period: s(300.0), moves: 10 });
    assert_eq!(control(0.0, 0.0, 0), TimeControl::None);
    for (main, period, moves) in [(600.0, 0.0, 0), (60.0, 2.0, 0), (0.0, 15.0, 1), (10.0, 300.0, 10)] {
        let control = control(main, period, moves);
        let (main, period, moves) = control.to_gtp().unwrap();
        assert_eq!(TimeControl::from_gtp(main, period, moves), control);
    }
    // an increment and no main time: the first move lives on an increment, and what is left over is kept
    let control: TimeControl = "0+0.5".parse().unwrap();
    let (main, period, moves) = control.to_gtp().unwrap();
    let [mut sent, mut kept] = [TimeControl::from_gtp(main, period, moves), control].map(RunningClock::new);
    for used in [0.25, 0.125, 0.0] {
        assert_eq!(sent.limit(), kept.limit());
        assert_eq!(sent.time(Overhead::NONE, 30), kept.time(Overhead::NONE, 30));
        sent.spend(s(used));
        kept.spend(s(used));
    }
    assert_eq!(sent.limit(), Some(s(1.625)));
}

#[test]
fn seconds_are_never_refused_for_their_size() {
    assert_eq!(client_seconds("0.5"), Some(s(0.5)));
    assert_eq!(client_seconds("-3"), Some(Duration::ZERO));
    assert_eq!(client_seconds("inf"), client_seconds("1e300"));
    assert!(client_seconds("x").is_none() && client_seconds("NaN").is_none() && client_seconds("").is_none());
}

#[test]
fn sudden_death_runs_down() {
    let mut clocks = clocks(10.0, 0.0, 0);
    clocks.spend(Color::Black, s(4.0));
    assert_eq!(time(&clocks), Time::Clock(Clock::new(s(6.0))));
    assert_eq!(clocks.of(Color::White).remaining(), Some(s(10.0)));
    clocks.spend(Color::Black, s(7.0));
    assert_eq!(clocks.of(Color::Black).limit(), Some(Duration::ZERO));
    clocks.restart();
    assert_eq!(clocks.of(Color::Black).limit(), Some(s(10.0)));
}

#[test]
fn increments() {
    let mut clock = RunningClock::new("10+2".parse().unwrap());
    assert_eq!(clock.limit(), Some(s(10.0)));
    clock.spend(s(5.0));
    assert_eq!(clock.limit(), Some(s(7.0)));
    assert_eq!(clock.time(Overhead::NONE, 30), Time::Clock(Clock { increment: s(2.0), ..Clock::new(s(7.0)) }));
    clock.spend(s(7.5));
    assert_eq!(clock.limit(), Some(s(2.0)), "an overrun within the margin costs no more than all");
    assert_eq!(RunningClock::new("0+1".parse().unwrap()).limit(), Some(s(1.0)));
}

/// What passes between a player's moves is missing at the next one, and only there where each has a time of its own.
#[test]
fn time_passes_without_a_move() {
    let after = |control: &str, passed: f64| {
        let mut clock = RunningClock::new(control.parse().unwrap());
        clock.run(s(passed));
        let missing = clock.limit();
        clock.spend(s(1.0));
        (missing, clock.limit(), clock.moves())
    };
    assert_eq!(after("10+2", 4.0), (Some(s(6.0)), Some(s(7.0)), None));
    assert_eq!(after("0+30/3", 4.0), (Some(s(26.0)), Some(s(25.0)), Some(2)));
    assert_eq!(after("10+30/3", 4.0), (Some(s(36.0)), Some(s(35.0)), None));
    assert_eq!(after("10+30/3", 12.0), (Some(s(28.0)), Some(s(27.0)), Some(2)));
    let mut clock = RunningClock::new(TimeControl::PerMove(s(5.0)));
    clock.run(s(2.0));
    assert_eq!(clock.limit(), Some(s(3.0)));
    clock.spend(s(1.0));
    assert_eq!(clock.limit(), Some(s(5.0)));
    let mut clock = RunningClock::new(TimeControl::None);
    clock.run(s(2.0));
    assert_eq!(clock.limit(), None);
}

#[test]
fn time_for_each_move_stays_the_same() {
    let mut clocks = clocks(0.0, 15.0, 1);
    for _ in 0..3 {
        assert_eq!(time(&clocks), Time::PerMove(s(15.0)));
        clocks.set(Color::Black, s(15.0), 1);
        assert_eq!(time(&clocks), Time::PerMove(s(15.0)));
        clocks.spend(Color::Black, s(14.0));
    }
    let mut clock = RunningClock::new(TimeControl::PerMove(s(1.0)));
    clock.spend(s(0.9));
    assert_eq!(clock.limit(), Some(s(1.0)));
}

#[test]
fn canadian_periods_count_down_and_renew() {
    let mut clocks = clocks(0.0, 30.0, 3);
    let times: Vec<Time> = (0..4)
        .map(|_| {
            let now = time(&clocks);
            clocks.spend(Color::Black, s(5.0));
            now
        })
        .collect();
    let period = |left: f64, moves| Time::Clock(Clock { moves: Some(moves), ..Clock::new(s(left)) });
    assert_eq!(times, [period(30.0, 3), period(25.0, 2), Time::PerMove(s(20.0)), period(30.0, 3)]);
}

#[test]
fn main_time_runs_into_overtime() {
    let mut clock = RunningClock::new("10+6/2".parse().unwrap());
    assert_eq!(clock.limit(), Some(s(16.0)));
    clock.spend(s(4.0));
    assert_eq!(clock.limit(), Some(s(12.0)));
    let overtime = Some(Overtime { period: s(6.0), moves: 2 });
    assert_eq!(clock.time(Overhead::NONE, 30), Time::Clock(Clock { overtime, ..Clock::new(s(6.0)) }));
    clock.spend(s(8.0)); // 2 s into the period, which has one move left
    assert_eq!((clock.limit(), clock.moves()), (Some(s(4.0)), Some(1)));
    assert_eq!(clock.time(Overhead::NONE, 30), Time::PerMove(s(4.0)));
    clock.spend(s(3.0));
    assert_eq!((clock.limit(), clock.moves()), (Some(s(6.0)), Some(2)));
}

#[test]
fn main_time_that_is_gone_leaves_the_period() {
    let mut clocks = clocks(2.0, 30.0, 1);
    clocks.set(Color::Black, Duration::ZERO, 0);
    let Time::Clock(clock) = time(&clocks) else { panic!("{:?}", time(&clocks)) };
    assert_eq!((clock.remaining, clock.overtime.unwrap().period), (Duration::ZERO, s(30.0)));
    assert_eq!(clocks.of(Color::Black).limit(), Some(s(30.0)));
}

#[test]
fn a_clients_report_replaces_our_own_count() {
    let mut clocks = Clocks::default();
    assert_eq!(time(&clocks), Time::Unlimited);
    assert!(!clocks.is_running(Color::Black));
    clocks.set(Color::Black, Duration::ZERO, 0);
    assert_eq!(time(&clocks), Time::Clock(Clock::new(Duration::ZERO)));
    clocks.set(Color::Black, s(20.0), 0);
    // half a second that may be rounded away, 50 ms for this move, 10 ms for each of the others
    let of_pipe = clocks.of(Color::Black).time(Overhead::PIPE, 30);
    assert_eq!(of_pipe, Time::Clock(Clock::new(s(20.0 - 0.5 - 0.05 - 0.29))));
    clocks.set(Color::Black, s(1.0), 0);
    let Time::Clock(clock) = clocks.of(Color::Black).time(Overhead::PIPE, 1) else { panic!() };
    assert_eq!(clock.remaining, s(0.45));
}

#[test]
fn of_times_that_are_lost_an_eighth_at_most_is_kept_back() {
    for (limit, left) in [(0.02, 0.0175), (0.05, 0.04375), (0.1, 0.0875), (0.2, 0.175), (1.0, 0.95), (15.0, 14.95)] {
        let clock = RunningClock::new(TimeControl::PerMove(s(limit)));
        assert_eq!(clock.time(Overhead::PIPE, 30), Time::PerMove(s(left)));
        assert_eq!(clock.limit(), Some(s(limit)), "the referee gives all of it");
    }
    // a period is kept back for once, and to its end: 188 of 200 ms a move
    let period = RunningClock::new("0+1/5".parse().unwrap()).time(Overhead::THREAD, 30);
    assert_eq!(period, Time::Clock(Clock { moves: Some(5), ..Clock::new(s(0.94)) }));
    let mut last = RunningClock::new("0+1/2".parse().unwrap());
    last.spend(s(0.9));
    assert_eq!(last.time(Overhead::THREAD, 30), Time::PerMove(s(0.1 - 0.04)));
    let mut last = RunningClock::new("0+1/2".parse().unwrap());
    last.spend(s(0.98));
    assert_eq!(last.time(Overhead::THREAD, 30), Time::PerMove(s(0.005)), "a quarter is there in any case");
}

#[test]
fn of_a_game_the_moves_to_come_are_kept_back() {
    let left = |text: &str, overhead, to_play| match RunningClock::new(text.parse().unwrap()).time(overhead, to_play) {
        Time::Clock(clock) => (clock.remaining, clock.increment),
        time => panic!("{time:?}"),
    };
    assert_eq!(left("1", Overhead::THREAD, 30), (s(1.0 - 0.035 - 30.0 * 0.005), Duration::ZERO));
    assert_eq!(left("1", Overhead::THREAD, 9), (s(1.0 - 0.035 - 9.0 * 0.005), Duration::ZERO));
    assert_eq!(left("1", Overhead::THREAD, 0), (s(1.0 - 0.035 - 0.005), Duration::ZERO));
    assert_eq!(left("1", Overhead::PIPE, 30), (s(1.0 - 0.04 - 30.0 * 0.01), Duration::ZERO));
    // an increment pays for its move
    assert_eq!(left("2+0.05", Overhead::THREAD, 30), (s(2.0 - 0.04), s(0.045)));
    assert_eq!(left("2+0.004", Overhead::PIPE, 31), (s(2.0 - 0.05 - 30.0 * 0.006), Duration::ZERO));
    // too little for that: as quick as can be
    assert_eq!(left("0.3", Overhead::PIPE, 30), (Duration::ZERO, Duration::ZERO));
}

/// The clocks of `tests/clock_matrix.rs`.
fn all_clocks() -> Vec<TimeControl> {
    let per_move = [0.05, 0.1, 0.2].map(|time| TimeControl::PerMove(s(time)));
    let others = [
        "1", "2", "5", "1+0.1", "2+0.05", "0+0.1", "0+0.2", "0+1/5", "0+2/10", "0.5+1/5", "1+0.2/1", "2+0.1/1",
        "1+0.5/3", "3+1/10",
    ];
    per_move.into_iter().chain(others.map(|text| text.parse().unwrap())).collect()
}

/// How a search spends what it was given.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Manner {
    /// Always to the last moment, also where it would have solved the game long before.
    ToTheEnd,
    /// Somewhere between the two limits, until positions are solved at once.
    Usual,
}

/// What came of a game without a machine.
#[derive(Debug)]
struct Simulated {
    used: Duration,
    given: Duration,
    /// The time between a move and its flag, the least of all moves; `None` when a flag fell.
    margin: Option<Duration>,
}

/// Thirty moves on a clock, each of them `late`; at one of them the machine stands still.
fn simulate(
    control: TimeControl,
    overhead: Overhead,
    manner: Manner,
    late: Duration,
    stall: Option<(u32, Duration)>,
) -> Simulated {
    let now = crate::time::Instant::now();
    let mut clock = RunningClock::new(control);
    let (given, each) = match control {
        TimeControl::Game { main, increment } => (main, [increment; 2]),
        TimeControl::Canadian { main, period, moves } => (main, [Duration::ZERO, period / moves]),
        TimeControl::PerMove(time) => (Duration::ZERO, [time; 2]),
        TimeControl::None => unreachable!(),
    };
    let mut game = Simulated { used: Duration::ZERO, given, margin: Some(Duration::MAX) };
    for made in 0..30 {
        let empties = 60 - 2 * made;
        let (soft, hard) = clock.time(overhead, 30 - made).deadline(now, empties).unwrap();
        let (soft, hard) = (soft - now, hard - now);
        let search = match manner {
            Manner::ToTheEnd => hard,
            Manner::Usual if empties > 18 => (soft + hard) / 2,
            Manner::Usual => hard.min(s(0.001)),
        };
        let stall = stall.filter(|(number, _)| *number == made).map_or(Duration::ZERO, |(_, time)| time);
        let took = search + late + stall;
        let margin = clock.limit().unwrap().checked_sub(took);
        game.margin = game.margin.min(margin);
        game.used += took;
        if manner == Manner::ToTheEnd || empties > 18 {
            game.given += each[usize::from(clock.moves().is_some())];
        }
        clock.spend(took);
    }
    game
}

/// Each move has its own time, of which a stall of 35 ms is too large a part to be kept back.
fn is_short(control: TimeControl) -> bool {
    match control {
        TimeControl::PerMove(time) | TimeControl::Canadian { period: time, moves: 1, .. } => time < s(0.28),
        _ => false,
    }
}

#[test]
fn no_flag_falls_when_every_move_is_late() {
    for overhead in [Overhead::THREAD, Overhead::PIPE] {
        for (control, manner) in all_clocks().into_iter().flat_map(|it| [(it, Manner::ToTheEnd), (it, Manner::Usual)]) {
            // of the shortest time an eighth, 6 ms, is all there is
            let shortest = control == TimeControl::PerMove(s(0.05));
            let (late, left) = if shortest { (s(0.003), s(0.003)) } else { (overhead.each_move - s(0.002), s(0.004)) };
            let game = simulate(control, overhead, manner, late, None);
            // and the machine may stand still for a while
            assert!(game.margin.is_some_and(|margin| margin >= left), "{control} {manner:?} {overhead:?}: {game:?}");
        }
    }
}

#[test]
fn no_time_is_too_long() {
    let times = [Duration::ZERO, s(1.0), Duration::MAX];
    let mut controls = vec![TimeControl::None];
    controls.extend(times.map(TimeControl::PerMove));
    for (main, other) in times.into_iter().flat_map(|main| times.map(|other| (main, other))) {
        controls.push(TimeControl::Game { main, increment: other });
        controls.extend([0, 1, u32::MAX].map(|moves| TimeControl::Canadian { main, period: other, moves }));
    }
    let longest = Overhead { each_move: Duration::MAX, stall: Duration::MAX, rounding: Duration::MAX };
    for control in controls {
        for overhead in [Overhead::NONE, Overhead::PIPE, longest] {
            let mut clock = RunningClock::new(control);
            for used in times {
                clock.spend(used);
                assert_eq!(clock.limit().is_none(), control == TimeControl::None, "{control:?}");
                let time = clock.time(overhead, 30);
                assert!(
                    time.deadline(Instant::now(), 30).is_none_or(|(soft, hard)| soft <= hard),
                    "{control:?}: {time:?}"
                );
            }
        }
    }
    let clock = RunningClock::new(TimeControl::PerMove(Duration::MAX));
    assert!(matches!(clock.time(Overhead::PIPE, 30), Time::PerMove(time) if time > s(1e9)));
}

#[test]
fn no_flag_falls_when_the_machine_stands_still_once() {
    let more = ["0+0.3/1", "0+0.5/2", "60", "60+30/1"].map(|text| text.parse().unwrap());
    for control in all_clocks().into_iter().chain(more) {
        for overhead in [Overhead::THREAD, Overhead::PIPE] {
            let stall = if is_short(control) { s(0.006) } else { s(0.035) };
            for (number, manner) in (0..30).flat_map(|made| [(made, Manner::ToTheEnd), (made, Manner::Usual)]) {
                let game = simulate(control, overhead, manner, Duration::ZERO, Some((number, stall)));
                assert!(game.margin.is_some(), "{control}, move {number}, {manner:?}, {overhead:?}: {game:?}");
            }
        }
    }
}

#[test]
fn time_is_used_when_nothing_is_late() {
    let more = ["0+0.3/1", "60", "60+1", "0+30/10"].map(|text| text.parse().unwrap());
    for control in all_clocks().into_iter().chain(more) {
        for (overhead, late) in [(Overhead::THREAD, s(0.0003)), (Overhead::PIPE, s(0.001))] {
            let game = simulate(control, overhead, Manner::Usual, late, None);
            let share = game.used.as_secs_f64() / game.given.as_secs_f64();
            println!("{control}: {:.1} % used, margin {:?}", 100.0 * share, game.margin);
            assert!(share >= 0.85, "{control}: {share:.3}, {game:?}");
        }
    }
}
