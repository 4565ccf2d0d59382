"""Worked examples: weighted and class-based fair queueing, time constants, FRED, GREEN (chapter 1, Section 2.4.1)."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import penstock as ps
from penstock import _native
from penstock.explain.explanation import prepare
from penstock.papers.alemu_2004.measures import Numbers
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "measure", "study"]

SERVICE = 0.008
"""Seconds that a packet of 1000 bytes takes at 1 Mbit/s."""


def study(_: Effort) -> Study:
    """Each example as a run."""
    return Study(lambda example: _SCENARIOS[example](), {"example": list(_SCENARIOS)}, seeds=5, keep=_keep)


def _line(queue: ps.Queue, traffic: dict[str, ps.Traffic], duration: str) -> ps.Scenario:
    line = ps.Link(from_="A", to="B", rate="1Mbit", delay="1ms", queue=queue, watch=True)
    return ps.Scenario(duration=duration, sampling="10ms", links={"line": line}, traffic=traffic)


def _cbr(rate: str, **more: Any) -> ps.Cbr:
    return ps.Cbr(**{"from_": "A", "to": "B", "packet": "972B", "rate": rate, **more})


def _idle(scheme: str) -> ps.Scenario:
    """500 packets wait for 40 s, then nothing comes for the time of 250 services but one packet at the end of it."""
    common: dict[str, Any] = {"limit": "5000p", "min_th": 2000, "max_th": 4000, "w_q": 0.002}
    queue: ps.Queue = ps.Red(**common, guards=False) if scheme == "red" else ps.Fred(**common, max_q=4000, min_q=4000)
    fill, hold = _cbr("1Gbit", stop="4004us"), _cbr("1Mbit", stop="40s")
    return _line(queue, {"fill": fill, "hold": hold, "last": _cbr("1kbit", start="42s")}, "42050ms")


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
    found: dict[str, float] = {}
    if "gamma" in series:
        gamma = np.asarray(series["gamma"]["mean"])
        found["factor"] = float(gamma[350] / gamma[250])
    if "avg" in series:
        average, queue = (np.asarray(series[name]["mean"]) for name in ("avg", "queue"))
        found |= {"before": float(average[3998]), "average": float(average[-1]), "queue": float(queue[4199])}
    return found


def measure(run: ps.Run) -> Numbers:
    """What was kept."""
    return dict(run.raw["kept"])


def claims(table: Table) -> Iterator[Claim]:
    """Each example."""
    yield Claim(
        id="ex.wfq/c1",
        says="WFQ with weights of 50, 25 and 25 % sends 600, 350 and 450 bytes in this order",
        expected="flows 1, 2, 3",
        holds=all_of(
            (Sample(float(flow)) - i <= 0.0).at(f"place {i + 1}")
            for i, flow in enumerate(_order("wfq", {"weight": (2, 1, 1)}, [600, 350, 450], 3))
        ),
        must_hold=True,
    )
    order = _order("cbfq", {"share": (0.2, 0.8)}, [1000, 1000], 1000)
    yield Claim(
        id="ex.cbfq/c1",
        says="3 flows of a class with 20 % and 8 of one with 80 % get 6.67 and 10 % of the link each",
        expected="20 / 3 and 80 / 8 %, to 1e-6: of 1000 packets 200 and 800",
        holds=all_of(
            (abs(Sample(100 * order.count(i) / len(order) / flows) - share / flows) <= 1e-6).at(name)
            for i, (name, share, flows) in enumerate((("voice", 20, 3), ("rest", 80, 8)))
        ),
        must_hold=True,
    )
    arrivals = -1 / math.log(1 - 0.002)
    yield Claim(
        id="ex.timeconst/c1",
        says="with w = 0.002 the average takes 500 arrivals to 63 % of a step",
        expected="499.5; the rule gives 0.002 for a time constant of as many packets",
        holds=all_of(
            (abs(Sample(arrivals) - 499.5) <= 0.05).at("arrivals"),
            (abs(Sample(float(ps.model.red_weight(arrivals))) - 0.002) <= 1e-6).at("rule"),
        ),
        must_hold=True,
    )

    def left(scheme: str) -> Sample:
        return table("average", example=f"idle, {scheme}") / table("before", example=f"idle, {scheme}")

    yield Claim(
        id="ex.fredidle/c1",
        says="after 250 services without an arrival RED's average stays at 500, FRED's has fallen with the queue",
        expected="queue 500 to 250; RED's average within 1 % of what it was, FRED's at least 10 % below",
        holds=all_of(
            left("RED").reads(1, share=0.01).at("RED"),
            (left("FRED") <= 0.9).at("FRED"),
            table("queue", example="idle, RED").between(240, 260).at("queue"),
        ),
        must_hold=True,
    )
    yield Claim(
        id="ex.greenutil/c1",
        says="GREEN's gamma grows by half at half the load, falls by 5 % at an overflow, and stays at 98 % and more",
        expected="1.5, 0.95, 1, each to 1e-6",
        holds=all_of(
            (abs(table("factor", example="GREEN at 0.5") - 1.5) <= 1e-6).at("0.5"),
            (abs(table("factor", example="GREEN at 1.2") - 0.95) <= 1e-6).at("1.2"),
            (abs(table("factor", example="GREEN at 0.99") - 1) <= 1e-6).at("0.99"),
        ),
        must_hold=True,
    )


def _order(scheme: str, setting: dict[str, tuple[float, ...]], sizes: list[int], count: int) -> list[int]:
    """Which flow each of the first packets is of, if all always wait: a class a flow, with packets of these sizes."""
    found = prepare(scheme, "1Mbit", "54ms", None, "100p")
    ((name, values),) = setting.items()
    classes = [{"name": f"class{i}", "match": {}, "params": {name: x}, "queue": None} for i, x in enumerate(values)]
    params = json.dumps({**found.queue.canonical["params"], "classes": classes})
    link = json.dumps({**found.link, "limit": {"packets": 1000}})
    return [flow for flow, _, _ in _native.service_order(scheme, params, link, sizes, count)]
