// Squares, colours and scores in words.

/** The name of a square as the sheet of the rules counts rows. */
export function squareName(board, row, column) {
  const number = board.rows_from_bottom ? board.rows - row : row + 1;
  return "abcdefghijklmnop"[column] + number;
}

/** Row and column of a square of the service, whose row 1 is at the top. */
export function place(square) {
  return { column: square.charCodeAt(0) - 97, row: Number(square.slice(1)) - 1 };
}

/** A move of the service as the sheet writes it. */
export function shown(board, move) {
  if (move === "pass" || !move) return "pass";
  const [square, direction] = move.split(":");
  const { row, column } = place(square);
  return squareName(board, row, column) + (direction ? ":" + direction : "");
}

const KNOWN = ["black", "white", "gold", "red", "green", "blue", "yellow", "silver", "brown", "orange", "violet", "pink"];

/** The colour in which a player's discs are drawn: by its name, or else black and white. */
export function paint(board, side) {
  if (board.rules.startsWith("hungarian") && board.colors[side].toLowerCase() === "o") return ["red", "blue"][side];
  const name = board.colors[side].toLowerCase();
  if (KNOWN.includes(name)) return name;
  const other = paintOf(board.colors[1 - side]);
  const plain = ["black", "white"][side];
  return other === plain ? ["black", "white"][1 - side] : plain;
}

const paintOf = (name) => (KNOWN.includes(name.toLowerCase()) ? name.toLowerCase() : undefined);

/** A name with a capital, but o and O stay what they are. */
export const title = (name) => (name.length > 1 ? name[0].toUpperCase() + name.slice(1) : name);

export const signed = (score) => (score > 0 ? "+" + score : score < 0 ? "\u2212" + -score : "0");

export const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

const ARROWS = { N: "↑", NE: "↗", E: "→", SE: "↘", S: "↓", SW: "↙", W: "←", NW: "↖" };
export const arrow = (direction) => ARROWS[direction] ?? "";

/** A count of nodes: 1.2 M. */
export function short(count) {
  if (count >= 1e9) return (count / 1e9).toFixed(1) + " G";
  if (count >= 1e6) return (count / 1e6).toFixed(1) + " M";
  return count >= 1e3 ? Math.round(count / 1e3) + " k" : String(count);
}

/** The result of a finished game as a sentence with a capital, but o and O stay what they are: o is not the player that O is. */
export const sentence = (text) => (text[1] === " " ? text : text[0].toUpperCase() + text.slice(1));
