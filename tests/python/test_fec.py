"""Forward error correction in scenarios: keys, refusals, results; crates/penstock-sim has the closed forms."""

from __future__ import annotations

from typing import Any

import penstock as ps
import pytest
from penstock.scenario.check import resolved_text
from penstock.scenario.document import Document

TEXT = """duration = "100s"
[links.line]
from = "A"
to = "B"
rate = "2Mbit"
delay = "5ms"
loss = { rate = 0.1 }
[traffic.media]
kind = "fec"
from = "A"
to = "B"
k = 16
h = 4
rate = "500kbit"
packet = "573B"
headers = "0B"
"""


def media(**keys: Any) -> ps.Fec:
    defaults: dict[str, Any] = {"k": 16, "h": 4, "rate": "500kbit", "packet": "573B", "headers": "0B"}
    return ps.Fec(from_="A", to="B", **(defaults | keys))


def scenario(**keys: Any) -> ps.Scenario:
    line = ps.Link(from_="A", to="B", rate="2Mbit", delay="5ms", loss={"rate": 0.1})
    return ps.Scenario(duration="100s", links={"line": line}, traffic={"media": media(**keys)})


def test_python_and_toml_say_the_same() -> None:
    read = ps.Scenario.loads(TEXT)
    assert scenario().resolve().canonical == read.resolve().canonical
    assert ps.Scenario.loads(scenario(spacing="constant", phase="random").to_toml()) == scenario(
        spacing="constant", phase="random"
    )
    (canonical,) = read.resolve().canonical["traffic"]
    assert canonical["fec"] == {"k": 16, "h": 4, "spacing": "poisson"}
    # The rate stays that of the data: the engine adds the redundancy.
    assert canonical["udp"] == {"rate": 500_000, "payload": 573, "headers": 0, "phase": "zero"}


@pytest.mark.parametrize("more", ["", 'spacing = "constant"\nphase = "random"\n'])
def test_what_check_prints_means_the_same(more: str) -> None:
    before = Document.parse(TEXT + more).resolve()
    after = Document.parse(resolved_text(before)).resolve()
    assert after.canonical == before.canonical
    assert after.readable == before.readable


@pytest.mark.parametrize(
    ("was", "now", "words"),
    [
        ("k = 16\n", "", ["traffic.media.k", "is missing", "k = 16"]),
        ("k = 16", "k = 0", ["traffic.media.k", "between 1 and 65535"]),
        ("h = 4", "h = -1", ["traffic.media.h", "between 0 and 65535"]),
        ("h = 4", "h = 65530", ["traffic.media.h", "65546 packets", "at most 65535"]),
        ("h = 4", 'h = 4\nspacing = "even"', ["traffic.media.spacing", "poisson, constant"]),
        ("h = 4", 'h = 4\nphase = "random"', ["traffic.media.phase", 'spacing = "constant"']),
        ("h = 4", "h = 4\nblock = 20", ["traffic.media.block", "unknown key"]),
        ('packet = "573B"', 'packet = { exp = "573B" }', ["traffic.media.packet", "one size"]),
    ],
)
def test_what_cannot_be_is_refused(was: str, now: str, words: list[str]) -> None:
    with pytest.raises(ps.ScenarioError) as caught:
        Document.parse(TEXT.replace(was, now)).resolve()
    assert all(word in str(caught.value) for word in words), caught.value
    assert len(caught.value.errors) == 1


def test_more_redundancy_leaves_less_lost_of_the_same_losses() -> None:
    groups = [ps.run(scenario(h=h), seed=1).traffic["media"] for h in (0, 1, 2, 4, 8)]
    after = [metrics.plr_after for metrics in groups]
    assert after == sorted(after, reverse=True)
    assert groups[0].plr_after == groups[0].plr_before == pytest.approx(0.1, abs=0.015)
    assert groups[-1].plr_after < 0.001
    # The load is 1 + h/k times as much, and what arrives in the end nears all of the data.
    sent = [metrics.sent_pkts * 573 * 8 / 100 / 500e3 for metrics in groups]
    assert sent == pytest.approx([1, 17 / 16, 18 / 16, 20 / 16, 24 / 16], rel=0.05)
    assert groups[-1].goodput_bps == pytest.approx(500e3, rel=0.05)
    assert groups[0].goodput_bps == pytest.approx(450e3, rel=0.05)


def test_flows_and_groups_are_told() -> None:
    media_group = ps.run(scenario(count=3)).traffic["media"]
    assert sum(media_group.flows["blocks"]) == media_group.blocks
    weights = [
        blocks * plr for blocks, plr in zip(media_group.flows["blocks"], media_group.flows["plr_before"], strict=True)
    ]
    assert sum(weights) / media_group.blocks == pytest.approx(media_group.plr_before)
    assert max(media_group.flows["block_delay_max_s"]) == media_group.block_delay_max_s


def test_the_warm_up_leaves_out_the_blocks_that_began_in_it() -> None:
    line = ps.Link(from_="A", to="B", rate="2Mbit", delay="5ms")
    traffic = {"media": media(spacing="constant")}
    whole = ps.Scenario(duration="100s", warmup="50s", links={"line": line}, traffic=traffic)
    group = ps.run(whole).traffic["media"]
    # A block of 20 packets takes 20 x 7.3344 ms: those that began in the second half and came whole before its end.
    block = 20 * 573 * 8 / 625e3
    first, last = -(-50 // block), (100 - 0.005 - 573 * 8 / 2e6 - 19 / 20 * block) // block
    assert group.blocks == last - first + 1
    assert group.plr_before == 0
