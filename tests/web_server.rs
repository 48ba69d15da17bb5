//! `outflank web` on a real port: connections that close, clients in numbers, and what the command refuses.
#![cfg(all(feature = "web", feature = "cli"))]

mod binary;
mod waiting;
mod web;

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use binary::{outflank, output};
use outflank::web::Config;
use serde_json::{Value, json};
use waiting::wait_for;
use web::config;
use web::wire::{Connection, Port};

/// Searches that run on a port's server.
fn searching(port: &Port) -> usize {
    port.service.load().searching
}

/// Begins an endless search on a connection: an analysis, or a hint that is to be very deep.
fn begin_search(port: &Port, stream: bool) -> Connection {
    let mut connection = Connection::open(port.address).unwrap();
    if stream {
        let id = connection.json("POST", "/api/v1/games", &json!({"text": "f5d6c3d3c4"}))["id"].clone();
        let path = format!("/api/v1/games/{}/analysis?time=60", id.as_str().unwrap());
        connection.send("GET", &path, "").unwrap();
        while !connection.line().unwrap().starts_with("data: ") {}
    } else {
        let body = json!({"text": "f5d6c3d3c4", "level": 60, "time": 60}).to_string();
        connection.send("POST", "/api/v1/hint", &body).unwrap();
    }
    wait_for("the search begins", || searching(port) == 1);
    connection
}

#[test]
fn a_closed_connection_stops_its_search() {
    let port = Port::new(config());
    for stream in [true, false] {
        let mut times = Vec::new();
        for _ in 0..10 {
            let connection = begin_search(&port, stream);
            drop(connection);
            times.push(wait_for("the search ends", || searching(&port) == 0));
        }
        times.sort();
        println!("stream {stream}: fastest {:?}, median {:?}, slowest {:?}", times[0], times[5], times[9]);
        // others may be busy on this machine: the fastest tells what the program does
        assert!(times[0] < Duration::from_millis(250), "{times:?}");
        assert!(times[9] < Duration::from_secs(5), "{times:?}");
    }
}

/// A move that comes when nobody waits for it any more is not played: the page goes on where the game is.
#[test]
fn the_engine_does_not_move_for_a_client_that_has_gone() {
    let port = Port::new(config());
    let mut client = Connection::open(port.address).unwrap();
    // on a busy machine it may have moved before: such a try says nothing
    let (mut tried, mut late) = (0, 0);
    while tried < 2 {
        let id = client.json("POST", "/api/v1/games", &json!({"text": "f5d6c3"}))["id"].clone();
        let game = format!("/api/v1/games/{}", id.as_str().unwrap());
        let mut leaving = Connection::open(port.address).unwrap();
        let begun = Instant::now();
        let body = json!({"time": 0.6, "level": 60, "no_book": true}).to_string();
        leaving.send("POST", &format!("{game}/engine"), &body).unwrap();
        std::thread::sleep(Duration::from_millis(550));
        drop(leaving);
        let in_time = begun.elapsed() < Duration::from_millis(580);
        wait_for("the search ends", || searching(&port) == 0);
        if in_time {
            // time to play the move
            std::thread::sleep(Duration::from_millis(100));
            assert_eq!(client.json("GET", &game, &json!(null))["ply"], 3);
            tried += 1;
        } else {
            late += 1;
            assert!(late < 50, "no client left in time");
        }
    }
    let id = client.json("POST", "/api/v1/games", &json!({"text": "f5d6c3"}))["id"].clone();
    let path = format!("/api/v1/games/{}/engine", id.as_str().unwrap());
    assert_eq!(client.json("POST", &path, &json!({"level": 1}))["game"]["ply"], 4, "one who waits gets the move");
}

/// Whoever only says that all requests have been sent gets what is at hand; a search is stopped, also when the next request
/// waits behind it.
#[test]
fn clients_that_send_no_more_are_answered_at_once_or_not() {
    use std::io::{Read, Write};
    let port = Port::new(config());
    let open = |requests: &[(&str, &str, &str)]| {
        let mut stream = std::net::TcpStream::connect(port.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let request = |(method, path, body): &(&str, &str, &str)| {
            let length = body.len();
            format!("{method} {path} HTTP/1.1\r\nhost: {}\r\ncontent-length: {length}\r\n\r\n{body}", port.address)
        };
        stream.write_all(requests.iter().map(request).collect::<String>().as_bytes()).unwrap();
        stream
    };
    let answer = |requests: &[(&str, &str, &str)]| {
        let mut stream = open(requests);
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    let levels = ("GET", "/api/v1/levels", "");
    assert!(answer(&[levels]).starts_with("HTTP/1.1 200"));
    assert!(answer(&[("POST", "/api/v1/games", "{}"), levels]).ends_with("}]}"));
    // more than is at hand at once, to a client that takes its time
    let (many, description) = (300, ("GET", "/api/v1/openapi.json", ""));
    let mut slow = open(&vec![description; many]);
    slow.shutdown(std::net::Shutdown::Write).unwrap();
    std::thread::sleep(Duration::from_millis(500));
    let mut answers = String::new();
    slow.read_to_string(&mut answers).unwrap();
    assert_eq!(answers.matches("HTTP/1.1 200").count(), many);
    assert!(answers.ends_with('}') && answers.len() > many * 10_000);
    let endless = ("POST", "/api/v1/hint", "{\"level\": 60, \"time\": 60}");
    let id = Connection::open(port.address).unwrap().json("POST", "/api/v1/games", &json!({}))["id"].clone();
    let stream = format!("/api/v1/games/{}/analysis?time=60", id.as_str().unwrap());
    // a search for a client that sends no more ends as well: it is probably gone
    for search in [endless, ("GET", &stream, "")] {
        let begun = Instant::now();
        assert!(answer(&[levels, search]).starts_with("HTTP/1.1 200"));
        wait_for("the search ends", || searching(&port) == 0);
        assert!(begun.elapsed() < Duration::from_secs(20), "{search:?}: {:?}", begun.elapsed());
    }
    for requests in [&[endless][..], &[endless, levels]] {
        let connection = open(requests);
        wait_for("the search begins", || searching(&port) == 1);
        drop(connection);
        assert!(wait_for("the search ends", || searching(&port) == 0) < Duration::from_secs(5));
    }
}

/// A client that takes nothing loses its connection, and what is searched for it ends.
#[test]
#[ignore = "half a minute of waiting"]
fn clients_that_do_not_read_are_given_up() {
    use std::io::Write;
    let port = Port::new(config());
    let mut stream = std::net::TcpStream::connect(port.address).unwrap();
    stream.set_write_timeout(Some(Duration::from_secs(1))).unwrap();
    let request = format!("GET /style.css HTTP/1.1\r\nhost: {}\r\n\r\n", port.address).repeat(100);
    while stream.write_all(request.as_bytes()).is_ok() {}
    // what it sends is not taken either, until it is given up
    stream.set_write_timeout(Some(Duration::from_secs(60))).unwrap();
    let start = Instant::now();
    while stream.write_all(request.as_bytes()).is_ok() {
        assert!(start.elapsed() < Duration::from_secs(60));
    }
    assert!(start.elapsed() < Duration::from_secs(50), "{:?}", start.elapsed());
}

#[test]
fn the_page_comes_with_everything_it_names() {
    let port = Port::new(config());
    let mut connection = Connection::open(port.address).unwrap();
    let page = connection.ask("GET", "/", "").unwrap();
    assert_eq!(page.status, 200);
    let mut total = page.body.len();
    for part in page.body.split(['"', ' ']).filter(|part| part.starts_with('/') && part.len() > 1) {
        let file = connection.ask("GET", part, "").unwrap();
        assert_eq!(file.status, 200, "{part}");
        total += file.body.len();
    }
    assert!(total > 5000, "{total}");
}

#[test]
fn the_command_refuses_to_be_open_to_all() {
    let refused = output(outflank().args(["web", "--host", "0.0.0.0", "--port", "0"]), "");
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("0.0.0.0 can be reached from other machines") && said.contains("--token"), "{said}");
    let short = output(outflank().args(["web", "--token", "x", "--port", "0"]), "");
    assert_eq!(short.status.code(), Some(2));
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let busy = output(outflank().args(["web", "--port", &port]), "");
    assert_eq!(busy.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&busy.stderr).contains("cannot listen on 127.0.0.1:"), "{busy:?}");
}

#[test]
fn a_body_that_is_none_is_not_a_large_one() {
    use std::io::{Read, Write};
    let port = Port::new(config());
    let ask = |field: &str, body: &str| {
        let mut stream = std::net::TcpStream::connect(port.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let head = format!("POST /api/v1/games HTTP/1.1\r\nhost: {}\r\n{field}\r\n\r\n", port.address);
        stream.write_all((head + body).as_bytes()).unwrap();
        let mut answer = vec![0; 12];
        stream.read_exact(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    };
    let answer = |body: &str| ask("transfer-encoding: chunked", body);
    assert_eq!(answer("2\r\n{}\r\n0\r\n\r\n"), "HTTP/1.1 200");
    assert_eq!(answer("zz\r\n{}\r\n0\r\n\r\n"), "HTTP/1.1 400");
    let large = format!("11170\r\n{}\r\n0\r\n\r\n", " ".repeat(0x11170));
    assert_eq!(answer(&large), "HTTP/1.1 413");
    // one that is announced is refused before it comes: to wait for it would take ten seconds, and end in 408
    assert_eq!(ask("content-length: 65537", ""), "HTTP/1.1 413");
    assert_eq!(ask("content-length: 2", "{}"), "HTTP/1.1 200");
}

/// `outflank web` on a port of its own, what it says, and its address.
#[cfg(unix)]
fn started(more: &[&str], environment: &[(&str, &str)]) -> (std::process::Child, String, std::net::SocketAddr) {
    let mut child = outflank()
        .args(["web", "--port", "0", "--hash", "1", "--searches", "1"])
        .args(more)
        .envs(environment.iter().copied())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next()).expect("an address");
    let port: u16 = address.rsplit(':').next().unwrap().parse().unwrap();
    (child, line, ([127, 0, 0, 1], port).into())
}

#[cfg(unix)]
fn interrupt(mut child: std::process::Child) {
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    assert!(child.wait().unwrap().success());
}

#[test]
#[cfg(unix)]
fn the_command_serves_until_it_is_interrupted() {
    let (child, _, address) = started(&[], &[]);
    let mut connection = Connection::open(address).unwrap();
    let hint = connection.json("POST", "/api/v1/hint", &json!({"text": "f5d6c3", "level": 4}));
    assert_eq!(hint["final"], true);
    interrupt(child);
}

/// What stands on a command line can be read by everybody on the machine.
#[test]
#[cfg(unix)]
fn a_token_comes_from_the_environment() {
    let (child, line, address) = started(&[], &[("OUTFLANK_TOKEN", "secret-42")]);
    assert!(line.contains("/?token=secret-42 "), "{line}");
    let mut connection = Connection::open(address).unwrap();
    assert_eq!(connection.ask("GET", "/api/v1/load", "").unwrap().status, 401);
    assert_eq!(connection.ask("GET", "/?token=secret-42", "").unwrap().status, 303);
    interrupt(child);
    // the option goes before, and the help does not show what there is
    let (child, line, _) = started(&["--token", "secret-43"], &[("OUTFLANK_TOKEN", "secret-42")]);
    assert!(line.contains("/?token=secret-43 "), "{line}");
    interrupt(child);
    let help = output(outflank().args(["web", "--help"]).env("OUTFLANK_TOKEN", "secret-42"), "");
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    assert!(help.contains("OUTFLANK_TOKEN]") && !help.contains("secret-42"), "{help}");
    let empty = output(outflank().args(["web", "--port", "0"]).env("OUTFLANK_TOKEN", ""), "");
    assert_eq!(empty.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&empty.stderr).contains("a token has 8 to 128 letters"), "{empty:?}");
}

/// The token does not stand on the browser's command line either.
#[test]
#[cfg(target_os = "linux")]
fn a_browser_is_invited_without_the_token() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (browser, shown) = (folder.path().join("xdg-open"), folder.path().join("shown"));
    // under its name when it is whole
    let script = format!("#!/bin/sh\necho \"$@\" > '{0}.new' && mv '{0}.new' '{0}'\n", shown.display());
    std::fs::write(&browser, script).unwrap();
    std::fs::set_permissions(&browser, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let (child, _, address) = started(&["--open"], &[("OUTFLANK_TOKEN", "secret-42"), ("PATH", &path)]);
    wait_for("a browser", || shown.exists());
    let page = std::fs::read_to_string(&shown).unwrap();
    assert!(!page.contains("secret"), "{page}");
    let (_, query) = page.trim().rsplit_once('/').unwrap();
    let mut connection = Connection::open(address).unwrap();
    let mut status = |path: &str| connection.ask("GET", path, "").unwrap().status;
    assert_eq!(status(&format!("/api/v1/load{query}")), 401);
    assert_eq!(status(&format!("/{query}")), 303);
    // it has been used
    assert_eq!(status(&format!("/{query}")), 401);
    interrupt(child);
}

/// A service without threads to search with would let every request wait for ever.
#[cfg(target_os = "linux")]
#[test]
fn web_does_not_start_without_its_threads() {
    // no stack has so much memory
    let mut command = outflank();
    command.args(["web", "--port", "0", "--hash", "1"]).env("RUST_MIN_STACK", (1_u64 << 60).to_string());
    let output = output(&mut command, "");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.starts_with("outflank: cannot start the threads of the searches: "), "{errors}");
    assert!(output.stdout.is_empty());
}

/// Resident memory of this process in KiB, and its threads.
fn resources() -> (u64, u64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let number = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
        line.trim().split(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0)
    };
    (number("VmRSS:"), number("Threads:"))
}

/// 200 clients play, ask for hints, study and review for a minute (`OUTFLANK_WEB_SECONDS`): no error, and neither memory nor
/// threads grow with them.
#[test]
#[ignore = "a minute of load; run it alone"]
fn two_hundred_clients() {
    const CLIENTS: usize = 200;
    let seconds = std::env::var("OUTFLANK_WEB_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(60);
    let port = Port::new(Config { sessions: 2 * CLIENTS, searches: 2, ..config() });
    begin_search(&port, true);
    let before = resources();
    let (requests, events) = (AtomicU64::new(0), AtomicU64::new(0));
    let until = Instant::now() + Duration::from_secs(seconds);
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (port, requests, events) = (&port, &requests, &events);
            scope.spawn(move || {
                let mut connection = Connection::open(port.address).expect("a connection");
                let mut ask = |method: &str, path: &str, body: Value| {
                    requests.fetch_add(1, Ordering::Relaxed);
                    connection.json(method, path, &body)
                };
                let rules = ["othello", "traveller", "octagon", "hungarian:6x6"][client % 4];
                while Instant::now() < until {
                    let id = ask("POST", "/api/v1/games", json!({"rules": rules}))["id"].as_str().unwrap().to_string();
                    for _ in 0..8 {
                        let level = json!({"level": client % 4, "time": 0.05});
                        ask("POST", &format!("/api/v1/games/{id}/engine"), level);
                        if Instant::now() > until {
                            break;
                        }
                    }
                    let analysis = format!("/api/v1/games/{id}/analysis?time=0.1");
                    let mut second = Connection::open(port.address).expect("a connection");
                    let reply = second.ask("GET", &analysis, "").expect("a stream");
                    assert_eq!(reply.status, 200, "{}", reply.body);
                    events.fetch_add(reply.body.matches("event: ").count() as u64, Ordering::Relaxed);
                    ask("DELETE", &format!("/api/v1/games/{id}"), Value::Null);
                }
            });
        }
        // in the middle of it
        std::thread::sleep(Duration::from_secs(seconds / 2));
        let (load, (memory, threads)) = (port.service.load(), resources());
        println!("half-way: {load:?}; {} MiB, {threads} threads ({CLIENTS} of them clients)", memory >> 10);
        assert!(threads <= before.1 + CLIENTS as u64 + 2, "{threads} threads, {} before", before.1);
        assert!(load.searching <= 2);
    });
    let after = resources();
    println!(
        "{} requests, {} events in {seconds} s; {} to {} MiB, {} to {} threads",
        requests.load(Ordering::Relaxed),
        events.load(Ordering::Relaxed),
        before.0 >> 10,
        after.0 >> 10,
        before.1,
        after.1
    );
    assert!(after.0 < before.0 + (200 << 10), "{} KiB to {} KiB", before.0, after.0);
    wait_for("all searches end", || searching(&port) == 0);
}
