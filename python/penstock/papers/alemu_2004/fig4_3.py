"""Figure 4.3: the queue over time under PSAND with 103 flows (Section 4.5)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import starts
from penstock.papers.alemu_2004.fig4_2 import study
from penstock.papers.alemu_2004.setup import KT
from penstock.papers.alemu_2004.starts import measure
from penstock.reproduce.claim import Claim
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table

__all__ = ["claims", "draw", "measure", "study"]


def claims(table: Table) -> Iterator[Claim]:
    """PSAND against each of the others."""

    def of(metric: str, scheme: str, part: str = "all") -> Sample:
        return table(metric, scheme=scheme, part=part)

    def off(scheme: str) -> Sample:
        return abs(of("AQS", scheme) - KT)

    yield Claim(
        id="fig4.3/c1",
        says="PSAND is one of the quick ones",
        expected="below 25 packets first before 20 s",
        holds=of("left", "PSAND", "course") < 20.0,
        must_hold=True,
    )
    yield Claim(
        id="fig4.3/c2",
        says="it swings less than PI and BLUE and is empty more often",
        expected="VQS on [80, 100] s below, P(X=0) above",
        holds=all_of(
            condition.at(scheme)
            for scheme in ("PI", "BLUE")
            for condition in (
                of("VQS", "PSAND", "end") < of("VQS", scheme, "end"),
                of("empty", "PSAND") > of("empty", scheme),
            )
        ),
    )
    yield Claim(
        id="fig4.3/c3",
        says="it swings less than REM, with a shorter queue, is empty less often and near 10 more often",
        expected="VQS, AQS (Figure 4.5(a) says the contrary) and P(X=0) below, P(5<X<=15) above REM's",
        holds=all_of(
            *((of(metric, "PSAND") < of(metric, "REM")).at(metric) for metric in ("VQS", "AQS", "empty")),
            (of("5 to 15", "PSAND") > of("5 to 15", "REM")).at("5 to 15"),
        ),
    )
    yield Claim(
        id="fig4.3/c4",
        says="AVQ* has the shorter and steadier queue, PSAND is empty less often",
        expected="AQS and VQS of AVQ* below, P(X=0) above PSAND's",
        holds=all_of(
            *((of(metric, "AVQ*") < of(metric, "PSAND")).at(metric) for metric in ("AQS", "VQS")),
            (of("empty", "PSAND") < of("empty", "AVQ*")).at("empty"),
        ),
    )
    yield Claim(
        id="fig4.3/c5",
        says="LRED* swings less and is nearer to 10, and is empty more often",
        expected="VQS and |AQS - 10| of LRED* below, P(X=0) above PSAND's",
        holds=all_of(
            (of("VQS", "LRED*") < of("VQS", "PSAND")).at("VQS"),
            (off("LRED*") < off("PSAND")).at("AQS"),
            (of("empty", "LRED*") > of("empty", "PSAND")).at("empty"),
        ),
    )


def draw(shown: Shown) -> Figure:
    """PSAND's queue."""
    return starts.draw(shown, ["PSAND"])
