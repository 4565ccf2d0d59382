"""Readings of the set-up, by the printed numbers that they meet."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from penstock.reproduce.changes import combined_change, tcp_change
from penstock.reproduce.effort import Change
from penstock.reproduce.figure import Sweep, Table
from penstock.reproduce.printed_numbers import PrintedNumber, PrintedNumbers
from penstock.results.sample import RunSample, per_run
from penstock.scenario.document import Document

from .constant import LIMITS, SAME, constant_probability_scenario
from .setup import PACKET, measure, reconstructed
from .step_load import ABOUT_200, MAX_P, MAX_TH, QUEUES, SWING, course, step_scenario


def with_delay_variation(document: Document) -> Document:
    """0 to 5 ms of additional delay for each packet on its way to the congested link."""
    return document.set("links.source.jitter", {"uniform": ["0ms", "5ms"]})


SENDERS: Mapping[str, Change | None] = {
    "2003, 1 s": None,
    "2003, 0.2 s": tcp_change(min_rto="200ms"),
    "2001, 1 s": tcp_change(profile="ns2-2001", packet=f"{PACKET}B"),
    "2001, 0.2 s": reconstructed,
}
"""The year of ns-2's TCP and the minimum timeout."""
READINGS = {**SENDERS} | {
    f"{sender}, jitter": combined_change(change, with_delay_variation) for sender, change in SENDERS.items()
}
LOADS = [100, 150, 200, 250]
STEPPED = ["RED", "gentle RED", "RED-ECN", "gentle RED-ECN"]
AROUND = {6: [0.005, 0.01, 0.05, 0.1, 0.15], 12: [0.01, 0.03, 0.05]}
"""Probabilities around those of c08 and c09, by the limit of the window."""

_study = (
    Sweep(
        lambda limit, p: constant_probability_scenario("drop", LIMITS[limit], p, window=limit),
        {"limit": list(AROUND), "p": sorted({*AROUND[6], *AROUND[12]})},
        where=lambda limit, p: p in AROUND[limit],
    )
    + Sweep(lambda flows, p: constant_probability_scenario("drop", flows, p), {"flows": [100, 200, 300], "p": [MAX_P]})
    + Sweep(
        lambda flows, p: constant_probability_scenario("mark", flows, p),
        {"flows": [200], "p": [1.0]},
        labels={"by": "mark"},
    )
    + Sweep(lambda queue, flows: step_scenario(QUEUES[queue], flows), {"queue": STEPPED, "flows": LOADS}, keep=course)
    + Sweep(
        lambda queue, flows: step_scenario(QUEUES[queue], flows), {"queue": ["A-RED-ECN"], "flows": [400]}, keep=course
    )
)


def _at_one_percent(table: Table) -> RunSample:
    return (table("q", limit=6, p=0.01) - table("q", limit=12, p=0.01)) / table("q", limit=6, p=0.005)


def _at_3000(table: Table) -> RunSample:
    """The ratio of the probabilities that hold 3000 packets."""

    def of_run(*queues: Any) -> float:
        held = [np.interp(-3000, -queue, np.log(at)) for queue, at in zip(queues, (AROUND[6], AROUND[12]), strict=True)]
        return float(np.exp(held[0] - held[1]))

    return per_run(of_run, *([table("q", limit=limit, p=p) for p in at] for limit, at in AROUND.items()))


def _by_law(table: Table) -> RunSample:
    """The flows whose queue at max_p is max_th: where the curves of figure 9 and RED meet."""
    queue_of = {flows: table("q", flows=flows, p=MAX_P, limit=None, by=None) for flows in (100, 200, 300)}
    return per_run(lambda queues: float(np.interp(MAX_TH, queues, list(queue_of))), list(queue_of.values()))


def _first_above(queue: str) -> Callable[[Table], RunSample]:
    """The smallest load at which the average is above max_th for more than 1 % of the time; 300 if there is none."""

    def of_run(below: Any) -> float:
        return next((float(load) for load, share in zip(LOADS, below, strict=True) if share < 0.99), 300.0)

    return lambda table: per_run(of_run, [table("below", queue=queue, flows=n) for n in LOADS])


def _steady_to(queue: str) -> Callable[[Table], RunSample]:
    """The largest load up to which the sd of the average is at most 0.15 max_th; 0 if there is none."""

    def of_run(swings: Any) -> float:
        steady = [0.0]
        for load, sd in zip(LOADS, swings, strict=True):
            if sd > SWING:
                break
            steady.append(float(load))
        return steady[-1]

    return lambda table: per_run(of_run, [table("avg_sd", queue=queue, flows=n) for n in LOADS])


NUMBERS = (
    PrintedNumber("queues of 1300 and 700 flows, apart", 0, -SAME, SAME, _at_one_percent, True),
    PrintedNumber("probabilities at 3000 packets", 2, 1.6, 2.6, _at_3000, True),
    PrintedNumber("flows by the law", 200, *ABOUT_200, _by_law, True),
    PrintedNumber("RED hits max_th", 200, 175, 225, _first_above("RED")),
    PrintedNumber("RED-ECN hits max_th", 150, 125, 175, _first_above("RED-ECN")),
    PrintedNumber("gentle RED is steady up to", 200, 175, 225, _steady_to("gentle RED")),
    PrintedNumber("gentle RED-ECN is steady up to", 200, 175, 225, _steady_to("gentle RED-ECN")),
    PrintedNumber("queue with all packets marked", 0, 0, 20, lambda t: t("q", by="mark", p=1.0)),
    PrintedNumber("loss of A-RED-ECN, 400 flows", 0, 0, 0.005, lambda t: t("loss", queue="A-RED-ECN")),
)  # fmt: skip
READ = PrintedNumbers(NUMBERS, READINGS, "2001, 0.2 s")

table = READ.table(_study, measure)
CLAIMS = (READ.claim("readings"),)
draw = READ.draw
