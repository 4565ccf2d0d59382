"""Experiments that share a module: each is an `Exhibit` in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypedDict, Unpack

from matplotlib.figure import Figure

from penstock.reproduce.claim import Claim
from penstock.reproduce.effort import ReproductionEffort
from penstock.results.table import Rows, Table
from penstock.studies.study import Measure, Study

__all__ = ["Exhibit"]


class ExhibitParts(TypedDict, total=False):
    """The parts of a figure or table other than its claims; one of the first three is given."""

    study: Callable[[ReproductionEffort], Study]
    rows: Callable[[ReproductionEffort], Rows]
    table: Callable[[ReproductionEffort], Table]
    measure: Measure
    draw: Callable[..., Figure]


class Exhibit:
    """A figure, table or worked example of a paper, with the attributes that its own module would have.

    >>> from penstock.reproduce.number import metric
    >>> fig4 = Exhibit("Figure 4: the queue", Claim("c01", "it is short", metric("q") < 5), rows=lambda _: [])
    >>> fig4.__doc__, [claim.id for claim in fig4.CLAIMS], hasattr(fig4, "study")
    ('Figure 4: the queue', ['c01'], False)
    """

    def __init__(self, title: str, *claims: Claim, **parts: Unpack[ExhibitParts]) -> None:
        """Takes a title of one line, the claims, and the other parts by the names that they have in a module."""
        self.__doc__ = title
        self.CLAIMS = claims
        vars(self).update(parts)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{self.__doc__}: no {name}")
