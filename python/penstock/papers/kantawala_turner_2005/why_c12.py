"""Why c12 fails for short flows: loss by the number of flows, two round trips, 1000 packets."""

from penstock.reproduce.figure import Choice, Curves

from .setup import DRR_BASED, TRIPS, runs

study = runs(
    {"scheme": DRR_BASED, "flows": Choice([250, 1000], [250, 300, 350, 400, 500, 700, 1000])},
    network=TRIPS,
    load="short",
    buffer=1000,
)

CLAIMS = ()

draw = Curves("flows", "loss", "scheme", labels=("short flows", "loss (%)"), log="xy")
