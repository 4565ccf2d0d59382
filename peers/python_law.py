"""The cost of an AQM in Python: nanoseconds of processor time per packet, beside the built-in red and droptail.

Run by itself: `python peers/python_aqm.py`. The same datagrams meet every AQM, so the difference is the AQM's.
"""

from __future__ import annotations

import json

import penstock as ps
from penstock.engine import run as runs


@ps.aqm("bench-nothing")
class Nothing(ps.Aqm):
    """No method: the adapter alone."""


@ps.aqm("bench-threshold")
class Threshold(ps.Aqm):
    """One look at the queue on every arrival."""

    k: int = 1000

    def on_arrival(self, cx, pkt):  # noqa: D102
        return ps.DROP if cx.queue.packets >= self.k else ps.PASS


@ps.aqm("bench-average")
class Average(ps.Aqm):
    """A low-pass filter and a coin on every arrival, and a look at the time in the queue on every departure."""

    w: float = 0.002

    def reset(self, link):  # noqa: D102
        self.avg = 0.0

    def on_arrival(self, cx, pkt):  # noqa: D102
        self.avg += self.w * (cx.queue.packets - self.avg)
        return ps.DROP if cx.rng.chance(1e-6 * self.avg) else ps.PASS

    def on_departure(self, cx, pkt):  # noqa: D102
        return ps.DROP if pkt.sojourn > 10.0 else ps.PASS


def cost(queue: ps.Queue, repeats: int = 3) -> float:
    """Least processor time of some runs, in nanoseconds a packet of the bottleneck."""
    link = ps.dumbbell(
        rate="10Mbit", rtt="10ms", duration="100s", queue=queue,
        traffic={"load": ps.Poisson(rate="9Mbit", packet="472B")},
    )  # fmt: skip
    text = link.resolve().for_engine(flows=False, series=False)
    results = [json.loads(runs.run_batch([text], [1], jobs=1)[0]) for _ in range(repeats)]
    packets = results[0]["links"]["bottleneck"]["arrivals"]
    return float(min(result["cpu_s"] for result in results) / packets * 1e9)


def main() -> None:
    """Print a line for each AQM."""
    base = cost(ps.DropTail(limit="100p"))
    queues = [ps.DropTail, ps.Red, Nothing, Threshold, Average]
    for queue in queues:
        spent = cost(queue(limit="100p"))
        print(f"{queue.scheme:16} {spent:8.0f} ns a packet, {spent - base:+8.0f} ns to droptail")


if __name__ == "__main__":
    main()
