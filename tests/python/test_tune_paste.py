"""The lines for tc of an advice: for a device that is the link, and behind a shaper for one that is faster."""

from __future__ import annotations

import pytest
from penstock.dialects import read
from penstock.scenario.loaded_link import LoadedLink
from penstock.tuning.bench import Setting
from penstock.tuning.paste import shaped_tc_lines, tc_lines

LINK = LoadedLink("uplink", rate_bps=100e6, rtt_s=0.04, buffer_pkts=500, packet_bytes=1500, flows=4)


@pytest.mark.parametrize("scheme", ["red", "pie", "codel", "fq-codel", "droptail", "sfq", "choke", "wred"])
def test_a_queue_behind_a_shaper_is_that_of_a_link_with_its_rate(scheme: str) -> None:
    setting = Setting(scheme, {"w_q": 2.0**-9} if scheme in ("red", "choke", "wred") else {})
    alone, behind = tc_lines(setting, LINK), shaped_tc_lines(setting, LINK)
    assert alone is not None
    assert behind is not None
    first, second = read(alone, "tc"), read(behind, "tc")
    assert (second.scheme, second.parameters, second.rate) == (first.scheme, first.parameters, 100e6)


def test_cake_shapes_by_itself() -> None:
    assert tc_lines(Setting("cake"), LINK) == "tc qdisc replace dev eth0 root cake"
    assert shaped_tc_lines(Setting("cake", {"rtt": "40ms"}), LINK) == (
        "tc qdisc replace dev eth0 root cake bandwidth 100mbit rtt 40ms"
    )


@pytest.mark.parametrize("scheme", ["shaper", "psand"])
def test_what_shapes_or_is_no_queue_of_tc_has_no_shaper(scheme: str) -> None:
    assert shaped_tc_lines(Setting(scheme, {"rate": "10Mbit"}), LINK) is None
