"""The "Prague L4S requirements" of RFC 9331 as a checklist, measured for every congestion control.

`make l4s` runs this script, which takes seconds and writes the tables of `docs/explanation/l4s.md`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import penstock as ps
from penstock.files import write_text

PAGE = Path(__file__).parents[1] / "explanation" / "l4s.md"
TABLE = re.compile(r"(?<=<!-- checklist -->\n).*?(?=<!-- end of checklist -->)", re.S)
FLAVOURS = ("prague", "dctcp", "bbr3", "bbr", "cubic", "sack", "newreno", "reno", "tahoe", "vegas", "ledbat")
SEED = 1

ORDER_OF_MAGNITUDE = 10.0
"""A flow competes fairly with TCP if its rate is within an order of magnitude (RFC 8085, cited in RFC 9331, 4.3.1)."""

BURST_S = 250e-6
"""Largest queue of a burst on the public Internet (RFC 9331, section 4.3, item 7)."""

Result = Mapping[str, Any]


def run(
    queue: str,
    *flavours: str,
    rate: str = "20Mbit",
    link: str = "",
    own: str = "",
    series: bool = False,
    time: tuple[int, int] = (10, 50),
) -> Result:
    """One flow of each flavour with ECN on a link with a round trip of 20 ms, measured in the interval `time` (s)."""
    flows = "".join(
        f'[traffic.{name}{place}]\nkind = "tcp"\nprofile = "linux"\nflavour = "{name}"\necn = true\n'
        f'from = "A"\nto = "B"\n'
        f'start = "{100 * place}ms"\nwatch = {str(series).lower()}\n{own}\n'
        for place, name in enumerate(flavours)
    )
    text = (
        f'name = "l4s"\nduration = "{time[1]}s"\nwarmup = "{time[0]}s"\n{flows}'
        f'[links.link]\nfrom = "A"\nto = "B"\nrate = "{rate}"\n'
        f'delay = "10ms"\nwatch = true\nreverse = {{ rate = "100Gbit" }}\n{link}\n[links.link.queue]\n{queue}\n'
    )
    return ps.run(ps.Scenario.loads(text), seed=SEED, series=series).raw


def marking(p: float) -> str:
    """A queue that marks packets at random, and is long enough to lose none."""
    return f'scheme = "bernoulli"\nlimit = "10000p"\np = {p}\necn = true'


ONLY_ECT1 = f"""scheme = "wfq"
limit = "10000p"
[[links.link.queue.classes]]
name = "l4s"
weight = 1
match = {{ ecn = "ect1" }}
[links.link.queue.classes.queue]
{marking(0.1)}
[[links.link.queue.classes]]
name = "rest"
weight = 1
"""


@cache
def random_marks(flavour: str, p: float) -> tuple[float, float]:
    """The mean window of a flow in packets, and the marked share of its packets."""
    result = run(marking(p), flavour, rate="1Gbit")
    return result["traffic"][f"{flavour}0"]["cwnd_mean_pkts"], result["links"]["link"]["mark_rate"]


def codepoint(flavour: str) -> float:
    """Share of marked packets behind a queue that marks a tenth of the ECT(1) packets and no others."""
    return float(run(ONLY_ECT1, flavour)["links"]["link"]["mark_rate"])


def feedback(flavour: str) -> float:
    """The sender's estimate of the marked share over the true share, with a tenth marked; NaN without an estimate."""
    result = run(marking(0.1), flavour, rate="1Gbit", series=True)
    known = result["senders"][f"{flavour}0"][0].get("alpha")
    if known is None:
        return math.nan
    late = [value for value in known["mean"] if value is not None][len(known["mean"]) // 5 :]
    return float(sum(late) / len(late) / result["links"]["link"]["mark_rate"])


def scaling(flavour: str) -> float:
    """B in window ~ p^-B, from the windows with a twentieth and with a fifth of the packets marked at random."""
    (wide, rare), (narrow, often) = random_marks(flavour, 0.05), random_marks(flavour, 0.2)
    return math.log(wide / narrow) / math.log(often / rare)


def relative_rate(queue: str, flavour: str) -> float:
    """Rate of a flow divided by the rate of a competing SACK flow (Reno's window)."""
    traffic = run(queue, flavour, "sack")["traffic"]
    return float(traffic[f"{flavour}0"]["goodput_bps"]) / float(traffic["sack1"]["goodput_bps"])


def at_loss(flavour: str) -> float:
    """`relative_rate` in a drop-tail buffer of one bandwidth-delay product."""
    return relative_rate('scheme = "droptail"\nlimit = "1BDP"', flavour)


def at_classic_marks(flavour: str) -> float:
    """`relative_rate` in a shared PIE queue, which marks as in RFC 3168."""
    return relative_rate('scheme = "pie"\nlimit = "1000p"\necn = true\nactivation = "off"', flavour)


def round_trips(flavour: str) -> float:
    """Rate of a flow with a round trip of 5 ms divided by the rate of a flow with 20 ms, in an L4S queue."""
    flow = '[traffic.{0}]\nkind = "tcp"\nprofile = "linux"\nflavour = "{1}"\necn = true\nfrom = "{0}"\nto = "B"\n'
    access = '[links.{0}]\nfrom = "{0}"\nto = "A"\nrate = "10Gbit"\ndelay = "{1}"\nreverse = {{ rate = "10Gbit" }}\n'
    text = (
        'name = "l4s"\nduration = "50s"\nwarmup = "10s"\n'
        '[links.link]\nfrom = "A"\nto = "B"\nrate = "20Mbit"\ndelay = "1ms"\n'
        'watch = true\nreverse = { rate = "10Gbit" }\nqueue = { scheme = "dualpi2", limit = "1000p" }\n'
        + "".join(flow.format(name, flavour) for name in ("near", "far"))
        + access.format("near", "1.5ms")
        + access.format("far", "9ms")
    )
    traffic = ps.run(ps.Scenario.loads(text), seed=SEED).raw["traffic"]
    return float(traffic["near"]["goodput_bps"]) / float(traffic["far"]["goodput_bps"])


def least_window(flavour: str) -> float:
    """Mean window in packets of a flow whose packets are all marked."""
    return random_marks(flavour, 1.0)[0]


def reordered(flavour: str) -> float:
    """Retransmissions in percent of the packets sent, if one packet in a hundred is 3 ms late and none is lost."""
    link = 'reorder = { rate = 0.01, delay = "3ms" }'
    traffic = run('scheme = "droptail"\nlimit = "1000p"', flavour, own="window = 30", link=link)["traffic"][
        f"{flavour}0"
    ]
    return 100 * float(traffic["retransmitted_pkts"]) / float(traffic["sent_pkts"])


def bursts(flavour: str) -> float:
    """99th percentile of the queueing delay in ms from the start on; the window is 100 of the path's 167 packets."""
    queue = 'scheme = "droptail"\nlimit = "1000p"'
    result = run(queue, flavour, rate="100Mbit", own="window = 100", time=(0, 2))
    return 1e3 * float(result["links"]["link"]["delay_p99_s"])


@dataclass(frozen=True)
class Requirement:
    """A requirement on a sender, the number that is measured for it, and the values that meet it."""

    name: str
    section: str
    text: str
    measured: Callable[[str], float]
    number: str
    is_met_by: Callable[[float], bool]
    bound: str

    def of(self, flavour: str) -> tuple[float, bool]:
        """The number of a congestion control, and whether it meets the requirement."""
        number = _measured(self.measured, flavour)
        return number, not math.isnan(number) and self.is_met_by(number)

    def cell(self, flavour: str) -> str:
        """The answer with its number."""
        number, is_met = self.of(flavour)
        shown = "" if math.isnan(number) else f" {number:.2g}" if number < 100 else f" {number:.0f}"
        return f"{'**yes**' if is_met else 'no'}{shown}"


@cache
def _measured(measure: Callable[[str], float], flavour: str) -> float:
    return measure(flavour)


def _within(factor: float) -> Callable[[float], bool]:
    return lambda ratio: 1 / factor <= ratio <= factor


REQUIREMENTS = (
    Requirement(
        "codepoint",
        "4.1",
        "sets ECT(1) on its packets",
        codepoint,
        "share of packets that are CE-marked by a queue that marks one in ten ECT(1) packets and no others",
        lambda share: share > 0.05,
        "above 0.05",
    ),
    Requirement(
        "feedback",
        "4.2",
        "learns the extent of marking",
        feedback,
        "the sender's estimate of the marked share (`alpha`) divided by the true share, with a tenth marked at random",
        _within(1.1),
        "within 10 %",
    ),
    Requirement(
        "scalable",
        "4.3",
        "is marked at intervals that do not grow with its rate",
        scaling,
        "B in W ~ p^-B, from the mean windows W at p = 5 and 20 % random marks; B = 1: constant marks per round trip",
        lambda b: b >= 0.95,
        "at least 0.95",
    ),
    Requirement(
        "loss",
        "4.3, item 2",
        "reacts to losses so that it coexists with Reno",
        at_loss,
        "its rate divided by the rate of a SACK flow (Reno's window), in a drop-tail buffer of one BDP",
        _within(ORDER_OF_MAGNITUDE),
        "within an order of magnitude (RFC 8085, cited in 4.3.1)",
    ),
    Requirement(
        "classic AQM",
        "4.3, item 3",
        "detects a queue that marks as in RFC 3168, and coexists with Reno there",
        at_classic_marks,
        "its rate divided by the rate of a SACK flow (Reno's window), both with ECN, in one PIE queue",
        _within(2.0),
        "within a factor of 2",
    ),
    Requirement(
        "round trips",
        "4.3, item 4",
        "has a rate as independent of the round trip as possible",
        round_trips,
        "rate of a flow with a round trip of 5 ms divided by the rate of a competing flow with 20 ms, in `dualpi2`",
        _within(1.5),
        "within a factor of 1.5",
    ),
    Requirement(
        "small windows",
        "4.3, item 5",
        "responds to marks at windows below one packet",
        least_window,
        "mean window in packets, if every packet is marked",
        lambda window: window < 1,
        "below 1",
    ),
    Requirement(
        "reordering",
        "4.3, item 6",
        "does not mistake reordering for loss",
        reordered,
        "retransmissions in percent, if one packet in a hundred is five packets late and none is lost",
        lambda percent: percent < 0.1,
        "below 0.1",
    ),
    Requirement(
        "bursts",
        "4.3, item 7",
        "limits the queue that its bursts cause",
        bursts,
        "99th percentile of the queueing delay in ms in the first two seconds, with the window limited to 100 packets "
        "on a path of 167 packets (BDP)",
        lambda delay: delay <= 1e3 * BURST_S,
        "at most 0.25 ms",
    ),
)


def table() -> str:
    """The table of the requirements, and the table of the answers of each congestion control."""
    lines = ["| requirement | section | the sender | measured number | met if |", "|---|---|---|---|---|"]
    lines += [f"| {item.name} | {item.section} | {item.text} | {item.number} | {item.bound} |" for item in REQUIREMENTS]
    answers = ["| | " + " | ".join(item.name for item in REQUIREMENTS) + " |", "|---" * (len(REQUIREMENTS) + 1) + "|"]
    answers += [
        f"| `{flavour}` | " + " | ".join(item.cell(flavour) for item in REQUIREMENTS) + " |" for flavour in FLAVOURS
    ]
    return "\n" + "\n".join([*lines, "", *answers]) + "\n\n"


def page(text: str) -> str:
    """The page with the tables of new runs."""
    return TABLE.sub(lambda _: table(), text)


if __name__ == "__main__":
    write_text(PAGE, page(PAGE.read_text(encoding="utf-8")))
