"""Warnings about settings that do not suit their link, and the conclusion of a comparison."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import penstock as ps
import pytest
from penstock.explain.on_link import OnLink
from penstock.explain.warnings import Warned, of_scenario
from penstock.results.cell import Cell
from penstock.results.trade_off import Standing, conclusion, front, sentence
from penstock.scenario.scenario import Document, read_document

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
    [str(path.relative_to(ROOT)) for path in sorted([*ROOT.glob("scenarios/*.toml"), ROOT / "examples/slow_dsl.toml"])],
)
def test_scenarios_at_hand_have_no_other_warnings(file: str) -> None:
    found = {one.name for one in of_scenario(read_document(str(ROOT / file)).resolve())}
    assert found == EXPECTED.get(file, set())


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
        "link: mean delay trades for utilization, from a (10.00 ms, 90.0 %) and b (20.00 ms, 95.0 %). "
        "c is beaten in both."
    )
    assert sentence("link", [a, Standing("d", cell(0.02), cell(0.8))]) == (
        "link: a (10.00 ms, 90.0 %) has the shortest mean delay and the highest utilization: it beats d in both."
    )
    assert conclusion(["a"], ["link"], lambda *_: cell(1.0)) == ""
    assert conclusion(["a", "b"], ["link"], lambda *_: cell(0.5), " at n = 5").startswith("link at n = 5: mean delay")


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
    assert found.options == {"link": "500000000bit", "rtt": "200000000ns", "flows": "100", "limit": "1000p"}
    assert found.numbers()["bandwidth-delay product"].startswith("8333 packets")
    assert found.numbers()["time constant of the average"].startswith("12 ms")
    assert {one.name for one in found.warnings} == EXPECTED["scenarios/w2_red.toml"]
    given = OnLink.of("red:w_q=0.5", read_document(str(ROOT / "scenarios" / "w2_red.toml")), None)
    assert given.scheme == "red:w_q=0.5"
    command = [sys.executable, "-m", "penstock", "explain", "red", "--scenario", "scenarios/w2_red.toml"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "On bottleneck" in done.stdout
    assert "warning: bottleneck: max_th = 300 packets" in done.stdout
