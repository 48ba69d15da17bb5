//! The service of `outflank web`, called without a port: every path, what it refuses, and who it answers.
#![cfg(feature = "web")]

mod waiting;
mod web;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::Request;
use outflank::engine::Options;
use outflank::web::{Access, Config, openapi};
use serde_json::{Value, json};
use waiting::wait_for;
use web::{Answer, Server, config};

const START: &str = "---------------------------OX------XO--------------------------- X";

/// A position with few empty squares: black wins by 8.
const ENDGAME: &str = "-XXXXX--XOXOXX-OXOOXOXOXXOXOOOXXXOXXOXOXXOXXOOOXXOOXOOO-XOOOO--- X";

#[test]
fn a_game_is_played_taken_back_and_saved() {
    let server = Server::new();
    let start = server.ask("/games", json!({}));
    let id = start["id"].as_str().unwrap();
    assert_eq!((start["side"].as_u64(), start["legal"].as_array().unwrap().len()), (Some(0), 4));
    assert_eq!(start["legal"][0], json!({"move": "d3", "square": "d3", "flips": ["d4"]}));
    let after = server.ask(&format!("/games/{id}/moves"), json!({"move": "F5"}));
    assert_eq!((&after["last"], &after["turned"], &after["discs"]), (&json!("f5"), &json!(["e5"]), &json!([4, 1])));
    server.ask(&format!("/games/{id}/moves"), json!({"move": "d6"}));
    let back = server.ask(&format!("/games/{id}/undo"), json!({}));
    assert_eq!((back["ply"].as_u64(), back["moves"].as_array().unwrap().len()), (Some(1), 2));
    let again = server.ask(&format!("/games/{id}/redo"), json!({"count": 1}));
    assert_eq!(again["ply"], 2);
    assert_eq!(server.ask(&format!("/games/{id}/goto"), json!({"ply": 0}))["ply"], 0);
    let opening = server.ask(&format!("/games/{id}/goto"), json!({"ply": 2}));
    assert_eq!(opening["opening"]["moves"].as_array().map(|moves| !moves.is_empty()), Some(true));
    for (format, part) in [("txt", "f5d6"), ("ggf", "B[f5"), ("sgf", "B[fe]"), ("pgn", "1. f5 d6"), ("obf", "; ")] {
        let saved = server.get(&format!("/api/v1/games/{id}/save?format={format}&first=Ann"));
        assert_eq!(saved.status, 200);
        let found = saved.text.to_lowercase().contains(&part.to_lowercase()) || format == "obf";
        assert!(found, "{format}: {}", saved.text);
        assert!(saved.header("content-disposition").unwrap().starts_with("attachment"));
        let read = server.ask("/games", json!({"text": saved.text}));
        assert_eq!(read["squares"], opening["squares"], "{format}");
        assert!(!saved.text.contains("rules:"), "othello need not be named: {}", saved.text);
        if matches!(format, "ggf" | "sgf" | "pgn") {
            assert_eq!(read["players"][0], "Ann");
        }
        // a name that is asked for goes before that of the text
        let named = server.ask("/games", json!({"text": saved.text, "first": "Bea\n", "second": "Cy"}));
        assert_eq!(named["players"], json!(["Bea", "Cy"]), "{format}");
        assert!(named.get("ratings").is_none(), "{format}");
    }
    // so do ratings, and those of the text stay
    let saved = server.get(&format!("/api/v1/games/{id}/save?format=ggf&first=Ann")).text;
    let rated = server.ask("/games", json!({"text": saved, "first_rating": 1834.5, "second_rating": -2}));
    assert_eq!(rated["ratings"], json!([1834.5, -2.0]));
    let saved = server.get(&format!("/api/v1/games/{}/save?format=ggf", rated["id"].as_str().unwrap())).text;
    assert_eq!(server.ask("/games", json!({"text": saved, "second_rating": 7}))["ratings"], json!([1834.5, 7.0]));
    assert_eq!(server.send("DELETE", &format!("/api/v1/games/{id}"), "").status, 200);
    assert_eq!(server.get(&format!("/api/v1/games/{id}")).status, 404);
}

/// What a text says of a game stays with it as far as it still holds.
#[test]
fn what_a_text_says_is_saved_again() {
    let server = Server::new();
    let text = format!(
        "(;GM[Othello]PC[Rome]DT[1977]PB[Ann]PW[Ben]TY[8]RE[-64.00:r]BO[8 {}]B[F5/1.50/2.00]W[D6//3.00];)\n",
        START.replace('X', "*")
    );
    let save = |id: &str| server.get(&format!("/api/v1/games/{id}/save?format=ggf")).text;
    let game = server.ask("/games", json!({"text": text}));
    let id = game["id"].as_str().unwrap();
    let recorded = json!({"text": "white won (resignation)", "result": "-64.00:r"});
    assert_eq!((&game["recorded"], save(id)), (&recorded, text.clone()));
    assert!(game.get("result").is_none(), "the board tells nothing");
    // as links have it
    let linked = server.ask("/games", json!({"text": "f5d6", "result": "-64.00:r"}));
    assert_eq!(linked["recorded"], recorded);
    for (result, words) in [("+4:t", "black won by 4 (time)"), ("0:s", "draw (agreed)"), ("-2", "white won by 2")] {
        let found = server.ask("/games", json!({"text": "f5d6", "result": result}));
        assert_eq!(found["recorded"]["text"], words);
    }
    for bad in ["", "win", "+65:q", "-64:q", "-64:", "+4:t:t", "nan:r"] {
        let answer = server.post("/games", json!({"text": "f5d6", "result": bad}));
        assert!(answer.status == 400 && answer.message().starts_with("result: discs of "), "{}", answer.text);
    }
    // no more discs than there are squares
    for (rules, result, most) in [("othello", "+65:r", 64), ("hungarian:8x5", "-64:r", 40), ("hungarian:8x5", "41", 40)]
    {
        let message = server.post("/games", json!({"rules": rules, "result": result})).message();
        assert_eq!(message, format!("result: at most {most} discs, as many as squares, not '{result}'"));
    }
    server.ask("/games", json!({"rules": "hungarian:8x5", "result": "-40:r"}));
    // the game goes on
    server.ask(&format!("/games/{id}/undo"), json!({}));
    assert_eq!(server.ask(&format!("/games/{id}/moves"), json!({"move": "d6"}))["recorded"], recorded);
    let on = server.ask(&format!("/games/{id}/moves"), json!({"move": "c3"}));
    assert!(on.get("recorded").is_none());
    assert_eq!(save(id), text.replace("-64.00:r", "?").replace(";)", "B[C3];)"));
}

/// A request that comes twice, or from two places, plays one move.
#[test]
fn moves_can_say_where_they_belong() {
    let server = Server::new();
    let id = server.game(json!({"text": "f5"}));
    let moves = format!("/games/{id}/moves");
    assert_eq!(server.ask(&moves, json!({"move": "d6", "ply": 1}))["ply"], 2);
    for (path, body) in [
        (moves.as_str(), json!({"move": "c3", "ply": 1})),
        (&format!("/games/{id}/engine"), json!({"level": 1, "ply": 3})),
        (&format!("/games/{id}/undo"), json!({"ply": 3})),
        (&format!("/games/{id}/redo"), json!({"ply": 1})),
    ] {
        let answer = server.post(path, body.clone());
        let said = format!("the game has gone elsewhere: it is after 2 moves, not after {}", body["ply"]);
        assert_eq!((answer.status, answer.message()), (409, said));
    }
    assert_eq!(server.ask(&format!("/games/{id}/engine"), json!({"level": 1, "ply": 2}))["game"]["ply"], 3);
    assert_eq!(server.ask(&format!("/games/{id}/undo"), json!({"ply": 3}))["ply"], 2);
    assert_eq!(server.ask(&format!("/games/{id}/redo"), json!({"ply": 2}))["ply"], 3);
    assert_eq!(server.ask(&moves, json!({"move": "d3"}))["ply"], 4, "who does not say plays where the game is");
    let one = server.game(json!({"text": "f5"}));
    let answer = server.post(&format!("/games/{one}/goto"), json!({"ply": 9}));
    assert_eq!(answer.message(), "the game has 1 move: there is no place 9 in it");
}

#[test]
fn illegal_moves_are_refused_with_the_reason() {
    let server = Server::new();
    let id = server.game(json!({"rules": "ravensburger"}));
    let refused = server.post(&format!("/games/{id}/moves"), json!({"move": "d4"}));
    assert_eq!(
        (refused.status, refused.message()),
        (409, "gold cannot play 'd4': a disc of black stands there".into())
    );
    let bad = server.post(&format!("/games/{id}/moves"), json!({"move": "z9"}));
    assert_eq!((bad.status, bad.message()), (400, "'z9' is not on the board (a1 to h8)".into()));
    assert_eq!(server.get(&format!("/api/v1/games/{id}")).json()["ply"], 0);
    assert_eq!(server.post(&format!("/games/{id}/undo"), json!({})).status, 409);
    assert_eq!(server.post(&format!("/games/{id}/goto"), json!({"ply": 1})).status, 400);
}

#[test]
fn texts_are_read_or_refused_with_line_and_column() {
    let server = Server::new();
    let id = server.game(json!({"text": "f5d6c3"}));
    let read = server.ask(&format!("/games/{id}/text"), json!({"text": format!("{START}\n")}));
    assert_eq!((&read["ply"], &read["position"]), (&json!(0), &json!(START)));
    let two = server.ask(&format!("/games/{id}/text"), json!({"text": "f5d6\nf5f6\n", "number": 2}));
    assert_eq!((&two["games_in_text"], &two["text"]), (&json!(2), &json!("f5f6")));
    let bad = server.post(&format!("/games/{id}/text"), json!({"text": "f5 d6\n\nf5 d6 x9"}));
    assert_eq!(bad.status, 200, "the first game is read: {}", bad.text);
    let bad = server.post(&format!("/games/{id}/text"), json!({"text": "# mine\nf5 d6 x9"}));
    assert_eq!((bad.status, &bad.json()["error"]["line"], &bad.json()["error"]["column"]), (400, &json!(2), &json!(7)));
    // nothing to read, and no such game in it
    for (path, body) in [
        (format!("/games/{id}/text"), json!({})),
        (format!("/games/{id}/text"), json!({"text": ""})),
        ("/games".to_string(), json!({"text": " \n"})),
        ("/hint".to_string(), json!({"text": ""})),
    ] {
        let bad = server.post(&path, body);
        assert!(bad.status == 400 && bad.message().starts_with("there is nothing to read"), "{path}: {}", bad.text);
    }
    for path in [format!("/games/{id}/text"), "/games".to_string(), "/solve".to_string()] {
        for number in [0, -1] {
            let bad = server.post(&path, json!({"text": "f5d6", "number": number}));
            assert_eq!((bad.status, bad.message()), (400, format!("number: a whole number from 1 on, not {number}")));
        }
    }
    for path in ["/games", "/hint", "/solve"] {
        let none = server.post(path, json!({"number": 5}));
        assert_eq!((none.status, none.message()), (400, "number: without a text there is one game, not 5".into()));
    }
    server.ask("/games", json!({"number": 1}));
    let few = server.post("/games", json!({"text": "f5d6", "number": 2}));
    assert_eq!((few.status, few.message()), (400, "the text has 1 game, not 2".into()));
    // nothing has changed
    assert_eq!(server.get(&format!("/api/v1/games/{id}")).json()["text"], "f5d6");
    let body = server.send("POST", "/api/v1/games", "{\n \"rules\": 5}");
    assert_eq!((body.status, &body.json()["error"]["line"]), (400, &json!(2)));
    // fields in their order are no object; a mark of byte order is no part of one
    for (body, named) in
        [("[\"hungarian\"]", "an array"), ("null", "null"), (" -1.5e3", "a number"), ("\"f5\"", "a string")]
    {
        let other = server.send("POST", "/api/v1/games", body);
        let expected = format!("the body of the request: a JSON object is wanted, not {named}");
        assert_eq!((other.status, other.message()), (400, expected), "{body}");
    }
    let marked = server.send("POST", "/api/v1/games", "\u{feff}{\"text\": \"f5\"}");
    assert_eq!((marked.status, &marked.json()["text"]), (200, &json!("f5")));
    let unknown = server.post("/games", json!({"rule": "othello"}));
    assert!(unknown.status == 400 && unknown.message().contains("unknown field `rule`"), "{}", unknown.text);
}

#[test]
fn every_rule_set_can_be_played() {
    let server = Server::new();
    let rules = server.get("/api/v1/rules").json();
    assert!(rules.as_array().unwrap().len() >= 11);
    for entry in rules.as_array().unwrap() {
        let name = entry["name"].as_str().unwrap();
        let mut game = server.ask("/games", json!({"rules": name}));
        let id = game["id"].as_str().unwrap().to_string();
        for _ in 0..6 {
            let mv = game["legal"][0]["move"].clone();
            game = server.ask(&format!("/games/{id}/moves"), json!({"move": mv}));
        }
        let engine = server.ask(&format!("/games/{id}/engine"), json!({"level": 1}));
        assert_eq!(engine["game"]["ply"], 7, "{name}");
        let again = server.ask("/games", json!({"text": game["text"]}));
        assert_eq!(again["squares"], game["squares"], "{name}: {}", game["text"]);
        // a saved position knows its rules
        let saved = server.get(&format!("/api/v1/games/{id}/save?format=obf")).text;
        let again = server.ask("/games", json!({"text": saved}));
        assert_eq!(
            (&again["squares"], &again["board"]),
            (&engine["game"]["squares"], &engine["game"]["board"]),
            "{name}: {saved}"
        );
    }
    let odd = server.ask("/games", json!({"rules": "othello:7x9,holes=a1,i7"}))["squares"].clone();
    assert_eq!(odd.as_str().map(|squares| (squares.len(), squares.matches('#').count())), Some((63, 2)));
}

#[test]
fn the_engine_plays_a_whole_game() {
    let server = Server::new();
    let id = server.game(json!({"rules": "othello:6x6"}));
    let mut sources = Vec::new();
    loop {
        let moved = server.ask(&format!("/games/{id}/engine"), json!({"level": 1, "variety": 2}));
        sources.push(moved["source"].as_str().unwrap().to_string());
        if let Some(result) = moved["game"]["result"].as_str() {
            assert!(result.starts_with("game over: "), "{result}");
            break;
        }
    }
    assert!(sources.len() > 20 && sources.iter().any(|source| source == "search"));
    assert_eq!(server.post(&format!("/games/{id}/engine"), json!({})).status, 409);
    // with a book the first move of othello is known
    let id = server.game(json!({}));
    assert_eq!(server.ask(&format!("/games/{id}/engine"), json!({}))["source"], "book");
    let id = server.game(json!({}));
    let searched = server.ask(&format!("/games/{id}/engine"), json!({"level": 2, "no_book": true}));
    assert_eq!(searched["source"], "search");
}

#[test]
fn analysis_deepens_until_it_is_over() {
    let server = Server::new();
    let id = server.game(json!({"text": "f5d6c3"}));
    let answer = server.get(&format!("/api/v1/games/{id}/analysis?level=8"));
    assert_eq!(answer.header("content-type"), Some("text/event-stream"));
    let events = answer.events();
    let depths: Vec<u64> = events.iter().map(|(_, data)| data["depth"].as_u64().unwrap()).collect();
    assert!(events.len() > 2 && depths.is_sorted(), "{depths:?}");
    let (_, last) = events.last().unwrap();
    let legal = server.get(&format!("/api/v1/games/{id}")).json()["legal"].as_array().unwrap().len();
    assert_eq!((last["final"].as_bool(), last["moves"].as_array().unwrap().len()), (Some(true), legal));
    assert_eq!(events.iter().filter(|(_, data)| data["final"] == true).count(), 1);
    // as far as time allows
    let timed = server.get(&format!("/api/v1/games/{id}/analysis?time=0.2&lines=1")).events();
    assert_eq!(timed.last().unwrap().1["stopped"], true);
}

#[test]
fn solves_are_exact() {
    let server = Server::new();
    let solved = server.ask("/solve", json!({"text": ENDGAME}));
    assert_eq!((&solved["score"], &solved["exact"], &solved["best"]["move"]), (&json!(8), &json!(true), &json!("g8")));
    let outcome = server.ask("/solve", json!({"text": ENDGAME, "win_draw_loss": true}));
    assert_eq!((&outcome["score"], &outcome["win_draw_loss"]), (&json!(1), &json!(true)));
    // a proof says so
    assert_eq!((&outcome["exact"], &outcome["best"]["bound"]), (&json!(true), &json!("exact")));
    let hint = server.ask("/hint", json!({"text": "f5d6c3", "level": 4, "lines": 2}));
    assert_eq!((hint["moves"].as_array().unwrap().len(), &hint["final"]), (2, &json!(true)));
    assert_eq!(server.post("/solve", json!({"text": ENDGAME, "level": 3})).status, 400);
    assert_eq!(server.post("/hint", json!({"text": ENDGAME, "level": 61})).status, 400);
    let guess = server.ask("/solve", json!({"text": "f5d6c3d3c4f4f6", "win_draw_loss": true, "time": 0.3}));
    assert_eq!(guess["exact"], false, "{guess}");
    assert_ne!(guess["best"]["bound"], "exact", "{guess}");
    assert!(guess["score"] == 0 || guess["best"]["bound"] == "estimate", "{guess}");
    // no longer than asked for
    let start = Instant::now();
    let late = server.ask("/solve", json!({"time": 0.3}));
    assert_eq!(late["exact"], false);
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn reviews_judge_and_name_every_loss() {
    let server = Server::new();
    let id = server.game(json!({"text": "f5d6c3d3c4f4c5b3b2", "first": "Ann", "second": "Ben"}));
    let events = server.get(&format!("/api/v1/games/{id}/review?level=6&alternatives=1")).events();
    let moves: Vec<&Value> = events.iter().filter(|(kind, _)| kind == "move").map(|(_, data)| data).collect();
    assert_eq!(moves.len(), 9);
    let (kind, game) = events.last().unwrap();
    assert_eq!((kind.as_str(), &game["complete"]), ("game", &json!(true)));
    assert_eq!((&game["black"], &game["white"]), (&json!("Ann"), &json!("Ben")));
    let limits = server.get("/api/v1/levels").json()["losses"].clone();
    let mut named = 0;
    for mv in moves {
        let loss = mv["loss"].as_u64().unwrap();
        let mut names = limits.as_array().unwrap().iter().filter(|one| one["from_discs"].as_u64().unwrap() <= loss);
        let expected = names.next_back().map_or(Value::Null, |one| one["name"].clone());
        assert_eq!(mv["name"], expected, "{mv}");
        named += u32::from(!expected.is_null());
    }
    assert!(named > 0, "b2 loses discs");
}

#[test]
fn a_stopped_search_ends_with_what_it_has() {
    let server = Server::new();
    let id = server.game(json!({}));
    let (analysis, stopped) = std::thread::scope(|scope| {
        let analysis = scope.spawn(|| {
            let server = &server;
            server.get(&format!("/api/v1/games/{id}/analysis?time=60"))
        });
        wait_for("a search begins", || server.service.load().searching > 0);
        let stopped = server.ask(&format!("/games/{id}/stop"), json!({}));
        (analysis.join().unwrap(), stopped)
    });
    assert_eq!(stopped["stopped"], true);
    let last = &analysis.events().last().unwrap().1.clone();
    assert_eq!((&last["final"], &last["stopped"]), (&json!(true), &json!(true)));
    assert_eq!(server.ask(&format!("/games/{id}/stop"), json!({}))["stopped"], false);
}

#[test]
fn the_solitaire_is_played_with_advice() {
    let server = Server::new();
    let deal = server.ask("/solitaires", json!({"seed": 1}));
    let id = deal["id"].as_str().unwrap();
    assert_eq!(deal["unseen"].as_array().unwrap().len(), 24);
    let after = server.ask(&format!("/solitaires/{id}/turns"), json!({"turn": "d3g"}));
    assert_eq!((&after["turns"], after["unseen"].as_array().unwrap().len()), (&json!(["d3g"]), 22));
    let advice = server.ask(&format!("/solitaires/{id}/hint"), json!({}));
    let best = advice["turns"][0]["turn"].as_str().unwrap();
    server.ask(&format!("/solitaires/{id}/turns"), json!({"turn": best}));
    let refused = server.post(&format!("/solitaires/{id}/turns"), json!({"turn": "d3g"}));
    assert_eq!((refused.status, refused.message()), (409, "d3g: there is a disc on d3".into()));
    let back = server.ask(&format!("/solitaires/{id}/undo"), json!({}));
    assert_eq!((&back["hints"], back["taken_back"][0].as_u64()), (&json!(1), Some(1)));
    assert_eq!(server.get(&format!("/api/v1/solitaires/{id}")).json(), back);
    for bad in [json!({"layout": "a1"}), json!({"scoring": "x"}), json!({"seed": -1})] {
        assert_eq!(server.post("/solitaires", bad.clone()).status, 400, "{bad}");
    }
}

#[test]
fn strangers_get_nothing() {
    let server = Server::new();
    let request = |headers: &[(&str, &str)], path: &str| {
        let builder = Request::builder().uri(path);
        let builder = headers.iter().fold(builder, |builder, (name, value)| builder.header(*name, *value));
        server.call(builder.body(Body::empty()).unwrap())
    };
    let own = ("host", "127.0.0.1:8094");
    assert_eq!(request(&[own], "/api/v1/rules").status, 200);
    assert_eq!(request(&[own, ("origin", "http://127.0.0.1:8094")], "/api/v1/rules").status, 200);
    // a name that somebody has pointed at this machine
    assert_eq!(request(&[("host", "evil.example:8094")], "/api/v1/rules").status, 403);
    assert_eq!(request(&[("host", "evil.example")], "/").status, 403);
    assert_eq!(request(&[own, ("origin", "http://evil.example")], "/api/v1/rules").status, 403);
    assert_eq!(request(&[own, ("origin", "null")], "/api/v1/rules").status, 403);
    assert_eq!(request(&[own, ("sec-fetch-site", "cross-site")], "/api/v1/rules").status, 403);
    assert_eq!(request(&[own, ("sec-fetch-site", "cross-site")], "/").status, 200);
    assert_eq!(request(&[], "/api/v1/rules").status, 400);
    // whoever stands between may have gone by the other one
    assert_eq!(request(&[own, ("host", "evil.example")], "/api/v1/rules").status, 400);
    assert_eq!(request(&[own], "http://evil.example/api/v1/rules").status, 403);
    let page = request(&[own], "/");
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(page.header("access-control-allow-origin"), None);
}

#[test]
fn others_need_the_token() {
    let access = Access::new("0.0.0.0".parse().unwrap(), Some("secret-42")).unwrap();
    let server = Server::with(Config { access, ..config() });
    let request = |path: &str, headers: &[(&str, &str)]| {
        let builder = Request::builder().uri(path).header("host", "box.lan:8094");
        let builder = headers.iter().fold(builder, |builder, (name, value)| builder.header(*name, *value));
        server.call(builder.body(Body::empty()).unwrap())
    };
    for path in ["/", "/js/app.js", "/api/v1/rules", "/?token=secret-43", "/api/v1/rules?token=secret-42"] {
        assert_eq!(request(path, &[]).status, 401, "{path}");
    }
    assert_eq!(request("/api/v1/rules", &[("authorization", "Bearer secret-42")]).status, 200);
    let refused = request("/api/v1/rules", &[("authorization", "Bearer secret-4")]);
    assert_eq!((refused.status, refused.header("www-authenticate")), (401, Some("Bearer")));
    let welcome = request("/?token=secret-42", &[]);
    assert_eq!((welcome.status, welcome.header("location")), (303, Some("/")));
    let cookie = welcome.header("set-cookie").unwrap().to_string();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"), "{cookie}");
    let shown = ("cookie", cookie.split(';').next().unwrap());
    assert_eq!(request("/", &[shown]).status, 200);
    // a link of another site opens the page, with the cookie; it does not ask the service
    let linked = ("sec-fetch-site", "cross-site");
    assert_eq!((request("/", &[shown, linked]).status, request("/api/v1/rules", &[shown, linked]).status), (200, 403));
}

#[test]
fn everything_is_bounded() {
    let server = Server::with(Config { sessions: 3, ..config() });
    let large = server.send("POST", "/api/v1/games", format!("{{\"text\": \"{}\"}}", "f5".repeat(40_000)));
    assert_eq!(large.status, 413);
    let id = server.game(json!({}));
    for question in
        ["time=61", "time=0", "time=-1", "time=nan", "lines=0", "lines=1000", "level=61", "level=x", "deep=3"]
    {
        let answer = server.get(&format!("/api/v1/games/{id}/analysis?{question}"));
        assert_eq!(answer.status, 400, "{question}: {}", answer.text);
        assert!(!answer.message().is_empty());
    }
    server.game(json!({}));
    server.game(json!({}));
    let full = server.post("/games", json!({}));
    assert_eq!((full.status, full.header("retry-after")), (429, Some("2")));
    assert_eq!(server.get("/api/v1/load").json()["games"], 3);
    for (method, path, status) in [
        ("GET", "/api/v1/nothing", 404),
        ("GET", "/../Cargo.toml", 404),
        ("PUT", "/api/v1/games", 405),
        ("GET", "/api/v1/games/0123", 404),
        ("GET", "/api/v1/games/%FF", 404),
    ] {
        let answer = server.send(method, path, "");
        assert_eq!(answer.status, status, "{method} {path}");
        assert!(!answer.message().is_empty(), "{method} {path}: {}", answer.text);
    }
}

#[test]
fn a_game_that_went_on_refuses_the_engine_s_move() {
    let server = Server::new();
    let id = server.game(json!({"text": "f5"}));
    let answer = std::thread::scope(|scope| {
        let engine = scope
            .spawn(|| server.post(&format!("/games/{id}/engine"), json!({"time": 20.0, "level": 60, "no_book": true})));
        wait_for("a search begins", || server.service.load().searching > 0);
        server.ask(&format!("/games/{id}/moves"), json!({"move": "d6"}));
        engine.join().unwrap()
    });
    assert_eq!(answer.status, 409, "{}", answer.text);
    assert_eq!(server.get(&format!("/api/v1/games/{id}")).json()["text"], "f5d6");
}

#[test]
fn a_game_that_goes_elsewhere_ends_its_searches() {
    let server = Server::new();
    let deep = json!({"time": 60.0, "level": 60, "no_book": true});
    for (change, asked, status) in [
        ("undo", json!({}), 409),
        ("redo", json!({}), 409),
        ("goto", json!({"ply": 1}), 409),
        ("text", json!({"text": "f5f6"}), 409),
        // as many moves, and another position
        ("text", json!({"text": "f5f6e6"}), 409),
        ("", json!({}), 404),
    ] {
        let id = server.game(json!({"text": "f5d6c3d3"}));
        server.ask(&format!("/games/{id}/undo"), json!({}));
        let begun = Instant::now();
        let answer = std::thread::scope(|scope| {
            let engine = scope.spawn(|| server.post(&format!("/games/{id}/engine"), deep.clone()));
            wait_for("a search begins", || server.service.load().searching > 0);
            // a change that changes nothing lets it think on
            server.ask(&format!("/games/{id}/goto"), json!({"ply": 3}));
            std::thread::sleep(Duration::from_millis(100));
            assert_eq!(server.service.load().searching, 1, "{change}");
            if change.is_empty() {
                let gone = server.send("DELETE", &format!("/api/v1/games/{id}"), "");
                assert_eq!(gone.json()["stopped"], true);
            } else {
                server.ask(&format!("/games/{id}/{change}"), asked.clone());
            }
            engine.join().unwrap()
        });
        assert_eq!(answer.status, status, "{change}: {}", answer.text);
        assert!(begun.elapsed() < Duration::from_secs(30), "{change}: {:?}", begun.elapsed());
    }
}

/// The answer of a request that searches, and what comes of others while it does.
fn meanwhile<T: Send>(server: &Server, first: impl FnOnce() -> Answer + Send, then: impl FnOnce() -> T) -> (Answer, T) {
    std::thread::scope(|scope| {
        let first = scope.spawn(first);
        wait_for("a search begins", || server.service.load().searching > 0);
        std::thread::sleep(Duration::from_millis(50));
        let then = then();
        (first.join().unwrap(), then)
    })
}

#[test]
fn the_engine_s_move_ends_what_is_searched_about_the_place() {
    let server = Server::with(Config { searches: 2, ..config() });
    let deep = |time: f64| json!({"time": time, "level": 60, "no_book": true});
    let id = server.game(json!({"text": "f5d6c3d3"}));
    // another browser's analysis does not cut the engine short, and ends with its move
    let begun = Instant::now();
    let engine = || server.post(&format!("/games/{id}/engine"), deep(1.0));
    let (moved, analysis) =
        meanwhile(&server, engine, || server.get(&format!("/api/v1/games/{id}/analysis?time=60")).events());
    assert_eq!(moved.status, 200, "{}", moved.text);
    assert!(begun.elapsed() > Duration::from_millis(900) && begun.elapsed() < Duration::from_secs(30));
    assert_eq!(analysis.last().unwrap().1["stopped"], true);
    // the second of two requests for a move is over when the first has one
    let engine = || server.post(&format!("/games/{id}/engine"), deep(1.0));
    let (first, second) = meanwhile(&server, engine, || server.post(&format!("/games/{id}/engine"), deep(60.0)));
    assert_eq!((first.status, second.status), (200, 409), "{}", second.text);
    assert_eq!(first.json()["game"]["ply"], 6);
    assert!(begun.elapsed() < Duration::from_secs(50));
}

#[test]
fn a_client_looks_at_one_thing_at_a_time() {
    let server = Server::with(Config { searches: 2, ..config() });
    let id = server.game(json!({"text": "f5d6c3d3"}));
    let stream = |what: &str| server.get(&format!("/api/v1/games/{id}/{what}")).events();
    let begun = Instant::now();
    for second in ["analysis?time=0.2", "review?level=1"] {
        let analysis = || server.get(&format!("/api/v1/games/{id}/analysis?time=60"));
        let (first, _) = meanwhile(&server, analysis, || stream(second));
        assert_eq!(first.events().last().unwrap().1["stopped"], true, "{second}");
    }
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
}

/// One that has had its turn, and is stopped while it waits for the next, tells what it has found.
#[test]
fn a_search_that_is_stopped_while_it_waits_ends_with_what_it_has() {
    let server = Server::new();
    let [first, second] = ["f5d6c3d3", "f5f6e6f4"].map(|moves| server.game(json!({"text": moves})));
    let analysis = |id: &str| server.get(&format!("/api/v1/games/{id}/analysis?time=60"));
    let (analysed, _) = meanwhile(
        &server,
        || analysis(&first),
        || {
            std::thread::scope(|scope| {
                scope.spawn(|| analysis(&second));
                wait_for("a search waits", || server.service.load().waiting > 0);
                // the slice of the first is over by then, that of the second is not
                std::thread::sleep(Duration::from_millis(600));
                for id in [&first, &second] {
                    server.ask(&format!("/games/{id}/stop"), json!({}));
                }
            });
        },
    );
    let events = analysed.events();
    let (last, before) = events.split_last().unwrap();
    assert_eq!((&last.1["final"], &last.1["stopped"]), (&json!(true), &json!(true)));
    assert!(before.iter().all(|(_, event)| event["depth"].as_u64() <= last.1["depth"].as_u64()), "{}", analysed.text);
}

#[test]
fn a_game_that_comes_back_refuses_a_move_that_was_cut_short() {
    let server = Server::new();
    let id = server.game(json!({"text": "f5d6c3d3"}));
    let engine = || server.post(&format!("/games/{id}/engine"), json!({"time": 30, "level": 60, "no_book": true}));
    let (answer, _) = meanwhile(&server, engine, || {
        server.ask(&format!("/games/{id}/undo"), json!({}));
        server.ask(&format!("/games/{id}/redo"), json!({}))
    });
    assert_eq!(answer.status, 409, "{}", answer.text);
    // one that is told to move moves, even when its turn has not come
    let other = server.game(json!({"text": "f5"}));
    let engine = || server.post(&format!("/games/{other}/engine"), json!({"time": 1, "level": 60, "no_book": true}));
    let (_, moved) = meanwhile(&server, engine, || {
        let waiting = || server.post(&format!("/games/{id}/engine"), json!({"time": 60, "level": 60, "no_book": true}));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(waiting);
            wait_for("a search waits", || server.service.load().waiting > 0);
            assert_eq!(server.ask(&format!("/games/{id}/stop"), json!({}))["stopped"], true);
            waiting.join().unwrap()
        })
    });
    assert_eq!(moved.status, 200, "{}", moved.text);
    assert!(moved.json()["report"]["depth"].as_u64().unwrap() > 2, "{}", moved.text);
}

/// Whichever comes first, an analysis and a change that come together: none goes on about a place that is no longer there.
#[test]
fn a_search_that_comes_with_a_change_is_about_the_place_there_is() {
    let server = Server::with(Config { searches: 2, ..config() });
    let id = server.game(json!({"text": "f5d6c3d3c4f4"}));
    for round in 0..20 {
        let begun = Instant::now();
        let (events, state, changed) = std::thread::scope(|scope| {
            let analysis = scope.spawn(|| server.get(&format!("/api/v1/games/{id}/analysis?time=0.6")).events());
            let state = server.ask(&format!("/games/{id}/goto"), json!({"ply": 4 + round % 2}));
            let changed = begun.elapsed().as_secs_f64();
            (analysis.join().unwrap(), state, changed)
        });
        let last = &events.last().unwrap().1;
        let seconds = last["seconds"].as_f64().unwrap();
        assert!(last["position"] == state["position"] || seconds < changed + 0.3, "{changed}: {last}");
    }
}

#[test]
fn heads_of_streams_search_nothing() {
    let server = Server::new();
    let id = server.game(json!({"text": "f5d6c3d3"}));
    let engine = || server.post(&format!("/games/{id}/engine"), json!({"time": 1.0, "level": 60, "no_book": true}));
    let (moved, heads) = meanwhile(&server, engine, || {
        let head = |what: &str| server.send("HEAD", &format!("/api/v1/games/{id}/{what}"), "");
        [
            "analysis",
            "review",
            "review?alternatives=20",
            "review?alternatives=21",
            "analysis?level=61",
            "review?level=x",
        ]
        .map(head)
    });
    assert_eq!((moved.status, moved.json()["report"]["depth"].as_u64() > Some(4)), (200, true), "{}", moved.text);
    assert_eq!(heads.each_ref().map(|head| head.status), [200, 200, 200, 400, 400, 400]);
    assert_eq!(heads[0].header("content-type"), Some("text/event-stream"));
    assert_eq!(server.service.load().waiting, 0);
}

#[test]
fn advice_about_what_has_changed_is_refused() {
    let server = Server::new();
    let busy = server.game(json!({"text": "f5"}));
    let deal = server.ask("/solitaires", json!({"seed": 1}));
    let id = deal["id"].as_str().unwrap();
    let engine = || server.post(&format!("/games/{busy}/engine"), json!({"time": 1, "level": 60, "no_book": true}));
    let (_, hint) = meanwhile(&server, engine, || {
        std::thread::scope(|scope| {
            let hint = scope.spawn(|| server.post(&format!("/solitaires/{id}/hint"), json!({})));
            wait_for("a search waits", || server.service.load().waiting > 0);
            server.ask(&format!("/solitaires/{id}/turns"), json!({"turn": "d3g"}));
            hint.join().unwrap()
        })
    });
    assert_eq!(hint.status, 409, "{}", hint.text);
    assert_eq!(server.get(&format!("/api/v1/solitaires/{id}")).json()["hints"], 0);
}

#[test]
fn the_description_has_every_status() {
    let server = Server::with(Config { sessions: 1, ..config() });
    let description = serde_json::to_value(openapi()).unwrap();
    let id = server.game(json!({}));
    let large = " ".repeat(65 << 10);
    for (method, path, body, status) in [
        ("POST", "/games", large.as_str(), 413),
        ("POST", "/games", "{}", 429),
        ("POST", "/hint", "{\"level\": 99}", 400),
        ("GET", "/games/{id}/analysis", "", 404),
        ("POST", "/games/{id}/moves", "{\"move\": \"f5\"}", 404),
        ("POST", "/games/{id}/redo", "{\"count\": -1}", 400),
        ("POST", "/games/{id}/redo", "{}", 409),
        ("POST", "/games/{id}/stop", "", 404),
        ("GET", "/games/{id}/save", "", 404),
        ("POST", "/solitaires/{id}/undo", "", 404),
    ] {
        let name = if status == 404 { "0123" } else { &id };
        let answer = server.send(method, &format!("/api/v1{}", path.replace("{id}", name)), body.to_string());
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.text);
        let known = &description["paths"][format!("/api/v1{path}")][method.to_lowercase()]["responses"];
        let meaning = known[status.to_string()]["description"].as_str();
        assert!(meaning.is_some_and(|text| !text.is_empty()), "{method} {path}: {status}");
    }
    for item in description["paths"].as_object().unwrap().values() {
        for operation in item.as_object().unwrap().values() {
            assert!(["401", "403", "500"].iter().all(|status| operation["responses"].get(*status).is_some()));
        }
    }
    assert!(description["components"]["schemas"].get("GameJson").is_some());
    let wrong = server.get(&format!("/api/v1/games/{id}/analysis?lines=-1")).message();
    assert_eq!(wrong, "lines: a whole number from 1 to 256, not '-1'");
    for (path, name, takes, bad) in [
        ("/hint".to_string(), "lines", "a whole number from 1 to 256", [-1, 0]),
        ("/hint".to_string(), "level", "a whole number from 0 to 60", [61, 256]),
        (format!("/games/{id}/engine"), "variety", "a whole number from 0 to 64", [-1, 65]),
    ] {
        for value in bad {
            assert_eq!(server.post(&path, json!({name: value})).message(), format!("{name}: {takes}, not {value}"));
        }
    }
}

#[test]
fn a_review_goes_on_while_the_game_is_looked_at() {
    let server = Server::new();
    let review = |id: &str| server.get(&format!("/api/v1/games/{id}/review?level=60&time=0.1&alternatives=0")).events();
    let moves = "f5d6c3d3c4f4c5b3c2";
    let complete = |change: &str, asked: Value| {
        let id = server.game(json!({"text": moves}));
        let events = std::thread::scope(|scope| {
            let review = scope.spawn(|| review(&id));
            wait_for("a search begins", || server.service.load().searching > 0);
            server.ask(&format!("/games/{id}/{change}"), asked);
            review.join().unwrap()
        });
        let (kind, game) = events.last().unwrap();
        assert_eq!(kind, "game");
        game["complete"].as_bool().unwrap()
    };
    assert!(complete("goto", json!({"ply": 3})));
    assert!(!complete("text", json!({"text": "f5f6"})));
}

#[test]
fn the_description_has_every_path() {
    let description = serde_json::to_value(openapi()).unwrap();
    let paths = description["paths"].as_object().unwrap();
    assert_eq!(Server::new().get("/api/v1/openapi.json").json(), description);
    let source = include_str!("../src/web/api/mod.rs");
    let routes = source.lines().filter_map(|line| line.trim().strip_prefix(".route(\"")?.split('"').next());
    let mut count = 0;
    for route in routes.filter(|route| !route.ends_with("openapi.json")) {
        assert!(paths.contains_key(&format!("/api/v1{route}")), "{route}");
        count += 1;
    }
    assert_eq!(count, paths.len());
    for (path, item) in paths {
        for (method, operation) in item.as_object().unwrap() {
            let described = operation["summary"].as_str().or(operation["description"].as_str());
            assert!(described.is_some_and(|text| text.len() > 5), "{method} {path}");
        }
    }
    let references = description.to_string();
    for part in references.split("\"#/components/schemas/").skip(1) {
        let name = part.split('"').next().unwrap();
        assert!(description["components"]["schemas"].get(name).is_some(), "{name} is not described");
    }
}

/// What programs that are made from the description rely on.
#[test]
fn the_description_is_valid() {
    let server = Server::new();
    let description = serde_json::to_value(openapi()).unwrap();
    let mut names = HashSet::new();
    let mut questions = 0;
    for (path, item) in description["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let here = format!("{method} {path}");
            let name = operation["operationId"].as_str().unwrap();
            assert!(names.insert(name.to_string()), "{here}: another operation is called {name}");
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                let name = parameter["name"].as_str().unwrap();
                let of_path = path.contains(&format!("{{{name}}}"));
                let place = if of_path { "path" } else { "query" };
                let said = (&parameter["in"], &parameter["required"]);
                assert_eq!(said, (&json!(place), &json!(of_path)), "{here}: {name}");
                questions += usize::from(!of_path);
            }
            for (status, answer) in operation["responses"].as_object().unwrap() {
                let meaning = answer["description"].as_str();
                assert!(meaning.is_some_and(|text| !text.is_empty()), "{here}: {status}");
            }
            let Some(body) = operation.get("requestBody") else { continue };
            let kind = body["content"]["application/json"]["schema"]["$ref"].as_str().unwrap();
            let kind = &description["components"]["schemas"][kind.rsplit('/').next().unwrap()];
            let parts = kind["allOf"].as_array().map_or(std::slice::from_ref(kind), Vec::as_slice);
            let has_required = parts.iter().any(|part| part.get("required").is_some());
            assert_eq!(body["required"], json!(has_required), "{here}");
            // what is searched takes its time
            let searches = ["/hint", "/solve", "/engine"].iter().any(|end| path.ends_with(end));
            if !searches {
                let id = server.game(json!({"text": "f5d6"}));
                let answer = server.send("POST", &path.replace("{id}", &id), "");
                let refused = answer.status == 400 || (path.contains("/solitaires/{id}") && answer.status == 404);
                assert_eq!(refused, has_required, "{here}: {}", answer.text);
            }
        }
    }
    assert_eq!(questions, 9);
}

#[test]
fn tables_that_do_not_fit_are_errors() {
    assert!(outflank::web::Service::new(Config { engine: Options { hash_mib: 0, threads: 1 }, ..config() }).is_err());
}
