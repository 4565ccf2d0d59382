"""Claims of the reproduction, not of the thesis: on the reasons for its findings, and on its set-up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from penstock.reproduce.figure import Claim, Statement

from .setup import claim


def own_claim_factory(experiment: str) -> Callable[..., Claim]:
    """A function that makes an experiment's claims of the reproduction, as opposed to claims of the thesis."""

    def own_claim(name: str, holds: Statement, expected: str = "", *, says: str = "", **more: Any) -> Claim:
        """A claim of the reproduction itself, shown next to the claims of the thesis but not counted."""
        words = {"expected": expected, "reading": "own", **more}
        id_ = f"{experiment}/{name}"
        return Claim(id_, says, holds, **words) if says else claim(id_, holds, **words)

    return own_claim
