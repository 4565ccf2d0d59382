"""The optional programs of the tests, and whether they are installed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from functools import cache
from typing import Final

from penstock.link import requirements

PACKAGES: Final[Mapping[str, str]] = {
    "chromium": "chromium",
    "curl": "curl",
    "groff": "groff-base",
    "ip": "iproute2",
    "iperf3": "iperf3",
    "node": "nodejs",
    "ns": "ns2",
    "tc": "iproute2",
    "tshark": "tshark",
    "valgrind": "valgrind",
}
"""The Debian package of each program. `README.md` names these packages, and `.ci/run` installs them."""

OTHER_NAMES: Final[Mapping[str, tuple[str, ...]]] = {"chromium": ("chromium-browser", "google-chrome")}
"""Names under which other systems have a program."""


def find(program: str) -> str | None:
    """The path of an optional program; `None` where it is not installed."""
    return next(filter(None, map(shutil.which, (program, *OTHER_NAMES.get(program, ())))), None)


@cache
def absence(need: str) -> str:
    """Why this machine lacks `need`: a program, "namespaces" or "real links". Empty if it has it."""
    if need == "namespaces":
        # The probe does not use penstock, so that a defect there cannot hide a test.
        process = subprocess.run(["unshare", "--net", "true"], capture_output=True, text=True, check=False)
        return f"no network namespaces here: {process.stderr.strip()}" if process.returncode else ""
    if need == "real links":
        report = requirements.probe_real_links()
        return f"no real links here: {report.missing}; {report.remedy}" if report.missing else ""
    return "" if find(need) else f"{need} is not installed (Debian: apt install {PACKAGES[need]})"
