"""Links that change in scenarios: the keys in TOML and in Python, their display, and their effect."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, ClassVar

import penstock as ps
import pytest
from penstock.scenario.check import resolved_text
from penstock.scenario.scenario import Document

HEAD = """duration = "20s"
[links.access]
from = "S"
to = "R"
rate = "2Mbit"
delay = "5ms"
watch = true
queue = { scheme = "red", limit = "50p" }
KEYS
[traffic.tcp]
from = "S"
to = "R"
kind = "tcp"
count = 3
"""

CHANGE = 'change = [{ every = "500ms", rate = { uniform = ["1Mbit", "3Mbit"] }, delay = { list = ["1ms", "9ms"] } }]'
OUTAGE = 'outage = [{ at = "10s", for = "500ms" }, { at = "5s", for = "1s" }]'
LOSS = "loss = { gilbert = { p = 0.01, r = 0.3 } }"


def scenario(*keys: str) -> str:
    """A link with these keys."""
    return HEAD.replace("KEYS", "\n".join(keys))


def canonical(*keys: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The canonical form of both directions."""
    resolved = Document.parse(scenario(*keys)).resolve()
    assert not resolved.errors
    forward, backward = resolved.canonical["links"]
    return forward, backward


def test_the_keys_in_canonical_form() -> None:
    forward, backward = canonical(CHANGE, OUTAGE, LOSS)
    assert forward["change"] == [
        {
            "when": {"every_ns": 500_000_000},
            "rate": {"uniform": [1_000_000, 3_000_000]},
            "delay": {"list": [1_000_000, 9_000_000]},
        }
    ]
    assert forward["outage"] == [
        {"at_ns": 5_000_000_000, "for_ns": 1_000_000_000},
        {"at_ns": 10_000_000_000, "for_ns": 500_000_000},
    ]
    assert forward["loss"] == {"gilbert": {"p": 0.01, "r": 0.3, "good": 0.0, "bad": 1.0}}
    assert (backward["change"], backward["outage"], backward["loss"]) == (forward["change"], forward["outage"], None)


@pytest.mark.parametrize(
    ("reverse", "changes", "outages"),
    [
        ("reverse = { watch = true }", 1, 2),
        ('reverse = { rate = "1Mbit" }', 0, 2),
        ("reverse = { change = [], outage = [] }", 0, 0),
        ('reverse = { rate = "1Mbit", change = [{ at = "1s", rate = "2Mbit" }, { at = "2s", delay = "0s" }] }', 2, 2),
    ],
)
def test_the_other_direction(reverse: str, changes: int, outages: int) -> None:
    _, backward = canonical(CHANGE, OUTAGE, reverse)
    assert (len(backward["change"]), len(backward["outage"])) == (changes, outages)


@pytest.mark.parametrize("reverse", ["", 'reverse = { rate = "1Mbit", outage = [] }', 'reverse = { queue = "same" }'])
def test_what_check_prints_means_the_same(reverse: str) -> None:
    before = Document.parse(scenario(CHANGE, OUTAGE, LOSS, reverse)).resolve()
    text = resolved_text(before)
    assert CHANGE in text
    assert 'outage = [{ at = "5s", for = "1s" }, { at = "10s", for = "500ms" }]' in text
    after = Document.parse(text).resolve()
    assert after.shown == before.shown
    for was, now in zip(before.canonical["links"], after.canonical["links"], strict=True):
        assert [now[key] for key in ("change", "outage", "loss")] == [was[key] for key in ("change", "outage", "loss")]


def test_python_and_toml_say_the_same() -> None:
    link = ps.Link(
        from_="S",
        to="R",
        rate="2Mbit",
        delay="5ms",
        watch=True,
        queue=ps.Red(limit="50p"),
        change=[
            {"every": "500ms", "rate": {"uniform": ["1Mbit", "3Mbit"]}, "delay": {"list": ["1ms", "9ms"]}},
        ],
        outage=[{"at": "10s", "for": "500ms"}, {"at": "5s", "for": "1s"}],
        loss={"gilbert": {"p": 0.01, "r": 0.3}},
    )
    written = ps.Scenario(duration="20s", links={"access": link}, traffic={"tcp": ps.Tcp(from_="S", to="R", count=3)})
    read = ps.Scenario.loads(scenario(CHANGE, OUTAGE, LOSS))
    assert written.resolve().canonical == read.resolve().canonical
    assert ps.Scenario.loads(written.to_toml()) == written
    assert written.key() != ps.Scenario.loads(scenario(CHANGE, OUTAGE)).key()


def test_one_and_many_jobs_give_the_same_bytes() -> None:
    changing = ps.Scenario.loads(scenario(CHANGE, OUTAGE, LOSS))
    schemes = ["droptail", "red", "codel", "pie", "fq-codel", "avq"]
    texts = [ps.compare(changing, schemes, runs=3, jobs=jobs).to_json() for jobs in (1, 2, 2)]
    assert texts[0] == texts[1] == texts[2]


def test_a_trace_of_capacity_stands_beside_its_scenario(tmp_path: Path) -> None:
    (tmp_path / "short.mahi").write_text("2\n2\n10\n")
    file = tmp_path / "link.toml"
    file.write_text(scenario('change = [{ capacity = "short.mahi" }, { at = "2s", delay = "1ms" }]'))
    changing = ps.Scenario.load(file)
    forward, backward = changing.resolve().canonical["links"]
    assert forward["capacity_ms"] == backward["capacity_ms"] == [2, 2, 10]
    assert forward["change"] == [{"when": {"at_ns": 2_000_000_000}, "delay": 1_000_000}]
    key = changing.key()
    assert ps.Scenario.loads(changing.to_toml()).key() == key
    before = ps.run(changing).traffic["tcp"].goodput_bps
    (tmp_path / "short.mahi").write_text("2\n10\n")
    assert changing.key() != key
    # 3.6 and 2.4 Mbit/s, of which data packets of 1040 B carry 1000 B; one waits for the next instant as a whole.
    after = ps.run(changing).traffic["tcp"].goodput_bps
    assert before / after == pytest.approx(1.5, rel=0.05)


@ps.aqm("rate-listener")
class RateListener(ps.Aqm):
    """A law that records the rates that it is notified of."""

    told: ClassVar[list[float]] = []

    def on_link(self, link: Any) -> None:
        """The link has changed."""
        self.told.append(link.rate)


def test_laws_are_told_the_new_rate() -> None:
    steps = 'change = [{ at = "2s", rate = "1Mbit" }, { at = "3s", delay = "1ms" }, { at = "4s", rate = "3Mbit" }]'
    link = ps.Scenario.loads(scenario(steps))
    RateListener.told.clear()
    ps.run(link.replace("links.access.queue", RateListener(limit="50p")))
    # The change of delay at 3 s changes the round-trip time that the queue knows, and no rate.
    assert RateListener.told == [1e6, 1e6, 3e6]


def test_schemes_run_on_a_link_that_changes() -> None:
    changing = ps.Scenario.loads(scenario(CHANGE, OUTAGE, LOSS))
    schemes = [
        scheme
        for scheme in ps.SCHEMES.values()
        if all(field.default is not dataclasses.MISSING for field in dataclasses.fields(scheme))
    ]
    assert len(schemes) > 40
    for scheme in schemes:
        found = ps.run(changing.replace("links.access.queue", scheme(limit="50p")))
        assert 0 < found.links["access"].utilization <= 1.01, scheme.scheme
