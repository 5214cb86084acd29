// The lesson as the server has it; parts of the page listen to its changes.

import { attempt, json } from "./api.js";

const POLL = 300; // milliseconds while something is learned
const listeners = [];
let polling = 0;
let asked = 0; // requests so far
let taken = 0; // the request whose state is shown
let changing = 0; // changes that are on their way

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

// What was asked earlier and comes later is old: it must not replace what is newer. While a change is on its way, a
// state may be from before it or after it; the reply to the change will tell, whenever it comes.
// `read` finds the lesson in a reply; what is refused gives undefined.
export async function send(method, path, body, read = (reply) => reply) {
  const isChange = method !== "GET";
  const number = (asked += 1);
  if (isChange) changing += 1;
  const reply = await attempt(() => json(method, path, body));
  if (isChange) changing -= 1;
  if (!reply) {
    if (isChange && !changing) refresh();
    return undefined;
  }
  const state = read(reply);
  if (isChange ? number > taken || state.number > lesson.number : number > taken && !changing) {
    taken = Math.max(number, taken);
    take(state);
  }
  return reply;
}

export const refresh = () => send("GET", "/v1/lesson");

// Whether a model has just been learned, here or in another window: its answers and rules are to be read anew.
export function isNew(state, before) {
  return state.progress.state === "learned" && (before?.progress.state !== "learned" || before.number !== state.number);
}
