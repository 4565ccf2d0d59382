// Windows and rates of the flows, a bar each.

import { cleared, flowColour, themeColour } from "./elements.js";

const MOST = 60;

export class FlowBars {
  constructor(canvas) {
    this.canvas = canvas;
    this.before = new Map();
    this.rates = new Map();
    this.time = 0;
  }

  /** `flows`: rows of 6: flow, group, window, threshold, round trip, bytes received. */
  draw(flows, time) {
    this.#measure(flows, time);
    const rows = [];
    for (let at = 0; at < flows.length && rows.length < MOST; at += 6) {
      rows.push({ flow: flows[at], window: flows[at + 2], rate: this.rates.get(flows[at]) ?? 0 });
    }
    const { context, width, height } = cleared(this.canvas);
    const half = height / 2;
    bars(context, rows.map((row) => row.window), rows, { width, top: 0, height: half, label: "window", unit: "packets" });
    bars(context, rows.map((row) => row.rate / 1e6), rows, { width, top: half, height: half, label: "rate", unit: "Mbit/s" });
  }

  /** Rates between two readings, smoothed. */
  #measure(flows, time) {
    const span = time - this.time;
    if (span <= 0) {
      if (span < 0) this.before.clear();
      this.time = time;
      return;
    }
    for (let at = 0; at < flows.length; at += 6) {
      const [flow, received] = [flows[at], flows[at + 5]];
      const rate = ((received - (this.before.get(flow) ?? received)) * 8) / span;
      const known = this.rates.get(flow) ?? rate;
      const weight = 1 - Math.exp(-span / 2);
      this.rates.set(flow, known + weight * (rate - known));
      this.before.set(flow, received);
    }
    this.time = time;
  }
}

function bars(context, values, rows, { width, top, height, label, unit }) {
  const known = values.filter(Number.isFinite);
  const most = Math.max(...known, 1e-9);
  const base = top + height - 3;
  const each = (width - 4) / Math.max(values.length, 1);
  values.forEach((value, place) => {
    if (!Number.isFinite(value)) return;
    const tall = ((height - 20) * value) / most;
    context.fillStyle = flowColour(rows[place].flow);
    context.fillRect(2 + place * each, base - tall, Math.max(1, each - 1), tall);
  });
  context.strokeStyle = themeColour("--line");
  context.strokeRect(0, base, width, 0.5);
  context.fillStyle = themeColour("--soft");
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "left";
  const text = known.length ? `${label}, up to ${Number(most.toPrecision(3))} ${unit}` : `no ${label}`;
  context.fillText(text, 2, top + 11);
}
