"""Metrics that users notice: delays of TCP data, quality of calls, page times, QoO, and responsiveness."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import penstock as ps
import pytest
from penstock.link.outcome import has_quality_of_outcome, quality_of_outcome
from penstock.results.metrics import METRICS
from penstock.scenario.document import Document

ROOT = Path(__file__).resolve().parents[2]
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
    # Uploads and calls wait in the same queue.
    assert traffic["office-backups"]["owd_p99_s"] == pytest.approx(traffic["office-calls-up"]["owd_p99_s"], rel=0.1)


PROBE = {"kind": "tcp", "packets": 1, "arrivals": "100ms"}
TWO = ["1s", "2s"]
PROBES: dict[str, Any] = {"rpm_of": ["bulk"]}
NEEDS = {"delays": {"99%": ["10ms", "50ms"]}, "loss": ["1%", "5%"]}


def probed(queue: str, *, window: int = 1000, count: int = 1, **probes: Any) -> ps.Scenario:
    """Responsiveness probes next to a TCP flow, and datagrams with requirements, over 10 Mbit/s and 40 ms."""
    return ps.dumbbell(
        rate="10Mbit",
        rtt="40ms",
        queue=queue,
        duration="25s",
        warmup="5s",
        traffic={
            "bulk": ps.Tcp(flavour="cubic", window=window, count=count),
            "probes": ps.Tcp(packets=1, packet="100B", arrivals="100ms", **(probes or PROBES)),
            "meeting": ps.Cbr(rate="1Mbit", packet="1000B", qoo=NEEDS),
        },
    )


def test_without_a_queue_every_trip_takes_the_round_trip_time() -> None:
    probes = ps.run(probed("droptail:limit=100p", window=2)).traffic["probes"]
    # 40 ms, and the transmission of the packet itself and of at most three others in front of it, of 1.2 ms each.
    assert 60 / 0.045 < probes.rpm_foreign < 60 / 0.040
    assert 60 / 0.045 < probes.rpm_loaded < 60 / 0.040
    assert probes.rpm == pytest.approx((probes.rpm_foreign + probes.rpm_loaded) / 2)
    assert probes.rpm_probes == 200


def test_the_delay_of_a_full_buffer_is_in_the_responsiveness_and_a_queue_of_its_own_is_not() -> None:
    full, fair = (ps.run(probed(queue)) for queue in ("droptail:limit=200p", "fq-codel"))
    probes = full.traffic["probes"]
    delay = full.links["bottleneck"].delay_mean_s
    assert delay > 0.1
    assert probes.rpm_foreign == pytest.approx(60 / (0.04 + delay), rel=0.1)
    assert probes.rpm_loaded == pytest.approx(60 / full.traffic["bulk"].srtt_mean_s, rel=0.1)
    # New connections bypass the queue of the TCP flow: 40 ms and a few packets.
    assert fair.traffic["probes"].rpm_foreign > 60 / 0.045
    assert fair.traffic["probes"].rpm > 2 * probes.rpm


def test_observed_senders_change_no_other_number() -> None:
    """With probes no sender processes an acknowledgement ahead of its time."""
    plain, observed = (ps.run(probed("red:limit=100p", **each)).raw for each in ({"syn": True}, PROBES))
    traffic = observed["traffic"]["probes"]
    assert len([traffic.pop(name) for name in list(traffic) if name.startswith("rpm")]) == 4
    assert {name: plain[name] for name in ("links", "traffic")} == {
        name: observed[name] for name in ("links", "traffic")
    }


@pytest.mark.parametrize(
    ("needs", "score"),
    [
        ({"delays": {"99%": ["10ms", "30ms"]}}, lambda delay: (0.03 - delay) / 0.02),
        ({"delays": {"99%": ["10ms", "30ms"], "99.9%": ["20ms", "24ms"]}}, lambda delay: (0.03 - delay) / 0.02),
        ({"delays": {"99%": ["10ms", "50ms"], "99.9%": ["20ms", "22ms"]}}, lambda delay: (0.022 - delay) / 0.002),
        ({"delays": {"99%": ["30ms", "40ms"]}, "loss": ["1%", "5%"], "throughput": "0.9Mbit"}, lambda _: 1),
        ({"delays": {"99%": ["30ms", "40ms"]}, "throughput": "1.1Mbit"}, lambda _: 0),
        ({"loss": ["50%", "100%"]}, lambda _: 1),
    ],
)
def test_the_outcome_on_an_idle_link_has_a_closed_form(needs: dict[str, Any], score: Callable[[float], float]) -> None:
    meeting = ps.Cbr(rate="1Mbit", packet="1000B", qoo=needs)
    link = ps.dumbbell(rate="10Mbit", rtt="40ms", queue="droptail", duration="10s", traffic={"meeting": meeting})
    group = ps.run(link).traffic["meeting"]
    # All packets take the same time: 20 ms and three transmissions, the first and the last at much higher rates.
    assert group.owd_sd_s == pytest.approx(0, abs=1e-9)
    assert group.owd_mean_s == pytest.approx(0.0208 + 0.0002, abs=1e-4)
    # The histogram of delays is exact to 0.4 %, which is 4 % of the narrowest range here.
    assert group.qoo == pytest.approx(100 * score(group.owd_mean_s), abs=0.5 if "99.9%" not in str(needs) else 5)


@pytest.mark.parametrize(
    ("measured", "goodput", "score"),
    [
        ({"owd_p99_s": 0.35, "owd_p999_s": 0.375, "loss_rate": 0.02}, 28e6, 50.0),
        ({"owd_p99_s": 0.1, "owd_p999_s": 0.2, "loss_rate": 0.0}, 28e6, 100.0),
        ({"owd_p99_s": 0.1, "owd_p999_s": 0.7, "loss_rate": 0.0}, 28e6, 0.0),
        ({"owd_p99_s": 0.1, "owd_p999_s": 0.2, "loss_rate": 0.0}, 3e6, 0.0),
        ({"loss_rate": 1.0}, 0.0, None),
    ],
)
def test_the_outcome_on_a_real_link_is_that_of_the_example(
    measured: dict[str, float], goodput: float, score: float | None
) -> None:
    """The example of draft-ietf-ippm-qoo: 350 of 200 to 500 ms, 375 of 300 to 600 ms, 2 of 1 to 5 %, 28 Mbit/s."""
    needs = {"delays": {"99%": ["200ms", "500ms"], "99.9%": ["300ms", "600ms"]}, "loss": ["1%", "5%"],
             "throughput": "4Mbit"}  # fmt: skip
    meeting = ps.Cbr(rate="28Mbit", packet="1000B", qoo=needs)
    link = ps.dumbbell(rate="10Mbit", rtt="40ms", traffic={"meeting": meeting})
    (group,) = link.document().resolve().canonical["traffic"]
    assert has_quality_of_outcome(group)
    found = quality_of_outcome(group["qoo"], measured, goodput)
    assert found == (None if score is None else pytest.approx(score))


def test_lost_packets_decide_the_outcome() -> None:
    """Two equal streams together send 1.5 times the capacity: a third of the packets is lost."""
    needs = {"loss": ["20%", "60%"]}
    streams = {name: ps.Cbr(rate="7.5Mbit", packet="1000B", phase="random", qoo=needs) for name in ("one", "other")}
    link = ps.dumbbell(rate="10Mbit", rtt="40ms", queue="droptail:limit=20p", duration="20s", traffic=streams)
    groups = ps.run(link).traffic.values()
    for group in groups:
        assert group.qoo == pytest.approx(100 * min(1, max(0, (0.6 - group.loss_rate) / 0.4)))
    assert sum(group.loss_rate for group in groups) / 2 == pytest.approx(1 / 3, abs=0.01)


def test_comparisons_show_the_outcome_and_the_responsiveness_and_aims_name_them() -> None:
    table = ps.compare(probed("droptail:limit=200p"), ["droptail", "fq-codel"], runs=2)
    text = repr(table)
    assert "meeting: mean" in text
    assert "QoO" in text
    assert "probes: mean" in text
    assert "RPM" in text


@pytest.mark.slow
def test_the_page_shows_what_its_command_prints(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "howto" / "what-users-feel.md").read_text(encoding="utf-8")
    (scenario,) = re.findall(r"^```\{code-block\} toml\n:caption: meeting.toml\n(.*?)^```$", page, re.M | re.S)
    (command,) = re.findall(r"^```sh\n(.*?)\n```$", page, re.M | re.S)
    (printed,) = re.findall(r"^```text\n(.*?)^```$", page, re.M | re.S)
    (tmp_path / "meeting.toml").write_text(scenario, encoding="utf-8")
    words = [sys.executable, "-m", *shlex.split(command)]
    output = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert printed in output
    # The numbers in the sentences below the tables.
    meeting, probes = (line.split() for line in re.findall(r"^droptail .*$", printed, re.M))
    assert f"delivers {100 - float(meeting[-3]):.1f} % of its packets" in page
    assert 60 / float(probes[1]) == pytest.approx(1 / 3, abs=0.01)
    assert float(re.findall(r"^fq-codel .*? ([\d.]+) ± [\d.]+$", printed, re.M)[0]) == pytest.approx(20, abs=2)


def test_the_delay_of_one_packet_in_a_thousand_is_reported() -> None:
    """The jitter of the link is uniform from 0 to 100 ms, shorter than the gaps of 125 ms."""
    link = {"from": "S", "to": "D", "rate": "1Gbit", "delay": "20ms", "jitter": {"uniform": ["0s", "100ms"]}}
    stream = {"kind": "cbr", "from": "S", "to": "D", "rate": "8kbit", "packet": "97B"}
    tree = {"duration": "1500s", "links": {"one": link}, "traffic": {"it": stream}}
    group = ps.run(Document(tree)).traffic["it"]
    assert group.owd_p99_s == pytest.approx(0.02 + 0.99 * 0.1, rel=0.005)
    assert group.owd_p999_s == pytest.approx(0.02 + 0.999 * 0.1, rel=0.005)
    assert group.owd_p99_s < group.owd_p999_s


def test_what_a_code_repairs_is_not_lost_for_the_application() -> None:
    """With 3 % random loss, P(X > 4) of 20 packets is 0.0003; such blocks are not repaired."""
    link = {"from": "S", "to": "D", "rate": "10Mbit", "delay": "20ms", "loss": {"rate": 0.03}}
    stream = {"kind": "fec", "from": "S", "to": "D", "k": 16, "h": 4, "rate": "1Mbit", "packet": "500B"}
    tree = {"duration": "60s", "links": {"one": link}, "traffic": {"it": stream | {"qoo": {"loss": ["1%", "5%"]}}}}
    group = ps.run(Document(tree)).traffic["it"]
    assert group.plr_before == pytest.approx(0.03, abs=0.005)
    assert group.plr_data_after < 0.01
    assert group.qoo == 100


def test_an_idle_path_has_probes_but_no_loaded_trips() -> None:
    link = probed("droptail:limit=100p", count=0)
    probes = ps.run(link).traffic["probes"]
    assert probes.rpm_probes == 200
    assert "rpm" not in probes
    assert "rpm_loaded" not in probes
    assert probes.rpm_foreign > 60 / 0.045


def test_repeated_handshakes_are_measured_from_the_first_packet() -> None:
    """The queue holds 2.4 s: the timeout of 1 s repeats every handshake."""
    link = ps.dumbbell(
        rate="1Mbit",
        rtt="40ms",
        queue="droptail:limit=200p",
        duration="60s",
        warmup="20s",
        traffic={
            "bulk": ps.Tcp(flavour="cubic", count=3),
            "probes": ps.Tcp(packets=1, packet="100B", arrivals="200ms", rpm_of=["bulk"]),
        },
    )
    run = ps.run(link)
    delay = run.links["bottleneck"].delay_mean_s
    assert delay > 1.2
    assert run.traffic["probes"].rpm_foreign == pytest.approx(60 / (0.04 + delay), rel=0.15)


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
        ({"kind": "tcp", "qoo": NEEDS}, "qoo", "add delays = true"),
        ({"kind": "cbr", **CALL, "qoo": {}}, "qoo", "needs delays, loss or both"),
        ({"kind": "cbr", **CALL, "qoo": {"delay": "1s"}}, "qoo.delay", "did you mean"),
        ({"kind": "cbr", **CALL, "qoo": {"loss": ["5%", "1%"]}}, "qoo.loss", "must be below the second"),
        ({"kind": "cbr", **CALL, "qoo": {"delays": {"99%": ["1s"]}}}, "qoo.delays.99%", "optimal and the unacceptable"),
        ({"kind": "cbr", **CALL, "qoo": {"delays": {"p9": ["1s", "2s"]}}}, "qoo.delays.p9", "number from 0 to 1"),
        ({"kind": "cbr", **CALL, "qoo": {"delays": {}}}, "qoo.delays", "needs a percentile"),
        ({"kind": "cbr", **CALL, "qoo": {"delays": {"9%": TWO, "9.0%": TWO}}}, "qoo.delays.9.0%", "given twice"),
        ({**PROBE, "rpm_of": ["its"]}, "rpm_of", 'there is no traffic "its"; did you mean "it"'),
        ({**PROBE, "rpm_of": ["it"]}, "rpm_of", "must be tcp that sends during the whole run"),
        ({**PROBE, "rpm_of": ["some"]}, "rpm_of", "must be tcp that sends during the whole run"),
        ({**PROBE, "rpm_of": ["bulk"], "syn": False}, "syn", "must be true with rpm_of"),
        ({**PROBE, "rpm_of": ["bulk"], "flavour": "vegas"}, "flavour", "it has no handshake"),
        ({**PROBE, "rpm_of": ["bulk"], "packets": 9}, "rpm_of", "transfers of one packet"),
        ({"kind": "tcp", "packets": 1, "rpm_of": ["bulk"]}, "rpm_of", "transfers that repeat"),
    ],
)
def test_wrong_keys_are_refused(keys: dict[str, Any], path: str, words: str) -> None:
    link = {"from": "S", "to": "D", "rate": "10Mbit", "delay": "20ms"}
    ends = {"from": "S", "to": "D"}
    traffic = {"it": {**ends, **keys}, "bulk": {"kind": "tcp", **ends}, "some": {"kind": "tcp", "packets": 9, **ends}}
    tree = {"duration": "5s", "links": {"one": link}, "traffic": traffic}
    with pytest.raises(ps.ScenarioError) as raised:
        Document(tree).resolve()
    assert [error.path for error in raised.value.errors] == [f"traffic.it.{path}"]
    assert words in str(raised.value)


def test_keys_that_are_left_out_are_not_shown() -> None:
    """The keys of stored results therefore stay the same."""
    link = ps.dumbbell(rate="10Mbit", rtt="40ms", traffic=[ps.Tcp(), ps.Cbr(rate="80kbit", packet="172B")])
    groups = link.resolve().readable["traffic"]
    assert not {"delays", "call", "qoo", "rpm_of"} & (groups["tcp"].keys() | groups["cbr"].keys())
