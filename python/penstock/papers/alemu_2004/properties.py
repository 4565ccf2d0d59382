"""Tables 1.1 and 1.2: inputs of each scheme, and when it updates (Section 1.5)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from textwrap import wrap

import numpy as np
from matplotlib.figure import Figure

import penstock as ps
from penstock.aqms.catalog import find_scheme
from penstock.explain.explanation import prepare_explanation
from penstock.reproduce.figure import (
    Exhibit,
    QuickOrFull,
    ReproductionEffort,
    Rows,
    SummaryTable,
    Sweep,
    Table,
    metric,
    table_statement,
)
from penstock.reproduce.printed_table import text_table_figure
from penstock.results.condition import Condition, all_of
from penstock.results.sample import RunSample
from penstock.scenario.document import Document

from . import drop_functions, symbols
from .measures import Numbers
from .setup import BUFFER, claim

NAMES = {
    "RED": "red", "BLUE": "blue", "SRED": "sred", "DSRED": "dsred", "P": "p", "PI": "pi", "REM": "rem", "AVQ": "avq",
    "SFC": "sfc", "LRED": "lred", "ARED_Feng": "ared-feng", "ARED_Floyd": "ared-floyd", "PSAND": "psand",
    "FRED": "fred", "BRED": "bred", "SFB": "sfb", "RIO": "rio",
}  # fmt: skip

MOVED = ("max_p", "p", "p_b", "p2", "virtual_capacity", "avg")
"""Gauges that a scheme may update; the first that changes is used. AVQ and FRED have no probability."""
RATES = (1.5, 6.0)
"""Mbit/s: on the second link all packets come four times as fast."""
SECONDS = 3.0
TOLD: dict[str, str] = {"SRED": "zombies=100", "ARED_Feng": "w_q=0.1"}
"""Settings that let a scheme show its behaviour within those seconds: a list that fills soon, a fast average."""
STRICT = {"ARED_Feng", "ARED_Floyd", "PSAND"}
"""Schemes that are gentle by default, which adds a ramp to RED's drop function."""


def has_parameter(name: str, param: str) -> bool:
    """Whether a scheme has a parameter."""
    return find_scheme(NAMES[name]).param(param) is not None


@cache
def update_interval_ratio(name: str) -> float:
    """The time between two updates of a scheme with packets four times as fast, over that at the usual rate.

    A quarter if updates follow arrivals, 1 if they follow the clock.
    """
    slow, fast = (_between(_command(name), rate) for rate in RATES)
    return fast / slow


def _between(scheme: str, rate: float) -> float:
    """Median seconds between two updates while the load goes from 1.5 to 0.3 of the rate and back."""
    half = 100 * 8e-3 / rate
    steps = [(1.5, half), (0.3, half)] * round(SECONDS / (2 * half))
    response = prepare_explanation(scheme, f"{rate}Mbit", "54ms", None, "35p").step_response(steps, 8_000)
    times = np.asarray(response["t"])[1:]
    for gauge in MOVED:
        moves = times[np.diff(response.get(f"gauge:{gauge}", [0.0] * (len(times) + 1))) != 0]
        if len(moves) > 1:
            return float(np.median(np.diff(moves)))
    raise AssertionError(f"{scheme} shows nothing that moves")


@cache
def slope_and_level_counts(name: str) -> tuple[int, int]:
    """Of the drop function where it is below 1: the number of distinct positive slopes, and of distinct values."""
    scheme = f"{NAMES[name]}:gentle=false" if name in STRICT else NAMES[name]
    xs, ds = drop_functions.drop_curve(scheme, 35)
    inner = ds < 1
    slopes = np.round(np.diff(ds[inner]) / np.diff(xs[inner]), 6)
    slopes_kept = [slope for slope in dict.fromkeys(slopes) if slope > 0 and (slopes == slope).sum() > 2]
    return len(slopes_kept), len(dict.fromkeys(ds[inner]))


def _command(name: str) -> str:
    return f"{NAMES[name]}:{TOLD[name]}" if name in TOLD else NAMES[name]


PRINTED = symbols.read_symbols("tab1-1")
APART = 10.0
"""Smallest difference, in points, between the losses of two groups that a scheme distinguishes."""
ALGORITHMS = {"ARED_Feng": "at packet arrival", "LRED": "at packet arrival"}
"""Where Algorithms 6 and 12 contradict the table on the instant, they are followed."""
DERIVED = {"SRED", "ARED_Floyd"}
"""Schemes whose target follows from the limit or the thresholds and is not a parameter."""
SLOPES = {"single linear": 1, "2 linear": 2, "2 single linear": 1}
"""Number of slopes of the drop function; for RIO the number for one of its two classes."""


def _offered(scheme: str, groups: str) -> Document:
    def source(rate: str, count: int, dscp: str = "CS0") -> ps.Poisson:
        return ps.Poisson(from_="R1", to="R2", rate=rate, packet="972B", count=count, dscp=dscp)

    pairs = {
        "flows": (source("1200kbit", 1), source("200kbit", 5)),
        "classes": (source("220kbit", 5, "AF12"), source("220kbit", 5, "AF11")),
    }
    first, second = pairs[groups]
    queue = ps.DropTail(limit=f"{BUFFER}p")
    line = ps.Link(from_="R1", to="R2", rate="1.5Mbit", delay="20ms", queue=queue, watch=True)
    scenario = ps.Scenario(duration="60s", links={"line": line}, traffic={"first": first, "second": second})
    return scenario.document().set("links.line.queue.scheme", NAMES[scheme], "Table 1.1")


# Each scheme at 1.5 times the link's rate. There are two groups; the first sends more, or is marked Out.
study = Sweep(_offered, {"scheme": list(NAMES), "groups": ["flows", "classes"]}, seeds=QuickOrFull(5, 50))


def measure(run: ps.Run) -> Numbers:
    """The loss ratio of the first group of flows minus that of the second, in percentage points."""
    return {"apart": 100 * (run.traffic["first"].loss_rate - run.traffic["second"].loss_rate)}


def _as_printed(control: Mapping[str, str], table: Table) -> Condition:
    """Column by column."""
    return all_of(
        *(_as_claimed(table, "flows", name, of == "FBC") for name, of in control.items()),
        *(_as_claimed(table, "classes", name, of == "CBC") for name, of in control.items()),
        *(_has(name, "w_q", index == "AQS") for name, index in PRINTED["index"].items()),
        *(_has(name, "target", of == "yes") for name, of in PRINTED["target"].items() if name not in DERIVED),
        *(_moves(name, of) for name, of in {**PRINTED["update"], **ALGORITHMS}.items()),
        *(_shape(name, of) for name, of in PRINTED["drop function"].items()),
    )


def _as_claimed(table: Table, groups: str, name: str, apart: bool) -> Condition:
    gap = table("apart", scheme=name, groups=groups)
    return (gap > APART if apart else gap.between(-APART, APART)).at(f"{name}, {groups}")


def _has(name: str, param: str, expected: bool) -> Condition:
    indicator = RunSample(float(has_parameter(name, param)))
    return (indicator >= 1.0 if expected else indicator <= 0.0).at(f"{name}, {param}")


def _moves(name: str, when: str) -> Condition:
    seconds = RunSample(update_interval_ratio(name))
    return (seconds <= 0.5 if when == "at packet arrival" else seconds > 0.5).at(f"{name}, {when}")


def _shape(name: str, printed: str) -> list[Condition]:
    """Formulas, and the steps of schemes without a drop function over the queue, are left to the tests of the AQMs."""
    if printed in SLOPES and name != "FRED":
        return [(abs(RunSample(float(slope_and_level_counts(name)[0])) - SLOPES[printed]) <= 0.0).at(f"{name}, slopes")]
    if printed == "3 segment step":
        return [(abs(RunSample(float(slope_and_level_counts(name)[1])) - 3.0) <= 0.0).at(f"{name}, levels")]
    return []


COLUMNS = ("control", "index", "drop function", "target", "update")
DISTINGUISHED = {"FBC": "flows", "CBC": "classes"}
"""The groups that a scheme distinguishes, by its code in the column "control"."""


def draw(summary: SummaryTable) -> Figure:
    """The table as printed. Bold cells agree with the schemes here; a cell that disagrees says so."""
    gaps = {(labels["scheme"], labels["groups"]): points["apart"].mean for labels, points in summary.cells}
    texts, agreeing, tested = {}, [], 0
    for name in NAMES:
        for column in COLUMNS:
            printed = PRINTED[column].get(name, "")
            agrees = _agrees(gaps, column, name, printed)
            tested += agrees is not None
            agreeing += [(name, column)] * bool(agrees)
            texts[name, column] = "\n".join(wrap(printed, 24)[:2]) + ("\n(not here)" if agrees is False else "")
    title = f"as printed; bold: the scheme here has this property, {len(agreeing)} of {tested} that were tested"
    return text_table_figure(texts, agreeing, title)


def _agrees(gaps: Mapping[tuple[str, str], float], column: str, name: str, printed: str) -> bool | None:
    """Whether the scheme has a property of the table; None if this is not tested."""
    if column == "control":
        return all(
            (gaps[name, groups] > APART) == (groups == DISTINGUISHED.get(printed)) for groups in ("flows", "classes")
        )
    conditions = {
        "index": lambda: [_has(name, "w_q", printed == "AQS")],
        "drop function": lambda: _shape(name, printed),
        "target": lambda: [] if name in DERIVED else [_has(name, "target", printed == "yes")],
        "update": lambda: [_moves(name, printed)],
    }[column]()
    return all(condition.decide().verdict == "confirmed" for condition in conditions) if conditions else None


SFB_PER_FLOW = "SFB per flow, as Section 1.3 has it"
ASKED = "which groups are distinguished, whether the average is looked at, target, instant of the update, slopes"
tab1_1 = Exhibit(
    "Table 1.1: inputs of each scheme, and when it updates, measured on the schemes themselves (Section 1.5)",
    claim(
        "tab1.1/c1",
        table_statement(partial(_as_printed, PRINTED["control"]), ASKED),
        reason_text="Section 1.3 describes SFB as per flow; its algorithm does not distinguish classes",
        others={SFB_PER_FLOW: table_statement(partial(_as_printed, {**PRINTED["control"], "SFB": "FBC"}), ASKED)},
    ),
    study=study,
    measure=measure,
    draw=draw,
)


def rows(_: ReproductionEffort) -> Rows:
    """1 for each scheme whose documentation has the section Algorithm, else 0."""
    return [
        ({"scheme": name}, {"algorithm": float("# Algorithm\n" in find_scheme(ours).doc)})
        for name, ours in NAMES.items()
    ]


tab1_2 = Exhibit(
    "Table 1.2: the policy of each scheme (Section 1.5)",
    claim(
        "tab1.2/c1",
        metric("algorithm") >= 1,
        "17 schemes, each with the section on its algorithm that `penstock explain` shows",
        must_hold=True,
    ),
    rows=rows,
)
