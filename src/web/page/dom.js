// Elements without markup in strings: what comes from texts and names is always text.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else node.setAttribute(name, value);
  }
  node.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** An HTML element. */
export const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);

/** An SVG element. */
export const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

export const $ = (id) => document.getElementById(id);

/** Says something to those who do not see it. */
export function announce(text) {
  const region = $("announce");
  // the same words twice are said twice
  region.textContent = region.textContent === text ? text + "\u00a0" : text;
}

/** A button that has nothing to do now; the keyboard stays on it, which it would leave if it were disabled. */
export function idle(button, hasNothingToDo) {
  button.setAttribute("aria-disabled", String(!!hasNothingToDo));
}

let fading;

/** An error where the person is looking; it goes with the next thing that works. */
export function complain(text) {
  clearTimeout(fading);
  const message = $("message");
  message.textContent = text;
  message.classList.remove("good");
  message.hidden = !text;
}

/** Something that went well, for a moment. */
export function tell(text) {
  complain(text);
  $("message").classList.add("good");
  fading = setTimeout(() => complain(""), 2500);
}

/** The message of an error is gone, or is one. */
export function settle() {
  complain("");
}
