"""Figure 4 (d): losses in a row with 1400 web sessions (Section 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.brandauer_2001.setup import (
    OPTIONS,
    RED,
    TAIL,
    joined,
    queue,
    web,
    web_designs,
    web_options,
    web_span,
    web_study,
)
from penstock.papers.brandauer_2001.setup import measure as measure_all
from penstock.papers.brandauer_2001.tails import tails
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]


def study(effort: Effort) -> Study:
    """Every mechanism, and more runs of the variants of RED of which the average queue is kept."""
    return web_study(effort) + joined([_averages(effort, option) for option in web_options(effort)])


def _averages(effort: Effort, option: int) -> Study:
    at, span = web_designs(effort)[option, 1400], web_span(effort)

    def keep(run: ps.Run) -> Mapping[str, float]:
        series = run.series["bottleneck"]
        times, averages = np.array(series["t_ns"]), np.array(series["avg"]["mean"], dtype=float)
        kept = averages[times >= 1e9 * float(run.scenario["warmup"].rstrip("s"))]
        max_th = float(str(run.scenario["links"]["bottleneck"]["queue"]["max_th"]).rstrip("p"))
        return {"at_max_th": float(np.mean(kept >= max_th))}

    return Study(
        lambda scheme: web(1400, queue(scheme, at), span, option),
        {"scheme": RED},
        seeds=5,
        labels={"option": option, "watched": True},
        keep=keep,
    )


def measure(run: ps.Run) -> dict[str, float | None]:
    """As everywhere, and the share of the time in which the average is at max_th or above, in percent."""
    kept = run.raw.get("kept")
    return {"at_max_th": 100 * kept["at_max_th"]} if kept else measure_all(run)


def claims(table: Table) -> Iterator[Claim]:
    """Claim c26, of both readings of a page."""
    for option in table.axis("option"):
        part = table.where(option=option)

        def over(k: int, scheme: str, part: Table = part) -> Sample:
            return part(f"over_{k}", scheme=scheme, sessions=1400)

        yield Claim(
            id="c26",
            says="with 1400 sessions RED loses more in a row than tail-drop, as its average often reaches max_th",
            expected="P(N > k) of each variant of RED > of TD for k >= 5; average at max_th for > 5 % of the time",
            reading=OPTIONS[option],
            because="REDstd does; GREDstd drops all only where its ramp ends, REDopt's average is below max_th (fig4d)",
            holds=all_of(
                *((over(k, s) > over(k, "TD")).at(f"{s}, k = {k}") for s in RED for k in TAIL if k >= 5),
                *((part("at_max_th", scheme=s, watched=True) > 5).at(f"{s}, average at max_th") for s in RED),
            ),
        )


def draw(shown: Shown) -> Figure:
    """The panel."""
    return tails(shown.where(option=1, sessions=1400))
