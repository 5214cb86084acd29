// Draws the server's OpenAPI description: each operation with its fields, its answers and a command to try it.

const place = document.getElementById("operations");

function element(tag, text = "", attributes = {}) {
  const made = document.createElement(tag);
  made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function resolve(schema, all) {
  if (schema?.$ref) return all.components.schemas[schema.$ref.split("/").pop()];
  return schema ?? {};
}

function kind(schema, all) {
  if (schema.$ref) return kind(resolve(schema, all), all);
  if (schema.anyOf) return schema.anyOf.map((each) => kind(each, all)).join(" or ");
  if (schema.enum) return schema.enum.map((each) => JSON.stringify(each)).join(" or ");
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.type === "array") return `list of ${kind(schema.items ?? {}, all)}`;
  return schema.type ?? "anything";
}

function fields(schema, all) {
  const table = element("table");
  const head = table.createTHead().insertRow();
  for (const name of ["field", "kind", "meaning"]) head.append(element("th", name, { scope: "col" }));
  const required = new Set(schema.required ?? []);
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const row = table.insertRow();
    row.append(element("td", name), element("td", kind(field, all)));
    const unset = "default" in field && field.default !== null ? `default: ${JSON.stringify(field.default)}. ` : "";
    row.append(element("td", `${required.has(name) ? "required. " : ""}${unset}${field.description ?? ""}`));
  }
  return table;
}

function draw(path, method, operation, all) {
  const section = element("section", "", { class: "operation" });
  section.append(element("h2", `${method.toUpperCase()} ${path}`), element("p", operation.description ?? ""));
  const body = resolve(operation.requestBody?.content?.["application/json"]?.schema, all);
  if (body.properties) section.append(element("h3", "The body, as JSON"), fields(body, all));
  const answer = resolve(operation.responses?.["200"]?.content?.["application/json"]?.schema, all);
  if (answer.properties) section.append(element("h3", "The answer"), fields(answer, all));
  const others = Object.entries(operation.responses ?? {}).filter(([code]) => code !== "200");
  section.append(element("h3", "Errors, as {\"error\": \"…\"}"));
  const list = element("ul");
  for (const [code, each] of others) list.append(element("li", `${code}: ${each.description}`));
  section.append(list);
  return section;
}

const all = await (await fetch("/openapi.json")).json();
place.replaceChildren(
  ...Object.entries(all.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => draw(path, method, operation, all)),
  ),
);
document.body.dataset.ready = "yes";
