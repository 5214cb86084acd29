// The table of examples: typed or pasted, sent after a pause, marked with what the server says about each line.

import { button, chips, complain, element, find } from "./dom.js";
import { lesson, listen, send } from "./lesson.js";
import { cutSource, cutTarget } from "./spelling.js";

const PAUSE = 600; // milliseconds without typing
const PAGE = 200; // lines drawn at once
const NAMES = { source: "Input", target: "Output" };

let lines = []; // { id, source, target, marks, row }; the last one is empty
let drawn = PAGE;
let drawings = 0; // for ids
let waiting = 0;
let dirty = false;

const list = find("lines");
const isBlank = (line) => !line.source.trim() && !line.target.trim();

function field(line, side) {
  const input = element("input", { autocomplete: "off", autocapitalize: "off", spellcheck: "false", class: side });
  input.value = line[side];
  input.addEventListener("input", () => {
    line[side] = input.value;
    changed();
    showTokens(line);
    if (lines.at(-1) === line && !isBlank(line)) addBlank();
  });
  input.addEventListener("focus", () => showTokens(line));
  input.addEventListener("blur", () => hideTokens(line));
  input.addEventListener("keydown", (event) => move(event, line, side));
  input.addEventListener("paste", (event) => pasteInto(event));
  return input;
}

function draw(line) {
  line.source_field = field(line, "source");
  line.target_field = field(line, "target");
  line.tokens = element("p", { class: "tokens", "aria-hidden": "true", hidden: true });
  line.remarks = element("ul", { class: "marks", id: `marks-${(drawings += 1)}` });
  for (const each of [line.source_field, line.target_field]) each.setAttribute("aria-describedby", line.remarks.id);
  line.remove = button("×", () => remove(line), { class: "remove" });
  line.row = element("li", { class: "line" }, line.source_field, element("span", { class: "arrow", text: "→", "aria-hidden": "true" }), line.target_field, line.remove, line.tokens, line.remarks);
  list.append(line.row);
}

function label() {
  lines.slice(0, drawn).forEach((line, place) => {
    if (!line.row) return;
    for (const side of ["source", "target"]) line[`${side}_field`].setAttribute("aria-label", `${NAMES[side]} ${place + 1}`);
    line.remove.setAttribute("aria-label", `Delete line ${place + 1}`);
    line.remove.hidden = line === lines.at(-1);
    for (const side of ["source", "target"]) line[`${side}_field`].placeholder = place === 0 && lines.length === 1 ? { source: "walk twice", target: "WALK WALK" }[side] : "";
  });
  const filled = lines.filter((line) => !isBlank(line)).length;
  find("count").textContent = filled ? `· ${filled} ${filled === 1 ? "line" : "lines"}` : "";
  const hidden = lines.length - drawn;
  find("more").hidden = hidden <= 0;
  find("more").textContent = `Show ${Math.min(hidden, PAGE)} more of ${hidden}`;
}

function addBlank() {
  const line = { id: null, source: "", target: "", marks: [] };
  lines.push(line);
  if (lines.length > drawn) drawn = lines.length;
  draw(line);
  label();
  return line;
}

function remove(line) {
  const place = lines.indexOf(line);
  lines.splice(place, 1);
  line.row.remove();
  label();
  lines[Math.min(place, lines.length - 1)].source_field?.focus();
  changed(0);
}

function showTokens(line) {
  line.tokens.replaceChildren(chips(cutSource(line.source), "word"), line.target.trim() ? chips(cutTarget(line.target), "phrase") : "");
  line.tokens.hidden = isBlank(line);
}

function hideTokens(line) {
  line.tokens.replaceChildren();
  line.tokens.hidden = true;
}

function showMarks(line) {
  const marks = line.marks ?? [];
  line.remarks.replaceChildren(...marks.map((mark) => element("li", { class: `mark ${mark.kind.split(" ")[0]}` }, element("b", { text: mark.kind }), ` ${mark.reason}`)));
  line.row.classList.toggle("marked", marks.length > 0);
}

// Enter and the arrows go from field to field, as in a table.
function move(event, line, side) {
  const place = lines.indexOf(line);
  const go = (other, which) => {
    const target = other?.[`${which}_field`];
    if (!target) return;
    event.preventDefault();
    target.focus();
  };
  if (event.key === "Enter" && !event.isComposing) go(side === "source" ? line : lines[place + 1] ?? addBlank(), side === "source" ? "target" : "source");
  else if (event.key === "ArrowDown") go(lines[place + 1], side);
  else if (event.key === "ArrowUp") go(lines[place - 1], side);
}

async function pasteInto(event) {
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (!/[\n\t]|^\{.*\}$/u.test(text.trim())) return;
  event.preventDefault();
  await paste(text);
}

async function paste(text) {
  await flush();
  const reply = await send("POST", "/v1/lesson/paste", { text }, (found) => found.lesson);
  if (!reply) return;
  const added = `${reply.added} ${reply.added === 1 ? "line" : "lines"} added`;
  if (reply.problems.length) complain(`${added}; ${reply.problems.slice(0, 3).join("; ")}`);
}

function changed(pause = PAUSE) {
  dirty = true;
  clearTimeout(waiting);
  waiting = setTimeout(flush, pause);
}

// Send what was typed; the lines get the numbers that the server gives them.
export async function flush() {
  clearTimeout(waiting);
  if (!dirty) return;
  dirty = false;
  const sent = lines.filter((line) => !isBlank(line));
  const body = { lines: sent.map(({ id, source, target }) => ({ id, source, target })) };
  await send("PUT", "/v1/lesson/examples", body, (state) => {
    sent.forEach((line, place) => { line.id = state.lines[place].id; });
    return state;
  });
}

function same(state) {
  const filled = lines.filter((line) => !isBlank(line));
  return filled.length === state.lines.length && state.lines.every((line, place) => filled[place].id === line.id);
}

function show(state) {
  find("undo").disabled = !state.can_undo;
  find("redo").disabled = !state.can_redo;
  if (dirty) return; // what is being typed is newer
  const marks = new Map(state.lines.map((line) => [line.id, line]));
  if (!lines.length || !same(state)) {
    lines = state.lines.map((line) => ({ ...line }));
    list.replaceChildren();
    lines.slice(0, drawn).forEach(draw);
    addBlank();
  }
  for (const line of lines) {
    const known = marks.get(line.id);
    line.marks = known?.marks ?? [];
    if (!line.row) continue;
    for (const side of ["source", "target"]) {
      const input = line[`${side}_field`];
      if (known && document.activeElement !== input && input.value !== known[side]) {
        line[side] = known[side];
        input.value = known[side];
      }
    }
    showMarks(line);
  }
  label();
}

export function startExamples() {
  listen(show);
  find("undo").addEventListener("click", async () => { await flush(); await send("POST", "/v1/lesson/undo"); });
  find("redo").addEventListener("click", () => send("POST", "/v1/lesson/redo"));
  find("more").addEventListener("click", () => {
    const from = drawn;
    drawn += PAGE;
    lines.slice(from, drawn).forEach((line) => { draw(line); showMarks(line); });
    label();
  });
  find("paste").addEventListener("click", async () => {
    const text = find("pasted").value;
    if (!text.trim()) return;
    await paste(text);
    find("pasted").value = "";
  });
  window.addEventListener("beforeunload", () => { if (dirty) flush(); });
  if (lesson) show(lesson);
}
