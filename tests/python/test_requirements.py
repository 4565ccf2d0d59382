"""Requirements of real links: each missing part has its cure."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace

import pytest
from penstock.errors import RequirementError
from penstock.link import requirements
from penstock.link.requirements import ProbeReport

REQUIRE = """
from penstock.link import requirements
requirements.require_real_links("link", restart=True)
print(open("/proc/self/uid_map").read())
"""
"""Prints the user namespace in which penstock goes on, or raises."""

NO_CAPABILITIES = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]
NO_NETWORK_RIGHTS = ["setpriv", "--bounding-set=-net_admin", "--inh-caps=-all"]


def required(launcher: Sequence[str], limits: str = "") -> subprocess.CompletedProcess[str]:
    """`require_real_links` in a process with fewer rights."""
    command = ["sh", "-c", f'{limits} exec "$@"', "sh", *launcher, sys.executable, "-c", REQUIRE]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("missing", "cure"),
    [
        ("", ""),
        ("darwin has no network namespaces", "run penstock on Linux"),
        ("there is no program unshare", "install util-linux"),
        ("open /dev/net/tun: No such file or directory (os error 2)", "sudo modprobe tun"),
        ("open /dev/net/tun: Permission denied (os error 13)", "sudo chmod 0666 /dev/net/tun"),
        ("create TUN device penstock0: Operation not permitted (os error 1)", "--cap-add NET_ADMIN"),
        ("unshare(CLONE_NEWNET): No space left on device (os error 28)", "user.max_net_namespaces"),
        ("open /proc/thread-self/ns/net: Too many open files (os error 24)", "ulimit -n"),
        ('write "1" to /proc/sys/net/ipv4/ip_forward: Read-only file system (os error 30)', "docker run --privileged"),
        ("unshare(CLONE_NEWNET): Operation not permitted (os error 1)", "docker run --privileged"),
    ],
)
def test_each_missing_part_has_a_cure(missing: str, cure: str) -> None:
    advice = ProbeReport(missing).remedy
    assert cure in advice
    assert bool(advice) == bool(missing)


def test_findings_say_whether_links_run_and_how_to_get_there(monkeypatch: pytest.MonkeyPatch) -> None:
    good, bad = (
        ProbeReport("", "SCHED_OTHER", 50, 9000),
        ProbeReport("open /dev/net/tun: No such file or directory (os error 2)"),
    )

    def items(here: ProbeReport, users: ProbeReport) -> dict[str, tuple[bool, str, str]]:
        monkeypatch.setattr(requirements, "probe_real_links", lambda: here)
        monkeypatch.setattr(requirements, "probe_in_user_namespace", lambda: users)
        return {item.name: (item.ok, item.found, item.advice) for item in requirements.environment_checks()}

    both = items(replace(good, scheduling="SCHED_DEADLINE"), good)
    assert both["real links"] == (True, "yes (penstock link, --on link)", "")
    assert both["priority"] == (True, "SCHED_DEADLINE; timers are late by 50 us (median), at most 9000 us", "")
    only = items(bad, good)
    assert only["real links"][:2] == (True, "yes, in a user namespace (penstock link, --on link)")
    assert only["priority"][0] is False
    assert "run as root" in only["priority"][2]
    neither = items(bad, bad)
    assert neither["real links"][0] is False
    assert neither["real links"][1].startswith("no: open /dev/net/tun: No such file")
    assert "modprobe tun" in neither["real links"][2]


@pytest.mark.link
def test_the_probe_makes_what_a_link_needs() -> None:
    report = requirements.probe_real_links()
    assert report.missing == ""
    assert report.scheduling in ("SCHED_DEADLINE", "SCHED_FIFO", "SCHED_OTHER")
    assert 0 < report.late_p50_us <= report.late_max_us
    requirements.require_real_links("link")


@pytest.mark.link
def test_without_rights_penstock_starts_again_in_a_user_namespace() -> None:
    # CAP_SETFCAP stays: without it, root cannot map itself into a user namespace; an ordinary user can.
    result = required(NO_NETWORK_RIGHTS)
    if requirements.probe_in_user_namespace().missing:
        assert result.returncode == 1
        assert "RequirementError" in result.stderr
        return
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == ["0", str(os.geteuid()), "1"]
    assert result.stderr == "without root: in a user namespace, where no thread gets real-time priority\n"


@pytest.mark.link
def test_without_user_namespaces_the_message_has_the_cure() -> None:
    result = required(NO_CAPABILITIES)
    assert result.returncode == 1
    last = result.stderr.splitlines()[-1]
    assert "penstock link cannot run here: unshare(CLONE_NEWNET): Operation not permitted" in last
    assert last.endswith("in a container: docker run --privileged")
    assert RequirementError.exit_code == 4
