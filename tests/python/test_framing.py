"""Framing of links: bytes on the wire, goodput at a line rate, and what a wrong key is told."""

from __future__ import annotations

import penstock as ps
import pytest
from penstock.scenario.framing import FRAMINGS, Framing, parse_framing
from penstock.units import UnitError

LINE = 500_000
"""The rate of the line in bits per second."""

GOODPUTS = {
    "none": 500.0,
    "docsis": 494.1,
    "ethernet": 487.6,
    "bridged-ptm": 485.1,
    "pppoe-vcmux": 442.2,
    "pppoe-llcsnap": 428.8,
    "pppoe-ptm": 482.6,
}
"""Kilobits per second of IP packets of 1500 B at 500 kbit/s, worked out by hand from tc-cake(8)."""


def overloaded(link: ps.Link) -> ps.Scenario:
    source = ps.Cbr(from_="a", to="b", rate="1Mbit", packet="1472B", headers="28B")
    return ps.Scenario(links={"line": link}, traffic={"stream": source}, duration="120s", warmup="10s")


def goodput(framing: object, **keys: object) -> tuple[float, float]:
    """Bits per second of IP packets, and the utilization of the line."""
    queue = keys.pop("queue", ps.DropTail(limit="20p"))
    link = ps.Link(from_="a", to="b", rate="500kbit", delay="1ms", queue=queue, watch=True, framing=framing, **keys)  # type: ignore[arg-type]
    run = ps.run(overloaded(link))
    assert run.traffic["stream"]["goodput_bps"] is not None
    return run.traffic["stream"]["goodput_bps"] * 1500 / 1472, run.links["line"]["utilization"]


@pytest.mark.parametrize("name", GOODPUTS)
def test_a_line_carries_what_its_framing_leaves(name: str) -> None:
    """The window holds whole packets, so that the goodput may be off by one of some 4000."""
    measured, utilization = goodput(name)
    assert measured == pytest.approx(GOODPUTS[name] * 1000, rel=5e-4)
    assert utilization == pytest.approx(1, abs=1e-9)


def cake(name: str, bandwidth: str) -> ps.Cake:
    framing = FRAMINGS[name]
    keys = {"overhead": f"{framing.overhead}B", "mpu": f"{framing.mpu}B", "cells": framing.cells}
    return ps.Cake(bandwidth=bandwidth, limit="20p", **keys)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", GOODPUTS)
def test_cake_leaves_what_a_line_of_its_framing_leaves(name: str) -> None:
    link = ps.Link(from_="a", to="b", rate="10Mbit", delay="1ms", queue=cake(name, "500kbit"))
    measured = ps.run(overloaded(link)).traffic["stream"]["goodput_bps"]
    assert measured is not None
    assert measured * 1500 / 1472 == pytest.approx(GOODPUTS[name] * 1000, rel=5e-4)


@pytest.mark.parametrize("overhead", [-14, -64])
def test_cake_sends_more_with_an_overhead_below_0(overhead: int) -> None:
    """The shaper counts 1500 + overhead bytes per packet."""
    queue = ps.Cake(bandwidth="500kbit", limit="20p", overhead=f"{overhead}B")
    link = ps.Link(from_="a", to="b", rate="10Mbit", delay="1ms", queue=queue)
    measured = ps.run(overloaded(link)).traffic["stream"]["goodput_bps"]
    assert measured is not None
    assert measured * 1500 / 1472 == pytest.approx(LINE * 1500 / (1500 + overhead), rel=5e-4)


def test_a_cake_that_does_not_count_the_cells_of_its_line_overloads_it() -> None:
    _, right = goodput("pppoe-llcsnap", queue=cake("pppoe-llcsnap", "475kbit"))
    _, wrong = goodput("pppoe-llcsnap", queue=cake("none", "475kbit"))
    assert (right, wrong) == pytest.approx((0.95, 1), abs=5e-4)


def test_all_ways_to_compute_departures_agree() -> None:
    """Drop-tail is precomputed, CoDel lazy, a device queue and a changing rate are driven by events."""
    expected = goodput("pppoe-llcsnap")
    same = [{"at": "5s", "rate": "500kbit"}]
    codel = ps.CoDel(limit="20p", target="10s", interval="100s")
    for keys in ({"device_queue": 1}, {"change": same}, {"queue": codel}, {"jitter": "0s"}):
        assert goodput("pppoe-llcsnap", **keys) == pytest.approx(expected, rel=3e-4), keys


def test_the_reverse_inherits_the_framing_unless_it_has_its_own() -> None:
    def framings(link: ps.Link) -> list[object]:
        scenario = overloaded(link).resolve()
        return [entry.get("framing", {}).get("overhead") for entry in scenario.canonical["links"]]

    keys = {"from_": "a", "to": "b", "rate": "1Mbit", "delay": "1ms", "framing": "docsis"}
    assert framings(ps.Link(**keys)) == [18, 18]  # type: ignore[arg-type]
    assert framings(ps.Link(**keys, reverse=ps.Reverse(framing="none"))) == [18, None]  # type: ignore[arg-type]
    assert framings(ps.Link(**keys, reverse=ps.Reverse(framing={"overhead": "-14B"}))) == [18, -14]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("docsys", 'did you mean "docsis"'),
        ({"overhead": "300B"}, "from -64 to 256 bytes"),
        ({"mpu": -1}, "from 0 to 256 bytes"),
        ({"overhead": True}, "whole number of bytes"),
        ({"cells": "aal5"}, '"atm", "ptm" or "none"'),
        ({"over": "3B"}, 'did you mean "overhead"'),
        ({}, "must be a name"),
        (3, "must be a name"),
    ],
)
def test_a_wrong_framing_is_one_message(value: object, message: str) -> None:
    with pytest.raises(UnitError, match=message):
        parse_framing(value)


def test_a_trace_of_opportunities_takes_no_framing() -> None:
    link = ps.Link(
        from_="a", to="b", rate="1Mbit", delay="1ms", framing="docsis", change=[{"capacity": "examples/none.mahi"}]
    )
    with pytest.raises(ps.ScenarioError, match="needs a rate"):
        overloaded(link).resolve()


def test_a_list_of_changes_that_is_wrong_is_one_message() -> None:
    link = ps.Link(from_="a", to="b", rate="1Mbit", delay="1ms", framing="docsis", change=[5])  # type: ignore[list-item]
    with pytest.raises(ps.ScenarioError, match="change"):
        overloaded(link).resolve()


def test_the_readable_form_is_read_as_the_same_framing() -> None:
    for framing in (*FRAMINGS.values(), Framing(-14), Framing(3, 64, "ptm"), Framing(0, 0, "atm")):
        assert parse_framing(framing.readable()) == framing
