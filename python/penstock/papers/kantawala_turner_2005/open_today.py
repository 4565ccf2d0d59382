"""Left open: DTDRR and DSDRR beside what came later, FQ-CoDel, CAKE and PIE, with TCP of then and of now."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.kantawala_turner_2005 import setup
from penstock.papers.kantawala_turner_2005.setup import NETWORKS, PAYLOAD, WIRE, Span, joined, queue
from penstock.plots import style
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Condition, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

LEFT_OPEN = "a question that the work leaves open"
NEW: dict[str, ps.Queue] = {"FQ-CoDel": ps.FqCodel(), "CAKE": ps.Cake(), "PIE": ps.Pie()}  # with their own defaults
FAIR = ["FQ-CoDel", "CAKE"]  # those with a queue for each flow
OLD = {"DTDRR": "", "DSDRR": "", "DSDRR-W": "W stays at its initial 10 % of the queues"}
PARTS: list[tuple[str, str, Span, list[int]]] = [
    ("two round trips", "long", ("50s", "20s"), [200, 1000]),
    ("two round trips", "short", ("40s", "12s"), [1000]),
    ("three hops", "long", ("40s", "15s"), [1000]),
]
"""Network, load, length of the runs, and buffers in packets: 200 and 1000 are 4.8 and 24 ms of the link."""
TCP = {"Reno": "", "CUBIC": "CUBIC as in Linux"}


def study(effort: Effort) -> Study:
    """Both networks, long and short flows, senders of the work and of today; no queue marks."""
    return joined([_part(effort, *part) for part in effort.choose(PARTS[:1], PARTS)])


def _part(effort: Effort, network: str, load: str, span: Span, sizes: list[int]) -> Study:
    within = effort.choose(("5s", "3s"), span)
    return Study(
        lambda tcp, scheme, buffer: _senders(NETWORKS[network](load, _queue(scheme, buffer), within), tcp),
        {
            "tcp": effort.choose(["Reno"], list(TCP)),
            "scheme": effort.choose(["DTDRR", "FQ-CoDel", "CAKE"], [*OLD, *NEW]),
            "buffer": effort.choose([1000], sizes),
        },
        seeds=effort.choose(2, 5),
        labels={"network": network, "load": load},
    )


def _queue(scheme: str, buffer: int) -> ps.Queue:
    if scheme in NEW:
        return dataclasses.replace(NEW[scheme], limit=f"{buffer}p")
    return queue(scheme, buffer)


def _senders(scenario: ps.Scenario, tcp: str) -> ps.Scenario:
    """The work's Reno; or CUBIC, SACK, a first window of 10 and the rest of the profile of Linux."""
    if tcp == "Reno":
        return scenario
    linux: dict[str, Any] = {
        "flavour": "cubic",
        "profile": "linux",
        "headers": f"{WIRE - PAYLOAD}B",
        "initial_window": None,
        "min_rto": None,
    }
    traffic = {name: dataclasses.replace(group, **linux) for name, group in scenario.traffic.items()}
    return dataclasses.replace(scenario, traffic=traffic)


def measure(run: ps.Run) -> dict[str, float | None]:
    """As for the work's figures, and what waits at the first bottleneck (ms) and how even its flows are."""
    link = run.links["hop0"]
    return {
        **setup.measure(run),
        "jain": link.jain,
        "delay": 1000 * link.delay_mean_s,
        "delay95": 1000 * link.delay_p95_s,
    }


def claims(table: Table) -> Iterator[Claim]:
    """The work's two against each of today's, for both kinds of senders."""
    if not table.has(network="three hops"):
        return  # in quick mode flows over 200 ms have not reached their share
    for scheme, reading in OLD.items():
        for tcp, senders in TCP.items():
            if table.has(scheme=scheme, tcp=tcp):
                words = "; ".join(word for word in (LEFT_OPEN, reading, senders) if word)
                yield from _claims(table.where(tcp=tcp), scheme, words)


def _claims(table: Table, old: str, reading: str) -> Iterator[Claim]:
    name = "dtdrr" if old == "DTDRR" else "dsdrr"
    fair = [scheme for scheme in FAIR if table.has(scheme=scheme)]

    def against(load: str, others: list[str]) -> Iterator[tuple[str, Table, str]]:
        for network, kind, _, sizes in PARTS:
            for buffer in sizes if kind == load else []:
                for other in others:
                    yield (
                        f"{network}, B = {buffer}, {other}",
                        table.where(network=network, load=load, buffer=buffer),
                        other,
                    )

    def each(load: str, others: list[str], holds: str) -> Condition:
        return all_of(_HOLDS[holds](part, old, other).at(where) for where, part, other in against(load, others))

    yield Claim(
        id=f"open-{name}-goodput",
        says=f"with {old} long flows of the longer round trip have as much as with queues for each flow of today",
        expected="goodput at most 5 points of their fair share below that with FQ-CoDel and CAKE",
        reading=reading,
        holds=each("long", fair, "goodput"),
    )
    yield Claim(
        id=f"open-{name}-even",
        says=f"{old} divides the link among long flows as evenly",
        expected="Jain's index of the first bottleneck at most 0.02 below that of FQ-CoDel and CAKE",
        reading=reading,
        holds=each("long", fair, "even"),
    )
    yield Claim(
        id=f"open-{name}-delay",
        says=f"its price is delay: packets wait longer with {old}",
        expected="95th percentile of the delay at the first bottleneck above that of FQ-CoDel and CAKE, long flows",
        reading=reading,
        holds=each("long", fair, "delay"),
    )
    yield Claim(
        id=f"open-{name}-bursts",
        says=f"short transfers over the longer round trip are done as soon with {old}",
        expected="mean time at most 10 % above that with FQ-CoDel and CAKE",
        reading=reading,
        holds=each("short", fair, "bursts"),
    )
    yield Claim(
        id=f"open-{name}-pie",
        says=f"{old} beats PIE, which has one queue: flows of the longer round trip have more",
        expected="goodput of long flows and time of short transfers of the longer round trip better than with PIE",
        reading=reading,
        holds=all_of(each("long", ["PIE"], "more"), each("short", ["PIE"], "sooner")),
    )


_HOLDS: dict[str, Callable[[Table, str, str], Condition]] = {
    "goodput": lambda part, old, new: part("g_slow", scheme=old) - part("g_slow", scheme=new) >= -5,
    "even": lambda part, old, new: part("jain", scheme=old) - part("jain", scheme=new) >= -0.02,
    "delay": lambda part, old, new: part("delay95", scheme=old) > part("delay95", scheme=new),
    "bursts": lambda part, old, new: part("burst_slow", scheme=old) / part("burst_slow", scheme=new) <= 1.1,
    "more": lambda part, old, new: part("g_slow", scheme=old) > part("g_slow", scheme=new),
    "sooner": lambda part, old, new: part("burst_slow", scheme=old) < part("burst_slow", scheme=new),
}
"""What is asked of a scheme of the work beside another one."""


def draw(shown: Shown) -> Figure:
    """Goodput of the long flows of 200 ms against the delay; a line from 200 packets to 1000 for each scheme."""
    part = shown.where(network="two round trips", load="long")
    senders = part.axis("tcp")
    with style.styled():
        figure = Figure(figsize=(style.WIDTH * len(senders), 2.5), layout="constrained")
        lines: dict[str, Any] = {}
        for ax, tcp in zip(figure.subplots(1, len(senders), squeeze=False).flat, senders, strict=True):
            for index, scheme in enumerate(part.axis("scheme")):
                at = [part.along("buffer", name, tcp=tcp, scheme=scheme) for name in ("delay95", "g_slow")]
                delay, goodput = ([point.mean for _, point in points] for points in at)
                (lines[scheme],) = ax.plot(delay, goodput, **style.line(index))
            ax.set_title(tcp, size=7)
            ax.set_xlabel("delay at the 95th percentile (ms)")
            ax.set_ylabel("goodput, 200 ms (%)")
        style.legend(figure, 6, lines)
    return figure
