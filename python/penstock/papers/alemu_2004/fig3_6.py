"""Figure 3.6: gentle and strict mode with thresholds near and far, 100 flows that join at 50 s (Section 3.2.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.alemu_2004.measures import Numbers, of_average
from penstock.papers.alemu_2004.setup import KT, added, psand
from penstock.plots import style
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

MAXIMA = [10.5, 20, 35]


def study(effort: Effort) -> Study:
    """Each Max with Min 0 in both modes; the thesis shows both for 10.5 and 35 and the gentle one for 20 (guess 13)."""
    return Study(
        lambda max_th, gentle: added(psand(min_th=0, max_th=max_th, gentle=gentle), 100, warmup="50s"),
        {"max_th": MAXIMA, "gentle": [True, False]},
        seeds=effort.choose(5, 20),
        keep=keep,
    )


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


def measure(run: ps.Run) -> Numbers:
    """Statistics from 50 s on, and the average over time of seed 1."""
    kept = run.raw["kept"]
    found = of_average(run) | {name: kept[name] for name in ("largest", "least", "at bound")}
    if run.seed == 1:
        found |= {f"average at {50 + i}": value for i, value in enumerate(kept["average"])}
    return found


def claims(table: Table) -> Iterator[Claim]:
    """What the text says of the panels."""
    panels = [(10.5, True), (10.5, False), (35, True), (35, False)]

    def of(metric: str, max_th: float, gentle: bool = True) -> Sample:
        return table(metric, max_th=max_th, gentle=gentle)

    def mode(gentle: bool) -> str:
        return "gentle" if gentle else "strict"

    yield Claim(
        id="fig3.6/c0",
        says="max_p stays at its bound of 0.75",
        expected="for 90 % of [50, 100] s in all five panels",
        holds=all_of(
            (of("at bound", high, gentle) >= 90.0).at(f"Max {high:g}, {mode(gentle)}")
            for high, gentle in [*panels, (20, True)]
        ),
    )
    yield Claim(
        id="fig3.6a/c1",
        says="gentle with a small Max: the average is between Max and 2 Max, the queue long",
        expected="WAQS < 21 after 55 s, mean WAQS in 10.5 to 21, AQS > 10",
        holds=all_of(
            (of("largest", 10.5) < 21.0).at("largest"),
            of("WAQS", 10.5).between(10.5, 21).at("mean"),
            (of("AQS", 10.5) > float(KT)).at("AQS"),
        ),
    )
    yield Claim(
        id="fig3.6b/c1",
        says="strict with a small Max: a shorter queue and more losses than gentle",
        expected="AQS lower, PLR higher",
        holds=all_of(
            (of("AQS", 10.5, False) < of("AQS", 10.5, True)).at("AQS"),
            (of("PLR", 10.5, False) > of("PLR", 10.5, True)).at("PLR"),
        ),
    )
    yield Claim(
        id="fig3.6c,d/c1",
        says="with a large Max the average is above the target, and the modes do not differ",
        expected="mean WAQS > 10, AQS of the modes within 10 %",
        holds=all_of(
            (of("WAQS", 35, True) > float(KT)).at("gentle"),
            (of("WAQS", 35, False) > float(KT)).at("strict"),
            (abs(of("AQS", 35, True) / of("AQS", 35, False) - 1) <= 0.1).at("modes"),
        ),
    )
    yield Claim(
        id="fig3.6e/c1",
        says="(0, 20) is the better trade-off",
        expected="AQS and VQS below those of the other panels",
        holds=all_of(
            (of(metric, 20) < of(metric, high, gentle)).at(f"{metric}, Max {high:g}, {mode(gentle)}")
            for metric in ("AQS", "VQS")
            for high, gentle in panels
        ),
    )
    yield Claim(
        id="fig3.6/c2",
        says="the modes differ for a small Max only",
        expected="AQS of the modes apart by more than 10 % at Max 10.5, by less at 20 and 35",
        holds=all_of(
            (abs(of("AQS", 10.5, True) / of("AQS", 10.5, False) - 1) > 0.1).at("10.5"),
            *((abs(of("AQS", high, True) / of("AQS", high, False) - 1) < 0.1).at(f"{high}") for high in (20, 35)),
        ),
    )


def draw(shown: Shown) -> Figure:
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
