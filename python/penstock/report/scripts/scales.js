// Axes with ticks that are read at a glance: whole numbers of packets have no ticks between them, no label is clipped.

const DIGIT = 6.6; // pixels of the widest digit at 11 px
const TICK_GAP = 42; // pixels between the ticks of an axis upwards

/** The domain of means and intervals: from 0 where that wastes little, and little beyond `top`, the largest possible value. */
export function padded(values, top = null) {
  const known = values.filter(Number.isFinite);
  if (!known.length) return [0, 1];
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const spread = high - low || Math.abs(high) || 1;
  const end = high + spread * 0.08;
  return [low >= 0 && low < spread * 0.8 ? 0 : low - spread * 0.08, top === null ? end : Math.min(end, top + spread * 0.02)];
}

export function tickText(value) {
  return Math.abs(value) >= 1e4 ? `${(value / 1e3).toLocaleString("en")}k` : String(Number(value.toPrecision(6)));
}

/** Ticks of a domain: about `count`; only whole numbers if `whole`. */
export function ticksOf([low, high], count, whole) {
  const found = Plot.ticks(low, high, Math.max(2, count));
  const kept = whole ? found.filter(Number.isInteger) : found;
  return kept.length ? kept : found;
}

/** The value axis of a chart, with its grid, as options and marks of Plot, and the room that it needs. */
export function valueAxis(domain, height, { whole = false, label = null } = {}) {
  const ticks = ticksOf(domain, height / TICK_GAP, whole);
  const texts = ticks.map(tickText);
  return {
    scale: { domain, label: null },
    left: 14 + DIGIT * Math.max(2, ...texts.map((text) => text.length)),
    marks: [
      Plot.gridY(ticks, { stroke: "var(--grid)", strokeOpacity: 1 }),
      Plot.axisY(ticks, { tickFormat: tickText, label, labelArrow: "none", ...INK }),
    ],
  };
}

/** The horizontal axis of numbers: at `values` where there is room, else at round numbers. */
export function numberAxis(domain, width, { values = null, whole = false, log = false, label }) {
  const room = (ticks) => Math.max(...ticks.map((tick) => tickText(tick).length)) * DIGIT + 14;
  const place = log ? Math.log : Number;
  const [low, high] = domain.map(place);
  const scaled = (tick) => ((place(tick) - low) / (high - low)) * width;
  const fit = (ticks) => ticks.every((tick, at) => at === 0 || scaled(tick) - scaled(ticks[at - 1]) >= room(ticks));
  const sorted = [...(values ?? [])].sort((a, b) => a - b);
  const round = () => (log ? (LOG_TICKS.map((steps) => logTicks(domain, steps)).find(fit) ?? [sorted[0], sorted.at(-1)]) : ticksOf(domain, width / 80, whole));
  const ticks = sorted.length && fit(sorted) ? sorted : round();
  return {
    scale: { type: log ? "log" : "linear", domain, label: null },
    bottom: 38,
    marks: [Plot.axisX(ticks, { text: tickText, label, labelAnchor: "center", labelArrow: "none", ...INK })],
  };
}

const LOG_TICKS = [[1, 2, 5], [1, 3], [1]];

/** These multiples of the powers of ten within a domain. */
function logTicks([low, high], steps) {
  const [first, last] = [low, high].map((end) => Math.floor(Math.log10(end)));
  const decades = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  return decades.flatMap((decade) => steps.map((step) => Number(`${step}e${decade}`))).filter((tick) => tick >= low && tick <= high);
}

/** The horizontal axis of names: turned where they are too long for their place. */
export function nameAxis(labels, width, label, type = "point") {
  const longest = Math.max(...labels.map((text) => text.length)) * DIGIT;
  const turned = longest > width / labels.length - 8;
  const shown = turned ? Math.min(longest, 110) : 0;
  return {
    scale: { type, domain: labels, label: null, ...(type === "point" ? { padding: 0.5 } : { padding: 0 }) },
    bottom: 38 + shown * 0.75,
    marks: [
      Plot.axisX({
        label, labelAnchor: "center", labelArrow: "none", tickRotate: turned ? -50 : 0, ...INK,
        tickFormat: (text) => shortened(text),
      }),
    ],
  };
}

/** A text that leaves room for the chart; the whole one is in the tip and the table. */
export function shortened(text) {
  return String(text).length > 18 ? `${String(text).slice(0, 17)}…` : String(text);
}

const INK = { stroke: "var(--line)", color: "var(--soft)", tickSize: 4, fontSize: 11 };
