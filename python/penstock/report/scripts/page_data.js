// The numbers of the page, and what its reader has chosen.

export const page = JSON.parse(document.getElementById("data").textContent);

// Series share their times; a column with one value all the time is that value.
for (const series of page.series.flatMap(({ links }) => Object.values(links))) {
  series.t = page.times[series.t];
  for (const columns of [series.queue, series.avg, series.max_p].filter(Boolean))
    for (const [name, values] of Object.entries(columns))
      if (!Array.isArray(values)) columns[name] = series.t.map(() => values);
}

/**
 * `axis`, `up`: the swept values across and up; `rest`: the choice among the combinations of all others but `axis`, and
 * `others` among those of all but both.
 */
export const chosen = {
  place: page.places[0]?.name ?? "",
  point: 0,
  axis: page.axis,
  up: page.axes.findIndex((_, at) => at !== page.axis),
  rest: 0,
  others: 0,
  metric: 0,
  link: page.series[0]?.links[page.places[0]?.name] ? page.places[0].name : (Object.keys(page.series[0]?.links ?? {})[0] ?? ""),
  hidden: new Set(),
  allMetrics: false,
  /** What is shown over time: "all", "queue" or a kind of panel. */
  over: "queue",
  /** The part of the time axis that is shown, or null. */
  zoom: null,
};

/** The chosen place, with its metrics and distributions. */
export function place() {
  return page.places.find(({ name }) => name === chosen.place);
}

/** The schemes that are shown: {scheme, label, full, title}; `label` is a letter with the name where `full` is long. */
export function shownSchemes() {
  return page.schemes.map((one, scheme) => ({ scheme, ...one })).filter(({ scheme }) => !chosen.hidden.has(scheme));
}

/** The combinations of the values of all axes but `axes`: {label, points}. */
export function combinations(axes) {
  const found = new Map();
  page.points.forEach(({ at }, point) => {
    const rest = page.axes.flatMap(({ words }, axis) => (axes.includes(axis) ? [] : [words[at[axis]]]));
    const label = rest.join(", ");
    if (!found.has(label)) found.set(label, []);
    found.get(label).push(point);
  });
  return [...found].map(([label, points]) => ({ label, points }));
}

/** What the intervals of the page are. */
export const INTERVALS = page.runs > 1 ? `95 % intervals, n = ${page.runs}` : "n = 1: no interval";
