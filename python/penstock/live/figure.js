// The queues over time as an SVG figure.

const WIDTH = 640;
const PANEL = 190;
const LEFT = 56;
const COLOURS = ["#0072b2", "#d55e00"];

/** `panes`: {title, history}: columns time, queue, average; the last `span` seconds are drawn. */
export function figure(panes, span) {
  const panels = panes.map((pane, place) => panel(pane, span, place * PANEL));
  const height = panes.length * PANEL + 10;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" ` +
    `font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="white"/>${panels.join("")}</svg>\n`
  );
}

function panel({ title, history }, span, top) {
  const [times, queue, average] = history;
  const end = Math.max(times.at(-1) ?? 0, span);
  const begin = end - span;
  const first = Math.max(0, times.findIndex((time) => time >= begin));
  const highest = Math.max(10, ...queue.slice(first));
  const [plotTop, plotBottom] = [top + 26, top + PANEL - 36];
  const x = (time) => LEFT + ((WIDTH - LEFT - 12) * (time - begin)) / span;
  const y = (value) => plotBottom - ((plotBottom - plotTop) * value) / highest;
  const path = (values, colour) => {
    const points = [];
    for (let place = first; place < times.length; place += 1) {
      if (Number.isFinite(values[place])) points.push(`${x(times[place]).toFixed(1)},${y(values[place]).toFixed(1)}`);
    }
    return `<polyline fill="none" stroke="${colour}" stroke-width="1.2" points="${points.join(" ")}"/>`;
  };
  const label = (text, at, up, anchor) => `<text x="${at}" y="${up}" text-anchor="${anchor}">${escaped(text)}</text>`;
  return [
    label(title, LEFT, top + 18, "start"),
    `<path d="M${LEFT} ${plotTop}V${plotBottom}H${WIDTH - 12}" fill="none" stroke="#555"/>`,
    label(`${Math.round(highest)}`, LEFT - 6, plotTop + 4, "end"),
    label("0", LEFT - 6, plotBottom + 4, "end"),
    `<text transform="translate(14 ${(plotTop + plotBottom) / 2}) rotate(-90)" text-anchor="middle">packets</text>`,
    label(begin.toFixed(0), LEFT, plotBottom + 16, "middle"),
    label(`${end.toFixed(0)} s`, WIDTH - 12, plotBottom + 16, "end"),
    path(queue, COLOURS[0]),
    path(average, COLOURS[1]),
  ].join("");
}

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
