"""Why Section 3.3 finds the fixed thresholds best: unlike loads side by side, and max_p of method 8 that begins at 0.1.

`why-methods` tells the load of each row of Table 3.3 from its losses. Here method 8 begins with max_p 0.1, as PSAND in
Table 2.1, not with 1, as the text has it; and the swings of Figure 3.12 are looked for at "a heavy traffic load".
"""

from dataclasses import replace

import numpy as np

import penstock as ps
from penstock.papers.alemu_2004 import adaptations, cells, fig3_12, fig3_14, why
from penstock.papers.alemu_2004.measures import Numbers, of_queue
from penstock.papers.alemu_2004.setup import AQS, KT, VQS, load, psand
from penstock.papers.alemu_2004.tab3_3 import JUDGES, METHODS, PRINTED
from penstock.papers.alemu_2004.why_methods import OWN
from penstock.reproduce.figure import Choice, Claim, Sweep, every, metric


def _scenario(method: str, flows: int, sampling: str = "10ms") -> ps.Scenario:
    first = {"max_p": 0.1} if method == "sandwich" else {}
    return load(psand(adapt=method, **first), flows, sampling=sampling)


# All methods at three loads, and the courses of some.
TABLE, COURSE = {"part": "table"}, {"part": "course"}
study = Sweep(
    _scenario, {"method": [*METHODS, "none"], "flows": [23, 53, 103]}, seeds=Choice(5, 100), labels=TABLE
) + Sweep(
    lambda method, flows: _scenario(method, flows, "100ms"),
    {"method": ["max-down", "spread", "shift-down", "sandwich"], "flows": [23, 103]},
    seeds=Choice(5, 20),
    labels=COURSE,
    keep=adaptations.keep,
)


def measure(run: ps.Run) -> Numbers:
    """The queue; of a course how it lies to its thresholds."""
    kept = run.raw.get("kept")
    if kept is None:
        return of_queue(run)
    steps = {name: np.asarray(kept["steps"][name]) for name in ("change", "max", "high")}
    opposite, at_bound = abs(steps["max"] + steps["change"]) < 1e-6, steps["high"] <= KT
    return {
        **of_queue(run),
        **{name: kept[name] for name in ("above", "crossings", "mean max_th")},
        "against": 100 * float(np.mean(opposite | at_bound)),
        "at bound": 100 * float(np.mean(at_bound)),
    }


own = why.own("why-moving")


def _row(name: str, row: str, method: str, flows: int) -> Claim:
    printed = [replace(cell, at={"method": method, "flows": flows, **TABLE}) for cell in PRINTED if cell.row == row]
    says = f"the row of {row} is what {method} gives at {flows} flows, max_p from 0.1"
    return own(name, says, cells.rows_fit(printed, JUDGES))


def _fixed_best(name: str, *methods: int) -> Claim:
    loads = {METHODS[i - 1]: OWN[METHODS[i - 1]] for i in methods}
    return own(
        name,
        f"(0, 20) at 23 flows against methods {', '.join(map(str, methods))}, each at the load of its row",
        every(*(q(method="none", flows=23) < q(method=m, flows=n) for q in (AQS, VQS) for m, n in loads.items()))(
            **TABLE
        ),
        "AQS and VQS of (0, 20) below",
    )


CLAIMS = (
    _row("row4", "spread", "shift-up", 53),
    _row("row6", "shift-down", "shift-up", 53),
    _row("row8", "sandwich", "sandwich", 23),
    *(own(claim.id, claim.says, claim.statement(flows=23, **COURSE), claim.expected) for claim in fig3_14.CLAIMS),
    *(own(claim.id, claim.says, claim.statement(flows=103, **COURSE), claim.expected) for claim in fig3_12.CLAIMS),
    own(
        "max",
        "method 1: Max and the average move against each other: Max is at 10 at the peaks of the average only",
        every(metric("against") >= 99, metric("at bound") <= 5, metric("mean max_th") > 12.5)(
            method="max-down", flows=103, **COURSE
        ),
        "a step is minus the change of the average or ends at 10, at most 5 % of them there; mean Max > 12.5",
    ),
    _fixed_best("tab3.3-c4", 1, 2, 4, 5, 6, 7, 8),
    _fixed_best("ch3-c1", 1, 2),
    own(
        "concl-c2",
        "method 8 with max_p from 0.1 does not beat (0, 20)",
        every(*(q(method="sandwich") > q(method="none") for q in (AQS, VQS)))(flows=[23, 103], **TABLE),
        "AQS and VQS above at 23 and 103 flows",
    ),
)
