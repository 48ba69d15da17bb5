//! Help and versions.

use super::run::{run, run_with};

#[test]
fn every_command_has_help_with_an_example() {
    let help = run("--help");
    assert_eq!(help.status, 0);
    assert!(help.stdout.contains("Example"));
    let commands: Vec<&str> = help
        .stdout
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !name.is_empty() && *name != "help")
        .collect();
    for expected in ["analyze", "bench", "gtp", "perft", "play", "rules", "solve"] {
        assert!(commands.contains(&expected), "{expected} is not among {commands:?}");
    }
    for name in commands {
        let help = run(&format!("{name} --help"));
        assert_eq!(help.status, 0, "{name}");
        let has_example = help.stdout.contains("Example") && help.stdout.contains(&format!("outflank {name}"));
        assert!(has_example, "{name} --help shows no example");
    }
}

#[test]
fn versions_and_unknown_words() {
    assert!(run("--version").stdout.starts_with(concat!("outflank ", env!("CARGO_PKG_VERSION"))));
    let unknown = run("frobnicate");
    assert_eq!(unknown.status, 2);
    assert!(unknown.stderr.contains("frobnicate"));
}

#[test]
fn the_first_line_of_a_pipe_tells_the_protocol() {
    let gtp = run_with("", "7 name\nquit\n");
    assert_eq!((gtp.status, gtp.stdout.as_str()), (0, "=7 Outflank\n\n=\n\n"));
    let console = run_with("-q -l 1", "play f5\ngo\nquit\n");
    assert_eq!(console.status, 0);
    assert!(console.stdout.contains("Outflank plays "), "{}", console.stdout);
    let nothing = run_with("", "");
    assert_eq!((nothing.status, nothing.stdout.as_str()), (0, ""));
}

#[test]
fn arguments_in_the_style_of_edax() {
    let solved = run_with("-solve - -n 1", "");
    assert_eq!(solved.status, 0, "{}", solved.stderr);
    assert!(solved.stdout.contains("principal variation"));
    let gtp = run_with("-gtp -q -l 5", "name\n");
    assert_eq!((gtp.status, gtp.stdout.as_str()), (0, "= Outflank\n\n"));
}

#[test]
fn levels_are_explained() {
    let levels = run("levels");
    assert_eq!(levels.status, 0);
    assert_eq!(levels.stdout.lines().count(), 3 + 61);
    let row = levels.stdout.lines().find(|line| line.trim_start().starts_with("21 ")).unwrap();
    assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["21", "21@73%", "24", "-", "27", "-", "30", "-"]);
    let json = run("levels 6 --json").json();
    assert_eq!((&json[0]["level"], &json[0]["depth"], &json[0]["selectivity"]), (&6.into(), &6.into(), &100.into()));
}
