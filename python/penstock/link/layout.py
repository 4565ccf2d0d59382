"""The layout of a real link: the scenario with the queue under test, and the two nodes that hosts replace."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from penstock.errors import ErrorDetail, PenstockError, ScenarioError, did_you_mean
from penstock.link.traffic import CONTROLS, KERNEL_NAMES
from penstock.scenario.document import Document
from penstock.scenario.resolve import Resolved
from penstock.studies.candidate import Candidate
from penstock.studies.plan import with_candidate_queue

__all__ = ["LinkLayout"]


@dataclass(frozen=True)
class LinkLayout:
    """A scenario whose links are to carry real packets between two hosts.

    Attributes:
        document: the scenario, with both directions of `link` watched.
        resolved: the same in canonical form.
        link: the link under test.
        near_node: node of the host in which the command runs.
        far_node: node of the host at the other end of the route through the link.
        hosts_use_ecn: whether a queue of the scenario marks, so that the hosts should use ECN.
        congestion_control: congestion control of the hosts; None for the kernel's default.

    """

    document: Document
    resolved: Resolved
    link: str
    near_node: str
    far_node: str
    hosts_use_ecn: bool
    congestion_control: str | None

    @classmethod
    def from_document(
        cls, document: Document, at: str | None, scheme: str | None, node: str | None, tcp: str | None = None
    ) -> LinkLayout:
        """Lay out a scenario: `scheme` at link `at`, by default the first watched link; the command in node `node`.

        By default the command runs at the source of the first traffic that crosses the link, else at the link's own
        first node, and the hosts have the congestion control of the first TCP traffic, if the kernel has it. Raises
        `ScenarioError`, also if the kernel lacks `tcp`.
        """
        link = _link(document, at)
        if scheme is not None:
            document = with_candidate_queue(document, Candidate.from_scheme(scheme), [link])
        name = link.removesuffix(".reverse")
        for path in (f"links.{name}.watch", f"links.{name}.reverse.watch"):
            document = document.set(path, True, "link")
        # The traffic of the scenario is not sent, so its warm-up has no meaning here.
        document = document.set("warmup", "0s", "link")
        resolved = document.resolve()
        near, far = _ends(resolved, link, node)
        return cls(document, resolved, link, near, far, _marks(resolved.readable["links"]), _tcp(resolved, tcp))


def _tcp(resolved: Resolved, requested: str | None) -> str | None:
    """The wanted congestion control, or that of the first TCP traffic, if the kernel has it."""
    available = CONTROLS.read_text().split() if CONTROLS.exists() else []
    if requested is not None:
        if requested not in available:
            message = (
                f'the kernel has no "{requested}"{did_you_mean(requested, available)}; it has: {", ".join(available)}'
            )
            raise ScenarioError([ErrorDetail("", message, None, "--tcp")])
        return requested
    flavours = [entry["tcp"]["flavour"] for entry in resolved.canonical["traffic"] if "tcp" in entry]
    name = KERNEL_NAMES.get(flavours[0], flavours[0]) if flavours else None
    return name if name in available else None


def _marks(tables: Any) -> bool:
    """Whether a queue in these tables, or in a class of one, marks packets."""
    if not isinstance(tables, dict):
        return isinstance(tables, list) and any(map(_marks, tables))
    return tables.get("ecn") is True or any(map(_marks, tables.values()))


def _link(document: Document, at: str | None) -> str:
    if at is None:
        watched = document.resolve().watched
        if not watched:
            raise PenstockError("no link is watched: name one with --at LINK, or set watch = true in its table")
        return watched[0]
    links = document.tree.get("links", {})
    if at.removesuffix(".reverse") not in links:
        message = f'no link "{at}"{did_you_mean(at, links)}; available: {", ".join(links)}'
        raise ScenarioError([ErrorDetail("", message, None, "--at")])
    return at


def _ends(resolved: Resolved, link: str, node: str | None) -> tuple[str, str]:
    own = next(entry for entry in resolved.canonical["links"] if entry["name"] == link)
    pairs = [pair for pair in _pairs(resolved) if link in resolved.route(*pair, None)]
    pairs.append((own["from"], own["to"]))
    if node is None:
        return pairs[0]
    nodes = dict.fromkeys(end for entry in resolved.canonical["links"] for end in (entry["from"], entry["to"]))
    if node not in nodes:
        message = f'no node "{node}"{did_you_mean(node, nodes)}; available: {", ".join(nodes)}'
        raise ScenarioError([ErrorDetail("", message, None, "--in")])
    for source, target in pairs:
        if node in (source, target):
            return node, target if node == source else source
    # No traffic begins or ends there: the route leads across the link, to its farther end.
    crosses = node != own["to"] and link in resolved.route(node, own["to"], None)
    return node, own["to"] if crosses else own["from"]


def _pairs(resolved: Resolved) -> Iterator[tuple[str, str]]:
    """Source and destination of all traffic."""
    for entry in resolved.canonical["traffic"]:
        yield from itertools.product(dict.fromkeys(entry["from"]), dict.fromkeys(entry["to"]))
