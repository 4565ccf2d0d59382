"""Configurations of Arista EOS, Junos and SONiC as their vendors document them, with the values derived by hand.

Sources are named at each group of cases:

* AVD: Arista AVD, eos_cli_config_gen, documentation of QoS, whose examples are configurations of EOS;
* EOS: Arista EOS manual, chapter Quality of Service;
* COS: Junos OS Class of Service User Guide, with the title of the section or example;
* CFG: SONiC Configuration Database Manual (Configuration.md), with the table;
* YANG: sonic-wred-profile.yang; SAI: saiwred.h; SONiC test plans by their title.

A time counts at 10 Mbit/s, a packet has 1000 B.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from penstock.dialects import ConversionContext, read

Case = tuple[str, str, dict[str, Any], list[str]]
"""A text, the scheme, a part of its parameters, and what the losses begin with."""

NONE = (1e6, 2e6, 1.0)
"""Thresholds that no average reaches."""


def profile(*queues: str, head: str = "") -> str:
    return f"qos profile P\n{head}" + "\n   !\n".join(queues)


def tx(number: int, *lines: str, kind: str = "tx-queue") -> str:
    return f"   {kind} {number}\n" + "".join(f"      {line}\n" for line in lines)


def detect(how: str, low: int, high: int, unit: str, more: str = "", level: int | None = None) -> str:
    place = "" if level is None else f" drop-precedence {level}"
    return f"random-detect {how}{place} minimum-threshold {low} {unit} maximum-threshold {high} {unit}{more}"


MARK_90 = " max-mark-probability 90"
STEP = detect("ecn", 320, 320, "kbytes", MARK_90)
"""Marks all packets from 320 kB on."""
STEP_RED = {"scheme": "red", "min_th": "320000B", "max_th": "320000B", "max_p": 0.9, "ecn": True}
SHARED, STRICT = ("bandwidth percent 50", "no priority"), ("bandwidth percent 10", "priority strict")
BOUND = "bandwidth percent {}: a bound below its priority"

ARISTA: list[Case] = [
    # AVD, profile test: queue 2 is strict, queue 1 not; 80 percent of the rate is of the link.
    (profile(tx(1, *SHARED), tx(2, *STRICT, STEP), head="   qos trust dscp\n   shape rate 80 percent\n"), "pq",
     {"classes": [{"name": "tx-queue 2", "priority": 0, "match": {"dscp": [*range(16, 24)]}, "queue": STEP_RED},
                  {"name": "tx-queue 1", "priority": 1, "match": {"dscp": [*range(8)]}}, {"priority": 2}]},
     ["shape rate 80 percent", "tx-queue 2 bandwidth percent 10", "tx-queue 1 bandwidth percent 50"]),
    (profile(tx(2, *STRICT, STEP)), "red", {**STEP_RED, "scheme": None}, ["tx-queue 2 priority",
     "tx-queue 2 bandwidth"]),
    # AVD, profile uc_mc_queues_test: 3 and 9 ms at 10 Mbit/s are 3.75 and 11.25 kB; queues of multicast are listed.
    (profile(tx(1, *SHARED, detect("ecn", 3, 9, "milliseconds", MARK_90), kind="uc-tx-queue"),
             tx(2, *STRICT, STEP, kind="uc-tx-queue"), tx(1, *SHARED, kind="mc-tx-queue")), "pq",
     {"classes": [{"name": "uc-tx-queue 2", "queue": STEP_RED},
                  {"name": "uc-tx-queue 1", "queue": {"min_th": "3750B", "max_th": "11250B", "max_p": 0.9}}, {}]},
     ["uc-tx-queue 2 bandwidth", "uc-tx-queue 1 bandwidth", "mc-tx-queue 1: of multicast"]),
    # AVD, profile wred_queues_test, queues 1 to 4.
    (profile(tx(1, *SHARED, detect("drop", 1, 10, "kbytes", " drop-probability 100"))), "red",
     {"min_th": "1000B", "max_th": "10000B", "max_p": 1.0, "w_q": 1.0, "ecn": None},
     ["tx-queue 1 priority", "tx-queue 1 bandwidth"]),
    # Only packets of drop precedence 2 are dropped early; an average with a weight of 2^-10.
    (profile(tx(2, *STRICT, detect("drop", 2, 200, "kbytes", " drop-probability 50 weight 10", 2))), "wred",
     {"min_th": [1e6, 1e6, 2.0, 1e6], "max_th": [2e6, 2e6, 200.0, 2e6], "max_p": [1.0, 1.0, 0.5, 1.0], "w_q": 2.0**-10},
     ["tx-queue 2 priority", "tx-queue 2 bandwidth"]),
    (profile(tx(3, *STRICT, detect("ecn", 320, 320, "kbytes", " weight 10"))), "red",
     {"min_th": "320000B", "max_th": "320000B", "w_q": 2.0**-10, "mark_up_to": "always"},
     ["tx-queue 3 priority", "tx-queue 3 bandwidth"]),
    (profile(tx(4, "!! Test guaranteed percent", "bandwidth guaranteed percent 10",
                detect("drop", 1, 10, "kbytes", " drop-probability 90"))), "red", {"max_p": 0.9},
     ["tx-queue 4 bandwidth guaranteed percent 10"]),
    # AVD, profile wred_uc_queues_test: 2^-15; 2 and 20 ms at 10 Mbit/s are 2.5 and 25 packets.
    (profile(tx(1, *SHARED, detect("drop", 1, 10, "microseconds", " drop-probability 90 weight 15"),
                kind="uc-tx-queue")), "red", {"min_th": "1us", "max_th": "10us", "max_p": 0.9, "w_q": 2.0**-15},
     ["uc-tx-queue 1 priority", "uc-tx-queue 1 bandwidth"]),
    (profile(tx(2, *STRICT, detect("drop", 2, 20, "milliseconds", " drop-probability 80", 1), kind="uc-tx-queue")),
     "wred", {"min_th": [1e6, 2.5, 1e6, 1e6], "max_th": [2e6, 25.0, 2e6, 2e6], "max_p": [1.0, 0.8, 1.0, 1.0]},
     ["uc-tx-queue 2 priority", "uc-tx-queue 2 bandwidth"]),
    # AVD, profile qprof_testwithpolicy: queues 1 and 0 keep the default, strict priority.
    (profile(tx(0, "bandwidth percent 1"), tx(1, "bandwidth percent 80"), tx(5, "bandwidth percent 19", "no priority")),
     "pq", {"classes": [{"name": "tx-queue 1", "priority": 0}, {"name": "tx-queue 0", "priority": 1},
                        {"name": "tx-queue 5", "priority": 2, "match": {"dscp": [*range(40, 48)]}}, {"priority": 3}]},
     ["tx-queue 1 bandwidth", "tx-queue 0 bandwidth", "tx-queue 5 bandwidth"]),
    # AVD, profile experiment: an upper bound of a class is listed.
    (profile(tx(7, "bandwidth percent 30", "shape rate 40 percent"), tx(5, "bandwidth percent 40")), "pq",
     {"classes": [{"name": "tx-queue 7", "match": {"dscp": [*range(56, 64)]}}, {"name": "tx-queue 5"}, {}]},
     ["tx-queue 7 shape rate 40 percent", "tx-queue 7 bandwidth", "tx-queue 5 bandwidth"]),
    # AVD, interface Ethernet6 with its profile: a count of marks sets nothing.
    ("interface Ethernet6\n   service-profile experiment\n   !\n   tx-queue 2\n      random-detect ecn count\n",
     "droptail", {"min_th": None}, ["service-profile experiment"]),
    # AVD, QoS mappings: 46 goes to traffic class 5, AF with its drop precedence to 4, the rest of 8 to 63 to 1.
    ("qos map dscp 18 20 22 26 28 30 34 36 38 to traffic-class 4 drop-precedence 2\n"
     "qos map dscp 46 to traffic-class 5\nqos map dscp 40 41 42 43 44 45 47 to traffic-class 1\n"
     + profile(tx(4, "no priority"), tx(5, "no priority")),
     "wfq", {"classes": [{"name": "tx-queue 5", "weight": 1, "match": {"dscp": [46]}},
                         {"name": "tx-queue 4", "match": {"dscp": [18, 20, 22, 26, 28, 30, *range(32, 40)]}}, {}]},
     ["qos map dscp 18"]),
    # AVD, QoS mappings: traffic class 6, DSCP 48 to 55, waits in queue 2 beside traffic class 2.
    ("qos map traffic-class 6 to tx-queue 2\n" + profile(tx(2, "no priority"), tx(1, "no priority")), "wfq",
     {"classes": [{"name": "tx-queue 2", "match": {"dscp": [*range(16, 24), *range(48, 56)]}}, {}, {}]}, []),
    # AVD, qos random-detect ecn allow non-ect: marks packets that no sender understands.
    ("qos random-detect ecn allow non-ect chip-based\n" + profile(tx(3, STEP)), "red", {"max_p": 0.9},
     ["qos random-detect ecn allow non-ect"]),
    # EOS, default map of DSCP: 0 to 7 are traffic class 1, 8 to 15 are 0, then the precedence.
    (profile(*(tx(number, "no priority", f"bandwidth percent {share}") for number, share in ((1, 60), (0, 10), (6,
     30)))),
     "wfq", {"classes": [{"match": {"dscp": [*range(48, 56)]}, "weight": 30}, {"match": {"dscp": [*range(8)]},
     "weight": 60},
                         {"match": {"dscp": [*range(8, 16)]}, "weight": 10}, {"name": "others"}]}, []),
    # EOS, strict priority by the number of the queue.
    (profile(tx(6, "priority strict"), tx(7, "priority strict"), tx(1, "priority strict")), "pq",
     {"classes": [{"name": "tx-queue 7", "priority": 0}, {"name": "tx-queue 6", "priority": 1},
                  {"name": "tx-queue 1", "priority": 2}, {"priority": 3}]}, []),
    # EOS, random-detect ecn: the units bytes and mbytes (10^6), and no probability: all at the maximum.
    (detect("ecn", 10_000, 30_000, "bytes"), "red", {"min_th": "10000B", "max_th": "30000B", "max_p": 1.0}, []),
    (detect("ecn", 2, 3, "mbytes", " max-mark-probability 1"), "red", {"min_th": "2000000B", "max_p": 0.01}, []),
    (detect("ecn", 256, 512, "kbytes", " max-mark-probability 100 weight 0"), "red",
     {"min_th": "256000B", "max_th": "512000B", "max_p": 1.0, "w_q": 1.0}, []),
    # EOS, random-detect drop beside random-detect ecn: packets without ECN have others.
    (detect("ecn", 100, 200, "kbytes") + "\n" + detect("drop", 150, 300, "kbytes", " drop-probability 20"), "red",
     {"min_th": "100000B", "ecn": True}, ["random-detect drop: different thresholds"]),
    # EOS, drop precedences of a queue: green 0, yellow 1, red 2; best effort is green.
    ("\n".join(detect("drop", low, 100, "kbytes", f" drop-probability {share}", level)
               for level, low, share in ((0, 60, 10), (1, 40, 20), (2, 20, 40))), "wred",
     {"min_th": [60.0, 40.0, 20.0, 60.0], "max_th": [100.0] * 4, "max_p": [0.1, 0.2, 0.4, 0.1]}, []),
    # A line without a drop precedence is of the others.
    (detect("drop", 60, 100, "kbytes") + "\n" + detect("drop", 20, 100, "kbytes", level=2), "wred",
     {"min_th": [60.0, 60.0, 20.0, 60.0]}, []),
    # EOS, prompts of a session, and default lines.
    ("Leaf-1(config)# interface Ethernet1\nLeaf-1(config-if-Et1)# uc-tx-queue 3\n"
     "Leaf-1(config-if-Et1-uc-txq-3)# no priority\nLeaf-1(config-if-Et1-uc-txq-3)# bandwidth percent 95\n"
     "Leaf-1(config-if-Et1-uc-txq-3)# default bandwidth percent\n"
     "Leaf-1(config-if-Et1-uc-txq-3)# uc-tx-queue 1\nLeaf-1(config-if-Et1-uc-txq-1)# no priority", "wfq",
     {"classes": [{"name": "uc-tx-queue 3", "weight": 1}, {"name": "uc-tx-queue 1", "weight": 1}, {}]}, []),
    # AVD, shape rate of a queue, and latency: listed.
    ("interface Ethernet1\n tx-queue 3\n  shape rate 300000 kbps\n  latency maximum 2 milliseconds", "droptail", {},
     ["tx-queue 3 shape rate 300000 kbps", "tx-queue 3 latency maximum 2 milliseconds"]),
]  # fmt: skip

SET = "set class-of-service "


def dropped(fill: str, share: str, name: str = "dp") -> str:
    return f"{SET}drop-profiles {name} interpolate fill-level [ {fill} ]\n" \
           f"{SET}drop-profiles {name} interpolate drop-probability [ {share} ]\n"  # fmt: skip


def scheduler(name: str, *lines: str) -> str:
    return "".join(f"{SET}schedulers {name} {line}\n" for line in lines or ("",))


def mapped(**classes: str) -> str:
    return "".join(f"{SET}scheduler-maps M forwarding-class {name} scheduler {own}\n" for name, own in classes.items())


LOW = "drop-profile-map loss-priority low protocol any drop-profile "
SHAPED = f"{SET}interfaces ge-0/0/0 scheduler-map M\n{SET}interfaces ge-0/0/0 shaping-rate 10m\n"
WEIGHTED = "chassis { fpc 0 { pic 1 { red-buffer-occupancy { weighted-averaged%s; } } } }\n"
LINE = "interpolate { fill-level [ 40 80 ]; drop-probability [ 0 20 ]; }"
FOUR = mapped(be="BE", af="AF", ef="EF", nc="NC")

JUNOS: list[Case] = [
    # COS, RED Drop Profiles Overview: a line from (0, 0) through the points to (100, 100).
    (dropped("50 75", "0 50"), "red", {"min_th": "50%", "max_th": "75%", "max_p": 0.5, "gentle": True,
     "gentle_top": "buffer"}, []),
    (dropped("25 100", "0 100"), "red", {"min_th": "25%", "max_th": "100%", "max_p": 1.0, "gentle": False}, []),
    (dropped("25 50 75", "25 50 75"), "nonlinear", {"fill_level": [0.25, 0.5, 0.75], "drop_probability": [0.25, 0.5,
     0.75],
     "interpolate": True}, []),
    # COS, RED Drop Profiles Overview: a segmented profile has steps.
    (f"{SET}drop-profiles s fill-level 25 drop-probability 25\n{SET}drop-profiles s fill-level 50 drop-probability 50\n"
     f"{SET}drop-profiles s fill-level 75 drop-probability 75\n{SET}drop-profiles s fill-level 95 drop-probability 100",
     "nonlinear", {"fill_level": [0.25, 0.5, 0.75, 0.95], "drop_probability": [0.25, 0.5, 0.75, 1.0],
                   "interpolate": False}, []),
    # COS, Default Drop Profile: terminal; nothing is dropped before the buffer is full.
    ("drop-profiles { terminal { fill-level 100 drop-probability 100; } }", "nonlinear",
     {"fill_level": [1.0], "drop_probability": [1.0]}, []),
    # COS, Example: Configuring Weighted RED Buffer Occupancy: 1/2, which is the default, and 1/4.
    (WEIGHTED % " instant-usage-weight-exponent 1" + LINE, "red", {"w_q": 0.5}, []),
    (WEIGHTED % "" + LINE, "red", {"w_q": 0.5}, []),
    (WEIGHTED % " instant-usage-weight-exponent 2" + LINE, "red", {"w_q": 0.25}, []),
    # COS, Configuring Weighted RED Buffer Occupancy: 0 is the buffer as it is; 31 is the operational maximum.
    (WEIGHTED % " instant-usage-weight-exponent 0" + LINE, "red", {"w_q": 1.0}, []),
    (WEIGHTED % " instant-usage-weight-exponent 40" + LINE, "red", {"w_q": 2.0**-31}, []),
    ("edit chassis fpc 0 pic 1\nset red-buffer-occupancy weighted-averaged instant-usage-weight-exponent 3\ntop\n"
     + dropped("40 80", "0 20"), "red", {"w_q": 0.125, "min_th": "40%"}, []),
    # COS, Configuring the Scheduler Buffer Size: temporal, in microseconds of the interface; percent is of the port.
    (scheduler("BE", "buffer-size temporal 100000"), "droptail", {"limit": "100000us"}, []),
    (scheduler("BE", "buffer-size percent 95"), "droptail", {"limit": None}, ["scheduler BE buffer-size percent 95"]),
    # COS, Configuring Drop Profile Maps for Schedulers: TCP of low loss priority is what senders here send.
    (dropped("40 80", "0 20") + scheduler("BE", "drop-profile-map loss-priority low protocol tcp drop-profile dp"),
     "red",
     {"max_p": 0.2}, []),
    (dropped("40 80", "0 20") + dropped("10 20", "0 90", "hi") + scheduler("BE", LOW + "dp",
     "drop-profile-map loss-priority high protocol any drop-profile hi"), "red", {"min_th": "40%"},
     ["scheduler BE drop-profile-map loss-priority high"]),
    # Example: Configuring ECN (Traffic Management User Guide, QFX): 30 and 80 percent, 0 and 80.
    (dropped("30 80", "0 80") + scheduler("be-sched", LOW + "dp", "explicit-congestion-notification"), "red",
     {"min_th": "30%", "max_th": "80%", "max_p": 0.8, "ecn": True}, []),
    # Default scheduler settings (J-series guide): 95 and 5 percent, both low.
    (scheduler("BE", "transmit-rate percent 95", "priority low") + scheduler("NC", "transmit-rate percent 5",
     "priority low")
     + mapped(be="BE", nc="NC"), "wfq", {"classes": [{"name": "nc", "weight": 5}, {"name": "be", "weight": 95}]}, []),
    # COS, Configuring Scheduler Transmission Rate: bit/s with k, m and g; remainder is what is left of 10 Mbit/s.
    (SHAPED + scheduler("A", "transmit-rate 2500k") + scheduler("B", "transmit-rate 1m") + scheduler("C",
     "transmit-rate remainder")
     + mapped(a="A", b="B", be="C"), "wfq",
     {"classes": [{"name": "a", "weight": 2.5}, {"name": "b", "weight": 1}, {"name": "be", "weight": 6.5}]}, []),
    # exact is an upper bound; two that share the remainder of 60 percent have 30 each.
    (scheduler("A", "transmit-rate percent 40 exact") + scheduler("B") + scheduler("C", "transmit-rate remainder",
     ) + scheduler("D", "transmit-rate remainder") + mapped(a="A", be="C", d="D"), "wfq",
     {"classes": [{"name": "a", "weight": 40}, {"name": "d", "weight": 30}, {"name": "be", "weight": 30}]},
     ["scheduler A transmit-rate percent 40 exact"]),
    # COS, Priority Scheduling Overview: strict-high, high, medium-high, medium-low, low.
    (SHAPED + "".join(scheduler(name, f"priority {level}", "transmit-rate percent 25") for name, level in
                      (("EF", "strict-high"), ("NC", "high"), ("AF", "medium-high"), ("BE", "low"))) + FOUR, "pq",
     {"classes": [{"name": "ef", "priority": 0, "rate": None}, {"name": "nc", "priority": 1, "rate": "2.5Mbit"},
                  {"name": "af", "priority": 2, "rate": "2.5Mbit"}, {"name": "be", "priority": 4, "rate": "2.5Mbit"}]},
     ["bandwidth beyond the guarantees"]),
    # COS, Applying Scheduler Maps and Shaping Rate to DLCIs and VLANs: of a unit; 50 ms at 4 Mbit/s are 25 kB.
    (f"{SET}interfaces ge-0/0/0 unit 7 scheduler-map M\n{SET}interfaces ge-0/0/0 unit 7 shaping-rate 4m\n"
     + scheduler("BE", "buffer-size temporal 50000") + scheduler("EF") + mapped(ef="EF", be="BE"), "wfq",
     {"classes": [{"name": "ef", "weight": 50}, {"name": "be", "weight": 50, "limit": "25000B"}]}, []),
    # COS, classifiers: bits or aliases; import takes the others of the default one.
    (f"{SET}classifiers dscp C import default\n{SET}classifiers dscp C forwarding-class ef loss-priority low "
     f"code-points [ 101110 101111 ]\n{SET}classifiers dscp C forwarding-class nc loss-priority low code-points nc1\n"
     + scheduler("A") + scheduler("B") + scheduler("C") + mapped(ef="A", nc="B", be="C"), "wfq",
     {"classes": [{"name": "ef", "match": {"dscp": [46, 47]}}, {"name": "nc", "match": {"dscp": [48]}},
                  {"name": "be", "match": None}]}, []),
    # CLI User Guide, deactivate and inactive:; annotations.
    (dropped("40 80", "0 20") + dropped("1 2", "3 4", "old") + "deactivate class-of-service drop-profiles old", "red",
     {"min_th": "40%"}, []),
    ("class-of-service {\n  /* RED */\n  drop-profiles {\n    inactive: old { fill-level 1 drop-probability 2; }\n"
     f"    new {{ {LINE} }}\n  }}\n}}", "red", {"max_p": 0.2}, []),
    # Example: Configuring Queue Schedulers (QFX): an upper bound and a share of a buffer are listed.
    (scheduler("be-sched", "transmit-rate percent 20", "shaping-rate percent 40", "buffer-size percent 20",
     "priority low",
               LOW + "dp") + dropped("20 90", "0 80"), "red", {"min_th": "20%", "max_th": "90%", "max_p": 0.8},
     ["scheduler be-sched shaping-rate percent 40", "scheduler be-sched buffer-size percent 20",
      "scheduler be-sched transmit-rate 20 percent"]),
]  # fmt: skip


def colours(low: int, high: int, share: int | None, *names: str, **more: str) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name in names:
        fields |= {f"wred_{name}_enable": "true", f"{name}_min_threshold": str(low), f"{name}_max_threshold": str(high)}
        fields |= {} if share is None else {f"{name}_drop_probability": str(share)}
    return {**fields, **more}


ALL = ("green", "yellow", "red")
AZURE = colours(1048576, 2097152, 5, *ALL, ecn="ecn_all")
AZURE_RED = {"min_th": "1048576B", "max_th": "2097152B", "max_p": 0.05, "ecn": True}
LOSSY = {**colours(524288, 1048576, 10, "green"), **colours(524288, 1048576, 20, "yellow"),
         **colours(524288, 1048576, 15, "red"), "ecn": "ecn_none"}  # fmt: skip
IDENTITY = {str(number): str(number) for number in range(8)}
DWRR = {f"scheduler.{number}": {"type": "DWRR", "weight": weight} for number, weight in enumerate(("5", "15", "20"))}
THREE = {"Ethernet0|0": {"scheduler": "scheduler.0"}, "Ethernet0|1": {"scheduler": "scheduler.1", "wred_profile": "A"},
         "Ethernet0|2": {"scheduler": "scheduler.2"}}  # fmt: skip
PORT_SHAPER = {"scheduler.port": {"meter_type": "bytes", "pir": "1000000000", "pbs": "8192"}}
ONE = {"Ethernet0|3": {"wred_profile": "A"}}


def config(**tables: Any) -> str:
    return json.dumps(tables)


SONIC: list[Case] = [
    # CFG, WRED_PROFILE: AZURE_LOSSLESS; all colours alike are one RED.
    (config(WRED_PROFILE={"AZURE_LOSSLESS": AZURE}), "red", AZURE_RED, []),
    # Test plan "DWRR": AZURE_LOSSY, whose colours differ by their probabilities: 524.288 and 1048.576 packets.
    (config(WRED_PROFILE={"AZURE_LOSSY": LOSSY}), "wred", {"min_th": [524.288] * 4, "max_th": [1048.576] * 4,
     "max_p": [0.1, 0.2, 0.15, 0.1], "ecn": None}, []),
    # Test plan "SONiC Switch ECN Test": only red packets.
    (config(WRED_PROFILE={"A": colours(50000, 51000, 5, "red", ecn="ecn_all")}), "wred",
     {"min_th": [1e6, 1e6, 50.0, 1e6], "max_th": [2e6, 2e6, 51.0, 2e6], "max_p": [1.0, 1.0, 0.05, 1.0], "ecn": True},
     []),
    # Test plan of WRED counters: green 1120000 to 2240000, yellow 896000 to 1792000, red 672000 to 1344000.
    (config(WRED_PROFILE={"A": {**colours(1120000, 2240000, 100, "green"), **colours(896000, 1792000, 100, "yellow"),
                                **colours(672000, 1344000, 100, "red"), "ecn": "ecn_all"}}), "wred",
     {"min_th": [1120, 896, 672, 1120], "max_th": [2240, 1792, 1344, 2240], "max_p": [1.0] * 4, "ecn": True}, []),
    # The wiki's ecnconfig: minimum and maximum are equal, a step; YANG: the maximum is not below the minimum.
    (config(WRED_PROFILE={"A": colours(184320, 184320, None, *ALL)}), "red", {"min_th": "184320B",
     "max_th": "184320B"}, []),
    # YANG: a drop probability of 100 percent and no marks by default; 0 to 100.
    (config(WRED_PROFILE={"A": colours(100, 300, None, *ALL)}), "red", {"max_p": 1.0, "ecn": None, "w_q": 1.0}, []),
    (config(WRED_PROFILE={"A": colours(100, 300, 0, *ALL)}), "red", {"max_p": 0.0}, []),
    # SAI: a weight of 0 to 15; the average of 2^-weight.
    (config(WRED_PROFILE={"A": {**AZURE, "weight": "15"}}), "red", {"w_q": 2.0**-15}, []),
    # YANG: ecn_green marks green alone.
    (config(WRED_PROFILE={"A": colours(100, 300, 5, *ALL, ecn="ecn_green")}), "red", {"ecn": True},
     ["ecn = ecn_green"]),
    (config(WRED_PROFILE={"A": colours(100, 300, 5, "green", ecn="ecn_green")}), "red", {"ecn": True}, []),
    # YANG, revision 2026-06-23: thresholds of marks alone.
    (config(WRED_PROFILE={"A": {**AZURE, "ecn_green_min_threshold": "100", "ecn_green_max_threshold": "200",
                                "ecn_green_mark_probability": "50"}}), "red", AZURE_RED,
     ["A ecn_green_min_threshold 100", "A ecn_green_max_threshold 200", "A ecn_green_mark_probability 50"]),
    # YANG: wred_yellow_enable is false by default, so that yellow's thresholds have no effect.
    (config(WRED_PROFILE={"A": {**colours(100, 300, 5, "green"), "yellow_min_threshold": "50"}}), "red",
     {"min_th": "100B"},
     ["A yellow_min_threshold 50"]),
    # CFG, QUEUE: the profile of a queue; the older form of a reference.
    (config(QUEUE=ONE, WRED_PROFILE={"A": AZURE}), "red", AZURE_RED, []),
    (config(QUEUE={"Ethernet252|0": {"wred_profile": "[WRED_PROFILE|A]"}}, WRED_PROFILE={"A": AZURE}), "red",
     AZURE_RED, []),
    # Test plan "DWRR": weights 5, 15, 20 of 40, the higher queue first; queue 1 has the profile.
    (config(QUEUE=THREE, SCHEDULER=DWRR, WRED_PROFILE={"A": AZURE}), "wfq",
     {"classes": [{"name": "queue2", "weight": 20}, {"name": "queue1", "weight": 15, "queue": AZURE_RED},
                  {"name": "queue0", "weight": 5}, {"name": "others", "weight": 1}]}, []),
    # CFG, QUEUE and SCHEDULER: queues 5 and 6 are STRICT, 4 is WRR with bounds, which are listed.
    (config(QUEUE={"Ethernet56|4": {"wred_profile": "A", "scheduler": "scheduler.1"},
     "Ethernet56|5": {"scheduler": "scheduler.0"},
                   "Ethernet56|6": {"scheduler": "scheduler.0"}}, WRED_PROFILE={"A": AZURE},
            SCHEDULER={"scheduler.0": {"type": "STRICT"},
                       "scheduler.1": {"type": "WRR", "weight": "1", "meter_type": "bytes", "pir": "1250000000",
                       "pbs": "8192"}}),
     "pq", {"classes": [{"name": "queue6", "priority": 0}, {"name": "queue5", "priority": 1},
                        {"name": "queue4", "priority": 2, "queue": AZURE_RED}, {"priority": 3}]},
     ["SCHEDULER scheduler.1 pir 1250000000", "SCHEDULER scheduler.1 pbs 8192"]),
    # CFG, PORT: a speed of 40000 Mbit/s.
    (config(QUEUE=ONE, WRED_PROFILE={"A": AZURE}, PORT={"Ethernet0": {"speed": "40000", "mtu": "9100"}}), "red",
     {**AZURE_RED, "rate": 40e9}, []),
    # CFG, PORT_QOS_MAP: the shaper of a port, 10^9 bytes per second of 40 Gbit/s.
    (config(QUEUE=ONE, WRED_PROFILE={"A": AZURE}, SCHEDULER=PORT_SHAPER, PORT={"Ethernet0": {"speed": "40000"}},
            PORT_QOS_MAP={"Ethernet0,Ethernet4": {"scheduler": "scheduler.port"}}), "red", {"rate": 8e9},
     ["SCHEDULER scheduler.port pbs 8192"]),
    # A port that is slower than its shaper.
    (config(QUEUE=ONE, WRED_PROFILE={"A": AZURE}, SCHEDULER=PORT_SHAPER, PORT={"Ethernet0": {"speed": "1000"}},
            PORT_QOS_MAP={"Ethernet0": {"scheduler": "[SCHEDULER|scheduler.port]"}}), "red", {"rate": 1e9},
     ["SCHEDULER scheduler.port pbs 8192"]),
    # CFG, DSCP_TO_TC_MAP and TC_TO_QUEUE_MAP: 8 and 10 are traffic class 1, in queue 2; 46 is 5, in queue 0.
    (config(QUEUE=THREE, SCHEDULER=DWRR, WRED_PROFILE={"A": AZURE}, DSCP_TO_TC_MAP={"M": {"8": "1", "10": "1",
     "46": "5"}},
            TC_TO_QUEUE_MAP={"Q": {**IDENTITY, "1": "2", "5": "0"}}), "wfq",
     {"classes": [{"name": "queue2", "match": {"dscp": [8, 10]}}, {"name": "queue1", "match": {"traffic": ["queue1"]}},
                  {"name": "queue0", "match": {"dscp": [46]}}, {}]}, []),
    # CFG, PORT_QOS_MAP: of two maps the port has AZURE.
    (config(QUEUE=THREE, SCHEDULER=DWRR, WRED_PROFILE={"A": AZURE}, DSCP_TO_TC_MAP={"AZURE": {"3": "1"},
     "OTHER": {"4": "1"}},
            PORT_QOS_MAP={"Ethernet0": {"dscp_to_tc_map": "AZURE"}}), "wfq",
     {"classes": [{}, {"name": "queue1", "match": {"dscp": [3]}}, {}, {}]}, []),
    (config(QUEUE=THREE, SCHEDULER=DWRR, WRED_PROFILE={"A": AZURE}, DSCP_TO_TC_MAP={"AZURE": {"3": "1"},
     "OTHER": {"4": "1"}},
            PORT_QOS_MAP={"global": {"dscp_to_tc_map": "[DSCP_TO_TC_MAP|OTHER]"}}), "wfq",
     {"classes": [{}, {"name": "queue1", "match": {"dscp": [4]}}, {}, {}]}, []),
    # CFG, QUEUE: several ports and queues in one key.
    (config(QUEUE={"Ethernet0,Ethernet4|3-4": {"wred_profile": "A"}}, WRED_PROFILE={"A": AZURE}), "wfq",
     {"classes": [{"name": "queue4", "weight": 1, "queue": AZURE_RED}, {"name": "queue3", "weight": 1}, {}]}, []),
    # CFG, other tables of a configuration mean nothing; buffers are listed.
    (config(QUEUE=ONE, WRED_PROFILE={"A": AZURE}, DEVICE_METADATA={"localhost": {}}, BUFFER_POOL={"p": {"size": "9"}},
            TC_TO_DSCP_MAP={"AZURE": {"5": "10"}}), "red", AZURE_RED, ["BUFFER_POOL"]),
    # CFG, SCHEDULER: STRICT queues alone, by their number.
    (config(QUEUE={f"Ethernet0|{number}": {"scheduler": "s"} for number in (0, 7)},
     SCHEDULER={"s": {"type": "STRICT"}}), "pq",
     {"classes": [{"name": "queue7", "priority": 0}, {"name": "queue0", "priority": 1}, {"priority": 2}]}, []),
]  # fmt: skip


def is_part(expected: Any, found: Any) -> bool:
    """Whether a value is found, or each of a table's; None: it is not there."""
    if isinstance(expected, dict):
        return isinstance(found, dict) and all(is_part(value, found.get(key)) for key, value in expected.items())
    if isinstance(expected, list) and expected and isinstance(expected[0], dict):
        return len(expected) == len(found) and all(map(is_part, expected, found))
    return bool(expected == found)


CASES = [(name, *case) for name, cases in (("arista", ARISTA), ("junos", JUNOS), ("sonic", SONIC)) for case in cases]


@pytest.mark.parametrize(("dialect", "text", "scheme", "parameters", "lost"), CASES)
def test_a_documented_configuration_is_read(
    dialect: str, text: str, scheme: str, parameters: dict[str, Any], lost: list[str]
) -> None:
    found = read(text, dialect, ConversionContext(10e6))
    assert found.scheme == scheme
    assert is_part(parameters, {"rate": found.rate, **found.parameters}), found.parameters
    assert len(found.lost_settings) == len(lost), found.lost_settings
    assert all(any(item.startswith(start) for item in found.lost_settings) for start in lost), found.lost_settings


def test_there_are_25_of_each() -> None:
    assert [len(cases) for cases in (ARISTA, JUNOS, SONIC)] == [25, 25, 25]
