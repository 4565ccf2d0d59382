"""The networks of `penstock tune` around a scenario: what is scaled, and what is kept."""

from __future__ import annotations

import penstock as ps
import pytest
from penstock.studies.plan import own_queue, with_fixed_queue_sizes
from penstock.tuning.scaling import scaled_scenario


@pytest.mark.parametrize(
    ("queue", "sizes"),
    [
        (None, {"limit": "50kB"}),
        (ps.DropTail(limit="2BDP"), {"limit": "100kB"}),
        (ps.DropTail(limit="40ms"), {"limit": "50kB"}),
        (ps.Red(limit="1BDP", min_th="4ms", max_th="0.3BDP"), {"limit": "50kB", "min_th": "5000B", "max_th": "15kB"}),
        (ps.CoDel(limit="1BDP", target="7ms"), {"limit": "50kB", "target": "7ms"}),
        (ps.DropTail(limit="35p"), {"limit": "35p"}),
    ],
)
def test_queues_keep_their_sizes_in_other_networks(queue: ps.Queue | None, sizes: dict[str, str]) -> None:
    """The BDP is 50 kB. RED's max_th, chosen for this buffer, would exceed a buffer of one BDP on a slower link."""
    link = ps.dumbbell(rate="10Mbit", rtt="40ms", queue=queue, traffic={"bulk": ps.Tcp()}).document()
    fixed = with_fixed_queue_sizes(link, ["bottleneck"])
    smaller = scaled_scenario(fixed, "bottleneck", rate=0.5, flows=1.0, rtt=0.5)
    own = own_queue(smaller, "bottleneck")
    assert {name: own[name] for name in sizes} == sizes
