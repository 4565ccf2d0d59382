"""Queues of ns-2: the defaults of ns-2.35, comments, variables, scripts with links.

Right values follow from the ns-2 manual, chapter "Queue management and packet scheduling", and from the values that
ns-2.35 prints (`Queue/RED set thresh_`), which a test compares where the program is installed.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from penstock.dialects import DialectError, read, write
from penstock.dialects.ns2_keys import QUEUES

RED = {"limit": "25000B", "min_th": "auto", "max_th": "auto", "max_p": 0.1, "w_q": "auto_rtt", "gentle": True,
       "spacing": "wait", "mean_packet": "500B", "measure_in": "bytes", "scale_by_size": "p_a",
       "ecn": False}  # fmt: skip
PACKETS = "Queue/RED set queue_in_bytes_ false\nQueue/RED set bytes_ false\n"
LINK = "$ns duplex-link $r1 $r2 1.5Mb 20ms RED\n"

CASES: list[tuple[str, str, dict[str, Any]]] = [
    # Defaults.
    ("Queue/RED set gentle_ true", "red", RED),
    ("Queue/DropTail set drop_front_ false", "droptail", {"limit": "50p"}),
    ("Queue/PI set qref_ 20", "pi", {"limit": "50p", "target": 20.0, "a": 1.822e-05, "b": 1.816e-05}),
    ("Queue/REM set pbo_ 30", "rem", {"target": 30.0, "gamma": 0.001, "phi": 1.001, "interval": "2ms"}),
    ("Queue/DRR set quantum_ 500", "drr", {"limit": "25000B", "buckets": 10, "quantum": "500B"}),
    ("Queue/CoDel set target_ 0.01", "codel", {"limit": "50p", "target": "10ms", "interval": "100ms"}),
    # Packets and bytes.
    ("Queue/RED set thresh_ 5\nQueue/RED set maxthresh_ 15", "red", {**RED, "min_th": 5.0, "max_th": 15.0}),
    (PACKETS, "red", {**RED, "limit": "50p", "measure_in": None, "scale_by_size": None}),
    ("Queue/RED set mean_pktsize_ 1000\nQueue set limit_ 35", "red", {"limit": "35000B", "mean_packet": "1000B"}),
    ("Queue/RED set bytes_ false", "red", {"measure_in": "bytes", "scale_by_size": None}),
    # Automatic values.
    ("Queue/RED set thresh_ 6", "red", {"min_th": 6.0, "max_th": 18.0}),
    ("Queue/RED set q_weight_ 0", "red", {"w_q": "auto"}),
    ("Queue/RED set q_weight_ -2", "red", {"w_q": "auto_fast"}),
    ("Queue/RED set targetdelay_ 0.02\n" + PACKETS + LINK, "red", {"min_th": 5.0, "max_th": 15.0}),
    # 50 Mbit/s are 12500 packets of 500 B a second: half of 20 ms are 125 of them.
    ("Queue/RED set targetdelay_ 0.02\nQueue set limit_ 500\n$ns duplex-link $a $b 50Mb 1ms RED", "red",
        {"min_th": 125.0, "max_th": 375.0}),
    # Other flags.
    ("Queue/RED set wait_ false", "red", {"spacing": "no_wait"}),
    ("Queue/RED set setbit_ 1", "red", {"ecn": True, "mark_up_to": "max_p"}),
    ("Queue/RED set setbit_ true\nQueue/RED set use_mark_p_ false", "red", {"ecn": True, "mark_up_to": "top"}),
    ("Queue/RED set adaptive_ 1", "ared-floyd", {"alpha": 0.01, "beta": 0.9, "max_p_low": 0.01, "max_p_high": 0.5}),
    ("Queue/DropTail set drop_front_ true", "drop-front", {"limit": "50p"}),
    # Comments, order, variables.
    ("# Queue/RED set thresh_ 9\nQueue/RED set thresh_ 5 ;# Queue/RED set thresh_ 7", "red", {"min_th": 5.0}),
    ("Queue/RED set thresh_ 5; Queue/RED set maxthresh_ 20", "red", {"min_th": 5.0, "max_th": 20.0}),
    ("Queue/RED set limit_ 30\nQueue set limit_ 20\n" + PACKETS, "red", {"limit": "30p"}),
    ("set low 7\nQueue/RED set thresh_ $low\nQueue/RED set maxthresh_ [expr 3*4]", "red", {"max_th": 12.0}),
    ("set low [expr 3*4]\nQueue/RED set thresh_ $low", "red", {"min_th": 12.0}),
    # Scripts.
    ("set ns [new Simulator]\n" + PACKETS + LINK + "$ns queue-limit $r1 $r2 25", "red", {"limit": "25p"}),
    (PACKETS + LINK + "Queue set limit_ 300\nset redq [[$ns link $r1 $r2] queue]\n"
     "$redq set thresh_ 75\n$redq set maxthresh_ 150", "red",
        {"min_th": 75.0, "max_th": 150.0}),
    ("$ns duplex-link $s1 $r1 10Mb 2ms DropTail\n" + LINK + "$ns duplex-link $s2 $r1 10Mb 3ms DropTail", "red", RED),
]  # fmt: skip


@pytest.mark.parametrize(("text", "scheme", "parameters"), CASES)
def test_a_script_is_read(text: str, scheme: str, parameters: dict[str, Any]) -> None:
    result = read(text, "ns2")
    assert result.scheme == scheme
    assert {name: result.parameters.get(name) for name in parameters} == parameters


@pytest.mark.parametrize(
    ("text", "rate"), [("1.5Mb", 1.5e6), ("10M", 10e6), ("64kb", 64e3), ("1MB", 8e6), ("1000000", 1e6), ("2Gb", 2e9)]
)
def test_the_unit_of_the_bandwidth_counts(text: str, rate: float) -> None:
    assert read(f"$ns duplex-link $r1 $r2 {text} 20ms DropTail", "ns2").rate == rate


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Queue/RED set tresh_ 5", 'no "tresh_"; did you mean "thresh_"'),
        ("Queue/RDE set thresh_ 5", 'no queue "RDE"; did you mean "RED"'),
        ("Queue/RED set thresh_ $low", "its value is not in the text"),
        ("Queue/RED set thresh_", "expected Queue/RED set VARIABLE VALUE"),
        ("Queue/RED set gentle_ maybe", "expected true or false"),
        ("Queue set limti_ 50\nQueue/RED set thresh_ 5", 'no "limti_"; did you mean "limit_"'),
        ("Queue/RED set thresh_ 5\nQueue/PI set qref_ 50", "several queues: RED, PI"),
        (LINK + "$ns duplex-link $r3 $r4 2Mb 20ms PI", r"several links with a queue: \$r1-\$r2, \$r3-\$r4"),
        ("$ns duplex-link $r1 $r2 1.5Mx 20ms RED", "expected a bandwidth"),
        ("Queue/RED set linterm_ 0", "linterm_ 0"),
        ("Queue/RED set thresh_ 5; Queue/RED set thresh_ 6", "thresh_ is given twice"),
    ],
)
def test_a_text_at_fault_is_refused(text: str, message: str) -> None:
    with pytest.raises(DialectError, match=message):
        read(text, "ns2")


def test_other_variables_are_listed() -> None:
    assert read("Queue/RED set cautious_ 1", "ns2").lost_settings == ["Queue/RED cautious_ 1: not simulated"]
    assert read("Queue/RED set drop_tail_ false", "ns2").lost_settings == [
        "Queue/RED drop_tail_ false: here the arriving packet is dropped"
    ]


def test_bytes_come_back() -> None:
    given = {"measure_in": "bytes", "limit": "30000B", "min_th": "5000B", "max_th": "15000B", "mean_packet": "500B",
             "w_q": 0.002, "scale_by_size": "p_a"}  # fmt: skip
    again = read(write("red", given, "ns2").text, "ns2").parameters
    assert (again["limit"], again["min_th"], again["mean_packet"]) == ("30000B", 10.0, "500B")


@pytest.mark.needs("ns")
def test_the_defaults_are_those_of_the_program(tmp_path: Path) -> None:
    names = ("RED", "DropTail", "PI", "REM", "DRR")
    asked = [(name, key.name) for name in names for key in QUEUES[name][1] if key.default]
    script = tmp_path / "defaults.tcl"
    script.write_text(
        "\n".join(f"puts [expr {{[catch {{Queue/{name} set {key}}} v] ? {{-}} : $v}}]" for name, key in asked)
    )
    printed = subprocess.run(["ns", str(script)], capture_output=True, text=True, check=True).stdout.split()
    for (name, word), value in zip(asked, printed, strict=True):
        key = next(key for key in QUEUES[name][1] if key.name == word)
        if value != "-" and word != "limit_" and key.value_kind is not None:
            assert key.parse_value(key.default) == key.parse_value(value), (name, word, value)


IN_QUEUE = "set redq [[$ns link $r1 $r2] queue]\n"


@pytest.mark.parametrize(
    "text",
    [
        "if {0} {\n  Queue/RED set thresh_ 5\n}",
        "Queue/RED set thresh_ 5\nif {$aqm == 1} { Queue/RED set gentle_ false }",
        "if {$aqm == 1} {\n  puts RED\n} else {\n  Queue/RED set thresh_ 5\n}",
        "Queue/RED set thresh_ 5; if {$x} \\\n { Queue set limit_ 5 }",
        "proc finish {} {\n  if {1} {\n    Queue/RED set thresh_ 5\n  }\n}",
        "foreach low {5 6} {\n  Queue/RED set thresh_ $low\n}",
        "for {set i 0} {$i < 2} {incr i} {\n  [[$ns link $r($i) $r] queue] set limit_ 5\n}\n" + LINK,
        "switch $aqm {\n  red { Queue/RED set thresh_ 5 }\n  pi { Queue/PI set qref_ 9 }\n}",
        "catch { Queue/RED set thresh_ 5 }\n" + LINK,
        # The condition chooses the queue.
        "if {$x} { $ns duplex-link $r1 $r2 1Mb 2ms RED } else { $ns duplex-link $r1 $r2 1Mb 2ms DropTail }",
        LINK + "if {$x} {\n  $ns queue-limit $r1 $r2 9\n}",
    ],
)
def test_a_condition_or_loop_around_settings_is_refused(text: str) -> None:
    with pytest.raises(DialectError, match="conditions and loops"):
        read(text, "ns2")


@pytest.mark.parametrize(
    "text",
    [
        'if {$argc != 1} {\n  puts "Queue expected"\n  exit\n}\n',
        "# if {0} { Queue/RED set thresh_ 5 }\n",
        "for {set i 0} {$i < 4} {incr i} {\n  $ns duplex-link $n($i) $r1 10Mb 2ms DropTail\n}\n",
    ],
)
def test_other_conditions_and_loops_change_nothing(text: str) -> None:
    assert read(text + LINK, "ns2").parameters == read(LINK, "ns2").parameters


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ("$q set thresh_ 9", ["$q set thresh_ 9: of an object of unknown class"]),
        ("set q [new Queue/RED]\n$q set thresh_ 9", ["$q set thresh_ 9: of an object of unknown class"]),
        (IN_QUEUE + '$ns at 5.0 "$redq set thresh_ 9"', ["$redq set thresh_ 9 at 5.0: a change during the run"]),
        ('$ns at 5.0 "Queue/RED set gentle_ 0"', ["Queue/RED set gentle_ 0 at 5.0: a change during the run"]),
        # interval_ is of RED, too; window_ is not.
        ("set cbr [new Application/Traffic/CBR]\n$cbr set interval_ 0.005", []),
        ("$tcp set window_ 9", []),
        (IN_QUEUE + "$redq set thresh_ 9", []),
    ],
)
def test_settings_of_other_objects_and_times_are_listed(text: str, lost: list[str]) -> None:
    assert read(LINK + text, "ns2").lost_settings[1:] == lost


@pytest.mark.parametrize("node", ["$n([expr $i+1])", "$n([expr ($i+1)%5])", "[$ns node]"])
def test_a_bracket_is_a_part_of_a_word(node: str) -> None:
    found = read(f"$ns duplex-link $n($i) {node} 2Mb 10ms RED\nQueue/RED set thresh_ 7", "ns2")
    assert (found.scheme, found.rate, found.parameters["min_th"]) == ("red", 2e6, 7.0)
