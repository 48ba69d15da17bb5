"use strict";
(() => {
  const games = JSON.parse(document.getElementById("games").textContent);
  const SVG = "http://www.w3.org/2000/svg";
  const make = (name, attributes, text) => {
    const node = document.createElementNS(SVG, name);
    for (const key in attributes) node.setAttribute(key, attributes[key]);
    if (text !== undefined) node.textContent = text;
    return node;
  };
  const signed = (n) => (n > 0 ? "+" + n : n < 0 ? "\u2212" + -n : "0");
  const place = (mv) => {
    const found = /^([a-p])(\d+)/.exec(mv || "");
    return found ? { column: found[1].charCodeAt(0) - 97, row: Number(found[2]) - 1 } : null;
  };

  // the board after `ply` moves, with the scores of what could be played next
  const draw = (game, ply, svg) => {
    const S = 40, F = 24, { rows, columns } = game;
    const nodes = [make("rect", { width: columns * S + 2 * F, height: rows * S + 2 * F, fill: "#173f2a" })];
    const board = ply > 0 ? game.moves[ply - 1].board : game.start;
    for (let i = 0; i < board.length; i++) {
      const x = F + (i % columns) * S, y = F + Math.floor(i / columns) * S;
      if (board[i] === "#") continue;
      nodes.push(make("rect", { x, y, width: S, height: S, fill: "#2e8b57", stroke: "#1c5c39" }));
      if (board[i] === "-") continue;
      nodes.push(make("circle", { cx: x + S / 2, cy: y + S / 2, r: 16.5, class: board[i] === "X" ? "p0" : "p1",
        stroke: "#173f2a" }));
    }
    const text = (x, y, size, content, fill) => nodes.push(make("text", { x, y: y + size * 0.35, "font-size": size, fill }, content));
    for (let c = 0; c < columns; c++)
      for (const y of [F / 2, rows * S + 1.5 * F]) text(F + (c + 0.5) * S, y, 12, String.fromCharCode(97 + c), "#e6f2ea");
    for (let r = 0; r < rows; r++)
      for (const x of [F / 2, columns * S + 1.5 * F]) text(x, F + (r + 0.5) * S, 12, String(r + 1), "#e6f2ea");
    const last = ply > 0 ? place(game.moves[ply - 1].move) : null;
    if (last) nodes.push(make("circle", { cx: F + (last.column + 0.5) * S, cy: F + (last.row + 0.5) * S, r: 4.5, class: "m" + game.moves[ply - 1].color }));
    const next = game.moves[ply];
    if (next && next.judged) {
      for (const line of [next.judged.played, ...next.judged.alternatives]) {
        const at = place(line.move);
        if (!at) continue;
        const x = F + (at.column + 0.5) * S, y = F + (at.row + 0.5) * S;
        if (line.move === next.move) nodes.push(make("circle", { cx: x, cy: y, r: 16, fill: "none", stroke: "#d8f3e3", "stroke-dasharray": "4 3" }));
        text(x, y, 14, signed(line.score), line.score === next.judged.best ? "#ffe14d" : "#d8f3e3");
      }
    }
    svg.setAttribute("viewBox", `0 0 ${columns * S + 2 * F} ${rows * S + 2 * F}`);
    svg.replaceChildren(...nodes);
  };

  const line = (label, one) => `${label}${one.move} ${signed(one.score)}: ${one.pv.join(" ")}`;
  const describe = (game, ply, said) => {
    const parts = [];
    if (ply === 0) parts.push("The start.");
    else {
      const one = game.moves[ply - 1], judged = one.judged;
      let text = `${one.ply}. ${game.players[one.color].name}: ${one.move}`;
      if (judged) text += ` ${signed(judged.score)} (${judged.exact ? "exact" : "depth " + judged.depth})`;
      if (judged && judged.loss > 0) text += `, ${judged.loss} lost` + (judged.label === "none" ? "" : `: ${judged.label}`);
      if (one.turning) text += " \u2014 turning point";
      if (one.seconds !== null) text += `, ${one.seconds.toFixed(1)} s`;
      parts.push(text);
      if (judged && judged.loss > 0 && judged.alternatives.length) parts.push(line("Better: ", judged.alternatives[0]));
      if (one.comment) parts.push(one.comment);
    }
    const next = game.moves[ply];
    if (next && next.judged) {
      const lines = [next.judged.played, ...next.judged.alternatives].sort((a, b) => b.score - a.score);
      parts.push(line("Best now: ", lines[0]));
    } else if (ply === game.moves.length) parts.push(`End: ${game.result}.`);
    said.replaceChildren(...parts.flatMap((part, i) => (i ? [document.createElement("br"), part] : [part])));
  };

  const views = games.map((game, index) => {
    const section = document.getElementById("g" + (index + 1));
    const svg = section.querySelector(".board"), said = section.querySelector(".said");
    const rows = new Map([...section.querySelectorAll("tr[data-ply]")].map((row) => [Number(row.dataset.ply), row]));
    const hits = new Map([...section.querySelectorAll(".g-hit")].map((hit) => [Number(hit.dataset.ply), hit]));
    const cursor = section.querySelector(".g-cursor"), counter = section.querySelector(".counter");
    let now = 0;
    const show = (ply, scroll) => {
      const old = rows.get(now);
      if (old) old.classList.remove("here");
      now = Math.max(0, Math.min(game.moves.length, ply));
      draw(game, now, svg);
      describe(game, now, said);
      counter.textContent = `${now} / ${game.moves.length}`;
      const hit = hits.get(now), row = rows.get(now);
      cursor.style.visibility = hit ? "visible" : "hidden";
      if (hit) {
        const x = Number(hit.getAttribute("x")) + Number(hit.getAttribute("width")) / 2;
        cursor.setAttribute("x1", x);
        cursor.setAttribute("x2", x);
      }
      if (row) {
        row.classList.add("here");
        const box = row.closest(".moves");
        if (scroll && box) box.scrollTop = row.offsetTop - box.clientHeight / 2;
      }
    };
    for (const [ply, row] of rows) row.addEventListener("click", () => show(ply, false));
    for (const [ply, hit] of hits) hit.addEventListener("click", () => show(ply, true));
    for (const jump of section.querySelectorAll("[data-jump]")) {
      jump.addEventListener("click", (event) => {
        event.preventDefault();
        show(Number(jump.dataset.jump), true);
        // on a phone it is far above the list
        svg.scrollIntoView({ block: "nearest" });
      });
    }
    for (const button of section.querySelectorAll("button[data-step]")) {
      button.addEventListener("click", () => {
        const step = button.dataset.step;
        show(step === "first" ? 0 : step === "last" ? game.moves.length : now + Number(step), true);
      });
    }
    show(game.moves.length, true);
    return { section, step: (by) => show(now + by, true), to: (ply) => show(ply < 0 ? game.moves.length : ply, true) };
  });

  // one game at a time; the address names it and, if wanted, the move: #g2.31
  let open = null;
  const index = document.getElementById("index");
  const route = () => {
    const [, number, ply] = /^#g(\d+)(?:\.(\d+))?$/.exec(location.hash) || [];
    open = views[Number(number) - 1] || (index ? null : views[0]);
    if (index) index.hidden = open !== null;
    for (const view of views) view.section.hidden = view !== open;
    if (open && ply !== undefined) open.to(Number(ply));
    if (index) window.scrollTo(0, 0);
  };
  addEventListener("hashchange", route);
  addEventListener("keydown", (event) => {
    if (!open || event.ctrlKey || event.altKey || event.metaKey) return;
    const steps = { ArrowLeft: () => open.step(-1), ArrowRight: () => open.step(1), Home: () => open.to(0), End: () => open.to(-1) };
    const step = steps[event.key];
    if (step) {
      event.preventDefault();
      step();
    }
  });
  route();
})();
