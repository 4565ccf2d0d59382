"""The statements on the lesson pages, each with its condition on the runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from penstock import model

__all__ = ["CLAIMS", "Cases", "Result"]

Result = Mapping[str, Any]
Cases = Mapping[str, Result]
"""The runs by the name of their case, all with the same seed. Runs of panes are also found by the pane's letter."""
Claim = tuple[str, Callable[[Cases], bool]]

STEEP = (50, 100, 0.3, None)
FLAT = (30, 150, 0.02, 300)


def meeting(flows: int, min_th: float, max_th: float, max_p: float, gentle_top: float | None) -> int:
    """Where the queue law of the lesson about swinging meets a drop function, in packets."""
    aqm = model.QueueLaw(rtld=0.26, service_rate=10e6 / 8320)

    def control(length: float) -> float:
        p = float(model.red_control(length, min_th, max_th, max_p, gentle_top=gentle_top))
        return float(model.red_drop_share(p)) if p > 1e-6 else 0.0

    crossing = aqm.crossing(flows, control, 299)
    assert crossing is not None
    return round(crossing.queue)


def link(run: Result, metric: str) -> float:
    return float(run["links"]["bottleneck"][metric])


def queue(run: Result) -> float:
    return link(run, "length_mean_pkts")


def sd(run: Result) -> float:
    return math.sqrt(link(run, "length_var_pkts2"))


def traffic(run: Result, group: str, metric: str) -> float:
    return float(run["traffic"][group][metric])


def bbr_share(run: Result) -> float:
    """Of the goodput of both senders."""
    bbr = traffic(run, "bbr", "goodput_bps")
    return bbr / (bbr + traffic(run, "cubic", "goodput_bps"))


def series(run: Result, name: str, after: float = 0) -> npt.NDArray[np.float64]:
    """Largest values of a series in each sample, from `after` seconds on."""
    columns = run["series"]["bottleneck"]
    largest: npt.NDArray[np.float64] = np.array(columns[name]["max"])[np.array(columns["t_ns"]) > after * 1e9]
    return largest


def reached(run: Result, average: float) -> float:
    """Seconds until RED's average is this long."""
    columns = run["series"]["bottleneck"]
    return float(np.array(columns["t_ns"])[np.array(columns["avg"]["max"]) > average][0]) / 1e9


def waits(run: Result, group: str) -> float:
    """Mean time in ms above the least one-way delay of the path of the lesson about L4S, 10 ms."""
    return 1e3 * traffic(run, group, "owd_mean_s") - 10


CLAIMS: dict[str, list[Claim]] = {
    "bloat": [
        (
            "The delay of A is a second, more than thirty times that of B.",
            lambda of: (
                link(of["A"], "delay_mean_s") == pytest.approx(1, rel=0.1)
                and link(of["A"], "delay_mean_s") > 30 * link(of["B"], "delay_mean_s")
            ),
        ),
        ("Both use the whole link.", lambda of: all(link(of[case], "utilization") > 0.999 for case in "AB")),
        ("the queue runs empty after each loss", lambda of: link(of["C"], "empty_share") > 0.2),
        ("part of the link is wasted", lambda of: link(of["C"], "utilization") < 0.95),
        (
            "In C the link is used nearly fully now",
            lambda of: link(of["C, 16 downloads"], "utilization") > max(0.98, link(of["C"], "utilization") + 0.04),
        ),
        (
            "but a tenth of all packets is lost",
            lambda of: link(of["C, 16 downloads"], "loss_rate") == pytest.approx(0.1, rel=0.1),
        ),
        (
            "In A more flows do not shorten the queue.",
            lambda of: link(of["A, 16 downloads"], "delay_mean_s") > link(of["A"], "delay_mean_s"),
        ),
        (
            "the link is no longer used fully",
            lambda of: link(of["B, round trip 200 ms"], "utilization") < 0.985,
        ),
        ("BDP, here 33 packets of 1500 bytes", lambda of: 10e6 * 0.04 / 12_000 // 1 == 33),
    ],
    "red-average": [
        (
            "its standard deviation is less than half of the queue's",
            lambda of: all(series(of[case], "avg", 10).std() < sd(of[case]) / 2 for case in of if case[0] == "A"),
        ),
        (
            "the queue passes `max_th`, 40 packets, but the average does not",
            lambda of: series(of["A"], "queue", 10).max() > 40 > series(of["A"], "avg", 10).max(),
        ),
        (
            "The point moves down and up the slope",
            lambda of: (
                link(of["A, 5 downloads"], "average_mean_pkts") + 10
                < link(of["A"], "average_mean_pkts")
                < link(of["A, 40 downloads"], "average_mean_pkts") - 10
            ),
        ),
        (
            "more flows need a higher loss rate",
            lambda of: (
                link(of["A, 5 downloads"], "loss_rate")
                < link(of["A"], "loss_rate") / 2
                < link(of["A, 40 downloads"], "loss_rate") / 4
            ),
        ),
        (
            "With 40 flows it reaches `max_th`",
            lambda of: link(of["A, 40 downloads"], "drops_forced") > 1000 and link(of["A"], "drops_forced") == 0,
        ),
        (
            "the queue becomes shorter, no packet is dropped above `max_th`, and about the same share of packets "
            "is lost",
            lambda of: (
                queue(of["A, 40 downloads, `max_p` 0.3"]) < queue(of["A, 40 downloads"]) - 10
                and link(of["A, 40 downloads, `max_p` 0.3"], "drops_forced") == 0
                and link(of["A, 40 downloads, `max_p` 0.3"], "loss_rate")
                == pytest.approx(link(of["A, 40 downloads"], "loss_rate"), rel=0.1)
            ),
        ),
        (
            "Drop-tail loses packets only when its buffer is full; its queue is longer and swings more.",
            lambda of: (
                link(of["B"], "drops_overflow") == link(of["B"], "drops") > 0
                and queue(of["B"]) > 2 * queue(of["A"])
                and sd(of["B"]) > 2 * sd(of["A"])
            ),
        ),
        (
            "RED loses more packets here than drop-tail",
            lambda of: link(of["A"], "loss_rate") > 1.5 * link(of["B"], "loss_rate"),
        ),
    ],
    "red-weight": [
        (
            "Bursts lose about a fifth of their packets (with drop-tail, a quarter); downloads lose far fewer.",
            lambda of: (
                0.15 < traffic(of["B"], "bursts", "loss_rate") < 0.27
                and 0.2 < traffic(of["drop-tail"], "bursts", "loss_rate") < 0.32
                and traffic(of["B"], "downloads", "loss_rate") < 0.05
            ),
        ),
        (
            "They lose about the same share of their packets as the downloads.",
            lambda of: abs(traffic(of["A"], "bursts", "loss_rate") - traffic(of["A"], "downloads", "loss_rate")) < 0.02,
        ),
        (
            "The buffer is full in the first seconds, while the average takes more than five seconds "
            "to reach `min_th`.",
            lambda of: 5 < reached(of["C"], 10) < 9 and series(of["C"], "queue")[:300].max() >= 100,
        ),
        (
            "far more packets than in A arrive at a full buffer",
            lambda of: (
                link(of["C"], "drops_overflow") > 4 * link(of["A"], "drops_overflow")
                and queue(of["C"]) > 1.4 * queue(of["A"])
            ),
        ),
        (
            "The average now reaches `min_th` within two seconds, and bursts lose about as much as in A.",
            lambda of: (
                reached(of["`w_q` 0.0001"], 10) < 2
                and abs(traffic(of["`w_q` 0.0001"], "bursts", "loss_rate") - traffic(of["A"], "bursts", "loss_rate"))
                < 0.02
            ),
        ),
        (
            # L + 1 + ((1 - w)^(L + 1) - 1) / w, section VI of the paper
            "25 packets at once raise the average by 0.64 packets with `w_q` 0.002, and by 25 with 1",
            lambda of: [round(26 + ((1 - w) ** 26 - 1) / w, 2) for w in (0.002, 1)] == [0.64, 25],
        ),
        (
            "here 0.4 s with 0.002, and 42 s with 0.00002",
            lambda of: [round(8320 / 10e6 / w, 1) for w in (0.002, 0.00002)] == [0.4, 41.6],
        ),
    ],
    "swing": [
        (
            "The queue oscillates between about a hundred packets and none; it is empty for a fifth of the time, "
            "and a tenth of the link is wasted.",
            lambda of: (
                85 < float(np.percentile(series(of["A"], "queue", 50), 97.5)) < 120
                and 0.18 < link(of["A"], "empty_share") < 0.25
                and 0.88 < link(of["A"], "utilization") < 0.92
            ),
        ),
        (
            "The queue of PI has about half the standard deviation of A's and does not run empty, "
            "and the link is used fully.",
            lambda of: (
                sd(of["B"]) < 0.6 * sd(of["A"])
                and link(of["B"], "empty_share") < 0.005
                and link(of["B"], "utilization") > 0.998
            ),
        ),
        (
            "also damps the oscillation",
            lambda of: sd(of["C"]) < 0.5 * sd(of["A"]) and link(of["C"], "utilization") > 0.998,
        ),
        (
            "The queue of A no longer runs empty",
            lambda of: (
                link(of["A, round trip 60 ms"], "empty_share") < 0.001
                and link(of["A, round trip 60 ms"], "utilization") > 0.999
                and sd(of["A, round trip 60 ms"]) < 0.75 * sd(of["A"])
            ),
        ),
        (
            "The queue of C nearly doubles; the queue of B stays below its target of 100.",
            lambda of: (
                1.7 < queue(of["C, 40 downloads"]) / queue(of["C"]) < 2
                and 70 < queue(of["B"]) < queue(of["B, 40 downloads"]) < 100
            ),
        ),
        (
            "For C they meet at 66 packets. For A they meet at 51 packets,",
            lambda of: (
                [meeting(20, *shape) for shape in (FLAT, STEEP)] == [66, 51]
                and queue(of["C"]) == pytest.approx(66, rel=0.05)
            ),
        ),
        (
            "to 133 packets for 40 flows",
            lambda of: meeting(40, *FLAT) == 133 and queue(of["C, 40 downloads"]) == pytest.approx(133, rel=0.1),
        ),
    ],
    "codel": [
        (
            "CoDel keeps the delay near its `target` of 5 ms; drop-tail keeps 300 packets, a third of a second.",
            lambda of: (
                0.004 < link(of["A"], "delay_mean_s") < 0.009
                and 250 < queue(of["B"]) < 300
                and link(of["B"], "delay_mean_s") == pytest.approx(1 / 3, rel=0.1)
            ),
        ),
        ("Both use nearly the whole link.", lambda of: all(link(of[case], "utilization") > 0.997 for case in "AB")),
        (
            "The delay follows.",
            lambda of: link(of["A, `target` 20 ms"], "delay_mean_s") == pytest.approx(0.02, rel=0.15),
        ),
        (
            "With 20 the delay is more than three times the target",
            lambda of: link(of["A, 20 downloads"], "delay_mean_s") > 0.015,
        ),
        (
            "With 1 the queue runs empty after a drop, and part of the link is wasted.",
            lambda of: (
                link(of["A, 1 download"], "empty_share") > 0.2 and link(of["A, 1 download"], "utilization") < 0.96
            ),
        ),
    ],
    "calls": [
        (
            "Each of their small packets waits for more than a quarter of a second",
            lambda of: traffic(of["A"], "calls", "owd_mean_s") - 0.02 > 0.25,
        ),
        ("many users are dissatisfied", lambda of: traffic(of["A"], "calls", "mos") < 3.6),
        (
            "**In B all flows wait less**, but CoDel drops the packet at the head, whatever its flow. "
            "So calls lose more packets than in A",
            lambda of: (
                link(of["B"], "delay_p99_s") < 0.1 * link(of["A"], "delay_p99_s")
                and traffic(of["B"], "calls", "loss_rate") > 1.2 * traffic(of["A"], "calls", "loss_rate")
            ),
        ),
        (
            "**In C no call loses a packet**, and calls hardly wait",
            lambda of: traffic(of["C"], "calls", "loss_rate") == 0 and traffic(of["C"], "calls", "owd_mean_s") < 0.022,
        ),
        (
            "In B the calls lose more than 5 % of their packets, and their MOS falls nearly as low as it was in A. "
            "In C the calls do not change.",
            lambda of: (
                traffic(of["B, 16 downloads"], "calls", "loss_rate") > 0.05
                and traffic(of["B, 16 downloads"], "calls", "mos")
                == pytest.approx(traffic(of["A"], "calls", "mos"), abs=0.4)
                and traffic(of["C, 16 downloads"], "calls", "loss_rate") == 0
                and traffic(of["C, 16 downloads"], "calls", "mos") > 4.37
            ),
        ),
        (
            "The downloads wait long again, each behind its own packets; the calls do not.",
            lambda of: (
                link(of["DRR in C"], "delay_p99_s") > 0.3 and traffic(of["DRR in C"], "calls", "owd_mean_s") < 0.026
            ),
        ),
    ],
    "l4s": [
        (
            "no packet is lost any more",
            lambda of: link(of["A"], "drops") > 0 == link(of["B"], "drops") and link(of["B"], "marks") > 0,
        ),
        (
            "Prague takes more than nine tenths of the link.",
            lambda of: traffic(of["B"], "prague", "goodput_bps") > 0.9 * 40e6,
        ),
        (
            "Prague waits less than a millisecond, CUBIC about 15 ms, and neither starves.",
            lambda of: (
                waits(of["C"], "prague") < 1
                and waits(of["C"], "cubic") == pytest.approx(15, rel=0.1)
                and min(traffic(of["C"], group, "goodput_bps") for group in ("prague", "cubic")) > 10e6
            ),
        ),
        (
            "both get the same rate",
            lambda of: (
                traffic(of["FQ-CoDel in B"], "prague", "goodput_bps")
                == pytest.approx(traffic(of["FQ-CoDel in B"], "cubic", "goodput_bps"), rel=0.05)
            ),
        ),
        (
            "Prague still waits less than a millisecond, and its window is still about as large as the windows of the "
            "other flows.",
            lambda of: (
                waits(of["C, 4 CUBIC flows"], "prague") < 1
                and traffic(of["C, 4 CUBIC flows"], "prague", "cwnd_mean_pkts")
                == pytest.approx(traffic(of["C, 4 CUBIC flows"], "cubic", "cwnd_mean_pkts"), rel=0.25)
            ),
        ),
        (
            "The windows become about equal, so the rates are proportional to 1 / round trip",
            lambda of: (
                traffic(of["C"], "prague", "cwnd_mean_pkts")
                == pytest.approx(traffic(of["C"], "cubic", "cwnd_mean_pkts"), rel=0.25)
                and traffic(of["C"], "prague", "goodput_bps") / traffic(of["C"], "cubic", "goodput_bps")
                == pytest.approx((20 + waits(of["C"], "cubic")) / (20 + waits(of["C"], "prague")), rel=0.2)
            ),
        ),
    ],
    "bbr": [
        ("BBR takes about nine tenths", lambda of: 0.88 < bbr_share(of["A"]) < 0.96),
        (
            "The share of BBR falls to two thirds, then to half.",
            lambda of: (
                bbr_share(of["A, 66 packets"]) == pytest.approx(2 / 3, abs=0.06)
                and bbr_share(of["A, 132 packets"]) == pytest.approx(0.5, abs=0.06)
            ),
        ),
        ("BBR's share is still about half", lambda of: bbr_share(of["B"]) == pytest.approx(0.5, abs=0.06)),
        (
            "In C, each flow has a queue and gets half of the link; BBR loses far more packets than CUBIC there.",
            lambda of: (
                bbr_share(of["C"]) == pytest.approx(0.5, abs=0.03)
                and traffic(of["C"], "bbr", "loss_rate") > 10 * traffic(of["C"], "cubic", "loss_rate")
            ),
        ),
        (
            "In A and B, the BBR flow keeps about the share that it had next to one CUBIC flow. "
            "In C, it gets a fifth, like each of the five flows.",
            lambda of: (
                all(
                    bbr_share(of[f"{case}, 4 CUBIC flows"]) == pytest.approx(bbr_share(of[case]), abs=0.06)
                    for case in "AB"
                )
                and bbr_share(of["C, 4 CUBIC flows"]) == pytest.approx(0.2, abs=0.02)
            ),
        ),
    ],
}
