"""The intervals of `penstock fit` on captures of simulated links drawn at random."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import penstock as ps
import pytest

from .capturing import THREE_LINKS
from .test_fit import BULK, QUEUES, SIDES, TRANSFER, captured

PAGE = Path("docs/howto/fit-a-link.md")
PACKET = 1500


def links_at_random() -> Iterator[tuple[str, list[str], dict[str, float]]]:
    """A scenario, its settings and the true values, for two random links per control and scheme."""
    draw = random.Random(777)
    for _ in range(2):
        for control in ("cubic", "bbr"):
            for scheme in QUEUES:
                rate = round(3e6 * 10 ** draw.uniform(0, 1.1), -4)
                round_trip = 0.012 * 10 ** draw.uniform(0, 1)
                left, right = (round(draw.uniform(0.05, 0.4) * round_trip / 2 * 1e6) for _ in range(2))
                middle = round(round_trip / 2 * 1e6) - left - right
                limit = max(20, round(draw.uniform(0.4, 2) * rate * round_trip / 8 / PACKET))
                text = THREE_LINKS.format(duration="30s", limit=f"{limit}p").replace("10Mbit", f"{rate:.0f}bit")
                for delay, us in (("2ms", left), ("20ms", middle), ("3ms", right)):
                    text = text.replace(f'"{delay}"', f'"{us}us"')
                bulk = BULK.replace("count = 3", f"count = {draw.choice([1, 2, 3, 5])}")
                settings = [f"traffic.{name}.flavour={control}" for name in ("bulk", "transfer")]
                settings.append(f"links.bottleneck.queue.scheme={scheme}")
                buffer = limit * PACKET if scheme == "droptail" else float("nan")
                truth = {"rate": rate, "rtt": 2e-6 * (left + middle + right), "buffer": buffer}
                yield text + bulk + TRANSFER, settings, truth


@pytest.mark.slow
def test_intervals_contain_the_truth_as_often_as_the_page_reports(tmp_path: Path) -> None:
    covered, counted = Counter[str](), Counter[str]()
    for seed, (text, settings, truth) in enumerate(links_at_random(), 200):
        files = captured(tmp_path, text, *settings, seed=seed)
        for side in SIDES:
            for name, estimate in ps.fit(files[side]).estimates.items():
                kind = name.rpartition(".")[2]
                if name in ("bottleneck.rate", "bottleneck.buffer") or kind == "rtt":
                    counted[kind] += estimate.value is not None
                    covered[kind] += estimate.covers(truth[kind])
    for kind, count in counted.items():
        assert covered[kind] >= 0.9 * count, kind
    page = " ".join(PAGE.read_text(encoding="utf-8").split())
    reported = re.search(
        r"rate in (\d+ of \d+) captures, the base round trip of (\d+ of \d+) flows, and the buffer in (\d+ of \d+)",
        page,
    )
    assert reported is not None
    assert reported.groups() == tuple(f"{covered[kind]} of {counted[kind]}" for kind in ("rate", "rtt", "buffer"))
