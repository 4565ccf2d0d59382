"""Jitter, reordering and unlike directions in scenarios: keys, errors, round trips. Arrivals: overtaking.rs."""

from __future__ import annotations

from typing import Any

import penstock as ps
import pytest
from penstock.scenario.check import resolved_text
from penstock.scenario.document import Document

TEXT = """duration = "10s"
[links.line]
from = "A"
to = "B"
rate = "8Mbit"
delay = "10ms"
KEYS
[traffic.tcp]
kind = "tcp"
from = "A"
to = "B"
window = 5
"""

KEYS = 'jitter = { uniform = ["0s", "2ms"] }\nreorder = { rate = 0.01, delay = { exp = "5ms" } }'


def canonical(keys: str) -> list[dict[str, Any]]:
    return Document.parse(TEXT.replace("KEYS", keys)).resolve().canonical["links"]  # type: ignore[no-any-return]


def test_the_keys_are_of_one_direction() -> None:
    forward, backward = canonical(KEYS)
    assert forward["jitter"] == {"uniform": [0, 2_000_000]}
    assert forward["reorder"] == {"rate": 0.01, "delay": {"exp": 5_000_000}}
    assert (backward["jitter"], backward["reorder"]) == (None, None)
    forward, backward = canonical('reverse = { jitter = "1ms", reorder = { rate = "50%", delay = "3ms" } }')
    assert (forward["jitter"], forward["reorder"]) == (None, None)
    assert (backward["jitter"], backward["reorder"]) == (1_000_000, {"rate": 0.5, "delay": 3_000_000})


NETEM = """jitter = { deviation = "2ms", distribution = "pareto", correlation = "25%" }
loss = { states = { p13 = 0.01 } }
reorder = { rate = 0.25, early = true, gap = 5, correlation = 0.5 }
duplicate = { rate = "0.5%" }
reverse = { loss = { correlated = { rate = 0.01, correlation = 0.25 } } }"""


def test_the_keys_of_netem_in_canonical_form() -> None:
    forward, backward = canonical(NETEM)
    around = {"deviation": 2_000_000, "distribution": "pareto", "correlation": 0.25, "keep_order": False}
    assert forward["jitter"] == around
    # tc-netem(8): p13 alone is a loss of each packet by itself.
    assert forward["loss"] == {"states": {"p13": 0.01, "p31": 0.99, "p32": 0.0, "p23": 1.0, "p14": 0.0}}
    assert forward["reorder"] == {"rate": 0.25, "correlation": 0.5, "gap": 5}
    assert forward["duplicate"] == {"rate": 0.005, "correlation": 0.0}
    assert backward["loss"] == {"correlated": {"rate": 0.01, "correlation": 0.25}}


@pytest.mark.parametrize(
    "keys", [KEYS, NETEM, 'reverse = { jitter = "1ms", reorder = { rate = "50%", delay = "3ms" } }']
)
def test_what_check_prints_means_the_same(keys: str) -> None:
    before = Document.parse(TEXT.replace("KEYS", keys)).resolve()
    after = Document.parse(resolved_text(before)).resolve()
    assert after.canonical["links"] == before.canonical["links"]
    assert after.readable == before.readable


def test_python_and_toml_say_the_same() -> None:
    link = ps.Link(
        from_="A",
        to="B",
        rate="8Mbit",
        delay="10ms",
        jitter={"uniform": ["0s", "2ms"]},
        reorder={"rate": 0.01, "delay": {"exp": "5ms"}},
        reverse=ps.Reverse(jitter="1ms"),
    )
    traffic = {"tcp": ps.Tcp(from_="A", to="B", window=5)}
    written = ps.Scenario(duration="10s", links={"line": link}, traffic=traffic)
    read = ps.Scenario.loads(TEXT.replace("KEYS", KEYS + '\nreverse = { jitter = "1ms" }'))
    assert written.resolve().canonical == read.resolve().canonical
    assert ps.Scenario.loads(written.to_toml()) == written


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("jitter = 5", ["links.line.jitter"]),
        ('jitter = { uniform = ["2ms", "1ms"] }', ["links.line.jitter", "lower end first"]),
        ('reorder = { rate = 1.5, delay = "1ms" }', ["links.line.reorder.rate"]),
        ("reorder = { rate = 0.5 }", ["links.line.reorder.delay", "is missing"]),
        ('reorder = { p = 0.5, delay = "1ms", rate = 0.1 }', ["links.line.reorder.p", "unknown key", "rate, delay"]),
        ("reorder = 0.5", ["links.line.reorder", "must be a table"]),
        ('reorder = { rate = 0.5, early = true, delay = "1ms" }', ["links.line.reorder.delay", "early"]),
        ("reorder = { rate = 0.5, early = true, gap = 0 }", ["links.line.reorder.gap"]),
        ('jitter = { deviation = "1ms", distribution = "norml" }', ["distribution", 'did you mean "normal"?']),
        ('jitter = { deviation = "1ms", correlaton = 0.1 }', ["correlaton", 'did you mean "correlation"?']),
        ('jitter = { deviation = "1ms", correlation = 1 }', ["jitter.correlation", "below 1"]),
        ("duplicate = { rate = 2 }", ["links.line.duplicate.rate"]),
        ("duplicate = { correlation = 0.1 }", ["links.line.duplicate.rate", "is missing"]),
        ("loss = { rate = 0.1, correlation = 0.25 }", ["links.line.loss.correlation", "correlated = {"]),
        ("loss = { states = { p31 = 0.1 } }", ["links.line.loss.states.p13", "is missing"]),
        ("loss = { states = { p13 = 0.7, p14 = 0.7 } }", ["links.line.loss.states.p14", "at most 1 - p13"]),
        ("loss = { state = { p13 = 0.7 } }", ["links.line.loss.state", 'did you mean "states"?']),
    ],
)
def test_what_cannot_be_is_refused(keys: str, words: list[str]) -> None:
    with pytest.raises(ps.ScenarioError) as caught:
        canonical(keys)
    assert all(word in str(caught.value) for word in words), caught.value


def test_one_and_many_jobs_give_the_same_bytes() -> None:
    ragged = ps.Scenario.loads(TEXT.replace("KEYS", KEYS + '\nqueue = { scheme = "red", limit = "20p" }'))
    texts = [ps.compare(ragged, ["droptail", "red"], runs=3, jobs=jobs).to_json() for jobs in (1, 2)]
    assert texts[0] == texts[1]


def round_trip(links: dict[str, ps.Link], path: list[str] | None = None) -> float:
    """Of a single TCP of one packet at a time from A to B, in ms; exact clocks, 1000 bytes and 40 back."""
    tcp = ps.Tcp(
        from_="A",
        to="B",
        path=path,
        profile="ns2",
        start="0s",
        window=1,
        packet="1000B",
        headers="0B",
        tick="0s",
        timestamps=True,
        syn=False,
    )
    flow = ps.run(ps.Scenario(duration="20s", links=links, traffic={"tcp": tcp})).traffic["tcp"]
    assert flow.retransmitted_pkts == 0
    return float(flow.rtt_mean_s * 1000)


def link(ends: str, delay: str, back: str | None = None, rate: str = "8Mbit", rate_back: str | None = None) -> ps.Link:
    reverse = ps.Reverse(delay=back, rate=rate_back)
    return ps.Link(from_=ends[0], to=ends[1], rate=rate, delay=delay, reverse=reverse)


def test_the_two_directions_have_each_their_rate_and_delay() -> None:
    # 1 ms and 10 ms there; 40 bytes at 32 kbit/s are 10 ms, and 35 ms of delay back.
    unlike = {"line": link("AB", "10ms", "35ms", rate_back="32kbit")}
    assert round_trip(unlike) == pytest.approx(1 + 10 + 10 + 35, abs=1e-3)


def test_data_and_acknowledgements_take_each_their_shortest_way() -> None:
    # There 5 ms by the direct link, 20 ms by C; back 50 ms and 20 ms.
    triangle = {"direct": link("AB", "5ms", "50ms"), "up": link("AC", "10ms"), "down": link("CB", "10ms")}
    data, ack = 1.0, 0.04
    assert round_trip(triangle) == pytest.approx(data + 5 + 2 * (ack + 10), abs=1e-3)
    # A path is that of the data, and the acknowledgements come back along it.
    assert round_trip(triangle, ["A", "B"]) == pytest.approx(data + 5 + ack + 50, abs=1e-3)
    assert round_trip(triangle, ["A", "C", "B"]) == pytest.approx(2 * (data + 10) + 2 * (ack + 10), abs=1e-3)


def test_jitter_of_the_way_back_delays_acknowledgements() -> None:
    late = {"line": ps.Link(from_="A", to="B", rate="8Mbit", delay="10ms", reverse=ps.Reverse(jitter={"exp": "4ms"}))}
    # 20 s / 25 ms = 800 round trips: the mean of their jitter has a standard error of 0.14 ms.
    assert round_trip(late) == pytest.approx(1 + 10 + 0.04 + 10 + 4, abs=0.57)
