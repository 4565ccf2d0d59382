"""`--fail-if 'METRIC > VALUE'`: a condition on the results of a verb, for continuous integration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from penstock.cli.exit_codes import ExitCode
from penstock.cli.output import notify
from penstock.errors import PenstockError, ScenarioError

if TYPE_CHECKING:
    from penstock.scenario.resolve import Resolved
    from penstock.tuning.aim import Aim

__all__ = ["FailureConditions", "ResultNumber", "exit_if_failed", "result_numbers"]


class ResultNumber(NamedTuple):
    """A number of a result, with its cell (scheme and swept values) and its place."""

    cell: str
    place: str
    metric: str
    value: float
    is_at_link: bool


@dataclass(frozen=True)
class FailureConditions:
    """The conditions of `--fail-if`; a result that satisfies any of them fails."""

    conditions: tuple[Aim, ...]

    @classmethod
    def parse(cls, texts: Sequence[str], places: Mapping[str, Iterable[str]]) -> FailureConditions:
        """Parse the conditions; `places` has the names of "links", "traffic" and "dscp". Raises `ScenarioError`."""
        from penstock.tuning.aim import parse_aims

        if not texts:
            return cls(())
        try:
            conditions = parse_aims(texts, places)
        except ScenarioError as error:
            renamed = (replace(each, origin=(each.origin or "").replace("--aim", "--fail-if")) for each in error.errors)
            raise ScenarioError(renamed) from None
        for condition in conditions:
            if not condition.has_bound or condition.weight is not None:
                raise PenstockError(
                    f"--fail-if '{condition.text}': must have the form METRIC > VALUE or METRIC < VALUE"
                )
        return cls(conditions)

    @classmethod
    def of_scenario(cls, texts: Sequence[str], resolved: Resolved) -> FailureConditions:
        """The conditions for the runs of a scenario."""
        from penstock.scenario.resolve.codepoints import codepoint_names

        readable = resolved.readable
        links = [*resolved.watched, *(place for name in readable["links"] for place in (name, f"{name}.reverse"))]
        dscp = codepoint_names(resolved.canonical["traffic"])
        return cls.parse(texts, {"links": links, "traffic": readable["traffic"], "dscp": dscp})

    def check(self, numbers: Iterable[ResultNumber]) -> None:
        """Exit with 3 if a number satisfies a condition. Raises `PenstockError` for a metric that no result has."""
        exit_if_failed(self.failure_lines(list(numbers)))

    def failure_lines(self, numbers: Sequence[ResultNumber]) -> list[str]:
        """A line for each number that satisfies a condition. Raises `PenstockError` for a metric that no result has."""
        return [line for condition in self.conditions for line in _failures(condition, numbers)]


def exit_if_failed(failures: Sequence[str]) -> None:
    """Print the lines of `FailureConditions.failure_lines`, and exit with 3 if there are any."""
    for line in failures:
        notify(line)
    if failures:
        raise typer.Exit(ExitCode.REFUTED)


def _failures(condition: Aim, numbers: Sequence[ResultNumber]) -> list[str]:
    """A line for each number that satisfies the condition.

    Without a place, the condition applies to the watched links, or to all places if no link has the metric.
    """
    from penstock.results.display import short_text

    candidates = [
        number for number in numbers if number.metric == condition.metric and condition.place in (None, number.place)
    ]
    if not candidates:
        raise PenstockError(f"--fail-if '{condition.text}': no result has {condition.metric}")
    if condition.place is None and any(number.is_at_link for number in candidates):
        candidates = [number for number in candidates if number.is_at_link]
    satisfied = [number for number in candidates if (number.value > condition.bound) == (condition.side == ">")]
    satisfied = [number for number in satisfied if number.value != condition.bound]
    return [
        f"--fail-if '{condition.text}' is met: {cell}{': ' if cell else ''}{place}: {metric} = {short_text(value)}"
        for cell, place, metric, value, _ in satisfied
    ]


def result_numbers(result: Mapping[str, Any]) -> Iterable[ResultNumber]:
    """The numbers in the JSON of a run, or the means in that of a comparison."""
    from penstock.results.display import is_number
    from penstock.results.parts import metrics_by_part, place_name

    if "rows" in result:
        yield from _means(result)
        return
    for part, places in metrics_by_part(result).items():
        for place, values in places.items():
            for name, value in values.items():
                if is_number(value):
                    yield ResultNumber("", place_name(part, place), name, value, part == "links")


def _means(result: Mapping[str, Any]) -> Iterable[ResultNumber]:
    from penstock.results.display import scheme_argument
    from penstock.results.parts import part_and_place

    links = result["scenario"].get("links") or {}
    for row in result["rows"]:
        vary = ", ".join(f"{path} = {value}" for path, value in row["vary"].items())
        on = f" ({row['on']})" if "on" in row else ""
        cell = f"{scheme_argument(row['scheme'], row['params'])}{on}{f' at {vary}' if vary else ''}"
        if row["mean"] is not None:
            yield ResultNumber(
                cell, row["place"], row["metric"], row["mean"], part_and_place(row["place"], links)[0] == "links"
            )
