// Rates, windows, delays, drops and marks over time, by group of traffic: one run of each scheme.

import { addFigure, chart, tips } from "./figure.js";
import { colour, dashes, nice } from "./looks.js";
import { chosen, page, shownSchemes } from "./page_data.js";
import { numberAxis, valueAxis } from "./scales.js";
import { isShown, zoomable } from "./zoom.js";

/** The kinds of panels of the page, in their order: {kind, title}. */
export function courseKinds() {
  const titles = new Map(page.series.flatMap(({ course }) => (course?.panels ?? []).map(({ kind, title }) => [kind, title])));
  return [...titles].map(([kind, title]) => ({ kind, title }));
}

/** Adds a figure of this kind for each shown scheme, at the chosen link if the kind is one of links; whether there is any. */
export function addCourses(host, kind, redraw) {
  const shown = new Set(shownSchemes().map(({ scheme }) => scheme));
  const here = page.series
    .filter(({ scheme, point, course }) => point === chosen.point && course && shown.has(scheme))
    .flatMap(({ scheme, course }) => course.panels.filter((panel) => panel.kind === kind && ["", chosen.link].includes(panel.link)).map((panel) => ({ scheme, course, panel })));
  const top = Math.max(0, ...here.flatMap(({ panel }) => panel.lines.flatMap(({ values }) => values)));
  for (const one of here) addFigure(host, spec(one, top || 1, redraw));
  return here.length > 0;
}

function spec({ scheme, course, panel }, top, redraw) {
  const times = page.times[course.t];
  const groups = [...new Map(panel.lines.map(({ group, label }) => [group, panel.kind === "cwnd_pkts" ? label.replace(/ \d+$/, "") : label]))];
  return {
    title: page.kind === "run" ? panel.title : `${panel.title}: ${page.schemes[scheme].title}`,
    unit: panel.unit,
    schemes: groups.map(([group, label]) => ({ scheme: group, label, full: label })),
    keys: groups.map(([group, label]) => ({ label, stroke: colour(group), dash: dashes(group) })),
    table: () => ({
      heads: ["time (s)", ...panel.lines.map(({ label }) => label)],
      rows: times.flatMap((time, at) => (isShown(time) ? [[time, ...panel.lines.map(({ values }) => values[at])]] : [])),
    }),
    draw: (width) => draw(width, times, panel, top, redraw),
  };
}

function draw(width, times, { lines, unit }, top, redraw) {
  const up = valueAxis([0, top * 1.04], 160);
  const domain = chosen.zoom ?? [0, times.at(-1)];
  const across = numberAxis(domain, width - up.left - 12, { label: "time (s)" });
  const marks = lines.map(({ group, values }) => {
    const rows = times.flatMap((x, at) => (isShown(x) ? [{ x, y: values[at] }] : []));
    return Plot.lineY(rows, { x: "x", y: "y", stroke: colour(group), strokeWidth: 1.3, strokeDasharray: dashes(group) });
  });
  const rows = times.flatMap((x, at) => {
    const known = lines.filter(({ values }) => values[at] !== null);
    if (!known.length || !isShown(x)) return [];
    const texts = known.map(({ label, values }) => `${label}: ${nice(values[at])} ${unit}`);
    return [{ x, y: Math.max(...known.map(({ values }) => values[at])), text: [`${nice(x)} s`, ...texts].join("\n") }];
  });
  const drawn = chart(width, across, up, [marks, tips(rows)], { x: { ...across.scale, clamp: true } });
  zoomable(drawn, redraw);
  return drawn;
}
