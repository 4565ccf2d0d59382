"""Figures 2.3 to 2.6 together: what the text says of all steps up (Section 2.4.2.1.1)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import judge, traces
from penstock.papers.alemu_2004.traces import ADAPTIVE, OTHERS, distance, measure
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

FLOWS = [20, 50, 70, 100]


def study(effort: Effort) -> Study:
    """The four schemes and the four steps."""
    return traces.study(effort, traces.added, FLOWS, traced=False)


def claims(table: Table) -> Iterator[Claim]:
    """Claims over the four steps."""

    def of(metric: str, scheme: str, flows: int, window: str = "50-100") -> Sample:
        return table(metric, scheme=scheme, flows=flows, window=window)

    large = FLOWS[1:]
    yield Claim(
        id="fig2.4-6/c1",
        says="beyond 20 more flows the adaptive REDs do not come back to the target, and PSAND comes nearer",
        expected="mean WAQS on [60, 100] s of Feng and Floyd > 11, and farther from 10 than PSAND's, for 50, 70, 100",
        holds=judge.sweep(
            condition.at(f"{scheme}, {n}")
            for scheme in ("Feng", "Floyd")
            for n in large
            for condition in (
                of("WAQS", scheme, n, "60-100") > 11.0,
                distance(table, "60-100", scheme=scheme, flows=n) > distance(table, "60-100", scheme="PSAND", flows=n),
            )
        ),
    )
    yield Claim(
        id="fig2.4-6/c2",
        says="PSAND's level rises with the flows",
        expected="mean WAQS on [60, 100] s rises from 50 over 70 to 100 flows",
        holds=judge.rising([of("WAQS", "PSAND", n, "60-100") for n in large]),
        must_hold=True,
    )
    yield Claim(
        id="fig2.3-6/c1",
        says="with more flows the queue is empty less often",
        expected="P(X=0) on [50, 100] s falls with the flows for each adaptive scheme",
        holds=all_of(judge.falling([of("empty", scheme, n) for n in FLOWS]).at(scheme) for scheme in ADAPTIVE),
    )
    yield Claim(
        id="fig2.3-6/c2",
        says="PSAND's queue is empty less often than the adaptive REDs'",
        expected="P(X=0) on [50, 100] s at every load",
        holds=judge.sweep(
            (of("empty", "PSAND", n) < of("empty", scheme, n)).at(f"{scheme}, {n}")
            for scheme in ("Feng", "Floyd")
            for n in FLOWS
        ),
    )
    yield Claim(
        id="fig2.3-6/c3",
        says="PSAND's queue is long least often",
        expected="P(20<X<=35) and P(25<X<=35) on [50, 100] s smallest for PSAND at every load",
        holds=judge.sweep(
            (of(metric, "PSAND", n) < of(metric, scheme, n)).at(f"{metric}, {scheme}, {n}")
            for metric in ("20 to 35", "25 to 35")
            for scheme in OTHERS
            for n in FLOWS
        ),
    )
    yield Claim(
        id="fig2.3-6/c4",
        says="once it has adapted PSAND never fills the buffer; the adaptive REDs often do beyond 20 more flows",
        expected="on [60, 100] s P(X=35) = 0 for PSAND; at least 1 % for Feng and Floyd at 50, 70, 100",
        holds=all_of(
            *((of("full", "PSAND", n, "60-100") <= 0.0).at(f"PSAND, {n}") for n in FLOWS),
            *(
                (of("full", scheme, n, "60-100") >= 1.0).at(f"{scheme}, {n}")
                for scheme in ("Feng", "Floyd")
                for n in large
            ),
        ),
    )
    yield Claim(
        id="fig2.3-6/c4",
        says="once they have adapted no scheme fills the buffer often, and PSAND fills it at times, too",
        expected="on [60, 100] s P(X=35) < 1 % for PSAND, Feng and Floyd at every load; of PSAND > 0 at 50, 70, 100",
        holds=all_of(
            *((of("full", s, n, "60-100") < 1.0).at(f"{s}, {n}") for s in ("PSAND", "Feng", "Floyd") for n in FLOWS),
            *((of("full", "PSAND", n, "60-100") > 0.0).at(f"PSAND at all, {n}") for n in large),
        ),
        reading="how often it is",
    )
    yield Claim(
        id="fig2.3-6/c5",
        says="RED fills the buffer more often than the adaptive REDs",
        expected="P(X=35) on [50, 100] s at every load",
        holds=judge.sweep(
            (of("full", "RED", n) > of("full", scheme, n)).at(f"{scheme}, {n}")
            for scheme in ("Feng", "Floyd")
            for n in FLOWS
        ),
    )
    yield Claim(
        id="fig2.3-6/c6",
        says="PSAND's queue swings least",
        expected="variance of X on [50, 100] s smallest for PSAND at every load",
        holds=judge.sweep(
            (of("VQS", "PSAND", n) < of("VQS", scheme, n)).at(f"{scheme}, {n}") for scheme in OTHERS for n in FLOWS
        ),
    )


def draw(shown: Shown) -> Figure:
    """Where the weighted average settles."""
    where = {"window": "60-100"}
    return curves(shown, "flows", "WAQS", "scheme", where=where, labels=("flows that join", "mean WAQS (packets)"))
