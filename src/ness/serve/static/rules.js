// Rules: what was learned, readable, with the examples behind it; a rule can be edited, pinned or forbidden.

import { attempt, json, newest } from "./api.js";
import { button, chips, element, find } from "./dom.js";
import { isNew, listen, send } from "./lesson.js";

const KINDS = [
  ["word", "Words", "What single words, or words read together, become."],
  ["CONCAT_S", "Templates", "How translated parts X, Y, Z are put together."],
  ["CONCAT_M", "Into the memory", "Parts that are kept, as M, until they are needed."],
];
const STATES = { pin: "pinned", forbid: "forbidden", replaced: "replaced by a pinned rule", learned: "" };

const place = find("rule-list");

const change = (rule, action, right = rule.right) =>
  send("POST", "/v1/lesson/rules", { action, kind: rule.kind, left: rule.left, right });
const release = ({ kind, left, right }) => send("POST", "/v1/lesson/rules/release", { kind, left, right });

function editor(rule, row) {
  const input = element("input", { "aria-label": `What ${rule.left} becomes`, autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
  input.value = rule.right;
  const form = element("form", { class: "one-line", onsubmit: async (event) => {
    event.preventDefault();
    if (await change(rule, "pin", input.value)) form.remove();
  } }, input, element("button", { text: "Pin" }), button("Back", () => { form.remove(); show(); }));
  row.append(form);
  input.focus();
}

function tools(rule, row) {
  const name = `${rule.left} becomes ${rule.right}`;
  if (rule.state === "pin" || rule.state === "forbid") return [button("Release", () => release(rule), { "aria-label": `Release: ${name}` })];
  if (rule.state === "replaced") return [];
  return [
    button("Edit", () => editor(rule, row), { "aria-label": `Edit: ${name}` }),
    button("Pin", () => change(rule, "pin"), { "aria-label": `Pin: ${name}` }),
    button("Forbid", () => change(rule, "forbid"), { "aria-label": `Forbid: ${name}` }),
  ];
}

function drawRule(rule) {
  const row = element("li", { class: `rule ${rule.state}` });
  const behind = rule.count === 1 ? "1 example" : `${rule.count} examples`;
  const more = rule.count > rule.examples.length ? [element("li", { text: `and ${rule.count - rule.examples.length} more` })] : [];
  row.append(
    element("div", { class: "head" },
      element("p", { class: "says" }, chips(rule.left || "nothing", "word"), element("span", { class: "arrow", text: " → " }), chips(rule.right, "phrase"),
        STATES[rule.state] ? element("b", { class: "by-hand", text: STATES[rule.state] }) : null),
      element("span", { class: "tools" }, ...tools(rule, row))),
    rule.words ? element("p", { class: "hint", text: `the same for: ${rule.words}` }) : "",
    rule.above ? element("p", { class: "hint", text: `where this stands before it: ${rule.above}` }) : "",
    rule.count
      ? element("details", {}, element("summary", { text: behind }), element("ul", {}, ...rule.examples.map((text) => element("li", { text })), ...more))
      : element("p", { class: "hint", text: "no example" }),
  );
  return row;
}

const HOW = "Each can be edited, pinned (kept as it is) or forbidden. Where a part begins and ends follows from the examples alone.";

function draw({ categories, rules }) {
  const parts = [element("p", { class: "hint", text: HOW })];
  if (categories.length) {
    const groups = categories.map((words) => element("li", {}, chips(words.join(" "), "word")));
    parts.push(element("h3", { text: "Words that behave alike" }), element("ul", { class: "categories" }, ...groups));
  }
  for (const [kind, title, meaning] of KINDS) {
    const found = rules.filter((rule) => rule.kind === kind);
    if (found.length) parts.push(element("h3", { text: title }), element("p", { class: "hint", text: meaning }), element("ul", { class: "rule-list" }, ...found.map(drawRule)));
  }
  place.replaceChildren(...parts);
  const words = rules.filter(({ kind, left }) => kind === "word" && left && !left.includes(" ")).map(({ left }) => left);
  find("word-like").replaceChildren(...[...new Set(words)].map((word) => element("option", { text: word })));
  find("word-form").hidden = !words.length;
}

const read = newest(() => json("GET", "/v1/lesson/rules"));

async function show() {
  const reply = await read();
  if (reply && !place.querySelector("form")) draw(reply); // what is being edited stays
}

export function startRules() {
  find("word-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const [left, right, like] = ["left", "right", "like"].map((name) => find(`word-${name}`));
    const body = { action: "pin", kind: "word", left: left.value, right: right.value, like: like.value };
    if (await send("POST", "/v1/lesson/rules", body)) left.value = right.value = "";
  });
  listen((state, before) => {
    if (isNew(state, before)) show();
    if (!state.model) {
      place.replaceChildren(element("p", { class: "hint", text: "What was learned will be shown here." }));
      find("word-form").hidden = true;
    }
  });
}

export async function showServedRules(model) {
  const reply = await attempt(() => json("GET", `/v1/rules?model=${encodeURIComponent(model)}`));
  if (reply) place.replaceChildren(element("pre", { text: reply.text, tabindex: "0" }));
}
