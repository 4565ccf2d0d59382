"""The README: its length, and every number in it against the command or the record that produces it."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import penstock as ps
import pytest
import typer
from penstock.cli import app as cli

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SPEED = (ROOT / "docs" / "explanation" / "speed.md").read_text(encoding="utf-8")


def table(head: str) -> list[list[str]]:
    """The cells of the table of the README whose first column has this head."""
    (text,) = re.findall(rf"^\| {head} \|.*\n\| ---.*\n((?:\|.*\n)+)", README, re.M)
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in str(text).splitlines()]


def command(start: str) -> list[str]:
    (text,) = re.findall(rf"^({re.escape(start)}(?:.*\\\n)*.*)$", README, re.M)
    return shlex.split(str(text))


def test_it_fits_on_a_few_screens() -> None:
    assert len(README.splitlines()) <= 120


def test_its_comparison_is_what_the_command_computes() -> None:
    words = command("penstock compare examples/home_uplink.toml")
    schemes = [words[at + 1] for at, word in enumerate(words) if word == "--scheme"]
    runs = ps.compare(ROOT / words[2], schemes, runs=int(words[words.index("--runs") + 1]))

    def cell(scheme: str, place: str, metric: str, scale: float) -> str:
        estimate = runs.estimate(metric, scheme=scheme, place=place)
        assert estimate.half_width is not None
        return f"{estimate.mean * scale:.1f} ± {estimate.half_width * scale:.1f}"

    expected = [
        [
            scheme.partition(":")[0],
            cell(scheme, "uplink", "delay_mean_s", 1e3),
            cell(scheme, "uplink", "delay_p99_s", 1e3),
            cell(scheme, "uplink", "utilization", 100),
            cell(scheme, "call", "owd_p99_s", 1e3),
        ]
        for scheme in schemes
    ]
    assert table("scheme") == expected
    (conclusion,) = re.findall(r"^> (.*)$", README, re.M)
    assert runs.to_dict()["conclusion"] == conclusion


def test_it_describes_the_compared_link() -> None:
    scenario = tomllib.loads((ROOT / "examples" / "home_uplink.toml").read_text())
    assert scenario["links"]["uplink"] | {"rate": "20Mbit", "delay": "20ms"} == scenario["links"]["uplink"]
    assert scenario["traffic"]["uploads"]["count"] == 4
    assert "Four uploads fill a home's uplink of 20 Mbit/s" in README
    assert "without a queue, a packet of the call takes 20 ms" in " ".join(README.split())


def test_its_table_of_speed_is_what_was_recorded() -> None:
    ratios = json.loads((ROOT / "docs" / "data" / "peers.json").read_text())["ratio"]
    counted = json.loads((ROOT / "tests" / "data" / "instructions.json").read_text())["per_packet"]
    assert [row[2:] for row in table("100 long flows")] == [
        [f"{ratios['w1']['ns-2']}", f"{counted['w1']:.0f}"],
        [f"{ratios['w2']['ns-2']}", f"{counted['w2']:.0f}"],
        ["not compared", f"{counted['w2_cubic']:.0f}"],
    ]
    ratios_to_ns2 = [peers["ns-2"] for peers in ratios.values()]
    assert re.findall(r"^\| (?:W1: 100|W2: 100|the same with RED).* \| ([\d.]+) \|$", SPEED, re.M) == [
        f"{ratio}" for ratio in ratios_to_ns2
    ]
    assert f"{min(ratios_to_ns2):.0f} to {max(ratios_to_ns2):.0f} times" in README


def figure(pattern: str, text: str) -> tuple[Any, ...]:
    (match,) = re.findall(pattern, " ".join(text.split()))
    return match if isinstance(match, tuple) else (match,)


def test_its_reasons_for_trust_are_what_was_recorded() -> None:
    transfers = json.loads((ROOT / "tests" / "data" / "ns2" / "single_flow.json").read_text())["records"]
    assert figure(r"\*\*(\d+) of (\d+)\*\* reference transfers", README) == (str(len(transfers)),) * 2

    cells = (ROOT / "docs" / "validation-results.md").read_text()
    agree, compared, share = figure(r"\| all \| (\d+) \| (\d+) \| ([\d.]+)% \|", cells)
    assert f"**{agree} of {compared}** statistics of ns-2 ({share} %)" in README

    queues = (ROOT / "docs" / "explanation" / "real-queues.md").read_text()
    results, within = figure(r"Of these (\d+) results, (\d+) are within 10 % of Linux's", queues)
    assert f"**{within} of {results}** results" in README

    oracles = (ROOT / "crates" / "penstock-aqm" / "tests" / "integration" / "oracles.rs").read_text()
    (traces,), (operations,) = (figure(rf"const {name}: u\d+ = (\d+);", oracles) for name in ("TRACES", "OPERATIONS"))
    assert f"**{int(traces) * int(operations):,} random operations**".replace(",", " ") in README
    assert "const MISSING: &[&str] = &[];" in oracles
    assert len(ps.schemes()) > 50


def test_versions_are_those_that_the_build_needs() -> None:
    (rust,) = figure(r'rust-version = "([\d.]+)"', (ROOT / "Cargo.toml").read_text())
    (python,) = figure(r'requires-python = ">=([\d.]+)"', (ROOT / "pyproject.toml").read_text())
    assert f"cargo {rust}, Python {python}" in README


def test_its_commands_exist() -> None:
    verbs = set(typer.main.get_group(cli.app).commands)
    named = re.findall(r"`penstock ([a-z]+)|^penstock ([a-z]+) \S+\.toml", README, re.M)
    assert {"".join(pair) for pair in named} <= verbs
    assert len(named) > 5
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    assert set(re.findall(r"(?:`|^)make ([a-z-]+)", README, re.M)) <= targets


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\((?!https?:)([^)#]+)", README))))
def test_its_links_lead_to_files(target: str) -> None:
    assert (ROOT / target).exists()
