"""The parts of a result (links, traffic, codepoints), and the names of their places in rows and tables."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

__all__ = ["CODEPOINT", "PARTS", "TITLES", "metrics_by_part", "part_and_place", "place_name"]

TITLES = {"links": "Watched links", "traffic": "Traffic", "dscp": "Traffic by codepoint"}
"""The kind of places in each part; codepoints are present if traffic has several."""

PARTS = tuple(TITLES)

CODEPOINT = "dscp."
"""Prefix of the name of a codepoint in rows and tables."""


def place_name(part: str, place: str) -> str:
    """The name of a place in rows and tables: its own, after "dscp." for a codepoint.

    >>> place_name("traffic", "bulk"), place_name("dscp", "EF")
    ('bulk', 'dscp.EF')
    """
    return f"{CODEPOINT}{place}" if part == "dscp" else place


def part_and_place(name: str, links: Container[str]) -> tuple[str, str]:
    """The inverse of `place_name`: the part, and the place in it; `links` are the links of the scenario.

    >>> part_and_place("dscp.EF", {"core"}), part_and_place("core.reverse", {"core"}), part_and_place("bulk", {"core"})
    (('dscp', 'EF'), ('links', 'core.reverse'), ('traffic', 'bulk'))
    """
    if name.startswith(CODEPOINT):
        return "dscp", name.removeprefix(CODEPOINT)
    return "links" if name.removesuffix(".reverse") in links else "traffic", name


def metrics_by_part(result: Mapping[str, Any]) -> dict[str, Mapping[str, Mapping[str, Any]]]:
    """The metrics of each place by part, for the parts that the result of a run has."""
    return {part: result[part] for part in PARTS if part in result}
