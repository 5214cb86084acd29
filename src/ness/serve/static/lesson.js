// The lesson as the server has it; parts of the page listen to its changes.

import { attempt, json } from "./api.js";

const POLL = 300; // milliseconds while something is learned
const listeners = [];
let polling = 0;
let asked = 0; // requests so far
let taken = 0; // the request whose state is shown

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

// What was asked earlier and comes later is old: it must not replace what is newer.
async function ask(method, path, body) {
  const number = (asked += 1);
  const state = await attempt(() => json(method, path, body));
  if (state && number > taken) {
    taken = number;
    take(state);
  }
  return state !== undefined;
}

export const refresh = () => ask("GET", "/v1/lesson");
export const send = ask;

// Whether a model has just been learned: its answers and rules are to be read anew.
export function isNew(state, before) {
  return state.progress.state === "learned" && (!before || before.progress.state === "learning");
}
