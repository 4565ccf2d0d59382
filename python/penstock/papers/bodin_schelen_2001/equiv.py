"""WRED, RIO and WRT are the same while only packets out of profile are dropped (Section 2.1)."""

from __future__ import annotations

from collections.abc import Iterator

import penstock as ps
from penstock.papers.bodin_schelen_2001.setup import HALF, LEVEL_1, NEVER, network, wred
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.table import Table
from penstock.studies.study import Study

_MIN, _MAX, _P = LEVEL_1
QUEUES: dict[str, ps.Queue] = {
    "WRED": wred("DA", "strict"),
    "RIO": ps.Rio(min_in=NEVER[0], max_in=NEVER[1], p_in=NEVER[2], min_out=_MIN, max_out=_MAX, p_out=_P, w_q=0.002),
    "WRT": ps.Wrt(th_in=NEVER[0], min_th=(NEVER[0], _MIN), max_th=(NEVER[1], _MAX), max_p=(NEVER[2], _P), w_q=0.002),
}


def study(effort: Effort) -> Study:
    """The network of the figures, at half of the link in profile."""
    duration = effort.choose("20s", "130s")
    return Study(
        lambda queue: network(QUEUES[queue], "reno", HALF, duration=duration), {"queue": list(QUEUES)}, seeds=5
    )


def measure(run: ps.Run) -> dict[str, float | None]:
    """What tells two runs apart."""
    core = run.links["core"]
    return {"arrivals": core.arrivals, "drops": core.drops, "q": core.length_mean_pkts}


def claims(table: Table) -> Iterator[Claim]:
    """The equality, which has no number in the list of claims."""
    yield Claim(
        id="equiv",
        says="WRED, RIO and WRT behave equally when only packets out of profile are dropped",
        reading="not among the numbered claims",
        expected="the same arrivals, drops and mean queue in each run",
        must_hold=True,
        holds=all_of(
            (abs(table(metric, queue=queue) - table(metric, queue="WRED")) <= 0).at(f"{queue}, {metric}")
            for queue in ("RIO", "WRT")
            for metric in ("arrivals", "drops", "q")
        ),
    )
