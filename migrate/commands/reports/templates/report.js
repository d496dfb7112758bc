"use strict";

const rows = [...document.querySelectorAll("#functions tbody tr")];
const form = document.getElementById("filters");
const search = document.getElementById("search");
const shown = document.getElementById("shown");
const fold = (text) => text.normalize("NFC").toLocaleLowerCase();
let texts = null; // of the rows, once something is searched for
const TITLES = {
  reason: "Reason", call: "Smallest input", where: "Where", original: "Original", converted: "Converted", parting: "The versions part", needs: "To compare it",
  label_reason: "Label because", conditions: "Conditions", notes: "Notes", findings: "Findings", test: "A test that fails",
};
const CODE = new Set(["call", "where", "original", "converted"]);

// The details are unpacked when the first function is opened.
let details = null;
function unpacked() {
  details ??= (async () => {
    const bytes = Uint8Array.from(atob(document.getElementById("details").textContent), (char) => char.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  })();
  return details;
}

function element(name, className, ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children); // strings become text: nothing in the data is markup
  return made;
}

function words(name, value) {
  if (name === "conditions") return `line ${value.line}: ${value.words} (${value.kind})`;
  if (name === "findings") return `line ${value.line}: ${value.code} ${value.message}`;
  return value;
}

function facts(detail) {
  const list = element("dl");
  for (const [name, title] of Object.entries(TITLES)) {
    const value = detail[name];
    if (!value || (name === "findings" && detail.sources)) continue;
    const many = Array.isArray(value) && element("ul", "", ...value.map((item) => element("li", "", words(name, item))));
    list.append(element("dt", "", title), element("dd", "", many || element(name === "test" ? "pre" : CODE.has(name) ? "code" : "bdi", "", value)));
  }
  return list;
}

// Both versions beside each other: equal lines in one row, those between them from the top.
function* aligned(detail) {
  const [before, after] = detail.sources;
  let [left, right] = [0, 0];
  for (const [a, b, size] of [...detail.equal, [before.length, after.length, 0]]) {
    while (left < a || right < b) yield [left < a ? left++ : null, right < b ? right++ : null, false];
    for (let turn = 0; turn < size; turn++) yield [left++, right++, true];
  }
}

function sources(detail) {
  const [before, after] = detail.sources;
  const unreached = new Set(detail.unreached ?? []);
  const body = element("tbody");
  const cells = (index, lines, first, className) =>
    index === null
      ? [element("td", "number"), element("td")]
      : [element("td", "number", String(first + index)), element("td", className, lines[index] || "\u200b")];
  for (const [left, right, equal] of aligned(detail)) {
    const line = left === null ? null : detail.first[0] + left;
    const old = cells(left, before, detail.first[0], equal ? "" : "removed");
    if (unreached.has(line)) {
      old[1].classList.add("unreached");
      old[1].title = "no compared call reached this line";
    }
    body.append(element("tr", "", ...old, ...cells(right, after, detail.first[1], equal ? "" : "added")));
    for (const finding of (detail.findings ?? []).filter((one) => one.line === line)) {
      const cell = element("td", "finding", `${finding.code} ${finding.message}`);
      cell.colSpan = 3;
      body.append(element("tr", "", element("td", "number"), cell));
    }
  }
  const head = element("tr", "", element("th", "number"), element("th", "", "Original"), element("th", "number"), element("th", "", "Converted"));
  return element("table", "code", element("thead", "", head), body);
}

async function toggle(row) {
  const button = row.querySelector("button");
  const open = button.getAttribute("aria-expanded") !== "true";
  button.setAttribute("aria-expanded", String(open));
  if (!open) {
    row.nextElementSibling.remove();
    return;
  }
  const cell = element("td", "", "…");
  cell.colSpan = 5;
  row.after(element("tr", "detail", cell));
  const detail = (await unpacked())[rows.indexOf(row)];
  cell.replaceChildren(facts(detail), ...(detail.sources ? [sources(detail)] : []));
}

function isOpen(row) {
  return row.querySelector("button").getAttribute("aria-expanded") === "true";
}

function filter() {
  const wanted = fold(search.value).split(/\s+/).filter(Boolean);
  if (wanted.length) texts ??= rows.map((row) => fold(row.textContent));
  const off = { verdict: new Set(), label: new Set() };
  for (const box of form.querySelectorAll("input[type=checkbox]")) if (!box.checked) off[box.name].add(box.value);
  let count = 0;
  rows.forEach((row, index) => {
    const match = !off.verdict.has(row.dataset.verdict) && !off.label.has(row.dataset.label) && wanted.every((word) => texts[index].includes(word));
    if (row.hidden === match) row.hidden = !match;
    if (isOpen(row)) row.nextElementSibling.hidden = !match;
    count += match;
  });
  shown.textContent = count === rows.length ? `${count} functions` : `${count} of ${rows.length} functions`;
}

function move(step) {
  const visible = rows.filter((row) => !row.hidden);
  const here = visible.findIndex((row) => row.contains(document.activeElement));
  const next = visible[here < 0 ? (step > 0 ? 0 : visible.length - 1) : here + step];
  next?.querySelector("button").focus();
}

document.getElementById("functions").addEventListener("click", (event) => {
  const row = event.target.closest("button")?.closest("tr");
  if (row) toggle(row);
});
form.addEventListener("input", filter);
form.addEventListener("submit", (event) => event.preventDefault());
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const inRow = rows.some((row) => row.contains(document.activeElement)); // elsewhere, arrows scroll
  if (event.key === "Escape") {
    search.value = "";
    for (const box of form.querySelectorAll("input[type=checkbox]")) box.checked = true;
    search.blur();
    filter();
  } else if (event.target === search) {
    if (event.key === "ArrowDown" || event.key === "Enter") move(1);
    else return;
  } else if (event.key === "/") {
    search.focus();
  } else if (event.key === "j" || (event.key === "ArrowDown" && inRow)) {
    move(1);
  } else if (event.key === "k" || (event.key === "ArrowUp" && inRow)) {
    move(-1);
  } else {
    return;
  }
  event.preventDefault();
});

// A link to a function opens it.
function follow() {
  const row = rows.find((one) => `#${one.id}` === decodeURIComponent(location.hash));
  if (row && !isOpen(row)) toggle(row);
}
addEventListener("hashchange", follow);
follow();
filter();
