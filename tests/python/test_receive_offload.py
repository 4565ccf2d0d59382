"""Segments that reach their host as one long segment carry the same bytes."""

from __future__ import annotations

import hashlib
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
from penstock.link.namespace import Host
from penstock.link.session import LinkEnd, LinkSession
from penstock.scenario.document import Document

pytestmark = pytest.mark.link

DOCUMENT = Document(
    {
        "duration": "60s",
        "links": {
            "wire": {
                "from": "A",
                "to": "B",
                "rate": "1Gbit",
                "delay": "1ms",
                "queue": {"scheme": "red", "limit": "300p", "min_th": 20, "max_th": 100},
            }
        },
    }
)
SIZE = 40_000_000


def received(server: socket.socket) -> bytes:
    """Digest of what one connection brings."""
    digest = hashlib.sha256()
    connection, _ = server.accept()
    with connection:
        while part := connection.recv(1 << 20):
            digest.update(part)
    return digest.digest()


def packets_of(device: str) -> int:
    """Packets that the device of the calling thread's namespace has received, long ones counted once."""
    for line in Path("/proc/thread-self/net/dev").read_text().splitlines():
        name, _, counts = line.partition(":")
        if name.strip() == device:
            return int(counts.split()[1])
    raise AssertionError(f"no device {device}")


def device() -> str:
    """The device of the calling thread's namespace that is not the loopback."""
    names = [name for _, name in socket.if_nameindex() if name != "lo"]
    assert len(names) == 1
    return names[0]


def test_a_fast_transfer_with_losses_arrives_whole_and_in_fewer_packets_than_were_carried() -> None:
    data = np.random.default_rng(1).bytes(SIZE)
    with ExitStack() as stack:
        a, b = (stack.enter_context(Host()) for _ in range(2))
        ends = [LinkEnd("A", a.namespace), LinkEnd("B", b.namespace)]
        session = stack.enter_context(LinkSession(DOCUMENT, ends, endless=True))
        session.start()
        server = stack.enter_context(b.call(lambda: socket.create_server((session.addresses["B"], 5000))))
        pool = stack.enter_context(ThreadPoolExecutor(1))
        digest = pool.submit(received, server)
        with a.call(lambda: socket.create_connection((session.addresses["B"], 5000))) as client:
            client.sendall(data)
        assert digest.result(60) == hashlib.sha256(data).digest()
        written = b.call(lambda: packets_of(device()))
        link = session.stop()["links"]["wire"]
    assert link["drops"] > 0
    assert written < link["arrivals"] - link["drops"]
