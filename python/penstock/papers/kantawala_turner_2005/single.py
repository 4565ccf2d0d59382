"""One link and one round trip of 100 ms, whose results the paper leaves to a report (Section 4)."""

from penstock.reproduce.figure import QuickOrFull

from .setup import DRR_BASED, ONE_TRIP, buffer_figure, buffer_study, joined_studies

schemes = QuickOrFull(["DTDRR"], DRR_BASED)
study = joined_studies(*(buffer_study(ONE_TRIP, load, schemes) for load in ("long", "short")))

CLAIMS = ()  # the paper prints no result of this network, but c12 includes it

draw = buffer_figure("utilization", "utilization (%)", where={"load": "long"})
