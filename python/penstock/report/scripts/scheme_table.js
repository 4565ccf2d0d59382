// The table of many schemes: a row for each, sorted by the metric that the reader chooses.

import { page } from "./page_data.js";

/** Writes the numbers of a setting into a table with schemes as rows, by `fill(cell, row, scheme, text)`, and sorts it. */
export function fillSchemeRows(box, rows, point, fill) {
  const lines = [...box.querySelectorAll("tbody tr")];
  for (const line of lines) {
    const scheme = Number(line.dataset.scheme);
    rows.forEach((row, column) => fill(line.querySelectorAll(".num")[column], row, scheme, row.cells[point].split("|")[scheme]));
  }
  box.dataset.point = point;
  sortRows(box);
}

/** Makes the heads of a table sort its rows; another click turns the order. */
export function sortable(box) {
  for (const button of box.querySelectorAll(".sort"))
    button.addEventListener("click", () => {
      const head = button.closest("th");
      const turned = head.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
      for (const other of box.querySelectorAll("th[aria-sort]")) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", turned);
      sortRows(box);
    });
}

/** Sorts the rows by the mean of the chosen column; schemes without this number are last. */
function sortRows(box) {
  const head = box.querySelector("th[aria-sort]");
  if (!head) return;
  const { metrics } = page.places.find(({ name }) => name === box.dataset.place);
  const metric = metrics.find(({ name }) => name === head.dataset.metric);
  const sign = head.getAttribute("aria-sort") === "ascending" ? 1 : -1;
  const value = (line) => metric?.mean[Number(line.dataset.scheme)][Number(box.dataset.point)] ?? sign * Infinity;
  const body = box.querySelector("tbody");
  body.append(...[...body.rows].sort((one, other) => sign * (value(one) - value(other)) || one.dataset.scheme - other.dataset.scheme));
}
