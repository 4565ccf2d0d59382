"""What the options of `compare` mean: a scheme with its settings, a sweep, a wanted precision."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from penstock.errors import Fault, PenstockError, ScenarioError, nearest
from penstock.laws import python_law
from penstock.laws.catalog import find_scheme
from penstock.laws.queue import Queue
from penstock.scenario.scenario import read_table, read_value
from penstock.units import parse_probability

__all__ = ["Contender", "Precision", "parse_varies", "parse_vary", "split_list"]


@dataclass(frozen=True)
class Contender:
    """A scheme with the settings that were given for it.

    Attributes:
        name: the scheme's name in the registry.
        params: the given settings, as in a queue's table.
        origin: where it was named, for messages.

    """

    name: str
    params: Mapping[str, Any] = field(default_factory=dict)
    origin: str = ""
    origins: Mapping[str, str] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """As after `--scheme`: `red:gentle=true`."""
        settings = ",".join(f"{key}={_plain(value)}" for key, value in self.params.items())
        return f"{self.name}:{settings}" if settings else self.name

    @classmethod
    def parse(cls, text: str) -> Contender:
        """`NAME`, `NAME:key=value,...`, the same after `FILE.py:` for a law in Python, or `@FILE.toml` with a queue."""
        origin = f"--scheme {text}"
        if text.startswith("@"):
            return cls._from_file(text[1:], origin)
        name, _, settings = text.partition(":")
        if name.endswith(".py"):
            name, settings = _from_python(name, settings, origin)
        params: dict[str, Any] = {}
        for item in split_list(settings):
            key, sign, value = item.partition("=")
            if not sign or not key.strip():
                raise ScenarioError([Fault("", f'"{item}" is not a setting such as max_p=0.1', None, origin)])
            params[key.strip().replace("-", "_")] = read_value(value.strip())
        return cls(_scheme_name(name, origin), params, origin)

    @classmethod
    def _from_file(cls, path: str, origin: str) -> Contender:
        tree, origins = read_table(path)
        params = dict(tree)
        name = params.pop("scheme", None)
        if not isinstance(name, str):
            raise ScenarioError([Fault("scheme", 'is missing; name one, such as scheme = "red"', None, origins[""])])
        return cls(_scheme_name(name, origin), params, origin, origins)

    @classmethod
    def of(cls, scheme: Contender | Queue | str) -> Contender:
        """From a text as after `--scheme`, or a queue such as `Red(gentle=True)`."""
        if isinstance(scheme, Contender):
            return scheme
        if isinstance(scheme, Queue):
            table = scheme.tree()
            return cls(table.pop("scheme"), table, repr(scheme))
        return cls.parse(scheme)

    def table(self, place: Mapping[str, Any]) -> dict[str, Any]:
        """Its queue's table in the place of another: that one's limit and shares stay unless it has its own."""
        kept = {key: place[key] for key in ("limit", "share") if key in place}
        return {**kept, "scheme": self.name, **self.params}


def _from_python(file: str, rest: str, origin: str) -> tuple[str, str]:
    """The law and the settings of `FILE.py:NAME:key=value,...`; a file with one law need not name it."""
    names = python_law.load(file)
    name, _, settings = rest.partition(":")
    if "=" in name:
        name, settings = "", rest
    if not name and len(names) == 1:
        return names[0], settings
    if name in names:
        return name, settings
    known = f"there are: {', '.join(names)}" if names else 'it declares none with @ps.aqm("name")'
    message = f'{file} has no law "{name}"{nearest(name, names)}; {known}' if name else f"name a law of {file}; {known}"
    raise ScenarioError([Fault("", message, None, origin)])


def _scheme_name(name: str, origin: str) -> str:
    try:
        return find_scheme(name).name
    except PenstockError as error:
        raise ScenarioError([Fault("", str(error), None, origin)]) from None


@dataclass(frozen=True)
class Precision:
    """Repeat until half the 95 % interval of `metric` is below `share` of its mean, in every cell."""

    metric: str
    share: float
    most: int = 1000

    @classmethod
    def parse(cls, text: str) -> Precision:
        """`METRIC=1%`."""
        metric, sign, share = text.partition("=")
        try:
            value = (
                parse_probability(share.strip()) if "%" in share or "/" in share else parse_probability(float(share))
            )
        except ValueError:
            value = 0.0
        if not sign or not metric.strip() or value <= 0:
            advice = "is not METRIC=1%, such as length_mean_pkts=1%"
            raise ScenarioError([Fault("", advice, None, f"--precision {text}")])
        return cls(metric.strip(), value)


def parse_vary(text: str) -> tuple[str, list[Any]]:
    """`PATH=a,b,c` as the path and its values."""
    path, sign, values = text.partition("=")
    items = [read_value(item.strip()) for item in split_list(values)]
    if not sign or not path.strip() or not items:
        raise ScenarioError(
            [Fault("", "is not PATH=a,b,c, such as traffic.extra.count=0,25,50", None, f"--vary {text}")]
        )
    return path.strip(), items


def parse_varies(texts: Iterable[str]) -> dict[str, list[Any]]:
    """All sweeps, by path. Raises `ScenarioError` with the faults of all of them."""
    faults: list[Fault] = []
    sweeps: dict[str, list[Any]] = {}
    for text in texts:
        try:
            path, values = parse_vary(text)
        except ScenarioError as error:
            faults += error.faults
            continue
        if path in sweeps:
            faults.append(Fault(path, "is swept twice; give all its values at once", None, "--vary"))
        sweeps[path] = values
    if faults:
        raise ScenarioError(faults)
    return sweeps


def split_list(text: str) -> list[str]:
    """Split at the commas that are outside quotes and brackets."""
    parts, depth, quote, part = [], 0, "", ""
    for char in text:
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in "[{(":
            depth += 1
        elif char in "]})":
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(part)
            part = ""
            continue
        part += char
    return [item for item in [*parts, part] if item.strip()]


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
