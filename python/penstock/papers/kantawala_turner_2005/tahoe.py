"""Tahoe instead of Reno (Section 4: "similar results for both")."""

from penstock.reproduce.figure import QuickOrFull, claims_if_measured, every
from penstock.reproduce.shape import along_sweep

from .setup import ALL_SCHEMES, HOPS, POINTS, TRIPS, buffer_figure, claim, fast, orders_agree, paper_study, slow

OF_INTEREST = [400, 1000]  # packets, within the "region of interest" of 200 to 1000 (Section 5)

study = paper_study(  # RED and Blue with the best settings for Reno
    {
        "network": QuickOrFull([TRIPS], [TRIPS, HOPS]),
        "flavour": ["reno", "tahoe"],
        "scheme": ALL_SCHEMES,
        "buffer": QuickOrFull([400], OF_INTEREST),
    }
)

TAHOE, RENO = {"flavour": "tahoe"}, {"flavour": "reno"}
keeps_order = every(*(orders_agree(number, ALL_SCHEMES, TAHOE, RENO) for number in (slow, fast)))
WORDS = f"pairs of schemes that differ by > {POINTS} points with Reno have the same order with Tahoe"
CLAIMS = claims_if_measured({"buffer": OF_INTEREST[-1]}, claim("c31", along_sweep(keeps_order), f"nine in ten {WORDS}"))

draw = buffer_figure("g_slow", "goodput with Tahoe, 200 ms (%)", where={"network": TRIPS, **TAHOE})
