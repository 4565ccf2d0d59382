"""Why c14, c19 and c20 fail: flows over three hops that do not lose in step, for their packets take up to 5 ms more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.kantawala_turner_2005 import fig5a, fig5b
from penstock.papers.kantawala_turner_2005.setup import ONE_QUEUE, PLOTTED, measure, queue, settled, three_hops, times
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

JITTER = {"uniform": ["0ms", "5ms"]}
FLAVOURS = {"reno": "", "newreno": "NewReno; "}


def study(effort: Effort) -> Study:
    """The largest buffer of the figure, with the first setting of RED and of Blue."""

    def uneven(flavour: str, scheme: str, buffer: int) -> ps.Scenario:
        evenly = three_hops("long", queue(scheme, buffer), times(effort, "three hops"), flavour)
        links = {
            name: replace(link, jitter=JITTER) if name.startswith("in-") else link
            for name, link in evenly.links.items()
        }
        return replace(evenly, name="Kantawala and Turner: three hops, uneven access", links=links)

    axes: dict[str, Sequence[str | int]] = {
        "flavour": effort.choose(["reno"], list(FLAVOURS)),
        "scheme": effort.choose(["Tail-Drop"], ONE_QUEUE),
        "buffer": effort.choose([2000], [PLOTTED]),
    }
    return Study(uneven, axes, seeds=effort.choose(1, 5))


def claims(table: Table) -> Iterator[Claim]:
    """As other readings."""
    if not settled(table):
        return
    for flavour, name in FLAVOURS.items():
        part = table.where(flavour=flavour)
        reading = f"{name}access takes up to 5 ms more for each packet; RED's and Blue's first setting"
        for module in (fig5a, fig5b):
            yield from module.one_queue(part, [PLOTTED], reading)


def draw(shown: Shown) -> Figure:
    """Goodput from end to end."""
    return curves(shown, "scheme", "g_slow", "flavour", labels=("uneven access", "goodput, three hops (%)"))
