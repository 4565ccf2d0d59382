"""Left open (Section VI): flows with and without ECN in one queue."""

from dataclasses import replace

from matplotlib.figure import Figure

import penstock as ps
from penstock.reproduce.figure import (
    Claim,
    CurveFigure,
    Number,
    QuickOrFull,
    Statement,
    SummaryTable,
    Sweep,
    formula,
    function_of_samples,
    metric,
    within,
)
from penstock.reproduce.label_values import ValueRange
from penstock.results.sample import RunSample

from . import step_load
from .constant import queue_law
from .open_qlaw import MIDDLE, NEAR, adaptive_queues
from .setup import LEFT_OPEN, PACKET, RTLD, dumbbell, service_rate, tcp_flows
from .step_load import MAX_P, MAX_TH, MIN_TH

PIPE = RTLD * service_rate()  # packets

ADAPTIVE = adaptive_queues(ecn=True)
QUEUES = {"RED": step_load.QUEUES["gentle RED-ECN"], **ADAPTIVE}
MARKED = queue_law("mark")
DROPPED = {"": queue_law("drop"), "windows with timeouts of 1 s": replace(queue_law("drop"), min_rto=1)}
"""The law of flows without ECN, by reading."""
TIMEOUTS = (
    "drops cost timeouts, marks none: with a second of silence for each that was measured it fits, the other reading"
)
MODELLED = "the model makes far more losses timeouts than NewReno has"
RAISED = "from 160 flows on the schemes that adapt raise their share of signals to hold flows whom no timeout stops"


def _scenario(queue: str, flows: int, ecn: int) -> ps.Scenario:
    count = {"ecn": flows * ecn // 100, "not": flows - flows * ecn // 100}
    kinds = {kind: replace(tcp_flows(flows), count=n, ecn=kind == "ecn") for kind, n in count.items() if n}
    return dumbbell(QUEUES[queue], kinds, "140s", "40s")


# Each queue, number of flows and share of flows that are ECN-capable (percent).
study = Sweep(
    _scenario,
    {
        "queue": QuickOrFull(["RED", "queue law"], list(QUEUES)),
        "flows": QuickOrFull([100], [40, 100, 160, 200]),
        "ecn": QuickOrFull([0, 50, 100], [0, 25, 50, 75, 100]),
    },
    seeds=QuickOrFull(5, 10),
    span=QuickOrFull(("40s", "15s"), ("140s", "40s")),
)


def measure(run: ps.Run) -> dict[str, float | None]:
    """Queue and signals; for each kind the goodput of a flow in percent of its fair share, and its timeouts in 1/s."""
    link, traffic = run.links["bottleneck"], run.scenario["traffic"]
    flows = sum(group["count"] for group in traffic.values())
    fair = service_rate() * 8 * (PACKET - 40) / flows
    of_kind = {kind: 100 * group.goodput_bps / traffic[kind]["count"] / fair for kind, group in run.traffic.items()}
    ends = {
        f"to_{kind}": group.timeouts / traffic[kind]["count"] / run.measured_s for kind, group in run.traffic.items()
    }
    return {
        "q": link.length_mean_pkts,
        "loss": link.loss_rate,
        "signals": link.loss_rate + link.mark_rate,
        "utilization": link.utilization,
        **of_kind,
        **ends,
        "ratio": of_kind["not"] / of_kind["ecn"] if len(of_kind) == 2 else None,
    }


def law_queue(flows: int, ecn: int, p: float, q: float, dropped: ps.model.QueueLaw) -> float:
    """Mean queue in packets by Equation 2, for flows with and without ECN together, at a share `p` of signals."""
    with_ecn = flows * ecn / 100
    windows = with_ecn * float(MARKED.window(p)) + (flows - with_ecn) * float(dropped.window(p, q)) / (1 + p)
    return windows - PIPE


def red_intersection(flows: int, ecn: int, dropped: ps.model.QueueLaw) -> float:
    """Mean queue in packets at which the law meets RED's share of signals, 2 p_b / (3 - p_b); by bisection."""
    low, high = 0.0, 2.0 * MAX_TH
    for _ in range(40):
        q = (low + high) / 2
        p_b = float(ps.model.red_control(q, MIN_TH, MAX_TH, MAX_P, gentle_top=2.0 * MAX_TH))
        enough = law_queue(flows, ecn, max(2 * p_b / (3 - p_b), 1e-6), q, dropped) > q
        low, high = (q, high) if enough else (low, q)
    return low


def law_goodput_ratio(p: float, q: float, dropped: ps.model.QueueLaw) -> float:
    """Goodput of a flow without ECN over that of a flow with ECN, by their windows and the lost packets."""
    return (1 - p) * float(dropped.window(p, q)) / float(MARKED.window(p))


q, loss, signals, ratio = metric("q", "packets"), metric("loss"), metric("signals"), metric("ratio")
to_not, to_ecn = metric("to_not"), metric("to_ecn")
MIXED = within(1, 99)
"""Shares of flows with ECN where there are both kinds."""
ADAPTS = ValueRange("that adapts", lambda queue: queue in ADAPTIVE)


def _within_a_tenth(number: Number) -> Statement:
    return number.between(0.9, 1.1)


def _red_meets(dropped: ps.model.QueueLaw, reading: str) -> Claim:
    meets = formula(lambda flows, ecn: red_intersection(flows, ecn, dropped), "the law")
    return Claim(
        "open-mixed-queue",
        "RED's queue is where the law of both kinds of flows meets it",
        _within_a_tenth((q + PIPE) / (meets + PIPE))(queue="RED"),
        "queue and link together within 10 %, each number of flows and share",
        reading=reading,
    )


def _ratio(dropped: ps.model.QueueLaw, reading: str, because: str = "", *, silence: bool = False) -> Claim:
    """The law with the windows of `dropped` for flows without ECN, and with a second of silence for each timeout."""

    def of_law(own: RunSample, p: RunSample, queue: RunSample, without: RunSample, with_ecn: RunSample) -> RunSample:
        law = law_goodput_ratio(p.mean, queue.mean, dropped)
        return own / (law * (1 - without.mean) / (1 - with_ecn.mean) if silence else law)

    return Claim(
        "open-mixed-ratio",
        "a flow without ECN has as much less than one with it as the law says at the measured signals",
        _within_a_tenth(function_of_samples(of_law, ratio, signals, q, to_not, to_ecn, text="{} / the law"))(ecn=MIXED),
        "ratio of their goodputs within 10 %, each scheme, number of flows and share",
        reading=reading,
        reason_text=because,
    )


WITH_TIMEOUTS = f"{LEFT_OPEN}; {list(DROPPED)[1]}"
CLAIMS = (
    _red_meets(DROPPED[""], LEFT_OPEN),
    _ratio(DROPPED[""], LEFT_OPEN, TIMEOUTS),
    _ratio(DROPPED[""], f"{LEFT_OPEN}; and a second of silence for each measured timeout", silence=True),
    _red_meets(DROPPED[list(DROPPED)[1]], WITH_TIMEOUTS),
    _ratio(DROPPED[list(DROPPED)[1]], WITH_TIMEOUTS, MODELLED),
    Claim(
        "open-mixed-middle",
        "schemes that adapt stay at the middle whatever the share of flows with ECN",
        (abs(q - MIDDLE) <= NEAR)(queue=ADAPTS),
        f"mean queue {MIDDLE} +- {NEAR} packets, each number of flows and share",
        reading=LEFT_OPEN,
    ),
    Claim(
        "open-mixed-loss",
        "with schemes that adapt losses fall as the share of flows without ECN does",
        _within_a_tenth(loss / loss(ecn=0) / formula(lambda ecn: 1 - ecn / 100, "share"))(queue=ADAPTS, ecn=MIXED),
        "loss over that without any ECN within a tenth of the share, each number of flows",
        reading=LEFT_OPEN,
    ),
    Claim(
        "open-mixed-fair",
        "flows with ECN take nothing to speak of from those without",
        metric("not", "%")(ecn=MIXED) >= 90,
        "a flow without ECN has at least 90 % of its fair share, each scheme, number of flows and share",
        reason_text=RAISED,
        reading=LEFT_OPEN,
    ),
)


def draw(summary: SummaryTable) -> Figure:
    """Figure of the goodput of a flow without ECN over that of a flow with ECN, and of the law without timeouts."""
    steered = summary.where(queue="queue law")

    def theory(flows: int, ecn: float) -> float:
        p, q = (steered(name, flows=flows, ecn=ecn).mean for name in ("signals", "q"))
        return law_goodput_ratio(p, q, DROPPED[""])

    labels = ("flows with ECN (%)", "goodput without ECN / with")
    return CurveFigure("ecn", "ratio", "flows", labels=labels, theory=theory)(steered)
