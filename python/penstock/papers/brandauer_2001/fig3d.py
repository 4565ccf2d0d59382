"""Figure 3 (d): losses in a row with 256 flows (Section 4)."""

from functools import partial

from penstock.papers.brandauer_2001.setup import SETTING, TAIL, everlasting, in_a_row, over, tails
from penstock.reproduce.figure import Claim, every, some

study = everlasting

OTHERS = ["GREDstd", "REDopt"]
heavy = {"setting": SETTING, "flows": 256}
heavier_tails = [over[k](scheme="REDopt") > over[k](scheme="GREDstd") for k in TAIL if k >= 10]
CLAIMS = (
    Claim(
        "c15",
        "standard RED loses most in a row of its family, as its average often exceeds max_th",
        every(*(over[k](scheme="REDstd") > over[k](scheme=OTHERS) for k in range(5, 21)))(**heavy),
        "N = 256: P(N > k) of REDstd > of GREDstd and REDopt for k = 5 to 20",
    ),
    Claim(
        "c16",
        "gentle RED and REDopt are significantly better than standard RED",
        (in_a_row(scheme=OTHERS) < in_a_row(scheme="REDstd"))(**heavy),
        must_hold=True,
    ),
    Claim(
        "c17",
        "REDopt has a heavy tail: now and then a burst takes its average to max_th",
        some(every(*heavier_tails))(**heavy),
        "N = 256: P(N > k) of REDopt > of GREDstd for some k >= 10",
    ),
)

draw = partial(tails, setting="simulation", flows=256)
