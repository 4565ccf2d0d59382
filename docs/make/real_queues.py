"""Queues of Linux beside penstock's, under the TCP of Linux: the page, from the recorded runs.

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
"""Largest deviation from Linux; one beyond it is printed bold."""
RESULTS = ("delay", "drops", "marks")


@dataclass(frozen=True)
class Compared:
    """A result of a cell on both sides, over the starts of its flows."""

    cell: str
    result: str
    linux: Estimate
    penstock: Estimate

    @property
    def ratio(self) -> float:
        """The mean of penstock over that of Linux."""
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

This page compares five queues of Linux with penstock's: RED, CoDel, FQ-CoDel, PIE and CAKE. Both carry the same real
traffic, TCP flows of Linux 6.1 and a ping. Everything runs in a kernel in virtual time (`validation/linux`), where time
passes only while all processes wait: no other load on the machine, and no delay of the emulator itself, disturbs the
numbers. So the differences that remain are differences of the queues.

{findings}

## Set-up

* *Linux*: three network namespaces in a row. The one in the middle sends at 10 Mbit/s (`htb`) through the queue under
  test; `netem` delays what comes back.
* *penstock*: the namespaces of the two hosts alone, joined by the emulator (`crates/penstock-emu/examples/joined.rs`)
  with a TUN device in each. Its link has the same rate, queue and round trip.
* The hosts, their programs and the counting are the same on both sides: flows start 100 ms apart and have data for
  60 s, segments are sent one by one (no segmentation offload), a ping of 84 bytes crosses the queue every 10.007 ms,
  and the first {begin} s are not counted. Each start shifts the flows by another 131 us.
* Both count the bytes of IP packets. Linux would count the 14 bytes of Ethernet headers as well, so its sizes are
  reduced by them (`stab overhead -14`). A full packet then takes 1.2 ms on both sides.
* Linux delivers a packet when its transmission begins, penstock when it ends. The emulated way back is therefore
  1.2 ms shorter, and the round trips are equal.
* The parameters are those of the [simulated cells](linux.md): limits, thresholds and weights as given to `tc`. PIE
  updates its probability every 20 ms, two ticks of the recorded kernel.

The mean delay is the mean number of waiting packets divided by the rate of departures. `make real-queues` records all
numbers and writes this page (about two hours of one processor, after `make linux-kernel`); they are in
`tests/data/linux/real_queues.json`.

## Results

Means over {starts} starts. A cell is a queue, the round trip in ms, the congestion control and the number of flows;
with `_ecn`, the queue marks and both hosts use ECN. CAKE marks wherever the hosts allow it.

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
    """The result in a few sentences."""
    near = sum(not c.deviates for c in found)
    largest = {r: f"{100 * max(abs(c.ratio - 1) for c in found if c.result == r):.0f} %" for r in RESULTS}
    late = max(max(numbers["late_us"]) for entry, numbers in cells.items() if entry.endswith("penstock"))
    return (
        f"Of {len(found)} results (mean delay, drops and marks of {len(CELLS)} cells), {near} are within 10 % of "
        f"Linux's. The largest deviations are {largest['delay']} of the delay, {largest['drops']} of the drops and "
        f"{largest['marks']} of the marks. In every run, the emulator wrote 99 % of the packets at most {late:.1f} us "
        "after their time."
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

With ECN the number of drops comes in steps behind RED and CoDel. These queues may drop the packet that opens a
connection, since it is not ECN-capable, and Linux then uses no ECN for that connection: some 200 packets of its flow
are dropped that would be marked otherwise. Starts with more than {bound} drops have such a flow:

{table}
"""
STEPPED, STEP = ("red_ecn 20 cubic 4", "codel_ecn 20 cubic 4"), 200


def steps(cells: Cells) -> str:
    """The starts with and without such flows, apart."""
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
