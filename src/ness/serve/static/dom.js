// Small helpers to build and find elements; text is always set as text, never as HTML.

export const find = (id) => document.getElementById(id);

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") made.textContent = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child != null));
  return made;
}

export function button(text, onclick, attributes = {}) {
  return element("button", { type: "button", text, onclick, ...attributes });
}

export function chips(text, kind) {
  const tokens = Array.isArray(text) ? text : text.split(/\s+/u).filter(Boolean);
  return element("span", { class: `chips ${kind}` }, ...tokens.map((token) => element("span", { class: "chip", text: token })));
}

let hide = 0;
export function complain(text) {
  const place = find("problem");
  place.textContent = text;
  place.hidden = false;
  clearTimeout(hide);
  hide = setTimeout(() => { place.hidden = true; }, 8000);
}
