"""Figure 3.6: gentle and strict mode with thresholds near and far, 100 flows that join at 50 s (Section 3.2.3)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.alemu_2004.measures import Numbers, of_average
from penstock.papers.alemu_2004.setup import AQS, KT, PLR, VQS, WAQS, added, psand
from penstock.plots import style
from penstock.reproduce.figure import Choice, Claim, Number, Statement, SummaryTable, Sweep, every, metric


def keep(run: ps.Run) -> Mapping[str, Any]:
    """From 50 s on: the weighted average every second, its range, and how long max_p is at its bound."""
    series = run.series["bottleneck"]
    half = len(series["t_ns"]) // 2
    average = np.asarray(series["avg"]["mean"])[half:]
    steady = average[len(average) // 10 :]
    bound = np.asarray(series["max_p"]["mean"])[half:] >= 0.75 - 1e-9
    return {
        "average": [round(float(x), 2) for x in average.reshape(50, -1).mean(axis=1)],
        "largest": float(steady.max()),
        "least": float(steady.min()),
        "at bound": 100 * float(bound.mean()),
    }


# Each Max with Min 0 in both modes; the thesis shows both for 10.5 and 35 and the gentle one for 20 (guess 13).
study = Sweep(
    lambda max_th, gentle: added(psand(min_th=0, max_th=max_th, gentle=gentle), 100, warmup="50s"),
    {"max_th": [10.5, 20, 35], "gentle": [True, False]},
    seeds=Choice(5, 20),
    keep=keep,
)


def measure(run: ps.Run) -> Numbers:
    """Statistics from 50 s on, and the average over time of seed 1."""
    kept = run.raw["kept"]
    found = of_average(run) | {name: kept[name] for name in ("largest", "least", "at bound")}
    if run.seed == 1:
        found |= {f"average at {50 + i}": value for i, value in enumerate(kept["average"])}
    return found


at_bound = metric("at bound", "%", "time of max_p at 0.75")
apart = abs(AQS(gentle=True) / AQS(gentle=False) - 1)
"""By which share the queues of the modes differ."""


def _best(number: Number) -> Statement:
    own = number(max_th=20, gentle=True)
    return own < number(max_th=[10.5, 35])


CLAIMS = (
    Claim(
        "fig3.6/c0",
        "max_p stays at its bound of 0.75",
        every(at_bound(max_th=[10.5, 35]) >= 90, at_bound(max_th=20, gentle=True) >= 90),
        "for 90 % of [50, 100] s in all five panels",
    ),
    Claim(
        "fig3.6a/c1",
        "gentle with a small Max: the average is between Max and 2 Max, the queue long",
        every(metric("largest", "packets", "largest average after 55 s") < 21, WAQS.between(10.5, 21), AQS > KT)(
            max_th=10.5, gentle=True
        ),
        "WAQS < 21 after 55 s, mean WAQS in 10.5 to 21, AQS > 10",
    ),
    Claim(
        "fig3.6b/c1",
        "strict with a small Max: a shorter queue and more losses than gentle",
        every(AQS(gentle=False) < AQS(gentle=True), PLR(gentle=False) > PLR(gentle=True))(max_th=10.5),
        "AQS lower, PLR higher",
    ),
    Claim(
        "fig3.6c,d/c1",
        "with a large Max the average is above the target, and the modes do not differ",
        every(WAQS > KT, apart <= 0.1)(max_th=35),
        "mean WAQS > 10, AQS of the modes within 10 %",
    ),
    Claim(
        "fig3.6e/c1",
        "(0, 20) is the better trade-off",
        every(_best(AQS), _best(VQS)),
        "AQS and VQS below those of the other panels",
    ),
    Claim(
        "fig3.6/c2",
        "the modes differ for a small Max only",
        every(apart(max_th=10.5) > 0.1, apart(max_th=[20, 35]) < 0.1),
        "AQS of the modes apart by more than 10 % at Max 10.5, by less at 20 and 35",
    ),
)


def draw(shown: SummaryTable) -> Figure:
    """The weighted average of seed 1."""
    with style.styled():
        figure, ax = style.axes(height=2.5)
        for index, (labels, points) in enumerate(shown.cells):
            if labels["max_th"] == 20 and not labels["gentle"]:
                continue
            values = [points[f"average at {50 + i}"].mean for i in range(50)]
            name = f"Max {labels['max_th']:g}, {'gentle' if labels['gentle'] else 'strict'}"
            ax.plot([50.5 + i for i in range(50)], values, label=name, **{**style.line(index), "marker": ""})
        ax.set_xlabel("time (s)")
        ax.set_ylabel("average queue (packets)")
        style.legend(figure, 2)
    return figure
