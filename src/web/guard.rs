//! What every request passes, and every answer has.

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::Shared;
use super::error::Problem;

/// The cookie that holds the token, with the port behind it.
const COOKIE: &str = "outflank_token";

/// What a page may load: what this server sends, and nothing that stands in the page itself.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Answers a request if it may be answered.
pub(crate) async fn watch(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let is_api = request.uri().path().starts_with("/api/v1");
    let mut response = match admit(&shared, &request) {
        Ok(None) => caught(next.run(request)).await,
        Ok(Some(response)) => response,
        Err(problem) => problem.into_response(),
    };
    let headers = response.headers_mut();
    let mut set = |name: &'static str, value: &'static str| headers.insert(name, HeaderValue::from_static(value));
    set("content-security-policy", POLICY);
    set("x-content-type-options", "nosniff");
    set("x-frame-options", "DENY");
    set("referrer-policy", "no-referrer");
    set("cross-origin-opener-policy", "same-origin");
    set("cross-origin-resource-policy", "same-origin");
    // a page of another version of this program must not stay
    set("cache-control", if is_api { "no-store" } else { "no-cache" });
    response
}

/// Whether a request is answered; some are answered here.
fn admit(shared: &Shared, request: &Request) -> Result<Option<Response>, Problem> {
    let (headers, uri) = (request.headers(), request.uri());
    if headers.get_all(header::HOST).iter().count() > 1 {
        return Err(Problem::bad("the request has more than one Host"));
    }
    // an address with a name in it goes before the header
    let host = uri.authority().map(|authority| authority.as_str()).or_else(|| text(headers, &header::HOST));
    let host = host.ok_or_else(|| Problem::bad("the request has no Host"))?;
    if !shared.access.is_own_name(host) {
        return Err(Problem::forbidden("this server answers requests for this machine's own names only"));
    }
    let is_api = uri.path().starts_with("/api/v1");
    if !is_same_site(headers, host, is_api || *request.method() != Method::GET) {
        return Err(Problem::forbidden("pages of other sites may not use this server"));
    }
    let Some(token) = shared.access.token() else { return Ok(None) };
    // the token, or an invitation, comes once in the address; from then on the token comes in a cookie
    if uri.path() == "/" && *request.method() == Method::GET {
        let shown = |name| uri.query()?.split('&').find_map(|one| one.strip_prefix(name)?.strip_prefix('='));
        let is_invited = || shown("invitation").is_some_and(|code| shared.invitation.redeem(code));
        if shared.access.admits(shown("token")) || is_invited() {
            return Ok(Some(welcome(host, token)));
        }
    }
    if shared.access.admits(bearer(headers)) || shared.access.admits(cookie(headers, host)) {
        return Ok(None);
    }
    Err(Problem::token())
}

fn text<'a>(headers: &'a HeaderMap, name: &header::HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// The token of a script; clients write the name of the scheme as they like.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = text(headers, &header::AUTHORIZATION)?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// The token in the cookies.
fn cookie<'a>(headers: &'a HeaderMap, host: &str) -> Option<&'a str> {
    let name = cookie_name(host);
    let cookies = text(headers, &header::COOKIE)?;
    cookies.split(';').find_map(|one| one.trim().strip_prefix(&name)?.strip_prefix('='))
}

/// The name of the cookie for a `Host`. All ports of a host have the same cookies: another server with another token would take
/// this one's away.
fn cookie_name(host: &str) -> String {
    let port = host.rsplit_once(':').map(|(_, port)| port);
    match port.filter(|port| !port.is_empty() && port.bytes().all(|digit| digit.is_ascii_digit())) {
        Some(port) => format!("{COOKIE}_{port}"),
        None => COOKIE.to_string(),
    }
}

/// Goes to the page without the token in its address, which others could read.
fn welcome(host: &str, token: &str) -> Response {
    // neither has characters that a cookie cannot hold. Browsers keep a strict one back from whoever comes by a link of another
    // site, such as one in a mail; a lax one goes with such links only, and what they open is the page, not the API
    let cookie = format!("{}={token}; Path=/; HttpOnly; SameSite=Lax; Max-Age=31536000", cookie_name(host));
    let cookie = HeaderValue::from_str(&cookie).unwrap_or(HeaderValue::from_static(""));
    let headers = [(header::SET_COOKIE, cookie), (header::LOCATION, HeaderValue::from_static("/"))];
    (StatusCode::SEE_OTHER, headers).into_response()
}

/// The request comes from a page of this server, or from no page. Browsers tell; `strict` is for all but opening the page,
/// which a link elsewhere may do.
fn is_same_site(headers: &HeaderMap, host: &str, strict: bool) -> bool {
    if let Some(origin) = headers.get(header::ORIGIN) {
        let own = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
        if !own.is_some_and(|(scheme, name)| matches!(scheme, "http" | "https") && name.eq_ignore_ascii_case(host)) {
            return false;
        }
    }
    match headers.get("sec-fetch-site").map(HeaderValue::as_bytes) {
        Some(b"cross-site" | b"same-site") => !strict,
        _ => true,
    }
}

/// What comes of a handler, or a fault when it panics; nothing else ends with it.
async fn caught(handler: impl Future<Output = Response>) -> Response {
    let mut handler = pin!(handler);
    let polled = poll_fn(|context| {
        match catch_unwind(AssertUnwindSafe(|| handler.as_mut().poll(context))) {
            Ok(poll) => poll.map(Some),
            // it is not polled again
            Err(_) => Poll::Ready(None),
        }
    });
    polled.await.unwrap_or_else(|| {
        log::error!("a request made the server panic");
        Problem::fault().into_response()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &str)| {
            (header::HeaderName::from_static(name), HeaderValue::from_str(value).unwrap())
        };
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn other_sites_are_told_apart() {
        let own = |pairs: &[(&'static str, &str)], strict| is_same_site(&headers(pairs), "localhost:8094", strict);
        assert!(own(&[], true));
        assert!(own(&[("origin", "http://localhost:8094"), ("sec-fetch-site", "same-origin")], true));
        assert!(!own(&[("origin", "http://localhost:8095")], false));
        assert!(!own(&[("origin", "http://evil.example")], false));
        assert!(!own(&[("origin", "null")], false));
        assert!(!own(&[("sec-fetch-site", "cross-site")], true));
        assert!(!own(&[("sec-fetch-site", "same-site")], true));
        assert!(own(&[("sec-fetch-site", "cross-site")], false));
        assert!(own(&[("sec-fetch-site", "none")], true));
    }

    #[test]
    fn cookies_are_found_among_others() {
        let found = |value: &str| cookie(&headers(&[("cookie", value)]), "box.lan:8094").map(str::to_string);
        assert_eq!(found("a=b; outflank_token_8094=secret-42; c=d"), Some("secret-42".to_string()));
        assert_eq!(
            found("outflank_token_8094s=x; xoutflank_token_8094=y; outflank_token_8095=z; outflank_token=z"),
            None
        );
        for (host, name) in
            [("box.lan", COOKIE), ("[::1]", COOKIE), ("box.lan:", COOKIE), ("[::1]:80", "outflank_token_80")]
        {
            assert_eq!(cookie_name(host), name, "{host}");
        }
    }

    #[test]
    fn the_scheme_of_a_token_is_written_anyhow() {
        let found = |value: &str| bearer(&headers(&[("authorization", value)])).map(str::to_string);
        for written in ["Bearer secret-42", "bearer secret-42", "BEARER  secret-42 "] {
            assert_eq!(found(written), Some("secret-42".to_string()), "{written}");
        }
        assert_eq!((found("Basic secret-42"), found("secret-42"), found("Bearersecret-42")), (None, None, None));
    }

    #[test]
    fn a_panic_is_an_answer() {
        let runtime = tokio::runtime::Builder::new_multi_thread().build().unwrap();
        let response = runtime.block_on(caught(async { panic!("on purpose") }));
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
    }
}
