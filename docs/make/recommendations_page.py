"""The page about the advice of the five papers, tested with newer TCP senders and compared with newer queues."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

from measured import wrapped
from penstock.reproduce.assessment import assessment_fields
from penstock.results.condition import Condition, all_of
from penstock.results.sample import RunSample
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

UNITS = "Delays are in ms, utilization and loss rates in %."


@dataclass(frozen=True)
class Advice:
    """The advice of a paper as orders between queues, and the orders that would make queues of today better."""

    paper: str
    text: str
    orders: tuple[Order, ...]
    today: tuple[Order, ...]


ADVICE = (
    Advice(
        "Brandauer et al. (2001)",
        "RED has no advantage over tail-drop: neither a higher utilization nor a lower loss rate.",
        (("utilization", "tail-drop", ">=", "RED"), ("loss", "tail-drop", "<", "RED")),
        (
            ("p99_ms", "FQ-CoDel", "<", "tail-drop"),
            ("p99_ms", "PIE", "<", "tail-drop"),
            ("jain", "CAKE", ">", "tail-drop"),
        ),
    ),
    Advice(
        "Bodin and Schelen (2001)",
        "If all dropped packets should be out-of-profile, drop packets from the queue instead of arriving packets. The "
        "queue then oscillates less.",
        (("sd_ms", "WRED-DFQ", "<", "WRED"), ("loss", "WRED-DFQ", "<", "WRED")),
        (("p99_ms", "PIE", "<", "WRED-DFQ"), ("jain", "CAKE", ">", "WRED-DFQ")),
    ),
    Advice(
        "Chung and Claypool (2003)",
        "Adaptive RED with marks keeps its queue at the target and loses almost nothing.",
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
        "PSAND keeps a shorter and steadier queue than RED, and loses fewer packets.",
        (("delay_ms", "PSAND", "<", "RED"), ("sd_ms", "PSAND", "<", "RED"), ("loss", "PSAND", "<", "RED")),
        (("p99_ms", "PIE", "<", "PSAND"), ("loss", "PIE", "<", "PSAND"), ("jain", "FQ-CoDel", ">", "PSAND")),
    ),
    Advice(
        "Kantawala and Turner (2005)",
        "With one queue per flow, a small buffer gives fairer rates than a single queue with a buffer of any size.",
        (("jain", "DTDRR", ">", "tail-drop"), ("jain", "DTDRR", ">", "RED"), ("jain", "DTDRR", ">", "BLUE")),
        (("jain", "FQ-CoDel", ">", "DTDRR"), ("p99_ms", "FQ-CoDel", "<", "DTDRR"), ("p99_ms", "CAKE", "<", "DTDRR")),
    ),
)


def page(results: Results) -> str:
    """The page in Markdown."""
    parts = [INTRO, _summary(results)]
    parts += [_section(advice, results) for advice in ADVICE]
    return wrapped("\n\n".join([*parts, _numbers(results)])) + "\n"


INTRO = f"""# Recommendations of 2001 to 2005 with today's senders

Each of the five papers that penstock reproduces ranks queues by metrics such as the loss rate, and prefers one queue.
This page tests the rankings with Reno (SACK), CUBIC and BBR senders. It also compares the preferred queues with PIE,
FQ-CoDel and CAKE at their defaults. `make recommendations` measures all numbers and writes this page.

* **Network:** one link of 20 Mbit/s with {LOADS[0]} or {LOADS[1]} endless flows. Half of the flows have a round trip of
  20 ms, the others of 100 ms.
* **Runs:** 60 s, of which the first 15 s are not counted. Each cell has {len(SEEDS)} runs, with the same seeds for
  every queue.
* **Queues:** buffers hold {BUFFER} packets (200 ms); DTDRR's buffer holds {SMALL} packets (30 ms). RED and its variants
  have thresholds of 10 and 30 ms.

| queue | description |
|---|---|
| [PSAND](../generated/schemes/psand.md) | Alemu's variant of RED |
| [A-RED](../generated/schemes/ared-floyd.md) | adaptive RED of Floyd et al. |
| A-RED-ECN | A-RED that marks packets instead of dropping them |
| [WRED-DFQ](../generated/schemes/wred-dfq.md) | WRED that drops packets from the queue |
| [DTDRR](../generated/schemes/dtdrr.md) | dynamic threshold DRR: one queue per flow in a shared buffer |

A ranking is confirmed if the mean of the paired differences has the expected sign with 95 % confidence. It is reversed
if the mean has the opposite sign with 95 % confidence.

## Summary"""


def _found(order: Order, results: Results, sender: str) -> list[Condition]:
    """Whether the order holds, at each load."""
    metric, first, sign, second = order
    compare: dict[str, Callable[[RunSample, RunSample], Condition]] = {
        "<": operator.lt,
        ">": operator.gt,
        ">=": lambda a, b: a >= 0.99 * b,
    }
    cells = [(results.of(metric, first, sender, flows), results.of(metric, second, sender, flows)) for flows in LOADS]
    return [compare[sign](a, b) for a, b in cells]


def _held(orders: tuple[Order, ...], results: Results, sender: str) -> str:
    parts = assessment_fields(all_of(c for order in orders for c in _found(order, results, sender)).decide())["parts"]
    against = f", {parts['refuted']} reversed" if parts["refuted"] else ""
    return f"{parts['held']} of {parts['total']}{against}"


def _summary(results: Results) -> str:
    rows = [
        f"| [{advice.paper}](#{_anchor(advice.paper)}) | "
        + " | ".join(_held(advice.orders, results, sender) for sender in SENDERS)
        + " | "
        + " | ".join(_held(advice.today, results, sender) for sender in SENDERS)
        + " |"
        for advice in ADVICE
    ]
    columns = [f"{kind}, {sender}" for kind in ("advice", "newer queue better") for sender in SENDERS]
    head = [f"| | {' | '.join(columns)} |", "|---|" + "---|" * len(columns)]
    text = (
        f"The table counts the rankings that are confirmed with {LOADS[0]} and with {LOADS[1]} flows. The columns "
        '"advice" are about the rankings of the paper. The columns "newer queue better" count how often a newer queue '
        "is better than the queue that the paper prefers."
    )
    legend = (
        "In the sections below, *yes* means that the ranking is confirmed, *no* that it is reversed, and *open* that "
        f"neither is certain. Each cell shows the result with {LOADS[0]} flows, then the result with {LOADS[1]} flows. "
        "In brackets are the means of both queues, in the order of the ranking."
    )
    return f"{text}\n\n" + "\n".join(head + rows) + f"\n\n{legend} {UNITS}"


def _anchor(title: str) -> str:
    return re.sub(r"[^a-z0-9-]", "", title.lower().replace(" ", "-"))


def _section(advice: Advice, results: Results) -> str:
    orders = [_row(order, results) for order in advice.orders]
    today = [_row(order, results) for order in advice.today]
    head = ["| ranking | " + " | ".join(SENDERS) + " |", "|---|" + "---|" * len(SENDERS)]
    table = "\n".join([*head, *orders, *today])
    return f"## {advice.paper}\n\nAdvice: {advice.text}\n\n{table}"


def _row(order: Order, results: Results) -> str:
    metric, first, sign, second = order
    words = f"{WORDS[metric]}: {first} {sign.replace('>=', '>= 0.99 ×')} {second}"
    return f"| {words} | " + " | ".join(_cell(order, results, sender) for sender in SENDERS) + " |"


def _cell(order: Order, results: Results, sender: str) -> str:
    """At each load, whether the order is found, and the means of both queues."""
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
    return f"## All queues with CUBIC\n\n{UNITS}\n\n" + "\n".join(
        [head, "|---|" + "---|" * (len(columns) * len(LOADS)), *rows]
    )
