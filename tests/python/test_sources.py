"""Transfers that arrive, incast, video, replay: their keys in TOML and in Python, their display, and their effect."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import penstock as ps
import pytest
from penstock.results.metrics import find_metric
from penstock.scenario.check import resolved_text
from penstock.scenario.document import Document
from penstock.scenario.elements import EcnField
from penstock.scenario.resolve.draws import DrawableValue, drawable_parser
from penstock.units import UnitError, format_size, parse_size

HEAD = 'duration = "1s"\n[links.b]\nfrom = "A"\nto = "B"\nrate = "1Mbit"\ndelay = "1ms"\nwatch = true\n[traffic.t]\n'
ENDS = 'from = "A"\nto = "B"\n'


def text(traffic: str) -> str:
    """A scenario with this traffic."""
    return HEAD + ENDS + traffic + "\n"


def canonical(traffic: str) -> dict[str, Any]:
    """The canonical form of the traffic."""
    resolved = Document.parse(text(traffic)).resolve()
    group: dict[str, Any] = resolved.canonical["traffic"][0]
    return group


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """Two packets, 2 ms apart, after an Ethernet header."""
    file = tmp_path / "two.pcap"
    header = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    frame = bytes(12) + struct.pack(">HBBH", 0x0800, 0x45, 0, 1500) + bytes(42)
    records = [struct.pack("<IIII", 9, micros, 60, 1514) + frame for micros in (1000, 3000)]
    file.write_bytes(header + b"".join(records))
    return file


KEYS = {
    "jitter": (
        'kind = "cbr"\nrate = "1Mbit"\npacket = "500B"\njitter = "20%"',
        ps.Cbr(rate="1Mbit", packet="500B", jitter="20%"),
    ),
    "marked": (
        'kind = "poisson"\nrate = "1Mbit"\npacket = "500B"\necn = true',
        ps.Poisson(rate="1Mbit", packet="500B", ecn=True),
    ),
    "marked as L4S": (
        'kind = "cbr"\nrate = "1Mbit"\npacket = "500B"\necn = "ect1"\ndscp = "NQB"',
        ps.Cbr(rate="1Mbit", packet="500B", ecn="ect1", dscp="NQB"),
    ),
    "writes": (
        'kind = "tcp"\nwrites = [["0s", "100kB"], ["1s", "50kB"]]',
        ps.Tcp(writes=[["0s", "100kB"], ["1s", "50kB"]]),
    ),
    "equal writes": (
        'kind = "tcp"\nwrite = "64kB"\nwrite_every = "40ms"',
        ps.Tcp(write="64kB", write_every="40ms"),
    ),
    "rate of writes": ('kind = "tcp"\nwrite_rate = "2Mbit"', ps.Tcp(write_rate="2Mbit")),
    "drawn size": ('kind = "tcp"\nbytes = { exp = "30kB" }', ps.Tcp(bytes={"exp": "30kB"})),
    "arrivals": (
        'kind = "tcp"\nbytes = { cdf = "web-search" }\narrivals = { exp = "10ms" }\nclasses = ["100kB", "10MB"]',
        ps.Tcp(bytes={"cdf": "web-search"}, arrivals={"exp": "10ms"}, classes=["100kB", "10MB"]),
    ),
    "load": (
        'kind = "tcp"\npackets = { uniform = [1, 9] }\nload = "1Mbit"',
        ps.Tcp(packets={"uniform": [1, 9]}, load="1Mbit"),
    ),
    "incast": (
        'kind = "incast"\nsenders = 4\nbytes = "8kB"\nevery = "1s"',
        ps.Incast(senders=4, bytes="8kB", every="1s"),
    ),
    "barrier": (
        'kind = "incast"\nsenders = 4\npackets = 8\npause = { exp = "1s" }',
        ps.Incast(senders=4, packets=8, pause={"exp": "1s"}),
    ),
    "video": (
        'kind = "video"\nrate = "1Mbit"\nfps = 29.97\ngop = "IPP"\nsizes = { I = 6 }\nadu = "gop"\ndependence = true',
        ps.Video(rate="1Mbit", fps=29.97, gop="IPP", sizes={"I": 6}, adu="gop", dependence=True),
    ),
}


@pytest.mark.parametrize("name", KEYS)
def test_python_and_toml_say_the_same_and_so_does_what_check_prints(name: str) -> None:
    written, built = KEYS[name]
    document = Document.parse(text(written))
    scenario = ps.Scenario.from_tree(document.tree)
    assert scenario.traffic["t"].tree() == built.tree() | {"from": "A", "to": "B"}
    assert ps.Scenario.loads(scenario.to_toml()) == scenario
    resolved = document.resolve()
    again = Document.parse(resolved_text(resolved)).resolve()
    assert again.readable == resolved.readable
    # What was left out of the keys of TCP is now given.
    groups = [dict(each.canonical["traffic"][0]) | {"tcp": None} for each in (again, resolved)]
    assert groups[0] == groups[1]


def test_a_load_is_that_of_the_mean_size() -> None:
    # 5 packets of 1000 B at 1 Mbit/s: one transfer every 40 ms.
    group = canonical('kind = "tcp"\npackets = { uniform = [1, 9] }\npacket = "1000B"\nload = "1Mbit"')
    assert group["transfers"]["arrivals"] == {"exp": 40_000_000}
    group = canonical('kind = "tcp"\nbytes = { list = ["1kB", "4kB"] }\nload = "1Mbit"')
    assert group["transfers"]["arrivals"] == {"exp": 20_000_000}


@pytest.mark.parametrize(("name", "mean"), [("web-search", 1.711e6), ("data-mining", 7.47e6)])
def test_known_distributions_have_the_means_that_are_told_of_them(name: str, mean: float) -> None:
    """1.7 MB of web search and 7.4 MB of data mining are named wherever these points are used."""
    drawn: DrawableValue = drawable_parser(parse_size, format_size)({"cdf": name})
    assert drawn.mean() == pytest.approx(mean, rel=0.01)
    points = np.array(drawn.distribution["cdf"] if drawn.distribution else [])
    u = (np.arange(1_000_000) + 0.5) / 1_000_000
    assert np.interp(u, points[:, 1], points[:, 0]).mean() == pytest.approx(drawn.mean(), rel=1e-3)


def test_sizes_from_a_file_beside_the_scenario(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cdf.csv").write_text("# sizes of flows\n1kB, 0.25\n\n5kB,1\n", encoding="utf-8")
    (tmp_path / "net.toml").write_text(text('kind = "tcp"\nbytes = { file = "cdf.csv" }'), encoding="utf-8")
    monkeypatch.chdir("/")
    scenario = ps.Scenario.load(tmp_path / "net.toml")
    resolved = scenario.resolve()
    assert resolved.canonical["traffic"][0]["transfers"]["size"] == {"cdf": [[1000, 0.25], [5000, 1.0]]}
    assert resolved.readable["traffic"]["t"]["bytes"] == {"cdf": [["1000B", 0.25], ["5000B", 1.0]]}
    key = scenario.key()
    (tmp_path / "cdf.csv").write_text("1kB,0.5\n5kB,1\n", encoding="utf-8")
    assert scenario.key() != key


def test_counts_in_a_file_need_no_unit(tmp_path: Path) -> None:
    (tmp_path / "cdf.csv").write_text("1,0.25\n5,1\n", encoding="utf-8")
    group = canonical(f'kind = "tcp"\npackets = {{ file = "{tmp_path / "cdf.csv"}" }}')
    assert group["transfers"]["size"] == {"cdf": [[1, 0.25], [5, 1.0]]}


BYTES = [[8760, 0.0], [8760, 0.15], [18980, 0.5], [29200, 1.0]]


@pytest.mark.parametrize(
    ("lines", "unit"),
    [
        # Packets of 1460 bytes with a constant between, as ns-2's tools take them: blanks, tabs and commas.
        ("6 1 0\n6\t1\t0.15\n13 1 0.5\n20 1 1\n", "1460B"),
        ("packets,one,cdf\n6,1,0\n6,1,0.15\n13,1,0.5\n20,1,1\n", "1460B"),
        # Bytes with percents, a header and comments.
        ("# web search\nsize cdf\n8760 0\n8760 15\n18980 50  # half\n\n29200 100\n", "1B"),
        ("8.76,0\n8.76,0.15\n18.98,0.5\n29.2,1\n", "1kB"),
    ],
)
def test_distributions_of_data_centre_papers_are_read(lines: str, unit: str, tmp_path: Path) -> None:
    (tmp_path / "cdf").write_text(lines, encoding="utf-8")
    drawn: DrawableValue = drawable_parser(parse_size, format_size)({"file": str(tmp_path / "cdf"), "unit": unit})
    assert drawn.distribution == {"cdf": BYTES}
    # By hand: an atom of 0.15 at 6 packets, 0.35 uniform from 6 to 13, 0.5 uniform from 13 to 20.
    assert drawn.mean() == pytest.approx(1460 * (0.15 * 6 + 0.35 * 9.5 + 0.5 * 16.5))


@pytest.mark.parametrize(
    ("lines", "more", "words"),
    [
        ("6 0.5\n7 1\n", {}, ['unit = "1B"', 'unit = "1460B"']),
        ("6B 0.5\n7B 1\n", {"unit": "1B"}, ["line 1", '"6B" is not a number']),
        ("6 1 0.5\n7 2 1\n", {"unit": "1B"}, ["three columns", "constant"]),
        ("6 1 0.5\n7 1\n", {"unit": "1B"}, ["same number of columns"]),
        ("6 0.5\n7 0.9\n", {"unit": "1B"}, ["the last probability of a cdf is 1, not 0.9"]),
        ("6 0.5 1 1\n", {"unit": "1B"}, ["line 1 is not a value and a probability"]),
        ("6 50\n7 10\n7 100\n", {"unit": "1B"}, ["must not fall"]),
        ("1kB,1\n", {"unit": "1x"}, ['unknown unit "x"']),
    ],
)
def test_ambiguous_distributions_are_refused(
    lines: str, more: dict[str, str], words: list[str], tmp_path: Path
) -> None:
    (tmp_path / "cdf").write_text(lines, encoding="utf-8")
    with pytest.raises(UnitError) as caught:
        drawable_parser(parse_size, format_size)({"file": str(tmp_path / "cdf"), **more})
    assert all(word in str(caught.value) for word in words), caught.value


def test_a_unit_belongs_to_a_file() -> None:
    with pytest.raises(UnitError, match="unit requires file"):
        drawable_parser(parse_size, format_size)({"exp": "1kB", "unit": "1B"})


def test_senders_of_incast_are_one_group() -> None:
    group = canonical('kind = "incast"\nsenders = 3\npackets = 5')
    assert (group["count"], group["from"], group["to"]) == (1, ["A", "A", "A"], ["B"])
    assert canonical('kind = "incast"\nsenders = 0\npackets = 5')["count"] == 0


def test_the_picture_of_a_scenario_counts_senders() -> None:
    from penstock.scenario.network_drawing import topology_lines

    resolved = Document.parse(text('kind = "incast"\nsenders = 3\npackets = 5')).resolve()
    assert any("3 × incast" in line for line in topology_lines(resolved.readable))


def test_completion_times_by_class_have_names_that_can_be_read() -> None:
    flows = ps.Tcp(bytes={"exp": "20kB"}, arrivals={"exp": "20ms"}, classes=["10kB", "50kB"], profile="linux")
    run = ps.run(ps.dumbbell(rate="50Mbit", rtt="10ms", duration="20s", queue=ps.DropTail(), traffic={"t": flows}))
    traffic = run.traffic["t"]
    names = [name for name in traffic if name.startswith("completed_")]
    assert names == ["completed_0_10000", "completed_10000_50000", "completed_50000_inf"]
    assert sum(traffic[name] for name in names) == traffic.completed
    # An exponential size of mean 20 kB: 39 % are at most 10 kB. Three standard deviations of a thousand are 5 %.
    assert traffic["completed_0_10000"] / traffic.completed == pytest.approx(1 - np.exp(-0.5), abs=0.05)
    assert traffic["completion_mean_0_10000_s"] < traffic.completion_mean_s < traffic["completion_mean_50000_inf_s"]
    assert find_metric("completion_p99_0_10000_s").title == "Completion time, 99th percentile, 0 to 10,000 B"
    assert find_metric("completed_50000_inf").title == "Transfers completed, above 50,000 B"


def test_sizes_in_bytes_are_delivered_to_the_byte() -> None:
    flows = ps.Tcp(bytes={"list": ["3001B"]}, arrivals="100ms", start="0s")
    run = ps.run(ps.dumbbell(rate="50Mbit", rtt="10ms", duration="10.05s", queue=ps.DropTail(), traffic={"t": flows}))
    traffic = run.traffic["t"]
    assert traffic.completed == 100
    assert traffic.goodput_bps * 10.05 / 8 == pytest.approx(100 * 3001)


def test_a_file_is_replayed(recorded: Path) -> None:
    replay = ps.Replay(file=str(recorded), count=2)
    scenario = ps.dumbbell(rate="1Mbit", rtt="20ms", duration="1s", queue=ps.DropTail(), traffic={"r": replay})
    group = ps.run(scenario).traffic["r"]
    assert group.sent_pkts == 4
    assert group.goodput_bps == pytest.approx(4 * (1500 - 28) * 8)
    resolved = scenario.resolve()
    assert resolved.readable["traffic"]["r"]["file"] == str(recorded)
    key = scenario.key()
    recorded.write_bytes(recorded.read_bytes()[:-76])
    assert scenario.key() != key
    assert ps.run(scenario).traffic["r"].sent_pkts == 2


def test_a_file_lies_beside_its_scenario(recorded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toml = recorded.with_name("net.toml")
    toml.write_text(text('kind = "replay"\nfile = "two.pcap"'), encoding="utf-8")
    monkeypatch.chdir("/")
    assert ps.run(ps.Scenario.load(toml)).traffic["t"].sent_pkts == 2


FIELDS: tuple[EcnField, ...] = ("not", "ect0", "ect1", "ce")


@pytest.mark.parametrize("field", FIELDS)
def test_every_source_of_datagrams_sends_its_ecn_field(field: EcnField) -> None:
    sources: dict[str, Any] = {
        "cbr": ps.Cbr(rate="100kbit", packet="500B", ecn=field),
        "poisson": ps.Poisson(rate="100kbit", packet="500B", ecn=field),
        "onoff": ps.OnOff(over="udp", rate="400kbit", packet="500B", on="100ms", off="300ms", ecn=field),
        "fec": ps.Fec(k=4, h=1, rate="100kbit", packet="500B", ecn=field),
        "video": ps.Video(rate="100kbit", packet="500B", ecn=field),
    }
    # The class selects packets with this field and drops all of them.
    classes: list[dict[str, Any]] = [
        {"name": "own", "match": {"ecn": field}, "queue": {"scheme": "bernoulli", "p": 1.0}},
        {"name": "rest"},
    ]
    for name, source in sources.items():
        queue = ps.Pq(limit="100p", classes=[ps.Class(**keys) for keys in classes])
        link = ps.dumbbell(rate="1Mbit", rtt="10ms", duration="5s", queue=queue, traffic={name: source})
        result = ps.run(link).traffic[name]
        assert (result.lost_pkts > 20, result.goodput_bps) == (True, 0), name


def _capture(file: Path, classes: list[int]) -> Path:
    """A capture of raw IPv4 packets of 1000 bytes, 1 ms apart, with these values in the second bytes of headers."""
    header = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)
    records = [
        struct.pack("<IIII", 1, 1000 * number, 20, 1000) + bytes([0x45, value]) + bytes(18)
        for number, value in enumerate(classes)
    ]
    file.write_bytes(header + b"".join(records))
    return file


def test_replayed_packets_keep_their_fields_unless_a_key_overrides_them(tmp_path: Path) -> None:
    # 10 packets of EF and ECT(1), 20 of NQB and ECT(0), 30 without either.
    file = _capture(tmp_path / "fields.pcap", [46 << 2 | 1] * 10 + [45 << 2 | 2] * 20 + [0] * 30)

    def counts(**keys: Any) -> tuple[dict[str, int], int, list[str]]:
        traffic = {"own": ps.Replay(file=str(file), **keys), "other": ps.Cbr(rate="1kbit", packet="500B", dscp="CS1")}
        queue = ps.Bernoulli(p=1.0, ecn=True)
        result = ps.run(ps.dumbbell(rate="100Mbit", rtt="10ms", duration="2s", queue=queue, traffic=traffic))
        link = result.links["bottleneck"]
        arrivals = {
            name: link[f"dscp_{name}_arrivals"] for name in ("ef", "nqb", "default") if f"dscp_{name}_arrivals" in link
        }
        return arrivals, link.marks, list(result.dscp)

    assert counts() == ({"ef": 10, "nqb": 20, "default": 30}, 30, ["CS1", "recorded"])
    assert counts(ecn="ect1") == ({"ef": 10, "nqb": 20, "default": 30}, 60, ["CS1", "recorded"])
    assert counts(ecn=False) == ({"ef": 10, "nqb": 20, "default": 30}, 0, ["CS1", "recorded"])
    assert counts(dscp="EF") == ({"ef": 60}, 30, ["CS1", "EF"])
    assert counts(dscp=0)[0] == {"default": 60}


def test_check_shows_the_fields_of_replayed_packets(recorded: Path) -> None:
    group = canonical(f'kind = "replay"\nfile = {json.dumps(str(recorded))}')
    assert (group["ecn"], group["dscp"]) == ("recorded", "recorded")
    output = resolved_text(Document.parse(text(f'kind = "replay"\nfile = {json.dumps(str(recorded))}')).resolve())
    assert {'ecn = "recorded"', 'dscp = "recorded"'} <= set(output.splitlines())


def test_a_write_takes_as_long_as_its_delivery() -> None:
    # 14 600 bytes are 10 packets of 1500 bytes on the wire: the initial window, which 10 Mbit/s serve in 12 ms. No ACK
    # is delayed, since a write ends with a pushed packet.
    tcp = ps.Tcp(write="14600B", write_every="100ms", start="0s")
    result = ps.run(ps.dumbbell(rate="10Mbit", rtt="20ms", duration="10s", traffic={"own": tcp})).traffic["own"]
    assert result.writes == 100
    assert result.retransmitted_pkts == 0
    assert 0.032 < result.write_p50_s < 0.036
    assert result.goodput_bps == pytest.approx(14_600 * 8 * 10, rel=0.02)


def test_a_sender_limited_by_its_application_does_not_open_its_window() -> None:
    def window(**keys: Any) -> float:
        tcp = ps.Tcp(profile="linux", flavour="cubic", **keys)
        link = ps.dumbbell(rate="100Mbit", rtt="50ms", duration="20s", traffic={"own": tcp})
        return float(ps.run(link).traffic["own"].cwnd_mean_pkts)

    # 2 Mbit/s over 50 ms are 8.6 packets of 1460 bytes; the initial window of 10 may double once.
    assert window(write_rate="2Mbit") <= 20
    assert window() > 100


@pytest.mark.parametrize("ecn", [False, True])
def test_datagrams_are_marked_if_they_may_be(ecn: bool) -> None:
    source = ps.Cbr(from_="S", to="D", rate="400kbit", packet="500B", ecn=ecn)
    link = ps.dumbbell(rate="1Mbit", rtt="10ms", queue=ps.Bernoulli(p=0.25, ecn=True), traffic={"t": source})
    queue = ps.run(link.replace("duration", "20s")).links["bottleneck"]
    assert (queue.marks > 0, queue.drops > 0) == (ecn, not ecn)


def test_new_kinds_are_listed() -> None:
    from penstock.cli.lists import LISTS

    assert {"incast", "video", "replay"} <= {entry["name"] for entry in LISTS["traffic"].entries()}
    names = {entry["name"] for entry in LISTS["metrics"].entries()}
    assert {"wasted_share", "frames", "useless_frames", "rounds", "round_mean_s", "completed"} <= names


@pytest.mark.parametrize(
    ("traffic", "message"),
    [
        ('kind = "cbr"\nrate = "1Mbit"\npacket = "5B"\njitter = 2', r"jitter = 2"),
        ('kind = "poisson"\nrate = "1Mbit"\npacket = "5B"\njitter = 0.1', "unknown key"),
        ('kind = "tcp"\narrivals = { exp = "1s" }', "size of the transfers"),
        ('kind = "tcp"\narrivals = "0s"\nbytes = "1kB"', "above 0s"),
        ('kind = "tcp"\nbytes = "1kB"\narrivals = "1s"\nload = "1Mbit"', "either arrivals"),
        ('kind = "tcp"\nbytes = "1kB"\nload = "0Mbit"', "above 0"),
        ('kind = "tcp"\nbytes = "1kB"\npackets = { exp = 5 }', "either in packets or in bytes"),
        ('kind = "tcp"\nbytes = "1kB"\narrivals = "1s"\nclasses = ["2kB", "1kB"]', "rising order"),
        ('kind = "tcp"\nbytes = "1kB"\narival = "1s"', 'did you mean "arrivals"'),
        ('kind = "tcp"\nbytes = { cdf = "web-serch" }', 'did you mean "web-search"'),
        ('kind = "tcp"\nbytes = { cdf = [["1kB", 0.5]] }', "last probability"),
        ('kind = "tcp"\nbytes = { cdf = [["1kB", 0.5], ["900B", 1]] }', "must not fall"),
        ('kind = "tcp"\nbytes = { cdf = [[1000, 1]] }', "no unit"),
        ('kind = "tcp"\nbytes = { cdf = ["1kB"] }', "points such as"),
        ('kind = "tcp"\nbytes = { file = "none.csv" }', "cannot be read: No such file"),
        ('kind = "incast"\nsenders = 3', "size of the transfers"),
        ('kind = "incast"\ncount = 3\npackets = 5', "write senders"),
        ('kind = "incast"\npackets = 5\nevery = "0s"', "above 0s"),
        ('kind = "incast"\npackets = 5\nevery = "1s"\npause = "1s"', "either every"),
        ('kind = "video"', "rate: is missing"),
        ('kind = "video"\nrate = "1Mbit"\ngop = "PBB"', "begin with I"),
        ('kind = "video"\nrate = "1Mbit"\nfps = 0', "between 0.001"),
        ('kind = "video"\nrate = "1Mbit"\nsizes = { X = 1 }', "available: I, P, B"),
        ('kind = "video"\nrate = "1Mbit"\nvariation = -1', "between 0 and 10"),
        ('kind = "video"\nrate = "1Mbit"\ndependence = 1', "true or false"),
        ('kind = "video"\nrate = "1Mbit"\npacket = "0B"', "between 1B"),
        (
            'kind = "cbr"\nrate = "1Mbit"\npacket = "500B"\necn = "etc1"',
            'ecn .*not, ect0, ect1, ce; did you mean "ect1"',
        ),
        ('kind = "cbr"\nrate = "1Mbit"\npacket = "500B"\necn = "recorded"', "must be one of not, ect0, ect1, ce"),
        ('kind = "cbr"\nrate = "1Mbit"\npacket = "500B"\ndscp = "recorded"', "must be a code point from 0 to 63"),
        ('kind = "video"\nrate = "1Mbit"\necn = 1', "must be one of not, ect0, ect1, ce"),
        ('kind = "tcp"\nwrites = []', "at least 1 writes such as"),
        ('kind = "tcp"\nwrites = ["1s"]', "must be a time and a size"),
        ('kind = "tcp"\nwrites = [["1s", "0B"]]', "at least 1B"),
        ('kind = "tcp"\nwrites = [["1s", "9B"], ["0s", "9B"]]', "in the order of time"),
        ('kind = "tcp"\nwrites = [["1s", "9B"]]\nwrite_rate = "1Mbit"', "not together with write"),
        ('kind = "tcp"\nwrite_every = "1s"', "needs write, the size of each write"),
        ('kind = "tcp"\nwrite = "1kB"\nwrite_every = "1s"\nwrite_rate = "1Mbit"', "not together with write_every"),
        ('kind = "tcp"\nwrite = "1kB"\nwrite_every = "0s"', "must lie between"),
        ('kind = "tcp"\nwrite_rate = "0bit"', "a rate must be above 0"),
        ('kind = "tcp"\nwrite_evry = "1s"', 'did you mean "write_every"'),
        ('kind = "replay"', "file: is missing"),
        ('kind = "replay"\nfile = "none.pcap"', "cannot be read: No such file"),
    ],
)
def test_errors_are_told(traffic: str, message: str) -> None:
    with pytest.raises(ps.ScenarioError, match=message):
        ps.Scenario.loads(text(traffic))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "ends within its header"),
        (b"plain text, no packets at all", "is neither a pcap nor a pcapng file"),
        (b"\n\r\r\n" + bytes(40), "pcapng"),
    ],
)
def test_a_file_that_is_no_capture_is_refused_by_its_key(content: bytes, message: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.pcap"
    file.write_bytes(content)
    with pytest.raises(ps.ScenarioError, match=rf"traffic\.t\.file = .*{message}"):
        ps.Scenario.loads(text(f'kind = "replay"\nfile = {json.dumps(str(file))}'))
