"""Figure 2.11: the distribution of the queue for some numbers of flows (Section 2.4.2.2)."""

import itertools
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.alemu_2004 import judge, loads
from penstock.papers.alemu_2004.loads import OWN
from penstock.papers.alemu_2004.measures import Numbers
from penstock.papers.alemu_2004.setup import AREDS, BUFFER
from penstock.plots import style
from penstock.reproduce.figure import Claim, Statement, SummaryTable, at_most, every, metric, needing, of_samples
from penstock.results.sample import Sample

LOADS = [3, 13, 28, 53, 103]
"""Panel (d) does not tell its number of flows (guess 11)."""


study = loads.against(LOADS, seeds=200)
"""The schemes of Figure 2.9."""


def measure(run: ps.Run) -> Numbers:
    """The shares of samples with each length, in percent."""
    pmf = list(run.links["bottleneck"].sampled_length_pmf)
    return {f"X={i}": 100 * float(pmf[i]) if i < len(pmf) else 0.0 for i in range(BUFFER + 1)}


def _mode(*shares: Sample) -> Sample:
    return Sample([float(np.argmax(row)) for row in judge.grouped(shares)])


MODE = of_samples(_mode, *(metric(f"X={i}") for i in range(BUFFER + 1)), text="most frequent of {} to " + f"X={BUFFER}")
"""The most frequent length, in groups of runs."""


def with_many(own: str, **at: Any) -> Statement:
    """Where the modes are with many flows."""
    return every(MODE(scheme=own).between(5, 15), MODE(scheme=AREDS).between(10, 20))(**at)


def _with_many(own: str, words: str, flows: int) -> tuple[Claim, ...]:
    """The claim on panel (d), which does not tell its number of flows: 53, and as another reading 103."""
    claim = Claim(
        "fig2.11d/c1",
        "with many flows PSAND's queue has mostly 5 to 15 packets, the adaptive REDs' 10 to 20",
        with_many(own, flows=flows),
        f"modes in these intervals at {flows} flows",
        reading="; ".join(filter(None, [words, "103 flows" if flows == 103 else ""])),
    )
    return needing({"flows": flows}, claim)


CLAIMS = (
    Claim(
        "fig2.11a-c/c1",
        "with few flows PSAND's queue has mostly 5 to 10 packets",
        MODE(scheme=OWN, flows=at_most(28)).between(5, 10),
        "mode in 5 to 10 for N = 3, 13, 28",
    ),
    *itertools.chain(*(_with_many(own, words, n) for own, words in OWN.words.items() for n in (53, 103))),
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
