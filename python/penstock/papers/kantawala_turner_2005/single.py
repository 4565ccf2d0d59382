"""One link and one round trip of 100 ms, whose results the paper leaves to a report (Section 4)."""

from penstock.reproduce.figure import QuickOrFull

from .setup import DRR_BASED, ONE_TRIP, added, against_buffer, panel

schemes = QuickOrFull(["DTDRR"], DRR_BASED)
study = added(*(against_buffer(ONE_TRIP, load, schemes) for load in ("long", "short")))

CLAIMS = ()  # the paper prints no result of this network, but c12 includes it

draw = panel("utilization", "utilization (%)", where={"load": "long"})
