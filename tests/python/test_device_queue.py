"""`device_queue` of a link in scenarios; crates/penstock-sim/tests/integration/device_queue.rs tests what it does."""

from __future__ import annotations

from typing import Any

import penstock as ps
import pytest
from penstock import Scenario
from penstock.errors import ScenarioError

TEXT = """
name = "device"
duration = "20s"
warmup = "5s"

[links.core]
from = "A"
to = "B"
rate = "2Mbit"
delay = "20ms"
queue = { scheme = "codel", limit = "200p" }
{line}

[traffic.bulk]
kind = "tcp"
profile = "linux"
from = "A"
to = "B"
count = 2
"""


def scenario(line: str) -> Scenario:
    return Scenario.loads(TEXT.replace("{line}", line), "device")


def canonical(line: str) -> list[Any]:
    return [entry.get("device_queue") for entry in scenario(line).resolve().canonical["links"]]


def test_a_limit_is_in_packets_or_bytes_and_of_one_direction() -> None:
    assert canonical("device_queue = 3") == [{"packets": 3}, None]
    assert canonical('device_queue = "3p"') == [{"packets": 3}, None]
    assert canonical('device_queue = "9kB"') == [{"bytes": 9000}, None]
    reverse = 'reverse = { queue = "same", device_queue = 4 }'
    assert canonical(reverse) == [None, {"packets": 4}]
    assert scenario('device_queue = "9kB"').resolve().readable["links"]["core"]["device_queue"] == "9000B"
    assert scenario(reverse).resolve().readable["links"]["core"]["reverse"]["device_queue"] == "4p"


def test_without_one_the_canonical_form_has_no_such_key() -> None:
    assert all("device_queue" not in entry for entry in scenario("").resolve().canonical["links"])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("device_queue = 0", "must be a whole number of packets or bytes, at least 1"),
        ('device_queue = "2BDP"', "must be a whole number of packets or bytes, at least 1"),
        ("reverse = { device_queue = 3 }", "needs a queue above it"),
    ],
)
def test_other_limits_are_refused(line: str, message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        scenario(line).resolve()


def test_the_shown_scenario_gives_the_same_run() -> None:
    run = ps.run(scenario('device_queue = "5p"'))
    again = ps.run(Scenario.from_tree(scenario('device_queue = "5p"').resolve().readable))
    assert again.links["core"].delay_mean_s == run.links["core"].delay_mean_s
    # A full device queue of five packets of 1500 bytes adds 30 ms, and two flows keep it full most of the time.
    assert run.links["core"].delay_mean_s > ps.run(scenario("")).links["core"].delay_mean_s + 0.015


def test_a_link_of_python_takes_it() -> None:
    queue = ps.CoDel(limit="200p")
    link = ps.Link(from_="A", to="B", rate="2Mbit", delay="20ms", queue=queue, device_queue=3)
    built = Scenario(name="x", duration="1s", links={"core": link}, traffic={"bulk": ps.Tcp(from_="A", to="B")})
    assert built.resolve().canonical["links"][0]["device_queue"] == {"packets": 3}
