"""Figure 5.2: the load that the datagrams offer (Section 5.3.1)."""

from __future__ import annotations

from collections.abc import Iterator

import penstock as ps
from penstock.papers.alemu_2004.measures import Numbers
from penstock.papers.alemu_2004.tables5 import numbers
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "measure", "study"]

CODES = ["16,1", "16,4", "8,2", "10,1"]
PACKETS = 1600
"""Of 573 bytes, which 500 kbit/s send in 14.6688 s: a multiple of each k."""


def study(_: Effort) -> Study:
    """The codes alone, evenly spaced; the end lies between two packets."""

    def scenario(code: str) -> ps.Scenario:
        k, h = numbers(code)
        return ps.Scenario(
            name=f"Alemu, the load of ({code})",
            duration="14664800us",
            links={"line": ps.Link(from_="S", to="D", rate="10Mbit", delay="1ms")},
            traffic={
                "fec": ps.Fec(
                    from_="S", to="D", k=k, h=h, rate="500kbit", packet="573B", headers="0B", spacing="constant"
                )
            },
        )

    return Study(scenario, {"code": CODES}, seeds=5)


def measure(run: ps.Run) -> Numbers:
    """Packets sent."""
    return {"sent": run.traffic["fec"].sent_pkts}


def claims(table: Table) -> Iterator[Claim]:
    """With the redundancy."""
    yield Claim(
        id="fig5.2/c1",
        says="redundancy of h/k adds this share to 5 % of the link",
        expected="500 (1 + h/k) kbit/s to the packet: 6.25 % more for (16,1), 25 % for (16,4), (8,2), 10 % for (10,1)",
        holds=all_of(
            (abs(table("sent", code=code) - PACKETS * (1 + h / k)) <= 1e-6).at(f"({code})")
            for code in CODES
            for k, h in [numbers(code)]
        ),
        must_hold=True,
    )
