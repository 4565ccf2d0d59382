"""Table 3.2: how the eight methods move the thresholds (Section 3.3)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

import penstock as ps
from penstock.papers.alemu_2004 import measures
from penstock.papers.alemu_2004.adaptations import METHODS
from penstock.papers.alemu_2004.setup import BUFFER, KT
from penstock.reproduce.figure import Claim, Sweep, every, formula, metric

MOVED: Mapping[str, tuple[float, float]] = {
    "max-down": (0, 13), "max-up": (5, 17), "squeeze": (7, 13), "spread": (3, 17),
    "shift-up": (7, 17), "shift-down": (3, 13), "pseudo-drop-tail": (KT, KT), "sandwich": (7, 13),
}  # fmt: skip
"""Min and Max after a rise of the average from 10 to 12, from 5 and 15; Min of the first method stays at 0."""


MIN, MAX, MAX_P = ([metric(f"{name}, {end}") for end in ("before", "after")] for name in ("min_th", "max_th", "max_p"))


def _scenario(method: str) -> ps.Scenario:
    own: dict[str, Any] = {"adapt": method, "min_th": "0p" if method == "max-down" else "5p", "max_th": "15p"}
    if method == "pseudo-drop-tail":
        own = {"adapt": method}
    elif method == "sandwich":
        own["max_p"] = 0.001
    else:
        own |= {"max_p_low": 0, "max_p_high": 0}
    queue = ps.Psand(limit=f"{BUFFER}p", w_q=1, **own)
    flow: dict[str, Any] = {"from_": "A", "to": "B", "packet": "972B", "rate": "400kbit"}
    return ps.Scenario(
        name=f"Alemu, {method}",
        duration="1300ms",
        sampling="10ms",
        links={"line": ps.Link(from_="A", to="B", rate="1kbit", delay="1ms", queue=queue, watch=True)},
        traffic={"first": ps.Cbr(**flow, stop="239ms"), "later": ps.Cbr(**flow, start="600ms", stop="639ms")},
    )


def _keep(run: ps.Run) -> dict[str, float]:
    series = run.series["line"]
    ends = {"before": 59, "after": 120}
    return {
        f"{name}, {end}": float(np.asarray(series[name]["mean"])[at])
        for name in ("min_th", "max_th", "max_p")
        for end, at in ends.items()
    }


measure = measures.kept

# The average is the queue, of a link that sends nothing meanwhile: 10 packets at 0.5 s, 12 at 1 s.
study = Sweep(_scenario, {"method": METHODS}, keep=_keep)


CLAIMS = (
    Claim(
        "tab3.2/c1",
        "each method moves Min and Max as the table has it",
        every(
            abs(MIN[1] - formula(lambda method: MOVED[method][0])) <= 1e-6,
            abs(MAX[1] - formula(lambda method: MOVED[method][1])) <= 1e-6,
            (abs(MAX_P[1] / MAX_P[0] - 0.6) <= 1e-6)(method="sandwich"),
        ),
        "average 10 to 12, from (5, 15): "
        + ", ".join(f"{i}: ({low:g}, {high:g})" for i, (low, high) in enumerate(MOVED.values(), 1))
        + ", max_p * 0.6; to 1e-6",
        must_hold=True,
    ),
)
