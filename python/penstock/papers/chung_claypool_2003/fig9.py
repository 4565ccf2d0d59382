"""Figure 9: drops against marks (Section IV)."""

from __future__ import annotations

import itertools

from penstock.papers.chung_claypool_2003.constant import BUSY, FLOWS, at_queue, drops_and_marks, of_queue, queue
from penstock.reproduce.figure import Claim, Curves, Table, by_table, every, needing
from penstock.results.sample import Condition, Sample, all_of

study = drops_and_marks
measure = of_queue


def _alike_then_apart(table: Table) -> Condition:
    """Where both have a queue: alike at small p, then a longer queue with marks, which falls less steeply."""

    def q(by: str, n: int, p: float) -> Sample:
        return table("q", by=by, flows=n, p=p)

    both = {n: [p for p in table.axis("p") if p <= 0.5 and q("drop", n, p).mean >= BUSY] for n in FLOWS}
    return all_of(
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
    )  # fmt: skip


gap = at_queue(500)(by="mark") - at_queue(500)(by="drop")
CLAIMS = (
    Claim(
        "c10",
        "the queues are alike at small p; at larger p marks leave the longer one, which falls less steeply",
        by_table(
            _alike_then_apart,
            "p <= 0.01: within 7 %; above, where q > 0 (10 packets): q(mark) > q(drop), |dq/dp| smaller for marks",
        ),
    ),
    Claim(
        "c11",
        "at a queue of 500 packets the gap between the probabilities of marks and drops grows faster than N",
        gap(flows=300) - gap(flows=200) > gap(flows=200) - gap(flows=100),
        "gap(300) - gap(200) > gap(200) - gap(100)",
        must_hold=True,
    ),
    Claim(
        "c25",
        "marks need the higher probability to hold the same queue",
        every(*(at_queue(level)(by="mark") > at_queue(level)(by="drop") for level in (300, 500, 800))),
        "p(mark) > p(drop) at 300, 500 and 800 packets, N = 100, 200, 300",
        must_hold=True,
    ),
    *needing(
        {"by": "mark", "p": 1.0},
        Claim(
            "c12",
            "the queue goes to nothing as every packet is marked",
            every(queue(flows=[100, 200]) <= 20, queue(flows=300) <= 120)(by="mark", p=1.0),
            "q(p = 1) <= 20 for N = 100, 200; for N = 300 at most N - RTLD SR + 20 = 120",
        ),
    ),
)

draw = Curves(
    "p", "q", "by", where={"flows": 300}, labels=("probability", "mean queue of 300 flows (packets)"), log="x"
)
