"""Junos: drop profiles of class of service, segmented or interpolated: fill level and drop probability in percent.

An interpolated profile is a line through its points, from 0 % at an empty buffer to 100 % at a full one; a segmented
one has a step at each point. A random number decides about each packet alone (Junos OS Class of Service User Guide,
"RED Drop Profiles Overview", "Configuring RED Drop Profiles"). Both are the law `nonlinear`; a line with one bend below
a full buffer is read as RED with a gentle ramp, its equal. The queue counts as it is, unless `red-buffer-occupancy`
averages it with a weight 2^-n ("Configuring Weighted RED Buffer Occupancy").
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from penstock.dialects.conversion import Conversion, DialectError, Facts, limit_packets, packets
from penstock.dialects.kinds import number
from penstock.dialects.red import DEFAULTS, list_unsaid, power_of_two, weight, whole, whole_percent

__all__ = ["read", "write"]

FULL = 100
MOST_POINTS = 64
LARGEST_EXPONENT = 31
DEFAULT_EXPONENT = 1
NEEDS_LIMIT = "fill levels are parts of the buffer: give the queue a limit"

Points = list[tuple[int, int]]
"""Fill level and drop probability in percent."""


def read(text: str, facts: Facts) -> Conversion:
    """One profile. Raises `DialectError`."""
    del facts
    points = _points(text)
    interpolate = "interpolate" in text
    w_q, note = _weight(text)
    red = _red(points) if interpolate else None
    if red is not None:
        # RED without its spacing and guards decides about each packet alone.
        return Conversion("red", {**red, "w_q": w_q, "spacing": "none", "guards": False}, notes=[NEEDS_LIMIT, note])
    levels, shares = ([number(point[place] / 100) for point in points] for place in (0, 1))
    settings = {"fill_level": levels, "drop_probability": shares, "interpolate": interpolate, "w_q": w_q}
    return Conversion("nonlinear", settings, notes=[NEEDS_LIMIT, note])


def _points(text: str) -> Points:
    levels, shares = (_numbers(text, word) for word in ("fill-level", "drop-probability"))
    if len(levels) != len(shares) or not levels:
        raise DialectError(
            "expected a probability for each level, such as fill-level [ 25 75 ]; drop-probability [ 0 10 ];"
        )
    if len(levels) > MOST_POINTS:
        raise DialectError(f"a profile has at most {MOST_POINTS} points: this has {len(levels)}")
    for name, values in (("fill level", levels), ("drop probability", shares)):
        if max(values) > FULL:
            raise DialectError(f"{name} {max(values)} must lie between 0 and {FULL} percent")
    for one, other in pairwise(levels):
        if one >= other:
            raise DialectError(f"fill levels must rise: {other} follows {one}; give one profile at a time")
    return list(zip(levels, shares, strict=True))


def _numbers(text: str, word: str) -> list[int]:
    found: list[int] = []
    for several, one in re.findall(rf"{word}\s+(?:\[\s*([\d\s]+)\]|(\d+))", text):
        found += [int(part) for part in (several or one).split()]
    return found


def _weight(text: str) -> tuple[float, str]:
    """w_q, and a note on it."""
    if "weighted-averaged" not in text:
        return 1.0, "w_q = 1: the present queue counts, unless red-buffer-occupancy averages it"
    exponent = re.search(r"instant-usage-weight-exponent\s+(\d+)", text)
    power = min(LARGEST_EXPONENT, int(exponent[1])) if exponent else DEFAULT_EXPONENT
    return 2.0**-power, f"w_q = 2^-{power}"


def _red(points: Points) -> dict[str, Any] | None:
    """The settings of the RED with this line: no drops up to one level, one bend, and on to a full buffer; or None."""
    ends = [point for point in ((0, 0), (FULL, FULL)) if point[0] not in dict(points)]
    line = sorted([*points, *ends])
    risen = next((place for place, (_, share) in enumerate(line) if share > 0), len(line))
    if risen == 0 or len(line) - risen not in (1, 2):
        return None
    (start, _), (high, share) = line[risen - 1], line[risen]
    ramp = line[risen + 1 :] == [(FULL, FULL)]
    if high < FULL and not ramp:
        return None
    settings = {"min_th": f"{start}%", "max_th": f"{high}%", "max_p": number(share / 100), "gentle": ramp}
    return settings | ({"gentle_top": "buffer"} if ramp else {})


def write(scheme: str, parameters: dict[str, Any], facts: Facts) -> Conversion:
    """A profile. Raises `DialectError` for all but RED and `nonlinear`, and without a limit where it needs one."""
    if scheme not in ("red", "nonlinear"):
        raise DialectError(f"Junos has no {scheme}: it has drop profiles")
    found = Conversion(scheme, dict(parameters))
    known = {"limit", "w_q", "spacing", "min_th", "max_th", "max_p", "gentle", "gentle_top"} | {
        "fill_level",
        "drop_probability",
        "interpolate",
    }
    if scheme == "red":
        if parameters.get("spacing", "wait") != "none":
            found.notes.append("drops are not spaced: a random number decides about each packet alone")
        points, interpolate = _points_of_red(found, facts), True
    else:
        points, interpolate = _points_of_profile(found), parameters["interpolate"]
    body = _interpolated(points) if interpolate else _segmented(points)
    found.text = f"drop-profiles {{ penstock {{ {body} }} }}" + _occupancy(found, facts)
    list_unsaid(found, known)
    return found


def _points_of_red(found: Conversion, facts: Facts) -> Points:
    parameters = found.parameters
    limit = limit_packets(parameters, facts)
    low, high = (
        _percent(name, parameters.get(name, DEFAULTS[name]), facts, limit, found) for name in ("min_th", "max_th")
    )
    points = [(low, 0), (high, whole_percent(found, parameters.get("max_p", DEFAULTS["max_p"])))]
    if not parameters.get("gentle"):
        if high < FULL:
            points.append((min(FULL, high + 1), FULL))
            found.notes.append("the jump at max_th becomes a rise over 1 % of the buffer")
    elif parameters.get("gentle_top", "2max_th") == "2max_th":
        points.append((min(FULL, 2 * high), FULL))
    return points


def _percent(name: str, value: Any, facts: Facts, limit: float | None, found: Conversion) -> int:
    if isinstance(value, str) and value.endswith("%"):
        exact = float(value[:-1])
    elif limit is None:
        raise DialectError(NEEDS_LIMIT)
    else:
        exact = 100 * packets(value, facts, limit) / limit
    return whole(found, f"fill level of {name}", exact, "%")


def _points_of_profile(found: Conversion) -> Points:
    levels, shares = (
        [
            whole(found, f"{name} of point {place + 1}", number(100 * share), "%")
            for place, share in enumerate(found.parameters[parameter])
        ]
        for parameter, name in (("fill_level", "fill level"), ("drop_probability", "drop probability"))
    )
    if any(one >= other for one, other in pairwise(levels)):
        raise DialectError(f"fill levels are whole percents, each above the one before: {levels}")
    return list(zip(levels, shares, strict=True))


def _interpolated(points: Points) -> str:
    levels, shares = (" ".join(str(point[place]) for point in points) for place in (0, 1))
    return f"interpolate {{ fill-level [ {levels} ]; drop-probability [ {shares} ]; }}"


def _segmented(points: Points) -> str:
    shares = [share for _, share in points]
    if any(one >= other for one, other in pairwise(shares)):
        raise DialectError(f"the probabilities of a segmented profile rise from point to point: {shares}")
    return " ".join(f"fill-level {level} drop-probability {share};" for level, share in points)


def _occupancy(found: Conversion, facts: Facts) -> str:
    """The statement for the average, on a line of its own; empty for the present queue."""
    given = found.parameters.get("w_q", "auto")
    if isinstance(given, str) and facts.rate is None:
        found.missing.append(f"w_q = {given}: give --link RATE; without red-buffer-occupancy the present queue counts")
        return ""
    w_q = weight(found, facts)
    if w_q == 1:
        return ""
    power = power_of_two(found, w_q, LARGEST_EXPONENT, "Junos has powers of two")
    found.notes.append("red-buffer-occupancy is of a PIC: put in its slots")
    statement = f"red-buffer-occupancy {{ weighted-averaged instant-usage-weight-exponent {power}; }}"
    return f"\nchassis {{ fpc 0 {{ pic 0 {{ {statement} }} }} }}"
