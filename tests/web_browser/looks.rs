//! What can be seen: contrasts, words and boards that fit, what is printed.

use serde_json::json;

use crate::{ESCAPE, GAME, all_well, visit};

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
    }
    // an error does not look like a success before it
    browser.run("navigator.clipboard.writeText = () => Promise.resolve()");
    browser.press("l");
    browser.wait("document.getElementById('message').classList.contains('good')");
    browser.click("[data-square=f5]");
    browser.wait("document.getElementById('message').textContent.includes('f5') || document.getElementById('message').textContent.includes('turn of')");
    assert_eq!(browser.eval("document.getElementById('message').classList.contains('good')"), json!(false));
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
    browser.press(ESCAPE);
    all_well(&mut browser);
}
