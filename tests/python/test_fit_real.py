"""`penstock fit` on captures of Linux senders on a real link, at three capture points."""

from __future__ import annotations

import re
from pathlib import Path

import penstock as ps
import pytest

from .test_cli import penstock
from .test_fit import CONTROLS, LINKS, POINTS, QUEUES, ROUND_TRIP_S, value

REAL_BULK = '[traffic.bulk]\nkind = "tcp"\ncount = 2\nfrom = "S"\nto = "D"\nstart = { first = "0s", every = "500ms" }\n'


@pytest.mark.link
@pytest.mark.parametrize(
    ("control", "scheme"), [("cubic", "droptail"), ("cubic", "codel"), ("cubic", "fq-codel"), ("bbr", "codel")]
)
def test_captures_of_linux_senders_match_the_link(control: str, scheme: str, tmp_path: Path) -> None:
    available = Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text(encoding="utf-8").split()
    if control not in available:
        pytest.skip(f"this kernel lacks {control}")
    (tmp_path / "real.toml").write_text(LINKS + REAL_BULK + f'flavour = "{control}"\n', encoding="utf-8")
    where = [f"--pcap={link}={point}.pcap" for point, link in POINTS.items()]
    queue = f"--set=links.bottleneck.queue.scheme={scheme}"
    process = penstock(
        "run", "real.toml", "--on", "link", "--set=duration=12s", queue, "--snaplen", "100", *where, cwd=tmp_path
    )
    if process.returncode == 1 and (invalid := re.search(r"invalid after .*", process.stderr)):
        pytest.skip(f"inconclusive, the machine is too busy: {invalid[0]}")
    assert process.returncode == 0, process.stderr
    for point in POINTS:
        fit = ps.fit(tmp_path / f"{point}.pcap")
        assert value(fit, "bottleneck.rate") == pytest.approx(10e6, rel=0.02)
        assert value(fit, "bottleneck.queue") == QUEUES[scheme]
        if scheme == "droptail":
            assert value(fit, "bottleneck.buffer") == pytest.approx(80 * 1500, rel=0.1)
        for flow in fit.flows:
            assert value(fit, f"{flow.name}.rtt") == pytest.approx(ROUND_TRIP_S, rel=0.03)
            assert value(fit, f"{flow.name}.segment") == 1448
            assert value(fit, f"{flow.name}.control") in (CONTROLS[control], None)
