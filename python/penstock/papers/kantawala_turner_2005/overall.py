"""What is said of all networks and all flows at once (Sections 5 and 5.2)."""

from __future__ import annotations

from collections.abc import Iterator

from penstock.papers.kantawala_turner_2005 import fig4a, fig4c, fig5a, fig5c, single
from penstock.papers.kantawala_turner_2005.setup import (
    BUFFERS,
    DRR_BASED,
    ONE_QUEUE,
    PLOTTED,
    READINGS,
    W_FALLS,
    at,
    joined,
    measure,
    place,
    settled,
    sizes,
)
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Condition, all_of
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "measure", "study"]

LEFT = (
    f"{W_FALLS}; held, c05, c16 and c22 fail as they do alone; short flows: with two round trips DTDRR is better than "
    "QSDRR and tail-drop than DSDRR, over three hops DSDRR than DTDRR, for which nothing was found"
)
MULTI = ("two round trips", "three hops")  # the networks with two kinds of flows


def study(effort: Effort) -> Study:
    """The runs of all figures against the buffer, and those of the single link."""
    return joined([module.study(effort) for module in (fig4a, fig4c, fig5a, fig5c, single)])


def claims(table: Table) -> Iterator[Claim]:
    """Claims c12, c24 and c30."""
    if not settled(table):
        return
    for dsdrr, reading in READINGS.items():
        yield Claim(
            id="c12",
            says="with all DRR-based schemes the link is busy and few packets are lost",
            expected="utilization > 90 %, loss < 1 %; every network and B",
            reading=reading,
            because=""
            if reading
            else "Reno's long flows leave a fifth of the link in 200 packets, NewReno's 0 to 6 % (why-settings); short "
            "ones that fill 90 % lose 2 % and more (why-c12), with windows of 20, and 5000 of buffer, only with QSDRR "
            "more than 1 (why-window)",
            holds=all_of(_busy(table, dsdrr)),
        )
        yield Claim(
            id="c24",
            says="DTDRR matches QSDRR for short flows, DSDRR for long ones, and DSDRR beats RED, Blue and tail-drop",
            expected="B > 200: DTDRR's ratio within 10 % of QSDRR's, DSDRR's goodput within 7 points of QSDRR's, "
            "DSDRR's ratio > DTDRR's; every B: DSDRR better than RED, Blue and tail-drop",
            reading=reading,
            because="" if reading else LEFT,
            holds=all_of(_matches(table, dsdrr), _beats(table, dsdrr)),
        )
    last = max(BUFFERS)
    yield Claim(
        id="c30",
        says="beyond 5000 packets all policies behave alike",
        expected="each goodput of long flows changes by <= 5 points between 5000 and 20 000 packets",
        because="20 000 packets are 0.5 s of link: behind one queue round trips become alike (fig4a: 8 to 13 points), "
        "over three hops DTDRR comes 7 points nearer to fair and DSDRR goes 12 off (fig5a)",
        holds=all_of(
            (at(part, metric, s, last) - at(part, metric, s, PLOTTED)).between(-5, 5).at(f"{network}, {metric}, {s}")
            for network in MULTI
            for part in [table.where(network=network, load="long")]
            for s in part.axis("scheme")
            for metric in ("g_slow", "g_fast")
        ),
    )


def _parts(table: Table, networks: tuple[str, ...], load: str) -> Iterator[tuple[str, Table]]:
    """The networks that were run with a load; bursts take longest to show in a long warm-up, so each stands alone."""
    for network in networks:
        if table.has(network=network, load=load):
            yield f"{network}, {load}", table.where(network=network, load=load)


def _busy(table: Table, dsdrr: str) -> Iterator[Condition]:
    for load in ("long", "short"):
        for name, part in _parts(table, (*MULTI, "one round trip"), load):
            for s in [dsdrr if s == "DSDRR" else s for s in DRR_BASED if part.has(scheme=s)]:
                for b in part.axis("buffer"):
                    where = f"{name}, {place(s, b)}"
                    if part.has(scheme=s):
                        yield (at(part, "utilization", s, b) > 90).at(f"{where}, utilization")
                        yield (at(part, "loss", s, b) < 1).at(f"{where}, loss")


def _matches(table: Table, dsdrr: str) -> Iterator[Condition]:
    for name, part in _parts(table, MULTI, "short"):
        for b in sizes(part, 201):
            ratio = at(part, "ratio", "DTDRR", b)
            yield (ratio / at(part, "ratio", "QSDRR", b)).between(0.9, 1.1).at(f"{name}, DTDRR, B = {b}")
            yield (at(part, "ratio", dsdrr, b) > ratio).at(f"{name}, {dsdrr} and DTDRR, B = {b}")
    for name, part in _parts(table, MULTI, "long"):
        for b in sizes(part, 201):
            difference = at(part, "g_slow", dsdrr, b) - at(part, "g_slow", "QSDRR", b)
            yield difference.between(-7, 7).at(f"{name}, {dsdrr}, B = {b}")


def _beats(table: Table, dsdrr: str) -> Iterator[Condition]:
    for other in ONE_QUEUE:
        for name, part in _parts(table, MULTI, "long"):
            for b in sizes(part):
                yield (at(part, "g_slow", dsdrr, b) > at(part, "g_slow", other, b)).at(f"{name}, {other}, B = {b}")
        for name, part in _parts(table, MULTI, "short"):
            for b in sizes(part):
                yield (at(part, "ratio", dsdrr, b) < at(part, "ratio", other, b)).at(f"{name}, {other}, B = {b}")
