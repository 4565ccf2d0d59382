"""The keys of tc's queues as data: meaning, default, range, and how each is converted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from penstock.dialects.conversion import DialectError
from penstock.dialects.tc_quantities import Quantity
from penstock.dialects.value_kinds import format_number, parse_real
from penstock.errors import did_you_mean

__all__ = ["GivenKey", "Key", "KeyEffect", "Qdisc", "flag_key", "lost_key", "no_effect_key", "parameter_key"]

GREEDY = -1
"""The arity of a key whose values reach to the next key."""


class KeyEffect(StrEnum):
    """What conversion does with a key: sets a parameter, ignores it, or lists it as lost."""

    APPLIED = "applied"
    NO_EFFECT = "no effect"
    LOST = "listed"


@dataclass(frozen=True)
class Key:
    """A key of a queue, as in its manual page.

    Attributes:
        word: as tc takes and prints it.
        effect: what becomes of it.
        quantity: of its value; None for a flag, and for a value that is not read.
        parameter: penstock's; empty where there is none, or where code of the kind of queue sets several.
        flag_value: what a flag sets.
        default: what tc or the kernel takes where the key is left out, as tc would be told it; empty: none.
        range: smallest and largest number that tc takes.
        arity: number of values.
        other_spellings: other spellings.
        reason: why it has no effect here, or what would be needed.
        group: flags of a group exclude each other.
        is_neutral: whether the default value of a key that is lost loses nothing.

    """

    word: str
    effect: KeyEffect
    quantity: Quantity | None = None
    parameter: str = ""
    flag_value: Any = None
    default: str = ""
    range: tuple[float, float] | None = None
    arity: int = 0
    other_spellings: tuple[str, ...] = ()
    reason: str = ""
    group: str = ""
    is_neutral: bool = True

    def parse_value(self, text: str) -> Any:
        """The parameter's value for a text. Raises `DialectError`."""
        assert self.quantity is not None
        try:
            found = self.quantity.read(text)
            self._check_range(text)
        except (ValueError, ArithmeticError) as error:
            raise DialectError(f"{self.word} {text}: {error}") from None
        return found

    def _check_range(self, text: str) -> None:
        if self.range is None or not (amount := re.match(r"-?[0-9.]+", text)):
            return
        low, high = self.range
        if not low <= parse_real(amount[0]) <= high:
            raise ValueError(f"tc takes {low:g} to {high:g}")

    def nearest_accepted_text(self, value: Any) -> str:
        """The text of the nearest value that tc accepts."""
        assert self.quantity is not None
        text = self.quantity.write(value)
        if text == "0" and isinstance(value, (int, float)) and value > 0:
            text = "1"  # a gain or count that rounding would switch off
        amount = re.match(r"-?[0-9.]+", text)
        if self.range is None or amount is None:
            return text
        bounded = min(max(parse_real(amount[0]), self.range[0]), self.range[1])
        return text if bounded == parse_real(amount[0]) else format_number(bounded)

    def is_default(self, text: str) -> bool:
        """Whether a value is the one that tc uses without this key, in any of its spellings."""
        if not self.default:
            return False
        try:
            return text == self.default or (
                self.quantity is not None and self.quantity.read(text) == self.quantity.read(self.default)
            )
        except ValueError:
            return False


@dataclass(frozen=True)
class GivenKey:
    """A key in a text, in the spelling of the text, with the text of its value."""

    key: Key
    word: str
    text: str

    @property
    def loss_line(self) -> str:
        """The line that lists the key as lost."""
        return " ".join(filter(None, (self.word, self.text))) + (f": {self.key.reason}" if self.key.reason else "")


@dataclass(frozen=True)
class Qdisc:
    """A kind of queue of tc with its keys, and the scheme to which it is converted.

    Attributes:
        kind: its name.
        scheme: penstock's; empty where several objects make a scheme, or there is none.
        man_page: its manual page.
        keys: the keys of the manual page, and others that tc prints.
        fixed: parameters that this queue of Linux always has.

    """

    kind: str
    scheme: str
    man_page: str
    keys: Sequence[Key]
    fixed: Mapping[str, Any] = field(default_factory=dict)

    @property
    def keys_by_word(self) -> dict[str, Key]:
        """The keys by each of their spellings."""
        return {word: key for key in self.keys for word in (key.word, *key.other_spellings)}

    @property
    def defaults(self) -> dict[str, Any]:
        """The parameters of this queue if no key is given."""
        found = dict(self.fixed)
        for key in self.keys:
            if not key.parameter or not key.default:
                continue
            found[key.parameter] = key.flag_value if key.quantity is None else key.quantity.read(key.default)
        return found

    def parse_words(self, words: Sequence[str], *, is_printed: bool) -> Iterator[GivenKey | str]:
        """The keys of a line with their values, and the remaining text of a printed line.

        Raises `DialectError` for a word that the queue does not have in a line given to tc, for a missing value, and
        for a key that is given twice.
        """
        by_word, seen, at = self.keys_by_word, dict[str, str](), 0
        while at < len(words):
            key = by_word.get(words[at])
            if key is None:
                end = self._end(words, at + 1)
                if not is_printed:
                    known = ", ".join(sorted(by_word)) or "none"
                    raise DialectError(
                        f'{self.kind} has no option "{words[at]}"{did_you_mean(words[at], by_word)}; supported: {known}'
                    )
                yield " ".join(words[at:end])
                at = end
                continue
            end = self._end(words, at + 1) if key.arity == GREEDY else at + 1 + key.arity
            if end > len(words) or (key.arity == GREEDY and end == at + 1):
                raise DialectError(f"{words[at]} of {self.kind} has no value")
            if not is_printed:  # tc prints the mpu of each bucket of htb
                _once(key, words[at], seen)
            yield GivenKey(key, words[at], " ".join(words[at + 1 : end]))
            at = end

    def _end(self, words: Sequence[str], start: int) -> int:
        return next((place for place in range(start, len(words)) if words[place] in self.keys_by_word), len(words))


def _once(key: Key, word: str, seen: dict[str, str]) -> None:
    """Raise `DialectError` for a key that is given again, or that excludes one given before."""
    if key.group == REPEATABLE:
        return
    name = key.group or key.word
    if name in seen:
        again = f"{word} is given twice" if seen[name] == word else f"{word} is given after {seen[name]}"
        raise DialectError(again)
    seen[name] = word


REPEATABLE = "repeatable"
"""The group of keys that may be given again."""


def parameter_key(
    word: str,
    kind: Quantity,
    parameter: str,
    default: str = "",
    *,
    within: tuple[float, float] | None = None,
    also: tuple[str, ...] = (),
    why: str = "",
) -> Key:
    """A key whose value is a parameter."""
    return Key(
        word,
        KeyEffect.APPLIED,
        kind,
        parameter,
        default=default,
        range=within,
        arity=1,
        other_spellings=also,
        reason=why,
    )


def flag_key(word: str, parameter: str, setting: Any = True, *, group: str = "", is_default: bool = False) -> Key:
    """A word that sets a parameter by itself."""
    return Key(word, KeyEffect.APPLIED, None, parameter, setting, word if is_default else "", group=group)


def no_effect_key(
    word: str, why: str, arity: int = 0, *, group: str = "", default: str = "", also: tuple[str, ...] = ()
) -> Key:
    """A key that has no effect on a simulated queue, so that nothing is lost."""
    return Key(word, KeyEffect.NO_EFFECT, arity=arity, reason=why, group=group, default=default, other_spellings=also)


def lost_key(
    word: str,
    why: str = "",
    arity: int = 0,
    *,
    kind: Quantity | None = None,
    default: str = "",
    within: tuple[float, float] | None = None,
    group: str = "",
    also: tuple[str, ...] = (),
    is_neutral: bool = True,
) -> Key:
    """A key that changes something in Linux for which penstock has no parameter."""
    arity = 1 if kind else arity
    return Key(word, KeyEffect.LOST, kind, "", None, default, within, arity, also, why, group, is_neutral)
