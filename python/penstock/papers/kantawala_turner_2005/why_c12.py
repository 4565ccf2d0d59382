"""Why c11, c12 and c24 are contradicted: too many short flows; Section 4 has 500, Section 5.1 has 1000."""

from penstock.reproduce.figure import CurveFigure, QuickOrFull, claims_if_measured, claims_under_reading

from . import fig4c, overall
from .setup import DRR_BASED, NEW, TRIPS, in_authors_setup, paper_study

FEWER = 500  # flows (Section 4)
NOT_OVERLOADED = 700  # flows: they fill the link and lose 0.05 to 0.2 % of their packets; 1000 flows lose 3 to 6 %

study = in_authors_setup(
    paper_study(
        {
            "scheme": DRR_BASED,
            "flows": QuickOrFull([250, 1000], [250, 300, 350, 400, FEWER, NOT_OVERLOADED, 1000]),
        },
        network=TRIPS,
        load="short",
        buffer=2000,
    )
)

CLAIMS = (
    *claims_if_measured(
        {"flows": FEWER},
        *claims_under_reading(f"{FEWER} short flows, 2000 packets", [overall.c12(scheme=DRR_BASED)], flows=FEWER),
    ),
    *claims_if_measured(
        {"flows": NOT_OVERLOADED},
        *claims_under_reading(
            f"{NOT_OVERLOADED} short flows, 2000 packets",
            [fig4c.c11_alike(scheme=NEW)],
            flows=NOT_OVERLOADED,
        ),
    ),
)

draw = CurveFigure("flows", "loss", "scheme", labels=("short flows", "loss (%)"), log="xy")
