// The part of the time axis that all charts over time show.

import { chosen } from "./page_data.js";

export function isShown(time) {
  return chosen.zoom === null || (time >= chosen.zoom[0] && time <= chosen.zoom[1]);
}

/** Lets the reader drag over a part of the time axis; a double click shows all of it. */
export function zoomable(drawn, redraw) {
  const { range, invert } = drawn.scale("x");
  const bottom = Number(drawn.getAttribute("height"));
  const brush = Plot.brushX()
    .extent([[range[0], 0], [range[1], bottom - 38]])
    .on("end", ({ selection, sourceEvent }) => {
      if (!selection || !sourceEvent) return;
      chosen.zoom = selection.map(invert);
      redraw();
    });
  Plot.select(drawn).append("g").attr("class", "brush").call(brush);
  drawn.addEventListener("dblclick", () => {
    if (chosen.zoom === null) return;
    chosen.zoom = null;
    redraw();
  });
}
