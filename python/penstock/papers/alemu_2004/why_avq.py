"""Why the figures of chapter 4 have AVQ otherwise: it may count packets, and its rule gives nothing below 53 flows.

The thesis gives all lengths in packets, and AVQ's equations leave the unit open; with bytes, as in ns-2, short
acknowledgements hardly count. "charge" is the paper's AVQ, in whose rate dropped packets count, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import penstock as ps
from penstock.papers.alemu_2004 import controllers, fig4_6, fig4_7
from penstock.papers.alemu_2004.controllers import Eight, others
from penstock.papers.alemu_2004.judge import sweep
from penstock.papers.alemu_2004.measures import Numbers, of_controllers
from penstock.papers.alemu_2004.setup import BUFFER, GRID, R_DESIGN, C, load4
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.table import Table
from penstock.scenario.scenario import Document
from penstock.studies.study import Study

__all__ = ["claims", "measure", "study"]

COUNTS = {"packets": "refill", "packets, dropped ones too": "charge"}
"""What a dropped packet does to the virtual queue."""
HOLDS = {"packets": ["fig4.7a/c1"], "packets, dropped ones too": ["fig4.6b/c1", "fig4.6c/c1"]}


def study(effort: Effort) -> Study:
    """The schemes of chapter 4 with equal round trips; AVQ and AVQ* with bytes and with packets."""
    flows = effort.choose([3, 53, 103], GRID)
    seeds = effort.choose(5, 10)

    def counted(scheme: str, flows: int, counts: str) -> Document:
        document = load4(scheme, flows).document()
        for key, value in (("measure_in", "packets"), ("buffer", f"{BUFFER}p"), ("on_drop", COUNTS[counts])):
            document = document.set(f"links.bottleneck.queue.{key}", value, "vary")
        return document

    axes: Mapping[str, Sequence[Any]] = {"scheme": ["AVQ", "AVQ*"], "flows": flows, "counts": list(COUNTS)}
    plain: Mapping[str, Sequence[Any]] = {"scheme": controllers.ALL, "flows": flows}
    return Study(load4, plain, seeds=seeds, labels={"topology": "same"}) + Study(
        counted, axes, seeds=seeds, labels={"topology": "same"}
    )


def measure(run: ps.Run) -> Numbers:
    """What the figures show."""
    return of_controllers(run)


def claims(table: Table) -> Iterator[Claim]:
    """What holds if packets are counted, and AVQ* where its rule has a solution."""
    flows = table.axis("flows")
    for counts, own in HOLDS.items():
        chosen = Table([cell for cell in table.cells if _shown(cell[0].get("counts"), cell[0]["scheme"], counts)])
        for claim in (*fig4_6.claims(chosen), *fig4_7.claims(chosen)):
            if claim.id in own and not claim.reading:
                yield replace(claim, id=f"why-avq/{claim.id}", says=f"AVQ counts {counts}: {claim.says}", reading="own")
    bytes_ = Table([cell for cell in table.cells if cell[0].get("counts") is None])
    eight = Eight(bytes_, "same")
    found = [n for n in flows if n >= 23]
    yield Claim(
        id="why-avq/shortest",
        says="from 23 flows on AVQ* has the shortest queue; below 53 its rule as printed has no alpha",
        expected="AQS below the seven others for N >= 23; no solution of (1.18), (1.19) for N < 53",
        holds=all_of(
            sweep(eight.below("AQS", "AVQ*", others("AVQ*"), found)),
            *((Sample(float(_alpha(n) is None)) >= 1.0).at(f"{n} flows") for n in flows if n < 53),
        ),
        reading="own",
    )


def _shown(counted: str | None, scheme: str, counts: str) -> bool:
    return counted == (counts if scheme.startswith("AVQ") else None)


def _alpha(flows: int) -> float | None:
    found = float(ps.model.avq_alpha(flows, R_DESIGN["same"], C, reading="printed"))
    return found if found == found else None
