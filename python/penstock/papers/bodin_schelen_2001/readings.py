"""Ambiguities of the text, and the verdict on each claim by other readings."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import penstock as ps
from penstock.reproduce.figure import QuickOrFull, claims_under_reading

from . import fig4, fig5, fig6, fig7, fig8, fig9, fig10, fig11, fig12, fig13, fig14, fig15, setup
from .setup import HALF, IN_RATES, SETTINGS, STRATEGIES

FIGURES = (fig4, fig5, fig6, fig7, fig8, fig9, fig10, fig11, fig12, fig13, fig14, fig15)
READINGS: Mapping[str, Mapping[str, Any]] = {
    "TSW of ns-2": {"conditioner": "TSW of ns-2"},
    "acknowledgements in profile": {"acks": "AF11"},
    "TSW of ns-2, acknowledgements in profile": {"conditioner": "TSW of ns-2", "acks": "AF11"},
    "receivers 10 to 100 ms away": {"receivers": ("10ms", "100ms")},
}


def scenario(reading: str, setting: str, strategy: str, x: float) -> ps.Scenario:
    """One strategy in one setting, under a reading."""
    return setup.scenario(setting, strategy, x, **READINGS[reading])


study = setup.average_sweep(
    scenario,
    {"reading": list(READINGS), "setting": list(SETTINGS), "strategy": STRATEGIES, "x": QuickOrFull([HALF], IN_RATES)},
)

main = [replace(claim, others={}) for figure in FIGURES for claim in figure.CLAIMS if not claim.reading]
CLAIMS = tuple(claim for reading in READINGS for claim in claims_under_reading(reading, main, reading=reading))

draw = setup.sweep_figure(
    "goodput", "throughput with DA (Mb/s)", by="reading", scale=1e-6, setting="Reno, strict", strategy="DA"
)
