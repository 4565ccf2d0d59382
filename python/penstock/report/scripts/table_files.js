// A CSV button for each table of a page.

import { element } from "./elements.js";
import { saveRows } from "./save.js";

/** Adds the button to each table whose box has the attribute `data-table`, the title of the file. */
export function tableFiles() {
  for (const box of document.querySelectorAll("[data-table]")) {
    const title = box.dataset.table;
    const button = element("button", { type: "button", class: "ghost", "aria-label": `Save ${title} as CSV`, onclick: () => saveTable(box, title) }, "CSV");
    box.after(element("div", { class: "files of-table" }, button));
  }
}

function saveTable(box, title) {
  const [heads, ...rows] = [...box.querySelector("table").rows].map((row) => [...row.cells].map(cellText));
  saveRows(title, { heads, rows });
}

function cellText(cell) {
  return cell.innerText.replace(/\s+/g, " ").trim();
}
