"""Figure 9: drops against marks (Section IV)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.chung_claypool_2003.constant import BUSY, FLOWS, at_queue, drops_and_marks, of_queue
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table

study = drops_and_marks
measure = of_queue


def claims(table: Table) -> Iterator[Claim]:
    """Claims c10, c11, c12 and c25."""

    def q(by: str, n: int, p: float) -> Sample:
        return table("q", by=by, flows=n, p=p)

    both = {n: [p for p in table.axis("p") if p <= 0.5 and q("drop", n, p).mean >= BUSY] for n in FLOWS}
    yield Claim(
        id="c10",
        says="the queues are alike at small p; at larger p marks leave the longer one, which falls less steeply",
        expected="p <= 0.01: within 7 %; above, where q > 0 (10 packets): q(mark) > q(drop), |dq/dp| smaller for marks",
        holds=all_of(
            *(
                (abs(q("drop", n, p) / q("mark", n, p) - 1) <= 0.07).at(f"N = {n}, p = {p:g}")
                for n in FLOWS for p in both[n] if p <= 0.01
            ),
            *(
                (q("mark", n, p) > q("drop", n, p)).at(f"N = {n}, p = {p:g}")
                for n in FLOWS for p in both[n] if p > 0.01
            ),
            *(
                (abs(q("mark", n, b) - q("mark", n, a)) < abs(q("drop", n, b) - q("drop", n, a)))
                .at(f"N = {n}, fall from p = {a:g} to {b:g}")
                for n in FLOWS for a, b in itertools.pairwise(both[n]) if b > 0.01
            ),
        ),
    )  # fmt: skip
    gaps = {n: at_queue(table, 500, by="mark", flows=n) - at_queue(table, 500, by="drop", flows=n) for n in FLOWS}
    yield Claim(
        id="c11",
        says="at a queue of 500 packets the gap between the probabilities of marks and drops grows faster than N",
        expected="gap(300) - gap(200) > gap(200) - gap(100)",
        must_hold=True,
        holds=gaps[300] - gaps[200] > gaps[200] - gaps[100],
    )
    yield Claim(
        id="c25",
        says="marks need the higher probability to hold the same queue",
        expected="p(mark) > p(drop) at 300, 500 and 800 packets, N = 100, 200, 300",
        must_hold=True,
        holds=all_of(
            (at_queue(table, level, by="mark", flows=n) > at_queue(table, level, by="drop", flows=n))
            .at(f"N = {n}, {level} packets")
            for n in FLOWS for level in (300, 500, 800)
        ),
    )  # fmt: skip
    if table.has(by="mark", p=1.0):
        yield Claim(
            id="c12",
            says="the queue goes to nothing as every packet is marked",
            expected="q(p = 1) <= 20 for N = 100, 200; for N = 300 at most N - RTLD SR + 20 = 120",
            holds=all_of((q("mark", n, 1.0) <= most).at(f"N = {n}") for n, most in ((100, 20), (200, 20), (300, 120))),
        )


def draw(shown: Shown) -> Figure:
    """A line for drops and one for marks, 300 flows."""
    return curves(
        shown,
        "p",
        "q",
        "by",
        where={"flows": 300},
        labels=("probability", "mean queue of 300 flows (packets)"),
        log="x",
    )
