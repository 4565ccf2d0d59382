"""Results in the shape of `compare --json` and `run --json`, made up but plausible: the page can be tested alone."""

from __future__ import annotations

import math
import pickle
import random
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
from penstock.results.columns import sorted_columns
from penstock.results.display import scheme_argument
from penstock.studies.runs import Runs, StudyDesign

SCHEMES: list[tuple[str, dict[str, Any]]] = [
    ("droptail", {}),
    ("red", {"min_th": 5, "max_th": 15}),
    ("red", {"min_th": 5, "max_th": 15, "gentle": True}),
    ("ared-feng", {}),
    ("ared-floyd", {}),
    ("psand", {"target": "10p", "max_p_high": 0.75}),
]
COUNTS = [0, 25, 50, 100]
PATH = "traffic.extra.count"
RATE = "links.bottleneck.rate"
# Mean queue (packets) of each scheme at few and at many flows.
_QUEUES = [(23.0, 33.5), (9.5, 15.2), (9.3, 21.0), (10.9, 22.4), (9.8, 18.9), (7.4, 10.9)]


def compare_result(runs: int = 30, vary: bool = True, series: bool = True, seed: int = 1) -> dict[str, Any]:
    """Six schemes, four loads, `runs` repetitions: computed once, and a copy at each call, which tests may change."""
    result: dict[str, Any] = pickle.loads(_pickled_comparison(runs, vary, series, seed))
    return result


@cache
def _pickled_comparison(runs: int, vary: bool, series: bool, seed: int) -> bytes:
    rng = random.Random(seed)
    points: list[dict[str, Any]] = [{PATH: n} for n in COUNTS] if vary else [{}]
    result = _compared(points, runs, rng)
    if series:
        result["series"] = [
            {"scheme": scheme, "params": params, "vary": point, "links": {"bottleneck": _series(which, at, rng)}}
            for which, (scheme, params) in enumerate(SCHEMES)
            for at, point in enumerate(points)
        ]
    return pickle.dumps(result)


def means_alone(result: dict[str, Any]) -> dict[str, Any]:
    """The same result without differences and ranking, for tests that give its rows other labels."""
    return {
        key: value
        for key, value in result.items()
        if key not in ("differences", "conclusion", "conclusions", "leaders")
    }


def grid_result() -> dict[str, Any]:
    """The made-up comparison at two rates, computed once."""
    result: dict[str, Any] = pickle.loads(_pickled_grid())
    return result


@cache
def _pickled_grid() -> bytes:
    points: list[dict[str, Any]] = [{RATE: rate, PATH: n} for rate in ("2Mbit", "4Mbit") for n in COUNTS]
    return pickle.dumps(_compared(points, 30, random.Random(1)))


def _compared(points: list[dict[str, Any]], runs: int, rng: random.Random) -> dict[str, Any]:
    """The JSON of `compare` for made-up runs of all schemes at these points."""
    rows: list[dict[str, Any]] = []
    deviations = np.random.default_rng(1).standard_normal((len(SCHEMES), runs))
    for which, (scheme, params) in enumerate(SCHEMES):
        for point in points:
            load = COUNTS.index(point.get(PATH, 0)) / (len(COUNTS) - 1)
            factor = 0.5 if point.get(RATE) == "4Mbit" else 1.0
            numbers = _numbers(which, load, rng)
            spreads = [rng.uniform(0.01, 0.06) for _ in numbers]
            for run in range(runs):
                row: dict[str, Any] = {
                    "scheme": scheme_argument(scheme, params),
                    **point,
                    "seed": run + 1,
                    "scenario": "s",
                }
                for (place, metric, mean), spread in zip(numbers, spreads, strict=True):
                    part = "links" if place.startswith("bottleneck") else "traffic"
                    name, _, value = metric.partition("[")
                    if value:
                        shares = row.setdefault(f"{part}.{place}.{name}", [])
                        shares.append(mean)
                    else:
                        most = 1.0 if metric in ("utilization", "jain") else math.inf
                        wave = 1 + spread * float(deviations[which, run])
                        row[f"{part}.{place}.{metric}"] = min(factor * mean * wave, most)
                rows.append(row)
    names = dict.fromkeys(name for row in rows for name in row)
    table = pa.table({name: [row.get(name) for row in rows] for name in sorted_columns(names)})
    return Runs(table, StudyDesign(scenario(), SCHEMES, points, ["bottleneck"], "0.1.0")).to_dict()


def run_result(seed: int = 1) -> dict[str, Any]:
    """One run of RED."""
    rng = random.Random(seed)
    links: dict[str, dict[str, Any]] = {}
    traffic: dict[str, dict[str, Any]] = {}
    for place, metric, mean in _numbers(1, 0.3, rng):
        if "_pmf[" in metric:
            continue
        (links if place.startswith("bottleneck") else traffic).setdefault(place, {})[metric] = mean
    pmf = [math.exp(-(((k - 10) / 4) ** 2) / 2) for k in range(36)]
    links["bottleneck"]["length_pmf"] = [p / sum(pmf) for p in pmf]
    traffic["extra"]["flows"] = [{"goodput_bps": rng.uniform(2e4, 6e4), "timeouts": 3} for _ in range(25)]
    return {
        "penstock": "0.1.0", "scenario": scenario(), "seed": seed, "links": links, "traffic": traffic,
        "fairness": {"jain": 0.871}, "events": 412345, "cpu_s": 0.041, "series": {"bottleneck": _series(1, 1, rng)},
    }  # fmt: skip


def scenario() -> dict[str, Any]:
    """The link of Alemu's thesis, as the resolved scenario stands in a result."""
    return {
        "name": "thesis link", "duration": "100s", "warmup": "0s", "sampling": "10ms", "seed": 1,
        "links": {
            "bottleneck": {
                "from": "R1", "to": "R2", "rate": "1.5Mbit", "delay": "20ms", "watch": True,
                "queue": {"scheme": "red", "limit": "35p", "min_th": 5, "max_th": 15, "max_p": 0.1, "w_q": "auto"},
                "reverse": {"queue": "same", "watch": True},
            },
            "left": {"from": "S1", "to": "R1", "rate": "10Mbit", "delay": "2ms"},
            "right": {"from": "R2", "to": "S3", "rate": "10Mbit", "delay": "4ms"},
        },
        "traffic": {
            "base": {"kind": "tcp", "flavour": "sack", "profile": "ns2", "from": "S1", "to": "S3", "window": 15},
            "extra": {
                "kind": "tcp", "flavour": "sack", "profile": "ns2", "count": 25, "from": "S1", "to": "S3",
                "start": {"first": "3.5s", "every": "100ms", "jitter": "100ms"},
            },
        },
    }  # fmt: skip


def _numbers(which: int, load: float, rng: random.Random) -> list[tuple[str, str, float]]:
    low, high = _QUEUES[which]
    numbers = []
    for place, share in (("bottleneck", 1.0), ("bottleneck.reverse", 0.4)):
        queue = (low + (high - low) * math.sqrt(load)) * share * rng.uniform(0.97, 1.03)
        loss = 0.005 + 0.21 * load * (1.15 if which else 1.0) * rng.uniform(0.97, 1.03)
        arrivals = 18000 + 6000 * load
        values = {
            "length_mean_pkts": queue, "length_sampled_mean_pkts": queue * 1.0001,
            "length_var_pkts2": queue * 2.1, "length_sampled_var_pkts2": queue * 2.1,
            "empty_share": 0.2 * math.exp(-queue / 8), "sampled_empty_share": 0.2 * math.exp(-queue / 8),
            "delay_mean_s": queue / 187.5, "delay_p50_s": queue / 190, "delay_p95_s": queue / 120,
            "delay_p99_s": queue / 100, "delay_p999_s": queue / 90, "delay_sd_s": queue / 500,
            "jitter_sd_s": queue / 500,
            "loss_rate": loss, "mark_rate": 0.0, "utilization": 1 - 0.03 * math.exp(-queue / 6),
            "jain": 0.99 - 0.3 * load * (1 if which else 1.4), "arrivals": arrivals, "drops": arrivals * loss,
            "drops_early": 0.0 if which == 0 else arrivals * loss * 0.8, "drops_forced": 0.0,
            "drops_overflow": arrivals * loss * (1 if which == 0 else 0.2), "departures": arrivals * (1 - loss),
        }  # fmt: skip
        if which:
            values["average_mean_pkts"] = queue
        numbers += [(place, name, value) for name, value in values.items()]
        pmf = [math.exp(-(((k - queue) / (1 + queue / 5)) ** 2) / 2) for k in range(36)]
        numbers += [(place, f"length_pmf[{k}]", p / sum(pmf)) for k, p in enumerate(pmf)]
        numbers += [(place, f"burst_loss_pmf[{k}]", 0.5**k) for k in range(1, 9)]
    for place in ("base", "extra"):
        values = {
            "goodput_bps": (0.3e6 if place == "base" else 1.1e6) * rng.uniform(0.97, 1.03),
            "rtt_mean_s": 0.052 + low / 187.5, "loss_rate": 0.006 + 0.2 * load, "timeouts": 3 + 900 * load,
            "sent_pkts": 9000.0, "retransmitted_pkts": 9000 * (0.005 + 0.2 * load), "fast_retransmits": 80.0,
            "jain": 0.98 - 0.2 * load,
        }  # fmt: skip
        numbers += [(place, name, value) for name, value in values.items()]
    return numbers


def _series(which: int, at: int, rng: random.Random) -> dict[str, Any]:
    low, high = _QUEUES[which]
    goal = low + (high - low) * math.sqrt(at / 3)
    queue, avg, max_p = 0.0, 0.0, 0.1
    series: dict[str, Any] = {"t_ns": [], "queue": _decimated(), "avg": _decimated(), "max_p": _decimated()}
    for i in range(2000):
        queue += 0.2 * (goal - queue) + rng.gauss(0, 2.2)
        queue = min(max(queue, 0.0), 35.0)
        avg += 0.05 * (queue - avg)
        max_p = min(max(max_p * (1 + 0.002 * (avg - goal)), 0.01), 0.75)
        spread = rng.uniform(0.5, 3)
        series["t_ns"].append(i * 50_000_000)
        _put(series["queue"], math.floor(max(queue - spread, 0)), queue, math.ceil(min(queue + spread, 35)))
        _put(series["avg"], avg, avg, avg)
        _put(series["max_p"], max_p, max_p, max_p)
    if which == 0:
        del series["avg"]
    if which < 3:
        del series["max_p"]
    return series


def _decimated() -> dict[str, list[float]]:
    return {"min": [], "mean": [], "max": []}


def _put(series: dict[str, list[float]], low: float, mean: float, high: float) -> None:
    series["min"].append(low)
    series["mean"].append(mean)
    series["max"].append(high)
