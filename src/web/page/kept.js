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
