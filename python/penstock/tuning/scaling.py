"""A scenario with its rate, number of flows and round trip scaled."""

from __future__ import annotations

from typing import Any

from penstock.scenario.document import Document
from penstock.scenario.workloads import KINDS
from penstock.units import format_rate, format_time, parse_rate, parse_time

__all__ = ["FACTORS", "scaled_scenario"]

FACTORS = (0.5, 1.0, 2.0)
"""Factors of rate, flows and round trip on the robustness map."""


def scaled_scenario(
    document: Document, place: str, *, rate: float = 1.0, flows: float = 1.0, rtt: float = 1.0
) -> Document:
    """A copy of the scenario, scaled by these factors.

    `rate` applies to the link of `place` in both directions, `flows` to each TCP group of two or more flows and to the
    users of each workload, and `rtt` to the delay of every link. Random and listed values stay as they are.
    """
    name = place.removesuffix(".reverse")
    for link, table in document.tree["links"].items():
        tables = {f"links.{link}": table, f"links.{link}.reverse": table.get("reverse", {})}
        for path, values in tables.items():
            if rtt != 1.0 and isinstance(values.get("delay"), str):
                delay = format_time(round(parse_time(values["delay"]) * rtt))
                document = document.set(f"{path}.delay", delay, "tune")
            if rate != 1.0 and link == name and isinstance(values.get("rate"), str):
                document = document.set(f"{path}.rate", format_rate(round(parse_rate(values["rate"]) * rate)), "tune")
    for group, table in document.tree.get("traffic", {}).items():
        if flows != 1.0 and _has_plain_count(table):
            document = document.set(f"traffic.{group}.count", max(1, round(table["count"] * flows)), "tune")
    for workload, table in document.tree.get("workloads", {}).items():
        users = table.get("users", KINDS[table["kind"]].default_users)
        if flows != 1.0:
            document = document.set(f"workloads.{workload}.users", max(1, round(users * flows)), "tune")
    return document


def _has_plain_count(table: Any) -> bool:
    """Whether a group has two or more TCP flows, and their number is an integer."""
    return table.get("kind") == "tcp" and isinstance(table.get("count"), int) and table["count"] > 1
