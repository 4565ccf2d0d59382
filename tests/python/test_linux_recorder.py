"""The recorder of Linux in virtual time, as far as it goes without a kernel."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from validation.linux import offload, pushes
from validation.linux.record import QUEUES, Cell, Ends, RecordingError, main, numbers, write

RECORDED = Path(__file__).parents[1] / "data" / "linux" / "qdisc_tcp.json"


def recorded() -> dict[str, dict[str, list[float]]]:
    cells: dict[str, dict[str, list[float]]] = json.loads(RECORDED.read_text())["cells"]
    return cells


def queue(drops: int, packets: int, more: Mapping[str, object], handle: str = "20:") -> dict[str, object]:
    return {"handle": handle, "drops": drops, "packets": packets, **more}


def test_every_recorded_cell_can_be_recorded_again() -> None:
    names = list(recorded())
    recorded_otherwise = {"red_timer", "red_timer_ecn"}
    assert {Cell.parse(name).queue for name in names} == {*QUEUES, "pfifo100"} - recorded_otherwise
    assert all(len(Cell.parse(name).controls) == int(name.split()[3]) for name in names)


def test_datagrams_of_a_full_frame_have_their_share_of_the_link() -> None:
    assert Cell.parse("sfb 20 cubic 4 udp0.5").datagram_ns == 2_422_400
    assert Cell.parse("sfb 20 cubic 4").datagram_ns == 0
    assert "datagram_ns=807467\n" in Cell.parse("sfb 20 cubic 4 udp1.5").job(start=0, traces=False)


def test_words_after_a_cell_set_what_its_hosts_do() -> None:
    cell = Cell.parse("codel 20 bbr 4 100mbit trains gro fq")
    assert cell.ends == Ends(trains=True, gro=True, fq=True, mbps=100)
    job = set(cell.job(start=0, traces=False).splitlines())
    assert {"rate=100mbit", "trains=1", "gro_ns=200000", "sender_queue=fq", "begin=5", "end=15", "bytes=0"} <= job
    plain = set(Cell.parse("pfifo50 20 bbr 4").job(start=0, traces=False, until_s=8, flow_bytes=1000).splitlines())
    assert {"queue='pfifo limit 50'", "rate=10mbit", "trains=0", "gro_ns=''", "bytes=1000", "begin=0", "end=8"} <= plain


def test_every_transfer_and_queue_with_trains_is_recorded() -> None:
    assert set(offload.recorded(offload.TRANSFERS)) == set(offload.transfers())
    assert set(offload.recorded(offload.QUEUES)) <= set(offload.cells())


def test_acknowledgements_and_the_end_of_a_transfer_are_read_from_captures() -> None:
    line = "{time} {to} 6000 5000 seq {seq} ack {ack} length {length} window 9 flags 10 ecn 0"
    sent = [line.format(time="0.0", to=">", seq=2**32 - 1, ack=0, length=0)]
    sent += [
        line.format(time=f"0.0{i}", to="<", seq=9, ack=ack, length=0) for i, ack in enumerate((0, 2896, 2896, 3000))
    ]
    packets = [offload.Packet.parse(text) for text in sent]
    assert list(offload.acknowledged(packets)) == [(10_000, 2), (30_000, 1)]
    arrivals = ((0, 1448), (2896, 104), (1448, 1448))
    received = [
        offload.Packet.parse(line.format(time=f"0.{i}", to="<", seq=seq, ack=0, length=length))
        for i, (seq, length) in enumerate(arrivals)
    ]
    assert offload.read_us(received, 3000) == 200_000


def test_packets_between_pushed_ones_are_counted_without_retransmissions() -> None:
    line = "{time} > 6000 5000 seq {seq} ack 1 length {length} window 9 flags {flags} ecn 0"
    mss, packets = offload.MSS, ((9.0, 1, "18"), (10.1, 4, "10"), (10.2, 5, "18"), (10.3, 1, "18"), (10.4, 12, "18"))
    lines = [line.format(time="0.0", seq=0, length=0, flags="02")]
    lines += [line.format(time=time, seq=1 + mss * n, length=mss, flags=flags) for time, n, flags in packets]
    assert list(pushes.gaps("\n".join(lines))) == [4, 7]
    assert pushes.usual([64, 65, 65, 107, 65]) == 64.75
    assert set(json.loads(pushes.FILE.read_text())) == set(pushes.names())


def test_of_two_congestion_controls_each_has_half_of_the_flows() -> None:
    assert Cell.parse("codel 20 cubic+bbr 4").controls == ("cubic", "cubic", "bbr", "bbr")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("codel 20 cubic 4 tcp0.5", "a cell is QUEUE RTT_MS CC FLOWS"),
        ("codel 20 cubic", "a cell is QUEUE RTT_MS CC FLOWS"),
        ("codle 20 cubic 4", "no queue codle"),
        ("codel 20 vegas 4", "no congestion control vegas"),
        ("codel 20 cubic+bbr 3", "as many of each"),
    ],
)
def test_a_cell_that_cannot_be_recorded_is_refused_with_its_reason(name: str, why: str) -> None:
    with pytest.raises(RecordingError, match=why):
        Cell.parse(name)


def test_without_a_kernel_it_says_how_to_build_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--kernel", str(tmp_path), "--write", str(tmp_path / "out.json"), "codel 20 cubic 4"])
    assert "build.sh makes it" in capsys.readouterr().err


def test_a_job_is_quoted_for_the_shell() -> None:
    job = Cell.parse("codel_ecn 80 reno 1").job(start=2, traces=False)
    assert "queue='codel limit 1000 target 5ms interval 100ms ecn'\n" in job
    assert {"shaper=htb", "rtt_ms=80", "ecn=1", "controls=reno", "start_us=262", "traces=0"} <= set(job.splitlines())
    assert "shaper=own\n" in Cell.parse("cake_10mbit 20 reno 4").job(start=0, traces=False)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"marked": 1}, {"marked": 4}),
        ({"ecn_mark": 1}, {"ecn_mark": 4}),
        ({"tins": [{"ecn_mark": 1}]}, {"tins": [{"ecn_mark": 4}]}),
    ],
    ids=["red", "codel", "cake"],
)
def test_numbers_are_differences_of_the_counters_of_the_queue_under_test(
    before: dict[str, object], after: dict[str, object]
) -> None:
    shaper = queue(99, 999, {}, handle="1:")
    result = {"goodput_bps": [1000000, 2000000], "backlog_packets": 12.3456}
    differences = numbers(result, [shaper, queue(10, 100, before)], [shaper, queue(25, 300, after)])
    assert differences == {"goodput": 3000000, "drops": 15, "marks": 3, "sent": 200, "backlog": 12.35}


def test_the_file_is_laid_out_as_the_recorded_one(tmp_path: Path) -> None:
    again = tmp_path / "new" / "again.json"
    write(again, recorded())
    assert again.read_text() == RECORDED.read_text()
    assert list(again.parent.iterdir()) == [again]
