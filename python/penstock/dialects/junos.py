"""Junos: drop profiles of class of service, segmented or interpolated: fill level and drop probability in percent.

An interpolated profile is a line through its points, from 0 % at an empty buffer to 100 % at a full one; a segmented
one has a step at each point. A random number decides about each packet independently (Junos OS Class of Service User
Guide, "RED Drop Profiles Overview", "Configuring RED Drop Profiles"). Both are the AQM `nonlinear`; a line with one
bend below a full buffer is read as RED with a gentle ramp, its equal. The current queue is used, unless
`red-buffer-occupancy` averages it with a weight 2^-n ("Configuring Weighted RED Buffer Occupancy").
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from penstock.dialects.conversion import (
    Conversion,
    ConversionContext,
    DialectError,
    length_in_packets,
    limit_in_packets,
)
from penstock.dialects.junos_read import (
    Profiles,
    Scheduler,
    check_levels,
    queue_assignment,
    read_schedulers,
    scheduler_of_queues,
)
from penstock.dialects.junos_text import Path, read_statements, statements_below
from penstock.dialects.keys import select_object
from penstock.dialects.red import (
    DEFAULTS,
    averaging_weight,
    list_lost_parameters,
    max_p_percent,
    nearest_weight_exponent,
    round_parameter,
)
from penstock.dialects.value_kinds import parse_integer_argument, round_to_12_digits

__all__ = ["read", "write"]

FULL = 100
MOST_POINTS = 64
LARGEST_EXPONENT = 31
"""The operational maximum; a larger exponent counts as this one ("Configuring Weighted RED Buffer Occupancy")."""
DEFAULT_EXPONENT = 1
"""The default in that section and its example; the page of the statement red-buffer-occupancy gives 0."""
NEEDS_LIMIT = "fill levels are shares of the buffer: give the queue a limit"

Points = list[tuple[int, int]]
"""Fill level and drop probability in percent."""


def read(text: str, facts: ConversionContext) -> Conversion:
    """The queues of an interface or scheduler map, a scheduler, or a drop profile: the only one, or `--device`'s."""
    statements = read_statements(text)
    check_levels(statements)
    w_q, note = _weight(statements)
    profiles = {name: _profile(lines, w_q, note) for name, lines in _profile_lines(statements).items()}
    schedulers = read_schedulers(statements)
    used = queue_assignment(statements, facts)
    if used is None and not schedulers:
        if not profiles:
            raise DialectError(
                "expected a probability for each level, such as fill-level [ 25 75 ]; drop-probability [ 0 10 ];"
            )
        return select_object(profiles, facts, "drop profiles; give one profile at a time")[1]
    if used is None:
        scheduler = select_object(schedulers, facts, "schedulers")[1]
        return _alone(_queue(scheduler, profiles), scheduler)
    named = used.schedulers
    absent = [name for name in named.values() if name not in schedulers]
    if absent:
        raise DialectError(f"no scheduler {absent[0]} in the text")
    queues = {queue: (schedulers[name], _queue(schedulers[name], profiles)) for queue, name in named.items()}
    if len(queues) == 1:
        ((scheduler, result),) = queues.values()
        _alone(result, scheduler)
    else:
        result = scheduler_of_queues(statements, queues, used.rate or facts.rate)
    result.rate = used.rate
    result.lost_settings += used.lost_settings
    return result


def _alone(result: Conversion, scheduler: Scheduler) -> Conversion:
    """The queue of a single scheduler, whose share of the link has no effect."""
    kind, value = scheduler.rate
    if kind != "remainder":
        result.lost_settings.append(
            f"scheduler {scheduler.name} transmit-rate {value:g} {kind}: a single class has the whole link"
        )
    return result


def _queue(scheduler: Scheduler, profiles: Profiles) -> Conversion:
    """The queue of a scheduler: its drop profile, or drop-tail."""
    result = Conversion("droptail", {})
    if scheduler.profile is not None:
        if scheduler.profile not in profiles:
            raise DialectError(f"scheduler {scheduler.name}: no drop profile {scheduler.profile} in the text")
        profile = profiles[scheduler.profile]
        result = Conversion(profile.scheme, dict(profile.parameters), notes=[*profile.notes])
        if scheduler.ecn:
            result.parameters["ecn"] = True
    if scheduler.limit is not None:
        result.parameters["limit"] = scheduler.limit
        result.notes = [note for note in result.notes if note != NEEDS_LIMIT]
    result.lost_settings += scheduler.lost_settings
    return result


def _profile_lines(statements: list[Path]) -> dict[str, list[Path]]:
    """The statements of each drop profile, from the words interpolate or fill-level on."""
    lines: dict[str, list[Path]] = {}
    for statement in statements:
        start = next((at for at, word in enumerate(statement) if word in ("interpolate", "fill-level")), None)
        if start is None and statement[:1] == ("drop-probability",):
            start = 0
        if start is not None and "drop-profiles" in statement[: max(0, start - 2)]:
            raise DialectError(f"drop-profiles has no {' '.join(statement[statement.index('drop-profiles') + 1 :])}")
        if start is not None:
            lines.setdefault(statement[start - 1] if start else "", []).append(statement[start:])
        elif "drop-profiles" in statement:
            raise DialectError(f"drop-profiles has no {' '.join(statement[statement.index('drop-profiles') + 1 :])}")
    return lines


def _profile(lines: list[Path], w_q: float, note: str) -> Conversion:
    """A drop profile: RED if its drop function has the same line, else `nonlinear`."""
    interpolate = any("interpolate" in line for line in lines)
    points = _points(lines)
    red = _red(points) if interpolate else None
    if red is not None:
        # RED without its spacing and guards decides about each packet independently.
        return Conversion("red", {**red, "w_q": w_q, "spacing": "none", "guards": False}, notes=[NEEDS_LIMIT, note])
    levels, shares = ([round_to_12_digits(point[place] / 100) for point in points] for place in (0, 1))
    settings = {"fill_level": levels, "drop_probability": shares, "interpolate": interpolate, "w_q": w_q}
    return Conversion("nonlinear", settings, notes=[NEEDS_LIMIT, note])


def _points(lines: list[Path]) -> Points:
    levels: list[int] = []
    shares: list[int] = []
    for line in lines:
        words = line[1:] if line[0] == "interpolate" else line
        for word, text in zip(words[::2], words[1::2], strict=False):
            if word not in ("fill-level", "drop-probability"):
                raise DialectError(f"a drop profile has no {word}")
            (levels if word == "fill-level" else shares).append(parse_integer_argument(word, text))
        if len(words) % 2:
            raise DialectError(f"a drop profile has no {words[-1]}")
    if len(levels) != len(shares) or not levels:
        raise DialectError(
            "expected a probability for each level, such as fill-level [ 25 75 ]; drop-probability [ 0 10 ];"
        )
    if len(levels) > MOST_POINTS:
        raise DialectError(f"a profile has at most {MOST_POINTS} points: this has {len(levels)}")
    for name, values in (("fill level", levels), ("drop probability", shares)):
        if max(values) > FULL:
            raise DialectError(f"{name} {max(values)} must lie between 0 and {FULL} percent")
    for lower, upper in pairwise(levels):
        if lower >= upper:
            raise DialectError(f"fill levels must rise: {upper} follows {lower}; give one profile at a time")
    return list(zip(levels, shares, strict=True))


def _weight(statements: list[Path]) -> tuple[float, str]:
    """w_q, and a note on it."""
    lines = statements_below(statements, "red-buffer-occupancy")
    for line in lines:
        if line[0] != "weighted-averaged" or line[1:2] not in ((), ("instant-usage-weight-exponent",)) or len(line) > 3:
            raise DialectError(f"red-buffer-occupancy {' '.join(line)}: expected weighted-averaged "
                               "instant-usage-weight-exponent N")  # fmt: skip
    if not any("weighted-averaged" in line for line in lines):
        return 1.0, "w_q = 1: the router uses the instantaneous queue unless red-buffer-occupancy sets a weight"
    texts = [line[-1] for line in lines if len(line) > 1 and line[-2] == "instant-usage-weight-exponent"]
    power = parse_integer_argument("instant-usage-weight-exponent", texts[-1]) if texts else DEFAULT_EXPONENT
    if power > LARGEST_EXPONENT:
        return 2.0**-LARGEST_EXPONENT, f"w_q = 2^-{LARGEST_EXPONENT}, the largest exponent, instead of 2^-{power}"
    return 2.0**-power, f"w_q = 2^-{power}"


def _red(points: Points) -> dict[str, Any] | None:
    """The settings of the RED with this line: no drops up to one level, one bend, and then a line to a full buffer.

    None if there is no such RED.
    """
    ends = [point for point in ((0, 0), (FULL, FULL)) if point[0] not in dict(points)]
    line = sorted([*points, *ends])
    risen = next((place for place, (_, share) in enumerate(line) if share > 0), len(line))
    if risen == 0 or len(line) - risen not in (1, 2):
        return None
    (start, _), (high, share) = line[risen - 1], line[risen]
    ramp = line[risen + 1 :] == [(FULL, FULL)]
    if high < FULL and not ramp:
        return None
    settings = {"min_th": f"{start}%", "max_th": f"{high}%", "max_p": round_to_12_digits(share / 100), "gentle": ramp}
    return settings | ({"gentle_top": "buffer"} if ramp else {})


def write(scheme: str, parameters: dict[str, Any], facts: ConversionContext) -> Conversion:
    """A drop profile. Raises `DialectError` for a scheme or settings that no profile has.

    Raises `DialectError` for all schemes except RED and `nonlinear`, and if a required limit is missing.
    """
    if scheme not in ("red", "nonlinear"):
        raise DialectError(f"Junos has no {scheme}: it has drop profiles")
    result = Conversion(scheme, dict(parameters))
    known = {"limit", "w_q", "spacing", "min_th", "max_th", "max_p", "gentle", "gentle_top"} | {
        "fill_level",
        "drop_probability",
        "interpolate",
    }
    if scheme == "red":
        if parameters.get("spacing", "wait") != "none":
            result.notes.append("drops are not spaced: each packet is dropped independently")
        points, interpolate = _points_of_red(result, facts), True
    else:
        points, interpolate = _points_of_profile(result), parameters["interpolate"]
    body = _interpolated(points) if interpolate else _segmented(points)
    result.text = f"drop-profiles {{ penstock {{ {body} }} }}" + _occupancy(result, facts)
    list_lost_parameters(result, known)
    return result


def _points_of_red(result: Conversion, facts: ConversionContext) -> Points:
    parameters = result.parameters
    limit = limit_in_packets(parameters, facts)
    low, high = (
        _percent(name, parameters.get(name, DEFAULTS[name]), facts, limit, result) for name in ("min_th", "max_th")
    )
    if low == high and not parameters.get("gentle"):
        result.notes.append("the step at max_th becomes a rise over 1 % of the buffer")
        return [(low, 0), (min(FULL, high + 1), FULL)]
    points = [(low, 0), (high, max_p_percent(result, parameters.get("max_p", DEFAULTS["max_p"])))]
    if not parameters.get("gentle"):
        if high < FULL:
            points.append((min(FULL, high + 1), FULL))
            result.notes.append("the jump at max_th becomes a rise over 1 % of the buffer")
    elif parameters.get("gentle_top", "2max_th") == "2max_th":
        points.append((min(FULL, 2 * high), FULL))
    return points


def _percent(name: str, value: Any, facts: ConversionContext, limit: float | None, result: Conversion) -> int:
    if isinstance(value, str) and value.endswith("%"):
        exact = float(value[:-1])
    elif limit is None:
        raise DialectError(NEEDS_LIMIT)
    else:
        exact = 100 * length_in_packets(value, facts, limit) / limit
    return round_parameter(result, f"fill level of {name}", exact, "%")


def _points_of_profile(result: Conversion) -> Points:
    levels, shares = (
        [
            round_parameter(result, f"{name} of point {place + 1}", round_to_12_digits(100 * share), "%")
            for place, share in enumerate(result.parameters[parameter])
        ]
        for parameter, name in (("fill_level", "fill level"), ("drop_probability", "drop probability"))
    )
    if any(lower >= upper for lower, upper in pairwise(levels)):
        raise DialectError(f"fill levels are whole percents, each above the one before: {levels}")
    return list(zip(levels, shares, strict=True))


def _interpolated(points: Points) -> str:
    levels, shares = (" ".join(str(point[place]) for point in points) for place in (0, 1))
    return f"interpolate {{ fill-level [ {levels} ]; drop-probability [ {shares} ]; }}"


def _segmented(points: Points) -> str:
    shares = [share for _, share in points]
    if any(lower >= upper for lower, upper in pairwise(shares)):
        raise DialectError(f"the probabilities of a segmented profile rise from point to point: {shares}")
    return " ".join(f"fill-level {level} drop-probability {share};" for level, share in points)


def _occupancy(result: Conversion, facts: ConversionContext) -> str:
    """The statement for the average queue, on a new line; empty if the router uses the current queue."""
    given = result.parameters.get("w_q", "auto")
    if isinstance(given, str) and facts.rate is None:
        result.lost_settings.append(f"w_q = {given}: give --rate RATE; else the router uses the instantaneous queue")
        return ""
    w_q = averaging_weight(result, facts)
    if w_q == 1:
        return ""
    power = nearest_weight_exponent(result, w_q, LARGEST_EXPONENT, "Junos has powers of two")
    result.notes.append("red-buffer-occupancy belongs to a PIC: fill in its slots")
    statement = f"red-buffer-occupancy {{ weighted-averaged instant-usage-weight-exponent {power}; }}"
    return f"\nchassis {{ fpc 0 {{ pic 0 {{ {statement} }} }} }}"
