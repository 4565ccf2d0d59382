"""The reference cells, and the rule by which a result of penstock agrees with one of them."""

import json
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "tests" / "data" / "ns2"

FILES = (
    "thesis_link",
    "queue_law",
    "red_family",
    "open_loop",
    "open_flows",
    "multirtt",
    "wred",
    "fec",
    "thesis_claims",
    "thesis_setup",
    "kt_claims",
    "br_claims",
)


@dataclass(frozen=True)
class Reference:
    """The result of ns-2: mean and sample standard deviation over `n` seeds."""

    mean: float
    sd: float | None
    n: int


@dataclass(frozen=True)
class Cell:
    """One configuration of a reference file with everything measured there."""

    file: str
    settings: dict[str, str | int | float]
    metrics: dict[str, Reference]

    @property
    def name(self) -> str:
        """The settings in one line, such as ``topo=same scheme=RED N=3 minrto=1.0``."""
        return " ".join(f"{key}={value}" for key, value in self.settings.items())


@dataclass(frozen=True)
class Comparison:
    """A number of penstock beside that of the reference."""

    cell: Cell
    metric: str
    ours: float
    ours_sd: float
    runs: int
    theirs: Reference
    tolerance: float

    @property
    def agrees(self) -> bool:
        """Whether the two differ by no more than the tolerance."""
        return abs(self.ours - self.theirs.mean) <= self.tolerance


def load(file: str) -> list[Cell]:
    """All cells of a reference file."""
    document = json.loads((DATA / f"{file}.json").read_text(encoding="utf-8"))
    cells = []
    for record in document["cells"]:
        metrics = {name: Reference(*values) for name, values in record.pop("metrics").items()}
        cells.append(Cell(file, record, metrics))
    return cells


def compare(cell: Cell, metric: str, ours: Sequence[float]) -> Comparison:
    """Set our runs beside the reference.

    They agree when ``|a - b| <= max(2.2 sqrt(s_a^2 / n_a + s_b^2 / n_b), 3 % of b)``, with 8 % for variances (4 % where
    the standard deviation stands for it) and ``s_b = s_a`` where the reference has fewer than three seeds.
    """
    theirs = cell.metrics[metric]
    mean, sd = statistics.fmean(ours), statistics.stdev(ours)
    theirs_sd = sd if theirs.sd is None or theirs.n < 3 else theirs.sd
    noise = 2.2 * math.sqrt(sd**2 / len(ours) + theirs_sd**2 / theirs.n)
    kind = metric.rpartition(".")[2]
    share = {"q_var": 0.08, "q_sd": 0.04}.get(kind, 0.03)
    return Comparison(cell, metric, mean, sd, len(ours), theirs, max(noise, share * abs(theirs.mean)))
