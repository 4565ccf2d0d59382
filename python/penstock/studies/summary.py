"""Rows of the summary of a study."""

from __future__ import annotations

from typing import Any

from penstock.results.table import Table

__all__ = ["summary_rows"]


def summary_rows(table: Table) -> list[dict[str, Any]]:
    """A row for each cell and measured number: its labels, `metric`, `mean`, `sd`, `ci95` and `runs`."""
    rows = []
    for labels, samples in table.cells:
        for name, sample in samples.items():
            found = sample.summary
            if found is not None:
                ci95 = None if found.ci95 is None else list(found.ci95)
                rows.append(
                    {**labels, "metric": name, "mean": found.mean, "sd": found.sd, "ci95": ci95, "runs": found.runs}
                )
    return rows
