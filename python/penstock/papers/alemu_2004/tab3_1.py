"""Table 3.1: the thresholds of PSAND with 23 flows, factor and power 1 and max_p of at most 0.5 (Section 3.2.2)."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from penstock.papers.alemu_2004 import cells, judge
from penstock.papers.alemu_2004.judge import other_than, rises
from penstock.papers.alemu_2004.setup import AQS, EMPTY, PLR, VQS, load, psand
from penstock.reproduce.figure import Choice, Claim, Sweep, by_table, every, in_cells, metric
from penstock.results.sample import all_of

MAXIMA, MINIMA = [10.5, 15, 20, 35], [0, 5, 9.75]
JUDGES = {
    "AQS": judge.aqs, "VQS": judge.vqs, "PLR": judge.plr,
    "empty": judge.probability, "full": judge.probability, "5 to 15": judge.probability,
}  # fmt: skip


study = Sweep(
    lambda max_th, min_th, acks: load(psand(1, 1, 0.5, min_th=min_th, max_th=max_th), 23, acks=acks),
    {"max_th": MAXIMA, "min_th": MINIMA, "acks": ["each", "delayed"]},
    seeds=Choice(5, 100),
)


def _place(row: str, column: str) -> tuple[str, Mapping[str, Any]]:
    _, max_th, _, min_th = row.split()
    return column, {"max_th": float(max_th), "min_th": float(min_th), "acks": "each"}


PRINTED = cells.read("tab3-1", _place)
ROWS = list(itertools.product(MAXIMA, MINIMA))


WIDER = [cell for cell in PRINTED if cell.metric == "full"]
FULL = metric("full", "%", "full queues")
HIGHER_MIN = other_than(0)


def _rows() -> Iterator[Claim]:
    for i, (max_th, min_th) in enumerate(ROWS, 1):
        own = [cell for cell in PRINTED if cell.at == {"max_th": max_th, "min_th": min_th, "acks": "each"}]
        late = [replace(cell, at={**cell.at, "acks": "delayed"}) for cell in own]
        row = partial(Claim, f"tab3.1/r{i}", f"the row of Max {max_th:g}, Min {min_th:g}")
        yield row(cells.rows_fit(own, JUDGES))
        yield row(cells.rows_fit(late, JUDGES, "as above"), reading="delayed acknowledgements")


CLAIMS = (
    *_rows(),
    cells.all_inside("tab3.1", PRINTED),
    Claim(
        "tab3.1/full",
        '"full queue" is P(25<X<=35)',
        by_table(
            lambda table: all_of(
                judge.probability(table("25 to 35", **cell.at), cell.printed).at(cell.row) for cell in WIDER
            ),
            "the column of full queues",
        ),
        reading="full from 26 packets on",
    ),
    *in_cells(
        {"acks": "each"},
        Claim("tab3.1/c1", "the average queue increases with Min", AQS(acks="each") < AQS(acks="each").next("min_th")),
        Claim(
            "tab3.1/c2",
            "the average queue is larger at Max 35 than at Max 10.5",
            AQS(max_th=35) > AQS(max_th=10.5),
            must_hold=True,
        ),
        Claim("tab3.1/c3", "losses are fewest at Min 0", PLR(min_th=0) < PLR(min_th=HIGHER_MIN)),
        Claim("tab3.1/c4", "empty queues are fewest at Min 0", EMPTY(min_th=0) < EMPTY(min_th=HIGHER_MIN)),
        Claim(
            "tab3.1/c5",
            "losses, variance and empty queues are least at Max 35, Min 0, where the average exceeds the target",
            every(
                *(q(max_th=35, min_th=0) < q(max_th=other_than(35)) for q in (PLR, VQS, EMPTY)),
                *(q(max_th=35, min_th=0) < q(max_th=35, min_th=HIGHER_MIN) for q in (PLR, VQS, EMPTY)),
                AQS(max_th=35, min_th=0) > 10,
            ),
            "PLR, VQS and P(X=0) of row 10 below all others; its AQS > 10",
        ),
        Claim("tab3.1/c6", "the queue is full more often with a larger Max", rises(FULL(min_th=0), "max_th")),
        Claim("tab3.1/c6", "the queue is full more often with a larger Max", rises(FULL, "max_th"), reading="each Min"),
        Claim(
            "tab3.1/c7",
            "losses are larger at a small Max than at a large one",
            (PLR(max_th=10.5) > PLR(max_th=35))(min_th=HIGHER_MIN),
        ),
    ),
)

draw = partial(cells.draw, cells=PRINTED)
