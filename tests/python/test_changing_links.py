"""Links that change in scenarios: the keys in TOML and in Python, their display, and their effect."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, ClassVar

import penstock as ps
import pytest
from penstock.scenario.check import resolved_text
from penstock.scenario.document import Document

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
    assert after.readable == before.readable
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
    """An AQM that records the rates that it is notified of."""

    rates: ClassVar[list[float]] = []

    def on_link(self, link: Any) -> None:
        """The link has changed."""
        self.rates.append(link.rate)


def test_aqms_are_told_the_new_rate() -> None:
    steps = 'change = [{ at = "2s", rate = "1Mbit" }, { at = "3s", delay = "1ms" }, { at = "4s", rate = "3Mbit" }]'
    link = ps.Scenario.loads(scenario(steps))
    RateListener.rates.clear()
    ps.run(link.replace("links.access.queue", RateListener(limit="50p")))
    # The change of delay at 3 s changes the round-trip time that the queue knows, and no rate.
    assert RateListener.rates == [1e6, 1e6, 3e6]


def test_schemes_run_on_a_link_that_changes() -> None:
    changing = ps.Scenario.loads(scenario(CHANGE, OUTAGE, LOSS))
    schemes = [
        scheme
        for scheme in ps.SCHEMES.values()
        if all(field.default is not dataclasses.MISSING for field in dataclasses.fields(scheme))
    ]
    assert len(schemes) > 40
    for scheme in schemes:
        run = ps.run(changing.replace("links.access.queue", scheme(limit="50p")))
        assert 0 < run.links["access"].utilization <= 1.01, scheme.scheme


RATES = "# 5G\ntime,rate\n0,3\n1.5,0\n2,2.25\n2.5,0\n2.75,1.5\n"


@pytest.mark.parametrize("text", [RATES, RATES.replace(",", " "), RATES.replace(",", "\t").replace("time", "t_s")])
def test_a_file_of_rates_becomes_changes_and_outages(text: str, tmp_path: Path) -> None:
    (tmp_path / "rates").write_text(text, encoding="utf-8")
    forward, backward = canonical(
        f'change = [{{ rates = "{tmp_path / "rates"}" }}]', 'outage = [{ at = "9s", for = "1s" }]'
    )
    at = [(change["when"]["at_ns"], change["rate"]) for change in forward["change"]]
    assert at == [(0, 3_000_000), (2_000_000_000, 2_250_000), (2_750_000_000, 1_500_000)]
    outages = [(outage["at_ns"], outage["for_ns"]) for outage in forward["outage"]]
    assert outages == [(1_500_000_000, 500_000_000), (2_500_000_000, 250_000_000), (9_000_000_000, 1_000_000_000)]
    assert backward["change"] == forward["change"]


def test_a_saturated_link_sends_the_rates_of_its_file(tmp_path: Path) -> None:
    (tmp_path / "rates").write_text(RATES, encoding="utf-8")
    load = HEAD.replace('kind = "tcp"\ncount = 3', 'kind = "cbr"\nrate = "10Mbit"\npacket = "222B"')
    keys = f'change = [{{ rates = "{tmp_path / "rates"}" }}]'
    line = ps.run(ps.Scenario.loads(load.replace("KEYS", keys).replace('"20s"', '"4s"'))).links["access"]
    # 3 Mbit/s for 1.5 s, 2.25 for 0.5 s, 1.5 for 1.25 s; a packet of 2000 bits may begin before each outage.
    bits = 1.5 * 3e6 + 0.5 * 2.25e6 + 1.25 * 1.5e6
    assert line.departures * 2000 == pytest.approx(bits, abs=4 * 2000)


def test_a_file_of_rates_is_part_of_the_key_and_of_the_shown_form(tmp_path: Path) -> None:
    file = tmp_path / "rates.csv"
    file.write_text(RATES, encoding="utf-8")
    document = Document.parse(scenario(f'change = [{{ rates = "{file}" }}]'))
    resolved = document.resolve()
    assert resolved.readable["links"]["access"]["change"] == [{"rates": str(file)}]
    again = Document.parse(resolved_text(resolved)).resolve()
    assert again.readable == resolved.readable
    pairs = zip(again.canonical["links"], resolved.canonical["links"], strict=True)
    assert all(one[key] == other[key] for one, other in pairs for key in ("change", "outage"))
    written = ps.Scenario.loads(scenario(f'change = [{{ rates = "{file}" }}]'))
    key = written.key()
    file.write_text(RATES.replace("0,3", "0,4"), encoding="utf-8")
    assert written.key() != key


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("", "seconds and Mbit/s in each line"),
        ("0,1,2\n", "line 1 is not a time in seconds and a rate in Mbit/s"),
        ("0,1\n1,x\n", "line 2 is not"),
        ("0,1\n0,2\n", "times rise"),
        ("0,1\n1,0\n", "ends with a rate of 0"),
        ("0,-1\n", "line 1: the time must be from 0"),
        ("0,1e-9\n", "less than 1 bit/s"),
        ("0,1e999\n", "line 1 is not"),
        ("\n".join(f"{i},1" for i in range(20_001)), "20001 rates; at most 20000"),
    ],
)
def test_files_of_rates_that_cannot_be_are_refused(lines: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "rates").write_text(lines, encoding="utf-8")
    with pytest.raises(ps.ScenarioError) as caught:
        canonical(f'change = [{{ rates = "{tmp_path / "rates"}" }}]')
    assert words in str(caught.value)


def test_a_link_has_one_source_of_rates(tmp_path: Path) -> None:
    (tmp_path / "rates").write_text(RATES, encoding="utf-8")
    with pytest.raises(ps.ScenarioError, match="either one capacity, one file of rates"):
        canonical(f'change = [{{ rates = "{tmp_path / "rates"}" }}, {{ at = "1s", rate = "1Mbit" }}]')
