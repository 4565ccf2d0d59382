// Distributions over whole numbers: bars for one scheme, steps for several; nothing is drawn between the numbers.

import { addFigure, chart, tips } from "./figure.js";
import { colour, dashes, nice, withInterval } from "./looks.js";
import { INTERVALS, chosen, page, place, shownSchemes } from "./page_data.js";
import { numberAxis, valueAxis } from "./scales.js";

const RARE = 0.1; // per cent
const FEWEST = 5; // bins across: one alone would be a wall of colour

/** Adds the distributions of the chosen place, of a run those of all places; whether there are any. */
export function addDistributions(host) {
  const places = page.kind === "run" ? page.places : [place()];
  let any = false;
  for (const { name, distributions } of places) {
    for (const one of distributions) {
      if (!chosen.allMetrics && one.name.startsWith("sampled")) continue;
      if (one.mean.every((points) => !points[chosen.point])) continue;
      addFigure(host, spec(one, page.kind === "run" ? name : ""));
      any = true;
    }
  }
  return any;
}

function spec(one, of) {
  const rows = rowsOf(one);
  return {
    title: one.title,
    unit: "%",
    note: of,
    schemes: page.kind === "run" ? [] : shownSchemes(),
    table: () => ({
      heads: [one.of, "scheme", "mean (%)", "95 % from (%)", "95 % to (%)", "runs"],
      rows: rows.map((row) => [row.name, row.full, row.mean, row.low, row.high, row.runs]),
    }),
    draw: (width) => draw(width, one, rows),
  };
}

function rowsOf(one) {
  const bins = Math.max(1, ...shownSchemes().map(({ scheme }) => binsOf(one.mean[scheme][chosen.point] ?? [])));
  return shownSchemes().flatMap(({ scheme, label, full }) => {
    if (!one.mean[scheme][chosen.point]) return [];
    return Array.from({ length: bins }, (_, bin) => {
      const [mean, low, high] = [one.mean, one.low, one.high].map((column) => column[scheme][chosen.point][bin] ?? 0);
      const first = one.first + bin * one.width;
      const name = one.width > 1 ? `${first}–${first + one.width - 1}` : String(first);
      return { scheme, label, full, name, x: first + (one.width - 1) / 2, first, mean, low, high, runs: one.runs[scheme][chosen.point] };
    });
  });
}

/** The number of bins up to the last one that is not rare. */
function binsOf(means) {
  return means.findLastIndex((mean) => mean >= RARE) + 1;
}

function draw(width, one, rows) {
  const up = valueAxis([0, Math.max(...rows.map(({ high }) => high), 0) * 1.06 || 1], 160);
  const last = Math.max(one.first + FEWEST * one.width - 1, ...rows.map(({ first }) => first + one.width - 1));
  const across = numberAxis([one.first - 0.5, last + 0.5], width - up.left - 12, { whole: true, label: one.of });
  const schemes = [...Map.groupBy(rows, ({ scheme }) => scheme)];
  const marks = schemes.length === 1 ? bars(rows, one.width) : schemes.map(([scheme, own]) => steps(scheme, own, one.width));
  return chart(width, across, up, [marks, Plot.ruleY([0], { stroke: "var(--line)" }), tips(tipRows(rows))]);
}

function bars(rows, wide) {
  const stroke = colour(rows[0].scheme);
  const inset = rows.length > 60 ? 0 : 0.6;
  const between = rows.filter(({ low, high }) => high > low);
  return [
    Plot.rectY(rows, { x1: (row) => row.x - wide / 2, x2: (row) => row.x + wide / 2, y: "mean", fill: stroke, insetLeft: inset, insetRight: inset }),
    Plot.link(between, { x1: "x", x2: "x", y1: "low", y2: "high", stroke: "var(--ink)", marker: rows.length > 40 ? "none" : "tick" }),
  ];
}

function steps(scheme, rows, wide) {
  const stroke = colour(scheme);
  const [first, last] = [rows[0], rows.at(-1)];
  const whole = [{ ...first, x: first.x - wide / 2 }, ...rows, { ...last, x: last.x + wide / 2 }]; // a step is as wide as its bin
  return [
    Plot.areaY(whole, { x: "x", y1: "low", y2: "high", fill: stroke, fillOpacity: 0.13, curve: "step" }),
    Plot.lineY(whole, { x: "x", y: "mean", stroke, strokeWidth: 1.5, strokeDasharray: dashes(scheme), curve: "step" }),
  ];
}

function tipRows(rows) {
  return [...Map.groupBy(rows, ({ name }) => name)].map(([name, here]) => {
    const lines = here.map(({ label, mean, low, high, runs }) => {
      const value = high > low ? withInterval(mean, low, high) : nice(mean);
      return `${page.kind === "run" ? "" : `${label}: `}${value} %${runs < page.runs ? `, n = ${runs}` : ""}`;
    });
    return { x: here[0].x, y: Math.max(...here.map(({ mean }) => mean)), text: [name, ...lines, ...(page.kind === "run" ? [] : [INTERVALS])].join("\n") };
  });
}
