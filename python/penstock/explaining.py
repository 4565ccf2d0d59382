"""What `penstock explain` needs besides the text: a scheme's settings on a link, and its picture."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock import _native
from penstock.catalog import find_scheme
from penstock.contenders import Contender
from penstock.faults import Fault, Faults, PenstockError, ScenarioError
from penstock.resolve.queues import QueueSpec, read_queue
from penstock.resolve.reader import Table
from penstock.resolve.settings import Surroundings
from penstock.units import UnitError, format_length, format_rate, format_time, parse_length, parse_rate, parse_time

POINTS = 401


@dataclass(frozen=True)
class Explanation:
    """A scheme with its settings on a link."""

    contender: Contender
    queue: QueueSpec
    link: dict[str, Any]
    words: str

    def curve(self) -> tuple[list[float], list[float]] | None:
        """Average queue in packets up to the limit, and the drop probability at each; None without such a function."""
        top = _packets(self.queue.canonical["limit"])
        xs = [top * i / (POINTS - 1) for i in range(POINTS)]
        settings = json.dumps(self.queue.canonical["params"])
        try:
            ys = _native.drop_function(self.contender.name, settings, json.dumps(self.link), xs)
        except ValueError as error:
            faults = [Fault(fault["path"], fault["message"]) for fault in json.loads(str(error))]
            raise ScenarioError(faults) from None
        return None if ys is None else (xs, ys)

    def text(self, width: int) -> str:
        """The whole explanation."""
        from penstock.explain import explain

        entry = next(entry for entry in json.loads(_native.schemes()) if entry["name"] == self.contender.name)
        curve = self.curve()
        text = explain(entry, curve, width)
        return f"{text}\n{self.words}\n" if curve else text

    def draw(self, file: Path) -> None:
        """Write the picture."""
        from penstock.plots import drop_function, style

        curve = self.curve()
        if curve is None:
            raise PenstockError(f"{self.contender.name} has no drop function to draw")
        params = self.queue.canonical["params"]
        thresholds = {
            name: _packets(params[name]) for name in ("min_th", "max_th") if isinstance(params.get(name), dict)
        }
        try:
            style.save(drop_function.draw({self.contender.label: curve}, thresholds), file)
        except ValueError as error:
            raise PenstockError(str(error)) from None


def prepare(scheme: str, link: str, rtt: str, flows: str | None, limit: str) -> Explanation:
    """Read the options of `explain`. Raises `PenstockError` with everything that is wrong."""
    contender = Contender.parse(scheme)
    faults = Faults()
    rate = _read(faults, "--link", link, parse_rate)
    trip = _read(faults, "--rtt", rtt, parse_time)
    count = _read(faults, "--flows", flows, _flows) if flows is not None else None
    if faults.found:
        raise ScenarioError(faults.found)
    # "auto" settings and BDP need what a scenario would tell; required settings get an example's value.
    info = find_scheme(contender.name)
    examples = {param.name: info.example(param) for param in info.params if param.required}
    faults = Faults({"": contender.origin})
    table = {"scheme": contender.name, "limit": limit, **examples, **contender.params}
    queue = read_queue(Table(faults, "", table), Surroundings(rate, None, lambda: trip))
    if faults.found or queue is None:
        raise ScenarioError(faults.found)
    about = {"rate": rate, "limit": queue.canonical["limit"], "rtt_ns": trip, "flows": count}
    shown = format_length(parse_length(queue.shown["limit"])) if queue.shown["limit"] != "inf" else "inf"
    words = f"Drawn for a link of {format_rate(rate)} with a round trip of {format_time(trip)} and a limit of {shown}."
    return Explanation(contender, queue, about, words)


def _read(faults: Faults, option: str, text: str, parse: Any) -> Any:
    try:
        return parse(text)
    except UnitError as error:
        faults.add(option, str(error), text)
        return None


def _flows(text: str) -> int:
    """The number of flows; of a range A..B its geometric middle, for which a rule of thumb is least wrong."""
    found = re.fullmatch(r"(\d+)(?:\.\.(\d+))?", text)
    if not found or not 0 < int(found[1]) <= int(found[2] or found[1]):
        raise UnitError("write a number of flows such as 50, or a range such as 50..400")
    low, high = int(found[1]), int(found[2] or found[1])
    return round(math.sqrt(low * high))


def _packets(length: Any) -> float:
    """A canonical length in packets of 1000 bytes; 100 for no limit."""
    if length == "inf":
        return 100.0
    return float(length["packets"]) if "packets" in length else length["bytes"] / 1000
