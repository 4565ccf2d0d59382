"""One link and one round trip of 100 ms, which the paper leaves to its report (Section 4)."""

from penstock.reproduce.figure import Choice

from .setup import COMPARED, ONE_TRIP, added, against_buffer, panel

schemes = Choice(["DTDRR"], COMPARED.full)
study = added(*(against_buffer(ONE_TRIP, load, schemes) for load in ("long", "short")))

CLAIMS = ()  # the paper prints no result of this network; c12 counts it among its configurations

draw = panel("utilization", "utilization (%)", where={"load": "long"})
