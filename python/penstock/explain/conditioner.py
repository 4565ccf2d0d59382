"""The explanation of a conditioner: its rule, its parameters, its source."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from penstock import _native
from penstock.aqms.catalog import find_conditioner
from penstock.errors import PenstockError
from penstock.explain.text import algorithm_text, parameter_text

__all__ = ["conditioner_entry", "conditioner_text"]


def conditioner_text(name: str, width: int = 100) -> str | None:
    """The explanation in lines of at most `width` characters; None if there is no conditioner of this name."""
    try:
        conditioner = find_conditioner(name)
    except PenstockError:
        return None
    # A shaper is also a scheme, and is explained as one.
    if conditioner.is_shaper:
        return None
    return _text(conditioner_entry(conditioner.name), width)


def conditioner_entry(name: str) -> dict[str, Any]:
    """The conditioner of this name or alias as plain values. Raises `PenstockError`."""
    own = find_conditioner(name).name
    return dict(next(entry for entry in json.loads(_native.conditioners()) if entry["name"] == own))


def _text(entry: Mapping[str, Any], width: int) -> str:
    also = f" (also {', '.join(entry['aliases'])})" if entry["aliases"] else ""
    parts = [
        _heading(entry["title"], "=")
        + f"name    {entry['name']}{also}\nused in `edge` of a link, in front of its queue\nsource  {entry['source']}",
        algorithm_text(entry["doc"], width),
        _heading("Settings", "-") + parameter_text(entry["params"], width),
    ]
    if entry["class_params"]:
        parts.append(_heading("Settings of each class", "-") + parameter_text(entry["class_params"], width))
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def _heading(title: str, line: str) -> str:
    return f"{title}\n{line * len(title)}\n"
