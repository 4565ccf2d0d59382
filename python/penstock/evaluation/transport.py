"""Sections 5 and 6: one or two flows of different transports, and of different round trips."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from penstock.evaluation.case import Case
from penstock.evaluation.network import Dumbbell, Table, traffic_table
from penstock.scenario.document import Document

__all__ = ["transport_cases"]

TRIPS_MS = (5, 8, 10, 16, 20, 30, 40, 60, 80, 150, 200, 300, 400, 500, 560)
"""Section 6.2: round trips of the second category, from 5 to 560 ms; the first has 100 ms."""

LEDBAT: Table = {"target": "5ms", "gain": 10}
"""Section 5.4; RFC 6817 itself allows a gain of at most 1."""

FEW_TRIPS_MS = (5, 20, 60, 200, 560)
"""The round trips of the quick evaluation."""


def transport_cases(quick: bool) -> Iterator[Case]:
    """The cases of both sections."""
    yield Case("5.1.1", "one NewReno flow, initial window 3", "must", _friendly, ("bulk",))
    for window in (3, 10):
        title = f"a NewReno flow and short ones of 50 packets, initial window {window}"
        yield Case(f"5.1.2-{window}", title, "must", _short(window), ("bulk", "short"))
    yield Case("5.2", "one CUBIC flow", "must", _aggressive, ("bulk",))
    yield Case("5.3-1", "datagrams at 1.2 times the rate", "must", _datagrams(1.2, alone=True), ("datagrams",))
    for share in (0.6, 0.9):
        title = f"datagrams at {share:g} times the rate and a NewReno flow"
        yield Case(f"5.3-2-{share:g}", title, "must", _datagrams(share, alone=False), ("datagrams", "bulk"))
    yield Case("5.4", "a NewReno flow and a LEDBAT flow", "may", _background, ("bulk", "background"))
    for trip in FEW_TRIPS_MS if quick else TRIPS_MS:
        title = f"round trips of 100 and {trip} ms"
        yield Case(f"6.2-{trip}", title, "must", _trips(trip, ecn=False), ("first", "second"))
    for trip in (20, 200):
        title = f"round trips of 100 and {trip} ms, with ECN"
        yield Case(f"4.5-{trip}", title, "should", _trips(trip, ecn=True), ("first", "second"), {"ecn": True})


def _friendly(dumbbell: Dumbbell) -> Document:
    return dumbbell.scenario("TCP-friendly sender", {"bulk": dumbbell.tcp(initial_window=3)})


def _short(window: int) -> Callable[[Dumbbell], Document]:
    def scenario(dumbbell: Dumbbell) -> Document:
        first = max(dumbbell.start_s, 0.1 * dumbbell.duration_s)
        count = max(1, int((dumbbell.duration_s - first) / 5) - 1)
        short = dumbbell.tcp(count, packets=50, initial_window=window, start={"first": f"{first:g}s", "every": "5s"})
        return dumbbell.scenario("different initial windows", {"bulk": dumbbell.tcp(initial_window=3), "short": short})

    return scenario


def _aggressive(dumbbell: Dumbbell) -> Document:
    return dumbbell.scenario("aggressive sender", {"bulk": dumbbell.tcp(flavour="cubic")})


def _datagrams(share: float, *, alone: bool) -> Callable[[Dumbbell], Document]:
    def scenario(dumbbell: Dumbbell) -> Document:
        table: Table = {
            **traffic_table("cbr"),
            "rate": f"{share * dumbbell.rate_bps / 1e3:g}kbit",
            "packet": f"{dumbbell.packet_bytes - 28}B",
        }
        traffic = {"datagrams": table} if alone else {"datagrams": table, "bulk": dumbbell.tcp()}
        return dumbbell.scenario("unresponsive sender", traffic)

    return scenario


def _background(dumbbell: Dumbbell) -> Document:
    return dumbbell.scenario(
        "less-than-best-effort sender", {"bulk": dumbbell.tcp(), "background": dumbbell.tcp(flavour="ledbat", **LEDBAT)}
    )


def _trips(trip: float, *, ecn: bool) -> Callable[[Dumbbell], Document]:
    def scenario(dumbbell: Dumbbell) -> Document:
        first = dumbbell.tcp(ecn=ecn)
        second = dumbbell.tcp(ecn=ecn) | {"from": "C"}
        return dumbbell.scenario(
            "fairness of round trips",
            {"first": first, "second": second},
            trips_ms={"C": float(trip)},
            duration_s=2 * dumbbell.duration_s,
        )

    return scenario
