//! What the address holds, what the browser's way back brings, and what is kept when the page is loaded again.

use std::time::Duration;

use outflank::web::Config;
use serde_json::json;

use crate::web::config;
use crate::{ENTER, ESCAPE, TAB, address, all_well, ply, visit, visit_with};

/// How many moves the list has.
fn moves(count: usize) -> String {
    format!("document.querySelectorAll('.moves li').length === {}", count + 1)
}

#[test]
fn the_way_to_the_board_leaves_the_address() {
    let Some((_port, mut browser)) = visit("#t=f5d6c3&p=3") else { return };
    browser.press(TAB);
    browser.press(ENTER);
    assert_eq!(browser.text("document.activeElement.getAttribute('role')"), "gridcell");
    assert_eq!(address(&mut browser), "t=f5d6c3&p=3");
    // where there is no clipboard the link is shown: the page's, whatever stands in the address
    browser.run("history.replaceState(null, '', '#board'); navigator.clipboard.writeText = () => Promise.reject()");
    browser.press("l");
    browser.wait("document.getElementById('dialog').open");
    assert!(browser.text("document.getElementById('address').value").ends_with("/#t=f5d6c3&p=3"));
    browser.press(ESCAPE);
    // Tab comes to a square, and not to the drawing around it
    browser.reload();
    let mut stops = Vec::new();
    while stops.last().is_none_or(|stop| stop != "gridcell") {
        browser.press(TAB);
        stops.push(browser.text("document.activeElement.getAttribute('role') ?? document.activeElement.tagName"));
        assert!(stops.len() < 20, "{stops:?}");
    }
    assert!(stops.iter().all(|stop| stop != "grid"), "{stops:?}");
    all_well(&mut browser);
}

#[test]
fn games_that_were_given_up_say_so() {
    let Some((_port, mut browser)) = visit("#t=f5d6c3&p=3") else { return };
    browser.click("#paste");
    browser.write("#text", "(;GM[Othello]RE[-64.00:r]TY[8]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]B[F5]W[F6];)");
    browser.click("dialog .primary");
    browser.wait(&moves(2));
    let status = "document.querySelector('#status strong')?.textContent ?? ''";
    for _ in 0..2 {
        assert_eq!(browser.text(status), "White won (resignation)");
        assert_eq!(browser.eval("document.getElementById('learn').hidden"), json!(false));
        assert_eq!(address(&mut browser), "t=f5f6&p=2&result=-64.00%3Ar");
        browser.reload();
    }
    // not before its end
    browser.press("u");
    browser.wait("document.querySelector('#status strong') === null");
    browser.press("r");
    browser.wait("document.querySelector('#status strong') !== null");
    // and not when it is played on
    browser.choose("#side-1", "human");
    browser.click("[data-square=e6]");
    browser.wait(&moves(3));
    assert_eq!((browser.text(status).as_str(), address(&mut browser).as_str()), ("", "t=f5f6e6&p=3"));
    all_well(&mut browser);
}

#[test]
fn who_plays_is_kept_and_games_that_gave_way_come_back() {
    let Some((_port, mut browser)) = visit("#t=f5d6c3&p=3") else { return };
    for (list, value) in [("level", "club"), ("time", "30"), ("side-1", "human"), ("side-0", "engine")] {
        browser.choose(&format!("#{list}"), value);
    }
    browser.reload();
    let settings = "['level', 'time', 'side-0', 'side-1'].map((one) => document.getElementById(one).value)";
    assert_eq!(browser.eval(settings), json!(["club", "30", "engine", "human"]));
    browser.choose("#side-0", "human");
    browser.click("#new");
    browser.click("dialog .primary");
    browser.wait(&moves(0));
    browser.click("#paste");
    browser.write("#text", "(;GM[Othello]PB[Ann]PW[Ben]TY[8]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]B[F5]W[F6];)");
    browser.click("dialog .primary");
    browser.wait(&moves(2));
    // names are in the link
    assert_eq!(address(&mut browser), "t=f5f6&p=2&first=Ann&second=Ben");
    browser.reload();
    let players = browser.text("document.getElementById('players').textContent");
    assert!(players.contains("Ann") && players.contains("Ben"), "{players}");
    for (back, count) in [("r=othello&p=0", 0), ("t=f5d6c3&p=3", 3)] {
        browser.run("history.back()");
        browser.wait(&format!("location.hash.slice(1) === '{back}' && {}", moves(count)));
    }
    assert_eq!(ply(&mut browser), 3);
    all_well(&mut browser);
}

/// Remarks, dates and clocks are in no link: a game that was pasted has them as long as its tab is open.
#[test]
fn a_pasted_game_keeps_what_its_link_does_not_have() {
    let idle = Duration::from_secs(3);
    let Some((_port, mut browser)) = visit_with(Config { idle, ..config() }, "") else { return };
    let game = "(;GM[2]PB[Ann]DT[1999-05-01]TM[300];B[f5]C[one];W[d6]WL[290]C[two];B[c3]C[three])";
    browser.click("#paste");
    browser.write("#text", game);
    browser.click("dialog .primary");
    browser.wait(&moves(3));
    let all_is_there = |browser: &mut crate::Browser| {
        browser.click("#save");
        browser.choose("#format", "sgf");
        let saved = "document.getElementById('saved').value";
        browser.wait(&format!("{saved}.startsWith('(;GM[2]')"));
        let text = browser.text(saved);
        for part in ["PB[Ann]", "DT[1999-05-01]", "TM[300]", "C[one]", "WL[290.00]C[two]", "C[three]"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        browser.press(ESCAPE);
    };
    all_is_there(&mut browser);
    browser.reload();
    all_is_there(&mut browser);
    std::thread::sleep(idle + Duration::from_millis(500));
    all_is_there(&mut browser);
    // another line, and back
    browser.click("#mode-study");
    browser.click("[aria-label='To the start']");
    browser.wait("document.querySelectorAll('.moves .later').length === 3");
    browser.click("[aria-label='A move on']");
    browser.wait("document.querySelectorAll('.moves .later').length === 2");
    browser.click("[data-square=f6]");
    browser.wait(&moves(2));
    browser.click("#back");
    browser.wait(&moves(3));
    all_is_there(&mut browser);
    // a link with the moves alone is another game
    browser.run("location.hash = '#t=f5d6c3&p=3&m=study'");
    browser.wait("!document.getElementById('players').textContent.includes('Ann')");
    all_well(&mut browser);
}

#[test]
fn names_are_saved_as_the_dialog_has_them() {
    let Some((port, mut browser)) = visit("#t=f5d6&p=2&first=Ann&second=Ben") else { return };
    browser.click("#save");
    let saved = |browser: &mut crate::Browser, names: &str| {
        browser.wait(&format!("document.getElementById('saved').value.includes('{names}')"));
    };
    saved(&mut browser, "PB[Ann]PW[Ben]");
    browser.run(
        "const name = document.getElementById('name-0'); name.value = ''; name.dispatchEvent(new Event('change'))",
    );
    saved(&mut browser, "PB[]PW[Ben]");
    browser.press(ESCAPE);
    // the engine has played in the games that are played with it, and in no others
    for (mode, name) in [("play", "Outflank"), ("study", "")] {
        browser.go(&format!("{}#t=f5d6&p=2&m={mode}", port.page()));
        browser.click("#save");
        saved(&mut browser, &format!("PB[]PW[{name}]"));
        browser.press(ESCAPE);
    }
    // the answer to what was asked for last is shown, whichever comes last
    browser.run(
        "const ask = window.fetch;
         window.fetch = async (path, options) => {
             if (path.includes('format=sgf')) await new Promise((ready) => setTimeout(ready, 200));
             return ask(path, options);
         };",
    );
    browser.click("#save");
    browser.choose("#format", "sgf");
    browser.choose("#format", "txt");
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(browser.text("document.getElementById('saved').value"), "f5d6\n");
    all_well(&mut browser);
}

/// The server is slow: what a dialog asks for is asked for once, and nobody wants the answer who has closed the dialog.
#[test]
fn a_dialog_that_was_closed_changes_nothing() {
    let Some((_port, mut browser)) = visit("#t=f5&p=1&m=study") else { return };
    browser.run(
        "const ask = window.fetch;
         [window.asked, window.answered] = [0, 0];
         window.fetch = async (path, options) => {
             if (options.method !== 'POST' || !/(games|solitaires)$/.test(path)) return ask(path, options);
             window.asked += 1;
             const [answer] = await Promise.all([ask(path, options), new Promise((ready) => setTimeout(ready, 500))]);
             setTimeout(() => (window.answered += 1), 200);
             return answer;
         };",
    );
    let begin = "const begin = document.querySelector('#dialog [type=submit]'); begin.click(); begin.click()";
    browser.click("#new");
    browser.run(begin);
    browser.press(ESCAPE);
    browser.click("#paste");
    browser.run("document.getElementById('text').value = 'f5d6c3'");
    browser.wait("window.answered === 1");
    assert_eq!(browser.text("String(document.getElementById('dialog').open && window.asked)"), "1");
    browser.wait(&moves(1));
    browser.run(begin);
    browser.wait(&moves(3));
    browser.wait("window.answered === 2 && !document.getElementById('dialog').open");
    browser.click("#mode-solo");
    browser.wait("window.answered === 3 && document.getElementById('rules-name').textContent.includes(', deal ')");
    let deal = |browser: &mut crate::Browser| browser.text("document.getElementById('rules-name').textContent");
    let before = deal(&mut browser);
    browser.click("#new");
    browser.run(begin);
    browser.press(ESCAPE);
    browser.wait("window.answered === 4");
    assert_eq!(deal(&mut browser), before);
    assert_eq!(browser.text("String(window.asked)"), "4");
    all_well(&mut browser);
}

#[test]
fn a_solitaire_has_a_link() {
    let Some((port, mut browser)) = visit("#t=f5d6c3&p=3") else { return };
    browser.click("#mode-solo");
    browser.wait("document.querySelectorAll('.chip.hidden').length === 24");
    browser.click("[data-square=d3]");
    browser.wait("document.querySelectorAll('#board .disc').length === 5");
    let link = address(&mut browser);
    assert!(link.starts_with("m=solo&deal=") && link.ends_with("&layout=lattice&scoring=count&turns=d3g"), "{link}");
    // no file of the game behind it
    assert_eq!(browser.eval("document.getElementById('save').disabled"), json!(true));
    let squares =
        "[...document.querySelectorAll('[role=gridcell]')].map((one) => one.getAttribute('aria-label')).join()";
    let before = browser.text(squares);
    browser.reload();
    assert_eq!((browser.text(squares), address(&mut browser)), (before.clone(), link.clone()));
    // the game waits behind it, and the way back leads to either
    browser.click("#mode-play");
    browser.wait(&moves(3));
    assert_eq!(address(&mut browser), "t=f5d6c3&p=3");
    browser.run("history.back()");
    browser.wait("document.body.dataset.mode === 'solo'");
    assert_eq!(browser.text(squares), before);
    browser.run("history.back()");
    browser.wait(&format!("document.body.dataset.mode === 'play' && {}", moves(3)));
    // one that is none says so, and what was there stays
    browser.run("location.hash = '#m=solo&deal=5&turns=d9g'");
    browser.wait("document.getElementById('message').textContent.includes('d9')");
    assert_eq!(address(&mut browser), "t=f5d6c3&p=3");
    // nor are numbers that JavaScript would round, to those of other deals
    browser.run("location.hash = '#m=solo&deal=9007199254740993&turns='");
    browser.wait("document.getElementById('message').textContent.includes('larger than 9007199254740991')");
    assert_eq!(address(&mut browser), "t=f5d6c3&p=3");
    // another layout of the same deal is another one, and a link that is no game leaves it there
    browser.run("location.hash = '#m=solo&deal=5&layout=lattice&scoring=count&turns='");
    // the mode is there before the deal
    browser.wait("document.getElementById('rules-name').textContent === 'ravensburger-solo, deal 5'");
    let lattice = json!(browser.text(squares));
    browser.run("location.hash = '#m=solo&deal=5&layout=ring&scoring=points&turns='");
    browser.wait(&format!("{squares} !== {lattice}"));
    let ring = browser.text(squares);
    // nor does the dialog take a number that would be rounded
    browser.click("#new");
    browser.write("#seed", "9007199254740993");
    browser.click("dialog .primary");
    browser.wait("document.querySelector('dialog .error').textContent.includes('larger than 9007199254740991')");
    browser.press(ESCAPE);
    browser.run("location.hash = '#t=zz&p=1'");
    browser.wait("document.getElementById('message').textContent.includes('zz')");
    assert_eq!((browser.text("document.body.dataset.mode"), browser.text(squares)), ("solo".to_string(), ring));
    assert_eq!(address(&mut browser), "m=solo&deal=5&layout=ring&scoring=points&turns=");
    browser.go(&format!("{}#m=solo&deal=5&turns=z", port.page()));
    assert!(!browser.text("document.getElementById('message').textContent").is_empty());
    assert_eq!(browser.text("document.body.dataset.mode"), "play");
    all_well(&mut browser);
}

/// A link is opened while the server still answers to another one: the page shows the last of them.
#[test]
fn the_last_of_several_links_is_shown() {
    let Some((_port, mut browser)) = visit("#t=f5&p=1&m=study") else { return };
    browser.run(
        "const [ask, read] = [window.fetch, Response.prototype.json];
         [window.turns, window.slow, window.next] = [0, 0, null];
         window.fetch = async (path, options) => {
             await new Promise((ready) => setTimeout(ready, window.slow));
             const answer = await ask(path, options);
             window.turns += path.endsWith('/turns');
             return answer;
         };
         Response.prototype.json = async function () {
             const answer = await read.call(this);
             if (window.next) [location.hash, window.next] = [window.next, null];
             return answer;
         };",
    );
    let shown = |browser: &mut crate::Browser, link: &str, count| {
        browser.wait(&format!("location.hash === '{link}' && {}", moves(count)));
    };
    // two wait for the answer to the one before them
    for slow in [40, 45, 50, 55, 60] {
        browser.run("location.hash = '#t=f5&p=1&m=study'");
        shown(&mut browser, "#t=f5&p=1&m=study", 1);
        browser.run(&format!(
            "window.slow = {slow}; location.hash = '#t=f5d6&p=2&m=study';
             setTimeout(() => location.hash = '#t=f5d6c3&p=3&m=study', 5);
             setTimeout(() => location.hash = '#t=f5d6c3d3&p=4&m=study', 15)"
        ));
        browser.wait(&moves(4));
        std::thread::sleep(Duration::from_millis(300));
        shown(&mut browser, "#t=f5d6c3d3&p=4&m=study", 4);
    }
    // the answer comes between the address and the word that it has changed
    browser.run("window.slow = 0; window.next = '#t=f5d6c3&p=3&m=study'; location.hash = '#t=f5d6&p=2&m=study'");
    shown(&mut browser, "#t=f5d6c3&p=3&m=study", 3);
    // a deal that is played again takes longer than one without a turn; the second time that is the one which is there
    let link = |deal, turns| format!("#m=solo&deal={deal}&layout=lattice&scoring=count&turns={turns}");
    let (long, short) = (link(1, "f5gd6bd8bc4gc7gc5gh5gh7g"), link(9, ""));
    for _ in 0..2 {
        browser.run(&format!(
            "window.turns = 0; window.slow = 20; location.hash = '{long}';
             setTimeout(() => location.hash = '{short}', 30)"
        ));
        browser.wait("window.turns === 8");
        std::thread::sleep(Duration::from_millis(100));
        let name = browser.text("document.getElementById('rules-name').textContent");
        assert_eq!((name.as_str(), address(&mut browser).as_str()), ("ravensburger-solo, deal 9", &short[1..]));
    }
    all_well(&mut browser);
}
