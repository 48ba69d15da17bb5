// Shows the description of the service that programs read.

import * as api from "./api.js";
import { $, el } from "./dom.js";
import { keptTheme } from "./kept.js";

document.documentElement.dataset.theme = keptTheme();

const nameOf = (reference) => reference.split("/").pop();

/** A type as a word, with a link where it is described below. */
function type(schema) {
  if (!schema) return "";
  if (schema.$ref) return el("a", { href: "#" + nameOf(schema.$ref) }, nameOf(schema.$ref));
  if (schema.type === "array" || schema.type?.includes?.("array")) return ["list of ", type(schema.items)];
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(" or ");
  const either = schema.oneOf ?? schema.anyOf;
  if (either) return either.map((one, i) => [i ? " or " : "", type(one)]);
  return [schema.type ?? "any"].flat().join(" or ");
}

function fields(schema) {
  const parts = schema.allOf ?? [schema];
  const rows = parts.flatMap((part) => {
    if (part.$ref) return [el("tr", {}, el("td", { colspan: 3 }, "all of ", type(part)))];
    return Object.entries(part.properties ?? {}).map(([name, field]) =>
      el("tr", {}, el("td", {}, el("code", {}, name), part.required?.includes(name) ? "" : " (optional)"), el("td", {}, type(field)),
        el("td", {}, field.description ?? "")));
  });
  if (!rows.length) return el("p", {}, type(schema));
  return el("table", {}, el("tbody", {}, rows));
}

function operation(path, method, { summary, description, parameters, requestBody, responses }) {
  const rows = (parameters ?? []).map((one) =>
    el("tr", {}, el("td", {}, el("code", {}, one.name), one.required ? "" : " (optional)"), el("td", {}, type(one.schema)),
      el("td", {}, one.description ?? (one.in === "path" ? "name of the session" : ""))));
  const answer = responses["200"]?.content ?? {};
  const [kind] = Object.keys(answer);
  const problems = Object.keys(responses).filter((status) => status !== "200").map((status) => el("code", { title: responses[status].description }, status, " "));
  return el("section", { class: "card" },
    el("h2", {}, el("code", { class: "method" }, method.toUpperCase()), " ", el("code", {}, path)),
    el("p", {}, [summary, description].filter(Boolean).join(" ")),
    rows.length ? el("table", {}, el("tbody", {}, rows)) : null,
    requestBody ? el("p", {}, "Body: ", type(Object.values(requestBody.content)[0].schema), requestBody.required ? "" : " (optional)") : null,
    kind ? el("p", {}, "Answer: ", type(answer[kind].schema), kind === "application/json" ? "" : ` (${kind})`) : null,
    el("p", { class: "small" }, "Errors: ", problems));
}

const description = await api.get("/openapi.json");
const parts = [el("section", { class: "card" }, el("p", {}, description.info.description),
  el("pre", {}, "curl -s localhost:8094/api/v1/hint -d '{\"text\": \"f5d6c3\", \"level\": 10}'"))];
for (const [path, item] of Object.entries(description.paths)) {
  for (const [method, one] of Object.entries(item)) parts.push(operation(path, method, one));
}
parts.push(el("h1", {}, "Types"));
for (const [name, schema] of Object.entries(description.components.schemas)) {
  parts.push(el("section", { class: "card", id: name }, el("h2", {}, name), el("p", {}, schema.description ?? ""), fields(schema)));
}
$("reference").replaceChildren(...parts);
