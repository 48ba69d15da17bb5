//! Whatever clients send, and whenever: every command has its answer, nothing panics or hangs, and the session goes on.
//!
//! Sessions of valid and mutated lines run through the library's own loops, which read while they search. `OUTFLANK_FUZZ`
//! is the number of lines, 10,000 when it is not set; a long run has a million:
//!
//! ```text
//! OUTFLANK_FUZZ=1000000 cargo test --profile quick --test protocol_fuzz
//! ```
//!
//! A failure shows the session; `OUTFLANK_FUZZ_INPUT=NAME:NUMBER` runs that one alone (what arrives during a search
//! depends on the machine, so it may take several tries).
#![cfg(feature = "cli")]

mod sessions;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use outflank::formats::{GameRecord, files};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use fuzz::watchdog::{Watchdog, only, wanted};

mod fuzz {
    pub mod games;
    pub mod mutate;
    pub mod protocols;
    pub mod scripts;
    pub mod watchdog;
}

/// A session of some dozen lines takes less than this, also on a machine that is busy with other things. All searches of a
/// session are stopped within a tenth of a second.
const PATIENCE: Duration = Duration::from_secs(30);

#[test]
fn sessions_of_any_lines() {
    let folder = tempfile::tempdir().unwrap();
    // lines that name files mean files in here
    std::env::set_current_dir(folder.path()).unwrap();
    for game in fuzz::games::full_games(1) {
        for name in ["game.sgf", "game.ggf"] {
            files::write_games(name.as_ref(), &[GameRecord::new(game.clone())]).unwrap();
        }
    }
    let words = fuzz::scripts::Words::new();
    let watchdog = Watchdog::start(PATIENCE);
    for (number, machine) in (0u64..).zip(&fuzz::protocols::MACHINES) {
        let (mut done, mut session, mut during, begun) = (0, 0u64, 0, Instant::now());
        while done < wanted().div_ceil(fuzz::protocols::MACHINES.len() as u64) {
            let name = format!("{}:{session}", machine.name);
            let mut rng = StdRng::seed_from_u64(number << 48 | session);
            session += 1;
            let count = rng.random_range(1..60);
            done += count;
            if only().is_some_and(|only| only != name) {
                continue;
            }
            watchdog.begins(&name);
            let sent = fuzz::scripts::session(&words, machine.templates, count as usize, &mut rng);
            let result = catch_unwind(AssertUnwindSafe(|| (machine.run)(sent.clone(), &mut rng)));
            let shown = || sent.iter().map(|(_, bytes)| String::from_utf8_lossy(bytes)).collect::<String>();
            assert!(result.is_ok(), "OUTFLANK_FUZZ_INPUT={name} fails (see above); it was sent\n{}", shown());
            during += result.unwrap_or_default();
        }
        let time = begun.elapsed();
        println!(
            "{:8} {done:8} lines in {session:6} sessions, {during} answers during searches, {time:.1?}",
            machine.name
        );
        let few = session < 30 || only().is_some();
        assert!(few || during > 0 || !["nboard", "cassio"].contains(&machine.name), "nothing came during a search");
    }
}
