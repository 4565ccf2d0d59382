"""The mapping of a scenario's traffic to real senders."""

from __future__ import annotations

from pathlib import Path

import pytest
from penstock.errors import RequirementError, ScenarioError
from penstock.link import traffic
from penstock.link.traffic import RealTraffic, TcpSettings, real_traffic
from penstock.scenario.document import Document

NETWORK = """
duration = "4s"
[links.bottleneck]
from = "R1"
to = "R2"
rate = "10Mbit"
delay = "10ms"
watch = true
[links.left]
from = "S"
to = "R1"
rate = "100Mbit"
delay = "0s"
[links.right]
from = "R2"
to = "D"
rate = "100Mbit"
delay = "0s"
"""


def mapped(*groups: str, real: str = "") -> RealTraffic:
    ends = 'from = "S"\nto = "D"\n'
    text = NETWORK + real + "".join(f"[traffic.t{i}]\n{ends}{group}\n" for i, group in enumerate(groups))
    document = Document.parse(text, "link.toml")
    return real_traffic(document.resolve(), document.origins)


def tcp(keys: str) -> TcpSettings:
    settings = mapped(f'kind = "tcp"\n{keys}').tcp[0]
    assert settings is not None
    return settings


@pytest.fixture(autouse=True)
def _controls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel with these congestion controls."""
    file = tmp_path / "controls"
    file.write_text("reno bbr cubic dctcp\n")
    monkeypatch.setattr(traffic, "CONTROLS", file)


@pytest.mark.parametrize(
    ("flavour", "name", "sack", "ecn"),
    [
        ("reno", "reno", False, False),
        ("newreno", "reno", False, False),
        ("sack", "reno", True, False),
        ("cubic", "cubic", True, False),
        ("bbr", "bbr", True, False),
        ("dctcp", "dctcp", True, True),
    ],
)
def test_flavours_are_congestion_controls_of_the_kernel(flavour: str, name: str, sack: bool, ecn: bool) -> None:
    settings = tcp(f'flavour = "{flavour}"\nprofile = "linux"')
    assert (settings.congestion_control, settings.sack, settings.ecn) == (name, sack, ecn)


def test_packets_keep_their_size_on_the_link() -> None:
    # 1460 B and 40 B of headers; timestamps take 12 B of the former.
    linux = tcp('profile = "linux"\nflavour = "cubic"\nwindow = 20')
    assert (linux.segment_bytes, linux.timestamps, linux.window_bytes, linux.transfer_bytes) == (
        1460,
        True,
        20 * 1448,
        None,
    )
    # 1000 B and 40 B, without timestamps.
    ns2 = tcp('profile = "ns2"\npackets = 50\necn = true\nflavour = "sack"')
    assert (ns2.segment_bytes, ns2.timestamps, ns2.window_bytes, ns2.transfer_bytes, ns2.ecn) == (
        1000,
        False,
        20_000,
        50_000,
        True,
    )
    # Large windows are left to the kernel.
    assert tcp('profile = "linux"\nbytes = "300kB"').window_bytes is None
    assert tcp('profile = "linux"\nbytes = "300kB"').transfer_bytes == 300_000


def test_hosts_are_the_ends_of_flows() -> None:
    mapped_traffic = mapped('kind = "cbr"\nrate = "1Mbit"\npacket = "500B"', 'kind = "web"\nprofile = "linux"')
    assert mapped_traffic.hosts == ("S", "D")
    assert mapped_traffic.tcp[0] is None
    assert mapped_traffic.tcp[1] is not None
    assert mapped_traffic.tcp[1].transfer_bytes is None


def test_everything_that_real_senders_cannot_do_is_refused_at_once() -> None:
    with pytest.raises(ScenarioError) as caught:
        mapped('kind = "tcp"\npacket = "1600B"', 'kind = "tcp"\npacket = "50B"', 'kind = "tcp"\ncount = 2500')
    messages = [str(error) for error in caught.value.errors]
    assert messages == [
        "link.toml:19: traffic: 2502 flows are too many for real senders: the maximum is 2000",
        'link.toml:23: traffic.t0.packet = "1600B": with headers of 40 bytes exceeds the MTU of the hosts: '
        'set real.mtu = "1640B"',
        'link.toml:28: traffic.t1.packet = "50B": the kernel sends no packets below 128B with headers',
    ]
    assert mapped('kind = "tcp"\npacket = "1600B"', real='[real]\nmtu = "1640B"\n').tcp[0] is not None


@pytest.mark.parametrize(
    ("key", "more"),
    [("writes", 'writes = [["0s", "9kB"]]'), ("write_rate", 'write_rate = "1Mbit"'), ("write", 'write = "1kB"')],
)
def test_applications_that_write_at_given_times_are_refused(key: str, more: str) -> None:
    message = rf"traffic\.t0\.{key} = .*: real senders always write as much as the kernel takes"
    with pytest.raises(ScenarioError, match=message):
        mapped(f'kind = "tcp"\n{more}')


def test_a_missing_congestion_control_is_told_with_those_that_are_there() -> None:
    with pytest.raises(RequirementError) as caught:
        mapped('kind = "tcp"\nflavour = "vegas"', 'kind = "tcp"\nflavour = "ledbat"\nprofile = "linux"')
    assert str(caught.value) == (
        "this kernel has no congestion control vegas (traffic.t0); ledbat (traffic.t1); it has reno, bbr, cubic, "
        "dctcp. Load one, as root: modprobe tcp_vegas, or take another: --set traffic.t0.flavour=cubic"
    )
    assert caught.value.exit_code == 4


def test_keys_of_the_simulated_tcp_are_told() -> None:
    assert mapped('kind = "tcp"\nprofile = "linux"\nwindow = 20').notes == ()
    assert mapped('kind = "tcp"\nprofile = "ns2"\nmin_rto = "1s"\ninitial_window = 4').notes == (
        "traffic.t0: the kernel's own TCP sends, whatever min_rto, initial_window say",
        "profiles other than linux describe simulated senders; the kernel's TCP sends for traffic.t0",
    )
