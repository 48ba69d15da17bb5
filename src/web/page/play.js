// Games between people and the engine.

import * as api from "./api.js";
import { announce, complain, el, idle, settle } from "./dom.js";
import { shown, signed, title } from "./describe.js";
import { keepSettings } from "./kept.js";

/** What stands there while a hint is looked for. */
const LOOKING = "Looking for a good move …";

/** How long a forced pass stands there before it is played. */
const PASS_TIME = 1400;

/** What stands there when it is the engine's turn and nobody has asked it. */
const PAUSED = "The engine waits: \u201cEngine moves\u201d lets it go on, or play for it.";

/** What a choice of strength says: the number of a level, or the name of a grade. */
export const chosen = (value) => (Number.isNaN(Number(value)) ? value : Number(value));

/** The same as a question says it. */
const strength = (level) => (typeof level === "string" ? { grade: level } : { level });

/** What only a screen reader says. */
const unseen = (text) => el("span", { class: "unseen" }, text);

/** A sign, and the word for it where it is read aloud. */
const sign = (text, word) => [el("span", { "aria-hidden": "true" }, text), unseen(word)];

export class Play {
  constructor(app) {
    this.app = app;
    this.paused = false;
    this.thinking = null;
    this.passing = null;
    /** Ends the search of a hint that has not come yet. */
    this.closeHint = null;
    this.moves = el("ol", { class: "moves", "aria-label": "Moves" });
    this.undoButton = el("button", { onclick: () => this.undo(), title: "U" }, "Take back");
    this.redoButton = el("button", { onclick: () => this.redo(), title: "R" }, "Redo");
    this.hintButton = el("button", { onclick: () => this.hint(), title: "H" }, "Hint");
    this.goButton = el("button", { onclick: () => this.engine(), title: "E" }, "Engine moves");
    this.stopButton = el("button", { onclick: () => this.moveNow(), hidden: true }, "Move now");
    this.studyButton = el("button", { id: "learn", class: "primary", onclick: () => app.setMode("study"), hidden: true }, "Study this game");
    this.note = el("p", { class: "note" });
    this.level = el("select", { id: "level", onchange: () => this.set({ level: chosen(this.level.value) }) });
    this.time = el("select", { id: "time", onchange: () => this.set({ time: Number(this.time.value) }) },
      [1, 2, 5, 10, 30, 60].map((seconds) => el("option", { value: seconds, selected: seconds === app.settings.time }, `${seconds} s a move`)));
    this.sides = [0, 1].map((side) => el("select", { id: `side-${side}`, onchange: () => this.setSide(side) },
      el("option", { value: "human" }, "a person"), el("option", { value: "engine", selected: app.settings.sides[side] === "engine" }, "the engine")));
    this.sideNames = [0, 1].map((side) => el("label", { for: `side-${side}` }));
    this.panel = el("div", { class: "cards" },
      el("div", { class: "card actions" }, this.undoButton, this.redoButton, this.hintButton, this.goButton, this.stopButton, this.studyButton),
      this.note,
      el("details", { class: "card", open: true }, el("summary", {}, "Who plays"),
        el("div", { class: "form" }, this.sideNames[0], this.sides[0], this.sideNames[1], this.sides[1],
          el("label", { for: "level" }, "Level"), this.level, el("label", { for: "time" }, "At most"), this.time)),
      el("div", { class: "card" }, el("h2", {}, "Moves"), this.moves));
  }

  /** The levels are known. */
  catalog() {
    // no names of grades, which are weaker
    const names = { 0: "no thought", 1: "child's play", 3: "easy", 6: "middling", 10: "hard", 16: "very hard", 21: "merciless" };
    const grades = this.app.catalog.grades.map(({ name, number }) =>
      el("option", { value: name, selected: name === this.app.settings.level }, `${name} (${number} of 10)`));
    this.level.replaceChildren(el("optgroup", { label: "People" }, ...grades), el("optgroup", { label: "Levels" },
      ...this.app.catalog.levels.filter(({ level }) => level <= 30 || level % 10 === 0)
      .map(({ level, text }) => el("option", { value: level, title: text, selected: level === this.app.settings.level },
        names[level] ? `${level}, ${names[level]}` : String(level)))));
  }

  set(change) {
    Object.assign(this.app.settings, change);
    keepSettings(this.app.settings);
    if (this.app.game) this.app.refresh();
    this.next();
  }

  setSide(side) {
    this.app.settings.sides[side] = this.sides[side].value;
    // the move is a person's now
    if (this.thinking && this.app.game.side === side && !this.isEngines()) this.interrupt();
    this.paused = false;
    this.set({});
  }

  /** Writes what the dialog of a new game has chosen into the panel. */
  adopt() {
    const { sides, level, time } = this.app.settings;
    this.sides.forEach((select, side) => (select.value = sides[side]));
    this.level.value = level;
    this.time.value = time;
    this.paused = false;
    keepSettings(this.app.settings);
  }

  show() {
    const { app } = this;
    const { game } = app;
    this.sideNames.forEach((label, side) => (label.textContent = title(game.board.colors[side])));
    idle(this.undoButton, game.ply === 0);
    idle(this.redoButton, game.ply === game.moves.length);
    idle(this.hintButton, game.result || game.must_pass);
    idle(this.goButton, game.result || this.thinking);
    this.studyButton.hidden = !game.result && !app.ending(game);
    // nothing is under way, and nothing will be before somebody asks for it
    const waits = app.mode === "play" && this.paused && !this.thinking && !game.result && !game.must_pass && this.isEngines();
    if (waits) this.note.textContent = PAUSED;
    else if (this.note.textContent === PAUSED) this.note.textContent = "";
    this.list(this.moves);
  }

  /** The list of moves: a button each, which goes there. */
  list(root) {
    const { game } = this.app;
    const names = this.app.study.names;
    const entries = [];
    const start = el("button", { class: "start", onclick: () => this.app.goTo(0), "aria-current": game.ply === 0 ? "step" : null }, "Start");
    entries.push(el("li", {}, start));
    for (const move of game.moves) {
      const name = names.get(move.ply);
      const button = el("button", {
        class: `s${move.side}${move.ply > game.ply ? " later" : ""}${name ? " " + name : ""}`,
        onclick: () => this.app.goTo(move.ply),
        "aria-current": move.ply === game.ply ? "step" : null,
        title: move.why ?? name ?? "",
      }, el("small", {}, String(move.ply)), unseen(`. ${title(game.board.colors[move.side])} `), move.shown === "pass" ? sign("–", "pass") : move.shown,
      name ? sign({ inaccuracy: "?!", mistake: "?", blunder: "??" }[name], `, ${name}`) : null);
      entries.push(el("li", {}, button));
    }
    // the keyboard stays where it was, on an entry that looks different now
    const focused = [...root.children].findIndex((entry) => entry.contains(document.activeElement));
    root.replaceChildren(...entries);
    if (focused >= 0) entries[Math.min(focused, entries.length - 1)].firstChild.focus({ preventScroll: true });
    const current = root.querySelector("[aria-current]");
    // places are counted from the list, which is positioned
    if (current) root.scrollTop = current.offsetTop - (root.clientHeight - current.offsetHeight) / 2;
  }

  isEngines() {
    const { game, settings } = this.app;
    return settings.sides[game.side] === "engine";
  }

  /** It is the engine's turn, and the engine takes it: nobody plays for it. */
  isWaitedFor() {
    const { app } = this;
    return app.mode === "play" && !!app.game && !app.game.result && !this.paused && this.isEngines();
  }

  /** Whatever comes by itself now: the engine's move, a forced pass. */
  next() {
    clearTimeout(this.passing);
    const { app } = this;
    if (app.mode !== "play" || !app.game || app.game.result || app.busy || this.thinking || this.paused) return;
    if (app.game.must_pass) {
      this.passing = setTimeout(() => app.act(() => app.send("pass")), PASS_TIME);
    } else if (this.isEngines()) this.engine();
  }

  /** Lets the engine move, whoever's turn it is. */
  async engine() {
    const { app } = this;
    if (!app.game || app.game.result || this.thinking || app.mode === "solo") return;
    settle();
    // the server searches one thing at a time for a game
    this.unhint();
    app.study.pause();
    const { level, time } = app.settings;
    const { game } = app;
    this.paused = false;
    const thinking = new AbortController();
    this.thinking = thinking;
    // the squares are no longer a person's
    if (app.mode === "play") app.refresh();
    this.stopButton.hidden = false;
    idle(this.goButton, true);
    this.note.textContent = `${title(game.board.colors[game.side])}: the engine is thinking …`;
    document.body.classList.add("thinking");
    const variety = 1;
    try {
      await app.study.keep();
      const asked = { ...strength(level), time, variety, ply: game.ply };
      const answer = await app.ask(() => api.post(`/games/${app.game.id}/engine`, asked, thinking.signal));
      await app.free();
      // the game of the page is another one by now, or has been shown anew: this answer may be nobody's
      if (this.thinking !== thinking) return;
      if (app.game !== game) return this.abandon();
      this.tellMove(answer);
      this.done();
      await app.act(async () => answer.game);
    } catch (error) {
      if (this.thinking !== thinking) return;
      if (error.status === 409) return this.abandon();
      this.done();
      if (error.name === "AbortError") return;
      complain(error.message);
      this.paused = true;
      app.refresh();
    }
  }

  /** The game may be elsewhere than here, with the engine's move or without: as the server has it, and then whatever comes next. */
  abandon() {
    this.done();
    return this.app.act(() => api.get(`/games/${this.app.game.id}`));
  }

  done() {
    this.thinking = null;
    // the keyboard would be nowhere
    if (document.activeElement === this.stopButton) this.goButton.focus({ preventScroll: true });
    this.stopButton.hidden = true;
    this.note.textContent = this.last ?? "";
    document.body.classList.remove("thinking");
  }

  tellMove({ move, source, report, game }) {
    const parts = [`Engine: ${shown(game.board, move)}`];
    if (source === "book") parts.push("from the book");
    else if (source === "forced") parts.push("a forced pass");
    else if (report) {
      const by = report.exact ? "exactly" : `depth ${report.depth}`;
      parts.push(source === "only move" ? "the only move" : `${signed(report.score)}, ${by}`);
    }
    this.last = parts.join(", ");
  }

  /** The engine plays what it has found. */
  moveNow() {
    api.post(`/games/${this.app.game.id}/stop`).catch((error) => complain(error.message));
  }

  /** Nothing that is under way counts any more. */
  interrupt() {
    clearTimeout(this.passing);
    this.unhint();
    this.thinking?.abort();
    this.last = "";
    this.note.textContent = "";
    if (this.thinking) this.done();
  }

  /** Takes moves back to the turn of a person. */
  undo() {
    return this.back("undo", (game) => game.ply > 0);
  }

  redo() {
    return this.back("redo", (game) => game.ply < game.moves.length);
  }

  async back(which, more) {
    const { app } = this;
    if (app.mode === "solo") return which === "undo" && app.solo.undo();
    if (!app.game || !more(app.game)) return;
    this.interrupt();
    this.paused = true;
    const { sides } = app.settings;
    await app.act(async () => {
      const ask = ({ id, ply }) => api.post(`/games/${id}/${which}`, { ply });
      let game = await ask(app.game);
      const mixed = sides.includes("engine") && sides.includes("human");
      while (app.mode === "play" && mixed && more(game) && sides[game.side] === "engine") {
        game = await ask(game);
      }
      return game;
    });
    // who has taken moves back to the engine's turn wants to look first
    this.paused = this.isEngines();
    app.play.next();
  }

  /** Points at the best move. */
  async hint() {
    const { app } = this;
    if (!app.game || app.game.result || app.game.must_pass || this.thinking || this.isWaitedFor()) return;
    // a search of its own would end the one that is running
    if (app.mode === "study" && app.study.isBusy()) return app.study.hint();
    settle();
    this.unhint();
    const { game } = app;
    const note = app.mode === "study" ? app.study.state : this.note;
    const unsay = () => note.textContent === LOOKING && (note.textContent = "");
    note.textContent = LOOKING;
    let best = null;
    const heard = (kind, data) => kind === "iteration" && (best = data);
    const ended = (error) => {
      this.closeHint = null;
      unsay();
      if (error) return complain(error.message);
      if (!best?.best || app.game !== game) return;
      app.board.point(best.best.move.split(":")[0]);
      const by = best.exact ? "exactly" : `depth ${best.depth}`;
      const line = best.best.pv.slice(0, 6).map((move) => app.shown(move)).join(" ");
      note.textContent = `Hint: ${app.shown(best.best.move)} (${signed(best.score)}, ${by}): ${line}`;
      announce(note.textContent);
    };
    const close = app.stream("analysis?lines=1&level=16&time=2", heard, ended);
    this.closeHint = () => {
      close();
      unsay();
    };
  }

  /** Nobody wants the hint any more: its search ends. */
  unhint() {
    this.closeHint?.();
    this.closeHint = null;
  }
}
