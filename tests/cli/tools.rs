//! `outflank perft` and `outflank bench`.

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
