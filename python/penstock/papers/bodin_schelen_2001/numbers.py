"""Readings of the set-up, by the printed numbers that they meet."""

import itertools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from penstock.reproduce.changes import combined_change
from penstock.reproduce.effort import Change
from penstock.reproduce.figure import Table
from penstock.reproduce.printed_numbers import PrintedNumber, PrintedNumbers
from penstock.results.sample import RunSample, per_run

from . import setup
from .setup import (
    HALF,
    IN_RATES,
    MUCH,
    SETTINGS,
    STRATEGIES,
    earlier_timer,
    measure,
    with_acks_in_profile,
    with_ns2_tagger,
)

TIMERS: Mapping[str, Change | None] = {"1 s": None, "0.2 s": earlier_timer}
TAGGERS: Mapping[str, Change | None] = {"RFC": None, "ns-2": with_ns2_tagger}
ACKS: Mapping[str, Change | None] = {"out": None, "in": with_acks_in_profile}
READINGS = {
    f"{timer}, {tagger}, {acks}": combined_change(TIMERS[timer], TAGGERS[tagger], ACKS[acks])
    for timer, tagger, acks in itertools.product(TIMERS, TAGGERS, ACKS)
}
"""The minimum timeout, the tagger, and whether acknowledgements are in profile."""
STRICT = "Reno, strict"
AT_ENDS = [HALF, MUCH, IN_RATES[-1]]

_study = setup.average_sweep(
    setup.scenario,
    {"setting": list(SETTINGS), "strategy": STRATEGIES, "x": IN_RATES},
    quick="130s",
)
_study = replace(_study, where=lambda setting, strategy, x: setting == STRICT or x in AT_ENDS)


def _over_sweep(table: Table, metric: str, strategy: str) -> list[RunSample]:
    return [table(metric, setting=STRICT, strategy=strategy, x=x) for x in IN_RATES]


def _rate_of_least(table: Table) -> RunSample:
    """The rate in profile at which DA has the lowest throughput."""
    return per_run(lambda throughputs: IN_RATES[int(np.argmin(throughputs))], _over_sweep(table, "goodput", "DA"))


def _knee(table: Table) -> RunSample:
    """The rate above which the loss out of profile rises less steeply with DA: the bend of the two lines that fit best.

    0 where the best bend is upward. Only bends with three rates or more on each side are tried.
    """

    def of_run(losses: Any) -> float:
        best = (float("inf"), 0.0)
        for bend in range(2, len(IN_RATES) - 2):
            sides = [slice(0, bend + 1), slice(bend, None)]
            fits = [np.polyfit(IN_RATES[side], losses[side], 1, full=True) for side in sides]
            error = sum(float(fit[1].sum()) for fit in fits)
            best = min(best, (error, IN_RATES[bend] if fits[0][0][0] > fits[1][0][0] else 0.0))
        return best[1]

    return per_run(of_run, _over_sweep(table, "loss_out", "DA"))


def _ratio(table: Table, metric: str, above: Mapping[str, Any], below: Mapping[str, Any]) -> RunSample:
    return table(metric, **above) / table(metric, **below)


def _strategies(metric: str, setting: str, x: float) -> Any:
    """DA over DFQ."""
    at = {"setting": setting, "x": x}
    return lambda table: _ratio(table, metric, {**at, "strategy": "DA"}, {**at, "strategy": "DFQ"})


def _senders(form: str, strategy: str, x: float) -> Any:
    """Losses of SACK over those of Reno."""
    at = {"strategy": strategy, "x": x}
    return lambda table: _ratio(table, "loss", {**at, "setting": f"SACK, {form}"}, {**at, "setting": f"Reno, {form}"})


LAST = IN_RATES[-1]
NUMBERS = (
    PrintedNumber("Mb/s of least throughput, DA", 5.6, 4.4, 6.8, _rate_of_least, True),
    PrintedNumber("average DA / DFQ, SACK, gentle", 2, 1.6, 2.5, _strategies("avg_mean", "SACK, gentle", HALF), True),
    PrintedNumber("Mb/s above which loss out rises less", 7, 5.8, 8.2, _knee),
    PrintedNumber("throughput DA / DFQ at 9.2 Mb/s", 1, 0.99, 1.01, _strategies("goodput", STRICT, LAST)),
    PrintedNumber("average DA / DFQ, Reno, strict", 1, 0.85, 1.15, _strategies("avg_mean", STRICT, HALF)),
    PrintedNumber("loss DA / DFQ at 9.2 Mb/s", 1, 0.9, 1.1, _strategies("loss", STRICT, LAST)),
    PrintedNumber("throughput DA / DFQ, SACK, gentle", 1, 0.99, 1.01, _strategies("goodput", "SACK, gentle", HALF)),
    PrintedNumber("loss SACK / Reno, DFQ, strict", 1, 0.85, 1.15, _senders("strict", "DFQ", HALF)),
    PrintedNumber("loss SACK / Reno, DA, gentle, 8 Mb/s", 1.04, 1, 1.08, _senders("gentle", "DA", MUCH)),
    PrintedNumber("loss SACK / Reno, DFQ, gentle, 8 Mb/s", 1.04, 1, 1.08, _senders("gentle", "DFQ", MUCH)),
)
READ = PrintedNumbers(NUMBERS, READINGS, "0.2 s, ns-2, out")

table = READ.table(_study, measure)
CLAIMS = (READ.claim("numbers"),)
draw = READ.draw
