"""BBR version 3 in whole runs: the cases of draft-ietf-ccwg-bbr-06, appendix A, and its aims (section 3.1)."""

from __future__ import annotations

import penstock as ps
import pytest

BDP = 66.7
"""Packets of 1500 bytes in 40 ms at 20 Mbit/s."""


def flow(name: str = "own", flavour: str = "bbr3", count: int = 1, start: str = "0s", more: str = "") -> str:
    return (
        f'[traffic.{name}]\nkind = "tcp"\nprofile = "linux"\nflavour = "{flavour}"\ncount = {count}\n'
        f'start = "{start}"\nfrom = "A"\nto = "B"\nwatch = true\n{more}\n'
    )


def run(
    *flows: str,
    rate: str = "20Mbit",
    limit: float = BDP,
    link: str = "",
    queue: str = 'scheme = "droptail"',
    time: tuple[int, int] = (20, 60),
) -> ps.Run:
    """Flows through one link with a round trip of 40 ms, measured between these seconds."""
    text = f'name = "bbr3"\nwarmup = "{time[0]}s"\nduration = "{time[1]}s"\n{"".join(flows)}'
    text += f'[links.link]\nfrom = "A"\nto = "B"\nrate = "{rate}"\ndelay = "20ms"\nwatch = true\n{link}\n'
    text += f'queue = {{ limit = "{round(limit)}p", {queue} }}\n'
    return ps.run(ps.Scenario.loads(text), seed=1, series=True)


def rates(result: ps.Run, name: str) -> list[tuple[float, float]]:
    """(seconds, max_bw or bw in packets per second) of the only flow."""
    sender = result.senders["own"][0]
    return [(at / 1e9, rate) for at, rate in zip(sender["t_ns"], sender[name]["mean"], strict=True) if rate is not None]


def test_a_link_ten_times_as_fast_is_filled_within_two_probes() -> None:
    """A.15; a probe comes at most every 3 s, and the bound on the flight doubles its steps in it."""
    result = run(flow(), rate="10Mbit", limit=200, link='change = [{ at = "20s", rate = "100Mbit" }]', time=(26, 60))
    before = max(rate for at, rate in rates(result, "max_bw") if 15 < at < 20)
    after = min(rate for at, rate in rates(result, "max_bw") if at > 26)
    assert before == pytest.approx(1e7 / 12_000, rel=0.02)
    assert after == pytest.approx(1e8 / 12_000, rel=0.02)
    assert result.links["link"]["utilization"] > 0.9


def test_a_link_a_tenth_as_fast_is_learnt_at_once_and_kept_after_two_cycles() -> None:
    """A.16: `bw_shortterm` falls by 30 % a round at most, `max_bw` once both cycles are over."""
    result = run(flow(), rate="100Mbit", limit=200, link='change = [{ at = "20s", rate = "10Mbit" }]', time=(40, 60))
    slow = 1e7 / 12_000
    assert min(rate for at, rate in rates(result, "bw") if 20 < at < 26) < 0.6 * 1e8 / 12_000
    # A cycle lasts at most 3 s, three rounds of probing, and 5.2 s where the round trip is probed for in it.
    assert all(rate == pytest.approx(slow, rel=0.02) for at, rate in rates(result, "max_bw") if at > 40)
    assert result.links["link"]["utilization"] > 0.9
    assert result.links["link"]["loss_rate"] < 0.001


def test_a_policer_is_filled_with_few_losses() -> None:
    """A.17. With trains of packets, which appendix A does not have, the policer drops 2.2 %."""
    result = run(
        flow(more="offload = false"), limit=1000, link='edge = [{ kind = "policer", rate = "10Mbit", burst = "50kB" }]'
    )
    traffic = result.traffic["own"]
    assert traffic["goodput_bps"] > 9e6
    assert traffic["loss_rate"] < 0.02


def test_random_losses_below_the_threshold_leave_most_of_the_link() -> None:
    """Section 3.1 aims at losses of 1 %; CUBIC has a seventh of the link there. The numbers of the page on senders."""
    results = [run(flow(), limit=1000, link=f"loss = {{ rate = {p} }}") for p in (0, 0.005, 0.01)]
    assert [result.links["link"]["utilization"] for result in results] == pytest.approx([0.97, 0.90, 0.84], abs=0.03)
    # The flow knows the path; what it does not use is the short-term bound's.
    capacity = 2e7 / 12_000
    bandwidth, pacing_rate = (
        sum(rate for at, rate in rates(results[-1], name) if at > 20)
        / sum(at > 20 for at, _ in rates(results[-1], name))
        for name in ("max_bw", "bw")
    )
    assert bandwidth == pytest.approx(capacity, rel=0.03)
    assert 0.8 < pacing_rate / bandwidth < 0.93
    # Beyond 2 % each probe ends, and every round bounds the model.
    assert run(flow(), limit=1000, link="loss = { rate = 0.05 }").links["link"]["utilization"] < 0.3
    assert run(flow(flavour="cubic"), limit=1000, link="loss = { rate = 0.01 }").links["link"]["utilization"] < 0.3


def test_a_flow_that_comes_late_gets_its_share() -> None:
    result = run(flow("first"), flow("late", start="20s"), time=(60, 120))
    first, late = (result.traffic[name]["goodput_bps"] for name in ("first", "late"))
    assert 0.8 < first / late < 1.25


def test_ten_flows_share_more_evenly_than_with_version_1_and_lose_less() -> None:
    third, first = (run(flow(flavour=name, count=10), time=(30, 80)).links["link"] for name in ("bbr3", "bbr"))
    assert third["jain"] > 0.95 > first["jain"]
    assert third["loss_rate"] < first["loss_rate"] / 3


def test_marks_of_codel_keep_the_queue_and_most_of_the_link() -> None:
    """Section 3.7 asks to take marks for congestion; version 1 ignores them."""
    queue = 'scheme = "codel", ecn = true'
    third, first = (
        run(flow(flavour=name, more="ecn = true"), limit=1000, queue=queue).links["link"] for name in ("bbr3", "bbr")
    )
    assert third["delay_mean_s"] < first["delay_mean_s"]
    assert third["utilization"] > 0.85
    assert third["drops"] == 0
