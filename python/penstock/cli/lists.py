"""The lists of `penstock explain`: schemes, conditioners, transports, traffic, workloads, metrics, papers, json."""

from __future__ import annotations

import dataclasses
import json
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from penstock import _native
from penstock.aqms.catalog import LIMIT, tcp_keys
from penstock.explain.transport import TRANSPORTS
from penstock.results.metrics import METRICS
from penstock.scenario.resolve.settings import readable_default
from penstock.scenario.workloads import KINDS, PARTS, default_flow_count
from penstock.schemas import VERBS, json_schema

Entry = Mapping[str, Any]


ONE_OR_ALL = "penstock explain NAME describes one of them; --json FILE writes everything"


@dataclass(frozen=True)
class Listing:
    """One list of `explain`: a function for its entries as plain values, and one for their text."""

    entries: Callable[[], list[dict[str, Any]]]
    text: Callable[[Sequence[Entry]], str]


def _schemes() -> list[dict[str, Any]]:
    limit = {**dataclasses.asdict(LIMIT), "choices": [], "words": ["inf"]}
    limit.pop("defaults")
    entries = json.loads(_native.schemes())
    return [{**entry, "params": [limit, *entry["params"]]} for entry in entries]


def _schemes_text(entries: Sequence[Entry]) -> str:
    """One line per scheme, by family; `explain` and the JSON have the parameters."""
    parts = []
    for family in dict.fromkeys(entry["family"] for entry in entries):
        parts.append(f"{family}:")
        parts += [_line(entry, ", ECN" if entry["ecn"] else "") for entry in entries if entry["family"] == family]
        parts.append("")
    return "\n".join([*parts, ONE_OR_ALL, ""])


def _line(entry: Entry, more: str = "") -> str:
    also = f"; alias {', '.join(entry['aliases'])}" if entry["aliases"] else ""
    return f"  {entry['name']:18} {entry['title'].rstrip('.')}{more}{also}"


def _conditioners() -> list[dict[str, Any]]:
    limit = {**dataclasses.asdict(LIMIT), "doc": "Maximum backlog.", "choices": [], "words": ["inf"]}
    limit.pop("defaults")
    entries = json.loads(_native.conditioners())
    return [{**entry, "params": [limit, *entry["params"]]} if entry["holds"] else entry for entry in entries]


def _conditioners_text(entries: Sequence[Entry]) -> str:
    return "\n".join([*map(_line, entries), "", ONE_OR_ALL, ""])


def _transports() -> list[dict[str, Any]]:
    keys: dict[str, Any] = json.loads(_native.tcp())
    described = [dataclasses.asdict(TRANSPORTS[flavour]) for flavour in keys["flavours"]]
    return [
        {"flavours": keys["flavours"], "profiles": keys["profiles"], "params": keys["params"], "transports": described}
    ]


def _transports_text(entries: Sequence[Entry]) -> str:
    keys = tcp_keys()
    lines = [f"{entry.name:18} {entry.title}" for entry in TRANSPORTS.values()]
    lines += ["", f"profiles: {', '.join(keys.profiles)}", "", "keys:"]
    for param in keys.params:
        defaults = {profile: readable_default(param.with_profile_default(profile)) for profile in keys.profiles}
        alike = len(set(map(str, defaults.values()))) == 1
        default = (
            next(iter(defaults.values())) if alike else ", ".join(f"{name} {value}" for name, value in defaults.items())
        )
        lines.append(_wrapped(f"{param.name} = {'absent' if default is None else default}. {param.doc}", 0))
    return "\n".join([*lines, "", "penstock explain NAME describes a transport", ""])


_TRAFFIC = (
    ("tcp", "TCP flows: endless, of one size (packets or bytes), or arriving at random with drawn sizes (arrivals or "
     "load); keys: penstock explain transports"),
    ("cbr", "UDP at a constant rate; keys: rate, packet, headers, phase, jitter"),
    ("poisson", "UDP with exponential gaps; keys: rate, packet, headers"),
    ("onoff", "on and off periods: TCP transfers, each on a new connection, or UDP bursts; keys: on, off, over"),
    ("web", "web sessions: pages of objects, each on a TCP connection; keys: sessions, pages, objects, gap, size, "
     "option"),
    ("fec", "forward error correction: blocks of k data and h redundant packets; keys: k, h, rate, packet, headers, "
     "spacing"),
    ("incast", "rounds in which all senders answer together, each on a connection; keys: senders, packets or bytes, "
     "pause or every"),
    ("video", "video frames of types I, P and B; keys: rate, fps, gop, sizes, variation, packet, adu, dependence"),
    ("replay", "the packets of a pcap or pcapng file; keys: file, headers"),
)  # fmt: skip


def _traffic() -> list[dict[str, Any]]:
    return [{"name": name, "doc": doc} for name, doc in _TRAFFIC]


def _traffic_text(entries: Sequence[Entry]) -> str:
    return "".join(f"{entry['name']:10} {entry['doc']}\n" for entry in entries)


def _workloads() -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "doc": kind.doc,
            "users": kind.default_users,
            "parts": [
                {
                    "name": part,
                    "flows": default_flow_count(kind, part, kind.default_users),
                    "doc": entry.doc,
                    "source": entry.source,
                }
                for part, entry in PARTS.items()
                if part in kind.parts
            ],
        }
        for name, kind in KINDS.items()
    ]


def _workloads_text(entries: Sequence[Entry]) -> str:
    lines = []
    for entry in entries:
        parts = ", ".join(f"{part['name']} {part['flows']}" for part in entry["parts"])
        lines += [f"{entry['name']:14} {entry['doc']}.", f"{'':14} {entry['users']} users: {parts}"]
    lines += ["", "parts:", *(_wrapped(f"{name}: {part.doc}. {part.source}.", 2) for name, part in PARTS.items())]
    return "\n".join([*lines, ""])


def _metrics() -> list[dict[str, Any]]:
    return [dataclasses.asdict(entry) for entry in METRICS]


def _metrics_text(entries: Sequence[Entry]) -> str:
    lines = [f"{entry['name']:28} {entry['doc']}" for entry in entries]
    return "\n".join([*lines, "", "penstock explain NAME shows unit and range of a metric", ""])


def _papers() -> list[dict[str, Any]]:
    from penstock.reproduce.paper import included_papers

    return [
        {
            "name": paper.name,
            "alias": paper.alias,
            **{key: paper.metadata[key] for key in ("authors", "title", "venue", "year")},
            "experiments": [{"id": item.id, "title": item.title} for item in paper.experiments],
        }
        for paper in included_papers()
    ]


def _papers_text(entries: Sequence[Entry]) -> str:
    lines = [
        f"{entry['name']} ({entry['alias']}): {entry['authors']}, {entry['title']}, {entry['year']}; "
        f"{len(entry['experiments'])} experiments"
        for entry in entries
    ]
    return "\n".join([*lines, "", "penstock reproduce NAME --list lists the experiments of a paper", ""])


def _json() -> list[dict[str, Any]]:
    schemas = {verb: json_schema(verb) for verb in VERBS}
    return [{"name": verb, "doc": schema["description"], "schema": schema} for verb, schema in schemas.items()]


def _json_text(entries: Sequence[Entry]) -> str:
    lines = [f"{entry['name']:14} {entry['doc']}" for entry in entries]
    return "\n".join([*lines, "", "penstock explain json/VERB prints the JSON schema of penstock VERB --json", ""])


LISTS: Mapping[str, Listing] = {
    "schemes": Listing(_schemes, _schemes_text),
    "conditioners": Listing(_conditioners, _conditioners_text),
    "transports": Listing(_transports, _transports_text),
    "traffic": Listing(_traffic, _traffic_text),
    "workloads": Listing(_workloads, _workloads_text),
    "metrics": Listing(_metrics, _metrics_text),
    "papers": Listing(_papers, _papers_text),
    "json": Listing(_json, _json_text),
}


def _wrapped(text: str, indent: int) -> str:
    space = " " * indent
    return textwrap.fill(text, 110, initial_indent=space, subsequent_indent=f"{space}    ")
