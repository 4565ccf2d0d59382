"""Every scheme is explained, and every picture is drawn."""

from __future__ import annotations

import importlib
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import penstock as ps
import pytest
from penstock import _native
from penstock.aqms.catalog import schemes
from penstock.explain import explanation, standard_case
from penstock.explain.text import lane_plot
from penstock.plots import response, save, service_order

ROOT = Path(__file__).resolve().parents[2]
NAMES = [scheme.name for scheme in schemes()]


def prepared(name: str) -> explanation.Explanation:
    return explanation.prepare_explanation(name, "10Mbit", "100ms", "16", "1BDP")


@pytest.mark.parametrize("name", NAMES)
def test_a_scheme_is_explained(name: str) -> None:
    text = prepared(name).text(100)
    for heading in ("Algorithm\n---", "Parameters\n---", "Differences\n---", "Settings\n---", "When to use it\n---"):
        assert heading in text
    for fragment in ("source", "cost", "Good at: ", "Bad at: ", "On the standard link", "Drawn for a link of 10Mbit"):
        assert fragment in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 100
    assert "│" in text or "┤" in text


@pytest.mark.parametrize("name", NAMES)
def test_its_picture_is_drawn(name: str, tmp_path: Path) -> None:
    file = tmp_path / "picture.svg"
    prepared(name).draw(file)
    assert ET.parse(file).getroot().tag == "{http://www.w3.org/2000/svg}svg"


def test_the_same_picture_has_the_same_bytes(tmp_path: Path) -> None:
    for name in ("blue", "wfq"):
        for file in ("a.svg", "b.svg"):
            prepared(name).draw(tmp_path / file)
        assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_drop_tail_answers_a_step_as_the_arithmetic_says() -> None:
    link = json.dumps({"rate": 8_000_000, "limit": {"packets": 100}})
    step = _native.step_response("droptail", "{}", link, [(0.5, 1.0), (2.0, 1.0), (0.5, 2.0)], 400)
    assert {len(values) for values in step.values()} == {400}
    at = dict(zip(step["t"], range(400), strict=True))
    # 1000 packets a second leave and 2000 come: 100 wait after 0.1 s, then every other one is lost.
    assert step["queue"][at[0.99]] == 0
    assert step["queue"][at[1.05]] == pytest.approx(50, abs=1)
    assert step["queue"][at[1.5]] == pytest.approx(100, abs=1)
    assert step["delay"][at[1.5]] == pytest.approx(0.1, rel=0.02)
    assert step["lost"][at[1.5]] == pytest.approx(0.5, abs=0.06)
    # It empties at 500 packets a second.
    assert step["queue"][at[2.1]] == pytest.approx(50, abs=2)
    assert step["queue"][at[2.3]] == 0


def test_an_aqm_shows_its_gauges_and_repeats_itself() -> None:
    link = json.dumps({"rate": 10_000_000, "limit": {"packets": 100}, "rtt_ns": 100_000_000})
    runs = [_native.step_response("pie", "{}", link, [(0.9, 1.0), (1.5, 3.0)], 100) for _ in range(2)]
    assert runs[0] == runs[1]
    assert "p" in response.changing_gauges(runs[0])


def test_service_follows_the_weights() -> None:
    classes = [{"name": f"class {w}", "match": {}, "params": {"weight": w}} for w in (3, 2, 1)]
    link = json.dumps({"rate": 8_000_000, "limit": {"packets": 1000}})
    served = _native.service_order("wf2q", json.dumps({"classes": classes}), link, [500, 500, 500], 600)
    assert [service_order.service_share(served, lane) for lane in range(3)] == pytest.approx(
        [1 / 2, 1 / 3, 1 / 6], abs=0.01
    )
    # The link is never idle, and a packet of 500 bytes takes 0.5 ms.
    assert all(start == pytest.approx(0.0005 * i) for i, (_, start, _) in enumerate(served))


def test_service_by_packets_and_by_bits() -> None:
    link = json.dumps({"rate": 8_000_000, "limit": {"packets": 1000}})
    flows = {by: _native.service_order("fq", json.dumps({"by": by}), link, [500, 1000], 90) for by in ("packet", "bit")}
    assert [service_order.service_share(flows["packet"], lane) for lane in (0, 1)] == pytest.approx(
        [1 / 3, 2 / 3], abs=0.02
    )
    assert [service_order.service_share(flows["bit"], lane) for lane in (0, 1)] == pytest.approx(
        [1 / 2, 1 / 2], abs=0.02
    )


def test_settings_that_are_refused_are_told() -> None:
    with pytest.raises(ValueError, match="target"):
        _native.step_response("codel", '{"target": true}', '{"rate": 1000000}', [(1.0, 1.0)], 10)


def test_lanes_in_a_terminal() -> None:
    plot = lane_plot([(0, 0.0, 0.001), (1, 0.001, 0.004)], ["short", "long"], 8)
    assert plot.splitlines()[:2] == ["short │██      │ 25 %", " long │  ██████│ 75 %"]


def test_the_standard_case_has_every_scheme() -> None:
    standard = standard_case.load_results()
    assert standard.measured_schemes() == NAMES
    assert standard.run_count == standard_case.RUNS
    for scheme in schemes():
        for flows in standard_case.LOADS:
            cell = standard.cell(scheme.name, flows)
            assert cell is not None
            assert {standard_case.metric_key(*metric) for metric in standard_case.METRICS} == set(cell)
            assert (standard.cell(scheme.name, flows, ecn=True) is not None) == scheme.ecn


def test_the_page_of_the_comparison_is_current() -> None:
    """`make schemes` writes page and figures from the data; nothing was changed by hand."""
    compared = importlib.import_module("compared")

    assert compared.page(standard_case.load_results()) == compared.PAGE.read_text(encoding="utf-8")
    sizes = [(compared.FIGURES / f"schemes-{name}.png").stat().st_size for name in ("loads", "ecn")]
    assert sum(sizes) < 300_000


def test_a_figure_is_not_saved_as_something_else(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is saved as"):
        save(prepared("pq").figure(), tmp_path / "picture.bmp")


def test_a_table_of_the_documentation_has_columns_in_the_terminal() -> None:
    text = explanation.prepare_explanation("cake", "10Mbit", "100ms", None, "1BDP").text(100)
    assert "|" not in text
    assert "---" not in text.split("least urgent first")[1].split("Differences")[0]
    assert '"diffserv4"                Bulk; Best Effort; Video' in text
    assert max(map(len, text.splitlines())) <= 100


def test_a_congestion_control_is_no_scheme() -> None:
    with pytest.raises(ps.PenstockError, match=r'cubic is a congestion control of TCP.* flavour = "cubic"'):
        explanation.prepare_explanation("cubic", "10Mbit", "100ms", None, "1BDP")


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("cubi", '"cubic", a congestion control of TCP?'),
        ("token-buckt", '"token-bucket", a conditioner?'),
        ("redd", '"red"?'),
    ],
)
def test_an_unknown_scheme_names_the_nearest_mechanism(name: str, near: str) -> None:
    with pytest.raises(ps.PenstockError, match=re.escape(f"unknown scheme; did you mean {near} Available: droptail,")):
        explanation.prepare_explanation(name, "10Mbit", "100ms", None, "1BDP")


@pytest.mark.parametrize("rate", ["95Mbit", "95mbit", 95e6])
def test_the_bandwidth_of_cake_is_a_rate(rate: str | float) -> None:
    value = f'"{rate}"' if isinstance(rate, str) else rate
    explanation_of_cake = explanation.prepare_explanation(f"cake:bandwidth={value}", "100Mbit", "10ms", None, "1BDP")
    assert explanation_of_cake.queue.canonical["params"]["bandwidth"] == 95_000_000


@pytest.mark.parametrize("setting", ["shaper:rate", 'ras:cir="1Mbit",pir', "cake:bandwidth"])
def test_a_bare_number_for_a_rate_of_a_scheme_is_in_bits_per_second(setting: str) -> None:
    def canonical(rate: str) -> object:
        params = explanation.prepare_explanation(f"{setting}={rate}", "100Mbit", "10ms", None, "1BDP").queue.canonical[
            "params"
        ]
        return params[setting.replace(",", ":").split(":")[-1]]

    assert canonical("2000000") == canonical("2e6") == canonical('"2Mbit"') == 2_000_000
    for wrong in ("0", "true", "inf", '"2"'):
        with pytest.raises(ps.PenstockError, match="rate"):
            canonical(wrong)
