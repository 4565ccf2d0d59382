// The bench: keeps time, talks to the worker, and lays out the panes.

import { download } from "../report/scripts/elements.js";
import { themeButton } from "../report/scripts/theme.js";
import { forgetColours, isEmbedded, threeDigits } from "./elements.js";
import { figure } from "./figure.js";
import { differences } from "./naming.js";
import { Pane } from "./pane.js";
import { share, sharedSetting } from "./sharing.js";
import { slider } from "./slider.js";
import { scenarioText } from "./toml.js";

const MAX_PANES = 4;
/** Seconds of real time that a chart shows, and the points on it. */
const WINDOW_S = 10;
const POINTS = 700;
const DRAG_MS = 80;
/** Milliseconds between two drawings of what changes slowly. */
const SLOW_MS = 200;

const material = JSON.parse(document.getElementById("material").textContent);
const place = (id) => document.getElementById(id);

/** The largest of each number of several panes. */
function largest(extents) {
  return Object.fromEntries(Object.keys(extents[0]).map((key) => [key, Math.max(...extents.map((one) => one[key]))]));
}

class Bench {
  constructor() {
    const schemes = material.schemes.map(({ name }) => name);
    const shared = sharedSetting(schemes);
    this.isFromAddress = shared !== null;
    this.take(shared ?? {});
    this.playing = false;
    this.waits = false;
    this.sliders = {};
    this.worker = new Worker(URL.createObjectURL(new Blob([place("worker").textContent], { type: "text/javascript" })));
    this.worker.onmessage = ({ data }) => this.hear(data);
    this.worker.onerror = (event) => this.fail({ message: event.message });
    const module = Uint8Array.from(atob(place("engine").textContent.trim()), (char) => char.charCodeAt(0));
    this.worker.postMessage({ kind: "load", module }, [module.buffer]);
    this.buttons();
    this.commonSliders();
  }

  /** Takes over a setting; what it lacks is as in the scenario. */
  take({ pace = 4, queues = structuredClone(material.panes), rate, rtt, counts = {}, only }) {
    Object.assign(this, { pace, queues, rate, rtt, counts, only });
    document.documentElement.classList.toggle("only-aqm", only === "aqm");
  }

  get span() {
    return WINDOW_S * Math.min(this.pace, this.reached ?? Infinity);
  }

  hear(message) {
    if (message.kind === "ready") this.open();
    else if (message.kind === "frame") this.show(message);
    else if (message.kind === "accepted") this.accepted(message);
    else if (message.kind === "refused") this.refused(message);
    else if (message.kind === "error") this.fail(message);
  }

  accepted(message) {
    this.panes[message.pane]?.accept(message);
    this.namePanes();
  }

  /** Panes of one scheme are distinguished by what differs. */
  namePanes() {
    const names = differences(this.panes.map((pane) => pane.running), material.schemes);
    this.panes.forEach((pane, number) => pane.distinguish(names[number]));
  }

  /** Lays out the panes and starts at time 0. */
  open() {
    const host = {
      schemes: material.schemes,
      groups: material.scenario.traffic.map(({ name }) => name),
      isOnlyAqm: this.only === "aqm",
      queueChanged: (pane, what) => this.queueChanged(pane, what),
      schemeChosen: (pane, name) => this.schemeChosen(pane, name),
      removed: (pane) => this.remove(pane),
      tomlAsked: (pane) => this.saveScenario(pane),
    };
    // What a pane was about to send was meant for its old place.
    this.panes?.forEach((pane) => clearTimeout(pane.later));
    this.panes = this.queues.map((queue, number) => new Pane(number, queue, host));
    place("panes").replaceChildren(...this.panes.map((pane) => pane.node));
    place("panes").style.setProperty("--count", this.panes.length);
    this.panes.forEach((pane) => pane.mount());
    this.namePanes();
    place("add").disabled = this.panes.length >= MAX_PANES;
    document.querySelectorAll(".pane header button:last-child").forEach((button) => (button.disabled = this.panes.length < 2));
    this.restart();
  }

  restart() {
    this.panes.forEach((pane) => pane.restart());
    const { rate, rtt, counts } = this;
    const queues = this.panes.map((pane) => pane.running);
    const setting = { scenario: material.scenario, link: material.link, seed: material.seed, queues, rate, rtt, counts };
    this.waits = true;
    place("problem").textContent = "";
    this.worker.postMessage({ kind: "open", setting });
    this.play(true);
  }

  play(on) {
    this.playing = on;
    place("play").textContent = on ? "Pause" : "Play";
    place("play").setAttribute("aria-pressed", String(on));
    this.last = undefined;
    if (on) this.tick();
  }

  tick() {
    if (this.ticking) return;
    this.ticking = true;
    requestAnimationFrame((now) => {
      this.ticking = false;
      if (!this.playing) return;
      const real = Math.min(0.05, (now - (this.last ?? now - 16)) / 1000);
      if (!this.waits) {
        this.last = now;
        this.asked = { now, span: real * this.pace };
        this.waits = true;
        this.worker.postMessage({ kind: "advance", span: this.asked.span, slice: Math.max(this.span / POINTS, 1e-3) });
      }
      this.tick();
    });
  }

  show({ time, samples, views, curves, stepped }) {
    this.waits = false;
    curves?.forEach((curve, number) => this.panes[number]?.setCurve(curve));
    if (views.length !== this.panes.length) return;
    const now = performance.now();
    const isStep = stepped || !this.playing;
    const isSlow = isStep || now - (this.slowAt ?? 0) >= SLOW_MS;
    if (isSlow) this.slowAt = now;
    this.panes.forEach((pane, number) => {
      pane.take(samples, views[number], this.span);
      pane.measure(views[number], isStep, isSlow);
    });
    const extent = largest(this.panes.map((pane, number) => pane.extent(views[number], this.span)));
    this.panes.forEach((pane, number) => pane.draw(views[number], extent, this.span, now, isSlow));
    this.frame = { time, views };
    place("time").textContent = time >= 1000 ? `${Math.round(time)} s` : `${time.toFixed(stepped ? 6 : 1)} s`;
    this.measurePace(time, now);
    this.fillSliders(views[0].state);
  }

  measurePace(time, now) {
    this.paceFrom ??= { time, now };
    if (now - this.paceFrom.now < 1000) return;
    const pace = ((time - this.paceFrom.time) * 1000) / (now - this.paceFrom.now);
    const slow = this.playing && pace > 0 && pace < 0.8 * this.pace;
    this.reached = slow ? pace : undefined;
    place("reached").textContent = slow ? `as fast as this machine can: ${threeDigits(Math.max(0, pace))} times` : "";
    this.paceFrom = { time, now };
  }

  fail({ message, pane, during }) {
    if (pane !== undefined && this.panes?.[pane]) this.panes[pane].complain(message);
    else place("problem").textContent = message;
    this.waits = false;
    if (during === "open") this.play(false);
  }

  /** A pane began with drop-tail, since its queue is refused. */
  refused({ pane, queue, message }) {
    if (!this.isFromAddress) {
      this.panes[pane].setQueue(queue);
      this.panes[pane].running = structuredClone(queue);
      this.namePanes();
      this.panes[pane].complain(`Drop-tail runs here, because ${message}`);
      return;
    }
    // What the address asks for is impossible: begin without it.
    this.isFromAddress = false;
    history.replaceState(null, "", location.pathname);
    this.take({});
    this.open();
    place("problem").textContent = `The address asks for what is refused: ${message}`;
  }

  // ---- what the reader changes --------------------------------------------------------------------------------------

  /** While a slider is dragged, an AQM starts afresh at most every `DRAG_MS`. */
  queueChanged(pane, what) {
    pane.complain("");
    clearTimeout(pane.later);
    const { number, queue } = pane;
    if (what === "limit") this.worker.postMessage({ kind: "limit", pane: number, limit: queue.limit });
    else {
      const wait = Math.max(0, (pane.sentAt ?? 0) + DRAG_MS - performance.now());
      pane.later = setTimeout(() => {
        pane.sentAt = performance.now();
        this.worker.postMessage({ kind: "queue", pane: number, queue });
      }, wait);
    }
    this.remember();
  }

  schemeChosen(pane, name) {
    pane.setQueue({ scheme: name, limit: pane.queue.limit, params: {} });
    this.queueChanged(pane, "scheme");
  }

  add() {
    const running = this.panes.map((pane) => pane.running);
    const used = new Set(running.map((queue) => queue.scheme));
    const next = ["droptail", "codel", "pie", "fq-codel", "red", "pi"].find((name) => !used.has(name)) ?? "droptail";
    this.queues = [...running, { scheme: next, limit: running[0].limit, params: {} }];
    this.open();
    this.remember();
  }

  remove(pane) {
    this.queues = this.panes.filter((each) => each !== pane).map((each) => each.running);
    this.open();
    this.remember();
  }

  /** A setting of the network, in all panes. */
  change(kind, values) {
    this.worker.postMessage({ kind, ...values });
    this.remember();
  }

  remember() {
    this.isFromAddress = false;
    clearTimeout(this.later);
    this.later = setTimeout(() => share(this.setting()), 300);
  }

  setting() {
    const { pace, rate, rtt, counts, only } = this;
    return { pace, queues: this.panes.map((pane) => pane.running), rate, rtt, counts, only };
  }

  // ---- controls of the bench ----------------------------------------------------------------------------------------

  buttons() {
    const on = (id, act) => place(id).addEventListener("click", act);
    on("play", () => this.play(!this.playing));
    on("step", () => this.step());
    on("restart", () => this.restart());
    on("add", () => this.add());
    on("share", () => this.copyLink());
    on("svg", () => download(this.figureText(), "queues.svg", "image/svg+xml"));
    themeButton(() => this.redraw());
    document.addEventListener("keydown", (event) => this.key(event));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, button, summary")) return;
    const acts = { " ": () => this.play(!this.playing), ".": () => this.step(), r: () => this.restart() };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  }

  step() {
    this.play(false);
    this.worker.postMessage({ kind: "step" });
  }

  async copyLink() {
    share(this.setting());
    try {
      await navigator.clipboard.writeText(location.href);
      place("said").textContent = "Link copied";
    } catch {
      place("said").textContent = "The link is in the address bar";
    }
  }

  /** Draws the last frame again, in the colours of another theme. */
  redraw() {
    forgetColours();
    if (!this.frame) return;
    const views = this.frame.views.map((view) => ({ ...view, seen: [] }));
    this.show({ time: this.frame.time, samples: [], views, stepped: true });
  }

  figureText() {
    return figure(this.panes, this.span, material.colours);
  }

  /** The scenario with the queue of a pane, as TOML. */
  scenarioOf(pane) {
    const set = material.groups.filter(({ number }) => number in this.counts);
    const counts = Object.fromEntries(set.map(({ number, name }) => [name, this.counts[number]]));
    const delay = this.rtt === undefined ? undefined : pane.states.at(-1)?.delay;
    return scenarioText(material.document, material.place, pane.running, { own: material.panes[0], rate: this.rate, delay, counts });
  }

  saveScenario(pane) {
    download(this.scenarioOf(pane), `${pane.running.scheme}.toml`, "application/toml");
  }

  commonSliders() {
    const add = (options) => {
      const made = slider(options);
      place("sliders").append(made.node);
      return made;
    };
    const changed = (pace) => {
      this.pace = pace;
      this.remember();
    };
    const help = "Simulated seconds in a second";
    add({ label: "pace", help, unit: "times", value: this.pace, ends: [0.01, 10000], allowed: [1e-4, 10000], changed });
    this.makeSlider = add;
  }

  /** Sliders of the network, once the engine has told its values. */
  fillSliders(state) {
    if (this.sliders.rate) return;
    const rate = this.rate ?? state.rate;
    this.sliders.rate = this.makeSlider({
      label: "rate",
      help: `Rate of the link ${material.place}`,
      unit: "Mbit/s",
      value: rate / 1e6,
      ends: [rate / 2e7, rate / 5e4],
      allowed: [1e-3, 1e6],
      changed: (megabits) => this.change("rate", { rate: (this.rate = Math.round(megabits * 1e6)) }),
    });
    if (!Number.isNaN(state.rtt)) this.roundTripSlider(state);
    material.groups.slice(0, 3).forEach((group) => this.countSlider(group));
  }

  roundTripSlider(state) {
    const least = Math.max(0.001, state.rtt - state.delay);
    this.sliders.rtt = this.makeSlider({
      label: "round trip",
      help: "Largest round trip of the flows without queueing; the link's delay makes up for the difference",
      unit: "ms",
      value: state.rtt * 1000,
      ends: [least * 1000, Math.max(1000, state.rtt * 5000)],
      allowed: [least * 1000, 1e5],
      changed: (millis) => this.change("rtt", { rtt: (this.rtt = millis / 1000) }),
    });
  }

  countSlider({ number, name, count }) {
    const label = material.groups.length > 1 ? `flows of ${name}` : "flows";
    const changed = (flows) => this.change("count", { group: number, count: (this.counts[number] = flows) });
    const value = this.counts[number] ?? count;
    this.makeSlider({ label, help: `TCP flows of ${name}`, unit: "", value, ends: [1, Math.max(100, 5 * count)], allowed: [1, 10000], whole: true, changed });
  }
}

document.documentElement.classList.toggle("embedded", isEmbedded());
window.bench = new Bench();
