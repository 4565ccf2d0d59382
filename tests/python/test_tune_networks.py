"""The networks of `penstock tune` around a scenario: what is scaled, and what is kept."""

from __future__ import annotations

from pathlib import Path

import penstock as ps
import pytest
from penstock.scenario.document import Document, read_document
from penstock.scenario.loaded_link import LoadedLink
from penstock.studies.candidate import Candidate
from penstock.studies.plan import own_queue, with_fixed_queue_sizes, with_fixed_sizes
from penstock.tuning.scaling import scaled_scenario

from .test_cli import penstock
from .test_scenario import small


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


@pytest.mark.parametrize(
    ("reverse", "place", "limit"),
    [
        ('queue = "same"', "bottleneck.reverse", "100kB"),
        ('rate = "1Mbit"', "bottleneck.reverse", "20p"),  # no queue, not watched: the default of at least 20 packets
        ("", "access", "500kB"),  # not watched
    ],
)
def test_a_direction_without_a_queue_of_its_own_keeps_its_size(reverse: str, place: str, limit: str) -> None:
    text = f"""
duration = "5s"
[links.bottleneck]
from = "a"
to = "b"
rate = "10Mbit"
delay = "20ms"
queue = {{ scheme = "droptail", limit = "2BDP" }}
watch = true
reverse = {{ {reverse} }}
[links.access]
from = "b"
to = "c"
rate = "100Mbit"
delay = "0ms"
[traffic.bulk]
kind = "tcp"
from = "a"
to = "c"
"""
    fixed = with_fixed_queue_sizes(Document.parse(text), [place])
    assert own_queue(scaled_scenario(fixed, "bottleneck", rate=0.5, flows=1.0, rtt=0.5), place)["limit"] == limit


def test_sizes_of_candidates_are_those_on_the_link() -> None:
    link = ps.dumbbell(rate="10Mbit", rtt="40ms", traffic={"bulk": ps.Tcp()}).document()
    given = {"limit": "2BDP", "min_th": "4ms", "max_p": 0.02}
    fixed = with_fixed_sizes(Candidate("red", given), link, "bottleneck")
    assert fixed.params == {"limit": "100kB", "min_th": "5000B", "max_p": 0.02}


@pytest.mark.parametrize("rate", ['{ uniform = ["5Mbit", "20Mbit"] }', '{ list = ["5Mbit", "12.5Mbit", "20Mbit"] }'])
def test_a_link_with_a_random_rate_is_tuned_and_explained_at_its_mean_rate(rate: str, tmp_path: Path) -> None:
    file = tmp_path / "link.toml"
    text = small().to_toml()
    file.write_text(text.replace('rate = "10Mbit"', f"rate = {rate}"))
    resolved = read_document(str(file), []).resolve()
    assert LoadedLink.from_scenario(resolved, "bottleneck").rate_bps == 12.5e6
    results = []
    for version in (file.read_text(), text.replace('rate = "10Mbit"', 'rate = "12.5Mbit"')):
        file.write_text(version)
        process = penstock("explain", "red", "--scenario", str(file))
        assert process.returncode == 0, process.stderr
        results.append(process.stdout)
    assert results[0] == results[1]
    file.write_text(file.read_text().replace('rate = "12.5Mbit"', f"rate = {rate}"))
    advice = penstock("tune", str(file), "--scheme", "codel", "--aim", "delay < 20ms", "--budget", "10s")
    assert advice.returncode in (0, 3), advice.stderr
