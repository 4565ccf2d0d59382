// Figures as files: the drawing as SVG or PNG, with title and key, and its numbers as CSV.

import { download } from "./elements.js";
import { colour, shape } from "./looks.js";

const PIXELS = 2; // of a PNG for each of the page
const LINE = 18;
const FONT = "system-ui, sans-serif";

export function saveSvg(figure) {
  download(drawing(figure).text, `${fileName(figure.title)}.svg`, "image/svg+xml");
}

export function savePng(figure) {
  const { text, width, height } = drawing(figure);
  const image = new Image();
  image.onload = () => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [width * PIXELS, height * PIXELS];
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((content) => download(content, `${fileName(figure.title)}.png`, "image/png"), "image/png");
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
}

export function saveCsv(figure) {
  saveRows(figure.title, figure.table());
}

/** Saves a table as CSV, under a name made of the page's heading and `title`. */
export function saveRows(title, { heads, rows }) {
  const quoted = (value) => (/[",\n]/.test(csvText(value)) ? `"${csvText(value).replaceAll('"', '""')}"` : csvText(value));
  const text = [heads, ...rows].map((row) => row.map(quoted).join(",")).join("\n");
  download(`${text}\n`, `${fileName(title)}.csv`, "text/csv");
}

/** A value of a table as text; nothing for a number that is not known. */
export function csvText(value) {
  return value === null || value === undefined ? "" : String(value);
}

/** The figure as an SVG of its own, in the colours that the page has now. */
export function drawing(figure) {
  const shown = [...figure.drawn.querySelectorAll("svg")].find((svg) => svg.checkVisibility());
  const chart = shown.cloneNode(true);
  for (const part of chart.querySelectorAll(".pointed, .brush")) part.remove();
  const { width, height: tall } = shown.viewBox.baseVal;
  chart.setAttribute("width", width);
  chart.setAttribute("height", tall);
  const keys = key(figure.schemes ?? [], width);
  const top = LINE + 8;
  const height = top + tall + keys.height;
  const title = [figure.title, figure.unit && `(${figure.unit})`].filter(Boolean).join(" ");
  chart.setAttribute("y", top);
  chart.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`,
    ` font-family="${FONT}" font-size="12" color="var(--ink)"><rect width="100%" height="100%" fill="var(--card)"/>`,
    `<text x="8" y="18" font-weight="600" fill="var(--ink)">${escaped(title)}</text>`,
    chart.outerHTML,
    `<g transform="translate(0 ${height - keys.height})">${keys.text}</g></svg>\n`,
  ];
  const values = getComputedStyle(document.documentElement);
  const text = parts.join("").replaceAll("var(--sans)", FONT).replace(/var\((--[\w-]+)\)/g, (_, name) => values.getPropertyValue(name).trim());
  return { text, width, height };
}

/** The key of the schemes, in as many lines as the width needs. */
function key(schemes, width) {
  let [x, y] = [14, 8];
  const parts = schemes.map(({ scheme, label, full }) => {
    const words = label === full ? label : `${label}: ${full}`;
    const wide = 26 + words.length * 7;
    if (x > 14 && x + wide > width) [x, y] = [14, y + LINE];
    const part =
      `<path transform="translate(${x} ${y})scale(4)" fill="${colour(scheme)}" d="${shape(scheme)}"/>` +
      `<text x="${x + 9}" y="${y + 4}" fill="var(--ink)">${escaped(words)}</text>`;
    x += wide;
    return part;
  });
  return { text: parts.join(""), height: schemes.length ? y + LINE : 0 };
}

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

function fileName(title) {
  const words = `${document.querySelector("h1").textContent} ${title}`;
  return words.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
}
