"""Tables 2.1 to 2.3: the adaptive schemes with few flows and with more (Section 2.4.4)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import penstock as ps
from penstock.reproduce.figure import (
    Claim,
    Exhibit,
    Number,
    QuickOrFull,
    ReproductionEffort,
    Rows,
    Sweep,
    claims_if_measured,
    metric,
)
from penstock.reproduce.printed_table import PrintedTable
from penstock.reproduce.statement import Statement, every, table_statement
from penstock.results.condition import all_of

from . import judge
from .drop_functions import drop_curve
from .judge import NEVER, matches_probability
from .setup import AREDS, LONGER, OTHERS, PLR, VQS, claim, feng, floyd, psand, red, steady_flows_scenario

FLOWS = [3, 28]
HIGH = 0.75
"""The upper bound of max_p in the main readings (guess 4); the other reading has 0.5."""
PSANDS: dict[str, dict[int, tuple[float, float]]] = {
    "PSAND1": {3: (1, 1), 28: (1, 1)},
    "PSAND2": {3: (1.75, 1.5), 28: (1.75, 1.5)},
    "PSAND3": {3: (1, 0.25), 28: (2, 0.25)},
}
"""Factor and power at each number of flows."""
COMPARED: dict[str, Callable[[], ps.Queue]] = {"RED": red, "Feng": feng, "Floyd": floyd}


def _other(row: str, flows: int) -> ps.Scenario:
    return steady_flows_scenario(COMPARED[row](), flows)


def _own(row: str, flows: int, high: float) -> ps.Scenario:
    coef, gamma = PSANDS[row][flows]
    return steady_flows_scenario(psand(coef, gamma, high), flows)


# All schemes at 3 and 28 flows, PSAND with both bounds of max_p.
ROWS = Sweep(_other, {"row": list(COMPARED), "flows": FLOWS}, seeds=QuickOrFull(5, 100)) + Sweep(
    _own, {"row": list(PSANDS), "flows": FLOWS, "high": QuickOrFull([HIGH], [HIGH, 0.5])}, seeds=QuickOrFull(5, 100)
)


def cell_labels(row: str, flows: int) -> Mapping[str, Any]:
    """The labels of the runs in which a cell of a table is measured: row, flows and, for PSAND, the bound of max_p."""
    return {
        "row": row,
        "flows": flows,
    } | ({"high": HIGH} if row in PSANDS else {})


def read_table(name: str) -> PrintedTable:
    """The cells of a table; its columns have names such as "AQS at 28"."""

    def address(row: str, column: str) -> tuple[str, Mapping[str, Any]]:
        """The metric and the labels that measure the cell in this row and column."""
        metric, _, flows = column.partition(" at ")
        return metric, cell_labels(row, int(flows))

    return judge.read_thesis_table(name, address)


def row_claims(name: str, unit: str = "") -> Iterator[Claim]:
    """A claim for each row of a table, with the main bound of max_p and with the other one."""
    table = name.replace(".", "-")
    for i, row in enumerate(read_table(table).rows, 1):
        own = read_table(table).row(row)
        row_claim = partial(Claim, f"{name}/c{i}", f"the row of {row}")
        yield row_claim(own.matches_measured(unit=unit))
        if row in PSANDS:
            yield from claims_if_measured(
                {"high": 0.5}, row_claim(own.at(high=0.5).matches_measured("as above"), reading="max_p at most 0.5")
            )


SETTINGS = {
    "Feng": {"min_th": 5, "max_th": 15, "max_p": 0.02, "alpha": 3, "beta": 2},
    "Floyd": {"min_th": 5, "max_th": 15, "max_p": 0.1, "alpha": 0.01, "beta": 0.9},
    "PSAND": {"target": 10, "coef": 1.75, "gamma": 1.5},
}


def setting_rows(_: ReproductionEffort) -> Rows:
    """Defaults; PSAND's thresholds and first max_p follow from its target, and are read from its drop function."""
    for name, queue in (("Feng", feng()), ("Floyd", floyd()), ("PSAND", psand())):
        values = {key: float(str(getattr(queue, key)).rstrip("p")) for key in SETTINGS[name]}
        yield {"scheme": name}, values
    queue_pkts, p = drop_curve("psand", 40)
    at = {round(float(x), 6): float(d) for x, d in zip(queue_pkts, p, strict=True)}
    yield {"scheme": "PSAND, function"}, {"at 10": at[10.0], "at 20": at[20.0]}


tab2_1 = Exhibit(
    "Table 2.1: the settings of the adaptive schemes",
    claim(
        "tab2.1/c1",
        every(
            *(
                abs(metric(key)(scheme=name) - value) <= 1e-9
                for name, values in SETTINGS.items()
                for key, value in values.items()
            ),
            abs(metric("at 10")(scheme="PSAND, function") - 0.05) <= 1e-6,
            abs(metric("at 20")(scheme="PSAND, function") - 0.1) <= 1e-6,
        ),
        "Feng 5, 15, 0.02, 3, 2; Floyd 5, 15, 0.1, 0.01, 0.9; PSAND 0, 20, 0.1, KT 10, 1.75, 1.5",
        must_hold=True,
    ),
    rows=setting_rows,
)


QUEUES = read_table("tab2-2")


def _of(number: Number, row: str) -> Number:
    """The number of a row; for PSAND, with the main reading of its bound."""
    return number(row=row, high=HIGH) if row in PSANDS else number(row=row)


def _beside(number: Number, rows: Sequence[str]) -> Number:
    return number(row=list(rows))


def _order(number: Number, *rows: str) -> Statement:
    return every(*(_of(number, a) < _of(number, b) for a, b in itertools.pairwise(rows)))(flows=28)


lost, varied = partial(_of, PLR), partial(_of, VQS)
less = _beside(PLR, OTHERS) - lost("PSAND1")
AREDS_VARIED = _beside(VQS, AREDS)
tab2_2 = Exhibit(
    "Table 2.2: average and variance of the queue and losses of PSAND and the adaptive REDs",
    *row_claims("tab2.2"),
    QUEUES.interval_claim("tab2.2"),
    claim(
        "tab2.2/c6",
        every(less(flows=3).matches_printed(0.2, -0.3, 0.7), less(flows=28).matches_printed(2, 1.5, 2.5)),
        "0.2 +- 0.5 and 2 +- 0.5 points (Table 2.2 itself has 1.3 and 1.2 at 28)",
    ),
    claim(
        "tab2.2/c7",
        every((varied("PSAND1") < AREDS_VARIED)(flows=3), (varied("PSAND1") > AREDS_VARIED)(flows=28)),
        "VQS(PSAND1) < VQS(ARED) at 3, > at 28",
    ),
    claim("tab2.2/c8", every(varied("PSAND2") < AREDS_VARIED, (lost("PSAND2") > lost("PSAND1"))(flows=3))),
    claim(
        "tab2.2/c9",
        every((varied("PSAND3") < varied("PSAND2"))(flows=28), (lost("PSAND3") < lost("PSAND2"))(flows=3)),
        "lower VQS at 28, lower PLR at 3",
    ),
    claim(
        "tab2.2/c10",
        _order(VQS, "PSAND3", "PSAND2", "Feng", "Floyd", "PSAND1"),
        "PSAND3 < PSAND2 < Feng < Floyd < PSAND1",
    ),
    claim(
        "tab2.2/c11",
        _order(PLR, "PSAND1", "PSAND3", "PSAND2", "Floyd", "Feng"),
        "PSAND1 < PSAND3 < PSAND2 < Floyd < Feng",
    ),
    study=ROWS,
    draw=QUEUES.draw,
)


SHARES = read_table("tab2-3")
EMPTY = {("Feng", 3): 8.8, ("Feng", 28): 3.7, ("Floyd", 3): 9.1, ("Floyd", 28): 2.9}
FULL = {("Feng", 28): 2.1, ("Floyd", 28): 3.2, ("PSAND1", 28): 4.0}
"""Numbers of Section 2.4.4."""


def _printed(metric: str, values: Mapping[tuple[str, int], float], text: str) -> Statement:
    return table_statement(
        lambda table: all_of(
            matches_probability(table(metric, **cell_labels(*place)), value).at(f"{place[0]}, {place[1]} flows")
            for place, value in values.items()
        ),
        text,
    )


tab2_3 = Exhibit(
    "Table 2.3: how often the queue is empty, near its target and almost full under PSAND",
    # The columns "25" are 28 flows in all (guess 2).
    *row_claims("tab2.3", " %"),
    SHARES.interval_claim("tab2.3"),
    claim(
        "tab2.3/c4", _printed("empty", EMPTY, "P(X=0): Feng 8.8 % at 3 flows and 3.7 % at 28, Floyd 9.1 % and 2.9 %")
    ),
    claim(
        "tab2.3/c5",
        every(
            _printed("25 to 35", FULL, "P(25<X<=35): Feng 2.1 %, Floyd 3.2 %, PSAND1 4.0 %"),
            (LONGER(row="PSAND1", high=HIGH) > LONGER(row=AREDS))(flows=28),
        ),
    ),
    claim(
        "tab2.3/c6",
        _printed("25 to 35", {(row, 3): 0 for row in PSANDS}, f"P(25<X<=35) at most {NEVER} % for PSAND1 to 3"),
    ),
    study=ROWS,
    draw=SHARES.draw,
)
