// Delay (99th percentile) against utilization at the chosen setting; a line joins the schemes that no other scheme beats in both.

import { element } from "./elements.js";
import { addFigure, chart, tips } from "./figure.js";
import { colour, shape, symbol, withInterval } from "./looks.js";
import { INTERVALS, chosen, page, place, shownSchemes } from "./page_data.js";
import { numberAxis, padded, valueAxis } from "./scales.js";
import { FEW, front, toggle } from "./selection.js";

const INNER_HEIGHT = 166; // of the figure, between its axes
const [LETTER, POINT] = [6.2, 14]; // pixels of a letter of a name, and of a point with its surroundings

/** Whether the chosen place has both numbers of several schemes. */
export function addTradeOff(host, redraw) {
  const [delay, utilization] = ["delay_p99_s", "utilization"].map((name) => place()?.metrics.find((metric) => metric.name === name));
  host.replaceChildren();
  const rows = delay && utilization ? rowsOf(delay, utilization) : [];
  if (rows.length < 2) return false;
  const heads = [delay, utilization].flatMap(({ title, unit }) => [`${title} (${unit})`, `95 % from (${unit})`, `95 % to (${unit})`]);
  addFigure(host, {
    title: `${utilization.title} against ${delay.title.toLowerCase()}`,
    unit: `${utilization.unit}, ${delay.unit}`,
    note: "better is up and to the left",
    schemes: shownSchemes(),
    table: () => ({
      heads: ["scheme", ...heads, "beaten in both"],
      rows: rows.map((row) => [row.full, row.x, row.x1, row.x2, row.y, row.y1, row.y2, front(rows).includes(row) ? "no" : "yes"]),
    }),
    draw: (width) => draw(width, rows, delay, utilization),
  });
  host.append(ranking(rows, delay, utilization, redraw));
  return true;
}

/**
 * The schemes beside the figure, from the shortest delay; those among the best are marked, and counted over a sweep.
 * Of many schemes, a click shows one in the charts, or no longer.
 */
function ranking(rows, delay, utilization, redraw) {
  const { best, rows: lines } = place();
  const [delays, utilizations] = [delay, utilization].map(({ name }) => lines.find((line) => line.name === name).cells[chosen.point].split("|"));
  const sweep = page.points.length > 1;
  const heads = ["Scheme", `Delay (${delay.unit})`, `Utilization (${utilization.unit})`, ...(sweep ? [`Among the best, of ${page.points.length}`] : [])];
  const line = ({ scheme, label }) => {
    const looks = { class: best[chosen.point].includes(scheme) ? "chip best" : "chip" };
    const pick = { type: "button", "aria-pressed": String(!chosen.hidden.has(scheme)), onclick: () => (toggle(scheme), redraw()) };
    const mark = page.schemes.length > FEW ? element("button", { ...looks, ...pick }) : element("span", looks);
    mark.innerHTML = `<svg class="mk" viewBox="-1.5 -1.5 3 3" aria-hidden="true"><path fill="${colour(scheme)}" d="${shape(scheme)}"/></svg>`;
    mark.append(label);
    return element(
      "tr",
      {},
      element("th", { scope: "row" }, mark),
      numberCell(delays[scheme]),
      numberCell(utilizations[scheme]),
      ...(sweep ? [element("td", { class: "num" }, String(best.filter((one) => one.includes(scheme)).length))] : []),
    );
  };
  return element(
    "div",
    { class: `card ranking${page.schemes.length > FEW ? " many" : ""}`, tabindex: page.schemes.length > FEW ? 0 : undefined },
    element(
      "table",
      {},
      element("thead", {}, element("tr", {}, ...heads.map((head, at) => element("th", { scope: "col", class: at ? "num" : "" }, head)))),
      element("tbody", {}, ...[...rows].sort((a, b) => a.x - b.x).map(line)),
    ),
  );
}

/** A mean, and below it the half-width of its interval, as in the table of numbers. */
function numberCell(text) {
  const [mean, half] = text.split("±");
  return element("td", { class: "num" }, mean, ...(half ? [element("span", { class: "pm" }, `±${half}`)] : []));
}

/** The numbers of the shown schemes; of many schemes those of all, since the others are grey. */
function rowsOf(delay, utilization) {
  const schemes = page.schemes.length > FEW ? page.schemes.map((one, scheme) => ({ scheme, ...one })) : shownSchemes();
  return schemes.flatMap(({ scheme, label, full }) => {
    const of = ({ mean, low, high }) => [mean, low, high].map((column) => column[scheme][chosen.point]);
    const [x, x1, x2] = of(delay);
    const [y, y1, y2] = of(utilization);
    return x === null || y === null ? [] : [{ scheme, label, full, x, x1, x2, y, y1, y2 }];
  });
}

function draw(width, rows, delay, utilization) {
  const up = valueAxis(padded(rows.flatMap(({ y, y1, y2 }) => [y, y1 ?? y, y2 ?? y]), utilization.top), 160);
  const domain = padded(rows.flatMap(({ x, x1, x2 }) => [x, x1 ?? x, x2 ?? x]));
  const across = numberAxis(domain, width - up.left - 12, { label: `${delay.title.toLowerCase()} (${delay.unit})` });
  const texts = rows.map(({ label, x, x1, x2, y, y1, y2 }) => ({
    x, y,
    text: [label, `delay: ${withInterval(x, x1, x2)} ${delay.unit}`, `utilization: ${withInterval(y, y1, y2)} ${utilization.unit}`, INTERVALS].join("\n"),
  }));
  return chart(width, across, up, [
    Plot.line(front(rows), { x: "x", y: "y", stroke: "var(--faint)", strokeDasharray: "3 3" }),
    rows.toSorted((a, b) => chosen.hidden.has(b.scheme) - chosen.hidden.has(a.scheme)).map((row) => pointOf(row)),
    labelsOf(rows.filter(({ scheme }) => !chosen.hidden.has(scheme)), (x) => ((x - domain[0]) / (domain[1] - domain[0])) * (width - up.left - 12), up.scale.domain),
    tips(texts),
  ]);
}

/** The names beside their points, but not where points or names lie close together; the key and the tips have all. */
function labelsOf(rows, across, [bottom, top]) {
  const spot = (row) => [across(row.x), (1 - (row.y - bottom) / (top - bottom)) * INNER_HEIGHT];
  const middle = (across(Math.max(...rows.map(({ x }) => x))) + across(Math.min(...rows.map(({ x }) => x)))) / 2;
  const points = rows.map((row) => [spot(row), POINT, POINT]);
  const names = [];
  return rows.flatMap((row, at) => {
    const [x, y] = spot(row);
    if (points.some((other, place) => place !== at && over(points[at], other))) return [];
    for (const side of x > middle ? [-1, 1] : [1, -1]) {
      const wide = row.label.length * LETTER;
      const box = [[x + side * (10 + wide / 2), y - 9], wide, 13];
      if (x + side * (10 + wide) < 0) continue;
      if (points.some((other, place) => place !== at && over(box, other)) || names.some((other) => over(box, other))) continue;
      names.push(box);
      return [Plot.text([row], { x: "x", y: "y", text: "label", dx: 8 * side, dy: -9, textAnchor: side > 0 ? "start" : "end", fill: "var(--soft)", stroke: "var(--card)", strokeWidth: 3 })];
    }
    return [];
  });
}

/** Whether two boxes, each with its centre, width and height, overlap. */
function over([[x1, y1], wide1, high1], [[x2, y2], wide2, high2]) {
  return Math.abs(x1 - x2) < (wide1 + wide2) / 2 && Math.abs(y1 - y2) < (high1 + high2) / 2;
}

function pointOf(row) {
  if (chosen.hidden.has(row.scheme)) return Plot.dot([row], { x: "x", y: "y", fill: "var(--faint)", fillOpacity: 0.5, r: 3 });
  const stroke = colour(row.scheme);
  const known = row.x1 === null ? [] : [row];
  return [
    Plot.link(known, { x1: "x1", x2: "x2", y1: "y", y2: "y", stroke, marker: "tick" }),
    Plot.link(known, { x1: "x", x2: "x", y1: "y1", y2: "y2", stroke, marker: "tick" }),
    Plot.dot([row], { x: "x", y: "y", fill: stroke, stroke: "var(--card)", strokeWidth: 0.8, r: 5, symbol: symbol(row.scheme) }),
  ];
}
