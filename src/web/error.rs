//! What a client is told when something is wrong.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

/// Something is wrong with a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Problem {
    /// What is wrong, in a sentence.
    pub message: String,
    /// Line of the text at fault, from 1, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Character in the line, from 1, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// The status of the answer.
    #[serde(skip)]
    pub status: u16,
}

/// An answer that says what is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ProblemJson {
    /// What is wrong.
    pub error: Problem,
}

impl Problem {
    fn new(status: StatusCode, message: impl Into<String>) -> Problem {
        Problem { message: message.into(), line: None, column: None, status: status.as_u16() }
    }

    /// The request makes no sense: 400.
    pub fn bad(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, message)
    }

    /// The rules, or the state of the game, forbid it: 409.
    pub fn refused(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::CONFLICT, message)
    }

    /// There is no such thing: 404.
    pub fn absent(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, message)
    }

    /// Not for this client: 403.
    pub fn forbidden(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::FORBIDDEN, message)
    }

    /// The client has not shown the token: 401.
    pub fn token() -> Problem {
        let message = "the token is missing or wrong: open /?token=TOKEN, or send 'Authorization: Bearer TOKEN'";
        Problem::new(StatusCode::UNAUTHORIZED, message)
    }

    /// Too many others: 429.
    pub fn busy(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::TOO_MANY_REQUESTS, message)
    }

    /// The body is too large: 413.
    pub fn large(limit: usize) -> Problem {
        let message = format!("the request has more than {} KiB, which is the most", limit >> 10);
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, message)
    }

    /// The body did not come: 408.
    pub fn slow() -> Problem {
        Problem::new(StatusCode::REQUEST_TIMEOUT, "the request did not come to its end in time")
    }

    /// The path takes no such method: 405.
    pub fn method() -> Problem {
        Problem::new(StatusCode::METHOD_NOT_ALLOWED, "this path takes another method: /api/v1/openapi.json lists them")
    }

    /// A fault of this program: 500.
    pub fn fault() -> Problem {
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "a fault of the server; its log has more")
    }

    /// The same with the place in a text.
    #[must_use]
    pub fn at(self, line: usize, column: Option<usize>) -> Problem {
        Problem { line: Some(line), column, ..self }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        // what the client can do about it
        let advice = match status {
            StatusCode::TOO_MANY_REQUESTS => Some(("retry-after", "2")),
            StatusCode::UNAUTHORIZED => Some(("www-authenticate", "Bearer")),
            _ => None,
        };
        let mut response = (status, super::api::Json(ProblemJson { error: self })).into_response();
        if let Some((name, value)) = advice {
            response.headers_mut().insert(name, axum::http::HeaderValue::from_static(value));
        }
        response
    }
}
