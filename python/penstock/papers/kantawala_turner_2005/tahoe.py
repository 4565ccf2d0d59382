"""Tahoe instead of Reno (Section 4: "similar results for both")."""

from penstock.reproduce.figure import Choice, Readings, every, needing

from .setup import ALL_SCHEMES, HOPS, POINTS, SETTLED, TRIPS, claim, fast, keep_order, panel, runs, slow

study = runs(  # RED and Blue with the best settings for Reno
    {
        "network": Choice([TRIPS], [TRIPS, HOPS]),
        "flavour": Choice(["reno", "tahoe"], ["reno", "newreno", "tahoe"]),
        "scheme": Choice(["DTDRR", "Tail-Drop"], ALL_SCHEMES),
        "buffer": Choice([400], [400, 1000, 5000]),
    }
)

TAHOE = {"flavour": "tahoe"}
RENO = Readings({"reno": "", "newreno": "NewReno instead of Reno"})
c31 = claim(
    "c31",
    every(*(keep_order(g, ALL_SCHEMES, TAHOE, {"flavour": RENO}) for g in (slow, fast))),
    f"where two schemes differ by > {POINTS} points with Reno, Tahoe has them in the same order",
)
CLAIMS = needing(SETTLED, c31)

draw = panel("g_slow", "goodput with Tahoe, 200 ms (%)", where={"network": TRIPS, "flavour": "tahoe"})
