"""What the columns of Table 1.1 say, asked of the schemes themselves: each is driven by hand, and watched."""

from __future__ import annotations

from functools import cache

import numpy as np

from penstock.explain.explanation import prepare
from penstock.laws.catalog import find_scheme
from penstock.papers.alemu_2004 import functions
from penstock.papers.alemu_2004.registry import NAMES

MOVED = ("max_p", "p", "p_b", "p2", "virtual_capacity", "avg")
"""What a scheme moves, by the name it shows: the first of these that moves. AVQ and FRED show no probability."""
RATES = (1.5, 6.0)
"""Mbit/s: on the second link all packets come four times as fast."""
SECONDS = 3.0
TOLD: dict[str, str] = {"SRED": "zombies=100", "ARED_Feng": "w_q=0.1"}
"""Settings with which a scheme shows within those seconds what it does: a list that is soon full, a quick average."""
STRICT = {"ARED_Feng", "ARED_Floyd", "PSAND"}
"""Gentle by default, which adds a ramp to the drop function that is RED's."""


def has(name: str, param: str) -> bool:
    """Whether a scheme has a parameter."""
    return find_scheme(NAMES[name]).param(param) is not None


@cache
def pace(name: str) -> float:
    """The time between two of a scheme's moves if packets come four times as fast, over that if they do not.

    A quarter for what moves as packets arrive, 1 for what moves as time passes.
    """
    slow, fast = (_between(_command(name), rate) for rate in RATES)
    return fast / slow


def _between(scheme: str, rate: float) -> float:
    """Median seconds between two moves while the load goes from 1.5 to 0.3 of the rate and back."""
    half = 100 * 8e-3 / rate
    steps = [(1.5, half), (0.3, half)] * round(SECONDS / (2 * half))
    found = prepare(scheme, f"{rate}Mbit", "54ms", None, "35p").response(steps, 8_000)
    times = np.asarray(found["t"])[1:]
    for gauge in MOVED:
        moves = times[np.diff(found.get(f"gauge:{gauge}", [0.0] * (len(times) + 1))) != 0]
        if len(moves) > 1:
            return float(np.median(np.diff(moves)))
    raise AssertionError(f"{scheme} shows nothing that moves")


@cache
def shape(name: str) -> tuple[int, int]:
    """How many slopes and how many level parts the drop function has between 0 and 1."""
    scheme = f"{NAMES[name]}:gentle=false" if name in STRICT else NAMES[name]
    xs, ds = functions.curve(scheme, 35)
    inner = ds < 1
    slopes = np.round(np.diff(ds[inner]) / np.diff(xs[inner]), 6)
    kept = [slope for slope in dict.fromkeys(slopes) if slope > 0 and (slopes == slope).sum() > 2]
    return len(kept), len(dict.fromkeys(ds[inner]))


def _command(name: str) -> str:
    return f"{NAMES[name]}:{TOLD[name]}" if name in TOLD else NAMES[name]
