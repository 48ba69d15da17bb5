//! Levels, times, counts and other quantities as people write them, in options and console commands.
//!
//! Errors are texts that say what is expected, for a front end to put behind the name of the option.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use crate::rules::{ParseRulesError, RuleSet};
use crate::search::{Level, MAX_HASH_MIB, MAX_THREADS, ParseLevelError, Selectivity};

/// A count and a noun: `1 line`, `2 lines`.
pub fn plural(count: u64, noun: &str) -> String {
    counted(count, noun, &format!("{noun}s"))
}

/// A count and a noun whose plural has more than an s: `1 search`, `2 searches`.
pub fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", noun(count, one, many))
}

/// The noun of a count that stands elsewhere, in a column of its own.
pub fn noun<'a>(count: u64, one: &'a str, many: &'a str) -> &'a str {
    if count == 1 { one } else { many }
}

/// Reads a rule set: a preset, or a preset with changes.
pub fn parse_rules(text: &str) -> Result<Arc<RuleSet>, String> {
    text.parse().map(Arc::new).map_err(|error: ParseRulesError| error.to_string())
}

/// Reads a level 0..=60.
pub fn parse_level(text: &str) -> Result<Level, String> {
    text.parse().map_err(|error: ParseLevelError| error.to_string())
}

/// A number of percent without its sign, if it has one.
pub fn without_percent_sign(text: &str) -> &str {
    text.strip_suffix('%').unwrap_or(text)
}

/// Reads a confidence in percent.
pub fn parse_selectivity(text: &str) -> Result<Selectivity, String> {
    let percent = without_percent_sign(text).parse::<u32>().ok();
    Selectivity::ALL
        .into_iter()
        .find(|selectivity| Some(selectivity.percent()) == percent)
        .ok_or_else(|| "the confidences are 73, 87, 95, 98, 99 and 100".to_string())
}

/// Reads a number of threads or jobs.
pub fn parse_threads(text: &str) -> Result<usize, String> {
    whole(1..=MAX_THREADS)(text)
}

/// Reads a table size in MiB.
pub fn parse_hash(text: &str) -> Result<usize, String> {
    whole(1..=MAX_HASH_MIB)(text)
}

/// Reads the beginning of random numbers.
pub fn parse_seed(text: &str) -> Result<u64, String> {
    whole(0..=u64::MAX)(text)
}

/// The types that numbers are read into.
pub trait Number: FromStr + PartialOrd + Display + Copy + Send + Sync + 'static {}

impl<T: FromStr + PartialOrd + Display + Copy + Send + Sync + 'static> Number for T {}

/// A reader of whole numbers of this range. (The errors of the standard library do not say what is expected.)
pub fn whole<T: Number>(
    range: RangeInclusive<T>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    in_range("whole number", range)
}

/// A reader of numbers of this range, fractions allowed.
pub fn number(range: RangeInclusive<f64>) -> impl Fn(&str) -> Result<f64, String> + Clone + Send + Sync + 'static {
    in_range("number", range)
}

/// [`number`] with the precision of trainings.
pub fn single(range: RangeInclusive<f64>) -> impl Fn(&str) -> Result<f32, String> + Clone + Send + Sync + 'static {
    let number = number(range);
    move |text| number(text).map(|number| number as f32)
}

fn in_range<T: Number>(
    what: &'static str,
    range: RangeInclusive<T>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| {
        let value = text.parse().ok().filter(|value| range.contains(value));
        value.ok_or_else(|| format!("not a {what} from {} to {}", range.start(), range.end()))
    }
}

/// The largest count.
const MOST_COUNTED: f64 = 9e15;
/// The longest time, in seconds: some thirty years.
const LONGEST: f64 = 1e9;

/// Reads a count with an optional factor: `1500`, `20k`, `1.5M`, `3G`.
pub fn parse_count(text: &str) -> Result<u64, String> {
    let error = || "not a positive count such as 1500, 20k, 1.5M or 3G".to_string();
    let (digits, factor) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 1e3),
        Some((at, 'm' | 'M')) => (&text[..at], 1e6),
        Some((at, 'g' | 'G')) => (&text[..at], 1e9),
        _ => (text, 1.0),
    };
    if !digits.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return Err(error());
    }
    let value = digits.parse::<f64>().map_err(|_| error())? * factor;
    if value < 1.0 {
        return Err(error());
    }
    // 2^53 is not far: beyond it a float skips integers, and no search gets there
    if value > MOST_COUNTED {
        return Err(format!("more than {MOST_COUNTED}, the largest count"));
    }
    // what is not quite an integer can come from the multiplication alone, as 1.001k does
    let whole = value.round();
    if (value - whole).abs() <= whole * f64::EPSILON { Ok(whole as u64) } else { Err(error()) }
}

/// Reads a time above 0: seconds, `MM:SS` or `H:MM:SS`, the seconds with an optional fraction.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    parse_span(text).and_then(|time| if time.is_zero() { Err(not_a_time()) } else { Ok(time) })
}

fn not_a_time() -> String {
    "not a time such as 1.5 (seconds), 2:30 or 1:00:00".to_string()
}

/// Reads a time, which may be none at all, as [`parse_time`] does.
pub fn parse_span(text: &str) -> Result<Duration, String> {
    let error = not_a_time;
    let mut parts = text.rsplit(':');
    let seconds = parts.next().unwrap_or_default();
    if !seconds.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return Err(error());
    }
    let mut total = seconds.parse::<f64>().map_err(|_| error())?;
    let mut unit = 60.0;
    for part in parts {
        let value = part.parse::<u32>().map_err(|_| error())?;
        total += f64::from(value) * unit;
        unit *= 60.0;
    }
    if unit > 3600.0 * 60.0 {
        return Err(error());
    }
    if total > LONGEST {
        return Err(format!("longer than {LONGEST} seconds, the longest time"));
    }
    Ok(Duration::from_secs_f64(total))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        for (text, seconds) in [("1", 1.0), ("0.25", 0.25), ("2:30", 150.0), ("1:00:00.5", 3600.5)] {
            assert_eq!(parse_time(text), Ok(Duration::from_secs_f64(seconds)), "{text}");
        }
        for bad in ["", "0", "-1", "1e3", "a", "1:2:3:4", "1:-2", ":", "inf", "NaN", "1.5:00", "1000000000:1:2:3"] {
            assert_eq!(parse_time(bad), Err(not_a_time()), "{bad}");
        }
        assert_eq!(parse_time("1000000000"), Ok(Duration::from_secs(1_000_000_000)));
        for long in ["1000000001", "16666666:41", &"9".repeat(400)] {
            assert_eq!(parse_time(long), Err("longer than 1000000000 seconds, the longest time".to_string()), "{long}");
        }
    }

    #[test]
    fn counts() {
        for (text, count) in [
            ("1", 1),
            ("1500", 1500),
            ("20k", 20_000),
            ("1.5M", 1_500_000),
            ("1.001k", 1001),
            ("2.", 2),
            ("3G", 3_000_000_000),
        ] {
            assert_eq!(parse_count(text), Ok(count), "{text}");
        }
        for bad in ["", "0", "k", "-5", "1e9", "1.2.3", "1.5", "1.0005k", "5x", "é"] {
            assert!(parse_count(bad).unwrap_err().starts_with("not a positive count"), "{bad}");
        }
        assert_eq!(parse_count("9000000G"), Ok(9_000_000_000_000_000));
        for large in ["9000001G", "99999999999G", &"9".repeat(400)] {
            assert_eq!(parse_count(large), Err("more than 9000000000000000, the largest count".to_string()), "{large}");
        }
    }

    #[test]
    fn numbers_of_a_range() {
        assert_eq!((whole(0..=64_u8)("64"), parse_threads("1")), (Ok(64), Ok(1)));
        for bad in ["65", "-1", "x", "", "1.5", "99999999999999999999"] {
            assert_eq!(whole(0..=64_u8)(bad), Err("not a whole number from 0 to 64".to_string()), "{bad}");
        }
        assert_eq!((number(0.0..=0.5)("0.5"), parse_seed("18446744073709551615")), (Ok(0.5), Ok(u64::MAX)));
        for bad in ["0.51", "-1", "x", "", "NaN", "inf", "1e999"] {
            assert_eq!(number(0.0..=0.5)(bad), Err("not a number from 0 to 0.5".to_string()), "{bad}");
        }
    }

    #[test]
    fn counts_have_their_nouns() {
        assert_eq!([0, 1, 2].map(|count| plural(count, "line")), ["0 lines", "1 line", "2 lines"]);
        assert_eq!([1, 2].map(|count| counted(count, "search", "searches")), ["1 search", "2 searches"]);
    }

    #[test]
    fn levels_and_selectivities() {
        assert_eq!(parse_level("60"), Ok(Level::MAX));
        assert!(parse_level("61").is_err() && parse_level("-1").is_err() && parse_level("x").is_err());
        assert_eq!(parse_selectivity("73%"), Ok(Selectivity::MOST));
        assert!(parse_selectivity("80").is_err());
    }
}
