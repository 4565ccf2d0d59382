// A metric by two swept values: a heat map for each scheme, all in the same colours.

import { addFigure, chart } from "./figure.js";
import { nice, withInterval } from "./looks.js";
import { INTERVALS, chosen, combinations, page, place, shownSchemes } from "./page_data.js";
import { nameAxis, shortened } from "./scales.js";

const DARKEST = 0.5; // so that the numbers in the cells can be read, in light and dark colours
const ROW = 34;
const TOP = 26; // of the name of the axis upwards
const DIGIT = 7;

export function addHeat(host) {
  const axes = [chosen.axis, chosen.up];
  const metric = place().metrics[chosen.metric] ?? place().metrics[0];
  const { points, label } = combinations(axes)[chosen.others];
  const known = shownSchemes().flatMap(({ scheme }) => points.map((point) => metric.mean[scheme][point])).filter(Number.isFinite);
  const range = [Math.min(...known), Math.max(...known)];
  for (const one of shownSchemes()) addFigure(host, spec(one, metric, points, label, range));
}

function spec({ scheme, label, title }, metric, points, fixed, range) {
  const [across, down] = [page.axes[chosen.axis], page.axes[chosen.up]];
  const rows = points.map((point) => {
    const { at } = page.points[point];
    const [mean, low, high] = [metric.mean, metric.low, metric.high].map((column) => column[scheme][point]);
    const [x, y] = [at[chosen.axis], at[chosen.up]];
    return { x: across.labels[x], y: down.labels[y], words: [across.words[x], down.words[y]], mean, low, high };
  });
  return {
    title: `${label}: ${metric.title.toLowerCase()}`,
    unit: metric.unit,
    note: [fixed, metric.better && `${metric.better} is better`].filter(Boolean).join("; "),
    table: () => grid(rows, across, down),
    draw: (width) => draw(width, rows, across, down, range, metric.unit),
  };
}

/** The numbers as they stand in the map. */
function grid(rows, across, down) {
  const at = new Map(rows.map((row) => [`${row.x}\n${row.y}`, row.mean]));
  return {
    heads: [`${down.title} \\ ${across.title}`, ...across.labels],
    rows: down.labels.map((y) => [y, ...across.labels.map((x) => at.get(`${x}\n${y}`))]),
  };
}

function draw(width, rows, across, down, [low, high], unit) {
  const left = 22 + DIGIT * Math.max(...down.labels.map((text) => shortened(text).length));
  const inner = width - left - 12;
  const axis = nameAxis(across.labels, inner, across.title, "band");
  const up = {
    scale: { type: "band", domain: [...down.labels].reverse(), padding: 0, label: null },
    left,
    marks: [Plot.axisY({ label: down.title, labelAnchor: "top", labelArrow: "none", tickSize: 4, stroke: "var(--line)", color: "var(--soft)", tickFormat: shortened })],
  };
  const shown = rows.filter(({ mean }) => mean !== null);
  const wide = inner / across.labels.length;
  const fits = Math.max(...shown.map(({ mean }) => nice(mean).length)) * DIGIT < wide;
  const strength = ({ mean }) => 0.03 + (DARKEST - 0.03) * (high > low ? (mean - low) / (high - low) : 0);
  const texts = shown.map((row) => ({
    ...row,
    text: [...row.words, `${withInterval(row.mean, row.low, row.high)} ${unit}`, INTERVALS].join("\n"),
  }));
  return chart(
    width,
    axis,
    up,
    [
      Plot.cell(shown, { x: "x", y: "y", fill: "var(--accent)", fillOpacity: strength, inset: 1, rx: 3 }),
      fits ? Plot.text(shown, { x: "x", y: "y", text: ({ mean }) => nice(mean), fill: "var(--ink)" }) : [],
      Plot.tip(texts, Plot.pointer({ x: "x", y: "y", title: "text", stroke: "var(--line)", className: "pointed", fontSize: 11.5, lineHeight: 1.3 })),
    ],
    { height: TOP + axis.bottom + ROW * down.labels.length, marginTop: TOP, opacity: { type: "linear", domain: [0, 1], range: [0, 1] } },
  );
}
