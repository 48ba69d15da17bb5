//! Whose turn it is, and what the keyboard and the list do with it.

use std::time::Duration;

use serde_json::json;

use crate::web::driver::Browser;
use crate::{ENTER, GAME, all_well, discs, ply, two_people, visit};

/// The moves of the list, as they are read aloud.
const MOVES: &str = "[...document.querySelectorAll('.moves button')].slice(1).map((one) => one.textContent).join()";

#[test]
fn who_must_pass_plays_the_pass_alone() {
    // black must pass, and has squares after the engine's answer that are none now
    let board = "OX----------------------OX------------------------------OX------%20X";
    let Some((_port, mut browser)) = visit(&format!("#t={board}")) else { return };
    browser.choose("#level", "1");
    browser.choose("#side-1", "human");
    browser.choose("#side-1", "engine");
    browser.click("[data-square=c4]");
    browser.wait("document.querySelectorAll('.moves li').length > 2");
    let moves = browser.text(MOVES);
    assert!(moves.starts_with("1. Black –pass,2. White c"), "{moves}");
    assert_eq!(ply(&mut browser), 2);
    // between two people a click is the pass and the move, as on a board of wood
    browser.click(".moves li:first-child button");
    browser.wait("document.querySelectorAll('.moves .later').length === 2");
    two_people(&mut browser);
    browser.click("[data-square=c4]");
    browser.wait("document.querySelectorAll('.moves [aria-current]')[0].textContent.includes('c4')");
    assert_eq!(browser.text(MOVES), "1. Black –pass,2. White c4");
    all_well(&mut browser);
}

#[test]
fn a_move_behind_a_forced_pass_is_a_move_as_others() {
    // black must pass, and white has c1, c4 and c8
    let board = "OX----------------------OX------------------------------OX------%20X";
    let study = format!("#t={board}%20c4&first=Ann&second=Ben&p=0&m=study");
    let Some((port, mut browser)) = visit(&study) else { return };
    let players = |browser: &mut crate::Browser| browser.text("document.getElementById('players').textContent");
    browser.wait("document.querySelectorAll('.moves .later').length === 2");
    browser.click("[data-square=c8]");
    browser.wait("document.querySelector('.moves [aria-current]').textContent.includes('c8')");
    // the game that it has replaced comes back with its players
    browser.click("#back");
    browser.wait("document.querySelector('.moves li:last-child').textContent.includes('c4')");
    assert!(players(&mut browser).contains("Ann") && players(&mut browser).contains("Ben"));
    // the engine goes on behind it
    browser.go(&format!("{}#t={board}", port.page()));
    browser.choose("#side-1", "human");
    browser.choose("#side-0", "engine");
    browser.wait("document.querySelectorAll('.moves li').length === 2");
    browser.click(".moves li:first-child button");
    browser.wait("document.querySelectorAll('.moves .later').length === 1");
    // not behind what is no move: who looks at the game goes on looking
    browser.click("[data-square=h5]");
    browser.wait("!document.getElementById('message').hidden");
    std::thread::sleep(Duration::from_millis(1600));
    assert_eq!(ply(&mut browser), 0);
    browser.click("[data-square=c4]");
    browser.wait("document.querySelectorAll('.moves li').length > 3");
    assert!(browser.text(MOVES).starts_with("1. Black –pass,2. White c4,3. Black "), "{}", browser.text(MOVES));
    all_well(&mut browser);
}

#[test]
fn a_move_is_played_again_to_the_turn_of_the_person() {
    let game = "%23+rules%3A+othello%3A4x4%0Ac4b4a1d2d4d3a2c1a4a3b1d1";
    let Some((_port, mut browser)) = visit(&format!("#t={game}&p=10")) else { return };
    browser.wait("document.querySelectorAll('.moves .later').length > 2");
    browser.press("r");
    browser.wait("document.querySelectorAll('.moves .later').length < 3");
    // the engine's pass goes with the move before it, and the next move is the person's
    assert_eq!(ply(&mut browser), 12);
    assert!(browser.text("document.querySelector('.moves [aria-current]').textContent").ends_with("pass"));
    all_well(&mut browser);
}

/// Another window, or a script, has the same game: a move for a place where it no longer is is not played at another one.
#[test]
fn a_game_that_is_elsewhere_by_now_is_shown() {
    let Some((_port, mut browser)) = visit("#t=f5d6&p=2") else { return };
    two_people(&mut browser);
    browser.run("const ask = fetch; window.fetch = (path, asked) => { window.path = path; return ask(path, asked) }");
    browser.click("[data-square=c3]");
    browser.wait("document.querySelectorAll('.moves li').length === 4");
    let gone =
        "return fetch(path.replace('/moves', '/goto'), { method: 'POST', body: '{\"ply\": 1}' }).then(() => true)";
    assert_eq!(browser.run(gone), json!(true));
    assert_eq!(ply(&mut browser), 3);
    browser.click("[data-square=d3]");
    browser.wait("document.getElementById('message').textContent.includes('it is after 1 move, not after 3')");
    assert_eq!(ply(&mut browser), 1);
    assert_eq!(browser.eval("document.querySelectorAll('.moves .later').length"), json!(2));
    // and from there it goes on
    browser.click("[data-square=f6]");
    browser.wait("document.querySelectorAll('.moves li').length === 3");
}

/// The page still goes to a place when the engine is asked: what it plays is shown, and not a game without it.
#[test]
fn a_move_of_the_engine_is_shown_whatever_was_under_way() {
    let Some((_port, mut browser)) = visit("") else { return };
    two_people(&mut browser);
    browser.choose("#level", "0");
    browser.run("document.querySelector('.moves .start').click(); document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'e', bubbles: true}))");
    browser.wait("document.querySelectorAll('.moves li').length === 2");
    assert_eq!(ply(&mut browser), 1);
    browser.click(".legal");
    browser.wait("document.querySelectorAll('.moves li').length === 3");
    assert_eq!(browser.text("document.getElementById('message').textContent"), "");
    all_well(&mut browser);
}

#[test]
fn a_choice_of_lines_leaves_the_keyboard_on_the_square() {
    let Some((_port, mut browser)) = visit("#r=othello:one") else { return };
    two_people(&mut browser);
    let several = "[...document.querySelectorAll('.legal')].find((one) => one.getAttribute('aria-label').includes('lines'))?.dataset.square";
    let mut square = browser.text(several);
    while square.is_empty() {
        let before = discs(&mut browser);
        assert!(before < 30, "a square with several lines comes soon");
        browser.run("document.querySelector('.legal').focus()");
        browser.press(ENTER);
        browser.wait(&format!("document.querySelectorAll('#board .disc').length > {before}"));
        square = browser.text(several);
    }
    let here = format!("[data-square={square}]");
    // a second click on the square gives the choice up
    browser.click(&here);
    browser.wait("document.querySelectorAll('.choice').length > 1");
    browser.click(&here);
    assert_eq!(browser.eval("document.querySelectorAll('.choice').length"), json!(0));
    // the second half of a double click does not
    browser.double_click(&here);
    assert!(browser.eval("document.querySelectorAll('.choice').length").as_u64() > Some(1));
    browser.click(&here);
    assert_eq!(browser.eval("document.querySelectorAll('.choice').length"), json!(0));
    let before = discs(&mut browser);
    browser.run(&format!("document.querySelector('{here}').focus()"));
    browser.press(ENTER);
    browser.wait("document.activeElement.matches('.choice')");
    browser.press(ENTER);
    browser.wait(&format!("document.querySelectorAll('#board .disc').length > {before}"));
    assert_eq!(browser.text("document.activeElement.dataset.square"), square);
    all_well(&mut browser);
}

/// o is another player than O, and row 1 is at the bottom.
#[test]
fn what_is_read_aloud_is_as_on_the_sheet() {
    let lines = "#t=%23+rules%3A+hungarian%3A4x4%2Cone%0A-Oo-O---o-------+o";
    let Some((port, mut browser)) = visit(lines) else { return };
    two_people(&mut browser);
    browser.click("[data-square=a1]");
    browser.wait("document.querySelectorAll('.choice').length === 2");
    let labels = "[...document.querySelectorAll('.choice')].map((one) => one.getAttribute('aria-label')).sort().join()";
    assert_eq!(browser.text(labels), "turn the line towards E: b4,turn the line towards S: a3");
    browser.go(&format!("{}#t=%23+rules%3A+hungarian%3A4x4%0AoooooooooooooooO+o", port.page()));
    browser.wait("document.querySelector('.status strong')");
    assert_eq!(browser.text("document.querySelector('.status strong').textContent"), "o wins 15-1");
    // chips of two colours have the same numbers
    browser.go(&format!("{}#m=solo&deal=5", port.page()));
    let tiles = "[...document.querySelectorAll('.tile')].map((one) => one.getAttribute('aria-label'))";
    let tiles = browser.eval(tiles);
    assert_eq!((&tiles[0], &tiles[2], &tiles[23]), (&json!("gold blank"), &json!("gold 1"), &json!("black 10")));
    all_well(&mut browser);
}

/// The last turn of a solitaire but one.
#[test]
fn one_turn_is_not_several() {
    let turns = "d3gb3gc3ba1be1bd2bd1gb2gf2ge3bg1bc2ba2bb1ge2bh2bg2gg3ba4ba3bc4gf4gh4bc5bb4ga5bb5gf5gh5gh3gh1gg5bg4gf3gb6gd6gc6be6gg6gf6ba7bc7gf7gh7gh6ba8bb7gb8bd8ge8bg8g";
    let link = format!("#m=solo&deal=38883&layout=lattice&scoring=count&turns={turns}");
    let Some((_port, mut browser)) = visit(&link) else { return };
    browser.wait("document.getElementById('status').textContent.startsWith('1 turn can be played.')");
    all_well(&mut browser);
}

/// A double click is one turn, and no complaint about the square that the first half of it has taken; so is Enter, however long it
/// is held. A key that takes turns back takes one after the other.
#[test]
fn a_double_click_is_one_turn() {
    let Some((port, mut browser)) = visit("#t=f5d6&p=2") else { return };
    two_people(&mut browser);
    let message = "document.getElementById('message').textContent";
    browser.double_click("[data-square=c3]");
    browser.wait("document.querySelectorAll('.moves li').length === 4");
    // time for what should not come
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(browser.text(message), "");
    let enter = |browser: &mut crate::Browser, repeat: bool| {
        let event = format!("new KeyboardEvent('keydown', {{key: 'Enter', bubbles: true, repeat: {repeat}}})");
        browser.run(&format!("document.querySelector('[data-square=d3]').dispatchEvent({event})"));
    };
    enter(&mut browser, false);
    browser.wait("document.querySelectorAll('.moves li').length === 5");
    enter(&mut browser, true);
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(browser.text(message), "");
    browser.go(&format!("{}#m=solo&deal=5", port.page()));
    browser.wait("document.querySelectorAll('.chip.hidden').length === 24");
    browser.double_click("[data-square=d3]");
    browser.wait("document.querySelectorAll('#board .disc').length === 5");
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(browser.text(message), "");
    browser.run("for (const _ of [1, 2, 3]) document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'u', bubbles: true}))");
    browser.wait("document.querySelectorAll('#board .disc').length === 4");
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(browser.text(message), "");
    all_well(&mut browser);
}

/// What the keyboard is on stays, be it that there is nothing more to do with it, or another board in its place.
#[test]
fn the_keyboard_is_not_lost() {
    let Some((port, mut browser)) = visit("") else { return };
    two_people(&mut browser);
    let focus = |browser: &mut Browser, text: &str| {
        browser.run(&format!(
            "[...document.querySelectorAll('#panel button')].find((one) => one.textContent === '{text}').focus()"
        ));
    };
    let here = "document.activeElement.textContent";
    focus(&mut browser, "Engine moves");
    for count in [5, 6] {
        browser.press(ENTER);
        browser.wait(&format!("document.querySelectorAll('#board .disc').length === {count}"));
        browser.wait("!document.body.classList.contains('thinking')");
    }
    assert_eq!(browser.text(here), "Engine moves");
    focus(&mut browser, "Take back");
    for count in [5, 4] {
        browser.press(ENTER);
        browser.wait(&format!("document.querySelectorAll('#board .disc').length === {count}"));
    }
    // nothing is left to take back
    assert_eq!(browser.text("document.activeElement.getAttribute('aria-disabled')"), "true");
    browser.press(ENTER);
    assert_eq!(browser.text(here), "Take back");
    // a game of another board, begun from the board
    browser.run("document.querySelector('[data-square=d3]').focus()");
    browser.press("n");
    browser.choose("#rules", "octagon");
    browser.click("dialog .primary");
    browser.wait("!document.getElementById('dialog').open && document.querySelectorAll('.hole').length === 12");
    browser.wait("document.activeElement.getAttribute('role') === 'gridcell'");
    // from the end of a game to its study
    browser.go(&format!("{}#t={GAME}", port.page()));
    browser.run("document.getElementById('learn').focus()");
    browser.press(ENTER);
    browser.wait("document.body.dataset.mode === 'study'");
    assert_eq!(browser.text("document.activeElement.getAttribute('aria-label')"), "To the start");
    all_well(&mut browser);
}

/// What a move would turn is marked as long as it is not played and is pointed at.
#[test]
fn marks_of_what_would_turn_go() {
    let Some((_port, mut browser)) = visit("") else { return };
    two_people(&mut browser);
    let marked = "document.querySelectorAll('.would').length";
    browser.run("document.querySelector('[data-square=d3]').focus()");
    assert_eq!(browser.eval(marked), json!(1));
    browser.press(ENTER);
    browser.wait("document.querySelectorAll('#board .disc').length === 5");
    assert_eq!(browser.eval(marked), json!(0), "played");
    browser.press("u");
    browser.wait("document.querySelectorAll('#board .disc').length === 4");
    assert_eq!(browser.eval(marked), json!(1), "taken back");
    browser.run("document.getElementById('save').focus()");
    assert_eq!(browser.eval(marked), json!(0), "left");
    all_well(&mut browser);
}
