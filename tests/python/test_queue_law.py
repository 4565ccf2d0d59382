"""The queue law against the simulation: the page's data, the work's claims on them, and some cells measured again."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

import numpy as np
import penstock as ps
import pytest


@pytest.fixture
def law() -> ModuleType:
    return importlib.import_module("queue_law")


@pytest.fixture
def page(law: ModuleType) -> ModuleType:
    return importlib.import_module("queue_law_page")


@pytest.fixture
def results(law: ModuleType) -> Any:
    return law.Results.load()


@pytest.mark.parametrize(("flows", "p"), [(100, 0.01), (100, 0.02), (200, 0.02), (300, 0.02)])
def test_marks_are_within_six_per_cent(law: ModuleType, results: Any, flows: int, p: float) -> None:
    """Measured now, with the least of the seeds, and not far from the page's."""
    cell = law.Cell("mark", flows, p)
    scenario = ps.Scenario.from_tree(cell.scenario())
    queue = ps.run(scenario, seed=law.SEEDS[0]).links["bottleneck"].length_mean_pkts
    # equation 2, with the window of the work written out again
    window_at_loss = 1 + np.sqrt(8 * (1 - p) / (3 * p) + 1)
    window = ((1 - p) / p + window_at_loss) / (window_at_loss / 2 + 1)
    assert queue == pytest.approx(flows * window - 0.08 * 20e6 / 8320, rel=0.06)
    assert queue == pytest.approx(results.of("mark", flows, p).queue, rel=0.03)


def test_the_page_is_current(law: ModuleType, page: ModuleType, results: Any) -> None:
    """`make queue-law` writes page and figures from the data; nothing was changed by hand."""
    assert set(results.cells) == {cell.name for cell in law.cells()}
    assert page.page(results) == law.PAGE.read_text(encoding="utf-8")


def test_marks_of_all_cells(law: ModuleType, results: Any) -> None:
    small = [results.of("mark", n, p).deviation for n in law.LOADS for p in law.PS if p <= 0.02]
    assert max(map(abs, small)) < 0.06


def test_the_parts_sum_to_the_deviation(law: ModuleType, results: Any) -> None:
    for signal, p in (("mark", 0.1), ("drop", 0.02), ("drop", 0.1)):
        point = results.of(signal, 300, p)
        assert 300 * sum(point.parts()) == pytest.approx(point.queue - point.law, rel=1e-9)
    # -1/2 for the fraction, +1/4 while the halved window drains
    for n in law.LOADS:
        assert results.of("mark", n, 0.005).parts()[2] == pytest.approx(-0.25, rel=0.1)


def test_the_claims_of_the_work(law: ModuleType, page: ModuleType, results: Any) -> None:
    for n in law.LOADS:
        # c02: drops deviate more than marks, and the more the larger p is, while the link is busy
        marks, drops = ([abs(results.of(s, n, p).deviation) for p in law.PS] for s in ("mark", "drop"))
        busy = [i for i, p in enumerate(law.PS) if p >= 0.01 and results.of("drop", n, p).busy]
        assert all(drops[i] > marks[i] for i in busy)
        assert np.all(np.diff([drops[i] for i in busy]) > 0)
        # c10: at small p both have the same queue, at large p marks have more
        small, large = (results.of("drop", n, p).queue / results.of("mark", n, p).queue for p in (0.01, 0.1))
        assert small == pytest.approx(1, abs=0.07)
        assert large < 0.9
    for p in law.LINEAR:
        for name, (xs, points) in page.swept(results, p).items():
            # c03 to c05: straight lines; N W/(1 + p) within the law's own deviation, -SR within 15 %, -RTLD
            rise, fit = page.slope(xs, [f.queue for f in points])
            expected = {"N": points[0].cell.law().window(p) / (1 + p), "RTLD": -20e6 / 8320, "SR": -0.08}[name]
            assert fit > 0.99
            assert rise == pytest.approx(expected, rel=0.15)
    # c06: one window for one p
    assert page.spread(results) < 0.15
    # c07: a limit flattens it
    ratios = [
        page.implied(results.of("drop", n, 0.005, window=w)) / page.implied(results.of("drop", n, 0.1, window=w))
        for n, w in law.LIMITED
    ]
    assert ratios == sorted(ratios, reverse=True)
    # c09: about twice the probability to hold 3000 packets
    assert 1.6 < page.needed(results, 1300, 6, 3000) / page.needed(results, 700, 12, 3000) < 2.6


def test_ns2_deviates_likewise(law: ModuleType, page: ModuleType, results: Any) -> None:
    """The same cells of ns-2.35, one run of 100 s each: within 5 %, or some packets where little is left."""
    for n in (100, 300):
        for signal in ("mark", "drop"):
            for p, queue in page.ns2_cells(n, signal, 0.2):
                assert results.of(signal, n, p).queue == pytest.approx(queue, rel=0.05, abs=20 if p >= 0.2 else 10)
