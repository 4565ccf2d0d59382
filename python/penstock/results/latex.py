"""Tables in LaTeX, with the rules of the package booktabs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from penstock.results.display import decimal_places, display_unit, scheme_argument, short_text
from penstock.results.metrics import find_metric
from penstock.results.parts import part_and_place

__all__ = ["OF_LINKS", "escape_latex", "latex_link_means", "latex_means", "latex_query_result", "latex_table"]

OF_LINKS = ("utilization", "delay_mean_s", "delay_p99_s", "loss_rate")
"""The metrics of a table of links."""

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "µ": r"\textmu{}",
    "–": "--",
    "²": r"\textsuperscript{2}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}


def escape_latex(text: object) -> str:
    r"""A text without characters that LaTeX interprets.

    >>> escape_latex("red:max_p=10%")
    'red:max\\_p=10\\%'
    """
    return "".join(_SPECIAL.get(character, character) for character in str(text))


def latex_table(heads: Sequence[str], rows: Iterable[Sequence[str]], labels: int, note: str) -> str:
    """A `tabular` of cells that are already LaTeX; the first `labels` columns are left-aligned. `note` is a comment."""
    lines = [
        *(f"% {line}" for line in note.splitlines()),
        f"\\begin{{tabular}}{{{'l' * labels}{'r' * (len(heads) - labels)}}}",
        r"\toprule",
        f"{' & '.join(heads)} \\\\",
        r"\midrule",
        *(f"{' & '.join(row)} \\\\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def latex_query_result(columns: Sequence[str], types: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """The answer to a query; columns of text that come first are left-aligned."""
    texts = [kind in ("VARCHAR", "JSON", "BOOLEAN") for kind in types]
    labels = next((place for place, is_text in enumerate(texts) if not is_text), len(texts))
    cells = ([escape_latex(short_text(value)) for value in row] for row in rows)
    return latex_table([escape_latex(name) for name in columns], cells, labels, r"Needs \usepackage{booktabs}.")


def latex_link_means(result: Mapping[str, Any]) -> str:
    """The means of the metrics `OF_LINKS` of a comparison, without traffic; see `latex_means`."""
    links = result["scenario"].get("links") or {}
    rows = [row for row in result["rows"] if part_and_place(row["place"], links)[0] == "links"]
    return latex_means({**result, "rows": rows}, OF_LINKS)


def latex_means(result: Mapping[str, Any], metrics: Sequence[str]) -> str:
    """The means of a comparison with half-widths: one row per scheme, swept value and place, one column per metric."""
    rows = [row for row in result["rows"] if row["metric"] in metrics]
    names = [name for name in metrics if any(row["metric"] == name for row in rows)]
    swept = list(dict.fromkeys(path for row in rows for path in row["vary"]))
    places = list(dict.fromkeys(row["place"] for row in rows))
    lines: dict[tuple[str, ...], dict[str, Mapping[str, Any]]] = {}
    for row in rows:
        labels = [scheme_argument(row["scheme"], row["params"]), *(str(row["vary"].get(path, "")) for path in swept)]
        lines.setdefault((*labels, *([row["place"]] if len(places) > 1 else [])), {})[row["metric"]] = row
    columns = [_column(name, [line.get(name) for line in lines.values()]) for name in names]
    heads = ["scheme", *(path.rpartition(".")[2] for path in swept), *(["place"] if len(places) > 1 else [])]
    cells = [
        [*map(escape_latex, labels), *(column[1][number] for column in columns)] for number, labels in enumerate(lines)
    ]
    runs = sorted({row["runs"] for row in rows})
    interval = f"Means of {' to '.join(map(str, (runs[0], runs[-1])[: len(runs)]))} runs" if runs else "No runs"
    note = f"{interval}, with half-widths of 95 % intervals. Needs \\usepackage{{booktabs}}."
    return latex_table([*map(escape_latex, heads), *(head for head, _ in columns)], cells, len(heads), note)


def _column(name: str, rows: Sequence[Mapping[str, Any] | None]) -> tuple[str, list[str]]:
    """Head and cells of a metric, in the unit and with the decimals that suit all of them."""
    about = find_metric(name)
    means = [row["mean"] for row in rows if row is not None and row["mean"] is not None]
    scale = display_unit(about.quantity, means)
    halves = [_half(row) for row in rows if row is not None]
    places = decimal_places([scale.factor * mean for mean in means], [scale.factor * half for half in halves if half])
    unit = f" ({escape_latex(scale.unit)})" if scale.unit else ""
    return escape_latex(about.title) + unit, [_cell(row, scale.factor, places) for row in rows]


def _half(row: Mapping[str, Any]) -> float | None:
    return None if row["ci95"] is None else (row["ci95"][1] - row["ci95"][0]) / 2


def _cell(row: Mapping[str, Any] | None, factor: float, places: int) -> str:
    if row is None or row["mean"] is None:
        return "--"
    half = _half(row)
    mean = re.sub(r"^-(?=[0.]*$)", "", f"{factor * row['mean']:.{places}f}")
    return f"${mean}$" if half is None else f"${mean} \\pm {factor * half:.{places}f}$"
