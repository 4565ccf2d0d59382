"""Figure 2.11: the distribution of the queue for some numbers of flows (Section 2.4.2.2)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.alemu_2004 import judge, loads
from penstock.papers.alemu_2004.measures import Numbers
from penstock.papers.alemu_2004.setup import BUFFER
from penstock.plots import style
from penstock.reproduce.figure import Claim, SummaryTable, Table
from penstock.results.sample import Sample, all_of

LOADS = [3, 13, 28, 53, 103]
"""Panel (d) does not tell its number of flows (guess 11)."""


study = loads.against(LOADS, seeds=200)
"""The schemes of Figure 2.9."""


def measure(run: ps.Run) -> Numbers:
    """The shares of samples with each length, in percent."""
    pmf = list(run.links["bottleneck"].sampled_length_pmf)
    return {f"X={i}": 100 * float(pmf[i]) if i < len(pmf) else 0.0 for i in range(BUFFER + 1)}


def mode(table: Table, scheme: str, flows: int) -> Sample:
    """The most frequent length, in groups of runs."""
    shares = judge.grouped([table(f"X={i}", scheme=scheme, flows=flows) for i in range(BUFFER + 1)])
    return Sample([float(np.argmax(row)) for row in shares])


def claims(table: Table) -> Iterator[Claim]:
    """Where the distributions have their modes."""
    few = [n for n in table.axis("flows") if n <= 28]
    for own, reading in (("PSAND", ""), ("PSAND 0.5", "max_p at most 0.5")):
        yield Claim(
            id="fig2.11a-c/c1",
            says="with few flows PSAND's queue has mostly 5 to 10 packets",
            expected="mode in 5 to 10 for N = 3, 13, 28",
            holds=all_of(mode(table, own, n).between(5, 10).at(f"{n} flows") for n in few),
            reading=reading,
        )
        for n in (53, 103):
            if table.has(flows=n):
                yield Claim(
                    id="fig2.11d/c1",
                    says="with many flows PSAND's queue has mostly 5 to 15 packets, the adaptive REDs' 10 to 20",
                    expected=f"modes in these intervals at {n} flows",
                    holds=all_of(
                        mode(table, own, n).between(5, 15).at("PSAND"),
                        *(mode(table, s, n).between(10, 20).at(s) for s in ("Feng", "Floyd")),
                    ),
                    reading="; ".join([*([reading] if reading else []), *(["103 flows"] if n == 103 else [])]),
                )


def draw(shown: SummaryTable) -> Figure:
    """A panel for each number of flows."""
    flows = shown.axis("flows")
    with style.styled():
        figure = Figure(figsize=(style.WIDTH, 1.4 * len(flows) + 0.4), layout="constrained")
        for ax, n in zip(figure.subplots(len(flows), 1, sharex=True, squeeze=False).flat, flows, strict=True):
            for index, scheme in enumerate(shown.axis("scheme")):
                shares = [shown(f"X={i}", scheme=scheme, flows=n).mean for i in range(BUFFER + 1)]
                ax.plot(shares, label=scheme, **{**style.line(index), "marker": ""})
            ax.set_ylabel(f"{n} flows (%)")
        ax.set_xlabel("queue (packets)")
        handles, labels = ax.get_legend_handles_labels()
        style.legend(figure, 5, dict(zip(labels, handles, strict=True)))
    return figure
