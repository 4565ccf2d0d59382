"""Warnings about settings that do not suit their link, and the conclusion of a comparison."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import penstock as ps
import pytest
from penstock.cli.compare import _warnings as compare_warnings
from penstock.explain.explanation import prepare
from penstock.explain.on_link import OnLink
from penstock.explain.settings_here import settings_here
from penstock.explain.warnings import Warned, average_seconds, of_scenario
from penstock.results.cell import Cell
from penstock.results.trade_off import (
    Standing,
    among_the_best,
    conclusion,
    costly,
    front,
    of_run,
    over_settings,
    sentence,
)
from penstock.scenario.loaded_link import LoadedLink
from penstock.scenario.scenario import Document, read_document
from penstock.studies.plan import Plan

ROOT = Path(__file__).resolve().parents[2]

EXPECTED = {
    "scenarios/w2_red.toml": {"low-thresholds", "fast-average"},  # ns-2's RED at 500 Mb/s, as the peers run it
    "examples/slow_dsl.toml": {"long-buffer"},  # the modem whose buffer it shows
}
"""Of the scenarios at hand, those with warnings."""


def warned(rate: str = "10Mbit", flows: int = 16, rtt: str = "40ms", **queue: Any) -> dict[str, Warned]:
    """The warnings about a queue on a link of 1000-byte packets."""
    table = {"limit": "100p", **queue}
    base = ps.dumbbell(
        rate=rate, rtt=rtt, duration="10s", traffic={"bulk": ps.Tcp(count=flows, packet="960B")}, queue=ps.DropTail()
    )
    document = base.document().set("links.bottleneck.queue", table)
    return {one.name: one for one in of_scenario(document.resolve())}


@pytest.mark.parametrize(
    "file",
    [
        str(path.relative_to(ROOT))
        for folder in ("scenarios", "examples")
        for path in sorted((ROOT / folder).glob("*.toml"))
        if not path.name.endswith(".study.toml")
    ],
)
def test_scenarios_at_hand_have_no_other_warnings(file: str) -> None:
    found = {one.name for one in of_scenario(read_document(str(ROOT / file)).resolve())}
    assert found == EXPECTED.get(file, set())


def test_a_profile_of_fill_levels_needs_a_limit() -> None:
    assert "no-fill-level" in warned(scheme="nonlinear", limit="inf")
    assert "no-fill-level" not in warned(scheme="nonlinear")
    assert "no-fill-level" not in warned(scheme="red", limit="inf")


def test_thresholds_follow_the_rule_of_the_root() -> None:
    """Appenzeller et al. 2004: BDP / sqrt(n); 100 Mb/s and 40 ms hold 500 packets, for 16 flows 125."""
    found = warned("100Mbit", scheme="red", min_th=5, max_th=15)["low-thresholds"]
    assert "125" in found.says
    assert "125" in found.advice
    assert "low-thresholds" not in warned("100Mbit", scheme="red", min_th=20, max_th=63)
    assert "low-thresholds" in warned("100Mbit", scheme="red", min_th=20, max_th=62)
    assert "low-thresholds" in warned("100Mbit", scheme="wred")
    assert "small-buffer" in warned("100Mbit", scheme="droptail", limit="62p")
    assert "small-buffer" not in warned("100Mbit", scheme="droptail", limit="63p")


def test_an_average_faster_than_a_round_trip_is_told() -> None:
    """-1 / ln(1 - w) packets of 0.8 ms: w = 0.0202 averages over 39.2 ms, w = 0.0198 over 40.0 ms."""
    assert -0.8 / math.log(1 - 0.0202) < 40 < -0.8 / math.log(1 - 0.0198)
    assert "fast-average" in warned(scheme="red", w_q=0.0202)
    assert "fast-average" not in warned(scheme="red", w_q=0.0198)
    assert "fast-average" not in warned(scheme="red", w_q="auto")


def test_a_target_below_a_packets_time_is_told() -> None:
    """1000 bytes take 16 ms at 500 kbit/s."""
    slow: dict[str, Any] = {"rate": "500kbit", "flows": 2, "rtt": "40ms"}
    assert "16 ms" in warned(scheme="codel", **slow)["low-target"].says
    assert "low-target" in warned(scheme="fq-codel", **slow)
    assert "low-target" in warned(scheme="pie", **slow)
    assert "low-target" not in warned(scheme="codel", target="20ms", **slow)


def test_intervals_marks_gains_and_long_buffers_are_told() -> None:
    assert "short-interval" in warned(rtt="200ms", scheme="codel")
    assert "short-interval" not in warned(rtt="90ms", scheme="codel")
    assert "marks-end" in warned("1Mbit", flows=32, scheme="pie", ecn=True)
    assert "marks-end" not in warned("10Mbit", flows=4, scheme="pie", ecn=True)
    assert "long-buffer" in warned("500kbit", flows=2, scheme="droptail", limit="100p")
    assert "long-buffer" not in warned("500kbit", flows=2, scheme="codel", target="20ms", limit="100p")
    assert "foreign-gains" in warned("100Mbit", scheme="pi")
    assert "foreign-gains" not in warned("100Mbit", scheme="pi", a="auto", b="auto", limit="400p")


def pie(limit: str, flows: int, window: int, **queue: Any) -> tuple[set[str], ps.Metrics]:
    """The warnings about PIE's activation, and what its link does in 20 s; a packet of 1000 bytes takes 4 ms."""
    base = ps.dumbbell(
        rate="2Mbit",
        rtt="40ms",
        duration="20s",
        traffic={"bulk": ps.Tcp(count=flows, packet="960B", window=window)},
        queue=ps.Pie(limit=limit, **queue),
    )
    told = {one.name for one in of_scenario(base.document().resolve())} & {"never-active", "late-active"}
    return told, ps.run(base).links["bottleneck"]


def longest(link: ps.Metrics) -> int:
    """The longest queue that lasted, in packets."""
    return len(link.length_pmf) - 1


def test_pie_that_is_off_too_long_is_told() -> None:
    """RFC 8033, section 5.3: off until a third of the limit is filled; the allowance of 150 ms is 37.5 packets."""
    # 4 x 20 packets never fill a third of 300.
    told, link = pie("300p", 4, 20)
    assert told == {"never-active"}
    assert link.drops == 0
    assert longest(link) < 100
    # 4 x 30 do, and the queue gets there before anything is dropped.
    told, link = pie("300p", 4, 30)
    assert told == {"late-active"}
    assert longest(link) >= 100
    # A third of 110 packets takes 147 ms.
    told, link = pie("110p", 4, 30)
    assert told == set()
    assert link.drops > 0
    for keys in ({"activation": "off"}, {"variant": "basic"}, {"variant": "linux"}):
        told, link = pie("300p", 4, 20, **keys)
        assert told == set()
        assert link.drops > 0
    assert pie("300p", 4, 20, variant="linux", activation="on")[0] == {"never-active"}
    assert pie("inf", 4, 20)[0] == set()


def test_a_rate_in_the_words_of_tc_is_not_ignored_in_silence(capsys: pytest.CaptureFixture[str]) -> None:
    """tbf and htb give the link a rate; the comparison has that of the scenario."""
    tbf = "tc: qdisc add dev eth0 root handle 1: tbf rate {} burst 5kb latency 70ms\nqdisc add dev eth0 parent 1: codel"
    base = ps.dumbbell(rate="10Mbit", rtt="40ms", duration="1s", traffic=ps.Tcp(), queue=ps.DropTail(limit="100p"))
    found = compare_warnings(Plan.make(base, ["droptail", tbf.format("4mbit")]))
    (told,) = [one for one in found if one["name"] == "ignored-rate"]
    assert (told["scheme"].partition(":")[0], told["place"]) == ("codel", "bottleneck")
    assert "4Mbit" in told["says"]
    assert "10Mbit" in told["says"]
    assert "links.bottleneck.rate" in told["advice"]
    assert told["says"] in capsys.readouterr().err
    same = compare_warnings(Plan.make(base, [tbf.format("10mbit")]))
    assert "ignored-rate" not in {one["name"] for one in same}
    assert [one.name for one in OnLink.of(tbf.format("4mbit"), base.document(), None).warnings] == ["ignored-rate"]


def test_a_link_without_flows_or_with_a_drawn_rate_has_none() -> None:
    base = read_document(str(ROOT / "scenarios" / "standard.toml"))
    drawn = base.set("links.bottleneck.rate", {"uniform": ["1Mbit", "2Mbit"]})
    assert of_scenario(drawn.resolve()) == []
    document: Document = ps.dumbbell(
        rate="500kbit",
        rtt="40ms",
        duration="5s",
        queue=ps.DropTail(limit="1000p"),
        traffic={"calls": ps.Cbr(rate="64kbit", packet="160B")},
    ).document()
    assert of_scenario(document.resolve()) == []


def cell(mean: float) -> Cell:
    return Cell(mean, None, None, 1)


def test_the_front_is_that_of_no_other_better_in_both() -> None:
    a, b, c = (Standing(label, cell(delay), cell(used)) for label, delay, used in
               (("a", 0.01, 0.9), ("b", 0.02, 0.95), ("c", 0.03, 0.94)))  # fmt: skip
    assert front([a, b, c]) == [a, b]
    assert sentence("link", [c, b, a]) == (
        "link: a shorter mean delay costs utilization: a (10 ms, 90 %), b (20 ms, 95 %). c is beaten in both."
    )
    assert sentence("link", [a, Standing("d", cell(0.02), cell(0.8))]) == (
        "link: a (10 ms, 90 %) keeps the link busy. "
        "Utilization is more than 5 percentage points lower with d (20 ms, 80 %)."
    )
    assert sentence("link", [a, Standing("d", cell(0.02), cell(0.88))]) == (
        "link: a (10 ms, 90 %) has the shortest mean delay and the highest utilization: it beats d in both."
    )
    full, slow = Standing("full", cell(0.02), cell(0.9999)), Standing("slow", cell(0.1), cell(1.0))
    assert sentence(
        "link", [slow, full, Standing("e", cell(0.01), cell(0.97))]
    ) == (  # slow buys nothing that counts with its delay
        "link: a shorter mean delay costs utilization: e (10 ms, 97.0 %), full (20 ms, 100.0 %)."
        " slow gains at most 0.1 percentage points of utilization by a longer delay."
    )
    assert sentence("link", [slow, full, Standing("late", cell(0.03), cell(0.9998))]) == (
        "link: full (20 ms, 100.0 %) has the shortest mean delay and, within 0.1 percentage points, the highest"
        " utilization: it beats late in both."
        " slow gains at most 0.1 percentage points of utilization by a longer delay."
    )
    assert conclusion("link", {0: a}) == ""
    assert conclusion("link at 5 flows", {0: a, 1: replace(a, label="b")}).startswith("link at 5 flows: a and b tie")


def test_those_among_the_best_are_counted_over_the_settings_of_a_sweep() -> None:
    a, b, c, d = (Standing(label, cell(delay), cell(used)) for label, delay, used in
                  (("a", 0.01, 0.98), ("b", 0.02, 0.99), ("c", 0.03, 0.985), ("d", 0.001, 0.5)))  # fmt: skip
    found = {0: a, 1: b, 3: c, 4: d}
    assert among_the_best(found) == [0, 1]  # c is beaten by b, d does not keep the link busy
    assert among_the_best({**found, 5: replace(a, label="e")}) == [0, 1, 5]  # a tie
    assert among_the_best({0: a}) == []
    assert over_settings(["a", "b", "c", "d"], [[0, 1], [1], [1, 0]]) == (
        "By mean delay and utilization, b is among the best at all 3 settings, a at 2, c and d at none."
    )
    assert over_settings(["a", "b"], [[0], []]) == (
        "By mean delay and utilization, a is among the best at 1 of 2 settings, b at none."
    )
    assert over_settings(["a", "b"], [[0, 1]] * 2) == (
        "By mean delay and utilization, a and b are among the best at all 2 settings."
    )


def test_a_run_is_said_in_a_sentence() -> None:
    numbers = {"delay_mean_s": 0.0987, "delay_p99_s": 0.1156, "loss_rate": 0.0405, "utilization": 1.0}
    assert of_run("link", numbers) == (
        "link: packets wait 98.7 ms on average, 99 % of them at most 115.6 ms;"
        " 4.05 % are lost, and the link is 100.0 % used."
    )
    assert of_run("link", {**numbers, "loss_rate": None}) == ""


def test_ties_are_said_and_an_idle_link_is_not_praised() -> None:
    def spread(mean: float, half: float) -> Cell:
        return Cell(mean, mean - half, mean + half, 5)

    idle = Standing("idle", spread(0.001, 1e-4), spread(0.86, 0.01))
    short = Standing("short", spread(0.014, 1e-3), spread(0.999, 0.002))
    tied = Standing("tied", spread(0.0145, 1e-3), spread(0.9985, 0.002))
    long = Standing("long", spread(0.05, 1e-3), spread(0.98, 0.002))
    assert sentence("link", [idle, short, tied, long]) == (
        "link: short (14.00 ms, 99.90 %) has the shortest mean delay and the highest utilization:"
        " it beats long in both. tied is no better in either."
        " Utilization is more than 5 percentage points lower with idle (1.00 ms, 86.00 %)."
    )
    assert costly([one.utilization for one in (idle, short, tied, long)]) == {0: pytest.approx(0.139)}
    same = Standing("same", spread(0.01405, 1e-3), spread(0.9985, 0.002))
    assert sentence("link", [short, same, idle]) == (
        "link: short and same tie in mean delay and utilization: 14.00 ms, 99.90 %. "
        "Utilization is more than 5 percentage points lower with idle (1.00 ms, 86.00 %)."
    )
    unsure = [spread(0.86, 0.2), spread(0.999, 0.002)]
    assert costly(unsure) == {}  # its interval reaches the other one


def test_compare_and_check_tell_them(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "penstock"]
    file = "scenarios/standard.toml"
    small = [
        "--set",
        "duration=12s",
        "--set",
        "links.bottleneck.rate=100Mbit",
        "--runs",
        "2",
        "--store",
        str(tmp_path / "s"),
    ]
    done = subprocess.run(
        [*command, "compare", file, "--scheme", "wred", "--scheme", "codel", *small, "--json", f"{tmp_path}/r.json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "warning: wred at bottleneck: max_th" in done.stderr
    result = json.loads((tmp_path / "r.json").read_text())
    assert [(one["scheme"], one["name"]) for one in result["warnings"]] == [("wred", "low-thresholds")]
    assert result["conclusion"].startswith("bottleneck: ")
    codel = ["--set", "links.bottleneck.queue.scheme=codel"]
    done = subprocess.run(
        [*command, "check", file, "--set", "links.bottleneck.rate=500kbit", *codel],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "warning: bottleneck: target = 5 ms is less than" in done.stderr


def test_explain_takes_the_link_of_a_scenario() -> None:
    found = OnLink.of("red", read_document(str(ROOT / "scenarios" / "w2_red.toml")), None)
    assert "max_th=300" in found.scheme
    assert found.options == {
        "link": "500000000bit",
        "rtt": "200000000ns",
        "flows": "100",
        "limit": "1000p",
        "packet": 1500.0,
    }
    numbers = found.numbers(prepare(found.scheme, **found.options))
    assert numbers["bandwidth-delay product"].startswith("8333 packets")
    assert numbers["time constant of the average"].startswith("12 ms")
    assert {one.name for one in found.warnings} == EXPECTED["scenarios/w2_red.toml"]
    given = OnLink.of("red:w_q=0.5", read_document(str(ROOT / "scenarios" / "w2_red.toml")), None)
    assert given.scheme == "red:w_q=0.5"
    command = [sys.executable, "-m", "penstock", "explain", "red", "--scenario", "scenarios/w2_red.toml"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "On bottleneck" in done.stdout
    assert "warning: bottleneck: max_th = 300 packets" in done.stdout


def test_the_words_of_w_q_have_the_constants_of_the_law() -> None:
    """law/red.rs: T = 1 s, ten round trips of at least 100 ms each, 0.1 s, at packets of mean_packet."""
    link = LoadedLink("l", 10e6, 0.2, 100, 1500, 4)
    for word, constant in (("auto", 1.0), ("auto_rtt", 2.0), ("auto_fast", 0.1)):
        weight, seconds = average_seconds(link, {"w_q": word, "mean_packet": "1500B"}) or (0, 0)
        assert seconds == pytest.approx(constant)
        assert weight == pytest.approx(1 - math.exp(-8 * 1500 / 10e6 / constant))
    # the law counts arrivals of 1000 bytes, and each is of 1500
    assert (average_seconds(link, {"w_q": "auto"}) or (0, 0))[1] == pytest.approx(1.5)
    short = LoadedLink("l", 10e6, 0.02, 100, 1500, 4)
    assert (average_seconds(short, {"w_q": "auto_rtt", "mean_packet": "1500B"}) or (0, 0))[1] == pytest.approx(1.0)


def test_settings_are_in_the_units_of_the_link() -> None:
    """1500 bytes at 10 Mb/s take 1.2 ms; 50 ms hold 41.67 packets."""
    link = LoadedLink("l", 10e6, 0.05, 100, 1500, 4)
    found = settings_here(link, {"scheme": "red", "min_th": "10p", "max_th": "45kB", "w_q": 0.5, "ecn": True})
    assert found["min_th"] == ("10p", "10 packets, 15 kB, 12 ms, 0.24 BDP")
    assert found["max_th"] == ("45kB", "30 packets, 45 kB, 36 ms, 0.72 BDP")
    assert found["w_q"][1].startswith("w_q = 0.5 averages over 1.73 ms")  # 1.2 ms / ln 2
    assert "ecn" not in found
    codel = settings_here(link, {"scheme": "codel", "target": "6ms", "interval": "100ms"})
    assert codel["target"][1] == "5 packets at full rate, 0.12 round trips"
    assert codel["interval"][1] == "83.33 packets at full rate, 2 round trips"
    profile = {"scheme": "nonlinear", "limit": "100p", "fill_level": [0.2, 0.555]}
    assert settings_here(link, profile)["fill_level"] == ("[0.2, 0.555]", "20, 55.5 packets")
    assert "fill_level" not in settings_here(link, profile | {"limit": "inf"})


def test_pis_automatic_gains_are_the_printed_ones() -> None:
    """Thesis, section 1.2.2.4: 0.000344519 and 0.000343499 for 3 flows, 187.5 packets/s, R = 0.252 s, 170 Hz.

    35 packets of 1000 bytes at 1.5 Mb/s take 186.7 ms of the 252 ms.
    """
    link = LoadedLink("l", 1.5e6, 0.252 - 35 / 187.5, 35, 1500, 3)  # gains are for the law's own packets of 1000 bytes
    table = {"scheme": "pi", "limit": "35p", "a": "auto", "b": "auto", "interval": "5.882353ms", "mean_packet": "1000B"}
    found = settings_here(link, table)
    assert found["a"] == ("auto", "0.0003445 for 3 flows and round trips up to 252 ms")
    assert found["b"] == ("auto", "0.0003435 for 3 flows and round trips up to 252 ms")


def test_damping_does_not_depend_on_mean_packet_where_the_link_has_packets() -> None:
    settings = "min_th=20,max_th=60,gentle=true,w_q=0.001,spacing=none"
    found = [
        prepare(f"red:{settings},mean_packet={size}", "20Mbit", "80ms", "50", "500p", 1500.0).damping()
        for size in ("500B", "1500B")
    ]
    assert found[0] == found[1]
    assert found[0][0].damped is not None
    without = [
        prepare(f"red:{settings},mean_packet={size}", "20Mbit", "80ms", "50", "500p").damping()
        for size in ("500B", "1500B")
    ]
    assert without[0] != without[1]


def test_explain_says_where_the_queue_settles_and_the_margins() -> None:
    found = prepare("red:gentle=true,min_th=20,max_th=60,spacing=none", "20Mbit", "80ms", "50", "500p")
    on_link = OnLink.of_options(found)
    assert on_link is not None
    numbers = on_link.numbers(found)
    operating = found.operating()
    (damping,) = found.damping()
    assert operating is not None
    assert damping.queue is not None
    point = operating.point(50)
    assert numbers["the queue settles at"].startswith(f"{point.queue:.4g} packets, ")
    assert numbers["the queue settles at"].endswith("stable")
    assert f"{damping.phase_deg:.0f}°, gain margin {damping.gain:.3g}" in numbers["loop (fluid model)"]
    # Hollot et al. 2001: the pole of the windows is 2 N / (R^2 C)
    trip = 0.08 + damping.queue / 2500
    assert numbers["time constant of the TCP windows"].startswith(f"{1e3 * trip**2 * 2500 / 100:.3g} ms")
    assert OnLink.of_options(prepare("red", "20Mbit", "80ms", None, "500p")) is None


def test_a_default_of_another_link_is_told_by_the_options_alone() -> None:
    found = prepare("pi", "100Mbit", "40ms", "16", "400p")
    on_link = OnLink.of_options(found)
    assert on_link is not None
    assert [one["name"] for one in on_link.as_json(found)["warnings"]] == ["foreign-gains"]


def test_check_has_them_in_its_json() -> None:
    command = [sys.executable, "-m", "penstock", "check", "examples/slow_dsl.toml", "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert [(one["place"], one["name"]) for one in json.loads(done.stdout)["warnings"]] == [("dsl", "long-buffer")]


def test_compare_warns_at_later_points_of_a_sweep(capsys: pytest.CaptureFixture[str]) -> None:
    document = read_document(str(ROOT / "scenarios" / "standard.toml"))
    plan = Plan.make(document, ["codel", "wred"], {"links.bottleneck.rate": ["10Mbit", "500kbit", "100kbit"]})
    found = compare_warnings(plan)
    assert [(one["scheme"], one["name"]) for one in found] == [("codel", "low-target")]
    assert found[0]["point"] == "bottleneck.rate = 500kbit"
    assert "[bottleneck.rate = 500kbit]" in capsys.readouterr().err
