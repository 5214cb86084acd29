"use strict";
(() => {
  const traces = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const MAX_TOKENS = 16; // of a phrase; a longer one loses its middle until it is unfolded
  const MAX_FRAMES = 5; // drawn; deeper ones are counted
  const READ_SHOWN = 6;
  const AHEAD_SHOWN = 18;
  const LISTED = 80; // program lines either side of the current one
  const PLAY_MS = 1000;
  const LEVELS = {
    status: "Seen in training exactly so",
    category: "Seen in training with other words of the same categories",
    imagined: "Never seen in training; as if a part that was seen elsewhere stood here",
    outline: "Never seen in training; extrapolated from places that look alike",
    nearest: "Never seen in training; extrapolated from the next word and the nearest one below the top frame",
    next: "Never seen in training; extrapolated from the next word, the top frame and the memory",
    frame: "Never seen in training; extrapolated from the top frame and the memory",
    network: "Decided by the network",
  };
  const WHOLE = 2000; // tokens of an output that are shown at once at the end
  let trace = null;
  let steps = []; // of the trace, and the moment at which it stopped, if it did
  let current = 0;
  let wholeOutput = null; // whether the output is shown as a whole
  let timer = null;

  // Every text goes through textContent: words of the data can never become markup.
  const make = (tag, className, text) => {
    const node = document.createElement(tag);
    if (className) node.className = className;
    if (text !== undefined) node.textContent = text;
    return node;
  };
  const plural = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
  const percent = (share) => (share > 0 && share < 0.001 ? "< 0.1%" : `${Math.round(share * 1000) / 10}%`);
  const abbreviate = (tokens, limit = MAX_TOKENS) =>
    tokens.length <= limit
      ? tokens.join(" ")
      : `${tokens.slice(0, Math.ceil(limit / 2)).join(" ")} … ${tokens.slice(-Math.floor(limit / 3)).join(" ")}`;
  // Begin and end of the input, where a model reads them as words: never typed by anyone.
  const BOUNDARIES = { "‹begin›": "the beginning of the input", "‹end›": "the end of the input" };
  // A token beside positions: quoted where it could be mistaken for one, as in the text of a program.
  const quoted = (token) => (/^[\d,]*$/.test(token) || /[\s;"]/.test(token) ? JSON.stringify(token) : token);
  const speak = (item) => (item.word !== undefined ? `word ${item.word}` : `phrase ${abbreviate(item.phrase)}`);
  const speakAll = (items) => (items.length ? items.map(speak).join(", ") : "empty");

  function foldable(tokens, noun = "token", whole = false) {
    const text = make("span");
    if (tokens.length <= (whole ? WHOLE : MAX_TOKENS)) {
      text.textContent = tokens.join(" ");
      return text;
    }
    const shown = make("span", "", abbreviate(tokens));
    const button = make("button", "unfold", plural(tokens.length, noun));
    button.type = "button";
    button.title = tokens.slice(0, 400).join(" ") + (tokens.length > 400 ? " …" : "");
    button.setAttribute("aria-expanded", "false");
    button.addEventListener("click", () => {
      const open = button.getAttribute("aria-expanded") === "false";
      button.setAttribute("aria-expanded", String(open));
      button.textContent = open ? "show less" : plural(tokens.length, noun);
      shown.textContent = open ? tokens.join(" ") : abbreviate(tokens);
    });
    text.append(shown, " ", button);
    return text;
  }

  function drawItem(item, number, whole) {
    const isWord = item.word !== undefined;
    const node = make("span", `item ${isWord ? "word" : "phrase"}`);
    if (number !== undefined) node.append(make("span", "sr", "item "), make("span", "number", String(number)));
    node.append(make("span", "sr", isWord ? " word " : " phrase "));
    node.append(isWord ? make("span", "", item.word === "" ? "(empty)" : item.word) : foldable(item.phrase, "token", whole));
    if (item.kind) node.append(make("span", "sr", ", of kind "), make("span", "kind", String(item.kind)));
    return node;
  }

  const isConcat = (step) => step.operator === "CONCAT_M" || step.operator === "CONCAT_S";
  const top = (step) => step.stack[step.stack.length - 1];
  const candidates = (step) => top(step).concat(step.memory);

  function drawQueue(step) {
    const nodes = [];
    const from = Math.max(0, step.position - READ_SHOWN);
    const to = Math.min(trace.source.length, step.position + AHEAD_SHOWN);
    if (from) nodes.push(make("span", "more", `… ${from.toLocaleString("en")} read`));
    for (let index = from; index < to; index += 1) {
      const node = make("span", "item word");
      if (index < step.position) {
        node.classList.add("read");
        node.append(make("span", "sr", "read: "));
      } else if (index === step.position && step.operator === "SHIFT") node.classList.add("next");
      node.append(make("span", "", trace.source[index] || "(empty)"));
      nodes.push(node);
    }
    if (to < trace.source.length) nodes.push(make("span", "more", `… ${plural(trace.source.length - to, "more word")}`));
    if (step.position === trace.source.length) nodes.push(make("span", "nothing", "all read"));
    at("queue").replaceChildren(...nodes);
  }

  function drawStack(step, before) {
    const depth = step.stack.length;
    at("depth").textContent = depth > 1 ? `· ${depth} frames, the innermost is the top` : "";
    const hidden = Math.max(0, depth - MAX_FRAMES);
    const active = top(step);
    let inner = null;
    for (let level = depth - 1; level >= hidden; level -= 1) {
      const frame = make("div", "frame");
      const isTop = level === depth - 1;
      frame.setAttribute("role", "group");
      frame.setAttribute("aria-label", isTop ? "Top frame" : `Frame ${level + 1} of ${depth}`);
      step.stack[level].forEach((item, index) => {
        const selectable = item.phrase || (step.own && step.own[index]);
        const node = drawItem(item, isTop && isConcat(step) && selectable ? index : undefined, step.operator === "FINAL");
        if (isTop && touches(step, index)) node.classList.add("touched");
        if (isTop && isNew(item, index, before)) node.classList.add("enter");
        frame.append(node);
      });
      if (isTop) {
        frame.classList.add("active");
        if (!active.length) frame.append(make("span", "nothing", "empty"));
        if (["PUSH", "SHIFT", "REDUCE", "POP"].includes(step.operator)) frame.classList.add("touched-frame");
      }
      if (inner) frame.append(inner);
      inner = frame;
    }
    if (hidden) {
      const frame = make("div", "frame");
      frame.append(make("span", "more", `… ${plural(hidden, "frame")} below`), inner);
      inner = frame;
    }
    at("stack").replaceChildren(inner);
  }

  const touches = (step, index) => {
    if (isConcat(step)) return step.argument.includes(index);
    return ["REDUCE", "POP", "FINAL"].includes(step.operator);
  };
  const same = (one, other) =>
    one.word !== undefined ? one.word === other.word : !!other.phrase && one.phrase.join("\u0000") === other.phrase.join("\u0000");
  const isNew = (item, index, before) => !!before && !(top(before)[index] && same(item, top(before)[index]));

  function drawMemory(step, before) {
    const nodes = step.memory.map((item, index) => {
      const number = top(step).length + index;
      const node = drawItem(item, isConcat(step) ? number : undefined);
      if (isConcat(step) && step.argument.includes(number)) node.classList.add("touched");
      if (before && !(before.memory[index] && same(item, before.memory[index]))) node.classList.add("enter");
      return node;
    });
    at("memory").replaceChildren(...(nodes.length ? nodes : [make("span", "nothing", "empty")]));
  }

  const read = (word) => (Object.hasOwn(BOUNDARIES, word) ? BOUNDARIES[word] : `“${word}”`);

  function effect(step) {
    const words = top(step).map((item) => item.word);
    const shown = (item) => (item ? abbreviate(item.phrase || [item.word], 6) : "?");
    const placed = (item, own) => (own ? `${abbreviate(own, 6)} (for ${item.word})` : shown(item));
    const joined = () =>
      step.argument
        .map((part) => (typeof part === "string" ? `“${part}”` : placed(candidates(step)[part], step.own && step.own[part])))
        .join(" + ");
    switch (step.operator) {
      case "SHIFT":
        return step.position < trace.source.length ? `Reads ${read(trace.source[step.position])} onto the top frame.` : "Reads on.";
      case "REDUCE":
        return words.length
          ? `Replaces “${words.join(" ")}” by ${abbreviate(step.argument || [])}.`
          : `Writes ${abbreviate(step.argument || [])} into the empty top frame.`;
      case "PUSH":
        return "Opens an empty frame.";
      case "POP":
        return "Closes the top frame; its phrase goes to the end of the frame below.";
      case "CONCAT_M":
        return `Joins ${joined()} and keeps the result in the memory.`;
      case "CONCAT_S":
        return `Joins ${joined()} into one phrase, now the whole top frame${step.memory.length ? "; the memory is emptied" : ""}.`;
      case "FINAL":
        return "Stops; the phrase is the output.";
      case "STOP":
        return trace.error;
      default:
        return "";
    }
  }

  const argumentText = (step, limit) => {
    const numbers = isConcat(step) && step.argument.every((part) => typeof part === "number");
    const parts = (step.argument || []).map((part) => (isConcat(step) && typeof part === "string" ? quoted(part) : String(part)));
    return numbers ? parts.join(",") : abbreviate(parts, limit);
  };

  function drawInstruction(step) {
    const argument = argumentText(step, MAX_TOKENS);
    const node = at("instruction");
    node.replaceChildren(make("span", "", step.operator === "STOP" ? "Stopped here" : step.operator));
    if (argument) node.append(" ", make("span", "argument", argument));
    const ended = trace.error && !trace.stopped && current === steps.length - 1;
    at("effect").textContent = effect(step) + (ended ? ` ${trace.error}` : "");
  }

  function reasonText(reason) {
    const level = LEVELS[reason.rule] || `Decided by: ${reason.rule}`;
    const unseen = reason.rule === "network" && reason.support === 0 ? " Never seen in training: extrapolated." : "";
    const support = reason.support > 0 ? ` Support: ${plural(reason.support, "trace")}.` : unseen;
    return `${level}.${support}`;
  }

  function drawReason(step) {
    const reason = step.reason;
    document.querySelector(".why").hidden = step.operator === "STOP" || !steps.some((one) => one.reason);
    at("reason").textContent = reason ? reasonText(reason) : "No reason was recorded for this step.";
    const status = (reason && reason.status) || "";
    const legend = status.includes("●") ? `; ● is ${/●\d/.test(status) ? "a phrase, with the number of its kind" : "any phrase"}` : "";
    at("status").textContent = status ? `It saw: ${status}${legend}.` : "";
    const rows = [];
    if (reason && typeof reason.probability === "number") {
      const chosen = { instruction: step.instruction, probability: reason.probability };
      [chosen, ...(reason.alternatives || [])].forEach((option, index) => {
        const row = make("li", index ? "" : "chosen");
        const bar = make("span", "bar");
        const fill = make("i");
        fill.style.width = `${Math.max(0, Math.min(1, option.probability)) * 100}%`;
        bar.append(fill);
        bar.setAttribute("aria-hidden", "true");
        row.append(make("span", "", abbreviate(option.instruction.split(" "))), make("span", "share", percent(option.probability)), bar);
        rows.push(row);
      });
    }
    at("options").replaceChildren(...rows);
  }

  const isExtrapolated = (step) => !!step.reason && step.reason.support === 0;

  function drawProgram() {
    const from = Math.max(0, current - LISTED);
    const to = Math.min(steps.length, current + LISTED + 1);
    const rows = [];
    at("doubt").hidden = !steps.some(isExtrapolated);
    if (from) rows.push(make("li", "more", `… ${plural(from, "earlier step")}`));
    for (let index = from; index < to; index += 1) {
      const row = make("li");
      const button = make("button");
      button.type = "button";
      if (index === current) button.setAttribute("aria-current", "step");
      const step = steps[index];
      const name = step.operator === "STOP" ? "stopped here" : `${step.operator} ${argumentText(step, 8)}`.trim();
      button.append(make("span", "", String(index + 1)), make("span", "", name));
      if (isExtrapolated(step)) {
        button.classList.add("extrapolated");
        button.title = "Extrapolated: no training example shows this";
        button.append(make("span", "sr", "extrapolated"));
      }
      button.addEventListener("click", () => go(index));
      row.append(button);
      rows.push(row);
    }
    if (to < steps.length) rows.push(make("li", "more", `… ${plural(steps.length - to, "later step")}`));
    const list = at("program");
    const hadFocus = list.contains(document.activeElement);
    list.replaceChildren(...rows);
    const here = list.querySelector("[aria-current]");
    if (!here) return;
    list.scrollTop = here.offsetTop - (list.clientHeight - here.clientHeight) / 2;
    if (hadFocus) here.focus({ preventScroll: true });
  }

  function sentence(step) {
    const next = step.position < trace.source.length ? `next word ${trace.source[step.position]}` : "input used up";
    return (
      `Step ${current + 1} of ${steps.length}. ${step.operator}. ${effect(step)} ` +
      `Before it: ${next}; ${plural(step.stack.length, "frame")}; top frame: ${speakAll(top(step))}; memory: ${speakAll(step.memory)}.` +
      (step.reason ? ` Why: ${reasonText(step.reason)}` : "")
    );
  }

  // At the end the whole output is shown; before, as much of it as was unfolded.
  function drawOutput() {
    const whole = current === steps.length - 1;
    if (whole === wholeOutput) return;
    wholeOutput = whole;
    at("output").replaceChildren(trace.output ? foldable(trace.output, "token", whole) : make("span", "nothing", "no output"));
  }

  function draw(before) {
    const total = steps.length;
    at("count").textContent = total ? `Step ${current + 1} of ${total}` : "No steps";
    at("slider").max = String(Math.max(1, total));
    at("slider").value = String(current + 1);
    at("slider").setAttribute("aria-valuetext", total ? `Step ${current + 1} of ${total}: ${steps[current].instruction.slice(0, 80)}` : "No steps");
    // aria-disabled keeps the focus where it is at either end; the disabled attribute would lose it.
    const disable = (id, off) => at(id).setAttribute("aria-disabled", String(off));
    disable("first", current === 0);
    disable("back", current === 0);
    disable("forward", current >= total - 1);
    disable("last", current >= total - 1);
    if (!total) {
      at("announce").textContent = trace.error || "This trace has no steps.";
      ["queue", "stack", "memory", "instruction", "options", "program"].forEach((id) => at(id).replaceChildren());
      at("effect").textContent = trace.error || "This trace has no steps.";
      return;
    }
    const step = steps[current];
    drawOutput();
    drawQueue(step);
    drawStack(step, before);
    drawMemory(step, before);
    drawInstruction(step);
    drawReason(step);
    drawProgram();
    at("announce").textContent = sentence(step);
  }

  function go(index) {
    const target = Math.max(0, Math.min(steps.length - 1, index));
    if (target === current) return;
    const before = target > current ? steps[target - 1] : null;
    current = target;
    if (location.protocol !== "about:") history.replaceState(null, "", `#${current + 1}`); // a frame has no address
    draw(before);
  }

  // The next step that no training example shows, from the beginning after the last one.
  function goToDoubt() {
    const after = steps.findIndex((step, index) => index > current && isExtrapolated(step));
    go(after < 0 ? steps.findIndex(isExtrapolated) : after);
  }

  const stepInAddress = () => (/^#\d+$/.test(location.hash) ? Number(location.hash.slice(1)) - 1 : 0);

  function play(on) {
    clearInterval(timer);
    timer = null;
    if (on && steps.length > 1) {
      if (current >= steps.length - 1) go(0);
      timer = setInterval(() => {
        go(current + 1);
        if (current >= steps.length - 1) play(false);
      }, PLAY_MS);
    }
    at("play").setAttribute("aria-pressed", String(timer !== null));
    at("play").setAttribute("aria-label", timer === null ? "Play" : "Pause");
  }

  function choose(index, from = 0) {
    play(false);
    trace = traces[index].trace;
    const stopped = { ...trace.stopped, operator: "STOP", instruction: "stopped here", argument: [], reason: null };
    steps = trace.stopped ? [...trace.steps, stopped] : trace.steps;
    current = Math.max(0, Math.min(steps.length - 1, from));
    at("source").replaceChildren(foldable(trace.source.filter((word) => !Object.hasOwn(BOUNDARIES, word)), "word"));
    wholeOutput = null;
    draw(null);
  }

  const moves = {
    first: () => go(0),
    back: () => go(current - 1),
    forward: () => go(current + 1),
    last: () => go(steps.length - 1),
    doubt: goToDoubt,
  };
  Object.entries(moves).forEach(([id, move]) =>
    at(id).addEventListener("click", () => {
      play(false);
      move();
    }),
  );
  at("play").addEventListener("click", () => play(timer === null));
  at("slider").addEventListener("input", () => {
    play(false);
    go(Number(at("slider").value) - 1);
  });
  const keys = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", e: "doubt" };
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    // A list or slider under the focus has its own use for these keys, and a button for the space bar.
    if (event.target.closest("select, input")) return;
    if (event.key === " " && !event.target.closest("button")) {
      event.preventDefault();
      play(timer === null);
    } else if (keys[event.key]) {
      event.preventDefault();
      play(false);
      moves[keys[event.key]]();
    }
  });
  if (traces.length > 1) {
    at("chooser").hidden = false;
    at("traces").append(...traces.map((one, index) => new Option(one.title, String(index))));
    at("traces").addEventListener("change", () => choose(Number(at("traces").value)));
  }
  window.addEventListener("hashchange", () => go(stepInAddress()));
  choose(0, stepInAddress());
})();
