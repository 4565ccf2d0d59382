"""The queue law compared with simulations: measure, then write the data, the page and its figures.

`make queue-law` runs this script. Without `--measure`, only the page and the figures are written, from the stored data.
`queue_law_page.py` has the text of the page.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import measured
import numpy as np
from asked import Asked
from penstock.files import write_text
from penstock.model import QueueLaw
from penstock.results.estimate import summarize
from penstock.studies.store import Store

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "docs" / "data" / "queue_law.json"
PAGE = ROOT / "docs" / "explanation" / "queue-law.md"
FIGURES = ROOT / "docs" / "images"
SEEDS = range(1, 6)
WIRE = 8 * 1040
"""Bits of a packet with 1000 bytes of data and its header."""


@dataclass(frozen=True)
class Cell:
    """Flows through a router with an unlimited queue that drops or marks packets with a fixed probability."""

    signal: str
    flows: int
    p: float
    min_rto: str = "200ms"
    rtld: int = 80
    """Milliseconds."""
    rate: int = 20
    """Mbit/s."""
    window: int | None = None

    @property
    def name(self) -> str:
        """Key of the cell in the data."""
        limit = "" if self.window is None else f" window {self.window}"
        return f"{self.signal} {self.flows} {self.p:g} {self.min_rto} {self.rtld}ms {self.rate}Mbit{limit}"

    @property
    def settled(self) -> int:
        """Warm-up in seconds: 10 W round trips, where W is the mean window in packets, and at least 50 s."""
        law = self.law()
        trip = law.rtld + float(law.queue(self.flows, self.p)) / law.service_rate
        return max(50, 10 * math.ceil(float(law.window(self.p)) * trip))

    def scenario(self) -> dict[str, Any]:
        """The network of section II of the paper: all flows have the same source and destination."""
        mark = self.signal == "mark"
        ends = {"rate": "1Gbit", "delay": f"{self.rtld / 8}ms"}
        return {
            "name": f"queue law {self.name}",
            "duration": f"{self.settled + max(150, self.settled)}s",
            "warmup": f"{self.settled}s",
            "links": {
                "left": {"from": "S", "to": "R1", **ends},
                "right": {"from": "R2", "to": "D", **ends},
                "bottleneck": {
                    **{"from": "R1", "to": "R2", "rate": f"{self.rate}Mbit", "delay": f"{self.rtld / 4}ms"},
                    "watch": True,
                    "queue": {"scheme": "bernoulli", "limit": "inf", "p": self.p, "ecn": mark},
                },
            },
            "traffic": {
                "bulk": {
                    **{"kind": "tcp", "profile": "ns2", "flavour": "newreno", "ecn": mark, "packet": "1000B"},
                    **{"window": self.window or 1_000_000, "min_rto": self.min_rto},
                    **{"from": "S", "to": "D", "count": self.flows},
                    "start": {"uniform": ["0s", f"{max(self.flows // 50, 1)}s"]},
                }
            },
        }

    def law(self, *, timeouts: bool = False, balance: str = "paper") -> QueueLaw:
        """The law in the paper's form; optionally with the timeouts of these flows, or with the exact balance."""
        rto = 0.2 if self.min_rto == "200ms" else 1.0
        return QueueLaw(
            rtld=self.rtld / 1000,
            service_rate=self.rate * 1e6 / WIRE,
            signal="mark" if self.signal == "mark" else "drop",
            min_rto=rto if timeouts else None,
            window_limit=float(self.window or "inf"),
            balance="exact" if balance == "exact" else "paper",
        )


LOADS = (100, 200, 300)
PS = (0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2)
TRIPS = (40, 80, 120, 160)
RATES = (5, 10, 15, 20)
LINEAR = (0.01, 0.02, 0.05)
LIMITED = ((300, None), (700, 12), (1300, 6))
WIDE = (0.005, 0.01, 0.02, 0.05, 0.1, 0.15)


def cells() -> list[Cell]:
    """The cells of figure 4 (with both minimum RTOs), figure 5, and figures 7 and 8."""
    found = [Cell("mark", n, p) for n in LOADS for p in PS]
    found += [Cell("drop", n, p, rto) for rto in ("200ms", "1s") for n in LOADS for p in PS]
    found += [Cell("drop", 300, p, rtld=trip) for trip in TRIPS for p in LINEAR]
    found += [Cell("drop", 300, p, rate=rate) for rate in RATES for p in LINEAR]
    found += [Cell("drop", n, p, window=w) for n, w in LIMITED for p in WIDE]
    return list(dict.fromkeys(found))


def read(run: dict[str, Any]) -> dict[str, float | list[float]]:
    """The numbers of a run that are stored."""
    link, bulk = run["links"]["bottleneck"], run["traffic"]["bulk"]
    return {
        "queue": link["length_mean_pkts"], "window": bulk["cwnd_mean_pkts"], "p": link["loss_rate"] + link["mark_rate"],
        "utilization": link["utilization"], "timeouts": bulk["timeouts"] / max(bulk["sent_pkts"], 1),
    }  # fmt: skip


@dataclass(frozen=True)
class Found:
    """The measurements of a cell, compared with the law. Queues and their parts are in packets."""

    cell: Cell
    queue: float
    half_width: float
    """Half-width of the 95 % interval of the queue."""
    window: float
    """Mean congestion window of a flow over time."""
    busy: bool
    """Whether the link was never idle, as the law assumes."""
    timeouts: float
    """Timeouts per packet sent."""

    @property
    def law(self) -> float:
        """The queue by equation 2, without timeouts."""
        return float(self.cell.law().queue(self.cell.flows, self.cell.p))

    @property
    def deviation(self) -> float:
        """Relative deviation of the simulation from the law."""
        return self.queue / self.law - 1

    @property
    def in_flight(self) -> float:
        """Packets of a flow in the queue and on the links, including acknowledgements."""
        law = self.cell.law()
        return (self.queue + law.rtld * law.service_rate) / self.cell.flows

    def parts(self) -> tuple[float, float, float]:
        """The terms of the deviation from the law, in packets per flow: window, count, flight."""
        p = self.cell.p if self.cell.signal == "drop" else 0.0
        formula = float(self.cell.law().window(self.cell.p))
        windows = (self.window - formula) / (1 + p)
        balance = self.window * ((1 - p) - 1 / (1 + p))
        return windows, balance, self.in_flight - self.window * (1 - p)


class Results:
    """All measured cells."""

    def __init__(self, cells: Mapping[str, Mapping[str, Sequence[float]]]) -> None:
        self.cells = cells

    @classmethod
    def load(cls) -> Results:
        """The stored results."""
        return cls(measured.load(DATA)[0])

    def of(self, *args: Any, **kwargs: Any) -> Found:
        """The measurements of a cell."""
        cell = Cell(*args, **kwargs)
        measurements = self.cells[cell.name]
        queue = summarize(measurements["queue"])
        window, used, timeouts = (float(np.mean(measurements[name])) for name in ("window", "utilization", "timeouts"))
        return Found(cell, queue.mean, queue.half_width or 0.0, window, used > 0.999, timeouts)


def main() -> None:
    """Measure if requested, then write the page and its figures."""
    asked = Asked.parse(__doc__)
    if asked.measure:
        DATA.parent.mkdir(exist_ok=True)
        measured.measure(DATA, {cell.name: cell.scenario() for cell in cells()}, SEEDS, read, Store(asked.store))
    import queue_law_page

    write_text(PAGE, queue_law_page.page(Results.load()))
    queue_law_page.figures(Results.load(), FIGURES)


if __name__ == "__main__":
    main()
