"""Why c24: A-RED with drops and with marks, max_p moving or held, windows halved to whole or to real numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.chung_claypool_2003 import step_load
from penstock.papers.chung_claypool_2003.step_load import LIMIT, MAX_TH, MIN_TH, QUEUES, kept, steps
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

FLOWS = 200
HELD = {"A-RED": 0.26, "A-RED-ECN": 0.36}  # where max_p is on average with 200 flows
Halving = Literal["whole", "real"]
FORMS: dict[str, tuple[bool, Halving]] = {
    "as it is": (True, "whole"),
    "max_p held": (False, "whole"),
    "max_p held, real windows": (False, "real"),
}
measure = step_load.numbers


def study(effort: Effort) -> Study:
    """200 flows, at which the two are furthest apart."""

    def scenario(queue: str, form: str) -> ps.Scenario:
        moving, halving = FORMS[form]
        fixed = ps.Red(
            min_th=MIN_TH, max_th=MAX_TH, max_p=HELD[queue], w_q=0.002, limit=f"{LIMIT}p", gentle=True,
            ecn=queue.endswith("ECN"),
        )  # fmt: skip
        base = steps(QUEUES[queue] if moving else fixed, FLOWS)
        traffic = {
            name: replace(flows, halving=halving) for name, flows in base.traffic.items() if isinstance(flows, ps.Tcp)
        }
        return replace(base, traffic=traffic)

    return Study(scenario, {"queue": list(HELD), "form": list(FORMS)}, seeds=effort.choose(5, 10), keep=kept)


def claims(table: Table) -> Iterator[Claim]:
    """Another reading of c24; and what each step takes away."""

    def sd(queue: str, form: str) -> Sample:
        return table("avg_sd", queue=queue, form=form)

    as_it_is, held, real = FORMS
    yield Claim(
        id="c24",
        says="at high loads the average of A-RED-ECN is steadier than that of A-RED",
        reading="max_p held where it is on average",
        expected="sd(avg) with marks < with drops, 200 flows",
        holds=(sd("A-RED-ECN", held) < sd("A-RED", held)).at("max_p held"),
    )
    yield Claim(
        id="c24",
        says="what moves A-RED-ECN's average is the adaptation of max_p, and windows of 2 to 3 whole packets",
        reading="what makes the difference",
        expected="sd(avg) falls as max_p is held, and again as windows are halved to real numbers",
        holds=all_of(
            (sd("A-RED-ECN", held) < sd("A-RED-ECN", as_it_is)).at(held),
            (sd("A-RED-ECN", real) < sd("A-RED-ECN", held)).at(real),
        ),
    )


def draw(shown: Shown) -> Figure:
    """The deviation of the average, step by step."""
    points = Shown(
        ({"queue": labels["queue"], "step": list(FORMS).index(labels["form"])}, numbers)
        for labels, numbers in shown.cells
    )
    labels = ("0: as it is, 1: max_p held, 2: and real windows", "sd of the average queue (packets)")
    return curves(points, "step", "avg_sd", "queue", labels=labels)
