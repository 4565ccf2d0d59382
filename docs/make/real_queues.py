"""The page that compares queues of Linux with penstock's under the TCP of Linux, from the recorded runs.

`make real-queues` records the runs (`validation/linux/real_queues.py`) and writes the page.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import measured
from penstock.files import write_text
from penstock.results.estimate import Estimate, summarize

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT))

from validation.linux.real_queues import CELLS, SIDES, recorded  # noqa: E402
from validation.linux.record import BEGIN_S, END_S, Cells  # noqa: E402

PAGE = ROOT / "docs" / "explanation" / "real-queues.md"
BOUND = 0.1
"""Relative deviation from Linux above which a ratio is printed bold."""
RESULTS = ("delay", "drops", "marks")


@dataclass(frozen=True)
class Compared:
    """A result of a cell for Linux and for penstock, over the starts of its flows."""

    cell: str
    result: str
    linux: Estimate
    penstock: Estimate

    @property
    def ratio(self) -> float:
        """The ratio of penstock's mean to Linux's."""
        if self.linux.mean == 0:
            return 1.0 if self.penstock.mean == 0 else math.inf
        return self.penstock.mean / self.linux.mean

    @property
    def deviates(self) -> bool:
        """The means differ by more than a tenth."""
        return abs(self.ratio - 1) > BOUND


def values(numbers: Mapping[str, Sequence[float]], result: str) -> list[float]:
    """A result of each start: the mean delay in ms, by Little's law, or a count."""
    if result != "delay":
        return list(numbers[result])
    return [
        waiting * (END_S - BEGIN_S) / sent * 1e3
        for waiting, sent in zip(numbers["backlog"], numbers["sent"], strict=True)
    ]


def compared(cells: Cells) -> list[Compared]:
    """Every result of every cell."""
    return [
        Compared(cell, result, *(summarize(values(cells[f"{cell} {side}"], result)) for side in SIDES))
        for cell in CELLS
        for result in RESULTS
    ]


HEAD = """# The queues of Linux and of penstock under real TCP

This page compares five queues of Linux with penstock's under the same real traffic: TCP flows of Linux 6.1 and a
ping. Everything runs in a kernel in virtual time, whose clock advances only while all processes wait
(`validation/linux`). So neither other load nor the emulator's own processing time affects the numbers.

{findings}

## Set-up

* *Linux*: three network namespaces in a row. The middle one sends at 10 Mbit/s (`htb`) through the queue under test.
  `netem` delays the packets of the reverse direction.
* *penstock*: two network namespaces, joined by the emulator (`crates/penstock-emu/examples/joined.rs`). The emulated
  link has the same rate, queue and round trip.
* *Traffic*: Flows start 100 ms apart and send for 60 s, without segmentation offload. Statistics start after {begin}
  s. A ping of 84 bytes crosses the queue every 10.007 ms. In each further repetition ("start"), the flows start 131 µs
  later.
* *Sizes*: Both queues count the bytes of IP packets (in Linux, by `stab overhead -14`). A full packet takes 1.2 ms.
* *Round trip*: Linux delivers a packet at the beginning of its transmission, penstock at the end. The emulated return
  path is therefore 1.2 ms shorter.
* *Parameters*: the same as in the [simulated cells](linux.md#queues-under-tcp). PIE updates its probability every 20 ms
  instead of 15 ms, because this kernel's timers have ticks of 10 ms.

The mean delay is the mean number of waiting packets divided by the departure rate. `make real-queues` records all
numbers in `tests/data/linux/real_queues.json` and writes this page. It takes about two hours on one processor, after
`make linux-kernel`.

## Results

The numbers are means over {starts} starts. A cell is named by its queue, the round trip in ms, the congestion control
and the number of flows. In cells with `_ecn`, the queue marks and both hosts use ECN. CAKE marks whenever the hosts
use ECN.

"""


def page(cells: Cells) -> str:
    """The text of the page."""
    found = compared(cells)
    starts = sorted({side.runs for c in found for side in (c.linux, c.penstock)})
    head = measured.wrapped(
        HEAD.format(findings=findings(found, cells), begin=BEGIN_S, starts=" or ".join(map(str, starts)))
    )
    return f"{head}\n{table(found)}{steps(cells)}"


def findings(found: Sequence[Compared], cells: Cells) -> str:
    """The summary of the results in a few sentences."""
    near = sum(not c.deviates for c in found)
    largest = {r: f"{100 * max(abs(c.ratio - 1) for c in found if c.result == r):.0f} %" for r in RESULTS}
    late = max(max(numbers["late_us"]) for entry, numbers in cells.items() if entry.endswith("penstock"))
    return (
        f"The page has the mean delay, drops and marks of {len(CELLS)} cells. Of these {len(found)} results, {near} "
        f"are within 10 % of Linux's. The largest deviations are {largest['delay']} (delay), {largest['drops']} "
        f"(drops) and {largest['marks']} (marks). In every run, the emulator sent 99 % of the packets at most "
        f"{late:.1f} µs late."
    )


def table(found: Sequence[Compared]) -> str:
    """All cells."""
    lines = [
        "| cell |" + "".join(f" {title}: Linux | penstock | ratio |" for title in ("delay in ms", "drops", "marks")),
        "| --- |" + " ---: |" * 9,
    ]
    for cell in CELLS:
        shown = [text for c in found if c.cell == cell for text in _shown(c)]
        lines.append(f"| {cell.replace('cake_htb', 'cake')} | {' | '.join(shown)} |")
    return "\n".join(lines) + "\n"


def _shown(c: Compared) -> Iterator[str]:
    digits = 2 if c.result == "delay" else 1
    yield from (f"{side.mean:.{digits}f}" for side in (c.linux, c.penstock))
    ratio = "" if c.linux.mean == c.penstock.mean == 0 else f"{c.ratio:.2f}"
    yield f"**{ratio}**" if c.deviates else ratio


NOTE = """
## Flows without ECN

RED and CoDel sometimes drop a SYN, because SYNs are not ECN-capable. Linux then uses no ECN for this connection, and
about 200 of its packets are dropped instead of marked. The table divides the starts at {bound} drops: a start with
more has at least one flow without ECN.

{table}
"""
STEPPED, STEP = ("red_ecn 20 cubic 4", "codel_ecn 20 cubic 4"), 200


def steps(cells: Cells) -> str:
    """The table of the starts with and without such flows."""
    lines = [
        "| cell | queue of | flows without ECN | starts | drops | marks |",
        "| --- | --- | --- | ---: | ---: | ---: |",
    ]
    for entry in (f"{cell} {side}" for cell in STEPPED for side in SIDES):
        cell, side = entry.rsplit(maxsplit=1)
        rows = list(zip(cells[entry]["drops"], cells[entry]["marks"], strict=True))
        for title, group in (
            ("none", [row for row in rows if row[0] <= STEP]),
            ("one or more", [row for row in rows if row[0] > STEP]),
        ):
            means = [f"{sum(column) / len(group):.1f}" for column in zip(*group, strict=True)] or ["", ""]
            lines.append(f"| {cell} | {side} | {title} | {len(group)} | {' | '.join(means)} |")
    return measured.wrapped(NOTE.format(bound=STEP, table="\n".join(lines)))


def main() -> None:
    """Write the page."""
    write_text(PAGE, page(recorded()))


if __name__ == "__main__":
    main()
