"""Section 8: levels of congestion, and loads and capacities that change."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from penstock.evaluation.case import Case
from penstock.evaluation.network import HEAVY, MEDIUM, MILD, Dumbbell, Table
from penstock.scenario.document import Document

__all__ = ["congestion_cases"]

PHASE_S = 20.0
"""Sections 8.2.5 and 8.2.6.1: length of a phase; 100 ms in section 8.2.6.2."""

FAST_S = 0.1
LOW = 0.1
"""The lower capacity as a fraction of the higher one: 10 of 100 Mb/s."""


def congestion_cases() -> Iterator[Case]:
    """The cases of the section."""
    levels = (("8.2.2", "mild", MILD), ("8.2.3", "medium", MEDIUM), ("8.2.4", "heavy", HEAVY))
    for name, word, share in levels:
        yield Case(name, f"{word} congestion", "must", _level(share), ("bulk",))
    yield Case("8.2.5", "mild, medium, heavy in turn", "must", _varying_load, ("mild",))
    yield Case("8.2.6-1", "capacity falls to a tenth and back, every 20 s", "must", _capacity(PHASE_S), ("bulk",))
    yield Case("8.2.6-2", "capacity falls to a tenth and back, every 100 ms", "must", _capacity(FAST_S), ("bulk",))


def _level(share: float) -> Callable[[Dumbbell], Document]:
    def scenario(dumbbell: Dumbbell) -> Document:
        return dumbbell.scenario("level of congestion", {"bulk": dumbbell.tcp(dumbbell.flows(share))})

    return scenario


def _varying_load(dumbbell: Dumbbell) -> Document:
    """Flows of the mild level all the time, further ones to the medium level for 2/3, to the heavy level for 1/3."""
    mild, medium, heavy = (dumbbell.flows(share) for share in (MILD, MEDIUM, HEAVY))
    traffic: dict[str, Table] = {"mild": dumbbell.tcp(mild)}
    phase = min(PHASE_S, (dumbbell.duration_s - dumbbell.start_s) / 3)
    begin = dumbbell.start_s
    turn = 0
    while begin < dumbbell.duration_s:
        for label, count, after in (("medium", medium - mild, 1), ("heavy", heavy - medium, 2)):
            start = begin + after * phase
            if count > 0 and start < dumbbell.duration_s:
                table = dumbbell.tcp(count) | {
                    "start": f"{start:g}s",
                    "stop": f"{min(begin + 3 * phase, dumbbell.duration_s):g}s",
                }
                traffic[f"{label}-{turn}"] = table
        begin += 3 * phase
        turn += 1
    return dumbbell.scenario("varying congestion", traffic)


def _capacity(phase: float) -> Callable[[Dumbbell], Document]:
    def scenario(dumbbell: Dumbbell) -> Document:
        changes = []
        at, low = dumbbell.start_s, True
        while at < dumbbell.duration_s:
            changes.append({"at": f"{at:.6g}s", "rate": f"{(LOW if low else 1.0) * dumbbell.rate_bps / 1e3:g}kbit"})
            at, low = at + phase, not low
        traffic = {"bulk": dumbbell.tcp(dumbbell.flows(MILD))}
        return dumbbell.scenario("varying capacity", traffic, link={"change": changes})

    return scenario
