"""The keys of a dialect as data: values that the program accepts, its default, and how the key is converted.

A reader looks its keys up in such a table, and the table of the documentation is printed from it, so that both agree.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, TypeVar

from penstock.dialects.conversion import Conversion, ConversionContext, DialectError
from penstock.dialects.value_kinds import ValueKind
from penstock.errors import did_you_mean

__all__ = ["ANY", "Key", "apply_keys", "find_key", "refuse_misspelt", "select_object"]

Thing = TypeVar("Thing")

ANY = ("*",)
"""Matches every value of a key that has no effect on a simulated queue."""


@dataclass(frozen=True)
class Key:
    """A setting of another program: its default, its values, and the parameter here that it sets.

    Attributes:
        name: as the program writes it.
        default: the program's own default, in its notation; "" if it has none, or none that is documented.
        unit: of its numbers.
        range: accepted values, in words.
        counterpart: the parameter here that it sets; or, with a capital first letter, why there is none.
        source: the document that defines it.
        value_kind: reader of its value; None if no value is read.
        neutral_values: the values, in the program's notation, that mean nothing to a simulated queue and are no loss.

    """

    name: str
    default: str
    unit: str
    range: str
    counterpart: str
    source: str
    value_kind: ValueKind | None = None
    neutral_values: tuple[str, ...] = ()

    @property
    def is_applied(self) -> bool:
        """Whether the key sets a parameter here, so that nothing is lost."""
        return self.value_kind is not None

    @property
    def loss_reason(self) -> str:
        """Why a key without a parameter is lost, as the end of a sentence."""
        return self.counterpart[:1].lower() + self.counterpart[1:]

    def parse_value(self, text: str) -> Any:
        """The value of the parameter here, from the text in the other program's notation. Raises `DialectError`."""
        if self.value_kind is None:
            return text
        try:
            return self.value_kind.read(text)
        except (ValueError, ArithmeticError) as error:
            raise DialectError(f"{self.name} {text}: {error}") from None

    def is_neutral(self, text: str) -> bool:
        """Whether this value of the key can be ignored without changing the queue."""
        return self.neutral_values == ANY or text in (self.default, *self.neutral_values)


def find_key(keys: Iterable[Key], name: str, place: str) -> Key:
    """The key with a name.

    Raises `DialectError`, with the nearest name, for a word that the program does not accept.
    """
    names = {key.name: key for key in keys}
    if name not in names:
        raise DialectError(f'{place} has no "{name}"{did_you_mean(name, names)}')
    return names[name]


def refuse_misspelt(word: str, names: Collection[str], place: str, others: Collection[str] = ()) -> None:
    """Raise `DialectError` for a word that resembles one of the names but is neither a name nor one of the other words.

    For places where a program accepts more words than are listed here.
    """
    if word not in names and word not in others and (close := get_close_matches(word, names, 1, MISSPELT)):
        raise DialectError(f'{place} has no "{word}"; did you mean "{close[0]}"?')


MISSPELT = 0.85
"""Similarity by `difflib` at which a word counts as misspelt: it differs in one or two letters."""


def apply_keys(result: Conversion, keys: Sequence[Key], settings: Mapping[str, str], place: str) -> None:
    """Set the parameters of the settings of an object, and the program's defaults for the keys that it leaves out.

    Settings without a parameter are listed as missing, unless they are neutral. Raises `DialectError` for unknown keys.
    """
    for name, text in settings.items():
        key = find_key(keys, name, place)
        if not text.strip():
            raise DialectError(f"{place} {name} has no value")
        if not key.is_applied and not key.is_neutral(text):
            result.lost_settings.append(f"{place} {name} {text}: {key.loss_reason}")
    for key in keys:
        text = settings.get(key.name, key.default)
        if key.is_applied and text != "":
            value = key.parse_value(text)
            if value is not None:
                result.parameters[key.counterpart] = value


def select_object(things: Mapping[str, Thing], facts: ConversionContext, kind: str) -> tuple[str, Thing]:
    """Name and value of the only object of a text, or of the object that `--device` names; `kind` is for messages.

    Raises `DialectError` with all names if there are several, or none with this name.
    """
    if facts.chosen is not None and facts.chosen in things:
        return facts.chosen, things[facts.chosen]
    if facts.name is not None:
        raise DialectError(f"--device {facts.name}: no such name; {kind} in the text: {', '.join(things)}")
    if len(things) == 1:
        return next(iter(things.items()))
    raise DialectError(f"several {kind}: {', '.join(things)}; keep one in the text, or choose one with --device NAME")
