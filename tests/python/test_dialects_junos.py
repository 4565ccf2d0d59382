"""Class of service of Junos: profiles, schedulers, maps, interfaces, in braces and as set lines.

Right values follow from the Junos OS Class of Service User Guide ("RED Drop Profiles Overview", "Configuring
Schedulers", "Configuring the Scheduler Buffer Size") and the CLI User Guide ("deactivate", "Comments").
"""

from __future__ import annotations

from typing import Any

import pytest
from penstock.dialects import ConversionContext, DialectError, read

RED = {"min_th": "40%", "max_th": "80%", "max_p": 0.2, "gentle": True, "gentle_top": "buffer", "w_q": 1.0,
       "spacing": "none"}  # fmt: skip
STEPS = {"fill_level": [0.5], "drop_probability": [0.3], "interpolate": False, "w_q": 1.0}
LINE = "interpolate { fill-level [ 40 80 ]; drop-probability [ 0 20 ]; }"
SET = "set class-of-service drop-profiles "
AS_SET = SET + "be interpolate fill-level [ 40 80 ]\n" + SET + "be interpolate drop-probability [ 0 20 ]\n"

CASES: list[tuple[str, str, dict[str, Any]]] = [
    (f"drop-profiles {{ be {{ {LINE} }} }}", "red", RED),
    (f"class-of-service {{ drop-profiles {{ be {{ {LINE} }} }} }}", "red", RED),
    (LINE, "red", RED),
    (AS_SET, "red", RED),
    (AS_SET.replace("[ 40 80 ]", "40").replace("[ 0 20 ]", "0") + SET + "be interpolate fill-level 80\n" + SET
     + "be interpolate drop-probability 20", "red", RED),
    (SET + "be interpolate fill-level [ 40 80 ] drop-probability [ 0 20 ]", "red", RED),
    ("drop-profiles { be { interpolate { fill-level [ 40 80 ] drop-probability [ 0 20 ]; } } }", "red", RED),
    (SET + "be interpolate fill-level [ 40 80 ] drop-probability 0\n" + SET + "be interpolate drop-probability 20",
        "red", RED),
    (SET + "x fill-level 50 drop-probability 30", "nonlinear", STEPS),
    ("user@router# " + SET + "x fill-level 50 drop-probability 30", "nonlinear", STEPS),
    # Comments and negations.
    (f"drop-profiles {{ /* x {{ fill-level 1 drop-probability 2; }} */ be {{ {LINE} }} }}", "red", RED),
    (f"# drop-profiles {{ x {{ fill-level 1 drop-probability 2; }} }}\ndrop-profiles {{ be {{ {LINE} }} }}", "red",
        RED),
    (f"drop-profiles {{ inactive: x {{ fill-level 1 drop-probability 2; }} be {{ {LINE} }} }}", "red", RED),
    (AS_SET + SET + "x fill-level 1 drop-probability 2\ndeactivate class-of-service drop-profiles x", "red", RED),
    (AS_SET + SET + "x fill-level 1 drop-probability 2\ndelete class-of-service drop-profiles x", "red", RED),
    ("deactivate class-of-service drop-profiles x\n" + SET + "x fill-level 1 drop-probability 2\n" + AS_SET, "red",
        RED),
    (AS_SET + "deactivate class-of-service drop-profiles be\nactivate class-of-service drop-profiles be", "red", RED),
    ("set\n" + AS_SET, "red", RED),
    ("edit class-of-service drop-profiles\nset x fill-level 50 drop-probability 30", "nonlinear", STEPS),
    # The average.
    ("chassis { fpc 0 { pic 0 { red-buffer-occupancy { weighted-averaged instant-usage-weight-exponent 3; } } } }\n"
     + LINE, "red", {**RED, "w_q": 1 / 8}),
    ("set chassis fpc 0 pic 0 red-buffer-occupancy weighted-averaged\n" + AS_SET, "red", {**RED, "w_q": 1 / 2}),
    # Schedulers.
    (f"schedulers {{ BE {{ buffer-size temporal 20000; "
     "drop-profile-map loss-priority low protocol any drop-profile be; "
     f"explicit-congestion-notification; }} }} drop-profiles {{ be {{ {LINE} }} }}", "red",
        {**RED, "limit": "20000us", "ecn": True}),
    (AS_SET + "set class-of-service schedulers BE drop-profile-map loss-priority any protocol tcp drop-profile be",
        "red", RED),
    ("set class-of-service schedulers BE buffer-size temporal 5000", "droptail", {"limit": "5000us"}),
    # The last one of a statement with one value counts.
    ("set class-of-service schedulers BE buffer-size temporal 5000\n"
     "set class-of-service schedulers BE buffer-size percent 20", "droptail", {"limit": None}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "scheme", "parameters"), CASES)
def test_a_configuration_is_read(text: str, scheme: str, parameters: dict[str, Any]) -> None:
    result = read(text, "junos")
    assert result.scheme == scheme
    assert {name: result.parameters.get(name) for name in parameters} == parameters


WHOLE = """class-of-service {
  classifiers { dscp C {
    forwarding-class ef { loss-priority low code-points [ ef 101111 ]; }
    forwarding-class af { loss-priority low code-points af11; } } }
  drop-profiles { low { interpolate { fill-level [ 40 80 ]; drop-probability [ 0 20 ]; } }
    high { fill-level 50 drop-probability 30; } }
  interfaces { ge-0/0/0 { scheduler-map M; shaping-rate 10m; } }
  scheduler-maps { M { forwarding-class ef scheduler EF; forwarding-class be scheduler BE;
    forwarding-class af scheduler AF; } }
  schedulers {
    EF { transmit-rate percent 10; buffer-size temporal 10000; priority PRIORITY; }
    BE { transmit-rate remainder; buffer-size temporal 100000;
      drop-profile-map loss-priority low protocol any drop-profile low;
      drop-profile-map loss-priority high protocol any drop-profile high; }
    AF { transmit-rate percent 30; buffer-size percent 20; }
    inactive: OLD { foo; }
  }
}"""


def test_a_scheduler_map_is_a_scheduler_of_forwarding_classes() -> None:
    """10 ms and 100 ms at 10 Mbit/s are 12.5 and 125 kB; the rest of 10 and 30 percent are 60."""
    result = read(WHOLE.replace("PRIORITY", "low"), "junos")
    assert (result.scheme, result.rate, result.parameters["limit"]) == ("wfq", 10e6, "inf")
    classes = {one["name"]: one for one in result.parameters["classes"]}
    assert {name: one["weight"] for name, one in classes.items()} == {"ef": 10, "be": 60, "af": 30}
    assert [one.get("match") for one in result.parameters["classes"]] == [{"dscp": [46, 47]}, {"dscp": [10]}, None]
    assert (classes["ef"]["match"], classes["ef"]["limit"]) == ({"dscp": [46, 47]}, "12500B")
    assert classes["be"]["queue"] == {"scheme": "red", "limit": "125000B", "guards": False, **RED}
    assert [item.split(":")[0] for item in result.lost_settings] == [
        "scheduler AF buffer-size percent 20",
        "scheduler BE drop-profile-map loss-priority high protocol any drop-profile high",
    ]


def test_strict_priority_comes_first() -> None:
    result = read(WHOLE.replace("PRIORITY", "strict-high"), "junos")
    assert result.scheme == "pq"
    first, *others = result.parameters["classes"]
    assert (first["name"], first["priority"], first.get("rate")) == ("ef", 0, None)
    assert [(one["name"], one["priority"], one["rate"]) for one in others] == [
        ("af", 4, "3Mbit"), ("be", 4, "6Mbit")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("drop-profiles { be { interpolate { fill-levle 50; } } }", "fill-levle"),
        ("drop-profiles { be { interpolate { fill-level [ 40 80 ]; drop-probability 20; } }", "without its end"),
        ("drop-profiles { be { fill-level 40 drop-probability 20; } } }", "without its {"),
        (f"drop-profiles {{ a {{ {LINE} }} b {{ fill-level 1 drop-probability 2; }} }}", "several drop profiles.*: a"),
        ("set class-of-service schedulers BE bufer-size temporal 5000", 'no "bufer-size"; did you mean "buffer-size"'),
        ("set class-of-service schedulers BE priority highest", "expected one of strict-high"),
        ("set class-of-service schedulers BE buffer-size temporal 5ms", "expected a whole number"),
        (AS_SET + "set class-of-service schedulers BE drop-profile-map loss-priority low protocol any drop-profile x",
         "no drop profile x"),
        ("set class-of-service scheduler-maps M forwarding-class be scheduler BE", "no scheduler BE"),
        ("/* drop-profiles", "without an end"),
        (SET + "be interpolate fill-level [ 40 80 drop-probability [ 0 20 ]", r"expected a list such as \[ 25 75 \]"),
        (SET + "be interpolate fill-level [ 40 80", r"expected a list such as \[ 25 75 \]"),
        (SET + "be interpolate fill-level 40 ]", r"a bracket \] without an opening \["),
        (WHOLE.replace("PRIORITY", "low").replace("shaping-rate 10m;", ""), "give --rate RATE"),
        ("deactivate class-of-service drop-profiles be\n" + AS_SET, "expected a probability for each level"),
    ],
)  # fmt: skip
def test_a_text_at_fault_is_refused(text: str, message: str) -> None:
    with pytest.raises(DialectError, match=message):
        read(text, "junos")


def test_a_profile_is_chosen_by_its_name() -> None:
    text = f"drop-profiles {{ a {{ {LINE} }} b {{ fill-level 50 drop-probability 30; }} }}"
    assert read(text, "junos", ConversionContext(device="b")).scheme == "nonlinear"


def test_the_last_transmit_rate_counts() -> None:
    """Of 100 percent: AF has 30, and EF and BE share the other 70."""
    text = WHOLE.replace("PRIORITY", "low").replace("percent 10;", "percent 10; transmit-rate remainder;")
    classes = {one["name"]: one["weight"] for one in read(text, "junos").parameters["classes"]}
    assert classes == {"ef": 35, "be": 35, "af": 30}


PROFILE = "output-traffic-control-profile T"


@pytest.mark.parametrize(
    ("line", "lost"),
    [
        ("shaping-rate 10m burst-size 5k",
         "interfaces ge-0/0/0 shaping-rate 10m burst-size 5k: a burst of the link's shaper"),
        (f"shaping-rate 10m; {PROFILE}",
         f"interfaces ge-0/0/0 {PROFILE}: not in the text: paste this profile too"),
    ],
)  # fmt: skip
def test_what_an_interface_has_besides_is_listed(line: str, lost: str) -> None:
    found = read(WHOLE.replace("PRIORITY", "low").replace("shaping-rate 10m", line), "junos")
    assert found.rate == 10e6
    assert lost in found.lost_settings


def test_statements_of_interfaces_outside_class_of_service_are_of_other_things() -> None:
    outside = "interfaces { ge-0/0/0 { mtu 9000; unit 0 { family inet { address 10.0.0.1/24; } } } }\n"
    text = WHOLE.replace("PRIORITY", "low")
    assert read(outside + text, "junos") == read(text, "junos")
    with pytest.raises(DialectError, match='no "shapping-rate"; did you mean "shaping-rate"'):
        read(text.replace("shaping-rate", "shapping-rate"), "junos")
