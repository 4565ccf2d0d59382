"""Why the first packet out of profile is not always the best victim: acknowledgements among the candidates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import penstock as ps
from penstock.papers.bodin_schelen_2001 import sweep
from penstock.papers.bodin_schelen_2001.setup import HALF, SETTINGS, UNTAGGED, network, wred
from penstock.papers.bodin_schelen_2001.sweep import of_average
from penstock.papers.bodin_schelen_2001.variants import LEFT_OPEN
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.table import Table
from penstock.studies.study import Study

ACKS = {UNTAGGED: "out of profile", "AF11": "in profile"}
measure = sweep.measure


def study(effort: Effort) -> Study:
    """Each victim at half of the link, acknowledgements out of profile and in it; eight runs."""
    duration = effort.choose("20s", "130s")

    def scenario(acks: str, victim: Any, setting: str) -> ps.Scenario:
        tcp, form = SETTINGS[setting]
        return network(wred("DFQ", form, victim=victim), tcp, HALF, acks=acks, duration=duration)

    return Study(
        scenario,
        {
            "acks": list(ACKS),
            "victim": ["last", "random", "first"],
            "setting": effort.choose(["Reno, strict"], list(SETTINGS)),
        },
        seeds=effort.choose(5, 8),
        keep=of_average,
    )


def claims(table: Table) -> Iterator[Claim]:
    """Whom the first victim suits, and whom not."""

    def at(metric: str, victim: str, acks: str, setting: str) -> Sample:
        return table(metric, victim=victim, acks=acks, setting=setting)

    settings = table.axis("setting")
    yield Claim(
        id="victim-acks",
        says="the first victim is an acknowledgement more often than the last",
        reading=LEFT_OPEN,
        expected="acknowledgements out of profile: their loss, first > last in each setting",
        holds=all_of(
            (at("loss_ack", "first", UNTAGGED, name) > at("loss_ack", "last", UNTAGGED, name)).at(name)
            for name in settings
        ),
    )
    for metric, what in (("avg_sd", "sd of avg_ql"), ("delay_sd", "sd of the queueing delay")):
        yield Claim(
            id=f"victim-{metric.removesuffix('_sd')}",
            says="where no acknowledgement is a candidate, the sooner the sender is told the less the queue swings",
            reading=LEFT_OPEN,
            expected=f"acknowledgements in profile: {what}, first < random < last in each setting",
            holds=all_of(
                (at(metric, sooner, "AF11", name) < at(metric, later, "AF11", name)).at(f"{sooner}, {later}, {name}")
                for sooner, later in (("first", "random"), ("random", "last"))
                for name in settings
            ),
        )
    yield Claim(
        id="victim-queue",
        says="and the queue is then no longer with one than with another",
        reading=LEFT_OPEN,
        expected="acknowledgements in profile: mean of avg_ql, first and random within 3 % of last in each setting",
        holds=all_of(
            (at("avg_mean", victim, "AF11", name) / at("avg_mean", "last", "AF11", name))
            .between(0.97, 1.03)
            .at(f"{victim}, {name}")
            for victim in ("first", "random")
            for name in settings
        ),
    )
