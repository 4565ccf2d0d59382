"""Table 3.1: the thresholds of PSAND with 23 flows, factor and power 1 and max_p of at most 0.5 (Section 3.2.2)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import cells, judge
from penstock.papers.alemu_2004.measures import of_queue as measure
from penstock.papers.alemu_2004.setup import load, psand
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

MAXIMA, MINIMA = [10.5, 15, 20, 35], [0, 5, 9.75]
JUDGES = {
    "AQS": judge.aqs, "VQS": judge.vqs, "PLR": judge.plr,
    "empty": judge.probability, "full": judge.probability, "5 to 15": judge.probability,
}  # fmt: skip


def study(effort: Effort) -> Study:
    """The twelve pairs of thresholds."""
    return Study(
        lambda max_th, min_th, acks: load(psand(1, 1, 0.5, min_th=min_th, max_th=max_th), 23, acks=acks),
        {"max_th": MAXIMA, "min_th": MINIMA, "acks": ["each", "delayed"]},
        seeds=effort.choose(5, 100),
    )


def _place(row: str, column: str) -> tuple[str, Mapping[str, Any]]:
    _, max_th, _, min_th = row.split()
    return column, {"max_th": float(max_th), "min_th": float(min_th), "acks": "each"}


PRINTED = cells.read("tab3-1", _place)
ROWS = list(itertools.product(MAXIMA, MINIMA))


def claims(table: Table) -> Iterator[Claim]:
    """The rows; the orders among them; what Figure 3.5 says of rows is with that figure."""
    for i, (max_th, min_th) in enumerate(ROWS, 1):
        own = [cell for cell in PRINTED if cell.at == {"max_th": max_th, "min_th": min_th, "acks": "each"}]
        yield Claim(
            id=f"tab3.1/r{i}",
            says=f"the row of Max {max_th:g}, Min {min_th:g}",
            expected=", ".join(f"{cell.column} {cell.printed:g}" for cell in own),
            holds=cells.fits(table, own, JUDGES),
        )
        yield Claim(
            id=f"tab3.1/r{i}",
            says=f"the row of Max {max_th:g}, Min {min_th:g}",
            expected="as above",
            holds=cells.fits(table, [replace(cell, at={**cell.at, "acks": "delayed"}) for cell in own], JUDGES),
            reading="delayed acknowledgements",
        )
    yield Claim(
        id="tab3.1/cells",
        says="cells whose print is inside the 95 % interval",
        expected="all",
        holds=cells.inside(table, PRINTED),
        reading="no tolerance",
    )
    wider = [cell for cell in PRINTED if cell.metric == "full"]
    yield Claim(
        id="tab3.1/full",
        says='"full queue" is P(25<X<=35)',
        expected="the column of full queues",
        holds=all_of(judge.probability(table("25 to 35", **cell.at), cell.printed).at(cell.row) for cell in wider),
        reading="full from 26 packets on",
    )

    def of(metric: str, max_th: float, min_th: float) -> Sample:
        return table(metric, max_th=max_th, min_th=min_th, acks="each")

    yield Claim(
        id="tab3.1/c1",
        says="the average queue increases with Min",
        expected="for each Max: AQS at Min 0 < 5 < 9.75",
        holds=all_of(
            (of("AQS", high, a) < of("AQS", high, b)).at(f"Max {high:g}, Min {a:g} to {b:g}")
            for high in MAXIMA
            for a, b in itertools.pairwise(MINIMA)
        ),
    )
    yield Claim(
        id="tab3.1/c2",
        says="the average queue is larger at Max 35 than at Max 10.5",
        expected="for each Min",
        holds=all_of((of("AQS", 35, low) > of("AQS", 10.5, low)).at(f"Min {low:g}") for low in MINIMA),
        must_hold=True,
    )
    for number, metric, word in (("c3", "PLR", "losses"), ("c4", "empty", "empty queues")):
        yield Claim(
            id=f"tab3.1/{number}",
            says=f"{word} are fewest at Min 0",
            expected=f"for each Max: {metric} at Min 0 below that at 5 and 9.75",
            holds=all_of(
                (of(metric, high, 0) < of(metric, high, low)).at(f"Max {high:g}, Min {low:g}")
                for high in MAXIMA
                for low in (5, 9.75)
            ),
        )
    yield Claim(
        id="tab3.1/c5",
        says="losses, variance and empty queues are least at Max 35, Min 0, where the average exceeds the target",
        expected="PLR, VQS and P(X=0) of row 10 below all others; its AQS > 10",
        holds=all_of(
            *(
                (of(metric, 35, 0) < of(metric, *row)).at(f"{metric}, Max {row[0]:g}, Min {row[1]:g}")
                for metric in ("PLR", "VQS", "empty")
                for row in ROWS
                if row != (35, 0)
            ),
            (of("AQS", 35, 0) > 10.0).at("AQS"),
        ),
    )
    yield Claim(
        id="tab3.1/c6",
        says="the queue is full more often with a larger Max",
        expected="rank correlation >= 0.8 at Min 0",
        holds=judge.rising([of("full", high, 0) for high in MAXIMA]),
    )
    yield Claim(
        id="tab3.1/c6",
        says="the queue is full more often with a larger Max",
        expected="rank correlation >= 0.8 for each Min",
        holds=all_of(judge.rising([of("full", high, low) for high in MAXIMA]).at(f"Min {low:g}") for low in MINIMA),
        reading="each Min",
    )
    yield Claim(
        id="tab3.1/c7",
        says="losses are larger at a small Max than at a large one",
        expected="PLR at Max 10.5 > at 35 for Min 5 and 9.75",
        holds=all_of((of("PLR", 10.5, low) > of("PLR", 35, low)).at(f"Min {low:g}") for low in (5, 9.75)),
    )


def draw(shown: Shown) -> Figure:
    """The table."""
    return cells.draw(shown, PRINTED)
