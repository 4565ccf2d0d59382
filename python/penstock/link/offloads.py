"""Offloads of Ethernet devices: they merge packets into frames beyond the MTU, or leave checksums to the hardware.

The requests of ethtool(8) (Linux, include/uapi/linux/ethtool.h), so that the program need not be installed.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import socket
import struct
from pathlib import Path

__all__ = ["active_offloads", "ethernet_devices", "switch_offloads"]

_SIOCETHTOOL = 0x8946

# Names as for `ethtool -K`, with the requests that read and write them.
_OFFLOADS = {"rx": (0x14, 0x15), "tx": (0x16, 0x17), "tso": (0x1E, 0x1F), "gso": (0x23, 0x24), "gro": (0x2B, 0x2C)}


def ethernet_devices() -> list[str]:
    """The hardware Ethernet devices of the namespace whose `/sys` is mounted."""
    folders = sorted(Path("/sys/class/net").glob("*/device"))
    return [folder.parent.name for folder in folders if (folder.parent / "type").read_text().strip() == "1"]


def active_offloads(device: str) -> list[str]:
    """The active offloads of a device in the calling thread's namespace, named as for `ethtool -K`."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        return [name for name, (read, _) in _OFFLOADS.items() if _request(control, device, read)]


def switch_offloads(device: str, *, on: bool) -> None:
    """Switch all offloads that a device in the calling thread's namespace has on or off."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        for _, write in _OFFLOADS.values():
            _request(control, device, write, int(on))


def _request(control: socket.socket, device: str, command: int, value: int = 0) -> int:
    """The answer to a request; 0 if the device does not support it."""
    data = ctypes.create_string_buffer(struct.pack("=II", command, value), 8)
    request = struct.pack("16sP16x", device.encode(), ctypes.addressof(data))
    try:
        fcntl.ioctl(control, _SIOCETHTOOL, request)
    except OSError as error:
        if error.errno not in (errno.EOPNOTSUPP, errno.EPERM):
            raise
        return 0
    return int(struct.unpack("=II", data.raw)[1])
