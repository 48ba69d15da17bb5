//! The page, embedded in the program: nothing is read from disk, and nothing comes from elsewhere.

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

/// A file of the page.
struct Asset {
    path: &'static str,
    kind: &'static str,
    content: &'static str,
}

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const ICON: &str = "image/svg+xml";

/// A file by its name in the folder `page`.
macro_rules! asset {
    ($path:literal, $kind:ident, $file:literal) => {
        Asset { path: $path, kind: $kind, content: include_str!(concat!("page/", $file)) }
    };
}

const ASSETS: &[Asset] = &[
    asset!("/", HTML, "index.html"),
    asset!("/api", HTML, "api.html"),
    asset!("/style.css", STYLE, "style.css"),
    asset!("/icon.svg", ICON, "icon.svg"),
    asset!("/js/api.js", SCRIPT, "api.js"),
    asset!("/js/app.js", SCRIPT, "app.js"),
    asset!("/js/board.js", SCRIPT, "board.js"),
    asset!("/js/describe.js", SCRIPT, "describe.js"),
    asset!("/js/dialogs.js", SCRIPT, "dialogs.js"),
    asset!("/js/dom.js", SCRIPT, "dom.js"),
    asset!("/js/graph.js", SCRIPT, "graph.js"),
    asset!("/js/kept.js", SCRIPT, "kept.js"),
    asset!("/js/play.js", SCRIPT, "play.js"),
    asset!("/js/reference.js", SCRIPT, "reference.js"),
    asset!("/js/solo.js", SCRIPT, "solo.js"),
    asset!("/js/study.js", SCRIPT, "study.js"),
];

/// The paths of the page.
pub(crate) fn router<S: Clone + Send + Sync + 'static>() -> Router<S> {
    ASSETS.iter().fold(Router::new(), |router, asset| router.route(asset.path, get(|| async { asset.response() })))
}

impl Asset {
    fn response(&self) -> Response {
        ([(CONTENT_TYPE, self.kind)], self.content).into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_small_and_needs_nothing_from_elsewhere() {
        let bytes: usize = ASSETS.iter().map(|asset| asset.content.len()).sum();
        assert!(bytes < 200 << 10, "{bytes} bytes");
        for asset in ASSETS {
            // the name of SVG, which is an address that nobody opens
            let content = asset.content.replace("http://www.w3.org/2000/svg", "");
            assert!(!content.contains("http://") && !content.contains("https://"), "{}", asset.path);
            // the policy forbids scripts and styles in the page itself
            for inline in [" style=\"", "onclick=", "<style", "javascript:", "innerHTML"] {
                assert!(!content.contains(inline), "{}: {inline}", asset.path);
            }
        }
    }

    #[test]
    fn modules_import_what_there_is() {
        for asset in ASSETS.iter().filter(|asset| asset.kind == SCRIPT) {
            for line in asset.content.lines().filter(|line| line.starts_with("import ")) {
                let name = line.rsplit('"').nth(1).and_then(|path| path.strip_prefix("./")).unwrap_or_default();
                assert!(ASSETS.iter().any(|other| other.path == format!("/js/{name}")), "{}: {line}", asset.path);
            }
        }
    }
}
