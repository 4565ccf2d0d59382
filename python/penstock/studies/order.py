"""The order in which a study lists the names on its axes, such as its schemes; a store keeps it for figures and pages.

Numbers and quantities need no stored order: they are sorted by size.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from penstock.files import read_json
from penstock.results.quantity import parse_quantity

__all__ = ["Order", "merge_orders", "order_file", "order_text", "read_order"]

Order = Mapping[str, Sequence[str]]
"""Names by axis."""


def merge_orders(axes: Iterable[Mapping[str, Sequence[Any]]]) -> Order:
    """The names on axes, each once; names of earlier tables of axes come first.

    >>> merge_orders([{"scheme": ["red", "pie"], "flows": [5]}, {"scheme": ["codel", "red"]}])
    {'scheme': ['red', 'pie', 'codel']}
    """
    order: dict[str, list[str]] = {}
    for table in axes:
        for axis, values in table.items():
            names = [value for value in values if isinstance(value, str) and parse_quantity(value) is None]
            if names:
                order[axis] = list(dict.fromkeys([*order.get(axis, ()), *names]))
    return order


def order_file(folder: Path, study: str) -> Path:
    """The file of a store with the order of a study."""
    return folder / "orders" / f"{hashlib.blake2b(study.encode(), digest_size=16).hexdigest()}.json"


def order_text(study: str, order: Order) -> str:
    """The content of the file."""
    return json.dumps({"study": study, "order": order}, indent=1) + "\n"


def read_order(folder: Path, study: str) -> Order:
    """The order of a study in a store; empty if it is not known."""
    try:
        document = read_json(order_file(folder, study))
        return {str(axis): [str(name) for name in names] for axis, names in document["order"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
