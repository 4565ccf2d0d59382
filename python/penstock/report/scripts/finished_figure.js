// Figures drawn before the page was written: what the pointer is at, the numbers as a table, and files of both.

import { element } from "./elements.js";
import { figureTools } from "./figure.js";

const REACH = 40; // CSS pixels from the pointer to a point that it shows, at most

/** Gives each `figure[data-figure]` its buttons and its tip, from the data in the page. */
export function finishedFigures() {
  const data = document.getElementById("figures");
  if (!data) return;
  const figures = JSON.parse(data.textContent);
  for (const card of document.querySelectorAll("figure[data-figure]")) finish(card, figures[card.dataset.figure]);
}

function finish(card, { title, heads, columns, points }) {
  const values = columns.map((column) => column.flatMap((entry) => (Array.isArray(entry) ? Array(entry[1]).fill(entry[0]) : [entry])));
  const rows = (values[0] ?? []).map((_, at) => values.map((column) => column[at]));
  const drawn = card.querySelector(".drawn");
  const table = element("div", { class: "scroll data", tabindex: 0, role: "region", "aria-label": `${title}: table`, hidden: true });
  const figure = { title, drawn, table: () => ({ heads, rows }) };
  card.append(table, figureTools(figure, table));
  for (const [number, svg] of [...drawn.querySelectorAll("svg")].entries()) {
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", title);
    addTip(drawn, svg, points[number] ?? [], { heads, rows });
  }
}

/** A tip at the point nearest to the pointer; `points` has the places of `rows` in the units of the drawing, x and y in turn. */
function addTip(drawn, svg, points, { heads, rows }) {
  const tip = element("div", { class: "tip", role: "status", hidden: true });
  drawn.append(tip);
  const hide = () => (tip.hidden = true);
  svg.addEventListener("pointerleave", hide);
  svg.addEventListener("pointermove", (event) => {
    const toScreen = svg.getScreenCTM();
    const away = (x, y) => Math.hypot(toScreen.a * x + toScreen.e - event.clientX, toScreen.d * y + toScreen.f - event.clientY);
    let [nearest, distance] = [-1, REACH];
    rows.forEach((_, at) => {
      const here = points[2 * at] === null ? Infinity : away(points[2 * at], points[2 * at + 1]);
      if (here < distance) [nearest, distance] = [at, here];
    });
    if (nearest < 0) return hide();
    const [x, y] = points.slice(2 * nearest, 2 * nearest + 2);
    const box = drawn.getBoundingClientRect();
    const [left, top] = [toScreen.a * x + toScreen.e - box.left, toScreen.d * y + toScreen.f - box.top];
    tip.textContent = rows[nearest].flatMap((value, at) => (value === "" || value === null ? [] : [`${heads[at]}: ${value}`])).join("\n");
    tip.hidden = false;
    tip.style.left = `${Math.max(0, Math.min(left + 10, box.width - tip.offsetWidth - 2))}px`;
    tip.style.top = `${top - tip.offsetHeight - 8 < 0 ? top + 12 : top - tip.offsetHeight - 8}px`;
  });
}
