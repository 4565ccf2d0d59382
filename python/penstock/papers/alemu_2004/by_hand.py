"""Worked examples, with losses or loads chosen by hand."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import penstock as ps
from penstock import _native
from penstock.explain.explanation import prepare_explanation
from penstock.reproduce.figure import (
    CurveFigure,
    Exhibit,
    SummaryTable,
    Sweep,
    Table,
    every,
    formula,
    metric,
    table_statement,
)
from penstock.results.condition import Condition, all_of
from penstock.results.sample import RunSample

from . import measures, panels
from .measures import Numbers
from .setup import claim

WINDOW = 20
WINDOWS = [1, 2, 4, 8, 16, WINDOW, WINDOW]
"""Packets sent in each round trip."""


def _transfer(round_trip: int) -> ps.Scenario:
    """A transfer without losses, measured from the middle of one round trip of 100 ms to the middle of the next."""
    flow = ps.Tcp(
        from_="A", to="B", flavour="reno", profile="ns2", window=WINDOW, initial_window=1, syn=False, start="0s"
    )
    line = ps.Link(from_="A", to="B", rate="1Gbit", delay="50ms", watch=False)
    end = 100 * round_trip - 50
    begin = max(end - 100, 0)
    return ps.Scenario(warmup=f"{begin}ms", duration=f"{end}ms", links={"line": line}, traffic={"flow": flow})


def packets_sent(run: ps.Run) -> Numbers:
    """Number of packets that the flow sent in the run of one round trip."""
    return {"sent": float(run.traffic["flow"].sent_pkts)}


def doubled(round_trip: int) -> float:
    """The congestion window in packets in this round trip of slow start, counted from 1, as the thesis prints it."""
    return WINDOWS[round_trip - 1]


fig0_1 = Exhibit(
    "Figure 1 of the introduction: slow start",
    claim(
        "fig0.1/c1",
        abs(metric("sent") - formula(doubled)) <= 0,
        ", ".join(map(str, WINDOWS)) + " packets",
        must_hold=True,
    ),
    measure=packets_sent,
    study=Sweep(_transfer, {"round_trip": range(1, 8)}),
    draw=CurveFigure("round_trip", "sent", labels=("round trip", "window (packets)")),
)


def _overload(periods: int) -> ps.Scenario:
    """Datagrams overload a link until 1.9 s and use half of it from then on; mw = 0, so that nothing is averaged.

    With the target near the limit and a large gain only a full queue loses packets.
    """
    queue = ps.Lred(limit="20p", periods=periods, mw=0, interval="200ms", target="19p", beta=1)
    flow: dict[str, Any] = {"from_": "A", "to": "B", "packet": "972B"}
    return ps.Scenario(
        duration="6s",
        sampling="10ms",
        links={"line": ps.Link(from_="A", to="B", rate="1Mbit", delay="1ms", queue=queue, watch=True)},
        traffic={"half": ps.Cbr(**flow, rate="500kbit"), "burst": ps.Cbr(**flow, rate="1500kbit", stop="1900ms")},
    )


def _last(run: ps.Run) -> dict[str, float]:
    ratio = np.asarray(run.series["line"]["loss_ratio"]["max"])
    return {"last": float(np.flatnonzero(ratio > 0)[-1] + 1) / 100}


def end(periods: int) -> float:
    """Time in seconds until which the losses of the period that ends at 2.0 s are counted."""
    return 2.0 + 0.2 * periods


def draw_loss_windows(summary: SummaryTable) -> Figure:
    """Figure of the periods of 0.2 s over which each loss ratio is measured with M = 4; above 0 if they have losses."""
    ((_, numbers),) = summary.where(periods=4).cells
    last = round(numbers["last"].mean / 0.2) - 1
    periods, lossy = range(6, 16), 10
    rows = {
        f"l({k}) {'> 0' if lossy <= k <= last else '= 0'}": [
            ("M" if k - 4 < period <= k else "") + ("*" if period == lossy else "") for period in periods
        ]
        for k in range(9, 16)
    }
    columns = [str(period) for period in periods]
    return panels.strips(rows, columns, "period of length mp (*: with losses)", filled="M")


fig1_4 = Exhibit(
    "Figure 1.4: the periods over which LRED measures its loss ratio (Section 1.2.2.5)",
    claim(
        "fig1.4/c1",
        abs(metric("last") - formula(end)) <= 1e-6,
        "losses in (1.8, 2.0] s count until 2.8 s with 4 periods of 0.2 s, until 2.4 s with 2, exactly",
        must_hold=True,
    ),
    measure=measures.kept_numbers,
    study=Sweep(_overload, {"periods": [2, 4]}, keep=_last),
    draw=draw_loss_windows,
)


def _line(queue: ps.Queue, traffic: dict[str, ps.Traffic], duration: str) -> ps.Scenario:
    line = ps.Link(from_="A", to="B", rate="1Mbit", delay="1ms", queue=queue, watch=True)
    return ps.Scenario(duration=duration, sampling="10ms", links={"line": line}, traffic=traffic)


def _cbr(rate: str, **more: Any) -> ps.Cbr:
    return ps.Cbr(**{"from_": "A", "to": "B", "packet": "972B", "rate": rate, **more})


def _idle(scheme: str) -> ps.Scenario:
    """A queue of 500 packets for 40 s, then no arrivals for 250 service times, and one packet at the end."""
    common: dict[str, Any] = {"limit": "5000p", "min_th": 2000, "max_th": 4000, "w_q": 0.002}
    queue: ps.Queue = ps.Red(**common, guards=False) if scheme == "red" else ps.Fred(**common, max_q=4000, min_q=4000)
    filling, holding = _cbr("1Gbit", stop="4004us"), _cbr("1Mbit", stop="40s")
    return _line(queue, {"fill": filling, "hold": holding, "last": _cbr("1kbit", start="42s")}, "42050ms")


def _green(rate: str, **more: str) -> ps.Scenario:
    return _line(ps.Green(variant="green-2", limit="20p"), {"flow": _cbr(rate, **more)}, "5500ms")


_SCENARIOS: dict[str, Callable[[], ps.Scenario]] = {
    "idle, RED": lambda: _idle("red"),
    "idle, FRED": lambda: _idle("fred"),
    "GREEN at 0.5": lambda: _green("500kbit", packet="472B"),  # 125 packets in each window
    "GREEN at 0.99": lambda: _green("990kbit"),
    "GREEN at 1.2": lambda: _green("1200kbit"),
}


def _keep(run: ps.Run) -> dict[str, float]:
    series = run.series["line"]
    numbers: dict[str, float] = {}
    if "gamma" in series:
        gamma = np.asarray(series["gamma"]["mean"])
        numbers["factor"] = float(gamma[350] / gamma[250])
    if "avg" in series:
        average, queue = (np.asarray(series[name]["mean"]) for name in ("avg", "queue"))
        numbers |= {"before": float(average[3998]), "average": float(average[-1]), "queue": float(queue[4199])}
    return numbers


def _order(scheme: str, setting: dict[str, tuple[float, ...]], sizes: list[int], count: int) -> list[int]:
    """Flows of the first packets served if all are backlogged: one class per flow, with packets of these sizes."""
    explanation = prepare_explanation(scheme, "1Mbit", "54ms", None, "100p")
    ((name, values),) = setting.items()
    classes = [{"name": f"class{i}", "match": {}, "params": {name: x}, "queue": None} for i, x in enumerate(values)]
    params = json.dumps({**explanation.queue.canonical["params"], "classes": classes})
    link = json.dumps({**explanation.link, "limit": {"packets": 1000}})
    return [flow for flow, _, _ in _native.service_order(scheme, params, link, sizes, count)]


def _exact(*values: tuple[str, float, float, float]) -> Callable[[Table], Condition]:
    """(Name, number, expected number, bound): each number is within its bound."""
    return lambda _: all_of(
        (abs(RunSample(number) - expected) <= bound).at(name) for name, number, expected, bound in values
    )


def _served(_: Table) -> Condition:
    order = _order("wfq", {"weight": (2, 1, 1)}, [600, 350, 450], 3)
    return all_of((RunSample(float(flow)) - i <= 0.0).at(f"place {i + 1}") for i, flow in enumerate(order))


def _shared(table: Table) -> Condition:
    order = _order("cbfq", {"share": (0.2, 0.8)}, [1000, 1000], 1000)
    share = [100 * order.count(i) / len(order) for i in (0, 1)]
    return _exact(("voice", share[0] / 3, 20 / 3, 1e-6), ("rest", share[1] / 8, 80 / 8, 1e-6))(table)


ARRIVALS = -1 / math.log(1 - 0.002)
retained = metric("average") / metric("before")
factor = metric("factor")
examples = Exhibit(
    "Worked examples: weighted and class-based fair queueing, time constants, FRED, GREEN (chapter 1, Section 2.4.1)",
    claim("ex.wfq/c1", table_statement(_served, "flows 1, 2, 3"), must_hold=True),
    claim(
        "ex.cbfq/c1",
        table_statement(_shared, "20 / 3 and 80 / 8 %, to 1e-6: of 1000 packets 200 and 800"),
        must_hold=True,
    ),
    claim(
        "ex.timeconst/c1",
        table_statement(
            _exact(("arrivals", ARRIVALS, 499.5, 0.05), ("rule", float(ps.model.red_weight(ARRIVALS)), 0.002, 1e-6)),
            "499.5; the rule gives 0.002 for a time constant of as many packets",
        ),
        must_hold=True,
    ),
    claim(
        "ex.fredidle/c1",
        every(
            retained(example="idle, RED").matches_printed(1, share=0.01),
            retained(example="idle, FRED") <= 0.9,
            metric("queue")(example="idle, RED").between(240, 260),
        ),
        must_hold=True,
    ),
    claim(
        "ex.greenutil/c1",
        every(
            *(
                abs(factor(example=f"GREEN at {load}") - value) <= 1e-6
                for load, value in ((0.5, 1.5), (1.2, 0.95), (0.99, 1))
            )
        ),
        "1.5, 0.95, 1, each to 1e-6",
        must_hold=True,
    ),
    measure=measures.kept_numbers,
    study=Sweep(lambda example: _SCENARIOS[example](), {"example": list(_SCENARIOS)}, keep=_keep),
)
