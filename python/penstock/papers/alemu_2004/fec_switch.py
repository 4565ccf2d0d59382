"""A queue that switches between RED and drop-tail by the losses before correction, as Section 5.6 suggests."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

import penstock as ps
from penstock.aqms.python_aqm import LinkFacts

from .model5 import DROPTAIL, RED

if TYPE_CHECKING:
    from penstock._native import Cx, Packet, Rng, Verdict

UDP = 17

RATIO = 1.17
"""Losses before correction behind RED over those behind drop-tail at the same load: Table 5.1 has 1.15 with 50 flows,
1.19 with 60."""


@ps.aqm("fec-switch")
class FecSwitch(ps.Aqm):
    """RED where a code repairs more behind it, drop-tail where drop-tail loses less.

    At the end of every `window` the share of datagrams lost in it is checked: above `droptail_above_loss` RED gives
    way to drop-tail; below `red_below_loss` RED returns. Two bounds, as RED loses more at the same load. RED is
    gentle, with ns-2's spacing and guards; its average is updated even while it does not drop.
    """

    droptail_above_loss: float = 0.054
    """Fraction of datagrams lost in a window above which drop-tail replaces RED."""
    red_below_loss: float = 0.047
    """Fraction of datagrams lost in a window below which RED replaces drop-tail."""
    window: ps.Seconds = "10s"
    """Time between two decisions, over which losses are counted."""
    min_th: float = 6.25
    """Packets."""
    max_th: float = 18.75
    """Packets; RED is gentle above it."""
    max_p: float = 0.1
    w_q: float = 0.0004
    mean_packet: int = 500
    """Bytes, to age the average while the link is idle."""

    def reset(self, link: LinkFacts) -> None:
        """Begin as RED, without any arrivals and with an idle link."""
        if self.red_below_loss > self.droptail_above_loss:
            raise ValueError("red_below_loss must not be above droptail_above_loss")
        self.capacity = link.rate / 8 / self.mean_packet
        self.red, self.avg, self.count, self.above = True, 0.0, 0, False
        self.idle_since: float | None = 0.0
        self.end, self.arrived, self.lost = self.window, 0, 0

    def on_arrival(self, cx: Cx, pkt: Packet) -> Verdict:
        """Count the datagram; while RED is in force, let it decide."""
        waiting = cx.queue.packets
        if self.idle_since is not None:
            self.avg *= (1 - self.w_q) ** math.floor((cx.now - self.idle_since) * self.capacity)
            self.idle_since = None
        self.avg = (1 - self.w_q) * self.avg + self.w_q * waiting
        coded = pkt.protocol == UDP
        self.arrived += coded
        if not self.red or not self._drops(waiting, cx.rng):
            return ps.PASS
        self.count = 0
        self.lost += coded
        return ps.DROP

    def on_overflow(self, cx: Cx, pkt: Packet) -> None:
        """Count a datagram that does not fit in the buffer as lost."""
        self.count = 0
        self.lost += pkt.protocol == UDP

    def on_idle(self, now: float) -> None:
        """Record since when the link is idle, which lowers RED's average at the next arrival."""
        if self.idle_since is None:
            self.idle_since = now

    def next_timeout(self) -> float:
        """The end of the present window in seconds."""
        return float(self.end)

    def on_timeout(self, cx: Cx) -> None:
        """Choose RED or drop-tail by the loss in this window, and begin the next window."""
        if self.arrived:
            share = self.lost / self.arrived
            self.red = share <= self.droptail_above_loss if self.red else share < self.red_below_loss
        self.end += self.window
        self.arrived = self.lost = 0

    def gauges(self) -> dict[str, float]:
        """The average queue, and 1 while the queue is RED, 0 while it is drop-tail."""
        return {"avg": self.avg, "red": float(self.red)}

    def _drops(self, waiting: int, rng: Rng) -> bool:
        """Whether RED drops: Section 1.2.1.1, with ns-2's guards and its spacing of drops."""
        if self.avg < self.min_th or waiting <= 1:
            self.count, self.above = 0, False
            return False
        if self.avg >= 2 * self.max_th:
            return True
        if not self.above:
            self.above, self.count = True, 1
            return False
        self.count += 1
        p_b = self._p_b()
        spaced = self.count * p_b
        if spaced < 1:
            return False
        return rng.chance(min(p_b / (2 - spaced), 1.0) if spaced < 2 else 1.0)

    def _p_b(self) -> float:
        """The gentle drop function (eq. 1.3)."""
        if self.avg < self.max_th:
            return self.max_p * (self.avg - self.min_th) / (self.max_th - self.min_th)
        return self.max_p + (1 - self.max_p) * (self.avg - self.max_th) / self.max_th


def modelled_loss_thresholds(k: int, h: int) -> tuple[float, float]:
    """Losses before correction, behind RED and behind drop-tail, at which the losses after it are equal (Section 5.5).

    The model has equal losses for both queues; in this function, RED's are `RATIO` times those of drop-tail.

    >>> "{:.4f} {:.4f}".format(*modelled_loss_thresholds(16, 1))
    '0.0544 0.0465'
    """
    tail = np.arange(0.0005, 1 / RATIO, 0.0005)
    worse = np.asarray(RED.residual_loss(RATIO * tail, k, h)) > np.asarray(DROPTAIL.residual_loss(tail, k, h))
    where = float(tail[worse][0])
    return RATIO * where, where
