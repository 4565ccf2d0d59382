"""Figure 1.2: SRED's drop function (Section 1.2.1.3)."""

import numpy as np

import penstock as ps
from penstock.papers.alemu_2004 import functions, measures
from penstock.papers.alemu_2004.setup import load
from penstock.reproduce.figure import Choice, Claim, Curves, Sweep, Table, by_table, every, metric
from penstock.results.sample import Condition, Sample, all_of

LIMIT, MAX_P = 36, 0.15
p = metric("p")


def _keep(run: ps.Run) -> dict[str, float]:
    series = run.series["bottleneck"]
    p, hits = (np.asarray(series[name]["max"])[500:] for name in ("p", "hit_frequency"))
    estimate = 1 / np.maximum(np.asarray(series["hit_frequency"]["min"])[500:], 1e-9)
    bound = MAX_P * np.minimum(1, estimate**2 / 256**2)
    return {"p": float(p.mean()), "over": float((p - bound).max()), "hits": float(hits.mean())}


measure = measures.kept

# The law at work with few and with many flows; its list is short, so that it fills soon.
study = Sweep(
    lambda variant, flows: load(ps.Sred(limit=f"{LIMIT}p", variant=variant, zombies=100), flows, sampling="100ms"),
    {"variant": ["simple", "full"], "flows": [8, 53, 303]},
    seeds=Choice(5, 20),
    keep=_keep,
)


def three_levels(_: Table) -> Condition:
    """Of the drop function as the scheme has it."""
    xs, ds = functions.curve("sred:variant=simple", LIMIT)
    levels = np.where(xs < LIMIT / 6, 0, np.where(xs < LIMIT / 3, MAX_P / 4, MAX_P))
    inside = (abs(xs - LIMIT / 6) > 1) & (abs(xs - LIMIT / 3) > 1) & (xs < LIMIT - 1)
    points = zip(xs[inside], ds[inside], levels[inside], strict=True)
    return all_of((abs(Sample(float(d)) - float(level)) <= 1e-6).at(f"{x:g} packets") for x, d, level in points)


CLAIMS = (
    Claim(
        "fig1.2/c1",
        "three levels",
        by_table(three_levels, "0, max_p/4, max_p with breaks at B/6 and B/3, to 1e-6"),
        must_hold=True,
    ),
    Claim(
        "fig1.2/c2",
        "the drop probability does not fall with the estimated number of flows, which counts up to 256",
        every(p.next("flows") >= p, metric("over")(variant="simple") <= 1e-6),
        "mean largest p rises over 8, 53, 303 flows; of simple SRED never above max_p min(1, N^2 / 256^2)",
    ),
)

draw = Curves("flows", "p", "variant", labels=("flows", "largest drop probability"))
