"""``python -m validation.thesis_print``: printed numbers of Alemu's thesis that ns-2.35 meets, and equal reverse paths.

The numbers of ns-2 are the recorded means of `thesis_setup`; nothing is run.
"""

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from penstock.papers.alemu_2004 import equal_paths, table3_1, tables2
from penstock.papers.alemu_2004.setup import OTHERS
from penstock.reproduce.printed_table import PrintedTableCell as PrintedCell
from penstock.results.table import Table

from .reference import Cell, load
from .thesis_setup import of_table_2, of_table_3_1, with_paths

TABLES = {"2.2": tables2.QUEUES, "2.3": tables2.SHARES, "3.1": table3_1.PRINTED}

METRICS = {
    "AQS": ("q_mean", 1),
    "VQS": ("q_var", 1),
    "PLR": ("loss", 100),
    "empty": ("p_empty", 100),
    "full": ("p_full", 100),
    "5 to 15": ("p_5_15", 100),
    "25 to 35": ("p_25_35", 100),
}
"""The name of each metric of the thesis in the reference file, and the factor to its unit."""


Numbers = Callable[[str, Mapping[str, Any]], float]
"""The mean of a metric of the thesis, in its unit, in the cell with these settings."""


@functools.cache
def _cells() -> list[Cell]:
    return load("thesis_setup")


def ns2(metric: str, settings: Mapping[str, Any]) -> float:
    """The recorded mean of ns-2."""
    (metrics,) = (cell.metrics for cell in _cells() if cell.settings == settings)
    name, factor = METRICS[metric]
    return factor * metrics[name].mean


def missed(table: str, numbers: Numbers = ns2) -> list[tuple[PrintedCell, float]]:
    """The printed numbers of a table that `numbers` misses by more than the tolerance, each with its number."""
    pairs = [(cell, numbers(cell.metric, _settings(cell.at))) for cell in TABLES[table]]
    return [(cell, number) for cell, number in pairs if not _meets(cell, number)]


def _settings(at: Mapping[str, Any]) -> dict[str, Any]:
    return of_table_2(at["row"], at["flows"]) if "row" in at else of_table_3_1(at["max_th"], at["min_th"])


def _meets(cell: PrintedCell, number: float) -> bool:
    return cell.condition_on(Table.from_formulas([(cell.at, {cell.metric: number})])).decide().verdict == "confirmed"


def exceeded(metric: str, scheme: str, reverse: str, numbers: Numbers = ns2) -> list[int]:
    """The numbers of flows at which a metric of PSAND exceeds that of a scheme with the same kind of reverse queue."""
    own, other = (
        [numbers(metric, with_paths(name, n, reverse)) for n in equal_paths.FLOWS] for name in ("PSAND", scheme)
    )
    return [n for n, ours, theirs in zip(equal_paths.FLOWS, own, other, strict=True) if ours > theirs]


def lines() -> Iterator[str]:
    """Both tables in Markdown."""
    yield from (
        "| table | met by ns-2.35 | missed, with the printed number and that of ns-2.35 |",
        "| --- | --- | --- |",
    )
    for name, table in TABLES.items():
        misses = missed(name)
        listed = "; ".join(f"{cell.name}: {cell.printed:g}, {number:.3g}" for cell, number in misses)
        yield f"| {name} | {len(table.cells) - len(misses)} of {len(table.cells)} | {listed} |"
    yield ""
    flows = ", ".join(str(n) for n in equal_paths.FLOWS)
    yield f"| scheme | reverse queue | PLR at {flows} flows (%) | P(X=0) at the same (%) |"
    yield "| --- | --- | --- | --- |"
    for reverse in equal_paths.REVERSES:
        for scheme in ("PSAND", *OTHERS):
            shown = [
                ", ".join(f"{ns2(metric, with_paths(scheme, n, reverse)):.3g}" for n in equal_paths.FLOWS)
                for metric in ("PLR", "empty")
            ]
            yield f"| {scheme} | {reverse} | {' | '.join(shown)} |"


if __name__ == "__main__":
    print("\n".join(lines()))
