"""The networks of the works as files: each runs, and a short run agrees with statements of the work."""

from __future__ import annotations

from pathlib import Path

import penstock as ps
import pytest
from penstock.scenario.document import Document

FOLDER = Path(__file__).resolve().parents[2] / "scenarios"
FILES = sorted(FOLDER.glob("*.toml"))


def run(name: str, **values: object) -> ps.Run:
    """The file with other values at some paths, in which __ stands for the dot."""
    document = Document.read(FOLDER / f"{name}.toml")
    for path, value in values.items():
        document = document.set(path.replace("__", "."), value)
    return ps.run(ps.Scenario.from_tree(document.tree))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_file_runs_and_stands_in_the_docs(path: Path) -> None:
    # The last flows of Chung's steps start at 350 s.
    result = run(path.stem, duration="360s" if path.stem == "chung_step_load" else "5s", warmup="0s")
    assert all(link.departures > 0 for link in result.links.values())
    page = FOLDER.parent / "docs" / "howto" / "scenarios-of-the-works.md"
    assert f"`{path.name}`" in page.read_text(encoding="utf-8")


def test_red_loses_more_of_a_block_and_after_correction_less() -> None:
    """Alemu, section 5.4.1: losses behind RED come alone, so that more of them are repaired."""
    queues: dict[str, dict[str, object]] = {
        "red": {},
        "droptail": {"links__bottleneck__queue": {"scheme": "droptail", "limit": "35p"}},
    }
    code = {"traffic__fec__k": 8, "traffic__fec__h": 2, "traffic__tcp__count": 20}
    before, after = {}, {}
    for scheme, queue in queues.items():
        groups = [run("thesis_fec", seed=seed, **code, **queue).traffic["fec"] for seed in range(1, 6)]
        before[scheme] = sum(fec.plr_before for fec in groups)
        after[scheme] = sum(fec.plr_after for fec in groups)
    assert before["red"] > before["droptail"]
    assert after["red"] < after["droptail"] / 2


def test_chung_s_windows_bound_what_is_outstanding() -> None:
    """A flow alone, without losses, sends its window in each round trip."""
    for window in (6, 12):
        result = run(
            "chung_limited_windows",
            traffic__limited__count=1,
            traffic__limited__window=window,
            traffic__limited__start="0s",
            links__bottleneck__queue__p=0,
        ).traffic["limited"]
        # 80 ms, and 1040 and 40 bytes at 20 Mbit/s and twice at 1 Gbit/s.
        round_trip = 0.08 + 1080 * 8 / 20e6 + 2 * 1080 * 8 / 1e9
        assert result.rtt_mean_s == pytest.approx(round_trip, rel=1e-6)
        assert result.goodput_bps == pytest.approx(window * 8000 / round_trip, rel=1e-3)


def test_half_the_window_needs_twice_the_drops_for_the_same_queue() -> None:
    """Chung and Claypool: 3000 packets at about twice the probability; their model has 0.045 and 0.095."""
    twelve = run("chung_limited_windows", links__bottleneck__queue__p=0.045).links["bottleneck"]
    six = run(
        "chung_limited_windows",
        links__bottleneck__queue__p=0.095,
        traffic__limited__window=6,
        traffic__limited__count=1300,
    ).links["bottleneck"]
    assert twelve.length_mean_pkts == pytest.approx(3000, rel=0.15)
    assert six.length_mean_pkts == pytest.approx(3000, rel=0.15)


def bodin(rate: str, duration: str = "40s", **more: object) -> ps.Run:
    """With this rate in profile at both hosts."""
    meter = {"kind": "tsw", "window": "1s", "in": "AF11", "out": "AF12", "rate": rate}
    edges = {"links__hostA__edge": [meter], "links__hostB__edge": [meter]}
    return run("bodin_differentiation", duration=duration, **edges, **more)


def test_bodin_s_hosts_lose_only_what_is_out_of_profile() -> None:
    lost = [bodin(rate).traffic["fromA"].lost_pkts for rate in ("100kbit", "2.5Mbit", "100Mbit")]
    assert lost[0] > 0
    assert lost[1] > 0
    assert lost[2] == 0


def test_dropping_from_the_queue_calms_it() -> None:
    """Bodin and Schelen, section 3: the queue oscillates less, and the link is used no less."""
    arriving = bodin("2.5Mbit", duration="130s").links["core"]
    queued = bodin("2.5Mbit", duration="130s", links__core__queue__scheme="wred-dfq").links["core"]
    assert queued.length_var_pkts2 < 0.9 * arriving.length_var_pkts2
    assert queued.utilization >= arriving.utilization
