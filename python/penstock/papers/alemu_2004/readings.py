"""The author's set-up: which printed numbers each reading of the text meets.

The readings of chapters 2 to 4 (`Reading`) are the printed one, the chosen one, the chosen one with each of its parts
changed, and one with delayed acknowledgements. They are fitted to Tables 2.2, 2.3 and 3.1; the other tables and the
numbers in the text are held out.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from matplotlib.figure import Figure

import penstock as ps
from penstock.reproduce.changes import combined_change, queue_change, tcp_change
from penstock.reproduce.effort import Change
from penstock.reproduce.figure import (
    Claim,
    Exhibit,
    ReproductionEffort,
    Statement,
    SummaryTable,
    Sweep,
    Table,
    every,
    smallest,
    table_statement,
)
from penstock.reproduce.printed_table import text_table_figure
from penstock.results.condition import Condition, all_of
from penstock.results.sample import RunSample

from . import controllers, judge, measures, methods, symbols, table3_1, tables2, tables5, thresholds
from .changes import AUTOMATIC, DELAYED, unchanged, with_redundancy_in_rate
from .controllers import mean_over_loads
from .factors import GAMMAS
from .measures import Numbers
from .own import own_claim_factory
from .reconstruction import CHOSEN, PRINTED, Reading
from .setup import (
    AQS,
    AREDS,
    CONTROLLERS,
    EMPTY,
    KT,
    LOADS,
    LONGER,
    OTHERS,
    PLR,
    WAQS,
    joining_flows_scenario,
    psand,
    steady_flows_scenario,
)

SEEDS = 5
"""Runs of each cell."""
READINGS = [
    PRINTED,
    Reading(1600, "every 0.1 s", "delayed", "500", "once", "1"),
    CHOSEN,
    CHOSEN._replace(packet=1600),
    CHOSEN._replace(starts="every 0.1 s"),
    CHOSEN._replace(acks="delayed"),
    CHOSEN._replace(mean_packet="1000"),
    CHOSEN._replace(mean_packet="500"),
    CHOSEN._replace(ramp="moving"),
    CHOSEN._replace(change="1"),
]
FITTED = ["Table 2.2", "Table 2.3", "Table 3.1"]
"""Places to which the readings of chapters 2 to 4 are fitted."""


class PrintedComparison(NamedTuple):
    """Runs, and the printed numbers that they measure: the place of each number, and the statement that it is met."""

    study: Sweep
    """Runs whose numbers are compared with the printed ones."""
    places: Mapping[str, Statement]
    """By where a number is printed: the statement that the measured number agrees with it."""
    measure: Callable[[ps.Run], Numbers] = measures.run_metrics


def _symbols(name: str) -> Statement:
    """The symbols of a table, each with a tolerance of one."""
    return table_statement(
        partial(symbols.symbols_agree, printed=symbols.read_symbols(name), tolerance=1), "within a symbol"
    )


# The differences 1.2 and 0.6 are from Section 2.4.2.2, the others and the shares from Section 2.4.4.
BESIDE_PSAND = every(
    *(judge.matches_loss_gap(PLR(row=row) - PLR(row="PSAND2"), 1.2)(flows=28) for row in AREDS),
    judge.matches_loss_gap(PLR(row="RED") - PLR(row="PSAND2"), 0.6)(flows=28),
    *(
        judge.matches_loss_gap(PLR(row=row) - PLR(row="PSAND1"), gap)(flows=n)
        for row in OTHERS
        for n, gap in ((3, 0.2), (28, 2.0))
    ),
    *(judge.matches_probability(EMPTY(row=row, flows=n), share) for (row, n), share in tables2.EMPTY.items()),
    *(
        judge.matches_probability(LONGER(row=row, flows=n), share)
        for (row, n), share in tables2.FULL.items()
        if row in AREDS
    ),
)
STEPS = {50: 10.7, 70: 12, 100: 18}
"""Mean weighted average from 10 s after a step on, by the flows that join (Section 2.4.2.1.1)."""


def _with(sweep: Sweep, **axes: Any) -> Sweep:
    """The sweep restricted to these values on its axes."""
    vary = {axis: axes.get(axis, values) for axis, values in sweep.vary.items()}
    return replace(sweep, vary=vary, others=tuple(_with(other, **axes) for other in sweep.others))


ROWS = _with(tables2.ROWS, high=[tables2.HIGH])
SAME, DIFF = (_with(controllers.load_sweep(topology), scheme=CONTROLLERS, flows=LOADS) for topology in ("same", "diff"))
PLACES = [
    PrintedComparison(
        ROWS,
        {
            "Table 2.2": tables2.QUEUES.matches_measured("its cells"),
            "Table 2.3": tables2.SHARES.matches_measured("its cells"),
            "text": BESIDE_PSAND,
        },
    ),
    PrintedComparison(table3_1.ROWS_STUDY, {"Table 3.1": table3_1.PRINTED.matches_measured("its cells")}),
    PrintedComparison(methods.METHODS_STUDY, {"Table 3.3": methods.PRINTED.matches_measured("its cells")}),
    # Section 4.6.1.3: LRED is at its target.
    PrintedComparison(
        SAME,
        {
            "Table 4.2": _symbols("tab4-2"),
            "text": every(
                *(judge.matches_aqs(mean_over_loads(AQS(scheme=scheme)), KT) for scheme in ("LRED", "LRED*"))
            ),
        },
    ),
    PrintedComparison(DIFF, {"Table 4.3": _symbols("tab4-3")}),
    PrintedComparison(
        Sweep(lambda more: joining_flows_scenario(psand(high=0.5), more, warmup="60s"), {"more": list(STEPS)}),
        {"text": every(*(judge.matches_aqs(WAQS(more=more), level) for more, level in STEPS.items()))},
        measures.queue_and_average_metrics,
    ),
    # Section 2.4.3: losses of a large factor with few flows.
    PrintedComparison(
        Sweep(lambda gamma: steady_flows_scenario(psand(3, gamma), 3), {"gamma": GAMMAS}),
        {"text": judge.matches_plr(PLR(gamma=GAMMAS), 1.8)},
    ),
    # Section 2.4.5: the bounds 0.1 and 1 of max_p.
    PrintedComparison(
        Sweep(lambda high: steady_flows_scenario(psand(high=high), 103), {"high": [0.1, 1.0]}),
        {"text": every(judge.matches_aqs(AQS(high=0.1), 25), judge.matches_aqs(AQS(high=1.0), 8))},
    ),
    # Section 3.2.1: the shortest queue by Min.
    PrintedComparison(
        _with(thresholds.threshold_sweep(), flows=[103]),
        {
            "text": every(
                *(
                    judge.matches_aqs(AQS(min_th=low, flows=103).along("max_th", smallest), shortest)
                    for low, shortest in thresholds.SHORTEST.items()
                )
            )
        },
    ),
]


def table(effort: ReproductionEffort) -> Table:
    """Table of how many printed numbers each reading meets; a quick run has Tables 2.2 and 2.3 only."""
    cells = []
    for reading in READINGS:
        met: dict[str, list[bool]] = {}
        for printed in effort.quick_or_full(PLACES[:1], PLACES):
            runs = effort.table(
                printed.study(effort).with_max_seeds(SEEDS).changed(reading.scenario_change), printed.measure
            )
            _judge(met, printed.places, runs)
        cells.append((reading._asdict(), _counts(met, FITTED)))
    return Table(cells, seeds=SEEDS)


def _judge(met: dict[str, list[bool]], places: Mapping[str, Statement], runs: Table) -> None:
    """Record, for each place, whether its numbers are met."""
    for place, statement in places.items():
        parts = statement.on_table(runs).decide().comparisons
        met.setdefault(place, []).extend(part.verdict == "confirmed" for part in parts)


def _counts(met: Mapping[str, list[bool]], fitted: Collection[str]) -> dict[str, RunSample]:
    """Printed numbers that are met, by place and in total, and their total number, such as "of Table 2.2"."""
    whole: dict[str, list[bool]] = {"fitted": [], "held out": []}
    for place, held in met.items():
        whole["fitted" if place in fitted else "held out"] += held
    return {
        name: RunSample(float(number))
        for place, held in (*met.items(), *whole.items())
        for name, number in ((place, sum(held)), (f"of {place}", len(held)))
    }


def _named(labels: Mapping[str, Any]) -> str:
    """A reading in words."""
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in labels.items())


def _chosen(experiment: str, chosen: Mapping[str, Any]) -> Claim:
    """The claim that this reading meets at least as many held-out numbers as any other reading."""

    def most(table: Table) -> Condition:
        own = table("held out", **chosen)
        return all_of((own >= numbers["held out"]).at(_named(labels)) for labels, numbers in table.cells)

    says = "the reading of the author's set-up meets at least as many held-out printed numbers as each other one tried"
    return own_claim_factory(experiment)(
        "chosen", table_statement(most, "held-out numbers met, of each reading"), says=says
    )


def _draw(summary: SummaryTable) -> Figure:
    """Numbers met by each reading at each place; the largest number of a column is bold."""
    met = {
        (_named(labels), name.removeprefix("of ")): (points[name.removeprefix("of ")].mean, points[name].mean)
        for labels, points in summary.cells
        for name in points
        if name.startswith("of ")
    }
    most = {column: max(number for (_, other), (number, _) in met.items() if other == column) for _, column in met}
    bold = [place for place, (number, _) in met.items() if number == most[place[1]]]
    texts = {place: f"{number:.0f} of {whole:.0f}" for place, (number, whole) in met.items()}
    return text_table_figure(texts, bold, "printed numbers met by each reading; bold: the most of a column")


readings = Exhibit(
    "The author's set-up of chapters 2 to 4: printed numbers that each reading of it meets",
    _chosen("readings", CHOSEN._asdict()),
    table=table,
    draw=_draw,
)


# Chapter 5: RED's parameters (guess 9), acknowledgements, and whether the 500 kb/s of datagrams include redundancy.
REDS: Mapping[str, Change] = {"5, 15, 0.002": unchanged, "of ns-2 since 2001": queue_change(("red",), **AUTOMATIC)}
ACKS: Mapping[str, Change] = {"each": unchanged, "delayed": tcp_change(delayed_ack=DELAYED)}
RATES: Mapping[str, Change] = {"before redundancy": unchanged, "with redundancy": with_redundancy_in_rate}
CODES = tables5.code_sweep(["16,1", "16,4"], tables5.TEN)
RATIOS = {
    ("16,1", "DT", 10): 1.9, ("16,1", "RED", 10): 3.4,
    ("16,4", "DT", 10): 33.4, ("16,4", "RED", 10): 66.5, ("16,4", "RED", 30): 79.6,
}  # fmt: skip
"""Ratios of the losses before and after correction in Section 5.4.1.2."""
OF_CODES: Mapping[str, Statement] = {
    "Table 5.1": tables5.read_table("tab5-1", "16,1").matches_measured("its cells"),
    "Table 5.2": tables5.read_table("tab5-2", "16,4").matches_measured("its cells"),
    "text": every(
        *(
            tables5.REPAIRED(code=code, scheme=scheme, flows=flows).matches_printed(ratio, share=0.3)
            for (code, scheme, flows), ratio in RATIOS.items()
        )
    ),
}


def codes_table(effort: ReproductionEffort) -> Table:
    """Table of how many printed numbers of chapter 5 each reading meets; a quick run compares only the REDs."""
    cells = []
    others = effort.quick_or_full((["each"], ["before redundancy"]), (list(ACKS), list(RATES)))
    for red, acks, rate in itertools.product(REDS, *others):
        change = combined_change(REDS[red], ACKS[acks], RATES[rate])
        met: dict[str, list[bool]] = {}
        _judge(met, OF_CODES, effort.table(CODES(effort).with_max_seeds(SEEDS).changed(change), measures.run_metrics))
        cells.append(({"RED": red, "acks": acks, "rate": rate}, _counts(met, ["Table 5.1"])))
    return Table(cells, seeds=SEEDS)


readings_codes = Exhibit(
    "The author's set-up of chapter 5: printed numbers that each reading of it meets",
    _chosen("readings-codes", {"RED": "of ns-2 since 2001", "acks": "each", "rate": "before redundancy"}),
    table=codes_table,
    draw=_draw,
)
