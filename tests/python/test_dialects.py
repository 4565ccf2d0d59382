"""Settings of queues in other dialects: documented examples, and nothing lost on the way there and back."""

from __future__ import annotations

import contextlib
import json
import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import penstock as ps
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from penstock.dialects import DIALECTS, OTHERS, ConversionContext, DialectError, read, write
from penstock.dialects.tc_red import weight_exponent_for_burst
from penstock.errors import ScenarioError
from penstock.studies.candidate import Candidate
from penstock.units import parse_time

from validation.linux.tc_settings import KINDS

ROOT = Path(__file__).resolve().parents[2]

EXAMPLES: list[tuple[str, str, str, dict[str, Any]]] = [
    # tc-red(8), EXAMPLES; burst 55 with 30 packets below min gives 2^-5 by the bound of Floyd and Jacobson, section 6.
    (
        "tc",
        "tc qdisc add dev eth0 parent 1:1 handle 10: red limit 400000 min 30000 max 90000 avpkt 1000 burst 55 ecn "
        "adaptive bandwidth 10Mbit",
        "red",
        {"limit": "400000B", "min_th": "30000B", "max_th": "90000B", "w_q": 2.0**-5, "max_p": 0.02, "ecn": True},
    ),
    # tc-fq_codel(8), EXAMPLES: as printed by tc -s qdisc show.
    (
        "tc",
        "qdisc fq_codel 8001: dev eth0 root refcnt 2 limit 10240p flows 1024 quantum 1514 target 5.0ms "
        "interval 100.0ms ecn",
        "fq-codel",
        {"limit": "10240p", "flows": 1024, "quantum": "1514B", "target": "5ms", "interval": "100ms", "ecn": True},
    ),
    # tc-pie(8), EXAMPLES: alpha and beta count sixteenths of 1/s (RFC 8033, section 4.2: 0.125 and 1.25).
    (
        "tc",
        "qdisc pie 8036: dev eth0 root refcnt 2 limit 1000p target 20.0ms tupdate 30.0ms alpha 2 beta 20",
        "pie",
        {"limit": "1000p", "target": "20ms", "t_update": "30ms", "alpha": 0.125, "beta": 1.25},
    ),
    # tc-cake(8): besteffort for a single tin; mbps is a million bytes per second.
    (
        "tc",
        "cake bandwidth 10mbps besteffort dual-dsthost rtt 50ms",
        "cake",
        {"bandwidth": "80Mbit", "diffserv": "besteffort", "isolation": "dual-dsthost", "rtt": "50ms"},
    ),
    # Cisco ME 3800X and ME 3600X command reference (OL-28238-01): the weight factor is 12; the default is 9.
    (
        "cisco",
        "policy-map policy1\n class class1\n bandwidth 1000\n random-detect\n"
        " random-detect exponential-weighting-constant 12\n random-detect precedence 0 20 40 10",
        "red",
        {"w_q": 2.0**-12, "min_th": 20.0, "max_th": 40.0, "max_p": 0.1},
    ),
    # Junos CoS reference, drop-profiles: lists of values in an interpolated profile.
    (
        "junos",
        "drop-profiles { be { interpolate { fill-level [ 40 80 ]; drop-probability [ 0 20 ]; } } }",
        "red",
        {"min_th": "40%", "max_th": "80%", "max_p": 0.2, "gentle": True, "gentle_top": "buffer", "spacing": "none"},
    ),
    # Junos CoS User Guide, "Configuring RED Drop Profiles": the interpolated profile of its example, and the segmented
    # one; and "Configuring Weighted RED Buffer Occupancy": a weight of 1/4.
    (
        "junos",
        "class-of-service { drop-profiles { interpolated-style-profile { interpolate { fill-level [ 50 75 ]; "
        "drop-probability [ 25 50 ]; } } } }",
        "nonlinear",
        {"fill_level": [0.5, 0.75], "drop_probability": [0.25, 0.5], "interpolate": True, "w_q": 1.0},
    ),
    (
        "junos",
        "class-of-service { drop-profiles { segmented-style-profile { fill-level 25 drop-probability 25; fill-level 50 "
        "drop-probability 50; fill-level 75 drop-probability 75; fill-level 95 drop-probability 100; } } }",
        "nonlinear",
        {"fill_level": [0.25, 0.5, 0.75, 0.95], "drop_probability": [0.25, 0.5, 0.75, 1.0], "interpolate": False},
    ),
    (
        "junos",
        "chassis { fpc 0 { pic 1 { red-buffer-occupancy { weighted-averaged instant-usage-weight-exponent 2; } } } }\n"
        "drop-profiles { be { interpolate { fill-level [ 40 80 ]; drop-probability [ 0 20 ]; } } }",
        "red",
        {"w_q": 1 / 4, "max_p": 0.2},
    ),
    # SONiC, Configuration.md: profile AZURE_LOSSLESS in bytes and percent, with green alone.
    (
        "sonic",
        '{"WRED_PROFILE": {"AZURE_LOSSLESS": {"wred_green_enable": "true", "green_max_threshold": "2097152", '
        '"green_min_threshold": "1048576", "green_drop_probability": "5", "ecn": "ecn_all"}}}',
        "red",
        {"min_th": "1048576B", "max_th": "2097152B", "max_p": 0.05, "ecn": True},
    ),
    (
        "arista",
        "random-detect ecn minimum-threshold 128 kbytes maximum-threshold 1280 kbytes max-mark-probability 20 weight 5",
        "red",
        {"min_th": "128000B", "max_th": "1280000B", "max_p": 0.2, "w_q": 2.0**-5, "ecn": True},
    ),
    # ipfw(8): red w_q/min_th/max_th/max_p, and the AQMs by name.
    (
        "dummynet",
        "ipfw pipe 1 config bw 10Mbit/s queue 50 gred 0.002/5/15/0.1",
        "red",
        {"limit": "50p", "w_q": 0.002, "min_th": 5.0, "max_th": 15.0, "max_p": 0.1, "gentle": True},
    ),
    (
        "dummynet",
        "ipfw sched 1 config pipe 1 type fq_codel target 5ms interval 100ms quantum 1514 limit 10240 flows 1024 ecn",
        "fq-codel",
        {"target": "5ms", "interval": "100ms", "quantum": "1514B", "limit": "10240p", "flows": 1024, "ecn": True},
    ),
    # The ns-2 manual, chapter "Queue management and packet scheduling": the defaults of RED as it prints them; and
    # those of ns-2.35, which measures bytes and counts limits in packets of mean_pktsize_, 500 B.
    (
        "ns2",
        "Queue/RED set thresh_ 5\nQueue/RED set maxthresh_ 15\nQueue/RED set q_weight_ 0.002\n"
        "Queue/RED set linterm_ 10\nQueue/RED set wait_ true\nQueue/RED set bytes_ false\n"
        "Queue/RED set queue_in_bytes_ false\nQueue set limit_ 50",
        "red",
        {"min_th": 5.0, "max_th": 15.0, "w_q": 0.002, "max_p": 0.1, "spacing": "wait", "limit": "50p"},
    ),
    (
        "ns2",
        "Queue/RED set thresh_ 5\nQueue/RED set maxthresh_ 15\nQueue set limit_ 50",
        "red",
        {"min_th": 5.0, "max_th": 15.0, "limit": "25000B", "measure_in": "bytes", "gentle": True},
    ),
    # ns-3, traffic-control module, red.rst: attributes of RedQueueDisc.
    (
        "ns3",
        'Config::SetDefault ("ns3::RedQueueDisc::MinTh", DoubleValue (5));\n'
        'Config::SetDefault ("ns3::RedQueueDisc::MaxSize", QueueSizeValue (QueueSize ("25p")));\n'
        'Config::SetDefault ("ns3::RedQueueDisc::LInterm", DoubleValue (50));',
        "red",
        {"min_th": 5.0, "limit": "25p", "max_p": 0.02},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "text", "scheme", "parameters"), EXAMPLES)
def test_documented_examples_are_read(dialect: str, text: str, scheme: str, parameters: dict[str, Any]) -> None:
    found = read(text, dialect)
    assert found.scheme == scheme
    assert {name: found.parameters.get(name) for name in parameters} == parameters


def test_the_weight_is_the_least_power_that_lets_a_burst_pass() -> None:
    """Floyd and Jacobson 1993, section 6: a burst of L packets raises the average by L + 1 + ((1-w)^(L+1) - 1) / w."""
    for burst, low in ((55, 30), (20, 5), (100, 10)):
        power = weight_exponent_for_burst(burst, low)
        assert power is not None
        bound = [burst + 1 - low <= (1 - (1 - 2.0**-n) ** burst) / 2.0**-n for n in range(1, power + 1)]
        assert bound == [False] * (power - 1) + [True]


lengths = st.integers(1, 400)
shares = st.integers(1, 100).map(lambda percent: percent / 100)
powers = st.integers(2, 12).map(lambda power: 2.0**-power)
flag = st.booleans()
times = st.integers(1, 500).map(lambda ms: f"{ms}ms")
counts = st.integers(1, 5000).map(lambda count: f"{count}p")


def red(**more: Any) -> st.SearchStrategy[dict[str, Any]]:
    """RED's thresholds, probability and further parameters; a limit is not below the thresholds."""
    pair = st.tuples(lengths, lengths).map(lambda two: (min(two), min(two) + max(two)))
    given = {"max_p": shares, "w_q": powers, **more}

    def table(two: tuple[int, int], rest: dict[str, Any]) -> dict[str, Any]:
        limit = {"limit": f"{max(two[1], int(rest['limit'][:-1]))}p"} if "limit" in rest else {}
        return {"min_th": two[0], "max_th": two[1], **rest, **limit}

    return st.builds(table, pair, st.fixed_dictionaries(given))


def profiles() -> st.SearchStrategy[dict[str, Any]]:
    """Profiles in whole percents that no RED has: two bends or more, or steps."""
    percents = st.sets(st.integers(1, 99), min_size=2, max_size=62).map(lambda found: [n / 100 for n in sorted(found)])

    def pairs(levels: list[float]) -> st.SearchStrategy[dict[str, Any]]:
        any_probabilities = st.lists(shares, min_size=len(levels), max_size=len(levels))
        rising = st.sets(st.integers(0, 100), min_size=len(levels), max_size=len(levels))
        steps = rising.map(lambda found: [n / 100 for n in sorted(found)])
        line, stepped = (
            st.fixed_dictionaries(
                {"fill_level": st.just(levels), "drop_probability": given, "interpolate": st.just(interpolate),
                 "w_q": powers | st.just(1.0)}
            )
            for given, interpolate in ((any_probabilities, True), (steps, False))
        )  # fmt: skip
        return line | stepped

    return percents.flatmap(pairs)


CODEL = st.fixed_dictionaries({"limit": counts, "target": times, "interval": times, "ecn": flag})
sixteenths = st.integers(1, 32).map(lambda number: number / 16)  # tc has whole sixteenths
PIE = st.fixed_dictionaries(
    {"limit": counts, "target": times, "t_update": times, "alpha": sixteenths, "beta": sixteenths}
)
SETTINGS: dict[str, list[tuple[str, st.SearchStrategy[dict[str, Any]]]]] = {
    "tc": [KINDS[kind] for kind in KINDS if kind not in ("red", "choke", "gred", "tbf", "prio", "htb", "htb prio")],
    "cisco": [
        ("red", red(limit=counts, max_p=st.integers(1, 100).map(lambda denominator: 1 / denominator))),
        ("droptail", st.fixed_dictionaries({"limit": counts})),
    ],
    "sonic": [("red", red(ecn=flag).map(lambda given: {key: given[key] for key in given if key != "w_q"}))],
    "arista": [("red", red(ecn=flag))],
    "dummynet": [
        ("red", red(limit=counts, gentle=flag)),
        ("codel", st.fixed_dictionaries({"limit": counts, "target": times, "interval": times, "ecn": flag})),
        ("pie", st.fixed_dictionaries({"target": times, "t_update": times, "alpha": shares, "beta": shares})),
    ],
    "ns2": [("red", red(limit=counts, gentle=flag, ecn=flag)), ("droptail", st.fixed_dictionaries({"limit": counts}))],
    "ns3": [("red", red(limit=counts, gentle=flag, ecn=flag)), ("codel", CODEL), ("pie", PIE)],
    "penstock": [("red", red(limit=counts, gentle=flag, ecn=flag)), ("codel", CODEL), ("pie", PIE)],
    "junos": [
        (
            "red",
            st.tuples(st.integers(1, 49), st.integers(50, 98), shares).map(
                lambda three: {"min_th": f"{three[0]}%", "max_th": f"{three[1]}%", "max_p": three[2], "gentle": True,
                               "gentle_top": "buffer", "w_q": 1.0, "spacing": "none", "guards": False}
            ),
        ),
        ("nonlinear", profiles()),
    ],
}  # fmt: skip


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_nothing_is_lost_there_and_back(dialect: str, data: st.DataObject) -> None:
    scheme, strategy = data.draw(st.sampled_from(SETTINGS[dialect]))
    given_ = data.draw(strategy)
    written = write(scheme, given_, dialect)
    again = read(written.text, dialect)
    assert again.scheme == scheme
    for name, value in given_.items():
        assert same(again.parameters.get(name), value, name), (written.text, name)


def same(found: Any, value: Any, name: str) -> bool:
    """Equal, with thresholds in bytes counted in packets of 1000 bytes; what is absent is off."""
    if isinstance(found, str) and found.endswith("B") and not isinstance(value, str):
        return bool(float(found[:-1]) == 1000 * value)
    if isinstance(value, str) and isinstance(found, str) and re.fullmatch(r"\d+[mu]?s", value):
        return parse_time(found) == parse_time(value)
    if name == "max_p" or isinstance(value, float):
        return math.isclose(found, value, rel_tol=1e-9)
    return bool(found == value) or (found is None and value is False)


@settings(max_examples=200, deadline=None)
@given(
    low=st.integers(2, 200),
    more=st.integers(1, 400),
    room=st.integers(1, 1000),
    extra=st.integers(1, 300),
    percent=st.integers(1, 99),
    ecn=flag,
)
def test_red_of_tc_comes_back(low: int, more: int, room: int, extra: int, percent: int, ecn: bool) -> None:
    """Of tc's own settings: the same limits, thresholds, probability and weight, if by another burst."""
    high, burst = low + more, low + extra
    text = (
        f"red limit {1000 * (high + room)} min {1000 * low} max {1000 * high} avpkt 1000 burst {burst} "
        f"probability {percent / 100}" + (" ecn" if ecn else "")
    )
    first = read(text, "tc")
    assume(not any("Linux refuses" in note for note in first.notes))
    again = read(write(first.scheme, first.parameters, "tc").text, "tc")
    assert again.parameters == first.parameters


def test_no_weight_is_written_that_linux_refuses() -> None:
    """As recorded in Linux 6.1: with a max of 1.5 MB (21 bits) burst 2000 is an invalid argument, 2^-10 is the most."""
    refused = read("red limit 4000000 min 500000 max 1500000 avpkt 1000 burst 2000 probability 0.1", "tc")
    assert "Linux refuses w_q = 2^-12 with max 1500000: at most 2^-10" in refused.notes
    given_ = {"min_th": 500, "max_th": 1500, "w_q": 2.0**-15, "limit": "4000p"}
    found = write("red", given_, "tc")
    assert any("(2^-10)" in note and "powers up to 10" in note for note in found.notes)
    assert read(found.text, "tc").parameters["w_q"] == 2.0**-10


def test_what_cannot_be_said_is_listed() -> None:
    found = write("red", {"min_th": 5, "max_th": 15, "w_q": 0.002, "gentle": True}, "tc")
    assert any("gentle" in item for item in found.lost_settings)
    assert any("2^-9" in note for note in found.notes)
    assert read("fq_codel memory_limit 32Mb", "tc").lost_settings == ["memory_limit 32Mb"]
    with pytest.raises(DialectError, match="tc has no psand"):
        write("psand", {}, "tc")
    with pytest.raises(DialectError, match="--rate"):
        write("red", {"min_th": 5, "max_th": 15, "w_q": "auto"}, "tc")
    assert "burst" in write("red", {"min_th": 5, "max_th": 15, "w_q": "auto"}, "tc", ConversionContext(10e6)).text


@pytest.mark.parametrize("dialect", OTHERS)
@settings(max_examples=100, deadline=None)
@given(text=st.text(alphabet=' abcdefgrqu_-0123456789.%:/[]{}"\n', max_size=60))
def test_any_text_is_read_or_refused(dialect: str, text: str) -> None:
    with contextlib.suppress(DialectError):
        read(text, dialect)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("interpolate { fill-level [ 50 40 ]; drop-probability [ 0 20 ]; }", "must rise: 40 follows 50"),
        ("interpolate { fill-level [ 50 101 ]; drop-probability [ 0 20 ]; }", "fill level 101 must lie between"),
        ("fill-level 50 drop-probability 150;", "drop probability 150 must lie between"),
        ("interpolate { fill-level [ 50 60 ]; drop-probability [ 0 ]; }", "a probability for each level"),
        (
            f"interpolate {{ fill-level [ {' '.join(map(str, range(65)))} ]; drop-probability [ {'1 ' * 65}]; }}",
            "at most 64 points: this has 65",
        ),
    ],
)  # fmt: skip
def test_a_profile_of_junos_at_fault_is_told(text: str, message: str) -> None:
    with pytest.raises(DialectError, match=message):
        read(f"drop-profiles {{ be {{ {text} }} }}", "junos")


def test_what_junos_cannot_say_of_a_profile_is_told() -> None:
    found = write("nonlinear", {"fill_level": [0.301, 0.5], "drop_probability": [0.0149, 1], "w_q": 0.002}, "junos")
    assert "fill-level [ 30 50 ]; drop-probability [ 1 100 ];" in found.text
    assert "weighted-averaged instant-usage-weight-exponent 9" in found.text
    assert "fill level of point 1 = 30 % instead of 30.1" in found.notes
    assert "drop probability of point 1 = 1 % instead of 1.49" in found.notes
    assert any("2^-9" in note for note in found.notes)
    defaults = write("nonlinear", {"ecn": True}, "junos")
    assert "fill-level [ 20 50 80 ]; drop-probability [ 0 10 40 ];" in defaults.text
    assert [item.split(":")[0] for item in defaults.lost_settings] == ["w_q = auto", "ecn = True"]
    assert (
        "exponent 10" in write("nonlinear", {}, "junos", ConversionContext(10e6)).text
    )  # 1 - exp(-1 / 1250), near 2^-10
    with pytest.raises(DialectError, match="each above the one before"):
        write("nonlinear", {"fill_level": [0.301, 0.302], "drop_probability": [0, 1]}, "junos")
    with pytest.raises(DialectError, match="rise from point to point"):
        write("nonlinear", {"fill_level": [0.3, 0.5], "drop_probability": [0.2, 0.1], "interpolate": False}, "junos")
    spaced = write("red", {"min_th": "20%", "max_th": "40%", "spacing": "wait"}, "junos")
    assert "drops are not spaced: each packet is dropped independently" in spaced.notes


@pytest.mark.parametrize("points", [[(40, 0), (80, 20)], [(30, 50)], [(0, 0), (20, 0), (60, 100)], [(20, 0), (90, 0)]])
def test_the_red_that_a_profile_is_read_as_is_its_equal(points: list[tuple[int, int]]) -> None:
    """It drops the same packets as the AQM of free points with the same points."""
    levels, probabilities = ([point[place] for point in points] for place in (0, 1))
    body = f"fill-level [ {' '.join(map(str, levels))} ]; drop-probability [ {' '.join(map(str, probabilities))} ];"
    red = read(f"be {{ interpolate {{ {body} }} }}", "junos")
    assert red.scheme == "red"
    line = [[percent / 100 for percent in column] for column in (levels, probabilities)]
    queues = [
        ps.Red(limit="50p", **red.parameters),
        ps.Nonlinear(limit="50p", fill_level=line[0], drop_probability=line[1], w_q=1.0),
    ]
    scenarios = [
        ps.dumbbell(rate="5Mbit", rtt="40ms", duration="20s", queue=queue, traffic={"bulk": ps.Tcp(count=12)})
        for queue in queues
    ]
    ours, theirs = (ps.run(scenario, seed=1).links["bottleneck"] for scenario in scenarios)
    assert ours.loss_rate > 0
    assert (ours.loss_rate, ours.length_mean_pkts, ours.delay_p99_s) == (
        theirs.loss_rate, theirs.length_mean_pkts, theirs.delay_p99_s
    )  # fmt: skip


def test_gains_of_pie_are_whole_sixteenths_in_tc() -> None:
    found = write("pie", {"alpha": 0.106, "beta": 1.06}, "tc")
    assert "pie alpha 2 beta 17" in found.text
    assert any("alpha = 2 sixteenths instead of 1.696" in note for note in found.notes)


def test_defaults_that_differ_are_written_out() -> None:
    """tc-red(8): probability 0.02; ns-3's red.rst: LInterm 50 and Gentle true. Ours: max_p 0.1, gentle false."""
    assert "probability 0.1" in write("red", {"min_th": 5, "max_th": 15, "w_q": 0.002}, "tc").text
    assert "LInterm=10|Gentle=false" in write("red", {}, "ns3").text.replace("QW=0.002|", "")
    assert "noecn" in write("codel", {}, "tc").text
    assert write("fq-codel", {}, "dummynet").text.endswith(" ecn")
    assert "no limit is given: the default of tc applies" in write("codel", {}, "tc").notes


def test_every_rounded_number_is_told() -> None:
    cisco = write("red", {"min_th": 5.4, "max_th": 15, "max_p": 0.3, "w_q": 0.002}, "cisco")
    assert any("min_th = 5 packets instead of 5.4" in note for note in cisco.notes)
    assert any("mark denominator = 3" in note for note in cisco.notes)
    assert any("2^-9" in note for note in cisco.notes)
    tc = write("choke", {"min_th": 5.4, "max_th": 15, "w_q": 0.002}, "tc", ConversionContext(10e6))
    assert any("min = 5 packets instead of 5.4" in note for note in tc.notes)
    assert "bandwidth 10mbit" in tc.text
    assert write("red", {"min_th": 5, "max_th": 15, "max_p": 0.105}, "sonic").notes[0].startswith("max_p = 10 %")


@pytest.mark.parametrize("dialect", OTHERS)
@pytest.mark.parametrize("limit", ["60000B", "60kB", "20ms", "25%", "inf", "7p", 7])
def test_a_limit_of_any_unit_is_written_or_refused(dialect: str, limit: str | int) -> None:
    for scheme in ("droptail", "red", "codel", "pie", "fq-codel", "sfq", "cake", "sfb", "choke", "wred", "pi"):
        with contextlib.suppress(DialectError):
            write(scheme, {"limit": limit}, dialect, ConversionContext(10e6))


def test_a_limit_in_bytes_becomes_packets_where_packets_are_counted() -> None:
    found = write("codel", {"limit": "60kB"}, "tc", ConversionContext(packet=1500))
    assert "codel limit 40 " in found.text
    assert "limit = 40 packets of 1500 B instead of 60kB" in found.notes
    assert "bfifo limit 60000" in write("droptail", {"limit": "60kB"}, "tc").text
    assert "MaxSize=60kB" in write("codel", {"limit": "60kB"}, "ns3").text
    assert "codel limit 25 " in write("codel", {"limit": "20ms"}, "tc", ConversionContext(10e6)).text
    with pytest.raises(DialectError, match="--rate"):
        write("codel", {"limit": "20ms"}, "tc")


def test_an_average_that_never_moves_has_the_least_weight() -> None:
    assert "constant 16" in write("red", {"w_q": 0.0}, "cisco").text


def test_a_scheme_may_be_given_in_a_dialect() -> None:
    found = Candidate.parse("tc: red limit 60000 min 5000 max 15000 avpkt 1000 burst 20 probability 0.1")
    assert (found.name, found.params["max_p"], found.params["limit"]) == ("red", 0.1, "60000B")
    with pytest.raises(ScenarioError, match="did you mean"):
        Candidate.parse("tc: rde limit 5")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "penstock", "convert", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_command_says_notes_and_errors() -> None:
    done = run("codel target 5ms interval 100ms ecn", "--to", "ns3", "--json", "-")
    assert json.loads(done.stdout)["text"] == "ns3::CoDelQueueDisc[MaxSize=1000p|Interval=100ms|Target=5ms|UseEcn=true]"
    wrong = run("codel", "--from", "tcc", "--to", "ns4", "--rate", "10mbps")
    assert wrong.returncode == 2
    assert all(part in wrong.stderr for part in ("tcc", "ns4", "10mbps"))
    assert "Traceback" not in wrong.stderr


LINES = [
    ("red", {"limit": "400p", "min_th": 30, "max_th": 90, "w_q": 2.0**-5, "max_p": 0.1}),
    ("codel", {"limit": "1000p", "target": "5ms", "interval": "100ms", "ecn": False}),
    ("fq-codel", {"limit": "10240p", "target": "5ms", "interval": "100ms", "flows": 1024, "quantum": "1514B"}),
    ("pie", {"limit": "1000p", "target": "20ms", "alpha": 0.125, "beta": 1.25}),
    ("sfq", {"limit": "127p", "quantum": "1514B", "perturb": "10s"}),
    ("droptail", {"limit": "10p"}),
    ("cake", {"bandwidth": "10Mbit", "diffserv": "besteffort", "rtt": "50ms"}),
]


@pytest.mark.needs("tc", "namespaces")
@pytest.mark.parametrize(("scheme", "parameters"), LINES)
def test_a_real_tc_takes_the_lines(scheme: str, parameters: dict[str, Any]) -> None:
    """In a namespace of its own: the kernel's queue has the settings, where this kernel has the queue."""
    line = write(scheme, parameters, "tc", ConversionContext(device="lo")).text
    done = subprocess.run(
        ["unshare", "--net", "sh", "-c", f"{line} && tc -d qdisc show dev lo"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        # tc accepted the line and asked the kernel, which was built without this queue.
        assert "Error: Specified qdisc" in done.stderr, done.stderr
        pytest.skip("this kernel lacks the queue")
    shown = read(next(row for row in done.stdout.splitlines() if row.startswith("qdisc")), "tc")
    assert shown.scheme == scheme
    for name, value in parameters.items():
        if name in shown.parameters:
            assert same(shown.parameters[name], value, name) or shown.parameters[name] == f"{value}B", done.stdout
