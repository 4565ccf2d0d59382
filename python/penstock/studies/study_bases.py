"""The base scenarios of a study file: scenario files, relative to the study file, or inline tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from penstock.errors import ScenarioError, toml_type_name
from penstock.scenario.document import Document, read_document
from penstock.scenario.resolve.reader import Table

__all__ = ["BASE", "check_seeds", "read_base_scenarios"]

BASE = "base"
"""The name of the axis over several base scenarios."""

EXAMPLE = 'such as base = "link.toml" or base = ["dsl.toml", "fibre.toml"]'


def read_base_scenarios(top: Table, folder: Path, settings: Iterable[str]) -> dict[str, Document]:
    """The scenarios by label (the file name without suffix). Records every error and omits scenarios with errors.

    `settings` are texts `PATH=VALUE` that are applied to each scenario.
    """
    value = top.values.get(BASE)
    if value is None:
        top.add_error(BASE, f"is missing; name a scenario file, {EXAMPLE}")
        return {}
    entries = value if isinstance(value, list) else [value]
    if not entries:
        top.add_error(BASE, f"names no scenario; write {EXAMPLE}")
    bases: dict[str, Document] = {}
    for number, entry in enumerate(entries):
        path = f"{BASE}[{number}]" if isinstance(value, list) else BASE
        label, document = _read(top, entry, path, folder, settings)
        if label in bases:
            top.add_error(BASE, f'names two scenarios "{label}"; rename one of them')
        elif document is not None:
            bases[label] = document
    return bases


def _read(top: Table, entry: Any, path: str, folder: Path, settings: Iterable[str]) -> tuple[str, Document | None]:
    """The label and the scenario; None after an error."""
    if isinstance(entry, Mapping):
        origins = top.errors.origins.items()
        inside = {key.removeprefix(f"{path}."): origin for key, origin in origins if key.startswith(f"{path}.")}
        label = re.sub(r"[^\w.-]+", "-", str(entry.get("name") or path), flags=re.ASCII).strip("-.")
        return label, Document(dict(entry), {"": top.errors.origin(path) or path, **inside})
    if not isinstance(entry, str) or not entry:
        top.errors.add(path, f"must name a scenario file, {EXAMPLE}, not {toml_type_name(entry)}", entry)
        return path, None
    try:
        return Path(entry).name.partition(".")[0], read_document(folder / entry, settings)
    except ScenarioError as error:
        top.errors.details += error.errors
    return path, None


def check_seeds(top: Table, bases: Mapping[str, Document]) -> int:
    """The first seed of each cell, which is the seed of the base scenarios. Records an error if they differ."""
    seeds = {label: document.tree.get("seed", 1) for label, document in bases.items()}
    if len(set(map(repr, seeds.values()))) > 1:
        listed = ", ".join(f"{label} {seed}" for label, seed in seeds.items())
        top.add_error(BASE, f"has scenarios with several seeds ({listed}); set one with --seed")
    seed = next(iter(seeds.values()), 1)
    return seed if isinstance(seed, int) and not isinstance(seed, bool) else 1
