"""`penstock figure`: a metric against an axis, for print."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli.options import OUTPUT
from penstock.cli.output import notify, output_file
from penstock.cli.source import Source, StudyName, Where, is_study, not_a_result, read_result, result_file
from penstock.errors import PenstockError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from penstock.results.summary_table import Point, SummaryTable
    from penstock.studies.store_table import Choice

EXAMPLE = "penstock figure results --x traffic.extra.count --y delay_mean_s -o delay.pdf"

KINDS = (".pdf", ".svg", ".png")


class Width(StrEnum):
    """Width of a figure in a journal."""

    single = "single"
    double = "double"


def figure(
    x: Annotated[str, typer.Option("--x", metavar="PATH", help="Axis of the study on the horizontal axis.")],
    y: Annotated[str, typer.Option("--y", metavar="METRIC", help="Metric: its path, or the end of it.")],
    output: Annotated[
        str,
        typer.Option(
            "-o", "--output", metavar="FILE.{pdf,svg,png}", help="The figure to write.", rich_help_panel=OUTPUT
        ),
    ],
    source: Source = None,
    by: Annotated[
        str | None, typer.Option("--by", metavar="PATH", help="Axis with a curve for each value; default: scheme.")
    ] = None,
    panel: Annotated[str | None, typer.Option("--panel", metavar="PATH", help="Axis with a panel for each value.")] = (
        None
    ),
    where: Where = [],  # noqa: B006
    study: StudyName = None,
    width: Annotated[
        Width,
        typer.Option(help="Width in a journal: a column, 3.5 in, or the page, 7.2 in.", rich_help_panel=OUTPUT),
    ] = Width.single,
) -> None:
    """Draw means with 95 % intervals of a metric against an axis, for print.

    The source is a store, or the JSON of compare or study. The x axis is logarithmic if it spans more than two decades.
    """
    file = _figure_file(output)
    from penstock.plots import metric_by_axis, save
    from penstock.results.short_names import full_name
    from penstock.studies.store_table import parse_choices

    shown, metric, runs = _read(source, y, study, parse_choices(where))
    axes = list(dict.fromkeys(name for labels, _ in shown.cells for name in labels))
    named = {"--x": x, "--by": by or ("scheme" if "scheme" in axes and x != "scheme" else None), "--panel": panel}
    paths = {option: full_name("axis", name, axes) for option, name in named.items() if name is not None}
    if len(set(paths.values())) < len(paths):
        raise PenstockError(f"{' and '.join(paths)}: each needs an axis of its own")
    drawn = metric_by_axis.draw(
        shown, paths["--x"], metric, paths.get("--by"), paths.get("--panel"), width=width.value, note=_note(runs)
    )
    save(drawn, file)
    notify(f"figure: {file}")


def _figure_file(output: str) -> Path:
    file = output_file(output, "--output")
    if file is None or file.suffix.lower() not in KINDS:
        raise PenstockError(
            f"--output {output}: a figure is a file that ends in {', '.join(KINDS[:-1])} or {KINDS[-1]}"
        )
    return file


def _read(source: str | None, y: str, study: str | None, where: Choice) -> tuple[SummaryTable, str, Sequence[int]]:
    """The cells, the path of the metric, and the fewest and most runs of a cell."""
    file = result_file(source)
    if file is None:
        return _from_store(source, y, study, where)
    if where or study is not None:
        raise PenstockError("--where and --study choose runs of a store, not of a result")
    return _from_result(file, y)


def _from_store(
    source: str | None, y: str, study: str | None, where: Choice
) -> tuple[SummaryTable, str, Sequence[int]]:
    from penstock.results.short_names import full_name
    from penstock.results.summary_table import Point, SummaryTable
    from penstock.studies.database import Database
    from penstock.studies.store_table import StoreTable

    with Database(source) as database:
        metric = full_name("metric", y, database.metrics)
        table = StoreTable(database, study, where).read([metric])
    known = [(labels, found) for labels, samples in table.cells if (found := samples[metric].summary) is not None]
    runs = [found.runs for _, found in known]
    shown = SummaryTable((labels, {metric: Point(found.mean, found.half_width)}) for labels, found in known)
    return shown, metric, (min(runs, default=0), max(runs, default=0))


def _from_result(file: Path, y: str) -> tuple[SummaryTable, str, Sequence[int]]:
    from penstock.results.short_names import full_name
    from penstock.results.summary_table import SummaryTable

    result = read_result(file)
    if "rows" not in result:
        raise PenstockError(f"{file}: a single run has no axis to draw; compare --vary and study have")
    try:
        rows = list(_study_rows(result) if is_study(result) else _comparison_rows(result))
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise not_a_result(file, f"{type(error).__name__}: {error}") from None
    metric = full_name("metric", y, dict.fromkeys(name for _, name, _, _ in rows))
    runs = [number for _, name, _, number in rows if name == metric]
    shown = SummaryTable((labels, {metric: point}) for labels, name, point, _ in rows if name == metric)
    return shown, metric, (min(runs, default=0), max(runs, default=0))


def _study_rows(result: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], str, Point, int]]:
    """The labels, the metric, its mean and the number of runs of each row of a study."""
    from penstock.results.summary_table import Point

    for row in result["rows"]:
        labels = {name: value for name, value in row.items() if name not in ("metric", "mean", "sd", "ci95", "runs")}
        low, high = row["ci95"] or (None, None)
        half = None if low is None else (high - low) / 2
        yield labels, str(row["metric"]), Point(float(row["mean"]), half), int(row["runs"])


def _comparison_rows(result: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], str, Point, int]]:
    """The same of a comparison, with the paths of metrics."""
    from penstock.results.comparison import Comparison
    from penstock.results.parts import part_of
    from penstock.results.summary_table import Point

    found = Comparison(result)
    links = found.scenario.get("links") or {}
    for (scheme, point, place, name), cell in found.cells.items():
        labels = {"scheme": found.schemes[scheme].argument, **found.points[point].vary}
        yield labels, ".".join((*part_of(place, links), name)), Point(cell.mean, cell.half_width), cell.runs


def _note(runs: Sequence[int]) -> str:
    fewest, most = runs
    if most < 2:
        return "n = 1: no interval"
    return f"95 % intervals, n = {most}" if fewest == most else f"95 % intervals, n = {fewest} to {most}"
