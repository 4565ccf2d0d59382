"""``python -m validation.linux.offload``: senders that send trains of packets, and receivers that merge packets.

Transfers of one flow are recorded train by train, queues under TCP as in ``qdisc_tcp.json``.
"""

import argparse
import itertools
import json
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from validation.linux import record
from validation.linux.record import Cell, RecordingError

DATA = record.HERE.parents[1] / "tests" / "data" / "linux"
TRANSFERS = DATA / "offload_single_flow.json"
QUEUES = DATA / "offload.json"
MSS = 1448
FLOW_BYTES = {10: 2 << 20, 100: 8 << 20, 1000: 16 << 20}
"""Length of a transfer, by the link's rate in Mbit/s."""
LAST_S = 8
"""Maximum duration of the recording of a transfer."""
KEPT = 300
"""Trains and runs of acknowledgements that the file lists per transfer; the others are only counted by size."""

PATHS = ("40", "20 100mbit", "80 100mbit", "2 100mbit", "20 1000mbit")
QDISCS = ("pfifo100", "codel", "fq_codel", "cake_htb")
CONTROLS = (("reno", ""), ("cubic", ""), ("cubic", " fq"), ("bbr", ""))


def cells() -> Iterator[str]:
    """The recorded queues, named as those of ``record``; the longer round trip without GRO and pacing alone."""
    flows = (("bbr 1", ""), ("bbr 4", ""), ("cubic 4", ""), ("cubic 4", " fq"))
    for rtt, rate, gro in ((20, "", ""), (20, "", " gro"), (20, " 100mbit", ""), (80, "", ""), (20, " 100mbit", " gro"),
                           (80, " 100mbit", "")):  # fmt: skip
        for queue, (controls, pacing) in itertools.product(QDISCS, flows if rtt == 20 else flows[1:3]):
            yield f"{queue} {rtt} {controls}{rate} trains{gro}{pacing}"


def transfers() -> Iterator[str]:
    """The recorded transfers: each congestion control over each path, and some with a short queue or GRO."""
    for path, (control, pacing) in itertools.product(PATHS, CONTROLS):
        rtt, _, rate = path.partition(" ")
        for queue, gro in (("pfifo50", ""), ("pfifo10000", ""), ("pfifo10000", " gro")):
            if queue == "pfifo10000" or path in PATHS[:2]:
                yield f"{queue} {rtt} {control} 1{rate and f' {rate}'} trains{gro}{pacing}"


@dataclass(frozen=True)
class Packet:
    """A line of a capture."""

    time_us: int
    direction: str
    from_port: int
    seq: int
    ack: int
    length: int

    @classmethod
    def parse(cls, line: str) -> "Packet":
        """Of ``sender.txt`` or ``receiver.txt``, TCP."""
        words = line.split()
        return cls(round(float(words[0]) * 1e6), words[1], int(words[2]), int(words[5]), int(words[7]), int(words[9]))


def capture(folder: Path, name: str) -> list[Packet]:
    """The TCP packets of one end."""
    lines = (folder / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [Packet.parse(line) for line in lines if " ping " not in line]


def steps(values: Iterable[int]) -> str:
    """``1x16 2x3``: sixteen times one, then three times two."""
    return " ".join(f"{value}x{len(list(group))}" for value, group in itertools.groupby(values))


def acknowledged(packets: list[Packet]) -> Iterator[tuple[int, int]]:
    """Time and step, in packets, of each acknowledgement that advances."""
    answers = [packet for packet in packets if packet.direction == "<"]
    last = packets[0].seq + 1
    for packet in answers:
        advance = (packet.ack - last) % 2**32
        if 0 < advance < 2**31:
            yield packet.time_us, -(-advance // MSS)
            last = packet.ack


def read_us(packets: list[Packet], flow_bytes: int) -> int:
    """When all bytes had arrived."""
    data = [packet for packet in packets if packet.direction == "<" and packet.length]
    first, got, waiting = min(data, key=lambda packet: packet.time_us).seq, 0, dict[int, int]()
    for packet in data:
        begin = (packet.seq - first) % 2**32
        waiting[begin] = max(waiting.get(begin, 0), begin + packet.length)
        for start in sorted(waiting):
            if start <= got:
                got = max(got, waiting.pop(start))
        if got >= flow_bytes:
            return packet.time_us
    raise RecordingError(f"{got} of {flow_bytes} bytes arrived")


def samples(folder: Path, zero_us: int, done_us: int) -> list[list[int]]:
    """Time, window and pacing rate (bytes/s) until the transfer was done, where one of these changed."""
    kept: list[list[int]] = []
    for line in (folder / "tcp_info.txt").read_text(encoding="utf-8").splitlines():
        words = line.split()
        values = dict(zip(words[2::2], words[3::2], strict=True))
        sample = [round(float(words[0]) * 1e6) - zero_us, int(values["cwnd"]), int(values["pacing"])]
        if 0 < sample[0] <= done_us and (not kept or kept[-1][1:] != sample[1:]):
            kept.append(sample)
    return kept


def retransmissions(folder: Path) -> int:
    """The sender's final count."""
    return int((folder / "tcp_info.txt").read_text(encoding="utf-8").split(" total ")[-1].split()[0])


def transfer(kernel: Path, name: str, starts: int, folder: Path) -> dict[str, Any]:
    """Record one transfer with each start; the lists of packets are those of the first."""
    cell = Cell.parse(name)
    flow_bytes = FLOW_BYTES[cell.ends.mbps]
    lists = ("done_us", "retransmissions", "trains_sent", "acks_sent")
    numbers: dict[str, Any] = {"bytes": flow_bytes, **{key: [] for key in lists}}
    for start in range(starts):
        place = folder / f"{name} {start}".replace(" ", "_")
        record.measure(kernel, cell.job(start, traces=True, until_s=LAST_S, flow_bytes=flow_bytes), start, place)
        sent, received = capture(place, "sender"), capture(place, "receiver")
        zero_us = sent[0].time_us
        trains = [packet for packet in sent if packet.direction == ">" and packet.length]
        answers = list(acknowledged(sent))
        numbers["done_us"].append(read_us(received, flow_bytes) - zero_us)
        numbers["retransmissions"].append(retransmissions(place))
        numbers["trains_sent"].append(len(trains))
        numbers["acks_sent"].append(len(answers))
        if start == 0:
            times = [zero_us, *(train.time_us for train in trains)]
            sizes = [-(-train.length // MSS) for train in trains]
            gaps = (after - before for before, after in itertools.pairwise(times))
            listed = itertools.islice(zip(gaps, sizes, strict=True), KEPT)
            numbers["trains"] = " ".join(f"{gap}:{size}" for gap, size in listed)
            numbers["train_sizes"] = steps(sorted(sizes))
            numbers["ack_steps"] = " ".join(steps(step for _, step in answers).split()[:KEPT])
            numbers["ack_sizes"] = steps(sorted(step for _, step in answers))
            numbers["samples"] = samples(place, zero_us, numbers["done_us"][0])
    return numbers


def recorded(file: Path) -> dict[str, Any]:
    """The recordings in the file."""
    kept: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))["cells"] if file.exists() else {}
    return kept


def record_transfers(kernel: Path, starts: int, traces: Path | None) -> None:
    """The recordings that the file lacks."""
    kept = recorded(TRANSFERS)
    with tempfile.TemporaryDirectory() as scratch:
        for name in transfers():
            if name not in kept:
                kept[name] = transfer(kernel, name, starts, traces or Path(scratch))
                record.write(TRANSFERS, kept)
                print(name, flush=True)


def main(arguments: list[str] | None = None) -> int:
    """Exit code 1 when a queue could not be recorded."""
    parser = argparse.ArgumentParser(
        prog="python -m validation.linux.offload",
        description="Record what the files on segmentation offload and GRO lack, with Linux 6.1 in virtual time.",
    )
    parser.add_argument("--only", choices=("transfers", "queues"), help="record these alone")
    record.add_machine(parser)
    parser.set_defaults(starts=3)
    options = parser.parse_args(arguments)
    record.check(parser, options)
    complete = True
    if options.only != "queues":
        record_transfers(options.kernel, options.starts, options.traces)
    if options.only != "transfers":
        runs = {name: partial(record.run, options.kernel, Cell.parse(name)) for name in cells()}
        save = partial(record.write, QUEUES)
        complete = record.record(runs, options.starts, options.jobs, save, kept=recorded(QUEUES))
    return 0 if complete else 1


if __name__ == "__main__":
    sys.exit(main())
