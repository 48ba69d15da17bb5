//! `outflank accuracy`.

use super::run::{ENDGAMES, START, run, run_with};
use crate::shared_data;

#[test]
fn searches_to_the_end_are_exact_and_static_values_are_not() {
    let run = run(&format!("accuracy {ENDGAMES} --depths 0,1,20 --selectivity 100 --jobs 2 --json"));
    assert_eq!(run.status, 0, "{}", run.stderr);
    let found = &run.json()[0];
    let positions = found["positions"].as_u64().unwrap();
    assert!(positions >= 10);
    let depths = found["depths"].as_array().unwrap();
    assert_eq!(depths.iter().map(|row| row["depth"].as_u64().unwrap()).collect::<Vec<_>>(), [0, 1, 20]);
    let exact = &depths[2];
    assert_eq!((&exact["mae"], &exact["within_3"], &exact["best_moves"]), (&0.0.into(), &1.0.into(), &1.0.into()));
    assert_eq!((&exact["within_6"], &exact["intervals"]["mae"]["high"]), (&1.0.into(), &0.0.into()));
    let low = exact["intervals"]["within_3"]["low"].as_f64().unwrap();
    assert!(low > 0.5 && low < 1.0, "a dozen right answers do not prove that all are: {low}");
    assert_eq!(exact["moves_known"], positions);
    let error = depths[0]["mae"].as_f64().unwrap();
    assert!(error > 0.5 && error < 20.0, "{error}");
    let by_empties = depths[0]["mae_by_empties"].as_object().unwrap();
    assert!(by_empties.len() > 2 && by_empties.values().all(|error| error.as_f64().unwrap() < 64.0));
    assert!(depths[1]["nodes"].as_u64() > depths[0]["nodes"].as_u64());
    // the static values belong to no parity
    let parities = found["parities"].as_array().unwrap();
    assert_eq!(parities.iter().map(|row| row["odd"].as_bool().unwrap()).collect::<Vec<_>>(), [true, false]);
    assert_eq!((&parities[0]["depths"], &parities[1]["mae"]), (&serde_json::json!([1]), &0.0.into()));
    assert_eq!((&parities[0]["mae"], &parities[0]["intervals"]), (&depths[1]["mae"], &depths[1]["intervals"]));
}

#[test]
fn the_tables_have_a_row_a_depth_and_a_row_a_number_of_empties() {
    let run = run(&format!("accuracy {ENDGAMES} --depths 0,3"));
    assert_eq!(run.status, 0, "{}", run.stderr);
    let rows = |start: &str| run.stdout.lines().filter(|line| line.trim_start().starts_with(start)).count();
    assert!(rows("0 ") == 1 && rows("3 ") == 1 && run.stdout.contains("best moves"), "{}", run.stdout);
    assert_eq!(rows("odd"), 1, "{}", run.stdout);
    assert_eq!(run.stdout.matches("empties  positions   depth 0   depth 3").count(), 2, "{}", run.stdout);
    // MAE, mean error and three shares with their intervals
    let row = run.stdout.lines().find(|line| line.trim_start().starts_with("3 ")).unwrap();
    assert_eq!((row.matches(" +-").count(), row.matches(" to ").count()), (2, 3), "{row}");
    // of a single position some shares are 100 %: the columns stay where they are
    let few = self::run(&format!("accuracy {ENDGAMES} --every 4 --depths 0,1,20"));
    let lines: Vec<&str> = few.stdout.lines().skip(1).take(4).collect();
    assert!(few.stdout.contains("100.0 % ("), "{}", few.stdout);
    assert!(lines.iter().all(|line| line.len() == lines[0].len()), "{}", few.stdout);
}

#[test]
fn sample_games_give_positions_with_scores() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/wthor");
    let run = run(&format!("accuracy {folder} --depths 0,4 --json"));
    assert_eq!(run.status, 0, "{}", run.stderr);
    let found = &run.json()[0];
    assert_eq!((&found["positions"], &found["depths"][1]["best_moves"]), (&10.into(), &serde_json::Value::Null));
    assert!(found["depths"][1]["mae"].as_f64().unwrap() < 8.0, "{found}");
}

#[test]
fn tournament_games_give_positions_with_scores() {
    let Some(file) = shared_data::path("data/wthor/WTH_2001.wtb") else { return };
    let file = file.display();
    let found = |every: u32| {
        let run = run(&format!("accuracy {file} --every {every} --depths 0 --json"));
        assert_eq!(run.status, 0, "{}", run.stderr);
        run.json()[0].clone()
    };
    let (all, tenth) = (found(1), found(10));
    let positions = |of: &serde_json::Value| of["positions"].as_u64().unwrap();
    assert!(positions(&all) > 1000 && positions(&tenth) == positions(&all).div_ceil(10));
    let row = &all["depths"][0];
    let mae = row["mae"].as_f64().unwrap();
    assert!((3.0..7.0).contains(&mae) && row["mean_error"].as_f64().unwrap().abs() < 3.0, "{row}");
    assert!(row["best_moves"].is_null() && row["mae_by_empties"]["24"].is_number(), "{row}");
}

#[test]
fn bad_input_is_named() {
    let error = |input: &str| {
        let run = run_with("accuracy - --depths 0", input);
        assert_eq!(run.status, 2);
        run.error().to_string()
    };
    assert_eq!(error(""), "standard input: no position");
    let folder = tempfile::tempdir().unwrap();
    let empty = run(&format!("accuracy {} --depths 0", folder.path().display()));
    assert!(empty.error().ends_with(": this folder has no WTHOR file (*.wtb)"), "{}", empty.error());
    assert_eq!(error(&format!("% nothing\n{START}\n")), "standard input: line 2: the position comes without a score");
    let searched = "standard input: line 1: the score is that of a search (10@73%), not exact";
    assert_eq!(error(&format!("{START}; +0; % 10@73%\n")), searched);
    assert!(error(&format!("{START}; d3:+99;\n")).contains("line 1, column"), "a score no board has");
    // their static values would be those of the whole board, or of the other objective
    let other = "standard input: line 2: not a position of othello on 8x8";
    let small = format!("# rules: othello:6x6\n{0}OX----XO{0} X; +0;\n", "-".repeat(14));
    assert_eq!(error(&small), other);
    let fewest = format!("# rules: othello:fewest\n{START}; +0;\n");
    assert_eq!(error(&fewest), other);
    assert_eq!(run("accuracy no/such.obf").status, 2);
    let names = folder.path().join("WTHOR.JOU");
    let mut bytes = [20, 26, 1, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0].to_vec();
    bytes.resize(16 + 2 * 20, 0);
    std::fs::write(&names, bytes).unwrap();
    let list = run(&format!("accuracy {} --depths 0", names.display()));
    assert!(list.error().contains("WTHOR.JOU: this is a list of 2 names"), "{}", list.error());
    assert_eq!(run("accuracy x --depths 61").status, 2);
}
