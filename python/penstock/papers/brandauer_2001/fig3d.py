"""Figure 3 (d): losses in a row with 256 flows (Section 4)."""

from functools import partial

from penstock.reproduce.figure import every, some

from .setup import TAIL, claim, draw_loss_run_tails, everlasting, in_a_row, over

study = everlasting

OTHERS = ["GREDstd", "REDopt"]
heavy = {"flows": 256}
heavier_tails = [over[k](scheme="REDopt") > over[k](scheme="GREDstd") for k in TAIL if k >= 10]
CLAIMS = (
    claim(
        "c15",
        every(*(over[k](scheme="REDstd") > over[k](scheme=OTHERS) for k in range(5, 21)))(**heavy),
        "N = 256: P(N > k) of REDstd > of GREDstd and REDopt for k = 5 to 20",
    ),
    claim("c16", (in_a_row(scheme=OTHERS) < in_a_row(scheme="REDstd"))(**heavy), must_hold=True),
    claim("c17", some(every(*heavier_tails))(**heavy), "N = 256: P(N > k) of REDopt > of GREDstd for some k >= 10"),
)

draw = partial(draw_loss_run_tails, flows=256)
