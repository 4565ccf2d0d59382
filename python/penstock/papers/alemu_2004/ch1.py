"""What chapter 1 cites of each scheme, on the link of chapter 2; the thesis tells no set-up (guess 16)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

import penstock as ps
from penstock.papers.alemu_2004 import judge
from penstock.papers.alemu_2004.measures import Numbers, of_controllers
from penstock.papers.alemu_2004.setup import (
    BUFFER,
    KT,
    SHARE,
    added,
    controller,
    feng,
    floyd,
    link,
    load,
    psand,
    red,
)  # fmt: skip
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Condition, Sample, all_of
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "measure", "study"]

ENDS: dict[str, Any] = {"limit": f"{BUFFER}p", "share": SHARE}
FLOWS = [13, 53, 103]
SCHEMES: Mapping[str, Callable[[], ps.Queue]] = {
    "RED": red,
    "Feng": feng,
    "Floyd": floyd,
    "PSAND": psand,
    "BLUE": lambda: controller("BLUE", 28, "same"),
    "SRED": lambda: ps.Sred(**ENDS),
    "REM": lambda: controller("REM", 28, "same"),
    "REM, alpha 0.05": lambda: ps.Rem(**ENDS, gamma=0.001, alpha=0.05, phi=1.1, target=f"{KT}p", interval="10ms"),
    "REM, gamma 0.005": lambda: ps.Rem(**ENDS, gamma=0.005, alpha=0.1, phi=1.1, target=f"{KT}p", interval="10ms"),
    "DSRED": lambda: ps.Dsred(**ENDS),
    "GREEN": lambda: ps.Green(**ENDS, variant="green-2"),
    "AVQ": lambda: ps.Avq(**ENDS, gamma=0.98, measure_in="bytes", buffer=f"{BUFFER * 1000}B"),
    "P": lambda: ps.P(**ENDS),
    "steep P": lambda: ps.P(**ENDS, max_p=1, max_th=7),
    "PI": lambda: controller("PI", 28, "same"),
    "LRED": lambda: controller("LRED", 28, "same"),
}
STEPPED = ["RED", "P", "REM", "REM, gamma 0.005", "LRED", "SRED", "BLUE", "Floyd", "AVQ"]
"""Those of which is said how fast they answer."""
SLOW: Mapping[str, Callable[[int], ps.Queue]] = {
    "PI": lambda buffer: ps.Pi(limit=f"{buffer}p", share=SHARE),
    "REM": lambda buffer: ps.Rem(
        limit=f"{buffer}p", share=SHARE, gamma=0.001, alpha=0.1, phi=1.1, target=f"{KT}p", interval="10ms"
    ),
}
"""Those that are called slow under heavy load, and slower with a small buffer."""


def study(effort: Effort) -> Study:
    """Against the number of flows; after a step; P with unequal round trips; PI and REM with a large buffer."""
    seeds = effort.choose(5, 20)
    return (
        Study(
            lambda scheme, flows: load(SCHEMES[scheme](), flows),
            {"scheme": [scheme for scheme in SCHEMES if scheme != "GREEN"], "flows": FLOWS},
            seeds=seeds,
            labels={"part": "loads"},
        )
        + Study(
            lambda scheme, flows: load(SCHEMES[scheme](), flows, sampling="100ms"),
            {"scheme": ["GREEN"], "flows": FLOWS},
            seeds=seeds,
            labels={"part": "loads"},
            keep=gamma_swing,
        )
        + Study(
            lambda scheme, window: added(SCHEMES[scheme](), 50, warmup=f"{window[0]}s", duration=f"{window[1]}s"),
            {"scheme": STEPPED, "window": [(51, 56), (70, 100)]},
            seeds=seeds,
            labels={"part": "step"},
        )
        + Study(
            lambda topology: link(ps.P(**ENDS), 50, topology=topology),
            {"topology": ["same", "diff"]},
            seeds=seeds,
            labels={"part": "round trips"},
        )
        + Study(
            lambda scheme, buffer: load(SLOW[scheme](buffer), 103, duration="50s"),
            {"scheme": list(SLOW), "buffer": [35, 70]},
            seeds=seeds,
            labels={"part": "buffers"},
        )
    )


def gamma_swing(run: ps.Run) -> dict[str, float]:
    """By what factor GREEN's gamma goes up and down after 20 s."""
    gamma = np.asarray(run.series["bottleneck"]["gamma"]["mean"])[200:]
    return {"gamma swing": float(gamma.max() / gamma.min())}


def measure(run: ps.Run) -> Numbers:
    """The queue, and GREEN's gamma."""
    return of_controllers(run) | dict(run.raw.get("kept", {}))


def claims(table: Table) -> Iterator[Claim]:
    """Each scheme by the statement that is cited."""
    loads = table.where(part="loads")

    def of(metric: str, scheme: str, n: int) -> Sample:
        return loads(metric, scheme=scheme, flows=n)

    def below(metric: str, first: str, second: str) -> list[Condition]:
        return [(of(metric, first, n) < of(metric, second, n)).at(f"{metric}, {first}, {second}, {n}") for n in FLOWS]

    def near(metric: str, scheme: str, value: float, share: float) -> list[Condition]:
        return [of(metric, scheme, n).reads(value, share=share).at(f"{metric}, {n} flows") for n in FLOWS]

    def claim(name: str, says: str, expected: str, *conditions: Condition) -> Claim:
        over_loads = name in ("sred/c1", "rem/c1")
        holds = judge.sweep(conditions) if over_loads else all_of(conditions)
        return Claim(id=f"ch1.{name}", says=f"(cited) {says}", expected=expected, holds=holds)

    step, trips, buffers = (table.where(part=part) for part in ("step", "round trips", "buffers"))

    def off(scheme: str) -> Sample:
        """How far the queue is from its later level soon after a step, as a share of that."""
        first, last = (step("AQS", scheme=scheme, window=window) for window in ((51, 56), (70, 100)))
        return abs(first / last - 1)

    def slow(scheme: str) -> list[Condition]:
        """Above half of the buffer over 50 s, and more so with the smaller one."""
        small, large = (buffers("AQS", scheme=scheme, buffer=packets) for packets in (35, 70))
        return [(small > 17.5).at("slow"), (small / 35 > large / 70).at("buffers")]

    yield claim(
        "blue/c1", "BLUE loses less than RED, with a steadier queue", "PLR and VQS below RED's at 13, 53, 103 flows",
        *below("PLR", "BLUE", "RED"), *below("VQS", "BLUE", "RED"),
    )  # fmt: skip
    yield claim(
        "sred/c1", "SRED's queue is about B/3 for many numbers of flows, its throughput low",
        "AQS 11.7 +- 25 %, LU below RED's",
        *near("AQS", "SRED", BUFFER / 3, 0.25), *below("LU", "SRED", "RED"),
    )  # fmt: skip
    yield claim(
        "rem/c1", "REM uses the link well, with a queue at its target, but is unfair, and slow under heavy load",
        "LU >= 95 %, AQS 10 +- 25 %, F below 0.9 at 53 and 103 flows (its fairness is called not adequate); "
        "slow as PI is",
        *((of("LU", "REM", n) >= 95.0).at(f"LU, {n}") for n in FLOWS), *near("AQS", "REM", KT, 0.25),
        *((of("F", "REM", n) < 0.9).at(f"F, {n}") for n in FLOWS[1:]), *slow("REM"),
    )  # fmt: skip
    yield claim(
        "rem/c2", "a smaller alpha uses more of the link, a larger gamma converges faster and swings more",
        "LU at alpha 0.05 above 0.1; gamma 0.005 against 0.001: VQS larger, 1 to 6 s after a step AQS nearer to later",
        *below("LU", "REM", "REM, alpha 0.05"), *below("VQS", "REM", "REM, gamma 0.005"),
        (off("REM, gamma 0.005") < off("REM")).at("step"),
    )  # fmt: skip
    yield claim("dsred/c1", "DSRED carries more than RED", "LU above RED's", *below("LU", "RED", "DSRED"))
    yield claim(
        "floyd/c1", "Floyd's scheme has a predictable delay, but its queue swings", "AQS 10 +- 25 %, VQS >= 25",
        *near("AQS", "Floyd", KT, 0.25), *((of("VQS", "Floyd", n) >= 25.0).at(f"VQS, {n}") for n in FLOWS),
    )  # fmt: skip
    yield claim(
        "green/c1", "GREEN's gamma swings, and it needs many flows to use the link",
        "gamma by a factor of 2 after 20 s; LU rises with the flows",
        *((of("gamma swing", "GREEN", n) >= 2.0).at(f"gamma, {n}") for n in FLOWS),
        judge.rising([of("LU", "GREEN", n) for n in FLOWS]).at("LU"),
    )  # fmt: skip
    yield claim(
        "avq/c1", "a change of the load hardly changes AVQ's queue; it uses gamma of the link and loses least",
        "from 53 to 103 flows AQS within 25 %, VQS 40 %; LU 98 +- 5 %; PLR below PI, REM, RED",
        (of("AQS", "AVQ", 103) / of("AQS", "AVQ", 53)).reads(1, share=0.25).at("AQS"),
        (of("VQS", "AVQ", 103) / of("VQS", "AVQ", 53)).reads(1, share=0.4).at("VQS"),
        *near("LU", "AVQ", 98, 0.05), *(c for other in ("PI", "REM", "RED") for c in below("PLR", "AVQ", other)),
    )  # fmt: skip
    yield claim(
        "p/c1", "P answers sooner than RED, unequal round trips change little, too steep a slope is unstable",
        "1 to 6 s after a step AQS nearer to its later level; AQS within 25 % if unequal; VQS larger if steep",
        (off("P") < off("RED")).at("step"),
        (trips("AQS", topology="diff") / trips("AQS", topology="same")).reads(1, share=0.25).at("round trips"),
        *below("VQS", "P", "steep P"),
    )  # fmt: skip
    yield claim(
        "pi/c1", "PI is slow under heavy load, and slower with a small buffer",
        "103 flows, first 50 s: AQS above half of 35 packets; a larger share of 35 than of 70",
        *slow("PI"),
    )  # fmt: skip
    yield claim(
        "lred/c1", "LRED is steadier and nearer to its target than SRED, BLUE, adaptive RED and AVQ, and faster",
        "VQS and |AQS - 10| below theirs; 1 to 6 s after a step AQS nearer to its later level",
        *(c for other in ("SRED", "BLUE", "Floyd", "AVQ") for c in below("VQS", "LRED", other)),
        *(
            (abs(of("AQS", "LRED", n) - KT) < abs(of("AQS", other, n) - KT)).at(f"AQS, {other}, {n}")
            for other in ("SRED", "BLUE", "Floyd")
            for n in FLOWS
        ),
        *((off("LRED") < off(other)).at(f"step, {other}") for other in ("SRED", "BLUE", "Floyd", "AVQ")),
    )  # fmt: skip
