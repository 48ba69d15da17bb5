//! By what results were found: work that goes on tells its own results from others.

use crate::formats::named_rules::unless_othello;
use crate::rules::RuleSet;

/// The options of a command that decide what it finds, in one spelling.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MadeWith {
    /// Those that decide every result; empty when none was given.
    pub options: String,
    /// Limits of time and nodes that are not among them: they decide what results say that they cut short
    /// ([`Report::stopped`](crate::search::Report::stopped)), and change nothing in others.
    pub limits: String,
    /// The options name the rules, so that those of results need not be compared.
    pub names_rules: bool,
}

impl MadeWith {
    /// The options that decided one result, which was cut short or was not.
    pub fn of(&self, is_cut: bool) -> String {
        let limits = if is_cut { self.limits.as_str() } else { "" };
        let gap = if self.options.is_empty() || limits.is_empty() { "" } else { " " };
        format!("{}{gap}{limits}", self.options)
    }
}

/// By what something was found: the options of the command, whether a limit had cut it short, and the rules, none where they are othello's.
#[derive(Clone, Copy, Debug)]
pub(super) struct By<'a> {
    pub options: &'a str,
    pub is_cut: bool,
    pub rules: Option<&'a str>,
}

impl By<'_> {
    /// Checks that what was found of one (the `result` of `problem 3`) by this is what these options and rules would find. Where it does not name
    /// its rules, they are those of the options, which are compared by themselves, or othello's.
    pub fn check(self, (kind, one): (&str, &str), now: &MadeWith, rules: &RuleSet) -> Result<(), String> {
        let options = now.of(self.is_cut);
        if self.options != options {
            let named = |options: &str| match options.is_empty() {
                true => "without options".to_string(),
                false => format!("with {options}"),
            };
            let (then, now) = (named(self.options), named(&options));
            return Err(format!("the {kind} of {one} was made {then} then, not {now}"));
        }
        let rules = unless_othello(rules);
        if self.rules == rules.as_deref() || (self.rules.is_none() && now.names_rules) {
            return Ok(());
        }
        let named = |rules: Option<&str>| rules.unwrap_or("othello").to_string();
        Err(format!("{one} was one of {} then, and is one of {} now", named(self.rules), named(rules.as_deref())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_decide_what_they_cut_short() {
        let made = |options: &str, limits: &str| MadeWith {
            options: options.to_string(),
            limits: limits.to_string(),
            names_rules: false,
        };
        let [level, solve, none] = [made("--level 9", "--nodes 500"), made("", "--time 2"), made("--wld", "")];
        assert_eq!([level.of(false), level.of(true)], ["--level 9", "--level 9 --nodes 500"]);
        assert_eq!([solve.of(false), solve.of(true), none.of(true)], ["", "--time 2", "--wld"]);
        let check = |options: &str, is_cut: bool, now: &MadeWith| {
            let by = By { options, is_cut, rules: None };
            by.check(("result", "problem 1"), now, &RuleSet::othello())
        };
        // a finished result goes on under any limit, one that was cut short under its own
        assert_eq!(check("--level 9", false, &level), Ok(()));
        assert_eq!(check("--level 9 --nodes 500", true, &level), Ok(()));
        let other = check("--time 1", true, &solve).unwrap_err();
        assert_eq!(other, "the result of problem 1 was made with --time 1 then, not with --time 2");
        let unlimited = check("--time 1", true, &made("", "")).unwrap_err();
        assert_eq!(unlimited, "the result of problem 1 was made with --time 1 then, not without options");
    }

    #[test]
    fn rules_are_those_of_the_options_where_a_result_names_none() {
        let octagon: RuleSet = "octagon".parse().unwrap();
        let check = |then: Option<&str>, names_rules: bool, now: &RuleSet| {
            let made = MadeWith { names_rules, ..MadeWith::default() };
            By { options: "", is_cut: false, rules: then }.check(("result", "problem 1"), &made, now)
        };
        for names_rules in [false, true] {
            assert_eq!(check(Some("octagon"), names_rules, &octagon), Ok(()));
            assert_eq!(check(None, names_rules, &RuleSet::othello()), Ok(()));
            let other = check(Some("octagon"), names_rules, &RuleSet::othello()).unwrap_err();
            assert_eq!(other, "problem 1 was one of octagon then, and is one of othello now");
            assert_eq!(check(None, names_rules, &octagon).is_ok(), names_rules);
        }
    }
}
