// Study: values on the squares, the best lines, the graph of the game and its review.

import * as api from "./api.js";
import { announce, complain, el, settle } from "./dom.js";
import { paint, plural, shown, short, signed, title } from "./describe.js";
import { draw } from "./graph.js";
import { keepReview, keptReview } from "./kept.js";

export class Study {
  constructor(app) {
    this.app = app;
    /** Names of losses by ply. */
    this.names = new Map();
    this.values = [];
    this.judged = new Map();
    this.close = null;
    this.closeReview = null;
    /** Moves that a review judges, of the game with this text. */
    this.total = 0;
    this.reviewed = "";
    /** The last iteration of the present position, and the rows that show it by their moves. */
    this.found = null;
    this.rows = new Map();
    /** The line that another one has replaced. */
    this.main = null;
    this.restoring = false;
    this.looking = true;
    this.moves = el("ol", { class: "moves", "aria-label": "Moves" });
    this.lines = el("div", { class: "lines" });
    this.state = el("p", { class: "note", id: "analysis-state", title: "How far the search looks ahead, and how sure it is of what it leaves out" });
    this.graph = el("div", { class: "graph-box", id: "graph" });
    this.limits = el("p", { class: "small", id: "limits" });
    /** Whose the values are, and what the review says of the move that was played last. */
    this.whose = el("p", { class: "small" });
    this.scale = el("p", { class: "small" });
    this.verdict = el("p", { id: "verdict" });
    this.sums = el("div", { class: "sums" });
    this.progress = el("progress", { max: 1, value: 0, hidden: true, "aria-label": "Review" });
    this.look = el("button", { id: "look", "aria-pressed": "true", onclick: () => this.toggle() }, "Analysis");
    this.reviewButton = el("button", { id: "review", class: "primary", onclick: () => this.review() }, "Review the game");
    this.backButton = el("button", { id: "back", onclick: () => this.restore(), hidden: true }, "Back to the game");
    this.body = el("tbody");
    this.table = el("table", {}, this.body);
    this.level = el("select", { id: "review-level", "aria-label": "Level of the review" },
      [[6, "quick"], [10, "good"], [14, "thorough"], [18, "deep"]].map(([level, name]) => el("option", { value: level, selected: level === 10 }, name)));
    const step = (text, label, ply) => el("button", { "aria-label": label, onclick: () => this.step(ply) }, text);
    this.panel = el("div", { class: "cards" },
      el("div", { class: "card actions" },
        step("|◀", "To the start", () => 0), step("◀", "A move back", (game) => game.ply - 1),
        step("▶", "A move on", (game) => game.ply + 1), step("▶|", "To the end", (game) => game.moves.length), this.look, this.backButton),
      el("div", { class: "card" }, el("h2", {}, "Best lines"), this.whose, this.state, this.lines),
      el("div", { class: "card" }, el("h2", {}, "The game"),
        el("div", { class: "actions" }, this.reviewButton, this.level), this.progress, this.graph, this.scale, this.verdict, this.sums, this.limits),
      el("div", { class: "card" }, el("h2", {}, "Moves"), this.moves));
  }

  catalog() {
    const ranges = this.app.catalog.losses.map(({ name, from_discs: from }, i, all) => {
      const next = all[i + 1]?.from_discs;
      return `${name} ${next ? (next - 1 > from ? `${from} to ${next - 1}` : from) : `${from} or more`}`;
    });
    this.limits.textContent = `Discs lost: ${ranges.join(", ")}.`;
    // sums that were there before the names of their rows
    const { game } = this.app;
    const summary = game && this.sums.firstChild && keptReview(game.text)?.summary;
    if (summary) this.sum(game, summary);
  }

  /** Another game: what was found out about it before is known, if anything was. */
  turnTo(game) {
    this.pause();
    const { values = [], judged = [], summary = null, total = 0 } = keptReview(game.text) ?? {};
    this.values = values.map((value) => value ?? undefined);
    this.judged = new Map(judged);
    this.names = new Map(judged.filter(([, { name }]) => name).map(([ply, { name }]) => [ply, name]));
    if (summary) this.sum(game, summary);
    else if (total) this.stopped(total);
    else this.sums.replaceChildren();
    this.left(null);
  }

  /** Keeps what the review has found, with its sums when it has come to its end. */
  keepFound(summary) {
    const { values, judged, total } = this;
    if (judged.size) keepReview(this.reviewed, { values, judged: [...judged], summary, total });
  }

  /** Nothing is searched any more; a review that is not at its end says so. */
  pause() {
    this.close?.();
    this.close = null;
    if (this.closeReview) {
      this.closeReview();
      this.closeReview = null;
      this.keepFound(null);
      announce(this.stopped(this.total));
    }
    this.progress.hidden = true;
    this.reviewButton.textContent = "Review the game";
  }

  /** Something is searched for the game: values, or a review. */
  isBusy() {
    return !!this.closeReview || (this.looking && !!this.close);
  }

  /** The hint of the analysis that is running; it goes on. */
  hint() {
    const [best] = this.closeReview ? [] : (this.found?.moves ?? []);
    if (!best || best.move === "pass") return;
    this.app.board.point(best.move.split(":")[0]);
    announce(`Hint: ${this.app.shown(best.move)}, ${signed(best.score)}`);
  }

  // ---- other lines than that of the game

  /** Before a move that may replace others: the record of the game, for what the text of moves does not have. */
  async keep() {
    const { app } = this;
    const { game } = app;
    if (app.mode !== "study" || this.main || game.ply === game.moves.length || !(game.players.some(Boolean) || game.recorded)) return;
    if (app.keptSource(game)) return;
    const text = await app.ask(() => api.text(`/games/${game.id}/save?format=ggf`)).catch(() => null);
    if (text) app.keepSource(game, { text });
  }

  /** Another line has replaced moves of the game: it can be had back. `null` when nothing is to be had back. */
  left(main) {
    this.main = main;
    this.backButton.hidden = !main;
  }

  /** The game is again what it was before other moves were tried. */
  async restore() {
    const { app, main } = this;
    if (!main) return;
    app.play.interrupt();
    this.pause();
    this.restoring = true;
    const ok = await app.act(() => app.again(main.game, `/games/${app.game.id}/text`));
    this.restoring = false;
    if (!ok) return;
    Object.assign(this, { values: main.values, names: main.names, judged: main.judged });
    this.sums.replaceChildren(...main.sums);
    this.left(null);
    app.refresh();
    this.panel.querySelector(".moves [aria-current]")?.focus({ preventScroll: true });
  }

  step(where) {
    const { game } = this.app;
    if (!game) return;
    const ply = where(game);
    if (ply >= 0 && ply <= game.moves.length && ply !== game.ply) this.app.goTo(ply);
  }

  toggle() {
    settle();
    this.looking = !this.looking;
    this.look.setAttribute("aria-pressed", String(this.looking));
    if (this.looking) this.analyse();
    else {
      this.close?.();
      this.close = null;
      this.app.board.values(null);
      this.state.textContent = "";
      this.blank();
    }
  }

  /** No lines are known. */
  blank() {
    this.found = null;
    this.rows = new Map();
    // who was there comes back when there are lines again
    this.wasThere ||= this.lines.contains(document.activeElement);
    this.body.replaceChildren();
    this.lines.replaceChildren();
  }

  /** Shows the game; the result is whether its line has replaced another one. */
  show(before) {
    const { game, mode } = this.app;
    // what was known about moves that are no longer there
    const same = (move, i) => before?.moves[i]?.move === move.move;
    const isSame = !!before && before.id === game.id;
    const known = game.moves.findIndex((move, i) => !same(move, i));
    const kept = known < 0 ? game.moves.length : known;
    const replaced = isSame && kept < before.moves.length;
    const left = mode === "study" && replaced && !this.restoring;
    if (left && !this.main) {
      const { values, names, judged } = this;
      this.left({ game: before, values: [...values], names: new Map(names), judged: new Map(judged), sums: [...this.sums.children] });
    }
    if (isSame && before !== game) {
      // the sums, and a review that goes on, are those of other moves
      const isOther = replaced || kept < game.moves.length;
      if (isOther) this.pause();
      this.values.length = Math.min(this.values.length, kept + 1);
      for (const known of [this.names, this.judged]) for (const ply of known.keys()) if (ply > kept) known.delete(ply);
      if (isOther) this.sums.replaceChildren();
    }
    if (game.result) this.values[game.ply] ??= this.final(game);
    if (mode !== "study") return false;
    this.app.play.list(this.moves);
    const { colors } = game.board;
    this.whose.textContent = game.result ? "" : `Values: discs in favour of ${title(colors[game.side])}, who is to move.`;
    this.scale.textContent = `The graph: discs in favour of ${title(colors[0])}.`;
    this.drawGraph();
    this.reviewButton.disabled = game.moves.length === 0;
    this.analyse();
    return left;
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
    this.verdict.replaceChildren(...this.verdictOf(game, this.judged.get(game.ply)));
    draw(this.graph, {
      values: this.values, losses: this.names, plies: game.moves.length, current: game.ply, colors: board.colors,
      paints: [paint(board, 0), paint(board, 1)], chosen: (ply) => this.app.goTo(ply),
    });
  }

  /** What the review says of the move that led to the present place. */
  verdictOf(game, judged) {
    if (!judged) return [];
    const { side, shown: played } = game.moves[game.ply - 1];
    const { name, loss, score, best, better } = judged;
    const move = `${game.ply}. ${title(game.board.colors[side])} ${played}: `;
    if (!loss) return [move, "nothing lost."];
    const instead = better ? `; ${shown(game.board, better)} was better` : "";
    const lost = `${plural(loss, "disc")} lost (${signed(score)}, not ${signed(best)})${instead}.`;
    return [move, name ? el("strong", { class: name }, name) : "", name ? `, ${lost}` : lost];
  }

  /** Values the moves of the present position, deeper and deeper, until the position is another one. */
  analyse() {
    this.close?.();
    this.close = null;
    this.blank();
    this.app.board.values(null);
    const { game } = this.app;
    if (!game || !this.looking || this.closeReview) return;
    // the server searches one thing at a time for a game
    this.app.play.unhint();
    if (game.result) return (this.state.textContent = "The game is over.");
    this.book();
    this.state.textContent = "Searching …";
    const failed = ({ message }) => {
      // nothing is under way
      this.close = null;
      this.state.textContent = "";
      complain(message);
    };
    const heard = (kind, data) => (kind === "error" ? failed(data.error) : this.iteration(game, data));
    this.close = this.app.stream("analysis?time=120", heard, (error) => error && failed(error));
  }

  /** What the book says, until a search knows more. */
  book() {
    const { opening } = this.app.game;
    this.known = new Set(opening.moves.map(({ move }) => move));
  }

  iteration(game, data) {
    if (this.app.game !== game || this.app.mode !== "study") return;
    this.found = data;
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
    this.order(data.moves.slice(0, 8).map((line) => this.row(game, line, line.score === best)));
    if (!data.win_draw_loss) {
      this.values[game.ply] = game.side === 0 ? best : -best;
      this.drawGraph();
    }
    if (data.final) announce(`Analysis: best is ${shown(game.board, data.moves[0]?.move ?? "pass")}, ${signed(best)}, ${depth}`);
  }

  /** The row of a move, always the same one while the position is: it keeps the focus, and a press that has begun. */
  row(game, line, isBest) {
    const { move } = line;
    const button = () => el("button", { onclick: () => this.app.playMove(move) }, shown(game.board, move));
    const row = this.rows.get(move) ?? el("tr", {}, el("td", {}, button()), el("td", { class: "score" }), el("td", { class: "pv" }),
      el("td", {}, this.known?.has(move) ? el("abbr", { title: "a move of the book" }, "book") : ""));
    this.rows.set(move, row);
    row.className = isBest ? "best" : "";
    row.children[1].replaceChildren(signed(line.score), line.bound === "exact" ? el("abbr", { title: "exact" }, "!") : "");
    row.children[2].replaceChildren(line.pv.slice(1, 9).map((one) => shown(game.board, one)).join(" "));
    return row;
  }

  /** Puts the rows in order. */
  order(rows) {
    const { body } = this;
    const focused = body.contains(document.activeElement) ? document.activeElement : null;
    if (rows.length !== body.children.length || rows.some((row, i) => row !== body.children[i])) {
      body.replaceChildren(...rows);
      focused?.focus({ preventScroll: true });
    }
    if (this.table.parentNode !== this.lines) this.lines.replaceChildren(this.table);
    // the row is gone, or was one of the position before
    const lost = (focused && !focused.isConnected) || (this.wasThere && document.activeElement === document.body);
    this.wasThere = false;
    if (lost) rows[0]?.querySelector("button").focus({ preventScroll: true });
  }

  /** Judges the whole game; a second press ends it. */
  review() {
    const { app } = this;
    if (!app.game) return;
    if (this.closeReview) {
      this.pause();
      return this.analyse();
    }
    this.pause();
    app.play.unhint();
    settle();
    app.board.values(null);
    this.blank();
    this.state.textContent = "";
    this.names = new Map();
    this.judged = new Map();
    this.sums.replaceChildren();
    const { game } = app;
    this.reviewed = game.text;
    this.total = game.moves.filter(({ move }) => move !== "pass").length;
    let complete = false;
    this.progress.hidden = false;
    this.progress.value = 0;
    this.reviewButton.textContent = "Stop the review";
    const heard = (kind, data) => {
      if (kind === "error") return complain(data.error.message);
      if (kind === "move") this.judge(game, data);
      if (kind === "game" && data.complete) {
        complete = true;
        this.sum(game, data.summary);
        this.keepFound(data.summary);
      }
    };
    const ended = (error) => {
      // one that has been cut short is not told as the whole, nor one that has not begun as one that was cut short
      if (complete || (error && !this.judged.size)) this.closeReview = null;
      this.pause();
      if (error) return complain(error.message);
      this.drawGraph();
      app.play.list(this.moves);
      if (complete) announce("The game has been reviewed.");
      this.panel.dataset.reviewed = complete ? "yes" : "stopped";
      this.analyse();
    };
    this.panel.dataset.reviewed = "";
    this.closeReview = app.stream(`review?level=${this.level.value}`, heard, ended);
  }

  /** What there is to say of a review that was not ended. */
  stopped(total) {
    const text = `The review was stopped after ${this.judged.size} of ${total} moves; it begins at the end of the game.`;
    this.sums.replaceChildren(el("p", { class: "small", id: "review-stopped" }, text));
    return text;
  }

  judge(game, data) {
    const sign = game.moves[data.ply - 1].side === 0 ? 1 : -1;
    this.values[data.ply - 1] ??= sign * data.best;
    this.values[data.ply] = sign * data.score;
    const { name, loss, score, best } = data;
    this.judged.set(data.ply, { name, loss, score, best, better: data.alternatives[0]?.move });
    this.progress.value = this.judged.size / this.total;
    if (name) this.names.set(data.ply, name);
    this.drawGraph();
  }

  /** Writes the sums of both sides. */
  sum(game, summary) {
    const names = this.app.catalog.losses.map(({ name }) => name);
    const count = (side, name) => [...this.names].filter(([ply, its]) => its === name && game.moves[ply - 1].side === side).length;
    // a row each, which is wide enough on a phone
    const head = el("tr", {}, el("td"), summary.map((one) => el("th", { scope: "col" }, title(one.side))));
    const row = (name, value, kind) => el("tr", {}, el("th", { class: kind, scope: "row" }, name), summary.map((one, side) => el("td", {}, String(value(one, side)))));
    const rows = [...names.map((name) => row(name, (_, side) => count(side, name), name)), row("discs lost", (one) => one.discs_lost)];
    this.sums.replaceChildren(el("table", {}, el("thead", {}, head), el("tbody", {}, rows)));
  }
}
