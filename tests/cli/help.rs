//! Help and versions.

use super::run::{START, run, run_with};

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

/// The options of a help, each with the heading that it stands under.
fn options_of(help: &str) -> Vec<(String, String)> {
    let (mut heading, mut options) = (String::new(), Vec::new());
    for line in help.lines() {
        let is_heading = line.ends_with(':') && line.starts_with(|c: char| c.is_ascii_uppercase());
        let option = line.trim_start();
        // what is behind the first line of an option is further in
        let is_option = match line.len() - option.len() {
            2 => option.starts_with('-'),
            6 => option.starts_with("--"),
            _ => false,
        };
        if is_heading {
            heading = line.trim_end_matches(':').to_string();
        } else if is_option {
            options.push((heading.clone(), option.to_string()));
        }
    }
    options
}

#[test]
fn options_stand_under_their_headings() {
    let nested = ["convert", "filter", "unique", "check", "find", "players", "problems", "random"]
        .map(|name| format!("games {name}"));
    let books = [
        "new", "info", "show", "names", "grow", "store", "deepen", "fix", "verify", "accuracy", "merge", "prune",
        "subtree",
    ];
    let books = books.into_iter().chain(["import", "export"]).map(|name| format!("book {name}"));
    let plain = "accuracy analyze bench board book cassio completions fit-ordering fit-probcut games gtp levels match nboard \
                 openings perft play rules selfplay solo solve train web";
    let mut seeds = 0;
    for command in nested.into_iter().chain(books).chain(plain.split_whitespace().map(String::from)) {
        let help = run(&format!("{command} --help")).stdout;
        for (heading, option) in options_of(&help) {
            // what commands share has a heading, what is a command's own has none of these
            let shared: &[&str] = match heading.as_str() {
                "Game options" => &["--rules"],
                "Output options" => &["--output", "--to", "--at", "--json"],
                "Engine options" => &["--threads", "--hash", "--eval", "--ponder", "--variety", "--seed"],
                "Search options" => &["--level", "--depth", "--selectivity", "--time", "--nodes"],
                _ => &[],
            };
            let is_shared = shared.iter().any(|name| option.contains(&format!("{name} ")) || option.ends_with(name));
            assert!(shared.is_empty() || is_shared, "{command}: {option} under {heading}");
            if option.starts_with("--seed") {
                assert!(option.starts_with("--seed <SEED>"), "{command}: {option}");
                seeds += 1;
            }
        }
        // a command that is wrapped cannot be copied
        let (_, examples) = help.split_once("\nExamples:\n").unwrap_or_default();
        for line in examples.lines().filter(|line| !line.starts_with("      ")) {
            assert!(line.contains("outflank ") || line.starts_with("  curl "), "{command}: {line}");
        }
    }
    assert!(seeds > 9, "{seeds}");
}

/// Options that are none without an embedding say themselves what they are otherwise.
#[test]
fn training_tells_what_the_embedding_has_without_options() {
    let help = run("train --help").stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let outflank::train::embedding::Settings { epochs, batch, rate } = Default::default();
    for told in [
        format!("train the embedding [default: {epochs}]"),
        format!("embedding's training [default: {batch}]"),
        format!("range a step [default: {rate}]"),
    ] {
        assert!(help.contains(&told), "{told}: {help}");
    }
}

#[test]
fn versions_and_unknown_words() {
    // `-V` is one line, `--version` has the version of JSON, too
    let (short, long) = (run("-V").stdout, run("--version").stdout);
    assert!(short.starts_with(concat!("outflank ", env!("CARGO_PKG_VERSION"), " (")) && short.lines().count() == 1);
    assert_eq!(long, format!("{short}json {}\n", outflank::analysis::json::JSON_VERSION));
    let unknown = run("frobnicate");
    assert_eq!(unknown.status, 2);
    assert!(unknown.stderr.contains("frobnicate"));
    // as other programs are told what to speak
    for (line, tip) in [("--nboard", Some("nboard")), ("solve --gtp", Some("gtp")), ("--frobnicate", None)] {
        let tip = tip.map(|name| format!("tip: {name} is a command: outflank {name}\n"));
        let unknown = run(line);
        let said = |tip: &String| unknown.stderr.contains(tip.as_str());
        assert!(
            unknown.status == 2 && tip.as_ref().map_or(!unknown.stderr.contains("is a command"), said),
            "{}",
            unknown.stderr
        );
    }
}

#[test]
fn the_first_line_of_a_pipe_tells_the_protocol() {
    let gtp = run_with("", "7 name\nquit\n");
    assert_eq!((gtp.status, gtp.stdout.as_str()), (0, "=7 Outflank\n\n=\n\n"));
    let console = run_with("-q -l 1", "play f5\ngo\nquit\n");
    assert_eq!(console.status, 0);
    assert!(console.stdout.contains("Outflank plays "), "{}", console.stdout);
    // the only protocol of a client known by name that is not spoken
    let xboard = run_with("", "xboard\nprotover 2\n");
    assert_eq!((xboard.status, xboard.stdout.as_str()), (2, ""));
    assert!(xboard.error().contains("XBoard's protocol is not spoken here"), "{}", xboard.stderr);
    let nothing = run_with("", "");
    assert_eq!((nothing.status, nothing.stdout.as_str()), (0, ""));
    // what a protocol has no use for is passed over, as the help says: the first and the last of these options frame them
    let clocked = run_with("--clock 60 -q", "1 name\n");
    assert_eq!((clocked.status, clocked.stdout.as_str()), (0, "=1 Outflank\n\n"));
    let help = run("--help").stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("for which alone the options from --engine to --clock are"), "{help}");
    let options = help.split(" Options: -e, --engine").nth(1).unwrap().split("-h, --help").next().unwrap();
    assert!(options.split("--").last().unwrap().starts_with("clock"), "{options}");
}

#[test]
fn arguments_in_the_style_of_edax() {
    let solved = run_with("-solve - -n 1 -l 1", START);
    assert_eq!(solved.status, 0, "{}", solved.stderr);
    assert!(solved.stdout.contains("principal variation"));
    let gtp = run_with("-gtp -q -l 5", "name\n");
    assert_eq!((gtp.status, gtp.stdout.as_str()), (0, "= Outflank\n\n"));
}

#[test]
fn levels_are_explained() {
    let levels = run("levels");
    assert_eq!(levels.status, 0);
    assert_eq!(levels.stdout.lines().count(), (3 + 61) + 1 + (2 + 10));
    let row = levels.stdout.lines().find(|line| line.trim_start().starts_with("21 ")).unwrap();
    assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["21", "21@73%", "24", "-", "27", "-", "30", "-"]);
    let json = run("levels 6 --json").json();
    assert_eq!((&json[0]["level"], &json[0]["depth"], &json[0]["selectivity"]), (&6.into(), &6.into(), &100.into()));
    // whatever --level takes
    let club = run("levels club");
    assert_eq!((club.status, club.stdout.lines().count()), (0, 3), "{}", club.stderr);
    let row: Vec<&str> = club.stdout.lines().next_back().unwrap().split_whitespace().collect();
    assert_eq!(row, ["club", "2", "6.3", "-", "6"]);
    assert_eq!(run("levels --json").stdout.lines().count(), 61 + 10);
    assert_eq!(run("levels gm").status, 2);
}

#[test]
fn completions_and_the_manual_page() {
    for (arguments, part) in [("bash", "_outflank"), ("zsh", "#compdef outflank"), ("--man", ".TH outflank 1")] {
        let run = run(&format!("completions {arguments}"));
        assert!(run.status == 0 && run.stdout.contains(part), "{arguments}: {}", run.stderr);
    }
    let folder = tempfile::tempdir().unwrap();
    let all = run(&format!("completions --dir {}/release", folder.path().display()));
    assert_eq!(all.status, 0, "{}", all.stderr);
    let names: Vec<String> = std::fs::read_dir(folder.path().join("release"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    for name in ["outflank.bash", "_outflank", "outflank.fish", "outflank.1", "outflank-solve.1"] {
        assert!(names.iter().any(|found| found == name), "{name}: {names:?}");
    }
    assert_eq!(run("completions").status, 2);
    // no page about help, nothing of this machine, and examples in their columns
    assert!(!names.iter().any(|name| name.contains("help")), "{names:?}");
    let page = |name: &str| std::fs::read_to_string(folder.path().join("release").join(name)).unwrap();
    let version = format!(".SH VERSION\nv{}\n", env!("CARGO_PKG_VERSION"));
    assert!(page("outflank.1").contains(&version), "{}", page("outflank.1"));
    assert!(page("outflank-solve.1").contains(".SH EXAMPLES\n.nf\n\\&  outflank solve problems.obf "));
}

/// Self-play refuses a limit that other searches have, and says so before it is tried.
#[test]
fn self_play_has_no_limit_of_time() {
    let help = run("selfplay --help").stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("--time <TIME> Refused here: games must not depend on the speed of the machine"), "{help}");
    assert!(run("selfplay --out none/games.osp --time 1").error().starts_with("--time: games must not depend on"));
}

/// What help does not show, shells do not offer; what it shows, they do.
#[test]
fn completions_leave_out_what_is_hidden() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run(&format!("completions {shell}")).stdout;
        for hidden in ["repeat", "auto-quit", "auto-start", "auto-swap", "fit"] {
            let offers = |before: &str| {
                script.contains(&format!("{before}{hidden} ")) || script.contains(&format!("{before}{hidden}'"))
            };
            assert!(!offers("--") && !offers("-l "), "{shell} offers --{hidden}");
        }
        for shown in ["best-moves", "no-book", "move-time", "fit-probcut"] {
            assert!(script.contains(shown), "{shell}: {shown}");
        }
    }
}

/// What a client sends in the example is answered as the example says.
#[test]
fn the_example_of_cassio_is_true() {
    let help = run("cassio --help").stdout;
    // however the help is wrapped
    let (_, example) = help.split_once("$ outflank cassio\n").expect("an example");
    let words: Vec<&str> = example.split_whitespace().collect();
    let (command, answer) = words.split_at(7);
    let answer = answer.iter().take_while(|word| **word != "...").copied().collect::<Vec<_>>().join(" ");
    let said = run_with("cassio", &(command.join(" ") + "\n")).stdout;
    assert!(said.starts_with(&answer) && said.ends_with("ready.\n"), "{answer}: {said}");
}

/// People's commands use all cores, and say so.
#[test]
fn threads_by_default() {
    for (command, part) in
        [("solve", "all cores"), ("analyze", "all cores"), ("play", "all cores at a terminal, 1 over a pipe")]
    {
        let help = run(&format!("{command} --help")).stdout;
        assert!(help.contains(&format!("[default: {part}")), "{command}: {help}");
    }
    assert!(run("gtp --help").stdout.contains("[default: 1]"));
}

#[test]
fn an_unknown_level_of_the_log_is_told_and_the_work_is_done() {
    for (value, told) in [
        (
            "foo",
            "outflank: OUTFLANK_LOG: 'foo' is no level (off, error, warn, info, debug, trace); nothing is logged on stderr\n",
        ),
        ("info", ""),
    ] {
        let output = crate::binary::output(super::run::command("levels 3").env("OUTFLANK_LOG", value), "");
        assert_eq!((output.status.success(), String::from_utf8(output.stderr).unwrap().as_str()), (true, told));
    }
}

/// Lines in and out and searches, with times and why they ended.
#[test]
fn a_log_of_a_session() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.log");
    let log = path.display();
    for (arguments, input) in [
        (format!("gtp --no-book --log {log}"), "set_level 4\ngenmove black\nnonsense\n"),
        // the last line need not end
        (format!("play -q --no-book --log {log} --nodes 50"), "go"),
    ] {
        run_with(&arguments, input);
    }
    let text = std::fs::read_to_string(&path).unwrap();
    for part in ["< set_level 4\n", "< genmove black\n", "> = ", "> ? unknown command\n", "< go\n", "> Outflank plays "]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    for end in ["depth 4@100%", "ended by the goal", "ended by the limit of nodes"] {
        assert!(text.lines().any(|line| line.contains("DEBUG search of ") && line.contains(end)), "{end}: {text}");
    }
    assert!(
        text.lines().all(|line| line.starts_with("20") && &line[10..11] == " " && line.contains(" DEBUG ")),
        "{text}"
    );
}

/// The programs of `examples/` say what is wrong in words; `cargo test` builds them beside the program.
#[test]
fn examples_explain_bad_arguments() {
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_outflank")).with_file_name("examples");
    let program = |name: &str| folder.join(name).with_extension(std::env::consts::EXE_EXTENSION);
    if !program("play").exists() {
        return crate::shared_data::skipped("the examples (cargo build --examples)");
    }
    for (name, arguments, told) in [
        ("solve", &["XO"] as &[_], "XO: "),
        ("play", &["61", "1"], "a level is a number from 0 to 60"),
        ("play", &["1", "1", "chess"], "unknown rule set 'chess': expected one of othello"),
        ("analyze", &["f5d7"], "move 2"),
        ("analyze", &["f5", "strong"], "a level is a number from 0 to 60"),
    ] {
        let output = std::process::Command::new(program(name)).args(arguments).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), error.lines().count()), (Some(1), 1), "{name}: {error}");
        assert!(error.starts_with(&format!("Error: \"{told}")) || error.contains(told), "{name}: {error}");
    }
}
