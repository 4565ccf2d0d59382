"""A running real link with its two hosts: namespaces, devices, routes, servers, and the command inside."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock._native import Namespace
from penstock.errors import PenstockError, RequirementError
from penstock.link import nesting, peer
from penstock.link.layout import LinkLayout
from penstock.link.namespace import Host
from penstock.link.offloads import active_offloads
from penstock.link.requirements import remedy_for
from penstock.link.session import LinkEnd, LinkSession

__all__ = ["Pair", "RunningLink", "open_running_link"]

Pair = tuple[str, str]
"""Two namespaces or devices, near and far."""

PEER = "PENSTOCK_PEER"
"""Environment variable of the command: the address of the host at the far end, with the servers."""


@dataclass(frozen=True)
class RunningLink:
    """Two hosts and the running links between them.

    Attributes:
        near: the host in which commands run.
        session: the running links.
        peer: address of the servers at the far end.
        depth: the number of links around the near host.
        notes: advice to the user.

    """

    near: Host
    session: LinkSession
    peer: str
    depth: int
    notes: tuple[str, ...] = ()

    def start(self, command: Sequence[str]) -> subprocess.Popen[bytes]:
        """Start the command in the near host."""
        environment = {PEER: self.peer, nesting.NAMESPACE: nesting.nesting_variable(self.near.namespace, self.depth)}
        return self.near.start(command, env=environment)


@contextlib.contextmanager
def open_running_link(
    layout: LinkLayout,
    *,
    seed: int,
    trace: bool = False,
    between: Pair | None = None,
    devices: Pair | None = None,
    captures: Sequence[tuple[Path, list[int]]] = (),
    snaplen: int | None = None,
) -> Iterator[RunningLink]:
    """Create the hosts and start the links; at the end stop the links and remove everything.

    The links join fresh namespaces, or those of `between`, or two Ethernet `devices`, in this namespace or in those of
    `between`. `captures` and `snaplen` are those of `LinkSession`. Inside another link, the far end is this process's
    own namespace, so that packets cross both links. Raises `RequirementError` if the system refuses.
    """
    if devices:
        _check_devices(devices, between)
    fresh = not between and not devices
    outer = nesting.current_depth() if fresh else 0
    names = devices or (f"penstock{outer}", f"penstock{outer}")
    with contextlib.ExitStack() as stack:
        try:
            near, far = (stack.enter_context(Host(place)) for place in _places(between, devices, nested=outer > 0))
            nodes = zip((layout.near_node, layout.far_node), (near, far), names, strict=True)
            ends = [LinkEnd(node, host.namespace, name, is_ethernet=devices is not None) for node, host, name in nodes]
            session = stack.enter_context(
                LinkSession(
                    layout.document,
                    ends,
                    seed=seed,
                    endless=True,
                    trace=trace,
                    depth=outer,
                    captures=captures,
                    snaplen=snaplen,
                )
            )
            address = session.addresses.get(layout.far_node, "")
            if fresh:
                _prepare((near, far), names[0], layout, session.addresses)
            session.start()
        except OSError as error:
            raise RequirementError(f"the link cannot be made: {error}; {remedy_for(str(error))}") from None
        servers = os.environ[PEER] if outer and PEER in os.environ else address
        notes = map(_joined, (near, far), devices) if devices else ()
        yield RunningLink(near, session, servers, outer + 1, tuple(filter(None, notes)))


def _check_devices(devices: Pair, between: Pair | None) -> None:
    """Raise `PenstockError` for the loopback device or the same device twice: packets would loop forever."""
    if "lo" in devices:
        raise PenstockError("--dev lo: the loopback device has no network behind it; name an Ethernet device")
    same_place = between is None or between[0] == between[1]
    if devices[0] == devices[1] and same_place:
        raise PenstockError(f"--dev {devices[0]} {devices[1]}: one device is named twice; a link needs two")


def _places(between: Pair | None, devices: Pair | None, *, nested: bool) -> tuple[Namespace | None, Namespace | None]:
    """The namespaces of the two hosts; None for a fresh one."""
    if between:
        near, far = (_existing(name, new_device=devices is None) for name in between)
        return near, far
    if devices:
        return Namespace.current(), Namespace.current()
    return None, Namespace.current() if nested else None


def _existing(name: str, *, new_device: bool) -> Namespace:
    """A namespace by its name in `/run/netns` or the number of a process in it; for a new device, not this one.

    Raises `PenstockError`.
    """
    path = Path(f"/proc/{name}/ns/net") if name.isdecimal() else Path("/run/netns") / name
    try:
        namespace = Namespace.open(path)
    except OSError as error:
        raise PenstockError(f"--between {name}: there is no such namespace: {error}") from None
    if new_device and os.fstat(namespace.fileno()).st_ino == Path("/proc/self/ns/net").stat().st_ino:
        raise PenstockError(f"--between {name}: this is the network of the machine, which penstock never changes")
    return namespace


def _joined(host: Host, device: str) -> str:
    """Advice on a device that merges packets into longer frames before the link sees them."""
    if "gro" not in host.call(lambda: active_offloads(device)):
        return ""
    return f"{device} joins packets to frames beyond the MTU, which the link refuses: ethtool -K {device} gro off"


def _prepare(hosts: tuple[Host, Host], device: str, layout: LinkLayout, addresses: dict[str, str]) -> None:
    """Route everything through the device, and start the servers of the far end, unless it is in another link."""
    for host, other in zip(hosts, (layout.far_node, layout.near_node), strict=True):
        if host.owned:
            # A separate route to the other host, as the route to its network uses the kernel's default congestion
            # control.
            host.namespace.add_route(addresses[other], 32, device, layout.congestion_control)
            host.namespace.add_route("0.0.0.0", 0, device, layout.congestion_control)
            if layout.hosts_use_ecn:
                host.namespace.set("ipv4/tcp_ecn", "1")
    if hosts[1].owned:
        _serve(hosts[1], addresses[layout.far_node])


def _serve(far: Host, address: str) -> None:
    """Start the servers of the far end; they do not get the Ctrl-C that is meant for the command."""
    quiet: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with far.call(lambda: peer.listen(address)) as listening:
        number = listening.fileno()
        command = [sys.executable, "-m", "penstock.link.peer", str(number)]
        far.start(command, pass_fds=[number], start_new_session=True, **quiet)
    if iperf3 := shutil.which("iperf3"):
        far.start([iperf3, "-s"], start_new_session=True, **quiet)
