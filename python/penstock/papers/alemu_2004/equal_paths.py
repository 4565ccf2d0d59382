"""Why PSAND loses less in the thesis: its acknowledgements pass a queue in which only two packets wait.

In the author's set-up as reconstructed the reverse queue is nearly closed in runs of PSAND with Min 0, and open in runs
of the other schemes. Here each scheme runs with both kinds of reverse queue. The closed queue is a PSAND whose change
is 0 / 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from penstock.reproduce.figure import Claim, QuickOrFull, Sweep
from penstock.scenario.document import Document, as_document

from . import panels
from .own import own_claim_factory
from .reconstruction import CHOSEN
from .setup import ADAPTIVE, AREDS, EMPTY, PLR, psand, steady_flows_scenario

REVERSES = ["open", "closed"]
FLOWS = [3, 8, 28, 103]
NUMBERS = {"PLR": (PLR, "loses"), "empty": (EMPTY, "is empty")}
LESS, MORE = {"PLR": "less", "empty": "less often"}, {"PLR": "more", "empty": "more often"}


def _scenario(scheme: str, reverse: str, flows: int) -> Document:
    document = CHOSEN._replace(change="1").scenario_change(
        as_document(steady_flows_scenario(ADAPTIVE[scheme](), flows))
    )
    return document.set("links.bottleneck.reverse.queue", _closed()) if reverse == "closed" else document


def _closed() -> Mapping[str, Any]:
    """PSAND after 0 / 0."""
    queue: Mapping[str, Any] = CHOSEN.scenario_change(as_document(steady_flows_scenario(psand(), 3))).tree["links"][
        "bottleneck"
    ]["queue"]
    return queue


own = own_claim_factory("equal-paths")


def _claims(name: str) -> tuple[Claim, ...]:
    """With the paths of the tables PSAND is better at 28 flows (Table 2.2); with equal paths, worse at all loads."""
    number, does = NUMBERS[name]
    ours, theirs = number(scheme="PSAND"), number(scheme=AREDS)
    return (
        own(
            f"implied-{name}",
            (ours(reverse="closed") < theirs(reverse="open"))(flows=28),
            says=f"28 flows: PSAND, its reverse queue closed, {does} {LESS[name]} than the adaptive REDs, theirs open",
        ),
        *(
            own(
                f"{reverse}-{name}",
                (ours > theirs)(reverse=reverse),
                says=f"with {reverse} reverse queues PSAND {does} {MORE[name]} than the adaptive REDs at each load",
            )
            for reverse in REVERSES
        ),
    )


study = Sweep(
    _scenario,
    {"scheme": list(ADAPTIVE), "reverse": REVERSES, "flows": FLOWS},
    seeds=QuickOrFull(5, 30),
)
CLAIMS = (*_claims("PLR"), *_claims("empty"))
draw = panels.panel_figure(
    *(
        panels.Panel("flows", number, "scheme", {"reverse": reverse})
        for number in ("PLR", "empty")
        for reverse in REVERSES
    )
)
