"""The result of a challenge as text."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

import numpy as np

from penstock.challenges.challenge import Challenge
from penstock.challenges.criteria import CRITERIA
from penstock.results.display import decimal_places, display_unit, format_number
from penstock.results.estimate import summarize
from penstock.results.metrics import find_metric

__all__ = ["challenge_text", "confirmation_table", "repeat_command", "scenario_file_text"]

FILE = "challenge.toml"
"""File name in the printed command without `-o`."""


def challenge_text(challenge: Challenge, repeat: str) -> str:
    """The result for a terminal; `repeat` is the command that repeats the confirmation."""
    return "\n".join(_lines(challenge, repeat)) + "\n"


def _lines(challenge: Challenge, repeat: str) -> Iterator[str]:
    yield challenge.conclusion
    if challenge.rule_text:
        yield challenge.rule_text
    yield ""
    yield f"{challenge.worse_by.runs} runs with fresh seeds; mean and half-width of the 95 % interval:"
    yield ""
    yield from _aligned(confirmation_table(challenge))
    yield ""
    yield scenario_file_text(challenge, repeat).rstrip()


def scenario_file_text(challenge: Challenge, repeat: str) -> str:
    """The text of the scenario file, with the command that repeats the confirmation as a comment in its first line."""
    return f"# {repeat}\n{challenge.scenario_toml}"


def repeat_command(schemes: Sequence[str], runs: int, file: str | None = None, load: Sequence[str] = ()) -> str:
    """The command that repeats the confirmation; schemes and files are written as on the command line."""
    options = [("--load", each) for each in load] + [("--scheme", scheme) for scheme in schemes]
    words = [word for option in options for word in option]
    return shlex.join(["penstock", "compare", file or FILE, *words, "--runs", str(runs)])


def confirmation_table(challenge: Challenge) -> list[tuple[str, ...]]:
    """The heads, then a row per metric with its name and a cell per scheme; the metric of the deficit comes first."""
    names = sorted(CRITERIA, key=lambda name: name != challenge.criterion)
    columns = range(len(challenge.schemes))
    rows: list[tuple[str, ...]] = [("", *(scheme.label for scheme in challenge.schemes))]
    for name in names:
        values = [challenge.values(column, name) for column in columns]
        if all(np.isnan(each).all() for each in values):
            continue
        estimates = [summarize(each[~np.isnan(each)].tolist() or [float("nan")]) for each in values]
        scale = display_unit(find_metric(CRITERIA[name].metric).quantity, [each.mean for each in estimates])
        half_widths = [scale.factor * (each.half_width or 0.0) for each in estimates]
        places = decimal_places([scale.factor * each.mean for each in estimates], half_widths)
        cells = [
            f"{format_number(scale.factor * each.mean, places)} ± {format_number(half_width, places)}"
            for each, half_width in zip(estimates, half_widths, strict=True)
        ]
        rows.append((CRITERIA[name].words + (f" ({scale.unit})" if scale.unit else ""), *cells))
    return rows


def _aligned(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """The rows as lines with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for head, *cells in rows:
        yield "  ".join(
            [head.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True))]
        )
