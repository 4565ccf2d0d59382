"""``python -m validation.linux.pushes``: how many packets lie between the pushed packets of a flow.

The application of the recordings writes whenever a third of the socket's buffer is free, and Linux pushes the last
packet of each write. How long that third is depends on the windows that the flow had. It is read from captures here,
for each cell of ``qdisc_tcp.json`` with one flow of Reno or CUBIC.
"""

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from validation.linux import record
from validation.linux.offload import DATA, MSS
from validation.linux.record import Cell

FILE = DATA / "qdisc_tcp_pushes.json"
PUSH = 8
"""The flag in the TCP header."""
BEGIN_S, END_S = 10, 16
"""The times of the capture between which the packets are counted."""


def names() -> list[str]:
    """The cells."""
    cells = json.loads((DATA / "qdisc_tcp.json").read_text(encoding="utf-8"))["cells"]
    parsed = {name: Cell.parse(name) for name in cells}
    return [
        name
        for name, cell in parsed.items()
        if len(cell.controls) == 1 and cell.controls[0] != "bbr" and not cell.datagram_ns
    ]


def gaps(capture: str) -> Iterator[int]:
    """Packets from one pushed packet to the next, retransmissions left out, from the lines of ``sender.txt``."""
    lines = [line.split() for line in capture.splitlines() if " ping " not in line]
    first = int(lines[0][5])
    last = 0
    for time, direction, *words in lines:
        seq, length, flags = (int(words[3]) - first) % 2**32, int(words[7]), int(words[11], 16)
        if direction == ">" and length and flags & PUSH and seq > last:
            if float(time) > BEGIN_S and last:
                yield round((seq - last) / MSS)
            last = seq


def usual(counts: Sequence[int]) -> float:
    """The mean of those counts that are at most one packet from the median: the others are from recoveries."""
    middle = statistics.median_low(counts)
    return round(statistics.mean(count for count in counts if abs(count - middle) <= 1), 2)


def main(arguments: list[str] | None = None) -> int:
    """Record the cells that the file lacks."""
    parser = argparse.ArgumentParser(
        prog="python -m validation.linux.pushes", description=(__doc__ or "").split("\n")[0]
    )
    record.add_kernel(parser)
    options = parser.parse_args(arguments)
    record.check_kernel(parser, options)
    kept = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    for name in names():
        if name not in kept:
            with tempfile.TemporaryDirectory() as folder:
                job = Cell.parse(name).job(start=0, traces=True, until_s=END_S)
                record.measure(options.kernel, job, 0, Path(folder))
                kept[name] = usual([*gaps((Path(folder) / "sender.txt").read_text(encoding="utf-8"))])
            FILE.write_text(json.dumps(kept, indent=0) + "\n", encoding="utf-8")
            print(name, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
