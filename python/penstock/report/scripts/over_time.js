// Queue, average and max_p over time: one run of each scheme.

import { addFigure, chart, tips } from "./figure.js";
import { colour, nice } from "./looks.js";
import { chosen, page, shownSchemes } from "./page_data.js";
import { numberAxis, ticksOf, tickText, valueAxis } from "./scales.js";

/** Adds a figure for each shown scheme; whether there is any. `redraw` draws the page again. */
export function addOverTime(host, redraw) {
  const shown = new Set(shownSchemes().map(({ scheme }) => scheme));
  const here = page.series.filter(({ scheme, point, links }) => point === chosen.point && links[chosen.link] && shown.has(scheme));
  const highest = (name) => Math.max(0, ...here.flatMap(({ links }) => links[chosen.link][name]?.mean ?? []));
  const top = Math.max(1, ...here.flatMap(({ links }) => links[chosen.link].queue.max));
  for (const { scheme, links } of here) addFigure(host, spec(scheme, links[chosen.link], { top, topP: highest("max_p"), redraw }));
  return here.length > 0;
}

function spec(scheme, series, extent) {
  const columns = [["mean", series.queue.mean], ["shortest", series.queue.min], ["longest", series.queue.max], ["average of the law", series.avg?.mean], ["max_p", series.max_p?.mean]];
  const known = columns.filter(([, values]) => values);
  return {
    title: page.schemes[scheme].title,
    unit: "waiting packets",
    note: series.max_p && "right axis: max_p",
    table: () => ({
      heads: ["time (s)", ...known.map(([name]) => name)],
      rows: series.t.flatMap((time, at) => (isShown(time) ? [[time, ...known.map(([, values]) => values[at])]] : [])),
    }),
    draw: (width) => draw(width, scheme, series, extent),
  };
}

function isShown(time) {
  return chosen.zoom === null || (time >= chosen.zoom[0] && time <= chosen.zoom[1]);
}

function draw(width, scheme, series, { top, topP, redraw }) {
  const up = valueAxis([0, top * 1.04], 160, { whole: true });
  const domain = chosen.zoom ?? [Math.min(...series.t), Math.max(...series.t)];
  const right = topP > 0 ? 44 : 12;
  const across = numberAxis(domain, width - up.left - right, { label: "time (s)" });
  const rows = series.t.flatMap((x, at) => (isShown(x) ? [rowOf(series, at)] : []));
  const scale = (top * 1.04) / (topP * 1.08 || 1); // packets for each of max_p
  const line = (y, stroke, more = {}) => Plot.lineY(rows, { x: "x", y, stroke, ...more });
  const drawn = chart(
    width,
    across,
    up,
    [
      Plot.areaY(rows, { x: "x", y1: "low", y2: "high", fill: colour(scheme), fillOpacity: 0.22 }),
      line("queue", colour(scheme), { strokeWidth: 1 }),
      series.avg ? line("average", "var(--ink)", { strokeWidth: 1.8 }) : [],
      series.max_p ? [line(({ maxP }) => maxP * scale, "var(--accent)", { strokeWidth: 1.6, strokeDasharray: "5 3" }), rightAxis(topP, scale)] : [],
      tips(rows.map(tipOf)),
    ],
    { marginRight: right, x: { ...across.scale, clamp: true } },
  );
  zoomable(drawn, redraw);
  return drawn;
}

function rowOf(series, at) {
  return { x: series.t[at], queue: series.queue.mean[at], low: series.queue.min[at], high: series.queue.max[at], average: series.avg?.mean[at], maxP: series.max_p?.mean[at] };
}

function rightAxis(topP, scale) {
  const ticks = ticksOf([0, topP * 1.08], 4).map((tick) => tick * scale);
  return Plot.axisY(ticks, { anchor: "right", tickFormat: (tick) => tickText(tick / scale), label: null, color: "var(--accent)", stroke: "var(--line)", tickSize: 4 });
}

function tipOf({ x, queue, low, high, average, maxP }) {
  const lines = [`${nice(x)} s`, `queue ${nice(queue)} (${nice(low)} to ${nice(high)})`];
  if (average !== undefined) lines.push(`average ${nice(average)}`);
  if (maxP !== undefined) lines.push(`max_p ${nice(maxP)}`);
  return { x, y: queue, text: lines.join("\n") };
}

/** Lets the reader drag over a part of the time axis; a double click shows all of it. */
function zoomable(drawn, redraw) {
  const { range, invert } = drawn.scale("x");
  const bottom = Number(drawn.getAttribute("height"));
  const brush = Plot.brushX()
    .extent([[range[0], 0], [range[1], bottom - 38]])
    .on("end", ({ selection, sourceEvent }) => {
      if (!selection || !sourceEvent) return;
      chosen.zoom = selection.map(invert);
      redraw();
    });
  Plot.select(drawn).append("g").attr("class", "brush").call(brush);
  drawn.addEventListener("dblclick", () => {
    if (chosen.zoom === null) return;
    chosen.zoom = null;
    redraw();
  });
}
