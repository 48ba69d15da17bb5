// Study: values on the squares, the best lines, the graph of the game and its review.

import * as api from "./api.js";
import { announce, complain, el } from "./dom.js";
import { paint, shown, short, signed, title } from "./describe.js";
import { draw } from "./graph.js";

export class Study {
  constructor(app) {
    this.app = app;
    /** Names of losses by ply. */
    this.names = new Map();
    this.values = [];
    this.judged = new Map();
    this.close = null;
    this.closeReview = null;
    this.looking = true;
    this.moves = el("ol", { class: "moves", "aria-label": "Moves" });
    this.lines = el("div", { class: "lines" });
    this.state = el("p", { class: "note", id: "analysis-state" });
    this.graph = el("div", { class: "graph-box", id: "graph" });
    this.limits = el("p", { class: "small" });
    this.sums = el("div", { class: "sums" });
    this.progress = el("progress", { max: 1, value: 0, hidden: true, "aria-label": "Review" });
    this.look = el("button", { id: "look", "aria-pressed": "true", onclick: () => this.toggle() }, "Analysis");
    this.reviewButton = el("button", { id: "review", class: "primary", onclick: () => this.review() }, "Review the game");
    this.level = el("select", { id: "review-level", "aria-label": "Level of the review" },
      [[6, "quick"], [10, "good"], [14, "thorough"], [18, "deep"]].map(([level, name]) => el("option", { value: level, selected: level === 10 }, name)));
    const step = (text, label, ply) => el("button", { "aria-label": label, onclick: () => this.step(ply) }, text);
    this.panel = el("div", { class: "cards" },
      el("div", { class: "card actions" },
        step("|◀", "To the start", () => 0), step("◀", "A move back", (game) => game.ply - 1),
        step("▶", "A move on", (game) => game.ply + 1), step("▶|", "To the end", (game) => game.moves.length), this.look),
      el("div", { class: "card" }, el("h2", {}, "Best lines"), this.state, this.lines),
      el("div", { class: "card" }, el("h2", {}, "The game"),
        el("div", { class: "actions" }, this.reviewButton, this.level), this.progress, this.graph, this.sums, this.limits),
      el("div", { class: "card" }, el("h2", {}, "Moves"), this.moves));
  }

  catalog() {
    const ranges = this.app.catalog.losses.map(({ name, from_discs: from }, i, all) => {
      const next = all[i + 1]?.from_discs;
      return `${name} ${next ? (next - 1 > from ? `${from} to ${next - 1}` : from) : `${from} or more`}`;
    });
    this.limits.textContent = `Discs lost: ${ranges.join(", ")}.`;
  }

  /** Another game: nothing is known about it. */
  forget() {
    this.pause();
    this.values = [];
    this.names = new Map();
    this.judged = new Map();
    this.sums.replaceChildren();
  }

  /** Nothing is searched any more. */
  pause() {
    this.close?.();
    this.close = null;
    this.closeReview?.();
    this.closeReview = null;
    this.progress.hidden = true;
    this.reviewButton.textContent = "Review the game";
  }

  step(where) {
    const { game } = this.app;
    const ply = where(game);
    if (ply >= 0 && ply <= game.moves.length && ply !== game.ply) this.app.goTo(ply);
  }

  toggle() {
    this.looking = !this.looking;
    this.look.setAttribute("aria-pressed", String(this.looking));
    if (this.looking) this.analyse();
    else {
      this.close?.();
      this.close = null;
      this.app.board.values(null);
      this.state.textContent = "";
      this.lines.replaceChildren();
    }
  }

  show(before) {
    const { game, mode } = this.app;
    // what was known about moves that are no longer there
    const same = (move, i) => before?.moves[i]?.move === move.move;
    const known = before && before.id === game.id ? game.moves.findIndex((move, i) => !same(move, i)) : 0;
    const kept = known < 0 ? game.moves.length : known;
    if (before && before !== game) {
      this.values.length = Math.min(this.values.length, kept + 1);
      for (const ply of this.names.keys()) if (ply > kept) this.names.delete(ply);
    }
    if (game.result) this.values[game.ply] ??= this.final(game);
    if (mode !== "study") return;
    this.app.play.list(this.moves);
    this.drawGraph();
    this.reviewButton.disabled = game.moves.length === 0;
    this.analyse();
  }

  /** The value of a finished game for the first player. */
  final(game) {
    const [first, second] = game.discs;
    const score = first - second + Math.sign(first - second) * game.empties;
    return game.board.fewest_wins ? -score : score;
  }

  drawGraph() {
    const { game } = this.app;
    const { board } = game;
    draw(this.graph, {
      values: this.values, losses: this.names, plies: game.moves.length, current: game.ply, colors: board.colors,
      paints: [paint(board, 0), paint(board, 1)], chosen: (ply) => this.app.goTo(ply),
    });
  }

  /** Values the moves of the present position, deeper and deeper, until the position is another one. */
  analyse() {
    this.close?.();
    this.close = null;
    this.lines.replaceChildren();
    this.app.board.values(null);
    const { game } = this.app;
    if (!this.looking || this.closeReview) return;
    if (game.result) return (this.state.textContent = "The game is over.");
    this.book();
    this.state.textContent = "Searching …";
    const heard = (kind, data) => (kind === "error" ? complain(data.error.message) : this.iteration(game, data));
    const ended = (error) => {
      if (error && error.status === 404) return this.app.act(() => api.get(`/games/${game.id}`));
      if (error) complain(error.message);
    };
    this.close = api.stream(`/games/${game.id}/analysis?time=120`, heard, ended);
  }

  /** What the book says, until a search knows more. */
  book() {
    const { opening } = this.app.game;
    this.known = new Set(opening.moves.map(({ move }) => move));
  }

  iteration(game, data) {
    if (this.app.game !== game || this.app.mode !== "study") return;
    const best = data.moves[0]?.score ?? data.score;
    const squares = {};
    for (const line of data.moves) {
      const square = line.move.split(":")[0];
      const loss = best - line.score;
      if (line.move === "pass" || (squares[square] && squares[square].loss <= loss)) continue;
      const exact = line.bound === "exact";
      const text = { upper: "≤", lower: "≥" }[line.bound] ?? "";
      squares[square] = { text: text + signed(line.score), loss, exact, best: loss === 0, label: `value ${signed(line.score)}${exact ? ", exact" : ""}` };
    }
    this.app.board.values(squares);
    const depth = data.exact ? "solved" : data.depth >= data.empties ? `to the end at ${data.selectivity} %` : `depth ${data.depth}${data.selectivity < 100 ? " at " + data.selectivity + " %" : ""}`;
    const speed = data.nodes_per_second ? `, ${short(data.nodes_per_second)}/s` : "";
    this.state.textContent = `${depth}, ${short(data.nodes)} nodes${speed}${data.final ? ", done" : " …"}`;
    this.state.dataset.depth = data.depth;
    const row = (line) => el("tr", { class: line.score === best ? "best" : "" },
      el("td", {}, el("button", { onclick: () => this.app.act(() => api.post(`/games/${game.id}/moves`, { move: line.move })) }, shown(game.board, line.move))),
      el("td", { class: "score" }, signed(line.score), line.bound === "exact" ? el("abbr", { title: "exact" }, "!") : ""),
      el("td", { class: "pv" }, line.pv.slice(1, 9).map((move) => shown(game.board, move)).join(" ")),
      el("td", {}, this.known?.has(line.move) ? el("abbr", { title: "a move of the book" }, "book") : ""));
    this.lines.replaceChildren(el("table", {}, el("tbody", {}, data.moves.slice(0, 8).map(row))));
    if (!data.win_draw_loss) {
      this.values[game.ply] = game.side === 0 ? best : -best;
      this.drawGraph();
    }
    if (data.final) announce(`Analysis: best is ${shown(game.board, data.moves[0]?.move ?? "pass")}, ${signed(best)}, ${depth}`);
  }

  /** Judges the whole game; a second press ends it. */
  review() {
    const { app } = this;
    if (this.closeReview) {
      this.pause();
      return this.analyse();
    }
    this.pause();
    app.board.values(null);
    this.lines.replaceChildren();
    this.state.textContent = "";
    this.names = new Map();
    const { game } = app;
    const total = game.moves.filter(({ move }) => move !== "pass").length;
    let done = 0;
    this.progress.hidden = false;
    this.progress.value = 0;
    this.reviewButton.textContent = "Stop the review";
    const heard = (kind, data) => {
      if (kind === "error") return complain(data.error.message);
      if (kind === "move") this.judge(game, data, ++done / total);
      if (kind === "game") this.sum(game, data);
    };
    const ended = (error) => {
      this.pause();
      if (error) return complain(error.message);
      this.drawGraph();
      app.play.list(this.moves);
      announce("The game has been reviewed.");
      this.panel.dataset.reviewed = "yes";
      this.analyse();
    };
    this.panel.dataset.reviewed = "";
    this.closeReview = api.stream(`/games/${game.id}/review?level=${this.level.value}`, heard, ended);
  }

  judge(game, data, part) {
    this.progress.value = part;
    const sign = game.moves[data.ply - 1].side === 0 ? 1 : -1;
    this.values[data.ply - 1] ??= sign * data.best;
    this.values[data.ply] = sign * data.score;
    this.judged.set(data.ply, data);
    if (data.name) this.names.set(data.ply, data.name);
    this.drawGraph();
  }

  sum(game, data) {
    const names = this.app.catalog.losses.map(({ name }) => name);
    const count = (side, name) => [...this.names].filter(([ply, its]) => its === name && game.moves[ply - 1].side === side).length;
    const head = el("tr", {}, el("th", {}), names.map((name) => el("th", { class: name, scope: "col" }, name)), el("th", { scope: "col" }, "lost"));
    const row = (one, side) => el("tr", {}, el("th", { scope: "row" }, title(one.side)), names.map((name) => el("td", {}, String(count(side, name)))),
      el("td", {}, String(one.discs_lost)));
    this.sums.replaceChildren(el("table", {}, el("thead", {}, head), el("tbody", {}, data.summary.map(row))));
  }
}
