"""The page of the five works' advice: what of it holds with today's TCP, and what today's queues add."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

from measured import wrapped
from penstock.reproduce.assessment import assessed
from penstock.results.condition import Condition, all_of
from penstock.results.sample import Sample
from recommendations import BUFFER, LOADS, SEEDS, SENDERS, SMALL, Results

Order = tuple[str, str, str, str]
"""A metric, the queue with the better number, "<" or ">", and the other queue."""

WORDS = {
    "delay_ms": "mean queueing delay",
    "p99_ms": "99th percentile of the queueing delay",
    "sd_ms": "standard deviation of the queueing delay",
    "utilization": "utilization",
    "loss": "loss rate",
    "jain": "fairness (Jain's index)",
}


@dataclass(frozen=True)
class Advice:
    """What a work recommends, as orders between queues, and the orders by which queues of today would be better."""

    work: str
    says: str
    orders: tuple[Order, ...]
    today: tuple[Order, ...]


ADVICE = (
    Advice(
        "Brandauer et al. (2001)",
        "RED has no advantage over tail-drop: it uses no more of the link and does not lose less.",
        (("utilization", "tail-drop", ">=", "RED"), ("loss", "tail-drop", "<", "RED")),
        (
            ("p99_ms", "FQ-CoDel", "<", "tail-drop"),
            ("p99_ms", "PIE", "<", "tail-drop"),
            ("jain", "CAKE", ">", "tail-drop"),
        ),
    ),
    Advice(
        "Bodin and Schelen (2001)",
        "To lose only packets out of profile, drop from the queue rather than arrivals: the queue swings less.",
        (("sd_ms", "WRED-DFQ", "<", "WRED"), ("loss", "WRED-DFQ", "<", "WRED")),
        (("p99_ms", "PIE", "<", "WRED-DFQ"), ("jain", "CAKE", ">", "WRED-DFQ")),
    ),
    Advice(
        "Chung and Claypool (2003)",
        "Adaptive RED with marks keeps its queue where it was set and loses almost nothing.",
        (
            ("loss", "A-RED-ECN", "<", "A-RED"),
            ("loss", "A-RED-ECN", "<", "tail-drop"),
            ("p99_ms", "A-RED-ECN", "<", "tail-drop"),
        ),
        (
            ("p99_ms", "FQ-CoDel", "<", "A-RED-ECN"),
            ("p99_ms", "PIE", "<", "A-RED-ECN"),
            ("jain", "FQ-CoDel", ">", "A-RED-ECN"),
        ),
    ),
    Advice(
        "Alemu (2004)",
        "PSAND holds a shorter and steadier queue than RED and loses less.",
        (("delay_ms", "PSAND", "<", "RED"), ("sd_ms", "PSAND", "<", "RED"), ("loss", "PSAND", "<", "RED")),
        (("p99_ms", "PIE", "<", "PSAND"), ("loss", "PIE", "<", "PSAND"), ("jain", "FQ-CoDel", ">", "PSAND")),
    ),
    Advice(
        "Kantawala and Turner (2005)",
        "With a queue for each flow a small buffer is enough: shares are fairer than in one queue with any buffer.",
        (("jain", "DTDRR", ">", "tail-drop"), ("jain", "DTDRR", ">", "RED"), ("jain", "DTDRR", ">", "BLUE")),
        (("jain", "FQ-CoDel", ">", "DTDRR"), ("p99_ms", "FQ-CoDel", "<", "DTDRR"), ("p99_ms", "CAKE", "<", "DTDRR")),
    ),
)


def page(results: Results) -> str:
    """The page in Markdown."""
    parts = [INTRO, _summary(results)]
    parts += [_section(advice, results) for advice in ADVICE]
    return wrapped("\n\n".join([*parts, _numbers(results)])) + "\n"


INTRO = f"""# What of the advice of 2001 to 2005 survives

Each of the five works that penstock reproduces ends in advice. Here it meets senders that came later: the same orders
between queues with Reno (SACK), CUBIC and BBR, and beside them PIE, FQ-CoDel and CAKE with their default settings.

One link of 20 Mbit/s, half of the flows with round trips of 20 ms, half of 100 ms; {LOADS[0]} or {LOADS[1]} endless
flows; 60 s, the first 15 s left out; {len(SEEDS)} runs with the same seeds for every queue. Buffers of {BUFFER} packets
(200 ms), for DTDRR {SMALL} (30 ms); thresholds of RED and its variants at 10 and 30 ms. An order counts as found if
the mean of the paired differences has its sign with 95 % confidence. `make recommendations` measures and writes this
page."""


def _found(order: Order, results: Results, sender: str) -> list[Condition]:
    """The order at each load."""
    metric, first, sign, second = order
    compare: dict[str, Callable[[Sample, Sample], Condition]] = {
        "<": operator.lt,
        ">": operator.gt,
        ">=": lambda a, b: a >= 0.99 * b,
    }
    cells = [(results.of(metric, first, sender, flows), results.of(metric, second, sender, flows)) for flows in LOADS]
    return [compare[sign](a, b) for a, b in cells]


def _held(orders: tuple[Order, ...], results: Results, sender: str) -> str:
    parts = assessed(all_of(c for order in orders for c in _found(order, results, sender)).decide())["parts"]
    against = f", {parts['refuted']} reversed" if parts["refuted"] else ""
    return f"{parts['held']} of {parts['total']}{against}"


def _summary(results: Results) -> str:
    rows = [
        f"| [{advice.work}](#{_anchor(advice.work)}) | "
        + " | ".join(_held(advice.orders, results, sender) for sender in SENDERS)
        + " | "
        + " | ".join(_held(advice.today, results, sender) for sender in SENDERS)
        + " |"
        for advice in ADVICE
    ]
    columns = [f"{kind}, {sender}" for kind in ("advice", "today's are better") for sender in SENDERS]
    head = [f"| | {' | '.join(columns)} |", "|---|" + "---|" * len(columns)]
    told = "Orders that are found, at both loads: those of each work's advice, and those by which queues of today win:"
    return f"{told}\n\n" + "\n".join(head + rows)


def _anchor(title: str) -> str:
    return re.sub(r"[^a-z0-9-]", "", title.lower().replace(" ", "-"))


def _section(advice: Advice, results: Results) -> str:
    orders = [_row(order, results) for order in advice.orders]
    today = [_row(order, results) for order in advice.today]
    head = ["| order | " + " | ".join(SENDERS) + " |", "|---|" + "---|" * len(SENDERS)]
    table = "\n".join([*head, *orders, *today])
    return f"## {advice.work}\n\n{advice.says}\n\n{table}"


def _row(order: Order, results: Results) -> str:
    metric, first, sign, second = order
    words = f"{WORDS[metric]}: {first} {sign.replace('>=', '>= 0.99 of')} {second}"
    return f"| {words} | " + " | ".join(_cell(order, results, sender) for sender in SENDERS) + " |"


def _cell(order: Order, results: Results, sender: str) -> str:
    """Both numbers at each load, and whether the order is found there."""
    metric, first, _, second = order
    marks = {"confirmed": "yes", "contradicted": "**no**", "inconclusive": "open"}
    found = []
    for flows, condition in zip(LOADS, _found(order, results, sender), strict=True):
        a, b = (results.of(metric, queue, sender, flows).mean for queue in (first, second))
        found.append(f"{marks[condition.decide().verdict]} ({_number(a)}, {_number(b)})")
    return "; ".join(found)


def _number(value: float) -> str:
    return f"{value:.3g}"


def _numbers(results: Results) -> str:
    """Delay, utilization, loss and fairness of every queue with CUBIC."""
    columns = ("p99_ms", "utilization", "loss", "jain")
    head = f"| queue | {' | '.join(f'{WORDS[name]}, {flows} flows' for name in columns for flows in LOADS)} |"
    queues = dict.fromkeys(cell.rsplit(" ", 2)[0] for cell in results.cells)
    rows = [
        f"| {queue} | "
        + " | ".join(_number(results.of(name, queue, "CUBIC", flows).mean) for name in columns for flows in LOADS)
        + " |"
        for queue in queues
    ]
    return "## All queues with CUBIC\n\nDelays in ms, utilization and losses in %.\n\n" + "\n".join(
        [head, "|---|" + "---|" * (len(columns) * len(LOADS)), *rows]
    )
