"""Thresholds and weights of tc's red and choke, tc-red(8): w_q is a power of two that follows from a burst."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from penstock.dialects.conversion import Conversion, ConversionContext, DialectError, limit_in_packets
from penstock.dialects.red import averaging_weight, note_weight_change, round_parameter, thresholds_in_packets
from penstock.dialects.tc_units import RATE, SIZES, parse_quantity, parse_whole_of_word
from penstock.dialects.value_kinds import format_number, parse_real_argument
from penstock.units import parse_size

__all__ = ["largest_weight_exponent", "marks_end_at_max", "read_red", "red_option_words", "weight_exponent_for_burst"]

LARGEST_POWER = 31


def largest_weight_exponent(top: float) -> int:
    """The largest logarithm of 1 / w_q that Linux accepts with this upper threshold, in bytes or packets.

    It stores the average in 32 bits, with this number of bits after the point; otherwise it reports "Invalid argument".
    """
    return LARGEST_POWER - round(top).bit_length()


def weight_exponent_for_burst(burst: int, min_packets: float) -> int | None:
    """Tc's logarithm of 1 / w_q for a burst in packets, the smallest that lets the burst pass: None if no weight does.

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


def read_red(kind: str, given: Mapping[str, str], found: Conversion, facts: ConversionContext) -> None:
    """Set thresholds and w_q by the options of red, in bytes, or of choke, in packets."""
    if "avpkt" not in given and kind == "red":
        origin = "tc does not print avpkt" if "ewma" in given else "tc requires an avpkt"
        found.notes.append(f"{origin}: packets of {facts.packet} B")
    if "ewma" not in given and kind == "choke" and "bandwidth" not in given:
        found.notes.append("tc requires a bandwidth for choke; here the link's rate is used")
    packet = round(_size("avpkt", given.get("avpkt", str(facts.packet))))
    if packet < 1:
        raise DialectError("avpkt 0: a packet has at least 1 B")
    in_bytes = kind == "red"
    low, high = (_threshold(word, given.get(word), in_bytes) for word in ("min", "max"))
    limit = found.parameters.get("limit")
    if high is None:
        high = None if limit is None else (parse_size(limit) if in_bytes else float(str(limit).removesuffix("p"))) / 4
    if high is None:
        raise DialectError(f"{kind} needs limit, or min and max")
    high, low = math.floor(high), math.floor(high / 3 if low is None else low)
    mean = packet if in_bytes else 1
    burst = parse_whole_of_word("burst", given.get("burst", "0")) or math.floor((2 * low + high) / (3 * mean))
    power = _ewma(given["ewma"]) if "ewma" in given else weight_exponent_for_burst(burst, low / mean)
    if power is None:
        raise DialectError(
            f"burst {burst} is too small: tc requires at least min / avpkt = {format_number(low / mean)} packets"
        )
    unit = "B" if in_bytes else "p"
    found.parameters |= {
        "min_th": f"{format_number(low)}{unit}",
        "max_th": f"{format_number(high)}{unit}",
        "w_q": 2.0**-power,
    }
    _settle_probability(found, low, high, is_printed="ewma" in given)
    found.parameters["spacing"] = "once"
    if in_bytes:
        found.parameters |= {"measure_in": "bytes", "mean_packet": f"{packet}B"}
    origin = "from ewma" if "ewma" in given else f"from burst {burst} and min {format_number(low / mean)} packets"
    found.notes.append(f"w_q = 2^-{power}, {origin}")
    if power > largest_weight_exponent(high):
        found.notes.append(
            f"Linux refuses w_q = 2^-{power} with max {format_number(high)}: at most 2^-{largest_weight_exponent(high)}"
        )
    if found.parameters.get("ecn") and "harddrop" not in given:
        found.parameters["mark_up_to"] = "always"
        found.notes.append("without harddrop Linux marks above max too")


def _settle_probability(found: Conversion, low: int, high: int, *, is_printed: bool) -> None:
    """max_p from its default; where it is 1, the value that Linux uses.

    Tc stores it in 32 bits, in which 1 is 0. For 0 the kernel uses (max - min) / 2^n, with the n that tc computes for
    its older interface: the smallest n for which probability 2^n / (max - min) exceeds 1.
    """
    max_p = found.parameters.setdefault("max_p", 0.02)
    if max_p == 0 and not is_printed:
        raise DialectError("probability 0: tc takes a number above 0")
    if max_p not in (0, 1) or high <= low:
        return
    spread = high - low
    found.parameters["max_p"] = spread / 2.0 ** spread.bit_length()
    found.notes.append(f"probability 1 overflows to 0 in tc: Linux then uses (max - min) / 2^{spread.bit_length()} = "
                       f"{format_number(found.parameters['max_p'])}")  # fmt: skip


def _threshold(word: str, text: str | None, in_bytes: bool) -> float | None:
    if text is None:
        return None
    return _size(word, text) if in_bytes else parse_real_argument(word, text.removesuffix("p"))


def _size(word: str, text: str) -> float:
    try:
        return parse_quantity(text, SIZES, "size")
    except ValueError as error:
        raise DialectError(f"{word} {text}: {error}") from None


def _ewma(text: str) -> int:
    power = parse_whole_of_word("ewma", text)
    if power > LARGEST_POWER:
        raise DialectError(f"ewma {text}: Linux takes 0 to {LARGEST_POWER}")
    return power


def red_option_words(kind: str, found: Conversion, facts: ConversionContext) -> list[str]:
    """The options limit, min, max, avpkt, burst and bandwidth of red and choke, as words of tc."""
    if kind == "choke" and facts.rate is None:
        raise DialectError("tc requires a bandwidth for choke, the rate of the link: give --rate RATE")
    given = found.parameters
    packet = parse_size(given["mean_packet"]) if "mean_packet" in given else facts.packet
    own = ConversionContext(facts.rate, packet, facts.device)
    low, high = thresholds_in_packets(found, own)
    limit = limit_in_packets(given, own) or 4 * high
    w_q = averaging_weight(found, own)
    unit, size = ("bytes", packet) if kind == "red" else ("packets", 1)
    largest, wanted = largest_weight_exponent(high * size), max(1, round(-math.log2(w_q)))
    burst, got = _burst(low, min(largest, wanted), largest)
    if got > LARGEST_POWER:
        raise DialectError(
            f"min_th = {format_number(low)} packets: tc derives a weight only if min is at least one packet (avpkt)"
        )
    why = "tc allows only powers of two, and derives the power from burst"
    if wanted > largest:
        why = (
            f"Linux takes powers up to {largest} where max is {round_parameter(found, 'max', high * size, unit)} {unit}"
        )
    note_weight_change(found, w_q, got, why)
    if given.get("gentle"):
        found.lost_settings.append("gentle = true: Linux drops every packet above max")
    _list_unlike(kind, found)
    words: list[str] = []
    for word, exact in (("limit", limit), ("min", low), ("max", high)):
        words += [word, str(round_parameter(found, word, exact * size, unit))]
    if kind == "red":
        found.notes.append(f"min and max are bytes: packets of {packet} B")
        words += ["avpkt", str(packet)]
    words += ["burst", str(burst)]
    return words if facts.rate is None else [*words, "bandwidth", RATE.write(f"{facts.rate:.0f}bit")]


def marks_end_at_max(parameters: Mapping[str, Any]) -> bool:
    """Whether packets that are marked below max are dropped above it, for which tc has harddrop."""
    return bool(parameters.get("ecn")) and parameters.get("mark_up_to", "max_th") == "max_th"


def _list_unlike(kind: str, found: Conversion) -> None:
    """List differences from Linux's RED in the spacing of drops and in marking."""
    given = found.parameters
    spacing = given.get("spacing", "wait" if kind == "red" else "count")
    if spacing not in ("count", "once"):
        text = f"spacing = {spacing}: not available in Linux, which spaces drops as spacing=once does"
        (found.lost_settings if "spacing" in given else found.notes).append(text)
    marks = given.get("mark_up_to", "max_th")
    if given.get("ecn") and (marks in ("max_p", "top") or (kind == "choke" and marks == "max_th")):
        text = (
            f"mark_up_to = {marks}: choke of Linux marks above max, too"
            if kind == "choke"
            else (f"mark_up_to = {marks}: Linux marks up to max (harddrop) or always")
        )
        (found.lost_settings if "mark_up_to" in given else found.notes).append(text)


def _burst(low: float, power: int, largest: int) -> tuple[int, int]:
    """The burst for which tc computes the power nearest to this one, up to the kernel's largest; and that power.

    The power never falls as the burst grows, so it is found by bisection.
    """

    def weight_exponent(burst: int) -> int:
        return weight_exponent_for_burst(burst, low) or LARGEST_POWER + 1

    below, above = max(1, math.ceil(low)), max(1, math.ceil(low)) + 1
    if weight_exponent(below) >= power:
        return below, weight_exponent(below)
    while weight_exponent(above) < power:
        below, above = above, 2 * above
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (middle, above) if weight_exponent(middle) < power else (below, middle)
    nearest = above if weight_exponent(above) - power <= power - weight_exponent(below) else below
    burst = nearest if weight_exponent(nearest) <= largest else below
    return burst, weight_exponent(burst)
