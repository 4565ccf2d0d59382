"""Why PSAND loses less in the thesis: its acknowledgements pass a queue in which only two packets wait.

In the author's set-up as reconstructed the queue of the other direction is nearly closed in runs of PSAND with Min 0, and
open in those of the other schemes. Here each scheme has each kind of reverse queue. A closed one is a RED that drops every
packet from an average of two on, so that nothing here depends on how PSAND came to have one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import penstock as ps
from penstock.reproduce.figure import Choice, Claim, Number, Sweep, every
from penstock.scenario.scenario import Document, as_document

from . import panels, why
from .reconstruction import CHOSEN
from .setup import ADAPTIVE, EMPTY, OTHERS, PLR, load

REVERSES = ["open", "closed"]
CLOSED: Mapping[str, Any] = {"scheme": "red", "limit": "35p", "min_th": 0, "max_th": 2, "max_p": 1, "w_q": 1}
FLOWS = [3, 8, 28, 103]
BY = {PLR.text: "loses less", EMPTY.text: "is empty less often"}


def _scenario(scheme: str, reverse: str, flows: int) -> Document:
    document = CHOSEN._replace(change="1").applied(as_document(load(ADAPTIVE[scheme](), flows)))
    return document.set("links.bottleneck.reverse.queue", CLOSED) if reverse == "closed" else document


own = why.own("equal-paths")


def _against(number: Number, psand: str, others: str) -> tuple[Number, Number]:
    return number(scheme="PSAND", reverse=psand), number(scheme=OTHERS, reverse=others)


def _claims(number: Number) -> tuple[Claim, ...]:
    """With the paths of the tables PSAND is better, at the loads of Table 2.2; with equal paths worse at every load."""
    ours, theirs = _against(number, "closed", "open")
    text = BY[number.text]
    return (
        own(
            f"implied-{number.text}",
            (ours < theirs)(flows=[3, 28]),
            says=f"PSAND, its reverse queue closed, {text} than RED and the adaptive REDs, theirs open",
        ),
        *(
            own(
                f"both-{reverse}-{number.text}",
                every(*(a > b for a, b in [_against(number, reverse, reverse)])),
                says=f"with both reverse queues {reverse} none of RED and the adaptive REDs {text.replace('less', 'more')} than PSAND",
            )
            for reverse in REVERSES
        ),
    )


study = Sweep(
    _scenario,
    {"scheme": list(ADAPTIVE), "reverse": REVERSES, "flows": FLOWS},
    seeds=Choice(5, 30),
)
CLAIMS = (*_claims(PLR), *_claims(EMPTY))
draw = panels.of(
    *(
        panels.Panel("flows", number, "scheme", {"reverse": reverse})
        for number in ("PLR", "empty")
        for reverse in REVERSES
    )
)
