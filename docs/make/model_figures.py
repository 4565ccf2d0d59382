"""The figures of the closed forms of `ps.model`: `make model-figures` redraws them.

The measured points are read from `docs/data/responses-*.csv`, which `make measured` writes; all else is computed here.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from penstock import model
from penstock.plots import save, style

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "docs" / "data"
FIGURES = ROOT / "docs" / "images"

RTT = 0.1
"""Round trip of the measured responses, in seconds."""
PLACES = 20
"""K of M/M/1/K and M/D/1/K: packets in the system."""
CAPACITIES = (2500, 5000)
"""Capacity for the design rules, in packets per second."""
DESIGN = (60, 0.25)
"""Number of flows and round trip (s) for PI's rule."""

Values = npt.NDArray[np.float64]


def table(name: str) -> list[dict[str, float]]:
    """The rows of a measured table, by the headings of its columns."""
    with (DATA / f"responses-{name}.csv").open(encoding="utf-8", newline="") as file:
        return [{heading: float(cell) for heading, cell in row.items()} for row in csv.DictReader(file)]


def look(index: int, *, marker: bool = False) -> dict[str, Any]:
    """A line without its marker, or a marker without its line."""
    found = style.line_style(index)
    return found | ({"linestyle": ""} if marker else {"marker": ""})


def panels(rows: int, columns: int) -> tuple[Figure, list[Axes]]:
    """A figure with this number of panels; call it within `figure_style`."""
    figure = Figure(figsize=(7.2, 2.5 * rows), layout="constrained")
    return figure, list(figure.subplots(rows, columns, squeeze=False).flat)


def responses() -> Figure:
    """Windows against the loss rate: the formulas and the simulated TCPs."""
    figure, (random, cubic) = panels(1, 2)
    p = np.geomspace(3e-4, 0.15, 40)
    random.plot(p, model.sqrt_law_window(p), label="square root", **look(1))
    for index, timeout in ((2, 0.2), (3, 1.0)):
        windows = model.padhye_window(p, rtt=RTT, timeout=timeout, form="full")
        random.plot(p, windows, label=f"Padhye, RTO {timeout:g} s", **look(index))
    sack = [(row["p"], RTT * row["rate"]) for row in table("sack")]
    random.plot(*np.transpose(sack), label="SACK, 0.2 s", **look(0, marker=True))
    for column, index, timeout in (("Reno 200 ms", 2, 0.2), ("Reno 1 s", 3, 1.0)):
        reno = [
            (row["p"], row[column] * float(model.padhye_window(row["p"], rtt=RTT, timeout=timeout, form="full")))
            for row in table("others")
        ]
        random.plot(*np.transpose(reno), label=f"Reno, {timeout:g} s", **look(index, marker=True))
    p = np.geomspace(3e-6, 1e-3, 40)
    cubic.plot(p, model.sqrt_law_window(p), label="Reno", **look(1))
    for index, rtt in ((2, 0.1), (4, 0.2)):
        cubic.plot(p, model.cubic_window(p, rtt), label=f"CUBIC, {rtt:g} s", **look(index))
        found = [(1 / row["1/p"], row["measured from 1.2"]) for row in table("cubic") if row["RTT in s"] == rtt]
        cubic.plot(*np.transpose(found), label=f"found, {rtt:g} s", **look(index, marker=True))
    random.set(title="random losses", ylabel="mean window (packets)")
    cubic.set(title="a loss after each 1 / p packets")
    for ax in (random, cubic):
        ax.set(xscale="log", yscale="log", xlabel="p")
        ax.legend(fontsize=6)
    return figure


def dctcp() -> Figure:
    """DCTCP: its window against random marks, the share of marks at a threshold, and the swing of the queue there."""
    figure, (random, share, swing) = panels(1, 3)
    p = np.geomspace(0.003, 0.3, 40)
    random.plot(p, model.dctcp_window(p), label="DCTCP, 2 / p", **look(1))
    random.plot(p, model.sqrt_law_window(p), label="square root", **look(0))
    random.set(xscale="log", yscale="log", xlabel="p", ylabel="mean window (packets)", title="random marks")
    windows = np.geomspace(2, 1000, 40)
    share.plot(windows, model.dctcp_alpha(windows), label="alpha", **look(1))
    share.plot(windows, np.sqrt(2 / windows), label="sqrt(2 / W)", **look(0))
    share.set(xscale="log", yscale="log", xlabel="(C RTT + K) / N (packets)", ylabel="share of marks")
    share.set_title("at a threshold")
    product = 350.0
    k = np.linspace(0, 150, 2)
    for index, flows in enumerate((2, 10, 40), start=1):
        found = model.dctcp_swing(flows, product, k)
        colour = style.COLOURS[index]
        swing.fill_between(k, found.lowest, found.highest, color=colour, alpha=0.2, linewidth=0, label=f"{flows} flows")
        swing.plot(k, found.lowest, **look(index))
    swing.axhline(0, color="#888888", linewidth=0.8)
    least = float(model.dctcp_least_threshold(product))
    swing.axvline(least, color="#888888", linewidth=0.8, linestyle=":", label="C RTT / 7")
    swing.set(xlabel="threshold K (packets)", ylabel="queue (packets)", title=f"C RTT = {product:g} packets")
    for ax in (random, share, swing):
        ax.legend()
    return figure


def queues() -> Figure:
    """Waiting and loss against the load, Erlang's formulas, and the delay bound of GPS."""
    figure, (waiting, loss, erlang, gps) = panels(2, 2)
    below, load = np.linspace(0.3, 0.98, 80), np.linspace(0.3, 1.5, 120)
    for index, name, of, lost in (
        (1, "M/M/1", model.mm1_waiting, model.mm1_loss), (2, "M/D/1", model.md1_waiting, model.md1_loss),
    ):  # fmt: skip
        waiting.plot(below, of(below), label=name, **look(0) | {"color": style.COLOURS[index]})
        waiting.plot(load, of(load, PLACES), label=f"{name}/{PLACES}", **look(index))
        loss.plot(load, lost(load, PLACES), label=f"{name}/{PLACES}", **look(index))
    waiting.set(xlabel="load", ylabel="waiting (packets)", ylim=(0, 25))
    loss.set(xlabel="load", ylabel="share lost", yscale="log", ylim=(1e-9, 1))
    share = np.linspace(0.3, 1.2, 120)
    for index, servers in ((1, 10), (2, 100)):
        colour = {"color": style.COLOURS[index]}
        erlang.plot(share, model.erlang_b(share * servers, servers), label=f"B, {servers} servers", **look(0) | colour)
        erlang.plot(share, model.erlang_c(share * servers, servers), label=f"C, {servers} servers", **look(1) | colour)
    erlang.set(xlabel="load of a server", ylabel="share lost (B), waiting (C)", yscale="log", ylim=(1e-5, 1.5))
    rate = np.linspace(0.05, 1, 80)
    for index, largest in ((1, 0.0), (2, 1.0)):
        found = 8 * 1.5 / 10 * np.asarray(model.gps_longest_delay(10, rate, largest, 1))
        gps.plot(rate, found, label="GPS" if largest == 0 else "WFQ, packet by packet", **look(index))
    gps.set(xlabel="share of 10 Mbit/s", ylabel="longest delay (ms)", ylim=(0, None), title="bursts of 10 x 1500 bytes")
    for ax in (waiting, loss, erlang, gps):
        ax.legend()
    return figure


def borders(ax: Axes) -> None:
    """The stability border of RED and PI: number of flows against round trip."""
    trips = np.linspace(0.05, 0.3, 51)
    for index, capacity in enumerate(CAPACITIES):
        gains = model.pi_gains(*DESIGN, capacity, 170)
        w_q = float(model.red_weight(capacity, time_constant=0.1))
        laws = (
            ("RED", model.FluidRed(min_th=50, max_th=450, max_p=0.1, w_q=w_q)),
            ("PI", model.FluidPi(a=float(gains.a), b=float(gains.b), frequency=170, target=100)),
        )
        for number, (name, law) in enumerate(laws, start=1):
            fluid = model.Fluid(flows=1, rtt=trips, capacity=capacity, law=law)
            line = look(0) if index else look(1)
            border = fluid.border_flows(1, 100)
            ax.plot(trips, border, label=f"{name}, {capacity}/s", **line | {"color": style.COLOURS[number]})
    ax.plot(DESIGN[1], DESIGN[0], "*", color=style.COLOURS[0], label="PI is designed for")
    ax.set(xlabel="round trip without queueing (s)", ylabel="flows", title="stable above the line", ylim=(0, 140))


def gains_of(ax: Axes) -> None:
    """PI's gains against the number of flows in its design."""
    flows = np.geomspace(5, 500, 40)
    for index, capacity in enumerate(CAPACITIES):
        found = model.pi_gains(flows, DESIGN[1], capacity, 170)
        line = look(0) if index else look(1)
        ax.plot(flows, found.a, label=f"a, {capacity}/s", **line | {"color": style.COLOURS[1]})
        ax.plot(flows, found.k_pi, label=f"rise a second, {capacity}/s", **line | {"color": style.COLOURS[2]})
    ax.set(xscale="log", yscale="log", xlabel="flows N", ylabel="per packet", title="PI")


def largest(ax: Axes) -> None:
    """The maximum gains of P, LRED and AVQ against the number of flows."""
    flows = np.geomspace(5, 500, 40)
    rules: tuple[tuple[str, Callable[[Values], Any]], ...] = (
        ("P: slope", lambda n: model.p_slope(n, DESIGN[1], CAPACITIES[0])),
        ("LRED: beta", lambda n: np.minimum(*model.lred_beta(n, DESIGN[1], CAPACITIES[0]))),
        ("AVQ: alpha", lambda n: model.avq_alpha(n, DESIGN[1], CAPACITIES[0], gamma=0.98)),
    )
    for index, (name, rule) in enumerate(rules, start=1):
        ax.plot(flows, rule(flows), label=name, **look(index))
    ax.set(xscale="log", yscale="log", xlabel="flows N", ylabel="largest stable value", title="P, LRED, AVQ")


def redopt(ax: Axes) -> None:
    """REDopt's thresholds against the flows."""
    flows = np.geomspace(20, 300, 40)
    for index, (spread, words) in enumerate((("reg", "regression"), ("ctl", "control theory")), start=1):
        found = model.redopt(flows, CAPACITIES[0], 0.1, spread=spread)  # type: ignore[arg-type]
        ax.fill_between(flows, found.min_th, found.max_th, color=style.COLOURS[index], alpha=0.25, linewidth=0)
        ax.plot(flows, found.max_th, label=words, **look(index))
        ax.plot(flows, found.min_th, **look(index))
    ax.set(xlabel="flows N", ylabel="min_th to max_th (packets)", title="REDopt", ylim=(0, None))


def spacing(ax: Axes) -> None:
    """The share that RED drops against its p_b."""
    p_b = np.geomspace(0.001, 1, 80)
    for index, name in enumerate(("none", "count", "wait")):
        found = np.asarray(model.red_drop_share(p_b, spacing=name)) / p_b  # type: ignore[arg-type]
        ax.plot(p_b, found, label=f'"{name}"', **look(index))
    ax.set(xscale="log", xlabel="p_b", ylabel="share dropped / p_b", title="RED's spacing", ylim=(0, None))


def of_delay(ax: Axes) -> None:
    """DualPI2's gains by the longest round trip, PIE's by its period."""
    trips = np.geomspace(0.01, 0.5, 40)
    periods = np.geomspace(0.002, 0.1, 40)
    rules = (("DualPI2", trips, model.dualpi2_gains(trips)), ("PIE", periods, model.pie_gains(t_update=periods)))
    for index, (name, times, found) in enumerate(rules, start=1):
        ax.plot(times, found.alpha, label=f"{name}: alpha", **look(1) | {"color": style.COLOURS[index]})
        ax.plot(times, found.beta, label=f"{name}: beta", **look(0) | {"color": style.COLOURS[index]})
    ax.set(xscale="log", yscale="log", xlabel="longest RTT, or PIE's period (s)", ylabel="per second of delay")
    ax.set_title("PIE, DualPI2")


def design() -> Figure:
    """The design rules."""
    figure, axes = panels(3, 2)
    for ax, draw in zip(axes, (borders, gains_of, largest, redopt, spacing, of_delay), strict=True):
        draw(ax)
        ax.legend(fontsize=6)
    return figure


def batches() -> Figure:
    """Losses that remain after a code, for single losses and for batches."""
    figure, panel = panels(1, 2)
    red, droptail = model.LossBatches((0.9, 0.1)), model.LossBatches((0.6, 0.4))
    p = np.geomspace(0.002, 0.5, 40)
    for ax, (k, h) in zip(panel, ((16, 1), (16, 4)), strict=True):
        for index, (name, of) in enumerate((("9 of 10 alone (RED)", red), ("6 of 10 alone (drop-tail)", droptail))):
            ax.plot(p, np.asarray(of.residual_loss(p, k, h)), label=name, **look(index + 1))
        ax.plot(p, p, label="without a code", **look(0) | {"linewidth": 0.6})
        border = model.code_threshold(red, droptail, h)
        if border is not None:
            ax.axvline(border / (k + h), color="#888888", linewidth=0.8, linestyle=":")
        ax.set(xscale="log", yscale="log", xlabel="loss before repair", title=f"{k} data, {h} redundant")
    panel[0].set_ylabel("loss after repair")
    panel[0].legend()
    return figure


def main() -> None:
    """Write all figures."""
    with style.figure_style():
        for draw in (responses, dctcp, queues, design, batches):
            save(draw(), FIGURES / f"model-{draw.__name__}.svg")


if __name__ == "__main__":
    main()
