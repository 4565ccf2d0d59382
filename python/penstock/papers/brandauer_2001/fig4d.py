"""Figure 4 (d): losses in a row with 1400 web sessions (Section 5)."""

from collections.abc import Mapping
from functools import partial

import numpy as np

import penstock as ps
from penstock.reproduce.figure import Effort, Study, Sweep, chosen, every, metric

from . import setup
from .setup import OPTION, PAGES, RED, TAIL, WEB_SPAN, claim, over, queue, web, web_designs, web_study


def study(effort: Effort) -> Study:
    """Every mechanism, and more runs of the variants of RED of which the average queue is kept."""
    made = web_study(effort)
    for option in chosen(PAGES, effort):
        made += _averages(effort, option)
    return made


def _averages(effort: Effort, option: int) -> Study:
    at = web_designs(effort)[option, 1400]

    def keep(run: ps.Run) -> Mapping[str, float]:
        series = run.series["bottleneck"]
        times, averages = np.array(series["t_ns"]), np.array(series["avg"]["mean"], dtype=float)
        kept = averages[times >= 1e9 * float(run.scenario["warmup"].rstrip("s"))]
        max_th = float(str(run.scenario["links"]["bottleneck"]["queue"]["max_th"]).rstrip("p"))
        return {"at_max_th": float(np.mean(kept >= max_th))}

    return Sweep(
        lambda scheme: web(1400, queue(scheme, at), option=option),
        {"scheme": RED},
        span=WEB_SPAN,
        labels={"option": option, "watched": True},
        keep=keep,
    )(effort)


def measure(run: ps.Run) -> dict[str, float | None]:
    """As everywhere, and the share of the time in which the average is at max_th or above, in percent."""
    kept = run.raw.get("kept")
    return {"at_max_th": 100 * kept["at_max_th"]} if kept else setup.measure(run)


at_max_th = metric("at_max_th", "%", "time of the average at max_th or above")
longer_runs = every(*(over[k](scheme=s) > over[k](scheme="TD") for s in RED for k in TAIL if k >= 5))
CLAIMS = (
    claim(
        "c26",
        every(longer_runs(sessions=1400), at_max_th(scheme=RED, watched=True) > 5)(option=OPTION),
        "P(N > k) of each variant of RED > of TD for k >= 5; average at max_th for > 5 % of the time",
    ),
)

draw = partial(setup.tails, option=1, sessions=1400)
