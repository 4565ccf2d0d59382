"""Figure 4: loss, Reno and strict WRED (Section 3.2)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from matplotlib.figure import Figure

from penstock.papers.bodin_schelen_2001 import sweep
from penstock.papers.bodin_schelen_2001.sweep import FOR_ITS_ROUND_TRIP, Setting, draw_sweep, whole
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of, any_of, per_run
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

measure = sweep.measure


def study(effort: Effort) -> Study:
    """The sweep in this setting."""
    return sweep.study(["Reno, strict"], effort)


def claims(table: Table) -> Iterator[Claim]:
    """Claims c02 to c05."""
    if not whole(table):
        return
    of = Setting(table, "Reno, strict")
    xs, ends = of.xs, [x for x in of.xs if x <= 0.8 or x >= 8.6]
    middle = [x for x in xs if x not in ends]

    def apart(x: float) -> Sample:
        return abs(of("loss", "DA", x) / of("loss", "DFQ", x) - 1)

    yield Claim(
        id="c02",
        because="up to 6 Mb/s both lose alike, as DFQ's queue is shorter; for its round trip DA loses more (why-above)",
        says="dropping arrivals never loses less than dropping from the queue",
        expected="loss of all traffic: DA >= DFQ at each rate in profile",
        holds=all_of((of("loss", "DA", x) >= of("loss", "DFQ", x)).at(f"{x:g} Mb/s") for x in xs),
    )
    yield Claim(
        id="c02",
        says="dropping arrivals never loses less than dropping from the queue",
        reading=FOR_ITS_ROUND_TRIP,
        expected="loss x (mean round trip)^2: DA >= DFQ at each rate in profile",
        holds=all_of((of("at_one_rtt", "DA", x) >= of("at_one_rtt", "DFQ", x)).at(f"{x:g} Mb/s") for x in xs),
    )
    gaps = [apart(x) for x in xs]
    outer = [xs.index(x) for x in ends]
    inner = [xs.index(x) for x in middle]
    yield Claim(
        id="c03",
        because="they part as DA comes to be above 45, which it is the longer the more is in profile (why-above)",
        says="the losses are alike where little or nearly all is in profile, and differ most in between",
        expected="within 10 % up to 0.8 and from 8.6 Mb/s on; the largest difference in between",
        holds=all_of(
            *((gap <= 0.1).at(f"{x:g} Mb/s") for x, gap in zip(xs, gaps, strict=True) if x in ends),
            (per_run(lambda at: at[inner].max() - at[outer].max(), gaps) > 0).at("largest in between - at the ends"),
        ),
    )

    def steepness(metric: str, low: float, high: float) -> Sample:
        part = [x for x in xs if low <= x <= high]
        return per_run(lambda ys: np.polyfit(part, ys, 1)[0], of.over(metric, "DA", part))

    yield Claim(
        id="c04",
        because="what is lost is out of profile, which shrinks to a tenth; the loss of all rises no more (fig4)",
        says="with DA the loss out of profile rises faster with the rate in profile below 7 Mb/s than above",
        expected="slope below 7 Mb/s > slope above",
        holds=steepness("loss_out", 0.0, 7.0) > steepness("loss_out", 7.0, 9.2),
    )
    yield Claim(
        id="c04",
        says="with DA the loss rises faster with the rate in profile below 7 Mb/s than above",
        reading="loss of all traffic instead of what is out of profile",
        expected="slope below 7 Mb/s > slope above",
        holds=steepness("loss", 0.0, 7.0) > steepness("loss", 7.0, 9.2),
    )
    yield Claim(
        id="c05",
        says="where much is in profile, DFQ can lose more of what is out than DA",
        expected="loss out of profile: DFQ > DA at one rate of 8 Mb/s and more",
        holds=any_of((of("loss_out", "DFQ", x) > of("loss_out", "DA", x)).at(f"{x:g} Mb/s") for x in xs if x >= 8),
    )


def draw(shown: Shown) -> Figure:
    """Loss out of profile."""
    return draw_sweep(shown, "loss_out", "loss out of profile (%)", "Reno, strict", scale=100)
