"""The advice of the five papers with newer TCP senders and next to newer queues: measure, then write data and page.

`make recommendations` runs this script. Without `--measure`, only the page is written, from the stored data.
`recommendations_page.py` has the text of the page.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import measured
from asked import Asked
from penstock.files import write_text
from penstock.results.sample import RunSample
from penstock.studies.store import Store

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "docs" / "data" / "recommendations.json"
PAGE = ROOT / "docs" / "explanation" / "recommendations.md"
SEEDS = range(1, 11)

SENDERS = {"Reno": "sack", "CUBIC": "cubic", "BBR": "bbr"}
"""TCP flavours by their names on the page."""
LOADS = (8, 40)
"""Numbers of flows."""
RATE, BUFFER, SMALL = "20Mbit", 480, 72
"""The rate of the link, and two buffers in packets: 200 ms and 30 ms at this rate."""

THRESHOLDS = {"limit": f"{BUFFER}p", "min_th": 24, "max_th": 72, "w_q": 0.002}
"""Settings of RED and its variants: thresholds of 10 and 30 ms."""
LEVELS = {"limit": f"{BUFFER}p", "min_th": [1e6, 24], "max_th": [2e6, 72], "max_p": [0.1, 0.1], "w_q": 0.002}
"""Settings of WRED: packets in profile are never dropped early."""
TAGGER = {"kind": "tsw", "rate": "5Mbit", "window": "1s", "in": "AF11", "out": "AF12"}
"""The meter before WRED: at each of the two sources, a quarter of the link's rate is in profile."""
QUEUES: Mapping[str, Mapping[str, Any]] = {
    "tail-drop": {"scheme": "droptail", "limit": f"{BUFFER}p"},
    "RED": {"scheme": "red", "gentle": True, **THRESHOLDS},
    "A-RED": {"scheme": "ared-floyd", **THRESHOLDS},
    "A-RED-ECN": {"scheme": "ared-floyd", "ecn": True, **THRESHOLDS},
    "PSAND": {"scheme": "psand", "coef": 1.75, "gamma": 1.5, "max_p_high": 0.75, **THRESHOLDS},
    "BLUE": {"scheme": "blue", "limit": f"{BUFFER}p"},
    "WRED": {"scheme": "wred", **LEVELS},
    "WRED-DFQ": {"scheme": "wred-dfq", **LEVELS},
    "DTDRR": {"scheme": "dtdrr", "limit": f"{SMALL}p"},
    "PIE": {"scheme": "pie", "limit": f"{BUFFER}p"},
    "FQ-CoDel": {"scheme": "fq-codel"},
    "CAKE": {"scheme": "cake", "bandwidth": RATE},
}
"""The queues of the papers (DTDRR has the small buffer), and three newer queues."""


@dataclass(frozen=True)
class Cell:
    """A queue, the senders and their number; half of the flows have a round trip of 20 ms, the others of 100 ms."""

    queue: str
    sender: str
    flows: int

    @property
    def name(self) -> str:
        """Key of the cell in the data."""
        return f"{self.queue} {self.sender} {self.flows}"

    def scenario(self) -> dict[str, Any]:
        """The scenario: 60 s, of which the first 15 s are not counted."""
        marks = self.queue.endswith("ECN")
        tcp = {"kind": "tcp", "flavour": SENDERS[self.sender], "profile": "ns2", "window": 5000, "ecn": marks}
        tcp["count"] = self.flows // 2
        edge = {"edge": [TAGGER]} if self.queue.startswith("WRED") else {}
        starts = {"start": {"uniform": ["0s", "5s"]}}
        return {
            "name": f"recommendations {self.name}",
            "duration": "60s",
            "warmup": "15s",
            "links": {
                "bottleneck": {
                    **{"from": "R1", "to": "R2", "rate": RATE, "delay": "2ms", "watch": True},
                    "queue": dict(QUEUES[self.queue]),
                },
                "near": {"from": "A", "to": "R1", "rate": "1Gbit", "delay": "8ms", **edge},
                "far": {"from": "B", "to": "R1", "rate": "1Gbit", "delay": "48ms", **edge},
            },
            "traffic": {
                "near": {**tcp, **starts, "from": "A", "to": "R2"},
                "far": {**tcp, **starts, "from": "B", "to": "R2"},
            },
        }


def read(run: dict[str, Any]) -> dict[str, float | list[float]]:
    """The numbers of a run that are stored."""
    link = run["links"]["bottleneck"]
    return {
        "delay_ms": 1000 * link["delay_mean_s"],
        "p99_ms": 1000 * link["delay_p99_s"],
        "sd_ms": 1000 * link["delay_sd_s"],
        "utilization": 100 * link["utilization"],
        "loss": 100 * link["loss_rate"],
        "jain": link["jain"],
    }


def cells() -> list[Cell]:
    """Every queue with every sender and load."""
    return [Cell(queue, sender, flows) for queue in QUEUES for sender in SENDERS for flows in LOADS]


class Results:
    """All measured cells."""

    def __init__(self, cells: Mapping[str, Mapping[str, list[float]]]) -> None:
        self.cells = cells

    @classmethod
    def load(cls) -> Results:
        """The stored results."""
        return cls(measured.load(DATA)[0])

    def of(self, metric: str, queue: str, sender: str, flows: int) -> RunSample:
        """A metric of each run of a cell."""
        return RunSample(self.cells[Cell(queue, sender, flows).name][metric])


def main() -> None:
    """Measure if requested, then write the page."""
    asked = Asked.parse(__doc__)
    if asked.measure:
        measured.measure(DATA, {cell.name: cell.scenario() for cell in cells()}, SEEDS, read, Store(asked.store))
    import recommendations_page

    write_text(PAGE, recommendations_page.page(Results.load()))


if __name__ == "__main__":
    main()
