"""The environment: installed parts, instructions for missing ones, and the provenance of results."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module

from penstock import _native
from penstock.engine.run import core_count

__all__ = ["EnvironmentCheck", "check_environment", "environment_text", "provenance"]


@dataclass(frozen=True)
class EnvironmentCheck:
    """One checked item: whether it is present, its version or place, and how to install it."""

    name: str
    ok: bool
    found: str
    advice: str = ""


def check_environment() -> list[EnvironmentCheck]:
    """Check the interpreter, the machine, packages and optional tools."""
    return [
        EnvironmentCheck("penstock", True, _native.version),
        EnvironmentCheck("Python", True, f"{platform.python_version()} at {sys.executable}"),
        EnvironmentCheck("system", True, f"{platform.system()} {platform.release()} {platform.machine()}"),
        EnvironmentCheck("cores", True, f"{core_count()} usable"),
        _memory(),
        *(_package(name, use) for name, use in _PACKAGES),
        _tool("cargo", "builds the native module", "install Rust 1.88 or newer (Debian 12: apt install cargo-web)"),
        _tool("uv", "faster set-up", "optional; set-up uses pip without it"),
        _tool("iperf3", "a server at the far end of penstock link", "optional (Debian: apt install iperf3)"),
        _tool("ns", "ns-2, for make bench-peers", "optional (Debian: apt install ns2)"),
    ]


_PACKAGES = (
    ("numpy", "arrays"),
    ("scipy", "confidence intervals"),
    ("duckdb", "traces and the store"),
    ("matplotlib", "figures"),
    ("jinja2", "pages"),
    ("markdown_it", "text on pages"),
    ("rich", "tables and progress"),
)


def _package(name: str, use: str) -> EnvironmentCheck:
    try:
        version = import_module(name).__version__ if name not in ("rich",) else "installed"
    except ImportError:
        return EnvironmentCheck(name, False, "missing", f"needed for {use}: run make setup")
    return EnvironmentCheck(name, True, f"{version} ({use})")


def _tool(name: str, use: str, advice: str) -> EnvironmentCheck:
    path = shutil.which(name)
    return EnvironmentCheck(
        name, path is not None, f"{path} ({use})" if path else f"not found ({use})", "" if path else advice
    )


def _memory() -> EnvironmentCheck:
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 0
    return EnvironmentCheck("memory", True, f"{pages / 2**30:.1f} GiB")


def environment_text(findings: Sequence[EnvironmentCheck]) -> str:
    """The findings as lines."""
    lines = []
    for item in findings:
        advice = f"; {item.advice}" if item.advice else ""
        lines.append(f"{'ok ' if item.ok else '-- '} {item.name:12} {item.found}{advice}")
    return "\n".join(lines) + "\n"


def provenance() -> dict[str, str]:
    """Version, machine and command that made a result."""
    return {
        "penstock": _native.version,
        "Python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "cores": str(core_count()),
        "command": " ".join(sys.argv[1:2]) and "penstock " + " ".join(sys.argv[1:]),
    }
