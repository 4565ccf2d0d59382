"""The options of netem as keys of a link, tc-netem(8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from penstock.dialects.conversion import Conversion, DialectError
from penstock.dialects.tc_units import TIMES, parse_quantity, parse_whole_of_word
from penstock.dialects.value_kinds import format_number, parse_real_argument
from penstock.errors import did_you_mean
from penstock.scenario.resolve.impairments import DISTRIBUTIONS
from penstock.units import format_time

__all__ = ["option_words_from_json", "read_link_keys"]

_STATES = ("p13", "p31", "p32", "p23", "p14")
_ELLIOTT = ("p", "r", "1-h", "1-k")


def read_link_keys(given: Mapping[str, str], found: Conversion) -> dict[str, Any]:
    """The keys of the link; what is lost and notes are added to `found`. Raises `DialectError`."""
    link: dict[str, Any] = {}
    if "delay" in given:
        link |= _delay(given, found)
    elif "reorder" in given:
        raise DialectError("reorder is not possible without a delay")
    if "distribution" in given and "jitter" not in link:
        raise DialectError(f"distribution {given['distribution']} needs a delay with a jitter")
    if "loss" in given and (loss := _loss(given["loss"])):
        link["loss"] = loss
        if "correlated" in loss:
            found.notes.append(
                "with a correlation, netem loses fewer packets than its percentage says, and so does this link"
            )
    if "duplicate" in given:
        rate, correlation = _chance("duplicate", given["duplicate"].split())
        if rate > 0:
            link["duplicate"] = {"rate": rate} | ({"correlation": correlation} if correlation else {})
    if "reorder" in given:
        rate, correlation = _chance("reorder", given["reorder"].split())
        if rate > 0:
            link["reorder"] = {"rate": rate, "early": True} | ({"correlation": correlation} if correlation else {})
            if "gap" in given:
                link["reorder"]["gap"] = max(parse_whole_of_word("gap", given["gap"]), 1)
    elif "gap" in given and given["gap"] != "0":
        raise DialectError(f"gap {given['gap']} needs a reorder with a probability")
    return link


def _delay(given: Mapping[str, str], found: Conversion) -> dict[str, Any]:
    time, *more = given["delay"].split()
    link: dict[str, Any] = {"delay": _time(time)}
    if len(more) > 2:
        raise DialectError(f"delay {given['delay']}: expected a time, a jitter and a correlation")
    if not more or _nanos(more[0]) == 0:
        return link
    name = given.get("distribution", "uniform")
    if name not in DISTRIBUTIONS:
        found.lost_settings.append(
            f"distribution {name}{did_you_mean(name, DISTRIBUTIONS)}: not supported, unlike uniform, normal, pareto "
            "and paretonormal; normal is used"
        )
        name = "normal"
    if "distribution" not in given:
        found.notes.append("without a distribution, netem draws delays uniformly; tc does not print the distribution")
    link["jitter"] = {"deviation": _time(more[0]), "distribution": name}
    if len(more) == 2 and (correlation := _percent("delay", more[1])):
        link["jitter"]["correlation"] = correlation
    return link


def _loss(text: str) -> dict[str, Any] | None:
    """The packet losses of a link; None for none."""
    words = text.split()
    if words[0] == "state":
        chain = dict(zip(_STATES, _shares("loss state", words[1:], _STATES), strict=False))
        return {"states": chain} if chain["p13"] or chain.get("p14") else None
    if words[0] == "gemodel":
        shares = _shares("loss gemodel", words[1:], _ELLIOTT)
        p, r, bad, good = (*shares, *(1 - shares[0], 1.0, 0.0)[len(shares) - 1 :])
        return {"gilbert": {"p": p, "r": r} | ({"bad": bad} if bad != 1 else {}) | ({"good": good} if good else {})}
    rate, correlation = _chance("loss", words[1:] if words[0] == "random" else words)
    if rate == 0:
        return None
    return {"correlated": {"rate": rate, "correlation": correlation}} if correlation else {"rate": rate}


def _shares(word: str, words: Sequence[str], names: Sequence[str]) -> list[float]:
    """Percentages in this order; tc prints the name in front of each."""
    shares = [_percent(word, one) for one in words if one not in names]
    if not 1 <= len(shares) <= len(names):
        raise DialectError(f"{word} {' '.join(words)}: expected {names[0]}, optionally with {', '.join(names[1:])}")
    return shares


def _chance(word: str, words: Sequence[str]) -> tuple[float, float]:
    """A percentage and its correlation."""
    if not 1 <= len(words) <= 2:
        raise DialectError(f"{word} {' '.join(words)}: expected a percentage, optionally with a correlation")
    return _percent(word, words[0]), _percent(word, words[1]) if len(words) == 2 else 0.0


def _percent(word: str, text: str) -> float:
    """A percentage as a share; the percent sign may be left out."""
    percent = parse_real_argument(word, text.removesuffix("%"))
    if not 0 <= percent <= 100:
        raise DialectError(f"{word} {text}: expected a percentage from 0% to 100%")
    return float(format_number(percent / 100))


def _time(text: str) -> str:
    return format_time(_nanos(text))


def _nanos(text: str) -> int:
    try:
        return round(1e9 * parse_quantity(text, TIMES, "time"))
    except ValueError as error:
        raise DialectError(f"{text}: {error}") from None


def option_words_from_json(name: str, values: Mapping[str, Any]) -> list[str]:
    """An option of `tc -json` in words; in JSON, times are in seconds and probabilities from 0 to 1."""
    word, _, model = name.partition("-")
    words = [word, *([model] if model in ("state", "gemodel") else [])]
    for key, value in values.items():
        if name == "delay" and key in ("delay", "jitter"):
            words.append(f"{float(value):.9f}s")
        elif name == "rate" or name == "slot":
            words.append(f"{value}bps" if key == "rate" else str(value))
        else:
            words.append(f"{100 * float(value):.9g}%")
    return words[:2] if name == "rate" and not any(list(values.values())[1:]) else words
