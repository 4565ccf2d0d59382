"""Root queues of tc with classes: prio, htb, tbf, gred, fq. Examples of man pages, and nothing lost there and back."""

from __future__ import annotations

import contextlib
import subprocess
from dataclasses import replace
from typing import Any

import penstock as ps
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from penstock.dialects import ConversionContext, DialectError, read, write
from penstock.dialects.tc_lines import read_objects
from penstock.dialects.tc_match import linux_priority
from penstock.dialects.tc_table import QUEUES
from penstock.results.display import scheme_argument
from penstock.scenario.scheme_text import parse_scheme

HTB = """
tc qdisc add dev eth0 root handle 1: htb default 12
tc class add dev eth0 parent 1: classid 1:1 htb rate 100kbps ceil 100kbps
tc class add dev eth0 parent 1:1 classid 1:10 htb rate 30kbps ceil 100kbps
tc class add dev eth0 parent 1:1 classid 1:11 htb rate 10kbps ceil 100kbps
tc class add dev eth0 parent 1:1 classid 1:12 htb rate 60kbps ceil 100kbps
tc qdisc add dev eth0 parent 1:10 handle 20: pfifo limit 5
tc qdisc add dev eth0 parent 1:11 handle 30: pfifo limit 5
tc qdisc add dev eth0 parent 1:12 handle 40: sfq perturb 10
"""
"""The example of the HTB user guide (M. Devera, 2002), from memory, but for its filters by address and port."""

FILTERS = """
tc filter add dev eth0 protocol ip parent 1:0 prio 1 u32 match ip dsfield 0xb8 0xfc flowid 1:10
tc filter add dev eth0 protocol ip parent 1:0 prio 2 u32 match ip protocol 17 0xff flowid 1:11
"""


def test_htb_is_fair_queueing_by_the_rates_of_its_classes() -> None:
    found = read(HTB + FILTERS, "tc")
    assert (found.scheme, found.rate) == ("wfq", 800e3)
    assert found.lost_settings == ["1:12: queues of sfq in a class: here the class has one queue with droptail"]
    assert found.parameters["classes"] == [
        {"name": "1:10", "match": {"dscp": [46]}, "weight": 0.24, "limit": "5p"},
        {"name": "1:11", "match": {"protocol": "udp"}, "weight": 0.08, "limit": "5p"},
        {"name": "1:12", "weight": 0.48, "limit": "127p"},
    ]


def test_what_htb_has_besides_is_listed() -> None:
    text = HTB.replace("rate 60kbps ceil 100kbps", "rate 60kbps ceil 80kbps burst 15k quantum 1514")
    text += "tc filter add dev eth0 protocol ip parent 1:0 prio 1 u32 match ip src 1.2.3.4 flowid 1:10\n"
    found = read(text, "tc")
    for item in ("ceil 640kbit of 1:12", "burst 15360B of 1:12", "quantum 1514", "packets of 1:10", "match ip src"):
        assert any(item in told for told in found.lost_settings), item
    deep = "tc class add dev eth0 parent 1:1 classid 1:2 htb rate 5kbps\n"
    deep += "tc class add dev eth0 parent 1:2 classid 1:21 htb rate 5kbps\n"
    assert any("between the root" in told for told in read(HTB + deep, "tc").lost_settings)
    assert any("unshaped" in told for told in read(HTB.replace("default 12", ""), "tc").lost_settings)


def test_htb_with_priorities_is_priority_queueing_with_rates() -> None:
    text = HTB.replace("rate 30kbps", "prio 0 rate 30kbps burst 6k").replace("rate 60kbps", "prio 2 rate 60kbps")
    found = read(text.replace("rate 10kbps", "prio 1 rate 10kbps") + FILTERS, "tc")
    assert found.scheme == "pq"
    first, second, last = found.parameters["classes"]
    assert (first["priority"], first["rate"], first["burst"]) == (0, "240kbit", "6144B")
    assert (second["rate"], second["burst"], last["priority"]) == ("80kbit", "1600B", 2)


def test_one_class_is_the_rate_of_the_link() -> None:
    text = """tc qdisc replace dev eth0 root handle 1: htb default 1
    tc class add dev eth0 parent 1: classid 1:1 htb rate 18mbit
    tc qdisc add dev eth0 parent 1:1 fq_codel target 5ms ecn"""
    found = read(text, "tc")
    assert (found.scheme, found.rate, found.parameters["target"], found.lost_settings) == ("fq-codel", 18e6, "5ms", [])


def test_tbf_is_a_shaper() -> None:
    """tc-tbf(8), EXAMPLE: 0.5 Mbit/s, a peak rate of 1 Mbit/s, 5 kB, 70 ms; the limit follows from both buckets."""
    found = read(
        "# tc qdisc add dev eth0 handle 10: root tbf rate 0.5mbit \\\n burst 5kb latency 70ms peakrate 1mbit \\\n "
        "minburst 1540",
        "tc",
    )
    assert found.scheme == "shaper"
    assert found.parameters == {"rate": "500kbit", "burst": "5120B", "limit": f"{round(0.07 * 500e3 / 8 + 5120)}B"}
    assert found.lost_settings == ["peakrate 1mbit", "minburst 1540"]
    inner = "tc qdisc add dev eth0 handle 10: root tbf rate 0.5mbit burst 5kb latency 70ms\n"
    inner += "tc qdisc add dev eth0 parent 10:1 handle 100: sfq"
    found = read(inner, "tc")
    assert (found.scheme, found.rate) == ("sfq", 500e3)
    assert found.lost_settings == ["burst of tbf, 5120 B: a link has no token bucket"]


def test_prio_has_the_bands_of_its_map() -> None:
    """tc-prio(8): TOS 0x10 is interactive, band 0; 0x8 is bulk, band 2; 0 is best effort and 0x18 bulk too, band 1."""
    assert [linux_priority(tos >> 2) for tos in (0x0, 0x8, 0x10, 0x18)] == [0, 2, 6, 4]
    found = read("tc qdisc add dev eth0 root handle 1: prio", "tc")
    assert found.scheme == "pq"
    by_name = {one["name"]: one for one in found.parameters["classes"]}
    assert 0x10 >> 2 in by_name["1:1"]["match"]["dscp"]
    assert 0x08 >> 2 in by_name["1:3"]["match"]["dscp"]
    assert "match" not in by_name["1:2"]  # among them 46: with this map EF is not in the first band
    assert [by_name[name]["priority"] for name in ("1:1", "1:2", "1:3")] == [0, 1, 2]
    printed = "qdisc prio 1: dev lo root refcnt 2 bands 3 priomap 1 2 2 2 1 2 0 0 1 1 1 1 1 1 1 1"
    assert read(printed, "tc").parameters == found.parameters


def test_filters_come_before_the_map() -> None:
    text = "tc qdisc add dev eth0 root handle 1: prio\n"
    text += "tc filter add dev eth0 parent 1: protocol ip prio 1 u32 match ip tos 0xb8 0xfc flowid 1:1"
    classes = {one["name"]: one for one in read(text, "tc").parameters["classes"]}
    assert 46 in classes["1:1"]["match"]["dscp"]
    printed = """qdisc prio 1: root refcnt 2 bands 3 priomap 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
filter parent 1: protocol ip pref 1 u32 chain 0 fh 800::800 order 2048 key ht 800 bkt 0 flowid 1:1 not_in_hw
  match 00b80000/00fc0000 at 0"""
    found = read(printed, "tc").parameters["classes"]
    assert found == [
        {"name": "1:1", "match": {"dscp": [46]}, "priority": 0, "limit": "1000p"},
        {"name": "1:2", "priority": 1, "limit": "1000p"},
    ]


def test_gred_is_weighted_red() -> None:
    text = """tc qdisc add dev eth0 root gred setup vqs 2 default 1 grio
    tc qdisc change dev eth0 root gred vq 0 prio 1 limit 60KB min 30000 max 45000 avpkt 1000 burst 40 probability 0.02
    tc qdisc change dev eth0 root gred vq 1 prio 1 limit 60KB min 10000 max 30000 avpkt 1000 burst 16 probability 0.1"""
    found = read(text, "tc")
    assert (found.scheme, found.parameters["limit"]) == ("wred", "61440B")
    assert found.parameters["min_th"] == [30, 10]
    assert found.parameters["max_p"] == [0.02, 0.1]
    assert any("w_q of vq 1" in item for item in found.lost_settings)
    alone = read(text.replace(" grio", "").replace("vq 1 prio 1", "vq 1 prio 2"), "tc")
    assert any("an average per vq" in item for item in alone.lost_settings)


def test_gred_below_a_class_has_all_its_levels() -> None:
    lines = write("wred", {"limit": "100p"}, "tc", ConversionContext(10e6)).text
    alone = read(lines, "tc")
    below = read(
        "tc qdisc replace dev eth0 root handle 1: htb default 1\ntc class replace dev eth0 parent 1: classid 1:1 htb "
        "rate 10mbit\n" + lines.replace(" root ", " parent 1:1 "),
        "tc",
    )
    assert (below.scheme, below.parameters, below.rate, below.lost_settings) == (
        "wred",
        alone.parameters,
        10e6,
        alone.lost_settings,
    )


def test_fq_is_the_nearest_fair_queueing() -> None:
    """tc-fq(8), EXAMPLES: as set and as printed."""
    found = read("tc qdisc add dev eth0 root fq ce_threshold 4ms", "tc")
    assert found.scheme == "sfq"
    assert found.parameters == {"limit": "10000p", "depth": 100, "quantum": "3028B", "buckets": 65536}
    assert "ce_threshold 4ms" in found.lost_settings
    assert any("pacing" in item for item in found.lost_settings)
    printed = read(
        "qdisc fq 8001: dev eth0 root refcnt 2 limit 10000p flow_limit 100p buckets 1024 orphan_mask 1023 quantum "
        "3028b initial_quantum 15140b low_rate_threshold 550Kbit refill_delay 40.0ms ce_threshold 4.0ms",
        "tc",
    )
    assert printed.parameters == found.parameters


@pytest.mark.parametrize(
    ("text", "rate"),
    [("10mbit", 10e6), ("10mbps", 80e6), ("1.5kibit", 1536), ("2mibps", 16 * 2**20), ("100", 100), ("1gbit", 1e9)],
)
def test_rates_are_those_of_tc(text: str, rate: float) -> None:
    """tc(8), RATES: a bare number is bit/s, bps bytes per second, an i in the prefix means powers of 1024."""
    found = read(f"tbf rate {text} burst 10kb limit 10kb", "tc")
    assert ps.units.parse_rate(found.parameters["rate"]) == rate


SIZES = ["1kbit", "8kbit", "5kb", "5k", "1mb", "1500b", "1500", "1mbit"]


@pytest.mark.parametrize("text", SIZES)
def test_the_units_of_sizes_are_powers_of_1024(text: str) -> None:
    units = {"kbit": 128, "mbit": 2**17, "kb": 1024, "k": 1024, "mb": 2**20, "b": 1, "": 1}
    number = text.rstrip("kmbit")
    size = f"{int(number) * units[text.removeprefix(number)]}B"
    assert read(f"bfifo limit {text}", "tc").parameters["limit"] == size


@pytest.mark.needs("tc", "namespaces")
@pytest.mark.parametrize("text", SIZES)
def test_sizes_are_those_of_tc(text: str) -> None:
    """As a real tc stores them: the kernel has bfifo, and tc prints its limit."""
    shown = in_namespace(f"tc qdisc replace dev lo root bfifo limit {text} && tc qdisc show dev lo")
    ours = read(f"bfifo limit {text}", "tc").parameters["limit"]
    assert read(shown.splitlines()[0], "tc").parameters["limit"] == ours


counts = st.integers(2, 2000).map(lambda count: f"{count}p")
codepoints = st.lists(st.integers(0, 63), min_size=1, max_size=6, unique=True).map(sorted)
aqms = st.one_of(
    st.builds(lambda limit: {"limit": limit}, counts),
    st.builds(
        lambda limit, ms, ecn: {"queue": {"scheme": "codel", "limit": limit, "target": f"{ms}ms", "ecn": ecn}},
        counts,
        st.integers(1, 50),
        st.booleans(),
    ),
    st.just({}),
)
rates = st.integers(1, 10**6).map(lambda octets: 8 * octets)


@st.composite
def classes(draw: st.DrawFn, more: st.SearchStrategy[dict[str, Any]]) -> list[dict[str, Any]]:
    """Classes of disjoint code points or protocols, the last one without a condition."""
    points = draw(st.lists(st.integers(0, 63), min_size=2, max_size=8, unique=True))
    matches: list[dict[str, Any]] = [{"dscp": [point]} for point in points[:-1]]
    matches[0] = {"dscp": sorted({points[0], points[-1]})}
    matches += draw(st.sampled_from([[], [{"protocol": "udp"}], [{"dscp": [points[0]], "ecn": "ce"}]]))
    names = [f"1:{number + 1}0" for number in range(len(matches) + 1)]
    found = [
        {"name": name, "match": match, **draw(more), **draw(aqms)} for name, match in zip(names, matches, strict=False)
    ]
    return [*found, {"name": names[-1], **draw(more), **draw(aqms)}]


def back(scheme: str, parameters: dict[str, Any], rate: float | None = None) -> tuple[str, dict[str, Any], list[str]]:
    """There and back, with what was lost on the way."""
    written = write(scheme, parameters, "tc", ConversionContext(rate))
    again = read(written.text, "tc", ConversionContext())
    return again.scheme, again.parameters, [*written.lost_settings, *again.lost_settings]


def as_read(given_: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Classes with Linux's defaults: all parameters of an AQM, and a pfifo of 1000 packets in a class without one."""
    classes_ = []
    for one in given_:
        if "queue" in one:
            scheme = one["queue"]["scheme"]
            queue = {**QUEUES[scheme.replace("-", "_")].defaults, **one["queue"]}
            classes_.append({**one, "queue": queue})
        else:
            classes_.append({"limit": "1000p", **one})
    return classes_


@settings(max_examples=200, deadline=None)
@given(given_=classes(rates.map(lambda rate: {"weight": rate / 1e6})))
def test_wfq_comes_back(given_: list[dict[str, Any]]) -> None:
    scheme, parameters, lost = back("wfq", {"classes": given_})
    assert (scheme, lost) == ("wfq", [])
    assert parameters == {"classes": as_read(given_), "limit": "inf"}


@settings(max_examples=200, deadline=None)
@given(given_=classes(st.builds(lambda rate, burst: {"rate": ps.units.format_rate(rate), "burst": f"{burst}B"}, rates,
                                st.integers(1, 270))))  # fmt: skip
def test_pq_with_rates_comes_back(given_: list[dict[str, Any]]) -> None:
    ranked = [{**one, "priority": rank} for rank, one in enumerate(given_)]
    scheme, parameters, lost = back("pq", {"classes": ranked}, 10e6)
    assert (scheme, lost) == ("pq", [])
    assert parameters == {"classes": as_read(ranked), "limit": "inf"}


@settings(max_examples=200, deadline=None)
@given(given_=classes(st.just({})), data=st.data())
def test_prio_comes_back(given_: list[dict[str, Any]], data: st.DataObject) -> None:
    ranks = data.draw(st.permutations(range(len(given_))))
    ranked = [{**one, "name": f"1:{rank + 1:x}", "priority": rank} for rank, one in zip(ranks, given_, strict=True)]
    scheme, parameters, lost = back("pq", {"classes": ranked})
    assert (scheme, lost) == ("pq", [])
    expected = ranked
    if list(ranks) == sorted(ranks):
        expected = [{key: value for key, value in one.items() if key != "priority"} for one in ranked]
    assert parameters == {"classes": as_read(expected), "limit": "inf"}


@settings(max_examples=200, deadline=None)
@given(rate=rates, burst=st.integers(1, 10**6), limit=st.integers(1, 10**6))
def test_tbf_comes_back(rate: int, burst: int, limit: int) -> None:
    made = {"rate": ps.units.format_rate(rate), "burst": f"{burst}B", "limit": f"{limit}B"}
    assert back("shaper", made) == ("shaper", made, [])


@settings(max_examples=200, deadline=None)
@given(lows=st.lists(st.integers(1, 50), min_size=1, max_size=8), spread=st.integers(1, 50), power=st.integers(2, 10),
       percent=st.integers(1, 99))  # fmt: skip
def test_gred_comes_back(lows: list[int], spread: int, power: int, percent: int) -> None:
    """With the largest weight that tc can give to all levels: it sets each one by a burst above min."""
    made = {
        "min_th": lows,
        "max_th": [low + spread for low in lows],
        "max_p": [percent / 100] * len(lows),
        "limit": "200000B",
        "w_q": 2.0**-power,
        "mean_packet": "1000B",
    }
    scheme, parameters, lost = back("wred", made)
    assert scheme == "wred"
    assert {key: parameters[key] for key in made if key != "w_q"} == {key: made[key] for key in made if key != "w_q"}
    told = [item for item in lost if not item.startswith("w_q of vq")]
    assert told == []
    assert bool(lost) == (len(set(parameters_of(made))) > 1)


def parameters_of(made: dict[str, Any]) -> list[float]:
    """The weight that tc has at each level."""
    lines = write("wred", made, "tc").text.splitlines()[1:]
    return [read(f"red {line.partition('prio 1 ')[2]}", "tc").parameters["w_q"] for line in lines]


@settings(max_examples=200, deadline=None)
@given(limit=st.integers(2, 65535), flow=st.integers(1, 127), quantum=st.integers(256, 10**5))
def test_fq_comes_back_as_sfq(limit: int, flow: int, quantum: int) -> None:
    """Sfq of Linux has a number of flows, too: as many as packets, so that each may be one of a flow."""
    first = read(f"fq limit {limit} flow_limit {flow} quantum {quantum}", "tc")
    expected = {**first.parameters, "flows": max(limit, 128)}
    assert back(first.scheme, first.parameters) == (first.scheme, expected, [])


def test_classes_have_a_notation_of_their_own() -> None:
    found = read(HTB + FILTERS, "tc")
    text = scheme_argument(found.scheme, found.parameters)
    assert parse_scheme(text, text) == (found.scheme, found.parameters)


@pytest.mark.parametrize("aqm", ["fq_codel target 5ms ecn", "fq_pie", "sfq", "cake", "tbf rate 1mbit burst 5k limit 9k",
                                 "red limit 60000 min 5000 max 15000 avpkt 1000 burst 20"])  # fmt: skip
def test_a_class_has_one_queue_with_an_aqm(aqm: str) -> None:
    found = read(HTB.replace("sfq perturb 10", aqm) + FILTERS, "tc")
    queue: Any = {"scheme": found.scheme, "limit": "100p", **found.parameters}
    ps.dumbbell(rate="800kbit", rtt="40ms", duration="1s", queue=queue, traffic={"bulk": ps.Tcp()}).resolve()
    assert bool(found.lost_settings) == (not aqm.startswith("red"))


def test_the_classes_run() -> None:
    found = read(HTB + FILTERS, "tc")
    queue: Any = {"scheme": found.scheme, "limit": "100p", **found.parameters}
    traffic = {"calls": ps.Cbr(rate="200kbit", packet="172B", dscp="EF"), "bulk": ps.Tcp(count=4, profile="ns2")}
    scenario = ps.dumbbell(rate="800kbit", rtt="40ms", duration="10s", queue=queue, traffic=traffic)
    result = ps.run(scenario, seed=1)
    assert result.traffic["calls"].loss_rate < 0.01


def test_a_burst_is_at_most_what_tc_can_keep() -> None:
    """As recorded: 999999 bytes at 8704 bit/s, 919 s, were printed as 102798."""
    two: list[dict[str, Any]] = [{"name": "1:10", "rate": "8704bit", "burst": "999999B", "match": {"dscp": [1]}}]
    found = write("pq", {"classes": [*two, {"name": "1:20"}]}, "tc", ConversionContext(10e6))
    assert "rate 8704bit ceil 10mbit burst 298112 prio 0" in found.text
    assert "burst of 1:10 = 298112 bytes instead of 999999: tc has up to 274 s" in found.notes


def test_what_tc_cannot_say_of_classes_is_told() -> None:
    two: list[dict[str, Any]] = [{"name": "voice", "match": {"size": ["0B", "200B"]}}, {"name": "rest"}]
    found = write("pq", {"classes": two, "limit": "100p"}, "tc")
    assert any("match size" in item for item in found.lost_settings)
    assert any("cannot share a limit" in item for item in found.lost_settings)
    assert "voice is class 1:1" in found.notes
    with pytest.raises(DialectError, match="--rate"):
        write("pq", {"classes": [{**two[0], "rate": "1Mbit"}, two[1]]}, "tc")
    with pytest.raises(DialectError, match="2 to 16 bands"):
        write("pq", {"classes": two[1:]}, "tc")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("prio bands 2", "2 to 16 bands"),
        ("prio priomap 1 2", "16 priorities"),
        ("htb default 10", "needs classes"),
        ("htb default xyz\ntc class add dev lo parent 1: classid 1:1 htb rate 1mbit", "not the minor number"),
        ("tbf rate 1mbit", "rate and burst"),
        ("tbf rate 1mbits burst 5k", "not a rate"),
        ("gred setup vqs 2 default 1", "virtual queues"),
        ("tc qdisc add dev eth0 root fq\ntc qdisc add dev eth1 root fq", "root queues of eth0 and eth1"),
    ],
)
def test_faults_are_told(text: str, message: str) -> None:
    with pytest.raises(DialectError, match=message):
        read(text, "tc")


WORDS = st.sampled_from(
    [*(HTB + FILTERS).split(), "prio", "tbf", "gred", "fq", "1mbit", "burst", "5k", "limit", "priomap", "bands", "3",
     "vq", "min", "max", "ceil", "leaf", "\n"]
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(words=st.lists(WORDS, max_size=25))
def test_any_lines_are_read_or_refused(words: list[str]) -> None:
    with contextlib.suppress(DialectError):
        read(" ".join(words), "tc")


def in_namespace(commands: str) -> str:
    """The output of commands in a network namespace of their own."""
    done = subprocess.run(["unshare", "--net", "sh", "-c", commands], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        # tc accepted the line and asked the kernel, which was built without this queue.
        assert "Error: Specified qdisc" in done.stderr, done.stderr
        pytest.skip("this kernel lacks the queue")
    return done.stdout


CLASSES: list[dict[str, Any]] = [
    {"name": "1:10", "match": {"dscp": [46], "ecn": ["ect0"]}, "limit": "50p"},
    {"name": "1:20", "match": {"protocol": "udp"}, "queue": {"scheme": "codel", "target": "5ms"}},
    {"name": "1:30", "queue": {"scheme": "red", "min_th": 5, "max_th": 15, "w_q": 2.0**-5, "limit": "60p"}},
]
SETTINGS: list[tuple[str, dict[str, Any]]] = [
    ("wfq", {"classes": [{**one, "weight": 1.5} for one in CLASSES]}),
    ("pq", {"classes": [{**one, "rate": "1.5Mbit", "burst": "5000B"} for one in CLASSES]}),
    ("pq", {"classes": CLASSES}),
    ("shaper", {"rate": "1500kbit", "burst": "5000B", "limit": "30000B"}),
    ("wred", {"min_th": [15, 5], "max_th": [30, 15], "max_p": [0.02, 0.1], "w_q": 2.0**-9, "limit": "60p"}),
]  # fmt: skip


@pytest.mark.needs("tc", "namespaces")
@pytest.mark.parametrize(("scheme", "parameters"), SETTINGS)
def test_a_real_tc_takes_each_line(scheme: str, parameters: dict[str, Any]) -> None:
    """Each line is understood by tc; the kernel may lack what it asks for."""
    lines = write(scheme, parameters, "tc", ConversionContext(10e6, device="lo")).text.splitlines()
    shown = in_namespace("\n".join(f"{line} 2>&1" for line in lines) + "\ntc qdisc show dev lo; true")
    told = [row for row in shown.splitlines() if not row.startswith(("qdisc", "Error:", "RTNETLINK", "We have"))]
    assert not [row for row in told if row and "Dump was" not in row], shown


@pytest.mark.needs("tc", "namespaces")
def test_the_kernel_has_the_settings_of_tbf() -> None:
    made = {"rate": "1.5Mbit", "burst": "5000B", "limit": "30000B"}
    line = write("shaper", made, "tc", ConversionContext(device="lo")).text
    shown = read(in_namespace(f"{line} && tc qdisc show dev lo").splitlines()[0], "tc").parameters
    assert shown["rate"] == made["rate"]
    assert abs(int(shown["burst"].removesuffix("B")) - 5000) <= 1  # the kernel has it as a time
    assert (
        abs(int(shown["limit"].removesuffix("B")) - 30000) < 200
    )  # tc prints it as a latency, in whole tenths of 1 ms


PRINTED = """qdisc htb 1: dev eth0 root refcnt 2 r2q 10 default 0x12 direct_packets_stat 0 direct_qlen 1000
class htb 1:1 root rate 10Mbit ceil 10Mbit burst 1600b cburst 1600b
class htb 1:10 parent 1:1 leaf 20: prio 0 rate 4Mbit ceil 10Mbit burst 1600b cburst 1600b
 Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0)
 backlog 0b 0p requeues 0
 lended: 0 borrowed: 0 giants: 0
 tokens: 50 ctokens: 50
class htb 1:12 parent 1:1 prio 0 rate 6Mbit ceil 10Mbit burst 1600b cburst 1600b
qdisc pfifo 20: dev eth0 parent 1:10 limit 5p
filter parent 1: protocol ip pref 1 u32 chain 0
filter parent 1: protocol ip pref 1 u32 chain 0 fh 800: ht divisor 1
filter parent 1: protocol ip pref 1 u32 chain 0 fh 800::800 order 2048 key ht 800 bkt 0 flowid 1:10 not_in_hw
  match 00b80000/00fc0000 at 0"""
"""The form in which `tc -s qdisc show`, `tc -s class show` and `tc filter show` print; from memory."""


def test_what_tc_prints_is_read() -> None:
    found = read(PRINTED, "tc")
    assert (found.scheme, found.rate, found.lost_settings) == ("wfq", 10e6, [])
    assert found.parameters["classes"] == [
        {"name": "1:10", "match": {"dscp": [46]}, "weight": 4.0, "limit": "5p"},
        {"name": "1:12", "weight": 6.0, "limit": "1000p"},
    ]


def test_lines_are_found_in_any_form() -> None:
    assert [line.subject for line in read_objects(HTB)] == ["qdisc", *["class"] * 4, *["qdisc"] * 3]
    (line,) = read_objects("class htb 1:10 parent 1:1 leaf 10: prio 0 rate 5Mbit ceil 10Mbit burst 1600b cburst 1600b")
    assert (line.id, line.parent, line.kind, line.words[:2]) == ("1:10", "1:1", "htb", ["prio", "0"])
    assert replace(line, text="").text == ""
