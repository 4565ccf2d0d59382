"""Numbers laid out as tables: text for a terminal or a file, HTML for a notebook."""

from __future__ import annotations

import html
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from penstock.results.display import (
    DisplayUnit,
    decimal_places,
    display_unit,
    format_number,
    is_number,
    scheme_argument,
)
from penstock.results.metrics import find_metric, in_catalogue_order
from penstock.results.parts import CODEPOINT, TITLES, metrics_by_part

__all__ = [
    "COLUMNS",
    "MEAN",
    "STYLE",
    "TextTable",
    "comparison_grids",
    "difference_grid",
    "difference_table",
    "format_tables",
    "html_table",
    "mean_table",
    "run_grids",
]

Row = Mapping[str, Any]

# The metrics of a comparison's table, in the order of its columns; those that a scenario does not have are left out.
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

# The metrics that users notice: of calls, web sessions whose pages are measured, applications with requirements, and
# probes of the responsiveness, each in a separate table.
USER_COLUMNS = (
    "mos",
    "qoo",
    "rpm",
    "mouth_to_ear_s",
    "page_mean_s",
    "page_p95_s",
    "owd_p99_s",
    "owd_p999_s",
    "loss_rate",
)
FELT = ("mos", "qoo", "rpm", "page_mean_s")

# The metrics of the traffic with each codepoint, if there are several.
CODEPOINT_COLUMNS = ("owd_mean_s", "owd_p50_s", "owd_p95_s", "owd_p99_s", "jitter_mean_s", "loss_rate", "goodput_bps")

MEAN = "mean ± half-width of the 95 % interval"
"""What each number of a table is."""

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
    "mos": "MOS",
    "qoo": "QoO",
    "rpm": "RPM",
    "mouth_to_ear_s": "mouth to ear",
    "page_mean_s": "page",
    "page_p95_s": "page p95",
    "owd_mean_s": "one-way delay",
    "owd_p50_s": "p50",
    "owd_p95_s": "p95",
    "owd_p99_s": "one-way p99",
    "owd_p999_s": "p99.9",
    "jitter_mean_s": "jitter",
}

STYLE = """<style>
.penstock { font-size: 13px; font-variant-numeric: tabular-nums; margin: 4px 0 12px }
.penstock table { border-collapse: collapse; margin: 4px 0 8px; font-size: inherit; white-space: nowrap }
.penstock caption { text-align: left; font-weight: 600; padding: 2px 0 }
.penstock th, .penstock td { text-align: right; padding: 2px 10px; border: 0; border-bottom: 1px solid #8884 }
.penstock th.name, .penstock td.name { text-align: left }
.penstock small { display: block; opacity: .7 }
</style>"""
"""The style of tables in notebooks; its colours come from the notebook's theme."""


@dataclass(frozen=True)
class TextTable:
    """A table of texts; the first `label_columns` columns contain names, the others numbers."""

    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    label_columns: int


def comparison_grids(rows: Sequence[Row], differences: Sequence[Row], at: Sequence[str], runs: int) -> list[TextTable]:
    """The tables of each place of `at`: means with half-widths, and paired differences to the first scheme.

    Below these are the means of each group of calls, measured web sessions, traffic with requirements, or probes, and
    the means of the traffic of each codepoint.
    """
    grids = []
    means = f"{MEAN} of {runs} runs"
    for place in at:
        own = [row for row in rows if row["place"] == place]
        grids.append(_grid(f"{place}: {means}", own))
        if runs > 1 and differences:
            title = f"{place}: paired difference to {_label(rows[0])}, {MEAN}"
            apart = [row for row in differences if row["place"] == place]
            grids.append(_grid(title, apart, signed=True, like=own))
    for place in dict.fromkeys(row["place"] for row in rows if row["metric"] in FELT):
        own = [row for row in rows if row["place"] == place]
        grids.append(_grid(f"{place}: {means}", own, of=USER_COLUMNS))
    for place in dict.fromkeys(row["place"] for row in rows if row["place"].startswith(CODEPOINT)):
        own = [row for row in rows if row["place"] == place]
        grids.append(_grid(f"{place}: {means}", own, of=CODEPOINT_COLUMNS))
    return grids


def mean_table(rows: Sequence[Row]) -> TextTable:
    """Means at one place, one line per scheme and point; if there are many metrics, only the columns of comparisons."""
    runs = max(row["runs"] for row in rows)
    return _grid(f"{rows[0]['place']}: {MEAN} of {runs} runs", rows, of=_shown_metrics(rows))


def difference_table(rows: Sequence[Row]) -> TextTable:
    """Paired differences at one place, in the layout of `mean_table`."""
    against = scheme_argument(rows[0]["against"], rows[0]["against_params"])
    title = f"{rows[0]['place']}: paired difference to {against}, {MEAN}"
    return _grid(title, rows, signed=True, of=_shown_metrics(rows))


def _shown_metrics(rows: Sequence[Row]) -> Sequence[str]:
    names = in_catalogue_order({row["metric"] for row in rows if "[" not in row["metric"]})
    return names if len(names) <= len(COLUMNS) else [*COLUMNS, *USER_COLUMNS]


def difference_grid(title: str, heads: tuple[str, str], lines: Mapping[str, tuple[Row, Row, Row | None]]) -> TextTable:
    """A table of two kinds of runs: for each metric the two means and the difference, each with its half-width.

    `heads` names the two kinds; a line has the rows of both and of the paired difference.
    """
    rows = []
    for name, (first, second, difference) in lines.items():
        scale = _scale(name, (first, second))
        places = _decimals([row for row in (first, second, difference) if row is not None], scale)
        unit = f" ({scale.unit})" if scale.unit else ""
        texts = [_text(row, scale, places, signed=False) for row in (first, second)]
        rows.append((f"{name}{unit}", *texts, _text(difference, scale, places, signed=True)))
    return TextTable(title, ("", *heads, "difference"), tuple(rows), 1)


def _grid(
    title: str,
    rows: Sequence[Row],
    *,
    signed: bool = False,
    of: Sequence[str] = COLUMNS,
    like: Sequence[Row] | None = None,
) -> TextTable:
    """A table of `rows`; the units are those that suit the rows of `like`, by default `rows`."""
    swept, lines = _swept(rows), _lines(rows)
    columns = [
        _column(name, [line.get(name) for line in lines.values()], _scale(name, like or rows), signed=signed)
        for name in _columns(rows, of)
    ]
    heads = (*(path.split(".", 1)[-1] for path in swept), "scheme", *(head for head, _ in columns))
    body = tuple((*key, *(texts[i] for _, texts in columns)) for i, key in enumerate(lines))
    return TextTable(title, heads, _without_repeats(body, len(swept)), len(swept) + 1)


def _columns(rows: Sequence[Row], of: Sequence[str] = COLUMNS) -> list[str]:
    names = {row["metric"] for row in rows if row["mean"] != 0 or row["metric"] != "mark_rate"}
    return [name for name in of if name in names]


def _swept(rows: Sequence[Row]) -> list[str]:
    return list(rows[0]["vary"]) if rows else []


def _lines(rows: Sequence[Row]) -> dict[tuple[str, ...], dict[str, Row]]:
    """The rows of each line of a table, by metric; a line is a scheme at one combination of swept values."""
    swept = _swept(rows)
    lines: dict[tuple[str, ...], dict[str, Row]] = {}
    for row in rows:
        key = (*(str(row["vary"][path]) for path in swept), _label(row))
        lines.setdefault(key, {})[row["metric"]] = row
    return lines


def _column(name: str, rows: Sequence[Row | None], scale: DisplayUnit, *, signed: bool) -> tuple[str, list[str]]:
    """A column: its heading with the unit, and `mean ± half-width` of each row in that unit."""
    places = _decimals([row for row in rows if row], scale)
    head = _HEADS.get(name, find_metric(name).title)
    texts = [_text(row, scale, places, signed=signed) for row in rows]
    return (f"{head} ({scale.unit})" if scale.unit else head), texts


def _scale(name: str, rows: Iterable[Row]) -> DisplayUnit:
    return display_unit(find_metric(name).quantity, [row["mean"] for row in rows if row["metric"] == name])


def _decimals(rows: Sequence[Row], scale: DisplayUnit) -> int:
    halves = [_half(row) * scale.factor for row in rows if row["ci95"]]
    return decimal_places([row["mean"] * scale.factor for row in rows], halves)


def _text(row: Row | None, scale: DisplayUnit, places: int, *, signed: bool) -> str:
    if row is None:
        return "–"
    text = format_number(row["mean"] * scale.factor, places)
    if signed and row["mean"] > 0:
        text = f"+{text}"
    return f"{text} ± {format_number(_half(row) * scale.factor, places)}" if row["ci95"] else text


def _half(row: Row) -> float:
    low, high = row["ci95"]
    return float(high - low) / 2


def _label(row: Row) -> str:
    return scheme_argument(row["scheme"], row["params"])


def _without_repeats(rows: Sequence[tuple[str, ...]], columns: int) -> tuple[tuple[str, ...], ...]:
    """Omit a swept value if the line above has the same one."""
    lines = []
    for i, row in enumerate(rows):
        same = i > 0 and rows[i - 1][:columns] == row[:columns]
        lines.append((("",) * columns + row[columns:]) if same else row)
    return tuple(lines)


def run_grids(result: Mapping[str, Any]) -> list[TextTable]:
    """The metrics of the watched links, of the traffic and of the codepoints of a run, one per line."""
    grids = []
    for part, places in metrics_by_part(result).items():
        if not places:
            continue
        names = {name for values in places.values() for name, value in values.items() if is_number(value)}
        rows = [(_line_name(name, places), *_line(name, list(places.values()))) for name in in_catalogue_order(names)]
        grids.append(TextTable(TITLES[part], ("", *places), tuple(rows), 1))
    return grids


def _line_name(name: str, places: Mapping[str, Row]) -> str:
    unit = display_unit(find_metric(name).quantity, _numbers(name, places.values())).unit
    return f"{name} ({unit})" if unit else name


def _line(name: str, places: Sequence[Row]) -> list[str]:
    values = _numbers(name, places)
    scale = display_unit(find_metric(name).quantity, values)
    digits = decimal_places([value * scale.factor for value in values])
    return ["–" if place.get(name) is None else format_number(place[name] * scale.factor, digits) for place in places]


def _numbers(name: str, places: Iterable[Row]) -> list[float]:
    return [place[name] for place in places if place.get(name) is not None]


def format_tables(grids: Iterable[TextTable], *, width: int | None = None, color: bool = False) -> str:
    """The tables as text, `width` columns wide or as wide as their content."""
    from rich.console import (
        Console,  # imported here, since the import takes a tenth of a second and no other part of a result needs it
    )
    from rich.table import Table as RichTable
    from rich.text import Text

    target = io.StringIO()
    # Print names and values literally: no markup in brackets, no emoji for `:name:`.
    console = Console(
        file=target,
        width=width or 400,
        force_terminal=color,
        no_color=not color,
        highlight=False,
        markup=False,
        emoji=False,
    )
    for grid in grids:
        if grid.title:
            console.print(grid.title, style="italic", markup=False, soft_wrap=True)
        table = RichTable(box=None, header_style="bold", pad_edge=False)
        for i, head in enumerate(grid.headers):
            table.add_column(Text(head), justify="left" if i < grid.label_columns else "right", overflow="fold")
        for row in grid.rows:
            table.add_row(*map(Text, row))
        console.print(table)
        console.print()
    return "\n".join(line.rstrip() for line in target.getvalue().splitlines()).rstrip() + "\n"


def html_table(grid: TextTable) -> str:
    """A table as HTML, to be styled by `STYLE`."""
    body = []
    for row in grid.rows:
        cells = "".join(f"<td{_name(i, grid.label_columns)}>{html.escape(cell)}</td>" for i, cell in enumerate(row))
        body.append(f"<tr>{cells}</tr>")
    return _table(grid.title, grid.headers, grid.label_columns, body)


def _table(title: str, heads: Sequence[str], labels: int, body: Sequence[str]) -> str:
    row = "".join(f"<th{_name(i, labels)}>{html.escape(head)}</th>" for i, head in enumerate(heads))
    caption = f"<caption>{html.escape(title)}</caption>" if title else ""
    return f"<table>{caption}<tr>{row}</tr>{''.join(body)}</table>"


def _name(column: int, labels: int) -> str:
    return ' class="name"' if column < labels else ""
