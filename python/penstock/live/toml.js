// A scenario as TOML: the file that the page was made from, with the values that its reader set.

import { fileValue } from "./parameters.js";

/** `queue` is canonical; `changes` has rate (bit/s), rtt change of the delay (s) and counts by group name, where set. */
export function scenarioText(document, place, queue, { rate, delay, counts }) {
  const tree = structuredClone(document);
  const link = tree.links[place];
  link.queue = { scheme: queue.scheme, limit: limitText(queue.limit) };
  for (const [name, value] of Object.entries(queue.params ?? {})) link.queue[name] = fileValue(value);
  if (rate) link.rate = `${rate}bit`;
  if (delay !== undefined) link.delay = `${Math.round(delay * 1e9)}ns`;
  for (const [name, count] of Object.entries(counts)) tree.traffic[name].count = count;
  return text(tree);
}

function limitText(limit) {
  if (limit === "inf" || limit === undefined) return "inf";
  return "packets" in limit ? `${limit.packets}p` : `${limit.bytes}B`;
}

function text(tree) {
  const lines = [];
  for (const [key, value] of Object.entries(tree)) if (!isTable(value)) lines.push(`${name(key)} = ${inline(value)}`);
  for (const [group, tables] of Object.entries(tree)) {
    if (!isTable(tables)) continue;
    for (const [key, table] of Object.entries(tables)) {
      if (!isTable(table)) lines.push("", `[${name(group)}]`, `${name(key)} = ${inline(table)}`);
      else lines.push("", `[${name(group)}.${name(key)}]`, ...entries(table));
    }
  }
  return `${lines.join("\n")}\n`;
}

function entries(table) {
  return Object.entries(table).map(([key, value]) => `${name(key)} = ${inline(value)}`);
}

function inline(value) {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (isTable(value)) return `{ ${entries(value).join(", ")} }`;
  return JSON.stringify(value);
}

function name(key) {
  return /^[\w-]+$/.test(key) ? key : JSON.stringify(key);
}

function isTable(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
