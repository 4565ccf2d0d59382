"""What is in profile is not lost (Section 3.1): packets counted before and behind the congested link."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import penstock as ps
from penstock.claims import Claim
from penstock.papers.bodin_schelen_2001 import sweep
from penstock.papers.bodin_schelen_2001.setup import HALF, SETTINGS, STRATEGIES
from penstock.papers.bodin_schelen_2001.sweep import IN, sent
from penstock.reproduce import Effort
from penstock.samples import all_of
from penstock.study import Study, Table


def study(effort: Effort) -> Study:
    """Every setting at the ends and the middle of the sweep; these runs are captured as a whole."""
    duration = effort.choose("20s", "130s")
    return Study(
        lambda setting, strategy, x: sweep.scenario(setting, strategy, x, duration),
        {"setting": list(SETTINGS), "strategy": list(STRATEGIES), "x": effort.choose([HALF], [0.2, HALF, 9.2])},
        where=lambda setting, strategy, x: not effort.quick or setting in ("Reno, strict", "SACK, gentle"),
        seeds=5,
        keep=missing,
    )


def missing(run: ps.Run) -> dict[str, Any]:
    """Packets of A and B in profile that went to the congested link, and are neither behind it nor may still wait."""
    before, behind = (sent(run, links, IN, after=0.0) for links in (["hostA", "hostB"], ["core"]))
    return {"sent": before, "missing": before - behind, "lost": max(0, before - behind - WAITING)}


WAITING = 200
"""Packets: more than ever wait for the congested link or are on the wires before it when a run ends."""


def measure(run: ps.Run) -> dict[str, float | None]:
    """Packets in profile: sent, and lost."""
    kept: dict[str, float | None] = run.raw["kept"]
    return kept


def claims(table: Table) -> Iterator[Claim]:
    """Claim c01."""
    yield Claim(
        id="c01",
        says="nothing that is in profile is lost",
        expected="packets of A and B in profile that are missing behind the link: 0 in each run",
        must_hold=True,
        holds=all_of(
            (samples["lost"] <= 0).at(f"{at['setting']}, {at['strategy']}, {at['x']:g} Mb/s")
            for at, samples in table.cells
        ),
    )
