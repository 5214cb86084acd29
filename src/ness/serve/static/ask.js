// Ask me: one question at a time, with answers to choose from; each answer becomes an example.

import { attempt, json, newest } from "./api.js";
import { button, chips, element, find } from "./dom.js";
import { isNew, lesson, listen, send } from "./lesson.js";
import { flush } from "./examples.js";
import { cutSource, cutTarget } from "./spelling.js";

const place = find("question");
let hadFocus = false;

const say = (text) => place.replaceChildren(element("p", { class: "hint", text }));

// What was asked before something is learned may be no question afterwards, and its first answer another one.
function withdraw() {
  hadFocus ||= place.contains(document.activeElement);
  say("Learning…");
}

async function answer(source, target) {
  if (!target.trim()) return;
  await flush();
  withdraw(); // first: what is learned quickly is asked about before the reply is here
  if (!(await send("POST", "/v1/lesson/examples", { source, target }))) await ask();
}

async function skip(source) {
  hadFocus = true;
  await attempt(() => json("POST", "/v1/lesson/skip", { input: source }));
  await ask();
}

function draw({ source, reason, candidates }) {
  const other = element("input", { id: "other-answer", autocomplete: "off", autocapitalize: "off", spellcheck: "false", placeholder: "Another output" });
  const form = element(
    "form",
    { class: "one-line", onsubmit: (event) => { event.preventDefault(); answer(source, other.value); } },
    element("label", { class: "sr", for: "other-answer", text: "Another output" }), other, element("button", { text: "Teach it" }),
  );
  const choices = candidates.map((text) =>
    element("button", { type: "button", class: "choice", "aria-label": `It is ${text}`, onclick: () => answer(source, text) }, chips(cutTarget(text), "phrase")));
  const keepFocus = hadFocus || place.contains(document.activeElement); // also where a question is drawn twice
  place.replaceChildren(
    element("p", { text: "What should come out of this?" }),
    element("p", { class: "asked-about" }, chips(cutSource(source), "word")),
    element("div", { class: "choices", role: "group", "aria-label": `Answers to choose from for ${source}` }, ...choices),
    form,
    element("p", { class: "hint", text: `Why: ${reason}.` }),
    element("div", { class: "tools" }, button("Skip: this makes no sense", () => skip(source))),
  );
  if (keepFocus) (choices[0] ?? other).focus();
  hadFocus = false;
}

const questions = newest(() => json("GET", "/v1/lesson/questions?n=1"));

async function ask() {
  const reply = await questions();
  if (!reply || lesson.progress.state === "learning") return;
  if (reply.questions.length) draw(reply.questions[0]);
  else say("Nothing is left to ask: the rules answer every input made of parts of the examples as examples show.");
}

export function startAsk() {
  listen((state, before) => {
    const changed = before?.progress.state !== state.progress.state;
    if (!state.model) say("When something is learned, the inputs that would teach most are asked here.");
    else if (state.progress.state === "learning" && changed) withdraw();
    else if (isNew(state, before) || changed) ask(); // also where learning was stopped: the model from before asks again
  });
}
