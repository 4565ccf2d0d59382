"""Why the figures of chapter 4 have AVQ otherwise: it may count packets, and its rule gives nothing below 53 flows.

The thesis gives all lengths in packets, and AVQ's equations leave the unit open; with bytes, as in ns-2, short
acknowledgements hardly count. "charge" is the paper's AVQ, in whose rate dropped packets count, too.
"""

import penstock as ps
from penstock.reproduce.figure import Choice, Statement, Sweep, Table, at_least, by_table, every
from penstock.results.sample import Condition, Sample, all_of
from penstock.results.table import Labels
from penstock.scenario.scenario import Document

from . import equal_trips, why
from .controllers import ALL, AVQS, lower, others
from .judge import swept
from .setup import AQS, BUFFER, GRID, R_DESIGN, C, load4

COUNTS = {"packets": "refill", "packets, dropped ones too": "charge"}
"""What a dropped packet does to the virtual queue."""


def _counted(scheme: str, flows: int, counts: str) -> Document:
    document = load4(scheme, flows).document()
    for key, value in (("measure_in", "packets"), ("buffer", f"{BUFFER}p"), ("on_drop", COUNTS[counts])):
        document = document.set(f"links.bottleneck.queue.{key}", value, "vary")
    return document


# The schemes of chapter 4 with equal round trips; AVQ and AVQ* with bytes and with packets.
FLOWS = Choice([3, 53, 103], GRID)
study = Sweep(load4, {"scheme": ALL, "flows": FLOWS}, Choice(5, 10), labels={"topology": "same"}) + Sweep(
    _counted, {"scheme": AVQS, "flows": FLOWS, "counts": list(COUNTS)}, Choice(5, 10), labels={"topology": "same"}
)


def _counting(counts: str | None, holds: Statement) -> Statement:
    """A statement on the runs in which AVQ and AVQ* count this: `None` for bytes."""

    def chosen(labels: Labels) -> bool:
        return bool(labels.get("counts") == (counts if labels["scheme"] in AVQS else None))

    return why.among(chosen, holds, "counts")


def _unsolved(table: Table) -> Condition:
    """AVQ*'s rule as printed gives no alpha below 53 flows."""
    alphas = {
        n: float(ps.model.avq_alpha(n, R_DESIGN["same"], C, reading="printed")) for n in table.axis("flows") if n < 53
    }
    return all_of((Sample(float(alpha != alpha)) >= 1.0).at(f"{n} flows") for n, alpha in alphas.items())


own = why.own("why-avq")
HOLDS = {"fig4.7a/c1": "packets", "fig4.6b/c1": "packets, dropped ones too", "fig4.6c/c1": "packets, dropped ones too"}
KNOWN = {claim.id: claim for claim in (*equal_trips.fig4_6.CLAIMS, *equal_trips.fig4_7.CLAIMS)}

CLAIMS = (
    *(
        own(
            id_, f"AVQ counts {counts}: {KNOWN[id_].says}", _counting(counts, KNOWN[id_].statement), KNOWN[id_].expected
        )
        for id_, counts in HOLDS.items()
    ),
    own(
        "shortest",
        "from 23 flows on AVQ* has the shortest queue; below 53 its rule as printed has no alpha",
        every(
            _counting(None, swept(lower(AQS, "AVQ*", others("AVQ*"))(flows=at_least(23)))),
            by_table(_unsolved, "no solution of (1.18), (1.19) for N < 53"),
        ),
        "AQS below the seven others for N >= 23; no solution of (1.18), (1.19) for N < 53",
    ),
)
