// The tables of numbers: the page has one for each place, and the script writes the numbers of the chosen setting into it.

import { colour, shape } from "./looks.js";
import { page } from "./page_data.js";
import { fillSchemeRows } from "./scheme_table.js";

const LEADS = ["", "shared", "best"];
const NONE = "–";
const [WIDTH, LANE, PAD, RADIUS] = [132, 5, 5, 2.6]; // of the column "on one scale", in pixels

/** Writes the numbers of a place at a setting into its table. */
export function fillTable(box, point) {
  const { rows, metrics } = page.places.find(({ name }) => name === box.dataset.place);
  box.querySelector(".setting").textContent = page.points[point].label && `· ${page.points[point].label}`;
  if (box.querySelector(".by-scheme")) {
    const intervals = new Map(rows.map((row) => [row, intervalsOf(metrics.find(({ name }) => name === row.name), point)]));
    fillSchemeRows(box, rows, point, (cell, row, scheme, text) => fillCell(cell, row, point, scheme, text, intervals.get(row)?.[scheme]));
    return;
  }
  const lines = box.querySelectorAll("tbody tr:not(.group)");
  let any = false;
  rows.forEach((row, at) => {
    const texts = row.cells[point].split("|");
    lines[at].hidden = texts.every((text) => !text);
    if (lines[at].hidden) return;
    any = true;
    const intervals = intervalsOf(metrics.find(({ name }) => name === row.name), point);
    lines[at].querySelectorAll(".num").forEach((cell, scheme) => fillCell(cell, row, point, scheme, texts[scheme], intervals?.[scheme]));
    lines[at].querySelector(".one").innerHTML = strip(intervals, texts, row.unit);
  });
  box.querySelector(".nothing").hidden = any;
  box.querySelector(".scroll").hidden = !any;
}

/** Mean and interval of each scheme; of a metric that is 0 everywhere, nothing. */
function intervalsOf(metric, point) {
  return metric && page.schemes.map((_, scheme) => [metric.mean, metric.low, metric.high].map((column) => column[scheme][point]));
}

function fillCell(cell, row, point, scheme, text, interval) {
  const [mean, half] = text.split("±");
  cell.classList.remove(...LEADS.filter(Boolean));
  const lead = LEADS[row.leads[point][scheme] ?? 0];
  if (lead) cell.classList.add(lead);
  cell.innerHTML = `<span class="v">${mean || NONE}</span>${half ? `<span class="pm">±${half}</span>` : ""}`;
  cell.title = mean ? tip(interval ?? [0, half ? 0 : null, 0], row.unit, row.runs?.[point][scheme] ?? page.runs) : "this scheme has no such number";
}

function tip([mean, low, high], unit, runs) {
  return `${mean ?? NONE} ${unit}`.trim() + (low === null ? "; n = 1, no interval" : `; 95 % interval ${low} to ${high}; n = ${runs}`);
}

/** All schemes of one row on one scale: in each lane a marker for the mean and a line for the interval. */
function strip(intervals, texts, unit) {
  const known = (intervals ?? []).map((interval, scheme) => [scheme, ...interval]).filter(([, mean]) => mean !== null);
  if (known.length < 2) return "";
  const low = Math.min(...known.map(([, mean, from]) => from ?? mean));
  const high = Math.max(...known.map(([, mean, , to]) => to ?? mean));
  if (high - low <= 1e-12 * Math.max(Math.abs(high), Math.abs(low))) return "";
  const at = (value) => (PAD + ((value - low) / (high - low)) * (WIDTH - 2 * PAD)).toFixed(1);
  const parts = known.map(([scheme, mean, from, to]) => {
    const y = LANE * (scheme + 0.5) + 1;
    const whisker = from !== null && at(to) - at(from) > 0.5 ? `<path class="whisker" d="M${at(from)} ${y}H${at(to)}"/>` : "";
    return `${whisker}<path fill="${colour(scheme)}" transform="translate(${at(mean)} ${y})scale(${RADIUS})" d="${shape(scheme)}"/>`;
  });
  const height = LANE * texts.length + 2;
  return `<svg class="strip" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="from ${low} to ${high} ${unit}">${parts.join("")}</svg>`;
}

/** Shows the tables of all settings of a place, for paper; the returned function removes them. */
export function allTables(box, chosen) {
  const copies = page.points.flatMap((_, point) => (point === chosen ? [] : [{ point, copy: box.cloneNode(true) }]));
  for (const { point, copy } of copies) fillTable(copy, point);
  const before = copies.filter(({ point }) => point < chosen).map(({ copy }) => copy);
  box.before(...before);
  box.after(...copies.map(({ copy }) => copy).filter((copy) => !before.includes(copy)));
  return () => copies.forEach(({ copy }) => copy.remove());
}
