// Colours and markers of the schemes, as in the tables, and numbers as text.

const keys = [...document.querySelectorAll("#legend .key")];

const DASHES = ["none", "8 3", "2 3", "8 3 2 3", "5 3", "12 3", "2 2 6 2", "1 3"];

export function colour(scheme) {
  return `var(--c${(keys.length ? scheme : scheme + 1) % 8})`;
}

const SHAPES = [...document.querySelectorAll(".markers path")].map((path) => path.getAttribute("d"));

/** The path of a scheme's marker, around the origin with radius 1: where colours repeat, another shape of the same colour. */
export function shape(scheme) {
  return SHAPES[(scheme + 3 * Math.floor(scheme / SHAPES.length)) % SHAPES.length];
}

/** The dashes of a scheme's line. */
export function dashes(scheme) {
  return DASHES[(scheme + 3 * Math.floor(scheme / DASHES.length)) % DASHES.length];
}

/** The marker of a scheme as a symbol of Plot. */
export function symbol(scheme) {
  const commands = shape(scheme).match(/[A-Z][^A-Z]*/g) ?? [];
  if (commands.some((command) => command.startsWith("A"))) return "circle";
  return { draw: (context, size) => trace(commands, context, Math.sqrt(size / Math.PI)) };
}

/** Draws a path of straight lines in absolute coordinates. */
function trace(commands, context, scale) {
  let [x, y] = [0, 0];
  for (const command of commands) {
    const numbers = (command.match(/-?(\d+\.?\d*|\.\d+)/g) ?? []).map(Number);
    let draws = command[0] === "M" ? "moveTo" : "lineTo";
    while (numbers.length) {
      if (command[0] !== "V") x = numbers.shift();
      if (command[0] !== "H") y = numbers.shift();
      context[draws](x * scale, y * scale);
      draws = "lineTo";
    }
    if (command[0] === "Z") context.closePath();
  }
}

/** A number as text, with four digits. */
export function nice(value) {
  if (value === null || value === undefined) return "–";
  if (Math.abs(value) >= 1e4) return Math.round(value).toLocaleString("en").replaceAll(",", "\u202f");
  return String(Number(value.toPrecision(4)));
}

/** A number as text, and its interval if it has one. */
export function withInterval(mean, low, high) {
  return low === null || low === undefined ? nice(mean) : `${nice(mean)} (${nice(low)} to ${nice(high)})`;
}
