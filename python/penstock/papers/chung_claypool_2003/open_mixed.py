"""Left open (Section VI): flows with and without ECN in one queue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.chung_claypool_2003.open_qlaw import LEFT_OPEN, MIDDLE, NEAR
from penstock.papers.chung_claypool_2003.setup import PACKET, dumbbell, service_rate
from penstock.papers.chung_claypool_2003.step_load import MAX_P, MAX_TH, MIN_TH
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import SummaryTable
from penstock.results.table import Table
from penstock.studies.study import Study
from penstock.units import parse_time

RATE, RTLD = "20Mbit", 0.080
PIPE = RTLD * service_rate(RATE)  # packets

QUEUES: Mapping[str, ps.Queue] = {
    "RED": ps.Red(limit="500p", min_th=MIN_TH, max_th=MAX_TH, max_p=MAX_P, w_q=0.002, gentle=True, ecn=True),
    "A-RED": ps.AredFloyd(limit="500p", min_th=MIN_TH, max_th=MAX_TH, w_q=0.002, max_p_low=0.001, ecn=True),
    "queue law": ps.Qlaw(limit="500p", min_th=MIN_TH, max_th=MAX_TH, w_q=0.002, ecn=True),
}
ADAPTIVE = ["A-RED", "queue law"]
MARKED = ps.model.QueueLaw(rtld=RTLD, service_rate=service_rate(RATE), signal="mark")
DROPPED = {
    "": ps.model.QueueLaw(rtld=RTLD, service_rate=service_rate(RATE)),
    "windows with timeouts of 1 s": ps.model.QueueLaw(rtld=RTLD, service_rate=service_rate(RATE), min_rto=1),
}
"""The law of flows without ECN, by the reading that it is."""
TIMEOUTS = (
    "drops cost timeouts, marks none: with a second of silence for each that was measured it fits, the other reading"
)
MODELLED = "the model makes far more losses timeouts than NewReno has"
RAISED = "from 160 flows on the schemes that adapt raise their share of signals to hold flows whom no timeout stops"


def study(effort: Effort) -> Study:
    """Each queue, number of flows and share of flows that are ECN-capable (percent)."""
    duration, warmup = effort.choose(("40s", "15s"), ("140s", "40s"))

    def scenario(queue: str, flows: int, ecn: int) -> ps.Scenario:
        alike = dumbbell(QUEUES[queue], flows, rate=RATE, rtld=RTLD, duration=duration, warmup=warmup)
        count = {"ecn": flows * ecn // 100, "not": flows - flows * ecn // 100}
        bulk = alike.traffic["bulk"]
        assert isinstance(bulk, ps.Tcp)
        kinds = {kind: replace(bulk, count=n, ecn=kind == "ecn") for kind, n in count.items() if n}
        return replace(alike, traffic=kinds)

    return Study(
        scenario,
        {
            "queue": effort.choose(["RED", "queue law"], list(QUEUES)),
            "flows": effort.choose([100], [40, 100, 160, 200]),
            "ecn": effort.choose([0, 50, 100], [0, 25, 50, 75, 100]),
        },
        seeds=effort.choose(5, 10),
    )


def measure(run: ps.Run) -> dict[str, float | None]:
    """The queue, its signals; of each kind a flow's goodput in percent of its fair share, and timeouts a second."""
    link, traffic = run.links["bottleneck"], run.scenario["traffic"]
    flows = sum(group["count"] for group in traffic.values())
    fair = service_rate(RATE) * 8 * (PACKET - 40) / flows
    of_kind = {kind: 100 * group.goodput_bps / traffic[kind]["count"] / fair for kind, group in run.traffic.items()}
    seconds = parse_time(run.scenario["duration"]) / 1e9 - parse_time(run.scenario["warmup"]) / 1e9
    ends = {f"to_{kind}": group.timeouts / traffic[kind]["count"] / seconds for kind, group in run.traffic.items()}
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
    """Equation 2 for both kinds at once: what their windows leave to the queue, at a share `p` of signals."""
    with_ecn = flows * ecn / 100
    windows = with_ecn * float(MARKED.window(p)) + (flows - with_ecn) * float(dropped.window(p, q)) / (1 + p)
    return windows - PIPE


def red_meets(flows: int, ecn: int, dropped: ps.model.QueueLaw) -> float:
    """The queue at which this meets RED, whose spacing makes signals of 2 p_b / (3 - p_b); by halving."""
    low, high = 0.0, 2.0 * MAX_TH
    for _ in range(40):
        q = (low + high) / 2
        p_b = float(ps.model.red_control(q, MIN_TH, MAX_TH, MAX_P, gentle_top=2.0 * MAX_TH))
        enough = law_queue(flows, ecn, max(2 * p_b / (3 - p_b), 1e-6), q, dropped) > q
        low, high = (q, high) if enough else (low, q)
    return low


def law_ratio(p: float, q: float, dropped: ps.model.QueueLaw) -> float:
    """Goodput of a flow without ECN over that of one with it: their windows, less what is lost."""
    return (1 - p) * float(dropped.window(p, q)) / float(MARKED.window(p))


def claims(table: Table) -> Iterator[Claim]:
    """What comes out."""
    points = [(queue, n) for queue in table.axis("queue") for n in table.axis("flows")]
    adaptive = [(queue, n) for queue, n in points if queue in ADAPTIVE]
    mixed = [ecn for ecn in table.axis("ecn") if 0 < ecn < 100]
    for timeouts, dropped in DROPPED.items():
        yield from _of_the_law(table, points, mixed, dropped, f"{LEFT_OPEN}; {timeouts}" if timeouts else LEFT_OPEN)
    yield Claim(
        id="open-mixed-middle",
        says="schemes that adapt stay at the middle whatever the share of flows with ECN",
        expected=f"mean queue {MIDDLE} +- {NEAR} packets, each number of flows and share",
        reading=LEFT_OPEN,
        holds=all_of(
            (abs(table("q", queue=queue, flows=n, ecn=ecn) - MIDDLE) <= NEAR).at(f"{queue}, {n} flows, {ecn} %")
            for queue, n in adaptive
            for ecn in table.axis("ecn")
        ),
    )
    yield Claim(
        id="open-mixed-loss",
        says="with schemes that adapt losses fall as the share of flows without ECN does",
        expected="loss over that without any ECN within a tenth of the share, each number of flows",
        reading=LEFT_OPEN,
        holds=all_of(
            (_loss(table, queue, n, ecn) / (1 - ecn / 100)).between(0.9, 1.1).at(f"{queue}, {n} flows, {ecn} %")
            for queue, n in adaptive
            for ecn in mixed
        ),
    )
    yield Claim(
        id="open-mixed-fair",
        says="flows with ECN take nothing to speak of from those without",
        expected="a flow without ECN has at least 90 % of its fair share, each scheme, number of flows and share",
        reading=LEFT_OPEN,
        because=RAISED,
        holds=all_of(
            (table("not", queue=queue, flows=n, ecn=ecn) >= 90).at(f"{queue}, {n} flows, {ecn} %")
            for queue, n in points
            for ecn in mixed
        ),
    )


def _loss(table: Table, queue: str, flows: int, ecn: int) -> Sample:
    return table("loss", queue=queue, flows=flows, ecn=ecn) / table("loss", queue=queue, flows=flows, ecn=0)


def _of_the_law(
    table: Table, points: list[tuple[str, int]], mixed: list[int], dropped: ps.model.QueueLaw, reading: str
) -> Iterator[Claim]:
    """What the law says of both kinds, with the windows of `dropped` for those without ECN."""
    yield Claim(
        id="open-mixed-queue",
        says="RED's queue is where the law of both kinds of flows meets it",
        expected="queue and link together within 10 %, each number of flows and share",
        reading=reading,
        holds=all_of(
            ((table("q", queue="RED", flows=n, ecn=ecn) + PIPE) / (red_meets(n, ecn, dropped) + PIPE))
            .between(0.9, 1.1)
            .at(f"{n} flows, {ecn} %")
            for queue, n in points
            for ecn in table.axis("ecn")
            if queue == "RED"
        ),
    )

    def of_law(queue: str, n: int, ecn: int) -> float:
        p, q = (table(name, queue=queue, flows=n, ecn=ecn).mean for name in ("signals", "q"))
        return law_ratio(p, q, dropped)

    def of_timeouts(queue: str, n: int, ecn: int) -> float:
        silent = [table(name, queue=queue, flows=n, ecn=ecn).mean for name in ("to_not", "to_ecn")]
        return of_law(queue, n, ecn) * (1 - silent[0]) / (1 - silent[1])

    kinds = {"": (of_law, TIMEOUTS if dropped.min_rto is None else MODELLED)}
    if dropped.min_rto is None:
        kinds["; and a second of silence for each measured timeout"] = (of_timeouts, "")
    for words, (law, because) in kinds.items():
        yield Claim(
            id="open-mixed-ratio",
            says="a flow without ECN has as much less than one with it as the law says at the measured signals",
            expected="ratio of their goodputs within 10 %, each scheme, number of flows and share",
            reading=reading + words,
            because=because,
            holds=all_of(
                (table("ratio", queue=queue, flows=n, ecn=ecn) / law(queue, n, ecn))
                .between(0.9, 1.1)
                .at(f"{queue}, {n} flows, {ecn} %")
                for queue, n in points
                for ecn in mixed
            ),
        )


def draw(shown: SummaryTable) -> Figure:
    """What a flow without ECN has beside one with it where the queue law steers; the law without timeouts."""
    steered = shown.where(queue="queue law")

    def theory(flows: int, ecn: float) -> float:
        p, q = (steered(name, flows=flows, ecn=ecn).mean for name in ("signals", "q"))
        return law_ratio(p, q, DROPPED[""])

    labels = ("flows with ECN (%)", "goodput without ECN / with")
    return curves(steered, "ecn", "ratio", "flows", labels=labels, theory=theory)
