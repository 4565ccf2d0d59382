"""What chapter 1 cites of other works and does not come out here: which part, and on which other link it does.

The thesis tells no set-up (guess 16). A link ten times as fast, with the same buffer, is nearer to those on which
schemes are usually shown.
"""

from __future__ import annotations

from collections.abc import Iterator

import penstock as ps
from penstock.papers.alemu_2004 import judge
from penstock.papers.alemu_2004.ch1 import ENDS, FLOWS, SCHEMES, gamma_swing, measure
from penstock.papers.alemu_2004.changes import changed
from penstock.papers.alemu_2004.setup import KT, load
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Condition, Sample, all_of, any_of
from penstock.results.table import Table
from penstock.scenario.scenario import Document
from penstock.studies.study import Study

__all__ = ["claims", "measure", "study"]

GAMMAS = [0.001, 0.005, 0.02, 0.05, 0.1]
TIMES = 10
"""How much faster the other link is, with its accesses."""
MAX_P = 0.15
"""Of SRED."""


def study(effort: Effort) -> Study:
    """REM by its gamma; schemes as in chapter 1, with marks, and on a faster link."""
    seeds = effort.choose(5, 20)
    gammas = effort.choose([0.001, 0.1], GAMMAS)
    marked = Study(
        lambda scheme, flows: load(SCHEMES[scheme](), flows), {"scheme": ["RED", "BLUE"], "flows": FLOWS}, seeds=seeds
    )
    return (
        Study(lambda gamma, flows: load(_rem(gamma), flows), {"gamma": gammas, "flows": FLOWS}, seeds=seeds)
        + Study(
            lambda scheme, flows: load(SCHEMES[scheme](), flows),
            {"scheme": ["RED", "P", "steep P"], "flows": FLOWS},
            seeds=seeds,
            labels={"part": "as cited"},
        )
        + Study(
            changed(marked, "marks instead of drops", seeds).base,
            marked.vary,
            seeds=seeds,
            labels={"part": "marks"},
        )
        + Study(
            _fast,
            {"scheme": ["LRED", "SRED", "BLUE", "Floyd", "AVQ"], "flows": FLOWS},
            seeds=seeds,
            labels={"part": "fast"},
        )
        + Study(_fast, {"scheme": ["GREEN"], "flows": FLOWS}, seeds=seeds, labels={"part": "fast"}, keep=gamma_swing)
    )


def _rem(gamma: float) -> ps.Rem:
    return ps.Rem(**ENDS, gamma=gamma, alpha=0.1, phi=1.1, target=f"{KT}p", interval="10ms")


def _fast(scheme: str, flows: int) -> Document:
    tree = load(SCHEMES[scheme](), flows, sampling="100ms" if scheme == "GREEN" else "10ms").document().tree
    for name, link in tree["links"].items():
        link["rate"] = f"{TIMES * (1.5 if name == 'bottleneck' else 10):g}Mbit"
    return Document(tree)


def claims(table: Table) -> Iterator[Claim]:
    """Scheme by scheme."""
    cited, marks, fast = (table.where(part=part) for part in ("as cited", "marks", "fast"))
    gammas = table.axis("gamma")

    def at(flows: int, condition: Condition) -> Condition:
        return condition.at(f"{flows} flows")

    def rem(metric: str, n: int, over: list[float]) -> list[Sample]:
        return [table(metric, gamma=gamma, flows=n) for gamma in over]

    yield _own(
        "rem-gamma",
        "REM swings the less the larger gamma is, from 0.001 to 0.1",
        "rank correlation of VQS with gamma <= -0.8 at 13, 53 and 103 flows",
        all_of(at(n, judge.falling(rem("VQS", n, gammas))) for n in FLOWS),
    )
    yield _own(
        "rem-target",
        "with a larger gamma REM's queue is at its target, and it still leaves a part of the link unused",
        f"gamma from 0.005 on: AQS 10 +- 25 %, LU below 95 %, at {FLOWS} flows",
        all_of(
            at(n, condition)
            for n in FLOWS
            for queue, used in zip(rem("AQS", n, gammas[1:]), rem("LU", n, gammas[1:]), strict=True)
            for condition in (judge.aqs(queue, KT), used < 95.0)
        ),
    )

    def swing(scheme: str, n: int) -> Sample:
        """Standard deviation of the queue over its mean."""
        return cited("VQS", scheme=scheme, flows=n) ** 0.5 / cited("AQS", scheme=scheme, flows=n)

    yield _own(
        "steep-P",
        "a steeper P has a queue too short to swing far; by its mean it swings more, and less of the link is used",
        "sd / mean of the queue above, LU below that with the shallow slope, at 13, 53 and 103 flows",
        all_of(
            at(n, condition)
            for n in FLOWS
            for condition in (
                swing("steep P", n) > swing("P", n),
                cited("LU", scheme="steep P", flows=n) < cited("LU", scheme="P", flows=n),
            )
        ),
    )
    yield _own(
        "sred",
        "SRED cannot drop what it takes: its early drops are bounded by the square of the number of flows",
        "2 max_p (N / 256)^2, of the full variant, below half of RED's PLR at 13, 53 and 103 flows",
        all_of(at(n, cited("PLR", scheme="RED", flows=n) / 2 > 200 * MAX_P * (n / 256) ** 2) for n in FLOWS),
    )
    yield _own(
        "blue-marks",
        "if packets are marked, BLUE loses less than RED, but its queue is not the steadier one at each load",
        "PLR below RED's at 13, 53 and 103 flows; VQS above RED's at one of them at least",
        all_of(
            *(at(n, marks("PLR", scheme="BLUE", flows=n) < marks("PLR", scheme="RED", flows=n)) for n in FLOWS),
            any_of(at(n, marks("VQS", scheme="BLUE", flows=n) > marks("VQS", scheme="RED", flows=n)) for n in FLOWS),
        ),
    )
    yield _own(
        "green-fast",
        f"on a link of {1.5 * TIMES:g} Mbit/s GREEN's gamma swings; the use of the link does not rise with the flows",
        "gamma by a factor of 2 after 20 s at 13, 53 and 103 flows; LU with 103 below that with 13",
        all_of(
            *(at(n, fast("gamma swing", scheme="GREEN", flows=n) >= 2.0) for n in FLOWS),
            (fast("LU", scheme="GREEN", flows=103) < fast("LU", scheme="GREEN", flows=13)).at("LU"),
        ),
    )
    yield _own(
        "lred-fast",
        f"on a link of {1.5 * TIMES:g} Mbit/s LRED with many flows is the steadiest, and nearest to its target",
        "at 53 and 103 flows VQS below SRED's, BLUE's and Floyd's, |AQS - 10| below SRED's and Floyd's; VQS below "
        "AVQ's at 53",
        all_of(
            *(
                at(n, fast("VQS", scheme="LRED", flows=n) < fast("VQS", scheme=other, flows=n))
                for n in FLOWS[1:]
                for other in ("SRED", "BLUE", "Floyd")
            ),
            *(
                at(n, abs(fast("AQS", scheme="LRED", flows=n) - KT) < abs(fast("AQS", scheme=other, flows=n) - KT))
                for n in FLOWS[1:]
                for other in ("SRED", "Floyd")
            ),
            at(53, fast("VQS", scheme="LRED", flows=53) < fast("VQS", scheme="AVQ", flows=53)),
        ),
    )


def _own(name: str, says: str, expected: str, holds: Condition) -> Claim:
    return Claim(id=f"why-cited/{name}", says=says, expected=expected, holds=holds, reading="own")
