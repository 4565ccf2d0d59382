"""The page that compares the queue law with simulations, and its figures, from the measured cells."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import measured
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from penstock.model import padhye_window
from penstock.plots import style
from queue_law import LIMITED, LINEAR, LOADS, PS, RATES, ROOT, TRIPS, WIDE, WIRE, Found, Results

NS2 = ROOT / "tests" / "data" / "ns2" / "queue_law.json"

HEAD = """# The queue law and the simulation

J. Chung and M. Claypool ("Analysis of RED-Family Active Queue Management", 2003, section II) predict the mean queue q
of N long TCP flows. The router has an infinite queue and drops or marks each arriving packet with a fixed probability
p. The law (equation 2) is

> q = N W(p) / (1 + p) − RTLD SR with drops, and q = N W(p) − RTLD SR with marks

* W: the mean window in packets, by [Padhye et al. without timeouts](../reference/model.md);
* RTLD: the round-trip delay of the links without queueing;
* SR: the service rate of the link, in packets per second.

This page compares the law with simulations, as figures 4 to 8 of the paper do. `make queue-law` measures all numbers in
about two minutes and writes the page.

The network is the paper's: a link of 20 Mbit/s, a round trip of 80 ms, and NewReno senders (profile `ns2`). Packets
have 1000 bytes, 1040 on the wire, so SR is 2404 packets per second. Each number is the mean of five runs. A run has a
warm-up of at least 50 s and 10 W round trips, and is then measured for at least 150 s.

## Results

{findings}
"""

FIGURE_4 = """
## Queue against probability (figure 4)

![Mean queue against p, law and simulation, marks and drops](../images/queue-law.png)

Lines show the law, points the simulation, and crosses ns-2.35 with a minimum RTO of 200 ms.

{tables} If the link was idle at times, the deviation is omitted, because the law assumes a link that is never idle.

## Causes of the deviation

With the measured mean window W_sim, the deviation q − q_law is N times the sum of three terms:

| term | definition | cause |
| --- | --- | --- |
| window | (W_sim − W) / (1 + p) | The formula for W counts each mark and has no timeouts. |
| count | drops only: W_sim ((1 − p) − 1 / (1 + p)) | In the law, p is per served packet; here, per arriving packet. |
| flight | packets of a flow in the queue and on the links, minus W_sim (1 − p) | Windows are not always full. |

The terms in packets per flow, for {flows} flows:

{split}
* **Flight, marks.** A window of w packets has only floor(w) packets in flight, on average half a packet less than w.
  After a window has been halved, the number of packets in flight exceeds it for half a round trip. This adds a quarter
  of a packet on average. Both effects hardly depend on w, so they matter most for small windows.
* **Window, marks.** Several marks in one window halve the window only once, so at p = 0.005 windows are 2 % larger than
  in the formula. At p = 0.1, windows are 4 % smaller than in the formula, for an unknown reason.
* **Drops.** The same errors occur with drops. From p = 0.03 on, timeouts add to them ({timeouts}): a flow that waits
  for a timeout has nothing in flight.

## Form with timeouts

By default, `QueueLaw` has the paper's form. `QueueLaw(min_rto=0.2, balance="exact")` uses windows with timeouts, and
assumes that the queue drops p of the arriving packets. The first timeout is the minimum RTO or the round trip,
whichever is larger. `penstock explain --count` uses this form for drops.

There are {exact_cells} cells with drops, a minimum RTO of 200 ms and p up to 0.1. Their median deviation from this form
is {exact_median}, and from the paper's form {paper_median}. The largest deviation from this form is {exact_worst}, in a
cell where the queue has only {exact_short} packets (100 flows, p = 0.1). In all other cells, it is at most
{exact_most}.

From p = 0.15 on, the deviation from this form exceeds 10 %. With a minimum RTO of 1 s, it exceeds 10 % from p =
{slow_from} on, because the senders have fewer timeouts than predicted.
"""

LINEAR_HEAD = """
## Queue against flows, round trip and rate (figure 5)

![Mean queue against N, RTLD and SR](../images/queue-law-linear.png)

The runs have drops, a minimum RTO of 200 ms, and 300 flows unless N varies. Lines show the law. The table shows the
slopes of straight lines fitted to the simulation, and the slopes of the law:

{linear}
The queue is linear in N, RTLD and SR, and decreases with RTLD and SR. Section III of the paper states that the queue
increases with RTLD, but this contradicts equation 2.

## Windows (figures 6 to 8)

![Packets in flight per flow against p](../images/queue-law-windows.png)

The figure shows the window that equation 2 implies in runs with drops, (q + RTLD SR) (1 + p) / N. On the left, N, RTLD
or SR varies; at the same p, the implied windows are nearly equal (largest spread {spread}). On the right, a limit of
the receiver's window makes the curve flatter. The table shows the queues in packets:

{limited}
"""


def page(results: Results) -> str:
    """The page."""
    marks = [results.of("mark", n, p) for n in LOADS for p in PS]
    parts = [
        HEAD.format(findings="\n".join(_findings(results, marks))),
        FIGURE_4.format(
            tables=_tables(results), flows=LOADS[-1], split=_split(results), **_exact(results),
            timeouts=f"one per {1 / results.of('drop', 300, 0.05).timeouts:.0f} packets at p = 0.05",
        ),
        LINEAR_HEAD.format(linear=_slopes(results), spread=f"{100 * spread(results):.1f} %", limited=_limited(results)),
    ]  # fmt: skip
    return "".join(map(measured.wrapped, parts))


def _findings(results: Results, marks: Sequence[Found]) -> Iterator[str]:
    yield (
        "From p = 0.01 on, the simulated queue is shorter than predicted. The table shows this "
        "deviation. Ranges are over 100 to 300 flows, and with drops also over both minimum RTOs:\n"
    )
    yield "| p | marks | marks in ns-2 | drops |\n| --- | ---: | ---: | ---: |"
    for p in (0.01, 0.02, 0.05, 0.1):
        by_marks = _range(abs(f.deviation) for f in marks if f.cell.p == p)
        by_drops = _range(abs(results.of("drop", n, p, rto).deviation) for n in LOADS for rto in ("200ms", "1s"))
        yield f"| {p:g} | {by_marks} | {_ns2(results, p)} | {by_drops} |"
    yield (
        "\n* **ns-2 deviates as much**, so the deviation is an error of the law, not of penstock. The deviation "
        "is largest with 100 flows. Timeouts make the deviation larger with drops than with marks."
    )
    yield (
        "* **Causes (marks, p of at least 0.02):** on average, a flow has 0.25 to 0.4 packets fewer in flight than "
        "its window allows. This causes 65 to 85 % of the deviation. The rest is due to windows that are a few per "
        "cent smaller than in the formula."
    )


def ns2_cells(flows: int, signal: str, min_rto: float) -> list[tuple[float, float]]:
    """Probability and mean queue in the cells of ns-2 without a limit of the window."""
    found = json.loads(NS2.read_text(encoding="utf-8"))["cells"]
    wanted = (flows, signal, min_rto, False)
    return [
        (c["p"], c["metrics"]["q_mean"][0]) for c in found if (c["N"], c["mode"], c["minrto"], "window" in c) == wanted
    ]


def _ns2(results: Results, p: float) -> str:
    found = [
        abs(queue / results.of("mark", flows, p).law - 1)
        for flows in (100, 300) for min_rto in (0.2, 1.0) for at, queue in ns2_cells(flows, "mark", min_rto) if at == p
    ]  # fmt: skip
    return _range(iter(found))


def _range(values: Iterator[float]) -> str:
    low, high = (100 * x for x in (lambda v: (min(v), max(v)))(list(values)))
    return f"{low:.0f} %" if round(low) == round(high) else f"{low:.0f} to {high:.0f} %"


def _tables(results: Results) -> str:
    parts = []
    for title, signal, rto in (
        ("Marks", "mark", "200ms"),
        ("Drops, minimum RTO 200 ms", "drop", "200ms"),
        ("Drops, minimum RTO 1 s", "drop", "1s"),
    ):
        head = "| p |" + "".join(f" N = {n}: law | simulation | deviation |" for n in LOADS)
        lines = [f"{title}:\n", head, "| --- |" + " ---: | ---: | ---: |" * len(LOADS)]
        for p in PS:
            cells = (results.of(signal, n, p, rto) for n in LOADS)
            lines.append(f"| {p:g} | " + " | ".join(map(_cell, cells)) + " |")
        parts.append("\n".join(lines) + "\n\n")
    return "".join(parts)


def _cell(found: Found) -> str:
    deviation = f"{100 * found.deviation:+.1f} %" if found.busy else ""
    return f"{found.law:.0f} | {found.queue:.0f} ± {found.half_width:.0f} | {deviation}"


def _split(results: Results) -> str:
    columns = (("marks", "mark", "200ms"), ("drops, 200 ms", "drop", "200ms"), ("drops, 1 s", "drop", "1s"))
    head = "| p | W |" + "".join(
        f" {title}: window |" + (" count |" if signal == "drop" else "") + " flight |" for title, signal, _ in columns
    )
    lines = [head, "| --- |" + " ---: |" * (head.count("|") - 2)]
    for p in PS:
        shown = [f"{float(padhye_window(p)):.2f}"]
        for _, signal, rto in columns:
            found = results.of(signal, LOADS[-1], p, rto)
            window, count, flight = found.parts()
            values = (window, count, flight) if signal == "drop" else (window, flight)
            shown += [f"{x:+.2f}" if found.busy else "" for x in values]
        lines.append(f"| {p:g} | " + " | ".join(shown) + " |")
    return "\n".join(lines) + "\n\n"


def exact_deviation(found: Found) -> float:
    """Deviation from the law with timeouts and the exact balance."""
    law = found.cell.law(timeouts=True, balance="exact")
    queue = float(law.queue(found.cell.flows, found.cell.p))
    return found.queue / queue - 1 if queue > 0 else float("inf")


def _exact(results: Results) -> dict[str, str]:
    cells = [results.of("drop", n, p) for n in LOADS for p in PS if p <= 0.1]
    worst = max(cells, key=lambda found: abs(exact_deviation(found)))
    slow = [p for p in PS if any(abs(exact_deviation(results.of("drop", n, p, "1s"))) > 0.1 for n in LOADS)]
    return {
        "exact_cells": str(len(cells)),
        "exact_median": _percent(float(np.median([abs(exact_deviation(found)) for found in cells]))),
        "paper_median": _percent(float(np.median([abs(found.deviation) for found in cells]))),
        "exact_most": _percent(max(abs(exact_deviation(found)) for found in cells if found is not worst)),
        "exact_worst": _percent(abs(exact_deviation(worst))),
        "exact_short": f"{worst.queue:.0f}",
        "slow_from": f"{min(slow):g}",
    }


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def swept(results: Results, p: float) -> dict[str, tuple[list[float], list[Found]]]:
    """The three sweeps of figure 5 at one probability."""
    return {
        "N": ([float(n) for n in LOADS], [results.of("drop", n, p) for n in LOADS]),
        "RTLD": ([t / 1000 for t in TRIPS], [results.of("drop", 300, p, rtld=t) for t in TRIPS]),
        "SR": ([r * 1e6 / WIRE for r in RATES], [results.of("drop", 300, p, rate=r) for r in RATES]),
    }


def slope(xs: Sequence[float], ys: Sequence[float]) -> tuple[float, float]:
    """Slope of the fitted straight line, and its R²."""
    rise, start = np.polyfit(xs, ys, 1)
    rest = np.asarray(ys) - (rise * np.asarray(xs) + start)
    return float(rise), float(1 - np.var(rest) / np.var(ys))


def _slopes(results: Results) -> str:
    lines = ["| p | against | slope | law's slope | R² |", "| --- | --- | ---: | ---: | ---: |"]
    for p in LINEAR:
        for name, (xs, found) in swept(results, p).items():
            rise, r_squared = slope(xs, [f.queue for f in found])
            wanted, _ = slope(xs, [f.law for f in found])
            unit = {"N": "packets per flow", "RTLD": "packets/s", "SR": "s"}[name]
            lines.append(f"| {p:g} | {name} ({unit}) | {rise:.4g} | {wanted:.4g} | {r_squared:.5f} |")
    return "\n".join(lines) + "\n"


def implied(found: Found) -> float:
    """The window that equation 2 implies."""
    return found.in_flight * (1 + found.cell.p)


def spread(results: Results) -> float:
    """Largest spread of the implied windows over all N, RTLD and SR at one probability, relative to their mean."""
    found = []
    for p in LINEAR:
        values = [implied(f) for _, cells in swept(results, p).values() for f in cells]
        found.append((max(values) - min(values)) / float(np.mean(values)))
    return max(found)


def needed(results: Results, flows: int, window: int, queue: float) -> float:
    """The probability that gives a mean queue, interpolated between the measured probabilities."""
    found = [results.of("drop", flows, p, window=window) for p in WIDE]
    return float(np.exp(np.interp(-queue, [-f.queue for f in found], np.log(WIDE))))


def _limited(results: Results) -> str:
    lines = ["| p | " + " | ".join(f"{n} flows, {f'limit {w}' if w else 'no limit'}" for n, w in LIMITED) + " |"]
    lines.append("| --- |" + " ---: |" * len(LIMITED))
    for p in WIDE:
        cells = (results.of("drop", n, p, window=w) for n, w in LIMITED)
        lines.append(f"| {p:g} | " + " | ".join(f"{f.queue:.0f} (law {f.law:.0f})" for f in cells) + " |")
    twelve, six = (results.of("drop", n, 0.01, window=w).queue for n, w in LIMITED[1:])
    law_twelve, law_six = (results.of("drop", n, 0.01, window=w).law for n, w in LIMITED[1:])
    p_twelve, p_six = needed(results, 700, 12, 3000), needed(results, 1300, 6, 3000)
    return "\n".join(lines) + (
        "\n\nThe paper makes two statements about these queues:\n\n"
        "* At p = 0.01, 700 flows with a limit of 12 packets and 1300 flows with a limit of 6 have the same queue. In "
        f"the simulation, the second queue is {100 * (six / twelve - 1):.0f} % longer than the first; by the law, it "
        f"is {100 * (law_six / law_twelve - 1):.0f} % longer.\n"
        "* For a queue of 3000 packets, the 1300 flows need about twice the probability that the 700 flows need. In "
        f"the simulation, the 1300 flows need {p_six / p_twelve:.1f} times the probability ({p_six:.3f} instead of "
        f"{p_twelve:.3f})."
    )


def figures(results: Results, folder: Path) -> None:
    """The three figures."""
    for name, figure in (("", _queues(results)), ("-linear", _lines(results)), ("-windows", _windows(results))):
        measured.save(figure, folder / f"queue-law{name}.png")


def _queues(results: Results) -> Figure:
    with style.figure_style():
        figure = Figure(figsize=(7.2, 2.9), layout="constrained")
        for ax, signal in zip(figure.subplots(1, 2, sharey=True), ("mark", "drop"), strict=True):
            for index, flows in enumerate(LOADS):
                look = style.line_style(index + 1)
                found = [results.of(signal, flows, p) for p in PS]
                ax.plot(PS, [f.law for f in found], label=f"law, N = {flows}", **(look | {"marker": ""}))
                ax.plot(PS, [f.queue for f in found], **(look | {"linestyle": "", "markersize": 4.5}))
                points = ns2_cells(flows, signal, 0.2)
                ax.plot(*zip(*points, strict=True) if points else ([], []), "x", color="#3b4252", markersize=4)
            ax.set_xscale("log")
            ax.set_xticks(PS, [f"{p:g}" if p not in (0.03, 0.07, 0.15) else "" for p in PS], minor=False)
            ax.set_xticks([], minor=True)
            ax.set_xlabel(f"probability of a {signal}" + (", minimum RTO 200 ms" if signal == "drop" else ""))
            ax.set_ylim(0, 5200)
        figure.axes[0].set_ylabel("mean queue (packets)")
        figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return figure


def _lines(results: Results) -> Figure:
    labels = {"N": "flows N", "RTLD": "RTLD (ms)", "SR": "SR (packets/s)"}
    with style.figure_style():
        figure = Figure(figsize=(7.2, 2.4), layout="constrained")
        for ax, name in zip(figure.subplots(1, 3, sharey=True), labels, strict=True):
            for index, p in enumerate(LINEAR):
                xs, found = swept(results, p)[name]
                xs = [x * (1000 if name == "RTLD" else 1) for x in xs]
                look = style.line_style(index + 1)
                ax.plot(xs, [f.law for f in found], label=f"law, p = {p:g}", **(look | {"marker": ""}))
                ax.plot(xs, [f.queue for f in found], **(look | {"linestyle": "", "markersize": 4.5}))
            ax.set_xlabel(labels[name])
            ax.set_ylim(0, 3700)
        figure.axes[0].set_ylabel("mean queue (packets)")
        figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return figure


def _windows(results: Results) -> Figure:
    with style.figure_style():
        figure = Figure(figsize=(7.2, 2.6), layout="constrained")
        left, right = figure.subplots(1, 2, sharey=True)
        dense = np.geomspace(PS[0], PS[-1], 100)
        left.plot(dense, padhye_window(dense), color=style.COLOURS[0], linewidth=0.9, label="formula")
        for index, (name, label) in enumerate((("N", "N"), ("RTLD", "RTLD"), ("SR", "SR"))):
            points = [(f.cell.p, implied(f)) for p in LINEAR for f in swept(results, p)[name][1]]
            look = style.line_style(index + 1) | {"linestyle": "", "markersize": 4 + 1.5 * (2 - index)}
            left.plot(*zip(*points, strict=True), label=f"{label} varies", **look)
        for index, (flows, window) in enumerate(LIMITED):
            look = style.line_style(index + 1)
            found = [results.of("drop", flows, p, window=window) for p in WIDE]
            formula = [float(f.cell.law().window(f.cell.p)) for f in found]
            right.plot(WIDE, formula, label=f"formula, limit {window or 'none'}", **(look | {"marker": ""}))
            right.plot(WIDE, [implied(f) for f in found], **(look | {"linestyle": "", "markersize": 4.5}))
        for ax in (left, right):
            _probabilities(ax)
        left.set_ylabel("window (packets)")
    return figure


def _probabilities(ax: Axes) -> None:
    ax.set_xscale("log")
    ax.set_xticks(WIDE, [f"{p:g}" for p in WIDE])
    ax.set_xticks([], minor=True)
    ax.set_xlabel("probability of a drop")
    ax.set_ylim(0, 20)
    ax.legend(loc="upper right")
