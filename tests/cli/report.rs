//! `outflank analyze --report`.

use std::fs;
#[cfg(unix)]
use std::io::Write;
#[cfg(unix)]
use std::process::Stdio;

use super::run::run;

const GAME: &str = "f5d6c3d3c4f4c5b3c2";

#[test]
fn every_form_of_a_report_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let names = ["a.html", "a.md", "a.json", "a.sgf", "a.ggf"];
    let reports: String = names.iter().map(|name| format!(" --report {}", path(name))).collect();
    let svg = path("a.svg");
    let run_report = run(&format!("analyze {GAME} --depth 4 --hash 4{reports} --svg {svg}"));
    assert_eq!(run_report.status, 0, "{}", run_report.stderr);
    let texts = names.map(|name| fs::read_to_string(path(name)).unwrap());
    let [page, markdown, json, sgf, ggf] = &texts;
    assert!(page.starts_with("<!DOCTYPE html>") && page.matches("<tr data-ply=").count() == 9);
    assert!(markdown.contains("| 9 | ") && markdown.contains("\n| Black | "), "{markdown}");
    let json: serde_json::Value = serde_json::from_str(json).unwrap();
    let moves = json["games"][0]["moves"].as_array().unwrap();
    assert_eq!((moves.len(), &json["games"][0]["opening"]), (9, &"Rose-Bill".into()));
    // what the report says is what the table says
    let table = run(&format!("analyze {GAME} --as game --depth 4 --hash 4 --moves 2 --json")).json();
    for (row, one) in table.iter().zip(moves) {
        assert_eq!((&row["score"], &row["loss"]), (&one["judged"]["score"], &one["judged"]["loss"]));
        assert_eq!(one["judged"]["alternatives"].as_array().unwrap().len(), 2);
    }
    assert!(sgf.matches("V[").count() == 9 + 18 && ggf.contains("B[F5/"), "{sgf}");
    assert!(fs::read_to_string(svg).unwrap().starts_with("<svg"));
    // what was written can be read
    for name in ["a.sgf", "a.ggf"] {
        let moves = run(&format!("games convert {}", path(name))).stdout;
        assert_eq!(moves, format!("{GAME}\n"), "{name}");
    }
}

#[test]
fn several_games_have_an_index_and_a_graph_each() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("games.pgn");
    let pgn = |black: &str, white: &str| format!("[Black \"{black}\"]\n[White \"{white}\"]\n\n1. f5 d6 2. c3 d3 *\n\n");
    fs::write(&games, pgn("Ann", "Bob") + &pgn("Bob", "Ann")).unwrap();
    let [ggf, page, svg] = ["games.ggf", "r.html", "g.svg"].map(|name| folder.path().join(name));
    assert_eq!(run(&format!("games convert {} -o {}", games.display(), ggf.display())).status, 0);
    let (input, html, graph) = (ggf.display(), page.display(), svg.display());
    let done = run(&format!("analyze {input} --depth 2 --hash 4 --report {html} --svg {graph}"));
    assert_eq!(done.status, 0, "{}", done.stderr);
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("<h1>2 games</h1>") && page.contains("<h2>Players</h2>"));
    let graphs = ["g-1.svg", "g-2.svg"].map(|name| folder.path().join(name));
    assert!(graphs.iter().all(|graph| graph.exists()) && !svg.exists());
    let [first, last] = graphs.each_ref().map(|graph| graph.display());
    assert!(done.stderr.contains(&format!("2 graphs written to {first} ... {last}\n")), "{}", done.stderr);
}

#[test]
fn unknown_forms_are_refused_before_the_work() {
    let refused = run(&format!("analyze {GAME} --report out.pdf"));
    assert_eq!((refused.status, refused.stdout.as_str()), (2, ""));
    assert_eq!(refused.error(), "out.pdf: a report is .html, .md, .json, .svg, .sgf or .ggf");
}

/// What has been judged for hours is in all reports that can be written.
#[cfg(unix)]
#[test]
fn a_report_that_cannot_be_written_leaves_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::create_dir(path("gone")).unwrap();
    let names = ["gone/a.html", "b.json", "gone/c.md"].map(path);
    let reports = names.each_ref().map(|name| format!("--report {name}")).join(" ");
    let mut command = super::run::command(&format!("analyze - --depth 1 {reports} --svg {}", path("d.svg")));
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "{GAME}").unwrap();
    // that all can be written has been found by then, and the end of the game not
    super::signals::wait_until_it_listens(&child);
    fs::remove_dir(path("gone")).unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{errors}");
    for (name, is_there) in [(names[0].clone(), false), (names[1].clone(), true), (names[2].clone(), false)] {
        let told = format!("outflank: cannot write '{name}': ");
        assert_eq!((fs::exists(&name).unwrap(), errors.contains(&told)), (is_there, !is_there), "{errors}");
    }
    assert!(fs::exists(path("d.svg")).unwrap());
}
