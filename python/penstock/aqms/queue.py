"""The base classes of the queue schemes and of the classes of schedulers, which are tables of a scenario file.

Fields have the names of the keys in scenario files (`from_` stands for `from`, which is reserved in Python).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from penstock.errors import did_you_mean

__all__ = ["ClassElement", "Element", "Queue", "plain_value", "short_repr"]


@dataclass(frozen=True, kw_only=True, repr=False)
class Element:
    """A part of a scenario that is a table in its file."""

    def __new__(cls, *_: Any, **values: Any) -> Self:
        """Refuse unknown arguments with a suggestion, before the constructor would without one."""
        names = [field.name for field in dataclasses.fields(cls)]
        for name in values:
            if name not in names:
                hint = did_you_mean(name, names) or f"; available: {', '.join(names)}"
                raise TypeError(f"{cls.__name__} has no parameter {name}{hint}")
        return super().__new__(cls)

    def __repr__(self) -> str:
        return short_repr(self)

    def tree(self) -> dict[str, Any]:
        """The table as plain values: every key that differs from its default."""
        table: dict[str, Any] = dict(self._heads())
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if value is None or (field.default is not dataclasses.MISSING and value == field.default):
                continue
            table[field.name.rstrip("_")] = plain_value(value)
        return table

    def _heads(self) -> Mapping[str, str]:
        """Keys whose values follow from the class itself."""
        return {}

    @classmethod
    def field_names_by_key(cls) -> dict[str, str]:
        """Field names by the keys of the file."""
        return {field.name.rstrip("_"): field.name for field in dataclasses.fields(cls)}


@dataclass(frozen=True, kw_only=True, repr=False)
class Queue(Element):
    """The queue in front of a link; base class of the queue schemes.

    Attributes:
        limit: maximum queue length: packets ("35p"), bytes ("50kB"), time at link rate ("100ms"), "2BDP" or "inf".
        share: intervals (a, b] of queue length whose share of time is reported, such as [[5, 15]].

    """

    scheme: ClassVar[str] = ""

    limit: float | str = "inf"
    share: Sequence[Sequence[int]] | None = None

    def _heads(self) -> Mapping[str, str]:
        return {"scheme": self.scheme}


@dataclass(frozen=True, kw_only=True, repr=False)
class ClassElement(Element):
    """A class of packets of any scheduler.

    Attributes:
        name: name of the class.
        match: the packets of the class: {"dscp": "EF"}; further keys are traffic, flow ("bulk.3"), from, to, protocol,
        ecn and size (["0B", "200B"]), each with one value or a list; a packet must match all keys. Only the last class
        may have no match.
        queue: the AQM that guards the queue of the class; its limit is that of the class.

    """

    name: str
    match: Mapping[str, Any] | None = None
    queue: Queue | None = None


def short_repr(value: Any) -> str:
    """The constructor call that makes a dataclass, without the arguments that equal their defaults."""
    arguments = []
    for field in dataclasses.fields(value):
        factory = field.default_factory
        default = field.default if factory is dataclasses.MISSING else factory()
        argument = getattr(value, field.name)
        if default is dataclasses.MISSING or argument != default:
            arguments.append(f"{field.name}={argument!r}")
    return f"{type(value).__name__}({', '.join(arguments)})"


def plain_value(value: Any) -> Any:
    """A value as in a file: elements become tables, tuples lists."""
    if isinstance(value, Element):
        return value.tree()
    if isinstance(value, Mapping):
        return {str(key): plain_value(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_value(inner) for inner in value]
    return value
