// The worker: holds one run a pane, lets them go on together, and answers each request for a frame with their state.

import { loadEngine } from "./engine.js";

/** Milliseconds of work between two frames, all panes together. */
const BUDGET = 11;
/** Milliseconds of work in one step: nothing else is heard meanwhile. */
const STEP = 4;
/** Simulated seconds of the next step at most, as the last ones took; a change may make the next one much longer. */
let stride = 1e-3;
/** Largest number of waiting packets in a frame. */
const SHOWN_PACKETS = 1200;
/** Gauges that are a drop probability, the first that there is. */
const PROBABILITIES = ["p_b", "p", "p_drop", "p_c", "p_m", "p_a"];

let engine;
let setting; // {scenario, link, seed, queues, rate, rtt, counts}
let panes = [];

const actions = {
  async load({ module }) {
    const stream = new Response(new Blob([module]).stream().pipeThrough(new DecompressionStream("gzip")));
    engine = await loadEngine(await stream.arrayBuffer());
    return { kind: "ready", meaning: engine.meaning };
  },

  /** Starts all panes at time 0, on the same random numbers. */
  open(message) {
    panes.forEach((pane) => pane.run.close());
    setting = message.setting;
    panes = [];
    panes = setting.queues.map(openOrReplace);
    return frame([]);
  },

  advance({ span, slice }) {
    return goOn(span, slice);
  },

  step() {
    return stepOnce();
  },

  /** Another queue in one pane; an error leaves the one before. */
  queue({ pane, queue }) {
    panes[pane].run.setQueue(setting.link, queue);
    return accepted(pane, queue);
  },

  /** Another buffer; the AQM keeps its state. */
  limit({ pane, limit }) {
    const queue = { ...setting.queues[pane], limit };
    // A running AQM puts up with a limit below its thresholds; a new one would not.
    openPane(queue).run.close();
    panes[pane].run.setLimit(setting.link, limit);
    return accepted(pane, queue);
  },

  rate({ rate }) {
    setting.rate = rate;
    for (const { run } of panes) run.setRate(setting.link, rate);
  },

  rtt({ rtt }) {
    setting.rtt = rtt;
    for (const pane of panes) applyRtt(pane.run, rtt);
  },

  count({ group, count }) {
    setting.counts[group] = count;
    for (const { run } of panes) run.setFlowCount(group, count);
  },
};

onmessage = async ({ data }) => {
  try {
    if (data.kind !== "advance") stride = Math.min(stride, 1e-2);
    const answer = await actions[data.kind](data);
    if (answer) postMessage(answer);
  } catch (error) {
    postMessage({ kind: "error", during: data.kind, pane: data.pane, message: error.message });
  }
};

function accepted(pane, queue) {
  setting.queues[pane] = queue;
  return { kind: "accepted", pane, queue, curve: dropCurve(panes[pane]) };
}

/** A pane with this queue, or with drop-tail if the queue is refused. */
function openOrReplace(queue, number) {
  try {
    return openPane(queue);
  } catch (error) {
    setting.queues[number] = { scheme: "droptail", limit: queue.limit, params: {} };
    postMessage({ kind: "refused", pane: number, queue: setting.queues[number], message: error.message });
    return openPane(setting.queues[number]);
  }
}

function openPane(queue) {
  const scenario = structuredClone(setting.scenario);
  scenario.links[setting.link].queue = queue;
  if (setting.rate) scenario.links[setting.link].rate = setting.rate;
  for (const [group, count] of Object.entries(setting.counts)) scenario.traffic[group].count = count;
  const run = engine.open(JSON.stringify(scenario), setting.seed);
  if (setting.rtt) applyRtt(run, setting.rtt);
  return { run, seen: [] };
}

/** The link's delay makes up for the difference to its flows' round trip. */
function applyRtt(run, rtt) {
  const state = run.state(setting.link);
  if (Number.isNaN(state.rtt)) return;
  run.setDelay(setting.link, Math.max(0, state.delay + rtt - state.rtt));
}

/** Goes on by `span` seconds, or until the budget is spent; all panes stop at the same time. A sample is taken every `slice`. */
function goOn(span, slice) {
  const started = performance.now();
  const begin = Math.max(...panes.map(({ run }) => run.state(setting.link).time));
  const samples = [];
  let [time, sampled, now] = [begin, begin, started];
  while (begin + span - time > 1e-9 && now - started < BUDGET) {
    const step = Math.min(stride, slice, begin + span - time);
    time += step;
    for (const { run } of panes) run.advance(time);
    if (time >= sampled + slice * 0.999) {
      samples.push(sample(time));
      sampled = time;
    }
    const spent = performance.now() - now;
    now += spent;
    stride = Math.max(1e-6, step * Math.min(2, STEP / Math.max(spent, 0.01)));
  }
  if (sampled < time) samples.push(sample(time));
  return frame(samples);
}

/** The next event at the watched queue of any pane; the others go on to its time. */
function stepOnce() {
  let time = NaN;
  for (let tries = 0; tries < 100000; tries += 1) {
    const times = panes.map(({ run }) => run.nextEvent());
    const earliest = times.reduce((least, each, place) => (each < times[least] ? place : least), 0);
    time = panes[earliest].run.step();
    panes[earliest].seen = Array.from(panes[earliest].run.seen());
    if (Number.isNaN(time) || panes[earliest].seen.length > 0) break;
  }
  // At this very instant others may have events as well: those come next.
  return { ...frame(Number.isNaN(time) ? [] : [sample(time)]), stepped: true };
}

function sample(time) {
  return [time, ...panes.flatMap((pane) => reading(pane))];
}

/** Queue, average (or NaN), drop probability (or NaN). */
function reading({ run }) {
  const gauges = run.gauges(setting.link);
  const p = PROBABILITIES.find((name) => name in gauges);
  return [run.state(setting.link).packets, gauges.avg ?? NaN, p ? gauges[p] : NaN];
}

function frame(samples) {
  const views = panes.map((pane) => {
    const { run } = pane;
    const seen = [...(pane.seen ?? []), ...run.seen()];
    pane.seen = [];
    return {
      state: run.state(setting.link),
      gauges: run.gauges(setting.link),
      waiting: run.waiting(setting.link, SHOWN_PACKETS),
      flows: run.flows(),
      delays: run.delays(setting.link),
      seen,
    };
  });
  const time = Math.max(...views.map((view) => view.state.time));
  const curves = samples.length === 0 ? panes.map(dropCurve) : undefined;
  return { kind: "frame", time, samples: samples.length ? samples : [sample(time)], views, curves };
}

/** The AQM's drop function: points [average, probability], none if it has no such function. */
function dropCurve({ run }) {
  const limit = setting.queues.map((queue) => queue.limit?.packets ?? 100).reduce((a, b) => Math.max(a, b), 20);
  const points = [];
  for (let place = 0; place <= 200; place += 1) {
    const average = (limit * place) / 200;
    const p = run.dropFunction(setting.link, average);
    if (Number.isNaN(p)) return [];
    points.push([average, p]);
  }
  return points;
}
