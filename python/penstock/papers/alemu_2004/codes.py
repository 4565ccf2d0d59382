"""Figures 5.1, 5.2 and 5.11: repair by a code, its packets, and groups of losses (Sections 5.2 to 5.5)."""

from __future__ import annotations

from matplotlib.figure import Figure

import penstock as ps
from penstock.plots import style
from penstock.reproduce.figure import Exhibit, SummaryTable, Sweep, every, formula, metric

from . import panels
from .measures import Numbers
from .setup import claim, coded_datagrams_scenario, fec_scenario, lossy_blocks_scenario
from .tables5 import block_packets

LOST = {
    "none": [],
    "one": [6],
    "redundancy": [9],
    "two": [5, 8],
    "two in two blocks": [7, 13],
    "data and redundancy": [8, 9],
}
"""Numbers of lost packets. Blocks have 4 data packets and 1 of redundancy; the second block is packets 5 to 9."""
AFTER = {"none": 0, "one": 0, "redundancy": 0, "two": 2, "two in two blocks": 0, "data and redundancy": 2}
"""Packets that are still lost."""


def losses_before_and_after(run: ps.Run) -> Numbers:
    """Lost packets before and after correction, in all blocks."""
    code = run.traffic["fec"]
    return {"before": 5 * code.plr_before * code.blocks, "after": 5 * code.plr_after * code.blocks}


def blocks(summary: SummaryTable) -> Figure:
    """Figure of two blocks for each choice of lost packets, and the number of packets still lost after correction."""
    rows = {
        f"{labels['lost']}: {numbers['after'].mean:g} after": [
            str(int(packet in LOST[labels["lost"]])) for packet in range(10)
        ]
        for labels, numbers in summary.cells
    }
    return panels.strips(rows, 2 * ["k", "k", "k", "k", "h"], "two blocks of k + h (1: lost)")


fig5_1 = Exhibit(
    "Figure 5.1: what a code repairs (Section 5.2)",
    claim(
        "fig5.1/c1",
        every(
            abs(metric("before") - formula(lambda lost: len(LOST[lost]))) <= 1e-6,
            abs(metric("after") - formula(lambda lost: AFTER[lost])) <= 1e-6,
        ),
        "(4,1), chosen losses: packets lost after correction are 0 or all, exactly",
        must_hold=True,
    ),
    measure=losses_before_and_after,
    study=Sweep(lambda lost: lossy_blocks_scenario(LOST[lost], "1s"), {"lost": list(LOST)}),
    draw=blocks,
)


PACKETS = 1600
"""Packets of 573 bytes, which 500 kbit/s send in 14.6688 s; their number is a multiple of each k."""


def _alone(code: str) -> ps.Scenario:
    """The code alone; the run ends between two packets."""
    k, h = block_packets(code)
    return coded_datagrams_scenario({"k": k, "h": h, "rate": "500kbit", "packet": "573B"}, "14664800us", rate="10Mbit")


def packets_sent(run: ps.Run) -> Numbers:
    """Number of packets sent in a run, data and redundancy."""
    return {"sent": run.traffic["fec"].sent_pkts}


def _with_redundancy(code: str) -> float:
    k, h = block_packets(code)
    return PACKETS * (1 + h / k)


fig5_2 = Exhibit(
    "Figure 5.2: the load that the datagrams offer (Section 5.3.1)",
    claim(
        "fig5.2/c1",
        abs(metric("sent") - formula(_with_redundancy)) <= 1e-6,
        "500 (1 + h/k) kbit/s to the packet: 6.25 % more for (16,1), 25 % for (16,4), (8,2), 10 % for (10,1)",
        must_hold=True,
    ),
    measure=packets_sent,
    study=Sweep(_alone, {"code": ["16,1", "16,4", "8,2", "10,1"]}),
    draw=lambda _: panels.network(fec_scenario("automatic RED", 100, 16, 1)),
)


GROUPS = {"alone": [6, 9, 20], "in pairs": [6, 7, 12, 13], "of 1, 2 and 3": [4, 11, 12, 18, 19, 20, 30]}
"""Numbers of lost packets."""


def loss_group_shares(run: ps.Run) -> Numbers:
    """Groups, and the share of groups of each size, as in Figure 5.6."""
    code = run.traffic["fec"]
    shares = [*code.loss_run_pmf, 0, 0, 0][:3]
    return {"groups": code.loss_runs, **{f"of {size}": float(share) for size, share in enumerate(shares, 1)}}


def _sizes(lost: list[int]) -> list[int]:
    """The sizes of the groups of consecutive numbers, in order."""
    starts = [i for i, number in enumerate(lost) if i == 0 or number != lost[i - 1] + 1]
    return [end - start for start, end in zip(starts, [*starts[1:], len(lost)], strict=True)]


SIZES = {name: _sizes(lost) for name, lost in GROUPS.items()}


def batches(_: SummaryTable) -> Figure:
    """Figure of lost packets by their numbers and, below, the groups of losses as simultaneous batches."""
    lost = GROUPS["of 1, 2 and 3"]
    sizes = _sizes(lost)
    starts = [lost[sum(sizes[:place])] for place in range(len(sizes))]
    with style.figure_style():
        figure = Figure(figsize=(style.WIDTH, 2.2), layout="constrained")
        axes = figure.subplots(2, 1, sharex=True)
        for ax, at, size in zip(axes, (lost, starts), ([1] * len(lost), sizes), strict=True):
            ax.stem(at, size, basefmt=" ", linefmt=style.COLOURS[1])
            ax.set_ylim(0, 3.5)
            ax.set_xlim(0, 35)
        axes[0].set_ylabel("lost")
        axes[1].set_ylabel("size of batch")
        axes[1].set_xlabel("packet number; instant of the batch")
    return figure


fig5_11 = Exhibit(
    "Figure 5.11: losses grouped into runs (Section 5.5)",
    claim(
        "fig5.11/c1",
        every(
            *(abs(metric("groups")(lost=name) - len(own)) <= 1e-6 for name, own in SIZES.items()),
            *(
                abs(metric(f"of {size}")(lost=name) - own.count(size) / len(own)) <= 1e-6
                for name, own in SIZES.items()
                for size in (1, 2, 3)
            ),
        ),
        "chosen losses: the number of groups, and the share of those of 1, 2 and 3, to 1e-6",
        must_hold=True,
    ),
    measure=loss_group_shares,
    study=Sweep(lambda lost: lossy_blocks_scenario(GROUPS[lost], "2s"), {"lost": list(GROUPS)}),
    draw=batches,
)
