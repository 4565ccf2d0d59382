"""DSDRR's limit W on the number of marked queues: where it begins, and what it is good for (Section 3)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.kantawala_turner_2005 import setup
from penstock.papers.kantawala_turner_2005.setup import NEVER, place, queue, sizes, times, two_round_trips
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

FORMS: Mapping[str, Mapping[str, Any]] = {
    "W from 2 %": {"w_init": 0.02},
    "W from 10 %": {},
    "W from 30 %": {"w_init": 0.3},
    "no limit": {"w_init": 1.0, "w_max": 1.0, "interval": NEVER},
    "W stays at 10 %": {"interval": NEVER},
}
STARTS = [name for name in FORMS if name.startswith("W from")]
RULES = {"now": "", "most": "W falls to one more than the most queues marked within T"}


def study(effort: Effort) -> Study:
    """Long flows of two round trips, with W as figure 1 changes it (now) and by the other reading (most)."""
    span = times(effort, "two round trips")
    return Study(
        lambda form, marked, buffer: two_round_trips(
            "long", queue("DSDRR", buffer, marked=marked, **FORMS[form]), span
        ),
        {
            "form": effort.choose([*STARTS[::2], "no limit"], list(FORMS)),
            "marked": effort.choose(["now"], list(RULES)),
            "buffer": effort.choose([400], [200, 400, 1000, 5000]),
        },
        seeds=5,
        where=lambda form, marked, buffer: form in STARTS or marked == "now",
    )


def claims(table: Table) -> Iterator[Claim]:
    """Claims c28 and c29."""
    here = sizes(table)
    for marked in table.axis("marked"):
        part = table.where(marked=marked)
        starts = [form for form in STARTS if part.has(form=form)]
        yield Claim(
            id="c28",
            says="where W begins does not matter",
            expected="W from 2 to 30 % of the queues: goodputs of a kind of flows differ by <= 3 points, each B",
            reading=RULES[marked],
            holds=all_of(
                (part(metric, form=one, buffer=b) - part(metric, form=other, buffer=b))
                .between(-3, 3)
                .at(f"{metric}, {one} and {other}, B = {b}")
                for metric in ("g_slow", "g_fast")
                for b in here
                for one, other in itertools.combinations(starts, 2)
            ),
        )
    if table.has(form="W from 10 %"):
        yield from _without(table)


def _without(table: Table) -> Iterator[Claim]:
    """Claim c29, against W as figure 1 changes it, by the other reading of that, and held."""
    for form, marked, reading in (
        ("W from 10 %", "now", ""),
        ("W from 10 %", "most", RULES["most"]),
        ("W stays at 10 %", "now", "W stays at its initial 10 % of the queues"),
    ):
        yield Claim(
            id="c29",
            says="without the limit too many queues are marked, and throughput is poor",
            expected="utilization without a limit < with W, each B",
            reading=reading,
            because=""
            if reading
            else "as printed overflows are two fifths of the losses from 200 to 1000 packets; without a limit none "
            "occur, and no more is lost than with W held (discard-state)",
            holds=all_of(
                (
                    table("utilization", form="no limit", marked="now", buffer=b)
                    < table("utilization", form=form, marked=marked, buffer=b)
                ).at(place("no limit", b))
                for b in sizes(table)
            ),
        )
    yield Claim(
        id="discard-state/overflow",
        says="with W as printed many packets are lost for lack of room, without the limit none",
        reading="no claim of the work",
        expected="overflows of all losses: without a limit 0, as printed >= 0.3; B = 200, 400 and 1000",
        holds=all_of(
            condition.at(f"B = {b}")
            for b in sizes(table, 200, 1000)
            for condition in (
                table("overflow", form="no limit", marked="now", buffer=b) <= 0,
                table("overflow", form="W from 10 %", marked="now", buffer=b) >= 0.3,
            )
        ),
    )


def measure(run: ps.Run) -> dict[str, float | None]:
    """As in the other experiments, and how much of the losses is for lack of room."""
    link = run.links["hop0"]
    return {**setup.measure(run), "overflow": link.drops_overflow / link.drops if link.drops else None}


def draw(shown: Shown) -> Figure:
    """Goodput of the flows of 200 ms, W as figure 1 changes it."""
    return curves(
        shown,
        "buffer",
        "g_slow",
        "form",
        where={"marked": "now"},
        labels=("buffer (packets)", "goodput, 200 ms (%)"),
        log="x",
    )
