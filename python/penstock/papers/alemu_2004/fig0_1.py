"""Figure 1 of the introduction: slow start."""

from __future__ import annotations

from collections.abc import Iterator

import penstock as ps
from penstock.papers.alemu_2004.measures import Numbers
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "measure", "study"]

WINDOW = 20
ROUNDS = range(1, 8)


def study(_: Effort) -> Study:
    """One transfer without losses, ended in the middle of each round trip of 100 ms."""

    def scenario(rounds: int) -> ps.Scenario:
        flow = ps.Tcp(from_="A", to="B", flavour="reno", window=WINDOW, initial_window=1, syn=False)
        line = ps.Link(from_="A", to="B", rate="1Gbit", delay="50ms")
        return ps.Scenario(duration=f"{rounds * 100 - 50}ms", links={"line": line}, traffic={"flow": flow})

    return Study(scenario, {"rounds": list(ROUNDS)}, seeds=5)


def measure(run: ps.Run) -> Numbers:
    """What was sent so far."""
    return {"sent": float(run.traffic["flow"].sent_pkts)}


def claims(table: Table) -> Iterator[Claim]:
    """Doubling."""
    windows = [min(2 ** (i - 1), WINDOW) for i in ROUNDS]
    yield Claim(
        id="fig0.1/c1",
        says="the window doubles in each round trip up to the receiver's",
        expected=", ".join(map(str, windows)) + " packets",
        holds=all_of((abs(table("sent", rounds=i) - sum(windows[:i])) <= 0.0).at(f"after {i}") for i in ROUNDS),
        must_hold=True,
    )
