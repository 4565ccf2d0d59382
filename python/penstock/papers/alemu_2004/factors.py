"""What Figures 2.12 to 2.14 have in common: PSAND's factor and power (Section 2.4.3)."""

from __future__ import annotations

from penstock.papers.alemu_2004.setup import ADAPTIVE, load, psand
from penstock.reproduce.experiment_run import Effort
from penstock.results.table import Table
from penstock.studies.study import Study

COEFS = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3]
GAMMAS = [0.25, 0.5, 1, 1.5, 2]
FLOWS = [3, 53, 73, 103]


def study(effort: Effort) -> Study:
    """PSAND with each factor and power, and the adaptive REDs, whose labels are `scheme` and `flows` (guess 12)."""
    flows, seeds = effort.choose([3, 103], FLOWS), effort.choose(5, 100)
    return Study(
        lambda coef, gamma, flows: load(psand(coef, gamma), flows),
        {"coef": effort.choose([0.5, 1, 1.75, 3], COEFS), "gamma": effort.choose([0.25, 1.5], GAMMAS), "flows": flows},
        seeds=seeds,
    ) + Study(
        lambda scheme, flows: load(ADAPTIVE[scheme](), flows),
        {"scheme": ["Feng", "Floyd"], "flows": flows},
        seeds=seeds,
    )


def large(table: Table) -> list[int]:
    """The numbers of flows that count as many."""
    return [n for n in table.axis("flows") if n > 3]
