"""The page about forward error correction behind drop-tail and RED, and its figure, from the measured cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import measured
import numpy as np
from fec import BLOCK_LOADS, FAST, SCHEMES, SEEDS, Cell, Pair, Results, says
from matplotlib.figure import Figure
from penstock.model import LossBatches, code_threshold
from penstock.plots import style

HEAD = """# Which queue for forward error correction?

Some codes add h redundancy packets to each block of k data packets, written (k,h). The receiver repairs a block if it
gets any k of its packets. RED loses more packets than drop-tail, but fewer in a row. So behind RED, fewer losses may
remain after correction.

T. Alemu's thesis (section 5.5) predicts which queue is better. In its model, runs of consecutive losses begin at
random, so the number of losses in a block of T = k + h packets has a compound Poisson distribution. A run is a single
loss with probability 0.6 behind drop-tail and 0.9 behind RED, otherwise two losses. If both queues have the same loss
rate p, RED is better up to p = x_h / T. `ps.model.code_threshold` computes x_h: {thresholds} for h = 1, 2, 4 and 8.

`ps.model.LossBatches` accepts any distribution of run lengths. This page tests whether the model predicts the better
queue from measured loss rates and run lengths. `make fec` runs the simulations in about three minutes and writes the
page.

## Results

{findings}

## Setup

* **Scenario:** `scenarios/thesis_fec.toml`, a link of 10 Mbit/s with a buffer of 35 packets. The queue is drop-tail or
  RED (thresholds of 5 and 15 packets, gentle).
* **Traffic:** 10 to 100 long SACK flows, and one Poisson source of 573-byte packets with redundancy. Without
  redundancy, the source sends 500 kbit/s, or 4 Mbit/s in a second set of runs.
* **Runs:** each cell (code, number of flows, rate of the source) has {runs} runs of 100 s per queue. Both queues see
  the same random numbers.
* **Model:** its inputs are the measured loss rate and run lengths of each queue. Its output is the share of packets
  lost after correction, E[N; N > h] / T. N is the number of losses in a block, and only blocks with N > h count.
* **Better queue:** a queue is better if the 95 % interval of the paired difference does not contain 0. The difference
  is undecided in {undecided} of the {all} cells.

![Difference of the losses after correction, measured and by the model](../images/fec.png)

The figure shows the loss with RED minus the loss with drop-tail: below 0, RED is better. Points with intervals are
measured. Lines show the model: dashed with the measured run lengths, dotted with the shares 0.6 and 0.9 of the thesis.

"""

CROSSING = """
## Crossing points

The table shows the crossing points: the numbers of flows above which drop-tail is the better queue. They are
interpolated between the measured loads.

{crossings}

## Limits of the model

The loss after correction depends on the variance of the number of losses per block. The model derives this variance
from the run lengths alone: variance / mean = E[A²] / E[A], where A is the length of a run. The table compares the
measured ratio with this predicted ratio ({traces} runs, code (16,4)):

{dispersion}

* **Few flows, or a fast source:** several runs of losses hit the same block, because a full queue drops packets with
  delivered packets between them. The predicted variance and loss are too small.
* **Many flows, drop-tail:** at 500 kbit/s, the queue is nearly always full and loses packets regularly. The
  predicted variance is too large.
* **Many flows, RED:** the predicted variance is too small. Probably, RED's drops cluster because its average queue
  changes slowly.

The thesis measured crossing points at more flows: 52 with (16,1), 77 with (16,4) and about 100 with (8,2). Its loss
rates are close to those on this page. Behind RED, however, fewer blocks are beyond repair in the thesis than here. The
cause is unknown, because the thesis does not give all its settings. ns-2.35 with the settings of this page [agrees with
penstock](validation.md).
"""


def page(results: Results, blocks: Mapping[str, Mapping[str, float]]) -> str:
    """The page."""
    sweeps = results.sweeps()
    pairs = [pair for *_, found in sweeps for pair in found]
    undecided = sum(pair.winner is None for pair in pairs)
    thresholds = [code_threshold(LossBatches((0.9, 0.1)), LossBatches((0.6, 0.4)), h) for h in (1, 2, 4, 8)]
    head = HEAD.format(
        thresholds=", ".join(f"{x:.4f}" for x in thresholds if x is not None), findings="\n".join(_findings(sweeps)),
        runs=len(SEEDS), undecided=undecided, all=len(pairs),
    )  # fmt: skip
    tables = "\n\n".join(_table(rate, k, h, found) for rate, k, h, found in sweeps)
    tail = CROSSING.format(crossings=_crossings(sweeps), dispersion=_dispersion(results, blocks), traces=5)
    return measured.wrapped(f"{head}## The numbers\n\n{NUMBERS}\n\n{tables}\n\n{tail}")


NUMBERS = """All losses are in per cent. *Single* is the share of runs with a single loss; *after* is the loss after
correction. The last column is the better queue by the model with the shares of the thesis. Wrong predictions are in
bold, and undecided cells have a question mark."""

Sweeps = Sequence[tuple[str, int, int, Sequence[Pair]]]


def score(pairs: Sequence[Pair], model: Callable[[Pair], tuple[float, float]]) -> tuple[int, int]:
    """The number of winners that a model predicts, and the number of decided cells."""
    decided = [pair for pair in pairs if pair.winner is not None]
    return sum(says(model(pair)) == pair.winner for pair in decided), len(decided)


def _findings(sweeps: Sweeps) -> list[str]:
    pairs = [pair for *_, found in sweeps for pair in found]
    right, decided = score(pairs, lambda p: p.model)
    others = [score(pairs, lambda p: p.thesis)[0], score(pairs, lambda p: p.alone)[0]]
    shown = [f"{n} ({100 * n / decided:.0f} %)" for n in (right, *others)]
    single = _ratios([p for p in pairs if p.h == 1 and p.flows >= 30])
    slow = _ratios([p for rate, _, h, found in sweeps if h > 1 and rate != FAST for p in found])
    fast = _ratios([p for rate, _, h, found in sweeps if h > 1 and rate == FAST for p in found])
    return [
        f"In {decided} of {len(pairs)} cells (code, number of flows, rate of the source), one queue is better than the "
        "other. The model predicts this queue in most cells:\n\n"
        "| run lengths in the model | correct predictions |\n| --- | --- |\n"
        f"| measured | {shown[0]} |\n"
        f"| shares 0.6 and 0.9 of the thesis | {shown[1]} |\n"
        f"| all losses single | {shown[2]} |\n",
        "* **The model errs near the crossing point**, the number of flows above which drop-tail is better. All wrong "
        "predictions lie between the measured and the predicted crossing point. These can be 20 flows or more apart.",
        "* **RED is better under light load, drop-tail under heavy load.** The crossing point rises with more "
        "redundancy for the same k, with shorter blocks, and with a faster source.",
        "* **The predicted losses are inaccurate**, because runs of losses are not independent. For losses of at "
        "least 0.1 % after correction, the ratio of predicted to measured loss is:\n\n"
        "| redundancy | source | predicted / measured |\n| --- | --- | --- |\n"
        f"| one packet, at least 30 flows | both | {single} |\n"
        f"| more than one packet | 500 kbit/s | {slow} |\n"
        f"| more than one packet | 4 Mbit/s | {fast} |",
    ]


def _ratios(pairs: Sequence[Pair]) -> str:
    """Smallest and largest ratio of predicted to measured loss, over the cells where at least 0.1 % remains lost."""
    found = [m / a for p in pairs for m, a in zip(p.model, p.after, strict=True) if a > 1e-3]
    return f"{min(found):.2f} to {max(found):.2f}"


def _table(rate: str, k: int, h: int, found: Sequence[Pair]) -> str:
    head = (
        "| flows | loss: drop-tail | RED | single: drop-tail | RED | after: drop-tail | RED | difference | better | "
        "model: drop-tail | RED | better | thesis' |\n"
    )
    lines = [f"({k},{h}), {rate}:\n\n{head}| ---: |" + " ---: |" * 7 + " --- |" + " ---: | ---: | --- | --- |"]
    for pair in found:
        low, high = pair.difference.ci95 or (0.0, 0.0)
        shown = [
            *(f"{100 * x:.2f}" for x in pair.loss), *(f"{x:.2f}" for x in pair.single),
            *(f"{100 * x:.3f}" for x in pair.after),
            f"{100 * pair.difference.mean:+.3f} ± {50 * (high - low):.3f}", pair.winner or "?",
            *(f"{100 * x:.3f}" for x in pair.model), _judged(says(pair.model), pair), _judged(says(pair.thesis), pair),
        ]  # fmt: skip
        lines.append(f"| {pair.flows} | " + " | ".join(shown) + " |")
    return "\n".join(lines)


def _judged(said: str, pair: Pair) -> str:
    return f"**{said}**" if pair.winner not in (None, said) else said


def crossing(found: Sequence[Pair], difference: Callable[[Pair], float]) -> float | None:
    """Flows at which the difference RED minus drop-tail last changes from below to above 0, interpolated."""
    values = [difference(pair) for pair in found]
    for n in reversed(range(len(found) - 1)):
        if values[n] < 0 <= values[n + 1]:
            step = values[n] / (values[n] - values[n + 1])
            return found[n].flows + step * (found[n + 1].flows - found[n].flows)
    return None


def _crossings(sweeps: Sweeps) -> str:
    lines = ["| code | source | measured | model, measured runs | model, thesis' shares |"]
    lines.append("| --- | --- | ---: | ---: | ---: |")
    for rate, k, h, found in sweeps:
        at = (
            crossing(found, lambda p: p.difference.mean), crossing(found, lambda p: p.model[1] - p.model[0]),
            crossing(found, lambda p: p.thesis[1] - p.thesis[0]),
        )  # fmt: skip
        always = "RED never better" if found[-1].difference.mean > 0 else f"above {found[-1].flows}"
        shown = [always if x is None else f"{x:.0f}" for x in at]
        lines.append(f"| ({k},{h}) | {rate} | " + " | ".join(shown) + " |")
    return "\n".join(lines)


def _dispersion(results: Results, blocks: Mapping[str, Mapping[str, float]]) -> str:
    lines = [
        "| source | flows | queue | losses per block | variance / mean | in the model |",
        "| --- | ---: | --- |" + " ---: |" * 3,
    ]
    for flows, rate in BLOCK_LOADS:
        for scheme in SCHEMES:
            cell = Cell(scheme, flows, 16, 4, rate)
            moments, sizes = blocks[cell.name], np.asarray(results.batches(cell).sizes)
            lengths = np.arange(1, len(sizes) + 1)
            model = float(lengths**2 @ sizes / (lengths @ sizes))
            name = "drop-tail" if scheme == "droptail" else "RED"
            ratio = moments["variance"] / moments["mean"]
            lines.append(f"| {rate} | {flows} | {name} | {moments['mean']:.2f} | {ratio:.2f} | {model:.2f} |")
    return "\n".join(lines)


def figure(results: Results) -> Figure:
    """The differences against the number of flows, for all codes and rates."""
    with style.figure_style():
        drawn = Figure(figsize=(7.2, 4.2), layout="constrained")
        for ax, (rate, k, h, found) in zip(drawn.subplots(2, 3).flat, results.sweeps(), strict=True):
            flows = [pair.flows for pair in found]
            ax.axhline(0, color="#8a92a0", linewidth=0.6)
            for index, (label, model) in enumerate(
                (("measured runs", lambda p: p.model), ("thesis' shares", lambda p: p.thesis)), start=1
            ):
                values = [100 * (model(pair)[1] - model(pair)[0]) for pair in found]
                ax.plot(flows, values, label=f"model, {label}", **(style.line_style(index) | {"marker": ""}))
            halves = [100 * (pair.difference.half_width or 0) for pair in found]
            means = [100 * pair.difference.mean for pair in found]
            look = {"fmt": "o", "color": style.COLOURS[0], "markersize": 3, "linewidth": 0.8, "capsize": 1.5}
            ax.errorbar(flows, means, halves, label="measured", **look)
            ax.set_title(f"({k},{h}), {rate}")
        for ax in drawn.axes[3:]:
            ax.set_xlabel("TCP flows")
        for ax in drawn.axes[::3]:
            ax.set_ylabel("difference (points)")
        drawn.legend(*drawn.axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return drawn
