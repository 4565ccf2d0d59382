// Parameters of schemes: canonical values, as the engine reads them, to and from numbers on sliders and text in files.

/** Kinds that have a slider. */
const SLIDERS = new Set(["number", "integer", "length", "length_or_time", "time", "size", "rate"]);

export function isAdjustable(param) {
  return SLIDERS.has(param.kind) || param.kind === "flag" || param.kind === "choice";
}

export function hasSlider(param) {
  return SLIDERS.has(param.kind);
}

/** The number of a canonical value in the unit of its slider (ms for times), NaN for a word or nothing. */
export function numberOf(value) {
  if (typeof value === "number") return value;
  if (value === null || typeof value !== "object") return NaN;
  if ("ns" in value) return value.ns / 1e6;
  return Object.values(value)[0];
}

/** The unit of a slider. */
export function unitOf(param, value) {
  if (value && typeof value === "object" && "ns" in value) return "ms";
  if (param.kind === "time") return "ms";
  return { packets: "packets", bytes: "B", "bit/s": "bit/s" }[param.unit] ?? param.unit;
}

/** The canonical value of a number on the slider of a parameter whose value was `before`. */
export function valueOf(param, before, number) {
  const inTime = param.kind === "time" || (before && typeof before === "object" && "ns" in before);
  if (inTime) return { ns: Math.round(number * 1e6) };
  if (before && typeof before === "object" && "bytes" in before) return { bytes: Math.round(number) };
  if (param.kind === "size") return { bytes: Math.round(number) };
  if (param.kind === "length" || param.kind === "length_or_time") return { packets: number };
  return param.kind === "integer" ? Math.round(number) : number;
}

/** A value to begin with where the parameter has a word or nothing. */
export function firstNumber(param) {
  const known = numberOf(param.default);
  if (!Number.isNaN(known) && known > 0) return known;
  const [low, high] = bounds(param);
  if (high !== Infinity) return Math.max(low, high <= 1 ? 0.01 : Math.min(high, Math.max(1, low)));
  return { time: 10, size: 1500, length: 10, length_or_time: 10 }[param.kind] ?? Math.max(1, low);
}

/** The registry's range, in the unit of the slider. */
export function bounds(param) {
  const scale = param.kind === "time" ? 1000 : 1;
  const [low, high] = param.range ?? [0, null];
  return [low * scale, high === null ? Infinity : high * scale];
}

/** Ends of a slider around a number: a factor of 30 to each side, within the registry's range. */
export function sliderEnds(param, around) {
  const [low, high] = bounds(param);
  const centre = around > 0 ? around : firstNumber(param);
  const whole = param.kind === "integer" || param.kind === "size";
  return [Math.max(low, whole ? Math.max(1, Math.round(centre / 30)) : centre / 30), Math.min(high, centre * 30)];
}

/** A canonical value as in a scenario file. */
export function fileValue(value) {
  if (Array.isArray(value)) return value.map(fileValue);
  if (value === null || typeof value !== "object") return value;
  if ("ns" in value) return `${value.ns / 1e6}ms`;
  if ("packets" in value) return Number.isInteger(value.packets) ? `${value.packets}p` : value.packets;
  if ("bytes" in value) return `${value.bytes}B`;
  return Object.values(value)[0];
}
