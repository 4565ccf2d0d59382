"""Writes the parts of named workloads as plain tables of traffic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from penstock.errors import ErrorCollector, ErrorDetail, kind_of
from penstock.scenario.resolve.reader import NAME, REQUIRED, Table, choice, whole
from penstock.scenario.workloads import KINDS, PARTS, Part, size_of

__all__ = ["Expanded", "expand"]

MAX_USERS = 1_000_000
OWN = ("kind", "users", "from", "to", "start", "stop")


@dataclass(frozen=True)
class Expanded:
    """A scenario without workloads.

    Attributes:
        tree: the scenario with their parts as traffic.
        written: the table in the file by the path of the traffic that was made of it.

    """

    tree: Mapping[str, Any]
    written: Mapping[str, str]

    def errors(self, errors: ErrorCollector) -> tuple[ErrorDetail, ...]:
        """The errors that were found, each once; those of traffic that a workload made have the path in the file."""
        return tuple(dict.fromkeys(self._in_file(error, errors) for error in errors.found))

    def _in_file(self, found: ErrorDetail, errors: ErrorCollector) -> ErrorDetail:
        table = ".".join(found.path.split(".")[:2])
        if table not in self.written:
            return found
        path = self.written[table] + found.path[len(table) :]
        return replace(found, path=path, origin=errors.origin(path))


def expand(tree: Mapping[str, Any], errors: ErrorCollector) -> Expanded:
    """The tree with each part of its workloads as the traffic `WORKLOAD-PART`; other branches are shared."""
    if "workloads" not in tree:
        return Expanded(tree, {})
    workloads, traffic = tree["workloads"], tree.get("traffic", {})
    made: dict[str, dict[str, Any]] = {}
    written: dict[str, str] = {}
    if not isinstance(workloads, Mapping):
        errors.add("workloads", f"must be a table of workloads, not {kind_of(workloads)}", workloads)
        workloads = {}
    for name, values in workloads.items():
        path = f"workloads.{name}"
        if not NAME.fullmatch(name) or "{i}" in name:
            errors.add(path, "the name of a workload consists of letters, digits and _ - :")
        elif not isinstance(values, Mapping):
            errors.add(path, f"must be a table, [workloads.{name}], not {kind_of(values)}", values)
        else:
            for group, part, table in _groups(Table(errors, path, values)):
                made[f"{name}-{group}"] = table
                written[f"traffic.{name}-{group}"] = f"{path}.{part}"
    rest = {key: value for key, value in tree.items() if key != "workloads"}
    if not isinstance(traffic, Mapping):
        return Expanded(rest, written)
    for group in sorted(made.keys() & traffic.keys()):
        errors.add(written[f"traffic.{group}"], f"makes traffic.{group}, which is also in the file; rename one of them")
    return Expanded(rest | {"traffic": {**traffic, **made}}, written)


def _groups(table: Table) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The groups of a workload: the end of the name, the part, and the table of traffic."""
    table.known([*OWN, *PARTS])
    kind = KINDS.get(table.take("kind", choice(*KINDS), REQUIRED, advice=f"one of {', '.join(KINDS)}") or "")
    users = table.take("users", whole(0, MAX_USERS), kind.users if kind else 0)
    for key in ("from", "to"):
        if key not in table.values:
            whose = "servers" if key == "from" else "users"
            table.error(key, f'is missing; name the node of the {whose}, such as {key} = "S"')
    if kind is None or users is None or not {"from", "to"} <= table.values.keys():
        return
    times = {key: table.values[key] for key in ("start", "stop") if key in table.values}
    for name, part in PARTS.items():
        own = _own_keys(table, name, part, size_of(kind, name, users))
        if own is None or own.get(part.counted) == 0:
            continue
        up_only = own.pop("up", {})
        for group, fixed, upwards in part.groups(name):
            ends = ("to", "from") if upwards else ("from", "to")
            nodes = {"from": table.values[ends[0]], "to": table.values[ends[1]]}
            yield group, name, {**fixed, **nodes, **times, **own, **(up_only if upwards else {})}


def _own_keys(table: Table, name: str, part: Part, size: int) -> dict[str, Any] | None:
    """The keys that a workload gives a part: its number of flows and others; None after an error."""
    value = table.values.get(name, {})
    if isinstance(value, int) and not isinstance(value, bool):
        return {part.counted: value}
    if not isinstance(value, Mapping):
        table.error(name, "must be a number of flows, or a table of keys such as { count = 5, dscp = 0 }")
        return None
    if not isinstance(up := value.get("up", {}), Mapping) or ("up" in value and None in (part.up, part.down)):
        told = f"must be a table of keys, not {kind_of(up)}" if part.up else "is no direction of this part"
        Table(table.errors, table.at(name), value).error("up", told)
        return None
    return {part.counted: size, **value}
