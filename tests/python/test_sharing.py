"""Shared queues with flows of one kind: each flow is in a queue of its kind, and no flow is lost or duplicated."""

from __future__ import annotations

import penstock as ps
import pytest
from penstock.papers.kantawala_turner_2005 import setup as kt
from penstock.papers.kantawala_turner_2005.sharing import with_queues_by_kind
from penstock.scenario.document import Document, as_document

SPAN = ("4s", "2s")


def shared(network: str, queues: int) -> Document:
    """A scenario of long flows that share this number of queues."""
    return as_document(kt.NETWORKS[network]("long", kt.queue("DTDRR", 1000, buckets=queues), SPAN))


@pytest.mark.parametrize("network", [kt.TRIPS, kt.HOPS])
@pytest.mark.parametrize("queues", [2, 5, 10, 20, 50])
def test_each_queue_has_the_same_number_of_flows_of_one_kind(network: str, queues: int) -> None:
    before = shared(network, queues)
    kinds: list[tuple[str, str]] = []
    for name, group in with_queues_by_kind(before).tree["traffic"].items():
        kinds += [(name.partition("-")[0], source) for source in group["from"]]
    in_queue = [[kind for kind, _ in kinds[queue::queues]] for queue in range(queues)]
    for queue, flows in enumerate(in_queue):
        slow, fast = flows.count("slow"), flows.count("fast")
        middle = 2 * queue + 1 == queues
        each = 100 // queues
        expected = (each // 2, each // 2) if middle else (0, each) if 2 * queue < queues else (each, 0)
        assert (slow, fast) == expected
        assert flows.count("cross1") == flows.count("cross2") == (fast if network == kt.HOPS else 0)

    for name, group in before.tree["traffic"].items():
        sources = [group["from"].format(i=i) for i in range(group["count"])]
        assert sorted(source for kind, source in kinds if kind == name) == sorted(sources)


def test_a_queue_for_each_flow_and_one_queue_for_all_flows_are_unchanged() -> None:
    alone = as_document(kt.two_round_trips("long", kt.queue("DTDRR", 1000), SPAN))
    assert with_queues_by_kind(alone) is alone
    together = shared(kt.TRIPS, 1)
    assert with_queues_by_kind(together) is together


def test_metrics_of_split_groups_cover_all_their_flows() -> None:
    document = with_queues_by_kind(shared(kt.HOPS, 10))
    run = ps.run(document, seed=1, flows=True)
    numbers = kt.measure(run)
    fair = 500e6 / 100 * kt.PAYLOAD / kt.WIRE  # bit/s; 100 flows share 500 Mb/s (Section 4)
    for kind in ("slow", "fast"):
        groups = [group for name, group in run.traffic.items() if name.startswith(f"{kind}-")]
        goodput = [float(share) / fair for group in groups for share in group.flows["goodput_bps"]]
        assert len(goodput) == 50
        mean = sum(goodput) / 50
        deviation = (sum((share - mean) ** 2 for share in goodput) / 50) ** 0.5
        assert numbers[f"g_{kind}"] == pytest.approx(100 * mean)
        assert numbers[f"sd_{kind}"] == pytest.approx(deviation)
