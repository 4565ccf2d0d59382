"""Traffic whose connections come and go, and bursts, against closed forms."""

from __future__ import annotations

import json
from typing import Any

import penstock as ps
import pytest


def _run(traffic: dict[str, Any], *, duration: str = "200s", rate: str = "100Mbit") -> ps.Run:
    return ps.run(ps.dumbbell(rate=rate, rtt="20ms", duration=duration, queue=ps.DropTail(), traffic=traffic))


def test_bursts_of_a_time_have_their_share_of_the_rate() -> None:
    run = _run(
        {
            "bursts": ps.OnOff(
                over="udp", on={"exp": "200ms"}, off={"exp": "300ms"}, rate="1Mbit", packet="472B", count=20
            )
        }
    )
    # 0.4 of 1 Mbit/s each; a burst also has the packet that begins it: half a gap of 4 ms more, 1 %.
    assert run.traffic["bursts"].goodput_bps == pytest.approx(20 * 0.4e6 * 472 / 500, rel=0.03)


def test_bursts_of_packets_repeat_exactly() -> None:
    run = _run({"bursts": ps.OnOff(over="udp", on={"packets": 10}, off="100ms", rate="1Mbit", packet="97B")})
    # Ten packets of 125 B are 10 ms on the wire; then 100 ms of pause.
    assert run.traffic["bursts"].sent_pkts == pytest.approx(200 / 0.11 * 10, abs=10)


def test_transfers_follow_each_other() -> None:
    run = _run({"t": ps.OnOff(on={"packets": 256}, off={"exp": "2s"}, count=20, profile="linux", flavour="newreno")})
    traffic = run.traffic["t"]
    # Alone on a fast link, each takes the round trips of slow start: 10, 20, ... 160 packets.
    assert 0.1 < traffic.completion_mean_s < 0.2
    assert traffic.completed == pytest.approx(20 * 200 / (2 + traffic.completion_mean_s), rel=0.06)
    assert traffic.goodput_bps * 200 / 8 == pytest.approx(traffic.completed * 256 * 1448, rel=0.02)
    assert traffic.retransmitted_pkts == 0


def test_a_stopped_source_starts_nothing_more() -> None:
    source = ps.OnOff(on={"packets": 10}, off="1s", stop="10.5s", profile="linux")
    traffic = _run({"t": source}).traffic["t"]
    assert traffic.completed == 1 + 10.5 // (1 + traffic.completion_mean_s)


def test_pages_come_one_after_the_other() -> None:
    web = ps.Web(sessions=2, pages="5s", objects=3, gap="100ms", size="1000B", profile="linux")
    traffic = _run({"w": web}).traffic["w"]
    # A page takes 200 ms of gaps and two round trips of 20 ms; then 5 s of pause.
    assert traffic.completed / 2 == pytest.approx(3 * 200 / 5.24, abs=3)
    assert len(traffic.flows["goodput_bps"]) == 2


def test_sessions_are_the_same_beside_others_and_on_any_number_of_threads() -> None:
    web = ps.Web(sessions=20, profile="linux", start={"uniform": ["0s", "10s"]})
    alone = _run({"w": web}, rate="1Gbit").traffic["w"]
    beside = _run({"w": web, "extra": ps.Web(sessions=5, profile="linux")}, rate="1Gbit").traffic["w"]
    assert alone.completed == beside.completed


@pytest.mark.parametrize(
    ("traffic", "message"),
    [
        ('kind = "onoff"\non = "1s"\noff = "1s"', "number of packets"),
        ('kind = "onoff"\non = { packets = 0 }\noff = "1s"', "between 1 and"),
        ('kind = "onoff"\non = { packets = 5, time = 3 }\noff = "1s"', "stands alone"),
        ('kind = "onoff"\noff = "1s"', "is missing"),
        ('kind = "onoff"\non = { packets = 5 }\noff = "1s"\npackets = 7', "drawn for each connection"),
        ('kind = "web"\ncount = 5', "write sessions"),
        ('kind = "web"\nsessions = 5\noption = 2', "between 0 and 1"),
        ('kind = "web"\nobjects = 0', "above 0"),
        ('kind = "web"\nsize = { pareto = "12kB", shape = 1 }', "shape above 1"),
        ('kind = "web"\nsise = "12kB"', 'did you mean "size"'),
    ],
)
def test_errors_are_told(traffic: str, message: str) -> None:
    text = f'duration = "1s"\n[links.b]\nfrom = "A"\nto = "B"\nrate = "1Mbit"\ndelay = "1ms"\n[traffic.t]\n{traffic}\n'
    with pytest.raises(ps.ScenarioError, match=message):
        ps.Scenario.loads(text + 'from = "A"\nto = "B"\n')


def test_a_file_and_its_resolved_form_are_the_same() -> None:
    web = ps.Web(sessions=3, option=0, request="40B")
    scenario = ps.dumbbell(rate="1Mbit", rtt="20ms", duration="5s", queue=ps.DropTail(), traffic={"w": web})
    resolved = scenario.resolve()
    again = ps.Scenario.loads(ps.Scenario.from_tree(json.loads(json.dumps(resolved.readable))).to_toml())
    assert again.resolve().canonical["traffic"][0]["web"] == resolved.canonical["traffic"][0]["web"]
