//! Whatever a client sends: never a fault of the server, never a hang, and always an answer.
//!
//! `OUTFLANK_FUZZ` is the number of requests, 10,000 when it is not set.
#![cfg(feature = "web")]

mod fuzz {
    pub mod mutate;
}
mod web;

use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::Request;
use fuzz::mutate::mutated;
use outflank::web::Config;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use web::{Server, config};

/// No request takes longer, also on a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_secs(30);

/// Requests as a client means them: method, path (`ID` is a session's name) and body.
const GOOD: &[(&str, &str, &str)] = &[
    ("GET", "/", ""),
    ("GET", "/js/app.js", ""),
    ("GET", "/api", ""),
    ("GET", "/api/v1/openapi.json", ""),
    ("GET", "/api/v1/rules", ""),
    ("GET", "/api/v1/levels", ""),
    ("GET", "/api/v1/load", ""),
    ("POST", "/api/v1/games", "{}"),
    ("POST", "/api/v1/games", r#"{"rules": "hungarian:6x6,parallel"}"#),
    ("POST", "/api/v1/games", r#"{"rules": "othello:16x16,one,own,anti"}"#),
    ("POST", "/api/v1/games", r#"{"text": "f5d6c3d3c4f4c5b3c2", "number": 1}"#),
    ("POST", "/api/v1/games", r#"{"text": "---------------------------OX------XO--------------------------- X"}"#),
    ("POST", "/api/v1/games", r#"{"text": "(;GM[2]FF[4]CA[UTF-8]SZ[8];B[fe];W[df])"}"#),
    ("POST", "/api/v1/games", r##"{"text": "# rules: traveller\nd4e4d5e5"}"##),
    ("GET", "/api/v1/games/ID", ""),
    ("POST", "/api/v1/games/ID/moves", r#"{"move": "f5"}"#),
    ("POST", "/api/v1/games/ID/moves", r#"{"move": "pass"}"#),
    ("POST", "/api/v1/games/ID/moves", r#"{"move": "d3:NE"}"#),
    ("POST", "/api/v1/games/ID/undo", r#"{"count": 1}"#),
    ("POST", "/api/v1/games/ID/redo", r#"{"count": 1}"#),
    ("POST", "/api/v1/games/ID/goto", r#"{"ply": 0}"#),
    ("POST", "/api/v1/games/ID/text", r#"{"text": "f5d6c3"}"#),
    ("GET", "/api/v1/games/ID/save?format=ggf&first=A%20B", ""),
    ("GET", "/api/v1/games/ID/save?format=obf", ""),
    ("GET", "/api/v1/games/ID/opening", ""),
    ("POST", "/api/v1/games/ID/engine", r#"{"level": 1, "variety": 2}"#),
    ("POST", "/api/v1/games/ID/engine", r#"{"level": 60, "time": 0.002, "no_book": true}"#),
    ("POST", "/api/v1/games/ID/stop", ""),
    ("GET", "/api/v1/games/ID/analysis?level=2&lines=3", ""),
    ("GET", "/api/v1/games/ID/analysis?time=0.003", ""),
    ("GET", "/api/v1/games/ID/review?level=1&alternatives=2", ""),
    ("DELETE", "/api/v1/games/ID", ""),
    ("POST", "/api/v1/hint", r#"{"text": "f5d6c3", "level": 2, "lines": 2}"#),
    ("POST", "/api/v1/solve", r#"{"text": "f5d6c3", "time": 0.002, "win_draw_loss": true}"#),
    ("POST", "/api/v1/solitaires", r#"{"seed": 3, "layout": "ring", "scoring": "points"}"#),
    ("GET", "/api/v1/solitaires/ID", ""),
    ("POST", "/api/v1/solitaires/ID/turns", r#"{"turn": "d3g"}"#),
    ("POST", "/api/v1/solitaires/ID/undo", ""),
    ("DELETE", "/api/v1/solitaires/ID", ""),
];

/// A value of JSON that a field may not expect.
fn odd_value(random: &mut StdRng) -> Value {
    let values = [
        json!(null),
        json!(-1),
        json!(0),
        json!(1e308),
        json!(18446744073709551615u64),
        json!(0.5),
        json!(""),
        json!("\u{0}"),
        json!([]),
        json!({}),
        json!(true),
        json!("a1".repeat(500)),
        json!("ß∂ƒ\u{202e}"),
        json!("othello:16x16,holes=a1"),
    ];
    values.choose(random).expect("there are some").clone()
}

/// A body with a field changed, if it is an object.
fn other_body(body: &str, random: &mut StdRng) -> String {
    let Ok(Value::Object(mut fields)) = serde_json::from_str(body) else { return body.to_string() };
    let names: Vec<String> = fields.keys().cloned().collect();
    match names.choose(random) {
        Some(name) => _ = fields.insert(name.clone(), odd_value(random)),
        None => _ = fields.insert("text".to_string(), odd_value(random)),
    }
    Value::Object(fields).to_string()
}

/// Something that could be a request's part.
fn damaged(text: &str, random: &mut StdRng) -> Vec<u8> {
    mutated(&[text.as_bytes().to_vec()], random)
}

/// A request, or `None` when its parts make none: a client could not send it either.
fn request(random: &mut StdRng, ids: &[String]) -> Option<(String, Request<Body>)> {
    let (method, path, body) = *GOOD.choose(random)?;
    let unknown = "0".repeat(32);
    let mut path = path.replace("ID", ids.choose(random).unwrap_or(&unknown));
    let mut body = body.as_bytes().to_vec();
    let mut method = method.to_string();
    match random.random_range(0..8) {
        0 => {
            path = String::from_utf8_lossy(&damaged(&path, random)).replace(|c: char| c.is_control() || c == ' ', "%20")
        }
        1 | 2 => body = damaged(&String::from_utf8_lossy(&body), random),
        3 => body = other_body(&String::from_utf8_lossy(&body), random).into_bytes(),
        4 => method = ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "X"].choose(random)?.to_string(),
        5 => {
            path += ["?", "?level=9", "?level=", "&time=0.001", "?lines=99999999999999999999", "/", "//", "?%ff"]
                .choose(random)?
        }
        _ => {}
    }
    let mut builder = Request::builder().method(method.as_str()).uri(&path);
    builder = match random.random_range(0..12) {
        0 => builder.header("host", damaged("localhost:8094", random)),
        1 => builder.header("host", "localhost").header("origin", damaged("http://localhost", random)),
        2 => builder.header("host", "localhost").header("cookie", damaged("outflank_token=x; a=b", random)),
        3 => builder.header("host", "localhost").header("content-type", damaged("application/json", random)),
        _ => builder.header("host", "localhost:8094"),
    };
    let shown = format!("{method} {path} {}", String::from_utf8_lossy(&body));
    Some((shown, builder.body(Body::from(body)).ok()?))
}

#[test]
fn random_and_mutated_requests() {
    let count: u64 = std::env::var("OUTFLANK_FUZZ").ok().and_then(|text| text.parse().ok()).unwrap_or(10_000);
    let server = Server::with(Config { longest: Duration::from_millis(4), searches: 2, ..config() });
    let mut random = StdRng::seed_from_u64(13);
    let mut ids: Vec<String> = Vec::new();
    let (mut sent, mut understood, mut refused) = (0, 0, 0);
    while sent < count {
        let Some((shown, request)) = request(&mut random, &ids) else { continue };
        sent += 1;
        let start = Instant::now();
        let answer = server.call(request);
        assert!(start.elapsed() < PATIENCE, "{shown}: {:?}", start.elapsed());
        assert!(answer.status < 500, "{shown}: {} {}", answer.status, answer.text);
        let is_api = shown.split(' ').nth(1).is_some_and(|path| path.starts_with("/api/v1/"));
        if answer.status >= 400 && is_api && !shown.starts_with("HEAD") {
            assert!(!answer.message().is_empty(), "{shown}: {} {}", answer.status, answer.text);
        }
        understood += u64::from(answer.status < 300);
        refused += u64::from(answer.status >= 400);
        if let Some(id) = answer.json()["id"].as_str().filter(|_| answer.status == 200) {
            ids.push(id.to_string());
            if ids.len() > 50 {
                ids.remove(0);
            }
        }
    }
    println!("{sent} requests: {understood} understood, {refused} refused");
    assert!(understood > count / 4 && refused > count / 10, "{understood} and {refused} of {sent}");
    assert_eq!(server.service.load().searching + server.service.load().waiting, 0);
}
