// Puts the page together: the lesson where teaching is on, else the models that are served.

import { attempt, json } from "./api.js";
import { startAsk } from "./ask.js";
import { find } from "./dom.js";
import { startExamples } from "./examples.js";
import { listen, refresh, send, take } from "./lesson.js";
import { showServedRules, startRules } from "./rules.js";
import { startSpelling } from "./spelling.js";
import { openLink, startTakeaway } from "./takeaway.js";
import { startTry } from "./try.js";

function showProgress({ progress, lines }, before) {
  const learning = progress.state === "learning";
  find("learning").hidden = !learning;
  if (progress.share > 0) find("bar").value = progress.share;
  else find("bar").removeAttribute("value");
  find("detail").textContent = progress.text;
  if (!before || before.progress.state !== progress.state || before.progress.text !== progress.text) {
    const empty = lines.length ? "" : "Give a first example.";
    find("state").textContent = learning ? "" : progress.text && lines.length ? progress.text : empty;
    find("state").className = `state ${progress.state}`;
  }
}

async function serveOnly(models) {
  document.body.classList.add("read-only");
  document.querySelector("h1").textContent = "Try the models";
  for (const id of ["examples", "ask", "take", "places"]) find(id).hidden = true;
  startTry(models);
  find("model").addEventListener("change", (event) => showServedRules(event.target.value));
  if (models.length) await showServedRules(find("model").value);
}

async function start() {
  const served = await attempt(() => json("GET", "/v1/models"));
  if (!served) return;
  const state = served.teaching ? await attempt(() => json("GET", "/v1/lesson")) : null;
  if (!state) {
    await serveOnly(served.models);
    return;
  }
  listen(showProgress);
  find("cancel").addEventListener("click", () => send("POST", "/v1/lesson/cancel"));
  startSpelling();
  startExamples();
  startAsk();
  startRules();
  startTakeaway();
  take(state);
  startTry(served.models);
  await openLink();
  document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });
}

await start();
document.body.dataset.ready = "yes";
