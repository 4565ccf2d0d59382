"""A real link: the links of a scenario between devices of network namespaces, in a thread that carries real packets."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from penstock import _native
from penstock._native import Namespace
from penstock.engine.run import engine_errors
from penstock.scenario.document import Document, ScenarioLike, as_document
from penstock.scenario.resolve import Resolved

__all__ = ["LinkEnd", "LinkSession"]

_COLUMNS = {
    "t_ns": np.int64,
    "event": np.uint8,
    "cause": np.uint8,
    "link": np.uint32,
    "flow": np.uint32,
    "seq": np.uint32,
    "size_bytes": np.uint32,
    "ecn": np.uint8,
    "protocol": np.uint8,
}


@dataclass(frozen=True)
class LinkEnd:
    """A host of a real link.

    Attributes:
        node: the node of the scenario whose place it takes.
        namespace: the network namespace in which it lives.
        device: name of the TUN device that is made there.
        is_ethernet: whether the device is an existing Ethernet device, for all ends of the link or for none.

    """

    node: str
    namespace: Namespace
    device: str = "penstock0"
    is_ethernet: bool = False


class LinkSession:
    """The links of a scenario between hosts; real packets cross them from `start` to `stop`.

    Host k of `ends` has the address 10.77.D.k + 1 at its TUN device, where D is `depth`: links inside links need
    different ones. The statistics end with the scenario, unless `endless`; with `trace` every event of a
    packet is recorded. `captures` are pcap files with the numbers of the links whose packets they record until the
    statistics end, at most `snaplen` bytes of each packet. The AQMs draw random numbers by `seed`, as in a simulation.
    A context manager that stops the links.

    Raises `ScenarioError` with every error of the scenario, and `OSError` if a device or a file cannot be made.
    """

    def __init__(
        self,
        scenario: ScenarioLike,
        ends: Sequence[LinkEnd],
        *,
        seed: int = 1,
        endless: bool = False,
        trace: bool = False,
        depth: int = 0,
        captures: Sequence[tuple[Path, list[int]]] = (),
        snaplen: int | None = None,
    ) -> None:
        self.document: Document = as_document(scenario)
        self.resolved: Resolved = self.document.resolve()
        self.addresses = {end.node: f"10.77.{depth}.{k + 1}" for k, end in enumerate(ends) if not end.is_ethernet}
        self._trace: dict[str, bytes] = {}
        self._result: dict[str, Any] | None = None
        hosts = [(end.node, end.namespace, end.device, self.addresses.get(end.node)) for end in ends]
        limits = self.resolved.real
        with engine_errors():
            self._link = _native.RealLink(
                _canonical(self.resolved),
                seed,
                hosts,
                mtu=limits.mtu,
                overhead=limits.overhead,
                memory=limits.memory,
                endless=endless,
                trace=trace,
                captures=list(captures),
                snaplen=snaplen,
            )

    def __enter__(self) -> LinkSession:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> int:
        """Carry packets from now on; returns time 0 of the links, in nanoseconds of the machine's monotonic clock."""
        limits = self.resolved.real
        return self._link.start(
            lateness_p99=limits.lateness_p99_s,
            lateness_max=limits.lateness_max_s,
            lost_before_queue=limits.lost_before_queue,
            starved=limits.starved,
        )

    def snapshot(self) -> dict[str, Any] | None:
        """The state of the watched links and all counts so far.

        None if the links do not run, for example after a fault.

        `t_s`; by link `scheme`, `rate_bps`, `queue_pkts`, `queue_bytes`, `delay_s` (of the bytes that wait), `gauges`
        of the AQM, and counts since the start: `arrivals`, `departures`, `drops`, `marks`, `link_losses`, `sent_bits`;
        by flow its ends and its counts.
        """
        text = self._link.snapshot()
        return None if text is None else json.loads(text)

    def change(self, link: str, queue: dict[str, Any]) -> None:
        """Give a link another queue, without losing a packet: waiting packets are sent first, by their own queue.

        `queue` is a table as in a scenario file. Raises `ScenarioError` with every error.
        """
        document = self.document.set(f"links.{link}.queue", queue, "change")
        resolved = document.resolve()
        with engine_errors():
            self._link.replace(link, _canonical(resolved))
        self.document, self.resolved = document, resolved

    def stop(self) -> dict[str, Any]:
        """Stop the links, and return the result.

        `links` as in a run; `flows` with the ends and counts of each flow; `lateness` with p50_s, p99_s and max_s;
        `lost_before_queue`; `starved`, the share of the time for which the links waited for a processor; `scheduling`,
        the class of their thread; `valid` and `invalid_because`. Raises `OSError` if captured packets could not be
        written.
        """
        if self._result is None:
            text, self._trace = self._link.stop()
            self._result = json.loads(text)
        return self._result

    def trace(self) -> dict[str, np.ndarray[Any, Any]]:
        """Every event of a packet, as columns, after `stop`.

        `t_ns`, `event` and `cause` (words of a trace by number), `link` and `flow` (numbers), `seq` (of the packet,
        in the order of arrivals), `size_bytes`, `ecn` (the field after the event), `protocol`.
        """
        return {name: np.frombuffer(self._trace.get(name, b""), kind) for name, kind in _COLUMNS.items()}

    def close(self) -> None:
        """Stop the links if they run; the devices are gone afterwards."""
        if self._result is None and self._link.is_running():
            self.stop()


def _canonical(resolved: Resolved) -> str:
    return resolved.for_engine(flows=True, series=False)
