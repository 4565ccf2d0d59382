"""Requirements of real links: network namespaces and TUN devices. Each has a probe, and a remedy if it is missing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from penstock import _native
from penstock.engine.environment import EnvironmentCheck
from penstock.errors import RequirementError
from penstock.link.offloads import active_offloads, ethernet_devices
from penstock.link.processes import kill_leftovers

__all__ = [
    "ProbeReport",
    "environment_checks",
    "probe_in_user_namespace",
    "probe_real_links",
    "remedy_for",
    "require_real_links",
]

_INSIDE = "PENSTOCK_USER_NAMESPACE"
"""Set in a penstock that was started again in a user namespace, so that it does not do so forever."""

_CONTAINER = "in a container: docker run --privileged"


@dataclass(frozen=True)
class ProbeReport:
    """The result of a probe.

    `missing` is the step that failed and its cause, empty if real links can run. `scheduling` is the class granted to
    the thread that carries packets; `late_p50_us` and `late_max_us` are its lateness at 100 timers of 1 ms.
    """

    missing: str
    scheduling: str = ""
    late_p50_us: float = 0.0
    late_max_us: float = 0.0

    @property
    def remedy(self) -> str:
        """What to do about the missing part; empty if nothing is missing."""
        return remedy_for(self.missing)


def probe_real_links() -> ProbeReport:
    """Make a network namespace and a TUN device and raise the priority of a thread, in a process of its own."""
    return _ask([])


def probe_in_user_namespace() -> ProbeReport:
    """The same in a user namespace, which an ordinary user can create if the system allows it."""
    if shutil.which("unshare") is None:
        return ProbeReport("there is no program unshare")
    return _ask(_USER_NAMESPACE)


def environment_checks() -> list[EnvironmentCheck]:
    """The findings of `penstock doctor` about real links."""
    here = probe_real_links()
    users = probe_in_user_namespace()
    runs = "yes" if not here.missing else "yes, in a user namespace" if not users.missing else f"no: {here.missing}"
    best = users if here.missing else here
    return [
        EnvironmentCheck(
            "real links", not best.missing, f"{runs} (penstock link, --on link)", best.missing and here.remedy
        ),
        EnvironmentCheck("unprivileged", not users.missing, users.missing or "in a user namespace", users.remedy),
        _priority(best),
        _congestion_controls(),
        *map(_device, ethernet_devices()),
    ]


def _priority(report: ProbeReport) -> EnvironmentCheck:
    late = f"timers are late by {report.late_p50_us:.0f} us (median), at most {report.late_max_us:.0f} us"
    if not report.scheduling:
        return EnvironmentCheck("priority", False, "not tried", "see real links")
    granted = report.scheduling != "SCHED_OTHER"
    advice = "" if granted else f"real links are less exact when the machine is busy: run as root; {_CONTAINER}"
    return EnvironmentCheck("priority", granted, f"{report.scheduling}; {late}", advice)


def _congestion_controls() -> EnvironmentCheck:
    path = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
    controls = path.read_text().strip() if path.exists() else ""
    advice = "" if controls else "this system does not list the congestion controls of its TCP"
    return EnvironmentCheck("TCP", bool(controls), controls or "unknown", advice)


def _device(name: str) -> EnvironmentCheck:
    active = active_offloads(name)
    advice = f"before penstock link --dev {name}: ethtool -K {name} " + " ".join(f"{item} off" for item in active)
    return EnvironmentCheck(name, not active, f"offloads: {' '.join(active) or 'none'}", advice if active else "")


def require_real_links(verb: str, *, restart: bool = False) -> None:
    """Return if real links can run in this process, after killing processes left by an interrupted penstock.

    With `restart`, rerun this command in a user namespace if they can run only there; a program that uses penstock must
    not be restarted. Raises `RequirementError` with the missing part and its remedy.
    """
    killed = kill_leftovers()
    if killed:
        listed = ", ".join(f"{process.name} ({process.pid})" for process in killed)
        print(f"killed processes left by an interrupted penstock: {listed}", file=sys.stderr)
    missing = _missing()
    if not missing:
        return
    if restart and _INSIDE not in os.environ and not probe_in_user_namespace().missing:
        print("without root: in a user namespace, where no thread gets real-time priority", file=sys.stderr, flush=True)
        os.environ[_INSIDE] = "1"
        os.execvp(_USER_NAMESPACE[0], [*_USER_NAMESPACE, sys.executable, *sys.orig_argv[1:]])
    raise RequirementError(f"penstock {verb} cannot run here: {missing}; {remedy_for(missing)}")


_USER_NAMESPACE = ["unshare", "--user", "--map-root-user", "--net", "--"]


def _ask(launcher: list[str]) -> ProbeReport:
    """The report of a child process."""
    if sys.platform != "linux":
        return ProbeReport(_missing())
    command = [*launcher, sys.executable, "-m", "penstock.link.requirements"]
    child = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    try:
        return ProbeReport(**json.loads(child.stdout))
    except (ValueError, TypeError):
        return ProbeReport(
            child.stderr.strip().rpartition("\n")[2] or f"the probe ended with exit code {child.returncode}"
        )


def _missing() -> str:
    """The first step that fails, with its cause; empty if real links can run."""
    if sys.platform != "linux":
        return f"{sys.platform} has no network namespaces"
    try:
        _native.Namespace().try_tun()
    except OSError as error:
        return str(error)
    return ""


def remedy_for(missing: str) -> str:
    """What to do about a failed step."""
    advice_on = {
        "": "",
        "has no network namespaces": "run penstock on Linux, or in a Linux container or virtual machine",
        "there is no program unshare": "install util-linux, or run as root",
        "/dev/net/tun: No such": f"load the driver: sudo modprobe tun; {_CONTAINER} or --device /dev/net/tun",
        "/dev/net/tun: Permission": "let users open it: sudo chmod 0666 /dev/net/tun",
        "/dev/net/tun: Operation not permitted": f"{_CONTAINER} or --device /dev/net/tun",
        "create TUN device": f"run as root; {_CONTAINER} or --cap-add NET_ADMIN",
        "No space left": "too many namespaces: sudo sysctl -w user.max_net_namespaces=10000",
        "Too many open files": "raise the limit of open files: ulimit -n 1024",
        "/proc/sys": f"the settings of namespaces are read-only; {_CONTAINER}",
    }
    for part, advice in advice_on.items():
        if part == missing or (part and part in missing):
            return advice
    if os.geteuid() == 0:
        return f"root lacks a capability, SYS_ADMIN or NET_ADMIN; {_CONTAINER}"
    for setting, bad, good in _USER_NAMESPACE_SETTINGS:
        path = Path("/proc/sys") / setting
        if path.exists() and path.read_text().strip() == bad:
            return f"run as root, or allow user namespaces: sudo sysctl -w {setting.replace('/', '.')}={good}"
    return f"run as root; {_CONTAINER}"


_USER_NAMESPACE_SETTINGS = (
    ("kernel/apparmor_restrict_unprivileged_userns", "1", "0"),
    ("kernel/unprivileged_userns_clone", "0", "1"),
    ("user/max_user_namespaces", "0", "10000"),
)


def _report() -> ProbeReport:
    """The report of this process; the priority of its main thread is changed."""
    missing = _missing()
    if missing:
        return ProbeReport(missing)
    scheduling = _native.raise_priority()
    late = []
    for _ in range(100):
        due = time.monotonic() + 1e-3
        time.sleep(1e-3)
        late.append(1e6 * (time.monotonic() - due))
    late.sort()
    return ProbeReport("", scheduling, round(late[len(late) // 2], 1), round(late[-1], 1))


if __name__ == "__main__":
    print(json.dumps(asdict(_report())))
