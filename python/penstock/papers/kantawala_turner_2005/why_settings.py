"""Why c01, c10, c11 and c33 fail: other settings of RED and Blue, NewReno, and a W that stays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.kantawala_turner_2005.setup import (
    BLUE_TRIED,
    WIRE,
    at,
    joined,
    measure,
    queue,
    times,
    two_round_trips,
)
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of, any_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

UNSOUGHT = "RED as ns-2 sets it (5, 15, 0.1, 0.002), Blue's first set"
W_STAYS = ["DTDRR", "DSDRR-W", "QSDRR"]


def study(effort: Effort) -> Study:
    """Long flows of NewReno in 200 packets, and of Reno behind each set of Blue; short flows in more."""
    parts = [_part(effort, "long", "newreno", ["RED", "Blue", *W_STAYS], [200], seeds=40)]
    if not effort.quick:
        parts += [
            _part(effort, "short", "reno", ["RED", "Blue"], [2000, 5000], seeds=20),
            _part(effort, "short", "newreno", W_STAYS, [400, 5000], seeds=5),
            _sets_of_blue(effort),
        ]
    return joined(parts)


def _part(effort: Effort, load: str, flavour: str, schemes: Sequence[str], sizes: Sequence[int], seeds: int) -> Study:
    span = times(effort, "two round trips")
    return Study(
        lambda scheme, buffer: two_round_trips(load, _unsought(scheme, buffer), span, flavour),
        {"scheme": list(schemes), "buffer": list(sizes)},
        seeds=seeds,
        labels={"load": load, "flavour": flavour},
    )


def _sets_of_blue(effort: Effort) -> Study:
    span = times(effort, "two round trips")
    return Study(
        lambda buffer, setting: two_round_trips("long", queue("Blue", buffer, {("Blue", buffer): setting}), span),
        {"buffer": [400, 1000], "setting": list(range(len(BLUE_TRIED)))},
        seeds=5,
        labels={"load": "long", "flavour": "reno"},
    )


def _unsought(scheme: str, buffer: int) -> ps.Queue:
    if scheme != "RED":
        return queue(scheme, buffer)
    return ps.Red(limit=f"{buffer}p", min_th=5, max_th=15, max_p=0.1, w_q=0.002, gentle=False, mean_packet=f"{WIRE}B")


def claims(table: Table) -> Iterator[Claim]:
    """Other readings of c01, c10, c11 and c33."""
    long = table.where(load="long", flavour="newreno")
    yield Claim(
        id="c33",
        says="RED and Blue are poor where the buffer is a small part of the bandwidth-delay product",
        reading=f"NewReno; W stays at its initial 10 % of the queues; {UNSOUGHT}",
        expected="at B = 200 their utilization is 5 points or more below that of each DRR-based scheme",
        holds=all_of(
            (at(long, "utilization", d, 200) - at(long, "utilization", s, 200) >= 5).at(f"{s} and {d}")
            for s in ("RED", "Blue")
            for d in W_STAYS
        ),
    )
    if not table.has(load="short"):
        return
    blue = table.where(load="long", flavour="reno")
    yield Claim(
        id="c01",
        says="with RED and with Blue the flows of 200 ms have about 40 % of their fair share",
        reading="the best of Blue's four sets for the flows of 200 ms",
        expected="40 (30 to 50) % with 400 and 1000 packets",
        holds=all_of(
            any_of(
                blue("g_slow", buffer=b, setting=setting).reads(40, low=30, high=50) for setting in blue.axis("setting")
            ).at(f"B = {b}")
            for b in (400, 1000)
        ),
    )
    reno, newreno = (table.where(load="short", flavour=flavour) for flavour in ("reno", "newreno"))
    yield Claim(
        id="c10",
        says="Blue is worst: bursts over 200 ms take three times as long, even with 5000 packets",
        reading=UNSOUGHT,
        expected="a larger ratio than RED's at 2000 and 5000 packets; 3 (2.4 to 3.4) at 5000",
        holds=all_of(
            [
                at(reno, "ratio", "Blue", 5000).reads(3, low=2.4, high=3.4).at("B = 5000"),
                *((at(reno, "ratio", "Blue", b) > at(reno, "ratio", "RED", b)).at(f"B = {b}") for b in (2000, 5000)),
            ]
        ),
    )
    yield Claim(
        id="c11",
        says="their ratio is 10 to 20 % worse than QSDRR's in small buffers, and the same with 5000",
        reading="NewReno; W stays at its initial 10 % of the queues",
        expected="ratio / QSDRR's <= 1.2 at B = 400; from 0.95 to 1.05 at B = 5000",
        holds=all_of(
            condition.at(s)
            for s in ("DTDRR", "DSDRR-W")
            for condition in (
                at(newreno, "ratio", s, 400) / at(newreno, "ratio", "QSDRR", 400) <= 1.2,
                (at(newreno, "ratio", s, 5000) / at(newreno, "ratio", "QSDRR", 5000)).between(0.95, 1.05),
            )
        ),
    )


def draw(shown: Shown) -> Figure:
    """Use of the link by long flows in 200 packets."""
    return curves(
        shown,
        "scheme",
        "utilization",
        labels=("NewReno, 200 packets", "utilization (%)"),
        where={"load": "long", "flavour": "newreno"},
    )
