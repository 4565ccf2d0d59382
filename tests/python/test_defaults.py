"""The defaults of a scenario: senders of today, the buffer of a watched link, and the links that are watched."""

from __future__ import annotations

from typing import Any

import penstock as ps
import pytest
from penstock.live.page_data import live_page_data
from penstock.scenario.check import resolved_text
from penstock.scenario.document import Document
from penstock.scenario.resolve import Resolved
from penstock.studies.plan import ComparisonPlan

Tree = dict[str, Any]

BULK: Tree = {"kind": "tcp", "from": "S", "to": "D"}


def link(source: str, target: str, rate: str = "10Mbit", delay: str = "0ms", **more: Any) -> Tree:
    return {"from": source, "to": target, "rate": rate, "delay": delay, **more}


def chain(*rates: str, traffic: Tree | None = None, **bottleneck: Any) -> Document:
    """Links in a row from S over R1, R2, ... to D, named 0, 1, ...; the keys of the first are `bottleneck`."""
    nodes = ["S", *(f"R{i}" for i in range(1, len(rates))), "D"]
    links = {str(i): link(nodes[i], nodes[i + 1], rate, "20ms") for i, rate in enumerate(rates)}
    links["0"] |= bottleneck
    return Document({"duration": "5s", "links": links, "traffic": {"bulk": BULK} if traffic is None else traffic})


def directions(resolved: Resolved) -> dict[str, Any]:
    return {entry["name"]: entry for entry in resolved.canonical["links"]}


def watched(resolved: Resolved) -> list[str]:
    return [name for name, entry in directions(resolved).items() if entry["watch"]]


@pytest.mark.parametrize("reverse", ["same", {"scheme": "droptail", "limit": "1BDP"}])
def test_a_queue_that_only_acknowledgements_cross_has_the_round_trip_of_their_flows(reverse: Any) -> None:
    network = chain("10Mbit", queue={"scheme": "droptail", "limit": "1BDP"}, reverse={"queue": reverse}).resolve()
    limits = [entry["queue"]["limit"] for entry in directions(network).values()]
    assert limits == [{"bytes": 50_000}] * 2


def senders() -> dict[str, Tree]:
    """TCP without keys, as it is resolved, by the way it was written."""
    line = '[links.a]\nfrom = "S"\nto = "D"\nrate = "9Mbit"\ndelay = "9ms"'
    text = f'{line}\n[traffic.t]\nkind = "tcp"\nfrom = "S"\nto = "D"'
    file = Document.parse(f'duration = "5s"\n{text}')
    other = chain("9Mbit", traffic={"t": BULK | {"profile": "ns2"}})
    office = ps.dumbbell(rate="9Mbit", rtt="9ms", workloads={"o": ps.Workload("office", backups=3)})
    written = {
        "file": file.resolve(),
        "set": other.set("traffic.t.profile", "linux").resolve(),
        "dumbbell": ps.dumbbell(rate="9Mbit", rtt="9ms").resolve(),
        "Tcp()": ps.dumbbell(rate="9Mbit", rtt="9ms", traffic=ps.Tcp()).resolve(),
        "workload": office.resolve(),
    }
    names = {"dumbbell": "bulk", "Tcp()": "tcp", "workload": "o-backups"}
    return {way: resolved.readable["traffic"][names.get(way, "t")] for way, resolved in written.items()}


@pytest.mark.parametrize("way", ["file", "set", "dumbbell", "Tcp()", "workload"])
def test_tcp_without_keys_is_a_linux_host_of_today(way: str) -> None:
    sender = senders()[way]
    assert (sender["profile"], sender["flavour"], sender["ecn"]) == ("linux", "cubic", False)
    assert (sender["packet"], sender["headers"]) == ("1460B", "40B")
    assert sender["window"] >= 10**8
    assert sender["start"] == {"uniform": ["0s", "1s"]}


@pytest.mark.parametrize("profile", ["ns2", "ns2-2001", "ns2-2003"])
def test_a_profile_of_ns2_selects_its_reno_packets_and_window(profile: str) -> None:
    sender = chain("9Mbit", traffic={"t": BULK | {"profile": profile}}).resolve().readable["traffic"]["t"]
    assert (sender["flavour"], sender["packet"], sender["window"]) == ("reno", "1000B", 20)


def test_the_window_limits_nothing_on_a_long_fast_path() -> None:
    """10 Gbit/s over 100 ms hold 83 000 packets: more than any window that is set in practice."""
    flow = ps.Tcp(initial_window=90_000, offload=False, start="0s")
    fast = ps.dumbbell(rate="10Gbit", rtt="100ms", duration="1s", warmup="200ms", queue="droptail", traffic=flow)
    assert ps.run(fast).links["bottleneck"].utilization > 0.99


def test_flows_start_at_different_times_within_the_first_second() -> None:
    crowd = ps.dumbbell(rate="100Mbit", rtt="20ms", duration="1s", traffic=ps.Tcp(count=50, bytes="1kB"))
    ends = [ps.run(crowd.replace("duration", f"{end}ms")).traffic["tcp"].sent_pkts for end in (250, 500, 1000)]
    assert 2 <= ends[0] < ends[1] < ends[2]
    assert ends[1] == pytest.approx(25, abs=12)


@pytest.mark.parametrize(
    ("rate", "delay", "more", "limit"),
    [
        ("100Mbit", "20ms", {}, {"bytes": 500_000}),  # 100 Mbit/s x 40 ms
        ("100Mbit", "20ms", {"rtt": "100ms"}, {"bytes": 1_250_000}),
        ("1Mbit", "20ms", {}, {"packets": 20}),  # 5 kB
        ("5999kbit", "20ms", {}, {"packets": 20}),  # just below 20 packets of 1500 B
        ("6001kbit", "20ms", {}, {"bytes": 30_005}),
        ({"uniform": ["50Mbit", "150Mbit"]}, "20ms", {}, {"bytes": 500_000}),
    ],
)
def test_a_watched_link_without_a_queue_buffers_one_bandwidth_delay_product(
    rate: Any, delay: str, more: Tree, limit: Tree
) -> None:
    tree = {"duration": "5s", "links": {"line": link("S", "D", rate, delay, **more)}, "traffic": {"bulk": BULK}}
    queue = directions(Document(tree).resolve())["line"]["queue"]
    assert queue == {"scheme": "droptail", "limit": limit, "params": {}}


def test_twenty_packets_are_those_of_the_traffic() -> None:
    small = {"t": BULK | {"profile": "ns2"}}  # 1040 B
    queue = directions(chain("4800kbit", traffic=small).resolve())["0"]["queue"]
    assert queue["limit"] == {"bytes": 24_000}


def test_links_that_are_not_watched_never_drop() -> None:
    resolved = chain("10Mbit", "100Mbit").resolve()
    assert [name for name, entry in directions(resolved).items() if entry["queue"]] == ["0"]
    burst = {"t": {"kind": "cbr", "rate": "90Mbit", "packet": "1472B", "from": "S", "to": "D", "stop": "1s"}}
    slow = chain("10Mbit", traffic=burst, watch=False).set("duration", "10s")
    assert ps.run(slow).traffic["t"].lost_pkts == 0


def test_the_slowest_link_that_data_cross_is_watched() -> None:
    assert watched(chain("100Mbit", "10Mbit", "50Mbit").resolve()) == ["1"]
    aside = chain("100Mbit", "10Mbit").set("links.aside", link("R1", "X", "1Mbit"))
    assert watched(aside.resolve()) == ["1"]


def test_both_directions_are_watched_where_the_reverse_carries_data() -> None:
    back = chain("10Mbit", traffic={"bulk": BULK, "up": BULK | {"from": "D", "to": "S"}}, reverse={"rate": "20Mbit"})
    resolved = back.resolve()
    assert watched(resolved) == ["0", "0.reverse"]
    assert resolved.watched == ("0", "0.reverse")
    assert directions(resolved)["0.reverse"]["queue"]["limit"] == {"bytes": 100_000}  # 20 Mbit/s x 40 ms


def test_a_link_is_as_slow_as_its_slower_direction() -> None:
    access = chain("50Mbit", "40Mbit", reverse={"rate": "10Mbit"})
    assert watched(access.resolve()) == ["0"]


def test_of_equally_slow_links_those_with_a_queue_are_watched() -> None:
    alike = chain("10Mbit", "10Mbit", "10Mbit")
    for name in ("1", "2"):
        alike = alike.set(f"links.{name}.queue", {"scheme": "red", "limit": "50p"})
    assert watched(alike.resolve()) == ["1", "2"]


def test_of_equally_slow_links_without_a_queue_the_shared_one_is_watched() -> None:
    tree = {
        "duration": "5s",
        "links": {"access": link("S{i}", "R", count=3), "core": link("R", "D")},
        "traffic": {"bulk": BULK | {"from": "S{i}", "count": 3}},
    }
    assert watched(Document(tree).resolve()) == ["core"]


@pytest.mark.parametrize("mark", [True, False])
def test_a_link_that_says_watch_leaves_the_choice_to_the_file(mark: bool) -> None:
    resolved = chain("10Mbit", "20Mbit").set("links.1.watch", mark).resolve()
    assert watched(resolved) == (["1"] if mark else [])


def test_a_dumbbell_is_resolved_like_the_file_that_it_writes() -> None:
    dumbbell = ps.dumbbell(rate="10Mbit", rtt="80ms", traffic={"bulk": ps.Tcp(count=3)})
    resolved = dumbbell.resolve()
    assert ps.Scenario.loads(dumbbell.to_toml()).resolve().readable == resolved.readable
    assert resolved.watched == ("bottleneck",)
    assert directions(resolved)["bottleneck"]["queue"]["limit"] == {"bytes": 100_000}
    narrow = ps.dumbbell(rate="10Mbit", rtt="80ms", access="5Mbit")
    assert narrow.resolve().watched == ("bottleneck",)


def test_compare_gives_schemes_the_buffer_that_the_link_has_by_default() -> None:
    dumbbell = ps.dumbbell(rate="100Mbit", rtt="40ms", traffic={"bulk": ps.Tcp(count=4)})
    plan = ComparisonPlan.resolve_cases(
        dumbbell, ["droptail", "fq-codel", "codel:limit=7p"], vary={"links.bottleneck.rate": ["100Mbit", "2Mbit"]}
    )
    limits = [directions(case.resolved)["bottleneck"]["queue"]["limit"] for case in plan.cases]
    bdp, smallest, own = {"bytes": 500_000}, {"packets": 20}, {"packets": 7}
    assert limits == [bdp, bdp, own, smallest, smallest, own]
    assert plan.cases[0].resolved.canonical == plan.base.canonical


def test_compare_watches_what_the_scenario_watches() -> None:
    traffic = {"bulk": BULK, "up": BULK | {"from": "D", "to": "S"}}
    queue = {"scheme": "droptail", "limit": "50p"}
    both = chain("10Mbit", "20Mbit", traffic=traffic, queue=queue, reverse={"queue": "same"})
    for at in (None, "1"):
        plan = ComparisonPlan.resolve_cases(both, ["red"], at=at)
        assert set(watched(plan.cases[0].resolved)) == {"0", "0.reverse", *([at] if at else [])}


def test_what_check_prints_has_every_default_and_means_the_same() -> None:
    resolved = chain("10Mbit", "20Mbit").resolve()
    again = Document.parse(resolved_text(resolved)).resolve()
    assert (again.readable, again.watched) == (resolved.readable, resolved.watched)
    assert again.canonical["links"] == resolved.canonical["links"]


def test_all_panes_of_a_live_bench_have_the_buffer_that_the_link_has_by_default() -> None:
    document = chain("10Mbit", "100Mbit", traffic={"bulk": BULK | {"count": 4}})
    for at, limit in ((None, {"bytes": 100_000}), ("1", {"bytes": 1_000_000})):  # 10 and 100 Mbit/s x 80 ms
        assert [pane["limit"] for pane in live_page_data(document, ["codel", "red"], at)["panes"]] == [limit] * 3
