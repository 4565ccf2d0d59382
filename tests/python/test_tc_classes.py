"""Rates and filters of tc's classes: which class lends, and which filter is tried first."""

from __future__ import annotations

import pytest
from penstock.dialects import DialectError, read

ROOT = "tc qdisc add dev eth0 root handle 1: htb default 10\n"
CLASS = "tc class add dev eth0 parent {} classid {} htb rate {}\n"
U32 = "tc filter add dev eth0 parent 1: protocol ip {} u32 match ip {} flowid {}\n"
EF, TCP = "dsfield 0xb8 0xfc", "protocol 6 0xff"


def classes(*rows: tuple[str, str, str]) -> str:
    return ROOT + "".join(CLASS.format(*row) for row in rows)


@pytest.mark.parametrize(
    ("rows", "rate"),
    [
        # tc-htb(8): ceil is "if its parent has bandwidth to spare"; a class at the root has no parent.
        ([("1:", "1:10", "5mbit ceil 100mbit")], 5e6),
        ([("1:", "1:1", "10mbit ceil 20mbit"), ("1:1", "1:10", "4mbit ceil 20mbit"), ("1:1", "1:20", "6mbit")], 10e6),
        ([("1:", "1:1", "10mbit ceil 20mbit"), ("1:1", "1:10", "2mbit ceil 20mbit")], 10e6),
        # One leaf borrows up to its ceil, which without the word is its rate.
        ([("1:", "1:1", "10mbit"), ("1:1", "1:10", "2mbit ceil 4mbit")], 4e6),
        ([("1:", "1:1", "10mbit"), ("1:1", "1:10", "2mbit")], 2e6),
        ([("1:", "1:1", "10mbit"), ("1:1", "1:2", "1mbit ceil 3mbit"), ("1:2", "1:10", "1mbit ceil 8mbit")], 3e6),
        # rate is guaranteed, whatever the class above has.
        ([("1:", "1:1", "10mbit"), ("1:1", "1:10", "20mbit")], 20e6),
        # Leaves at the root, next to a class with leaves: each has its own rate.
        ([("1:", "1:10", "1mbit ceil 9mbit"), ("1:", "1:20", "2mbit ceil 9mbit")], 3e6),
        ([("1:", "1:1", "10mbit ceil 90mbit"), ("1:1", "1:10", "4mbit"), ("1:1", "1:11", "6mbit"),
          ("1:", "1:20", "2mbit ceil 90mbit")], 12e6),
    ],
)  # fmt: skip
def test_the_link_has_the_rate_that_htb_can_send(rows: list[tuple[str, str, str]], rate: float) -> None:
    assert read(classes(*rows), "tc").rate == rate


def test_a_ceil_that_no_class_lends_is_noted() -> None:
    found = read(classes(("1:", "1:10", "5mbit ceil 100mbit")), "tc")
    assert "ceil 100Mbit of 1:10 is never reached: no class above it lends" in found.notes
    assert not any("ceil" in note for note in read(classes(("1:", "1:10", "5mbit")), "tc").notes)


def test_bursts_and_quanta_of_all_classes_are_listed() -> None:
    one = read(classes(("1:", "1:10", "5mbit burst 100k quantum 9000")), "tc")
    assert one.lost_settings == ["burst 102400B of 1:10", "quantum 9000: turns are by weight of 1:10"]
    two = read(classes(("1:", "1:1", "9mbit burst 90k"), ("1:1", "1:10", "5mbit"), ("1:1", "1:20", "4mbit")), "tc")
    assert "burst 92160B of 1:1" in two.lost_settings
    with pytest.raises(DialectError, match="rat"):
        read(classes(("1:", "1:1", "9mbit"), ("1:", "1:2", "9mbit rat 3"), ("1:2", "1:10", "5mbit")), "tc")


def test_more_than_the_rate_of_the_link_is_noted() -> None:
    rows = [("1:", "1:1", "10mbit"), ("1:1", "1:10", "8mbit"), ("1:1", "1:20", "4mbit")]
    assert any("add up to 12Mbit" in note for note in read(classes(*rows), "tc").notes)
    assert not any("add up to" in note for note in read(classes(*rows[:2], ("1:1", "1:20", "2mbit")), "tc").notes)


def test_none_may_borrow_from_another_tree() -> None:
    rows = [("1:", "1:1", "10mbit"), ("1:1", "1:10", "10mbit"), ("1:", "1:2", "10mbit"), ("1:2", "1:20", "10mbit")]
    assert any("no common parent" in item for item in read(classes(*rows), "tc").lost_settings)


def test_a_class_below_itself_is_refused() -> None:
    with pytest.raises(DialectError, match="its own ancestor"):
        read(classes(("1:2", "1:1", "1mbit"), ("1:1", "1:2", "1mbit"), ("1:1", "1:10", "1mbit")), "tc")


TWO = classes(("1:", "1:1", "10mbit"), ("1:1", "1:10", "5mbit"), ("1:1", "1:20", "5mbit"))
PRIO = "tc qdisc add dev eth0 root handle 1: prio priomap 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n"
LATE = "filter to {} before those of other classes: packets matching both go to another class here"


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        (TWO + U32.format("prio 1", EF, "1:10") + U32.format("prio 2", TCP, "1:20"), [LATE.format("1:10")]),
        (TWO + U32.format("prio 1", TCP, "1:10") + U32.format("prio 2", EF, "1:20"), [LATE.format("1:10")]),
        (TWO + U32.format("prio 2", EF, "1:10") + U32.format("prio 1", TCP, "1:20"), []),
        # Code points are taken out of the later filter.
        (TWO + U32.format("prio 1", EF, "1:10") + U32.format("prio 2", "tos 0xa0 0xe0", "1:20"), []),
        (PRIO + U32.format("prio 1", "tos 0x28 0xfc", "1:2") + U32.format("prio 2", TCP, "1:1"), [LATE.format("1:2")]),
        # The map of prio comes after all filters.
        (PRIO.replace("1 1 1", "1 1 0", 1) + U32.format("prio 1", TCP, "1:2"), [LATE.format("1:2")]),
    ],
)
def test_a_filter_to_the_last_class_before_others_is_listed(text: str, lost: list[str]) -> None:
    found = read(text, "tc")
    assert [item for item in found.lost_settings if item.startswith("filter to")] == lost
    assert [one["name"] for one in found.parameters["classes"]][-1] in ("1:10", "1:2")


def test_a_filter_without_a_preference_goes_before_those_above_it() -> None:
    """As tc shows it: the first has preference 49152, the next 49151."""
    overlapping = U32.format("", "tos 0xa0 0xe0", "1:20") + U32.format("", EF, "1:30")
    rows = [("1:", "1:1", "10mbit"), *(("1:1", place, "3mbit") for place in ("1:10", "1:20", "1:30"))]
    found = {one["name"]: one.get("match") for one in read(classes(*rows) + overlapping, "tc").parameters["classes"]}
    assert found["1:30"] == {"dscp": [46]}
    assert found["1:20"] == {"dscp": [*range(40, 46), 47]}


def test_a_filter_whose_packets_are_all_taken_leads_none_to_its_class() -> None:
    text = TWO.replace("default 10", "default 99") + U32.format("prio 1", EF, "1:10") + U32.format("prio 2", EF, "1:20")
    found = read(text, "tc")
    assert found.parameters["classes"][1]["match"] == {"traffic": ["1:20"]}
    assert any("packets of 1:20: no filter selects them" in item for item in found.lost_settings)


@pytest.mark.parametrize(("head", "place"), [(TWO, "1:1"), (TWO, "1:99"), (PRIO, "1:9")])
def test_a_filter_that_leads_to_no_queue_is_listed(head: str, place: str) -> None:
    line = U32.format("prio 1", EF, place)
    more = U32.format("prio 2", TCP, "1:20" if head == TWO else "1:1")
    assert " ".join(line.split()) in read(head + line + more, "tc").lost_settings


def test_bands_of_the_map_that_a_filter_takes_by_other_conditions_are_listed() -> None:
    text = "tc qdisc add dev eth0 root handle 1: prio\n" + U32.format("prio 1", TCP, "1:1")
    assert "packets of 1:1 by priomap: a filter leads to it by other conditions" in read(text, "tc").lost_settings
