//! The storeys of the house: imports between the library's top-level modules point down only.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

mod shared_data;

/// Files and folders that only tests compile: they may print.
const TEST_ONLY: [&str; 5] =
    ["kernel/tests.rs", "play/clock_tests.rs", "play/tests.rs", "search/general/fit", "search/othello/tests.rs"];

/// The Rust sources below a path.
fn sources(path: &Path, into: &mut Vec<String>) {
    if TEST_ONLY.iter().any(|name| path.ends_with(name)) {
        return;
    }
    if path.is_dir() {
        for entry in fs::read_dir(path).expect("a readable folder") {
            sources(&entry.expect("an entry").path(), into);
        }
    } else if path.extension().is_some_and(|extension| extension == "rs") {
        into.push(fs::read_to_string(path).expect("a readable file"));
    }
}

/// The top-level modules a source names behind `crate::`, comments left out.
fn imports(source: &str) -> BTreeSet<String> {
    let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    let mut found = BTreeSet::new();
    for line in code {
        for (at, _) in line.match_indices("crate::") {
            let rest = &line[at + "crate::".len()..];
            // `use crate::{a::B, c::D};` does not occur in this tree; a test below keeps it so
            let name: String = rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
            if !name.is_empty() {
                found.insert(name);
            }
        }
    }
    found
}

/// What each top-level module of the library imports, itself left out.
fn graph() -> BTreeMap<String, BTreeSet<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut graph = BTreeMap::new();
    for entry in fs::read_dir(&root).expect("src") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        // the binary is a client of the library, and lib.rs only lists the modules
        if ["main", "lib", "commands"].contains(&name.as_str()) {
            continue;
        }
        let mut texts = Vec::new();
        sources(&path, &mut texts);
        let mut names: BTreeSet<String> = texts.iter().flat_map(|text| imports(text)).collect();
        names.remove(&name);
        graph.entry(name).or_insert_with(BTreeSet::new).extend(names);
    }
    graph
}

/// A way from `from` back to itself, if there is one.
fn circle(graph: &BTreeMap<String, BTreeSet<String>>, from: &str) -> Option<Vec<String>> {
    let mut way = vec![vec![from.to_string()]];
    let mut seen = BTreeSet::new();
    while let Some(path) = way.pop() {
        let last = path.last().expect("a path has an end");
        for next in graph.get(last).into_iter().flatten() {
            let mut longer = path.clone();
            longer.push(next.clone());
            if next == from {
                return Some(longer);
            }
            if seen.insert(next.clone()) {
                way.push(longer);
            }
        }
    }
    None
}

#[track_caller]
fn no_circles(graph: &BTreeMap<String, BTreeSet<String>>) {
    let circles: Vec<_> = graph.keys().filter_map(|name| circle(graph, name)).collect();
    assert!(circles.is_empty(), "{circles:#?}");
}

#[test]
fn no_circles_between_top_level_modules() {
    let graph = graph();
    assert!(graph.len() > 10 && graph["engine"].contains("search"), "the walk has found the modules: {graph:?}");
    no_circles(&graph);
}

/// The files of a room without circles among themselves: what each names behind `super::`, `mod.rs` left out.
fn room(name: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut graph = BTreeMap::new();
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(name)).expect("a room") {
        let path = entry.expect("an entry").path();
        let file = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if path.extension().is_none_or(|extension| extension != "rs") || file == "mod" {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a readable file");
        // tests at the end may look anywhere
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let names = code.lines().filter_map(|line| line.strip_prefix("use super::"));
        graph.insert(file, names.filter_map(|rest| rest.split([':', ';']).next()).map(str::to_string).collect());
    }
    graph
}

#[test]
fn no_circles_inside_the_tournament() {
    let graph = room("tournament");
    assert!(graph["factory"].contains("gtp") && graph["gtp"].contains("spec"), "{graph:?}");
    no_circles(&graph);
}

#[test]
fn no_circles_inside_the_evaluation() {
    let graph = room("eval");
    assert!(graph["weights"].contains("file") && graph["model"].contains("embedding"), "{graph:?}");
    // the one module with a folder of its own
    assert!(graph.iter().all(|(name, names)| name == "weights" || !names.contains("file")), "{graph:?}");
    no_circles(&graph);
}

#[test]
fn no_circles_inside_the_web_service() {
    let graph = room("web");
    assert!(graph["view"].contains("games") && graph["games"].contains("pool"), "{graph:?}");
    no_circles(&graph);
}

/// The service and the protocols are doors of the same house: neither goes in by the other.
#[test]
fn front_ends_do_not_import_each_other() {
    let graph = graph();
    assert!(!graph["web"].contains("protocol") && !graph["protocol"].contains("web"), "{graph:?}");
}

#[test]
fn a_circle_would_be_found() {
    let graph = |edges: &[(&str, &str)]| {
        let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (from, to) in edges {
            graph.entry(from.to_string()).or_default().insert(to.to_string());
        }
        graph
    };
    assert!(circle(&graph(&[("a", "b"), ("b", "c"), ("c", "a")]), "a").is_some());
    assert!(circle(&graph(&[("a", "b"), ("b", "c"), ("a", "c")]), "a").is_none());
    let names: Vec<String> =
        imports("use crate::eval::X;\n    // crate::no\nlet y = crate::board::Y;").into_iter().collect();
    assert_eq!(names, ["board", "eval"]);
}

/// A source without comments and without its tests at the end; what else only tests compile stands before code of the program.
fn code(source: &str) -> impl Iterator<Item = &str> {
    let end = source.match_indices("#[cfg(test)]\n").map(|(at, _)| at);
    let is_tests = |at: &usize| {
        let next = source[*at..].lines().find(|line| !line.starts_with("#["));
        next.is_some_and(|line| line.starts_with("mod tests"))
    };
    let end = end.filter(is_tests).last().unwrap_or(source.len());
    source[..end].lines().filter(|line| !line.trim_start().starts_with("//"))
}

/// Lines of the library's code that are `refused`, by room; the rooms in `others` are left out.
fn refused_lines(others: &[&str], refused: impl Fn(&str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).expect("src") {
        let path = entry.expect("an entry").path();
        let room = path.file_name().expect("a name").to_string_lossy().into_owned();
        if ["main.rs", "commands"].contains(&room.as_str()) || others.contains(&room.as_str()) {
            continue;
        }
        let mut texts = Vec::new();
        sources(&path, &mut texts);
        let lines = texts.iter().flat_map(|text| code(text)).filter(|line| refused(line));
        found.extend(lines.map(|line| format!("{room}: {}", line.trim())));
    }
    found
}

#[test]
fn code_ends_where_the_tests_begin() {
    let text = "a();\n#[cfg(test)]\nfn fit() {}\n// b();\nc();\n#[cfg(test)]\n#[path = \"t.rs\"]\nmod tests;\nd();";
    assert_eq!(code(text).collect::<Vec<_>>(), ["a();", "#[cfg(test)]", "fn fit() {}", "c();"]);
    assert_eq!(code("a();\n#[cfg(test)]\nmod fit;").count(), 3);
}

#[test]
fn only_commands_print() {
    let prints = ["println!(", "eprintln!(", "print!(", "dbg!("];
    let found = refused_lines(&[], |line| prints.iter().any(|print| line.contains(print)));
    assert_eq!(found, Vec::<String>::new());
}

/// The Python module is a front end that hands out values: it prints nothing, and the compiler refuses unsafe code there.
#[test]
fn the_python_module_is_a_thin_layer() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("python");
    // a package of its own, which the crate's archive does not have
    if !root.exists() {
        return shared_data::skipped("the folder python/");
    }
    let mut texts = Vec::new();
    sources(&root.join("src"), &mut texts);
    assert!(texts.len() > 8, "the walk has found the module");
    let prints = ["println!(", "eprintln!(", "print!(", "dbg!("];
    assert!(texts.iter().all(|text| prints.iter().all(|print| !text.contains(print))));
    let manifest = fs::read_to_string(root.join("Cargo.toml")).expect("python/Cargo.toml");
    assert!(manifest.contains("unsafe_code = \"forbid\""));
    // the wheel unwinds: a panic becomes an exception
    assert!(!manifest.contains("panic = \"abort\""));
}

/// `std::time::Instant` panics in browsers: whatever a library there can call takes the clock of `time`.
#[test]
fn the_clock_is_the_one_that_every_target_has() {
    // what a library without features does not have, and the clock itself
    let others = ["perft", "selfplay", "solo", "tournament", "train", "time.rs"];
    let is_clock = |line: &str| line.contains("std::time") && (line.contains("Instant") || line.contains("SystemTime"));
    assert_eq!(refused_lines(&others, is_clock), Vec::<String>::new());
}

#[test]
fn imports_are_written_so_that_this_test_sees_them() {
    let mut texts = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut texts);
    assert!(texts.iter().all(|text| !text.contains("use crate::{")), "write `use crate::a::B;`, a line a module");
}

/// Every file and folder of `tests` says in its README what it is for.
#[test]
fn the_tests_are_listed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let list = fs::read_to_string(folder.join("README.md")).expect("tests/README.md");
    for entry in fs::read_dir(folder).expect("tests") {
        let name = entry.expect("an entry").path().file_stem().expect("a name").to_string_lossy().into_owned();
        assert!(name == "README" || list.contains(&format!("`{name}`")), "tests/README.md says nothing of `{name}`");
    }
}
