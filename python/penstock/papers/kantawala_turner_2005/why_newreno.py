"""Why c03, c05 and c25 fail (but not why c13 and c18 do): long flows with NewReno instead of Reno."""

from penstock.reproduce.figure import Choice, needing, read_as

from . import fig4a, fig5a, fig5b
from .setup import COMPARED, DRR_BASED, HOPS, SETTLED, TRIPS, added, panel, runs

study = added(  # RED and Blue with the best settings for Reno
    runs(
        {"scheme": Choice(["DTDRR", "DSDRR"], COMPARED.full), "buffer": Choice([400], [100, 200, 400, 1000, 5000])},
        {"network": TRIPS},
        flavour="newreno",
    ),
    full=[runs({"scheme": [*DRR_BASED, "DSDRR-W"], "buffer": [400, 1000, 5000]}, {"network": HOPS}, flavour="newreno")],
)

CLAIMS = needing(
    SETTLED,
    *read_as("NewReno", fig4a.CLAIMS, network=TRIPS),
    *read_as("NewReno", [fig5a.shares, fig5b.slack], network=HOPS),
)

draw = panel("g_slow", "goodput with NewReno, 200 ms (%)", where={"network": TRIPS})
