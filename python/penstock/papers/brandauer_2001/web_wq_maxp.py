"""Losses in a row with 1400 web sessions by RED's memory and max_p (Section 5, described)."""

from collections.abc import Mapping
from typing import Any

import penstock as ps
from penstock.reproduce.figure import Choice, Curves, Effort, Study, Sweep, needing

from .setup import OPTION, PAGES, RUNS, WEB_SPAN, also, claim, over, queue, web, web_designs

LONGEST = 0.02  # the max_p with the longest runs


def study(effort: Effort) -> Study:
    """Standard RED with other memories and other max_p."""
    designs = web_designs(effort)

    def scenario(option: int, w_q: float, max_p: float) -> ps.Scenario:
        return web(1400, queue("REDstd", designs[option, 1400], w_q=w_q, max_p=max_p), option=option)

    axes: Mapping[str, Any] = {
        "option": PAGES,
        "w_q": Choice([0.0005, 0.01], [0.0002, 0.0005, 0.002, 0.01, 0.05]),
        "max_p": Choice([0.1], [LONGEST, 0.1, 0.3]),
    }
    return Sweep(scenario, axes, seeds=RUNS, span=WEB_SPAN)(effort)


SAYS = "a larger w_q, a shorter memory, makes long runs of losses less likely"
CLAIMS = (
    claim("c27", (over[20].next("w_q") < over[20])(option=OPTION)),
    *needing(
        {"max_p": LONGEST},
        claim(
            "c27",
            (over[100].next("w_q") < over[100])(
                max_p=LONGEST, option=also(f"runs of more than 100, max_p = {LONGEST}")
            ),
        ),
    ),
)

draw = Curves(
    "w_q", "over_20", "max_p", where={"option": 1}, labels=("w_q", "P(more than 20 losses in a row)"), log="x"
)
