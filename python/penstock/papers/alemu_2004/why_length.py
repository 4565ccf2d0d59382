"""A shorter queue loses more: among the schemes with unequal round trips, and among the thresholds of PSAND.

`fig2.9/length-PLR` shows it for RED, the adaptive REDs and PSAND. That a scheme has both the shorter queue and fewer
losses is against it. AVQ is left out: it counts bytes, and hardly drops acknowledgements.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from penstock.papers.alemu_2004 import judge
from penstock.papers.alemu_2004.measures import of_queue as measure
from penstock.papers.alemu_2004.setup import CONTROLLERS, load, load4, psand
from penstock.papers.alemu_2004.tab3_1 import MAXIMA, MINIMA
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "measure", "study"]

SCHEMES = [scheme for scheme in CONTROLLERS if not scheme.startswith("AVQ")]
MANY = [73, 88, 103]
"""Numbers of flows at which PSAND is said to lose least (Section 4.6.2)."""


def study(effort: Effort) -> Study:
    """Six schemes with many flows, and the rows of Table 3.1."""
    seeds = effort.choose(5, 20)
    thresholds: Mapping[str, list[Any]] = {"max_th": MAXIMA, "min_th": MINIMA}
    return Study(
        lambda scheme, flows: load4(scheme, flows, "diff"),
        {"scheme": SCHEMES, "flows": effort.choose([103], MANY)},
        seeds=seeds,
        labels={"part": "schemes"},
    ) + Study(
        lambda max_th, min_th: load(psand(1, 1, 0.5, min_th=min_th, max_th=max_th), 23),
        thresholds,
        seeds=seeds,
        labels={"part": "thresholds", "flows": 23},
    )


def claims(table: Table) -> Iterator[Claim]:
    """In each part, at each load."""
    for part, what in (
        ("schemes", "BLUE, PI, REM, LRED, LRED* and PSAND with unequal round trips"),
        ("thresholds", "the rows of Table 3.1"),
    ):
        own = table.where(part=part)
        for n in own.axis("flows"):
            _, samples = zip(*own.where(flows=n).cells, strict=True)
            order = judge.rank_correlations([of["AQS"] for of in samples], [of["PLR"] for of in samples])
            yield Claim(
                id=f"why-length/{part}-{n}",
                says=f"{what}, {n} flows: the shorter the queue, the more it loses",
                expected="rank correlation of AQS and PLR below 0",
                holds=order < 0.0,
                reading="own",
            )
