"use strict";
// Lets a table be sorted, filtered and cut down to some of its columns. Without it, tables stand as they were written.
{
const UNITS = {
  ns: 1e-9, "µs": 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, kB: 1e3, MB: 1e6, GB: 1e9,
};
const VALUE = /^(?:[≥≤~±]|under|over|above|below|at least|about)?\s*([-−+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?)\s*([a-zµA-Z]*)/;
// More rows than these are looked through: what finds them is unfolded.
const MANY = 16;
// More take a browser too long to lay out anew: the others are shown when they are asked for, and printed.
const MOST = 200;
const words = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
const hiding = new CSSStyleSheet();
document.adoptedStyleSheets.push(hiding);
const known = new Map();
let asked = new URLSearchParams(parent === self ? location.hash.slice(1) : "");

// A new element with what it has and what stands in it.
const made = (name, has = {}, ...within) => {
  const element = document.createElement(name);
  Object.assign(element, has);
  element.append(...within);
  return element;
};
const numberIn = (text) => {
  const found = VALUE.exec(text);
  return found === null ? NaN : Number(found[1].replaceAll(",", "").replace("−", "-")) * (UNITS[found[2]] ?? 1);
};

// The first column may have no head: it has the names of the rows. Intervals are those of the column before.
const headed = (head, place, all) => {
  const title = head.textContent.trim();
  if (title === "interval") head.dataset.title = `${all[place - 1].textContent.trim()}: interval`;
  if (head.tagName === "TH" && title) return head;
  const own = made("th", { scope: "col", className: head.className }, "name");
  head.replaceWith(own);
  return own;
};

// What is unfolded, and the state of the tables, stand in the address: of this page, or of the one in whose frame it is.
const first = new Set(document.querySelectorAll("details[open]"));
let waiting = 0;
const remember = () => {
  clearTimeout(waiting);
  waiting = setTimeout(write, 200);
};
const write = () => {
  const state = new URLSearchParams();
  for (const [name, table] of known) table.tell((key, value) => { if (value) state.set(`${name}.${key}`, value); });
  // What was asked of tables that nobody has unfolded yet stays.
  for (const [key, value] of asked) if (key.includes(".") && !known.has(key.slice(0, key.lastIndexOf(".")))) state.set(key, value);
  const unfolded = Array.from(document.querySelectorAll("details[open]")).filter((one) => !first.has(one));
  const names = unfolded.map((one) => one.id || one.querySelector(":scope > [id]")?.id).filter(Boolean);
  if (names.length) state.set("unfolded", names.join(" "));
  if (parent === self) history.replaceState(null, "", `#${state}`);
  else parent.postMessage(String(state), location.origin);
};

class Table {
  constructor(name, element) {
    this.name = name;
    this.body = element.tBodies[0];
    this.rows = Array.from(this.body.rows);
    this.heads = Array.from(element.tHead.rows[0].cells).map(headed);
    this.titles = this.heads.map((head) => head.dataset.title ?? head.textContent.trim());
    this.place = 0;
    this.falls = false;
    this.sorted = false;
    this.without = new Set();
    this.wanted = [];
    this.most = MOST;
    element.dataset.table = name;
    this.heads.forEach((head, place) => this.sortBy(head, place));
    element.parentElement.before(this.tools());
    if (this.rows.length > MOST) this.show();
  }

  // Rows under one heading stay under it. What is a heading has one cell for all columns.
  parts() {
    const parts = [[]];
    for (const row of this.rows) {
      if (this.isHeading(row)) parts.push([row]);
      else parts.at(-1).push(row);
    }
    return parts;
  }

  sortBy(head, place) {
    const button = made("button", { type: "button" }, ...head.childNodes);
    if (head.dataset.title) button.setAttribute("aria-label", head.dataset.title);
    button.addEventListener("click", () => {
      const again = this.sorted && this.place === place;
      this.sort(place, again && !this.falls, !(again && this.falls));
      remember();
    });
    head.append(button);
  }

  sort(place, falls, sorted) {
    [this.place, this.falls, this.sorted] = [place, falls, sorted];
    const order = (rows) => {
      if (!sorted) return rows;
      const texts = rows.map((row) => row.cells[place]?.textContent.trim() ?? "");
      const numbers = texts.map(numberIn);
      const filled = texts.filter((text) => text && text !== "–").length;
      const counted = numbers.filter((number) => !Number.isNaN(number)).length;
      // Where some have no value, words say why.
      const measured = counted > 0 && counted * 4 >= filled;
      const none = measured ? (at) => Number.isNaN(numbers[at]) : (at) => !texts[at];
      const compare = measured ? (a, b) => numbers[a] - numbers[b] : (a, b) => words.compare(texts[a], texts[b]);
      // What has no value comes last, whichever way it is sorted.
      return Array.from(rows.keys()).sort((a, b) => none(a) - none(b) || (none(a) ? 0 : falls ? compare(b, a) : compare(a, b)) || a - b)
        .map((at) => rows[at]);
    };
    const all = this.parts().flatMap((part) => (part.length && this.isHeading(part[0]) ? [part[0], ...order(part.slice(1))] : order(part)));
    this.body.replaceChildren(...all);
    this.heads.forEach((head, at) => {
      if (sorted && at === place) head.setAttribute("aria-sort", falls ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    this.show();
    this.order.value = sorted ? `${falls ? "-" : ""}${place}` : "";
  }

  isHeading(row) {
    return row.cells.length === 1 && this.heads.length > 1;
  }

  find(text) {
    this.wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
    this.show();
  }

  // Shows the first of the rows that are wanted, and the headings that they stand under.
  show() {
    const { wanted } = this;
    if (wanted.length) this.texts ??= new Map(this.rows.map((row) => [row, Array.from(row.cells, (cell) => cell.textContent).join(" ").toLowerCase()]));
    // What the style hides takes no place among the first.
    const quiet = document.querySelector("#noise:checked") !== null;
    let fit = 0, all = 0, heading = null;
    for (const row of this.body.rows) {
      if (this.isHeading(row)) {
        heading = row;
        heading.hidden = true;
        continue;
      }
      if (quiet && row.classList.contains("noise")) continue;
      all += 1;
      row.hidden = !wanted.every((word) => this.texts.get(row).includes(word));
      fit += !row.hidden;
      row.classList.toggle("later", fit > this.most);
      if (!row.hidden && heading !== null) heading.hidden = false;
    }
    const cut = fit > this.most;
    this.count.textContent = `${wanted.length ? `${fit} of ${all} rows` : cut ? `${all} rows` : ""}${cut ? `, the first ${this.most} are shown` : ""}`;
    this.all.hidden = !cut;
  }

  hide(place, hidden) {
    if (hidden) this.without.add(place);
    else this.without.delete(place);
    hideColumns();
  }

  // The fields above a table. On a narrow screen it has no heads, so that a list does what they do.
  tools() {
    this.count = made("output");
    this.all = made("button", { type: "button", hidden: true }, "Show all");
    this.all.addEventListener("click", () => { this.most = Infinity; this.show(); this.field.focus(); });
    this.field = made("input", { type: "search", autocomplete: "off" });
    this.field.addEventListener("input", () => { this.find(this.field.value); remember(); });
    const ways = this.titles.flatMap((title, place) => [
      made("option", { value: `${place}` }, `${title}, rising`), made("option", { value: `-${place}` }, `${title}, falling`),
    ]);
    this.order = made("select", {}, made("option", { value: "" }, "as measured"), ...ways);
    this.order.addEventListener("change", () => { this.ordered(this.order.value); remember(); });
    this.boxes = this.titles.map((title, place) => {
      const box = made("input", { type: "checkbox", checked: true });
      box.addEventListener("change", () => { this.hide(place, !box.checked); remember(); });
      return place ? made("label", {}, box, ` ${title}`) : "";
    });
    const columns = made("details", {}, made("summary", {}, "Columns"), made("div", { className: "fields" }, ...this.boxes));
    const find = made("label", {}, "Find rows ", this.field), order = made("label", { className: "order" }, "Sort by ", this.order);
    const fields = made("div", { className: "fields" }, find, order, this.count, this.all);
    return made("details", { className: "tools", open: this.rows.length > MANY }, made("summary", {}, "Find rows, hide columns"), fields, columns);
  }

  ordered(way) {
    this.sort(Number(way.replace("-", "")), way.startsWith("-"), way !== "");
  }

  tell(say) {
    say("find", this.field.value);
    say("sort", this.order.value);
    say("without", Array.from(this.without).sort((a, b) => a - b).join(" "));
  }

  // Does what the address asks for.
  follow(state) {
    const [text, way, without] = ["find", "sort", "without"].map((key) => state.get(`${this.name}.${key}`) ?? "");
    const [, place] = /^-?(\d{1,3})$/.exec(way) ?? [];
    if (place < this.heads.length) this.ordered(way);
    if (text) { this.field.value = text; this.find(text); }
    for (const at of without.split(" ").map(Number)) {
      const box = this.boxes[at]?.firstChild;
      if (at && box) { box.checked = false; this.hide(at, true); }
    }
  }
}

const hideColumns = () => {
  const rules = Array.from(known.values()).flatMap((table) =>
    Array.from(table.without, (place) => `[data-table="${CSS.escape(table.name)}"] tr > :nth-child(${place + 1}) { display: none !important; }`));
  hiding.replaceSync(rules.join("\n"));
};

// What names a table in the address: what it is labelled by, or stands in.
const nameOf = (element) => element.parentElement.getAttribute("aria-labelledby") ?? element.closest("[id]")?.id ?? "table";
const tables = () => Array.from(document.querySelectorAll(":is(.scroll, .wide) > table")).filter((element) => element.tHead && element.tBodies[0]?.rows.length > 1);
const unfold = () => {
  const used = new Map();
  for (const element of tables()) {
    const own = nameOf(element), before = used.get(own) ?? 0, name = before ? `${own}-${before + 1}` : own;
    used.set(own, before + 1);
    if (known.has(name) || element.closest("details:not([open])") !== null) continue;
    const table = new Table(name, element);
    known.set(name, table);
    table.follow(asked);
  }
};
const open = (element) => {
  for (let around = element?.closest("details"); around; around = around.parentElement.closest("details")) around.open = true;
};
// Shows what the address asks for: a place, what was unfolded, or a table; and how far down it was, if it was left.
const reveal = () => {
  const names = new Set(Array.from(asked.keys(), (key) => key.slice(0, key.lastIndexOf("."))));
  const places = [...asked.keys(), ...(asked.get("unfolded") ?? "").split(" ")].map((name) => document.getElementById(name));
  const shown = [...places, tables().find((one) => names.has(nameOf(one)))].filter(Boolean);
  shown.forEach(open);
  unfold();
  shown.at(-1)?.scrollIntoView();
  if (asked.has("at")) scrollTo({ top: Number(asked.get("at")), behavior: "instant" });
};

document.querySelector("#noise")?.addEventListener("change", () => { for (const table of known.values()) table.show(); });
// A table gets its fields when it is unfolded: a report has many that nobody looks at.
document.addEventListener("toggle", unfold, true);
unfold();
document.addEventListener("click", (event) => { if (event.target.closest("summary")) remember(); });
// From a value to what lies behind it: its forks and slices, and the command that measures it again.
const VALUES = ":is(.grid, .every) a";
const leave = (event) => {
  const link = event.target.closest(VALUES);
  if (link === null || event.button > 1) return;
  event.preventDefault();
  // A frame without an origin may open nothing beside itself.
  const beside = event.button || event.ctrlKey || event.metaKey || event.shiftKey ? "beside" : "";
  parent.postMessage(`${link.hash}@${Math.round(scrollY)}${beside}`, location.origin);
};
if (parent === self) {
  const cells = document.querySelector(".published a[href$='-cells.html']");
  if (cells !== null) for (const link of document.querySelectorAll(VALUES)) link.href = cells.href + link.hash;
  reveal();
} else {
  for (const kind of ["click", "auxclick"]) document.addEventListener(kind, leave);
  addEventListener("message", (event) => {
    if (event.source !== parent || typeof event.data !== "string") return;
    asked = new URLSearchParams(event.data);
    for (const table of known.values()) table.follow(asked);
    reveal();
  });
  parent.postMessage("", location.origin);
}
}
