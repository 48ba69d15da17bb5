//! What clocks say, move by move.

use super::*;

fn s(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

fn clocks(main: f64, period: f64, moves: u32) -> Clocks {
    Clocks::new(TimeControl::from_gtp(s(main), s(period), moves))
}

/// The time for a move of black, without overhead.
fn time(clocks: &Clocks) -> Time {
    clocks.of(Color::Black).time(Overhead::NONE)
}

#[test]
fn text_round_trip() {
    for text in ["60", "60+0.5", "0+30/10", "120+30/10", "0+1"] {
        assert_eq!(text.parse::<TimeControl>().unwrap().to_string(), text);
    }
    for bad in ["", "0", "x", "60+", "60+x", "60+30/0", "60+0/5", "60+30/x", "-1", "nan", "inf", "60/5"] {
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
    assert_eq!(clock.time(Overhead::NONE), Time::Clock(Clock { increment: s(2.0), ..Clock::new(s(7.0)) }));
    clock.spend(s(7.5));
    assert_eq!(clock.limit(), Some(s(2.0)), "an overrun within the margin costs no more than all");
    assert_eq!(RunningClock::new("0+1".parse().unwrap()).limit(), Some(s(1.0)));
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
    assert_eq!(clock.time(Overhead::NONE), Time::Clock(Clock { overtime, ..Clock::new(s(6.0)) }));
    clock.spend(s(8.0)); // 2 s into the period, which has one move left
    assert_eq!((clock.limit(), clock.moves()), (Some(s(4.0)), Some(1)));
    assert_eq!(clock.time(Overhead::NONE), Time::PerMove(s(4.0)));
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
    let of_pipe = clocks.of(Color::Black).time(Overhead::PIPE);
    assert_eq!(of_pipe, Time::Clock(Clock::new(s(19.5) - Overhead::PIPE.each_move)));
    clocks.set(Color::Black, s(1.0), 0);
    let Time::Clock(clock) = clocks.of(Color::Black).time(Overhead::PIPE) else { panic!() };
    assert!(clock.remaining >= s(0.4) && clock.remaining < s(0.5), "{clock:?}");
}

#[test]
fn the_overhead_is_kept_back_once_and_is_a_tenth_of_short_times() {
    for (limit, left) in [(0.05, 0.045), (0.1, 0.09), (0.2, 0.18), (1.0, 0.95), (15.0, 14.95)] {
        let clock = RunningClock::new(TimeControl::PerMove(s(limit)));
        assert_eq!(clock.time(Overhead::PIPE), Time::PerMove(s(left)));
        assert_eq!(clock.limit(), Some(s(limit)), "the referee gives all of it");
    }
}
