"""The common set-up of Bodin and Schelen's experiments; section numbers refer to their paper."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from matplotlib.figure import Figure

import penstock as ps
from penstock.plots.curves import draw_over_time
from penstock.plots.curves import time_course as course_of
from penstock.reproduce.changes import tcp_change
from penstock.reproduce.figure import (
    CurveFigure,
    Number,
    QuickOrFull,
    SummaryTable,
    Sweep,
    claim_factory,
    judged_statement,
    largest,
    mean,
    metric,
    within,
)
from penstock.reproduce.label_values import ValueRange
from penstock.results.condition import Condition
from penstock.results.sample import RunSample
from penstock.scenario.document import Document

claim = claim_factory(__file__)

RATE = "10Mbit"  # of the congested link (decision: half of it is a point of the sweep, 9.2 Mb/s its end)
IN_RATES = [0.0, *(round(0.2 + 0.6 * k, 1) for k in range(16))]
"""Mb/s in profile, 0.0 to 9.2 in steps of 0.6 (Section 3.1); 9.2 is no multiple of 0.6, so 0, and 0.2 + 0.6 k."""
HALF = 5.0  # Mb/s in profile: half of the link (Section 3.6), where the queues are drawn (decision)
LEVEL_1 = (15, 45, 0.1)  # min_th, max_th in packets and max_p out of profile (Section 3.1)
NEVER = (1e6, 2e6, 0.1)  # in profile: "large enough" never to be dropped (Section 3.1)
STRATEGIES = ("DA", "DFQ")
Tcp = Literal["reno", "newreno", "sack"]
SETTINGS: Mapping[str, tuple[Tcp, str]] = {
    "Reno, strict": ("reno", "strict"),  # Section 3.2
    "SACK, strict": ("sack", "strict"),  # Section 3.3
    "Reno, gentle": ("reno", "gentle"),  # Section 3.4
    "SACK, gentle": ("sack", "gentle"),  # Section 3.5
}
STARTS = {"uniform": ["0s", "5s"]}  # Section 3.1
SENDERS = ("fromA", "fromB")
EMPTY = 0.036  # s: the mean round trip of A (40 ms) and B (32 ms) without queues

Edge = Mapping[str, Any]


def wred(strategy: str, form: str, **more: Any) -> ps.Queue:
    """WRED that drops arrivals (DA) or from the queue (DFQ), strict or gentle.

    W_q is the default of ns-2's RED (decision).
    """
    levels: dict[str, Any] = {
        "min_th": (NEVER[0], LEVEL_1[0]),
        "max_th": (NEVER[1], LEVEL_1[1]),
        "max_p": (NEVER[2], LEVEL_1[2]),
        "w_q": 0.002,
        "gentle": form == "gentle",
        **more,
    }
    return ps.Wred(**levels) if strategy == "DA" else ps.WredDfq(**levels)


def tsw(rate: str, window: str = "1s", *, spread: bool = False) -> Edge:
    """The conditioner of figures 4 to 15, as in RFC 2859: a window of 1 s, independent random tags (decision)."""
    spaced = {"spread": True} if spread else {}
    return {"kind": "tsw", "rate": rate, "window": window, **spaced, "in": "AF11", "out": "AF12"}


def ns2_tsw(rate: str) -> Edge:
    """The first TSW of ns-2, after Clark and Fang: a window of 10 s, and packets out of profile spaced evenly."""
    return tsw(rate, "10s", spread=True)


def token_bucket(rate: str) -> Edge:
    """A pure token bucket (footnote 6)."""
    return {"kind": "token-bucket", "rate": rate, "in": "AF11", "out": "AF12"}


def car(rate: str) -> Edge:
    """Committed access rate with the recommended bursts (footnote 6)."""
    return {"kind": "car", "rate": rate, "conform": "AF11", "exceed": "AF12"}


ALL_OUT: Edge = {"kind": "classify", "classes": [{"name": "all", "action": "AF12"}]}
"""Nothing in profile; conditioners do not accept a rate of 0."""
CONDITIONERS: Mapping[str, Callable[[str], Edge]] = {
    "TSW": tsw,
    "TSW of ns-2": ns2_tsw,
    "TSW of 10 s": lambda rate: tsw(rate, "10s"),
    "TSW spread": lambda rate: tsw(rate, spread=True),
    "token bucket": token_bucket,
    "CAR": car,
}
UNTAGGED = "CS0"
"""Codepoint of acknowledgements on the congested link. They are not tagged, and WRED treats untagged packets as out of
profile (decision)."""


def network(
    queue: ps.Queue,
    tcp: Tcp,
    in_rate: float,
    *,
    conditioner: str = "TSW",
    acks: str = UNTAGGED,
    receivers: tuple[str, str] = ("10us", "100us"),
) -> ps.Scenario:
    """Figure 3: 16 transfers from A and B to eight receivers, and others in the direction of their acknowledgements.

    `in_rate` is in Mb/s, half of it for each of A and B. Measured from 10 s on (Section 3.1). `acks` is the codepoint
    of the acknowledgements on the congested link; `receivers` is the range of delays of the receivers' links.
    """
    edge = [CONDITIONERS[conditioner](f"{in_rate / 2:g}Mbit") if in_rate else ALL_OUT]
    sinks = [f"{router}.{i}" for router in ("r1", "r2") for i in range(4)]
    return ps.Scenario(
        name=f"Bodin and Schelen, {in_rate:g} Mb/s in profile",
        duration="130s",
        warmup="10s",
        sampling="50ms",
        links={
            "core": ps.Link(from_="R4", to="R3", rate=RATE, delay="10ms", queue=queue, watch=True),
            "hostA": ps.Link(from_="A", to="R4", rate="100Mbit", delay="5ms", edge=edge),
            "hostB": ps.Link(from_="B", to="R4", rate="100Mbit", delay="1ms", edge=edge),
            "branch1": ps.Link(from_="R3", to="R1", rate="100Mbit", delay="5ms"),
            "branch2": ps.Link(from_="R3", to="R2", rate="100Mbit", delay="5ms"),
            "near": _receiver("R1", "r1.{i}", receivers),
            "far": _receiver("R2", "r2.{i}", receivers),
            "clientC": _client("C", "R1"),
            "clientD": _client("D", "R2"),
            "sinks": ps.Link(count=4, from_="R4", to="t{i}", rate="100Mbit", delay="1ms"),
        },
        traffic={
            "fromA": _ftp(tcp, 8, "A", sinks),
            "fromB": _ftp(tcp, 8, "B", sinks),
            "reverse": replace(_ftp(tcp, 4, ["C", "D"], [f"t{i}" for i in range(4)]), dscp=acks),
        },
    )


def _receiver(router: str, name: str, delays: tuple[str, str]) -> ps.Link:
    """Rate and delay change twice a second (Section 3.1); the values are a decision."""
    change = {"every": "500ms", "rate": {"uniform": ["22Mbit", "32Mbit"]}, "delay": {"uniform": list(delays)}}
    return ps.Link(count=4, from_=router, to=name, rate="27Mbit", delay="55us", change=[change])


def _client(name: str, router: str) -> ps.Link:
    """One of the two links other than the congested one that may drop (Section 3.1); rate and buffer are a decision."""
    return ps.Link(from_=name, to=router, rate="2Mbit", delay="5ms", queue=ps.DropTail(limit="20p"))


def _ftp(tcp: Tcp, count: int, source: str | Sequence[str], to: Sequence[str]) -> ps.Tcp:
    """Endless transfers with the TCP of ns-2 in 2001; 1000 bytes of data and 40 of headers (decision)."""
    return ps.Tcp(
        count=count, from_=source, to=to, flavour=tcp, profile="ns2-2001", packet="1000B", headers="40B", window=10_000,
        start=STARTS,
    )  # fmt: skip


def scenario(setting: str, strategy: str, x: float, **more: Any) -> ps.Scenario:
    """One strategy in one setting, at `x` Mb/s in profile."""
    tcp, form = SETTINGS[setting]
    return network(wred(strategy, form), tcp, x, **more)


def victim_scenario(victim: Any, setting: str, x: float = HALF, **more: Any) -> ps.Scenario:
    """DFQ with a victim other than the last packet out of profile."""
    tcp, form = SETTINGS[setting]
    return network(wred("DFQ", form, victim=victim), tcp, x, **more)


earlier_timer = tcp_change(min_rto="200ms")
"""The minimum timeout of ns-2 before May 2001, two ticks of 0.1 s; later versions have 1 s."""


def with_ns2_tagger(document: Document) -> Document:
    """The tagger of ns-2 after Clark and Fang instead of the tagger of RFC 2859; token buckets are kept."""
    for host in ("hostA", "hostB"):
        edge = document.tree["links"][host]["edge"]
        spaced = [
            {**conditioner, "window": "10s", "spread": True} if conditioner["kind"] == "tsw" else conditioner
            for conditioner in edge
        ]
        document = document.set(f"links.{host}.edge", spaced)
    return document


def with_acks_in_profile(document: Document) -> Document:
    """Acknowledgements that are tagged as in profile."""
    return document.set("traffic.reverse.dscp", "AF11")


def reconstructed(document: Document) -> Document:
    """The author's set-up as reconstructed: see the README."""
    return with_ns2_tagger(earlier_timer(document))


def run_span(quick: str) -> QuickOrFull[tuple[str, str]]:
    """130 s, the first 10 s of which are discarded (Section 3.1)."""
    return QuickOrFull((quick, "10s"), ("130s", "10s"))


def average_sweep(
    base: Callable[..., ps.Scenario], vary: Mapping[str, Any], seeds: Any = 5, quick: str = "20s"
) -> Sweep:
    """Runs that keep the average queue; `quick` is their duration in a quick reproduction."""
    return Sweep(base, vary, seeds=seeds, span=run_span(quick), keep=of_average)


def strategy_sweep(*settings: str) -> Sweep:
    """Both strategies in these settings over the whole sweep, 32 runs of 130 s (Section 3.1)."""
    axes = {"setting": settings, "strategy": STRATEGIES, "x": QuickOrFull([0.2, HALF, 8.6], IN_RATES)}
    return average_sweep(scenario, axes, QuickOrFull(5, 32), "40s")


def of_average(run: ps.Run) -> dict[str, Any]:
    """avg_ql after the warm-up: mean, sd, range, time above max_th(1), upward crossings, and its values over time."""
    at, values = run.over_time("core", "avg")
    part = values[at > 10.0]
    seconds = np.ceil(at / 0.25).astype(int)
    course = [round(float(values[seconds == second].mean()), 3) for second in range(41, int(seconds.max()) + 1)][:160]
    return {
        "avg_mean": float(part.mean()),
        "avg_sd": float(part.std()),
        "extent": float(part.max() - part.min()),
        "above": float((part > 45).mean()),
        "passes": int(((part[1:] > 45) & (part[:-1] <= 45)).sum()),
        "course": course,
    }


def measure(run: ps.Run) -> dict[str, float | None]:
    """Losses as fractions of arrivals, payload in bit/s, average in packets, delays in s, timeouts in 1/s.

    Numbers with `out` count packets of A and B tagged out of profile; acknowledgements have no tag.
    """
    core, record = run.links["core"], run.raw["kept"]
    sent, lost, timeouts, goodput = (
        sum(float(run.traffic[name][metric]) for name in SENDERS)
        for metric in ("sent_pkts", "lost_pkts", "timeouts", "goodput_bps")
    )
    out, untagged = (core.get(f"dscp_{name}_arrivals", 0) for name in ("af12", "default"))
    runs = [np.asarray(run.traffic[name]["loss_run_pmf"], dtype=float) for name in SENDERS]
    return {
        "loss": lost / sent,
        **({"loss_out": core["dscp_af12_loss_rate"]} if out else {}),
        **({"loss_ack": core["dscp_default_loss_rate"]} if untagged else {}),
        "lost_in": core.get("dscp_af11_drops", 0),
        "out_share": out / sent,
        "goodput": goodput,
        "utilization": core.utilization,
        "timeouts": timeouts / run.measured_s,
        "at_one_rtt": lost / sent * (1 + (core.delay_mean_s or 0.0) / EMPTY) ** 2,
        "delay_mean": core.delay_mean_s,
        "delay_sd": core.delay_sd_s,
        "burst": _mean(core["burst_loss_pmf"]),
        "burst_out": _mean(core.get("dscp_af12_burst_loss_pmf", ())),
        "loss_run": float(np.mean([_mean(pmf) for pmf in runs])),
        **{name: record[name] for name in ("avg_mean", "avg_sd", "extent", "above", "passes")},
    }


def measure_with_course(run: ps.Run) -> dict[str, float | None]:
    """The same numbers and, for the first run at half of the link, the average over time."""
    drawn = run.seed == 1 and run.scenario["name"].endswith(f" {HALF:g} Mb/s in profile")
    course = run.raw["kept"]["course"] if drawn else []
    return {**measure(run), **{f"avg@{10 + 0.25 * index:g}": value for index, value in enumerate(course)}}


def _mean(shares: Sequence[float] | np.ndarray) -> float:
    """The mean of a distribution over 1, 2, 3, ..."""
    pmf = np.asarray(shares, dtype=float)
    return float((pmf * np.arange(1, len(pmf) + 1)).sum() / pmf.sum()) if pmf.sum() > 0 else float("nan")


loss = metric("loss")
loss_out = metric("loss_out", says="loss out of profile")
throughput = metric("goodput", "bit/s", "throughput")
average = metric("avg_mean", "packets", "mean of avg_ql")
swing = metric("avg_sd", "packets", "sd of avg_ql")
time_above = metric("above", says="share of time above 45")
delay_sd = metric("delay_sd", "s", "sd of the queueing delay")


def under_da(number: Number) -> Number:
    """A number with arrivals dropped."""
    return number(strategy="DA")


def under_dfq(number: Number) -> Number:
    """The number in the cells with the strategy DFQ (drops from the queue)."""
    return number(strategy="DFQ")


def _apart(above: RunSample, below: RunSample) -> Condition:
    estimate = below.summary
    return above > (math.nan if estimate is None or estimate.ci95 is None else estimate.ci95[1])


lack = (under_dfq(throughput) - under_da(throughput)).along("x", mean)
"""Throughput of DFQ minus that of DA, mean over the sweep."""
wider = judged_statement(_apart, under_da(swing), under_dfq(swing), text="{} > {}, intervals disjoint")
WHOLE = {"x": IN_RATES[-1]}
"""Only full runs have this label; claims about the whole sweep need full runs."""
ENDS = ValueRange("<= 0.8 or >= 8.6", lambda x: not 0.8 < x < 8.6)
MUCH = 8.0  # Mb/s in profile: with the tagger of RFC 2859 a fifth of the packets is out of profile
AT_MUCH = "at 8 Mb/s, where a fifth is out of profile"
FOR_ITS_ROUND_TRIP = "losses corrected for the round trip, since the loss that TCP needs falls with its square"


def excess_over_ends(number: Number) -> Number:
    """The largest value of a number between the ends of the sweep, minus the largest at the ends."""
    return number(x=within(1.4, 8.0)).along("x", largest) - number(x=ENDS).along("x", largest)


def sweep_figure(y: str, label: str, by: str = "strategy", scale: float = 1.0, **where: str) -> CurveFigure:
    """A figure over the sweep, a line for each strategy or value of another label."""
    return CurveFigure("x", y, by, labels=("in profile (Mb/s)", label), scale=scale, where=where)


def losses(setting: str) -> CurveFigure:
    """A figure of both losses over the sweep, of all packets and of those out of profile, for each strategy."""

    def lines(labels: Mapping[str, Any]) -> dict[str, str]:
        return {f"{labels['strategy']}, all": "loss", f"{labels['strategy']}, out of profile": "loss_out"}

    return CurveFigure("x", lines, labels=("in profile (Mb/s)", "loss (%)"), scale=100, where={"setting": setting})


def draw_course(setting: str, summary: SummaryTable) -> Figure:
    """avg_ql of the first run at half of the link, a line for each strategy."""
    lines = {name: course_of(summary, "avg", setting=setting, strategy=name, x=HALF) for name in STRATEGIES}
    return draw_over_time(lines, "avg_ql (packets)", levels=LEVEL_1[:2])
