"""Thresholds and weights of tc's red and choke, tc-red(8): w_q is a power of two that follows from a burst."""

from __future__ import annotations

import math

from penstock.dialects.conversion import Conversion, DialectError, Facts, limit_packets
from penstock.dialects.kinds import plain
from penstock.dialects.red import note_weight, thresholds, weight, whole
from penstock.dialects.tc_units import RATE, SIZES, measured
from penstock.units import parse_size

__all__ = ["averaging", "largest_power", "read_red", "red_words"]

LARGEST_POWER = 31


def largest_power(top: float) -> int:
    """The largest logarithm of 1 / w_q that Linux takes with this upper threshold in its unit, bytes or packets.

    It keeps the average with that many bits behind the point, in 32 bits; otherwise it says "Invalid argument".
    """
    return LARGEST_POWER - round(top).bit_length()


def averaging(burst: int, min_packets: float) -> int | None:
    """Tc's logarithm of 1 / w_q for a burst in packets, the least that lets it pass: None if no weight does.

    S. Floyd, V. Jacobson, 1993, section 6: L + 1 + ((1 - w)^(L+1) - 1) / w < min_th bounds w for bursts of L packets;
    tc takes the first power of two with burst + 1 - min <= (1 - (1 - w)^burst) / w.
    """
    above = burst + 1 - min_packets
    if above < 1:
        return None
    for power in range(1, LARGEST_POWER + 1):
        w = 2.0**-power
        if above <= (1 - (1 - w) ** burst) / w:
            return power
    return None


def read_red(kind: str, given: dict[str, str], found: Conversion, facts: Facts) -> None:
    """Thresholds and the weight of red, in bytes, and of choke, in packets."""
    if "avpkt" not in given and "ewma" in given and kind == "red":
        found.notes.append(f"tc does not print avpkt: packets of {facts.packet} B")
    packet = round(measured(given.pop("avpkt", str(facts.packet)), SIZES, "size"))
    in_bytes = kind == "red"
    low, high = (_threshold(given.pop(word, None), in_bytes) for word in ("min", "max"))
    limit = found.parameters.get("limit")
    if high is None:
        high = None if limit is None else (parse_size(limit) if in_bytes else float(str(limit).removesuffix("p"))) / 4
    if high is None:
        raise DialectError(f"{kind} needs limit, or min and max")
    high, low = math.floor(high), math.floor(high / 3 if low is None else low)
    mean = packet if in_bytes else 1
    burst = int(given.pop("burst", 0)) or math.floor((2 * low + high) / (3 * mean))
    power = int(given["ewma"]) if "ewma" in given else averaging(burst, low / mean)
    if power is None:
        raise DialectError(
            f"burst {burst} is too small: tc asks for at least min / avpkt = {plain(low / mean)} packets"
        )
    unit = "B" if in_bytes else "p"
    found.parameters |= {"min_th": f"{plain(low)}{unit}", "max_th": f"{plain(high)}{unit}", "w_q": 2.0**-power}
    found.parameters.setdefault("max_p", 0.02)
    found.parameters["spacing"] = "count"
    if in_bytes:
        found.parameters |= {"measure_in": "bytes", "mean_packet": f"{packet}B"}
    origin = "from ewma" if "ewma" in given else f"from burst {burst} and min {plain(low / mean)} packets"
    found.notes.append(f"w_q = 2^-{power}, {origin}")
    if power > largest_power(high):
        found.notes.append(f"Linux refuses w_q = 2^-{power} with max {plain(high)}: at most 2^-{largest_power(high)}")
    given.pop("bandwidth", None)
    given.pop("Scell_log", None)
    given.pop("ewma", None)
    if found.parameters.get("ecn") and "harddrop" not in given:
        found.parameters["mark_up_to"] = "always"
        found.notes.append("without harddrop Linux marks above max too")
    given.pop("harddrop", None)


def _threshold(text: str | None, in_bytes: bool) -> float | None:
    if text is None:
        return None
    return measured(text, SIZES, "size") if in_bytes else float(text.removesuffix("p"))


def red_words(kind: str, found: Conversion, facts: Facts) -> list[str]:
    """limit, min, max, avpkt, burst and bandwidth of red and choke."""
    given = found.parameters
    packet = parse_size(given["mean_packet"]) if "mean_packet" in given else facts.packet
    own = Facts(facts.rate, packet, facts.device)
    low, high = thresholds(found, own)
    limit = limit_packets(given, own) or 4 * high
    w_q = weight(found, own)
    unit, size = ("bytes", packet) if kind == "red" else ("packets", 1)
    largest, wanted = largest_power(high * size), max(1, round(-math.log2(w_q)))
    burst, got = _burst(low, min(largest, wanted), largest)
    why = "tc has powers of two, set by burst"
    if wanted > largest:
        why = f"Linux takes powers up to {largest} where max is {whole(found, 'max', high * size, unit)} {unit}"
    note_weight(found, w_q, got, why)
    if given.get("gentle"):
        found.missing.append("gentle = true: Linux drops every packet above max")
    words: list[str] = []
    for word, exact in (("limit", limit), ("min", low), ("max", high)):
        words += [word, str(whole(found, word, exact * size, unit))]
    if kind == "red":
        found.notes.append(f"min and max are bytes: packets of {packet} B")
        words += ["avpkt", str(packet)]
    words += ["burst", str(burst)]
    return words if facts.rate is None else [*words, "bandwidth", RATE.write(f"{facts.rate:.0f}bit")]


def _burst(low: float, power: int, largest: int) -> tuple[int, int]:
    """The burst for which tc takes the nearest power to this one, up to the largest of the kernel; and that power.

    The power never falls as the burst grows, so it is found by bisection.
    """

    def reached(burst: int) -> int:
        return averaging(burst, low) or LARGEST_POWER + 1

    below, above = max(1, math.ceil(low)), max(1, math.ceil(low)) + 1
    if reached(below) >= power:
        return below, reached(below)
    while reached(above) < power:
        below, above = above, 2 * above
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (middle, above) if reached(middle) < power else (below, middle)
    nearest = above if reached(above) - power <= power - reached(below) else below
    burst = nearest if reached(nearest) <= largest else below
    return burst, reached(burst)
