//! A browser for tests: headless Chromium behind chromedriver, spoken to in WebDriver's JSON.
//!
//! A client of its own, of the few commands that are needed: `fantoccini` is built on a crate under MPL-2.0, which `deny.toml`
//! does not allow, and `thirtyfour` brings an HTTP client, TLS and macros of its own for what are fourteen requests.
#![allow(dead_code)] // each test uses its part

use std::env;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::wire::Connection;

/// One browser at a time: they are large, and tests of times want the machine.
static TURN: Mutex<()> = Mutex::new(());

/// How long something may take to appear, on a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_secs(30);

/// Names under which WebDriver hands out elements.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A browser window; it closes with the value.
pub struct Browser {
    driver: Child,
    connection: Connection,
    session: String,
    /// What the browser writes; dropped after it has ended.
    _scratch: TempDir,
    _turn: MutexGuard<'static, ()>,
}

/// A program on the path.
fn program(names: &[&str]) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let found = |name: &&str| env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file());
    names.iter().find_map(found)
}

impl Browser {
    /// A window of this size; `None` where there is no Chromium with its driver.
    pub fn open(width: u32, height: u32) -> Option<Browser> {
        let driver = program(&["chromedriver"])?;
        let chromium = program(&["chromium", "chromium-browser", "google-chrome"])?;
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        // the browser leaves its profile and sockets behind, some megabytes a window
        let scratch = tempfile::tempdir().expect("a folder for the browser");
        let mut driver = Command::new(driver)
            .arg("--port=0")
            .env("TMPDIR", scratch.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let mut lines = BufReader::new(driver.stdout.take()?).lines();
        let port = lines.by_ref().map_while(Result::ok).find_map(|line| {
            let (_, rest) = line.split_once("started successfully on port ")?;
            rest.trim_end_matches('.').parse::<u16>().ok()
        })?;
        // the driver must not wait for somebody who reads its output
        std::thread::spawn(move || lines.for_each(drop));
        let connection = Connection::open(SocketAddr::from(([127, 0, 0, 1], port))).ok()?;
        let arguments = [
            "--headless=new",
            // root, as in containers, has no other way
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
        ];
        let capabilities = json!({"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:loggingPrefs": {"browser": "ALL"},
            "goog:chromeOptions": {"args": arguments, "binary": chromium},
        }}});
        // from here on the driver ends with the value
        let mut browser = Browser { driver, connection, session: String::new(), _scratch: scratch, _turn: turn };
        let reply =
            browser.connection.ask("POST", "/session", &capabilities.to_string()).expect("chromedriver answers");
        let session = reply.json()["value"]["sessionId"].as_str().map(str::to_string);
        browser.session = session.unwrap_or_else(|| panic!("chromedriver gives no session: {}", reply.body));
        browser.size(width, height);
        Some(browser)
    }

    fn call(&mut self, method: &str, path: &str, body: Value) -> Result<Value, String> {
        let text = if method == "GET" { String::new() } else { body.to_string() };
        let path = format!("/session/{}{path}", self.session);
        let reply = self.connection.ask(method, &path, &text).map_err(|error| format!("{method} {path}: {error}"))?;
        let value = reply.json()["value"].take();
        match reply.status {
            200 => Ok(value),
            _ => Err(format!("{method} {path}: {}: {}", value["error"], value["message"])),
        }
    }

    fn must(&mut self, method: &str, path: &str, body: Value) -> Value {
        self.call(method, path, body).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The size of what a page has, whatever the window has around it.
    pub fn size(&mut self, width: u32, height: u32) {
        // a window is at least 500 wide, a phone is not
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        let body = json!({"cmd": "Emulation.setDeviceMetricsOverride", "params": metrics});
        self.must("POST", "/goog/cdp/execute", body);
    }

    /// What the system says of colours and motion: names and values of CSS.
    pub fn media(&mut self, features: &[(&str, &str)]) {
        let features: Vec<Value> = features.iter().map(|(name, value)| json!({"name": name, "value": value})).collect();
        let body = json!({"cmd": "Emulation.setEmulatedMedia", "params": {"features": features}});
        self.must("POST", "/goog/cdp/execute", body);
    }

    /// The page is as it would be printed.
    pub fn on_paper(&mut self) {
        let body = json!({"cmd": "Emulation.setEmulatedMedia", "params": {"media": "print"}});
        self.must("POST", "/goog/cdp/execute", body);
    }

    /// Opens another tab of the same window, and goes on in it; the result is the tab before.
    pub fn tab(&mut self) -> Value {
        let before = self.must("GET", "/window", Value::Null);
        let new = self.must("POST", "/window/new", json!({"type": "tab"}))["handle"].take();
        self.turn_to(&new);
        before
    }

    /// Goes on in a tab.
    pub fn turn_to(&mut self, tab: &Value) {
        self.must("POST", "/window", json!({"handle": tab}));
    }

    /// Goes to a page.
    pub fn load(&mut self, url: &str) {
        // a change behind the # alone would not load it
        self.must("POST", "/url", json!({"url": "about:blank"}));
        self.must("POST", "/url", json!({"url": url}));
    }

    /// Goes to the board, and waits until its script is ready.
    pub fn go(&mut self, url: &str) {
        self.load(url);
        self.wait("document.body.dataset.ready === 'yes'");
    }

    /// Loads the page again, as it is.
    pub fn reload(&mut self) {
        self.must("POST", "/refresh", json!({}));
        self.wait("document.body.dataset.ready === 'yes'");
    }

    /// The value of an expression.
    pub fn eval(&mut self, expression: &str) -> Value {
        self.run(&format!("return {expression}"))
    }

    /// Runs a script.
    pub fn run(&mut self, script: &str) -> Value {
        self.must("POST", "/execute/sync", json!({"script": script, "args": []}))
    }

    /// The text of an expression.
    pub fn text(&mut self, expression: &str) -> String {
        self.eval(expression).as_str().unwrap_or_default().to_string()
    }

    /// Waits until an expression is true.
    pub fn wait(&mut self, expression: &str) {
        let start = Instant::now();
        while self.eval(&format!("!!({expression})")) != json!(true) {
            if start.elapsed() > PATIENCE {
                let picture = self.picture("failed");
                panic!("it never came: {expression} (see {})", picture.display());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// An element, as a person could point at it.
    fn element(&mut self, selector: &str) -> String {
        let found = self.must("POST", "/element", json!({"using": "css selector", "value": selector}));
        found[ELEMENT].as_str().unwrap_or_else(|| panic!("{selector}: {found}")).to_string()
    }

    /// Clicks where an element is.
    pub fn click(&mut self, selector: &str) {
        let element = self.element(selector);
        self.must("POST", &format!("/element/{element}/click"), json!({}));
    }

    /// Clicks twice where an element is.
    pub fn double_click(&mut self, selector: &str) {
        let element = self.element(selector);
        let mut actions = vec![json!({"type": "pointerMove", "origin": {ELEMENT: element}, "x": 0, "y": 0})];
        let press = ["pointerDown", "pointerUp"].map(|kind| json!({"type": kind, "button": 0}));
        actions.extend(press.clone());
        // a person takes so long
        actions.push(json!({"type": "pause", "duration": 150}));
        actions.extend(press);
        self.must("POST", "/actions", json!({"actions": [{"type": "pointer", "id": "mouse", "actions": actions}]}));
    }

    /// Types into an element.
    pub fn write(&mut self, selector: &str, text: &str) {
        let element = self.element(selector);
        self.must("POST", &format!("/element/{element}/clear"), json!({}));
        self.must("POST", &format!("/element/{element}/value"), json!({"text": text}));
    }

    /// Chooses an entry of a list.
    pub fn choose(&mut self, selector: &str, value: &str) {
        let script = format!(
            "const one = document.querySelector({}); one.value = {}; one.dispatchEvent(new Event('change', {{bubbles: true}}))",
            json!(selector),
            json!(value)
        );
        self.run(&script);
    }

    /// Presses keys, one after the other, wherever the focus is. Special keys have WebDriver's code points.
    pub fn press(&mut self, keys: &str) {
        let actions: Vec<Value> = keys
            .chars()
            .flat_map(|key| ["keyDown", "keyUp"].map(|kind| json!({"type": kind, "value": key.to_string()})))
            .collect();
        self.must("POST", "/actions", json!({"actions": [{"type": "key", "id": "keys", "actions": actions}]}));
    }

    /// What the page wrote to the console as an error; answers of the server that refuse something are the page's business.
    pub fn errors(&mut self) -> Vec<String> {
        let log = self.must("POST", "/se/log", json!({"type": "browser"}));
        let entries = log.as_array().cloned().unwrap_or_default();
        let expected = |text: &str| {
            let is_forgotten = text.contains("/api/v1/") && text.contains("status of 404");
            text.contains("status of 400") || text.contains("status of 409") || is_forgotten
        };
        let severe = entries.iter().filter(|entry| matches!(entry["level"].as_str(), Some("SEVERE" | "WARNING")));
        let texts = severe.filter_map(|entry| entry["message"].as_str().map(str::to_string));
        texts.filter(|text| !expected(text)).collect()
    }

    /// A picture of the window, in the folder of pictures.
    pub fn picture(&mut self, name: &str) -> PathBuf {
        let folder = env::var_os("OUTFLANK_PICTURES").map(PathBuf::from);
        let folder = folder.unwrap_or_else(|| Path::new(env!("CARGO_TARGET_TMPDIR")).join("web"));
        fs::create_dir_all(&folder).expect("a folder for pictures");
        let picture = self.must("GET", "/screenshot", Value::Null);
        let bytes = base64(picture.as_str().unwrap_or_default());
        assert!(bytes.starts_with(b"\x89PNG"), "a picture");
        let path = folder.join(format!("{name}.png"));
        fs::write(&path, bytes).expect("the picture can be written");
        path
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // with a body, without which the driver refuses it and leaves the browser behind
        let _ = self.call("DELETE", "", json!({}));
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// What a text in base64 says.
fn base64(text: &str) -> Vec<u8> {
    let value = |c: u8| match c {
        b'A'..=b'Z' => Some(c - b'A'),
        b'a'..=b'z' => Some(c - b'a' + 26),
        b'0'..=b'9' => Some(c - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut count) = (0u32, 0);
    for six in text.bytes().filter_map(value) {
        bits = bits << 6 | u32::from(six);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}
