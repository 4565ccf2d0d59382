"""Comparisons and runs as tables: text for a terminal or a file, HTML for a notebook."""

from __future__ import annotations

import html
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table as RichTable

from penstock.results.display import decimals, number, scale_for
from penstock.results.metrics import metric, order

if TYPE_CHECKING:
    from penstock.engine.run import Run
    from penstock.studies.compare import Comparison

# What a comparison is about, in the order of the columns; those that a scenario does not have are left out.
COLUMNS = (
    "length_mean_pkts",
    "length_var_pkts2",
    "delay_mean_s",
    "delay_p99_s",
    "loss_rate",
    "mark_rate",
    "utilization",
    "jain",
)

_HEADS = {
    "length_mean_pkts": "queue",
    "length_var_pkts2": "queue variance",
    "delay_mean_s": "delay",
    "delay_p99_s": "delay p99",
    "loss_rate": "loss",
    "mark_rate": "marked",
    "utilization": "utilization",
    "jain": "Jain",
    "goodput_bps": "goodput",
}


@dataclass(frozen=True)
class Grid:
    """A table of texts; the first `labels` columns are names, the rest numbers."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    labels: int


def comparison_grids(found: Comparison) -> list[Grid]:
    """For each link where the schemes stand: means with intervals, and differences to the first scheme."""
    grids = []
    places = [place for place in dict.fromkeys(row["place"] for row in found.rows) if place in found.plan.at]
    for place in places or list(dict.fromkeys(row["place"] for row in found.rows))[:1]:
        rows = [row for row in found.rows if row["place"] == place]
        grids.append(_grid(f"{place}: mean ± half the 95 % interval of {found.runs} runs", rows))
        if found.runs > 1 and found.differences:
            title = f"{place}: paired difference to {_label(found.rows[0])}, mean ± half the 95 % interval"
            grids.append(_grid(title, [row for row in found.differences if row["place"] == place], signed=True))
    return grids


def _grid(title: str, rows: Sequence[Mapping[str, Any]], *, signed: bool = False) -> Grid:
    names = {row["metric"] for row in rows if row["mean"] != 0 or row["metric"] != "mark_rate"}
    columns = [name for name in COLUMNS if name in names]
    swept = list(rows[0]["vary"]) if rows else []
    lines: dict[tuple[str, ...], dict[str, Mapping[str, Any]]] = {}
    for row in rows:
        key = (*(str(row["vary"][path]) for path in swept), _label(row))
        lines.setdefault(key, {})[row["metric"]] = row
    shown = [_column(name, [line.get(name) for line in lines.values()], signed=signed) for name in columns]
    heads = (*(path.split(".", 1)[-1] for path in swept), "scheme", *(head for head, _ in shown))
    body = tuple((*key, *(texts[i] for _, texts in shown)) for i, key in enumerate(lines))
    return Grid(title, heads, _without_repeats(body, len(swept)), len(swept) + 1)


def _column(name: str, rows: Sequence[Mapping[str, Any] | None], *, signed: bool) -> tuple[str, list[str]]:
    """The head with its unit, and `mean ± half` of each row in that unit."""
    scale = scale_for(metric(name).quantity, [row["mean"] for row in rows if row])
    halves = [(row["ci95"][1] - row["ci95"][0]) / 2 * scale.factor for row in rows if row and row["ci95"]]
    places = decimals([row["mean"] * scale.factor for row in rows if row], halves)
    texts = []
    for row in rows:
        if row is None:
            texts.append("–")
            continue
        text = number(row["mean"] * scale.factor, places)
        if signed and row["mean"] > 0:
            text = f"+{text}"
        if row["ci95"]:
            text += f" ± {number((row['ci95'][1] - row['ci95'][0]) / 2 * scale.factor, places)}"
        texts.append(text)
    head = _HEADS.get(name, metric(name).title)
    return (f"{head} ({scale.unit})" if scale.unit else head), texts


def _label(row: Mapping[str, Any]) -> str:
    from penstock.studies.compare import row_label

    return row_label(row)


def _without_repeats(rows: Sequence[tuple[str, ...]], columns: int) -> tuple[tuple[str, ...], ...]:
    """Leave a swept value out where the line above has the same."""
    shown = []
    for i, row in enumerate(rows):
        same = i > 0 and rows[i - 1][:columns] == row[:columns]
        shown.append((("",) * columns + row[columns:]) if same else row)
    return tuple(shown)


def run_grids(run: Run) -> list[Grid]:
    """The watched links and the traffic of a run, one metric a line."""
    grids = []
    for title, places in (("Watched links", run.raw["links"]), ("Traffic", run.raw["traffic"])):
        if not places:
            continue
        names = {
            name
            for values in places.values()
            for name, value in values.items()
            if isinstance(value, (int, float)) and not isinstance(value, bool)
        }
        rows = [(_line_name(name, places), *_line(name, list(places.values()))) for name in order(names)]
        grids.append(Grid(title, ("", *places), tuple(rows), 1))
    return grids


def _line_name(name: str, places: Mapping[str, Mapping[str, Any]]) -> str:
    unit = scale_for(metric(name).quantity, _numbers(name, places.values())).unit
    return f"{name} ({unit})" if unit else name


def _line(name: str, places: Sequence[Mapping[str, Any]]) -> list[str]:
    values = _numbers(name, places)
    scale = scale_for(metric(name).quantity, values)
    digits = decimals([value * scale.factor for value in values])
    return ["–" if place.get(name) is None else number(place[name] * scale.factor, digits) for place in places]


def _numbers(name: str, places: Iterable[Mapping[str, Any]]) -> list[float]:
    return [place[name] for place in places if place.get(name) is not None]


def text(grids: Iterable[Grid], *, width: int | None = None, color: bool = False) -> str:
    """The tables as text; as wide as they need unless `width` says otherwise."""
    target = io.StringIO()
    console = Console(file=target, width=width or 400, force_terminal=color, no_color=not color, highlight=False)
    for grid in grids:
        table = RichTable(title=grid.title, title_justify="left", box=None, header_style="bold", pad_edge=False)
        for i, head in enumerate(grid.heads):
            table.add_column(head, justify="left" if i < grid.labels else "right", overflow="fold")
        for row in grid.rows:
            table.add_row(*row)
        console.print(table)
        console.print()
    return "\n".join(line.rstrip() for line in target.getvalue().splitlines()).rstrip() + "\n"


def plain_text(found: Comparison) -> str:
    """A comparison's tables as text."""
    alike = found.identical()
    note = f"\nAll {found.runs} runs are identical, because nothing is random: {'; '.join(alike)}.\n" if alike else ""
    return text(comparison_grids(found)) + note


def html_text(found: Comparison) -> str:
    """A comparison's tables for a notebook."""
    parts = []
    for grid in comparison_grids(found):
        heads = "".join(f"<th>{html.escape(head)}</th>" for head in grid.heads)
        rows = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in grid.rows)
        parts.append(f"<table><caption>{html.escape(grid.title)}</caption><tr>{heads}</tr>{rows}</table>")
    return "".join(parts)
