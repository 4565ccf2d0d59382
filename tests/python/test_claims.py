"""Every claim of every work is that of `tests/data/recorded_claims.csv`: same id, same verdict, same number.

The file has of each claim its verdict and number as recorded, and those on made-up tables (`made_up.py`), where a
claim on another metric, label or bound would give others. It was written before claims became data; a claim is changed
there by hand, with its reason in the change log. A claim that the record decides by an earlier predicate has two rows
until the next full run: one with the record only, and one with the made-up numbers only.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from penstock.reproduce.claim import decide_claims
from penstock.reproduce.paper import Paper, included_papers

from .made_up import effort_of

FILE = Path(__file__).resolve().parents[1] / "data" / "recorded_claims.csv"
NOT_MADE_UP = {"cc/open-mixed"}  # its table needs the numbers of real runs

Row = tuple[str, ...]
by_work = pytest.mark.parametrize("work", included_papers(), ids=lambda work: work.alias)


def written(work: Paper, *columns: str) -> list[Row]:
    with FILE.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["work"] == work.alias]
    return sorted(
        tuple(row[name] for name in ("experiment", "claim", "reading", *columns))
        for row in rows
        if row[columns[0]] and not ("made up verdict" in columns and f"{work.alias}/{row['experiment']}" in NOT_MADE_UP)
    )


def rows_of(experiment: str, claims: Iterable[dict[str, Any]]) -> Iterator[Row]:
    for claim in claims:
        measured = claim.get("measured")
        number = "" if measured is None else f"{measured:.6g}"
        yield experiment, claim["id"], claim.get("reading", ""), claim["verdict"], number


@by_work
def test_what_is_recorded_of_each_claim_is_what_was_recorded(work: Paper) -> None:
    recorded = work.recorded_results()
    assert recorded is not None
    rows = [row for entry in recorded["experiments"] for row in rows_of(entry["id"], entry["claims"])]
    assert sorted(rows) == written(work, "verdict", "measured")


@pytest.mark.slow
@by_work
def test_each_claim_asks_for_the_same_number(work: Paper) -> None:
    rows: list[Row] = []
    for experiment in work.experiments:
        if experiment.name not in NOT_MADE_UP:
            table = experiment.table(effort_of(work.name))
            decided = decide_claims(experiment.claims(table))
            rows += rows_of(experiment.id, (decision.to_dict() for decision in decided))
    assert sorted(rows) == written(work, "made up verdict", "made up measured")
