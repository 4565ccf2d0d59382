// The page: what its reader chooses, and the figures that follow.

import { copyButtons } from "./copy.js";
import { addDistributions } from "./distributions.js";
import { element } from "./elements.js";
import { clearFigures, fitFigures } from "./figure.js";
import { addHeat } from "./heat.js";
import { addOverTime, timeChoices } from "./over_time.js";
import { chosen, combinations, page, place, shownSchemes } from "./page_data.js";
import { sortable } from "./scheme_table.js";
import { legend, selectFew, updateLegend } from "./selection.js";
import { addSweep } from "./sweep.js";
import { allTables, fillTable } from "./tables.js";
import { lightPaper, themeButton } from "./theme.js";
import { addTradeOff } from "./trade_off.js";

const RESIZE_MS = 60;
const FEW_OVER_TIME = 3; // schemes up to which everything is shown over time
const byId = (id) => document.getElementById(id);
const all = (selector) => [...document.querySelectorAll(selector)];

function draw() {
  clearFigures();
  updateLegend();
  fill("trade-off", (host) => addTradeOff(host, draw));
  if (place()?.metrics.length) {
    if (page.axis !== null) fill("sweep", addSweep);
    if (page.axes.length > 1) fill("heat", addHeat);
  }
  fill("distributions", addDistributions);
  fill("series", (host) => addOverTime(host, draw));
}

/** Fills a part of the page; a part without figures says so, or is not shown. */
function fill(id, add) {
  const host = byId(id);
  if (!host) return;
  const [part, empty] = [host.parentElement, host.parentElement.querySelector(".empty")];
  part.hidden = false; // a figure needs to know its width
  const any = add(host);
  if (empty) empty.hidden = any;
  else part.hidden = any === false;
}

/** Shows the tables of the chosen place and setting, and the choices as they are. */
function show() {
  for (const box of all("[data-place]")) {
    const here = box.dataset.place === chosen.place;
    box.hidden = !here;
    if (here && box.matches(".numbers")) fillTable(box, chosen.point);
  }
  if (page.kind === "compare") {
    const about = place()?.says?.some(Boolean) ? place() : page.places[0];
    say(".over-all", about?.overAll);
    say(".answer", about?.says[chosen.point]);
  }
  for (const cell of all(".leads [data-point]")) cell.hidden = Number(cell.dataset.point) !== chosen.point;
  for (const head of all(".leads .setting")) head.textContent = page.points[chosen.point].label;
  for (const select of all("select[data-pick]")) select.value = String(chosen[select.dataset.pick]);
}

/** Shows a sentence of the head of the page, or nothing. */
function say(selector, text) {
  const sentence = document.querySelector(selector);
  if (!sentence) return;
  sentence.textContent = text ?? "";
  sentence.hidden = !text;
}

/** Writes the choices of a drop-down; without a choice there is nothing to see. */
function offer(pick, labels) {
  for (const select of all(`select[data-pick="${pick}"]`)) {
    select.replaceChildren(...labels.map(([value, label]) => element("option", { value: String(value) }, label)));
    select.parentElement.hidden = labels.length < 2;
  }
}

/** The combinations of the values of all axes but these. */
function offerCombinations(pick, axes) {
  const found = combinations(axes);
  chosen[pick] = Math.min(chosen[pick], found.length - 1);
  offer(pick, found.map(({ label }, at) => [at, label]));
}

/** The links whose queues over time the page has. */
function links() {
  return [...new Set(page.series.flatMap((one) => Object.keys(one.links)))];
}

/** The choices that depend on other choices. */
function offerAll() {
  if (chosen.up === chosen.axis) chosen.up = page.axes.findIndex((_, at) => at !== chosen.axis);
  const axes = page.axes.map(({ title }, at) => [at, title]);
  offer("axis", axes);
  offer("up", axes.filter(([at]) => at !== chosen.axis));
  offerCombinations("rest", [chosen.axis]);
  offerCombinations("others", [chosen.axis, chosen.up]);
  offer("metric", (place()?.metrics ?? []).map(({ title }, at) => [at, title]));
  offer("link", links().map((name) => [name, name]));
  offer("over", timeChoices());
  show();
}

for (const select of all("select[data-pick]"))
  select.addEventListener("change", () => {
    const { pick } = select.dataset;
    chosen[pick] = typeof chosen[pick] === "number" ? Number(select.value) : select.value;
    if (pick === "place" && links().includes(chosen.place)) chosen.link = chosen.place;
    offerAll();
    draw();
  });

legend(draw);
all(".numbers:has(.by-scheme)").forEach(sortable);

for (const button of all("[data-more]"))
  button.addEventListener("click", () => {
    const on = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(on));
    button.textContent = on ? "Key metrics" : "All metrics";
    if (button.dataset.more === "rows") document.body.classList.toggle("all-rows", on);
    else {
      chosen.allMetrics = on;
      draw();
    }
  });

copyButtons();
themeButton();
let removeTables = [];
lightPaper(
  () => (removeTables = all(".numbers[data-place]:not([hidden])").map((box) => allTables(box, chosen.point))),
  () => removeTables.forEach((remove) => remove()),
);
let waiting;
addEventListener("resize", () => {
  clearTimeout(waiting);
  waiting = setTimeout(fitFigures, RESIZE_MS);
});

// page.html#point=2&place=extra opens with that choice.
for (const [what, value] of new URLSearchParams(location.hash.slice(1))) {
  if (what === "point" && page.points[Number(value)] !== undefined) chosen.point = Number(value);
  if (what === "place" && page.places.some(({ name }) => name === value)) chosen.place = value;
  if (what === "place" && links().includes(value)) chosen.link = value;
}
selectFew();
chosen.over = timeChoices().length > 1 && shownSchemes().length <= FEW_OVER_TIME ? "all" : "queue";
offerAll();
draw();
