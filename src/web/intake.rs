//! What clients send, within limits.

use std::cell::Cell;
use std::fmt;
use std::time::Duration;

use axum::body::{Bytes, HttpBody};
use axum::extract::rejection::{BytesRejection, FailedToBufferBody};
use axum::extract::{DefaultBodyLimit, FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use serde::de::value::MapDeserializer;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use super::error::Problem;
use crate::formats::quantity::parse_rules;
use crate::formats::quote;
use crate::plain::shortened;
use crate::rules::RuleSet;
use crate::search::{Goal, Level};

/// The largest body of a request, in bytes: some hundred games.
pub(crate) const MOST_BYTES: usize = 64 << 10;

/// No board has more moves than squares.
pub(crate) const MOST_LINES: usize = 256;

/// How long a body may take to arrive.
const BODY_TIME: Duration = Duration::from_secs(10);

/// The body of a request: a JSON object whatever its declared type; nothing is an empty object.
pub(crate) struct Sent<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Sent<T> {
    type Rejection = Problem;

    async fn from_request(mut request: Request, _: &S) -> Result<Sent<T>, Problem> {
        // a client that waits for leave to send it (`Expect: 100-continue`) need not
        if request.body().size_hint().lower() > MOST_BYTES as u64 {
            return Err(Problem::large(MOST_BYTES));
        }
        DefaultBodyLimit::max(MOST_BYTES).apply(&mut request);
        let body = tokio::time::timeout(BODY_TIME, Bytes::from_request(request, &())).await;
        let bytes = body.map_err(|_| Problem::slow())?.map_err(|error| unread(&error))?;
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
        let bytes: &[u8] = if bytes.trim_ascii().is_empty() { b"{}" } else { bytes };
        read(bytes).map(Sent)
    }
}

/// Reads a body that is not empty.
fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    if let Some(other) = no_object(bytes) {
        return Err(Problem::bad(format!("the body of the request: a JSON object is wanted, not {other}")));
    }
    serde_json::from_slice(bytes).map_err(|error| {
        let otherwise = || format!("the body of the request: {}", brief(&error.to_string()));
        let problem = Problem::bad(unfit::<T>(bytes).unwrap_or_else(otherwise));
        problem.at(error.line(), Some(error.column()))
    })
}

/// What the reader says is wrong, with no more of a name that is no field than errors repeat.
fn brief(error: &str) -> String {
    let name_in = || error.strip_prefix("unknown field `")?.rsplit_once("`, expected ");
    match name_in() {
        Some((name, rest)) => format!("unknown field `{}`, expected {rest}", shortened(name)),
        None => error.to_string(),
    }
}

/// The fields of an object, in their order.
struct Fields(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(object: D) -> Result<Fields, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Fields, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = object.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        object.deserialize_map(Reader)
    }
}

/// A level, wherever one is asked for, and what it takes.
pub(crate) const LEVEL: (&str, &str) = ("level", "a whole number from 0 to 60");

/// A time; how much of it there can be is the server's to say.
pub(crate) const TIME: (&str, &str) = ("time", "seconds above 0");

/// The number of moves that are valued.
pub(crate) const LINES: (&str, &str) = ("lines", "a whole number from 1 to 256");

/// Which game of a text.
pub(crate) const NUMBER: (&str, &str) = ("number", "a whole number from 1 on");

/// Discs that a move may be worse than the best one.
pub(crate) const VARIETY: (&str, &str) = ("variety", "a whole number from 0 to 64");

/// What is wrong with the first field whose value is not what it takes, in the words that other values of fields are refused with;
/// `None` where something else is wrong with the object.
fn unfit<T: DeserializeOwned>(bytes: &[u8]) -> Option<String> {
    let Fields(fields) = serde_json::from_slice(bytes).ok()?;
    let read = Cell::new(0_usize);
    let counted = fields.iter().cloned().inspect(|_| read.set(read.get() + 1));
    let error = T::deserialize(MapDeserializer::<_, serde_json::Error>::new(counted)).err()?.to_string();
    let (found, wanted) = error.rsplit_once(", expected ")?;
    if !found.starts_with("invalid type: ") && !found.starts_with("invalid value: ") {
        return None;
    }
    let (name, value) = fields.get(read.get().checked_sub(1)?)?;
    // what its type could hold besides is refused in the same words
    let limited = [LEVEL, TIME, LINES, NUMBER, VARIETY].into_iter().find(|(field, _)| field == name);
    let wanted = match limited.map_or(wanted, |(_, takes)| takes) {
        "u8" | "u16" | "u32" | "u64" | "usize" if value.is_u64() => {
            return Some(format!("{name}: {value} is too large"));
        }
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number from 0 on",
        "f64" => "a number",
        "a string" => "a text",
        "a boolean" => "true or false",
        other => other,
    };
    let value = match value {
        Value::String(text) => quote(text).to_string(),
        Value::Array(_) => "an array".to_string(),
        Value::Object(_) => "an object".to_string(),
        other => other.to_string(),
    };
    Some(format!("{name}: {wanted}, not {value}"))
}

/// What a body is that is no object. An array would be read as the fields in their order, and of the others an error would name
/// the type that they are read into.
fn no_object(bytes: &[u8]) -> Option<&'static str> {
    let other = match bytes.trim_ascii_start().first()? {
        b'[' => return Some("an array"),
        b'"' => "a string",
        b'n' => "null",
        b't' | b'f' => "a truth value",
        b'-' | b'0'..=b'9' => "a number",
        _ => return None,
    };
    serde_json::from_slice::<IgnoredAny>(bytes).is_ok().then_some(other)
}

/// Why a body could not be read: it is too long, or the connection brings what is no body.
fn unread(error: &BytesRejection) -> Problem {
    match error {
        BytesRejection::FailedToBufferBody(FailedToBufferBody::LengthLimitError(_)) => Problem::large(MOST_BYTES),
        _ => Problem::bad("the body of the request breaks off, or its chunks are none"),
    }
}

/// A question behind the `?` of a request.
pub(crate) trait Question: DeserializeOwned {
    /// Its parameters, and what they take.
    const TAKES: &'static [(&'static str, &'static str)];
}

/// What stands behind the `?` of a request.
pub(crate) struct Asked<T>(pub T);

impl<S: Send + Sync, T: Question> FromRequestParts<S> for Asked<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Asked<T>, Problem> {
        let query = Query::<T>::try_from_uri(&parts.uri);
        query.map(|Query(asked)| Asked(asked)).map_err(|_| misasked::<T>(parts.uri.query().unwrap_or_default()))
    }
}

/// What is wrong with a question that cannot be read: one of its parameters, or that one is there twice.
fn misasked<T: Question>(query: &str) -> Problem {
    let reads = |part: &str| format!("/?{part}").parse().is_ok_and(|uri| Query::<T>::try_from_uri(&uri).is_ok());
    let Some(part) = query.split('&').find(|part| !reads(part)) else {
        return Problem::bad(format!("{} has a parameter twice", quote(query)));
    };
    let (name, value) = part.split_once('=').unwrap_or((part, ""));
    match T::TAKES.iter().find(|(known, _)| *known == name) {
        Some((_, takes)) => Problem::bad(format!("{name}: {takes}, not {}", quote(value))),
        None => {
            let names: Vec<&str> = T::TAKES.iter().map(|(known, _)| *known).collect();
            Problem::bad(format!("there is no parameter {}: the parameters are {}", quote(name), names.join(", ")))
        }
    }
}

/// The name of a session in a path.
pub(crate) struct Id(pub String);

impl<S: Send + Sync> FromRequestParts<S> for Id {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Id, Problem> {
        let path = Path::<String>::from_request_parts(parts, state).await;
        path.map(|Path(id)| Id(id)).map_err(|_| Problem::absent("there is no such game, or no longer"))
    }
}

/// Reads rules.
pub(crate) fn rules(text: Option<&str>) -> Result<std::sync::Arc<RuleSet>, Problem> {
    parse_rules(text.unwrap_or("othello")).map_err(|message| Problem::bad(format!("rules: {message}")))
}

/// A field has a value that it does not take.
pub(crate) fn unwanted((name, takes): (&str, &str), value: impl fmt::Display) -> Problem {
    Problem::bad(format!("{name}: {takes}, not {value}"))
}

/// Reads a level; `None` when none is given.
pub(crate) fn level(level: Option<u8>) -> Result<Option<Goal>, Problem> {
    let Some(number) = level else { return Ok(None) };
    let level = Level::new(number).ok_or_else(|| unwanted(LEVEL, number))?;
    Ok(Some(Goal::Level(level)))
}

/// Reads a time in seconds, which is at most `longest`.
pub(crate) fn time(seconds: Option<f64>, otherwise: f64, longest: Duration) -> Result<Duration, Problem> {
    let seconds = seconds.unwrap_or(otherwise.min(longest.as_secs_f64()));
    let time = Duration::try_from_secs_f64(seconds).ok().filter(|time| seconds > 0.0 && *time <= longest);
    // less than clocks count is a time, too
    let time = time.map(|time| time.max(Duration::from_nanos(1)));
    let most = longest.as_secs_f64();
    time.ok_or_else(|| Problem::bad(format!("time: seconds above 0 and up to {most}, not {seconds:?}")))
}

/// Reads the number of moves that are valued.
pub(crate) fn lines(count: Option<usize>, otherwise: usize) -> Result<usize, Problem> {
    let count = count.unwrap_or(otherwise);
    if (1..=MOST_LINES).contains(&count) { Ok(count) } else { Err(unwanted(LINES, count)) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Default, serde::Deserialize)]
    #[serde(deny_unknown_fields, default)]
    struct Example {
        #[allow(dead_code)] // only read
        level: Option<u8>,
        #[allow(dead_code)]
        name: Option<String>,
    }

    impl Question for Example {
        const TAKES: &'static [(&'static str, &'static str)] = &[LEVEL, ("name", "a name")];
    }

    #[test]
    fn bad_questions_name_parameter_and_value() {
        for (query, said) in [
            ("name=x&level=-1", "level: a whole number from 0 to 60, not '-1'"),
            ("level", "level: a whole number from 0 to 60, not ''"),
            ("deep=3&level=1", "there is no parameter 'deep': the parameters are level, name"),
            ("level=1&level=2", "'level=1&level=2' has a parameter twice"),
        ] {
            assert_eq!(misasked::<Example>(query).message, said);
        }
    }

    #[test]
    fn values_of_other_types_are_told_with_their_field() {
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        #[allow(dead_code)] // only read
        struct Body {
            text: String,
            level: Option<u8>,
            lines: Option<usize>,
            count: Option<u8>,
            time: Option<f64>,
            rating: Option<f64>,
            #[serde(default)]
            exact: bool,
        }
        let message = |body: &str| read::<Body>(body.as_bytes()).unwrap_err().message;
        for (body, said) in [
            (r#"{"text": "", "level": "x"}"#, "level: a whole number from 0 to 60, not 'x'"),
            (r#"{"level": 256, "text": ""}"#, "level: a whole number from 0 to 60, not 256"),
            (r#"{"count": -1, "text": ""}"#, "count: a whole number from 0 on, not -1"),
            (r#"{"count": 0.5, "text": 1}"#, "count: a whole number from 0 on, not 0.5"),
            (r#"{"count": 256, "text": ""}"#, "count: 256 is too large"),
            (r#"{"text": "", "rating": ", expected u8"}"#, "rating: a number, not ', expected u8'"),
            (r#"{"text": null}"#, "text: a text, not null"),
            (r#"{"text": ["a, expected u8"], "level": 300}"#, "text: a text, not an array"),
            (r#"{"text": "", "time": ", expected u8"}"#, "time: seconds above 0, not ', expected u8'"),
            (r#"{"text": "", "exact": {"a": 1}}"#, "exact: true or false, not an object"),
        ] {
            assert_eq!(message(body), said, "{body}");
        }
        // whatever of it the type can hold
        assert_eq!(message(r#"{"text": "", "lines": -1}"#), lines(Some(0), 1).unwrap_err().message.replace("0", "-1"));
        // what else can be wrong is told as the reader has it, where it is
        for (body, part) in [
            (r#"{"level": 3}"#, "missing field `text`"),
            (r#"{"text": "", "deep": "x"}"#, "unknown field `deep`, expected one of `text`"),
            (r#"{"text": "", "text": ""}"#, "duplicate field `text`"),
            (r#"{"text": "", "level": 3"#, "EOF while parsing an object"),
        ] {
            assert!(message(body).starts_with(&format!("the body of the request: {part}")), "{}", message(body));
        }
        // names that are none are not repeated for ever, whatever is in them
        for (name, part) in [("x".repeat(3000), "x".repeat(24) + "..."), ("`, expected ".into(), "`, expected ".into())]
        {
            let said = format!("the body of the request: unknown field `{part}`, expected one of `text`, `level`");
            let message = message(&json!({"text": "", (name): 1}).to_string());
            assert!(message.starts_with(&said), "{message}");
        }
        let problem = read::<Body>(b"{\n\"text\": 7}").unwrap_err();
        assert_eq!((problem.status, problem.line, problem.column), (400, Some(2), Some(9)));
    }

    #[test]
    fn quantities_have_limits() {
        let longest = Duration::from_secs(300);
        assert_eq!(time(Some(1.5), 1.0, longest), Ok(Duration::from_millis(1500)));
        assert_eq!(time(Some(1e-300), 1.0, longest), Ok(Duration::from_nanos(1)));
        assert_eq!(time(None, 600.0, longest), Ok(longest));
        for bad in [0.0, -0.0, -1e-300, -1.0, 300.1, f64::NAN, f64::INFINITY, 1e300] {
            assert_eq!(time(Some(bad), 1.0, longest).unwrap_err().status, 400, "{bad}");
        }
        assert!(time(Some(1e300), 1.0, longest).unwrap_err().message.ends_with("not 1e300"));
        assert_eq!((lines(Some(3), 1), lines(None, 5)), (Ok(3), Ok(5)));
        assert!(lines(Some(0), 1).is_err() && lines(Some(257), 1).is_err());
        assert!(LINES.1.ends_with(&format!("to {MOST_LINES}")));
        assert_eq!(level(Some(60)), Ok(Some(Goal::Level(Level::MAX))));
        assert_eq!(level(Some(61)).unwrap_err().message, "level: a whole number from 0 to 60, not 61");
        assert!(rules(Some("chess")).unwrap_err().message.starts_with("rules: unknown rule set 'chess'"));
    }
}
