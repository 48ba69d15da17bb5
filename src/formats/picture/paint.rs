//! The colours in which discs are drawn.

use super::{BLACK, Colour, LAST, WHITE};

/// What the rules may call a side, and the colour of its discs: but for black and white the one that the page of `outflank web` names it by.
const NAMED: [(&str, Colour); 12] = [
    ("black", BLACK),
    ("white", WHITE),
    ("gold", [0xe2, 0xac, 0x24]),
    ("red", RED),
    ("green", [0x86, 0xc9, 0x34]),
    ("blue", BLUE),
    ("yellow", [0xec, 0xd0, 0x2a]),
    ("silver", [0xb5, 0xbc, 0xc3]),
    ("brown", [0x74, 0x48, 0x1f]),
    ("orange", [0xe5, 0x7a, 0x1c]),
    ("violet", [0x73, 0x40, 0xad]),
    ("pink", [0xe0, 0x6c, 0x9f]),
];
const RED: Colour = [0xc6, 0x2f, 0x31];
const BLUE: Colour = [0x2a, 0x63, 0xc9];

/// The colours of the first and the second player's discs, by the names of the sides; of names that say nothing, black and white.
pub(crate) fn paints([first, second]: [&str; 2]) -> [Colour; 2] {
    let named = |side: &str| NAMED.iter().find(|(name, _)| name.eq_ignore_ascii_case(side)).map(|(_, paint)| *paint);
    match (named(first), named(second)) {
        (Some(first), Some(second)) if first != second => [first, second],
        (Some(first), None) => [first, if first == WHITE { BLACK } else { WHITE }],
        (None, Some(second)) => [if second == BLACK { WHITE } else { BLACK }, second],
        // the letters of the hungarian rules
        (None, None) if (first, second) == ("o", "O") => [RED, BLUE],
        _ => [BLACK, WHITE],
    }
}

/// The colour in which a number is read on a disc.
pub(super) fn ink([red, green, blue]: Colour) -> Colour {
    let light = 3 * u32::from(red) + 6 * u32::from(green) + u32::from(blue);
    if light > 1280 { BLACK } else { WHITE }
}

/// The colour of the mark of the last move, which is red, on a disc: on coloured ones it would not be seen.
pub(crate) fn mark(disc: Colour) -> Colour {
    if disc == BLACK || disc == WHITE { LAST } else { ink(disc) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn discs_have_the_colours_that_the_rules_name() {
        let by_rules = |rules: &str| {
            let rules: crate::rules::RuleSet = rules.parse().unwrap();
            paints(rules.colors().each_ref().map(String::as_str))
        };
        let named = |name: &str| NAMED.iter().find(|(other, _)| *other == name).unwrap().1;
        assert_eq!(by_rules("othello"), [BLACK, WHITE]);
        assert_eq!(by_rules("ravensburger"), [named("gold"), BLACK]);
        assert_eq!(by_rules("traveller"), [named("red"), named("green")]);
        assert_eq!(by_rules("hungarian"), [named("red"), named("blue")]);
        assert_eq!(by_rules("othello:colors=White/Black"), [WHITE, BLACK]);
        assert_eq!(by_rules("othello:colors=olive/black"), [WHITE, BLACK]);
        assert_eq!(by_rules("othello:colors=olive/pink"), [BLACK, named("pink")]);
        assert_eq!(by_rules("othello:colors=white/olive"), [WHITE, BLACK]);
        assert_eq!(by_rules("othello:colors=olive/beige"), [BLACK, WHITE]);
        assert_eq!(paints(["red", "Red"]), [BLACK, WHITE], "the same colour twice parts nobody");
    }

    /// Black and white are other shades there.
    #[test]
    fn colours_are_those_of_the_page() {
        let style = include_str!("../../web/page/style.css");
        for (name, paint) in &NAMED[2..] {
            let rule = format!("[data-paint=\"{name}\"] {{ background: {}; }}", crate::formats::picture::hex(*paint));
            assert!(style.contains(&rule), "{rule}");
        }
    }

    #[test]
    fn numbers_and_marks_are_seen_on_every_disc() {
        for (name, disc) in NAMED {
            let light = ["white", "gold", "green", "yellow", "silver", "orange", "pink"].contains(&name);
            assert_eq!(ink(disc), if light { BLACK } else { WHITE }, "{name}");
            assert_eq!(mark(disc), if ["black", "white"].contains(&name) { LAST } else { ink(disc) }, "{name}");
        }
    }
}
