"""CAKE's keywords, tc-cake(8): the overhead of link layers, which several words set together, and the limit."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.dialects.conversion import Conversion, ConversionContext, length_in_packets
from penstock.dialects.tc_keys import GivenKey
from penstock.scenario.framing import FRAMINGS, LARGEST_OVERHEAD
from penstock.units import parse_rate, parse_signed_size, parse_time

__all__ = ["convert_limit_to_bytes", "read_cake"]

LEAST_LIMIT = 4 * 2**20
"""Bytes of memory that `tc -s` prints for a slow or unlimited CAKE."""

_BY_HOST = ("srchost", "dsthost", "hosts", "dual-srchost", "dual-dsthost", "triple-isolate")
"""Kinds of isolation that distinguish hosts."""

LONGEST_RTT_NS = 1000 * 10**9
"""The longest rtt that CAKE accepts here."""


def read_cake(order: Sequence[GivenKey], conversion: Conversion) -> None:
    """Set the link's framing and the queue's limit and rtt by CAKE's keywords, in the order of the text.

    `conservative` sets the overhead, and other link layers add to it; `raw` keeps the mpu (measured with tc 6.1).
    """
    overhead, mpu, cells = 0, 0, "none"
    for item in order:
        word = item.key.word
        if word in FRAMINGS:
            framing = FRAMINGS[word]
            overhead = framing.overhead if word == "conservative" else overhead + framing.overhead
            mpu, cells = framing.mpu or mpu, framing.cells
        elif word == "ether-vlan":
            overhead += 4
        elif word == "raw":
            overhead, cells = 0, "none"
        elif word == "overhead":
            overhead = parse_signed_size(item.key.parse_value(item.text))
        elif word == "mpu":
            mpu = parse_signed_size(item.key.parse_value(item.text))
        elif word in ("atm", "ptm", "noatm"):
            cells = item.key.flag_value
    if conversion.parameters["isolation"] in _BY_HOST and all(item.key.word != "nat" for item in order):
        conversion.notes.append(
            "nonat: hosts are distinguished here; cake cannot do so behind a NAT, where they have one address: "
            "isolation = flows simulates this"
        )
    conversion.parameters |= {"overhead": f"{overhead}B", "mpu": f"{mpu}B", "cells": cells}
    if overhead > LARGEST_OVERHEAD:
        conversion.parameters["overhead"] = f"{LARGEST_OVERHEAD}B"
        conversion.lost_settings.append(f"overhead {overhead}: the sum is above {LARGEST_OVERHEAD} bytes")
    if parse_time(conversion.parameters["rtt"]) > LONGEST_RTT_NS:
        conversion.parameters["rtt"] = "1000s"
        conversion.notes.append("rtt = 1000s, the longest here: the AQM almost never acts")
    if "limit" not in conversion.parameters:
        conversion.parameters["limit"] = _limit(conversion)


def _limit(conversion: Conversion) -> str:
    """The limit by bandwidth and rtt, tc-cake(8): its examples print 5000000 B for 100 Mbit/s and 100 ms."""
    if "bandwidth" not in conversion.parameters:
        return "inf"
    sent = parse_rate(conversion.parameters["bandwidth"]) / 8 * parse_time(conversion.parameters["rtt"]) / 1e9
    return f"{max(LEAST_LIMIT, round(4 * sent))}B"


def convert_limit_to_bytes(conversion: Conversion, facts: ConversionContext) -> None:
    """Convert the limit to bytes; omit it if it is infinite or the one that Linux computes."""
    given = conversion.parameters.get("limit")
    if given is None:
        return
    is_shaped = "bandwidth" in conversion.parameters
    if given == "inf":
        if is_shaped:
            conversion.lost_settings.append("limit = inf: cake with a bandwidth always has a limit")
        del conversion.parameters["limit"]
        return
    octets = round(facts.packet * length_in_packets(given, facts))
    if is_shaped and f"{octets}B" == _limit(Conversion("cake", {"rtt": "100ms", **conversion.parameters})):
        del conversion.parameters["limit"]
        return
    if not str(given).endswith("B"):
        conversion.notes.append(f"memlimit = {octets} bytes instead of {given}: packets of {facts.packet} B")
    conversion.parameters["limit"] = f"{octets}B"
