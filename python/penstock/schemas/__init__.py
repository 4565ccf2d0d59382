"""JSON schemas (draft 2020-12) of everything that the command line writes with `--json`.

`VERB.json` describes the output of a verb, `common.json` has the definitions that several verbs share. The metrics and
the keys of traffic come from their catalogs. Keys that penstock chooses are closed (`additionalProperties` is false);
open are parameters of schemes, because an AQM in Python has its own, and the columns of an SQL query.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from typing import Any

from penstock.errors import UnknownNameError
from penstock.explain.metric import UNITS
from penstock.results.distribution import is_distribution
from penstock.results.metrics import BY_CODEPOINT, METRICS, Metric, find_metric
from penstock.scenario.scenario import TRAFFIC

__all__ = ["VERBS", "json_schema"]

Json = dict[str, Any]

VERBS = (
    "run", "compare", "evaluate", "tune", "fit", "challenge", "link", "live", "check", "explain", "convert", "results",
    "reproduce", "doctor", "new",
)  # fmt: skip
"""The verbs in the order of `penstock --help`; each has `--json`."""

DRAFT = "https://json-schema.org/draft/2020-12/schema"

BOTH_PLACES = ("Loss", "Fairness", "Distributions")
"""Groups of metrics that links and traffic have."""


def json_schema(verb: str) -> Json:
    """The JSON schema of the output of a verb with `--json`, as plain values and complete in itself.

    Numbers that are metrics have `unit`, `title`, `description` and their range. Raises `UnknownNameError`.

    >>> json_schema("compare")["$defs"]["row"]["required"][:4]
    ['scheme', 'params', 'vary', 'place']
    """
    if verb not in VERBS:
        raise UnknownNameError("verb", verb, VERBS)
    document = _file(verb)
    definitions = {
        **_file("common")["$defs"],
        **_metric_definitions(),
        "traffic": _traffic(),
        **document.pop("$defs", {}),
    }
    used = _used(document, definitions)
    return {"$schema": DRAFT, **document, **({"$defs": used} if used else {})}


def _file(name: str) -> Json:
    content: Json = json.loads(files(__name__).joinpath(f"{name}.json").read_text(encoding="utf-8"))
    return content


def _used(document: Json, definitions: Mapping[str, Json]) -> Json:
    """The definitions to which a schema refers, directly or through others, in the order of `known`."""
    used: set[str] = set()
    waiting = list(_references(document))
    while waiting:
        if (name := waiting.pop()) not in used:
            used.add(name)
            waiting += _references(definitions[name])
    return {name: definition for name, definition in definitions.items() if name in used}


def _references(value: Any) -> Iterator[str]:
    """The names of the definitions in `$ref`."""
    if isinstance(value, dict):
        if isinstance(reference := value.get("$ref"), str):
            yield reference.removeprefix("#/$defs/")
        value = value.values()
    elif not isinstance(value, list):
        return
    for part in value:
        yield from _references(part)


def _metric_definitions() -> Json:
    """The metrics of a link, of a group of flows with its flows, and of a codepoint."""
    link = [entry for entry in METRICS if entry.group != "Flows"]
    traffic = [entry for entry in METRICS if entry.group in ("Flows", *BOTH_PLACES)]
    coded = {f"^dscp_[a-z0-9]+_{name}$": _metric(find_metric(name)) for name in BY_CODEPOINT}
    shares = {"^(sampled_)?share_[0-9]+_[0-9]+$": _metric(find_metric("share_0_1"))}
    classes = {
        "^completed_[0-9]+_([0-9]+|inf)$": _metric(find_metric("completed")),
        "^completion_(mean|p50|p95|p99)_[0-9]+_([0-9]+|inf)_s$": _metric(find_metric("completion_mean_s")),
    }
    flow = {**_metrics(traffic), "completion_s": _metric(find_metric("completion_s"))}
    flows = {"type": "array", "description": "Each flow.", "items": _closed(flow)}
    return {
        "link_metrics": _closed(_metrics(link), coded | shares),
        "traffic_metrics": _closed({**_metrics(traffic), "flows": flows}, classes),
        "codepoint_metrics": _closed(_metrics(traffic)),
    }


def _closed(properties: Json, patterns: Json | None = None) -> Json:
    """An object with these keys, any of which may be absent, and no others."""
    more = {"patternProperties": patterns} if patterns else {}
    return {"type": "object", "properties": properties, **more, "additionalProperties": False}


def _metrics(entries: Iterable[Metric]) -> Json:
    return {entry.name: _metric(entry) for entry in entries}


def _metric(entry: Metric) -> Json:
    low, high = entry.range
    bounds = {key: end for key, end in (("minimum", low), ("maximum", high)) if abs(end) != float("inf")}
    number = {"type": "integer" if entry.quantity == "count" else "number", **bounds}
    about = {"title": entry.title, "description": entry.doc, "unit": UNITS[entry.quantity]}
    return {**about, "type": "array", "items": number} if is_distribution(entry.name) else {**about, **number}


def _traffic() -> Json:
    """A group of flows of a resolved scenario: the keys of all kinds of traffic."""
    keys = {field.name.rstrip("_") for kind in TRAFFIC.values() for field in dataclasses.fields(kind)}
    properties = {"kind": {"enum": list(TRAFFIC)}, **dict.fromkeys(sorted(keys), True)}
    return {
        "type": "object",
        "description": "A group of flows; traffic.NAME of a scenario file.",
        "properties": properties,
        "required": ["kind"],
        "additionalProperties": False,
    }
