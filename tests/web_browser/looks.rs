//! What can be seen: contrasts, words and boards that fit, what is printed.

use std::sync::Arc;

use outflank::formats::transcript;
use outflank::game::Game;
use serde_json::json;

use crate::binary::{outflank, output};
use crate::web::driver::Browser;
use crate::{DOWN, ESCAPE, GAME, LEFT, UP, all_well, shared_data, two_people, visit};

/// The contrast of two colours of CSS, by WCAG: `contrast(one, other)`.
const CONTRAST: &str = "const paint = document.createElement('canvas').getContext('2d', {willReadFrequently: true}); \
    const light = (color) => { paint.fillStyle = color; paint.fillRect(0, 0, 1, 1); const at = paint.getImageData(0, 0, 1, 1).data; \
      const [r, g, b] = [at[0], at[1], at[2]].map((one) => one / 255).map((one) => one <= .03928 ? one / 12.92 : ((one + .055) / 1.055) ** 2.4); \
      return .2126 * r + .7152 * g + .0722 * b }; \
    const contrast = (one, other) => { const [a, b] = [light(one), light(other)]; return (Math.max(a, b) + .05) / (Math.min(a, b) + .05) };";

#[test]
fn contrasts_are_enough_in_any_light() {
    let Some((port, mut browser)) = visit("") else { return };
    for theme in ["light", "dark"] {
        browser.run(&format!("localStorage.setItem('theme', '{theme}')"));
        for (rules, what) in [("ravensburger", "gold"), ("traveller", "red"), ("othello", "black")] {
            browser.go(&format!("{}#r={rules}", port.page()));
            let dot = browser.run(&format!(
                "{CONTRAST} const of = (one) => getComputedStyle(document.querySelector(one)); \
                 return of('.dot').opacity === '1' ? Math.max(contrast(of('.dot').stroke, of('.felt').fill), contrast(of('.dot').fill, of('.felt').fill)) : 0"
            ));
            assert!(dot.as_f64() >= Some(3.0), "{theme}, {what}: {dot}");
            // the mark of the last move, on the middle of a disc of each colour
            two_people(&mut browser);
            for discs in 1..3 {
                browser.click(".legal");
                browser.wait(&format!("document.querySelectorAll('.moves li').length === {}", discs + 1));
                let mark = browser.run(&format!(
                    "{CONTRAST} const mark = document.querySelector('.mark'); const side = mark.parentNode.querySelector('.s1') ? 1 : 0; \
                     const stops = ['light', 'dark'].map((one) => getComputedStyle(document.querySelector(`.d${{side}}-${{one}}`)).stopColor); \
                     return contrast(getComputedStyle(mark).stroke, `color-mix(in srgb, ${{stops[0]}} 70%, ${{stops[1]}})`)"
                ));
                assert!(mark.as_f64() >= Some(3.0), "{theme}, {what}, move {discs}: {mark}");
            }
        }
        browser.go(&format!("{}#t=f5d6c3&p=1", port.page()));
        let texts = browser.run(&format!(
            "{CONTRAST} const root = getComputedStyle(document.documentElement); \
             const names = ['--inaccuracy', '--mistake', '--blunder', '--soft'].map((one) => root.getPropertyValue(one)); \
             const later = getComputedStyle(document.querySelector('.moves .later')); \
             return later.opacity === '1' ? Math.min(...[...names, later.color].flatMap((one) => \
               ['--bg', '--card'].map((ground) => contrast(one, root.getPropertyValue(ground))))) : 0"
        ));
        assert!(texts.as_f64() >= Some(4.5), "{theme}: {texts}");
        // what may be written somewhere, and where that is
        browser.click("#paste");
        let field = browser.run(&format!(
            "{CONTRAST} const [area, card] = ['#text', 'dialog'].map((one) => document.querySelector(one)); \
             const {{ backgroundColor: ground, borderTopColor: edge }} = getComputedStyle(area); \
             return [contrast(getComputedStyle(area, '::placeholder').color, ground), \
               contrast(edge, ground), contrast(edge, getComputedStyle(card).backgroundColor)]"
        ));
        for (i, enough) in [4.5, 3.0, 3.0].into_iter().enumerate() {
            assert!(field[i].as_f64() >= Some(enough), "{theme}: {field}");
        }
        browser.press(ESCAPE);
    }
    // the page that describes the service has the colours that were chosen
    browser.run("localStorage.setItem('theme', 'dark')");
    browser.click("footer a");
    browser.wait("document.querySelectorAll('#reference section').length > 30");
    let paper = browser.text("getComputedStyle(document.body).backgroundColor");
    assert_eq!(paper, "rgb(21, 24, 28)");
    browser.go(&format!("{}#t=f5d6c3&p=1", port.page()));
    // what another program has kept at this address is no choice of colours
    browser.run("localStorage.setItem('theme', 'system')");
    browser.reload();
    assert_eq!(
        browser.text("document.getElementById('theme').getAttribute('aria-label')"),
        "Colours of the page: as the system"
    );
    // an error does not look like a success before it
    browser.run("navigator.clipboard.writeText = () => Promise.resolve()");
    browser.press("l");
    browser.wait("document.getElementById('message').classList.contains('good')");
    browser.click("[data-square=f5]");
    browser.wait("document.getElementById('message').textContent.includes('f5') || document.getElementById('message').textContent.includes('turn of')");
    assert_eq!(browser.eval("document.getElementById('message').classList.contains('good')"), json!(false));
    all_well(&mut browser);
}

/// Where the system has a few colours of its own, what is chosen, whose turn it is and whose disc is whose can be seen all the same.
#[test]
fn a_few_colours_are_enough() {
    let Some((port, mut browser)) = visit("") else { return };
    for scheme in ["light", "dark"] {
        browser.media(&[("forced-colors", "active"), ("prefers-color-scheme", scheme)]);
        browser.go(&format!("{}#t=f5d6c3&p=3", port.page()));
        browser.choose("#side-1", "human");
        browser.run("document.querySelector('[data-square=c4]').focus()");
        browser.press(LEFT);
        for (one, other, property) in [
            ("#mode-play", "#mode-study", "backgroundColor"),
            (".moves [aria-current]", ".moves button", "backgroundColor"),
            (".plate.active", ".plate:not(.active)", "borderTopColor"),
            (".token[data-paint=black]", ".token[data-paint=white]", "backgroundColor"),
            (".disc.s0 .body", ".disc.s1 .body", "fill"),
            (".d0-dark", ".d1-dark", "stopColor"),
            (".dot", ".felt", "fill"),
            (".mark", ".felt", "stroke"),
            ("[role=gridcell]:focus .ring", "[role=gridcell]:not(:focus) .ring", "stroke"),
        ] {
            let pair = browser.eval(&format!(
                "['{one}', '{other}'].map((one) => getComputedStyle(document.querySelector(one)).{property})"
            ));
            assert_ne!(pair[0], pair[1], "{scheme}: {one}, {other}");
        }
        browser.picture(&format!("forced-{scheme}"));
        browser.go(&format!("{}#m=solo&deal=5", port.page()));
        let tiles = browser.eval(
            "['.gold', '.black'].map((one) => getComputedStyle(document.querySelector('.tile' + one)).backgroundColor)",
        );
        assert_ne!(tiles[0], tiles[1], "{scheme}");
        let hands =
            browser.eval("[...document.querySelectorAll('.hand')].map((one) => getComputedStyle(one).backgroundColor)");
        assert_ne!(hands[0], hands[1], "{scheme}");
    }
    all_well(&mut browser);
}

/// The keyboard goes over places that are no squares, and is seen there.
#[test]
fn holes_show_where_the_keyboard_is() {
    let Some((port, mut browser)) = visit("") else { return };
    let ring = "getComputedStyle(document.activeElement.querySelector('.ring')).stroke";
    for (width, height) in [(320, 640), (1280, 720)] {
        browser.size(width, height);
        browser.go(&format!("{}#r=octagon", port.page()));
        let address = crate::address(&mut browser);
        browser.run("document.querySelector('[data-square=a3]').focus()");
        browser.press(DOWN);
        let seen = browser.text(ring);
        browser.press(&format!("{UP}{UP}"));
        assert_eq!(browser.text("document.activeElement.getAttribute('aria-label')"), "a2, no square");
        assert_eq!(browser.text(ring), seen);
        assert_ne!(seen, "none");
        // nothing is played there
        browser.press(crate::ENTER);
        assert_eq!(crate::address(&mut browser), address);
    }
    all_well(&mut browser);
}

#[test]
fn boards_and_words_fit() {
    let Some((port, mut browser)) = visit("") else { return };
    browser.size(1280, 720);
    let sides = "(() => { const { width, height } = document.querySelector('.squares').getBoundingClientRect(); return [width, height] })()";
    for (rules, width) in
        [("othello", 480.0), ("othello:16x4", 100.0), ("othello:4x16", 700.0), ("othello:16x16", 480.0)]
    {
        browser.go(&format!("{}#r={rules}", port.page()));
        let board = browser.eval(sides);
        let (wide, high) = (board[0].as_f64().unwrap(), board[1].as_f64().unwrap());
        assert!(wide > width && high < 500.0, "{rules}: {wide}x{high}");
    }
    // the numbers under the graph of a long game do not run into each other
    let mut game = Game::new(Arc::new("othello:16x16".parse().unwrap()));
    while let Some(mv) = game.position().legal_moves().first() {
        game.play(*mv).unwrap();
    }
    browser.go(&format!("{}#t=%23+rules:+othello:16x16%0A{}&m=study", port.page(), transcript::write(&game)));
    let apart = "(() => { const boxes = [...document.querySelectorAll('#graph .ply')].map((one) => one.getBoundingClientRect()); \
                 return boxes.length > 3 && boxes.every((box, i) => !i || box.left > boxes[i - 1].right) })()";
    assert_eq!(browser.eval(apart), json!(true));
    browser.size(320, 640);
    browser.click("#mode-play");
    let letter = "(() => { const one = document.querySelector('.coordinate'); \
                  return parseFloat(getComputedStyle(one).fontSize) * one.getScreenCTM().a })()";
    let high = browser.eval(letter).as_f64().unwrap();
    assert!(high > 9.5, "coordinates of {high} pixels");
    let lines = "Math.max(...[...document.querySelectorAll('.plate .name')].map((one) => { \
                 const range = document.createRange(); range.selectNode(one.firstChild); return range.getClientRects().length }))";
    assert_eq!(browser.eval(lines), json!(1), "names of colours are one word each");
    // letters are as large as somebody has told the browser to make them, and the page is as wide as its window all the same
    browser.size(390, 844);
    let root = "[...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).find((rule) => rule.selectorText === 'html').style";
    assert_eq!(browser.eval(&format!("{root}.fontSize")), json!("100%"));
    let wide = browser.eval(&format!("({root}.fontSize = '200%', document.documentElement.scrollWidth)"));
    assert!(wide.as_u64().unwrap() <= 390, "{wide}");
    browser.eval(&format!("{root}.fontSize = '100%'"));
    browser.size(320, 640);
    browser.go(&format!("{}#t={GAME}&m=study", port.page()));
    browser.choose("#review-level", "6");
    browser.click("#review");
    browser.wait("document.querySelector('[data-reviewed=yes]')");
    let wide = browser.eval("document.documentElement.scrollWidth").as_u64().unwrap();
    assert!(wide <= 320, "{wide}");
    // whole words, and every column and row has its heading
    let broken = "[...document.querySelectorAll('.sums th, .plate .name')].filter((one) => getComputedStyle(one).overflowWrap === 'anywhere').length";
    assert_eq!(browser.eval(broken), json!(0));
    assert_eq!(browser.eval("[...document.querySelectorAll('th')].filter((one) => !one.textContent).length"), json!(0));
    // the buttons of moves are called what stands on them
    let named =
        "[...document.querySelectorAll('.moves button')].filter((one) => one.hasAttribute('aria-label')).length";
    assert_eq!(browser.eval(named), json!(0));
    let first = "document.querySelector('.moves li:nth-child(2) button').textContent";
    assert_eq!(browser.text(first), "1. Black f5");
    browser.press("?");
    browser.wait("document.querySelector('table.keys').offsetHeight > 100");
    assert_eq!(browser.eval("document.getElementById('dialog').scrollTop"), json!(0), "all keys, from the first on");
    browser.press(ESCAPE);
    all_well(&mut browser);
}

/// A report is the same on a phone, on paper and in the dark, and is read aloud.
#[test]
fn reports_are_whole_everywhere() {
    let Some(mut browser) = Browser::open(1280, 800) else {
        return shared_data::skipped("chromium and chromedriver");
    };
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report.html");
    let name = "an_engine_whose_name_has_no_place_to_break_it_1.2.3_depth_20";
    let start = "8 ---------------------------O*------*O--------------------------- *";
    let mut text = format!("(;GM[Othello]PB[{name}]PW[b]TY[8]BO[{start}]");
    // nobody has to pass in these
    for (i, mv) in GAME.as_bytes().chunks(2).take(50).enumerate() {
        text += &format!("{}[{}]", ["B", "W"][i % 2], str::from_utf8(mv).unwrap());
    }
    let mut command = outflank();
    command.args(["analyze", "-", "--level", "1", "--threads", "1", "--hash", "4", "--report"]).arg(&report);
    let done = output(&mut command, &(text + ";)"));
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let url = format!("file://{}", report.display());
    let wide = "document.documentElement.scrollWidth";
    for width in [320, 1280] {
        browser.size(width, 800);
        browser.load(&url);
        let wide = browser.eval(wide).as_u64().unwrap();
        assert!(wide <= u64::from(width), "{wide} of {width}");
    }
    // what a list of turning points goes to can be seen
    browser.size(390, 800);
    browser.run("document.querySelector('[data-jump]').scrollIntoView()");
    browser.click("[data-jump]");
    let seen = "(() => { const { top, bottom } = document.querySelector('.board').getBoundingClientRect(); \
                return top > -1 && bottom < innerHeight + 1 })()";
    assert_eq!(browser.eval(seen), json!(true));
    let nameless = "[...document.querySelectorAll('button, .moves .disc, .turn')].filter((one) => !one.getAttribute('aria-label')).length";
    assert_eq!(browser.eval(nameless), json!(0));
    assert_eq!(browser.text("document.querySelector('.said').getAttribute('aria-live')"), "polite");
    for scheme in ["light", "dark"] {
        browser.media(&[("prefers-color-scheme", scheme)]);
        let turn = browser.run(&format!(
            "{CONTRAST} const style = getComputedStyle(document.querySelector('.turn')); \
             const grounds = ['--card', '--hot', '--warm', '--mild', '--here'].map((one) => getComputedStyle(document.documentElement).getPropertyValue(one)); \
             const texts = [style.color, getComputedStyle(document.querySelector('.line')).color]; \
             return Math.min(...texts.flatMap((text) => grounds.map((one) => contrast(text, one))))"
        ));
        assert!(turn.as_f64() >= Some(4.5), "{scheme}: {turn}");
    }
    browser.on_paper();
    browser.size(718, 1000);
    let hidden = "(() => { const { scrollHeight, clientHeight } = document.querySelector('.moves'); return scrollHeight - clientHeight })()";
    assert_eq!(browser.eval(hidden), json!(0), "every move is printed");
    assert_eq!(browser.text("getComputedStyle(document.querySelector('.disc')).printColorAdjust"), "exact");
}
