//! Arguments in Edax's style (`-solve FILE`, `-gtp`, `-level 5`), so that scripts written for it need no change.

use std::ffi::OsString;

/// Options that are subcommands here.
const COMMANDS: [&str; 4] = ["cassio", "gtp", "nboard", "solve"];
/// Options that only lost a hyphen: (Edax's name, ours).
const RENAMED: [(&str, &str); 9] = [
    ("level", "--level"),
    ("depth", "--depth"),
    ("move-time", "--time"),
    ("n-tasks", "--threads"),
    ("threads", "--threads"),
    ("quiet", "--quiet"),
    ("nobook", "--nobook"),
    ("all-moves", "--all-moves"),
    ("wld", "--wld"),
];

/// Puts arguments in Edax's style into ours; everything else passes unchanged.
pub fn translate(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut translated = Vec::new();
    let mut command = None;
    let mut arguments = arguments.enumerate().peekable();
    while let Some((i, argument)) = arguments.next() {
        let name = argument.to_str().and_then(|text| text.strip_prefix('-')).filter(|_| i > 0).unwrap_or("");
        if let Some(known) = COMMANDS.iter().find(|known| **known == name) {
            command = Some(known);
        } else if name == "book-usage" {
            // there is no book to switch off
            arguments.next();
        } else if let Some((_, ours)) = RENAMED.iter().find(|renamed| renamed.0 == name) {
            translated.push(OsString::from(ours));
        } else {
            translated.push(argument);
        }
    }
    if let Some(command) = command {
        // subcommands come first
        translated.insert(1.min(translated.len()), OsString::from(command));
    }
    translated
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edax_style() {
        for (edax, ours) in [
            ("outflank -gtp -q -level 5 -n-tasks 2", "outflank gtp -q --level 5 --threads 2"),
            ("outflank -solve x.obf -n 4", "outflank solve x.obf -n 4"),
            ("outflank -q -l 5 -book-usage off", "outflank -q -l 5"),
            ("outflank solve -l 5 --json x", "outflank solve -l 5 --json x"),
            ("outflank", "outflank"),
            ("-gtp", "-gtp"),
        ] {
            let translated = translate(edax.split(' ').map(OsString::from));
            assert_eq!(translated.join(&OsString::from(" ")), OsString::from(ours));
        }
    }
}
