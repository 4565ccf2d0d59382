"""The budget of a run: only runs that would fill the memory or last for days are refused or announced."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import penstock as ps
import pytest
from penstock.cli.app import app
from penstock.engine.run import run_batch
from penstock.scenario import budget
from penstock.scenario.budget import BudgetLimits, check_budget
from penstock.scenario.budget.estimate import estimate_run
from penstock.scenario.document import Document

SCENARIOS = sorted((Path(__file__).resolve().parents[2] / "scenarios").glob("*.toml"))

ENDLESS = 'queue = { scheme = "droptail", limit = "inf" }'
DROPTAIL = 'queue = { scheme = "droptail", limit = "100p" }'
TCP = 'kind = "tcp"\nprofile = "ns2"\nwindow = 100'
CHANGE = 'change = [{ every = "1ns", rate = { uniform = ["1Mbit", "2Mbit"] } }]'


def network(
    traffic: str, *, duration: str = "100s", rate: str = "10Mbit", delay: str = "10ms", queue: str = DROPTAIL
) -> str:
    """A source, a fast link to a router and a bottleneck, with one table of traffic."""
    return f"""duration = "{duration}"

[links.core]
from = "R"
to = "D"
rate = "{rate}"
delay = "{delay}"
{queue}

[links.access]
from = "S"
to = "R"
rate = "100Gbit"
delay = "1ms"

[traffic.t]
from = "S"
to = "D"
{traffic}
"""


FAST = 'kind = "cbr"\nrate = "{}Gbit"\npacket = "1000B"'
MEMORY, EVENTS = "of memory in all", "events in a run"

HUGE = {
    "transfers every 10 ns": (network('kind = "tcp"\nbytes = "10kB"\narrivals = "10ns"'), "traffic.t", MEMORY),
    "100 Gbit/s into 1 bit/s": (network(FAST.format(100), rate="1bit", queue=ENDLESS), "links.core.queue", MEMORY),
    "incast every ns": (
        network('kind = "incast"\nsenders = 10\nbytes = "10kB"\nevery = "1ns"'),
        "traffic.t",
        EVENTS,
    ),
    "10 Gbit/s over 100 s": (network(FAST.format(10), rate="10Gbit", delay="100s"), "traffic.t", MEMORY),
    "TCP over 100 s": (
        network('kind = "tcp"\ncount = 100\nwindow = 100000000', duration="1e5s", rate="10Gbit", delay="100s"),
        "traffic.t",
        MEMORY,
    ),
    "web without pauses": (network('kind = "web"\nsessions = 100\npages = "0s"\noption = 0'), "traffic.t", EVENTS),
    "web pages without end": (
        network('kind = "web"\nsessions = 100000\nobjects = 1000000\ngap = "0s"'),
        "traffic.t",
        MEMORY,
    ),
    "changes every ns": (network(TCP, queue=CHANGE), "links.core.change[0]", EVENTS),
    "30 years": (network(TCP, duration="1e9s"), "traffic.t", EVENTS),
    "small datagrams": (
        network('kind = "cbr"\nrate = "1Tbit"\npacket = "1B"\nheaders = "0B"', duration="100s"),
        "traffic.t",
        EVENTS,
    ),
}


@pytest.fixture(autouse=True)
def small_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every machine has the same memory here."""
    monkeypatch.setattr(budget, "available_memory", lambda: 8e9)


@pytest.mark.parametrize("name", HUGE)
def test_a_run_without_end_is_refused_or_announced_at_once_by_every_way_to_start_it(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, part, kind = HUGE[name]
    file = tmp_path / "link.toml"
    file.write_text(text, encoding="utf-8")
    limits = ["--max-events", "1e10", "--max-memory", "4GB"]
    scheme = "red" if kind == EVENTS else "droptail:limit=inf"
    for verb, *more in (["check"], ["run"], ["compare", "--at", "core", "--scheme", scheme]):
        begun = time.process_time()
        with pytest.raises(SystemExit) as exit_info:
            app([verb, str(file), *limits, *more])
        assert time.process_time() - begun < 1
        output = capsys.readouterr().err
        assert exit_info.value.code == 2
        assert re.search(rf"link\.toml:\d+: {re.escape(part)}: most of about .* {kind}", output), output


@pytest.mark.parametrize("name", HUGE)
def test_without_other_limits_too_it_is_refused_or_announced(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "link.toml"
    file.write_text(HUGE[name][0], encoding="utf-8")
    with pytest.raises(SystemExit) as exit_info:
        app(["check", str(file)])
    assert exit_info.value.code in (0, 2)
    assert "most of about" in capsys.readouterr().err


def test_python_refuses_what_the_command_line_refuses() -> None:
    scenario = ps.Scenario.loads(HUGE["30 years"][0])
    with pytest.raises(ps.ScenarioError, match="max_events"):
        ps.run(scenario)
    with pytest.raises(ps.ScenarioError, match="max_events"):
        ps.compare(scenario, "red", at="core")
    small = ps.Scenario.loads(network(TCP, duration="1s"))
    long = small.replace("duration", "1000s")
    with pytest.warns(UserWarning, match=r"the 20000 runs take about \d+ hours"), pytest.raises(ZeroDivisionError):
        ps.compare(long, "red", at="core", runs=20_000, jobs=1, progress=lambda finished, planned: 1 // 0)
    with pytest.raises(ps.ScenarioError, match="runs: most of about 10 TB of memory in all"):
        ps.compare(small, "red", at="core", runs=10**9)
    with pytest.raises(ps.ScenarioError, match="the limit is 10: reduce this"):
        ps.run(small, max_events=10)
    with pytest.raises(ps.ScenarioError, match=r"the limit is 0\.001 MB"):
        ps.run(small, max_memory="1kB")
    assert ps.run(small, max_events=1e7, max_memory="1GiB").events > 0


@pytest.mark.parametrize(("keyword", "value"), [("max_events", float("nan")), ("max_events", -1), ("max_memory", "8")])
def test_limits_that_are_none_are_refused(keyword: str, value: object) -> None:
    with pytest.raises(ps.PenstockError, match=r"the limit of (events|memory)"):
        ps.run(ps.Scenario.loads(network(TCP, duration="1s")), **{keyword: value})  # type: ignore[arg-type]


def test_a_long_run_is_announced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "link.toml"
    file.write_text(network(TCP, duration="1e6s"), encoding="utf-8")
    with pytest.raises(SystemExit) as exit_info:
        app(["check", str(file)])
    assert exit_info.value.code == 0
    assert re.search(
        r"traffic\.t: most of about \S+ events in a run, which takes about \d+ minutes", capsys.readouterr().err
    )


VARIED = {
    "udp": network('kind = "poisson"\nrate = "8Mbit"\npacket = "500B"', duration="20s"),
    "udp overload": network('kind = "cbr"\nrate = "80Mbit"\npacket = "1000B"\ncount = 3', duration="20s"),
    "fec": network('kind = "fec"\nk = 8\nh = 4\nrate = "4Mbit"\npacket = "1000B"', duration="20s"),
    "transfers": network('kind = "tcp"\nbytes = { exp = "30kB" }\nload = "5Mbit"', duration="50s"),
    "on and off": network('kind = "onoff"\ncount = 20\non = { packets = 50 }\noff = { exp = "1s" }', duration="50s"),
    "video": network('kind = "video"\nrate = "2Mbit"\ncount = 3', duration="20s"),
    "incast": network('kind = "incast"\nsenders = 20\nbytes = "20kB"\nevery = "1s"', duration="50s"),
    "changes": network(TCP, queue=CHANGE.replace("1ns", "1ms"), duration="20s"),
    "capped by windows": network('kind = "tcp"\ncount = 5\nwindow = 4', rate="1Gbit", duration="20s"),
    "late start": network('kind = "tcp"\ncount = 5\nstart = { first = "10s", every = "2s" }', duration="20s"),
}


@pytest.mark.parametrize("name", VARIED)
def test_the_estimate_is_within_a_factor_of_four_of_the_events(name: str) -> None:
    compare_with_run(Document.parse(VARIED[name]))


@pytest.mark.parametrize(
    "path", [path for path in SCENARIOS if "three_hops" not in path.name], ids=lambda path: path.stem
)
def test_the_estimate_holds_for_the_scenarios_of_the_works(path: Path) -> None:
    compare_with_run(Document.read(path))


def compare_with_run(document: Document) -> None:
    """Hold the estimate of a scenario against a run; it is not refused, not even on a small machine."""
    resolved = document.resolve()
    assert check_budget([resolved], BudgetLimits(), document.origins) == []
    result = json.loads(run_batch([resolved.for_engine(flows=False, series=False)], [1], jobs=1)[0])
    assert 1 / 4 < estimate_run(resolved).total_events / result["events"] < 4


def test_the_estimate_of_memory_bounds_what_is_held() -> None:
    held = estimate_run(Document.parse(network(FAST.format(1), rate="1kbit", queue=ENDLESS, duration="10s")).resolve())
    # 1.2 million packets of 32 bytes and their times are in the queue at the end.
    assert 1.2e6 * 40 < held.total_memory < 1.2e6 * 200
    traced = estimate_run(Document.parse(network(TCP)).resolve(), traced=True)
    assert traced.memory["--trace"] > 27 * traced.total_events


def test_an_estimate_takes_milliseconds() -> None:
    resolved = Document.read(next(path for path in SCENARIOS if path.name == "thesis_link.toml")).resolve()
    begun = time.process_time()
    for _ in range(20):
        estimate_run(resolved)
    assert time.process_time() - begun < 0.2
