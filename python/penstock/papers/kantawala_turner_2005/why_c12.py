"""Why c09 and c12 are contradicted: too many short flows; Section 4 has 500, Section 5.1 has 1000 (two round trips)."""

from penstock.reproduce.figure import CurveFigure, QuickOrFull, claims_if_measured, claims_under_reading

from . import fig4c, overall
from .setup import DRR_BASED, TRIPS, in_authors_setup, paper_study

FEWER = 500  # flows (Section 4)

study = in_authors_setup(
    paper_study(
        {"scheme": DRR_BASED, "flows": QuickOrFull([250, 1000], [250, 300, 350, 400, FEWER, 700, 1000])},
        network=TRIPS,
        load="short",
        buffer=2000,
    )
)

CLAIMS = claims_if_measured(
    {"flows": FEWER},
    *claims_under_reading(
        f"{FEWER} short flows, 2000 packets",
        [fig4c.c09(scheme=["DTDRR", "DSDRR"]), overall.c12(scheme=DRR_BASED)],
        flows=FEWER,
    ),
)

draw = CurveFigure("flows", "loss", "scheme", labels=("short flows", "loss (%)"), log="xy")
