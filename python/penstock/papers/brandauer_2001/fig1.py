"""Figure 1: the drop functions of RED and of gentle RED, whose ramp ends at the buffer (Section 1)."""

import numpy as np

from penstock.reproduce.figure import Curves, Effort
from penstock.results.table import Labels

from .setup import design

FLOWS = 64
MAX_P = 0.1


def drop_probability(average: float, buffer: float, *, gentle: bool) -> float:
    """The probability of an early drop at an average queue, both in packets (Section 1, figure 1)."""
    low, high = 3 / 20 * buffer, 13 / 20 * buffer
    if average < low:
        return 0.0
    if average < high:
        return MAX_P * (average - low) / (high - low)
    return min(MAX_P + (1 - MAX_P) * (average - high) / (buffer - high), 1.0) if gentle else 1.0


def rows(effort: Effort) -> list[tuple[Labels, dict[str, float]]]:
    """Both, with the standard settings for 64 flows."""
    buffer = design(FLOWS).buffer
    return [
        (
            {"scheme": scheme, "average": float(average)},
            {"p": drop_probability(float(average), buffer, gentle=scheme == "GRED")},
        )
        for scheme in ("RED", "GRED")
        for average in np.linspace(0, buffer, 101)
    ]


CLAIMS = ()  # the figure is a definition

draw = Curves("average", "p", "scheme", labels=("average queue (packets)", "drop probability"))
