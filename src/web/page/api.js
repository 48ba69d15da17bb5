// The service under /api/v1.

/** What the service refuses, with the place in a text where it knows one. */
export class Problem extends Error {
  constructor(status, { message, line, column } = {}) {
    super(message ?? `the server answered ${status}`);
    Object.assign(this, { status, line, column });
  }
}

/** What there is to say when fetching has failed, be it half-way; whoever has ended it knows. */
function failure(error) {
  if (error instanceof Problem || error.name === "AbortError") return error;
  return new Problem(0, { message: "the server does not answer: is outflank web still running?" });
}

async function request(method, path, body, signal) {
  let response;
  try {
    response = await fetch("/api/v1" + path, {
      method,
      signal,
      headers: body === undefined ? {} : { "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    throw failure(error);
  }
  if (!response.ok) {
    const answer = await response.json().catch(() => ({}));
    throw new Problem(response.status, answer.error);
  }
  return response;
}

export const get = async (path) => (await request("GET", path)).json();
export const text = async (path) => (await request("GET", path)).text();
export const post = async (path, body = {}, signal) => (await request("POST", path, body, signal)).json();

/** Server-sent events of a request: `heard(kind, data)` for each. Returns what closes it; the server stops searching then. */
export function stream(path, heard, ended = () => {}) {
  const control = new AbortController();
  (async () => {
    const response = await request("GET", path, undefined, control.signal);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read().catch((error) => Promise.reject(failure(error)));
      if (done) break;
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop();
      for (const block of blocks) {
        const match = block.match(/^event: (\w+)\ndata: (.*)$/s);
        if (match && !control.signal.aborted) heard(match[1], JSON.parse(match[2]));
      }
    }
    if (!control.signal.aborted) ended();
  })().catch((error) => {
    if (error.name !== "AbortError" && !control.signal.aborted) ended(error);
  });
  return () => control.abort();
}
