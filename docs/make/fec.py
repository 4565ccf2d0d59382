"""Forward error correction behind drop-tail and RED: the model of loss batches compared with simulations.

`make fec` runs this script: it measures, then writes the data, the page and its figure. Without `--measure`, only the
page and the figure are written, from the stored data. `fec_page.py` has the text of the page.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import measured
import numpy as np
import numpy.typing as npt
from asked import Asked
from penstock.engine.trace import record_run
from penstock.files import write_text
from penstock.model import LossBatches
from penstock.results.estimate import Estimate, summarize
from penstock.scenario.document import read_document
from penstock.scenario.resolve import Resolved
from penstock.scenario.scenario import Scenario
from penstock.studies.store import Store

ROOT = Path(__file__).resolve().parents[2]
SCENARIO = ROOT / "scenarios" / "thesis_fec.toml"
DATA = ROOT / "docs" / "data" / "fec.json"
BLOCKS = ROOT / "docs" / "data" / "fec_blocks.json"
PAGE = ROOT / "docs" / "explanation" / "fec.md"
FIGURES = ROOT / "docs" / "images"
SEEDS = range(1, 31)
SCHEMES = ("droptail", "red")
CODES = ((16, 1), (16, 4), (8, 2), (80, 8))
LOADS = tuple(range(10, 101, 10))
FAST = "4Mbit"
FAST_LOADS = (10, 30, 50, 70, 90)
FAST_CODES = ((16, 1), (16, 4))


@dataclass(frozen=True)
class Cell:
    """One code and one queue, with a number of TCP flows and a source that sends at `rate` before redundancy."""

    scheme: str
    flows: int
    k: int
    h: int
    rate: str = "500kbit"

    @property
    def name(self) -> str:
        """Key of the cell in the data."""
        return f"{self.scheme} {self.flows} ({self.k},{self.h}) {self.rate}"

    def scenario(self) -> dict[str, Any]:
        """The network of the thesis, with this code and queue."""
        keys = {"k": self.k, "h": self.h, "rate": self.rate}
        settings = [f"traffic.fec.{key}={value}" for key, value in keys.items()]
        settings.append(f"traffic.tcp.count={self.flows}")
        tree = read_document(str(SCENARIO), settings).tree
        if self.scheme == "droptail":
            tree["links"]["bottleneck"]["queue"] = {"scheme": "droptail", "limit": "35p"}
        return tree


def cells() -> list[Cell]:
    """The source of the thesis with four codes, and a source of eight times its rate with two codes."""
    found = [Cell(scheme, n, k, h) for k, h in CODES for n in LOADS for scheme in SCHEMES]
    return found + [Cell(scheme, n, k, h, FAST) for k, h in FAST_CODES for n in FAST_LOADS for scheme in SCHEMES]


def read(run: dict[str, Any]) -> dict[str, float | list[float]]:
    """The numbers of a run that are stored."""
    fec = run["traffic"]["fec"]
    names = {"before": "plr_before", "after": "plr_after", "loss": "loss_rate"}
    return {
        **{name: fec[metric] for name, metric in names.items()},
        "run_lengths": [fec["loss_runs"] * share for share in fec["loss_run_pmf"]],
    }


BLOCK_LOADS = ((20, "500kbit"), (60, "500kbit"), (100, "500kbit"), (30, FAST), (90, FAST))
BLOCK_SEEDS = range(1, 6)


def block_losses() -> dict[str, dict[str, float]]:
    """Mean and variance of the losses per block in some cells with the code (16,4), from traces."""
    found = {}
    for flows, rate in BLOCK_LOADS:
        for scheme in SCHEMES:
            cell = Cell(scheme, flows, 16, 4, rate)
            resolved = Scenario.from_tree(cell.scenario()).resolve()
            losses = np.concatenate([_losses(resolved, seed, cell.k + cell.h) for seed in BLOCK_SEEDS])
            found[cell.name] = {"mean": float(losses.mean()), "variance": float(losses.var())}
            print(f"\r{len(found)} of {2 * len(BLOCK_LOADS)} traces", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return found


def _losses(resolved: Resolved, seed: int, size: int) -> npt.NDArray[np.int64]:
    with tempfile.TemporaryDirectory() as folder:
        record_run(resolved, seed, traced=True).write(Path(folder))
        rows = duckdb.sql(
            f"SELECT seq, event = 'drop' AS lost FROM '{folder}/packets.parquet' WHERE traffic = 'fec' "
            "AND event IN ('arrive', 'drop')"
        ).fetchnumpy()
    lost = np.bincount(rows["seq"][rows["lost"]] // size, minlength=rows["seq"].max() // size + 1)
    return lost[:-1]  # the last block is incomplete


@dataclass(frozen=True)
class Pair:
    """Drop-tail and RED with the same flows and code: the losses after correction, measured and predicted."""

    flows: int
    k: int
    h: int
    loss: tuple[float, float]
    """Loss rates before correction: (drop-tail, RED), as in all tuples below."""
    single: tuple[float, float]
    """Share of the runs of losses with a single loss."""
    after: tuple[float, float]
    difference: Estimate
    """RED minus drop-tail, paired by run."""
    model: tuple[float, float]
    """Predicted from the measured run lengths."""
    thesis: tuple[float, float]
    """Predicted from the shares of the thesis: 0.6 and 0.9 of the runs have one loss, all others two."""
    alone: tuple[float, float]
    """Predicted if all losses are single."""

    @property
    def winner(self) -> str | None:
        """The queue that loses significantly less; None if the interval of the difference contains 0."""
        low, high = self.difference.ci95 or (0.0, 0.0)
        return "RED" if high < 0 else "drop-tail" if low > 0 else None


def says(pair: tuple[float, float]) -> str:
    """The queue with the smaller loss."""
    return "RED" if pair[1] < pair[0] else "drop-tail"


class Results:
    """All measured cells."""

    def __init__(self, cells: Mapping[str, Mapping[str, Sequence[float]]]) -> None:
        self.cells = cells

    @classmethod
    def load(cls) -> Results:
        """The stored results."""
        return cls(measured.load(DATA)[0])

    def pair(self, flows: int, k: int, h: int, rate: str = "500kbit") -> Pair:
        """Both queues of a cell."""
        both = [self.cells[Cell(scheme, flows, k, h, rate).name] for scheme in SCHEMES]
        loss = [float(np.mean(cell["loss"])) for cell in both]
        runs = [self.batches(Cell(scheme, flows, k, h, rate)) for scheme in SCHEMES]

        def model(batches: Sequence[LossBatches]) -> tuple[float, float]:
            first, second = (float(b.residual_loss(p, k, h)) for b, p in zip(batches, loss, strict=True))
            return first, second

        return Pair(
            flows, k, h,
            loss=(loss[0], loss[1]),
            single=(runs[0].sizes[0], runs[1].sizes[0]),
            after=(float(np.mean(both[0]["after"])), float(np.mean(both[1]["after"]))),
            difference=summarize([red - tail for tail, red in zip(both[0]["after"], both[1]["after"], strict=True)]),
            model=model(runs),
            thesis=model([LossBatches((0.6, 0.4)), LossBatches((0.9, 0.1))]),
            alone=model([LossBatches((1.0,))] * 2),
        )  # fmt: skip

    def batches(self, cell: Cell) -> LossBatches:
        """The distribution of its run lengths, over all seeds."""
        counts = np.asarray(self.cells[cell.name]["run_lengths"][:100], dtype=float)
        return LossBatches(tuple(counts / counts.sum()))

    def sweeps(self) -> list[tuple[str, int, int, list[Pair]]]:
        """The pairs of all loads, by rate and code."""
        thesis = [("500kbit", k, h, [self.pair(n, k, h) for n in LOADS]) for k, h in CODES]
        return thesis + [(FAST, k, h, [self.pair(n, k, h, FAST) for n in FAST_LOADS]) for k, h in FAST_CODES]


def main() -> None:
    """Measure if requested, then write the page and its figure."""
    asked = Asked.parse(__doc__)
    if asked.measure:
        write_text(BLOCKS, json.dumps(block_losses(), indent=1) + "\n")
        measured.measure(DATA, {cell.name: cell.scenario() for cell in cells()}, SEEDS, read, Store(asked.store))
    import fec_page

    results = Results.load()
    write_text(PAGE, fec_page.page(results, json.loads(BLOCKS.read_text(encoding="utf-8"))))
    measured.save(fec_page.figure(results), FIGURES / "fec.png")


if __name__ == "__main__":
    main()
