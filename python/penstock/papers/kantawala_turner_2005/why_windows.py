"""Why c13 and c16 are not confirmed: with windows of 200 packets long flows over three hops get what is printed."""

from penstock.reproduce.figure import QuickOrFull, claims_if_measured, claims_under_reading, within

from .fig5a import close_and_better, shares
from .setup import DRR_BASED, HOPS, LAST, SETTLED, buffer_figure, in_authors_setup, paper_study

WINDOW = 200  # packets; the paper does not mention the receivers' windows

study = in_authors_setup(
    paper_study(
        {"scheme": [*DRR_BASED, "RED"], "buffer": QuickOrFull([2000], [400, 1000, 2000, LAST])},
        {"network": HOPS},
        window=WINDOW,
    )
)

CLAIMS = claims_if_measured(
    SETTLED,
    *claims_under_reading(
        f"long flows have windows of {WINDOW} packets", [shares, close_and_better(within(400, LAST))]
    ),
)

draw = buffer_figure("g_slow", f"goodput, three hops, windows of {WINDOW} packets (%)")
