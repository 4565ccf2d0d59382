"""Real runs of scenarios: the kernel's TCP and datagrams of real hosts over a real link, with the numbers of a run."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock import _native
from penstock.engine.pcap import Capture, write_when_complete
from penstock.engine.run import engine_errors, run_batch
from penstock.engine.warmup import with_warmup
from penstock.errors import RunError
from penstock.link.namespace import Host
from penstock.link.requirements import require_real_links
from penstock.link.results import real_run_result
from penstock.link.session import LinkEnd, LinkSession
from penstock.link.trace import write_packet_events
from penstock.link.traffic import FIRST_PORT, RealTraffic, real_traffic
from penstock.results.run import Run
from penstock.scenario.document import Document, ScenarioLike, as_document
from penstock.scenario.resolve import Resolved

__all__ = ["ATTEMPTS", "RealRun", "measure", "prepare"]

ATTEMPTS = 3
"""Maximum number of attempts for a run whose own numbers are invalid."""

Inspect = Callable[[Mapping[str, Host]], object]
"""Called with the hosts of a real run, by node, before they are closed."""

_DRAIN_S = 0.5
"""Time after the end in which datagrams in flight may still arrive."""

_LEAST_BUFFER, _LARGEST_BUFFER = 128 << 10, 64 << 20
"""Bytes of a sender's buffer: minimum at the start, and maximum."""

_READY, _READY_EACH = 64 << 20, 2 << 20
"""Maximum bytes of the buffers of all senders together at the start, and of one of them."""

_POLL_S = 0.05
"""Interval at which a run checks for errors of senders."""


@dataclass(frozen=True)
class RealRun:
    """A scenario that is ready to be run on a real link."""

    document: Document
    resolved: Resolved
    traffic: RealTraffic

    def run(
        self,
        seed: int,
        *,
        attempts: int = ATTEMPTS,
        trace: Path | None = None,
        captures: Sequence[Capture] = (),
        snaplen: int | None = None,
        inspect: Inspect | None = None,
    ) -> Run:
        """Run once; repeat up to `attempts` times in all while the numbers are invalid. Return the last run.

        The result has the numbers of a simulated run and `kernel`, `lateness`, `lost_before_queue`, `valid`,
        `invalid_because` and `attempts`. With `trace`, every event of a packet is written to that folder; `captures`
        are pcap files, with at most `snaplen` bytes per packet; `inspect` is called with the hosts, by node, at the end
        of each attempt. Raises `RunError` if a sender fails.
        """
        for attempt in range(1, attempts + 1):
            with write_when_complete(captures) as files:
                raw = self._once(seed, trace, inspect, files, snaplen) | {"attempts": attempt}
            if raw["valid"]:
                break
        return Run.from_json(json.dumps(raw), {**self.resolved.readable, "seed": seed})

    def _once(
        self,
        seed: int,
        trace: Path | None,
        inspect: Inspect | None,
        files: Sequence[tuple[Path, list[int]]],
        snaplen: int | None,
    ) -> dict[str, Any]:
        begun = time.process_time()
        with ExitStack() as stack:
            hosts = {node: stack.enter_context(Host()) for node in self.traffic.hosts}
            for host in hosts.values():
                host.namespace.set("ipv4/tcp_wmem", f"4096 {self._send_buffer()} {_LARGEST_BUFFER}")
            ends = [LinkEnd(node, host.namespace) for node, host in hosts.items()]
            session = stack.enter_context(
                LinkSession(self.document, ends, seed=seed, trace=trace is not None, captures=files, snaplen=snaplen)
            )
            places = {node: (host.namespace, session.addresses[node]) for node, host in hosts.items()}
            sent = self._send(session, places, seed)
            link = session.stop()
            if unread := sum(map(_unread, hosts.values())):
                link["valid"] = False
                link["invalid_because"].append(f"{unread} datagrams found no room at their receiver")
            if trace is not None:
                write_packet_events(
                    session.trace(), [entry["name"] for entry in self.resolved.canonical["links"]], trace
                )
            if inspect is not None:
                inspect(hosts)
        result = real_run_result(self.resolved, self.traffic, session.addresses, sent, link, seed)
        return result | {"cpu_s": time.process_time() - begun}

    def _send_buffer(self) -> int:
        """Minimum bytes that a sender has ready, so that it can send while its thread waits for a processor."""
        flows: int = sum(group["count"] for group in self.resolved.canonical["traffic"])
        return max(_LEAST_BUFFER, min(_READY // max(flows, 1), _READY_EACH))

    def _send(
        self, session: LinkSession, places: Mapping[str, tuple[_native.Namespace, str]], seed: int
    ) -> dict[str, Any]:
        """Send the traffic over the link; returns the report of the senders."""
        tcp = [None if settings is None else settings.as_tuple() for settings in self.traffic.tcp]
        canonical = self.resolved.for_engine(flows=True, series=False)
        try:
            with engine_errors():
                mtu = self.resolved.real.mtu
                senders = _native.Senders(canonical, seed, dict(places), tcp, FIRST_PORT, mtu, ahead=True)
            try:
                zero = session.start()
                senders.start(zero)
                end = zero * 1e-9 + self.resolved.canonical["duration_ns"] * 1e-9 + _DRAIN_S
                while senders.error() is None and (remaining := end - time.monotonic()) > 0:
                    time.sleep(min(remaining, _POLL_S))
            finally:
                # Also after Ctrl-C, when the report is not needed.
                report = senders.stop()
        except RuntimeError as error:
            raise RunError(str(error)) from None
        document: dict[str, Any] = json.loads(report)
        return document


def _unread(host: Host) -> int:
    """Number of datagrams that found no room at their receiver, as counted by the kernel of a host."""
    text = host.call(Path("/proc/thread-self/net/snmp").read_text)
    heads, values = (line.split() for line in text.splitlines() if line.startswith("Udp:"))
    return int(dict(zip(heads, values, strict=True))["RcvbufErrors"])


def prepare(document: Document) -> RealRun:
    """Resolve a scenario and map its traffic to real senders.

    Raises `ScenarioError` with everything that a real run cannot do, `RequirementError` if the kernel lacks something.
    """
    resolved = document.resolve()
    return RealRun(document, resolved, real_traffic(resolved, document.origins))


def measure(scenario: ScenarioLike, seed: int | None = None, *, attempts: int = ATTEMPTS) -> Run:
    """Run a scenario, or the file at a path, on a real link: the kernel's TCP over its links, in real time.

    `seed` replaces the scenario's own. A run whose own numbers are invalid, such as one on a busy machine, is repeated
    up to `attempts` times in all; `raw["valid"]` is true if the last run is valid. Raises `ScenarioError` with
    everything that a real run cannot do, and `RequirementError` where real links cannot run.
    """
    require_real_links("measure")
    ready = prepare(with_warmup(as_document(scenario), run_batch))
    return ready.run(int(ready.resolved.readable["seed"]) if seed is None else seed, attempts=attempts)
