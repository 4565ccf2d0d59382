"""Numbers written down before there is a table: the comparison is the claim on every cell that is left open."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import penstock as ps
import pytest
from penstock.errors import PenstockError
from penstock.reproduce import points, why
from penstock.reproduce.effort import QuickOrFull, ReproductionEffort, Sweep
from penstock.reproduce.figure import (
    Claim,
    Readings,
    above,
    at_least,
    at_least_share,
    at_most,
    below,
    claims_if_measured,
    claims_under_reading,
    every,
    formula,
    function_per_run,
    join_parts,
    largest,
    mean,
    metric,
    r_squared,
    slope,
    some,
    spread,
    where_least,
    within,
)
from penstock.results.condition import all_of
from penstock.results.sample import RunSample
from penstock.results.summary_table import SummaryPoint, SummaryTable
from penstock.results.table import Table

SCHEMES, BUFFERS = ["RED", "Blue", "DRR"], [100, 200, 400]
GOODPUT = {"RED": 10.0, "Blue": 20.0, "DRR": 30.0}


def sample(value: float) -> RunSample:
    return RunSample([value] * 5)


TABLE = Table(
    [
        ({"scheme": scheme, "buffer": buffer}, {"goodput": sample(GOODPUT[scheme] + buffer / 100)})
        for scheme, buffer in itertools.product(SCHEMES, BUFFERS)
    ]
)
g = metric("goodput", "%")


def why_of(statement: Any) -> str:
    return str(statement.on_table(TABLE).decide().why)


@pytest.mark.parametrize(
    ("statement", "text", "reason"),
    [
        (g(scheme="RED", buffer=100) >= 11, "goodput (RED, buffer = 100) >= 11 %", "11, required >= 11"),
        (g(scheme="RED") > 5, "goodput (RED) > 5 %", "3 of 3 confirmed; buffer = 100: 11, required > 5"),
        (
            g(scheme=["Blue", "RED"], buffer=above(100)) < 20,
            "goodput (Blue, RED, buffer > 100) < 20 %",
            "2 of 4 confirmed; Blue, buffer = 400: 24, required < 20",
        ),
        (
            (g(scheme="DRR") > g(scheme=["RED", "Blue"]))(buffer=within(100, 200)),
            "buffer from 100 to 200: goodput (DRR) > goodput (RED, Blue)",
            "4 of 4 confirmed; buffer = 200, Blue: 32 > 22? difference 10",
        ),
        (
            (g(scheme="DRR") / g(scheme="RED")).between(1, 2.6)(buffer=at_least(400)),
            "buffer >= 400: goodput (DRR) / goodput (RED) is between 1 and 2.6",
            "2.429, required 1 to 2.6",
        ),
        (
            g(scheme="Blue", buffer=at_most(200)).matches_printed(21, share=0.01),
            "goodput (Blue, buffer <= 200) is 21 (20.79 to 21.21) %",
            "1 of 2 confirmed; buffer = 200: 22, printed 21 (20.79 to 21.21)",
        ),
        (
            every(g <= 40, g(scheme="RED") >= 12)(buffer=below(200)),
            "buffer < 200: goodput <= 40 %; goodput (RED) >= 12 %",
            "3 of 4 confirmed; goodput (RED): 11, required >= 12",
        ),
        (
            g.along("buffer", spread)(scheme="RED") <= 3,
            "(spread over buffer of goodput at RED) <= 3 %",
            "3, required <= 3",
        ),
        (
            g.along("scheme", mean)(buffer=100) <= 21,
            "(mean over scheme of goodput at buffer = 100) <= 21 %",
            "21, required <= 21",
        ),
        (
            g.along("scheme", largest)(scheme=["RED", "Blue"], buffer=100) <= 20,
            "(largest over scheme of goodput at RED, Blue, buffer = 100) <= 20 %",
            "21, required <= 20",
        ),
        (
            g.along("buffer", slope)(scheme="RED").matches_printed(0.01, share=0.001),
            "(slope over buffer of goodput at RED) is 0.01 (0.00999 to 0.01001) %",
            "0.01, printed 0.01 (0.00999 to 0.01001)",
        ),
        (
            g.along("buffer", where_least, unit="packets")(scheme="RED") <= 100,
            "(where least over buffer of goodput at RED) <= 100 packets",
            "100, required <= 100",
        ),
        (
            ((g / 2)(scheme="RED") <= g(scheme="Blue") / 2)(buffer=100),
            "buffer = 100: (goodput / 2 at RED) <= goodput (Blue) / 2",
            "5.5 <= 10.5? difference -5",
        ),
        (
            g(scheme="RED").at_next_value("buffer") > g(scheme="RED"),
            "goodput (RED) at the next buffer > goodput (RED)",
            "2 of 2 confirmed; buffer = 100: 12 > 11? difference 1",
        ),
        (
            abs(g(scheme="RED") - formula(lambda buffer: 10 + buffer / 100, "the AQM")) <= 0,
            "|goodput (RED) - the AQM| <= 0",
            "3 of 3 confirmed; buffer = 100: 0, required <= 0",
        ),
    ],
)
def test_a_comparison_is_a_statement_on_every_cell_left_open(statement: Any, text: str, reason: str) -> None:
    assert statement.text == text
    assert why_of(statement) == reason


def test_a_line_explains_the_part_of_the_variance_that_is_linear() -> None:
    assert r_squared({1: sample(1.0), 2: sample(2.0), 3: sample(3.0)}).mean == pytest.approx(1)
    assert r_squared({1: sample(1.0), 2: sample(2.0), 3: sample(1.0)}).mean == pytest.approx(0)


def test_parts_are_joined_by_all_by_some_or_by_most() -> None:
    low = g < 21.5
    assert why_of(low) == "4 of 9 confirmed; DRR, buffer = 400: 34, required < 21.5"
    assert (
        some(low, "buffer")
        .on_table(TABLE)
        .decide()
        .why.startswith("2 of 3 confirmed; DRR: 0 of 3 confirmed, 1 required; ")
    )
    doubled = function_per_run(lambda x: 2 * x, g, text="twice {}")
    lower = every(g(buffer=200) < 5, doubled(buffer=200) < 5)(scheme="RED")
    assert why_of(some(lower)) == "0 of 2 confirmed, 1 required; (twice goodput at buffer = 200): 24, required < 5"
    assert at_least_share(0.4, low).on_table(TABLE).decide().verdict == "confirmed"
    assert at_least_share(0.5, low).on_table(TABLE).decide().verdict == "contradicted"
    assert (
        join_parts(all_of, low, "buffer")
        .on_table(TABLE)
        .decide()
        .why.startswith("1 of 3 confirmed; DRR: 0 of 3 confirmed; ")
    )


def test_a_statement_holds_only_where_a_number_fulfils_something() -> None:
    assert why_of((g > 21).only_where(g, lambda value: value.mean > 21)(scheme="Blue")) == (
        "2 of 2 confirmed; buffer = 200: 22, required > 21"
    )
    with pytest.raises(ValueError, match="no cell is left"):
        why_of((g > 21).only_where(g, lambda value: False))
    with pytest.raises(ValueError, match="which scheme"):
        why_of((g(scheme="RED") > 21).only_where(g, lambda value: True))


def test_lists_that_differ_are_combined_and_equal_ones_move_together() -> None:
    first, second = ["RED", "Blue"], ["Blue", "DRR"]
    assert why_of(g(scheme=second, buffer=100) > g(scheme=first, buffer=100)).startswith("3 of 4 confirmed; ")
    assert why_of(g(scheme=first, buffer=100) >= g(scheme=first, buffer=100)).startswith("2 of 2 confirmed; ")
    assert why_of((g(scheme=first) >= g)(buffer=100)).startswith(
        "2 of 2 confirmed; "
    )  # what is left open follows the list
    with pytest.raises(ValueError, match="give it to each number"):
        why_of(g(scheme=first) + g(scheme=second) > g)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        (g(scheme="BLUE") > 1, "no cell has"),
        (g(scheme=["RED", "BLUE"]) > 1, "no cell has scheme BLUE"),
        (g(buffer=above(400)) > 1, "no cell has"),
        (metric("loss") > 1, "no loss was measured; available: goodput"),
    ],
)
def test_what_is_not_in_the_table_is_told(statement: Any, message: str) -> None:
    with pytest.raises(KeyError, match=message):
        why_of(statement)


def test_readings_are_claims_of_their_own_and_the_first_one_counts() -> None:
    scheme = Readings({"RED": "", "Blue": "the other one", "absent": "not run"})
    claim = Claim("c1", "says", g(scheme=scheme) > 15, must_hold=True, reason_text="reason", others={"wide": g > 0})
    claims = {reading.reading: reading for reading in claim.on_table(TABLE)}
    assert list(claims) == ["", "the other one", "wide"]
    assert [reading.must_hold for reading in claims.values()] == [True, False, False]
    assert [reading.expected for reading in claims.values()] == [
        "goodput (RED) > 15 %",
        "goodput (Blue) > 15 %",
        "goodput > 0 %",
    ]
    assert [reading.reason_text for reading in claims.values()] == ["reason", "", ""]
    (own,) = Claim("c1", "says", g > 5, must_hold=True, reading="no claim of the work").on_table(TABLE)
    assert own.must_hold  # it says so itself
    (again,) = claims_under_reading(
        "again", [Claim("c1", "says", g > 5, must_hold=True, reason_text="reason")], scheme="RED"
    )
    (only,) = again.on_table(TABLE)
    assert (only.reading, only.must_hold, only.reason_text) == ("again", False, "")
    assert [reading.reading for reading in claim.with_reading_replaced(scheme, "DRR").on_table(TABLE)] == ["", "wide"]


def test_a_claim_that_needs_more_than_the_table_has_is_left_out() -> None:
    claims = claims_if_measured({"buffer": 400}, Claim("c1", "says", g > 5))
    assert [reading.id for reading in claims[0].on_table(TABLE)] == ["c1"]
    assert list(claims[0].on_table(TABLE.where(buffer=100))) == []


def _link(flows: int, duration: str = "1s") -> ps.Scenario:
    queue, traffic = ps.DropTail(limit="5p"), {"x": ps.Tcp(count=flows)}
    return ps.dumbbell(rate="1Mbit", rtt="20ms", duration=duration, queue=queue, traffic=traffic)


def test_a_sweep_is_a_study_for_each_effort() -> None:
    sweep = Sweep(
        _link, {"flows": QuickOrFull([1], [1, 2])}, seeds=QuickOrFull(2, 7), span=("3s", "1s"), labels={"a": 1}
    )
    both = sweep + Sweep(_link, {"flows": [3]}, only_full=True)
    quick, full = both(ReproductionEffort("quick")), both(ReproductionEffort("full"))
    assert [(labels, part.seeds) for labels, _, part in quick.cells()] == [({"flows": 1, "a": 1}, 2)]
    assert [labels["flows"] for labels, _, _ in full.cells()] == [1, 2, 3]
    scenarios = [scenario for _, scenario, _ in full.cells()]
    assert [scenario.duration for scenario in scenarios if isinstance(scenario, ps.Scenario)] == ["3s", "3s", "1s"]


def test_a_first_pass_gives_what_the_scenarios_need() -> None:
    sweep = Sweep(lambda flows, rate: _link(flows[rate]), {"rate": [1, 2]}, first_pass=lambda effort: {1: 10, 2: 20})
    scenarios = [scenario for _, scenario, _ in sweep(ReproductionEffort("quick")).cells()]
    assert [of_cell.traffic["x"].count for of_cell in scenarios if isinstance(of_cell, ps.Scenario)] == [10, 20]


def test_reasons_are_filled_in_from_the_record(tmp_path: Path) -> None:
    cells: Any = [
        ({"scheme": s, "n": n}, {"q": SummaryPoint(q, None)})
        for s, n, q in (("A", 1, 2.0), ("A", 2, 3.0), ("B", 2, 4.0))
    ]
    points.write_points(tmp_path / "points.parquet", {"fig1": SummaryTable(cells)})
    record = {
        "experiments": [{"id": "fig1", "claims": [{"id": "c2", "measured": 0.25, "why": "3 of 4 confirmed; x: 1"}]}]
    }
    (tmp_path / "why.toml").write_text(
        """
[c1]
because = "A has {own}, {share} of B's and {less} less; {held} hold, {number} at least; with {change}"
own = { in = "fig1", of = "q", scheme = "A" }
share = { in = "fig1", of = "q", scheme = "A", n = { min = 2 }, over = { scheme = "B" } }
less = { in = "fig1", of = "q", scheme = "B", minus = { scheme = "A" }, show = ".3f" }
held = { claim = "c2", of = "held" }
number = { claim = "c2", of = "measured" }
change = ["x", "y"]
""",
        encoding="utf-8",
    )
    expected = "A has 2 to 3, 0.75 of B's and 1.000 less; 3 of 4 hold, 0.25 at least; with x, y"
    assert why.read_reasons(tmp_path, record) == {"c1": why.Reason(expected, "after")}
    for unrecorded in ('{ in = "fig2", of = "q" }', '{ claim = "c3", of = "held" }'):
        (tmp_path / "why.toml").write_text(f'[c1]\nbecause = "{{x}}"\nx = {unrecorded}\n', encoding="utf-8")
        assert why.read_reasons(tmp_path, record)["c1"].text == why.UNKNOWN
    for wrong in (
        '{ in = "fig1", of = "p" }',
        '{ in = "fig1", of = "q", scheme = "C" }',
        '{ claim = "c2", reading = "other", of = "held" }',
        '{ of = "q" }',
    ):
        (tmp_path / "why.toml").write_text(f'[c1]\nbecause = "{{x}}"\nx = {wrong}\n', encoding="utf-8")
        with pytest.raises(PenstockError, match=r"why.toml: c1: \{x\} is not in the record"):
            why.read_reasons(tmp_path, record)
    assert why.read_reasons(tmp_path / "none", record) == {}
