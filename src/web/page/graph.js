// The value of the game, move by move.

import { svg } from "./dom.js";
import { plural, signed } from "./describe.js";

const WIDTH = 420;
const HEIGHT = 170;
const PAD = { left: 34, right: 10, top: 12, bottom: 20 };

/**
 * Draws the graph into `root`. `values[ply]` is the value for the first player, undefined where it is not known; `losses` has the
 * named losses by ply; `chosen(ply)` goes there.
 */
export function draw(root, { values, losses, plies, current, colors, paints, chosen }) {
  const most = Math.max(8, ...values.filter((value) => value !== undefined).map(Math.abs));
  const x = (ply) => PAD.left + (ply / Math.max(plies, 1)) * (WIDTH - PAD.left - PAD.right);
  const y = (value) => PAD.top + ((most - value) / (2 * most)) * (HEIGHT - PAD.top - PAD.bottom);
  const label = `Value of the game for ${colors[0]}, ${plural(plies, "move")}`;
  const graph = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "graph", role: "img", "aria-label": label });
  graph.dataset.first = paints[0];
  graph.dataset.second = paints[1];
  for (const [side, from, to] of [[0, most, 0], [1, 0, -most]]) {
    const at = { x: PAD.left, y: y(from), width: WIDTH - PAD.left - PAD.right, height: y(to) - y(from) };
    graph.append(svg("rect", { class: `zone s${side}`, ...at }));
  }
  for (const value of [most, Math.round(most / 2), 0, -Math.round(most / 2), -most]) {
    graph.append(svg("line", { class: value ? "grid" : "axis", x1: PAD.left, x2: WIDTH - PAD.right, y1: y(value), y2: y(value) }));
    graph.append(svg("text", { class: "tick", x: PAD.left - 6, y: y(value) + 4 }, signed(value)));
  }
  const step = [10, 20, 50].find((step) => plies <= 8 * step) ?? 100;
  for (let ply = step; ply <= plies; ply += step) {
    graph.append(svg("text", { class: "tick ply", x: x(ply), y: HEIGHT - 5 }, String(ply)));
  }
  graph.append(svg("line", { class: "now", x1: x(current), x2: x(current), y1: PAD.top, y2: HEIGHT - PAD.bottom }));
  let path = "";
  let open = false;
  for (let ply = 0; ply <= plies; ply++) {
    if (values[ply] === undefined) open = false;
    else {
      path += `${open ? "L" : "M"}${x(ply).toFixed(1)} ${y(values[ply]).toFixed(1)}`;
      open = true;
    }
  }
  graph.append(svg("path", { class: "curve", d: path }));
  for (let ply = 0; ply <= plies; ply++) {
    if (values[ply] === undefined) continue;
    const name = losses.get(ply);
    const point = svg("circle", { class: `point ${name ?? ""}`, cx: x(ply), cy: y(values[ply]), r: name ? 5.5 : 2.5 });
    const title = svg("title", {}, `${ply ? "after move " + ply : "start"}: ${signed(values[ply])}${name ? ", " + name : ""}`);
    point.append(title);
    graph.append(point);
  }
  graph.addEventListener("click", (event) => {
    const box = graph.getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width) * WIDTH;
    const ply = Math.round(((at - PAD.left) / (WIDTH - PAD.left - PAD.right)) * plies);
    chosen(Math.min(plies, Math.max(0, ply)));
  });
  root.replaceChildren(graph);
}
