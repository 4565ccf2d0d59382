"""Victims of DFQ: the last, any, or the first packet out of profile (Section 2.2; named there, not evaluated)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.bodin_schelen_2001 import sweep
from penstock.papers.bodin_schelen_2001.setup import HALF, SETTINGS, network, wred
from penstock.papers.bodin_schelen_2001.sweep import of_average
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

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


LEFT_OPEN = "a question that the work leaves open"
GAINS = {
    "avg_sd": ("variants-swing", "the average swings less", "standard deviation of avg_ql"),
    "avg_mean": ("variants-queue", "the average is shorter", "mean of avg_ql"),
    "delay_sd": ("variants-jitter", "delays vary less", "sd of the queueing delay"),
}


def claims(table: Table) -> Iterator[Claim]:
    """What the text expects of drops that the sender learns of sooner, at half of the link."""

    def at(metric: str, victim: str, setting: str) -> Sample:
        return table(metric, victim=victim, setting=setting, x=HALF)

    settings = table.axis("setting")
    for metric, (name, says, what) in GAINS.items():
        yield Claim(
            id=name,
            says=f"{says} if the first, or any, packet out of profile is dropped instead of the last",
            reading=LEFT_OPEN,
            expected=f"{what} at 5 Mb/s: first < last and random < last in each setting",
            holds=all_of(
                (at(metric, victim, setting) < at(metric, "last", setting)).at(f"{victim}, {setting}")
                for victim in ("first", "random")
                for setting in settings
            ),
        )
    for metric, (name, share) in {"goodput": ("variants-throughput", 0.01), "loss": ("variants-loss", 0.05)}.items():
        yield Claim(
            id=name,
            says=f"the {name.removeprefix('variants-')} is the same",
            reading=LEFT_OPEN,
            expected=f"at 5 Mb/s: first and random within {share:.0%} of last in each setting",
            holds=all_of(
                (at(metric, victim, setting) / at(metric, "last", setting))
                .between(1 - share, 1 + share)
                .at(f"{victim}, {setting}")
                for victim in ("first", "random")
                for setting in settings
            ),
        )


def draw(shown: Shown) -> Figure:
    """The standard deviation of the average, Reno and strict WRED."""
    labels = ("in profile (Mb/s)", "sd of avg_ql (packets)")
    return curves(shown, "x", "avg_sd", "victim", where={"setting": "Reno, strict"}, labels=labels)
