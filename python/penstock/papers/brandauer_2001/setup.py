"""The common set-up of the experiments of Brandauer et al.; section numbers refer to their paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

import penstock as ps
from penstock.model.design import RedSettings
from penstock.reproduce.changes import combined_change, queue_change, tcp_change, traffic_change
from penstock.reproduce.effort import Change
from penstock.reproduce.figure import (
    CurveFigure,
    QuickOrFull,
    Readings,
    ReproductionEffort,
    Study,
    SummaryTable,
    Sweep,
    claim_factory,
    metric,
)
from penstock.scenario.document import Document

claim = claim_factory(__file__)

RATE_BPS = 10e6  # of the bottleneck (Section 3.2)
UDP_BPS, UDP_SOURCES, UDP_LOSS = 1e6, 4, 0.02  # (Section 3.4); the estimate of the loss is a decision
PACKET = 1514  # bytes of a TCP packet on the wire (Section 3.2), of which 54 are headers
HEADERS = 54
SIZES = [1400, 1476, 1552, 1628]  # bytes: "evenly distributed from 1400 to 1628" (Section 3.3), as many flows of each
HOSTS = ["H1", "H2", "H3", "H4"]  # 20, 40, 60 and 80 ms away (Section 3.2)
SINKS = ["H5", "H6", "H7", "H8"]
PROPAGATION = 0.150  # seconds: the mean round trip without queueing (Section 3.2)
FLOWS = [16, 32, 64, 128, 256]  # 16 to 256 (Section 4)
SESSIONS = [800, 1000, 1200, 1400]  # (Section 5)
SCHEMES = ["TD", "REDstd", "GREDstd", "REDopt"]
RED = SCHEMES[1:]
STANDARD = ["REDstd", "GREDstd"]
EQUAL = 1.03
"""Largest ratio of two equal goodputs: "practically equal" (Section 4), "no significant differences" (Section 6)."""
TAIL = [*range(1, 21), 30, 50, 100]  # k of P(N > k)
FTP_SPAN = QuickOrFull(("150s", "50s"), ("500s", "100s"))
"""Duration and warm-up: 500 s, the first 100 s of which are discarded (Section 3.2)."""
WEB_SPAN = QuickOrFull(("400s", "50s"), ("5000s", "100s"))
"""5000 s, the first 100 s of which are discarded (Section 3.3)."""


class RedDesign(NamedTuple):
    """RED's settings for a load, with lengths in whole packets."""

    buffer: int
    """Buffer of the link, in packets."""
    min_th: float
    max_th: float
    max_p: float
    w_q: float


def redopt(flows: float | np.ndarray, b: int = 1) -> RedSettings:
    """REDopt's settings for a number of flows and 10 % of UDP (Sections 3.2 and 4).

    `b` is the number of packets for each acknowledgement: 1 in the simulation, 2 in the testbed.
    """
    packets = 8 * PACKET
    tcp = RATE_BPS - UDP_BPS * (1 - UDP_LOSS)
    return ps.model.redopt(
        flows, RATE_BPS / packets, PROPAGATION, tcp_capacity=tcp / packets, b=b, min_rto=0.2, margin=1.1
    )


def redopt_in_packets(flows: float, b: int = 1) -> RedDesign:
    """REDopt's settings, with buffer and thresholds in whole packets."""
    settings = redopt(flows, b)
    buffer, min_th, max_th = (round(float(x)) for x in (settings.buffer, settings.min_th, settings.max_th))
    return RedDesign(buffer, min_th, max_th, min(float(settings.max_p), 1.0), float(settings.w_q))


def queue(scheme: str, at: RedDesign, **changes: Any) -> ps.Queue:
    """A queue of the named mechanism with REDopt's buffer (Section 4): with the standard settings, or REDopt's own."""
    limit = f"{at.buffer}p"
    if scheme == "TD":
        return ps.DropTail(limit=limit)
    low, high = thresholds(scheme, at)
    max_p, w_q = (at.max_p, at.w_q) if scheme == "REDopt" else (0.1, 0.002)
    settings: dict[str, Any] = {
        "limit": limit, "mean_packet": f"{PACKET}B", "min_th": low, "max_th": high, "max_p": max_p, "w_q": w_q,
    }  # fmt: skip
    if scheme == "GREDstd":
        settings |= {"gentle": True, "gentle_top": "buffer"}
    return ps.Red(**{**settings, **changes})


def thresholds(scheme: str, at: RedDesign) -> tuple[float, float]:
    """min_th and max_th of a variant of RED, in packets."""
    return (at.min_th, at.max_th) if scheme == "REDopt" else (3 / 20 * at.buffer, 13 / 20 * at.buffer)


def network(name: str, discipline: ps.Queue, traffic: Mapping[str, ps.Traffic], span: tuple[str, str]) -> ps.Scenario:
    """Figure 2 (b): hosts of 100 Mb/s and unequal delay, one bottleneck of 10 Mb/s and 100 ms; no other link drops.

    Delays are in the forward direction only, so that round trips are 120 to 180 ms (Section 3.2). `span` is duration
    and warm-up.
    """
    back = ps.Reverse(delay="0ms")
    hosts = {
        f"host{i + 1}": ps.Link(from_=host, to="R0", rate="100Mbit", delay=f"{20 * (i + 1)}ms", reverse=back)
        for i, host in enumerate(HOSTS)
    }
    sinks = {f"sink{i + 1}": ps.Link(from_="R3", to=sink, rate="100Mbit", delay="0ms") for i, sink in enumerate(SINKS)}
    udp = ps.Cbr(
        count=UDP_SOURCES, from_=HOSTS, to=SINKS, rate=f"{UDP_BPS / UDP_SOURCES:g}bit", packet="573B", headers="0B",
        phase="random",
    )  # fmt: skip
    return ps.Scenario(
        name=f"Brandauer et al.: {name}",
        duration=span[0],
        warmup=span[1],
        links={
            "bottleneck": ps.Link(
                from_="R1", to="R2", rate="10Mbit", delay="100ms", reverse=back, queue=discipline, watch=True
            ),
            "left": ps.Link(from_="R0", to="R1", rate="100Mbit", delay="0ms"),
            "right": ps.Link(from_="R2", to="R3", rate="100Mbit", delay="0ms"),
            **hosts,
            **sinks,
        },
        traffic={"udp": udp, **traffic},
    )


def ftp_scenario(flows: int, discipline: ps.Queue, span: tuple[str, str] = FTP_SPAN.full) -> ps.Scenario:
    """Everlasting SACK flows, spread over the hosts (Section 3.4); packets of four sizes."""
    groups = {
        f"tcp{size}": ps.Tcp(
            count=flows // len(SIZES), flavour="sack", profile="ns2", from_=HOSTS, to=SINKS, window=10_000,
            initial_window=1, headers=f"{HEADERS}B", start={"uniform": ["0s", "10s"]}, min_rto="1s",
            packet=f"{size - HEADERS}B",
        )
        for size in SIZES
    }  # fmt: skip
    return network(f"{flows} flows", discipline, groups, span)


def web_scenario(
    sessions: int, discipline: ps.Queue, option: int = 0, span: tuple[str, str] = WEB_SPAN.full
) -> ps.Scenario:
    """Sessions of pages with objects (Section 3.4, after Feldmann et al.); every object is a new connection."""
    traffic = ps.Web(
        sessions=sessions, flavour="sack", profile="ns2", from_=HOSTS, to=SINKS, packet=f"{PACKET - HEADERS}B",
        headers=f"{HEADERS}B", window=10_000, initial_window=1, min_rto="1s", option=1 if option else 0,
        start={"uniform": ["0s", "10s"]},
    )  # fmt: skip
    return network(f"{sessions} sessions", discipline, {"web": traffic}, span)


# ---- studies --------------------------------------------------------------------------------------------------------

OPTIONS = {0: "", 1: "a page follows the end of the previous page, not its start"}
"""ns-2 has had the second since 21 November 2001, four months after the paper."""
OPTION = Readings(OPTIONS)
LOADS = QuickOrFull([16, 64, 256], FLOWS)
WEB_LOADS = QuickOrFull([800, 1200, 1400], SESSIONS)
PAGES = QuickOrFull([0], list(OPTIONS))
RUNS = QuickOrFull(5, 10)  # 10 runs (Section 3.2)
WEB_RUNS = QuickOrFull(5, 30)
"""Section 3.3 has 50 runs. Intervals of 30 are 1.3 times as wide, and decide every claim as the recorded 50 do."""


def combined_readings(words: str) -> Readings:
    """Both readings of a web page as values of a label, each combined with the reading that `words` describes."""
    return Readings({option: "; ".join(filter(None, [text, words])) for option, text in OPTIONS.items()})


def redopt_ftp_scenario(scheme: str, flows: int) -> ps.Scenario:
    """Everlasting flows and a mechanism with REDopt's buffer for their number."""
    return ftp_scenario(flows, queue(scheme, redopt_in_packets(flows)))


ftp_runs = partial(Sweep, seeds=RUNS, span=FTP_SPAN)
everlasting = ftp_runs(redopt_ftp_scenario, {"scheme": SCHEMES, "flows": LOADS})
"""Every mechanism and number of flows."""

first_pass_of = partial(
    Sweep,
    lambda option, sessions: web_scenario(sessions, queue("REDstd", redopt_in_packets(64)), option),
    seeds=RUNS,
    span=WEB_SPAN,
)
first_pass = first_pass_of({"option": PAGES, "sessions": WEB_LOADS})
"""The runs with standard RED that measure the number of active flows (Section 3.4)."""


def redopt_designs_for_web(effort: ReproductionEffort) -> Mapping[tuple[int, int], RedDesign]:
    """REDopt's settings for web traffic, from the mean number of active flows (Section 3.4).

    The keys are the `option` of the web traffic and the number of sessions.
    """
    active = effort.table(first_pass(effort), measure)
    return {(at["option"], at["sessions"]): redopt_in_packets(numbers["active"].mean) for at, numbers in active.cells}


def web_study(effort: ReproductionEffort, schemes: Sequence[str] = SCHEMES) -> Study:
    """Every mechanism and number of sessions; 10 runs of the other reading of a page."""
    designs = redopt_designs_for_web(effort)

    def scenario(option: int, scheme: str, sessions: int) -> ps.Scenario:
        return web_scenario(sessions, queue_of(scheme, designs[option, sessions]), option)

    axes: Mapping[str, Any] = {"scheme": schemes, "sessions": WEB_LOADS}
    main = Sweep(scenario, {"option": [0], **axes}, seeds=WEB_RUNS, span=WEB_SPAN)
    return (main + Sweep(scenario, {"option": [1], **axes}, seeds=10, span=WEB_SPAN, only_full=True))(effort)


def queue_of(scheme: str, at: RedDesign) -> ps.Queue:
    """The queue of a mechanism, as from `queue`; "REDopt, w_q 0.002" is REDopt with the standard w_q."""
    name, _, weight = scheme.partition(", w_q ")
    return queue(name, at, w_q=float(weight)) if weight else queue(name, at)


# ---- the author's set-up -------------------------------------------------------------------------------------------

FRAME = 24  # bytes: checksum, preamble and gap of an Ethernet frame, which its 14 bytes of header do not count
TIMESTAMPS = 12  # bytes of a TCP header, as Linux sends them
LEAST_RTO = "200ms"
WEB_MAX_P, WEB_W_Q = 0.06, 0.0005
"""REDopt's max_p up to 1200 sessions, as 16.7 times it is at most 1; and a w_q below 0.002 (Section 5)."""

TESTBED = combined_change(
    tcp_change(
        packet=f"{PACKET - HEADERS - TIMESTAMPS}B", headers=f"{HEADERS + TIMESTAMPS + FRAME}B", min_rto=LEAST_RTO
    ),
    traffic_change(("cbr",), headers=f"{FRAME}B"),
    queue_change(("red",), spacing="count"),
)
"""Packets of 1514 bytes with timestamps, in frames of a 10 Mb/s Ethernet; losses spaced as in dummynet."""
LINUX_TODAY = tcp_change(profile="linux")
LINUX_2001 = combined_change(
    LINUX_TODAY,
    tcp_change(
        initial_window=2, counting="acks", prr="off", rack=False, tlp=False, offload=False, sack_delay="0s",
    ),
)  # fmt: skip
"""Linux without later additions: RFC 3465 (2003), 6928 and 6937 (2013), 8985 (2021), offload, delayed SACKs."""


def design_of_testbed(flows: int, *, spaced: bool = True) -> RedDesign:
    """REDopt's settings with two packets per acknowledgement.

    If `spaced`, max_p allows for dummynet's spacing of losses.

    At p_b the gaps between losses are uniform up to 1 / p_b, with a mean of (1 / p_b + 1) / 2 (S. Floyd, V. Jacobson,
    1993, Section 7, method 2). So p_b = p / (2 - p) loses a share of p. The model requires p = max_p / 2 midway between
    the thresholds.
    """
    at = redopt_in_packets(flows, 2)
    return at._replace(max_p=at.max_p / (2 - at.max_p / 2)) if spaced else at


def redopt_change(settings: Callable[[int], RedDesign]) -> Change:
    """A change of scenarios of everlasting flows that gives REDopt the `settings` for their number of flows."""

    def change(document: Document) -> Document:
        red = document.tree["links"]["bottleneck"]["queue"]
        if not _computed(red):
            return document
        at = settings(sum(group["count"] for group in document.tree["traffic"].values() if group["kind"] == "tcp"))
        return document.set("links.bottleneck.queue", {**red, "max_p": at.max_p, "w_q": at.w_q})

    return change


everlasting_reconstructed = combined_change(TESTBED, LINUX_2001, redopt_change(design_of_testbed))


def reconstructed(document: Document) -> Document:
    """The scenario in the author's set-up: testbed flows; for web, a minimum RTO of 0.2 s and a bounded REDopt."""
    if "web" not in document.tree["traffic"]:
        return everlasting_reconstructed(document)
    document = document.set("traffic.web.min_rto", LEAST_RTO)
    red = document.tree["links"]["bottleneck"]["queue"]
    if not _computed(red):
        return document
    max_p = red["max_p"] if document.tree["traffic"]["web"]["sessions"] > 1200 else min(red["max_p"], WEB_MAX_P)
    w_q = red["w_q"] if red["w_q"] == 0.002 else min(red["w_q"], WEB_W_Q)
    return document.set("links.bottleneck.queue", {**red, "max_p": max_p, "w_q": w_q})


def _computed(red: Mapping[str, Any]) -> bool:
    """Whether the settings are REDopt's, which are computed rather than round numbers.

    "REDopt, w_q 0.002" keeps its w_q.
    """
    return "max_p" in red and round(red["max_p"], 2) != red["max_p"]


# ---- numbers --------------------------------------------------------------------------------------------------------


def measure(run: ps.Run) -> dict[str, float | None]:
    """Goodput in Mb/s, UDP loss in percent, delay in ms, the queue, losses in a row, and the active connections.

    `carried` is the payload on the link in Mb/s: goodput, useless repeats of TCP, and UDP.

    `active`, the mean number of connections, is the rate of completed objects times their mean time (Little's law).
    """
    link, udp = run.links["bottleneck"], run.traffic["udp"]
    groups = [group for name, group in run.traffic.items() if name != "udp"]
    burst = np.asarray(link.burst_loss_pmf, dtype=float)
    lengths = np.arange(1, len(burst) + 1)
    limit = float(run.scenario["links"]["bottleneck"]["queue"]["limit"].rstrip("p"))
    numbers: dict[str, float | None] = {
        "goodput": sum(group.goodput_bps for group in groups) / 1e6,
        "carried": (sum(group.throughput_bps for group in groups) * (1 - HEADERS / PACKET) + udp.goodput_bps) / 1e6,
        "udp_loss": 100 * udp.loss_rate,
        "delay": 1e3 * link.delay_mean_s if link.delay_mean_s is not None else None,
        "sd": 1e3 * link.delay_sd_s if link.delay_sd_s is not None else None,
        "queue": link.length_mean_pkts,
        "filled": link.length_mean_pkts / limit,
        "utilization": 100 * link.utilization,
        "forced": link.drops_forced / link.arrivals,
        "in_a_row": float(lengths @ burst) if len(burst) else None,
        **{f"over_{k}": float(burst[k:].sum()) if len(burst) else 0.0 for k in TAIL},
    }
    if (web := run.traffic.get("web")) is not None:
        numbers["active"] = web.completed * (web.completion_mean_s or 0.0) / run.measured_s
        numbers["max_p"] = min(float(redopt(numbers["active"]).max_p), 1.0) if numbers["active"] else None
    return numbers


goodput, udp_loss = metric("goodput", "Mb/s"), metric("udp_loss", "%", "UDP loss")
delay, sd = metric("delay", "ms", "mean delay"), metric("sd", "ms", "sd of the delay")
mean_queue, filled = metric("queue", "packets", "mean queue"), metric("filled", says="mean queue / buffer")
in_a_row = metric("in_a_row", says="mean losses in a row")
over = {k: metric(f"over_{k}", says=f"P(N > {k})") for k in TAIL}
"""The probability of more than k losses in a row."""


def flows_figure(y: str, label: str) -> CurveFigure:
    """A figure of the metric `y` against the number of flows, as a panel of figure 3."""
    return CurveFigure("flows", y, "scheme", labels=("flows", label), log="x")


def sessions_figure(y: str, label: str) -> CurveFigure:
    """A figure of `y` against the number of web sessions, as a panel of figure 4, by the main reading of a page."""
    return CurveFigure("sessions", y, "scheme", labels=("sessions", label), where={"option": 0})


def draw_loss_run_tails(summary: SummaryTable, **where: Any) -> Figure:
    """Figure of P(N > k), N losses in a row, against k at one load, a line for each mechanism."""
    load = summary.where(**where)
    points = SummaryTable(
        ({"scheme": scheme, "k": k}, {"over": load(f"over_{k}", scheme=scheme)})
        for scheme in SCHEMES
        for k in TAIL
        if load(f"over_{k}", scheme=scheme).mean > 0
    )
    return CurveFigure("k", "over", "scheme", labels=("k", "P(more than k losses in a row)"), log="y")(points)
