//! What people type that this console does not have, and what does its work: commands of Edax's, and words that are guessed.

/// Words, and what to try instead.
type Hints = [(&'static [&'static str], &'static str)];

/// Of commands.
const COMMANDS: &Hints = &[
    (&["solve"], "`outflank solve FILE`"),
    (&["wtest"], "`outflank accuracy FOLDER`"),
    (&["bench"], "`outflank bench`"),
    (&["perft", "count"], "`outflank perft N`"),
    (&["base", "script-to-obf", "select-hard"], "`outflank games`"),
    (&["estimate", "eval", "evaluate"], "`level 0` and `hint`"),
    (&["ouverture"], "`book show`"),
    (&["selectivity"], "`depth N PERCENT`"),
    (&["n-tasks", "threads"], "`--threads N` when it is started"),
    (&["hash-table-size", "hash"], "`--hash MIB` when it is started"),
    (&["eval-file"], "`--eval FILE` when it is started"),
    (&["book-file"], "`--book FILE` when it is started"),
    (&["book-usage"], "`book on` and `book off`"),
    (&["book-randomness"], "`--book-loss DISCS` when it is started"),
    (&["report", "export", "review"], "`analyze`, or `save` and `outflank analyze FILE --report FILE.html`"),
    (&["restart", "reset"], "`new`"),
    (&["back", "takeback"], "`undo`"),
    (&["score"], "`board`"),
    (&["size", "boardsize"], "`rules othello:6x6`"),
    (&["resign"], "`new`, or `quit`"),
    (&["swap", "black", "white"], "`mode black` or `mode white` for the side that the engine plays"),
];

/// Of what follows `book`.
const BOOK: &Hints = &[
    (&["load", "open", "import"], "`outflank book import FILE MY.book`, then `--book MY.book` when it is started"),
    (&["save", "export"], "`outflank book export FILE`"),
    (&["new"], "`outflank book new FILE`"),
    (&["info", "stats"], "`outflank book info`"),
    (&["deviate", "extend", "play", "fill"], "`outflank book grow FILE --edax REL,ABS`"),
    (&["enhance", "deepen", "correct"], "`outflank book deepen FILE --level N`"),
    (&["fix", "link", "sort"], "`outflank book fix FILE`"),
    (&["negamax"], "`outflank book fix FILE --no-search`"),
    (&["add"], "`outflank book store FILE GAMES`"),
    (&["merge"], "`outflank book merge FILE OTHER`"),
    (&["prune"], "`outflank book prune FILE`"),
    (&["subtree"], "`outflank book subtree FILE MOVES`"),
    (&["problem"], "`outflank games problems GAMES`"),
    (&["randomness"], "`--book-loss DISCS` when it is started"),
    (&["depth"], "`outflank book grow FILE --plies PLY`"),
];

fn find(hints: &Hints, word: &str) -> Option<&'static str> {
    let is_word = |known: &&str| known.eq_ignore_ascii_case(word);
    hints.iter().find(|(words, _)| words.iter().any(is_word)).map(|(_, hint)| *hint)
}

/// What to try instead of a command that there is not.
pub(super) fn command(word: &str) -> &'static str {
    find(COMMANDS, word).unwrap_or("`help`")
}

/// What to try instead of what follows `book`.
pub(super) fn book(text: &str) -> &'static str {
    find(BOOK, text.split_whitespace().next().unwrap_or_default()).unwrap_or("`outflank book`")
}

#[cfg(test)]
mod tests {
    use super::super::command::{Command, find as entry};
    use super::*;

    #[test]
    fn no_word_is_a_command_here() {
        let words = |hints: &'static Hints| hints.iter().flat_map(|(words, _)| words.iter());
        assert!(words(COMMANDS).all(|word| entry(word).is_none()));
        for word in words(BOOK) {
            let error = format!("b {word} 2").parse::<Command>().unwrap_err();
            assert!(error.contains("(try `"), "{word}: {error}");
        }
        assert_eq!((command("Solve"), command("frobnicate")), ("`outflank solve FILE`", "`help`"));
        assert_eq!((book("deviate 2 4"), book("")), (BOOK[4].1, "`outflank book`"));
    }
}
