"""Why c10 and c19 fail: losses of Reno, of NewReno, which lacks Reno's timeouts after several losses, and of SACK."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.bodin_schelen_2001 import sweep
from penstock.papers.bodin_schelen_2001.setup import HALF, network, wred
from penstock.papers.bodin_schelen_2001.sweep import of_average
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

measure = sweep.measure
FORMS = {"strict": "c10", "gentle": "c19"}


def study(effort: Effort) -> Study:
    """DFQ at three rates in profile; eight runs."""
    duration = effort.choose("40s", "130s")

    def scenario(tcp: Any, form: str, x: float) -> ps.Scenario:
        return network(wred("DFQ", form), tcp, x, duration=duration)

    return Study(
        scenario,
        {
            "tcp": ["reno", "newreno", "sack"],
            "form": effort.choose(["strict"], list(FORMS)),
            "x": effort.choose([HALF], [0.2, 2.6, HALF, 8.0]),
        },
        seeds=effort.choose(5, 8),
        keep=of_average,
    )


def claims(table: Table) -> Iterator[Claim]:
    """Other readings of c10 and c19: NewReno in the place of Reno."""
    for form in table.axis("form"):
        yield Claim(
            id=FORMS[form],
            says="with DFQ Reno and SACK lose alike",
            reading=f"NewReno instead of Reno, {form} WRED",
            expected="loss of all traffic, DFQ: SACK / NewReno within 15 %",
            holds=all_of(
                (table("loss", tcp="sack", form=form, x=x) / table("loss", tcp="newreno", form=form, x=x))
                .between(0.85, 1.15)
                .at(f"{x:g} Mb/s")
                for x in table.axis("x")
            ),
        )


def draw(shown: Shown) -> Figure:
    """Loss with DFQ and strict WRED."""
    labels = ("in profile (Mb/s)", "loss with DFQ (%)")
    return curves(shown, "x", "loss", "tcp", where={"form": "strict"}, labels=labels, scale=100)
