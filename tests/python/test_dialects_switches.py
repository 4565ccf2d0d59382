"""Queues of switches: Arista EOS (EOS manual, Quality of Service) and SONiC (Configuration.md, SAI's header files)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from penstock.dialects import ConversionContext, DialectError, read, write

LINE = "random-detect ecn minimum-threshold 128 kbytes maximum-threshold 1280 kbytes max-mark-probability 20 weight 5"
SHORT = "random-detect drop minimum-threshold 10 kbytes maximum-threshold 20 kbytes"
RED = {"measure_in": "bytes", "min_th": "128000B", "max_th": "1280000B", "max_p": 0.2, "w_q": 2.0**-5, "ecn": True,
       "gentle": False, "mark_up_to": "always", "spacing": "none"}  # fmt: skip

ARISTA: list[tuple[str, str, dict[str, Any]]] = [
    (LINE, "red", RED),
    (SHORT, "red", {"min_th": "10000B", "max_th": "20000B", "max_p": 1.0, "w_q": 1.0, "ecn": None}),
    (SHORT + " drop-probability 50", "red", {"max_p": 0.5}),
    ("random-detect ecn minimum-threshold 500 bytes maximum-threshold 900 bytes", "red", {"min_th": "500B"}),
    ("random-detect ecn minimum-threshold 1 mbytes maximum-threshold 2 mbytes", "red", {"min_th": "1000000B"}),
    ("random-detect ecn minimum-threshold 50 microseconds maximum-threshold 150 microseconds", "red",
        {"min_th": "50us", "max_th": "150us"}),
    (f"interface Ethernet1\n   tx-queue 3\n      {LINE}", "red", RED),
    (f"interface Ethernet1\n   uc-tx-queue 3\n      ! {SHORT}\n      {LINE}", "red", RED),
    (f"interface Ethernet1\n   uc-tx-queue 3\n      {SHORT}\n      no random-detect drop\n      {LINE}", "red", RED),
    (f"switch(config-if-Et1-txq-3)# {LINE}", "red", RED),
    (f"interface Ethernet1\n tx-queue 3\n  {LINE}\ninterface Ethernet2\n tx-queue 3\n  {LINE}", "red", RED),
    (f"qos profile P\n tx-queue 3\n  {LINE}\n tx-queue 4\n  {SHORT}\n no tx-queue 4", "red", RED),
    ("random-detect drop drop-precedence 0 minimum-threshold 40 kbytes maximum-threshold 60 kbytes drop-probability 10"
     "\n"
     "random-detect drop drop-precedence 2 minimum-threshold 20 kbytes maximum-threshold 40 kbytes drop-probability 20",
        "wred", {"min_th": [40.0, 1e6, 20.0, 40.0], "max_th": [60.0, 2e6, 40.0, 60.0], "max_p": [0.1, 1.0, 0.2, 0.1]}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "scheme", "parameters"), ARISTA)
def test_a_queue_of_arista_is_read(text: str, scheme: str, parameters: dict[str, Any]) -> None:
    result = read(text, "arista")
    assert result.scheme == scheme
    assert {name: result.parameters.get(name) for name in parameters} == parameters


def test_queues_of_arista_are_classes() -> None:
    """The higher number has priority; traffic class 3 is DSCP 24 to 31, traffic class 1 is DSCP 0 to 7."""
    text = f"interface Ethernet1\n uc-tx-queue 1\n  {SHORT}\n uc-tx-queue 3\n  {LINE}"
    result = read(text, "arista")
    assert result.scheme == "pq"
    third, first, others = result.parameters["classes"]
    assert (third["name"], third["priority"], third["match"]) == ("uc-tx-queue 3", 0, {"dscp": [*range(24, 32)]})
    assert {name: third["queue"][name] for name in RED} == RED
    assert (first["match"], first["queue"]["min_th"]) == ({"dscp": [*range(8)]}, "10000B")
    assert others == {"name": "others", "priority": 2}


def test_queues_of_arista_without_priority_share_by_their_bandwidths() -> None:
    queue = " uc-tx-queue {}\n  no priority\n  bandwidth percent {}\n"
    text = "qos map dscp 0-7, 46 to traffic-class 4\ninterface Ethernet1\n" + queue.format(4, 60) + queue.format(0, 40)
    result = read(text, "arista")
    assert result.scheme == "wfq"
    assert [one["weight"] for one in result.parameters["classes"]] == [60, 40, 1]
    assert result.parameters["classes"][0]["match"]["dscp"] == [*range(8), *range(32, 40), 46]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("random-detect ecn minimum-threshold 1 segments maximum-threshold 2 segments", "segments: only bytes"),
        ("random-detect ecn minimum-threshold 1 kbytes maximum-threshold 2 mbytes", "expected the same unit"),
        (LINE.replace("weight 5", "weight 16"), "expected 0 to 15"),
        (SHORT.replace("drop m", "drop drop-precedence 3 m"), "expected 0 to 2"),
        (SHORT + " drop-probability 101", "expected 0 to 100"),
        ("interface Ethernet1\n tx-queue 3\n  bandwith percent 30", 'no "bandwith"; did you mean "bandwidth"'),
        (f"interface Ethernet1\n tx-queue 3\n  {LINE}\ninterface Ethernet2\n tx-queue 3\n  {SHORT}",
         "several interfaces: Ethernet1, Ethernet2"),
        ("interface Ethernet1\n tx-queue 3\n tx-queue 1\n  no priority\n tx-queue 0\n  no priority",
         "cannot combine them"),
        ("hostname leaf1", 'no "hostname"'),
        ("no priority\ntx-queue 3\n no priority", "no priority: expected tx-queue N above it"),
    ],
)  # fmt: skip
def test_a_text_of_arista_at_fault_is_refused(text: str, message: str) -> None:
    with pytest.raises(DialectError, match=message):
        read(text, "arista")


def test_an_interface_is_chosen() -> None:
    text = f"interface Ethernet1\n tx-queue 3\n  {LINE}\ninterface Ethernet2\n tx-queue 3\n  {SHORT}"
    assert read(text, "arista", ConversionContext(device="Ethernet2")).parameters["max_p"] == 1.0


QUEUES = "interface Ethernet1\n tx-queue 3\n  {}\n tx-queue 1\n  no priority"


@pytest.mark.parametrize(
    ("lines", "scheme"),
    [
        ("no priority", "wfq"),
        ("no priority\n  default priority", "pq"),
        ("no priority\n  default priority\n  no priority", "wfq"),
        ("priority strict\n  no priority", "wfq"),
        ("no priority\n  priority strict", "pq"),
    ],
)
def test_the_priority_of_a_queue_of_arista_is_the_last_one_set(lines: str, scheme: str) -> None:
    """EOS manual, priority: strict by default, which default priority restores; no priority means round robin."""
    assert read(QUEUES.format(lines), "arista").scheme == scheme


@pytest.mark.parametrize(
    "lines",
    [
        f"{LINE}\n  no random-detect ecn",
        f"{LINE}\n  default random-detect ecn minimum-threshold 1 kbytes maximum-threshold 2 kbytes",
        f"{SHORT}\n  no random-detect drop minimum-threshold 9 kbytes maximum-threshold 20 kbytes",
        "shape rate 5000\n  no shape rate 9000",
    ],
)
def test_a_command_of_a_queue_of_arista_is_removed_whatever_its_values(lines: str) -> None:
    found = read(f"interface Ethernet1\n tx-queue 3\n  {lines}", "arista")
    assert (found.scheme, found.lost_settings) == ("droptail", [])


def test_a_share_of_arista_is_removed() -> None:
    shares = "no priority\n  bandwidth percent 60\n  no bandwidth percent 50"
    assert read(QUEUES.format(shares), "arista").parameters["classes"][0]["weight"] == 1


def test_only_one_drop_precedence_is_removed() -> None:
    row = "random-detect drop drop-precedence {} minimum-threshold {} kbytes maximum-threshold 60 kbytes\n"
    text = row.format(0, 10) + row.format(2, 5) + "no random-detect drop drop-precedence 2"
    assert read(text, "arista").parameters["min_th"] == [10, 1e6, 1e6, 10]


@pytest.mark.parametrize("line", ["default interface Ethernet2", "no interface Ethernet2"])
def test_an_interface_of_arista_is_removed(line: str) -> None:
    text = f"interface Ethernet1\n tx-queue 3\n  {LINE}\ninterface Ethernet2\n tx-queue 3\n  {SHORT}\n{line}"
    assert read(text, "arista").parameters["max_p"] == 0.2
    alone = f"interface Ethernet1\n shape rate 5000\n no shape rate\n tx-queue 3\n  {LINE}\n default tx-queue 4"
    assert read(alone, "arista").lost_settings == []


def test_a_map_of_arista_is_reset() -> None:
    """EOS manual, qos map dscp to traffic-class: by default DSCP 40 to 47 are traffic class 5."""
    queue = "interface Ethernet1\n tx-queue 5\n  no priority\n tx-queue 1\n  no priority\n"
    text = "qos map dscp 40 46 to traffic-class 1\nno qos map dscp 46\n" + queue
    assert read(text, "arista").parameters["classes"][0]["match"]["dscp"] == [*range(41, 48)]


PROFILE = {"wred_green_enable": "true", "green_max_threshold": "2097152", "green_min_threshold": "1048576",
           "green_drop_probability": "5", "ecn": "ecn_all"}  # fmt: skip
GREEN = {"min_th": "1048576B", "max_th": "2097152B", "max_p": 0.05, "w_q": 1.0, "ecn": True, "mark_up_to": "always"}
YELLOW = {"wred_yellow_enable": "true", "yellow_min_threshold": "500000", "yellow_max_threshold": "1000000"}
RED_ = {"wred_red_enable": "true", "red_min_threshold": "100000", "red_max_threshold": "200000",
        "red_drop_probability": "30"}  # fmt: skip
SAME = {
    name.replace("green", colour): value for name, value in PROFILE.items() for colour in ("green", "yellow", "red")
}

SONIC: list[tuple[dict[str, Any], str, dict[str, Any]]] = [
    (PROFILE, "red", GREEN),
    ({"AZURE": PROFILE}, "red", GREEN),
    ({"WRED_PROFILE": {"AZURE": PROFILE}}, "red", GREEN),
    (SAME, "red", GREEN),
    ({**PROFILE, "weight": "9"}, "red", {"w_q": 2.0**-9}),
    ({name: value for name, value in PROFILE.items() if "prob" not in name}, "red", {"max_p": 1.0}),
    ({**PROFILE, "ecn": "ecn_none"}, "red", {"ecn": None}),
    ({**PROFILE, "wred_yellow_enable": "false"}, "red", GREEN),
    ({**PROFILE, **YELLOW, **RED_}, "wred", {"min_th": [1048.576, 500.0, 100.0, 1048.576],
        "max_th": [2097.152, 1000.0, 200.0, 2097.152], "max_p": [0.05, 1.0, 0.3, 0.05], "measure_in": "bytes"}),
    ({**PROFILE, **RED_}, "wred", {"min_th": [1048.576, 1e6, 100.0, 1048.576], "max_p": [0.05, 1.0, 0.3, 0.05]}),
    ({"WRED_PROFILE": {"A": PROFILE}, "QUEUE": {"Ethernet0|3": {"wred_profile": "A"}}}, "red", GREEN),
    ({"WRED_PROFILE": {"A": PROFILE}, "QUEUE": {"Ethernet0|3": {"wred_profile": "[WRED_PROFILE|A]"}}}, "red", GREEN),
    ({"QUEUE": {"Ethernet0|3": {}}}, "droptail", {}),
]  # fmt: skip


@pytest.mark.parametrize(("tree", "scheme", "parameters"), SONIC)
def test_a_profile_of_sonic_is_read(tree: dict[str, Any], scheme: str, parameters: dict[str, Any]) -> None:
    result = read(json.dumps(tree), "sonic")
    assert result.scheme == scheme
    assert {name: result.parameters.get(name) for name in parameters} == parameters


CONFIG: dict[str, Any] = {
    "WRED_PROFILE": {"A": PROFILE},
    "SCHEDULER": {"s0": {"type": "DWRR", "weight": "14"}, "s1": {"type": "DWRR", "weight": "15"}},
    "QUEUE": {
        "Ethernet0,Ethernet4|3-4": {"scheduler": "s1", "wred_profile": "A"},
        "Ethernet0,Ethernet4|0": {"scheduler": "s0"},
    },
    "DSCP_TO_TC_MAP": {"M": {"0": "0", "24": "3", "32": "4"}},
    "PORT": {"Ethernet0": {"speed": "40000"}},
    "BUFFER_POOL": {"egress": {"size": "1000"}},
}


def test_a_whole_configuration_of_sonic_is_a_scheduler() -> None:
    result = read(json.dumps(CONFIG), "sonic")
    assert (result.scheme, result.rate) == ("wfq", 40e9)
    classes = result.parameters["classes"]
    assert [(one["name"], one["weight"]) for one in classes] == [
        ("queue4", 15), ("queue3", 15), ("queue0", 14), ("others", 1)
    ]  # fmt: skip
    assert [one.get("match") for one in classes] == [{"dscp": [32]}, {"dscp": [24]}, {"dscp": [0]}, None]
    assert {name: classes[0]["queue"][name] for name in GREEN} == GREEN
    assert result.lost_settings == ["BUFFER_POOL: buffers of the switch, shared between ports"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"QUEUE": {"Ethernet0|3": {"wred_profile": "B"}}}, "no WRED_PROFILE B"),
        ({"QUEUE": {"Ethernet0|3": {"scheduler": "s9"}}}, "no SCHEDULER s9"),
        ({"QUEUE": {"Ethernet0|3": {"wred": "A"}}}, 'QUEUE 3 has no "wred"'),
        ({"QUEUE": {"Ethernet0": {}}}, "expected PORT"),
        ({"QUEUE": {"Ethernet0|3": {}, "Ethernet4|3": {"wred_profile": "A"}}}, "several ports: Ethernet0, Ethernet4"),
        ({"SCHEDULER": {"s0": {"type": "FIFO"}, "s1": {"type": "DWRR"}}}, "expected DWRR, WRR or STRICT"),
        ({"SCHEDULER": {"s0": {"weigth": "3"}, "s1": {"type": "DWRR"}}}, 'did you mean "weight"'),
        ({"WRED_PROFILE": {"A": {**PROFILE, "green_min_treshold": "5"}}}, 'did you mean "green_min_threshold"'),
        ({"WRED_PROFILE": {"A": {**PROFILE, "green_drop_probability": "101"}}}, "expected 0 to 100"),
        ({"WRED_PROFILE": {"A": {**PROFILE, "wred_green_enable": "yes"}}}, "expected true or false"),
        ({"WRED_PROFILE": {"A": {**PROFILE, "ecn": "ecn_blue"}}}, "ecn ecn_blue"),
    ],
)
def test_a_configuration_of_sonic_at_fault_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(DialectError, match=message):
        read(json.dumps({**CONFIG, **change}), "sonic")


def test_several_profiles_of_sonic_are_told() -> None:
    tree = {"WRED_PROFILE": {"A": PROFILE, "B": {**PROFILE, "ecn": "ecn_none"}}}
    with pytest.raises(DialectError, match="several profiles: A, B"):
        read(json.dumps(tree), "sonic")
    assert read(json.dumps(tree), "sonic", ConversionContext(device="B")).parameters.get("ecn") is None


def test_best_effort_is_green_on_the_way_to_sonic() -> None:
    levels = {"min_th": [40, 30, 20, 40], "max_th": [60, 50, 40, 60], "max_p": [0.1, 0.2, 0.3, 0.1], "w_q": 1.0}
    written = write("wred", levels, "sonic")
    assert not written.lost_settings
    assert read(written.text, "sonic").parameters["min_th"] == [40, 30, 20, 40]
    listed = write("wred", {**levels, "min_th": [40, 30, 20, 10]}, "sonic").lost_settings
    assert listed == ["level 3, of best effort: in SONiC best effort is green, level 0"]
