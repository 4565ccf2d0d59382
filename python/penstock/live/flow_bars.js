// Windows, rates, waiting times and losses of the flows, a bar each.

import { cleared, flowColour, themeColour } from "./elements.js";
import { EVENT } from "./engine.js";

const MOST = 60;
/** Simulated seconds after which a rate or a waiting time has mostly been forgotten, and a loss. */
const MEMORY_S = 2;
const LOSS_MEMORY_S = 10;
/** Height of the line with the names of the traffic groups. */
const NAMES = 16;

export class FlowBars {
  /** `names`: of the traffic groups. */
  constructor(canvas, names) {
    this.canvas = canvas;
    this.names = names;
    this.before = new Map();
    this.rates = new Map();
    this.waits = new Map();
    this.heard = new Map();
    /** By flow: packets that arrived, and those that were dropped. */
    this.arrived = new Map();
    this.dropped = new Map();
    this.time = 0;
    this.rows = [];
  }

  /** `seen`: rows of 8 since the last call: time, kind, link, flow, packet number, bytes, cause, waiting time. */
  hear(seen) {
    for (let at = 0; at < seen.length; at += 8) {
      const [kind, flow] = [seen[at + 1], seen[at + 3]];
      if (kind === EVENT.arrives) this.arrived.set(flow, (this.arrived.get(flow) ?? 0) + 1);
      if (kind === EVENT.dropped) this.dropped.set(flow, (this.dropped.get(flow) ?? 0) + 1);
      if (kind !== EVENT.leaves) continue;
      const [sum, count] = this.heard.get(flow) ?? [0, 0];
      this.heard.set(flow, [sum + seen[at + 7], count + 1]);
    }
  }

  /** `flows`: rows of 6: flow, group, window, threshold, round trip, bytes received. */
  measure(flows, time) {
    this.#measure(flows, time);
    this.rows = [];
    for (let at = 0; at < flows.length && this.rows.length < MOST; at += 6) {
      const [flow, group, window] = flows.slice(at, at + 3);
      const lost = (100 * (this.dropped.get(flow) ?? 0)) / this.arrived.get(flow);
      const wait = (this.waits.get(flow) ?? NaN) * 1e3;
      this.rows.push({ flow, group, window, rate: (this.rates.get(flow) ?? 0) / 1e6, wait, lost });
    }
  }

  /** The largest number of each kind. */
  extent() {
    const top = (key) => Math.max(0, ...this.rows.map((row) => row[key]).filter(Number.isFinite));
    return { window: top("window"), rate: top("rate"), wait: top("wait"), lost: top("lost") };
  }

  /** `extent`: the largest numbers of all panes. */
  draw(extent) {
    const { rows } = this;
    const { context, width, height } = cleared(this.canvas);
    const each = (height - NAMES) / 4;
    const area = (place) => ({ width, top: place * each, height: each });
    bars(context, rows, "window", { ...area(0), label: "window", unit: "packets", most: extent.window });
    bars(context, rows, "rate", { ...area(1), label: "rate", unit: "Mbit/s", most: extent.rate });
    bars(context, rows, "wait", { ...area(2), label: "waiting time", unit: "ms", most: extent.wait });
    bars(context, rows, "lost", { ...area(3), label: "lost", unit: "%", most: extent.lost });
    this.#name(context, rows, width, height);
  }

  /** Rates and mean waiting times since the last reading, smoothed; losses are forgotten with time. */
  #measure(flows, time) {
    const span = time - this.time;
    this.time = time;
    if (span < 0) [this.before, this.rates, this.waits, this.arrived, this.dropped].forEach((known) => known.clear());
    if (span > 0) {
      const weight = 1 - Math.exp(-span / MEMORY_S);
      const smooth = (known, flow, value) => {
        const old = known.get(flow) ?? value;
        known.set(flow, old + weight * (value - old));
      };
      for (let at = 0; at < flows.length; at += 6) {
        const [flow, received] = [flows[at], flows[at + 5]];
        smooth(this.rates, flow, ((received - (this.before.get(flow) ?? received)) * 8) / span);
        this.before.set(flow, received);
      }
      this.heard.forEach(([sum, count], flow) => smooth(this.waits, flow, sum / count));
      const kept = Math.exp(-span / LOSS_MEMORY_S);
      for (const counts of [this.arrived, this.dropped]) counts.forEach((count, flow) => counts.set(flow, count * kept));
    }
    this.heard.clear();
  }

  /** The name of each group below its first bar, where there are several groups. */
  #name(context, rows, width, height) {
    if (new Set(rows.map((row) => row.group)).size < 2) return;
    let free = 0;
    rows.forEach(({ group }, place) => {
      if (group === rows[place - 1]?.group) return;
      const x = Math.max(free, barPlace(place, rows.length, width));
      context.fillText(this.names[group], x, height - 4);
      free = x + context.measureText(this.names[group]).width + 8;
    });
  }
}

function barPlace(place, count, width) {
  return 2 + (place * (width - 4)) / Math.max(count, 1);
}

function bars(context, rows, key, { width, top, height, label, unit, most }) {
  const known = rows.map((row) => row[key]).filter(Number.isFinite);
  const highest = Math.max(...known, 0);
  const base = top + height - 3;
  const each = barPlace(1, rows.length, width) - barPlace(0, rows.length, width);
  rows.forEach((row, place) => {
    if (!Number.isFinite(row[key])) return;
    const tall = ((height - 20) * row[key]) / (most || 1);
    context.fillStyle = flowColour(row.flow);
    context.fillRect(barPlace(place, rows.length, width), base - tall, Math.max(1, each - 1), tall);
  });
  context.strokeStyle = themeColour("--line");
  context.strokeRect(0, base, width, 0.5);
  context.fillStyle = themeColour("--soft");
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "left";
  const text = known.length ? `${label}, up to ${Number(highest.toPrecision(3))} ${unit}` : `no ${label}`;
  context.fillText(text, 2, top + 11);
}
