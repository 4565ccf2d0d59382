"""Why c10 and c19 fail: losses of Reno, of SACK, and of NewReno, which does not time out after several losses."""

from typing import Any

import penstock as ps
from penstock.reproduce.figure import Claim, QuickOrFull, claims_if_measured

from . import setup
from .setup import HALF, loss, network, wred

FORMS = {"strict": "c10", "gentle": "c19"}


def scenario(tcp: Any, form: str, x: float) -> ps.Scenario:
    """DFQ with one kind of TCP."""
    return network(wred("DFQ", form), tcp, x)


study = setup.average_sweep(
    scenario,
    {
        "tcp": ["reno", "newreno", "sack"],
        "form": QuickOrFull(["strict"], list(FORMS)),
        "x": QuickOrFull([HALF], [0.2, 2.6, HALF, 8.0]),
    },
    QuickOrFull(5, 8),
    "40s",
)

CLAIMS = tuple(
    claim
    for form, id_ in FORMS.items()
    for claim in claims_if_measured(
        {"form": form},
        Claim(
            id_,
            "with DFQ Reno and SACK lose alike",
            (loss(tcp="sack") / loss(tcp="newreno")).between(0.85, 1.15)(form=form),
            reading=f"NewReno instead of Reno, {form} WRED",
        ),
    )
)

draw = setup.sweep_figure("loss", "loss with DFQ (%)", by="tcp", scale=100, form="strict")
