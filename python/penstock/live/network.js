// The network: senders, the queue with its packets, the link; packets that are dropped fall out of the picture.

import { cleared, flowColour, themeColour } from "./elements.js";
import { EVENT } from "./engine.js";

const FALL_MS = 500;
const CELLS = 600; // of the picture of a queue, at most

export class NetworkPicture {
  /** `picked(text)` is called with the description of a packet that the reader points at. */
  constructor(canvas, picked) {
    this.canvas = canvas;
    this.falling = [];
    this.cells = [];
    canvas.tabIndex = 0;
    canvas.addEventListener("click", (event) => picked(this.#describe(this.#at(event.offsetX, event.offsetY))));
    canvas.addEventListener("keydown", (event) => {
      const move = { ArrowRight: -1, ArrowLeft: 1 }[event.key];
      if (!move) return;
      event.preventDefault();
      picked(this.#describe(this.cells[this.#choose((this.chosen ?? -1) + move)]));
    });
  }

  /** The place of a packet by number, within those that wait. */
  #choose(number) {
    this.chosen = Math.max(0, Math.min(this.cells.length - 1, number));
    return this.chosen;
  }

  /** `capacity`: the largest buffer of all panes in packets, so that their pictures have one scale. */
  draw({ state, waiting, seen }, capacity, now) {
    const { context, width, height } = cleared(this.canvas);
    const box = { left: width * 0.16, right: width * 0.84, top: 10, bottom: height - 22 };
    this.time = state.time;
    this.#remember(seen, now, box);
    this.#frame(context, width, height, box, state);
    this.#packets(context, box, waiting, Math.max(capacity, state.packets, 1));
    this.#falls(context, height, now);
  }

  #frame(context, width, height, box, state) {
    const middle = (box.top + box.bottom) / 2;
    context.strokeStyle = themeColour("--faint");
    context.fillStyle = themeColour("--soft");
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(8, middle);
    context.lineTo(box.left, middle);
    context.moveTo(box.right, middle);
    context.lineTo(width - 8, middle);
    context.stroke();
    context.strokeRect(box.left, box.top, box.right - box.left, box.bottom - box.top);
    context.font = "12px system-ui, sans-serif";
    if (box.left > 66) {
      context.fillText("senders", 6, middle - 8);
      context.textAlign = "right";
      context.fillText("receivers", width - 6, middle - 8);
    }
    context.textAlign = "center";
    const delay = state.packets && state.rate ? (state.bytes * 8) / state.rate : 0;
    context.fillText(`${state.packets} waiting: ${(delay * 1000).toFixed(0)} ms`, width / 2, height - 6);
    context.textAlign = "left";
  }

  /** The head of the queue is at the right; columns fill from there. */
  #packets(context, box, waiting, capacity) {
    const inner = { width: box.right - box.left - 6, height: box.bottom - box.top - 6 };
    const each = Math.ceil(capacity / CELLS); // packets that a cell stands for
    const cells = Math.ceil(capacity / each);
    const rows = Math.max(1, Math.min(12, Math.ceil(Math.sqrt((cells * inner.height) / inner.width))));
    const columns = Math.ceil(cells / rows);
    const cell = { width: inner.width / columns, height: inner.height / rows };
    const count = waiting.length / 6;
    this.cells = [];
    for (let place = 0; place * each < count; place += 1) {
      const [flow, seq, size, kind, marked, since] = waiting.subarray(place * each * 6, place * each * 6 + 6);
      const x = box.right - 3 - (Math.floor(place / rows) + 1) * cell.width;
      if (x < box.left) break;
      const y = box.top + 3 + (place % rows) * cell.height;
      context.fillStyle = flowColour(flow);
      context.fillRect(x + 0.5, y + 0.5, Math.max(1, cell.width - 1), Math.max(1, cell.height - 1));
      if (marked) {
        context.strokeStyle = themeColour("--ink");
        context.strokeRect(x + 1, y + 1, Math.max(1, cell.width - 2), Math.max(1, cell.height - 2));
      }
      this.cells.push({ x, y, ...cell, flow, seq, size, kind, marked, since });
    }
  }

  #remember(seen, now, box) {
    for (let row = 0; row < seen.length; row += 8) {
      if (seen[row + 1] === EVENT.dropped && this.falling.length < 60) {
        this.falling.push({ flow: seen[row + 3], at: now, x: box.left - 14 + ((row / 8) % 5) * 5 });
      }
    }
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.falling = isStill ? [] : this.falling.filter((drop) => now - drop.at < FALL_MS);
  }

  #falls(context, height, now) {
    for (const { flow, at, x } of this.falling) {
      const share = (now - at) / FALL_MS;
      context.globalAlpha = 1 - share;
      context.fillStyle = flowColour(flow);
      context.fillRect(x, height * (0.45 + 0.5 * share * share), 7, 7);
      context.globalAlpha = 1;
    }
  }

  #at(x, y) {
    return this.cells[this.#choose(this.cells.findIndex((c) => x >= c.x && x < c.x + c.width && y >= c.y && y < c.y + c.height))];
  }

  #describe(found) {
    if (!found) return "";
    const waited = ((this.time - found.since) * 1000).toFixed(1);
    const kind = ["data", "ACK", "datagram"][found.kind];
    return `flow ${found.flow}, ${kind} ${found.seq}, ${found.size} B, waiting for ${waited} ms${found.marked ? ", marked" : ""}`;
  }
}
