"""The common set-up of Kantawala and Turner's experiments; section numbers refer to their paper."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

import penstock as ps
from penstock.reproduce.changes import combined_change, fifo_limit_change, queue_change, traffic_change
from penstock.reproduce.effort import Change
from penstock.reproduce.figure import (
    CurveFigure,
    Number,
    QuickOrFull,
    Readings,
    ReproductionEffort,
    Statement,
    Study,
    at_most,
    claim_factory,
    every,
    metric,
    value_for_effort,
    within,
)
from penstock.results.sample import RunSample
from penstock.scenario.document import Document

from .sharing import with_queues_by_kind

claim = claim_factory(__file__)

RATE = "500Mbit"  # of every bottleneck (Section 4)
RATE_BPS = 500e6
WIRE, PAYLOAD = 1500, 1460  # bytes of a packet (Section 4), of which 40 are headers
BURST = 256  # packets of a transfer of the short flows (Section 4)
BUFFERS = [100, 200, 400, 1000, 2000, 5000, 20000]  # packets; 100 to 20 000 (Section 4)
LAST = 5000  # packets; the figures end here (Section 5)
ALL = 100  # queues: one for each long flow of a bottleneck (Section 5.3)
FLOWS = {"long": 100, "short": 1000}  # on each bottleneck (Sections 5.1 and 5.2)
ACCESS = {"long": "10Mbit", "short": "100Mbit"}  # (Section 4)
TRIPS, HOPS, ONE_TRIP = "two round trips", "three hops", "one round trip"

NEVER = "1000s"  # an interval T that does not end within a run
DSDRR_FULL = "DSDRR, W at its maximum"
FULL_W: Mapping[str, Any] = {"w_init": 0.5, "w_max": 0.5, "interval": NEVER}
SHORT_WINDOW = 20  # packets: the default of ns-2, which the text does not mention
EARLIER_TIMER = traffic_change(("tcp", "onoff"), min_rto="200ms")
SHORT_WINDOWS = traffic_change(("onoff",), window=SHORT_WINDOW)
NOT_CLEARED = queue_change(("dsdrr",), **FULL_W)
"""Figure 1 sets DSDRR's overflow bit and never clears it: W grows by 2 every second up to its maximum, and stays."""
ACCESS_LIMIT = 50  # packets: the default of ns-2; the text gives the access links no buffer


def with_access_limits(document: Document) -> Document:
    """The scenario with `ACCESS_LIMIT` at the access links, unless the windows of all flows are smaller.

    Each access link has one flow, so a smaller window never fills its buffer. Results are the same without this limit,
    and short flows take half the time.
    """
    windows = [group["window"] for group in document.tree["traffic"].values()]
    return document if max(windows) < ACCESS_LIMIT else fifo_limit_change(f"{ACCESS_LIMIT}p")(document)


HOSTS = combined_change(EARLIER_TIMER, SHORT_WINDOWS, with_access_limits)
"""Hosts and access links of the author's set-up: a minimum timeout of 0.2 s, and two defaults of ns-2.

These are windows of 20 packets for short flows, and buffers of 50 packets at the access links.
"""
reconstructed = combined_change(HOSTS, NOT_CLEARED, with_queues_by_kind)
"""The author's set-up: `HOSTS`, DSDRR with its largest W, and shared queues with flows of one kind."""
MULTI_QUEUE: dict[str, ps.Queue] = {
    "DTDRR": ps.Dtdrr(alpha=2),  # Section 3
    "DSDRR": ps.Dsdrr(alpha=0.1, w_init=0.1, w_max=0.5, interval="1s"),  # Section 3, figure 1
    "DSDRR-W": ps.Dsdrr(alpha=0.1, w_init=0.1, w_max=0.5, interval=NEVER),
    DSDRR_FULL: ps.Dsdrr(alpha=0.1, **FULL_W),
    "QSDRR": ps.Qsdrr(),
    "DRR": ps.Drr(),
    "TDRR": ps.Tdrr(),
}
ONE_QUEUE = ["RED", "Blue", "Tail-Drop"]
DRR_BASED = ["DTDRR", "DSDRR", "QSDRR"]
ALL_SCHEMES = [*DRR_BASED, *ONE_QUEUE]
COMPARED = QuickOrFull([*DRR_BASED, "RED"], ALL_SCHEMES)

# Settings tried for RED and Blue; the best are used (Section 4 mentions a search, but not the tried settings).
# Without a search the first of each is used.
RED_TRIED = [
    (low, high, max_p, w_q)
    for low, high in ((0.25, 0.75), (0.1, 0.5))
    for max_p in (0.1, 0.02, 0.3)
    for w_q in (0.002, 0.0002, 0.02)
]
BLUE_TRIED = [
    (d1, d1 / 10, freeze) for d1 in (0.0025, 0.02, 0.001, 0.0002) for freeze in ("100ms", "10ms", "1ms", "500ms")
]  # around the settings of the report that introduces Blue: d1 of 0.0025 and 0.02, 10 and 100 ms

HELD = "W stays at its initial 10 % of the queues"
NEW = ["DTDRR", "DSDRR"]
POINTS = 7
"""Goodputs, in % of the fair share, that differ by no more count as equal; otherwise two schemes have an order."""
SEEN = at_most(LAST)
"""The buffers of the figures."""
FROM_400 = Readings({within(400, LAST): "", SEEN: "in smaller buffers, too"})
"""Section 5.2: "once the buffer size increases to 400 packets"; for the smallest it says only "better than RED"."""
SETTLED = {"buffer": LAST}
"""Only full runs have this label; they are long enough for flows over 200 and 300 ms to reach their share."""

slow, fast = metric("g_slow", "%", "slow goodput"), metric("g_fast", "%", "fast goodput")
used, lost = metric("utilization", "%"), metric("loss", "%")
ratio = metric("ratio", says="burst ratio")

SENDERS: Mapping[str, Mapping[str, Any]] = {
    "Reno": {},
    "CUBIC": {
        "flavour": "cubic", "profile": "linux", "headers": f"{WIRE - PAYLOAD}B", "initial_window": None,
        "min_rto": None,
    },
}  # fmt: skip
"""Reno as in the paper; CUBIC with SACK, an initial window of 10 and the other settings of Linux."""

Labels = Mapping[str, Any]
"""Values of axes."""
Span = tuple[str, str]
"""Duration and warm-up of a run."""
Tuned = Mapping[tuple[str, int], int]
"""The best setting of RED and of Blue for each buffer, as its index in the tried settings."""
Runs = Callable[[ReproductionEffort], Study]


def queue(scheme: str, buffer: int, tuned: Tuned | None = None, **changes: Any) -> ps.Queue:
    """A queue of `buffer` packets; RED and Blue with the best setting for it, or the first setting without a search."""
    limit = f"{buffer}p"
    setting = (tuned or {}).get((scheme, buffer), 0)
    if scheme == "RED":
        low, high, max_p, w_q = RED_TRIED[setting]
        return ps.Red(
            limit=limit, min_th=low * buffer, max_th=high * buffer, max_p=max_p, w_q=w_q, gentle=True,
            mean_packet=f"{WIRE}B",
        )  # fmt: skip
    if scheme == "Blue":
        return blue(buffer, *BLUE_TRIED[setting])
    if scheme == "Tail-Drop":
        return ps.DropTail(limit=limit)
    template = MULTI_QUEUE[scheme]
    return type(template)(**{**vars(template), "limit": limit, **changes})


def blue(buffer: int, d1: float, d2: float, freeze: str) -> ps.Queue:
    """A queue of `buffer` packets with Blue, its steps `d1` up and `d2` down, and its freeze time."""
    return ps.Blue(limit=f"{buffer}p", d1=d1, d2=d2, freeze=freeze)


def _flows(load: str, count: int, source: str, sink: str, **changes: Any) -> ps.Traffic:
    """Endless Reno flows, or transfers of 256 packets with 2 s between them, each a new connection (Section 4)."""
    tcp: dict[str, Any] = {
        "count": count, "from_": source, "to": sink, "flavour": "reno", "profile": "ns2", "packet": f"{PAYLOAD}B",
        "window": 100_000, "initial_window": 1, "min_rto": "1s", "start": {"uniform": ["0s", "5s"]}, **changes,
    }  # fmt: skip
    return ps.Tcp(**tcp) if load == "long" else ps.OnOff(on={"packets": BURST}, off={"exp": "2s"}, **tcp)


def _access(load: str, count: int, name: str, router: str, delay: str, jitter: Any) -> ps.Link:
    link = ps.Link(count=count, from_=f"{name}{{i}}", to=router, rate=ACCESS[load], delay=delay)
    return link if jitter is None else replace(link, jitter=jitter)


def _scenario(
    network: str, load: str, span: Span, links: Mapping[str, ps.Link], traffic: Mapping[str, ps.Traffic]
) -> ps.Scenario:
    name = f"Kantawala and Turner: {network}, {load}"
    return ps.Scenario(name=name, duration=span[0], warmup=span[1], links=dict(links), traffic=dict(traffic))


def two_round_trips(
    load: str, discipline: ps.Queue, span: Span, jitter: Any = None, flows: int | None = None, **tcp: Any
) -> ps.Scenario:
    """One bottleneck, half of the flows 20 ms away, half 100 ms (Section 4.1); by default the numbers of the paper."""
    half = (flows or FLOWS[load]) // 2
    links = {
        "hop0": ps.Link(from_="R1", to="R2", rate=RATE, delay="0ms", queue=discipline, watch=True),
        "fast": _access(load, half, "A", "R1", "20ms", jitter),
        "slow": _access(load, half, "B", "R1", "100ms", jitter),
    }
    traffic = {"fast": _flows(load, half, "A{i}", "R2", **tcp), "slow": _flows(load, half, "B{i}", "R2", **tcp)}
    return _scenario(TRIPS, load, span, links, traffic)


def three_hops(load: str, discipline: ps.Queue, span: Span, jitter: Any = None, **tcp: Any) -> ps.Scenario:
    """Three bottlenecks of 50 ms in a row; half of the flows over all of them, half over each alone (Section 4.2)."""
    half = FLOWS[load] // 2
    links = {
        f"hop{i}": ps.Link(from_=f"R{i}", to=f"R{i + 1}", rate=RATE, delay="50ms", queue=discipline, watch=True)
        for i in range(3)
    }
    cross = ("fast", "cross1", "cross2")  # figure 5 (b) shows the cross traffic of the first router
    links |= {f"in-{name}": _access(load, half, f"C{i}-", f"R{i}", "0ms", jitter) for i, name in enumerate(cross)}
    links["in-slow"] = _access(load, half, "E", "R0", "0ms", jitter)
    traffic = {name: _flows(load, half, f"C{i}-{{i}}", f"R{i + 1}", **tcp) for i, name in enumerate(cross)}
    traffic["slow"] = _flows(load, half, "E{i}", "R3", **tcp)
    return _scenario(HOPS, load, span, links, traffic)


def one_round_trip(load: str, discipline: ps.Queue, span: Span, **tcp: Any) -> ps.Scenario:
    """One bottleneck and one round trip of 100 ms; 100 long or 500 short flows (Section 4, results in the report)."""
    count = {"long": 100, "short": 500}[load]
    links = {
        "hop0": ps.Link(from_="R1", to="R2", rate=RATE, delay="50ms", queue=discipline, watch=True),
        "fast": _access(load, count, "A", "R1", "0ms", None),
    }
    return _scenario(ONE_TRIP, load, span, links, {"fast": _flows(load, count, "A{i}", "R2", **tcp)})


NETWORKS = {TRIPS: two_round_trips, HOPS: three_hops, ONE_TRIP: one_round_trip}


def run_span(network: str) -> QuickOrFull[Span]:
    """Duration and warm-up of the runs: 100 s (Section 4) without the first 10 s, when flows start (decision)."""
    return QuickOrFull(("12s", "5s") if network == HOPS else ("15s", "6s"), ("100s", "10s"))


def buffer_sizes(network: str, load: str) -> QuickOrFull[list[int]]:
    """The buffer sizes of the runs: up to 20 000 packets for long flows of two kinds, otherwise up to `LAST`."""
    few = [100, 400, 2000] if (network, load) == (TRIPS, "long") else [2000]
    if network == ONE_TRIP:
        return QuickOrFull(few, [100, 200, 400, 1000, 5000])
    return QuickOrFull(few, [size for size in BUFFERS if load == "long" or size <= LAST])


def paper_study(
    vary: Mapping[str, Any], labels: Mapping[str, Any] | None = None, *, seeds: int | QuickOrFull[int] = 5,
    where: Callable[..., bool] | None = None, span: QuickOrFull[Span] | None = None,
    discipline: Callable[..., ps.Queue] | None = None, **fixed: Any,
) -> Runs:  # fmt: skip
    """A study over `network`, `load`, `scheme`, `buffer`, `queues`, `jitter`, `flows` or a key of TCP, e.g. `flavour`.

    Each is an axis in `vary`, one value in `labels`, or one value that does not become a label. RED and Blue have the
    best settings for Reno in their network and load, unless `discipline` makes the queues.
    """

    def study(effort: ReproductionEffort) -> Study:
        axes = {axis: value_for_effort(values, effort) for axis, values in vary.items()}
        single = {"load": "long", **fixed, **(labels or {})}
        networks = axes.get("network", [single.get("network")])
        search = discipline is None and {"RED", "Blue"} & set(axes["scheme"])
        tuned = {network: best_settings(effort, network, single["load"]) for network in networks} if search else {}

        def scenario(**at: Any) -> ps.Scenario:
            how = {**single, **at}
            network, load, scheme, buffer = (how.pop(name) for name in ("network", "load", "scheme", "buffer"))
            queues = how.pop("queues", ALL)
            how |= SENDERS[how.pop("tcp", "Reno")]
            if "least" in how:
                how["min_rto"] = how.pop("least")
            shared = {} if queues == ALL else {"buckets": queues}
            make = discipline or functools.partial(queue, tuned=tuned.get(network), **shared)
            within = value_for_effort(span or run_span(network), effort)
            return NETWORKS[network](load, make(scheme, buffer), within, **how)

        return Study(scenario, axes, seeds=value_for_effort(seeds, effort), where=where, labels=labels or {})

    return study


def buffer_study(network: str, load: str, schemes: Any = COMPARED, sizes: Any = None) -> Runs:
    """A study of schemes and buffers in one network."""
    return paper_study(
        {"scheme": schemes, "buffer": sizes or buffer_sizes(network, load)}, {"network": network, "load": load}
    )


def joined_studies(*parts: Runs, full: Sequence[Runs] = ()) -> Runs:
    """Several studies in one table; a quick reproduction leaves those of `full` out."""

    def study(effort: ReproductionEffort) -> Study:
        return functools.reduce(operator.add, (part(effort) for part in (*parts, *effort.quick_or_full((), full))))

    return study


def in_authors_setup(part: Callable[[ReproductionEffort], Study], change: Change = reconstructed) -> Runs:
    """A study with `change` applied to every scenario: by default, the study in the author's set-up."""
    return lambda effort: part(effort).changed(change)


def best_settings(effort: ReproductionEffort, network: str, load: str) -> Tuned:
    """The settings of RED and Blue with the most goodput for each buffer, by a search (Section 4).

    The search always runs in the author's set-up, the "simulation environment" of the paper. Both set-ups use its
    result.
    """
    effort = replace(effort, change=reconstructed)
    sizes = value_for_effort(buffer_sizes(network, load), effort)
    tried = {
        "RED": range(effort.quick_or_full(2, len(RED_TRIED))),
        "Blue": range(effort.quick_or_full(2, len(BLUE_TRIED))),
    }
    build, span = NETWORKS[network], effort.quick_or_full(("6s", "4s"), ("50s", "20s"))
    goodputs = effort.table(
        Study(
            lambda scheme, buffer, setting: build(load, queue(scheme, buffer, {(scheme, buffer): setting}), span),
            {"scheme": list(tried), "buffer": sizes, "setting": list(tried["RED"])},
            seeds=1,
            where=lambda scheme, buffer, setting: setting in tried[scheme],
        ),
        lambda run: {"goodput": sum(group.goodput_bps for group in run.traffic.values())},
    )

    def goodput(scheme: str, buffer: int, setting: int) -> float:
        return goodputs("goodput", scheme=scheme, buffer=buffer, setting=setting).mean

    return {
        (scheme, buffer): max(settings, key=functools.partial(goodput, scheme, buffer))
        for scheme, settings in tried.items()
        for buffer in sizes
    }


def measure(run: ps.Run) -> dict[str, float | None]:
    """Goodput of both kinds of flows in % of their fair share, its deviation, burst times, and the first bottleneck.

    Goodput counts whole packets of 1500 bytes, so that flows that fill the link have 100 %.
    """
    link = run.links["hop0"]
    numbers: dict[str, float | None] = {
        "utilization": 100 * link.utilization,
        "loss": 100 * link.loss_rate,
        "stored": link.drops_evicted / link.drops if link.drops else None,
    }
    kinds = {kind: parts for kind in ("fast", "slow") if (parts := _parts(run, kind))}
    fair = RATE_BPS * PAYLOAD / WIRE / sum(part["count"] for parts in kinds.values() for part in parts)
    for kind, parts in kinds.items():
        share, deviation = _goodput_per_flow(parts, fair)
        numbers[f"g_{kind}"] = 100 * share
        numbers[f"sd_{kind}"] = deviation
        numbers[f"burst_{kind}"] = parts[0].get("completion_mean_s") if len(parts) == 1 else None
    slow, fast = numbers.get("burst_slow"), numbers.get("burst_fast")
    numbers["ratio"] = slow / fast if slow and fast else None
    numbers["sd_all"] = _goodput_per_flow([part for parts in kinds.values() for part in parts], fair)[1]
    return numbers


def _parts(run: ps.Run, kind: str) -> list[Any]:
    """The metrics of all traffic groups with flows of one kind, which `with_queues_by_kind` splits into several."""
    return [group for name, group in run.traffic.items() if name.partition("-")[0] == kind]


def _goodput_per_flow(parts: Sequence[Any], fair: float) -> tuple[float, float | None]:
    """Mean and standard deviation of the goodput of all flows in these groups, in units of `fair` (bit/s)."""
    count = sum(part["count"] for part in parts)
    mean = sum(part.goodput_bps for part in parts) / count
    squares = sum(part.goodput_bps**2 / (part["count"] * part.jain) for part in parts if part.jain)
    return mean / fair, _deviation(mean / fair, count * mean**2 / squares if squares else None)


def _deviation(mean: float, jain: float | None) -> float | None:
    """Standard deviation of numbers with this mean and Jain's index, which may be rounded to above 1."""
    return mean * math.sqrt(max(1 / jain - 1, 0.0)) if jain else None


def orders_agree(number: Number, schemes: Sequence[str], now: Labels, before: Labels) -> Statement:
    """Wherever a number of two schemes differs by more than `POINTS` `before`, they have the same order `now`."""

    def is_confirmed_above_points(difference: RunSample) -> bool:
        """Whether it is confirmed that the difference exceeds `POINTS`."""
        return (difference > POINTS).decide().verdict == "confirmed"

    return every(
        *(
            (number(scheme=better, **now) > number(scheme=worse, **now)).only_where(
                number(scheme=better, **before) - number(scheme=worse, **before), is_confirmed_above_points
            )
            for better, worse in permutations(schemes, 2)
        )
    )


def buffer_figure(
    y: str, label: str, x: str = "buffer", by: str = "scheme", called: str = "", **how: Any
) -> CurveFigure:
    """A figure against the buffer, or another axis, with a line for each scheme."""
    name = called or {"buffer": "buffer (packets)"}.get(x, x)
    return CurveFigure(x, y, by, labels=(name, label), log="x", **how)
