"""The end of chapter 5: guidelines for RED or drop-tail with a code (Section 5.6)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

import penstock as ps
from penstock.papers.alemu_2004 import fig5_4, fig5_7, judge, tables5
from penstock.papers.alemu_2004.blocks import QUARTER, TENTH
from penstock.papers.alemu_2004.fig5_12 import DROPTAIL, RED
from penstock.papers.alemu_2004.measures import of_codes as measure
from penstock.papers.alemu_2004.tables5 import TEN, crossing, numbers
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "measure", "study"]


def study(effort: Effort) -> Study:
    """The runs of Figures 5.4 and 5.7."""
    first, second = fig5_4.study(effort), fig5_7.study(effort)
    return _named(first, "loads") + _named(second, "blocks")


def _named(study: Study, name: str) -> Study:
    return replace(study, labels={**study.labels, "part": name})


def claims(table: Table) -> Iterator[Claim]:
    """Drop-tail against the REDs."""
    for red, reading in tables5.reds(table.where(part="blocks")):
        yield from _claims(table, red, reading)


def _claims(table: Table, red: str, reading: str) -> Iterator[Claim]:
    loads, sizes = table.where(part="loads"), table.where(part="blocks")
    known = sizes.axis("code")
    quarter, tenth = ([code for code in codes if code in known] for codes in (QUARTER, TENTH))

    def gap(part: Table, code: str, n: int) -> Sample:
        return part("PLR", scheme=red, code=code, flows=n) - part("PLR", scheme="DT", code=code, flows=n)

    points = [(part, code, n) for part in (loads, sizes) for code in part.axis("code") for n in part.axis("flows")]
    if loads.axis("flows") == TEN:
        one, two, four = (crossing(loads, code, red) for code in ("16,1", "16,2", "16,4"))
        yield Claim(
            id="ch5/c1",
            says="the number of flows up to which RED is better grows with the redundancy",
            expected="crossings of (16,1) < (16,2) < (16,4)",
            holds=all_of(one < two, two < four),
            reading=reading,
        )
    better = [(part, code, n) for part, code, n in points if gap(part, code, n).mean < 0]
    yield Claim(
        id="ch5/c2",
        says="where RED is better its queue is also shorter and steadier",
        expected="AQS and VQS below drop-tail's wherever the mean PLR is",
        holds=all_of(
            (part(metric, scheme=red, code=code, flows=n) < part(metric, scheme="DT", code=code, flows=n)).at(
                f"{metric}, ({code}), {n} flows"
            )
            for part, code, n in better
            for metric in ("AQS", "VQS")
        ),
        reading=reading,
    )
    yield Claim(
        id="ch5/c3",
        says="at a fixed share of redundancy small blocks are better for RED",
        expected="PLR(RED) - PLR(DT) rises with k for both shares at 50 and 100 flows",
        holds=all_of(
            judge.rising([gap(sizes, code, n) for code in codes]).at(f"{codes[0]}, {n} flows")
            for codes in (quarter, tenth)
            for n in sizes.axis("flows")
        ),
        reading=reading,
    )
    yield Claim(
        id="ch5/c3",
        says="at a fixed share of redundancy small blocks are better for RED",
        expected="PLR(RED) - PLR(DT) rises with k for both shares at 50 flows",
        holds=all_of(judge.rising([gap(sizes, code, 50) for code in codes]).at(codes[0]) for codes in (quarter, tenth)),
        reading="; ".join(filter(None, [reading, "50 flows"])),
    )
    worse = {
        (codes[0], n): [gap(sizes, code, n) for code in codes if gap(sizes, code, n).mean > 0]
        for codes in (quarter, tenth)
        for n in sizes.axis("flows")
    }
    yield Claim(
        id="ch5/c4",
        says="where RED is worse the gap grows with the block",
        expected="PLR(RED) - PLR(DT) rises with k where it is above 0, for both shares, at 50 and 100 flows",
        holds=all_of(judge.rising(gaps).at(f"{code}, {n} flows") for (code, n), gaps in worse.items() if len(gaps) > 1),
        reading=reading,
    )
    yield Claim(
        id="ch5/c4",
        says="where RED is worse the gap grows with the block",
        expected="PLR(RED) - PLR(DT) rises with k for a tenth at 100 flows",
        holds=judge.rising([gap(sizes, code, 100) for code in tenth]),
        reading="; ".join(filter(None, [reading, "a tenth of redundancy, 100 flows"])),
    )
    yield Claim(
        id="ch5/c5",
        says="if losses are high RED is worse whatever the code",
        expected="PLR(RED) > PLR(DT) at 100 flows for all codes",
        holds=all_of((gap(part, code, n) > 0.0).at(f"({code})") for part, code, n in points if n == 100),
        reading=reading,
    )
    yield Claim(
        id="ch5/c6",
        says="losses before correction tell which scheme to use",
        expected="RED where p (k + h) <= x_h, p drop-tail's PLRBC: the better one at 80 % of the points",
        holds=_right(points, red) >= 80.0,
        reading=reading,
    )


def _right(points: list[tuple[Table, str, int]], red: str) -> Sample:
    """Share of points at which the rule picks the better scheme, in percent, for each group of runs."""
    right = []
    for part, code, n in points:
        k, h = numbers(code)
        limit = ps.model.code_threshold(RED, DROPTAIL, h) or 0.0
        rows = judge.grouped(
            [part(metric, scheme=s, code=code, flows=n) for metric, s in (("PLRBC", "DT"), ("PLR", red), ("PLR", "DT"))]
        )
        right.append([(before / 100 * (k + h) <= limit) == (own <= other) for before, own, other in rows])
    return Sample([100 * float(share) for share in np.mean(right, axis=0)])
