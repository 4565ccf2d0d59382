"""Transfers with drawn sizes, which may arrive at random."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Final

from penstock.scenario.resolve.draws import DrawableValue, drawable_parser
from penstock.scenario.resolve.reader import Table, list_parser, whole_number_parser
from penstock.units import UnitError, format_size, format_time, parse_rate, parse_size, parse_time

# Keys of TCP traffic that do not belong to a connection.
TRANSFER_KEYS: Final = ("arrivals", "load", "classes", "rpm_of")

MAX_PACKETS = 4_000_000_000


def has_connection_per_transfer(table: Table) -> bool:
    """Whether each transfer has its own connection, because sizes are drawn or transfers arrive."""
    values = table.values
    drawn = any(isinstance(values.get(key), Mapping) for key in ("packets", "bytes"))
    return drawn or any(key in values for key in TRANSFER_KEYS)


def read_transfers(table: Table, packet: Any) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """Sizes, arrivals and classes, for the engine and to show; `packet` is the user data in a packet, as readable."""
    sizes = {
        "packets": table.parse_key(
            "packets", drawable_parser(whole_number_parser(1, MAX_PACKETS), lambda count: count)
        ),
        "bytes": table.parse_key("bytes", drawable_parser(_size, format_size)),
    }
    size_keys = [key for key in sizes if key in table.values]
    classes = table.parse_key("classes", list_parser(_size, "sizes in bytes"), [])
    if classes and any(low >= high for low, high in pairwise(classes)):
        table.add_error("classes", "must be in rising order")
    if len(size_keys) != 1:
        advice = 'packets = 200, bytes = "300kB" or a drawn size such as bytes = { cdf = "web-search" }'
        table.add_error("bytes", f"give the size of the transfers either in packets or in bytes: {advice}")
        return None, {}
    unit = size_keys[0]
    size = sizes[unit]
    if size is None or classes is None:
        return None, {}
    arrivals = _arrivals(table, size, 1 if unit == "bytes" else _bytes_of(packet))
    transfers = {"size": size.canonical(0, 1), "unit": unit, "classes": classes}
    readable: dict[str, Any] = {unit: size.readable}
    if arrivals is not None:
        transfers["arrivals"] = arrivals.canonical(0, 1)
        readable["arrivals"] = arrivals.readable
    if classes:
        readable["classes"] = [format_size(end) for end in classes]
    return transfers, readable


def _arrivals(table: Table, size: DrawableValue, scale: int) -> DrawableValue | None:
    """The gaps between arrivals: given, or derived from the average load that the transfers offer."""
    arrivals: DrawableValue | None = table.parse_key("arrivals", drawable_parser(_gap, format_time))
    load = table.parse_key("load", parse_rate)
    if "arrivals" in table.values and "load" in table.values:
        table.add_error("load", "give either arrivals, the gaps, or load, the rate that they offer on average")
        return None
    if load is None:
        return arrivals
    if load == 0:
        table.add_error("load", "must be above 0")
        return None
    mean = max(1, round(size.mean() * scale * 8e9 / load))
    return DrawableValue({"exp": format_time(mean)}, distribution={"exp": mean})


def _bytes_of(packet: Any) -> int:
    try:
        return parse_size(packet)
    except UnitError:
        return 1  # an error of `packet` is reported elsewhere


def _size(value: Any) -> int:
    size = parse_size(value)
    if size < 1:
        raise UnitError("must be at least 1B")
    return size


def _gap(value: Any) -> int:
    gap = parse_time(value)
    if gap == 0:
        raise UnitError("must be above 0s")
    return gap
