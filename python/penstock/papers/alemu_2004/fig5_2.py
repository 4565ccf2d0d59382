"""Figure 5.2: the load that the datagrams offer (Section 5.3.1)."""

from __future__ import annotations

from collections.abc import Iterator

import penstock as ps
from penstock.claims import Claim
from penstock.papers.alemu_2004 import tables5
from penstock.papers.alemu_2004.measures import Numbers
from penstock.papers.alemu_2004.tables5 import numbers
from penstock.reproduce import Effort
from penstock.samples import all_of
from penstock.study import Study, Table

__all__ = ["claims", "measure", "study"]

CODES = ["16,1", "16,4", "8,2", "10,1"]


def study(effort: Effort) -> Study:
    """The codes beside 10 transfers, behind drop-tail."""
    return tables5.study(effort, CODES, [10], ["DT"])


def measure(run: ps.Run) -> Numbers:
    """Sent bits in kbit/s."""
    return {"sent": run.traffic["fec"].sent_pkts * 573 * 8 / 100 / 1000}


def claims(table: Table) -> Iterator[Claim]:
    """With the redundancy."""
    yield Claim(
        id="fig5.2/c1",
        says="redundancy of h/k adds this share to 5 % of the link",
        expected="500 (1 + h/k) kbit/s within 2 %: 6.25 % more for (16,1), 25 % for (16,4) and (8,2), 10 % for (10,1)",
        holds=all_of(
            table("sent", code=code).reads(500 * (1 + h / k), share=0.02).at(f"({code})")
            for code in CODES
            for k, h in [numbers(code)]
        ),
        must_hold=True,
    )
