//! `outflank perft`, `outflank bench` and `outflank openings`.

use super::run::run;

#[test]
fn perft_counts_are_the_published_ones() {
    let run = run("perft 8");
    assert_eq!(run.status, 0);
    let rows: Vec<Vec<&str>> = run.stdout.lines().skip(1).map(|line| line.split_whitespace().collect()).collect();
    let counts = ["4", "12", "56", "244", "1396", "8200", "55092", "390216"];
    assert_eq!(rows.iter().map(|row| row[1]).collect::<Vec<_>>(), counts);
    assert!(rows.iter().all(|row| row.last() == Some(&"ok")));
}

#[test]
fn perft_splits_by_first_move() {
    let values = run("perft 6 --divide --visit --threads 2 --json").json();
    assert_eq!(values.len(), 6);
    let moves = values[5]["moves"].as_array().unwrap();
    assert_eq!(moves.iter().map(|entry| entry["leaves"].as_u64().unwrap()).sum::<u64>(), 8200);
    assert!(moves.iter().all(|entry| entry["leaves"] == 2050), "the first moves are symmetric");
    assert!(values[4]["moves"].is_null() && values[5]["right"] == true);
}

#[test]
fn perft_begins_with_any_position() {
    let below = run("perft 3 --divide --json").json().pop().unwrap();
    let f5 = below["moves"].as_array().unwrap().iter().find(|entry| entry["move"] == "f5").unwrap();
    let counted = run("perft 2 f5 --json").json();
    assert_eq!(counted[1]["leaves"], f5["leaves"]);
    assert!(counted[0]["published"].is_null(), "those are of the start");
    let board = "---------------------------OX------XO---------------------------X";
    assert_eq!(run(&format!("perft 2 {board} --json")).json()[1]["published"], 12, "it is the start");
    let leaves = |arguments: &str| run(arguments).json().pop().unwrap()["leaves"].clone();
    assert_eq!(leaves("perft 4 tiger --json"), leaves("perft 4 f5d6c3d3c4 --json"));
    assert_eq!(run("perft 4 nonsense").status, 2);
}

#[test]
fn perft_of_other_rules() {
    let values = run("perft 5 --rules othello:6x6 --json").json();
    // the first four plies cannot reach the rim of either board
    assert_eq!(values.iter().map(|value| value["leaves"].as_u64().unwrap()).take(3).collect::<Vec<_>>(), [4, 12, 56]);
    assert!(values[0]["published"].is_null());
    let handicap = run("perft 2 --rules handicap:2 --json").json();
    assert!(handicap[0]["published"].is_null(), "corners make it another game");
    let placement = run("perft 4 --rules traveller --json").json();
    assert_eq!(placement[3]["leaves"], 24, "four squares for the first disc, three for the next, ...");
}

#[test]
fn the_bench_signature_is_reproducible() {
    let totals = |arguments: &str| run(arguments).json().pop().expect("totals");
    let first = totals("bench --json --first 3");
    assert_eq!(first["positions"], 3);
    assert_eq!(first["signature"].as_str().unwrap().len(), 8);
    let again = totals("bench --json --first 3");
    assert_eq!((&first["signature"], &first["nodes"]), (&again["signature"], &again["nodes"]));
    assert_ne!(first["signature"], totals("bench --json --first 2")["signature"]);
    let table = run("bench --first 3");
    assert!(table.stdout.contains(&format!("signature  {}", first["signature"].as_str().unwrap())), "{}", table.stdout);
}

#[test]
fn bench_of_other_rules() {
    let run = run("bench --rules othello:6x6 --json");
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(run.json().len(), 9);
}

/// The head of a list has the command that makes it, whatever it was made with.
#[test]
fn openings_name_the_command_that_makes_them() {
    let folder = tempfile::tempdir().unwrap();
    let weights = folder.path().join("w.bin");
    let bytes = outflank::eval::Model::zero().to_bytes();
    std::fs::write(&weights, &bytes).unwrap();
    let checksum = outflank::eval::Weights::checksum(&bytes);
    let named = |command: &str, more: &str| {
        let list = run(&format!("{command} --jobs 1"));
        assert_eq!(list.status, 0, "{}", list.stderr);
        let head: String = list.stdout.lines().take_while(|line| line.starts_with('#')).collect();
        assert!(head.contains(&format!("(`outflank {command}`{more}, Outflank ")), "{command}: {head}");
    };
    named("openings --count 2 --plies 3 --level 1 --within 64 --seed 2", "");
    let weighed =
        format!("openings --count 2 --plies 3 --level 1 --within 64 --seed 2 --hash 1 --eval {}", weights.display());
    named(&weighed, &format!(", weights {checksum:016x}"));
}

#[test]
fn openings_are_balanced_different_and_reproducible() {
    let made = |arguments: &str| run(&format!("openings --plies 6 --level 4 --within 1 --hash 1 {arguments}"));
    let list = made("--count 8 --seed 5 --jobs 1");
    assert_eq!(list.status, 0, "{}", list.stderr);
    let head: Vec<&str> = list.stdout.lines().take_while(|line| line.starts_with('#')).collect();
    assert!(head.concat().contains("6 random moves") && head.concat().contains("more than 1 disc "), "{head:?}");
    let lines: Vec<&str> = list.stdout.lines().skip(head.len()).collect();
    assert_eq!(lines.len(), 8);
    let mut positions = std::collections::HashSet::new();
    for line in &lines {
        assert!(line.starts_with("f5") && line.len() == 12, "{line}");
        let value =
            run(&format!("analyze {line} --level 4 --threads 1 --hash 1 --json")).json().pop().expect("a result");
        let score = value["score"].as_i64().unwrap_or_else(|| panic!("{value}"));
        assert!(score.abs() <= 1, "{line}: {score}");
        assert!(positions.insert(value["position"].to_string()), "{line} again");
    }
    assert_eq!(made("--count 8 --seed 5 --jobs 3").stdout, list.stdout, "on any number of threads");
    assert_ne!(made("--count 8 --seed 6").stdout, list.stdout);
    let few = run("openings --count 9 --plies 1 --level 0 --within 64 --jobs 1");
    assert_eq!((few.status, few.stdout.lines().last()), (2, Some("f5")));
    assert!(few.stderr.ends_with("outflank: there are no more than 1 such lines\n"), "{}", few.stderr);
}
