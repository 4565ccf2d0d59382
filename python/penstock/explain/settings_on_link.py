"""The settings of a queue in the units of a link: packets, bytes, milliseconds, round trips."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from penstock.aqms.catalog import find_scheme
from penstock.aqms.red_thresholds import automatic_threshold
from penstock.explain.warnings import average_seconds
from penstock.model import design
from penstock.results.display import setting_text
from penstock.scenario.loaded_link import LoadedLink
from penstock.units import Length, UnitError, parse_length, parse_size, parse_time

__all__ = ["format_seconds", "settings_on_link"]

_TIMES = ("ns", "us", "ms", "s")


def settings_on_link(link: LoadedLink, table: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """The settings that have a value on this link, such as a length or `auto`: each as written, and on the link."""
    units = {param.name: param.unit for param in find_scheme(str(table["scheme"])).params}
    settings = {}
    for name, value in table.items():
        if name not in ("scheme", "classes", "precedence", "mean_packet") and not isinstance(value, (bool, Mapping)):
            here = "; ".join(_here(link, table, name, value, units.get(name, "")))
            if here:
                settings[name] = (setting_text(value), here)
    return settings


def format_seconds(seconds: float) -> str:
    """A time in milliseconds or, if it is at least a second, in seconds."""
    return f"{1e3 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def _here(link: LoadedLink, table: Mapping[str, Any], name: str, value: Any, unit: str) -> Iterator[str]:
    if name == "w_q" and (average := average_seconds(link, table)) is not None:
        weight, constant = average
        yield f"w_q = {weight:.3g} averages over {format_seconds(constant)}, {constant / link.rtt_s:.3g} round trips"
    elif (automatic := automatic_threshold(name, table, link.rate_bps)) is not None:
        yield _length(link, automatic)
    elif value == "auto" and table["scheme"] == "pi" and name in ("a", "b"):
        yield from _pi_gain(link, table, name)
    elif name == "fill_level" and table.get("limit") != "inf":
        yield ", ".join(f"{share * link.buffer_pkts:.4g}" for share in value) + " packets"
    elif isinstance(value, list) and unit == "packets":
        yield ", ".join(_length(link, Length("packets", threshold)) for threshold in value)
    elif isinstance(value, str):
        try:
            length = parse_length(value)
        except UnitError:
            return
        yield from _lengths(link, value, length)


def _pi_gain(link: LoadedLink, table: Mapping[str, Any], name: str) -> Iterator[str]:
    """PI's automatic gain as the AQM derives it (algorithm/pi.rs): for packets of its own mean_packet."""
    mean, limit = float(parse_size(table["mean_packet"])), table["limit"]
    if limit == "inf":
        return
    room = parse_length(limit)
    capacity = link.rate_bps / (8 * mean)
    trip = float(design.longest_rtt(room.amount / (1 if room.unit == "packets" else mean), capacity, link.rtt_s))
    gains = design.pi_gains(link.flows, trip, capacity, 1e9 / parse_time(table["interval"]))
    yield f"{float(getattr(gains, name)):.4g} for {link.flows} flows and round trips up to {format_seconds(trip)}"


def _lengths(link: LoadedLink, text: str, length: Length) -> Iterator[str]:
    if text.endswith(_TIMES):
        seconds = float(length.amount) / 1e9
        yield f"{seconds * link.capacity:.4g} packets at full rate, {seconds / link.rtt_s:.3g} round trips"
    elif length.unit in ("packets", "bytes") and length.amount:
        yield _length(link, length)


def _length(link: LoadedLink, length: Length) -> str:
    """A length in packets, bytes, time and BDP; one far beyond the buffer is never reached."""
    packets = float(length.amount) / (1 if length.unit == "packets" else link.packet_bytes)
    if packets > 100 * link.buffer_pkts:
        return "beyond any queue here"
    size = packets * link.packet_bytes
    size_text = f"{size / 1e3:.4g} kB" if size >= 1e3 else f"{size:.4g} B"
    return (
        f"{packets:.4g} packets, {size_text}, {format_seconds(packets * link.packet_s)}, {packets / link.bdp:.3g} BDP"
    )
