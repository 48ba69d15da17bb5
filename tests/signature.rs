//! The signatures of the search (`benches/signature.txt`, `benches/signature-rules.txt`): the same on every tier, and changed
//! only on purpose.
//!
//! `benches/mutants.sh` compares thousands of changed searches with the unchanged one: `OUTFLANK_SIGNATURE_STEP=N` takes every
//! N-th position only, and `OUTFLANK_SIGNATURE_FILE` is then the file to compare with.

mod shared_data;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use outflank::analysis::bench::{self, Totals};
use outflank::engine::{Engine, Options};
use outflank::kernel::Tier;
use outflank::rules::RuleSet;
use outflank::search::StopToken;

/// The file to compare with.
fn file() -> PathBuf {
    let usual = || Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/signature.txt");
    std::env::var_os("OUTFLANK_SIGNATURE_FILE").map_or_else(usual, PathBuf::from)
}

/// The bench on a tier.
fn run(tier: Tier) -> Totals {
    let mut engine = Engine::new(Options { hash_mib: bench::HASH_MIB, threads: 1 });
    assert!(engine.set_tier(tier));
    let step = std::env::var("OUTFLANK_SIGNATURE_STEP").map_or(1, |text| text.parse().expect("a number"));
    let cases: Vec<_> = bench::cases(&Arc::new(RuleSet::othello())).into_iter().step_by(step).collect();
    bench::run(&mut engine, &cases, &StopToken::new(), &mut |_, _| {}).expect("16 MiB are there")
}

/// The comments of the file and its two values.
fn read() -> (String, u64, String) {
    let text = fs::read_to_string(file()).expect("the file is part of the project");
    let (comments, values): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with('#'));
    let value = |name: &str| values.iter().find_map(|line| line.strip_prefix(name)).expect("both values").trim();
    (comments.join("\n"), value("nodes").parse().expect("a number"), value("signature").to_string())
}

/// Rules that the general search plays, each with something of its own, and two for which the fast one has general branches.
const OTHER_RULES: [&str; 9] = [
    "othello:10x10",
    "othello:16x16",
    "octagon",
    "traveller",
    "ravensburger-one",
    "othello:8x8,own",
    "othello:10x8,fewest",
    "othello:6x6",
    "othello:8x8,fewest",
];

/// Under other rules a few thousand nodes show every change of evaluation, order and windows.
#[test]
fn searches_under_other_rules_are_those_in_the_repository() {
    let lines: Vec<String> = thread::scope(|scope| {
        let run = |rules: &'static str| {
            let mut engine = Engine::new(Options { hash_mib: bench::HASH_MIB, threads: 1 });
            let cases = bench::cases(&Arc::new(rules.parse::<RuleSet>().expect("rules")));
            let found = bench::run(&mut engine, &cases, &StopToken::new(), &mut |_, _| {}).expect("16 MiB are there");
            format!("{rules} {} {}", found.nodes, found.signature)
        };
        let threads: Vec<_> = OTHER_RULES.into_iter().map(|rules| scope.spawn(move || run(rules))).collect();
        threads.into_iter().map(|thread| thread.join().expect("the bench ends")).collect()
    });
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/signature-rules.txt");
    let text = fs::read_to_string(&file).expect("the file is part of the project");
    let (comments, expected): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with('#'));
    if std::env::var_os("UPDATE_SIGNATURE").is_some() {
        fs::write(file, format!("{}\n{}\n", comments.join("\n"), lines.join("\n"))).expect("the file can be written");
        return;
    }
    assert_eq!(
        lines, expected,
        "a search under other rules has changed: it is not the one of benches/signature-rules.txt (right). If that is \
         intended, run `UPDATE_SIGNATURE=1 cargo test --test signature`"
    );
}

#[test]
fn the_search_is_the_one_in_the_repository_on_every_tier() {
    let (tiers, others): (Vec<Tier>, Vec<Tier>) = Tier::ALL.into_iter().partition(|tier| tier.is_supported());
    others.iter().for_each(|tier| shared_data::skipped(&format!("a machine with {tier}")));
    let runs: Vec<Totals> = thread::scope(|scope| {
        let threads: Vec<_> = tiers.iter().map(|&tier| scope.spawn(move || run(tier))).collect();
        threads.into_iter().map(|thread| thread.join().expect("the bench ends")).collect()
    });
    assert_eq!(runs[0].tier, Tier::Portable);
    for run in &runs {
        let (portable, here) = (&runs[0], run);
        assert_eq!((here.nodes, &here.signature), (portable.nodes, &portable.signature), "{} differs", here.tier);
    }
    let (comments, nodes, signature) = read();
    let found = &runs[0];
    if std::env::var_os("UPDATE_SIGNATURE").is_some() {
        let text = format!("{comments}\nnodes {}\nsignature {}\n", found.nodes, found.signature);
        fs::write(file(), text).expect("the file can be written");
        return;
    }
    assert_eq!(
        (found.nodes, &found.signature),
        (nodes, &signature),
        "the search has changed: it is not the one of benches/signature.txt (right). If that is intended, run \
         `UPDATE_SIGNATURE=1 cargo test --test signature` and write `Bench: {} (signature {})` into the commit message",
        found.nodes,
        found.signature,
    );
}
