"""Tables 3.2, 3.3 and Figures 3.8 to 3.14: thresholds that move (Section 3.3)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import penstock as ps
from penstock.plots import style
from penstock.reproduce.figure import Claim, Exhibit, Number, QuickOrFull, SummaryTable, Sweep, formula, metric
from penstock.reproduce.statement import Statement, every

from . import judge, measures
from .measures import Numbers, queue_and_average_metrics
from .setup import AQS, BUFFER, KT, LU, PLR, VQS, WAQS, claim, psand, steady_flows_scenario

METHODS = ["max-down", "max-up", "squeeze", "spread", "shift-up", "shift-down", "pseudo-drop-tail", "sandwich"]
SIGNS = {
    "max-down": (0, -1), "max-up": (0, 1), "squeeze": (1, -1), "spread": (-1, 1),
    "shift-up": (1, 1), "shift-down": (-1, -1), "sandwich": (1, -1),
}  # fmt: skip
"""Moves of Min and Max as multiples of the change of the average (Table 3.2)."""
above, crossings = metric("above", "%", "time above Max"), metric("crossings")


def keep(run: ps.Run) -> Mapping[str, Any]:
    """Average and thresholds every second, percentages of time by their order, and the steps of the thresholds."""
    series = run.series["bottleneck"]
    average, max_p = (np.asarray(series[key]["mean"]) for key in ("avg", "max_p"))
    fixed = {"min_th": np.zeros_like(average), "max_th": np.full_like(average, 2 * KT)}
    low, high = (np.asarray(series[key]["mean"]) if key in series else fixed[key] for key in fixed)
    above = average > high
    second = round(1e9 / (series["t_ns"][1] - series["t_ns"][0]))
    before = np.arange(second // 2, len(average) - 1, second // 2) - 1
    change = np.diff(average[before])
    steps = {
        "change": change,
        "min": np.diff(low[before + 2]),
        "max": np.diff(high[before + 2]),
        "low": low[before + 2][1:],
        "high": high[before + 2][1:],
        "max_p": max_p[before + 2][1:],
    }
    return {
        "seconds": {
            name: [round(float(x), 2) for x in values.reshape(-1, second).mean(axis=1)]
            for name, values in (("average", average), ("min_th", low), ("max_th", high))
        },
        "queue": [float(x) for x in np.asarray(series["queue"]["max"]).reshape(-1, second).max(axis=1)],
        "above": 100 * float(above.mean()),
        "between": 100 * float(((average >= low) & (average <= high)).mean()),
        "crossings": int((above[1:] & ~above[:-1]).sum()),
        "mean max_th": float(high.mean()),
        "max_th from 20": 100 * float((high >= 20 - 1e-9).mean()),
        "steps": {name: [round(float(x), 6) for x in values] for name, values in steps.items()},
    }


def measure(run: ps.Run) -> Numbers:
    """Metrics of the queue, the average relative to the thresholds; for seed 1, average and thresholds over time."""
    record = run.raw["kept"]
    names = ("above", "between", "crossings", "mean max_th", "max_th from 20")
    pmf = np.asarray(run.links["bottleneck"].sampled_length_pmf)
    numbers: Numbers = (
        queue_and_average_metrics(run) | {name: record[name] for name in names} | {"to 20": 100 * float(pmf[:21].sum())}
    )
    if run.seed == 1:
        for name, values in (*record["seconds"].items(), ("queue", record["queue"])):
            numbers |= {f"{name} at {i}": value for i, value in enumerate(values)}
    return numbers


_NAMES = {"average": "weighted average", "min_th": "Min", "max_th": "Max"}


def _courses(summary: SummaryTable, method: str) -> Figure:
    """Average, thresholds and, in grey, the largest queue of each second, for seed 1."""
    with style.figure_style():
        figure, ax = style.single_panel(height=2.5)
        (cell,) = summary.where(method=method).cells
        seconds = np.arange(100) + 0.5
        course = {name: [cell[1][f"{name} at {i}"].mean for i in range(100)] for name in ("queue", *_NAMES)}
        ax.fill_between(seconds, 0, course["queue"], color="#d9dde5", linewidth=0)
        for index, (name, label) in enumerate(_NAMES.items()):
            ax.plot(seconds, course[name], label=label, color=style.COLOURS[index])
        ax.set_xlabel("time (s)")
        ax.set_ylabel("queue (packets)")
        style.add_legend(figure, 3)
    return figure


def _over_time(title: str, flows: int, methods: Sequence[str], *claims: Claim) -> Exhibit:
    """A figure of the first of these methods, sampled every 0.1 s; the claims compare it with the others."""
    runs = Sweep(
        lambda method, flows: steady_flows_scenario(psand(adapt=method), flows, sampling="100ms"),
        {"method": list(methods), "flows": [flows]},
        seeds=QuickOrFull(5, 20),
        keep=keep,
    )
    title = f"{title}, {flows} flows (Section 3.3)"
    return Exhibit(title, *claims, study=runs, measure=measure, draw=partial(_courses, method=methods[0]))


MOVED: Mapping[str, tuple[float, float]] = {
    "max-down": (0, 13), "max-up": (5, 17), "squeeze": (7, 13), "spread": (3, 17),
    "shift-up": (7, 17), "shift-down": (3, 13), "pseudo-drop-tail": (KT, KT), "sandwich": (7, 13),
}  # fmt: skip
"""Min and Max after a rise of the average from 10 to 12, from 5 and 15; Min of the first method stays at 0."""
MIN, MAX, MAX_P = ([metric(f"{name}, {end}") for end in ("before", "after")] for name in ("min_th", "max_th", "max_p"))


def _scenario(method: str) -> ps.Scenario:
    own: dict[str, Any] = {"adapt": method, "min_th": "0p" if method == "max-down" else "5p", "max_th": "15p"}
    if method == "pseudo-drop-tail":
        own = {"adapt": method}
    elif method == "sandwich":
        own["max_p"] = 0.001
    else:
        own |= {"max_p_low": 0, "max_p_high": 0}
    queue = ps.Psand(limit=f"{BUFFER}p", w_q=1, **own)
    flow: dict[str, Any] = {"from_": "A", "to": "B", "packet": "972B", "rate": "400kbit"}
    return ps.Scenario(
        name=f"Alemu, {method}",
        duration="1300ms",
        sampling="10ms",
        links={"line": ps.Link(from_="A", to="B", rate="1kbit", delay="1ms", queue=queue, watch=True)},
        traffic={"first": ps.Cbr(**flow, stop="239ms"), "later": ps.Cbr(**flow, start="600ms", stop="639ms")},
    )


def _keep(run: ps.Run) -> dict[str, float]:
    series = run.series["line"]
    ends = {"before": 59, "after": 120}
    return {
        f"{name}, {end}": float(np.asarray(series[name]["mean"])[at])
        for name in ("min_th", "max_th", "max_p")
        for end, at in ends.items()
    }


# w_q = 1, so that the average is the queue, and the link sends nothing meanwhile: 10 packets at 0.5 s, 12 at 1 s.
STEPS = Sweep(_scenario, {"method": METHODS}, keep=_keep)
tab3_2 = Exhibit(
    "Table 3.2: how the eight methods move the thresholds (Section 3.3)",
    claim(
        "tab3.2/c1",
        every(
            abs(MIN[1] - formula(lambda method: MOVED[method][0])) <= 1e-6,
            abs(MAX[1] - formula(lambda method: MOVED[method][1])) <= 1e-6,
            (abs(MAX_P[1] / MAX_P[0] - 0.6) <= 1e-6)(method="sandwich"),
        ),
        "average 10 to 12, from (5, 15): "
        + ", ".join(f"{i}: ({low:g}, {high:g})" for i, (low, high) in enumerate(MOVED.values(), 1))
        + ", max_p * 0.6; to 1e-6",
        must_hold=True,
    ),
    study=STEPS,
    measure=measures.kept_numbers,
)


# The methods and, as "none", the fixed thresholds, at both loads that the text speaks of.
METHODS_STUDY = Sweep(
    lambda method, flows: steady_flows_scenario(psand(adapt=method), flows),
    {"method": [*METHODS, "none"], "flows": [23, 103]},
    seeds=QuickOrFull(5, 100),
)
PRINTED = judge.read_thesis_table("tab3-3", lambda row, column: (column, {"method": row, "flows": 103}))


def _rows() -> Iterator[Claim]:
    for i, method in enumerate(METHODS, 1):
        own = PRINTED.row(method)
        row = partial(Claim, f"tab3.3/r{i}", f"the row of method {i}, {method}")
        yield row(own.matches_measured())
        yield row(own.at(flows=23).matches_measured(), reading="23 flows")


def _ordered(number: Number, *groups: Sequence[int]) -> Statement:
    """Each method of a group is below each method of the next group."""
    lists = [[METHODS[i - 1] for i in group] for group in groups]
    return every(*(number(method=a) < number(method=b) for a, b in itertools.pairwise(lists)))(flows=103)


def _as_4(number: Number, share: float) -> Statement:
    own = number(method="spread")
    return abs(number(method=["shift-up", "shift-down"]) - own) <= own * share


tab3_3 = Exhibit(
    "Table 3.3: the eight methods of adapting the thresholds (Section 3.3)",
    *_rows(),
    PRINTED.interval_claim("tab3.3"),
    claim(
        "tab3.3/c1",
        _ordered(VQS, [3], [4, 5, 6], [2], [7], [8], [1]),
        "methods 3 < {4, 5, 6} < 2 < 7 < 8 < 1 at 103 flows",
    ),
    claim(
        "tab3.3/c2",
        _ordered(AQS, [7], [3], [4, 5, 6], [8], [2], [1]),
        "methods 7 < 3 < {4, 5, 6} < 8 < 2 < 1 at 103 flows",
    ),
    claim(
        "tab3.3/c3",
        every(
            _as_4(AQS, 0.25), _as_4(VQS, 0.4), abs(PLR(method=["shift-up", "shift-down"]) - PLR(method="spread")) <= 2
        )(flows=103),
        "AQS within 25 %, VQS within 40 %, PLR within 2 points of method 4's at 103 flows",
    ),
    claim(
        "tab3.3/c4",
        every(*(q(method="none") < q(method=[m for m in METHODS if m != "squeeze"]) for q in (AQS, VQS)))(flows=103),
        "AQS and VQS below those of methods 1, 2, 4 to 8 at 103 flows",
    ),
    draw=PRINTED.draw,
    study=METHODS_STUDY,
)


MOVING = ["squeeze", "spread", "shift-up", "shift-down"]
"""Methods 3 to 6, the panels of Figure 3.8."""
DRAWN_MAX_P = 0.1
"""The height of the ramps in Figure 3.8: an example, since these methods move the thresholds and keep max_p."""


def moves(summary: SummaryTable) -> Figure:
    """Figure of the drop function of each method before and after the average rises from 10 to 12 packets."""
    with style.figure_style():
        figure = Figure(figsize=(2 * style.WIDTH, 3.2), layout="constrained")
        for letter, ax, method in zip(
            "abcd", figure.subplots(2, 2, sharex=True, sharey=True).flat, MOVING, strict=True
        ):
            ((_, numbers),) = summary.where(method=method).cells
            for i, end in enumerate(("before", "after")):
                low, high = (numbers[f"{name}, {end}"].mean for name in ("min_th", "max_th"))
                ax.plot(
                    [0, low, high, high, 20],
                    [0, 0, DRAWN_MAX_P, 1, 1],
                    label=end,
                    color=style.COLOURS[i],
                    ls=style.DASHES[1 - i],
                )
            ax.axvline(KT, color="black", linewidth=0.4)
            ax.set_title(f"({letter}) method {METHODS.index(method) + 1}, {method}")
            ax.set_ylim(0, 1.2 * DRAWN_MAX_P)
            ax.set_xlim(0, 2 * KT)
            ax.set_xticks(range(0, 21, 5))
        figure.supxlabel("average queue (packets)", size=8)
        figure.supylabel("drop probability", size=8)
        style.add_legend(figure, 2, dict(zip(("before", "after"), figure.axes[0].lines, strict=False)))
    return figure


fig3_8 = Exhibit(
    "Figure 3.8: directions in which methods 3 to 6 move the thresholds (Section 3.3)",
    claim(
        "fig3.8/c1",
        every(
            *(
                sign * (after - before)(method=method) > 0
                for method in MOVING
                for (before, after), sign in zip((MIN, MAX), SIGNS[method], strict=True)
            ),
            (abs(MIN[1] + MAX[1] - 2 * KT) <= 1e-6)(method=["squeeze", "spread"]),
        ),
        "the sign of each move at a rise from 10 to 12; Min + Max = 2 KT for 3 and 4 to 1e-6",
        must_hold=True,
    ),
    draw=moves,
    study=STEPS,
    measure=measures.kept_numbers,
)


fig3_9 = _over_time(
    "Figure 3.9: method 1, Max falls as the average rises",
    103,
    ["max-down", "none"],
    claim(
        "fig3.9/c1",
        every(
            metric("mean max_th", "packets", "mean Max")(method="max-down").matches_printed(10, share=0.25),
            VQS(method="max-down") > VQS(method="none"),
            AQS(method="max-down") > AQS(method="none"),
        ),
    ),
    claim("fig3.9/c2", every(crossings >= 10, above.between(5, 95))(method="max-down")),
)


fig3_10 = _over_time(
    "Figure 3.10: method 2, Max rises with the average",
    103,
    ["max-up", "max-down"],
    claim(
        "fig3.10/c1",
        every(
            metric("max_th from 20", "%", "time with Max >= 20")(method="max-up") >= 90,
            VQS(method="max-up") < VQS(method="max-down"),
            AQS(method="max-up") > KT,
        ),
    ),
)


between = metric("between", "%", "time with Min <= WAQS <= Max")
fig3_11 = _over_time(
    "Figure 3.11: method 4, symmetric", 23, ["spread"], claim("fig3.11/c1", between(method="spread") >= 90)
)


fig3_12 = _over_time(
    "Figure 3.12: method 6, not symmetric",
    23,
    ["shift-down", "spread"],
    claim("fig3.12/c1", every(above(method="shift-down") >= 25, AQS(method="shift-down") > AQS(method="spread"))),
)


OWN, FIXED = "pseudo-drop-tail", "none"
fig3_13 = _over_time(
    "Figure 3.13: method 7, pseudo drop-tail",
    23,
    [OWN, FIXED],
    claim(
        "fig3.13/c1",
        every(
            WAQS(method=OWN).matches_printed(KT, share=0.25),
            metric("to 20", "%", "P(X<=20)")(method=OWN) >= 90,
            LU(method=OWN) < LU(method=FIXED),
            PLR(method=OWN) > PLR(method=FIXED),
        ),
    ),
)


fig3_14 = _over_time(
    "Figure 3.14: method 8, sandwich",
    23,
    ["sandwich"],
    claim("fig3.14/c1", every(above.between(25, 75), crossings >= 10, AQS > KT)(method="sandwich")),
)


ch3 = Exhibit(
    "The end of chapter 3: a Max that moves far from twice the target does harm (Section 3.3)",
    claim("ch3/c1", every(*(q(method=["max-down", "max-up"]) > q(method="none") for q in (AQS, VQS)))(flows=103)),
    study=METHODS_STUDY,
)
