"""Figure 5.11: losses grouped into runs (Section 5.5)."""

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

GROUPS = {
    "alone": [6, 9, 20],
    "in pairs": [6, 7, 12, 13],
    "of 1, 2 and 3": [4, 11, 12, 18, 19, 20, 30],
}
"""Numbers of lost packets."""


def study(effort: Effort) -> Study:
    """Datagrams over a link that loses chosen packets."""

    def scenario(lost: str) -> ps.Scenario:
        return ps.Scenario(
            name="Alemu, groups of losses",
            duration="2s",
            links={"line": ps.Link(from_="S", to="D", rate="1Mbit", delay="1ms", loss={"arrivals": GROUPS[lost]})},
            traffic={
                "fec": ps.Fec(
                    from_="S", to="D", k=4, h=1, rate="160kbit", packet="500B", headers="0B", spacing="constant"
                )
            },
        )

    return Study(scenario, {"lost": list(GROUPS)}, seeds=5)


def measure(run: ps.Run) -> Numbers:
    """Groups, and the share of those of each size, as in Figure 5.6."""
    code = run.traffic["fec"]
    shares = [*code.loss_run_pmf, 0, 0, 0][:3]
    return {"groups": code.loss_runs, **{f"of {size}": float(share) for size, share in enumerate(shares, 1)}}


def _sizes(lost: list[int]) -> list[int]:
    """The sizes of the groups of consecutive numbers, in order."""
    starts = [i for i, number in enumerate(lost) if i == 0 or number != lost[i - 1] + 1]
    return [end - start for start, end in zip(starts, [*starts[1:], len(lost)], strict=True)]


def claims(table: Table) -> Iterator[Claim]:
    """Number and sizes of the groups."""
    sizes = {name: _sizes(lost) for name, lost in GROUPS.items()}
    yield Claim(
        id="fig5.11/c1",
        says="the losses fall into groups of consecutive ones, whose sizes are the runs of Figure 5.6",
        expected="chosen losses: the number of groups, and the share of those of 1, 2 and 3, to 1e-6",
        holds=all_of(
            *(
                (abs(table("groups", lost=name) - len(own)) <= 1e-6).at(f"{name}, groups")
                for name, own in sizes.items()
            ),
            *(
                (abs(table(f"of {size}", lost=name) - own.count(size) / len(own)) <= 1e-6).at(f"{name}, of {size}")
                for name, own in sizes.items()
                for size in (1, 2, 3)
            ),
        ),
        must_hold=True,
    )
