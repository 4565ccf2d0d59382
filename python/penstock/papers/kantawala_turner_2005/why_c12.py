"""Why c09, c11 and c12 fail: short flows by their number, two round trips. Section 4 has 500, Section 5.1 has 1000."""

from penstock.reproduce.figure import Choice, Curves

from .setup import DRR_BASED, TRIPS, in_authors_setup, runs

study = in_authors_setup(
    runs(
        {
            "scheme": DRR_BASED,
            "flows": Choice([250, 1000], [250, 300, 350, 400, 500, 700, 1000]),
            "buffer": Choice([1000], [400, 1000, 2000, 5000]),
        },
        network=TRIPS,
        load="short",
    )
)

CLAIMS = ()

draw = Curves("flows", "loss", "scheme", labels=("short flows", "loss (%)"), log="xy", where={"buffer": 1000})
