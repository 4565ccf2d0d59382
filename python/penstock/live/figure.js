// The queues over time as an SVG figure.

const WIDTH = 640;
const PANEL = 190;
const LEFT = 56;
/**
 * `panes`: {title, history, drops}: columns time, queue, average; the last `span` seconds are drawn, all queues on one scale
 * in these colours of queue, average and drops, and marks.
 */
export function figure(panes, span, colours) {
  const highest = Math.max(10, ...panes.flatMap(({ history: [times, queue] }) => queue.filter((_, at) => times[at] >= times.at(-1) - span)));
  const panels = panes.map((pane, place) => panel(pane, span, place * PANEL, highest, colours));
  const height = panes.length * PANEL + 10;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" ` +
    `font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="white"/>${panels.join("")}</svg>\n`
  );
}

function panel({ title, history, drops }, span, top, highest, colours) {
  const [times, queue, average] = history;
  const end = Math.max(times.at(-1) ?? 0, span);
  const begin = end - span;
  const first = Math.max(0, times.findIndex((time) => time >= begin));
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
  const strokes = (all, tall, colour) =>
    all.filter((time) => time >= begin && time <= end).map((time) => `<path d="M${x(time).toFixed(1)} ${plotBottom}v${-tall}" stroke="${colour}"/>`);
  const label = (text, at, up, anchor) => `<text x="${at}" y="${up}" text-anchor="${anchor}">${escaped(text)}</text>`;
  return [
    label(title, LEFT, top + 18, "start"),
    `<path d="M${LEFT} ${plotTop}V${plotBottom}H${WIDTH - 12}" fill="none" stroke="#555"/>`,
    label(`${Math.round(highest)}`, LEFT - 6, plotTop + 4, "end"),
    label("0", LEFT - 6, plotBottom + 4, "end"),
    `<text transform="translate(14 ${(plotTop + plotBottom) / 2}) rotate(-90)" text-anchor="middle">packets</text>`,
    label(begin.toFixed(0), LEFT, plotBottom + 16, "middle"),
    label(`${end.toFixed(0)} s`, WIDTH - 12, plotBottom + 16, "end"),
    path(queue, colours[0]),
    path(average, colours[1]),
    ...strokes(drops.times.mark, 5, colours[2]),
    ...strokes(drops.times.drop, 9, colours[1]),
  ].join("");
}

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
