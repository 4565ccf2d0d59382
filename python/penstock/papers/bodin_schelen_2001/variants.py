"""Victims of DFQ: the last, any, or the first packet out of profile (Section 2.2; named there, not evaluated)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from matplotlib.figure import Figure

import penstock as ps
from penstock.claims import Claim
from penstock.papers.bodin_schelen_2001 import sweep
from penstock.papers.bodin_schelen_2001.setup import HALF, SETTINGS, network, wred
from penstock.papers.bodin_schelen_2001.sweep import of_average
from penstock.plots.curves import curves
from penstock.reproduce import Effort
from penstock.shown import Shown
from penstock.study import Study, Table

measure = sweep.measure


def study(effort: Effort) -> Study:
    """Each victim in each setting at five rates in profile, eight runs."""
    duration = effort.choose("20s", "130s")

    def scenario(victim: Any, setting: str, x: float) -> ps.Scenario:
        tcp, form = SETTINGS[setting]
        return network(wred("DFQ", form, victim=victim), tcp, x, duration=duration)

    return Study(
        scenario,
        {
            "victim": ["last", "random", "first"],
            "setting": effort.choose(["Reno, strict"], list(SETTINGS)),
            "x": effort.choose([HALF], [0.2, 2.6, HALF, 6.8, 8.6]),
        },
        seeds=effort.choose(5, 8),
        keep=of_average,
    )


def claims(table: Table) -> Iterator[Claim]:
    """None: the text says that random and first tell the sender sooner, and leaves them out."""
    yield from ()


def draw(shown: Shown) -> Figure:
    """The standard deviation of the average, Reno and strict WRED."""
    labels = ("in profile (Mb/s)", "sd of avg_ql (packets)")
    return curves(shown, "x", "avg_sd", "victim", where={"setting": "Reno, strict"}, labels=labels)
