"""The traffic of a scenario for real senders: which hosts send, and with which settings of the kernel's TCP."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock.aqms.catalog import tcp_keys
from penstock.errors import ErrorCollector, RequirementError, ScenarioError
from penstock.link.outcome import has_quality_of_outcome
from penstock.scenario.captures import replay_notes
from penstock.scenario.resolve import Resolved
from penstock.units import parse_size

__all__ = ["CONTROLS", "FIRST_PORT", "KERNEL_NAMES", "RealTraffic", "TcpSettings", "real_traffic"]

FIRST_PORT = 5001
"""Port at which the first flow receives; flow i receives at this port + i."""

MAX_FLOWS = 2000
"""Maximum number of flows: each has several threads."""

MAX_HOSTS = 250
"""Maximum number of hosts: their addresses differ in the last byte."""

_HEADERS = 40
"""Bytes of the IP and TCP headers of a real packet, without options."""

_TIMESTAMPS = 12
"""Bytes of the timestamps among the options."""

_MIN_SEGMENT = 88
"""Smallest segment that the kernel allows, in bytes."""

_UNLIMITED = 1000
"""Windows of at least this number of packets are left to the kernel, which grows them as they are used."""

KERNEL_NAMES = {"reno": "reno", "newreno": "reno", "sack": "reno"}
"""Kernel names of the flavours whose names differ there."""

_WITHOUT_SACK = ("tahoe", "reno", "newreno", "vegas")
"""Flavours without selective acknowledgements."""

_SENT = ("flavour", "window", "packets", "bytes", "packet", "headers", "ecn", "timestamps", "syn")
"""Keys of TCP that real senders support. All others describe the simulated TCP."""

CONTROLS = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")


@dataclass(frozen=True)
class TcpSettings:
    """Settings of the kernel's TCP for a group of flows.

    Attributes:
        congestion_control: name in the kernel.
        ecn: whether connections negotiate ECN.
        timestamps: whether they negotiate timestamps, which take 12 bytes of each packet.
        sack: whether they negotiate selective acknowledgements.
        segment_bytes: size of a packet without the IP and TCP headers of 40 bytes.
        window_bytes: maximum window; None: as the kernel chooses.
        transfer_bytes: size of a transfer; None: endless, or drawn for each connection.

    """

    congestion_control: str
    ecn: bool
    timestamps: bool
    sack: bool
    segment_bytes: int
    window_bytes: int | None
    transfer_bytes: int | None

    def as_tuple(self) -> tuple[str, bool, bool, bool, int, int | None, int | None]:
        """For the native senders."""
        return (
            self.congestion_control,
            self.ecn,
            self.timestamps,
            self.sack,
            self.segment_bytes,
            self.window_bytes,
            self.transfer_bytes,
        )


@dataclass(frozen=True)
class RealTraffic:
    """The traffic of a scenario for real senders.

    Attributes:
        hosts: the nodes at the ends of flows.
        tcp: settings of each group, in the order of the scenario; None for datagrams.
        notes: what real senders do not take over from the scenario.

    """

    hosts: tuple[str, ...]
    tcp: tuple[TcpSettings | None, ...]
    notes: tuple[str, ...]


def real_traffic(resolved: Resolved, origins: Mapping[str, str]) -> RealTraffic:
    """Map the traffic of a scenario to real senders.

    Raises `ScenarioError` with everything that real senders cannot do, `RequirementError` if the kernel lacks a
    congestion control.
    """
    errors = ErrorCollector(origins)
    groups = resolved.canonical["traffic"]
    readable = resolved.readable["traffic"]
    count = sum(group["count"] for group in groups)
    if count > MAX_FLOWS:
        errors.add("traffic", f"{count} flows are too many for real senders: the maximum is {MAX_FLOWS}")
    hosts = tuple(dict.fromkeys(node for group in groups for node in _ends(group)))
    if len(hosts) > MAX_HOSTS:
        errors.add("traffic", f"{len(hosts)} hosts are too many: the maximum is {MAX_HOSTS}")
    if not hosts:
        errors.add("traffic", "there is no flow to measure")
    tcp = tuple(_tcp(group, readable[group["name"]], resolved.real.mtu, errors) for group in groups)
    if errors.details:
        raise ScenarioError(errors.details)
    _require_controls(groups, tcp)
    return RealTraffic(hosts, tcp, tuple(_notes(groups)))


def _ends(group: Mapping[str, Any]) -> list[str]:
    """The nodes that the flows of a group use."""
    if group["count"] == 0:
        return []
    if group["kind"] in ("web", "incast"):
        return [*group["from"], *group["to"]]
    copies = range(group["count"])
    return [group[end][copy % len(group[end])] for end in ("from", "to") for copy in copies]


def _tcp(group: Mapping[str, Any], readable: Mapping[str, Any], mtu: int, errors: ErrorCollector) -> TcpSettings | None:
    if "tcp" not in group:
        return None
    path, settings = f"traffic.{group['name']}", group["tcp"]["settings"]
    for key in ("write", "write_every", "write_rate", "writes"):
        if key in settings:
            errors.add(f"{path}.{key}", "real senders always write as much as the kernel takes", readable.get(key))
    packet, headers = parse_size(readable["packet"]), parse_size(readable["headers"])
    segment = packet + headers - _HEADERS
    timestamps = bool(readable["timestamps"])
    payload = segment - (_TIMESTAMPS if timestamps else 0)
    if segment < _MIN_SEGMENT:
        smallest = _MIN_SEGMENT + _HEADERS
        errors.add(f"{path}.packet", f"the kernel sends no packets below {smallest}B with headers", readable["packet"])
    if packet + headers > mtu:
        errors.add(
            f"{path}.packet",
            f'with headers of {headers} bytes exceeds the MTU of the hosts: set real.mtu = "{packet + headers}B"',
            readable["packet"],
        )
    flavour = group["tcp"]["flavour"]
    window = int(readable["window"])
    packets = readable.get("packets")
    size = int(packets) * packet if isinstance(packets, (int, float)) else None
    if isinstance(readable.get("bytes"), str):
        size = parse_size(readable["bytes"])
    return TcpSettings(
        congestion_control=KERNEL_NAMES.get(flavour, flavour),
        ecn=bool(readable.get("ecn")) or flavour in ("dctcp", "prague"),
        timestamps=timestamps,
        sack=flavour not in _WITHOUT_SACK,
        segment_bytes=segment,
        window_bytes=window * payload if window < _UNLIMITED else None,
        transfer_bytes=size,
    )


def _require_controls(groups: list[dict[str, Any]], tcp: tuple[TcpSettings | None, ...]) -> None:
    """Raise `RequirementError` with every congestion control that the kernel lacks."""
    available = CONTROLS.read_text().split() if CONTROLS.exists() else []
    lacking_groups: dict[str, list[str]] = {}
    for group, settings in zip(groups, tcp, strict=True):
        if settings is not None and settings.congestion_control not in available:
            lacking_groups.setdefault(settings.congestion_control, []).append(group["name"])
    if lacking_groups:
        lacking = "; ".join(f"{name} (traffic.{', traffic.'.join(names)})" for name, names in lacking_groups.items())
        first, names = next(iter(lacking_groups.items()))
        raise RequirementError(
            f"this kernel has no congestion control {lacking}; it has {', '.join(available) or 'none'}. Load one, as "
            f"root: modprobe tcp_{first}, or take another: --set traffic.{names[0]}.flavour=cubic"
        )


def _notes(groups: list[dict[str, Any]]) -> list[str]:
    """A line for each group about keys that describe only the simulated TCP, and notes about replayed captures."""
    ignored = {
        group["name"]: [key for key in group["tcp"]["settings"] if key not in _SENT]
        for group in groups
        if "tcp" in group
    }
    notes = [
        f"traffic.{name}: the kernel's own TCP sends, whatever {', '.join(keys)} {'says' if len(keys) == 1 else 'say'}"
        for name, keys in ignored.items()
        if keys
    ]
    default = tcp_keys().default_profile
    simulated = [group["name"] for group in groups if "tcp" in group and group["tcp"]["profile"] != default]
    if simulated:
        notes.append(
            f"profiles other than {default} describe simulated senders; the kernel's TCP sends for "
            + ", ".join(f"traffic.{name}" for name in simulated)
        )
    for key in ("qoo", "rpm_of"):
        unused = (group for group in groups if group.get(key) and not (key == "qoo" and has_quality_of_outcome(group)))
        if names := [f"traffic.{group['name']}" for group in unused]:
            notes.append(f"{key} has no effect on a real link: {', '.join(names)}")
    return notes + replay_notes(groups)
