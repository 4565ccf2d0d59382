"""What Figures 5.7 to 5.9 have in common: blocks of other sizes, beside 50 and 100 transfers (Section 5.4.2)."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import judge, panels, tables5
from penstock.papers.alemu_2004.panels import Panel
from penstock.papers.alemu_2004.setup import FEC_QUEUES, PLR, PLRBC
from penstock.papers.alemu_2004.tables5 import GAP, TAIL, numbers
from penstock.reproduce.figure import Choice, Curve, Statement, SummaryTable, Sweep, Table, every
from penstock.results.sample import Sample

QUARTER = ["8,2", "16,4", "24,6", "32,8", "40,10", "48,12", "56,14", "64,16"]
TENTH = ["10,1", "20,2", "30,3", "40,4", "50,5", "60,6", "70,7", "80,8"]
SIZES = [4, 8, 12, 16, 20, 24, 32, 40, 48, 56, 64]
"""Of Figures 5.8 and 5.9 (guess 11)."""


def study(quick: Sequence[str], full: Sequence[str], flows: Sequence[int]) -> Sweep:
    """These codes; in a quick reproduction without the RED of ns-2."""
    return tables5.study(Choice(quick, full), flows, Choice([TAIL, "RED"], list(FEC_QUEUES)))


def by_size(flows: Sequence[int]) -> Sweep:
    """1, 2 and 4 packets of redundancy."""
    quick = [f"{k},{h}" for h in (1, 4) for k in (4, 16, 40)]
    return study(quick, [f"{k},{h}" for h in (1, 2, 4) for k in SIZES], flows)


def _crossing(curve: Curve) -> Sample:
    return judge.crossing({numbers(code)[0]: gap for code, gap in curve.items()})


CROSSING = GAP.along("code", _crossing, "data packets where it rises above 0", unit="packets")
"""The number of data packets from which on RED leaves more losses than drop-tail."""


def redundancy(h: int) -> Any:
    """The codes with `h` packets of redundancy."""
    return tables5.codes(f"with h = {h}", lambda _, own: own == h)


def redundancies(table: Table) -> list[int]:
    """The numbers of packets of redundancy in a table."""
    return list(dict.fromkeys(numbers(code)[1] for code in table.axis("code")))


def trends(table: Table, flows: int, red: str) -> Iterator[Statement]:
    """For each h: PLRBC falls and PLR rises with k."""
    for h in redundancies(table):
        at = {"scheme": [TAIL, red], "flows": flows, "code": redundancy(h)}
        yield every(judge.falls(PLRBC, "code"), judge.rises(PLR, "code"))(**at)


def draw(flows: Sequence[int], name: str, values: Sequence[float]) -> Any:
    """PLRBC and PLR against k, for each value of a label: `h`, or `ratio` of redundancy to data packets."""
    shown = [
        Panel("k", y, "scheme", {"flows": n, name: value}, f"{n} flows, {name} {value:g}")
        for n in flows
        for value in values
        for y in ("PLRBC", "PLR")
    ]
    return partial(_drawn, shown=shown)


def _drawn(points: SummaryTable, shown: Sequence[Panel]) -> Figure:
    cells = []
    for labels, numbers_ in points.cells:
        k, h = numbers(labels["code"])
        cells.append(({**labels, "k": k, "h": h, "ratio": h / k}, numbers_))
    return panels.draw(SummaryTable(cells), shown)
