"""`penstock explain --count`: a control function over the queue law, against the operating points of the work."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from penstock import model
from penstock.aqms.catalog import schemes
from penstock.cli.app import app
from penstock.errors import PenstockError
from penstock.explain import explanation
from penstock.explain.text import terminal_curves
from penstock.model import operating_point
from penstock.model.stability import SHARES
from typer.testing import CliRunner

PAPER = "red:min_th=100,max_th=300,max_p=0.1,spacing=none"
"""The work draws p_b, which is the share that is dropped with this spacing only."""


def prepared_with_operating(
    scheme: str, flows: str = "50..400", limit: str = "500p"
) -> tuple[explanation.Explanation, operating_point.OperatingCurve]:
    prepared = explanation.prepare_explanation(scheme, "20Mbit", "80ms", flows, limit)
    over = prepared.operating_curve()
    assert over is not None
    return prepared, over


@pytest.mark.parametrize(
    ("more", "flows", "queue", "probability", "stable"),
    [
        ("", 100, 216, 0.058, True), ("", 150, 276, 0.088, True), ("", 250, 300, 0.160, False),
        (",ecn=true", 50, 157, 0.028, True), (",ecn=true", 100, 244, 0.072, True),
        (",ecn=true", 150, 300, 0.126, False),
    ],
)  # fmt: skip
def test_red_settles_where_the_work_says(more: str, flows: int, queue: float, probability: float, stable: bool) -> None:
    point = prepared_with_operating(PAPER + more)[1].point(flows)
    assert point.queue is not None
    assert point.probability is not None
    assert (round(point.queue), round(point.probability, 3), point.is_stable) == (queue, probability, stable)


@pytest.mark.parametrize("gentle", ["", ",gentle=true"])
def test_the_largest_number_of_flows_is_the_last_stable_one(gentle: str) -> None:
    # the paper: 150 flows are stable by drops and 200 are not; by marks 100 are stable and 150 are not
    for more, most in (("", 171), (",ecn=true", 133)):
        explanation, over = prepared_with_operating(PAPER + gentle + more)
        assert explanation.largest_flows(over) == {"drop": 171, "mark": 133}
        assert over.end == pytest.approx(300)
        assert [over.point(flows).is_stable for flows in (most, most + 1)] == [True, False]


def test_why_a_point_is_not_stable() -> None:
    assert prepared_with_operating(PAPER)[1].point(300).why == "swings across the jump"
    assert prepared_with_operating(PAPER + ",gentle=true")[1].point(300).why == "past the stable part"
    assert prepared_with_operating("bernoulli:p=0.1")[1].point(400) == operating_point.OperatingPoint(
        400, None, None, False, "fills the buffer"
    )
    assert prepared_with_operating("bernoulli:p=0.1")[1].point(50) == operating_point.OperatingPoint(
        50, 0.0, 0.1, False, "leaves the link idle"
    )
    assert prepared_with_operating("sred", limit="600p")[1].point(120).why == "swings across the jump"


def test_laws_that_move_max_p_are_drawn_at_its_highest() -> None:
    explanation, over = prepared_with_operating("ared-floyd:min_th=100,max_th=300,spacing=none")
    assert over.largest_adapted_max_p == 0.5
    assert over.control(200) == pytest.approx(0.25)
    # 400 flows need 0.279 at 200 packets, midway between the thresholds
    point = over.point(400)
    assert point.is_stable
    assert point.queue == pytest.approx(210.5, abs=0.5)
    assert "highest" in " ".join(explanation.text(100).split())


@pytest.mark.parametrize("spacing", ["wait", "count", "once", "section4", "no_wait"])
def test_the_share_that_is_dropped_meets_the_queue_law(spacing: str) -> None:
    explanation, over = prepared_with_operating(PAPER.replace("none", spacing))
    # one over the mean of the gaps, written out, for p_b = 1/10 just below max_th
    spaced = {"wait": range(10, 20), "count": range(1, 11), "section4": range(1, 10)}
    gaps = spaced[{"once": "count", "no_wait": "section4"}.get(spacing, spacing)]
    share = len(gaps) / sum(gaps)
    assert over.control(300 - 1e-9) == pytest.approx(share)
    if spacing in {"wait", "count"}:
        for p_b in (1 / 4, 1 / 20, 1 / 500):
            exact = float(model.red_drop_share(p_b, spacing=spacing))  # type: ignore[arg-type]
            assert SHARES[spacing](p_b) == pytest.approx(exact)
    assert over.end == pytest.approx(300)
    assert over.largest_flows() == int(over.law.flows(300, share))
    assert explanation.as_json()["queue_law"]["spacing"] == spacing


def test_the_size_of_packets_makes_the_service_rate() -> None:
    _, over = prepared_with_operating("red:mean_packet=500B", limit="100kB")
    assert over.law.service_rate == 5000
    assert over.limit == 200


@pytest.mark.parametrize("scheme", [scheme.name for scheme in schemes()])
def test_every_scheme_has_a_queue_law_or_says_that_it_has_none(scheme: str) -> None:
    prepared = explanation.prepare_explanation(scheme, "10Mbit", "100ms", "16", "100p")
    text = prepared.text(100)
    assert "Queue law\n---------\n" in text
    none = f"{scheme} has no drop probability over the mean queue"
    assert (none in text) == (prepared.operating_curve() is None)


def test_a_narrow_terminal_and_marks_that_meet() -> None:
    assert max(map(len, prepared_with_operating(PAPER)[0].text(80).splitlines())) <= 80
    plot = terminal_curves(
        [([0, 10], [0, 1])], [(5, 0.5, "●20"), (5, 0.5, "●30"), (6, 0.5, "○9"), (10, 1, "○40")], 1, 20, 4
    )
    assert plot.count("●") == 1
    assert "●20" in plot
    assert "○9" not in plot
    assert plot.splitlines()[0].endswith("○40")


@pytest.mark.parametrize(
    ("scheme", "flows", "most"),
    [
        ("bernoulli:p=0", "3..9", 0), ("bernoulli:p=0.7", "3..9", 0), ("rio:spacing=none", "99999999999", 187),
        ("p", "1000000", 1564),
    ],
)  # fmt: skip
def test_configurations_that_hold_nobody_and_crowds_are_told_too(scheme: str, flows: str, most: int) -> None:
    explanation, over = prepared_with_operating(scheme, flows)
    assert not any(point.is_stable for point in explanation.operating_points(over))
    # p reaches 0.5 at 55 packets, where the law gives 1564.4 flows
    assert explanation.largest_flows(over)["drop"] == most
    assert "Queue law" in explanation.text(100)
    assert explanation.figure() is not None


def test_rows_of_flows() -> None:
    assert operating_point.flow_counts(50, 400) == [50, 100, 150, 200, 250, 300, 350, 400]
    assert operating_point.flow_counts(7, 7) == [7]
    assert operating_point.flow_counts(1, 3) == [1, 2, 3]


def test_json_and_figure_say_the_same(tmp_path: Path) -> None:
    svg, file = tmp_path / "law.svg", tmp_path / "law.json"
    call = ["explain", PAPER, "--rate", "20Mbit", "--rtt", "80ms", "--limit", "500p", "--count", "50..400"]
    result = CliRunner().invoke(app, [*call, "--figure", str(svg), "--json", str(file)])
    assert result.exit_code == 0
    assert "the most flows that it holds: 171 by drops and 133 by marks" in " ".join(result.output.split())
    document = json.loads(file.read_text())
    assert document["scheme"]["name"] == "red"
    assert document["queue"]["max_th"] == "300p"
    law = document["queue_law"]
    assert law["largest_flows"] == {"drop": 171, "mark": 133}
    assert [point["flows"] for point in law["points"] if point["stable"]] == [50, 100, 150]
    assert max(document["drop_function"]["probability"]) == 1
    assert ET.parse(svg).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    alone = CliRunner().invoke(app, ["explain", "codel", "--json", "-"])
    assert set(json.loads(alone.output)) == {"scheme", "queue", "link"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["red", "--count", "400..50"], "write a number of flows such as 50, or a range such as 50..400"),
        (["red", "--count", "0"], "--count"),
        (["red", "--count", "50", "--limit", "inf"], "--limit inf: the queue law is drawn up to the limit"),
        (["red", "--count", "50", "--json", "/proc/none/x"], "--json /proc/none/x: there is no folder /proc/none"),
        (["red", "--count", "50", "--json", "/proc/x"], "--json /proc/x: cannot be written"),
        (["red:min_th=30", "--count", "50"], "min_th"),
        (["red", "--rate", "1e15bit", "--rtt", "1e9s"], "must not be above the limit of the queue"),
    ],
)
def test_what_cannot_be_is_told_at_once(options: list[str], words: str) -> None:
    result = CliRunner().invoke(app, ["explain", *options])
    assert result.exit_code == 2
    assert words in result.output
    assert "Traceback" not in result.output


def test_without_a_limit_there_is_no_picture() -> None:
    with pytest.raises(PenstockError, match="--limit inf"):
        prepared_with_operating(PAPER, limit="inf")
