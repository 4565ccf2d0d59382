"""Figure 5.1: what a code repairs (Section 5.2)."""

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

LOST = {
    "none": [],
    "one": [6],
    "redundancy": [9],
    "two": [5, 8],
    "two in two blocks": [7, 13],
    "data and redundancy": [8, 9],
}
"""Numbers of lost packets: blocks of 4 data packets and 1 of redundancy, the second one is 5 to 9."""
AFTER = {"none": 0, "one": 0, "redundancy": 0, "two": 2, "two in two blocks": 0, "data and redundancy": 2}
"""Packets that are still lost."""


def study(effort: Effort) -> Study:
    """Ten blocks over a link that loses chosen packets."""

    def scenario(lost: str) -> ps.Scenario:
        return ps.Scenario(
            name="Alemu, a code",
            duration="1s",
            links={"line": ps.Link(from_="S", to="D", rate="1Mbit", delay="1ms", loss={"arrivals": LOST[lost]})},
            traffic={
                "fec": ps.Fec(
                    from_="S", to="D", k=4, h=1, rate="160kbit", packet="500B", headers="0B", spacing="constant"
                )
            },
        )

    return Study(scenario, {"lost": list(LOST)}, seeds=5)


def measure(run: ps.Run) -> Numbers:
    """Lost packets before and after correction, in all blocks."""
    code = run.traffic["fec"]
    return {"before": 5 * code.plr_before * code.blocks, "after": 5 * code.plr_after * code.blocks}


def claims(table: Table) -> Iterator[Claim]:
    """The rule of the decoder."""
    yield Claim(
        id="fig5.1/c1",
        says="a block with at most h losses is repaired, one with more is not; lost redundancy alone never matters",
        expected="(4,1), chosen losses: packets lost after correction are 0 or all, exactly",
        holds=all_of(
            *(
                (abs(table("before", lost=name) - len(lost)) <= 1e-6).at(f"{name}, before")
                for name, lost in LOST.items()
            ),
            *((abs(table("after", lost=name) - after) <= 1e-6).at(f"{name}, after") for name, after in AFTER.items()),
        ),
        must_hold=True,
    )
