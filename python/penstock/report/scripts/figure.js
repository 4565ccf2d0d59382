// A figure: its title, the chart, the same numbers as a table, and files of both.

import { element } from "./elements.js";
import { csvText, saveCsv, savePng, saveSvg } from "./save.js";

const figures = [];
const HEIGHT = 216;

/**
 * Adds a figure to `host`. `draw(width)` returns a chart of Plot; `table()` the heads and rows of its numbers;
 * `schemes` those of the key in a saved file; `keys` the lines of the key on the page.
 */
export function addFigure(host, spec) {
  const caption = element("figcaption", {}, element("b", {}, spec.title));
  if (spec.unit) caption.append(element("span", { class: "unit" }, spec.unit));
  if (spec.note) caption.append(element("span", { class: "dir" }, spec.note));
  if (spec.keys?.length) caption.append(keyOf(spec.keys));
  const drawn = element("div", { class: "drawn" });
  const data = element("div", { class: "scroll data", tabindex: 0, role: "region", "aria-label": `${spec.title}: table`, hidden: true });
  const shown = { ...spec, drawn, width: 0 };
  const card = element("figure", { class: "card" }, caption, figureTools(shown, data), drawn, data);
  host.append(card);
  figures.push(shown);
  fit(shown);
}

/** The key of lines: {label, stroke, dash}. */
function keyOf(keys) {
  const line = ({ stroke, dash }) => `<svg width="22" height="8" aria-hidden="true"><path d="M0 4H22" stroke="${stroke}" stroke-width="2" stroke-dasharray="${dash ?? "none"}"/></svg>`;
  const entries = keys.map((one) => {
    const entry = element("span", {}, one.label);
    entry.insertAdjacentHTML("afterbegin", line(one));
    return entry;
  });
  return element("span", { class: "line-keys" }, ...entries);
}

/** The buttons of a figure: its numbers as a table, and files. `data` is the box of the table. */
export function figureTools(figure, data) {
  const toggle = element("button", { type: "button", class: "ghost", "aria-pressed": "false" }, "Table");
  toggle.addEventListener("click", () => {
    data.hidden = !data.hidden;
    figure.drawn.hidden = !data.hidden;
    toggle.setAttribute("aria-pressed", String(!data.hidden));
    if (!data.hidden) data.replaceChildren(tableOf(figure.table()));
    else if (figure.draw) fit(figure);
  });
  const file = (name, save) =>
    element("button", { type: "button", class: "ghost", "aria-label": `Save ${figure.title} as ${name}`, onclick: () => save(figure) }, name);
  const files = [file("SVG", saveSvg), file("PNG", savePng), file("CSV", saveCsv)];
  return element("div", { class: "files" }, toggle, ...files);
}

function tableOf({ heads, rows }) {
  const cell = (value, at) =>
    at === 0 ? element("th", { scope: "row" }, csvText(value)) : element("td", { class: typeof value === "number" ? "num" : "" }, csvText(value));
  return element(
    "table",
    { class: "numbers-of" },
    element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
    element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map(cell)))),
  );
}

/** Removes all figures of the page. */
export function clearFigures() {
  for (const { drawn } of figures.splice(0)) drawn.closest("figure").remove();
}

/** Draws the figures again whose place has another width. */
export function fitFigures() {
  figures.forEach(fit);
}

function fit(figure) {
  const width = figure.drawn.clientWidth;
  if (width < 60 || width === figure.width) return;
  figure.width = width;
  const chart = figure.draw(width);
  // The chart is one picture; only what it is can be heard, and its table.
  for (const mark of chart.querySelectorAll("g[aria-label]")) {
    mark.dataset.mark = mark.getAttribute("aria-label");
    mark.removeAttribute("aria-label");
  }
  chart.setAttribute("role", "img");
  chart.setAttribute("aria-label", `${figure.title}${figure.unit ? `, ${figure.unit}` : ""}`);
  figure.drawn.replaceChildren(chart);
}

/** A chart of Plot in the look of the page; `across` and `up` are axes of scales.js. */
export function chart(width, across, up, marks, options = {}) {
  return Plot.plot({
    width,
    height: HEIGHT,
    marginLeft: up.left,
    marginRight: 12,
    marginTop: 12,
    marginBottom: across.bottom,
    style: "background: none; overflow: visible; font: 11px var(--sans); --plot-background: var(--card)",
    x: across.scale,
    y: up.scale,
    marks: [up.marks, across.marks, marks],
    ...options,
  });
}

/** A tip that follows the pointer: `rows` have `x`, `y` and `text`. */
export function tips(rows) {
  return [
    Plot.ruleX(rows, Plot.pointerX({ x: "x", stroke: "var(--faint)", strokeDasharray: "2 3", className: "pointed" })),
    Plot.tip(rows, Plot.pointerX({ x: "x", y: "y", title: "text", stroke: "var(--line)", className: "pointed", fontSize: 11.5, lineHeight: 1.3, maxRadius: Infinity })),
  ];
}
