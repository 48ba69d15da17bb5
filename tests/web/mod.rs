//! What the tests of `outflank web` share: a service without a port, called with requests.
#![allow(dead_code)] // each test uses its part

pub mod driver;
pub mod wire;

use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use outflank::engine::Options;
use outflank::play::OpeningBook;
use outflank::web::{Access, Config, Service};
use serde_json::Value;
use tokio::runtime::Runtime;
use tower::ServiceExt;

/// A service and the runtime that its requests run on.
pub struct Server {
    pub service: Service,
    runtime: Runtime,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub text: String,
}

impl Answer {
    /// The body as JSON; null when it is none.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or(Value::Null)
    }

    /// The message of an error.
    pub fn message(&self) -> String {
        self.json()["error"]["message"].as_str().unwrap_or_default().to_string()
    }

    /// A header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }

    /// The events of a stream: kind and data.
    pub fn events(&self) -> Vec<(String, Value)> {
        let blocks = self.text.split("\n\n").filter(|block| block.starts_with("event: "));
        let event = |block: &str| {
            let (kind, data) = block.split_once("\ndata: ").expect("an event has data");
            (kind.trim_start_matches("event: ").to_string(), serde_json::from_str(data).expect("data is JSON"))
        };
        blocks.map(event).collect()
    }
}

/// A configuration for tests: little memory, one search.
pub fn config() -> Config {
    Config {
        engine: Options { hash_mib: 8, threads: 1 },
        book: Some(OpeningBook::embedded(0)),
        searches: 1,
        sessions: 200,
        longest: Duration::from_secs(60),
        access: Access::loopback(),
        ..Config::default()
    }
}

impl Server {
    pub fn new() -> Server {
        Server::with(config())
    }

    pub fn with(config: Config) -> Server {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        Server { service: Service::new(config).expect("a service"), runtime }
    }

    /// Calls the service with a request as it is.
    pub fn call(&self, request: Request<Body>) -> Answer {
        let router = self.service.router();
        self.runtime.block_on(async {
            let answer = async {
                let response = router.oneshot(request).await.expect("the service never fails");
                let status = response.status().as_u16();
                let header = |(name, value): (&axum::http::HeaderName, &axum::http::HeaderValue)| {
                    (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
                };
                let headers = response.headers().iter().map(header).collect();
                let body = to_bytes(response.into_body(), 64 << 20).await.expect("a body");
                Answer { status, headers, text: String::from_utf8_lossy(&body).into_owned() }
            };
            tokio::time::timeout(Duration::from_secs(120), answer).await.expect("no request hangs")
        })
    }

    /// A request with a body.
    pub fn send(&self, method: &str, path: &str, body: impl Into<Body>) -> Answer {
        let request = Request::builder().method(method).uri(path).header("host", "localhost:8094");
        self.call(request.body(body.into()).expect("a request"))
    }

    pub fn get(&self, path: &str) -> Answer {
        self.send("GET", path, "")
    }

    /// A request with a JSON body under `/api/v1`.
    pub fn post(&self, path: &str, body: Value) -> Answer {
        self.send("POST", &format!("/api/v1{path}"), body.to_string())
    }

    /// A request that has to work.
    pub fn ask(&self, path: &str, body: Value) -> Value {
        let answer = self.post(path, body);
        assert_eq!(answer.status, StatusCode::OK.as_u16(), "{path}: {}", answer.text);
        answer.json()
    }

    /// A new game; its name.
    pub fn game(&self, body: Value) -> String {
        self.ask("/games", body)["id"].as_str().expect("an id").to_string()
    }

    /// Runs something on the runtime.
    pub fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }
}
