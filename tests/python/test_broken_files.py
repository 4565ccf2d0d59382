"""Files that are no scenario, cannot be read or have many errors: every error at once, with file and line."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from penstock.cli.app import app
from penstock.scenario.resolve import files, resolve

from .broken import GOOD, QUEUE, Case, refuse_case, refused

NOT_TOML: dict[str, Case] = {
    "unclosed quote": (('name = "small"', 'name = "small'), [":1: not TOML"]),
    "no value": (("seed = 1", "seed ="), [":5: not TOML"]),
    "no quotes": (('from = "R1"', "from = R1"), [":8: not TOML", "quote"]),
    "table twice": (("[links.right]", "[links.left]"), [":22: not TOML", "duplicate"]),
    "key twice": (("seed = 1", "seed = 1\nseed = 2"), [":6: not TOML", "duplicate"]),
    "unclosed table": (("[links.left]", "[links.left"), [":16: not TOML"]),
    "prose": ((GOOD, "Dear penstock,\nplease simulate a link.\n"), [":1: not TOML"]),
}  # fmt: skip


@pytest.mark.parametrize("case", NOT_TOML)
def test_what_is_not_toml_is_refused_with_its_line(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    refuse_case(NOT_TOML[case], tmp_path, monkeypatch, capsys)


def test_the_good_file_is_good(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "link.toml").write_text(GOOD)
    with pytest.raises(SystemExit) as exit_info:
        app(["check", str(tmp_path / "link.toml")], prog_name="penstock")
    assert exit_info.value.code == 0
    assert "limit" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\n# nothing here\n", "is empty"),
        (b"name = \"\xff\xfe\"\n", "not UTF-8"),
        (b"\xff\xfed\x00u\x00r\x00", "not UTF-8"),
        (b"\x00\x01\x02\x03", "not TOML"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "not UTF-8"),
        (b'{"duration": "1s"}', "not TOML"),
        (b"duration = \"1s\"\n", "links"),
        (b"[" * 5000, "not TOML"),
    ],
)  # fmt: skip
def test_what_is_no_scenario_at_all(
    content: bytes, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "link.toml"
    file.write_bytes(content)
    assert message in refused(["check", str(file)], capsys)


def test_files_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "thesis_link.toml").write_text(GOOD)
    near = f'did you mean "{tmp_path / "thesis_link.toml"}"?'
    assert near in refused(["check", str(tmp_path / "thesis_lnik.toml")], capsys)
    assert near in refused(["check", str(tmp_path / "thesis_lnik")], capsys)
    assert "did you mean" not in refused(["check", str(tmp_path / "pie.toml")], capsys)
    assert "cannot be read" in refused(["run", str(tmp_path)], capsys)
    assert "no such file" in refused(["run", str(tmp_path / "nowhere" / "x.toml")], capsys)


def test_all_errors_are_told_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = GOOD
    for before, after in (
        ('delay = "20ms"', "delay = 20"),
        ("window = 20", "windwo = 20"),
        ("count = 2", "count = -1"),
        ('packet = "500B"', 'packet = "500"'),
    ):
        text = text.replace(before, after, 1)
    file = tmp_path / "link.toml"
    file.write_text(text)
    output = refused(["check", str(file)], capsys)
    assert [output.count(word) for word in ("delay = 20", "windwo", "count = -1", 'packet = "500"')] == [1, 1, 1, 1]
    assert "4 errors; nothing was run" in output
    assert f"{file}:11: links.bottleneck.delay = 20:" in output


def test_errors_of_a_queue_are_told_beside_those_of_its_link(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither a missing end, a wrong rate or limit, nor a setting out of range hides what else is wrong."""
    broken = GOOD.replace('from = "R1"\n', "", 1).replace('rate = "1.5Mbit"', 'rate = "1.5"').replace(
        QUEUE, 'queue = { scheme = "red", limit = "35q", min_th = 30, max_th = 15, max_p = 2 }'
    )  # fmt: skip
    file = tmp_path / "link.toml"
    file.write_text(broken, encoding="utf-8")
    output = refused(["check", str(file)], capsys)
    paths = [line.split(": ")[1].split(" = ")[0].removeprefix("links.bottleneck.") for line in output.splitlines()[:-1]]
    assert sorted(paths) == ["from", "queue.limit", "queue.max_p", "queue.min_th", "rate"]
    # A comparison with the default of a setting that is wrong itself says nothing.
    file.write_text(GOOD.replace(QUEUE, 'queue = { scheme = "red", limit = "35p", min_th = 30, max_th = "x" }'))
    assert refused(["check", str(file)], capsys).count("links.bottleneck.queue") == 1


def test_a_link_that_is_no_table_leaves_no_traceback(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = GOOD.replace("[links.bottleneck]", "[links]\na = 1\n[links.bottleneck]")
    broken = broken.replace('from = "S1"\nto = "S3"\nrate', 'from = "X"\nto = "S3"\npath = ["X", "R1", "S3"]\nrate')
    (tmp_path / "link.toml").write_text(broken, encoding="utf-8")
    output = refused(["check", str(tmp_path / "link.toml")], capsys)
    assert "links.a = 1: must be a table, [links.a], not a number" in output


@pytest.mark.parametrize(
    ("table", "key", "value"),
    [
        ("links.left", "change", '[{ capacity = "FILE" }]'),
        ("links.left", "jitter", '{ file = "FILE" }'),
        ("traffic.again", "kind", '"replay"\nfrom = "S1"\nto = "S3"\nfile = "FILE"'),
    ],
)
def test_files_of_a_scenario_are_regular_and_bounded(
    table: str,
    key: str,
    value: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "long").write_text("1\n" * 8)
    monkeypatch.setattr(files, "MAX_BYTES", 15)
    for name, words in (("/dev/zero", "not a regular file"), (str(tmp_path / "pipe"), "not a regular file"),
                        (str(tmp_path), "not a regular file"), (str(tmp_path / "long"), "it has 16 bytes; at most 15 are read"),
                        (str(tmp_path / "none"), "cannot be read: No such file")):  # fmt: skip
        broken = f"{GOOD}\n[{table}]\n" if table not in GOOD else GOOD
        broken = broken.replace(f"[{table}]\n", f"[{table}]\n{key} = {value.replace('FILE', name)}\n")
        (tmp_path / "link.toml").write_text(broken, encoding="utf-8")
        assert words in refused(["check", str(tmp_path / "link.toml")], capsys)


def test_thousands_of_unknown_keys_are_told_at_once_and_in_short(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "link.toml").write_text("".join(f"key{i} = 1\n" for i in range(20_000)) + GOOD, encoding="utf-8")
    begun = time.process_time()
    lines = refused(["check", str(tmp_path / "link.toml")], capsys).splitlines()
    assert time.process_time() - begun < 5
    assert lines[0].endswith("has 20000 unknown keys, the first of them below")
    assert len(lines) == 22


def test_errors_of_thousands_of_tables_take_seconds() -> None:
    links = {"a": {"from": "S", "to": "D", "rate": "1Mbit", "delay": "1ms"}}
    traffic = {f"t{i}": {"kind": "tcp", "from": "S", "to": "D", "windows": 5} for i in range(8000)}
    begun = time.process_time()
    errors = resolve({"duration": "1s", "links": links, "traffic": traffic}).errors
    assert time.process_time() - begun < 8
    assert len(errors) == 8000
    assert 'did you mean "window"' in errors[-1].message


def test_many_watched_links_are_checked_in_seconds() -> None:
    queue = {"scheme": "red", "limit": "100p"}
    links = {"a": {"count": 50_000, "from": "S{i}", "to": "D", "rate": "1Mbit", "delay": "1ms", "queue": queue}}
    traffic = {"t": {"kind": "tcp", "from": "S0", "to": "D"}}
    begun = time.process_time()
    assert not resolve({"duration": "1s", "links": links, "traffic": traffic}).errors
    assert time.process_time() - begun < 8


@pytest.mark.parametrize("scheme", ["pie", "fq-pie"])
def test_mean_packets_that_the_aqm_takes_from_the_traffic_are_shown(
    scheme: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "link.toml"
    file.write_text(GOOD.replace(QUEUE, f'queue = {{ scheme = "{scheme}", limit = "100p" }}'), encoding="utf-8")
    with pytest.raises(SystemExit) as exit_info:
        app(["check", str(file)], prog_name="penstock")
    assert exit_info.value.code == 0
    assert "104 kB in packets of 1040 B" in capsys.readouterr().out
    none = f'queue = {{ scheme = "{scheme}", limit = "100p", mean_packet = "0B" }}'
    file.write_text(GOOD.replace(QUEUE, none), encoding="utf-8")
    assert "queue.mean_packet" in refused(["check", str(file)], capsys)
