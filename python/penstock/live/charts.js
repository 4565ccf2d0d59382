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
  const plot = new uPlot(common, data, node);
  const observer = new ResizeObserver(() => plot.setSize({ width: Math.max(200, node.clientWidth), height }));
  observer.observe(node);
  const remove = () => {
    observer.disconnect();
    plot.destroy();
  };
  return { plot, remove };
}

const TICK = { drop: 9, mark: 5 }; // height of a drop and of a mark at the foot of the chart, in CSS pixels

/** Queue and average on the left, drop probability on the right where there is one; at the foot drops and marks. */
export class TimeChart {
  /** `times`: {drop, mark}: those of the pane, which grow. */
  constructor(node, times) {
    this.node = node;
    this.times = times;
    this.extent = { queue: 0, probability: 0 };
    this.#build(false);
  }

  #build(hasProbability) {
    this.hasProbability = hasProbability;
    this.made?.remove();
    const upTo = (least, which) => () => [0, Math.max(least, this.extent[which] * 1.1)];
    const right = hasProbability ? [axis("drop probability", 1, { scale: "p" })] : [];
    this.made = chart(
      this.node,
      190,
      {
        scales: { x: { time: false }, q: { range: upTo(10, "queue") }, p: { range: upTo(0.01, "probability") } },
        axes: [axis("time (s)", 2, { size: 32, labelSize: 14 }), axis("packets", 3, { scale: "q" }), ...right],
        series: [
          {},
          line("queue", "--c1", "q"),
          line("average", "--c2", "q", { width: 2 }),
          line("probability", "--c3", "p", { dash: [5, 3] }),
        ],
        hooks: { draw: [(plot) => this.#ticks(plot)] },
      },
      [[], [], [], []],
    );
    this.plot = this.made.plot;
  }

  /** The drops and marks within the shown time, as strokes at the foot. */
  #ticks(plot) {
    const { ctx: context, bbox: box } = plot;
    const scale = window.devicePixelRatio || 1;
    const { min, max } = plot.scales.x;
    context.save();
    context.setLineDash([]);
    for (const [kind, colour] of [["mark", "--c4"], ["drop", "--c2"]]) {
      context.strokeStyle = themeColour(colour);
      context.lineWidth = scale;
      context.beginPath();
      for (const time of this.times()[kind]) {
        if (time < min || time > max) continue;
        const x = plot.valToPos(time, "x", true);
        context.moveTo(x, box.top + box.height);
        context.lineTo(x, box.top + box.height - TICK[kind] * scale);
      }
      context.stroke();
    }
    context.restore();
  }

  /**
   * `history`: columns time, queue, average, probability; the last `span` seconds are shown. `extent`: the largest queue and
   * probability of all panes.
   */
  draw(history, span, extent) {
    this.extent = extent;
    const hasProbability = history[3].some((value) => value !== null);
    if (hasProbability !== this.hasProbability) this.#build(hasProbability);
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
    this.longest = 0;
    this.plot = chart(
      node,
      130,
      {
        scales: { x: { time: false, range: () => [0, Math.max(1, this.longest)] }, y: { range: (_, __, high) => [0, Math.max(high ?? 0, 0.01) * 1.1] } },
        axes: [axis("queueing delay (ms)", 2, { size: 32, labelSize: 14 }), axis("share per ms", 3, { scale: "y" })],
        series: [{}, line("share", "--c1", "y", { fill: () => `${themeColour("--c1")}33`, paths: uPlot.paths.stepped({ align: 1 }) })],
      },
      [[0], [0]],
    ).plot;
  }

  reset(delays) {
    this.before = delays;
  }

  /** The longest delay since the last reset, in ms. */
  extent(delays) {
    const last = delays.findLastIndex((count, bin) => count > (this.before[bin] ?? 0));
    return last < 0 ? 0 : delayOfBin(last + 1) * 1000;
  }

  /** `longest`: the longest delay of all panes, in ms. */
  draw(delays, longest) {
    this.longest = longest;
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

/** The drop function, and the point at which the AQM works now. */
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
          line("drop function", "--c3", "y"),
          line("now", "--c2", "y", { width: 0, points: { show: true, size: 10, fill: () => themeColour("--c2") } }),
        ],
      },
      [[0], [0], [0]],
    ).plot;
  }

  /** Whether the AQM has a drop function. */
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
