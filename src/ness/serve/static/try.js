// Try: an input, the answer and how sure it is; a wrong answer becomes an example, and what changed is told.

import { attempt, call, json, newest } from "./api.js";
import { chips, element, find } from "./dom.js";
import { isNew, lesson, listen, send } from "./lesson.js";
import { flush } from "./examples.js";
import { cutSource } from "./spelling.js";

const ENGINES = { rules: "By rules", controller: "By the network" };
let tried = ""; // the input whose answer is shown
let wanted = ""; // the last one asked for

const model = () => find("model").value || "lesson";
const teaches = () => lesson !== null && model() === "lesson";

function drawAnswer(answer, several) {
  const output = answer.output === null ? element("span", { class: "none", text: "no answer" }) : chips(answer.tokens ?? answer.output, "phrase");
  const [first, ...rest] = answer.words.split(": ");
  const sure = element("p", { class: `sure ${answer.kind}` }, element("b", { text: first }), rest.length ? `: ${rest.join(": ")}` : "");
  return element("div", { class: "answer" }, several ? element("h3", { text: ENGINES[answer.engine] ?? answer.engine }) : null, element("p", { class: "output" }, output), sure);
}

// A model that is only served has its support as a number.
function inWords({ output, support, error }) {
  if (error) return { output, kind: "refused", words: `refused: ${error}` };
  if (!support) return { output, kind: "extrapolated", words: "extrapolated: no example shows this" };
  return { output, kind: "follows", words: `follows ${support} ${support === 1 ? "example" : "examples"}` };
}

const answersTo = newest(async (input) => {
  if (teaches()) return (await json("POST", "/v1/lesson/try", { input })).answers;
  const { outputs } = await json("POST", "/v1/translate", { inputs: [input], model: model() });
  return outputs.map(inWords);
});

async function translate(input, quiet = false) {
  wanted = input;
  const answers = await answersTo(input);
  if (!answers) {
    if (wanted === input) wanted = tried; // it was refused
    return;
  }
  tried = wanted = input;
  find("answers").replaceChildren(
    element("p", { class: "asked" }, chips(teaches() ? cutSource(input) : input, "word")),
    ...answers.map((answer) => drawAnswer(answer, answers.length > 1)),
  );
  find("answer-tools").hidden = false;
  find("wrong").hidden = !teaches();
  if (!quiet) {
    find("correct-form").hidden = true;
    find("changes").replaceChildren();
  }
}

async function teachRight(event) {
  event.preventDefault();
  const target = find("correct").value;
  if (!target.trim()) return;
  await flush();
  if (await send("POST", "/v1/lesson/examples", { source: tried, target })) {
    find("correct-form").hidden = true;
    find("correct").value = "";
    find("input").focus();
  }
}

async function showSteps() {
  const page = await attempt(async () => (await call("POST", "/v1/trace/page", { input: tried, model: model() })).text());
  if (!page) return;
  find("trace-heading").textContent = `The steps of “${tried}”`;
  find("trace-frame").srcdoc = page;
  find("trace").showModal();
}

function showChanges(changes) {
  const place = find("changes");
  if (!changes.length) {
    place.replaceChildren();
    return;
  }
  const shown = changes.slice(0, 12).map(({ source, before, after }) =>
    element("li", {}, element("span", { class: "source", text: source }), element("del", { text: before ?? "no answer" }), " → ", element("ins", { text: after ?? "no answer" })),
  );
  const title = changes.length === 1 ? "1 answer changed" : `${changes.length} answers changed`;
  place.replaceChildren(element("h3", { text: title }), element("ul", {}, ...shown));
}

export function startTry(models) {
  const others = models.filter(({ name }) => name !== "lesson").map(({ name }) => name);
  const names = lesson ? ["lesson", ...others] : others;
  find("model").append(...names.map((name) => element("option", { value: name, text: name })));
  find("models").hidden = names.length < 2;
  find("model").addEventListener("change", () => { if (tried) translate(tried); });
  find("try-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    await flush();
    const input = find("input").value.trim();
    if (input) await translate(input);
  });
  find("wrong").addEventListener("click", () => {
    find("correct-form").hidden = false;
    find("correct").focus();
  });
  find("correct-form").addEventListener("submit", teachRight);
  find("steps").addEventListener("click", showSteps);
  find("close-trace").addEventListener("click", () => find("trace").close());
  listen((state, before) => {
    if (!isNew(state, before)) return;
    showChanges(state.changes);
    if (wanted && teaches()) translate(wanted, wanted === tried);
  });
}


