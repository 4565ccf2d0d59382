"""Figure 4 (d): losses in a row with 1400 web sessions (Section 5)."""

from collections.abc import Mapping
from functools import partial

import numpy as np

import penstock as ps
from penstock.reproduce.figure import ReproductionEffort, Study, Sweep, every, metric
from penstock.units import parse_time

from . import setup
from .setup import (
    OPTION,
    PAGES,
    RED,
    TAIL,
    WEB_SPAN,
    claim,
    over,
    queue,
    redopt_designs_for_web,
    web_scenario,
    web_study,
)


def study(effort: ReproductionEffort) -> Study:
    """The study of every mechanism with 1400 sessions, with further runs of RED that keep the average queue."""
    watched = Sweep(
        lambda designs, option, scheme: web_scenario(1400, queue(scheme, designs[option, 1400]), option),
        {"option": PAGES, "scheme": RED},
        span=WEB_SPAN,
        labels={"watched": True},
        keep=_keep,
        first_pass=redopt_designs_for_web,
    )
    return web_study(effort) + watched(effort)


def _keep(run: ps.Run) -> Mapping[str, float]:
    """The fraction of the time in which the average is at max_th or above."""
    seconds, averages = run.over_time("bottleneck", "avg")
    max_th = float(str(run.scenario["links"]["bottleneck"]["queue"]["max_th"]).rstrip("p"))
    return {"at_max_th": float(np.mean(averages[seconds >= parse_time(run.scenario["warmup"]) / 1e9] >= max_th))}


def measure(run: ps.Run) -> dict[str, float | None]:
    """The numbers of the paper's set-up; for runs that keep the average queue, % of time with it at max_th or above."""
    record = run.raw.get("kept")
    return {"at_max_th": 100 * record["at_max_th"]} if record else setup.measure(run)


at_max_th = metric("at_max_th", "%", "time of the average at max_th or above")
longer_runs = every(*(over[k](scheme=s) > over[k](scheme="TD") for s in RED for k in TAIL if k >= 5))
CLAIMS = (
    claim(
        "c26",
        every(longer_runs(sessions=1400), at_max_th(scheme=RED, watched=True) > 5)(option=OPTION),
        "P(N > k) of each variant of RED > of TD for k >= 5; average at max_th for > 5 % of the time",
    ),
)

draw = partial(setup.draw_loss_run_tails, option=0, sessions=1400)
