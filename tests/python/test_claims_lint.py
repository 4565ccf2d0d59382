"""Conditions that no claim of a paper may have, because they decide it on something the paper does not say.

Only conditions that are expressions can be checked; a function of the whole table (`by_table`) is opaque. Claims do not
record whether a number was read from a plot, so relative bounds on such numbers are not detected.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from penstock.reproduce.claim import Claim
from penstock.reproduce.effort import Change
from penstock.reproduce.figure import at_least, every, metric, within
from penstock.reproduce.label_values import ValueRange
from penstock.reproduce.node import EvaluationScope, ExpressionNode
from penstock.reproduce.number import Number
from penstock.reproduce.paper import Experiment, Paper, included_papers
from penstock.reproduce.statement import Statement
from penstock.results.sample import RunSample
from penstock.results.table import Table
from penstock.scenario.document import Document, as_document
from penstock.scenario.scenario import Scenario
from penstock.studies.study import Study

from .made_up import MadeUp, effort_of

by_work = pytest.mark.parametrize("work", included_papers(), ids=lambda work: work.alias)

READS = re.compile(r"{} is (?P<printed>\S+) \((?P<low>\S+) to (?P<high>\S+)\)")
BETWEEN = re.compile(r"{} is between (?P<low>\S+) and (?P<high>\S+)")

DIFFERENT_SENTENCES = {
    # "a few percent more" if much traffic is in profile, otherwise "as much"
    "bs": ["loss (SACK, gentle, DA, DFQ) / loss (Reno, gentle, DA, DFQ)"],
    # one statement about exceeding Max and falling below it again, another about swinging around it
    "alemu": ["time above Max"],
}
"""Expressions with several bounds, because a paper makes different statements about them."""

WORLDS = 4
"""Number of made-up tables; in a single one a correlation of a few points may be exactly 0 or 1 by chance."""

Bounds = tuple[str, str]


def main_claims(work: Paper) -> Iterator[tuple[Experiment, Claim]]:
    """The claims of a paper whose conditions are expressions, without other readings."""
    for experiment in work.experiments:
        for claim in experiment.module.CLAIMS:
            if isinstance(claim.holds, Statement) and not claim.reading:
                yield experiment, claim


def comparisons(node: ExpressionNode) -> Iterator[ExpressionNode]:
    """The comparisons of numbers in a statement."""
    if node.children and all(isinstance(child, Number) for child in node.children) and isinstance(node, Statement):
        yield node
    for child in node.children:
        if isinstance(child, Statement):
            yield from comparisons(child)


def bare(number: ExpressionNode) -> str:
    """A number in words, without its labels."""
    return number.template.format(*map(bare, number.children)) if number.children else number.template


def bounds_of(statement: ExpressionNode) -> Iterator[tuple[str, Bounds]]:
    """Each bounded expression, with its printed number if it has one, and its bounds."""
    for comparison in comparisons(statement):
        if (match := READS.match(comparison.template)) is not None:
            yield f"{bare(comparison.children[0])}, printed {match['printed']}", (match["low"], match["high"])
        elif (match := BETWEEN.match(comparison.template)) is not None:
            yield comparison.children[0].text, (match["low"], match["high"])


def with_two_tolerances(claims: Mapping[str, ExpressionNode]) -> list[str]:
    """The expressions with different bounds in different claims, each with its bounds and claims."""
    bounds: dict[str, dict[Bounds, list[str]]] = {}
    for name, statement in claims.items():
        for number, pair in bounds_of(statement):
            bounds.setdefault(number, {}).setdefault(pair, []).append(name)
    return [
        f"{number}: "
        + "; ".join(
            f"{low} to {high} ({', '.join(dict.fromkeys(names))})" for (low, high), names in claims_by_bounds.items()
        )
        for number, claims_by_bounds in bounds.items()
        if len(claims_by_bounds) > 1
    ]


def outside(statement: ExpressionNode, axis: str, low: float, high: float, values: list[float]) -> list[float]:
    """The values of an axis that a statement uses although they are outside a range."""
    selected: set[float] = set()
    for labels in leaves(statement, {}):
        label = labels.get(axis)
        if label is None or isinstance(label, ValueRange):
            selected.update(value for value in values if label is None or label(value))
        else:
            selected.update(label if isinstance(label, (list, tuple)) else [label])
    return sorted(value for value in selected if not low <= value <= high)


def leaves(node: ExpressionNode, inherited: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
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
        statement = statement.with_reading_replaced(readings, value)
    return statement


def on_equal_runs(statement: Statement, tables: list[Table]) -> set[str]:
    """The comparisons whose two sides are the same runs: in each table the difference is exactly 0 or the ratio 1."""
    without = [_without_difference(statement, table) for table in tables]
    return set.intersection(*without) if without else set()


def _without_difference(statement: Statement, table: Table) -> set[str]:
    measured = [(part, part.condition.decide().measured) for part in statement.within(EvaluationScope(table))]
    return {
        f"{part.about}, {', '.join(map(str, part.place.values()))}"
        for part, estimate in measured
        if estimate is not None and estimate.sd == 0 and estimate.runs > 1 and estimate.mean in (0, 1)
    }


def tables_by_scenario(experiment: Experiment) -> list[Table]:
    """Made-up tables whose numbers depend only on the scenario in the author's set-up; none if all scenarios differ."""
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
    violations = with_two_tolerances(statements)
    assert [text.partition(": ")[0] for text in violations] == DIFFERENT_SENTENCES.get(work.alias, []), violations


@pytest.mark.parametrize(
    "work", [work for work in included_papers() if "ranges" in work.metadata], ids=lambda work: work.alias
)
def test_no_claim_is_decided_outside_its_figure(work: Paper) -> None:
    ranges: Mapping[str, Mapping[str, tuple[float, float]]] = work.metadata["ranges"]
    assert set(ranges) <= {experiment.id for experiment in work.experiments}
    violations = {}
    for experiment, claim in main_claims(work):
        for axis, (low, high) in ranges.get(experiment.id, {}).items():
            values = experiment.table(effort_of(work.name)).axes()[axis]
            if beyond := outside(main_reading(claim.statement), axis, low, high, values):
                violations[claim.id] = beyond
    assert violations == {}


@pytest.mark.slow
@by_work
def test_no_claim_compares_equal_runs(work: Paper) -> None:
    violations = {}
    for experiment in work.experiments:
        own = [claim.statement for other, claim in main_claims(work) if other == experiment]
        if own and hasattr(experiment.module, "study"):
            tables = tables_by_scenario(experiment)
            if equal := set().union(*(on_equal_runs(main_reading(statement), tables) for statement in own)):
                violations[experiment.id] = equal
    assert violations == {}


def test_the_checks_detect_such_conditions() -> None:
    goodput = metric("goodput", "%")
    claims = {
        "c1": goodput(scheme="RED").matches_printed(40, 30, 50),
        "c2": goodput(scheme="Blue").matches_printed(40, 35, 45),
    }
    assert with_two_tolerances(claims) == ["goodput, printed 40: 30 to 50 (c1); 35 to 45 (c2)"]
    same = goodput(scheme="RED") - goodput(scheme="Blue")
    assert with_two_tolerances({"c1": every(same.between(-5, 5)), "c2": same.between(-7, 7)}) != []

    sizes = [100.0, 5000.0, 20000.0]
    assert outside(goodput(buffer=at_least(400)) >= 80, "buffer", 100, 5000, sizes) == [20000]
    assert outside(goodput >= 80, "buffer", 100, 5000, sizes) == [20000]
    assert outside((goodput >= 80)(buffer=within(400, 5000)), "buffer", 100, 5000, sizes) == []

    runs = {"goodput": RunSample([80.0, 81.0, 82.0])}
    table = Table([({"scheme": scheme}, runs) for scheme in ("RED", "Blue")])
    assert len(on_equal_runs(goodput(scheme="RED") > goodput(scheme="Blue"), [table])) == 1
    assert on_equal_runs(goodput(scheme=["RED", "Blue"]) > 70, [table]) == set()
