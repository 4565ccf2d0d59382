"""Conditions that no claim of a work may have: they would decide it by something that the work does not say.

Only conditions that are expressions can be checked; a function of the whole table (`by_table`) hides its own. A claim
does not say whether its number is read from a plot, so relative bounds on such numbers are not found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from penstock.reproduce.choice import Range
from penstock.reproduce.claim import Claim
from penstock.reproduce.effort import Change
from penstock.reproduce.figure import at_least, every, metric, within
from penstock.reproduce.node import Node, Scope
from penstock.reproduce.number import Number
from penstock.reproduce.paper import Experiment, Paper, papers
from penstock.reproduce.statement import Statement
from penstock.results.sample import Sample
from penstock.results.table import Table
from penstock.scenario.scenario import Document, Scenario, as_document
from penstock.studies.study import Study

from .made_up import MadeUp, effort_of

by_work = pytest.mark.parametrize("work", papers(), ids=lambda work: work.alias)

READS = re.compile(r"{} (?P<printed>\S+) \((?P<low>\S+) to (?P<high>\S+)\)")
BETWEEN = re.compile(r"{} from (?P<low>\S+) to (?P<high>\S+)")

DIFFERENT_SENTENCES = {
    # "a few percent more" where much is in profile, "as much" elsewhere
    "bs": ["loss (SACK, gentle, DA, DFQ) / loss (Reno, gentle, DA, DFQ)"],
    # exceeding Max and falling below it again, and swinging about it
    "alemu": ["time above Max"],
}
"""Expressions about which a work says different things in different places."""

WORLDS = 4
"""Tables of made-up numbers: by chance, a correlation of a few points is 0 or 1 in one of them."""

Bounds = tuple[str, str]


def main_claims(work: Paper) -> Iterator[tuple[Experiment, Claim]]:
    """The claims of a work that are expressions, without those about other readings."""
    for experiment in work.experiments:
        for claim in experiment.module.CLAIMS:
            if isinstance(claim.holds, Statement) and not claim.reading:
                yield experiment, claim


def comparisons(node: Node) -> Iterator[Node]:
    """The comparisons of numbers in a statement."""
    if node.children and all(isinstance(child, Number) for child in node.children) and isinstance(node, Statement):
        yield node
    for child in node.children:
        if isinstance(child, Statement):
            yield from comparisons(child)


def bare(number: Node) -> str:
    """A number in words, without its labels."""
    return number.template.format(*map(bare, number.children)) if number.children else number.template


def bounds_of(statement: Node) -> Iterator[tuple[str, Bounds]]:
    """What is bounded, and the bounds: a printed number, or the same expression of numbers."""
    for comparison in comparisons(statement):
        if (match := READS.match(comparison.template)) is not None:
            yield f"{bare(comparison.children[0])}, printed {match['printed']}", (match["low"], match["high"])
        elif (match := BETWEEN.match(comparison.template)) is not None:
            yield comparison.children[0].text, (match["low"], match["high"])


def with_two_tolerances(claims: Mapping[str, Node]) -> list[str]:
    """Numbers with different tolerances in different claims, and these claims."""
    bounds: dict[str, dict[Bounds, list[str]]] = {}
    for name, statement in claims.items():
        for number, pair in bounds_of(statement):
            bounds.setdefault(number, {}).setdefault(pair, []).append(name)
    return [
        f"{number}: "
        + "; ".join(f"{low} to {high} ({', '.join(dict.fromkeys(names))})" for (low, high), names in found.items())
        for number, found in bounds.items()
        if len(found) > 1
    ]


def outside(statement: Node, axis: str, low: float, high: float, values: list[float]) -> list[float]:
    """The values of an axis with which a statement is decided and which are outside a range."""
    selected: set[float] = set()
    for labels in leaves(statement, {}):
        label = labels.get(axis)
        if label is None or isinstance(label, Range):
            selected.update(value for value in values if label is None or label(value))
        else:
            selected.update(label if isinstance(label, (list, tuple)) else [label])
    return sorted(value for value in selected if not low <= value <= high)


def leaves(node: Node, inherited: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The labels of each measured number."""
    own = {**inherited, **node.labels}
    if node.children:
        for child in node.children:
            yield from leaves(child, own)
    elif not getattr(node, "is_constant", False):
        yield own


def main_reading(statement: Statement) -> Statement:
    """The statement with the reading that counts, or else the first one."""
    for readings in statement.readings():
        value = next((value for value, words in readings.words.items() if not words), next(iter(readings.words)))
        statement = statement.replaced(readings, value)
    return statement


def on_equal_runs(statement: Statement, tables: list[Table]) -> set[str]:
    """The comparisons of a statement whose sides are the same runs: without a difference in each of these tables."""
    without = [_without_difference(statement, table) for table in tables]
    return set.intersection(*without) if without else set()


def _without_difference(statement: Statement, table: Table) -> set[str]:
    measured = [(part, part.condition.decide().measured) for part in statement.within(Scope(table))]
    return {
        f"{part.about}, {', '.join(map(str, part.place.values()))}"
        for part, estimate in measured
        if estimate is not None and estimate.sd == 0 and estimate.runs > 1 and estimate.mean in (0, 1)
    }


def tables_by_scenario(experiment: Experiment) -> list[Table]:
    """Made-up numbers that depend on the scenario in the author's set-up alone; none if no two scenarios are equal."""
    study: Study = experiment.module.study(effort_of(experiment.paper.name))
    change: Change | None = experiment.reconstruction
    cells = [(labels, _canonical(scenario, change), part.seeds) for labels, scenario, part in study.cells()]
    are_distinct = len({key for _, key, _ in cells}) == len(cells)
    return [] if are_distinct else [_made_up(experiment.paper, cells, world) for world in range(WORLDS)]


def _canonical(scenario: Scenario | Document, change: Change | None) -> str:
    document = as_document(scenario)
    return str((document if change is None else change(document)).resolve().canonical)


def _made_up(work: Paper, cells: list[tuple[Mapping[str, Any], str, int]], world: int) -> Table:
    numbers = {(key, seeds): MadeUp(work.name, {"scenario": key, "world": world}, seeds) for _, key, seeds in cells}
    return Table([(labels, numbers[key, seeds]) for labels, key, seeds in cells])


@by_work
def test_a_number_has_one_tolerance(work: Paper) -> None:
    statements = {f"{experiment.id} {claim.id}": claim.statement for experiment, claim in main_claims(work)}
    found = with_two_tolerances(statements)
    assert [name.partition(": ")[0] for name in found] == DIFFERENT_SENTENCES.get(work.alias, []), found


@by_work
def test_no_claim_is_decided_outside_its_figure(work: Paper) -> None:
    ranges: Mapping[str, Mapping[str, tuple[float, float]]] = work.about.get("ranges", {})
    found = {}
    for experiment, claim in main_claims(work):
        for axis, (low, high) in ranges.get(experiment.id, {}).items():
            values = experiment.table(effort_of(work.name)).axes()[axis]
            if beyond := outside(main_reading(claim.statement), axis, low, high, values):
                found[claim.id] = beyond
    assert found == {}


@pytest.mark.slow
@by_work
def test_no_claim_compares_equal_runs(work: Paper) -> None:
    found = {}
    for experiment in work.experiments:
        own = [claim.statement for other, claim in main_claims(work) if other == experiment]
        if own and hasattr(experiment.module, "study"):
            tables = tables_by_scenario(experiment)
            if equal := set().union(*(on_equal_runs(main_reading(statement), tables) for statement in own)):
                found[experiment.id] = equal
    assert found == {}


def test_the_checks_find_such_conditions() -> None:
    goodput = metric("goodput", "%")
    claims = {"c1": goodput(scheme="RED").reads(40, 30, 50), "c2": goodput(scheme="Blue").reads(40, 35, 45)}
    assert with_two_tolerances(claims) == ["goodput, printed 40: 30 to 50 (c1); 35 to 45 (c2)"]
    same = goodput(scheme="RED") - goodput(scheme="Blue")
    assert with_two_tolerances({"c1": every(same.between(-5, 5)), "c2": same.between(-7, 7)}) != []

    sizes = [100.0, 5000.0, 20000.0]
    assert outside(goodput(buffer=at_least(400)) >= 80, "buffer", 100, 5000, sizes) == [20000]
    assert outside(goodput >= 80, "buffer", 100, 5000, sizes) == [20000]
    assert outside((goodput >= 80)(buffer=within(400, 5000)), "buffer", 100, 5000, sizes) == []

    runs = {"goodput": Sample([80.0, 81.0, 82.0])}
    table = Table([({"scheme": scheme}, runs) for scheme in ("RED", "Blue")])
    assert len(on_equal_runs(goodput(scheme="RED") > goodput(scheme="Blue"), [table])) == 1
    assert on_equal_runs(goodput(scheme=["RED", "Blue"]) > 70, [table]) == set()
