"""Nesting: a link started inside the namespace of another one, so that packets cross both."""

from __future__ import annotations

import os
from pathlib import Path

from penstock._native import Namespace
from penstock.errors import PenstockError

__all__ = ["NAMESPACE", "current_depth", "nesting_variable"]

NAMESPACE = "PENSTOCK_NAMESPACE"
"""Environment variable of a command on a real link: its nesting depth, and the inode of its network namespace."""


MAX_DEPTH = 255
"""Links inside links: the hosts of each depth have the addresses 10.77.DEPTH.x."""


def nesting_variable(namespace: Namespace, depth: int) -> str:
    """The value of `NAMESPACE` for a command in this namespace."""
    return f"{depth}:{os.fstat(namespace.fileno()).st_ino}"


def current_depth() -> int:
    """The number of links around this process: 0 outside of any.

    The variable alone is not sufficient: a program may have passed it to another namespace.
    """
    depth, _, inode = os.environ.get(NAMESPACE, "").partition(":")
    if not depth.isdecimal() or inode != str(Path("/proc/self/ns/net").stat().st_ino):
        return 0
    if len(depth) > 3 or int(depth) > MAX_DEPTH:
        raise PenstockError(
            f"this link would be inside more than {MAX_DEPTH} others: there are no addresses left for it"
        )
    return int(depth)
