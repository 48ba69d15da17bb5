//! How files name the rules of their games.
//!
//! Games of othello, on a board of any size, need not say anything. For all others SGF and GGF have the text form of the
//! rules in `RU[...]`, and text files (transcripts, OBF) have a comment line before the games: `# rules: traveller`.
//! What a file says about its games goes before what its reader was told.

use std::sync::Arc;

use crate::rules::text::ParseRulesError;
use crate::rules::{Objective, RuleSet};

/// The rules in a comment line `# rules: NAME` or `% rules: NAME`; `None` when the line is another.
pub(crate) fn in_comment(line: &str) -> Option<Result<Arc<RuleSet>, ParseRulesError>> {
    let comment = line.trim_start_matches('\u{feff}').trim_start().strip_prefix(['#', '%'])?;
    let name = comment.trim_start().strip_prefix("rules:")?;
    Some(name.trim().parse().map(Arc::new))
}

/// The comment line that names the rules of what follows it.
fn comment(rules: &RuleSet) -> String {
    format!("# rules: {rules}\n")
}

/// What names the rules of positions that are written one by one: the comment line before a position whose rules are not those of
/// the one before it. Readers begin with othello.
#[derive(Debug, Default)]
pub struct Naming(RuleSet);

impl Naming {
    /// The line before a position of these rules, empty where none is needed.
    pub fn before(&mut self, rules: &RuleSet) -> String {
        if self.0 == *rules {
            return String::new();
        }
        self.0 = rules.clone();
        comment(rules)
    }
}

/// The rules as results name them: othello's need no name.
pub fn unless_othello(rules: &RuleSet) -> Option<String> {
    (*rules != RuleSet::othello()).then(|| rules.to_string())
}

/// Othello, whatever the size.
pub(super) fn is_sized_othello(rules: &RuleSet) -> bool {
    rules.to_builder().size(8, 8).build().is_ok_and(|sized| sized == RuleSet::othello())
}

/// Othello, whatever the size and whether more or fewer discs win.
pub(super) fn is_sized_or_anti_othello(rules: &RuleSet) -> bool {
    rules.to_builder().objective(Objective::Most).build().is_ok_and(|most| is_sized_othello(&most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comment_lines() {
        for line in ["# rules: hungarian:6x6", "%rules:hungarian:6x6\r\n", "\u{feff} #  rules: Hungarian: 6x6 "] {
            assert_eq!(in_comment(line).unwrap().unwrap().to_string(), "hungarian:6x6", "{line}");
        }
        for line in ["", "f5 # rules: hungarian", "# the rules: none", "rules: hungarian"] {
            assert!(in_comment(line).is_none(), "{line}");
        }
        assert!(in_comment("# rules: chess").unwrap().is_err());
        let rules: RuleSet = "traveller:6x6".parse().unwrap();
        assert_eq!(*in_comment(&comment(&rules)).unwrap().unwrap(), rules);
    }

    #[test]
    fn rules_are_named_where_they_change() {
        let (othello, other) = (RuleSet::othello(), "traveller".parse().unwrap());
        let mut naming = Naming::default();
        let lines = [&othello, &other, &other, &othello].map(|rules| naming.before(rules));
        assert_eq!(lines, ["", "# rules: traveller\n", "", "# rules: othello\n"]);
    }

    #[test]
    fn what_need_not_be_said() {
        let is = |text: &str| {
            let rules: RuleSet = text.parse().unwrap();
            (is_sized_othello(&rules), is_sized_or_anti_othello(&rules))
        };
        assert_eq!(is("othello:10x12"), (true, true));
        assert_eq!(is("othello:6x6,fewest"), (false, true));
        assert_eq!(is("reveris"), (false, false));
        assert_eq!(is("othello:6x6,own"), (false, false));
    }
}
