"""Warnings about the traffic of a link: offered load, direction of the data, and packet size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from penstock.scenario.budget.offered import Stream
from penstock.units import UnitError, parse_size

__all__ = ["WarningTexts", "traffic_warnings", "unfilled_queue_warnings"]

WarningTexts = Iterator[tuple[str, str, str, str]]
"""Name, fact, advice, source."""

SIMILAR: Final = 1.75
"""Maximum ratio of packet sizes that share automatic settings; 1000 B, RED's default, and 1500 B share them."""

_USES_MEAN_PACKET: Final = {"w_q": ("auto", "auto_rtt", "auto_fast"), "min_th": ("auto",), "max_th": ("auto",),
                            "measure_in": ("bytes",)}  # fmt: skip
"""Settings of RED and its variants whose meaning depends on `mean_packet`."""


def traffic_warnings(streams: Sequence[Stream], place: str, table: Mapping[str, Any], rate: float) -> WarningTexts:
    """Warnings about the streams over a link direction with the queue `table` and this rate in bit/s."""
    over = [stream for stream in streams if place in stream.route]
    yield from _without_data(place, [stream for stream in streams if place in stream.reverse_route], over)
    yield from _windows(over, rate)
    yield from _packet_size(over, table)


def unfilled_queue_warnings(link: Mapping[str, Any], packet_s: float) -> WarningTexts:
    """A queue that stayed empty in a run with these link metrics; `packet_s` is the transmission time of a packet."""
    delay, busy = link.get("delay_mean_s"), link.get("utilization")
    if delay is None or busy is None or link.get("drops") or link.get("marks") or delay >= packet_s:
        return
    yield (
        "never-filled",
        f"the link was {busy:.0%} used and dropped nothing, and packets waited {1e3 * delay:.2g} ms on average, less "
        f"than the transmission time of a packet, {1e3 * packet_s:.2g} ms: schemes cannot differ here",
        "offer more traffic, or choose the link that is full",
        "",
    )


def _without_data(place: str, answering: list[Stream], over: list[Stream]) -> WarningTexts:
    if over or not answering:
        return
    other = place.removesuffix(".reverse") if place.endswith(".reverse") else f"{place}.reverse"
    yield (
        "no-data",
        f"only acknowledgements of {_names(answering)} cross it; the data cross the other direction",
        f"put the scheme at {other}",
        "",
    )


def _windows(over: list[Stream], rate: float) -> WarningTexts:
    """Flows that cannot fill the link, because their windows are too small for their round trips."""
    limited = [stream for stream in over if stream.is_limited_by_window]
    offered = sum(stream.represented_pairs * stream.packet_rate * stream.packet_bits for stream in over)
    if not limited or offered >= rate:
        return
    windows = sorted({round(stream.max_window) for stream in limited})
    yield (
        "small-windows",
        f"all traffic together can send at most {offered / 1e6:.4g} Mbit/s, {offered / rate:.0%} of the link, because "
        f"{_names(limited)} has windows of {' or '.join(map(str, windows))} packets: the queue stays empty",
        "raise window, or count",
        "throughput is at most window / round trip",
    )


def _packet_size(over: list[Stream], table: Mapping[str, Any]) -> WarningTexts:
    """A scheme that assumes a different packet size than TCP sends."""
    if not any(table.get(key) in words for key, words in _USES_MEAN_PACKET.items()):
        return
    flows = sum(stream.flows * stream.represented_pairs for stream in over if stream.is_elastic)
    try:
        assumed = float(parse_size(table.get("mean_packet")))
    except UnitError:
        return
    if not flows:
        return
    sent = (
        sum(stream.flows * stream.represented_pairs * stream.packet_bits for stream in over if stream.is_elastic)
        / flows
        / 8
    )
    if not 1 / SIMILAR <= sent / assumed <= SIMILAR:
        yield (
            "packet-size",
            f"the scheme assumes packets of {assumed:g} B for its automatic settings, and flows send {sent:.4g} B",
            f'set mean_packet = "{sent:.0f}B"',
            "",
        )


def _names(streams: Iterable[Stream]) -> str:
    return ", ".join(dict.fromkeys(stream.group for stream in streams))
