"""Figures 5.3 to 5.6 and 5.10, Tables 5.1 and 5.2: loads of transfers next to a code (Sections 5.4.1, 5.4.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from penstock.reproduce import shape
from penstock.reproduce.figure import (
    Claim,
    Exhibit,
    QuickOrFull,
    SummaryTable,
    Sweep,
    claims_if_measured,
    claims_in_cells,
)
from penstock.reproduce.label_values import ValueRange, above, at_least, at_most
from penstock.reproduce.number import Number, function_of_samples, metric
from penstock.reproduce.printed_table import PrintedTable
from penstock.reproduce.shape import along_sweep, relative_range
from penstock.reproduce.statement import every
from penstock.results.summary_table import SummaryPoint

from . import judge, panels
from .setup import AQS, LRL1, PLR, PLRBC, VQS, claim, fec_scenario

TEN = list(range(10, 101, 10))
SETTLED = {"flows": 20}
"""A cell that only a full sweep has: finding a crossing requires all numbers of flows."""
RED, TAIL = "RED", "DT"
BOTH = [TAIL, RED]
CODES = ["16,1", "16,2", "16,4", "8,2"]
"""Of Figure 5.4: k and h."""
GAP, GAP_BEFORE = (q(scheme=RED) - q(scheme=TAIL) for q in (PLR, PLRBC))
"""RED's losses minus drop-tail's, after and before correction, in points."""
CROSSING = GAP.along("flows", shape.zero_crossing, "where it rises above 0", unit="flows")
"""The number of flows above which RED leaves more losses after correction than drop-tail."""
Several = Sequence[Any] | QuickOrFull[Sequence[Any]]


def code_sweep(
    codes: Several,
    flows: Several = QuickOrFull([10, 50, 100], TEN),  # noqa: B008
    sources: int = 1,
) -> Sweep:
    """These codes behind drop-tail and RED, next to 10 to 100 transfers or another number of them."""
    return Sweep(
        lambda code, scheme, flows: fec_scenario(scheme, flows, *block_packets(code), sources),
        {"code": codes, "scheme": BOTH, "flows": flows},
        seeds=QuickOrFull(5, 50),
        labels={"sources": sources},
    )


def block_packets(code: str) -> tuple[int, int]:
    """Data and redundancy packets of a block."""
    k, h = code.split(",")
    return int(k), int(h)


def codes_where(text: str, chosen: Callable[[int, int], bool]) -> ValueRange:
    """The codes with such numbers of data and redundancy packets."""
    return ValueRange(text, lambda code: code is not None and chosen(*block_packets(code)))


def read_table(name: str, code: str) -> PrintedTable:
    """The cells of a table."""

    def address(row: str, column: str) -> tuple[str, Mapping[str, Any]]:
        """The metric and the labels that measure the cell in this row and column."""
        metric, scheme = column.split()
        return metric, {"code": code, "scheme": scheme, "flows": int(row.split()[0])}

    return judge.read_thesis_table(name, address)


def table_claims(name: str, code: str, last: int) -> Iterator[Claim]:
    """A claim for each row, and the claim that RED loses less up to `last` flows."""
    title = name.replace("-", ".")
    yield from _rows(name, code)
    yield Claim(
        f"{title}/c1",
        f"after correction RED loses less than drop-tail up to {last} flows, and more beyond",
        every((GAP < 0)(flows=at_most(last)), (GAP > 0)(flows=above(last)))(code=code),
        f"PLR_RED - PLR_DT < 0 for n <= {last}, > 0 for n >= {last + 10}",
    )


def _rows(name: str, code: str) -> Iterator[Claim]:
    title = name.replace("-", ".")
    table = read_table(name, code)
    for row in table.rows:
        flows = int(row.split()[0])
        fits = table.row(row).matches_measured(unit=" %")
        yield Claim(f"{title}/c{flows}", f"the row of {row}", fits, needs={"flows": flows})
    yield table.interval_claim(title)


TWO_CODES = code_sweep(["16,1", "16,4"])
UDP, TCP = metric("UDP", "kB/s"), metric("TCP", "kB/s")
ALL = UDP + TCP


def draw_throughputs(summary: SummaryTable) -> Figure:
    """Figure of the throughput of all traffic, of the datagrams, and of a transfer on average."""
    cells = []
    for labels, points in summary.cells:
        udp, tcp = points["UDP"].mean, points["TCP"].mean
        more = {
            "all (kB/s)": SummaryPoint(udp + tcp, None),
            "a transfer (kB/s)": SummaryPoint(tcp / labels["flows"], None),
        }
        cells.append((labels, {**more, "datagrams (kB/s)": points["UDP"]}))
    names = ("all (kB/s)", "datagrams (kB/s)", "a transfer (kB/s)")
    return panels.draw(
        SummaryTable(cells), [panels.Panel("flows", y, "scheme", {"code": "16,1"}) for y in names], columns=3
    )


fig5_3 = Exhibit(
    "Figure 5.3: throughput of all, of the datagrams and of a transfer (Section 5.4.1.1)",
    *claims_in_cells(
        {"code": "16,1"},
        claim(
            "fig5.3a/c1",
            every(
                along_sweep(ALL(scheme=TAIL) > ALL(scheme=RED)),
                (ALL(scheme=TAIL) - ALL(scheme=RED)).matches_printed(20, share=0.25)(flows=100),
            ),
            "every n; at 100 by 20 kB/s +- 25 %",
        ),
        claim("fig5.3a/c2", (abs(ALL(code="16,4") / ALL - 1) <= 0.02)(scheme=BOTH)),
        claim(
            "fig5.3b/c1",
            every(
                relative_range(UDP(scheme=BOTH), "flows") <= 0.2, abs(UDP(scheme=RED) / UDP(scheme=TAIL) - 1) <= 0.05
            ),
        ),
        claim(
            "fig5.3b/c2",
            ((TCP(flows=10) / 10) / (TCP(flows=100) / 100)).between(5, 10)(scheme=BOTH),
            "by a factor of 5 to 10 from 10 to 100 flows (the printed numbers exceed the link)",
        ),
    ),
    draw=draw_throughputs,
    study=TWO_CODES,
)


REPAIRED = function_of_samples(shape.ratio_of_means, PLRBC, PLR, text="{} / {}")
"""Losses before correction over losses after it."""


def _crossing(panel: str, code: str, flows: int, low: int, high: int) -> Claim:
    return claim(
        f"fig5.4{panel}/c1",
        CROSSING(code=code).matches_printed(flows, low, high),
        f"PLR(RED) rises above PLR(DT) at {low} to {high} flows" + (" or later" if high == 100 else ""),
    )


def _step(first: str, second: str) -> Number:
    return CROSSING(code=second) - CROSSING(code=first)


fig5_4 = Exhibit(
    "Figure 5.4: losses before and after correction by four codes (Section 5.4.1.2)",
    claim("fig5.4/c1", along_sweep(PLRBC(scheme=RED) > PLRBC(scheme=TAIL))),
    claim(
        "fig5.4/c2",
        along_sweep(
            every(*(PLR(code=more) < PLR(code=less) for less, more in (("16,1", "16,2"), ("16,2", "16,4"))))(
                scheme=BOTH
            )
        ),
    ),
    claim(
        "fig5.4/c3",
        every((PLR(scheme=RED) < PLR(scheme=TAIL))(flows=at_most(20)), (PLR(scheme=RED) > PLR(scheme=TAIL))(flows=100))(
            code=["16,1", "16,2", "16,4"]
        ),
    ),
    claim(
        "fig5.4/c5",
        every(
            REPAIRED(scheme=TAIL).matches_printed(1.9, share=0.3), REPAIRED(scheme=RED).matches_printed(3.4, share=0.3)
        )(code="16,1", flows=10),
        "PLRBC/PLR +- 30 %",
    ),
    *claims_if_measured(
        SETTLED,
        claim(
            "fig5.4/c6",
            every(
                REPAIRED(scheme=TAIL, flows=10).matches_printed(33.4, share=0.3),
                REPAIRED(scheme=RED, flows=10).matches_printed(66.5, share=0.3),
                REPAIRED(scheme=RED, flows=30).matches_printed(79.6, share=0.3),
            )(code="16,4"),
            "PLRBC/PLR +- 30 %",
        ),
        _crossing("a", "16,1", 45, 40, 60),
        _crossing("b", "16,2", 65, 55, 75),
        _crossing("c", "16,4", 80, 70, 90),
        _crossing("d", "8,2", 100, 90, 100),
        claim(
            "fig5.4/c4",
            every(
                CROSSING(code="16,1") < CROSSING(code="16,2"),
                CROSSING(code="16,2") < CROSSING(code="16,4"),
                _step("16,2", "16,4") < _step("16,1", "16,2"),
            ),
            "crossings of h = 1 < 2 < 4, second step smaller than the first",
        ),
        claim("fig5.4d/c2", CROSSING(code="8,2") > CROSSING(code="16,4"), "crossing of (8,2) above that of (16,4)"),
    ),
    study=code_sweep(CODES),
    draw=panels.panel_figure(
        *(panels.Panel("flows", y, "scheme", {"code": code}, f"({code})") for code in CODES for y in ("PLRBC", "PLR"))
    ),
)


fig5_5 = Exhibit(
    "Figure 5.5: the queue behind drop-tail and RED (Section 5.4.1.3)",
    *claims_in_cells(
        {"code": "16,1"},
        claim(
            "fig5.5a/c1",
            every(
                along_sweep(AQS(scheme=RED) < AQS(scheme=TAIL)), (abs(AQS(code="16,4") / AQS - 1) <= 0.05)(scheme=BOTH)
            ),
        ),
        claim(
            "fig5.5b/c1",
            every(
                (VQS(scheme=RED) < VQS(scheme=TAIL))(flows=at_most(20)),
                (VQS(scheme=RED) > VQS(scheme=TAIL))(flows=at_least(90)),
            ),
        ),
    ),
    study=TWO_CODES,
    draw=panels.panel_figure(*(panels.Panel("flows", y, "scheme", {"code": "16,1"}) for y in ("AQS", "VQS"))),
)


fig5_6 = Exhibit(
    "Figure 5.6: runs of losses of the datagrams (Section 5.4.1.4)",
    claim(
        "fig5.6/c1",
        every(judge.matches_probability(LRL1(scheme=RED), 90), judge.matches_probability(LRL1(scheme=TAIL), 60)),
    ),
    claim("fig5.6/c2", shape.relative_range(LRL1(scheme=BOTH), "flows") <= 0.2),
    study=code_sweep(["16,1"]),
    draw=panels.panel_figure(*(panels.Panel("flows", y, "scheme") for y in ("LRL1", "LRL2", "LRL3")), columns=3),
)


tab5_1 = Exhibit(
    "Table 5.1: losses in a block before and after correction by the code (16,1) (Section 5.4.1.2)",
    *tuple(table_claims("tab5-1", "16,1", 50)),
    study=code_sweep(["16,1"]),
    draw=read_table("tab5-1", "16,1").draw,
)


tab5_2 = Exhibit(
    "Table 5.2: losses in a block before and after correction by the code (16,4) (Section 5.4.1.2)",
    *tuple(table_claims("tab5-2", "16,4", 70)),
    study=code_sweep(["16,4"]),
    draw=read_table("tab5-2", "16,4").draw,
)


tab5 = Exhibit(
    "Tables 5.1 and 5.2 together: losses before correction (Section 5.4.1.2)",
    claim(
        "tab5/c2",
        every(
            shape.along_sweep(PLRBC(scheme=RED) >= PLRBC(scheme=TAIL)),
            judge.matches_plr(GAP_BEFORE, 0.03)(flows=10),
            judge.matches_plr(GAP_BEFORE, 2.1)(flows=100),
            shape.rises(GAP_BEFORE, "flows"),
        )(code="16,1"),
        "PLRBC_RED >= PLRBC_DT at every n; gap 0.03 points at 10 to 2.1 at 100 (+- 0.5), rising",
    ),
    claim("tab5/c3", (abs(PLRBC(code="16,4") - PLRBC(code="16,1")) <= 0.2)(scheme=BOTH)),
    study=TWO_CODES,
    draw=panels.panel_figure(
        *(panels.Panel("flows", "PLRBC", "scheme", {"code": code}, f"({code})") for code in ("16,1", "16,4"))
    ),
)


PANELS = {"16,1": ("a", 15), "16,2": ("b", 30), "16,4": ("c", 40)}
"""Panel, and the number of flows up to which RED is better with eight sources."""
OF_EIGHT = list(PANELS)
EIGHT, ONE = CROSSING(sources=8), CROSSING(sources=1)


def draw_eight_sources(summary: SummaryTable) -> Figure:
    """Figure of the losses before and after correction, for each code."""
    where = [({"code": code, "sources": 8}, f"({code})") for code in summary.axis("code")]
    return panels.draw(summary, [panels.Panel("flows", y, "scheme", *at) for at in where for y in ("PLRBC", "PLR")])


fig5_10 = Exhibit(
    "Figure 5.10: eight sources of datagrams (Section 5.4.3)",
    *claims_if_measured(
        {"flows": 100},
        *(
            claim(
                f"fig5.10{panel}/c1",
                EIGHT(code=code).matches_printed(flows, flows - 10, flows + 10),
                f"PLR(RED) rises above PLR(DT) at {flows} +- 10 flows",
            )
            for code, (panel, flows) in PANELS.items()
        ),
        claim(
            "fig5.10/c2",
            every(
                (EIGHT < ONE)(code=OF_EIGHT),
                EIGHT(code="16,1") < EIGHT(code="16,2"),
                EIGHT(code="16,2") < EIGHT(code="16,4"),
            ),
            "each crossing below that of one source; h = 1 < 2 < 4",
        ),
    ),
    # Eight sources, and one to compare with.
    study=code_sweep(QuickOrFull(OF_EIGHT[:1], OF_EIGHT), QuickOrFull([10, 60], list(range(5, 101, 5))), sources=8)
    + code_sweep(QuickOrFull(OF_EIGHT[:1], OF_EIGHT), QuickOrFull([10, 50], TEN)),
    draw=draw_eight_sources,
)
