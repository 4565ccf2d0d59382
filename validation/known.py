"""Cells that disagree with the reference, each with what is known about it."""

from .reference import Comparison

# (file, part of the cell's name, metric) -> explanation. The first entry that fits counts.
KNOWN: list[tuple[str, str, str, str]] = []


def explanation(comparison: Comparison) -> str | None:
    """What is known about a comparison that disagrees."""
    for file, part, metric, reason in KNOWN:
        if file == comparison.cell.file and part in comparison.cell.name and metric in ("*", comparison.metric):
            return reason
    return None
