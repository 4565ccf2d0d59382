"""Figure 2.10: how often the queue is empty, long and near its target (Section 2.4.2.2)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import judge, panels
from penstock.papers.alemu_2004.loads import OTHERS, study
from penstock.papers.alemu_2004.measures import of_queue as measure
from penstock.reproduce.claim import Claim
from penstock.results.sample import Condition, Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table

__all__ = ["claims", "draw", "measure", "study"]


def claims(table: Table) -> Iterator[Claim]:
    """Each with max_p up to 0.75 and, as another reading, up to 0.5."""
    for own, reading in (("PSAND", ""), ("PSAND 0.5", "max_p at most 0.5")):
        yield from _claims(table, own, reading)
    yield Claim(
        id="fig2.10d/c2",
        says="the wider interval is the more probable, and the curves have the same shape",
        expected="P(5<X<=15) > P(8<X<=11) everywhere; rank correlation of the two >= 0.8 for each scheme",
        holds=all_of(
            judge.sweep(
                (_of(table, "5 to 15", s, n) > _of(table, "8 to 11", s, n)).at(f"{s}, {n}")
                for s in (*OTHERS, "PSAND")
                for n in table.axis("flows")
            ),
            *(
                (
                    judge.trend(
                        [_of(table, "8 to 11", s, n) for n in table.axis("flows")],
                        [_of(table, "5 to 15", s, n).mean for n in table.axis("flows")],
                    )
                    >= 0.8
                ).at(s)
                for s in (*OTHERS, "PSAND")
            ),
        ),
    )


def _of(table: Table, metric: str, scheme: str, flows: int) -> Sample:
    return table(metric, scheme=scheme, flows=flows)


def _claims(table: Table, own: str, reading: str) -> Iterator[Claim]:
    flows = table.axis("flows")

    def below(metric: str, gap: float = 0.0) -> Condition:
        return judge.sweep(
            (_of(table, metric, s, n) - _of(table, metric, own, n) > gap).at(f"{s}, {n}") for s in OTHERS for n in flows
        )

    yield Claim(
        id="fig2.10a/c1",
        says="PSAND's queue is empty less often, by 2 points at least",
        expected="P(X=0) of PSAND 2 points below the others for every N (Table 2.3 has 1.4 for Floyd's at 28)",
        holds=below("empty", 2.0),
        reading=reading,
    )
    yield Claim(
        id="fig2.10a/c2",
        says="so PSAND uses the link best",
        expected="1 - P(X=0) highest for PSAND for every N",
        holds=below("empty"),
        reading=reading,
    )
    if not reading:
        yield Claim(
            id="fig2.10a/c2",
            says="so PSAND uses the link best",
            expected="utilization highest for PSAND for every N",
            holds=judge.sweep(
                (_of(table, "LU", own, n) > _of(table, "LU", s, n)).at(f"{s}, {n}") for s in OTHERS for n in flows
            ),
            reading="utilization by the bytes sent",
        )
    yield Claim(
        id="fig2.10b/c1",
        says="PSAND's queue is almost full least often",
        expected="P(25<X<=35) lowest for PSAND for every N",
        holds=below("25 to 35"),
        reading=reading,
    )
    for panel, metric in (("c", "5 to 15"), ("d", "8 to 11")):
        few, many = [n for n in flows if n < 28], [n for n in flows if n > 28]
        name = "P(5<X<=15)" if panel == "c" else "P(8<X<=11)"
        yield Claim(
            id=f"fig2.10{panel}/c1",
            says="PSAND is near the target less often than the adaptive REDs with few flows, more often with many",
            expected=f"{name}: PSAND < Feng, Floyd for N < 28, > for N > 28",
            holds=judge.sweep(
                (_of(table, metric, own, n) - _of(table, metric, s, n) > 0.0).at(f"{s}, {n}")
                if n in many
                else (_of(table, metric, own, n) < _of(table, metric, s, n)).at(f"{s}, {n}")
                for s in ("Feng", "Floyd")
                for n in (*few, *many)
            ),
            reading=reading,
        )


def draw(shown: Shown) -> Figure:
    """The four panels."""
    names = ("empty", "25 to 35", "5 to 15", "8 to 11")
    return panels.draw(shown, [panels.Panel("flows", metric, "scheme", title=metric) for metric in names])
