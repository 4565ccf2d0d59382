"""What the experiments on questions that the works leave open are built of."""

from __future__ import annotations

from dataclasses import replace

import penstock as ps
import pytest
from penstock.papers.alemu_2004.fec_switch import FecSwitch, modelled_loss_thresholds
from penstock.papers.alemu_2004.setup import fec_scenario
from penstock.papers.chung_claypool_2003 import open_mixed


def behind(queue: ps.Queue, flows: int, warmup: str = "0s") -> ps.Run:
    """Chapter 5's link with another queue, for 20 s."""
    base = fec_scenario("DT", flows, 16, 1)
    link = replace(base.links["bottleneck"], queue=queue)
    return ps.run(replace(base, links={**base.links, "bottleneck": link}, duration="20s", warmup=warmup), seed=3)


def test_a_switch_that_stays_red_is_red_packet_by_packet() -> None:
    own = behind(FecSwitch(limit="35p", droptail_above_loss=1.0, red_below_loss=0.0), 60)
    red = ps.run(replace(fec_scenario("automatic RED", 60, 16, 1), duration="20s"), seed=3)
    names = ("arrivals", "drops_early", "drops_overflow", "length_mean_pkts", "average_mean_pkts")
    assert [own.links["bottleneck"][name] for name in names] == [red.links["bottleneck"][name] for name in names]
    assert own.traffic["fec"].plr_after == red.traffic["fec"].plr_after


def test_a_switch_that_left_red_drops_only_what_finds_no_room() -> None:
    never_back = FecSwitch(limit="35p", droptail_above_loss=0.0, red_below_loss=0.0, window="5s")
    link = behind(never_back, 60, warmup="6s").links["bottleneck"]
    assert link.drops_early == link.drops_forced == 0
    assert link.drops_overflow > 0


def test_the_switch_holds_what_every_aqm_must() -> None:
    ps.testing.conformance(FecSwitch)


def test_the_bounds_of_the_switch_leave_both_queues_alike() -> None:
    for k, h in ((16, 1), (16, 2), (16, 4), (8, 2)):
        red, tail = modelled_loss_thresholds(k, h)
        after = (
            ps.model.LossBatches((0.9, 0.1)).residual_loss(red, k, h),
            ps.model.LossBatches((0.6, 0.4)).residual_loss(tail, k, h),
        )
        assert after[0] == pytest.approx(after[1], rel=0.03)


def test_the_aqm_of_both_kinds_is_that_of_each_where_there_is_no_other() -> None:
    dropped = open_mixed.DROPPED[""]
    assert open_mixed.law_queue(100, 100, 0.05, 200, dropped) == pytest.approx(open_mixed.MARKED.queue(100, 0.05))
    assert open_mixed.law_queue(100, 0, 0.05, 200, dropped) == pytest.approx(dropped.queue(100, 0.05))
