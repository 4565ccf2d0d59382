"""Wrong options of the command line: refused before anything is run, with the nearest right name."""

from __future__ import annotations

from pathlib import Path

import pytest

from .broken import GOOD, refused


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--set", "links.bottleneck.queue.max_q=1"], "links.bottleneck.queue.max_q = 1"),
        (["--set", "links.botleneck.rate=1Mbit"], 'did you mean "bottleneck"'),
        (["--set", "rate"], "PATH=VALUE"),
        (["--set", "=5"], "PATH=VALUE"),
        (["--set", "duration=5"], "--set: duration = 5"),
        (["--set", "name.x=5"], "is not a table"),
        (["--set", "links[3].rate=5"], "no such item"),
        (
            ["--set", 'links.bottleneck.edge=[{ kind = "tsw" }]', "--set", "links.bottleneck.edge.0.kind=tsw"],
            "no such item of a list; write an item as in change[0].rate",
        ),
        (
            ["--set", "links.bottleneck.change=[5]", "--set", "links.bottleneck.change[0].rate=5"],
            "is not a table, but 5",
        ),
        (["--set", "links.bottleneck.queue.scheme=blu"], "unknown scheme"),
    ],
)  # fmt: skip
def test_settings_on_the_command_line_are_checked_too(
    options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "link.toml"
    file.write_text(GOOD)
    assert message in refused(["run", str(file), *options], capsys)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--scheme", "rde"], 'did you mean "red"'),
        (["--scheme", "red:max_q=1"], 'did you mean "max_p"'),
        (["--scheme", "red:max_p"], "is not a setting such as max_p=0.1"),
        (["--scheme", "red:max_p=5"], "max_p = 5"),
        (["--scheme", "red:min_th=20,max_th=10"], "--scheme red:min_th=20,max_th=10"),
        (["--scheme", "bernoulli"], "p: is missing"),
        (["--scheme", "@nowhere.toml"], "no such file"),
        (["--scheme", "red", "--at", "botleneck"], 'did you mean "bottleneck"'),
        (["--scheme", "red", "--vary", "traffic.bulk.count"], "PATH=a,b,c"),
        (["--scheme", "red", "--vary", "traffic.bluk.count=1,2"], 'did you mean "bulk"'),
        (["--scheme", "red", "--vary", "traffic.bulk.count=1,-2"], "count = -2"),
        (["--scheme", "red", "--precision", "5"], "METRIC=1%"),
        (["--scheme", "red", "--precision", "loss=1%", "--runs", "2"], 'no metric "loss"; did you mean "loss_rate"'),
        (["--scheme", "red", "--json", "/"], "cannot be written"),
    ],
)  # fmt: skip
def test_comparisons_are_checked_before_anything_is_run(
    options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "link.toml"
    file.write_text(GOOD)
    assert message in refused(["compare", str(file), *options], capsys)


@pytest.mark.parametrize(
    ("line", "starts"),
    [
        (
            [
                "compare",
                "FILE",
                "--scheme",
                "rde",
                "--scheme",
                "codle",
                "--at",
                "botle",
                "--vary",
                "traffic.bulk.cuont=1",
            ],
            ["--scheme rde:", "--scheme codle:", "--at: no link", "--vary: traffic.bulk.cuont = 1"],
        ),
        (
            ["compare", "FILE", "--scheme", "rde", "--vary", "traffic.bulk.count", "--precision", "loss"],
            ["--precision loss:", "--vary traffic.bulk.count:", "--scheme rde:"],
        ),
        (
            ["compare", "FILE", "--scheme", "red", "--vary", "traffic.bulk.count=1,1"],
            ["--vary: traffic.bulk.count = 1: is given"],
        ),
        (["compare", "FILE", "--scheme", "red", "--scheme", "red"], ["--scheme red: is given twice"]),
        (["compare", "FILE"], ["--scheme: is missing"]),
        (
            ["run", "FILE", "--set", "x", "--set", "traffic.bulk.flavour=cubik", "--scheme", "rde"],
            ["--set x:", '--set: traffic.bulk.flavour = "cubik"', "--scheme rde:"],
        ),
        (
            ["tune", "FILE", "--aim", "delai < 5", "--at", "botle"],
            ["--at: no link", "--scheme: is missing", "--aim 'delai < 5':"],
        ),
        (
            ["challenge", "rde", "--against", "codle", "--metric", "los", "--budget", "5"],
            ["SCHEME rde:", "--against codle:", "--metric los:", "--budget 5:"],
        ),
        (["evaluate", "rde", "codle"], ["SCHEME rde:", "SCHEME codle:"]),
        (["live", "FILE", "--no-open", "--at", "botle"], ["--at: no link"]),
    ],
)
def test_all_errors_of_a_command_are_listed_with_their_options(
    line: list[str], starts: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "link.toml"
    file.write_text(GOOD)
    lines = refused([str(file) if word == "FILE" else word for word in line], capsys).splitlines()
    assert len(lines) == len(starts) + (len(starts) > 1)
    for error, start in zip(lines, starts, strict=False):
        assert error.startswith(start)


def test_a_run_that_ends_before_most_traffic_starts_is_one_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An override of the duration is more likely wrong than the starts of several groups."""
    file = tmp_path / "link.toml"
    file.write_text(GOOD.replace('start = "0s"\nstop = "2s"', 'start = "1.5s"') + 'start = "1s"\n')
    output = refused(["run", str(file), "--set", "duration=1s"], capsys)
    assert output == '--set: duration = "1s": too short: traffic.udp starts at 1s, traffic.bulk starts at 1.5s\n'
    output = refused(["run", str(file), "--set", "duration=1.2s"], capsys)
    assert output == f'{file}:36: traffic.bulk.start = "1.5s": must be before the end of the run (1.2s)\n'
