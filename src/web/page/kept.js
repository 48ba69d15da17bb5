// Texts that the browser keeps for the page, for ever (`localStorage`) or for its tab (`sessionStorage`): some keep nothing.

export function keep(storage, name, text) {
  try {
    window[storage].setItem(name, text);
  } catch {
    // the page does without
  }
}

/** What was kept; `null` when nothing was. */
export function kept(storage, name) {
  try {
    return window[storage].getItem(name);
  } catch {
    return null;
  }
}

/** The colours that a page can have: those of the system, or always the same. */
export const THEMES = ["auto", "light", "dark"];

/** The colours that were chosen; pages of other programs that were at this address keep something of that name, too. */
export const keptTheme = () => THEMES.find((one) => one === kept("localStorage", "theme")) ?? THEMES[0];

const SETTINGS = "outflank-settings";

/** Who plays and how well, until the tab is closed. */
export const keepSettings = (settings) => keep("sessionStorage", SETTINGS, JSON.stringify(settings));
export const keptSettings = () => {
  try {
    return JSON.parse(kept("sessionStorage", SETTINGS));
  } catch {
    // something else of that name
    return null;
  }
};

/** How many of a kind are kept. */
const MOST = 10;

const keptAll = (kind) => {
  try {
    return new Map(JSON.parse(kept("sessionStorage", kind)));
  } catch {
    return new Map();
  }
};

/** Keeps what the server does not know, until the tab is closed. */
function keepOne(kind, name, one) {
  const all = keptAll(kind);
  all.delete(name);
  all.set(name, one);
  keep("sessionStorage", kind, JSON.stringify([...all].slice(-MOST)));
}

const REVIEWS = "outflank-reviews";

/** What is known about the moves of a game. */
export const keepReview = (text, review) => keepOne(REVIEWS, text, review);
export const keptReview = (text) => keptAll(REVIEWS).get(text);

const SOURCES = "outflank-sources";

/** How a game was begun that has more than its link says: with dates, remarks and clocks. */
export const keepSource = (identity, asked) => keepOne(SOURCES, identity, asked);
export const keptSource = (identity) => keptAll(SOURCES).get(identity);
