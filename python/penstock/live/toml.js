// A scenario as TOML: the file that the page was made from, with the values that its reader set.

import { fileValue } from "./parameters.js";

/**
 * `queue` and `own`, the scenario's, are canonical. The rest is what was set: rate (bit/s), delay of the link (s), and counts of flows
 * by the names of their groups.
 */
export function scenarioText(document, place, queue, { own, rate, delay, counts }) {
  const tree = structuredClone(document);
  const link = tree.links[place];
  // The scenario's own scheme keeps what only the file says, such as classes.
  link.queue = queue.scheme === own.scheme && link.queue ? link.queue : { scheme: queue.scheme };
  link.queue.limit = limitText(queue.limit);
  for (const [name, value] of Object.entries(queue.params ?? {})) {
    if (JSON.stringify(value) !== JSON.stringify(own.scheme === queue.scheme ? own.params?.[name] : undefined)) {
      link.queue[name] = fileValue(value);
    }
  }
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
