// What the page shows, and who reacts to what. The game itself lives in the server; the address holds it, too.

import * as api from "./api.js";
import { Board } from "./board.js";
import { $, announce, complain, el, settle, tell } from "./dom.js";
import { paint, place, plural, sentence, shown, squareName, title } from "./describe.js";
import * as dialogs from "./dialogs.js";
import { THEMES, keep, keepSource, kept, keptSettings, keptSource, keptTheme } from "./kept.js";
import { Play } from "./play.js";
import { Solo } from "./solo.js";
import { Study } from "./study.js";

/** Everything that the parts of the page share. */
const app = {
  mode: "play",
  game: null,
  catalog: { rules: [], levels: [], grades: [], losses: [] },
  settings: { sides: ["human", "engine"], level: 6, time: 5, ...keptSettings() },
  busy: false,
};

app.board = new Board($("board"), {
  chosen: (square) => (app.mode === "solo" ? app.solo.chosen(square) : chosen(square)),
  line: (move) => play(move),
});
app.play = new Play(app);
app.study = new Study(app);
app.solo = new Solo(app);

/** What a person did on a square. */
function chosen(square) {
  if (!app.game || app.game.result) return complain(app.game?.result ? sentence(app.game.result) : "");
  if (app.play.isWaitedFor()) {
    app.board.refuse(square);
    return complain(`It is the turn of ${app.game.board.colors[app.game.side]}, which the engine plays`);
  }
  // what is to be played after a pass that the engine answers is known after its answer
  if (app.mode === "play" && app.game.must_pass && app.settings.sides[1 - app.game.side] === "engine") {
    app.board.refuse(square);
    return play("pass");
  }
  const here = app.game.legal.filter((move) => move.square === square);
  if (here.length > 1) return app.board.offer(square, here);
  // the pass is played with the move behind it, of which the server knows whether it is one
  if (app.game.must_pass) return play(square).then((ok) => ok || app.board.refuse(square));
  if (here.length === 0) {
    app.board.refuse(square);
    // the rules know why; the direction is of no interest when nothing turns
    return act(() => app.send(square));
  }
  return play(here[0].move);
}

const play = (move) => {
  app.board.withdraw();
  // who plays does not wait for what the engine would have played
  app.play.interrupt();
  return act(async () => {
    await app.study.keep();
    const game = await app.send(move);
    // whoever plays on has looked; a move that is refused leaves the game, and those who wait in it, as they are
    app.play.paused = false;
    return game;
  });
};
app.playMove = play;

/** Asks the server to play a move in the game as it is shown: it refuses one for a place where the game no longer is. */
app.send = (move) => api.post(`/games/${app.game.id}/moves`, { move, ply: app.game.ply });

/** Asks the server about the game; one that it has forgotten is begun again. */
app.ask = async (what) => {
  const id = app.game?.id;
  try {
    return await what();
  } catch (error) {
    if (error.status !== 404 || !app.game) throw error;
    await revive(id);
    return what();
  }
};

/** Listens to what the server finds out about the game: `api.stream`, see `app.ask`. */
app.stream = (question, heard, ended) => {
  const { id } = app.game;
  const listen = (whenEnded) => api.stream(`/games/${app.game.id}/${question}`, heard, whenEnded);
  let closed = false;
  let close = listen((error) => {
    if (error?.status !== 404) return ended(error);
    revive(id).then(() => closed || (close = listen(ended)), (problem) => closed || ended(problem));
  });
  return () => {
    closed = true;
    close();
  };
};

/** Does something with the game and shows what came of it, or why not: see `app.ask`. */
app.act = async function act(what) {
  if (app.busy) return false;
  app.busy = true;
  try {
    const game = await app.ask(what);
    settle();
    show(game);
    return true;
  } catch (error) {
    if (error.name !== "AbortError") {
      if (error.status === 409) await catchUp();
      complain(error.message);
      announce(error.message);
    }
    return false;
  } finally {
    app.busy = false;
    app.play.next();
  }
};
const act = app.act;

/** Shows where the game is, if that is elsewhere than here: somebody else has moved in it. */
async function catchUp() {
  const here = app.game;
  const there = here && (await api.get(`/games/${here.id}`).catch(() => null));
  if (there && (there.ply !== here.ply || there.text !== here.text)) show(there);
}

let reviving = null;

/** Begins the game again that the server had under this name: once, for all who find it gone. */
async function revive(gone) {
  const { game } = app;
  if (game.id !== gone) return;
  reviving ??= (async () => {
    const { id } = await app.again(game);
    // it is the same game for whoever waits for something about it
    game.id = id;
  })().finally(() => (reviving = null));
  await reviving;
}

/** A game as it was shown before: a new one of the server, or in the place of another. */
app.again = async (game, path = "/games") => {
  const { text, ply, board } = game;
  const { id } = await app.complete(await api.post(path, { text: text || undefined, rules: board.rules, ...saidOf(game) }));
  return api.post(`/games/${id}/goto`, { ply });
};

/** What is known beside the moves, as requests and links have it: the players, and a result that the board does not tell. */
function saidOf({ players, ratings, recorded }) {
  const said = {};
  ["first", "second"].forEach((side, i) => {
    if (players[i]) said[side] = players[i];
    if (ratings?.[i] != null) said[side + "_rating"] = ratings[i];
  });
  if (recorded) said.result = recorded.result;
  return said;
}

/** What tells a game from others: its moves, and what links say beside them. */
const identity = (game) => JSON.stringify([game.text, saidOf(game)]);

/** Keeps what a game was begun with. */
app.keepSource = (game, asked) => keepSource(identity(game), asked);
app.keptSource = (game) => keptSource(identity(game));

/** A game of a link, with what only that has which it was begun with once. */
app.complete = async (game) => {
  const asked = app.keptSource(game);
  return asked ? api.post(`/games/${game.id}/text`, asked) : game;
};

/** The result that the board does not tell, at the end of the moves. */
app.ending = (game) => (game.ply === game.moves.length ? game.recorded?.text : undefined);

/** Begins a game with what a text holds, or at the start of rules. */
app.begin = async (asked) => {
  await app.free();
  // an answer to the old game must not come after the new one
  app.play.interrupt();
  return act(async () => {
    const game = await app.complete(await api.post("/games", asked));
    app.study.turnTo(game);
    return game;
  });
};

/** The game of the address gives way to another one, and stays in the history of the browser. */
let givesWay = false;

/** Shows another game instead of the present one, of which nothing that is under way counts any more. */
app.replace = async (game) => {
  await app.free();
  app.play.interrupt();
  return act(async () => {
    app.study.turnTo(game);
    givesWay = true;
    return game;
  });
};

let waiting = Promise.resolve();

/** Waits until what is under way has ended, and for all who wait already: who asks last has the last word. */
app.free = () => {
  waiting = waiting.then(async () => {
    while (app.busy) await new Promise((resolve) => setTimeout(resolve, 20));
  });
  return waiting;
};

/** Goes to a place in the game. */
app.goTo = (ply) => {
  app.play.interrupt();
  app.play.paused = true;
  return act(() => api.post(`/games/${app.game.id}/goto`, { ply }));
};

/** Shows a game. */
function show(game) {
  const before = app.game;
  app.game = game;
  if (app.mode === "solo") return;
  const board = game.board;
  app.board.draw(view(game));
  players(game);
  $("rules-name").textContent = `${board.rules}${board.fewest_wins ? " (fewer discs win)" : ""}`;
  status(game);
  app.play.show();
  const left = app.study.show(before);
  remember(game, left);
  if (before?.id !== game.id || before.ply !== game.ply) speak(before, game);
}
app.refresh = () => show(app.game);

/** The board as the drawing wants it. */
function view(game) {
  const { rows, columns } = game.board;
  const legal = new Map();
  for (const move of game.legal) {
    if (!move.square) continue;
    const flips = [...(legal.get(move.square)?.flips ?? []), ...move.flips];
    legal.set(move.square, { flips, lines: (legal.get(move.square)?.lines ?? 0) + 1 });
  }
  const cells = [];
  for (let row = 0; row < rows; row++) {
    cells.push([]);
    for (let column = 0; column < columns; column++) {
      const piece = game.squares[row * columns + column];
      const square = "abcdefghijklmnop"[column] + (row + 1);
      const name = squareName(game.board, row, column);
      const move = legal.get(square);
      const cell = { label: `${name}, empty` };
      if (piece === "#") Object.assign(cell, { hole: true, label: `${name}, no square` });
      else if (piece !== "-") {
        cell.disc = piece === "X" ? 0 : 1;
        cell.label = `${name}, ${game.board.colors[cell.disc]}`;
      } else if (move && !app.play.isWaitedFor()) {
        cell.legal = [game.side];
        cell.flips = move.flips;
        const turns = move.lines > 1 ? `one of ${move.lines} lines turns` : `turns ${plural(move.flips.length, "disc")}`;
        cell.label = game.placements_left ? `${name}, can be placed` : `${name}, playable, ${turns}`;
      }
      cells[row].push(cell);
    }
  }
  const { rows_from_bottom } = game.board;
  const colors = [paint(game.board, 0), paint(game.board, 1)];
  return { rows, columns, rows_from_bottom, cells, paint: colors, last: game.last, turned: game.turned };
}

function players(game) {
  const plate = (side) => {
    const active = game.side === side && !game.result;
    const who = app.mode === "play" ? (app.settings.sides[side] === "engine" ? (typeof app.settings.level === "string" ? app.settings.level : `level ${app.settings.level}`) : "you") : "";
    const both = app.settings.sides.every((one) => one === "human");
    const hand = game.in_hand ? `${game.in_hand[side]} in hand` : "";
    const rating = game.ratings?.[side] != null ? `rated ${Math.round(game.ratings[side])}` : "";
    const detail = [game.players[side] || (both ? "" : who), rating, hand].filter(Boolean).join(" · ");
    return el("div", { class: `plate${active ? " active" : ""}${game.winner === side ? " won" : ""}` },
      el("span", { class: "token", "data-paint": paint(game.board, side), "aria-hidden": "true" }),
      el("span", { class: "name" }, title(game.board.colors[side]), el("small", {}, detail)),
      el("span", { class: "count", role: "img", "aria-label": plural(game.discs[side], "disc") }, String(game.discs[side])));
  };
  $("players").replaceChildren(plate(0), plate(1));
}

function status(game) {
  const color = title(game.board.colors[game.side]);
  const parts = [];
  const ending = app.ending(game);
  if (ending) parts.push(el("strong", {}, sentence(ending)));
  if (game.result) parts.push(el("strong", {}, sentence(game.result.replace("game over: ", ""))));
  else if (game.must_pass) parts.push(el("strong", {}, `${color} must pass: ${game.must_pass}`));
  else if (game.placements_left) parts.push(`${color} places a disc on the centre (${game.placements_left} to come)`);
  else parts.push(`${color} to move`);
  const last = game.moves[game.ply - 1];
  if (last?.why) parts.push(el("em", {}, ` ${title(game.board.colors[last.side])} has passed: ${last.why}.`));
  if (game.opening.name) parts.push(el("span", { class: "opening" }, game.opening.name));
  $("status").replaceChildren(...parts);
}

/** Says what has happened to those who do not see it. */
function speak(before, game) {
  const played = game.moves[game.ply - 1];
  const color = (side) => title(game.board.colors[side]);
  const parts = [];
  if (before?.id === game.id && game.ply < before.ply) parts.push("Taken back.");
  else if (played) {
    const turned = game.turned.length ? `, turns ${game.turned.map((name) => nameOf(game, name)).join(" ")}` : "";
    parts.push(played.why ? `${color(played.side)} passes: ${played.why}.` : `${color(played.side)} plays ${played.shown}${turned}.`);
  }
  const ending = app.ending(game);
  if (ending) parts.push(sentence(ending) + ".");
  if (game.result) parts.push(sentence(game.result) + ".");
  else if (game.must_pass) parts.push(`${color(game.side)} must pass: ${game.must_pass}.`);
  else parts.push(`${color(game.side)} to move.`);
  announce(parts.join(" "));
}

const nameOf = (game, square) => squareName(game.board, place(square).row, place(square).column);
app.nameOf = (square) => nameOf(app.game, square);
app.shown = (move) => shown(app.game.board, move);

// ---- the address

/** Puts the game into the address; `left` when it has replaced another line, which stays in the history of the browser. */
function remember(game, left) {
  const parts = new URLSearchParams();
  if (game.text) parts.set("t", game.text.trim());
  else parts.set("r", game.board.rules);
  parts.set("p", String(game.ply));
  for (const [name, value] of Object.entries(saidOf(game))) parts.set(name, value);
  if (app.mode === "study") parts.set("m", "study");
  app.address(parts, left);
  keep("sessionStorage", "outflank-game", app.link);
}

/** The address holds this; `left` when what it held before is to stay in the history of the browser. */
app.address = (parts, left) => {
  const isSolo = (link) => new URLSearchParams(link.slice(1)).get("m") === "solo";
  const before = app.link;
  app.link = "#" + parts.toString();
  const stays = left || givesWay || (before && isSolo(before) !== isSolo(app.link));
  givesWay = false;
  if (location.hash === app.link) return;
  if (stays) history.pushState(null, "", app.link);
  else history.replaceState(null, "", app.link);
};

/** The address with what the page shows, whatever stands in that of the browser. */
app.href = () => new URL(app.link ?? "", location.href).href;

/** Goes on with the game of the address, of which this is the part from `#` on; `false` when it holds none. */
async function fromAddress(hash) {
  const parts = new URLSearchParams(hash.slice(1));
  const mode = parts.get("m");
  if (mode !== "solo" && !parts.has("t") && !parts.has("r")) return false;
  const { link, mode: was } = app;
  app.link = hash;
  if (mode === "solo") {
    enter("solo");
    if (await app.solo.resume(parts)) return true;
    // what was there goes on
    const problem = $("message").textContent;
    app.link = link;
    if (was !== "solo") setMode(was);
    else if (app.solo.state) app.solo.show();
    else setMode("play");
    complain(problem);
    return false;
  }
  if (mode === "study") enter("study");
  else if (app.mode === "solo") enter("play");
  const { paused } = app.play;
  app.play.paused = true;
  const ok = await beginAt(parts);
  if (!ok && app.game) {
    // what was there goes on
    const problem = $("message").textContent;
    app.link = link;
    app.play.paused = paused;
    if (app.mode === was) app.refresh();
    else setMode(was);
    app.play.next();
    complain(problem);
  }
  return ok;
}

/** The rating that a link has, if it is one. */
const rating = (text) => (text?.trim() && Number.isFinite(Number(text)) ? Number(text) : undefined);

/** Begins the game of a link, at its place. */
async function beginAt(parts) {
  const [text, rules, first, second, result] = ["t", "r", "first", "second", "result"].map((name) => parts.get(name) ?? undefined);
  const [first_rating, second_rating] = ["first", "second"].map((side) => rating(parts.get(side + "_rating")));
  const ok = await app.begin({ text, rules, first, second, first_rating, second_rating, result });
  const ply = Number(parts.get("p") ?? app.game?.ply);
  if (ok && Number.isInteger(ply) && ply >= 0 && ply < app.game.ply) await app.goTo(ply);
  return ok;
}

async function copyLink() {
  // the server has refused the first one
  if (!app.link) return complain("There is no game yet");
  try {
    await navigator.clipboard.writeText(app.href());
    tell("The link is on the clipboard: it holds the whole game");
  } catch {
    dialogs.link(app);
  }
}

// ---- modes and keys

/** The page is that of another mode, in which nothing is shown yet; `false` when it was that of this one. */
function enter(mode) {
  if (app.mode === mode && $("panel").childElementCount) return false;
  app.mode = mode;
  document.body.dataset.mode = mode;
  for (const name of ["play", "study", "solo"]) $("mode-" + name).setAttribute("aria-pressed", String(name === mode));
  // a solitaire is no file, and the game behind it not what is to be seen
  $("save").disabled = mode === "solo";
  app.board.withdraw();
  app.board.shape = "";
  settle();
  rest();
  const panel = $("panel");
  const had = panel.contains(document.activeElement);
  panel.replaceChildren((mode === "solo" ? app.solo : mode === "study" ? app.study : app.play).panel);
  // the keyboard was on what is gone
  if (had) panel.querySelector("button")?.focus({ preventScroll: true });
  return true;
}

/** Nothing is searched any more for what the page shows. */
function rest() {
  app.study.pause();
  app.play.interrupt();
  app.solo.unhint();
}

function setMode(mode) {
  if (!enter(mode)) return;
  if (mode === "solo") return app.solo.open();
  if (app.game) show(app.game);
  app.play.next();
}
app.setMode = setMode;

/** Takes these colours, or those that come next. */
function theme(next) {
  const chosenTheme = next ?? THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % THEMES.length];
  document.documentElement.dataset.theme = chosenTheme;
  const words = { auto: "as the system", light: "light", dark: "dark" };
  $("theme").setAttribute("aria-label", `Colours of the page: ${words[chosenTheme]}`);
  $("theme").textContent = { auto: "◐", light: "☀", dark: "☾" }[chosenTheme];
  keep("localStorage", "theme", chosenTheme);
}

const KEYS = {
  u: ["takes a move back", () => app.play.undo()],
  r: ["plays a move again that was taken back", () => app.play.redo()],
  n: ["new game", () => $("new").click()],
  p: ["paste a game", () => $("paste").click()],
  s: ["save", () => $("save").click()],
  l: ["copy the link", () => $("link").click()],
  h: ["hint", () => (app.mode === "solo" ? app.solo.hint() : app.play.hint())],
  e: ["the engine moves", () => app.play.engine()],
  1: ["play", () => setMode("play")],
  2: ["study", () => setMode("study")],
  3: ["solitaire", () => setMode("solo")],
  x: ["turns the disc in hand (solitaire)", () => app.solo.swap()],
  "?": ["all keys", () => dialogs.keys(app, KEYS)],
};

/** Where these keys go in the game when the board does not have them. */
const STUDY_KEYS = {
  ArrowLeft: (game) => game.ply - 1,
  ArrowRight: (game) => game.ply + 1,
  Home: () => 0,
  End: (game) => game.moves.length,
};

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || $("dialog").open) return;
  if (event.target.matches("input, textarea, select")) return;
  if (app.mode === "study" && app.game && STUDY_KEYS[event.key] && !event.target.closest("#board")) {
    event.preventDefault();
    return app.study.step(STUDY_KEYS[event.key]);
  }
  if (event.key === "Escape") {
    for (const part of [app.play, app.solo]) part.unhint();
    return app.board.point(null);
  }
  const entry = KEYS[event.key.toLowerCase()];
  if (!entry) return;
  event.preventDefault();
  entry[1]();
});

for (const mode of ["play", "study", "solo"]) $("mode-" + mode).addEventListener("click", () => setMode(mode));
$("new").addEventListener("click", () => (app.mode === "solo" ? dialogs.newSolitaire(app) : dialogs.newGame(app)));
$("paste").addEventListener("click", () => dialogs.paste(app));
$("save").addEventListener("click", () => dialogs.save(app));
$("link").addEventListener("click", copyLink);
$("theme").addEventListener("click", () => theme());
window.addEventListener("hashchange", ({ newURL }) => {
  // what was under way may have put its own game into the address since
  const { hash } = new URL(newURL);
  if (hash !== app.link) fromAddress(hash);
});
document.querySelector(".skip").addEventListener("click", (event) => {
  // the address is that of the game
  event.preventDefault();
  app.board.takeFocus();
});
// nobody sees what is searched for a page that is left; one that comes back from the browser's memory goes on
window.addEventListener("pagehide", rest);
window.addEventListener("pageshow", (event) => {
  if (!event.persisted || !app.game) return;
  if (app.mode === "study") app.study.analyse();
  app.play.next();
});

theme(keptTheme());
setMode("play");
const catalog = Promise.all([api.get("/rules"), api.get("/levels")]).then(([rules, levels]) => {
  app.catalog = { rules, ...levels };
  app.play.catalog();
  app.study.catalog();
});
await fromAddress(location.hash);
if (!app.game) {
  const problem = $("message").textContent;
  // behind the solitaire waits the game that was there
  const behind = app.mode === "solo" && kept("sessionStorage", "outflank-game");
  app.play.paused = !!behind;
  if (!behind || !(await beginAt(new URLSearchParams(behind.slice(1))))) await app.begin({ rules: "othello" });
  // a link that holds no game says so
  if (problem) complain(problem);
}
await catalog.catch((error) => complain(error.message));
document.body.dataset.ready = "yes";
