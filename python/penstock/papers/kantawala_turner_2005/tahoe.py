"""Tahoe instead of Reno (Section 4: "similar results for both")."""

from penstock.reproduce.figure import Choice, every, needing
from penstock.reproduce.shape import swept

from .setup import ALL_SCHEMES, HOPS, POINTS, SETTLED, TRIPS, claim, fast, keep_order, panel, runs, slow

study = runs(  # RED and Blue with the best settings for Reno
    {
        "network": Choice([TRIPS], [TRIPS, HOPS]),
        "flavour": ["reno", "tahoe"],
        "scheme": ALL_SCHEMES,
        "buffer": Choice([400], [400, 1000, 5000]),
    }
)

TAHOE, RENO = {"flavour": "tahoe"}, {"flavour": "reno"}
keeps_order = every(*(keep_order(number, ALL_SCHEMES, TAHOE, RENO) for number in (slow, fast)))
WORDS = f"pairs of schemes that differ by > {POINTS} points with Reno have the same order with Tahoe"
CLAIMS = needing(SETTLED, claim("c31", swept(keeps_order), f"nine in ten {WORDS}"))

draw = panel("g_slow", "goodput with Tahoe, 200 ms (%)", where={"network": TRIPS, **TAHOE})
