"""Why thresholds matter less here than in chapter 3: in ns-2's RED the ramp above Max stays where max_p first put it.

ns-2 computes the line and the ramp of its drop function once. A max_p that moves then scales only the line below Max,
and thresholds that move only select between the two. A PSAND built on ns-2's RED behaves so: with delayed
acknowledgements Table 3.1 is met, and method 1 has its row of Table 3.3 if Max may start at the buffer.
"""

import json
from collections.abc import Sequence

import penstock as ps
from penstock.reproduce.figure import Choice, Sweep, Table, by_table, every, gather
from penstock.reproduce.shape import least_at, varies
from penstock.results.condition import Condition, Finding, all_of

from . import methods, table3_1, why
from .judge import NS2
from .setup import BUFFER, LOADS, VQS, floyd, load, psand
from .thresholds import MINIMA

FLOYD_NS2 = {json.loads(high): variance for high, variance in NS2["Floyd by Max"].items()}
"""Variance of the queue under Floyd's scheme by Max, in ns-2.35."""
RUN = [(10.5, 0), (10.5, 9.75), (20, 0), (35, 0)]
"""Max and Min of the rows that ns-2.35 has."""
LEAST = 34
"""Required number of the 36 means, variances and losses of Table 3.1 within tolerance."""


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
        {"max_th": list(FLOYD_NS2)},
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
        rows(name, max_th=high, min_th=low)
        .reads(NS2[f"Max, Min {high:g}, {low:g}"][name], share=share)
        .at(f"{name}, ({low:g}, {high:g})")
        for high, low in RUN
        if rows.has(max_th=high, min_th=low)
        for name, share in (("AQS", 0.1), ("VQS", 0.2), ("PLR", 0.1))
    )


def _most(parts: Sequence[Condition]) -> Condition:
    """At least `LEAST` of them are met."""
    missed = [finding for part in parts if (finding := part.decide()).verdict != "confirmed"]
    met = len(parts) - len(missed)
    why = "; ".join([f"{met} of {len(parts)} met", *(finding.why for finding in missed)])
    return Condition(lambda _: Finding("confirmed" if met >= LEAST else "contradicted", None, why))


def _unrefuted(parts: Sequence[Condition]) -> Condition:
    """None is contradicted."""
    findings = [part.decide() for part in parts]
    wrong = [finding.why for finding in findings if finding.verdict == "contradicted"]
    held = sum(finding.verdict == "confirmed" for finding in findings)
    why = "; ".join([f"{held} of {len(findings)} hold", *wrong])
    return Condition(lambda _: Finding("contradicted" if wrong else "confirmed", None, why))


IN_TABLE = table3_1.PRINTED.where(lambda cell: cell.metric in ("AQS", "VQS", "PLR")).at(acks=None, **ROWS)
variance = VQS(**FLOYD)
own = why.own("why-ramp")

CLAIMS = (
    own("ns2", by_table(_as_ns2, "AQS and PLR within 10 %, VQS within 20 %")),
    own(
        "ns2-max",
        every(
            *(variance(max_th=high).reads(printed, share=0.1) for high, printed in FLOYD_NS2.items()),
            variance < variance.next("max_th"),
        ),
        "within 10 % of ns-2's, higher at each step, Min 5",
    ),
    own(
        "tab3.1",
        by_table(
            lambda table: _most([cell.decided(table).at(cell.name) for cell in IN_TABLE]),
            f"{LEAST} of {len(IN_TABLE.cells)} cells at least within tolerance",
        ),
        needs={"max_th": 15, "min_th": 5, **ROWS},
    ),
    own("tab3.3-r1", methods.PRINTED.row("max-down").at(flows=103, **MOVED).fits()),
    own(
        "fig3.3-4-c2",
        gather(
            _unrefuted, every(least_at(VQS(max_th=35), "min_th", 0), varies(VQS(max_th=10.5), "min_th") <= 0.4)(**ENDS)
        ),
        "refuted at no load",
        needs=ENDS,
    ),
)
