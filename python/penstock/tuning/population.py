"""A population of networks around a scenario, whose link and load are only estimates."""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from penstock.errors import ErrorCollector, PenstockError, ScenarioError
from penstock.scenario.document import Document
from penstock.scenario.resolve import Resolved
from penstock.scenario.resolve.workloads import expand_workloads
from penstock.scenario.workloads import PARTS
from penstock.tuning.scaling import scaled_scenario

__all__ = ["MIX", "SPREAD", "NetworkDraw", "Population", "tuned_places"]

SPREAD: Mapping[str, float] = {"rate_factor": 1.25, "flows_factor": 2.0, "rtt_factor": 2.0}
"""Largest factors by which a draw scales rate, flows and round trip up or down; the factors are log-uniform.

Own decision: an access rate is known to within 25 %, the number of users and the distance of their servers to within a
factor of two."""

MIX: Mapping[str, float] = {"cubic": 0.56, "bbr": 0.34, "prague": 0.10}
"""Probabilities of the congestion controls of a group of TCP flows for which the scenario names none.

CUBIC to BBR is 36 to 22, their shares of the 20,000 most popular websites in A. Mishra et al., The Great Internet TCP
Congestion Control Census, Proc. ACM Meas. Anal. Comput. Syst. 3(3), 2019. No census reports Prague: its share of 0.1
is an own decision, so that 20 networks contain each group about twice with senders of L4S (RFC 9330)."""


@dataclass(frozen=True)
class NetworkDraw:
    """A network of the population.

    Attributes:
        number: index of the draw; 0 is the unchanged scenario.
        seed: seed of its run.
        rate_factor, flows_factor, rtt_factor: factors relative to the scenario.
        flavours: by group of TCP flows for which the scenario names no congestion control, the drawn one.

    """

    number: int
    seed: int
    rate_factor: float = 1.0
    flows_factor: float = 1.0
    rtt_factor: float = 1.0
    flavours: Mapping[str, str] = field(default_factory=dict)

    @property
    def labels(self) -> dict[str, float]:
        """The labels of its runs in a table."""
        return {
            "draw": self.number,
            "rate_factor": self.rate_factor,
            "flows_factor": self.flows_factor,
            "rtt_factor": self.rtt_factor,
        }

    @property
    def text(self) -> str:
        """The factors, and the congestion controls other than CUBIC, in words."""
        factors = f"rate × {self.rate_factor:.2g}, flows × {self.flows_factor:.2g}, round trip × {self.rtt_factor:.2g}"
        others = [f"{group}: {flavour}" for group, flavour in self.flavours.items() if flavour != "cubic"]
        return ", ".join([factors, *others])


class Population:
    """Networks around a scenario, each with its own seed.

    The same number gives the same network; `places` are the tuned link directions.
    """

    def __init__(self, document: Document, places: Sequence[str], seed: int) -> None:
        self.document, self.places, self.seed = document, tuple(places), seed
        self._groups = _free_groups(document)

    def draw(self, number: int) -> NetworkDraw:
        """The network with this number."""
        seed = self.seed + number
        if number == 0:
            return NetworkDraw(0, seed)
        random = np.random.default_rng([zlib.crc32(b"population"), self.seed, number])
        factors = {name: math.exp(random.uniform(-1, 1) * math.log(most)) for name, most in SPREAD.items()}
        flavours = {name: str(random.choice([*MIX], p=[*MIX.values()])) for name in self._groups}
        return NetworkDraw(number, seed, **factors, flavours=flavours)

    def network_document(self, draw: NetworkDraw) -> Document:
        """The scenario of a network."""
        return self._document(draw.rate_factor, draw.flows_factor, draw.rtt_factor, tuple(draw.flavours.items()))

    @lru_cache(maxsize=256)  # noqa: B019 the cache may keep the population alive: it lives as long as its bench
    def _document(self, rate: float, flows: float, rtt: float, flavours: tuple[tuple[str, str], ...]) -> Document:
        document = scaled_scenario(self.document, self.places[0], rate=rate, flows=flows, rtt=rtt)
        for group, flavour in flavours:
            document = _with_flavour(document, self._groups[group], flavour)
        return document


def tuned_places(resolved: Resolved) -> list[str]:
    """The directions that are tuned by default: the first watched one and, if it is watched too, its other direction.

    Raises `PenstockError` if no link is watched.
    """
    if not resolved.watched:
        raise PenstockError(
            "no link is watched: name the bottleneck with --at LINK (at in Python), or set watch = true in its table"
        )
    first = resolved.watched[0]
    name = first.removesuffix(".reverse")
    other = name if first != name else f"{name}.reverse"
    return [first, *([other] if other in resolved.watched else [])]


def _free_groups(document: Document) -> dict[str, str]:
    """By group of TCP flows whose congestion control is drawn, the path of its table in the scenario.

    The scenario names no congestion control for them, they have those of Linux, and all of `MIX` accept their keys.
    """
    written = expand_workloads(document.tree, ErrorCollector(document.origins)).written
    groups = {}
    for entry in document.resolve().canonical["traffic"]:
        path = written.get(f"traffic.{entry['name']}", f"traffic.{entry['name']}")
        tcp, table = entry.get("tcp", {}), _table(document, path)
        is_named = isinstance(table, Mapping) and "flavour" in {**table, **table.get("up", {})}
        is_default = (tcp.get("profile"), tcp.get("flavour")) == ("linux", "cubic")
        if is_default and not is_named and all(_accepts(document, path, flavour) for flavour in MIX):
            groups[entry["name"]] = path
    return groups


def _accepts(document: Document, path: str, flavour: str) -> bool:
    """Whether the traffic may have this congestion control; Prague, for example, excludes `ecn = false`."""
    try:
        _with_flavour(document, path, flavour).resolve()
    except ScenarioError:
        return False
    return True


def _with_flavour(document: Document, path: str, flavour: str) -> Document:
    """The scenario with a congestion control for the traffic at this path, which may be the part of a workload."""
    table = _table(document, path)
    if isinstance(table, int):
        document = document.set(path, {PARTS[path.rpartition(".")[2]].count_key: table}, "tune")
    return document.set(f"{path}.flavour", flavour, "tune")


def _table(document: Document, path: str) -> Any:
    """The table, or the number of flows of a part of a workload, at this path; empty where there is none."""
    kind, name, *part = path.split(".")
    table = document.tree[kind][name]
    return table.get(part[0], {}) if part else table
