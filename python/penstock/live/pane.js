// One pane: a scheme with its picture, charts, numbers and controls.

import { CurveChart, DelayChart, TimeChart } from "./charts.js";
import { DropList } from "./drops.js";
import { element } from "../report/scripts/elements.js";
import { isEmbedded, threeDigits } from "./elements.js";
import { FlowBars } from "./flow_bars.js";
import { NetworkPicture } from "./network.js";
import { queueControls, schemeChoice } from "./scheme_controls.js";

/** Milliseconds between two readings for screen readers. */
const SPOKEN_MS = 2000;
const EVENTS = ["", "arrives", "is dropped", "is marked", "is queued", "leaves"];
const KEYS = ["queue", "average", "probability", "drop", "mark"];

export class Pane {
  /** `host`: {schemes, groups: names of the traffic groups, isOnlyAqm, queueChanged(pane, what), schemeChosen(pane, name), removed(pane), tomlAsked(pane)}. */
  constructor(number, queue, host) {
    this.number = number;
    // What the controls say, and what the engine runs: they differ after a refusal.
    this.queue = queue;
    this.running = structuredClone(queue);
    this.host = host;
    this.history = [[], [], [], []];
    this.states = [];
    this.slowAt = 0;
    this.spokenAt = 0;
    this.drops = new DropList();
    this.#build();
  }

  get title() {
    return `${"ABCD"[this.number]}: ${this.running.scheme}${this.difference.textContent && `, ${this.difference.textContent}`}`;
  }

  /** Names what tells the queue from the others of its scheme; "" if nothing has to. */
  distinguish(words) {
    this.difference.textContent = words;
  }

  #build() {
    const name = "ABCD"[this.number];
    this.canvas = element("canvas", { class: "network", role: "img", "aria-label": `Queue of pane ${name}` });
    this.flowCanvas = element("canvas", { class: "flows", role: "img", "aria-label": `Windows, rates, waiting times and losses of pane ${name}` });
    this.timeNode = element("div", { class: "chart", role: "img", "aria-label": `Queue over time, pane ${name}` });
    this.delayNode = element("div", { class: "chart" });
    this.curveNode = element("div", { class: "chart" });
    this.curveFigure = element("figure", { class: "drop-function" }, element("figcaption", {}, "Drop function"), this.curveNode);
    this.numbers = element("dl", { class: "numbers" });
    this.keys = element("ul", { class: "keys" }, ...KEYS.map((word) => element("li", { class: word, hidden: word !== "queue" }, word)));
    this.packet = element("p", { class: "packet", "aria-live": "polite" });
    this.events = element("ol", { class: "events" });
    this.controls = element("div", { class: "controls" });
    this.message = element("p", { class: "message", role: "alert" });
    this.choice = element("span", {});
    this.difference = element("p", { class: "difference" });
    const flows = element("figure", {}, element("figcaption", {}, "Flows"), this.flowCanvas);
    // Where several kinds of traffic compete, who gets what is what one came to see.
    const isContest = this.host.groups.length > 1;
    const button = (text, label, act) => element("button", { type: "button", class: "ghost", "aria-label": label, onclick: act }, text);
    this.node = element(
      "section",
      { class: "pane", "aria-label": `Pane ${name}` },
      element(
        "header",
        {},
        element("h2", {}, name),
        this.choice,
        button("TOML", `Scenario of pane ${name} as TOML`, () => this.host.tomlAsked(this)),
        button("×", `Remove pane ${name}`, () => this.host.removed(this)),
      ),
      this.difference,
      this.numbers,
      this.canvas,
      this.packet,
      this.keys,
      this.timeNode,
      ...(isContest ? [flows] : []),
      element("details", { class: "parameters", open: this.host.isOnlyAqm || (innerWidth > 900 && !isEmbedded()) }, element("summary", {}, "Parameters"), this.controls, this.message),
      this.curveFigure,
      element("figure", {}, element("figcaption", {}, "Queueing delays"), this.delayNode),
      ...(isContest ? [] : [flows]),
      element("details", { class: "drops", open: innerWidth > 900 && !isEmbedded() }, element("summary", {}, "Drops and marks"), this.drops.rows),
      element("details", { class: "log" }, element("summary", {}, "Events"), this.events),
    );
    this.setQueue(this.queue);
  }

  /** To be called once the node is in the page: charts need its size. */
  mount() {
    this.picture = new NetworkPicture(this.canvas, (text) => (this.packet.textContent = text));
    this.time = new TimeChart(this.timeNode, () => this.drops.times);
    this.delay = new DelayChart(this.delayNode);
    this.curve = new CurveChart(this.curveNode, this.host.isOnlyAqm ? 230 : 130);
    this.bars = new FlowBars(this.flowCanvas, this.host.groups);
  }

  setQueue(queue) {
    this.queue = queue;
    const scheme = this.host.schemes.find(({ name }) => name === queue.scheme);
    const label = `Scheme of pane ${"ABCD"[this.number]}`;
    this.choice.replaceChildren(schemeChoice(this.host.schemes, queue.scheme, label, (name) => this.host.schemeChosen(this, name)));
    const known = scheme ?? { params: [] };
    this.controls.replaceChildren(...queueControls(known, queue, (_, what) => this.host.queueChanged(this, what)));
    this.complain("");
  }

  /** The engine has taken over a queue. */
  accept({ queue, curve }) {
    this.running = queue;
    this.setCurve(curve);
  }

  complain(text) {
    this.message.textContent = text;
  }

  setCurve(curve) {
    this.curveFigure.hidden = !this.curve.set(curve);
  }

  /** Forgets what was: time starts again. */
  restart() {
    this.history = [[], [], [], []];
    this.states = [];
    this.drops.restart();
    this.delay.reset(new Float64Array(0));
  }

  /** `samples`: rows of time and the readings of all panes; `span`: seconds that the chart shows. */
  take(samples, view, span) {
    const at = 1 + 3 * this.number;
    const known = (value) => (Number.isNaN(value) ? null : value);
    for (const row of samples) {
      if (row[0] <= (this.history[0].at(-1) ?? -1)) continue;
      this.history[0].push(row[0]);
      for (let column = 0; column < 3; column += 1) this.history[column + 1].push(known(row[at + column]));
    }
    const old = this.history[0].findIndex((time) => time >= view.state.time - span * 1.2);
    if (old > 500) this.history.forEach((column) => column.splice(0, old));
    if ((this.states.at(-1)?.time ?? -1) < view.state.time) this.states.push(view.state);
    while (this.states.length > 2 && this.states[0].time < view.state.time - span) this.states.shift();
  }

  /** Takes over what changed since the last frame, before the panes agree on their scales; `isSlow`: also what changes slowly. */
  measure(view, isStep, isSlow) {
    this.#log(view.seen, isStep);
    this.drops.hear(view.seen);
    this.bars.hear(view.seen);
    if (isSlow) this.bars.measure(view.flows, view.state.time);
  }

  /** The largest numbers of this pane in the last `span` seconds. */
  extent(view, span) {
    const from = Math.max(0, this.history[0].findIndex((time) => time >= view.state.time - span));
    const top = (column) => this.history[column].slice(from).reduce((most, value) => Math.max(most, value ?? 0), 0);
    const capacity = this.running.limit?.packets ?? 100;
    return { queue: Math.max(top(1), top(2)), probability: top(3), capacity, delay: this.delay.extent(view.delays), ...this.bars.extent() };
  }

  /** `extent`: the largest numbers of all panes, so that their charts have one scale. */
  draw(view, extent, span, now, isSlow) {
    this.picture.draw(view, extent.capacity, now);
    this.time.draw(this.history, span, extent);
    this.#showKeys();
    if (!isSlow) return;
    this.slowAt = now;
    this.delay.draw(view.delays, extent.delay);
    this.bars.draw(extent);
    this.curve.draw(view.gauges.avg ?? view.state.packets, this.history[3].at(-1));
    this.#number(now, span);
  }

  /** The key names the lines that there are. */
  #showKeys() {
    const known = [1, 2, 3].map((column) => this.history[column].some((value) => value !== null));
    const { drop, mark } = this.drops.times;
    const shown = [...known, drop.length > 0, mark.length > 0];
    [...this.keys.children].forEach((key, at) => (key.hidden = !shown[at]));
  }

  #log(seen, isStep) {
    if (!isStep && this.slowAt !== 0 && !this.events.parentElement.open) return;
    const rows = [];
    for (let at = Math.max(0, seen.length - 8 * 8); at < seen.length; at += 8) {
      const [time, kind, , flow, seq, size] = seen.slice(at, at + 6);
      rows.push(element("li", {}, `${time.toFixed(6)} s: ${size} B of flow ${flow}, number ${seq}, ${EVENTS[kind]}`));
    }
    if (rows.length === 0) return;
    this.events.append(...rows);
    while (this.events.children.length > 12) this.events.firstChild.remove();
  }

  #number(now, span) {
    const [first, last] = [this.states[0], this.states.at(-1)];
    const seconds = last.time - first.time;
    const from = this.history[0].findIndex((time) => time >= last.time - span);
    const queue = this.history[1].slice(Math.max(0, from));
    const mean = queue.reduce((sum, value) => sum + value, 0) / queue.length;
    const sd = Math.sqrt(queue.reduce((sum, value) => sum + (value - mean) ** 2, 0) / queue.length);
    // The bits of a packet, by those that left.
    const bits = (last.sentBits - first.sentBits) / Math.max(1, last.departures - first.departures);
    const share = (part, whole) => `${threeDigits((100 * part) / Math.max(whole, 1))} %`;
    const rows = [
      ["queue", `${threeDigits(mean)} ± ${threeDigits(sd)} packets`],
      ["delay", `${threeDigits((1000 * mean * bits) / last.rate)} ms`],
      ["lost", share(last.drops - first.drops, last.arrivals - first.arrivals)],
      ["marked", share(last.marks - first.marks, last.arrivals - first.arrivals)],
      ["used", seconds > 0 ? `${threeDigits(Math.min(100, (last.sentBits - first.sentBits) / seconds / last.rate * 100))} %` : "–"],
    ];
    this.numbers.replaceChildren(...rows.flatMap(([term, value]) => [element("div", {}, element("dt", {}, term), element("dd", {}, value))]));
    if (now - this.spokenAt < SPOKEN_MS) return;
    this.spokenAt = now;
    this.canvas.setAttribute("aria-label", `${this.title}: ${last.packets} packets wait`);
    this.timeNode.setAttribute("aria-label", `${this.title}: ${rows.map((row) => row.join(" ")).join(", ")}`);
  }
}
