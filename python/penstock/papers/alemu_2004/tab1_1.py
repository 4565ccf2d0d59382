"""Table 1.1: what each scheme looks at, and when it moves, asked of the schemes themselves (Section 1.5)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import penstock as ps
from penstock.papers.alemu_2004 import asked, symbols
from penstock.papers.alemu_2004.measures import Numbers
from penstock.papers.alemu_2004.registry import NAMES
from penstock.papers.alemu_2004.setup import BUFFER
from penstock.reproduce.figure import Claim, Effort, Study, Table, by_table
from penstock.results.sample import Condition, Sample, all_of
from penstock.scenario.scenario import Document

PRINTED = symbols.read("tab1-1")
APART = 10.0
"""Points that lie between the losses of two groups where a scheme tells them apart."""
ALGORITHMS = {"ARED_Feng": "at packet arrival", "LRED": "at packet arrival"}
"""Algorithms 6 and 12 have another instant than the table; they rule."""
DERIVED = {"SRED", "ARED_Floyd"}
"""Their target follows from the limit or the thresholds, and is no parameter."""
SLOPES = {"single linear": 1, "2 linear": 2, "2 single linear": 1}
"""Of the drop function; RIO's is that of one of its two classes."""


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


def study(effort: Effort) -> Study:
    """Each scheme with 1.5 times the link's rate: of two groups the first sends more, or is marked Out."""
    return Study(_offered, {"scheme": list(NAMES), "groups": ["flows", "classes"]}, seeds=effort.choose(5, 50))


def measure(run: ps.Run) -> Numbers:
    """By how many points more of the first group is lost."""
    return {"apart": 100 * (run.traffic["first"].loss_rate - run.traffic["second"].loss_rate)}


def _asked(control: Mapping[str, str], table: Table) -> Condition:
    """Column by column."""
    return all_of(
        *(_told(table, "flows", name, of == "FBC") for name, of in control.items()),
        *(_told(table, "classes", name, of == "CBC") for name, of in control.items()),
        *(_has(name, "w_q", index == "AQS") for name, index in PRINTED["index"].items()),
        *(_has(name, "target", of == "yes") for name, of in PRINTED["target"].items() if name not in DERIVED),
        *(_moves(name, of) for name, of in {**PRINTED["update"], **ALGORITHMS}.items()),
        *(_shape(name, of) for name, of in PRINTED["drop function"].items()),
    )


def _told(table: Table, groups: str, name: str, apart: bool) -> Condition:
    gap = table("apart", scheme=name, groups=groups)
    return (gap > APART if apart else gap.between(-APART, APART)).at(f"{name}, {groups}")


def _has(name: str, param: str, wanted: bool) -> Condition:
    found = Sample(float(asked.has(name, param)))
    return (found >= 1.0 if wanted else found <= 0.0).at(f"{name}, {param}")


def _moves(name: str, when: str) -> Condition:
    pace = Sample(asked.pace(name))
    return (pace <= 0.5 if when == "at packet arrival" else pace > 0.5).at(f"{name}, {when}")


def _shape(name: str, printed: str) -> list[Condition]:
    """Formulas, and the steps of schemes without a drop function over the queue, are left to the tests of the laws."""
    if printed in SLOPES and name != "FRED":
        return [(abs(Sample(float(asked.shape(name)[0])) - SLOPES[printed]) <= 0.0).at(f"{name}, slopes")]
    if printed == "3 segment step":
        return [(abs(Sample(float(asked.shape(name)[1])) - 3.0) <= 0.0).at(f"{name}, levels")]
    return []


SAYS = "the schemes have the properties that the table has of them"
ASKED = "which groups are told apart, whether the average is looked at, target, instant of the update, slopes"
CLAIMS = (
    Claim(
        "tab1.1/c1",
        SAYS,
        by_table(partial(_asked, PRINTED["control"]), ASKED),
        because="Section 1.3 has SFB per flow, as its algorithm is: it tells no classes apart",
    ),
    Claim(
        "tab1.1/c1",
        SAYS,
        by_table(partial(_asked, {**PRINTED["control"], "SFB": "FBC"}), ASKED),
        reading="SFB per flow, as Section 1.3 has it",
    ),
)
