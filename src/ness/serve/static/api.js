// Talks to the server: JSON in and out, the token where there is one, errors as messages.

import { complain } from "./dom.js";

const KEY = "ness-token";

// A token comes in the address once, after the #, which is never sent; then it is kept for this tab.
function token() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    sessionStorage.setItem(KEY, given);
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem(KEY);
}
let known = token();

async function request(method, path, body) {
  const headers = known ? { authorization: `Bearer ${known}` } : {};
  if (body !== undefined) headers["content-type"] = "application/json";
  const reply = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  if (reply.status === 401) {
    const asked = prompt("This server asks for a token:");
    if (asked) {
      sessionStorage.setItem(KEY, asked);
      known = asked;
      return request(method, path, body);
    }
  }
  return reply;
}

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export async function call(method, path, body) {
  let reply;
  try {
    reply = await request(method, path, body);
  } catch {
    throw new Refused(0, "The server does not answer; is it still running?");
  }
  if (reply.ok) return reply;
  const problem = await reply.json().catch(() => ({}));
  throw new Refused(reply.status, problem.error ?? `the server answered ${reply.status}`);
}

export async function json(method, path, body) {
  return (await call(method, path, body)).json();
}

// Ask again and again: a reply counts, unless there was a newer question meanwhile; then it is undefined.
export function newest(action) {
  let last = 0;
  return async (...given) => {
    const mine = (last += 1);
    const reply = await attempt(() => action(...given));
    return mine === last ? reply : undefined;
  };
}

// Run something that may be refused; the reason is shown, and the result is then undefined.
export async function attempt(action) {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    complain(error.message);
    return undefined;
  }
}
