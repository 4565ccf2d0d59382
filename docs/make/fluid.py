"""The onset of oscillation in the fluid model and in simulations: the tables and figures of its page.

`make fluid` runs this script. Without `--measure`, only the tables and the figures are written, from the stored data.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import penstock as ps
from matplotlib.figure import Figure
from penstock import model
from penstock.engine.run import run_batch
from penstock.files import write_text
from penstock.plots import save, style
from scipy.signal import lfilter
from scipy.stats import t as student

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "docs" / "fluid.json"
PAGE = ROOT / "docs" / "explanation" / "fluid.md"
FIGURES = ROOT / "docs" / "images"

CAPACITY = 12_500
"""Packets of 1000 bytes per second: 100 Mbit/s."""
ROUND_TRIPS = (0.11, 0.125, 0.14)
"""Round trips without queueing, in seconds."""
MAX_TH = 900
LARGEST = MAX_TH / 15
"""A queue oscillates if the standard deviation of its average over 100 s is above this number of packets."""
TARGET = 250
"""Target of PI, in packets."""
POLE = 10.0
"""Inverse time constant of the average, per second."""
SEEDS = range(1, 6)
SAMPLING, WARMUP, DURATION = 0.01, 50, 150
STEPS = np.geomspace(0.65, 1.6, 9)
"""The simulated numbers of flows, relative to the fluid's onset."""

AGAIN = ("RED", 0.14)
SCALE = 4
"""The factor by which link, flows and queues of the case `AGAIN` are enlarged to reduce randomness."""

ETA = 1.5
"""W^2 p in equilibrium, by the square-root law of the simulated TCPs."""

Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Law:
    """An AQM as fluid and as queue of the simulation."""

    fluid: model.FluidLaw
    scheme: ps.Queue


def laws(scale: int = 1) -> dict[str, Law]:
    """RED, and PI with the gains of its design rule for 300 flows and 120 ms.

    The link, its flows and its queues are `scale` times as large.
    """
    w_q = -math.expm1(-POLE / (scale * CAPACITY))
    gains = model.pi_gains(300 * scale, 0.12, scale * CAPACITY, 170)
    a, b = float(gains.a), float(gains.b)
    min_th, max_th, target, limit = (scale * length for length in (100, MAX_TH, TARGET, 20_000))
    return {
        "RED": Law(
            model.FluidRed(min_th=min_th, max_th=max_th, max_p=0.1, w_q=w_q, gentle_top=2 * max_th),
            ps.Red(
                min_th=f"{min_th}p", max_th=f"{max_th}p", max_p=0.1, w_q=w_q, gentle=True, spacing="none",
                guards=False, ecn=True, mark_up_to="top", limit=f"{limit}p",
            ),
        ),
        "PI": Law(
            model.FluidPi(a=a, b=b, frequency=170, target=target),
            ps.Pi(a=a, b=b, target=f"{target}p", ecn=True, limit=f"{limit}p"),
        ),
    }  # fmt: skip


def average(queue: Values) -> Values:
    """RED's average of a queue, used for both AQMs, in the fluid and in the simulation."""
    keep = math.exp(-POLE * SAMPLING)
    found, _ = lfilter([1 - keep], [1, -keep], queue, zi=[keep * queue[0]])
    return np.asarray(found, dtype=np.float64)


def of_fluid(fluid: model.Fluid) -> Values:
    """The average over the last 100 s of 300, after a start with a window 5 % above the equilibrium."""
    path = fluid.trajectory(300, disturbance=0.05, sampling=SAMPLING)
    return average(path.queue)[-round((DURATION - WARMUP) / SAMPLING) :]


def fluid_onset(fluid: model.Fluid, most: int) -> float:
    """The largest number of flows up to `most` whose limit cycle deviates by more than `LARGEST`, to a thousandth."""

    def swings(flows: float) -> bool:
        return bool(np.std(of_fluid(replace(fluid, flows=flows))) > LARGEST)

    low, high = 0.95 * float(fluid.border_flows(10, most)), float(most)
    if not swings(low) or swings(high):
        raise SystemExit(f"{fluid}: no onset of {LARGEST} packets between {low:g} and {high:g} flows")
    while high - low > 1e-3 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if swings(middle) else (low, middle)
    return low


@dataclass(frozen=True)
class Packets:
    """Statistics of a simulation over 100 s after a warm-up of 50 s."""

    average: Values
    """The average queue in packets, in steps of `SAMPLING`."""
    balance: float
    """W^2 p, with W = R C / N at the mean queue, and p the marked share of the packets."""


def simulated(scheme: ps.Queue, rtt: float, flows: Sequence[int], scale: int) -> list[list[Packets]]:
    """The simulations by number of flows and seed, on a link `scale` times as fast."""
    texts = []
    for count in flows:
        traffic = ps.Tcp(
            count=count, flavour="sack", profile="ns2", packet="960B", headers="40B", window=100_000, ecn=True,
            start={"uniform": ["0s", "10s"]},
        )  # fmt: skip
        scenario = ps.dumbbell(
            rate=f"{100 * scale}Mbit", rtt=f"{rtt * 1000:g}ms", access="100Gbit", queue=scheme,
            traffic={"bulk": traffic}, duration=f"{DURATION}s", warmup=f"{WARMUP}s",
        )  # fmt: skip
        points = round(DURATION / SAMPLING)
        texts.append(scenario.document().resolve().for_engine(flows=False, series=True, series_points=points))
    seeds = [seed for _ in flows for seed in SEEDS]
    found = []
    results = run_batch([text for text in texts for _ in SEEDS], seeds)
    for text, count in zip(results, np.repeat(flows, len(SEEDS)), strict=True):
        result = json.loads(text)
        link = result["links"]["bottleneck"]
        queue = np.array(result["series"]["bottleneck"]["queue"]["mean"], dtype=np.float64)
        window = (rtt * scale * CAPACITY + link["length_mean_pkts"]) / int(count)
        found.append(Packets(average(queue)[round(WARMUP / SAMPLING) :], window**2 * link["mark_rate"]))
    return [found[n : n + len(SEEDS)] for n in range(0, len(found), len(SEEDS))]


def crossing(flows: Sequence[float], deviations: Sequence[float]) -> float:
    """The largest number of flows at which the deviation falls below `LARGEST`, interpolated over log(flows)."""
    for n in range(len(flows) - 1, 0, -1):
        above, below = deviations[n - 1], deviations[n]
        if above > LARGEST >= below:
            share = (above - LARGEST) / (above - below)
            return float(np.exp((1 - share) * np.log(flows[n - 1]) + share * np.log(flows[n])))
    return math.nan


def measure() -> dict[str, Any]:
    """All numbers of the page."""
    data = {f"{name} {rtt:g}": measured(name, rtt, scale=1, steps=STEPS) for name in laws() for rtt in ROUND_TRIPS}
    name, rtt = AGAIN
    data[f"{name} {rtt:g} x{SCALE}"] = measured(name, rtt, scale=SCALE, steps=STEPS[STEPS < 1.4])
    onsets = {rtt: data[f"RED {rtt:g}"]["onset"] for rtt in ROUND_TRIPS}
    return {"onset": data, "swing": {f"{rtt:g}": swing(rtt, round(0.7 * onset)) for rtt, onset in onsets.items()}}


def swing(rtt: float, flows: int) -> dict[str, Any]:
    """Deviation (packets) and period (s) of RED's average: packets, the fluid, and the fluid with an ACK clock."""
    law = laws()["RED"]
    runs = [run.average for run in simulated(law.scheme, rtt, [flows], 1)[0]]
    fluid = of_fluid(model.Fluid(flows=flows, rtt=rtt, capacity=CAPACITY, law=law.fluid, eta=ETA))
    clocked = ack_clocked(rtt, flows)
    return {
        "flows": flows,
        "packets": [float(np.mean([np.std(run) for run in runs])), float(np.mean([period(run) for run in runs]))],
        "fluid": [float(np.std(fluid)), period(fluid)],
        "clocked": [float(np.std(clocked)), period(clocked)],
    }


def period(path: Values) -> float:
    """The period of the strongest frequency, in seconds."""
    spectrum = np.abs(np.fft.rfft(path - path.mean()))
    return float(len(path) * SAMPLING / (1 + np.argmax(spectrum[1:])))


def ack_clocked(rtt: float, flows: int) -> Values:
    """RED's average with the queue of an ACK clock, q = N W - C T_p: 100 s after 50 s, by Euler's method."""
    step, every = 0.002, round(SAMPLING / 0.002)
    window, queue, mean = (np.empty(round(DURATION / step)) for _ in range(3))
    window[0] = queue[0] = mean[0] = 10
    for n in range(len(window) - 1):
        now = rtt + queue[n] / CAPACITY
        then = max(0, n - round(now / step))
        p = np.interp(mean[then], [100, MAX_TH, 2 * MAX_TH], [0, 0.1, 1])
        cut = window[n] * window[then] * p / (ETA * (rtt + queue[then] / CAPACITY))
        window[n + 1] = window[n] + step * (1 / now - cut)
        queue[n + 1] = max(0.0, flows * window[n + 1] - CAPACITY * rtt)
        mean[n + 1] = mean[n] + step * POLE * (queue[n] - mean[n])
    return mean[round(WARMUP / step) :: every]


def measured(name: str, rtt: float, *, scale: int, steps: Values) -> dict[str, Any]:
    """An AQM at a round trip: the fluid's onsets, and the simulated deviations and onsets divided by `scale`."""
    fluid = model.Fluid(flows=1, rtt=rtt, capacity=CAPACITY, law=laws()[name].fluid, eta=ETA)
    papers = replace(fluid, eta=2)
    # Above `most`, the equilibrium is on the gentle part of RED's ramp, which is so steep that RED oscillates again.
    numbers = np.arange(10, 600)
    most = int(numbers[np.asarray(replace(papers, flows=numbers).equilibrium().queue) < 0.9 * MAX_TH][-1])
    onset = fluid_onset(fluid, most)
    flows = [round(scale * onset * step) for step in steps]
    runs = simulated(laws(scale)[name].scheme, rtt, flows, scale)
    deviations = [[float(np.std(run.average)) / scale for run in of] for of in runs]
    shares = [count / scale for count in flows]
    return {
        "border": float(fluid.border_flows(10, most)),
        "onset": onset,
        "onset_papers": fluid_onset(papers, most),
        "window": float(np.asarray(replace(fluid, flows=onset).equilibrium().window)),
        "flows": shares,
        "deviations": deviations,
        "balance": [float(np.mean([run.balance for run in of])) for of in runs],
        "onsets": [crossing(shares, [of[seed] for of in deviations]) for seed in range(len(SEEDS))],
    }


def swings(data: dict[str, Any]) -> str:
    """The table of the oscillations, as Markdown."""
    lines = [
        "| T_p in ms | flows | simulation | fluid | fluid with an ACK clock |",
        "| --- | --- | --- | --- | --- |",
    ]
    for rtt, found in data.items():
        parts = " | ".join(f"{found[of][0]:.0f}, {found[of][1]:.2f} s" for of in ("packets", "fluid", "clocked"))
        lines.append(f"| {float(rtt) * 1000:g} | {found['flows']:g} | {parts} |")
    return "\n".join(lines) + "\n"


def onsets(data: dict[str, Any]) -> str:
    """The table of the onsets, as Markdown."""
    lines = [
        "| AQM | T_p in ms | fluid, eta = 3/2 | fluid, eta = 2 | simulation | simulation/fluid | W | simulated W^2 p |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for case, found in data.items():
        name, rtt, *scale = case.split()
        each = found["onsets"]
        mean = float(np.mean(each))
        half = float(student.ppf(0.975, len(each) - 1) * np.std(each, ddof=1) / math.sqrt(len(each)))
        balance = np.interp(mean, found["flows"], found["balance"])
        lines.append(
            f"| {name}{', four times as large' if scale else ''} | {float(rtt) * 1000:g} | {found['onset']:.0f} "
            f"| {found['onset_papers']:.0f} | {mean:.0f} ± {half:.0f} | {mean / found['onset']:.2f} "
            f"| {found['window']:.1f} | {balance:.2f} |"
        )
    return "\n".join(lines) + "\n"


def draw_onsets(data: dict[str, Any]) -> Figure:
    """The deviation of the average against the number of flows, fluid and simulation."""
    figure = Figure(figsize=(6.8, 2.6), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    for panel, (name, law) in zip(panels, laws().items(), strict=True):
        for index, rtt in enumerate(ROUND_TRIPS):
            found, look = data[f"{name} {rtt:g}"], style.line_style(index + 1)
            fluid = model.Fluid(flows=1, rtt=rtt, capacity=CAPACITY, law=law.fluid, eta=ETA)
            onset, flows = found["onset"], found["flows"]
            swinging = np.linspace(flows[0], 0.995 * onset, 12)
            swings = [float(np.std(of_fluid(replace(fluid, flows=count)))) for count in swinging]
            panel.plot([*swinging, onset, flows[-1]], [*swings, 0, 0], color=look["color"])
            means = np.mean(found["deviations"], axis=1)
            label = f"{rtt * 1000:g} ms"
            panel.plot(flows, means, color=look["color"], marker=look["marker"], linestyle="", label=label)
        panel.axhline(LARGEST, color="#888888", linewidth=0.8, linestyle=":")
        panel.set_title(name)
        panel.set_xlabel("flows")
        panel.legend()
    panels[0].set_ylabel("sd of the average (packets)")
    return figure


def draw_swing(data: dict[str, Any]) -> Figure:
    """The Nyquist plot and the average over time, on both sides of the onset."""
    law, rtt = laws()["RED"], ROUND_TRIPS[1]
    figure = Figure(figsize=(6.8, 2.6), layout="constrained")
    plane, left, right = figure.subplots(1, 3)
    onset = data[f"RED {rtt:g}"]["onset"]
    for index, (share, panel) in enumerate(((0.7, left), (1.5, right))):
        count = round(share * onset)
        fluid = model.Fluid(flows=count, rtt=rtt, capacity=CAPACITY, law=law.fluid, eta=ETA)
        curve, look = fluid.loop(np.geomspace(0.4, 60, 400)), style.line_style(index + 1)
        plane.plot(curve.real, curve.imag, color=look["color"], label=f"{count} flows")
        (packets, *_) = simulated(law.scheme, rtt, [count], 1)[0]
        time = SAMPLING * np.arange(0, 1000, 10)
        panel.plot(time, packets.average[:1000:10], color="#888888", label="packets")
        panel.plot(time, of_fluid(fluid)[:1000:10], color=look["color"], label="fluid")
        panel.set(title=f"{count} flows", xlabel="time (s)", ylim=(0, 900))
        panel.legend()
    plane.plot([-1], [0], color="black", marker="+", markersize=6)
    plane.set(title="open loop", xlabel="Re L", ylabel="Im L", xlim=(-3, 1.5), ylim=(-2.5, 2))
    plane.legend(loc="upper left")
    left.set_ylabel("average (packets)")
    return figure


def main() -> None:
    """Measure if requested, then write the tables and the figures."""
    if "--measure" in sys.argv[1:]:
        write_text(DATA, laid_out(rounded(measure())))
    data = json.loads(DATA.read_text(encoding="utf-8"))
    page = PAGE.read_text(encoding="utf-8")
    for name, table in (("onset", onsets(data["onset"])), ("swing", swings(data["swing"]))):
        before, after = (page.index(mark) for mark in (f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"))
        page = page[:before] + f"<!-- {name} -->\n" + table + page[after:]
    write_text(PAGE, page)
    with style.figure_style():
        for name, figure in (("onset", draw_onsets(data["onset"])), ("swing", draw_swing(data["onset"]))):
            save(figure, FIGURES / f"fluid-{name}.svg")


def laid_out(data: dict[str, Any]) -> str:
    """The data as JSON, one case per line."""
    parts = []
    for name, cases in data.items():
        lines = ",\n".join(f"  {json.dumps(case)}: {json.dumps(found)}" for case, found in cases.items())
        parts.append(f" {json.dumps(name)}: {{\n{lines}\n }}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def rounded(value: Any) -> Any:
    """The numbers, rounded to five digits."""
    if isinstance(value, dict):
        return {key: rounded(part) for key, part in value.items()}
    if isinstance(value, list):
        return [rounded(part) for part in value]
    return float(f"{value:.5g}")


if __name__ == "__main__":
    main()
