"""A valid scenario to be broken, and a command line that must refuse the broken one."""

from __future__ import annotations

from pathlib import Path

import pytest
from penstock.cli.app import app

Case = tuple[tuple[str, str], list[str]]
"""A text in `GOOD`, its replacement, and the expected parts of the message. The line is where the key then stands."""

GOOD = """\
name = "small"
duration = "2s"
warmup = "0s"
sampling = "10ms"
seed = 1

[links.bottleneck]
from = "R1"
to = "R2"
rate = "1.5Mbit"
delay = "20ms"
queue = { scheme = "red", limit = "35p", min_th = 5, max_th = 15, max_p = 0.1 }
reverse = { queue = "same" }
watch = true

[links.left]
from = "S1"
to = "R1"
rate = "10Mbit"
delay = "2ms"

[links.right]
from = "R2"
to = "S3"
rate = "10Mbit"
delay = "4ms"

[traffic.bulk]
kind = "tcp"
flavour = "sack"
count = 2
from = "S1"
to = "S3"
packet = "1000B"
window = 20
start = "0s"
stop = "2s"

[traffic.udp]
kind = "cbr"
from = "S1"
to = "S3"
rate = "100kbit"
packet = "500B"
"""

QUEUE = 'queue = { scheme = "red", limit = "35p", min_th = 5, max_th = 15, max_p = 0.1 }'


def queue(settings: str) -> tuple[str, str]:
    """Another queue at the bottleneck."""
    return QUEUE, f"queue = {{ {settings} }}"


ISLAND = '\n[links.island]\nfrom = "X1"\nto = "X2"\nrate = "1Mbit"\ndelay = "1ms"\n'


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Run a command that must fail with exit code 2 and without a traceback; its messages."""
    with pytest.raises(SystemExit) as exit_info:
        app(arguments, prog_name="penstock")
    printed = capsys.readouterr()
    assert exit_info.value.code == 2, printed
    assert printed.out == ""
    assert printed.err
    assert "Traceback" not in printed.err
    return printed.err


def refuse_case(case: Case, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The broken file gets the same helpful message from `check`, `run` and `compare`."""
    (before, after), fragments = case
    assert GOOD.count(before) >= 1, f"{before!r} stands nowhere"
    monkeypatch.chdir(folder)
    Path("link.toml").write_text(GOOD.replace(before, after, 1))
    message = refused(["check", "link.toml"], capsys)
    assert message.startswith("link.toml")
    for fragment in fragments:
        assert fragment in message
    assert refused(["run", "link.toml"], capsys) == message
    assert refused(["compare", "link.toml", "--scheme", "red", "--runs", "1"], capsys) == message
