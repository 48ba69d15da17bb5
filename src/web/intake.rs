//! What clients send, within limits.

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, FailedToBufferBody};
use axum::extract::{DefaultBodyLimit, FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use serde::de::{DeserializeOwned, IgnoredAny};

use super::error::Problem;
use crate::formats::quantity::parse_rules;
use crate::formats::quote;
use crate::rules::RuleSet;
use crate::search::{Goal, Level};

/// The largest body of a request, in bytes: some hundred games.
pub(crate) const MOST_BYTES: usize = 64 << 10;

/// How long a body may take to arrive.
const BODY_TIME: Duration = Duration::from_secs(10);

/// The body of a request: a JSON object whatever its declared type; nothing is an empty object.
pub(crate) struct Sent<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Sent<T> {
    type Rejection = Problem;

    async fn from_request(mut request: Request, _: &S) -> Result<Sent<T>, Problem> {
        DefaultBodyLimit::max(MOST_BYTES).apply(&mut request);
        let body = tokio::time::timeout(BODY_TIME, Bytes::from_request(request, &())).await;
        let bytes = body.map_err(|_| Problem::slow())?.map_err(|error| unread(&error))?;
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
        let bytes: &[u8] = if bytes.trim_ascii().is_empty() { b"{}" } else { bytes };
        if let Some(other) = no_object(bytes) {
            return Err(Problem::bad(format!("the body of the request: a JSON object is wanted, not {other}")));
        }
        serde_json::from_slice(bytes).map(Sent).map_err(|error| {
            let problem = Problem::bad(format!("the body of the request: {error}"));
            problem.at(error.line(), Some(error.column()))
        })
    }
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

/// Reads a level; `None` when none is given.
pub(crate) fn level(level: Option<u8>) -> Result<Option<Goal>, Problem> {
    let Some(number) = level else { return Ok(None) };
    let level =
        Level::new(number).ok_or_else(|| Problem::bad(format!("level: a number from 0 to 60, not {number}")))?;
    Ok(Some(Goal::Level(level)))
}

/// Reads a time in seconds, which is at most `longest`.
pub(crate) fn time(seconds: Option<f64>, otherwise: f64, longest: Duration) -> Result<Duration, Problem> {
    let seconds = seconds.unwrap_or(otherwise.min(longest.as_secs_f64()));
    let time = Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero() && *time <= longest);
    let most = longest.as_secs_f64();
    time.ok_or_else(|| Problem::bad(format!("time: seconds above 0 and up to {most}, not {seconds:?}")))
}

/// Reads a count from 1 to a limit.
pub(crate) fn count(name: &str, count: Option<usize>, otherwise: usize, most: usize) -> Result<usize, Problem> {
    let count = count.unwrap_or(otherwise);
    if (1..=most).contains(&count) {
        return Ok(count);
    }
    Err(Problem::bad(format!("{name}: a number from 1 to {most}, not {count}")))
}

#[cfg(test)]
mod tests {
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
        const TAKES: &'static [(&'static str, &'static str)] =
            &[("level", "a number from 0 to 60"), ("name", "a name")];
    }

    #[test]
    fn bad_questions_name_parameter_and_value() {
        for (query, said) in [
            ("name=x&level=-1", "level: a number from 0 to 60, not '-1'"),
            ("level", "level: a number from 0 to 60, not ''"),
            ("deep=3&level=1", "there is no parameter 'deep': the parameters are level, name"),
            ("level=1&level=2", "'level=1&level=2' has a parameter twice"),
        ] {
            assert_eq!(misasked::<Example>(query).message, said);
        }
    }

    #[test]
    fn quantities_have_limits() {
        let longest = Duration::from_secs(300);
        assert_eq!(time(Some(1.5), 1.0, longest), Ok(Duration::from_millis(1500)));
        assert_eq!(time(None, 600.0, longest), Ok(longest));
        for bad in [0.0, -1.0, 300.1, f64::NAN, f64::INFINITY, 1e300] {
            assert_eq!(time(Some(bad), 1.0, longest).unwrap_err().status, 400, "{bad}");
        }
        assert!(time(Some(1e300), 1.0, longest).unwrap_err().message.ends_with("not 1e300"));
        assert_eq!(count("lines", Some(3), 1, 5), Ok(3));
        assert!(count("lines", Some(0), 1, 5).is_err() && count("lines", Some(6), 1, 5).is_err());
        assert_eq!(level(Some(60)), Ok(Some(Goal::Level(Level::MAX))));
        assert_eq!(level(Some(61)).unwrap_err().message, "level: a number from 0 to 60, not 61");
        assert!(rules(Some("chess")).unwrap_err().message.starts_with("rules: unknown rule set 'chess'"));
    }
}
