"""The catalog of queue schemes, conditioners and keys of TCP traffic, as registered by the native module."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from penstock import _native
from penstock.errors import PenstockError, did_you_mean, nearest_name

__all__ = [
    "Conditioner",
    "Param",
    "Scheme",
    "TcpKeys",
    "add_scheme",
    "catalog_revision",
    "complete_schemes",
    "conditioners",
    "find_conditioner",
    "find_scheme",
    "scheme_names",
    "schemes",
    "tcp_keys",
]


@dataclass(frozen=True)
class Param:
    """One parameter of a mechanism: description, unit, kind, default and range."""

    name: str
    doc: str
    unit: str
    kind: str
    default: Any
    choices: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    range: tuple[float, float | None] | None = None
    required: bool = False
    defaults: tuple[tuple[str, Any], ...] = ()

    def with_profile_default(self, profile: str) -> Param:
        """The parameter, with its default in a TCP profile."""
        return replace(self, default=dict(self.defaults).get(profile, self.default))

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> Param:
        """A parameter from its entry in the native registry."""
        return cls(
            name=entry["name"],
            doc=entry["doc"],
            unit=entry["unit"],
            kind=entry["kind"],
            default=entry.get("default"),
            choices=tuple(entry.get("choices", ())),
            words=tuple(entry.get("words", ())),
            range=tuple(entry["range"]) if entry.get("range") else None,
            required=entry.get("required", False),
            defaults=tuple(entry.get("defaults", {}).items()),
        )


LIMIT = Param(
    "limit",
    "Maximum number of waiting packets or bytes; the packet in transmission does not count.",
    "packets",
    "limit",
    "inf",
    words=("inf",),
)


@dataclass(frozen=True)
class Scheme:
    """A registered queue scheme."""

    name: str
    aliases: tuple[str, ...]
    family: str
    title: str
    source: str
    doc: str
    ecn: bool
    good: str
    bad: str
    params: tuple[Param, ...]
    class_params: tuple[Param, ...] = ()

    def param(self, name: str) -> Param | None:
        """The parameter called `name`."""
        return next((param for param in self.params if param.name == name), None)

    @property
    def complete(self) -> bool:
        """Whether every parameter has a default."""
        return not any(param.required for param in self.params)

    def example(self, param: Param) -> Any:
        """An example value for a required parameter, as in a file: a number, a rate, a length, a list of classes."""
        plain = {"rate": "1Mbit", "time": "10ms", "size": "1000B", "length": "10p", "length_or_time": "10p"}
        if param.kind != "classes":
            return plain.get(param.kind, 0.1)
        own = {needed.name: self.example(needed) for needed in self.class_params if needed.required}
        return [{"name": "voice", "match": {"dscp": "EF"}, **own}, {"name": "rest", **own}]


@dataclass(frozen=True)
class Conditioner:
    """A conditioner or shaper in front of a queue; a shaper (`is_shaper`) delays packets and has a `limit`."""

    name: str
    aliases: tuple[str, ...]
    title: str
    source: str
    doc: str
    is_shaper: bool
    params: tuple[Param, ...]
    class_params: tuple[Param, ...] = ()


@dataclass(frozen=True)
class TcpKeys:
    """The settings of TCP traffic.

    Attributes:
        flavours: congestion controls.
        profiles: bundles of defaults.
        default_profile: profile of flows that name none.
        params: the keys, each with a default for every profile.
        flavour_defaults: by flavour, its own defaults of some keys, in place of those of the profile.

    """

    flavours: tuple[str, ...]
    profiles: tuple[str, ...]
    default_profile: str
    params: tuple[Param, ...]
    flavour_defaults: Mapping[str, Mapping[str, Any]]

    def default_flavour(self, profile: str) -> str:
        """The congestion control of flows that name none."""
        return str(
            next(param for param in self.params if param.name == "flavour").with_profile_default(profile).default
        )

    def with_defaults(self, profile: str, flavour: str) -> list[Param]:
        """The keys, with their defaults for this profile and flavour."""
        own = self.flavour_defaults.get(flavour, {})
        params = (param.with_profile_default(profile) for param in self.params)
        return [replace(param, default=own.get(param.name, param.default)) for param in params]


@cache
def schemes() -> tuple[Scheme, ...]:
    """All schemes, in the order of the registry."""
    return tuple(
        Scheme(
            name=entry["name"],
            aliases=tuple(entry["aliases"]),
            family=entry["family"],
            title=entry["title"],
            source=entry["source"],
            doc=entry["doc"],
            ecn=entry["ecn"],
            good=entry["good"],
            bad=entry["bad"],
            params=tuple(Param.from_json(param) for param in entry["params"]),
            class_params=tuple(Param.from_json(param) for param in entry["class_params"]),
        )
        for entry in json.loads(_native.schemes())
    )


@cache
def _by_name() -> Mapping[str, Scheme]:
    """The schemes of the native registry by the normalized forms of their names and aliases."""
    return {_plain(name): scheme for scheme in reversed(schemes()) for name in (*scheme.aliases, scheme.name)}


_ADDED: dict[str, Scheme] = {}
_REVISIONS: list[str] = []


def add_scheme(scheme: Scheme) -> None:
    """Register a scheme that is not in the native registry: an AQM written in Python."""
    _ADDED[scheme.name] = scheme
    _REVISIONS.append(scheme.name)


def catalog_revision() -> int:
    """The revision of the catalog, which changes when a scheme is added or replaced."""
    return len(_REVISIONS)


@cache
def conditioners() -> tuple[Conditioner, ...]:
    """All conditioners, and the shapers that can be used among them."""
    return tuple(
        Conditioner(
            name=entry["name"],
            aliases=tuple(entry["aliases"]),
            title=entry["title"],
            source=entry["source"],
            doc=entry["doc"],
            is_shaper=entry["holds"],
            params=tuple(Param.from_json(param) for param in entry["params"]),
            class_params=tuple(Param.from_json(param) for param in entry["class_params"]),
        )
        for entry in json.loads(_native.conditioners())
    )


@cache
def tcp_keys() -> TcpKeys:
    """The keys of TCP traffic."""
    entry = json.loads(_native.tcp())
    params = tuple(Param.from_json(param) for param in entry["params"])
    return TcpKeys(
        tuple(entry["flavours"]),
        tuple(entry["profiles"]),
        entry["default_profile"],
        params,
        entry["flavour_defaults"],
    )


def complete_schemes() -> list[Scheme]:
    """The schemes whose parameters all have defaults, with those written in Python that are loaded."""
    return [scheme for scheme in (*schemes(), *_ADDED.values()) if scheme.complete]


def scheme_names() -> list[str]:
    """All names and aliases."""
    return [name for scheme in (*schemes(), *_ADDED.values()) for name in (scheme.name, *scheme.aliases)]


def find_scheme(name: str) -> Scheme:
    """The scheme of this name or alias, ignoring case and the difference between hyphen and underscore.

    Raises `PenstockError` with the nearest name.
    """
    plain = _plain(name)
    if plain == "gred":
        raise PenstockError(
            '"gred" is ambiguous: for gentle RED write "red" with gentle = true; for generic RED (several virtual '
            "queues) there is no scheme yet"
        )
    if (registered := _by_name().get(plain)) is not None:
        return registered
    for scheme in _ADDED.values():
        if plain in map(_plain, (scheme.name, *scheme.aliases)):
            return scheme
    if plain.partition(":")[0].endswith(".py"):
        file, _, aqm = name.partition(":")
        raise PenstockError(f'load the file with --load {file} and write scheme = "{aqm or "NAME"}"')
    if plain in tcp_keys().flavours:
        raise PenstockError(
            f'{plain} is a congestion control of TCP, not a scheme: write flavour = "{plain}" in the traffic; '
            "penstock explain transports shows its keys"
        )
    names = ", ".join(scheme.name for scheme in (*schemes(), *_ADDED.values()))
    raise PenstockError(
        f"unknown scheme{_nearest_mechanism(plain)}; available: {names}".replace("?; available", "? Available")
    )


def _nearest_mechanism(name: str) -> str:
    """`; did you mean ...?` with the nearest scheme, or congestion control or conditioner, labelled as such."""
    names = dict.fromkeys(tcp_keys().flavours, ", a congestion control of TCP")
    names |= dict.fromkeys(_conditioner_names(), ", a conditioner")
    names |= dict.fromkeys(scheme_names(), "")
    near = nearest_name(name, names)
    return f'; did you mean "{near}"{names[near]}?' if near is not None else ""


def find_conditioner(name: str) -> Conditioner:
    """The conditioner of this name or alias, ignoring case and the difference between hyphen and underscore.

    Raises `PenstockError` with the nearest name.
    """
    plain = _plain(name)
    for conditioner in conditioners():
        if plain in map(_plain, (conditioner.name, *conditioner.aliases)):
            return conditioner
    names = ", ".join(conditioner.name for conditioner in conditioners())
    raise PenstockError(
        f"unknown kind{did_you_mean(name, _conditioner_names())}; available: {names}".replace(
            "?; available", "? Available"
        )
    )


def _conditioner_names() -> list[str]:
    return [name for conditioner in conditioners() for name in (conditioner.name, *conditioner.aliases)]


def _plain(name: str) -> str:
    """The normalized form of a name; ns-3's `ns3::RedQueueDisc` becomes `red`."""
    plain = name.strip().lower().replace("_", "-")
    return plain.removeprefix("ns3::").removesuffix("queuedisc") if plain.startswith("ns3::") else plain
