// The lesson as the server has it; parts of the page listen to its changes.

import { attempt, json } from "./api.js";

const POLL = 300; // milliseconds while something is learned
const listeners = [];
let polling = 0;

export let lesson = null;

export function listen(listener) {
  listeners.push(listener);
}

export function take(state) {
  const before = lesson;
  lesson = state;
  for (const listener of listeners) listener(state, before);
  clearTimeout(polling);
  if (state.progress.state === "learning") polling = setTimeout(refresh, POLL);
}

export async function refresh() {
  const state = await attempt(() => json("GET", "/v1/lesson"));
  if (state) take(state);
}

export async function send(method, path, body) {
  const state = await attempt(() => json(method, path, body));
  if (state) take(state);
  return state !== undefined;
}

// Whether a model has just been learned: its answers and rules are to be read anew.
export function isNew(state, before) {
  return state.progress.state === "learned" && (!before || before.progress.state === "learning");
}
