// The metrics of the chosen place against a swept value: one line a scheme.

import { addFigure, chart, tips } from "./figure.js";
import { colour, dashes, symbol, withInterval } from "./looks.js";
import { INTERVALS, chosen, combinations, page, place, shownSchemes } from "./page_data.js";
import { nameAxis, numberAxis, padded, valueAxis } from "./scales.js";

const ASIDE = 9; // pixels between the markers of two schemes at a name

export function addSweep(host) {
  const axis = page.axes[chosen.axis];
  const { points, label } = combinations([chosen.axis])[chosen.rest];
  for (const metric of place().metrics) {
    if (metric.key || chosen.allMetrics) addFigure(host, spec(metric, axis, points, label));
  }
}

function spec(metric, axis, points, fixed) {
  const rows = rowsOf(metric, axis, points);
  const unit = metric.unit && ` (${metric.unit})`;
  return {
    title: metric.title,
    unit: metric.unit,
    note: metric.better && `${metric.better} is better`,
    schemes: shownSchemes(),
    table: () => ({
      heads: [axis.title, ...(fixed ? ["at"] : []), "scheme", `mean${unit}`, `95 % from${unit}`, `95 % to${unit}`],
      rows: rows.map((row) => [row.name, ...(fixed ? [fixed] : []), row.full, row.mean, row.low, row.high]),
    }),
    draw: (width) => draw(width, metric, axis, rows),
  };
}

/** The numbers of the shown schemes, in the order of the swept values. */
function rowsOf(metric, axis, points) {
  const at = (point) => page.points[point].at[chosen.axis];
  const order = [...points].sort((a, b) => at(a) - at(b));
  return order.flatMap((point) =>
    shownSchemes().flatMap(({ scheme, label, full }) => {
      const mean = metric.mean[scheme][point];
      if (mean === null) return [];
      const name = axis.labels[at(point)];
      return [{ scheme, label, full, name, x: axis.numbers?.[at(point)] ?? name, mean, low: metric.low[scheme][point], high: metric.high[scheme][point] }];
    }),
  );
}

function draw(width, metric, axis, rows) {
  const up = valueAxis(padded(rows.flatMap(({ mean, low, high }) => [mean, low ?? mean, high ?? mean]), metric.top), 160, { whole: metric.whole });
  const inner = width - up.left - 12;
  const shown = shownSchemes().map(({ scheme }) => rows.filter((row) => row.scheme === scheme));
  const [across, marks] = axis.numbers
    ? [numberAxis(widened(axis), inner, { values: axis.numbers, whole: axis.numbers.every(Number.isInteger), log: axis.log, label: axis.title }), shown.map(lineOf)]
    : [nameAxis(axis.labels, inner, axis.title), shown.map((own, at) => pointsOf(own, ASIDE * (at - (shown.length - 1) / 2)))];
  return chart(width, across, up, [marks, tips(tipRows(rows, metric))]);
}

function lineOf(rows) {
  if (!rows.length) return [];
  const { scheme } = rows[0];
  const stroke = colour(scheme);
  return [
    Plot.areaY(rows.filter(({ low }) => low !== null), { x: "x", y1: "low", y2: "high", fill: stroke, fillOpacity: 0.13 }),
    Plot.lineY(rows, { x: "x", y: "mean", stroke, strokeWidth: 1.8, strokeDasharray: dashes(scheme) }),
    pointsOf(rows, 0),
  ];
}

/** Markers with whiskers, `aside` pixels beside their place: nothing joins names. */
function pointsOf(rows, aside) {
  if (!rows.length) return [];
  const { scheme } = rows[0];
  const stroke = colour(scheme);
  return [
    Plot.link(rows.filter(({ low }) => low !== null), { x1: "x", x2: "x", y1: "low", y2: "high", dx: aside, stroke, strokeWidth: 1.1, marker: "tick" }),
    Plot.dot(rows, { x: "x", y: "mean", dx: aside, fill: stroke, stroke: "var(--card)", strokeWidth: 0.8, r: 4, symbol: symbol(scheme) }),
  ];
}

function tipRows(rows, metric) {
  return [...Map.groupBy(rows, ({ name }) => name)].map(([name, here]) => {
    const sorted = here.toSorted((a, b) => b.mean - a.mean);
    const lines = sorted.map(({ label, mean, low, high }) => `${label}: ${withInterval(mean, low, high)}`);
    return { x: here[0].x, y: sorted[0].mean, text: [`${name}${metric.unit ? ` · in ${metric.unit}` : ""}`, ...lines, INTERVALS].join("\n") };
  });
}

function widened({ numbers, log }) {
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const edge = log ? (high / low) ** 0.06 : (high - low || 1) * 0.06;
  return log ? [low / edge, high * edge] : [low - edge, high + edge];
}
