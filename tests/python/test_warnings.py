"""Warnings about settings that do not suit their link."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import penstock as ps
import pytest
from penstock.cli.compare_scenario import _warnings as compare_warnings
from penstock.explain.explanation import prepare_explanation
from penstock.explain.scheme_on_link import SchemeOnLink
from penstock.explain.settings_on_link import settings_on_link
from penstock.explain.warnings import LinkWarning, average_seconds, scenario_warnings, unfilled_link_warnings
from penstock.results.conclusion import run_sentence
from penstock.scenario.check import resolved_text
from penstock.scenario.document import Document, read_document
from penstock.scenario.loaded_link import LoadedLink
from penstock.studies.plan import ComparisonPlan

ROOT = Path(__file__).resolve().parents[2]

EXPECTED = {
    "scenarios/w2_red.toml": {"low-thresholds", "fast-average"},  # ns-2's RED at 500 Mb/s, as the peers run it
    "examples/slow_dsl.toml": {"long-buffer", "no-data"},  # the modem whose buffer it shows
}
"""Of the scenarios at hand, those with warnings."""


def warnings_by_name(rate: str = "10Mbit", flows: int = 16, rtt: str = "40ms", **queue: Any) -> dict[str, LinkWarning]:
    """The warnings about a queue on a link of 1000-byte packets."""
    table = {"limit": "100p", **queue}
    base = ps.dumbbell(
        rate=rate, rtt=rtt, duration="10s", traffic={"bulk": ps.Tcp(count=flows, packet="960B")}, queue=ps.DropTail()
    )
    document = base.document().set("links.bottleneck.queue", table)
    return {warning.name: warning for warning in scenario_warnings(document.resolve())}


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
    names = {warning.name for warning in scenario_warnings(read_document(str(ROOT / file)).resolve())}
    assert names == EXPECTED.get(file, set())


def test_a_profile_of_fill_levels_needs_a_limit() -> None:
    assert "no-fill-level" in warnings_by_name(scheme="nonlinear", limit="inf")
    assert "no-fill-level" not in warnings_by_name(scheme="nonlinear")
    assert "no-fill-level" not in warnings_by_name(scheme="red", limit="inf")


def test_thresholds_follow_the_rule_of_the_root() -> None:
    """Appenzeller et al. 2004: BDP / sqrt(n); 100 Mb/s and 40 ms hold 500 packets, for 16 flows 125."""
    warning = warnings_by_name("100Mbit", scheme="red", min_th=5, max_th=15)["low-thresholds"]
    assert "125" in warning.message
    assert "125" in warning.advice
    assert "low-thresholds" not in warnings_by_name("100Mbit", scheme="red", min_th=20, max_th=63)
    assert "low-thresholds" in warnings_by_name("100Mbit", scheme="red", min_th=20, max_th=62)
    assert "low-thresholds" in warnings_by_name("100Mbit", scheme="wred")
    assert "small-buffer" in warnings_by_name("100Mbit", scheme="droptail", limit="62p")
    assert "small-buffer" not in warnings_by_name("100Mbit", scheme="droptail", limit="63p")


def test_an_average_faster_than_a_round_trip_is_told() -> None:
    """-1 / ln(1 - w) packets of 0.8 ms: w = 0.0202 averages over 39.2 ms, w = 0.0198 over 40.0 ms."""
    assert -0.8 / math.log(1 - 0.0202) < 40 < -0.8 / math.log(1 - 0.0198)
    assert "fast-average" in warnings_by_name(scheme="red", w_q=0.0202)
    assert "fast-average" not in warnings_by_name(scheme="red", w_q=0.0198)
    assert "fast-average" not in warnings_by_name(scheme="red", w_q="auto")


def test_a_target_below_a_packets_time_is_told() -> None:
    """1000 bytes take 16 ms at 500 kbit/s."""
    slow: dict[str, Any] = {"rate": "500kbit", "flows": 2, "rtt": "40ms"}
    assert "16 ms" in warnings_by_name(scheme="codel", **slow)["low-target"].message
    assert "low-target" in warnings_by_name(scheme="fq-codel", **slow)
    assert "low-target" in warnings_by_name(scheme="pie", **slow)
    assert "low-target" not in warnings_by_name(scheme="codel", target="20ms", **slow)


def test_intervals_marks_gains_and_long_buffers_are_told() -> None:
    assert "short-interval" in warnings_by_name(rtt="200ms", scheme="codel")
    assert "short-interval" not in warnings_by_name(rtt="90ms", scheme="codel")
    assert "marks-end" in warnings_by_name("1Mbit", flows=32, scheme="pie", ecn=True)
    assert "marks-end" not in warnings_by_name("10Mbit", flows=4, scheme="pie", ecn=True)
    assert "long-buffer" in warnings_by_name("500kbit", flows=2, scheme="droptail", limit="100p")
    assert "long-buffer" not in warnings_by_name("500kbit", flows=2, scheme="codel", target="20ms", limit="100p")
    assert "foreign-gains" in warnings_by_name("100Mbit", scheme="pi")
    assert "foreign-gains" not in warnings_by_name("100Mbit", scheme="pi", a="auto", b="auto", limit="400p")


def traffic_warnings(traffic: ps.Traffic, at: str = "bottleneck", **link: Any) -> dict[str, LinkWarning]:
    """The warnings about the traffic of 100 Mbit/s over 20 ms."""
    scenario = ps.dumbbell(rate="100Mbit", rtt="20ms", duration="5s", traffic={"bulk": traffic}, **link)
    return {warning.name: warning for warning in scenario_warnings(scenario.resolve(), [at])}


def test_windows_that_leave_the_link_empty_are_told() -> None:
    """n windows of w packets of 1040 B fill 100 Mbit/s over 20 ms if n w 8320 bit > 2 Mbit: w > 60 for four flows."""
    warning = traffic_warnings(ps.Tcp(count=4, profile="ns2", flavour="cubic"))["small-windows"]
    assert "windows of 20 packets" in warning.message
    assert "33%" in warning.message  # 4 x 20 x 8320 bit / 2 Mbit
    assert "small-windows" in traffic_warnings(ps.Tcp(count=4, profile="ns2", window=59))
    assert "small-windows" not in traffic_warnings(ps.Tcp(count=4, profile="ns2", window=62))
    assert "small-windows" not in traffic_warnings(ps.Tcp(count=4))
    # A transfer that is small is not limited by its window.
    assert "small-windows" not in traffic_warnings(ps.Tcp(count=4, profile="ns2", bytes="10kB"))


def test_a_scheme_where_only_acknowledgements_pass_is_told() -> None:
    document = ps.dumbbell(rate="10Mbit", rtt="20ms", traffic=ps.Tcp(count=4)).document()
    both = document.set("links.bottleneck.reverse", {"queue": {"scheme": "codel", "limit": "100p"}, "watch": True})
    (warning,) = scenario_warnings(both.resolve(), ["bottleneck.reverse"])
    assert (warning.name, warning.place) == ("no-data", "bottleneck.reverse")
    assert "put the scheme at bottleneck" in warning.advice
    upload = {"kind": "tcp", "from": "D", "to": "S"}
    assert scenario_warnings(both.set("traffic.tcp", upload).resolve(), ["bottleneck.reverse"]) == []


def test_automatic_settings_for_other_packets_are_told() -> None:
    assert "packet-size" in traffic_warnings(ps.Tcp(count=9), queue=ps.Red(mean_packet="500B"))
    assert "packet-size" not in traffic_warnings(ps.Tcp(count=9), queue=ps.Red(mean_packet="1500B"))
    assert "packet-size" not in traffic_warnings(ps.Tcp(count=9), queue=ps.Red(mean_packet="500B", w_q=0.002))


def test_a_queue_that_a_run_never_filled_is_told() -> None:
    for flow, names in ((ps.Tcp(profile="ns2"), ["never-filled"]), (ps.Tcp(), [])):
        scenario = ps.dumbbell(rate="100Mbit", rtt="20ms", duration="5s", warmup="1s", traffic=flow)
        assert [
            warning.name for warning in unfilled_link_warnings(scenario.resolve(), ps.run(scenario).raw["links"])
        ] == names


def test_schemes_with_equal_runs_are_named(tmp_path: Path) -> None:
    """PIE acts as drop-tail if the buffer cannot reach its target. A link that no traffic fills has another warning."""
    ps.dumbbell(rate="10Mbit", rtt="10ms", duration="5s", queue=ps.DropTail(limit="8p")).save(tmp_path / "short.toml")
    listed = ("droptail", "pie:target=1s", "codel:target=100us", "pie:target=2s")
    command = [sys.executable, "-m", "penstock", "compare", "short.toml", "--runs", "2", "--json", "out.json",
               "--html", "page.html"]  # fmt: skip
    for idle, groups in (((), ["droptail, pie:target=1s and pie:target=2s"]), (("--set", "traffic.bulk.profile=ns2",
        "--set", "traffic.bulk.window=2"), [])):  # fmt: skip
        schemes = [part for scheme in listed for part in ("--scheme", scheme)]
        process = subprocess.run([*command, *schemes, *idle], cwd=tmp_path, capture_output=True, text=True, check=True)
        warnings = json.loads((tmp_path / "out.json").read_text(encoding="utf-8")).get("warnings", [])
        says = [warned["says"] for warned in warnings if warned["name"] == "identical-runs"]
        assert [text.partition(" have the same")[0] for text in says] == groups
        assert process.stderr.count("have the same results in every run") == len(groups)
        page = (tmp_path / "page.html").read_text(encoding="utf-8")
        assert page.count("<b>droptail</b> at bottleneck: droptail, pie:target=1s and") == len(groups)
        assert "<small>()</small>" not in page


def test_schemes_of_a_study_with_equal_runs_are_named(tmp_path: Path) -> None:
    """As in a comparison on one scenario, whichever metrics the study shows."""
    ps.dumbbell(rate="10Mbit", rtt="10ms", duration="5s", queue=ps.DropTail(limit="8p")).save(tmp_path / "short.toml")
    (tmp_path / "study.toml").write_text(
        'base = "short.toml"\nschemes = ["droptail", "pie:target=1s", "codel:target=100us"]\nseeds = 2\nmetrics = '
        '["arrivals"]\n[axes]\n"traffic.bulk.count" = [1, 2]\n'
    )
    command = [sys.executable, "-m", "penstock", "compare", "study.toml", "--store", "store", "--json", "out.json"]
    process = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    says = "droptail and pie:target=1s have the same results in every run: this load does not distinguish them"
    assert says in process.stderr
    warnings = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["warnings"]
    assert [(each["scheme"], each["says"]) for each in warnings if each["name"] == "identical-runs"] == [
        ("droptail", says)
    ]


def test_both_directions_of_a_link_with_the_same_queue_are_checked() -> None:
    """PIE with a long limit is late in the direction that is full, here the reverse one."""
    tree = ps.dumbbell(rate="50Mbit", rtt="50ms", queue=ps.Pie(limit="1000p"), traffic=ps.Tcp(count=4)).tree()
    tree["links"]["bottleneck"] |= {"reverse": {"rate": "10Mbit", "queue": "same"}, "watch": True}
    tree["traffic"]["up"] = {"kind": "tcp", "from": "D", "to": "S"}
    places = {warning.place for warning in scenario_warnings(Document(tree).resolve()) if warning.name == "late-active"}
    assert "bottleneck.reverse" in places


def test_sizes_are_those_on_the_wire() -> None:
    """Warnings, rules and `check` convert with the packets that cross the link, headers included."""
    for traffic, size in ((ps.Tcp(), 1500), (ps.Tcp(profile="ns2"), 1040), (ps.Cbr(rate="1Mbit", packet="172B"), 200)):
        resolved = ps.dumbbell(rate="12Mbit", rtt="20ms", queue=ps.Red(limit="100p"), traffic=traffic).resolve()
        assert LoadedLink.from_scenario(resolved, "bottleneck").packet_bytes == size
        assert f"{size / 10:g} kB in packets of {size} B" in resolved_text(resolved)


def pie(limit: str, flows: int, window: int, **queue: Any) -> tuple[set[str], ps.Metrics]:
    """The warnings about PIE's activation, and what its link does in 20 s; a packet of 1000 bytes takes 4 ms."""
    base = ps.dumbbell(
        rate="2Mbit",
        rtt="40ms",
        duration="20s",
        traffic={"bulk": ps.Tcp(count=flows, packet="960B", window=window)},
        queue=ps.Pie(limit=limit, **queue),
    )
    names = {warning.name for warning in scenario_warnings(base.document().resolve())} & {"never-active", "late-active"}
    return names, ps.run(base).links["bottleneck"]


def longest(link: ps.Metrics) -> int:
    """The longest queue that lasted, in packets."""
    return len(link.length_pmf) - 1


def test_pie_that_is_off_too_long_is_told() -> None:
    """RFC 8033, section 5.3: off until a third of the limit is filled; the allowance of 150 ms is 37.5 packets."""
    # 4 x 20 packets never fill a third of 300.
    names, link = pie("300p", 4, 20)
    assert names == {"never-active"}
    assert link.drops == 0
    assert longest(link) < 100
    # 4 x 30 do, and the queue gets there before anything is dropped.
    names, link = pie("300p", 4, 30)
    assert names == {"late-active"}
    assert longest(link) >= 100
    # A third of 110 packets takes 147 ms.
    names, link = pie("110p", 4, 30)
    assert names == set()
    assert link.drops > 0
    for keys in ({"activation": "off"}, {"variant": "basic"}, {"variant": "linux"}):
        names, link = pie("300p", 4, 20, **keys)
        assert names == set()
        assert link.drops > 0
    assert pie("300p", 4, 20, variant="linux", activation="on")[0] == {"never-active"}
    assert pie("inf", 4, 20)[0] == set()


def test_a_rate_in_the_words_of_tc_is_not_ignored_in_silence(capsys: pytest.CaptureFixture[str]) -> None:
    """tbf and htb give the link a rate; the comparison has that of the scenario."""
    tbf = "tc: qdisc add dev eth0 root handle 1: tbf rate {} burst 5kb latency 70ms\nqdisc add dev eth0 parent 1: codel"
    base = ps.dumbbell(rate="10Mbit", rtt="40ms", duration="1s", traffic=ps.Tcp(), queue=ps.DropTail(limit="100p"))
    warnings = compare_warnings(ComparisonPlan.resolve_cases(base, ["droptail", tbf.format("4mbit")]))
    (ignored,) = [entry for entry in warnings if entry["name"] == "ignored-rate"]
    assert (ignored["scheme"].partition(":")[0], ignored["place"]) == ("codel", "bottleneck")
    assert "4Mbit" in ignored["says"]
    assert "10Mbit" in ignored["says"]
    assert "links.bottleneck.rate" in ignored["advice"]
    assert ignored["says"] in capsys.readouterr().err
    same = compare_warnings(ComparisonPlan.resolve_cases(base, [tbf.format("10mbit")]))
    assert "ignored-rate" not in {entry["name"] for entry in same}
    names = [
        warning.name for warning in SchemeOnLink.from_document(tbf.format("4mbit"), base.document(), None).warnings
    ]
    assert names == ["ignored-rate", "not-converted"]  # the burst of tbf is no setting of codel


def test_a_link_without_flows_or_with_a_drawn_rate_has_none() -> None:
    base = read_document(str(ROOT / "scenarios" / "standard.toml"))
    drawn = base.set("links.bottleneck.rate", {"uniform": ["1Mbit", "2Mbit"]})
    assert scenario_warnings(drawn.resolve()) == []
    document: Document = ps.dumbbell(
        rate="500kbit",
        rtt="40ms",
        duration="5s",
        queue=ps.DropTail(limit="1000p"),
        traffic={"calls": ps.Cbr(rate="64kbit", packet="160B")},
    ).document()
    assert scenario_warnings(document.resolve()) == []


def test_a_run_is_said_in_a_sentence() -> None:
    numbers = {"delay_mean_s": 0.0987, "delay_p99_s": 0.1156, "loss_rate": 0.0405, "utilization": 1.0}
    assert run_sentence("link", numbers) == (
        "link: packets wait 98.7 ms on average, 99 % of them at most 115.6 ms; 4.05 % are lost, and the link is "
        "100.0 % used."
    )
    assert run_sentence("link", {**numbers, "loss_rate": None}) == ""


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
    process = subprocess.run(
        [*command, "compare", file, "--scheme", "wred", "--scheme", "codel", *small, "--json", f"{tmp_path}/r.json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "warning: wred at bottleneck: max_th" in process.stderr
    result = json.loads((tmp_path / "r.json").read_text())
    assert [(warning["scheme"], warning["name"]) for warning in result["warnings"]] == [("wred", "low-thresholds")]
    assert result["conclusion"].startswith("bottleneck: ")
    codel = ["--set", "links.bottleneck.queue.scheme=codel"]
    process = subprocess.run(
        [*command, "check", file, "--set", "links.bottleneck.rate=500kbit", *codel],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "warning: bottleneck: target = 5 ms is less than" in process.stderr


def test_explain_takes_the_link_of_a_scenario() -> None:
    on_link = SchemeOnLink.from_document("red", read_document(str(ROOT / "scenarios" / "w2_red.toml")), None)
    assert "max_th=300" in on_link.scheme
    assert on_link.options == {
        "link": "500000000bit",
        "rtt": "200000000ns",
        "flows": "100",
        "limit": "1000p",
        "packet": 1500.0,
    }
    numbers = on_link.numbers(prepare_explanation(on_link.scheme, **on_link.options))
    assert numbers["bandwidth-delay product"].startswith("8333 packets")
    assert numbers["time constant of the average"].startswith("12 ms")
    assert {warning.name for warning in on_link.warnings} == EXPECTED["scenarios/w2_red.toml"]
    with_setting = SchemeOnLink.from_document(
        "red:w_q=0.5", read_document(str(ROOT / "scenarios" / "w2_red.toml")), None
    )
    assert with_setting.scheme == "red:w_q=0.5"
    command = [sys.executable, "-m", "penstock", "explain", "red", "--scenario", "scenarios/w2_red.toml"]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "On bottleneck" in process.stdout
    assert "warning: bottleneck: max_th = 300 packets" in process.stdout


def test_the_words_of_w_q_have_the_constants_of_the_aqm() -> None:
    """law/red.rs: T = 1 s, ten round trips of at least 100 ms each, 0.1 s, at packets of mean_packet."""
    link = LoadedLink("l", 10e6, 0.2, 100, 1500, 4)
    for word, constant in (("auto", 1.0), ("auto_rtt", 2.0), ("auto_fast", 0.1)):
        weight, seconds = average_seconds(link, {"w_q": word, "mean_packet": "1500B"}) or (0, 0)
        assert seconds == pytest.approx(constant)
        assert weight == pytest.approx(1 - math.exp(-8 * 1500 / 10e6 / constant))
    # the AQM counts arrivals of 1000 bytes, and each is of 1500
    assert (average_seconds(link, {"w_q": "auto"}) or (0, 0))[1] == pytest.approx(1.5)
    short = LoadedLink("l", 10e6, 0.02, 100, 1500, 4)
    assert (average_seconds(short, {"w_q": "auto_rtt", "mean_packet": "1500B"}) or (0, 0))[1] == pytest.approx(1.0)


def test_settings_are_in_the_units_of_the_link() -> None:
    """1500 bytes at 10 Mb/s take 1.2 ms; 50 ms hold 41.67 packets."""
    link = LoadedLink("l", 10e6, 0.05, 100, 1500, 4)
    settings = settings_on_link(link, {"scheme": "red", "min_th": "10p", "max_th": "45kB", "w_q": 0.5, "ecn": True})
    assert settings["min_th"] == ("10p", "10 packets, 15 kB, 12 ms, 0.24 BDP")
    assert settings["max_th"] == ("45kB", "30 packets, 45 kB, 36 ms, 0.72 BDP")
    assert settings["w_q"][1].startswith("w_q = 0.5 averages over 1.73 ms")  # 1.2 ms / ln 2
    assert "ecn" not in settings
    codel = settings_on_link(link, {"scheme": "codel", "target": "6ms", "interval": "100ms"})
    assert codel["target"][1] == "5 packets at full rate, 0.12 round trips"
    assert codel["interval"][1] == "83.33 packets at full rate, 2 round trips"
    profile = {"scheme": "nonlinear", "limit": "100p", "fill_level": [0.2, 0.555]}
    assert settings_on_link(link, profile)["fill_level"] == ("[0.2, 0.555]", "20, 55.5 packets")
    assert "fill_level" not in settings_on_link(link, profile | {"limit": "inf"})


def test_pis_automatic_gains_are_the_printed_ones() -> None:
    """Thesis, section 1.2.2.4: 0.000344519 and 0.000343499 for 3 flows, 187.5 packets/s, R = 0.252 s, 170 Hz.

    35 packets of 1000 bytes at 1.5 Mb/s take 186.7 ms of the 252 ms.
    """
    link = LoadedLink("l", 1.5e6, 0.252 - 35 / 187.5, 35, 1500, 3)  # gains are for the AQM's own packets of 1000 bytes
    table = {"scheme": "pi", "limit": "35p", "a": "auto", "b": "auto", "interval": "5.882353ms", "mean_packet": "1000B"}
    settings = settings_on_link(link, table)
    assert settings["a"] == ("auto", "0.0003445 for 3 flows and round trips up to 252 ms")
    assert settings["b"] == ("auto", "0.0003435 for 3 flows and round trips up to 252 ms")


def test_damping_does_not_depend_on_mean_packet_where_the_link_has_packets() -> None:
    settings = "min_th=20,max_th=60,gentle=true,w_q=0.001,spacing=none"
    dampings = [
        prepare_explanation(
            f"red:{settings},mean_packet={size}", "20Mbit", "80ms", "50", "500p", 1500.0
        ).fluid_predictions()
        for size in ("500B", "1500B")
    ]
    assert dampings[0] == dampings[1]
    assert dampings[0][0].is_damped is not None
    without = [
        prepare_explanation(f"red:{settings},mean_packet={size}", "20Mbit", "80ms", "50", "500p").fluid_predictions()
        for size in ("500B", "1500B")
    ]
    assert without[0] != without[1]


def test_explain_says_where_the_queue_settles_and_the_margins() -> None:
    explanation = prepare_explanation(
        "red:gentle=true,min_th=20,max_th=60,spacing=none", "20Mbit", "80ms", "50", "500p"
    )
    on_link = SchemeOnLink.from_explanation(explanation)
    assert on_link is not None
    numbers = on_link.numbers(explanation)
    operating = explanation.operating_curve()
    (damping,) = explanation.fluid_predictions()
    assert operating is not None
    assert damping.queue is not None
    point = operating.point(50)
    assert numbers["the queue settles at"].startswith(f"{point.queue:.4g} packets, ")
    assert numbers["the queue settles at"].endswith("stable")
    assert f"{damping.phase_deg:.0f}°, gain margin {damping.gain:.3g}" in numbers["loop (fluid model)"]
    # Hollot et al. 2001: the pole of the windows is 2 N / (R^2 C)
    trip = 0.08 + damping.queue / 2500
    assert numbers["time constant of the TCP windows"].startswith(f"{1e3 * trip**2 * 2500 / 100:.3g} ms")
    assert SchemeOnLink.from_explanation(prepare_explanation("red", "20Mbit", "80ms", None, "500p")) is None


def test_a_default_of_another_link_is_told_by_the_options_alone() -> None:
    explanation = prepare_explanation("pi", "100Mbit", "40ms", "16", "400p")
    on_link = SchemeOnLink.from_explanation(explanation)
    assert on_link is not None
    assert [warning["name"] for warning in on_link.as_json(explanation)["warnings"]] == ["foreign-gains"]


def test_check_has_them_in_its_json() -> None:
    command = [sys.executable, "-m", "penstock", "check", "examples/slow_dsl.toml", "--json", "-"]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert [(warning["place"], warning["name"]) for warning in json.loads(process.stdout)["warnings"]] == [
        ("dsl", "long-buffer"),
        ("dsl.reverse", "no-data"),
    ]


def test_compare_warns_at_later_points_of_a_sweep(capsys: pytest.CaptureFixture[str]) -> None:
    document = read_document(str(ROOT / "scenarios" / "standard.toml"))
    plan = ComparisonPlan.resolve_cases(
        document, ["codel", "wred"], {"links.bottleneck.rate": ["10Mbit", "500kbit", "100kbit"]}
    )
    warnings = compare_warnings(plan)
    assert [(warning["scheme"], warning["name"]) for warning in warnings] == [("codel", "low-target")]
    assert warnings[0]["point"] == "bottleneck.rate = 500kbit"
    assert "[bottleneck.rate = 500kbit]" in capsys.readouterr().err


def test_losses_of_other_words_are_not_silent(capsys: pytest.CaptureFixture[str]) -> None:
    """A delay of a pipe of dummynet is not of its queue."""
    words = "dummynet: pipe 1 config bw 10Mbit/s delay 10ms queue 50"
    base = ps.dumbbell(rate="10Mbit", rtt="40ms", duration="1s", traffic=ps.Tcp(), queue=ps.DropTail(limit="100p"))
    warnings = compare_warnings(ComparisonPlan.resolve_cases(base, [words]))
    assert [warning["name"] for warning in warnings] == ["not-converted"]
    assert "pipe 1 delay 10ms" in warnings[0]["says"]
    assert "pipe 1 delay 10ms" in capsys.readouterr().err
    assert [warning.name for warning in SchemeOnLink.from_document(words, base.document(), None).warnings] == [
        "not-converted"
    ]


def test_a_run_warns_as_a_comparison_does(tmp_path: Path) -> None:
    traffic = ps.Tcp(profile="ns2", window=2)
    ps.dumbbell(rate="100Mbit", rtt="20ms", duration="2s", traffic=traffic).save(tmp_path / "idle.toml")
    texts = []
    for verb in (["run"], ["compare", "--scheme", "droptail", "--runs", "1"]):
        command = [sys.executable, "-m", "penstock", verb[0], "idle.toml", *verb[1:]]
        process = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        lines = process.stderr.splitlines()
        texts.append([line.partition("bottleneck: ")[2] for line in lines if line.startswith("warning: ")])
    assert texts[0] == texts[1]
    assert any("windows of 2 packets" in text for text in texts[0])
