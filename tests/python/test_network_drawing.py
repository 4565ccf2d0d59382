"""The picture of a topology that `check` prints."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from penstock.scenario.check import resolved_text
from penstock.scenario.document import Document, read_document
from penstock.scenario.network_drawing import MAX_DRAWN, topology_lines

SCENARIOS = Path(__file__).parents[2] / "scenarios"


def test_three_hops_are_a_spine_with_the_cross_traffic_beside_it() -> None:
    readable = read_document(str(SCENARIOS / "kantawala_three_hops.toml"), []).resolve().readable
    assert "\n".join(topology_lines(readable)) == (
        """\
C0-{i} ×500 ── cross0 100Mbit 0s ──┐
E{i} ×500 ── through 100Mbit 0s ───┤
                                   R0
                                   ║  hop0 500Mbit 50ms [dtdrr 1000p]
C1-{i} ×500 ── cross1 100Mbit 0s ──┤
                                   R1
                                   ║  hop1 500Mbit 50ms [dtdrr 1000p]
C2-{i} ×500 ── cross2 100Mbit 0s ──┤
                                   R2
                                   ║  hop2 500Mbit 50ms [dtdrr 1000p]
                                   R3

cross0   500 × onoff reno  C0-{i} → R1
cross1   500 × onoff reno  C1-{i} → R2
cross2   500 × onoff reno  C2-{i} → R3
through  500 × onoff reno  E{i} → R3"""
    )


def _network(*links: tuple[str, str], watched: tuple[int, ...] = ()) -> list[str]:
    text = "duration = '1s'\n"
    for i, (start, end) in enumerate(links):
        text += f"[links.l{i}]\nfrom = '{start}'\nto = '{end}'\nrate = '1Mbit'\ndelay = '1ms'\n"
        text += "watch = true\n" if i in watched else ""
    return topology_lines(Document.parse(text).resolve().readable)


def test_what_hangs_behind_a_branch_shows_its_whole_way() -> None:
    links = [("A", "R"), ("R", "T"), ("T", "U"), ("U", "B"), ("X", "Y"), ("Y", "T"), ("Z", "Y")]
    assert _network(*links, watched=(1, 2)) == [
        "A ── l0 1Mbit 1ms ──────────────────────┐",
        "                                        R",
        "                                        ║  l1 1Mbit 1ms [droptail 20p]",
        "X ── l4 1Mbit 1ms ─ Y ── l5 1Mbit 1ms ──┤",
        "Z ── l6 1Mbit 1ms ─ Y ── l5 1Mbit 1ms ──┤",
        "                                        T",
        "                                        ║  l2 1Mbit 1ms [droptail 20p]",
        "                                        U",
        "B ── l3 1Mbit 1ms ──────────────────────┘",
        "",
    ]


def test_links_beside_the_tree_and_parts_apart_are_told() -> None:
    lines = _network(("A", "B"), ("B", "C"), ("C", "A"), ("P", "Q"))
    assert lines == [
        "C ── l2 1Mbit 1ms ──┐",
        "                    A",
        "                    ║  l0 1Mbit 1ms [droptail 20p]",
        "                    B",
        "",
        "P",
        "│  l3 1Mbit 1ms",
        "Q",
        "also  B ── l1 1Mbit 1ms ── C",
        "",
    ]


@settings(deadline=None, max_examples=50)
@given(st.data())
def test_every_link_is_drawn_in_any_network(data: st.DataObject) -> None:
    node = st.sampled_from("ABCDEFGH")
    pairs = data.draw(st.lists(st.tuples(node, node).filter(lambda ends: ends[0] != ends[1]), min_size=1, max_size=12))
    watched = data.draw(st.sets(st.integers(0, len(pairs) - 1)))
    text = "\n".join(_network(*pairs, watched=tuple(watched)))
    words = text.replace("(", " ").split()
    assert all(f"l{i}" in words for i in range(len(pairs)))
    assert {end for pair in pairs for end in pair} <= set(words)


@pytest.mark.parametrize("path", sorted(SCENARIOS.glob("*.toml")), ids=lambda path: path.stem)
def test_check_prints_each_scenario_below_its_picture_and_it_still_means_the_same(path: Path) -> None:
    resolved = read_document(str(path), []).resolve()
    text = resolved_text(resolved)
    assert text.startswith("# ")
    assert Document.parse(text).resolve().readable == resolved.readable


def test_the_picture_in_the_tutorial_is_what_check_prints() -> None:
    text = (SCENARIOS.parent / "docs" / "tutorial" / "your-own-scenario.md").read_text(encoding="utf-8")
    scenario = text.split("near_and_far.toml\n", 1)[1].split("```", 1)[0]
    picture = text.split("```text\n", 1)[1].split("```", 1)[0]
    assert topology_lines(Document.parse(scenario).resolve().readable) == picture.splitlines()


def test_a_network_too_large_to_draw_is_counted() -> None:
    lines = _network(*((f"N{i}", f"N{i + 1}") for i in range(MAX_DRAWN + 1)))
    assert lines == [f"{MAX_DRAWN + 1} links, too many to draw", ""]
    assert len(_network(*((f"N{i}", f"N{i + 1}") for i in range(MAX_DRAWN)))) > MAX_DRAWN
