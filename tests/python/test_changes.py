"""Changes of scenarios: every TCP group gets the settings, other traffic none; several changes follow one another."""

from __future__ import annotations

import penstock as ps
import pytest
from penstock.papers.bodin_schelen_2001 import setup as bs
from penstock.papers.chung_claypool_2003 import setup as cc
from penstock.papers.kantawala_turner_2005 import readings
from penstock.papers.kantawala_turner_2005 import setup as kt
from penstock.reproduce.changes import combined_change, fifo_limit_change, queue_change, tcp_change
from penstock.scenario.document import Document, as_document


def mixed() -> Document:
    traffic = {"first": ps.Tcp(), "second": ps.Tcp(count=2), "noise": ps.Cbr(rate="1Mbit", packet="100B")}
    return as_document(ps.dumbbell(rate="10Mbit", rtt="20ms", queue=ps.DropTail(limit="20p"), traffic=traffic))


def test_settings_of_tcp_reach_all_tcp_and_nothing_else() -> None:
    before = mixed()
    after = tcp_change(min_rto="200ms", window=7)(before)
    after.resolve()
    for name in ("first", "second"):
        assert after.tree["traffic"][name] == {**before.tree["traffic"][name], "min_rto": "200ms", "window": 7}
    assert after.tree["traffic"]["noise"] == before.tree["traffic"]["noise"]
    assert "min_rto" not in before.tree["traffic"]["first"]


def test_settings_of_queues_reach_the_links_with_these_schemes() -> None:
    queues = {"a": ps.Red(limit="20p"), "b": ps.DropTail(limit="20p"), "c": None}
    links = {
        name: ps.Link(from_=f"{name}1", to=f"{name}2", rate="1Mbit", delay="1ms", queue=queue)
        for name, queue in queues.items()
    }
    before = as_document(ps.Scenario(name="three links", duration="1s", links=links, traffic={}))
    after = queue_change(("red", "psand"), limit="7p", max_p=0.5)(before)
    assert after.tree["links"]["a"]["queue"] == {**before.tree["links"]["a"]["queue"], "limit": "7p", "max_p": 0.5}
    assert all(after.tree["links"][name] == before.tree["links"][name] for name in "bc")
    assert before.tree["links"]["a"]["queue"]["limit"] == "20p"


def test_a_limit_is_for_the_links_without_a_queue_of_their_own() -> None:
    before = as_document(kt.three_hops("long", kt.queue("DTDRR", 400), ("2s", "1s")))
    after = fifo_limit_change("50p")(before)
    after.resolve()
    bottlenecks = {name for name, link in before.tree["links"].items() if link.get("queue")}
    assert bottlenecks == {"hop0", "hop1", "hop2"}
    for name, link in after.tree["links"].items():
        original = before.tree["links"][name]
        assert link == (
            original if name in bottlenecks else {**original, "queue": {"scheme": "droptail", "limit": "50p"}}
        )


def test_changes_follow_one_another_and_none_is_none() -> None:
    both = combined_change(tcp_change(window=7), None, tcp_change(window=9))
    assert both is not None
    assert both(mixed()).tree["traffic"]["first"]["window"] == 9
    assert combined_change(None, None) is None


def test_the_reconstructed_tagger_is_that_of_ns2_and_leaves_token_buckets() -> None:
    reconstructed = bs.reconstructed(as_document(bs.scenario("Reno, strict", "DA", 5.0)))
    expected = as_document(bs.scenario("Reno, strict", "DA", 5.0, conditioner="TSW of ns-2"))
    assert reconstructed.tree["links"] == expected.tree["links"]
    assert {group["min_rto"] for group in reconstructed.tree["traffic"].values()} == {"200ms"}
    bucket = as_document(bs.scenario("Reno, strict", "DA", 5.0, conditioner="token bucket"))
    assert bs.reconstructed(bucket).tree["links"] == bucket.tree["links"]


def test_a_flow_alone_fills_its_reconstructed_access_link_and_loses_there() -> None:
    """33 packets are under way over 40 ms at 10 Mb/s, and 50 wait: more are lost, but none in the printed set-up."""
    link = {"fast": ps.Link(from_="A", to="R1", rate="10Mbit", delay="20ms", watch=True)}
    traffic = {"fast": ps.Tcp(from_="A", to="R1", profile="ns2", packet=f"{kt.PAYLOAD}B", window=100_000)}
    before = as_document(ps.Scenario(name="one", duration="10s", links=link, traffic=traffic))
    endless = before.set("links.fast.queue", {"scheme": "droptail", "limit": "inf"})
    printed, reconstructed = (ps.run(document).links["fast"] for document in (endless, kt.reconstructed(before)))
    assert (printed.drops, reconstructed.drops > 0) == (0, True)
    assert len(reconstructed.length_pmf) - 1 == kt.ACCESS_LIMIT < len(printed.length_pmf) - 1


def test_windows_of_20_packets_never_fill_a_buffer_of_50_at_the_access_link() -> None:
    short = combined_change(kt.EARLIER_TIMER, kt.SHORT_WINDOWS)(
        as_document(kt.two_round_trips("short", kt.queue("DTDRR", 400), ("3s", "1s"), flows=200))
    )
    limited, unlimited = (
        ps.run(change(short)) for change in (fifo_limit_change(f"{kt.ACCESS_LIMIT}p"), kt.with_access_limits)
    )
    assert kt.with_access_limits(short).tree["links"] == short.tree["links"]
    assert kt.measure(limited) == kt.measure(unlimited)


@pytest.mark.parametrize("load", ["long", "short"])
def test_the_reading_chosen_by_printed_numbers_is_the_reconstructed_set_up(load: str) -> None:
    chosen = readings.READINGS[readings.READ.chosen]
    before = as_document(kt.two_round_trips(load, kt.queue("DSDRR", 400), ("2s", "1s")))
    assert chosen is not None
    assert chosen(before).resolve().canonical == kt.reconstructed(before).resolve().canonical
    assert chosen(before).resolve().canonical != before.resolve().canonical


def test_the_reconstructed_sender_puts_packets_of_1_kb_on_the_link() -> None:
    scenario = ps.dumbbell(rate="20Mbit", rtt="80ms", queue=ps.DropTail(limit="20p"), traffic={"bulk": cc.tcp_flows(1)})
    document = cc.reconstructed(as_document(scenario)).set("duration", "10s")
    link = ps.run(document).links["bottleneck"]
    sent = link.utilization * 20e6 / 8 * 10  # bytes
    assert sent / link.departures == pytest.approx(cc.PACKET)
