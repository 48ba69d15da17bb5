// What is asked in a window of its own.

import * as api from "./api.js";
import { $, el, tell } from "./dom.js";
import { title } from "./describe.js";
import { chosen } from "./play.js";
import { TOO_LARGE } from "./solo.js";

const dialog = () => $("dialog");

/**
 * Opens a dialog; `done(isWanted)` returns a message when something is wrong, which is shown in it: `isWanted()` says whether the dialog
 * is still there. The result is where.
 */
function open(app, heading, body, { label, done, wide }) {
  const error = el("p", { class: "error", role: "alert" });
  const submit = done ? el("button", { type: "submit", class: "primary" }, label) : null;
  const buttons = el("div", { class: "buttons" },
    el("button", { type: "button", onclick: () => dialog().close() }, done ? "Cancel" : "Close"), submit);
  const form = el("form", { method: "dialog", class: wide ? "wide" : "" }, el("h2", { id: "dialog-title" }, heading), body, error, buttons);
  // who has closed it, and may have opened another one, wants nothing of it any more
  const isWanted = () => form.isConnected && dialog().open;
  let isAsking = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (isAsking) return;
    isAsking = true;
    error.textContent = "";
    let problem = null;
    try {
      problem = done ? await done(isWanted) : null;
    } finally {
      isAsking = false;
    }
    if (!isWanted()) return;
    if (problem) error.textContent = problem;
    else dialog().close();
  });
  dialog().setAttribute("aria-labelledby", "dialog-title");
  dialog().replaceChildren(form);
  const before = document.activeElement;
  dialog().showModal();
  form.querySelector("input, select, textarea, button")?.focus();
  // what is to be read begins above a button that is all there is to press
  dialog().scrollTop = 0;
  // the browser gives the keyboard back to where it was, which the game of the dialog may have replaced
  dialog().onclose = () => before.isConnected || app.board.takeFocus();
  return error;
}

const field = (name, label, control) => [el("label", { for: name }, label), control];
const select = (name, entries, chosen) =>
  el("select", { id: name, name }, entries.map(([value, text]) => el("option", { value, selected: value === chosen }, text)));

export function newGame(app) {
  const { rules } = app.catalog;
  const now = app.game?.board.rules ?? "othello";
  const known = rules.some(({ name }) => name === now);
  const preset = select("rules", [...rules.map(({ name, summary }) => [name, `${name}: ${summary}`]), ["", "other rules …"]], known ? now : "");
  const other = el("input", { id: "other", name: "other", value: known ? "" : now, placeholder: "hungarian:6x6,parallel", spellcheck: "false", autocomplete: "off" });
  const otherRow = el("div", { class: "form" }, field("other", "Rules as text", other));
  const about = el("p", { class: "about" });
  const sideLabels = [0, 1].map((side) => el("label", { for: `new-side-${side}` }));
  const sides = [0, 1].map((side) => select(`new-side-${side}`, [["human", "a person"], ["engine", "the engine"]], app.settings.sides[side]));
  const level = app.play.level.cloneNode(true);
  level.id = "new-level";
  level.value = app.settings.level;
  const time = app.play.time.cloneNode(true);
  time.id = "new-time";
  time.value = app.settings.time;
  const explain = () => {
    const entry = rules.find(({ name }) => name === preset.value);
    otherRow.hidden = preset.value !== "";
    const advice = entry?.advice.length ? ` Advice: ${entry.advice.join(" ")}` : "";
    about.textContent = entry ? entry.details + advice : "A rule set with changes: size, start, flips, supply, objective, holes (outflank rules lists them).";
    const colors = entry?.board.colors ?? ["first", "second"];
    sideLabels.forEach((node, side) => (node.textContent = title(colors[side])));
  };
  preset.addEventListener("change", explain);
  explain();
  const form = el("div", { class: "form" }, field("rules", "Rules", preset));
  const who = el("div", { class: "form" }, sideLabels[0], sides[0], sideLabels[1], sides[1],
    field("new-level", "Level", level), field("new-time", "At most", time));
  open(app, "New game", [form, otherRow, about, who], {
    label: "Begin",
    done: async (isWanted) => {
      const asked = { rules: preset.value || other.value.trim() || "othello" };
      try {
        const game = await api.post("/games", asked);
        if (!isWanted()) return;
        Object.assign(app.settings, { sides: sides.map((one) => one.value), level: chosen(level.value), time: Number(time.value) });
        app.play.adopt();
        // before the mode changes: the engine must not go on with the old game meanwhile
        await app.replace(game);
        if (app.mode === "study") app.setMode("play");
      } catch (error) {
        return error.message;
      }
    },
  });
}

export function paste(app) {
  const area = el("textarea", { id: "text", name: "text", rows: 9, spellcheck: "false", autocomplete: "off",
    placeholder: "A board, a diagram, OBF, moves (f5d6c3…), GGF, SGF or PGN, or the name of an opening (tiger)" });
  const number = el("input", { id: "number", name: "number", type: "number", min: 1, value: 1 });
  const rules = app.game?.board.rules ?? "othello";
  const reading = `A text that names no rules is read by those of this game: ${rules}.`;
  const body = [el("div", { class: "form wide" }, field("text", "Text", area)),
    el("div", { class: "form" }, field("number", "Which game", number)),
    rules === "othello" ? null : el("p", { class: "small", id: "reading" }, reading)];
  open(app, "Paste a position or a game", body, {
    label: "Show it",
    wide: true,
    done: async (isWanted) => {
      try {
        const asked = { text: area.value, number: number.value === "" ? undefined : Number(number.value), rules };
        const game = await api.post("/games", asked);
        if (!isWanted()) return;
        app.keepSource(game, asked);
        app.play.paused = true;
        await app.replace(game);
        if (app.mode === "solo") app.setMode("study");
        if (game.games_in_text) tell(`Game ${number.value || 1} of ${game.games_in_text} in the text`);
      } catch (error) {
        markPlace(area, error);
        return placeText(error) + error.message;
      }
    },
  });
}

const placeText = ({ message, line, column }) => {
  const said = /line \d+/.test(message) || (line === 1 && /column \d+/.test(message));
  return line && !said ? `line ${line}${column ? `, column ${column}` : ""}: ` : "";
};

/** Marks the place in the text where something is wrong. */
function markPlace(area, { line, column }) {
  if (!line) return;
  const before = area.value.split("\n").slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  const start = before + (column ?? 1) - 1;
  const rest = area.value.slice(start).match(/^\S+/);
  area.focus();
  area.setSelectionRange(start, start + (rest ? Math.min(rest[0].length, 8) : 1));
}

export function save(app) {
  if (!app.game) return;
  const kinds = [["txt", "Moves, one line"], ["ggf", "GGF"], ["sgf", "SGF"], ["pgn", "PGN"], ["obf", "This position (OBF)"]];
  const format = select("format", kinds, "ggf");
  const names = [0, 1].map((side) => el("input", { id: `name-${side}`, name: `name-${side}`, maxlength: 60, autocomplete: "off",
    value: app.game.players[side] || (app.mode === "play" && app.settings.sides[side] === "engine" ? "Outflank" : "") }));
  const area = el("textarea", { id: "saved", rows: 7, readonly: true, spellcheck: "false", "aria-label": "The game as text" });
  // an empty name takes the place of the one that the game has
  const question = () => String(new URLSearchParams({ format: format.value, first: names[0].value, second: names[1].value }));
  const path = () => `/games/${app.game.id}/save?${question()}`;
  /** Writes the text, unless another one has been asked for by then; what it returns is what is wrong. */
  const fill = async () => {
    const asked = question();
    let [text, problem] = ["", ""];
    try {
      text = await app.ask(() => api.text(path()));
    } catch (error) {
      problem = error.message;
    }
    if (question() !== asked) return error.textContent;
    area.value = text;
    return problem;
  };
  const body = [el("div", { class: "form" }, field("format", "Format", format),
    ...[0, 1].map((side) => field(`name-${side}`, title(app.game.board.colors[side]), names[side])).flat()), area];
  const error = open(app, "Save the game", body, {
    label: "Download",
    wide: true,
    done: async (isWanted) => {
      // the server may have forgotten the game since, or be there again
      const problem = await fill();
      if (problem || !isWanted()) return problem;
      const link = el("a", { href: "/api/v1" + path(), download: "" });
      link.click();
    },
  });
  const refill = async () => (error.textContent = await fill());
  for (const control of [format, ...names]) control.addEventListener("change", refill);
  refill();
}

export function link(app) {
  const area = el("textarea", { id: "address", rows: 4, readonly: true, "aria-label": "The link" });
  area.value = app.href();
  open(app, "A link that holds the game", [area], { wide: true });
  area.select();
}

export function keys(app, all) {
  const rows = [["arrows, Home, End, Page Up, Page Down", "move over the board"], ["Enter, space", "play on the square"], ["Esc", "gives up a choice of lines or a hint"],
    ["←, →, Home, End", "through the game (study, not on the board)"],
    ...Object.entries(all).map(([key, [text]]) => [key.toUpperCase(), text])];
  open(app, "Keys", [el("table", { class: "keys" }, el("tbody", {}, rows.map(([key, text]) => el("tr", {}, el("th", { scope: "row" }, key), el("td", {}, text)))))], {});
}

export function newSolitaire(app) {
  const layout = select("layout", [["lattice", "lattice (the usual one)"], ["ring", "ring (easy)"], ["random", "random (hard)"]], app.solo.options.layout);
  const scoring = select("scoring", [["count", "chips won"], ["points", "points, doubled with all blanks"]], app.solo.options.scoring);
  const seed = el("input", { id: "seed", name: "seed", inputmode: "numeric", placeholder: "any", autocomplete: "off" });
  open(app, "New solitaire", [el("div", { class: "form" }, field("layout", "Layout", layout), field("scoring", "What counts", scoring), field("seed", "Deal number", seed))], {
    label: "Deal",
    done: async (isWanted) => {
      const asked = { layout: layout.value, scoring: scoring.value };
      if (seed.value.trim()) {
        if (!/^\d+$/.test(seed.value.trim())) return `'${seed.value}' is not a number`;
        asked.seed = Number(seed.value);
        if (!Number.isSafeInteger(asked.seed)) return TOO_LARGE;
      }
      return (await app.solo.deal(asked, isWanted)) ? null : "The server has refused it.";
    },
  });
}
