"""The data of a page of the live bench: the resolved scenario, its panes, and the parameters of all schemes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from penstock import _native
from penstock.aqms.catalog import Param, Scheme, find_scheme, schemes
from penstock.engine.warmup import with_warmup_seconds
from penstock.errors import ErrorDetail, OptionOrigin, PenstockError, ScenarioError, did_you_mean
from penstock.scenario.document import Document
from penstock.scenario.resolve import Resolved
from penstock.studies.candidate import Candidate
from penstock.studies.plan import with_candidate_queue, with_default_watches

__all__ = ["DEFAULT", "DEFAULT_SCHEMES", "MAX_PANES", "live_page_data"]

DEFAULT: Final = Path(__file__).parent / "default.toml"
"""The scenario of a page without one: RED swings, and PI damps it."""

DEFAULT_SCHEMES: Final = ("pi:target=100p,a=0.0003,b=0.0002985",)
"""The default schemes next to the scenario's own queue."""

MAX_PANES: Final = 4
_DURATION_NS: Final = 10**15
"""A page runs until it is closed: 11 days of simulated time."""


def live_page_data(document: Document, scheme_texts: Sequence[str], at: str | None) -> dict[str, Any]:
    """The content of a page: the scenario with its own queue in the first pane, `scheme_texts` in the others.

    `at` names the link that is watched; by default it is the first watched one. Raises `PenstockError`.
    """
    tree, document = document.tree, with_warmup_seconds(document, 0.0)  # a page has no warm-up
    resolved = document.resolve()
    place = _place(document, resolved, at)
    # The link that is shown is watched, and so has a buffer.
    watched = (
        with_default_watches(document, resolved).set(f"links.{place}.watch", True, OptionOrigin("--at", "at")).resolve()
    )
    scenario = _endless(json.loads(watched.for_engine(flows=False, series=False)), place)
    link = next(number for number, link in enumerate(scenario["links"]) if link["name"] == place)
    texts = list(scheme_texts) or [_other(scenario["links"][link])]
    if len(texts) >= MAX_PANES:
        raise PenstockError(
            f"--scheme: {len(texts)} are too many: there is room for {MAX_PANES - 1} beside the scenario's own"
        )
    queues = [scenario["links"][link]["queue"], *(_queue(document, place, text) for text in texts)]
    return {
        "version": _native.version,
        "name": resolved.readable.get("name") or "live bench",
        "seed": resolved.readable["seed"],
        "scenario": scenario,
        "document": tree,
        "place": place,
        "link": link,
        "panes": queues,
        "groups": [
            {"number": number, "name": group["name"], "count": group["count"]}
            for number, group in sorted(enumerate(scenario["traffic"]), key=lambda item: -item[1]["count"])
            if group["kind"] == "tcp" and group["count"] and not group.get("transfers")
        ],
        "schemes": [_scheme(scheme) for scheme in schemes() if _is_playable(scheme)],
    }


def _place(document: Document, resolved: Resolved, at: str | None) -> str:
    """The link to watch. The file must name it (it must not be a copy), and a page must be able to set its queue."""
    links = json.loads(resolved.for_engine(flows=False, series=False))["links"]
    own = [link for link in links if link["name"] in document.tree["links"]]
    names = [link["name"] for link in own]
    if not names:
        raise PenstockError("live: all links of the scenario are copies; a page watches a link of its own")
    if at is not None and at not in names:
        message = f'no link "{at}"{did_you_mean(at, names)}; available: {", ".join(names)}'
        raise ScenarioError([ErrorDetail("", message, None, OptionOrigin("--at", "at"))])
    watched = [link["name"] for link in own if link["watch"]] + [link["name"] for link in own if link["queue"]]
    return at or next(iter(watched), names[0])


def _endless(scenario: dict[str, Any], place: str) -> dict[str, Any]:
    """The scenario without an end, with statistics from its start, watched only at `place`."""
    for group in scenario["traffic"]:
        if group.get("replay"):
            raise PenstockError(f"traffic.{group['name']}: recorded packets cannot be replayed in a page")
        if (group.get("stop_ns") or 0) >= scenario["duration_ns"]:
            group["stop_ns"] = None
    for link in scenario["links"]:
        link["watch"] = link["name"] == place
        if link["queue"] and link["queue"]["scheme"] not in _registered():
            raise PenstockError(f"links.{link['name']}.queue: an AQM in Python cannot run in a page")
    return {**scenario, "duration_ns": _DURATION_NS, "warmup_ns": 0}


def _other(link: Mapping[str, Any]) -> str:
    """A scheme to show next to the scheme of this link."""
    return "codel" if link["queue"]["scheme"] != "codel" else "droptail"


def _queue(document: Document, place: str, text: str) -> Any:
    """The canonical queue of a scheme given as text, with the limit of the scenario's own."""
    candidate = Candidate.parse(text)
    if not _is_playable(find_scheme(candidate.name)):
        message = "cannot run on a page: it has parameters without a default, or is written in Python"
        origin = OptionOrigin.with_value("--scheme", "schemes", candidate.name)
        raise ScenarioError([ErrorDetail("", message, None, origin)])
    changed = with_candidate_queue(document, candidate, (place,))
    links = json.loads(changed.resolve().for_engine(flows=False, series=False))["links"]
    return next(link["queue"] for link in links if link["name"] == place)


def _is_playable(scheme: Scheme) -> bool:
    """Whether a page can set all parameters that the scheme needs."""
    return scheme.name in _registered() and not any(param.required for param in scheme.params)


@cache
def _registered() -> frozenset[str]:
    """The schemes of the engine, without AQMs in Python."""
    return frozenset(entry["name"] for entry in json.loads(_native.schemes()))


def _scheme(scheme: Scheme) -> dict[str, Any]:
    return {
        "name": scheme.name,
        "title": scheme.title,
        "family": scheme.family,
        "params": [_param(param) for param in scheme.params if param.kind != "limit"],
    }


def _param(param: Param) -> dict[str, Any]:
    return {
        "name": param.name,
        "doc": param.doc,
        "unit": param.unit,
        "kind": param.kind,
        "default": param.default,
        "choices": param.choices,
        "words": param.words,
        "range": param.range,
        "required": param.required,
    }
