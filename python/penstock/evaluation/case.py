"""A scenario of RFC 7928 with its section."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from penstock.evaluation.network import Dumbbell
from penstock.scenario.document import Document

__all__ = ["Case"]


@dataclass(frozen=True)
class Case:
    """A scenario of the RFC.

    Attributes:
        id: section, with a letter or number where a section has several.
        title: in a few words.
        requirement_level: "must", "should", "may" or "recommended", by the RFC's summary table (section 14).
        scenario: builds the scenario on a dumbbell.
        groups: groups of traffic whose numbers are shown in addition to the bottleneck's.
        changes: what differs from the other cases in the scheme's own parameters, such as ECN.

    """

    id: str
    title: str
    requirement_level: Literal["must", "should", "may", "recommended"]
    scenario: Callable[[Dumbbell], Document]
    groups: tuple[str, ...] = ()
    changes: dict[str, bool] = field(default_factory=dict)

    @property
    def section(self) -> str:
        """The section alone: "8.2.6" of "8.2.6-1"."""
        return self.id.split("-")[0].rstrip("abcdef")
