// Tables of numbers sort by any column: click its head, or press Enter on it; again for the other direction.
const amount = (row, column) => {
  const text = row.cells[column].textContent.trim(), number = parseFloat(text);
  return Number.isNaN(number) ? text : number;
};

const sort = (table, column) => {
  const head = table.tHead.rows[0].cells[column], falling = head.ariaSort === "ascending";
  for (const cell of table.tHead.rows[0].cells) cell.ariaSort = null;
  head.ariaSort = falling ? "descending" : "ascending";
  const rows = [...table.tBodies[0].rows].sort((one, other) => {
    const [a, b] = [amount(one, column), amount(other, column)];
    const order = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
    return falling ? -order : order;
  });
  table.tBodies[0].append(...rows);
};

for (const table of document.querySelectorAll(".sortable table")) {
  [...table.tHead.rows[0].cells].forEach((cell, column) => {
    const button = document.createElement("button");
    button.title = "Sort by this column";
    button.append(...cell.childNodes);
    button.addEventListener("click", () => sort(table, column));
    cell.append(button);
  });
}
