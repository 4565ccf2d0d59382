"""Figure 1.1: RED's drop function, strict and gentle (Section 1.2.1.1)."""

from penstock.papers.alemu_2004 import functions
from penstock.papers.alemu_2004.functions import d, draw
from penstock.reproduce.figure import Claim, Effort, formula

__all__ = ["CLAIMS", "draw", "rows"]


def rows(_: Effort) -> functions.Rows:
    """Both modes with thresholds of 5 and 15 packets and max_p 0.1, up to 40 packets."""
    strict = functions.rows("strict", "red:max_p=0.1", 40)
    return strict + functions.rows("gentle", "red:max_p=0.1,gentle=true", 40)


def strict(x: float) -> float:
    """Equation 1.2: 0 at Min, max_p just below Max, 1 from Max on, linear between."""
    return 0.0 if x < 5 else 0.1 * (x - 5) / 10 if x < 15 else 1.0


def gentle(x: float) -> float:
    """Equation 1.3: max_p at Max, 1 from 2 Max on, no jump."""
    return strict(x) if x < 15 else min(0.1 + 0.9 * (x - 15) / 15, 1.0)


CLAIMS = tuple(
    Claim(
        f"fig1.1{panel}/c1",
        f"the {law.__name__} drop function",
        abs(d(curve=law.__name__) - formula(law)) <= 1e-6,
        f"{expected}; to 1e-6",
        must_hold=True,
    )
    for panel, law, expected in (
        ("a", strict, "0 at Min, max_p just below Max, 1 from Max on, linear between"),
        ("b", gentle, "max_p at Max, 1 from 2 Max on, no jump"),
    )
)
