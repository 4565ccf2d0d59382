"""Figure 5.4: losses before and after correction by four codes (Section 5.4.1.2)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import judge, panels, tables5
from penstock.papers.alemu_2004.measures import of_codes as measure
from penstock.papers.alemu_2004.tables5 import CODES, TEN, crossing, study
from penstock.reproduce.claim import Claim
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import SummaryTable
from penstock.results.table import Table

__all__ = ["claims", "draw", "measure", "study"]


def claims(table: Table) -> Iterator[Claim]:
    """Drop-tail against both REDs."""
    for red, reading in tables5.reds(table):
        yield from _claims(table, red, reading)


def _claims(table: Table, red: str, reading: str) -> Iterator[Claim]:
    flows = table.axis("flows")

    def of(metric: str, scheme: str, code: str, n: int) -> Sample:
        return table(metric, scheme=scheme, code=code, flows=n)

    yield Claim(
        id="fig5.4/c1",
        says="before correction RED loses more",
        expected="PLRBC(RED) > PLRBC(DT) for every n and code",
        holds=judge.sweep(
            (of("PLRBC", red, code, n) > of("PLRBC", "DT", code, n)).at(f"({code}), {n} flows")
            for code in CODES
            for n in flows
        ),
        reading=reading,
    )
    yield Claim(
        id="fig5.4/c2",
        says="more redundancy leaves fewer losses",
        expected="PLR falls from h = 1 over 2 to 4 for both schemes and every n",
        holds=judge.sweep(
            (of("PLR", scheme, f"16,{more}", n) < of("PLR", scheme, f"16,{less}", n)).at(
                f"{scheme}, {n} flows, h {more}"
            )
            for scheme in ("DT", red)
            for less, more in ((1, 2), (2, 4))
            for n in flows
        ),
        reading=reading,
    )
    yield Claim(
        id="fig5.4/c3",
        says="after correction RED loses less with few flows, more with many",
        expected="(16,1), (16,2), (16,4): PLR(RED) < PLR(DT) at 20 flows and below, > at 100",
        holds=all_of(
            condition.at(f"({code})")
            for code in ("16,1", "16,2", "16,4")
            for condition in (
                *((of("PLR", red, code, n) < of("PLR", "DT", code, n)).at(f"{n} flows") for n in flows if n <= 20),
                (of("PLR", red, code, 100) > of("PLR", "DT", code, 100)).at("100 flows"),
            )
        ),
        reading=reading,
    )
    printed = {("16,1", 10): ((1.9, "DT"), (3.4, red))}
    yield Claim(
        id="fig5.4/c5",
        says="at 10 flows (16,1) divides losses by 1.9 behind drop-tail, by 3.4 behind RED",
        expected="PLRBC/PLR +- 30 %",
        holds=all_of(
            judge.ratio(of("PLRBC", s, code, n), of("PLR", s, code, n)).reads(value, share=0.3).at(s)
            for (code, n), pairs in printed.items()
            for value, s in pairs
        ),
        reading=reading,
    )
    if flows != TEN:
        return
    far = {10: ((33.4, "DT"), (66.5, red)), 30: ((79.6, red),)}
    yield Claim(
        id="fig5.4/c6",
        says="(16,4) divides losses by 33.4 and 66.5 at 10 flows, by 79.6 behind RED at 30",
        expected="PLRBC/PLR +- 30 %",
        holds=all_of(
            judge.ratio(of("PLRBC", s, "16,4", n), of("PLR", s, "16,4", n)).reads(value, share=0.3).at(f"{s}, {n}")
            for n, pairs in far.items()
            for value, s in pairs
        ),
        reading=reading,
    )
    where = {
        "16,1": ("a", 45, 40, 60),
        "16,2": ("b", 65, 55, 75),
        "16,4": ("c", 80, 70, 90),
        "8,2": ("d", 100, 90, 100),
    }
    for code, (panel, value, low, high) in where.items():
        yield Claim(
            id=f"fig5.4{panel}/c1",
            says=f"({code}): RED is the better up to about {value} flows",
            expected=f"PLR(RED) rises above PLR(DT) at {low} to {high} flows" + (" or later" if high == 100 else ""),
            holds=crossing(table, code, red).reads(value, low=low, high=high),
            reading=reading,
        )
    one, two, four = (crossing(table, code, red) for code in ("16,1", "16,2", "16,4"))
    yield Claim(
        id="fig5.4/c4",
        says="this number grows with the redundancy, by less and less",
        expected="crossings of h = 1 < 2 < 4, second step smaller than the first",
        holds=all_of(one < two, two < four, four - two < two - one),
        reading=reading,
    )
    yield Claim(
        id="fig5.4d/c2",
        says="at equal shares of redundancy smaller blocks favour RED",
        expected="crossing of (8,2) above that of (16,4)",
        holds=crossing(table, "8,2", red) > four,
        reading=reading,
    )


def draw(shown: SummaryTable) -> Figure:
    """PLRBC and PLR for each code."""
    return panels.draw(
        shown,
        [panels.Panel("flows", y, "scheme", {"code": code}, f"({code})") for code in CODES for y in ("PLRBC", "PLR")],
    )
