"""Figure 1.2: SRED's drop function (Section 1.2.1.3)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.alemu_2004 import functions
from penstock.papers.alemu_2004.measures import Numbers
from penstock.papers.alemu_2004.setup import load
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

LIMIT, MAX_P = 36, 0.15
FLOWS = [8, 53, 303]


def study(effort: Effort) -> Study:
    """The law at work with few and with many flows; its list is short, so that it fills soon."""
    return Study(
        lambda variant, flows: load(ps.Sred(limit=f"{LIMIT}p", variant=variant, zombies=100), flows, sampling="100ms"),
        {"variant": ["simple", "full"], "flows": FLOWS},
        seeds=effort.choose(5, 20),
        keep=_keep,
    )


def _keep(run: ps.Run) -> dict[str, float]:
    series = run.series["bottleneck"]
    p, hits = (np.asarray(series[name]["max"])[500:] for name in ("p", "hit_frequency"))
    estimate = 1 / np.maximum(np.asarray(series["hit_frequency"]["min"])[500:], 1e-9)
    bound = MAX_P * np.minimum(1, estimate**2 / 256**2)
    return {"p": float(p.mean()), "over": float((p - bound).max()), "hits": float(hits.mean())}


def measure(run: ps.Run) -> Numbers:
    """Mean of the largest p of each 0.1 s from 50 s on, and by how much p exceeds what the estimate allows."""
    return dict(run.raw["kept"])


def claims(table: Table) -> Iterator[Claim]:
    """The steps over the queue, and the factor of the estimated number of flows."""
    xs, ds = functions.curve("sred:variant=simple", LIMIT)
    levels = np.where(xs < LIMIT / 6, 0, np.where(xs < LIMIT / 3, MAX_P / 4, MAX_P))
    inside = (abs(xs - LIMIT / 6) > 1) & (abs(xs - LIMIT / 3) > 1) & (xs < LIMIT - 1)
    yield Claim(
        id="fig1.2/c1",
        says="three levels",
        expected="0, max_p/4, max_p with breaks at B/6 and B/3, to 1e-6",
        holds=all_of((abs(Sample(float(d)) - float(level)) <= 1e-6).at(f"{x:g} packets")
                     for x, d, level in zip(xs[inside], ds[inside], levels[inside], strict=True)),
        must_hold=True,
    )  # fmt: skip
    yield Claim(
        id="fig1.2/c2",
        says="the drop probability does not fall with the estimated number of flows, which counts up to 256",
        expected="mean largest p rises over 8, 53, 303 flows; of simple SRED never above max_p min(1, N^2 / 256^2)",
        holds=all_of(
            *(
                (table("p", variant=variant, flows=b) >= table("p", variant=variant, flows=a)).at(
                    f"{variant}, {a} to {b}"
                )
                for variant in ("simple", "full")
                for a, b in itertools.pairwise(FLOWS)
            ),
            *((table("over", variant="simple", flows=n) <= 1e-6).at(f"bound, {n} flows") for n in FLOWS),
        ),
    )


def draw(shown: Shown) -> Figure:
    """The largest p against the number of flows."""
    return curves(shown, "flows", "p", "variant", labels=("flows", "largest drop probability"))
