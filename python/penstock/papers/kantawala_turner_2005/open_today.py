"""Left open: DTDRR and DSDRR compared with later schemes, FQ-CoDel, CAKE and PIE, with old and current TCP."""

from collections.abc import Iterator
from dataclasses import replace

from matplotlib.figure import Figure

import penstock as ps
from penstock.plots import style
from penstock.reproduce.figure import Claim, QuickOrFull, SummaryTable, claims_if_measured, every, metric

from . import setup
from .setup import HELD, HOPS, SENDERS, TRIPS, Runs, Span, joined_studies, paper_study, queue, slow

LEFT_OPEN = "a question that the work leaves open"
NEW: dict[str, ps.Queue] = {"FQ-CoDel": ps.FqCoDel(), "CAKE": ps.Cake(), "PIE": ps.Pie()}  # with their own defaults
FAIR = ["FQ-CoDel", "CAKE"]  # those with a queue for each flow
OLD = {"DTDRR": "", "DSDRR": "", "DSDRR-W": HELD}
TCP = {"Reno": "", "CUBIC": "CUBIC as in Linux"}


def _queue(scheme: str, buffer: int) -> ps.Queue:
    return replace(NEW[scheme], limit=f"{buffer}p") if scheme in NEW else queue(scheme, buffer)


def _part(network: str, load: str, span: Span, sizes: list[int]) -> Runs:
    vary = {
        "tcp": QuickOrFull(["Reno"], list(SENDERS)),
        "scheme": QuickOrFull(["DTDRR", *FAIR], [*OLD, *NEW]),
        "buffer": QuickOrFull([1000], sizes),
    }
    labels = {"network": network, "load": load}
    return paper_study(vary, labels, seeds=QuickOrFull(2, 5), span=QuickOrFull(("5s", "3s"), span), discipline=_queue)


study = joined_studies(  # no queue marks; 200 and 1000 packets are 4.8 and 24 ms of the link
    _part(TRIPS, "long", ("50s", "20s"), [200, 1000]),
    full=[_part(TRIPS, "short", ("40s", "12s"), [1000]), _part(HOPS, "long", ("40s", "15s"), [1000])],
)


def measure(run: ps.Run) -> dict[str, float | None]:
    """The numbers of `setup.measure`, and the mean delay (ms) and Jain's index of the first bottleneck."""
    link = run.links["hop0"]
    return {
        **setup.measure(run),
        "jain": link.jain,
        "delay": 1000 * link.delay_mean_s,
        "delay95": 1000 * link.delay_p95_s,
    }


def _against(old: str, name: str, reading: str) -> Iterator[Claim]:
    """The claims that compare a scheme of the paper with today's schemes."""
    burst, jain, delay = (
        metric("burst_slow", "s", "slow bursts"),
        metric("jain", says="Jain's index"),
        metric("delay95", "ms", "95 % delay"),
    )
    for id_, says, holds in (
        (
            "goodput",
            f"with {old} long flows of the longer round trip have as much as with queues for each flow of today",
            (slow(scheme=old) - slow(scheme=FAIR) >= -5)(load="long"),
        ),
        (
            "even",
            f"{old} divides the link among long flows as evenly",
            (jain(scheme=old) - jain(scheme=FAIR) >= -0.02)(load="long"),
        ),
        (
            "delay",
            f"its price is delay: packets wait longer with {old}",
            (delay(scheme=old) > delay(scheme=FAIR))(load="long"),
        ),
        (
            "bursts",
            f"short transfers over the longer round trip are done as soon with {old}",
            (burst(scheme=old) / burst(scheme=FAIR) <= 1.1)(load="short"),
        ),
        (
            "pie",
            f"{old} beats PIE, which has one queue: flows of the longer round trip have more",
            every(
                (slow(scheme=old) > slow(scheme="PIE"))(load="long"),
                (burst(scheme=old) < burst(scheme="PIE"))(load="short"),
            ),
        ),
    ):
        for tcp, senders in TCP.items():
            words = "; ".join(word for word in (LEFT_OPEN, reading, senders) if word)
            yield Claim(f"open-{name}-{id_}", says, holds(tcp=tcp), reading=words)


CLAIMS = claims_if_measured(  # in quick mode flows over 200 ms have not reached their share
    {"network": HOPS},
    *(claim for old, reading in OLD.items() for claim in _against(old, old.lower().removesuffix("-w"), reading)),
)


def draw(summary: SummaryTable) -> Figure:
    """Figure of the goodput of the long flows of 200 ms against delay; per scheme, a line from 200 to 1000 packets."""
    part = summary.where(network=TRIPS, load="long")
    senders = part.axis("tcp")
    with style.figure_style():
        figure = Figure(figsize=(style.WIDTH * len(senders), 2.5), layout="constrained")
        lines: dict[str, object] = {}
        for ax, tcp in zip(figure.subplots(1, len(senders), squeeze=False).flat, senders, strict=True):
            for index, scheme in enumerate(part.axis("scheme")):
                at = [part.along("buffer", name, tcp=tcp, scheme=scheme) for name in ("delay95", "g_slow")]
                delay, goodput = ([point.mean for _, point in points] for points in at)
                (lines[scheme],) = ax.plot(delay, goodput, **style.line_style(index))
            ax.set_title(tcp, size=7)
            ax.set_xlabel("delay at the 95th percentile (ms)")
            ax.set_ylabel("goodput, 200 ms (%)")
        style.add_legend(figure, 6, lines)
    return figure
