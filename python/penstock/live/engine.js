// The engine's module behind plain calls: texts go in, numbers and texts come out.

/** Kinds of what `Run.seen` tells. */
export const EVENT = { arrives: 1, dropped: 2, marked: 3, queued: 4, leaves: 5 };

/** Loads the module from its bytes. */
export async function loadEngine(bytes) {
  const { instance } = await WebAssembly.instantiate(bytes, {});
  return new Engine(instance.exports);
}

export class EngineError extends Error {
  /** `errors`: a list of {path, message}. */
  constructor(errors) {
    super(errors.map((error) => (error.path ? `${error.path}: ${error.message}` : error.message)).join("; "));
    this.errors = errors;
  }
}

export class Engine {
  constructor(exports) {
    this.exports = exports;
  }

  get meaning() {
    return this.exports.meaning();
  }

  /** A run of a canonical scenario, as JSON text. One `forAPage` can be looked at and changed. */
  open(scenario, seed, forAPage = true) {
    this.#write(scenario);
    return new Run(this, this.#checked(this.exports.open(seed, forAPage)));
  }

  call(name, ...values) {
    return this.#checked(this.exports[name](...values));
  }

  /** A call that takes a text as well. */
  callWith(text, name, ...values) {
    this.#write(text);
    return this.call(name, ...values);
  }

  /** A call that shows numbers; a copy of them. */
  numbers(name, ...values) {
    const length = this.call(name, ...values);
    return new Float64Array(this.exports.memory.buffer, this.exports.numbers(), length).slice();
  }

  text() {
    const { memory, text, text_length } = this.exports;
    return new TextDecoder().decode(new Uint8Array(memory.buffer, text(), text_length()));
  }

  #write(text) {
    const bytes = new TextEncoder().encode(text);
    // Making room may move the memory: take the pointer first.
    const at = this.exports.input(bytes.length);
    new Uint8Array(this.exports.memory.buffer, at, bytes.length).set(bytes);
  }

  #checked(answer) {
    if (answer === -1) throw new EngineError(JSON.parse(this.text()));
    return answer;
  }
}

/** One run. Links and traffic groups have their numbers in the scenario; times are in seconds. */
export class Run {
  constructor(engine, number) {
    this.engine = engine;
    this.number = number;
  }

  close() {
    this.engine.exports.close(this.number);
  }

  /** Goes on up to and including this second; the number of events. */
  advance(second) {
    return this.engine.exports.advance(this.number, second);
  }

  /** Time of the next event, NaN if none is left. */
  nextEvent() {
    return this.engine.exports.next_event(this.number);
  }

  /** One event; its time, NaN if none is left. */
  step() {
    return this.engine.exports.step(this.number);
  }

  /** Runs to the end; the result as JSON text. */
  finish() {
    this.engine.call("finish", this.number);
    return this.engine.text();
  }

  setRate(link, rate) {
    this.engine.call("set_rate", this.number, link, rate);
  }

  setDelay(link, delay) {
    this.engine.call("set_delay", this.number, link, delay);
  }

  /** `queue`: as in a canonical scenario. */
  setQueue(link, queue) {
    this.engine.callWith(JSON.stringify(queue), "set_queue", this.number, link);
  }

  /** `limit`: as in a canonical scenario. The AQM keeps its state. */
  setLimit(link, limit) {
    this.engine.callWith(JSON.stringify(limit), "set_limit", this.number, link);
  }

  setFlowCount(group, count) {
    this.engine.call("set_flow_count", this.number, group, count);
  }

  state(link) {
    const found = this.engine.numbers("state", this.number, link);
    const [time, events, packets, bytes, arrivals, departures, marks, drops, sentBits, rate, delay, rtt] = found;
    return { time, events, packets, bytes, arrivals, departures, marks, drops, sentBits, rate, delay, rtt };
  }

  /** The state of the AQM: {name: value}. */
  gauges(link) {
    const values = this.engine.numbers("gauges", this.number, link);
    const names = this.engine.text().split("\n");
    return Object.fromEntries(Array.from(values, (value, place) => [names[place], value]));
  }

  /** Rows of 6: flow, packet number, bytes, kind (0 data, 1 ACK, 2 datagram), marked, time of arrival. */
  waiting(link, most) {
    return this.engine.numbers("waiting", this.number, link, most);
  }

  /** Rows of 6: flow, group, window, threshold, round-trip time, bytes received. */
  flows() {
    return this.engine.numbers("flows", this.number);
  }

  /** Rows of 8 since the last call: time, kind, link, flow, packet number, bytes, cause, waiting time. */
  seen() {
    return this.engine.numbers("seen", this.number);
  }

  /** Departures by waiting time; `delayOfBin` says which. */
  delays(link) {
    return this.engine.numbers("delays", this.number, link);
  }

  /** Drop probability at an average, NaN if the AQM has no such function. */
  dropFunction(link, average) {
    return this.engine.exports.drop_function(this.number, link, average);
  }
}

/** The lower end of a bin of waiting times, in seconds: below 8 us bins of 1 us, then eight of equal width in each octave. */
export function delayOfBin(bin) {
  if (bin < 8) return bin * 1e-6;
  const octave = Math.floor(bin / 8) - 1;
  return (8 + (bin % 8)) * 2 ** octave * 1e-6;
}
