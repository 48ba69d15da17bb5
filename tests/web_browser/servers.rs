//! Servers that forget a game or end, and pages that are left and come back.

use std::time::Duration;

use outflank::web::{Access, Config};

use crate::waiting::wait_for;
use crate::web::config;
use crate::web::wire::{Connection, Port};
use crate::{ESCAPE, GAME, all_well, let_it_think, note, nothing_is_searched, serve, two_people, visit, visit_with};

/// What the page says is wrong.
const MESSAGE: &str = "document.getElementById('message').textContent";

#[test]
fn a_game_that_the_server_has_forgotten_goes_on() {
    let idle = Duration::from_secs(3);
    let Some((_port, mut browser)) =
        visit_with(Config { idle, ..config() }, "#t=f5d6c3d3&p=3&first=Ann&first_rating=1834.5")
    else {
        return;
    };
    let forget = || std::thread::sleep(idle + Duration::from_millis(500));
    browser.choose("#side-1", "human");
    forget();
    browser.press("h");
    browser.wait("document.querySelector('.hinted')");
    assert_eq!(browser.text(MESSAGE), "");
    forget();
    browser.press("s");
    browser.wait("document.getElementById('saved').value.includes('PB[Ann]RB[1834.50]')");
    forget();
    browser.choose("#format", "txt");
    browser.wait("document.getElementById('saved').value.includes('f5d6c3d3')");
    assert_eq!(browser.text("document.querySelector('dialog .error').textContent"), "");
    browser.press(ESCAPE);
    forget();
    browser.press("e");
    browser.wait("document.querySelectorAll('.moves li').length === 5 && !document.querySelector('.moves .later')");
    assert!(browser.text("document.getElementById('players').textContent").contains("Ann · rated 1835"));
    browser.click("#mode-study");
    browser.click("#look");
    browser.choose("#review-level", "6");
    forget();
    browser.click("#review");
    browser.wait("document.querySelector('[data-reviewed=yes]')");
    forget();
    browser.click("#look");
    browser.wait("document.querySelectorAll('.valued').length > 2");
    // the solitaire is dealt and played again
    browser.click("#mode-solo");
    browser.wait("document.querySelectorAll('.chip.hidden').length === 24");
    browser.click("[data-square=d3]");
    browser.wait("document.querySelectorAll('#board .disc').length === 5");
    forget();
    browser.press("h");
    browser.wait("document.querySelector('.hinted')");
    forget();
    browser.press("u");
    browser.wait("document.querySelectorAll('#board .disc').length === 4");
    assert_eq!(browser.text(MESSAGE), "");
    all_well(&mut browser);
}

#[test]
fn a_server_that_ends_is_told_of_everywhere() {
    let Some((port, mut browser)) = visit("#t=f5f4e3f6d3&p=5&m=study") else { return };
    let address = port.address;
    let state = "document.getElementById('analysis-state').textContent";
    browser.wait("document.querySelectorAll('.valued').length > 2");
    drop(port);
    browser.wait(&format!("{MESSAGE}.startsWith('the server does not answer')"));
    assert_eq!(browser.text(state), "", "nothing is under way");
    browser.click("#review");
    browser.wait("document.querySelector('[data-reviewed=stopped], .message:not([hidden])')");
    assert_eq!(browser.text("document.querySelector('.sums').textContent"), "");
    browser.press("s");
    browser.wait("document.querySelector('dialog .error').textContent.startsWith('the server does not answer')");
    assert_eq!(browser.text("document.getElementById('saved').value"), "");
    // it can be tried again: nothing comes as long as there is no server
    browser.run("HTMLAnchorElement.prototype.click = function () { window.downloaded = this.href }");
    browser.run("document.querySelector('dialog .error').textContent = ''");
    browser.click("dialog .primary");
    browser.wait("document.querySelector('dialog .error').textContent.startsWith('the server does not answer')");
    assert_eq!(browser.eval("window.downloaded ?? null"), serde_json::Value::Null);
    let _port = Port::at(address, serve(config()));
    browser.click("dialog .primary");
    browser.wait("!document.getElementById('dialog').open");
    assert!(browser.text("window.downloaded").contains("/save?format=ggf"));
}

/// A page that gets no game says why, and has nothing to study, to review or to link to.
#[test]
fn a_page_without_a_game_says_why() {
    let Some((port, mut browser)) = visit_with(Config { sessions: 1, ..config() }, "") else { return };
    browser.tab();
    browser.go(&port.page());
    assert_eq!(browser.text(MESSAGE), "all 1 places for games are taken");
    browser.press("l");
    assert_eq!(browser.text(MESSAGE), "There is no game yet");
    browser.click("#mode-study");
    for button in ["#review", "#look", "#look", "[aria-label='A move on']", "[aria-label='To the end']"] {
        browser.click(button);
    }
    let mut errors = browser.errors();
    errors.retain(|error| !error.contains("status of 429"));
    assert_eq!(errors, Vec::<String>::new());
}

/// A solitaire that could not be dealt is dealt when somebody plays it.
#[test]
fn a_solitaire_waits_for_its_server() {
    let Some((port, mut browser)) = visit("#t=f5d6c3&p=3") else { return };
    let address = port.address;
    drop(port);
    browser.click("#mode-solo");
    browser.wait(&format!("{MESSAGE}.startsWith('the server does not answer')"));
    let _port = Port::at(address, serve(config()));
    browser.click("[data-square=d3]");
    browser.wait("document.querySelectorAll('.chip.hidden').length === 24");
    assert_eq!(browser.text(MESSAGE), "");
}

#[test]
fn a_review_outlives_its_server_and_its_page() {
    let Some((port, mut browser)) = visit(&format!("#t={GAME}&p=31&m=study")) else { return };
    browser.choose("#review-level", "6");
    browser.click("#review");
    browser.wait("document.querySelector('[data-reviewed=yes]')");
    let found = "['.sums', '#verdict', '.moves'].map((one) => document.querySelector(one).textContent)";
    let before = browser.eval(found);
    assert!(before.to_string().contains("??"), "{before}");
    let address = port.address;
    drop(port);
    let _port = Port::at(address, serve(config()));
    // the game is begun again for this
    browser.click("[aria-label='A move on']");
    browser.wait("document.querySelectorAll('.moves .later').length === 30");
    browser.click("[aria-label='A move back']");
    browser.wait("document.querySelectorAll('.moves .later').length === 31");
    assert_eq!(browser.eval(found), before);
    browser.reload();
    browser.wait("document.querySelector('.sums table tr:nth-child(4)')");
    assert_eq!(browser.eval(found), before);
    // another game has none, and leaves it what it is
    browser.run("location.hash = '#t=f5d6c3&p=3&m=study'");
    browser.wait("document.querySelectorAll('.moves li').length === 4");
    assert_eq!(browser.eval(found)[0], "");
    browser.run("history.back()");
    // the sums are there before the place in the game
    browser.wait("document.querySelectorAll('.moves .later').length === 31");
    assert_eq!(browser.eval(found), before);
    // one that is stopped says so afterwards, too
    browser.choose("#review-level", "18");
    browser.click("#review");
    browser.wait("document.querySelector('progress').value > 0.05");
    browser.reload();
    let stopped = browser.text("document.getElementById('review-stopped').textContent");
    assert!(stopped.starts_with("The review was stopped after"), "{stopped}");
}

/// Hints and advice that wait behind others, of whom both threads are: nobody waits for them when the person goes elsewhere.
#[test]
fn a_hint_that_nobody_wants_any_more_is_not_looked_for() {
    let Some((port, mut browser)) = visit("#t=f5f4e3f6&p=4") else { return };
    two_people(&mut browser);
    let busy = [0, 1].map(|_| {
        let mut client = Connection::open(port.address).expect("a connection");
        let game = client.json("POST", "/api/v1/games", &serde_json::json!({"text": "f5f4e3f6d3"}));
        let path = format!("/api/v1/games/{}/engine", game["id"].as_str().expect("an id"));
        client.send("POST", &path, r#"{"level": 60, "time": 200, "no_book": true}"#).expect("a request");
        client
    });
    wait_for("both threads", || port.service.load().searching == 2);
    let ask = |browser: &mut crate::Browser| {
        browser.press("h");
        wait_for("it waits", || port.service.load().waiting == 1);
        assert!(note(browser).contains("…"), "{}", note(browser));
    };
    let nobody_waits = |browser: &mut crate::Browser| {
        wait_for("it is given up", || port.service.load().waiting == 0);
        assert_eq!(port.service.load().searching, 2, "the others go on");
        assert_eq!(note(browser), "");
    };
    ask(&mut browser);
    browser.press(ESCAPE);
    nobody_waits(&mut browser);
    ask(&mut browser);
    browser.run("document.querySelector('.legal').focus()");
    browser.press(crate::ENTER);
    nobody_waits(&mut browser);
    ask(&mut browser);
    browser.run("location.hash = '#t=f5d6c3&p=3'");
    browser.wait("document.querySelectorAll('.moves li').length === 4");
    nobody_waits(&mut browser);
    ask(&mut browser);
    browser.click("#mode-solo");
    browser.wait("document.querySelectorAll('.chip.hidden').length === 24");
    nobody_waits(&mut browser);
    // so it is with advice
    ask(&mut browser);
    browser.press(ESCAPE);
    nobody_waits(&mut browser);
    ask(&mut browser);
    browser.click("#mode-play");
    browser.wait("document.querySelectorAll('.moves li').length === 4");
    wait_for("advice is given up", || port.service.load().waiting == 0);
    assert_eq!(browser.text(MESSAGE), "");
    drop(busy);
    all_well(&mut browser);
}

/// What is played in one tab is nobody else's: every page has a game of its own in the server.
#[test]
fn two_tabs_have_a_game_each() {
    let Some((port, mut browser)) = visit("#t=f5d6c3&p=3") else { return };
    browser.choose("#side-1", "human");
    let moves = "document.querySelectorAll('.moves li').length";
    let first = browser.tab();
    browser.go(&format!("{}#t=f5d6c3&p=3", port.page()));
    browser.choose("#side-1", "human");
    browser.press("u");
    browser.wait("document.querySelectorAll('.moves .later').length === 1");
    browser.click("[data-square=c4]");
    browser.wait("document.querySelectorAll('.moves .later').length === 0");
    let second = browser.tab();
    browser.turn_to(&first);
    assert_eq!((browser.eval(moves), crate::address(&mut browser)), (4.into(), "t=f5d6c3&p=3".to_string()));
    browser.click("[data-square=d3]");
    browser.wait(&format!("{moves} === 5"));
    browser.turn_to(&second);
    assert_eq!((browser.eval(moves), crate::address(&mut browser)), (4.into(), "t=f5d6c4&p=3".to_string()));
    all_well(&mut browser);
}

#[test]
fn a_page_that_is_left_rests_until_it_comes_back() {
    let Some((port, mut browser)) = visit("#t=f5f4e3f6d3&p=5&m=study") else { return };
    let leave = |browser: &mut crate::Browser| {
        browser.click("footer a");
        browser.wait("document.querySelectorAll('#reference section').length > 30");
        nothing_is_searched(&port);
        browser.run("history.back()");
        browser.wait("document.getElementById('board')");
    };
    browser.wait("document.querySelectorAll('.valued').length > 2");
    leave(&mut browser);
    browser.wait("Number(document.getElementById('analysis-state').dataset.depth) >= 8");
    let depth = "document.getElementById('analysis-state').textContent";
    let before = browser.text(depth);
    browser.wait(&format!("{depth} !== {}", serde_json::json!(before)));
    // a page that the browser has kept in its memory goes on where it was
    let_it_think(&port, &mut browser);
    browser.run("window.dispatchEvent(new PageTransitionEvent('pagehide', {persisted: true}))");
    nothing_is_searched(&port);
    browser.run("window.dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))");
    browser.wait("document.body.classList.contains('thinking')");
    assert!(note(&mut browser).ends_with("the engine is thinking …"), "{}", note(&mut browser));
    // one that it has not is loaded from its link: the engine waits to be asked
    browser.run("window.kept = true");
    leave(&mut browser);
    browser.wait("window.kept || document.body.dataset.ready === 'yes'");
    if browser.eval("window.kept === true") == true {
        browser.wait("document.body.classList.contains('thinking')");
        browser.reload();
    }
    assert!(note(&mut browser).starts_with("The engine waits"), "{}", note(&mut browser));
    nothing_is_searched(&port);
    all_well(&mut browser);
}

/// A link with the token comes by mail or by chat: from a page of another site. Another server of the same machine has another
/// token, and takes nothing away from this one.
#[test]
fn links_of_other_sites_bring_the_token() {
    let Some((other, mut browser)) = visit("") else { return };
    let with_token = |token| {
        let access = Access::new("127.0.0.1".parse().unwrap(), Some(token)).unwrap();
        Port::new(serve(Config { access, ..config() }))
    };
    let (port, second) = (with_token("secret-42"), with_token("secret-43"));
    let elsewhere = format!("http://localhost:{}/", other.address.port());
    for link in ["?token=secret-42#t=f5d6&p=2", "#t=f5d6c3&p=3"] {
        browser.go(&elsewhere);
        browser.run(&format!("location.href = {}", serde_json::json!(format!("{}{link}", port.page()))));
        browser.wait(&format!("location.port === '{}' && document.body.dataset.ready === 'yes'", port.address.port()));
        assert!(link.ends_with(&crate::address(&mut browser)), "{link}");
        assert!(!browser.text("location.href").contains("secret"));
        browser.go(&format!("{}?token=secret-43", second.page()));
    }
    browser.go(&port.page());
    all_well(&mut browser);
}
