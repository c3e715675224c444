// What the pages do with a script: the theme, the choice of what stands side by side, search, the map. Everything can be
// read without it.
"use strict";

// Storage may be forbidden, as for files in some browsers.
const store = {
  get(key) { try { return localStorage.getItem(key); } catch { return null; } },
  set(key, value) { try { localStorage.setItem(key, value); } catch { /* not kept */ } },
};
const html = document.documentElement;
html.classList.add("script");

// ---- Light and dark

const themes = ["auto", "light", "dark"];
let theme = themes.includes(store.get("theme")) ? store.get("theme") : "auto";
function apply_theme() {
  if (theme === "auto") delete html.dataset.theme; else html.dataset.theme = theme;
}
apply_theme();

// ---- Side by side: what of the editions is shown. Each dimension, the variant or a parameter, has a value or all.

const dimensions = {};
for (const edition of site.editions)
  for (const [name, value] of Object.entries(edition)) {
    dimensions[name] ??= [];
    if (!dimensions[name].includes(value)) dimensions[name].push(value);
  }
for (const name of Object.keys(dimensions)) if (dimensions[name].length < 2) delete dimensions[name];
const choice = {};
const asked = new URLSearchParams(location.search);
for (const name of Object.keys(dimensions)) {
  const wanted = asked.get(name) ?? store.get(`${site.name} ${name}`) ?? site.editions[0][name];
  choice[name] = dimensions[name].includes(wanted) || wanted === "all" ? wanted : site.editions[0][name];
}
const shown = () => site.editions.map((edition, number) => [edition, number])
  .filter(([edition]) => Object.keys(dimensions).every(name => choice[name] === "all" || choice[name] === edition[name]))
  .map(([, number]) => number);
const rules = document.createElement("style");
document.head.append(rules);
function apply_choice() {
  if (site.editions.length < 2) return;
  const visible = shown();
  const others = visible.map(number => `:not([data-in~="${number}"])`).join("");
  rules.textContent = `[data-in]${others} { display: none !important; }` +
    (visible.length === 1 ? ".only { display: none; }" : "");
}
apply_choice();

// ---- Search

// The index comes with the first search: entries, [name, title, address, kind, format], and forms, [mask, value, entry,
// editions], both as bytes in memory.
const manual = {
  entries: null, forms: null, waiting: [],
  found(entries, forms) {
    this.forms = forms.map(([mask, value, entry, editions]) => ({mask, value, entry, editions}));
    this.entries = entries.map(([name, title, href, kind, format]) =>
      ({name, title, href, kind, format, low: name.toLowerCase(), about: title.toLowerCase()}));
    for (const wake of this.waiting.splice(0)) wake();
  },
  load(root, then) {
    if (this.entries) return then();
    if (this.waiting.push(then) > 1) return;
    const script = document.createElement("script");
    script.src = `${root}search.js`;
    document.head.append(script);
  },
};

// How well an entry answers; 0: not at all. Names before titles, beginnings before middles, short before long.
function score(entry, query, words) {
  const at = entry.low.indexOf(query);
  if (at === 0) return 1000 - (entry.low.length - query.length) + (entry.kind === "instruction" ? 50 : 0);
  if (at > 0) return 600 - at - (entry.low.length - query.length) / 4 + (/[^a-z0-9]/.test(entry.low[at - 1]) ? 100 : 0);
  if (words.every(word => entry.low.includes(word) || entry.about.includes(word))) return 300 - entry.about.length / 8;
  let from = 0;
  for (const letter of query) {
    from = entry.low.indexOf(letter, from) + 1;
    if (from === 0) return 0;
  }
  return query.length > 2 ? 100 - entry.low.length : 0;
}

// Bytes as they lie in memory, or one number: what instruction is it?
function decode(text) {
  const digits = text.replace(/^0x/i, "").replace(/[\s,_]/g, "").toLowerCase();
  if (digits.length < 4 || digits.length % 2 || /[^0-9a-f]/.test(digits)) return [];
  const bytes = digits.match(/../g).map(pair => parseInt(pair, 16));
  const visible = shown().reduce((set, number) => set | 1 << number, 0);
  const fixed = mask => [...mask].reduce((sum, digit) => sum + parseInt(digit, 16).toString(2).replace(/0/g, "").length, 0);
  return manual.forms.filter(form => {
    if (form.mask.length > digits.length || !(form.editions & visible)) return false;
    for (let i = 0; i < form.mask.length / 2; ++i) {
      const mask = parseInt(form.mask.substr(2 * i, 2), 16);
      if ((bytes[i] & mask) !== parseInt(form.value.substr(2 * i, 2), 16)) return false;
    }
    return true;
  }).sort((a, b) => fixed(b.mask) - fixed(a.mask)).slice(0, 1)
    .map(form => ({...manual.entries[form.entry], title: `decodes ${text}`, kind: "bytes"}));
}

function search(text) {
  const query = text.trim().toLowerCase();
  if (!query) return [];
  const words = query.split(/\s+/);
  const scored = [];
  for (const entry of manual.entries) {
    const points = score(entry, query, words);
    if (points > 0) scored.push([points, entry]);
  }
  scored.sort((a, b) => b[0] - a[0]);
  return [...decode(query), ...scored.slice(0, 30).map(([, entry]) => entry)];
}

function search_box(root) {
  const box = document.createElement("div");
  box.className = "search";
  const input = document.createElement("input");
  Object.assign(input, {type: "search", placeholder: "Search, or bytes", autocomplete: "off", spellcheck: false});
  const list = document.createElement("ul");
  list.className = "results";
  list.id = "results";
  list.hidden = true;
  for (const [name, value] of Object.entries({role: "combobox", "aria-label": "Search the manual", "aria-autocomplete": "list",
    "aria-controls": "results", "aria-expanded": "false", "aria-keyshortcuts": "/"})) input.setAttribute(name, value);
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Found");
  let selected = -1, found = [];
  const close = () => {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const select = number => {
    selected = number;
    [...list.children].forEach((item, i) => item.setAttribute("aria-selected", String(i === number)));
    const item = list.children[number];
    if (item) {
      input.setAttribute("aria-activedescendant", item.id);
      item.scrollIntoView({block: "nearest"});
    }
  };
  const go = entry => { close(); location.href = root + entry.href; };
  const show = () => {
    found = search(input.value);
    list.replaceChildren(...found.map((entry, i) => {
      const item = document.createElement("li");
      item.id = `result-${i}`;
      item.setAttribute("role", "option");
      const name = document.createElement("b"), title = document.createElement("span"), kind = document.createElement("small");
      name.textContent = entry.name;
      title.textContent = entry.title;
      kind.textContent = entry.kind === "instruction" ? entry.format : entry.kind;
      item.append(name, title, kind);
      item.addEventListener("mousedown", event => { event.preventDefault(); go(entry); });
      return item;
    }));
    if (!found.length && input.value.trim()) {
      const none = document.createElement("li");
      none.setAttribute("role", "option");
      none.setAttribute("aria-disabled", "true");
      none.textContent = "Nothing has this name.";
      list.append(none);
    }
    list.hidden = !input.value.trim();
    input.setAttribute("aria-expanded", String(!list.hidden));
    select(found.length ? 0 : -1);
  };
  input.addEventListener("focus", () => manual.load(root, () => {}));
  input.addEventListener("input", () => manual.load(root, show));
  input.addEventListener("blur", close);
  input.addEventListener("keydown", event => {
    if (event.key === "ArrowDown" && found.length) select((selected + 1) % found.length);
    else if (event.key === "ArrowUp" && found.length) select((selected + found.length - 1) % found.length);
    else if (event.key === "Enter" && found[selected]) go(found[selected]);
    else if (event.key === "Escape") { if (list.hidden) input.value = ""; close(); }
    else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", event => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName);
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
  });
  box.append(input, list);
  return box;
}

function switches() {
  return Object.entries(dimensions).map(([name, values]) => {
    const label = document.createElement("label");
    label.className = "switch";
    const word = document.createElement("span");
    word.textContent = name === "variant" ? "Variant" : name;
    const select = document.createElement("select");
    for (const value of ["all", ...values]) select.add(new Option(value, value, false, value === choice[name]));
    select.addEventListener("change", () => {
      choice[name] = select.value;
      store.set(`${site.name} ${name}`, select.value);
      apply_choice();
      follow_map();
    });
    label.append(word, select);
    return label;
  });
}

function theme_button() {
  const button = document.createElement("button");
  button.type = "button";
  const name = () => {
    button.textContent = {auto: "Auto", light: "Light", dark: "Dark"}[theme];
    button.setAttribute("aria-label", `Colours: ${button.textContent}`);
  };
  button.addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    store.set("theme", theme);
    apply_theme();
    name();
  });
  name();
  return button;
}

// ---- The map: zoomed with buttons, the wheel and keys, moved by dragging and with the arrows.

// Each edition has a map of its own.
function follow_map() {
  if (!document.querySelector(".map")) return;
  const [number] = shown();
  const target = site.maps[number];
  if (target && !location.pathname.endsWith(`/${target}`)) location.href = target;
}

function zoomable(frame) {
  const svg = frame.querySelector("svg");
  const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  let view = {x: 0, y: 0, scale: 1};
  const draw = () => {
    const w = width / view.scale, h = height / view.scale;
    view.x = Math.min(Math.max(view.x, 0), width - w);
    view.y = Math.min(Math.max(view.y, 0), height - h);
    svg.setAttribute("viewBox", `${view.x} ${view.y} ${w} ${h}`);
    frame.classList.toggle("zoomed", view.scale > 1);
  };
  const zoom = (factor, x = 0.5, y = 0.5) => {
    const scale = Math.min(Math.max(view.scale * factor, 1), 64);
    view.x += x * width * (1 / view.scale - 1 / scale);
    view.y += y * height * (1 / view.scale - 1 / scale);
    view.scale = scale;
    draw();
  };
  const move = (x, y) => { view.x += x * width / view.scale; view.y += y * height / view.scale; draw(); };
  const tools = document.createElement("div");
  tools.className = "map-tools";
  for (const [text, act] of [["Closer", () => zoom(1.6)], ["Farther", () => zoom(1 / 1.6)],
    ["Whole", () => { view = {x: 0, y: 0, scale: 1}; draw(); }]]) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.addEventListener("click", act);
    tools.append(button);
  }
  frame.before(tools);
  frame.addEventListener("wheel", event => {
    if (!event.ctrlKey && !event.metaKey && view.scale === 1) return;
    event.preventDefault();
    const box = svg.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY / 300), (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
  }, {passive: false});
  frame.addEventListener("keydown", event => {
    const act = {"+": () => zoom(1.6), "=": () => zoom(1.6), "-": () => zoom(1 / 1.6), ArrowLeft: () => move(-0.2, 0),
      ArrowRight: () => move(0.2, 0), ArrowUp: () => move(0, -0.2), ArrowDown: () => move(0, 0.2)}[event.key];
    if (!act || (view.scale === 1 && event.key.startsWith("Arrow"))) return;
    event.preventDefault();
    act();
  });
  let from = null, dragged = false;
  frame.addEventListener("pointerdown", event => { from = [event.clientX, event.clientY]; dragged = false; });
  addEventListener("pointerup", () => { from = null; });
  addEventListener("pointermove", event => {
    if (!from || view.scale === 1) return;
    const box = svg.getBoundingClientRect(), dx = event.clientX - from[0], dy = event.clientY - from[1];
    if (Math.abs(dx) + Math.abs(dy) < 4 && !dragged) return;
    dragged = true;
    move(-dx / box.width, -dy / box.height);
    from = [event.clientX, event.clientY];
  });
  frame.addEventListener("dragstart", event => event.preventDefault());
  frame.addEventListener("click", event => { if (dragged) event.preventDefault(); }, true);
}

// ---- The instructions next to this one, in the navigation

function same_format(nav, root) {
  const here = decodeURIComponent(location.pathname).match(/\/(instructions\/[^/]+)$/)?.[1];
  if (!here) return;
  manual.load(root, () => {
    const own = manual.entries.find(entry => entry.href === here && entry.kind === "instruction");
    if (!own?.format) return;
    const all = manual.entries.filter(entry => entry.format === own.format && !(entry.kind !== "instruction"));
    const at = all.indexOf(own);
    const title = document.createElement("h2"), list = document.createElement("ul");
    title.textContent = `Format ${own.format}`;
    list.className = "near";
    for (const entry of all.slice(Math.max(0, at - 40), at + 60)) {
      const item = document.createElement("li"), link = document.createElement("a");
      link.href = root + entry.href;
      link.textContent = entry.name;
      if (entry === own) link.setAttribute("aria-current", "page");
      item.append(link);
      list.append(item);
    }
    nav.append(title, list);
    const current = list.querySelector("[aria-current]");
    if (current && getComputedStyle(nav).position === "sticky") nav.scrollTop = Math.max(0, current.offsetTop - nav.clientHeight / 2);
  });
}

document.addEventListener("DOMContentLoaded", () => {
  const root = document.body.dataset.root, nav = document.getElementById("navigation");
  document.querySelector(".tools").append(search_box(root), ...switches(), theme_button());
  const menu = document.querySelector(".menu");
  menu.addEventListener("click", () => menu.setAttribute("aria-expanded", String(nav.classList.toggle("open"))));
  for (const frame of document.querySelectorAll(".map")) zoomable(frame);
  same_format(nav, root);
});
