"""Values in which set-ups of the thesis differ, and changes that set them in a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from penstock.scenario.document import Document

DELAYED = "100ms"
"""Timer of ns-2's delayed acknowledgements."""
AUTOMATIC: Mapping[str, Any] = {"min_th": 6.25, "max_th": 18.75, "w_q": 0.0004}
"""RED with ns-2's automatic settings since 2001, on the link of chapter 5 (guess 9)."""
AVERAGING = ("red", "ared-feng", "ared-floyd", "psand")
"""Schemes with RED's average and drop function."""


def unchanged(document: Document) -> Document:
    """The unchanged scenario."""
    return document


def with_redundancy_in_rate(document: Document) -> Document:
    """The rate of datagrams with a code includes redundancy."""
    changed = document
    for name, group in document.tree["traffic"].items():
        if group["kind"] == "fec":
            rate = 500 * group["k"] / (group["k"] + group["h"])
            changed = changed.set(f"traffic.{name}.rate", f"{rate:.6g}kbit")
    return changed
