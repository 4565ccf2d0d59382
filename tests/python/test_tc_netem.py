"""netem of tc as keys of a link: options by tc-netem(8), as tc takes, prints and writes them in JSON."""

from __future__ import annotations

from typing import Any

import penstock as ps
import pytest
from penstock.dialects import DialectError, read
from penstock.studies.candidate import Candidate

EVERYTHING = (
    "netem delay 50ms 10ms 25% distribution normal loss 1% duplicate 0.5% reorder 25% 50% gap 5 rate 5mbit limit 1000"
)
LINK = {
    "delay": "50ms",
    "jitter": {"deviation": "10ms", "distribution": "normal", "correlation": 0.25},
    "loss": {"rate": 0.01},
    "duplicate": {"rate": 0.005},
    "reorder": {"rate": 0.25, "early": True, "correlation": 0.5, "gap": 5},
}
UNIFORM = LINK | {"jitter": {"deviation": "10ms", "distribution": "uniform", "correlation": 0.25}}
# As tc prints them, which leaves out the distribution.
PRINTED = (
    "qdisc netem 1: root refcnt 2 limit 1000 delay 50ms  10ms 25% loss 1% duplicate 0.5% reorder 25% 50% gap 5 "
    "rate 5Mbit"
)
JSON = """[{"kind": "netem", "handle": "1:", "root": true, "refcnt": 2, "options": {"limit": 1000,
  "delay": {"delay": 0.05, "jitter": 0.01, "correlation": 0.25}, "loss-random": {"loss": 0.01, "correlation": 0},
  "duplicate": {"duplicate": 0.005, "correlation": 0}, "reorder": {"reorder": 0.25, "correlation": 0.5}, "gap": 5,
  "rate": {"rate": 625000, "packetoverhead": 0, "cellsize": 0, "celloverhead": 0}, "ecn": false}}]"""


@pytest.mark.parametrize(("text", "link"), [(EVERYTHING, LINK), (PRINTED, UNIFORM), (JSON, UNIFORM)])
def test_all_options_are_keys_of_the_link(text: str, link: dict[str, Any]) -> None:
    found = read(text, "tc")
    assert (found.scheme, found.parameters, found.rate) == ("droptail", {"limit": "1000p"}, 5e6)
    assert (found.link, found.lost_settings) == (link, [])


def test_a_link_with_these_keys_runs() -> None:
    link = ps.Link(from_="A", to="B", rate="5Mbit", queue="droptail:limit=1000p", **read(EVERYTHING, "tc").link)
    traffic = {"load": ps.Cbr(from_="A", to="B", rate="1Mbit", packet="222B")}
    found = ps.run(ps.Scenario(duration="100s", links={"line": link}, traffic=traffic)).links["line"]
    # 50 000 packets: 1 % are lost, and 0.5 % of the others arrive twice.
    assert found.link_losses == pytest.approx(500, abs=100)
    assert found.arrivals == pytest.approx(50_000 - 500 + 248, abs=150)


@pytest.mark.parametrize(
    ("options", "link"),
    [
        ("delay 10ms", {"delay": "10ms"}),
        ("latency 100", {"delay": "100us"}),
        ("delay 10ms 0ms", {"delay": "10ms"}),
        ("delay 1ms 200us", {"delay": "1ms", "jitter": {"deviation": "200us", "distribution": "uniform"}}),
        ("loss random 1% 25%", {"loss": {"correlated": {"rate": 0.01, "correlation": 0.25}}}),
        ("drop 0.3", {"loss": {"rate": 0.003}}),
        ("loss 0%", {}),
        # The defaults of the man page: r = 1 - p, 1-h = 1, 1-k = 0.
        ("loss gemodel 1%", {"loss": {"gilbert": {"p": 0.01, "r": 0.99}}}),
        ("loss gemodel 1% 10%", {"loss": {"gilbert": {"p": 0.01, "r": 0.1}}}),
        ("loss gemodel 1% 10% 70% 0.1%", {"loss": {"gilbert": {"p": 0.01, "r": 0.1, "bad": 0.7, "good": 0.001}}}),
        ("loss state 1%", {"loss": {"states": {"p13": 0.01}}}),
        ("loss state 1% 30% 20% 50% 2%",
         {"loss": {"states": {"p13": 0.01, "p31": 0.3, "p32": 0.2, "p23": 0.5, "p14": 0.02}}}),
        ("duplicate 1% 20%", {"duplicate": {"rate": 0.01, "correlation": 0.2}}),
        ("delay 10ms reorder 25%", {"delay": "10ms", "reorder": {"rate": 0.25, "early": True}}),
    ],
)  # fmt: skip
def test_an_option_has_the_value_of_its_manual_page(options: str, link: dict[str, Any]) -> None:
    assert read(f"netem {options}", "tc").link == link


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("reorder 25%", "not possible without a delay"),
        ("delay 10ms gap 5", "gap 5 needs a reorder"),
        ("distribution normal", "needs a delay with a jitter"),
        ("loss 101%", "from 0% to 100%"),
        ("loss 1% 2% 3%", "expected a percentage"),
        ("loss gemodel", "expected p"),
        ("loss gemodel 1% 0%", "loss.gilbert.r: must be above 0"),
        ("loss state 60% 10% 0% 100% 60%", "loss.states.p14"),
        ("loss 1% 100%", "below 1"),
        ("delay 10x", "10x"),
        ("delay 1ms 1ms 1% 1%", "expected a time, a jitter and a correlation"),
        ("dealy 1ms", 'did you mean "delay"?'),
    ],
)
def test_options_that_cannot_be_are_refused(options: str, words: str) -> None:
    with pytest.raises(DialectError, match=r".") as caught:
        read(f"netem {options}", "tc")
    assert words in str(caught.value)


def test_a_queue_below_netem_is_that_of_the_link() -> None:
    text = "tc qdisc add dev eth0 root handle 1: netem delay 5ms\ntc qdisc add dev eth0 parent 1:1 handle 20: fq_codel"
    found = read(text, "tc")
    assert (found.scheme, found.link) == ("fq-codel", {"delay": "5ms"})


@pytest.mark.parametrize("handle", ["", "handle 20: "])
def test_netem_in_a_class_is_listed(handle: str) -> None:
    text = f"tc qdisc add dev eth0 root handle 1: prio\ntc qdisc add dev eth0 parent 1:1 {handle}netem delay 5ms"
    found = read(text, "tc")
    assert not found.link
    assert any('delay = "5ms": netem is in a class' in item for item in found.lost_settings)


def test_a_scheme_in_words_of_tc_lists_keys_of_the_link() -> None:
    assert Candidate.parse("tc: netem delay 5ms loss 1%").lost_settings == ('delay = "5ms"', "loss = { rate = 0.01 }")


def test_red_with_equal_thresholds_is_a_step() -> None:
    found = read("red limit 400000 min 30000 max 30000 avpkt 1500 burst 21 ecn probability 1", "tc")
    assert (found.parameters["min_th"], found.parameters["max_th"]) == ("30000B", "30000B")
    with pytest.raises(DialectError, match="must not be above max_th"):
        read("red limit 400000 min 30001 max 30000 avpkt 1500 burst 21", "tc")
