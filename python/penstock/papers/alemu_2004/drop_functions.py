"""Figures 1.1 to 1.3 and 1.5: drop functions (Sections 1.2, 1.4.3)."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import penstock as ps
from penstock.explain.explanation import prepare_explanation
from penstock.plots import drop_function
from penstock.reproduce.figure import (
    CurveFigure,
    Exhibit,
    QuickOrFull,
    ReproductionEffort,
    Rows,
    SummaryTable,
    Sweep,
    Table,
    formula,
    metric,
)
from penstock.reproduce.statement import every, table_statement
from penstock.results.condition import Condition, all_of
from penstock.results.sample import RunSample

from . import measures
from .setup import claim, steady_flows_scenario

d = metric("d", says="drop probability")
draw = CurveFigure("x", "d", "curve", labels=("average queue (packets)", "drop probability"))


def drop_curve(scheme: str, limit: int) -> tuple[np.ndarray, np.ndarray]:
    """Queue in packets and drop probability of a scheme, given as on the command line, in 400 steps up to the limit."""
    points = prepare_explanation(scheme, "1.5Mbit", "54ms", None, f"{limit}p").drop_function_curve()
    if points is None:
        raise AssertionError(f"{scheme} has a drop function")
    return np.asarray(points[0]), np.asarray(points[1])


def drop_curve_rows(name: str, scheme: str, limit: int) -> Rows:
    """The drop function of a scheme as rows of a table, labelled `name`."""
    return [
        ({"curve": name, "x": round(float(x), 6)}, {"d": float(d)})
        for x, d in zip(*drop_curve(scheme, limit), strict=True)
    ]


def red_rows(_: ReproductionEffort) -> Rows:
    """RED's drop function, strict and gentle, with thresholds of 5 and 15 packets and max_p 0.1, up to 40 packets."""
    yield from drop_curve_rows("strict", "red:max_p=0.1", 40)
    yield from drop_curve_rows("gentle", "red:max_p=0.1,gentle=true", 40)


def strict(x: float) -> float:
    """Probability by Equation 1.2 (strict RED): 0 at Min, max_p just below Max, 1 from Max on, linear between."""
    return 0.0 if x < 5 else 0.1 * (x - 5) / 10 if x < 15 else 1.0


def gentle(x: float) -> float:
    """Probability by Equation 1.3 (gentle RED): max_p at Max, 1 from 2 Max on, no jump."""
    return strict(x) if x < 15 else min(0.1 + 0.9 * (x - 15) / 15, 1.0)


fig1_1 = Exhibit(
    "Figure 1.1: RED's drop function, strict and gentle (Section 1.2.1.1)",
    claim(
        "fig1.1a/c1",
        abs(d(curve="strict") - formula(strict)) <= 1e-6,
        "0 at Min, max_p just below Max, 1 from Max on, linear between; to 1e-6",
        must_hold=True,
    ),
    claim(
        "fig1.1b/c1",
        abs(d(curve="gentle") - formula(gentle)) <= 1e-6,
        "max_p at Max, 1 from 2 Max on, no jump; to 1e-6",
        must_hold=True,
    ),
    rows=red_rows,
    draw=draw,
)


LIMIT, MAX_P = 36, 0.15
p = metric("p")


def _keep(run: ps.Run) -> dict[str, float]:
    series = run.series["bottleneck"]
    p, hits = (np.asarray(series[name]["max"])[500:] for name in ("p", "hit_frequency"))
    estimate = 1 / np.maximum(np.asarray(series["hit_frequency"]["min"])[500:], 1e-9)
    bound = MAX_P * np.minimum(1, estimate**2 / 256**2)
    return {"p": float(p.mean()), "over": float((p - bound).max()), "hits": float(hits.mean())}


def has_three_levels(_: Table) -> Condition:
    """Whether SRED's drop function has the levels 0, max_p/4 and max_p, with breaks at B/6 and B/3."""
    xs, ds = drop_curve("sred:variant=simple", LIMIT)
    levels = np.where(xs < LIMIT / 6, 0, np.where(xs < LIMIT / 3, MAX_P / 4, MAX_P))
    inside = (abs(xs - LIMIT / 6) > 1) & (abs(xs - LIMIT / 3) > 1) & (xs < LIMIT - 1)
    points = zip(xs[inside], ds[inside], levels[inside], strict=True)
    return all_of((abs(RunSample(float(d)) - float(level)) <= 1e-6).at(f"{x:g} packets") for x, d, level in points)


def draw_sred_levels(_: SummaryTable) -> Figure:
    """Figure 1.2: SRED's drop function, with the breaks and levels that the thesis names."""
    xs, ds = drop_curve("sred:variant=simple", LIMIT)
    figure = drop_function.draw({"SRED": (list(xs), list(ds))}, x_label="queue")
    (ax,) = figure.axes
    ax.set_xticks([0, LIMIT / 6, LIMIT / 3, LIMIT], ["0", "B/6", "B/3", "B"])
    ax.set_yticks([0, MAX_P / 4, MAX_P], ["0", "$p_{max}/4$", "$p_{max}$"])
    ax.set_ylim(0, 1.2 * MAX_P)
    return figure


fig1_2 = Exhibit(
    "Figure 1.2: SRED's drop function (Section 1.2.1.3)",
    claim(
        "fig1.2/c1",
        table_statement(has_three_levels, "0, max_p/4, max_p with breaks at B/6 and B/3, to 1e-6"),
        must_hold=True,
    ),
    claim(
        "fig1.2/c2",
        every(p.at_next_value("flows") >= p, metric("over")(variant="simple") <= 1e-6),
        "mean largest p rises over 8, 53, 303 flows; of simple SRED never above max_p min(1, N^2 / 256^2)",
    ),
    # The AQM in operation with few and with many flows; its list is short, so that it fills soon.
    study=Sweep(
        lambda variant, flows: steady_flows_scenario(
            ps.Sred(limit=f"{LIMIT}p", variant=variant, zombies=100), flows, sampling="100ms"
        ),
        {"variant": ["simple", "full"], "flows": [8, 53, 303]},
        seeds=QuickOrFull(5, 20),
        keep=_keep,
    ),
    measure=measures.kept_numbers,
    draw=draw_sred_levels,
)


def dsred_rows(_: ReproductionEffort) -> Rows:
    """DSRED's drop function with Kl 5, Kh 25 and gamma 0.96, up to 40 packets."""
    return drop_curve_rows("DSRED", "dsred:min_th=5,max_th=25,gamma=0.96", 40)


def drop_share(x: float) -> float:
    """Drop probability of DSRED by Equation 1.12 at an average queue of `x` packets."""
    return 0.0 if x < 5 else 0.004 * (x - 5) if x < 15 else min(0.04 + 0.096 * (x - 15), 1.0)


fig1_3 = Exhibit(
    "Figure 1.3: the two slopes of DSRED (Section 1.2.1.5)",
    claim(
        "fig1.3/c1",
        abs(d - formula(drop_share)) <= 1e-6,
        "1 - gamma = 0.04 at Km = 15, 1 from Kh = 25 on, linear between; to 1e-6",
        must_hold=True,
    ),
    rows=dsred_rows,
    draw=draw,
)


def rio_rows(_: ReproductionEffort) -> Rows:
    """RED's function with the thresholds that RIO has by default for In and for Out packets (the thesis has none)."""
    yield from drop_curve_rows("In", "red:min_th=15,max_th=30,max_p=0.02", 40)
    yield from drop_curve_rows("Out", "red:min_th=5,max_th=15,max_p=0.2", 40)


fig1_5 = Exhibit(
    "Figure 1.5: RIO's two drop functions (Section 1.4.3)",
    claim(
        "fig1.5/c1",
        d(curve="Out") - d(curve="In") >= 0,
        "d_out(a) >= d_in(a) at every average, with the same queue for both",
        must_hold=True,
    ),
    rows=rio_rows,
    draw=draw,
)
