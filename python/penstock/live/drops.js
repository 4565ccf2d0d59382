// Drops and marks of a pane: their times for the chart, and a list with the gaps between them.

import { element } from "../report/scripts/elements.js";
import { EVENT } from "./engine.js";

const KEPT = 4000; // drops, and marks, that the chart shows
const LISTED = 12;
const KINDS = { [EVENT.dropped]: "drop", [EVENT.marked]: "mark" };

export class DropList {
  constructor() {
    this.rows = element("ol", { class: "events" });
    this.restart();
  }

  restart() {
    /** Times in seconds by kind, in their order. */
    this.times = { drop: [], mark: [] };
    this.rows.replaceChildren();
  }

  /** `seen`: rows of 8 since the last call: time, kind, link, flow, packet number, bytes, cause, waiting time. */
  hear(seen) {
    const rows = [];
    for (let at = 0; at < seen.length; at += 8) {
      const [time, event, , flow] = seen.slice(at, at + 4);
      const kind = KINDS[event];
      if (!kind) continue;
      const times = this.times[kind];
      const gap = times.length ? ` after ${((time - times.at(-1)) * 1e3).toFixed(1)} ms` : "";
      times.push(time);
      rows.push(`${time.toFixed(3)} s, flow ${flow}: ${kind}${gap}`);
    }
    for (const times of Object.values(this.times)) if (times.length > 2 * KEPT) times.splice(0, times.length - KEPT);
    if (rows.length === 0) return;
    this.rows.append(...rows.slice(-LISTED).map((text) => element("li", {}, text)));
    while (this.rows.children.length > LISTED) this.rows.firstChild.remove();
  }
}
