"""Left open (Section 5.6): a queue that swaps between RED and drop-tail by the losses before correction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.alemu_2004 import panels
from penstock.papers.alemu_2004.fec_switch import FecSwitch, modelled
from penstock.papers.alemu_2004.measures import of_codes
from penstock.papers.alemu_2004.setup import BUFFER, fec
from penstock.papers.alemu_2004.tables5 import CODES, numbers
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import SummaryTable
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

LEFT_OPEN = "a question that the work leaves open"
RED, TAIL = "automatic RED", "DT"  # that RED fits the thesis' tables (guess 9)
CROSSINGS = {"16,1": (0.059, 0.052), "16,2": (0.076, 0.064), "16,4": (0.093, 0.077)}
"""Losses before correction, behind RED and behind drop-tail, where Figure 5.4 crosses: at 54, 69 and 87 flows.

Those of (8,2) do not cross up to 100 flows, so that a switch with their bounds would be RED.
"""
TOO_LOW = "the model's bounds for (8,2) are too low: drop-tail comes at 80 flows, RED is the better to 100 (fig5-4)"
SWITCHES = {"switch by the model": "", "switch by Figure 5.4": "the losses at which Figure 5.4 crosses as bounds"}


def study(effort: Effort) -> Study:
    """Either queue alone, and both switches, beside 20 to 100 transfers."""

    def scenario(code: str, scheme: str, flows: int) -> ps.Scenario:
        k, h = numbers(code)
        base = fec(RED if scheme in SWITCHES else scheme, flows, k, h)
        base = replace(base, duration=effort.choose("30s", base.duration))
        if scheme not in SWITCHES:
            return base
        red, tail = CROSSINGS[code] if scheme == "switch by Figure 5.4" else modelled(k, h)
        queue = FecSwitch(limit=f"{BUFFER}p", leave_red=round(red, 4), leave_tail=round(tail, 4))
        link = replace(base.links["bottleneck"], queue=queue)
        return replace(base, links={**base.links, "bottleneck": link})

    return Study(
        scenario,
        {
            "code": effort.choose(["16,1"], list(CODES)),
            "scheme": effort.choose([TAIL, RED, "switch by the model"], [TAIL, RED, *SWITCHES]),
            "flows": effort.choose([20, 100], [20, 40, 60, 80, 100]),
        },
        seeds=effort.choose(3, 20),
        where=lambda code, scheme, flows: scheme != "switch by Figure 5.4" or code in CROSSINGS,
        keep=kept,
    )


def kept(run: ps.Run) -> dict[str, float]:
    """The share of the time in which a switch is RED, in percent."""
    series = run.series["bottleneck"]
    return {"as RED": 100 * float(np.mean(series["red"]["mean"]))} if "red" in series else {}


def measure(run: ps.Run) -> dict[str, float | None]:
    """Losses before and after correction, the queue, and what the switch was."""
    found = of_codes(run)
    return {**{name: found[name] for name in ("PLRBC", "PLR", "AQS", "VQS", "TCP")}, **run.raw["kept"]}


def claims(table: Table) -> Iterator[Claim]:
    """The switch against either queue."""
    for switch, bounds in SWITCHES.items():
        if table.has(scheme=switch):
            yield from _claims(table, switch, f"{LEFT_OPEN}; {bounds}" if bounds else LEFT_OPEN)


def _claims(table: Table, switch: str, reading: str) -> Iterator[Claim]:
    flows = table.axis("flows")
    codes = [code for code in table.axis("code") if table.has(code=code, scheme=switch)]

    def lost(scheme: str, code: str, n: int) -> Sample:
        return table("PLR", scheme=scheme, code=code, flows=n)

    def better(code: str, n: int) -> Sample:
        return min((lost(RED, code, n), lost(TAIL, code, n)), key=lambda sample: sample.mean)

    def mean(scheme: str, code: str) -> Sample:
        return sum((lost(scheme, code, n) for n in flows), Sample(0.0)) / len(flows)

    yield Claim(
        id="open-switch",
        says="at every load the switch loses hardly more after correction than the better of RED and drop-tail",
        expected="PLR at most a tenth and a tenth of a point above the smaller PLR, each code and number of flows",
        reading=reading,
        holds=all_of(
            (lost(switch, code, n) - better(code, n) * 1.1 <= 0.1).at(f"({code}), {n} flows")
            for code in codes
            for n in flows
        ),
    )
    yield Claim(
        id="open-switch-mean",
        says="over all loads it loses less than either queue alone",
        expected="mean PLR of all numbers of flows below RED's and below drop-tail's, each code",
        reading=reading,
        because=TOO_LOW,
        holds=all_of(
            (mean(switch, code) < mean(other, code)).at(f"({code}), {other}") for code in codes for other in (RED, TAIL)
        ),
    )


def draw(shown: SummaryTable) -> Figure:
    """Losses after correction for each code."""
    return panels.draw(
        shown, [panels.Panel("flows", "PLR", "scheme", {"code": code}, f"({code})") for code in shown.axis("code")]
    )
