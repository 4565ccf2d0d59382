"""The options of a line whose keys are read by code for its kind."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.dialects.conversion import DialectError
from penstock.dialects.tc_keys import GivenKey, KeyEffect, Qdisc
from penstock.dialects.tc_lines import TcObject
from penstock.dialects.tc_units import parse_quantity as measured_text

__all__ = ["effective_options", "extract_value", "parse_quantity"]


def parse_quantity(text: str, units: dict[str, float], what: str) -> float:
    """A number with one of these units, in the base unit; `what` names it in the error. Raises `DialectError`."""
    try:
        return measured_text(text, units, what)
    except ValueError as error:
        raise DialectError(f"{text}: {error}") from None


def effective_options(qdisc: Qdisc, line: TcObject, missing: list[str]) -> dict[str, str]:
    """The keys of a line that take effect, by their first spelling; the other keys are listed."""
    values: dict[str, str] = {}
    for item in qdisc.parse_words(line.words, is_printed=line.is_printed):
        if not isinstance(item, GivenKey):
            missing.append(f"{item}: unknown option of {qdisc.kind}")
        elif item.key.effect is KeyEffect.APPLIED:
            values[item.key.word] = item.text
        elif item.key.effect is KeyEffect.LOST and not (item.key.is_neutral and item.key.is_default(item.text)):
            missing.append(item.loss_line)
    return values


def extract_value(word: str, words: Sequence[str]) -> tuple[str | None, list[str]]:
    """The word after `word`, None if there is none; and `words` without both."""
    if word not in words[:-1]:
        return None, list(words)
    place = words.index(word)
    return words[place + 1], [*words[:place], *words[place + 2 :]]
