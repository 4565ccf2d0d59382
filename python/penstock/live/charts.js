// The charts of a pane, drawn by uPlot: over time, the delays, the drop function.

import { themeColour } from "./elements.js";
import { delayOfBin } from "./engine.js";

function axis(label, side, extra = {}) {
  const stroke = () => themeColour("--soft");
  const grid = { stroke: () => themeColour("--grid"), width: 1, show: side !== 1 };
  return { label, side, stroke, grid, ticks: { show: false }, font: "11px system-ui", labelFont: "11px system-ui", labelSize: 16, size: 44, ...extra };
}

function line(label, colour, scale, extra = {}) {
  return { label, scale, stroke: () => themeColour(colour), width: 1.5, points: { show: false }, ...extra };
}

function chart(node, height, options, data) {
  const width = Math.max(200, node.clientWidth);
  const common = { width, height, legend: { show: false }, cursor: { show: false }, ...options };
  const made = new uPlot(common, data, node);
  new ResizeObserver(() => made.setSize({ width: Math.max(200, node.clientWidth), height })).observe(node);
  return made;
}

/** Queue and average on the left, drop probability on the right. */
export class TimeChart {
  constructor(node) {
    const upTo = (least) => (_, __, high) => [0, Math.max(least, (high ?? 0) * 1.1)];
    this.plot = chart(
      node,
      190,
      {
        scales: { x: { time: false }, q: { range: upTo(10) }, p: { range: upTo(0.01) } },
        axes: [
          axis("time (s)", 2, { size: 32, labelSize: 14 }),
          axis("packets", 3, { scale: "q" }),
          axis("drop probability", 1, { scale: "p" }),
        ],
        series: [
          {},
          line("queue", "--c1", "q"),
          line("average", "--c2", "q", { width: 2 }),
          line("probability", "--c3", "p", { dash: [5, 3] }),
        ],
      },
      [[], [], [], []],
    );
  }

  /** `history`: columns time, queue, average, probability; the last `span` seconds are shown. */
  draw(history, span) {
    const end = history[0].at(-1) ?? 0;
    this.plot.setData(history, false);
    this.plot.batch(() => {
      this.plot.setScale("x", { min: Math.max(0, end - span), max: Math.max(end, span) });
    });
  }
}

/** Share of departures by queueing delay since the last reset. */
export class DelayChart {
  constructor(node) {
    this.before = new Float64Array(0);
    this.plot = chart(
      node,
      130,
      {
        scales: { x: { time: false }, y: { range: (_, __, high) => [0, Math.max(high ?? 0, 0.01) * 1.1] } },
        axes: [axis("queueing delay (ms)", 2, { size: 32, labelSize: 14 }), axis("share per ms", 3, { scale: "y" })],
        series: [{}, line("share", "--c1", "y", { fill: () => `${themeColour("--c1")}33`, paths: uPlot.paths.stepped({ align: 1 }) })],
      },
      [[0], [0]],
    );
  }

  reset(delays) {
    this.before = delays;
  }

  draw(delays) {
    const counts = Array.from(delays, (count, bin) => count - (this.before[bin] ?? 0));
    const total = counts.reduce((sum, count) => sum + count, 0);
    const xs = [0];
    const ys = [0];
    // Bins narrower than a millisecond are drawn together.
    for (let bin = 0; bin < counts.length; ) {
      const from = delayOfBin(bin) * 1000;
      let count = 0;
      let to = from;
      while (bin < counts.length && to - from < 1) {
        count += counts[bin];
        bin += 1;
        to = delayOfBin(bin) * 1000;
      }
      xs.push(from);
      ys.push(total ? count / total / (to - from) : 0);
      if (bin >= counts.length) {
        xs.push(to);
        ys.push(0);
      }
    }
    this.plot.setData([xs.slice(1), ys.slice(1)]);
  }
}

/** The drop function, and the point at which the law works now. */
export class CurveChart {
  constructor(node, height) {
    this.curve = [];
    this.plot = chart(
      node,
      height,
      {
        scales: { x: { time: false }, y: { range: (_, __, high) => [0, Math.max(high ?? 0, 0.01) * 1.05] } },
        axes: [axis("average queue (packets)", 2, { size: 32, labelSize: 14 }), axis("drop probability", 3, { scale: "y" })],
        series: [
          {},
          line("law", "--c3", "y"),
          line("now", "--c2", "y", { width: 0, points: { show: true, size: 10, fill: () => themeColour("--c2") } }),
        ],
      },
      [[0], [0], [0]],
    );
  }

  /** Whether the law has a drop function. */
  set(curve) {
    this.curve = curve;
    return curve.length > 0;
  }

  draw(average, probability) {
    if (this.curve.length === 0 || !Number.isFinite(average)) return;
    const points = [...this.curve.map(([x, p]) => [x, p, null]), [average, null, Number.isFinite(probability) ? probability : 0]];
    points.sort((a, b) => a[0] - b[0]);
    const columns = [0, 1, 2].map((place) => points.map((point) => point[place]));
    // The line goes on through the place of the point.
    columns[1] = columns[1].map((p, place) => p ?? columns[1][place - 1] ?? columns[1][place + 1] ?? null);
    this.plot.setData(columns);
  }
}
