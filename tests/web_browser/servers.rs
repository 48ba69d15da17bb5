//! Servers that forget a game or end, and pages that are left and come back.

use std::time::Duration;

use outflank::web::Config;

use crate::web::config;
use crate::{ESCAPE, all_well, let_it_think, note, nothing_is_searched, visit, visit_with};

/// What the page says is wrong.
const MESSAGE: &str = "document.getElementById('message').textContent";

#[test]
fn a_game_that_the_server_has_forgotten_goes_on() {
    let idle = Duration::from_secs(3);
    let Some((_port, mut browser)) = visit_with(Config { idle, ..config() }, "#t=f5d6c3d3&p=3&first=Ann") else {
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
    browser.wait("document.getElementById('saved').value.includes('PB[Ann]')");
    forget();
    browser.choose("#format", "txt");
    browser.wait("document.getElementById('saved').value.includes('f5d6c3d3')");
    assert_eq!(browser.text("document.querySelector('dialog .error').textContent"), "");
    browser.press(ESCAPE);
    forget();
    browser.press("e");
    browser.wait("document.querySelectorAll('.moves li').length === 5 && !document.querySelector('.moves .later')");
    assert!(browser.text("document.getElementById('players').textContent").contains("Ann"));
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
    assert_eq!(browser.eval("document.querySelector('dialog .primary').disabled"), true);
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
    let_it_think(&port, &mut browser);
    leave(&mut browser);
    // the page itself has come back, or else its link, with which the engine waits to be asked
    browser.wait("document.body.classList.contains('thinking') || document.querySelector('#panel .note').textContent");
    assert!(note(&mut browser).contains("engine"), "{}", note(&mut browser));
    all_well(&mut browser);
}
