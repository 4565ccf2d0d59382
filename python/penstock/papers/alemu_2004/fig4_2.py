"""Figure 4.2: the queue over time under six schemes with 103 flows (Section 4.5)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import starts
from penstock.papers.alemu_2004.setup import KT
from penstock.papers.alemu_2004.starts import measure
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

SCHEMES = ["BLUE", "REM", "AVQ*", "PI", "LRED", "LRED*"]
QUICK, SLOW = ["REM", "AVQ*", "LRED", "PSAND"], ["BLUE", "PI"]


def study(effort: Effort) -> Study:
    """The six, and PSAND, which the text compares them with."""
    return starts.study(effort, [*SCHEMES, "PSAND"])


def claims(table: Table) -> Iterator[Claim]:
    """Times to leave the end of the buffer, and the queue afterwards."""

    def of(metric: str, scheme: str, part: str = "all") -> Sample:
        return table(metric, scheme=scheme, part=part)

    def left(scheme: str) -> Sample:
        return of("left", scheme, "course")

    yield Claim(
        id="fig4.2a/c1",
        says="BLUE's queue is full until about 60 s",
        expected="mean over 1 s below 25 packets first at 30 to 120 s",
        holds=left("BLUE").reads(60, low=30, high=120),
        must_hold=True,
    )
    yield Claim(
        id="fig4.2d/c1",
        says="PI's queue is full for more than 60 s, longer than BLUE's",
        expected="below 25 packets first after 60 s, and after BLUE's",
        holds=all_of((left("PI") > 60.0).at("60 s"), (left("PI") > left("BLUE")).at("BLUE")),
    )
    yield Claim(
        id="fig4.2/c1",
        says="then BLUE and PI swing more than the others",
        expected="variance of X on [80, 100] s above REM, AVQ*, LRED, PSAND",
        holds=all_of(
            (of("VQS", slow, "end") > of("VQS", quick, "end")).at(f"{slow}, {quick}")
            for slow in SLOW
            for quick in QUICK
        ),
    )
    yield Claim(
        id="fig4.2/c2",
        says="REM, AVQ*, LRED and PSAND shorten the queue within about 10 s",
        expected="below 25 packets first before 20 s",
        holds=all_of((left(scheme) < 20.0).at(scheme) for scheme in QUICK),
        must_hold=True,
    )
    yield Claim(
        id="fig4.2/c3",
        says="the quick ones are empty more often than PI and BLUE",
        expected="P(X=0) of REM, AVQ*, LRED, PSAND > PI, BLUE",
        holds=all_of(
            (of("empty", quick) > of("empty", slow)).at(f"{quick}, {slow}") for slow in SLOW for quick in QUICK
        ),
    )
    rest = [scheme for scheme in (*SCHEMES, "PSAND") if scheme != "AVQ*"]
    yield Claim(
        id="fig4.2c/c1",
        says="AVQ* swings least and has a short queue, but is empty more often",
        expected="VQS least, AQS < 10, P(X=0) largest",
        holds=all_of(
            *((of("VQS", "AVQ*") < of("VQS", scheme)).at(f"VQS, {scheme}") for scheme in rest),
            (of("AQS", "AVQ*") < float(KT)).at("AQS"),
            *((of("empty", "AVQ*") > of("empty", scheme)).at(f"empty, {scheme}") for scheme in rest),
        ),
    )
    yield Claim(
        id="fig4.2b/c1",
        says="REM is often empty, with a longer and less steady queue than AVQ*",
        expected="P(X=0) >= 5 %, AQS and VQS above AVQ*'s",
        holds=all_of(
            (of("empty", "REM") >= 5.0).at("empty"),
            *((of(metric, "REM") > of(metric, "AVQ*")).at(metric) for metric in ("AQS", "VQS")),
        ),
    )
    yield Claim(
        id="fig4.2e/c1",
        says="LRED swings about 10 packets",
        expected="AQS 10 +- 25 %",
        holds=of("AQS", "LRED").reads(KT, share=0.25),
    )
    yield Claim(
        id="fig4.2f/c1",
        says="LRED* is empty less often than LRED and nearer to 10",
        expected="P(X=0) and VQS below LRED's",
        holds=all_of((of(metric, "LRED*") < of(metric, "LRED")).at(metric) for metric in ("empty", "VQS")),
    )


def draw(shown: Shown) -> Figure:
    """The six panels."""
    return starts.draw(shown, SCHEMES)
