"""A capture as load of the tuned link, alone or in addition to the scenario's traffic."""

from __future__ import annotations

from pathlib import Path

from penstock.errors import ErrorDetail, OptionOrigin, ScenarioError
from penstock.files import open_regular
from penstock.scenario.document import Document
from penstock.scenario.resolve import resolve
from penstock.tuning.population import tuned_places

__all__ = ["NAME", "with_capture"]

NAME = "capture"
"""The name of the traffic, in aims such as `capture.owd p99 < 50ms`."""


def with_capture(document: Document, file: str | Path, at: str | None) -> Document:
    """The scenario with traffic that replays a capture over the tuned link, in addition to its own traffic.

    From the start of the run, the packets are sent in the direction of the link with their sizes and gaps, regardless
    of loss and delay. `at` is the tuned link, by default the first watched one. Raises `ScenarioError`, and
    `PenstockError` if no link is watched.
    """
    path, origin = Path(file).absolute(), OptionOrigin.with_value("--capture", "capture", str(file))
    try:
        open_regular(path).close()
    except OSError as error:
        raise ScenarioError([ErrorDetail("", f"cannot be read: {error.strerror}", None, origin)]) from None
    if NAME in document.tree.get("traffic", {}):
        raise ScenarioError([ErrorDetail(f"traffic.{NAME}", "already exists in the scenario", None, origin)])
    place = at or tuned_places(resolve(document.tree))[0]
    link = document.tree.get("links", {}).get(place.removesuffix(".reverse"))
    if link is None:
        raise ScenarioError([ErrorDetail("", f'no link "{place}"', None, OptionOrigin.with_value("--at", "at", place))])
    ends = (link.get("to"), link.get("from")) if place.endswith(".reverse") else (link.get("from"), link.get("to"))
    traffic = {"kind": "replay", "file": str(path), "from": ends[0], "to": ends[1]}
    return document.set(f"traffic.{NAME}", traffic, origin)
