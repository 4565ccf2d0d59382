"""The networks of `penstock tune` around a scenario: what is scaled, and what is kept."""

from __future__ import annotations

import penstock as ps
import pytest
from penstock.studies.plan import own_queue, with_fixed_limits
from penstock.tuning.scaling import scaled_scenario


@pytest.mark.parametrize(("queue", "limit"), [(None, "50kB"), (ps.DropTail(limit="2BDP"), "100kB")])
def test_a_buffer_keeps_its_size_in_other_networks(queue: ps.Queue | None, limit: str) -> None:
    """10 Mbit/s x 40 ms = 50 kB; RED's max_th, found for this buffer, would exceed the BDP of a slower link."""
    link = ps.dumbbell(rate="10Mbit", rtt="40ms", queue=queue, traffic={"bulk": ps.Tcp()}).document()
    other = scaled_scenario(with_fixed_limits(link, ["bottleneck"]), "bottleneck", rate=0.5, flows=1.0, rtt=0.5)
    assert own_queue(other, "bottleneck")["limit"] == limit
