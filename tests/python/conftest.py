"""Fixtures and settings shared by all Python tests."""

from __future__ import annotations

import os
from functools import cache

import pytest
from penstock.link import requirements


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Commands under test keep their results in a folder of this session, not in the user's cache."""
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of real links run one after the other: each needs the processor for itself."""
    for item in items:
        if item.get_closest_marker("link"):
            item.add_marker(pytest.mark.xdist_group("link"))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip tests of real links where there can be none; with `PENSTOCK_REQUIRE_NETNS=1` that is a failure."""
    if not item.get_closest_marker("link") or not (missing := _missing()):
        return
    if os.environ.get("PENSTOCK_REQUIRE_NETNS") == "1":
        pytest.fail(f"PENSTOCK_REQUIRE_NETNS=1, but {missing}")
    pytest.skip(f"{_NO_LINKS}: {missing}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print one line about the skipped tests of real links."""
    # A skip is described by its file, its line and the reason.
    reasons = [report.longrepr[2] for report in terminalreporter.stats.get("skipped", []) if len(report.longrepr) == 3]
    skipped = [reason for reason in reasons if _NO_LINKS in reason]
    if skipped:
        terminalreporter.write_line(f"{len(skipped)} tests skipped: {skipped[0].removeprefix('Skipped: ')}")


_NO_LINKS = "no real links here"


@cache
def _missing() -> str:
    report = requirements.probe()
    return f"{report.missing}; {report.cure}" if report.missing else ""
