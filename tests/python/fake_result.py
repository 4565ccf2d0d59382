"""Results in the shape of `compare --json` and `run --json`, made up but plausible: the page can be tested alone."""

from __future__ import annotations

import copy
import math
import random
from typing import Any

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
    """Six schemes, four loads, `runs` repetitions."""
    rng = random.Random(seed)
    points: list[dict[str, Any]] = [{PATH: n} for n in COUNTS] if vary else [{}]
    rows = []
    for which, (scheme, params) in enumerate(SCHEMES):
        for at, point in enumerate(points):
            for place, metric, mean in _numbers(which, at / max(len(COUNTS) - 1, 1), rng):
                sd = abs(mean) * rng.uniform(0.01, 0.06) if runs > 1 else None
                half = 2.05 * sd / math.sqrt(runs) if sd is not None else None
                rows.append({
                    "scheme": scheme, "params": params, "vary": point, "place": place, "metric": metric,
                    "mean": mean, "sd": sd, "runs": runs,
                    "ci95": None if half is None else [mean - half, mean + half],
                })  # fmt: skip
    result = {"penstock": "0.1.0", "scenario": scenario(), "rows": rows}
    if series:
        result["series"] = [
            {"scheme": scheme, "params": params, "vary": point, "links": {"bottleneck": _series(which, at, rng)}}
            for which, (scheme, params) in enumerate(SCHEMES)
            for at, point in enumerate(points)
        ]
    return result


def grid_result() -> dict[str, Any]:
    """The made-up comparison at two rates."""
    result = compare_result(series=False)
    slow = [{**row, "vary": {RATE: "2Mbit", **row["vary"]}} for row in result["rows"]]
    fast = copy.deepcopy(slow)
    for row in fast:
        row["vary"][RATE] = "4Mbit"
        if "_pmf" not in row["metric"]:
            row["mean"] *= 0.5
            row["ci95"] = [end * 0.5 for end in row["ci95"]]
    return {**result, "rows": slow + fast}


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
    found = []
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
        found += [(place, name, value) for name, value in values.items()]
        pmf = [math.exp(-(((k - queue) / (1 + queue / 5)) ** 2) / 2) for k in range(36)]
        found += [(place, f"length_pmf[{k}]", p / sum(pmf)) for k, p in enumerate(pmf)]
        found += [(place, f"burst_loss_pmf[{k}]", 0.5**k) for k in range(1, 9)]
    for place in ("base", "extra"):
        values = {
            "goodput_bps": (0.3e6 if place == "base" else 1.1e6) * rng.uniform(0.97, 1.03),
            "rtt_mean_s": 0.052 + low / 187.5, "loss_rate": 0.006 + 0.2 * load, "timeouts": 3 + 900 * load,
            "sent_pkts": 9000.0, "retransmitted_pkts": 9000 * (0.005 + 0.2 * load), "fast_retransmits": 80.0,
            "jain": 0.98 - 0.2 * load,
        }  # fmt: skip
        found += [(place, name, value) for name, value in values.items()]
    return found


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
