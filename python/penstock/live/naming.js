// Names of panes: what tells those of one scheme apart.

import { fileValue } from "./parameters.js";

const LONGEST = 3; // parameters that a name has; the controls have all

/** For each queue, the values in which it differs from the other queues of its scheme: "w_q = 0.002"; "" if it is alone. */
export function differences(queues, schemes) {
  return queues.map((queue) => {
    const rivals = queues.filter(({ scheme }) => scheme === queue.scheme);
    if (rivals.length < 2) return "";
    const known = schemes.find(({ name }) => name === queue.scheme)?.params ?? [];
    const values = [
      ["buffer", ({ limit }) => limit],
      ...known.map(({ name, default: usual }) => [name, ({ params }) => params?.[name] ?? usual]),
    ];
    const differing = values.filter(([, of]) => rivals.some((rival) => shown(of(rival)) !== shown(of(queue))));
    const words = differing.slice(0, LONGEST).map(([name, of]) => `${name} = ${shown(of(queue))}`);
    return [...words, ...(differing.length > LONGEST ? ["…"] : [])].join(", ");
  });
}

function shown(value) {
  if (value === undefined || value === "inf") return "unlimited";
  if (value === null) return "off";
  if (Object(value).packets === 1) return "1 packet";
  if (Object(value).packets !== undefined) return `${value.packets} packets`;
  return String(fileValue(value)).replace(/^([\d.]+)([a-zA-Z]+)$/, "$1 $2");
}
