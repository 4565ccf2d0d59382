"""Policy maps of Cisco IOS: classes, schedulers, shapers, WRED by code point, printed policies.

Right values follow from the Cisco IOS Quality of Service Solutions Command Reference (random-detect dscp,
random-detect precedence, bandwidth, priority, shape, queue-limit, show policy-map interface).
"""

from __future__ import annotations

from typing import Any

import pytest
from penstock.dialects import ConversionContext, DialectError, read, write

BY_PRECEDENCE = {"min_th": [34.0, 32.0, 30.0, 28.0, 26.0, 24.0, 22.0, 20.0], "max_th": [40.0] * 8,
                 "max_p": [0.1] * 8, "precedence": "ip", "w_q": 2.0**-9}  # fmt: skip
AF = {"min_th": [32.0, 28.0, 24.0], "max_th": [40.0] * 3, "max_p": [0.1] * 3, "w_q": 2.0**-9}

CASES: list[tuple[str, str, dict[str, Any]]] = [
    # Defaults: 64 packets; the table of random-detect dscp; exponent 9; denominator 10.
    ("policy-map P\n class class-default\n  fair-queue", "fq", {"limit": "64p"}),
    ("random-detect", "wred", {**BY_PRECEDENCE, "limit": "64p"}),
    ("random-detect dscp-based", "wred", AF),
    ("random-detect precedence 0 20 40", "red", {"min_th": 20.0, "max_th": 40.0, "max_p": 0.1, "w_q": 2.0**-9}),
    # AF's drop precedence decides, not the order of the lines.
    ("random-detect dscp af13 20 40 10\nrandom-detect dscp af12 30 50 10\nrandom-detect dscp af11 40 60 10", "wred",
        {"min_th": [40.0, 30.0, 20.0], "max_th": [60.0, 50.0, 40.0], "max_p": [0.1, 0.1, 0.1]}),
    ("random-detect dscp 14 20 40 10\nrandom-detect dscp 10 40 60 20", "wred",
        {"min_th": [40.0, 28.0, 20.0], "max_th": [60.0, 40.0, 40.0], "max_p": [0.05, 0.1, 0.1]}),
    ("random-detect dscp af21 32 40\nrandom-detect dscp af22 28 40\nrandom-detect dscp default 10 40 5", "wred",
        {"min_th": [32.0, 28.0, 28.0, 10.0], "max_p": [0.1, 0.1, 0.1, 0.2]}),
    # IP precedence 7 is dropped last, whatever the order of the lines.
    ("random-detect\nrandom-detect precedence 7 60 80 10\nrandom-detect precedence 0 10 80 10", "wred",
        {"min_th": [60.0, 32.0, 30.0, 28.0, 26.0, 24.0, 22.0, 10.0], "precedence": "ip"}),
    ("random-detect dscp cs1 10 40 10\nrandom-detect dscp cs5 30 40 10", "wred", {"precedence": "ip",
        "min_th": [34.0, 32.0, 30.0, 28.0, 26.0, 24.0, 10.0, 20.0]}),
    ("random-detect dscp values af11 af21 minimum-thresh 25 maximum-thresh 50 mark-prob 4", "red",
        {"min_th": 25.0, "max_th": 50.0, "max_p": 0.25}),
    # Units.
    ("queue-limit 100", "droptail", {"limit": "100p"}),
    ("queue-limit 30000 bytes", "droptail", {"limit": "30000B"}),
    ("queue-limit 20 ms", "droptail", {"limit": "20ms"}),
    ("queue-limit 500 us", "droptail", {"limit": "500us"}),
    ("queue-limit 64000 bytes\nrandom-detect dscp af11 10000 bytes 30000 bytes 10", "red",
        {"min_th": "10000B", "max_th": "30000B", "measure_in": "bytes", "limit": "64000B"}),
    ("queue-limit 100 ms\nrandom-detect precedence 0 20 ms 60 ms 10", "red", {"min_th": "20ms", "max_th": "60ms"}),
    # Comments, negations, prompts, order.
    ("! random-detect\nqueue-limit 100 packets\n! queue-limit 5", "droptail", {"limit": "100p"}),
    ("random-detect\nno random-detect\nqueue-limit 9", "droptail", {"limit": "9p"}),
    ("queue-limit 9\nno queue-limit", "droptail", {"limit": "64p"}),
    ("random-detect\nrandom-detect ecn\nno random-detect ecn\nrandom-detect precedence 0 20 40", "red", {"ecn": None}),
    ("Router(config)# policy-map P\nRouter(config-pmap)# class class-default\nRouter(config-pmap-c)# queue-limit 9",
        "droptail", {"limit": "9p"}),
    ("policy-map OLD\n class A\n  random-detect\nno policy-map OLD\npolicy-map P\n class class-default\n queue-limit 9",
        "droptail", {"limit": "9p"}),
    ("policy-map P\n class A\n  bandwidth 100\n no class A\n class class-default\n  queue-limit 9", "droptail",
        {"limit": "9p"}),
    ("queue-limit 9\nqueue-limit 11", "droptail", {"limit": "11p"}),
    # WRED on an interface.
    ("interface Serial0\n bandwidth 1544\n random-detect\n random-detect ecn", "wred", {"ecn": True, **BY_PRECEDENCE}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "scheme", "parameters"), CASES)
def test_a_configuration_is_read(text: str, scheme: str, parameters: dict[str, Any]) -> None:
    result = read(text, "cisco", ConversionContext(10e6))
    assert result.scheme == scheme
    assert {name: result.parameters.get(name) for name in parameters} == parameters


HIERARCHY = """class-map match-any VOICE
 match dscp ef
class-map match-all DATA
 match ip dscp af21 af22 af23
policy-map CHILD
 class VOICE
  priority percent 10
 class DATA
  bandwidth remaining percent 60
  random-detect dscp-based
 class class-default
  queue-limit 100 packets
  police 1000000 conform-action transmit exceed-action drop
policy-map PARENT
 class class-default
  shape average 10000000
  service-policy CHILD
interface GigabitEthernet0/1
 ip address 10.0.0.1 255.255.255.0
 service-policy output PARENT"""

PRINTED = """ GigabitEthernet0/1

  Service-policy output: PARENT

    Class-map: class-default (match-any)
      1234 packets, 56789 bytes
      5 minute offered rate 1000 bps, drop rate 0000 bps
      Match: any
      Queueing
      queue limit 64 packets
      (queue depth/total drops/no-buffer drops) 0/0/0
      (pkts output/bytes output) 1234/56789
      shape (average) cir 10000000, bc 40000, be 40000
      target shape rate 10000000

      Service-policy : CHILD

        queue stats for all priority classes:
          Queueing
          queue limit 64 packets
          (queue depth/total drops/no-buffer drops) 0/0/0
          (pkts output/bytes output) 0/0

        Class-map: VOICE (match-any)
          0 packets, 0 bytes
          5 minute offered rate 0000 bps, drop rate 0000 bps
          Match:  dscp ef (46)
            0 packets, 0 bytes
            5 minute rate 0 bps
          Priority: 10% (1000 kbps), burst bytes 25000, b/w exceed drops: 0

        Class-map: DATA (match-all)
          0 packets, 0 bytes
          5 minute offered rate 0000 bps, drop rate 0000 bps
          Match: ip dscp af21 (18) af22 (20) af23 (22)
          Queueing
          queue limit 64 packets
          (queue depth/total drops/no-buffer drops) 0/0/0
          (pkts output/bytes output) 0/0
          bandwidth remaining 60%
            Exp-weight-constant: 9 (1/512)
            Mean queue depth: 0 packets
            dscp       Transmitted         Random drop      Tail drop          Minimum        Maximum     Mark
                        pkts/bytes            pkts/bytes       pkts/bytes          thresh         thresh     prob

            af21            0/0               0/0              0/0                 32            40  1/10
            af22            0/0               0/0              0/0                 28            40  1/10
            af23            0/0               0/0              0/0                 24            40  1/10

        Class-map: class-default (match-any)
          0 packets, 0 bytes
          5 minute offered rate 0000 bps, drop rate 0000 bps
          Match: any
          queue limit 100 packets
          (queue depth/total drops/no-buffer drops) 0/0/0
          (pkts output/bytes output) 0/0
"""


@pytest.mark.parametrize("text", [HIERARCHY, PRINTED])
def test_a_hierarchy_is_a_priority_queue_with_rates(text: str) -> None:
    """10 % of 10 Mbit/s have priority; 60 and 40 % of the other 9 are guaranteed; 200 ms of 1 Mbit/s are 25 kB."""
    result = read(text, "cisco")
    assert (result.scheme, result.rate, result.parameters["limit"]) == ("pq", 10e6, "inf")
    voice, data, rest = result.parameters["classes"]
    assert voice == {"name": "VOICE", "match": {"dscp": [46]}, "priority": 0, "rate": "1Mbit", "burst": "25000B",
                     "limit": "64p"}  # fmt: skip
    assert (data["match"], data["rate"], data["queue"]["scheme"]) == ({"dscp": [18, 20, 22]}, "5.4Mbit", "wred")
    assert {name: data["queue"][name] for name in AF} == AF
    assert rest == {"name": "class-default", "priority": 1, "rate": "3.6Mbit", "limit": "100p"}
    assert any("beyond the guarantees" in item for item in result.lost_settings)
    assert any("police" in item for item in result.lost_settings) == (text is HIERARCHY)


OLDER = """ Serial3/1

  Service-policy output: mypolicy (1133)

    Class-map: voice (match-all) (1137/1)
      0 packets, 0 bytes
      5 minute offered rate 0 bps, drop rate 0 bps
      Match: ip precedence 5 (1138)
      Weighted Fair Queueing
        Strict Priority
        Output Queue: Conversation 264
        Bandwidth 128 (kbps) Burst 3200 (Bytes)
        (pkts matched/bytes matched) 0/0
        (total drops/bytes drops) 0/0

    Class-map: gold (match-all) (1139/2)
      Match: ip precedence 2 (1140)
      Weighted Fair Queueing
        Output Queue: Conversation 265
        Bandwidth 100 (kbps) Max Threshold 50 (packets)
        (pkts matched/bytes matched) 0/0
        (depth/total drops/no-buffer drops) 0/0/0
      police:
        cir 8000 bps, bc 1500 bytes
        conformed 0 packets, 0 bytes; actions:
          transmit
      QoS Set
        dscp ef
          Packets marked 0

    Class-map: class-default (match-any) (1147/0)
      Match: any  (1148)
        0 packets, 0 bytes
"""


def test_the_output_of_older_releases_is_read() -> None:
    """As the command reference prints it: rates in kbit/s, bursts in bytes, limits as Max Threshold."""
    result = read(OLDER, "cisco", ConversionContext(2e6))
    voice, gold, rest = result.parameters["classes"]
    assert voice == {"name": "voice", "match": {"dscp": [*range(40, 48)]}, "priority": 0, "rate": "128kbit",
                     "burst": "3200B", "limit": "64p"}  # fmt: skip
    assert (gold["rate"], gold["limit"], gold["match"]) == ("100kbit", "50p", {"dscp": [*range(16, 24)]})
    assert rest["rate"] == "1.772Mbit"
    assert [item.split(":")[0] for item in result.lost_settings[1:]] == ["class gold police", "class gold set"]


def test_classes_with_random_detect_are_classes_of_a_scheduler() -> None:
    text = (
        "policy-map P\n class A\n  bandwidth percent 30\n  random-detect dscp af11 32 40 10\n class B\n  bandwidth "
        "percent 50\n  random-detect dscp af21 20 40 5"
    )
    result = read(text, "cisco")
    assert result.scheme == "wfq"
    assert [one["weight"] for one in result.parameters["classes"]] == [30, 50, 20]
    assert [one.get("queue", {}).get("min_th") for one in result.parameters["classes"]] == [32.0, 20.0, None]


@pytest.mark.parametrize(
    ("bandwidths", "weights"),
    [
        (("bandwidth 2000", "bandwidth 3000"), [2, 3, 5]),  # of 10 Mbit/s
        (("bandwidth remaining ratio 4", "bandwidth remaining ratio 2"), [4, 2, 1]),
        (("bandwidth remaining percent 50", "bandwidth remaining percent 30"), [50, 30, 20]),
        (("bandwidth percent 50", "bandwidth percent 50"), [50, 50, 1]),
    ],
)
def test_bandwidths_are_weights(bandwidths: tuple[str, str], weights: list[int]) -> None:
    text = f"policy-map P\n class A\n  {bandwidths[0]}\n class B\n  {bandwidths[1]}"
    assert [one["weight"] for one in read(text, "cisco", ConversionContext(10e6)).parameters["classes"]] == weights


def test_percents_are_of_the_link_also_beside_a_priority_class() -> None:
    """Of 10 Mbit/s: 1 has priority, 30 percent are 3, and class-default has the other 6."""
    text = (
        "class-map V\n match dscp ef\npolicy-map P\n class V\n  priority percent 10\n class A\n  bandwidth percent "
        "30\n class class-default\n  fair-queue"
    )
    classes = read(text, "cisco", ConversionContext(10e6)).parameters["classes"]
    assert [one.get("rate") for one in classes] == ["1Mbit", "3Mbit", "6Mbit"]


def test_a_class_map_holds_all_or_any_of_its_conditions() -> None:
    maps = "class-map match-{} A\n match dscp ef af41\n match precedence 5\npolicy-map P\n class A\n  priority\n"
    points = [
        read(maps.format(mode), "cisco").parameters["classes"][0]["match"]["dscp"] for mode in ("all", "any")
    ]  # fmt: skip
    assert points == [[46], [34, 40, 41, 42, 43, 44, 45, 46, 47]]
    without = read("class-map A\n match not dscp ef\npolicy-map P\n class A\n  priority", "cisco")
    assert without.parameters["classes"][0]["match"]["dscp"] == [point for point in range(64) if point != 46]
    listed = read("class-map A\n match protocol http\npolicy-map P\n class A\n  priority", "cisco")
    assert listed.lost_settings == ["class-map A match protocol http: only code points are read"]


def test_buffers_of_an_interface_are_listed() -> None:
    text = "interface Gi0/0\n hold-queue 100 out\n service-policy output P\n"
    text += "policy-map P\n class class-default\n  queue-limit 9"
    assert read(text, "cisco").lost_settings == [
        "interface Gi0/0 hold-queue 100 out: does not concern the queue of a policy map"
    ]  # fmt: skip
    with pytest.raises(DialectError, match='did you mean "service-policy"'):
        read(text.replace("service-policy", "service-polcy"), "cisco")


def test_what_a_single_class_loses_is_listed() -> None:
    result = read(
        "policy-map P\n class A\n  bandwidth 1000\n  random-detect precedence 0 20 40 10\n  set dscp ef", "cisco"
    )
    assert result.scheme == "red"
    assert [item.split(":")[0] for item in result.lost_settings] == [
        "class A bandwidth kbit/s 1000",
        "class A",
        "class A set dscp ef",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("policy-map P\n class A\n  bandwith percent 30", 'no "bandwith"; did you mean "bandwidth"'),
        ("random-detect dscp af15 20 40 10", "dscp af15: expected 0 to 63"),
        ("random-detect precedence 8 20 40 10", "precedence 8: expected 0 to 7"),
        ("random-detect precedence 0 20 40 0", "mark-denominator 0"),
        ("random-detect exponential-weighting-constant 17", "expected 1 to 16"),
        ("random-detect precedence 0 20 40\nrandom-detect dscp af11 20 40", "both dscp and precedence"),
        ("random-detect dscp af11 20 40\nrandom-detect dscp af21 30 40", "several AF classes differently"),
        ("random-detect precedence 0 20 ms 40 packets", "different units"),
        ("policy-map A\n class class-default\n  queue-limit 5\npolicy-map B\n class class-default\n  queue-limit 6",
         "several policy maps: A, B"),
        ("policy-map P\n class A\n  priority percent 10\n class B\n  bandwidth remaining percent 50", "give --rate"),
        ("policy-map P\n class class-default\n  service-policy P", "expected a policy map"),
        ("policy-map P\n class class-default\n  shape average 10m\n  service-policy Q", "no policy map Q"),
        ("interface Gi0/1\n service-policy output Q", "no policy map Q"),
        ("policy-map P\n class A\n  bandwidth percent 10\n class B\n  bandwidth 10", "different units"),
        ("class-map match-all A\n match dscp ef\n match dscp af11\npolicy-map P\n class A\n  priority", "no packet"),
    ],
)  # fmt: skip
def test_a_text_at_fault_is_refused(text: str, message: str) -> None:
    with pytest.raises(DialectError, match=message):
        read(text, "cisco")


def test_levels_go_to_their_precedence_and_back() -> None:
    """Level 0 is dropped last: precedence 7."""
    given = {"min_th": [40, 30, 20], "max_th": [60, 50, 40], "max_p": [0.1, 0.1, 0.1], "w_q": 2.0**-9, "limit": "80p"}
    by_precedence = write("wred", {**given, "precedence": "ip"}, "cisco").text
    assert "random-detect precedence 7 40 60 10" in by_precedence
    assert "random-detect precedence 0 20 40 10" in by_precedence
    by_drop = read(write("wred", given, "cisco").text, "cisco").parameters
    assert {name: by_drop[name] for name in given} == given


P = "policy-map P\n class class-default\n  queue-limit 9\n"


@pytest.mark.parametrize(
    "lines",
    [
        "random-detect\n no random-detect",
        "random-detect\n random-detect ecn\n default random-detect",
        "fair-queue\n no fair-queue",
        "random-detect\n!\ndefault interface Gi0/1",
        "random-detect\n!\nno interface Gi0/1",
    ],
)
def test_what_an_interface_removes_is_gone(lines: str) -> None:
    text = f"interface Gi0/1\n {lines}\n"
    with pytest.raises(DialectError, match="expected a policy map"):
        read(text, "cisco")
    found = read(P + text, "cisco")
    assert (found.scheme, found.parameters) == ("droptail", {"limit": "9p"})


@pytest.mark.parametrize(
    ("lines", "rate", "lost"),
    [
        ("bandwidth 1000", 1e6, []),
        ("bandwidth 1000\n no bandwidth", None, []),
        ("bandwidth 1000\n default bandwidth", None, []),
        ("bandwidth 1000\n no bandwidth\n bandwidth 2000", 2e6, []),
        ("hold-queue 100 out\n no hold-queue 100 out", None, []),
        ("service-policy input Q\n no service-policy input Q", None, []),
    ],
)
def test_an_interface_has_what_is_left(lines: str, rate: float | None, lost: list[str]) -> None:
    found = read(f"{P}interface Gi0/1\n service-policy output P\n {lines}\n", "cisco")
    assert (found.parameters, found.rate, found.lost_settings) == ({"limit": "9p"}, rate, lost)


def test_the_policy_of_an_interface_goes_with_it() -> None:
    text = f"{P}policy-map Q\n class class-default\n  queue-limit 8\ninterface Gi0/1\n service-policy output P\n"
    text += "interface Gi0/2\n service-policy output Q\ndefault interface Gi0/1\n"
    assert read(text, "cisco").parameters == {"limit": "8p"}


def test_a_policy_and_random_detect_of_interfaces_are_two_queues() -> None:
    text = f"{P}interface Gi0/1\n service-policy output P\ninterface Gi0/2\n random-detect\n"
    with pytest.raises(DialectError, match="several policy maps of interfaces: P, interface Gi0/2"):
        read(text, "cisco")


def test_a_line_is_removed_by_any_name_of_its_code_point() -> None:
    """random-detect dscp: af11 is 10, cs1 is 8; precedence: critical is 5."""
    both = "random-detect dscp af11 20 40\nrandom-detect dscp af12 10 40\n"
    assert read(both + "no random-detect dscp 12", "cisco").parameters["min_th"] == 20
    assert read(both + "no random-detect dscp 10 20 40", "cisco").parameters["min_th"] == 10
    named = "random-detect precedence critical 20 40\nrandom-detect precedence 0 10 40\nno random-detect prec 5"
    assert read(named, "cisco").parameters["min_th"] == 10


@pytest.mark.parametrize("first", ["set dscp ef", "police 1000000 conform-action transmit", "description text"])
def test_a_priority_class_behind_a_class_without_a_queue_is_above_the_others(first: str) -> None:
    """priority: strict priority up to 100 kbit/s; what no class claims is in class-default."""
    maps = "class-map A\n match dscp af11\nclass-map B\n match dscp ef\n"
    found = read(
        f"{maps}policy-map P\n class A\n  {first}\n class B\n  priority 100\n", "cisco", ConversionContext(10e6)
    )
    assert found.scheme == "pq"
    *_, second, rest = found.parameters["classes"]
    assert (second["name"], second["priority"], second["rate"]) == ("B", 0, "100kbit")
    assert (rest["name"], rest["priority"]) == ("class-default", 1)
    lost = "class A has no queue: IOS puts its packets in that of class-default, penstock in a separate one"
    assert lost in found.lost_settings


@pytest.mark.parametrize("text", ["", " \n", "! a comment\n!\n"])
def test_a_text_without_a_queue_is_refused(text: str) -> None:
    with pytest.raises(DialectError):
        read(text, "cisco", ConversionContext())
