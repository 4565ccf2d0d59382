"""The checklist of the Prague L4S requirements: the page is that of its runs, and the measures distinguish senders."""

from __future__ import annotations

import importlib
import math
from types import ModuleType

import pytest
from penstock.aqms.catalog import tcp_keys


@pytest.fixture(scope="module")
def l4s() -> ModuleType:
    return importlib.import_module("l4s")


def test_the_page_is_that_of_its_runs(l4s: ModuleType) -> None:
    """`make l4s` writes it."""
    page = l4s.PAGE.read_text(encoding="utf-8")
    assert l4s.page(page) == page


def test_every_congestion_control_is_asked(l4s: ModuleType) -> None:
    assert set(l4s.FLAVOURS) == set(tcp_keys().flavours)


def test_every_requirement_holds_for_one_and_not_for_another_but_for_small_windows(l4s: ModuleType) -> None:
    """A measure that always says the same would show nothing."""
    for requirement in l4s.REQUIREMENTS:
        answers = {requirement.of(flavour)[1] for flavour in l4s.FLAVOURS}
        if requirement.name == "small windows":
            assert answers == {False}
        elif requirement.name == "loss":
            # Within an order of magnitude all of them coexist.
            assert answers == {True}
        else:
            assert answers == {True, False}, requirement.name


def test_prague_misses_what_the_page_says(l4s: ModuleType) -> None:
    missed = {requirement.name for requirement in l4s.REQUIREMENTS if not requirement.of("prague")[1]}
    assert missed == {"classic AQM", "small windows"}


def test_the_windows_follow_the_response_functions(l4s: ModuleType) -> None:
    """Reno goes as p^-0.5, less steeply at windows of a few packets; Prague as p^-1 (RFC 9331, 4.3)."""
    assert 0.35 < l4s.scaling("sack") < 0.55
    assert l4s.scaling("prague") == pytest.approx(1, abs=0.1)
    assert l4s.codepoint("prague") == pytest.approx(0.1, rel=0.1)
    assert math.isnan(l4s.feedback("cubic"))
