// How texts are cut into tokens, as the server cuts them; and the choice of it.

import { find } from "./dom.js";
import { listen, send } from "./lesson.js";

const CHARACTER = /\S(?:[\p{M}\u200d\u{1f3fb}-\u{1f3ff}]|(?<=\u200d)\S)*/gu;
const WORDY = /^[\p{L}\p{N}\p{M}_]/u;
const SPACE = "␣"; // a space among characters

let spelling = { tokens: "words", target_tokens: "words", lowercase: false };

const characters = (chunk) => chunk.match(CHARACTER) ?? [];

// Cut around marks, but not at the apostrophe in a word or the point in a number.
function words(chunk) {
  const tokens = [];
  const parts = characters(chunk);
  let inside = false;
  parts.forEach((part, place) => {
    const around = [parts[place - 1] ?? "", parts[place + 1] ?? ""];
    const links = ("'’".includes(part) && around.every((each) => /^\p{L}+$/u.test(each)))
      || (".,".includes(part) && around.every((each) => /^\p{Nd}+$/u.test(each)));
    const wordy = WORDY.test(part) || (inside && links);
    if (wordy && inside) tokens[tokens.length - 1] += part;
    else tokens.push(part);
    inside = wordy;
  });
  return tokens;
}

function cut(text, kind) {
  const chunks = text.normalize("NFC").split(/\s+/u).filter(Boolean);
  if (kind === "words") return chunks;
  if (kind === "punctuation") return chunks.flatMap(words);
  return chunks.flatMap((chunk, place) => [...(place ? [SPACE] : []), ...characters(chunk).map((each) => (each === SPACE ? SPACE + SPACE : each))]);
}

export const cutSource = (text) => cut(spelling.lowercase ? text.toLowerCase() : text, spelling.tokens);
export const cutTarget = (text) => cut(text, spelling.target_tokens);

export function startSpelling() {
  const [tokens, target, lowercase] = ["tokens", "target-tokens", "lowercase"].map(find);
  let choosing = 0; // choices that are on their way
  const choose = async () => {
    choosing += 1;
    await send("PUT", "/v1/lesson/spelling", { tokens: tokens.value, target_tokens: target.value, lowercase: lowercase.checked });
    choosing -= 1;
  };
  for (const each of [tokens, target, lowercase]) each.addEventListener("change", choose);
  listen((state) => {
    spelling = state.spelling;
    if (choosing > 1) return; // the reply to an earlier choice must not undo a later one
    tokens.value = spelling.tokens;
    target.value = spelling.target_tokens;
    lowercase.checked = spelling.lowercase;
  });
}
