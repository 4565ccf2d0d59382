"""Drop functions as the schemes have them, for Figures 1.1 to 1.5."""

from __future__ import annotations

import numpy as np

from penstock.explain.explanation import prepare
from penstock.reproduce.figure import Curves, metric
from penstock.results.table import Labels

d = metric("d", says="drop probability")
draw = Curves("x", "d", "curve", labels=("average queue (packets)", "drop probability"))

Rows = list[tuple[Labels, dict[str, float]]]


def curve(scheme: str, limit: int) -> tuple[np.ndarray, np.ndarray]:
    """Queue in packets and drop probability of a scheme as on the command line, in 400 steps up to the limit."""
    found = prepare(scheme, "1.5Mbit", "54ms", None, f"{limit}p").curve()
    if found is None:
        raise AssertionError(f"{scheme} has a drop function")
    return np.asarray(found[0]), np.asarray(found[1])


def rows(name: str, scheme: str, limit: int) -> Rows:
    """The curve as rows of a table."""
    return [
        ({"curve": name, "x": round(float(x), 6)}, {"d": float(d)}) for x, d in zip(*curve(scheme, limit), strict=True)
    ]
