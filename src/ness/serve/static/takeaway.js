// Take away: files, and a link that holds the examples and the rules by hand.

import { attempt, call } from "./api.js";
import { element, find } from "./dom.js";
import { flush } from "./examples.js";
import { lesson, listen, send } from "./lesson.js";

const say = (text) => { find("taken").textContent = text; };

async function save(name) {
  await flush();
  const content = await attempt(async () => (await call("GET", `/v1/lesson/files/${name}`)).blob());
  if (!content) return;
  const url = URL.createObjectURL(content);
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
  say(`${name} was saved.`);
}

async function squeeze(stream, bytes) {
  const squeezed = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(squeezed).arrayBuffer());
}

async function pack(data) {
  const bytes = await squeeze(new CompressionStream("deflate-raw"), new TextEncoder().encode(JSON.stringify(data)));
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(await squeeze(new DecompressionStream("deflate-raw"), bytes)));
}

// What a link holds.
function held() {
  const lines = lesson.lines.map(({ source, target }) => ({ source, target }));
  return { lines, rules: lesson.pins, spelling: lesson.spelling };
}

async function copyLink() {
  await flush();
  const link = `${location.origin}/#lesson=${await pack(held())}`;
  const shown = find("link-text");
  shown.value = link;
  shown.parentElement.hidden = false;
  try {
    await navigator.clipboard.writeText(link);
    say("The link is copied. Where this page is not running, it is opened with: ness teach 'LINK'");
  } catch {
    shown.select();
    say("Copy this link. Where this page is not running, it is opened with: ness teach 'LINK'");
  }
}

// A link's examples replace those that are here, if the person agrees: the link may come from anybody.
export async function openLink() {
  const packed = new URLSearchParams(location.hash.slice(1)).get("lesson");
  if (!packed) return;
  history.replaceState(null, "", location.pathname); // or a reload would take back what was done since
  let data;
  try {
    data = await unpack(packed);
  } catch {
    say("The link is damaged: its examples cannot be read.");
    return;
  }
  if (JSON.stringify(data) === JSON.stringify(held())) return;
  const [here, there] = [lesson.lines.length, data.lines?.length ?? 0];
  if (here && !confirm(`Shall the ${there} examples of this link replace the ${here} that are here? Undo brings them back.`)) return;
  await send("PUT", "/v1/lesson", data);
}

export function startTakeaway() {
  for (const each of document.querySelectorAll("[data-file]")) each.addEventListener("click", () => save(each.dataset.file));
  find("link").addEventListener("click", copyLink);
  find("network").addEventListener("change", (event) => send("POST", "/v1/lesson/learn", { network: event.target.checked }));
  listen((state) => {
    for (const each of document.querySelectorAll("[data-file]")) each.disabled = !state.model;
    find("network").checked = state.network;
  });
  window.addEventListener("hashchange", openLink);
}
