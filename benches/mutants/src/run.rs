//! Runs the tests against the mutants: each mutant meets only the tests that come by it, the quick ones first.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::Result;
use crate::build::STATES;
use crate::list::Mutant;

/// Tests of a mutant run in groups of so many seconds, after each of which it may be caught; what would take longer is left
/// out, and so are tests that take longer than the last of them by themselves. `MUTANTS_SECONDS` leaves out longer groups.
const GROUPS: [f64; 4] = [1.0, 4.0, 15.0, 60.0];

/// KiB of memory that a test may take: a mutant may want all there is.
const MEMORY: u64 = 8 << 20;

const SIGKILL: i32 = 9;
const SIGXCPU: i32 = 24;

/// A test of a program.
#[derive(Clone, Debug)]
struct Test {
    program: PathBuf,
    name: String,
    seconds: f64,
    reaches: BTreeSet<usize>,
}

/// Runs the tests named in `MUTANTS_TESTS`, besides the unit tests without the modules of `MUTANTS_SKIP`, and writes what
/// became of each mutant to `mutants.results` in the tree, one a line; mutants that stand there already are not tried again.
pub fn test(mutants: &[Mutant], tree: &Path) -> Result<()> {
    let tree = tree.canonicalize()?;
    let states = fs::read_to_string(tree.join(STATES))?;
    let viable: BTreeSet<usize> =
        states.lines().filter_map(|line| line.strip_suffix(" viable")?.parse().ok()).collect();
    let tests = tests(&tree)?;
    let path = tree.join("mutants.results");
    let known = fs::read_to_string(&path).unwrap_or_default();
    let known: BTreeSet<usize> = known.lines().filter_map(|line| line.split(' ').next()?.parse().ok()).collect();
    let mut results = fs::OpenOptions::new().append(true).create(true).open(&path)?;
    let chosen: Option<BTreeSet<usize>> = std::env::var("MUTANTS_ONLY")
        .ok()
        .map(|list| list.split_whitespace().filter_map(|number| number.parse().ok()).collect());
    for mutant in mutants {
        let is_chosen = chosen.as_ref().map_or(!known.contains(&mutant.number), |list| list.contains(&mutant.number));
        if !viable.contains(&mutant.number) || !is_chosen {
            continue;
        }
        let fate = fate(mutant, &tests, &tree)?;
        let line = format!("{} {fate} | {}\n", mutant.number, mutant.name);
        print!("{line}");
        results.write_all(line.as_bytes())?;
    }
    Ok(())
}

/// `caught by TEST`, `timeout`, `missed` or `unreached`.
fn fate(mutant: &Mutant, tests: &[Test], tree: &Path) -> Result<String> {
    let mut left: Vec<&Test> = tests.iter().filter(|test| test.reaches.contains(&mutant.number)).collect();
    if left.is_empty() {
        return Ok("unreached".to_string());
    }
    // among tests of about the same time, those that come by few mutants look at this one more closely; those of `MUTANTS_SOON`
    // catch much and come before others of their length
    let soon = std::env::var("MUTANTS_SOON").unwrap_or_default();
    let rank = |test: &Test| {
        let is_soon = soon.split_whitespace().any(|name| name == test.name);
        (if is_soon { 1 } else { (test.seconds * 4.0) as u64 }, test.reaches.len())
    };
    left.sort_by_key(|test| std::cmp::Reverse(rank(test)));
    let limit = std::env::var("MUTANTS_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(f64::INFINITY);
    for most in GROUPS.into_iter().filter(|most| *most <= limit) {
        let mut group: BTreeMap<&Path, Vec<&Test>> = BTreeMap::new();
        let mut seconds = 0.0;
        while let Some(test) = left.pop_if(|test| seconds + test.seconds <= most) {
            seconds += test.seconds;
            group.entry(&test.program).or_default().push(test);
        }
        for (program, tests) in group {
            let names: Vec<&str> = tests.iter().map(|test| test.name.as_str()).collect();
            let seconds: f64 = tests.iter().map(|test| test.seconds).sum();
            let time = Duration::from_secs_f64(15.0 + 6.0 * seconds);
            let variable = ("MUTANTS_ACTIVE", mutant.number.to_string());
            match run(program, &names, variable, time, tree)? {
                Ended::Right => {}
                Ended::Wrong(name) => return Ok(format!("caught by {name}")),
                Ended::Late => return Ok("timeout".to_string()),
            }
        }
    }
    Ok(format!("missed by {} tests", tests.iter().filter(|test| test.reaches.contains(&mutant.number)).count()))
}

enum Ended {
    Right,
    Wrong(String),
    Late,
}

/// Runs tests of a program, for so much of a processor's time at most; tests that wait may take four times as long by the clock,
/// since the machine may have more to do.
fn run(program: &Path, names: &[&str], variable: (&str, String), time: Duration, tree: &Path) -> Result<Ended> {
    let log = tree.join(format!("mutants.{}.log", std::process::id()));
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("ulimit -v {MEMORY}; ulimit -t {}; ulimit -c 0; exec \"$0\" \"$@\"", time.as_secs())])
        .arg(program)
        .arg("--exact")
        .args(names)
        .env(variable.0, variable.1)
        .current_dir(tree)
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(fs::File::create(&log)?)
        .stderr(Stdio::null());
    let mut child = command.spawn()?;
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if begun.elapsed() > 4 * time {
            break None;
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    // also what the tests left running
    let group = format!("-{}", child.id());
    let _ = Command::new("kill").args(["-9", "--", &group]).stderr(Stdio::null()).status();
    let Some(status) = status else {
        child.wait()?;
        return Ok(Ended::Late);
    };
    if status.success() {
        return Ok(Ended::Right);
    }
    // the system ends who has had its time
    if matches!(status.signal(), Some(SIGKILL | SIGXCPU)) {
        return Ok(Ended::Late);
    }
    let log = String::from_utf8_lossy(&fs::read(&log)?).into_owned();
    let failed = log.lines().find_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED"));
    Ok(Ended::Wrong(failed.unwrap_or("an abort").to_string()))
}

/// Builds the tests and runs each once, to see how long it takes and which mutants it comes by.
fn tests(tree: &Path) -> Result<Vec<Test>> {
    let wanted = std::env::var("MUTANTS_TESTS").unwrap_or_default();
    let mut command = Command::new("cargo");
    command.args(["test", "--locked", "--profile", "mutants", "--no-run", "--message-format", "json", "--lib"]);
    if !is_skipped("commands::") {
        command.arg("--bins");
    }
    for test in wanted.split_whitespace() {
        command.args(["--test", test]);
    }
    let output = command.current_dir(tree).stderr(Stdio::null()).output()?;
    if !output.status.success() {
        return Err("the tests of the changed tree do not compile".into());
    }
    let mut tests = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(value) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        if value["profile"]["test"] != true {
            continue;
        }
        if let Some(program) = value["executable"].as_str() {
            tests.extend(reached(Path::new(program), tree)?);
        }
    }
    Ok(tests)
}

/// A unit test of a module of `MUTANTS_SKIP`; the program's own are all in `commands`.
fn is_skipped(name: &str) -> bool {
    let skipped = std::env::var("MUTANTS_SKIP").unwrap_or_default();
    skipped.split_whitespace().any(|module| name.starts_with(&format!("{module}::")))
}

/// The tests of one program; what each reaches is kept beside it for the next run.
fn reached(program: &Path, tree: &Path) -> Result<Vec<Test>> {
    let list = Command::new(program).args(["--list", "--format", "terse"]).current_dir(tree).output()?;
    let ignored =
        Command::new(program).args(["--list", "--format", "terse", "--ignored"]).current_dir(tree).output()?;
    let names = |output: &[u8]| -> BTreeSet<String> {
        String::from_utf8_lossy(output)
            .lines()
            .filter_map(|line| Some(line.strip_suffix(": test")?.to_string()))
            .collect()
    };
    let ignored = names(&ignored.stdout);
    let folder = PathBuf::from(format!("{}.reached", program.display()));
    fs::create_dir_all(&folder)?;
    let built = fs::metadata(program)?.modified()?;
    let mut tests = Vec::new();
    for name in names(&list.stdout).difference(&ignored).filter(|name| !is_skipped(name)) {
        let file = folder.join(name.replace("::", "-"));
        let done = file.with_extension("seconds");
        // a program that was built anew may have other tests under the same names
        if !fs::metadata(&done).and_then(|of| of.modified()).is_ok_and(|at| at > built) {
            let _ = fs::remove_file(&file);
            let begun = Instant::now();
            let variable = ("MUTANTS_REACHED", file.display().to_string());
            let seconds = match run(program, &[name], variable, Duration::from_secs(240), tree)? {
                Ended::Right => begun.elapsed().as_secs_f64(),
                _ => f64::INFINITY,
            };
            fs::write(&done, seconds.to_string())?;
        }
        let seconds: f64 = fs::read_to_string(&done)?.parse()?;
        if seconds.is_infinite() {
            eprintln!("{name} fails without a mutant, or takes minutes: left out");
            continue;
        }
        let reaches = fs::read_to_string(&file).unwrap_or_default();
        let reaches = reaches.lines().filter_map(|line| line.parse().ok()).collect();
        tests.push(Test { program: program.to_path_buf(), name: name.clone(), seconds, reaches });
    }
    Ok(tests)
}
