"""DSDRR's limit W on the number of marked queues: its initial value and its benefit (Section 3)."""

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import penstock as ps
from penstock.reproduce.figure import (
    Claim,
    QuickOrFull,
    Readings,
    Sweep,
    Table,
    claims_if_measured,
    every,
    metric,
    table_statement,
    within,
)
from penstock.results.condition import Condition

from . import setup
from .setup import (
    FULL_W,
    HELD,
    HOSTS,
    NEVER,
    SEEN,
    TRIPS,
    buffer_figure,
    claim,
    fast,
    in_authors_setup,
    queue,
    run_span,
    slow,
    used,
)

FORMS: Mapping[str, Mapping[str, Any]] = {
    "W from 2 %": {"w_init": 0.02},
    "W from 10 %": {},
    "W from 30 %": {"w_init": 0.3},
    "W at 50 %": FULL_W,
    "no limit": {"w_init": 1.0, "w_max": 1.0, "interval": NEVER},
    "W stays at 10 %": {"interval": NEVER},
}
PRINTED, CHOSEN, FREE = "W from 10 %", "W at 50 %", "no limit"
STARTS = [name for name in FORMS if name.startswith("W from")]
MOST = "W falls to one more than the most queues marked within T"
MARKED = Readings({"now": "", "most": MOST})


def _scenario(form: str, marked: str, buffer: int) -> ps.Scenario:
    return setup.two_round_trips("long", queue("DSDRR", buffer, marked=marked, **FORMS[form]), run_span(TRIPS).full)


# Long flows of two round trips with the hosts of the author's set-up. When a period T ends without an overflow, W falls
# as in the prose, to one more than the number of queues marked at that moment (now), or to one more than the largest
# number within T (most).
study = in_authors_setup(
    Sweep(
        _scenario,
        {
            "form": QuickOrFull([*STARTS[::2], FREE], list(FORMS)),
            "marked": QuickOrFull(["now"], ["now", "most"]),
            "buffer": QuickOrFull([400], [200, 400, 1000, 5000]),
        },
        span=run_span(TRIPS),
        where=lambda form, marked, buffer: form in STARTS or marked == "now",
    ),
    HOSTS,
)


def measure(run: ps.Run) -> dict[str, float | None]:
    """The numbers of `setup.measure`, and the fraction of losses that are overflows."""
    link = run.links["hop0"]
    return {**setup.measure(run), "overflow": link.drops_overflow / link.drops if link.drops else None}


overflow = metric("overflow", says="overflows of all losses")
without = used(form=FREE, marked="now")


def _alike(table: Table) -> Condition:
    """The goodputs with any two initial values of W in a table are alike."""
    pairs = list(combinations([form for form in STARTS if table.has(form=form)], 2))
    near = [(g(form=first) - g(form=second)).between(-3, 3) for g in (slow, fast) for first, second in pairs]
    return every(*near)(buffer=SEEN).on_table(table)


CLAIMS = (
    claim(
        "c28",
        table_statement(
            _alike, "W from 2 to 30 % of the queues: goodputs of a kind of flows differ by <= 3 points, each buffer"
        )(marked=MARKED),
        "W from 2 to 30 % of the queues: goodputs of a kind of flows differ by <= 3 points, each buffer",
    ),
    *claims_if_measured(
        {"form": PRINTED},
        claim(
            "c29",
            (without < used(form=CHOSEN, marked="now"))(buffer=SEEN),
            others={
                words: (without < used(form=form, marked=marked))(buffer=SEEN)
                for words, form, marked in (
                    ("W as in the prose", PRINTED, "now"),
                    (MOST, PRINTED, "most"),
                    (HELD, "W stays at 10 %", "now"),
                )
            },
        ),
        Claim(
            "discard-state/overflow",
            "with W as printed many packets are lost for lack of room, without the limit none",
            every(overflow(form=FREE) <= 0, overflow(form=PRINTED) >= 0.3)(marked="now", buffer=within(200, 1000)),
            reading="no claim of the work",
        ),
    ),
)

draw = buffer_figure("g_slow", "goodput, 200 ms (%)", by="form", where={"marked": "now"})
