"""Warnings about comparisons: queues that have not settled, by pilot runs of some cells; schemes with equal runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from penstock.cli.output import notify

if TYPE_CHECKING:
    from penstock.results.run_table import RunTable
    from penstock.scenario.resolve import Resolved
    from penstock.studies.executor import Executor
    from penstock.studies.store import RunResults

__all__ = ["identical_warnings", "transient_warnings"]

SHARE = 0.1
"""Maximum number of pilot runs, as a fraction of all runs; at least one is made."""

MAX_PILOTS = 20


def transient_warnings(
    cells: Sequence[tuple[Mapping[str, Any], Resolved]], runs: int, results: RunResults, executor: Executor
) -> list[dict[str, Any]]:
    """Make pilot runs of some of these cells, evenly spaced; print and return a warning for each unsettled link.

    A cell has labels, which its warning names. `runs` is the number of runs of the comparison.
    """
    from penstock.explain.unsettled_queues import unsettled_queue_warnings
    from penstock.scenario.document import Document
    from penstock.studies.pilots import PilotRuns

    count = max(1, min(MAX_PILOTS, int(SHARE * runs), len(cells)))
    chosen = [cells[number * len(cells) // count] for number in range(count)] if cells else []
    documents = [Document(dict(resolved.readable)) for _, resolved in chosen]
    pilots = PilotRuns(results)
    pilots.complete(documents, executor)
    warnings: dict[str, dict[str, Any]] = {}
    for (labels, resolved), queues in zip(chosen, pilots.queues(documents), strict=True):
        for warned in unsettled_queue_warnings(resolved, queues or {}):
            if warned.place not in warnings:
                scheme = str(labels.get("scheme", ""))
                point = ", ".join(f"{name} = {value}" for name, value in labels.items() if name != "scheme")
                notify(f"warning: {f'{scheme} at ' if scheme else ''}{warned.text}{f' [{point}]' if point else ''}")
                warnings[warned.place] = {"scheme": scheme, **warned.to_dict(), **({"point": point} if point else {})}
    return list(warnings.values())


def identical_warnings(runs: RunTable) -> list[dict[str, Any]]:
    """Print and return a warning for each group of schemes that have equal results in every run."""
    from penstock.explain.warnings import identical_result_warnings

    warnings = []
    for scheme, warned in identical_result_warnings(runs).items():
        notify(f"warning: {warned.text}")
        warnings.append({"scheme": scheme, **warned.to_dict()})
    return warnings
