"""Figure 9: drops against marks (Section IV)."""

import itertools
from typing import Any

import numpy as np

from penstock.reproduce.figure import Curve, Table, claims_if_measured, every, table_statement
from penstock.results.condition import Condition, all_of
from penstock.results.sample import RunSample, per_run

from .constant import ALIKE, BUSY, FLOWS, drops_and_marks, one_graph_figure, probability_at_queue, queue
from .setup import claim
from .step_load import ABOUT_200, MAX_P, MAX_TH

study = drops_and_marks


def _alike_then_apart(table: Table) -> Condition:
    """Where both have a queue, the queues are alike at small p.

    Then the queue with marks is longer and falls less steeply.
    """

    def q(by: str, n: int, p: float) -> RunSample:
        return table("q", by=by, flows=n, p=p)

    both = {n: [p for p in table.axis("p") if p <= 0.5 and q("drop", n, p).mean >= BUSY] for n in FLOWS}
    return all_of(
        *(
            (abs(q("drop", n, p) / q("mark", n, p) - 1) <= 0.07).at(f"N = {n}, p = {p:g}")
            for n in FLOWS for p in both[n] if p <= ALIKE
        ),
        *(
            (q("mark", n, p) > q("drop", n, p)).at(f"N = {n}, p = {p:g}")
            for n in FLOWS for p in both[n] if p > ALIKE
        ),
        *(
            (abs(q("mark", n, b) - q("mark", n, a)) < abs(q("drop", n, b) - q("drop", n, a)))
            .at(f"N = {n}, fall from p = {a:g} to {b:g}")
            for n in FLOWS for a, b in itertools.pairwise(both[n]) if b > ALIKE
        ),
    )  # fmt: skip


def _flows_at(curve: Curve) -> RunSample:
    """The number of flows at which the queue reaches max_th, interpolated between the points of the curve."""

    def of_run(queues: Any) -> float:
        return float(np.interp(MAX_TH, queues, list(curve)))

    return per_run(of_run, list(curve.values()))


gap = probability_at_queue(500)(by="mark") - probability_at_queue(500)(by="drop")
CLAIMS = (
    claim(
        "c10",
        table_statement(
            _alike_then_apart,
            "p <= 0.01: within 7 %; above, where q > 0 (10 packets): q(mark) > q(drop), |dq/dp| smaller for marks",
        ),
    ),
    *claims_if_measured(
        {"p": MAX_P},
        claim(
            "c14",
            queue(by="drop", p=MAX_P)
            .along("flows", _flows_at, f"flows at {MAX_TH} packets")
            .matches_printed(200, *ABOUT_200),
            "flows whose queue at p = max_p is max_th: 200 (150 to 250, half the distance of the curves)",
        ),
    ),
    claim(
        "c11",
        gap(flows=300) - gap(flows=200) > gap(flows=200) - gap(flows=100),
        "gap(300) - gap(200) > gap(200) - gap(100)",
        must_hold=True,
    ),
    claim(
        "c25",
        every(
            *(
                probability_at_queue(level)(by="mark") > probability_at_queue(level)(by="drop")
                for level in (300, 500, 800)
            )
        ),
        "p(mark) > p(drop) at 300, 500 and 800 packets, N = 100, 200, 300",
        must_hold=True,
    ),
    *claims_if_measured(
        {"by": "mark", "p": 1.0},
        claim(
            "c12",
            every(queue(flows=[100, 200]) <= 20, queue(flows=300) <= 120)(by="mark", p=1.0),
            "q(p = 1) <= 20 for N = 100, 200; for N = 300 at most N - RTLD SR + 20 = 120",
        ),
    ),
)

draw = one_graph_figure()
