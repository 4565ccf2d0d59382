// Queue, average and max_p over time, and the two queues of a dual queue: one run of each scheme.

import { addCourses, courseKinds } from "./courses.js";
import { addFigure, chart, tips } from "./figure.js";
import { colour, nice } from "./looks.js";
import { chosen, page, shownSchemes } from "./page_data.js";
import { numberAxis, ticksOf, tickText, valueAxis } from "./scales.js";
import { isShown, zoomable } from "./zoom.js";

/** What can be shown over time: [value, label] of each choice. */
export function timeChoices() {
  const kinds = courseKinds().map(({ kind, title }) => [kind, title.toLowerCase()]);
  return kinds.length ? [["all", "everything"], ["queue", "queue length"], ...kinds] : [["queue", "queue length"]];
}

/** Adds the figures of what is chosen; whether there is any. `redraw` draws the page again. */
export function addOverTime(host, redraw) {
  const kinds = chosen.over === "all" ? ["queue", ...courseKinds().map(({ kind }) => kind)] : [chosen.over];
  return kinds.map((kind) => (kind === "queue" ? addQueues(host, redraw) : addCourses(host, kind, redraw))).some(Boolean);
}

function addQueues(host, redraw) {
  const shown = new Set(shownSchemes().map(({ scheme }) => scheme));
  const here = page.series.filter(({ scheme, point, links }) => point === chosen.point && links[chosen.link] && shown.has(scheme));
  const highest = (name) => Math.max(0, ...here.flatMap(({ links }) => links[chosen.link][name]?.mean ?? []));
  const top = Math.max(1, ...here.flatMap(({ links }) => links[chosen.link].queue.max));
  for (const { scheme, links } of here) addFigure(host, spec(scheme, links[chosen.link], { top, topP: highest("max_p"), redraw }));
  return here.length > 0;
}

function spec(scheme, series, extent) {
  const columns = [["mean", series.queue.mean], ["shortest", series.queue.min], ["longest", series.queue.max], ["average of the AQM", series.avg?.mean], ["L4S queue", series.lq?.mean], ["Classic queue", series.cq?.mean], ["max_p", series.max_p?.mean]];
  const known = columns.filter(([, values]) => values);
  return {
    title: page.kind === "run" ? "Queue" : `Queue: ${page.schemes[scheme].title}`,
    unit: "waiting packets",
    note: series.max_p && "right axis: max_p",
    keys: [
      { label: "queue, its mean and range", stroke: colour(scheme) },
      ...(series.avg ? [{ label: "average of the AQM", stroke: "var(--ink)" }] : []),
      ...(series.lq ? [{ label: "L4S queue", stroke: "var(--accent)", dash: "5 3" }, { label: "Classic queue", stroke: "var(--ink)" }] : []),
      ...(series.max_p ? [{ label: "max_p", stroke: "var(--accent)", dash: "5 3" }] : []),
    ],
    table: () => ({
      heads: ["time (s)", ...known.map(([name]) => name)],
      rows: series.t.flatMap((time, at) => (isShown(time) ? [[time, ...known.map(([, values]) => values[at])]] : [])),
    }),
    draw: (width) => draw(width, scheme, series, extent),
  };
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
      series.lq ? [line("classic", "var(--ink)", { strokeWidth: 1.2 }), line("l4s", "var(--accent)", { strokeWidth: 1.6, strokeDasharray: "5 3" })] : [],
      series.max_p ? [line(({ maxP }) => maxP * scale, "var(--accent)", { strokeWidth: 1.6, strokeDasharray: "5 3" }), rightAxis(topP, scale)] : [],
      tips(rows.map(tipOf)),
    ],
    { marginRight: right, x: { ...across.scale, clamp: true } },
  );
  zoomable(drawn, redraw);
  return drawn;
}

function rowOf(series, at) {
  return { x: series.t[at], queue: series.queue.mean[at], low: series.queue.min[at], high: series.queue.max[at], average: series.avg?.mean[at], l4s: series.lq?.mean[at], classic: series.cq?.mean[at], maxP: series.max_p?.mean[at] };
}

function rightAxis(topP, scale) {
  const ticks = ticksOf([0, topP * 1.08], 4).map((tick) => tick * scale);
  return Plot.axisY(ticks, { anchor: "right", tickFormat: (tick) => tickText(tick / scale), label: null, color: "var(--accent)", stroke: "var(--line)", tickSize: 4 });
}

function tipOf({ x, queue, low, high, average, l4s, classic, maxP }) {
  const lines = [`${nice(x)} s`, `queue ${nice(queue)} (${nice(low)} to ${nice(high)})`];
  if (average !== undefined) lines.push(`average ${nice(average)}`);
  if (l4s !== undefined) lines.push(`L4S queue ${nice(l4s)}, Classic queue ${nice(classic)}`);
  if (maxP !== undefined) lines.push(`max_p ${nice(maxP)}`);
  return { x, y: queue, text: lines.join("\n") };
}
