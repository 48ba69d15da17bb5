//! `outflank games` and `outflank board`.

use std::fs;
use std::path::Path;

use super::run::{Run, START, command, run, run_args, run_with};
use crate::shared_data;

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/wthor");

fn text(path: &Path) -> String {
    fs::read_to_string(path).expect("a text file")
}

/// WTHOR to every format of games and back: the same moves, names and results.
#[test]
fn games_go_through_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let original = run(&format!("games convert {SAMPLE} --to pgn"));
    assert_eq!((original.status, original.stderr.as_str()), (0, ""));
    assert_eq!(original.stdout.matches("[Black ").count(), 10);
    let mut input = SAMPLE.to_string();
    for name in ["a.ggf", "b.sgf", "c.pgn", "d.wtb"] {
        let output = folder.path().join(name).display().to_string();
        let converted = run(&format!("games convert {input} -o {output} --json"));
        assert_eq!(converted.status, 0, "{name}: {}", converted.stderr);
        assert_eq!(converted.json()[0]["written"], 10, "{name}");
        let told = "outflank: theoretical scores, in whose place is the result: 10\n";
        assert_eq!(converted.stderr.contains(told), name == "d.wtb", "{name}: {}", converted.stderr);
        input = output;
    }
    let back = run(&format!("games convert {input} --to pgn"));
    let tags = |text: &str| {
        let is_tag = |line: &&str| line.starts_with('[') && !line.starts_with("[Site");
        text.lines().filter(is_tag).map(str::to_string).collect::<Vec<_>>()
    };
    assert_eq!(tags(&back.stdout), tags(&original.stdout), "the event went through GGF as the place");
    // WTHOR turns games so that they begin with f5: they are still the same
    assert_eq!(back.stdout.matches("1. f5").count(), 10);
    let unique = run(&format!("games unique {SAMPLE} {input}"));
    assert_eq!(unique.stdout.lines().count(), 10, "{}", unique.stdout);
    // what is left of a position reads back as that position
    let fen = folder.path().join("e.fen").display().to_string();
    assert_eq!(run(&format!("games convert {SAMPLE} -o {fen} --at 20")).status, 0);
    let boards = run(&format!("games convert {fen} --to board"));
    assert_eq!(boards.stdout, run(&format!("games convert {SAMPLE} --to board --at 20")).stdout);
    assert_eq!(boards.stdout.lines().count(), 10);
}

#[test]
fn bad_games_are_told_and_the_others_written() {
    let converted = run_with("games convert -", "f5d6\nf5f5\n1. d3\n");
    assert_eq!((converted.status, converted.stdout.as_str()), (2, "f5d6\nd3\n"));
    assert!(
        converted.error().starts_with("standard input: line 2: move 2 (column 3): white cannot play 'f5'"),
        "{}",
        converted.stderr
    );
    assert_eq!(
        run("games convert no/such.ggf").error(),
        "cannot read 'no/such.ggf': No such file or directory (os error 2)"
    );
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.xyz").display().to_string();
    assert!(
        run_with(&format!("games convert - -o {output}"), "f5\n")
            .error()
            .contains("the extension stands for no format")
    );
    let output = folder.path().join("out.wtb").display().to_string();
    let other = run_with(&format!("games convert - -o {output}"), "f5\n# rules: othello:6x6\nc2\n");
    assert_eq!(other.status, 2);
    assert!(other.stderr.contains("standard input: game 2: WTHOR holds games of othello"), "{}", other.stderr);
}

/// A file of another format than its extension says is bad input, and no games are no file.
#[test]
fn files_of_another_format_are_told_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("wrong.ggf"), "f5d6c3\nf5f6\n").unwrap();
    fs::write(path("hello.sgf"), "hello world").unwrap();
    fs::write(path("bytes.sgf"), [0xfdu8, 0xfe, 0x00, 0x9c].repeat(700)).unwrap();
    fs::write(path("blank.ggf"), "\n \n").unwrap();
    for (name, format) in [("wrong.ggf", "GGF"), ("hello.sgf", "SGF"), ("bytes.sgf", "SGF")] {
        let checked = run(&format!("games check {}", path(name)));
        assert_eq!((checked.status, checked.stderr.lines().count()), (2, 1), "{}", checked.stderr);
        let problem = format!("line 1, column 1: no game of the format {format} is here, though the name");
        assert!(checked.error().contains(&problem), "{}", checked.stderr);
        assert!(checked.stdout.starts_with("0 games; 1 unreadable"), "{}", checked.stdout);
    }
    for (name, status, output) in
        [("wrong.ggf", 2, "out.pgn"), ("blank.ggf", 0, "out.pgn"), ("wrong.ggf", 2, "out.wtb"), ("blank.ggf", 0, "")]
    {
        let converted = run(&format!(
            "games convert {} --to {} -o {}",
            path(name),
            if output == "out.pgn" { "pgn" } else { "wthor" },
            path(output)
        ));
        assert_eq!(converted.status, status, "{}", converted.stderr);
        let fate = if output.is_empty() { "is left as it was" } else { "is not made" };
        assert!(converted.stderr.contains("0 of 0 games written: ") && converted.stderr.contains(fate));
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
    // what was there stays; nothing found by a filter is an answer
    fs::write(path("out.pgn"), "mine").unwrap();
    run(&format!("games convert {} -o {}", path("wrong.ggf"), path("out.pgn")));
    assert_eq!(text(Path::new(&path("out.pgn"))), "mine");
    assert_eq!(run(&format!("games filter {SAMPLE} --year 1800 -o {}", path("out.pgn"))).status, 0);
    assert_eq!(text(Path::new(&path("out.pgn"))), "");
}

/// A conversion to WTHOR that accepts no game leaves a folder that takes the next one.
#[test]
fn no_database_without_games() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    for target in [path(""), path("small.wtb")] {
        let refused = run_with(&format!("games convert - -o {target} --to wthor"), "# rules: othello:6x6\nc2\n");
        assert_eq!(refused.status, 2);
        assert!(refused.stderr.contains("0 of 1 games written: "), "{}", refused.stderr);
        let filtered = run(&format!("games filter {SAMPLE} --year 1800 -o {target} --to wthor"));
        let fate = if Path::new(&target).exists() { "is left as it was" } else { "is not made" };
        assert!(filtered.status == 0 && filtered.stderr.contains(fate), "{}", filtered.stderr);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
    let next = run_with(&format!("games convert - -o {}", path("next.wtb")), "Result: 40-24\nf5\n");
    assert_eq!(next.status, 0, "{}", next.stderr);
}

/// The lists of the database itself have a name of their own, and the next database that comes would take the place of longer ones.
#[test]
fn names_of_the_database_are_not_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().display().to_string();
    let convert = || run_with(&format!("games convert - -o {place} --to wthor"), "Result: 40-24\nf5\n");
    assert_eq!(convert().status, 0);
    assert_eq!(convert().status, 0, "its own are");
    let help = run("games convert --help").stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for (own, other) in [("WTHOR.JOU", "WTH.JOU"), ("WTHOR.TRN", "WTH.TRN")] {
        assert!(folder.path().join(own).exists() && help.contains(own), "{help}");
        fs::rename(folder.path().join(own), folder.path().join(other)).unwrap();
    }
    assert!(help.contains("(WTH.JOU), is refused"), "{help}");
    let refused = convert();
    assert_eq!(refused.status, 3);
    assert!(refused.error().contains("WTH.JOU has the names of other games"), "{}", refused.stderr);
}

/// A file that is only known as standard output: names would be put beside `/dev/stdout`.
#[cfg(target_os = "linux")]
#[test]
fn no_names_beside_those_of_the_system() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.wtb");
    for output in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        let mut convert = command(&format!("games convert {SAMPLE} --to wthor -o {output}"));
        let refused = convert.stdout(fs::File::create(&path).unwrap()).output().unwrap();
        let told = format!(
            "outflank: cannot write '{output}': WTHOR has files of names beside the games: it needs the file's own name\n"
        );
        assert_eq!((refused.status.code(), String::from_utf8(refused.stderr).unwrap()), (Some(3), told));
        assert_eq!((fs::read_dir(folder.path()).unwrap().count(), fs::read(&path).unwrap().len()), (1, 0));
    }
}

/// A file system that takes the names but not the games: without them names would keep other games out of the folder.
#[cfg(unix)]
#[test]
fn a_full_disc_leaves_no_names_without_games() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("games.wtb").display().to_string();
    let games = "Black: Ann\nWhite: Bob\nResult: 40-24\nf5d6c3\n".repeat(100);
    let input = folder.path().join("games.txt");
    fs::write(&input, games).unwrap();
    // 2 or 4 KiB
    let script = format!(
        "trap '' XFSZ; ulimit -f 4; exec {} games convert {} -o {output}",
        env!("CARGO_BIN_EXE_outflank"),
        input.display()
    );
    let full = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
    assert_eq!(full.status.code(), Some(3), "{}", String::from_utf8_lossy(&full.stderr));
    let files: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(files, ["games.txt"]);
}

/// A list of names is no damaged list of games, and names of games do nothing to a terminal.
#[test]
fn names_of_strangers() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let list = fs::read_dir(SAMPLE).unwrap().map(|entry| entry.unwrap().path());
    let players = list.into_iter().find(|path| path.extension().is_some_and(|name| name.eq_ignore_ascii_case("jou")));
    let checked = run(&format!("games check {}", players.unwrap().display()));
    assert!(checked.status == 2 && checked.error().contains(": this is a list of "), "{}", checked.stderr);
    let bell = "(;GM[2]SZ[8]PB[\u{1b}[31mAnn]PW[B\nob]EV[Cup\u{7}]C[\u{1b}];B[fe]C[\u{1b}[2J])";
    fs::write(path("a.sgf"), bell).unwrap();
    let analysis = format!("analyze {0} --level 1 --report {0}.html --report {0}.md --svg {0}.svg", path("a.sgf"));
    for command in [analysis, format!("games check {}", path("a.sgf")), format!("games find f5 {}", path("a.sgf"))] {
        let told = run(&command);
        assert!(told.status == 0 && told.stdout.contains("[31mAnn"), "{}{}", told.stdout, told.stderr);
        let controls = told.stdout.chars().filter(|c| c.is_control() && *c != '\n').count();
        assert_eq!(controls, 0, "{:?}", told.stdout);
    }
    for report in ["a.sgf.html", "a.sgf.md", "a.sgf.svg"] {
        let text = text(Path::new(&path(report)));
        assert!(text.contains("Ann") && !text.contains(|c: char| c.is_control() && c != '\n'), "{report}");
    }
}

/// What WTHOR has lost is said, and the names of games that are there stay theirs.
/// Files of strangers may have any name, and anything in the place of their rules.
#[cfg(target_os = "linux")]
#[test]
fn file_names_and_rules_of_strangers() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &[u8]| folder.path().join(OsStr::from_bytes(name));
    fs::write(at(b"a\x1b[2J\noutflank: all is well.txt"), "f5d6\nzz\n").unwrap();
    fs::write(at(b"b.txt"), "# rules: \u{1b}[2J\u{9b}1m\nf5\n").unwrap();
    fs::write(at(b"\xff.txt"), "f5d6\n").unwrap();
    let path = folder.path().to_str().unwrap();
    for arguments in
        [&["games", "check", path][..], &["games", "check", path, "--json"], &["games", "find", "f5", path]]
    {
        let told = run_args(arguments, "");
        assert_eq!(told.status, 2, "{}", told.stderr);
        let said = told.stdout + &told.stderr;
        let acts = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(!said.contains(acts), "{said:?}");
        assert!(!said.lines().any(|line| line.starts_with("outflank: all is well")), "{said}");
        assert!(said.contains("a\\u{1b}[2J\\noutflank: all is well.txt: line 2: move 1"), "{said}");
        assert!(said.contains("b.txt: line 1: unknown rule set '\\u{1b}[2j\\u{9b}1m': expected"), "{said}");
    }
    // one line for each game that is not finished, whatever its file is called
    let checked = run_args(&["games", "check", path, "--json"], "");
    assert_eq!(checked.json()[2]["unfinished"], 2, "{}", checked.stdout);
}

#[test]
fn databases_grow_and_losses_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let convert = |text: &str, output: &str| run_with(&format!("games convert - -o {output} --to wthor"), text);
    let named = |black: &str, year: u16| format!("Black: {black}\nWhite: Bob\nDate: {year}\nResult: 40-24\nf5d6c3\n");
    assert_eq!(convert(&(named("Ann", 1999) + &named("Eve", 2000)), &path("")).status, 0);
    assert_eq!(convert(&named("Zoe", 2001), &path("")).stderr, format!("1 of 1 games written to {}\n", path("")));
    let pages = run(&format!("games convert {} --to pgn", path(""))).stdout;
    let blacks: Vec<&str> = pages.lines().filter_map(|line| line.strip_prefix("[Black ")).collect();
    assert_eq!(blacks, ["\"Ann\"]", "\"Eve\"]", "\"Zoe\"]"]);
    let lossy = named("Maximilian von Hohenstein", 2002) + &named("Maximilian von Hohenzollern", 2002) + "f5\n";
    let told = convert(&lossy, &path(""));
    assert_eq!(told.status, 2);
    for remark in [
        "game 3: WTHOR holds games with a result only",
        "names cut or spelt otherwise (WTHOR holds 19 or 25 letters of Latin-1): 2\n",
        "names that are the same as another one since: 1\n",
        "2 of 3 games written",
    ] {
        assert!(told.stderr.contains(remark), "{}", told.stderr);
    }
    // games of a stream have no names, those of the current folder least of all
    let bytes = fs::read(path("WTH_1999.wtb")).unwrap();
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_outflank"))
        .args(["games", "convert", "-", "--to", "pgn"])
        .current_dir(folder.path())
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), &bytes).unwrap();
    let page = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    assert!(page.contains("[Black \"?\"]") && page.contains("1. f5 d6 2. c3"), "{page}");
    // a file with more games than it says
    fs::write(path("WTH_1999.wtb"), [&bytes[..], &bytes[16..]].concat()).unwrap();
    for command in ["check", "find f5d6"] {
        let checked = run(&format!("games {command} {}", path("WTH_1999.wtb")));
        assert_eq!(checked.status, 2);
        assert!(checked.stderr.contains("overlong file: the header announces 1 game "), "{}", checked.stderr);
    }
    // a game that cannot be played
    let mut damaged = bytes;
    damaged[26] = 99;
    fs::write(path("WTH_1999.wtb"), damaged).unwrap();
    let found = run(&format!("games find f5d6 {}", path("WTH_1999.wtb")));
    assert_eq!(found.status, 2);
    assert!(found.stderr.contains("WTH_1999.wtb: game 1: move 3: code 99 is not a square"), "{}", found.stderr);
}

/// Results that a format cannot say as they are.
#[test]
fn results_without_scores_are_told() {
    let games = "(;GM[2]SZ[8]PB[Ann]PW[Bob]RE[B+R];B[fe];W[df];B[cc])\n(;GM[2]SZ[8]RE[W+2];B[fe];W[df];B[cc])\n";
    for (format, told) in
        [("pgn", "outflank: wins without a score, written as wins of all squares: 1\n"), ("sgf", ""), ("txt", "")]
    {
        assert_eq!(run_with(&format!("games convert - --to {format}"), games).stderr, told);
    }
    let ggf = "(;GM[Othello]RE[+12.00:r]B[F5];)\n";
    let told = run_with("games convert - --to sgf", ggf).stderr;
    assert!(told.contains("whose scores SGF has no place for then: 1\n"), "{told}");
    for format in ["pgn", "wthor -o games.wtb"] {
        let folder = tempfile::tempdir().unwrap();
        let format = format.replace("games.wtb", &folder.path().join("games.wtb").display().to_string());
        let told = run_with(&format!("games convert - --to {format}"), ggf).stderr;
        assert!(told.contains("agreed on, of which only the score is written: 1\n"), "{told}");
    }
    for (format, count) in [("pgn", 1), ("wthor -o games.wtb", 2)] {
        let folder = tempfile::tempdir().unwrap();
        let format = format.replace("games.wtb", &folder.path().join("games.wtb").display().to_string());
        let uneven = "(;GM[Othello]RE[+3.5]B[F5];)\n(;GM[Othello]RE[+3]B[F5];)\n(;GM[Othello]RE[+4]B[F5];)\n";
        let told = run_with(&format!("games convert - --to {format}"), uneven).stderr;
        assert!(told.contains(&format!("which PGN leaves out and WTHOR rounds to the next win: {count}\n")), "{told}");
    }
    let found = run_with("games find f5d6 -", games).stdout;
    assert!(found.contains("50.0 % of the points"), "{found}");
}

#[test]
fn games_without_moves_and_positions_of_games() {
    let empty = run_with("games convert -", "(;GM[Othello]PB[Ann];)\n").stdout;
    assert_eq!(empty, format!("{START} \n"));
    let checked = run_with("games check -", &empty).stdout;
    assert!(checked.ends_with("1 game; 0 unreadable, 0 wrong results, 1 unfinished\n"), "{checked}");
    let refused = run_with("games convert - --to ggf --at 2", "f5d6\n");
    assert_eq!(refused.status, 2);
    assert!(refused.error().contains("--at: ggf holds whole games"), "{}", refused.stderr);
    let short = run_with("games convert - --to fen --at 2", "f5\n");
    assert!(short.stderr.contains("game 1: the game has 1 move only\n"), "{}", short.stderr);
}

/// Brackets in a remark make no page a game of another format; discs in hand go with a position that is set up, and values too long
/// for a line are cut, which is said.
#[test]
fn pages_are_read_again() {
    let page = "[Event \"Cup\"]\n\n1. f5 {a smile (;} d6 *\n";
    assert_eq!(run_with("games convert -", page).stdout, "f5d6\n");
    let hands = "# rules: traveller:4x4\n-----XO--OX----- X hands=7/5\n";
    for format in ["pgn", "fen"] {
        let written = run_with(&format!("games convert - --to {format}"), hands).stdout;
        assert_eq!(run_with("games convert - --to board", &written).stdout, hands, "{written}");
    }
    let told = run_with("games convert - --to ggs", hands).stderr;
    assert_eq!(told, "outflank: positions whose discs in hand GGS has no place for: 1\n");
    let long = run_with("games convert - --to pgn", &format!("(;GM[2]SZ[8]PB[{}];B[fe])", "Ann".repeat(30_000)));
    assert_eq!(long.stderr, "outflank: values cut that are longer than a line of PGN may be: 1\n");
    assert_eq!(run_with("games convert -", &long.stdout).stdout, "f5\n");
    let bracket = run_with("games convert - --to ggf", "[Black \"A]x\"]\n[Result \"33-31\"]\n\n1. f5 d6 33-31\n");
    assert!(bracket.stdout.contains("PB[A)x]"), "{}", bracket.stdout);
    let told = "outflank: names and other values whose ']' GGF has no way to write, and which have ')' instead: 1\n";
    assert_eq!(bracket.stderr, told);
    // nor does a game come to a place on its way
    let nowhere = run_with("games convert - --to ggf", "Black: Ann\nWhite: Bob\nDate: 1999\nf5d6c3d3c4f4\n").stdout;
    assert!(nowhere.starts_with("(;GM[Othello]PC[]DT[1999]PB[Ann]PW[Bob]"), "{nowhere}");
    let sgf = run_with("games convert - --to sgf", &nowhere).stdout;
    assert!(sgf.contains("PB[Ann]") && !sgf.contains("PC["), "{sgf}");
}

/// `-` is standard output, as without an output.
#[test]
fn games_go_to_standard_output_by_name() {
    let written = run_with("games convert - -o - --to ggf", "f5d6\n");
    assert_eq!((written.status, written.stderr.as_str()), (0, ""));
    assert_eq!(written.stdout, run_with("games convert - --to ggf", "f5d6\n").stdout);
    let both = run_with("games convert - -o - --json", "f5d6\n");
    assert_eq!((both.status, both.stdout.as_str()), (2, ""));
    assert!(both.error().starts_with("--json: standard output is where the games go"), "{}", both.stderr);
}

/// Rules go through PGN.
#[test]
fn pages_name_the_rules_of_their_games() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("a.pgn").display().to_string();
    let games = "f5d6\n# rules: hungarian:6x6\nd2\n# rules: othello:6x6\nc2\n# rules: othello\nd3\n";
    let written = run_with(&format!("games convert - -o {page}"), games);
    assert_eq!(written.status, 0, "{}", written.stderr);
    let tags = text(Path::new(&page));
    let variants: Vec<&str> = tags.lines().filter(|line| line.starts_with("[Variant")).collect();
    assert_eq!(variants, ["[Variant \"hungarian:6x6\"]", "[Variant \"othello:6x6\"]"]);
    assert_eq!(run(&format!("games convert {page}")).stdout, games);
}

#[test]
fn filters_choose_and_equal_games_are_one() {
    let all = run(&format!("games filter {SAMPLE}")).stdout;
    assert_eq!(all.lines().count(), 10);
    let [black, white, draw] = ["black", "white", "draw"]
        .map(|result| run(&format!("games filter {SAMPLE} --result {result}")).stdout.lines().count());
    assert_eq!(black + white + draw, 10);
    assert!(black > 0 && white > 0);
    assert_eq!(run(&format!("games filter {SAMPLE} --year 1999")).stdout, "");
    let first = all.lines().next().unwrap();
    let reached = run(&format!("games filter {SAMPLE} --position {}", &first[..24])).stdout;
    assert!(reached.lines().count() < 10 && reached.contains(first));
    // moves to a position are by the rules asked for, as those of `games find` are
    let parallel =
        |moves| run_with(&format!("games filter - --rules reversi:parallel --position {moves}"), "c3c4\nd3\n");
    assert_eq!(parallel("c3").stdout, "# rules: reversi:parallel\nc3c4\n");
    let small = run_with("games filter - --rules othello:6x6 --position c2", "c2\n");
    assert!(small.error().ends_with("--position: positions of othello on 8x8 can be looked for"), "{}", small.stderr);
    assert!(run(&format!("games filter {SAMPLE} --player a --player b --player c")).error().contains("at most two"));
    let twice = format!("{all}{all}d3c3\nf5f6\n");
    assert_eq!(run_with("games unique -", &twice).stdout, format!("{all}d3c3\n"));
}

#[test]
fn positions_are_found_with_moves_and_players() {
    let games = "f5d6c3\nd3c5d6\nf5f6\nblack: Ann\nwhite: Bob\nresult: 40-24\nf5d6c4\n";
    let found = run_with("games find f5d6 - --json", games);
    assert_eq!(found.status, 0, "{}", found.stderr);
    let found = &found.json()[0];
    assert_eq!((&found["searched"], &found["games"]), (&4.into(), &3.into()));
    let moves = found["moves"].as_array().unwrap();
    assert_eq!(moves.iter().map(|mv| mv["games"].as_u64().unwrap()).sum::<u64>(), 3);
    let c4 = moves.iter().find(|mv| mv["move"] == "c4").unwrap();
    assert_eq!((&c4["wins"], &c4["percent"], &c4["mean"]), (&1.into(), &100.0.into(), &16.0.into()));
    assert_eq!(found["players"][0]["name"], "Ann");
    let table = run_with("games find f5d6 -", games).stdout;
    assert!(table.contains("3 of 4 games") && table.contains("Ann - Bob"), "{table}");
    // white is to move in this one; the score of a game that is listed is black's all the same, and long names move no column
    let names = games.replace("Bob", "村上 who has a name that is longer than the column");
    let table = run_with("games find f5d6c4 -", &names).stdout;
    assert!(table.contains("white: 0.0 % of the points, -16.00 discs"), "{table}");
    let listed = table.split_once("latest games (black - white, and black's score)\n").unwrap().1;
    assert!(listed.contains(" +16  Ann - 村上"), "{table}");
    let columns = |line: &str| line.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum::<usize>();
    let rows: Vec<usize> = table.lines().skip_while(|line| !line.starts_with("player ")).take(3).map(columns).collect();
    assert!(rows.iter().all(|row| *row == rows[0]), "{table}");
    let table = run_with("games find f5d6 -", games).stdout;
    assert_eq!(run_with("games find f5d6 -", "").status, 0);
    // a board may begin with a hyphen, and options may come before it
    let board = run_with("games convert - --to board", "f5d6\n").stdout;
    for arguments in [["find", board.trim(), "-", "--list", "1"], ["find", "-l", "1", board.trim(), "-"]] {
        let found = run_args(&[&["games"][..], &arguments[..]].concat(), games);
        assert!(found.stdout.contains("3 of 4 games"), "{}{}", found.stdout, found.stderr);
    }
    assert_eq!(run_args(&["games", "filter", "--position", board.trim(), "-"], "f5d6\nd3\n").stdout, "f5d6\n");
    let dated = |year: u32| format!("(;GM[Othello]DT[{year}.02.03]B[F5]W[D6];)\n");
    for (last, told) in [(1999, "2 of 2 games, 1999\n"), (2003, "2 of 2 games, 1999 to 2003\n")] {
        let table = run_with("games find f5d6 -", &(dated(1999) + &dated(last))).stdout;
        assert!(table.contains(told), "{table}");
    }
    let place = run_with("games find f5d6 -", "(;GM[Othello]PC[GGS]PB[a]PW[b]B[F5]W[D6]B[C3];)\n").stdout;
    assert!(place.ends_with("a - b, GGS\n"), "{place}");
    assert!(table.contains("Ann - Bob\n"), "nothing stands where there is no event: {table}");
    assert!(table.contains("    ?  ? - ?\n"), "players without names: {table}");
    assert_eq!(run("games find zz9 x.txt").status, 2);
}

#[test]
fn the_table_of_a_tournament() {
    let games = "black: Ann\nwhite: Bob\nresult: 40-24\nf5d6c4\nblack: 村上\nwhite: Ann\nresult: 32-32\nf5d6c4\n\
                 black: Bob\nwhite: Cid\nf5d6\n";
    let table = run_with("games players - --cross", games);
    assert_eq!((table.status, table.stderr.as_str()), (0, ""));
    assert_eq!(
        table.stdout,
        "#  player  games  won  drawn  lost  points       %   discs    1    2  3  4\n\
         1  Ann         2    1      1     0     1.5  75.0 %   +8.00    -  0.5  -  1\n\
         2  村上        1    0      1     0     0.5  50.0 %   +0.00  0.5    -  -  -\n\
         3  Cid         1    0      0     0       0       -       -    -    -  -  0\n\
         4  Bob         2    0      0     1       0   0.0 %  -16.00    0    -  0  -\n"
    );
    let pasted = run_with("games players - --markdown", games).stdout;
    assert!(pasted.lines().nth(2).is_some_and(|line| line.starts_with("| 1 | Ann ")), "{pasted}");
    let json = run_with("games players - --json --count 1", games).json();
    assert_eq!((&json[0]["games"], json[0]["players"].as_array().map(Vec::len)), (&3.into(), Some(1)));
    assert_eq!(json[0]["players"][0]["opponents"][1]["name"], "Bob");
    let nobody = run_with("games players -", "f5d6\n");
    assert_eq!((nobody.status, nobody.stdout.as_str()), (0, ""));
    assert!(nobody.stderr.contains("no player of these games has a name"), "{}", nobody.stderr);
    assert_eq!(run_with("games players -", "f5f5\n").status, 2);
}

/// Where a position or moves are asked for, the name of an opening stands for its moves.
#[test]
fn openings_go_by_their_names() {
    let found = run_with("games find tiger - --json", "c4e3f6e6f5\nf5f6\n");
    assert_eq!((found.status, &found.json()[0]["games"]), (0, &1.into()), "{}", found.stderr);
    assert_eq!(run_with("games filter - --position Tiger", "d3c5f6f5e6\nf5f6\n").stdout, "d3c5f6f5e6\n");
    let drawn = run_args(&["board", "heath bat"], "");
    assert_eq!(drawn.stdout, run("board f5f6e6f4g5e7e3").stdout);
    let searched = run_args(&["analyze", "Rose-v-Toth", "--level", "1"], "");
    assert!(searched.stdout.contains("\nOpening: Rose-v-Toth\n"), "{}{}", searched.stdout, searched.stderr);
    // not on other boards, and a file goes before
    for arguments in ["board tiger --rules othello:6x6", "board tiger --rules hungarian", "board tigers"] {
        let refused = run(arguments);
        assert_eq!(refused.status, 2, "{arguments}");
        assert!(refused.error().contains("is neither a file nor a position nor moves"), "{}", refused.stderr);
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("cow"), "f5d6c3\n").unwrap();
    let file = command("board cow").current_dir(folder.path()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&file.stdout), run("board f5d6c3").stdout);
}

#[test]
fn the_whole_database_is_searched() {
    let Some(folder) = shared_data::path("data/wthor") else { return };
    let folder = folder.display();
    let started = std::time::Instant::now();
    let found = run(&format!("games find f5d6c3d3c4 {folder} --json"));
    println!("all games of WTHOR in {:?}", started.elapsed());
    assert_eq!(found.status, 0, "{}", found.stderr);
    let found = &found.json()[0];
    assert_eq!((&found["searched"], &found["games"]), (&137_548.into(), &50_775.into()));
    // counted by converting the games of two years and searching the texts
    let one = format!("{folder}/WTH_2001.wtb");
    let texts = run(&format!("games convert {one} --to pgn")).stdout;
    let [by_record, by_text] =
        [run(&format!("games find f5d6c3d3c4 {one} --json")), run_with("games find f5d6c3d3c4 - --json", &texts)];
    assert_eq!(by_record.json()[0]["moves"], by_text.json()[0]["moves"]);
    assert!(by_record.json()[0]["games"].as_u64().unwrap() > 1000);
}

#[test]
fn checks_say_what_does_not_fit() {
    let checked = run(&format!("games check {SAMPLE} --json"));
    assert_eq!(checked.status, 0, "{}", checked.stdout);
    let sums = checked.json().pop().unwrap();
    assert_eq!((&sums["games"], &sums["wrong_results"], &sums["unfinished"]), (&10.into(), &0.into(), &0.into()));
    assert_eq!(sums["duplicates"], serde_json::Value::Null, "nobody has looked for any");
    let looked = run(&format!("games check {SAMPLE} --json --duplicates")).json().pop().unwrap();
    assert_eq!(looked["duplicates"], 0);
    let wipe_out = "Result: 10-54\ne6f4e3f6g5d6e7f5c5\ne6f4e3f6g5d6e7f5c5\nf5\nx\n";
    let checked = run_with("games check - --duplicates", wipe_out);
    assert_eq!(checked.status, 2);
    assert!(checked.stdout.contains("the recorded score is -44, that of the last position +64"), "{}", checked.stdout);
    assert!(checked.stdout.ends_with("3 games; 1 unreadable, 1 wrong result, 1 unfinished, 1 duplicate\n"));
    assert_eq!(run_with("games check -", "Result: 10-54\ne6f4e3f6g5d6e7f5c5\n").status, 1);
}

/// What a filter has let through may be nothing: that is said, and no error.
#[test]
fn no_game_at_all_is_told() {
    for (command, sums) in [
        ("convert -", ""),
        ("filter - --year 1999", ""),
        ("unique -", ""),
        ("check -", "0 games; 0 unreadable, 0 wrong results, 0 unfinished\n"),
        ("find f5d6 -", "0 of 0 games\n"),
        ("problems -", ""),
    ] {
        for input in ["", " \n\n"] {
            let none = run_with(&format!("games {command}"), input);
            assert_eq!(none.status, 0, "{command}");
            assert!(none.stderr.starts_with("outflank: there is no game in standard input\n"), "{}", none.stderr);
            assert!(none.stdout.ends_with(sums), "{}", none.stdout);
        }
        // there is one, whatever becomes of it
        for input in ["f5d6\n", "nonsense\n"] {
            let some = run_with(&format!("games {command}"), input);
            assert!(!some.stderr.contains("there is no game in"), "{command}: {}", some.stderr);
        }
    }
}

#[test]
fn problems_are_solved_as_they_say() {
    let folder = tempfile::tempdir().unwrap();
    let made = run(&format!("games problems {SAMPLE} --empties 6..9 --swing 6 --hash 4"));
    assert_eq!(made.status, 0, "{}", made.stderr);
    assert!(made.stdout.lines().count() > 5, "{}", made.stdout);
    let path = folder.path().join("p.obf");
    fs::write(&path, &made.stdout).unwrap();
    assert_eq!(run(&format!("solve {} --all-moves", path.display())).status, 0, "the scores are right");
    let few = run(&format!("games problems {SAMPLE} --empties 6..9 --swing 6 --hash 4 --count 3 --json"));
    assert_eq!((few.status, few.json().len()), (0, 3), "{}", few.stderr);
    assert_eq!(few.json()[0]["problem"], made.stdout.lines().next().unwrap());
}

/// Problems of games by several rules say whose they are, to readers and as JSON; so do solved ones.
#[test]
fn problems_of_other_rules_name_them() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name).display().to_string();
        fs::write(&path, text).unwrap();
        path
    };
    let wide = "-OXO-XXXOOOXX-XXOOOO";
    let (ends, others) = (
        "XXX-OOX--XOOOOOOXXOOOOXX-XXOOOXOOOXOXXXOOOXXOOXOOXXXXXXO-XXXXXXO O\n",
        format!("# rules: othello:4x5,fewest\n{wide} X\n# rules: othello\n"),
    );
    let mixed = file("mixed.obf", &format!("{ends}{others}{ends}"));
    let solved = run(&format!("solve {mixed} --obf --all-moves --hash 1"));
    assert_eq!(solved.status, 0, "{}", solved.stderr);
    let comments: Vec<&str> = solved.stdout.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(comments, ["# rules: othello:4x5,fewest", "# rules: othello"], "{}", solved.stdout);
    let again = run(&format!("solve {} --all-moves --hash 1", file("again.obf", &solved.stdout)));
    assert!(again.status == 0 && again.stdout.contains("3 of 3 as in the file"), "{}{}", again.stdout, again.stderr);
    let rules = |made: &Run, at: usize| made.json()[at].get("rules").map(|rules| rules.as_str().unwrap().to_string());
    let json = run(&format!("solve {mixed} --json --hash 1"));
    assert_eq!([0, 1, 2].map(|at| rules(&json, at)), [None, Some("othello:4x5,fewest".to_string()), None]);
    // games, each by its own rules
    let games = ["othello:4x4", "othello:4x4,fewest"].map(|rules| {
        run(&format!("games random --rules {rules} --empties 6 --count 6 --margin 16 --moves --level 1")).stdout
    });
    let games = file("games.txt", &games.concat());
    let problems = run(&format!("games problems {games} --empties 6..8 --swing 1 --hash 1"));
    let named: Vec<&str> = problems.stdout.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(named, ["# rules: othello:4x4", "# rules: othello:4x4,fewest"], "{}", problems.stdout);
    let solved = run(&format!("solve {} --all-moves --hash 1", file("problems.obf", &problems.stdout)));
    assert_eq!(solved.status, 0, "{}{}", solved.stdout, solved.stderr);
    let json = run(&format!("games problems {games} --empties 6..8 --swing 1 --hash 1 --json"));
    assert_eq!(rules(&json, 0).as_deref(), Some("othello:4x4"), "{}", json.stdout);
    for (asked, named) in [("othello:4x4", Some("othello:4x4")), ("othello", None)] {
        let json = run(&format!("games random --rules {asked} --empties 6 --count 1 --margin 64 --level 1 --json"));
        assert_eq!(rules(&json, 0).as_deref(), named, "{}", json.stdout);
    }
}

/// What was found by other rules, which the file of results says, is not taken for what is to be found now.
#[test]
fn results_of_other_rules_are_not_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let end = "-XXXXX--XOXOXX-OXOOXOXOXXOXOOOXXXOXXOXOXXOXXOOOXXOOXOOO-XOOOO--- X";
    for (command, line, what) in [("solve", end, "problem 1"), ("analyze", "f5d6c3", "game 1")] {
        let (input, output) = (path("input.txt"), path(command));
        let go = |rules: &str, options: &str| {
            fs::write(&input, format!("# rules: {rules}\n{line}\n")).unwrap();
            let level = if command == "solve" { "" } else { "--level 1" };
            run(&format!("{command} {input} --output {output} {level} --hash 1 {options}"))
        };
        assert_eq!(go("ravensburger", "").status, 0);
        let other = go("othello", "--resume");
        let expected = format!("{what} was one of ravensburger then, and is one of othello now");
        assert!(other.status == 2 && other.error().ends_with(&expected), "{}", other.stderr);
        assert_eq!(go("ravensburger", "--resume").status, 0, "the same rules");
        assert_eq!(go("reveris", "--resume").status, 2);
    }
}

#[test]
fn random_positions_are_even() {
    let made = run("games random --empties 12 --margin 2 --count 4 --level 6 --hash 4");
    assert_eq!((made.status, made.stdout.lines().count()), (0, 4), "{}", made.stderr);
    let solved = run_with("solve - --json --hash 4", &made.stdout).json();
    assert!(solved.iter().all(|one| one["score"].as_i64().unwrap().abs() <= 2), "level 6 solves 12 empty squares");
    assert!(!made.stdout.contains('%'), "they are proved: {}", made.stdout);
    // what is not says so, as problems of `solve` do
    let guessed = run("games random --empties 30 --count 3 --depth 4 --selectivity 73 --hash 4").stdout;
    assert!(guessed.lines().count() == 3 && guessed.lines().all(|line| line.ends_with("; % 4@73%")), "{guessed}");
    let json = run("games random --empties 30 --count 1 --level 1 --hash 4 --json").json();
    assert_eq!(json[0]["exact"], false);
    let moves = run("games random --empties 54 --moves --count 2 --level 1 --hash 4 --seed 7").stdout;
    assert!(moves.lines().count() == 2 && moves.lines().all(|line| line.len() == 12), "{moves}");
    assert_eq!(run("games random --empties 64").status, 2);
}

#[test]
fn boards_are_drawn_as_text_svg_and_png() {
    let folder = tempfile::tempdir().unwrap();
    let [svg, png] = ["a.svg", "a.png"].map(|name| folder.path().join(name));
    let drawn = run(&format!("board f5d6c3 --numbers --svg {} --png {} --size 20", svg.display(), png.display()));
    assert_eq!((drawn.status, drawn.stdout.as_str()), (0, ""));
    assert!(text(&svg).contains(">3</text>"));
    // `-` is standard output, here as elsewhere
    assert_eq!(run("board f5d6c3 --numbers --svg -").stdout, text(&svg));
    let bytes = fs::read(&png).unwrap();
    assert_eq!((&bytes[..4], &bytes[16..24]), (&b"\x89PNG"[..], &[0, 0, 0, 184, 0, 0, 0, 184][..]));
    let board = run_args(&["board", START], "").stdout;
    assert!(board.contains(" 4  -  -  -  O  X  -  -  -  4") || board.contains(" 4  -  -  .  O  X"), "{board}");
    let at = run(&format!("board {SAMPLE} --game 3 --at 10 --text")).stdout;
    assert_eq!(at.matches(['X', 'O']).count(), 14, "{at}");
    assert_eq!(run("board f5 --at 2").error(), "--at 2: the game has 1 move");
    assert!(run("board f5 --game 2").error().contains("there is no game or position 2"));
    let six = run("board c2 --rules othello:6x6 --plain").stdout;
    assert_eq!(six.lines().count(), 6 + 3, "{six}");
}
