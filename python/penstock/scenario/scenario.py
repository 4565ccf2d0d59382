"""Scenarios in Python: built from elements, or read from files."""

from __future__ import annotations

import dataclasses
import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from penstock.aqms import python_aqm
from penstock.aqms.catalog import find_scheme
from penstock.aqms.queue import Queue, plain_value, short_repr
from penstock.errors import ErrorDetail, PenstockError, ScenarioError
from penstock.files import write_text
from penstock.scenario import elements
from penstock.scenario._generated import SCHEMES, Class, Tcp
from penstock.scenario.check import resolved_text
from penstock.scenario.document import Document, Tree, scenario_key, tree_with_value
from penstock.scenario.elements import Cbr, Fec, Link, Poisson, Replay, Reverse, Traffic, Video
from penstock.scenario.resolve import Resolved, resolve
from penstock.scenario.scheme_text import parse_queue
from penstock.scenario.traffic import Incast, OnOff, Web
from penstock.scenario.workloads import Workload
from penstock.units import format_rate, format_time, parse_rate, parse_time

__all__ = ["Scenario", "dumbbell"]

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
        return short_repr(self)

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
            values["workloads"] = {name: elements.build_element(Workload, table) for name, table in workloads}
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
                tree[item.name] = plain_value(value)
        for link in tree["links"].values():
            for direction in (link, link.get("reverse")):
                queue = direction.get("queue") if isinstance(direction, dict) else None
                if isinstance(queue, str) and queue != "same":
                    direction["queue"] = parse_queue(queue, f'queue = "{queue}"')
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
        return Scenario.from_tree(tree_with_value(self.tree(), path, plain_value(value), "replace"))

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
        """A key for the results of this scenario: equal for equal content, seed and results version, on any machine.

        The content includes the source files of AQMs in Python, and the content of traces of capacity or rates and of
        replayed files.
        """
        return scenario_key(self.resolve())


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


def _link(table: Mapping[str, Any]) -> Link:
    reverse = table.get("reverse")
    parts: dict[str, Any] = {"queue": _queue(table.get("queue"))}
    if reverse is not None:
        parts["reverse"] = elements.build_element(Reverse, reverse, queue=_queue(reverse.get("queue")))
    link: Link = elements.build_element(Link, table, **parts)
    return link


def _queue(table: Any) -> Any:
    if not isinstance(table, Mapping):
        return table
    parts = {"classes": tuple(map(_class, table["classes"]))} if "classes" in table else {}
    name = find_scheme(table["scheme"]).name
    return elements.build_element(python_aqm.declared_class(name) or SCHEMES[name], table, **parts)


def _class(table: Mapping[str, Any]) -> Class:
    traffic_class: Class = elements.build_element(Class, table, queue=_queue(table.get("queue")))
    return traffic_class


def _traffic(table: Mapping[str, Any]) -> Traffic:
    traffic: Traffic = elements.build_element(TRAFFIC[table["kind"]], table)
    return traffic
