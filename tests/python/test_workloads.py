"""Named workloads: each sends what its description says, and is the traffic that one would write by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

import penstock as ps
import pytest
from penstock.cli.lists import LISTS
from penstock.scenario.check import resolved_text
from penstock.scenario.document import Document
from penstock.scenario.workloads import KINDS, PARTS, default_flow_count
from penstock.tuning.scaling import scaled_scenario

WARMUP, SECONDS = 40, 120


@cache
def alone(kind: str) -> Mapping[str, Any]:
    """The traffic of a workload on a link that does not limit it, after its start."""
    fast, seconds = kind == "data-centre", 4 if kind == "data-centre" else SECONDS
    # Endless backups would fill the link.
    none = {"backups": 0} if "backups" in KINDS[kind].parts else {}
    link = ps.dumbbell(
        rate="40Gbit" if fast else "10Gbit",
        rtt="100us" if fast else "1ms",
        duration=f"{seconds + (1 if fast else WARMUP)}s",
        warmup="1s" if fast else f"{WARMUP}s",
        workloads={"it": ps.Workload(kind, **none)},  # type: ignore[arg-type]
    )
    groups: dict[str, Any] = dict(ps.run(link).raw["traffic"])
    return groups | {"seconds": seconds}


def near(found: float, expected: float, within: float) -> None:
    assert math.isclose(found, expected, rel_tol=within), f"{found}, {expected} expected"


@pytest.mark.parametrize("kind", KINDS)
def test_a_workload_has_the_groups_and_flows_of_its_description(kind: str) -> None:
    groups = alone(kind)
    for part in PARTS:
        size = 0 if part == "backups" else default_flow_count(KINDS[kind], part, KINDS[kind].default_users)
        for name, _, _ in PARTS[part].groups(part):
            assert (f"it-{name}" in groups) == (size > 0)
            if size:
                # All senders of an incast are one flow.
                assert groups[f"it-{name}"]["count"] == (1 if part == "queries" else size)


@pytest.mark.parametrize(("part", "objects", "bytes_"), [("web", 71, 2652 * 1024), ("mobile_web", 66, 2311 * 1024)])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "data-centre"])
def test_users_read_the_median_page_for_half_a_minute(kind: str, part: str, objects: int, bytes_: int) -> None:
    users = default_flow_count(KINDS[kind], part, KINDS[kind].default_users)
    if not users:
        assert part == ("web" if kind == "mobile" else "mobile_web")
        return
    web = alone(kind)[f"it-{part}"]
    # Whole packets: the mean of ceil(x / 1460) for exponential x.
    packet = 1460
    size = packet / (1 - math.exp(-packet / (bytes_ / objects)))
    near(web["goodput_bps"] / 8 * SECONDS / web["completed"], size, 5 / math.sqrt(web["completed"]))
    # A page takes the 30 s and its requests, of which all but the first wait 30 ms on average.
    pages = web["completed"] / objects
    near(pages, users * SECONDS / (30 + 0.03 * objects), 3.5 / math.sqrt(pages))


@pytest.mark.parametrize("kind", ["office", "mobile", "satellite", "campus-uplink"])
def test_a_call_is_50_packets_and_80_kbit_a_second_both_ways(kind: str) -> None:
    groups = alone(kind)
    for name in ("it-calls", "it-calls-up"):
        calls = groups[name]
        near(calls["sent_pkts"], calls["count"] * 50 * SECONDS, 0.001)
        near(calls["goodput_bps"], calls["count"] * 50 * 172 * 8, 0.001)


@pytest.mark.parametrize("kind", ["home", "office", "school", "campus-uplink"])
def test_a_video_call_has_30_frames_and_1200_kbit_a_second_both_ways(kind: str) -> None:
    groups = alone(kind)
    for name in ("it-meetings", "it-meetings-up"):
        calls = groups[name]
        near(calls["frames"], calls["count"] * 30 * SECONDS, 0.002)
        wire = (calls["goodput_bps"] * SECONDS + calls["sent_pkts"] * 28 * 8) / SECONDS
        near(wire, calls["count"] * 1.2e6, 0.03)


@pytest.mark.parametrize(
    ("kind", "part", "rate"),
    [("home", "video", 5e6), ("school", "video", 5e6), ("campus-uplink", "video", 5e6)]
    + [(kind, "video_720p", 3e6) for kind in ("mobile", "satellite")],
)
def test_a_film_is_a_segment_each_4_seconds(kind: str, part: str, rate: float) -> None:
    films = alone(kind)[f"it-{part}"]
    assert films["completed"] == films["count"] * SECONDS / 4
    near(films["goodput_bps"], films["count"] * rate, 0.002)


@pytest.mark.parametrize("kind", ["home", "campus-uplink"])
def test_a_player_sends_and_gets_the_packets_of_the_trace(kind: str) -> None:
    groups = alone(kind)
    for name, gap, payload in (("it-games", 0.062, 127), ("it-games-up", 0.0417, 82)):
        near(groups[name]["sent_pkts"], groups[name]["count"] * SECONDS / gap, 0.001)
        near(groups[name]["goodput_bps"], groups[name]["count"] * payload * 8 / gap, 0.001)


def test_downloads_have_500_kilobytes_and_pause_for_5_seconds() -> None:
    downloads = alone("mobile")["it-downloads"]
    near(downloads["goodput_bps"] / 8 * SECONDS / downloads["completed"], 500_000, 0.03)
    cycle = 5 + downloads["completion_mean_s"]
    near(downloads["completed"], downloads["count"] * SECONDS / cycle, 3.5 / math.sqrt(downloads["completed"]))


def test_servers_of_a_cluster_offer_their_load_and_answer_queries() -> None:
    groups = alone("data-centre")
    flows, queries, seconds = groups["it-flows"], groups["it-queries"], groups["seconds"]
    near(flows["completed"], 40 * 100e6 * seconds / (8 * 1.71e6), 3.5 / math.sqrt(flows["completed"]))
    near(flows["goodput_bps"], 40 * 100e6, 0.25)
    assert queries["rounds"] == seconds * 10
    near(queries["goodput_bps"], 10 * 8 * 1e6, 0.02)


def test_backups_fill_the_uplink() -> None:
    link = ps.dumbbell(
        rate="10Mbit",
        rtt="40ms",
        duration="30s",
        warmup="10s",
        queue="droptail:limit=50p",
        workloads={"it": ps.Workload("office", users=0, to="S", from_="D", backups=2)},
    )
    run = ps.run(link)
    assert run.links["bottleneck"].utilization > 0.95
    assert list(run.raw["traffic"]) == ["it-backups"]


def test_calls_and_probes_next_to_backups_have_the_metrics_of_users() -> None:
    """QoO of a call: 100 up to 100 ms (ITU-T Y.1541, class 0), 0 from 400 ms (ITU-T G.114)."""
    load = ps.Workload("office", users=0, to="S", from_="D", calls=1, backups=2, probes=1)
    runs = {}
    for queue in ("droptail:limit=200p", "fq-codel"):
        link = ps.dumbbell(rate="10Mbit", rtt="40ms", duration="30s", warmup="10s", queue=queue, workloads={"it": load})
        runs[queue] = ps.run(link)
    full, fair = runs.values()
    call, probes = full.traffic["it-calls-up"], full.traffic["it-probes"]
    assert 0.1 < call.owd_p99_s < 0.4
    assert call.qoo == pytest.approx(100 * (0.4 - call.owd_p99_s) / 0.3, abs=1)
    assert fair.traffic["it-calls-up"].qoo == 100
    assert probes.rpm_foreign == pytest.approx(60 / (0.04 + full.links["bottleneck"].delay_mean_s), rel=0.1)
    assert fair.traffic["it-probes"].rpm > 2 * probes.rpm


OFFICE = """
duration = "5s"
[links.uplink]
from = "office"
to = "internet"
rate = "100Mbit"
delay = "20ms"
[workloads.office]
kind = "office"
from = "internet"
to = "office"
"""


def resolved(more: str = "") -> Mapping[str, Any]:
    shown: dict[str, Any] = Document.parse(OFFICE + more).resolve().readable["traffic"]
    return shown


def test_a_workload_is_the_traffic_that_check_shows() -> None:
    document = Document.parse(OFFICE)
    again = Document.parse(resolved_text(document.resolve()))
    assert "workloads" not in again.tree
    assert again.resolve().content() == document.resolve().content()


def test_parts_are_numbers_or_tables_and_can_be_set() -> None:
    groups = resolved('calls = { count = 7, dscp = 0, up = { rate = "64kbit" } }\nmeetings = 0\ngames = 1\n')
    assert (groups["office-calls"]["count"], groups["office-calls-up"]["count"]) == (7, 7)
    assert (groups["office-calls"]["rate"], groups["office-calls-up"]["rate"]) == ("80kbit", "64kbit")
    assert "dscp" not in groups["office-calls"]
    assert "office-meetings" not in groups
    assert groups["office-games-up"]["from"] == "office"
    document = Document.parse(OFFICE).set("workloads.office.users", 120).set("workloads.office.web.objects", 3)
    shown = document.resolve().readable["traffic"]
    assert (shown["office-web"]["sessions"], shown["office-calls"]["count"]) == (120, 10)
    assert shown["office-web"]["objects"] == 3


def test_twice_the_load_is_twice_the_users() -> None:
    document = scaled_scenario(Document.parse(OFFICE), "uplink", flows=2.0)
    assert document.resolve().readable["traffic"]["office-web"]["sessions"] == 120


@pytest.mark.parametrize(
    ("more", "path", "words"),
    [
        ("users = -1\n", "workloads.office.users", "between 0 and 1000000"),
        ("wep = 3\n", "workloads.office.wep", 'did you mean "web"'),
        ('calls = "five"\n', "workloads.office.calls", "number of flows, or a table"),
        ("calls = -5\n", "workloads.office.calls.count", "must lie between 0"),
        ('calls = { packet = "1GB" }\n', "workloads.office.calls.packet", "payload"),
        ("web = { up = { objects = 1 } }\n", "workloads.office.web.up", "no direction"),
        ('[workloads.two]\nkind = "ofice"\nfrom = "office"\nto = "internet"', "workloads.two.kind", "office"),
        ('[workloads.two]\nkind = "home"\nfrom = "office"', "workloads.two.to", "is missing"),
        ('[workloads]\n"a.b" = 3', "workloads.a.b", "letters, digits"),
        (
            '[traffic.office-web]\nkind = "tcp"\nfrom="office"\nto="internet"',
            "workloads.office.web",
            "also in the file",
        ),
    ],
)
def test_errors_name_what_is_in_the_file(more: str, path: str, words: str) -> None:
    with pytest.raises(ps.ScenarioError) as raised:
        Document.parse(OFFICE + more, "it.toml").resolve()
    assert [error.path for error in raised.value.errors] == [path]
    assert words in str(raised.value)
    assert "it.toml:" in str(raised.value)


def test_scenarios_in_python_have_workloads() -> None:
    scenario = ps.dumbbell(rate="100Mbit", rtt="40ms", workloads={"office": ps.Workload("office", calls=5)})
    assert set(scenario.tree()["workloads"]["office"]) == {"kind", "from", "to", "calls"}
    assert ps.Scenario.loads(scenario.to_toml()) == scenario
    assert scenario.replace("workloads.office.users", 7).resolve().readable["traffic"]["office-web"]["sessions"] == 7


def test_the_list_of_workloads_names_sources() -> None:
    entries = LISTS["workloads"].entries()
    assert [entry["name"] for entry in entries] == list(KINDS)
    assert all(part["source"] for entry in entries for part in entry["parts"])
    assert {part["name"] for entry in entries for part in entry["parts"]} == set(PARTS)
    assert "office" in LISTS["workloads"].text(entries)


HOUSEHOLDS = """duration = "20s"
[links.line]
from = "S"
to = "R"
rate = "50Mbit"
delay = "10ms"
[links.drop]
count = 8
from = "R"
to = "H{i}"
rate = "1Gbit"
delay = "1ms"
[workloads.homes]
kind = "home"
count = 8
from = "S"
to = "H{i}"
KEYS
"""


def test_households_have_the_flows_of_one_each_and_a_node_of_their_own() -> None:
    groups = Document.parse(HOUSEHOLDS.replace("KEYS", "calls = { count = 2 }")).resolve().readable["traffic"]
    homes = [f"H{i}" for i in range(8)]
    # 3 users, a film, a game and a meeting in each; and two calls.
    assert (groups["homes-web"]["sessions"], groups["homes-video"]["count"]) == (24, 8)
    assert (groups["homes-calls"]["count"], groups["homes-games-up"]["count"]) == (16, 8)
    assert (groups["homes-web"]["from"], groups["homes-web"]["to"]) == ("S", homes)
    assert (groups["homes-games-up"]["from"], groups["homes-games-up"]["to"]) == (homes, "S")


def test_each_household_has_the_same_share_of_a_part() -> None:
    found = ps.run(ps.Scenario.loads(HOUSEHOLDS.replace("KEYS", "web = 0\nvideo = 0\nmeetings = 0\ncalls = 2")))
    calls = found.traffic["homes-calls"].flows
    assert len(calls["sent_pkts"]) == 16
    # Flow k belongs to household k modulo 8: two calls of 50 packets a second in each.
    for home in range(8):
        sent = sum(calls["sent_pkts"][home::8])
        assert sent == pytest.approx(2 * 50 * 20, abs=2 * 50)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("count = 8", ["workloads.homes.count", "between 1 and 10000"]),
        ('to = "H{i}"', ["workloads.homes.to", "must have {i}"]),
        ("queries = 3", ["workloads.homes.count", "queries"]),
    ],
)
def test_households_that_cannot_be_are_refused(keys: str, words: list[str]) -> None:
    replaced = {"count = 8": "count = 0", 'to = "H{i}"': 'to = "R"'}
    text = HOUSEHOLDS.replace("KEYS", keys if keys == "queries = 3" else "")
    head, _, workload = text.partition("[workloads")
    text = f"{head}[workloads{workload.replace(keys, replaced.get(keys, keys))}"
    with pytest.raises(ps.ScenarioError) as caught:
        _ = Document.parse(text).resolve().canonical
    assert all(word in str(caught.value) for word in words), caught.value
