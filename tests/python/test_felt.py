"""What users feel: delays of TCP data, quality of calls, load times of pages."""

from __future__ import annotations

from typing import Any

import penstock as ps
import pytest
from penstock.results.metrics import METRICS
from penstock.scenario.scenario import Document

CALL = {"rate": "80kbit", "packet": "172B"}


def office(queue: str) -> ps.Scenario:
    """Calls, pages and uploads over an uplink with a buffer of 240 ms."""
    load = ps.Workload("office", users=4, calls=5, backups=2, meetings=0, from_="D", to="S", web={"start": "0s"})
    return ps.dumbbell(rate="10Mbit", rtt="40ms", queue=queue, duration="25s", warmup="5s", workloads={"office": load})


def test_a_queue_of_its_own_serves_a_call_better_than_a_full_buffer() -> None:
    full, fair = (
        ps.run(office(queue)).traffic["office-calls-up"] for queue in ("droptail:limit=200p", "fq-codel:limit=200p")
    )
    # 20 ms to fill a packet and 20 ms of propagation: users are very satisfied (G.107, table B.1).
    assert 0.04 < fair.mouth_to_ear_s < 0.06
    assert fair.mos > 4.34
    assert full.mouth_to_ear_s > 0.2
    assert full.mos < fair.mos - 0.2


def test_results_of_measured_traffic_are_defined_metrics() -> None:
    traffic = ps.run(office("droptail:limit=200p")).raw["traffic"]
    defined = {metric.name for metric in METRICS}
    new = ("owd_", "jitter_", "page", "mos", "r_factor", "mouth_")
    measured = {name for group in traffic.values() for name in group if name.startswith(new)}
    assert measured >= {
        "owd_p99_s",
        "jitter_mean_s",
        "page_mean_s",
        "page_p95_s",
        "pages",
        "mos",
        "r_factor",
        "mouth_to_ear_s",
    }
    assert measured <= defined
    assert traffic["office-web"]["page_p50_s"] <= traffic["office-web"]["page_p95_s"]
    # The uploads are the packets of the same queue as the calls'.
    assert traffic["office-backups"]["owd_p99_s"] == pytest.approx(traffic["office-calls-up"]["owd_p99_s"], rel=0.1)


def test_comparisons_show_calls_and_pages() -> None:
    table = ps.compare(office("droptail:limit=200p"), ["droptail", "fq-codel"], runs=2)
    text = repr(table)
    assert "office-calls-up: mean" in text
    assert "MOS" in text
    assert "page p95" in text
    plain = ps.dumbbell(
        rate="10Mbit",
        rtt="40ms",
        queue="droptail:limit=50p",
        duration="2s",
        traffic=ps.Cbr(rate="80kbit", packet="172B"),
    )
    assert "MOS" not in repr(ps.compare(plain, ["droptail", "red"], runs=2))


@pytest.mark.parametrize(
    ("keys", "path", "words"),
    [
        ({"kind": "cbr", **CALL, "call": "g722"}, "call", "must be one of g711, g711-plain, g729a"),
        ({"kind": "cbr", **CALL, "rate": {"exp": "80kbit"}, "call": "g711"}, "call", "one rate and one packet size"),
        ({"kind": "poisson", **CALL, "call": "g711"}, "call", "unknown key"),
        ({"kind": "cbr", **CALL, "delays": True}, "delays", "unknown key"),
        ({"kind": "tcp", "delays": "yes"}, "delays", "must be true or false"),
    ],
)
def test_wrong_keys_are_refused(keys: dict[str, Any], path: str, words: str) -> None:
    link = {"from": "S", "to": "D", "rate": "10Mbit", "delay": "20ms"}
    tree = {"duration": "5s", "links": {"one": link}, "traffic": {"it": {"from": "S", "to": "D", **keys}}}
    with pytest.raises(ps.ScenarioError) as raised:
        Document(tree).resolve()
    assert [error.path for error in raised.value.errors] == [f"traffic.it.{path}"]
    assert words in str(raised.value)


def test_keys_that_are_left_out_are_not_shown() -> None:
    """So keys of stored results stay what they were."""
    link = ps.dumbbell(rate="10Mbit", rtt="40ms", traffic=[ps.Tcp(), ps.Cbr(rate="80kbit", packet="172B")])
    groups = link.resolve().readable["traffic"]
    assert not {"delays", "call"} & (groups["tcp"].keys() | groups["cbr"].keys())
