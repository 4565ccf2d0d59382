"""Fixtures and settings shared by all Python tests."""

from __future__ import annotations

import os
from collections import Counter

import pytest

from .browser import chromium, tab
from .tools import PACKAGES, absence

__all__ = ["chromium", "tab"]  # fixtures


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Commands under test keep their results in a folder of this session, not in the user's cache.

    All processes of the session share it, so that a command of several pages runs once.
    """
    base = tmp_path_factory.getbasetemp()
    os.environ["XDG_CACHE_HOME"] = str((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "cache")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of real links run one after the other: each needs the processor for itself."""
    for item in items:
        if item.get_closest_marker("link"):
            item.add_marker(pytest.mark.xdist_group("link"))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose requirements are missing, or fail it if an environment variable demands them."""
    needs = [need for marker in item.iter_markers("needs") for need in marker.args]
    if item.get_closest_marker("link"):
        needs.append("real links")
    for need in needs:
        if not (reason := absence(need)):
            continue
        variable = "PENSTOCK_REQUIRE_TOOLS" if need in PACKAGES else "PENSTOCK_REQUIRE_NETNS"
        if os.environ.get(variable) == "1":
            pytest.fail(f"{variable}=1, but {reason}")
        pytest.skip(reason)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print one line for each reason why tests were skipped."""
    # A skip is described by its file, its line and the reason.
    reports = [report.longrepr for report in terminalreporter.stats.get("skipped", [])]
    reasons = Counter(report[2].removeprefix("Skipped: ") for report in reports if len(report) == 3)
    for reason, count in sorted(reasons.items()):
        terminalreporter.write_line(f"skipped: {count} {'test' if count == 1 else 'tests'}: {reason}")
