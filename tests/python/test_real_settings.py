"""The table `real` of a scenario: read, checked, shown, and without effect on a simulation."""

from __future__ import annotations

import penstock as ps
import pytest
from penstock.scenario.document import Document
from penstock.scenario.resolve.real_settings import RealLinkSettings

TEXT = """
duration = "1s"
[links.wire]
from = "A"
to = "B"
rate = "1Mbit"
delay = "1ms"
watch = true
[traffic.bulk]
kind = "tcp"
from = "A"
to = "B"
"""
REAL = """
[real]
mtu = "9000B"
overhead = "14B"
memory = "2MB"
lateness_p99 = "300us"
lateness_max = "5ms"
lost_before_queue = 3
starved = "20%"
"""


def test_defaults_are_shown_only_where_the_table_is() -> None:
    resolved = Document.parse(TEXT).resolve()
    assert resolved.real == RealLinkSettings()
    assert "real" not in resolved.readable


def test_every_key_is_read_and_shown() -> None:
    resolved = Document.parse(TEXT + REAL).resolve()
    assert resolved.real == RealLinkSettings(9000, 14, 2_000_000, 300e-6, 5e-3, 3, 0.2)
    settings = resolved.readable["real"]
    assert (settings["mtu"], settings["lateness_p99"], settings["lateness_max"]) == ("9000B", "300us", "5ms")
    assert Document.parse(TEXT).resolve().canonical == resolved.canonical


def test_every_error_is_reported() -> None:
    wrong = '[real]\nmtu = "20B"\noverhead = "2kB"\nmemory = "1kB"\nlost_before_queue = -1\nstarved = 2\nlate = "1ms"\n'
    with pytest.raises(ps.ScenarioError) as refused:
        Document.parse(TEXT + wrong).resolve()
    paths = {error.path for error in refused.value.errors}
    assert paths == {f"real.{key}" for key in ("mtu", "overhead", "memory", "lost_before_queue", "starved", "late")}


def test_a_scenario_in_python_keeps_it() -> None:
    scenario = ps.Scenario.loads(TEXT + REAL)
    assert scenario.real["mtu"] == "9000B"
    assert ps.Scenario.loads(scenario.to_toml()) == scenario
    assert "real" not in ps.Scenario.loads(TEXT).tree()
