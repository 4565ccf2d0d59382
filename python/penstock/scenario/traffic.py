"""Traffic whose connections come and go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from penstock.scenario._generated import Tcp
from penstock.scenario.elements import EcnField, Value

__all__ = ["Incast", "OnOff", "Web"]


@dataclass(frozen=True, kw_only=True, repr=False)
class OnOff(Tcp):
    """Alternating on- and off-periods: transfers, each on a new connection, or bursts of datagrams.

    Attributes:
        on: length of a transfer, {"packets": 256}, or over UDP also a time such as {"exp": "500ms"}.
        off: time from the end of a transfer or burst to the start of the next.
        over: "tcp", with the keys of TCP flows; or "udp", with rate, packet and headers.
        rate: over UDP: bits on the wire per second within a burst.
        ecn: over UDP: ECN field of the datagrams: "not", "ect0", "ect1" or "ce"; True is "ect0".
        phase: over UDP: "zero": the first packet leaves at the start; "random": within the first gap.

    """

    kind: ClassVar[str] = "onoff"

    on: Value | Mapping[str, Any]
    off: Value
    over: Literal["tcp", "udp"] = "tcp"
    rate: Value | None = None
    ecn: EcnField | None = None  # type: ignore[assignment]  # a flag over TCP
    phase: Literal["zero", "random"] | None = None

    def _heads(self) -> Mapping[str, str]:
        # UDP bursts have no TCP profile.
        return {"kind": self.kind}


@dataclass(frozen=True, kw_only=True, repr=False)
class Incast(Tcp):
    """Rounds in which all senders answer one receiver at the same instant; `packets` or `bytes` is the answer's size.

    Attributes:
        senders: number of senders.
        pause: time from the last ACK of a round to the start of the next.
        every: instead of pause: time between the starts of rounds, whether or not earlier ones have ended.

    """

    kind: ClassVar[str] = "incast"

    senders: int = 1
    pause: Value = "0s"
    every: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Web(Tcp):
    """Web sessions after Feldmann et al. (SIGCOMM 1999): a client at `to`, servers at `from_`.

    Keys left out (None) have the distributions of that paper: Pareto with means and shapes 50 s and 2 (pages), 4 and
    1.2 (objects), 0.5 s and 1.5 (gap), 12 kB and 1.2 (size).

    Attributes:
        sessions: number of sessions.
        pages: time between pages.
        objects: objects of a page, rounded up.
        gap: time between the requests for a page's objects.
        size: bytes of an object, rounded up to packets.
        request: bytes of a request.
        option: `pages` is the time from the last object of a page to the next page (1), or between the starts of pages
        (0).

    """

    kind: ClassVar[str] = "web"

    sessions: int = 1
    pages: Value | None = None
    objects: float | Mapping[str, Any] | None = None
    gap: Value | None = None
    size: Value | None = None
    request: str | None = None
    option: Literal[0, 1] = 1
