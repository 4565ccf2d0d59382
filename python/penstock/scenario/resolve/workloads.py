"""Writes the parts of named workloads as plain tables of traffic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from penstock.errors import ErrorCollector, ErrorDetail, toml_type_name
from penstock.scenario.resolve.reader import REQUIRED, Table, choice_parser, named_tables, whole_number_parser
from penstock.scenario.workloads import KINDS, PARTS, WorkloadPart, default_flow_count

__all__ = ["ExpandedScenario", "expand_workloads"]

MAX_USERS = 1_000_000
MAX_HOUSEHOLDS = 10_000
OWN = ("kind", "count", "users", "from", "to", "start", "stop")


@dataclass(frozen=True)
class ExpandedScenario:
    """A scenario without workloads.

    Attributes: tree: the scenario with their parts as traffic. written: the table in the file by the path of the
        traffic that was made of it.

    """

    tree: Mapping[str, Any]
    written: Mapping[str, str]

    def errors(self, errors: ErrorCollector) -> tuple[ErrorDetail, ...]:
        """The errors, each once; errors of traffic that comes from a workload have the workload's path in the file."""
        return tuple(dict.fromkeys(self._in_file(error, errors) for error in errors.details))

    def _in_file(self, error: ErrorDetail, errors: ErrorCollector) -> ErrorDetail:
        table = ".".join(error.path.split(".")[:2])
        if table not in self.written:
            return error
        path = self.written[table] + error.path[len(table) :]
        return replace(error, path=path, origin=errors.origin(path))


def expand_workloads(tree: Mapping[str, Any], errors: ErrorCollector) -> ExpandedScenario:
    """The tree with each part of its workloads as the traffic `WORKLOAD-PART`; other branches are shared."""
    if "workloads" not in tree:
        return ExpandedScenario(tree, {})
    workloads, traffic = tree["workloads"], tree.get("traffic", {})
    groups: dict[str, dict[str, Any]] = {}
    written: dict[str, str] = {}
    for name, table in named_tables(errors, "workloads", workloads, "a workload"):
        for group, part, group_table in _groups(table):
            loads = [f"{name}-{load}" for load in PARTS[part].loads]
            groups[f"{name}-{group}"] = {**({"rpm_of": loads} if loads else {}), **group_table}
            written[f"traffic.{name}-{group}"] = f"workloads.{name}.{part}"
    rest = {key: value for key, value in tree.items() if key != "workloads"}
    if not isinstance(traffic, Mapping):
        return ExpandedScenario(rest, written)
    for group in sorted(groups.keys() & traffic.keys()):
        errors.add(written[f"traffic.{group}"], f"makes traffic.{group}, which is also in the file; rename one of them")
    return ExpandedScenario(rest | {"traffic": {**traffic, **groups}}, written)


def _groups(table: Table) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The groups of a workload: the end of the name, the part, and the table of traffic."""
    table.check_keys([*OWN, *PARTS])
    kind = KINDS.get(
        table.parse_key("kind", choice_parser(*KINDS), REQUIRED, advice=f"one of {', '.join(KINDS)}") or ""
    )
    users = table.parse_key("users", whole_number_parser(0, MAX_USERS), kind.default_users if kind else 0)
    for key in ("from", "to"):
        if key not in table.values:
            whose = "servers" if key == "from" else "users"
            table.add_error(key, f'is missing; name the node of the {whose}, such as {key} = "S"')
    if kind is None or users is None or not {"from", "to"} <= table.values.keys():
        return
    times = {key: table.values[key] for key in ("start", "stop") if key in table.values}
    count = _count(table)
    for name, part in PARTS.items():
        own = _own_keys(table, name, part, default_flow_count(kind, name, users))
        if own is None or own.get(part.count_key) == 0:
            continue
        up_only = own.pop("up", {})
        if count is not None:
            if part.count_key == "senders":
                table.add_error(
                    "count", f"is not possible with {name}, whose servers all answer one user: set {name} = 0"
                )
                continue
            own = _of_each(own, part, count)
        for group, fixed, upwards in part.groups(name):
            ends = ("to", "from") if upwards else ("from", "to")
            nodes = {"from": _places(table, ends[0], count), "to": _places(table, ends[1], count)}
            yield group, name, {**fixed, **nodes, **times, **own, **(up_only if upwards else {})}


def _count(table: Table) -> int | None:
    """The number of households; None for a workload without this key, or after an error."""
    if "count" not in table.values:
        return None
    count: int | None = table.parse_key("count", whole_number_parser(1, MAX_HOUSEHOLDS))
    if not (isinstance(table.values["to"], str) and "{i}" in table.values["to"]):
        table.add_error("to", 'must have {i} in its name, such as to = "H{i}": with count, each copy has its own node')
        return None
    return count


def _of_each(own: dict[str, Any], part: WorkloadPart, count: int) -> dict[str, Any]:
    """The keys of a part with the flows of all households; values other than numbers are passed on unchanged."""
    flows = own.get(part.count_key)
    is_number = isinstance(flows, int) and not isinstance(flows, bool)
    return own | {part.count_key: flows * count} if is_number and flows is not None else own


def _places(table: Table, key: str, count: int | None) -> Any:
    """The nodes under a key: with {i}, one for each household, so that flow k belongs to household k modulo `count`."""
    nodes = table.values[key]
    if count is None or not isinstance(nodes, str) or "{i}" not in nodes:
        return nodes
    return [nodes.replace("{i}", str(i)) for i in range(count)]


def _own_keys(table: Table, name: str, part: WorkloadPart, size: int) -> dict[str, Any] | None:
    """The keys that a workload gives a part: its number of flows and others; None after an error."""
    value = table.values.get(name, {})
    if isinstance(value, int) and not isinstance(value, bool):
        return {part.count_key: value}
    if not isinstance(value, Mapping):
        table.add_error(name, "must be a number of flows, or a table of keys such as { count = 5, dscp = 0 }")
        return None
    if not isinstance(up := value.get("up", {}), Mapping) or (
        "up" in value and None in (part.upstream_table, part.downstream_table)
    ):
        message = (
            f"must be a table of keys, not {toml_type_name(up)}"
            if part.upstream_table
            else "is no direction of this part"
        )
        Table(table.errors, table.key_path(name), value).add_error("up", message)
        return None
    return {part.count_key: size, **value}
