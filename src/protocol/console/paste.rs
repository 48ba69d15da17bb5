//! Several lines that come as one: terminals mark what is pasted.

use super::command::{Command, find};

/// The commands of a text of several lines, a line each. A transcript and the drawing of a board go over several lines: moves
/// behind moves, and rows behind `setboard`, belong to the command before them.
pub fn pasted_commands(text: &str) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match commands.last_mut().filter(|before| continues(before, line)) {
            Some(before) => *before = format!("{before} {line}"),
            None => commands.push(line.to_string()),
        }
    }
    commands
}

/// The line goes on with what the command before it has begun.
fn continues(before: &str, line: &str) -> bool {
    let is_bare = find(name(line)).is_none();
    let is_move = is_bare && is_play(line);
    if find(name(before)).is_some_and(|entry| entry.names[0] == "setboard") {
        return is_bare && !is_move || is_row(line);
    }
    is_move && is_play(before)
}

/// The squares of a row one by one, or a side to move, whose letters are short names of commands, too.
fn is_row(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.clone().count() >= 4 && words.all(|word| word.chars().count() == 1) || line.eq_ignore_ascii_case("o")
}

fn is_play(line: &str) -> bool {
    matches!(line.parse(), Ok(Command::Play(_)))
}

/// The word that says which command a line is.
fn name(line: &str) -> &str {
    let line = line.strip_prefix("set ").map_or(line, str::trim_start);
    line.split([' ', '\t', '=']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_commands() {
        for (text, commands) in [
            ("", &[][..]),
            ("f5", &["f5"][..]),
            ("level 3\ngo\n\nhint 2\n", &["level 3", "go", "hint 2"]),
            (
                "f5\n# a remark\nd6\nfrobnicate\nset mode 3\nc3",
                &["f5", "# a remark", "d6", "frobnicate", "set mode 3", "c3"],
            ),
            // a transcript
            ("new\nplay f5 d6\nc3 d3\n c4\nmoves", &["new", "play f5 d6 c3 d3 c4", "moves"]),
            ("f5d6\npass\nc3", &["f5d6 pass c3"]),
        ] {
            assert_eq!(pasted_commands(text), commands, "{text:?}");
        }
    }

    #[test]
    fn boards_have_rows() {
        let plain = "setboard --------\n--------\n--------\n---OX---\n---XO---\n--------\n--------\n-------- X\nf5\ngo";
        let drawn = "a\nsetboard\n  a b c d e f g h\n1 - - O O O O - - 1\nO O X X X X O O\nb - - - - - - -\nO\nlevel 3\nset depth 2\ng";
        let hungarian = "setboard #####o##8\no#O#O###7\nx";
        let rows = |text: &str, count| text.lines().take(count).collect::<Vec<_>>().join(" ");
        assert_eq!(pasted_commands(plain), [rows(plain, 8).as_str(), "f5", "go"]);
        assert_eq!(
            pasted_commands(drawn),
            [
                "a",
                "setboard a b c d e f g h 1 - - O O O O - - 1 O O X X X X O O b - - - - - - - O",
                "level 3",
                "set depth 2",
                "g"
            ]
        );
        assert_eq!(pasted_commands(hungarian), [rows(hungarian, 3)]);
    }
}
