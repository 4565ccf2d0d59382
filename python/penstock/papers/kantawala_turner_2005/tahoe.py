"""Tahoe instead of Reno (Section 4: "similar results for both")."""

from typing import Any

from penstock.reproduce.figure import Choice, Readings, Statement, every, needing

from .setup import DRR_BASED, HOPS, ONE_QUEUE, SETTLED, TRIPS, claim, fast, panel, runs, slow

study = runs(  # RED and Blue with the best settings for Reno
    {
        "network": Choice([TRIPS], [TRIPS, HOPS]),
        "flavour": Choice(["reno", "tahoe"], ["reno", "newreno", "tahoe"]),
        "scheme": Choice(["DTDRR", "Tail-Drop"], [*DRR_BASED, *ONE_QUEUE]),
        "buffer": Choice([400], [400, 1000, 5000]),
    }
)


def alike(reno: Any) -> Statement:
    """Each kind of flows has the same goodput with Tahoe."""
    return every(*((g(flavour="tahoe") - g(flavour=reno)).between(-7, 7) for g in (slow, fast)))


RENO = Readings({"reno": "", "newreno": "NewReno instead of Reno"})
c31 = claim("c31", alike(RENO))
CLAIMS = needing(SETTLED, c31)

draw = panel("g_slow", "goodput with Tahoe, 200 ms (%)", where={"network": TRIPS, "flavour": "tahoe"})
