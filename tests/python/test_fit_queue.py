"""The kind of queue that `penstock fit` recognizes, for flows whose delays agree by chance or differ in one queue."""

from __future__ import annotations

from pathlib import Path

import penstock as ps
import pytest

from .test_fit import LINKS, REAL_SIZES, captured, value


def queue_at(side: str, folder: Path, control: str, count: int, scheme: str) -> object:
    text = LINKS.replace('"30s"', '"15s"').replace("100Mbit", "1Gbit") + (
        f'[traffic.bulk]\nkind = "tcp"\ncount = {count}\nflavour = "{control}"\nsyn = true\n'
        f'start = {{ uniform = ["0s", "2s"] }}\n{REAL_SIZES}'
    )
    files = captured(folder, text, f"links.bottleneck.queue.scheme={scheme}", seed=3)
    return value(ps.fit(files[side]), "bottleneck.queue")


@pytest.mark.parametrize("side", ["sender", "receiver"])
@pytest.mark.parametrize(
    ("control", "count", "scheme"),
    [
        ("cubic", 2, "cake"),  # the windows of the flows grow in step, and so do their delays
        ("cubic", 2, "fq-codel"),
        ("bbr", 2, "drr"),  # hardly two arrivals of different flows at the same time
        ("newreno", 10, "cake"),
    ],
)
def test_flows_in_step_do_not_hide_fair_queueing(
    side: str, control: str, count: int, scheme: str, tmp_path: Path
) -> None:
    assert queue_at(side, tmp_path, control, count, scheme) == "fair queueing"


@pytest.mark.parametrize("side", ["sender", "receiver"])
@pytest.mark.parametrize(
    ("control", "count", "scheme", "kind"),
    [
        ("bbr", 4, "droptail", "drop-tail"),
        ("bbr", 10, "droptail", "drop-tail"),
        ("bbr", 4, "red", "AQM"),
        ("cubic", 10, "pie", "AQM"),
    ],
)
def test_one_queue_is_not_mistaken_for_fair_queueing(
    side: str, control: str, count: int, scheme: str, kind: str, tmp_path: Path
) -> None:
    assert queue_at(side, tmp_path, control, count, scheme) in (kind, None)


def test_acknowledgements_of_many_packets_at_once_leave_the_rest_of_a_fit(tmp_path: Path) -> None:
    # Without SACK, the acknowledgement that ends a recovery covers a whole window at one time.
    assert queue_at("receiver", tmp_path, "newreno", 2, "pie") in ("AQM", None)
