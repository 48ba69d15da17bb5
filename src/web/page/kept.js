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

const REVIEWS = "outflank-reviews";

/** Games whose reviews are kept. */
const MOST_REVIEWS = 10;

const keptReviews = () => {
  try {
    return new Map(JSON.parse(kept("sessionStorage", REVIEWS)));
  } catch {
    return new Map();
  }
};

/** What is known about the moves of a game, until the tab is closed: the server does not know it. */
export function keepReview(text, review) {
  const reviews = keptReviews();
  reviews.delete(text);
  reviews.set(text, review);
  keep("sessionStorage", REVIEWS, JSON.stringify([...reviews].slice(-MOST_REVIEWS)));
}

/** What was known about the moves of a game. */
export const keptReview = (text) => keptReviews().get(text);
