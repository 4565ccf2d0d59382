// Which schemes the charts show: of many, a few to begin with.

import { chosen, page, place, shownSchemes } from "./page_data.js";

/** Schemes up to which a chart shows all of them, each in a colour of its own. */
export const FEW = 8;

/** The schemes that no other one beats in both coordinates, from the smallest x: smaller x and larger y are better. */
export function front(rows) {
  const beats = (one, other) => one.x <= other.x && one.y >= other.y && (one.x < other.x || one.y > other.y);
  return rows.filter((row) => !rows.some((other) => beats(other, row))).sort((a, b) => a.x - b.x);
}

/** Hides all but the first and the best of many schemes, one of each colour. */
export function selectFew() {
  if (page.schemes.length <= FEW) return;
  const [delay, utilization] = ["delay_p99_s", "utilization"].map((name) => place()?.metrics.find((metric) => metric.name === name));
  const rows = page.schemes.map((_, scheme) => ({ scheme, x: delay?.mean[scheme][0], y: utilization?.mean[scheme][0] }));
  const known = rows.filter(({ x, y }) => Number.isFinite(x) && Number.isFinite(y));
  const best = [0, ...(place()?.best?.[0] ?? []), ...front(known).map(({ scheme }) => scheme), ...rows.keys()];
  const ranked = [...new Set(best)];
  const first = new Set();
  const ofOwnColour = ranked.filter((scheme) => !first.has(scheme % FEW) && first.add(scheme % FEW));
  show(ofOwnColour.slice(0, FEW));
}

function show(schemes) {
  chosen.hidden = new Set([...page.schemes.keys()].filter((scheme) => !schemes.includes(scheme)));
}

/** Shows or hides a scheme in the charts. */
export function toggle(scheme) {
  if (!chosen.hidden.delete(scheme)) chosen.hidden.add(scheme);
}

/** The legend, the search for a scheme, and the buttons for all and none; `changed` is called after each change. */
export function legend(changed) {
  const keys = [...document.querySelectorAll("#legend .key")];
  keys.forEach((key, scheme) => key.addEventListener("click", () => (toggle(scheme), changed())));
  const search = document.querySelector("#legend input");
  search?.addEventListener("input", () => {
    for (const key of keys) key.hidden = !key.textContent.toLowerCase().includes(search.value.toLowerCase());
  });
  for (const button of document.querySelectorAll("#legend [data-show]"))
    button.addEventListener("click", () => {
      const { show: which } = button.dataset;
      if (which === "few") selectFew();
      else show(which === "all" ? [...page.schemes.keys()] : []);
      changed();
    });
}

/** Writes what is chosen into the legend. */
export function updateLegend() {
  document.querySelectorAll("#legend .key").forEach((key, scheme) => key.setAttribute("aria-pressed", String(!chosen.hidden.has(scheme))));
  const summary = document.querySelector("#legend summary");
  if (!summary) return;
  summary.textContent = `${shownSchemes().length} of ${page.schemes.length} schemes in the charts`;
  const chips = document.getElementById("shown");
  const keys = document.querySelectorAll("#legend .key");
  chips.replaceChildren(
    ...shownSchemes().map(({ scheme }) => {
      const chip = document.createElement("span");
      chip.className = "chip";
      chip.append(...[...keys[scheme].childNodes].map((node) => node.cloneNode(true)));
      return chip;
    }),
  );
}
