// The board: an SVG that is a grid to a screen reader, played by pointer or keys.

import { svg } from "./dom.js";
import { arrow, place, squareName } from "./describe.js";

const SIDE = 100;
/** Room for the coordinates, which are larger beside the small squares of large boards. */
const MARGIN = 46;
const LARGE_MARGIN = 76;
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

export class Board {
  /** `chosen(square)` is called with the square, `line(move)` with one of several lines that were offered. */
  constructor(root, { chosen, line }) {
    this.root = root;
    this.chosen = chosen;
    this.line = line;
    this.focus = null;
    this.groups = new Map();
    this.shape = "";
    this.offered = null;
    /** The square that is pointed at, be it with the keyboard. */
    this.pointed = null;
    // not on the drawing itself: Chromium stops with Tab on one that hears of the focus
    root.addEventListener("focusin", (event) => this.hover(event));
    root.addEventListener("focusout", () => this.preview(null));
  }

  /**
   * Draws a position. `cells[row][column]` has `hole`, `disc` (0 or 1), `chip` ({color, number, hidden}), `legal` (colours that
   * can be placed), `label` (what a screen reader says), `flips`.
   */
  draw(view) {
    const shape = [view.rows, view.columns, view.rows_from_bottom].join();
    this.withdraw();
    this.view = view;
    if (shape !== this.shape) this.build(shape);
    this.svg.dataset.first = view.paint[0];
    this.svg.dataset.second = view.paint[1];
    const turned = new Set(view.turned ?? []);
    for (const [square, group] of this.groups) this.cell(square, group, turned);
    // what would have been turned before is not what would be now
    this.preview(this.pointed);
    this.settleFocus();
  }

  build(shape) {
    const { rows, columns } = this.view;
    const had = this.root.contains(document.activeElement);
    this.shape = shape;
    this.groups = new Map();
    this.pointed = null;
    const isLarge = Math.max(rows, columns) > 10;
    const margin = isLarge ? LARGE_MARGIN : MARGIN;
    this.margin = margin;
    const width = columns * SIDE + 2 * margin;
    const height = rows * SIDE + 2 * margin;
    // how wide it may be follows from how high the window is
    this.root.style.setProperty("--ratio", width / height);
    this.svg = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "grid", "aria-label": "Board", class: isLarge ? "squares large" : "squares" });
    this.svg.append(gradients(), svg("rect", { class: "frame", width, height, rx: 18 }));
    this.svg.append(svg("rect", { class: "felt", x: margin, y: margin, width: columns * SIDE, height: rows * SIDE }));
    for (let column = 0; column < columns; column++) {
      for (const y of [margin / 2, height - margin / 2]) {
        const at = { x: margin + (column + 0.5) * SIDE, y, class: "coordinate", "aria-hidden": "true" };
        this.svg.append(svg("text", at, "abcdefghijklmnop"[column]));
      }
    }
    for (let row = 0; row < rows; row++) {
      const line = svg("g", { role: "row" });
      for (let column = 0; column < columns; column++) {
        const square = "abcdefghijklmnop"[column] + (row + 1);
        const at = `translate(${margin + column * SIDE} ${margin + row * SIDE})`;
        const group = svg("g", { role: "gridcell", transform: at, "data-square": square, tabindex: "-1" });
        this.groups.set(square, group);
        line.append(group);
      }
      for (const x of [margin / 2, width - margin / 2]) {
        const name = squareName(this.view, row, 0).slice(1);
        const at = { x, y: margin + (row + 0.5) * SIDE, class: "coordinate", "aria-hidden": "true" };
        line.append(svg("text", at, name));
      }
      this.svg.append(line);
    }
    this.stars(rows, columns);
    this.overlay = svg("g", { class: "overlay" });
    this.svg.append(this.overlay);
    this.root.replaceChildren(this.svg);
    this.svg.addEventListener("click", (event) => this.click(event));
    this.svg.addEventListener("keydown", (event) => this.key(event));
    this.svg.addEventListener("pointerover", (event) => this.hover(event));
    this.svg.addEventListener("pointerleave", () => this.preview(null));
    if (had) this.takeFocus();
  }

  /** The four small marks that boards have. */
  stars(rows, columns) {
    if (rows < 8 || columns < 8) return;
    const { margin } = this;
    for (const row of [2, rows - 2]) {
      for (const column of [2, columns - 2]) {
        const at = { cx: margin + column * SIDE, cy: margin + row * SIDE, r: 7, class: "star", "aria-hidden": "true" };
        this.svg.append(svg("circle", at));
      }
    }
  }

  at(square) {
    return this.view.cells[Number(square.slice(1)) - 1][square.charCodeAt(0) - 97];
  }

  cell(square, group, turned) {
    const cell = this.at(square);
    const parts = [];
    group.classList.toggle("hole", !!cell.hole);
    group.classList.toggle("legal", !!cell.legal);
    group.classList.toggle("last", this.view.last === square);
    group.classList.remove("hinted");
    group.removeAttribute("data-loss");
    group.setAttribute("aria-label", cell.label);
    if (cell.hole) {
      group.replaceChildren(svg("rect", { class: "no-square", width: SIDE, height: SIDE }), ring());
      return;
    }
    parts.push(svg("rect", { class: "square", width: SIDE, height: SIDE }));
    if (cell.disc !== undefined) parts.push(disc(cell.disc, turned.has(square), this.view.last === square));
    if (cell.chip) parts.push(chip(cell.chip));
    if (cell.legal) {
      const [one, both] = [cell.legal.length === 1 ? cell.legal[0] : null, cell.legal.length > 1];
      parts.push(svg("circle", { class: both ? "dot both" : `dot c${one}`, cx: 50, cy: 50, r: 10 }));
    }
    if (this.view.last === square) parts.push(svg("circle", { class: "mark", cx: 50, cy: 50, r: 9 }));
    parts.push(svg("text", { class: "value", x: 50, y: 52, "aria-hidden": "true" }));
    parts.push(ring());
    group.replaceChildren(...parts);
  }

  /** Writes values on squares: `{square: {text, loss, exact, best, label}}`. */
  values(values) {
    for (const [square, group] of this.groups) {
      const node = group.querySelector(".value");
      if (!node) continue;
      const value = values?.[square];
      group.classList.toggle("valued", !!value);
      group.classList.toggle("best", !!value?.best);
      group.classList.toggle("exact", !!value?.exact);
      if (value) group.dataset.loss = Math.min(value.loss, 9);
      else delete group.dataset.loss;
      node.textContent = value?.text ?? "";
      group.setAttribute("aria-label", this.at(square).label + (value ? ", " + value.label : ""));
    }
  }

  /** Points at a square: a hint. */
  point(square) {
    for (const [name, group] of this.groups) group.classList.toggle("hinted", name === square);
  }

  /** Shakes a square on which nothing can be placed. */
  refuse(square) {
    const group = this.groups.get(square);
    if (!group) return;
    group.classList.remove("refused");
    void group.getBoundingClientRect();
    group.classList.add("refused");
  }

  /** Shows several lines of which one is to be chosen: `[{move, direction, flips}]`. */
  offer(square, choices) {
    this.withdraw();
    this.offered = { square, choices };
    const { margin } = this;
    const center = (name) => {
      const column = name.charCodeAt(0) - 97;
      return [margin + (column + 0.5) * SIDE, margin + (Number(name.slice(1)) - 0.5) * SIDE];
    };
    this.groups.get(square)?.classList.add("offering");
    for (const choice of choices) {
      const [x, y] = center(square);
      const [endX, endY] = center(choice.flips[choice.flips.length - 1]);
      const far = furthest(square, choice.flips);
      const [farX, farY] = far ? center(far) : [endX, endY];
      const line = svg("g", { class: "choice", "data-move": choice.move, role: "button", tabindex: "0" });
      const turned = choice.flips.map((name) => squareName(this.view, place(name).row, place(name).column));
      line.setAttribute("aria-label", `turn the line towards ${choice.direction}: ${turned.join(", ")}`);
      line.append(svg("line", { class: "beam", x1: x, y1: y, x2: farX, y2: farY }));
      for (const name of choice.flips) {
        const [cx, cy] = center(name);
        line.append(svg("circle", { class: "target", cx, cy, r: 44 }));
      }
      const [labelX, labelY] = center(choice.flips.reduce((a, b) => (near(square, a) <= near(square, b) ? a : b)));
      line.append(svg("text", { class: "arrow", x: labelX, y: labelY + 4 }, arrow(choice.direction)));
      this.overlay.append(line);
    }
    this.overlay.querySelector(".choice")?.focus();
  }

  /** No line is to be chosen any more; the keyboard goes back to the square. */
  withdraw() {
    if (!this.offered) return;
    const { square } = this.offered;
    const focused = this.overlay.contains(document.activeElement);
    this.groups.get(square)?.classList.remove("offering");
    this.offered = null;
    this.overlay.replaceChildren();
    if (focused) this.moveTo(square, true);
  }

  /** The keyboard goes to the square that Tab comes to. */
  takeFocus() {
    this.root.querySelector(".squares [tabindex='0']")?.focus();
  }

  click(event) {
    const choice = event.target.closest("[data-move]");
    if (choice) return this.line(choice.dataset.move);
    const group = event.target.closest("[data-square]");
    if (!group) return;
    // the first click of a double one has done what there was to do
    const again = event.detail > 1 && group.dataset.square === this.focus;
    if (again && (this.offered || !this.at(group.dataset.square).legal)) return;
    if (this.offered) {
      const { square } = this.offered;
      this.withdraw();
      // the square itself gives the choice up
      if (group.dataset.square === square) return;
    }
    this.moveTo(group.dataset.square, false);
    if (!this.at(group.dataset.square).hole) this.chosen(group.dataset.square);
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const plays = event.key === "Enter" || event.key === " ";
    // one that is held plays once
    if (plays && event.repeat) return event.preventDefault();
    const choice = event.target.closest("[data-move]");
    if (choice) return this.choiceKey(event, choice);
    const group = event.target.closest("[data-square]");
    if (!group) return;
    const { rows, columns } = this.view;
    let [row, column] = [Number(group.dataset.square.slice(1)) - 1, group.dataset.square.charCodeAt(0) - 97];
    if (STEPS[event.key]) {
      row += STEPS[event.key][0];
      column += STEPS[event.key][1];
    } else if (event.key === "Home") column = 0;
    else if (event.key === "End") column = columns - 1;
    else if (event.key === "PageUp") row = 0;
    else if (event.key === "PageDown") row = rows - 1;
    else if (plays) {
      event.preventDefault();
      if (!this.at(group.dataset.square).hole) this.chosen(group.dataset.square);
      return;
    } else return;
    event.preventDefault();
    if (row < 0 || column < 0 || row >= rows || column >= columns) return;
    this.moveTo("abcdefghijklmnop"[column] + (row + 1), true);
  }

  choiceKey(event, choice) {
    const all = [...this.overlay.querySelectorAll(".choice")];
    const at = all.indexOf(choice);
    if (event.key === "Enter" || event.key === " ") this.line(choice.dataset.move);
    else if (event.key === "Escape") this.withdraw();
    else if (event.key === "ArrowRight" || event.key === "ArrowDown") all[(at + 1) % all.length].focus();
    else if (event.key === "ArrowLeft" || event.key === "ArrowUp") all[(at + all.length - 1) % all.length].focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  moveTo(square, focus) {
    this.groups.get(this.focus)?.setAttribute("tabindex", "-1");
    this.focus = square;
    const group = this.groups.get(square);
    group.setAttribute("tabindex", "0");
    if (focus) group.focus({ preventScroll: true });
  }

  /** One square can be reached with Tab: where the person was, or the first legal one. */
  settleFocus() {
    const legal = [...this.groups.keys()].find((square) => this.at(square).legal);
    const keep = this.groups.has(this.focus) ? this.focus : null;
    const first = keep ?? legal ?? this.groups.keys().next().value;
    for (const [square, group] of this.groups) group.setAttribute("tabindex", square === first ? "0" : "-1");
    this.focus = first;
  }

  hover(event) {
    const group = event.target.closest?.("[data-square]");
    this.preview(group?.dataset.square ?? null);
  }

  /** Shows what a move would turn. */
  preview(square) {
    this.pointed = square;
    const flips = new Set((square && this.at(square)?.flips) || []);
    for (const [name, group] of this.groups) group.classList.toggle("would", flips.has(name));
  }
}

const near = (a, b) =>
  Math.max(Math.abs(a.charCodeAt(0) - b.charCodeAt(0)), Math.abs(Number(a.slice(1)) - Number(b.slice(1))));

const furthest = (square, flips) => flips.reduce((a, b) => (near(square, a) >= near(square, b) ? a : b), flips[0]);

function gradients() {
  const gradient = (name) =>
    svg("radialGradient", { id: name, cx: "38%", cy: "32%", r: "75%" },
      svg("stop", { offset: "0%", class: name + "-light" }), svg("stop", { offset: "100%", class: name + "-dark" }));
  return svg("defs", {}, gradient("d0"), gradient("d1"));
}

/** Where the keyboard is, and other frames of a square. */
const ring = () => svg("rect", { class: "ring", x: 4, y: 4, width: SIDE - 8, height: SIDE - 8, rx: 8 });

function disc(side, turned, placed) {
  const kind = turned ? "turned" : placed ? "placed" : "";
  return svg("g", { class: `disc s${side} ${kind}` },
    svg("ellipse", { class: "shadow", cx: 52, cy: 55, rx: 41, ry: 40 }),
    svg("circle", { class: "body", cx: 50, cy: 50, r: 41 }),
    svg("circle", { class: "rim", cx: 50, cy: 50, r: 33 }));
}

function chip({ color, number, hidden }) {
  const parts = [svg("rect", { class: "body", x: 16, y: 16, width: 68, height: 68, rx: 12 })];
  if (!hidden && number) parts.push(svg("text", { x: 50, y: 53 }, String(number)));
  if (hidden) parts.push(svg("text", { x: 50, y: 53 }, "?"));
  return svg("g", { class: hidden ? "chip hidden" : `chip s${color}` }, parts);
}
