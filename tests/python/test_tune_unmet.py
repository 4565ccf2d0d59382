"""The conclusion of `penstock tune` if no setting meets the aims."""

from __future__ import annotations

import dataclasses

import numpy as np
import penstock as ps
import pyarrow as pa
import pytest
from penstock.scenario.loaded_link import LoadedLink
from penstock.tuning.aim import Aim, parse_aims
from penstock.tuning.bench import MeasuredSetting, Setting, TuningBench
from penstock.tuning.population import NetworkDraw, Population
from penstock.tuning.unmet import UNLIMITED, measure_unlimited_queue, unmet_text

PLACES = {"links": ["bottleneck"], "traffic": ["bulk"], "dscp": []}
AIMS = parse_aims(["delay p99 < 20ms", "utilization > 95%"], PLACES)


def measured(label: str, delay: float, used: float) -> MeasuredSetting:
    table = pa.table({"links.bottleneck.delay_p99_s": [delay] * 3, "links.bottleneck.utilization": [used] * 3})
    return MeasuredSetting(Setting(label), table, np.zeros(3))


def met_aims(label: str, delay: float, used: float) -> tuple[MeasuredSetting, dict[str, bool | None]]:
    return measured(label, delay, used), {AIMS[0].text: delay < 0.02, AIMS[1].text: used > 0.95}


@pytest.mark.parametrize(
    ("confirmed", "unlimited_queue", "sentences"),
    [
        (
            [met_aims("droptail", 0.0436, 0.668), met_aims("red", 0.0072, 0.529), met_aims("pie", 0.09, 0.734)],
            measured("droptail", 0.48, 0.817),
            "No acceptable setting meets utilization > 95% (pie comes closest, on 0 of 3 networks; its mean is "
            "73.4 %). An unlimited queue, which drops nothing, reaches 81.7 %: the load leaves the link idle, and no "
            "queue changes that. red meets delay p99 < 20ms, but misses utilization > 95% (52.9 %). droptail comes "
            "closest.",
        ),
        (
            [met_aims("droptail", 0.0436, 0.668), met_aims("red", 0.03, 0.529)],
            measured("droptail", 3.01, 0.99),
            "No acceptable setting meets delay p99 < 20ms (red comes closest, on 0 of 3 networks; its mean is 30.0 ms) "
            "or utilization > 95% (droptail comes closest, on 0 of 3 networks; its mean is 66.8 %). An unlimited "
            "queue, which drops nothing, would meet utilization > 95%, but the 99th percentile of its delay is 3.01 "
            "s: losses hold the flows back, and there are too few flows to fill the link. droptail comes closest.",
        ),
        (
            [met_aims("pie", 0.03, 0.97), met_aims("red", 0.01, 0.9)],
            None,
            "No acceptable setting meets delay p99 < 20ms and utilization > 95% together. red meets delay p99 < "
            "20ms, but misses utilization > 95% (90.0 %). pie comes closest.",
        ),
    ],
    ids=["idle load", "losses", "one or the other"],
)
def test_the_conclusion_names_the_unmet_aim_its_cause_and_alternatives(
    confirmed: list[tuple[MeasuredSetting, dict[str, bool | None]]],
    unlimited_queue: MeasuredSetting | None,
    sentences: str,
) -> None:
    assert unmet_text(AIMS, "bottleneck", confirmed, unlimited_queue) == sentences


@pytest.mark.parametrize("aims", [AIMS, AIMS[:1]], ids=["two aims", "one aim"])
def test_a_setting_that_was_not_requested_and_meets_all_aims_is_not_denied(aims: list[Aim]) -> None:
    red, (codel, met) = met_aims("red", 0.03, 0.9), met_aims("fq-codel", 0.01, 0.97)
    reference = dataclasses.replace(codel, setting=dataclasses.replace(codel.setting, origin="reference"))
    confirmed = [(each, {aim.text: its[aim.text] for aim in aims}) for each, its in (red, (reference, met))]
    barred = {"wred": ["loses 9 % of the packets"]}
    which = "delay p99 < 20ms and utilization > 95% together" if len(aims) > 1 else "delay p99 < 20ms"
    assert unmet_text(aims, "bottleneck", confirmed, None, barred) == (
        f"No acceptable setting of the requested schemes meets {which}; fq-codel, which was not requested, does. "
        "wred meets the aims, but is not acceptable: loses 9 % of the packets. Of the requested schemes, red comes "
        "closest."
    )


def bench(rate: str) -> TuningBench:
    """A link of this rate with two datagram sources of 1 Mbit/s in total."""
    scenario = ps.dumbbell(
        rate=rate,
        rtt="40ms",
        duration="2s",
        queue=ps.Red(limit="100p"),
        traffic={"bulk": ps.Cbr(rate="500kbit", packet="500B", count=2)},
    )
    document = scenario.document()
    link = LoadedLink.from_scenario(document.resolve(), "bottleneck")
    return TuningBench(Population(document, ["bottleneck"], 1), [link], AIMS)


DRAWS = [NetworkDraw(number, number) for number in range(3)]


def test_an_unlimited_queue_shows_the_utilization_that_the_load_allows() -> None:
    """1 Mbit/s of datagrams fills half of 2 Mbit/s, whatever the queue."""
    measured = measure_unlimited_queue(bench("2Mbit"), [met_aims("red", 0.01, 0.5)], DRAWS)
    assert measured is not None
    assert measured.setting == UNLIMITED
    assert measured.summary("bottleneck", "utilization").mean == pytest.approx(0.5, abs=0.06)
    assert (
        measure_unlimited_queue(bench("2Mbit"), [met_aims("red", 0.01, 0.5), met_aims("pie", 0.1, 0.97)], DRAWS) is None
    )


def test_an_aim_of_a_group_that_an_unlimited_queue_misses_does_not_blame_the_load() -> None:
    def goodput(label: str, mean: float) -> MeasuredSetting:
        return MeasuredSetting(Setting(label), pa.table({"traffic.calls.goodput_bps": [mean] * 3}), np.zeros(3))

    (aim,) = parse_aims(["calls.goodput > 1Mbit"], {**PLACES, "traffic": ["calls"]})
    text = unmet_text([aim], "bottleneck", [(goodput("red", 4e5), {aim.text: False})], goodput("droptail", 5e5))
    assert "reaches 500 kbit/s: other traffic may take the link; try fair queueing or classes." in text
