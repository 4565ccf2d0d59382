"""Figures 3.1 to 3.4 together: what the text says of all pairs of thresholds (Section 3.2.1)."""

from collections.abc import Callable

import numpy as np

from penstock.papers.alemu_2004 import judge, panels
from penstock.papers.alemu_2004.judge import least_at, other_than, rises, swept, varies
from penstock.papers.alemu_2004.setup import AQS, KT, PLR, VQS
from penstock.papers.alemu_2004.thresholds import pairs
from penstock.reproduce.figure import (
    Claim,
    Curve,
    Number,
    Table,
    at_least,
    at_most,
    by_table,
    every,
    formula,
    gather,
    judged,
    needing,
)
from penstock.results.sample import Condition, Sample, all_of, any_of

study = pairs()

FEW, HEAVY = at_most(23), at_least(73)
ENDS = [10.5, 35]
SHORTEST = {0: 9, 2: 11, 5: 12, 7: 15.5, 9.5: 14}
"""The shortest queue with 103 flows, by Min."""


def _by_means(number: Number, function: Callable[[list[float], np.ndarray], float], text: str) -> Number:
    """A function of the values of Max and the means there, for each group of runs."""

    def along(curve: Curve) -> Sample:
        return Sample([function(list(curve), row) for row in judge.grouped(list(curve.values()))])

    return number.along("max_th", along, text)


def _least(number: Number) -> Number:
    return _by_means(number, lambda _, row: float(row.min()), "least")


RANGE = _by_means(AQS, lambda _, row: float(row.max() - row.min()), "range")
BEST = _by_means(AQS, lambda maxima, row: maxima[int(row.argmin())], "Max with the least")


c1 = Claim(
    "fig3.3-4/c1",
    "the queue is shortest at Min 0 and grows with Min",
    swept(every(least_at(AQS, "min_th", 0), rises(AQS, "min_th"))),
)


def _between(table: Table) -> Condition:
    """The queue is above the target at both ends, and below each end at some Max between."""
    highs = table.axis("max_th")

    def of(low: float, high: float, n: int) -> Sample:
        return table("AQS", min_th=low, max_th=high, flows=n)

    return judge.sweep(
        condition.at(f"Min {low:g}, {n} flows")
        for low in table.axis("min_th")
        for n in table.axis("flows")
        if n >= 73
        for condition in (
            *(of(low, end, n) > float(KT) for end in ENDS),
            all_of(any_of(of(low, high, n) < of(low, end, n) for high in highs[1:-1]) for end in ENDS),
        )
    )


CLAIMS = (
    Claim(
        "fig3.1-4/c0",
        "losses are similar for all Max",
        every(
            (abs(PLR(max_th=other_than(20)) - PLR(max_th=20)) <= 0.5)(flows=3),
            (abs(PLR(max_th=other_than(20)) - PLR(max_th=20)) <= 2)(flows=other_than(3)),
        ),
    ),
    Claim(
        "fig3.1-2/c2",
        "with few flows and a larger Min the queue grows with Max",
        every(rises(AQS, "max_th"), least_at(AQS, "max_th", 10.5))(min_th=at_least(5), flows=FEW),
    ),
    Claim("fig3.1-2/c3", "Max matters more with more flows", rises(RANGE, "flows")),
    Claim(
        "fig3.1-2/c4",
        "with many flows the queue exceeds the target for a small and for a large Max",
        by_table(_between, "73 and 103 flows: AQS > 10 at Max 10.5 and 35 for every Min, and lower between"),
    ),
    Claim(
        "fig3.1-2/c5",
        "the best Max is at most twice the target and does not fall with the flows",
        swept(every(BEST <= 20, judge.rank(BEST, "flows") >= 0)),
    ),
    Claim(
        "fig3.1-2/c6",
        "Max 20 is never far from the best",
        swept(gather(all_of, AQS(max_th=20) <= AQS(max_th=other_than(20)) * 1.2, "max_th")),
    ),
    Claim(
        "fig3.1-2/c7",
        "with 103 flows the shortest queue is 9, 11, 12, 15.5, 14 packets for Min 0, 2, 5, 7, 9.5",
        judged(
            lambda queue, printed: queue.reads(printed, share=0.25),
            _least(AQS),
            formula(lambda min_th: SHORTEST[min_th], "printed"),
            text="{} as {}, +- 25 %",
        )(flows=103),
    ),
    Claim("fig3.1-2/c8", "with 3 flows Max hardly matters for the variance", varies(VQS(flows=3), "max_th") <= 0.4),
    *needing(
        {"flows": 23},
        Claim(
            "fig3.1f,3.2b,3.2d/c1",
            "with 23 flows and Min from 5 on the variance rises with Max",
            rises(VQS(flows=23, min_th=at_least(5)), "max_th"),
        ),
    ),
    Claim(
        "fig3.1-2/c9",
        "with many flows the variance is large at a small Max, least near 20 and rises beyond",
        swept(
            every(
                VQS(max_th=10.5) > VQS(max_th=35),
                VQS(max_th=35) > VQS(max_th=20),
                rises(VQS(max_th=35) - VQS(max_th=20), "min_th"),
            )
        )(flows=HEAVY),
    ),
    Claim("fig3.1-2/c10", "the least variance over Max rises with Min", rises(_least(VQS), "min_th")),
    c1,
    Claim(
        "fig3.3-4/c2",
        "with a large Max the variance is least at Min 0, with a small one Min hardly matters",
        swept(every(least_at(VQS(max_th=35), "min_th", 0), varies(VQS(max_th=10.5), "min_th") <= 0.4)),
    ),
    Claim(
        "fig3.3-4/c3",
        "a small Min is best whatever the number of flows",
        swept(every(*(_least(q)(min_th=0) < _least(q)(min_th=at_least(5)) for q in (AQS, VQS)))),
    ),
    Claim(
        "fig3.1-4/c12",
        "(0, 20) is recommended: the queue is at most at the target and nearly as steady as possible",
        swept(
            every(
                AQS(min_th=0, max_th=20) <= KT,
                gather(
                    all_of,
                    every(
                        VQS(min_th=0, max_th=20) <= VQS(min_th=0, max_th=other_than(20)) * 1.2,
                        VQS(min_th=0, max_th=20) <= VQS(min_th=other_than(0)) * 1.2,
                    ),
                    "min_th",
                    "max_th",
                ),
            )
        ),
    ),
)

draw = panels.of(
    *(panels.Panel("max_th", y, "flows", {"min_th": 0}, "Min 0") for y in ("AQS", "VQS")),
    *(panels.Panel("min_th", y, "flows", {"max_th": 20}, "Max 20") for y in ("AQS", "VQS")),
)
