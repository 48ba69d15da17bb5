// The solitaire with its chips and its advisor.

import * as api from "./api.js";
import { $, announce, complain, el, idle, settle } from "./dom.js";
import { place, plural } from "./describe.js";

const COLORS = ["gold", "black"];

/** What is wrong with the number of a deal that would be rounded, to another deal. */
export const TOO_LARGE = `The number of the deal is larger than ${Number.MAX_SAFE_INTEGER}`;

/** A deal with these turns. */
async function played(deal, turns) {
  let state = await api.post("/solitaires", deal);
  for (const turn of turns) state = await api.post(`/solitaires/${state.id}/turns`, { turn });
  return state;
}

/** A chip that lies face down somewhere, as `g7` or `b-`; its colour is read aloud, too. */
function tile(name) {
  const color = name[0] === "g" ? "gold" : "black";
  const number = name.slice(1);
  const isBlank = number === "-";
  return el("span", { class: `tile ${color}`, role: "img", "aria-label": `${color} ${isBlank ? "blank" : number}` }, isBlank ? "·" : number);
}

export class Solo {
  constructor(app) {
    this.app = app;
    this.state = null;
    this.options = { layout: "lattice", scoring: "count" };
    /** This deal has taken the place of another one. */
    this.leaves = false;
    this.hand = 0;
    /** The deal that was asked for last, if its answer is still to come. */
    this.dealing = null;
    /** A turn is being played or taken back. */
    this.turning = false;
    /** Ends the search of advice that has not come yet. */
    this.asking = null;
    this.handButtons = COLORS.map((name, side) =>
      el("button", { "aria-pressed": "false", class: "hand", onclick: () => this.take(side) },
        el("span", { class: "token", "data-paint": name, "aria-hidden": "true" }), name));
    this.undoButton = el("button", { onclick: () => this.undo(), title: "U" }, "Take back");
    this.hintButton = el("button", { onclick: () => this.hint(), title: "H" }, "Advice");
    this.note = el("p", { class: "note" });
    this.unseen = el("div", { class: "chips" });
    this.turns = el("p", { class: "turns" });
    this.panel = el("div", { class: "cards" },
      el("div", { class: "card" }, el("h2", {}, "The side that lies up"),
        el("div", { class: "actions", role: "group", "aria-label": "Colour of the next disc" }, this.handButtons)),
      el("div", { class: "card actions" }, this.undoButton, this.hintButton),
      this.note,
      el("div", { class: "card" }, el("h2", {}, "Face down"), this.unseen),
      el("div", { class: "card" }, el("h2", {}, "Turns"), this.turns),
      el("p", { class: "small" }, "Place a disc so that it turns discs of the other colour, or encloses a chip of the other colour " +
        "between two discs of yours right beside it: the chip is won. Chips straight beside the new disc are turned up. " +
        "All four blanks double the points."));
  }

  async open() {
    if (this.state) return this.show();
    await this.deal(this.options);
  }

  /** Deals, if that is still wanted when the deal is there; the one that was there stays in the history of the browser. */
  deal(asked, isStillWanted) {
    return this.begin(asked, [], !!this.state, isStillWanted);
  }

  /** Goes on with the deal of a link; `false` when it is none. */
  async resume(parts) {
    const turns = parts.get("turns") ?? "";
    const asked = { layout: parts.get("layout") ?? "lattice", scoring: parts.get("scoring") ?? "count" };
    const { state, options } = this;
    const isSame = state && String(state.seed) === parts.get("deal") && options.layout === asked.layout && options.scoring === asked.scoring;
    // this one has been played here, and helped with
    if (isSame && state.turns.join("") === turns) {
      this.dealing = null;
      this.show();
      return true;
    }
    const deal = parts.get("deal");
    const number = /^\d+$/.test(deal ?? "") ? Number(deal) : null;
    if (number !== null && !Number.isSafeInteger(number)) {
      complain(TOO_LARGE);
      return false;
    }
    // the server says what is wrong with others
    if (deal !== null) asked.seed = number ?? deal;
    return this.begin(asked, turns.match(/.{1,3}/g) ?? [], false);
  }

  begin({ layout = "lattice", scoring = "count", seed }, turns, leaves, isStillWanted = () => true) {
    const dealing = {};
    this.dealing = dealing;
    const isWanted = () => this.dealing === dealing && isStillWanted();
    return this.act(() => played({ layout, scoring, seed }, turns), isWanted, { options: { layout, scoring }, leaves, dealing: null });
  }

  /** Asks the server about the deal; one that it has forgotten is dealt and played again. */
  async ask(what) {
    try {
      return await what();
    } catch (error) {
      const { state } = this;
      if (error.status !== 404 || !state) throw error;
      state.id = (await played({ ...this.options, seed: state.seed }, state.turns)).id;
      return what();
    }
  }

  /** Shows what comes of something, with what is `known` of it, if it is still wanted then. */
  async act(what, isWanted, known) {
    this.unhint();
    try {
      const state = await this.ask(what);
      if (!isWanted()) return true;
      // advice that was asked for meanwhile is about another deal
      if (state.id !== this.state?.id) this.unhint();
      Object.assign(this, { state }, known);
      // advice is about the turn before
      this.note.textContent = "";
      settle();
      if (this.app.mode === "solo") this.show();
      return true;
    } catch (error) {
      if (!isWanted()) return true;
      complain(error.message);
      announce(error.message);
      return false;
    }
  }

  /** Plays a turn or takes one back; what a person does before it is there is about the turn before. */
  async turn(what) {
    if (this.turning) return false;
    this.turning = true;
    const { state } = this;
    try {
      // another deal may be there by then
      return await this.act(what, () => this.state === state);
    } finally {
      this.turning = false;
    }
  }

  take(side) {
    this.hand = side;
    this.show();
  }

  swap() {
    if (this.app.mode === "solo" && this.state) this.take(1 - this.hand);
  }

  /** Plays on a square: with the side in hand if it can be, else with the other. */
  chosen(square) {
    // the server has not dealt yet: the board is that of the game before
    if (!this.state) return this.open();
    const here = this.state.legal.filter((turn) => turn.square === square);
    const turn = here.find((one) => one.color === COLORS[this.hand]) ?? here[0];
    if (!turn) this.app.board.refuse(square);
    const text = turn?.turn ?? square + COLORS[this.hand][0];
    return this.turn(() => api.post(`/solitaires/${this.state.id}/turns`, { turn: text }));
  }

  undo() {
    if (this.state?.turns.length) return this.turn(() => api.post(`/solitaires/${this.state.id}/undo`));
  }

  async hint() {
    if (!this.state || this.state.ending) return;
    const { state } = this;
    const waiting = "The advisor is playing it out …";
    this.unhint();
    const asking = new AbortController();
    this.asking = asking;
    this.note.textContent = waiting;
    try {
      const advice = await this.ask(() => api.post(`/solitaires/${state.id}/hint`, {}, asking.signal));
      if (this.asking !== asking) return;
      const [best] = advice.turns;
      const what = state.scoring === "count" ? "chips" : "points";
      const sure = best.perfect === null ? "" : `, all 24 in ${Math.round(100 * best.perfect)} %`;
      this.take(COLORS.indexOf(best.turn.endsWith("g") ? "gold" : "black"));
      this.app.board.point(best.turn.slice(0, 2));
      const color = best.turn.endsWith("g") ? "gold" : "black";
      this.note.textContent = `Advice: ${color} on ${best.turn.slice(0, 2)}, ${best.value.toFixed(1)} ${what} at the end${advice.exact ? ", exactly" : " on average"}${sure}`;
      announce(this.note.textContent);
    } catch (error) {
      if (this.asking !== asking) return;
      this.note.textContent = "";
      complain(error.message);
    } finally {
      if (this.asking === asking) this.asking = null;
    }
  }

  /** Another turn, another deal or another game on the page, or a person who does not wait: the advice is nobody's. */
  unhint() {
    if (!this.asking) return;
    this.note.textContent = "";
    this.asking.abort();
    this.asking = null;
  }

  show() {
    const { state } = this;
    if (!state) return;
    this.app.board.draw(this.view());
    const plate = (name, small, value) => el("div", { class: "plate" },
      el("span", { class: "name" }, name, el("small", {}, small)), el("span", { class: "count" }, String(value)));
    $("players").replaceChildren(plate("Chips won", "of 24", state.chips), plate("Points", "of 220", state.points));
    const help = [];
    if (state.taken_back[0]) help.push(`${plural(state.taken_back[0], "turn")} taken back, ${state.taken_back[1]} with a peek`);
    if (state.hints) help.push(plural(state.hints, "hint"));
    const [chips, points, turns] = [plural(state.chips, "chip"), plural(state.points, "point"), plural(state.legal.length, "turn")];
    const end = state.ending ? el("strong", {}, `The end: ${state.ending}. ${state.chips} of 24 chips, ${points}. `) : `${turns} can be played. `;
    $("status").replaceChildren(end, help.join(", "));
    $("rules-name").textContent = `ravensburger-solo, deal ${state.seed}`;
    this.handButtons.forEach((button, side) => button.setAttribute("aria-pressed", String(side === this.hand)));
    idle(this.undoButton, state.turns.length === 0);
    idle(this.hintButton, state.ending);
    this.unseen.replaceChildren(...state.unseen.map(tile));
    this.turns.textContent = state.turns.join(" ") || "none yet";
    if (this.said !== state.turns.length) announce(`${chips} won, ${turns} can be played. ${state.ending ?? ""}`);
    this.said = state.turns.length;
    this.app.address(new URLSearchParams({ m: "solo", deal: state.seed, ...this.options, turns: state.turns.join("") }), this.leaves);
    this.leaves = false;
  }

  view() {
    const { state, hand } = this;
    const cells = Array.from({ length: 8 }, (_, row) => Array.from({ length: 8 }, (_, column) => ({ label: "abcdefgh"[column] + (row + 1) + ", free" })));
    for (const { square, kind, color, number } of state.pieces) {
      const { row, column } = place(square);
      const cell = cells[row][column];
      const side = COLORS.indexOf(color);
      if (kind === "disc") Object.assign(cell, { disc: side, label: `${square}, ${color} disc` });
      if (kind === "chip") Object.assign(cell, { chip: { color: side, number }, label: `${square}, ${color} chip ${number || "blank"}` });
      if (kind === "hidden") Object.assign(cell, { chip: { hidden: true }, label: `${square}, chip face down` });
    }
    for (const turn of state.legal) {
      const { row, column } = place(turn.square);
      const cell = cells[row][column];
      const side = COLORS.indexOf(turn.color);
      cell.legal = [...(cell.legal ?? []), side];
      const gains = [turn.flips.length && `turns ${turn.flips.length}`, turn.wins.length && `wins ${turn.wins.length}`, turn.turns_up.length && `turns up ${turn.turns_up.length}`];
      cell.label += `; ${turn.color}: ${gains.filter(Boolean).join(", ")}`;
      if (side === hand || !cell.flips) cell.flips = [...turn.flips, ...turn.wins];
    }
    // the side in hand is what a dot shows where both can be played
    for (const cell of cells.flat()) if (cell.legal?.length > 1) cell.legal = [hand];
    const last = state.turns.at(-1)?.slice(0, 2);
    return { rows: 8, columns: 8, rows_from_bottom: false, cells, paint: COLORS, last, turned: [] };
  }
}
