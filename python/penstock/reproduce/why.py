"""Reasons why claims are not confirmed: sentences in a paper's `why.toml`, filled in with numbers from the record.

The entry of a claim has a sentence, `because`, its `grade` (`penstock.reproduce.claim.GRADES`; "after" by default), and
the source of the number for each name in braces. So no number is typed by hand, and a new record brings new numbers:

    [c14]
    because = "flows lose packets simultaneously; with up to 5 ms of jitter the shares are {share} % (why-in-step)"
    grade = "full"
    share = { in = "why-in-step", of = "g_slow", scheme = ["RED", "Tail-Drop"] }

* `{ in, of, LABEL = ... }`: the mean of metric `of` in the recorded points of experiment `in`, in all cells with the
  labels: one value, a list, or `{ min = 400, max = 5000 }`. Several cells give a range, e.g. "35 to 46".
  `over = { LABEL = ... }` divides by the number with these labels instead, cell by cell, and `minus = { ... }`
  subtracts it; `show` is a format (".2g" by default, ".3g", ".0f").
* `{ claim, of }`: from the recorded claim, with its `reading` if it has one: `of = "measured"`, or `of = "held"`, e.g.
  "24 of 24".
* A text or a list of texts is inserted as it is. So an entry can name its changes (`holds_with = "strict"`).

`points.parquet` has the points that figures draw, `results.json` all claims. A number of an experiment or claim that is
not recorded yet is shown as "?"; a number that a record lacks is an error.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock.errors import PenstockError
from penstock.files import read_toml
from penstock.reproduce import points
from penstock.reproduce.claim import GRADES
from penstock.results.summary_table import SummaryTable

__all__ = ["UNKNOWN", "Reason", "read_reason_entries", "read_reasons"]

UNKNOWN = "?"

_OWN = {"in", "of", "over", "minus", "show"}
_NAMES = re.compile(r"{(\w+)}")


@dataclass(frozen=True)
class Reason:
    """The reason why a claim is not confirmed, with its grade: how well the reason is shown."""

    text: str
    grade: str


def read_reason_entries(folder: Path) -> Mapping[str, Mapping[str, Any]]:
    """The entries of `why.toml` by their claims, without numbers filled in; none if there is no file."""
    file = folder / "why.toml"
    return read_toml(file) if file.exists() else {}


def read_reasons(folder: Path, record: Mapping[str, Any] | None) -> Mapping[str, Reason]:
    """The reason of each claim; `record` is the content of `results.json`. Raises `PenstockError`."""
    listed = read_reason_entries(folder)
    summaries = points.read_points(folder / "points.parquet") if listed else {}
    claims = [claim for entry in (record or {}).get("experiments", []) for claim in entry["claims"]]
    all_reasons = {}
    for claim, entry in listed.items():
        place, grade = f"{folder / 'why.toml'}: {claim}", entry.get("grade", "after")
        if grade not in GRADES:
            raise PenstockError(f'{place}: grade "{grade}": must be one of {", ".join(GRADES)}')
        all_reasons[claim] = Reason(_sentence(place, entry, summaries, claims), grade)
    return all_reasons


def _sentence(
    place: str, entry: Mapping[str, Any], summaries: Mapping[str, SummaryTable], claims: Sequence[Mapping[str, Any]]
) -> str:
    def filled(name: re.Match[str]) -> str:
        try:
            source = entry[name[1]]
            if isinstance(source, str):
                return source
            if isinstance(source, list):
                return ", ".join(source)
            if "claim" in source:
                is_recorded = any(claim["id"] == source["claim"] for claim in claims)
                return _of_claim(source, claims) if is_recorded else UNKNOWN
            return _of_points(source, summaries[source["in"]]) if source["in"] in summaries else UNKNOWN
        except (KeyError, LookupError, TypeError) as error:
            raise PenstockError(f"{place}: {name[0]} is not in the record: {error}") from None

    return _NAMES.sub(filled, str(entry["because"]))


def _of_claim(source: Mapping[str, Any], claims: Sequence[Mapping[str, Any]]) -> str:
    key = (source["claim"], source.get("reading", ""))
    matching = [claim for claim in claims if (claim["id"], claim.get("reading", "")) == key]
    if len(matching) != 1:
        raise KeyError(f"{len(matching)} claims are {key}")
    if source["of"] == "measured":
        return _range([matching[0]["measured"]], source)
    held = re.match(r"\d+ of \d+", matching[0]["why"])
    if held is None:
        raise KeyError(f"{key} has no parts")
    return held[0]


def _of_points(source: Mapping[str, Any], summary: SummaryTable) -> str:
    labels = {axis: label for axis, label in source.items() if axis not in _OWN}
    return _range(list(_numbers(source, labels, summary)), source)


def _numbers(source: Mapping[str, Any], labels: Mapping[str, Any], summary: SummaryTable) -> Iterator[float]:
    other = source.get("over") or source.get("minus")
    for own, point_of in summary.cells:
        if source["of"] not in point_of or not all(_fits(own.get(axis), label) for axis, label in labels.items()):
            continue
        number = point_of[source["of"]].mean
        if other is not None:
            second = summary(source["of"], **{**{a: v for a, v in own.items() if v is not None}, **other}).mean
            number = number / second if "over" in source else number - second
        if not math.isnan(number):
            yield number


def _fits(value: Any, label: Any) -> bool:
    if isinstance(label, Mapping):
        return value is not None and label.get("min", -math.inf) <= value <= label.get("max", math.inf)
    return value in label if isinstance(label, list) else bool(value == label)


def _range(numbers: Sequence[float], source: Mapping[str, Any]) -> str:
    if not numbers:
        raise KeyError(f"no cell has {dict(source)}")
    lowest, highest = (_text(number, source.get("show", ".2g")) for number in (min(numbers), max(numbers)))
    return lowest if lowest == highest else f"{lowest} to {highest}"


def _text(number: float, show: str) -> str:
    text = format(number, show)
    return f"{float(text):.0f}" if "e" in text else text
