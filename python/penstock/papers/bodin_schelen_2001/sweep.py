"""The sweep of the rate in profile (Section 3): what is run, what is kept, how the figures read it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.bodin_schelen_2001.setup import HALF, IN_RATES, LEVEL_1, SETTINGS, STRATEGIES, network, wred
from penstock.plots.curves import course as course_of
from penstock.plots.curves import curves, over_time
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Condition, Sample
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study
from penstock.units import parse_time

MAX_TH = LEVEL_1[1]
SENDERS = ("fromA", "fromB")
EMPTY = 0.036  # s: the mean round trip of A (40 ms) and B (32 ms) without queues
FOR_ITS_ROUND_TRIP = "losses at one round trip, as those that TCP needs for a throughput fall with its square"


def scenario(setting: str, strategy: str, x: float, duration: str, **more: Any) -> ps.Scenario:
    """One strategy in one setting, at `x` Mb/s in profile."""
    tcp, form = SETTINGS[setting]
    return network(wred(strategy, form), tcp, x, duration=duration, **more)


def study(settings: Sequence[str], effort: Effort) -> Study:
    """Both strategies in these settings over the whole sweep, 32 runs of 130 s (Section 3.1)."""
    duration = effort.choose("40s", "130s")
    return Study(
        lambda setting, strategy, x: scenario(setting, strategy, x, duration),
        {"setting": list(settings), "strategy": list(STRATEGIES), "x": effort.choose([0.2, HALF, 8.6], IN_RATES)},
        seeds=effort.choose(5, 32),
        keep=of_average,
    )


def of_average(run: ps.Run) -> dict[str, Any]:
    """avg_ql behind the warm-up: mean, sd, extent; share of time above max_th(1) and ways there; course."""
    series = run.series["core"]
    values, at = np.array(series["avg"]["mean"], dtype=float), np.array(series["t_ns"]) / 1e9
    part = values[at > 10.0]
    seconds = np.ceil(at / 0.25).astype(int)
    course = [round(float(values[seconds == second].mean()), 3) for second in range(41, int(seconds.max()) + 1)][:160]
    return {
        "avg_mean": float(part.mean()),
        "avg_sd": float(part.std()),
        "extent": float(part.max() - part.min()),
        "above": float((part > 45).mean()),
        "passes": int(((part[1:] > 45) & (part[:-1] <= 45)).sum()),
        "course": course,
    }


def measure(run: ps.Run) -> dict[str, float | None]:
    """Losses as shares of what came, payload in bit/s, average in packets, delays in s, timeouts a second.

    `out` is what A and B have tagged as out of profile; acknowledgements have no tag, and are told apart.
    """
    core, kept = run.links["core"], run.raw["kept"]
    sent, lost, timeouts, goodput = (
        sum(float(run.traffic[name][metric]) for name in SENDERS)
        for metric in ("sent_pkts", "lost_pkts", "timeouts", "goodput_bps")
    )
    out, untagged = (core.get(f"dscp_{name}_arrivals", 0) for name in ("af12", "default"))
    runs = [np.asarray(run.traffic[name]["loss_run_pmf"], dtype=float) for name in SENDERS]
    return {
        "loss": lost / sent,
        **({"loss_out": core["dscp_af12_loss_rate"]} if out else {}),
        **({"loss_ack": core["dscp_default_loss_rate"]} if untagged else {}),
        "lost_in": core.get("dscp_af11_drops", 0),
        "out_share": out / sent,
        "goodput": goodput,
        "utilization": core.utilization,
        "timeouts": timeouts / _seconds(run),
        "at_one_rtt": lost / sent * (1 + (core.delay_mean_s or 0.0) / EMPTY) ** 2,
        "delay_mean": core.delay_mean_s,
        "delay_sd": core.delay_sd_s,
        "burst": _mean(core["burst_loss_pmf"]),
        "burst_out": _mean(core.get("dscp_af12_burst_loss_pmf", ())),
        "loss_run": float(np.mean([_mean(pmf) for pmf in runs])),
        **{name: kept[name] for name in ("avg_mean", "avg_sd", "extent", "above", "passes")},
    }


def with_course(run: ps.Run) -> dict[str, float | None]:
    """The same and, of the first run at half of the link, the average over time."""
    drawn = run.seed == 1 and run.scenario["name"].endswith(f" {HALF:g} Mb/s in profile")
    course = run.raw["kept"]["course"] if drawn else []
    return {**measure(run), **{f"avg@{10 + 0.25 * index:g}": value for index, value in enumerate(course)}}


def _seconds(run: ps.Run) -> float:
    return (parse_time(run.scenario["duration"]) - parse_time(run.scenario["warmup"])) / 1e9


def _mean(shares: Sequence[float] | np.ndarray) -> float:
    """Of a distribution over 1, 2, 3, ..."""
    pmf = np.asarray(shares, dtype=float)
    return float((pmf * np.arange(1, len(pmf) + 1)).sum() / pmf.sum()) if pmf.sum() > 0 else float("nan")


class Setting:
    """The samples of one setting in a table."""

    def __init__(self, table: Table, setting: str | None = None, **labels: str) -> None:
        self.table, self.labels = table, {**({"setting": setting} if setting else {}), **labels}
        self.xs: list[float] = table.axis("x")

    def __call__(self, metric: str, strategy: str, x: float = HALF) -> Sample:
        """A number at a rate in profile."""
        return self.table(metric, strategy=strategy, x=x, **self.labels)

    def over(self, metric: str, strategy: str, xs: Sequence[float] | None = None) -> list[Sample]:
        """A number at all rates in profile, or at some."""
        return [self(metric, strategy, x) for x in (self.xs if xs is None else xs)]

    def deficit(self) -> Sample:
        """What DA lacks in throughput against DFQ, in bit/s, mean over the sweep."""
        gaps = [self("goodput", "DFQ", x) - self("goodput", "DA", x) for x in self.xs]
        return sum(gaps[1:], gaps[0]) / len(gaps)


def apart(above: Sample, below: Sample) -> Condition:
    """Whether the interval of one lies above that of the other."""
    found = below.summary
    return above > (math.nan if found is None or found.ci95 is None else found.ci95[1])


def whole(table: Table) -> bool:
    """Whether the whole sweep was run, as the claims of a range want it."""
    return table.axis("x") == IN_RATES


def draw_sweep(shown: Shown, metric: str, label: str, setting: str, scale: float = 1.0) -> Figure:
    """A number over the sweep, a line for each strategy."""
    labels = ("in profile (Mb/s)", label)
    return curves(shown, "x", metric, "strategy", where={"setting": setting}, labels=labels, scale=scale)


def draw_course(shown: Shown, setting: str) -> Figure:
    """avg_ql of the first run at half of the link, a line for each strategy."""
    lines = {name: course_of(shown, "avg", setting=setting, strategy=name, x=HALF) for name in STRATEGIES}
    return over_time(lines, "avg_ql (packets)", levels=(LEVEL_1[0], MAX_TH))
