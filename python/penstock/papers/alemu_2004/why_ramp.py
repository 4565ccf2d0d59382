"""Why thresholds matter less here than in chapter 3: in ns-2's RED the ramp above Max stays where max_p first put it.

ns-2 works out line and ramp of its drop function once. A max_p that moves then multiplies the line below Max only, and
thresholds that move only tell which of the two counts. PSAND made of ns-2's RED has this: with receivers that have
delayed acknowledgements Table 3.1 is met, and method 1 has its row of Table 3.3 if Max may start at the buffer.
"""

from collections.abc import Mapping, Sequence

import penstock as ps
from penstock.reproduce.figure import Choice, Sweep, Table, by_table, every, gather
from penstock.results.sample import Condition, Finding, all_of

from . import cells, methods, table3_1, why
from .judge import least_at, varies
from .setup import BUFFER, LOADS, VQS, floyd, load, psand
from .thresholds import MINIMA

NS2: Mapping[tuple[float, float], Mapping[str, float]] = {
    (10.5, 0): {"AQS": 10.59, "VQS": 42.08, "PLR": 12.03},
    (10.5, 9.75): {"AQS": 11.39, "VQS": 72.88, "PLR": 12.72},
    (20, 0): {"AQS": 11.27, "VQS": 55.60, "PLR": 12.12},
    (35, 0): {"AQS": 13.41, "VQS": 42.15, "PLR": 11.35},
}
"""By Max and Min: ns-2.35 with PSAND (1, 1), max_p at most 0.5, 23 flows and delayed acknowledgements, ten runs of
`validation/ns2/psand.tcl`."""
NS2_FLOYD = {10.5: 27.06, 15: 31.72, 20: 37.75, 35: 45.53}
"""Variance of the queue under Floyd's scheme by Max: ns-2.35 with Min 5, 3 flows, plain receivers, ten runs each."""
LEAST = 34
"""Cells of mean, variance and losses of Table 3.1, of 36, that are met."""


def _psand(coef: float = 1.75, gamma: float = 1.5, high: float = 0.75, **more: object) -> ps.Psand:
    return psand(coef, gamma, high, gentle_from="first", **more)


# The rows of Table 3.1, method 1 from the buffer, Floyd's scheme, the ends of Figures 3.3 and 3.4.
ROWS, MOVED, FLOYD, ENDS = ({"part": part} for part in ("rows", "moved", "Floyd", "ends"))
study = (
    Sweep(
        lambda max_th, min_th: load(_psand(1, 1, 0.5, min_th=min_th, max_th=max_th), 23, acks="delayed"),
        {"max_th": Choice([20], table3_1.MAXIMA), "min_th": Choice([0], table3_1.MINIMA)},
        seeds=Choice(5, 10),
        labels=ROWS,
    )
    + Sweep(
        lambda method, flows: load(_psand(adapt=method, max_th=BUFFER), flows),
        {"method": ["max-down"], "flows": [103]},
        seeds=Choice(10, 20),
        labels=MOVED,
    )
    + Sweep(
        lambda max_th: load(floyd(min_th=5, max_th=max_th), 3),
        {"max_th": list(NS2_FLOYD)},
        seeds=Choice(10, 20),
        labels=FLOYD,
    )
    + Sweep(
        lambda max_th, min_th, flows: load(_psand(min_th=min_th, max_th=max_th), flows, acks="delayed"),
        {"max_th": [10.5, 35], "min_th": MINIMA, "flows": LOADS},
        seeds=20,
        labels=ENDS,
        only_full=True,
    )
)


def _as_ns2(table: Table) -> Condition:
    """Mean, variance and losses in each row that the table and ns-2's runs have."""
    rows = table.where(**ROWS)
    return all_of(
        rows(name, max_th=high, min_th=low).reads(NS2[high, low][name], share=share).at(f"{name}, ({low:g}, {high:g})")
        for high, low in NS2
        if rows.has(max_th=high, min_th=low)
        for name, share in (("AQS", 0.1), ("VQS", 0.2), ("PLR", 0.1))
    )


def _most(parts: Sequence[Condition]) -> Condition:
    """At least `LEAST` of them are met."""
    missed = [found for part in parts if (found := part.decide()).verdict != "confirmed"]
    met = len(parts) - len(missed)
    why = "; ".join([f"{met} of {len(parts)} met", *(found.why for found in missed)])
    return Condition(lambda: Finding("confirmed" if met >= LEAST else "contradicted", None, why))


def _unrefuted(parts: Sequence[Condition]) -> Condition:
    """None is contradicted."""
    found = [part.decide() for part in parts]
    wrong = [one.why for one in found if one.verdict == "contradicted"]
    held = sum(one.verdict == "confirmed" for one in found)
    why = "; ".join([f"{held} of {len(found)} hold", *wrong])
    return Condition(lambda: Finding("contradicted" if wrong else "confirmed", None, why))


def _cell(table: Table, cell: cells.Cell) -> Condition:
    at = {key: value for key, value in cell.at.items() if key in ("max_th", "min_th")}
    return table3_1.JUDGES[cell.metric](table(cell.metric, **ROWS, **at), cell.printed).at(cell.name)


IN_TABLE = [cell for cell in table3_1.PRINTED if cell.metric in ("AQS", "VQS", "PLR")]
METHOD_1 = [
    cells.Cell(c.row, c.column, c.printed, c.metric, {"method": "max-down", "flows": 103, **MOVED})
    for c in methods.PRINTED
    if c.row == "max-down"
]
variance = VQS(**FLOYD)
own = why.own("why-ramp")

CLAIMS = (
    own(
        "ns2",
        "ns-2.35 with PSAND made of its RED has the same",
        by_table(_as_ns2, "AQS and PLR within 10 %, VQS within 20 %"),
    ),
    own(
        "ns2-max",
        "Floyd, 3 flows: the variance rises with Max, as in ns-2.35",
        every(
            *(variance(max_th=high).reads(known, share=0.1) for high, known in NS2_FLOYD.items()),
            variance < variance.next("max_th"),
        ),
        "within 10 % of ns-2's, higher at each step, Min 5",
    ),
    own(
        "tab3.1",
        "mean, variance and losses of Table 3.1 are met",
        by_table(
            lambda table: _most([_cell(table, cell) for cell in IN_TABLE]),
            f"{LEAST} of {len(IN_TABLE)} cells at least within tolerance",
        ),
        needs={"max_th": 15, "min_th": 5, **ROWS},
    ),
    own("tab3.3-r1", "the row of method 1, Max from 35", cells.rows_fit(METHOD_1, methods.JUDGES)),
    own(
        "fig3.3-4-c2",
        "as fig3.3-4/c2",
        gather(
            _unrefuted, every(least_at(VQS(max_th=35), "min_th", 0), varies(VQS(max_th=10.5), "min_th") <= 0.4)(**ENDS)
        ),
        "refuted at no load",
        needs=ENDS,
    ),
)
