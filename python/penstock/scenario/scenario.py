"""Scenarios: read from TOML, built in Python, changed by path, resolved, run."""

from __future__ import annotations

import dataclasses
import hashlib
import html
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from penstock import _native
from penstock.aqms import python_aqm
from penstock.aqms.catalog import find_scheme
from penstock.aqms.queue import Queue, brief, plain
from penstock.errors import ErrorDetail, PenstockError, ScenarioError, collecting, nearest, nearest_name, show_value
from penstock.files import read_text, write_text
from penstock.scenario import elements
from penstock.scenario._generated import SCHEMES, Class, Tcp
from penstock.scenario.check import resolved_text
from penstock.scenario.elements import Cbr, Fec, Link, Poisson, Replay, Reverse, Traffic, Video
from penstock.scenario.resolve import Resolved, resolve
from penstock.scenario.resolve.files import content_of, named_files
from penstock.scenario.resolve.forms import sorted_text
from penstock.scenario.scheme_text import queue_table, read_value
from penstock.scenario.traffic import Incast, OnOff, Web
from penstock.scenario.workloads import Workload
from penstock.units import format_rate, format_time, parse_rate, parse_time

__all__ = [
    "Document",
    "Scenario",
    "ScenarioLike",
    "as_document",
    "dumbbell",
    "key_of",
    "read_document",
    "read_table",
    "with_value",
]

TRAFFIC: Mapping[str, type[Traffic]] = {
    "tcp": Tcp,
    "cbr": Cbr,
    "poisson": Poisson,
    "fec": Fec,
    "onoff": OnOff,
    "web": Web,
    "incast": Incast,
    "video": Video,
    "replay": Replay,
}

Tree = dict[str, Any]


@dataclass(frozen=True)
class Document:
    """A scenario as plain values with the source of each key, as used by the command line.

    Documents share branches of their trees; never change a branch in place.
    """

    tree: Tree
    origins: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, path: str | Path) -> Document:
        """Read a scenario file. Raises `ScenarioError` if the file is not TOML, is not UTF-8 or cannot be opened."""
        document = cls.parse(_read_text(path), str(path))
        for table, key in named_files(document.tree):
            table[key] = str((_folder(path) / table[key]).absolute())
        return document

    @classmethod
    def parse(cls, text: str, name: str = "scenario") -> Document:
        """Read the text of a scenario; `name` is its name in messages."""
        tree, lines = _parse(text, name)
        if not tree:
            raise ScenarioError(
                [ErrorDetail("", "is empty; a scenario needs duration, [links.NAME] and [traffic.NAME]", None, name)]
            )
        return cls(tree, {"": name} | {path: f"{name}:{line}" for path, line in lines.items()})

    def set(self, path: str, value: Any, origin: str = "--set") -> Document:
        """A copy with another value at a path such as `links.bottleneck.queue.max_p`; all other branches are shared."""
        return Document(with_value(self.tree, path, value, origin), {**self.origins, path: origin})

    def resolve(self) -> Resolved:
        """In canonical form. Raises `ScenarioError` with every error."""
        resolved = resolve(self.tree, self.origins)
        if resolved.errors:
            raise ScenarioError(resolved.errors)
        return resolved


@dataclass(frozen=True, kw_only=True, repr=False)
class Scenario:
    """A network with its traffic and the duration of a run. Values are stored as written.

    Attributes:
        name: name in reports.
        duration: end of the run, such as "100s".
        warmup: start of the statistics; "auto": the end of the transient of the watched queues in pilot runs.
        sampling: interval between samples of the queues.
        seed: seed of the first run.
        links: links by name.
        traffic: groups of flows by name.
        workloads: named workloads by name; each part becomes the group of flows `WORKLOAD-PART`.
        real: settings of real links by name, as in the table `real` of a file.

    """

    name: str = ""
    duration: str
    warmup: str = "0s"
    sampling: str = "10ms"
    seed: int = 1
    links: Mapping[str, Link]
    traffic: Mapping[str, Traffic] = field(default_factory=dict)
    workloads: Mapping[str, Workload] = field(default_factory=dict)
    real: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return brief(self)

    @classmethod
    def load(cls, path: str | Path) -> Scenario:
        """Read a scenario file. Raises `ScenarioError` with every error, each with its line."""
        return cls._checked(Document.read(path))

    @classmethod
    def loads(cls, text: str, name: str = "scenario") -> Scenario:
        """Read a scenario from TOML text; `name` is its name in messages."""
        return cls._checked(Document.parse(text, name))

    @classmethod
    def _checked(cls, document: Document) -> Scenario:
        document.resolve()
        return cls.from_tree(document.tree)

    @classmethod
    def from_tree(cls, tree: Mapping[str, Any]) -> Scenario:
        """Build a scenario from plain values as in a file. Raises `ScenarioError` on a missing or unknown key."""
        values = dict(tree)
        try:
            values["links"] = {name: _link(table) for name, table in tree.get("links", {}).items()}
            values["traffic"] = {name: _traffic(table) for name, table in tree.get("traffic", {}).items()}
            workloads = tree.get("workloads", {}).items()
            values["workloads"] = {name: elements.build(Workload, table) for name, table in workloads}
            return cls(**values)
        except (AttributeError, KeyError, TypeError) as error:
            # The tree does not have the structure of a scenario: the resolver reports each error with its path.
            errors = resolve(tree).errors
            raise (ScenarioError(errors) if errors else PenstockError(str(error))) from None

    def tree(self) -> Tree:
        """The scenario as plain values: every key that differs from its default."""
        tree: Tree = {}
        for item in dataclasses.fields(self):
            value = getattr(self, item.name)
            usual = {} if item.name in ("workloads", "real") else item.default
            if usual is dataclasses.MISSING or value != usual:
                tree[item.name] = plain(value)
        for link in tree["links"].values():
            for direction in (link, link.get("reverse")):
                queue = direction.get("queue") if isinstance(direction, dict) else None
                if isinstance(queue, str) and queue != "same":
                    direction["queue"] = queue_table(queue, f'queue = "{queue}"')
        return tree

    def to_toml(self) -> str:
        """The text of a scenario file."""
        import tomli_w

        return tomli_w.dumps(self.tree())

    def save(self, path: str | Path) -> None:
        """Write a scenario file. Raises `FileError` if it cannot be written."""
        write_text(path, self.to_toml())

    def replace(self, path: str, value: Any) -> Scenario:
        """A copy with another value at a path. Raises `ScenarioError` on an unknown path.

        >>> from penstock import dumbbell, Red
        >>> link = dumbbell(rate="10Mbit", rtt="80ms", queue=Red(limit="100p"))
        >>> link.replace("links.bottleneck.queue.max_p", 0.2).links["bottleneck"].queue.max_p
        0.2
        """
        return Scenario.from_tree(with_value(self.tree(), path, plain(value), "replace"))

    def document(self) -> Document:
        """As plain values."""
        return Document(self.tree())

    def resolve(self) -> Resolved:
        """In canonical form. Raises `ScenarioError` with every error."""
        return self.document().resolve()

    def _repr_html_(self) -> str:
        """The output of `penstock check`, or the errors."""
        try:
            text = resolved_text(self.resolve())
        except ScenarioError as error:
            text = str(error)
        return f"<pre>{html.escape(text)}</pre>"

    def check(self) -> tuple[ErrorDetail, ...]:
        """All errors of the scenario."""
        return resolve(self.tree()).errors

    def key(self) -> str:
        """A key for the results of this scenario: equal for equal content, seed and version of meaning, on any machine.

        The content includes the source files of AQMs in Python, and the content of traces of capacity or rates and of
        replayed files.
        """
        return key_of(self.resolve())


ScenarioLike = Scenario | Document | str | Path
"""A scenario, or the path of its file."""


def as_document(scenario: ScenarioLike) -> Document:
    """A scenario as plain values; a string or path names a scenario file."""
    if isinstance(scenario, Document):
        return scenario
    return scenario.document() if isinstance(scenario, Scenario) else Document.read(scenario)


def key_of(resolved: Resolved) -> str:
    """The key of a resolved scenario, as returned by `Scenario.key`."""
    aqms = python_aqm.sources(python_aqm.schemes_in(resolved.readable))
    traces = [trace for form in resolved.links for trace in form.traces]
    groups = [form.canonical for form in resolved.traffic]
    replayed = [content_of(group["replay"]["file"]) for group in groups if "replay" in group]
    parts = [str(_native.meaning), resolved.content(), *map(sorted_text, filter(None, (aqms, traces, replayed)))]
    return hashlib.sha256(f"[{', '.join(parts)}]".encode()).hexdigest()[:32]


def dumbbell(
    *,
    rate: str,
    rtt: str,
    queue: Queue | str | None = None,
    traffic: Mapping[str, Traffic] | Sequence[Traffic] | Traffic | None = None,
    workloads: Mapping[str, Workload] | None = None,
    duration: str = "100s",
    warmup: str = "0s",
    sampling: str = "10ms",
    seed: int = 1,
    access: str | None = None,
    name: str = "dumbbell",
) -> Scenario:
    """A dumbbell network: one bottleneck from R1 to R2 between a source S and a sink D.

    The whole round trip `rtt` is on the bottleneck; the access links have ten times its rate, or the rate `access`.
    `queue` may be a text as after `--scheme`, such as "red:min_th=5". Traffic without `from_` and `to` goes from S to
    D; groups of it without names, one or a list, are named by their kinds. Similarly, workloads have their servers at S
    and their users at D. Without traffic and workloads there is one `Tcp`, "bulk".

    Everything else has the defaults of a scenario file: a bottleneck without `queue` is drop-tail of one
    bandwidth-delay product, and TCP flows are CUBIC as in Linux and start within the first second.
    """
    fast = access or format_rate(10 * parse_rate(rate))
    slow_access = parse_rate(fast) <= parse_rate(rate)  # then the bottleneck would not be watched by default
    half = format_time(parse_time(rtt) / 2)
    links = {
        "bottleneck": Link(from_="R1", to="R2", rate=rate, delay=half, queue=queue, watch=slow_access or None),
        "source": Link(from_="S", to="R1", rate=fast, delay="0s"),
        "sink": Link(from_="R2", to="D", rate=fast, delay="0s"),
    }
    flows = {
        label: dataclasses.replace(group, from_=group.from_ or "S", to=group.to or "D")
        for label, group in _named({} if traffic is None and workloads else traffic).items()
    }
    loads = {
        label: dataclasses.replace(load, from_=load.from_ or "S", to=load.to or "D")
        for label, load in (workloads or {}).items()
    }
    return Scenario(
        name=name,
        duration=duration,
        warmup=warmup,
        sampling=sampling,
        seed=seed,
        links=links,
        traffic=flows,
        workloads=loads,
    )


def _named(traffic: Mapping[str, Traffic] | Sequence[Traffic] | Traffic | None) -> Mapping[str, Traffic]:
    """Groups of traffic by name; without names `tcp`, `tcp2`, ..., by their kinds."""
    if traffic is None:
        return {"bulk": Tcp()}
    groups = [traffic] if isinstance(traffic, Traffic) else traffic
    if not isinstance(groups, Mapping):
        named: dict[str, Traffic] = {}
        for group in groups:
            kind = getattr(group, "kind", "")
            number = 1 + sum(other.kind == kind for other in named.values())
            named[f"{kind}{number}" if number > 1 else kind] = group
        groups = named
    for name, group in groups.items():
        if not isinstance(group, Traffic):
            raise PenstockError(f"traffic {name}: expected an element such as Tcp(count=5), not {group!r}")
    return groups


def with_value(tree: Tree, path: str, value: Any, origin: str) -> Tree:
    """A copy of a tree with another value at a path; all other branches are shared.

    Missing tables below a link, traffic or a workload are created. `origin` is the source of the path in errors.
    """
    keys = _keys(path)
    if not keys:
        raise ScenarioError([ErrorDetail(path, "is not a path such as links.bottleneck.queue.max_p", None, origin)])
    changed = dict(tree)
    place: Any = changed
    for depth, key in enumerate(keys):
        last = depth == len(keys) - 1
        item: Any = key
        if key.startswith("[") or isinstance(place, list):
            item = _index(place, key, _joined(keys[: depth + 1]), origin)
        elif not isinstance(place, dict):
            message = f"{_joined(keys[:depth])} is not a table, but {show_value(place)}"
            raise ScenarioError([ErrorDetail(path, message, None, origin)])
        elif not last and key not in place:
            if depth == 1 and keys[0] in ("links", "traffic", "workloads"):
                message = f"no such name{nearest(key, place)}; there are: {', '.join(place) or 'none'}"
                raise ScenarioError([ErrorDetail(_joined(keys[: depth + 1]), message, None, origin)])
            place[key] = {}
        place[item] = value if last else _copied(place[item])
        place = place[item]
    return changed


@lru_cache
def _keys(path: str) -> tuple[str, ...]:
    return tuple(part for part in re.split(r"\.|(?=\[)", path) if part)


def _joined(keys: Sequence[str]) -> str:
    return ".".join(keys).replace(".[", "[")


def _copied(branch: Any) -> Any:
    """A table or list with the same branches; any other value as it is."""
    if isinstance(branch, dict):
        return dict(branch)
    return list(branch) if isinstance(branch, list) else branch


def _index(place: Any, key: str, here: str, origin: str) -> int:
    match = re.fullmatch(r"\[(\d+)\]", key)
    if not isinstance(place, list) or match is None or int(match[1]) >= len(place):
        message = "there is no such item of a list; an item is written as in change[0].rate"
        raise ScenarioError([ErrorDetail(here, message, None, origin)])
    return int(match[1])


def read_document(path: str | Path, settings: Iterable[str] = ()) -> Document:
    """A scenario file with `--set PATH=VALUE` applied."""
    document = Document.read(path)
    errors: list[ErrorDetail] = []
    seen: set[str] = set()
    for text in settings:
        key, sign, value = text.partition("=")
        if key.strip() in seen:
            errors.append(ErrorDetail("", f"{key.strip()} is set twice", None, f"--set {text}"))
            continue
        seen.add(key.strip())
        if not sign or not key.strip():
            errors.append(
                ErrorDetail("", "is not PATH=VALUE, such as links.bottleneck.rate=2Mbit", None, f"--set {text}")
            )
            continue
        with collecting(errors):
            document = document.set(key.strip(), read_value(value.strip()))
    if errors:
        raise ScenarioError([*errors, *resolve(document.tree, document.origins).errors])
    return document


def read_table(path: str | Path) -> tuple[Tree, Mapping[str, str]]:
    """A TOML file as plain values, with the source of each key."""
    tree, lines = _parse(_read_text(path), str(path))
    return tree, {"": str(path)} | {key: f"{path}:{line}" for key, line in lines.items()}


def _read_text(path: str | Path) -> str:
    try:
        return read_text(path)
    except UnicodeDecodeError as error:
        raise ScenarioError(
            [ErrorDetail("", f"is not UTF-8 text (byte {error.start}); save it as UTF-8", None, str(path))]
        ) from None
    except FileNotFoundError:
        close = _nearest_file(Path(path))
        raise ScenarioError([ErrorDetail("", f"no such file{close}", None, str(path))]) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ScenarioError([ErrorDetail("", f"cannot be read: {reason}", None, str(path))]) from None


def _nearest_file(path: Path) -> str:
    """The scenario with the nearest name in the folder, compared without the common ending."""
    files = {item.stem: str(item) for item in _folder(path).glob("*.toml")}
    name = nearest_name(path.stem, files)
    return f'; did you mean "{files[name]}"?' if name is not None else ""


def _folder(path: str | Path) -> Path:
    folder = Path(path).parent
    return folder if folder.is_dir() else Path()


def _parse(text: str, name: str) -> tuple[Tree, Mapping[str, int]]:
    try:
        return _native.parse_toml(text)
    except ValueError as error:
        errors = [
            ErrorDetail("", f"not TOML: {error['message']}", None, f"{name}:{error['line']}" if error["line"] else name)
            for error in json.loads(str(error))
        ]
        raise ScenarioError(errors) from None


def _link(table: Mapping[str, Any]) -> Link:
    reverse = table.get("reverse")
    parts: dict[str, Any] = {"queue": _queue(table.get("queue"))}
    if reverse is not None:
        parts["reverse"] = elements.build(Reverse, reverse, queue=_queue(reverse.get("queue")))
    link: Link = elements.build(Link, table, **parts)
    return link


def _queue(table: Any) -> Any:
    if not isinstance(table, Mapping):
        return table
    parts = {"classes": tuple(map(_class, table["classes"]))} if "classes" in table else {}
    name = find_scheme(table["scheme"]).name
    return elements.build(python_aqm.class_of(name) or SCHEMES[name], table, **parts)


def _class(table: Mapping[str, Any]) -> Class:
    traffic_class: Class = elements.build(Class, table, queue=_queue(table.get("queue")))
    return traffic_class


def _traffic(table: Mapping[str, Any]) -> Traffic:
    traffic: Traffic = elements.build(TRAFFIC[table["kind"]], table)
    return traffic
