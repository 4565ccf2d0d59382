"""What the text leaves open, and what another reading of it would have made of each claim."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.bodin_schelen_2001 import (
    fig4,
    fig5,
    fig6,
    fig7,
    fig8,
    fig9,
    fig10,
    fig11,
    fig12,
    fig13,
    fig14,
    fig15,
    sweep,
)
from penstock.papers.bodin_schelen_2001.setup import HALF, IN_RATES, SETTINGS, STRATEGIES
from penstock.papers.bodin_schelen_2001.sweep import of_average
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

FIGURES = (fig4, fig5, fig6, fig7, fig8, fig9, fig10, fig11, fig12, fig13, fig14, fig15)
READINGS: Mapping[str, Mapping[str, Any]] = {
    "TSW of ns-2": {"conditioner": "TSW of ns-2"},
    "acknowledgements in profile": {"acks": "AF11"},
    "TSW of ns-2, acknowledgements in profile": {"conditioner": "TSW of ns-2", "acks": "AF11"},
    "receivers 10 to 100 ms away": {"receivers": ("10ms", "100ms")},
}
measure = sweep.measure


def study(effort: Effort) -> Study:
    """The whole sweep in all settings by each reading; five runs."""
    duration = effort.choose("20s", "130s")

    def scenario(reading: str, setting: str, strategy: str, x: float) -> ps.Scenario:
        return sweep.scenario(setting, strategy, x, duration, **READINGS[reading])

    axes: dict[str, Sequence[Any]] = {
        "reading": list(READINGS),
        "setting": list(SETTINGS),
        "strategy": list(STRATEGIES),
        "x": effort.choose([HALF], IN_RATES),
    }
    return Study(scenario, axes, seeds=5, keep=of_average)


def claims(table: Table) -> Iterator[Claim]:
    """All claims of the figures by each reading."""
    for reading in table.axis("reading"):
        part = table.where(reading=reading)
        for figure in FIGURES:
            for claim in figure.claims(part):
                if not claim.reading:
                    yield replace(claim, reading=reading, because="", must_hold=False)


def draw(shown: Shown) -> Figure:
    """Throughput with Reno, strict WRED and DA by each reading."""
    where = {"setting": "Reno, strict", "strategy": "DA"}
    labels = ("in profile (Mb/s)", "throughput with DA (Mb/s)")
    return curves(shown, "x", "goodput", "reading", where=where, labels=labels, scale=1e-6)
